/* Advice before anything is integrated: what kind of equations a system has, how fast it moves at
 * the start, which methods take it, and which step to begin with. */
#ifndef VIDA_STUDY_ADVICE_H
#define VIDA_STUDY_ADVICE_H

#include <stdbool.h>
#include <vida/stepper.h>
#include <vida/study.h>

/* Rates in 1/s (of oscillations rad/s) at the start; 0 where there is nothing of the kind. */
typedef struct vida_rates {
  double stiffness; /* largest sqrt |eigenvalue| of M^-1 (-L_qq - f_q + lambda g_qq) along the
                     * constraints, at rest in this place */
  bool growing;     /* and that motion leaves the place instead of swinging about it */
  double damping;   /* largest |eigenvalue| of M^-1 f_v along the constraints */
  double turning;   /* centripetal acceleration over velocity, in the mass norm */
  double falling;   /* the same that the acceleration will lead to: of a pendulum that is let go */
  double angles;    /* of coordinates in rad: |v| and sqrt |a| */
  double largest;   /* of all */
  int coordinate;   /* which has the largest share in the stiffest motion; -1: none */
} vida_rates;

typedef struct vida_trial {
  const VidaMethodInfo* method;
  bool taken;    /* the method takes the system and starts; only then there was a step */
  int code;      /* of the step, or of what refused */
  VidaError why; /* filled where one failed */
  bool adaptive;
} vida_trial;

typedef struct vida_advice {
  int coordinates, rows, nonholonomic, dependent, degrees_of_freedom; /* the last -1: not known */
  bool constant_mass, diagonal_mass, singular_mass, moving_mass;      /* moving: M(q) */
  bool forces, damped, driven;
  const char* general; /* the first general Lagrangian; NULL: none */
  vida_rates rates;
  double time, step; /* of the comparison; to begin with, a divisor of it */
  int trial_count;
  vida_trial* trials; /* of all methods with their default options */
} vida_advice;

/* Looks at the system of a comparison at its start; free it also after a failure. */
int vida__advise(const VidaStudy* study, vida_advice* advice, VidaError* error);
void vida__free_advice(vida_advice* advice);

#endif
