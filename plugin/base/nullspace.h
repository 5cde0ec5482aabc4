/* The direction along which a matrix is nearly singular. */
#ifndef VIDA_BASE_NULLSPACE_H
#define VIDA_BASE_NULLSPACE_H

#include "base/linear.h"

/* Finds the direction along which a matrix A, with these values on the pattern, is nearly singular.
 * The pattern must contain the diagonal. Rows and columns of A are scaled to maximum norm one.
 *   direction  size: receives the vector z of maximum norm one for which A z is smallest
 *   scale      size: receives the scales of the columns; the direction in the unknowns of A is
 *              scale_j z_j
 *   smallest   receives |A z|, which is of the size of rounding for a singular matrix
 * Allocates memory. Fails with VIDA_OUT_OF_MEMORY, or with VIDA_STEP_SINGULAR if no direction is
 * found. */
int vida__find_null_direction(const vida_pattern* pattern, const double* values, double* direction,
                              double* scale, double* smallest);

#endif
