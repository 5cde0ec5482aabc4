/* The table of work and precision: fitted orders, and the cost of errors with each method. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"

enum { CELL = 32, NAME_WIDTH = 34, LINE_SIZE = 256 };

int vida__choose_errors(const VidaStudy* study, double errors[VIDA_MOST_ERRORS]) {
  double largest, smallest;
  int count = 0;
  if (!VidaStudy_ErrorRange(study, &largest, &smallest) || smallest > largest) {
    return 0;
  }
  const int decades = (int)floor(log10(largest / smallest) + 0.5);
  const int apart = decades / VIDA_MOST_ERRORS + 1;
  for (int k = 0; k <= decades && count < VIDA_MOST_ERRORS; k += apart) {
    errors[count++] = largest * pow(10.0, -k);
  }
  return count;
}

static double cheapest(const VidaStudy* study, double error) {
  double best = NAN;
  for (int i = 0; i < VidaStudy_SeriesCount(study); i++) {
    best = fmin(best, VidaStudy_SecondsFor(study, i, error));
  }
  return best;
}

void vida__append_label(const char* name, int width, char* line, size_t size) {
  const int letters = vida__text_width(name);
  if (letters <= width) {
    vida__append(line, size, "%s%*s", name, width - letters, "");
    return;
  }
  vida__append(line, size, "%.*s..", (int)vida__fitting_bytes(name, width - 2), name);
}

static void append_name(const VidaSeries* series, char* line) {
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE] = "";
  vida__append(name, sizeof name, "%s%s%s", series->method, series->options[0] ? " " : "",
               series->options);
  vida__append_label(name, NAME_WIDTH, line, LINE_SIZE);
}

static void append_order(const VidaSeries* series, char* line) {
  char order[VIDA_REAL_TEXT_SIZE], cell[CELL] = "";
  if (!isnan(series->order)) {
    vida__append(cell, sizeof cell, "%s%s", series->adaptive ? "rtol^" : "",
                 vida__real_text(order, series->order, 3));
  }
  vida__append(line, LINE_SIZE, "  %9s", cell);
}

/* Appends "*" for the cheapest method, and "<=" if no coarser run bounds the time from below. */
static void append_cost(const VidaSeries* series, double error, double seconds, double best,
                        char* line) {
  char number[VIDA_REAL_TEXT_SIZE], cell[CELL] = "";
  if (!isnan(seconds)) {
    vida__append(cell, sizeof cell, "%s%s%s", seconds <= best ? "*" : "",
                 error > series->largest_error ? "<=" : "",
                 vida__real_text(number, 1e3 * seconds, 3));
  }
  vida__append(line, LINE_SIZE, " %9s", cell);
}

void vida__write_precision(const VidaStudy* study, FILE* file) {
  double errors[VIDA_MOST_ERRORS], best[VIDA_MOST_ERRORS];
  char number[VIDA_REAL_TEXT_SIZE];
  const int count = vida__choose_errors(study, errors);
  bool any_bound = false;
  fprintf(file,
          "\nfitted orders, and milliseconds for a position error of (* cheapest):\n%-*s  %9s",
          NAME_WIDTH, "", "order");
  for (int k = 0; k < count; k++) {
    best[k] = cheapest(study, errors[k]);
    fprintf(file, " %9s", vida__real_text(number, errors[k], 1));
  }
  fputc('\n', file);
  for (int i = 0; i < VidaStudy_SeriesCount(study); i++) {
    VidaSeries series;
    if (VidaStudy_Series(study, i, &series, NULL)) {
      continue;
    }
    char line[LINE_SIZE] = "";
    append_name(&series, line);
    append_order(&series, line);
    for (int k = 0; k < count; k++) {
      any_bound = any_bound || errors[k] > series.largest_error;
      append_cost(&series, errors[k], VidaStudy_SecondsFor(study, i, errors[k]), best[k], line);
    }
    vida__write_line(file, line);
  }
  if (any_bound) {
    fputs("<= all runs of the method are more accurate than this: the time of the fastest one\n",
          file);
  }
}
