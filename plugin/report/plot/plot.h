/* Pictures: the panels and curves that a kind of picture fills in, and their output as script and
 * data of gnuplot. */
#ifndef VIDA_REPORT_PLOT_PLOT_H
#define VIDA_REPORT_PLOT_PLOT_H

#include <stdio.h>
#include <vida/report.h>

#include "base/string_table.h"
#include "report/output/results.h"

enum { VIDA_TEXT_SIZE = 192 };

/* A curve: points of one run. */
typedef struct vida_curve {
  double *x, *y;
  long count;
  size_t x_capacity, y_capacity;
  int entry;       /* index in the legend: colour, dash and mark */
  bool marked;     /* show the points */
  bool only_marks; /* show the points without a line */
  bool failed;     /* the curve ends because the run failed */
  bool start;      /* show a circle at the first point */
  bool secondary;  /* does not determine the ranges of the axes if other curves do */
} vida_curve;

/* An entry of the legend. A method has the same colour in all pictures. */
typedef struct vida_legend_entry {
  char label[VIDA_TEXT_SIZE];
  int colour, dash;
  bool marked;
} vida_legend_entry;

/* A run without a value, shown at the upper edge. */
typedef struct vida_failure {
  double x;
  int colour;
} vida_failure;

/* A panel: axes and curves. */
typedef struct vida_panel {
  char title[VIDA_TEXT_SIZE], x_title[VIDA_TEXT_SIZE], y_title[VIDA_TEXT_SIZE];
  bool log_x, log_y;
  bool from_start; /* no margins at the ends of x, for time axes */
  double from, to; /* range of x that is always shown; NaN: none */
  bool equal;      /* equal scales on both axes */
  bool slopes;     /* show thin lines of slope 1, 2, 4 */
  bool reversed;   /* y points downwards */
  bool squares;    /* a matrix: limits [0, size], entries as squares */
  int size, part;  /* of the matrix, and of its first block */
  int column;      /* of the trajectory, in phase portraits */
  double level;    /* y of a dashed horizontal line; NaN: none */
  const char* level_text;
  vida_curve* curves;
  int count;
  size_t capacity;
  vida_failure* failures;
  int failure_count;
  size_t failure_capacity;
  double low_x, high_x, low_y, high_y; /* ranges, set during output */
} vida_panel;

/* A picture: panels and a legend. */
typedef struct vida_picture {
  const VidaPlot* wishes;
  const vida_results* results;
  char title[VIDA_TEXT_SIZE];
  vida_string_table notes; /* notes about omitted data */
  int columns;             /* number of panels in a row */
  int width, height;       /* of a panel, pixels */
  vida_panel* panels;
  int count;
  size_t capacity;
  vida_legend_entry* entries;
  int entry_count;
  size_t entry_capacity;
} vida_picture;

/* Frees the contents of a picture. */
void vida__free_picture(vida_picture* picture);
/* Adds a panel and returns it; NULL without memory. Pointers to earlier panels become invalid. */
vida_panel* vida__add_panel(vida_picture* picture);
/* Adds a curve to a panel and returns it; NULL without memory. Pointers to earlier curves become
 * invalid. */
vida_curve* vida__add_curve(vida_panel* panel);
/* Appends a point to a curve. */
int vida__extend_curve(vida_curve* curve, double x, double y, VidaError* error);
/* Adds a run without a value to a panel. */
int vida__add_failure(vida_panel* panel, double x, int colour, VidaError* error);
/* Returns the index of the entry of the legend with this label, and adds the entry if it does not
 * exist; -1 without memory. */
int vida__legend(vida_picture* picture, const char* label, int colour, int dash, bool marked);
/* Adds a note if the picture does not have it yet. */
void vida__add_note(vida_picture* picture, const char* format, ...);

/* Writes all notes to text, separated by "; "; "" without notes. */
void vida__notes_text(const vida_picture* picture, char text[VIDA_TEXT_SIZE]);

/* Adds a note on the number of selected runs without a trajectory. */
void vida__note_missing(vida_picture* picture);

/* Returns whether any panel has something to show. */
bool vida__shows_anything(const vida_picture* picture);

/* Writes NAME.gp and NAME.dat to the folder (plot_script.c). */
int vida__write_script(vida_picture* picture, const char* folder, const char* name,
                       VidaError* error);

/* ---- texts for gnuplot (gnuplot_text.c) --------------------------------------------------------
 */

/* Writes a text as a gnuplot string that shows it. Replaces control characters and bytes that are
 * not valid UTF-8. */
void vida__write_gnuplot_text(FILE* file, const char* text);
/* Writes the name of a file or folder as a gnuplot expression, byte by byte. */
void vida__write_gnuplot_path(FILE* file, const char* path);

/* ---- what kinds share (plot_choice.c) ---------------------------------------------------------
 */

/* Returns whether the user selected this run: its method and its step. */
bool vida__is_chosen(const vida_picture* picture, int run);
/* Returns whether the user selected this column, or no columns. */
bool vida__is_selected_column(const vida_picture* picture, const char* name);
typedef bool vida_run_test(const vida_picture* picture, int run, const void* data);
/* Chooses at most `most` of the runs for which is_shown(picture, run, data) holds, spread over the
 * methods. If this omits runs, adds the note "60 of 90 runs WHAT". Returns one flag per run, which
 * the caller frees with free(); NULL without memory. */
bool* vida__choose_runs(vida_picture* picture, vida_run_test* is_shown, const void* data, int most,
                        const char* what, VidaError* error);
/* Returns whether the run has the smallest step or tolerance of its series. */
bool vida__is_finest(const vida_picture* picture, int run);
/* Returns the colour number of the method of a run. */
int vida__colour_of_run(const vida_picture* picture, int run);
/* Writes the label of a run to label: the method, the options if the method has several sets of
 * options, and, if `step`, the step. */
void vida__run_label(const vida_picture* picture, int run, bool step, char label[VIDA_TEXT_SIZE]);
/* Writes "h = 0.1 s" or "rtol = 1e-06" to text. */
void vida__step_text(const VidaRow* row, char text[VIDA_TEXT_SIZE]);
/* Writes "name / unit", or "name" without a unit, to text. */
void vida__axis_title(char text[VIDA_TEXT_SIZE], const char* name, const char* unit);
/* Writes the axis title of a column of a trajectory to text. */
void vida__column_title(const vida_trajectory* trajectory, int column, char text[VIDA_TEXT_SIZE]);
/* Returns whether the user selected this time. */
bool vida__is_in_time(const vida_picture* picture, double t);

/* Functions that fill in the pictures of each kind. A picture without data has no panel that shows
 * anything. */
typedef int vida_plot_maker(vida_picture* picture, VidaError* error);
vida_plot_maker vida__plot_energy, vida__plot_shadow, vida__plot_drift, vida__plot_momentum;
vida_plot_maker vida__plot_multipliers;
vida_plot_maker vida__plot_time;
vida_plot_maker vida__plot_phase, vida__plot_trajectory;
vida_plot_maker vida__plot_work_precision, vida__plot_convergence;
vida_plot_maker vida__plot_sparsity;

#endif
