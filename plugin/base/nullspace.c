#include "base/nullspace.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Added to the diagonal of the scaled matrix, which makes it regular; inverse iteration then finds
 * the direction that is closest to singular. */
static const double shift = 1e-10;
enum { SCALINGS = 4, ITERATIONS = 4 };

typedef struct null_work {
  SUNContext context;
  vida_linear* linear;
  double *row, *image;
} null_work;

/* Scales rows and columns repeatedly by the square roots of their largest entries (Ruiz). */
static void scale_matrix(const vida_pattern* pattern, double* a, double* row, double* column,
                         double* largest) {
  const int size = pattern->size;
  for (int i = 0; i < size; i++) {
    row[i] = column[i] = 1.0;
  }
  for (int pass = 0; pass < 2 * SCALINGS; pass++) {
    const bool is_row = pass % 2 == 0;
    memset(largest, 0, (size_t)size * sizeof *largest);
    for (int j = 0; j < size; j++) {
      for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
        const sunindextype at = is_row ? pattern->row[k] : j;
        largest[at] = fmax(largest[at], fabs(a[k]));
      }
    }
    double* scale = is_row ? row : column;
    for (int i = 0; i < size; i++) {
      largest[i] = largest[i] > 0.0 && isfinite(largest[i]) ? 1.0 / sqrt(largest[i]) : 1.0;
      scale[i] *= largest[i];
    }
    for (int j = 0; j < size; j++) {
      for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
        a[k] *= largest[is_row ? pattern->row[k] : j];
      }
    }
  }
}

static double normalize(double* z, int size) {
  double largest = 0.0;
  for (int i = 0; i < size; i++) {
    largest = fmax(largest, fabs(z[i]));
  }
  for (int i = 0; i < size && largest > 0.0; i++) {
    z[i] /= largest;
  }
  return largest;
}

static int iterate(const vida_pattern* pattern, null_work* work, double* z) {
  const int size = pattern->size;
  double* a = work->linear->values;
  for (int i = 0; i < size; i++) {
    a[vida__pattern_slot(pattern, i, i)] += shift * (1.0 + 0.3 * sin(12.9898 * (i + 1.0)));
    z[i] = 1.0 + 0.5 * sin(78.233 * (i + 1.0));
  }
  int code = vida__linear_factor(work->linear);
  for (int k = 0; k < ITERATIONS && !code; k++) {
    code = vida__linear_solve(work->linear, z, z);
    code = !code && !(normalize(z, size) > 0.0) ? VIDA_STEP_SINGULAR : code;
  }
  return code;
}

static double measure(const vida_pattern* pattern, const double* a, const double* z,
                      double* image) {
  double largest = 0.0;
  memset(image, 0, (size_t)pattern->size * sizeof *image);
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      image[pattern->row[k]] += a[k] * z[j];
    }
  }
  for (int i = 0; i < pattern->size; i++) {
    largest = fmax(largest, fabs(image[i]));
  }
  return largest;
}

int vida__find_null_direction(const vida_pattern* pattern, const double* values, double* direction,
                              double* scale, double* smallest) {
  const size_t size = (size_t)pattern->size;
  const size_t bytes = (size_t)pattern->entries * sizeof *values;
  null_work work = {.row = vida__allocate(2 * size, sizeof(double))};
  double* scaled = vida__allocate((size_t)pattern->entries, sizeof *scaled);
  int code = work.row && scaled && !vida__context_create(&work.context)
                 ? vida__linear_create(work.context, pattern, VIDA_SOLVER_AUTO, &work.linear, NULL)
                 : VIDA_OUT_OF_MEMORY;
  if (!code) {
    work.image = work.row + size;
    memcpy(scaled, values, bytes);
    scale_matrix(pattern, scaled, work.row, scale, work.image);
    memcpy(work.linear->values, scaled, bytes);
    code = iterate(pattern, &work, direction);
  }
  if (!code) {
    *smallest = measure(pattern, scaled, direction, work.image);
  }
  vida__linear_destroy(&work.linear);
  if (work.context) {
    SUNContext_Free(&work.context);
  }
  free(work.row);
  free(scaled);
  return code;
}
