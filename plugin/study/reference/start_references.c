/* The solutions of the reference from the starts of the runs that have their own. Each is made in a
 * view of the study: a copy with this start, in which the runs from it are ordinary runs. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/string_table.h"
#include "base/text.h"
#include "study/reference/reference.h"

/* The runs by their starts, and the threads' shared state. */
typedef struct start_work {
  VidaStudy* study;
  const VidaObserver* observer;
  int starts; /* number of different starts */
  int* runs;  /* the runs from the first start, then those from the second one, ... */
  int* begin; /* starts + 1: where in `runs` those from each start begin */
  int next;   /* the next start to be solved from */
  int solved; /* number of them */
  int code;   /* of the first failure that ends the study */
  VidaError error;
  pthread_mutex_t mutex;
} start_work;

bool vida__lacks_reference(const VidaStudy* study, const vida_run* run) {
  return run->own_start && study->reference && study->reference->options && !run->own_reference;
}

void vida__destroy_start_references(VidaStudy* study) {
  for (int i = 0; i < study->start_reference_count; i++) {
    vida__destroy_reference(&study->start_references[i]);
  }
  free(study->start_references);
  study->start_references = NULL;
  study->start_reference_count = 0;
  for (int i = 0; i < study->count; i++) {
    study->runs[i].own_reference = NULL;
  }
}

void vida__sum_up_start_references(VidaStudy* study) {
  double largest = NAN;
  for (int i = 0; i < study->count; i++) {
    largest = study->runs[i].own_start ? fmax(largest, study->runs[i].reference_error) : largest;
  }
  if (study->reference && study->reference->states == 0 && !isnan(largest)) {
    study->reference->position_error = largest;
  }
}

/* ---- the starts ------------------------------------------------------------------------------ */

/* Two checksums of the given values stand for them. */
static int find_start(const VidaStudy* study, const vida_run* run, vida_string_table* known) {
  const size_t size = 2 * (size_t)VidaSystem_CoordinateCount(study->system) * sizeof(double);
  char key[64];
  snprintf(key, sizeof key, "%016llx%016llx",
           (unsigned long long)vida__checksum(VIDA_CHECKSUM_START, run->own_start, size),
           (unsigned long long)vida__checksum(~VIDA_CHECKSUM_START, run->own_start, size));
  return vida__add_string(known, key);
}

/* Sorts the runs by their starts. `start`: the index of the start of each run, or -1. */
static void sort_runs(start_work* work, const int* start) {
  const int count = work->study->count;
  for (int i = 0; i < count; i++) {
    if (start[i] >= 0) {
      work->begin[start[i]]++;
    }
  }
  for (int s = 0; s < work->starts; s++) { /* where each part ends */
    work->begin[s + 1] += work->begin[s];
  }
  for (int i = count - 1; i >= 0; i--) { /* filled from its end, so that it then begins there */
    if (start[i] >= 0) {
      work->runs[--work->begin[start[i]]] = i;
    }
  }
}

static int find_starts(start_work* work, VidaError* error) {
  const VidaStudy* study = work->study;
  vida_string_table known = {0};
  int* start = vida__allocate((size_t)study->count, sizeof *start);
  bool good = start != NULL;
  for (int i = 0; i < study->count && good; i++) {
    const vida_run* run = &study->runs[i];
    start[i] = run->own_start ? find_start(study, run, &known) : -1;
    good = !run->own_start || start[i] >= 0;
  }
  work->starts = known.count;
  vida__free_strings(&known);
  work->runs = vida__allocate((size_t)study->count, sizeof *work->runs);
  work->begin = vida__allocate((size_t)work->starts + 1, sizeof *work->begin);
  good = good && work->runs && work->begin;
  if (good) {
    sort_runs(work, start);
  }
  free(start);
  return good ? VIDA_SUCCESS : vida__fail_memory(error);
}

/* ---- one solution ---------------------------------------------------------------------------- */

/* Copies the method of the study's reference, without its solution. */
static int copy_reference(const vida_reference* from, vida_reference** copy, VidaError* error) {
  vida_reference* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  *made = *from;
  made->is_kept = false;
  made->known_data = NULL;
  made->options = NULL;
  made->states = made->multiplier_count = 0;
  made->events = (vida_event_list){0};
  made->steps = NULL;
  made->q = made->v = made->multiplier_t = made->multipliers = NULL;
  const int code = VidaOptions_Copy(from->options, &made->options, error);
  if (code) {
    vida__destroy_reference(&made);
  }
  *copy = made;
  return code;
}

/* Solves from one start; *solution is NULL where that is impossible, and *problem has the reason,
 * but for a start without a consistent state. Fails only if the study must end. */
static int solve_from(start_work* work, int start, const VidaObserver* observer,
                      vida_reference** solution, VidaError* problem) {
  VidaStudy* study = work->study;
  VidaStudy view = *study;
  const int n = VidaSystem_CoordinateCount(study->system);
  const int* indices = work->runs + work->begin[start];
  VidaError why = {0};
  view.count = work->begin[start + 1] - work->begin[start];
  view.runs = vida__allocate((size_t)view.count, sizeof *view.runs);
  if (!view.runs) {
    return vida__fail_memory(problem);
  }
  for (int i = 0; i < view.count; i++) { /* they are runs from the start of the view */
    view.runs[i] = study->runs[indices[i]];
    view.runs[i].own_start = NULL;
  }
  int code = copy_reference(study->reference, &view.reference, &why);
  vida_run* run = &study->runs[indices[0]];
  const int start_code = code ? VIDA_SUCCESS : vida__find_own_start(study, run, &why);
  code = code ? code : start_code;
  if (!code) {
    view.q0 = run->own_start + 2 * n;
    view.v0 = run->own_start + 3 * n;
    code = vida__make_reference(&view, observer, &why);
  }
  free(view.runs);
  if (code) {
    vida__destroy_reference(&view.reference);
  }
  *solution = view.reference;
  const bool must_end = code == VIDA_STOPPED || code == VIDA_OUT_OF_MEMORY;
  if (code && !start_code) { /* otherwise the runs from there have the reason */
    *problem = why;
    problem->code = code;
  }
  return must_end ? code : VIDA_SUCCESS;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The progress of all solutions; any of them ends with the first that is stopped. */
static int show_progress(void* data, int run, const char* what, double fraction) {
  start_work* work = data;
  char text[VIDA_NAME_SIZE] = "";
  (void)run, (void)what;
  pthread_mutex_lock(&work->mutex);
  vida__append(text, sizeof text, "references: %d of %d starts", work->solved, work->starts);
  const double done = (work->solved + fraction) / work->starts;
  int code = work->code;
  if (!code && work->observer && work->observer->progress) {
    code = work->observer->progress(work->observer->data, VIDA_REFERENCE_RUN, text, done);
  }
  pthread_mutex_unlock(&work->mutex);
  return code;
}

/* Whether the solution from the start of a run is needed: the run is to be made, or an earlier
 * process has found that there is none, of which the reason is told again. */
static bool needs_solution(const vida_run* run) {
  return !run->is_kept || run->compared < 2;
}

/* Returns the next start of which a solution is needed; -1 if there is none. */
static int take_start(start_work* work) {
  const VidaStudy* study = work->study;
  int start = -1;
  pthread_mutex_lock(&work->mutex);
  while (start < 0 && !work->code && work->next < work->starts) {
    const int candidate = work->next++;
    for (int i = work->begin[candidate]; i < work->begin[candidate + 1]; i++) {
      start = needs_solution(&study->runs[work->runs[i]]) ? candidate : start;
    }
  }
  pthread_mutex_unlock(&work->mutex);
  return start;
}

/* Which failure is told does not depend on which thread came first. */
static void note_missing(const start_work* work, int start, const VidaError* why) {
  vida_missing_references* missing = &work->study->missing;
  if (missing->count++ == 0 || start < missing->first) {
    missing->first = start;
    missing->run = work->runs[work->begin[start]];
    missing->why = *why;
  }
}

static void* solve_starts(void* data) {
  start_work* work = data;
  const VidaObserver observer = {.progress = show_progress, .data = work};
  for (int start = take_start(work); start >= 0; start = take_start(work)) {
    VidaError error = {0};
    vida_reference* solution = NULL;
    const int code = solve_from(work, start, &observer, &solution, &error);
    pthread_mutex_lock(&work->mutex);
    work->study->start_references[start] = solution;
    work->solved++;
    if (!solution && !code && error.code) {
      note_missing(work, start, &error);
    }
    if (code && !work->code) {
      work->code = code;
      work->error = error;
    }
    pthread_mutex_unlock(&work->mutex);
  }
  return NULL;
}

/* Tells the runs with which solution they are compared. */
static void assign_solutions(const start_work* work) {
  VidaStudy* study = work->study;
  for (int start = 0; start < work->starts; start++) {
    const vida_reference* solution = study->start_references[start];
    for (int i = work->begin[start]; i < work->begin[start + 1]; i++) {
      vida_run* run = &study->runs[work->runs[i]];
      run->own_reference = solution;
      if (!run->is_kept) {
        run->reference_error = solution ? solution->position_error : (double)NAN;
      }
    }
  }
}

int vida__make_start_references(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  start_work work = {.study = study, .observer = observer};
  vida__destroy_start_references(study);
  study->missing = (vida_missing_references){.count = 0};
  if (!study->reference->options) {
    return VIDA_SUCCESS;
  }
  int code = find_starts(&work, error);
  if (!code && work.starts > 0) {
    study->start_references = vida__allocate((size_t)work.starts, sizeof(*study->start_references));
    code = study->start_references && pthread_mutex_init(&work.mutex, NULL) == 0
               ? VIDA_SUCCESS
               : vida__fail_memory(error);
  }
  if (!code && work.starts > 0) {
    study->start_reference_count = work.starts;
    vida__work_in_threads(vida__jobs(study), solve_starts, &work);
    pthread_mutex_destroy(&work.mutex);
    assign_solutions(&work);
    code = work.code;
    if (code && error) {
      *error = work.error;
    }
  }
  free(work.runs);
  free(work.begin);
  return code;
}
