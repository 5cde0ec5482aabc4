#include "base/elimination_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/direct_solver.h"
#include "base/elimination.h"
#include "base/finite.h"
#include "base/memory.h"

bool vida__linear_records_entries(const vida_linear* linear) {
  return linear->elimination && !linear->is_prepared;
}

void vida__linear_record_entries(vida_linear* linear) {
  for (int k = 0; k < linear->pattern->entries; k++) {
    linear->seen[k] = linear->seen[k] || linear->values[k] != 0.0;
  }
}

static void try_both(vida_linear* linear) {
  if (vida__elimination_factor(linear->seen_part, linear->values)) {
    linear->last_elimination = linear->seen_part;
  } else if (vida__elimination_factor(linear->elimination, linear->values)) {
    linear->last_elimination = linear->elimination;
  }
}

/* Where elimination has failed several times in a row, as with constraints that depend on each
 * other, it is tried less and less often: after k failures once in 2^k factorizations. */
enum { MOST_FAILURES = 10 };

static void count_failures(vida_linear* linear) {
  if (linear->last_elimination) {
    linear->failures = 0;
  } else if (linear->failures < MOST_FAILURES) {
    linear->failures++;
  }
  linear->skips = (1 << linear->failures) - 1;
}

/* KLU's first factorization costs more than elimination with its search for an order. Larger
 * matrices, whose start it would dominate, are prepared for it only when elimination fails. */
enum { LARGEST_PREPARED = 2000 };

bool vida__is_prepared_late(const vida_pattern* pattern) {
  return pattern->size > LARGEST_PREPARED;
}

bool vida__eliminate(vida_linear* linear) {
  linear->last_elimination = NULL;
  if (!linear->elimination) {
    return false;
  }
  if (linear->skips > 0) {
    linear->skips--;
    return false;
  }
  const bool is_first = vida__linear_records_entries(linear);
  if (is_first) {
    vida__linear_record_entries(linear);
    vida__elimination_narrow(linear->seen_part, linear->seen);
    linear->is_prepared = true;
  }
  try_both(linear);
  count_failures(linear);
  return linear->last_elimination && !(is_first && !vida__is_prepared_late(linear->pattern));
}

/* Solutions with smaller pivots are refined, unless the caller allows a loss of digits: what
 * rounding leaves is the noise of accelerations, from which integrators choose their steps. */
static const double certain_pivot = 0.1;
static const double allowed_pivot = 1e-3;

void vida__linear_allow_symmetric(vida_linear* linear) {
  linear->refined_below = allowed_pivot;
  vida__linear_expect_symmetric(linear);
}

void vida__linear_expect_symmetric(vida_linear* linear) {
  if (linear->elimination) {
    vida__elimination_allow_symmetric(linear->elimination);
    vida__elimination_allow_symmetric(linear->seen_part);
  }
}

void vida__linear_make_rough(vida_linear* linear, bool is_rough) {
  linear->is_rough = is_rough;
  if (linear->elimination) {
    vida__elimination_make_rough(linear->elimination, is_rough);
    vida__elimination_make_rough(linear->seen_part, is_rough);
  }
}

/* Adds A^-1 residual to x, and replaces the residual (size) by it. */
static void correct(const vida_linear* linear, double* restrict residual, double* restrict x) {
  vida__elimination_solve(linear->last_elimination, residual, residual);
  for (int i = 0; i < linear->pattern->size; i++) {
    x[i] += residual[i];
  }
}

/* Adds A^-1 (b - A x) to x. residual (size): work space. */
static void refine(const vida_linear* linear, const double* b, double* restrict x,
                   double* restrict residual) {
  const vida_pattern* pattern = linear->pattern;
  const sunindextype* restrict row = pattern->row;
  const double* restrict values = linear->values;
  memcpy(residual, b, (size_t)pattern->size * sizeof *residual);
  sunindextype k = 0;
  for (int j = 0; j < pattern->size; j++) {
    const double factor = x[j];
    for (const sunindextype end = pattern->column_start[j + 1]; k < end; k++) {
      residual[row[k]] -= values[k] * factor;
    }
  }
  correct(linear, residual, x);
}

int vida__solve_eliminated(vida_linear* linear, const double* b, double* x) {
  const int size = linear->pattern->size;
  const bool is_uncertain =
      !linear->is_rough &&
      vida__elimination_least_pivot(linear->last_elimination) < linear->refined_below;
  double* kept = N_VGetArrayPointer(linear->right_side);
  if (is_uncertain) {
    memcpy(kept, b, (size_t)size * sizeof *kept);
  }
  vida__elimination_solve(linear->last_elimination, b, x);
  if (is_uncertain) {
    refine(linear, kept, x, N_VGetArrayPointer(linear->solution));
  }
  return vida__are_finite(x, size) ? VIDA_SUCCESS : VIDA_STEP_SINGULAR;
}

/* Computes residual = b - A x (size). Returns its largest element relative to the terms from which
 * it comes; terms (size): work space. */
static double find_defect(const vida_linear* linear, const double* b, const double* restrict x,
                          double* restrict residual, double* restrict terms) {
  const vida_pattern* pattern = linear->pattern;
  double largest = 0.0;
  sunindextype k = 0;
  for (int i = 0; i < pattern->size; i++) {
    residual[i] = b[i];
    terms[i] = fabs(b[i]);
  }
  for (int j = 0; j < pattern->size; j++) {
    for (const sunindextype end = pattern->column_start[j + 1]; k < end; k++) {
      const double term = linear->values[k] * x[j];
      residual[pattern->row[k]] -= term;
      terms[pattern->row[k]] += fabs(term);
    }
  }
  for (int i = 0; i < pattern->size; i++) {
    const double relative = fabs(residual[i]) / terms[i]; /* NaN without terms */
    largest = terms[i] > 0.0 && !(relative <= largest) ? relative : largest;
  }
  return largest;
}

bool vida__solve_checked(vida_linear* linear, const double* b, double* x) {
  static const double allowed = 1e-13;
  enum { CORRECTIONS = 2 };
  const int size = linear->pattern->size;
  double *residual = N_VGetArrayPointer(linear->solution), *terms = linear->extent;
  vida__elimination_solve(linear->last_elimination, b, x);
  double defect = find_defect(linear, b, x, residual, terms);
  for (int k = 0; k < CORRECTIONS && !(defect <= allowed); k++) {
    correct(linear, residual, x);
    defect = find_defect(linear, b, x, residual, terms);
  }
  return defect <= allowed && vida__are_finite(x, size);
}

void vida__reject_elimination(vida_linear* linear) {
  linear->last_elimination = NULL;
  count_failures(linear);
}

/* ---- the operations of a SUNLinearSolver ----------------------------------------------------- */

static int set_up(SUNLinearSolver solver, SUNMatrix matrix) {
  vida_linear* linear = solver->content;
  if (vida__eliminate(linear)) {
    return 0;
  }
  vida__linear_store_all(linear);
  const int code = SUNLinSolSetup(linear->pivoting, matrix);
  return linear->last_elimination ? 0 : code;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 sunrealtype tolerance) {
  const vida_linear* linear = solver->content;
  if (!linear->last_elimination) {
    return SUNLinSolSolve(linear->pivoting, matrix, x, b, tolerance);
  }
  vida__elimination_solve(linear->last_elimination, N_VGetArrayPointer(b), N_VGetArrayPointer(x));
  return 0;
}

int vida__add_elimination(vida_linear* linear, SUNContext context) {
  static const vida_direct_operations operations = {set_up, solve};
  linear->refined_below = certain_pivot;
  int code = vida__elimination_create(linear->pattern, &linear->elimination);
  if (code || !linear->elimination) {
    return code;
  }
  code = vida__elimination_copy(linear->elimination, &linear->seen_part);
  if (code) {
    return code;
  }
  linear->seen = vida__allocate((size_t)linear->pattern->entries, sizeof *linear->seen);
  SUNLinearSolver solver = linear->seen ? vida__direct_solver(operations, linear, context) : NULL;
  if (!solver) {
    return VIDA_OUT_OF_MEMORY;
  }
  linear->solver = solver;
  return VIDA_SUCCESS;
}

void vida__remove_elimination(vida_linear* linear) {
  vida__elimination_destroy(&linear->seen_part);
  vida__elimination_destroy(&linear->elimination);
  free(linear->seen);
  linear->seen = NULL;
}
