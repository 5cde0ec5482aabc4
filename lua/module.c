/* require "vida": the table of the module. */
#include "binding.h"

LUAMOD_API int luaopen_vida(lua_State* L) {
  static const luaL_Reg functions[] = {
      {"methods", vidalua_methods}, {"setting", vidalua_setting}, {NULL, NULL}};
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
  return 1;
}
