/* Tables of numbers in HDF5 files. Such a file has a group for each table, in the order of their
 * creation. A group has attributes with facts, and the data set "samples" of rows and columns with
 * the attributes "columns", "units" and "parts", one text for each column.
 *
 * The library libhdf5 is loaded when the first of these functions needs it, so that programs that
 * read and write no such files do not depend on it. Without it, or if VIDA was built without it,
 * all functions fail with VIDA_NOT_SUPPORTED and the flag "NO_HDF5". */
#ifndef VIDA_REPORT_HDF5_TABLES_H
#define VIDA_REPORT_HDF5_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

/* Loads the library. *version (nullable) receives its version, at most `size` bytes. */
int vida__find_hdf5(char* version, size_t size, VidaError* error);

/* The attribute "format" of a file. */
#define VIDA_HDF5_FORMAT "VIDA trajectories"
/* The data set of a group. */
#define VIDA_HDF5_SAMPLES "samples"
/* The attribute of a group that says how its run ended; a run that is not finished has none. */
#define VIDA_HDF5_STATUS "status"

/* A column of a table. */
typedef struct vida_table_column {
  char* name;
  char* unit; /* "": none */
  const char*
      part; /* name of a VidaTrajectoryPart; "t" for the time; "" in a table that was read */
} vida_table_column;

/* An attribute: a text, or a number where the text is NULL. */
typedef struct vida_fact {
  const char* name;
  const char* text;
  double value;
} vida_fact;

/* ---- writing (hdf5_write.c) ------------------------------------------------------------------ */

/* A file with one table that grows by rows. Blocks of rows are written as they fill up. If the
 * process is killed, the file has all complete blocks. */
typedef struct vida_hdf5_writer vida_hdf5_writer;

/* Creates the file with the group `group` and these facts; after a failure there is none. A message
 * names the path. The caller owns *writer and frees it with vida__hdf5_end. */
int vida__hdf5_begin(const char* path, const char* group, int columns,
                     const vida_table_column* column, int facts, const vida_fact* fact,
                     vida_hdf5_writer** writer, VidaError* error);
/* Appends a row with one number for each column. */
int vida__hdf5_append(vida_hdf5_writer* writer, const double* row, VidaError* error);
/* Returns the number of rows that can be read from the file whatever happens to the process.
 * *waiting receives the number of rows after them that are not in the file yet, and *buffer these
 * rows, which belong to the writer. */
long vida__hdf5_written(const vida_hdf5_writer* writer, int* waiting, const double** buffer);
/* Writes the remaining rows and further facts, closes the file and frees the writer. */
int vida__hdf5_end(vida_hdf5_writer** writer, int facts, const vida_fact* fact, VidaError* error);
/* Copies the tables of `count` files to the new file `path`. Table i is in the file path_of(list,
 * i), in the group group_of(list, i). Files that do not exist are skipped; *copied receives the
 * number of the others. The two functions must not use HDF5 themselves. */
int vida__hdf5_join(const char* path, int count, const char* (*path_of)(const void* list, int i),
                    const char* (*group_of)(const void* list, int i), const void* list, int* copied,
                    VidaError* error);

/* ---- reading (hdf5_read.c) ------------------------------------------------------------------- */

/* A table that was read. */
typedef struct vida_hdf5_table {
  int columns;
  long rows;
  vida_table_column* column; /* columns */
  double* values;            /* rows x columns; NaN: not measured */
} vida_hdf5_table;

/* Names of the groups of a file. */
typedef struct vida_hdf5_groups {
  int count;
  char** names;
} vida_hdf5_groups;

/* Returns whether a file begins as HDF5 files do. */
bool vida__is_hdf5(const char* path);
/* Lists the tables of a file. The caller frees *groups with vida__free_hdf5_groups. */
int vida__list_hdf5(const char* path, vida_hdf5_groups* groups, VidaError* error);
/* Frees the names. */
void vida__free_hdf5_groups(vida_hdf5_groups* groups);
/* Reads a table. The file may come from others: everything in it is checked, and a message names
 * the file and the member. The caller frees *table with vida__free_hdf5_table. */
int vida__read_hdf5(const char* path, const char* group, vida_hdf5_table* table, VidaError* error);
/* Returns whether a file holds the table `group` and nothing of it is damaged: all of it is read.
 */
bool vida__is_whole_in_hdf5(const char* path, const char* group);
/* Returns whether a file has the table `group`, which may be damaged. */
bool vida__is_in_hdf5(const char* path, const char* group);
/* Frees a table. */
void vida__free_hdf5_table(vida_hdf5_table* table);

#endif
