/* vida run SCENARIO.lua: runs the comparisons that a script returns and reports them. */
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "binding.h"
#include "commands.h"
#include "script.h"

typedef enum RunFormat { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON } RunFormat;
static const char* const format_names[] = {"table", "csv", "json", NULL};

/* A growing list of arguments, which are kept, not copied. */
typedef struct TextList {
  const char** items;
  int count;
} TextList;

typedef struct RunArguments {
  const char* script;
  const char* out; /* NULL: nothing is written */
  RunFormat format;
  bool quiet;
  TextList settings; /* "name=value" */
  TextList only;
} RunArguments;

/* ---- arguments ------------------------------------------------------------------------------- */

static bool add_text(TextList* list, const char* text) {
  const char** grown = realloc(list->items, ((size_t)list->count + 1) * sizeof *grown);
  if (!grown) {
    return cli_complain("run", "out of memory");
  }
  list->items = grown;
  list->items[list->count++] = text;
  return true;
}

static bool take_script(void* data, const char* value) {
  RunArguments* arguments = data;
  if (arguments->script) {
    return cli_complain("run", "one scenario at a time, got '%s' and '%s'", arguments->script,
                        value);
  }
  arguments->script = value;
  return true;
}

static bool take_out(void* data, const char* value) {
  ((RunArguments*)data)->out = value;
  return value[0] ? true : cli_complain("run", "--out needs the name of a folder");
}

static bool take_format(void* data, const char* value) {
  char suggestion[80];
  for (int i = 0; format_names[i]; i++) {
    if (strcmp(value, format_names[i]) == 0) {
      ((RunArguments*)data)->format = (RunFormat)i;
      return true;
    }
  }
  return cli_complain("run", "--format: expected table, csv or json, got '%s'%s", value,
                      cli_suggestion(suggestion, sizeof suggestion, value, format_names));
}

static bool take_setting(void* data, const char* value) {
  const char* equals = strchr(value, '=');
  if (!equals || equals == value) {
    return cli_complain("run", "--set: expected name=value, got '%s'", value);
  }
  return add_text(&((RunArguments*)data)->settings, value);
}

static bool take_only(void* data, const char* value) {
  if (!Vida_FindMethod(value)) {
    return cli_complain_about_method("run", value);
  }
  return add_text(&((RunArguments*)data)->only, value);
}

static bool take_quiet(void* data, const char* value) {
  (void)value;
  ((RunArguments*)data)->quiet = true;
  return true;
}

static const CliOption run_options[] = {
    {"--out", "DIR", "write comparison.csv, comparison.json and every trajectory", take_out},
    {"--format", "FORMAT", "table (the default), csv or json", take_format},
    {"--set", "name=value", "give a vida.setting or an option of the comparison", take_setting},
    {"--only", "METHOD", "make the runs of this method only; may be repeated", take_only},
    {"--quiet", NULL, "show no progress", take_quiet},
    {NULL, NULL, NULL, NULL}};

/* ---- interruption ---------------------------------------------------------------------------- */

/* As lua5.4 does it: Ctrl-C sets a hook that stops a script, and that the binding notices while a
 * comparison runs. A second Ctrl-C ends the process at once. */
static lua_State* interrupted_state;

static void stop_script(lua_State* L, lua_Debug* frame) {
  (void)frame;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "stopped on request");
}

static void on_interrupt(int signal_number) {
  const int every = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  signal(signal_number, SIG_DFL);
  lua_sethook(interrupted_state, stop_script, every, 1);
}

/* ---- the comparisons that a script returns --------------------------------------------------- */

typedef struct Work {
  const RunArguments* arguments;
  VidaStudy** studies; /* owned by Lua, as are the comparisons */
  int count;
  int exit_code;
} Work;

static int fail(Work* work, int code, const char* message) {
  fprintf(stderr, "vida: %s\n", message);
  work->exit_code = code;
  return 0;
}

static const char* wrong_result_advice =
    "a scenario ends with 'return vida.compare { ... }' or a list of comparisons";

/* Finds the studies in what the script returned; false after a message. */
static bool collect_studies(lua_State* L, Work* work, int results) {
  const char* script = work->arguments->script;
  if (results != 1 || (!vidalua_to_study(L, -1) && !lua_istable(L, -1))) {
    const char* got = results == 0  ? "nothing"
                      : results > 1 ? "several values"
                                    : luaL_typename(L, -1);
    lua_pushfstring(L, "%s returned %s: %s", script, got, wrong_result_advice);
    fail(work, EXIT_FAILED, lua_tostring(L, -1));
    return false;
  }
  const bool is_list = lua_istable(L, -1);
  const int value = lua_gettop(L);
  const int count = is_list ? (int)lua_rawlen(L, value) : 1;
  work->studies = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *work->studies, 0);
  for (int i = 0; i < count; i++) {
    lua_pushvalue(L, value);
    if (is_list) {
      lua_rawgeti(L, value, i + 1);
    }
    work->studies[i] = vidalua_to_study(L, -1);
    if (!work->studies[i]) {
      lua_pushfstring(L, "%s returned a list whose entry %d is no comparison but a %s: %s", script,
                      i + 1, luaL_typename(L, -1), wrong_result_advice);
      fail(work, EXIT_FAILED, lua_tostring(L, -1));
      return false;
    }
    lua_settop(L, value + 1);
  }
  work->count = count;
  if (count == 0) {
    lua_pushfstring(L, "%s returned an empty list: %s", script, wrong_result_advice);
    fail(work, EXIT_FAILED, lua_tostring(L, -1));
  }
  return count > 0;
}

/* Leaves out comparisons that --only has left without runs. */
static bool drop_empty_studies(Work* work) {
  int kept = 0;
  for (int i = 0; i < work->count; i++) {
    if (VidaStudy_RunCount(work->studies[i]) > 0) {
      work->studies[kept++] = work->studies[i];
    }
  }
  work->count = kept;
  if (kept == 0) {
    fail(work, EXIT_USAGE, "--only: the scenario has no run of this method");
  }
  return kept > 0;
}

/* ---- running and reporting ------------------------------------------------------------------- */

/* Where trajectories of study i go: DIR, or DIR/1, DIR/2, ... when there are several. */
static const char* push_directory(lua_State* L, const Work* work, int i) {
  const char* out = work->arguments->out;
  if (!out) {
    return NULL;
  }
  return work->count == 1 ? lua_pushstring(L, out) : lua_pushfstring(L, "%s/%d", out, i + 1);
}

static int run_studies(lua_State* L, Work* work, VidaError* error) {
  const RunArguments* arguments = work->arguments;
  VidaLuaWatch watch = vidalua_watch_host(L);
  VidaLuaRun wishes = {.is_interrupted = vidalua_host_interrupts, .data = &watch};
  wishes.show_progress = !arguments->quiet && vidalua_progress_has_terminal();
  watch.hook = NULL; /* also an interrupt that came before */
  if (arguments->out) {
    int code = VidaReport_PrepareFolder(arguments->out, error);
    for (int i = 0; i < work->count && !code; i++) {
      code = VidaReport_PrepareFolder(push_directory(L, work, i), error);
      lua_pop(L, 1);
    }
    if (code) {
      return code;
    }
  }
  for (int i = 0; i < work->count; i++) {
    const int top = lua_gettop(L);
    wishes.directory = push_directory(L, work, i);
    const int code = vidalua_run_study(work->studies[i], &wishes, error);
    lua_settop(L, top);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

/* Columns of the terminal; 0 when stdout is none. */
static int terminal_width(void) {
  struct winsize size;
  const char* text = getenv("COLUMNS");
  char* end = NULL;
  const long columns = text ? strtol(text, &end, 10) : 0;
  if (text && end != text && *end == '\0' && columns > 0 && columns < 10000) {
    return (int)columns;
  }
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    return size.ws_col;
  }
  return 0;
}

static int report(const Work* work, VidaError* error) {
  const VidaStudy* const* studies = (const VidaStudy* const*)work->studies;
  switch (work->arguments->format) {
    case FORMAT_CSV:
      return VidaReport_Csv(studies, work->count, stdout, error);
    case FORMAT_JSON:
      return VidaReport_Json(studies, work->count, stdout, error);
    case FORMAT_TABLE:
    default:
      for (int i = 0; i < work->count; i++) {
        if (i > 0) {
          putchar('\n');
        }
        const int code = VidaReport_Table(studies[i], stdout, terminal_width(), error);
        if (code) {
          return code;
        }
      }
      return VIDA_SUCCESS;
  }
}

static void count_failures(Work* work) {
  int failed = 0;
  int runs = 0;
  for (int i = 0; i < work->count; i++) {
    for (int run = 0; run < VidaStudy_RunCount(work->studies[i]); run++) {
      runs++;
      failed += strcmp(VidaStudy_Row(work->studies[i], run)->status, "ok") != 0;
    }
  }
  if (failed > 0) {
    fflush(stdout); /* so that the rows come first on a terminal */
    fprintf(stderr, "vida: %d of %d runs failed\n", failed, runs);
    work->exit_code = EXIT_FAILED;
  }
}

/* ---- everything that Lua may interrupt, in protected mode ------------------------------------ */

static void give_settings(lua_State* L, const RunArguments* arguments) {
  for (int i = 0; i < arguments->settings.count; i++) {
    const char* text = arguments->settings.items[i];
    const char* equals = strchr(text, '=');
    lua_pushlstring(L, text, (size_t)(equals - text));
    vidalua_give_setting(L, lua_tostring(L, -1), equals + 1);
    lua_pop(L, 1);
  }
  for (int i = 0; i < arguments->only.count; i++) {
    vidalua_give_only(L, arguments->only.items[i]);
  }
}

static int run_protected(lua_State* L) {
  VidaError error;
  int results = 0;
  Work* work = lua_touserdata(L, 1);
  const RunArguments* arguments = work->arguments;
  cli_open_libraries(L, arguments->script);
  give_settings(L, arguments);
  if (!cli_run_script(L, arguments->script, &results)) {
    const int code = vidalua_blames_setting(L) ? EXIT_USAGE : EXIT_FAILED;
    return fail(work, code, luaL_tolstring(L, -1, NULL));
  }
  if (!collect_studies(L, work, results)) {
    return 0;
  }
  if (vidalua_push_unused_setting(L)) {
    return fail(work, EXIT_USAGE, lua_tostring(L, -1));
  }
  if (!drop_empty_studies(work)) {
    return 0;
  }
  int code = run_studies(L, work, &error);
  if (!code && arguments->out) {
    code = VidaReport_Write((const VidaStudy* const*)work->studies, work->count, arguments->out,
                            &error);
  }
  if (!code) {
    code = report(work, &error);
  }
  if (code) {
    return fail(work, EXIT_FAILED, error.message);
  }
  count_failures(work);
  return 0;
}

static int run_scenario(const RunArguments* arguments) {
  Work work = {.arguments = arguments, .exit_code = EXIT_OK};
  lua_State* L = luaL_newstate();
  if (!L) {
    fail(&work, EXIT_FAILED, "out of memory");
    return work.exit_code;
  }
  interrupted_state = L;
  signal(SIGINT, on_interrupt);
  lua_pushcfunction(L, run_protected);
  lua_pushlightuserdata(L, &work);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    const char* message = lua_tostring(L, -1);
    fail(&work, EXIT_FAILED, message ? message : "an error without a message");
  }
  signal(SIGINT, SIG_DFL);
  lua_close(L);
  return work.exit_code;
}

static int run_command(const CliCommand* command, int count, char** texts) {
  RunArguments arguments = {0};
  int code = EXIT_USAGE;
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed == CLI_HELP_SHOWN) {
    code = EXIT_OK;
  } else if (parsed == CLI_GO_ON && !arguments.script) {
    cli_complain(command->name, "the name of a scenario is missing");
  } else if (parsed == CLI_GO_ON) {
    code = run_scenario(&arguments);
  }
  free(arguments.settings.items);
  free(arguments.only.items);
  return code;
}

const CliCommand cli_run_command = {
    .name = "run",
    .operand = "SCENARIO.lua",
    .summary = "Run the comparisons of a scenario and print one row per run.",
    .details =
        "\nRows go to stdout, progress and messages to stderr. With --out, rows go to\n"
        "DIR/comparison.csv and .json as well, and trajectories to DIR/<run>.csv\n"
        "(DIR/1/<run>.csv, ... when the scenario returns several comparisons).\n"
        "Exit code: 0 all runs finished, 1 the script or a run failed, 2 wrong usage.\n",
    .examples =
        "  vida run scenarios/double_spherical_pendulum.lua\n"
        "  vida run scenarios/pendulum.lua --set time=5 --only rattle --only del-midpoint\n"
        "  vida run scenarios/four_particles.lua --out results --format csv > rows.csv\n",
    .options = run_options,
    .take_operand = take_script,
    .run = run_command,
};
