#include "stepper/chain_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/memory.h"

/* Relative to the sum of the terms of a pivot. A smaller one means that rows nearly depend on each
 * other, where different branches of the constraints are near each other. */
static const double least_pivot = 1e-4;

static int find_pairs(const vida_pattern* pattern, vida_chain_matrix* matrix) {
  matrix->pairs = vida__allocate((size_t)pattern->entries, sizeof *matrix->pairs);
  if (!matrix->pairs) {
    return VIDA_OUT_OF_MEMORY;
  }
  matrix->is_tridiagonal = true;
  /* The pattern is symmetric, so its columns are its rows. */
  for (int row = 0; row < pattern->size; row++) {
    for (sunindextype e = pattern->column_start[row]; e < pattern->column_start[row + 1]; e++) {
      const int column = (int)pattern->row[e];
      if (column > row) {
        continue;
      }
      matrix->pairs[matrix->pair_count++] =
          (vida_chain_pair){row, column, vida__pattern_slot(pattern, row, column), (int)e, 0.0};
      matrix->is_tridiagonal = matrix->is_tridiagonal && column >= row - 1;
    }
  }
  return VIDA_SUCCESS;
}

int vida__chain_matrix_create(const vida_pattern* pattern, SUNContext context,
                              vida_chain_matrix* matrix, VidaError* error) {
  memset(matrix, 0, sizeof *matrix);
  matrix->size = pattern->size;
  if (find_pairs(pattern, matrix)) {
    return vida__fail_memory(error);
  }
  if (!matrix->is_tridiagonal) {
    return vida__linear_create(context, pattern, VIDA_SOLVER_AUTO, &matrix->linear, error);
  }
  const size_t m = (size_t)matrix->size;
  const vida_array arrays[] = {{&matrix->lower, m},
                               {&matrix->diagonal, m},
                               {&matrix->upper, m},
                               {&matrix->own_weight, m},
                               {&matrix->pair_weight, m}};
  return vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays) ? VIDA_SUCCESS
                                                                       : vida__fail_memory(error);
}

void vida__chain_matrix_destroy(vida_chain_matrix* matrix) {
  vida__linear_destroy(&matrix->linear);
  free(matrix->pairs);
  free(matrix->lower);
  memset(matrix, 0, sizeof *matrix);
}

void vida__chain_matrix_weigh(vida_chain_matrix* matrix, int pair, double weight) {
  vida_chain_pair* at = &matrix->pairs[pair];
  at->weight = weight;
  if (matrix->is_tridiagonal) {
    (at->row == at->column ? matrix->own_weight : matrix->pair_weight)[at->row] = weight;
  }
}

/* L has a unit diagonal; `diagonal` then holds the reciprocals of the pivots. */
static bool factor_tridiagonal(vida_chain_matrix* matrix) {
  double* restrict lower = matrix->lower;
  double* restrict diagonal = matrix->diagonal;
  const double* restrict upper = matrix->upper;
  double inverse = 0.0;
  bool is_regular = true;
  for (int r = 0; r < matrix->size; r++) {
    const double whole = diagonal[r];
    double term = 0.0;
    if (r > 0) {
      lower[r] *= inverse;
      term = lower[r] * upper[r - 1];
    }
    const double pivot = whole - term;
    is_regular = is_regular && fabs(pivot) > least_pivot * (fabs(whole) + fabs(term));
    inverse = 1.0 / pivot;
    diagonal[r] = inverse;
  }
  return is_regular && isfinite(inverse);
}

/* Elimination is tried each time, whatever has failed before: the result depends on the values
 * alone.
 */
static bool factor_general(vida_linear* linear) {
  linear->failures = linear->skips = 0;
  return !vida__linear_factor(linear) && linear->last_elimination &&
         vida__elimination_least_pivot(linear->last_elimination) > least_pivot;
}

bool vida__chain_matrix_factor(vida_chain_matrix* matrix) {
  return matrix->is_tridiagonal ? factor_tridiagonal(matrix) : factor_general(matrix->linear);
}

static void solve_tridiagonal(const vida_chain_matrix* matrix, const double* b, double* x) {
  const double* restrict lower = matrix->lower;
  const double* restrict diagonal = matrix->diagonal;
  const double* restrict upper = matrix->upper;
  double value = b[0];
  x[0] = value;
  for (int r = 1; r < matrix->size; r++) {
    value = b[r] - lower[r] * value;
    x[r] = value;
  }
  value = x[matrix->size - 1] * diagonal[matrix->size - 1];
  x[matrix->size - 1] = value;
  for (int r = matrix->size - 2; r >= 0; r--) {
    value = (x[r] - upper[r] * value) * diagonal[r];
    x[r] = value;
  }
}

bool vida__chain_matrix_solve(vida_chain_matrix* matrix, const double* b, double* x) {
  if (matrix->is_tridiagonal) {
    solve_tridiagonal(matrix, b, x);
    return true;
  }
  return !vida__linear_solve(matrix->linear, b, x);
}
