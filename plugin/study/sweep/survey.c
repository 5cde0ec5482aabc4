/* What is to be known of all starts of a sweep before the first run: which values they change,
 * between which limits, and checksums, by which processes find out whether they have the same
 * starts. Several processes ask for a share of the starts each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "study/sweep/sweep.h"

enum {
  TRIED_STARTS = 48, /* whose consistent values are compared */
  MANY_STARTS = 1 << 20,
  BLOCK_OF_MANY = 64
};

static size_t coordinates(const VidaStudy* study) {
  return (size_t)VidaSystem_CoordinateCount(study->system);
}

long vida__block_size(long starts) {
  return starts > MANY_STARTS ? BLOCK_OF_MANY : 1;
}

size_t vida__block_count(long starts) {
  const size_t size = (size_t)vida__block_size(starts);
  return ((size_t)starts + size - 1) / size;
}

/* ---- a share of the starts ------------------------------------------------------------------- */

/* Continues the checksum of a block by a start: `count` values, and a label. */
static uint64_t include_start(uint64_t sum, const double* values, size_t count, const char* label) {
  for (size_t k = 0; k < count; k++) {
    const double value = isnan(values[k]) ? (double)NAN : values[k]; /* one NaN is like another */
    sum = vida__checksum(sum, &value, sizeof value);
  }
  return vida__checksum(sum, label, strlen(label));
}

/* The limits do not depend on the order of the values: fmin and fmax leave NaN out, and there is
 * only one zero. */
static void include_value(vida_swept_value* swept, double value) {
  swept->least = fmin(swept->least, value + 0.0);
  swept->largest = fmax(swept->largest, value + 0.0);
}

static int look_at_block(VidaStudy* study, long block, double* q, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  const size_t n = coordinates(study);
  const long size = vida__block_size(sweep->starts.count), first = block * size;
  char label[VIDA_OPTIONS_SIZE];
  uint64_t sum = VIDA_CHECKSUM_START;
  for (long i = first; i < first + size && i < sweep->starts.count; i++) {
    const int code = vida__ask_start(study, i, q, label, error);
    if (code) {
      return code;
    }
    for (size_t k = 0; k < 2 * n; k++) {
      include_value(&sweep->swept[k], q[k]);
    }
    sum = include_start(sum, q, 2 * n, label);
  }
  sweep->blocks[block] = sum;
  return VIDA_SUCCESS;
}

int vida__survey_share(VidaStudy* study, int part, int parts, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  const size_t n = coordinates(study);
  double* q = vida__allocate(2 * n, sizeof *q);
  int code = q ? VIDA_SUCCESS : vida__fail_memory(error);
  sweep->is_surveyed = false;
  for (size_t k = 0; k < 2 * n; k++) {
    sweep->swept[k] = (vida_swept_value){NAN, NAN};
  }
  const long blocks = (long)vida__block_count(sweep->starts.count);
  for (long block = part; block < blocks && !code; block += parts) {
    code = look_at_block(study, block, q, error);
  }
  free(q);
  return code;
}

void vida__put_share(const VidaStudy* study, int part, int parts, vida_record* record) {
  const struct vida_sweep* sweep = study->sweep;
  for (size_t k = 0; k < 2 * coordinates(study); k++) {
    vida__put_real(record, sweep->swept[k].least);
    vida__put_real(record, sweep->swept[k].largest);
  }
  const long blocks = (long)vida__block_count(sweep->starts.count);
  for (long block = part; block < blocks; block += parts) {
    vida__put_integer(record, (int64_t)sweep->blocks[block]);
  }
}

void vida__get_share(VidaStudy* study, int part, int parts, vida_record* record) {
  struct vida_sweep* sweep = study->sweep;
  for (size_t k = 0; k < 2 * coordinates(study); k++) {
    include_value(&sweep->swept[k], vida__get_real(record));
    include_value(&sweep->swept[k], vida__get_real(record));
  }
  const long blocks = (long)vida__block_count(sweep->starts.count);
  for (long block = part; block < blocks; block += parts) {
    sweep->blocks[block] = (uint64_t)vida__get_integer(record);
  }
}

static int fail_as_other(long first, long end, VidaError* error) {
  char which[VIDA_NAME_SIZE] = "";
  if (end - first == 1) {
    vida__append(which, sizeof which, "start %ld of the sweep is", end);
  } else {
    vida__append(which, sizeof which, "the starts %ld to %ld of the sweep are", first + 1, end);
  }
  return vida__fail_flag(
      error, VIDA_BAD_ARGUMENT, "STARTS_DIFFER",
      "%s not the same when asked for again: the function must always give the same "
      "start for the same number, in every process",
      which);
}

int vida__check_starts(const VidaStudy* study, long first, long count, const double* starts,
                       char (*labels)[VIDA_OPTIONS_SIZE], VidaError* error) {
  const struct vida_sweep* sweep = study->sweep;
  const size_t n = coordinates(study);
  const long size = vida__block_size(sweep->starts.count);
  for (long block = (first + size - 1) / size; sweep->is_surveyed; block++) {
    const long begin = block * size, beyond = begin + size;
    const long end = beyond < sweep->starts.count ? beyond : sweep->starts.count;
    uint64_t sum = VIDA_CHECKSUM_START;
    if (begin >= first + count || end > first + count) {
      break;
    }
    for (long i = begin; i < end; i++) {
      sum = include_start(sum, starts + (size_t)(i - first) * 2 * n, 2 * n, labels[i - first]);
    }
    if (sum != sweep->blocks[block]) {
      return fail_as_other(begin, end, error);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- all starts ------------------------------------------------------------------------------ */

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

int vida__complete_survey(VidaStudy* study, VidaError* error) {
  double* work = vida__allocate(6 * coordinates(study), sizeof *work);
  int code = work ? VIDA_SUCCESS : vida__fail_memory(error);
  code = code ? code : compare_some(study, work, error);
  free(work);
  if (!code) {
    choose_axes(study);
    choose_map_column(study);
    study->sweep->is_surveyed = true;
  }
  return code;
}

int vida__survey_starts(VidaStudy* study, VidaError* error) {
  const int code =
      study->sweep->is_surveyed ? VIDA_SUCCESS : vida__survey_share(study, 0, 1, error);
  return code || study->sweep->is_surveyed ? code : vida__complete_survey(study, error);
}

/* ---- what processes must agree upon ---------------------------------------------------------- */

int vida__fingerprint_methods(VidaStudy* study, vida_fingerprint* print, VidaError* error) {
  VidaStudy* chunk = NULL;
  int code = vida__create_chunk(study, 0, 1, &chunk, error);
  code = code ? code : vida__fingerprint_study(chunk, print, error);
  VidaStudy_Destroy(&chunk);
  if (!code) {
    const uint64_t parts[] = {print->runs, (uint64_t)study->sweep->starts.count};
    print->runs = vida__checksum(VIDA_CHECKSUM_START, parts, sizeof parts);
  }
  return code;
}

void vida__include_starts(const VidaStudy* study, vida_fingerprint* print) {
  const struct vida_sweep* sweep = study->sweep;
  print->runs = vida__checksum(print->runs, sweep->blocks,
                               vida__block_count(sweep->starts.count) * sizeof *sweep->blocks);
}
