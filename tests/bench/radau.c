/* radau beside rattle: its systems are mechanisms, which are written in Lua (radau.lua). */
#include <stdio.h>

#include "bench.h"

#if defined(VIDA_BENCH_DIRECTORY)
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "binding.h"

int bench_radau(void) {
  lua_State* L = luaL_newstate();
  if (!L) {
    fprintf(stderr, "radau: out of memory\n");
    return 1;
  }
  luaL_openlibs(L);
  luaL_requiref(L, "vida", luaopen_vida, 0);
  lua_pop(L, 1);
  fflush(stdout);
  const int failed = luaL_dofile(L, VIDA_BENCH_DIRECTORY "/radau.lua");
  if (failed) {
    fprintf(stderr, "radau: %s\n", lua_tostring(L, -1));
  }
  lua_close(L);
  return failed ? 1 : 0;
}

#else

int bench_radau(void) {
  fprintf(stderr, "radau: is not measured in a build without Lua\n");
  return 1;
}

#endif
