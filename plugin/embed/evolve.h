/* Steps of a stepper up to a given time, with a stop time and interpolation between nodes. */
#ifndef VIDA_EMBED_EVOLVE_H
#define VIDA_EMBED_EVOLVE_H

#include <vida/sundials.h>

/* Writes q and v (n each) at the node to y. */
int vida__node_state(VidaStepper* stepper, double* y, VidaError* error);
/* Does what VidaStepper_Evolve does, with an array y (2 n). */
int vida__evolve(VidaStepper* stepper, double tout, double* y, double* t, VidaEvolveMode mode,
                 VidaError* error);
/* Restarts at t from y (2 n) with equal steps, at most as long as those of the options, the last of
 * which ends at `end`. The statistics of the run continue. */
int vida__start_towards(VidaStepper* stepper, double t, double end, const double* y,
                        VidaError* error);

#endif
