/* Sums of many terms. */
#ifndef VIDA_BASE_COMPENSATED_SUM_H
#define VIDA_BASE_COMPENSATED_SUM_H

#include <math.h>

/* Neumaier's compensated sum: a million terms lose no digits. Zero-initialized. */
typedef struct vida_sum {
  double sum, lost;
} vida_sum;
/* Adds a value to the sum. */
static inline void vida__add_to_sum(vida_sum* sum, double value) {
  const double total = sum->sum + value;
  if (fabs(sum->sum) >= fabs(value)) {
    sum->lost += (sum->sum - total) + value;
  } else {
    sum->lost += (value - total) + sum->sum;
  }
  sum->sum = total;
}
/* Returns the sum. */
static inline double vida__sum_value(const vida_sum* sum) {
  return sum->sum + sum->lost;
}

#endif
