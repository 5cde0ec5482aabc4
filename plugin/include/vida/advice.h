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
  bool accepted;   /* the method accepts the system and, if `tried`, has started on it */
  int code;        /* return value of the step, or of an earlier function that failed */
  VidaError error; /* filled on failure */
  bool adaptive;   /* the method was tried with adaptive steps */
} VidaTrial;

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
  const char* general;    /* name of the first general Lagrangian; NULL: none */
  VidaRates rates;        /* rates at the start */
  bool tried;             /* each method made a step; false for large systems, to save time */
  double time;            /* time of the comparison, s */
  double step;            /* suggested step, which divides the time, s */
  int trial_count;        /* number of methods */
  VidaTrial* trials;      /* one for each method, with its default options */
} VidaAdvice;

/* Examines the system of a comparison at the start of the comparison, and tries every method there.
 * Does not change the study. Succeeds even if methods do not accept the system. The caller owns
 * *advice and frees it with VidaAdvice_Destroy, before the system. */
VIDA_API int VidaStudy_Advise(const VidaStudy* study, VidaAdvice** advice, VidaError* error);
/* Frees advice and sets *advice to NULL; NULL is allowed. */
VIDA_API void VidaAdvice_Destroy(VidaAdvice** advice);

#ifdef __cplusplus
}
#endif
#endif
