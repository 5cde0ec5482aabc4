/* Bounds of operations on intervals, which hold for all values, where samples of a function cannot.
 */
#ifndef VIDA_EXPR_INTERVAL_BOUNDS_H
#define VIDA_EXPR_INTERVAL_BOUNDS_H

#include "expr/operations.h"

/* The numbers from low to high; a point (low = high) is a number that is known exactly. */
typedef struct vida_bounds {
  double low, high;
} vida_bounds;

/* Bounds of the values of an operation whose operands lie in these bounds, widened by the rounding
 * of floating-point evaluation. For points: the value of the evaluation, as a point. Not for
 * CONSTANT and INPUT. Outside the domain of the operation: from -infinity to infinity. */
vida_bounds vida__bound_operation(vida_operation operation, int n, vida_bounds a, vida_bounds b,
                                  vida_bounds c);

#endif
