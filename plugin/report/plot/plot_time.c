/* Quantities over time: a row of panels for each step, a column for each quantity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/plot/plot.h"
#include "study/step_choice.h"
#include "study/trajectory_columns.h"

enum {
  MOST_STEPS = 8,   /* rows of panels */
  MOST_COLUMNS = 3, /* number of panels side by side */
  MOST_ROWS = 8,    /* panels of single columns above each other */
  MOST_CURVES = 60, /* in a panel */
  MOST_PARTS = 64,  /* columns of a trajectory in one quantity */
  MOST_POINTS = 2000,
  MOST_MARKS = 200 /* of the events of a run */
};

/* The quantity of a panel: a column, its change since the start, or the norm of several columns. */
typedef struct quantity {
  char title[VIDA_TEXT_SIZE]; /* of the axis */
  int time;                   /* the column of its time */
  int parts[MOST_PARTS], part_count;
  int less;     /* a column that is subtracted; 0: none */
  bool change;  /* since the first row with a value */
  bool largest; /* the largest part; otherwise the 2-norm of several */
  bool logarithmic;
} quantity;

/* ---- values ---------------------------------------------------------------------------------- */

static void find_start(const quantity* what, const vida_table* table, double start[MOST_PARTS]) {
  for (int k = 0; k < what->part_count; k++) {
    start[k] = 0.0;
    for (long row = 0; row < table->rows && what->change; row++) {
      start[k] = vida__table_real(table, row, what->parts[k]);
      if (!isnan(start[k])) {
        break;
      }
    }
  }
}

static double value_of(const quantity* what, const vida_table* table, long row,
                       const double* start) {
  double sum = 0.0, largest = 0.0;
  for (int k = 0; k < what->part_count; k++) {
    const double less = what->less > 0 ? vida__table_real(table, row, what->less) : 0.0;
    const double part = vida__table_real(table, row, what->parts[k]) - start[k] - less;
    if (isnan(part)) {
      return NAN;
    }
    if (what->part_count == 1 && !what->logarithmic) {
      return part;
    }
    sum = hypot(sum, part);
    largest = fmax(largest, fabs(part));
  }
  return what->largest ? largest : sum;
}

/* For very many rows, the lowest and the highest value in each of this number of parts are drawn.
 */
static int add_thinned(vida_curve* curve, long count, const double* x, const double* y,
                       VidaError* error) {
  const long width = count > MOST_POINTS ? 2 * count / MOST_POINTS + 1 : 1;
  int code = VIDA_SUCCESS;
  for (long from = 0; from < count && !code; from += width) {
    const long to = from + width < count ? from + width : count;
    long low = from, high = from;
    for (long i = from; i < to; i++) {
      low = y[i] < y[low] || isnan(y[low]) ? i : low;
      high = y[i] > y[high] || isnan(y[high]) ? i : high;
    }
    const long first = low < high ? low : high, second = low < high ? high : low;
    code = vida__extend_curve(curve, x[first], y[first], error);
    if (!code && second != first) {
      code = vida__extend_curve(curve, x[second], y[second], error);
    }
  }
  return code;
}

/* Multipliers may belong to the middle of steps, but their axis is that of the run. */
static void show_whole_time(const vida_picture* picture, const vida_table* table,
                            vida_panel* panel) {
  for (long row = 0; row < table->rows; row++) {
    const double t = vida__table_real(table, row, 0);
    if (vida__is_in_time(picture, t)) {
      panel->from = fmin(panel->from, t);
      panel->to = fmax(panel->to, t);
    }
  }
}

/* Reads the curve of a run. Omits rows whose multipliers belong to no step. */
static int add_curve(vida_picture* picture, vida_panel* panel, const quantity* what, int run,
                     int entry, const vida_table* table, VidaError* error) {
  const vida_stored_run* self = &picture->results->runs[run];
  double start[MOST_PARTS];
  double* x = vida__allocate((size_t)table->rows + 1, sizeof *x);
  double* y = vida__allocate((size_t)table->rows + 1, sizeof *y);
  vida_curve* curve = vida__add_curve(panel);
  long count = 0;
  int code = VIDA_SUCCESS;
  if (!x || !y || !curve || entry < 0) {
    code = vida__fail_memory(error);
  } else {
    find_start(what, table, start);
    show_whole_time(picture, table, panel);
    for (long row = 0; row < table->rows; row++) {
      x[count] = vida__table_real(table, row, what->time);
      y[count] = value_of(what, table, row, start);
      count += isfinite(x[count]) && isfinite(y[count]) && vida__is_in_time(picture, x[count]);
    }
    curve->entry = entry;
    curve->failed = curve->secondary = self->failed;
    /* A line through only the start and the end would suggest values that were not computed. */
    curve->only_marks = count < 3;
    code = add_thinned(curve, count, x, y, error);
  }
  free(x);
  free(y);
  return code;
}

/* Marks the events of a run on its curve, between the rows of its trajectory. */
static int add_marks(const vida_picture* picture, vida_panel* panel, const quantity* what, int run,
                     int entry, const vida_table* table, VidaError* error) {
  double start[MOST_PARTS], t;
  long row = 0, next = 0;
  if (picture->results->events.rows == 0) {
    return VIDA_SUCCESS;
  }
  vida_curve* marks = vida__add_curve(panel);
  int code = marks ? VIDA_SUCCESS : vida__fail_memory(error);
  find_start(what, table, start);
  for (int k = 0; k < MOST_MARKS && !code; k++) {
    if (!vida__next_event(picture->results, run, &next, &t)) {
      break;
    }
    while (row + 1 < table->rows && vida__table_real(table, row + 1, what->time) < t) {
      row++;
    }
    const long to = row + 1 < table->rows ? row + 1 : row;
    const double t0 = vida__table_real(table, row, what->time);
    const double t1 = vida__table_real(table, to, what->time);
    const double part = t1 > t0 ? fmin(fmax((t - t0) / (t1 - t0), 0.0), 1.0) : 0.0;
    const double y =
        (1.0 - part) * value_of(what, table, row, start) + part * value_of(what, table, to, start);
    if (isfinite(y) && vida__is_in_time(picture, t)) {
      code = vida__extend_curve(marks, t, y, error);
    }
  }
  if (!code) {
    marks->entry = entry;
    marks->only_marks = marks->secondary = true;
  }
  return code;
}

/* ---- panels for each step -------------------------------------------------------------------- */

/* Runs with equal steps are in the same row. If methods have different steps, runs with the same
 * number of larger steps in their series are in the same row. */
typedef struct row_of_panels {
  int run;  /* one of them */
  int rank; /* -1: equal steps */
} row_of_panels;

static bool is_shown(const vida_picture* picture, int run) {
  return vida__is_chosen(picture, run) && picture->results->runs[run].file[0];
}

static int rank_of(const vida_picture* picture, int run) {
  const vida_stored_run* runs = picture->results->runs;
  int rank = 0;
  for (int i = 0; i < picture->results->count; i++) {
    rank += is_shown(picture, i) && runs[i].method == runs[run].method &&
            runs[i].variant == runs[run].variant &&
            vida__is_adaptive(&runs[i].row) == vida__is_adaptive(&runs[run].row) &&
            vida__step_or_tolerance(&runs[i].row) > vida__step_or_tolerance(&runs[run].row);
  }
  return rank;
}

static bool is_in_row(const vida_picture* picture, int run, const row_of_panels* row) {
  const vida_stored_run* runs = picture->results->runs;
  return is_shown(picture, run) &&
         (row->rank >= 0 ? rank_of(picture, run) == row->rank
                         : vida__is_same_choice(&runs[run].row, &runs[row->run].row));
}

static bool is_in_given_row(const vida_picture* picture, int run, const void* row) {
  return is_in_row(picture, run, row);
}

/* Returns whether a row of panels comes before another: fixed steps first, the largest step first.
 */
static bool is_before(const vida_picture* picture, const row_of_panels* a, const row_of_panels* b) {
  const VidaRow *first = &picture->results->runs[a->run].row,
                *second = &picture->results->runs[b->run].row;
  if (a->rank != b->rank) {
    return a->rank < b->rank;
  }
  return vida__is_adaptive(first) != vida__is_adaptive(second)
             ? vida__is_adaptive(second)
             : vida__step_or_tolerance(first) > vida__step_or_tolerance(second);
}

/* Reads the first rows, at most MOST_STEPS; *all receives their total number. */
static int list_rows(const vida_picture* picture, bool by_rank, row_of_panels rows[MOST_STEPS],
                     int* all) {
  int count = 0;
  *all = 0;
  for (int run = 0; run < picture->results->count; run++) {
    const row_of_panels row = {run, by_rank ? rank_of(picture, run) : -1};
    bool known = !is_shown(picture, run);
    for (int i = 0; i < run && !known; i++) {
      known = is_in_row(picture, i, &row);
    }
    if (known) {
      continue;
    }
    (*all)++;
    int place = count < MOST_STEPS ? count++ : MOST_STEPS;
    for (; place > 0 && is_before(picture, &row, &rows[place - 1]); place--) {
      if (place < MOST_STEPS) {
        rows[place] = rows[place - 1];
      }
    }
    if (place < MOST_STEPS) {
      rows[place] = row;
    }
  }
  return count;
}

static void title_row(const vida_picture* picture, const row_of_panels* row,
                      char title[VIDA_TEXT_SIZE]) {
  static const char* const words[] = {"largest", "second", "third",   "fourth",
                                      "fifth",   "sixth",  "seventh", "eighth"};
  title[0] = '\0';
  if (row->rank >= 0) {
    vida__append(title, VIDA_TEXT_SIZE, "the %s step or tolerance of each method",
                 words[row->rank < MOST_STEPS ? row->rank : MOST_STEPS - 1]);
  } else {
    vida__step_text(&picture->results->runs[row->run].row, title);
  }
}

/* Finds the quantities in a trajectory; returns how many. */
typedef int finder(vida_picture* picture, const vida_trajectory* trajectory,
                   quantity quantities[MOST_COLUMNS]);

/* Adds the panels of a step, from `first`, with all of its runs. */
static int fill_row(vida_picture* picture, int first, int count, const row_of_panels* row,
                    finder* find, VidaError* error) {
  const vida_results* results = picture->results;
  bool* chosen = vida__choose_runs(picture, is_in_given_row, row, MOST_CURVES, " of a step", error);
  int code = chosen ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int run = 0; run < results->count && !code; run++) {
    const vida_stored_run* self = &results->runs[run];
    quantity quantities[MOST_COLUMNS];
    vida_trajectory trajectory;
    char label[VIDA_TEXT_SIZE];
    if (!chosen[run]) {
      continue;
    }
    code = vida__read_trajectory(results, run, &trajectory, error);
    if (!code) {
      vida__run_label(picture, run, false, label);
      const int entry =
          vida__legend(picture, label, vida__colour_of_run(picture, run), self->variant, false);
      find(picture, &trajectory, quantities);
      for (int k = 0; k < count && !code; k++) {
        code = add_curve(picture, &picture->panels[first + k], &quantities[k], run, entry,
                         &trajectory.table, error);
        code = code ? code
                    : add_marks(picture, &picture->panels[first + k], &quantities[k], run, entry,
                                &trajectory.table, error);
      }
    }
    vida__free_trajectory(&trajectory);
  }
  free(chosen);
  return code;
}

static int add_row(vida_picture* picture, const row_of_panels* row, finder* find,
                   VidaError* error) {
  quantity quantities[MOST_COLUMNS];
  vida_trajectory trajectory;
  const int first = picture->count;
  int count = 0;
  int code = vida__read_trajectory(picture->results, row->run, &trajectory, error);
  if (!code) {
    count = find(picture, &trajectory, quantities);
  }
  vida__free_trajectory(&trajectory);
  for (int k = 0; k < count && !code; k++) {
    vida_panel* panel = vida__add_panel(picture);
    if (!panel) {
      return vida__fail_memory(error);
    }
    title_row(picture, row, panel->title);
    vida__append(panel->y_title, sizeof panel->y_title, "%s", quantities[k].title);
    vida__append(panel->x_title, sizeof panel->x_title, "t [s]");
    panel->from_start = true;
    panel->log_y = quantities[k].logarithmic;
  }
  picture->columns = count > 0 ? count : 1;
  return code ? code : fill_row(picture, first, count, row, find, error);
}

static int plot_by_step(vida_picture* picture, finder* find, VidaError* error) {
  row_of_panels rows[MOST_STEPS];
  int all = 0, code = VIDA_SUCCESS;
  int count = list_rows(picture, false, rows, &all);
  if (all > MOST_STEPS) {
    count = list_rows(picture, true, rows, &all);
  }
  for (int i = 0; i < count && !code; i++) {
    code = add_row(picture, &rows[i], find, error);
  }
  vida__note_missing(picture);
  if (all > count) {
    vida__add_note(picture, "the largest %d of %d steps; --h chooses others", count, all);
  }
  picture->width = picture->columns == 1 ? 640 : picture->columns == 2 ? 420 : 320;
  picture->height = count == 1 ? 300 : 170;
  return code;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static int find_energy(vida_picture* picture, const vida_trajectory* trajectory,
                       quantity quantities[MOST_COLUMNS]) {
  (void)picture;
  if (trajectory->energy < 0) {
    return 0;
  }
  const bool works = trajectory->work > 0;
  quantities[0] = (quantity){.parts = {trajectory->energy}, .part_count = 1, .change = true};
  quantities[0].less = works ? trajectory->work : 0;
  vida__append(quantities[0].title, VIDA_TEXT_SIZE, "E(t) - E(0)%s [J]", works ? " - W(t)" : "");
  return 1;
}

int vida__plot_energy(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title,
               ": energy against that of the start and the work");
  return plot_by_step(picture, find_energy, error);
}

static int find_shadow(vida_picture* picture, const vida_trajectory* trajectory,
                       quantity quantities[MOST_COLUMNS]) {
  const int shadow = vida__table_column(&trajectory->table, VIDA_SHADOW_COLUMN);
  (void)picture;
  if (shadow < 0) {
    return 0;
  }
  quantities[0] = (quantity){.parts = {shadow}, .part_count = 1, .change = true};
  quantities[0].time = vida__table_column(&trajectory->table, VIDA_SHADOW_TIME_COLUMN);
  vida__append(quantities[0].title, VIDA_TEXT_SIZE, "shadow energy - start [J]");
  return 1;
}

int vida__plot_shadow(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": shadow energy against its first value");
  return plot_by_step(picture, find_shadow, error);
}

static int find_drift(vida_picture* picture, const vida_trajectory* trajectory,
                      quantity quantities[MOST_COLUMNS]) {
  const vida_results* results = picture->results;
  char rate[VIDA_TEXT_SIZE] = "";
  if (results->constraints == 0 || trajectory->constraint < 0 || trajectory->constraint_rate < 0) {
    return 0;
  }
  vida__append(rate, sizeof rate, "%s%s", results->units.constraint,
               results->units.constraint[0] ? "/s" : "");
  for (int k = 0; k < 2; k++) {
    quantity* what = &quantities[k];
    *what = (quantity){.largest = true, .logarithmic = true};
    vida__axis_title(what->title, k == 0 ? "largest |g|" : "largest |G v + g_t|",
                     k == 0 ? results->units.constraint : rate);
    const int first = k == 0 ? trajectory->constraint : trajectory->constraint_rate;
    for (int i = 0; i < results->constraints && i < MOST_PARTS; i++) {
      what->parts[what->part_count++] = first + i;
    }
  }
  if (results->constraints > MOST_PARTS) {
    vida__add_note(picture, "of %d constraints the first %d", results->constraints, MOST_PARTS);
  }
  return 2;
}

int vida__plot_drift(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": drift from the constraints");
  return plot_by_step(picture, find_drift, error);
}

/* Momentum maps of one unit are the components of one vector. */
static int find_momentum(vida_picture* picture, const vida_trajectory* trajectory,
                         quantity quantities[MOST_COLUMNS]) {
  static const char* const names[] = {"kg m/s", "|L(t) - L(0)|", "kg m^2/s", "|J(t) - J(0)|"};
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE], title[VIDA_TEXT_SIZE];
  int count = 0;
  for (int i = 0; i < picture->results->momenta && trajectory->momentum >= 0; i++) {
    const int column = trajectory->momentum + i;
    int place = 0;
    vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
    title[0] = '\0';
    vida__append(title, sizeof title, "|change of %s|", name);
    for (size_t k = 0; k < 4; k += 2) {
      if (strcmp(unit, names[k]) == 0) {
        vida__axis_title(title, names[k + 1], unit);
      }
    }
    while (place < count && strcmp(quantities[place].title, title) != 0) {
      place++;
    }
    if (place == MOST_COLUMNS) {
      vida__add_note(picture, "more momentum maps are not shown");
      continue;
    }
    if (place == count) {
      quantities[count++] = (quantity){.change = true, .logarithmic = true};
      vida__append(quantities[place].title, VIDA_TEXT_SIZE, "%s", title);
    }
    if (quantities[place].part_count < MOST_PARTS) {
      quantities[place].parts[quantities[place].part_count++] = column;
    }
  }
  return count;
}

int vida__plot_momentum(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": momentum maps against those of the start");
  return plot_by_step(picture, find_momentum, error);
}

static int find_multipliers(vida_picture* picture, const vida_trajectory* trajectory,
                            quantity quantities[MOST_COLUMNS]) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  int count = 0;
  for (int i = 0; i < picture->results->constraints && trajectory->multiplier >= 0; i++) {
    const int column = trajectory->multiplier + i;
    vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
    if (!vida__is_selected_column(picture, name)) {
      continue;
    }
    if (count == MOST_COLUMNS) {
      vida__add_note(picture, "the first %d of %d multipliers; --columns chooses others", count,
                     picture->results->constraints);
      break;
    }
    quantities[count] =
        (quantity){.time = trajectory->multiplier_time, .parts = {column}, .part_count = 1};
    vida__column_title(trajectory, column, quantities[count++].title);
  }
  return count;
}

int vida__plot_multipliers(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": multipliers");
  return plot_by_step(picture, find_multipliers, error);
}

/* ---- any column over time -------------------------------------------------------------------- */

/* "energy@0.1+0.01": the column, and the steps of the runs in its panel. */
static bool is_of_step(const char* column, const VidaRow* row) {
  const char* at = strrchr(column, '@');
  const double size = vida__step_or_tolerance(row);
  char text[VIDA_TEXT_SIZE] = "";
  if (!at) {
    return true;
  }
  vida__append(text, sizeof text, "%s", at + 1);
  for (char* part = text; part && *part;) {
    char* plus = strchr(part, '+');
    double value = 0.0;
    if (plus) {
      *plus++ = '\0';
    }
    if (vida__read_real(part, &value) && fabs(value - size) <= 1e-6 * value) {
      return true;
    }
    part = plus;
  }
  return false;
}

static int add_run(vida_picture* picture, int run, int panels, VidaError* error) {
  const char* const* columns = picture->wishes->columns;
  const vida_stored_run* self = &picture->results->runs[run];
  vida_trajectory trajectory;
  char label[VIDA_TEXT_SIZE];
  int same = 0; /* number of earlier runs of this method, which dashes distinguish */
  for (int i = 0; i < run; i++) {
    same += vida__is_chosen(picture, i) && picture->results->runs[i].method == self->method;
  }
  int code = vida__read_trajectory(picture->results, run, &trajectory, error);
  for (int k = 0; k < panels && !code; k++) {
    vida_panel* panel = &picture->panels[k];
    char name[VIDA_TEXT_SIZE] = "";
    vida__append(name, sizeof name, "%.*s", (int)strcspn(columns[k], "@"), columns[k]);
    const int column = vida__table_column(&trajectory.table, name);
    if (column < 0) {
      code = vida__fail(error, VIDA_UNKNOWN_NAME,
                        "the trajectories have no column '%s'; the first line of '%s' names them",
                        name, self->file);
    } else if (is_of_step(columns[k], &self->row)) {
      const bool multiplier =
          column >= trajectory.multiplier && column < trajectory.multiplier_time;
      const quantity what = {
          .time = multiplier ? trajectory.multiplier_time : 0, .parts = {column}, .part_count = 1};
      vida__column_title(&trajectory, column, panel->y_title);
      vida__run_label(picture, run, true, label);
      const int entry =
          vida__legend(picture, label, vida__colour_of_run(picture, run), same, false);
      code = add_curve(picture, panel, &what, run, entry, &trajectory.table, error);
      code = code ? code : add_marks(picture, panel, &what, run, entry, &trajectory.table, error);
    }
  }
  vida__free_trajectory(&trajectory);
  return code;
}

static bool is_any_shown(const vida_picture* picture, int run, const void* data) {
  (void)data;
  return is_shown(picture, run);
}

int vida__plot_time(vida_picture* picture, VidaError* error) {
  const char* const* columns = picture->wishes->columns;
  int count = 0, code;
  if (!columns || !columns[0]) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a picture over time needs the names of columns of the trajectories");
  }
  vida__append(picture->title, sizeof picture->title, ": over time");
  for (; columns[count] && count < MOST_ROWS; count++) {
    vida_panel* panel = vida__add_panel(picture);
    if (!panel) {
      return vida__fail_memory(error);
    }
    vida__append(panel->x_title, sizeof panel->x_title, "t [s]");
    panel->from_start = true;
  }
  if (columns[count]) {
    vida__add_note(picture, "the first %d columns", count);
  }
  bool* chosen = vida__choose_runs(picture, is_any_shown, NULL, MOST_CURVES, "", error);
  code = chosen ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int run = 0; run < picture->results->count && !code; run++) {
    code = chosen[run] ? add_run(picture, run, count, error) : code;
  }
  free(chosen);
  vida__note_missing(picture);
  picture->columns = 1;
  picture->width = 640;
  picture->height = count == 1 ? 340 : 200;
  return code;
}
