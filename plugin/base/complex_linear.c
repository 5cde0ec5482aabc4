#include "base/complex_linear.h"
#include "base/finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>

#include "base/error.h"
#include "base/memory.h"

/* SUNDIALS has names for KLU's real functions only. */
#if defined(SUNDIALS_INT64_T)
#define Z_FACTOR klu_zl_factor
#define Z_REFACTOR klu_zl_refactor
#define Z_SOLVE klu_zl_solve
#define Z_GROWTH klu_zl_rgrowth
#define Z_FREE klu_zl_free_numeric
#else
#define Z_FACTOR klu_z_factor
#define Z_REFACTOR klu_z_refactor
#define Z_SOLVE klu_z_solve
#define Z_GROWTH klu_z_rgrowth
#define Z_FREE klu_z_free_numeric
#endif

struct vida_complex_linear {
  const vida_pattern* pattern;
  bool sparse;
  double* values; /* 2 entries, and those for which KLU has chosen its pivots */
  /* dense */
  double* matrix; /* 2 size^2, by columns */
  int* pivot;     /* the row that was exchanged with row k */
  /* sparse */
  sun_klu_symbolic* symbolic;
  sun_klu_numeric* numeric;
  sun_klu_common common;
};

/* ---- dense ----------------------------------------------------------------------------------- */

static double* entry(double* matrix, int size, int row, int column) {
  return matrix + 2 * ((size_t)column * (size_t)size + (size_t)row);
}

/* y -= f x for `count` pairs */
static void subtract(double* restrict y, const double* restrict x, int count, double re,
                     double im) {
  for (int i = 0; i < count; i++) {
    const double a = x[2 * i];
    const double b = x[2 * i + 1];
    y[2 * i] -= re * a - im * b;
    y[2 * i + 1] -= re * b + im * a;
  }
}

static void multiply(double* x, double re, double im) {
  const double a = x[0];
  x[0] = re * a - im * x[1];
  x[1] = re * x[1] + im * a;
}

static void exchange(double* x, double* y) {
  for (int part = 0; part < 2; part++) {
    const double kept = x[part];
    x[part] = y[part];
    y[part] = kept;
  }
}

static int choose_pivot(const double* column, int size, int k) {
  int best = k;
  double largest = -1.0;
  for (int i = k; i < size; i++) {
    const double value = fabs(column[2 * i]) + fabs(column[2 * i + 1]);
    if (value > largest) {
      largest = value;
      best = i;
    }
  }
  return largest > 0.0 && isfinite(largest) ? best : -1;
}

/* The diagonal keeps the inverses of the pivots. */
static int factor_dense(vida_complex_linear* linear) {
  const int size = linear->pattern->size;
  for (int k = 0; k < size; k++) {
    double* column = entry(linear->matrix, size, 0, k);
    const int best = choose_pivot(column, size, k);
    if (best < 0) {
      return VIDA_STEP_SINGULAR;
    }
    double* pivot = column + 2 * (size_t)k;
    linear->pivot[k] = best;
    exchange(pivot, column + 2 * (size_t)best);
    const double length = hypot(pivot[0], pivot[1]);
    pivot[0] = pivot[0] / length / length;
    pivot[1] = -pivot[1] / length / length;
    for (int i = k + 1; i < size; i++) {
      multiply(column + 2 * (size_t)i, pivot[0], pivot[1]);
    }
    for (int j = k + 1; j < size; j++) {
      double* top = entry(linear->matrix, size, k, j);
      exchange(top, entry(linear->matrix, size, best, j));
      if (top[0] != 0.0 || top[1] != 0.0) {
        subtract(top + 2, pivot + 2, size - k - 1, top[0], top[1]);
      }
    }
  }
  return VIDA_SUCCESS;
}

static void solve_dense(const vida_complex_linear* linear, double* x) {
  const int size = linear->pattern->size;
  for (int k = 0; k < size; k++) {
    double* top = x + 2 * (size_t)k;
    exchange(top, x + 2 * (size_t)linear->pivot[k]);
    subtract(top + 2, entry(linear->matrix, size, k, k) + 2, size - k - 1, top[0], top[1]);
  }
  for (int k = size - 1; k >= 0; k--) {
    double* top = x + 2 * (size_t)k;
    const double* inverse = entry(linear->matrix, size, k, k);
    multiply(top, inverse[0], inverse[1]);
    subtract(x, entry(linear->matrix, size, 0, k), k, top[0], top[1]);
  }
}

static void store_dense(vida_complex_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  const size_t size = (size_t)pattern->size;
  memset(linear->matrix, 0, 2 * size * size * sizeof *linear->matrix);
  for (int column = 0; column < pattern->size; column++) {
    for (sunindextype k = pattern->column_start[column]; k < pattern->column_start[column + 1];
         k++) {
      memcpy(entry(linear->matrix, pattern->size, (int)pattern->row[k], column),
             linear->values + 2 * k, 2 * sizeof(double));
    }
  }
}

/* ---- sparse ---------------------------------------------------------------------------------- */

/* As for real matrices: below this, pivots are chosen again. */
static const double least_growth = 1e-10;

static int factor_sparse(vida_complex_linear* linear) {
  void* columns = linear->pattern->column_start;
  void* rows = linear->pattern->row;
  sun_klu_common* common = &linear->common;
  if (linear->numeric &&
      Z_REFACTOR(columns, rows, linear->values, linear->symbolic, linear->numeric, common) &&
      common->status == KLU_OK &&
      Z_GROWTH(columns, rows, linear->values, linear->symbolic, linear->numeric, common) &&
      common->rgrowth >= least_growth) {
    return VIDA_SUCCESS;
  }
  if (linear->numeric) {
    Z_FREE(&linear->numeric, common);
  }
  const size_t count = 2 * (size_t)linear->pattern->entries;
  memcpy(linear->values + count, linear->values, count * sizeof *linear->values);
  linear->numeric = Z_FACTOR(columns, rows, linear->values, linear->symbolic, common);
  return linear->numeric && common->status == KLU_OK ? VIDA_SUCCESS : VIDA_STEP_SINGULAR;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int allocate_dense(vida_complex_linear* linear) {
  const size_t size = (size_t)linear->pattern->size;
  linear->matrix = vida__allocate(2 * size * size, sizeof *linear->matrix);
  linear->pivot = vida__allocate(size, sizeof *linear->pivot);
  return linear->matrix && linear->pivot ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int analyze(vida_complex_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  sun_klu_defaults(&linear->common);
  linear->symbolic = sun_klu_analyze(pattern->size, (void*)pattern->column_start,
                                     (void*)pattern->row, &linear->common);
  return linear->symbolic ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__complex_create(const vida_pattern* pattern, vida_solver solver,
                         vida_complex_linear** linear, VidaError* error) {
  vida_complex_linear* made = vida__allocate(1, sizeof *made);
  *linear = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->pattern = pattern;
  made->sparse = vida__is_sparse(pattern, solver);
  made->values = vida__allocate(4 * (size_t)pattern->entries, sizeof *made->values);
  const int code = !made->values  ? VIDA_OUT_OF_MEMORY
                   : made->sparse ? analyze(made)
                                  : allocate_dense(made);
  if (code) {
    vida__complex_destroy(linear);
    return vida__fail_memory(error);
  }
  return VIDA_SUCCESS;
}

void vida__complex_destroy(vida_complex_linear** linear) {
  vida_complex_linear* old = *linear;
  if (!old) {
    return;
  }
  if (old->numeric) {
    Z_FREE(&old->numeric, &old->common);
  }
  if (old->symbolic) {
    sun_klu_free_symbolic(&old->symbolic, &old->common);
  }
  free(old->pivot);
  free(old->matrix);
  free(old->values);
  free(old);
  *linear = NULL;
}

double* vida__complex_values(vida_complex_linear* linear) {
  return linear->values;
}

int vida__complex_factor(vida_complex_linear* linear) {
  if (linear->sparse) {
    return factor_sparse(linear);
  }
  store_dense(linear);
  return factor_dense(linear);
}

int vida__complex_solve(vida_complex_linear* linear, double* x) {
  const int size = linear->pattern->size;
  if (!linear->sparse) {
    solve_dense(linear, x);
  } else if (!linear->numeric ||
             !Z_SOLVE(linear->symbolic, linear->numeric, size, 1, x, &linear->common)) {
    return VIDA_STEP_SINGULAR;
  }
  return vida__are_finite(x, 2 * size) ? VIDA_SUCCESS : VIDA_STEP_SINGULAR;
}

/* ---- records --------------------------------------------------------------------------------- */

/* As factor_again of linear_record.c. */
static void factor_again(vida_complex_linear* linear) {
  const size_t count = 2 * (size_t)linear->pattern->entries;
  double *last = linear->values, *chosen = last + count;
  linear->numeric = Z_FACTOR((void*)linear->pattern->column_start, (void*)linear->pattern->row,
                             chosen, linear->symbolic, &linear->common);
  if (memcmp(last, chosen, count * sizeof *last) != 0) {
    factor_sparse(linear);
  }
}

void vida__complex_record(vida_complex_linear* linear, VidaRecord* record) {
  if (!linear) {
    return;
  }
  const size_t size = (size_t)linear->pattern->size;
  const int sizes[] = {linear->pattern->size, linear->pattern->entries, linear->sparse};
  bool has_factors = linear->numeric != NULL;
  vida__record_same(record, "complex matrix", sizeof sizes / sizeof *sizes, sizes);
  VidaRecord_Flag(record, &has_factors);
  VidaRecord_Reals(record, linear->values, 4 * (size_t)linear->pattern->entries);
  if (!linear->sparse) {
    VidaRecord_Reals(record, linear->matrix, 2 * size * size);
    vida__record_integers(record, linear->pivot, size, 0, linear->pattern->size - 1);
  } else if (VidaRecord_IsLoading(record) && !vida__record_failure(record, NULL)) {
    if (linear->numeric) {
      Z_FREE(&linear->numeric, &linear->common);
    }
    if (has_factors) {
      factor_again(linear);
    }
  }
}
