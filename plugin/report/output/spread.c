/* Many starts in words: how the errors of each method are spread over them. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"
#include "system/model/model.h"

enum { NUMBER_WIDTH = 10, RUNS_WIDTH = 11, NUMBERS = 5, LEAST_NAME = 24, LINE_SIZE = 1024 };

#define NAME_SIZE (2 * VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE)

/* What is told of, called as in the table above; position errors need a reference, which many
 * starts have not. */
static const struct {
  const char *column, *title;
} quantities[] = {{"energy_error", "energy"},          {"energy_drift", "drift"},
                  {"momentum_error", "momentum"},      {"constraint_position", "|g|"},
                  {"constraint_velocity", "|dg/dt|"},  {"symplectic_defect", "symplectic"},
                  {"reversibility_defect", "reversal"}};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

/* Of the five numbers the quartiles are left out where there is no room. */
static const char* const numbers[NUMBERS] = {"minimum", "quartile", "median", "quartile",
                                             "maximum"};
static bool is_shown(int number, int width) {
  const bool wide = width >= LEAST_NAME + RUNS_WIDTH + 1 + NUMBERS * (NUMBER_WIDTH + 1);
  return wide || number % 2 == 0;
}

static void name_spread(const VidaSpread* spread, char name[NAME_SIZE]) {
  char step[VIDA_REAL_TEXT_SIZE];
  const bool adaptive = isnan(spread->h);
  name[0] = '\0';
  vida__append(name, NAME_SIZE, "%s %s=%s%s%s", spread->method, adaptive ? "rtol" : "h",
               vida__real_text(step, adaptive ? spread->rtol : spread->h, 6),
               spread->options[0] ? " " : "", spread->options);
}

/* Of the longest name, as far as there is room beside the numbers. */
static int find_name_width(const VidaStudy* study, int width) {
  const int most = width - NUMBERS * (NUMBER_WIDTH + 1) - RUNS_WIDTH - 1;
  int longest = LEAST_NAME;
  for (int i = 0; i < VidaStudy_SpreadCount(study); i++) {
    char name[NAME_SIZE];
    VidaSpread spread;
    if (!VidaStudy_Spread(study, i, &spread, NULL)) {
      name_spread(&spread, name);
      longest = (int)strlen(name) > longest ? (int)strlen(name) : longest;
    }
  }
  return longest < most ? longest : most > LEAST_NAME ? most : LEAST_NAME;
}

/* "" where the study's quantities have several units, or it is a pure number. */
static void find_unit(const VidaStudy* study, const VidaColumn* column, char unit[VIDA_NAME_SIZE]) {
  vida_units units;
  vida__find_units(study, &units);
  const struct {
    size_t offset;
    const char *unit, *per;
    bool relative; /* has no unit in a relative comparison */
  } known[] = {{offsetof(VidaRow, energy_error), "J", "", true},
               {offsetof(VidaRow, energy_drift), "J", "/s", false},
               {offsetof(VidaRow, momentum_error), units.momentum, "", true},
               {offsetof(VidaRow, constraint_position), units.constraint, "", false},
               {offsetof(VidaRow, constraint_velocity), units.constraint, "/s", false}};
  unit[0] = '\0';
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].offset == column->offset && known[i].unit[0] &&
        !(known[i].relative && study->relative)) {
      vida__append(unit, VIDA_NAME_SIZE, "%s%s", known[i].unit, known[i].per);
    }
  }
}

static void write_title(const VidaStudy* study, int quantity, int name_width, int width,
                        FILE* file) {
  char title[2 * VIDA_NAME_SIZE] = "", line[LINE_SIZE] = "", unit[VIDA_NAME_SIZE];
  const VidaColumn* column = Vida_FindColumn(quantities[quantity].column);
  find_unit(study, column, unit);
  vida__append(title, sizeof title, "%s%s%s", quantities[quantity].title, unit[0] ? ", " : "",
               unit);
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
  char name[NAME_SIZE], line[LINE_SIZE] = "", runs[VIDA_REAL_TEXT_SIZE] = "";
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

void vida__write_spreads(const VidaStudy* study, int width, FILE* file) {
  const int count = VidaStudy_SpreadCount(study);
  const int name_width = find_name_width(study, width);
  if (count > 0) {
    fputs("\nover the starts of the runs that reached their end:\n", file);
  }
  for (int k = 0; k < QUANTITIES && count > 0; k++) {
    const VidaColumn* column = Vida_FindColumn(quantities[k].column);
    bool any = false;
    for (int i = 0; i < count; i++) {
      VidaSpread spread;
      VidaQuantiles found;
      if (VidaStudy_Spread(study, i, &spread, NULL) ||
          VidaStudy_Quantiles(study, i, column, &found, NULL) || found.count == 0) {
        continue;
      }
      if (!any) {
        write_title(study, k, name_width, width, file);
      }
      any = true;
      write_spread(&spread, &found, name_width, width, file);
    }
  }
}
