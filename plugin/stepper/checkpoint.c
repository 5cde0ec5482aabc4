#include "stepper/checkpoint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/linear_record.h"
#include "base/options.h"
#include "stepper/branch_watch.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_steps.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/jumps.h"
#include "stepper/nested.h"

/* ---- starts ---------------------------------------------------------------------------------- */

static void copy_start(const VidaStepper* stepper, const vida_start* from, vida_start* to) {
  const size_t bytes = (size_t)stepper->self.model.n * sizeof *to->q;
  double *q = to->q, *v = to->v;
  memmove(q, from->q, bytes); /* they may be the same */
  memmove(v, from->v, bytes);
  *to = *from;
  to->q = q;
  to->v = v;
}

void vida__keep_start(VidaStepper* stepper, const vida_start* start) {
  if (!start->again) {
    copy_start(stepper, start, &stepper->first);
  }
  copy_start(stepper, start, &stepper->last);
}

static void record_start(VidaStepper* stepper, vida_start* start, VidaRecord* record) {
  const size_t n = (size_t)stepper->self.model.n;
  VidaRecord_Reals(record, &start->t0, 1);
  VidaRecord_Reals(record, &start->h, 1);
  VidaRecord_Reals(record, start->q, n);
  VidaRecord_Reals(record, start->v, n);
  VidaRecord_Flag(record, &start->is_two_points);
  VidaRecord_Flag(record, &start->again);
  vida__record_segment(&start->segment, record);
}

static void start_again(VidaStepper* stepper, const vida_start* start, VidaRecord* record) {
  VidaError reason = {0};
  if (!VidaRecord_IsLoading(record) || vida__record_failure(record, NULL)) {
    return;
  }
  if (start->is_two_points && !stepper->self.method->start_two_points) {
    vida__record_fail(record, VIDA_INPUT_OUTPUT, "%s cannot start from two points",
                      stepper->self.method->info.name);
    return;
  }
  stepper->segment = start->segment;
  const int code =
      start->is_two_points
          ? vida__start_motion_two_points(stepper, start->t0, start->h, start->q, start->v, &reason)
          : vida__start_motion(stepper, start->t0, start->h, start->q, start->v, start->again,
                               &reason);
  if (code) {
    vida__record_fail(record, code, "the motion of the checkpoint cannot be started again: %.400s",
                      reason.message);
  }
}

static void record_starts(VidaStepper* stepper, VidaRecord* record) {
  record_start(stepper, &stepper->first, record);
  if (!stepper->outer) {
    vida__record_equations(stepper, record);
  }
  start_again(stepper, &stepper->first, record);
  record_start(stepper, &stepper->last, record);
  if (stepper->last.again) {
    start_again(stepper, &stepper->last, record);
  }
}

/* ---- the integration and its frame ----------------------------------------------------------- */

static void record_reals(VidaStepper* stepper, VidaRecord* record) {
  VidaIntegration* self = &stepper->self;
  double* reals[] = {&self->node.t0,
                     &self->node.h,
                     &self->node.lambda_t,
                     &self->model.tension,
                     &self->implicit.scaled_for,
                     &self->implicit.tolerance,
                     &stepper->full_step,
                     &stepper->start_energy,
                     &stepper->conserved_energy,
                     &stepper->energy.bound,
                     &stepper->energy.judged,
                     &stepper->values.energy};
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  VidaRecord_Reals(record, stepper->values.momenta, VIDA_LARGEST_MOMENTUM_COUNT);
}

static void record_integers(VidaStepper* stepper, VidaRecord* record) {
  VidaIntegration* self = &stepper->self;
  long* counts[] = {&self->node.step, &stepper->earlier, &stepper->careful_steps};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    VidaRecord_Integer(record, counts[k], 0, LONG_MAX);
  }
  vida__record_integers(record, &self->implicit.last_turn, 1, 0, INT_MAX);
  vida__record_integers(record, &self->ahead, 1, 0, 1);
  vida__record_integers(record, &self->implicit.history.count, 1, 0, VIDA_HISTORY - 1);
  vida__record_integers(record, &self->implicit.history.terms, 1, 0, VIDA_HISTORY);
  vida__record_statistics(&self->statistics, record);
  vida__record_statistics(&stepper->before, record);
}

static void record_flags(VidaStepper* stepper, VidaRecord* record) {
  VidaIntegration* self = &stepper->self;
  bool* flags[] = {&self->continues,
                   &self->needs_action,
                   &self->model.redundant,
                   &self->model.has_open_reactions,
                   &self->model.has_singular_mass,
                   &self->implicit.is_condensed_step,
                   &self->implicit.is_planned_step,
                   &self->implicit.has_g_node,
                   &self->implicit.has_tracked,
                   &self->implicit.has_entries_next,
                   &self->implicit.is_repeated,
                   &stepper->energy.is_impossible,
                   &stepper->has_node_velocity,
                   &stepper->has_node_multipliers,
                   &stepper->values.is_known};
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  vida__reactions_record(self->model.reactions, record);
}

static void record_method(VidaIntegration* self, VidaRecord* record) {
  vida__record_part(record, self->method->info.name);
  if (self->method->state) {
    self->method->state(self, record);
  } else if (self->state) {
    vida__record_fail(record, VIDA_NOT_SUPPORTED,
                      "%s cannot be saved: its record has no function 'state', which visits the "
                      "numbers that its steps change",
                      self->method->info.name);
  }
}

static void record_state(VidaStepper* stepper, VidaRecord* record) {
  VidaIntegration* self = &stepper->self;
  vida_array arrays[VIDA_FRAME_ARRAYS];
  vida__list_arrays(stepper, arrays);
  vida__record_part(record, "node");
  vida__record_arrays(record, arrays, VIDA_FRAME_ARRAYS);
  record_reals(stepper, record);
  record_integers(stepper, record);
  record_flags(stepper, record);
  vida__record_segment(&stepper->segment, record);
  vida__record_part(record, "matrices");
  vida__linear_record(self->model.node_matrix, record);
  vida__linear_record(self->model.mass_matrix, record);
  vida__map_record(self->implicit.map, record);
  vida__condensed_record(self, record);
  vida__distance_steps_record(self, record);
  vida__watch_record(stepper->watch, record);
  vida__jumps_record(stepper, record);
  record_method(self, record);
}

void vida__nested_record(VidaStepper* stepper, VidaRecord* record) {
  bool started = stepper->started;
  vida__record_part(record, "stepper");
  VidaRecord_Flag(record, &started);
  if (started) {
    record_starts(stepper, record);
  }
  if (started && !vida__record_failure(record, NULL)) { /* else nothing has been started */
    record_state(stepper, record);
  }
  stepper->started = started;
  if (started && stepper->hybrid && !vida__record_failure(record, NULL)) {
    vida__hybrid_record(stepper->hybrid, record);
  }
}

/* ---- saving and loading ---------------------------------------------------------------------- */

/* Visiting a stepper changes it only when it is loaded. */
static int save(VidaStepper* stepper, VidaRecord* record, VidaError* error) {
  if (stepper->jumps && stepper->jumps->is_inside) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "a stepper cannot be saved at a jump within its step");
  }
  vida__record_head(stepper->self.model.system, &stepper->options, record);
  vida__nested_record(stepper, record);
  vida__record_part(record, "end");
  return vida__record_failure(record, error);
}

int vida__save_stepper(const VidaStepper* stepper, unsigned char** bytes, size_t* size,
                       bool* is_exact, VidaError* error) {
  VidaRecord* record = NULL;
  *bytes = NULL;
  *size = 0;
  int code = vida__require_start(stepper, error);
  code = code ? code : vida__state_create(&record, error);
  code = code ? code : save((VidaStepper*)stepper, record, error);
  code = code ? code : vida__state_bytes(record, bytes, size, error);
  *is_exact = !code && !vida__record_restarts(record);
  vida__state_destroy(&record);
  return code;
}

int VidaStepper_SaveBytes(const VidaStepper* stepper, unsigned char** bytes, size_t* size,
                          VidaError* error) {
  bool is_exact;
  if (VIDA_REFUSE_NULL(error, stepper, bytes, size)) {
    return VIDA_BAD_ARGUMENT;
  }
  return vida__save_stepper(stepper, bytes, size, &is_exact, error);
}

int VidaStepper_Save(const VidaStepper* stepper, const char* path, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, path)) {
    return VIDA_BAD_ARGUMENT;
  }
  unsigned char* bytes;
  size_t size;
  int code = VidaStepper_SaveBytes(stepper, &bytes, &size, error);
  code = code ? code : vida__replace_file(path, bytes, size, error);
  free(bytes);
  return code;
}

/* Whether an option has the same value, for each coordinate where it has several. */
static bool is_same_value(const VidaSystem* system, const VidaOptions* saved,
                          const VidaOptions* expected, const char* name) {
  double a = VidaOptions_Get(saved, name), b = VidaOptions_Get(expected, name);
  bool is_same = a == b || (a != a && b != b);
  for (int i = 0; i < VidaSystem_CoordinateCount(system) && is_same; i++) {
    const char* coordinate = VidaSystem_CoordinateName(system, i);
    a = VidaOptions_GetOf(saved, name, coordinate);
    b = VidaOptions_GetOf(expected, name, coordinate);
    is_same = a == b || (a != a && b != b);
  }
  return is_same;
}

static int check_options(const VidaSystem* system, const VidaOptions* saved,
                         const VidaOptions* expected, const char* source, VidaError* error) {
  if (strcmp(VidaOptions_Method(saved), VidaOptions_Method(expected)) != 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s is of method %s, not of %s", source,
                      VidaOptions_Method(saved), VidaOptions_Method(expected));
  }
  for (int k = 0; k < VidaOptions_Count(saved); k++) {
    const char* name = VidaOptions_Row(saved, k)->name;
    char there[VIDA_MESSAGE_SIZE], here[VIDA_MESSAGE_SIZE];
    VidaOptions_Text(saved, name, there, sizeof there);
    VidaOptions_Text(expected, name, here, sizeof here);
    if (!is_same_value(system, saved, expected, name) || strcmp(there, here) != 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s has the option %s = %s, not %s", source, name,
                        *there ? there : "none", *here ? here : "none");
    }
  }
  return VIDA_SUCCESS;
}

static int load(const VidaSystem* system, const VidaOptions* expected, const char* source,
                VidaRecord* record, VidaStepper** stepper, VidaError* error) {
  VidaOptions* options = NULL;
  vida__record_head(system, &options, record);
  int code = vida__record_failure(record, error);
  code = code || !expected ? code : check_options(system, options, expected, source, error);
  code = code ? code : vida__create_stepper(system, options, NULL, stepper, error);
  code = code ? code : vida__hybrid_create(*stepper, error);
  if (!code) {
    vida__nested_record(*stepper, record);
    vida__record_part(record, "end");
    code = vida__record_failure(record, error);
  }
  if (!code && !(*stepper)->started) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "%s has no state", source);
  }
  if (!code && !vida__record_is_read(record)) {
    code =
        vida__fail(error, VIDA_INPUT_OUTPUT, "%s has more contents than this VIDA expects", source);
  }
  VidaOptions_Destroy(&options);
  if (code) {
    VidaStepper_Destroy(stepper);
  }
  return code;
}

static int load_bytes(const VidaSystem* system, const VidaOptions* options, const char* source,
                      const unsigned char* bytes, size_t size, VidaStepper** stepper,
                      VidaError* error) {
  VidaRecord* record;
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  int code = vida__state_open(source, bytes, size, &record, error);
  code = code ? code : load(system, options, source, record, stepper, error);
  vida__state_destroy(&record);
  return code;
}

int VidaStepper_LoadBytes(const VidaSystem* system, const VidaOptions* options,
                          const unsigned char* bytes, size_t size, VidaStepper** stepper,
                          VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  *stepper = NULL;
  if (VIDA_REFUSE_NULL(error, system, bytes)) {
    return VIDA_BAD_ARGUMENT;
  }
  return load_bytes(system, options, "the checkpoint", bytes, size, stepper, error);
}

int VidaStepper_Load(const VidaSystem* system, const VidaOptions* options, const char* path,
                     VidaStepper** stepper, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  *stepper = NULL;
  if (VIDA_REFUSE_NULL(error, system, path)) {
    return VIDA_BAD_ARGUMENT;
  }
  char source[256];
  unsigned char* bytes;
  size_t size;
  snprintf(source, sizeof source, "checkpoint '%.200s'", path);
  int code = vida__read_file(path, &bytes, &size, error);
  code = code ? code : load_bytes(system, options, source, bytes, size, stepper, error);
  free(bytes);
  return code;
}
