/* Some hundred states of each run, kept for the page. */
#ifndef VIDA_REPORT_PAGE_RECORDING_H
#define VIDA_REPORT_PAGE_RECORDING_H

#include <vida/report.h>

#include "system/model/drawing.h"

/* A state is a row of numbers; these are the places of its parts. */
typedef struct vida_recorded_layout {
  int n, m, momenta, observables, points; /* how many of each are kept */
  int q, v, multipliers, multipliers_t, energy, work, momentum, g, g_rate, observable, point;
  int width;
} vida_recorded_layout;

typedef struct vida_recorded_run {
  double* rows;    /* count x width; t comes first */
  size_t capacity; /* of rows, in numbers */
  int count;       /* of rows */
  long every;      /* of the rows that came, each that many is kept */
  long arrived;    /* rows that came */
  double* last;    /* width: the newest, whether kept or not */
  bool last_kept;
} vida_recorded_run;

/* The reference: t and 3 x points of the drawing in each row. */
typedef struct vida_recorded_reference {
  double* rows;
  int count; /* 0: none, or too few states */
} vida_recorded_reference;

struct VidaRecording {
  const VidaStudy* study;
  const VidaSystem* system;
  vida_picture picture;
  vida_evaluator evaluator;
  double* xyz; /* 3 x points of the picture */
  vida_recorded_layout layout;
  int runs;   /* of the study, when it was made */
  int* place; /* of each run among those that are recorded; -1: it is not */
  int recorded;
  int most; /* rows of one */
  vida_recorded_run* run;
  vida_recorded_reference reference;
};

/* What is recorded of the study's run; NULL: nothing. */
vida_recorded_run* vida__recorded_run(const VidaRecording* recording, int index);

#endif
