#include "base/compensated_sum.h"

#include <math.h>

void vida__add_to_sum(vida_sum* sum, double value) {
  const double total = sum->sum + value;
  if (fabs(sum->sum) >= fabs(value)) {
    sum->lost += (sum->sum - total) + value;
  } else {
    sum->lost += (value - total) + sum->sum;
  }
  sum->sum = total;
}

double vida__sum_value(const vida_sum* sum) {
  return sum->sum + sum->lost;
}
