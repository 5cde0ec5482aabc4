/* Full Newton steps against KINSol with the strategy KIN_NONE on the same matrix and linear solver:
 * flag, number of iterations, and every point at which F or its matrix is evaluated, bit by bit.
 * KINSOL is the independent computation. */
#include "solve/full_newton.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

#include "support/check.h"

enum { MOST_UNKNOWNS = 40, MOST_VALUES = 40000 };

/* What an iteration evaluated: 'F' or 'J' and the point. */
typedef struct Trace {
  double values[MOST_VALUES];
  int count;
  long residuals, matrices;
} Trace;

/* A system F(u) = 0 of n equations, and how it fails. */
typedef struct Problem {
  int n;
  void (*residual)(const struct Problem* problem, const double* u, double* r);
  double (*entry)(const struct Problem* problem, const double* u, int row, int column);
  const double* guess;
  double row_scale, unknown_scale;
  double tolerance, least_step, largest_step;
  int max_iterations;
  bool is_tridiagonal; /* solved by KLU */
  long fails_from;     /* residual number from which F fails with `code`; 0: never */
  long fails_until;
  int code;
  bool has_no_matrix; /* the matrix fails */
  vida_linear* linear;
  Trace trace;
} Problem;

static void record(Trace* trace, char kind, const double* u, int n) {
  EXPECT(trace->count + n + 1 <= MOST_VALUES, "the trace is too long");
  if (trace->count + n + 1 <= MOST_VALUES) {
    trace->values[trace->count++] = kind;
    memcpy(trace->values + trace->count, u, (size_t)n * sizeof *u);
    trace->count += n;
  }
}

static int residual(void* data, const double* u, double* r) {
  Problem* problem = data;
  const long number = ++problem->trace.residuals;
  record(&problem->trace, 'F', u, problem->n);
  problem->residual(problem, u, r);
  if (problem->fails_from && number >= problem->fails_from && number < problem->fails_until) {
    return problem->code;
  }
  for (int i = 0; i < problem->n; i++) {
    if (!isfinite(r[i])) {
      return 1;
    }
  }
  return 0;
}

static int matrix(void* data, const double* u) {
  Problem* problem = data;
  const vida_pattern* pattern = problem->linear->pattern;
  problem->trace.matrices++;
  record(&problem->trace, 'J', u, problem->n);
  for (int j = 0; j < problem->n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      problem->linear->values[k] = problem->entry(problem, u, (int)pattern->row[k], j);
    }
  }
  vida__linear_store(problem->linear);
  return problem->has_no_matrix;
}

static int kinsol_residual(N_Vector u, N_Vector r, void* data) {
  return residual(data, N_VGetArrayPointer(u), N_VGetArrayPointer(r));
}

static int kinsol_matrix(N_Vector u, N_Vector r, SUNMatrix jacobian, void* data, N_Vector work1,
                         N_Vector work2) {
  (void)r;
  (void)jacobian;
  (void)work1;
  (void)work2;
  return matrix(data, N_VGetArrayPointer(u));
}

/* ---- both solvers ---------------------------------------------------------------------------- */

typedef struct Outcome {
  int flag;
  long iterations;
  double u[MOST_UNKNOWNS];
} Outcome;

static void solve_with_kinsol(SUNContext context, Problem* problem, Outcome* outcome) {
  N_Vector u = N_VMake_Serial(problem->n, outcome->u, context);
  N_Vector row_scale = N_VNew_Serial(problem->n, context);
  N_Vector unknown_scale = N_VNew_Serial(problem->n, context);
  vida_sink sink;
  void* kinsol = KINCreate(context);
  N_VConst(problem->row_scale, row_scale);
  N_VConst(problem->unknown_scale, unknown_scale);
  const int code = vida__redirect_messages(VIDA_KINSOL, kinsol, context, &sink) ||
                   KINInit(kinsol, kinsol_residual, u) || KINSetUserData(kinsol, problem) ||
                   KINSetLinearSolver(kinsol, problem->linear->solver, problem->linear->matrix) ||
                   KINSetJacFn(kinsol, kinsol_matrix) || KINSetMaxSetupCalls(kinsol, 1) ||
                   KINSetNoResMon(kinsol, SUNTRUE) ||
                   KINSetMaxNewtonStep(kinsol, problem->largest_step) ||
                   KINSetFuncNormTol(kinsol, problem->tolerance) ||
                   KINSetScaledStepTol(kinsol, problem->least_step) ||
                   KINSetNumMaxIters(kinsol, problem->max_iterations);
  EXPECT(code == 0, "KINSOL could not be set up");
  outcome->flag = KINSol(kinsol, u, KIN_NONE, unknown_scale, row_scale);
  EXPECT(KINGetNumNonlinSolvIters(kinsol, &outcome->iterations) == 0, "no number of iterations");
  KINFree(&kinsol);
  N_VDestroy(u);
  N_VDestroy(row_scale);
  N_VDestroy(unknown_scale);
}

static void solve_here(Problem* problem, Outcome* outcome) {
  double r[MOST_UNKNOWNS], trial[MOST_UNKNOWNS];
  double row_scale[MOST_UNKNOWNS], unknown_scale[MOST_UNKNOWNS];
  for (int i = 0; i < problem->n; i++) {
    row_scale[i] = problem->row_scale;
    unknown_scale[i] = problem->unknown_scale;
  }
  const vida_full_newton newton = {.residual = residual,
                                   .matrix = matrix,
                                   .data = problem,
                                   .linear = problem->linear,
                                   .row_scale = row_scale,
                                   .unknown_scale = unknown_scale,
                                   .trial = trial,
                                   .tolerance = problem->tolerance,
                                   .least_step = problem->least_step,
                                   .largest_step = problem->largest_step,
                                   .max_iterations = problem->max_iterations};
  outcome->flag = vida__full_newton(&newton, outcome->u, r, &outcome->iterations);
}

static void make_pattern(const Problem* problem, vida_pattern* pattern, sunindextype* column_start,
                         sunindextype* row) {
  sunindextype count = 0;
  for (int j = 0; j < problem->n; j++) {
    column_start[j] = count;
    for (int i = 0; i < problem->n; i++) {
      if (!problem->is_tridiagonal || (i >= j - 1 && i <= j + 1)) {
        row[count++] = i;
      }
    }
  }
  column_start[problem->n] = count;
  *pattern = (vida_pattern){
      .size = problem->n, .entries = (int)count, .column_start = column_start, .row = row};
}

/* Solves by both and compares; returns the flag. `tamper` (nullable) changes the linear solver. */
static int compare(const char* name, Problem* problem, void (*tamper)(SUNLinearSolver solver)) {
  static Trace expected;
  sunindextype column_start[MOST_UNKNOWNS + 1], row[MOST_UNKNOWNS * MOST_UNKNOWNS];
  vida_pattern pattern;
  Outcome kinsol = {0}, here = {0};
  SUNContext context;
  VidaError error = {0};
  make_pattern(problem, &pattern, column_start, row);
  EXPECT(vida__context_create(&context) == 0, "no context");
  for (int pass = 0; pass < 2; pass++) {
    Outcome* outcome = pass ? &here : &kinsol;
    const vida_solver kind = problem->is_tridiagonal ? VIDA_SOLVER_KLU : VIDA_SOLVER_DENSE;
    REQUIRE_OK(vida__linear_create(context, &pattern, kind, &problem->linear, &error), &error);
    if (tamper) {
      tamper(problem->linear->solver);
    }
    memset(&problem->trace, 0, sizeof problem->trace);
    memcpy(outcome->u, problem->guess, (size_t)problem->n * sizeof *problem->guess);
    if (pass == 0) {
      solve_with_kinsol(context, problem, outcome);
      expected = problem->trace;
    } else {
      solve_here(problem, outcome);
    }
    vida__linear_destroy(&problem->linear);
  }
  SUNContext_Free(&context);
  const Trace* trace = &problem->trace;
  EXPECT(here.flag == kinsol.flag, "%s: flag %d, KINSOL %d", name, here.flag, kinsol.flag);
  EXPECT(here.iterations == kinsol.iterations, "%s: %ld iterations, KINSOL %ld", name,
         here.iterations, kinsol.iterations);
  EXPECT(trace->residuals == expected.residuals && trace->matrices == expected.matrices,
         "%s: %ld residuals and %ld matrices, KINSOL %ld and %ld", name, trace->residuals,
         trace->matrices, expected.residuals, expected.matrices);
  EXPECT(trace->count == expected.count &&
             memcmp(trace->values, expected.values, (size_t)trace->count * sizeof(double)) == 0,
         "%s: other points than KINSOL's", name);
  EXPECT(memcmp(here.u, kinsol.u, sizeof here.u) == 0, "%s: another result than KINSOL's", name);
  return here.flag;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* A circle and a hyperbola: x^2 + y^2 = 4, x y = 1. */
static void circle_residual(const Problem* problem, const double* u, double* r) {
  (void)problem;
  r[0] = u[0] * u[0] + u[1] * u[1] - 4.0;
  r[1] = u[0] * u[1] - 1.0;
}

static double circle_entry(const Problem* problem, const double* u, int row, int column) {
  (void)problem;
  return row == 0 ? 2.0 * u[column] : u[1 - column];
}

/* Broyden's tridiagonal system: (3 - 2 u_i) u_i - u_(i-1) - 2 u_(i+1) + 1 = 0. */
static void broyden_residual(const Problem* problem, const double* u, double* r) {
  for (int i = 0; i < problem->n; i++) {
    r[i] = (3.0 - 2.0 * u[i]) * u[i] - (i > 0 ? u[i - 1] : 0.0) -
           2.0 * (i + 1 < problem->n ? u[i + 1] : 0.0) + 1.0;
  }
}

static double broyden_entry(const Problem* problem, const double* u, int row, int column) {
  (void)problem;
  return row == column       ? 3.0 - 4.0 * u[row]
         : row == column + 1 ? -1.0
         : row + 1 == column ? -2.0
                             : 0.0;
}

/* ln x = 0: undefined for x < 0, where long steps lead. */
static void log_residual(const Problem* problem, const double* u, double* r) {
  (void)problem;
  r[0] = log(u[0]);
}

static double log_entry(const Problem* problem, const double* u, int row, int column) {
  (void)problem;
  (void)row;
  (void)column;
  return 1.0 / u[0];
}

/* atan(x) = 0: Newton's method diverges from |x| > 1.4. */
static void atan_residual(const Problem* problem, const double* u, double* r) {
  (void)problem;
  r[0] = atan(u[0]);
}

static double atan_entry(const Problem* problem, const double* u, int row, int column) {
  (void)problem;
  (void)row;
  (void)column;
  return 1.0 / (1.0 + u[0] * u[0]);
}

/* x - 100 = 0 */
static void far_residual(const Problem* problem, const double* u, double* r) {
  (void)problem;
  r[0] = u[0] - 100.0;
}

static double far_entry(const Problem* problem, const double* u, int row, int column) {
  (void)problem;
  (void)u;
  (void)row;
  (void)column;
  return 1.0;
}

static Problem circle_from(const double* guess) {
  return (Problem){.n = 2,
                   .residual = circle_residual,
                   .entry = circle_entry,
                   .guess = guess,
                   .row_scale = 1.0,
                   .unknown_scale = 1.0,
                   .tolerance = 1e-14,
                   .least_step = 1e-300,
                   .largest_step = 1e100,
                   .max_iterations = 20};
}

static Problem single(void (*function)(const Problem*, const double*, double*),
                      double (*entry)(const Problem*, const double*, int, int),
                      const double* guess) {
  Problem problem = circle_from(guess);
  problem.n = 1;
  problem.residual = function;
  problem.entry = entry;
  return problem;
}

/* ---- solutions ------------------------------------------------------------------------------- */

static void test_iterates(void) {
  static const double guesses[][2] = {{2.0, 0.5}, {-2.0, -1.0}, {1e3, 3e-7}, {1.0, 0.999}};
  static const double scales[] = {1.0, 0.037, 12345.6};
  for (size_t k = 0; k < sizeof guesses / sizeof guesses[0]; k++) {
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
      static Problem problem;
      problem = circle_from(guesses[k]);
      problem.row_scale = scales[s];
      problem.unknown_scale = 1.0 / scales[s];
      problem.max_iterations = 60;
      problem.tolerance = 1e-13 * scales[s];
      EXPECT(compare("circle", &problem, NULL) == KIN_SUCCESS, "guess %zu, scale %zu", k, s);
    }
  }
}

static void test_sparse(void) {
  static double guess[MOST_UNKNOWNS];
  static Problem problem;
  problem = circle_from(guess);
  problem.n = MOST_UNKNOWNS;
  problem.residual = broyden_residual;
  problem.entry = broyden_entry;
  problem.is_tridiagonal = true;
  for (int i = 0; i < MOST_UNKNOWNS; i++) {
    guess[i] = -1.0 - 0.01 * i;
  }
  EXPECT(compare("Broyden", &problem, NULL) == KIN_SUCCESS, "not solved");
}

static void test_guess(void) {
  static const double solution[] = {100.0}, close[] = {100.0 + 1e-9};
  static Problem problem;
  problem = single(far_residual, far_entry, solution);
  EXPECT(compare("solution", &problem, NULL) == KIN_INITIAL_GUESS_OK, "not recognized");
  /* Below the tolerance, but not below a hundredth of it, which a guess must be. */
  problem = single(far_residual, far_entry, close);
  problem.tolerance = 1e-8;
  EXPECT(compare("close", &problem, NULL) == KIN_SUCCESS, "not solved");
  EXPECT(problem.trace.residuals == 2, "%ld residuals", problem.trace.residuals);
  problem.tolerance = 1e-6;
  EXPECT(compare("closer", &problem, NULL) == KIN_INITIAL_GUESS_OK, "not recognized");
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void test_limits(void) {
  static const double start[] = {0.0}, divergent[] = {1.5}, circle[] = {1e3, 3e-7};
  static Problem problem;
  problem = single(atan_residual, atan_entry, divergent);
  problem.max_iterations = 3;
  EXPECT(compare("diverges", &problem, NULL) == KIN_MAXITER_REACHED, "iterations");
  problem = circle_from(circle);
  problem.max_iterations = 1;
  EXPECT(compare("one iteration", &problem, NULL) == KIN_MAXITER_REACHED, "iterations");
  problem = circle_from(circle);
  problem.least_step = 0.6;
  EXPECT(compare("small steps", &problem, NULL) == KIN_STEP_LT_STPTOL, "steps");
  /* Five steps of the largest length in sequence are too many, four are not. */
  problem = single(far_residual, far_entry, start);
  problem.largest_step = 10.0;
  EXPECT(compare("five steps", &problem, NULL) == KIN_MXNEWT_5X_EXCEEDED, "length");
  EXPECT(problem.trace.residuals == 6, "%ld residuals", problem.trace.residuals);
  problem.largest_step = 24.0;
  problem.unknown_scale = 1.0;
  EXPECT(compare("four steps", &problem, NULL) == KIN_SUCCESS, "length");
  problem.largest_step = 24.0;
  problem.unknown_scale = 0.5;
  EXPECT(compare("two steps", &problem, NULL) == KIN_SUCCESS, "length");
}

/* ---- failures -------------------------------------------------------------------------------- */

static void test_residual_fails(void) {
  static const double far[] = {9.0}, undefined[] = {-1.0}, start[] = {2.0, 0.5};
  static Problem problem;
  problem = single(log_residual, log_entry, far);
  problem.max_iterations = 50;
  EXPECT(compare("halved steps", &problem, NULL) == KIN_SUCCESS, "not solved");
  EXPECT(problem.trace.residuals > problem.trace.matrices + 1, "no step was halved");
  problem = single(log_residual, log_entry, undefined);
  EXPECT(compare("undefined guess", &problem, NULL) == KIN_FIRST_SYSFUNC_ERR, "flag");
  problem = circle_from(start);
  problem.fails_from = 3;
  problem.fails_until = 1000;
  problem.code = 1;
  EXPECT(compare("always undefined", &problem, NULL) == KIN_REPTD_SYSFUNC_ERR, "flag");
  problem.fails_until = 7; /* four times */
  EXPECT(compare("four times undefined", &problem, NULL) == KIN_SUCCESS, "flag");
  problem.code = -1;
  EXPECT(compare("no recovery", &problem, NULL) == KIN_SYSFUNC_FAIL, "flag");
  problem.fails_from = 1;
  EXPECT(compare("no recovery at the guess", &problem, NULL) == KIN_SYSFUNC_FAIL, "flag");
}

static int refuse_setup(SUNLinearSolver solver, SUNMatrix a) {
  (void)solver;
  (void)a;
  return -1;
}

static int refuse_recoverably(SUNLinearSolver solver, SUNMatrix a, N_Vector x, N_Vector b,
                              sunrealtype tolerance) {
  (void)solver;
  (void)a;
  (void)x;
  (void)b;
  (void)tolerance;
  return SUNLS_PACKAGE_FAIL_REC;
}

static int refuse(SUNLinearSolver solver, SUNMatrix a, N_Vector x, N_Vector b,
                  sunrealtype tolerance) {
  (void)refuse_recoverably(solver, a, x, b, tolerance);
  return SUNLS_PSOLVE_FAIL_UNREC;
}

static SUNErrCode refuse_start(SUNLinearSolver solver) {
  (void)solver;
  return -1;
}

static void without_setup(SUNLinearSolver solver) {
  solver->ops->setup = refuse_setup;
}

static void without_solution(SUNLinearSolver solver) {
  solver->ops->solve = refuse;
}

static void without_recoverable_solution(SUNLinearSolver solver) {
  solver->ops->solve = refuse_recoverably;
}

static void without_start(SUNLinearSolver solver) {
  solver->ops->initialize = refuse_start;
}

static void test_matrix_fails(void) {
  static const double zero[] = {0.0, 0.0}, diagonal[] = {1.0, 1.0}, start[] = {2.0, 0.5};
  static Problem problem;
  problem = circle_from(zero);
  EXPECT(compare("zero matrix", &problem, NULL) == KIN_LSETUP_FAIL, "flag");
  problem = circle_from(diagonal);
  EXPECT(compare("singular matrix", &problem, NULL) == KIN_LSETUP_FAIL, "flag");
  problem = circle_from(start);
  problem.has_no_matrix = true;
  EXPECT(compare("no matrix", &problem, NULL) == KIN_LSETUP_FAIL, "flag");
  problem = circle_from(start);
  EXPECT(compare("no setup", &problem, without_setup) == KIN_LSETUP_FAIL, "flag");
  EXPECT(compare("no solution", &problem, without_solution) == KIN_LSOLVE_FAIL, "flag");
  EXPECT(
      compare("no solution now", &problem, without_recoverable_solution) == KIN_LINSOLV_NO_RECOVERY,
      "flag");
  EXPECT(compare("no start", &problem, without_start) == KIN_LINIT_FAIL, "flag");
}

static void test_scales(void) {
  static const double start[] = {2.0, 0.5};
  static Problem problem;
  problem = circle_from(start);
  problem.row_scale = 0.0;
  EXPECT(compare("no row scale", &problem, NULL) == KIN_ILL_INPUT, "flag");
  problem = circle_from(start);
  problem.unknown_scale = -1.0;
  EXPECT(compare("negative unknown scale", &problem, NULL) == KIN_ILL_INPUT, "flag");
  /* Scaled residuals that overflow, and scales that are not numbers, which count as zero. */
  problem = circle_from(start);
  problem.row_scale = 1e308;
  problem.max_iterations = 8;
  compare("overflow", &problem, NULL);
  problem.row_scale = NAN;
  EXPECT(compare("NaN", &problem, NULL) == KIN_INITIAL_GUESS_OK, "flag");
}

int main(void) {
  static const CheckTest tests[] = {{"iterates", test_iterates},
                                    {"a sparse matrix", test_sparse},
                                    {"a guess that is a solution", test_guess},
                                    {"limits of steps and iterations", test_limits},
                                    {"a residual that fails", test_residual_fails},
                                    {"a matrix that fails", test_matrix_fails},
                                    {"scales", test_scales},
                                    {NULL, NULL}};
  return check_main("full newton", tests);
}
