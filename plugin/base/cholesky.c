#include "base/cholesky.h"

#include <math.h>

static void exchange(double* x, double* y) {
  const double kept = *x;
  *x = *y;
  *y = kept;
}

/* Exchanges rows and columns k < p of a symmetric matrix stored in its lower triangle. */
static void exchange_rows(int size, double* a, int k, int p) {
  for (int j = 0; j < k; j++) {
    exchange(&a[k * size + j], &a[p * size + j]);
  }
  for (int j = k + 1; j < p; j++) {
    exchange(&a[j * size + k], &a[p * size + j]);
  }
  for (int i = p + 1; i < size; i++) {
    exchange(&a[i * size + k], &a[i * size + p]);
  }
  exchange(&a[k * size + k], &a[p * size + p]);
}

int vida__cholesky_factor(int size, double* a, int* order, double tolerance) {
  double first = 0.0;
  for (int i = 0; i < size; i++) {
    order[i] = i;
  }
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k + 1; i < size; i++) {
      best = a[i * size + i] > a[best * size + best] ? i : best;
    }
    const double pivot = a[best * size + best];
    first = k == 0 ? pivot : first;
    if (!(pivot > tolerance * first) || !isfinite(pivot)) {
      return k;
    }
    if (best != k) {
      const int kept = order[k];
      order[k] = order[best];
      order[best] = kept;
      exchange_rows(size, a, k, best);
    }
    const double root = sqrt(pivot);
    a[k * size + k] = root;
    for (int i = k + 1; i < size; i++) {
      a[i * size + k] /= root;
    }
    for (int i = k + 1; i < size; i++) {
      for (int j = k + 1; j <= i; j++) {
        a[i * size + j] -= a[i * size + k] * a[j * size + k];
      }
    }
  }
  return size;
}

void vida__cholesky_solve(int size, int rank, const double* a, const int* order, const double* b,
                          double* work, double* x) {
  for (int i = 0; i < rank; i++) {
    work[i] = b[order[i]];
    for (int j = 0; j < i; j++) {
      work[i] -= a[i * size + j] * work[j];
    }
    work[i] /= a[i * size + i];
  }
  for (int i = rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < rank; j++) {
      work[i] -= a[j * size + i] * work[j];
    }
    work[i] /= a[i * size + i];
  }
  for (int i = 0; i < size; i++) {
    x[order[i]] = i < rank ? work[i] : 0.0;
  }
}
