/* The sandbox of scenarios: what its files share.
 *
 * A sandboxed script sees a table of global variables that sandbox.c makes from a list of what is
 * harmless. The libraries package, os and debug are not even opened, and io is one of our own
 * (sandbox_files.c). The binding itself keeps tables of its own, which no script can reach. */
#ifndef VIDA_LUA_SANDBOX_H
#define VIDA_LUA_SANDBOX_H

#include <stdio.h>

#include "binding.h"

/* ---- limits (limits.c) ----------------------------------------------------------------------- */

/* Takes `cost` instructions from those that the script has left; raises an error when there are no
 * more. Functions in C call it before work that no instruction of the script counts. */
void vidalua_charge(lua_State* L, double cost);
/* Whether a limit has been reached: the script is to end. Lua runs functions without a hook after
 * an error of a hook: such functions must not be called then. */
bool vidalua_is_ending(lua_State* L);
/* Makes this thread count its instructions. */
void vidalua_count_instructions(lua_State* L);
/* Whether the hook of a thread is the one that counts instructions. */
bool vidalua_is_counting(lua_State* L);
/* Replaces the message on top of the stack, of an error with this status, if a limit caused it. */
void vidalua_explain_limit(lua_State* L, int status);

/* ---- refusals (limits.c) --------------------------------------------------------------------- */

/* Raises "what is not available in a sandboxed scenario; ...". */
int vidalua_refuse(lua_State* L, const char* what);

/* ---- files (sandbox_files.c) ----------------------------------------------------------------- */

/* Opens a file that the script may read; NULL with errno if that fails. Raises a refusal. `what` is
 * who wants it. */
FILE* vidalua_open_readable(lua_State* L, const char* what, const char* path);
/* Keeps the folder of the script at `path`, in which it may read. */
void vidalua_set_folder(lua_State* L, const char* path);
/* Pushes the table io. */
void vidalua_push_io(lua_State* L);
/* The function print on stderr; `write` writes each text. */
int vidalua_print(lua_State* L, void (*write)(FILE* file, const char* text, size_t length));
/* print, which shows control characters as ? */
int vidalua_print_plainly(lua_State* L);

/* ---- texts (patterns.c) ---------------------------------------------------------------------- */

/* string.find, match, gmatch and gsub, which count their steps as instructions. */
extern const luaL_Reg vidalua_pattern_functions[];

/* ---- the environment (sandbox.c) ------------------------------------------------------------- */

/* Opens the sandbox of the script at `path`. */
void vidalua_open_sandbox(lua_State* L, const char* path);

#endif
