/* Accelerations and multipliers from the equations of motion, in one solve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear.h"
#include "base/memory.h"
#include "system/evaluate.h"
#include "system/rank.h"

typedef struct solve_work {
  vida_evaluator evaluator;
  SUNContext context;
  vida_linear* linear;
  double* entries;
  double* right_side; /* n + m */
  double* solution;   /* n + m */
  double* shift;      /* m: what regularizes dependent rows */
  double* work;       /* n: masses, and space */
  vida_rank* rank;
} solve_work;

static int create_work(const VidaSystem* system, solve_work* work, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  memset(work, 0, sizeof *work);
  work->entries = vida__allocate((size_t)system->entry_count, sizeof *work->entries);
  work->right_side = vida__allocate(n + m, sizeof *work->right_side);
  work->solution = vida__allocate(n + m, sizeof *work->solution);
  work->shift = vida__allocate(m, sizeof *work->shift);
  work->work = vida__allocate(n, sizeof *work->work);
  const int code = vida__evaluator_create(system, &work->evaluator, error);
  if (code) {
    return code;
  }
  if (!work->entries || !work->right_side || !work->solution || !work->shift || !work->work ||
      vida__context_create(&work->context)) {
    return vida__fail_memory(error);
  }
  /* Without a rank rows are taken for independent. */
  if (m > 0 && vida__rank_create(system, &work->rank, error) == VIDA_OUT_OF_MEMORY) {
    return VIDA_OUT_OF_MEMORY;
  }
  return vida__linear_create(work->context, &system->pattern, VIDA_SOLVER_AUTO, &work->linear,
                             error);
}

static void destroy_work(solve_work* work) {
  vida__linear_destroy(&work->linear);
  if (work->context) {
    SUNContext_Free(&work->context);
  }
  vida__evaluator_destroy(&work->evaluator);
  vida__rank_destroy(&work->rank);
  free(work->solution);
  free(work->shift);
  free(work->entries);
  free(work->right_side);
  free(work->work);
}

/* Relative to G M^-1 G^T: small beside it, large beside rounding. */
static const double regularization = 1e-10;

/* Whether rows depend on others at (t,q); then `shift` is to be taken from their diagonal. */
static int find_shift(const VidaSystem* system, solve_work* work, double t, const double* q,
                      const double* v, bool* dependent) {
  double* mass = work->work;
  *dependent = false;
  if (!work->rank) {
    return VIDA_SUCCESS;
  }
  int code = vida__find_masses(&work->evaluator, t, q, v, work->linear->values, mass);
  code = code ? code : vida__rank_find(work->rank, work->entries, mass, &work->evaluator.error);
  *dependent = !code && vida__rank_dependent_count(work->rank) > 0;
  memset(work->shift, 0, (size_t)system->row_count * sizeof *work->shift);
  for (int e = 0; e < system->entry_count && *dependent; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    work->shift[entry->row] +=
        regularization * work->entries[e] * work->entries[e] / mass[entry->coordinate];
  }
  return code;
}

static int factor(const VidaSystem* system, solve_work* work, double t, const double* q,
                  const double* v, bool dependent) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = work->linear->values;
  vida__linear_clear(work->linear);
  const int code = vida__add_hessian(&work->evaluator, t, q, v, mass_only, matrix);
  vida__add_columns(system, work->entries, 1.0, matrix);
  vida__add_rows(system, work->entries, 1.0, matrix);
  for (int r = 0; r < system->row_count && dependent; r++) {
    matrix[vida__constraint_diagonal(system, r)] -= work->shift[r];
  }
  return code ? code : vida__linear_factor(work->linear);
}

/* With dependent rows in passes that take the shift out again: what is open of the multipliers
 * stays zero, so that they are of least norm. */
static int solve(const VidaSystem* system, solve_work* work, double t, const double* q,
                 const double* v) {
  enum { PASSES = 3 };
  const int n = system->coordinate_count;
  double* bias = work->right_side + n;
  bool dependent = false;
  int code = vida__jacobian(&work->evaluator, t, q, work->entries);
  code = code ? code : find_shift(system, work, t, q, v, &dependent);
  code = code ? code : factor(system, work, t, q, v, dependent);
  code = code ? code
              : vida__motion_bias(&work->evaluator, t, q, v, work->right_side, bias, work->work);
  memset(work->solution, 0, (size_t)(n + system->row_count) * sizeof *work->solution);
  for (int r = 0; r < system->row_count; r++) {
    bias[r] = -bias[r];
  }
  for (int pass = 0; pass < (dependent ? PASSES : 1) && !code; pass++) {
    for (int r = 0; r < system->row_count; r++) {
      work->solution[n + r] = bias[r] - work->shift[r] * work->solution[n + r];
    }
    memcpy(work->solution, work->right_side, (size_t)n * sizeof *work->solution);
    code = vida__linear_solve(work->linear, work->solution, work->solution);
  }
  return code;
}

int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q, const double* v,
                             double* a, double* lambda, VidaError* error) {
  solve_work work;
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  int code = create_work(system, &work, error);
  if (!code) {
    code = solve(system, &work, t, q, v);
    if (code == VIDA_STEP_SINGULAR) {
      vida__fail(error, code,
                 "system '%s': mass matrix and constraints do not determine the accelerations",
                 system->name);
    } else if (code) {
      vida__fail(error, code, "%s", work.evaluator.error.message);
    }
  }
  if (!code) {
    memcpy(a, work.solution, (size_t)system->coordinate_count * sizeof *a);
    for (int r = 0; r < system->row_count; r++) { /* lambda may be NULL where there are none */
      lambda[r] = work.solution[system->coordinate_count + r];
    }
  }
  destroy_work(&work);
  return code;
}
