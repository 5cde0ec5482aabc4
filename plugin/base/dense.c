#include "base/dense.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/memory.h"

typedef struct dense_content {
  int size;
  int pivot[]; /* size: the row that was exchanged with row k */
} dense_content;

static dense_content* content_of(SUNLinearSolver solver) {
  return solver->content;
}

/* Column k below the diagonal, scaled by the pivot, eliminates from the columns to the right. The
 * matrix is stored by columns, so all inner loops run along memory. */
static void eliminate_column(double* restrict a, int size, int k, int pivot) {
  const double* restrict factors = a + k * size;
  for (int j = k + 1; j < size; j++) {
    double* restrict column = a + j * size;
    const double top = column[pivot];
    column[pivot] = column[k];
    column[k] = top;
    if (top == 0.0) {
      continue;
    }
    for (int i = k + 1; i < size; i++) {
      column[i] -= top * factors[i];
    }
  }
}

/* Partial pivoting; 0, or 1 + the column without a pivot. */
static int factor(double* restrict a, int size, int* pivot) {
  for (int k = 0; k < size; k++) {
    double* column = a + k * size;
    int best = k;
    for (int i = k + 1; i < size; i++) {
      best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    const double value = column[best];
    if (value == 0.0 || !isfinite(value)) {
      return k + 1;
    }
    pivot[k] = best;
    column[best] = column[k];
    column[k] = value;
    const double inverse = 1.0 / value;
    for (int i = k + 1; i < size; i++) {
      column[i] *= inverse;
    }
    eliminate_column(a, size, k, best);
  }
  return 0;
}

static void substitute(const double* restrict a, int size, const int* pivot, double* restrict x) {
  for (int k = 0; k < size; k++) {
    const double value = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = value;
    const double* column = a + k * size;
    for (int i = k + 1; i < size; i++) {
      x[i] -= value * column[i];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    const double* column = a + k * size;
    x[k] /= column[k];
    const double value = x[k];
    for (int i = 0; i < k; i++) {
      x[i] -= value * column[i];
    }
  }
}

/* ---- the operations of a SUNLinearSolver -------------------------------------------------------
 */

static SUNLinearSolver_Type get_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNErrCode initialize(SUNLinearSolver solver) {
  (void)solver;
  return 0;
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix) {
  dense_content* content = content_of(solver);
  return factor(SM_DATA_D(matrix), content->size, content->pivot);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 sunrealtype tolerance) {
  const dense_content* content = content_of(solver);
  double* values = NV_DATA_S(x);
  (void)tolerance;
  memcpy(values, NV_DATA_S(b), (size_t)content->size * sizeof *values);
  substitute(SM_DATA_D(matrix), content->size, content->pivot, values);
  return 0;
}

static SUNErrCode destroy(SUNLinearSolver solver) {
  free(solver->content);
  solver->content = NULL;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

SUNLinearSolver vida__dense_solver(sunindextype size, SUNContext context) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  if (!solver) {
    return NULL;
  }
  dense_content* content =
      vida__allocate(1, sizeof *content + (size_t)size * sizeof content->pivot[0]);
  if (!content) {
    SUNLinSolFreeEmpty(solver);
    return NULL;
  }
  content->size = (int)size;
  solver->content = content;
  solver->ops->gettype = get_type;
  solver->ops->initialize = initialize;
  solver->ops->setup = setup;
  solver->ops->solve = solve;
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
