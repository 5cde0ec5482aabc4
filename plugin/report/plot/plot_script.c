/* Writes a picture as data and a gnuplot script. Sizes are in pixels, from the lower left corner.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/plot/plot.h"

static const char* const dashes[] = {"1", "(14,5)", "(6,4)", "(14,4,3,4)", "(3,3)"};
static const int marks[] = {7, 5, 9, 13, 11, 15, 4, 6, 8, 12, 10, 14};
enum {
  MARKS = sizeof marks / sizeof marks[0],
  DASHES = sizeof dashes / sizeof dashes[0],
  LEFT = 104,  /* for the numbers and the title of the y axis */
  BELOW = 54,  /* the same of the x axis */
  ABOVE = 30,  /* a panel's title */
  HEADER = 44, /* the picture's title */
  LINE = 18,   /* of the legend */
  LETTER = 8,  /* width of one of the legend's */
  WIDEST_TICK = 64,
  MOST_ENTRIES = 40,
  MANY = 12 /* number of curves in a panel from which they are thin */
};

/* One place of the picture. */
typedef struct box {
  double left, bottom, right, top;
} box;

typedef struct script {
  vida_picture* picture;
  FILE *script, *data;
  const char* name;
  int width, height, legend; /* of the picture, and of the legend's column */
  int index;                 /* of the next block of data */
} script;

/* ---- texts and numbers ----------------------------------------------------------------------- */

static void write_real(FILE* file, double value, int digits) {
  char text[VIDA_REAL_TEXT_SIZE];
  fputs(isfinite(value) ? vida__real_text(text, value, digits) : "NaN", file);
}

static void write_range(FILE* file, const char* axis, double low, double high) {
  fprintf(file, "set %srange [", axis);
  write_real(file, low, 12);
  fputs(":", file);
  write_real(file, high, 12);
  fputs("]\n", file);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void widen(double value, bool logarithmic, double* low, double* high) {
  if (isfinite(value) && (!logarithmic || value > 0.0)) {
    *low = fmin(*low, value); /* fmin leaves NaN out */
    *high = fmax(*high, value);
  }
}

static void collect(const vida_panel* panel, bool secondary, vida_panel* range) {
  for (int c = 0; c < panel->count; c++) {
    const vida_curve* curve = &panel->curves[c];
    for (long i = 0; i < curve->count && curve->secondary == secondary; i++) {
      widen(curve->x[i], panel->log_x, &range->low_x, &range->high_x);
      widen(curve->y[i], panel->log_y, &range->low_y, &range->high_y);
    }
  }
}

/* Margins about the values: whole decades, or a twentieth. */
static void round_range(bool logarithmic, bool tight, double* low, double* high) {
  if (isnan(*low)) {
    *low = logarithmic ? 0.1 : 0.0;
    *high = 1.0;
  }
  if (logarithmic) {
    *low = pow(10.0, floor(log10(*low) + 1e-9));
    *high = pow(10.0, ceil(log10(*high) - 1e-9));
    *high = *high <= *low ? 10.0 * *low : *high;
    return;
  }
  double margin = tight ? 0.0 : 0.05 * (*high - *low);
  if (!(*high - *low > 1e-10 * fmax(fabs(*low), fabs(*high)))) {
    margin = *high != 0.0 ? 0.1 * fabs(*high) : 1.0; /* all values are one, but for rounding */
  }
  *low -= margin;
  *high += margin;
}

/* Points of log-log panels lie between decades: half of one is enough of a margin. */
static void round_x(vida_panel* panel) {
  if (panel->log_x && panel->low_x > 0.0) {
    const double margin = fmax(1.3, pow(panel->high_x / panel->low_x, 0.06));
    panel->low_x /= margin;
    panel->high_x *= margin;
    return;
  }
  round_range(panel->log_x, panel->from_start, &panel->low_x, &panel->high_x);
}

/* A run that failed may have diverged before: it must not make the other curves flat. */
static void find_range(vida_panel* panel, const box* place) {
  vida_panel good = {.low_x = NAN, .high_x = NAN, .low_y = NAN, .high_y = NAN};
  vida_panel all = good;
  collect(panel, false, &good);
  all = good;
  collect(panel, true, &all);
  if (isnan(good.low_y)) {
    good = all;
  }
  panel->low_x = fmin(all.low_x, good.low_x);
  panel->high_x = fmax(all.high_x, good.high_x);
  const double span = good.high_y - good.low_y;
  panel->low_y = panel->log_y ? good.low_y : fmax(all.low_y, good.low_y - span);
  panel->high_y =
      panel->log_y ? fmin(all.high_y, 1e3 * good.high_y) : fmin(all.high_y, good.high_y + span);
  panel->low_x = fmin(panel->low_x, panel->from);
  panel->high_x = fmax(panel->high_x, panel->to);
  for (int i = 0; i < panel->failure_count; i++) {
    widen(panel->failures[i].x, panel->log_x, &panel->low_x, &panel->high_x);
  }
  round_x(panel);
  round_range(panel->log_y, false, &panel->low_y, &panel->high_y);
  if (panel->level > 0.0 && panel->level < panel->low_y && panel->level > 1e-3 * panel->low_y) {
    panel->low_y = pow(10.0, floor(log10(panel->level)));
  }
  if (panel->squares) {
    panel->low_x = panel->low_y = -0.5;
    panel->high_x = panel->high_y = panel->size - 0.5;
  } else if (panel->equal) {
    const double wide = place->right - place->left, high = place->top - place->bottom;
    const double per_pixel =
        fmax((panel->high_x - panel->low_x) / wide, (panel->high_y - panel->low_y) / high);
    const double more_x = 0.5 * (per_pixel * wide - (panel->high_x - panel->low_x));
    const double more_y = 0.5 * (per_pixel * high - (panel->high_y - panel->low_y));
    panel->low_x -= more_x;
    panel->high_x += more_x;
    panel->low_y -= more_y;
    panel->high_y += more_y;
  }
}

/* ---- one panel ------------------------------------------------------------------------------- */

static void write_place(const script* work, const box* place) {
  const double w = work->width, h = work->height;
  const struct {
    const char* name;
    double value;
  } margins[] = {{"l", place->left / w},
                 {"r", place->right / w},
                 {"b", place->bottom / h},
                 {"t", place->top / h}};
  for (size_t i = 0; i < sizeof margins / sizeof margins[0]; i++) {
    fprintf(work->script, "set %smargin at screen ", margins[i].name);
    write_real(work->script, margins[i].value, 5);
    fputc('\n', work->script);
  }
}

/* The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
static double round_step(double least) {
  static const double parts[] = {1.0, 2.0, 5.0};
  const double decade = pow(10.0, floor(log10(least)));
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (parts[i] * decade >= least * (1.0 - 1e-9)) {
      return parts[i] * decade;
    }
  }
  return 10.0 * decade;
}

static void write_tick(FILE* file, double value, int* count) {
  char number[VIDA_REAL_TEXT_SIZE];
  vida__real_text(number, value, 4);
  fprintf(file, "%s'%s' %s", (*count)++ > 0 ? ", " : "", number, number);
}

static bool is_within(double value, double low, double high) {
  return value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9);
}

/* On less than one and a half decades powers of ten are too few numbers: uses 1, 2, 5 times these,
 * and if that gives at most one number, multiples of a step. */
static void write_close_ticks(FILE* file, char axis, double low, double high) {
  static const double parts[] = {1.0, 2.0, 5.0};
  int fitting = 0, count = 0;
  fprintf(file, "set %ctics (", axis);
  for (int pass = 0; pass < 2; pass++) { /* counts, then writes */
    for (double decade = pow(10.0, floor(log10(low))); decade <= high; decade *= 10.0) {
      for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const bool fits = is_within(parts[i] * decade, low, high);
        fitting += fits && pass == 0;
        if (fits && pass == 1 && fitting > 1) {
          write_tick(file, parts[i] * decade, &count);
        }
      }
    }
  }
  const double step = round_step((high - low) / 4.0);
  for (double k = ceil(low / step); fitting <= 1 && k * step <= high; k++) {
    write_tick(file, k * step, &count);
  }
  fputs(")\n", file);
}

/* `room`: of the axis, in pixels. */
static void write_ticks(FILE* file, char axis, bool logarithmic, double low, double high,
                        double room) {
  if (logarithmic && high <= 30.0 * low) {
    write_close_ticks(file, axis, low, high);
    return;
  }
  fprintf(file, "set %ctics ", axis);
  if (logarithmic || axis == 'y') {
    fputs("autofreq", file);
  } else { /* numbers side by side need more room */
    write_real(file, round_step((high - low) * WIDEST_TICK / room), 12);
  }
  fprintf(file, "\nset format %c \"%s\"\n", axis,
          logarithmic   ? "10^{%L}"
          : axis == 'x' ? "%g"
                        : "% h");
}

static void write_axes(const script* work, const vida_panel* panel, const box* place) {
  FILE* file = work->script;
  fputs("set title ", file);
  vida__write_gnuplot_text(file, panel->title);
  fputs(" noenhanced offset 0,-0.4\nset xlabel ", file);
  vida__write_gnuplot_text(file, panel->x_title);
  fputs(" noenhanced offset 0,0.3\nset ylabel ", file);
  vida__write_gnuplot_text(file, panel->y_title);
  fputs(" noenhanced offset 0.6,0\nunset logscale\nunset label\nunset arrow\n", file);
  if (panel->log_x) {
    fputs("set logscale x\n", file);
  }
  if (panel->log_y) {
    fputs("set logscale y\n", file);
  }
  write_ticks(file, 'x', panel->log_x, panel->low_x, panel->high_x, place->right - place->left);
  write_ticks(file, 'y', panel->log_y, panel->low_y, panel->high_y, place->top - place->bottom);
  write_range(file, "x", panel->low_x, panel->high_x);
  write_range(file, "y", panel->reversed ? panel->high_y : panel->low_y,
              panel->reversed ? panel->low_y : panel->high_y);
}

static void write_point_label(FILE* file, double x, const char* y_system, double y,
                              const char* mark) {
  fputs("set label '' at first ", file);
  write_real(file, x, 12);
  fprintf(file, ",%s ", y_system);
  write_real(file, y, 12);
  fprintf(file, " point %s front\n", mark);
}

/* Lines y = high (x / high_x)^p through the largest error of the data. */
static void write_slopes(const script* work, const vida_panel* panel) {
  static const int slopes[] = {1, 2, 4};
  FILE* file = work->script;
  double x = NAN, y = NAN;
  for (int c = 0; c < panel->count; c++) {
    const vida_curve* curve = &panel->curves[c];
    for (long i = 0; i < curve->count; i++) {
      if (curve->count > 1 && !(curve->y[i] <= y)) {
        x = curve->x[i];
        y = curve->y[i];
      }
    }
  }
  if (isnan(y)) {
    return;
  }
  for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
    const double power = slopes[i];
    const double end = fmax(panel->low_x, x * pow(panel->low_y / y, 1.0 / power));
    const double end_y = y * pow(end / x, power);
    fputs("set arrow from first ", file);
    write_real(file, x, 12);
    fputs(",first ", file);
    write_real(file, y, 12);
    fputs(" to first ", file);
    write_real(file, end, 12);
    fputs(",first ", file);
    write_real(file, end_y, 12);
    fputs(" nohead lc rgb '#a0a0a0' lw 0.6 back\n", file);
    fprintf(file, "set label 'slope %d' at first ", slopes[i]);
    write_real(file, end, 12);
    fputs(",first ", file);
    write_real(file, end_y, 12);
    /* Places the label below and to the right of its end, where the rising line does not cross it,
     * but above the lower edge and a level close to it. */
    fprintf(file, " offset character %s",
            end > panel->low_x     ? isnan(panel->level) ? "1.5,0.6" : "2.5,1.7"
            : end_y > panel->low_y ? "0.6,-0.7"
                                   : "1.5,0.6");
    fputs(" left font small tc rgb '#808080' back\n", file);
  }
}

static void write_decoration(const script* work, const vida_panel* panel) {
  FILE* file = work->script;
  char mark[64];
  if (panel->slopes) {
    write_slopes(work, panel);
  }
  if (panel->level > panel->low_y && panel->level < panel->high_y) {
    fputs("set arrow from graph 0,first ", file);
    write_real(file, panel->level, 12);
    fputs(" to graph 1,first ", file);
    write_real(file, panel->level, 12);
    fputs(" nohead lc rgb '#606060' dt 3 lw 1 back\n", file);
    if (panel->level_text) {
      fputs("set label ", file);
      vida__write_gnuplot_text(file, panel->level_text);
      fputs(" at graph 0.98,first ", file);
      write_real(file, panel->level, 12);
      fputs(" right offset 0,0.5 font small tc rgb '#606060' noenhanced\n", file);
    }
  }
  for (int i = 0; i < panel->failure_count; i++) {
    snprintf(mark, sizeof mark, "pt 2 ps 1.2 lw 2 lc rgb '%s'",
             vida__colour(panel->failures[i].colour)->light);
    write_point_label(file, panel->failures[i].x, "graph", 0.95, mark);
  }
  for (int c = 0; c < panel->count; c++) {
    const vida_curve* curve = &panel->curves[c];
    if (curve->start && curve->count > 0 && panel->count <= 3 * MANY) {
      snprintf(mark, sizeof mark, "pt 6 ps 1 lc rgb '%s'",
               vida__colour(work->picture->entries[curve->entry].colour)->light);
      write_point_label(file, curve->x[0], "first", curve->y[0], mark);
    }
    if (curve->failed && curve->count > 0) {
      double y = curve->y[curve->count - 1];
      y = isfinite(y) ? fmin(fmax(y, panel->low_y), panel->high_y) : panel->high_y;
      snprintf(mark, sizeof mark, "pt 2 ps 1.2 lw 2 lc rgb '%s'",
               vida__colour(work->picture->entries[curve->entry].colour)->light);
      write_point_label(file, curve->x[curve->count - 1], "first", y, mark);
    }
  }
  if (panel->squares) {
    fprintf(file,
            "set arrow from %d-0.5,-0.5 to %d-0.5,%d-0.5 nohead lc rgb '#808080' back\n"
            "set arrow from -0.5,%d-0.5 to %d-0.5,%d-0.5 nohead lc rgb '#808080' back\n",
            panel->part, panel->part, panel->size, panel->part, panel->size, panel->part);
  }
}

/* On a logarithmic axis, zero is drawn at the lower edge, where it is visible. */
static void write_data(script* work, const vida_panel* panel, const vida_curve* curve) {
  fprintf(work->data, "# %s, index %d\n", work->picture->entries[curve->entry].label, work->index);
  for (long i = 0; i < curve->count; i++) {
    const double x = curve->x[i], y = curve->y[i];
    write_real(work->data, x, 12);
    fputc(' ', work->data);
    write_real(work->data, panel->log_y && y >= 0.0 ? fmax(y, panel->low_y) : y, 12);
    fputc('\n', work->data);
  }
  fputs("\n\n", work->data);
}

/* Every other method has broken lines, which show curves below others; runs of one method have
 * different dashes. */
static const char* dash_of(const vida_legend_entry* style) {
  const int colour = style->colour % VIDA_COLOURS;
  const int of_method = colour % 2 == 0 ? 0 : 1 + colour / 2 % (DASHES - 1);
  return dashes[(of_method + style->colour / VIDA_COLOURS + style->dash) % DASHES];
}

/* behind: how many curves are drawn later: a wide line is still seen below one that covers it. */
static void write_style(const script* work, int entry, bool marked, bool only_marks, int behind) {
  const vida_legend_entry* style = &work->picture->entries[entry];
  fprintf(work->script, "%s lc rgb '%s'",
          only_marks ? "points"
          : marked   ? "linespoints"
                     : "lines",
          vida__colour(style->colour)->light);
  if (!only_marks) {
    fputs(" lw ", work->script);
    const double width = (marked ? 1.4 : 1.1) + 0.4 * (behind < 3 ? behind : 3);
    write_real(work->script, behind < MANY ? width : 0.5, 3);
    fprintf(work->script, " dt %s", dash_of(style));
  }
  if (marked || only_marks) {
    fprintf(work->script, " pt %d ps 0.8", marks[style->colour % MARKS]);
  }
}

static void write_panel(script* work, vida_panel* panel, const box* place) {
  FILE* file = work->script;
  find_range(panel, place);
  fputc('\n', file);
  write_place(work, place);
  write_axes(work, panel, place);
  write_decoration(work, panel);
  fputs("plot ", file);
  bool any = false;
  for (int c = 0; c < panel->count; c++) {
    const vida_curve* curve = &panel->curves[c];
    if (curve->count == 0) {
      continue;
    }
    write_data(work, panel, curve);
    fprintf(file, "%sdata index %d using 1:2 with ", any ? ", \\\n  " : "", work->index++);
    if (panel->squares) {
      const double size = (place->right - place->left) / panel->size / 6.5;
      fprintf(file, "points pt 5 lc rgb '%s' ps ", vida__colour(0)->light);
      write_real(file, fmin(fmax(size, 0.15), 2.5), 3);
    } else {
      write_style(work, curve->entry, curve->marked, curve->only_marks,
                  panel->count > MANY ? MANY : panel->count - 1 - c);
    }
    fputs(" notitle", file);
    any = true;
  }
  fputs(any ? "\n" : "NaN notitle\n", file);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static int shown_entries(const vida_picture* picture) {
  return picture->entry_count < MOST_ENTRIES ? picture->entry_count : MOST_ENTRIES;
}

static bool has_failures(const vida_picture* picture) {
  bool any = false;
  for (int p = 0; p < picture->count; p++) {
    any = any || picture->panels[p].failure_count > 0;
    for (int c = 0; c < picture->panels[p].count; c++) {
      any = any || picture->panels[p].curves[c].failed;
    }
  }
  return any;
}

static void write_line_of_text(const script* work, const char* text, double from_bottom,
                               const char* look) {
  FILE* file = work->script;
  fputs("set label ", file);
  vida__write_gnuplot_text(file, text);
  fputs(" at screen ", file);
  write_real(file, 16.0 / work->width, 5);
  fputs(",screen ", file);
  write_real(file, from_bottom / work->height, 5);
  fprintf(file, " left noenhanced %s\n", look);
}

static void write_entries(const script* work) {
  FILE* file = work->script;
  const vida_picture* picture = work->picture;
  const int shown = shown_entries(picture);
  fputs("set key at screen ", file);
  write_real(file, (double)(work->width - work->legend + 8) / work->width, 5);
  fputs(",screen ", file);
  write_real(file, 1.0 - (double)(HEADER + 6) / work->height, 5);
  fputs(
      " left top vertical maxrows 50 Left reverse noenhanced samplen 2.5 spacing 1.15 font legend\n"
      "plot [0:1] [0:1] ",
      file);
  for (int i = 0; i < shown; i++) {
    fprintf(file, "%sNaN with ", i ? ", \\\n  " : "");
    write_style(work, i, picture->entries[i].marked, false, 1);
    fputs(" title ", file);
    vida__write_gnuplot_text(file, picture->entries[i].label);
  }
  if (picture->entry_count > shown) {
    fprintf(file, ", \\\n  NaN with lines lc rgb '#ffffff' title 'and %d more'",
            picture->entry_count - shown);
  }
  if (has_failures(picture)) {
    fputs(", \\\n  NaN with points pt 2 ps 1.2 lw 2 lc rgb '#404040' title 'run failed'", file);
  }
  fputc('\n', file);
}

/* A panel without axes over the whole picture has its texts, and the legend next to the other
 * panels, where it covers no data. */
static void write_frame(const script* work) {
  FILE* file = work->script;
  const vida_picture* picture = work->picture;
  fputs(
      "\n# title, remarks and legend\nunset title\nunset xlabel\nunset ylabel\nunset logscale\n"
      "unset label\nunset arrow\nunset border\nunset tics\nunset grid\n",
      file);
  const box all = {0.0, 0.0, work->width, work->height};
  write_place(work, &all);
  write_line_of_text(work, picture->title, work->height - 22.0, "font large");
  if (picture->notes.count > 0) {
    char notes[VIDA_TEXT_SIZE];
    vida__notes_text(picture, notes);
    write_line_of_text(work, notes, 10.0, "font small tc rgb '#606060'");
  }
  if (shown_entries(picture) == 0 || picture->panels[0].squares) {
    fputs("plot [0:1] [0:1] NaN notitle\n", file);
  } else {
    write_entries(work);
  }
}

static void measure(script* work) {
  const vida_picture* picture = work->picture;
  const int rows = (picture->count + picture->columns - 1) / picture->columns;
  const int shown = shown_entries(picture);
  int letters = has_failures(picture) ? 10 : 0;
  for (int i = 0; i < shown; i++) {
    const int count = vida__text_width(picture->entries[i].label);
    letters = count > letters ? count : letters;
  }
  work->legend = picture->panels[0].squares ? 24 : 60 + LETTER * letters;
  work->width = picture->columns * (LEFT + picture->width) + work->legend + 14;
  work->height =
      HEADER + rows * (ABOVE + picture->height + BELOW) + (picture->notes.count > 0 ? 20 : 4);
  const int least = HEADER + 20 + LINE * (shown + 3);
  work->height = work->height < least ? least : work->height;
}

static void write_head(const script* work) {
  FILE* file = work->script;
  fputs("# Draws ", file);
  for (const char* c = work->name; *c; c++) {
    fputc((unsigned char)*c < 0x20 ? ' ' : *c, file);
  }
  fputs(".svg (or .png: gnuplot -e \"ending='png'\" SCRIPT) in the current folder.\nreset\n", file);
  fputs("if (!exists('ending')) ending = 'svg'\nif (!exists('picture')) picture = ", file);
  vida__write_gnuplot_path(file, work->name);
  fputs(" . '.' . ending\ndata = ", file);
  vida__write_gnuplot_path(file, work->name);
  fprintf(file,
          " . '.dat'\nset encoding utf8\n"
          "if (ending eq 'png') {\n"
          "  if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
          "    set terminal pngcairo size %d,%d font 'Sans,9' background '#ffffff' enhanced\n"
          "  } else {\n"
          "    set terminal png size %d,%d background '#ffffff' enhanced\n  }\n"
          "} else {\n"
          "  set terminal svg size %d,%d font 'Helvetica,12' background '#ffffff' enhanced\n}\n"
          "points = ending eq 'png' ? 0.75 : 1 # sizes of fonts are points there, pixels here\n"
          "small = sprintf(',%%g', 10 * points)\nlegend = sprintf(',%%g', 12 * points)\n"
          "large = sprintf(',%%g', 16 * points)\n",
          work->width, work->height, work->width, work->height, work->width, work->height);
  fputs(
      "set output picture\nset multiplot\nset grid back linecolor rgb '#d4d4d4' linewidth 0.8 "
      "linetype 1\nset border lc rgb "
      "'#404040'\nunset key\n"
      "set tics scale 0.6\n",
      file);
}

static void write_all(script* work) {
  vida_picture* picture = work->picture;
  measure(work);
  write_head(work);
  for (int p = 0; p < picture->count; p++) {
    const int row = p / picture->columns, column = p % picture->columns;
    const double top = work->height - HEADER - ABOVE - row * (ABOVE + picture->height + BELOW);
    const double left = LEFT + column * (LEFT + picture->width);
    const box place = {left, top - picture->height, left + picture->width, top};
    write_panel(work, &picture->panels[p], &place);
  }
  write_frame(work);
  fputs("unset multiplot\nunset output\n", work->script);
}

static int close_file(FILE* file, const char* path, VidaError* error) {
  int code = vida__finish_output(file, path, error);
  if (fclose(file) != 0 && !code) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", path, strerror(errno));
  }
  return code;
}

int vida__write_script(vida_picture* picture, const char* folder, const char* name,
                       VidaError* error) {
  char path[2][VIDA_PATH_SIZE] = {"", ""};
  script work = {.picture = picture, .name = name};
  vida__append(path[0], VIDA_PATH_SIZE, "%s/%s.gp", folder, name);
  vida__append(path[1], VIDA_PATH_SIZE, "%s/%s.dat", folder, name);
  work.script = fopen(path[0], "w");
  if (!work.script) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path[0], strerror(errno));
  }
  work.data = fopen(path[1], "w");
  if (!work.data) {
    fclose(work.script);
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path[1], strerror(errno));
  }
  write_all(&work);
  const int code = close_file(work.script, path[0], error);
  const int data_code = close_file(work.data, path[1], code ? NULL : error);
  return code ? code : data_code;
}
