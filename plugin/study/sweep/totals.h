/* What is left of the runs of one method in a sweep whose rows are not kept: counts, moments,
 * extremes and sketches of the columns. Runs are added in the order of their starts, so that the
 * totals do not depend on where and when the runs were made. */
#ifndef VIDA_STUDY_SWEEP_TOTALS_H
#define VIDA_STUDY_SWEEP_TOTALS_H

#include <vida/study.h>

#include "base/record.h"
#include "study/sweep/sketch.h"

enum { VIDA_MOST_STATUSES = 24, VIDA_MAP_SIZE = 48, VIDA_TOTAL_COLUMNS = 64 };

/* The finite values of a column in the runs that reached their end. */
typedef struct vida_column_total {
  long count;
  double mean, squares; /* sum of the squared deviations from the mean (Welford 1962) */
  double least, largest;
  long least_at, largest_at; /* indices of the starts */
  vida_sketch sketch;
} vida_column_total;

/* The runs with the same status. */
typedef struct vida_status_total {
  char status[VIDA_FLAG_SIZE];
  long count, first; /* first: index of the first start */
} vida_status_total;

/* A cell of the map over two swept values. */
typedef struct vida_map_cell {
  long runs, finished;
  double largest; /* value of the column of the map in its finished runs; NaN: none */
} vida_map_cell;

typedef struct vida_totals {
  long runs, finished, doubtful;
  long unreferenced, first_unreferenced; /* runs without a reference, and the first start of them */
  vida_column_total columns[VIDA_TOTAL_COLUMNS];  /* by the indices of vida__column_at */
  vida_status_total statuses[VIDA_MOST_STATUSES]; /* the last one: all others */
  int status_count;
  vida_map_cell map[VIDA_MAP_SIZE * VIDA_MAP_SIZE]; /* the first value varies along a row */
} vida_totals;

/* Adds a value to the moments and extremes of a column, but not to its sketch. */
void vida__add_moment(vida_column_total* total, double value, long start);
/* Returns whether a column is summed up: its real numbers are measured in runs. */
bool vida__is_summed_up(const VidaColumn* column);
/* Adds the run from a start. `cell`: its place in the map; -1: there is no map. `map_column`: the
 * index of the column of the map. Returns 0 or VIDA_OUT_OF_MEMORY. */
int vida__add_to_totals(vida_totals* totals, const VidaRow* row, long start, int cell,
                        int map_column);
/* Returns the quantile, 0 <= part <= 1, of a column: that of the ranks next to it, to a relative
 * error of 1/128; NaN without values. */
double vida__total_quantile(const vida_column_total* column, double part);
/* Appends totals to a record, and reads them; what does not fit makes the record too short. */
void vida__put_totals(const vida_totals* totals, vida_record* record);
void vida__get_totals(vida_totals* totals, vida_record* record);
/* Empties totals and frees their memory. */
void vida__free_totals(vida_totals* totals);

#endif
