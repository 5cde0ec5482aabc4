/* Pictures: what a kind of picture puts together, and what becomes a script and data of gnuplot. */
#ifndef VIDA_REPORT_PLOT_PLOT_H
#define VIDA_REPORT_PLOT_PLOT_H

#include <stdio.h>
#include <vida/report.h>

#include "base/string_table.h"
#include "report/output/results.h"

enum { VIDA_TEXT_SIZE = 192 };

/* A line of points of one run. */
typedef struct vida_curve {
  double *x, *y;
  long count;
  size_t x_capacity, y_capacity;
  int entry;       /* of the legend: its colour, dash and mark */
  bool marked;     /* its points are shown */
  bool only_marks; /* and no line */
  bool failed;     /* ends where the run failed */
  bool start;      /* a circle where it begins */
  bool secondary;  /* does not count for the ranges while others do */
} vida_curve;

/* What a legend explains: one colour for each method throughout all pictures. */
typedef struct vida_entry {
  char label[VIDA_TEXT_SIZE];
  int colour, dash;
  bool marked;
} vida_entry;

/* A run without a value, at the upper edge. */
typedef struct vida_failure {
  double x;
  int colour;
} vida_failure;

typedef struct vida_panel {
  char title[VIDA_TEXT_SIZE], x_title[VIDA_TEXT_SIZE], y_title[VIDA_TEXT_SIZE];
  bool log_x, log_y;
  bool from_start; /* no margin beside the first and the last x: time */
  double from, to; /* x that is shown even where curves have no points; NaN: none */
  bool equal;      /* one scale for both axes */
  bool slopes;     /* thin lines of slope 1, 2, 4 */
  bool reversed;   /* y downwards */
  bool squares;    /* of a matrix: limits [0, size], entries as squares */
  int size, part;  /* of the matrix; its first part ends there */
  int column;      /* of trajectories, in phase portraits */
  double level;    /* a dashed horizontal line; NaN: none */
  const char* level_text;
  vida_curve* curves;
  int count;
  size_t capacity;
  vida_failure* failures;
  int failure_count;
  size_t failure_capacity;
  double low_x, high_x, low_y, high_y; /* set when it is drawn */
} vida_panel;

typedef struct vida_picture {
  const VidaPlot* wishes;
  const vida_results* results;
  char title[VIDA_TEXT_SIZE];
  vida_string_table notes; /* what was left out */
  int columns;             /* of panels */
  int width, height;       /* of one, in pixels */
  vida_panel* panels;
  int count;
  size_t capacity;
  vida_entry* entries;
  int entry_count;
  size_t entry_capacity;
} vida_picture;

void vida__free_picture(vida_picture* picture);
/* A new panel; NULL when there is no memory. Earlier ones move. */
vida_panel* vida__add_panel(vida_picture* picture);
/* A new curve of the panel; earlier ones move. */
vida_curve* vida__add_curve(vida_panel* panel);
int vida__extend_curve(vida_curve* curve, double x, double y, VidaError* error);
int vida__add_failure(vida_panel* panel, double x, int colour, VidaError* error);
/* The entry of the legend with this label, which is made when there is none yet; -1: no memory. */
int vida__legend(vida_picture* picture, const char* label, int colour, int dash, bool marked);
/* Adds a note, unless the picture has it. */
void vida__add_note(vida_picture* picture, const char* format, ...);

/* Writes the notes with "; " between; "" when there are none. */
void vida__notes_text(const vida_picture* picture, char text[VIDA_TEXT_SIZE]);

/* Notes how many of the chosen runs have no trajectory. */
void vida__note_missing(vida_picture* picture);

/* Whether anything can be seen in it. */
bool vida__shows_anything(const vida_picture* picture);

/* Writes NAME.gp and NAME.dat into the folder (plot_script.c). */
int vida__write_script(vida_picture* picture, const char* folder, const char* name,
                       VidaError* error);

/* ---- texts for gnuplot (gnuplot_text.c) --------------------------------------------------------
 */

/* A text to be shown, as a string of gnuplot's language: what is no UTF-8, and control characters,
 * are replaced. */
void vida__write_gnuplot_text(FILE* file, const char* text);
/* The name of a file or folder as an expression of gnuplot, byte by byte. */
void vida__write_gnuplot_path(FILE* file, const char* path);

/* ---- what kinds share (plot_choice.c) ---------------------------------------------------------
 */

/* Whether the wishes name this run: its method and step. */
bool vida__is_chosen(const vida_picture* picture, int run);
/* Whether the wishes name this column, or name none. */
bool vida__is_wanted_column(const vida_picture* picture, const char* name);
typedef bool vida_run_test(const vida_picture* picture, int run, const void* data);
/* Of each run whether it is among at most `most` of those that are shown, spread over the methods;
 * it is noted when these are not all ("60 of 90 runs WHAT"). To be freed; NULL: no memory. */
bool* vida__choose_runs(vida_picture* picture, vida_run_test* is_shown, const void* data, int most,
                        const char* what, VidaError* error);
/* The run of the smallest step or tolerance of each series; others are left out. */
bool vida__is_finest(const vida_picture* picture, int run);
/* The colour of its method. */
int vida__colour_of_run(const vida_picture* picture, int run);
/* "method" or "method, options", where it has several sets of them; with `step`, also its step. */
void vida__run_label(const vida_picture* picture, int run, bool step, char label[VIDA_TEXT_SIZE]);
/* "h = 0.1 s" or "rtol = 1e-06" */
void vida__step_text(const VidaRow* row, char text[VIDA_TEXT_SIZE]);
/* "name / unit" or "name" */
void vida__axis_title(char text[VIDA_TEXT_SIZE], const char* name, const char* unit);
/* The same of a trajectory's column. */
void vida__column_title(const vida_trajectory* trajectory, int column, char text[VIDA_TEXT_SIZE]);
/* Whether the row's time is within the wishes. */
bool vida__is_in_time(const vida_picture* picture, double t);

/* Makes the picture of a kind; none of its panels shows anything where there are no data. */
typedef int vida_plot_maker(vida_picture* picture, VidaError* error);
vida_plot_maker vida__plot_energy, vida__plot_drift, vida__plot_momentum, vida__plot_multipliers;
vida_plot_maker vida__plot_time;
vida_plot_maker vida__plot_phase, vida__plot_trajectory;
vida_plot_maker vida__plot_work_precision, vida__plot_convergence;
vida_plot_maker vida__plot_sparsity;

#endif
