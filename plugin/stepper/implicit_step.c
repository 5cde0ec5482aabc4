/* Implicit steps: compensated sums, initial guesses, solution, projection. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_steps.h"
#include "stepper/frame.h"
#include "stepper/singular_step.h"
#include "system/constraints/singular.h"

double vida__node_time(const VidaIntegration* self) {
  return self->node.t0 + (double)self->node.step * self->node.h;
}

double vida__next_time(const VidaIntegration* self) {
  return self->node.t0 + (double)(self->node.step + 1) * self->node.h;
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
  return self->node.t0 + ((double)self->node.step + c) * self->node.h;
}

void vida__add_impulses(VidaIntegration* self, const double* entries, double weight,
                        const double* mu) {
  const int count = self->model.system->entry_count;
  const vida_jacobian_entry* restrict entry = self->model.system->entries;
  double* restrict p = self->node.p;
  double* restrict p_low = self->node.p_low;
  for (int e = 0; e < count;) {
    const int row = entry[e].row;
    const double impulse = weight * mu[row];
    for (; e < count && entry[e].row == row; e++) {
      const int i = entry[e].coordinate;
      double left;
      p[i] = vida__add_exactly(p[i], impulse * entries[e], &left);
      p_low[i] += left;
    }
  }
  for (int i = 0; i < self->model.n; i++) {
    p[i] = vida__add_exactly(p[i], p_low[i], &p_low[i]);
  }
}

/* ---- what failed ----------------------------------------------------------------------------- */

int vida__evaluation_failed(VidaIntegration* self, int code, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  const char* message = self->model.evaluator.error.message;
  vida__fail(error, code, "at t = %s: %s", vida__real_text(t, vida__node_time(self), 10),
             *message ? message : Vida_CodeText(code));
  if (error && code == VIDA_STEP_SINGULAR && !*message) {
    vida__append_undetermined(self, error->message, VIDA_MESSAGE_SIZE);
  }
  return code;
}

/* ---- constant masses --------------------------------------------------------------------------
 */

/* Computes p = M v with a mass matrix in the pattern of coordinates and multipliers. */
static void multiply_mass(const vida_linear* mass, int n, const double* restrict v,
                          double* restrict p) {
  const sunindextype *start = mass->pattern->column_start, *row = mass->pattern->row;
  memset(p, 0, (size_t)n * sizeof *p);
  for (int j = 0; j < n; j++) {
    for (sunindextype k = start[j]; k < start[j + 1] && row[k] < n; k++) {
      p[row[k]] += mass->values[k] * v[j];
    }
  }
}

int vida__apply_mass(VidaIntegration* self, const double* v, double* p) {
  const VidaSystem* system = self->model.system;
  if (system->has_coupled_mass && self->model.mass_matrix) {
    multiply_mass(self->model.mass_matrix, self->model.n, v, p);
    return VIDA_SUCCESS;
  }
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

/* Guesses impulses: none, or, since forces that depend on multipliers may have no derivative there,
 * those of the last step, or of the multipliers at the start. */
static void guess_impulses(const VidaIntegration* self, double* mu) {
  const bool is_start = self->implicit.history.count == 0;
  const double* last = self->implicit.history.difference[0] + self->model.n;
  memset(mu, 0, (size_t)self->model.m * sizeof *mu);
  for (int r = 0; r < self->model.m && self->model.reactions; r++) {
    mu[r] = is_start ? self->node.h * vida__reactions_guess(self->model.reactions)[r] : last[r];
  }
}

void vida__guess_free_flight(void* data, double* u) {
  VidaIntegration* self = data;
  const VidaSystem* system = self->model.system;
  const double* w =
      self->implicit.history.count ? self->implicit.history.difference[0] : self->node.v;
  for (int i = 0; i < self->model.n; i++) {
    u[i] = w[i];
  }
  if (system->separable ||
      (system->constant_mass && self->model.mass_matrix && !self->model.has_singular_mass)) {
    vida__solve_mass(self, self->node.p, u);
  }
  guess_impulses(self, u + self->model.n);
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
      size = sizes[row] = size > sizes[row] ? size : sizes[row];
    }
    largest = change > largest * size ? change / size : largest;
  }
  return largest;
}

/* Turns below VIDA_HARDLY_TURNED, below VIDA_FAR_TURNED, or larger. */
typedef enum turn { HARDLY, SOMEWHAT, MUCH } turn;

static turn find_turn(const VidaSystem* system, const double* before, const double* after) {
  const double turned = vida__largest_turn(system, before, after, NULL);
  return turned > VIDA_FAR_TURNED ? MUCH : turned > VIDA_HARDLY_TURNED ? SOMEWHAT : HARDLY;
}

/* Returns the turn in the last step; MUCH if there were fewer than two steps. */
static turn find_last_turn(const VidaIntegration* self) {
  return self->implicit.history.count < 2
             ? MUCH
             : find_turn(self->model.system, self->implicit.entries_before,
                         self->implicit.entries0);
}

/* Returns whether the guess extrapolates the last unknowns. After a step with a large turn, that is
 * not a good guess. */
static bool is_extrapolated(const VidaIntegration* self) {
  return self->implicit.history.count > 0 && self->implicit.last_turn != MUCH;
}

/* Extrapolates the last unknowns if the motion allows it. */
static void guess_unknown(VidaIntegration* self) {
  const size_t size = (size_t)(self->model.n + self->model.m);
  double* u = self->implicit.unknown;
  self->implicit.last_turn = (int)find_last_turn(self);
  if (self->implicit.history.count == 0) {
    memset(u, 0, size * sizeof *u);
    memcpy(u, self->node.v, (size_t)self->model.n * sizeof *u);
    guess_impulses(self, u + self->model.n);
    return;
  }
  if (!is_extrapolated(self)) {
    vida__guess_free_flight(self, u);
    return;
  }
  vida__extrapolate_unknown(self);
  /* With dependent constraints, the undetermined part of extrapolated multipliers would grow from
   * step to step. */
  for (int r = 0; r < self->model.m && self->model.redundant; r++) {
    u[self->model.n + r] = 0.0;
  }
}

/* The weight of the evaluated g at a node. Its rounding, divided by h, would disturb the
 * multipliers; the sum of the increments has no such rounding, but drifts over many steps. */
static const double evaluated_share = 1e-3;

void vida__take_tracked_constraints(const VidaIntegration* self, int steps, double* g) {
  if (self->implicit.has_tracked) {
    vida__track_constraints(self->model.system, steps * evaluated_share, self->implicit.g_tracked,
                            g);
  }
}

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
  if (!code) {
    vida__take_tracked_constraints(self, 1, self->implicit.g0);
  }
  const double* entries;
  code = code ? code : vida__jacobian_after_step(self, t, &entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  if (!self->implicit.is_repeated) {
    vida__exchange(&self->implicit.entries_before, &self->implicit.entries0);
  }
  vida__exchange(&self->implicit.entries0, &self->implicit.entries_next);
  self->implicit.has_entries_next = self->implicit.is_repeated = false;
  return VIDA_SUCCESS;
}

int vida__jacobian_after_step(VidaIntegration* self, double t, const double** entries) {
  *entries = self->implicit.entries_next;
  if (self->implicit.has_entries_next) {
    return VIDA_SUCCESS;
  }
  const int code =
      vida__jacobian(&self->model.evaluator, t, self->node.q, self->implicit.entries_next);
  self->implicit.has_entries_next = !code && !self->model.system->time_dependent;
  return code;
}

int vida__prepare_step(VidaIntegration* self, VidaError* error) {
  const int code = vida__prepare_node(self, error);
  if (!code) {
    guess_unknown(self);
    vida__set_scales(self);
  }
  return code;
}

void vida__subtract_redundancy(const VidaIntegration* self, double* matrix) {
  for (int r = 0; r < self->model.m && self->model.redundant; r++) {
    matrix[vida__constraint_diagonal(self->model.system, r)] -= self->model.redundancy[r];
  }
}

int vida__assemble_matrix_at(VidaIntegration* self, double t, const double* q,
                             const double* entries, const double* v) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = self->model.node_matrix->values;
  vida__linear_clear(self->model.node_matrix);
  const int code = vida__add_hessian(&self->model.evaluator, t, q, v, mass_only, matrix);
  vida__add_columns(self->model.system, entries, 1.0, matrix);
  vida__add_rows(self->model.system, entries, 1.0, matrix);
  return code;
}

int vida__factor_matrix_at(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* v) {
  double* matrix = self->model.node_matrix->values;
  const int code = vida__assemble_matrix_at(self, t, q, entries, v);
  vida__subtract_redundancy(self, matrix);
  for (int r = 0; r < self->model.m && self->softness && !self->model.redundant; r++) {
    matrix[vida__constraint_diagonal(self->model.system, r)] -= self->softness[r];
  }
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

int vida__factor_node_matrix(VidaIntegration* self, const double* entries, const double* v) {
  return vida__factor_matrix_at(self, vida__node_time(self), self->node.q, entries, v);
}

/* Solves (G M^-1 G^T + E) nu = G M^-1 G^T mu with the factors of the node matrix for the same
 * entries, and once more to correct the effect of the small E. */
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

/* Removes the undetermined part of the multipliers. If a poor guess made this part so large that
 * its rounding affects the forces, solves the step again without it. */
static int finish_multipliers(VidaIntegration* self, VidaError* error) {
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

/* Returns the map that has solved the step. The determinants of its two forms have the same sign.
 */
static vida_map* find_map(const VidaIntegration* self) {
  return self->implicit.is_condensed_step ? vida__condensed_map(self) : self->implicit.map;
}

/* Finds the turn in the step that has been solved. Returns a code of evaluations. */
static int find_next_turn(VidaIntegration* self, turn* found) {
  vida__find_place(self, self->implicit.unknown, 1.0, self->work.q1);
  const int code = vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                                  self->work.entries);
  *found = code ? MUCH : find_turn(self->model.system, self->implicit.entries0, self->work.entries);
  return code;
}

/* For small h the matrix of a step has n positive and m negative eigenvalues. As h grows, the
 * solution moves continuously until the determinant vanishes. A solution with the other sign lies
 * beyond such a fold: a mechanism that has jumped to another branch, or a rod that has turned over.
 */
static int check_fold(VidaIntegration* self, VidaError* error) {
  const int expected = self->model.m % 2 == 0 ? 1 : -1;
  if (self->model.m == 0 || !vida__has_constraint_rows(self) ||
      !(self->method->info.capabilities & VIDA_CAN_POSITION_LEVEL) ||
      self->implicit.last_turn == HARDLY) {
    return VIDA_SUCCESS;
  }
  turn next;
  /* A step with a small turn cannot have passed a fold. */
  if (find_next_turn(self, &next) || next != MUCH || vida__map_sign(find_map(self)) != -expected) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_OTHER_BRANCH, VIDA_OTHER_BRANCH_TEXT);
}

/* Guess: the last step, or a free flight at the start, if the first guess was a step with the
 * initial velocities. */
static void guess_again(VidaIntegration* self) {
  if (self->implicit.history.count > 0) {
    memcpy(self->implicit.unknown, self->implicit.history.difference[0],
           (size_t)(self->model.n + self->model.m) * sizeof(double));
  } else {
    vida__guess_free_flight(self, self->implicit.unknown);
  }
}

bool vida__append_undetermined(VidaIntegration* self, char* text, size_t size) {
  const bool was_redundant = self->model.redundant;
  self->model.redundant = false;
  vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
  self->model.redundant = was_redundant;
  return vida__append_singular(self->model.system, self->model.node_matrix->values, text, size);
}

/* Appends the unknowns that the matrix of a failed step does not determine. Trials of smaller steps
 * do not need this. */
static bool name_open(VidaIntegration* self, int code, char* text, size_t size) {
  const bool is_asked =
      code == VIDA_STEP_SINGULAR ||
      (code == VIDA_STEP_NOT_CONVERGED && !vida__is_nested(self) && !self->model.redundant);
  if (!is_asked) {
    return false;
  }
  return vida__has_constraint_rows(self)
             ? vida__append_singular(self->model.system, vida__map_matrix(self->implicit.map), text,
                                     size)
             : vida__append_undetermined(self, text, size);
}

/* Solves the step by the method's own plan, if it has one and the guess is extrapolated. */
static bool solve_by_plan(VidaIntegration* self) {
  self->implicit.is_planned_step = false;
  if (!self->implicit.plan || !is_extrapolated(self) || !self->implicit.plan->solve(self)) {
    return false;
  }
  if (check_fold(self, NULL)) {
    guess_unknown(self);
    return false;
  }
  self->implicit.is_planned_step = true;
  return true;
}

/* The first steps of a motion with many rows. Their condensed iterates are those of all unknowns.
 */
static bool is_long_start(const VidaIntegration* self) {
  return self->implicit.history.count < 2 && self->model.m >= VIDA_MANY_ROWS;
}

/* Solves the condensed equations if this motion uses them and the guess is extrapolated, or for the
 * start of a long system; otherwise, or if that fails, those with all unknowns. */
static int solve_equations(VidaIntegration* self, VidaError* error) {
  if (solve_by_plan(self)) {
    return VIDA_SUCCESS;
  }
  const bool is_condensed =
      vida__is_condensed(self) && (is_extrapolated(self) || is_long_start(self));
  self->implicit.is_condensed_step = is_condensed && vida__condensed_solve(self);
  if (self->implicit.is_condensed_step) {
    if (!check_fold(self, NULL)) {
      return VIDA_SUCCESS;
    }
    self->implicit.is_condensed_step = false;
    guess_unknown(self);
  }
  const int code = vida__map_solve(self->implicit.map, self->implicit.unknown, error);
  return code ? code : check_fold(self, error);
}

void vida__add_evaluations(VidaStatistics* to, const VidaStatistics* more) {
  to->newton_iterations += more->newton_iterations;
  to->residual_evaluations += more->residual_evaluations;
  to->jacobian_evaluations += more->jacobian_evaluations;
}

void vida__count_evaluations(VidaIntegration* self) {
  const vida_map* maps[] = {self->implicit.map,
                            self->implicit.condensed ? vida__condensed_map(self) : NULL};
  VidaStatistics* statistics = &self->statistics;
  statistics->newton_iterations = statistics->residual_evaluations = 0;
  statistics->jacobian_evaluations = 0;
  for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
    statistics->newton_iterations += maps[k] ? vida__map_iterations(maps[k]) : 0;
    statistics->residual_evaluations += maps[k] ? vida__map_residuals(maps[k]) : 0;
    statistics->jacobian_evaluations += maps[k] ? vida__map_jacobians(maps[k]) : 0;
  }
  vida__count_calm_steps(self, statistics);
  if (self->implicit.form.spent) {
    vida__add_evaluations(statistics, self->implicit.form.spent);
  }
}

/* Returns whether a step may have a solution that Newton's method does not find. The energy at its
 * start bounds the velocities at its end: as h grows, the solution does not become infinite unless
 * a constraint turns round. Methods that do not keep the energy may have no solution, or one far
 * from the motion. Adaptive and outer methods make a smaller step instead. */
static bool may_search(const VidaIntegration* self) {
  return (self->method->info.capabilities & ~self->given_up & VIDA_CAN_ENERGY) &&
         self->model.m > 0 && !self->model.redundant && !self->adaptive && !vida__is_nested(self);
}

/* The same after a failure, but not for a step whose solution is on another branch. */
static bool may_search_after(const VidaIntegration* self, const VidaError* failure) {
  return may_search(self) && strcmp(failure->flag, VIDA_OTHER_BRANCH) != 0;
}

/* Newton's method from another guess after the failure of the first attempt, with the line search
 * unless that would begin where it has failed. */
static bool attempt_again(VidaIntegration* self, const VidaError* failure) {
  VidaError unused;
  double* u = self->implicit.unknown;
  self->implicit.is_condensed_step = false;
  vida__map_expect_path(self->implicit.map, may_search_after(self, failure));
  guess_again(self);
  const bool is_repetition = self->method->equations.second_guess == vida__guess_free_flight &&
                             strcmp(failure->flag, VIDA_OTHER_BRANCH) != 0;
  const bool is_solved = is_repetition ? vida__map_attempt(self->implicit.map, u)
                                       : !vida__map_solve(self->implicit.map, u, &unused);
  return is_solved && !check_fold(self, NULL);
}

/* The displacement of the first place of a path, relative to a step with the speed of the motion.
 */
static const double displaced_share = 0.1;

/* Solves a step that neither Newton's method nor the line search has solved along a path. Where
 * constraints turn far, its end may be on another branch: the step is too large then. */
static bool follow_path(VidaIntegration* self) {
  double speed = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double impulse = fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i];
    speed = fmax(speed, impulse / self->model.matrix_root[i]);
  }
  const double share = displaced_share * speed / self->implicit.scaled_for;
  turn next;
  if (!(share > 0.0) ||
      !vida__map_follow(self->implicit.map, self->model.n, share, self->implicit.unknown) ||
      find_next_turn(self, &next) || next == MUCH) {
    return false;
  }
  vida__forget_history(self); /* it does not lead to the next step */
  return true;
}

/* Solves a step that ends near a singular configuration, from the first guess, which is still in
 * self->implicit.unknown if no other guess has been tried. */
static bool pass_singular(VidaIntegration* self) {
  const bool is_guessed_again = vida__has_constraint_rows(self);
  if (!is_guessed_again && !self->implicit.has_doubled_rows) {
    return false;
  }
  self->implicit.is_condensed_step = false;
  if (is_guessed_again) {
    guess_unknown(self);
  }
  return vida__pass_singular(self) && !check_fold(self, NULL);
}

int vida__solve_step(VidaIntegration* self, VidaError* error) {
  VidaError local;
  if (self->implicit.map) {
    vida__map_expect_path(self->implicit.map, may_search(self) && vida__has_constraint_rows(self));
  }
  int code = solve_equations(self, &local);
  /* Methods with other unknowns than (w, mu) make their own guesses. */
  if (code == VIDA_STEP_NOT_CONVERGED && vida__has_constraint_rows(self)) {
    code = attempt_again(self, &local) || (may_search_after(self, &local) && follow_path(self))
               ? VIDA_SUCCESS
               : code;
  }
  const bool is_open = code == VIDA_STEP_NOT_CONVERGED || code == VIDA_STEP_SINGULAR;
  if (is_open && may_search_after(self, &local) && pass_singular(self)) {
    code = VIDA_SUCCESS;
  }
  if (!code && self->model.redundant && vida__has_constraint_rows(self)) {
    code = finish_multipliers(self, &local);
  }
  vida__count_evaluations(self);
  if (code) {
    char step[VIDA_STEP_NAME_SIZE];
    char h[VIDA_REAL_TEXT_SIZE];
    char open[VIDA_MESSAGE_SIZE / 2] = "";
    const bool is_named = strcmp(local.flag, VIDA_RANK_CHANGED) == 0;
    const bool is_undetermined = !is_named && name_open(self, code, open, sizeof open);
    const bool ask_smaller =
        code == VIDA_STEP_NOT_CONVERGED && strcmp(local.flag, VIDA_OTHER_BRANCH) != 0;
    const char* advice = is_named || (is_undetermined && code == VIDA_STEP_SINGULAR) ? ""
                         : code == VIDA_STEP_SINGULAR
                             ? "; the reason may be constraints that depend on each other, or that "
                               "meet at a singular point"
                         : ask_smaller ? "; the step is too large: try less than h = "
                                       : "";
    return vida__fail_flag(
        error, code, local.flag, "%s: %s%s%s%s", vida__name_step(self, step), local.message, open,
        advice, ask_smaller ? vida__real_text(h, vida__requested_step_size(self), 6) : "");
  }
  vida__remember_unknown(self);
  /* Constraint rows are g at the end of the step, divided by h. */
  const double* rows =
      vida__map_residual(find_map(self)) + (self->implicit.is_condensed_step ? 0 : self->model.n);
  for (int r = 0; r < self->model.m; r++) {
    self->implicit.g_tracked[r] = self->node.h * rows[r];
  }
  self->implicit.has_tracked = true;
  return VIDA_SUCCESS;
}

void vida__forget_constraints(VidaIntegration* self) {
  self->implicit.has_tracked = false;
}

/* ---- projection ------------------------------------------------------------------------------ */

enum { MOST_PROJECTIONS = 8 };

/* Returns the largest component of x relative to the sizes; those that are NaN do not count. */
static double find_largest_part(int count, const double* x, const double* size) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    const double part = fabs(x[i]) / size[i];
    largest = part > largest ? part : largest;
  }
  return largest;
}

/* Computes the residual of the projection into node_step, and returns its largest component
 * relative to the size of its row. */
static int project_residual(VidaIntegration* self, double t, const double* q, const double* entries,
                            const double* p, const double* v, const double* nu, double* largest) {
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  double* r = self->work.node_step;
  int code = vida__momenta(&self->model.evaluator, t, q, v, self->work.l_q, self->work.l_v);
  code = code ? code : vida__velocity_residual(&self->model.evaluator, t, q, entries, v, r + n);
  for (int i = 0; i < n; i++) {
    r[i] = self->work.l_v[i] - p[i];
  }
  vida__add_reaction(system, entries, 1.0, nu, r);
  /* A drive that starts suddenly moves bodies at rest: their momenta before it are no measure. */
  static const double least_part = 1e-3;
  const double after = find_largest_part(n, self->work.l_v, self->model.root_mass);
  const double motion = fmax(find_largest_part(n, p, self->model.root_mass), least_part * after);
  const double of_momenta = find_largest_part(n, r, self->model.root_mass);
  const double of_rows = find_largest_part(self->model.m, r + n, self->model.row_stiffness);
  *largest = of_rows > of_momenta ? of_rows : of_momenta;
  *largest = motion > 0.0 ? *largest / motion : *largest;
  for (int i = 0; i < n + self->model.m; i++) {
    r[i] = -r[i];
  }
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
  if (vida__is_condensed(self) &&
      vida__condensed_project(self, t, q, entries, p, v, nu ? nu : impulse)) {
    return VIDA_SUCCESS;
  }
  memset(impulse, 0, (size_t)self->model.m * sizeof *impulse);
  for (int k = 0; k < MOST_PROJECTIONS && !code; k++) {
    code = project_residual(self, t, q, entries, p, v, impulse, &residual);
    /* The iteration has reached rounding if the residual is tiny, or small and no longer
     * decreasing. Compared with a very heavy and fast part, the residual may be tiny at first
     * although that of the other parts is not. */
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
