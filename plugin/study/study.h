/* The contents of a comparison, for the files of this module and for report/. */
#ifndef VIDA_STUDY_STUDY_H
#define VIDA_STUDY_STUDY_H

#include <pthread.h>
#include <stddef.h>
#include <vida/study.h>

#include "base/record.h"
#include "base/string_table.h"
#include "study/measure/event_list.h"
#include "study/measure/norms.h"
#include "study/time/grid.h"
#include "study/trajectory_columns.h"

typedef struct vida_reference vida_reference;   /* study/reference.h */
typedef struct vida_run_keeper vida_run_keeper; /* study/run/run_state.h */

/* The sizes with which the errors of a run are compared; 0: not known. */
typedef struct vida_run_sizes {
  double energy, momentum;             /* sizes of the terms in the energy and in the momenta */
  double constraint, constraint_rate;  /* sizes of the terms in the constraint rows */
  double energy_start, momentum_start; /* divisors of relative errors */
  double energy_drift_interval;        /* of the fitted energy; NaN: too few states */
  double energy_oscillation;
} vida_run_sizes;

/* One run: a method with its options, its time grid and its row. */
typedef struct vida_run {
  VidaOptions* options;
  vida_time_grid grid;
  bool adaptive;  /* the method chooses its own steps; the steps of the grid are output intervals */
  bool automatic; /* adaptive, and the study chooses the grid */
  bool two_points; /* starts from two points, the second one from the reference */
  long every;      /* samples are written at k * every * h */
  /* `between` steps take as long as `reference_between` steps of the reference. The run is compared
   * with the reference at multiples of this time, or, if end_only, at the end only. */
  long between, reference_between;
  bool end_only;
  double* own_start; /* 4 n: given q, v, then consistent q, v; NULL: those of the study */
  const vida_reference* own_reference; /* the solution from the own start; NULL: there is none */
  double reference_error;              /* its own estimated error; NaN: not known */
  char label[VIDA_OPTIONS_SIZE];
  size_t bare_options; /* offset of the options in row.options, after the labels */
  int first, alike;    /* first run that differs only in its start; in that run: their number */
  long start;          /* number of the own start, from 1 */
  int next_of_series;  /* the next run of its series; -1: it is the last one */
  long joint_steps;    /* made at once with those of other runs */
  bool is_kept; /* made by an earlier process: the row is complete, the run is not repeated */
  int compared; /* by that process: with what vida__comparison_of returned there */
  VidaRow row;
  vida_run_sizes sizes;
  vida_event_list events;
} vida_run;

/* A series: runs of one method that differ only in their step or tolerance. */
typedef struct vida_series {
  int first, last; /* indices of its first and last run */
} vida_series;

/* Starts from which the reference has failed. */
typedef struct vida_missing_references {
  int count;     /* 0: none, and all others are empty */
  int first;     /* index of the first one */
  int run;       /* the first run from there */
  VidaError why; /* the failure there */
} vida_missing_references;

/* A comparison. */
struct VidaStudy {
  const VidaSystem* system;
  char label[VIDA_OPTIONS_SIZE];
  VidaOptions* options;
  double t0, time;
  bool shorten, relative;
  vida_norm norm;
  double mixed_scale;
  vida_reference* reference;         /* NULL without a reference */
  vida_reference** start_references; /* its solutions from the starts of runs; NULL: none */
  int start_reference_count;
  vida_missing_references missing;
  int processors; /* of the process when the study was created: to count them takes system calls */
  bool is_chunk;  /* of a sweep, which reports missing references as a whole */
  long whole;     /* of a chunk: the number of runs of the sweep */
  vida_run* runs;
  int count;
  size_t capacity;
  vida_string_table series_names;
  vida_series* series; /* series_names.count, in the order of their first runs */
  size_t series_capacity;
  int* selection; /* coordinates to which errors are restricted; NULL: all */
  int selected;
  vida_column_choice columns; /* of trajectories */
  double *q0, *v0;            /* n each: the consistent initial state */
  double* parameters;         /* parameters of the system when the study was created */
  pthread_mutex_t* lock;      /* protects all rows while runs are parallel; otherwise NULL */
  double began; /* clock reading at the start of the last VidaStudy_Run (time_limits.h), s */
  char notes[VIDA_NOTES_SIZE];
  size_t start_notes;            /* length of the notes about the start; notes about times follow */
  vida_texts words;              /* of remarks in rows that were read from a file */
  struct vida_sweep* sweep;      /* whose rows are not kept (sweep/sweep.h); NULL: it is none */
  const vida_run_keeper* keeper; /* of states of runs in progress; NULL: they are not kept, as after
                                    each VidaStudy_Run */
};

/* A symplectic defect that is smaller than this factor times its noise may be rounding. If it is
 * also larger than 1, it has no meaning: the form itself has the size 1. */
#define VIDA_NOISE_FACTOR 4.0

/* Returns a column by its index in VIDA_COLUMN_LIST; NULL for an unknown index. */
const VidaColumn* vida__column_at(int index);
/* Returns whether a run measures the column. Its cells are NaN before the run. */
bool vida__is_measured(const VidaColumn* column);
/* Returns the number in a cell; NaN for a text or a value that was not measured. */
double vida__cell_value(const VidaRow* row, const VidaColumn* column);
/* Sets all cells that a run measures to "not measured". */
void vida__forget_measurements(VidaRow* row);
/* Returns whether the run reached its end. */
bool vida__is_finished(const VidaRow* row);

/* Returns the options of the run without the labels before them. */
const char* vida__bare_options(const vida_run* run);
/* The parts of the options of a run: its label, "name=value" of each option that is set, and the
 * interval of output of an adaptive method. Some parts are "". */
int vida__count_option_parts(const vida_run* run);
void vida__option_part(const vida_run* run, int index, char text[VIDA_OPTIONS_SIZE]);
/* Sorts numbers, the smallest first (spread.c). */
void vida__sort_numbers(double* values, long count);
/* Finds `first` and `alike` of the last run of the study (spread.c). */
void vida__group_starts(VidaStudy* study);

/* Removes all runs. */
void vida__drop_runs(VidaStudy* study);
/* Refuses a study whose system has other parameters than when the study was created. */
int vida__check_parameters(const VidaStudy* study, VidaError* error);

/* Appends the result of a run to a record. */
void vida__put_run(const VidaStudy* study, int index, const VidaRow* row, vida_record* record);
/* Reads a result that vida__put_run wrote in an earlier process; the next VidaStudy_Run keeps it
 * and does not make this run. Fails with VIDA_INPUT_OUTPUT, and changes nothing, if the record does
 * not fit. */
int vida__get_run(VidaStudy* study, int index, vida_record* record, VidaError* error);
/* Returns whether two processes would compute the same results: the checksums of what determines
 * them. */
typedef struct vida_fingerprint {
  uint64_t system, options, reference, runs;
} vida_fingerprint;
int vida__fingerprint_study(const VidaStudy* study, vida_fingerprint* print, VidaError* error);

/* Returns whether an option of comparisons changes only how fast the results are computed, or which
 * of them. */
bool vida__is_free_option(const char* name);
/* Appends what the user has chosen to a record, as texts (choices.c). */
void vida__put_choices(const VidaStudy* study, vida_record* record);
/* Reads the choices of another process. Returns whether one differs from that of this study: its
 * name, and its values there and here. */
typedef struct vida_changed_choice {
  char what[VIDA_NAME_SIZE], then[VIDA_NAME_SIZE * 2], now[VIDA_NAME_SIZE * 2];
} vida_changed_choice;
bool vida__find_changed_choice(const VidaStudy* study, vida_record* record,
                               vida_changed_choice* changed);

/* Returns the initial positions (n) of a run. */
const double* vida__run_q0(const VidaStudy* study, const vida_run* run);
/* Returns the initial velocities (n) of a run. */
const double* vida__run_v0(const VidaStudy* study, const vida_run* run);
/* Returns the number of coordinates to which errors are restricted; that of all, if they are not.
 */
int vida__measured_count(const VidaStudy* study);
/* Returns the norm of x - y, or of x if y is NULL, at one time in the norm of the study: over the
 * coordinates in `selection` (count), or over the first `count` if it is NULL. */
double vida__study_difference(const VidaStudy* study, const double* x, const double* y, int count,
                              const int* selection);
/* Returns the options of the comparison. */
const VidaOptions* vida__study_options(const VidaStudy* study);

/* Returns whether the run is compared with the reference after `step` steps. */
bool vida__is_compared(const vida_run* run, long step);
/* Returns whether a sample is written after `step` steps. */
bool vida__is_sampled(const vida_run* run, long step);
/* Returns the solution with which a run is compared; NULL if it is not compared. */
const vida_reference* vida__reference_of(const VidaStudy* study, const vida_run* run);
/* Returns 0 if a run is not compared with a solution, 2 if the error of the solution was estimated
 * as far as the study asks for it, and otherwise 1. */
int vida__comparison_of(const VidaStudy* study, const vida_run* run);
/* Finds the consistent initial values of a run with a start of its own. */
int vida__find_own_start(const VidaStudy* study, vida_run* run, VidaError* error);
/* Returns the step of the reference at the time of a step that is compared. */
long vida__reference_step(const VidaStudy* study, const vida_run* run, long step);

/* Returns how many runs may be made at once: the option `jobs`, or the processors of the process
 * (thread_pool.c). */
int vida__most_jobs(const VidaStudy* study);
/* Returns the number of parallel runs, from the option `jobs` and the number of processors
 * (thread_pool.c). */
int vida__jobs(const VidaStudy* study);
/* Returns whether runs are made in parallel, those of the whole sweep if this is a chunk of one
 * (thread_pool.c). */
bool vida__shares_time(const VidaStudy* study);
/* Calls work(data) in this number of threads, of which one is the caller's, and waits for all. */
void vida__work_in_threads(int jobs, void* (*work)(void*), void* data);
/* Makes all runs, in parallel if the option `jobs` asks for it. */
int vida__make_runs(VidaStudy* study, const VidaObserver* observer, VidaError* error);
/* Makes one run. Fails only if the study cannot continue: the observer fails or stops it, or there
 * is no memory for the monitors. A failure of the run itself is written to its row. */
int vida__make_run(VidaStudy* study, int index, const VidaObserver* observer, VidaError* error);
/* Returns how many runs from this index on, at most `most`, can be made at once with
 * vida__make_runs_together, as far as options and starts tell. */
int vida__count_together(const VidaStudy* study, int index, int most);
/* Makes such runs, with their steps at once in lanes (stepper/ensemble.h). Where the first one
 * shows that its steps cannot be calm, makes only that run. *made receives the number of runs.
 * *joint, which must be NULL for the first runs, has the memory for them and steppers for the next
 * ones; the caller frees it. */
typedef struct vida_joint_runs vida_joint_runs;
int vida__make_runs_together(VidaStudy* study, int index, int count, const VidaObserver* observer,
                             vida_joint_runs** joint, int* made, VidaError* error);
void vida__free_joint_runs(vida_joint_runs** joint);

#endif
