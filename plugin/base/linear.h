/* A square matrix of fixed pattern with its direct solver: dense LU or KLU.
 *
 * Values are always assembled in the order of the pattern (by columns), so that callers need not
 * know which solver is behind. */
#ifndef VIDA_BASE_LINEAR_H
#define VIDA_BASE_LINEAR_H

#include <stdbool.h>
#include <vida/error.h>

#include "base/sundials.h"

typedef struct vida_pattern {
  int size;
  int entries;
  sunindextype* column_start; /* size + 1 */
  sunindextype* row;          /* entries, ascending within a column */
} vida_pattern;

/* The place of an entry that is in the pattern. */
int vida__pattern_slot(const vida_pattern* pattern, int row, int column);

typedef enum vida_solver { VIDA_SOLVER_AUTO, VIDA_SOLVER_DENSE, VIDA_SOLVER_KLU } vida_solver;

typedef struct vida_linear {
  const vida_pattern* pattern;
  bool sparse;
  double* values;       /* entries: assembled by the caller */
  sunindextype* offset; /* entries: place of each value in a dense matrix; NULL when sparse */
  SUNMatrix matrix;
  SUNLinearSolver solver;
  N_Vector right_side, solution; /* for vida__linear_solve */
  bool* visited;                 /* size: work of vida__linear_sign; NULL when dense */
  /* Rows and columns of the last factors are multiplied by powers of two where their sizes differ
   * so much that pivots would be chosen by units (size each). */
  double *scale, *extent;
  bool is_scaled;
} vida_linear;

/* Whether KLU factors a matrix of this pattern; else dense LU. */
bool vida__is_sparse(const vida_pattern* pattern, vida_solver solver);

/* The pattern must outlive the matrix. */
int vida__linear_create(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                        vida_linear** linear, VidaError* error);
void vida__linear_destroy(vida_linear** linear);
void vida__linear_clear(vida_linear* linear); /* values = 0 */
/* Copies the values into the SUNMatrix, all of it. */
void vida__linear_store(vida_linear* linear);
/* Store and factor. 0, VIDA_STEP_SINGULAR or VIDA_OUT_OF_MEMORY. */
int vida__linear_factor(vida_linear* linear);
/* Whether the last factors were not made for want of memory. */
bool vida__linear_lacks_memory(const vida_linear* linear);
/* Entries of the last factors, L and U together; -1 before the first. */
long vida__linear_factor_entries(const vida_linear* linear);
/* x = A^-1 b with the last factors, x may be b. 0, or VIDA_STEP_SINGULAR. */
int vida__linear_solve(vida_linear* linear, const double* b, double* x);

/* The sign of the determinant of the last factors: 1, -1, or 0 where it is not known. */
int vida__linear_sign(vida_linear* linear);

#endif
