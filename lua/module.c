/*** The module that `require "vida"` returns.
 * A stock Lua finds it through `LUA_CPATH`; the command contains it.
 *
 * Scripts describe a @{system} of bodies (@{body}), points (@{point}) and formulas (@{expression},
 * @{vector}). They compare methods on it (@{comparison}, @{result}) or make steps with one method
 * (@{stepper}).
 *
 * A mistake raises an error that names the line of the script, the table and the key, and what was
 * expected; for an unknown key it suggests the nearest one. A failed step is not an error, but a
 * result with a status. Units are the user's: instead of m, kg, s and N in this manual, any
 * consistent set can be used. Angles are in radians.
 *
 * @module vida
 * @usage
 * local vida = require "vida"
 */
#include "binding.h"

/* ---- what scripts do by themselves ----------------------------------------------------------- */

static const char done_key = 0, pending_key = 0;

void vidalua_mark_work_done(lua_State* L) {
  lua_pushboolean(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &done_key);
}

static lua_Integer count_pending(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &pending_key);
  const lua_Integer count = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return count;
}

void vidalua_count_pending(lua_State* L, int more) {
  lua_pushinteger(L, count_pending(L) + more);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &pending_key);
}

VidaLuaWork vidalua_script_work(lua_State* L) {
  const bool done = lua_rawgetp(L, LUA_REGISTRYINDEX, &done_key) != LUA_TNIL;
  lua_pop(L, 1);
  return (VidaLuaWork){done, count_pending(L) > 0};
}

/* ---- the module ------------------------------------------------------------------------------ */

/*** The version of the library, such as "0.1.0".
 * @tfield string version
 */

/*** The version of SUNDIALS with which the library was compiled.
 * @tfield string sundials_version
 */

int luaopen_vida(lua_State* L) {
  static const luaL_Reg functions[] = {
      {"methods", vidalua_methods},   {"comparison_options", vidalua_comparison_options},
      {"plugin", vidalua_plugin},     {"setting", vidalua_setting},
      {"load", vidalua_load_stepper}, {NULL, NULL}};
  luaL_checkversion(L);
  luaL_newlib(L, functions);
  vidalua_open_options(L);
  vidalua_open_result(L);
  vidalua_open_stepper(L);
  vidalua_open_expression(L);
  vidalua_open_vector(L);
  vidalua_open_point(L);
  lua_setfield(L, -2, "free");
  vidalua_open_system(L);
  lua_setfield(L, -2, "system");
  vidalua_open_comparison(L);
  lua_setfield(L, -4, "drift");
  lua_setfield(L, -3, "work_precision");
  lua_setfield(L, -2, "compare");
  lua_pushstring(L, Vida_Version());
  lua_setfield(L, -2, "version");
  lua_pushstring(L, Vida_SundialsVersion());
  lua_setfield(L, -2, "sundials_version");
  vidalua_open_library(L);
  vidalua_suggest_names(L);
  return 1;
}
