#include "methods/variational/chart.h"

#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/error.h"
#include "base/text.h"

/* A column of J that has shrunk to the first fraction of its size has no effect any more. Columns
 * that are linear combinations of the others within the square root of the second number are
 * dependent. */
static const double vanished = 1e-7;
static const double dependent = 1e-13;

void vida__chart_multiply(const VidaIntegration* self, const double* matrix, const double* entries,
                          double* product) {
  const vida_chart_state* own = self->state;
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const vida_pattern* pattern = &self->model.system->pattern;
  const int d = own->d;
  memset(product, 0, (size_t)self->model.n * (size_t)d * sizeof *product);
  for (int e = 0; e < jacobian->count; e++) {
    const int j = jacobian->row[e];
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n) {
        product[(int)pattern->row[k] * d + jacobian->column[e]] += matrix[k] * entries[e];
      }
    }
  }
}

void vida__chart_pull_product(const vida_chart_state* own, const double* entries,
                              const double* product, double* result) {
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const int d = own->d;
  memset(result, 0, (size_t)d * (size_t)d * sizeof *result);
  for (int e = 0; e < jacobian->count; e++) {
    const double* from = product + jacobian->row[e] * d;
    double* to = result + jacobian->column[e] * d;
    for (int k = 0; k < d; k++) {
      to[k] += entries[e] * from[k];
    }
  }
}

void vida__chart_fill_gram(const VidaIntegration* self, const double* weight,
                           const double* entries) {
  const vida_chart_state* own = self->state;
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const int d = own->d;
  memset(own->product, 0, (size_t)self->model.n * (size_t)d * sizeof(double));
  for (int e = 0; e < jacobian->count; e++) {
    const int i = jacobian->row[e];
    own->product[i * d + jacobian->column[e]] += weight[i] * entries[e];
  }
  vida__chart_pull_product(own, entries, own->product, own->gram);
}

int vida__chart_factor_gram(vida_chart_state* own, double* size) {
  const int d = own->d;
  for (int k = 0; k < d; k++) {
    const double diagonal = own->gram[k * d + k];
    size[k] = diagonal > 0.0 ? sqrt(diagonal) : 0.0;
  }
  for (int k = 0; k < d; k++) {
    for (int j = 0; j < d; j++) {
      const double scale = size[k] * size[j];
      own->gram[k * d + j] = scale > 0.0 ? own->gram[k * d + j] / scale : 0.0;
    }
  }
  return vida__cholesky_factor(d, own->gram, own->order, dependent);
}

void vida__chart_solve_gram(vida_chart_state* own, int rank, const double* size) {
  for (int k = 0; k < own->d; k++) {
    own->right[k] = size[k] > 0.0 ? own->right[k] / size[k] : 0.0;
  }
  vida__cholesky_solve(own->d, rank, own->gram, own->order, own->right, own->work, own->solution);
  for (int k = 0; k < own->d; k++) {
    own->solution[k] = size[k] > 0.0 ? own->solution[k] / size[k] : 0.0;
  }
}

int vida__chart_least_column(const vida_chart_state* own, double* ratio) {
  int weakest = 0;
  *ratio = INFINITY;
  for (int k = 0; k < own->d; k++) {
    const double own_ratio =
        own->largest_size[k] > 0.0 ? own->column_size[k] / own->largest_size[k] : 0.0;
    if (own_ratio < *ratio) {
      *ratio = own_ratio;
      weakest = k;
    }
  }
  return weakest;
}

void vida__chart_measure(VidaIntegration* self, const double* entries, int* singular) {
  vida_chart_state* own = self->state;
  double ratio;
  vida__chart_fill_gram(self, own->mass, entries);
  const int rank = vida__chart_factor_gram(own, own->column_size);
  for (int k = 0; k < own->d; k++) {
    own->largest_size[k] = fmax(own->largest_size[k], own->column_size[k]);
  }
  const int weakest = vida__chart_least_column(own, &ratio);
  *singular = ratio <= vanished ? weakest : rank < own->d ? own->order[rank] : -1;
}

int vida__chart_fail_singular(const VidaIntegration* self, double time, int coordinate,
                              const char* what, VidaError* error) {
  const vida_chart_state* own = self->state;
  char t[VIDA_REAL_TEXT_SIZE];
  return vida__fail(
      error, VIDA_STEP_SINGULAR,
      "at t = %s the chart of system '%s' %s: there its coordinate '%s' is not independent of the "
      "others; choose coordinates whose poles are far from the motion",
      vida__real_text(t, time, 10), self->model.system->name, what,
      own->chart->coordinates[coordinate].name);
}

/* ---- impulses of the constraints ------------------------------------------------------------- */

void vida__chart_factor_rows(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double* g = self->implicit.entries0;
  const int m = self->model.m;
  memset(own->row_gram, 0, (size_t)m * (size_t)m * sizeof(double));
  for (int a = 0; a < system->entry_count; a++) {
    const vida_jacobian_entry* one = &system->entries[a];
    const double inverse = self->model.inverse_root[one->coordinate];
    for (int b = 0; b < system->entry_count; b++) {
      const vida_jacobian_entry* other = &system->entries[b];
      if (one->coordinate == other->coordinate && other->row <= one->row) {
        own->row_gram[one->row * m + other->row] += g[a] * g[b] * inverse * inverse;
      }
    }
  }
  for (int r = 0; r < m; r++) {
    const double diagonal = own->row_gram[r * m + r];
    own->row_size[r] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
  }
  for (int r = 0; r < m; r++) {
    for (int c = 0; c <= r; c++) {
      own->row_gram[r * m + c] *= own->row_size[r] * own->row_size[c];
    }
  }
  own->row_rank = vida__cholesky_factor(m, own->row_gram, own->row_order, dependent);
}

double vida__chart_impulse(VidaIntegration* self, const double* a, double motion, double* sum) {
  vida_chart_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int m = self->model.m;
  double* right = self->work.g_work;
  double largest = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    sum[i] = a[i] * self->model.inverse_root[i] * self->model.inverse_root[i];
  }
  memset(right, 0, (size_t)m * sizeof *right);
  vida__add_constraint_velocity(system, self->implicit.entries0, 1.0, sum, right);
  for (int r = 0; r < m; r++) {
    right[r] *= own->row_size[r];
  }
  vida__cholesky_solve(m, own->row_rank, own->row_gram, own->row_order, right, own->row_work,
                       own->impulse);
  for (int r = 0; r < m; r++) {
    own->impulse[r] *= own->row_size[r];
  }
  memset(sum, 0, (size_t)self->model.n * sizeof *sum);
  vida__add_reaction(system, self->implicit.entries0, 1.0, own->impulse, sum);
  for (int i = 0; i < self->model.n; i++) {
    largest = fmax(largest, fabs(a[i] - sum[i]) * self->model.inverse_root[i]);
  }
  return largest / motion;
}

int vida__chart_check_constraints(VidaIntegration* self, double t, const double* q,
                                  VidaError* error) {
  const VidaSystem* system = self->model.system;
  const vida_chart_state* own = self->state;
  char text[VIDA_REAL_TEXT_SIZE];
  const int code = vida__constraints(&self->model.evaluator, t, q, NULL, self->work.g_work);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int r = 0; r < self->model.m; r++) {
    if (fabs(self->work.g_work[r]) > VIDA_ON_MANIFOLD * self->model.value_size[r]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "the embedding of the chart violates constraint '%s' by %s (first chart "
                        "coordinate: '%s')",
                        system->rows[r].name, vida__real_text(text, self->work.g_work[r], 3),
                        own->chart->coordinates[0].name);
    }
  }
  return VIDA_SUCCESS;
}
