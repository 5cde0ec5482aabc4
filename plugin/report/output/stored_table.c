/* Trajectories, read from CSV files and from HDF5 files. */
#include "report/output/stored_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/results.h"
#include "study/trajectory_columns.h"

/* ---- places ---------------------------------------------------------------------------------- */

const char* vida__split_place(const char* place, char* path, size_t size) {
  const char* colon = strrchr(place, ':');
  path[0] = '\0';
  vida__append(path, size, "%s", place);
  if (!colon || access(place, F_OK) == 0 || (size_t)(colon - place) >= size) {
    return NULL;
  }
  path[colon - place] = '\0';
  if (access(path, F_OK) == 0 && vida__is_hdf5(path)) {
    return colon + 1;
  }
  path[0] = '\0';
  vida__append(path, size, "%s", place);
  return NULL;
}

/* The only run of a file; NULL after a failure. The caller frees the text. */
static char* find_only_run(const char* path, VidaError* error) {
  vida_hdf5_groups groups;
  char* name = NULL;
  if (vida__list_hdf5(path, &groups, error)) {
    return NULL;
  }
  if (groups.count == 1) {
    name = vida__copy_text(groups.names[0]);
    if (!name) {
      vida__fail_memory(error);
    }
  } else if (groups.count == 0) {
    vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' has no runs", path);
  } else {
    vida__fail(error, VIDA_INPUT_OUTPUT,
               "'%s' has the trajectories of %d runs: expected one of them, as in '%s:%s'", path,
               groups.count, path, groups.names[0]);
  }
  vida__free_hdf5_groups(&groups);
  return name;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int title_columns(vida_table* table, VidaError* error) {
  table->titles = vida__allocate((size_t)table->columns, sizeof *table->titles);
  for (int i = 0; i < table->columns && table->titles; i++) {
    const vida_table_column* column = &table->hdf5.column[i];
    const size_t size = strlen(column->name) + strlen(column->unit) + sizeof " []";
    table->titles[i] = vida__allocate(size, 1);
    if (!table->titles[i]) {
      return vida__fail_memory(error);
    }
    snprintf(table->titles[i], size, column->unit[0] ? "%s [%s]" : "%s%s", column->name,
             column->unit);
  }
  return table->titles ? VIDA_SUCCESS : vida__fail_memory(error);
}

static int read_hdf5_table(const char* path, const char* run, vida_table* table, VidaError* error) {
  char* only = run ? NULL : find_only_run(path, error);
  if (!run && !only) {
    return error ? error->code : VIDA_INPUT_OUTPUT;
  }
  int code = vida__read_hdf5(path, run ? run : only, &table->hdf5, error);
  free(only);
  if (!code) {
    table->rows = table->hdf5.rows;
    table->columns = table->hdf5.columns;
    code = title_columns(table, error);
  }
  return code;
}

int vida__read_table(const char* place, vida_table* table, VidaError* error) {
  char path[VIDA_PATH_SIZE];
  memset(table, 0, sizeof *table);
  const char* run = vida__split_place(place, path, sizeof path);
  if (vida__is_hdf5(path)) {
    return read_hdf5_table(path, run, table, error);
  }
  const int code = vida__read_csv(path, &table->csv, error);
  table->rows = table->csv.rows;
  table->columns = table->csv.columns;
  return code;
}

void vida__free_table(vida_table* table) {
  for (int i = 0; i < table->columns && table->titles; i++) {
    free(table->titles[i]);
  }
  free(table->titles);
  vida__free_hdf5_table(&table->hdf5);
  vida__free_csv(&table->csv);
  memset(table, 0, sizeof *table);
}

const char* vida__table_title(const vida_table* table, int column) {
  return table->titles ? table->titles[column] : vida__csv_cell(&table->csv, -1, column);
}

double vida__table_real(const vida_table* table, long row, int column) {
  return table->titles ? table->hdf5.values[(size_t)row * (size_t)table->columns + (size_t)column]
                       : vida__csv_real(&table->csv, row, column);
}

const char* vida__table_text(const vida_table* table, long row, int column,
                             char buffer[VIDA_REAL_TEXT_SIZE]) {
  if (!table->titles) {
    return vida__csv_cell(&table->csv, row, column);
  }
  const double value = vida__table_real(table, row, column);
  return isnan(value) ? "" : vida__real_text(buffer, value, 17);
}

int vida__table_column(const vida_table* table, const char* name) {
  if (!table->titles) {
    return vida__csv_column(&table->csv, name);
  }
  for (int i = 0; i < table->columns; i++) {
    if (strcmp(name, table->titles[i]) == 0 || strcmp(name, table->hdf5.column[i].name) == 0) {
      return i;
    }
  }
  return -1;
}

int vida__check_table(const vida_table* table, const char* path, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < table->columns && !table->titles && !code; i++) {
    code = vida__check_numbers(&table->csv, path, i, error);
  }
  return code;
}

/* ---- the trajectory of a run in a folder ----------------------------------------------------- */

static bool is_written(const vida_results* results, vida_part part) {
  const char* name = Vida_TrajectoryPart((int)part)->name;
  const size_t length = strlen(name);
  const char* word = results->parts;
  if (!word[0]) {
    return Vida_TrajectoryPart((int)part)->automatic;
  }
  while (*word) {
    const size_t size = strcspn(word, ",");
    if (size == length && strncmp(word, name, length) == 0) {
      return true;
    }
    word += size + (word[size] == ',');
  }
  return false;
}

/* The place of a part that has `size` columns; `at` goes on behind it. */
static int take_part(const vida_results* results, vida_part part, int size, int* at) {
  const int first = *at;
  if (!is_written(results, part)) {
    return -1;
  }
  *at += size;
  return first;
}

static void lay_out(const vida_results* results, vida_trajectory* trajectory, int* end) {
  const int n = results->coordinates, m = results->constraints;
  int at = 1;
  trajectory->position = take_part(results, VIDA_PART_q, n, &at);
  trajectory->velocity = take_part(results, VIDA_PART_v, n, &at);
  trajectory->multiplier = take_part(results, VIDA_PART_lambda, m + (m > 0), &at);
  trajectory->multiplier_time = trajectory->multiplier < 0 ? -1 : trajectory->multiplier + m;
  trajectory->energy = take_part(results, VIDA_PART_energy, 1, &at);
  const bool has_work = vida__table_column(&trajectory->table, "work") == at;
  trajectory->work = has_work ? take_part(results, VIDA_PART_work, 1, &at) : -1;
  trajectory->momentum = take_part(results, VIDA_PART_momenta, results->momenta, &at);
  trajectory->constraint = take_part(results, VIDA_PART_g, m, &at);
  trajectory->constraint_rate = take_part(results, VIDA_PART_dg, m, &at);
  *end = at;
}

int vida__read_trajectory(const vida_results* results, int run, vida_trajectory* trajectory,
                          VidaError* error) {
  char path[VIDA_PATH_SIZE] = "";
  int end = 0;
  memset(trajectory, 0, sizeof *trajectory);
  vida__append(path, sizeof path, "%s/%s", results->directory, results->runs[run].file);
  const int code = vida__read_table(path, &trajectory->table, error);
  if (code) {
    return code;
  }
  lay_out(results, trajectory, &end);
  const int energy = trajectory->energy;
  if (end > trajectory->table.columns ||
      (energy >= 0 && vida__table_column(&trajectory->table, "energy") != energy)) {
    return vida__fail(
        error, VIDA_INPUT_OUTPUT,
        "'%s' does not have the columns of a trajectory with %d coordinates and %d constraints",
        path, results->coordinates, results->constraints);
  }
  return vida__check_table(&trajectory->table, path, error);
}

void vida__free_trajectory(vida_trajectory* trajectory) {
  vida__free_table(&trajectory->table);
}

/* ---- for programs ---------------------------------------------------------------------------- */

int VidaTrajectory_Read(const char* place, VidaTrajectory** trajectory, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, trajectory)) {
    return VIDA_BAD_ARGUMENT;
  }
  *trajectory = NULL;
  if (VIDA_REFUSE_NULL(error, place)) {
    return VIDA_BAD_ARGUMENT;
  }
  VidaTrajectory* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  int code = vida__read_table(place, made, error);
  code = code ? code : vida__check_table(made, place, error);
  if (code) {
    VidaTrajectory_Destroy(&made);
  }
  *trajectory = made;
  return code;
}

void VidaTrajectory_Destroy(VidaTrajectory** trajectory) {
  if (trajectory && *trajectory) {
    vida__free_table(*trajectory);
    free(*trajectory);
    *trajectory = NULL;
  }
}

long VidaTrajectory_RowCount(const VidaTrajectory* trajectory) {
  return trajectory ? trajectory->rows : 0;
}

int VidaTrajectory_ColumnCount(const VidaTrajectory* trajectory) {
  return trajectory ? trajectory->columns : 0;
}

const char* VidaTrajectory_Title(const VidaTrajectory* trajectory, int column) {
  return trajectory && column >= 0 && column < trajectory->columns
             ? vida__table_title(trajectory, column)
             : NULL;
}

double VidaTrajectory_Value(const VidaTrajectory* trajectory, long row, int column) {
  return trajectory && row >= 0 && row < trajectory->rows && column >= 0 &&
                 column < trajectory->columns
             ? vida__table_real(trajectory, row, column)
             : (double)NAN;
}
