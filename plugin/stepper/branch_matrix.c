/* The smallest singular value of B, the rows of G M^(-1/2), each divided by its largest length so
 * far: by inverse iteration, with the matrix of coordinates and multipliers or, for few rows, with
 * B B^T, which is small and cheap. Rounding in B B^T changes singular values only below 1e-8 of the
 * largest one, far below those that the watch distinguishes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stepper/branch_watch.h"

void vida__watch_lengths(vida_watch* watch, const double* entries) {
  const vida_jacobian_entry* entry = watch->stepper->self.model.system->entries;
  for (int k = 0, e = 0; k < watch->run_count; k++) {
    double* length = &watch->length[watch->run_row[k]];
    double square = 0.0;
    for (; e < watch->run_end[k]; e++) {
      const double part = entries[e] * watch->inverse[entry[e].coordinate];
      square += part * part;
    }
    *length = square > *length * *length ? sqrt(square) : *length;
  }
}

/*     [ I  B^T ]   B = the rows of G M^(-1/2), each divided by its largest length so far. Rows that
 *     [ B  0   ]   are not watched have the multiplier zero. */
int vida__watch_factor(vida_watch* watch, const double* entries) {
  const VidaStepper* stepper = watch->stepper;
  const VidaSystem* system = stepper->self.model.system;
  double* matrix = stepper->self.model.node_matrix->values;
  watch->is_normal = false;
  vida__watch_lengths(watch, entries);
  vida__linear_clear(stepper->self.model.node_matrix);
  for (int i = 0; i < stepper->self.model.n; i++) {
    matrix[system->mass_slot[i]] = 1.0;
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    if (!watch->is_in[r]) {
      matrix[vida__constraint_diagonal(system, r)] = -1.0;
    } else if (!(watch->length[r] > 0.0)) {
      return VIDA_STEP_SINGULAR;
    }
  }
  for (int k = 0, e = 0; k < watch->run_count; e = watch->run_end[k++]) {
    const int row = watch->run_row[k];
    const double scale = watch->is_in[row] ? 1.0 / watch->length[row] : 0.0;
    for (; e < watch->run_end[k] && watch->is_in[row]; e++) {
      const vida_jacobian_entry* entry = &system->entries[e];
      const double value = entries[e] * watch->inverse[entry->coordinate] * scale;
      matrix[entry->row_slot] += value;
      matrix[entry->column_slot] += value;
    }
  }
  return vida__linear_factor(stepper->self.model.node_matrix);
}

/* Makes one iteration for the smallest eigenvalue of B B^T, whose vector is watch->dependence.
 * Returns its square root; 0 if the matrix is singular. */
static double iterate(vida_watch* watch) {
  const int m = watch->stepper->self.model.m;
  double *z = watch->dependence, *found = watch->rows;
  double square = 0.0;
  if (vida__linear_solve_last(watch->stepper->self.model.node_matrix, z, found, watch->side)) {
    return 0.0;
  }
  for (int r = 0; r < m; r++) {
    square += watch->is_in[r] ? found[r] * found[r] : 0.0;
  }
  if (!(square > 0.0) || !isfinite(square)) {
    return 0.0;
  }
  const double factor = -1.0 / sqrt(square);
  for (int r = 0; r < m; r++) {
    z[r] = watch->is_in[r] ? found[r] * factor : 0.0;
  }
  return sqrt(-factor);
}

/* ---- few rows -------------------------------------------------------------------------------- */

/* Stores B, m x n. */
static void store_rows(const vida_watch* watch, const double* entries, double* b) {
  const int n = watch->stepper->self.model.n, m = watch->stepper->self.model.m;
  const vida_jacobian_entry* entry = watch->stepper->self.model.system->entries;
  memset(b, 0, (size_t)m * (size_t)n * sizeof *b);
  for (int k = 0, e = 0; k < watch->run_count; e = watch->run_end[k++]) {
    const int r = watch->run_row[k];
    const double scale = watch->is_in[r] ? 1.0 / watch->length[r] : 0.0;
    double* row = b + r * n;
    for (; e < watch->run_end[k]; e++) {
      row[entry[e].coordinate] += entries[e] * watch->inverse[entry[e].coordinate] * scale;
    }
  }
}

static double multiply(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Factors B B^T = L D L^T. Rows that are not watched are those of the unit matrix. L and D are
 * stored in and above the diagonal. */
static int factor_few(vida_watch* watch, const double* entries) {
  const int n = watch->stepper->self.model.n, m = watch->stepper->self.model.m;
  double *a = watch->normal, *b = watch->normal + m * m;
  store_rows(watch, entries, b);
  for (int r = 0; r < m; r++) {
    for (int c = 0; c <= r; c++) {
      a[r * m + c] = multiply(b + r * n, b + c * n, n);
    }
    a[r * m + r] += watch->is_in[r] ? 0.0 : 1.0;
  }
  for (int k = 0; k < m; k++) {
    if (!(a[k * m + k] > 0.0)) {
      return VIDA_STEP_SINGULAR;
    }
    for (int r = k + 1; r < m; r++) {
      const double factor = a[r * m + k] / a[k * m + k];
      for (int c = k + 1; c <= r; c++) {
        a[r * m + c] -= factor * a[c * m + k];
      }
      a[k * m + r] = factor;
    }
  }
  return VIDA_SUCCESS;
}

/* As iterate, with the factors of B B^T. */
static double iterate_few(vida_watch* watch) {
  const int m = watch->stepper->self.model.m;
  const double* a = watch->normal;
  double x[VIDA_FEW_ROWS], square = 0.0;
  for (int r = 0; r < m; r++) {
    x[r] = watch->dependence[r];
    for (int k = 0; k < r; k++) {
      x[r] -= a[k * m + r] * x[k];
    }
  }
  for (int k = m - 1; k >= 0; k--) {
    x[k] /= a[k * m + k];
    for (int r = k + 1; r < m; r++) {
      x[k] -= a[k * m + r] * x[r];
    }
    square += x[k] * x[k];
  }
  if (!(square > 0.0) || !isfinite(square)) {
    return 0.0;
  }
  const double factor = 1.0 / sqrt(square);
  for (int r = 0; r < m; r++) {
    watch->dependence[r] = x[r] * factor;
  }
  return sqrt(factor);
}

/* ---- both ------------------------------------------------------------------------------------ */

int vida__watch_prepare_value(vida_watch* watch, const double* entries) {
  const int m = watch->stepper->self.model.m;
  if (m > VIDA_FEW_ROWS) {
    return vida__watch_factor(watch, entries);
  }
  vida__watch_lengths(watch, entries);
  for (int r = 0; r < m; r++) {
    if (watch->is_in[r] && !(watch->length[r] > 0.0)) {
      return VIDA_STEP_SINGULAR;
    }
  }
  watch->is_normal = true;
  return factor_few(watch, entries);
}

/* The value and vector of one row, or of two from the factors: the product of both eigenvalues is
 * that of the pivots. */
static double find_closed(vida_watch* watch) {
  const double* a = watch->normal;
  double* z = watch->dependence;
  if (watch->stepper->self.model.m == 1) {
    z[0] = 1.0;
    return sqrt(a[0]);
  }
  const double both = a[1] * a[0], last = a[3] + a[1] * both;
  const double half = 0.5 * (a[0] - last), root = sqrt(half * half + both * both);
  const double larger = 0.5 * (a[0] + last) + root, smaller = a[0] * a[3] / larger;
  /* The row of B B^T - smaller with the larger numbers is orthogonal to the vector. */
  const double first = a[0] - smaller, second = last - smaller;
  const bool is_first = first > second;
  const double x = is_first ? -both : second, y = is_first ? first : -both;
  const double length = sqrt(x * x + y * y);
  z[0] = length > 0.0 ? x / length : 1.0;
  z[1] = length > 0.0 ? y / length : 0.0;
  return sqrt(smaller);
}

/* Iterates until the value no longer changes. What is left of a vector after a fast change of B may
 * be orthogonal to the wanted one, so the others are added to it. */
static double find_few(vida_watch* watch) {
  enum { PASSES = 16 };
  static const double share_of_others = 0.01, precise = 1e-5;
  double value = -1.0, before = 0.0;
  for (int r = 0; r < watch->stepper->self.model.m; r++) {
    watch->dependence[r] += watch->is_in[r] ? share_of_others * cos(1.0 + r) : 0.0;
  }
  for (int pass = 0; pass < PASSES && !(fabs(value - before) <= precise * value); pass++) {
    before = value;
    value = iterate_few(watch);
  }
  return value;
}

double vida__watch_value(vida_watch* watch) {
  const bool is_first = watch->singularity.count == 0;
  const int m = watch->stepper->self.model.m;
  const int passes = is_first ? 8 : 2;
  double value = 0.0;
  for (int r = 0; r < m && is_first; r++) {
    watch->dependence[r] =
        watch->is_in[r] ? cos(1.0 + r) / sqrt((double)watch->row_count) : 0.0; /* any will do */
  }
  if (watch->is_normal) {
    return m <= 2 && watch->row_count == m ? find_closed(watch) : find_few(watch);
  }
  for (int pass = 0; pass < passes; pass++) {
    value = iterate(watch);
  }
  return value;
}
