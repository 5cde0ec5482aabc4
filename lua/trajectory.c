/* Reads trajectories for lua/library/states.lua. */
#include <math.h>

#include "binding.h"

#define VIDALUA_TRAJECTORY "vida.trajectory"

static int trajectory_gc(lua_State* L) {
  VidaTrajectory_Destroy(luaL_checkudata(L, 1, VIDALUA_TRAJECTORY));
  return 0;
}

static VidaTrajectory** new_trajectory(lua_State* L) {
  VidaTrajectory** trajectory = lua_newuserdatauv(L, sizeof *trajectory, 0);
  *trajectory = NULL;
  if (luaL_newmetatable(L, VIDALUA_TRAJECTORY)) {
    lua_pushcfunction(L, trajectory_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return trajectory;
}

int vidalua_read_trajectory(lua_State* L) {
  VidaError error;
  const char* place = luaL_checkstring(L, 1);
  VidaTrajectory** trajectory = new_trajectory(L);
  if (VidaTrajectory_Read(place, trajectory, &error)) {
    return vidalua_error(L, "states: %s", error.message);
  }
  const int columns = VidaTrajectory_ColumnCount(*trajectory);
  const long rows = VidaTrajectory_RowCount(*trajectory);
  lua_createtable(L, columns, 0);
  for (int i = 0; i < columns; i++) {
    lua_pushstring(L, VidaTrajectory_Title(*trajectory, i));
    lua_rawseti(L, -2, i + 1);
  }
  lua_createtable(L, rows < 1 << 24 ? (int)rows : 0, 0);
  for (long row = 0; row < rows; row++) {
    lua_createtable(L, columns, 0);
    for (int i = 0; i < columns; i++) {
      const double value = VidaTrajectory_Value(*trajectory, row, i);
      if (isnan(value)) {
        lua_pushliteral(L, "");
      } else {
        lua_pushnumber(L, value);
      }
      lua_rawseti(L, -2, i + 1);
    }
    lua_rawseti(L, -2, row + 1);
  }
  VidaTrajectory_Destroy(trajectory);
  return 2;
}
