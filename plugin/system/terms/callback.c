#include "system/terms/callback.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model/build.h"
#include "system/terms/time_side.h"

/* Returns the number of doubles of work space for evaluating `rows` rows (0: a Lagrangian) of
 * `count` coordinates. */
static size_t scratch_of(int rows, int count) {
  const size_t n = (size_t)count;
  const size_t r = (size_t)rows;
  /* Lagrangian: q, v, two gradient pairs, three matrices. Constraint: q, two Jacobians, one matrix,
   * and a row of multipliers or values. */
  return rows == 0 ? 6 * n + 3 * n * n : 2 * n + 2 * r * (n + 1) + n * n + r;
}

static void gather(const int* index, int count, const double* from, double* to) {
  for (int i = 0; i < count; i++) {
    to[i] = from ? from[index[i]] : 0.0;
  }
}

/* Checks the return value of a callback and its results. Converts a failure, or numbers that are
 * not finite, to an error that names the term. */
static int judge(const vida_callback* callback, const vida_place* at, const char* what, int code,
                 const double* values, size_t count) {
  if (code > 0) {
    return vida__fail(at->error, VIDA_CALLBACK_RECOVERABLE,
                      "'%s': %s could not be evaluated (code %d)", callback->base.name, what, code);
  }
  if (code < 0) {
    return vida__fail(at->error, VIDA_CALLBACK_FAILED, "'%s': %s failed (code %d)",
                      callback->base.name, what, code);
  }
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) {
      return vida__fail(at->error, VIDA_NOT_FINITE, "'%s': %s returned a value that is not finite",
                        callback->base.name, what);
    }
  }
  return VIDA_SUCCESS;
}

/* Returns a step for central differences with respect to these values; if all are 0, for the size
 * 1. */
static double difference_step(const double* values, int count) {
  double scale = 0.0;
  for (int i = 0; i < count; i++) {
    scale = fmax(scale, fabs(values[i]));
  }
  return cbrt(DBL_EPSILON) * (scale > 0.0 ? scale : 1.0);
}

/* ---- Lagrangian ------------------------------------------------------------------------------ */

static int value_of(const vida_term_batch* batch, int i, const vida_place* at, double* lagrangian) {
  const int* index = batch->index + i * batch->width;
  const vida_callback* callback = (const vida_callback*)batch->functions;
  double* q = at->scratch;
  double* v = q + batch->width;
  double value = 0.0;
  gather(index, batch->width, at->q, q);
  gather(index, batch->width, at->v, v);
  const int code =
      callback->lagrangian.value(vida__time_inside(at), q, v, &value, callback->user_data);
  *lagrangian += value;
  return judge(callback, at, "the Lagrangian", code, &value, 1);
}

static int local_gradient(const vida_callback* callback, const vida_place* at, int n,
                          const double* q, const double* v, double* l_q) {
  memset(l_q, 0, 2 * (size_t)n * sizeof *l_q);
  const int code =
      callback->lagrangian.gradient(vida__time_inside(at), q, v, l_q, l_q + n, callback->user_data);
  return judge(callback, at, "the gradient of the Lagrangian", code, l_q, 2 * (size_t)n);
}

static int gradient_of(const vida_term_batch* batch, int instance, const vida_place* at,
                       double* l_q, double* l_v) {
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  double* q = at->scratch;
  double* v = q + n;
  double* local = v + n; /* l_q, then l_v */
  gather(index, n, at->q, q);
  gather(index, n, at->v, v);
  const int code = local_gradient((const vida_callback*)batch->functions, at, n, q, v, local);
  for (int i = 0; i < n && !code; i++) {
    l_q[index[i]] += local[i];
    l_v[index[i]] += local[n + i];
  }
  return code;
}

/* Computes the second derivatives by columns, as central differences of the gradient. Moving q
 * gives l_qq and l_vq, moving v gives l_qv and l_vv. Of the mixed pair, only l_qv is kept. */
static int hessian_by_differences(const vida_callback* callback, const vida_place* at, int n,
                                  double* q, double* v, double* gradients, double* l_qq,
                                  double* l_qv, double* l_vv) {
  double* upper = gradients;
  double* lower = gradients + 2 * n;
  double* moved[2] = {q, v};
  const double steps[2] = {difference_step(q, n), difference_step(v, n)};
  for (int which = 0; which < 2; which++) {
    for (int j = 0; j < n; j++) {
      const double kept = moved[which][j];
      const double high = kept + steps[which];
      const double low = kept - steps[which];
      moved[which][j] = high;
      int code = local_gradient(callback, at, n, q, v, upper);
      moved[which][j] = low;
      code = code ? code : local_gradient(callback, at, n, q, v, lower);
      moved[which][j] = kept;
      if (code) {
        return code;
      }
      for (int i = 0; i < n; i++) {
        const double by_q = (upper[i] - lower[i]) / (high - low);
        const double by_v = (upper[n + i] - lower[n + i]) / (high - low);
        (which == 0 ? l_qq : l_qv)[i * n + j] = by_q;
        if (which == 1) {
          l_vv[i * n + j] = by_v;
        }
      }
    }
  }
  return VIDA_SUCCESS;
}

/* Computes the second derivatives of an instance at the gathered q and v, into the work space
 * behind them. */
static int local_hessian(const vida_callback* callback, const vida_place* at, int n, double* q,
                         double* v, double** l_qq, double** l_qv, double** l_vv) {
  const size_t block = (size_t)n * (size_t)n;
  double* gradients = v + n;
  *l_qq = gradients + 4 * n;
  *l_qv = *l_qq + block;
  *l_vv = *l_qv + block;
  if (!callback->lagrangian.hessian) {
    return hessian_by_differences(callback, at, n, q, v, gradients, *l_qq, *l_qv, *l_vv);
  }
  memset(*l_qq, 0, 3 * block * sizeof **l_qq);
  const int code = callback->lagrangian.hessian(vida__time_inside(at), q, v, *l_qq, *l_qv, *l_vv,
                                                callback->user_data);
  return judge(callback, at, "the second derivatives of the Lagrangian", code, *l_qq, 3 * block);
}

static int hessian_of(const vida_term_batch* batch, int instance, const vida_place* at,
                      vida_hessian_weights weights, double* matrix) {
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  const int* slot = batch->slot + instance * n * n;
  double* q = at->scratch;
  double* v = q + n;
  double *l_qq, *l_qv, *l_vv;
  gather(index, n, at->q, q);
  gather(index, n, at->v, v);
  const int code =
      local_hessian((const vida_callback*)batch->functions, at, n, q, v, &l_qq, &l_qv, &l_vv);
  for (int i = 0; i < n && !code; i++) {
    for (int j = 0; j < n; j++) {
      matrix[slot[i * n + j]] += weights.qq * l_qq[i * n + j] + weights.qv * l_qv[i * n + j] +
                                 weights.vq * l_qv[j * n + i] + weights.vv * l_vv[i * n + j];
    }
  }
  return code;
}

/* Returns a step for central differences in time along motions: small compared with the time in
 * which coordinates move by their own size, large compared with the rounding of t. */
static double time_step(double t, const double* q, const double* v, int n) {
  double size = 0.0;
  double speed = 0.0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(q[i]));
    speed = fmax(speed, fabs(v[i]));
  }
  const double scale = size > 0.0 && speed > 0.0 ? size / speed : 1.0;
  return fmax(cbrt(DBL_EPSILON) * scale, 4096.0 * DBL_EPSILON * fabs(t));
}

/* Subtracts L_vt, a difference quotient of L_v in time. */
static int subtract_momentum_rate(const vida_callback* callback, const vida_place* at, int n,
                                  const int* index, const double* q, const double* v,
                                  double* gradients, double* force) {
  const vida_time_quotient quotient = vida__time_quotient(at, time_step(at->t, q, v, n), 3);
  double* first = gradients;
  double* other = gradients + 2 * n;
  vida_place moved = *at;
  moved.t = quotient.t[0];
  int code = local_gradient(callback, &moved, n, q, v, first);
  for (int k = 1; k < quotient.points && !code; k++) {
    const double weight = quotient.weight[k];
    if (weight == 0.0) {
      continue;
    }
    moved.t = quotient.t[k];
    code = local_gradient(callback, &moved, n, q, v, other);
    for (int i = 0; i < n && !code; i++) {
      force[index[i]] -= weight * (other[n + i] - first[n + i]) / quotient.step;
    }
  }
  return code;
}

/* Adds L_q - L_vq v - L_vt. */
static int bias_of(const vida_term_batch* batch, int instance, const vida_place* at,
                   double* force) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  double* q = at->scratch;
  double* v = q + n;
  double* gradients = v + n;
  double *l_qq, *l_qv, *l_vv;
  gather(index, n, at->q, q);
  gather(index, n, at->v, v);
  int code = local_hessian(callback, at, n, q, v, &l_qq, &l_qv, &l_vv);
  for (int i = 0; i < n && !code; i++) {
    for (int j = 0; j < n; j++) {
      force[index[i]] -= l_qv[j * n + i] * v[j];
    }
  }
  code = code ? code : subtract_momentum_rate(callback, at, n, index, q, v, gradients, force);
  code = code ? code : local_gradient(callback, at, n, q, v, gradients);
  for (int i = 0; i < n && !code; i++) {
    force[index[i]] += gradients[i];
  }
  return code;
}

/* Adds L_t, by a difference quotient of fourth order. It is exactly zero if L does not depend on
 * time. */
static int rate_of_lagrangian(const vida_term_batch* batch, int instance, const vida_place* at,
                              double* l_t) {
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  double* q = at->scratch;
  gather(index, n, at->q, q);
  gather(index, n, at->v, q + n);
  const vida_time_quotient quotient =
      vida__time_quotient(at, 128.0 * time_step(at->t, q, q + n, n), 5);
  vida_place moved = *at;
  double first = 0.0;
  double sum = 0.0;
  moved.t = quotient.t[0];
  int code = value_of(batch, instance, &moved, &first);
  for (int k = 1; k < quotient.points && !code; k++) {
    if (quotient.weight[k] != 0.0) {
      double value = 0.0;
      moved.t = quotient.t[k];
      code = value_of(batch, instance, &moved, &value);
      sum += quotient.weight[k] * (value - first);
    }
  }
  *l_t += sum / quotient.step;
  return code;
}

/* Processes every instance of a batch. */
#define FOR_EACH_INSTANCE(batch, call)                                       \
  do {                                                                       \
    int code = VIDA_SUCCESS;                                                 \
    for (int instance = 0; instance < (batch)->count && !code; instance++) { \
      code = call;                                                           \
    }                                                                        \
    return code;                                                             \
  } while (0)

static int lagrangian_value(const vida_term_batch* batch, const vida_place* at,
                            double* lagrangian) {
  FOR_EACH_INSTANCE(batch, value_of(batch, instance, at, lagrangian));
}

static int lagrangian_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                               double* l_v) {
  FOR_EACH_INSTANCE(batch, gradient_of(batch, instance, at, l_q, l_v));
}

static int lagrangian_hessian(const vida_term_batch* batch, const vida_place* at,
                              vida_hessian_weights weights, double* matrix) {
  FOR_EACH_INSTANCE(batch, hessian_of(batch, instance, at, weights, matrix));
}

static int lagrangian_bias(const vida_term_batch* batch, const vida_place* at, double* force) {
  FOR_EACH_INSTANCE(batch, bias_of(batch, instance, at, force));
}

static int lagrangian_rate(const vida_term_batch* batch, const vida_place* at, double* l_t) {
  FOR_EACH_INSTANCE(batch, rate_of_lagrangian(batch, instance, at, l_t));
}

const vida_term_kernel vida__callback_lagrangian = {.kind = "Lagrangian",
                                                    .is_callback = true,
                                                    .value = lagrangian_value,
                                                    .gradient = lagrangian_gradient,
                                                    .hessian = lagrangian_hessian,
                                                    .bias = lagrangian_bias,
                                                    .rate = lagrangian_rate};

/* ---- forces ---------------------------------------------------------------------------------- */

static int local_force(const vida_callback* callback, const vida_place* at, int n, const double* q,
                       const double* v, double* force) {
  memset(force, 0, (size_t)n * sizeof *force);
  const int code = callback->force.value(vida__time_inside(at), q, v, force, callback->user_data);
  return judge(callback, at, "the force", code, force, (size_t)n);
}

static int force_of(const vida_term_batch* batch, int instance, const vida_place* at, double* l_q) {
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  double* q = at->scratch;
  double* v = q + n;
  double* force = v + n;
  gather(index, n, at->q, q);
  gather(index, n, at->v, v);
  const int code = local_force((const vida_callback*)batch->functions, at, n, q, v, force);
  for (int i = 0; i < n && !code; i++) {
    l_q[index[i]] += force[i];
  }
  return code;
}

/* Computes central differences with respect to `moved`, which is q or v. */
static int force_differences(const vida_callback* callback, const vida_place* at, int n,
                             const double* q, const double* v, double* moved, double* work,
                             double* slopes) {
  double* upper = work;
  double* lower = work + n;
  const double step = difference_step(moved, n);
  for (int j = 0; j < n; j++) {
    const double kept = moved[j];
    const double high = kept + step;
    const double low = kept - step;
    moved[j] = high;
    int code = local_force(callback, at, n, q, v, upper);
    moved[j] = low;
    code = code ? code : local_force(callback, at, n, q, v, lower);
    moved[j] = kept;
    if (code) {
      return code;
    }
    for (int i = 0; i < n; i++) {
      slopes[i * n + j] = (upper[i] - lower[i]) / (high - low);
    }
  }
  return VIDA_SUCCESS;
}

static int force_slopes_of(const vida_term_batch* batch, int instance, const vida_place* at,
                           vida_hessian_weights weights, double* matrix) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  const int n = batch->width;
  const size_t block = (size_t)n * (size_t)n;
  const int* index = batch->index + instance * n;
  const int* slot = batch->slot + (size_t)instance * block;
  double* q = at->scratch;
  double* v = q + n;
  double* work = v + n;
  double* f_q = work + 2 * n;
  double* f_v = f_q + block;
  int code;
  gather(index, n, at->q, q);
  gather(index, n, at->v, v);
  if (callback->force.jacobian) {
    memset(f_q, 0, 2 * block * sizeof *f_q);
    code = callback->force.jacobian(vida__time_inside(at), q, v, f_q, f_v, callback->user_data);
    code = judge(callback, at, "the Jacobian of the force", code, f_q, 2 * block);
  } else {
    code = force_differences(callback, at, n, q, v, q, work, f_q);
    code = code ? code : force_differences(callback, at, n, q, v, v, work, f_v);
  }
  for (size_t k = 0; k < block && !code; k++) {
    matrix[slot[k]] += weights.qq * f_q[k] + weights.qv * f_v[k];
  }
  return code;
}

static int no_energy(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  (void)batch, (void)at, (void)lagrangian;
  return VIDA_SUCCESS;
}

static int force_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                          double* l_v) {
  (void)l_v;
  FOR_EACH_INSTANCE(batch, force_of(batch, instance, at, l_q));
}

static int force_hessian(const vida_term_batch* batch, const vida_place* at,
                         vida_hessian_weights weights, double* matrix) {
  FOR_EACH_INSTANCE(batch, force_slopes_of(batch, instance, at, weights, matrix));
}

const vida_term_kernel vida__callback_force = {.kind = "force",
                                               .is_force = true,
                                               .is_callback = true,
                                               .value = no_energy,
                                               .gradient = force_gradient,
                                               .hessian = force_hessian};

/* ---- constraints ----------------------------------------------------------------------------- */

static int rows_of(const vida_constraint_batch* batch, int instance, const vida_place* at,
                   double* g) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  double* q = at->scratch;
  double* local = q + batch->width;
  gather(batch->index + instance * batch->width, batch->width, at->q, q);
  memset(local, 0, (size_t)batch->rows * sizeof *local);
  int code = callback->constraint.value(vida__time_inside(at), q, local, callback->user_data);
  code = judge(callback, at, "the constraint", code, local, (size_t)batch->rows);
  for (int r = 0; r < batch->rows && !code; r++) {
    g[batch->row[instance] + r] += local[r];
  }
  return code;
}

static int local_jacobian(const vida_constraint_batch* batch, const vida_place* at, const double* q,
                          double* entries) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  const size_t size = (size_t)batch->rows * (size_t)batch->width;
  memset(entries, 0, size * sizeof *entries);
  const int code =
      callback->constraint.jacobian(vida__time_inside(at), q, entries, callback->user_data);
  return judge(callback, at, "the constraint Jacobian", code, entries, size);
}

static int jacobian_of(const vida_constraint_batch* batch, int instance, const vida_place* at,
                       double* entries) {
  gather(batch->index + instance * batch->width, batch->width, at->q, at->scratch);
  return local_jacobian(batch, at, at->scratch, entries + instance * batch->rows * batch->width);
}

static int curvature_by_differences(const vida_constraint_batch* batch, const vida_place* at,
                                    double* q, const double* lambda, double* jacobians,
                                    double* curvature) {
  const int n = batch->width;
  double* upper = jacobians;
  double* lower = jacobians + batch->rows * n;
  const double step = difference_step(q, n);
  for (int j = 0; j < n; j++) {
    const double kept = q[j];
    const double high = kept + step;
    const double low = kept - step;
    q[j] = high;
    int code = local_jacobian(batch, at, q, upper);
    q[j] = low;
    code = code ? code : local_jacobian(batch, at, q, lower);
    q[j] = kept;
    if (code) {
      return code;
    }
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int r = 0; r < batch->rows; r++) {
        sum += lambda[r] * (upper[r * n + i] - lower[r * n + i]);
      }
      curvature[i * n + j] = sum / (high - low);
    }
  }
  return VIDA_SUCCESS;
}

static int curvature_of(const vida_constraint_batch* batch, int instance, const vida_place* at,
                        double weight, const double* lambda, double* matrix) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  const int n = batch->width;
  const size_t block = (size_t)n * (size_t)n;
  double* q = at->scratch;
  double* local_lambda = q + n;
  double* curvature = local_lambda + batch->rows;
  double* jacobians = curvature + block;
  int code;
  gather(batch->index + instance * n, n, at->q, q);
  memcpy(local_lambda, lambda + batch->row[instance], (size_t)batch->rows * sizeof *lambda);
  memset(curvature, 0, block * sizeof *curvature);
  if (callback->constraint.curvature) {
    code = callback->constraint.curvature(vida__time_inside(at), q, local_lambda, curvature,
                                          callback->user_data);
    code = judge(callback, at, "the curvature of the constraint", code, curvature, block);
  } else {
    code = curvature_by_differences(batch, at, q, local_lambda, jacobians, curvature);
  }
  for (size_t k = 0; k < block && !code; k++) {
    matrix[batch->slot[(size_t)instance * block + k]] += weight * curvature[k];
  }
  return code;
}

static int rate_of(const vida_constraint_batch* batch, int instance, const vida_place* at,
                   double* rate) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  double* q = at->scratch;
  double* local = q + batch->width;
  if (!callback->constraint.rate) {
    return VIDA_SUCCESS;
  }
  gather(batch->index + instance * batch->width, batch->width, at->q, q);
  memset(local, 0, (size_t)batch->rows * sizeof *local);
  int code = callback->constraint.rate(vida__time_inside(at), q, local, callback->user_data);
  code = judge(callback, at, "the time derivative of the constraint", code, local,
               (size_t)batch->rows);
  for (int r = 0; r < batch->rows && !code; r++) {
    rate[batch->row[instance] + r] += local[r];
  }
  return code;
}

/* Computes the local coordinates at the time t of a motion without accelerations. */
static void move_along(const vida_place* at, const int* index, int n, double t, double* q) {
  const double shift = t - vida__time_inside(at);
  for (int j = 0; j < n; j++) {
    q[j] = at->q[index[j]] + shift * at->v[index[j]];
  }
}

/* Writes G v + g_t at the time t of a motion without accelerations to `rows`. Work space for G
 * follows `rows`. */
static int moved_velocity(const vida_constraint_batch* batch, int instance, const vida_place* at,
                          double t, double* q, double* rows) {
  const vida_callback* callback = (const vida_callback*)batch->functions;
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  double* jacobian = rows + batch->rows;
  vida_place moved = *at;
  moved.t = t;
  int code = VIDA_SUCCESS;
  move_along(at, index, n, t, q);
  memset(rows, 0, (size_t)batch->rows * sizeof *rows);
  if (callback->constraint.rate) {
    code = callback->constraint.rate(vida__time_inside(&moved), q, rows, callback->user_data);
    code = judge(callback, at, "the time derivative of the constraint", code, rows,
                 (size_t)batch->rows);
  }
  code = code ? code : local_jacobian(batch, &moved, q, jacobian);
  for (int r = 0; r < batch->rows && !code; r++) {
    for (int j = 0; j < n; j++) {
      rows[r] += jacobian[r * n + j] * at->v[index[j]];
    }
  }
  return code;
}

/* Adds v^T g_qq v + 2 g_qt v + g_tt, by a difference quotient along the motion. */
static int constraint_bias_of(const vida_constraint_batch* batch, int instance,
                              const vida_place* at, double* bias) {
  const int n = batch->width;
  double* q = at->scratch;
  double* first = q + 2 * n;
  double* other = first + batch->rows * (n + 1);
  gather(batch->index + instance * n, n, at->q, q);
  gather(batch->index + instance * n, n, at->v, q + n);
  const vida_time_quotient quotient = vida__time_quotient(at, time_step(at->t, q, q + n, n), 3);
  int code = moved_velocity(batch, instance, at, quotient.t[0], q, first);
  for (int k = 1; k < quotient.points && !code; k++) {
    const double weight = quotient.weight[k];
    if (weight == 0.0) {
      continue;
    }
    code = moved_velocity(batch, instance, at, quotient.t[k], q, other);
    for (int r = 0; r < batch->rows && !code; r++) {
      bias[batch->row[instance] + r] += weight * (other[r] - first[r]) / quotient.step;
    }
  }
  return code;
}

/* Computes (G v + g_t)_q = g_qq v + g_qt, the rate of change of G along the motion, by a difference
 * quotient. */
static int value_gradient_of(const vida_constraint_batch* batch, int instance, const vida_place* at,
                             double* entries) {
  const int n = batch->width;
  const int* index = batch->index + instance * n;
  const int size = batch->rows * n;
  double* q = at->scratch;
  double* first = q + 2 * n;
  double* other = first + size;
  double* own = entries + instance * size;
  gather(index, n, at->q, q);
  gather(index, n, at->v, q + n);
  const vida_time_quotient quotient = vida__time_quotient(at, time_step(at->t, q, q + n, n), 3);
  vida_place moved = *at;
  moved.t = quotient.t[0];
  move_along(at, index, n, moved.t, q);
  int code = local_jacobian(batch, &moved, q, first);
  memset(own, 0, (size_t)size * sizeof *own);
  for (int k = 1; k < quotient.points && !code; k++) {
    const double weight = quotient.weight[k];
    if (weight == 0.0) {
      continue;
    }
    moved.t = quotient.t[k];
    move_along(at, index, n, moved.t, q);
    code = local_jacobian(batch, &moved, q, other);
    for (int e = 0; e < size && !code; e++) {
      own[e] += weight * (other[e] - first[e]) / quotient.step;
    }
  }
  return code;
}

static int constraint_value(const vida_constraint_batch* batch, const vida_place* at,
                            const double* q_low, double* g) {
  (void)q_low; /* the callback takes one number per coordinate */
  FOR_EACH_INSTANCE(batch, rows_of(batch, instance, at, g));
}

static int constraint_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  FOR_EACH_INSTANCE(batch, jacobian_of(batch, instance, at, entries));
}

static int constraint_curvature(const vida_constraint_batch* batch, const vida_place* at,
                                double weight, const double* lambda, double* matrix) {
  FOR_EACH_INSTANCE(batch, curvature_of(batch, instance, at, weight, lambda, matrix));
}

static int constraint_rate(const vida_constraint_batch* batch, const vida_place* at, double* rate) {
  FOR_EACH_INSTANCE(batch, rate_of(batch, instance, at, rate));
}

static int constraint_bias(const vida_constraint_batch* batch, const vida_place* at, double* bias) {
  FOR_EACH_INSTANCE(batch, constraint_bias_of(batch, instance, at, bias));
}

static int constraint_value_gradient(const vida_constraint_batch* batch, const vida_place* at,
                                     double* entries) {
  FOR_EACH_INSTANCE(batch, value_gradient_of(batch, instance, at, entries));
}

const vida_constraint_kernel vida__callback_constraint = {
    .kind = "constraint",
    .value = constraint_value,
    .jacobian = constraint_jacobian,
    .curvature = constraint_curvature,
    .rate = constraint_rate,
    .bias = constraint_bias,
    .value_gradient = constraint_value_gradient};

/* ---- adding ---------------------------------------------------------------------------------- */

static int check_coordinates(const VidaSystem* system, const char* kind, const char* name,
                             int count, const int* coordinates, VidaError* error) {
  if (count < 1 || !coordinates) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': expected at least one coordinate", kind,
                      name);
  }
  for (int i = 0; i < count; i++) {
    if (coordinates[i] < 0 || coordinates[i] >= system->coordinate_count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': there is no coordinate number %d", kind,
                        name, coordinates[i]);
    }
    for (int j = 0; j < i; j++) {
      if (coordinates[i] == coordinates[j]) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': coordinate '%s' is named twice", kind,
                          name, system->coordinates[coordinates[i]].name);
      }
    }
  }
  return VIDA_SUCCESS;
}

static void destroy(vida_functions* functions) {
  free(functions->name);
  free(functions);
}

static vida_callback* make_callback(VidaSystem* system, const char* name, int rows, int count,
                                    void* user_data) {
  vida_callback* callback = vida__allocate(1, sizeof *callback);
  const size_t scratch = scratch_of(rows, count);
  if (!callback) {
    return NULL;
  }
  callback->user_data = user_data;
  callback->base.references = 1;
  callback->base.destroy = destroy;
  callback->base.name = vida__copy_text(name);
  if (!callback->base.name) {
    free(callback);
    return NULL;
  }
  system->shared_scratch = scratch > system->shared_scratch ? scratch : system->shared_scratch;
  return callback;
}

int VidaSystem_AddLagrangian(VidaSystem* system, const char* name, int count,
                             const int* coordinates, const VidaLagrangian* lagrangian,
                             void* user_data, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, name, coordinates);
  code = code ? code : vida__check_addition(system, "Lagrangian", name, error);
  code = code ? code : check_coordinates(system, "Lagrangian", name, count, coordinates, error);
  if (code) {
    return code;
  }
  if (!lagrangian || !lagrangian->value || !lagrangian->gradient) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "Lagrangian '%s': the functions value and gradient are needed", name);
  }
  vida_callback* callback = make_callback(system, name, 0, count, user_data);
  if (callback) {
    callback->lagrangian = *lagrangian;
  }
  return vida__add_term(system, &vida__callback_lagrangian, count, coordinates,
                        (vida_functions*)callback, error);
}

int VidaSystem_AddForce(VidaSystem* system, const char* name, int count, const int* coordinates,
                        const VidaForce* force, void* user_data, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, name, coordinates, force);
  code = code ? code : vida__check_addition(system, "force", name, error);
  code = code ? code : check_coordinates(system, "force", name, count, coordinates, error);
  if (code) {
    return code;
  }
  if (!force->value) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "force '%s': the function value is needed", name);
  }
  vida_callback* callback = make_callback(system, name, 0, count, user_data);
  if (callback) {
    callback->force = *force;
  }
  return vida__add_term(system, &vida__callback_force, count, coordinates,
                        (vida_functions*)callback, error);
}

int VidaSystem_AddConstraint(VidaSystem* system, const char* name, int rows, int count,
                             const int* coordinates, const VidaConstraint* constraint,
                             void* user_data, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, name, coordinates);
  code = code ? code : vida__check_addition(system, "constraint", name, error);
  code = code ? code : check_coordinates(system, "constraint", name, count, coordinates, error);
  if (code) {
    return code;
  }
  if (rows < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "constraint '%s': rows: expected a positive number, got %d", name, rows);
  }
  if (!constraint || !constraint->value || !constraint->jacobian) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "constraint '%s': the functions value and jacobian are needed", name);
  }
  vida_callback* callback = make_callback(system, name, rows, count, user_data);
  if (callback) {
    callback->constraint = *constraint;
  }
  code = vida__add_constraint(system, &vida__callback_constraint, rows, "", count, coordinates,
                              (vida_functions*)callback, error);
  for (int r = 0; r < rows && !code && constraint->rate; r++) {
    system->time_dependent = system->rows[system->row_count - 1 - r].has_rate = true;
  }
  return code;
}
