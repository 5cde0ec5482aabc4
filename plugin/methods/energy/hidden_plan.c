#include "methods/energy/hidden_plan.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "stepper/method_options.h"
#include "system/constraints/multiplier_matrix.h"

/* As in energy_plan.c: residuals by rows, relative to the terms of the row. */
static const double rounded = 0.05 * DBL_EPSILON;
static const double stagnating = 0.1;
static const double near_rounding = 1e-13;
static const double nearly_solved = 1e-12;
static const double certainly_rounded = 0.1 * DBL_EPSILON;
enum { MOST_CORRECTIONS = 5, MOST_FAILURES = 8, PAST = 3 };

struct vida_hidden_plan {
  vida_step_plan base;
  bool is_quadratic; /* all constraints: D_v (G v) is then Dg */
  vida_multiplier_matrix matrix;
  vida_pattern pattern; /* of the matrix for (mu, eta) */
  vida_linear* linear;
  int failures, skips;                  /* consecutive failures; next steps without a trial */
  int known;                            /* steps in `past` */
  long iterations, residuals, matrices; /* of this step */
  double* past[PAST];                   /* n + m: v - w and eta of the last steps, newest first */
  double* inverse;                      /* n: 1 / mass */
  double* force;                        /* n: f - D V */
  double* residual;                     /* 2 (n + m), as correction, guess, size */
  double* correction;
  double* guess;
  double* size;
  double* entries;     /* of Dg */
  double* end_entries; /* of G at the end */
  double* slopes;      /* of h (G v)_q + 2 G at the end */
  double* momenta;     /* of M^-1 Dg^T / 2, in the pattern of G */
  double* rates;       /* of M^-1 (D_v (G v) - h/2 D_q (G v))^T */
  double* turns;       /* of h/2 M^-1 D_q (G v)^T */
  double* sums;        /* of M^-1 D_v (G v)^T */
  double* rows;        /* 2 m: of (mu, eta), and their corrections */
  double* quarter[4];  /* values of the blocks */
  double* block;
  size_t numbers; /* in `block` */
};

static vida_hidden_plan* plan_of(const VidaIntegration* self) {
  return ((vida_projected_state*)self->state)->plan;
}

/* ---- residual -------------------------------------------------------------------------------- */

static int evaluate_hidden(VidaIntegration* self, const vida_interval* between,
                           vida_hidden_plan* own) {
  vida_projected_state* state = self->state;
  const double* v = self->implicit.unknown + self->model.n + self->model.m;
  if (!own->is_quadratic) {
    return state->hidden->find(self, between, v, state->turned, state->middle);
  }
  memcpy(state->middle, own->entries, (size_t)self->model.system->entry_count * sizeof(double));
  return vida__velocity_gradient(&self->model.evaluator, between->t, self->node.q, v,
                                 state->turned);
}

/* Computes the functions at the unknowns, and the rows of positions. */
static int evaluate_functions(VidaIntegration* self, vida_hidden_plan* own) {
  vida_projected_state* state = self->state;
  const int n = self->model.n, half = n + self->model.m;
  const double* u = self->implicit.unknown;
  double* rows = own->residual + n;
  vida_interval between = vida__next_interval(self, u);
  for (int i = 0; i < n; i++) {
    state->v1[i] = 2.0 * u[half + i] - state->v0[i];
  }
  between.v = state->v0;
  between.v1 = state->v1;
  int code = state->base.rule->potential(self, &between, own->force);
  code =
      code ? code : vida__discrete_constraints(self->model.system, &between, u, own->entries, rows);
  for (int k = 0; k < self->model.m; k++) {
    rows[k] += self->implicit.g0[k] / self->node.h;
  }
  for (int i = 0; i < n; i++) {
    own->force[i] = -own->force[i];
  }
  code = code ? code : evaluate_hidden(self, &between, own);
  own->residuals++;
  return code;
}

/* Computes the other rows. */
static int evaluate_rows(VidaIntegration* self, vida_hidden_plan* own) {
  vida_projected_state* state = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, m = self->model.m, half = n + m;
  const double h = self->node.h;
  const double* mass = system->mass;
  const double *w = self->implicit.unknown, *v = w + half;
  double *r = own->residual, *first = r + half;
  for (int i = 0; i < n; i++) {
    r[i] = mass[i] * v[i] - (self->node.p[i] + self->node.p_low[i] + 0.5 * h * own->force[i]);
    first[i] = mass[i] * (w[i] - v[i]);
  }
  vida__add_reaction(system, own->entries, 0.5, w + n, r);
  vida__add_reaction(system, state->turned, 0.5 * h, v + n, r);
  vida__add_reaction(system, state->middle, -1.0, v + n, first);
  const int code = vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                                  own->end_entries);
  memset(first + n, 0, (size_t)m * sizeof *first);
  vida__add_constraint_velocity(system, own->end_entries, 1.0, state->v1, first + n);
  return code;
}

/* Spreads velocities over the constraints: a coordinate that hardly moves takes part in the
 * rounding of its neighbours, by a share of the velocity that the impulses of their common
 * constraints give it. `speed` (n) is the sizes of velocities. */
static void spread_speeds(const VidaSystem* system, const vida_hidden_plan* own, double* speed) {
  static const double share = 0.1;
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0, end; e < system->entry_count; e = end) {
    double rate = 0.0, mobility = 0.0;
    for (end = e; end < system->entry_count && entry[end].row == entry[e].row; end++) {
      const int i = entry[end].coordinate;
      rate += fabs(own->entries[end]) * speed[i];
      mobility += own->entries[end] * own->entries[end] * own->inverse[i];
    }
    for (int k = e; k < end && mobility > 0.0; k++) {
      const int i = entry[k].coordinate;
      const double given = share * fabs(own->entries[k]) * own->inverse[i] * rate / mobility;
      speed[i] = fmax(speed[i], given);
    }
  }
}

/* Computes the sizes of the rows. */
static void find_sizes(VidaIntegration* self, vida_hidden_plan* own) {
  enum { PASSES = 3 };
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, half = n + self->model.m;
  double *speed = self->work.speed, *rates = self->work.constraint_work;
  vida__projected_sizes(self, self->implicit.unknown, own->size);
  for (int i = 0; i < n; i++) {
    speed[i] = fabs(self->implicit.unknown[i]);
  }
  for (int pass = 0; pass < PASSES; pass++) {
    spread_speeds(system, own, speed);
  }
  memset(rates, 0, (size_t)self->model.m * sizeof *rates);
  for (int e = 0; e < system->entry_count; e++) {
    rates[system->entries[e].row] += fabs(own->entries[e]) * speed[system->entries[e].coordinate];
  }
  for (int i = 0; i < half; i++) {
    const double least = i < n ? system->mass[i] * speed[i] : rates[i - n];
    own->size[i] = own->size[half + i] = fmax(own->size[i], least);
  }
}

static double measure(const VidaIntegration* self, const vida_hidden_plan* own) {
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < 2 * (self->model.n + self->model.m); i++) {
    const double residual = fabs(own->residual[i]);
    sum += 0.0 * residual;
    if (residual > largest * own->size[i]) {
      largest = own->size[i] > 0.0 ? residual / own->size[i] : INFINITY;
    }
  }
  return largest + sum;
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* With A = M^-1 Dg^T / 2, C = h/2 M^-1 D_q (G v)^T, B = M^-1 D_v (G v)^T - C, the rows are
 *     dv = M^-1 r - A dmu - C deta,  dw = dv + M^-1 first + (B + C) deta,
 *     G dw = rows of g,  S dw + 2 G (dv - dw) = rows of velocities,  S = h (G v)_q + 2 G,
 * so that the matrix for (dmu, deta) is (-G A, G B; -S A, S B - 2 G (B + C)). */
static void fill_matrix(VidaIntegration* self, vida_hidden_plan* own) {
  const int m = self->model.m, entries = self->model.system->entry_count;
  const vida_pattern* quarter = &own->matrix.pattern;
  for (int k = 0; k < 4; k++) {
    memset(own->quarter[k], 0, (size_t)quarter->entries * sizeof(double));
  }
  vida__add_entry_products(&own->matrix, own->end_entries, own->momenta, own->quarter[0]);
  vida__add_entry_products(&own->matrix, own->slopes, own->momenta, own->quarter[1]);
  vida__add_entry_products(&own->matrix, own->end_entries, own->rates, own->quarter[2]);
  vida__add_entry_products(&own->matrix, own->slopes, own->rates, own->quarter[3]);
  for (int e = 0; e < entries; e++) {
    own->sums[e] = own->rates[e] + own->turns[e];
  }
  for (int k = 0; k < quarter->entries; k++) {
    own->quarter[0][k] = -own->quarter[0][k];
    own->quarter[1][k] = -own->quarter[1][k];
    own->quarter[3][k] *= -0.5;
  }
  vida__add_entry_products(&own->matrix, own->end_entries, own->sums, own->quarter[3]);
  for (int k = 0; k < quarter->entries; k++) {
    own->quarter[3][k] *= -2.0;
  }
  vida__linear_clear(own->linear);
  for (int j = 0; j < 2 * m; j++) {
    const int right = j >= m;
    const sunindextype begin = quarter->column_start[j % m];
    const sunindextype length = quarter->column_start[j % m + 1] - begin;
    double* place = own->linear->values + own->pattern.column_start[j];
    memcpy(place, own->quarter[2 * right] + begin, (size_t)length * sizeof *place);
    memcpy(place + length, own->quarter[2 * right + 1] + begin, (size_t)length * sizeof *place);
  }
}

static int factor(VidaIntegration* self, vida_hidden_plan* own) {
  vida_projected_state* state = self->state;
  const VidaSystem* system = self->model.system;
  const double h = self->node.h;
  int code = state->hidden->slopes(self, state->v1, own->slopes);
  for (int e = 0; e < system->entry_count && !code; e++) {
    const double inverse = own->inverse[system->entries[e].coordinate];
    own->slopes[e] = h * own->slopes[e] + 2.0 * own->end_entries[e];
    own->momenta[e] = 0.5 * inverse * own->entries[e];
    own->turns[e] = 0.5 * h * inverse * state->turned[e];
    own->rates[e] = inverse * state->middle[e] - own->turns[e];
  }
  if (!code) {
    fill_matrix(self, own);
    code = vida__linear_factor(own->linear);
  }
  own->matrices++;
  return code;
}

/* Computes own->correction without multipliers, dv = M^-1 r and dw = dv + M^-1 first, and the rows
 * of (mu, eta) that it leaves. */
static void begin_correction(VidaIntegration* self, vida_hidden_plan* own, double* rows) {
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, m = self->model.m, half = n + m;
  double *dw = own->correction, *dv = dw + half;
  const double *r = own->residual, *first = r + half;
  memcpy(rows, r + n, (size_t)m * sizeof *rows);
  memcpy(rows + m, first + n, (size_t)m * sizeof *rows);
  /* T dw + 2 G dv = S dw - 2 G M^-1 first */
  for (int i = 0; i < n; i++) {
    dw[i] = own->inverse[i] * first[i];
  }
  vida__add_constraint_velocity(system, own->end_entries, 2.0, dw, rows + m);
  for (int i = 0; i < n; i++) {
    dv[i] = own->inverse[i] * r[i];
    dw[i] += dv[i];
  }
  vida__add_constraint_velocity(system, own->end_entries, -1.0, dw, rows);
  vida__add_constraint_velocity(system, own->slopes, -1.0, dw, rows + m);
}

static int correct(VidaIntegration* self, vida_hidden_plan* own) {
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, m = self->model.m, half = n + m;
  double *dw = own->correction, *dv = dw + half, *dmu = own->rows, *deta = dmu + m;
  double* u = self->implicit.unknown;
  begin_correction(self, own, own->rows);
  const int code = vida__linear_solve(own->linear, own->rows, own->rows);
  if (code) {
    return code;
  }
  vida__add_reaction(system, own->momenta, -1.0, dmu, dw);
  vida__add_reaction(system, own->rates, 1.0, deta, dw);
  vida__add_reaction(system, own->momenta, -1.0, dmu, dv);
  vida__add_reaction(system, own->turns, -1.0, deta, dv);
  for (int i = 0; i < n; i++) {
    u[i] -= dw[i];
    u[half + i] -= dv[i];
  }
  for (int k = 0; k < m; k++) {
    u[n + k] -= dmu[k];
    u[half + n + k] -= deta[k];
  }
  return VIDA_SUCCESS;
}

/* ---- guess ----------------------------------------------------------------------------------- */

/* Extrapolates v - w and eta of the last steps. */
static void improve_guess(VidaIntegration* self, const vida_hidden_plan* own) {
  static const double weights[PAST][PAST] = {{1.0}, {2.0, -1.0}, {3.0, -3.0, 1.0}};
  const int n = self->model.n, half = n + self->model.m;
  double* u = self->implicit.unknown;
  for (int i = 0; i < half && own->known > 0; i++) {
    double next = 0.0;
    for (int k = 0; k < own->known; k++) {
      next += weights[own->known - 1][k] * own->past[k][i];
    }
    u[half + i] = i < n ? u[i] + next : next;
  }
}

static void remember(VidaIntegration* self, vida_hidden_plan* own) {
  const int n = self->model.n, half = n + self->model.m;
  const double* u = self->implicit.unknown;
  double* oldest = own->past[PAST - 1];
  for (int k = PAST - 1; k > 0; k--) {
    own->past[k] = own->past[k - 1];
  }
  own->past[0] = oldest;
  for (int i = 0; i < half; i++) {
    oldest[i] = i < n ? u[half + i] - u[i] : u[half + i];
  }
  own->known += own->known < PAST ? 1 : 0;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Iterates from the guess in self->implicit.unknown. Returns whether the residual is at rounding.
 */
static bool iterate(VidaIntegration* self, vida_hidden_plan* own) {
  double before = INFINITY;
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    if ((k > 0 && vida__interrupted(self, vida__node_time(self))) ||
        evaluate_functions(self, own) || evaluate_rows(self, own)) {
      return false;
    }
    if (k == 0) {
      find_sizes(self, own);
    }
    const double left = measure(self, own);
    const double ratio = left / before;
    if (left <= rounded || (!(ratio < stagnating) && before <= near_rounding)) {
      return left <= near_rounding;
    }
    const bool is_last = k > 0 && left <= nearly_solved && left * ratio <= certainly_rounded;
    if ((k == 0 && factor(self, own)) || correct(self, own)) {
      return false;
    }
    own->iterations++;
    if (is_last) {
      return !evaluate_functions(self, own);
    }
    before = left;
  }
  return false;
}

static bool solve(VidaIntegration* self) {
  vida_hidden_plan* own = plan_of(self);
  const size_t bytes = 2 * (size_t)(self->model.n + self->model.m) * sizeof(double);
  double* u = self->implicit.unknown;
  if (own->skips > 0) {
    own->skips--;
    return false;
  }
  memcpy(own->guess, u, bytes);
  improve_guess(self, own);
  own->iterations = own->residuals = own->matrices = 0;
  const bool is_solved = iterate(self, own);
  vida__map_count(self->implicit.map, own->iterations, own->residuals, own->matrices);
  own->failures = is_solved ? 0 : own->failures < MOST_FAILURES ? own->failures + 1 : MOST_FAILURES;
  own->skips = (1 << own->failures) - 1;
  if (is_solved) {
    vida__map_accept(self->implicit.map, u, own->residual);
  } else {
    memcpy(u, own->guess, bytes);
  }
  return is_solved;
}

int vida__hidden_plan_step(VidaIntegration* self, VidaError* error) {
  vida_projected_state* state = self->state;
  vida_hidden_plan* own = state->plan;
  const int half = self->model.n + self->model.m;
  const double* u = self->implicit.unknown;
  double* change = self->work.node_step;
  int code = vida__solve_step(self, error);
  state->has_eta = !code;
  if (code) {
    own->known = 0;
    return code;
  }
  if (!self->implicit.is_planned_step) {
    code = evaluate_functions(self, own);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
  }
  for (int i = 0; i < self->model.n; i++) {
    change[i] = self->node.h * own->force[i];
  }
  vida__add_impulses(self, own->entries, -1.0, u + self->model.n);
  vida__add_impulses(self, state->turned, -self->node.h, u + half + self->model.n);
  vida__energy_advance(self, change);
  remember(self, own);
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static bool is_possible(const VidaIntegration* self) {
  return self->model.system->separable && self->model.m > 0 && self->model.has_increments &&
         !vida__gives_solver(self->services) && !vida__is_kinsol(self->options) &&
         !VidaOptions_HasChoice(self->options, "plan", "general");
}

static int allocate(const VidaIntegration* self, vida_hidden_plan* own) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m, half = n + m;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t places = (size_t)own->matrix.pattern.entries;
  const vida_array arrays[] = {
      {&own->past[0], half},        {&own->past[1], half},      {&own->past[2], half},
      {&own->inverse, n},           {&own->force, n},           {&own->residual, 2 * half},
      {&own->correction, 2 * half}, {&own->guess, 2 * half},    {&own->rows, 2 * m},
      {&own->sums, entries},        {&own->size, 2 * half},     {&own->entries, entries},
      {&own->end_entries, entries}, {&own->slopes, entries},    {&own->momenta, entries},
      {&own->rates, entries},       {&own->turns, entries},     {&own->quarter[0], places},
      {&own->quarter[1], places},   {&own->quarter[2], places}, {&own->quarter[3], places}};
  own->numbers = vida__count_arrays(arrays, sizeof arrays / sizeof *arrays);
  own->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  own->pattern.size = 2 * (int)m;
  own->pattern.entries = 4 * (int)places;
  own->pattern.column_start = vida__allocate(2 * m + 1, sizeof *own->pattern.column_start);
  own->pattern.row = vida__allocate(4 * places, sizeof *own->pattern.row);
  return own->block && own->pattern.column_start && own->pattern.row ? VIDA_SUCCESS
                                                                     : VIDA_OUT_OF_MEMORY;
}

static bool are_quadratic(const VidaSystem* system) {
  bool all = true;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    all = all && system->constraint_batches[b].kernel->is_quadratic;
  }
  return all;
}

int vida__hidden_plan_create(VidaIntegration* self, VidaError* error) {
  vida_projected_state* state = self->state;
  if (!is_possible(self)) {
    return VIDA_SUCCESS;
  }
  vida_hidden_plan* own = vida__allocate(1, sizeof *own);
  state->plan = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  own->base.solve = solve;
  own->base.name = "condensed";
  own->is_quadratic = are_quadratic(self->model.system);
  int code = vida__find_multiplier_matrix(self->model.system, &own->matrix);
  if (!code && own->matrix.pattern.size == 0) {
    vida__hidden_plan_destroy(&state->plan);
    return VIDA_SUCCESS;
  }
  code = code ? code : allocate(self, own);
  if (code) {
    return vida__fail_memory(error);
  }
  vida__double_pattern(&own->matrix.pattern, &own->pattern);
  for (int i = 0; i < self->model.n; i++) {
    own->inverse[i] = 1.0 / self->model.system->mass[i];
  }
  return VIDA_SUCCESS;
}

void vida__hidden_plan_destroy(vida_hidden_plan** plan) {
  vida_hidden_plan* old = *plan;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->linear);
  vida__free_multiplier_matrix(&old->matrix);
  free(old->pattern.column_start);
  free(old->pattern.row);
  free(old->block);
  free(old);
  *plan = NULL;
}

/* Factors a matrix at the start, so that steps allocate nothing. */
static void prepare_matrix(VidaIntegration* self, vida_hidden_plan* own) {
  vida_projected_state* state = self->state;
  const size_t bytes = (size_t)self->model.system->entry_count * sizeof(double);
  if (vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, own->entries)) {
    return;
  }
  memcpy(own->end_entries, own->entries, bytes);
  memcpy(state->middle, own->entries, bytes);
  memset(state->turned, 0, bytes);
  memcpy(self->work.q1, self->node.q, (size_t)self->model.n * sizeof(double));
  memcpy(state->v1, self->node.v, (size_t)self->model.n * sizeof(double));
  factor(self, own);
}

int vida__hidden_plan_start(VidaIntegration* self, VidaError* error) {
  vida_hidden_plan* own = plan_of(self);
  if (!own) {
    return VIDA_SUCCESS;
  }
  const bool is_used = !self->model.redundant && !vida__has_light_coordinates(self);
  own->known = own->failures = own->skips = 0;
  self->implicit.plan = is_used ? &own->base : NULL;
  int code = VIDA_SUCCESS;
  if (is_used && !own->linear) {
    code = vida__linear_create(self->model.context, &own->pattern, vida__solver_of(self->options),
                               &own->linear, error);
  }
  own->base.linear = own->linear;
  if (is_used && !code) {
    prepare_matrix(self, own);
  }
  return code;
}

void vida__hidden_plan_record(vida_hidden_plan* plan, size_t unknowns, VidaRecord* record) {
  if (!plan) {
    return;
  }
  for (int k = 0; k < PAST; k++) { /* which change places */
    VidaRecord_Reals(record, plan->past[k], unknowns);
  }
  const size_t past = PAST * unknowns; /* at the beginning of the block */
  VidaRecord_Reals(record, plan->block + past, plan->numbers - past);
  vida__record_integers(record, &plan->failures, 1, 0, 30);
  vida__record_integers(record, &plan->skips, 1, 0, INT_MAX);
  vida__record_integers(record, &plan->known, 1, 0, PAST);
  vida__linear_record(plan->linear, record);
}
