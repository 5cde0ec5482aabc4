/*** Particles and fixed points: ends of springs, rods and joints, and vectors in formulas.
 * A point is the vector of its position: `a - b`, `2 * a` and `vida.norm(a - b)` are allowed.
 *
 * @classmod point
 * @usage
 * local vida = require "vida"
 * local s = vida.system "points"
 * local bob = s:particle { "bob", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* ---- points -----------------------------------------------------------------------------------
 * User value 1 is the system, so that a point keeps it alive; user value 2 is the name. */

enum { POINT_SYSTEM = 1, POINT_NAME, POINT_VALUES = POINT_NAME };

typedef struct PointHandle {
  VidaPoint point;
  int parameter; /* >= 0: a fixed point of a pattern, whose components are parameters from there on
                  */
  double start[3]; /* of a particle, as far as given; NaN: not */
} PointHandle;

static PointHandle* push_point(lua_State* L, int system, const char* name) {
  system = lua_absindex(L, system);
  PointHandle* created = lua_newuserdatauv(L, sizeof *created, POINT_VALUES);
  created->point = VidaPoint_Fixed(0.0, 0.0, 0.0);
  created->parameter = -1;
  for (int i = 0; i < 3; i++) {
    created->start[i] = (double)NAN;
  }
  lua_pushvalue(L, system);
  lua_setiuservalue(L, -2, POINT_SYSTEM);
  lua_pushstring(L, name); /* nil for a fixed point */
  lua_setiuservalue(L, -2, POINT_NAME);
  luaL_setmetatable(L, VIDALUA_POINT);
  return created;
}

void vidalua_push_point(lua_State* L, int system, VidaPoint point, const char* name) {
  push_point(L, system, name)->point = point;
}

void vidalua_keep_start(lua_State* L, int index, const VidaInitial* position, int dimension) {
  PointHandle* handle = lua_touserdata(L, index);
  for (int i = 0; i < dimension; i++) {
    handle->start[i] = position[i].free ? (double)NAN : position[i].value;
  }
}

bool vidalua_push_start(lua_State* L, int index) {
  const PointHandle* handle = luaL_testudata(L, index, VIDALUA_POINT);
  if (!handle || handle->point.particle == VIDA_GROUND) {
    return false;
  }
  lua_getiuservalue(L, index, POINT_SYSTEM);
  const int dimension = VidaSystem_Dimension(vidalua_check_system(L, -1)->system);
  lua_createtable(L, dimension, 0);
  for (int i = 0; i < dimension; i++) {
    if (isnan(handle->start[i])) {
      lua_pop(L, 2);
      return false;
    }
    lua_pushnumber(L, handle->start[i]);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
  lua_remove(L, -2);
  return true;
}

void vidalua_push_parameter_point(lua_State* L, int system, int parameter, const char* name) {
  push_point(L, system, name)->parameter = parameter;
}

int vidalua_refuse_point(lua_State* L, const char* place, const char* field, const char* what,
                         int index) {
  index = lua_absindex(L, index);
  if (lua_istable(L, index) && !luaL_getmetafield(L, index, "__name") && lua_rawlen(L, index) > 0) {
    what = lua_pushfstring(L, "%s (for a point in space use system:anchor { ... })", what);
  } else if (lua_type(L, index) == LUA_TSTRING) {
    what = lua_pushfstring(L, "%s, not a name", what);
  }
  return vidalua_expected(L, place, field, what, index);
}

bool vidalua_is_particle(lua_State* L, int index, int system, VidaPoint* point) {
  const PointHandle* handle = luaL_testudata(L, index, VIDALUA_POINT);
  if (!handle || handle->point.particle == VIDA_GROUND) {
    return false;
  }
  lua_getiuservalue(L, index, POINT_SYSTEM);
  const bool is_own = lua_rawequal(L, -1, system);
  lua_pop(L, 1);
  *point = handle->point;
  return is_own;
}

VidaPoint vidalua_check_point(lua_State* L, int index, int system, const char* place,
                              const char* field) {
  system = lua_absindex(L, system);
  index = lua_absindex(L, index);
  const PointHandle* handle = luaL_testudata(L, index, VIDALUA_POINT);
  if (!handle) {
    vidalua_refuse_point(L, place, field, "a particle or a fixed point", index);
    return VidaPoint_Particle(VIDA_GROUND);
  }
  lua_getiuservalue(L, index, POINT_SYSTEM);
  if (!lua_rawequal(L, -1, system) || handle->parameter >= 0) {
    const char* path = vidalua_push_path(L, place, field);
    vidalua_error(L, "%s: this particle or point belongs to another system", path);
  }
  lua_pop(L, 1);
  return handle->point;
}

/*** The name of a particle; nil for a fixed point.
 * @tfield string name
 */
static int point_name(lua_State* L) {
  luaL_checkudata(L, 1, VIDALUA_POINT);
  lua_getiuservalue(L, 1, POINT_NAME);
  return 1;
}

/* Pushes a component of the position or velocity of the point at `index`: an expression, or for a
 * fixed point a number. `system` is the index of its system. */
static void push_axis(lua_State* L, int index, int system, int axis, bool rate) {
  const PointHandle* handle = lua_touserdata(L, index);
  const VidaPoint* point = &handle->point;
  if (point->particle != VIDA_GROUND) {
    const VidaLuaBox* box = vidalua_check_system(L, system);
    const int first = VidaSystem_ParticleCoordinate(box->system, point->particle);
    vidalua_push_coordinate(L, system, first + axis, rate);
  } else if (handle->parameter >= 0 && !rate) {
    vidalua_push_parameter(L, system, handle->parameter + axis);
  } else {
    lua_pushnumber(L, rate ? 0.0 : point->position[axis]);
  }
}

/* Pushes the system of the point at `index` and returns its dimension. */
static int push_system(lua_State* L, int index) {
  luaL_checkudata(L, index, VIDALUA_POINT);
  lua_getiuservalue(L, index, POINT_SYSTEM);
  return VidaSystem_Dimension(vidalua_check_system(L, -1)->system);
}

int vidalua_push_position(lua_State* L, int index, bool rate) {
  index = lua_absindex(L, index);
  const int dimension = push_system(L, index);
  const int system = lua_gettop(L);
  lua_createtable(L, dimension, 0);
  for (int axis = 0; axis < dimension; axis++) {
    push_axis(L, index, system, axis, rate);
    lua_rawseti(L, -2, axis + 1);
  }
  vidalua_make_vector(L);
  lua_remove(L, system);
  return dimension;
}

static int push_component(lua_State* L, int axis, bool rate) {
  const int dimension = push_system(L, 1);
  if (axis >= dimension) {
    const VidaLuaBox* box = vidalua_check_system(L, -1);
    return vidalua_error(L, "points of system '%s' have no '%s%c': its dimension is %d",
                         VidaSystem_Name(box->system), rate ? "v" : "", "xyz"[axis], dimension);
  }
  push_axis(L, 1, lua_gettop(L), axis, rate);
  return 1;
}

/*** The first component of the position, m; a number for a fixed point.
 * @tfield expression x
 */
static int point_x(lua_State* L) {
  return push_component(L, 0, false);
}

/*** The second component of the position, m.
 * @tfield expression y
 */
static int point_y(lua_State* L) {
  return push_component(L, 1, false);
}

/*** The third component of the position, m.
 * @tfield expression z
 */
static int point_z(lua_State* L) {
  return push_component(L, 2, false);
}

/*** The first component of the velocity, m/s; 0 for a fixed point.
 * @tfield expression vx
 */
static int point_vx(lua_State* L) {
  return push_component(L, 0, true);
}

/*** The second component of the velocity, m/s.
 * @tfield expression vy
 */
static int point_vy(lua_State* L) {
  return push_component(L, 1, true);
}

/*** The third component of the velocity, m/s.
 * @tfield expression vz
 */
static int point_vz(lua_State* L) {
  return push_component(L, 2, true);
}

/*** The position, m. Components are also `point[1]`, `point[2]`, ...; `#point` is the dimension.
 * @tfield vector position
 * @usage
 * s:observe { "distance", vida.norm(bob.position), unit = "m" }
 */
static int point_position(lua_State* L) {
  vidalua_push_position(L, 1, false);
  return 1;
}

/*** The velocity, m/s.
 * @tfield vector velocity
 * @usage
 * s:observe { "speed", vida.norm(bob.velocity), unit = "m/s" }
 */
static int point_velocity(lua_State* L) {
  vidalua_push_position(L, 1, true);
  return 1;
}

static int point_length(lua_State* L) {
  lua_pushinteger(L, push_system(L, 1));
  return 1;
}

/* point[i]; nil for the index after the last component, at which ipairs stops. */
static int point_component(lua_State* L) {
  const int dimension = push_system(L, 1);
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || lua_tointeger(L, 2) > dimension + 1) {
    const char* key = luaL_tolstring(L, 2, NULL);
    return vidalua_error(L, "a point of dimension %d has no component [%s]", dimension, key);
  }
  if (lua_tointeger(L, 2) > dimension) {
    return 0;
  }
  push_axis(L, 1, lua_gettop(L), (int)lua_tointeger(L, 2) - 1, false);
  return 1;
}

static int point_tostring(lua_State* L) {
  const PointHandle* handle = luaL_checkudata(L, 1, VIDALUA_POINT);
  const double* position = handle->point.position;
  if (lua_getiuservalue(L, 1, POINT_NAME) == LUA_TSTRING) {
    lua_pushfstring(L, handle->parameter >= 0 ? "fixed point '%s'" : "particle '%s'",
                    lua_tostring(L, -1));
  } else {
    lua_pushfstring(L, "fixed point (%f, %f, %f)", position[0], position[1], position[2]);
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
    vidalua_field(L, table, "near");
    vidalua_expected(L, "vida.free", "near", "a finite number", -1);
  }
  return initial;
}

/*** Returns a value that stands for an initial position, velocity, value or rate which is computed
 * from the constraints.
 * @function vida.free
 * @tparam[opt] number|table given nothing, -1 or 1 for the smallest or largest solution, or a table
 * @tparam number given.near initial guess
 * @usage
 * local lower = s:particle { "lower", mass = 1, position = { 1, 1, vida.free(-1) } }
 * s:distance { "rod", s.ground, lower, length = 2 }
 */
static int new_free(lua_State* L) {
  VidaInitial initial = VidaInitial_Free(0.0);
  if (lua_istable(L, 1)) {
    initial = near_value(L, 1);
  } else if (vidalua_is_number(L, 1)) {
    vidalua_check_finite(L, 1, "", "vida.free");
    initial = VidaInitial_Free(lua_tonumber(L, 1));
  } else if (!lua_isnoneornil(L, 1)) {
    return vidalua_expected(L, "", "vida.free", "nothing, -1, 1 or { near = value }", 1);
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

/* Reads the value on top of the stack; false if it is neither a number nor vida.free. */
static bool read_initial(lua_State* L, VidaInitial* initial) {
  if (vidalua_is_number(L, -1)) {
    *initial = VidaInitial_Given(lua_tonumber(L, -1));
    return isfinite(initial->value);
  }
  const VidaInitial* free_value = luaL_testudata(L, -1, VIDALUA_FREE);
  if (free_value) {
    *initial = *free_value;
  }
  return free_value;
}

VidaInitial vidalua_check_initial_value(lua_State* L, int table, const char* place,
                                        const char* field, bool required) {
  VidaInitial initial = VidaInitial_Default(0.0);
  const int type = vidalua_field(L, table, field);
  if ((required || type != LUA_TNIL) && !read_initial(L, &initial)) {
    vidalua_expected(L, place, field,
                     vidalua_is_number(L, -1) ? "a finite number" : "a number or vida.free()", -1);
  }
  lua_pop(L, 1);
  return initial;
}

/* Refuses what is at the top of the stack where a list of initial values was expected. */
static void refuse_initial(lua_State* L, const char* place, const char* field, int dimension,
                           int length) {
  const char* what = lua_pushfstring(L, "a list of %d numbers or vida.free()", dimension);
  if (length < 0) {
    vidalua_expected(L, place, field, what, -2);
  }
  const char* path = vidalua_push_path(L, place, field);
  vidalua_error(L, "%s: expected %s, got %d of them", path, what, length);
}

void vidalua_check_initial(lua_State* L, int table, const char* place, const char* field,
                           int dimension, bool required, VidaInitial* initial) {
  for (int i = 0; i < dimension; i++) {
    initial[i] = VidaInitial_Default(0.0);
  }
  const int type = vidalua_field(L, table, field);
  if (type == LUA_TNIL && !required) {
    lua_pop(L, 1);
    return;
  }
  if (type != LUA_TTABLE) {
    refuse_initial(L, place, field, dimension, -1);
  }
  const int length = vidalua_check_list(L, -1, place, field);
  if (length != dimension) {
    refuse_initial(L, place, field, dimension, length);
  }
  for (int i = 0; i < dimension; i++) {
    lua_rawgeti(L, -1, i + 1);
    if (!read_initial(L, &initial[i])) {
      const char* entry = lua_pushfstring(L, "%s[%d]", field, i + 1);
      vidalua_expected(L, place, entry,
                       vidalua_is_number(L, -2) ? "a finite number" : "a number or vida.free()",
                       -2);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void vidalua_open_point(lua_State* L) {
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  static const luaL_Reg point_meta[] = {
      {"__tostring", point_tostring}, {"__len", point_length}, {NULL, NULL}};
  static const luaL_Reg point_properties[] = {{"name", point_name},
                                              {"x", point_x},
                                              {"y", point_y},
                                              {"z", point_z},
                                              {"vx", point_vx},
                                              {"vy", point_vy},
                                              {"vz", point_vz},
                                              {"position", point_position},
                                              {"velocity", point_velocity},
                                              {VIDALUA_ELEMENT, point_component},
                                              {NULL, NULL}};
  static const luaL_Reg free_meta[] = {{"__tostring", free_tostring}, {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_POINT, point_meta, no_methods, point_properties);
  luaL_getmetatable(L, VIDALUA_POINT);
  vidalua_set_vector_operators(L);
  lua_pop(L, 1);
  vidalua_new_class(L, VIDALUA_FREE, free_meta, no_methods, NULL);
  lua_pushcfunction(L, new_free);
}
