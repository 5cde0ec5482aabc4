/* Terms without a direction at the start: constraints with a vanishing gradient, springs of length
 * zero. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_VANISHING_H
#define VIDA_SYSTEM_CONSTRAINTS_VANISHING_H

#include "system/model/model.h"

/* Returns whether the row is one of the built-in distances. */
bool vida__is_distance(const VidaSystem* system, int row);
/* Fails with VIDA_INCONSISTENT_START for the first row whose `entries` (of G) are all zero. `size`
 * (m) is work space. */
int vida__check_gradients(const VidaSystem* system, const double* entries, double* size,
                          VidaError* error);
/* Fails with VIDA_NOT_FINITE for the first spring with a rest length > 0 whose ends coincide at q:
 * its force has a magnitude but no direction. */
int vida__check_springs(const VidaSystem* system, const double* q, VidaError* error);

#endif
