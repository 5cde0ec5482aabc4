#include "scenario.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binding.h"
#include "commands.h"
#include "script.h"
#include "terminal.h"

/* ---- arguments ------------------------------------------------------------------------------- */

bool cli_add_text(const char* command, TextList* list, const char* text) {
  const char** grown = realloc(list->items, ((size_t)list->count + 1) * sizeof *grown);
  if (!grown) {
    return cli_complain(command, "out of memory");
  }
  list->items = grown;
  list->items[list->count++] = text;
  return true;
}

bool cli_add_setting(const char* command, TextList* list, const char* value) {
  const char* equals = strchr(value, '=');
  if (!equals || equals == value) {
    return cli_complain(command, "--set: expected name=value, got '%s'", value);
  }
  return cli_add_text(command, list, value);
}

enum { PATH_SIZE = 4096 };

static bool is_there(const char* folder, const char* name, const char* ending,
                     char path[PATH_SIZE]) {
  const int length =
      snprintf(path, PATH_SIZE, "%s%s%s%s", folder, folder[0] ? "/" : "", name, ending);
  return length > 0 && length < PATH_SIZE && access(path, F_OK) == 0;
}

/* The folder of the scenarios that are installed with this command: beside it, as it may have been
 * moved, or where it was installed. */
static bool is_installed(const char* name, const char* ending, char path[PATH_SIZE]) {
  char folder[PATH_SIZE];
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[length > 0 ? length : 0] = '\0';
  for (int level = 0; level < 2; level++) { /* vida, bin */
    char* slash = strrchr(folder, '/');
    *(slash ? slash : folder) = '\0';
  }
  const size_t used = strlen(folder);
  snprintf(folder + used, sizeof folder - used, "/" VIDA_SCENARIOS_BELOW);
  return is_there(folder, name, ending, path) || is_there(VIDA_SCENARIOS, name, ending, path);
}

/* A file; else NAME.lua, here or among the scenarios that come with VIDA. What is nowhere stays as
 * it is, and cannot be opened. */
static const char* find_scenario(const char* name) {
  static char path[PATH_SIZE];
  const bool found = is_there("", name, "", path) || is_there("", name, ".lua", path) ||
                     is_installed(name, "", path) || is_installed(name, ".lua", path);
  return found && strcmp(path, name) != 0 ? path : name;
}

bool cli_take_scenario(const char* command, const char** scenario, const char* value) {
  if (*scenario) {
    return cli_complain(command, "one scenario at a time, got '%s' and '%s'", *scenario, value);
  }
  *scenario = find_scenario(value);
  return true;
}

/* ---- interruption ---------------------------------------------------------------------------- */

/* As lua5.4 does it: Ctrl-C sets a hook that stops a script, and that the binding notices while a
 * comparison runs; so do a request to end and a terminal that is closed. The second one asks again:
 * what has finished is still to be written. From the third on they end the process at once. */
static const int stopping_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING_SIGNALS = sizeof stopping_signals / sizeof stopping_signals[0] };
static lua_State* interrupted_state;
static volatile sig_atomic_t received_signal, received_count;
enum { PATIENCE = 2 };

static void stop_script(lua_State* L, lua_Debug* frame) {
  (void)frame;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "stopped on request");
}

static void on_interrupt(int signal_number) {
  const int every = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  received_signal = signal_number;
  received_count = received_count + 1;
  /* Of some systems the handler is gone once it has been called. */
  signal(signal_number, received_count < PATIENCE ? on_interrupt : SIG_DFL);
  lua_sethook(interrupted_state, stop_script, every, 1);
}

static void catch_signals(void) {
  received_signal = received_count = 0;
  for (int i = 0; i < STOPPING_SIGNALS; i++) {
    const bool is_hangup = stopping_signals[i] == SIGHUP;
    if (signal(stopping_signals[i], on_interrupt) == SIG_IGN && is_hangup) {
      signal(SIGHUP, SIG_IGN); /* under nohup */
    }
  }
}

static void let_signals_go(void) {
  for (int i = 0; i < STOPPING_SIGNALS; i++) {
    if (signal(stopping_signals[i], SIG_DFL) == SIG_IGN) {
      signal(stopping_signals[i], SIG_IGN);
    }
  }
}

void cli_end_at_once(void) {
  let_signals_go();
  if (received_signal) {
    raise(received_signal);
  }
}

void cli_ignore_interrupt(lua_State* L) {
  lua_sethook(L, NULL, 0, 0);
}

/* ---- the comparisons that a script returns --------------------------------------------------- */

int cli_fail(Scenario* work, int code, const char* message) {
  fprintf(stderr, "%svida:%s ", cli_colour(stderr, CLI_RED), cli_colour(stderr, CLI_PLAIN));
  for (const char* c = message; *c; c++) { /* it may hold any text of the script's */
    const bool is_plain = (unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t';
    fputc(is_plain && *c != 0x7F ? *c : '?', stderr);
  }
  fputc('\n', stderr);
  work->exit_code = code;
  return 0;
}

static const char* wrong_result_advice =
    "a scenario ends with 'return vida.compare { ... }' or a list of comparisons";

/* A script that made its own steps, or ran its comparisons itself, may return nothing, or what came
 * of it. */
static bool worked_alone(lua_State* L, const Scenario* work, int results) {
  const VidaLuaWork own = vidalua_work_of(L);
  const bool nothing =
      results == 0 || (results == 1 && (lua_isnil(L, -1) || vidalua_is_result(L, -1)));
  return work->may_work_alone && nothing && own.done && !own.waiting;
}

/* What the script returned, in words. */
static const char* push_what_came(lua_State* L, int results) {
  if (results != 1 || lua_isnil(L, -1)) {
    return lua_pushstring(L, results > 1 ? "several values" : "nothing");
  }
  if (luaL_getmetafield(L, -1, "__name") == LUA_TSTRING) {
    return lua_pushfstring(L, "a %s", lua_tostring(L, -1));
  }
  return lua_pushstring(L, luaL_typename(L, -1));
}

/* Finds the studies in what the script returned; false after a message. */
static bool collect_studies(lua_State* L, Scenario* work, int results) {
  const char* script = work->script;
  if (worked_alone(L, work, results)) {
    return true;
  }
  if (results != 1 || (!vidalua_to_study(L, -1) && !lua_istable(L, -1))) {
    const char* got = push_what_came(L, results);
    const bool forgotten = results == 0 && vidalua_work_of(L).waiting;
    lua_pushfstring(L, "%s returned %s%s: %s", script, got,
                    forgotten ? ", and a comparison that it made was not run" : "",
                    wrong_result_advice);
    cli_fail(work, EXIT_FAILED, lua_tostring(L, -1));
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
      cli_fail(work, EXIT_FAILED, lua_tostring(L, -1));
      return false;
    }
    lua_settop(L, value + 1);
  }
  work->count = count;
  if (count == 0) {
    lua_pushfstring(L, "%s returned an empty list: %s", script, wrong_result_advice);
    cli_fail(work, EXIT_FAILED, lua_tostring(L, -1));
  }
  return count > 0;
}

static void give_settings(lua_State* L, const TextList* settings) {
  for (int i = 0; i < settings->count; i++) {
    const char* text = settings->items[i];
    const char* equals = strchr(text, '=');
    lua_pushlstring(L, text, (size_t)(equals - text));
    vidalua_give_setting(L, lua_tostring(L, -1), equals + 1);
    lua_pop(L, 1);
  }
}

bool cli_load_scenario(lua_State* L, Scenario* scenario) {
  int results = 0;
  give_settings(L, scenario->settings);
  if (!cli_run_script(L, scenario->script, &results)) {
    const int code = vidalua_blames_setting(L) ? EXIT_USAGE : EXIT_FAILED;
    cli_fail(scenario, code, luaL_tolstring(L, -1, NULL));
    return false;
  }
  if (!collect_studies(L, scenario, results)) {
    return false;
  }
  if (vidalua_push_unused_setting(L)) {
    cli_fail(scenario, EXIT_USAGE, lua_tostring(L, -1));
    return false;
  }
  return true;
}

bool cli_is_first_of_system(const Scenario* scenario, int i) {
  for (int k = 0; k < i; k++) {
    if (VidaStudy_System(scenario->studies[k]) == VidaStudy_System(scenario->studies[i])) {
      return false;
    }
  }
  return true;
}

int cli_run_protected(lua_CFunction function, Scenario* work) {
  lua_State* L = luaL_newstate();
  if (!L) {
    cli_fail(work, EXIT_FAILED, "out of memory");
    return work->exit_code;
  }
  interrupted_state = L;
  catch_signals();
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, work);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    const char* message = lua_tostring(L, -1);
    cli_fail(work, EXIT_FAILED, message ? message : "an error without a message");
  }
  let_signals_go();
  lua_close(L);
  if (received_signal && work->exit_code != EXIT_OK) {
    work->exit_code = EXIT_SIGNAL + received_signal; /* as shells tell it */
  }
  return work->exit_code;
}
