/* Runs of a comparison, one after the other or several at once. Runs share the system and the
 * reference, which nobody changes; observers are called by one run at a time. */
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/processors.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "study/study.h"

/* ---- how much is done ------------------------------------------------------------------------ */

/* What a run takes, as far as that is known: its steps, unless it is made again until its time is
 * known, which takes as long for all. */
static double weigh(const VidaStudy* study, const vida_time_grid* grid) {
  const bool again = VidaOptions_Get(study->options, "repeats") != 1.0;
  return again ? 1.0 : (double)vida__count_steps(grid);
}

double VidaStudy_Done(const VidaStudy* study, int run, double fraction) {
  if (!study) {
    return 0.0;
  }
  const bool has_reference = study->reference && !study->reference->known.state;
  const double first = has_reference ? weigh(study, &study->reference->grid) : 0.0;
  double done = run == VIDA_REFERENCE_RUN ? fraction * first : first, whole = first;
  if (run == VIDA_ALL_RUNS) {
    return fraction;
  }
  for (int i = 0; i < study->count; i++) {
    const double weight = weigh(study, &study->runs[i].grid);
    whole += weight;
    done += i < run ? weight : i == run ? fraction * weight : 0.0;
  }
  return whole > 0.0 ? done / whole : 0.0;
}

/* ---- several at once ------------------------------------------------------------------------- */

typedef struct crew {
  VidaStudy* study;
  const VidaObserver* watched;
  VidaObserver observer; /* passes on to the one that watches */
  pthread_mutex_t mutex; /* of all below, of calls to that observer, and of rows */
  int next, finished, jobs;
  double* fraction; /* of each run */
  double* weight;   /* what it takes, as far as that is known: its steps */
  int code;         /* of the first failure that ends the study */
  VidaError error;
} crew;

/* ---- their observers ------------------------------------------------------------------------- */

static int begin(void* data, int run, const VidaRow* row, VidaError* error) {
  crew* all = data;
  const VidaObserver* to = all->watched;
  pthread_mutex_lock(&all->mutex);
  const int code = to->begin ? to->begin(to->data, run, row, error) : VIDA_SUCCESS;
  pthread_mutex_unlock(&all->mutex);
  return code;
}

static int sample(void* data, int run, const VidaSample* at, VidaError* error) {
  crew* all = data;
  const VidaObserver* to = all->watched;
  pthread_mutex_lock(&all->mutex);
  const int code = to->sample(to->data, run, at, error);
  pthread_mutex_unlock(&all->mutex);
  return code;
}

static int end(void* data, int run, const VidaRow* row, VidaError* error) {
  crew* all = data;
  const VidaObserver* to = all->watched;
  pthread_mutex_lock(&all->mutex);
  const int code = to->end ? to->end(to->data, run, row, error) : VIDA_SUCCESS;
  pthread_mutex_unlock(&all->mutex);
  return code;
}

/* Progress is that of all runs together. A failure of one is told to the others here. */
static int progress(void* data, int run, const char* what, double fraction) {
  crew* all = data;
  const VidaObserver* to = all->watched;
  char text[VIDA_NAME_SIZE] = "";
  double done = 0.0, whole = 0.0;
  (void)what;
  pthread_mutex_lock(&all->mutex);
  all->fraction[run] = fraction;
  for (int i = 0; i < all->study->count; i++) {
    done += all->weight[i] * all->fraction[i];
    whole += all->weight[i];
  }
  vida__append(text, sizeof text, "%d of %d runs, %d at once", all->finished, all->study->count,
               all->jobs);
  int code = all->code;
  if (!code && to->progress) {
    code = to->progress(to->data, VIDA_ALL_RUNS, text, done / whole);
  }
  pthread_mutex_unlock(&all->mutex);
  return code;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* The next run to be made; -1: there is none. */
static int take_run(crew* all) {
  pthread_mutex_lock(&all->mutex);
  const int run = !all->code && all->next < all->study->count ? all->next++ : -1;
  pthread_mutex_unlock(&all->mutex);
  return run;
}

static void hand_in(crew* all, int run, int code, const VidaError* error) {
  pthread_mutex_lock(&all->mutex);
  all->fraction[run] = 1.0;
  all->finished++;
  if (code && !all->code) {
    all->code = code;
    all->error = *error;
  }
  pthread_mutex_unlock(&all->mutex);
}

static void* work(void* data) {
  crew* all = data;
  for (int run = take_run(all); run >= 0; run = take_run(all)) {
    VidaError error = {0};
    const int code = vida__make_run(all->study, run, &all->observer, &error);
    hand_in(all, run, code, &error);
  }
  return NULL;
}

static int make_at_once(VidaStudy* study, int jobs, const VidaObserver* observer,
                        VidaError* error) {
  crew all = {.study = study, .watched = observer, .jobs = jobs};
  pthread_t* threads = vida__allocate((size_t)jobs, sizeof *threads);
  all.fraction = vida__allocate((size_t)study->count, sizeof *all.fraction);
  all.weight = vida__allocate((size_t)study->count, sizeof *all.weight);
  if (!threads || !all.fraction || !all.weight || pthread_mutex_init(&all.mutex, NULL)) {
    free(threads);
    free(all.fraction);
    free(all.weight);
    return vida__fail_memory(error);
  }
  for (int i = 0; i < study->count; i++) {
    all.weight[i] = weigh(study, &study->runs[i].grid);
  }
  vida__append(study->notes, sizeof study->notes,
               "%stimes are those of runs that share the machine, %d at once",
               study->notes[0] ? "\n" : "", jobs);
  all.observer = (VidaObserver){begin, observer->sample ? sample : NULL, end, progress, &all};
  study->lock = &all.mutex;
  int started = 0;
  while (started < jobs - 1 && pthread_create(&threads[started], NULL, work, &all) == 0) {
    started++;
  }
  work(&all); /* this thread works, too, whatever could be started */
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
  study->lock = NULL;
  pthread_mutex_destroy(&all.mutex);
  free(threads);
  free(all.fraction);
  free(all.weight);
  if (all.code && error) {
    *error = all.error;
  }
  return all.code;
}

int vida__jobs(const VidaStudy* study) {
  const int asked = (int)VidaOptions_Get(study->options, "jobs");
  const int jobs = asked > 0 ? asked : vida__count_processors();
  return jobs < study->count ? jobs : study->count;
}

int vida__make_runs(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  static const VidaObserver nobody = {0};
  const int jobs = vida__jobs(study);
  int code = VIDA_SUCCESS;
  if (jobs > 1) {
    return make_at_once(study, jobs, observer ? observer : &nobody, error);
  }
  for (int i = 0; i < study->count && code == VIDA_SUCCESS; i++) {
    code = vida__make_run(study, i, observer, error);
  }
  return code;
}
