/* Runs a comparison with progress and trajectories. Calls no Lua function while the library runs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

/* ---- recordings ------------------------------------------------------------------------------ */

const VidaPageFacts vidalua_page_facts = {.software = LUA_RELEASE};

#define VIDALUA_RECORDING "vida.recording"

static int recording_gc(lua_State* L) {
  VidaRecording_Destroy(luaL_checkudata(L, 1, VIDALUA_RECORDING));
  return 0;
}

VidaRecording* vidalua_try_new_recording(lua_State* L, const VidaStudy* study, VidaError* error) {
  VidaRecording** recording = lua_newuserdatauv(L, sizeof(VidaRecording*), 0);
  *recording = NULL;
  if (luaL_newmetatable(L, VIDALUA_RECORDING)) {
    lua_pushcfunction(L, recording_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return VidaRecording_Create(study, recording, error) ? NULL : *recording;
}

VidaRecording* vidalua_new_recording(lua_State* L, const VidaStudy* study) {
  VidaError error;
  VidaRecording* recording = vidalua_try_new_recording(L, study, &error);
  if (!recording) {
    vidalua_raise(L, "", NULL, &error);
  }
  return recording;
}

VidaRecording* vidalua_to_recording(lua_State* L, int index) {
  return *(VidaRecording**)luaL_checkudata(L, index, VIDALUA_RECORDING);
}

/* ---- running --------------------------------------------------------------------------------- */

VidaLuaWatch vidalua_begin_interrupt_checks(lua_State* L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State* main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return (VidaLuaWatch){main, lua_gethook(main)};
}

bool vidalua_is_interrupted(void* data) {
  const VidaLuaWatch* watch = data;
  const lua_Hook hook = lua_gethook(watch->main);
  return hook && hook != watch->hook && !vidalua_is_counting(watch->main);
}

/* The observers to whom all calls are passed on. The journal comes last: it has the results of the
 * others. */
enum { WATCH_TRAJECTORIES, WATCH_RECORDING, WATCH_JOURNAL, WATCH_COUNT };

/* Passes all calls on and shows the progress. */
typedef struct Watcher {
  const VidaLuaRun* wishes;
  VidaObserver inner[WATCH_COUNT]; /* members NULL without them */
  VidaLuaProgress progress;
  double told;     /* time when the progress was written to its file, by vidalua_clock */
  int finished;    /* number of runs that have ended in this process */
  int kept;        /* and in an earlier one */
  double begun;    /* completed fraction at the start of this process */
  double saved;    /* time of the last save, by vidalua_clock */
  double pause;    /* seconds from one save to the next */
  bool is_unsaved; /* a run has ended since the last save */
} Watcher;

#define SECONDS_BETWEEN_SAVES 1.0
#define SHARE_OF_SAVES \
  0.05 /* of the time: each save writes all rows, and takes longer and longer */

/* Saves the finished runs, so that they are kept even if the process is killed. */
static int save_now_and_then(Watcher* watcher, VidaError* error) {
  const VidaLuaRun* wishes = watcher->wishes;
  if (!wishes->save || !watcher->is_unsaved || vidalua_clock() - watcher->saved < watcher->pause) {
    return VIDA_SUCCESS;
  }
  const double begin = vidalua_clock();
  const int code = wishes->save(wishes->saved, error);
  watcher->saved = vidalua_clock();
  watcher->pause = fmax(SECONDS_BETWEEN_SAVES, (watcher->saved - begin) / SHARE_OF_SAVES);
  watcher->is_unsaved = false;
  return code;
}

static int watch_begin(void* data, int run, const VidaRow* row, VidaError* error) {
  const Watcher* watcher = data;
  int code = 0;
  for (int i = 0; i < WATCH_COUNT && !code; i++) {
    const VidaObserver* inner = &watcher->inner[i];
    code = inner->begin ? inner->begin(inner->data, run, row, error) : 0;
  }
  return code;
}

static int watch_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  const Watcher* watcher = data;
  int code = 0;
  for (int i = 0; i < WATCH_COUNT && !code; i++) {
    const VidaObserver* inner = &watcher->inner[i];
    code = inner->sample ? inner->sample(inner->data, run, sample, error) : 0;
  }
  return code;
}

static bool watch_has_samples(void* data, int run) {
  const Watcher* watcher = data;
  bool has = false;
  for (int i = 0; i < WATCH_COUNT; i++) {
    const VidaObserver* inner = &watcher->inner[i];
    has = has || (inner->sample && (!inner->has_samples || inner->has_samples(inner->data, run)));
  }
  return has;
}

static int watch_end(void* data, int run, const VidaRow* row, VidaError* error) {
  Watcher* watcher = data;
  int code = 0;
  for (int i = 0; i < WATCH_COUNT && !code; i++) {
    const VidaObserver* inner = &watcher->inner[i];
    code = inner->end ? inner->end(inner->data, run, row, error) : 0;
  }
  watcher->is_unsaved = true;
  watcher->finished++;
  return code ? code : save_now_and_then(watcher, error);
}

/* Writes the progress for other processes. A failure is no reason to end the study. */
static void write_progress(Watcher* watcher, int run, const char* what, double fraction) {
  const VidaLuaRun* wishes = watcher->wishes;
  const double now = vidalua_clock(), elapsed = now - watcher->progress.began;
  if (!wishes->progress || now - watcher->told < SECONDS_BETWEEN_SAVES) {
    return;
  }
  const VidaStudy* study = watcher->progress.study;
  const double done = VidaStudy_Done(study, run, fraction);
  VidaProgress progress = {.study = wishes->study + 1,
                           .studies = wishes->studies,
                           .runs = VidaStudy_RunCount(study),
                           .finished = watcher->kept + watcher->finished,
                           .rate = elapsed > 0.0 ? watcher->finished / elapsed : (double)NAN,
                           .fraction = done,
                           .elapsed = elapsed,
                           .left = done > watcher->begun
                                       ? elapsed * (1.0 - done) / (done - watcher->begun)
                                       : (double)NAN};
  snprintf(progress.what, sizeof progress.what, "%.100s", what);
  VidaReport_WriteProgress(wishes->progress, &progress, NULL);
  watcher->told = now;
}

static int watch_progress(void* data, int run, const char* what, double fraction) {
  Watcher* watcher = data;
  const VidaLuaRun* wishes = watcher->wishes;
  if (wishes->is_interrupted && wishes->is_interrupted(wishes->data)) {
    return VIDA_STOPPED;
  }
  save_now_and_then(watcher, NULL); /* the last save reports errors */
  write_progress(watcher, run, what, fraction);
  if (wishes->show_progress) {
    vidalua_progress_draw(&watcher->progress, run, what, fraction);
  }
  return 0;
}

bool vidalua_has_rows(const VidaStudy* study, int code) {
  bool has = code != VIDA_STOPPED;
  for (int run = 0; run < VidaStudy_RunCount(study); run++) {
    has = has && VidaRow_Outcome(VidaStudy_Row(study, run)) != VIDA_OUTCOME_NOT_RUN;
  }
  return has;
}

int vidalua_run_study(VidaStudy* study, const VidaLuaRun* wishes, VidaError* error) {
  VidaTrajectories* trajectories = NULL;
  Watcher watcher;
  memset(&watcher, 0, sizeof watcher);
  watcher.wishes = wishes;
  watcher.saved = vidalua_clock();
  watcher.pause = SECONDS_BETWEEN_SAVES;
  if (wishes->directory) {
    const int code = VidaTrajectories_Create(study, wishes->directory, &trajectories, error);
    if (code) {
      return code;
    }
    watcher.inner[WATCH_TRAJECTORIES] = VidaTrajectories_Observer(trajectories);
  }
  if (wishes->recording) {
    watcher.inner[WATCH_RECORDING] = VidaRecording_Observer(wishes->recording);
  }
  if (wishes->journal) {
    watcher.inner[WATCH_JOURNAL] =
        VidaJournal_Observer(wishes->journal, wishes->study, trajectories);
  }
  const VidaObserver observer = {watch_begin,    watch_sample, watch_end,
                                 watch_progress, &watcher,     watch_has_samples};
  vidalua_progress_begin(&watcher.progress, study);
  for (int run = 0; run < VidaStudy_RunCount(study) && wishes->journal; run++) {
    watcher.kept += VidaRow_Outcome(VidaStudy_Row(study, run)) != VIDA_OUTCOME_NOT_RUN;
  }
  watcher.begun = VidaStudy_Done(study, 0, 0.0);
  const int code = VidaStudy_Run(study, &observer, error);
  vidalua_progress_end(&watcher.progress);
  int after = VIDA_SUCCESS;
  if (trajectories) {
    after = VidaTrajectories_Finish(trajectories, code ? NULL : error);
  }
  VidaTrajectories_Destroy(&trajectories);
  return code ? code : after;
}
