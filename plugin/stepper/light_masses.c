/* Masses for the scaling of matrices.
 *
 * Scaled by the roots of masses, the rows of constraints that join a light coordinate to heavy ones
 * are nearly those of the light one alone, so that rows which are independent look alike. A pulley
 * without weight moves by its ropes, not by its inertia. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/method.h"
#include "system/constraints/singular.h"
#include "system/evaluate/sizes.h"

/* Of roots of masses: what is lighter than this beside what a row joins it to is light. */
static const double least_root = 1e-4;
enum { MOST_ROUNDS = 3 };

/* Of the entries of a row in one unit; less is rounding. */
static const double least_entry = 1e-8;

/* The largest root of mass over |G| of a row, entries first to end. */
static double find_heaviest(const VidaStepper* stepper, const double* root, int first, int end) {
  const VidaSystem* system = stepper->system;
  vida_unit_sizes sizes = {0};
  bool is_new;
  double heaviest = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    for (int e = first; e < end; e++) {
      const int i = system->entries[e].coordinate;
      const double entry = fabs(stepper->entries[e]);
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

/* Along a row, coordinate i moves coordinate j by G_i / G_j of its own way, so that it has at most
 * m_j (G_i / G_j)^2 of its kinetic energy. */
static bool raise_roots(const VidaStepper* stepper, const vida_unit_sizes* heaviest_of,
                        double* root) {
  const VidaSystem* system = stepper->system;
  const vida_jacobian_entry* entry = system->entries;
  vida_unit_sizes most = *heaviest_of;
  bool is_raised = false;
  bool is_new;
  for (int e = 0; e < system->entry_count;) {
    const int first = e;
    while (e < system->entry_count && entry[e].row == entry[first].row) {
      e++;
    }
    const double heaviest = find_heaviest(stepper, root, first, e);
    for (int k = first; k < e; k++) {
      const int i = entry[k].coordinate;
      const int at = vida__unit_slot(&most, system->coordinates[i].unit, &is_new);
      const double least =
          least_root * fmin(heaviest * fabs(stepper->entries[k]), most.largest[at]);
      if (root[i] < least) {
        root[i] = least;
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
  vida_unit_sizes heaviest = {0};
  bool is_raised = false;
  bool is_new;
  for (int i = 0; i < stepper->n; i++) {
    const int at = vida__unit_slot(&heaviest, system->coordinates[i].unit, &is_new);
    heaviest.largest[at] = fmax(heaviest.largest[at], stepper->root_mass[i]);
  }
  for (int k = 0; k < MOST_ROUNDS && raise_roots(stepper, &heaviest, stepper->matrix_root); k++) {
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

static bool has_light(const VidaStepper* stepper) {
  bool found = stepper->system->has_massless;
  for (int i = 0; i < stepper->n && !found; i++) {
    found = vida__is_light(stepper, i);
  }
  return found;
}

int vida__check_massless(VidaStepper* stepper, VidaError* error) {
  /* As in the matrix of an implicit step: what has no mass may hang on springs. */
  const vida_hessian_weights weights = {-stepper->h * stepper->h, 0.0, 0.0, 1.0};
  const VidaSystem* system = stepper->system;
  double* matrix = stepper->node_matrix->values;
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  if (stepper->m == 0 || stepper->outer || !has_light(stepper)) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(stepper->node_matrix);
  const int code =
      vida__add_hessian(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0, weights, matrix);
  vida__add_columns(system, stepper->entries, 1.0, matrix);
  vida__add_rows(system, stepper->entries, 1.0, matrix);
  for (int r = 0; r < stepper->m && stepper->redundant; r++) {
    matrix[vida__constraint_diagonal(system, r)] -= stepper->redundancy[r];
  }
  if (code || !vida__append_singular(system, matrix, open, sizeof open)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "system '%s': mass matrix and constraints do not determine the accelerations%s",
                    system->name, open);
}

void vida__explain_light(const VidaStepper* stepper, VidaError* error) {
  enum { MOST_NAMED = 3 };
  const VidaSystem* system = stepper->system;
  int count = 0;
  for (int i = 0; i < stepper->n && error; i++) {
    if (vida__is_light(stepper, i) && count++ < MOST_NAMED) {
      vida__append(error->message, VIDA_MESSAGE_SIZE, "%s'%s'", count > 1 ? ", " : "; ",
                   system->coordinates[i].name);
    }
  }
  if (count > MOST_NAMED) {
    vida__append(error->message, VIDA_MESSAGE_SIZE, " and %d more", count - MOST_NAMED);
  }
  if (count > 0) {
    vida__append(
        error->message, VIDA_MESSAGE_SIZE,
        " %s less than 1e-8 of the mass that constraints couple %s to, which makes the equations "
        "stiff: increase the mass, or set it to 0 if constraints determine the motion",
        count > 1 ? "have" : "has", count > 1 ? "them" : "it");
  }
}

bool vida__is_light(const VidaStepper* stepper, int i) {
  return stepper->matrix_root[i] > stepper->root_mass[i];
}
