#include "stepper/distance_steps.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_state.h"
#include "stepper/method_options.h"

/* The largest number of steps that the method makes after one that is not calm. It is reached after
 * a few failures in a row, whose price is then a small part of that of the steps between. */
enum { MOST_PATIENCE = 8 };
/* Of the residual relative to its terms: some roundings, since KINSOL does not see that a residual
 * no longer decreases. */
static const double kinsol_tolerance = 8.0 * DBL_EPSILON;
enum { KINSOL_ITERATIONS = 6 };

/* ---- creation -------------------------------------------------------------------------------- */

static size_t count_unknowns(const VidaIntegration* self, const vida_distance_steps* own) {
  return (size_t)(self->model.n + own->distances.dimension + self->model.m);
}

enum { ARRAYS = 23 };

/* Lists first what steps change, to copy it at once: `inverse` is what follows. The last one is not
 * part of the state between steps. */
static void list_arrays(VidaIntegration* self, vida_array arrays[ARRAYS]) {
  vida_distance_steps* own = self->implicit.distances;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t dimension = (size_t)own->distances.dimension, width = m * dimension;
  const size_t unknown = count_unknowns(self, own);
  const vida_array list[ARRAYS] = {{&own->past[0].w, unknown},
                                   {&own->past[1].w, unknown},
                                   {&own->past[2].w, unknown},
                                   {&own->past[3].w, unknown},
                                   {&own->next.w, unknown},
                                   {&own->d, width},
                                   {&own->d_before, width},
                                   {&own->nu, m},
                                   {&own->nu_before, m},
                                   {&own->inverse, n},
                                   {&own->unconstrained, n},
                                   {&own->force, n},
                                   {&own->v, n + dimension},
                                   {&own->ahead, width},
                                   {&own->mean, self->implicit.form.is_mean ? width : 0},
                                   {&own->turned, self->implicit.form.is_mean ? width : 0},
                                   {&own->rest, m},
                                   {&own->residual, m},
                                   {&own->size, m},
                                   {&own->momentum, m},
                                   {&own->correction, m},
                                   {&own->reaction, self->implicit.form.end ? n : 0},
                                   {&own->kept, (VIDA_PAST_STEPS + 1) * unknown + 2 * width +
                                                    4 * m + n + self->implicit.form.history_size}};
  memcpy(arrays, list, sizeof list);
}

static int allocate(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t dimension = (size_t)own->distances.dimension;
  vida_array arrays[ARRAYS];
  list_arrays(self, arrays);
  own->block = vida__allocate_arrays(arrays, ARRAYS);
  own->rows = vida__allocate(m, sizeof *own->rows);
  if (!own->block || !own->rows) {
    return VIDA_OUT_OF_MEMORY;
  }
  /* The system provides memory when it is used first: now, not in a step. */
  memset(own->block, 0, vida__count_arrays(arrays, ARRAYS) * sizeof(double));
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    own->past[k].mu = own->past[k].w + n + dimension;
  }
  own->next.mu = own->next.w + n + dimension;
  return VIDA_SUCCESS;
}

/* Returns the pattern of the matrix of the multipliers; NULL: the equations have another form. */
static const vida_pattern* find_pattern(const VidaIntegration* self) {
  return self->implicit.form.is_mean ? self->implicit.form.pattern
         : self->implicit.condensed  ? vida__condensed_pattern(self)
                                     : NULL;
}

int vida__distance_steps_create(VidaIntegration* self, VidaError* error) {
  const vida_pattern* pattern = find_pattern(self);
  if (!pattern) {
    return VIDA_SUCCESS;
  }
  vida_distance_steps* made = vida__allocate(1, sizeof *made);
  self->implicit.distances = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  int code = vida__find_distances(self->model.system, &made->distances);
  const bool has_form = !code && made->distances.count > 0;
  code = has_form ? allocate(self) : code;
  code = code || !has_form
             ? code
             : vida__chain_matrix_create(pattern, self->model.context, &made->matrix, error);
  if (!code && has_form && vida__is_kinsol(self->options)) {
    code = vida__kinsol_create(self->model.context, vida__distance_step_equations(self),
                               kinsol_tolerance, KINSOL_ITERATIONS, self->services != NULL,
                               &made->kinsol, error);
  }
  if (!code && !has_form) {
    vida__distance_steps_destroy(&self->implicit.distances);
  }
  return code == VIDA_OUT_OF_MEMORY ? vida__fail_memory(error) : code;
}

void vida__distance_steps_destroy(vida_distance_steps** steps) {
  vida_distance_steps* old = *steps;
  if (!old) {
    return;
  }
  vida__free_distances(&old->distances);
  vida__chain_matrix_destroy(&old->matrix);
  vida__kinsol_destroy(&old->kinsol);
  free(old->rows);
  free(old->block);
  free(old);
  *steps = NULL;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Returns whether the components of a point have one mass, and its reciprocal in *inverse. */
static bool find_mass(const vida_distance_steps* own, int point, double* inverse) {
  for (int k = 1; k < own->distances.dimension; k++) {
    if (own->inverse[point + k] != own->inverse[point]) {
      return false;
    }
  }
  *inverse = own->inverse[point];
  return true;
}

static bool set_rows(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const vida_distances* distances = &own->distances;
  for (int r = 0; r < self->model.m; r++) {
    const bool is_pair = distances->first[r] >= 0;
    vida_distance_row* at = &own->rows[r];
    *at = (vida_distance_row){.first = is_pair ? distances->first[r] : self->model.n,
                              .second = distances->second[r],
                              .factor = distances->factor[r]};
    if (!find_mass(own, at->second, &at->by_second) ||
        (is_pair && !find_mass(own, at->first, &at->by_first))) {
      return false;
    }
  }
  return true;
}

static bool is_chain(const VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  const int dimension = own->distances.dimension;
  bool is_one = self->model.n == self->model.m * dimension;
  for (int r = 0; r < self->model.m && is_one; r++) {
    const vida_distance_row* at = &own->rows[r];
    is_one =
        at->second == r * dimension && at->first == (r > 0 ? (r - 1) * dimension : self->model.n);
  }
  return is_one;
}

/* The products of gradients with common points. */
static void set_matrix(vida_distance_steps* own) {
  vida_chain_matrix* matrix = &own->matrix;
  for (int k = 0; k < matrix->pair_count; k++) {
    const vida_distance_row *a = &own->rows[matrix->pairs[k].row],
                            *b = &own->rows[matrix->pairs[k].column];
    double inverse = 0.0;
    inverse += a->second == b->second ? a->by_second : 0.0;
    inverse += a->first == b->first ? a->by_first : 0.0;
    inverse -= a->second == b->first ? a->by_second : 0.0;
    inverse -= a->first == b->second ? a->by_first : 0.0;
    vida__chain_matrix_weigh(matrix, k, a->factor * b->factor * inverse);
  }
}

/* Discrete gradients of forces that are not uniform have another form than means. */
static bool may_be_calm(const VidaIntegration* self) {
  return self->implicit.form.is_mean
             ? !self->model.redundant && !vida__has_light_coordinates(self) &&
                   vida__has_uniform_force(self->model.system)
             : vida__is_condensed(self);
}

void vida__distance_steps_start(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  if (!own) {
    return;
  }
  vida__forget_calm_steps(self);
  own->resumes = 0;
  own->counts = (vida_calm_counts){0};
  own->patience = 1;
  own->extrapolation = 0;
  own->is_used =
      may_be_calm(self) && vida__measure_distances(&own->distances, &self->model.evaluator);
  for (int i = 0; i < self->model.n; i++) {
    own->inverse[i] = 1.0 / self->model.system->mass[i];
  }
  own->is_used = own->is_used && set_rows(self);
  own->is_chain = own->is_used && is_chain(self);
  own->has_uniform_force = vida__has_uniform_force(self->model.system);
  if (own->is_used) {
    memcpy(own->force, self->model.system->uniform_force,
           (size_t)self->model.n * sizeof *own->force);
    set_matrix(own);
  }
}

/* ---- history --------------------------------------------------------------------------------- */

void vida__forget_calm_steps(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  if (own) {
    own->is_current = own->is_ahead = own->has_force = own->has_sizes = false;
  }
}

/* Copies of unknowns: general ones are not interrupted by the zeros of places. */
static double* find_unknown(vida_step_unknowns at, int n, int i) {
  return i < n ? at.w + i : at.mu + (i - n);
}

/* Sets the unknowns of steps before the known ones so that the polynomial through these continues:
 * higher extrapolations then are those by the known steps alone. */
static void continue_history(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const int n = self->model.n;
  for (int i = 0; i < n + self->model.m; i++) {
    const double a = *find_unknown(own->past[0], n, i);
    const double b = own->known > 1 ? *find_unknown(own->past[1], n, i) : a;
    const double c = own->known > 2 ? *find_unknown(own->past[2], n, i) : b - (a - b);
    const double slope = b - c, bend = (a - b) - slope;
    *find_unknown(own->past[1], n, i) = b;
    *find_unknown(own->past[2], n, i) = c;
    *find_unknown(own->past[3], n, i) = c - (slope - bend);
  }
}

void vida__take_calm_history(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  double* const* difference = self->implicit.history.difference;
  const int n = self->model.n, count = self->implicit.history.count;
  const bool is_short = count < VIDA_PAST_STEPS;
  own->known = is_short ? count : VIDA_PAST_STEPS;
  for (int i = 0; i < n + self->model.m; i++) {
    const double order1 = difference[1][i] - difference[2][i];
    const double order2 = difference[2][i] - difference[3][i];
    const double last = difference[0][i], second = last - difference[1][i];
    *find_unknown(own->past[0], n, i) = last;
    *find_unknown(own->past[1], n, i) = second;
    *find_unknown(own->past[2], n, i) = second - order1;
    *find_unknown(own->past[3], n, i) = second - order1 - (order1 - order2);
  }
  if (is_short) { /* some differences are not known yet */
    continue_history(self);
  }
}

/* The guess of the first step is a motion with the initial velocities, without impulses. */
static void guess_first_step(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    memcpy(own->past[k].w, self->node.v, n * sizeof *own->past[k].w);
    memset(own->past[k].mu, 0, m * sizeof *own->past[k].mu);
  }
  memcpy(self->implicit.g_tracked, self->implicit.g0, m * sizeof *self->implicit.g0);
  own->known = 0;
}

void vida__give_calm_history(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  double* const* difference = self->implicit.history.difference;
  const int n = self->model.n;
  for (int i = 0; i < n + self->model.m; i++) {
    double value[VIDA_PAST_STEPS];
    for (int k = 0; k < VIDA_PAST_STEPS; k++) {
      value[k] = *find_unknown(own->past[k], n, i);
    }
    const double newest = value[0] - value[1], before = value[1] - value[2],
                 oldest = value[2] - value[3];
    difference[0][i] = value[0];
    difference[1][i] = newest;
    difference[2][i] = newest - before;
    difference[3][i] = newest - before - (before - oldest);
  }
  self->implicit.history.count = VIDA_PAST_STEPS;
  self->implicit.history.terms = VIDA_PAST_STEPS - 1;
}

void vida__give_calm_entries(VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  const VidaSystem* system = self->model.system;
  const int dimension = own->distances.dimension;
  for (int e = 0; e < system->entry_count; e++) {
    const vida_distance_row* at = &own->rows[system->entries[e].row];
    const double* d = own->d_before + system->entries[e].row * dimension;
    const int k = system->entries[e].coordinate - at->second;
    self->implicit.entries0[e] = k >= 0 && k < dimension
                                     ? at->factor * d[k]
                                     : -at->factor * d[system->entries[e].coordinate - at->first];
  }
}

void vida__leave_calm_steps(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  if (!own) {
    return;
  }
  if (own->is_ahead) {
    vida__give_calm_history(self);
    vida__give_calm_entries(self);
    self->implicit.has_entries_next = false;
  }
  vida__forget_calm_steps(self);
}

/* A part of the state that series of steps change: own numbers, and those of the method. */
typedef struct state_part {
  double* numbers;
  size_t count;
} state_part;

enum { STATE_PARTS = 5 };

/* Lists the parts; a method may not have the last three. */
static void list_state(VidaIntegration* self, state_part parts[STATE_PARTS]) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const state_part list[] = {{own->block, (size_t)(own->inverse - own->block)},
                             {self->implicit.g_tracked, m},
                             {form->history, form->history_size},
                             {form->w, form->w ? n : 0},
                             {form->impulse, form->impulse ? m : 0}};
  memcpy(parts, list, sizeof list);
}

/* Copies all parts to own->kept, or back. */
static void copy_state(VidaIntegration* self, bool is_back) {
  state_part parts[STATE_PARTS];
  double* kept = self->implicit.distances->kept;
  list_state(self, parts);
  for (int k = 0; k < STATE_PARTS; k++) {
    if (parts[k].count > 0) {
      memcpy(is_back ? parts[k].numbers : kept, is_back ? kept : parts[k].numbers,
             parts[k].count * sizeof *kept);
    }
    kept += parts[k].count;
  }
}

static void keep(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  copy_state(self, false);
  memcpy(own->kept_past, own->past, sizeof own->past);
  own->kept_next = own->next;
  own->kept_d = own->d;
  own->kept_d_before = own->d_before;
  own->kept_nu = own->nu;
  own->kept_nu_before = own->nu_before;
  own->kept_current = own->is_current;
  own->kept_ahead = own->is_ahead;
  own->kept_sizes = own->has_sizes;
  own->kept_tracked = self->implicit.has_tracked;
  own->kept_known = own->known;
  own->kept_extrapolation = own->extrapolation;
  own->kept_counts = own->counts;
  own->kept_count = self->implicit.history.count;
}

void vida__take_back_calm_steps(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  copy_state(self, true);
  memcpy(own->past, own->kept_past, sizeof own->past);
  own->next = own->kept_next;
  own->d = own->kept_d;
  own->d_before = own->kept_d_before;
  own->nu = own->kept_nu;
  own->nu_before = own->kept_nu_before;
  self->implicit.has_tracked = own->kept_tracked;
  own->known = own->kept_known;
  own->is_current = own->kept_current;
  own->is_ahead = own->kept_ahead;
  own->has_sizes = own->kept_sizes;
  own->extrapolation = own->kept_extrapolation;
  own->counts = own->kept_counts;
  own->has_force = false;
  self->implicit.history.count = own->kept_count;
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Gives the method what it keeps of its last step, and the node the multipliers at its start. */
static void give_last_step(VidaIntegration* self, long made) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  VidaNode* node = &self->node;
  const double* mu = own->past[0].mu;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  if (form->end) {
    return; /* it has all already */
  }
  if (form->w) {
    memcpy(form->w, own->past[0].w, bytes);
  }
  for (int r = 0; r < self->model.m; r++) {
    node->lambda[r] = (form->projects ? 0.5 * mu[r] + own->nu_before[r] : mu[r]) / node->h;
  }
  const double share = form->is_mean ? 0.5 : 0.0;
  node->lambda_t = node->t0 + ((double)(node->step + made - 1) + share) * node->h;
  if (form->projects) {
    memcpy(node->v, own->v, bytes);
    memcpy(form->impulse, own->nu, (size_t)self->model.m * sizeof *own->nu);
  }
}

/* The number of steps that must be known. Guesses from few steps are poor, but the steps of many
 * rows are expensive in other forms. */
static int least_history(const VidaIntegration* self) {
  const vida_step_form* form = &self->implicit.form;
  const bool is_long = self->model.m >= VIDA_MANY_ROWS && !form->begin;
  return !is_long ? VIDA_PAST_STEPS : form->projects ? 2 : 0;
}

/* Whether the next step is the first one of the motion. The frame has evaluated g at its node. */
static bool is_first_step(const VidaIntegration* self) {
  return self->node.step == 0 && self->implicit.history.count == 0;
}

/* Whether enough steps are known, with which the method has not just failed to be calm. */
static bool is_ready(const VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  if (!own || !own->is_used || self->node.step < own->resumes) {
    return false;
  }
  const bool has_history = self->implicit.has_tracked && self->implicit.history.count > 0;
  return own->is_current || ((has_history || is_first_step(self)) &&
                             self->implicit.history.count >= least_history(self));
}

bool vida__begin_lane_steps(VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  if (!is_ready(self) || !own->is_current || !own->has_force) {
    return false;
  }
  keep(self);
  if (!own->has_sizes || self->node.step % VIDA_CALM_STEPS == 0) {
    vida__measure_distance_sizes(self);
  }
  return true;
}

void vida__end_lane_steps(VidaIntegration* self, long made) {
  vida_distance_steps* own = self->implicit.distances;
  own->patience = 1;
  own->is_ahead = true;
  give_last_step(self, made);
}

long vida__make_calm_steps(VidaIntegration* self, long most, bool* is_broken) {
  vida_distance_steps* own = self->implicit.distances;
  *is_broken = false;
  if (!is_ready(self)) {
    return 0;
  }
  keep(self);
  if (self->implicit.form.enter) {
    self->implicit.form.enter(self);
  }
  if (!self->implicit.form.begin && !own->has_uniform_force && !own->has_force) {
    if (vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q, self->node.v,
                       own->force, self->work.l_v)) {
      return 0;
    }
  }
  if (!own->is_current) {
    if (is_first_step(self)) {
      guess_first_step(self);
    } else {
      vida__take_calm_history(self);
    }
    vida__find_distance_vectors(self);
    if (self->implicit.form.projects) {
      memcpy(own->nu, self->implicit.form.impulse, (size_t)self->model.m * sizeof *own->nu);
    }
    own->is_current = true;
  }
  const long step = self->node.step;
  const bool is_short = own->known < VIDA_PAST_STEPS;
  const long made = vida__make_distance_steps(self, is_short ? 1 : most, is_broken);
  self->node.step = step;
  if (made == 0 || *is_broken) {
    own->has_force = false;
    if (made == 0) {
      own->resumes = self->node.step + own->patience;
      own->patience = own->patience < MOST_PATIENCE ? 2 * own->patience : MOST_PATIENCE;
    }
    return made;
  }
  if (is_short) {
    own->known++;
    continue_history(self);
  }
  own->patience = 1;
  own->has_force = own->is_ahead = self->implicit.has_tracked = true;
  give_last_step(self, made);
  return made;
}

void vida__track_calm_steps(VidaIntegration* self) {
  double* g = self->work.g_work;
  const size_t bytes = (size_t)self->model.m * sizeof *g;
  memcpy(g, self->implicit.g_node, bytes);
  vida__take_tracked_constraints(self, VIDA_CALM_STEPS, g);
  memcpy(self->implicit.g_tracked, g, bytes);
}

void vida__count_calm_steps(const VidaIntegration* self, VidaStatistics* statistics) {
  const vida_distance_steps* own = self->implicit.distances;
  if (own) {
    statistics->newton_iterations += own->counts.iterations;
    statistics->residual_evaluations += own->counts.residuals;
    statistics->jacobian_evaluations += own->counts.jacobians;
  }
}

void vida__distance_steps_record(VidaIntegration* self, VidaRecord* record) {
  vida_distance_steps* own = self->implicit.distances;
  if (!own) {
    return;
  }
  vida_array arrays[ARRAYS];
  bool* flags[] = {&own->is_used,    &own->is_chain, &own->has_uniform_force, &own->has_force,
                   &own->is_current, &own->is_ahead, &own->has_sizes};
  long* counts[] = {&own->resumes, &own->patience, &own->counts.iterations, &own->counts.residuals,
                    &own->counts.jacobians};
  list_arrays(self, arrays);
  vida__record_part(record, "steps of distances");
  vida__record_arrays(record, arrays, ARRAYS - 1);
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    VidaRecord_Integer(record, counts[k], 0, LONG_MAX);
  }
  vida__record_integers(record, &own->known, 1, 0, VIDA_PAST_STEPS);
  vida__record_integers(record, &own->extrapolation, 1, 0, VIDA_EXTRAPOLATIONS - 1);
  vida__chain_matrix_record(&own->matrix, record);
}
