/* Advice before integration: the kind of equations of a system, its rates at the start, the methods
 * that can integrate it, and a suggested step. */
#ifndef VIDA_ADVICE_H
#define VIDA_ADVICE_H

#include <stdbool.h>
#include <vida/export.h>
#include <vida/stepper.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rates of a system at the start, in 1/s (rad/s for oscillations); 0 if the system has no such
 * rate. */
typedef struct VidaRates {
  /* largest sqrt |eigenvalue| of M^-1 (-L_qq - f_q + lambda g_qq) along the constraints, in the
   * initial configuration at rest */
  double stiffness;
  bool growing;              /* the motion along its eigenvector grows instead of oscillating */
  double damping;            /* largest |eigenvalue| of M^-1 f_v along the constraints */
  double rotation;           /* centripetal acceleration divided by velocity, in the mass norm */
  double rotation_from_rest; /* that of the motion from rest, as of a released pendulum */
  double angles;             /* largest |v| or sqrt |a| of a coordinate in rad */
  double largest;            /* the largest of these rates */
  int coordinate; /* index of the coordinate that moves most in the stiffest motion; -1: none */
} VidaRates;

/* A trial of one method on the system. */
typedef struct VidaTrial {
  const VidaMethodInfo* method; /* the method */
  /* The method accepts the system, and every contact of it at rest, sliding and sticking and every
   * coupling engaged, and, if `tried`, has started on it. */
  bool accepted;
  int code;           /* return value of the last step, or of an earlier function that failed */
  VidaError error;    /* filled on failure */
  bool adaptive;      /* the method was tried with adaptive steps */
  bool in_atlas;      /* the atlas has measured the method, or its refusal of all systems */
  bool time_stepping; /* how it takes contacts: see Vida_IsTimeStepping */
  int order;          /* of positions, as claimed; in a system with contacts that across impacts */
  int steps, events;  /* steps that it made, and the events in them; with an event-driven method */
  int busy_steps;     /* number of steps with events */
} VidaTrial;

/* What decides which method is cheap, as numbers. X(NAME, name, weight, text): the distance of two
 * systems is the square root of the sum of weight * difference^2. */
#define VIDA_FEATURE_LIST(X)                                                      \
  X(SIZE, "size", 0.5, "logarithm (base 10) of the number of coordinates")        \
  X(CONSTRAINED, "constrained", 1.0, "constraint rows divided by coordinates")    \
  X(MOVING_MASS, "moving_mass", 2.0, "the mass matrix is not constant")           \
  X(QUATERNIONS, "quaternions", 4.0, "it is singular, too: unit quaternions")     \
  X(LENGTHS, "lengths", 1.0, "part of the rows that is a distance of two points") \
  X(FIELDS, "fields", 0.5, "forces change with positions: springs, attraction")   \
  X(DAMPED, "damped", 1.0, "forces depend on velocities")                         \
  X(DRIVEN, "driven", 1.0, "constraints depend on time")                          \
  X(NONHOLONOMIC, "nonholonomic", 4.0, "nonholonomic rows")                       \
  X(SEPARATION, "separation", 0.5,                                                \
    "logarithm of the highest rate divided by that of the slow motion")           \
  X(PERIODS, "periods", 0.2, "logarithm of the number of periods of the highest rate in the time")

#define VIDA_FEATURE_ENUMERATOR(NAME, name, weight, text) VIDA_FEATURE_##NAME,
enum { VIDA_FEATURE_LIST(VIDA_FEATURE_ENUMERATOR) VIDA_FEATURES };
#undef VIDA_FEATURE_ENUMERATOR

/* What a recommended method must keep. */
typedef enum VidaKeep {
  VIDA_KEEP_ANYTHING,   /* no demand */
  VIDA_KEEP_SYMPLECTIC, /* the method claims VIDA_CAN_SYMPLECTIC */
  VIDA_KEEP_ENERGY,     /* VIDA_CAN_ENERGY */
  VIDA_KEEPS
} VidaKeep;

enum {
  VIDA_ATLAS_ERRORS = 3, /* errors of the atlas: 1e-3, 1e-6, 1e-9 of the largest displacement */
  VIDA_MOST_RIVALS = 3
};

/* A method with options, as the atlas measured it on a system. */
typedef struct VidaMeasured {
  const VidaMethodInfo* method; /* NULL: none */
  const char* options;          /* "stages=4"; "": the defaults */
  bool adaptive;                /* with a tolerance rtol instead of a step */
  double seconds;               /* CPU time of the run; 0: it did not reach the error */
  double setting;               /* the step in s, or rtol, that reached the error */
} VidaMeasured;

/* The method that reaches an error for the least work, as the atlas of measured systems tells. */
typedef struct VidaRecommendation {
  double error;       /* 1e-3, 1e-6 or 1e-9 */
  const char* system; /* the nearest system of the atlas on which it has done so */
  double distance;    /* of that system: see VIDA_FEATURE_LIST */
  VidaMeasured best;  /* the method, with its run on that system; method NULL: none */
  double setting;     /* step in s or rtol to begin with here; 0: not known */
  VidaMeasured rivals[VIDA_MOST_RIVALS]; /* the next ones, with their runs there */
  int rival_count;                       /* number of rivals */
} VidaRecommendation;

/* Advice about a system. */
typedef struct VidaAdvice {
  int coordinates;        /* n */
  int rows;               /* m: all constraint rows */
  int nonholonomic;       /* nonholonomic rows among them */
  int dependent;          /* rows that depend on others among them */
  int degrees_of_freedom; /* -1: not known */
  bool constant_mass;     /* the mass matrix is constant */
  bool diagonal_mass;     /* the mass matrix is diagonal */
  bool singular_mass;     /* the mass matrix is singular */
  bool moving_mass;       /* the mass matrix depends on positions, as values near the start show */
  bool mass_of_rates;     /* it depends on rates */
  bool mass_of_time;      /* it depends on time */
  bool forces;            /* the system has forces */
  bool damped;            /* the system has dampers */
  bool driven;            /* the system has prescribed motions */
  int contacts;           /* number of contacts */
  int couplings;          /* number of couplings */
  int events;             /* number of events that the system declares */
  /* Contacts are a matter for time stepping: no event-driven method has taken the system, or so
   * many events fall into a step that finding them costs more than it gains. */
  bool prefers_time_stepping;
  const char* general; /* name of the first general Lagrangian; NULL: none */
  VidaRates rates;     /* rates at the start */
  bool tried;          /* each method made steps; false for large systems, to save time */
  double time;         /* time of the comparison, s */
  double step;         /* suggested step, which divides the time, s */
  int trial_count;     /* number of methods */
  VidaTrial* trials;   /* one for each method, with its default options */
  double features[VIDA_FEATURES]; /* in the order of VIDA_FEATURE_LIST */
  const char* nearest;            /* the nearest system of the atlas; NULL: there is none */
  VidaRecommendation recommended[VIDA_KEEPS][VIDA_ATLAS_ERRORS]; /* by VidaKeep and error */
} VidaAdvice;

/* Examines the system of a comparison at the start of the comparison, and tries every method there:
 * with one step, or, in a system with contacts or events, with up to 100.
 * Does not change the study. Succeeds even if methods do not accept the system. The caller owns
 * *advice and frees it with VidaAdvice_Destroy, before the system. */
VIDA_API int VidaStudy_Advise(const VidaStudy* study, VidaAdvice** advice, VidaError* error);
/* Frees advice and sets *advice to NULL; NULL is allowed. */
VIDA_API void VidaAdvice_Destroy(VidaAdvice** advice);

#ifdef __cplusplus
}
#endif
#endif
