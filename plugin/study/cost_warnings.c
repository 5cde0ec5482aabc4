/* Warnings about long runs and large files, before the runs begin. */
#include <math.h>

#include "base/text.h"
#include "study/reference/reference.h"
#include "study/time/time_limits.h"
#include "study/time/time_loop.h"

/* Lower bound of the time of a step; a step of a mechanism takes ten times as long or more. */
static const double least_seconds = 1e-7;
/* A study that takes longer than this, by the lower bound, causes a warning. */
static const double long_time = 100.0;
static const double large_files = 1e8; /* bytes of all trajectories */

static void describe_time(double seconds, char text[VIDA_NAME_SIZE]) {
  static const struct {
    double seconds;
    const char* name;
  } units[] = {
      {86400.0 * 365.25, "years"}, {86400.0, "days"}, {3600.0, "hours"}, {60.0, "minutes"}};
  char number[VIDA_REAL_TEXT_SIZE];
  int unit = 0;
  while (unit < 3 && seconds < 2.0 * units[unit].seconds) {
    unit++;
  }
  text[0] = '\0';
  vida__append(text, VIDA_NAME_SIZE, "%s %s",
               vida__real_text(number, seconds / units[unit].seconds, 2), units[unit].name);
}

static void tell_long(const VidaStudy* study, const VidaOptions* options, const char* what,
                      double steps, char* text, size_t size) {
  char run[VIDA_MESSAGE_SIZE], time[VIDA_NAME_SIZE], count[VIDA_REAL_TEXT_SIZE];
  const double seconds = steps * least_seconds;
  if (seconds < long_time || vida__set_deadline(study).end < INFINITY) {
    return;
  }
  vida__describe_steps(options, run, sizeof run);
  describe_time(seconds, time);
  vida__append(text, size,
               "%s%s%s makes %s steps, which take at least %s (%s s each), and often ten times as "
               "long; set wall_limit, or take larger steps or a shorter time",
               text[0] ? "\n" : "", what, run, vida__real_text(count, steps, 3), time, "1e-07");
}

/* Returns the number of columns of a trajectory; 0 if none are written. */
static int count_columns(const VidaStudy* study) {
  vida_column_list list;
  int count = 0;
  if (!VidaOptions_HasChoice(study->options, "trajectories", "none") &&
      !vida__list_columns(study, &list, NULL)) {
    count = 1 + list.count;
    vida__free_columns(&list);
  }
  return count;
}

/* Returns the size of a trajectory: about 20 bytes per number, 8 in HDF5, which compression may
 * reduce. */
static double trajectory_bytes(const VidaStudy* study, const vida_run* run, int columns) {
  const double rows = (double)vida__count_steps(&run->grid) / (double)run->every;
  return (VidaOptions_HasChoice(study->options, "trajectories", "csv") ? 20.0 : 8.0) * rows *
         columns;
}

double VidaStudy_TrajectoryBytes(const VidaStudy* study) {
  double bytes = 0.0;
  const int columns = study ? count_columns(study) : 0;
  for (int i = 0; i < (study ? study->count : 0); i++) {
    bytes += trajectory_bytes(study, &study->runs[i], columns);
  }
  return bytes;
}

void VidaStudy_CostWarnings(const VidaStudy* study, bool writes, char* text, size_t size) {
  if (!text || size == 0) {
    return;
  }
  text[0] = '\0';
  if (!study) {
    return;
  }
  const vida_reference* reference = study->reference;
  if (reference && reference->options && !reference->adaptive) {
    tell_long(study, reference->options, "the reference, ",
              (double)vida__count_steps(&reference->grid), text, size);
  }
  for (int i = 0; i < study->count; i++) {
    const vida_run* run = &study->runs[i];
    tell_long(study, run->options, "", (double)vida__count_steps(&run->grid), text, size);
  }
  const double bytes = writes ? VidaStudy_TrajectoryBytes(study) : 0.0;
  if (bytes > large_files) {
    char number[VIDA_REAL_TEXT_SIZE];
    vida__append(
        text, size,
        "%sthe trajectories of %d run%s will take about %s GB; the option every writes fewer "
        "rows, columns fewer columns, and trajectories = none no trajectories",
        text[0] ? "\n" : "", study->count, vida__plural(study->count),
        vida__real_text(number, bytes / 1e9, 2));
  }
}
