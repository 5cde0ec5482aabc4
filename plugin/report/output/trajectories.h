/* The trajectories of a study, for the files that write them. */
#ifndef VIDA_REPORT_OUTPUT_TRAJECTORIES_H
#define VIDA_REPORT_OUTPUT_TRAJECTORIES_H

#include <stdint.h>
#include <vida/report.h>

#include "report/hdf5/tables.h"
#include "report/output/output.h"
#include "study/trajectory_columns.h"
#include "system/evaluate/evaluate.h"

typedef char vida_file_name[VIDA_FILE_NAME_SIZE];

typedef enum vida_trajectory_format {
  VIDA_FORMAT_NONE,
  VIDA_FORMAT_CSV,
  VIDA_FORMAT_HDF5
} vida_trajectory_format;

/* A run that is being written: in one of the formats. */
typedef struct vida_open_run {
  FILE* file;
  vida_hdf5_writer* writer;
  long rows;      /* written so far */
  bool is_begun;  /* by this process */
  bool is_joined; /* in the file of all runs, by an earlier process */
  long long size; /* of CSV: bytes whose checksum is `sum` */
  uint64_t sum;
  bool goes_on;    /* the next beginning goes on with what an earlier process has written: */
  double* earlier; /* of HDF5: its rows */
} vida_open_run;

struct VidaTrajectories {
  const VidaStudy* study;
  const VidaSystem* system;
  vida_trajectory_format format;
  vida_column_list list;
  vida_table_column* columns; /* list.count + 1: t comes first */
  double* row;                /* as many numbers */
  vida_evaluator evaluator;   /* of the drawing */
  double* xyz;                /* of its points */
  char* directory;
  char* joined; /* path of the file with all runs */
  int runs;
  vida_file_name* names; /* runs, without endings */
  vida_open_run* open;   /* runs */
  bool is_finished;
  /* Paths, room for the longest name. `earlier` is that of a file in HDF5 whose rows are being
   * written again. */
  char *partial, *complete, *incomplete, *earlier;
  size_t path_size;
};

/* Sets the paths to those of a run. */
void vida__set_paths(VidaTrajectories* trajectories, int run);

/* Opens the CSV file of a run as an earlier process has left it, without what came after its state
 * (trajectory_state.c). */
int vida__go_on_with_csv(VidaTrajectories* trajectories, vida_open_run* run, VidaError* error);
/* Writes the rows of an earlier process to a new HDF5 file (trajectory_state.c). */
int vida__write_earlier(VidaTrajectories* trajectories, vida_open_run* run, VidaError* error);

#endif
