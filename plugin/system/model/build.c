/* Building a system: all additions are checked here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "system/model/build.h"
#include "system/model/model.h"

VidaInitial VidaInitial_Given(double value) {
  const VidaInitial initial = {value, false, 0.0, false};
  return initial;
}

VidaInitial VidaInitial_Default(double value) {
  const VidaInitial initial = {value, false, 0.0, true};
  return initial;
}

VidaInitial VidaInitial_Free(double branch) {
  const VidaInitial initial = {(double)NAN, true, branch, false};
  return initial;
}

VidaPoint VidaPoint_Particle(int particle) {
  const VidaPoint point = {particle, {0.0, 0.0, 0.0}};
  return point;
}

VidaPoint VidaPoint_Fixed(double x, double y, double z) {
  const VidaPoint point = {VIDA_GROUND, {x, y, z}};
  return point;
}

int vida__check_letters(const char* kind, const char* name, VidaError* error) {
  int control;
  const char* plain = name;
  while (*plain >= 0x20 && *plain < 0x7F) { /* most names are */
    plain++;
  }
  if (!*plain) {
    return VIDA_SUCCESS;
  }
  const char* bad = vida__find_invalid_utf8(name);
  if (bad) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "the name of a %s is not valid UTF-8: byte %ld of '%s' is 0x%02X; save the script in UTF-8",
        kind, (long)(bad - name) + 1, name, (unsigned)(unsigned char)*bad);
  }
  return vida__find_control(name, &control)
             ? vida__fail(error, VIDA_BAD_ARGUMENT, "the name of a %s has the control character %d",
                          kind, control)
             : VIDA_SUCCESS;
}

void vida__release_functions(vida_functions* functions) {
  if (functions && --functions->references == 0) {
    functions->destroy(functions);
  }
}

/* ---- checks ---------------------------------------------------------------------------------- */

int vida__check_addition(const VidaSystem* system, const char* kind, const char* name,
                         VidaError* error) {
  if (system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "system '%s' is complete: the %s '%s' cannot be added", system->name, kind,
                      name ? name : "");
  }
  if (!name || !*name) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': a %s needs a name", system->name,
                      kind);
  }
  return vida__check_letters(kind, name, error);
}

int vida__check_unit(const char* kind, const char* name, const char* unit, VidaError* error) {
  int control;
  if (unit && vida__find_invalid_utf8(unit)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': its unit '%s' is not valid UTF-8", kind,
                      name, unit);
  }
  return unit && vida__find_control(unit, &control)
             ? vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s '%s': its unit has the control character %d", kind, name, control)
             : VIDA_SUCCESS;
}

int vida__check_new_name(const vida_string_table* names, const char* kind, const char* name,
                         VidaError* error) {
  return vida__find_string(names, name) >= 0
             ? vida__fail(error, VIDA_BAD_ARGUMENT, "there are two %s named '%s'", kind, name)
             : VIDA_SUCCESS;
}

static int check_initial(const char* kind, const char* name, const char* what, VidaInitial initial,
                         VidaError* error) {
  if (!initial.free && !isfinite(initial.value)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: expected a finite number", kind, name,
                      what);
  }
  if (initial.free && (isinf(initial.value) || !isfinite(initial.branch))) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': %s: the branch of a free value must be a finite number", kind, name,
                      what);
  }
  return VIDA_SUCCESS;
}

/* Refuses a number that is not positive (with zero_allowed: that is negative). */
static int check_number(const char* kind, const char* name, const char* what, double value,
                        bool zero_allowed, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  if (isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: expected a %s number, got %s", kind,
                    name, what, zero_allowed ? "non-negative" : "positive",
                    vida__shortest_text(got, value));
}

static int check_point(const VidaSystem* system, const char* kind, const char* name,
                       const char* what, const VidaPoint* point, VidaError* error) {
  if (point->particle == VIDA_GROUND) {
    for (int k = 0; k < system->dimension; k++) {
      if (!isfinite(point->position[k])) {
        return vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s '%s': %s: a fixed point needs finite coordinates", kind, name, what);
      }
    }
    return VIDA_SUCCESS;
  }
  if (point->particle < 0 || point->particle >= system->particle_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no particle number %d", kind,
                      name, what, point->particle);
  }
  return VIDA_SUCCESS;
}

static int check_ends(const VidaSystem* system, const char* kind, const char* name,
                      const VidaPoint* from, const VidaPoint* to, VidaError* error) {
  int code = check_point(system, kind, name, "from", from, error);
  code = code ? code : check_point(system, kind, name, "to", to, error);
  if (code) {
    return code;
  }
  if (from->particle == VIDA_GROUND && to->particle == VIDA_GROUND) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' joins two fixed points", kind, name);
  }
  if (from->particle == to->particle) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' joins the particle '%s' to itself", kind,
                      name, system->particles[to->particle].name);
  }
  return VIDA_SUCCESS;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Does not add the name to the set: the caller does so once nothing can fail any more. */
static int add_coordinate(VidaSystem* system, const char* name, const char* unit,
                          VidaInitial position, VidaInitial velocity, VidaError* error) {
  if (vida__check_new_name(&system->coordinate_names, "coordinates", name, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (vida__reserve_strings(&system->coordinate_names, 3) ||
      vida__reserve((void**)&system->coordinates, &system->coordinate_capacity,
                    (size_t)system->coordinate_count + 1, sizeof *system->coordinates)) {
    return vida__fail_memory(error);
  }
  vida_coordinate* added = &system->coordinates[system->coordinate_count];
  added->name = vida__store_text(&system->names, name);
  added->unit = vida__intern_unit(system, unit);
  if (!added->name || !added->unit) {
    return vida__fail_memory(error);
  }
  added->position = position;
  added->velocity = velocity;
  system->coordinate_count++;
  return VIDA_SUCCESS;
}

int VidaSystem_AddCoordinate(VidaSystem* system, const char* name, const char* unit,
                             VidaInitial position, VidaInitial velocity, int* index,
                             VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, name);
  code = code ? code : vida__check_addition(system, "coordinate", name, error);
  code = code ? code : check_initial("coordinate", name, "position", position, error);
  code = code ? code : check_initial("coordinate", name, "velocity", velocity, error);
  code = code ? code : vida__check_unit("coordinate", name, unit, error);
  code = code ? code : add_coordinate(system, name, unit ? unit : "", position, velocity, error);
  if (code) {
    return code;
  }
  if (index) {
    *index = system->coordinate_count - 1;
  }
  vida__add_callers_string(&system->coordinate_names,
                           system->coordinates[system->coordinate_count - 1].name);
  return VIDA_SUCCESS;
}

static int check_particle(const VidaSystem* system, const VidaParticle* particle,
                          VidaError* error) {
  const char* name = particle->name;
  int code = vida__check_addition(system, "particle", name, error);
  code = code ? code : check_number("particle", name, "mass", particle->mass, true, error);
  code = code ? code : vida__check_new_name(&system->particle_names, "particles", name, error);
  for (int k = 0; k < system->dimension && !code; k++) {
    code = check_initial("particle", name, "position", particle->position[k], error);
    code = code ? code : check_initial("particle", name, "velocity", particle->velocity[k], error);
  }
  return code;
}

int VidaSystem_AddParticle(VidaSystem* system, const VidaParticle* particle, int* index,
                           VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, particle)) {
    return VIDA_BAD_ARGUMENT;
  }
  static const char axes[3] = {'x', 'y', 'z'};
  const int first = system->coordinate_count;
  int code = check_particle(system, particle, error);
  if (code) {
    return code;
  }
  vida_joined name;
  if (vida__join(&name, particle->name, ".", "x") ||
      vida__reserve_strings(&system->particle_names, 1) ||
      vida__reserve((void**)&system->particles, &system->particle_capacity,
                    (size_t)system->particle_count + 1, sizeof *system->particles)) {
    code = vida__fail_memory(error);
  }
  for (int k = 0; k < system->dimension && !code; k++) {
    name.text[strlen(name.text) - 1] = axes[k];
    code =
        add_coordinate(system, name.text, "m", particle->position[k], particle->velocity[k], error);
  }
  vida__free_joined(&name);
  if (!code) {
    vida_particle* added = &system->particles[system->particle_count];
    added->coordinate = first;
    added->name = vida__store_text(&system->names, particle->name);
    code = added->name ? VIDA_SUCCESS : vida__fail_memory(error);
  }
  if (code) {
    system->coordinate_count = first;
    return code;
  }
  for (int k = 0; k < system->dimension; k++) {
    system->coordinates[first + k].mass = particle->mass;
    vida__add_callers_string(&system->coordinate_names, system->coordinates[first + k].name);
  }
  if (index) {
    *index = system->particle_count;
  }
  vida__add_callers_string(&system->particle_names, system->particles[system->particle_count].name);
  system->particle_count++;
  return VIDA_SUCCESS;
}

int VidaSystem_AddGravity(VidaSystem* system, const double* acceleration, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, acceleration);
  code = code ? code : vida__check_addition(system, "term", "gravity", error);
  if (code) {
    return code;
  }
  for (int k = 0; k < 3; k++) {
    if (system->gravity[k] != 0.0) {
      return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' already has gravity", system->name);
    }
  }
  for (int k = 0; k < system->dimension; k++) {
    if (!isfinite(acceleration[k])) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "gravity: expected finite numbers");
    }
  }
  memcpy(system->gravity, acceleration, (size_t)system->dimension * sizeof *acceleration);
  return VIDA_SUCCESS;
}

/* ---- springs and distances ------------------------------------------------------------------- */

/* Finds the local coordinates of two ends: those of both particles (the second one last) or of the
 * only particle. */
static int find_ends(const VidaSystem* system, const VidaPoint* from, const VidaPoint* to,
                     int index[6], double anchor[3]) {
  const VidaPoint* fixed = from->particle == VIDA_GROUND ? from : to;
  const int first = from->particle == VIDA_GROUND ? to->particle : from->particle;
  const bool paired = from->particle != VIDA_GROUND && to->particle != VIDA_GROUND;
  for (int k = 0; k < system->dimension; k++) {
    index[k] = system->particles[first].coordinate + k;
    if (paired) {
      index[system->dimension + k] = system->particles[to->particle].coordinate + k;
    }
    anchor[k] = paired ? 0.0 : fixed->position[k];
  }
  return paired ? 2 * system->dimension : system->dimension;
}

/* Adds the name of a spring. */
static int add_spring_name(VidaSystem* system, const char* name) {
  char* copy = NULL;
  if (!vida__reserve_strings(&system->spring_names, 1) &&
      !vida__reserve((void**)&system->springs, &system->spring_capacity,
                     (size_t)system->spring_count + 1, sizeof *system->springs)) {
    copy = vida__copy_text(name);
  }
  if (!copy) {
    return VIDA_OUT_OF_MEMORY;
  }
  system->springs[system->spring_count++] = copy;
  vida__add_callers_string(&system->spring_names, copy);
  return VIDA_SUCCESS;
}

int VidaSystem_AddSpring(VidaSystem* system, const VidaSpring* spring, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, spring)) {
    return VIDA_BAD_ARGUMENT;
  }
  const char* name = spring->name;
  int index[6];
  double values[VIDA_SPRING_PARAMETERS] = {[VIDA_SPRING_STIFFNESS] = spring->stiffness,
                                           [VIDA_SPRING_CUBIC] = spring->cubic,
                                           [VIDA_SPRING_LENGTH] = spring->length,
                                           [VIDA_SPRING_NUMBER] = system->spring_count};
  int code = vida__check_addition(system, "spring", name, error);
  code = code ? code : check_ends(system, "spring", name, &spring->from, &spring->to, error);
  code = code ? code : check_number("spring", name, "stiffness", spring->stiffness, true, error);
  code = code ? code : check_number("spring", name, "cubic", spring->cubic, true, error);
  code = code ? code : check_number("spring", name, "length", spring->length, true, error);
  code = code ? code : vida__check_new_name(&system->spring_names, "springs", name, error);
  if (code) {
    return code;
  }
  if (spring->law != VIDA_SPRING_LINEAR && spring->law != VIDA_SPRING_SQUARED) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "spring '%s': law: unknown number %d", name,
                      (int)spring->law);
  }
  if (spring->law == VIDA_SPRING_SQUARED && spring->cubic != 0.0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "spring '%s': cubic: only the linear law has a cubic stiffness", name);
  }
  const vida_term_kernel* kernel =
      spring->law == VIDA_SPRING_LINEAR ? &vida__linear_spring : &vida__squared_spring;
  const int width =
      find_ends(system, &spring->from, &spring->to, index, values + VIDA_SPRING_ANCHOR);
  const vida_term_batch like = {.kernel = kernel,
                                .dimension = system->dimension,
                                .width = width,
                                .parameters = VIDA_SPRING_PARAMETERS};
  vida_term_batch* batch = vida__find_term_batch(system, &like);
  return batch && !vida__append_term(batch, index, values) && !add_spring_name(system, name)
             ? VIDA_SUCCESS
             : vida__fail_memory(error);
}

int VidaSystem_AddDistance(VidaSystem* system, const VidaDistance* distance, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, distance)) {
    return VIDA_BAD_ARGUMENT;
  }
  const char* name = distance->name;
  int index[6];
  double values[VIDA_DISTANCE_PARAMETERS] = {[VIDA_DISTANCE_LENGTH] = distance->length};
  int code = vida__check_addition(system, "distance", name, error);
  code = code ? code : check_ends(system, "distance", name, &distance->from, &distance->to, error);
  code = code ? code : check_number("distance", name, "length", distance->length, false, error);
  code = code ? code : vida__check_row_names(system, name, 1, error);
  if (code) {
    return code;
  }
  const int width =
      find_ends(system, &distance->from, &distance->to, index, values + VIDA_DISTANCE_ANCHOR);
  const vida_constraint_batch like = {.kernel = &vida__distance,
                                      .dimension = system->dimension,
                                      .width = width,
                                      .rows = 1,
                                      .parameters = VIDA_DISTANCE_PARAMETERS};
  vida_constraint_batch* batch = vida__find_constraint_batch(system, &like);
  return batch ? vida__append_constraint(system, batch, index, values, name, "m", distance->length,
                                         error)
               : vida__fail_memory(error);
}
