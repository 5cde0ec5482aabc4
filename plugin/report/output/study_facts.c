/* DIRECTORY/study.txt: data for later pictures that the rows do not contain: sizes, units, the
 * norm, the error of the reference, the pattern of the KKT matrix. */
#include <math.h>
#include <string.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"
#include "system/model/model.h"
#include "system/power.h"

/* For larger matrices the picture would be a dark area, and the file longer than the results. */
enum { MOST_ENTRIES = 200000 };

/* Joins several units: the common unit, or "" if they differ. */
static void join_unit(char* unit, size_t size, bool first, const char* next) {
  if (first) {
    vida__append(unit, size, "%s", next);
  } else if (strcmp(unit, next) != 0) {
    unit[0] = '\0';
  }
}

/* Writes the unit of the time integral of a rate: "m" for "m/s". */
static void integral_unit(const char* rate, char* unit, size_t size) {
  const size_t length = strlen(rate);
  const bool is_per_second = length > 2 && strcmp(rate + length - 2, "/s") == 0;
  unit[0] = '\0';
  vida__append(unit, size, "%.*s%s", (int)(is_per_second ? length - 2 : length), rate,
               is_per_second || !rate[0] ? "" : " s");
}

void vida__find_units(const VidaStudy* study, vida_units* units) {
  const VidaSystem* system = study->system;
  const int count = study->selection ? study->selected : VidaSystem_CoordinateCount(system);
  memset(units, 0, sizeof *units);
  for (int i = 0; i < count; i++) {
    join_unit(units->position, sizeof units->position, i == 0,
              VidaSystem_CoordinateUnit(system, study->selection ? study->selection[i] : i));
  }
  for (int i = 0; i < VidaSystem_ConstraintCount(system); i++) {
    char multiplier[VIDA_NAME_SIZE];
    vida__multiplier_unit(system, i, multiplier, sizeof multiplier);
    join_unit(units->constraint, sizeof units->constraint, i == 0,
              VidaSystem_ConstraintUnit(system, i));
    join_unit(units->multiplier, sizeof units->multiplier, i == 0, multiplier);
  }
  bool first = true;
  for (int i = 0; i < VidaSystem_ConstraintCount(system); i++) {
    char integral[VIDA_NAME_SIZE];
    if (VidaSystem_ConstraintIsNonholonomic(system, i)) {
      integral_unit(VidaSystem_ConstraintUnit(system, i), integral, sizeof integral);
      join_unit(units->integral, sizeof units->integral, first, integral);
      first = false;
    }
  }
  for (int i = 0; i < VidaSystem_MomentumCount(system); i++) {
    join_unit(units->momentum, sizeof units->momentum, i == 0, vida__momentum_unit(system, i));
  }
  if (study->norm == VIDA_NORM_MIXED) { /* its errors have no units */
    units->position[0] = '\0';
    units->multiplier[0] = '\0';
  }
}

/* What the quantities of this kind share a unit with, and what stands behind it: "/s" of rates. */
static const char* find_shared(const vida_units* units, VidaUnitKind kind, const char** per) {
  *per = "";
  switch (kind) {
    case VIDA_UNIT_VELOCITY:
      *per = "/s";
      return units->position;
    case VIDA_UNIT_POSITION:
      return units->position;
    case VIDA_UNIT_MULTIPLIER:
      return units->multiplier;
    case VIDA_UNIT_MOMENTUM_RATE:
      *per = "/s";
      return units->momentum;
    case VIDA_UNIT_MOMENTUM:
      return units->momentum;
    case VIDA_UNIT_CONSTRAINT_RATE:
      *per = "/s";
      return units->constraint;
    case VIDA_UNIT_CONSTRAINT:
      return units->constraint;
    case VIDA_UNIT_CONSTRAINT_INTEGRAL:
      return units->integral;
    default:
      return NULL;
  }
}

void vida__column_unit(const vida_units* units, bool relative, const VidaColumn* column,
                       char unit[VIDA_NAME_SIZE]) {
  const char* per = "";
  const char* shared = find_shared(units, column->unit_kind, &per);
  unit[0] = '\0';
  if (column->unit_kind == VIDA_UNIT_NUMBER ||
      (relative && (column->traits & VIDA_COLUMN_RELATIVE))) {
    return;
  }
  if (!shared) { /* it depends on no system */
    vida__append(unit, VIDA_NAME_SIZE, "%s", column->unit);
  } else if (shared[0]) {
    vida__append(unit, VIDA_NAME_SIZE, "%s%s", shared, per);
  }
}

const char* vida__norm_text(const VidaStudy* study) {
  static const char* const texts[] = {"mean over steps", "largest over steps", "at the end",
                                      "mixed, at the end"};
  return texts[study->norm];
}

int vida__write_facts(const VidaStudy* study, FILE* file, VidaError* error) {
  static const char* const norms[] = {"mean", "max", "end", "mixed"};
  const VidaSystem* system = study->system;
  const vida_pattern* pattern = &system->pattern;
  const bool stored = pattern->entries <= MOST_ENTRIES;
  char number[VIDA_REAL_TEXT_SIZE];
  vida_units units;
  double own = NAN;
  vida__find_units(study, &units);
  VidaStudy_Reference(study, &own);
  fprintf(file, "coordinates: %d\nconstraints: %d\nmomenta: %d\n",
          VidaSystem_CoordinateCount(system), VidaSystem_ConstraintCount(system),
          VidaSystem_MomentumCount(system));
  if (vida__has_column_choice(study)) {
    char parts[VIDA_MESSAGE_SIZE];
    vida__chosen_parts(study, parts, sizeof parts);
    fprintf(file, "columns: %s\n", parts[0] ? parts : "none");
  }
  fprintf(file, "label: %s\n", VidaStudy_Label(study));
  fprintf(file, "norm: %s\nrelative: %s\nreference_error: %s\n", norms[study->norm],
          study->relative ? "yes" : "no", isfinite(own) ? vida__real_text(number, own, 17) : "");
  fprintf(file, "jobs: %d\n", vida__jobs(study)); /* above 1 wall times are of shared processors */
  fprintf(file, "position_unit: %s\nconstraint_unit: %s\nmomentum_unit: %s\n", units.position,
          units.constraint, units.momentum);
  fprintf(file, "pattern_size: %d\npattern: %d\n", pattern->size, stored ? pattern->entries : 0);
  for (int column = 0; column < pattern->size && stored; column++) {
    for (long k = (long)pattern->column_start[column]; k < (long)pattern->column_start[column + 1];
         k++) {
      fprintf(file, "%ld %d\n", (long)pattern->row[k], column);
    }
  }
  return vida__finish_output(file, "study.txt", error);
}

const char* vida__energy_balance_text(const VidaSystem* system) {
  return system->exchange == 0 ? ""
         : system->exchange == VIDA_EXCHANGE_EVENTS
             ? "against that of the start and its changes at events since"
         : system->exchange & VIDA_EXCHANGE_EVENTS
             ? "against that of the start and the work that forces, dampers, drives, explicit time "
               "and events have done since"
             : "against that of the start and the work that forces, dampers, drives and explicit "
               "time have done since";
}
