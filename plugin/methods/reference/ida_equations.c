/* Residual, Jacobian and weights of the formulations that IDA integrates. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/reference/ida.h"

/* ---- residual -------------------------------------------------------------------------------- */

static int residual(void* data, double t, const double* y, const double* dy, double* r) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const int code = vida__interrupted(self, t);
  return code ? code : vida__formulation_residual(&own->form, t, y, dy, r);
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Scales rows and columns by units of the motion. The result has the size one for every c, and,
 * except for small terms in h, does not depend on c: the factors stay useful when c changes. */
static void find_scales(VidaIntegration* self, double c) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  const int m = self->model.m;
  const double of_level[] = {1.0, c, c * c};
  if (!own->scales_multipliers) {
    return; /* all of them are one */
  }
  for (int i = 0; i < n; i++) {
    const double root = self->model.matrix_root[i];
    own->row_scale[i] = root / c;
    own->row_scale[n + i] = 1.0 / (root * c * c);
    own->column_scale[i] = 1.0 / root;
    own->column_scale[n + i] = c / root;
  }
  for (int r = 0; r < m; r++) {
    const double stiffness = self->model.matrix_stiffness[r];
    const bool has_no_position =
        own->form.level == VIDA_AT_POSITION && system->rows[r].is_nonholonomic;
    own->row_scale[2 * n + r] =
        1.0 / (stiffness * of_level[has_no_position ? VIDA_AT_VELOCITY : own->form.level]);
    own->column_scale[2 * n + r] = c * c / stiffness;
    if (own->form.is_dependent[r]) {
      own->row_scale[2 * n + r] = stiffness / (c * c);
    }
  }
  for (int r = 0; r < m && own->form.projects; r++) {
    const double stiffness = self->model.matrix_stiffness[r];
    const double stretch = own->rate[r]; /* |M^(1/2) W G^T| of the row */
    own->column_scale[2 * n + m + r] = c / stretch;
    own->row_scale[2 * n + m + r] = own->form.is_dependent[r] || system->rows[r].is_nonholonomic
                                        ? stretch / c
                                        : 1.0 / stiffness;
  }
}

/* Computes |M^(1/2) W G^T| by rows, into own->rate. */
static void measure_projection(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(own->rate, 0, (size_t)self->model.m * sizeof *own->rate);
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const double size = self->model.matrix_root[i] * own->form.metric[i] * own->form.entries[e];
    own->rate[system->entries[e].row] += size * size;
  }
  for (int r = 0; r < self->model.m; r++) {
    own->rate[r] = own->rate[r] > 0.0 ? sqrt(own->rate[r]) : 1.0;
  }
}

static void scale_matrix(const vida_reference_ida* own, double* matrix) {
  const vida_pattern* pattern = &own->form.pattern;
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      matrix[k] *= own->row_scale[pattern->row[k]] * own->column_scale[j];
    }
  }
}

/* ---- Jacobian -------------------------------------------------------------------------------- */

/* A small part of the step, so that the error of central differences is far below what h^2 makes of
 * it. */
static double difference_step(double c) {
  return 0.01 / c;
}

static int jacobian(void* data, double t, double c, const double* y, const double* dy,
                    double* matrix) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const int code = vida__formulation_matrix(&own->form, t, c, difference_step(c), y, dy, matrix);
  if (code) {
    return code;
  }
  if (own->form.projects) {
    measure_projection(self);
  }
  find_scales(self, c);
  scale_matrix(own, matrix);
  return VIDA_SUCCESS;
}

/* The equation of p' contains c p, where p = L_vq q + L_vv v + its own right-hand side. */
static void reduce(void* data, double c, const double* right_side, double* reduced) {
  VidaIntegration* self = data;
  const vida_reference_ida* own = self->state;
  const int n = self->model.n;
  find_scales(self, c);
  memcpy(reduced, right_side, 2 * (size_t)n * sizeof *reduced);
  for (int i = 0; i < n && own->form.in_momenta; i++) {
    reduced[n + i] -= c * right_side[own->form.p + i];
  }
  memcpy(reduced + 2 * n, right_side + own->form.lambda,
         (size_t)(own->form.reduced_size - 2 * n) * sizeof *reduced);
  for (int i = 0; i < own->form.reduced_size; i++) {
    reduced[i] *= own->row_scale[i];
  }
}

static void expand(void* data, double c, const double* right_side, const double* reduced,
                   double* x) {
  const VidaIntegration* self = data;
  const vida_reference_ida* own = self->state;
  const int n = self->model.n;
  (void)c; /* reduce has set the scales */
  for (int i = 0; i < 2 * n; i++) {
    x[i] = own->column_scale[i] * reduced[i];
  }
  for (int i = 2 * n; i < own->form.reduced_size; i++) {
    x[own->form.lambda + i - 2 * n] = own->column_scale[i] * reduced[i];
  }
  if (own->form.in_momenta) {
    memcpy(x + own->form.p, right_side + own->form.p, (size_t)n * sizeof *x);
    vida__formulation_add_product(&own->form, own->form.l_vv, x + n, x + own->form.p);
    if (!self->model.system->constant_mass) {
      vida__formulation_add_product(&own->form, own->form.l_vq, x, x + own->form.p);
    }
  }
}

/* ---- weights --------------------------------------------------------------------------------- */

static void grow(const int* family, int count, const double* values, double* size) {
  for (int i = 0; i < count; i++) {
    size[family[i]] = fmax(size[family[i]], fabs(values[i]));
  }
}

/* Multipliers are extrapolated less accurately than the other variables, and one Newton iteration
 * makes them as accurate as its matrix. Further iterations for multipliers alone would cost more
 * than they gain. */
static const double slack = 1000.0;

/* Computes by rows the tolerance of lambda for which G^T lambda has the tolerances `tolerance` (n);
 * terms that a row does not contain do not count. */
static void find_row_tolerance(const VidaIntegration* self, const double* tolerance) {
  const vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  for (int r = 0; r < self->model.m; r++) {
    own->row_tolerance[r] = INFINITY;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double size = fabs(own->form.entries[e]);
    if (size > 0.0) {
      own->row_tolerance[entry->row] =
          fmin(own->row_tolerance[entry->row], slack * tolerance[entry->coordinate] / size);
    }
  }
}

static double weight_of(double tolerance) {
  return 1.0 / fmax(tolerance, 1e3 * DBL_MIN);
}

/* The weights 1 / (rtol |y| + atol) of all variables, as in a simple program; the atol of a
 * coordinate also applies to its velocity and momentum. */
static void raw_weights(const VidaIntegration* self, const double* y, double* weight) {
  const vida_reference_ida* own = self->state;
  const double asked = VidaOptions_Get(self->options, "atol");
  const double others = isnan(asked) ? own->rtol : asked;
  for (int i = 0; i < own->form.size; i++) {
    const double atol = i < own->form.lambda ? self->model.atol[i % self->model.n] : others;
    weight[i] = weight_of(own->rtol * fabs(y[i]) + (isnan(atol) ? others : atol));
  }
}

/* Rounding of a sum of forces, relative to its terms. */
static const double rounding = 64.0 * DBL_EPSILON;

/* Computes the effect of the rounding of constraint forces on each momentum in a step. */
static void find_rounding(const VidaIntegration* self, double h, double* impulse) {
  const vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(impulse, 0, (size_t)self->model.n * sizeof *impulse);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    impulse[entry->coordinate] +=
        rounding * h * fabs(own->form.entries[e]) * own->multiplier_size[entry->row];
  }
}

/* The tolerances of multipliers: a change in a step must not change velocities, and for mu
 * positions, by more than their tolerances. */
static void multiplier_weights(const VidaIntegration* self, double h, const double* y,
                               const double* position, const double* velocity, double* weight) {
  const vida_reference_ida* own = self->state;
  double* tolerance = own->form.force;
  for (int i = 0; i < self->model.n; i++) {
    tolerance[i] = self->model.root_mass[i] * self->model.root_mass[i] * velocity[i] / h;
  }
  find_row_tolerance(self, tolerance);
  for (int r = 0; r < self->model.m; r++) {
    own->row_tolerance[r] = fmax(own->row_tolerance[r], rounding * own->multiplier_size[r]);
    const double size = fmax(own->multiplier_size[r], fabs(y[own->form.lambda + r]));
    const double plain = own->rtol * size;
    own->multiplier_size[r] = size;
    weight[own->form.lambda + r] =
        weight_of(own->scales_multipliers && own->suppresses ? own->row_tolerance[r] : plain);
  }
  if (!own->form.projects) {
    return;
  }
  for (int i = 0; i < self->model.n; i++) {
    tolerance[i] = position[i] / (h * own->form.metric[i]);
  }
  find_row_tolerance(self, tolerance);
  for (int r = 0; r < self->model.m; r++) {
    weight[own->form.mu + r] = weight_of(own->row_tolerance[r]);
  }
}

static void weights(void* data, double h, const double* y, double* weight) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  double *position = own->form.moved_q, *velocity = own->form.moved_v;
  if (own->raw) {
    raw_weights(self, y, weight);
    return;
  }
  find_rounding(self, h, own->form.force);
  grow(own->family, n, y, own->position_size);
  grow(own->family, n, y + n, own->speed_size);
  for (int i = 0; i < n; i++) {
    const double size = own->position_size[own->family[i]];
    const double speed = own->speed_size[own->family[i]];
    position[i] = own->share * own->rtol * size;
    velocity[i] = own->share * own->rtol * speed;
    const double atol = self->model.atol[i];
    if (isfinite(atol)) {
      position[i] = own->share * (own->rtol * fabs(y[i]) + atol);
      velocity[i] = own->share * (own->rtol * fabs(y[n + i]) + atol * speed / size);
    }
    /* Out of the error test, velocities of index 3 need to be no better than positions make them.
     */
    if (own->form.level == VIDA_AT_POSITION && own->suppresses && own->scales_multipliers) {
      velocity[i] = fmax(velocity[i], position[i] / h);
    }
    weight[i] = weight_of(position[i]);
    weight[n + i] = weight_of(velocity[i]);
    if (own->form.in_momenta) {
      const double mass = self->model.root_mass[i] * self->model.root_mass[i];
      const double least = mass * velocity[i] + own->rtol * fabs(y[own->form.p + i]);
      weight[own->form.p + i] = weight_of(fmax(least, own->form.force[i]));
    }
  }
  multiplier_weights(self, h, y, position, velocity, weight);
}

/* ---- ends of steps --------------------------------------------------------------------------- */

static int accept(void* data, double t, const double* y, VidaError* error) {
  VidaIntegration* self = data;
  return vida__follow_motion(self, t, y, y + self->model.n, error);
}

const vida_ida_functions vida__reference_ida_functions = {residual, jacobian, reduce,
                                                          expand,   weights,  accept};
