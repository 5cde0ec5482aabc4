/* Sums without rounding error. */
#ifndef VIDA_BASE_EXACT_SUM_H
#define VIDA_BASE_EXACT_SUM_H

/* Returns the rounded sum of a and b; *low receives what its rounding has left, so that a + b is
 * exactly the sum of both (Knuth, The Art of Computer Programming, volume 2, section 4.2.2,
 * theorem B; no overflow). */
static inline double vida__add_exactly(double a, double b, double* low) {
  const double sum = a + b;
  const double part = sum - a;
  *low = (a - (sum - part)) + (b - part);
  return sum;
}

#endif
