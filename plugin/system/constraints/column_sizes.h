/* Sizes of the columns of the constraint Jacobian. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H
#define VIDA_SYSTEM_CONSTRAINTS_COLUMN_SIZES_H

#include "system/model/model.h"

/* group (n): for each coordinate, the first coordinate of its particle, point, direction or
 * quaternion; its own index if it belongs to none. */
void vida__group_coordinates(const VidaSystem* system, int* group);

/* scale (n): factors for the columns of G that give them comparable sizes: the reciprocal of the
 * largest entry relative to the largest of its row. They depend neither on masses nor on the units
 * of rows and coordinates. Coordinates of a group share one factor, since the directions of axes
 * are the user's choice. A column far below all others of its unit may be rounding and is not
 * scaled above those by more than 1e8. entries: of G; largest (rows): work. */
void vida__scale_columns(const VidaSystem* system, const double* entries, const int* group,
                         double* largest, double* scale);

#endif
