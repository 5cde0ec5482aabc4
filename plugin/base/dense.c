#include "base/dense.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/direct_solver.h"
#include "base/memory.h"

typedef struct dense_content {
  int size;
  int pivot[]; /* size: the row that was exchanged with row k */
} dense_content;

static dense_content* content_of(SUNLinearSolver solver) {
  return solver->content;
}

static void exchange_rows(double* a, int size, int k, int pivot) {
  double* column = a + (k + 1) * size;
  for (const double* end = a + size * size; column != end; column += size) {
    const double value = column[pivot];
    column[pivot] = column[k];
    column[k] = value;
  }
}

/* Column k below the diagonal, scaled by the pivot, eliminates from the columns to the right. The
 * matrix is stored by columns, so all inner loops run along memory. The matrix of a step has few
 * factors, most of them in the rows of constraints: the rows before the first one, `from`, do not
 * change, unless the column is not finite. */
static void eliminate_column(double* restrict a, int size, int k, int from) {
  const double* restrict factors = a + k * size;
  double* restrict column = a + (k + 1) * size;
  for (const double* end = a + size * size; column != end; column += size) {
    const double top = column[k];
    if (top != 0.0) {
      for (int i = isfinite(top) ? from : k + 1; i < size; i++) {
        column[i] -= top * factors[i];
      }
    }
  }
}

static int find_pivot(const double* column, int size, int k) {
  int best = k;
  double largest = fabs(column[k]);
  for (int i = k + 1; i < size; i++) {
    if (fabs(column[i]) > largest) {
      largest = fabs(column[i]);
      best = i;
    }
  }
  return best;
}

/* LU factorization with partial pivoting. Returns 0, or 1 + the column without a pivot. */
int vida__factor_dense(double* restrict a, int size, int* pivot) {
  for (int k = 0; k < size; k++) {
    double* column = a + k * size;
    const int best = find_pivot(column, size, k);
    const double value = column[best];
    if (value == 0.0 || !isfinite(value)) {
      return k + 1;
    }
    pivot[k] = best;
    if (best != k) {
      column[best] = column[k];
      column[k] = value;
      exchange_rows(a, size, k, best);
    }
    const double inverse = 1.0 / value;
    int from = size;
    for (int i = size - 1; i > k; i--) {
      column[i] *= inverse;
      from = column[i] != 0.0 ? i : from;
    }
    eliminate_column(a, size, k, from);
  }
  return 0;
}

void vida__substitute_dense(const double* restrict a, int size, const int* pivot,
                            double* restrict x) {
  const double* column = a;
  for (int k = 0; k < size; k++, column += size) {
    const double value = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = value;
    for (int i = k + 1; i < size; i++) {
      x[i] -= value * column[i];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    column -= size;
    x[k] /= column[k];
    const double value = x[k];
    for (int i = 0; i < k; i++) {
      x[i] -= value * column[i];
    }
  }
}

/* ---- the operations of a SUNLinearSolver ----------------------------------------------------- */

static int setup(SUNLinearSolver solver, SUNMatrix matrix) {
  dense_content* content = content_of(solver);
  return vida__factor_dense(SM_DATA_D(matrix), content->size, content->pivot);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 sunrealtype tolerance) {
  const dense_content* content = content_of(solver);
  double* values = NV_DATA_S(x);
  (void)tolerance;
  memcpy(values, NV_DATA_S(b), (size_t)content->size * sizeof *values);
  vida__substitute_dense(SM_DATA_D(matrix), content->size, content->pivot, values);
  return 0;
}

static SUNErrCode destroy(SUNLinearSolver solver) {
  free(solver->content);
  solver->content = NULL;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

SUNLinearSolver vida__dense_solver(sunindextype size, SUNContext context) {
  static const vida_direct_operations operations = {setup, solve};
  dense_content* content =
      vida__allocate(1, sizeof *content + (size_t)size * sizeof content->pivot[0]);
  SUNLinearSolver solver = content ? vida__direct_solver(operations, content, context) : NULL;
  if (!solver) {
    free(content);
    return NULL;
  }
  content->size = (int)size;
  solver->ops->free = destroy;
  return solver;
}

int vida__dense_sign(SUNLinearSolver solver, SUNMatrix matrix) {
  const dense_content* content = content_of(solver);
  const double* a = SM_DATA_D(matrix);
  int sign = 1;
  for (int k = 0; k < content->size; k++) {
    const double pivot = a[k + k * content->size];
    sign = content->pivot[k] != k ? -sign : sign;
    sign = pivot < 0.0 ? -sign : pivot > 0.0 ? sign : 0;
  }
  return sign;
}

void vida__dense_record(SUNLinearSolver solver, VidaRecord* record) {
  dense_content* content = content_of(solver);
  vida__record_integers(record, content->pivot, (size_t)content->size, 0,
                        content->size > 0 ? content->size - 1 : 0);
}
