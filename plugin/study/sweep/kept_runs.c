/* The runs of a sweep that are made again with rows of their own: a sample, the runs with the
 * largest errors, and one for each failure. All methods run from the same starts. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/sweep/sweep.h"

enum { SAMPLES = 4, FAILURES = 3, MOST_KEPT = 64 };

typedef struct kept_starts {
  long index[MOST_KEPT]; /* ascending */
  int count;
} kept_starts;

static void keep(kept_starts* kept, long start) {
  int i = 0;
  while (i < kept->count && kept->index[i] < start) {
    i++;
  }
  if (kept->count == MOST_KEPT || (i < kept->count && kept->index[i] == start)) {
    return;
  }
  memmove(kept->index + i + 1, kept->index + i, (size_t)(kept->count - i) * sizeof *kept->index);
  kept->index[i] = start;
  kept->count++;
}

static void keep_samples(const struct vida_sweep* sweep, kept_starts* kept) {
  const long last = sweep->starts.count - 1;
  for (long i = 0; i < SAMPLES; i++) {
    keep(kept, last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1));
  }
}

/* The largest errors against the reference and of the energy. */
static void keep_worst(const vida_totals* totals, kept_starts* kept) {
  static const char* const names[] = {"position_error", "energy_error"};
  for (int i = 0; vida__column_at(i); i++) {
    const bool is_error = strcmp(vida__column_at(i)->name, names[0]) == 0 ||
                          strcmp(vida__column_at(i)->name, names[1]) == 0;
    if (is_error && totals->columns[i].count > 0) {
      keep(kept, totals->columns[i].largest_at);
    }
  }
}

static void keep_failures(const vida_totals* totals, kept_starts* kept) {
  int failures = 0;
  for (int i = 0; i < totals->status_count && failures < FAILURES; i++) {
    if (strcmp(totals->statuses[i].status, "ok") != 0) {
      keep(kept, totals->statuses[i].first);
      failures++;
    }
  }
}

long vida__count_unreferenced(const VidaStudy* study) {
  return study->sweep->method_count > 0 ? study->sweep->methods[0].totals.unreferenced : 0;
}

/* The first start from which the reference failed: its run has the reason. */
static void keep_unreferenced(const vida_totals* totals, kept_starts* kept) {
  if (totals->unreferenced > 0) {
    keep(kept, totals->first_unreferenced);
  }
}

int vida__keep_some_runs(VidaStudy* study, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  double* start = vida__allocate(2 * n, sizeof *start);
  kept_starts kept = {.count = 0};
  int code = start ? VIDA_SUCCESS : vida__fail_memory(error);
  keep_samples(sweep, &kept);
  for (int m = 0; m < sweep->method_count; m++) {
    keep_unreferenced(&sweep->methods[m].totals, &kept);
    keep_failures(&sweep->methods[m].totals, &kept);
  }
  for (int m = 0; m < sweep->method_count; m++) {
    keep_worst(&sweep->methods[m].totals, &kept);
  }
  for (int m = 0; m < sweep->method_count && !code; m++) {
    sweep->methods[m].first = study->count;
    for (int i = 0; i < kept.count && !code; i++) {
      char label[VIDA_OPTIONS_SIZE];
      code = vida__ask_start(study, kept.index[i], start, label, error);
      code = code ? code
                  : VidaStudy_AddRunFrom(study, sweep->methods[m].given, label, start, start + n,
                                         error);
      if (!code) {
        study->runs[study->count - 1].start = kept.index[i] + 1;
      }
    }
  }
  free(start);
  return code;
}
