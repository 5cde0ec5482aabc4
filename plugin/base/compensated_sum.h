/* Sums of many terms. */
#ifndef VIDA_BASE_COMPENSATED_SUM_H
#define VIDA_BASE_COMPENSATED_SUM_H

/* Neumaier's compensated sum: a million terms lose no digits. Zero-initialized. */
typedef struct vida_sum {
  double sum, lost;
} vida_sum;
/* Adds a value to the sum. */
void vida__add_to_sum(vida_sum* sum, double value);
/* Returns the sum. */
double vida__sum_value(const vida_sum* sum);

#endif
