/* The table for people: what fits the width of the terminal, the most important columns first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/register.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/summary.h"
#include "study/study.h"
#include "system/model/model.h"

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH 40
#define GAP 2            /* between columns */
#define OPTIONS_LEAST 16 /* options are cut to this before a column is left out */
#define STATUS_LEAST 8
#define IDENTIFYING \
  21                 /* options that tell two runs of a method apart: between position and energy */
#define ESSENTIAL 18 /* the status is cut before a column of this importance is left out */
#define COLUMNS_LEAST 3
#define MOST_NAMED 4 /* runs of which the same is said */
#define CELL_SIZE (VIDA_OPTIONS_SIZE + 8)
#define LINE_SIZE 2048

typedef enum cell_kind {
  CELL_TEXT,
  CELL_STEP,     /* as typed */
  CELL_ERROR,    /* 1.234e-05 */
  CELL_POSITION, /* the same, marked when below the reference's own error */
  CELL_BALANCE,  /* the same, marked when the work is not known as well */
  CELL_EXCHANGE, /* the same, of systems that exchange energy */
  CELL_FORM,     /* the same, marked when it may be rounding */
  CELL_OPTIONS,  /* key=value ... */
  CELL_DIGITS,   /* that are correct, in the mixed norm */
  CELL_COST,     /* microseconds for each step */
  CELL_STEPS,    /* of adaptive methods */
  CELL_WORK,     /* evaluations, of work and precision */
  CELL_TIME      /* milliseconds in all, of these and where some method is adaptive */
} cell_kind;

/* X(name, title, kind, member, importance): of columns that do not fit, the least important are
 * left out first. */
#define TABLE_COLUMN_LIST(X)                                        \
  X(METHOD, "method", CELL_TEXT, method, 26)                        \
  X(OPTIONS, "options", CELL_OPTIONS, options, 16)                  \
  X(STEP, "h", CELL_STEP, h, 24)                                    \
  X(TOLERANCE, "rtol", CELL_STEP, rtol, 24)                         \
  X(STATUS, "status", CELL_TEXT, status, 14)                        \
  X(POSITION, "position", CELL_POSITION, position_error, 22)        \
  X(DIGITS, "mescd", CELL_DIGITS, position_error, 24)               \
  X(VELOCITY, "velocity", CELL_ERROR, velocity_error, 10)           \
  X(MULTIPLIER, "multiplier", CELL_ERROR, multiplier_error, 2)      \
  X(ENERGY, "energy", CELL_BALANCE, energy_error, 20)               \
  X(CHANGE, "energy change", CELL_EXCHANGE, energy_change, 5)       \
  X(EXCHANGED, "work", CELL_EXCHANGE, work, 5)                      \
  X(DRIFT, "drift", CELL_ERROR, energy_drift, 6)                    \
  X(MOMENTUM, "momentum", CELL_ERROR, momentum_error, 18)           \
  X(CONSTRAINT, "|g|", CELL_ERROR, constraint_position, 8)          \
  X(CONSTRAINT_RATE, "|dg/dt|", CELL_ERROR, constraint_velocity, 4) \
  X(INTEGRAL, "integral", CELL_ERROR, constraint_integral, 3)       \
  X(FORM, "symplectic", CELL_FORM, symplectic_defect, 20)           \
  X(WAY_BACK, "reversal", CELL_ERROR, reversibility_defect, 20)     \
  X(STEPS, "steps", CELL_STEPS, steps, 10)                          \
  X(WORK, "residuals", CELL_WORK, residual_evaluations, 14)         \
  X(TIME, "time", CELL_TIME, wall_s, 21)                            \
  X(COST, "time/step", CELL_COST, wall_s, 21)

#define TABLE_ENUMERATOR(name, title, kind, member, importance) TABLE_##name,
enum { TABLE_COLUMN_LIST(TABLE_ENUMERATOR) TABLE_COLUMNS };
#undef TABLE_ENUMERATOR

typedef struct table_column {
  const char *title, *name; /* name: of the column of rows */
  cell_kind kind;
  size_t offset;
  int importance;
} table_column;

#define TABLE_ROW(name, title, kind, member, importance) \
  {title, #member, kind, offsetof(VidaRow, member), importance},
static const table_column columns[TABLE_COLUMNS] = {TABLE_COLUMN_LIST(TABLE_ROW)};
#undef TABLE_ROW

typedef struct option_uses {
  vida_register names; /* "method", "method key=value" */
  int* runs;           /* of each name */
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
  bool drifts;            /* some methods keep the constraints, and others do not */
  bool precision;         /* a study of work and precision */
  unsigned astray;        /* what has gone astray in some run */
  bool shown[TABLE_COLUMNS];
  int widths[TABLE_COLUMNS];
  option_uses uses;
  char units[TABLE_COLUMNS][VIDA_NAME_SIZE];
} table_layout;

/* ---- options that all runs of a method have ---------------------------------------------------
 */

static int count_use(option_uses* uses, const char* method, const char* word, size_t length) {
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
  void* runs = uses->runs;
  vida__append(name, sizeof name, "%s %.*s", method, (int)length, word);
  const int code =
      vida__reserve(&runs, &uses->capacity, (size_t)uses->names.count + 1, sizeof *uses->runs);
  uses->runs = runs;
  const int number = code ? -1 : vida__register_text(&uses->names, name);
  if (number >= 0) {
    uses->runs[number]++;
  }
  return number;
}

/* Up to the blank behind the value: the name of what was varied may have some ("d b.y/dt=0"). */
static size_t option_length(const char* at) {
  const char* equals = strchr(at, '=');
  return equals ? (size_t)(equals - at) + strcspn(equals, " ") : strlen(at);
}

static const char* next_option(const char* at) {
  at += option_length(at);
  return at + (*at == ' ');
}

/* Counts the runs of each method, and of these the ones that have each "key=value". */
static int count_uses(const VidaStudy* study, option_uses* uses, VidaError* error) {
  bool good = true;
  for (int run = 0; run < VidaStudy_RunCount(study) && good; run++) {
    const VidaRow* row = VidaStudy_Row(study, run);
    good = count_use(uses, row->method, "", 0) >= 0;
    for (const char* at = row->options; *at && good; at = next_option(at)) {
      good = count_use(uses, row->method, at, option_length(at)) >= 0;
    }
  }
  return good ? VIDA_SUCCESS : vida__fail_memory(error);
}

static void free_uses(option_uses* uses) {
  vida__free_register(&uses->names);
  free(uses->runs);
}

static int runs_with(const option_uses* uses, const char* method, const char* word, size_t length) {
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
  vida__append(name, sizeof name, "%s %.*s", method, (int)length, word);
  const int number = vida__find_text(&uses->names, name);
  return number < 0 ? 0 : uses->runs[number];
}

/* The label of the comparison, which all options begin with, is in the title. */
static const char* own_options(const VidaStudy* study, const VidaRow* row) {
  const char* own = row->options + strlen(VidaStudy_Label(study));
  return own + strspn(own, " ");
}

/* Options that tell runs of a method apart come first: texts that are too long lose their end. */
static void options_text(const VidaStudy* study, const option_uses* uses, const VidaRow* row,
                         char text[CELL_SIZE]) {
  const int runs = runs_with(uses, row->method, "", 0);
  for (int shared = 0; shared <= 1; shared++) {
    for (const char* at = own_options(study, row); *at; at = next_option(at)) {
      const size_t length = option_length(at);
      if ((runs_with(uses, row->method, at, length) >= runs) == (shared == 1)) {
        vida__append(text, CELL_SIZE, "%s%.*s", text[0] ? " " : "", (int)length, at);
      }
    }
  }
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* 1.234e-05 in every locale: only the digits are taken from the C library's text. */
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

static double real_member(const VidaRow* row, size_t offset) {
  double value;
  memcpy(&value, (const char*)row + offset, sizeof value);
  return value;
}

/* Two finite differences may agree by chance. */
static bool is_rounding(const VidaRow* row) {
  return row->symplectic_defect < VIDA_NOISE_FACTOR * row->symplectic_noise;
}

static bool is_not_measurable(const VidaRow* row) {
  return is_rounding(row) && row->symplectic_defect >= 1.0;
}

/* The work is known from the states at the nodes only. */
static bool is_unresolved(const VidaRow* row) {
  return row->energy_error < row->work_error;
}

static void cell_text(const table_layout* table, int column, const VidaRow* row,
                      char text[CELL_SIZE]) {
  const table_column* what = &columns[column];
  char number[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  switch (what->kind) {
    case CELL_STEP:
      if (isfinite(real_member(row, what->offset))) {
        vida__append(text, CELL_SIZE, "%s",
                     vida__real_text(number, real_member(row, what->offset), 6));
      }
      break;
    case CELL_ERROR:
      error_text(real_member(row, what->offset), text, CELL_SIZE);
      break;
    case CELL_POSITION:
      error_text(row->position_error, number, sizeof number);
      vida__append(text, CELL_SIZE, "%s%s", row->position_error < table->reference_error ? "~" : "",
                   number);
      break;
    case CELL_BALANCE:
      error_text(row->energy_error, number, sizeof number);
      vida__append(text, CELL_SIZE, "%s%s", is_unresolved(row) ? "<" : "", number);
      break;
    case CELL_EXCHANGE:
      if (vida__exchanges_energy(table->study->system)) {
        error_text(real_member(row, what->offset), text, CELL_SIZE);
      }
      break;
    case CELL_FORM:
      error_text(row->symplectic_defect, number, sizeof number);
      vida__append(text, CELL_SIZE, "%s%s",
                   is_not_measurable(row) ? "?"
                   : is_rounding(row)     ? "<"
                                          : "",
                   is_not_measurable(row) ? "" : number);
      break;
    case CELL_DIGITS:
      if (table->study->norm == VIDA_NORM_MIXED && row->position_error > 0.0) {
        const double digits = floor(0.5 - 100.0 * log10(row->position_error)) / 100.0;
        vida__append(text, CELL_SIZE, "%s", vida__real_text(number, digits, 5));
      }
      break;
    case CELL_COST:
      if (row->steps > 0 && row->wall_s > 0.0) {
        vida__append(text, CELL_SIZE, "%s",
                     vida__real_text(number, 1e6 * row->wall_s / (double)row->steps, 3));
      }
      break;
    case CELL_STEPS:
      if (isnan(row->h)) {
        vida__append(text, CELL_SIZE, "%ld", row->steps);
      }
      break;
    case CELL_WORK:
      if (table->precision) {
        vida__append(text, CELL_SIZE, "%ld", row->residual_evaluations);
      }
      break;
    case CELL_TIME:
      if (table->adaptive || table->precision) {
        vida__append(text, CELL_SIZE, "%s", vida__real_text(number, 1e3 * row->wall_s, 3));
      }
      break;
    case CELL_OPTIONS:
      options_text(table->study, &table->uses, row, text);
      break;
    case CELL_TEXT:
    default:
      vida__append(text, CELL_SIZE, "%s", (const char*)row + what->offset);
      break;
  }
}

/* Texts stand left, numbers right; a text that is too wide ends in dots. */
static void append_cell(const table_layout* table, int column, const char* text,
                        char line[LINE_SIZE]) {
  const int width = table->widths[column];
  const int spare = width - vida__text_width(text);
  const bool left = columns[column].kind == CELL_TEXT || columns[column].kind == CELL_OPTIONS;
  if (spare >= 0) {
    vida__append(line, LINE_SIZE, "%*s%s%*s", left ? 0 : spare, "", text, left ? spare + GAP : GAP,
                 "");
    return;
  }
  vida__append(line, LINE_SIZE, "%.*s..%*s", (int)vida__fitting_bytes(text, width - 2), text, GAP,
               "");
}

void vida__write_line(FILE* file, char* line) {
  size_t length = strlen(line);
  while (length > 0 && line[length - 1] == ' ') {
    length--;
  }
  line[length] = '\0';
  fprintf(file, "%s\n", line);
}

/* ---- units ---------------------------------------------------------------------------------- */

static void find_units(table_layout* table) {
  vida_units shared;
  vida__find_units(table->study, &shared);
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    const table_column* column = &columns[i];
    if (column->kind == CELL_TIME || column->kind == CELL_COST) {
      vida__append(table->units[i], VIDA_NAME_SIZE, column->kind == CELL_TIME ? "ms" : "us");
    } else if (column->kind != CELL_DIGITS) {
      vida__column_unit(&shared, table->study->relative, Vida_FindColumn(column->name),
                        table->units[i]);
    }
  }
}

/* ---- layout --------------------------------------------------------------------------------- */

static int count_shown(const table_layout* table) {
  int count = 0;
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    count += table->shown[i] ? 1 : 0;
  }
  return count;
}

static int total_width(const table_layout* table) {
  int total = -GAP;
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    total += table->shown[i] ? table->widths[i] + GAP : 0;
  }
  return total;
}

/* The status says little when every run is well, and much when one is not: then it goes only before
 * the last of the errors, as the sentences below have it, too. Violations of the constraints are as
 * telling where some methods keep them and others do not. A study of work and precision is about
 * both. Options that tell two runs of a method apart stay with its name, and so does what says how
 * far a run went astray. */
static int importance(const table_layout* table, int column) {
  const bool is_work = column == TABLE_WORK || column == TABLE_TIME;
  const bool is_drift = column == TABLE_CONSTRAINT || column == TABLE_CONSTRAINT_RATE;
  if ((column == TABLE_CONSTRAINT && (table->astray & VIDA_ASTRAY_CONSTRAINTS)) ||
      (column == TABLE_ENERGY && (table->astray & VIDA_ASTRAY_ENERGY))) {
    return columns[TABLE_METHOD].importance - 1;
  }
  if (column == TABLE_OPTIONS && table->variants) {
    return IDENTIFYING;
  }
  if (column == TABLE_STATUS && table->failures) {
    return columns[TABLE_POSITION].importance;
  }
  if (is_work && table->precision) {
    return columns[TABLE_ENERGY].importance;
  }
  if (is_drift && table->drifts) {
    return columns[TABLE_MOMENTUM].importance + (column == TABLE_CONSTRAINT ? 1 : -1);
  }
  if (column == TABLE_COST && table->shown[TABLE_TIME]) { /* of a step, beside that of the run */
    return columns[TABLE_STEPS].importance;
  }
  return columns[column].importance;
}

/* Whether some method runs with other options than at first. */
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

/* Whether some run has a million times what another has. */
static bool differ_much(const VidaStudy* study, size_t offset) {
  double least = INFINITY, most = 0.0;
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    const double value = real_member(VidaStudy_Row(study, run), offset);
    if (isfinite(value)) {
      least = fmin(least, value);
      most = fmax(most, value);
    }
  }
  return most > 1e6 * least;
}

static int find_least_important(const table_layout* table) {
  int least = -1;
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    if (table->shown[i] && (least < 0 || importance(table, i) < importance(table, least))) {
      least = i;
    }
  }
  return least;
}

/* A flag of a solver can be longer than all the rest; the sentence below has it in full. False
 * where there is nothing to be cut. */
static bool cut_status(table_layout* table) {
  const int before = table->widths[TABLE_STATUS];
  const int fitting = before - (total_width(table) - table->width);
  if (!table->shown[TABLE_STATUS] || before <= STATUS_LEAST) {
    return false;
  }
  table->widths[TABLE_STATUS] = fitting > STATUS_LEAST ? fitting : STATUS_LEAST;
  return true;
}

static void lay_out(table_layout* table) {
  char text[CELL_SIZE];
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    for (int run = 0; run < VidaStudy_RunCount(table->study); run++) {
      cell_text(table, i, VidaStudy_Row(table->study, run), text);
      const int width = vida__text_width(text);
      table->widths[i] = width > table->widths[i] ? width : table->widths[i];
    }
    table->shown[i] = table->widths[i] > 0;
    const int title = vida__text_width(columns[i].title), unit = vida__text_width(table->units[i]);
    table->widths[i] = title > table->widths[i] ? title : table->widths[i];
    table->widths[i] = unit > table->widths[i] ? unit : table->widths[i];
  }
  const int wanted = table->widths[TABLE_OPTIONS];
  if (wanted > OPTIONS_LEAST) {
    table->widths[TABLE_OPTIONS] = OPTIONS_LEAST;
  }
  while (total_width(table) > table->width && count_shown(table) > COLUMNS_LEAST) {
    const int least = find_least_important(table);
    if (importance(table, least) < ESSENTIAL || !cut_status(table)) {
      table->shown[least] = false;
    }
  }
  const int spare = table->width - total_width(table);
  const int missing = wanted - table->widths[TABLE_OPTIONS];
  if (spare > 0 && missing > 0) {
    table->widths[TABLE_OPTIONS] += spare < missing ? spare : missing;
  }
  if (spare < 0) {
    cut_status(table);
  }
}

/* ---- text above and below ------------------------------------------------------------------- */

void vida__write_paragraph(const char* text, int width, FILE* file) {
  int column = 0;
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
  if (column > 0) {
    fputc('\n', file);
  }
}

static void write_paragraph(const table_layout* table, const char* text) {
  vida__write_paragraph(text, table->width, table->file);
}

static void write_title(const table_layout* table) {
  static const char* const norms[] = {"mean over steps", "largest over steps", "at the end",
                                      "mixed, at the end"};
  const VidaStudy* study = table->study;
  const char* reference = VidaStudy_Reference(study, NULL);
  char title[2 * VIDA_MESSAGE_SIZE] = "", from[VIDA_REAL_TEXT_SIZE], to[VIDA_REAL_TEXT_SIZE];
  vida__append(title, sizeof title, "%s%s%s, t = %s .. %s s; errors: %s%s",
               VidaSystem_Name(study->system), study->label[0] ? ", " : "", study->label,
               vida__real_text(from, study->t0, 12),
               vida__real_text(to, study->t0 + study->time, 12), norms[study->norm],
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
  write_paragraph(table, title);
  if (vida__exchanges_energy(study->system)) {
    write_paragraph(table, "energy: " VIDA_ENERGY_BALANCE_TEXT);
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

/* Adaptive runs that spent most steps on the states that were asked for: neither their time nor
 * their error is what rtol alone would have made of them. */
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
                 ": most steps were made shorter to end at a state that is given out; with fewer "
                 "of these, by the option h of the run, it takes less time and its error is that "
                 "of rtol");
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
  const int code = vida__write_said(table->study, table->width, table->file, &any, &marked);
  write_forced(table, &any);
  if (marked && table->shown[TABLE_POSITION]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "~ smaller than the reference's own estimated error: agreement, not "
                    "accuracy");
  }
  if (unresolved && table->shown[TABLE_ENERGY]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "< energy: not above what the integration of the work may be off by; of "
                    "adaptive methods a smaller h beside rtol gives it more states");
  }
  if (rounding && table->shown[TABLE_FORM]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "< symplectic: not above what the finite differences that it was measured with "
                    "may be off by");
  }
  if (unknown && table->shown[TABLE_FORM]) {
    begin_remarks(table, &any);
    write_paragraph(table,
                    "? not measurable: the finite differences may be off by more than the form");
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
    for (int i = 0; i < TABLE_COLUMNS; i++) {
      if (!table->shown[i]) {
        continue;
      }
      text[0] = '\0';
      if (row >= 0) {
        cell_text(table, i, VidaStudy_Row(table->study, row), text);
      } else {
        vida__append(text, sizeof text, "%s", row == -2 ? columns[i].title : table->units[i]);
      }
      append_cell(table, i, text, line);
    }
    vida__write_line(table->file, line);
  }
}

int VidaReport_Table(const VidaStudy* study, FILE* file, int width, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  table_layout table = {.study = study, .file = file, .width = width > 0 ? width : DEFAULT_WIDTH};
  if (table.width < LEAST_WIDTH) {
    table.width = LEAST_WIDTH;
  }
  VidaStudy_Reference(study, &table.reference_error);
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    table.failures = table.failures || strcmp(VidaStudy_Row(study, run)->status, "ok") != 0;
    table.adaptive = table.adaptive || isnan(VidaStudy_Row(study, run)->h);
  }
  table.precision = VidaOptions_Get(vida__study_options(study), "work_precision") != 0.0;
  table.variants = has_variants(study);
  table.drifts = differ_much(study, columns[TABLE_CONSTRAINT].offset);
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    table.astray |= VidaStudy_Row(study, run)->astray;
  }
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
