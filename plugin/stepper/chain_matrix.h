/* The matrix G1 M^-1 G0^T of constraints that are distances, and its solution.
 *
 * Its entry for two rows is a constant weight times the product of d at the end of the step for the
 * one and d at its start for the other. If each constraint shares points only with those before and
 * after it, as in a chain, the matrix is tridiagonal and is eliminated in the order of the rows;
 * otherwise it has a general pattern and solver. */
#ifndef VIDA_STEPPER_CHAIN_MATRIX_H
#define VIDA_STEPPER_CHAIN_MATRIX_H

#include <math.h>
#include <stdbool.h>

#include "base/inline.h"
#include "base/linear.h"
#include "base/state_record.h"

/* Relative to the sum of the terms of a pivot. A smaller one means that rows nearly depend on each
 * other, where different branches of the constraints are near each other. */
#define VIDA_LEAST_PIVOT 1e-4

/* Two rows with a common point, row >= column. */
typedef struct vida_chain_pair {
  int row, column;
  int slot, transposed; /* indices of (row, column) and (column, row) among the values */
  double weight;
} vida_chain_pair;

typedef struct vida_chain_matrix {
  int size;
  int pair_count;
  vida_chain_pair* pairs; /* by ascending rows */
  bool is_tridiagonal;
  /* Of a tridiagonal matrix: weights of its diagonal and of the pairs of neighbours, and its
   * factors, by the caller with vida__eliminate_row; lower[r] is (r, r - 1), upper[r] (r, r + 1).
   */
  double *own_weight, *pair_weight;
  double *lower, *diagonal, *upper;
  /* Of another one: the caller stores the values of all pairs. */
  vida_linear* linear;
} vida_chain_matrix;

/* Allocates all memory of a matrix of this symmetric pattern, which must outlive it. The caller
 * frees it with vida__chain_matrix_destroy, also after a failure. */
int vida__chain_matrix_create(const vida_pattern* pattern, SUNContext context,
                              vida_chain_matrix* matrix, VidaError* error);
/* Visits the entries of a matrix and its factors. */
void vida__chain_matrix_record(vida_chain_matrix* matrix, VidaRecord* record);
/* Sets the weight of a pair. */
void vida__chain_matrix_weigh(vida_chain_matrix* matrix, int pair, double weight);
/* Frees the contents of a matrix. */
void vida__chain_matrix_destroy(vida_chain_matrix* matrix);
/* Factors the values of a matrix that is not tridiagonal. Returns false if a pivot is small beside
 * the terms that cancel in it. */
bool vida__chain_matrix_factor(vida_chain_matrix* matrix);
/* Computes x = A^-1 b (size each) with the last factors; x may be b. Returns whether that
 * succeeded.
 */
bool vida__chain_matrix_solve(vida_chain_matrix* matrix, const double* b, double* x);

/* The row of a tridiagonal matrix that is eliminated: its entries (r, r - 1) and (r, r), and
 * (r - 1, r) above it; then the reciprocal of its pivot. Zero before the first row. */
typedef struct vida_tridiagonal {
  double lower, diagonal, upper;
  double inverse;
  bool is_regular; /* all rows so far, as vida__chain_matrix_factor tests them */
} vida_tridiagonal;

/* Eliminates row r after the one before it. L has a unit diagonal; matrix->diagonal receives the
 * reciprocals of the pivots. */
VIDA_ALWAYS_INLINE void vida__eliminate_row(vida_chain_matrix* matrix, int r,
                                            vida_tridiagonal* at) {
  const double lower = at->lower * at->inverse, term = lower * at->upper;
  const double pivot = at->diagonal - term;
  at->is_regular =
      at->is_regular && fabs(pivot) > VIDA_LEAST_PIVOT * (fabs(at->diagonal) + fabs(term));
  at->inverse = 1.0 / pivot;
  matrix->lower[r] = lower;
  matrix->diagonal[r] = at->inverse;
  if (r > 0) {
    matrix->upper[r - 1] = at->upper;
  }
}

/* Solves with a tridiagonal matrix, as vida__chain_matrix_solve does. */
VIDA_ALWAYS_INLINE void vida__solve_tridiagonal(const vida_chain_matrix* matrix, int size,
                                                const double* b, double* x) {
  const double* restrict lower = matrix->lower;
  const double* restrict diagonal = matrix->diagonal;
  const double* restrict upper = matrix->upper;
  double value = b[0];
  x[0] = value;
  for (int r = 1; r < size; r++) {
    value = b[r] - lower[r] * value;
    x[r] = value;
  }
  value = x[size - 1] * diagonal[size - 1];
  x[size - 1] = value;
  for (int r = size - 2; r >= 0; r--) {
    value = (x[r] - upper[r] * value) * diagonal[r];
    x[r] = value;
  }
}

#endif
