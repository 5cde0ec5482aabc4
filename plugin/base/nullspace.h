/* The direction along which a matrix is nearly singular. */
#ifndef VIDA_BASE_NULLSPACE_H
#define VIDA_BASE_NULLSPACE_H

#include "base/linear.h"

/* direction (size): unit vector z, in the largest norm, for which A z is smallest, where A has
 * these values on the pattern, whose diagonal must be in it, and rows and columns are scaled to
 * one. scale (size): of the columns, so that scale_j z_j is the direction in A's own unknowns.
 * *smallest: |A z|, of the size of rounding for a singular matrix. Takes memory:
 * VIDA_OUT_OF_MEMORY, or VIDA_STEP_SINGULAR where no direction was found. */
int vida__find_null_direction(const vida_pattern* pattern, const double* values, double* direction,
                              double* scale, double* smallest);

#endif
