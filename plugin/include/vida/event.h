/* Events: zeros of functions of the state, which a stepper finds within its steps.
 *
 * Between two events a method makes the steps that it would make without them. The time of an event
 * is found with steps of the method itself, from the state before the event. An event that is only
 * recorded does not change the motion. One that changes velocities splits the step: the method
 * restarts from the new state, and ends at the same node as without the event.
 *
 * A function is compared at both ends of each step, and of each step that an adaptive method
 * chooses. If it depends on positions and time only, its rate is known too, and two zeros within
 * one step are found where the function and its rate show that it has an extremum between them.
 * Definitions: a zero at the start is no event; a function that touches zero without changing its
 * sign has none; several events at one time are processed in the order in which they were added; a
 * zero exactly at the end of the last step is no event. */
#ifndef VIDA_EVENT_H
#define VIDA_EVENT_H

#include <vida/error.h>
#include <vida/export.h>
#include <vida/expression.h>
#include <vida/stepper.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- declaration ----------------------------------------------------------------------------- */

/* The changes of sign that are events. */
typedef enum VidaDirection {
  VIDA_DIRECTION_EITHER,
  VIDA_DIRECTION_RISING, /* from negative to positive values */
  VIDA_DIRECTION_FALLING
} VidaDirection;

/* What happens at an event. */
typedef enum VidaEventAction {
  VIDA_EVENT_RECORD, /* the event is reported */
  VIDA_EVENT_STOP,   /* the motion ends at the event */
  VIDA_EVENT_SET,    /* velocities change to the values of expressions */
  VIDA_EVENT_CALL    /* a function is called, which may change the velocities or end the motion */
} VidaEventAction;

/* The state at an event, during the call of its function. */
typedef struct VidaEventState VidaEventState;

/* An event of a system. */
typedef struct VidaEvent {
  const char* name;        /* "top" */
  VidaExpression function; /* f(q,v,t), whose zeros are the events */
  VidaDirection direction; /* the changes of sign that count */
  VidaEventAction action;  /* what happens there */
  /* For VIDA_EVENT_SET: the velocity of coordinates[i] becomes velocities[i], which is evaluated at
   * the state before the event, for 0 <= i < count; otherwise 0 and NULL. */
  int count;                        /* of assignments */
  const int* coordinates;           /* whose velocities change */
  const VidaExpression* velocities; /* their new values */
  /* For VIDA_EVENT_CALL; otherwise NULL. Returns 0, or a code that ends the step. It may be called
   * in the thread of any stepper of the system, with the same user_data. */
  int (*call)(VidaEventState* state, void* user_data);
  void* user_data;      /* must live as long as the system */
  int coupling_count;   /* of any action: number of couplings that it changes; otherwise 0 */
  const int* couplings; /* indices of couplings (VidaSystem_AddCoupling); NULL: none */
  const bool* engages;  /* engages[i]: couplings[i] is engaged, otherwise released */
} VidaEvent;

/* Adds an event to a system that is not complete. *index (nullable) receives its index. Fails with
 * VIDA_BAD_ARGUMENT for the name of another event, for a function that does not depend on the state
 * or the time, for an unknown direction or action, for a call without a function, for
 * assignments to unknown or repeated coordinates, and for couplings that do not exist, are contacts
 * or are repeated. */
VIDA_API int VidaSystem_AddEvent(VidaSystem* system, const VidaEvent* event, int* index,
                                 VidaError* error);
/* Returns the number of events. */
VIDA_API int VidaSystem_EventCount(const VidaSystem* system);
/* Returns the name of an event; NULL for an unknown index. */
VIDA_API const char* VidaSystem_EventName(const VidaSystem* system, int event);

/* ---- functions of events --------------------------------------------------------------------- */

/* Returns the time of the event in s. */
VIDA_API double VidaEventState_Time(const VidaEventState* state);
/* Returns the positions (n) at the event, valid during the call. */
VIDA_API const double* VidaEventState_Positions(const VidaEventState* state);
/* Returns the velocities (n) at the event, with the changes that the function has made so far;
 * valid during the call. */
VIDA_API const double* VidaEventState_Velocities(const VidaEventState* state);
/* Returns the system. */
VIDA_API const VidaSystem* VidaEventState_System(const VidaEventState* state);
/* Changes a velocity. After the call, velocities that violate G v + g_t = 0 are projected onto it
 * by an impulse of the constraints. Fails with VIDA_BAD_ARGUMENT for an unknown coordinate, and for
 * a value that is not finite. */
VIDA_API int VidaEventState_SetVelocity(VidaEventState* state, int coordinate, double value,
                                        VidaError* error);
/* Ends the motion at this event. */
VIDA_API void VidaEventState_Stop(VidaEventState* state);

/* ---- records --------------------------------------------------------------------------------- */

/* What has happened. X(NAME, word) */
#define VIDA_EVENT_KIND_LIST(X)                                                     \
  X(ZERO, "zero")       /* an event of VidaSystem_AddEvent */                       \
  X(IMPACT, "impact")   /* a contact that closes is hit, and opens again at once */ \
  X(REST, "rest")       /* a contact closes and stays closed */                     \
  X(RELEASE, "release") /* a closed contact opens, because its force would pull */  \
  X(STICK, "stick")     /* a sliding contact sticks */                              \
  X(SLIDE, "slide")     /* a sticking contact slides */                             \
  X(ENGAGE, "engage")   /* a coupling is engaged */                                 \
  X(BREAK, "break")     /* a coupling is released, or breaks */

/* The kind of an event. */
#define VIDA_EVENT_KIND_ENUMERATOR(name, word) VIDA_EVENT_##name,
typedef enum VidaEventKind {
  VIDA_EVENT_KIND_LIST(VIDA_EVENT_KIND_ENUMERATOR) VIDA_EVENT_KINDS
} VidaEventKind;
#undef VIDA_EVENT_KIND_ENUMERATOR

/* One event of a motion. The arrays are valid during the call of the observer. */
typedef struct VidaEventRecord {
  VidaEventKind kind;                   /* what has happened */
  int index;                            /* of the event or of the contact in its system */
  const char* name;                     /* of the event or contact; belongs to the system */
  double t;                             /* s */
  const double *q, *v_before, *v_after; /* n each */
} VidaEventRecord;

/* Returns the word for a kind of event ("impact"); "" for an unknown one. */
VIDA_API const char* Vida_EventKindName(int kind);

/* Sets a function that is called with each event of the steps of `stepper`, in the order of time;
 * NULL removes it. It returns 0; after any other number the step fails with VIDA_CALLBACK_FAILED.
 */
VIDA_API int VidaStepper_SetEventObserver(VidaStepper* stepper,
                                          int (*observe)(const VidaEventRecord* record, void* data),
                                          void* data, VidaError* error);
/* Returns whether an event has ended the motion; VidaStepper_Time is then its time, and steps fail
 * with VIDA_WRONG_ORDER until the next start. */
VIDA_API bool VidaStepper_HasEnded(const VidaStepper* stepper);

#ifdef __cplusplus
}
#endif
#endif
