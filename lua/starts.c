/* Reads starts = ...: a list of starts, or a function that makes them one by one. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* Lives in a user value of the comparison, as long as its study. Its list or function is in the
 * registry. */
typedef struct LuaStarts {
  lua_State* L; /* the main thread: the study may be run from any other */
  const VidaSystem* system;
  double *q, *v; /* where the running call writes */
  char* label;
} LuaStarts;

/* (LuaStarts, index), protected; pushes nothing */
static int call_start(lua_State* L) {
  const LuaStarts* starts = lua_touserdata(L, 1);
  const lua_Integer index = lua_tointeger(L, 2);
  char place[48];
  snprintf(place, sizeof place, "starts[%lld]", (long long)index);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, starts) == LUA_TFUNCTION) {
    lua_pushinteger(L, index);
    lua_call(L, 1, 1);
  } else {
    lua_rawgeti(L, -1, index);
  }
  const char* label = vidalua_read_start(L, starts->system, place, starts->q, starts->v);
  snprintf(starts->label, VIDA_OPTIONS_SIZE, "%s", label ? label : "");
  return 0;
}

static int give_start(void* data, long index, double* q, double* v, char* label, VidaError* error) {
  LuaStarts* starts = data;
  lua_State* L = starts->L;
  const int top = lua_gettop(L);
  int code = VIDA_SUCCESS;
  if (!lua_checkstack(L, 8)) {
    return VIDA_OUT_OF_MEMORY;
  }
  starts->q = q;
  starts->v = v;
  starts->label = label;
  lua_pushcfunction(L, vidalua_describe_error);
  lua_pushcfunction(L, call_start);
  lua_pushlightuserdata(L, starts);
  lua_pushinteger(L, (lua_Integer)index + 1);
  if (lua_pcall(L, 2, 0, top + 1) != LUA_OK) {
    code = VIDA_CALLBACK_FAILED;
    const char* message = lua_tostring(L, -1);
    if (error) {
      *error = (VidaError){.code = code};
      snprintf(error->message, sizeof error->message, "%s", message ? message : "no message");
      vidalua_show_controls(error->message);
    }
  }
  lua_settop(L, top);
  return code;
}

/* Pushes the list or the function of the starts at `index`. Returns their number. */
static long push_source(lua_State* L, int index) {
  static const char* const keys[] = {"count", "at", NULL};
  vidalua_check_table(L, index, "starts", "{ { values = { x = 1 } }, ... }");
  if (vidalua_field(L, index, "at") == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    return vidalua_check_list(L, index, "", "starts");
  }
  vidalua_check_keys(L, index, "starts", "key", 0, vidalua_names(keys));
  if (!lua_isfunction(L, -1)) {
    vidalua_expected(L, "starts", "at", "a function of the number of a start", -1);
  }
  vidalua_field(L, index, "count");
  int is_whole;
  const lua_Integer count = lua_tointegerx(L, -1, &is_whole);
  if (!is_whole || count < 1 || count > LONG_MAX / 1024) {
    vidalua_expected(L, "starts", "count", "the number of starts", -1);
  }
  lua_pop(L, 1);
  return (long)count;
}

VidaStarts vidalua_read_starts(lua_State* L, const VidaSystem* system, int comparison, int index) {
  const int top = lua_gettop(L);
  index = lua_absindex(L, index);
  LuaStarts* starts = lua_newuserdatauv(L, sizeof *starts, 0);
  *starts = (LuaStarts){.system = system};
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  starts->L = lua_tothread(L, -1);
  lua_pop(L, 1);
  vidalua_release_value(L);
  const long count = push_source(L, index);
  lua_rawsetp(L, LUA_REGISTRYINDEX, starts);
  lua_setiuservalue(L, comparison, 2);
  lua_settop(L, top);
  return (VidaStarts){count, give_start, starts};
}
