/* Accelerations and multipliers from the equations of motion, in one solve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear.h"
#include "base/memory.h"
#include "system/evaluate.h"

typedef struct solve_work {
  vida_evaluator evaluator;
  SUNContext context;
  vida_linear* linear;
  double* entries;
  double* right_side; /* n + m */
  double* work;       /* n */
} solve_work;

static int create_work(const VidaSystem* system, solve_work* work, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  memset(work, 0, sizeof *work);
  work->entries = vida__allocate((size_t)system->entry_count, sizeof *work->entries);
  work->right_side = vida__allocate(n + m, sizeof *work->right_side);
  work->work = vida__allocate(n, sizeof *work->work);
  const int code = vida__evaluator_create(system, &work->evaluator, error);
  if (code) {
    return code;
  }
  if (!work->entries || !work->right_side || !work->work || vida__context_create(&work->context)) {
    return vida__fail_memory(error);
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
  free(work->entries);
  free(work->right_side);
  free(work->work);
}

static int solve(const VidaSystem* system, solve_work* work, double t, const double* q,
                 const double* v) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const int n = system->coordinate_count;
  double* matrix = work->linear->values;
  double* bias = work->right_side + n;
  int code = vida__motion_bias(&work->evaluator, t, q, v, work->right_side, bias, work->work);
  code = code ? code : vida__jacobian(&work->evaluator, t, q, work->entries);
  vida__linear_clear(work->linear);
  code = code ? code : vida__add_hessian(&work->evaluator, t, q, v, mass_only, matrix);
  if (code) {
    return code;
  }
  for (int r = 0; r < system->row_count; r++) {
    bias[r] = -bias[r];
  }
  vida__add_columns(system, work->entries, 1.0, matrix);
  vida__add_rows(system, work->entries, 1.0, matrix);
  code = vida__linear_factor(work->linear);
  return code ? code : vida__linear_solve(work->linear, work->right_side, work->right_side);
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
    memcpy(a, work.right_side, (size_t)system->coordinate_count * sizeof *a);
    for (int r = 0; r < system->row_count; r++) { /* lambda may be NULL where there are none */
      lambda[r] = work.right_side[system->coordinate_count + r];
    }
  }
  destroy_work(&work);
  return code;
}
