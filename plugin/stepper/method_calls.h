/* Calls of a method's functions, which may be third-party code. They ensure that a failure has a
 * known code and a message, that results are finite, and that the method does not change the clock.
 */
#ifndef VIDA_STEPPER_METHOD_CALLS_H
#define VIDA_STEPPER_METHOD_CALLS_H

#include "stepper/integration.h"

/* Each calls the member of VidaMethod (include/vida/method.h) with its name for `self`. */
int vida__call_create(VidaIntegration* self, VidaError* error);
int vida__call_start(VidaIntegration* self, VidaError* error);
int vida__call_start_two_points(VidaIntegration* self, const double* q1, VidaError* error);
int vida__call_step(VidaIntegration* self, VidaError* error);
int vida__call_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__call_energy(VidaIntegration* self, double* energy, double* t, VidaError* error);

#endif
