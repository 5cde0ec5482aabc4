/* Ends of springs and rods (particles and fixed points), and values left free: vida.free. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* ---- points -----------------------------------------------------------------------------------
 * User value 1 is the system, so that a point keeps it alive; user value 2 is the name. */

enum { POINT_SYSTEM = 1, POINT_NAME, POINT_VALUES = POINT_NAME };

void vidalua_push_point(lua_State* L, int system, VidaPoint point, const char* name) {
  system = lua_absindex(L, system);
  VidaPoint* created = lua_newuserdatauv(L, sizeof *created, POINT_VALUES);
  *created = point;
  lua_pushvalue(L, system);
  lua_setiuservalue(L, -2, POINT_SYSTEM);
  lua_pushstring(L, name); /* nil for a fixed point */
  lua_setiuservalue(L, -2, POINT_NAME);
  luaL_setmetatable(L, VIDALUA_POINT);
}

VidaPoint vidalua_check_point(lua_State* L, int index, int system, const char* place,
                              const char* field) {
  system = lua_absindex(L, system);
  index = lua_absindex(L, index);
  const VidaPoint* point = luaL_testudata(L, index, VIDALUA_POINT);
  if (!point) {
    vidalua_expected(L, place, field, "a particle or a fixed point", index);
    return VidaPoint_Particle(VIDA_GROUND);
  }
  lua_getiuservalue(L, index, POINT_SYSTEM);
  if (!lua_rawequal(L, -1, system)) {
    const char* path = vidalua_push_path(L, place, field);
    luaL_error(L, "%s: this particle or point belongs to another system", path);
  }
  lua_pop(L, 1);
  return *point;
}

static int point_name(lua_State* L) {
  luaL_checkudata(L, 1, VIDALUA_POINT);
  lua_getiuservalue(L, 1, POINT_NAME);
  return 1;
}

/* Pushes a component of the position or velocity: an expression, of a fixed point a number. */
static int push_component(lua_State* L, int axis, bool rate) {
  const VidaPoint* point = luaL_checkudata(L, 1, VIDALUA_POINT);
  lua_getiuservalue(L, 1, POINT_SYSTEM);
  const int system = lua_gettop(L);
  const VidaLuaBox* box = vidalua_check_system(L, system);
  if (axis >= VidaSystem_Dimension(box->system)) {
    return luaL_error(L, "points of system '%s' have no '%s%c': its dimension is %d",
                      VidaSystem_Name(box->system), rate ? "v" : "", "xyz"[axis],
                      VidaSystem_Dimension(box->system));
  }
  if (point->particle == VIDA_GROUND) {
    lua_pushnumber(L, rate ? 0.0 : point->position[axis]);
  } else {
    const int first = VidaSystem_ParticleCoordinate(box->system, point->particle);
    vidalua_push_coordinate(L, system, first + axis, rate);
  }
  return 1;
}

static int point_x(lua_State* L) {
  return push_component(L, 0, false);
}

static int point_y(lua_State* L) {
  return push_component(L, 1, false);
}

static int point_z(lua_State* L) {
  return push_component(L, 2, false);
}

static int point_vx(lua_State* L) {
  return push_component(L, 0, true);
}

static int point_vy(lua_State* L) {
  return push_component(L, 1, true);
}

static int point_vz(lua_State* L) {
  return push_component(L, 2, true);
}

static int point_tostring(lua_State* L) {
  const VidaPoint* point = luaL_checkudata(L, 1, VIDALUA_POINT);
  if (lua_getiuservalue(L, 1, POINT_NAME) == LUA_TSTRING) {
    lua_pushfstring(L, "particle '%s'", lua_tostring(L, -1));
  } else {
    lua_pushfstring(L, "fixed point (%f, %f, %f)", point->position[0], point->position[1],
                    point->position[2]);
  }
  return 1;
}

/* ---- values left free ------------------------------------------------------------------------ */

static VidaInitial near_value(lua_State* L, int table) {
  static const char* const keys[] = {"near", NULL};
  vidalua_check_keys(L, table, "vida.free", "key", 0, vidalua_names(keys));
  VidaInitial initial = VidaInitial_Free(0.0);
  initial.value = vidalua_required_real(L, table, "vida.free", "near");
  if (!isfinite(initial.value)) {
    luaL_error(L, "vida.free.near: expected a finite number");
  }
  return initial;
}

/* vida.free(), vida.free(-1), vida.free { near = -4.8 } */
static int new_free(lua_State* L) {
  VidaInitial initial = VidaInitial_Free(0.0);
  if (lua_istable(L, 1)) {
    initial = near_value(L, 1);
  } else if (vidalua_is_number(L, 1)) {
    initial = VidaInitial_Free(lua_tonumber(L, 1));
    luaL_argcheck(L, isfinite(initial.branch), 1, "the branch must be a finite number");
  } else if (!lua_isnoneornil(L, 1)) {
    return luaL_argerror(L, 1, "expected a branch (-1 or 1) or { near = value }");
  }
  VidaInitial* created = lua_newuserdatauv(L, sizeof *created, 0);
  *created = initial;
  luaL_setmetatable(L, VIDALUA_FREE);
  return 1;
}

static int free_tostring(lua_State* L) {
  const VidaInitial* initial = luaL_checkudata(L, 1, VIDALUA_FREE);
  if (isfinite(initial->value)) {
    lua_pushfstring(L, "vida.free { near = %f }", initial->value);
  } else if (initial->branch != 0.0) {
    lua_pushfstring(L, "vida.free(%d)", initial->branch < 0.0 ? -1 : 1);
  } else {
    lua_pushstring(L, "vida.free()");
  }
  return 1;
}

/* Reads the value on top of the stack; false when it is neither a number nor left free. */
static bool read_initial(lua_State* L, VidaInitial* initial) {
  const VidaInitial* free_value = luaL_testudata(L, -1, VIDALUA_FREE);
  if (free_value) {
    *initial = *free_value;
  } else if (vidalua_is_number(L, -1)) {
    *initial = VidaInitial_Given(lua_tonumber(L, -1));
  } else {
    return false;
  }
  return true;
}

VidaInitial vidalua_check_initial_value(lua_State* L, int table, const char* place,
                                        const char* field, bool required) {
  VidaInitial initial = VidaInitial_Given(0.0);
  const int type = vidalua_field(L, table, field);
  if ((required || type != LUA_TNIL) && !read_initial(L, &initial)) {
    vidalua_expected(L, place, field, "a number or vida.free()", -1);
  }
  lua_pop(L, 1);
  return initial;
}

void vidalua_check_initial(lua_State* L, int table, const char* place, const char* field,
                           int dimension, bool required, VidaInitial* initial) {
  for (int i = 0; i < dimension; i++) {
    initial[i] = VidaInitial_Given(0.0);
  }
  const char* what = lua_pushfstring(L, "a list of %d numbers or vida.free()", dimension);
  const int type = vidalua_field(L, table, field);
  if (type == LUA_TNIL && !required) {
    lua_pop(L, 2);
    return;
  }
  if (type != LUA_TTABLE) {
    vidalua_expected(L, place, field, what, -1);
  }
  const int length = vidalua_check_list(L, -1, place, field);
  if (length != dimension) {
    const char* path = vidalua_push_path(L, place, field);
    luaL_error(L, "%s: expected %s, got %d", path, what, length);
  }
  for (int i = 0; i < dimension; i++) {
    lua_rawgeti(L, -1, i + 1);
    if (!read_initial(L, &initial[i])) {
      const char* entry = lua_pushfstring(L, "%s[%d]", field, i + 1);
      vidalua_expected(L, place, entry, "a number or vida.free()", -2);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

void vidalua_open_point(lua_State* L) {
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  static const luaL_Reg point_meta[] = {{"__tostring", point_tostring}, {NULL, NULL}};
  static const luaL_Reg point_properties[] = {
      {"name", point_name}, {"x", point_x},   {"y", point_y},   {"z", point_z},
      {"vx", point_vx},     {"vy", point_vy}, {"vz", point_vz}, {NULL, NULL}};
  static const luaL_Reg free_meta[] = {{"__tostring", free_tostring}, {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_POINT, point_meta, no_methods, point_properties);
  vidalua_new_class(L, VIDALUA_FREE, free_meta, no_methods, NULL);
  lua_pushcfunction(L, new_free);
}
