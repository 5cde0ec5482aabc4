#include "report/output/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "study/step_choice.h"
#include "study/study.h"
#include "system/model/model.h"

int vida__check_studies(const char* function, const VidaStudy* const* studies, int count,
                        FILE* file, VidaError* error) {
  if (!file || (!studies && count > 0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: %s is NULL", function,
                      file ? "studies" : "file");
  }
  for (int i = 0; i < count; i++) {
    if (!studies[i]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: studies[%d] is NULL", function, i);
    }
  }
  return VIDA_SUCCESS;
}

int vida__finish_output(FILE* file, const char* what, VidaError* error) {
  errno = 0;
  const int flushed = fflush(file);
  const int reason = errno;
  if (flushed == 0 && !ferror(file)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", what,
                    reason ? strerror(reason) : "an earlier part of it was lost");
}

static void add_column(const VidaColumn* column, vida_columns* columns) {
  for (int i = 0; i < columns->count; i++) {
    if (columns->column[i] == column) {
      return;
    }
  }
  if (columns->count < VIDA_MOST_COLUMNS) {
    columns->column[columns->count++] = column;
  }
}

vida_columns vida__common_columns(void) {
  vida_columns columns = {0};
  for (int i = 0; i < VIDA_COLUMNS; i++) {
    add_column(Vida_Column(i), &columns);
  }
  return columns;
}

vida_columns vida__grouped_columns(void) {
  vida_columns columns = {0};
  for (int group = VIDA_GROUP_RUN; group <= VIDA_GROUP_COST; group++) {
    for (int i = 0; vida__column_at(i); i++) {
      if ((int)vida__column_at(i)->group == group) {
        add_column(vida__column_at(i), &columns);
      }
    }
  }
  return columns;
}

void vida__add_study_columns(const VidaStudy* study, vida_columns* columns) {
  for (int i = 0; Vida_OptionalColumn(i); i++) {
    if (VidaStudy_HasColumn(study, Vida_OptionalColumn(i))) {
      add_column(Vida_OptionalColumn(i), columns);
    }
  }
}

void vida__cell_text(const VidaRow* row, const VidaColumn* column, char* text, size_t size) {
  const double value = vida__cell_value(row, column);
  char number[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  switch (column->type) {
    case VIDA_COLUMN_TEXT:
      vida__append(text, size, "%s", (const char*)row + column->offset);
      break;
    case VIDA_COLUMN_COUNT:
      vida__append(text, size, "%ld", (long)value);
      break;
    case VIDA_COLUMN_REAL:
    default:
      if (isfinite(value)) {
        vida__append(text, size, "%s", vida__real_text(number, value, 17));
      }
      break;
  }
}

const char* vida__momentum_unit(const VidaSystem* system, int index) {
  const double* weight = system->momenta[index].weight;
  bool linear = false, angular = false;
  for (int k = 0; k < VIDA_LARGEST_MOMENTUM_COUNT; k++) { /* translations, then rotations */
    linear = linear || (k < system->dimension && weight[k] != 0.0);
    angular = angular || (k >= system->dimension && weight[k] != 0.0);
  }
  if (linear == angular) { /* a combination of both has whatever unit its parts have */
    return "";
  }
  return linear ? "kg m/s" : "kg m^2/s";
}

/* Characters that spreadsheets interpret as the beginning of a formula (OWASP, CSV injection). */
static bool begins_formula(char c) {
  return c && strchr("=+-@\t\r", c);
}

bool vida__is_guarded(const char* text) {
  return text[0] == '\'' && (text[1] == '\'' || begins_formula(text[1]));
}

void vida__write_csv_field(FILE* file, const char* text) {
  /* A spreadsheet reads the characters after an apostrophe as text. A text that already looks
   * guarded gets another apostrophe, so that reading restores it. */
  const char* guard = begins_formula(text[0]) || vida__is_guarded(text) ? "'" : "";
  if (!strpbrk(text, ",\"\r\n")) {
    fprintf(file, "%s%s", guard, text);
    return;
  }
  fprintf(file, "\"%s", guard);
  for (const char* c = text; *c; c++) {
    if (*c == '"') {
      fputc('"', file);
    }
    fputc(*c, file);
  }
  fputc('"', file);
}

static void replace_special(char* name) {
  for (char* c = name; *c; c++) {
    const bool plain = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
                       (*c >= '0' && *c <= '9') || *c == '.' || *c == '_' || *c == '-';
    if (!plain) {
      *c = '_';
    }
  }
  if (name[0] == '.' || name[0] == '-') { /* hidden files, and what commands take for options */
    name[0] = '_';
  }
}

void vida__run_file_name(const VidaRow* row, int number, char name[VIDA_FILE_NAME_SIZE]) {
  char step[VIDA_REAL_TEXT_SIZE], tail[VIDA_REAL_TEXT_SIZE + 32] = "";
  const vida_step_choice choice = vida__step_choice_of(row);
  vida__append(tail, sizeof tail, "-%s_%s", choice.name, vida__shortest_text(step, choice.value));
  if (number > 1) {
    vida__append(tail, sizeof tail, "-%d", number);
  }
  name[0] = '\0';
  /* Truncated before the last part, which distinguishes the runs. */
  const size_t size = VIDA_FILE_NAME_SIZE - strlen(tail);
  vida__append(name, size, "%s-%s", row->system, row->method);
  if (row->options[0]) {
    vida__append(name, size, "-%s", row->options);
  }
  vida__append(name, VIDA_FILE_NAME_SIZE, "%s", tail);
  replace_special(name);
}

/* Returns whether the name is new, ignoring case as some file systems do; -1 without memory. */
static int take_name(vida_string_table* taken, const char* name) {
  char lower[VIDA_FILE_NAME_SIZE] = "";
  for (size_t i = 0; name[i]; i++) {
    lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
  }
  const int before = taken->count;
  const int number = vida__add_string(taken, lower);
  return number < 0 ? -1 : number == before;
}

int vida__name_runs(const void* list, const VidaRow* (*row)(const void* list, int i), int count,
                    char (*names)[VIDA_FILE_NAME_SIZE], VidaError* error) {
  vida_string_table taken = {0}, plain = {0};
  int* given = vida__allocate((size_t)count, sizeof *given); /* numbers, of each plain name */
  int fresh = given ? 1 : -1;
  for (int i = 0; i < count && fresh >= 0; i++) {
    vida__run_file_name(row(list, i), 1, names[i]);
    const int same = vida__add_string(&plain, names[i]);
    fresh = same < 0 ? -1 : 0;
    while (fresh == 0) {
      vida__run_file_name(row(list, i), ++given[same], names[i]);
      fresh = take_name(&taken, names[i]);
    }
  }
  vida__free_strings(&taken);
  vida__free_strings(&plain);
  free(given);
  return fresh < 0 ? vida__fail_memory(error) : VIDA_SUCCESS;
}
