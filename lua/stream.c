/* Makes the runs of sweeps whose rows are not kept, with progress. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

#define SECONDS_BETWEEN_FILES 1.0

typedef struct SweepWatcher {
  const VidaSweepScope* scope;
  const VidaLuaRun* wishes;
  VidaLuaProgress progress;
  int study;    /* whose sweep is at work */
  double begun; /* completed fraction of it at the start of this process */
  long kept;    /* starts that were done before */
  double told;  /* time of the last file, by vidalua_clock */
} SweepWatcher;

/* Writes the progress for other processes. A failure is no reason to end the sweep. */
static void write_file(SweepWatcher* watcher, const char* what, long made, double fraction) {
  const VidaLuaRun* wishes = watcher->wishes;
  const double now = vidalua_clock(), elapsed = now - watcher->progress.began;
  if (!wishes->progress || now - watcher->told < SECONDS_BETWEEN_FILES) {
    return;
  }
  const VidaSweepCounts counts = VidaStudy_SweepCounts(watcher->scope->studies[watcher->study]);
  const double methods = (double)(counts.runs / counts.starts), done = fraction - watcher->begun;
  VidaProgress progress = {
      .study = watcher->study + 1,
      .studies = watcher->scope->count,
      .runs = (int)fmin((double)counts.runs, 2e9),
      .finished = (int)fmin(methods * (double)made, 2e9),
      .rate = elapsed > 0.0 ? methods * (double)(made - watcher->kept) / elapsed : (double)NAN,
      .fraction = fraction,
      .elapsed = elapsed,
      .left = done > 0.0 ? elapsed * (1.0 - fraction) / done : (double)NAN};
  snprintf(progress.what, sizeof progress.what, "%.100s", what);
  VidaReport_WriteProgress(wishes->progress, &progress, NULL);
  watcher->told = now;
}

static int watch_sweep(void* data, int study, long made, double fraction) {
  SweepWatcher* watcher = data;
  const VidaLuaRun* wishes = watcher->wishes;
  char what[64];
  if (wishes->is_interrupted && wishes->is_interrupted(wishes->data)) {
    return VIDA_STOPPED;
  }
  if (watcher->study != study) { /* the first report of this one */
    vidalua_progress_end(&watcher->progress);
    vidalua_progress_begin(&watcher->progress, watcher->scope->studies[study]);
    watcher->study = study;
    watcher->begun = fraction;
    watcher->kept = made;
  }
  snprintf(what, sizeof what, "sweep from %ld of %ld starts", made,
           VidaStudy_SweepCounts(watcher->scope->studies[study]).starts);
  write_file(watcher, what, made, fraction);
  if (wishes->show_progress) {
    vidalua_progress_draw_sweep(&watcher->progress, what, fraction);
  }
  return 0;
}

int vidalua_run_sweeps(const VidaSweepScope* scope, const VidaLuaRun* wishes, bool resume,
                       VidaError* error) {
  SweepWatcher watcher;
  memset(&watcher, 0, sizeof watcher);
  watcher.scope = scope;
  watcher.wishes = wishes;
  watcher.study = -1;
  const VidaSweepObserver observer = {watch_sweep, &watcher};
  const int code = VidaSweep_Run(scope, resume, &observer, error);
  vidalua_progress_end(&watcher.progress);
  return code;
}
