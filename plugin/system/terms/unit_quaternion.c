/* The unit norm of a quaternion, g = (|q|^2 - 1) / 2: a constraint of every body that is turned by
 * one, which most steps evaluate. */
#include "base/exact_sum.h"
#include "system/model/kernel.h"

enum { WIDTH = 4 };

/* Adds g in twice the working precision, as that of a distance. */
static int add_values(const vida_constraint_batch* batch, const vida_place* at, const double* q_low,
                      double* g) {
  for (int i = 0; i < batch->count; i++) {
    const int* index = batch->index + i * WIDTH;
    double x[WIDTH], rest[WIDTH], square[WIDTH], error[WIDTH], pair[2], left[2], last;
    for (int k = 0; k < WIDTH; k++) {
      x[k] = at->q[index[k]];
      rest[k] = q_low ? q_low[index[k]] : 0.0;
    }
    for (int k = 0; k < WIDTH; k++) {
      square[k] = vida__square_exactly(x[k], &error[k]);
      error[k] += 2.0 * x[k] * rest[k];
    }
    for (int k = 0; k < 2; k++) {
      pair[k] = vida__add_exactly(square[k], square[2 + k], &left[k]);
      left[k] += error[k] + error[2 + k];
    }
    const double sum = vida__add_exactly(pair[0], pair[1], &last);
    g[batch->row[i]] += 0.5 * ((sum - 1.0) + (last + (left[0] + left[1])));
  }
  return VIDA_SUCCESS;
}

static int find_gradients(const vida_constraint_batch* batch, const vida_place* at,
                          double* entries) {
  for (int k = 0; k < batch->count * WIDTH; k++) {
    entries[k] = at->q[batch->index[k]];
  }
  return VIDA_SUCCESS;
}

static void add_diagonal(const vida_constraint_batch* batch, double weight, const double* lambda,
                         double* matrix) {
  for (int i = 0; i < batch->count; i++) {
    const int* slot = batch->slot + i * WIDTH * WIDTH;
    for (int k = 0; k < WIDTH; k++) {
      matrix[slot[k * WIDTH + k]] += weight * lambda[batch->row[i]];
    }
  }
}

static int add_curvatures(const vida_constraint_batch* batch, const vida_place* at, double weight,
                          const double* lambda, double* matrix) {
  (void)at;
  add_diagonal(batch, weight, lambda, matrix);
  return VIDA_SUCCESS;
}

/* The gradient in the middle of the interval. */
static double find_middle(const vida_interval* between, int i) {
  const double low = between->q_low ? between->q_low[i] : 0.0;
  return between->q0[i] + (low + 0.5 * between->dq[i]);
}

static int find_discrete_gradients(const vida_constraint_batch* batch, const vida_interval* between,
                                   double* entries) {
  for (int k = 0; k < batch->count * WIDTH; k++) {
    entries[k] = find_middle(between, batch->index[k]);
  }
  return VIDA_SUCCESS;
}

static int add_discrete_curvatures(const vida_constraint_batch* batch, const vida_interval* between,
                                   double weight, const double* lambda, double* matrix) {
  (void)between;
  add_diagonal(batch, 0.5 * weight, lambda, matrix);
  return VIDA_SUCCESS;
}

static int add_increments(const vida_constraint_batch* batch, const vida_interval* between,
                          const double* w, double* entries, double* increment) {
  if (entries) {
    find_discrete_gradients(batch, between, entries);
  }
  for (int i = 0; i < batch->count; i++) {
    const int* index = batch->index + i * WIDTH;
    double sum = 0.0;
    for (int k = 0; k < WIDTH; k++) {
      sum += find_middle(between, index[k]) * w[index[k]];
    }
    increment[batch->row[i]] += sum;
  }
  return VIDA_SUCCESS;
}

/* v^T g_qq v = |v|^2 */
static int add_biases(const vida_constraint_batch* batch, const vida_place* at, double* bias) {
  for (int i = 0; i < batch->count; i++) {
    const int* index = batch->index + i * WIDTH;
    double sum = 0.0;
    for (int k = 0; k < WIDTH; k++) {
      sum += at->v[index[k]] * at->v[index[k]];
    }
    bias[batch->row[i]] += sum;
  }
  return VIDA_SUCCESS;
}

static int find_rate_gradients(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  for (int k = 0; k < batch->count * WIDTH; k++) {
    entries[k] = at->v[batch->index[k]];
  }
  return VIDA_SUCCESS;
}

const vida_constraint_kernel vida__unit_quaternion = {.kind = "unit quaternion",
                                                      .is_quadratic = true,
                                                      .is_precise = true,
                                                      .value = add_values,
                                                      .jacobian = find_gradients,
                                                      .curvature = add_curvatures,
                                                      .discrete_jacobian = find_discrete_gradients,
                                                      .discrete_curvature = add_discrete_curvatures,
                                                      .increment = add_increments,
                                                      .bias = add_biases,
                                                      .value_gradient = find_rate_gradients};
