/* Masses for the scaling of matrices.
 *
 * If constraint rows that connect a light coordinate to heavy ones are scaled by the square roots
 * of masses, they are dominated by the light coordinate, so independent rows look alike. The ropes
 * of a massless pulley determine its motion, not its inertia. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "system/constraints/singular.h"
#include "system/evaluate/sizes.h"

/* Ratio of square roots of masses below which a coordinate counts as light compared with those that
 * a row connects it to. */
static const double least_root = 1e-4;
enum { MOST_ROUNDS = 3 };

/* Relative to the entries of a row in one unit; a smaller entry is rounding. */
static const double least_entry = 1e-8;

/* Returns the largest square root of a mass divided by |G| in a row, over the entries first to end.
 */
static double find_heaviest(const VidaIntegration* self, const double* root, int first, int end) {
  const VidaSystem* system = self->model.system;
  vida_unit_sizes sizes = {0};
  bool is_new;
  double heaviest = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    for (int e = first; e < end; e++) {
      const int i = system->entries[e].coordinate;
      const double entry = fabs(self->work.entries[e]);
      const int at = vida__unit_slot(&sizes, system->coordinates[i].unit, &is_new);
      if (pass == 0) {
        sizes.largest[at] = fmax(sizes.largest[at], entry);
      } else if (entry > least_entry * sizes.largest[at]) {
        heaviest = fmax(heaviest, root[i] / entry);
      }
    }
  }
  return heaviest;
}

/* Along a row, coordinate i moves coordinate j by G_i / G_j of its own displacement, so it has at
 * most the mass m_j (G_i / G_j)^2 of the kinetic energy. */
static bool raise_roots(const VidaIntegration* self, const vida_unit_sizes* heaviest_of,
                        double* root) {
  const VidaSystem* system = self->model.system;
  const vida_jacobian_entry* entry = system->entries;
  vida_unit_sizes most = *heaviest_of;
  bool is_raised = false;
  bool is_new;
  for (int e = 0; e < system->entry_count;) {
    const int first = e;
    while (e < system->entry_count && entry[e].row == entry[first].row) {
      e++;
    }
    const double heaviest = find_heaviest(self, root, first, e);
    for (int k = first; k < e; k++) {
      const int i = entry[k].coordinate;
      const int at = vida__unit_slot(&most, system->coordinates[i].unit, &is_new);
      const double least =
          least_root * fmin(heaviest * fabs(self->work.entries[k]), most.largest[at]);
      if (root[i] < least) {
        root[i] = least;
        is_raised = true;
      }
    }
  }
  return is_raised;
}

void vida__raise_light_masses(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  memcpy(self->model.matrix_root, self->model.root_mass, (size_t)self->model.n * sizeof(double));
  memcpy(self->model.matrix_stiffness, self->model.row_stiffness,
         (size_t)self->model.m * sizeof(double));
  vida_unit_sizes heaviest = {0};
  bool is_raised = false;
  bool is_new;
  for (int i = 0; i < self->model.n; i++) {
    const int at = vida__unit_slot(&heaviest, system->coordinates[i].unit, &is_new);
    heaviest.largest[at] = fmax(heaviest.largest[at], self->model.root_mass[i]);
  }
  for (int k = 0; k < MOST_ROUNDS && raise_roots(self, &heaviest, self->model.matrix_root); k++) {
    is_raised = true;
  }
  if (!is_raised) {
    return;
  }
  memset(self->model.matrix_stiffness, 0, (size_t)self->model.m * sizeof(double));
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double scaled = self->work.entries[e] / self->model.matrix_root[entry->coordinate];
    self->model.matrix_stiffness[entry->row] =
        hypot(self->model.matrix_stiffness[entry->row], scaled);
  }
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = self->model.matrix_stiffness[r];
    self->model.matrix_stiffness[r] = stiffness > 0.0 ? stiffness : 1.0;
  }
}

bool vida__has_light_coordinates(const VidaIntegration* self) {
  bool found = self->model.system->has_massless;
  for (int i = 0; i < self->model.n && !found; i++) {
    found = vida__is_light_coordinate(self, i);
  }
  return found;
}

int vida__check_massless(VidaIntegration* self, VidaError* error) {
  /* As in the matrix of an implicit step: springs can determine the motion of a massless
   * coordinate. */
  const vida_hessian_weights weights = {-self->node.h * self->node.h, 0.0, 0.0, 1.0};
  const VidaSystem* system = self->model.system;
  double* matrix = self->model.node_matrix->values;
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  if (self->model.m == 0 || vida__is_nested(self) || !vida__has_light_coordinates(self)) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(self->model.node_matrix);
  const int code = vida__add_hessian(&self->model.evaluator, self->node.t0, self->node.q,
                                     self->node.v, weights, matrix);
  vida__add_columns(system, self->work.entries, 1.0, matrix);
  vida__add_rows(system, self->work.entries, 1.0, matrix);
  vida__subtract_redundancy(self, matrix);
  /* The forces of dependent rows have least norm; nothing else distinguishes them. */
  const bool is_open =
      !code && (self->model.redundant ? vida__append_open_motion(system, matrix, open, sizeof open)
                                      : vida__append_singular(system, matrix, open, sizeof open));
  if (!is_open) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "system '%s': mass matrix and constraints do not determine the accelerations%s",
                    system->name, open);
}

void vida__append_light_coordinates(const VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  vida_name_list names = {error ? error->message : NULL, VIDA_MESSAGE_SIZE, 3, 0};
  for (int i = 0; i < self->model.n && error; i++) {
    if (vida__is_light_coordinate(self, i)) {
      vida__append(error->message, VIDA_MESSAGE_SIZE, "%s", names.count == 0 ? "; " : "");
      vida__list_name(&names, system->coordinates[i].name);
    }
  }
  if (names.count > 0) {
    vida__end_list(&names);
    vida__append(
        error->message, VIDA_MESSAGE_SIZE,
        " %s less than 1e-8 of the mass that constraints couple %s to, which makes the equations "
        "stiff: increase the mass, or set it to 0 if constraints determine the motion",
        names.count > 1 ? "have" : "has", names.count > 1 ? "them" : "it");
  }
}

bool vida__is_light_coordinate(const VidaIntegration* self, int i) {
  return self->model.matrix_root[i] > self->model.root_mass[i];
}
