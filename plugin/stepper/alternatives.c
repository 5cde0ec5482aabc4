/* Finds the methods that accept a system by creating a stepper of each. A list written by hand
 * would not stay correct. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stepper/frame.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/registry.h"

/* Leaves space for text that callers put before a message. */
enum { ROOM = VIDA_MESSAGE_SIZE - 64, MORE = 24 };

/* Unknowns of a system for which steppers are created. Some methods have full matrices; with
 * thousands of unknowns a refusal would take minutes. */
enum { MOST_UNKNOWNS = 500 };

typedef struct start_state {
  double *q, *v;
  bool is_there;
} start_state;

/* A start at or near the initial values of the system; some methods check systems only when they
 * start. */
static void find_start(const VidaSystem* system, start_state* at) {
  const VidaStartOptions about = {.adjust = true, .tolerance = 1.0};
  const size_t n = (size_t)system->coordinate_count;
  at->q = vida__allocate(2 * n, sizeof *at->q);
  at->v = at->q ? at->q + n : NULL;
  at->is_there = at->q && !VidaSystem_Start(system, 0.0, &about, at->q, at->v, NULL, NULL);
}

/* Returns whether the method accepts the system with its default options and some step. Error
 * messages are not needed, so the methods that accept are not listed in them. */
static bool can_take(const VidaMethod* method, const VidaSystem* system, const start_state* at,
                     double h) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  int code = VidaOptions_Create(method->info.name, &options, NULL);
  code = code ? code : VidaOptions_SetReal(options, "h", h, NULL);
  code = code ? code : vida__create_stepper(system, options, NULL, &stepper, NULL);
  code = code ? code : vida__hybrid_create(stepper, NULL);
  if (!code && at->is_there) {
    code = vida__start_stepper(stepper, 0.0, h, at->q, at->v, NULL);
  }
  if (!code) { /* the modes in which contacts are closed, which may come later */
    code = vida__check_modes(stepper, NULL);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return !code;
}

/* Appends as many whole names as fit, and the number of the others. */
static void append_names(const VidaMethod* const* able, int count, char* text) {
  int named = 0;
  for (; named < count; named++) {
    const char* name = able[named]->info.name;
    if (strlen(text) + strlen(name) + (named + 1 < count ? MORE : 2) > ROOM) {
      break;
    }
    vida__append(text, VIDA_MESSAGE_SIZE, "%s%s", named > 0 ? ", " : "", name);
  }
  if (named < count) {
    vida__append(text, VIDA_MESSAGE_SIZE, "%s%d%s", named > 0 ? " and " : "", count - named,
                 named > 0 ? " more" : " others");
  }
}

int vida__name_alternatives(const VidaSystem* system, const VidaOptions* options, int code,
                            VidaError* error) {
  if (code != VIDA_NOT_SUPPORTED || !error || strcmp(error->flag, VIDA_SYSTEM_REFUSED) != 0) {
    return code;
  }
  error->flag[0] = '\0';
  if (system->coordinate_count + system->row_count > MOST_UNKNOWNS) {
    vida__append(error->message, VIDA_MESSAGE_SIZE, "; 'vida advise' lists methods that do");
    return code;
  }
  const VidaMethod** able = vida__allocate((size_t)Vida_MethodCount(), sizeof *able);
  if (!able) {
    return code; /* the refusal says enough */
  }
  start_state at;
  int count = 0;
  find_start(system, &at);
  /* If a method for rigid bodies was asked for, names another method for rigid bodies first. */
  const VidaMethod* const refused = vida__find_method(VidaOptions_Method(options));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < Vida_MethodCount(); i++) {
      const VidaMethod* method = vida__method(i);
      const unsigned both = method->info.capabilities & refused->info.capabilities;
      const bool is_first = (both & (VIDA_CAN_RIGID_BODIES | VIDA_CAN_JOINTED_BODIES)) != 0;
      if (is_first == (pass == 0) && method != refused &&
          can_take(method, system, &at, VidaOptions_Get(options, "h"))) {
        able[count++] = method;
      }
    }
  }
  vida__append(error->message, VIDA_MESSAGE_SIZE, "%s",
               count > 0 ? "; these can: " : "; no other method can");
  append_names(able, count, error->message);
  free(at.q);
  free(able);
  return code;
}

void vida__append_stepping(const VidaSystem* system, const char* before, const char* joint,
                           const char* after, char* text, size_t size) {
  const char* last = NULL;
  int count = 0;
  for (int i = Vida_MethodCount() - 1; i >= 0; i--) {
    const VidaMethodInfo* info = &vida__method(i)->info;
    if (!(info->capabilities & VIDA_CAN_CONTACTS) || !vida__accepts(system, info->name)) {
      continue;
    }
    if (last) {
      vida__append(text, size, "%s%s", count++ > 0 ? ", " : before, last);
    }
    last = info->name;
  }
  if (last && count > 0) {
    vida__append(text, size, " %s %s%s", joint, last, after);
  } else if (last) {
    vida__append(text, size, "%s%s%s", before, last, after);
  }
}
