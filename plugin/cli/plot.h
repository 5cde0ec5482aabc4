/* Pictures of results, for the commands `run` and `plot`. */
#ifndef VIDA_CLI_PLOT_H
#define VIDA_CLI_PLOT_H

#include <stdbool.h>
#include <vida/vida.h>

enum { CLI_MOST_KINDS = 16 };

typedef struct CliPictures {
  int kinds[CLI_MOST_KINDS]; /* of Vida_PlotKind */
  int count;                 /* 0: all that the results have something for */
  int study;                 /* 1, 2, ...: of several comparisons; 0: all */
  VidaPlot plot;             /* everything else */
} CliPictures;

/* Whether a text behind an option is a list of kinds with commas between, or meant as one: it is no
 * option, no script and no file. */
bool cli_may_be_kinds(const char* text);
/* Adds such a list; false after a message of `command`. */
bool cli_take_kinds(const char* command, CliPictures* pictures, const char* text);
/* Draws the pictures of all comparisons in the folder and says on stderr (unless quiet) which. */
int cli_draw_pictures(const char* directory, const CliPictures* pictures, bool quiet,
                      VidaError* error);
/* Whether this is why there are no pictures. */
bool cli_is_without_gnuplot(const VidaError* error);

#endif
