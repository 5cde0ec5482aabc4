/* What has no direction at a start: constraints whose gradient vanishes, springs without length. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_VANISHING_H
#define VIDA_SYSTEM_CONSTRAINTS_VANISHING_H

#include "system/model/model.h"

/* Whether the row is one of the built-in distances. */
bool vida__is_distance(const VidaSystem* system, int row);
/* VIDA_INCONSISTENT_START with the first row all of whose `entries` (of G) are zero; size (m):
 * work.
 */
int vida__check_gradients(const VidaSystem* system, const double* entries, double* size,
                          VidaError* error);
/* VIDA_NOT_FINITE with the first spring of a length at rest > 0 whose ends are at the same place at
 * q: its force has a size, but no direction. */
int vida__check_springs(const VidaSystem* system, const double* q, VidaError* error);

#endif
