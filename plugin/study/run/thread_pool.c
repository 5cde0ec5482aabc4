/* Makes the runs of a comparison, one after the other or in parallel. Runs share the system and the
 * reference, which do not change; only one run at a time calls observers. */
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "study/study.h"

/* ---- threads ------------------------------------------------------------------------------- */

enum { MOST_THREADS = 1024 /* the largest value of the option `jobs` */ };

void vida__work_in_threads(int jobs, void* (*work)(void*), void* data) {
  pthread_t threads[MOST_THREADS];
  int started = 0;
  while (started < jobs - 1 && started < MOST_THREADS &&
         pthread_create(&threads[started], NULL, work, data) == 0) {
    started++;
  }
  work(data); /* this thread works, too, whatever could be started */
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
}

/* ---- how much is done ------------------------------------------------------------------------ */

/* Estimated work of a run: its steps, unless it is repeated until its time is known, which takes
 * the same time for all runs. */
static double weigh(const VidaStudy* study, const vida_time_grid* grid) {
  const bool again = VidaOptions_Get(study->options, "repeats") != 1.0;
  return again ? 1.0 : (double)vida__count_steps(grid);
}

double VidaStudy_Done(const VidaStudy* study, int run, double fraction) {
  if (!study) {
    return 0.0;
  }
  const bool has_reference = study->reference && !study->reference->known.state;
  const int references = study->start_reference_count > 0 ? study->start_reference_count : 1;
  const double first = has_reference ? references * weigh(study, &study->reference->grid) : 0.0;
  double done = run == VIDA_REFERENCE_RUN ? fraction * first : first, whole = first;
  if (run == VIDA_ALL_RUNS) {
    return fraction;
  }
  for (int i = 0; i < study->count; i++) {
    const double weight = weigh(study, &study->runs[i].grid);
    whole += weight;
    done += i < run || study->runs[i].is_kept ? weight : i == run ? fraction * weight : 0.0;
  }
  return whole > 0.0 ? done / whole : 0.0;
}

/* ---- several at once ------------------------------------------------------------------------- */

typedef struct worker_pool {
  VidaStudy* study;
  const VidaObserver* watched;
  VidaObserver observer; /* passes on to the one that watches */
  pthread_mutex_t mutex; /* of all below, of calls to that observer, and of rows */
  int next, finished, jobs;
  double* fraction; /* of each run */
  double* weight;   /* estimated cost: the number of steps */
  int code;         /* of the first failure that ends the study */
  VidaError error;
} worker_pool;

/* ---- their observers ------------------------------------------------------------------------- */

static int begin(void* data, int run, const VidaRow* row, VidaError* error) {
  worker_pool* pool = data;
  const VidaObserver* to = pool->watched;
  pthread_mutex_lock(&pool->mutex);
  const int code = to->begin ? to->begin(to->data, run, row, error) : VIDA_SUCCESS;
  pthread_mutex_unlock(&pool->mutex);
  return code;
}

static int sample(void* data, int run, const VidaSample* at, VidaError* error) {
  worker_pool* pool = data;
  const VidaObserver* to = pool->watched;
  pthread_mutex_lock(&pool->mutex);
  const int code = to->sample(to->data, run, at, error);
  pthread_mutex_unlock(&pool->mutex);
  return code;
}

static int end(void* data, int run, const VidaRow* row, VidaError* error) {
  worker_pool* pool = data;
  const VidaObserver* to = pool->watched;
  pthread_mutex_lock(&pool->mutex);
  const int code = to->end ? to->end(to->data, run, row, error) : VIDA_SUCCESS;
  pthread_mutex_unlock(&pool->mutex);
  return code;
}

/* Progress is that of all runs together. A failure of one run stops the others here. */
static int progress(void* data, int run, const char* what, double fraction) {
  worker_pool* pool = data;
  const VidaObserver* to = pool->watched;
  char text[VIDA_NAME_SIZE] = "";
  double done = 0.0, whole = 0.0;
  (void)what;
  pthread_mutex_lock(&pool->mutex);
  pool->fraction[run] = fraction;
  for (int i = 0; i < pool->study->count; i++) {
    done += pool->weight[i] * pool->fraction[i];
    whole += pool->weight[i];
  }
  vida__append(text, sizeof text, "%d of %d runs, %d in parallel", pool->finished,
               pool->study->count, pool->jobs);
  int code = pool->code;
  if (!code && to->progress) {
    code = to->progress(to->data, VIDA_ALL_RUNS, text, done / whole);
  }
  pthread_mutex_unlock(&pool->mutex);
  return code;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Returns the index of the next run to make, from this one on; study->count if there is none. */
static int next_run(const VidaStudy* study, int run) {
  while (run < study->count && study->runs[run].is_kept) {
    run++;
  }
  return run;
}

/* Returns the next run, or the first of *count that can be made at once; -1 if there is none. At
 * the end, runs are left for the other workers. */
static int take_runs(worker_pool* pool, int* count) {
  pthread_mutex_lock(&pool->mutex);
  pool->next = next_run(pool->study, pool->next);
  const int left = pool->study->count - pool->next;
  const int run = !pool->code && left > 0 ? pool->next : -1;
  if (run >= 0) {
    *count = vida__count_together(pool->study, run, (left + pool->jobs - 1) / pool->jobs);
    pool->next += *count;
  }
  pthread_mutex_unlock(&pool->mutex);
  return run;
}

static void finish_run(worker_pool* pool, int run, int code, const VidaError* error) {
  pthread_mutex_lock(&pool->mutex);
  pool->fraction[run] = 1.0;
  pool->finished++;
  if (code && !pool->code) {
    pool->code = code;
    pool->error = *error;
  }
  pthread_mutex_unlock(&pool->mutex);
}

/* Makes runs, as many at once as possible. */
static void make_taken_runs(worker_pool* pool, int run, int count, vida_joint_runs** joint,
                            VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int made = 0; count > 0 && !code; run += made, count -= made) {
    made = 1;
    code = count > 1 ? vida__make_runs_together(pool->study, run, count, &pool->observer, joint,
                                                &made, error)
                     : vida__make_run(pool->study, run, &pool->observer, error);
    for (int k = 0; k < made; k++) {
      finish_run(pool, run + k, code, error);
    }
  }
}

static void* work(void* data) {
  worker_pool* pool = data;
  vida_joint_runs* joint = NULL;
  int count;
  for (int run = take_runs(pool, &count); run >= 0; run = take_runs(pool, &count)) {
    VidaError error = {0};
    make_taken_runs(pool, run, count, &joint, &error);
  }
  vida__free_joint_runs(&joint);
  return NULL;
}

static bool has_samples(void* data, int run) {
  const VidaObserver* watched = ((const worker_pool*)data)->watched;
  return !watched->has_samples || watched->has_samples(watched->data, run);
}

static int make_at_once(VidaStudy* study, int jobs, const VidaObserver* observer,
                        VidaError* error) {
  worker_pool pool = {.study = study, .watched = observer, .jobs = jobs};
  pool.fraction = vida__allocate((size_t)study->count, sizeof *pool.fraction);
  pool.weight = vida__allocate((size_t)study->count, sizeof *pool.weight);
  if (!pool.fraction || !pool.weight || pthread_mutex_init(&pool.mutex, NULL)) {
    free(pool.fraction);
    free(pool.weight);
    return vida__fail_memory(error);
  }
  for (int i = 0; i < study->count; i++) {
    pool.weight[i] = weigh(study, &study->runs[i].grid);
    pool.fraction[i] = study->runs[i].is_kept ? 1.0 : 0.0;
    pool.finished += study->runs[i].is_kept;
  }
  vida__append(study->notes, sizeof study->notes,
               "%stimes are those of %d parallel runs, which share the machine",
               study->notes[0] ? "\n" : "", jobs);
  pool.observer =
      (VidaObserver){begin, observer->sample ? sample : NULL, end, progress, &pool, has_samples};
  study->lock = &pool.mutex;
  vida__work_in_threads(jobs, work, &pool);
  study->lock = NULL;
  pthread_mutex_destroy(&pool.mutex);
  free(pool.fraction);
  free(pool.weight);
  if (pool.code && error) {
    *error = pool.error;
  }
  return pool.code;
}

int vida__most_jobs(const VidaStudy* study) {
  const int asked = (int)VidaOptions_Get(study->options, "jobs");
  return asked > 0 ? asked : study->processors;
}

int vida__jobs(const VidaStudy* study) {
  const int jobs = vida__most_jobs(study);
  return jobs < study->count ? jobs : study->count;
}

bool vida__shares_time(const VidaStudy* study) {
  return vida__most_jobs(study) > 1 && (study->is_chunk ? study->whole : study->count) > 1;
}

/* Notes that steps were made in lanes. How many depends on which runs were left at the end, and so
 * on the number of processors and on what an earlier process had made. */
static void note_lanes(VidaStudy* study) {
  bool any = false;
  for (int i = 0; i < study->count; i++) {
    any = any || study->runs[i].joint_steps > 0;
  }
  if (any) {
    vida__append(study->notes, sizeof study->notes,
                 "%scalm steps were made in vector lanes, together with steps of other runs",
                 study->notes[0] ? "\n" : "");
  }
}

static int make_in_turn(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  vida_joint_runs* joint = NULL;
  int code = VIDA_SUCCESS;
  int made = 1;
  for (int i = next_run(study, 0); i < study->count && !code; i = next_run(study, i + made)) {
    const int count = vida__count_together(study, i, study->count);
    made = 1;
    code = count > 1 ? vida__make_runs_together(study, i, count, observer, &joint, &made, error)
                     : vida__make_run(study, i, observer, error);
  }
  vida__free_joint_runs(&joint);
  return code;
}

int vida__make_runs(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  static const VidaObserver nobody = {0};
  const int jobs = vida__jobs(study);
  const int code = jobs > 1 ? make_at_once(study, jobs, observer ? observer : &nobody, error)
                            : make_in_turn(study, observer, error);
  note_lanes(study);
  study->keeper = NULL; /* its owner may not live longer */
  return code;
}
