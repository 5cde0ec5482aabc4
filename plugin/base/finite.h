/* Whether numbers are finite. */
#ifndef VIDA_BASE_FINITE_H
#define VIDA_BASE_FINITE_H

#include <stdbool.h>

/* Returns whether all values (count) are finite. Needs no branches: 0 times a value that is not
 * finite is NaN, and so is the sum. */
static inline bool vida__are_finite(const double* values, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    sum += 0.0 * values[i];
  }
  return sum == 0.0;
}

#endif
