#include "study/run/run_state.h"

#include <stdlib.h>

#include "base/error.h"
#include "stepper/checkpoint.h"

/* A list of bytes with its length. */
static void put_part(vida_record* record, const unsigned char* bytes, size_t size) {
  vida__put_integer(record, (int64_t)size);
  vida__put_bytes(record, bytes, size);
}

/* Returns the next part, which belongs to the record; NULL if it is too short. */
static const unsigned char* get_part(vida_record* record, size_t* size) {
  const int64_t wanted = vida__get_integer(record);
  if (record->too_short || wanted < 0 || (uint64_t)wanted > record->size - record->at) {
    record->too_short = true;
    return NULL;
  }
  const unsigned char* part = record->bytes + record->at;
  *size = (size_t)wanted;
  record->at += (size_t)wanted;
  return part;
}

static int save_monitors(vida_monitors* monitors, VidaStudy* study, unsigned char** bytes,
                         size_t* size, VidaError* error) {
  VidaRecord* state = NULL;
  *bytes = NULL;
  int code = vida__state_create(&state, error);
  if (!code) {
    vida__monitors_record(monitors, study, state);
    code = vida__record_failure(state, error);
  }
  code = code ? code : vida__state_bytes(state, bytes, size, error);
  vida__state_destroy(&state);
  return code;
}

int vida__put_run_state(const vida_time_loop* loop, vida_monitors* monitors, VidaStudy* study,
                        long sampled, vida_record* record, bool* is_kept, VidaError* error) {
  unsigned char *stepper = NULL, *measured = NULL;
  size_t stepper_size, measured_size;
  *is_kept = false;
  int code = vida__save_stepper(loop->stepper, &stepper, &stepper_size, is_kept, error);
  if (!code && *is_kept) {
    code = save_monitors(monitors, study, &measured, &measured_size, error);
  }
  if (!code && *is_kept) {
    vida__put_integer(record, loop->step);
    vida__put_integer(record, sampled);
    vida__put_integer(record, vida__comparison_of(study, monitors->run));
    vida__put_real(record, loop->wall);
    vida__put_events(&monitors->run->events, record);
    put_part(record, stepper, stepper_size);
    put_part(record, measured, measured_size);
  }
  free(stepper);
  free(measured);
  return code || !record->no_memory ? code : vida__fail_memory(error);
}

static int load_stepper(vida_time_loop* loop, vida_record* record, VidaError* error) {
  size_t size = 0;
  VidaStepper* loaded = NULL;
  const VidaStepper* now = loop->stepper;
  const unsigned char* bytes = get_part(record, &size);
  const int code = bytes ? VidaStepper_LoadBytes(VidaStepper_System(now), VidaStepper_Options(now),
                                                 bytes, size, &loaded, error)
                         : vida__fail(error, VIDA_INPUT_OUTPUT, "the state has no stepper");
  if (!code) {
    VidaStepper_Destroy(&loop->stepper);
    loop->stepper = loaded;
  }
  return code;
}

static int load_monitors(vida_monitors* monitors, VidaStudy* study, vida_record* record,
                         VidaError* error) {
  size_t size = 0;
  VidaRecord* state = NULL;
  const unsigned char* bytes = get_part(record, &size);
  int code = bytes ? vida__state_open("the state of the run", bytes, size, &state, error)
                   : vida__fail(error, VIDA_INPUT_OUTPUT, "the state has no measurements");
  if (!code) {
    vida__monitors_record(monitors, study, state);
    code = vida__record_failure(state, error);
  }
  if (!code && !vida__record_is_read(state)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "the state has more measurements than expected");
  }
  vida__state_destroy(&state);
  return code;
}

int vida__get_run_state(vida_time_loop* loop, vida_monitors* monitors, VidaStudy* study,
                        long* sampled, vida_record* record, VidaError* error) {
  vida_run* run = &study->runs[monitors->run - study->runs];
  const int64_t step = vida__get_integer(record), last = vida__get_integer(record);
  const int64_t compared = vida__get_integer(record);
  const double wall = vida__get_real(record);
  if (compared != vida__comparison_of(study, monitors->run)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the run was compared with another reference");
  }
  if (record->too_short || step < 0 || step > loop->grid.full || last < -1 || last > step) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the state belongs to another run");
  }
  int code = vida__get_events(&run->events, record, error);
  code = code ? code : load_stepper(loop, record, error);
  code = code ? code : load_monitors(monitors, study, record, error);
  if (!code) {
    loop->step = (long)step;
    loop->wall = wall;
    *sampled = (long)last;
    monitors->work.balance.root_mass = loop->stepper->self.model.root_mass;
  }
  return code;
}
