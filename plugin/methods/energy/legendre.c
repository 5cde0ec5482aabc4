#include "methods/energy/legendre.h"

#include <math.h>

/* Legendre's L_j on [-1,1], with its derivative, by the recurrences of both. */
static void find_plain(int count, double x, double* value, double* slope) {
  for (int j = 0; j < count; j++) {
    value[j] = j == 0   ? 1.0
               : j == 1 ? x
                        : ((2 * j - 1) * x * value[j - 1] - (j - 1) * value[j - 2]) / j;
    slope[j] = j == 0 ? 0.0 : x * slope[j - 1] + j * value[j - 1];
  }
}

/* The integral of L_j from -1 is (L_(j+1) - L_(j-1)) / (2 j + 1). */
void vida__legendre(int count, double t, double* value, double* slope, double* integral) {
  const double x = 2.0 * t - 1.0;
  double plain[VIDA_MOST_POLYNOMIALS + 1], change[VIDA_MOST_POLYNOMIALS + 1];
  find_plain(count + 1, x, plain, change);
  for (int j = 0; j < count; j++) {
    const double root = sqrt(2.0 * j + 1.0);
    value[j] = root * plain[j];
    if (slope) {
      slope[j] = 2.0 * root * change[j];
    }
    if (integral) {
      integral[j] = j == 0 ? t : 0.5 * (plain[j + 1] - plain[j - 1]) / root;
    }
  }
}

/* Computes L_j and its derivative at a point inside of (-1,1). */
static double find_one(int j, double x, double* slope) {
  double before = 1.0;
  double value = x;
  for (int k = 2; k <= j; k++) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  *slope = j * (x * value - before) / (x * x - 1.0);
  return value;
}

/* Newton's method from the approximate zeros cos(pi (i + 3/4) / (count + 1/2)). */
void vida__gauss_points(int count, double* t, double* w) {
  enum { ITERATIONS = 8 };
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < count; i++) {
    double x = cos(pi * (i + 0.75) / (count + 0.5));
    double slope = 1.0;
    for (int k = 0; k < ITERATIONS; k++) {
      const double value = find_one(count, x, &slope);
      x -= value / slope;
    }
    find_one(count, x, &slope);
    t[i] = 0.5 * (1.0 + x);
    w[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
}
