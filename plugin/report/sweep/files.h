/* The files of sweeps whose rows are not kept in memory. */
#ifndef VIDA_REPORT_SWEEP_FILES_H
#define VIDA_REPORT_SWEEP_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/sweep.h>

#include "base/record.h"
#include "report/output/output.h"
#include "study/sweep/sweep.h"

/* The columns of rows.csv: those of comparison.csv without wall times, which are never the same,
 * and the values that differ between starts (rows.c). */
typedef struct vida_row_columns {
  vida_columns columns;
  vida_start_columns starts;
} vida_row_columns;
int vida__find_row_columns(const VidaStudy* study, vida_row_columns* columns, VidaError* error);
void vida__free_row_columns(vida_row_columns* columns);
/* Writes the line with the names of the columns. */
void vida__write_row_names(const vida_row_columns* columns, FILE* file);
/* Appends the rows of a chunk from `count` starts as text to a record. */
int vida__put_rows(const VidaStudy* chunk, const vida_row_columns* columns, long first, long count,
                   vida_record* record, VidaError* error);

/* Writes FOLDER/statistics.csv and FOLDER/map-METHOD.svg (statistics.c, map.c). */
int vida__write_sweep_statistics(const VidaStudy* study, const char* folder, VidaError* error);
int vida__write_sweep_maps(const VidaStudy* study, const char* folder, VidaError* error);

/* Writes the map of a method as SVG. Returns whether there is one. */
bool vida__write_sweep_map(const VidaStudy* study, int method, FILE* file);

/* The state of the sweeps of a scope in its file (state.c). */
typedef struct vida_sweep_state {
  const VidaSweepScope* scope;
  vida_fingerprint* prints; /* scope->count */
  long long* bytes;         /* scope->count: of rows.csv that belong to the totals */
  uint64_t* sums;           /* scope->count: checksums of these bytes */
} vida_sweep_state;
/* Computes the fingerprints. The caller frees with vida__free_sweep_state, also after a failure. */
int vida__create_sweep_state(const VidaSweepScope* scope, vida_sweep_state* state,
                             VidaError* error);
void vida__free_sweep_state(vida_sweep_state* state);
/* Returns whether a folder has the file. */
bool vida__has_sweep_state(const char* directory);
/* Replaces the file. */
int vida__write_sweep_state(const vida_sweep_state* state, VidaError* error);
/* Reads the file, and the totals of the sweeps from it. */
int vida__read_sweep_state(vida_sweep_state* state, VidaError* error);
/* Appends the version and the fingerprint of a study to a record; compares them with those of this
 * process. `whose` for the message: "rank 1 has". */
void vida__put_identity(const VidaStudy* study, const vida_fingerprint* print, vida_record* record);
int vida__compare_identity(const VidaStudy* study, const vida_fingerprint* print,
                           vida_record* record, const char* whose, VidaError* error);

#endif
