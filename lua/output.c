/* Running a comparison with progress and trajectories, and writing its rows. No Lua function is
 * called here: the library is at work. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "binding.h"

enum { PATH_SIZE = 4096 };

/* ---- running --------------------------------------------------------------------------------- */

VidaLuaWatch vidalua_watch_host(lua_State* L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State* main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return (VidaLuaWatch){main, lua_gethook(main)};
}

bool vidalua_host_interrupts(void* data) {
  const VidaLuaWatch* watch = data;
  const lua_Hook hook = lua_gethook(watch->main);
  return hook && hook != watch->hook;
}

/* Passes everything on to the trajectories (when there are some) and shows the progress. */
typedef struct Watcher {
  const VidaLuaRun* wishes;
  VidaObserver trajectories; /* members NULL without trajectories */
  VidaLuaProgress progress;
} Watcher;

static int watch_begin(void* data, int run, const VidaRow* row, VidaError* error) {
  const VidaObserver* inner = &((const Watcher*)data)->trajectories;
  return inner->begin ? inner->begin(inner->data, run, row, error) : 0;
}

static int watch_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  const VidaObserver* inner = &((const Watcher*)data)->trajectories;
  return inner->sample ? inner->sample(inner->data, run, sample, error) : 0;
}

static int watch_end(void* data, int run, const VidaRow* row, VidaError* error) {
  const VidaObserver* inner = &((const Watcher*)data)->trajectories;
  return inner->end ? inner->end(inner->data, run, row, error) : 0;
}

static int watch_progress(void* data, int run, const char* what, double fraction) {
  Watcher* watcher = data;
  const VidaLuaRun* wishes = watcher->wishes;
  if (wishes->is_interrupted && wishes->is_interrupted(wishes->data)) {
    return VIDA_STOPPED;
  }
  if (wishes->show_progress) {
    vidalua_progress_draw(&watcher->progress, run, what, fraction);
  }
  return 0;
}

int vidalua_run_study(VidaStudy* study, const VidaLuaRun* wishes, VidaError* error) {
  VidaTrajectories* trajectories = NULL;
  Watcher watcher;
  memset(&watcher, 0, sizeof watcher);
  watcher.wishes = wishes;
  if (wishes->directory) {
    const int code = VidaTrajectories_Create(study, wishes->directory, &trajectories, error);
    if (code) {
      return code;
    }
    watcher.trajectories = VidaTrajectories_Observer(trajectories);
  }
  const VidaObserver observer = {watch_begin, watch_sample, watch_end, watch_progress, &watcher};
  vidalua_progress_begin(&watcher.progress, VidaStudy_RunCount(study));
  const int code = VidaStudy_Run(study, &observer, error);
  vidalua_progress_end(&watcher.progress);
  VidaTrajectories_Destroy(&trajectories);
  return code;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int fail(VidaError* error, const char* format, ...) {
  va_list list;
  va_start(list, format);
  error->code = VIDA_INPUT_OUTPUT;
  error->flag[0] = '\0';
  vsnprintf(error->message, sizeof error->message, format, list);
  va_end(list);
  return error->code;
}

/* DIRECTORY/NAME in path, false when it is too long. */
static bool join(char path[PATH_SIZE], const char* directory, const char* name) {
  const int length = snprintf(path, PATH_SIZE, "%s/%s", directory, name);
  return length > 0 && length < PATH_SIZE;
}

static const char partial_csv[] = "comparison.csv.partial";
static const char partial_json[] = "comparison.json.partial";

int vidalua_prepare_directory(const char* directory, VidaError* error) {
  char path[PATH_SIZE];
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
    return fail(error, "cannot make the folder '%s': %s", directory, strerror(errno));
  }
  if (!join(path, directory, partial_csv)) {
    return fail(error, "the name of the folder '%s' is too long", directory);
  }
  FILE* file = fopen(path, "w");
  if (!file) {
    return fail(error, "cannot write into the folder '%s': %s", directory, strerror(errno));
  }
  fclose(file);
  remove(path);
  return VIDA_SUCCESS;
}

typedef int Writer(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);

static int write_partial(const char* path, Writer* writer, const VidaStudy* const* studies,
                         int count, VidaError* error) {
  FILE* file = fopen(path, "w");
  if (!file) {
    return fail(error, "cannot write '%s': %s", path, strerror(errno));
  }
  int code = writer(studies, count, file, error);
  if (fclose(file) != 0 && !code) {
    code = fail(error, "cannot write '%s': %s", path, strerror(errno));
  }
  return code;
}

int vidalua_write_results(const VidaStudy* const* studies, int count, const char* directory,
                          VidaError* error) {
  char csv[PATH_SIZE], json[PATH_SIZE], new_csv[PATH_SIZE], new_json[PATH_SIZE];
  if (!join(csv, directory, "comparison.csv") || !join(json, directory, "comparison.json") ||
      !join(new_csv, directory, partial_csv) || !join(new_json, directory, partial_json)) {
    return fail(error, "the name of the folder '%s' is too long", directory);
  }
  int code = write_partial(new_csv, VidaReport_Csv, studies, count, error);
  if (!code) {
    code = write_partial(new_json, VidaReport_Json, studies, count, error);
  }
  if (!code && (rename(new_csv, csv) != 0 || rename(new_json, json) != 0)) {
    code = fail(error, "cannot write into the folder '%s': %s", directory, strerror(errno));
  }
  if (code) {
    remove(new_csv);
    remove(new_json);
  }
  return code;
}
