/* Advice before anything is integrated: what kind of equations a system has, how fast it moves at
 * the start, which methods take it, and which step to begin with. */
#ifndef VIDA_ADVICE_H
#define VIDA_ADVICE_H

#include <stdbool.h>
#include <vida/stepper.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rates in 1/s (of oscillations rad/s) at the start; 0 where there is nothing of the kind. */
typedef struct VidaRates {
  /* largest sqrt |eigenvalue| of M^-1 (-L_qq - f_q + lambda g_qq) along the constraints, at rest in
   * this place */
  double stiffness;
  bool growing;   /* and that motion leaves the place instead of swinging about it */
  double damping; /* largest |eigenvalue| of M^-1 f_v along the constraints */
  double turning; /* centripetal acceleration over velocity, in the mass norm */
  double falling; /* the same that the acceleration will lead to: of a pendulum that is let go */
  double angles;  /* of coordinates in rad: |v| and sqrt |a| */
  double largest; /* of all */
  int coordinate; /* which has the largest share in the stiffest motion; -1: none */
} VidaRates;

/* One method on the system. */
typedef struct VidaTrial {
  const VidaMethodInfo* method; /* which */
  bool taken;                   /* the method takes the system, and where it was tried starts */
  int code;                     /* of the step, or of what refused */
  VidaError why;                /* filled where one failed */
  bool adaptive;                /* it was tried with steps of its own */
} VidaTrial;

/* What was found out about a system. */
typedef struct VidaAdvice {
  int coordinates, rows, nonholonomic, dependent, degrees_of_freedom; /* the last -1: not known */
  bool constant_mass, diagonal_mass, singular_mass, moving_mass;      /* moving: M(q) */
  bool forces, damped, driven; /* it has forces, dampers, a motion given in time */
  const char* general;         /* the first general Lagrangian; NULL: none */
  VidaRates rates;             /* how fast it moves */
  bool tried;        /* methods made a step; not in large systems, where some of them take long */
  double time, step; /* of the comparison; to begin with, a divisor of it */
  int trial_count;   /* of all methods */
  VidaTrial* trials; /* of all methods with their default options */
} VidaAdvice;

/* Looks at the system of a comparison at the start that the comparison would make, and tries every
 * method there; nothing is kept in the study. What a method refuses is no failure. Free with
 * VidaAdvice_Destroy, before the system. */
int VidaStudy_Advise(const VidaStudy* study, VidaAdvice** advice, VidaError* error);
/* Frees it and sets *advice to NULL; NULL is allowed. */
void VidaAdvice_Destroy(VidaAdvice** advice);

#ifdef __cplusplus
}
#endif
#endif
