/* Masses for the scaling of matrices.
 *
 * Scaled by the roots of masses, the rows of constraints that join a light coordinate to heavy ones
 * are nearly those of the light one alone, so that rows which are independent look alike. A pulley
 * without weight moves by its ropes, not by its inertia. */
#include <math.h>
#include <string.h>

#include "methods/method.h"

/* Of roots of masses: what is lighter than this beside what a row joins it to is light. */
static const double least_root = 1e-4;
enum { MOST_ROUNDS = 3 };

/* Along a row, coordinate i moves coordinate j by G_i / G_j of its own way, so that it has at most
 * m_j (G_i / G_j)^2 of its kinetic energy. */
static bool raise_roots(const VidaStepper* stepper, double* root) {
  const vida_jacobian_entry* entry = stepper->system->entries;
  const int count = stepper->system->entry_count;
  bool is_raised = false;
  for (int e = 0; e < count;) {
    const int row = entry[e].row;
    const int begin = e;
    double heaviest = 0.0; /* root of mass over |G| */
    for (; e < count && entry[e].row == row; e++) {
      const double size = fabs(stepper->entries[e]);
      heaviest = size > 0.0 ? fmax(heaviest, root[entry[e].coordinate] / size) : heaviest;
    }
    for (int k = begin; k < e && isfinite(heaviest); k++) {
      const double least = least_root * heaviest * fabs(stepper->entries[k]);
      if (root[entry[k].coordinate] < least) {
        root[entry[k].coordinate] = least;
        is_raised = true;
      }
    }
  }
  return is_raised;
}

void vida__measure_light(VidaStepper* stepper) {
  const VidaSystem* system = stepper->system;
  memcpy(stepper->matrix_root, stepper->root_mass, (size_t)stepper->n * sizeof(double));
  memcpy(stepper->matrix_stiffness, stepper->row_stiffness, (size_t)stepper->m * sizeof(double));
  bool is_raised = false;
  for (int k = 0; k < MOST_ROUNDS && raise_roots(stepper, stepper->matrix_root); k++) {
    is_raised = true;
  }
  if (!is_raised) {
    return;
  }
  memset(stepper->matrix_stiffness, 0, (size_t)stepper->m * sizeof(double));
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double scaled = stepper->entries[e] / stepper->matrix_root[entry->coordinate];
    stepper->matrix_stiffness[entry->row] = hypot(stepper->matrix_stiffness[entry->row], scaled);
  }
  for (int r = 0; r < stepper->m; r++) {
    const double stiffness = stepper->matrix_stiffness[r];
    stepper->matrix_stiffness[r] = stiffness > 0.0 ? stiffness : 1.0;
  }
}

bool vida__is_light(const VidaStepper* stepper, int i) {
  return stepper->matrix_root[i] > stepper->root_mass[i];
}
