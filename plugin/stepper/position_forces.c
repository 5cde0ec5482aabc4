/* Systems with a constant mass matrix and forces of positions and time, for methods that accept no
 * others (VIDA_CAN_POSITION_FORCES). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/integration.h"

static int refuse(const VidaIntegration* self, const char* reason, const char* name,
                  VidaError* error) {
  return VIDA_REFUSE_SYSTEM(error, "%s cannot integrate system '%s': %s '%s'",
                            self->method->info.name, self->model.system->name, reason, name);
}

enum { PROBES = 3 };
/* Bounds for rounding, or for errors of difference quotients, in terms that vanish. */
static const double vanishing = 1e-6;

typedef struct probe {
  double *q, *v, *sum;             /* n */
  double *l_q, *l_v, *l_q0, *l_v0; /* n */
  double *mass, *matrix;           /* of the KKT pattern */
} probe;

static int allocate_probe(const VidaSystem* system, probe* at) {
  const size_t n = (size_t)system->coordinate_count;
  at->q = vida__allocate(7 * n + 2 * (size_t)system->pattern.entries, sizeof *at->q);
  if (!at->q) {
    return VIDA_OUT_OF_MEMORY;
  }
  double** const arrays[] = {&at->v, &at->sum, &at->l_q, &at->l_v, &at->l_q0, &at->l_v0, &at->mass};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
    *arrays[k] = at->q + (k + 1) * n;
  }
  at->matrix = at->mass + system->pattern.entries;
  return VIDA_SUCCESS;
}

/* Returns a pseudo-random number between -1 and 1; the sequence is the same on every machine. */
static double arbitrary(int k, int i) {
  return sin(1.0 + 12.9898 * k + 78.233 * i);
}

static double largest_of(const VidaIntegration* self, const double* values) {
  double largest = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    largest = fmax(largest, fabs(values[i]));
  }
  return largest;
}

/* Returns whether some term is a C function, whose derivatives are difference quotients. */
static bool has_callbacks(const VidaSystem* system) {
  bool has = false;
  for (int b = 0; b < system->term_batch_count; b++) {
    has = has || system->term_batches[b].kernel->is_callback;
  }
  return has;
}

/* Returns a coordinate whose L_v is not that of M v, or whose force depends on velocities; -1 if
 * there is none. Each momentum is compared with its own terms, as coordinates may have masses of
 * any size. `terms` are their sizes. */
static int find_velocity_dependence(const VidaIntegration* self, const probe* at,
                                    const double* terms) {
  const double force = fmax(largest_of(self, at->l_q), largest_of(self, at->l_q0));
  for (int i = 0; i < self->model.n; i++) {
    if (!(fabs(at->l_v[i] - at->l_v0[i]) <= vanishing * fmax(terms[i], fabs(at->l_v[i]))) ||
        !(fabs(at->l_q[i] - at->l_q0[i]) <= vanishing * force)) {
      return i;
    }
  }
  return -1;
}

/* Finds a coordinate whose force has a derivative with respect to a velocity, however small it is
 * beside other forces; *wrong = -1 if there is none. */
static int find_force_of_rates(VidaIntegration* self, double t, probe* at, int* wrong) {
  const vida_pattern* pattern = &self->model.system->pattern;
  const vida_hessian_weights by_rates = {0.0, 1.0, 0.0, 0.0};
  memset(at->matrix, 0, (size_t)pattern->entries * sizeof *at->matrix);
  const int code = vida__add_hessian(&self->model.evaluator, t, at->q, at->v, by_rates, at->matrix);
  *wrong = -1;
  for (int j = 0; j < self->model.n && !code; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n && at->matrix[k] != 0.0) {
        *wrong = (int)pattern->row[k];
      }
    }
  }
  return code;
}

/* Computes M v from the second derivatives at the start, and the sizes of its terms. */
static void multiply_mass(const VidaIntegration* self, const probe* at, double* product,
                          double* terms) {
  const vida_pattern* pattern = &self->model.system->pattern;
  memset(product, 0, (size_t)self->model.n * sizeof *product);
  memset(terms, 0, (size_t)self->model.n * sizeof *terms);
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n) {
        product[pattern->row[k]] += at->mass[k] * at->v[j];
        terms[pattern->row[k]] += fabs(at->mass[k] * at->v[j]);
      }
    }
  }
}

/* Checks in some arbitrary states near the start q that L_v = M v with a constant M, and that
 * forces depend on positions and time only. */
static int probe_states(VidaIntegration* self, probe* at, int* wrong) {
  const int n = self->model.n;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  int code = vida__add_hessian(&self->model.evaluator, 0.0, at->q, at->v, mass_only, at->mass);
  *wrong = -1;
  for (int k = 0; k < PROBES && !code && *wrong < 0; k++) {
    const double t = 0.1 * k;
    for (int i = 0; i < n; i++) {
      at->q[i] += 0.01 * arbitrary(k, i) * (fabs(at->q[i]) > 0.0 ? fabs(at->q[i]) : 1.0);
      at->v[i] = 0.0;
    }
    code = vida__gradient(&self->model.evaluator, t, at->q, at->v, at->l_q0, at->l_v0);
    for (int i = 0; i < n; i++) {
      at->v[i] = arbitrary(k + PROBES, i);
    }
    code = code ? code : vida__gradient(&self->model.evaluator, t, at->q, at->v, at->l_q, at->l_v);
    multiply_mass(self, at, at->l_v0, at->sum);
    *wrong = code ? -1 : find_velocity_dependence(self, at, at->sum);
    if (!code && *wrong < 0 && !has_callbacks(self->model.system)) {
      code = find_force_of_rates(self, t, at, wrong);
    }
  }
  return code;
}

/* Returns a coordinate without mass; -1 if there is none. */
static int find_massless(const VidaIntegration* self, const double* matrix) {
  for (int i = 0; i < self->model.n; i++) {
    if (!(fabs(matrix[self->model.system->mass_slot[i]]) > 0.0)) {
      return i;
    }
  }
  return -1;
}

/* Returns a coordinate of a term with branches that depend on velocities, which the tested states
 * need not show; -1 if there is none. */
static int find_branch_of_rates(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->functions && batch->functions->bends_with_rates) {
      return batch->index[0];
    }
  }
  return -1;
}

int vida__check_position_forces(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  probe at = {0};
  const int branch = find_branch_of_rates(system);
  int wrong = branch;
  if (system->separable) {
    return VIDA_SUCCESS;
  }
  if (allocate_probe(system, &at)) {
    return vida__fail_memory(error);
  }
  const VidaStartOptions about = {.adjust = true, .tolerance = 1.0};
  int code = VidaSystem_Start(system, 0.0, &about, at.q, at.v, NULL, error);
  if (!code && branch < 0) {
    code = probe_states(self, &at, &wrong);
    code = code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
  }
  const int massless = code || branch >= 0 ? -1 : find_massless(self, at.mass);
  if (massless >= 0) {
    code = refuse(self, "it needs a regular mass matrix, and there is no mass on",
                  system->coordinates[massless].name, error);
  } else if (wrong >= 0) {
    code =
        refuse(self,
               "it accepts only a constant mass matrix and forces of positions and time; another "
               "mass, a velocity-dependent potential or force acts on",
               system->coordinates[wrong].name, error);
  }
  free(at.q);
  return code;
}
