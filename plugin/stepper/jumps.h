/* Steps over jumps in time: every step ends at one, and the method starts anew behind it.
 *
 * A step of the stepper, from node to node, is then several parts. During each the formulas are
 * those of one side of the jumps, at both of its ends. */
#ifndef VIDA_STEPPER_JUMPS_H
#define VIDA_STEPPER_JUMPS_H

#include "stepper/method.h"
#include "system/evaluate/equations.h"
#include "system/evaluate/time_jumps.h"

struct vida_jumps {
  vida_jump_search search;
  /* The grid that was asked for; that of the stepper is the grid of its parts. */
  double t0, h;
  long step;
  double from;               /* jumps before it lie behind */
  vida_jump jump;            /* at which the state is, */
  bool is_at_jump;           /* where it is */
  bool is_left;              /* and on its earlier side: the next step begins by crossing it */
  bool is_inside;            /* between the nodes that were asked for, while `tell` is called */
  vida_segment edge;         /* of observables at a jump: just beside it */
  double *q, *v;             /* n: the state between two parts */
  double *q_node, *v_node;   /* n: that of the node, to which a failed step returns */
  double *rows, *rows_right; /* m */
  VidaStatistics before;     /* of earlier parts */
  double velocity_t;         /* where velocities jumped first, */
  int velocity_row;          /* with the rate of this row; -1: nowhere */
  /* Is called on both sides of every jump that is crossed, in this order; NULL: nobody. */
  int (*tell)(void* data, VidaStepper* stepper, VidaError* error);
  void* data;
};

/* *jumps is NULL where nothing jumps. Evaluators of the stepper take its segment from then on. */
int vida__jumps_create(VidaStepper* stepper, VidaError* error);
void vida__jumps_destroy(vida_jumps** jumps);
/* An evaluator, and one of equations (NULL: none), that a method has made for itself take the
 * segment, too. */
void vida__follow_segment(const VidaStepper* stepper, vida_evaluator* evaluator);
void vida__follow_equations(const VidaStepper* stepper, vida_equations* equations);

/* Before a start: lays the grid, and takes the later side of a jump at t0. */
int vida__jumps_begin(VidaStepper* stepper, double t0, double h, VidaError* error);
/* VidaStepper_Step of systems with jumps. */
int vida__jumps_step(VidaStepper* stepper, VidaError* error);

/* sum += more, but for singular passages. */
void vida__add_statistics(VidaStatistics* sum, VidaStatistics more);

/* Whether the state is at a jump. lambda (m) then receives the multipliers of the equations of
 * motion on the side where it is, NaN where these have no solution. */
bool vida__multipliers_at_jump(VidaStepper* stepper, double* lambda);
/* The name of the first row with which velocities have jumped, and when; NULL: none has. */
const char* vida__velocity_jump(const VidaStepper* stepper, double* t);
/* The nodes that follow are h apart, for a shorter last step. False where nothing jumps: the
 * stepper is then to be started anew. */
bool vida__space_nodes(VidaStepper* stepper, double h);
/* Whom to tell of jumps; the time of the stepper is then that of the jump. */
void vida__tell_jumps(VidaStepper* stepper, int (*tell)(void*, VidaStepper*, VidaError*),
                      void* data);

#endif
