/* Sizes of the columns of the constraint Jacobian. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H
#define VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H

#include "system/model/model.h"

/* group (n): the first coordinate of the particle, point, direction or quaternion that a coordinate
 * belongs to; itself where it stands alone. */
void vida__group_coordinates(const VidaSystem* system, int* group);

/* scale (n), by which columns of G are multiplied so that they are of one size beside their rows:
 * the reciprocal of the largest entry relative to the largest of its row. It depends neither on
 * masses nor on the units of rows and coordinates. Coordinates of a group share one, since where
 * axes point to is the user's choice. A column far below all others of its unit may be rounding,
 * and is not made larger than those by more than 1e8. entries: of G; largest (rows): work. */
void vida__scale_columns(const VidaSystem* system, const double* entries, const int* group,
                         double* largest, double* scale);

#endif
