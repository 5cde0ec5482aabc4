/* Functions that sub-commands on scenarios share: settings, running the script, its comparisons,
 * and interrupts. */
#ifndef VIDA_CLI_SCENARIO_H
#define VIDA_CLI_SCENARIO_H

#include <lua.h>
#include <stdbool.h>
#include <vida/vida.h>

#include "arguments.h"
#include "binding.h"

/* A growing list of texts, which are not copied. */
typedef struct TextList {
  const char** items;
  int count;
} TextList;

/* Adds a text. Returns false after a message. */
bool cli_add_text(const char* command, TextList* list, const char* text);
/* Adds a setting "name=value". Returns false after a message. */
bool cli_add_setting(const char* command, TextList* list, const char* value);
/* Stores the operand of a command that takes one scenario. Returns false after a message. */
bool cli_take_scenario(const char* command, const char** scenario, const char* value);

/* What a script may do: the first member of the arguments of a command that runs scripts. */
typedef struct CliSandbox {
  const char* command;
  VidaLuaSandbox sandbox;
} CliSandbox;

bool cli_take_trust(void* data, const char* value);
bool cli_take_instructions(void* data, const char* value);
bool cli_take_memory(void* data, const char* value);
/* The rows of its options. */
#define CLI_SANDBOX_OPTIONS                                                                       \
  {"--trust", NULL, "run the script without a sandbox: it may do all that you may do",            \
   cli_take_trust},                                                                               \
      {"--script-instructions", CLI_VALUE("N", CLI_OTHER),                                        \
       "end the script after about N instructions of Lua, by default 1e11",                       \
       cli_take_instructions},                                                                    \
  {                                                                                               \
    "--script-memory", CLI_VALUE("MIB", CLI_OTHER),                                               \
        "end the script if its Lua values need more memory, by default 1024 MiB", cli_take_memory \
  }

/* A scenario of the command. */
typedef struct Scenario {
  const char* script;
  VidaLuaSandbox sandbox;
  const TextList* settings;
  VidaStudy** studies; /* the comparisons, owned by Lua */
  int count;
  bool may_work_alone; /* the script may return nothing (count = 0), if it does all work itself */
  int exit_code;
} Scenario;

/* Writes a message on stderr, and sets the exit code. Returns 0. */
int cli_fail(Scenario* scenario, int code, const char* message);
/* Runs the script with its settings, and finds its comparisons. Returns false after a message.
 * Raises Lua errors. */
bool cli_load_scenario(lua_State* L, Scenario* scenario);
/* Returns whether comparison i is the first one on its system; comparisons often share a system. */
bool cli_is_first_of_system(const Scenario* scenario, int i);
/* Prints the settings of the scenario, for --set (settings.c). Returns 0. */
int cli_list_settings(lua_State* L, Scenario* scenario);
/* Calls a Lua function with `work` as light userdata in a new Lua state, in protected mode. SIGINT,
 * SIGTERM and SIGHUP interrupt it, as Ctrl-C does in lua5.4. `work` begins with a Scenario. Returns
 * its exit code, or EXIT_SIGNAL + the signal after an interrupt. */
int cli_run_protected(lua_CFunction function, Scenario* work);
/* Restores the default handling of signals, once an interrupt can no longer lose results. */
void cli_restore_signals(void);
/* Cancels an interrupt, so that the work after an interrupted comparison can finish. */
void cli_ignore_interrupt(lua_State* L);

#endif
