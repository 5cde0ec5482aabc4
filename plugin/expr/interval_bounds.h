/* Bounds of operations on intervals: what no sample of a function can say for all of them. */
#ifndef VIDA_EXPR_INTERVAL_BOUNDS_H
#define VIDA_EXPR_INTERVAL_BOUNDS_H

#include "expr/operations.h"

/* All numbers from low to high; a point is a number that is known exactly. */
typedef struct vida_bounds {
  double low, high;
} vida_bounds;

/* Bounds of the values of an operation whose operands lie in these bounds, widened by the rounding
 * of floating-point evaluation. Of points the value that evaluation gives, as a point. Not for
 * CONSTANT and INPUT. Where the operation leaves its domain: from -infinity to infinity. */
vida_bounds vida__bound_operation(vida_operation operation, int n, vida_bounds a, vida_bounds b,
                                  vida_bounds c);

#endif
