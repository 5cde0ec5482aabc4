/* Maps over the first two swept values, one picture for each method: the largest error in each
 * cell, in logarithmic colours, and beside it, if runs failed, their share. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/sweep/files.h"

enum { PATH_SIZE = 4096, CELL = 8, SIDE = CELL * VIDA_MAP_SIZE, LEFT = 90, TOP = 60, GAP = 190 };
enum { BAR_OFFSET = 20, BAR_WIDTH = 14, BAR_STEPS = 32, HEIGHT = TOP + SIDE + 60 };

/* ---- colours --------------------------------------------------------------------------------- */

/* Colours of equal steps in lightness, from dark blue to yellow. */
static void colour(double part, int rgb[3]) {
  static const int stops[5][3] = {
      {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double place = 4.0 * fmin(fmax(part, 0.0), 1.0);
  const int below = place < 4.0 ? (int)place : 3;
  for (int k = 0; k < 3; k++) {
    rgb[k] =
        (int)lround(stops[below][k] + (place - below) * (stops[below + 1][k] - stops[below][k]));
  }
}

/* What a panel shows. */
typedef struct map_scale {
  bool is_share;         /* of failed runs; otherwise the largest value */
  double least, largest; /* decades of the largest value */
} map_scale;

/* Returns the place of a cell on the scale, 0 .. 1; NaN: it has no value. */
static double place_on_scale(const map_scale* scale, const vida_map_cell* cell) {
  if (cell->runs == 0) {
    return NAN;
  }
  if (scale->is_share) {
    return (double)(cell->runs - cell->finished) / (double)cell->runs;
  }
  if (isnan(cell->largest)) {
    return NAN;
  }
  return cell->largest > 0.0
             ? (log10(cell->largest) - scale->least) / (scale->largest - scale->least)
             : 0.0;
}

static map_scale find_scale(const vida_totals* totals) {
  map_scale scale = {false, INFINITY, -INFINITY};
  for (int i = 0; i < VIDA_MAP_SIZE * VIDA_MAP_SIZE; i++) {
    const vida_map_cell* cell = &totals->map[i];
    if (cell->runs > 0 && cell->largest > 0.0) {
      scale.least = fmin(scale.least, log10(cell->largest));
      scale.largest = fmax(scale.largest, log10(cell->largest));
    }
  }
  scale.least = isfinite(scale.least) ? floor(scale.least) : 0.0;
  scale.largest = fmax(isfinite(scale.largest) ? ceil(scale.largest) : 1.0, scale.least + 1.0);
  return scale;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void write_text(FILE* file, int x, int y, const char* anchor, const char* text) {
  fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
  for (const char* c = text; *c; c++) {
    switch (*c) {
      case '<':
        fputs("&lt;", file);
        break;
      case '>':
        fputs("&gt;", file);
        break;
      case '&':
        fputs("&amp;", file);
        break;
      default:
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
        break;
    }
  }
  fputs("</text>\n", file);
}

static void write_box(FILE* file, double x, double y, double width, double height, double part) {
  int rgb[3];
  colour(part, rgb);
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n",
          (int)x, (int)y, (int)width, (int)height, (unsigned)rgb[0], (unsigned)rgb[1],
          (unsigned)rgb[2]);
}

static void write_bar(FILE* file, int left, const map_scale* scale) {
  const int x = left + SIDE + BAR_OFFSET;
  char text[VIDA_NAME_SIZE] = "";
  for (int i = 0; i < BAR_STEPS; i++) {
    const int step = SIDE / BAR_STEPS;
    write_box(file, x, TOP + SIDE - (i + 1) * step, BAR_WIDTH, step, (i + 0.5) / BAR_STEPS);
  }
  vida__append(text, sizeof text, scale->is_share ? "0 %%" : "1e%d", (int)scale->least);
  write_text(file, x + BAR_WIDTH + 4, TOP + SIDE, "start", text);
  text[0] = '\0';
  vida__append(text, sizeof text, scale->is_share ? "100 %%" : "1e%d", (int)scale->largest);
  write_text(file, x + BAR_WIDTH + 4, TOP + 10, "start", text);
}

/* "b.x", "d b.x/dt" */
static void name_value(const VidaStudy* study, int place, char name[VIDA_NAME_SIZE + 16]) {
  const int n = VidaSystem_CoordinateCount(study->system);
  name[0] = '\0';
  vida__append(name, VIDA_NAME_SIZE + 16, place < n ? "%s" : "d %s/dt",
               VidaSystem_CoordinateName(study->system, place % n));
}

static void write_axes(FILE* file, const VidaStudy* study, int left) {
  char name[VIDA_NAME_SIZE + 16], number[VIDA_REAL_TEXT_SIZE];
  const int* axes = study->sweep->axes;
  const vida_swept_value *x = &study->sweep->swept[axes[0]], *y = &study->sweep->swept[axes[1]];
  fprintf(file,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n",
          left, TOP, SIDE, SIDE);
  write_text(file, left, TOP + SIDE + 16, "start", vida__real_text(number, x->least, 4));
  write_text(file, left + SIDE, TOP + SIDE + 16, "end", vida__real_text(number, x->largest, 4));
  name_value(study, axes[0], name);
  write_text(file, left + SIDE / 2, TOP + SIDE + 34, "middle", name);
  write_text(file, left - 6, TOP + SIDE, "end", vida__real_text(number, y->least, 4));
  write_text(file, left - 6, TOP + 10, "end", vida__real_text(number, y->largest, 4));
  name_value(study, axes[1], name);
  write_text(file, left - 6, TOP + SIDE / 2, "end", name);
}

static void write_panel(FILE* file, const VidaStudy* study, const vida_totals* totals, int left,
                        const map_scale* scale, const char* title) {
  write_text(file, left + SIDE / 2, TOP - 10, "middle", title);
  for (int i = 0; i < VIDA_MAP_SIZE * VIDA_MAP_SIZE; i++) {
    const double part = place_on_scale(scale, &totals->map[i]);
    if (!isnan(part)) {
      write_box(file, left + i % VIDA_MAP_SIZE * CELL,
                TOP + (VIDA_MAP_SIZE - 1 - i / VIDA_MAP_SIZE) * CELL, CELL, CELL, part);
    }
  }
  write_axes(file, study, left);
  write_bar(file, left, scale);
}

static void write_map(const VidaStudy* study, const vida_sweep_method* method, FILE* file) {
  const VidaColumn* column = vida__column_at(study->sweep->map_column);
  const bool has_failures = method->totals.finished < method->totals.runs;
  const map_scale scale = find_scale(&method->totals), share = {.is_share = true};
  const int width = LEFT + SIDE + (has_failures ? GAP + SIDE : 0) + 100;
  char title[VIDA_MESSAGE_SIZE] = "", unit[VIDA_NAME_SIZE];
  vida_units units;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
          "%d\" font-family=\"sans-serif\" font-size=\"13\" shape-rendering=\"crispEdges\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
          width, HEIGHT, width, HEIGHT);
  vida__append(title, sizeof title, "%s, %s", VidaSystem_Name(study->system), method->name);
  write_text(file, LEFT, 22, "start", title);
  title[0] = '\0';
  vida__find_units(study, &units);
  vida__column_unit(&units, study->relative, column, unit);
  vida__append(title, sizeof title, "largest %s error in each cell%s%s", column->title,
               unit[0] ? ", " : "", unit);
  write_panel(file, study, &method->totals, LEFT, &scale, title);
  if (has_failures) {
    write_panel(file, study, &method->totals, LEFT + SIDE + GAP, &share, "share of failed runs");
  }
  fputs("</svg>\n", file);
}

bool vida__write_sweep_map(const VidaStudy* study, int method, FILE* file) {
  const struct vida_sweep* sweep = study->sweep;
  if (!sweep || sweep->axes[1] < 0 || method >= sweep->method_count) {
    return false;
  }
  write_map(study, &sweep->methods[method], file);
  return true;
}

int vida__write_sweep_maps(const VidaStudy* study, const char* folder, VidaError* error) {
  const struct vida_sweep* sweep = study->sweep;
  int code = VIDA_SUCCESS;
  for (int m = 0; m < sweep->method_count && sweep->axes[1] >= 0 && !code; m++) {
    char path[PATH_SIZE];
    const int length =
        snprintf(path, sizeof path, "%s/map-%d-%s.svg", folder, m + 1, sweep->methods[m].name);
    FILE* file = length > 0 && length < PATH_SIZE ? vida__create_stream(path) : NULL;
    if (!file) {
      return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write a map in '%.200s': %s", folder,
                        strerror(errno));
    }
    write_map(study, &sweep->methods[m], file);
    code = vida__finish_output(file, path, error);
    fclose(file);
  }
  return code;
}
