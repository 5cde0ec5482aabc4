/* The results of a sweep: numbers of runs, moments and quantiles. */
#include <limits.h>
#include <math.h>
#include <vida/sweep.h>

#include "base/error.h"
#include "base/text.h"
#include "study/sweep/sweep.h"

VidaSweepCounts VidaStudy_SweepCounts(const VidaStudy* study) {
  VidaSweepCounts counts = {0};
  if (study && study->sweep) {
    const struct vida_sweep* sweep = study->sweep;
    counts.starts = sweep->starts.count;
    counts.made = sweep->made;
    counts.runs = sweep->starts.count * sweep->method_count;
    for (int m = 0; m < sweep->method_count; m++) {
      counts.finished += sweep->methods[m].totals.finished;
      counts.failed += sweep->methods[m].totals.runs - sweep->methods[m].totals.finished;
    }
  }
  return counts;
}

bool VidaStudy_SweepStatus(const VidaStudy* study, int method, int index, VidaSweepStatus* status) {
  if (!study || !study->sweep || !status || method < 0 || method >= study->sweep->method_count) {
    return false;
  }
  const vida_totals* totals = &study->sweep->methods[method].totals;
  if (index < 0 || index >= totals->status_count) {
    return false;
  }
  const vida_status_total* found = &totals->statuses[index];
  *status = (VidaSweepStatus){found->status, found->count, found->first};
  return true;
}

static int fit(long count) {
  return count < INT_MAX ? (int)count : INT_MAX;
}

int vida__sweep_spread(const VidaStudy* study, int index, VidaSpread* spread) {
  if (index < 0 || index >= study->sweep->method_count) {
    return VIDA_BAD_ARGUMENT;
  }
  const vida_sweep_method* method = &study->sweep->methods[index];
  *spread = (VidaSpread){.method = method->name,
                         .options = method->options,
                         .h = method->h,
                         .rtol = method->rtol,
                         .runs = fit(study->sweep->starts.count),
                         .finished = fit(method->totals.finished),
                         .first = method->first};
  return VIDA_SUCCESS;
}

void vida__sweep_quantiles(const VidaStudy* study, int index, int column,
                           VidaQuantiles* quantiles) {
  const vida_column_total* total = &study->sweep->methods[index].totals.columns[column];
  *quantiles = (VidaQuantiles){0, NAN, NAN, NAN, NAN, NAN};
  if (total->count > 0) {
    *quantiles = (VidaQuantiles){fit(total->count),
                                 total->least,
                                 vida__total_quantile(total, 0.25),
                                 vida__total_quantile(total, 0.5),
                                 vida__total_quantile(total, 0.75),
                                 total->largest};
  }
}

void vida__note_sweep(VidaStudy* study) {
  const struct vida_sweep* sweep = study->sweep;
  if (sweep) {
    vida__append(study->notes, sizeof study->notes,
                 "%sstatistics of %ld runs from %ld starts, of which %d runs have rows here: a "
                 "sample, the largest errors, and failures; quantiles are exact to 1 %%",
                 study->notes[0] ? "\n" : "", sweep->starts.count * sweep->method_count,
                 sweep->starts.count, study->count);
  }
}
