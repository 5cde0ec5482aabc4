/* What happens at events: records, calls of functions, changes of velocities. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/hybrid/contacts.h"
#include "stepper/hybrid/hybrid.h"

/* The state that the function of an event sees. */
struct VidaEventState {
  vida_hybrid* hybrid;
  const char* name;
  bool is_changed, ends;
};

double VidaEventState_Time(const VidaEventState* state) {
  return state ? state->hybrid->tried.t : (double)NAN;
}

const double* VidaEventState_Positions(const VidaEventState* state) {
  return state ? state->hybrid->tried.q : NULL;
}

const double* VidaEventState_Velocities(const VidaEventState* state) {
  return state ? state->hybrid->tried.v : NULL;
}

const VidaSystem* VidaEventState_System(const VidaEventState* state) {
  return state ? state->hybrid->frame->self.model.system : NULL;
}

void VidaEventState_Stop(VidaEventState* state) {
  if (state) {
    state->ends = true;
  }
}

int VidaEventState_SetVelocity(VidaEventState* state, int coordinate, double value,
                               VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  if (VIDA_REFUSE_NULL(error, state)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaSystem* system = VidaEventState_System(state);
  if (coordinate < 0 || coordinate >= system->coordinate_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': there is no coordinate number %d",
                      state->name, coordinate);
  }
  if (!isfinite(value)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "event '%s': the velocity of '%s' must be a finite number, got %s",
                      state->name, system->coordinates[coordinate].name,
                      vida__shortest_text(got, value));
  }
  double* v = &state->hybrid->tried.v[coordinate];
  state->is_changed = state->is_changed || *v != value;
  *v = value;
  return VIDA_SUCCESS;
}

/* ---- records --------------------------------------------------------------------------------- */

int vida__report_event(vida_hybrid* hybrid, VidaEventKind kind, int index, const char* name,
                       VidaError* error) {
  const VidaEventRecord record = {
      kind, index, name, hybrid->tried.t, hybrid->tried.q, hybrid->v_before, hybrid->tried.v};
  const int code = hybrid->observe ? hybrid->observe(&record, hybrid->data) : VIDA_SUCCESS;
  if (code && hybrid->is_own_observer) {
    return vida__fail(error, code < 0 ? code : VIDA_STOPPED, "event '%s': %s", name,
                      Vida_CodeText(code < 0 ? code : VIDA_STOPPED));
  }
  return code ? vida__fail(error, VIDA_CALLBACK_FAILED, "event '%s': its observer returned %d",
                           name, code)
              : VIDA_SUCCESS;
}

/* ---- actions --------------------------------------------------------------------------------- */

int vida__project_positions(vida_hybrid* hybrid, VidaError* error) {
  enum { PASSES = 2 };
  VidaIntegration* self = &vida__current_mode(hybrid)->probe->self;
  vida_sample* at = &hybrid->tried;
  const size_t n = (size_t)self->model.n;
  double* change = self->work.node_step; /* n + m */
  int code = VIDA_SUCCESS;
  for (int pass = 0; pass < PASSES && self->model.m > 0 && !code; pass++) {
    memset(change, 0, n * sizeof *change);
    code = vida__constraints(&self->model.evaluator, at->t, at->q, NULL, change + n);
    code = code ? code : vida__jacobian(&self->model.evaluator, at->t, at->q, self->work.entries);
    code = code ? code : vida__factor_matrix_at(self, at->t, at->q, self->work.entries, at->v);
    code = code ? code : vida__linear_solve(self->model.node_matrix, change, change);
    for (size_t i = 0; i < n && !code; i++) {
      at->q[i] -= change[i];
    }
  }
  return code ? vida__fail(error, code,
                           "the closed contacts and constraints of system '%s' cannot "
                           "be satisfied together",
                           self->model.system->name)
              : VIDA_SUCCESS;
}

int vida__project_velocities(vida_hybrid* hybrid, VidaError* error) {
  VidaIntegration* self = &vida__current_mode(hybrid)->probe->self;
  vida_sample* at = &hybrid->tried;
  if (self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__jacobian(&self->model.evaluator, at->t, at->q, self->work.entries);
  return code ? vida__evaluation_failed(self, code, error)
              : vida__project_rates(self, at->t, at->q, at->v, error);
}

/* Lets the motion begin again from velocities that an action has changed: its energy is another one
 * from here on. */
static int take_velocities(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  *is_changed = true;
  for (int k = 0; k < hybrid->mode_count; k++) {
    hybrid->modes[k].is_fresh = true;
  }
  return vida__project_velocities(hybrid, error);
}

static int set_velocities(vida_hybrid* hybrid, int index, bool* is_changed, VidaError* error) {
  const vida_event* event = &hybrid->frame->self.model.system->events[index];
  vida_sample* at = &hybrid->tried;
  char t[VIDA_REAL_TEXT_SIZE];
  int code =
      vida__evaluate_assignments(&hybrid->evaluator, index, at->t, at->q, hybrid->v_before, at->v);
  for (int i = 0; i < event->count; i++) {
    if (code || !isfinite(at->v[event->coordinates[i]])) {
      return vida__fail(
          error, VIDA_NOT_FINITE, "event '%s': its velocity of '%s' has no finite value at t = %s",
          event->name, hybrid->frame->self.model.system->coordinates[event->coordinates[i]].name,
          vida__real_text(t, at->t, 12));
    }
  }
  return take_velocities(hybrid, is_changed, error);
}

static int call_function(vida_hybrid* hybrid, const vida_event* event, bool* is_changed,
                         VidaError* error) {
  VidaEventState state = {hybrid, event->name, false, false};
  const int code = event->call(&state, event->user_data);
  if (code) {
    return vida__fail(error, code < 0 ? code : VIDA_CALLBACK_FAILED,
                      "event '%s': its function failed: %s", event->name, Vida_CodeText(code));
  }
  hybrid->has_ended = hybrid->has_ended || state.ends;
  return state.is_changed ? take_velocities(hybrid, is_changed, error) : VIDA_SUCCESS;
}

static int process_event(vida_hybrid* hybrid, vida_watched* watched, bool* is_changed,
                         VidaError* error) {
  const vida_event* event = &hybrid->frame->self.model.system->events[watched->index];
  int code = VIDA_SUCCESS;
  watched->side = -watched->side;
  watched->is_at_zero = true;
  if (event->action == VIDA_EVENT_CALL) {
    code = call_function(hybrid, event, is_changed, error);
  } else if (event->action == VIDA_EVENT_SET) {
    code = set_velocities(hybrid, watched->index, is_changed, error);
  }
  for (int i = 0; i < event->coupling_count && !code; i++) {
    code = vida__switch_coupling(hybrid, event->couplings[i], event->engages[i], error);
  }
  hybrid->has_ended = hybrid->has_ended || event->action == VIDA_EVENT_STOP;
  return code ? code
              : vida__report_event(hybrid, VIDA_EVENT_ZERO, watched->index, event->name, error);
}

static void keep_velocities(vida_hybrid* hybrid) {
  memcpy(hybrid->v_before, hybrid->tried.v,
         (size_t)hybrid->frame->self.model.n * sizeof *hybrid->v_before);
}

/* Functions whose events are not this one have left their zeros, recorded ones where their values
 * show it. */
static void leave_zero(const vida_hybrid* hybrid, int i) {
  vida_watched* watched = &hybrid->watched[i];
  watched->is_at_zero =
      watched->is_record && watched->is_at_zero && !(hybrid->tried.value[i] * watched->side > 0.0);
}

int vida__report_records(vida_hybrid* hybrid, VidaError* error) {
  bool is_changed = false;
  int code = VIDA_SUCCESS;
  keep_velocities(hybrid);
  for (int i = 0; i < hybrid->watched_count && !code; i++) {
    vida_watched* watched = &hybrid->watched[i];
    if (watched->is_record) {
      leave_zero(hybrid, i);
      code = watched->is_fired ? process_event(hybrid, watched, &is_changed, error) : code;
    }
  }
  return code;
}

int vida__process_events(vida_hybrid* hybrid, bool* is_changed, VidaError* error) {
  int code = VIDA_SUCCESS;
  keep_velocities(hybrid);
  for (int i = 0; i < hybrid->watched_count && !code; i++) {
    vida_watched* watched = &hybrid->watched[i];
    leave_zero(hybrid, i);
    if (watched->is_fired && watched->kind == VIDA_WATCHED_EVENT) {
      code = process_event(hybrid, watched, is_changed, error);
    }
  }
  code = code ? code : vida__process_contacts(hybrid, is_changed, error);
  if (hybrid->has_ended) {
    hybrid->end = hybrid->tried.t;
    *is_changed = true;
  }
  return code;
}

/* ---- observers ------------------------------------------------------------------------------- */

int VidaStepper_SetEventObserver(VidaStepper* stepper,
                                 int (*observe)(const VidaEventRecord* record, void* data),
                                 void* data, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (stepper->hybrid) {
    stepper->hybrid->observe = observe;
    stepper->hybrid->data = data;
    stepper->hybrid->is_own_observer = false;
  }
  return VIDA_SUCCESS;
}

void vida__observe_events(VidaStepper* stepper,
                          int (*observe)(const VidaEventRecord* record, void* data), void* data) {
  VidaStepper_SetEventObserver(stepper, observe, data, NULL);
  if (stepper->hybrid) {
    stepper->hybrid->is_own_observer = true;
  }
}

bool VidaStepper_HasEnded(const VidaStepper* stepper) {
  return stepper && stepper->hybrid && stepper->hybrid->has_ended;
}
