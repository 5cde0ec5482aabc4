/* Consistent initial values: free components are computed from the constraints; then all components
 * change as little as possible.
 *
 * Both positions and velocities are found by Newton steps that are smallest in the mass norm: first
 * with the given components held, then, if a constraint is still violated, with all components
 * moving. A small term e on the diagonal makes redundant rows harmless if they are consistent.
 * Positions then move along the constraints to the nearest ones (nearest.c). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/constraints/rank.h"
#include "system/constraints/singular.h"
#include "system/constraints/vanishing.h"
#include "system/evaluate/evaluate.h"
#include "system/evaluate/sizes.h"
#include "system/start/nearest.h"
#include "system/start/start_work.h"
#include "system/symmetry.h"

enum { MOST_ITERATIONS = 100, MOST_HALVINGS = 12 };
static const double redundancy = 1e-10; /* e, relative to G M^-1 G^T */
static const double rounding = 64.0 * DBL_EPSILON;
static const double near = 1e-8; /* residual below which Newton's method has nearly converged */

static int create_work(const VidaSystem* system, double t, double* q, double* v,
                       vida_start_work* work, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  memset(work, 0, sizeof *work);
  work->system = system;
  work->t = t;
  work->q = q;
  work->v = v;
  work->given = vida__allocate(n, sizeof(double));
  work->trial = vida__allocate(n, sizeof(double));
  work->residual = vida__allocate(m, sizeof(double));
  work->size = vida__allocate(m, sizeof(double));
  work->floor = vida__allocate(m, sizeof(double));
  work->step = vida__allocate(n + m, sizeof(double));
  work->entries = vida__allocate((size_t)system->entry_count, sizeof(double));
  work->flat = vida__allocate((size_t)system->entry_count, sizeof(double));
  work->mass = vida__allocate(n, sizeof(double));
  work->matrix = vida__allocate((size_t)system->pattern.entries, sizeof(double));
  work->compliance = vida__allocate(m, sizeof(double));
  const int code = vida__evaluator_create(system, &work->evaluator, error);
  if (code) {
    return code;
  }
  if (!work->given || !work->trial || !work->residual || !work->size || !work->floor ||
      !work->step || !work->entries || !work->flat || !work->mass || !work->matrix ||
      !work->compliance || vida__context_create(&work->context)) {
    return vida__fail_memory(error);
  }
  return VIDA_SUCCESS;
}

/* Creates the linear solver. A consistent start does without. */
static int require_linear(vida_start_work* work) {
  return work->linear ? VIDA_SUCCESS
                      : vida__linear_create(work->context, &work->system->pattern, VIDA_SOLVER_AUTO,
                                            &work->linear, &work->evaluator.error);
}

static void destroy_work(vida_start_work* work) {
  vida__linear_destroy(&work->linear);
  if (work->context) {
    SUNContext_Free(&work->context);
  }
  vida__evaluator_destroy(&work->evaluator);
  free(work->given);
  free(work->trial);
  free(work->residual);
  free(work->size);
  free(work->floor);
  free(work->step);
  free(work->entries);
  free(work->flat);
  free(work->mass);
  free(work->matrix);
  free(work->compliance);
  vida__rank_destroy(&work->rank);
}

VidaInitial vida__initial_of(const vida_start_work* work, vida_start_level which, int i) {
  const VidaStartOptions* options = work->options;
  const double* given = which == VIDA_POSITIONS ? options->positions : options->velocities;
  const vida_coordinate* coordinate = &work->system->coordinates[i];
  if (given && isfinite(given[i])) {
    return VidaInitial_Given(given[i]);
  }
  VidaInitial initial = which == VIDA_POSITIONS ? coordinate->position : coordinate->velocity;
  initial.free |= which == VIDA_VELOCITIES && initial.is_default && work->moves_defaults;
  return initial;
}

static double* values_of(vida_start_work* work, vida_start_level which) {
  return which == VIDA_POSITIONS ? work->q : work->v;
}

/* Returns whether a row restricts this level. */
static bool is_at_level(const VidaSystem* system, vida_start_level which, int row) {
  return which == VIDA_VELOCITIES || !system->rows[row].is_nonholonomic;
}

static int check_residual(vida_start_work* work, vida_start_level which) {
  const VidaSystem* system = work->system;
  for (int r = 0; r < system->row_count; r++) {
    if (!is_at_level(system, which, r)) {
      work->residual[r] = 0.0;
    }
    if (!isfinite(work->residual[r]) || !isfinite(work->size[r])) {
      return vida__fail(&work->evaluator.error, VIDA_NOT_FINITE,
                        "constraint '%s' is not a finite number at the start: the initial %s are "
                        "too large for it",
                        system->rows[r].name, which == VIDA_POSITIONS ? "positions" : "velocities");
    }
  }
  return VIDA_SUCCESS;
}

/* Computes g(q) and the entries of G, or G v + g_t. The velocities come after the positions, of
 * which the entries are. */
static int evaluate_rows(vida_start_work* work, vida_start_level which, const double* x) {
  if (which == VIDA_POSITIONS) {
    const int code = vida__jacobian(&work->evaluator, work->t, x, work->entries);
    return code ? code : vida__constraints(&work->evaluator, work->t, x, NULL, work->residual);
  }
  const int code = vida__constraint_rate(&work->evaluator, work->t, work->q, work->residual);
  vida__add_constraint_velocity(work->system, work->entries, 1.0, x, work->residual);
  return code;
}

/* Computes the residual, the sizes of its terms, and for positions the entries of G. */
static int evaluate_residual(vida_start_work* work, vida_start_level which, const double* x) {
  const VidaSystem* system = work->system;
  const int code = evaluate_rows(work, which, x);
  for (int r = 0; r < system->row_count; r++) {
    work->size[r] = which == VIDA_POSITIONS ? system->rows[r].length : 0.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    work->size[system->entries[e].row] += fabs(work->entries[e] * x[system->entries[e].coordinate]);
  }
  for (int r = 0; r < system->row_count; r++) {
    work->size[r] = fmax(work->size[r], work->floor[r]);
  }
  return code ? code : check_residual(work, which);
}

/* Returns the largest residual relative to its size, only of rows marked in `movable`
 * (nullable). */
static double measure_residual(const vida_start_work* work, const bool* movable) {
  double largest = 0.0;
  for (int r = 0; r < work->system->row_count; r++) {
    if ((!movable || movable[r]) && work->residual[r] != 0.0) {
      largest = fmax(largest, fabs(work->residual[r]) / fmax(work->size[r], DBL_MIN));
    }
  }
  return largest;
}

/* Writes one Newton step from x to work->step. The components `held` (nullable) are fixed. */
static int find_step(vida_start_work* work, const double* x, const bool* held,
                     vida_start_level which) {
  const VidaSystem* system = work->system;
  const int n = system->coordinate_count;
  const double* q = which == VIDA_POSITIONS ? x : work->q;
  int code = require_linear(work);
  if (code) {
    return code;
  }
  double* matrix = work->linear->values;
  code = vida__find_masses(&work->evaluator, work->t, q, work->v, matrix, work->mass);
  if (code) {
    return code;
  }
  if (held) {
    /* Uses only the diagonal of the mass matrix, and no entries of G for fixed components. */
    vida__linear_clear(work->linear);
    for (int i = 0; i < n; i++) {
      matrix[system->mass_slot[i]] = work->mass[i];
    }
  }
  memset(work->step, 0, (size_t)(n + system->row_count) * sizeof *work->step);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const bool left_out =
        (held && held[entry->coordinate]) || !is_at_level(system, which, entry->row);
    work->flat[e] = left_out ? 0.0 : work->entries[e];
    work->step[n + entry->row] += work->flat[e] * work->flat[e] / work->mass[entry->coordinate];
  }
  vida__add_rows(system, work->flat, 1.0, matrix);
  vida__add_columns(system, work->flat, 1.0, matrix);
  for (int r = 0; r < system->row_count; r++) {
    const double compliance = work->step[n + r];
    work->compliance[r] = compliance;
    /* A row without movable entries does not change. */
    matrix[vida__constraint_diagonal(system, r)] -=
        compliance > 0.0 ? redundancy * compliance : 1.0;
    work->step[n + r] = compliance > 0.0 ? -work->residual[r] : 0.0;
  }
  code = vida__linear_factor(work->linear);
  return code ? code : vida__linear_solve(work->linear, work->step, work->step);
}

/* A second pass removes the residual that the small e leaves in the rows. */
static int refine_step(vida_start_work* work) {
  const VidaSystem* system = work->system;
  const int n = system->coordinate_count;
  const size_t size = (size_t)(n + system->row_count);
  double* rest = vida__allocate(size, sizeof *rest);
  if (!rest) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int r = 0; r < system->row_count; r++) {
    rest[n + r] = work->compliance[r] > 0.0 ? -work->residual[r] : 0.0;
  }
  vida__add_constraint_velocity(system, work->flat, -1.0, work->step, rest + n);
  const int code = vida__linear_solve(work->linear, rest, rest);
  for (size_t i = 0; i < size && !code; i++) {
    work->step[i] += rest[i];
  }
  free(rest);
  return code;
}

/* Sum of the squared residuals, each relative to its compliance: the merit function of a step. */
static double measure_merit(const vida_start_work* work) {
  double sum = 0.0;
  for (int r = 0; r < work->system->row_count; r++) {
    if (work->compliance[r] > 0.0) {
      sum += work->residual[r] * work->residual[r] / work->compliance[r];
    }
  }
  return sum;
}

static bool any_free(const vida_start_work* work, vida_start_level which) {
  for (int i = 0; i < work->system->coordinate_count; i++) {
    if (vida__initial_of(work, which, i).free) {
      return true;
    }
  }
  return false;
}

/* Finds the rows that depend on a component which is not held. */
static void find_movable_rows(const vida_start_work* work, const bool* held, bool* movable) {
  const VidaSystem* system = work->system;
  memset(movable, 0, (size_t)system->row_count * sizeof *movable);
  for (int e = 0; e < system->entry_count; e++) {
    movable[system->entries[e].row] |= !held[system->entries[e].coordinate];
  }
}

/* Moves the values of this level, at which the residual is known, by Newton steps with step halving
 * until the residual is rounding. The caller must check the final residual in work->residual. */
static int improve_level(vida_start_work* work, vida_start_level which, const bool* held,
                         const bool* movable) {
  const int n = work->system->coordinate_count;
  double* x = values_of(work, which);
  int code = VIDA_SUCCESS;
  double current = measure_residual(work, movable);
  bool is_double = false;
  for (int k = 0; k < MOST_ITERATIONS && !code && current > DBL_EPSILON; k++) {
    /* At a double root (a rod at full stretch), a Newton step covers half of the distance and
     * reduces the residual to a quarter. Twice the step then covers the whole distance. */
    double fraction = is_double ? 2.0 : 1.0;
    double reached = current;
    code = find_step(work, x, held, which);
    code = !code && is_double ? refine_step(work) : code;
    const double merit = measure_merit(work);
    bool is_better = false;
    for (int halving = 0; halving < MOST_HALVINGS && !code; halving++, fraction *= 0.5) {
      for (int i = 0; i < n; i++) {
        work->trial[i] = x[i] + fraction * work->step[i];
      }
      const int trial_code = evaluate_residual(work, which, work->trial);
      reached = trial_code ? INFINITY : measure_residual(work, movable);
      /* Near the solution the largest residual decides; before that, the sum of all does, too. */
      is_better =
          reached < current || (current > near && !trial_code && measure_merit(work) < merit);
      if (is_better) {
        break;
      }
    }
    if (code || !is_better) {
      const int again = evaluate_residual(work, which, x);
      return code ? code : again;
    }
    memcpy(x, work->trial, (size_t)n * sizeof *x);
    is_double = fraction == 1.0 && reached > 0.2 * current && reached < 0.3 * current;
    current = reached;
  }
  return code;
}

static int solve_level(vida_start_work* work, vida_start_level which, const bool* held,
                       const bool* movable) {
  const int code = evaluate_residual(work, which, values_of(work, which));
  return code ? code : improve_level(work, which, held, movable);
}

static double find_scale(const vida_start_work* work) {
  const VidaSystem* system = work->system;
  double scale = 0.0;
  for (int r = 0; r < system->row_count; r++) {
    scale = fmax(scale, system->rows[r].length);
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const double value = vida__initial_of(work, VIDA_POSITIONS, i).value;
    scale = isfinite(value) ? fmax(scale, fabs(value)) : scale;
  }
  return scale > 0.0 ? scale : 1.0;
}

/* Sets guesses of free positions far out on the requested side, each farther than the one before.
 * From there Newton's method converges to the solution on that side, rod by rod. */
static void fill_guesses(vida_start_work* work) {
  const VidaSystem* system = work->system;
  const double scale = find_scale(work);
  int free_count = 0;
  for (int i = 0; i < system->coordinate_count; i++) {
    const VidaInitial position = vida__initial_of(work, VIDA_POSITIONS, i);
    const VidaInitial velocity = vida__initial_of(work, VIDA_VELOCITIES, i);
    work->q[i] = position.value;
    work->v[i] = isfinite(velocity.value) ? velocity.value : 0.0;
    if (position.free) {
      free_count++;
      const double side = position.branch < 0.0 ? -1.0 : 1.0;
      work->q[i] = isfinite(position.value) ? position.value : side * scale * free_count;
    }
  }
}

/* ---- messages and notes ---------------------------------------------------------------------- */

static int find_worst_row(const vida_start_work* work) {
  int worst = 0;
  for (int r = 1; r < work->system->row_count; r++) {
    const double mine = fabs(work->residual[r]) * fmax(work->size[worst], DBL_MIN);
    const double other = fabs(work->residual[worst]) * fmax(work->size[r], DBL_MIN);
    worst = mine > other ? r : worst;
  }
  return worst;
}

static int judge_change(vida_start_work* work, vida_start_level which,
                        const VidaStartOptions* options, double violation, int violated,
                        char* notes, VidaError* error) {
  const VidaSystem* system = work->system;
  const double* x = values_of(work, which);
  const char* what = which == VIDA_POSITIONS ? "positions" : "velocities";
  char numbers[2][VIDA_REAL_TEXT_SIZE];
  char residual[2 * VIDA_REAL_TEXT_SIZE];
  int moved;
  const double change = vida__measure_start_change(work, x, &moved);
  if (!(change > 0.0)) {
    return VIDA_SUCCESS;
  }
  vida__residual_text(system, which, violated, violation, residual);
  vida__real_text(numbers[0], work->given[moved], 10);
  vida__real_text(numbers[1], fabs(x[moved]) > rounding * fabs(work->given[moved]) ? x[moved] : 0.0,
                  10);
  if (change > options->tolerance && !options->adjust) {
    return vida__fail(error, VIDA_INCONSISTENT_START,
                      "the initial %s violate constraint '%s' by %s; to satisfy it, %s%s%s would "
                      "go from %s to %s (adjust_start = true allows that)",
                      what, system->rows[violated].name, residual,
                      which == VIDA_POSITIONS ? "" : "d ", system->coordinates[moved].name,
                      which == VIDA_POSITIONS ? "" : "/dt", numbers[0], numbers[1]);
  }
  if (change > rounding) {
    vida__append(notes, VIDA_NOTES_SIZE,
                 "adjusted: the given %s violated constraint '%s' by %s; largest change: "
                 "%s%s%s from %s to %s\n",
                 what, system->rows[violated].name, residual, which == VIDA_POSITIONS ? "" : "d ",
                 system->coordinates[moved].name, which == VIDA_POSITIONS ? "" : "/dt", numbers[0],
                 numbers[1]);
  }
  return VIDA_SUCCESS;
}

/* ---- the two levels -------------------------------------------------------------------------- */

static void mark_touched(const vida_start_work* work, vida_start_level which, bool* touched) {
  const VidaSystem* system = work->system;
  for (int e = 0; e < system->entry_count; e++) {
    touched[system->entries[e].coordinate] |=
        work->entries[e] != 0.0 && is_at_level(system, which, system->entries[e].row);
  }
}

/* Refuses a free component without a constraint, which would stay at its guess. */
static int check_determined(const vida_start_work* work, vida_start_level which,
                            const bool* touched, VidaError* error) {
  const VidaSystem* system = work->system;
  for (int i = 0; i < system->coordinate_count; i++) {
    const VidaInitial initial = vida__initial_of(work, which, i);
    if (initial.free && !initial.is_default && !touched[i]) {
      return vida__fail(error, VIDA_INCONSISTENT_START,
                        "the initial %s of '%s' is free, but no constraint determines it",
                        which == VIDA_POSITIONS ? "position" : "velocity",
                        system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

static int pass_failure(const vida_start_work* work, int code, VidaError* error) {
  if (code == VIDA_STEP_SINGULAR) {
    vida__fail(error, VIDA_INCONSISTENT_START,
               "system '%s': consistent initial values could not be found: the mass matrix or "
               "the constraints are singular",
               work->system->name);
    if (error) {
      vida__append_singular(work->system, work->linear->values, error->message, VIDA_MESSAGE_SIZE);
    }
    return VIDA_INCONSISTENT_START;
  }
  return code == VIDA_OUT_OF_MEMORY ? vida__fail_memory(error)
                                    : vida__fail(error, code, "%s", work->evaluator.error.message);
}

/* Computes the rank of G in the components that are not fixed, for the current entries; -1 if it is
 * not known. Fails only without memory. */
static int find_rank(vida_start_work* work, vida_start_level which, const bool* held, int* rank) {
  const VidaSystem* system = work->system;
  const int code = work->rank ? VIDA_SUCCESS : vida__rank_create(system, &work->rank, NULL);
  *rank = -1;
  if (code) {
    return code == VIDA_OUT_OF_MEMORY ? code : VIDA_SUCCESS;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const bool left_out =
        (held && held[entry->coordinate]) || !is_at_level(system, which, entry->row);
    work->flat[e] = left_out ? 0.0 : work->entries[e];
  }
  if (!vida__rank_find(work->rank, work->flat, NULL)) {
    *rank = system->row_count - vida__rank_dependent_count(work->rank);
  }
  return VIDA_SUCCESS;
}

/* Fails if a row depends on others at the given values but is violated there: no values satisfy
 * all rows. Returns VIDA_SUCCESS if there is no such row. */
static int report_contradiction(vida_start_work* work, vida_start_level which, VidaError* error) {
  const VidaSystem* system = work->system;
  const size_t m = (size_t)system->row_count;
  double* weight = vida__allocate(2 * m, sizeof *weight);
  double worst = 1e-9;
  int row = -1;
  char partners[VIDA_MESSAGE_SIZE / 2] = "";
  char text[2 * VIDA_REAL_TEXT_SIZE];
  double left = 0.0;
  int rank = -1;
  /* This succeeded at the same values before. */
  const int code = evaluate_residual(work, which, work->given);
  if (!weight || (!code && find_rank(work, which, NULL, &rank))) {
    free(weight);
    return vida__fail_memory(error);
  }
  for (int k = 0; k < system->row_count - rank && rank >= 0; k++) {
    double sum = 0.0;
    double size = 0.0;
    const int own = vida__rank_dependent(work->rank)[k];
    vida__rank_combination(work->rank, k, weight, weight + m);
    for (size_t r = 0; r < m; r++) {
      sum += weight[r] * work->residual[r];
      size += fabs(weight[r]) * work->size[r];
    }
    if (weight[own] != 0.0 && fabs(sum) > worst * size) {
      worst = fabs(sum) / size;
      row = own;
      left = sum / weight[own];
      partners[0] = '\0';
      vida__append_partners(system, weight + m, own, partners, sizeof partners);
    }
  }
  free(weight);
  return row < 0 ? VIDA_SUCCESS
                 : vida__fail(error, VIDA_INCONSISTENT_START,
                              "constraints contradict each other: '%s' depends on %s, but is "
                              "violated by %s, which no initial %s can repair",
                              system->rows[row].name, partners,
                              vida__residual_text(system, which, row, left, text),
                              which == VIDA_POSITIONS ? "positions" : "velocities");
}

static int report_unsolved(vida_start_work* work, vida_start_level which, VidaError* error) {
  const VidaSystem* system = work->system;
  const int worst = find_worst_row(work);
  char text[2 * VIDA_REAL_TEXT_SIZE];
  /* A vanishing gradient may be the reason. */
  int code = vida__check_gradients(system, work->entries, work->size, error);
  code = code ? code : report_contradiction(work, which, error);
  return code ? code
              : vida__fail(error, VIDA_INCONSISTENT_START,
                           "no initial %s were found that satisfy constraint '%s' together with "
                           "the others: its residual is %s",
                           which == VIDA_POSITIONS ? "positions" : "velocities",
                           system->rows[worst].name,
                           vida__residual_text(system, which, worst, work->residual[worst], text));
}

/* Updates the rank and the rows that the free components affect, at the guess and at the solution:
 * at the solution, a rod at full stretch no longer depends on its sideways component. */
static int check_free_components(vida_start_work* work, vida_start_level which, const bool* held,
                                 bool* touched, int* rank, VidaError* error) {
  int here = -1;
  if (find_rank(work, which, held, &here)) {
    return vida__fail_memory(error);
  }
  *rank = here > *rank ? here : *rank;
  mark_touched(work, which, touched);
  return VIDA_SUCCESS;
}

static int solve_free(vida_start_work* work, vida_start_level which, char* notes,
                      VidaError* error) {
  const VidaSystem* system = work->system;
  const size_t n = (size_t)system->coordinate_count;
  bool* held = vida__allocate(2 * n, sizeof *held);
  bool* touched = held ? held + n : NULL;
  bool* movable = vida__allocate((size_t)system->row_count, sizeof *movable);
  int rank = -1;
  int code = held && movable ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code) {
    for (size_t i = 0; i < n; i++) {
      held[i] = !vida__initial_of(work, which, (int)i).free;
    }
    find_movable_rows(work, held, movable);
    code = evaluate_residual(work, which, values_of(work, which));
    code = code ? pass_failure(work, code, error)
                : check_free_components(work, which, held, touched, &rank, error);
  }
  if (!code) {
    code = solve_level(work, which, held, movable);
    code = code ? pass_failure(work, code, error)
                : check_free_components(work, which, held, touched, &rank, error);
    code = code ? code : check_determined(work, which, touched, error);
  }
  if (!code) {
    vida__note_undetermined(work, which, rank, held, notes);
  }
  free(held);
  free(movable);
  return code;
}

/* If the change relative to the sizes of values is below this, the result of Newton's steps is
 * already the nearest one, to rounding. */
static const double small_move = 1.5e-8;

/* Moves from the consistent positions that Newton's method has found to the nearest ones, and adds
 * a note if these are not found. */
static int find_nearest(vida_start_work* work, char* notes) {
  const VidaSystem* system = work->system;
  const size_t bytes = (size_t)system->coordinate_count * sizeof *work->q;
  int moved;
  if (!(vida__measure_start_change(work, work->q, &moved) > small_move)) {
    return VIDA_SUCCESS;
  }
  double* kept = vida__allocate((size_t)system->coordinate_count, sizeof *kept);
  if (!kept) {
    return VIDA_OUT_OF_MEMORY;
  }
  memcpy(kept, work->q, bytes);
  int code = require_linear(work);
  code = code ? code
              : vida__find_masses(&work->evaluator, work->t, work->q, work->v, work->linear->values,
                                  work->mass);
  code = code ? code
              : vida__find_nearest(&work->evaluator, work->linear, work->t, work->given, work->v,
                                   work->mass, work->q);
  code = code ? code : solve_level(work, VIDA_POSITIONS, NULL, NULL);
  if (code || measure_residual(work, NULL) > rounding) {
    memcpy(work->q, kept, bytes);
    vida__append(notes, VIDA_NOTES_SIZE,
                 "adjusted: these positions satisfy the constraints; the nearest ones to those "
                 "given were not found\n");
    code = evaluate_residual(work, VIDA_POSITIONS, work->q);
  }
  free(kept);
  return code;
}

/* Writes the sizes of the rows at x, from which all components may move, to work->floor and
 * work->size. The residual at x is known. */
static void begin_floor(vida_start_work* work, vida_start_level which, const double* x) {
  const VidaSystem* system = work->system;
  for (int r = 0; r < system->row_count; r++) {
    work->floor[r] = work->size[r] = fmax(work->size[r], work->floor[r]);
  }
  if (which == VIDA_VELOCITIES) {
    vida__add_common_velocity(work, x);
  } else {
    vida__add_row_sizes(system, work->entries, x, work->floor);
  }
  vida__add_least_size(work);
  memcpy(work->size, work->floor, (size_t)system->row_count * sizeof *work->floor);
}

static int make_consistent(vida_start_work* work, vida_start_level which,
                           const VidaStartOptions* options, char* notes, VidaError* error) {
  const VidaSystem* system = work->system;
  const size_t n = (size_t)system->coordinate_count;
  double* x = values_of(work, which);
  memset(work->floor, 0, (size_t)system->row_count * sizeof *work->floor);
  int code = evaluate_residual(work, which, x);
  if (code) {
    return pass_failure(work, code, error);
  }
  vida__find_least_size(work, which, x);
  vida__add_least_size(work);
  const bool has_free_values = any_free(work, which);
  if (has_free_values) {
    code = solve_free(work, which, notes, error);
    if (code) {
      return code;
    }
    memset(work->floor, 0, (size_t)system->row_count * sizeof *work->floor);
    code = evaluate_residual(work, which, x);
    if (code) {
      return pass_failure(work, code, error);
    }
    vida__find_least_size(work, which, x);
  }
  memcpy(work->given, x, n * sizeof *x);
  begin_floor(work, which, x);
  const int violated = system->row_count ? find_worst_row(work) : 0;
  const double violation = system->row_count ? work->residual[violated] : 0.0;
  /* Fixed components keep their exact values if the free ones satisfy the constraints. */
  if (!has_free_values || !(measure_residual(work, NULL) <= rounding)) {
    code = check_residual(work, which);
    code = code ? code : improve_level(work, which, NULL, NULL);
  }
  if (!code && measure_residual(work, NULL) > rounding) {
    /* The first attempt from rest had no velocity to compare rows with; now there is one. */
    if (which == VIDA_VELOCITIES) {
      vida__add_common_velocity(work, x);
    }
    vida__find_least_size(work, which, x);
    vida__add_least_size(work);
    code = solve_level(work, which, NULL, NULL);
  }
  if (code) {
    return pass_failure(work, code, error);
  }
  if (measure_residual(work, NULL) > rounding) {
    return report_unsolved(work, which, error);
  }
  code = which == VIDA_POSITIONS && options->adjust ? find_nearest(work, notes) : VIDA_SUCCESS;
  if (code) {
    return pass_failure(work, code, error);
  }
  vida__note_free(work, which, x, notes);
  return judge_change(work, which, options, violation, violated, notes, error);
}

static bool has_defaults(const VidaSystem* system) {
  bool has = false;
  for (int i = 0; i < system->coordinate_count; i++) {
    has = has || system->coordinates[i].velocity.is_default;
  }
  return has;
}

/* Default velocities keep their values if the start is consistent with them. Otherwise they move to
 * fit the other velocities; if that fails, the error is that of the first attempt. */
static int make_velocities(vida_start_work* work, const VidaStartOptions* options, char* notes,
                           VidaError* error) {
  const size_t bytes = (size_t)work->system->coordinate_count * sizeof *work->v;
  const size_t length = strlen(notes);
  double* kept = vida__allocate((size_t)work->system->coordinate_count, sizeof *kept);
  if (!kept) {
    return vida__fail_memory(error);
  }
  memcpy(kept, work->v, bytes);
  const int code = make_consistent(work, VIDA_VELOCITIES, options, notes, error);
  int again = code;
  if (code == VIDA_INCONSISTENT_START && has_defaults(work->system)) {
    VidaError unused;
    memcpy(work->v, kept, bytes);
    notes[length] = '\0';
    work->evaluator.error = (VidaError){0};
    work->moves_defaults = true;
    again = make_consistent(work, VIDA_VELOCITIES, options, notes, &unused);
  }
  free(kept);
  return again ? code : VIDA_SUCCESS;
}

/* Reports an overflow now instead of in the first step. */
static int check_energy(vida_start_work* work, VidaError* error) {
  const VidaSystem* system = work->system;
  const int n = system->coordinate_count;
  double energy = 0.0;
  const int code =
      vida__energy(&work->evaluator, work->t, work->q, work->v, work->trial, work->given, &energy);
  for (int i = 0; i < n; i++) {
    if (!isfinite(work->q[i]) || !isfinite(work->v[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the initial %s of '%s' is not a finite number",
                        isfinite(work->q[i]) ? "velocity" : "position",
                        system->coordinates[i].name);
    }
  }
  /* A formula outside its domain is not an error yet: the caller may never evaluate it here. */
  return code || isfinite(energy)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_NOT_FINITE,
                          "the energy of the start is not a finite number: initial "
                          "values of system '%s' are too large for it",
                          system->name);
}

VidaStartOptions VidaStartOptions_Default(void) {
  const VidaStartOptions options = {.adjust = false, .tolerance = 1e-9};
  return options;
}

int VidaSystem_Start(const VidaSystem* system, double t, const VidaStartOptions* options, double* q,
                     double* v, char* notes, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, q, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaStartOptions defaults = VidaStartOptions_Default();
  char unused[VIDA_NOTES_SIZE];
  vida_start_work work;
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  if (!isfinite(t)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the start of system '%s' needs a finite time",
                      system->name);
  }
  notes = notes ? notes : unused;
  notes[0] = '\0';
  options = options ? options : &defaults;
  int code = create_work(system, t, q, v, &work, error);
  work.options = options;
  if (!code) {
    fill_guesses(&work);
    code = make_consistent(&work, VIDA_POSITIONS, options, notes, error);
    code = code ? code : vida__check_gradients(system, work.entries, work.size, error);
    if (!code && options->adjust) {
      vida__scale_quaternion_rates(system, q, v, notes);
    }
    code = code ? code : make_velocities(&work, options, notes, error);
    code = code ? code : vida__check_springs(system, q, error);
    code = code ? code : check_energy(&work, error);
  }
  destroy_work(&work);
  return code;
}
