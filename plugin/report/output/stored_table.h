/* Tables in files, read back: CSV, and trajectories in both formats. */
#ifndef VIDA_REPORT_OUTPUT_STORED_TABLE_H
#define VIDA_REPORT_OUTPUT_STORED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/report.h>

#include "base/text.h"
#include "report/hdf5/tables.h"

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

/* ---- trajectories in either format (stored_table.c) ------------------------------------------ */

/* A table of numbers: a CSV file, or the table of a run in an HDF5 file. */
typedef struct VidaTrajectory {
  long rows;
  int columns;
  vida_csv csv; /* with its texts */
  vida_hdf5_table hdf5;
  char** titles; /* columns: "energy [J]" */
} vida_table;

/* The ending of HDF5 files, and the name of the file that has the trajectories of a comparison. */
#define VIDA_HDF5_ENDING ".h5"
#define VIDA_HDF5_FILE "trajectories" VIDA_HDF5_ENDING

/* Splits "FILE.h5:RUN" into the path, which is copied to `path`, and the run, which is returned;
 * NULL if there is none. */
const char* vida__split_place(const char* place, char* path, size_t size);
/* Reads a CSV file, or "FILE.h5:RUN", or the only run of an HDF5 file. The caller frees the
 * contents with vida__free_table, also after a failure. */
int vida__read_table(const char* place, vida_table* table, VidaError* error);
/* Frees the contents of a table. */
void vida__free_table(vida_table* table);
/* Returns the title of a column: "energy [J]". */
const char* vida__table_title(const vida_table* table, int column);
/* Returns the number in a cell; NaN for an empty cell or a text. */
double vida__table_real(const vida_table* table, long row, int column);
/* Returns the text of a cell; "" for a number that was not measured. `buffer` receives the text of
 * a number that is stored as such. */
const char* vida__table_text(const vida_table* table, long row, int column,
                             char buffer[VIDA_REAL_TEXT_SIZE]);
/* Returns the index of the column with this name, with or without its unit; -1: there is none. */
int vida__table_column(const vida_table* table, const char* name);
/* Refuses cells that are neither empty nor numbers. `path` is the name for the message. */
int vida__check_table(const vida_table* table, const char* path, VidaError* error);

#endif
