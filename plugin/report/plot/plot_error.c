/* Errors of runs: against time (work and precision), and against the step or tolerance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/plot/plot.h"
#include "study/step_choice.h"
#include "study/study.h"

enum { MOST_PANELS = 9 };

/* The columns of comparison.csv that have an axis; those that are measured are drawn. */
static vida_columns error_columns(void) {
  const vida_columns all = vida__grouped_columns();
  vida_columns errors = {0};
  for (int i = 0; i < all.count; i++) {
    if (all.column[i]->axis[0]) {
      errors.column[errors.count++] = all.column[i];
    }
  }
  return errors;
}

static double cell_of(const VidaRow* row, const VidaColumn* column) {
  return fabs(vida__cell_value(row, column));
}

static void title_of(const vida_results* results, const VidaColumn* column,
                     char title[VIDA_TEXT_SIZE]) {
  char unit[VIDA_NAME_SIZE], name[VIDA_TEXT_SIZE] = "";
  vida__append(name, sizeof name, "%s%s",
               (column->traits & VIDA_COLUMN_RELATIVE) && results->relative ? "relative " : "",
               column->axis);
  vida__column_unit(&results->units, results->relative, column, unit);
  vida__axis_title(title, name, unit);
}

/* Returns whether the run is measured in this column. */
static bool has_value(const vida_stored_run* run, const VidaColumn* column) {
  const double value = cell_of(&run->row, column);
  return !run->failed && isfinite(value) && value > 0.0;
}

static bool is_measured(const vida_picture* picture, const VidaColumn* column) {
  for (int run = 0; run < picture->results->count; run++) {
    if (vida__is_chosen(picture, run) && has_value(&picture->results->runs[run], column)) {
      return true;
    }
  }
  return false;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static bool is_same_series(const vida_stored_run* a, const vida_stored_run* b) {
  return a->method == b->method && a->variant == b->variant &&
         vida__is_adaptive(&a->row) == vida__is_adaptive(&b->row);
}

/* The run of this series with the next smaller step (or tolerance); -1: none. */
static int next_run(const vida_picture* picture, int series, double before) {
  const vida_results* results = picture->results;
  int next = -1;
  for (int run = 0; run < results->count; run++) {
    const double size = vida__step_or_tolerance(&results->runs[run].row);
    if (vida__is_chosen(picture, run) &&
        is_same_series(&results->runs[run], &results->runs[series]) && size < before &&
        (next < 0 || size > vida__step_or_tolerance(&results->runs[next].row))) {
      next = run;
    }
  }
  return next;
}

static bool is_first(const vida_picture* picture, int run) {
  for (int i = 0; i < run; i++) {
    if (vida__is_chosen(picture, i) &&
        is_same_series(&picture->results->runs[i], &picture->results->runs[run])) {
      return false;
    }
  }
  return vida__is_chosen(picture, run);
}

/* x: NULL for the step or tolerance. */
static int add_series(vida_picture* picture, int panel, int series, const char* x,
                      const VidaColumn* y, VidaError* error) {
  const vida_stored_run* self = &picture->results->runs[series];
  const int colour = vida__colour_of_run(picture, series);
  char label[VIDA_TEXT_SIZE];
  vida__run_label(picture, series, false, label);
  const int entry = vida__legend(picture, label, colour, self->variant, true);
  vida_curve* curve = vida__add_curve(&picture->panels[panel]);
  int code = VIDA_SUCCESS;
  if (!curve || entry < 0) {
    return vida__fail_memory(error);
  }
  curve->entry = entry;
  curve->marked = true;
  for (int run = next_run(picture, series, INFINITY); run >= 0 && !code;
       run = next_run(picture, series, vida__step_or_tolerance(&picture->results->runs[run].row))) {
    const vida_stored_run* point = &picture->results->runs[run];
    const double place =
        x ? cell_of(&point->row, Vida_FindColumn(x)) : vida__step_or_tolerance(&point->row);
    if (!(place > 0.0)) {
      continue;
    }
    if (has_value(point, y)) {
      code = vida__extend_curve(curve, place, cell_of(&point->row, y), error);
    } else if (point->failed) {
      code = vida__add_failure(&picture->panels[panel], place, colour, error);
    }
  }
  return code;
}

/* A panel of all series that have fixed steps, or those that have not (adaptive: -1: both). */
static int add_error_panel(vida_picture* picture, const char* x, const char* x_title,
                           const VidaColumn* y, int adaptive, VidaError* error) {
  int code = VIDA_SUCCESS;
  const int index = picture->count;
  bool any = false;
  for (int run = 0; run < picture->results->count; run++) {
    const vida_stored_run* self = &picture->results->runs[run];
    any = any || (vida__is_chosen(picture, run) && has_value(self, y) &&
                  (adaptive < 0 || vida__is_adaptive(&self->row) == (adaptive == 1)));
  }
  if (!any) {
    return VIDA_SUCCESS;
  }
  vida_panel* panel = vida__add_panel(picture);
  if (!panel) {
    return vida__fail_memory(error);
  }
  vida__append(panel->x_title, sizeof panel->x_title, "%s", x_title);
  title_of(picture->results, y, panel->y_title);
  panel->log_x = panel->log_y = true;
  if (strcmp(y->name, "position_error") == 0) {
    panel->level = picture->results->reference_error;
    panel->level_text = "reference's own error";
  }
  for (int run = 0; run < picture->results->count && !code; run++) {
    const bool fits = adaptive < 0 || isnan(picture->results->runs[run].row.h) == (adaptive == 1);
    if (fits && is_first(picture, run)) {
      code = add_series(picture, index, run, x, y, error);
    }
  }
  return code;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static int refuse_column(const vida_picture* picture, VidaError* error) {
  const char* const* columns = picture->wishes->columns;
  const vida_columns errors = error_columns();
  char names[2 * VIDA_MESSAGE_SIZE] = "";
  for (int i = 0; columns && columns[i]; i++) {
    bool known = false;
    names[0] = '\0';
    for (int k = 0; k < errors.count; k++) {
      known = known || strcmp(columns[i], errors.column[k]->name) == 0;
      vida__append(names, sizeof names, "%s%s", k ? ", " : "", errors.column[k]->name);
    }
    if (!known) {
      return vida__fail(error, VIDA_UNKNOWN_NAME, "no column '%s' of errors; they are %s",
                        columns[i], names);
    }
  }
  return VIDA_SUCCESS;
}

int vida__plot_work_precision(vida_picture* picture, VidaError* error) {
  static const char* const works[][2] = {{"wall_s", "wall time [s]"},
                                         {"residual_evaluations", "evaluations of the residual"}};
  vida__append(picture->title, sizeof picture->title, ": work and precision");
  int code = refuse_column(picture, error);
  const char* const* columns = picture->wishes->columns;
  const vida_columns errors = error_columns();
  for (int i = 0; i < errors.count && !code; i++) {
    const VidaColumn* column = errors.column[i];
    const bool wanted = columns && columns[0] ? vida__is_selected_column(picture, column->name)
                                              : strcmp(column->name, "position_error") == 0;
    for (int k = 0; k < 2 && wanted && !code; k++) {
      code = add_error_panel(picture, works[k][0], works[k][1], column, -1, error);
    }
  }
  picture->columns = picture->count > 1 ? 2 : 1;
  picture->width = 420;
  picture->height = 380;
  return code;
}

/* Series with a single step have no line. */
static bool has_several_steps(const vida_picture* picture) {
  const vida_results* results = picture->results;
  for (int run = 0; run < results->count; run++) {
    for (int i = 0; i < run; i++) {
      if (is_same_series(&results->runs[i], &results->runs[run]) &&
          vida__step_or_tolerance(&results->runs[i].row) !=
              vida__step_or_tolerance(&results->runs[run].row)) {
        return true;
      }
    }
  }
  return false;
}

int vida__plot_convergence(vida_picture* picture, VidaError* error) {
  static const char* const titles[] = {"step h [s]", "relative tolerance"};
  const bool asked = picture->wishes->columns && picture->wishes->columns[0];
  vida__append(picture->title, sizeof picture->title, ": errors against %s", "step or tolerance");
  const vida_columns errors = error_columns();
  int code = refuse_column(picture, error);
  for (int adaptive = 0; adaptive < 2 && has_several_steps(picture); adaptive++) {
    for (int i = 0; i < errors.count && !code; i++) {
      const VidaColumn* column = errors.column[i];
      const bool wanted = asked ? vida__is_selected_column(picture, column->name)
                                : (column->traits & VIDA_COLUMN_DRAWN) != 0;
      const int before = picture->count;
      if (wanted && is_measured(picture, column) && picture->count < MOST_PANELS) {
        code = add_error_panel(picture, NULL, titles[adaptive], column, adaptive, error);
      }
      if (picture->count > before) {
        picture->panels[before].slopes = strcmp(column->name, "wall_s") != 0 && adaptive == 0;
      }
    }
  }
  picture->columns = picture->count < 3 ? (picture->count > 0 ? picture->count : 1) : 3;
  picture->width = picture->columns == 1 ? 460 : 310;
  picture->height = picture->columns == 1 ? 400 : 310;
  return code;
}
