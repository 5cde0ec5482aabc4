/* Pictures of results, for the commands `run` and `plot`. */
#ifndef VIDA_CLI_PLOT_H
#define VIDA_CLI_PLOT_H

#include <stdbool.h>
#include <vida/vida.h>

enum { CLI_MOST_KINDS = 16 };

/* The pictures that the user asks for. */
typedef struct CliPictures {
  int kinds[CLI_MOST_KINDS]; /* indices of Vida_PlotKind */
  int count;                 /* 0: all kinds for which the results have data */
  int study;                 /* 1, 2, ...: one of several comparisons; 0: all */
  VidaPlot plot;             /* all other settings */
} CliPictures;

/* Returns whether the text after an option is, or is meant as, a list of kinds separated by commas:
 * it is not an option, a script or a file. */
bool cli_may_be_kinds(const char* text);
/* Adds a list of kinds. Returns false after a message. */
bool cli_take_kinds(const char* command, CliPictures* pictures, const char* text);
/* Draws the pictures of all comparisons in a folder, and lists them on stderr unless `quiet`. */
int cli_draw_pictures(const char* directory, const CliPictures* pictures, bool quiet,
                      VidaError* error);
/* Returns whether the error says that gnuplot is not installed. */
bool cli_is_without_gnuplot(const VidaError* error);

#endif
