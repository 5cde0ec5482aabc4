/*** Results: the rows of a comparison that has run.
 * `#result` is the number of rows, and `result[i]` is a row: a table by names of columns (`method`,
 * `h`, `status`, `position_error`, ...). A value that was not measured is nil; reading a column
 * that does not exist is an error. `row.remarks` is a list of remarks about the run. Each is a
 * table with `code` ("SINGULAR_PASSAGE"), `severity` ("note", "warning" or "failure"), `text`, the
 * numbers `t` (s), `a`, `b` and `count` (0 if the remark does not use them), and, if the remark has
 * them, `name` (of a constraint or force, or a message), `word`, and `remedy`, a table with
 * `option`, `value` and `method`. Rows of a sweep of starts also have the initial values in which
 * they differ, `["start b.x"]` and `["start d b.x/dt"]`.
 *
 * @classmod result
 * @usage
 * local vida = require "vida"
 * local s = vida.system { "pendulum", dimension = 2 }
 * s:gravity { 0, -9.81 }
 * local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
 * s:distance { "rod", s.ground, bob, length = 1 }
 * local comparison = vida.work_precision {
 *   system = s, time = 0.5, reference = "auto", repeats = 3,
 *   methods = { { "rattle", h = { 0.05, 0.025, 0.0125 } } },
 * }
 * local result = comparison:run { quiet = true, out = "results" }
 * print(#result, result[1].method, result[1].position_error)
 * for _, remark in ipairs(result[1].remarks) do
 *   print(remark.code, remark.text)
 * end
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* User value 1 is the comparison, 2 the list of rows, 3 the folder of its files or nil, 4 the
 * recording. The userdata itself is empty. */
enum {
  RESULT_COMPARISON = 1,
  RESULT_ROWS,
  RESULT_FOLDER,
  RESULT_RECORDING,
  RESULT_VALUES = RESULT_RECORDING
};

#define VIDALUA_ROW "vida.row"
#define VIDALUA_BUFFER "vida.buffer"

/* ---- rows -------------------------------------------------------------------------------------
 * Plain tables; what was not measured is nil. Reading a column that does not exist is an error. */

static const VidaColumn* column_at(int index) {
  return index < VIDA_COLUMNS ? Vida_Column(index) : Vida_OptionalColumn(index - VIDA_COLUMNS);
}

static const char* column_name(const void* list, int index) {
  (void)list;
  return column_at(index)->name;
}

static int count_columns(void) {
  int count = 0;
  while (column_at(count)) {
    count++;
  }
  return count;
}

static int row_index(lua_State* L) {
  const VidaLuaNames columns = {count_columns(), column_name, NULL};
  const char* key = luaL_tolstring(L, 2, NULL);
  if (Vida_FindColumn(key) || strncmp(key, "start ", strlen("start ")) == 0) {
    return 0; /* a column that was not measured, a start that was not found */
  }
  const char* nearest = vidalua_nearest_name(key, columns);
  if (nearest) {
    return vidalua_error(L, "a row has no column '%s'; did you mean '%s'?", key, nearest);
  }
  return vidalua_error(L, "a row has no column '%s'", key);
}

static void push_cell(lua_State* L, const VidaRow* row, const VidaColumn* column) {
  const char* cell = (const char*)row + column->offset;
  double real = 0.0;
  long whole = 0;
  switch (column->type) {
    case VIDA_COLUMN_TEXT:
      lua_pushstring(L, cell);
      break;
    case VIDA_COLUMN_COUNT:
      memcpy(&whole, cell, sizeof whole);
      lua_pushinteger(L, whole);
      break;
    case VIDA_COLUMN_REAL:
    default:
      memcpy(&real, cell, sizeof real);
      if (isnan(real)) {
        lua_pushnil(L);
      } else {
        lua_pushnumber(L, real);
      }
      break;
  }
}

/* Sets the fields of the table on top of the stack. */
static void set_remark(lua_State* L, const VidaRow* row, int index) {
  static const char* const severities[] = {[VIDA_REMARK_SEVERITY_NOTE] = "note",
                                           [VIDA_REMARK_SEVERITY_WARNING] = "warning",
                                           [VIDA_REMARK_SEVERITY_FAILURE] = "failure"};
  const VidaRemark* remark = &row->remarks[index];
  const VidaRemarkInfo* info = Vida_RemarkInfo((int)remark->kind);
  const VidaRemedy* remedy = &remark->remedy;
  char text[VIDA_MESSAGE_SIZE];
  VidaRow_RemarkText(row, index, text, sizeof text);
  vidalua_set_text(L, "code", info->name);
  vidalua_set_text(L, "severity", severities[info->severity]);
  vidalua_set_text(L, "text", text);
  vidalua_set_text(L, "name", remark->name < 0 ? NULL : row->names + remark->name);
  vidalua_set_text(L, "word", remark->word);
  vidalua_set_real(L, "t", remark->t);
  vidalua_set_real(L, "a", remark->a);
  vidalua_set_real(L, "b", remark->b);
  vidalua_set_integer(L, "count", remark->count);
  if (remedy->option || remedy->method) {
    lua_createtable(L, 0, 3);
    vidalua_set_text(L, "option", remedy->option);
    vidalua_set_text(L, "value", remedy->value);
    vidalua_set_text(L, "method", remedy->method);
    lua_setfield(L, -2, "remedy");
  }
}

/* Pushes the list of the remarks of a row. */
static void push_remarks(lua_State* L, const VidaRow* row) {
  lua_createtable(L, row->remark_count, 0);
  for (int i = 0; i < row->remark_count; i++) {
    lua_createtable(L, 0, 10);
    set_remark(L, row, i);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Sets the initial values in which runs differ: "start b.x", "start d b.x/dt". */
static void set_starts(lua_State* L, const VidaStudy* study, int rows) {
  const VidaSystem* system = VidaStudy_System(study);
  const int n = VidaSystem_CoordinateCount(system);
  for (int place = 0; place < 2 * n; place++) {
    const bool rate = place >= n;
    if (!VidaStudy_StartVaries(study, place % n, rate)) {
      continue;
    }
    const char* name = lua_pushfstring(L, rate ? "start d %s/dt" : "start %s",
                                       VidaSystem_CoordinateName(system, place % n));
    for (int run = 0; run < VidaStudy_RunCount(study); run++) {
      const double *q, *v;
      if (VidaStudy_RunStart(study, run, &q, &v)) {
        lua_rawgeti(L, rows, run + 1);
        lua_pushnumber(L, rate ? v[place - n] : q[place]);
        lua_setfield(L, -2, name);
        lua_pop(L, 1);
      }
    }
    lua_pop(L, 1);
  }
}

static void push_rows(lua_State* L, const VidaStudy* study) {
  const int count = VidaStudy_RunCount(study);
  const int columns = count_columns();
  lua_createtable(L, count, 0);
  for (int run = 0; run < count; run++) {
    lua_createtable(L, 0, columns + 1);
    for (int i = 0; i < columns; i++) {
      push_cell(L, VidaStudy_Row(study, run), column_at(i));
      lua_setfield(L, -2, column_at(i)->name);
    }
    push_remarks(L, VidaStudy_Row(study, run));
    lua_setfield(L, -2, "remarks");
    luaL_setmetatable(L, VIDALUA_ROW);
    lua_rawseti(L, -2, run + 1);
  }
  set_starts(L, study, lua_gettop(L));
}

void vidalua_push_result(lua_State* L, int index, int recording, const char* folder) {
  index = lua_absindex(L, index);
  recording = lua_absindex(L, recording);
  const VidaStudy* study = vidalua_check_study(L, index);
  lua_newuserdatauv(L, 1, RESULT_VALUES);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, RESULT_COMPARISON);
  push_rows(L, study);
  lua_setiuservalue(L, -2, RESULT_ROWS);
  lua_pushstring(L, folder); /* nil when there is none */
  lua_setiuservalue(L, -2, RESULT_FOLDER);
  lua_pushvalue(L, recording);
  lua_setiuservalue(L, -2, RESULT_RECORDING);
  luaL_setmetatable(L, VIDALUA_RESULT);
}

bool vidalua_is_result(lua_State* L, int index) {
  return luaL_testudata(L, index, VIDALUA_RESULT) != NULL;
}

static const VidaStudy* check_result_at(lua_State* L, int index) {
  if (index == 1) {
    vidalua_check_self(L, VIDALUA_RESULT);
  } else if (!luaL_testudata(L, index, VIDALUA_RESULT)) {
    vidalua_expected(L, "", "report", "further results after the name of the file", index);
  }
  lua_getiuservalue(L, index, RESULT_COMPARISON);
  const VidaStudy* study = vidalua_check_study(L, -1);
  lua_pop(L, 1); /* the result keeps it */
  return study;
}

/* The study of the result at 1. */
static const VidaStudy* check_result(lua_State* L) {
  return check_result_at(L, 1);
}

/* The recording of the result at `index`, whose comparison is not closed. */
static const VidaRecording* check_recording(lua_State* L, int index) {
  check_result_at(L, index);
  lua_getiuservalue(L, index, RESULT_RECORDING);
  const VidaRecording* recording = vidalua_to_recording(L, -1);
  lua_pop(L, 1); /* the result keeps it */
  return recording;
}

static int result_row(lua_State* L) {
  lua_getiuservalue(L, 1, RESULT_ROWS);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static int result_length(lua_State* L) {
  luaL_checkudata(L, 1, VIDALUA_RESULT);
  lua_getiuservalue(L, 1, RESULT_ROWS);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
  return 1;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A file in memory that Lua owns, so that no error can lose it. */
typedef struct Buffer {
  FILE* file;
  char* text;
  size_t size;
} Buffer;

static int buffer_gc(lua_State* L) {
  Buffer* buffer = luaL_checkudata(L, 1, VIDALUA_BUFFER);
  if (buffer->file) {
    fclose(buffer->file);
    buffer->file = NULL;
  }
  free(buffer->text);
  buffer->text = NULL;
  return 0;
}

static Buffer* open_buffer(lua_State* L) {
  Buffer* buffer = lua_newuserdatauv(L, sizeof *buffer, 0);
  memset(buffer, 0, sizeof *buffer);
  luaL_setmetatable(L, VIDALUA_BUFFER);
  buffer->file = open_memstream(&buffer->text, &buffer->size);
  if (!buffer->file) {
    vidalua_error(L, "out of memory");
  }
  return buffer;
}

static int push_buffer(lua_State* L, Buffer* buffer, int code, const VidaError* error) {
  FILE* file = buffer->file;
  buffer->file = NULL;
  const int closed = fclose(file);
  if (code) {
    return vidalua_raise(L, "", NULL, error);
  }
  if (closed != 0 || !buffer->text) {
    return vidalua_error(L, "out of memory");
  }
  lua_pushlstring(L, buffer->text, buffer->size);
  return 1;
}

/*** The table that the command prints.
 * @function table
 * @tparam[opt=100] integer width characters per line
 * @treturn string
 * @usage
 * print(result:table(80))
 */
static int result_table(lua_State* L) {
  VidaError error;
  const VidaStudy* study = check_result(L);
  const lua_Integer width =
      vidalua_check_count(L, 2, "table", "a number of characters per line", 0, 0);
  Buffer* buffer = open_buffer(L);
  const int code =
      VidaReport_Table(study, buffer->file, width < INT_MAX ? (int)width : INT_MAX, &error);
  return push_buffer(L, buffer, code, &error);
}

/*** The rows as CSV, with all columns.
 * @function csv
 * @treturn string
 * @usage
 * io.write(result:csv())
 */
static int result_csv(lua_State* L) {
  VidaError error;
  const VidaStudy* const studies[] = {check_result(L)};
  Buffer* buffer = open_buffer(L);
  const int code = VidaReport_Csv(studies, 1, buffer->file, &error);
  return push_buffer(L, buffer, code, &error);
}

/*** The rows as strict JSON, with all columns.
 * @function json
 * @treturn string
 * @usage
 * io.write(result:json())
 */
static int result_json(lua_State* L) {
  VidaError error;
  const VidaStudy* const studies[] = {check_result(L)};
  Buffer* buffer = open_buffer(L);
  const int code = VidaReport_Json(studies, 1, buffer->file, &error);
  return push_buffer(L, buffer, code, &error);
}

/* Returns the argument of the method `place`, an index from 0: it is the number of one of `count`
 * things, "a run". */
static int check_number(lua_State* L, const char* place, const char* thing, int count) {
  const char* what = lua_pushfstring(L, "the number of %s, from 1 to %d", thing, count);
  const lua_Integer number = vidalua_check_count(L, 2, place, what, 1, 0);
  if (number < 1 || number > count) {
    vidalua_expected(L, "", place, what, 2);
  }
  return (int)number - 1;
}

/*** The events of a run, in the order of time, and at most the first 10000.
 * @function events
 * @tparam integer run its number
 * @treturn {table,...} each with `name` (of the event or contact), `kind` ("zero", for events of
 *   `system:event`) and `t`, s
 * @treturn integer the number of all events of the run
 * @usage
 * local events, count = result:events(1)
 * print(count, #events)
 */
static int result_events(lua_State* L) {
  const VidaStudy* study = check_result(L);
  const int run = check_number(L, "events", "a run", VidaStudy_RunCount(study));
  const VidaStudyEvent* events = NULL;
  const long count = VidaStudy_Events(study, run, &events);
  lua_createtable(L, (int)count, 0);
  for (long i = 0; i < count; i++) {
    lua_createtable(L, 0, 3);
    vidalua_set_text(L, "name", events[i].name);
    vidalua_set_text(L, "kind", Vida_EventKindName((int)events[i].kind));
    vidalua_set_real(L, "t", events[i].t);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, VidaStudy_EventCount(study, run));
  return 2;
}

/* ---- files ----------------------------------------------------------------------------------- */

/*** Writes comparison.csv and comparison.json, further data for pictures, and report.json, from
 * which `vida report` makes the page.
 * @function write
 * @tparam string folder created if it does not exist
 * @raise when a file cannot be written, or another process writes there
 * @usage
 * result:write "copies"
 */
static int result_write(lua_State* L) {
  VidaError error;
  const VidaStudy* const studies[] = {check_result(L)};
  const VidaRecording* const recordings[] = {check_recording(L, 1)};
  const char* directory = vidalua_plain_text(L, 2);
  if (!directory) {
    return vidalua_expected(L, "", "write", "the name of a folder", 2);
  }
  vidalua_check_writable(L, "write", directory);
  const char* data = lua_pushfstring(L, "%s/report.json", directory);
  VidaFolder* folder = NULL;
  int code = VidaReport_HoldFolder(directory, &folder, &error);
  code = code ? code : VidaReport_Write(studies, 1, directory, &error);
  code = code ? code : VidaReport_PageData(recordings, 1, &vidalua_page_facts, data, &error);
  VidaReport_ReleaseFolder(&folder);
  if (code) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

/*** Writes the report: one self-contained page of this result, or of several.
 * @function report
 * @tparam string file "page.html"
 * @tparam[opt] result ... further results for the same page
 * @raise when it cannot be written, or a comparison was closed
 * @usage
 * result:report "page.html"
 */
static int result_report(lua_State* L) {
  VidaError error;
  const char* path = vidalua_plain_text(L, 2);
  if (!path) {
    vidalua_check_self(L, VIDALUA_RESULT);
    return vidalua_expected(L, "", "report", "the name of a file, such as \"page.html\"", 2);
  }
  vidalua_check_file(L, "report", path, ".html");
  const int last = lua_gettop(L);
  const VidaRecording** recordings = lua_newuserdatauv(L, (size_t)last * sizeof *recordings, 0);
  int count = 0;
  recordings[count++] = check_recording(L, 1);
  for (int i = 3; i <= last; i++) {
    recordings[count++] = check_recording(L, i);
  }
  int code = VidaReport_PreparePage(path, &error);
  code = code ? code : VidaReport_Page(recordings, count, &vidalua_page_facts, path, &error);
  if (code) {
    return vidalua_raise(L, "report", NULL, &error);
  }
  return 0;
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* A list of texts at field `field` of the table at 2, which stays on the stack; NULL: not there. */
static const char* const* text_list(lua_State* L, const char* field) {
  if (vidalua_field(L, 2, field) == LUA_TNIL) {
    return NULL;
  }
  vidalua_check_table(L, -1, field, "a list of names");
  const int list = lua_gettop(L), count = vidalua_check_list(L, list, "plot", field);
  const char** texts = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *texts, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    texts[i] = vidalua_plain_text(L, -1);
    if (!texts[i]) {
      vidalua_expected(L, "plot", field, "a list of names", -1);
    }
    lua_pop(L, 1); /* the list holds it */
  }
  texts[count] = NULL;
  return texts;
}

static void read_steps(lua_State* L, VidaPlot* plot) {
  if (vidalua_field(L, 2, "h") == LUA_TNIL) {
    return;
  }
  if (vidalua_is_number(L, -1)) { /* one step is a list of one */
    lua_createtable(L, 1, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
  }
  vidalua_check_table(L, -1, "plot.h", "a list of steps");
  const int list = lua_gettop(L);
  plot->step_count = vidalua_check_list(L, list, "plot", "h");
  double* steps = lua_newuserdatauv(L, ((size_t)plot->step_count + 1) * sizeof *steps, 0);
  for (int i = 0; i < plot->step_count; i++) {
    lua_rawgeti(L, list, i + 1);
    vidalua_check_finite(L, -1, "plot", "h");
    steps[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  plot->steps = steps;
}

/* file = "DIR/NAME.svg": folder, name and kind of file */
static void read_file(lua_State* L, VidaPlot* plot) {
  const char* file = vidalua_optional_text(L, 2, "plot", "file");
  plot->svg = true;
  if (!file) {
    return;
  }
  const char* slash = strrchr(file, '/');
  const char* name = slash ? slash + 1 : file;
  const char* ending = strrchr(name, '.');
  plot->png = ending && strcmp(ending, ".png") == 0;
  plot->svg = ending && strcmp(ending, ".svg") == 0;
  if (ending == name || (!plot->svg && !plot->png)) {
    vidalua_error(L, "plot.file: expected a name that ends in .svg or .png, got '%s'", file);
  }
  lua_pushlstring(L, file, slash == file ? 1 : slash ? (size_t)(slash - file) : 0);
  plot->folder = slash ? lua_tostring(L, -1) : ".";
  lua_pushlstring(L, name, (size_t)(ending - name));
  plot->name = lua_tostring(L, -1);
}

/*** Draws a picture with gnuplot, from the files of `comparison:run { out = "DIR" }`. Its data and
 * its script are written beside it.
 * @function plot
 * @tparam table given
 * @tparam string given.kind what to show: `vida plot --help` lists the kinds
 * @tparam[opt] string given.file "NAME.svg" or "NAME.png"; by default KIND.svg in the folder
 *   `plots` of the results
 * @tparam[opt] {string,...} given.methods only these
 * @tparam[opt] number|{number,...} given.h only runs of these steps or tolerances
 * @tparam[opt] {string,...} given.columns only these columns
 * @tparam[opt] number given.from first time, s
 * @tparam[opt] number given.to last time, s
 * @tparam[opt] string given.title by default the system and the kind
 * @treturn boolean|nil true, or nil without gnuplot
 * @treturn string in that case, what is missing
 * @raise when the results have no data for this kind, or were not written
 * @usage
 * local drawn, why = result:plot { kind = "energy", file = "energy.svg" }
 * print(drawn or why)
 */
static int result_plot(lua_State* L) {
  static const char* const keys[] = {"kind", "file", "methods", "h", "columns",
                                     "from", "to",   "title",   NULL};
  VidaError error = {0};
  VidaPlot plot = {0};
  check_result(L);
  vidalua_check_table(L, 2, "plot", "{ kind = \"energy\", file = \"energy.svg\" }");
  vidalua_check_keys(L, 2, "plot", "key", 0, vidalua_names(keys));
  lua_settop(L, 2);
  if (lua_getiuservalue(L, 1, RESULT_FOLDER) == LUA_TNIL) {
    return vidalua_error(L,
                         "plot: pictures are drawn from files: run the comparison with "
                         ":run { out = \"DIR\" }");
  }
  const char* folder = lua_tostring(L, -1);
  plot.kind = vidalua_optional_text(L, 2, "plot", "kind");
  plot.title = vidalua_optional_text(L, 2, "plot", "title");
  plot.from = vidalua_optional_real(L, 2, "plot", "from", 0.0);
  plot.to = vidalua_optional_real(L, 2, "plot", "to", 0.0);
  plot.methods = text_list(L, "methods");
  plot.columns = text_list(L, "columns");
  read_steps(L, &plot);
  read_file(L, &plot);
  if (!plot.kind) {
    return vidalua_error(L, "plot: expected a kind, as in plot { kind = \"energy\" }");
  }
  vidalua_check_writable(L, "plot", folder);
  if (plot.folder) {
    vidalua_check_writable(L, "plot", plot.folder);
  }
  if (VidaReport_Plot(folder, &plot, &error) == VIDA_SUCCESS) {
    lua_pushboolean(L, 1);
    return 1;
  }
  if (strcmp(error.flag, "NO_GNUPLOT") != 0) {
    return vidalua_raise(L, "plot", NULL, &error);
  }
  lua_pushnil(L);
  lua_pushstring(L, error.message);
  return 2;
}

/* ---- work and precision ---------------------------------------------------------------------- */

/*** The cost of an error: the seconds that a method needs for it, interpolated linearly in
 * logarithms between neighbouring runs.
 * @function seconds_for
 * @tparam integer series its number in `result.series`
 * @tparam number error of positions, above 0
 * @treturn number|nil s, or nil if no run is accurate enough
 * @usage
 * print(result:seconds_for(1, 1e-2))
 */
static int result_seconds_for(lua_State* L) {
  const VidaStudy* study = check_result(L);
  const int series = check_number(L, "seconds_for", "a series", VidaStudy_SeriesCount(study));
  lua_settop(L, 3);
  if (!vidalua_is_number(L, 3) || !(lua_tonumber(L, 3) > 0.0)) {
    vidalua_expected(L, "", "seconds_for", "a positive error as its second argument", 3);
  }
  const double error = lua_tonumber(L, 3);
  const double seconds = VidaStudy_SecondsFor(study, series, error);
  if (isnan(seconds)) {
    lua_pushnil(L);
  } else {
    lua_pushnumber(L, seconds);
  }
  return 1;
}

/*** Series of runs that differ only in their step or tolerance: a list of tables with `method`,
 * `options`, `runs` (number of runs that count), `order` (fitted to their position errors) and
 * `order_interval` (half of its 95 % confidence interval).
 * @tfield {table,...} series
 * @usage
 * for i, series in ipairs(result.series) do
 *   print(i, series.method, series.order)
 * end
 */
static int result_series(lua_State* L) {
  const VidaStudy* study = check_result(L);
  const int count = VidaStudy_SeriesCount(study);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    VidaSeries series;
    VidaError error;
    if (VidaStudy_Series(study, i, &series, &error)) {
      return vidalua_raise(L, "", NULL, &error);
    }
    lua_createtable(L, 0, 5);
    vidalua_set_text(L, "method", series.method);
    vidalua_set_text(L, "options", series.options);
    vidalua_set_integer(L, "runs", series.count);
    vidalua_set_real(L, "order", series.order);
    vidalua_set_real(L, "order_interval", series.interval);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* ---- over many starts ------------------------------------------------------------------------ */

static void set_quantiles(lua_State* L, const char* key, const VidaQuantiles* quantiles,
                          const VidaMoments* moments) {
  lua_createtable(L, 0, 10);
  vidalua_set_integer(L, "runs", quantiles->count);
  vidalua_set_real(L, "minimum", quantiles->minimum);
  vidalua_set_real(L, "lower_quartile", quantiles->lower_quartile);
  vidalua_set_real(L, "median", quantiles->median);
  vidalua_set_real(L, "upper_quartile", quantiles->upper_quartile);
  vidalua_set_real(L, "maximum", quantiles->maximum);
  vidalua_set_real(L, "mean", moments->mean);
  vidalua_set_real(L, "deviation", moments->deviation);
  lua_pushinteger(L, (lua_Integer)moments->smallest_at + 1);
  lua_setfield(L, -2, "minimum_at");
  lua_pushinteger(L, (lua_Integer)moments->largest_at + 1);
  lua_setfield(L, -2, "maximum_at");
  lua_setfield(L, -2, key);
}

/* Sets `statuses` of the method of a streamed sweep: how many runs ended so, and the first start.
 */
static void set_statuses(lua_State* L, const VidaStudy* study, int method) {
  VidaSweepStatus status;
  lua_newtable(L);
  for (int i = 0; VidaStudy_SweepStatus(study, method, i, &status); i++) {
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, (lua_Integer)status.count);
    lua_setfield(L, -2, "runs");
    lua_pushinteger(L, (lua_Integer)status.first + 1);
    lua_setfield(L, -2, "first");
    lua_setfield(L, -2, status.status);
  }
  lua_setfield(L, -2, "statuses");
}

/*** For a sweep of starts, the spread of the errors of each method over its starts: a list of
 * tables with `method`, `options`, `h`, `rtol`, `runs` (their number), `finished` (the number that
 * reached their end), and for each measured column (`energy_error`, ...) a table of `minimum`,
 * `lower_quartile`, `median`, `upper_quartile`, `maximum` and `runs` (the number with a value).
 * @tfield {table,...} spreads
 * @usage
 * for _, spread in ipairs(result.spreads) do
 *   print(spread.method, spread.h, spread.energy_error.median)
 * end
 */
static int result_spreads(lua_State* L) {
  const VidaStudy* study = check_result(L);
  const int count = VidaStudy_SpreadCount(study);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    VidaSpread spread;
    VidaError error;
    if (VidaStudy_Spread(study, i, &spread, &error)) {
      return vidalua_raise(L, "", NULL, &error);
    }
    lua_createtable(L, 0, 16);
    vidalua_set_text(L, "method", spread.method);
    vidalua_set_text(L, "options", spread.options);
    vidalua_set_integer(L, "runs", spread.runs);
    vidalua_set_integer(L, "finished", spread.finished);
    vidalua_set_real(L, "h", spread.h);
    vidalua_set_real(L, "rtol", spread.rtol);
    for (int k = 0; column_at(k); k++) {
      const VidaColumn* column = column_at(k);
      VidaQuantiles quantiles;
      VidaMoments moments;
      const bool is_size =
          column->offset == offsetof(VidaRow, h) || column->offset == offsetof(VidaRow, rtol);
      if (column->type != VIDA_COLUMN_REAL || is_size) {
        continue;
      }
      if (VidaStudy_Quantiles(study, i, column, &quantiles, &error) ||
          VidaStudy_Moments(study, i, column, &moments, &error)) {
        return vidalua_raise(L, "", NULL, &error);
      }
      if (quantiles.count > 0) {
        set_quantiles(L, column->name, &quantiles, &moments);
      }
    }
    if (VidaStudy_SweepCounts(study).starts > 0) {
      set_statuses(L, study, i);
    }
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* ---- properties and the class ---------------------------------------------------------------- */

/*** The notes about the start: values that were computed or changed.
 * @tfield string notes
 */
static int result_notes(lua_State* L) {
  lua_pushstring(L, VidaStudy_Notes(check_result(L)));
  return 1;
}

/*** A description of the reference; "" without a reference.
 * @tfield string reference
 */
static int result_reference(lua_State* L) {
  lua_pushstring(L, VidaStudy_Reference(check_result(L), NULL));
  return 1;
}

/*** The estimated error of the reference, in the norm of the comparison; nil if it is not known.
 * @tfield number reference_error
 */
static int result_reference_error(lua_State* L) {
  double error = 0.0;
  VidaStudy_Reference(check_result(L), &error);
  if (isnan(error)) {
    lua_pushnil(L);
  } else {
    lua_pushnumber(L, error);
  }
  return 1;
}

static int result_tostring(lua_State* L) {
  result_length(L);
  lua_pushfstring(L, "result of %I runs", (LUAI_UACINT)lua_tointeger(L, -1));
  return 1;
}

void vidalua_open_result(lua_State* L) {
  static const luaL_Reg meta[] = {
      {"__len", result_length}, {"__tostring", result_tostring}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"table", result_table},
                                     {"csv", result_csv},
                                     {"json", result_json},
                                     {"write", result_write},
                                     {"report", result_report},
                                     {"plot", result_plot},
                                     {"events", result_events},
                                     {"seconds_for", result_seconds_for},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {{VIDALUA_ELEMENT, result_row},
                                        {"notes", result_notes},
                                        {"series", result_series},
                                        {"spreads", result_spreads},
                                        {"reference", result_reference},
                                        {"reference_error", result_reference_error},
                                        {NULL, NULL}};
  static const luaL_Reg buffer_meta[] = {{"__gc", buffer_gc}, {NULL, NULL}};
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  vidalua_new_class(L, VIDALUA_RESULT, meta, methods, properties);
  vidalua_new_class(L, VIDALUA_BUFFER, buffer_meta, no_methods, NULL);
  luaL_newmetatable(L, VIDALUA_ROW);
  lua_pushcfunction(L, row_index);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
