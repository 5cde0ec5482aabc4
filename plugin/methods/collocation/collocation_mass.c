/* A mass across the constraints, for Lagrangians that have none there.
 *
 * The velocities of stages leave the constraints, so they need a mass in all directions; a unit
 * quaternion often has none along itself. For each row r without mass along its gradient, kappa_r
 * (G_r v)^2 / 2 is added to the Lagrangian. This term and its first derivatives vanish if the
 * velocities satisfy the constraints, and it changes neither motions nor momenta nor their
 * symmetries. kappa follows from the other masses at the start. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/collocation/collocation.h"
#include "system/constraints/singular.h"

/* A mass that is zero within rounding, relative to its terms. */
static const double nothing = 1e-10;

/* Returns the end of the entries of the row to which entry e belongs. */
static int find_row_end(const VidaSystem* system, int e) {
  const int row = system->entries[e].row;
  while (e < system->entry_count && system->entries[e].row == row) {
    e++;
  }
  return e;
}

size_t vida__outer_count(const VidaSystem* system) {
  size_t count = 0;
  for (int e = 0; e < system->entry_count;) {
    const int end = find_row_end(system, e);
    count += (size_t)(end - e) * (size_t)(end - e);
    e = end;
  }
  return count;
}

/* -1: not in the pattern. */
static int find_slot(const vida_pattern* pattern, int row, int column) {
  for (sunindextype k = pattern->column_start[column]; k < pattern->column_start[column + 1]; k++) {
    if (pattern->row[k] == row) {
      return (int)k;
    }
  }
  return -1;
}

/* Returns whether L_vv d is zero within the rounding of its terms. */
static bool is_massless(const VidaIntegration* self, const double* matrix, const double* d) {
  const vida_collocation* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  const int n = self->model.n;
  double* product = own->sum;
  double size = 0.0;
  double result = 0.0;
  memset(product, 0, (size_t)n * sizeof *product);
  for (int j = 0; j < n; j++) {
    if (d[j] == 0.0) {
      continue;
    }
    for (sunindextype e = pattern->column_start[j]; e < pattern->column_start[j + 1]; e++) {
      const sunindextype i = pattern->row[e];
      if (i < n) {
        product[i] += matrix[e] * d[j];
        size = fmax(size, self->model.root_mass[i] * self->model.root_mass[j] * fabs(d[j]) *
                              self->model.inverse_root[i]);
      }
    }
  }
  for (int i = 0; i < n; i++) {
    result = fmax(result, fabs(product[i]) * self->model.inverse_root[i]);
  }
  return result <= nothing * size;
}

/* Returns the masses of the coordinates of a row divided by |G|^2, rounded to a power of two: their
 * sum does not depend on the direction of a unit quaternion, and runs from other starts, such as a
 * reversed run, must use the same method. */
static double find_weight(const VidaIntegration* self, const double* matrix, int e, int end) {
  const VidaSystem* system = self->model.system;
  double mass = 0.0;
  double square = 0.0;
  for (; e < end; e++) {
    mass += fabs(matrix[system->mass_slot[system->entries[e].coordinate]]);
    square += self->work.entries[e] * self->work.entries[e];
  }
  return mass > 0.0 && square > 0.0 ? exp2(round(log2(mass / square))) : 0.0;
}

static int fail_without(const VidaIntegration* self, int row, const char* reason,
                        VidaError* error) {
  const VidaSystem* system = self->model.system;
  return VIDA_REFUSE_SYSTEM(error,
                            "%s needs a mass in all directions, and system '%s' has none along the "
                            "gradient of '%s', which %s; add the square of the rate of this "
                            "constraint to the Lagrangian, which does not change the motion",
                            self->method->info.name, system->name, system->rows[row].name, reason);
}

/* Sets the weight of a row without mass and the indices of its products. `taken` marks the
 * coordinates of other such rows. */
static int give_weight(VidaIntegration* self, int e, int end, int* slot, double* taken,
                       VidaError* error) {
  const VidaSystem* system = self->model.system;
  vida_collocation* own = self->state;
  const int row = system->entries[e].row;
  if (system->rows[row].has_rate) {
    return fail_without(self, row, "depends on time", error);
  }
  if (system->rows[row].is_nonholonomic) { /* the velocities of stages violate it */
    return fail_without(self, row, "is nonholonomic", error);
  }
  own->weight[row] = find_weight(self, own->inner, e, end);
  if (own->weight[row] == 0.0) {
    return fail_without(self, row, "couples massless coordinates", error);
  }
  own->has_weights = true;
  for (int a = e; a < end; a++) {
    const int i = system->entries[a].coordinate;
    if (taken[i] != 0.0) {
      return fail_without(self, row, "shares a coordinate with another such row", error);
    }
    for (int b = e; b < end; b++, slot++) {
      *slot = find_slot(&system->pattern, i, system->entries[b].coordinate);
      if (*slot < 0) {
        return fail_without(self, row, "couples coordinates that the Lagrangian does not", error);
      }
    }
  }
  for (int a = e; a < end; a++) {
    taken[system->entries[a].coordinate] = 1.0;
  }
  return VIDA_SUCCESS;
}

/* Computes d = G_r^T of one row, or M^-1 G_r^T with the masses of its coordinates. */
static void find_direction(const VidaIntegration* self, int e, int end, bool by_mass, double* d) {
  memset(d, 0, (size_t)self->model.n * sizeof *d);
  for (; e < end; e++) {
    const int i = self->model.system->entries[e].coordinate;
    const double inverse = self->model.inverse_root[i] * self->model.inverse_root[i];
    d[i] += self->work.entries[e] * (by_mass ? inverse : 1.0);
  }
}

/* Checks the mass of the stages including these rows: their velocities need a mass in every
 * direction. */
static int check_mass(const VidaIntegration* self, double* matrix, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const vida_collocation* own = self->state;
  const int* slot = own->outer_slot;
  char names[VIDA_MESSAGE_SIZE / 4] = "";
  for (int e = 0; e < system->entry_count;) {
    const int end = find_row_end(system, e);
    const double kappa = own->weight[system->entries[e].row];
    for (int a = e; a < end; a++) {
      for (int b = e; b < end; b++, slot++) {
        if (kappa != 0.0) {
          matrix[*slot] += kappa * self->work.entries[a] * self->work.entries[b];
        }
      }
    }
    e = end;
  }
  return vida__append_massless(system, matrix, names, sizeof names) == 0
             ? VIDA_SUCCESS
             : VIDA_REFUSE_SYSTEM(error,
                                  "%s needs a mass in all directions, and system '%s' has none "
                                  "along %s",
                                  self->method->info.name, system->name, names);
}

int vida__find_weights(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  vida_collocation* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = own->inner;
  double* d = own->work;
  double* taken = own->turn;
  int* slot = own->outer_slot;
  own->has_weights = false;
  memset(own->weight, 0, (size_t)self->model.m * sizeof *own->weight);
  memset(taken, 0, (size_t)self->model.n * sizeof *taken);
  memset(matrix, 0, (size_t)system->pattern.entries * sizeof *matrix);
  int code = vida__add_hessian(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                               mass_only, matrix);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q,
                               self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int e = 0; e < system->entry_count && !code;) {
    const int end = find_row_end(system, e);
    find_direction(self, e, end, false, d);
    bool massless = is_massless(self, matrix, d);
    find_direction(self, e, end, true, d);
    massless = massless || is_massless(self, matrix, d);
    code = massless ? give_weight(self, e, end, slot, taken, error) : VIDA_SUCCESS;
    slot += (end - e) * (end - e);
    e = end;
  }
  return code ? code : check_mass(self, matrix, error);
}

/* Computes row_rate = kappa G v and curvature = sum of kappa G_r v g_qq. */
static int find_rates(VidaIntegration* self, double t, const double* q, const double* v,
                      const double* entries) {
  const VidaSystem* system = self->model.system;
  vida_collocation* own = self->state;
  memset(own->row_rate, 0, (size_t)self->model.m * sizeof *own->row_rate);
  vida__add_constraint_velocity(system, entries, 1.0, v, own->row_rate);
  for (int r = 0; r < self->model.m; r++) {
    own->row_rate[r] *= own->weight[r];
  }
  memset(own->curvature, 0, (size_t)system->pattern.entries * sizeof *own->curvature);
  return vida__add_curvature(&self->model.evaluator, t, q, 1.0, own->row_rate, own->curvature);
}

/* Adds curvature v to result. */
static void add_turn(const VidaIntegration* self, const double* v, double* result) {
  const vida_collocation* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype e = pattern->column_start[j]; e < pattern->column_start[j + 1]; e++) {
      if (pattern->row[e] < self->model.n) {
        result[pattern->row[e]] += own->curvature[e] * v[j];
      }
    }
  }
}

int vida__add_weights(VidaIntegration* self, double t, const double* q, const double* v,
                      const double* entries, double* l_q, double* l_v) {
  const vida_collocation* own = self->state;
  const int code = find_rates(self, t, q, v, entries);
  vida__add_reaction(self->model.system, entries, 1.0, own->row_rate, l_v);
  add_turn(self, v, l_q);
  return code;
}

/* All terms except third derivatives of g: these are multiplied by G v, and vanish for quadratic
 * constraints. */
int vida__add_weight_hessian(VidaIntegration* self, double t, const double* q, const double* v,
                             int stage) {
  const VidaSystem* system = self->model.system;
  vida_collocation* own = self->state;
  const size_t at = (size_t)stage * (size_t)system->pattern.entries;
  const double* entries = own->entries + (size_t)stage * (size_t)system->entry_count;
  const int* slot = own->outer_slot;
  int code = find_rates(self, t, q, v, entries);
  for (int e = 0; e < system->pattern.entries; e++) {
    own->mixed_vq[at + (size_t)e] += own->curvature[e];
    own->mixed_qv[at + (size_t)e] += own->curvature[e];
  }
  /* turn = sum of kappa g_qq v: rows share no coordinates */
  memset(own->curvature, 0, (size_t)system->pattern.entries * sizeof *own->curvature);
  code = code ? code
              : vida__add_curvature(&self->model.evaluator, t, q, 1.0, own->weight, own->curvature);
  memset(own->turn, 0, (size_t)self->model.n * sizeof *own->turn);
  add_turn(self, v, own->turn);
  for (int e = 0; e < system->entry_count;) {
    const int end = find_row_end(system, e);
    const double kappa = own->weight[system->entries[e].row];
    for (int a = e; a < end; a++) {
      const double turn_a = own->turn[system->entries[a].coordinate];
      for (int b = e; b < end; b++, slot++) {
        if (kappa == 0.0) {
          continue;
        }
        const double turn_b = own->turn[system->entries[b].coordinate];
        const size_t k = at + (size_t)*slot;
        own->inner[k] += kappa * entries[a] * entries[b];
        own->mixed_vq[k] += entries[a] * turn_b;
        own->mixed_qv[k] += turn_a * entries[b];
        own->outer[k] += turn_a * turn_b / kappa;
      }
    }
    e = end;
  }
  return code;
}
