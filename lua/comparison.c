/*** Comparisons: runs of several methods, steps and tolerances on one system, measured against one
 * reference.
 * The command runs the comparison, or list of comparisons, that a script returns. In a stock Lua
 * the script calls `comparison:run`.
 *
 * The reference is `"auto"` (an explicit Runge-Kutta method of order 6 on the underlying ODE with
 * projection, or Radau IIA for stiff systems, with tight tolerances), a method with its step or
 * tolerance, a function of time that returns a state, or a list of states. A state is
 * `{ positions = {...}, velocities = {...}, multipliers = {...} }`; velocities and multipliers are
 * optional. Each is a list, or a table by names. A particle, or a joint with the rows x, y and z,
 * has a list: `positions = { bob = { 1, 0, 0 } }`. To set the name and the error of a solution,
 * write `{ exact = f, name = "closed form", error = 0 }` or
 * `{ states = {...}, name = "experiment", error = 1e-3 }`.
 *
 * Further keys are the @{vida.comparison_options|options of comparisons}; those of methods are the
 * options of @{vida.methods}.
 *
 * @classmod comparison
 * @usage
 * local vida = require "vida"
 * local s = vida.system { "pendulum", dimension = 2 }
 * s:gravity { 0, -9.81 }
 * local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
 * s:distance { "rod", s.ground, bob, length = 1 }
 * local comparison = vida.compare {
 *   system = s, time = 1, reference = "auto",
 *   methods = { { "rattle", h = { 0.02, 0.01 } }, { "energy-momentum", h = 0.01 } },
 * }
 */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct ComparisonHandle {
  VidaStudy* study;  /* NULL once closed */
  VidaLuaBox* box;   /* the system it needs */
  VidaStarts starts; /* of all runs; count 0: none are given */
  bool was_run;
} ComparisonHandle;

static const char* const own_keys[] = {"system", "reference", "methods", "coordinates",
                                       "starts", "label",     "columns", NULL};
enum { OWN_KEYS = 7 };

/* ---- ownership ------------------------------------------------------------------------------- */

/* A function of the script that is a reference runs in the middle of a comparison, which needs
 * itself and the comparisons after it. */
static void refuse_at_work(lua_State* L, const char* what) {
  if (vidalua_is_reference_at_work(L)) {
    vidalua_error(L, "%s: a reference cannot %s a comparison while one is at work", what, what);
  }
}

static int comparison_gc(lua_State* L) {
  ComparisonHandle* handle = vidalua_check_self(L, VIDALUA_COMPARISON);
  VidaStudy_Destroy(&handle->study);
  vidalua_release_box(&handle->box);
  return 0;
}

/*** Frees the comparison now, not at the next garbage collection. Its results cannot be used
 * afterwards.
 * @function close
 * @usage
 * comparison:close()
 */
static int comparison_close(lua_State* L) {
  vidalua_check_self(L, VIDALUA_COMPARISON);
  refuse_at_work(L, "close");
  return comparison_gc(L);
}

VidaStudy* vidalua_to_study(lua_State* L, int index) {
  const ComparisonHandle* handle = luaL_testudata(L, index, VIDALUA_COMPARISON);
  return handle ? handle->study : NULL;
}

VidaStudy* vidalua_check_study(lua_State* L, int index) {
  const ComparisonHandle* handle = index == 1 ? vidalua_check_self(L, VIDALUA_COMPARISON)
                                              : luaL_checkudata(L, index, VIDALUA_COMPARISON);
  if (!handle->study) {
    vidalua_error(L, "attempt to use a closed comparison");
  }
  return handle->study;
}

/* ---- reading the script's table (at 1) ------------------------------------------------------- */

static const char* key_name(const void* list, int index) {
  return index < OWN_KEYS ? own_keys[index] : VidaOptions_Row(list, index - OWN_KEYS)->name;
}

/* Sets the options of the comparison: first those of the kind of study (upvalue 1: the name of its
 * option, or nil), then those of the script, then those of the command line. A study of work and
 * precision repeats runs for precise times. */
static const VidaOptions* read_options(lua_State* L) {
  VidaError error;
  VidaOptions** options = vidalua_new_options(L);
  if (VidaStudy_CreateOptions(options, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  const char* kind = lua_tostring(L, lua_upvalueindex(1));
  if ((kind && VidaOptions_SetBoolean(*options, kind, true, &error)) ||
      (VidaOptions_Get(*options, "work_precision") != 0.0 &&
       VidaOptions_SetReal(*options, "repeats", 0.0, &error)) ||
      (VidaOptions_Get(*options, "drift") != 0.0 &&
       VidaOptions_SetReal(*options, "shadow", 8.0, &error))) {
    vidalua_raise(L, "", NULL, &error);
  }
  const int count = VidaOptions_Count(*options);
  const VidaLuaNames names = {OWN_KEYS + count, key_name, *options};
  vidalua_check_keys(L, 1, "", "key of a comparison", 0, names);
  for (int i = 0; i < count; i++) {
    const VidaOptionRow* row = VidaOptions_Row(*options, i);
    if (vidalua_field(L, 1, row->name) != LUA_TNIL) {
      vidalua_set_option(L, *options, row, -1, "", row->name);
    }
    lua_pop(L, 1);
  }
  vidalua_apply_settings(L, *options);
  return *options;
}

/* Returns whether a reference is solved for, not known: "auto" or a method. */
static bool is_method_or_word(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TSTRING || (lua_istable(L, index) && lua_rawlen(L, index) > 0);
}

static const char defer_start_key = 0;

void vidalua_defer_start(lua_State* L) {
  lua_pushboolean(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &defer_start_key);
}

/* Checks the initial values now, so that a message about them names the line of the script. */
static void check_start(lua_State* L, int index, const VidaOptions* options) {
  VidaError error;
  const VidaSystem* system = vidalua_check_system(L, index)->system;
  const bool is_deferred = lua_rawgetp(L, LUA_REGISTRYINDEX, &defer_start_key) != LUA_TNIL;
  lua_pop(L, 1);
  if (is_deferred) {
    return;
  }
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  double* q = lua_newuserdatauv(L, 2 * n * sizeof *q + 1, 0);
  const VidaStartOptions start = VidaStudy_StartOptions(options);
  if (VidaSystem_Start(system, VidaOptions_Get(options, "t0"), &start, q, q + n, NULL, &error)) {
    vidalua_raise_start(L, index, "", &error);
  }
  lua_pop(L, 1);
}

/* Adds one run for each start. */
static void add_runs_from(lua_State* L, const ComparisonHandle* handle,
                          const VidaOptions* options) {
  VidaError error;
  const VidaStarts* starts = &handle->starts;
  const size_t n = (size_t)VidaSystem_CoordinateCount(handle->box->system);
  double* q = lua_newuserdatauv(L, 2 * n * sizeof *q + 1, 0);
  for (long i = 0; i < starts->count; i++) {
    char label[VIDA_OPTIONS_SIZE];
    if (starts->start(starts->data, i, q, q + n, label, &error)) {
      lua_pushstring(L, error.message);
      lua_error(L);
    }
    if (VidaStudy_AddRunFrom(handle->study, options, label, q, q + n, &error)) {
      const char* place = lua_pushfstring(L, "starts[%d]", (int)i + 1);
      vidalua_raise(L, place, NULL, &error);
    }
  }
  lua_pop(L, 1);
}

/* Counts the combinations of options of the methods that are selected. */
static void count_run(lua_State* L, const VidaOptions* options, const char* place, void* data) {
  long* count = data;
  (void)place;
  *count += vidalua_is_selected(L, VidaOptions_Method(options));
}

static void add_run(lua_State* L, const VidaOptions* options, const char* place, void* data) {
  VidaError error;
  const ComparisonHandle* handle = data;
  if (!vidalua_is_selected(L, VidaOptions_Method(options))) {
    return;
  }
  if (handle->starts.count > 0 && VidaStudy_SweepCounts(handle->study).starts == 0) {
    add_runs_from(L, handle, options);
  } else if (VidaStudy_AddRun(handle->study, options, &error)) {
    vidalua_raise(L, place, NULL, &error);
  }
}

static void read_methods(lua_State* L, VidaLuaVisitor* take, void* data) {
  vidalua_field(L, 1, "methods");
  vidalua_check_table(L, -1, "methods", "{ { \"rattle\", h = 0.01 } }");
  if (lua_rawgeti(L, -1, 1) == LUA_TSTRING) {
    const char* name = lua_tostring(L, -1);
    vidalua_error(L,
                  "methods[1]: expected a table such as { \"rattle\", h = 0.01 }, got the text "
                  "\"%s\"; write each method in its own braces: methods = { { ... }, { ... } }",
                  name);
  }
  lua_pop(L, 1);
  const int count = vidalua_check_list(L, -1, "", "methods");
  if (count == 0) {
    vidalua_error(L, "methods: expected at least one method, got an empty list");
  }
  for (int i = 1; i <= count; i++) {
    const char* place = lua_pushfstring(L, "methods[%d]", i);
    lua_rawgeti(L, -2, i);
    vidalua_read_method(L, -1, place, true, take, data);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
}

/* From so many runs on, a sweep keeps only statistics. */
enum { MANY_RUNS = 20000 };

/* Reads starts = ..., and decides whether the rows of their runs are kept. */
static void read_starts(lua_State* L, ComparisonHandle* handle, int comparison,
                        const VidaOptions* options) {
  VidaError error;
  long methods = 0;
  if (vidalua_field(L, 1, "starts") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  handle->starts = vidalua_read_starts(L, handle->box->system, comparison, -1);
  lua_pop(L, 1);
  read_methods(L, count_run, &methods);
  const bool is_large = methods > 0 && handle->starts.count >= MANY_RUNS / methods &&
                        VidaOptions_HasChoice(options, "trajectories", "none");
  const bool streams = VidaOptions_HasChoice(options, "stream", "on") ||
                       (is_large && VidaOptions_HasChoice(options, "stream", "auto"));
  if (streams && handle->starts.count > 0 &&
      VidaStudy_SetStarts(handle->study, &handle->starts, &error)) {
    vidalua_raise(L, "starts", NULL, &error);
  }
}

/* Writes the coordinates of the particle, or the coordinate, on top of the stack; returns their
 * number. */
static int read_measured(lua_State* L, const VidaSystem* model, int system, const char* entry,
                         int* indices) {
  const int coordinate = vidalua_to_input(L, lua_gettop(L), system, VIDALUA_COORDINATE);
  if (coordinate >= 0) {
    indices[0] = coordinate;
    return 1;
  }
  const int dimension = VidaSystem_Dimension(model);
  const VidaPoint point = vidalua_check_point(L, -1, system, "", entry);
  if (point.particle == VIDA_GROUND) {
    vidalua_expected(L, "", entry, "a particle or a coordinate, not a fixed point", -1);
  }
  for (int k = 0; k < dimension; k++) {
    indices[k] = VidaSystem_ParticleCoordinate(model, point.particle) + k;
  }
  return dimension;
}

/* Reads coordinates = { p, ... }, the particles and coordinates to which errors are restricted. */
static void read_coordinates(lua_State* L, ComparisonHandle* handle, int system) {
  VidaError error;
  const VidaSystem* model = handle->box->system;
  if (vidalua_field(L, 1, "coordinates") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  const int list = lua_gettop(L);
  vidalua_check_table(L, list, "coordinates", "{ particle, ... }");
  const int count = vidalua_check_list(L, list, "", "coordinates");
  const size_t most = (size_t)(count * VidaSystem_Dimension(model));
  int* indices = lua_newuserdatauv(L, most * sizeof *indices + 1, 0);
  int measured = 0;
  for (int i = 0; i < count; i++) {
    const char* entry = lua_pushfstring(L, "coordinates[%d]", i + 1);
    lua_rawgeti(L, list, i + 1);
    measured += read_measured(L, model, system, entry, indices + measured);
    lua_pop(L, 2);
  }
  if (VidaStudy_SelectCoordinates(handle->study, measured, indices, &error)) {
    vidalua_raise(L, "", "coordinates", &error);
  }
  lua_pop(L, 2);
}

/* Reads columns = "q,v,energy", the columns of trajectories, or a list of such names. */
static void read_columns(lua_State* L, VidaStudy* study) {
  VidaError error;
  const int top = lua_gettop(L);
  const int type = vidalua_field(L, 1, "columns");
  if (type == LUA_TTABLE) {
    const int count = vidalua_check_list(L, -1, "", "columns");
    luaL_Buffer names;
    lua_newtable(L);
    for (int i = 1; i <= count; i++) {
      if (lua_rawgeti(L, -2, i) != LUA_TSTRING) {
        vidalua_expected(L, "", lua_pushfstring(L, "columns[%d]", i), "the name of a column", -2);
      }
      lua_rawseti(L, -2, i);
    }
    const int list = lua_gettop(L);
    luaL_buffinit(L, &names);
    for (int i = 1; i <= count; i++) {
      lua_rawgeti(L, list, i);
      luaL_addvalue(&names);
      luaL_addchar(&names, ',');
    }
    luaL_pushresult(&names);
  } else if (type != LUA_TNIL && type != LUA_TSTRING) {
    vidalua_expected(L, "", "columns", "names such as \"q,v,energy\"", -1);
  }
  if (type != LUA_TNIL && VidaStudy_SelectColumns(study, lua_tostring(L, -1), &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  lua_settop(L, top);
}

/*** Describes a comparison, and completes the system. Checks all arguments, but makes no runs.
 * @function vida.compare
 * @tparam table given
 * @tparam system given.system the system
 * @tparam number given.time duration, s
 * @tparam {table,...} given.methods a list of `{ "name", option = value }`; if values are lists,
 *   there is a run for every combination
 * @tparam[opt] string|table|function given.reference the reference for errors; without it only
 *   errors that need no reference are measured
 * @tparam[opt] {point|expression,...} given.coordinates particles and coordinates whose errors are
 *   measured; by default all coordinates
 * @tparam[opt] {table,...} given.starts initial values, each `{ values = { x = 1, ["d x/dt"] = 2 },
 *   label = "x=1" }`: every method runs from each of them; or `{ count = 1000, at = f }`, where
 *   f(i) returns start number i, whenever it is asked
 * @tparam[opt] string|{string,...} given.columns what the trajectories have besides t: parts such
 * as
 *   `"q,v,energy"` (`vida run --columns help` lists them), or names of single columns
 * @tparam[opt] string given.label a text that distinguishes it from other comparisons on systems of
 *   the same name, for example `"mass=1.5"`: it appears in titles and before the options of all
 *   runs
 * @tparam[opt] ... given.option any option of comparisons
 * @treturn comparison
 * @raise if a step does not divide the time (the message has the nearest steps that do), if a
 *   method does not accept the system, if an initial value violates a constraint, or if an option
 *   is unknown or out of its range
 * @usage
 * local short = vida.compare {
 *   system = s, time = 0.1, norm = "max",
 *   reference = { "energy-momentum", h = 1e-3 },
 *   methods = { { "ida-ggl", rtol = { 1e-4, 1e-6 } } },
 * }
 */
static int new_comparison(lua_State* L) {
  VidaError error;
  vidalua_check_table(L, 1, "vida.compare", "{ system = s, time = 1, methods = { ... } }");
  lua_settop(L, 1);
  const VidaOptions* options = read_options(L);
  vidalua_field(L, 1, "system");
  const int system = lua_gettop(L);
  if (!luaL_testudata(L, system, VIDALUA_SYSTEM)) {
    vidalua_expected(L, "", "system", "a system made by vida.system", system);
  }
  VidaLuaBox* box = vidalua_check_system(L, system);
  vidalua_complete_system(L, box);

  ComparisonHandle* handle = lua_newuserdatauv(L, sizeof *handle, 2);
  memset(handle, 0, sizeof *handle);
  luaL_setmetatable(L, VIDALUA_COMPARISON);
  const int comparison = lua_gettop(L);
  handle->box = vidalua_retain_box(box);
  if (VidaStudy_Create(box->system, options, &handle->study, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  const char* label = vidalua_optional_text(L, 1, "", "label");
  if (label && VidaStudy_SetLabel(handle->study, label, &error)) {
    return vidalua_raise(L, "", "label", &error);
  }
  check_start(L, system, options);
  if (vidalua_field(L, 1, "reference") != LUA_TNIL) {
    const bool has_starts = vidalua_field(L, 1, "starts") != LUA_TNIL;
    lua_pop(L, 1);
    if (has_starts && !is_method_or_word(L, -1)) {
      vidalua_error(L,
                    "reference: runs from different starts need a method or \"auto\", which VIDA "
                    "solves from each of them");
    }
    vidalua_read_reference(L, handle->study, comparison, -1);
  }
  read_coordinates(L, handle, system);
  read_starts(L, handle, comparison, options);
  read_methods(L, add_run, handle);
  read_columns(L, handle->study);
  vidalua_count_pending(L, 1);
  lua_settop(L, comparison);
  return 1;
}

/*** Describes a comparison of work and precision. It repeats each run until the median of its time
 * is stable, fits orders, and measures the time that each method needs for an error.
 * @function vida.work_precision
 * @tparam table given as for `vida.compare`
 * @treturn comparison
 * @usage
 * local study = vida.work_precision {
 *   system = s, time = 0.1, reference = "auto", repeats = 3,
 *   methods = { { "rattle", h = { 0.02, 0.01, 0.005 } } },
 * }
 */

/*** Describes a comparison of drifts. It fits a straight line to the errors of energy, momenta and
 * constraints, and measures its slope with the 95 % confidence interval, and the amplitude of the
 * oscillation about the line. Rows have the columns `energy_drift`, `energy_drift_interval` and
 * `energy_oscillation`, and those that begin with `shadow_energy_`, `momentum_` and `constraint_`.
 * The shadow energy of a symplectic method (`shadow`, by default of order 8) oscillates less than
 * the energy by several orders of magnitude, so that a short run shows its drift.
 * @function vida.drift
 * @tparam table given as for `vida.compare`
 * @treturn comparison
 * @usage
 * local long = vida.drift {
 *   system = s, time = 20, symplectic = true, reversibility = true,
 *   methods = { { "rattle", h = 0.02 } },
 * }
 */

/* ---- running --------------------------------------------------------------------------------- */

/* The files that a run writes into its folder. */
typedef struct RunFiles {
  const VidaStudy* study;
  VidaRecording* recording;
  const char *directory, *data;
} RunFiles;

static int save_files(void* data, VidaError* error) {
  const RunFiles* files = data;
  const VidaRecording* recording = files->recording;
  const int code = VidaReport_Write(&files->study, 1, files->directory, error);
  return code ? code : VidaReport_PageData(&recording, 1, &vidalua_page_facts, files->data, error);
}

/* Locks the folder. Finished runs of an earlier process are lost only where that is asked for. */
static int hold_folder(const RunFiles* files, bool resume, bool overwrite, VidaFolder** folder,
                       VidaError* error) {
  const bool is_kept = !resume && !overwrite && files->directory;
  const long starts = is_kept ? VidaSweep_StoredStarts(files->directory) : 0;
  const int stored = is_kept && starts == 0 ? VidaJournal_StoredRuns(files->directory) : 0;
  if (starts != 0) {
    *error = (VidaError){.code = VIDA_INPUT_OUTPUT};
    snprintf(error->message, sizeof error->message,
             "run: '%.300s' has an unfinished sweep%s; %soverwrite = true begins anew",
             files->directory, starts < 0 ? ", whose state is damaged" : "",
             starts < 0 ? "" : "resume = true goes on with it, ");
    return VIDA_INPUT_OUTPUT;
  }
  if (stored > 0) {
    *error = (VidaError){.code = VIDA_INPUT_OUTPUT};
    snprintf(error->message, sizeof error->message,
             "run: '%.300s' has stored runs of an unfinished comparison; resume = true goes on "
             "with it, "
             "overwrite = true begins anew",
             files->directory);
    return VIDA_INPUT_OUTPUT;
  }
  return !files->directory ? VIDA_SUCCESS
         : resume          ? VidaReport_ReopenFolder(files->directory, folder, error)
                           : VidaReport_HoldFolder(files->directory, folder, error);
}

/* Begins a journal in the folder, or continues that of an earlier process. */
static int open_journal(const RunFiles* files, VidaStudy* study, bool resume, VidaJournal** journal,
                        VidaError* error) {
  if (!files->directory) {
    return VIDA_SUCCESS;
  }
  const VidaJournalScope scope = {.directory = files->directory,
                                  .count = 1,
                                  .studies = &study,
                                  .recording = &files->recording,
                                  .directories = &files->directory};
  return resume && VidaReport_HasJournal(files->directory)
             ? VidaJournal_Resume(&scope, journal, error)
             : VidaJournal_Create(&scope, journal, error);
}

/* Makes the runs of a sweep whose rows are not kept. */
static int stream_sweep(const RunFiles* files, VidaStudy* study, const VidaLuaRun* wishes,
                        bool resume, VidaError* error) {
  const VidaSweepScope scope = {
      .directory = files->directory, .count = 1, .studies = &study, .folders = &files->directory};
  return vidalua_run_sweeps(&scope, wishes, resume, error);
}

static int raise_problem(lua_State* L, int code, const VidaError* error) {
  if (code == VIDA_CALLBACK_FAILED) { /* the message has the line of the script's function */
    lua_pushstring(L, error->message);
    return lua_error(L);
  }
  return vidalua_raise(L, "", NULL, error);
}

/*** Makes the runs. If a run fails, its row has the status, and the other runs continue.
 * @function run
 * @tparam[opt] table given
 * @tparam[opt=false] boolean given.quiet do not show the progress on terminals
 * @tparam[opt] string given.out folder for comparison.csv, comparison.json and the trajectories
 * @tparam[opt=false] boolean given.resume go on with the runs in `out`, a folder in which an
 * earlier run was stopped or killed
 * @tparam[opt=false] boolean given.overwrite begin anew in `out`, even if an earlier run or sweep
 * was stopped or killed there when some of its runs had finished
 * @tparam[opt] string given.report path of the report, such as "page.html"
 * @treturn result
 * @raise if a file cannot be written, or if the reference fails; in the latter case the runs are
 *   made without it, and `out` and `report` are written
 * @usage
 * local result = comparison:run { quiet = true, out = "results" }
 */
static int comparison_run(lua_State* L) {
  static const char* const keys[] = {"quiet", "out", "report", "resume", "overwrite", NULL};
  VidaError error;
  VidaLuaRun wishes = {0};
  bool quiet = false, resume = false, overwrite = false;
  const char* page = NULL;
  VidaStudy* study = vidalua_check_study(L, 1);
  refuse_at_work(L, "run");
  if (!lua_isnoneornil(L, 2)) {
    vidalua_check_table(L, 2, "run", "{ quiet = true, out = \"DIR\" }");
    vidalua_check_keys(L, 2, "run", "key", 0, vidalua_names(keys));
    quiet = vidalua_optional_boolean(L, 2, "run", "quiet", false);
    wishes.directory = vidalua_optional_text(L, 2, "run", "out");
    page = vidalua_optional_text(L, 2, "run", "report");
    resume = vidalua_optional_boolean(L, 2, "run", "resume", false);
    overwrite = vidalua_optional_boolean(L, 2, "run", "overwrite", false);
    if (resume && overwrite) {
      return luaL_error(L, "run: resume goes on, and overwrite begins anew: one of them");
    }
    if (resume && !wishes.directory) {
      return luaL_error(
          L, "run: resume = true needs out = \"DIR\", the folder of the unfinished runs");
    }
  }
  if (wishes.directory) {
    vidalua_check_writable(L, "run", wishes.directory);
  }
  if (page) {
    vidalua_check_file(L, "run", page, ".html");
  }
  ComparisonHandle* handle = lua_touserdata(L, 1);
  vidalua_count_pending(L, handle->was_run ? 0 : -1);
  vidalua_mark_work_done(L);
  handle->was_run = true;
  VidaLuaWatch watch = vidalua_begin_interrupt_checks(L);
  wishes.show_progress = !quiet && vidalua_progress_has_terminal();
  wishes.is_interrupted = vidalua_is_interrupted;
  wishes.data = &watch;
  RunFiles files = {.study = study, .directory = wishes.directory};
  if (files.directory) {
    files.data = lua_pushfstring(L, "%s/report.json", files.directory);
    wishes.save = save_files;
    wishes.saved = &files;
  }
  wishes.studies = 1;
  wishes.progress = wishes.directory;
  VidaFolder* folder = NULL; /* released, as the journal is, before any Lua error is raised */
  int code = hold_folder(&files, resume, overwrite, &folder, &error);
  code = code ? code : stream_sweep(&files, study, &wishes, resume, &error);
  if (code) {
    VidaReport_RemoveProgress(wishes.progress);
    VidaReport_ReleaseFolder(&folder);
    return raise_problem(L, code, &error);
  }
  files.recording = vidalua_try_new_recording(L, study, &error);
  wishes.recording = files.recording;
  const VidaRecording* recorded = files.recording;
  const int recording = lua_gettop(L);
  code = recorded ? open_journal(&files, study, resume, &wishes.journal, &error) : error.code;
  code = code || !page ? code : VidaReport_PreparePage(page, &error);
  code = code ? code : vidalua_run_study(study, &wishes, &error);
  const bool is_kept = code == VIDA_STOPPED || (code && vidalua_has_rows(study, code));
  if (!code && files.directory) {
    code = save_files(&files, &error);
  } else if (is_kept && files.directory) {
    save_files(&files, NULL); /* keeps the finished runs */
  }
  VidaReport_RemoveProgress(wishes.progress); /* as long as the journal is there */
  if (!code && VidaJournal_RemoveComplete(wishes.journal)) {
    VidaSweep_RemoveState(files.directory);
  }
  VidaJournal_Destroy(&wishes.journal);
  if (is_kept && page && code != VIDA_STOPPED) {
    VidaReport_Page(&recorded, 1, &vidalua_page_facts, page, NULL);
  }
  code = code || !page ? code : VidaReport_Page(&recorded, 1, &vidalua_page_facts, page, &error);
  VidaReport_ReleaseFolder(&folder);
  if (code) {
    return raise_problem(L, code, &error);
  }
  vidalua_push_result(L, 1, recording, files.directory);
  return 1;
}

static void push_measured(lua_State* L, const VidaMeasured* measured) {
  lua_createtable(L, 0, 6);
  lua_pushstring(L, measured->method->name);
  lua_setfield(L, -2, "method");
  lua_pushstring(L, measured->options);
  lua_setfield(L, -2, "options");
  lua_pushboolean(L, measured->adaptive);
  lua_setfield(L, -2, "adaptive");
  lua_pushnumber(L, measured->seconds);
  lua_setfield(L, -2, "seconds");
}

/* Appends the recommendation to the list on top of the stack, if there is one. */
static void add_recommendation(lua_State* L, const VidaRecommendation* given, const char* keeps) {
  if (!given->best.method) {
    return;
  }
  push_measured(L, &given->best);
  lua_pushnumber(L, given->error);
  lua_setfield(L, -2, "error");
  lua_pushstring(L, keeps);
  lua_setfield(L, -2, "keeps");
  lua_pushstring(L, given->system);
  lua_setfield(L, -2, "system");
  if (given->setting > 0.0) {
    lua_pushnumber(L, given->setting);
    lua_setfield(L, -2, given->best.adaptive ? "rtol" : "h");
  }
  lua_createtable(L, given->rival_count, 0);
  for (int i = 0; i < given->rival_count; i++) {
    push_measured(L, &given->rivals[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "rivals");
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void push_trial(lua_State* L, const VidaTrial* trial) {
  lua_newtable(L);
  vidalua_set_text(L, "name", trial->method->name);
  lua_pushboolean(L, trial->accepted && trial->code == VIDA_SUCCESS);
  lua_setfield(L, -2, "accepted");
  if (trial->code) {
    vidalua_set_text(L, "reason", trial->error.message);
  }
  vidalua_set_text(L, "contacts", trial->time_stepping ? "time stepping" : "events");
  vidalua_set_integer(L, "order", trial->order);
  vidalua_set_integer(L, "steps", trial->steps);
  vidalua_set_integer(L, "events", trial->events);
}

static void push_trials(lua_State* L, const VidaAdvice* advice) {
  lua_createtable(L, advice->trial_count, 0);
  for (int i = 0; i < advice->trial_count; i++) {
    push_trial(L, &advice->trials[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "methods");
  if (advice->contacts > 0) {
    vidalua_set_text(L, "prefers", advice->prefers_time_stepping ? "time stepping" : "events");
  }
}

/*** Recommends methods by the atlas of measured systems, as `vida advise` does.
 * @function advise
 * @treturn {table,...} a list of tables with `error` (1e-3, 1e-6 or 1e-9, of the largest
 *   displacement), `keeps` ("anything", "symplectic" or "energy"), `method`, `options` (a text),
 *   `adaptive`, `h` or `rtol` (to begin with), `system` and `seconds` (of its run in the atlas),
 * and `rivals`, the next methods there; `features` is a table of what the choice depends on,
 *   `rate` the largest rate of the motion at the start, 1/s, `methods` a list of all methods with
 *   `name`, `accepted`, `reason` (if it does not accept the system, or a step failed), `contacts`
 *   ("events" or "time stepping"), `order` (across impacts, if there are contacts), `steps` and
 *   `events` (of the trial), and `prefers` ("events" or "time stepping"), if there are contacts
 * @usage
 * local advice = comparison:advise()
 * print(advice[1].error, advice[1].method, advice.features.constrained)
 */
static int comparison_advise(lua_State* L) {
  static const char* const keeps[VIDA_KEEPS] = {"anything", "symplectic", "energy"};
#define FEATURE_NAME(NAME, name, weight, text) name,
  static const char* const names[VIDA_FEATURES] = {VIDA_FEATURE_LIST(FEATURE_NAME)};
#undef FEATURE_NAME
  VidaError error;
  VidaAdvice* advice = NULL;
  if (VidaStudy_Advise(vidalua_check_study(L, 1), &advice, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_createtable(L, VIDA_KEEPS * VIDA_ATLAS_ERRORS, 2);
  for (int keep = 0; keep < VIDA_KEEPS; keep++) {
    for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
      add_recommendation(L, &advice->recommended[keep][e], keeps[keep]);
    }
  }
  lua_createtable(L, 0, VIDA_FEATURES);
  for (int i = 0; i < VIDA_FEATURES; i++) {
    lua_pushnumber(L, advice->features[i]);
    lua_setfield(L, -2, names[i]);
  }
  lua_setfield(L, -2, "features");
  lua_pushnumber(L, advice->rates.largest);
  lua_setfield(L, -2, "rate");
  push_trials(L, advice);
  VidaAdvice_Destroy(&advice);
  return 1;
}

static int comparison_tostring(lua_State* L) {
  const VidaStudy* study = vidalua_to_study(L, 1);
  if (study) {
    const int runs = VidaStudy_RunCount(study);
    const VidaSweepCounts counts = VidaStudy_SweepCounts(study);
    if (counts.starts > 0) {
      lua_pushfstring(L, "sweep from %I starts of system '%s'", (LUAI_UACINT)counts.starts,
                      VidaSystem_Name(VidaStudy_System(study)));
      return 1;
    }
    lua_pushfstring(L, "comparison of %d run%s on system '%s'", runs, runs == 1 ? "" : "s",
                    VidaSystem_Name(VidaStudy_System(study)));
  } else {
    lua_pushstring(L, "closed comparison");
  }
  return 1;
}

void vidalua_open_comparison(lua_State* L) {
  static const luaL_Reg meta[] = {{"__gc", comparison_gc},
                                  {"__close", comparison_close},
                                  {"__tostring", comparison_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {{"run", comparison_run},
                                     {"advise", comparison_advise},
                                     {"close", comparison_close},
                                     {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_COMPARISON, meta, methods, NULL);
  static const char* const kinds[] = {NULL, "work_precision", "drift"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    lua_pushstring(L, kinds[i]); /* nil for NULL */
    lua_pushcclosure(L, new_comparison, 1);
  }
}
