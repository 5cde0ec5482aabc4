/* Completion of a system, and its inquiry functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/contacts/contacts.h"
#include "system/evaluate/evaluate.h"
#include "system/model/build.h"
#include "system/power.h"
#include "system/terms/traced.h"

/* Returns whether an instance of the batch may give local coordinate j a part of L_vv. */
static bool gives_mass(const vida_term_batch* batch, int j) {
  if (batch->kernel->mass) {
    return true;
  }
  if (batch->kernel->is_potential) {
    return false;
  }
  if (!batch->block.is_list) {
    return true; /* callbacks are called at the start of a run only */
  }
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const vida_tape* tape = traced->tape[VIDA_TAPE_SECOND];
  for (int k = 0; tape && k < tape->output_count; k++) {
    if (traced->second_kind[k] == VIDA_SECOND_VV &&
        traced->block_row[traced->second_place[k]] == j) {
      return true;
    }
  }
  return false;
}

/* Marks the coordinates to which some term gives a mass. */
static void find_masses(const VidaSystem* system, bool* found) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    for (int j = 0; j < batch->width; j++) {
      if (!gives_mass(batch, j)) {
        continue;
      }
      for (int i = 0; i < batch->count; i++) {
        found[batch->index[(size_t)i * (size_t)batch->width + (size_t)j]] = true;
      }
    }
  }
}

/* Every coordinate needs a mass, or a constraint that determines its position. */
static int check_masses(VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  bool* found = vida__allocate(n, sizeof *found);
  int code = found ? VIDA_SUCCESS : vida__fail_memory(error);
  if (found) {
    find_masses(system, found);
    system->has_massless = false;
    for (size_t i = 0; i < n; i++) {
      system->has_massless |= !found[i] && !(system->coordinates[i].mass > 0.0);
    }
    for (int b = 0; b < system->constraint_batch_count; b++) {
      const vida_constraint_batch* batch = &system->constraint_batches[b];
      for (size_t k = 0; k < (size_t)batch->count * (size_t)batch->width; k++) {
        found[batch->index[k]] = true;
      }
    }
  }
  for (size_t i = 0; i < n && !code; i++) {
    if (!found[i] && !(system->coordinates[i].mass > 0.0)) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT,
                        "coordinate '%s' has no mass: no term gives it a kinetic energy, and no "
                        "constraint determines it",
                        system->coordinates[i].name);
    }
  }
  free(found);
  return code;
}

/* Discards the results of a failed completion. */
static void discard_completion(VidaSystem* system) {
  free(system->mass);
  free(system->uniform_force);
  free(system->mass_slot);
  free(system->entries);
  free(system->reaction_rows);
  vida__free_pattern_order(&system->pattern);
  free(system->pattern.column_start);
  free(system->pattern.row);
  system->mass = system->uniform_force = NULL;
  system->mass_slot = NULL;
  system->entries = NULL;
  system->reaction_rows = NULL;
  system->pattern.column_start = system->pattern.row = NULL;
  for (int b = 0; b < system->term_batch_count; b++) {
    vida_term_batch* batch = &system->term_batches[b];
    free(batch->slot);
    free(batch->multiplier_slot);
    free(batch->multiplier_column);
    batch->slot = batch->multiplier_slot = batch->multiplier_column = NULL;
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    free(system->constraint_batches[b].slot);
    system->constraint_batches[b].slot = NULL;
  }
}

static void find_kinds(VidaSystem* system) {
  system->constant_mass = true;
  system->has_forces = system->has_coupled_mass = system->has_reactive_forces = false;
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_kernel* kernel = system->term_batches[b].kernel;
    system->constant_mass =
        system->constant_mass && (kernel->is_potential || kernel->is_kinetic || kernel->is_force);
    system->has_forces = system->has_forces || kernel->is_force;
    system->has_reactive_forces = system->has_reactive_forces || kernel->is_reactive;
    system->has_coupled_mass = system->has_coupled_mass || kernel->is_kinetic;
  }
}

int vida__fill_masses(VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  vida_evaluator evaluator;
  int code = vida__evaluator_create(system, &evaluator, error);
  const vida_place at = vida__place(&evaluator, 0.0, NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    system->mass[i] = system->coordinates[i].mass;
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    code = batch->kernel->mass ? batch->kernel->mass(batch, &at, system->mass) : VIDA_SUCCESS;
    if (code) {
      vida__fail(error, code, "%s", evaluator.error.message);
    }
  }
  find_kinds(system);
  system->separable = system->only_potentials;
  for (size_t i = 0; i < n && !code; i++) {
    char got[VIDA_REAL_TEXT_SIZE];
    const bool has_mass = system->mass[i] > 0.0;
    system->separable = system->separable && has_mass;
    system->constant_mass = system->constant_mass && (has_mass || system->has_coupled_mass);
    if (system->mass[i] < 0.0) {
      code =
          vida__fail(error, VIDA_BAD_ARGUMENT, "coordinate '%s': expected a positive mass, got %s",
                     system->coordinates[i].name, vida__shortest_text(got, system->mass[i]));
    }
  }
  vida__evaluator_destroy(&evaluator);
  return code;
}

static int fill_constant_parts(VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  system->mass = vida__allocate(n, sizeof *system->mass);
  system->uniform_force = vida__allocate(n, sizeof *system->uniform_force);
  if (!system->mass || !system->uniform_force) {
    return vida__fail_memory(error);
  }
  for (int p = 0; p < system->particle_count; p++) {
    const int first = system->particles[p].coordinate;
    for (int k = 0; k < system->dimension; k++) {
      system->uniform_force[first + k] = system->coordinates[first + k].mass * system->gravity[k];
    }
  }
  return vida__fill_masses(system, error);
}

/* Finds the first coordinate and the first row of each unit. */
static int group_units(VidaSystem* system, VidaError* error) {
  int* first = vida__allocate((size_t)system->units.count, sizeof *first); /* 0: none, else + 1 */
  if (!first) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    int* own = &first[vida__find_string(&system->units, system->coordinates[i].unit)];
    *own = *own ? *own : i + 1;
    system->coordinates[i].alike = *own - 1;
  }
  memset(first, 0, (size_t)system->units.count * sizeof *first);
  for (int r = 0; r < system->row_count; r++) {
    int* own = &first[vida__find_string(&system->units, system->rows[r].unit)];
    *own = *own ? *own : r + 1;
    system->rows[r].alike = *own - 1;
  }
  free(first);
  return VIDA_SUCCESS;
}

int VidaSystem_Complete(VidaSystem* system, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (system->complete) {
    return VIDA_SUCCESS;
  }
  if (system->coordinate_count == 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s' has no coordinates", system->name);
  }
  int code = vida__check_contact_names(system, error);
  code = code ? code : check_masses(system, error);
  if (code) {
    return code;
  }
  vida__place_tapes(system);
  code = group_units(system, error);
  code = code ? code : fill_constant_parts(system, error);
  code = code ? code : vida__build_pattern(system, error);
  code = code ? code : vida__find_energy_sources(system, error);
  code = code ? code : vida__find_symmetries(system, error);
  system->complete = !code;
  code = code ? code : vida__narrow_momenta(system, error);
  if (code) {
    discard_completion(system);
    system->complete = false;
  }
  return code;
}

/* ---- looking --------------------------------------------------------------------------------- */

const char* VidaSystem_Name(const VidaSystem* system) {
  return system ? system->name : "";
}

int VidaSystem_CoordinateCount(const VidaSystem* system) {
  return system ? system->coordinate_count : 0;
}

int VidaSystem_ConstraintCount(const VidaSystem* system) {
  return system ? system->row_count : 0;
}

int VidaSystem_ParticleCount(const VidaSystem* system) {
  return system ? system->particle_count : 0;
}

int VidaSystem_Dimension(const VidaSystem* system) {
  return system ? system->dimension : 0;
}

const char* VidaSystem_CoordinateName(const VidaSystem* system, int coordinate) {
  return system && coordinate >= 0 && coordinate < system->coordinate_count
             ? system->coordinates[coordinate].name
             : NULL;
}

const char* VidaSystem_CoordinateUnit(const VidaSystem* system, int coordinate) {
  return system && coordinate >= 0 && coordinate < system->coordinate_count
             ? system->coordinates[coordinate].unit
             : NULL;
}

const char* VidaSystem_ConstraintName(const VidaSystem* system, int row) {
  return system && row >= 0 && row < system->row_count ? system->rows[row].name : NULL;
}

int VidaSystem_ConstraintIndex(const VidaSystem* system, const char* name) {
  return system && name ? vida__find_string(&system->row_names, name) : -1;
}

bool VidaSystem_ConstraintIsNonholonomic(const VidaSystem* system, int row) {
  return system && row >= 0 && row < system->row_count && system->rows[row].is_nonholonomic;
}

const char* VidaSystem_ConstraintUnit(const VidaSystem* system, int row) {
  return system && row >= 0 && row < system->row_count ? system->rows[row].unit : NULL;
}

int VidaSystem_CoordinateIndex(const VidaSystem* system, const char* name) {
  for (int i = 0; system && name && i < system->coordinate_count; i++) {
    if (strcmp(system->coordinates[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int VidaSystem_ParticleIndex(const VidaSystem* system, const char* name) {
  for (int i = 0; system && name && i < system->particle_count; i++) {
    if (strcmp(system->particles[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int VidaSystem_ParticleCoordinate(const VidaSystem* system, int particle) {
  return system && particle >= 0 && particle < system->particle_count
             ? system->particles[particle].coordinate
             : -1;
}
