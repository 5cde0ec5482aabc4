/* Events of a system: functions of the state whose zeros a stepper finds. */
#ifndef VIDA_SYSTEM_MODEL_EVENT_H
#define VIDA_SYSTEM_MODEL_EVENT_H

#include <vida/event.h>

#include "system/model/kernel.h"

/* An event with its compiled function. */
typedef struct vida_event {
  char* name;
  VidaDirection direction;
  VidaEventAction action;
  int (*call)(VidaEventState* state, void* user_data);
  void* user_data;
  int coupling_count;
  int* couplings;
  bool* engages;
  int count; /* of assignments: the velocity of coordinates[i] becomes velocities[i] */
  int* coordinates;
  vida_term_batch* velocities;
  vida_term_batch value; /* the function */
  vida_term_batch rate;  /* its time derivative along a motion, if has_rate */
  bool has_rate;         /* the function depends on positions and time only */
} vida_event;

#endif
