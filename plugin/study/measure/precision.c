/* Work and precision: series of runs of a method, their orders, and the costs of errors. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/measure/norms.h"
#include "study/reference/reference.h"
#include "study/step_choice.h"
#include "study/study.h"

enum { MOST_POINTS = 64 };

int VidaStudy_SeriesCount(const VidaStudy* study) {
  return study ? study->series_names.count : 0;
}

/* Returns the first run of a series; -1 for an unknown index. */
static int first_run(const VidaStudy* study, int index) {
  return index >= 0 && index < VidaStudy_SeriesCount(study) ? study->series[index].first : -1;
}

/* An error below that of the reference measures only the agreement of both. */
static bool is_meaningful(const VidaStudy* study, const VidaRow* row) {
  const double floor = study->reference ? study->reference->position_error : (double)NAN;
  return vida__is_finished(row) && row->position_error > 0.0 && !(row->position_error <= floor);
}

/* Logarithms of the size (step or tolerance), the error and the seconds of the runs of a series. */
typedef struct points {
  int count;
  double size[MOST_POINTS], error[MOST_POINTS], seconds[MOST_POINTS];
} points;

static void gather(const VidaStudy* study, int first, points* all) {
  all->count = 0;
  for (int run = first; run >= 0 && all->count < MOST_POINTS;
       run = study->runs[run].next_of_series) {
    const VidaRow* row = &study->runs[run].row;
    if (is_meaningful(study, row)) {
      all->size[all->count] = log(vida__step_or_tolerance(row));
      all->error[all->count] = log(row->position_error);
      all->seconds[all->count++] = row->wall_s;
    }
  }
}

int VidaStudy_Series(const VidaStudy* study, int index, VidaSeries* series, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, series)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int first = first_run(study, index);
  points all;
  if (first < 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the comparison has no series %d", index);
  }
  gather(study, first, &all);
  const VidaRow* row = &study->runs[first].row;
  *series = (VidaSeries){.method = row->method,
                         .options = row->options,
                         .count = all.count,
                         .first = first,
                         .adaptive = vida__is_adaptive(row),
                         .order = NAN,
                         .interval = NAN,
                         .largest_error = NAN};
  for (int i = 0; i < all.count; i++) {
    series->largest_error = fmax(series->largest_error, exp(all.error[i]));
  }
  if (all.count >= 2) {
    series->order = vida__fit_line(all.count, all.size, all.error, &series->interval);
  }
  return VIDA_SUCCESS;
}

double VidaStudy_SecondsFor(const VidaStudy* study, int series, double position_error) {
  const int first = study ? first_run(study, series) : -1;
  const double wanted = log(position_error);
  double best = NAN;
  points all;
  if (first < 0 || !(position_error > 0.0)) {
    return NAN;
  }
  gather(study, first, &all);
  for (int i = 0; i < all.count; i++) {
    if (all.error[i] <= wanted) {
      best = fmin(best, all.seconds[i]); /* fmin leaves NaN out */
    }
    for (int k = 0; k < all.count; k++) {
      if (all.error[i] < wanted && wanted < all.error[k]) {
        const double part = (wanted - all.error[k]) / (all.error[i] - all.error[k]);
        const double low = log(all.seconds[k]), high = log(all.seconds[i]);
        best = fmin(best, exp(low + part * (high - low)));
      }
    }
  }
  return best;
}

bool VidaStudy_ErrorRange(const VidaStudy* study, double* largest, double* smallest) {
  bool any = false;
  if (!largest || !smallest) {
    return false;
  }
  *largest = *smallest = NAN;
  for (int run = 0; study && run < study->count; run++) {
    const VidaRow* row = &study->runs[run].row;
    if (is_meaningful(study, row)) {
      *largest = fmax(*largest, row->position_error);
      *smallest = fmin(*smallest, row->position_error);
      any = true;
    }
  }
  if (any) {
    *largest = pow(10.0, floor(log10(*largest)));
    *smallest = pow(10.0, ceil(log10(*smallest)));
  }
  return any;
}
