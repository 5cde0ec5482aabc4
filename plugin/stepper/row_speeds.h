/* The speeds that constraints relate (row_speeds.c). */
#ifndef VIDA_STEPPER_ROW_SPEEDS_H
#define VIDA_STEPPER_ROW_SPEEDS_H

#include "stepper/integration.h"

/* Computes speeds (m) of velocities v (n) that the rows of G (entries) relate, as sums of |G| times
 * the largest speed with the same unit in the row: relative to the mean velocity of the row's
 * points if the row does not change when all of them are displaced alike. A common translation of
 * the system changes nothing. */
void vida__measure_row_speeds(VidaIntegration* self, const double* entries, const double* v,
                              double* speeds);

#endif
