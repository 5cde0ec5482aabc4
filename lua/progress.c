/* A line on the terminal with the progress of a comparison. */
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "binding.h"

double vidalua_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool vidalua_progress_has_terminal(void) {
  return isatty(STDERR_FILENO) == 1;
}

void vidalua_progress_begin(VidaLuaProgress* progress, const VidaStudy* study) {
  *progress = (VidaLuaProgress){.study = study, .began = vidalua_clock()};
}

void vidalua_describe_seconds(char* text, size_t size, double seconds) {
  const long rest = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;
  if (rest >= 3600) {
    snprintf(text, size, "%ld h %02ld min", rest / 3600, rest % 3600 / 60);
  } else if (rest >= 60) {
    snprintf(text, size, "%ld min %02ld s", rest / 60, rest % 60);
  } else {
    snprintf(text, size, "%ld s", rest);
  }
}

/* The largest length of the line: a longer one would wrap and could not be erased. */
static int line_width(void) {
  struct winsize size;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

/* Draws a line with what is done, and how long the rest will take. */
static void draw_line(VidaLuaProgress* progress, double done, const char* which, const char* what,
                      double fraction) {
  char rest[48] = "", line[192];
  const double elapsed = vidalua_clock() - progress->began;
  progress->done = fmax(progress->done, done);
  /* Before half a second the estimate is too uncertain. */
  if (progress->done > 0.0 && elapsed > 0.5) {
    char time[32];
    vidalua_describe_seconds(time, sizeof time, elapsed * (1.0 - progress->done) / progress->done);
    snprintf(rest, sizeof rest, ", %s left in all", time);
  }
  snprintf(line, sizeof line, "%s%.60s: %.0f %%%s", which, what, 100.0 * fraction, rest);
  fprintf(stderr, "\r\033[K%.*s", line_width(), line);
  fflush(stderr);
  progress->drawn = true;
}

void vidalua_progress_draw(VidaLuaProgress* progress, int run, const char* what, double fraction) {
  char which[32] = "";
  if (run != VIDA_ALL_RUNS) {
    snprintf(which, sizeof which, "[%d/%d] ", run < 0 ? 0 : run + 1,
             VidaStudy_RunCount(progress->study));
  }
  draw_line(progress, VidaStudy_Done(progress->study, run, fraction), which, what, fraction);
}

void vidalua_progress_draw_sweep(VidaLuaProgress* progress, const char* what, double fraction) {
  draw_line(progress, fraction, "", what, fraction);
}

void vidalua_progress_end(VidaLuaProgress* progress) {
  if (progress->drawn) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
  }
}
