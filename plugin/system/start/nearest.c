#include "system/start/nearest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "system/constraints/rank.h"

enum { MOST_ITERATIONS = 50 };
static const double redundancy = 1e-10; /* relative to G M^-1 G^T; affects the changes of mu only */
static const double settled = 4.0 * DBL_EPSILON;
static const double still_falling = 0.5;

typedef struct nearest_work {
  vida_evaluator* evaluator;
  vida_linear* linear;
  double t;
  const double *given, *mass;
  double* norm;    /* entries of the KKT pattern: M at `given` */
  double* entries; /* of G */
  double* moved;   /* n: q - given */
  double* kept;    /* n: q at the beginning */
  double* mu;      /* m */
  double* step;    /* n + m */
} nearest_work;

static double* allocate(const VidaSystem* system, nearest_work* work) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  const size_t entries = (size_t)system->entry_count;
  const size_t values = (size_t)system->pattern.entries;
  double* block = vida__allocate(values + entries + 3 * n + 2 * m, sizeof *block);
  work->norm = block;
  work->entries = block ? work->norm + values : NULL;
  work->moved = block ? work->entries + entries : NULL;
  work->kept = block ? work->moved + n : NULL;
  work->mu = block ? work->kept + n : NULL;
  work->step = block ? work->mu + m : NULL;
  return block;
}

/* Computes result = M x, and returns x^T M x. */
static double apply_norm(const VidaSystem* system, const nearest_work* work, const double* x,
                         double* result) {
  const vida_pattern* pattern = &system->pattern;
  const int n = system->coordinate_count;
  double square = 0.0;
  memset(result, 0, (size_t)n * sizeof *result);
  for (int j = 0; j < n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < n) {
        result[pattern->row[k]] += work->norm[k] * x[j];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    square += result[i] * x[i];
  }
  return square;
}

static double find_distance(const VidaSystem* system, nearest_work* work, const double* q) {
  for (int i = 0; i < system->coordinate_count; i++) {
    work->moved[i] = q[i] - work->given[i];
  }
  return sqrt(fmax(0.0, apply_norm(system, work, work->moved, work->step)));
}

/* Fills [ M + sum mu g_qq G^T; G 0 ] with holonomic rows; other rows have -e on the diagonal. */
static int fill_matrix(nearest_work* work, const double* q) {
  const VidaSystem* system = work->evaluator->system;
  const int n = system->coordinate_count;
  double* matrix = work->linear->values;
  double* compliance = work->step + n; /* work space until the residual is computed */
  memcpy(matrix, work->norm, (size_t)system->pattern.entries * sizeof *matrix);
  const int code = vida__add_curvature(work->evaluator, work->t, q, 1.0, work->mu, matrix);
  memset(compliance, 0, (size_t)system->row_count * sizeof *compliance);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    work->entries[e] = system->rows[entry->row].is_nonholonomic ? 0.0 : work->entries[e];
    compliance[entry->row] += work->entries[e] * work->entries[e] / work->mass[entry->coordinate];
  }
  vida__add_rows(system, work->entries, 1.0, matrix);
  vida__add_columns(system, work->entries, 1.0, matrix);
  for (int r = 0; r < system->row_count; r++) {
    matrix[vida__constraint_diagonal(system, r)] -=
        compliance[r] > 0.0 ? redundancy * compliance[r] : 1.0;
  }
  return code;
}

/* Makes one step of Newton's method; *size receives its size in the mass norm. */
static int iterate(nearest_work* work, double* q, double* size) {
  const VidaSystem* system = work->evaluator->system;
  const int n = system->coordinate_count;
  double* step = work->step;
  int code = vida__jacobian(work->evaluator, work->t, q, work->entries);
  code = code ? code : fill_matrix(work, q);
  code = code ? code : vida__linear_factor(work->linear);
  code = code ? code : vida__constraints(work->evaluator, work->t, q, NULL, step + n);
  if (code) {
    return code;
  }
  find_distance(system, work, q); /* writes M (q - given) to work->step */
  vida__add_reaction(system, work->entries, 1.0, work->mu, step);
  for (int i = 0; i < n + system->row_count; i++) {
    step[i] = i >= n && system->rows[i - n].is_nonholonomic ? 0.0 : -step[i];
  }
  code = vida__linear_solve(work->linear, step, step);
  for (int i = 0; i < n && !code; i++) {
    q[i] += step[i];
    work->moved[i] = step[i];
  }
  for (int r = 0; r < system->row_count && !code; r++) {
    work->mu[r] += step[n + r];
  }
  *size = code ? INFINITY : sqrt(fmax(0.0, apply_norm(system, work, work->moved, step)));
  return code;
}

static int approach(nearest_work* work, double distance, double* q) {
  const VidaSystem* system = work->evaluator->system;
  double before = INFINITY;
  double size = INFINITY;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < MOST_ITERATIONS && !code; k++) {
    code = iterate(work, q, &size);
    const bool is_rounding = size <= 1e-8 * distance && size > still_falling * before;
    if (size <= settled * distance || is_rounding) {
      break;
    }
    before = size;
  }
  if (!code && (!(size <= 1e-8 * distance) ||
                !(find_distance(system, work, q) <= distance * (1.0 + 1e-8)))) {
    code = VIDA_STEP_NOT_CONVERGED;
  }
  return code;
}

int vida__find_nearest(vida_evaluator* evaluator, vida_linear* linear, double t,
                       const double* given, const double* v, const double* mass, double* q) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const VidaSystem* system = evaluator->system;
  const size_t bytes = (size_t)system->coordinate_count * sizeof *q;
  nearest_work work = {
      .evaluator = evaluator, .linear = linear, .t = t, .given = given, .mass = mass};
  double* block = allocate(system, &work);
  int code =
      block ? vida__add_hessian(evaluator, t, given, v, mass_only, work.norm) : VIDA_OUT_OF_MEMORY;
  if (!code) {
    memcpy(work.kept, q, bytes);
    code = approach(&work, find_distance(system, &work, q), q);
    if (code) {
      memcpy(q, work.kept, bytes);
    }
  }
  free(block);
  return code;
}
