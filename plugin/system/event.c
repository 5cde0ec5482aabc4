/* Declares events, and derives the rates of their functions. */
#include <stdlib.h>
#include <string.h>
#include <vida/event.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/derivative.h"
#include "system/contacts/contacts.h"
#include "system/model/build.h"
#include "system/model/event.h"
#include "system/terms/derive.h"

#define KIND_NAME(name, word) word,
static const char* const kind_names[VIDA_EVENT_KINDS] = {VIDA_EVENT_KIND_LIST(KIND_NAME)};
#undef KIND_NAME

const char* Vida_EventKindName(int kind) {
  return kind >= 0 && kind < VIDA_EVENT_KINDS ? kind_names[kind] : "";
}

/* ---- declaration ----------------------------------------------------------------------------- */

static bool has_expression(const VidaSystem* system, VidaExpression expression) {
  return system->graph && expression >= 0 && expression < system->graph->count;
}

static int check_assignments(const VidaSystem* system, const VidaEvent* event, VidaError* error) {
  const bool sets = event->action == VIDA_EVENT_SET;
  if (event->count < 0 || event->coupling_count < 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': a number of assignments is negative",
                      event->name);
  }
  if (sets != (event->count > 0) || (sets && (!event->coordinates || !event->velocities))) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': %s", event->name,
                      sets ? "the velocities to set are missing"
                           : "velocities are set only by the action VIDA_EVENT_SET");
  }
  for (int i = 0; i < event->count; i++) {
    const int own = event->coordinates[i];
    if (own < 0 || own >= system->coordinate_count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': there is no coordinate number %d",
                        event->name, own);
    }
    if (!has_expression(system, event->velocities[i])) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "event '%s': the velocity of '%s' does not belong to system '%s'",
                        event->name, system->coordinates[own].name, system->name);
    }
    for (int k = 0; k < i; k++) {
      if (event->coordinates[k] == own) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s' sets the velocity of '%s' twice",
                          event->name, system->coordinates[own].name);
      }
    }
  }
  return VIDA_SUCCESS;
}

static int check_couplings(const VidaSystem* system, const VidaEvent* event, VidaError* error) {
  if (event->coupling_count > 0 && (!event->couplings || !event->engages)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': its couplings are missing",
                      event->name);
  }
  for (int i = 0; i < event->coupling_count; i++) {
    const int c = event->couplings[i];
    if (c < 0 || c >= VidaSystem_ContactCount(system)) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': there is no coupling number %d",
                        event->name, c);
    }
    if (!system->contacts->list[c].is_coupling) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "event '%s': there is no coupling '%s', only a contact of that name",
                        event->name, system->contacts->list[c].name);
    }
    for (int k = 0; k < i; k++) {
      if (event->couplings[k] == c) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s' switches coupling '%s' twice",
                          event->name, system->contacts->list[c].name);
      }
    }
  }
  return VIDA_SUCCESS;
}

static int copy_couplings(const VidaEvent* given, vida_event* event, VidaError* error) {
  const size_t count = (size_t)given->coupling_count;
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  event->couplings = vida__allocate(count, sizeof *event->couplings);
  event->engages = vida__allocate(count, sizeof *event->engages);
  if (!event->couplings || !event->engages) {
    return vida__fail_memory(error);
  }
  memcpy(event->couplings, given->couplings, count * sizeof *event->couplings);
  memcpy(event->engages, given->engages, count * sizeof *event->engages);
  event->coupling_count = given->coupling_count;
  return VIDA_SUCCESS;
}

static int check_event(const VidaSystem* system, const VidaEvent* event, VidaError* error) {
  int code = vida__check_addition(system, "event", event->name, error);
  for (int i = 0; i < system->event_count && !code; i++) {
    if (strcmp(system->events[i].name, event->name) == 0) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT, "there are two events named '%s'", event->name);
    }
  }
  if (!code && !has_expression(system, event->function)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "event '%s': this expression does not belong to system '%s'", event->name,
                      system->name);
  }
  code = code ? code
              : vida__check_kind("event", event->name, "direction", (int)event->direction,
                                 VIDA_DIRECTION_FALLING, error);
  code = code ? code
              : vida__check_kind("event", event->name, "action", (int)event->action,
                                 VIDA_EVENT_CALL, error);
  code = code ? code : check_assignments(system, event, error);
  code = code ? code : check_couplings(system, event, error);
  if (!code && (event->action == VIDA_EVENT_CALL) != (event->call != NULL)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "event '%s': %s", event->name,
                      event->call ? "a function is called only by the action VIDA_EVENT_CALL"
                                  : "the function to call is missing");
  }
  return code;
}

/* The inputs of an expression, and their derivatives along a motion. */
typedef struct event_inputs {
  int count;      /* of positions */
  int* input;     /* positions, then the time */
  int* direction; /* their rates */
  int time;       /* node of the time; -1: the expression does not contain it */
  bool has_rates;
} event_inputs;

static int find_inputs(vida_graph* graph, int function, event_inputs* inputs) {
  const size_t count = (size_t)graph->count;
  bool* used = vida__allocate(count, sizeof *used);
  *inputs = (event_inputs){.time = -1};
  inputs->input = vida__allocate(2 * (count + 1), sizeof *inputs->input);
  if (!used || !inputs->input) {
    free(used);
    return VIDA_OUT_OF_MEMORY;
  }
  inputs->direction = inputs->input + count + 1;
  used[function] = true;
  vida__graph_mark_used(graph, (int)count, used);
  for (int i = 0; i < (int)count; i++) {
    const vida_node node = graph->nodes[i];
    if (!used[i] || node.operation != VIDA_OP_INPUT) {
      continue;
    }
    inputs->has_rates = inputs->has_rates || node.number == VIDA_INPUT_VELOCITY;
    if (node.number == VIDA_INPUT_POSITION) {
      inputs->direction[inputs->count] =
          vida__graph_input(graph, VIDA_INPUT_VELOCITY, node.operand[0]);
      inputs->input[inputs->count++] = i;
    } else if (node.number == VIDA_INPUT_TIME) {
      inputs->time = i;
    }
  }
  free(used);
  return VIDA_SUCCESS;
}

/* Derives f_q v + f_t. */
static int derive_rate(vida_graph* graph, int function, event_inputs* inputs, int* rate) {
  int count = inputs->count;
  if (inputs->time >= 0) {
    inputs->input[count] = inputs->time;
    inputs->direction[count++] = vida__graph_constant(graph, 1.0);
  }
  for (int i = 0; i < count; i++) {
    if (inputs->direction[i] < 0) {
      return inputs->direction[i];
    }
  }
  return vida__derive_product(graph, 1, &function, count, inputs->input, inputs->direction, rate);
}

static int make_batch(VidaSystem* system, const char* name, VidaExpression expression,
                      vida_term_batch* batch, VidaError* error) {
  vida_traced* traced = NULL;
  const int code =
      vida__derive_term(system, VIDA_TRACED_VALUE, name, 1, NULL, &expression, &traced, error);
  if (code) {
    return code;
  }
  *batch =
      (vida_term_batch){.kernel = traced->term, .width = traced->width, .functions = &traced->base};
  return vida__append_term(batch, traced->index, NULL) ? vida__fail_memory(error) : VIDA_SUCCESS;
}

static void destroy_batch(vida_term_batch* batch) {
  free(batch->index);
  free(batch->parameter);
  vida__release_functions(batch->functions);
}

static void destroy_event(vida_event* event) {
  free(event->name);
  destroy_batch(&event->value);
  destroy_batch(&event->rate);
  for (int i = 0; event->velocities && i < event->count; i++) {
    destroy_batch(&event->velocities[i]);
  }
  free(event->velocities);
  free(event->couplings);
  free(event->engages);
  free(event->coordinates);
  *event = (vida_event){0};
}

static int make_assignments(VidaSystem* system, const VidaEvent* given, vida_event* event,
                            VidaError* error) {
  const size_t count = (size_t)given->count;
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  event->count = given->count;
  event->coordinates = vida__allocate(count, sizeof *event->coordinates);
  event->velocities = vida__allocate(count, sizeof *event->velocities);
  if (!event->coordinates || !event->velocities) {
    return vida__fail_memory(error);
  }
  memcpy(event->coordinates, given->coordinates, count * sizeof *event->coordinates);
  int code = VIDA_SUCCESS;
  for (size_t i = 0; i < count && !code; i++) {
    code = make_batch(system, given->name, given->velocities[i], &event->velocities[i], error);
  }
  return code;
}

static int make_event(VidaSystem* system, const VidaEvent* given, vida_event* event,
                      VidaError* error) {
  event_inputs inputs;
  int rate = -1;
  *event = (vida_event){.name = vida__copy_text(given->name),
                        .direction = given->direction,
                        .action = given->action,
                        .call = given->call,
                        .user_data = given->user_data};
  int code =
      event->name ? find_inputs(system->graph, given->function, &inputs) : VIDA_OUT_OF_MEMORY;
  if (!event->name || code) {
    return vida__fail_memory(error);
  }
  if (inputs.count == 0 && inputs.time < 0 && !inputs.has_rates) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "event '%s': its function depends neither on the state nor on the time",
                      given->name);
  }
  code = code ? code : make_batch(system, given->name, given->function, &event->value, error);
  /* A function without a derivative (an abs) is treated as one without a known rate. */
  if (!code && !inputs.has_rates && !derive_rate(system->graph, given->function, &inputs, &rate)) {
    code = make_batch(system, given->name, rate, &event->rate, error);
    event->has_rate = !code;
  }
  free(inputs.input);
  code = code ? code : make_assignments(system, given, event, error);
  return code ? code : copy_couplings(given, event, error);
}

int VidaSystem_AddEvent(VidaSystem* system, const VidaEvent* event, int* index, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, event)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = check_event(system, event, error);
  if (!code && vida__reserve((void**)&system->events, &system->event_capacity,
                             (size_t)system->event_count + 1, sizeof *system->events)) {
    code = vida__fail_memory(error);
  }
  if (code) {
    return code;
  }
  vida_event* made = &system->events[system->event_count];
  code = make_event(system, event, made, error);
  if (code) {
    destroy_event(made);
    return code;
  }
  if (index) {
    *index = system->event_count;
  }
  system->event_count++;
  return VIDA_SUCCESS;
}

void vida__events_destroy(VidaSystem* system) {
  for (int i = 0; i < system->event_count; i++) {
    destroy_event(&system->events[i]);
  }
  free(system->events);
}

int VidaSystem_EventCount(const VidaSystem* system) {
  return system ? system->event_count : 0;
}

const char* VidaSystem_EventName(const VidaSystem* system, int event) {
  return system && event >= 0 && event < system->event_count ? system->events[event].name : NULL;
}
