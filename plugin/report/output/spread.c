/* The table of spreads: the errors of each method over many starts. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"
#include "system/model/model.h"

enum { NUMBER_WIDTH = 10, RUNS_WIDTH = 11, NUMBERS = 5, LEAST_NAME = 24, LINE_SIZE = 1024 };

/* Leaves out the quartiles if the table is too narrow. */
static const char* const numbers[NUMBERS] = {"minimum", "quartile", "median", "quartile",
                                             "maximum"};
static bool is_shown(int number, int width) {
  const bool wide = width >= LEAST_NAME + RUNS_WIDTH + 1 + NUMBERS * (NUMBER_WIDTH + 1);
  return wide || number % 2 == 0;
}

static void name_spread(const VidaSpread* spread, char name[VIDA_SHORT_NAME_SIZE]) {
  vida__short_name(spread->method, spread->h, spread->rtol, spread->options, name);
}

/* Returns the width of the longest name, limited by the width of the numbers. */
static int find_name_width(const VidaStudy* study, int width) {
  int longest = 0;
  for (int i = 0; i < VidaStudy_SpreadCount(study); i++) {
    char name[VIDA_SHORT_NAME_SIZE];
    VidaSpread spread;
    if (!VidaStudy_Spread(study, i, &spread, NULL)) {
      name_spread(&spread, name);
      longest = (int)strlen(name) > longest ? (int)strlen(name) : longest;
    }
  }
  return vida__name_width(longest, width - NUMBERS * (NUMBER_WIDTH + 1) - RUNS_WIDTH - 1);
}

static void write_title(const VidaStudy* study, const VidaColumn* column, int name_width, int width,
                        FILE* file) {
  char title[2 * VIDA_NAME_SIZE] = "", line[LINE_SIZE] = "", unit[VIDA_NAME_SIZE];
  vida_units units;
  vida__find_units(study, &units);
  vida__column_unit(&units, study->relative, column, unit);
  vida__append(title, sizeof title, "%s%s%s", column->title, unit[0] ? ", " : "", unit);
  vida__append_label(title, name_width, line, sizeof line);
  vida__append(line, sizeof line, " %*s", RUNS_WIDTH, "runs");
  for (int k = 0; k < NUMBERS; k++) {
    if (is_shown(k, width)) {
      vida__append(line, sizeof line, " %*s", NUMBER_WIDTH, numbers[k]);
    }
  }
  vida__write_line(file, line);
}

static void write_spread(const VidaSpread* spread, const VidaQuantiles* found, int name_width,
                         int width, FILE* file) {
  char name[VIDA_SHORT_NAME_SIZE], line[LINE_SIZE] = "", runs[VIDA_REAL_TEXT_SIZE] = "";
  const double values[NUMBERS] = {found->minimum, found->lower_quartile, found->median,
                                  found->upper_quartile, found->maximum};
  name_spread(spread, name);
  vida__append_label(name, name_width, line, sizeof line);
  vida__append(runs, sizeof runs, "%d/%d", found->count, spread->runs);
  vida__append(line, sizeof line, " %*s", RUNS_WIDTH, runs);
  for (int k = 0; k < NUMBERS; k++) {
    char number[VIDA_REAL_TEXT_SIZE];
    if (is_shown(k, width)) {
      vida__append(line, sizeof line, " %*s", NUMBER_WIDTH, vida__real_text(number, values[k], 3));
    }
  }
  vida__write_line(file, line);
}

/* Writes the quartiles of one column if any spread has measured it, and before the first one a
 * line about all of them. */
static void write_column(const VidaStudy* study, const VidaColumn* column, int name_width,
                         int width, bool* is_begun, FILE* file) {
  bool any = false;
  for (int i = 0; i < VidaStudy_SpreadCount(study); i++) {
    VidaSpread spread;
    VidaQuantiles found;
    if (VidaStudy_Spread(study, i, &spread, NULL) ||
        VidaStudy_Quantiles(study, i, column, &found, NULL) || found.count == 0) {
      continue;
    }
    if (!*is_begun) {
      fputs("\nover the starts of the runs that reached their end:\n", file);
      *is_begun = true;
    }
    if (!any) {
      write_title(study, column, name_width, width, file);
    }
    any = true;
    write_spread(&spread, &found, name_width, width, file);
  }
}

void vida__write_spreads(const VidaStudy* study, int width, FILE* file) {
  const int count = VidaStudy_SpreadCount(study);
  const int name_width = find_name_width(study, width);
  bool is_begun = false;
  vida_columns columns = vida__grouped_columns();
  for (int i = 0; i < columns.count && count > 0; i++) {
    if (columns.column[i]->traits & VIDA_COLUMN_SPREAD) {
      write_column(study, columns.column[i], name_width, width, &is_begun, file);
    }
  }
}
