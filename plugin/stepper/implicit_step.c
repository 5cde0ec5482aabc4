/* What methods have in common: sums, sizes, guesses, solving, projecting. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/exact_sum.h"
#include "base/text.h"
#include "stepper/frame.h"
#include "system/constraints/singular.h"

double vida__node_time(const VidaIntegration* self) {
  return self->node.t0 + (double)self->node.step * self->node.h;
}

double vida__next_time(const VidaIntegration* self) {
  return self->node.t0 + (double)(self->node.step + 1) * self->node.h;
}

void vida__add_compensated(double* sum, double* low, double increment) {
  double left;
  const double total = vida__add_exactly(*sum, increment, &left);
  *sum = vida__add_exactly(total, *low + left, low);
}

void vida__advance_positions(VidaIntegration* self, const double* w) {
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->node.h * w[i]);
  }
}

void vida__find_place(const VidaIntegration* self, const double* w, double c, double* place) {
  const double distance = c * self->node.h;
  for (int i = 0; i < self->model.n; i++) {
    place[i] = self->node.q[i] + distance * w[i];
  }
}

double vida__place_time(const VidaIntegration* self, double c) {
  return vida__node_time(self) + c * self->node.h;
}

void vida__add_impulses(VidaIntegration* self, const double* entries, double weight,
                        const double* mu) {
  const VidaSystem* system = self->model.system;
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i],
                          weight * mu[entry->row] * entries[e]);
  }
}

/* ---- what failed ----------------------------------------------------------------------------- */

int vida__evaluation_failed(VidaIntegration* self, int code, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  const char* message = self->model.evaluator.error.message;
  vida__fail(error, code, "at t = %s: %s", vida__real_text(t, vida__node_time(self), 10),
             *message ? message : Vida_CodeText(code));
  if (error && code == VIDA_STEP_SINGULAR && !*message) {
    vida__append_open(self, error->message, VIDA_MESSAGE_SIZE);
  }
  return code;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Forces of the start by size: |L_q| and |L_qq| |q|, so that springs in balance count, too. */
static int measure_forces(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  const vida_pattern* pattern = &system->pattern;
  const vida_hessian_weights positions_only = {1.0, 0.0, 0.0, 0.0};
  double* matrix = self->model.node_matrix->values;
  int code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                            self->work.l_q, self->work.l_v);
  vida__linear_clear(self->model.node_matrix);
  code = code ? code
              : vida__add_hessian(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                                  positions_only, matrix);
  for (int i = 0; i < self->model.n; i++) {
    self->model.force_size[i] = fabs(self->work.l_q[i]) + fabs(system->uniform_force[i]);
  }
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n) {
        self->model.force_size[pattern->row[k]] += fabs(matrix[k] * self->node.q[j]);
      }
    }
  }
  return code;
}

static int measure_masses(VidaIntegration* self, VidaError* error) {
  double* mass = self->model.root_mass;
  const int code = vida__find_masses(&self->model.evaluator, self->node.t0, self->node.q,
                                     self->node.v, self->model.node_matrix->values, mass);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    self->model.root_mass[i] = sqrt(mass[i]);
    self->model.inverse_root[i] = 1.0 / self->model.root_mass[i];
  }
  return VIDA_SUCCESS;
}

/* ---- sizes of components ----------------------------------------------------------------------
 */

static void share_size(const int* coordinates, int count, double* size) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, size[coordinates[i]]);
  }
  for (int i = 0; i < count; i++) {
    size[coordinates[i]] = largest;
  }
}

/* Components of a unit vector, or of a quaternion, are of one size: where they point to is the
 * user's choice. */
static void share_direction_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    if (motion->kind == VIDA_MOTION_DIRECTION) {
      share_size(motion->coordinate, system->dimension, size);
    } else if (motion->kind == VIDA_MOTION_QUATERNION) {
      share_size(motion->coordinate, 4, size);
    }
  }
}

/* So are those of velocities: along which axes a point moves. */
void vida__share_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->particle_count; k++) {
    const int first = system->particles[k].coordinate;
    share_size((int[]){first, first + 1, first + 2}, system->dimension, size);
  }
  for (int k = 0; k < system->motion_count; k++) {
    if (system->motions[k].kind == VIDA_MOTION_POINT) {
      share_size(system->motions[k].coordinate, system->dimension, size);
    }
  }
  share_direction_sizes(system, size);
}

static int measure_rows(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  const int code =
      vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, self->work.entries);
  memset(self->model.row_stiffness, 0, (size_t)self->model.m * sizeof(double));
  for (int r = 0; r < self->model.m; r++) {
    self->model.value_size[r] = system->rows[r].length;
  }
  double* position = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    position[i] = fabs(self->node.q[i]);
  }
  share_direction_sizes(system, position);
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const double scaled = self->work.entries[e] / self->model.root_mass[i];
    self->model.row_stiffness[system->entries[e].row] += scaled * scaled;
    self->model.value_size[system->entries[e].row] += fabs(self->work.entries[e]) * position[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = sqrt(self->model.row_stiffness[r]);
    self->model.row_stiffness[r] = stiffness > 0.0 ? stiffness : 1.0;
  }
  vida__measure_light(self);
  return code;
}

int vida__measure_sizes(VidaIntegration* self, VidaError* error) {
  int code = measure_masses(self, error);
  if (code) {
    return code;
  }
  code = measure_forces(self);
  code = code ? code : measure_rows(self);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

void vida__measure_strength(VidaIntegration* self, const double* entries, const double* lambda,
                            double* strength) {
  const VidaSystem* system = self->model.system;
  double* row_force = self->work.constraint_work;
  memcpy(strength, self->model.force_size, (size_t)self->model.n * sizeof *strength);
  memset(row_force, 0, (size_t)self->model.m * sizeof *row_force);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] += fabs(entries[e] * lambda[entry->row]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    if (entries[e] != 0.0) {
      row_force[entry->row] =
          fmax(row_force[entry->row], strength[i] * self->model.inverse_root[i]);
    }
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] +=
        fabs(entries[e]) * row_force[entry->row] / self->model.row_stiffness[entry->row];
  }
}

/* Relative to G M^-1 G^T: small beside all that a step needs of it, large beside rounding. */
static const double regularization = 1e-10;

/* Whether the map has the constraints among its rows. */
static bool has_constraint_rows(const VidaIntegration* self) {
  return self->implicit.map && self->implicit.rows.pattern == &self->model.system->pattern;
}

int vida__find_redundancy(VidaIntegration* self, VidaError* error) {
  self->model.redundant = false;
  if (has_constraint_rows(self)) {
    vida__map_set_redundancy(self->implicit.map, NULL);
  }
  if (!self->model.rank || self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__rank_find(self->model.rank, self->work.entries, error);
  self->model.redundant = !code && vida__rank_dependent_count(self->model.rank) > 0;
  double* mass = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    mass[i] = self->model.root_mass[i] * self->model.root_mass[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = self->model.row_stiffness[r];
    self->model.redundancy[r] = regularization * stiffness * stiffness;
  }
  if (self->model.redundant) {
    vida__rank_narrow_shift(self->model.rank, self->work.entries, mass, self->model.redundancy);
  }
  if (self->model.redundant && has_constraint_rows(self)) {
    vida__map_set_redundancy(self->implicit.map, self->model.redundancy);
  }
  return code;
}

double vida__measure_motion(const VidaIntegration* self) {
  double size = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double impulse = fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i];
    const double scaled = impulse / self->model.matrix_root[i];
    size = scaled > size ? scaled : size;
  }
  if (self->implicit.history_count) {
    const double* mu = self->implicit.history[0] + self->model.n;
    for (int r = 0; r < self->model.m; r++) {
      const double scaled = fabs(mu[r]) * self->model.matrix_stiffness[r];
      size = scaled > size ? scaled : size;
    }
  }
  if (!self->implicit.history_count) {
    size = fmax(size, fabs(self->node.h) * self->model.tension);
  }
  return size > 0.0 ? size : 1.0;
}

/* Whether the rounding of g itself, divided by h, shows in the rows of constraints: where g is not
 * taken by increments, and where rows depend on each other, whose roundings do not. */
static bool has_rounded_rows(const VidaIntegration* self) {
  return !self->model.has_increments || self->model.redundant;
}

double vida__constraint_size(const VidaIntegration* self, int row, double motion) {
  const double size = motion * self->model.matrix_stiffness[row];
  if (!has_rounded_rows(self)) {
    return size;
  }
  /* No less can be asked for. */
  return fmax(size, 4.0 * DBL_EPSILON * self->model.value_size[row] /
                        (fabs(self->node.h) * self->implicit.tolerance));
}

static void set_scales(VidaIntegration* self) {
  const double motion = vida__measure_motion(self);
  if (!self->implicit.map) {
    return;
  }
  /* Scales need no precision: they stay until the motion has grown or shrunk by two. */
  if (motion < 2.0 * self->implicit.scaled_for && 2.0 * motion > self->implicit.scaled_for) {
    return;
  }
  self->implicit.scaled_for = motion;
  for (int i = 0; i < self->model.n; i++) {
    const double root = self->model.matrix_root[i];
    vida__map_set_size(self->implicit.map, i, motion * root, motion / root);
  }
  for (int r = 0; r < self->model.m; r++) {
    vida__map_set_size(self->implicit.map, self->model.n + r,
                       vida__constraint_size(self, r, motion),
                       motion / self->model.matrix_stiffness[r]);
  }
}

void vida__step_sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const VidaSystem* system = self->model.system;
  const double* mu = u + self->model.n;
  double* rows = size + self->model.n;
  double* speed = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    const double mass = self->model.root_mass[i] * self->model.root_mass[i];
    const double moving = fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i];
    speed[i] = fabs(u[i]) + moving * self->model.inverse_root[i] * self->model.inverse_root[i];
    size[i] = moving + mass * fabs(u[i]);
  }
  for (int r = 0; r < self->model.m; r++) {
    rows[r] = has_rounded_rows(self) ? self->model.value_size[r] / fabs(self->node.h) : 0.0;
    /* Rows that depend on each other round in common, also those that nothing moves along. */
    rows[r] +=
        self->model.redundant ? self->implicit.scaled_for * self->model.row_stiffness[r] : 0.0;
  }
  vida__share_sizes(system, speed);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double gradient = fabs(self->implicit.entries0[e]);
    size[entry->coordinate] += gradient * fabs(mu[entry->row]);
    rows[entry->row] += gradient * speed[entry->coordinate];
  }
  vida__share_sizes(system, size);
}

/* ---- constant masses --------------------------------------------------------------------------
 */

int vida__apply_mass(VidaIntegration* self, const double* v, double* p) {
  const VidaSystem* system = self->model.system;
  if (system->has_coupled_mass) {
    return vida__gradient_of(&self->model.evaluator, VIDA_PART_KINETIC, vida__node_time(self),
                             self->node.q, v, self->work.mass_work, p);
  }
  for (int i = 0; i < self->model.n; i++) {
    p[i] = system->mass[i] * v[i];
  }
  return VIDA_SUCCESS;
}

int vida__solve_mass(VidaIntegration* self, const double* p, double* v) {
  const VidaSystem* system = self->model.system;
  if (system->has_coupled_mass) {
    double* side = self->work.mass_work;
    memcpy(side, p, (size_t)self->model.n * sizeof *p);
    memset(side + self->model.n, 0, (size_t)self->model.m * sizeof *side);
    const int code = vida__linear_solve(self->model.mass_matrix, side, side);
    memcpy(v, side, (size_t)self->model.n * sizeof *v);
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    v[i] = p[i] / system->mass[i];
  }
  return VIDA_SUCCESS;
}

/* ---- guess and solution ---------------------------------------------------------------------- */

void vida__guess_free_flight(void* data, double* u) {
  VidaIntegration* self = data;
  const VidaSystem* system = self->model.system;
  const double* w = self->implicit.history_count ? self->implicit.history[0] : self->node.v;
  for (int i = 0; i < self->model.n; i++) {
    u[i] = w[i];
  }
  if (system->separable ||
      (system->constant_mass && self->model.mass_matrix && !self->model.has_singular_mass)) {
    vida__solve_mass(self, self->node.p, u);
  }
  memset(u + self->model.n, 0, (size_t)self->model.m * sizeof *u);
}

double vida__largest_turn(const VidaSystem* system, const double* before, const double* after,
                          double* sizes) {
  double largest = 0.0;
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    double change = 0.0;
    double size = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double difference = after[e] - before[e];
      change += difference * difference;
      size += after[e] * after[e];
    }
    if (sizes) {
      size = sizes[row] = fmax(sizes[row], size);
    }
    largest = change > largest * size ? change / size : largest;
  }
  return largest;
}

/* Below about 0.03 rad, below about 0.3 rad, or more. */
typedef enum turn { HARDLY, SOMEWHAT, MUCH } turn;

static turn find_turn(const VidaSystem* system, const double* before, const double* after) {
  const double turned = vida__largest_turn(system, before, after, NULL);
  return turned > 0.1 ? MUCH : turned > 1e-3 ? SOMEWHAT : HARDLY;
}

/* In the last step; one step alone says nothing. */
static turn find_last_turn(const VidaIntegration* self) {
  return self->implicit.history_count < 2
             ? MUCH
             : find_turn(self->model.system, self->implicit.entries_before,
                         self->implicit.entries0);
}

/* Extrapolation of the last unknowns, quadratic as soon as there are three, where it can be
 * trusted. */
static void guess_unknown(VidaIntegration* self) {
  const size_t size = (size_t)(self->model.n + self->model.m);
  double* u = self->implicit.unknown;
  double** past = self->implicit.history;
  self->implicit.last_turn = (int)find_last_turn(self);
  if (self->implicit.history_count == 0) {
    memset(u, 0, size * sizeof *u);
    memcpy(u, self->node.v, (size_t)self->model.n * sizeof *u);
    return;
  }
  /* After a step that has turned far, going on as before is no good guess. */
  if (self->implicit.last_turn == MUCH) {
    vida__guess_free_flight(self, u);
    return;
  }
  for (size_t i = 0; i < size; i++) {
    u[i] = self->implicit.history_count == 2 ? 2.0 * past[0][i] - past[1][i]
                                             : 3.0 * (past[0][i] - past[1][i]) + past[2][i];
  }
  /* What the equations leave open of the multipliers would grow from step to step. */
  for (int r = 0; r < self->model.m && self->model.redundant; r++) {
    u[self->model.n + r] = 0.0;
  }
}

/* How far g at a node follows its evaluation. Rounding of that would be divided by h and shake the
 * multipliers; what the increments have made of g is free of it, but wanders in many steps. */
static const double evaluated_share = 1e-3;

int vida__prepare_node(VidaIntegration* self, VidaError* error) {
  const double t = vida__node_time(self);
  int code = VIDA_SUCCESS;
  if (self->implicit.has_g_node) {
    memcpy(self->implicit.g0, self->implicit.g_node,
           (size_t)self->model.m * sizeof *self->implicit.g0);
  } else {
    code = vida__constraints(&self->model.evaluator, t, self->node.q, self->node.q_low,
                             self->implicit.g0);
  }
  if (!code && self->implicit.has_tracked) {
    vida__track_constraints(self->model.system, evaluated_share, self->implicit.g_tracked,
                            self->implicit.g0);
  }
  double* before = self->implicit.entries_before;
  self->implicit.entries_before = self->implicit.entries0;
  self->implicit.entries0 = before;
  code = code ? code
              : vida__jacobian(&self->model.evaluator, t, self->node.q, self->implicit.entries0);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

int vida__prepare_step(VidaIntegration* self, VidaError* error) {
  const int code = vida__prepare_node(self, error);
  if (!code) {
    guess_unknown(self);
    set_scales(self);
  }
  return code;
}

static void remember_unknown(VidaIntegration* self) {
  double* oldest = self->implicit.history[VIDA_HISTORY - 1];
  for (int k = VIDA_HISTORY - 1; k > 0; k--) {
    self->implicit.history[k] = self->implicit.history[k - 1];
  }
  self->implicit.history[0] = oldest;
  memcpy(oldest, self->implicit.unknown, (size_t)(self->model.n + self->model.m) * sizeof(double));
  if (self->implicit.history_count < VIDA_HISTORY) {
    self->implicit.history_count++;
  }
}

int vida__factor_matrix_at(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* v) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = self->model.node_matrix->values;
  vida__linear_clear(self->model.node_matrix);
  const int code = vida__add_hessian(&self->model.evaluator, t, q, v, mass_only, matrix);
  vida__add_columns(self->model.system, entries, 1.0, matrix);
  vida__add_rows(self->model.system, entries, 1.0, matrix);
  for (int r = 0; r < self->model.m && self->model.redundant; r++) {
    matrix[vida__constraint_diagonal(self->model.system, r)] -= self->model.redundancy[r];
  }
  for (int r = 0; r < self->model.m && self->softness && !self->model.redundant; r++) {
    matrix[vida__constraint_diagonal(self->model.system, r)] -= self->softness[r];
  }
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

int vida__factor_node_matrix(VidaIntegration* self, const double* entries, const double* v) {
  return vida__factor_matrix_at(self, vida__node_time(self), self->node.q, entries, v);
}

/* With the factors of the node matrix for the same entries: (G M^-1 G^T + E) nu = G M^-1 G^T mu,
 * once more for what the small E has left. */
int vida__find_least_norm(VidaIntegration* self, const double* entries, const double* mu) {
  enum { PASSES = 2 };
  double* step = self->work.node_step;
  double* left = self->work.constraint_work;
  double* nu = self->model.least_norm;
  const size_t bytes = (size_t)self->model.m * sizeof *nu;
  int code = VIDA_SUCCESS;
  memset(nu, 0, bytes);
  for (int pass = 0; pass < PASSES && !code; pass++) {
    memset(step, 0, (size_t)self->model.n * sizeof *step + bytes);
    for (int r = 0; r < self->model.m; r++) {
      left[r] = mu[r] - nu[r];
    }
    vida__add_reaction(self->model.system, entries, 1.0, left, step);
    code = vida__linear_solve(self->model.node_matrix, step, step);
    for (int r = 0; r < self->model.m && !code; r++) {
      nu[r] += step[self->model.n + r];
    }
  }
  return code;
}

static double measure_multipliers(const VidaIntegration* self, const double* mu) {
  double largest = 0.0;
  for (int r = 0; r < self->model.m; r++) {
    largest = fmax(largest, fabs(mu[r]) * self->model.row_stiffness[r]);
  }
  return largest;
}

/* What the equations leave open of the multipliers is taken out. Where a poor guess had made it so
 * large that its rounding shows in the forces, the step is solved once more without it. */
static int settle_multipliers(VidaIntegration* self, VidaError* error) {
  enum { MOST_ROUNDS = 3 };
  double* mu = self->implicit.unknown + self->model.n;
  const size_t bytes = (size_t)self->model.m * sizeof *mu;
  int code = VIDA_SUCCESS;
  for (int round = 0; round < MOST_ROUNDS && !code; round++) {
    code = vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
    code = code ? code : vida__find_least_norm(self, self->implicit.entries0, mu);
    if (code) {
      return vida__fail(error, code, "the multipliers of dependent constraints were not found");
    }
    const bool is_large =
        measure_multipliers(self, mu) >
        8.0 * fmax(measure_multipliers(self, self->model.least_norm), self->implicit.scaled_for);
    if (is_large || !self->reacts_between) {
      memcpy(mu, self->model.least_norm, bytes);
    }
    if (!is_large) {
      break;
    }
    code = vida__map_solve(self->implicit.map, self->implicit.unknown, error);
  }
  return code;
}

/* As h grows from zero, where the matrix of a step has n positive and m negative eigenvalues, the
 * solution moves continuously until its determinant vanishes; one with the other sign lies beyond
 * such a fold: a mechanism that has jumped to its other branch, a rod that has turned over. */
static int check_branch(VidaIntegration* self, VidaError* error) {
  const int expected = self->model.m % 2 == 0 ? 1 : -1;
  if (self->model.m == 0 || !has_constraint_rows(self) ||
      !(self->method->info.capabilities & VIDA_CAN_POSITION_LEVEL) ||
      self->implicit.last_turn == HARDLY) {
    return VIDA_SUCCESS;
  }
  for (int i = 0; i < self->model.n; i++) {
    self->work.q1[i] = self->node.q[i] + self->node.h * self->implicit.unknown[i];
  }
  /* Steps that turn little cannot have gone that far. */
  if (vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                     self->work.entries) ||
      find_turn(self->model.system, self->implicit.entries0, self->work.entries) != MUCH ||
      vida__map_sign(self->implicit.map) != -expected) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_OTHER_BRANCH, VIDA_OTHER_BRANCH_TEXT);
}

/* What the last step did, or a free flight at the start, where the first guess was a step of its
 * own velocities. */
static void guess_again(VidaIntegration* self) {
  if (self->implicit.history_count > 0) {
    memcpy(self->implicit.unknown, self->implicit.history[0],
           (size_t)(self->model.n + self->model.m) * sizeof(double));
  } else {
    vida__guess_free_flight(self, self->implicit.unknown);
  }
}

bool vida__append_open(VidaIntegration* self, char* text, size_t size) {
  const bool was_redundant = self->model.redundant;
  self->model.redundant = false;
  vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
  self->model.redundant = was_redundant;
  return vida__append_singular(self->model.system, self->model.node_matrix->values, text, size);
}

/* What the matrix of a step that failed leaves open. Trials of smaller steps have no need of it. */
static bool name_open(VidaIntegration* self, int code, char* text, size_t size) {
  const bool is_asked =
      code == VIDA_STEP_SINGULAR ||
      (code == VIDA_STEP_NOT_CONVERGED && !vida__is_nested(self) && !self->model.redundant);
  if (!is_asked) {
    return false;
  }
  return has_constraint_rows(self)
             ? vida__append_singular(self->model.system, vida__map_matrix(self->implicit.map), text,
                                     size)
             : vida__append_open(self, text, size);
}

int vida__solve_step(VidaIntegration* self, VidaError* error) {
  VidaError local;
  int code = vida__map_solve(self->implicit.map, self->implicit.unknown, &local);
  code = code ? code : check_branch(self, &local);
  /* Other unknowns than (w, mu) have guesses of their own. */
  if (code == VIDA_STEP_NOT_CONVERGED && has_constraint_rows(self)) {
    guess_again(self);
    VidaError second;
    const int again = vida__map_solve(self->implicit.map, self->implicit.unknown, &second);
    code = again || check_branch(self, &second) ? code : VIDA_SUCCESS;
  }
  if (!code && self->model.redundant && has_constraint_rows(self)) {
    code = settle_multipliers(self, &local);
  }
  self->statistics.newton_iterations = vida__map_iterations(self->implicit.map);
  self->statistics.residual_evaluations = vida__map_residuals(self->implicit.map);
  self->statistics.jacobian_evaluations = vida__map_jacobians(self->implicit.map);
  if (code) {
    char step[VIDA_STEP_NAME_SIZE];
    char h[VIDA_REAL_TEXT_SIZE];
    char open[VIDA_MESSAGE_SIZE / 2] = "";
    const bool is_open = name_open(self, code, open, sizeof open);
    const bool ask_smaller =
        code == VIDA_STEP_NOT_CONVERGED && strcmp(local.flag, VIDA_OTHER_BRANCH) != 0;
    const char* advice = is_open && code == VIDA_STEP_SINGULAR ? ""
                         : code == VIDA_STEP_SINGULAR
                             ? "; the reason may be constraints that depend on each other, or that "
                               "meet at a singular point"
                         : ask_smaller ? "; the step is too large: try less than h = "
                                       : "";
    return vida__fail_flag(error, code, local.flag, "%s: %s%s%s%s", vida__name_step(self, step),
                           local.message, open, advice,
                           ask_smaller ? vida__real_text(h, vida__asked_step_size(self), 6) : "");
  }
  remember_unknown(self);
  /* Rows of constraints are g at the end over h. */
  const double* rows = vida__map_residual(self->implicit.map) + self->model.n;
  for (int r = 0; r < self->model.m; r++) {
    self->implicit.g_tracked[r] = self->node.h * rows[r];
  }
  self->implicit.has_tracked = true;
  return VIDA_SUCCESS;
}

void vida__swap_history(VidaIntegration* self, double** history, int* count) {
  vida_implicit* implicit = &self->implicit;
  for (int k = 0; k < VIDA_HISTORY; k++) {
    double* kept = implicit->history[k];
    implicit->history[k] = history[k];
    history[k] = kept;
  }
  const int kept_count = implicit->history_count;
  implicit->history_count = *count;
  *count = kept_count;
}

void vida__scale_history(VidaIntegration* self, double ratio) {
  for (int k = 0; k < VIDA_HISTORY; k++) {
    for (int r = 0; r < self->model.m; r++) {
      self->implicit.history[k][self->model.n + r] *= ratio;
    }
  }
}

void vida__copy_history(const VidaIntegration* from, VidaIntegration* to) {
  const size_t bytes = (size_t)(from->model.n + from->model.m) * sizeof(double);
  for (int k = 0; k < VIDA_HISTORY; k++) {
    memcpy(to->implicit.history[k], from->implicit.history[k], bytes);
  }
  to->implicit.history_count = from->implicit.history_count;
  memcpy(to->implicit.g_tracked, from->implicit.g_tracked, (size_t)from->model.m * sizeof(double));
  to->implicit.has_tracked = from->implicit.has_tracked;
}

void vida__forget_history(VidaIntegration* self) {
  self->implicit.history_count = 0;
}

void vida__forget_constraints(VidaIntegration* self) {
  self->implicit.has_tracked = false;
}

/* ---- projection ------------------------------------------------------------------------------ */

enum { MOST_PROJECTIONS = 8 };

/* The residual of the projection into node_step; its largest size relative to that of its rows. */
static int project_residual(VidaIntegration* self, double t, const double* q, const double* entries,
                            const double* p, const double* v, const double* nu, double* largest) {
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  double* r = self->work.node_step;
  int code = vida__gradient(&self->model.evaluator, t, q, v, self->work.l_q, self->work.l_v);
  code = code ? code : vida__constraint_rate(&self->model.evaluator, t, q, r + n);
  for (int i = 0; i < n; i++) {
    r[i] = self->work.l_v[i] - p[i];
  }
  vida__add_reaction(system, entries, 1.0, nu, r);
  vida__add_constraint_velocity(system, entries, 1.0, v, r + n);
  double motion = 0.0;
  for (int i = 0; i < n; i++) {
    motion = fmax(motion, fabs(p[i]) / self->model.root_mass[i]);
  }
  *largest = 0.0;
  for (int i = 0; i < n + self->model.m; i++) {
    const double size = i < n ? self->model.root_mass[i] : self->model.row_stiffness[i - n];
    *largest = fmax(*largest, fabs(r[i]) / size);
    r[i] = -r[i];
  }
  *largest = motion > 0.0 ? *largest / motion : *largest;
  return code;
}

int vida__project_velocity(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* p, double* v, double* nu, VidaError* error) {
  const int n = self->model.n;
  double* step = self->work.node_step;
  double* impulse = self->work.g_work;
  double residual = 0.0;
  double previous = INFINITY;
  int code = VIDA_SUCCESS;
  memset(impulse, 0, (size_t)self->model.m * sizeof *impulse);
  for (int k = 0; k < MOST_PROJECTIONS && !code; k++) {
    code = project_residual(self, t, q, entries, p, v, impulse, &residual);
    /* Rounding is reached when the residual is tiny, or small and no longer falling. Beside what is
     * very heavy and fast it may be tiny at first, and yet not that of the others. */
    if (code ||
        (k > 0 && (residual <= 2.0 * DBL_EPSILON || (residual < 1e-12 && residual >= previous)))) {
      break;
    }
    if (k == 0 || !self->model.system->separable) {
      code = vida__factor_matrix_at(self, t, q, entries, v);
    }
    code = code ? code : vida__linear_solve(self->model.node_matrix, step, step);
    for (int i = 0; i < n && !code; i++) {
      v[i] += step[i];
    }
    for (int r = 0; r < self->model.m && !code; r++) {
      impulse[r] += step[n + r];
    }
    previous = residual;
  }
  if (!code && self->model.redundant && isfinite(previous)) {
    code = vida__find_least_norm(self, entries, impulse);
    memcpy(impulse, self->model.least_norm, (size_t)self->model.m * sizeof *impulse);
  }
  if (code == VIDA_STEP_SINGULAR) {
    vida__fail(error, code,
               "the mass matrix or the constraints are singular: velocities cannot be projected");
    if (error) {
      vida__append_singular(self->model.system, self->model.node_matrix->values, error->message,
                            VIDA_MESSAGE_SIZE);
    }
    return code;
  }
  if (!code && !(residual < 1e-9)) {
    return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                      "the velocities at a node could not be found from the momenta");
  }
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  if (nu) {
    memcpy(nu, impulse, (size_t)self->model.m * sizeof *nu);
  }
  return VIDA_SUCCESS;
}
