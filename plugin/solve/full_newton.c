#include "solve/full_newton.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <string.h>

/* As in KINSOL. */
static const double guess_share = 0.01; /* of the tolerance, for a guess without an iteration */
static const double nearly_largest = 0.99;
enum { MOST_TRIALS = 5, MOST_LARGEST_STEPS = 5, GO_ON = 999 };
/* An iteration that wanders for so long finds no solution, or not that of the step. */
enum { PATIENCE = 100 };
static const double smaller_part = 0.8;

/* Returns whether the iterations that are left, each of which leaves a quarter of the residual, do
 * not come back to the least one. */
static bool is_lost(const vida_progress* record, double residual) {
  for (long k = record->iterations; k <= record->most; k++) {
    residual *= 0.25;
  }
  return record->most > 0 && residual > record->least;
}

bool vida__makes_progress(vida_progress* record, double residual) {
  record->iterations++;
  if (record->iterations == 1 || residual < smaller_part * record->least) {
    record->least = residual;
    record->since = record->iterations;
  }
  return record->iterations - record->since < PATIENCE && !is_lost(record, residual);
}

static int size_of(const vida_full_newton* newton) {
  return newton->linear->pattern->size;
}

static bool has_scales(const vida_full_newton* newton) {
  for (int i = 0; i < size_of(newton); i++) {
    if (newton->row_scale[i] <= 0.0 || newton->unknown_scale[i] <= 0.0) {
      return false;
    }
  }
  return true;
}

/* The comparisons of these functions are false for NaN, as in the norms of SUNDIALS. */
static double largest_residual(const vida_full_newton* newton, const double* r) {
  double largest = 0.0;
  for (int i = 0; i < size_of(newton); i++) {
    const double scaled = fabs(newton->row_scale[i] * r[i]);
    largest = scaled > largest ? scaled : largest;
  }
  return largest;
}

static double length_of(const vida_full_newton* newton, const double* step) {
  double sum = 0.0;
  for (int i = 0; i < size_of(newton); i++) {
    const double scaled = step[i] * newton->unknown_scale[i];
    sum += scaled * scaled;
  }
  return sum <= 0.0 ? 0.0 : sqrt(sum);
}

/* Whether no unknown has moved by more than least_step of its size. */
static bool has_stalled(const vida_full_newton* newton, const double* u) {
  const double* trial = newton->trial;
  for (int i = 0; i < size_of(newton); i++) {
    const double size = 1.0 / newton->unknown_scale[i] + fabs(trial[i]);
    if (fabs((trial[i] - u[i]) / size) > newton->least_step) {
      return false;
    }
  }
  return true;
}

static void shorten(const vida_full_newton* newton, double* step, double factor) {
  for (int i = 0; i < size_of(newton); i++) {
    step[i] *= factor;
  }
}

/* Solves F_u(u) step = -r; *step belongs to the linear solver. */
static int find_step(const vida_full_newton* newton, const double* u, const double* r,
                     double** step) {
  vida_linear* linear = newton->linear;
  double* right_side = NV_DATA_S(linear->right_side);
  *step = NV_DATA_S(linear->solution);
  if (newton->matrix(newton->data, u) || SUNLinSolSetup(linear->solver, linear->matrix)) {
    return KIN_LSETUP_FAIL;
  }
  for (int i = 0; i < size_of(newton); i++) {
    right_side[i] = -r[i];
  }
  const int code =
      SUNLinSolSolve(linear->solver, linear->matrix, linear->solution, linear->right_side, 0.0);
  return code < 0 ? KIN_LSOLVE_FAIL : code > 0 ? KIN_LINSOLV_NO_RECOVERY : KIN_SUCCESS;
}

/* Evaluates F at trial = u + step, with half the step as long as F fails. *length is that of the
 * step, then of the shortened one. */
static int evaluate_trial(const vida_full_newton* newton, const double* u, double* r, double* step,
                          double* length) {
  for (int k = 0; k < MOST_TRIALS; k++) {
    for (int i = 0; i < size_of(newton); i++) {
      newton->trial[i] = u[i] + step[i];
    }
    const int code = newton->residual(newton->data, newton->trial, r);
    if (code <= 0) {
      return code ? KIN_SYSFUNC_FAIL : KIN_SUCCESS;
    }
    shorten(newton, step, 0.5);
    *length *= 0.5;
  }
  return KIN_REPTD_SYSFUNC_ERR;
}

/* The flag after a step to `trial`, where the largest scaled residual is `left`; GO_ON if another
 * step is due. */
static int judge(const vida_full_newton* newton, const double* u, double left, long iterations,
                 bool is_largest, int* largest_steps) {
  if (left <= newton->tolerance) {
    return KIN_SUCCESS;
  }
  if (has_stalled(newton, u)) {
    return KIN_STEP_LT_STPTOL;
  }
  if (iterations >= newton->max_iterations) {
    return KIN_MAXITER_REACHED;
  }
  *largest_steps = is_largest ? *largest_steps + 1 : 0;
  return *largest_steps == MOST_LARGEST_STEPS ? KIN_MXNEWT_5X_EXCEEDED : GO_ON;
}

/* `left`: the largest scaled residual at u. */
static int iterate(const vida_full_newton* newton, double* u, double* r, double left,
                   long* iterations) {
  vida_progress record = {.most = newton->ends_if_lost ? newton->max_iterations : 0};
  int largest_steps = 0;
  for (;;) {
    double* step;
    if (!vida__makes_progress(&record, left)) {
      return KIN_MAXITER_REACHED;
    }
    ++*iterations;
    int flag = find_step(newton, u, r, &step);
    if (flag) {
      return flag;
    }
    double length = length_of(newton, step);
    if (length > newton->largest_step) {
      shorten(newton, step, newton->largest_step / length);
      length = newton->largest_step;
    }
    flag = evaluate_trial(newton, u, r, step, &length);
    if (flag) {
      return flag;
    }
    left = largest_residual(newton, r);
    flag = judge(newton, u, left, *iterations, length > nearly_largest * newton->largest_step,
                 &largest_steps);
    memcpy(u, newton->trial, (size_t)size_of(newton) * sizeof *u);
    if (flag != GO_ON) {
      return flag;
    }
  }
}

int vida__full_newton(const vida_full_newton* newton, double* u, double* r, long* iterations) {
  *iterations = 0;
  if (!has_scales(newton)) {
    return KIN_ILL_INPUT;
  }
  const int code = newton->residual(newton->data, u, r);
  if (code) {
    return code < 0 ? KIN_SYSFUNC_FAIL : KIN_FIRST_SYSFUNC_ERR;
  }
  const double left = largest_residual(newton, r);
  if (left <= guess_share * newton->tolerance) {
    return KIN_INITIAL_GUESS_OK;
  }
  return SUNLinSolInitialize(newton->linear->solver) ? KIN_LINIT_FAIL
                                                     : iterate(newton, u, r, left, iterations);
}
