/* What tests see of rattle-variable: the sequence of its own, between the nodes. */
#ifndef VIDA_METHODS_VARIATIONAL_VARIABLE_STEPS_H
#define VIDA_METHODS_VARIATIONAL_VARIABLE_STEPS_H

#include "stepper/nested.h"

/* The newest state (n each, the method's own) of the sequence, with its density rho. */
typedef struct vida_sequence_state {
  double t, density;
  long steps; /* since the start */
  const double *q, *p, *v;
} vida_sequence_state;

vida_sequence_state vida__sequence_state(VidaStepper* stepper);
/* One step of the sequence, whatever the nodes. */
int vida__sequence_step(VidaStepper* stepper, VidaError* error);
/* Turns the velocities round: the sequence goes back the way that it has come. For systems whose
 * momenta are odd functions of the velocities. */
void vida__sequence_turn_round(VidaStepper* stepper);

#endif
