/* Access to the internal steps of rattle-variable, for tests. */
#ifndef VIDA_METHODS_VARIATIONAL_VARIABLE_STEPS_H
#define VIDA_METHODS_VARIATIONAL_VARIABLE_STEPS_H

#include "stepper/nested.h"

/* The newest state (n each, owned by the method) with its step density rho. */
typedef struct vida_sequence_state {
  double t, density;
  long steps; /* since the start */
  const double *q, *p, *v;
} vida_sequence_state;

/* Returns the newest state. */
vida_sequence_state vida__sequence_state(VidaStepper* stepper);
/* Makes one internal step, regardless of the nodes. */
int vida__sequence_step(VidaStepper* stepper, VidaError* error);
/* Reverses the velocities, so that the method retraces its steps. Only for systems whose momenta
 * are odd functions of the velocities. */
void vida__sequence_reverse(VidaStepper* stepper);

#endif
