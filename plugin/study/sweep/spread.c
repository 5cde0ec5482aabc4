/* Many starts: runs that differ only in their starts, and the spread of their errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/study.h"
#include "study/sweep/sweep.h"

/* ---- runs that are alike --------------------------------------------------------------------- */

const char* vida__bare_options(const vida_run* run) {
  return run->row.options + run->bare_options;
}

static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool is_alike(const VidaStudy* study, int i, int k) {
  const vida_run *a = &study->runs[i], *b = &study->runs[k];
  return !a->own_start == !b->own_start && strcmp(a->row.method, b->row.method) == 0 &&
         is_same(a->row.h, b->row.h) && is_same(a->row.rtol, b->row.rtol) &&
         strcmp(vida__bare_options(a), vida__bare_options(b)) == 0;
}

/* Runs of one kind are usually added one after the other. */
void vida__group_starts(VidaStudy* study) {
  const int last = study->count - 1;
  int first = last > 0 && is_alike(study, last - 1, last) ? study->runs[last - 1].first : last;
  for (int i = 0; i < last && first == last; i++) {
    first = study->runs[i].first == i && is_alike(study, i, last) ? i : last;
  }
  study->runs[last].first = first;
  study->runs[last].alike = 0;
  study->runs[first].alike++;
  study->runs[last].start = study->runs[first].alike;
}

/* ---- spreads --------------------------------------------------------------------------------- */

static bool begins_spread(const VidaStudy* study, int run) {
  return study->runs[run].own_start && study->runs[run].first == run && study->runs[run].alike > 1;
}

/* Returns the first run of a spread; -1 for an unknown index. */
static int first_run(const VidaStudy* study, int index) {
  for (int run = 0; run < study->count; run++) {
    if (begins_spread(study, run) && index-- == 0) {
      return run;
    }
  }
  return -1;
}

int VidaStudy_SpreadCount(const VidaStudy* study) {
  int count = 0;
  if (study && study->sweep) {
    return study->sweep->made > 0 ? study->sweep->method_count : 0;
  }
  for (int run = 0; study && run < study->count; run++) {
    count += begins_spread(study, run);
  }
  return count;
}

static bool is_finished(const VidaStudy* study, int run, int first) {
  return study->runs[run].first == first && vida__is_finished(&study->runs[run].row);
}

int VidaStudy_Spread(const VidaStudy* study, int index, VidaSpread* spread, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, spread)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (study->sweep && !vida__sweep_spread(study, index, spread)) {
    return VIDA_SUCCESS;
  }
  const int first = study->sweep ? -1 : first_run(study, index);
  if (first < 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the comparison has no spread %d", index);
  }
  const vida_run* run = &study->runs[first];
  *spread = (VidaSpread){.method = run->row.method,
                         .options = vida__bare_options(run),
                         .h = run->row.h,
                         .rtol = run->row.rtol,
                         .runs = run->alike,
                         .first = first};
  for (int i = first; i < study->count; i++) {
    spread->finished += is_finished(study, i, first);
  }
  return VIDA_SUCCESS;
}

static int compare_values(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

void vida__sort_numbers(double* values, long count) {
  qsort(values, (size_t)count, sizeof *values, compare_values);
}

static double quantile(const double* sorted, int count, double part) {
  const double place = part * (count - 1);
  const int below = (int)place;
  const int above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/* Refuses unknown spreads and columns without real numbers. */
static int check_spread(const VidaStudy* study, int spread, const VidaColumn* column,
                        VidaError* error) {
  if (spread < 0 || spread >= VidaStudy_SpreadCount(study)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the comparison has no spread %d", spread);
  }
  return column->type == VIDA_COLUMN_REAL
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT, "column '%s' does not hold real numbers",
                          column->name);
}

static int index_of(const VidaColumn* column) {
  int index = 0;
  while (vida__column_at(index) && vida__column_at(index) != column) {
    index++;
  }
  return index;
}

int VidaStudy_Quantiles(const VidaStudy* study, int spread, const VidaColumn* column,
                        VidaQuantiles* quantiles, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, column, quantiles) ||
      check_spread(study, spread, column, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (study->sweep) {
    vida__sweep_quantiles(study, spread, index_of(column), quantiles);
    return VIDA_SUCCESS;
  }
  const int first = first_run(study, spread);
  double* values = vida__allocate((size_t)study->runs[first].alike, sizeof *values);
  int count = 0;
  if (!values) {
    return vida__fail_memory(error);
  }
  for (int i = first; i < study->count; i++) {
    const double value = vida__cell_value(&study->runs[i].row, column);
    if (is_finished(study, i, first) && isfinite(value)) {
      values[count++] = value;
    }
  }
  *quantiles = (VidaQuantiles){0, NAN, NAN, NAN, NAN, NAN};
  if (count > 0) {
    vida__sort_numbers(values, count);
    *quantiles = (VidaQuantiles){count,
                                 values[0],
                                 quantile(values, count, 0.25),
                                 quantile(values, count, 0.5),
                                 quantile(values, count, 0.75),
                                 values[count - 1]};
  }
  free(values);
  return VIDA_SUCCESS;
}

int VidaStudy_Moments(const VidaStudy* study, int spread, const VidaColumn* column,
                      VidaMoments* moments, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, column, moments) ||
      check_spread(study, spread, column, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_column_total own = {0};
  const vida_column_total* total = &own;
  if (study->sweep) {
    total = &study->sweep->methods[spread].totals.columns[index_of(column)];
  } else {
    const int first = first_run(study, spread);
    for (int i = first; i < study->count; i++) {
      const double value = vida__cell_value(&study->runs[i].row, column);
      if (is_finished(study, i, first) && isfinite(value)) {
        vida__add_moment(&own, value, i);
      }
    }
  }
  const double count = (double)total->count;
  *moments =
      (VidaMoments){total->count, total->count > 0 ? total->mean : (double)NAN,
                    total->count > 0 ? sqrt(total->squares / fmax(count - 1.0, 1.0)) : (double)NAN,
                    total->least_at, total->largest_at};
  return VIDA_SUCCESS;
}
