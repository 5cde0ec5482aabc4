/* Steps over jumps in time: every step ends at a jump, and the method starts anew after it.
 *
 * A step of the stepper, from node to node, then consists of several parts. During each part the
 * formulas are those of one side of the jumps, also at its ends. */
#ifndef VIDA_STEPPER_JUMPS_H
#define VIDA_STEPPER_JUMPS_H

#include "stepper/frame.h"
#include "system/evaluate/equations.h"
#include "system/evaluate/time_jumps.h"

struct vida_jumps {
  vida_jump_search search;
  /* The grid of the caller; the grid of the stepper is that of the parts. */
  double t0, h;
  long step;
  double from;               /* jumps before this time are done */
  vida_jump jump;            /* at which the state is, */
  bool is_at_jump;           /* where it is */
  bool is_left;              /* and on its earlier side: the next step first crosses it */
  bool is_inside;            /* between the nodes that were asked for, while `tell` is called */
  vida_segment edge;         /* of observables at a jump: just beside it */
  double *q, *v;             /* n: the state between two parts */
  double *q_node, *v_node;   /* n: that of the node, to which a failed step returns */
  double *rows, *rows_right; /* m */
  VidaStatistics before;     /* of earlier parts */
  double velocity_t;         /* where velocities jumped first, */
  int velocity_row;          /* with the rate of this row; -1: nowhere */
  /* Called on both sides of every jump that is crossed, in this order; nullable. */
  int (*tell)(void* data, VidaStepper* stepper, VidaError* error);
  void* data;
};

/* *jumps is NULL where nothing jumps. Evaluators of the stepper take its segment from then on. */
int vida__jumps_create(VidaStepper* stepper, VidaError* error);
void vida__jumps_destroy(vida_jumps** jumps);
/* Before a start: sets the grid, and takes the later side of a jump at t0. */
int vida__jumps_begin(VidaStepper* stepper, double t0, double h, VidaError* error);
/* VidaStepper_Step of systems with jumps. */
int vida__jumps_step(VidaStepper* stepper, VidaError* error);

/* sum += more, except the singular passages. */
void vida__add_statistics(VidaStatistics* sum, VidaStatistics more);

/* Whether the state is at a jump; lambda (m) then receives the multipliers of the equations of
 * motion on the side of the state, NaN if these have no solution. */
bool vida__multipliers_at_jump(VidaStepper* stepper, double* lambda);
/* The name of the first row whose rate made the velocities jump, and the time; NULL: none. */
const char* vida__velocity_jump(const VidaStepper* stepper, double* t);
/* Sets the spacing h of the following nodes, for a shorter last step. Returns false if nothing
 * jumps: the stepper must then be started anew. */
bool vida__space_nodes(VidaStepper* stepper, double h);
/* Sets the function that is called at jumps; the time of the stepper is then that of the jump. */
void vida__tell_jumps(VidaStepper* stepper, int (*tell)(void*, VidaStepper*, VidaError*),
                      void* data);

#endif
