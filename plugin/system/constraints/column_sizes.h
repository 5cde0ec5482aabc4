/* Sizes of the columns of the constraint Jacobian. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H
#define VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H

#include "system/model/model.h"

/* Computes group (n): for each coordinate the first coordinate of its particle, point, direction or
 * quaternion; its own index if it belongs to none. */
void vida__group_coordinates(const VidaSystem* system, int* group);

/* Computes scale (n): factors that give the columns of G comparable sizes. All columns are first
 * multiplied by the own sizes of their coordinates (own_sizes.h), so that they have one unit. A
 * factor then is the reciprocal of the largest entry of the column, each entry relative to the
 * largest one of its row. It depends neither on masses nor on units. Coordinates of a group share
 * one factor, because the user chooses the directions of axes. A column far below all others of its
 * unit may be rounding: its factor is at most 1e8 times theirs. `entries` are those of G; `largest`
 * (m) and `size` (n) are work space. Returns the rounding of positions far from the origin,
 * relative to the length of the system; or 0. */
double vida__scale_columns(const VidaSystem* system, const double* entries, const int* group,
                           double* largest, double* size, double* scale);

#endif
