/* Completing a system, and looking at a complete one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model.h"

static int compare_names(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

/* Names are what reports and messages go by, so no two may be alike. */
static int check_names(const char* kind, int count, const char** names, VidaError* error) {
  qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int i = 1; i < count; i++) {
    if (strcmp(names[i - 1], names[i]) == 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "there are two %s named '%s'", kind, names[i]);
    }
  }
  return VIDA_SUCCESS;
}

static int check_all_names(const VidaSystem* system, VidaError* error) {
  const int n = system->coordinate_count;
  const int m = system->row_count;
  const char** names = vida__allocate((size_t)(n > m ? n : m), sizeof *names);
  if (!names) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < system->particle_count; i++) {
    names[i] = system->particles[i].name;
  }
  int code = check_names("particles", system->particle_count, names, error);
  for (int i = 0; i < n; i++) {
    names[i] = system->coordinates[i].name;
  }
  code = code ? code : check_names("coordinates", n, names, error);
  for (int i = 0; i < m; i++) {
    names[i] = system->rows[i].name;
  }
  code = code ? code : check_names("constraints", m, names, error);
  free(names);
  return code;
}

/* Every coordinate needs something that makes L_vv regular; what callbacks give is seen at the
 * start of a run only. */
static int check_masses(const VidaSystem* system, VidaError* error) {
  for (int i = 0; i < system->coordinate_count; i++) {
    bool has_mass = system->coordinates[i].mass > 0.0;
    for (int b = 0; b < system->term_batch_count && !has_mass; b++) {
      const vida_term_batch* batch = &system->term_batches[b];
      for (int j = 0; j < batch->width && !batch->kernel->is_potential; j++) {
        has_mass = has_mass || batch->index[j] == i;
      }
    }
    if (!has_mass) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "coordinate '%s' has no mass: no term gives it a kinetic energy",
                        system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

/* What a completion that failed half-way has left. */
static void discard_completion(VidaSystem* system) {
  free(system->mass);
  free(system->uniform_force);
  free(system->mass_slot);
  free(system->entries);
  free(system->pattern.column_start);
  free(system->pattern.row);
  system->mass = system->uniform_force = NULL;
  system->mass_slot = NULL;
  system->entries = NULL;
  system->pattern.column_start = system->pattern.row = NULL;
  for (int b = 0; b < system->term_batch_count; b++) {
    free(system->term_batches[b].slot);
    system->term_batches[b].slot = NULL;
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    free(system->constraint_batches[b].slot);
    system->constraint_batches[b].slot = NULL;
  }
}

static int fill_constant_parts(VidaSystem* system) {
  const size_t n = (size_t)system->coordinate_count;
  system->mass = vida__allocate(n, sizeof *system->mass);
  system->uniform_force = vida__allocate(n, sizeof *system->uniform_force);
  if (!system->mass || !system->uniform_force) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    system->mass[i] = system->coordinates[i].mass;
  }
  for (int p = 0; p < system->particle_count; p++) {
    const int first = system->particles[p].coordinate;
    for (int k = 0; k < system->dimension; k++) {
      system->uniform_force[first + k] = system->mass[first + k] * system->gravity[k];
    }
  }
  return VIDA_SUCCESS;
}

int VidaSystem_Complete(VidaSystem* system, VidaError* error) {
  if (system->complete) {
    return VIDA_SUCCESS;
  }
  if (system->coordinate_count == 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s' has nothing that moves", system->name);
  }
  int code = check_all_names(system, error);
  code = code ? code : check_masses(system, error);
  if (code) {
    return code;
  }
  code = fill_constant_parts(system) ? vida__fail_memory(error) : VIDA_SUCCESS;
  code = code ? code : vida__build_pattern(system, error);
  code = code ? code : vida__find_symmetries(system, error);
  if (code) {
    discard_completion(system);
  }
  system->complete = !code;
  return code;
}

/* ---- looking --------------------------------------------------------------------------------- */

const char* VidaSystem_Name(const VidaSystem* system) {
  return system->name;
}

int VidaSystem_CoordinateCount(const VidaSystem* system) {
  return system->coordinate_count;
}

int VidaSystem_ConstraintCount(const VidaSystem* system) {
  return system->row_count;
}

int VidaSystem_ParticleCount(const VidaSystem* system) {
  return system->particle_count;
}

int VidaSystem_Dimension(const VidaSystem* system) {
  return system->dimension;
}

const char* VidaSystem_CoordinateName(const VidaSystem* system, int coordinate) {
  return coordinate >= 0 && coordinate < system->coordinate_count
             ? system->coordinates[coordinate].name
             : NULL;
}

const char* VidaSystem_CoordinateUnit(const VidaSystem* system, int coordinate) {
  return coordinate >= 0 && coordinate < system->coordinate_count
             ? system->coordinates[coordinate].unit
             : NULL;
}

const char* VidaSystem_ConstraintName(const VidaSystem* system, int row) {
  return row >= 0 && row < system->row_count ? system->rows[row].name : NULL;
}

const char* VidaSystem_ConstraintUnit(const VidaSystem* system, int row) {
  return row >= 0 && row < system->row_count ? system->rows[row].unit : NULL;
}

int VidaSystem_CoordinateIndex(const VidaSystem* system, const char* name) {
  for (int i = 0; i < system->coordinate_count; i++) {
    if (strcmp(system->coordinates[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int VidaSystem_ParticleIndex(const VidaSystem* system, const char* name) {
  for (int i = 0; i < system->particle_count; i++) {
    if (strcmp(system->particles[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int VidaSystem_ParticleCoordinate(const VidaSystem* system, int particle) {
  return particle >= 0 && particle < system->particle_count ? system->particles[particle].coordinate
                                                            : -1;
}
