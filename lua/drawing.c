/* Lines of drawings, for lua/library/drawing.lua. */
#include <string.h>

#include "binding.h"

/* How points of the frames of lua/library/frames.lua are drawn, by the names of their kinds. */
static const struct {
  const char* kind;
  VidaDrawnFrame drawn;
} frame_kinds[] = {{"ground", VIDA_DRAWN_SPACE},          {"particle", VIDA_DRAWN_CENTRE},
                   {"plane", VIDA_DRAWN_ANGLE},           {"rod", VIDA_DRAWN_DIRECTIONS},
                   {"quaternion", VIDA_DRAWN_QUATERNION}, {"directors", VIDA_DRAWN_DIRECTIONS}};

static int read_count(lua_State* L, int table, const char* field) {
  vidalua_field(L, table, field);
  const int count = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return count;
}

static VidaDrawnFrame read_drawn_frame(lua_State* L, int kind) {
  VidaDrawnFrame drawn = VIDA_DRAWN_SPACE;
  vidalua_field(L, kind, "name");
  const char* name = luaL_checkstring(L, -1);
  for (size_t i = 0; i < sizeof frame_kinds / sizeof *frame_kinds; i++) {
    drawn = strcmp(name, frame_kinds[i].kind) == 0 ? frame_kinds[i].drawn : drawn;
  }
  lua_pop(L, 1);
  return drawn;
}

/* Reads at most three numbers of a list, or of no list; false if there is anything else. */
static bool read_place(lua_State* L, int list, double place[3]) {
  const int count = lua_istable(L, list) ? (int)lua_rawlen(L, list) : 0;
  bool are_numbers = count <= 3;
  for (int i = 0; i < count && are_numbers; i++) {
    lua_rawgeti(L, list, i + 1);
    are_numbers = vidalua_is_number(L, -1);
    place[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return are_numbers;
}

/* Which of its points a frame has. */
typedef struct Frame {
  int count, place_count;
} Frame;

/* Reads the point at the list `place` of the frame at index `frame`. */
static Frame read_point(lua_State* L, int dimension, int frame, int place, VidaDrawnPoint* point) {
  memset(point, 0, sizeof *point);
  vidalua_field(L, frame, "kind");
  const int kind = lua_gettop(L);
  const Frame read = {read_count(L, kind, "count"), read_count(L, kind, "place_count")};
  point->frame = read_drawn_frame(L, kind);
  point->centre = point->frame == VIDA_DRAWN_SPACE ? -1 : read_count(L, frame, "first");
  if (read.count > dimension) {
    point->turn = point->centre + dimension;
    point->directions = (read.count - dimension) / dimension;
  }
  if (read.count == 0 || read.place_count > 0) {
    luaL_argcheck(L, read_place(L, place, point->place), 4, "expected at most three numbers");
  }
  lua_settop(L, kind - 1);
  return read;
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

/* Reads the point { frame, place } or { "formula", components } on top of the stack. */
static void check_point(lua_State* L, VidaSystem* system, const char* place,
                        VidaDrawnPoint* point) {
  const int table = lua_gettop(L);
  lua_rawgeti(L, table, 1);
  lua_rawgeti(L, table, 2);
  if (lua_istable(L, table + 1)) {
    read_point(L, VidaSystem_Dimension(system), table + 1, table + 2, point);
  } else {
    memset(point, 0, sizeof *point);
    point->frame = VIDA_DRAWN_FORMULA;
    point->centre = -1;
    luaL_checktype(L, table + 2, LUA_TTABLE);
    check_formula(L, system, table + 2, place, point);
  }
  lua_settop(L, table);
}

static void add_line(lua_State* L, VidaSystem* system, const char* name, const char* style,
                     int count, const VidaDrawnPoint* points) {
  VidaError error;
  if (VidaSystem_AddLine(system, name, style, count, points, &error)) {
    vidalua_raise(L, lua_pushfstring(L, "draw '%s'", name), NULL, &error);
  }
}

/* library.add_line(system, name, style, points) */
int vidalua_add_line(lua_State* L) {
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
  add_line(L, box->system, name, style, count, points);
  return 0;
}

enum {
  SYSTEM = 1,
  NAME,
  STYLE,
  FRAMES,
  VALUES,
  IS_PIVOT,
  FIRST_FRAME,
  FIRST_PLACE = FIRST_FRAME + 2
};

/* Pushes both frames of a joint and the places of its ends; false if one of these is not a list of
 * numbers. */
static bool push_ends(lua_State* L) {
  double place[3];
  lua_rawgeti(L, FRAMES, 1);
  lua_rawgeti(L, FRAMES, 2);
  vidalua_field(L, VALUES, "first");
  vidalua_field(L, VALUES, "second");
  return lua_rawlen(L, FRAMES) == 2 && lua_istable(L, FIRST_PLACE) &&
         lua_istable(L, FIRST_PLACE + 1) && read_place(L, FIRST_PLACE, place) &&
         read_place(L, FIRST_PLACE + 1, place);
}

static const char* name_of(lua_State* L, int frame) {
  vidalua_field(L, frame, "name");
  const char* name = luaL_checkstring(L, -1);
  lua_pop(L, 1); /* the frame holds it */
  return name;
}

/* A line from the centre of each body to the joint, and a point on the ground. */
static void draw_arms(lua_State* L, VidaSystem* system, const char* name, const Frame frame[2],
                      const VidaDrawnPoint ends[2]) {
  for (int i = 0; i < 2; i++) {
    VidaDrawnPoint line[2] = {ends[i], ends[i]};
    memset(line[0].place, 0, sizeof line[0].place);
    if (frame[i].place_count > 0 && frame[i].count > 0) {
      add_line(L, system, name_of(L, FIRST_FRAME + i), "body", 2, line);
    } else if (frame[i].count == 0) {
      add_line(L, system, name, "line", 1, &ends[i]);
    }
  }
}

/* library.draw_ends(system, name, style, frames, values, is_pivot): draws a line of this style
 * between both ends; without a style, from the centre of each body to its end, and, if is_pivot,
 * the point of the joint. Returns whether the ends have places. */
int vidalua_draw_ends(lua_State* L) {
  VidaDrawnPoint ends[2];
  Frame frame[2];
  VidaSystem* system = vidalua_check_open_system(L, SYSTEM)->system;
  const char* name = luaL_checkstring(L, NAME);
  const char* style = luaL_optstring(L, STYLE, NULL);
  lua_settop(L, IS_PIVOT);
  if (!push_ends(L)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  for (int i = 0; i < 2; i++) {
    frame[i] =
        read_point(L, VidaSystem_Dimension(system), FIRST_FRAME + i, FIRST_PLACE + i, &ends[i]);
  }
  if (style) {
    add_line(L, system, name, style, 2, ends);
  } else {
    draw_arms(L, system, name, frame, ends);
  }
  if (lua_toboolean(L, IS_PIVOT)) {
    add_line(L, system, name, "joint", 1, &ends[frame[1].count > 0 ? 1 : 0]);
  }
  lua_pushboolean(L, 1);
  return 1;
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
