/* Discrete Euler-Lagrange equations in generalized coordinates (Wendlandt and Marsden 1997,
 * eq. 4.12).
 *
 * With a chart q = phi(x) of the constraint manifold and the midpoint discrete Lagrangian of the
 * ambient coordinates, the discrete Lagrangian of the chart is Ld(phi(x0), phi(x1)), so that the
 * steps are those of del-midpoint (Theorem 1) without constraints or multipliers. A step solves
 *     J(x0)^T [L_v - h/2 L_q - p0] (q0 + h/2 w, w) = 0,   w = (phi(x1) - phi(x0)) / h
 * for s, x1 = x0 + h s; its matrix J(x0)^T H J(x1) needs no second derivatives of phi. The ambient
 * momenta are carried on, p1 = p0 + h L_q - G^T nu: nu, what the bracket has across the manifold,
 * is the impulse of the constraints, and this form keeps momentum maps where the equations are
 * solved to rounding only. */
#include "methods/variational/chart.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { MOST_RATE_STEPS = 8, MOST_COORDINATES = 10000 };

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Computes w, the middle of the step, the gradient of the Lagrangian there, and bracket = L_v - h/2
 * L_q - p0. The results of the last evaluation are kept, because the matrix and the end of a step
 * need them again. */
static int evaluate_bracket(VidaIntegration* self, const double* s) {
  vida_chart_state* own = self->state;
  const double h = self->node.h;
  const size_t bytes = (size_t)own->d * sizeof *s;
  if (own->is_evaluated && memcmp(own->evaluated, s, bytes) == 0) {
    return VIDA_SUCCESS;
  }
  own->is_evaluated = false;
  for (int k = 0; k < own->d; k++) {
    own->x1[k] = own->x[k] + h * s[k];
  }
  int code = vida__chart_increment(&own->tapes, own->x, own->x1, s, h, self->node.q, own->w_work,
                                   &self->model.evaluator.error);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * h * own->w_work[i];
  }
  code = vida__gradient(&self->model.evaluator, vida__node_time(self) + 0.5 * h, self->work.place,
                        own->w_work, self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n; i++) {
    own->bracket[i] = self->work.l_v[i] - 0.5 * h * self->work.l_q[i] - own->base[i];
  }
  memcpy(own->evaluated, s, bytes);
  own->is_evaluated = !code;
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const vida_chart_state* own = self->state;
  const int code = evaluate_bracket(self, u);
  vida__chart_pull(own->chart, own->entries, own->bracket, r);
  return code;
}

/* dw/ds = J(x1), for either formula of w. */
static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  vida_chart_state* own = self->state;
  const double h = self->node.h;
  const vida_hessian_weights weights = {-0.25 * h * h, -0.5 * h, 0.5 * h, 1.0};
  double* hessian = self->model.node_matrix->values;
  int code = evaluate_bracket(self, u);
  code = code ? code
              : vida__chart_jacobian(&own->tapes, own->x1, own->entries1,
                                     &self->model.evaluator.error);
  vida__linear_clear(self->model.node_matrix);
  code = code ? code
              : vida__add_hessian(&self->model.evaluator, vida__node_time(self) + 0.5 * h,
                                  self->work.place, own->w_work, weights, hessian);
  if (code) {
    return code;
  }
  vida__chart_multiply(self, hessian, own->entries1, own->product);
  vida__chart_pull_product(own, own->entries, own->product, own->gram);
  for (int row = 0; row < own->d; row++) {
    for (int column = 0; column < own->d; column++) {
      matrix[column * own->d + row] = own->gram[row * own->d + column];
    }
  }
  return VIDA_SUCCESS;
}

/* Computes the sizes of the terms of J^T [...]. */
static void sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const vida_chart_state* own = self->state;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  (void)u; /* own->w_work belongs to it */
  memset(size, 0, (size_t)own->d * sizeof *size);
  for (int e = 0; e < matrix->count; e++) {
    const int i = matrix->row[e];
    const double mass = self->model.root_mass[i] * self->model.root_mass[i];
    size[matrix->column[e]] +=
        fabs(own->entries[e]) * (fabs(self->node.p[i]) + mass * fabs(own->w_work[i]) +
                                 self->node.h * self->model.force_size[i]);
  }
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Solves J^T [L_v(q, J rate) - p] = 0 at the node for own->rate, from its current value. */
static int find_rate(VidaIntegration* self, double t, const double* p) {
  vida_chart_state* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* v = own->w_work;
  double previous = INFINITY;
  own->is_evaluated = false;
  for (int i = 0; i < MOST_RATE_STEPS; i++) {
    double largest = 0.0;
    vida__chart_push(own->chart, own->entries, own->rate, v);
    int code =
        vida__gradient(&self->model.evaluator, t, self->node.q, v, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int j = 0; j < self->model.n; j++) {
      own->bracket[j] = p[j] - self->work.l_v[j];
    }
    vida__chart_pull(own->chart, own->entries, own->bracket, own->right);
    sizes(self, NULL, own->trial);
    for (int k = 0; k < own->d; k++) {
      if (fabs(own->right[k]) > largest * own->trial[k]) {
        largest = fabs(own->right[k]) / own->trial[k];
      }
    }
    if (largest <= 2.0 * DBL_EPSILON || (largest < 1e-12 && largest >= previous)) {
      return VIDA_SUCCESS;
    }
    previous = largest;
    vida__linear_clear(self->model.node_matrix);
    code = vida__add_hessian(&self->model.evaluator, t, self->node.q, v, mass_only,
                             self->model.node_matrix->values);
    if (code) {
      return code;
    }
    vida__chart_multiply(self, self->model.node_matrix->values, own->entries, own->product);
    vida__chart_pull_product(own, own->entries, own->product, own->gram);
    const int rank = vida__chart_factor_gram(own, own->x1);
    if (rank < own->d) {
      return VIDA_STEP_SINGULAR;
    }
    vida__chart_solve_gram(own, rank, own->x1);
    for (int k = 0; k < own->d; k++) {
      own->rate[k] += own->solution[k];
    }
  }
  return previous < 1e-9 ? VIDA_SUCCESS : VIDA_STEP_NOT_CONVERGED;
}

/* ---- before a step --------------------------------------------------------------------------- */

/* Returns the largest of |p| and h |force|, each divided by the square root of its mass; 1 if
 * nothing moves. */
static double measure_motion(const VidaIntegration* self) {
  double motion = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double size = fabs(self->node.p[i]) + self->node.h * self->model.force_size[i];
    motion = fmax(motion, size * self->model.inverse_root[i]);
  }
  return motion > 0.0 ? motion : 1.0;
}

/* Guess: extrapolates the last unknowns, or takes the rate at the node, which is correct to first
 * order. */
static void guess_unknown(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  const size_t bytes = (size_t)own->d * sizeof(double);
  if (self->implicit.history.count < 2 || own->turned) {
    if (self->implicit.history.count) {
      const double* last = self->implicit.history.difference[0];
      memcpy(own->rate, last, bytes);
      if (find_rate(self, vida__node_time(self), self->node.p)) {
        memcpy(own->rate, last, bytes);
      }
    }
    memcpy(self->implicit.unknown, own->rate, bytes);
    return;
  }
  vida__extrapolate_unknown(self);
}

/* The initial guess of the line search: the rate at the node. */
static void guess_rate(void* data, double* u) {
  VidaIntegration* self = data;
  vida_chart_state* own = self->state;
  const size_t bytes = (size_t)own->d * sizeof *u;
  if (self->implicit.history.count) {
    memcpy(own->rate, self->implicit.history.difference[0], bytes);
  }
  if (find_rate(self, vida__node_time(self), self->node.p) && self->implicit.history.count) {
    memcpy(own->rate, self->implicit.history.difference[0], bytes);
  }
  memcpy(u, own->rate, bytes);
}

static int prepare(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  const int code = vida__jacobian(&self->model.evaluator, vida__node_time(self), self->node.q,
                                  self->implicit.entries0);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    own->base[i] = self->node.p[i] + self->node.p_low[i];
  }
  own->is_evaluated = false;
  own->kappa = self->node.step == 0 ? 0.5 : 1.0;
  guess_unknown(self);
  const double motion = measure_motion(self);
  for (int k = 0; k < own->d; k++) {
    vida__map_set_size(self->implicit.map, k, motion * own->column_size[k],
                       motion / own->column_size[k]);
  }
  return VIDA_SUCCESS;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Adds to the message of the solver that a pole is near, if one is. */
static int pass_failure(const VidaIntegration* self, const VidaError* reason, VidaError* error) {
  const vida_chart_state* own = self->state;
  double ratio;
  const int weakest = vida__chart_least_column(own, &ratio);
  char text[VIDA_REAL_TEXT_SIZE];
  if (ratio > 0.2) {
    return vida__fail_flag(error, reason->code, reason->flag, "%s", reason->message);
  }
  return vida__fail_flag(error, reason->code, reason->flag,
                         "%s; the chart is near a pole of its coordinate '%s', whose effect has "
                         "fallen to %s of its former value",
                         reason->message, own->chart->coordinates[weakest].name,
                         vida__real_text(text, ratio, 2));
}

/* Computes x1 with its low part, q1 = phi(x1) and J(x1) from the solution s, into work space. */
static int find_next(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  VidaError* reason = &self->model.evaluator.error;
  int singular;
  memcpy(own->x1, own->x, (size_t)own->d * sizeof(double));
  memcpy(own->trial, own->x_low, (size_t)own->d * sizeof(double));
  for (int k = 0; k < own->d; k++) {
    vida__add_compensated(&own->x1[k], &own->trial[k], self->node.h * self->implicit.unknown[k]);
  }
  int code = vida__chart_value(&own->tapes, own->x1, own->position, reason);
  code = code ? code : vida__chart_jacobian(&own->tapes, own->x1, own->entries1, reason);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__chart_measure(self, own->entries1, &singular);
  if (singular >= 0) {
    return vida__chart_fail_singular(self, vida__next_time(self), singular, "ends", error);
  }
  return vida__chart_check_constraints(self, vida__next_time(self), own->position, error);
}

/* Adds h L_q - G^T nu to p, and sets the multipliers. */
static int advance_momenta(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  double* reaction = self->work.node_step;
  own->is_evaluated = false;
  for (int i = 0; i < self->model.n; i++) {
    own->bracket[i] = -own->bracket[i];
  }
  vida__chart_factor_rows(self);
  if (vida__chart_impulse(self, own->bracket, measure_motion(self), reaction) > VIDA_ON_MANIFOLD) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the chart of system '%s' does not cover its constraint manifold: there are "
                      "motions that the constraints allow and the chart does not (%d chart "
                      "coordinates, %d degrees of freedom)",
                      self->model.system->name, own->d, self->model.n - own->row_rank);
  }
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i],
                          self->node.h * self->work.l_q[i] - reaction[i]);
  }
  const double* impulse = own->impulse;
  if (self->model.redundant) {
    int code = vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
    code = code ? code : vida__find_least_norm(self, self->implicit.entries0, own->impulse);
    if (code) {
      return vida__fail(error, code, "the multipliers of dependent constraints were not found");
    }
    impulse = self->model.least_norm;
  }
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = impulse[r] / (own->kappa * self->node.h);
  }
  self->node.lambda_t = vida__node_time(self);
  return VIDA_SUCCESS;
}

/* Returns whether a column of J has turned by more than about 0.3 rad. */
static bool turns_much(vida_chart_state* own) {
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* change = own->right;
  double* size = own->work;
  memset(change, 0, (size_t)own->d * sizeof *change);
  memset(size, 0, (size_t)own->d * sizeof *size);
  for (int e = 0; e < matrix->count; e++) {
    const double difference = own->entries1[e] - own->entries[e];
    change[matrix->column[e]] += difference * difference;
    size[matrix->column[e]] += own->entries[e] * own->entries[e];
  }
  for (int k = 0; k < own->d; k++) {
    if (change[k] > 0.1 * size[k]) {
      return true;
    }
  }
  return false;
}

static int step(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  const size_t of_d = (size_t)own->d * sizeof(double);
  const size_t of_n = (size_t)self->model.n * sizeof(double);
  VidaError reason;
  int code = vida__solve_step(self, &reason);
  if (code) {
    return pass_failure(self, &reason, error);
  }
  code = evaluate_bracket(self, self->implicit.unknown);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = find_next(self, error);
  code = code ? code : advance_momenta(self, error);
  if (code) {
    return code;
  }
  own->turned = turns_much(own);
  memcpy(own->x, own->x1, of_d);
  memcpy(own->x_low, own->trial, of_d);
  memcpy(own->last, self->implicit.unknown, of_d);
  memcpy(own->w, own->w_work, of_n);
  memcpy(self->node.q, own->position, of_n);
  double* before = own->entries;
  own->entries = own->entries1;
  own->entries1 = before;
  own->has_step = true;
  return VIDA_SUCCESS;
}

/* ---- what can be asked ----------------------------------------------------------------------- */

/* Computes the velocity at the node by the projection of del-midpoint: L_v - p has no component
 * along the manifold. */
static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  vida_chart_state* own = self->state;
  if (self->node.step == 0) {
    memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
    return VIDA_SUCCESS;
  }
  memcpy(own->rate, own->last, (size_t)own->d * sizeof(double));
  const int code = find_rate(self, vida__node_time(self), self->node.p);
  if (code == VIDA_STEP_SINGULAR || code == VIDA_STEP_NOT_CONVERGED) {
    return vida__fail(
        error, code,
        "the velocities at a node could not be found from the momenta: the mass matrix "
        "of the chart is singular, or nearly so");
  }
  vida__chart_push(own->chart, own->entries, own->rate, v);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const vida_chart_state* own = self->state;
  return own->midpoint_energy && own->has_step
             ? vida__midpoint_energy(self, own->w, value, t, error)
             : vida__node_energy(self, value, t, error);
}

/* ---- creation -------------------------------------------------------------------------------- */

static const char* name_of_row(const void* list, int row, const char** kind) {
  const vida_chart* chart = list;
  *kind = "chart coordinate";
  return chart->coordinates[row].name;
}

static int check_system(const VidaSystem* system, VidaError* error) {
  const vida_chart* chart = vida__chart_of(system);
  if (!chart) {
    return vida__fail(
        error, VIDA_NOT_SUPPORTED,
        "del-chart needs a chart, and system '%s' has none: give coordinates of its "
        "constraint manifold and the embedding, in Lua with system:chart { coordinates "
        "= { { \"theta\", near = 0.5 } }, embedding = function(theta) return { [bob] = "
        "{ ... } } end }, in C with VidaSystem_AddChart",
        system->name);
  }
  if (chart->rows != system->coordinate_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d coordinates, but its chart was given when it had %d: add "
                      "the chart last",
                      system->name, system->coordinate_count, chart->rows);
  }
  if (chart->count < system->coordinate_count - system->row_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d degrees of freedom (%d coordinates, %d constraints), but "
                      "its chart has %d coordinates",
                      system->name, system->coordinate_count - system->row_count,
                      system->coordinate_count, system->row_count, chart->count);
  }
  if (chart->count > MOST_COORDINATES) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "del-chart uses dense matrices for at most %d chart coordinates; the chart "
                      "of system '%s' has %d",
                      MOST_COORDINATES, system->name, chart->count);
  }
  for (int r = 0; r < system->row_count; r++) {
    if (system->rows[r].is_nonholonomic) {
      return VIDA_REFUSE_SYSTEM(
          error, "del-chart accepts only holonomic constraints, but '%s' is nonholonomic",
          system->rows[r].name);
    }
  }
  return VIDA_SUCCESS;
}

static void fill_pattern(vida_pattern* pattern) {
  for (int column = 0; column < pattern->size; column++) {
    pattern->column_start[column] = (sunindextype)column * pattern->size;
    for (int row = 0; row < pattern->size; row++) {
      pattern->row[column * pattern->size + row] = row;
    }
  }
  pattern->column_start[pattern->size] = pattern->entries;
}

/* Allocates one block: the state, its arrays of numbers, then those of integers. */
static vida_chart_state* allocate_state(const VidaIntegration* self, const vida_chart* chart) {
  const size_t n = (size_t)self->model.n;
  const size_t d = (size_t)chart->count;
  const size_t entries = (size_t)chart->jacobian.count;
  const size_t tapes = vida__chart_work_size(chart);
  const size_t m = (size_t)self->model.m;
  const size_t numbers = tapes + 12 * d + 2 * entries + 7 * n + n * d + d * d + m * m + 3 * m;
  const size_t indices = d + 1 + d * d;
  vida_chart_state* own =
      vida__allocate(1, sizeof *own + numbers * sizeof(double) + indices * sizeof(sunindextype) +
                            (d + m) * sizeof(int));
  if (!own) {
    return NULL;
  }
  own->numbers = numbers;
  double* next = (double*)(own + 1);
  double** const of_d[] = {&own->x,     &own->x_low,        &own->x1,   &own->trial,
                           &own->right, &own->solution,     &own->work, &own->column_size,
                           &own->rate,  &own->largest_size, &own->last, &own->evaluated};
  double** const of_n[] = {&own->base,   &own->w,    &own->w_work,  &own->bracket,
                           &own->weight, &own->mass, &own->position};
  for (size_t i = 0; i < sizeof of_d / sizeof of_d[0]; i++, next += d) {
    *of_d[i] = next;
  }
  for (size_t i = 0; i < sizeof of_n / sizeof of_n[0]; i++, next += n) {
    *of_n[i] = next;
  }
  own->entries = next;
  own->entries1 = own->entries + entries;
  own->product = own->entries1 + entries;
  own->row_gram = own->product + n * d;
  own->row_size = own->row_gram + m * m;
  own->impulse = own->row_size + m;
  own->row_work = own->impulse + m;
  own->gram = own->row_work + m;
  vida__chart_work_begin(self->model.system, own->gram + d * d, &own->tapes);
  own->pattern.column_start = (sunindextype*)(own->gram + d * d + tapes);
  own->pattern.row = own->pattern.column_start + d + 1;
  own->order = (int*)(own->pattern.row + d * d);
  own->row_order = own->order + d;
  return own;
}

/* Lists what steps change; they exchange `entries` and `entries1`, which are neighbours. */
static void keep_state(VidaIntegration* self, vida_chart_state* own) {
  const size_t d = (size_t)own->d * sizeof *own->x;
  const size_t entries = (size_t)own->chart->jacobian.count * sizeof *own->entries;
  vida__keep_in_steps(self, own->x, 2 * d);           /* x, x_low */
  vida__keep_in_steps(self, own->column_size, 4 * d); /* rate, largest_size, last */
  vida__keep_in_steps(self, own->w, (size_t)self->model.n * sizeof *own->w);
  vida__keep_in_steps(self, own->entries, 2 * entries);
  vida__keep_in_steps(self, &own->entries, 2 * sizeof own->entries);   /* both pointers */
  vida__keep_in_steps(self, &own->has_step, 2 * sizeof own->has_step); /* has_position */
  vida__keep_in_steps(self, &own->kappa, sizeof own->kappa);
  vida__keep_in_steps(self, &own->turned, sizeof own->turned);
}

static int create(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const int code = check_system(system, error);
  if (code) {
    return code;
  }
  const vida_chart* chart = vida__chart_of(system);
  vida_chart_state* own = allocate_state(self, chart);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->chart = chart;
  own->d = chart->count;
  own->pattern.size = chart->count;
  own->pattern.entries = chart->count * chart->count;
  fill_pattern(&own->pattern);
  own->midpoint_energy = VidaOptions_HasChoice(self->options, "energy", "midpoint");
  const vida_map_rows rows = {&own->pattern, &self->model.evaluator, name_of_row, chart};
  self->implicit.rows = rows;
  self->implicit.prepare = prepare;
  self->state = own;
  keep_state(self, own);
  return VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  vida_chart_state* own = self->state;
  bool* flags[] = {&own->has_step, &own->has_position, &own->is_evaluated, &own->turned};
  /* `entries` and `entries1` are neighbours, which steps exchange. */
  const size_t entries = (size_t)own->chart->jacobian.count;
  double *const begin = (double*)(own + 1), *const end = begin + own->numbers;
  double* const first = own->entries < own->entries1 ? own->entries : own->entries1;
  double* const after = first + 2 * entries;
  VidaRecord_Reals(record, begin, (size_t)(first - begin));
  VidaRecord_Reals(record, own->entries, entries);
  VidaRecord_Reals(record, own->entries1, entries);
  VidaRecord_Reals(record, after, (size_t)(end - after));
  VidaRecord_Reals(record, &own->kappa, 1);
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  vida__record_integers(record, &own->row_rank, 1, 0, self->model.m);
  vida__record_integers(record, own->order, (size_t)own->d, 0, own->d - 1);
  vida__record_integers(record, own->row_order, (size_t)self->model.m, 0, self->model.m - 1);
}

static const VidaOptionRow options[] = {
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",
     "The reported energy: at nodes with the nodal velocity, or in the middle of a step with (q1 - "
     "q0)/h (as in the papers)."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__del_chart = {
    .size = sizeof(VidaMethod),
    .info = {"del-chart", "discrete Euler-Lagrange equations in generalized coordinates",
             "Wendlandt and Marsden 1997, eq. 4.12",
             "Needs a chart of the constraint manifold. The steps are those of del-midpoint. The "
             "motion must stay away from the poles of the chart, and no chart coordinate may "
             "change much in a step.",
             2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN},
    .options = options,
    .equations = {residual, jacobian, sizes, guess_rate},
    .create = create,
    .state = record_state,
    .start = vida__chart_start,
    .step = step,
    .velocities = velocities,
    .energy = energy};
