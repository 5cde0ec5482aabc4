/* Lines of drawings: library.add_line, on which lua/library/drawing.lua stands. */
#include <string.h>

#include "binding.h"

static const char* const frames[] = {"space",      "centre",  "angle", "quaternion",
                                     "directions", "formula", NULL};

static void check_numbers(lua_State* L, int list, int most, double* numbers) {
  const int count = (int)lua_rawlen(L, list);
  luaL_argcheck(L, count <= most, 4, "too many numbers");
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    numbers[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
}

static int check_coordinate(lua_State* L, int list, int number) {
  lua_rawgeti(L, list, number);
  const int coordinate = vidalua_to_bare(L, -1, 1, VIDALUA_COORDINATE);
  luaL_argcheck(L, coordinate >= 0, 4, "expected coordinates of this system");
  lua_pop(L, 1);
  return coordinate;
}

static void check_formula(lua_State* L, VidaSystem* system, int list, const char* place,
                          VidaDrawnPoint* point) {
  VidaError error;
  point->components = (int)lua_rawlen(L, list);
  luaL_argcheck(L, point->components == 2 || point->components == 3, 4, "two or three components");
  for (int k = 0; k < point->components; k++) {
    lua_rawgeti(L, list, k + 1);
    if (vidalua_is_number(L, -1)) {
      if (VidaSystem_Constant(system, lua_tonumber(L, -1), &point->formula[k], &error)) {
        vidalua_raise(L, place, NULL, &error);
      }
    } else if (vidalua_to_node(L, -1, &point->formula[k])) {
      vidalua_check_owner(L, -1, 1, place);
    } else {
      vidalua_error(L, "%s: expected points of numbers and expressions, got a %s as a component",
                    place, luaL_typename(L, -1));
    }
    lua_pop(L, 1);
  }
}

/* The point { kind, coordinates, place } or { "formula", components } on top of the stack. */
static void check_point(lua_State* L, VidaSystem* system, const char* place,
                        VidaDrawnPoint* point) {
  const int table = lua_gettop(L);
  const int dimension = VidaSystem_Dimension(system);
  memset(point, 0, sizeof *point);
  lua_rawgeti(L, table, 1);
  point->frame = (VidaDrawnFrame)luaL_checkoption(L, -1, NULL, frames);
  point->centre = -1;
  lua_rawgeti(L, table, 2);
  luaL_checktype(L, -1, LUA_TTABLE);
  const int list = lua_gettop(L);
  if (point->frame == VIDA_DRAWN_FORMULA) {
    check_formula(L, system, list, place, point);
  } else {
    const int count = (int)lua_rawlen(L, list);
    if (point->frame != VIDA_DRAWN_SPACE) {
      point->centre = check_coordinate(L, list, 1);
    }
    if (count > dimension) {
      point->turn = check_coordinate(L, list, dimension + 1);
      point->directions = (count - dimension) / dimension;
    }
    lua_rawgeti(L, table, 3);
    luaL_checktype(L, -1, LUA_TTABLE);
    check_numbers(L, lua_gettop(L), 3, point->place);
  }
  lua_settop(L, table);
}

/* library.add_line(system, name, style, points) */
int vidalua_add_line(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const char* name = luaL_checkstring(L, 2);
  const char* style = luaL_checkstring(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  const int count = (int)lua_rawlen(L, 4);
  const char* place = lua_pushfstring(L, "draw '%s'", name);
  VidaDrawnPoint* points = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *points, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 4, i + 1);
    check_point(L, box->system, place, &points[i]);
    lua_pop(L, 1);
  }
  if (VidaSystem_AddLine(box->system, name, style, count, points, &error)) {
    return vidalua_raise(L, place, NULL, &error);
  }
  return 0;
}

/* library.hide_lines(system, name, place) */
int vidalua_hide_lines(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  if (VidaSystem_HideLines(box->system, luaL_checkstring(L, 2), &error)) {
    return vidalua_raise(L, luaL_checkstring(L, 3), "replaces", &error);
  }
  return 0;
}
