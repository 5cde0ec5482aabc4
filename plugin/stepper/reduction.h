/* Systems that the option `reduction` of methods with multipliers in their step equations refuses.
 */
#ifndef VIDA_STEPPER_REDUCTION_H
#define VIDA_STEPPER_REDUCTION_H

#include "stepper/integration.h"

/* Fails with VIDA_NOT_SUPPORTED if the steps are to be reduced, and the system has no constraints
 * or is too large, or the program provides a linear solver. */
int vida__check_reduction(const VidaIntegration* self, VidaError* error);
/* Fails with VIDA_NOT_SUPPORTED if the steps are to be reduced, and constraints depend on each
 * other at the start. */
int vida__check_reduced_start(const VidaIntegration* self, VidaError* error);

#endif
