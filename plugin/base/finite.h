/* Whether numbers are finite. */
#ifndef VIDA_BASE_FINITE_H
#define VIDA_BASE_FINITE_H

#include <stdbool.h>

/* Returns whether all values (count) are finite. Needs no branches: 0 times a value that is not
 * finite is NaN, and so is the sum. Four sums do not wait for each other. */
static inline bool vida__are_finite(const double* values, int count) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int k = 0; k < 4; k++) {
      sum[k] += 0.0 * values[i + k];
    }
  }
  for (; i < count; i++) {
    sum[0] += 0.0 * values[i];
  }
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

#endif
