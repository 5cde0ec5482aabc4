/* The starts of a sweep, and what is to be known of all of them before the first run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "study/sweep/sweep.h"

enum { TRIED_STARTS = 48 }; /* whose consistent values are compared */

static size_t coordinates(const VidaStudy* study) {
  return (size_t)VidaSystem_CoordinateCount(study->system);
}

int VidaStudy_SetStarts(VidaStudy* study, const VidaStarts* starts, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, starts)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!starts->start || starts->count < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a sweep needs at least one start and its function");
  }
  if (study->count > 0 || study->sweep) {
    return vida__fail(error, VIDA_WRONG_ORDER, "the starts of a sweep come before its runs");
  }
  if (study->reference && !study->reference->options) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "runs from different starts need a method as their reference");
  }
  const size_t n = coordinates(study);
  struct vida_sweep* made = vida__allocate(1, sizeof *made);
  if (made) {
    made->starts = *starts;
    made->axes[0] = made->axes[1] = -1;
    made->swept = vida__allocate(2 * n, sizeof *made->swept);
    made->varies = vida__allocate(2 * n, sizeof *made->varies);
  }
  if (!made || !made->swept || !made->varies) {
    vida__destroy_sweep(&made);
    return vida__fail_memory(error);
  }
  study->sweep = made;
  return VIDA_SUCCESS;
}

void vida__destroy_sweep(struct vida_sweep** sweep) {
  struct vida_sweep* old = *sweep;
  if (!old) {
    return;
  }
  for (int i = 0; i < old->method_count; i++) {
    VidaOptions_Destroy(&old->methods[i].given);
    vida__free_totals(&old->methods[i].totals);
  }
  free(old->methods);
  free(old->swept);
  free(old->varies);
  free(old);
  *sweep = NULL;
}

int vida__ask_start(const VidaStudy* study, long index, double* q, char label[VIDA_OPTIONS_SIZE],
                    VidaError* error) {
  const VidaStarts* starts = &study->sweep->starts;
  const size_t n = coordinates(study);
  for (size_t i = 0; i < 2 * n; i++) {
    q[i] = NAN;
  }
  label[0] = '\0';
  return starts->start(starts->data, index, q, q + n, label, error);
}

/* ---- the survey ------------------------------------------------------------------------------ */

static void include_value(vida_swept_value* swept, double value, bool is_first) {
  swept->least = is_first ? value : fmin(swept->least, value); /* fmin leaves NaN out */
  swept->largest = is_first ? value : fmax(swept->largest, value);
}

static int look_at_all(VidaStudy* study, double* q, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  const size_t n = coordinates(study);
  char label[VIDA_OPTIONS_SIZE];
  sweep->checksum = VIDA_CHECKSUM_START;
  for (long i = 0; i < sweep->starts.count; i++) {
    const int code = vida__ask_start(study, i, q, label, error);
    if (code) {
      return code;
    }
    for (size_t k = 0; k < 2 * n; k++) {
      q[k] = isnan(q[k]) ? (double)NAN : q[k]; /* one NaN is like another */
      include_value(&sweep->swept[k], q[k], i == 0);
    }
    sweep->checksum = vida__checksum(sweep->checksum, q, 2 * n * sizeof *q);
    sweep->checksum = vida__checksum(sweep->checksum, label, strlen(label));
  }
  return VIDA_SUCCESS;
}

/* Returns numbers without a pattern (splitmix64), because starts may have one. */
static uint64_t scatter(uint64_t number) {
  number = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
  number = (number ^ (number >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  number = (number ^ (number >> 27)) * UINT64_C(0x94D049BB133111EB);
  return number ^ (number >> 31);
}

/* Values that the starts do not give may differ, too: constraints relate them. `work`: 6 n. */
static int compare_some(VidaStudy* study, double* work, VidaError* error) {
  const struct vida_sweep* sweep = study->sweep;
  const size_t n = coordinates(study);
  double *start = work, *found = work + 2 * n, *before = work + 4 * n;
  const long count = sweep->starts.count < TRIED_STARTS ? sweep->starts.count : TRIED_STARTS;
  VidaStartOptions options = VidaStudy_StartOptions(study->options);
  char label[VIDA_OPTIONS_SIZE];
  bool is_first = true;
  options.positions = start;
  options.velocities = start + n;
  for (long i = 0; i < count; i++) {
    VidaError ignored;
    const uint64_t any = scatter((uint64_t)i) % (uint64_t)sweep->starts.count;
    const long index = count == sweep->starts.count ? i : (long)any;
    const int code = vida__ask_start(study, index, start, label, error);
    if (code) {
      return code;
    }
    if (VidaSystem_Start(study->system, study->t0, &options, found, found + n, NULL, &ignored)) {
      continue; /* its run says why */
    }
    for (size_t k = 0; k < 2 * n && !is_first; k++) {
      sweep->varies[k] = sweep->varies[k] || found[k] != before[k];
    }
    memcpy(before, found, 2 * n * sizeof *found);
    is_first = false;
  }
  return VIDA_SUCCESS;
}

static void choose_axes(VidaStudy* study) {
  struct vida_sweep* sweep = study->sweep;
  int axis = 0;
  for (int k = 0; k < 2 * VidaSystem_CoordinateCount(study->system); k++) {
    const bool is_swept = sweep->swept[k].largest > sweep->swept[k].least;
    sweep->varies[k] = sweep->varies[k] || is_swept;
    if (is_swept && axis < 2 && isfinite(sweep->swept[k].largest - sweep->swept[k].least)) {
      sweep->axes[axis++] = k;
    }
  }
}

static void choose_map_column(VidaStudy* study) {
  const char* name = study->reference ? "position_error" : "energy_error";
  for (int i = 0; vida__column_at(i); i++) {
    if (strcmp(vida__column_at(i)->name, name) == 0) {
      study->sweep->map_column = i;
    }
  }
}

int vida__survey_starts(VidaStudy* study, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  if (sweep->is_surveyed) {
    return VIDA_SUCCESS;
  }
  double* work = vida__allocate(6 * coordinates(study), sizeof *work);
  int code = work ? VIDA_SUCCESS : vida__fail_memory(error);
  code = code ? code : look_at_all(study, work, error);
  code = code ? code : compare_some(study, work, error);
  free(work);
  if (!code) {
    choose_axes(study);
    choose_map_column(study);
    sweep->is_surveyed = true;
  }
  return code;
}

int vida__fingerprint_sweep(VidaStudy* study, vida_fingerprint* print, VidaError* error) {
  VidaStudy* chunk = NULL;
  int code = vida__survey_starts(study, error);
  code = code ? code : vida__create_chunk(study, 0, 1, &chunk, error);
  code = code ? code : vida__fingerprint_study(chunk, print, error);
  VidaStudy_Destroy(&chunk);
  if (!code) {
    const uint64_t parts[] = {print->runs, study->sweep->checksum,
                              (uint64_t)study->sweep->starts.count};
    print->runs = vida__checksum(VIDA_CHECKSUM_START, parts, sizeof parts);
  }
  return code;
}
