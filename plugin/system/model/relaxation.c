/* Relaxations of constraints: attributes of their rows. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "system/model/model.h"

/* Returns whether a row belongs to `name`: a constraint ("rod"), one of its rows ("rod (row 2)"),
 * or an element or joint with several constraints ("rod" for "rod: direction"). ": " separates the
 * parts of a name. */
static bool is_row_of(const vida_row* row, const char* name) {
  static const char separator[] = ": ";
  const size_t length = strlen(name);
  const bool is_constraint = length == row->name_length && memcmp(row->name, name, length) == 0;
  const bool is_owner = length < row->name_length && memcmp(row->name, name, length) == 0 &&
                        strncmp(row->name + length, separator, strlen(separator)) == 0;
  return is_constraint || is_owner || strcmp(row->name, name) == 0;
}

static const char* row_name(const void* list, int row) {
  return ((const VidaSystem*)list)->rows[row].name;
}

static int fail_unknown(const VidaSystem* system, const char* constraint, VidaError* error) {
  const int nearest = Vida_NearestName(constraint, system->row_count, row_name, system);
  if (nearest < 0) {
    return vida__fail(error, VIDA_UNKNOWN_NAME, "system '%s' has no constraint '%s'", system->name,
                      constraint);
  }
  return vida__fail(error, VIDA_UNKNOWN_NAME,
                    "system '%s' has no constraint '%s'; did you mean '%s'?", system->name,
                    constraint, system->rows[nearest].name);
}

static int check_value(const char* constraint, const char* what, double value, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  return isnan(value) || (value >= 0.0 && isfinite(value))
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "constraint '%s': %s: expected a number not below 0, got %s", constraint,
                          what, vida__shortest_text(got, value));
}

int VidaSystem_SetRelaxation(VidaSystem* system, const char* constraint, double compliance,
                             double damping_time, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, constraint)) {
    return VIDA_BAD_ARGUMENT;
  }
  int found = 0;
  int code = check_value(constraint, "compliance", compliance, error);
  code = code ? code : check_value(constraint, "damping_time", damping_time, error);
  if (!code && damping_time == 0.0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "damping_time of constraint '%s': expected a positive number, got 0; without "
                      "it, constraints with compliance are not damped",
                      constraint);
  }
  for (int r = 0; r < system->row_count && !code; r++) {
    vida_row* row = &system->rows[r];
    if (!is_row_of(row, constraint)) {
      continue;
    }
    if (row->is_nonholonomic && !isnan(damping_time)) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "constraint '%s' is nonholonomic and has no damping_time: its compliance "
                        "is a mobility, velocity over force",
                        constraint);
    }
    row->compliance = compliance;
    row->damping_time = damping_time;
    found++;
  }
  return code || found ? code : fail_unknown(system, constraint, error);
}

double VidaSystem_ConstraintCompliance(const VidaSystem* system, int row) {
  return system && row >= 0 && row < system->row_count ? system->rows[row].compliance : (double)NAN;
}

double VidaSystem_ConstraintDampingTime(const VidaSystem* system, int row) {
  return system && row >= 0 && row < system->row_count ? system->rows[row].damping_time
                                                       : (double)NAN;
}
