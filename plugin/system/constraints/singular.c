#include "system/constraints/singular.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nullspace.h"
#include "base/text.h"
#include "system/constraints/column_sizes.h"

/* A solution that rounding of the entries changes by more than this is not used. */
static const double lost = 0.1;
/* Relative to the largest component of a null vector. */
static const double least_part = 0.05;
enum { MOST_NAMED = 4 };

typedef struct singular_work {
  SUNContext context;
  vida_linear* linear;
  double* x;      /* n + m: a solution */
  double* change; /* n + m: the effect of rounding, or a null vector */
  double* scale;  /* n + m: work */
  int* group;     /* n */
  bool* is_open;  /* n + m */
} singular_work;

static int create_work(const VidaSystem* system, singular_work* work) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t all = n + (size_t)system->row_count;
  work->x = vida__allocate(3 * all, sizeof *work->x);
  work->group = vida__allocate(n, sizeof *work->group);
  work->is_open = vida__allocate(all, sizeof *work->is_open);
  if (!work->x || !work->group || !work->is_open || vida__context_create(&work->context)) {
    return VIDA_OUT_OF_MEMORY;
  }
  work->change = work->x + all;
  work->scale = work->change + all;
  vida__group_coordinates(system, work->group);
  return vida__linear_create(work->context, &system->pattern, VIDA_SOLVER_AUTO, &work->linear,
                             NULL);
}

static void destroy_work(singular_work* work) {
  vida__linear_destroy(&work->linear);
  if (work->context) {
    SUNContext_Free(&work->context);
  }
  free(work->x);
  free(work->group);
  free(work->is_open);
}

/* Returns pseudo-random numbers near one. */
static double any_number(int i, double seed) {
  return 1.0 + 0.5 * sin(seed * (i + 1.0));
}

/* Makes a right-hand side whose forces accelerate coordinates with mass by about one, and whose
 * constraint rows require such accelerations, which determines massless coordinates. */
static void fill_right_side(const VidaSystem* system, const double* values, double* side) {
  const int n = system->coordinate_count;
  memset(side, 0, (size_t)(n + system->row_count) * sizeof *side);
  for (int i = 0; i < n; i++) {
    side[i] = fabs(values[system->mass_slot[i]]) * any_number(i, 12.9898);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    side[n + entry->row] += values[entry->row_slot] * any_number(entry->coordinate, 78.233);
  }
}

/* Computes the effect of a rounding error in every entry on the right-hand side. */
static void fill_rounding(const vida_pattern* pattern, const double* values, const double* x,
                          double* rounding) {
  memset(rounding, 0, (size_t)pattern->size * sizeof *rounding);
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      rounding[pattern->row[k]] += DBL_EPSILON * fabs(values[k] * x[j]);
    }
  }
  for (int i = 0; i < pattern->size; i++) {
    rounding[i] *= sin(43.7585 * (i + 1.0)) < 0.0 ? -1.0 : 1.0;
  }
}

/* Compares solutions. The largest component of a group decides for the whole group. */
static void compare(const VidaSystem* system, singular_work* work) {
  const int n = system->coordinate_count;
  double* largest = work->scale;
  memset(largest, 0, (size_t)(n + system->row_count) * sizeof *largest);
  for (int i = 0; i < n; i++) {
    double* own = &largest[work->group[i]];
    *own = fmax(*own, fabs(work->x[i]));
  }
  for (int i = 0; i < n + system->row_count; i++) {
    const double size = i < n ? largest[work->group[i]] : fabs(work->x[i]);
    work->is_open[i] = fabs(work->change[i]) > lost * size;
  }
}

static void find_open(const VidaSystem* system, const double* values, singular_work* work) {
  const vida_pattern* pattern = &system->pattern;
  double smallest = 0.0;
  memcpy(work->linear->values, values, (size_t)pattern->entries * sizeof *values);
  fill_right_side(system, values, work->x);
  int code = vida__linear_factor(work->linear);
  code = code ? code : vida__linear_solve(work->linear, work->x, work->x);
  if (!code) {
    fill_rounding(pattern, values, work->x, work->change);
    code = vida__linear_solve(work->linear, work->change, work->change);
  }
  if (!code) {
    compare(system, work);
  } else if (!vida__find_null_direction(pattern, values, work->change, work->scale, &smallest)) {
    for (int i = 0; i < pattern->size; i++) {
      work->is_open[i] = fabs(work->change[i]) > least_part;
    }
  }
}

/* Appends the open unknowns from first to last: "'bead.x', 'bead.y' and 2 more". */
static int append_open(const VidaSystem* system, const bool* is_open, int first, int last,
                       const char* before, char* text, size_t size) {
  vida_name_list names = {text, size, MOST_NAMED, 0};
  for (int i = first; i < last; i++) {
    const int row = i - system->coordinate_count;
    if (is_open[i]) {
      vida__append(text, size, "%s", names.count == 0 ? before : "");
      vida__list_name(&names, row < 0 ? system->coordinates[i].name : system->rows[row].name);
    }
  }
  vida__end_list(&names);
  return names.count;
}

int vida__append_massless(const VidaSystem* system, const double* values, char* text, size_t size) {
  singular_work work = {0};
  int count = 0;
  double* matrix = vida__allocate((size_t)system->pattern.entries, sizeof *matrix);
  if (matrix && !create_work(system, &work)) {
    memcpy(matrix, values, (size_t)system->pattern.entries * sizeof *matrix);
    for (int e = 0; e < system->entry_count; e++) {
      matrix[system->entries[e].row_slot] = matrix[system->entries[e].column_slot] = 0.0;
    }
    for (int r = 0; r < system->row_count; r++) {
      matrix[system->pattern.column_start[system->coordinate_count + r + 1] - 1] = 1.0;
    }
    find_open(system, matrix, &work);
    count = append_open(system, work.is_open, 0, system->coordinate_count, "", text, size);
  }
  destroy_work(&work);
  free(matrix);
  return count;
}

/* "; nothing determines the motion of 'bead.x', 'bead.y': ...". Returns the number of coordinates.
 */
static int append_open_motion(const VidaSystem* system, const bool* is_open, char* text,
                              size_t size) {
  const int count = append_open(system, is_open, 0, system->coordinate_count,
                                "; nothing determines the motion of ", text, size);
  if (count > 0) {
    vida__append(text, size, ": %s, and no constraint holds %s",
                 count > 1 ? "their masses are negligible" : "its mass is negligible",
                 count > 1 ? "them" : "it");
  }
  return count;
}

bool vida__append_open_motion(const VidaSystem* system, const double* values, char* text,
                              size_t size) {
  singular_work work = {0};
  int count = 0;
  if (!create_work(system, &work)) {
    find_open(system, values, &work);
    count = append_open_motion(system, work.is_open, text, size);
  }
  destroy_work(&work);
  return count > 0;
}

bool vida__append_singular(const VidaSystem* system, const double* values, char* text,
                           size_t size) {
  const int n = system->coordinate_count;
  singular_work work = {0};
  int count = 0;
  if (!create_work(system, &work)) {
    find_open(system, values, &work);
    count = append_open_motion(system, work.is_open, text, size);
    if (count == 0) {
      count = append_open(system, work.is_open, n, n + system->row_count,
                          "; nothing distinguishes the forces of the constraints ", text, size);
    }
  }
  destroy_work(&work);
  return count > 0;
}
