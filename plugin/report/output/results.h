/* Results in a folder, read back: comparison.csv, study.txt and trajectories. */
#ifndef VIDA_REPORT_OUTPUT_RESULTS_H
#define VIDA_REPORT_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/study.h>

#include "report/output/output.h"
#include "report/output/stored_table.h"

enum { VIDA_PATH_SIZE = 4096 };

/* ---- a comparison ---------------------------------------------------------------------------- */

/* A run in a folder. */
typedef struct vida_stored_run {
  VidaRow row;
  char file[VIDA_FILE_NAME_SIZE + 32]; /* place of its trajectory in the folder; "": none */
  bool failed;
  int method;  /* index among the methods of all comparisons of the folder */
  int variant; /* index among the sets of options of this method */
} vida_stored_run;

/* A comparison in a folder. */
typedef struct vida_results {
  char directory[VIDA_PATH_SIZE]; /* of this comparison */
  vida_stored_run* runs;
  int count;
  char (*methods)[VIDA_NAME_SIZE]; /* in the order of comparison.csv in the folder */
  int method_count;
  int* colours; /* colour numbers of the methods */
  /* from study.txt */
  int coordinates, constraints, momenta;
  char parts[VIDA_NAME_SIZE]; /* of trajectories that the user chose, "q,v"; "": all */
  double reference_error;     /* NaN: not estimated */
  char label[VIDA_NAME_SIZE]; /* of the comparison; "": none */
  char norm[VIDA_NAME_SIZE];
  bool relative;
  vida_units units;
  int pattern_size, pattern_count; /* of the KKT matrix; count 0: not stored */
  int (*pattern)[2];               /* row, column */
  vida_csv events;                 /* events.csv; no rows: there is none */
} vida_results;

/* Returns the number of comparisons in a folder: 1, or the number of folders DIRECTORY/1,
 * DIRECTORY/2, ...; 0 with `error` filled if there are no results. */
int vida__count_stored(const char* directory, VidaError* error);
/* Reads the comparison with the index `study` (0 .. count - 1) of a folder. The caller frees
 * *results with vida__free_results, also after a failure. */
int vida__read_results(const char* directory, int study, vida_results* results, VidaError* error);
/* Finds the next event of a run: its row in results->events from *row on. *t receives its time, and
 * *row the row after it. Returns false if there is none. */
bool vida__next_event(const vida_results* results, int run, long* row, double* t);
/* Frees the results. */
void vida__free_results(vida_results* results);
/* Removes the trajectories that the comparison.csv of a folder names, and the folders of several
 * comparisons. Leaves the files that the next results overwrite, and all others, which may belong
 * to the user. */
void vida__remove_results(const char* directory);

/* ---- trajectories (table.h) ------------------------------------------------------------------ */

/* A trajectory, and the indices of its columns. */
typedef struct vida_trajectory {
  vida_table table;
  int work; /* -1: the trajectory has no work */
  int position, velocity, multiplier, multiplier_time, energy, momentum, constraint,
      constraint_rate; /* first columns; -1: the part was not written */
} vida_trajectory;

/* Reads the trajectory of a run. Refuses a file that does not have the columns of this comparison.
 * The caller frees *trajectory with vida__free_trajectory, also after a failure. */
int vida__read_trajectory(const vida_results* results, int run, vida_trajectory* trajectory,
                          VidaError* error);
/* Frees a trajectory. */
void vida__free_trajectory(vida_trajectory* trajectory);

#endif
