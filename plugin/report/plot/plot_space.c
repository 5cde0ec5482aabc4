/* Pictures without a time axis: phase portraits and paths in space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/plot/plot.h"

enum { MOST_PANELS = 6, MOST_PARTICLES = 12, MOST_POINTS = 4000, MOST_RUNS = 60 };

/* Returns whether a run is shown: one run of each series, or those that the user selects. */
static bool is_shown(const vida_picture* picture, int run) {
  return vida__is_chosen(picture, run) && picture->results->runs[run].file[0] &&
         vida__is_finest(picture, run);
}

static int entry_of(vida_picture* picture, int run) {
  const vida_results* results = picture->results;
  char label[VIDA_TEXT_SIZE];
  int same = 0;
  for (int i = 0; i < run; i++) {
    same += results->runs[i].method == results->runs[run].method && is_shown(picture, i);
  }
  vida__run_label(picture, run, true, label);
  return vida__legend(picture, label, vida__colour_of_run(picture, run), same, false);
}

static int add_path(vida_picture* picture, int panel, int run, const vida_trajectory* trajectory,
                    int x, int y, int entry, VidaError* error) {
  const vida_table* table = &trajectory->table;
  vida_curve* curve = vida__add_curve(&picture->panels[panel]);
  const long every = table->rows / MOST_POINTS + 1;
  int code = VIDA_SUCCESS;
  if (!curve || entry < 0) {
    return vida__fail_memory(error);
  }
  curve->entry = entry;
  curve->start = picture->panels[panel].equal;
  curve->failed = curve->secondary = picture->results->runs[run].failed;
  for (long row = 0; row < table->rows && !code; row++) {
    const bool last = row == table->rows - 1;
    if ((row % every == 0 || last) && vida__is_in_time(picture, vida__table_real(table, row, 0))) {
      code = vida__extend_curve(curve, vida__table_real(table, row, x),
                                vida__table_real(table, row, y), error);
    }
  }
  curve->only_marks = curve->count < 3; /* the states in between are not known */
  return code;
}

/* ---- phase portraits ------------------------------------------------------------------------- */

/* How far a column goes. */
static double range_of(const vida_trajectory* trajectory, int column) {
  double low = INFINITY, high = -INFINITY;
  for (long row = 0; row < trajectory->table.rows; row++) {
    const double value = vida__table_real(&trajectory->table, row, column);
    low = fmin(low, value); /* which leave NaN out */
    high = fmax(high, value);
  }
  return high > low ? high - low : 0.0;
}

/* Relative motion of a coordinate, compared with others of its unit, that counts as rounding. */
static const double at_rest = 1e-9;

/* Returns whether it goes farther than rounding of others of its unit. */
static bool moves(const vida_trajectory* trajectory, int column, int coordinates,
                  const double* ranges) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE], other[VIDA_NAME_SIZE];
  double largest = 0.0;
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  for (int i = 0; i < coordinates; i++) {
    vida__split_title(vida__table_title(&trajectory->table, trajectory->position + i), name, other);
    largest = strcmp(unit, other) == 0 ? fmax(largest, ranges[i]) : largest;
  }
  return ranges[column - trajectory->position] > at_rest * largest;
}

/* Finds the selected coordinates, or the first ones that move. -1 without memory. */
static int list_coordinates(vida_picture* picture, const vida_trajectory* trajectory,
                            int columns[MOST_PANELS]) {
  const int n = picture->results->coordinates;
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  int count = 0, resting = 0;
  double* ranges = vida__allocate((size_t)n + 1, sizeof *ranges);
  for (int i = 0; i < n && ranges; i++) {
    ranges[i] = range_of(trajectory, trajectory->position + i);
  }
  for (int i = 0; i < n && ranges; i++) {
    vida__split_title(vida__table_title(&trajectory->table, trajectory->position + i), name, unit);
    if (!vida__is_selected_column(picture, name)) {
      continue;
    }
    if (!picture->wishes->columns && !moves(trajectory, trajectory->position + i, n, ranges)) {
      resting++;
      continue;
    }
    if (count == MOST_PANELS) {
      vida__add_note(picture, "the first %d of %d coordinates; --columns chooses others", count, n);
      break;
    }
    columns[count++] = trajectory->position + i;
  }
  if (resting > 0) {
    vida__add_note(picture, "without %d coordinate%s that do%s not move", resting,
                   resting > 1 ? "s" : "", resting > 1 ? "" : "es");
  }
  free(ranges);
  return ranges ? count : -1;
}

/* A panel for each of them; the first run that is shown decides which. */
static int add_portraits(vida_picture* picture, const vida_trajectory* trajectory,
                         VidaError* error) {
  const int rates = trajectory->velocity - trajectory->position; /* from a position to its rate */
  int columns[MOST_PANELS];
  if (trajectory->position < 0 || trajectory->velocity < 0) {
    return VIDA_SUCCESS; /* nothing to show */
  }
  const int count = list_coordinates(picture, trajectory, columns);
  if (count < 0) {
    return vida__fail_memory(error);
  }
  for (int k = 0; k < count; k++) {
    vida_panel* panel = vida__add_panel(picture);
    if (!panel) {
      return vida__fail_memory(error);
    }
    panel->column = columns[k];
    vida__column_title(trajectory, columns[k], panel->x_title);
    vida__column_title(trajectory, columns[k] + rates, panel->y_title);
  }
  return VIDA_SUCCESS;
}

static int plot_portraits(vida_picture* picture, int run, const vida_trajectory* trajectory,
                          VidaError* error) {
  const int rates = trajectory->velocity - trajectory->position;
  int code = picture->count == 0 ? add_portraits(picture, trajectory, error) : VIDA_SUCCESS;
  for (int k = 0; k < picture->count && !code; k++) {
    const int column = picture->panels[k].column;
    code = add_path(picture, k, run, trajectory, column, column + rates, entry_of(picture, run),
                    error);
  }
  return code;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Returns the column of "NAME.y" for the column of "NAME.x"; -1 if there is none. */
static int sibling(const vida_trajectory* trajectory, int column, char axis) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  const size_t length = strlen(name);
  if (length < 3 || strcmp(name + length - 2, ".x") != 0) {
    return -1;
  }
  name[length - 1] = axis;
  return vida__table_column(&trajectory->table, name);
}

/* If the picture shows one run, colours distinguish its points, not the methods. */
static int entry_of_point(vida_picture* picture, int run, const vida_trajectory* trajectory,
                          int column, int number) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  int shown = 0;
  for (int i = 0; i < picture->results->count; i++) {
    shown += is_shown(picture, i);
  }
  if (shown > 1) {
    return entry_of(picture, run);
  }
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  name[strlen(name) - 2] = '\0';
  return vida__legend(picture, name, number, 0, false);
}

static bool is_selected_particle(const vida_picture* picture, const vida_trajectory* trajectory,
                                 int column) {
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  name[strlen(name) - 2] = '\0';
  return vida__is_selected_column(picture, name);
}

/* Panels of the projections: x-y, and in space x-z and y-z. */
static int add_projections(vida_picture* picture, const vida_trajectory* trajectory, int column,
                           bool space, VidaError* error) {
  static const char* const axes[3][2] = {{"x", "y"}, {"x", "z"}, {"y", "z"}};
  char name[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  vida__split_title(vida__table_title(&trajectory->table, column), name, unit);
  for (int k = 0; k < (space ? 3 : 1); k++) {
    vida_panel* panel = vida__add_panel(picture);
    if (!panel) {
      return vida__fail_memory(error);
    }
    vida__axis_title(panel->x_title, axes[k][0], unit);
    vida__axis_title(panel->y_title, axes[k][1], unit);
    panel->equal = true;
  }
  return VIDA_SUCCESS;
}

static int plot_paths(vida_picture* picture, int run, const vida_trajectory* trajectory,
                      VidaError* error) {
  int particles = 0, code = VIDA_SUCCESS;
  const int coordinates = trajectory->position < 0 ? 0 : picture->results->coordinates;
  for (int i = 0; i < coordinates && !code; i++) {
    const int x = trajectory->position + i;
    const int y = sibling(trajectory, x, 'y'), z = sibling(trajectory, x, 'z');
    if (y < 0 || !is_selected_particle(picture, trajectory, x)) {
      continue;
    }
    if (particles++ == MOST_PARTICLES) {
      vida__add_note(picture, "the first %d points; --columns chooses others", MOST_PARTICLES);
      break;
    }
    if (picture->count == 0) {
      code = add_projections(picture, trajectory, x, z >= 0, error);
    }
    const int axes[3][2] = {{x, y}, {x, z}, {y, z}};
    const int entry = entry_of_point(picture, run, trajectory, x, particles - 1);
    for (int k = 0; k < picture->count && !code; k++) {
      if (axes[k][0] >= 0 && axes[k][1] >= 0) {
        code = add_path(picture, k, run, trajectory, axes[k][0], axes[k][1], entry, error);
      }
    }
  }
  return code;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

typedef int painter(vida_picture* picture, int run, const vida_trajectory* trajectory,
                    VidaError* error);

static bool is_any_shown(const vida_picture* picture, int run, const void* data) {
  (void)data;
  return is_shown(picture, run);
}

static int plot_runs(vida_picture* picture, painter* paint, VidaError* error) {
  vida_trajectory trajectory;
  bool* chosen = vida__choose_runs(picture, is_any_shown, NULL, MOST_RUNS, "", error);
  int code = chosen ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int run = 0; run < picture->results->count && !code; run++) {
    if (!chosen[run]) {
      continue;
    }
    code = vida__read_trajectory(picture->results, run, &trajectory, error);
    code = code ? code : paint(picture, run, &trajectory, error);
    vida__free_trajectory(&trajectory);
  }
  free(chosen);
  vida__note_missing(picture);
  picture->columns = picture->count < 3 ? (picture->count > 0 ? picture->count : 1) : 3;
  picture->width = picture->count == 1 ? 460 : 330;
  picture->height = picture->count == 1 ? 460 : 330;
  return code;
}

int vida__plot_phase(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": phase portraits");
  return plot_runs(picture, plot_portraits, error);
}

int vida__plot_trajectory(vida_picture* picture, VidaError* error) {
  vida__append(picture->title, sizeof picture->title, ": paths");
  return plot_runs(picture, plot_paths, error);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

int vida__plot_sparsity(vida_picture* picture, VidaError* error) {
  const vida_results* results = picture->results;
  int code = VIDA_SUCCESS;
  vida__append(picture->title, sizeof picture->title, ": KKT matrix");
  vida_panel* panel = results->pattern_count > 0 ? vida__add_panel(picture) : NULL;
  if (!panel) {
    return results->pattern_count > 0 ? vida__fail_memory(error) : VIDA_SUCCESS;
  }
  vida__append(panel->title, sizeof panel->title,
               "%d x %d, %d entries; %d coordinates, %d constraints", results->pattern_size,
               results->pattern_size, results->pattern_count, results->coordinates,
               results->constraints);
  vida__append(panel->x_title, sizeof panel->x_title, "column");
  vida__append(panel->y_title, sizeof panel->y_title, "row");
  panel->squares = panel->reversed = true;
  panel->size = results->pattern_size;
  panel->part = results->coordinates;
  vida_curve* curve = vida__add_curve(panel);
  const int entry = vida__legend(picture, "entries", 0, 0, true);
  if (!curve || entry < 0) {
    return vida__fail_memory(error);
  }
  curve->entry = entry;
  curve->only_marks = true;
  for (int i = 0; i < results->pattern_count && !code; i++) {
    code = vida__extend_curve(curve, results->pattern[i][1], results->pattern[i][0], error);
  }
  picture->columns = 1;
  picture->width = picture->height = 480;
  return code;
}
