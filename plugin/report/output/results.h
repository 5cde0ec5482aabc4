/* Results in a folder, read back: comparison.csv, study.txt and trajectories. */
#ifndef VIDA_REPORT_OUTPUT_RESULTS_H
#define VIDA_REPORT_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/study.h>

#include "report/output/output.h"

enum { VIDA_PATH_SIZE = 4096 };

/* ---- CSV (csv_reader.c) ---------------------------------------------------------------------- */

/* A CSV file (RFC 4180) whose records all have as many fields as the header. */
typedef struct vida_csv {
  char* text;   /* memory of the cells */
  char** cells; /* (rows + 1) x columns, header first */
  long rows;    /* without the header */
  int columns;
} vida_csv;

/* Reads a CSV file. An error message names the file and the line. The caller frees the contents
 * with vida__free_csv. */
int vida__read_csv(const char* path, vida_csv* csv, VidaError* error);
/* Frees the contents of a CSV file. */
void vida__free_csv(vida_csv* csv);
/* Returns a cell; row -1 is the header. */
const char* vida__csv_cell(const vida_csv* csv, long row, int column);
/* Returns the number in a cell; NaN for an empty cell or a text. */
double vida__csv_real(const vida_csv* csv, long row, int column);
/* Refuses a column with cells that are neither empty nor numbers. `path` is the name of the file
 * for the message. */
int vida__check_numbers(const vida_csv* csv, const char* path, int column, VidaError* error);
/* Returns the index of the column with this name, with or without its unit ("energy", "energy
 * [J]"); -1: there is none. */
int vida__csv_column(const vida_csv* csv, const char* name);
/* Splits a title "energy [J]" into name and unit; the unit is "" if there is none. */
void vida__split_title(const char* title, char name[VIDA_NAME_SIZE], char unit[VIDA_NAME_SIZE]);

/* ---- a comparison ---------------------------------------------------------------------------- */

/* A run in a folder. */
typedef struct vida_stored_run {
  VidaRow row;
  char file[VIDA_FILE_NAME_SIZE + 32]; /* name of its trajectory; "": none */
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
  double reference_error;     /* NaN: not estimated */
  char label[VIDA_NAME_SIZE]; /* of the comparison; "": none */
  char norm[VIDA_NAME_SIZE];
  bool relative;
  vida_units units;
  int pattern_size, pattern_count; /* of the KKT matrix; count 0: not stored */
  int (*pattern)[2];               /* row, column */
} vida_results;

/* Returns the number of comparisons in a folder: 1, or the number of folders DIRECTORY/1,
 * DIRECTORY/2, ...; 0 with `error` filled if there are no results. */
int vida__count_stored(const char* directory, VidaError* error);
/* Reads the comparison with the index `study` (0 .. count - 1) of a folder. The caller frees
 * *results with vida__free_results, also after a failure. */
int vida__read_results(const char* directory, int study, vida_results* results, VidaError* error);
/* Frees the results. */
void vida__free_results(vida_results* results);
/* Removes the trajectories that the comparison.csv of a folder names, and the folders of several
 * comparisons. Leaves the files that the next results overwrite, and all others, which may belong
 * to the user. */
void vida__remove_results(const char* directory);

/* A trajectory, and the indices of its columns. */
typedef struct vida_trajectory {
  vida_csv csv;
  int work; /* -1: the trajectory has no work */
  int multiplier, multiplier_time, energy, momentum, constraint,
      constraint_rate; /* first columns */
} vida_trajectory;

/* Reads the trajectory of a run. Refuses a file that does not have the columns of this comparison.
 * The caller frees *trajectory with vida__free_trajectory, also after a failure. */
int vida__read_trajectory(const vida_results* results, int run, vida_trajectory* trajectory,
                          VidaError* error);
/* Frees a trajectory. */
void vida__free_trajectory(vida_trajectory* trajectory);

#endif
