/* Steps over jumps in time: every step ends at a jump, and the method restarts after it.
 *
 * A step of the stepper from node to node then consists of several parts. During each part, also at
 * its two ends, formulas have the values of one side of the jumps. */
#ifndef VIDA_STEPPER_JUMPS_H
#define VIDA_STEPPER_JUMPS_H

#include "stepper/frame.h"
#include "system/constraints/equations.h"
#include "system/evaluate/time_jumps.h"

/* The state of a stepper whose system has jumps in time. */
struct vida_jumps {
  vida_jump_search search;
  /* The time grid of the caller; the grid of the integration is that of the current part. */
  double t0, h;
  long step;
  double from;     /* jumps before this time have been processed */
  vida_jump jump;  /* the jump at the current state, if is_at_jump */
  bool is_at_jump; /* the current state is at a jump */
  bool is_left;    /* the current state is on the earlier side of the jump; the next step crosses it
                      first */
  bool is_inside;  /* the current state lies between two nodes of the caller, while `tell` is called
                    */
  vida_segment edge; /* the segment for observables at a jump, next to it */
  double *q, *v;     /* n each: the state between two parts */
  double *q_node,
      *v_node; /* n each: the state at the last node of the caller, restored after a failure */
  double *rows, *rows_right; /* m each: work space */
  VidaStatistics before;     /* statistics of the earlier parts */
  double velocity_t;         /* time of the first jump of the velocities, s */
  int velocity_row;          /* row whose rate caused it; -1: none */
  /* Called on both sides of every jump that a step crosses, earlier side first; nullable. */
  int (*tell)(void* data, VidaStepper* stepper, VidaError* error);
  void* data;
};

/* Creates stepper->jumps, and makes the evaluators of the stepper use its segment. Without jumps in
 * the system, stepper->jumps is NULL. */
int vida__jumps_create(VidaStepper* stepper, VidaError* error);
/* Frees the state and sets *jumps to NULL; NULL is allowed. */
void vida__jumps_destroy(vida_jumps** jumps);
/* Sets the grid before a start at t0 (s) with the step h (s). If t0 is at a jump, the motion starts
 * on the later side. */
int vida__jumps_begin(VidaStepper* stepper, double t0, double h, VidaError* error);
/* Makes a step of a system with jumps in time, as VidaStepper_Step does. */
int vida__jumps_step(VidaStepper* stepper, VidaError* error);

/* Visits the state of a stepper at its jumps; nothing, if its system has none. */
void vida__jumps_record(VidaStepper* stepper, VidaRecord* record);
/* Visits a segment of time. */
void vida__record_segment(vida_segment* segment, VidaRecord* record);

/* Adds `more` to *sum, except the number of singular passages. */
void vida__add_statistics(VidaStatistics* sum, VidaStatistics more);

/* Returns whether the state is at a jump. If so, lambda (m) receives the multipliers of the
 * equations of motion on the side of the state, NaN if these have no solution. */
bool vida__multipliers_at_jump(VidaStepper* stepper, double* lambda);
/* Returns the name of the first row whose rate made the velocities jump, and writes its time to *t
 * (s); NULL if the velocities did not jump. */
const char* vida__velocity_jump(const VidaStepper* stepper, double* t);
/* Sets the distance h (s) of the next nodes, for a shorter last step. Returns false if the system
 * has no jumps; the stepper must then be started again. */
bool vida__space_nodes(VidaStepper* stepper, double h);
/* Sets the function that is called at jumps. During the call the time of the stepper is that of the
 * jump. */
void vida__set_jump_function(VidaStepper* stepper, int (*tell)(void*, VidaStepper*, VidaError*),
                             void* data);

#endif
