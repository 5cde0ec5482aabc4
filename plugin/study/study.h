/* What a comparison is made of; shared by the files of this room and read by report/. */
#ifndef VIDA_STUDY_STUDY_H
#define VIDA_STUDY_STUDY_H

#include <pthread.h>
#include <stddef.h>
#include <vida/study.h>

#include "base/string_table.h"
#include "study/measure/norms.h"
#include "study/run/grid.h"

typedef struct vida_reference vida_reference; /* study/reference.h */

/* What a run's errors are compared with where they are judged; 0: not known. */
typedef struct vida_run_sizes {
  double energy, momentum;             /* of their parts, whatever the sums are */
  double constraint, constraint_rate;  /* of what the rows compare */
  double energy_start, momentum_start; /* what relative errors are relative to */
  double energy_drift_interval;        /* of the fitted energy; NaN: too few states */
  double energy_oscillation;
} vida_run_sizes;

/* One run: a method with its options, its time grid and its row. */
typedef struct vida_run {
  VidaOptions* options;
  vida_time_grid grid;
  bool adaptive;   /* chooses its own steps: those of the grid are where it is looked at */
  bool automatic;  /* and its grid is ours to choose */
  bool two_points; /* starts from two points, the second one from the reference */
  long every;      /* rows of samples are at k*every*h */
  /* `between` steps take as long as `reference_between` steps of the reference: the two are
   * compared at multiples of that, unless it is for the end only. */
  long between, reference_between;
  bool end_only;
  double* own_start; /* 4 n: given q, v; then the consistent q, v; NULL: the study's */
  char label[VIDA_OPTIONS_SIZE];
  int first, alike;   /* the first run that differs in nothing but its start; of that: how many */
  int next_of_series; /* the next run of its series; -1: it is the last one */
  VidaRow row;
  vida_run_sizes sizes;
} vida_run;

/* Runs of one method with the same options, which differ in their step or tolerance. */
typedef struct vida_series {
  int first, last; /* runs */
} vida_series;

struct VidaStudy {
  const VidaSystem* system;
  char label[VIDA_OPTIONS_SIZE];
  VidaOptions* options;
  double t0, time;
  bool shorten, relative;
  vida_norm norm;
  double mixed_scale;
  vida_reference* reference; /* NULL when there is none */
  vida_run* runs;
  int count;
  size_t capacity;
  vida_string_table series_names;
  vida_series* series; /* series_names.count, in the order of their first runs */
  size_t series_capacity;
  int* selection; /* coordinates that errors are restricted to; NULL: all */
  int selected;
  double *q0, *v0;       /* n each: the consistent start */
  double* parameters;    /* of the system, when the comparison was made */
  pthread_mutex_t* lock; /* of all rows while runs are made at once; otherwise NULL */
  double began;          /* a reading of the clock when it was last run (time_limits.h) */
  char notes[VIDA_NOTES_SIZE];
  size_t start_notes; /* bytes of them that are about the start; what follows is about times */
};

/* A defect of the symplectic form below so many times its noise may be rounding; one that is not
 * below 1 then, either, says nothing: the form itself has the size 1. */
#define VIDA_NOISE_FACTOR 4.0

/* Column `index` of all, in the order of VIDA_COLUMN_LIST; NULL outside. */
const VidaColumn* vida__column_at(int index);
/* Whether a run measures the column, and NaN stands in it until then. */
bool vida__is_measured(const VidaColumn* column);
/* The number in a cell; NaN where it is not measured, and of texts. */
double vida__cell_value(const VidaRow* row, const VidaColumn* column);
/* Makes everything that a run measures unknown. */
void vida__forget_measurements(VidaRow* row);
/* Whether the run has reached its end. */
bool vida__is_finished(const VidaRow* row);

/* The options of the run without the labels that stand before them. */
const char* vida__bare_options(const VidaStudy* study, const vida_run* run);
/* Sorts numbers, the smallest first (spread.c). */
void vida__sort_numbers(double* values, long count);
/* Finds `first` and `alike` of the run that was added last (spread.c). */
void vida__join_spread(VidaStudy* study);

/* Where the run starts, n each. */
const double* vida__run_q0(const VidaStudy* study, const vida_run* run);
const double* vida__run_v0(const VidaStudy* study, const vida_run* run);
/* How far x is from y (y may be NULL: the size of x) in the study's norm, at one time. */
double vida__study_difference(const VidaStudy* study, const double* x, const double* y, int count,
                              const int* selection);
/* Options of the comparison, for titles. */
const VidaOptions* vida__study_options(const VidaStudy* study);

/* Whether the run is compared with the reference after `step` steps. */
bool vida__is_compared(const vida_run* run, long step);
/* Whether a row of samples is due after `step` steps. */
bool vida__is_sampled(const vida_run* run, long step);
/* The step of the reference at the same time, for a step that is compared. */
long vida__reference_step(const VidaStudy* study, const vida_run* run, long step);

/* How many runs are made at once, as the option `jobs` and the processors have it (thread_pool.c).
 */
int vida__jobs(const VidaStudy* study);
/* Makes all runs, so many at once. */
int vida__make_runs(VidaStudy* study, const VidaObserver* observer, VidaError* error);
/* Makes one run. Fails only when the study cannot go on (the observer failed or asked to stop, or
 * there is no memory for the monitors); a failure of the run goes into its row. */
int vida__make_run(VidaStudy* study, int index, const VidaObserver* observer, VidaError* error);

#endif
