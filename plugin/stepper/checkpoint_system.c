/* Checkpoints: the version, the method, the options and the system to which a state belongs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "stepper/checkpoint.h"
#include "stepper/registry.h"
#include "system/fingerprint.h"

enum { LONGEST_NAME = 256 };

/* Another build of VIDA rounds differently: relative to a value, and to the largest one of its
 * kind. Parameters are given and have no rounding. */
static const double same_value = 1e-9, same_beside = 1e-12;

/* ---- what must be the same ------------------------------------------------------------------- */

static void differ(VidaRecord* record, const char* what, const char* name, const char* there,
                   const char* here) {
  vida__record_fail(record, VIDA_BAD_ARGUMENT,
                    "the checkpoint belongs to another system: %s%s%s%s is %.120s there and %.120s "
                    "here",
                    what, name ? " of '" : "", name ? name : "", name ? "'" : "", there, here);
}

static void expect_text(VidaRecord* record, const char* what, const char* text) {
  char there[LONGEST_NAME];
  strncpy(there, text ? text : "", sizeof there - 1);
  there[sizeof there - 1] = '\0';
  vida__record_text(record, there, sizeof there);
  if (!vida__record_failure(record, NULL) &&
      strncmp(there, text ? text : "", sizeof there - 1) != 0) {
    differ(record, what, NULL, there, text ? text : "");
  }
}

static void expect_count(VidaRecord* record, const char* what, long count) {
  long there = count;
  char left[VIDA_REAL_TEXT_SIZE], right[VIDA_REAL_TEXT_SIZE];
  VidaRecord_Integer(record, &there, 0, 0x7fffffffL);
  if (there != count) {
    differ(record, what, NULL, vida__real_text(left, (double)there, 10),
           vida__real_text(right, (double)count, 10));
  }
}

static bool is_same(double a, double b, double tolerance, double beside) {
  return a == b || (isnan(a) && isnan(b)) ||
         fabs(a - b) <= tolerance * (fabs(a) + fabs(b)) + beside;
}

static void expect_real(VidaRecord* record, const char* what, const char* name, double value,
                        double tolerance, double beside) {
  double there = value;
  char left[VIDA_REAL_TEXT_SIZE], right[VIDA_REAL_TEXT_SIZE];
  VidaRecord_Reals(record, &there, 1);
  if (!is_same(there, value, tolerance, beside)) {
    differ(record, what, name, vida__shortest_text(left, there), vida__shortest_text(right, value));
  }
}

/* ---- options --------------------------------------------------------------------------------- */

static void visit_option(VidaRecord* record, VidaOptions* options, const VidaOptionRow* row) {
  bool is_set = VidaOptions_IsSet(options, row->name);
  char text[LONGEST_NAME];
  double value = VidaOptions_Get(options, row->name);
  VidaError reason = {0};
  VidaOptions_Text(options, row->name, text, sizeof text);
  vida__record_part(record, row->name);
  VidaRecord_Flag(record, &is_set);
  VidaRecord_Reals(record, &value, 1);
  vida__record_text(record, text, sizeof text);
  if (!VidaRecord_IsLoading(record) || !is_set || vida__record_failure(record, NULL)) {
    return;
  }
  const bool is_number = row->type == VIDA_OPTION_REAL || row->type == VIDA_OPTION_INTEGER;
  int code = VIDA_SUCCESS;
  if (is_number) {
    code = VidaOptions_SetReal(options, row->name, value, &reason);
  } else if (row->type == VIDA_OPTION_BY_COORDINATE) {
    code = isnan(value) ? VIDA_SUCCESS : VidaOptions_SetReal(options, row->name, value, &reason);
  } else {
    code = VidaOptions_SetText(options, row->name, text, &reason);
  }
  if (code) {
    vida__record_fail(record, code, "%s", reason.message);
  }
}

/* Values of single coordinates. */
static void visit_coordinates(VidaRecord* record, VidaOptions* options) {
  long count = 0;
  while (vida__options_coordinate(options, (int)count, NULL)) {
    count++;
  }
  VidaRecord_Integer(record, &count, 0, 0x7fffffffL);
  for (long k = 0; k < count && !vida__record_failure(record, NULL); k++) {
    char name[LONGEST_NAME] = "", option[LONGEST_NAME] = "";
    double value = 0.0;
    if (!VidaRecord_IsLoading(record)) {
      const char* of = NULL;
      strncpy(name, vida__options_coordinate(options, (int)k, &of), sizeof name - 1);
      strncpy(option, of, sizeof option - 1);
      value = VidaOptions_GetOf(options, of, name);
    }
    vida__record_text(record, name, sizeof name);
    vida__record_text(record, option, sizeof option);
    VidaRecord_Reals(record, &value, 1);
    VidaError reason = {0};
    if (VidaRecord_IsLoading(record) && !vida__record_failure(record, NULL) &&
        VidaOptions_SetOf(options, option, name, value, &reason)) {
      vida__record_fail(record, reason.code, "%s", reason.message);
    }
  }
}

static void visit_options(VidaRecord* record, VidaOptions** options) {
  char method[LONGEST_NAME] = "";
  VidaError reason = {0};
  if (!VidaRecord_IsLoading(record)) {
    strncpy(method, VidaOptions_Method(*options), sizeof method - 1);
  }
  vida__record_text(record, method, sizeof method);
  if (vida__record_failure(record, NULL)) {
    return;
  }
  if (VidaRecord_IsLoading(record)) {
    if (!vida__find_method(method)) {
      vida__record_fail(record, VIDA_UNKNOWN_NAME,
                        "the checkpoint is of method '%s', which is not known here; load its "
                        "plug-in first",
                        method);
      return;
    }
    if (VidaOptions_Create(method, options, &reason)) {
      vida__record_fail(record, reason.code, "%s", reason.message);
      return;
    }
  }
  const int count = VidaOptions_Count(*options);
  vida__record_same(record, "options", 1, &count);
  for (int k = 0; k < count && !vida__record_failure(record, NULL); k++) {
    visit_option(record, *options, VidaOptions_Row(*options, k));
  }
  visit_coordinates(record, *options);
}

/* ---- the system ------------------------------------------------------------------------------ */

static void visit_names(VidaRecord* record, const VidaSystem* system) {
  expect_text(record, "its name", system->name);
  expect_count(record, "the number of coordinates", system->coordinate_count);
  expect_count(record, "the number of constraints", system->row_count);
  expect_count(record, "the number of entries of G", system->entry_count);
  expect_count(record, "the number of parameters", system->parameter_count);
  expect_count(record, "the number of jumps in time", system->jump_time_count);
  expect_count(record, "the number of kinds of terms", system->term_batch_count);
  expect_count(record, "the number of observables", system->observable_count);
  for (int i = 0; i < system->coordinate_count; i++) {
    expect_text(record, "a coordinate", system->coordinates[i].name);
  }
  for (int r = 0; r < system->row_count; r++) {
    expect_text(record, "a constraint", system->rows[r].name);
  }
}

static void visit_numbers(VidaRecord* record, const VidaSystem* system) {
  for (int k = 0; k < system->parameter_count; k++) {
    expect_text(record, "a parameter", system->parameters[k].name);
    expect_real(record, "the value", system->parameters[k].name, system->parameter_values[k], 0.0,
                0.0);
  }
  for (int k = 0; k < system->jump_time_count; k++) {
    expect_real(record, "the time of a jump", NULL, system->jump_times[k], 0.0, 0.0);
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    expect_real(record, "the mass", system->coordinates[i].name, system->mass[i], same_value, 0.0);
    expect_real(record, "the constant force", system->coordinates[i].name, system->uniform_force[i],
                same_value, 0.0);
  }
}

/* What the names and numbers above do not show: terms, formulas, places of coordinates in them. */
static void visit_formulas(VidaRecord* record, const VidaSystem* system) {
  uint64_t checksum = 0;
  VidaError reason;
  if (vida__fingerprint_system(system, &checksum, &reason)) {
    vida__record_fail_memory(record);
    return;
  }
  long halves[2] = {(long)(checksum & 0xffffffffu), (long)(checksum >> 32)};
  const long here[2] = {halves[0], halves[1]};
  for (int k = 0; k < 2; k++) {
    VidaRecord_Integer(record, &halves[k], 0, 0xffffffffL);
  }
  if (halves[0] != here[0] || halves[1] != here[1]) {
    vida__record_fail(record, VIDA_BAD_ARGUMENT,
                      "the checkpoint belongs to another system: its terms, formulas, constraints, "
                      "observables or initial values differ from those of '%s'",
                      system->name);
  }
}

void vida__record_head(const VidaSystem* system, VidaOptions** options, VidaRecord* record) {
  char version[LONGEST_NAME];
  vida__record_part(record, "VIDA");
  strncpy(version, Vida_Version(), sizeof version - 1);
  version[sizeof version - 1] = '\0';
  vida__record_text(record, version, sizeof version);
  if (!vida__record_failure(record, NULL) && strcmp(version, Vida_Version()) != 0) {
    vida__record_fail(
        record, VIDA_NOT_SUPPORTED,
        "the checkpoint was saved by VIDA %s, and this is VIDA %s: other versions may "
        "make other steps",
        version, Vida_Version());
  }
  visit_options(record, options);
  vida__record_part(record, "system");
  visit_names(record, system);
  visit_numbers(record, system);
  if (!vida__record_failure(record, NULL)) {
    visit_formulas(record, system);
  }
}

/* ---- the equations of motion ----------------------------------------------------------------- */

/* Some place near the start where no symmetry hides a term. */
static void find_place(const VidaStepper* stepper, double* q, double* v) {
  static const double golden = 0.6180339887498949;
  double shift = 0.5;
  for (int i = 0; i < stepper->self.model.n; i++) {
    shift = fmod(shift + golden, 1.0);
    q[i] = stepper->first.q[i] + 0.01 * (1.0 + shift) * (1.0 + fabs(stepper->first.q[i]));
    v[i] = 0.5 + shift;
  }
}

static double largest_of(const double* values, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
  }
  return largest;
}

static void expect_all(VidaRecord* record, const char* what, int count, const double* values,
                       int code, const char* (*name)(const VidaSystem* system, int index),
                       const VidaSystem* system) {
  const double beside = code ? 0.0 : same_beside * largest_of(values, count);
  for (int i = 0; i < count; i++) {
    expect_real(record, what, name(system, i), code ? (double)NAN : values[i], same_value, beside);
  }
}

static const char* coordinate_name(const VidaSystem* system, int index) {
  return system->coordinates[index].name;
}

static const char* row_name(const VidaSystem* system, int index) {
  return system->rows[index].name;
}

static const char* entry_name(const VidaSystem* system, int index) {
  return system->rows[system->entries[index].row].name;
}

void vida__record_equations(VidaStepper* stepper, VidaRecord* record) {
  VidaIntegration* self = &stepper->self;
  const VidaSystem* system = self->model.system;
  vida_evaluator* evaluator = &self->model.evaluator;
  const vida_segment segment = stepper->segment;
  const VidaError failure = evaluator->error;
  const double t = stepper->first.t0;
  const int n = self->model.n, m = self->model.m;
  double* block =
      vida__allocate(4 * (size_t)n + (size_t)m + (size_t)system->entry_count, sizeof *block);
  vida__record_part(record, "equations of motion");
  if (!block) {
    vida__record_fail_memory(record);
    return;
  }
  double *q = block, *v = q + n, *l_q = v + n, *l_v = l_q + n, *g = l_v + n, *entries = g + m;
  find_place(stepper, q, v);
  stepper->segment = stepper->first.segment;
  const double* multipliers = evaluator->multipliers;
  evaluator->multipliers = evaluator->trial;
  const int code = vida__gradient(evaluator, t, q, v, l_q, l_v);
  evaluator->multipliers = multipliers;
  expect_all(record, "the force", n, l_q, code, coordinate_name, system);
  expect_all(record, "the momentum", n, l_v, code, coordinate_name, system);
  expect_all(record, "the value", m, g, vida__constraints(evaluator, t, q, NULL, g), row_name,
             system);
  expect_all(record, "the gradient", system->entry_count, entries,
             vida__jacobian(evaluator, t, q, entries), entry_name, system);
  stepper->segment = segment;
  evaluator->error = failure;
  free(block);
}
