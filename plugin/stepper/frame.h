/* The frame around every method: clock, checks of every step, interrupts, jumps in time. */
#ifndef VIDA_STEPPER_FRAME_H
#define VIDA_STEPPER_FRAME_H

#include "stepper/integration.h"

typedef struct vida_watch vida_watch; /* branch_watch.h */
typedef struct vida_jumps vida_jumps; /* jumps.h */

/* Whom to ask during a step whether to go on, and what the answer was (interrupt.c). */
typedef struct vida_interrupt {
  int (*ask)(void* data); /* nullable */
  void* data;
  bool is_active; /* during a step; nobody is asked between them */
  int code;       /* of the present or the last step; negative after an interrupt */
  double reached; /* the time that the method's own steps had come to then */
} vida_interrupt;

struct VidaStepper {
  VidaIntegration self; /* what the method sees; first, so that its address is that of the frame */
  VidaOptions* options;
  long earlier; /* steps of the same run before this start: messages count them, too */
  bool started;
  /* Of a stage of a composition, or of a method that makes its own steps with this one: whose it
   * is, and which of how many; messages name the step of that. */
  VidaStepper* outer;    /* NULL: none */
  int stage, stages;     /* 0: it makes its own */
  double* block;         /* where all arrays of the integration and of the frame live */
  double* kept;          /* 5 n + m: the node before the step, from q on */
  double start_energy;   /* the size of that of the start, of either kind */
  double* node_velocity; /* n: v at the node, once it was asked for */
  bool has_node_velocity;
  bool has_node_multipliers; /* of methods that find them when asked */
  vida_watch* watch;         /* of the motion along its constraints; NULL without any */
  vida_jumps* jumps; /* NULL of systems in which nothing jumps, and of steppers with an `outer` */
  vida_segment segment;     /* of time, in which the step lies; meaningful where something jumps */
  vida_interrupt interrupt; /* of a stepper without `outer` */
};

/* Returns the stepper of an integration. */
VidaStepper* vida__frame_of(VidaIntegration* self);

/* Returns a method by its number, NULL outside 0 .. Vida_MethodCount() - 1, or by its name, NULL
 * where there is none (registry.c). */
const VidaMethod* vida__method(int index);
const VidaMethod* vida__find_method(const char* name);

/* VidaStepper_Create without that; *stepper is NULL (stepper.c). */
int vida__create_stepper(const VidaSystem* system, const VidaOptions* options,
                         VidaStepper** stepper, VidaError* error);
/* VidaStepper_StartWithStep without that (stepper.c). */
int vida__start_stepper(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                        VidaError* error);
/* The same without looking for jumps; `again`: the motion goes on, and what the watch has found
 * counts on (stepper.c). */
int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error);
/* One step of the method, which meets no jump (stepper.c). */
int vida__make_step(VidaStepper* stepper, VidaError* error);
/* Where `error` holds such a refusal, appends which methods can take the system with their default
 * options: "; these can: rattle, hht and 3 more". Returns `code` (alternatives.c). */
int vida__name_able(const VidaSystem* system, const VidaOptions* options, int code,
                    VidaError* error);

/* Around a step; whether it was interrupted. */
void vida__begin_interruptible(VidaStepper* stepper);
bool vida__end_interruptible(VidaStepper* stepper);
/* The failure of an interrupted step. */
int vida__fail_interrupted(const VidaStepper* stepper, VidaError* error);
/* After a start in the middle of a run: how many of its steps were made before. */
void vida__count_earlier(VidaStepper* stepper, long steps);
/* ---- one verdict for all methods (verdict.c) ---- */
/* Fails with SINGULAR_START where rows depend on each other at the start and no accelerations keep
 * them all with its velocities. */
int vida__judge_start(VidaStepper* stepper, VidaError* error);
/* Judges the node that a step has led to, before it is that of the stepper: fails where a
 * constraint is violated by more than the method claims, or where it claims nothing, with
 * UNBOUNDED by more than the size of what it compares. */
int vida__judge_step(VidaStepper* stepper, VidaError* error);
/* Judges velocities v (n) at the node: fails with CONSTRAINT_VIOLATED where they violate a
 * constraint by more than a method that claims to keep G v + g_t = 0 may leave. */
int vida__judge_velocities(VidaStepper* stepper, const double* v, VidaError* error);
/* Says in `error`, of a step that failed and was taken back, what is known of why: that a
 * constraint jumps there, that the motion had gone out of bounds before, that a singular
 * configuration is near; and what to try of steps that end on another branch. */
void vida__explain_failure(VidaStepper* stepper, VidaError* error);
/* At the node: appends to text what is not to be passed over in silence although it ends no step:
 * velocities, and relaxed constraints, as far off; else leaves it as it is. */
int vida__note_violations(VidaStepper* stepper, char* text, size_t size, VidaError* error);

#endif
