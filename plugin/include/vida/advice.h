/* Advice before integration: the kind of equations of a system, its rates at the start, the methods
 * that take it, and a first step. */
#ifndef VIDA_ADVICE_H
#define VIDA_ADVICE_H

#include <stdbool.h>
#include <vida/stepper.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rates of a system at the start, in 1/s (rad/s for oscillations); 0 if there are none of the kind.
 */
typedef struct VidaRates {
  /* largest sqrt |eigenvalue| of M^-1 (-L_qq - f_q + lambda g_qq) along the constraints, at rest in
   * this place */
  double stiffness;
  bool growing;   /* that motion departs from the configuration instead of oscillating about it */
  double damping; /* largest |eigenvalue| of M^-1 f_v along the constraints */
  double turning; /* centripetal acceleration over velocity, in the mass norm */
  double falling; /* `turning` of the motion that the acceleration leads to: a released pendulum */
  double angles;  /* |v| and sqrt |a| of coordinates in rad */
  double largest; /* the largest of all */
  int coordinate; /* index of the one with the largest part in the stiffest motion; -1: none */
} VidaRates;

/* A trial of one method on the system. */
typedef struct VidaTrial {
  const VidaMethodInfo* method; /* the method */
  bool taken;                   /* the method takes the system, and, if it was tried, starts */
  int code;                     /* return value of the step, or of the function that refused */
  VidaError why;                /* filled on failure */
  bool adaptive;                /* it was tried with adaptive steps */
} VidaTrial;

/* Advice about a system. */
typedef struct VidaAdvice {
  int coordinates, rows, nonholonomic, dependent; /* numbers; the last two are among the rows */
  int degrees_of_freedom;                         /* -1: not known */
  bool constant_mass, diagonal_mass, singular_mass, moving_mass; /* moving: M(q) */
  bool forces, damped, driven; /* it has forces, dampers, prescribed motions */
  const char* general;         /* name of the first general Lagrangian; NULL: none */
  VidaRates rates;             /* its rates at the start */
  bool tried;        /* methods made a step; false for large systems, where that takes long */
  double time, step; /* s: time of the comparison, and a first step, which divides it */
  int trial_count;   /* number of methods */
  VidaTrial* trials; /* one for each method, with its default options */
} VidaAdvice;

/* Examines the system of a comparison at the start of the comparison, and tries every method there.
 * The study does not change. A refusal by a method is not a failure. The caller owns *advice and
 * frees it with VidaAdvice_Destroy, before the system. */
int VidaStudy_Advise(const VidaStudy* study, VidaAdvice** advice, VidaError* error);
/* Frees advice and sets *advice to NULL; NULL is allowed. */
void VidaAdvice_Destroy(VidaAdvice** advice);

#ifdef __cplusplus
}
#endif
#endif
