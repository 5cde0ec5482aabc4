#include "support/dense.h"

#include <math.h>

static void exchange(double* a, double* b) {
  const double other = *a;
  *a = *b;
  *b = other;
}

int dense_solve(int size, int stride, double* a, double* x) {
  int sign = 1;
  for (int k = 0; k < size; k++) {
    const double* row = a + k * stride;
    int pivot = k;
    for (int i = k + 1; i < size; i++) {
      pivot = fabs(a[i * stride + k]) > fabs(a[pivot * stride + k]) ? i : pivot;
    }
    for (int j = 0; j < size; j++) {
      exchange(&a[k * stride + j], &a[pivot * stride + j]);
    }
    exchange(&x[k], &x[pivot]);
    sign = (pivot != k) != (row[k] < 0.0) ? -sign : sign;
    for (int i = k + 1; i < size; i++) {
      const double factor = a[i * stride + k] / row[k];
      for (int j = k; j < size; j++) {
        a[i * stride + j] -= factor * row[j];
      }
      x[i] -= factor * x[k];
    }
  }
  for (int i = size - 1; i >= 0; i--) {
    for (int j = i + 1; j < size; j++) {
      x[i] -= a[i * stride + j] * x[j];
    }
    x[i] /= a[i * stride + i];
  }
  return sign;
}
