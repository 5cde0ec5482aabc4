/* Springs and distances between two points, or between a point and a fixed place.
 *
 * All are functions of s = |d|^2, so their discrete derivatives are [V(s1) - V(s0)] / (s1 - s0) * 2
 * (d0 + d1) / 2 (Gonzalez 1999, eq. 34). These are equivariant under translations and rotations.
 * The quotient is written out so that nothing cancels. */
#include <math.h>

#include "base/exact_sum.h"
#include "base/inline.h"
#include "system/model/kernel.h"

/* Loops over the components of a vector are fast only if the compiler knows their length. Each
 * kernel is therefore written once, with dimension and pairing as arguments, and compiled for all
 * six combinations. */
#define FOR_SHAPE(batch, function, ...)                                       \
  do {                                                                        \
    switch (2 * (batch)->dimension + ((batch)->width > (batch)->dimension)) { \
      case 2:                                                                 \
        function(batch, __VA_ARGS__, 1, false);                               \
        break;                                                                \
      case 3:                                                                 \
        function(batch, __VA_ARGS__, 1, true);                                \
        break;                                                                \
      case 4:                                                                 \
        function(batch, __VA_ARGS__, 2, false);                               \
        break;                                                                \
      case 5:                                                                 \
        function(batch, __VA_ARGS__, 2, true);                                \
        break;                                                                \
      case 6:                                                                 \
        function(batch, __VA_ARGS__, 3, false);                               \
        break;                                                                \
      default:                                                                \
        function(batch, __VA_ARGS__, 3, true);                                \
        break;                                                                \
    }                                                                         \
  } while (0)

VIDA_ALWAYS_INLINE void find_difference(const double* q, const int* index, int dimension,
                                        bool paired, const double* anchor, double* d) {
  for (int k = 0; k < dimension; k++) {
    d[k] = paired ? q[index[dimension + k]] - q[index[k]] : q[index[k]] - anchor[k];
  }
}

/* Components of a displacement, to which fixed points do not contribute. */
VIDA_ALWAYS_INLINE void find_change(const double* dq, const int* index, int dimension, bool paired,
                                    double* change) {
  for (int k = 0; k < dimension; k++) {
    change[k] = paired ? dq[index[dimension + k]] - dq[index[k]] : dq[index[k]];
  }
}

VIDA_ALWAYS_INLINE double dot(const double* a, const double* b, int dimension) {
  double sum = 0.0;
  for (int k = 0; k < dimension; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Adds factor * d to the gradient of the second (or only) point, and subtracts it from that of the
 * first. */
VIDA_ALWAYS_INLINE void add_along(double* gradient, const int* index, int dimension, bool paired,
                                  double factor, const double* d) {
  for (int k = 0; k < dimension; k++) {
    if (paired) {
      gradient[index[k]] -= factor * d[k];
      gradient[index[dimension + k]] += factor * d[k];
    } else {
      gradient[index[k]] += factor * d[k];
    }
  }
}

/* Adds the block a I + b c e^T, with the signs (+ - / - +) for two points, to the entries of an
 * instance. */
VIDA_ALWAYS_INLINE void add_block(double* matrix, const int* slot, int dimension, bool paired,
                                  double a, double b, const double* c, const double* e) {
  const int width = paired ? 2 * dimension : dimension;
  for (int i = 0; i < dimension; i++) {
    for (int j = 0; j < dimension; j++) {
      const double value = b * c[i] * e[j] + (i == j ? a : 0.0);
      matrix[slot[i * width + j]] += value;
      if (paired) {
        matrix[slot[i * width + dimension + j]] -= value;
        matrix[slot[(dimension + i) * width + j]] -= value;
        matrix[slot[(dimension + i) * width + dimension + j]] += value;
      }
    }
  }
}

/* ---- potentials of |d| ----------------------------------------------------------------------- */

/* V, V'/r (so that V_d = (V'/r) d) and the factor of d d^T in V_dd = (V'/r) I + factor d d^T. */
typedef struct spring_state {
  double potential, slope, bend;
} spring_state;

typedef spring_state (*spring_law)(const double* parameter, double square);
/* [V(s1) - V(s0)] / (s1 - s0) and its derivative with respect to s1. */
typedef void (*spring_quotient)(const double* parameter, double s0, double s1, double* quotient,
                                double* derivative);

static spring_state linear_law(const double* parameter, double square) {
  const double k = parameter[VIDA_SPRING_STIFFNESS];
  const double k3 = parameter[VIDA_SPRING_CUBIC];
  const double l = parameter[VIDA_SPRING_LENGTH];
  const double r = sqrt(square);
  const double s = r - l;
  spring_state state = {0.5 * k * s * s + 0.25 * k3 * s * s * s * s, k, 0.0};
  if (l == 0.0) {
    /* s = r: polynomial in r^2, so the point r = 0 is regular. */
    state.slope = k + k3 * square;
    state.bend = 2.0 * k3;
    return state;
  }
  const double force = k * s + k3 * s * s * s;
  state.slope = force / r;
  state.bend = (k + 3.0 * k3 * s * s - state.slope) / square;
  return state;
}

static void linear_quotient(const double* parameter, double s0, double s1, double* quotient,
                            double* derivative) {
  const double k = parameter[VIDA_SPRING_STIFFNESS];
  const double k3 = parameter[VIDA_SPRING_CUBIC];
  const double l = parameter[VIDA_SPRING_LENGTH];
  if (l == 0.0) {
    *quotient = 0.5 * k + 0.25 * k3 * (s0 + s1);
    *derivative = 0.25 * k3;
    return;
  }
  const double r0 = sqrt(s0);
  const double r1 = sqrt(s1);
  const double x0 = r0 - l;
  const double x1 = r1 - l;
  /* dV/dr = (V1 - V0)/(r1 - r0) = (x0 + x1) (k/2 + k3 (x0^2 + x1^2)/4), then / (r0 + r1). */
  const double stiffness = 0.5 * k + 0.25 * k3 * (x0 * x0 + x1 * x1);
  const double sum = r0 + r1;
  *quotient = (x0 + x1) * stiffness / sum;
  const double by_r1 = (stiffness + (x0 + x1) * 0.5 * k3 * x1 - *quotient) / sum;
  *derivative = by_r1 / (2.0 * r1);
}

static spring_state squared_law(const double* parameter, double square) {
  const double k = parameter[VIDA_SPRING_STIFFNESS];
  const double e = square - parameter[VIDA_SPRING_LENGTH] * parameter[VIDA_SPRING_LENGTH];
  const spring_state state = {0.25 * k * e * e, k * e, 2.0 * k};
  return state;
}

static void squared_quotient(const double* parameter, double s0, double s1, double* quotient,
                             double* derivative) {
  const double k = parameter[VIDA_SPRING_STIFFNESS];
  const double square = parameter[VIDA_SPRING_LENGTH] * parameter[VIDA_SPRING_LENGTH];
  *quotient = 0.25 * k * ((s0 - square) + (s1 - square));
  *derivative = 0.25 * k;
}

VIDA_ALWAYS_INLINE void add_spring_values(const vida_term_batch* batch, const double* q,
                                          spring_law law, double* lagrangian, int dimension,
                                          bool paired) {
  double d[3];
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_SPRING_PARAMETERS;
    find_difference(q, batch->index + i * batch->width, dimension, paired,
                    parameter + VIDA_SPRING_ANCHOR, d);
    *lagrangian -= law(parameter, dot(d, d, dimension)).potential;
  }
}

VIDA_ALWAYS_INLINE void add_spring_gradients(const vida_term_batch* batch, const double* q,
                                             spring_law law, double* l_q, int dimension,
                                             bool paired) {
  double d[3];
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_SPRING_PARAMETERS;
    const int* index = batch->index + i * batch->width;
    find_difference(q, index, dimension, paired, parameter + VIDA_SPRING_ANCHOR, d);
    const spring_state state = law(parameter, dot(d, d, dimension));
    add_along(l_q, index, dimension, paired, -state.slope, d);
  }
}

VIDA_ALWAYS_INLINE void add_spring_hessians(const vida_term_batch* batch, const double* q,
                                            spring_law law, double weight, double* matrix,
                                            int dimension, bool paired) {
  double d[3];
  const int block = batch->width * batch->width;
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_SPRING_PARAMETERS;
    find_difference(q, batch->index + i * batch->width, dimension, paired,
                    parameter + VIDA_SPRING_ANCHOR, d);
    const spring_state state = law(parameter, dot(d, d, dimension));
    add_block(matrix, batch->slot + i * block, dimension, paired, -weight * state.slope,
              -weight * state.bend, d, d);
  }
}

/* Computes the difference at q + q_low (nullable). Far from the origin, the rounding of q is larger
 * than that of the difference. */
VIDA_ALWAYS_INLINE void find_precise_difference(const double* q, const double* q_low,
                                                const int* index, int dimension, bool paired,
                                                const double* anchor, double* d) {
  double low[3];
  find_difference(q, index, dimension, paired, anchor, d);
  if (q_low) {
    find_change(q_low, index, dimension, paired, low);
    for (int k = 0; k < dimension; k++) {
      d[k] += low[k];
    }
  }
}

/* Adds D V to d_v or, if d_v is NULL, weight times its derivative to the matrix. */
VIDA_ALWAYS_INLINE void add_spring_discrete(const vida_term_batch* batch, const double* q0,
                                            const double* q_low, const double* dq,
                                            spring_quotient quotient_of, double* d_v, double weight,
                                            double* matrix, int dimension, bool paired) {
  double d0[3], d1[3], sum[3];
  const int block = batch->width * batch->width;
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_SPRING_PARAMETERS;
    const int* index = batch->index + i * batch->width;
    double quotient, derivative;
    find_precise_difference(q0, q_low, index, dimension, paired, parameter + VIDA_SPRING_ANCHOR,
                            d0);
    find_change(dq, index, dimension, paired, d1);
    for (int k = 0; k < dimension; k++) {
      d1[k] += d0[k];
      sum[k] = d0[k] + d1[k];
    }
    quotient_of(parameter, dot(d0, d0, dimension), dot(d1, d1, dimension), &quotient, &derivative);
    if (d_v) {
      add_along(d_v, index, dimension, paired, quotient, sum);
    } else {
      add_block(matrix, batch->slot + i * block, dimension, paired, weight * quotient,
                weight * 2.0 * derivative, sum, d1);
    }
  }
}

#define SPRING_KERNEL(name, law, quotient)                                                         \
  static int name##_value(const vida_term_batch* batch, const vida_place* at,                      \
                          double* lagrangian) {                                                    \
    FOR_SHAPE(batch, add_spring_values, at->q, law, lagrangian);                                   \
    return VIDA_SUCCESS;                                                                           \
  }                                                                                                \
  static int name##_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,      \
                             double* l_v) {                                                        \
    (void)l_v;                                                                                     \
    FOR_SHAPE(batch, add_spring_gradients, at->q, law, l_q);                                       \
    return VIDA_SUCCESS;                                                                           \
  }                                                                                                \
  static int name##_hessian(const vida_term_batch* batch, const vida_place* at,                    \
                            vida_hessian_weights weights, double* matrix) {                        \
    FOR_SHAPE(batch, add_spring_hessians, at->q, law, weights.qq, matrix);                         \
    return VIDA_SUCCESS;                                                                           \
  }                                                                                                \
  static int name##_discrete_gradient(const vida_term_batch* batch, const vida_interval* between,  \
                                      double* d_v) {                                               \
    FOR_SHAPE(batch, add_spring_discrete, between->q0, between->q_low, between->dq, quotient, d_v, \
              0.0, NULL);                                                                          \
    return VIDA_SUCCESS;                                                                           \
  }                                                                                                \
  static int name##_discrete_hessian(const vida_term_batch* batch, const vida_interval* between,   \
                                     double weight, double* matrix) {                              \
    FOR_SHAPE(batch, add_spring_discrete, between->q0, between->q_low, between->dq, quotient,      \
              NULL, weight, matrix);                                                               \
    return VIDA_SUCCESS;                                                                           \
  }                                                                                                \
  const vida_term_kernel vida__##name = {.kind = "spring",                                         \
                                         .is_potential = true,                                     \
                                         .value = name##_value,                                    \
                                         .gradient = name##_gradient,                              \
                                         .hessian = name##_hessian,                                \
                                         .discrete_gradient = name##_discrete_gradient,            \
                                         .discrete_hessian = name##_discrete_hessian}

SPRING_KERNEL(linear_spring, linear_law, linear_quotient);
SPRING_KERNEL(squared_spring, squared_law, squared_quotient);

/* ---- distance -------------------------------------------------------------------------------- */

/* Adds g = (|d|^2 - l^2) / (2 l) in twice the working precision. Steps divide g by h, so its
 * rounding would grow as h shrinks. */
VIDA_ALWAYS_INLINE void add_distance_values(const vida_constraint_batch* batch, const double* q,
                                            const double* q_low, double* g, int dimension,
                                            bool paired) {
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_DISTANCE_PARAMETERS;
    const int* index = batch->index + i * batch->width;
    const double l = parameter[VIDA_DISTANCE_LENGTH];
    double low, error;
    double sum = -vida__square_exactly(l, &low);
    low = -low;
    for (int k = 0; k < dimension; k++) {
      const int second = paired ? index[dimension + k] : index[k];
      const double first_value = paired ? q[index[k]] : parameter[VIDA_DISTANCE_ANCHOR + k];
      double d_low;
      const double d = vida__add_exactly(q[second], -first_value, &d_low);
      if (q_low) {
        d_low += q_low[second] - (paired ? q_low[index[k]] : 0.0);
      }
      const double square = vida__square_exactly(d, &error);
      low += error + 2.0 * d * d_low;
      sum = vida__add_exactly(sum, square, &error);
      low += error;
    }
    g[batch->row[i]] += (sum + low) / (2.0 * l);
  }
}

static int distance_value(const vida_constraint_batch* batch, const vida_place* at,
                          const double* q_low, double* g) {
  FOR_SHAPE(batch, add_distance_values, at->q, q_low, g);
  return VIDA_SUCCESS;
}

VIDA_ALWAYS_INLINE void store_direction(double* entries, int dimension, bool paired,
                                        const double* d, double factor) {
  for (int k = 0; k < dimension; k++) {
    if (paired) {
      entries[k] = -factor * d[k];
      entries[dimension + k] = factor * d[k];
    } else {
      entries[k] = factor * d[k];
    }
  }
}

/* Computes the direction of d at q0, or, with a displacement dq, at q0 + dq / 2. */
VIDA_ALWAYS_INLINE void find_directions(const vida_constraint_batch* batch, const double* q0,
                                        const double* q_low, const double* dq, double* entries,
                                        int dimension, bool paired) {
  double d[3], change[3];
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_DISTANCE_PARAMETERS;
    const int* index = batch->index + i * batch->width;
    const double factor = 1.0 / parameter[VIDA_DISTANCE_LENGTH];
    find_precise_difference(q0, q_low, index, dimension, paired, parameter + VIDA_DISTANCE_ANCHOR,
                            d);
    if (dq) {
      find_change(dq, index, dimension, paired, change);
      for (int k = 0; k < dimension; k++) {
        d[k] += 0.5 * change[k];
      }
    }
    store_direction(entries + i * batch->width, dimension, paired, d, factor);
  }
}

VIDA_ALWAYS_INLINE void add_distance_curvature(const vida_constraint_batch* batch, double weight,
                                               const double* lambda, double* matrix, int dimension,
                                               bool paired) {
  const double none[3] = {0.0, 0.0, 0.0};
  const int block = batch->width * batch->width;
  for (int i = 0; i < batch->count; i++) {
    const double l = batch->parameter[i * VIDA_DISTANCE_PARAMETERS + VIDA_DISTANCE_LENGTH];
    add_block(matrix, batch->slot + i * block, dimension, paired,
              weight * lambda[batch->row[i]] / l, 0.0, none, none);
  }
}

static int distance_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                             double* entries) {
  FOR_SHAPE(batch, find_directions, at->q, NULL, NULL, entries);
  return VIDA_SUCCESS;
}

static int distance_curvature(const vida_constraint_batch* batch, const vida_place* at,
                              double weight, const double* lambda, double* matrix) {
  (void)at;
  FOR_SHAPE(batch, add_distance_curvature, weight, lambda, matrix);
  return VIDA_SUCCESS;
}

static int distance_discrete_jacobian(const vida_constraint_batch* batch,
                                      const vida_interval* between, double* entries) {
  FOR_SHAPE(batch, find_directions, between->q0, between->q_low, between->dq, entries);
  return VIDA_SUCCESS;
}

/* Adds (d0 + change / 2) w / l, where w is the rate of d. */
VIDA_ALWAYS_INLINE void add_distance_increments(const vida_constraint_batch* batch,
                                                const vida_interval* between, const double* w,
                                                double* entries, double* increment, int dimension,
                                                bool paired) {
  double d[3], change[3], rate[3];
  for (int i = 0; i < batch->count; i++) {
    const double* parameter = batch->parameter + i * VIDA_DISTANCE_PARAMETERS;
    const int* index = batch->index + i * batch->width;
    find_precise_difference(between->q0, between->q_low, index, dimension, paired,
                            parameter + VIDA_DISTANCE_ANCHOR, d);
    find_change(between->dq, index, dimension, paired, change);
    find_change(w, index, dimension, paired, rate);
    for (int k = 0; k < dimension; k++) {
      d[k] += 0.5 * change[k];
    }
    increment[batch->row[i]] += dot(d, rate, dimension) / parameter[VIDA_DISTANCE_LENGTH];
    if (entries) {
      store_direction(entries + i * batch->width, dimension, paired, d,
                      1.0 / parameter[VIDA_DISTANCE_LENGTH]);
    }
  }
}

static int distance_increment(const vida_constraint_batch* batch, const vida_interval* between,
                              const double* w, double* entries, double* increment) {
  FOR_SHAPE(batch, add_distance_increments, between, w, entries, increment);
  return VIDA_SUCCESS;
}

static int distance_discrete_curvature(const vida_constraint_batch* batch,
                                       const vida_interval* between, double weight,
                                       const double* lambda, double* matrix) {
  (void)between;
  FOR_SHAPE(batch, add_distance_curvature, 0.5 * weight, lambda, matrix);
  return VIDA_SUCCESS;
}

/* Adds v^T g_qq v = |relative velocity|^2 / l. */
VIDA_ALWAYS_INLINE void add_distance_bias(const vida_constraint_batch* batch, const double* v,
                                          double* bias, int dimension, bool paired) {
  double d[3];
  for (int i = 0; i < batch->count; i++) {
    const double l = batch->parameter[i * VIDA_DISTANCE_PARAMETERS + VIDA_DISTANCE_LENGTH];
    find_change(v, batch->index + i * batch->width, dimension, paired, d);
    bias[batch->row[i]] += dot(d, d, dimension) / l;
  }
}

static int distance_bias(const vida_constraint_batch* batch, const vida_place* at, double* bias) {
  FOR_SHAPE(batch, add_distance_bias, at->v, bias);
  return VIDA_SUCCESS;
}

/* Computes the derivative of G v with respect to q. Since G is linear in d, it is G with d replaced
 * by the rate of d. */
VIDA_ALWAYS_INLINE void find_distance_gradient(const vida_constraint_batch* batch, const double* v,
                                               double* entries, int dimension, bool paired) {
  double d[3];
  for (int i = 0; i < batch->count; i++) {
    const double l = batch->parameter[i * VIDA_DISTANCE_PARAMETERS + VIDA_DISTANCE_LENGTH];
    find_change(v, batch->index + i * batch->width, dimension, paired, d);
    store_direction(entries + i * batch->width, dimension, paired, d, 1.0 / l);
  }
}

static int distance_value_gradient(const vida_constraint_batch* batch, const vida_place* at,
                                   double* entries) {
  FOR_SHAPE(batch, find_distance_gradient, at->v, entries);
  return VIDA_SUCCESS;
}

const vida_constraint_kernel vida__distance = {.kind = "distance",
                                               .is_quadratic = true,
                                               .is_precise = true,
                                               .value = distance_value,
                                               .jacobian = distance_jacobian,
                                               .curvature = distance_curvature,
                                               .discrete_jacobian = distance_discrete_jacobian,
                                               .discrete_curvature = distance_discrete_curvature,
                                               .increment = distance_increment,
                                               .bias = distance_bias,
                                               .value_gradient = distance_value_gradient};
