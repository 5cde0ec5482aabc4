/* A run in progress, for the files that make it. */
#ifndef VIDA_STUDY_RUN_RUNNING_RUN_H
#define VIDA_STUDY_RUN_RUNNING_RUN_H

#include "base/text.h"
#include "study/measure/monitors.h"
#include "study/run/run_state.h"

/* The data of a run in progress. */
typedef struct vida_running_run {
  VidaStudy* study;
  vida_run* run;
  VidaRow row; /* of the run, which others see when it is complete */
  int index;
  const VidaObserver* observer;
  vida_time_loop loop;
  VidaStepper** spare; /* stepper of an earlier run with the same options, or NULL; nullable */
  vida_deadline deadline;
  vida_monitors monitors;
  bool has_samples;              /* the observer receives samples */
  long sampled;                  /* the step of the last row of samples; -1: none yet */
  bool study_must_end;           /* the failure is not the run's own */
  const vida_run_keeper* keeper; /* of its states; NULL: they are not kept */
  double kept;                   /* clock reading when the last one was kept, s */
  bool goes_on;                  /* the run has gone on from a state of an earlier process */
  char what[VIDA_NAME_SIZE + VIDA_REAL_TEXT_SIZE + 32]; /* is done, for progress */
} vida_running_run;

/* Writes the work of the run to work->what: "rattle, h = 0.01 s" and a part such as ", again". */
void vida__describe_work(vida_running_run* work, const char* part);
/* Starts the time loop from the start of the study and the second point of the reference. */
int vida__start_from_two_points(vida_running_run* work, VidaError* error);

/* Repeats a run that has reached its end until its time is known, and writes the median to the row.
 * If a repetition is stopped, the run has still finished (measured_steps.c). */
int vida__measure_time(vida_running_run* work, VidaError* error);
/* Measures the defects of the step map that the study asks for (measured_steps.c). */
int vida__measure_defects(vida_running_run* work, VidaError* error);

#endif
