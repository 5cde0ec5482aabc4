/* Chunks of a sweep: studies that make the runs from some of its starts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "study/sweep/sweep.h"

/* Rows of a chunk are in memory, but its runs keep all processors and lanes busy up to its end. */
enum { MOST_STARTS = 1024, MOST_RUNS = 4096, LEAST_STARTS = 64 };

long vida__chunk_size(const VidaStudy* study) {
  const int methods = study->sweep->method_count;
  const long starts = methods > 0 ? MOST_RUNS / methods : MOST_STARTS;
  return starts > MOST_STARTS ? MOST_STARTS : starts < LEAST_STARTS ? LEAST_STARTS : starts;
}

/* The first chunk is small, and each later one has at most this many times as many starts. */
enum { FIRST_STARTS = 4, MOST_GROWTH = 8 };
/* A kill loses what a chunk has made. */
#define SECONDS_OF_CHUNK 5.0

vida_pace vida__begin_pace(const VidaStudy* study) {
  return (vida_pace){.least = vida__most_jobs(study),
                     .most = vida__chunk_size(study),
                     .next = FIRST_STARTS,
                     .block = vida__block_size(study->sweep->starts.count)};
}

void vida__note_chunk(vida_pace* pace, long count, double seconds) {
  const double fitting =
      seconds > 0.0 ? SECONDS_OF_CHUNK / seconds * (double)count : (double)pace->most;
  const double grown = fmin(fitting, (double)MOST_GROWTH * (double)count);
  pace->next = grown < (double)pace->most ? (long)grown : pace->most;
}

long vida__next_chunk(const vida_pace* pace, long left) {
  const long wanted = pace->next > pace->least ? pace->next : pace->least;
  const long blocks = (wanted < pace->most ? wanted : pace->most) / pace->block;
  const long count = blocks > 0 ? blocks * pace->block : pace->block;
  return count < left ? count : left;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int copy_reference_method(const VidaStudy* study, VidaStudy* chunk, VidaError* error) {
  const vida_reference* reference = study->reference;
  if (!reference || !reference->options) {
    return VIDA_SUCCESS;
  }
  return reference->candidate >= 0 ? VidaStudy_SetAutomaticReference(chunk, error)
                                   : VidaStudy_SetReference(chunk, reference->options, error);
}

static int copy_study(const VidaStudy* study, VidaStudy** chunk, VidaError* error) {
  int code = VidaStudy_Create(study->system, study->options, chunk, error);
  code = code ? code : VidaStudy_SetLabel(*chunk, study->label, error);
  if (!code && study->selection) {
    code = VidaStudy_SelectCoordinates(*chunk, study->selected, study->selection, error);
  }
  return code;
}

/* Adds the runs of all methods from `count` starts, each of which is asked for once. */
static int add_runs(const VidaStudy* study, VidaStudy* chunk, long first, long count,
                    VidaError* error) {
  const struct vida_sweep* sweep = study->sweep;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  double* starts = vida__allocate((size_t)count * 2 * n, sizeof *starts);
  char(*labels)[VIDA_OPTIONS_SIZE] = vida__allocate((size_t)count, sizeof *labels);
  int code = starts && labels ? VIDA_SUCCESS : vida__fail_memory(error);
  for (long i = 0; i < count && !code; i++) {
    code = vida__ask_start(study, first + i, starts + (size_t)i * 2 * n, labels[i], error);
  }
  code = code ? code : vida__check_starts(study, first, count, starts, labels, error);
  for (int m = 0; m < sweep->method_count && !code; m++) {
    for (long i = 0; i < count && !code; i++) {
      const double* q = starts + (size_t)i * 2 * n;
      code = VidaStudy_AddRunFrom(chunk, sweep->methods[m].given, labels[i], q, q + n, error);
    }
  }
  free(starts);
  free(labels);
  return code;
}

int vida__create_chunk(const VidaStudy* study, long first, long count, VidaStudy** chunk,
                       VidaError* error) {
  *chunk = NULL;
  int code = copy_study(study, chunk, error);
  if (!code) {
    (*chunk)->is_chunk = true;
    (*chunk)->whole = study->sweep->method_count * study->sweep->starts.count;
  }
  code = code ? code : add_runs(study, *chunk, first, count, error);
  code =
      code ? code : copy_reference_method(study, *chunk, error); /* it fits to the runs at once */
  if (code) {
    VidaStudy_Destroy(chunk);
  }
  return code;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* Makes a study of one run, which is checked as every run is, and takes its texts. */
static int try_method(VidaStudy* study, vida_sweep_method* method, VidaError* error) {
  VidaStudy* chunk = NULL;
  int code = copy_study(study, &chunk, error);
  code = code ? code : VidaStudy_AddRunFrom(chunk, method->given, NULL, NULL, NULL, error);
  code = code ? code : copy_reference_method(study, chunk, error);
  if (!code) {
    const vida_run* run = &chunk->runs[0];
    method->h = run->row.h;
    method->rtol = run->row.rtol;
    vida__append(method->name, sizeof method->name, "%s", run->row.method);
    vida__append(method->options, sizeof method->options, "%s", vida__bare_options(run));
  }
  VidaStudy_Destroy(&chunk);
  return code;
}

int vida__add_sweep_method(VidaStudy* study, const VidaOptions* options, VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  void* methods = sweep->methods;
  vida_sweep_method method = {.first = -1};
  int code = vida__reserve(&methods, &sweep->method_capacity, (size_t)sweep->method_count + 1,
                           sizeof *sweep->methods)
                 ? vida__fail_memory(error)
                 : VIDA_SUCCESS;
  sweep->methods = methods;
  code = code ? code : VidaOptions_Copy(options, &method.given, error);
  code = code ? code : try_method(study, &method, error);
  if (code) {
    VidaOptions_Destroy(&method.given);
    return code;
  }
  sweep->methods[sweep->method_count++] = method;
  return VIDA_SUCCESS;
}

/* ---- totals ---------------------------------------------------------------------------------- */

void vida__begin_sweep(VidaStudy* study) {
  struct vida_sweep* sweep = study->sweep;
  sweep->made = 0;
  for (int m = 0; m < sweep->method_count; m++) {
    vida__free_totals(&sweep->methods[m].totals);
    sweep->methods[m].first = -1;
  }
  vida__drop_runs(study);
}

static int place_on_axis(const vida_swept_value* swept, double value) {
  const double part = (value - swept->least) / (swept->largest - swept->least);
  const int place = (int)(part * VIDA_MAP_SIZE);
  return place < VIDA_MAP_SIZE ? place : VIDA_MAP_SIZE - 1;
}

/* Returns the cell of the map to which a run belongs by the values that its start gives. */
static int find_cell(const struct vida_sweep* sweep, const vida_run* run) {
  const int* axes = sweep->axes;
  if (axes[1] < 0 || !isfinite(run->own_start[axes[0]] + run->own_start[axes[1]])) {
    return -1;
  }
  const int column = place_on_axis(&sweep->swept[axes[0]], run->own_start[axes[0]]);
  const int row = place_on_axis(&sweep->swept[axes[1]], run->own_start[axes[1]]);
  return row * VIDA_MAP_SIZE + column;
}

/* Whether there is no consistent state at the start, so that the run has the reason. */
static bool is_start_missing(const VidaStudy* chunk, const vida_run* run) {
  return isnan(run->own_start[2 * VidaSystem_CoordinateCount(chunk->system)]);
}

void vida__put_chunk_run(const VidaStudy* study, const VidaStudy* chunk, int index,
                         vida_record* record) {
  const vida_run* run = &chunk->runs[index];
  vida__put_text(record, run->row.status);
  vida__put_integer(record, run->row.doubtful);
  vida__put_integer(record, !is_start_missing(chunk, run) && vida__lacks_reference(chunk, run));
  vida__put_integer(record, find_cell(study->sweep, run));
  for (int i = 0; vida__column_at(i); i++) {
    if (vida__is_summed_up(vida__column_at(i))) {
      vida__put_real(record, vida__cell_value(&run->row, vida__column_at(i)));
    }
  }
}

int vida__add_chunk_run(VidaStudy* study, int method, long start, vida_record* record,
                        VidaError* error) {
  struct vida_sweep* sweep = study->sweep;
  VidaRow row = {.wall_s = 0.0};
  vida__get_text(record, row.status, sizeof row.status);
  row.doubtful = (unsigned)vida__get_integer(record);
  const bool lacks_reference = vida__get_integer(record) != 0;
  const int64_t cell = vida__get_integer(record);
  record->too_short = record->too_short || cell < -1 || cell >= VIDA_MAP_SIZE * VIDA_MAP_SIZE;
  for (int i = 0; vida__column_at(i); i++) {
    if (vida__is_summed_up(vida__column_at(i))) {
      const double value = vida__get_real(record);
      memcpy((char*)&row + vida__column_at(i)->offset, &value, sizeof value);
    }
  }
  if (record->too_short) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "a result of a sweep is incomplete");
  }
  vida_totals* totals = &sweep->methods[method].totals;
  if (lacks_reference && totals->unreferenced++ == 0) {
    totals->first_unreferenced = start;
  }
  return vida__add_to_totals(totals, &row, start, (int)cell, sweep->map_column)
             ? vida__fail_memory(error)
             : VIDA_SUCCESS;
}

void vida__put_sweep(const VidaStudy* study, vida_record* record) {
  vida__put_integer(record, study->sweep->made);
  for (int m = 0; m < study->sweep->method_count; m++) {
    vida__put_totals(&study->sweep->methods[m].totals, record);
  }
}

void vida__get_sweep(VidaStudy* study, vida_record* record) {
  struct vida_sweep* sweep = study->sweep;
  const int64_t made = vida__get_integer(record);
  record->too_short = record->too_short || made < 0 || made > sweep->starts.count;
  sweep->made = record->too_short ? 0 : (long)made;
  for (int m = 0; m < sweep->method_count; m++) {
    vida__get_totals(&sweep->methods[m].totals, record);
    record->too_short = record->too_short || sweep->methods[m].totals.runs != sweep->made;
  }
}
