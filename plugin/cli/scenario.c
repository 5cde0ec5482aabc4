#include "scenario.h"

#include <dirent.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binding.h"
#include "commands.h"
#include "terminal.h"

/* ---- arguments ------------------------------------------------------------------------------- */

bool cli_add_text(const char* command, TextList* list, const char* text) {
  const char** grown = realloc(list->items, ((size_t)list->count + 1) * sizeof *grown);
  if (!grown) {
    return cli_usage_error(command, "out of memory");
  }
  list->items = grown;
  list->items[list->count++] = text;
  return true;
}

bool cli_add_setting(const char* command, TextList* list, const char* value) {
  const char* equals = strchr(value, '=');
  if (!equals || equals == value) {
    return cli_usage_error(command, "--set: expected name=value, got '%s'", value);
  }
  return cli_add_text(command, list, value);
}

bool cli_take_trust(void* data, const char* value) {
  (void)value;
  ((CliSandbox*)data)->sandbox.trusted = true;
  return true;
}

static bool take_limit(const CliSandbox* arguments, const char* option, const char* value,
                       double* limit) {
  char* end = NULL;
  *limit = strtod(value, &end);
  return (end != value && !*end && *limit >= 1.0) ||
         cli_usage_error(arguments->command, "%s: expected a number of at least 1, got '%s'",
                         option, value);
}

bool cli_take_instructions(void* data, const char* value) {
  CliSandbox* arguments = data;
  return take_limit(arguments, "--script-instructions", value, &arguments->sandbox.instructions);
}

bool cli_take_memory(void* data, const char* value) {
  CliSandbox* arguments = data;
  return take_limit(arguments, "--script-memory", value, &arguments->sandbox.memory);
}

enum { PATH_SIZE = 4096 };

static bool is_there(const char* folder, const char* name, const char* ending,
                     char path[PATH_SIZE]) {
  const int length =
      snprintf(path, PATH_SIZE, "%s%s%s%s", folder, folder[0] ? "/" : "", name, ending);
  return length > 0 && length < PATH_SIZE && access(path, F_OK) == 0;
}

/* Finds the folder of the scenarios that are installed with this command: beside the command, which
 * may have been moved, or where it was installed. */
static void find_folder_beside(char folder[PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
  folder[length > 0 ? length : 0] = '\0';
  for (int level = 0; level < 2; level++) { /* vida, bin */
    char* slash = strrchr(folder, '/');
    *(slash ? slash : folder) = '\0';
  }
  const size_t used = strlen(folder);
  snprintf(folder + used, PATH_SIZE - used, "/" VIDA_SCENARIOS_BELOW);
}

static bool is_installed(const char* name, const char* ending, char path[PATH_SIZE]) {
  char folder[PATH_SIZE];
  find_folder_beside(folder);
  return is_there(folder, name, ending, path) || is_there(VIDA_SCENARIOS, name, ending, path);
}

/* Returns the path of a scenario: the file itself, or NAME.lua in the working directory or among
 * the installed scenarios. A name that is not found is returned unchanged. */
static const char* find_scenario(const char* name) {
  static char path[PATH_SIZE];
  const bool found = is_there("", name, "", path) || is_there("", name, ".lua", path) ||
                     is_installed(name, "", path) || is_installed(name, ".lua", path);
  return found && strcmp(path, name) != 0 ? path : name;
}

enum { NAME_SIZE = 256 };

/* Replaces `nearest` by the name of a script in the folder if that is nearer to `name`. */
static void search_folder(const char* folder, const char* name, char nearest[NAME_SIZE]) {
  DIR* open = opendir(folder);
  const struct dirent* entry;
  while (open && (entry = readdir(open)) != NULL) {
    char candidate[NAME_SIZE];
    const int length = snprintf(candidate, sizeof candidate, "%s", entry->d_name) - 4;
    if (length < 1 || strcmp(entry->d_name + length, ".lua") != 0) {
      continue;
    }
    candidate[length] = '\0';
    const char* const names[] = {nearest[0] ? nearest : candidate, candidate, NULL};
    const char* found = vidalua_nearest_name(name, vidalua_names(names));
    if (found && found != nearest) {
      memmove(nearest, candidate, (size_t)length + 1);
    }
  }
  if (open) {
    closedir(open);
  }
}

/* Writes what to do about a script that is nowhere. */
static void suggest_scenario(const char* script, char* text, size_t size) {
  char folder[PATH_SIZE], name[NAME_SIZE], nearest[NAME_SIZE] = "";
  const char* slash = strrchr(script, '/');
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : script);
  char* ending = strstr(name, ".lua");
  if (ending) {
    *ending = '\0';
  }
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - script) : 1, slash ? script : ".");
  search_folder(folder[0] ? folder : "/", name, nearest);
  find_folder_beside(folder);
  search_folder(folder, name, nearest);
  search_folder(VIDA_SCENARIOS, name, nearest);
  if (nearest[0]) {
    snprintf(text, size, "; did you mean '%s'?", nearest);
  } else {
    snprintf(text, size, "; 'vida new NAME' writes a scenario");
  }
}

bool cli_take_scenario(const char* command, const char** scenario, const char* value) {
  if (*scenario) {
    return cli_usage_error(command, "expected one scenario, got '%s' and '%s'", *scenario, value);
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
static volatile sig_atomic_t received_signal, received_count, ignores_hook;
enum { PATIENCE = 2 };

static void stop_script(lua_State* L, lua_Debug* frame) {
  (void)frame;
  vidalua_stop_script(L);
}

typedef void signal_handler(int signal_number);

/* Sets the handler of a signal and returns the one before. Unlike signal() of strict C, it keeps
 * the handler when it is called: a second signal that comes at once would end the process. */
static signal_handler* set_handler(int signal_number, signal_handler* handler) {
  struct sigaction now = {.sa_handler = handler}, before;
  sigemptyset(&now.sa_mask);
  return sigaction(signal_number, &now, &before) ? SIG_ERR : before.sa_handler;
}

static void on_interrupt(int signal_number) {
  const int every = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  received_signal = signal_number;
  received_count = received_count + 1;
  if (received_count >= PATIENCE) {
    set_handler(signal_number, SIG_DFL);
  }
  if (!ignores_hook) {
    lua_sethook(interrupted_state, stop_script, every, 1);
  }
}

static void catch_signals(void) {
  received_signal = received_count = ignores_hook = 0;
  for (int i = 0; i < STOPPING_SIGNALS; i++) {
    const bool is_hangup = stopping_signals[i] == SIGHUP;
    if (set_handler(stopping_signals[i], on_interrupt) == SIG_IGN && is_hangup) {
      set_handler(SIGHUP, SIG_IGN); /* under nohup */
    }
  }
}

static void let_signals_go(void) {
  for (int i = 0; i < STOPPING_SIGNALS; i++) {
    if (set_handler(stopping_signals[i], SIG_DFL) == SIG_IGN) {
      set_handler(stopping_signals[i], SIG_IGN);
    }
  }
}

void cli_restore_signals(void) {
  let_signals_go();
  if (received_signal) {
    raise(received_signal);
  }
}

void cli_ignore_interrupt(lua_State* L) {
  ignores_hook = 1;
  lua_sethook(L, NULL, 0, 0);
}

/* ---- the script -------------------------------------------------------------------------------
 */

int cli_fail(Scenario* work, int code, const char* message) {
  fprintf(stderr, "%svida:%s ", cli_colour(stderr, CLI_RED), cli_colour(stderr, CLI_PLAIN));
  for (const char* c = message; *c; c++) { /* it may hold any text of the script's */
    const unsigned char byte = (unsigned char)*c;
    const bool is_c1 = c > message && (unsigned char)c[-1] == 0xC2 && byte >= 0x80 && byte < 0xA0;
    const bool is_plain = byte >= 0x20 || *c == '\n' || *c == '\t';
    fputc(is_plain && !is_c1 && byte != 0x7F ? *c : '?', stderr);
  }
  fputc('\n', stderr);
  work->exit_code = code;
  return 0;
}

static void set_settings(lua_State* L, const TextList* settings) {
  for (int i = 0; i < settings->count; i++) {
    const char* text = settings->items[i];
    const char* equals = strchr(text, '=');
    lua_pushlstring(L, text, (size_t)(equals - text));
    vidalua_set_setting(L, lua_tostring(L, -1), equals + 1);
    lua_pop(L, 1);
  }
}

bool cli_load_scenario(lua_State* L, Scenario* scenario) {
  VidaLuaScenario loaded = {.script = scenario->script, .may_work_alone = scenario->may_work_alone};
  set_settings(L, scenario->settings);
  if (!vidalua_load_scenario(L, &loaded)) {
    if (access(scenario->script, F_OK) != 0) {
      char hint[2 * NAME_SIZE];
      suggest_scenario(scenario->script, hint, sizeof hint);
      lua_pushfstring(L, "%s%s", lua_tostring(L, -1), hint);
    }
    cli_fail(scenario, loaded.blames_setting ? EXIT_USAGE : EXIT_FAILED, lua_tostring(L, -1));
    return false;
  }
  scenario->studies = loaded.studies;
  scenario->count = loaded.count;
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
  lua_State* L = vidalua_new_state(&work->sandbox);
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
  fflush(stdout); /* a signal ends the process from here on, and would lose what is not written */
  let_signals_go();
  vidalua_close_state(L);
  if (received_signal && work->exit_code != EXIT_OK) {
    work->exit_code = EXIT_SIGNAL + received_signal; /* exit code of shells for a signal */
  }
  return work->exit_code;
}
