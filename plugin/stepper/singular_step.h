/* Steps whose end lies near a singular configuration, where constraints lose rank.
 *
 * There G has singular values sigma close to zero. The equations that constrain positions and
 * velocities at the end of the step leave the motions open that belong to them, up to rounding:
 * errors of eps / sigma in positions and, through G_q v, eps / sigma^2 in velocities satisfy them
 * as well as the smooth motion does. Newton's method finds such errors, or nothing. Solved for the
 * rest only, the unknowns keep these motions as they were guessed, from the steps before. */
#ifndef VIDA_STEPPER_SINGULAR_STEP_H
#define VIDA_STEPPER_SINGULAR_STEP_H

#include "stepper/integration.h"

/* Solves the equations of a step, on the KKT pattern or with doubled rows, from the guess in
 * self->implicit.unknown. Returns whether that succeeded: all rows are at rounding, and the end of
 * the step is nearly singular. Otherwise the unknowns are undefined. */
bool vida__pass_singular(VidaIntegration* self);

#endif
