/* What sub-commands on scenarios share: settings, running the script, the comparisons it returns,
 * and being interrupted meanwhile. */
#ifndef VIDA_CLI_SCENARIO_H
#define VIDA_CLI_SCENARIO_H

#include <lua.h>
#include <stdbool.h>
#include <vida/vida.h>

/* A growing list of arguments, which are kept, not copied. */
typedef struct TextList {
  const char** items;
  int count;
} TextList;

/* False after a message of `command`. */
bool cli_add_text(const char* command, TextList* list, const char* text);
/* Adds "name=value". */
bool cli_add_setting(const char* command, TextList* list, const char* value);
/* Takes the one operand of a command. */
bool cli_take_scenario(const char* command, const char** scenario, const char* value);

typedef struct Scenario {
  const char* script;
  const TextList* settings;
  VidaStudy** studies; /* owned by Lua, as are the comparisons */
  int count;
  bool may_work_alone; /* the script may return nothing: then it has done what it does, count = 0 */
  int exit_code;
} Scenario;

/* Says so on stderr and sets the exit code; returns 0. */
int cli_fail(Scenario* scenario, int code, const char* message);
/* Runs the script with its settings and finds its comparisons; false after a message. Raises Lua
 * errors. */
bool cli_load_scenario(lua_State* L, Scenario* scenario);
/* Comparisons often share a system: whether comparison i is the first of its own. */
bool cli_is_first_of_system(const Scenario* scenario, int i);
/* Prints what --set can give to the scenario (settings.c); returns 0. */
int cli_list_settings(lua_State* L, Scenario* scenario);
/* Calls the function with `work` as light userdata in a new Lua state, in protected mode, while
 * SIGINT, SIGTERM and SIGHUP interrupt it as Ctrl-C does in lua5.4; `work` begins with a Scenario,
 * whose exit code is returned: EXIT_SIGNAL + the signal after an interruption. */
int cli_run_protected(lua_CFunction function, Scenario* work);
/* From now on there is nothing to be lost: signals end the process as they do any other. */
void cli_end_at_once(void);
/* Lets what follows an interrupted comparison go on in peace. */
void cli_ignore_interrupt(lua_State* L);

#endif
