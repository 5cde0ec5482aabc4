/* Running the script of a scenario: its libraries, strict globals, and the comparisons that it
 * returns.
 */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

/* ---- strict globals -------------------------------------------------------------------------- */

/* Without this check a misspelt name would be nil and cause an error elsewhere. Upvalue 1: the
 * global variables. */
static int read_global(lua_State* L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_gettable(L, lua_upvalueindex(1)) != LUA_TNIL) {
    return 1;
  }
  const char* name = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "'%s' is not declared; write 'local %s = ...' before its first use", name,
                    name);
}

static int write_global(lua_State* L) {
  const char* name = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "'%s' is not declared; write 'local %s = ...'", name, name);
}

/* Gives the function on top of the stack an environment of its own. */
static void set_strict_environment(lua_State* L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushglobaltable(L);
  lua_pushcclosure(L, read_global, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, write_global);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_setupvalue(L, -2, 1); /* _ENV is the first upvalue of every chunk */
}

/* ---- libraries ------------------------------------------------------------------------------- */

int vidalua_print(lua_State* L, void (*write)(FILE* file, const char* text, size_t length)) {
  const int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length = 0;
    const char* text = luaL_tolstring(L, i, &length);
    write(stderr, text, length);
    fputc(i < count ? '\t' : '\n', stderr);
    lua_pop(L, 1);
  }
  if (count == 0) {
    fputc('\n', stderr);
  }
  return 0;
}

static void write_as_is(FILE* file, const char* text, size_t length) {
  fwrite(text, 1, length, file);
}

/* print writes to stderr, because stdout carries only the result of the command. */
static int print_aside(lua_State* L) {
  return vidalua_print(L, write_as_is);
}

/* print and io.write go to stderr. */
static void redirect_output(lua_State* L) {
  lua_pushcfunction(L, print_aside);
  lua_setglobal(L, "print");
  lua_getglobal(L, "io");
  lua_getfield(L, -1, "output");
  lua_getfield(L, -2, "stderr");
  lua_call(L, 1, 0);
  lua_pop(L, 1);
}

/* package.path = DIR/?.lua;package.path */
static void prepend_directory(lua_State* L, const char* path) {
  const char* slash = strrchr(path, '/');
  lua_getglobal(L, "package");
  if (slash) {
    lua_pushlstring(L, path, (size_t)(slash - path));
  } else {
    lua_pushliteral(L, ".");
  }
  lua_pushliteral(L, "/?.lua;");
  lua_getfield(L, -3, "path");
  lua_concat(L, 3);
  lua_setfield(L, -2, "path");
  lua_pop(L, 1);
}

void vidalua_open_libraries(lua_State* L, const char* path) {
  if (vidalua_sandbox(L)) {
    vidalua_open_sandbox(L, path);
    return;
  }
  luaL_openlibs(L);
  redirect_output(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_vida);
  lua_setfield(L, -2, "vida");
  lua_pop(L, 1);
  prepend_directory(L, path);
}

/* ---- running --------------------------------------------------------------------------------- */

enum { MOST_LEVELS = 8 };

/* Appends "\n  called from FILE:LINE" for every function of a script above the failing one. */
static void append_callers(lua_State* L) {
  lua_Debug frame;
  int seen = 0;
  for (int level = 1; seen <= MOST_LEVELS && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (!vidalua_is_script(&frame)) {
      continue;
    }
    seen++;
    if (seen == MOST_LEVELS) {
      lua_pushliteral(L, "\n  ...");
      lua_concat(L, 2);
      return;
    }
    /* The message has the line of the first one, where the error occurred. */
    if (seen > 1) {
      lua_pushfstring(L, "\n  called from %s:%d", frame.short_src, frame.currentline);
      lua_concat(L, 2);
    }
  }
}

static int describe_error(lua_State* L) {
  lua_settop(L, 1);
  vidalua_describe_error(L);
  append_callers(L);
  return 1;
}

static bool run_script(lua_State* L, const char* path, int* results) {
  lua_pushcfunction(L, describe_error);
  const int handler = lua_gettop(L);
  if (luaL_loadfilex(L, path, "t") != LUA_OK) {
    lua_remove(L, handler);
    return false;
  }
  set_strict_environment(L);
  const int code = lua_pcall(L, 0, LUA_MULTRET, handler);
  vidalua_explain_limit(L, code);
  lua_remove(L, handler);
  *results = code == LUA_OK ? lua_gettop(L) - handler + 1 : 0;
  return code == LUA_OK;
}

/* ---- the comparisons that a script returns --------------------------------------------------- */

static const char* wrong_result_advice =
    "a scenario ends with 'return vida.compare { ... }' or a list of comparisons";

/* A script that makes steps or runs its comparisons itself may return nothing, or a result. */
static bool worked_alone(lua_State* L, const VidaLuaScenario* scenario, int results) {
  const VidaLuaWork own = vidalua_script_work(L);
  const bool nothing =
      results == 0 || (results == 1 && (lua_isnil(L, -1) || vidalua_is_result(L, -1)));
  return scenario->may_work_alone && nothing && own.done && !own.waiting;
}

/* Pushes a description of what the script returned. */
static const char* push_returned_value(lua_State* L, int results) {
  if (results != 1 || lua_isnil(L, -1)) {
    return lua_pushstring(L, results > 1 ? "several values" : "nothing");
  }
  if (luaL_getmetafield(L, -1, "__name") == LUA_TSTRING) {
    return lua_pushfstring(L, "a %s", lua_tostring(L, -1));
  }
  return lua_pushstring(L, luaL_typename(L, -1));
}

/* Finds the studies in the value that the script returned. On failure returns false with a message
 * on top of the stack. */
static bool collect_studies(lua_State* L, VidaLuaScenario* scenario, int results) {
  const char* script = scenario->script;
  if (worked_alone(L, scenario, results)) {
    return true;
  }
  if (results != 1 || (!vidalua_to_study(L, -1) && !lua_istable(L, -1))) {
    const char* got = push_returned_value(L, results);
    const bool forgotten = results == 0 && vidalua_script_work(L).waiting;
    lua_pushfstring(L, "%s returned %s%s: %s", script, got,
                    forgotten ? ", and a comparison that it made was not run" : "",
                    wrong_result_advice);
    return false;
  }
  const bool is_list = lua_istable(L, -1);
  const int value = lua_gettop(L);
  const int count = is_list ? (int)lua_rawlen(L, value) : 1;
  scenario->studies = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *scenario->studies, 0);
  for (int i = 0; i < count; i++) {
    lua_pushvalue(L, value);
    if (is_list) {
      lua_rawgeti(L, value, i + 1);
    }
    scenario->studies[i] = vidalua_to_study(L, -1);
    if (!scenario->studies[i]) {
      lua_pushfstring(L, "%s returned a list whose entry %d is not a comparison but a %s: %s",
                      script, i + 1, luaL_typename(L, -1), wrong_result_advice);
      return false;
    }
    lua_settop(L, value + 1);
  }
  scenario->count = count;
  if (count == 0) {
    lua_pushfstring(L, "%s returned an empty list: %s", script, wrong_result_advice);
  }
  return count > 0;
}

bool vidalua_load_scenario(lua_State* L, VidaLuaScenario* scenario) {
  int results = 0;
  scenario->studies = NULL;
  scenario->count = 0;
  scenario->blames_setting = false;
  if (!run_script(L, scenario->script, &results)) {
    scenario->blames_setting = vidalua_is_setting_at_fault(L);
    luaL_tolstring(L, -1, NULL);
    return false;
  }
  if (!collect_studies(L, scenario, results)) {
    return false;
  }
  scenario->blames_setting = vidalua_push_unused_setting(L);
  return !scenario->blames_setting;
}
