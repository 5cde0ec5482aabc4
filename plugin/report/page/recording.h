/* A recording: a few hundred states of each run, stored for the page. */
#ifndef VIDA_REPORT_PAGE_RECORDING_H
#define VIDA_REPORT_PAGE_RECORDING_H

#include <vida/report.h>

#include "base/record.h"
#include "system/drawing/wireframe.h"

/* The layout of a recorded state: the numbers of values of each kind, and the index of the first of
 * them in the row. */
typedef struct vida_recorded_layout {
  int n, m, momenta, observables, points; /* number of recorded values of each kind */
  int q, v, multipliers, multipliers_t, energy, work, momentum, g, g_rate, observable, point;
  int width;
} vida_recorded_layout;

/* The recorded states of one run. */
typedef struct vida_recorded_run {
  double* rows;    /* count x width; t comes first */
  size_t capacity; /* of rows, in numbers */
  int count;       /* number of rows */
  long every;      /* one of so many states is recorded */
  long arrived;    /* number of states so far */
  double* last;    /* width: the newest state */
  bool last_kept;  /* the newest state is one of the rows */
} vida_recorded_run;

/* The reference: each row has t and the 3 x points of the drawing. */
typedef struct vida_recorded_reference {
  double* rows;
  int count; /* 0: none, or too few states */
} vida_recorded_reference;

/* A recording. */
struct VidaRecording {
  const VidaStudy* study;
  const VidaSystem* system;
  vida_wireframe wireframe;
  vida_evaluator evaluator;
  double* xyz; /* 3 x points of the wireframe */
  vida_recorded_layout layout;
  int runs;   /* number of runs of the study when the recording was created */
  int* place; /* index of each run among the recorded runs; -1: not recorded */
  int recorded;
  int most; /* largest number of rows of a run */
  vida_recorded_run* run;
  vida_recorded_reference reference;
};

/* Returns the recorded states of the run with this index; NULL if the run is not recorded. */
vida_recorded_run* vida__recorded_run(const VidaRecording* recording, int index);

/* Append the recorded states of a run, or those of the reference, to a record, and read them in
 * another process. Reading fails with VIDA_INPUT_OUTPUT if the record does not fit. */
void vida__put_recorded_run(const VidaRecording* recording, int index, vida_record* record);
int vida__get_recorded_run(VidaRecording* recording, int index, vida_record* record,
                           VidaError* error);
/* The same of a run in progress; both do nothing for a run that is not recorded. Reading follows
 * the beginning of the run. */
void vida__put_recording(const VidaRecording* recording, int index, vida_record* record);
int vida__get_recording(VidaRecording* recording, int index, vida_record* record, VidaError* error);
void vida__put_recorded_reference(const VidaRecording* recording, vida_record* record);
int vida__get_recorded_reference(VidaRecording* recording, vida_record* record, VidaError* error);

#endif
