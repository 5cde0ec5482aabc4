/* The time loop of a run: it makes the steps of a time grid, including a shorter last step, and
 * measures their time. */
#ifndef VIDA_STUDY_TIME_TIME_LOOP_H
#define VIDA_STUDY_TIME_TIME_LOOP_H

#include <vida/stepper.h>
#include <vida/study.h>

#include "stepper/ensemble.h"
#include "study/time/grid.h"
#include "study/time/time_limits.h"

/* The state of a time loop. */
typedef struct vida_time_loop {
  VidaStepper* stepper;
  vida_time_grid grid;
  long step;             /* completed steps */
  double wall;           /* seconds spent in VidaStepper_Step */
  long joint_steps;      /* steps made at once with those of other runs */
  VidaStatistics before; /* statistics of the full steps, once the shorter last step has begun */
  double *q, *v;         /* n each: state before the shorter last step */
  double clock, shown;   /* clock readings: now, and at the last call of `progress`, s */
  /* The observer of the progress, and the deadline. */
  const VidaObserver* observer; /* nullable */
  int run;
  const char* what;
  vida_deadline deadline;
  int asked;    /* calls within a step since the last reading of the clock */
  int patience; /* calls until the next reading */
  double aside; /* seconds that the observer has spent within steps */
} vida_time_loop;

/* Creates a time loop with its stepper, or with one that an earlier loop has left in *spare
 * (nullable). The caller frees it with vida__destroy_time_loop, also after a failure. */
int vida__create_time_loop(const VidaSystem* system, const VidaOptions* options,
                           const vida_time_grid* grid, VidaStepper** spare, vida_time_loop* loop,
                           VidaError* error);
/* Frees a time loop; it may be zero-initialized. */
void vida__destroy_time_loop(vida_time_loop* loop);
/* Frees a time loop, but leaves its stepper in *spare (nullable) for a loop with the same system
 * and options. */
void vida__leave_time_loop(vida_time_loop* loop, VidaStepper** spare);

/* Starts from q, v (n each). */
int vida__start_time_loop(vida_time_loop* loop, const double* q, const double* v, VidaError* error);
/* Starts from two points q0, q1 (n each), which makes the first step. */
int vida__start_time_loop_two_points(vida_time_loop* loop, const double* q0, const double* q1,
                                     VidaError* error);
/* Makes one step, or up to `most` steps where they cost less together. Fails with VIDA_NOT_FINITE
 * for a state that is not finite. */
int vida__advance_time_loop(vida_time_loop* loop, long most, VidaError* error);
/* Makes up to `most` steps of each of `count` <= VIDA_LANES loops at once, where that is possible.
 * Returns their number; vida__show_joint_step then goes through them. */
long vida__advance_time_loops(vida_ensemble* ensemble, vida_time_loop* const* loops, int count,
                              long most, vida_lane_result* results);
/* Moves loop k to the end of the step with this index, from 0. Fails as vida__advance_time_loop. */
int vida__show_joint_step(vida_ensemble* ensemble, vida_time_loop* loop, int k, long step,
                          VidaError* error);
/* Counts a joint step whose node was observed by its quantities alone. */
void vida__pass_joint_step(vida_time_loop* loop);
/* Makes the step that the checks have rejected (VIDA_LANE_REJECTED). */
int vida__make_rejected_step(vida_time_loop* loop, VidaError* error);
/* Returns the current time (s): that of the event, if one has ended the motion. */
double vida__time_loop_time(const vida_time_loop* loop);
/* Returns whether the loop is at its end: all steps are made, or an event has ended the motion. */
bool vida__is_time_loop_over(const vida_time_loop* loop);
/* Returns the statistics of all steps. */
VidaStatistics vida__time_loop_statistics(const vida_time_loop* loop);

/* Writes "rattle, h = 0.01 s" or "ida-ggl, rtol = 1e-06" to text. */
void vida__describe_steps(const VidaOptions* options, char* text, size_t size);
/* Sets the observer, with the index of the run and the name of the work that it receives, and the
 * deadline. Both also apply between the own steps of an adaptive method. */
void vida__observe_time_loop(vida_time_loop* loop, const VidaObserver* observer, int run,
                             const char* what, vida_deadline deadline);
/* Reports the progress to the observer about ten times per second. Returns VIDA_STOPPED if the
 * observer stops the run, VIDA_WALL_LIMIT after the deadline, otherwise 0. */
int vida__show_progress(vida_time_loop* loop, VidaError* error);

#endif
