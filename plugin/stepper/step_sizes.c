/* Sizes of masses, forces, constraints and of the rows of the equations of a step: what residuals
 * and rounding are compared with. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/condensed_step.h"
#include "stepper/frame.h"
#include "system/constraints/singular.h"
#include "system/evaluate/sizes.h"

/* Forces of the start by size: |L_q| and |L_qq| |q|, so that springs in balance count, too. */
static int measure_forces(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  const vida_pattern* pattern = &system->pattern;
  const vida_hessian_weights positions_only = {1.0, 0.0, 0.0, 0.0};
  double* matrix = self->model.node_matrix->values;
  int code = vida__momenta(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                           self->work.l_q, self->work.l_v);
  vida__linear_clear(self->model.node_matrix);
  code = code ? code
              : vida__add_hessian_of(&self->model.evaluator, VIDA_PART_ALL & ~VIDA_PART_REACTIVE,
                                     self->node.t0, self->node.q, self->node.v, positions_only,
                                     matrix);
  for (int i = 0; i < self->model.n; i++) {
    self->model.force_size[i] = fabs(self->work.l_q[i]) + fabs(system->uniform_force[i]);
  }
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < self->model.n) {
        self->model.force_size[pattern->row[k]] += fabs(matrix[k] * self->node.q[j]);
      }
    }
  }
  return code;
}

static int measure_masses(VidaIntegration* self, VidaError* error) {
  double* mass = self->model.root_mass;
  const int code = vida__find_masses(&self->model.evaluator, self->node.t0, self->node.q,
                                     self->node.v, self->model.node_matrix->values, mass);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    self->model.root_mass[i] = sqrt(mass[i]);
    self->model.inverse_root[i] = 1.0 / self->model.root_mass[i];
  }
  return VIDA_SUCCESS;
}

/* ---- sizes of components ----------------------------------------------------------------------
 */

static void share_size(const int* coordinates, int count, double* size) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    const double own = size[coordinates[i]];
    largest = own > largest ? own : largest;
  }
  for (int i = 0; i < count; i++) {
    size[coordinates[i]] = largest;
  }
}

/* Gives the components of a vector or quaternion one size, because its direction is the user's
 * choice. */
static void share_direction_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    if (motion->kind == VIDA_MOTION_DIRECTION) {
      share_size(motion->coordinate, system->dimension, size);
    } else if (motion->kind == VIDA_MOTION_QUATERNION) {
      share_size(motion->coordinate, 4, size);
    }
  }
}

/* So are those of velocities: along which axes a point moves. */
void vida__share_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->particle_count; k++) {
    const int first = system->particles[k].coordinate;
    share_size((int[]){first, first + 1, first + 2}, system->dimension, size);
  }
  for (int k = 0; k < system->motion_count; k++) {
    if (system->motions[k].kind == VIDA_MOTION_POINT) {
      share_size(system->motions[k].coordinate, system->dimension, size);
    }
  }
  share_direction_sizes(system, size);
}

void vida__raise_sizes(VidaIntegration* self, const double* entries, const double* x, double part,
                       double* sizes) {
  const VidaSystem* system = self->model.system;
  double* root_mass = self->work.place;
  memcpy(root_mass, self->model.root_mass, (size_t)self->model.n * sizeof *root_mass);
  vida__share_sizes(system, root_mass);
  vida__raise_row_sizes(system, entries, root_mass, x, part, sizes);
}

static int measure_rows(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  const int code =
      vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, self->work.entries);
  memset(self->model.row_stiffness, 0, (size_t)self->model.m * sizeof(double));
  for (int r = 0; r < self->model.m; r++) {
    self->model.value_size[r] = system->rows[r].length;
  }
  double *position = self->work.speed, *mass = self->work.place;
  for (int i = 0; i < self->model.n; i++) {
    position[i] = vida__position_size(self, i);
  }
  share_direction_sizes(system, position);
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const double scaled = self->work.entries[e] / self->model.root_mass[i];
    self->model.row_stiffness[system->entries[e].row] += scaled * scaled;
    self->model.value_size[system->entries[e].row] += fabs(self->work.entries[e]) * position[i];
  }
  for (int i = 0; i < self->model.n; i++) {
    mass[i] = self->model.root_mass[i] * self->model.root_mass[i];
  }
  /* Terms that vanish at the start, as those of an angle at rest at 0, are no measure. */
  const double least = vida__least_size(system, self->work.entries, mass, self->node.q, true);
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = sqrt(self->model.row_stiffness[r]);
    self->model.row_stiffness[r] = stiffness > 0.0 ? stiffness : 1.0;
    self->model.value_size[r] = fmax(self->model.value_size[r], least * stiffness);
  }
  vida__share_sizes(system, position);
  vida__raise_sizes(self, self->work.entries, position, VIDA_VANISHING_PART,
                    self->model.value_size);
  vida__raise_light_masses(self);
  return code;
}

int vida__measure_sizes(VidaIntegration* self, VidaError* error) {
  int code = measure_masses(self, error);
  if (code) {
    return code;
  }
  code = measure_forces(self);
  code = code ? code : measure_rows(self);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

void vida__measure_uncancelled_forces(VidaIntegration* self, const double* entries,
                                      const double* lambda, double* strength) {
  const VidaSystem* system = self->model.system;
  double* row_force = self->work.constraint_work;
  memcpy(strength, self->model.force_size, (size_t)self->model.n * sizeof *strength);
  memset(row_force, 0, (size_t)self->model.m * sizeof *row_force);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] += fabs(entries[e] * lambda[entry->row]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    if (entries[e] != 0.0) {
      row_force[entry->row] =
          fmax(row_force[entry->row], strength[i] * self->model.inverse_root[i]);
    }
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] +=
        fabs(entries[e]) * row_force[entry->row] / self->model.row_stiffness[entry->row];
  }
}

/* Relative to G M^-1 G^T: small compared with its significant entries, large compared with
 * rounding. */
static const double regularization = 1e-10;

bool vida__has_constraint_rows(const VidaIntegration* self) {
  return self->implicit.map && self->implicit.rows.pattern == &self->model.system->pattern;
}

int vida__find_redundancy(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  self->model.redundant = self->model.has_open_reactions = false;
  if (vida__has_constraint_rows(self)) {
    vida__map_set_redundancy(self->implicit.map, NULL);
  }
  if (!self->model.rank || self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__rank_find(self->model.rank, self->work.entries, error);
  self->model.redundant = !code && vida__rank_dependent_count(self->model.rank) > 0;
  self->model.has_open_reactions =
      self->model.redundant && system->has_reactive_forces &&
      !vida__rank_determines(self->model.rank, system->reaction_rows, system->reaction_count);
  double* mass = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    mass[i] = self->model.root_mass[i] * self->model.root_mass[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = self->model.row_stiffness[r];
    self->model.redundancy[r] = regularization * stiffness * stiffness;
  }
  if (self->model.redundant) {
    vida__rank_narrow_shift(self->model.rank, self->work.entries, mass, self->model.redundancy);
  }
  if (self->model.redundant && vida__has_constraint_rows(self)) {
    vida__map_set_redundancy(self->implicit.map, self->model.redundancy);
  }
  return code;
}

double vida__measure_motion(const VidaIntegration* self) {
  double size = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double impulse = fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i];
    const double scaled = impulse / self->model.matrix_root[i];
    size = scaled > size ? scaled : size;
  }
  if (self->implicit.history.count) {
    const double* mu = self->implicit.history.difference[0] + self->model.n;
    for (int r = 0; r < self->model.m; r++) {
      const double scaled = fabs(mu[r]) * self->model.matrix_stiffness[r];
      size = scaled > size ? scaled : size;
    }
  }
  if (!self->implicit.history.count) {
    size = fmax(size, fabs(self->node.h) * self->model.tension);
  }
  return size > 0.0 ? size : 1.0;
}

/* Whether the rounding of g itself, divided by h, shows in the rows of constraints: where g is not
 * taken by increments, and where rows depend on each other, whose roundings do not. */
static bool has_rounded_rows(const VidaIntegration* self) {
  return !self->model.has_increments || self->model.redundant;
}

double vida__constraint_size(const VidaIntegration* self, int row, double motion) {
  const double size = motion * self->model.matrix_stiffness[row];
  if (!has_rounded_rows(self)) {
    return size;
  }
  /* No less can be asked for. */
  return fmax(size, 4.0 * DBL_EPSILON * self->model.value_size[row] /
                        (fabs(self->node.h) * self->implicit.tolerance));
}

void vida__set_scales(VidaIntegration* self) {
  const double motion = vida__measure_motion(self);
  if (!self->implicit.map) {
    return;
  }
  /* Scales need no precision: they stay until the motion has grown or shrunk by two. */
  if (motion < 2.0 * self->implicit.scaled_for && 2.0 * motion > self->implicit.scaled_for) {
    return;
  }
  self->implicit.scaled_for = motion;
  for (int i = 0; i < self->model.n; i++) {
    const double root = self->model.matrix_root[i];
    vida__map_set_size(self->implicit.map, i, motion * root, motion / root);
  }
  for (int r = 0; r < self->model.m; r++) {
    const double row_size = vida__constraint_size(self, r, motion);
    const double multiplier_size = motion / self->model.matrix_stiffness[r];
    vida__map_set_size(self->implicit.map, self->model.n + r, row_size, multiplier_size);
    if (vida__is_condensed(self)) {
      vida__map_set_size(vida__condensed_map(self), r, row_size, multiplier_size);
    }
  }
}

/* Returns |p| + h |force| of a coordinate. */
static double measure_impulse(const VidaIntegration* self, int i) {
  return fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i];
}

void vida__constraint_row_sizes(const VidaIntegration* self, const double* w, double* size) {
  const VidaSystem* system = self->model.system;
  double* speed = self->work.speed;
  for (int i = 0; i < self->model.n; i++) {
    speed[i] = fabs(w[i]) +
               measure_impulse(self, i) * self->model.inverse_root[i] * self->model.inverse_root[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    size[r] = has_rounded_rows(self) ? self->model.value_size[r] / fabs(self->node.h) : 0.0;
    /* Rows that depend on each other round in common, also those that nothing moves along. */
    size[r] +=
        self->model.redundant ? self->implicit.scaled_for * self->model.row_stiffness[r] : 0.0;
  }
  vida__share_sizes(system, speed);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    size[entry->row] += fabs(self->implicit.entries0[e]) * speed[entry->coordinate];
  }
}

void vida__step_sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const VidaSystem* system = self->model.system;
  const double* mu = u + self->model.n;
  for (int i = 0; i < self->model.n; i++) {
    const double mass = self->model.root_mass[i] * self->model.root_mass[i];
    size[i] = measure_impulse(self, i) + mass * fabs(u[i]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    size[entry->coordinate] += fabs(self->implicit.entries0[e]) * fabs(mu[entry->row]);
  }
  vida__share_sizes(system, size);
  vida__constraint_row_sizes(self, u, size + self->model.n);
}
