#include "solve/implicit_map.h"

#include <float.h>
#include <kinsol/kinsol.h>
#include <limits.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "base/null_space_solver.h"
#include "base/sundials.h"
#include "base/text.h"
#include "solve/full_newton.h"
#include "solve/solution_path.h"
#include "system/constraints/rank.h"

/* Residuals by rows, relative to the terms of the row. Newton's method and KINSOL use a single
 * norm, in which a heavy part of a system hides a light one. Their result is therefore corrected
 * until the residual is below `rounded` or stops decreasing; above `unsolved` it is not a solution.
 */
static const double rounded = 1e-16;
static const double near_rounding = 1e-12; /* no longer worth new factors */
static const double unsolved = 1e-7;
enum { MOST_CORRECTIONS = 12 };
/* Newton's method must not stop at a small step: only the residual counts. */
static const double smallest_step = 1e-300;
static const double largest_step = 1e100;
enum { LINE_SEARCH_ITERATIONS = 200 };
/* Evaluations of a line search before a path that do not make the residual smaller by a fifth.
 * Where it crawls, each of its iterations takes ten of them. */
enum { PATIENCE_BEFORE_PATH = 100 };

struct vida_map {
  vida_map_rows rows;
  VidaStepEquations functions;
  void* data;
  vida_map_options options;
  vida_full_newton newton; /* the first attempt */
  void* kinsol;            /* the line search, the second attempt; if options.is_kinsol, both */
  vida_linear* linear;
  vida_linear* determinant; /* for the sign, where `linear` does not know it; otherwise NULL */
  N_Vector unknown, unknown_scale, row_scale;
  double* residual; /* the last one that was evaluated, not scaled */
  double* row_size; /* of the terms in each row */
  double* kept;     /* unknowns and residual before a correction */
  double* kept_residual;
  double* correction;
  double
      beside; /* negligible residual, relative to the sizes that scale rows; 0: everything counts */
  const double*
      redundancy; /* NULL, or the shifts subtracted from the diagonals of constraint rows */
  int (*interrupted)(void* data); /* nullable */
  vida_sink sink;
  long iterations, residuals, jacobians;
  vida_progress progress; /* of KINSOL */
  long progressed;        /* residuals when it last made progress */
  bool is_stuck;          /* which ended therefore */
};

static int check_finite(const vida_map* map, const double* r) {
  return vida__are_finite(r, map->linear->pattern->size) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

static int evaluate(vida_map* map, const double* u, double* r) {
  map->residuals++;
  int code = map->interrupted ? map->interrupted(map->data) : VIDA_SUCCESS;
  code = code ? code : map->functions.residual(map->data, u, r);
  return code ? code : check_finite(map, r);
}

static int newton_residual(void* data, const double* u, double* r) {
  return evaluate(data, u, r);
}

static int kinsol_residual(N_Vector u, N_Vector r, void* data) {
  vida_map* map = data;
  const double* values = N_VGetArrayPointer(r);
  const int code = evaluate(map, N_VGetArrayPointer(u), N_VGetArrayPointer(r));
  /* The last residual before KINSOL returns with success is that of the solution. */
  memcpy(map->residual, values, (size_t)map->linear->pattern->size * sizeof *values);
  return code;
}

static int assemble(vida_map* map, const double* u) {
  map->jacobians++;
  vida__linear_clear(map->linear);
  const int code = map->functions.jacobian(map->data, u, map->linear->values);
  const VidaSystem* system = map->rows.evaluator->system;
  for (int r = 0; r < system->row_count && map->redundancy; r++) {
    map->linear->values[vida__constraint_diagonal(system, r)] -= map->redundancy[r];
  }
  return code;
}

static int newton_matrix(void* data, const double* u) {
  vida_map* map = data;
  const int code = assemble(map, u);
  vida__linear_store(map->linear);
  return code;
}

static int kinsol_jacobian(N_Vector u, N_Vector r, SUNMatrix matrix, void* data, N_Vector work1,
                           N_Vector work2) {
  vida_map* map = data;
  (void)matrix; /* is map->linear->matrix */
  (void)work2;
  N_VProd(map->row_scale, r, work1);
  map->is_stuck = !vida__makes_progress(&map->progress, N_VMaxNorm(work1));
  if (map->progress.since == map->progress.iterations) {
    map->progressed = map->residuals;
  }
  map->is_stuck |=
      map->newton.ends_if_lost && map->residuals - map->progressed >= PATIENCE_BEFORE_PATH;
  return map->is_stuck ? -1 : newton_matrix(map, N_VGetArrayPointer(u));
}

static void configure_newton(vida_map* map) {
  map->newton = (vida_full_newton){.residual = newton_residual,
                                   .matrix = newton_matrix,
                                   .data = map,
                                   .linear = map->linear,
                                   .row_scale = N_VGetArrayPointer(map->row_scale),
                                   .unknown_scale = N_VGetArrayPointer(map->unknown_scale),
                                   .trial = map->kept, /* not used before a correction */
                                   .tolerance = map->options.tolerance,
                                   .least_step = smallest_step,
                                   .largest_step = largest_step,
                                   .max_iterations = map->options.max_iterations};
}

static int configure_kinsol(vida_map* map, SUNContext context) {
  map->kinsol = KINCreate(context);
  if (!map->kinsol || vida__redirect_messages(VIDA_KINSOL, map->kinsol, context, &map->sink) ||
      KINInit(map->kinsol, kinsol_residual, map->unknown) || KINSetUserData(map->kinsol, map) ||
      KINSetLinearSolver(map->kinsol, map->linear->solver, map->linear->matrix) ||
      KINSetJacFn(map->kinsol, kinsol_jacobian) || KINSetMaxSetupCalls(map->kinsol, 1) ||
      KINSetNoResMon(map->kinsol, SUNTRUE) || KINSetMaxNewtonStep(map->kinsol, largest_step) ||
      KINSetFuncNormTol(map->kinsol, map->options.tolerance) ||
      KINSetScaledStepTol(map->kinsol, smallest_step)) {
    return VIDA_SOLVER_FAILED;
  }
  return VIDA_SUCCESS;
}

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaSystem* system = list;
  const bool is_constraint = row >= system->coordinate_count;
  *kind = is_constraint ? "constraint" : "coordinate";
  return is_constraint ? system->rows[row - system->coordinate_count].name
                       : system->coordinates[row].name;
}

vida_map_rows vida__map_rows_of(vida_evaluator* evaluator) {
  const VidaSystem* system = evaluator->system;
  const vida_map_rows rows = {&system->pattern, evaluator, name_of_row, system};
  return rows;
}

int vida__map_create(SUNContext context, vida_map_rows rows, VidaStepEquations functions,
                     void* data, vida_map_options options, vida_map** map, VidaError* error) {
  const vida_pattern* pattern = rows.pattern;
  vida_map* created = vida__allocate(1, sizeof *created);
  *map = created;
  if (!created) {
    return vida__fail_memory(error);
  }
  created->rows = rows;
  created->functions = functions;
  created->data = data;
  created->options = options;
  created->sink.is_shared = options.services != NULL;
  created->residual = vida__allocate(5 * (size_t)pattern->size, sizeof *created->residual);
  if (created->residual) {
    created->row_size = created->residual + pattern->size;
    created->kept = created->row_size + pattern->size;
    created->kept_residual = created->kept + pattern->size;
    created->correction = created->kept_residual + pattern->size;
  }
  created->unknown = vida__new_vector(pattern->size, context);
  created->unknown_scale = vida__new_vector(pattern->size, context);
  created->row_scale = vida__new_vector(pattern->size, context);
  int code =
      options.reduced > 0
          ? vida__linear_create_reduced(context, pattern, options.reduced, &created->linear, error)
          : vida__linear_create_given(context, pattern, options.solver, options.services,
                                      &created->linear, error);
  if (!code && (created->linear->given || created->linear->is_reduced)) {
    code = vida__linear_create(context, pattern, options.solver, &created->determinant, error);
  }
  if (!code &&
      (!created->residual || !created->unknown || !created->unknown_scale || !created->row_scale)) {
    code = vida__fail_memory(error);
  }
  if (!code && vida__linear_use_sizes(created->linear, N_VGetArrayPointer(created->row_scale),
                                      N_VGetArrayPointer(created->unknown_scale), context)) {
    code = vida__fail_memory(error);
  }
  if (!code) {
    configure_newton(created);
    N_VConst(0.0, created->unknown);       /* KINInit looks at it */
    N_VConst(1.0, created->unknown_scale); /* find_entries does, before sizes are known */
    N_VConst(1.0, created->row_scale);
    if (created->linear->is_reduced) {
      vida__null_space_set_scale(created->linear->pivoting,
                                 N_VGetArrayPointer(created->unknown_scale));
    }
    code = configure_kinsol(created, context);
    if (code) {
      vida__fail(error, code, "KINSOL could not be set up: %s", created->sink.message);
    }
  }
  if (code) {
    vida__map_destroy(map);
  }
  return code;
}

void vida__map_destroy(vida_map** map) {
  vida_map* old = *map;
  if (!old) {
    return;
  }
  if (old->kinsol) {
    KINFree(&old->kinsol);
  }
  vida__linear_destroy(&old->linear);
  vida__linear_destroy(&old->determinant);
  N_Vector vectors[] = {old->unknown, old->unknown_scale, old->row_scale};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
  free(old->residual);
  free(old);
  *map = NULL;
}

void vida__map_set_size(vida_map* map, int i, double row_size, double unknown_size) {
  NV_Ith_S(map->row_scale, i) = 1.0 / row_size;
  NV_Ith_S(map->unknown_scale, i) = 1.0 / unknown_size;
}

void vida__map_set_redundancy(vida_map* map, const double* redundancy) {
  map->redundancy = redundancy;
}

void vida__map_set_interrupt(vida_map* map, int (*interrupted)(void* data)) {
  map->interrupted = interrupted;
}

const vida_linear* vida__map_linear(const vida_map* map) {
  return map->linear;
}

long vida__map_iterations(const vida_map* map) {
  return map->iterations;
}

long vida__map_residuals(const vida_map* map) {
  return map->residuals;
}

long vida__map_jacobians(const vida_map* map) {
  return map->jacobians;
}

const double* vida__map_residual(const vida_map* map) {
  return map->residual;
}

const double* vida__map_matrix(const vida_map* map) {
  return map->linear->values;
}

int vida__map_sign(vida_map* map) {
  vida_linear* linear = map->determinant ? map->determinant : map->linear;
  int code = assemble(map, N_VGetArrayPointer(map->unknown));
  if (map->determinant) {
    memcpy(linear->values, map->linear->values,
           (size_t)linear->pattern->entries * sizeof *linear->values);
  }
  code = code ? code : vida__linear_factor(linear);
  return code ? 0 : vida__linear_sign(linear);
}

void vida__map_reset_counts(vida_map* map) {
  map->iterations = map->residuals = map->jacobians = 0;
}

/* ---- solving --------------------------------------------------------------------------------- */

static int run_newton(vida_map* map) {
  long iterations;
  const int flag =
      vida__full_newton(&map->newton, N_VGetArrayPointer(map->unknown), map->residual, &iterations);
  map->iterations += iterations;
  return flag;
}

static int run_kinsol(vida_map* map, int strategy, int max_iterations) {
  long iterations = 0;
  KINSetNumMaxIters(map->kinsol, max_iterations);
  const bool is_newton = strategy == KIN_NONE;
  map->progress =
      (vida_progress){.most = is_newton && map->newton.ends_if_lost ? max_iterations : 0};
  map->is_stuck = false;
  const int flag = KINSol(map->kinsol, map->unknown, strategy, map->unknown_scale, map->row_scale);
  KINGetNumNonlinSolvIters(map->kinsol, &iterations);
  map->iterations += iterations;
  return map->is_stuck ? KIN_MAXITER_REACHED : flag;
}

static int run_first_attempt(vida_map* map) {
  return map->options.is_kinsol ? run_kinsol(map, KIN_NONE, map->options.max_iterations)
                                : run_newton(map);
}

static int run_line_search(vida_map* map) {
  return run_kinsol(map, KIN_LINESEARCH, LINE_SEARCH_ITERATIONS);
}

/* Largest of map->residual relative to the terms of its row at the present unknowns; the row in
 * *worst (nullable). */
static double measure(vida_map* map, int* worst) {
  const int size = map->linear->pattern->size;
  double largest = 0.0;
  int found = 0;
  map->functions.sizes(map->data, N_VGetArrayPointer(map->unknown), map->row_size);
  for (int i = 0; i < size; i++) {
    const double residual = fabs(map->residual[i]);
    if (map->beside > 0.0) {
      map->row_size[i] += map->beside / NV_Ith_S(map->row_scale, i);
    }
    /* Without a division in most rows. */
    if (residual > largest * map->row_size[i]) {
      largest = map->row_size[i] > 0.0 ? residual / map->row_size[i] : INFINITY;
      found = i;
    }
  }
  if (worst) {
    *worst = found;
  }
  return largest;
}

static double evaluate_and_measure(vida_map* map, int* worst) {
  const int code = evaluate(map, N_VGetArrayPointer(map->unknown), map->residual);
  return code ? INFINITY : measure(map, worst);
}

/* The correction of r with the present factors. Returns the remaining residual; if that is not
 * smaller than `before`, unknowns and residual are restored. */
static double apply_correction(vida_map* map, const double* r, double before) {
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof(double);
  double* u = N_VGetArrayPointer(map->unknown);
  if (vida__linear_solve(map->linear, r, map->correction)) {
    return before;
  }
  memcpy(map->kept, u, bytes);
  memcpy(map->kept_residual, map->residual, bytes);
  for (int i = 0; i < map->linear->pattern->size; i++) {
    u[i] -= map->correction[i];
  }
  map->iterations++;
  const double after = evaluate_and_measure(map, NULL);
  if (!(after < before)) {
    memcpy(u, map->kept, bytes);
    memcpy(map->residual, map->kept_residual, bytes);
    return before;
  }
  return after;
}

/* One Newton correction with the present factors, or with new ones, as apply_correction. */
static double correct(vida_map* map, bool refactor, double before) {
  if (refactor &&
      (assemble(map, N_VGetArrayPointer(map->unknown)) || vida__linear_factor(map->linear))) {
    return before;
  }
  return apply_correction(map, map->residual, before);
}

/* Corrects until every row is at rounding, or nothing improves; returns the remaining residual. */
static double polish(vida_map* map) {
  double left = measure(map, NULL);
  bool refactor = false;
  for (int k = 0; k < MOST_CORRECTIONS && left > rounded; k++) {
    const double before = left;
    left = correct(map, refactor, before);
    /* Old factors usually suffice; they are renewed if they do not. */
    const bool is_slow = !(left < 0.1 * before);
    if (is_slow && (refactor || before < near_rounding)) {
      break;
    }
    refactor = is_slow;
  }
  return left;
}

/* If a motion fades out, as along a ladder that begins to fall at one end, the terms of some rows
 * are smaller than the rounding of others: rows that are negligible compared with the motion do not
 * count. */
static bool is_polished(vida_map* map) {
  if (polish(map) <= unsolved) {
    return true;
  }
  map->beside = DBL_EPSILON;
  const bool solved = polish(map) <= unsolved;
  map->beside = 0.0;
  return solved;
}

/* Returns whether corrections have something to begin with. */
static bool is_near(vida_map* map) {
  map->beside = DBL_EPSILON;
  const bool near = evaluate_and_measure(map, NULL) <= unsolved;
  map->beside = 0.0;
  return near;
}

/* The result of an attempt starts the corrections, unless the attempt failed outright. */
static bool is_solved(vida_map* map, int flag) {
  switch (flag) {
    case KIN_SUCCESS:
    case KIN_INITIAL_GUESS_OK:
      break;
    case KIN_STEP_LT_STPTOL:
    case KIN_MAXITER_REACHED:
    case KIN_LINESEARCH_NONCONV:
      if (!is_near(map)) {
        return false;
      }
      break;
    default:
      return false;
  }
  return is_polished(map);
}

static bool is_singular(int flag) {
  return flag == KIN_LSETUP_FAIL || flag == KIN_LINSOLV_NO_RECOVERY || flag == KIN_LSOLVE_FAIL;
}

static int lost_row(const vida_map* map) {
  return vida__null_space_lost_row(map->linear->pivoting);
}

static int describe_failure(vida_map* map, int flag, VidaError* error) {
  const VidaError* own = &map->rows.evaluator->error;
  /* The attempt may have accepted a result that our own test of the residual rejects. */
  const char* name = flag >= 0 ? "NOT_CONVERGED" : vida__flag_name(VIDA_KINSOL, flag);
  const int interrupt = map->interrupted ? map->interrupted(map->data) : VIDA_SUCCESS;
  if (interrupt) {
    return vida__fail(error, interrupt, "%s", Vida_CodeText(interrupt));
  }
  if (own->code) {
    return vida__fail_flag(error, own->code, name, "%s", own->message);
  }
  const int given = vida__given_failed(map->linear, name, error);
  if (given) {
    return given;
  }
  int worst = 0;
  const double residual = evaluate_and_measure(map, &worst);
  const char* kind;
  const char* row = map->rows.name(map->rows.list, worst, &kind);
  char size[VIDA_REAL_TEXT_SIZE];
  if (is_singular(flag) && vida__linear_lacks_memory(map->linear)) {
    return vida__fail_memory(error);
  }
  if (is_singular(flag) && map->linear->is_reduced && lost_row(map) >= 0) {
    row = map->rows.name(map->rows.list, map->options.reduced + lost_row(map), &kind);
    return vida__fail_flag(error, VIDA_STEP_SINGULAR, VIDA_RANK_CHANGED,
                           "constraint '%s' depends on others here, or its gradient vanishes; "
                           "reduction = null-space needs constraints of constant rank",
                           row);
  }
  if (is_singular(flag)) {
    return vida__fail_flag(error, VIDA_STEP_SINGULAR, name,
                           "the Newton matrix of the step is singular");
  }
  if (!isfinite(residual)) {
    return vida__fail_flag(error, VIDA_NOT_FINITE, name,
                           "the equations of the step are not defined there");
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, name,
                         "the equations of the step were not solved by Newton's method, nor by a "
                         "line search; worst is %s '%s' with a relative residual of %s",
                         kind, row, vida__real_text(size, residual, 2));
}

void vida__map_expect_path(vida_map* map, bool is_followed) {
  map->newton.ends_if_lost = is_followed;
}

int vida__map_solve(vida_map* map, double* u, VidaError* error) {
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof *u;
  double* unknown = N_VGetArrayPointer(map->unknown);
  map->rows.evaluator->error.code = VIDA_SUCCESS;
  memcpy(unknown, u, bytes);
  const int flag = run_first_attempt(map);
  bool solved = is_solved(map, flag);
  if (!solved) {
    map->functions.second_guess(map->data, unknown);
    map->rows.evaluator->error.code = VIDA_SUCCESS;
    solved = is_solved(map, run_line_search(map));
  }
  if (!solved) {
    return describe_failure(map, flag, error);
  }
  memcpy(u, unknown, bytes);
  return VIDA_SUCCESS;
}

bool vida__map_attempt(vida_map* map, double* u) {
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof *u;
  double* unknown = N_VGetArrayPointer(map->unknown);
  map->rows.evaluator->error.code = VIDA_SUCCESS;
  memcpy(unknown, u, bytes);
  const int flag = run_first_attempt(map);
  if (flag == KIN_INITIAL_GUESS_OK && evaluate(map, unknown, map->residual)) {
    return false;
  }
  const bool solved = is_solved(map, flag);
  memcpy(u, unknown, bytes);
  return solved;
}

/* The arrays of corrections are work space before a correction. */
bool vida__map_follow(vida_map* map, int count, double share, double* u) {
  double* unknown = N_VGetArrayPointer(map->unknown);
  double* sign = map->correction;
  map->rows.evaluator->error.code = VIDA_SUCCESS;
  map->functions.second_guess(map->data, unknown);
  vida__oppose_neighbours(map->rows.pattern, count, sign, map->row_size);
  for (int i = 0; i < count; i++) {
    unknown[i] += sign[i] * share / NV_Ith_S(map->unknown_scale, i);
  }
  long iterations;
  const vida_path_space space = {.first = map->kept_residual, .last = map->correction};
  const int flag = vida__follow_path(&map->newton, space, unknown, map->residual, &iterations);
  map->iterations += iterations;
  if (!is_solved(map, flag)) {
    return false;
  }
  memcpy(u, unknown, (size_t)map->linear->pattern->size * sizeof *u);
  return true;
}

/* A correction of vida__map_pass_singular, as `correct`: with the matrix where the first unknowns
 * are smaller by `share`, and without the part of the residual that the filter removes. */
static double correct_filtered(vida_map* map, const vida_map_singular* singular, double share,
                               bool is_filtered, double before) {
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof(double);
  double* u = N_VGetArrayPointer(map->unknown);
  double* r = map->correction;
  memcpy(r, map->residual, bytes);
  memcpy(map->kept, u, bytes);
  for (int i = 0; i < singular->count; i++) {
    map->kept[i] *= 1.0 - share;
  }
  if ((is_filtered && singular->filter(map->data, u, r)) || assemble(map, map->kept) ||
      vida__linear_factor(map->linear)) {
    return before;
  }
  return apply_correction(map, r, before);
}

/* Corrects from map->unknown as long as that helps. Returns the remaining residual. */
static double pass_from(vida_map* map, const vida_map_singular* singular, double share,
                        bool is_filtered) {
  enum { MOST_FILTERED = 40 };
  static const double least_gain = 0.5;
  double before = INFINITY;
  double left = evaluate_and_measure(map, NULL);
  for (int k = 0; k < MOST_FILTERED && left > rounded && left < least_gain * before; k++) {
    before = left;
    left = correct_filtered(map, singular, share, is_filtered || k > 0, before);
  }
  return left;
}

/* The first correction, from the guess, is the largest, and so is the rounding with which it moves
 * what the filter leaves open. */
bool vida__map_pass_singular(vida_map* map, const vida_map_singular* singular, double* u) {
  static const struct {
    double share;
    bool is_filtered;
  } trials[] = {{0.1, false}, {0.1, true}, {0.3, false}, {0.3, true}};
  static const double rounded_rows = 1e-14;
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof *u;
  double* unknown = N_VGetArrayPointer(map->unknown);
  bool is_solved = false;
  map->beside = 1.0; /* rows may have nothing but products of errors */
  for (size_t k = 0; k < sizeof trials / sizeof *trials && !is_solved; k++) {
    map->rows.evaluator->error.code = VIDA_SUCCESS;
    memcpy(unknown, u, bytes);
    is_solved = pass_from(map, singular, trials[k].share, trials[k].is_filtered) <= rounded_rows;
  }
  map->beside = 0.0;
  if (is_solved) {
    memcpy(u, unknown, bytes);
  }
  return is_solved;
}

void vida__map_accept(vida_map* map, const double* u, const double* residual) {
  const size_t bytes = (size_t)map->linear->pattern->size * sizeof *u;
  memcpy(N_VGetArrayPointer(map->unknown), u, bytes);
  memcpy(map->residual, residual, bytes);
}

void vida__map_count(vida_map* map, long iterations, long residuals, long jacobians) {
  map->iterations += iterations;
  map->residuals += residuals;
  map->jacobians += jacobians;
}

int vida__map_correction(vida_map* map, const double* r, double* correction) {
  if (!map->linear->last_elimination) {
    return vida__linear_solve(map->linear, r, correction);
  }
  vida__elimination_solve(map->linear->last_elimination, r, correction);
  return VIDA_SUCCESS;
}

/* Notes which entries of the matrix can differ from zero. At the start multipliers and increments
 * may vanish, and with them entries that do not vanish later: a place off the start shows them. */
static void find_entries(vida_map* map, const double* u) {
  static const double golden = 0.6180339887498949;
  double* place = map->kept;
  double shift = golden;
  for (int i = 0; i < map->linear->pattern->size; i++, shift = fmod(shift + golden, 1.0)) {
    place[i] = u[i] + (0.1 + 0.1 * shift) / NV_Ith_S(map->unknown_scale, i);
  }
  vida__linear_clear(map->linear);
  if (!map->functions.jacobian(map->data, place, map->linear->values)) {
    vida__linear_record_entries(map->linear);
  }
  map->rows.evaluator->error.code = VIDA_SUCCESS;
}

int vida__map_prepare(vida_map* map, const double* u) {
  if (vida__linear_records_entries(map->linear)) {
    find_entries(map, u);
  }
  const int code = assemble(map, u);
  return code ? code : vida__linear_factor(map->linear);
}

void vida__map_record(vida_map* map, VidaRecord* record) {
  if (!map) {
    return;
  }
  const size_t size = (size_t)map->linear->pattern->size;
  long* counts[] = {&map->iterations, &map->residuals, &map->jacobians};
  vida__record_part(record, "equations");
  VidaRecord_Reals(record, map->residual, 5 * size);
  VidaRecord_Reals(record, N_VGetArrayPointer(map->unknown), size);
  VidaRecord_Reals(record, N_VGetArrayPointer(map->unknown_scale), size);
  VidaRecord_Reals(record, N_VGetArrayPointer(map->row_scale), size);
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    VidaRecord_Integer(record, counts[k], 0, LONG_MAX);
  }
  vida__linear_record(map->linear, record);
  vida__linear_record(map->determinant, record);
}
