/* A stepper on its way through a time grid: counts steps, keeps the time, measures what steps cost,
 * and makes the shorter last step where there is one. */
#ifndef VIDA_STUDY_RUN_TIME_LOOP_H
#define VIDA_STUDY_RUN_TIME_LOOP_H

#include <vida/stepper.h>
#include <vida/study.h>

#include "study/run/grid.h"
#include "study/run/time_limits.h"

typedef struct vida_march {
  VidaStepper* stepper;
  vida_time_grid grid;
  long step;             /* steps made */
  double wall;           /* seconds spent in VidaStepper_Step */
  VidaStatistics before; /* of the full steps, once the shorter last one has begun */
  double *q, *v;         /* n each: the state from which the shorter last step starts */
  double clock, shown;   /* readings of the clock: now, and when progress was last shown */
  /* Who is told how far it is, and until when it may go on. */
  const VidaObserver* observer; /* nullable */
  int run;
  const char* what;
  vida_deadline deadline;
  int asked,
      patience; /* in a step: how often since the clock was read, and how often until it is */
  double aside; /* seconds that the observer has taken within steps */
} vida_march;

/* March structures may be destroyed whatever has become of Create; zeroed ones too. */
int vida__create_march(const VidaSystem* system, const VidaOptions* options,
                       const vida_time_grid* grid, vida_march* march, VidaError* error);
void vida__destroy_march(vida_march* march);

int vida__start_march(vida_march* march, const double* q, const double* v, VidaError* error);
/* Starts from two points; one step is made then. */
int vida__start_march_two_points(vida_march* march, const double* q0, const double* q1,
                                 VidaError* error);
/* One step. A state that is not finite is a failure: VIDA_NOT_FINITE. */
int vida__advance_march(vida_march* march, VidaError* error);
double vida__march_time(const vida_march* march);
VidaStatistics vida__march_statistics(const vida_march* march);

/* "rattle, h = 0.01 s" or "ida-ggl, rtol = 1e-06" */
void vida__describe_steps(const VidaOptions* options, char* text, size_t size);
/* Says who is told of the march, under which number and as what, and until when it may go on: what
 * follows is looked at between the method's own steps, too. */
void vida__watch_march(vida_march* march, const VidaObserver* observer, int run, const char* what,
                       vida_deadline deadline);
/* Tells the observer how far the march is, about ten times a second. VIDA_STOPPED when it says so,
 * VIDA_WALL_LIMIT after the deadline. */
int vida__show_progress(vida_march* march, VidaError* error);

#endif
