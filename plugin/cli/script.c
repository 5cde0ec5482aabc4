#include "script.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* ---- strict globals -------------------------------------------------------------------------- */

/* A misspelt name would otherwise read as nil, far from where it hurts. Upvalue 1: real globals. */
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

/* ---- libraries --------------------------------------------------------------------------------
 */

/* print to stderr: stdout carries the result of the command and nothing else. */
static int print_aside(lua_State* L) {
  const int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length = 0;
    const char* text = luaL_tolstring(L, i, &length);
    fwrite(text, 1, length, stderr);
    fputc(i < count ? '\t' : '\n', stderr);
    lua_pop(L, 1);
  }
  if (count == 0) {
    fputc('\n', stderr);
  }
  return 0;
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

bool cli_is_script_name(const char* name) {
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".lua") == 0;
}

void cli_open_libraries(lua_State* L, const char* path) {
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
    /* The first one is where it failed, which the message says itself. */
    if (seen > 1) {
      lua_pushfstring(L, "\n  called from %s:%d", frame.short_src, frame.currentline);
      lua_concat(L, 2);
    }
  }
}

static int describe_error(lua_State* L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) {
    vidalua_describe_error(L);
  }
  append_callers(L);
  return 1;
}

bool cli_run_script(lua_State* L, const char* path, int* results) {
  lua_pushcfunction(L, describe_error);
  const int handler = lua_gettop(L);
  if (luaL_loadfilex(L, path, "t") != LUA_OK) {
    lua_remove(L, handler);
    return false;
  }
  set_strict_environment(L);
  const int code = lua_pcall(L, 0, LUA_MULTRET, handler);
  lua_remove(L, handler);
  *results = code == LUA_OK ? lua_gettop(L) - handler + 1 : 0;
  return code == LUA_OK;
}
