/* Runs lua/library/, and provides its functions in C. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* ---- messages: they name the line of the script, not that of the library --------------------- */

/* library.fail(message) */
static int library_fail(lua_State* L) {
  return vidalua_error(L, "%s", luaL_checkstring(L, 1));
}

/* library.expected(place, field, what, value): "place.field: expected what, got value" */
static int library_expected(lua_State* L) {
  lua_settop(L, 4);
  return vidalua_expected(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3),
                          4);
}

static const char* name_in_table(const void* list, int index) {
  lua_State* L = (lua_State*)list;
  lua_rawgeti(L, -1, index + 1);
  const char* name = lua_tostring(L, -1);
  lua_pop(L, 1); /* the list holds it */
  return name;
}

/* Returns the names in a list of texts, which must stay on top of the stack. */
static VidaLuaNames check_names(lua_State* L) {
  const VidaLuaNames names = {(int)lua_rawlen(L, -1), name_in_table, L};
  luaL_checktype(L, -1, LUA_TTABLE);
  for (int i = 1; i <= names.count; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING) {
      luaL_error(L, "entry %d is no text", i);
    }
    lua_pop(L, 1);
  }
  return names;
}

/* library.refuse_point(place, field, what, value) */
static int library_refuse_point(lua_State* L) {
  lua_settop(L, 4);
  return vidalua_refuse_point(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2),
                              luaL_checkstring(L, 3), 4);
}

/* Whether the value on top of the stack is in the list at `list`. */
static bool is_among(lua_State* L, int list, int count) {
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    lua_rawgeti(L, list, i + 1);
    found = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
  }
  return found;
}

/* Whether the keys of argument 1 are among 1 .. positional and the list at argument 5. */
static bool has_only(lua_State* L, int positional) {
  const int count = (int)lua_rawlen(L, 5);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    const bool is_position =
        lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= positional;
    if (!is_position && !(lua_type(L, -1) == LUA_TSTRING && is_among(L, 5, count))) {
      lua_settop(L, 5);
      return false;
    }
  }
  return true;
}

/* library.check_keys(table, place, what, positional, names): refuses keys that are neither among 1
 * .. positional nor among the names, with the nearest one */
static int library_check_keys(lua_State* L) {
  lua_settop(L, 5);
  if (lua_istable(L, 1) && lua_istable(L, 5) && has_only(L, (int)luaL_checkinteger(L, 4))) {
    return 0;
  }
  const VidaLuaNames names = check_names(L);
  const char* place = luaL_checkstring(L, 2);
  const char* what = luaL_checkstring(L, 3);
  const int positional = (int)luaL_checkinteger(L, 4);
  const char** list = lua_newuserdatauv(L, ((size_t)names.count + 1) * sizeof *list, 0);
  lua_pushvalue(L, 5);
  for (int i = 0; i < names.count; i++) {
    list[i] = name_in_table(L, i);
  }
  lua_pop(L, 1);
  list[names.count] = NULL;
  if (!lua_istable(L, 1)) {
    return vidalua_expected(L, "", place, "a table { ... }", 1);
  }
  vidalua_check_keys(L, 1, place, what, positional, vidalua_names(list));
  return 0;
}

/* library.copy_numbers(list, count): a vector of its numbers; nil if it is no list of `count`
 * finite numbers */
static int library_copy_numbers(lua_State* L) {
  lua_settop(L, 2);
  return vidalua_copy_numbers(L, 1, (int)luaL_checkinteger(L, 2)) ? 1 : 0;
}

/* library.nearest_name(name, list): the text of the list that is most similar to `name`, or nil */
static int library_nearest_name(lua_State* L) {
  lua_settop(L, 2);
  lua_pushstring(L, vidalua_nearest_name(luaL_checkstring(L, 1), check_names(L)));
  return 1;
}

/* library.sorted(list): its texts in alphabetical order, joined by commas */
static int library_sorted(lua_State* L) {
  lua_settop(L, 1);
  check_names(L);
  vidalua_push_sorted(L, 1);
  return 1;
}

/* ---- what values are ------------------------------------------------------------------------- */

/* library.kind(value): "expression", "vector", "point", "free", "system", "table" for a body or
 * what belongs to one, or its type */
static int library_kind(lua_State* L) {
  luaL_checkany(L, 1);
  if (lua_type(L, 1) != LUA_TUSERDATA) {
    lua_pushstring(L, vidalua_is_vector(L, 1) ? "vector" : luaL_typename(L, 1));
  } else if (luaL_testudata(L, 1, VIDALUA_SYSTEM)) {
    lua_pushliteral(L, "system");
  } else if (luaL_testudata(L, 1, VIDALUA_EXPRESSION)) {
    lua_pushliteral(L, "expression");
  } else if (luaL_testudata(L, 1, VIDALUA_POINT)) {
    lua_pushliteral(L, "point");
  } else if (luaL_testudata(L, 1, VIDALUA_FREE)) {
    lua_pushliteral(L, "free");
  } else {
    lua_pushstring(L, vidalua_is_object(L, 1) ? "table" : luaL_typename(L, 1));
  }
  return 1;
}

static int push_bare(lua_State* L, VidaLuaKind kind) {
  vidalua_check_system(L, 1);
  const int number = vidalua_to_input(L, 2, 1, kind);
  if (number < 0) {
    return 0;
  }
  lua_pushinteger(L, number);
  return 1;
}

/* library.coordinate(system, value): the index (from 0) of a coordinate; nil for any other value */
static int library_coordinate(lua_State* L) {
  return push_bare(L, VIDALUA_COORDINATE);
}

/* library.rate(system, value): the index (from 0) of the coordinate of a rate; nil for any other
 * value */
static int library_rate(lua_State* L) {
  return push_bare(L, VIDALUA_RATE);
}

/* library.parameter(system, value): the index (from 0) of a parameter; nil for any other value */
static int library_parameter(lua_State* L) {
  return push_bare(L, VIDALUA_PARAMETER);
}

/* library.point(system, point, place, field): the index of the first coordinate of a particle, or
 * nil and the position of a fixed point as a vector */
static int library_point(lua_State* L) {
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  const VidaPoint point =
      vidalua_check_point(L, 2, 1, luaL_checkstring(L, 3), luaL_checkstring(L, 4));
  if (point.particle == VIDA_GROUND) {
    lua_pushnil(L);
    vidalua_push_position(L, 2, false);
    return 2;
  }
  lua_pushinteger(L, VidaSystem_ParticleCoordinate(box->system, point.particle));
  return 1;
}

/* library.dimension(system) */
static int library_dimension(lua_State* L) {
  lua_pushinteger(L, VidaSystem_Dimension(vidalua_check_system(L, 1)->system));
  return 1;
}

/* ---- patterns and their instances
 * ---------------------------------------------------------------- */

/* library.parameter_point(system, number, name): a fixed point whose components are the parameters
 * from the index `number` on */
static int library_parameter_point(lua_State* L) {
  vidalua_check_system(L, 1);
  vidalua_push_parameter_point(L, 1, (int)luaL_checkinteger(L, 2), luaL_checkstring(L, 3));
  return 1;
}

/* Pushes memory for the integers of the list at `index`, which Lua frees. */
static int* new_integers(lua_State* L, int index, int* count) {
  luaL_checktype(L, index, LUA_TTABLE);
  *count = (int)lua_rawlen(L, index);
  int* integers = lua_newuserdatauv(L, ((size_t)*count + 1) * sizeof *integers, 0);
  for (int i = 0; i < *count; i++) {
    lua_rawgeti(L, index, i + 1);
    integers[i] = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return integers;
}

/* library.add_element(system, pattern, name, coordinates, values, links): indices of coordinates,
 * values of parameters, and indices of the parameters to which they are linked (-1: none) */
static int library_add_element(lua_State* L) {
  VidaError error;
  int n = 0;
  int count = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const VidaLuaBox* pattern = vidalua_check_system(L, 2);
  const char* name = luaL_checkstring(L, 3);
  const int* coordinates = new_integers(L, 4, &n);
  const int* links = new_integers(L, 6, &count);
  double* values = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *values, 0);
  if (n != VidaSystem_CoordinateCount(pattern->system) ||
      count != VidaSystem_ParameterCount(pattern->system)) {
    return luaL_error(
        L, "add_element: the numbers of coordinates and values do not match the pattern");
  }
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 5, i + 1);
    values[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  if (VidaSystem_AddElement(box->system, pattern->system, name, coordinates, values, links,
                            &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

/* library.start(system [, values]): the consistent start at t = 0 that is nearest to `values`, and
 * the list of names. Tables are by the names of coordinates and of their rates ("d x/dt"); values
 * that are not given are those of the system. */
static int library_start(lua_State* L) {
  VidaError error;
  VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_complete_system(L, box);
  const int n = VidaSystem_CoordinateCount(box->system);
  double* q = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *q + 1, 0);
  VidaStartOptions options = VidaStartOptions_Default();
  if (lua_istable(L, 2)) {
    double* given = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *given + 1, 0);
    for (int i = 0; i < 2 * n; i++) {
      lua_pushfstring(L, i < n ? "%s" : "d %s/dt", VidaSystem_CoordinateName(box->system, i % n));
      given[i] = lua_rawget(L, 2) == LUA_TNUMBER ? lua_tonumber(L, -1) : (double)NAN;
      lua_pop(L, 1);
    }
    options.adjust = true;
    options.positions = given;
    options.velocities = given + n;
  }
  if (VidaSystem_Start(box->system, 0.0, &options, q, q + n, NULL, &error)) {
    return vidalua_raise_start(L, 1, "", &error);
  }
  lua_createtable(L, 0, 2 * n);
  lua_createtable(L, 2 * n, 0);
  for (int i = 0; i < 2 * n; i++) {
    const char* name = VidaSystem_CoordinateName(box->system, i % n);
    lua_pushfstring(L, i < n ? "%s" : "d %s/dt", name);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, i + 1);
    lua_pushnumber(L, q[i]);
    lua_settable(L, -4);
  }
  return 2;
}

/* library.point_start(particle): its initial position as a vector; nil if it is computed from the
 * constraints */
static int library_point_start(lua_State* L) {
  lua_settop(L, 1);
  return vidalua_push_start(L, 1);
}

/* library.advise_start(system, text): sets a hint for messages about an inconsistent start */
static int library_advise_start(lua_State* L) {
  vidalua_check_system(L, 1);
  vidalua_advise_start(L, 1, luaL_checkstring(L, 2));
  return 0;
}

/* library.script_folder(): the folder of the calling script, with a / at its end; nil if it has
 * none */
static int library_script_folder(lua_State* L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (vidalua_is_script(&frame) && frame.source[0] == '@') {
      const char* slash = strrchr(frame.source, '/');
      if (slash) {
        lua_pushlstring(L, frame.source + 1, (size_t)(slash - frame.source));
        return 1;
      }
      return 0;
    }
  }
  return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Calls the function of the library at upvalue 1. */
static int call_library(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* library.through_c(f): the function f behind a function in C, which keeps the line of its caller
 * in a tail call */
static int library_through_c(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_library, 1);
  return 1;
}

/* Calls the method of systems at upvalue 1, whose name is at upvalue 2. */
static int call_method(lua_State* L) {
  if (!luaL_testudata(L, 1, VIDALUA_SYSTEM)) {
    const char* name = lua_tostring(L, lua_upvalueindex(2));
    const char* what = lua_pushfstring(L, "a system before it, with a colon: system:%s(...)", name);
    return vidalua_expected(L, "", name, what, 1);
  }
  return call_library(L);
}

/* In the tail call `return vida.sweep { ... }` a function in Lua replaces the frame of the script,
 * and its line is lost for messages. A function in C does not replace it. This wraps all functions
 * in the table on top of the stack in functions in C. */
static void keep_lines_of_callers(lua_State* L, lua_CFunction caller) {
  const int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1)) {
      lua_pushvalue(L, -2);
      lua_pushcclosure(L, caller, 2);
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, table); /* of a field that is there: the traversal goes on */
    } else {
      lua_pop(L, 1);
    }
  }
}

void vidalua_open_library(lua_State* L) {
  static const luaL_Reg functions[] = {{"fail", library_fail},
                                       {"expected", library_expected},
                                       {"check_keys", library_check_keys},
                                       {"nearest_name", library_nearest_name},
                                       {"copy_numbers", library_copy_numbers},
                                       {"kind", library_kind},
                                       {"given_seed", vidalua_seed},
                                       {"coordinate", library_coordinate},
                                       {"coordinates", vidalua_coordinates},
                                       {"rate", library_rate},
                                       {"parameter", library_parameter},
                                       {"row_count", vidalua_row_count},
                                       {"row_multiplier", vidalua_row_multiplier},
                                       {"point", library_point},
                                       {"dimension", library_dimension},
                                       {"parameter_point", library_parameter_point},
                                       {"add_element", library_add_element},
                                       {"object_class", vidalua_object_class},
                                       {"new_object", vidalua_new_object},
                                       {"object_state", vidalua_object_state},
                                       {"new_body", vidalua_new_body},
                                       {"frames_of_bodies", vidalua_frames_of_bodies},
                                       {"new_body_point", vidalua_new_body_point},
                                       {"body_point", vidalua_body_point},
                                       {"point_method", vidalua_point_method},
                                       {"add_plain_body", vidalua_add_plain_body},
                                       {"join_points", vidalua_join_points},
                                       {"add_rod", vidalua_add_rod},
                                       {"add_plane_body", vidalua_add_plane_body},
                                       {"add_rigid_body", vidalua_add_rigid_body},
                                       {"add_joint", vidalua_add_joint},
                                       {"add_link", vidalua_add_link},
                                       {"add_drive", vidalua_add_drive},
                                       {"add_angle", vidalua_add_angle},
                                       {"add_guide", vidalua_add_guide},
                                       {"add_spring", vidalua_add_spring},
                                       {"add_damper", vidalua_add_damper},
                                       {"add_torsion", vidalua_add_torsion},
                                       {"add_rolling_disk", vidalua_add_rolling_disk},
                                       {"add_plane_contact", vidalua_add_plane_contact},
                                       {"add_sphere_contact", vidalua_add_sphere_contact},
                                       {"add_knife_edge", vidalua_add_knife_edge},
                                       {"add_fixed_body", vidalua_add_fixed_body},
                                       {"switch", vidalua_switch},
                                       {"end_position", vidalua_end_position},
                                       {"end_velocity", vidalua_end_velocity},
                                       {"end_direction", vidalua_end_direction},
                                       {"angular_velocity", vidalua_angular_velocity},
                                       {"body_angle", vidalua_body_angle},
                                       {"end_start", vidalua_end_start},
                                       {"place_at", vidalua_place_at},
                                       {"direction_at", vidalua_direction_at},
                                       {"direction_start", vidalua_direction_start},
                                       {"add_variable_link", vidalua_add_variable_link},
                                       {"add_angle_drive", vidalua_add_angle_drive},
                                       {"add_prescribed_value", vidalua_add_prescribed_value},
                                       {"curve_point", vidalua_curve_point},
                                       {"add_curve", vidalua_add_curve},
                                       {"add_curve_contact", vidalua_add_curve_contact},
                                       {"add_parametric_curve", vidalua_add_parametric_curve},
                                       {"add_torque", vidalua_add_torque},
                                       {"principal_axes", vidalua_principal_axes},
                                       {"from_matrix", vidalua_from_matrix},
                                       {"across", vidalua_across},
                                       {"add_line", vidalua_add_line},
                                       {"hide_lines", vidalua_hide_lines},
                                       {"draw_ends", vidalua_draw_ends},
                                       {"read_trajectory", vidalua_read_trajectory},
                                       {"script_folder", library_script_folder},
                                       {"start", library_start},
                                       {"point_start", library_point_start},
                                       {"advise_start", library_advise_start},
                                       {"through_c", library_through_c},
                                       {"refuse_point", library_refuse_point},
                                       {"sorted", library_sorted},
                                       {NULL, NULL}};
  const int module = lua_gettop(L);
  luaL_newlib(L, functions);
  for (const VidaLuaFile* file = vidalua_library; file->name; file++) {
    const char* name = lua_pushfstring(L, VIDALUA_LIBRARY_SOURCE "%s", file->name);
    if (luaL_loadbufferx(L, (const char*)file->text, file->size, name, "t") != LUA_OK) {
      lua_error(L);
    }
    lua_pushvalue(L, module);
    vidalua_push_methods(L, VIDALUA_SYSTEM);
    lua_pushvalue(L, module + 1);
    lua_call(L, 3, 0);
    lua_pop(L, 1);
  }
  lua_settop(L, module);
  vidalua_push_methods(L, VIDALUA_SYSTEM);
  keep_lines_of_callers(L, call_method);
  lua_settop(L, module);
  keep_lines_of_callers(L, call_library);
}
