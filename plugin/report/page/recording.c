/* Recording: an observer that stores the states that the page shows. If there are too many rows,
 * every second one is removed, and from then on half as many are stored. */
#include "report/page/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "report/output/output.h"
#include "study/reference/reference.h"

enum {
  MOST_RUNS = 60,        /* that are recorded */
  MOST_COLUMNS = 24,     /* coordinates, rows of constraints, observables */
  MOST_POINTS = 600,     /* of the drawing */
  MOST_ROWS = 500,       /* of one run, */
  LEAST_ROWS = 60,       /* but not fewer than these */
  LEAST_STATES = 20,     /* of the reference: fewer do not show its motion */
  MOST_NUMBERS = 600000, /* altogether, which makes a page of some megabytes */
};

static int least(int a, int b) {
  return a < b ? a : b;
}

static vida_recorded_layout lay_out(const VidaSystem* system, int points) {
  vida_recorded_layout at = {.n = least(VidaSystem_CoordinateCount(system), MOST_COLUMNS),
                             .m = least(VidaSystem_ConstraintCount(system), MOST_COLUMNS),
                             .momenta = VidaSystem_MomentumCount(system),
                             .observables = least(VidaSystem_ObservableCount(system), MOST_COLUMNS),
                             .points = points};
  at.q = 1;
  at.v = at.q + at.n;
  at.multipliers = at.v + at.n;
  at.multipliers_t = at.multipliers + at.m;
  at.energy = at.multipliers_t + 1;
  at.work = at.energy + 1;
  at.momentum = at.work + 1;
  at.g = at.momentum + at.momenta;
  at.g_rate = at.g + 1;
  at.observable = at.g_rate + 1;
  at.point = at.observable + at.observables;
  at.width = at.point + 3 * points;
  return at;
}

/* Chooses the same number of runs of each method, as many as can be recorded. */
static int choose_runs(VidaRecording* made, VidaError* error) {
  const size_t count = (size_t)made->runs;
  vida_string_table methods = {0};
  bool* chosen = vida__allocate(count, sizeof *chosen);
  made->place = vida__allocate(count, sizeof *made->place);
  int code = chosen && made->place ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int i = 0; i < made->runs && !code; i++) {
    made->place[i] = vida__add_string(&methods, VidaStudy_Row(made->study, i)->method);
    code = made->place[i] < 0 ? vida__fail_memory(error) : VIDA_SUCCESS;
  }
  code = code ? code : vida__spread_runs(made->runs, made->place, MOST_RUNS, chosen, error);
  for (int i = 0; i < made->runs && !code; i++) {
    made->place[i] = chosen[i] ? made->recorded++ : -1;
  }
  vida__free_strings(&methods);
  free(chosen);
  return code;
}

static int allocate(VidaRecording* made, VidaError* error) {
  made->layout = lay_out(made->system, made->wireframe.point_count);
  made->runs = VidaStudy_RunCount(made->study);
  if (choose_runs(made, error)) {
    return VIDA_OUT_OF_MEMORY;
  }
  const int affordable =
      MOST_NUMBERS / ((made->recorded > 0 ? made->recorded : 1) * made->layout.width);
  made->most = affordable > MOST_ROWS    ? MOST_ROWS
               : affordable < LEAST_ROWS ? LEAST_ROWS
                                         : affordable;
  made->xyz = vida__allocate((size_t)made->wireframe.point_count * 3, sizeof *made->xyz);
  made->run = vida__allocate((size_t)made->recorded, sizeof *made->run);
  if (!made->xyz || !made->run) {
    return vida__fail_memory(error);
  }
  const size_t width = (size_t)made->layout.width;
  for (int i = 0; i < made->recorded; i++) {
    made->run[i].last = vida__allocate(width, sizeof(double));
    if (!made->run[i].last) {
      return vida__fail_memory(error);
    }
  }
  return VIDA_SUCCESS;
}

int VidaRecording_Create(const VidaStudy* study, VidaRecording** recording, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, recording)) {
    return VIDA_BAD_ARGUMENT;
  }
  *recording = NULL;
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  VidaRecording* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->study = study;
  made->system = VidaStudy_System(study);
  int code = vida__evaluator_create(made->system, &made->evaluator, error);
  code = code ? code : vida__wireframe_create(made->system, MOST_POINTS, &made->wireframe, error);
  code = code ? code : allocate(made, error);
  if (code) {
    VidaRecording_Destroy(&made);
    return code;
  }
  *recording = made;
  return VIDA_SUCCESS;
}

void VidaRecording_Destroy(VidaRecording** recording) {
  VidaRecording* old = recording ? *recording : NULL;
  if (!old) {
    return;
  }
  for (int i = 0; i < old->recorded && old->run; i++) {
    free(old->run[i].rows);
    free(old->run[i].last);
  }
  free(old->run);
  free(old->place);
  free(old->reference.rows);
  free(old->xyz);
  vida__wireframe_destroy(&old->wireframe);
  vida__evaluator_destroy(&old->evaluator);
  free(old);
  *recording = NULL;
}

vida_recorded_run* vida__recorded_run(const VidaRecording* recording, int index) {
  const int place = index >= 0 && index < recording->runs ? recording->place[index] : -1;
  return place >= 0 ? &recording->run[place] : NULL;
}

/* ---- rows as they come ----------------------------------------------------------------------- */

static double largest(const double* values, int count) {
  double found = 0.0;
  for (int i = 0; i < count; i++) {
    found = fmax(found, fabs(values[i]));
  }
  return found;
}

static void copy(double* to, const double* from, int count) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

static void write_row(VidaRecording* to, const VidaSample* sample, double* row) {
  const vida_recorded_layout* at = &to->layout;
  const int m = VidaSystem_ConstraintCount(to->system);
  row[0] = sample->t;
  copy(row + at->q, sample->q, at->n);
  copy(row + at->v, sample->v, at->n);
  copy(row + at->multipliers, sample->multipliers, at->m);
  row[at->multipliers_t] = sample->multipliers_t;
  row[at->energy] = sample->energy;
  row[at->work] = sample->work;
  copy(row + at->momentum, sample->momenta, at->momenta);
  row[at->g] = largest(sample->position_residuals, m);
  row[at->g_rate] = largest(sample->velocity_residuals, m);
  copy(row + at->observable, sample->observables, at->observables);
  vida__wireframe_points(&to->wireframe, &to->evaluator, sample->t, sample->q, sample->v, to->xyz);
  copy(row + at->point, to->xyz, 3 * at->points);
}

static void thin_out(const VidaRecording* to, vida_recorded_run* run) {
  const size_t width = (size_t)to->layout.width;
  const int kept = (run->count + 1) / 2;
  for (int i = 1; i < kept; i++) {
    memcpy(run->rows + (size_t)i * width, run->rows + 2 * (size_t)i * width,
           width * sizeof *run->rows);
  }
  run->count = kept;
  run->every *= 2;
}

/* The states that the study keeps of its reference, evenly thinned out, after that of the start. */
static int take_reference(VidaRecording* to, VidaError* error) {
  const VidaStudy* study = to->study;
  const vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(to->system);
  const size_t width = 1 + 3 * (size_t)to->layout.points;
  if (!reference || reference->states < LEAST_STATES || to->layout.points == 0 ||
      to->reference.count > 0) {
    return VIDA_SUCCESS;
  }
  const long every = (reference->states - 1) / (to->most - 2) + 1, last = reference->states - 1;
  to->reference.rows = vida__allocate((size_t)to->most + 1, width * sizeof(double));
  if (!to->reference.rows) {
    return vida__fail_memory(error);
  }
  for (long state = -1; state <= last; state++) {
    const bool start = state < 0;
    if (!start && state % every != 0 && state != last) {
      continue;
    }
    const double t = start ? study->t0 : vida__reference_time(reference, state);
    const double* q = start ? study->q0 : reference->q + (size_t)state * n;
    const double* v = start ? study->v0 : reference->v + (size_t)state * n;
    double* row = to->reference.rows + (size_t)to->reference.count++ * width;
    row[0] = t;
    vida__wireframe_points(&to->wireframe, &to->evaluator, t, q, v, to->xyz);
    copy(row + 1, to->xyz, 3 * to->layout.points);
  }
  return VIDA_SUCCESS;
}

static int begin_run(void* data, int index, const VidaRow* row, VidaError* error) {
  VidaRecording* to = data;
  (void)row;
  vida_recorded_run* run = vida__recorded_run(to, index);
  if (run) {
    run->count = 0;
    run->arrived = 0;
    run->every = 1;
    run->last_kept = true;
  }
  return take_reference(to, error); /* it is there before the first run */
}

static int keep_last(const VidaRecording* to, vida_recorded_run* run, VidaError* error) {
  const size_t width = (size_t)to->layout.width, used = (size_t)run->count * width;
  if (vida__reserve((void**)&run->rows, &run->capacity, used + width, sizeof *run->rows)) {
    return vida__fail_memory(error);
  }
  memcpy(run->rows + used, run->last, width * sizeof *run->rows);
  run->count++;
  return VIDA_SUCCESS;
}

static int take_sample(void* data, int index, const VidaSample* sample, VidaError* error) {
  VidaRecording* to = data;
  vida_recorded_run* run = vida__recorded_run(to, index);
  if (!run) {
    return VIDA_SUCCESS;
  }
  write_row(to, sample, run->last);
  if (run->arrived % run->every == 0 && run->count == to->most) {
    thin_out(to, run);
  }
  run->last_kept = run->arrived++ % run->every == 0;
  return run->last_kept ? keep_last(to, run, error) : VIDA_SUCCESS;
}

static int end_run(void* data, int index, const VidaRow* row, VidaError* error) {
  VidaRecording* to = data;
  (void)row;
  vida_recorded_run* run = vida__recorded_run(to, index);
  if (run && !run->last_kept) {
    run->last_kept = true;
    return keep_last(to, run, error);
  }
  return VIDA_SUCCESS;
}

static bool has_samples(void* data, int index) {
  return vida__recorded_run(data, index) != NULL;
}

VidaObserver VidaRecording_Observer(VidaRecording* recording) {
  return !recording ? (VidaObserver){0}
                    : (VidaObserver){.begin = begin_run,
                                     .sample = take_sample,
                                     .end = end_run,
                                     .data = recording,
                                     .has_samples = has_samples};
}

/* ---- in another process ---------------------------------------------------------------------- */

/* Reads the number of rows of `width` numbers that follow; 0 if the record is too short for them.
 */
static int get_count(vida_record* record, size_t width, int most) {
  const int64_t count = vida__get_integer(record);
  const size_t left = (record->size - record->at) / sizeof(double);
  record->too_short = record->too_short || count < 0 || count > most ||
                      (uint64_t)count > left / (width > 0 ? width : 1);
  return record->too_short ? 0 : (int)count;
}

static int fail_to_fit(VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "the stored states do not fit the study");
}

void vida__put_recorded_run(const VidaRecording* recording, int index, vida_record* record) {
  const vida_recorded_run* run = vida__recorded_run(recording, index);
  const int count = run ? run->count : 0;
  vida__put_integer(record, run ? run->every : 1);
  vida__put_integer(record, count);
  vida__put_reals(record, (size_t)count * (size_t)recording->layout.width, run ? run->rows : NULL);
}

int vida__get_recorded_run(VidaRecording* recording, int index, vida_record* record,
                           VidaError* error) {
  const size_t width = (size_t)recording->layout.width;
  vida_recorded_run* run = vida__recorded_run(recording, index);
  const long every = vida__get_count(record);
  const int count = get_count(record, width, run ? recording->most + 1 : 0);
  void* rows = run ? run->rows : NULL;
  if (run && vida__reserve(&rows, &run->capacity, (size_t)count * width, sizeof *run->rows)) {
    return vida__fail_memory(error);
  }
  if (run) {
    run->rows = rows;
    run->count = count;
    run->every = every;
    run->last_kept = true;
    vida__get_reals(record, (size_t)count * width, run->rows);
  }
  return record->too_short ? fail_to_fit(error) : VIDA_SUCCESS;
}

void vida__put_recording(const VidaRecording* recording, int index, vida_record* record) {
  const vida_recorded_run* run = vida__recorded_run(recording, index);
  vida__put_recorded_run(recording, index, record);
  if (run) {
    vida__put_integer(record, run->arrived);
    vida__put_integer(record, run->last_kept);
    vida__put_reals(record, (size_t)recording->layout.width, run->last);
  }
}

int vida__get_recording(VidaRecording* recording, int index, vida_record* record,
                        VidaError* error) {
  vida_recorded_run* run = vida__recorded_run(recording, index);
  const int code = vida__get_recorded_run(recording, index, record, error);
  if (run && !code) {
    run->arrived = vida__get_count(record);
    run->last_kept = vida__get_integer(record) != 0;
    vida__get_reals(record, (size_t)recording->layout.width, run->last);
    record->too_short = record->too_short || run->every < 1 || run->arrived < 0;
  }
  return code || !record->too_short ? code : fail_to_fit(error);
}

void vida__put_recorded_reference(const VidaRecording* recording, vida_record* record) {
  const vida_recorded_reference* reference = &recording->reference;
  const size_t width = 1 + 3 * (size_t)recording->layout.points;
  vida__put_integer(record, reference->count);
  vida__put_reals(record, (size_t)reference->count * width, reference->rows);
}

int vida__get_recorded_reference(VidaRecording* recording, vida_record* record, VidaError* error) {
  vida_recorded_reference* reference = &recording->reference;
  const size_t width = 1 + 3 * (size_t)recording->layout.points;
  const int count = get_count(record, width, recording->most + 1);
  double* rows = vida__allocate((size_t)recording->most + 1, width * sizeof *rows);
  if (!rows) {
    return vida__fail_memory(error);
  }
  free(reference->rows);
  reference->rows = rows;
  reference->count = count;
  vida__get_reals(record, (size_t)count * width, rows);
  return record->too_short ? fail_to_fit(error) : VIDA_SUCCESS;
}
