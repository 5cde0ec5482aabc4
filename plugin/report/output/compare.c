/* Compares two files of results, cell by cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/results.h"
#include "study/step_choice.h"

enum { KEY_COLUMNS = 5, MOST_SHOWN = 20, LABEL_SIZE = 160 };

/* A column that both files have. */
typedef struct column_difference {
  double scale; /* largest absolute value of it; 0 in a comparison, whose rows have their own */
  double relative, absolute;
  long beyond, at; /* cells beyond the tolerance; the row of the largest relative difference, -1 */
} column_difference;

typedef struct file_pair {
  const char* paths[2];
  const VidaTolerance* tolerance;
  FILE* file; /* of the report */
  vida_table files[2];
  bool trajectory;
  int keys[2][KEY_COLUMNS]; /* columns that identify a row */
  long* partner;            /* row of B for each row of A; -1: none */
  long alone[2];            /* rows that only one file has */
  int unmatched_columns;
  long beyond, shown;
} file_pair;

/* ---- which rows belong together -------------------------------------------------------------- */

static const char* const key_names[KEY_COLUMNS] = {"system", "method", "options", "h", "rtol"};

/* Columns that are keys, or that differ between equal runs. */
static bool is_ignored(const char* title) {
  const VidaColumn* column = Vida_FindColumn(title);
  if (column && (column->traits & VIDA_COLUMN_VARIES)) {
    return true;
  }
  for (int i = 0; i < KEY_COLUMNS; i++) {
    if (strcmp(title, key_names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static int find_keys(file_pair* comparison, int file, VidaError* error) {
  const vida_table* table = &comparison->files[file];
  const char* path = comparison->paths[file];
  const bool is_trajectory = vida__table_column(table, "t") == 0;
  if (file == 1 && is_trajectory != comparison->trajectory) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "'%s' has the rows of %s, '%s' those of %s: expected two files of the same kind",
        comparison->paths[0], is_trajectory ? "a comparison" : "a trajectory", path,
        is_trajectory ? "a trajectory" : "a comparison");
  }
  comparison->trajectory = is_trajectory;
  for (int i = 0; i < KEY_COLUMNS && !is_trajectory; i++) {
    comparison->keys[file][i] = vida__table_column(table, key_names[i]);
    if (comparison->keys[file][i] < 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "'%s' is neither a comparison, which has a column '%s', nor a trajectory, "
                        "whose first column is 't [s]'",
                        path, key_names[i]);
    }
  }
  return VIDA_SUCCESS;
}

static bool are_partners(const file_pair* comparison, long a, long b) {
  const vida_table* files = comparison->files;
  if (comparison->trajectory) {
    const double t = vida__table_real(&files[0], a, 0), u = vida__table_real(&files[1], b, 0);
    return fabs(t - u) <= 1e-12 * fmax(fabs(t), fabs(u));
  }
  for (int i = 0; i < KEY_COLUMNS; i++) {
    char numbers[2][VIDA_REAL_TEXT_SIZE];
    if (strcmp(vida__table_text(&files[0], a, comparison->keys[0][i], numbers[0]),
               vida__table_text(&files[1], b, comparison->keys[1][i], numbers[1])) != 0) {
      return false;
    }
  }
  return true;
}

/* Both files usually have their rows in the same order: the search continues from the last
 * position. */
static int match_rows(file_pair* comparison) {
  const long rows[2] = {comparison->files[0].rows, comparison->files[1].rows};
  bool* taken = vida__allocate((size_t)rows[1] + 1, sizeof *taken);
  comparison->partner = vida__allocate((size_t)rows[0] + 1, sizeof *comparison->partner);
  if (!taken || !comparison->partner) {
    free(taken);
    return VIDA_OUT_OF_MEMORY;
  }
  long next = 0;
  comparison->alone[1] = rows[1];
  for (long a = 0; a < rows[0]; a++) {
    comparison->partner[a] = -1;
    for (long k = 0; k < rows[1]; k++) {
      const long b = (next + k) % rows[1];
      if (!taken[b] && are_partners(comparison, a, b)) {
        comparison->partner[a] = b;
        taken[b] = true;
        next = b + 1;
        break;
      }
      /* Times increase, so no equal time follows a later one. */
      if (comparison->trajectory && vida__table_real(&comparison->files[1], b, 0) >
                                        vida__table_real(&comparison->files[0], a, 0)) {
        break;
      }
    }
    const bool found = comparison->partner[a] >= 0;
    comparison->alone[0] += found ? 0 : 1;
    comparison->alone[1] -= found ? 1 : 0;
  }
  free(taken);
  return VIDA_SUCCESS;
}

/* Prints a text of a file without control characters. */
static void print_plain(FILE* file, const char* text) {
  for (; *text; text++) {
    const bool is_plain = (unsigned char)*text >= 0x20 && *text != 0x7F;
    fputc(is_plain ? *text : '?', file);
  }
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void describe_row(const file_pair* comparison, int file, long row, char text[LABEL_SIZE]) {
  const vida_table* table = &comparison->files[file];
  text[0] = '\0';
  if (comparison->trajectory) {
    vida__append(text, LABEL_SIZE, "t = %.12g", vida__table_real(table, row, 0));
    return;
  }
  const char* cells[KEY_COLUMNS];
  char numbers[KEY_COLUMNS][VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < KEY_COLUMNS; i++) {
    cells[i] = vida__table_text(table, row, comparison->keys[file][i], numbers[i]);
  }
  const vida_step_choice choice =
      vida__step_choice(vida__table_real(table, row, comparison->keys[file][3]),
                        vida__table_real(table, row, comparison->keys[file][4]));
  vida__append(text, LABEL_SIZE, "%s%s%s, %s = %.10g", cells[1], cells[2][0] ? " " : "", cells[2],
               choice.name, choice.value);
}

/* Returns the difference of two cells, relative to the larger one or to the scale; infinite if one
 * is empty or a text and the other is not. */
static double cell_difference(const char* a, const char* b, double scale, double* absolute) {
  double x, y;
  *absolute = 0.0;
  if (strcmp(a, b) == 0) {
    return 0.0;
  }
  if (!vida__read_real(a, &x) || !vida__read_real(b, &y)) {
    *absolute = INFINITY;
    return INFINITY;
  }
  *absolute = fabs(x - y);
  const double size = fmax(scale, fmax(fabs(x), fabs(y)));
  return *absolute > 0.0 ? *absolute / size : 0.0;
}

static void show_cell(file_pair* comparison, long a, const char* title, const char* x,
                      const char* y) {
  char label[LABEL_SIZE];
  comparison->beyond++;
  if (!comparison->tolerance->all && comparison->shown >= MOST_SHOWN) {
    return;
  }
  comparison->shown++;
  describe_row(comparison, 0, a, label);
  const char* parts[] = {label, "): ", title, ": ", x[0] ? x : "empty", ", ", y[0] ? y : "empty"};
  fprintf(comparison->file, "row %ld (", a + 1);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    print_plain(comparison->file, parts[i]);
  }
  fputc('\n', comparison->file);
}

static double column_scale(const file_pair* comparison, const int columns[2]) {
  double scale = 0.0;
  for (int file = 0; file < 2; file++) {
    const vida_table* table = &comparison->files[file];
    for (long row = 0; row < table->rows; row++) {
      const double value = fabs(vida__table_real(table, row, columns[file]));
      scale = value > scale ? value : scale; /* not for NaN */
    }
  }
  return scale;
}

static column_difference compare_column(file_pair* comparison, const int columns[2]) {
  const VidaTolerance* tolerance = comparison->tolerance;
  const vida_table* files = comparison->files;
  char numbers[2][VIDA_REAL_TEXT_SIZE];
  column_difference column = {.at = -1};
  if (comparison->trajectory) {
    column.scale = column_scale(comparison, columns);
  }
  for (long a = 0; a < files[0].rows; a++) {
    const long b = comparison->partner[a];
    double absolute = 0.0;
    if (b < 0) {
      continue;
    }
    const char* x = vida__table_text(&files[0], a, columns[0], numbers[0]);
    const char* y = vida__table_text(&files[1], b, columns[1], numbers[1]);
    const double relative = cell_difference(x, y, column.scale, &absolute);
    if (relative > column.relative) {
      column.relative = relative;
      column.at = a;
    }
    column.absolute = absolute > column.absolute ? absolute : column.absolute;
    if (relative > tolerance->rtol && absolute > tolerance->atol) {
      column.beyond++;
      show_cell(comparison, a, vida__table_title(&files[0], columns[0]), x, y);
    }
  }
  return column;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void print_column(const file_pair* comparison, const char* title,
                         const column_difference* column) {
  char label[LABEL_SIZE] = "", relative[VIDA_REAL_TEXT_SIZE], absolute[VIDA_REAL_TEXT_SIZE];
  if (column->at >= 0) {
    describe_row(comparison, 0, column->at, label);
  }
  const int width = 24 - (int)strlen(title);
  print_plain(comparison->file, title);
  fprintf(comparison->file, "%*s %6ld  %9s  %9s  ", width > 0 ? width : 0, "", column->beyond,
          isfinite(column->relative) ? vida__real_text(relative, column->relative, 3) : "-",
          isfinite(column->absolute) ? vida__real_text(absolute, column->absolute, 3) : "-");
  print_plain(comparison->file, label);
  fputc('\n', comparison->file);
}

/* Cells first, then a line for each column. */
static int compare_columns(file_pair* comparison) {
  const vida_table* files = comparison->files;
  column_difference* differences =
      vida__allocate((size_t)files[0].columns + 1, sizeof *differences);
  int compared = 0;
  if (!differences) {
    return VIDA_OUT_OF_MEMORY;
  }
  comparison->unmatched_columns = files[1].columns;
  for (int i = 0; i < files[0].columns; i++) {
    const char* title = vida__table_title(&files[0], i);
    const int columns[2] = {i, vida__table_column(&files[1], title)};
    comparison->unmatched_columns += columns[1] < 0 ? 1 : -1;
    differences[i].at = -1;
    if (columns[1] >= 0 && (comparison->trajectory ? i > 0 : !is_ignored(title))) {
      differences[i] = compare_column(comparison, columns);
      compared++;
    }
  }
  if (comparison->beyond > comparison->shown) {
    fprintf(comparison->file, "and %ld more; --all shows them\n",
            comparison->beyond - comparison->shown);
  }
  if (compared > 0) {
    fprintf(comparison->file, "%s%-24s %6s  %9s  %9s  %s\n", comparison->beyond > 0 ? "\n" : "",
            "column", "beyond", "relative", "absolute", "largest at");
  }
  for (int i = 0; i < files[0].columns; i++) {
    if (differences[i].at >= 0) {
      print_column(comparison, vida__table_title(&files[0], i), &differences[i]);
    }
  }
  free(differences);
  return VIDA_SUCCESS;
}

static bool print_verdict(const file_pair* comparison) {
  const VidaTolerance* tolerance = comparison->tolerance;
  const long matched = comparison->files[0].rows - comparison->alone[0];
  const bool whole =
      comparison->alone[0] + comparison->alone[1] == 0 && comparison->unmatched_columns == 0;
  for (int file = 0; file < 2; file++) {
    if (comparison->alone[file] > 0) {
      fprintf(comparison->file, "%ld row%s in '%s' only\n", comparison->alone[file],
              comparison->alone[file] == 1 ? " is" : "s are", comparison->paths[file]);
    }
  }
  if (comparison->unmatched_columns > 0) {
    fprintf(comparison->file, "%d column%s in one file only\n", comparison->unmatched_columns,
            comparison->unmatched_columns == 1 ? " is" : "s are");
  }
  fprintf(comparison->file, "%ld row%s compared, %ld cell%s beyond rtol = %g, atol = %g\n", matched,
          vida__plural(matched), comparison->beyond, vida__plural(comparison->beyond),
          tolerance->rtol, tolerance->atol);
  return comparison->beyond == 0 && (whole || (tolerance->common && matched > 0));
}

static int compare_tables(const char* first, const char* second, const VidaTolerance* tolerance,
                          FILE* file, bool* same, VidaError* error) {
  file_pair comparison = {.paths = {first, second}, .tolerance = tolerance, .file = file};
  int code = VIDA_SUCCESS;
  *same = false;
  for (int i = 0; i < 2 && !code; i++) {
    code = vida__read_table(comparison.paths[i], &comparison.files[i], error);
    code = code ? code : find_keys(&comparison, i, error);
  }
  if (!code && (match_rows(&comparison) || compare_columns(&comparison))) {
    code = vida__fail_memory(error);
  }
  if (!code) {
    *same = print_verdict(&comparison);
    code = vida__finish_output(file, "the differences", error);
  }
  vida__free_table(&comparison.files[0]);
  vida__free_table(&comparison.files[1]);
  free(comparison.partner);
  return code;
}

/* ---- files with several runs ----------------------------------------------------------------- */

/* Lists the runs of an HDF5 file that is named without one of them; no names for another file. */
static int list_runs(const char* place, vida_hdf5_groups* runs, VidaError* error) {
  char path[VIDA_PATH_SIZE];
  memset(runs, 0, sizeof *runs);
  const bool is_whole = !vida__split_place(place, path, sizeof path) && vida__is_hdf5(path);
  return is_whole ? vida__list_hdf5(path, runs, error) : VIDA_SUCCESS;
}

static bool is_listed(const vida_hdf5_groups* runs, const char* name) {
  for (int i = 0; i < runs->count; i++) {
    if (strcmp(runs->names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static int compare_run(const char* const files[2], const char* name, const VidaTolerance* tolerance,
                       FILE* file, bool* same, VidaError* error) {
  char places[2][VIDA_PATH_SIZE] = {"", ""};
  for (int i = 0; i < 2; i++) {
    vida__append(places[i], VIDA_PATH_SIZE, "%s:%s", files[i], name);
  }
  fprintf(file, "%s\n", name);
  const int code = compare_tables(places[0], places[1], tolerance, file, same, error);
  fputc('\n', file);
  return code;
}

/* The runs of the same names, one after the other. */
static int compare_runs(const char* const files[2], const vida_hdf5_groups runs[2],
                        const VidaTolerance* tolerance, FILE* file, bool* same, VidaError* error) {
  int compared = 0, different = 0, code = VIDA_SUCCESS;
  for (int i = 0; i < runs[0].count && !code; i++) {
    bool alike = false;
    if (is_listed(&runs[1], runs[0].names[i])) {
      code = compare_run(files, runs[0].names[i], tolerance, file, &alike, error);
      compared++;
      different += !alike;
    }
  }
  if (code) {
    return code;
  }
  for (int i = 0; i < 2; i++) {
    const int alone = runs[i].count - compared;
    if (alone > 0) {
      fprintf(file, "%d run%s in '%s' only\n", alone, alone == 1 ? " is" : "s are", files[i]);
    }
  }
  fprintf(file, "%d run%s compared, %d differ\n", compared, vida__plural(compared), different);
  const bool whole = compared == runs[0].count && compared == runs[1].count;
  *same = different == 0 && compared > 0 && (whole || tolerance->common);
  return vida__finish_output(file, "the differences", error);
}

int VidaReport_Compare(const char* first, const char* second, const VidaTolerance* tolerance,
                       FILE* file, bool* same, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, first, second, tolerance, file, same)) {
    return VIDA_BAD_ARGUMENT;
  }
  const char* const files[2] = {first, second};
  vida_hdf5_groups runs[2] = {{0}, {0}};
  *same = false;
  int code = list_runs(first, &runs[0], error);
  code = code ? code : list_runs(second, &runs[1], error);
  if (!code && runs[0].names && runs[1].names && (runs[0].count != 1 || runs[1].count != 1)) {
    code = compare_runs(files, runs, tolerance, file, same, error);
  } else if (!code) {
    code = compare_tables(first, second, tolerance, file, same, error);
  }
  vida__free_hdf5_groups(&runs[0]);
  vida__free_hdf5_groups(&runs[1]);
  return code;
}
