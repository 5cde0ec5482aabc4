/* Sums without rounding error. */
#ifndef VIDA_BASE_EXACT_SUM_H
#define VIDA_BASE_EXACT_SUM_H

/* Returns the rounded sum of a and b. *low receives its rounding error, so that the sum of both is
 * exactly a + b if nothing overflows (Knuth, The Art of Computer Programming, volume 2, section
 * 4.2.2, theorem B). */
static inline double vida__add_exactly(double a, double b, double* low) {
  const double sum = a + b;
  const double part = sum - a;
  *low = (a - (sum - part)) + (b - part);
  return sum;
}

/* Returns a * a and its rounding error, without a fused multiply-add (Dekker 1971). */
static inline double vida__square_exactly(double a, double* low) {
  const double split = 134217729.0 * a; /* 2^27 + 1 */
  const double high_part = split - (split - a);
  const double low_part = a - high_part;
  const double square = a * a;
  *low = ((high_part * high_part - square) + 2.0 * high_part * low_part) + low_part * low_part;
  return square;
}

/* Adds an increment to *sum and the rounding error to *low, so that *sum + *low has about twice the
 * digits. Equal and opposite increments then cancel exactly, even after millions of steps. */
static inline void vida__add_compensated(double* sum, double* low, double increment) {
  double left;
  const double total = vida__add_exactly(*sum, increment, &left);
  *sum = vida__add_exactly(total, *low + left, low);
}

#endif
