#include "base/vector_operations.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>

/* ---- arrays: the compiler uses SIMD instructions where it knows that they differ --------------
 */

/* z = a x + b y */
static void sum_apart(sunindextype n, double a, const double* restrict x, double b,
                      const double* restrict y, double* restrict z) {
  for (sunindextype i = 0; i < n; i++) {
    z[i] = a * x[i] + b * y[i];
  }
}

/* y = a x + b y */
static void sum_in_place(sunindextype n, double a, const double* restrict x, double b,
                         double* restrict y) {
  for (sunindextype i = 0; i < n; i++) {
    y[i] = a * x[i] + b * y[i];
  }
}

/* z += a x */
static void add_one(sunindextype n, double a, const double* restrict x, double* restrict z) {
  for (sunindextype i = 0; i < n; i++) {
    z[i] += a * x[i];
  }
}

/* z += a x + b y, in this order */
static void add_two(sunindextype n, double a, const double* restrict x, double b,
                    const double* restrict y, double* restrict z) {
  for (sunindextype i = 0; i < n; i++) {
    z[i] = (z[i] + a * x[i]) + b * y[i];
  }
}

/* z = a x */
static void scale_apart(sunindextype n, double a, const double* restrict x, double* restrict z) {
  for (sunindextype i = 0; i < n; i++) {
    z[i] = a * x[i];
  }
}

static void scale_in_place(sunindextype n, double a, double* z) {
  for (sunindextype i = 0; i < n && a != 1.0; i++) {
    z[i] *= a;
  }
}

/* z = a (x + b y), b = 1 or -1 */
static void scale_sum(sunindextype n, double a, const double* x, double b, const double* y,
                      double* z) {
  for (sunindextype i = 0; i < n; i++) {
    z[i] = a * (x[i] + b * y[i]);
  }
}

/* Sums and comparisons of so many numbers do not wait for each other. */
enum { PARTS = 4 };

static double sum_weighted_squares(N_Vector x, N_Vector weight) {
  const double *from = NV_DATA_S(x), *by = NV_DATA_S(weight);
  const sunindextype n = NV_LENGTH_S(x);
  double sum = 0.0;
  for (sunindextype i = 0; i < n; i++) {
    const double part = from[i] * by[i];
    sum += part * part;
  }
  return sum;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Equal factors are taken out of the sum, as SUNDIALS does. */
static void add(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const sunindextype n = NV_LENGTH_S(x);
  double *first = NV_DATA_S(x), *second = NV_DATA_S(y), *sum = NV_DATA_S(z);
  if (fabs(a) == fabs(b) && fabs(a) != 1.0) {
    scale_sum(n, a, first, a == b ? 1.0 : -1.0, second, sum);
  } else if (first == second) {
    for (sunindextype i = 0; i < n; i++) {
      sum[i] = a * first[i] + b * first[i];
    }
  } else if (sum == second && b == 1.0) {
    add_one(n, a, first, sum);
  } else if (sum == second) {
    sum_in_place(n, a, first, b, sum);
  } else if (sum == first && a == 1.0) {
    add_one(n, b, second, sum);
  } else if (sum == first) {
    sum_in_place(n, b, second, a, sum);
  } else {
    sum_apart(n, a, first, b, second, sum);
  }
}

static void scale(double a, N_Vector x, N_Vector z) {
  if (NV_DATA_S(x) == NV_DATA_S(z)) {
    scale_in_place(NV_LENGTH_S(z), a, NV_DATA_S(z));
  } else {
    scale_apart(NV_LENGTH_S(x), a, NV_DATA_S(x), NV_DATA_S(z));
  }
}

/* Adds the terms in their order; z may be the first of them. */
static int combine(int count, double* a, N_Vector* x, N_Vector z) {
  const sunindextype n = NV_LENGTH_S(z);
  double* sum = NV_DATA_S(z);
  bool is_apart = count > 1;
  for (int k = 1; k < count; k++) {
    is_apart = is_apart && NV_DATA_S(x[k]) != sum;
  }
  if (!is_apart) {
    scale(a[0], x[0], z);
    for (int k = 1; k < count; k++) {
      add(a[k], x[k], 1.0, z, z);
    }
    return 0;
  }
  int k = 1;
  if (NV_DATA_S(x[0]) == sum) {
    scale_in_place(n, a[0], sum);
  } else {
    sum_apart(n, a[0], NV_DATA_S(x[0]), a[1], NV_DATA_S(x[1]), sum);
    k = 2;
  }
  for (; k + 1 < count; k += 2) {
    add_two(n, a[k], NV_DATA_S(x[k]), a[k + 1], NV_DATA_S(x[k + 1]), sum);
  }
  if (k < count) {
    add_one(n, a[k], NV_DATA_S(x[k]), sum);
  }
  return 0;
}

static void fill(double value, N_Vector z) {
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(z);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = value;
  }
}

static void multiply(N_Vector x, N_Vector y, N_Vector z) {
  const double *first = NV_DATA_S(x), *second = NV_DATA_S(y);
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(x);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = first[i] * second[i];
  }
}

static void divide(N_Vector x, N_Vector y, N_Vector z) {
  const double *first = NV_DATA_S(x), *second = NV_DATA_S(y);
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(x);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = first[i] / second[i];
  }
}

static void take_absolute(N_Vector x, N_Vector z) {
  const double* from = NV_DATA_S(x);
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(x);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = fabs(from[i]);
  }
}

static void invert(N_Vector x, N_Vector z) {
  const double* from = NV_DATA_S(x);
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(x);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = 1.0 / from[i];
  }
}

static void add_constant(N_Vector x, double value, N_Vector z) {
  const double* from = NV_DATA_S(x);
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(x);
  for (sunindextype i = 0; i < n; i++) {
    to[i] = from[i] + value;
  }
}

static double find_product(N_Vector x, N_Vector y) {
  const double *first = NV_DATA_S(x), *second = NV_DATA_S(y);
  const sunindextype n = NV_LENGTH_S(x);
  double sum = 0.0;
  for (sunindextype i = 0; i < n; i++) {
    sum += first[i] * second[i];
  }
  return sum;
}

static double find_largest(N_Vector x) {
  const double* from = NV_DATA_S(x);
  const sunindextype n = NV_LENGTH_S(x);
  double part[PARTS] = {0.0}, largest = 0.0;
  sunindextype i = 0;
  for (; i + PARTS <= n; i += PARTS) {
    for (int k = 0; k < PARTS; k++) {
      const double size = fabs(from[i + k]);
      part[k] = size > part[k] ? size : part[k];
    }
  }
  for (; i < n; i++) {
    const double size = fabs(from[i]);
    largest = size > largest ? size : largest;
  }
  for (int k = 0; k < PARTS; k++) {
    largest = part[k] > largest ? part[k] : largest;
  }
  return largest;
}

static double find_least(N_Vector x) {
  const double* from = NV_DATA_S(x);
  const sunindextype n = NV_LENGTH_S(x);
  double part[PARTS] = {from[0], from[0], from[0], from[0]}, least = from[0];
  sunindextype i = 0;
  for (; i + PARTS <= n; i += PARTS) {
    for (int k = 0; k < PARTS; k++) {
      part[k] = from[i + k] < part[k] ? from[i + k] : part[k];
    }
  }
  for (; i < n; i++) {
    least = from[i] < least ? from[i] : least;
  }
  for (int k = 0; k < PARTS; k++) {
    least = part[k] < least ? part[k] : least;
  }
  return least;
}

static double find_mean_norm(N_Vector x, N_Vector weight) {
  return sqrt(sum_weighted_squares(x, weight) / (double)NV_LENGTH_S(x));
}

static double find_norm(N_Vector x, N_Vector weight) {
  return sqrt(sum_weighted_squares(x, weight));
}

/* As find_norm, but with a sum in another order. */
static double find_norm_in_parts(N_Vector x, N_Vector weight) {
  const double *from = NV_DATA_S(x), *by = NV_DATA_S(weight);
  const sunindextype n = NV_LENGTH_S(x);
  double part[PARTS] = {0.0};
  sunindextype i = 0;
  for (; i + PARTS <= n; i += PARTS) {
    for (int k = 0; k < PARTS; k++) {
      const double scaled = from[i + k] * by[i + k];
      part[k] += scaled * scaled;
    }
  }
  for (; i < n; i++) {
    const double scaled = from[i] * by[i];
    part[0] += scaled * scaled;
  }
  return sqrt(part[0] + part[1] + (part[2] + part[3]));
}

void vida__loosen_norm(N_Vector vector) {
  vector->ops->nvwl2norm = find_norm_in_parts;
}

void vida__replace_vector_operations(N_Vector vector) {
  vector->ops->nvlinearsum = add;
  vector->ops->nvlinearcombination = combine;
  vector->ops->nvscale = scale;
  vector->ops->nvconst = fill;
  vector->ops->nvprod = multiply;
  vector->ops->nvdiv = divide;
  vector->ops->nvabs = take_absolute;
  vector->ops->nvinv = invert;
  vector->ops->nvaddconst = add_constant;
  vector->ops->nvdotprod = find_product;
  vector->ops->nvmaxnorm = find_largest;
  vector->ops->nvmin = find_least;
  vector->ops->nvwrmsnorm = find_mean_norm;
  vector->ops->nvwl2norm = find_norm;
}
