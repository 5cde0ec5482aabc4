#include "stepper/chain_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"

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

/* Elimination is tried each time, whatever has failed before: the result depends on the values
 * alone.
 */
bool vida__chain_matrix_factor(vida_chain_matrix* matrix) {
  vida_linear* linear = matrix->linear;
  linear->failures = linear->skips = 0;
  return !vida__linear_factor(linear) && linear->last_elimination &&
         vida__elimination_least_pivot(linear->last_elimination) > VIDA_LEAST_PIVOT;
}

bool vida__chain_matrix_solve(vida_chain_matrix* matrix, const double* b, double* x) {
  if (matrix->is_tridiagonal) {
    vida__solve_tridiagonal(matrix, matrix->size, b, x);
    return true;
  }
  return !vida__linear_solve(matrix->linear, b, x);
}

void vida__chain_matrix_record(vida_chain_matrix* matrix, VidaRecord* record) {
  const size_t size = (size_t)matrix->size;
  for (int k = 0; k < matrix->pair_count; k++) {
    VidaRecord_Reals(record, &matrix->pairs[k].weight, 1);
  }
  if (matrix->is_tridiagonal) {
    VidaRecord_Reals(record, matrix->lower, 5 * size); /* and those behind it */
  }
  vida__linear_record(matrix->linear, record);
}
