/* The terminal table: the columns that fit its width, the most important ones first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/summary.h"
#include "study/step_choice.h"
#include "study/study.h"
#include "system/model/model.h"

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH 40
#define GAP 2            /* between columns */
#define OPTIONS_LEAST 16 /* options are truncated to this length before a column is omitted */
#define STATUS_LEAST 8
#define IDENTIFYING \
  21 /* importance of options that distinguish runs of a method: between position and energy */
#define ESSENTIAL 18 /* the status is truncated before a column of this importance is omitted */
#define COLUMNS_LEAST 3
#define MOST_NAMED 4 /* runs of which the same is said */
#define CELL_SIZE (VIDA_OPTIONS_SIZE + 8)
#define LINE_SIZE 2048

enum { MOST_CELLS = 64 };

/* Data of a column besides its cells. */
typedef enum cell_kind {
  CELL_OWN,    /* the value of the column */
  CELL_DIGITS, /* correct digits of the position error, in the mixed norm */
  CELL_COST    /* microseconds for each step */
} cell_kind;

/* A column of the table, made of one of the rows. */
typedef struct table_column {
  const VidaColumn* column;
  cell_kind kind;
  const char* title;
  int importance;
} table_column;

/* Columns that are computed from another column, and follow it. */
static const struct {
  size_t offset; /* of the other column in VidaRow */
  table_column made;
} made_columns[] = {
    {offsetof(VidaRow, position_error), {NULL, CELL_DIGITS, "mescd", 24}},
    {offsetof(VidaRow, wall_s), {NULL, CELL_COST, "time/step", 21}},
};

typedef struct option_uses {
  vida_string_table names; /* "method", "method option" */
  int* runs;               /* of each name */
  size_t capacity;
} option_uses;

typedef struct table_layout {
  const VidaStudy* study;
  FILE* file;
  int width;              /* of the terminal */
  double reference_error; /* NaN: not estimated */
  bool failures;          /* some run did not reach its end */
  bool adaptive;          /* some method chose its own steps */
  bool variants;          /* some method runs with several sets of options */
  bool twins;             /* and without them some of its rows would look the same */
  bool drifts;            /* some methods keep the constraints, and others do not */
  bool precision;         /* a study of work and precision */
  unsigned doubtful;      /* what is doubtful in some run */
  const VidaTableStyle* style;
  table_column columns[MOST_CELLS];
  int count; /* of columns */
  bool shown[MOST_CELLS];
  int widths[MOST_CELLS];
  option_uses uses;
  char units[MOST_CELLS][VIDA_NAME_SIZE];
} table_layout;

/* Returns whether a column holds the member of VidaRow at this offset itself. */
static bool holds(const table_column* column, size_t offset) {
  return column->kind == CELL_OWN && column->column->offset == offset;
}
#define HOLDS(column, member) holds(column, offsetof(VidaRow, member))

static void add_column(table_layout* table, const VidaColumn* column, table_column added) {
  if (table->count < MOST_CELLS) {
    added.column = column;
    table->columns[table->count++] = added;
  }
}

static void choose_columns(table_layout* table) {
  const vida_columns all = vida__grouped_columns();
  for (int i = 0; i < all.count; i++) {
    const VidaColumn* column = all.column[i];
    if (!column->title[0] ||
        ((column->traits & VIDA_COLUMN_EVENTS) && !VidaStudy_HasColumn(table->study, column))) {
      continue;
    }
    add_column(table, column, (table_column){NULL, CELL_OWN, column->title, column->importance});
    for (size_t k = 0; k < sizeof made_columns / sizeof made_columns[0]; k++) {
      if (made_columns[k].offset == column->offset) {
        add_column(table, column, made_columns[k].made);
      }
    }
  }
}

/* Returns the column that holds this member of VidaRow. */
static int find_column(const table_layout* table, size_t offset) {
  int index = 0;
  while (!holds(&table->columns[index], offset)) {
    index++;
  }
  return index;
}
#define FIND_COLUMN(table, member) find_column(table, offsetof(VidaRow, member))

/* ---- options that all runs of a method have ---------------------------------------------------
 */

static int count_use(option_uses* uses, const char* method, const char* option) {
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
  void* runs = uses->runs;
  vida__append(name, sizeof name, "%s %s", method, option);
  const int code =
      vida__reserve(&runs, &uses->capacity, (size_t)uses->names.count + 1, sizeof *uses->runs);
  uses->runs = runs;
  const int number = code ? -1 : vida__add_string(&uses->names, name);
  if (number >= 0) {
    uses->runs[number]++;
  }
  return number;
}

/* Counts the runs of each method, and of these the ones that have each option. */
static int count_uses(const VidaStudy* study, option_uses* uses, VidaError* error) {
  char option[VIDA_OPTIONS_SIZE];
  bool good = true;
  for (int i = 0; i < VidaStudy_RunCount(study) && good; i++) {
    const vida_run* run = &study->runs[i];
    good = count_use(uses, run->row.method, "") >= 0;
    for (int k = 0; k < vida__count_option_parts(run) && good; k++) {
      vida__option_part(run, k, option);
      good = !option[0] || count_use(uses, run->row.method, option) >= 0;
    }
  }
  return good ? VIDA_SUCCESS : vida__fail_memory(error);
}

static void free_uses(option_uses* uses) {
  vida__free_strings(&uses->names);
  free(uses->runs);
}

static int runs_with(const option_uses* uses, const char* method, const char* option) {
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
  vida__append(name, sizeof name, "%s %s", method, option);
  const int number = vida__find_string(&uses->names, name);
  return number < 0 ? 0 : uses->runs[number];
}

/* Puts options that distinguish runs of a method first, because long texts are truncated. The label
 * of the comparison is in the title. */
static void options_text(const option_uses* uses, const vida_run* run, char text[CELL_SIZE]) {
  const int runs = runs_with(uses, run->row.method, "");
  char option[VIDA_OPTIONS_SIZE];
  for (int shared = 0; shared <= 1; shared++) {
    for (int k = 0; k < vida__count_option_parts(run); k++) {
      vida__option_part(run, k, option);
      if (option[0] && (runs_with(uses, run->row.method, option) >= runs) == (shared == 1)) {
        vida__append(text, CELL_SIZE, "%s%s", text[0] ? " " : "", option);
      }
    }
  }
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Writes 1.234e-05 in every locale: only the digits come from the C library. */
static void error_text(double value, char* text, size_t size) {
  char number[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  if (!isfinite(value)) {
    return;
  }
  if (value == 0.0) {
    vida__append(text, size, "0");
    return;
  }
  snprintf(number, sizeof number, "%.3e", fabs(value));
  const char* exponent = strchr(number, 'e');
  vida__append(text, size, "%s%c.%.3s%s", value < 0.0 ? "-" : "", number[0], exponent - 3,
               exponent);
}

/* Two finite differences may agree by accident. */
static bool is_rounding(const VidaRow* row) {
  return row->symplectic_defect < VIDA_NOISE_FACTOR * row->symplectic_noise;
}

static bool is_not_measurable(const VidaRow* row) {
  return is_rounding(row) && row->symplectic_defect >= 1.0;
}

/* The work is computed from the states at the nodes only. */
static bool is_unresolved(const VidaRow* row) {
  return row->energy_error < row->work_error;
}

/* Returns whether the table shows this value of the column. */
static bool is_reported(const table_layout* table, const table_column* column, const VidaRow* row) {
  if (HOLDS(column, steps)) {
    return vida__is_adaptive(row);
  }
  if (HOLDS(column, residual_evaluations)) {
    return table->precision;
  }
  if (HOLDS(column, wall_s)) {
    return table->adaptive || table->precision;
  }
  return !(column->column->traits & VIDA_COLUMN_EXCHANGE) ||
         vida__has_energy_sources(table->study->system);
}

/* Returns the mark before a number that is less accurate than it looks. */
static const char* mark_of(const table_layout* table, const table_column* column,
                           const VidaRow* row) {
  if (HOLDS(column, position_error)) {
    return row->position_error < table->reference_error ? "~" : "";
  }
  if (HOLDS(column, energy_error)) {
    return is_unresolved(row) ? "<" : "";
  }
  if (HOLDS(column, symplectic_defect)) {
    return is_not_measurable(row) ? "?" : is_rounding(row) ? "<" : "";
  }
  return "";
}

/* Values of the group RUN as they were typed, errors with four digits, times in milliseconds. */
static void real_text(const table_layout* table, const table_column* column, const VidaRow* row,
                      char text[CELL_SIZE]) {
  const double value = vida__cell_value(row, column->column);
  const char* mark = mark_of(table, column, row);
  char number[VIDA_REAL_TEXT_SIZE] = "";
  if (column->column->group == VIDA_GROUP_RUN) {
    if (isfinite(value)) {
      vida__real_text(number, value, 6);
    }
  } else if (column->column->group == VIDA_GROUP_COST) {
    vida__real_text(number, 1e3 * value, 3);
  } else if (mark[0] != '?') {
    error_text(value, number, sizeof number);
  }
  text[0] = '\0';
  vida__append(text, CELL_SIZE, "%s%s", mark, number);
}

static void cell_text(const table_layout* table, int index, const vida_run* run,
                      char text[CELL_SIZE]) {
  const table_column* column = &table->columns[index];
  const VidaRow* row = &run->row;
  char number[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  if (column->kind == CELL_DIGITS) {
    if (table->study->norm == VIDA_NORM_MIXED && row->position_error > 0.0) {
      const double digits = floor(0.5 - 100.0 * log10(row->position_error)) / 100.0;
      vida__append(text, CELL_SIZE, "%s", vida__real_text(number, digits, 5));
    }
  } else if (column->kind == CELL_COST) {
    if (row->steps > 0 && row->wall_s > 0.0) {
      vida__append(text, CELL_SIZE, "%s",
                   vida__real_text(number, 1e6 * row->wall_s / (double)row->steps, 3));
    }
  } else if (HOLDS(column, options)) {
    options_text(&table->uses, run, text);
  } else if (is_reported(table, column, row)) {
    if (column->column->type == VIDA_COLUMN_REAL) {
      real_text(table, column, row, text);
    } else {
      vida__cell_text(row, column->column, text, CELL_SIZE);
    }
  }
}

/* Aligns texts left and numbers right; a text that is too wide ends in dots. */
static void append_cell(const table_layout* table, int column, const char* text,
                        char line[LINE_SIZE]) {
  const int width = table->widths[column];
  const int spare = width - vida__text_width(text);
  const bool left = table->columns[column].column->type == VIDA_COLUMN_TEXT;
  if (spare >= 0) {
    vida__append(line, LINE_SIZE, "%*s%s%*s", left ? 0 : spare, "", text, left ? spare + GAP : GAP,
                 "");
    return;
  }
  vida__append(line, LINE_SIZE, "%.*s..%*s", (int)vida__fitting_bytes(text, width - 2), text, GAP,
               "");
}

/* Writes a line without the spaces at its end. */
static void write_styled_line(const char* line, const char* begin, const char* end, FILE* file) {
  size_t length = strlen(line);
  while (length > 0 && line[length - 1] == ' ') {
    length--;
  }
  fprintf(file, "%s%.*s%s\n", begin, (int)length, line, end);
}

void vida__write_line(FILE* file, const char* line) {
  write_styled_line(line, "", "", file);
}

const char* vida__style_begin(const VidaTableStyle* style, VidaOutcome outcome) {
  return outcome == VIDA_OUTCOME_FAILED    ? style->failed
         : outcome == VIDA_OUTCOME_NOT_RUN ? style->not_run
                                           : "";
}

const char* vida__style_end(const VidaTableStyle* style, VidaOutcome outcome) {
  return outcome == VIDA_OUTCOME_FINISHED ? "" : style->plain;
}

/* ---- units ---------------------------------------------------------------------------------- */

static void find_units(table_layout* table) {
  vida_units shared;
  vida__find_units(table->study, &shared);
  for (int i = 0; i < table->count; i++) {
    const table_column* column = &table->columns[i];
    if (column->kind == CELL_COST) {
      vida__append(table->units[i], VIDA_NAME_SIZE, "us");
    } else if (column->column->group == VIDA_GROUP_COST &&
               column->column->type == VIDA_COLUMN_REAL) {
      vida__append(table->units[i], VIDA_NAME_SIZE, "ms");
    } else if (column->kind == CELL_OWN) {
      vida__column_unit(&shared, table->study->relative, column->column, table->units[i]);
    }
  }
}

/* ---- layout --------------------------------------------------------------------------------- */

static int count_shown(const table_layout* table) {
  int count = 0;
  for (int i = 0; i < table->count; i++) {
    count += table->shown[i] ? 1 : 0;
  }
  return count;
}

static int total_width(const table_layout* table) {
  int total = -GAP;
  for (int i = 0; i < table->count; i++) {
    total += table->shown[i] ? table->widths[i] + GAP : 0;
  }
  return total;
}

static int importance_of(const table_layout* table, size_t offset) {
  return table->columns[find_column(table, offset)].importance;
}

/* The status says little when every run is well, and much when one is not: then it goes only before
 * the last of the errors, as the sentences below have it, too. Violations of the constraints are as
 * telling where some methods keep them and others do not. A study of work and precision is about
 * both. Options that tell two runs of a method apart stay with its name, and so does what says how
 * far a run went astray. */
static int importance(const table_layout* table, int index) {
  const table_column* column = &table->columns[index];
  const bool is_work = HOLDS(column, residual_evaluations) || HOLDS(column, wall_s);
  const bool is_violation =
      HOLDS(column, constraint_position) || HOLDS(column, constraint_velocity);
  if ((HOLDS(column, constraint_position) && (table->doubtful & VIDA_DOUBTFUL_CONSTRAINTS)) ||
      (HOLDS(column, energy_error) && (table->doubtful & VIDA_DOUBTFUL_ENERGY))) {
    return importance_of(table, offsetof(VidaRow, method)) - 1;
  }
  if (HOLDS(column, options) && table->twins) {
    return importance_of(table, offsetof(VidaRow, method)) - 1;
  }
  if (HOLDS(column, options) && table->variants) {
    return IDENTIFYING;
  }
  if (HOLDS(column, status) && table->failures) {
    return importance_of(table, offsetof(VidaRow, position_error));
  }
  if (is_work && table->precision) {
    return importance_of(table, offsetof(VidaRow, energy_error));
  }
  if (is_violation && table->drifts) {
    return importance_of(table, offsetof(VidaRow, momentum_error)) +
           (HOLDS(column, constraint_position) ? 1 : -1);
  }
  if (column->kind == CELL_COST && table->shown[FIND_COLUMN(table, wall_s)]) {
    return importance_of(
        table, offsetof(VidaRow, steps)); /* time of a step, in addition to that of the run */
  }
  return column->importance;
}

/* Returns whether some method runs with other options than at first. */
static bool has_variants(const VidaStudy* study) {
  for (int run = 1; run < VidaStudy_RunCount(study); run++) {
    const VidaRow* row = VidaStudy_Row(study, run);
    int first = 0;
    while (strcmp(row->method, VidaStudy_Row(study, first)->method) != 0) {
      first++;
    }
    if (strcmp(row->options, VidaStudy_Row(study, first)->options) != 0) {
      return true;
    }
  }
  return false;
}

static bool is_same_step(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Returns whether two runs of a method differ in their options alone, and not in the step or the
 * tolerance, which have columns of their own. */
static bool has_twins(const VidaStudy* study) {
  for (int run = 1; run < VidaStudy_RunCount(study); run++) {
    const VidaRow* row = VidaStudy_Row(study, run);
    for (int before = 0; before < run; before++) {
      const VidaRow* other = VidaStudy_Row(study, before);
      if (strcmp(row->method, other->method) == 0 && is_same_step(row->h, other->h) &&
          is_same_step(row->rtol, other->rtol) && strcmp(row->options, other->options) != 0) {
        return true;
      }
    }
  }
  return false;
}

/* Returns whether some run has a million times what another has. */
static bool differ_much(const VidaStudy* study, const VidaColumn* column) {
  double least = INFINITY, most = 0.0;
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    const double value = vida__cell_value(VidaStudy_Row(study, run), column);
    if (isfinite(value)) {
      least = fmin(least, value);
      most = fmax(most, value);
    }
  }
  return most > 1e6 * least;
}

static int find_least_important(const table_layout* table) {
  int least = -1;
  for (int i = 0; i < table->count; i++) {
    if (table->shown[i] && (least < 0 || importance(table, i) < importance(table, least))) {
      least = i;
    }
  }
  return least;
}

/* Truncates the status: a flag of a solver can be longer than all other cells, and the sentence
 * below the table has all of it. Returns false if nothing can be truncated. */
static bool cut_status(table_layout* table) {
  const int status = FIND_COLUMN(table, status);
  const int before = table->widths[status];
  const int fitting = before - (total_width(table) - table->width);
  if (!table->shown[status] || before <= STATUS_LEAST) {
    return false;
  }
  table->widths[status] = fitting > STATUS_LEAST ? fitting : STATUS_LEAST;
  return true;
}

static void lay_out(table_layout* table) {
  char text[CELL_SIZE];
  for (int i = 0; i < table->count; i++) {
    for (int run = 0; run < VidaStudy_RunCount(table->study); run++) {
      cell_text(table, i, &table->study->runs[run], text);
      const int width = vida__text_width(text);
      table->widths[i] = width > table->widths[i] ? width : table->widths[i];
    }
    table->shown[i] = table->widths[i] > 0;
    const int title = vida__text_width(table->columns[i].title),
              unit = vida__text_width(table->units[i]);
    table->widths[i] = title > table->widths[i] ? title : table->widths[i];
    table->widths[i] = unit > table->widths[i] ? unit : table->widths[i];
  }
  const int options = FIND_COLUMN(table, options);
  const int wanted = table->widths[options];
  if (wanted > OPTIONS_LEAST) {
    table->widths[options] = OPTIONS_LEAST;
  }
  while (total_width(table) > table->width && count_shown(table) > COLUMNS_LEAST) {
    const int least = find_least_important(table);
    if (importance(table, least) < ESSENTIAL || !cut_status(table)) {
      table->shown[least] = false;
    }
  }
  const int spare = table->width - total_width(table);
  const int missing = wanted - table->widths[options];
  if (spare > 0 && missing > 0) {
    table->widths[options] += spare < missing ? spare : missing;
  }
  if (spare < 0) {
    cut_status(table);
  }
}

/* ---- text above and below ------------------------------------------------------------------- */

void vida__write_styled(const char* text, int width, const char* begin, const char* end,
                        FILE* file) {
  int column = 0;
  fputs(begin, file);
  while (*text) {
    const size_t length = strcspn(text, " \n");
    char word[VIDA_NOTES_SIZE] = "";
    vida__append(word, sizeof word, "%.*s", (int)length, text);
    const int wide = vida__text_width(word);
    if (column > 0 && column + 1 + wide > width) {
      fputs("\n  ", file);
      column = 2;
    } else if (column > 0 && wide > 0) {
      fputc(' ', file);
      column++;
    }
    fputs(word, file);
    column += wide;
    text += length;
    if (*text == '\n') {
      fputc('\n', file);
      column = 0;
    }
    text += *text ? 1 : 0;
  }
  fputs(end, file);
  if (column > 0) {
    fputc('\n', file);
  }
}

void vida__write_paragraph(const char* text, int width, FILE* file) {
  vida__write_styled(text, width, "", "", file);
}

static void write_paragraph(const table_layout* table, const char* text) {
  vida__write_paragraph(text, table->width, table->file);
}

static void write_title(const table_layout* table) {
  const VidaStudy* study = table->study;
  const char* reference = VidaStudy_Reference(study, NULL);
  char title[2 * VIDA_MESSAGE_SIZE] = "", from[VIDA_REAL_TEXT_SIZE], to[VIDA_REAL_TEXT_SIZE];
  vida__append(title, sizeof title, "%s%s%s, t = %s .. %s s; errors: %s%s",
               VidaSystem_Name(study->system), study->label[0] ? ", " : "", study->label,
               vida__real_text(from, study->t0, 12),
               vida__real_text(to, study->t0 + study->time, 12), vida__norm_text(study),
               study->norm == VIDA_NORM_MIXED ? ""
               : study->relative              ? " (relative)"
                                              : " (absolute)");
  if (reference[0]) {
    vida__append(title, sizeof title, " against %s", reference);
  }
  if (isfinite(table->reference_error)) {
    vida__append(title, sizeof title, " (own error about %s)",
                 vida__real_text(from, table->reference_error, 2));
  }
  vida__write_styled(title, table->width, table->style->title, table->style->plain, table->file);
  if (vida__has_energy_sources(study->system)) {
    char energy[VIDA_MESSAGE_SIZE] = "energy: ";
    vida__append(energy, sizeof energy, "%s", vida__energy_balance_text(study->system));
    write_paragraph(table, energy);
  }
  if (VidaStudy_Notes(study)[0]) {
    write_paragraph(table, VidaStudy_Notes(study));
  }
}

static void begin_remarks(const table_layout* table, bool* any) {
  if (!*any) {
    fputc('\n', table->file);
  }
  *any = true;
}

/* Finds adaptive runs with mostly forced steps: neither their time nor their error is the one that
 * rtol alone would give. */
static void write_forced(const table_layout* table, bool* any) {
  char text[4 * VIDA_MESSAGE_SIZE] = "";
  int named = 0, count = 0;
  for (int i = 0; i < VidaStudy_RunCount(table->study); i++) {
    const VidaRow* row = VidaStudy_Row(table->study, i);
    if (row->forced_steps * 2 <= row->steps) {
      continue;
    }
    if (count++ < MOST_NAMED) {
      vida__append(text, sizeof text, "%s", named++ > 0 ? "; " : "");
      vida__name_run(row, text, sizeof text);
      vida__append(text, sizeof text, " (%ld of %ld)", row->forced_steps, row->steps);
    }
  }
  if (count > named) {
    vida__append(text, sizeof text, " and %d other runs", count - named);
  }
  if (count > 0) {
    vida__append(text, sizeof text,
                 ": most steps were shortened to end at output states; with fewer output states (a "
                 "larger h beside rtol) the run takes less time, and its error is that of rtol");
    begin_remarks(table, any);
    write_paragraph(table, text);
  }
}

/* Failures and remarks in words, each once. */
static int write_remarks(const table_layout* table, VidaError* error) {
  const int runs = VidaStudy_RunCount(table->study);
  bool marked = false, unresolved = false, rounding = false, unknown = false, any = false;
  for (int i = 0; i < runs; i++) {
    const VidaRow* row = VidaStudy_Row(table->study, i);
    unresolved = unresolved || is_unresolved(row);
    unknown = unknown || is_not_measurable(row);
    rounding = rounding || (is_rounding(row) && !is_not_measurable(row));
  }
  const int code =
      vida__write_remarks(table->study, table->width, table->style, table->file, &any, &marked);
  write_forced(table, &any);
  if (marked && table->shown[FIND_COLUMN(table, position_error)]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "~ smaller than the reference's own estimated error: agreement, not "
                    "accuracy");
  }
  if (unresolved && table->shown[FIND_COLUMN(table, energy_error)]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "< energy: not larger than the error of the integrated work; with adaptive "
                    "methods, a smaller h beside rtol gives more states");
  }
  if (rounding && table->shown[FIND_COLUMN(table, symplectic_defect)]) {
    begin_remarks(table, &any);
    write_paragraph(table, "< symplectic: not larger than the error of the finite differences");
  }
  if (unknown && table->shown[FIND_COLUMN(table, symplectic_defect)]) {
    begin_remarks(table, &any);
    write_paragraph(
        table, "? not measurable: the error of the finite differences is larger than the form");
  }
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Titles, units, and a line for each run. */
static void write_rows(const table_layout* table) {
  char text[CELL_SIZE];
  const int runs = VidaStudy_RunCount(table->study);
  fputc('\n', table->file);
  for (int row = -2; row < runs; row++) {
    char line[LINE_SIZE] = "";
    for (int i = 0; i < table->count; i++) {
      if (!table->shown[i]) {
        continue;
      }
      text[0] = '\0';
      if (row >= 0) {
        cell_text(table, i, &table->study->runs[row], text);
      } else {
        vida__append(text, sizeof text, "%s",
                     row == -2 ? table->columns[i].title : table->units[i]);
      }
      append_cell(table, i, text, line);
    }
    const VidaOutcome outcome =
        row >= 0 ? VidaRow_Outcome(VidaStudy_Row(table->study, row)) : VIDA_OUTCOME_FINISHED;
    write_styled_line(line, vida__style_begin(table->style, outcome),
                      vida__style_end(table->style, outcome), table->file);
  }
}

/* Finds what decides on columns and their widths. */
static void scan_runs(const VidaStudy* study, table_layout* table) {
  VidaStudy_Reference(study, &table->reference_error);
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    const VidaRow* row = VidaStudy_Row(study, run);
    table->failures = table->failures || !vida__is_finished(row);
    table->adaptive = table->adaptive || vida__is_adaptive(row);
    table->doubtful |= row->doubtful;
  }
  table->precision = VidaOptions_Get(vida__study_options(study), "work_precision") != 0.0;
  table->variants = has_variants(study);
  table->twins = table->variants && has_twins(study);
  table->drifts = differ_much(study, Vida_FindColumn("constraint_position"));
}

int VidaReport_Table(const VidaStudy* study, FILE* file, int width, VidaError* error) {
  return VIDA_REFUSE_NULL(error, study, file)
             ? VIDA_BAD_ARGUMENT
             : VidaReport_StyledTable(study, file, width, NULL, error);
}

int VidaReport_StyledTable(const VidaStudy* study, FILE* file, int width,
                           const VidaTableStyle* style, VidaError* error) {
  static const VidaTableStyle plain = {"", "", "", ""};
  if (VIDA_REFUSE_NULL(error, study, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  table_layout table = {.study = study,
                        .file = file,
                        .width = width > 0 ? width : DEFAULT_WIDTH,
                        .style = style ? style : &plain};
  if (table.width < LEAST_WIDTH) {
    table.width = LEAST_WIDTH;
  }
  choose_columns(&table);
  scan_runs(study, &table);
  find_units(&table);
  if (count_uses(study, &table.uses, error)) {
    free_uses(&table.uses);
    return VIDA_OUT_OF_MEMORY;
  }
  lay_out(&table);
  write_title(&table);
  if (VidaStudy_RunCount(study) > 0) {
    write_rows(&table);
  }
  int code = write_remarks(&table, error);
  if (!code && vida__write_summary(study, table.width, file)) {
    code = vida__fail_memory(error);
  }
  vida__write_spreads(study, table.width, file);
  if (table.precision) {
    vida__write_precision(study, file);
  }
  if (VidaOptions_Get(vida__study_options(study), "drift") != 0.0) {
    vida__write_drifts(study, table.width, file);
  }
  free_uses(&table.uses);
  return code ? code : vida__finish_output(file, "the table", error);
}
