/* Scenario scripts: loading them, with strict globals, and running them. */
#ifndef VIDA_CLI_SCRIPT_H
#define VIDA_CLI_SCRIPT_H

#include <lua.h>
#include <stdbool.h>

/* Whether the name of a file ends in ".lua", and is more than that. */
bool cli_is_script_name(const char* name);

/* A Lua state with the standard libraries and `require "vida"`; scripts beside `path` can be
 * required as well. Raises Lua errors. */
void cli_open_libraries(lua_State* L, const char* path);

/* Loads and runs the script; what it returns is left on the stack above what was there (the number
 * of values in *results). Otherwise false, and a message for a person is on top of the stack. */
bool cli_run_script(lua_State* L, const char* path, int* results);

#endif
