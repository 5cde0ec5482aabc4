#include "base/null_space_solver.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/dense.h"
#include "base/direct_solver.h"
#include "base/memory.h"

/* A row of C whose part beside the other ones is smaller, relative to the row, depends on them. */
static const double dependent = 1e-8;

/* All matrices are stored by columns. */
typedef struct content {
  int n, m;
  const double* reciprocal; /* n: reciprocal sizes of the unknowns; NULL: all are 1 */
  double* scale;            /* n: their sizes, with which the diagonal of K has at most 1 */
  double* row_scale;        /* m: of the rows of R */
  double* extent;           /* m: 1 / |C^T_r| in scaled coordinates */
  double* column;           /* n x m: C^T, then the reflections below the diagonal */
  double* diagonal;         /* m: of the triangle of C^T */
  double* product;          /* n x n: Q^T K; its first m rows serve the multipliers */
  double* reduced;          /* n x n: (P^T K, R), then its factors */
  double* side;             /* n: Q^T b */
  double* work;             /* n */
  double norm;              /* of the reduced matrix */
  int* order;               /* m: the row of C in each column */
  int* pivot;               /* n */
  int lost;
  bool has_factors;
  double data[];
} content;

/* ---- the null space -------------------------------------------------------------------------- */

static void take_scale(content* own, const double* a) {
  const int n = own->n, size = n + own->m;
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    own->scale[i] = own->reciprocal ? 1.0 / own->reciprocal[i] : 1.0;
    largest = fmax(largest, fabs(a[i + i * size]) * own->scale[i] * own->scale[i]);
  }
  const double factor = largest > 0.0 ? 1.0 / sqrt(largest) : 1.0;
  for (int i = 0; i < n; i++) {
    own->scale[i] *= factor;
  }
}

/* Copies C^T, or R^T, in scaled coordinates, with columns of length 1; a column of zeros stays one.
 */
static void take_columns(content* own, const double* a, bool is_rows) {
  const int n = own->n, size = n + own->m;
  for (int r = 0; r < own->m; r++) {
    double square = 0.0;
    double* column = own->column + r * n;
    for (int i = 0; i < n; i++) {
      column[i] = own->scale[i] * a[is_rows ? n + r + i * size : i + (n + r) * size];
      square += column[i] * column[i];
    }
    own->extent[r] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    own->order[r] = r;
    for (int i = 0; i < n; i++) {
      column[i] *= own->extent[r];
    }
  }
}

static double square_from(const double* column, int from, int n) {
  double sum = 0.0;
  for (int i = from; i < n; i++) {
    sum += column[i] * column[i];
  }
  return sum;
}

/* Moves the column with the largest part behind row k to place k. */
static void exchange_columns(content* own, int k) {
  const int n = own->n;
  int best = k;
  double largest = -1.0;
  for (int r = k; r < own->m; r++) {
    const double square = square_from(own->column + r * n, k, n);
    best = square > largest ? r : best;
    largest = square > largest ? square : largest;
  }
  for (int i = 0; i < n && best != k; i++) {
    const double kept = own->column[i + k * n];
    own->column[i + k * n] = own->column[i + best * n];
    own->column[i + best * n] = kept;
  }
  const int row = own->order[k];
  own->order[k] = own->order[best];
  own->order[best] = row;
}

/* Applies the reflection I - 2 v v^T / |v|^2, v in column k from row k on with |v|^2 = 2. */
static void reflect(const content* own, int k, double* x) {
  const double* v = own->column + k * own->n;
  double sum = 0.0;
  for (int i = k; i < own->n; i++) {
    sum += v[i] * x[i];
  }
  for (int i = k; i < own->n; i++) {
    x[i] -= sum * v[i];
  }
}

/* Makes the reflection that turns column k into its length at row k. Returns whether the column has
 * a part beside the earlier ones. */
static bool make_reflection(content* own, int k) {
  double* v = own->column + k * own->n;
  const double length = sqrt(square_from(v, k, own->n));
  if (!(length > dependent)) { /* also if it is NaN */
    return false;
  }
  own->diagonal[k] = v[k] > 0.0 ? -length : length;
  v[k] -= own->diagonal[k];
  const double factor = sqrt(2.0 / square_from(v, k, own->n));
  for (int i = k; i < own->n; i++) {
    v[i] *= factor;
  }
  return true;
}

/* Returns false, with the row in `lost`, if one depends on the others. */
static bool find_null_space(content* own, const double* a, bool is_rows) {
  take_columns(own, a, is_rows);
  own->lost = -1;
  for (int k = 0; k < own->m; k++) {
    if (k < own->n) {
      exchange_columns(own, k);
    }
    if (k >= own->n || !make_reflection(own, k)) {
      own->lost = own->order[k];
      return false;
    }
    for (int r = k + 1; r < own->m; r++) {
      reflect(own, k, own->column + r * own->n);
    }
  }
  return true;
}

/* ---- the reduced matrix ---------------------------------------------------------------------- */

static double length_of_row(const content* own, const double* a, int r) {
  const int size = own->n + own->m;
  double square = 0.0;
  for (int j = 0; j < own->n; j++) {
    const double value = own->scale[j] * a[own->n + r + j * size];
    square += value * value;
  }
  return sqrt(square);
}

/* Rows of P^T K first, then those of R. */
static void assemble(content* own, const double* a) {
  const int n = own->n, m = own->m, size = n + m;
  for (int r = 0; r < m; r++) {
    const double length = length_of_row(own, a, r);
    own->row_scale[r] = length > 0.0 ? 1.0 / length : 1.0;
  }
  own->norm = 0.0;
  for (int j = 0; j < n; j++) {
    double* product = own->product + j * n;
    double* reduced = own->reduced + j * n;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
      product[i] = own->scale[i] * a[i + j * size] * own->scale[j];
    }
    for (int k = 0; k < m; k++) {
      reflect(own, k, product);
    }
    memcpy(reduced, product + m, (size_t)(n - m) * sizeof *reduced);
    for (int r = 0; r < m; r++) {
      reduced[n - m + r] = own->row_scale[r] * a[n + r + j * size] * own->scale[j];
    }
    for (int i = 0; i < n; i++) {
      sum += fabs(reduced[i]);
    }
    own->norm = sum > own->norm ? sum : own->norm;
  }
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix) {
  content* own = solver->content;
  const double* a = SM_DATA_D(matrix);
  own->has_factors = false;
  take_scale(own, a);
  /* Without the first of these, dependent rows R would show only as a small pivot. */
  if (!find_null_space(own, a, true) || !find_null_space(own, a, false)) {
    return 1;
  }
  assemble(own, a);
  own->has_factors = vida__factor_dense(own->reduced, own->n, own->pivot) == 0;
  return own->has_factors ? 0 : 1;
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* Computes dmu from T y = Q^T b - Q^T K w, with the triangle T of C^T. */
static void find_multipliers(const content* own, const double* w, double* dmu) {
  const int n = own->n;
  for (int k = own->m - 1; k >= 0; k--) {
    double sum = own->side[k];
    for (int j = 0; j < n; j++) {
      sum -= own->product[k + j * n] * w[j];
    }
    for (int j = k + 1; j < own->m; j++) {
      sum -= own->column[k + j * n] * own->work[j];
    }
    own->work[k] = sum / own->diagonal[k];
  }
  for (int k = 0; k < own->m; k++) {
    dmu[own->order[k]] = own->extent[own->order[k]] * own->work[k];
  }
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 sunrealtype tolerance) {
  content* own = solver->content;
  const int n = own->n, m = own->m;
  const double* right = NV_DATA_S(b);
  double* found = NV_DATA_S(x);
  double* w = own->work; /* until the multipliers need it */
  (void)matrix;
  (void)tolerance;
  for (int i = 0; i < n; i++) {
    own->side[i] = own->scale[i] * right[i];
  }
  for (int k = 0; k < m; k++) {
    reflect(own, k, own->side);
  }
  memcpy(w, own->side + m, (size_t)(n - m) * sizeof *w);
  for (int r = 0; r < m; r++) {
    w[n - m + r] = own->row_scale[r] * right[n + r];
  }
  vida__substitute_dense(own->reduced, n, own->pivot, w);
  double* dmu = found + n; /* x may be b, whose rows are no longer needed */
  memcpy(found, w, (size_t)n * sizeof *w);
  find_multipliers(own, found, dmu);
  for (int i = 0; i < n; i++) {
    found[i] *= own->scale[i];
  }
  return 0;
}

void vida__null_space_set_scale(SUNLinearSolver solver, const double* scale) {
  ((content*)solver->content)->reciprocal = scale;
}

int vida__null_space_lost_row(SUNLinearSolver solver) {
  return ((const content*)solver->content)->lost;
}

double vida__null_space_condition(SUNLinearSolver solver) {
  content* own = solver->content;
  double largest = 0.0;
  if (!own->has_factors) {
    return NAN;
  }
  for (int j = 0; j < own->n; j++) {
    double sum = 0.0;
    memset(own->work, 0, (size_t)own->n * sizeof *own->work);
    own->work[j] = 1.0;
    vida__substitute_dense(own->reduced, own->n, own->pivot, own->work);
    for (int i = 0; i < own->n; i++) {
      sum += fabs(own->work[i]);
    }
    largest = sum > largest ? sum : largest;
  }
  return largest * own->norm;
}

/* ---- creation -------------------------------------------------------------------------------- */

static SUNErrCode destroy(SUNLinearSolver solver) {
  free(solver->content);
  solver->content = NULL;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

static size_t count_numbers(size_t n, size_t m) {
  return 3 * n + 3 * m + n * m + 2 * n * n;
}

void vida__null_space_record(SUNLinearSolver solver, VidaRecord* record) {
  content* own = solver->content;
  VidaRecord_Reals(record, own->data, count_numbers((size_t)own->n, (size_t)own->m));
  VidaRecord_Reals(record, &own->norm, 1);
  vida__record_integers(record, own->order, (size_t)own->m, 0, own->m - 1);
  vida__record_integers(record, own->pivot, (size_t)own->n, 0, own->n - 1);
  vida__record_integers(record, &own->lost, 1, -1, own->m - 1);
  VidaRecord_Flag(record, &own->has_factors);
}

SUNLinearSolver vida__null_space_solver(int rows, int constraints, SUNContext context) {
  static const vida_direct_operations operations = {setup, solve};
  const size_t n = (size_t)rows, m = (size_t)constraints;
  content* own =
      vida__allocate(1, sizeof *own + count_numbers(n, m) * sizeof(double) + (n + m) * sizeof(int));
  SUNLinearSolver solver = own ? vida__direct_solver(operations, own, context) : NULL;
  if (!solver) {
    free(own);
    return NULL;
  }
  const vida_array arrays[] = {
      {&own->scale, n},      {&own->side, n},        {&own->work, n},
      {&own->row_scale, m},  {&own->extent, m},      {&own->diagonal, m},
      {&own->column, n * m}, {&own->product, n * n}, {&own->reduced, n * n}};
  own->order = (int*)vida__place_arrays(arrays, sizeof arrays / sizeof *arrays, own->data);
  own->pivot = own->order + m;
  own->n = rows;
  own->m = constraints;
  own->lost = -1;
  solver->ops->free = destroy;
  return solver;
}
