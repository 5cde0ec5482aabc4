/* Results that a folder holds, read back: comparison.csv, study.txt and trajectories. */
#ifndef VIDA_REPORT_OUTPUT_RESULTS_H
#define VIDA_REPORT_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/study.h>

#include "report/output/output.h"

enum { VIDA_PATH_SIZE = 4096 };

/* ---- CSV (csv_reader.c) ---------------------------------------------------------------------- */

/* A file of CSV (RFC 4180), all its records of as many fields as the header has. */
typedef struct vida_csv {
  char* text;   /* what the cells point into */
  char** cells; /* (rows + 1) x columns; the header first */
  long rows;    /* without the header */
  int columns;
} vida_csv;

/* Reads all of it; an error names the file and the line. */
int vida__read_csv(const char* path, vida_csv* csv, VidaError* error);
void vida__free_csv(vida_csv* csv);
/* Row -1 is the header. */
const char* vida__csv_cell(const vida_csv* csv, long row, int column);
/* NaN for an empty cell, and for one that is no number. */
double vida__csv_real(const vida_csv* csv, long row, int column);
/* Refuses a column with cells that are neither empty nor numbers; path: of the file, for the error.
 */
int vida__check_numbers(const vida_csv* csv, const char* path, int column, VidaError* error);
/* The column of this name, with or without its unit ("energy", "energy [J]"); -1: there is none. */
int vida__csv_column(const vida_csv* csv, const char* name);
/* "energy [J]" in two parts; the unit is "" when it has none. */
void vida__split_title(const char* title, char name[VIDA_NAME_SIZE], char unit[VIDA_NAME_SIZE]);

/* ---- a comparison ---------------------------------------------------------------------------- */

typedef struct vida_stored_run {
  VidaRow row;
  char file[VIDA_FILE_NAME_SIZE + 32]; /* of its trajectory; "" when there is none */
  bool failed;
  int method;  /* its place among the methods of all comparisons of the folder */
  int variant; /* its place among the sets of options of this method */
} vida_stored_run;

typedef struct vida_results {
  char directory[VIDA_PATH_SIZE]; /* of this comparison */
  vida_stored_run* runs;
  int count;
  char (*methods)[VIDA_NAME_SIZE]; /* in the order of the folder's comparison.csv */
  int method_count;
  int* colours; /* of the methods */
  /* from study.txt */
  int coordinates, constraints, momenta;
  double reference_error;     /* NaN: not estimated */
  char label[VIDA_NAME_SIZE]; /* of the comparison; "" when it has none */
  char norm[VIDA_NAME_SIZE];
  bool relative;
  vida_units units;
  int pattern_size, pattern_count; /* of the KKT matrix; count 0: not stored */
  int (*pattern)[2];               /* row, column */
} vida_results;

/* How many comparisons the folder holds: 1, or those in DIR/1, DIR/2, ... 0 and an error when it
 * holds no results. */
int vida__count_stored(const char* directory, VidaError* error);
/* Comparison `study` (0 .. count - 1) of the folder; free it also after a failure. */
int vida__read_results(const char* directory, int study, vida_results* results, VidaError* error);
void vida__free_results(vida_results* results);
/* Removes what the results in a folder consist of, but for those files that are written anew in any
 * case: trajectories of the rows in its comparison.csv, and the folders of several comparisons.
 * Nothing else: files that are not named there are somebody's own. */
void vida__remove_results(const char* directory);

/* A trajectory, and where its columns are. */
typedef struct vida_trajectory {
  vida_csv csv;
  int work; /* -1: none is done */
  int multiplier, multiplier_time, energy, momentum, constraint,
      constraint_rate; /* first columns */
} vida_trajectory;

/* Refuses a file that has not the columns of this comparison; free it also after a failure. */
int vida__read_trajectory(const vida_results* results, int run, vida_trajectory* trajectory,
                          VidaError* error);
void vida__free_trajectory(vida_trajectory* trajectory);

#endif
