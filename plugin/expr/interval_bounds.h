/* Bounds of operations on intervals. Unlike samples, bounds hold for all values in an interval. */
#ifndef VIDA_EXPR_INTERVAL_BOUNDS_H
#define VIDA_EXPR_INTERVAL_BOUNDS_H

#include "expr/operations.h"

/* The numbers from low to high. If low = high, the number is known exactly. */
typedef struct vida_bounds {
  double low, high;
} vida_bounds;

/* Returns bounds of the values of an operation whose operands have these bounds, widened by the
 * rounding errors of the evaluation. For exactly known operands, both bounds are the computed
 * value. Returns -infinity to infinity outside the domain of the operation. Not for CONSTANT and
 * INPUT. */
vida_bounds vida__bound_operation(vida_operation operation, int n, vida_bounds a, vida_bounds b,
                                  vida_bounds c);

#endif
