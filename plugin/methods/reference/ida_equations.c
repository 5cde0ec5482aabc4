/* Residual, Jacobian and weights of the formulations that IDA integrates. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/reference/ida.h"

/* ---- residual -------------------------------------------------------------------------------- */

/* result += the upper left block of a matrix of the KKT pattern, times x. */
static void add_product(const vida_reference_ida* own, const double* matrix, const double* x,
                        double* result) {
  for (int k = 0; k < own->block_count; k++) {
    const vida_block_slots* at = &own->block[k];
    result[at->row] += matrix[at->entry] * x[at->column];
  }
}

/* The equations of motion, of momenta or of accelerations; G is in own->entries. Where the latter
 * are used, what G v' must cancel is left in own->rows. */
static int motion_rows(VidaIntegration* self, double t, const double* y, const double* dy,
                       double* r) {
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  const double *v = y + n, *dv = dy + n;
  double* rows = r + n;
  if (own->in_momenta) {
    const int code = vida__gradient(&self->model.evaluator, t, y, v, own->l_q, own->l_v);
    for (int i = 0; i < n; i++) {
      rows[i] = dy[own->p + i] - own->l_q[i];
      r[own->p + i] = y[own->p + i] - own->l_v[i];
    }
    return code;
  }
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  int code = vida__motion_bias(&self->model.evaluator, t, y, v, own->force, own->rows, own->l_v);
  memset(own->hessian, 0, (size_t)self->model.system->pattern.entries * sizeof(double));
  code = code ? code : vida__add_hessian(&self->model.evaluator, t, y, v, mass_only, own->hessian);
  for (int i = 0; i < n; i++) {
    rows[i] = -own->force[i];
  }
  add_product(own, own->hessian, dv, rows);
  return code;
}

/* g, or where a row has no such level, or the level is that of velocities, G v + g_t. */
static int constraint_rows(VidaIntegration* self, double t, const double* y, const double* dy,
                           double* rows) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  const double* v = y + self->model.n;
  const size_t bytes = (size_t)self->model.m * sizeof *rows;
  int code = VIDA_SUCCESS;
  if (own->level == VIDA_AT_ACCELERATION) {
    memcpy(rows, own->rows, bytes);
    vida__add_constraint_velocity(system, own->entries, 1.0, dy + self->model.n, rows);
    return code;
  }
  if (own->level == VIDA_AT_VELOCITY || system->nonholonomic) {
    code = vida__constraint_rate(&self->model.evaluator, t, y, own->rows);
    vida__add_constraint_velocity(system, own->entries, 1.0, v, own->rows);
  }
  if (own->level == VIDA_AT_VELOCITY) {
    memcpy(rows, own->rows, bytes);
    return code;
  }
  code = code ? code : vida__constraints(&self->model.evaluator, t, y, NULL, rows);
  for (int r = 0; r < self->model.m && system->nonholonomic; r++) {
    rows[r] = system->rows[r].is_nonholonomic ? own->rows[r] : rows[r];
  }
  return code;
}

/* g = 0 of the multipliers mu; nonholonomic rows have none. */
static int projection_rows(VidaIntegration* self, double t, const double* y, double* rows) {
  const vida_reference_ida* own = self->state;
  const int code = vida__constraints(&self->model.evaluator, t, y, NULL, rows);
  for (int r = 0; r < self->model.m; r++) {
    if (own->is_dependent[r] || self->model.system->rows[r].is_nonholonomic) {
      rows[r] = y[own->mu + r];
    }
  }
  return code;
}

static int residual(void* data, double t, const double* y, const double* dy, double* r) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  int code = vida__interrupted(self, t);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, y, own->entries);
  code = code ? code : motion_rows(self, t, y, dy, r);
  if (code) {
    return code;
  }
  memset(r, 0, (size_t)n * sizeof *r);
  if (own->projects) {
    vida__add_reaction(system, own->entries, 1.0, y + own->mu, r);
  }
  for (int i = 0; i < n; i++) {
    r[i] = dy[i] - y[n + i] + own->metric[i] * r[i];
  }
  vida__add_reaction(system, own->entries, 1.0, y + own->lambda, r + n);
  code = constraint_rows(self, t, y, dy, r + own->lambda);
  for (int k = 0; k < self->model.m; k++) {
    if (own->is_dependent[k]) {
      r[own->lambda + k] = y[own->lambda + k];
    }
  }
  return code || !own->projects ? code : projection_rows(self, t, y, r + own->mu);
}

/* ---- Jacobian -------------------------------------------------------------------------------- */

static int find_block(VidaIntegration* self, double t, const double* q, const double* v,
                      vida_hessian_weights weights, double* matrix) {
  memset(matrix, 0, (size_t)self->model.system->pattern.entries * sizeof *matrix);
  return vida__add_hessian(&self->model.evaluator, t, q, v, weights, matrix);
}

static void scatter_position(const vida_reference_ida* own, const double* block, double weight,
                             double* matrix) {
  for (int k = 0; k < own->block_count; k++) {
    matrix[own->block[k].by_position] += weight * block[own->block[k].entry];
  }
}

static void scatter_velocity(const vida_reference_ida* own, const double* block, double weight,
                             double* matrix) {
  for (int k = 0; k < own->block_count; k++) {
    matrix[own->block[k].by_velocity] += weight * block[own->block[k].entry];
  }
}

/* How what is evaluated changes along the motion: central differences over a small part of the
 * step, so that their error is far below what h^2 makes of it. */
static double difference_step(const vida_reference_ida* own) {
  return 0.01 / own->c;
}

static void move(VidaIntegration* self, double shift, const double* y, const double* dy) {
  const vida_reference_ida* own = self->state;
  const int n = self->model.n;
  for (int i = 0; i < n; i++) {
    own->moved_q[i] = y[i] + shift * y[n + i];
    own->moved_v[i] = y[n + i] + shift * dy[n + i];
  }
}

/* With accelerations the equations of motion are D L_v - L_q, where D is the derivative along
 * (v, v', 1): their derivatives with respect to q and v have D L_vq and D L_vv + L_vq. */
static int add_changing_mass(VidaIntegration* self, double t, const double* y, const double* dy,
                             double* matrix) {
  vida_reference_ida* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_hessian_weights mixed_only = {0.0, 0.0, 1.0, 0.0};
  const double step = difference_step(own);
  scatter_velocity(own, own->l_vq, 1.0, matrix);
  for (int side = -1; side <= 1; side += 2) {
    const double weight = side / (2.0 * step);
    move(self, side * step, y, dy);
    int code =
        find_block(self, t + side * step, own->moved_q, own->moved_v, mixed_only, own->hessian);
    if (code) {
      return code;
    }
    scatter_position(own, own->hessian, weight, matrix);
    code = find_block(self, t + side * step, own->moved_q, own->moved_v, mass_only, own->hessian);
    if (code) {
      return code;
    }
    scatter_velocity(own, own->hessian, weight, matrix);
  }
  return VIDA_SUCCESS;
}

/* The equations of motion by q and v, with p eliminated. */
static int add_motion(VidaIntegration* self, double t, const double* y, const double* dy,
                      double* matrix) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  const double* v = y + self->model.n;
  int code = find_block(self, t, y, v, (vida_hessian_weights){.vv = 1.0}, own->l_vv);
  if (!code && !system->constant_mass) {
    code = find_block(self, t, y, v, (vida_hessian_weights){.vq = 1.0}, own->l_vq);
  }
  code = code ? code : find_block(self, t, y, v, (vida_hessian_weights){.qq = -1.0}, own->hessian);
  code =
      code ? code
           : vida__add_curvature(&self->model.evaluator, t, y, 1.0, y + own->lambda, own->hessian);
  if (code) {
    return code;
  }
  scatter_position(own, own->hessian, 1.0, matrix);
  scatter_velocity(own, own->l_vv, own->c, matrix);
  if (own->in_momenta) {
    scatter_position(own, own->l_vq, own->c, matrix);
  } else if (!system->constant_mass) {
    code = add_changing_mass(self, t, y, dy, matrix);
  }
  if (!code && (!system->constant_mass || system->has_forces)) {
    code = find_block(self, t, y, v, (vida_hessian_weights){.qv = -1.0}, own->hessian);
    scatter_velocity(own, own->hessian, 1.0, matrix);
  }
  return code;
}

/* How G and (G v + g_t)_q change along the motion, into own->turns and own->changes. */
static int find_changes(VidaIntegration* self, double t, const double* y, const double* dy) {
  vida_reference_ida* own = self->state;
  const int count = self->model.system->entry_count;
  const double step = difference_step(own);
  double* at = own->hessian; /* the KKT pattern has a place for every entry of G */
  memset(own->turns, 0, (size_t)count * sizeof *own->turns);
  memset(own->changes, 0, (size_t)count * sizeof *own->changes);
  for (int side = -1; side <= 1; side += 2) {
    const double weight = side / (2.0 * step);
    move(self, side * step, y, dy);
    int code = vida__jacobian(&self->model.evaluator, t + side * step, own->moved_q, at);
    for (int e = 0; e < count && !code; e++) {
      own->turns[e] += weight * at[e];
    }
    code = code ? code
                : vida__velocity_gradient(&self->model.evaluator, t + side * step, own->moved_q,
                                          own->moved_v, at);
    if (code) {
      return code;
    }
    for (int e = 0; e < count; e++) {
      own->changes[e] += weight * at[e];
    }
  }
  return VIDA_SUCCESS;
}

/* Rows of lambda by q and v. */
static int add_rows(VidaIntegration* self, double t, const double* y, const double* dy,
                    double* matrix) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  int code = VIDA_SUCCESS;
  if (own->level != VIDA_AT_POSITION || system->nonholonomic) {
    code = vida__velocity_gradient(&self->model.evaluator, t, y, y + self->model.n, own->slopes);
  }
  if (!code && own->level == VIDA_AT_ACCELERATION) {
    code = find_changes(self, t, y, dy);
  }
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_entry_slots* at = &own->entry[e];
    const int r = system->entries[e].row;
    if (own->is_dependent[r]) {
      continue;
    }
    if (own->level == VIDA_AT_ACCELERATION) {
      matrix[at->row_position] += own->changes[e];
      matrix[at->row_velocity] += own->c * own->entries[e] + own->turns[e] + own->slopes[e];
    } else if (own->level == VIDA_AT_VELOCITY || system->rows[r].is_nonholonomic) {
      matrix[at->row_position] += own->slopes[e];
      matrix[at->row_velocity] += own->entries[e];
    } else {
      matrix[at->row_position] += own->entries[e];
    }
  }
  return code;
}

/* q' - v + W G^T mu, and the rows of mu. */
static int add_projection(VidaIntegration* self, double t, const double* y, double* matrix) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(own->hessian, 0, (size_t)system->pattern.entries * sizeof(double));
  const int code =
      vida__add_curvature(&self->model.evaluator, t, y, 1.0, y + own->mu, own->hessian);
  for (int k = 0; k < own->block_count; k++) {
    const vida_block_slots* at = &own->block[k];
    matrix[at->by_projection] += own->metric[at->row] * own->hessian[at->entry];
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const vida_entry_slots* at = &own->entry[e];
    matrix[at->projection] += own->metric[entry->coordinate] * own->entries[e];
    if (!own->is_dependent[entry->row] && !system->rows[entry->row].is_nonholonomic) {
      matrix[at->position_row] += own->entries[e];
    }
  }
  return code;
}

/* Rows and columns in units of the motion. What is left is of size one for every c, and but for
 * terms that are small in h the same: factors serve while c changes. */
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
    const bool has_no_position = own->level == VIDA_AT_POSITION && system->rows[r].is_nonholonomic;
    own->row_scale[2 * n + r] =
        1.0 / (stiffness * of_level[has_no_position ? VIDA_AT_VELOCITY : own->level]);
    own->column_scale[2 * n + r] = c * c / stiffness;
    if (own->is_dependent[r]) {
      own->row_scale[2 * n + r] = stiffness / (c * c);
    }
  }
  for (int r = 0; r < m && own->projects; r++) {
    const double stiffness = self->model.matrix_stiffness[r];
    const double stretch = own->rate[r]; /* |M^(1/2) W G^T| of the row */
    own->column_scale[2 * n + m + r] = c / stretch;
    own->row_scale[2 * n + m + r] =
        own->is_dependent[r] || system->rows[r].is_nonholonomic ? stretch / c : 1.0 / stiffness;
  }
}

/* |M^(1/2) W G^T| by rows, into own->rate. */
static void measure_projection(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(own->rate, 0, (size_t)self->model.m * sizeof *own->rate);
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const double size = self->model.matrix_root[i] * own->metric[i] * own->entries[e];
    own->rate[system->entries[e].row] += size * size;
  }
  for (int r = 0; r < self->model.m; r++) {
    own->rate[r] = own->rate[r] > 0.0 ? sqrt(own->rate[r]) : 1.0;
  }
}

static void scale_matrix(const vida_reference_ida* own, double* matrix) {
  const vida_pattern* pattern = &own->pattern;
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      matrix[k] *= own->row_scale[pattern->row[k]] * own->column_scale[j];
    }
  }
}

static int jacobian(void* data, double t, double c, const double* y, const double* dy,
                    double* matrix) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  own->c = c;
  int code = vida__jacobian(&self->model.evaluator, t, y, own->entries);
  code = code ? code : add_motion(self, t, y, dy, matrix);
  code = code ? code : add_rows(self, t, y, dy, matrix);
  code = code || !own->projects ? code : add_projection(self, t, y, matrix);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    matrix[own->position_diagonal[i]] += c;
    matrix[own->velocity_diagonal[i]] -= 1.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    matrix[own->entry[e].reaction] += own->entries[e];
  }
  for (int r = 0; r < self->model.m; r++) {
    matrix[own->lambda_diagonal[r]] += own->is_dependent[r] ? 1.0 : 0.0;
    if (own->projects && (own->is_dependent[r] || system->rows[r].is_nonholonomic)) {
      matrix[own->mu_diagonal[r]] += 1.0;
    }
  }
  if (own->projects) {
    measure_projection(self);
  }
  find_scales(self, c);
  scale_matrix(own, matrix);
  return VIDA_SUCCESS;
}

/* p' - ... has c p, and p = L_vq q + L_vv v + its own right side. */
static void reduce(void* data, double c, const double* right_side, double* reduced) {
  VidaIntegration* self = data;
  const vida_reference_ida* own = self->state;
  const int n = self->model.n;
  find_scales(self, c);
  memcpy(reduced, right_side, 2 * (size_t)n * sizeof *reduced);
  for (int i = 0; i < n && own->in_momenta; i++) {
    reduced[n + i] -= c * right_side[own->p + i];
  }
  memcpy(reduced + 2 * n, right_side + own->lambda,
         (size_t)(own->reduced_size - 2 * n) * sizeof *reduced);
  for (int i = 0; i < own->reduced_size; i++) {
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
  for (int i = 2 * n; i < own->reduced_size; i++) {
    x[own->lambda + i - 2 * n] = own->column_scale[i] * reduced[i];
  }
  if (own->in_momenta) {
    memcpy(x + own->p, right_side + own->p, (size_t)n * sizeof *x);
    add_product(own, own->l_vv, x + n, x + own->p);
    if (!self->model.system->constant_mass) {
      add_product(own, own->l_vq, x, x + own->p);
    }
  }
}

/* ---- weights --------------------------------------------------------------------------------- */

static void grow(const int* family, int count, const double* values, double* size) {
  for (int i = 0; i < count; i++) {
    size[family[i]] = fmax(size[family[i]], fabs(values[i]));
  }
}

/* Multipliers are extrapolated worse than the rest, and one Newton iteration makes them as good as
 * its matrix is; more iterations for their sake alone would cost more than they are worth. */
static const double slack = 1000.0;

/* By rows, the tolerance of G^T lambda whose parts are those of `tolerance` (n); what has no part
 * in a row does not count. */
static void find_row_tolerance(const VidaIntegration* self, const double* tolerance) {
  const vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  for (int r = 0; r < self->model.m; r++) {
    own->row_tolerance[r] = INFINITY;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double size = fabs(own->entries[e]);
    if (size > 0.0) {
      own->row_tolerance[entry->row] =
          fmin(own->row_tolerance[entry->row], slack * tolerance[entry->coordinate] / size);
    }
  }
}

static double weight_of(double tolerance) {
  return 1.0 / fmax(tolerance, 1e3 * DBL_MIN);
}

/* 1 / (rtol |y| + atol) for all of them, as a plain program has it; a coordinate's own atol is that
 * of its velocity and momentum, too. */
static void raw_weights(const VidaIntegration* self, const double* y, double* weight) {
  const vida_reference_ida* own = self->state;
  const double asked = VidaOptions_Get(self->options, "atol");
  const double others = isnan(asked) ? own->rtol : asked;
  for (int i = 0; i < own->size; i++) {
    const double atol = i < own->lambda ? self->model.atol[i % self->model.n] : others;
    weight[i] = weight_of(own->rtol * fabs(y[i]) + (isnan(atol) ? others : atol));
  }
}

/* Of a sum of forces, beside its terms. */
static const double rounding = 64.0 * DBL_EPSILON;

/* What the rounding of constraint forces makes of each momentum in a step. */
static void find_rounding(const VidaIntegration* self, double h, double* impulse) {
  const vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(impulse, 0, (size_t)self->model.n * sizeof *impulse);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    impulse[entry->coordinate] +=
        rounding * h * fabs(own->entries[e]) * own->multiplier_size[entry->row];
  }
}

/* Multipliers: what they may change in a step is what velocities, and mu what positions may. */
static void multiplier_weights(const VidaIntegration* self, double h, const double* y,
                               const double* position, const double* velocity, double* weight) {
  const vida_reference_ida* own = self->state;
  double* tolerance = own->force;
  for (int i = 0; i < self->model.n; i++) {
    tolerance[i] = self->model.root_mass[i] * self->model.root_mass[i] * velocity[i] / h;
  }
  find_row_tolerance(self, tolerance);
  for (int r = 0; r < self->model.m; r++) {
    own->row_tolerance[r] = fmax(own->row_tolerance[r], rounding * own->multiplier_size[r]);
    const double size = fmax(own->multiplier_size[r], fabs(y[own->lambda + r]));
    const double plain = own->rtol * size;
    own->multiplier_size[r] = size;
    weight[own->lambda + r] =
        weight_of(own->scales_multipliers && own->suppresses ? own->row_tolerance[r] : plain);
  }
  if (!own->projects) {
    return;
  }
  for (int i = 0; i < self->model.n; i++) {
    tolerance[i] = position[i] / (h * own->metric[i]);
  }
  find_row_tolerance(self, tolerance);
  for (int r = 0; r < self->model.m; r++) {
    weight[own->mu + r] = weight_of(own->row_tolerance[r]);
  }
}

static void weights(void* data, double h, const double* y, double* weight) {
  VidaIntegration* self = data;
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  double *position = own->moved_q, *velocity = own->moved_v;
  if (own->raw) {
    raw_weights(self, y, weight);
    return;
  }
  find_rounding(self, h, own->force);
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
    if (own->level == VIDA_AT_POSITION && own->suppresses && own->scales_multipliers) {
      velocity[i] = fmax(velocity[i], position[i] / h);
    }
    weight[i] = weight_of(position[i]);
    weight[n + i] = weight_of(velocity[i]);
    if (own->in_momenta) {
      const double mass = self->model.root_mass[i] * self->model.root_mass[i];
      const double least = mass * velocity[i] + own->rtol * fabs(y[own->p + i]);
      weight[own->p + i] = weight_of(fmax(least, own->force[i]));
    }
  }
  multiplier_weights(self, h, y, position, velocity, weight);
}

/* ---- ends of steps --------------------------------------------------------------------------- */

static int accept(void* data, double t, const double* y, VidaError* error) {
  VidaIntegration* self = data;
  return vida__follow_motion(self, t, y, error);
}

const vida_ida_functions vida__reference_ida_functions = {residual, jacobian, reduce,
                                                          expand,   weights,  accept};
