/* The table of drifts: slopes with their confidence intervals, and the oscillations about them. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/output/output.h"
#include "study/step_choice.h"
#include "study/study.h"

enum { CELL = 32, NUMBER_WIDTH = 12, LEAST_NAME = 24, LINE_SIZE = 1024 };

/* A quantity with a drift, and its three columns. */
typedef struct drift_quantity {
  const char *title, *slope, *interval, *oscillation;
} drift_quantity;

static const drift_quantity quantities[] = {
    {"energy", "energy_drift", "energy_drift_interval", "energy_oscillation"},
    {"shadow energy", "shadow_energy_drift", "shadow_energy_drift_interval",
     "shadow_energy_oscillation"},
    {"momentum", "momentum_drift", "momentum_drift_interval", "momentum_oscillation"},
    {"constraints", "constraint_drift", "constraint_drift_interval", "constraint_oscillation"}};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static double value_of(const VidaRow* row, const char* column) {
  return vida__cell_value(row, Vida_FindColumn(column));
}

static void name_run(const VidaRow* row, char name[VIDA_SHORT_NAME_SIZE]) {
  vida__short_name(row->method, row->h, row->rtol, row->options, name);
}

void vida__short_name(const char* method, double h, double rtol, const char* options,
                      char name[VIDA_SHORT_NAME_SIZE]) {
  char step[VIDA_REAL_TEXT_SIZE];
  const vida_step_choice choice = vida__step_choice(h, rtol);
  name[0] = '\0';
  vida__append(name, VIDA_SHORT_NAME_SIZE, "%s %s=%s%s%s", method, choice.name,
               vida__real_text(step, choice.value, 6), options[0] ? " " : "", options);
}

int vida__name_width(int longest, int most) {
  const int wanted = longest > LEAST_NAME ? longest : LEAST_NAME;
  return wanted < most ? wanted : most > LEAST_NAME ? most : LEAST_NAME;
}

/* Returns the width of the longest name, limited by the width of three numbers. */
static int find_name_width(const VidaStudy* study, int width) {
  int longest = 0;
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    char name[VIDA_SHORT_NAME_SIZE];
    name_run(VidaStudy_Row(study, run), name);
    longest = (int)strlen(name) > longest ? (int)strlen(name) : longest;
  }
  return vida__name_width(longest, width - 3 * (NUMBER_WIDTH + 1));
}

static void append_number(const char* before, double value, int digits, char* line) {
  char number[VIDA_REAL_TEXT_SIZE], cell[CELL] = "";
  if (isfinite(value)) {
    vida__append(cell, sizeof cell, "%s%s", before, vida__real_text(number, value, digits));
  }
  vida__append(line, LINE_SIZE, " %*s", NUMBER_WIDTH, cell);
}

static void write_run(const VidaRow* row, const drift_quantity* quantity, int width, FILE* file) {
  const double slope = value_of(row, quantity->slope);
  const double interval = value_of(row, quantity->interval);
  char name[VIDA_SHORT_NAME_SIZE], line[LINE_SIZE] = "";
  name_run(row, name);
  vida__append_label(name, width, line, sizeof line);
  append_number(fabs(slope) > interval ? "*" : "", slope, 3, line);
  append_number("+- ", interval, 2, line);
  append_number("", value_of(row, quantity->oscillation), 3, line);
  vida__write_line(file, line);
}

static bool is_measured(const VidaStudy* study, const drift_quantity* quantity) {
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    if (isfinite(value_of(VidaStudy_Row(study, run), quantity->slope))) {
      return true;
    }
  }
  return false;
}

void vida__write_drifts(const VidaStudy* study, int width, FILE* file) {
  const int name_width = find_name_width(study, width);
  vida_units units;
  vida__find_units(study, &units);
  fputs("\ndrift per second with its 95 % confidence (* not zero), and the oscillation about it:\n",
        file);
  for (int k = 0; k < QUANTITIES; k++) {
    char title[VIDA_NAME_SIZE + CELL] = "", line[LINE_SIZE] = "", unit[VIDA_NAME_SIZE];
    if (!is_measured(study, &quantities[k])) {
      continue;
    }
    vida__column_unit(&units, false, Vida_FindColumn(quantities[k].oscillation), unit);
    vida__append(title, sizeof title, "%s%s%s", quantities[k].title, unit[0] ? ", " : "", unit);
    vida__append_label(title, name_width, line, sizeof line);
    vida__append(line, sizeof line, " %*s %*s %*s", NUMBER_WIDTH, "drift", NUMBER_WIDTH, "",
                 NUMBER_WIDTH, "oscillation");
    vida__write_line(file, line);
    for (int run = 0; run < VidaStudy_RunCount(study); run++) {
      if (isfinite(value_of(VidaStudy_Row(study, run), quantities[k].slope))) {
        write_run(VidaStudy_Row(study, run), &quantities[k], name_width, file);
      }
    }
  }
}
