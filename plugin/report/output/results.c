#include "report/output/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "study/study.h"

/* ---- paths ----------------------------------------------------------------------------------- */

static void join(char path[VIDA_PATH_SIZE], const char* directory, const char* name) {
  path[0] = '\0';
  vida__append(path, VIDA_PATH_SIZE, "%s/%s", directory, name);
}

static bool is_file(const char* directory, const char* name) {
  char path[VIDA_PATH_SIZE];
  struct stat status;
  join(path, directory, name);
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void child_directory(char path[VIDA_PATH_SIZE], const char* directory, int number) {
  path[0] = '\0';
  vida__append(path, VIDA_PATH_SIZE, "%s/%d", directory, number);
}

/* ---- the rows of comparison.csv -------------------------------------------------------------- */

static int read_rows(const char* directory, vida_csv* csv, VidaError* error) {
  char path[VIDA_PATH_SIZE];
  struct stat status;
  memset(csv, 0, sizeof *csv);
  if (strlen(directory) > VIDA_PATH_SIZE - VIDA_FILE_NAME_SIZE - 64) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder is too long");
  }
  if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "there is no folder '%s'", directory);
  }
  if (!is_file(directory, "comparison.csv")) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      "'%s' holds no results of a finished comparison: it has no comparison.csv "
                      "('vida run SCENARIO.lua --out DIR' writes it)",
                      directory);
  }
  join(path, directory, "comparison.csv");
  int code = vida__read_csv(path, csv, error);
  /* Results of earlier versions may lack columns. */
  for (int i = 0; vida__column_at(i) && !code; i++) {
    const VidaColumn* column = vida__column_at(i);
    const int place = vida__csv_column(csv, column->name);
    if (place < 0 && column->group == VIDA_GROUP_RUN) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' has no column '%s'", path, column->name);
    } else if (place >= 0 && column->type != VIDA_COLUMN_TEXT) {
      code = vida__check_numbers(csv, path, place, error);
    }
  }
  if (!code && csv->rows == 0) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' has no runs", path);
  }
  return code;
}

static void read_cell(const vida_csv* csv, long index, const VidaColumn* column, VidaRow* row) {
  const int place = vida__csv_column(csv, column->name);
  char* member = (char*)row + column->offset;
  const double value = place < 0 ? (double)NAN : vida__csv_real(csv, index, place);
  const long count = isnan(value) ? 0 : (long)value;
  switch (column->type) {
    case VIDA_COLUMN_TEXT:
      member[0] = '\0';
      vida__append(member, column->size, "%s", place < 0 ? "" : vida__csv_cell(csv, index, place));
      break;
    case VIDA_COLUMN_COUNT:
      memcpy(member, &count, sizeof count);
      break;
    case VIDA_COLUMN_REAL:
    default:
      memcpy(member, &value, sizeof value);
      break;
  }
}

static void read_row(const vida_csv* csv, long index, VidaRow* row) {
  for (int i = 0; vida__column_at(i); i++) {
    read_cell(csv, index, vida__column_at(i), row);
  }
}

int vida__count_stored(const char* directory, VidaError* error) {
  char child[VIDA_PATH_SIZE];
  vida_csv all, part;
  long rows = 0;
  int count = 0;
  int code = read_rows(directory, &all, error);
  if (code || is_file(directory, "study.txt")) {
    vida__free_csv(&all);
    return code ? 0 : 1;
  }
  /* Folders of an earlier run with more comparisons may exist: rows are counted. */
  while (!code && rows < all.rows) {
    child_directory(child, directory, count + 1);
    if (!is_file(child, "study.txt")) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT,
                        "'%s' has incomplete results: study.txt is missing; run the scenario again",
                        count > 0 ? child : directory);
      break;
    }
    code = read_rows(child, &part, error);
    rows += part.rows;
    count++;
    vida__free_csv(&part);
  }
  if (!code && rows != all.rows) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT,
                      "'%s' and the folders in it hold results of different runs", directory);
  }
  vida__free_csv(&all);
  return code ? 0 : count;
}

/* ---- study.txt ------------------------------------------------------------------------------- */

/* The largest size of a matrix in a file. */
enum { MOST_SIZE = 100000000, MOST_ENTRIES = 200000 };

static int fail_damaged(const char* path, const char* what, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is damaged: %s; run the scenario again", path,
                    what);
}

static int read_pattern(FILE* file, int count, const char* path, vida_results* results,
                        VidaError* error) {
  if (count > MOST_ENTRIES) {
    return fail_damaged(path, "there are no such patterns", error);
  }
  results->pattern = vida__allocate((size_t)(count > 0 ? count : 1), sizeof *results->pattern);
  if (!results->pattern) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < count; i++) {
    int* entry = results->pattern[i];
    if (fscanf(file, "%9d %9d", &entry[0], &entry[1]) != 2 || entry[0] < 0 || entry[1] < 0 ||
        entry[0] >= results->pattern_size || entry[1] >= results->pattern_size) {
      return fail_damaged(path, "its pattern is incomplete", error);
    }
  }
  results->pattern_count = count;
  return VIDA_SUCCESS;
}

/* A whole number from 0 on. */
static bool read_whole(const char* text, int* value) {
  double number;
  if (!vida__read_real(text, &number) || !(number >= 0.0) || number > MOST_SIZE ||
      number != floor(number)) {
    return false;
  }
  *value = (int)number;
  return true;
}

/* Reads a line of study.txt; values that it does not have do not change. */
typedef struct fact {
  const char* name;
  int* whole;
  char* text;
  bool found;
} fact;

static bool take_fact(fact* facts, size_t count, const char* name, const char* value) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(name, facts[i].name) != 0) {
      continue;
    }
    facts[i].found = true;
    if (facts[i].whole) {
      return read_whole(value, facts[i].whole);
    }
    facts[i].text[0] = '\0';
    vida__append(facts[i].text, VIDA_NAME_SIZE, "%s", value);
  }
  return true;
}

static int read_facts(vida_results* results, VidaError* error) {
  char path[VIDA_PATH_SIZE], line[512], relative[VIDA_NAME_SIZE] = "", own[VIDA_NAME_SIZE] = "";
  int code = VIDA_SUCCESS, pattern = 0;
  fact facts[] = {{"coordinates", &results->coordinates, NULL, false},
                  {"constraints", &results->constraints, NULL, false},
                  {"momenta", &results->momenta, NULL, false},
                  {"pattern_size", &results->pattern_size, NULL, false},
                  {"pattern", &pattern, NULL, false},
                  {"columns", NULL, results->parts, false},
                  {"label", NULL, results->label, false},
                  {"norm", NULL, results->norm, false},
                  {"relative", NULL, relative, false},
                  {"reference_error", NULL, own, false},
                  {"position_unit", NULL, results->units.position, false},
                  {"constraint_unit", NULL, results->units.constraint, false},
                  {"momentum_unit", NULL, results->units.momentum, false}};
  enum { FACTS = sizeof facts / sizeof facts[0] };
  join(path, results->directory, "study.txt");
  FILE* file = fopen(path, "r");
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s'", path);
  }
  while (!code && pattern == 0 && fgets(line, sizeof line, file)) {
    char* value = strstr(line, ": ");
    int control;
    line[strcspn(line, "\n")] = '\0';
    if (vida__find_invalid_utf8(line) || vida__find_control(line, &control)) {
      code = fail_damaged(path, "a line of it is no text", error);
    } else if (value) {
      *value = '\0';
      code = take_fact(facts, FACTS, line, value + 2)
                 ? VIDA_SUCCESS
                 : fail_damaged(path, "a number of it is none", error);
    }
  }
  for (size_t i = 0; i < FACTS && !code; i++) {
    const bool optional =
        strcmp(facts[i].name, "label") == 0 || strcmp(facts[i].name, "columns") == 0;
    if (!facts[i].found && !optional) {
      code = fail_damaged(path, "a line of it is missing", error);
    }
  }
  results->relative = strcmp(relative, "yes") == 0;
  results->reference_error = NAN;
  if (!code && own[0] && !vida__read_real(own, &results->reference_error)) {
    code = fail_damaged(path, "the reference's own error is not a number", error);
  }
  if (!code && pattern > 0) {
    code = read_pattern(file, pattern, path, results, error);
  }
  fclose(file);
  return code;
}

/* ---- a comparison ---------------------------------------------------------------------------- */

/* The methods of the whole folder, so that a method has the same colour in all its pictures. */
static int list_methods(const vida_csv* all, vida_string_table* known, vida_results* results,
                        VidaError* error) {
  const int column = vida__csv_column(all, "method");
  results->methods = vida__allocate((size_t)all->rows, sizeof *results->methods);
  bool good = results->methods;
  for (long row = 0; row < all->rows && good; row++) {
    const int before = known->count;
    const int place = vida__add_string(known, vida__csv_cell(all, row, column));
    good = place >= 0;
    if (place == before) {
      vida__append(results->methods[results->method_count++], VIDA_NAME_SIZE, "%s",
                   known->texts[place]);
    }
  }
  results->colours = vida__allocate((size_t)all->rows, sizeof *results->colours);
  return good && results->colours ? vida__choose_colours(results->method_count, results->methods,
                                                         results->colours, error)
                                  : vida__fail_memory(error);
}

/* Sets of options are numbered by themselves for each method. */
static int number_runs(vida_string_table* methods, vida_results* results, VidaError* error) {
  vida_string_table known = {0};
  int* variants = vida__allocate((size_t)results->method_count, sizeof *variants);
  int* variant = vida__allocate((size_t)results->count, sizeof *variant); /* of each known one */
  bool good = variants && variant;
  for (int i = 0; i < results->count && good; i++) {
    vida_stored_run* self = &results->runs[i];
    char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
    vida__append(name, sizeof name, "%s %s", self->row.method, self->row.options);
    const int before = known.count;
    const int set = vida__add_string(&known, name);
    self->method = vida__add_string(methods, self->row.method);
    good = set >= 0 && self->method >= 0;
    if (self->method >= results->method_count) { /* the folder's rows are of another run */
      self->method = results->method_count - 1;
    }
    if (good && set == before) {
      variant[set] = variants[self->method]++;
    }
    self->variant = good ? variant[set] : 0;
  }
  vida__free_strings(&known);
  free(variants);
  free(variant);
  return good ? VIDA_SUCCESS : vida__fail_memory(error);
}

static const VidaRow* row_of_results(const void* list, int run) {
  return &((const vida_results*)list)->runs[run].row;
}

/* Whether the HDF5 file of the folder has a table of this name. A file that cannot be read has, so
 * that the reason is told where the table is needed. */
static bool is_group(const vida_hdf5_groups* groups, const char* name, int* next) {
  bool found = !groups->names;
  for (int k = 0; k < groups->count && !found; k++) { /* in the order of the runs */
    const int place = (*next + k) % groups->count;
    found = strcmp(groups->names[place], name) == 0;
    *next = found ? place + 1 : *next;
  }
  return found;
}

static int find_files(vida_results* results, VidaError* error) {
  vida_hdf5_groups groups = {0};
  char path[VIDA_PATH_SIZE];
  int next = 0;
  char(*names)[VIDA_FILE_NAME_SIZE] = vida__allocate((size_t)results->count, sizeof *names);
  if (!names) {
    return vida__fail_memory(error);
  }
  const bool has_hdf5 = is_file(results->directory, VIDA_HDF5_FILE);
  join(path, results->directory, VIDA_HDF5_FILE);
  if (has_hdf5) {
    vida__list_hdf5(path, &groups, NULL);
  }
  const int code = vida__name_runs(results, row_of_results, results->count, names, error);
  for (int i = 0; i < results->count && !code; i++) {
    vida_stored_run* run = &results->runs[i];
    if (has_hdf5 && is_group(&groups, names[i], &next)) {
      vida__append(run->file, sizeof run->file, VIDA_HDF5_FILE ":%s", names[i]);
      continue;
    }
    vida__append(run->file, sizeof run->file, "%s%s", names[i],
                 run->failed ? ".incomplete.csv" : ".csv");
    if (!is_file(results->directory, run->file)) {
      run->file[0] = '\0';
      vida__append(run->file, sizeof run->file, "%s" VIDA_HDF5_ENDING, names[i]);
    }
    if (!is_file(results->directory, run->file)) {
      run->file[0] = '\0';
    }
  }
  vida__free_hdf5_groups(&groups);
  free(names);
  return code;
}

static int take_rows(const vida_csv* own, vida_string_table* methods, vida_results* results,
                     VidaError* error) {
  results->runs = vida__allocate((size_t)own->rows, sizeof *results->runs);
  if (!results->runs) {
    return vida__fail_memory(error);
  }
  results->count = (int)own->rows;
  for (int i = 0; i < results->count; i++) {
    read_row(own, i, &results->runs[i].row);
    results->runs[i].failed = !vida__is_finished(&results->runs[i].row);
  }
  const int code = number_runs(methods, results, error);
  return code ? code : find_files(results, error);
}

/* Systems without events have no file of them. */
static int read_events(vida_results* results, VidaError* error) {
  char path[VIDA_PATH_SIZE];
  if (!is_file(results->directory, "events.csv")) {
    return VIDA_SUCCESS;
  }
  join(path, results->directory, "events.csv");
  int code = vida__read_csv(path, &results->events, error);
  static const char* const numbers[] = {"run", "t"};
  for (int k = 0; k < 2 && !code; k++) {
    const int column = vida__csv_column(&results->events, numbers[k]);
    code = column < 0 ? fail_damaged(path, "a column of it is missing", error)
                      : vida__check_numbers(&results->events, path, column, error);
  }
  return code;
}

bool vida__next_event(const vida_results* results, int run, long* row, double* t) {
  const vida_csv* events = &results->events;
  const int number = vida__csv_column(events, "run"), time = vida__csv_column(events, "t");
  while (*row < events->rows && vida__csv_real(events, *row, number) != run + 1) {
    ++*row;
  }
  if (*row >= events->rows) {
    return false;
  }
  *t = vida__csv_real(events, (*row)++, time);
  return isfinite(*t);
}

int vida__read_results(const char* directory, int study, vida_results* results, VidaError* error) {
  vida_csv all = {0}, own = {0};
  vida_string_table methods = {0};
  memset(results, 0, sizeof *results);
  const int count = vida__count_stored(directory, error);
  if (count == 0) {
    return error ? error->code : VIDA_INPUT_OUTPUT;
  }
  if (study < 0 || study >= count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "'%s' has %d comparisons, none of number %d",
                      directory, count, study + 1);
  }
  if (is_file(directory, "study.txt")) {
    vida__append(results->directory, VIDA_PATH_SIZE, "%s", directory);
  } else {
    child_directory(results->directory, directory, study + 1);
  }
  int code = read_rows(directory, &all, error);
  code = code ? code : read_rows(results->directory, &own, error);
  code = code ? code : list_methods(&all, &methods, results, error);
  code = code ? code : read_facts(results, error);
  code = code ? code : take_rows(&own, &methods, results, error);
  code = code ? code : read_events(results, error);
  vida__free_csv(&all);
  vida__free_csv(&own);
  vida__free_strings(&methods);
  return code;
}

/* ---- removing them --------------------------------------------------------------------------- */

static void remove_file(const char* directory, const char* name, const char* ending) {
  char path[VIDA_PATH_SIZE] = "";
  vida__append(path, sizeof path, "%s/%s%s", directory, name, ending);
  remove(path);
}

/* The trajectories of the rows in the folder's own comparison.csv. */
static void remove_trajectories(const char* directory) {
  vida_results stored = {0};
  vida_csv rows;
  VidaError ignored;
  if (read_rows(directory, &rows, &ignored)) {
    vida__free_csv(&rows);
    return;
  }
  stored.runs = vida__allocate((size_t)rows.rows, sizeof *stored.runs);
  stored.count = stored.runs ? (int)rows.rows : 0;
  for (int i = 0; i < stored.count; i++) {
    read_row(&rows, i, &stored.runs[i].row);
  }
  char(*names)[VIDA_FILE_NAME_SIZE] = vida__allocate((size_t)stored.count + 1, sizeof *names);
  if (names && !vida__name_runs(&stored, row_of_results, stored.count, names, NULL)) {
    for (int i = 0; i < stored.count; i++) {
      remove_file(directory, names[i], ".csv");
      remove_file(directory, names[i], ".incomplete.csv");
      remove_file(directory, names[i], VIDA_HDF5_ENDING);
    }
  }
  free(names);
  free(stored.runs);
  vida__free_csv(&rows);
}

void vida__remove_results(const char* directory) {
  static const char* const files[] = {"comparison.csv", "comparison.json", "study.txt",
                                      "events.csv"};
  char child[VIDA_PATH_SIZE], plots[VIDA_PATH_SIZE];
  VidaError ignored;
  const int count = is_file(directory, "study.txt") ? 0 : vida__count_stored(directory, &ignored);
  remove_trajectories(directory);
  remove_file(directory, VIDA_HDF5_FILE, "");
  for (int number = 1; number <= count; number++) {
    child_directory(child, directory, number);
    remove_trajectories(child);
    remove_file(child, VIDA_HDF5_FILE, "");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
      remove_file(child, files[i], "");
    }
    vida__remove_pictures(child);
    join(plots, child, "plots");
    rmdir(plots); /* where nothing else is in there */
    rmdir(child);
  }
}

void vida__free_results(vida_results* results) {
  free(results->runs);
  free(results->methods);
  free(results->colours);
  free(results->pattern);
  vida__free_csv(&results->events);
  memset(results, 0, sizeof *results);
}
