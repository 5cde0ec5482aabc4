/* The state of a run in progress, with which another process goes on: the next steps, samples and
 * results are the same to the last bit. */
#ifndef VIDA_STUDY_RUN_RUN_STATE_H
#define VIDA_STUDY_RUN_RUN_STATE_H

#include "study/measure/monitors.h"

/* Appends the state between two steps to a record. `sampled` is the step of the last sample.
 * *is_kept is false, and the record has no state, if the steps of another process would not be the
 * same: integrators of SUNDIALS that choose their steps restart, and some steppers cannot be saved.
 */
int vida__put_run_state(const vida_time_loop* loop, vida_monitors* monitors, VidaStudy* study,
                        long sampled, vida_record* record, bool* is_kept, VidaError* error);
/* Reads a state into a time loop, monitors and the list of events of the run, which have begun at
 * the same start; the loop receives a new stepper. Fails if the record does not fit; loop and
 * monitors must then be freed, and the events removed. */
int vida__get_run_state(vida_time_loop* loop, vida_monitors* monitors, VidaStudy* study,
                        long* sampled, vida_record* record, VidaError* error);

/* Whoever keeps the states of runs. As those of observers, its functions are called by one run at a
 * time. */
struct vida_run_keeper {
  double interval; /* s of wall time between two states of a run */
  /* Finds the state of a run that is about to begin. Returns false without one. */
  bool (*find)(void* data, int run, vida_record* state);
  /* Called for each run after `find` and before the observer's `begin`: whether the run goes on
   * from the state that was found, or begins at its start. */
  void (*choose)(void* data, int run, bool goes_on);
  /* Keeps the state of a run in place of its earlier one. */
  int (*keep)(void* data, int run, const vida_record* state, VidaError* error);
  void* data;
};

#endif
