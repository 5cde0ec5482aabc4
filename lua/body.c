/* Bodies and points of bodies as objects of scripts, and the additions of which a large system has
 * thousands: bodies in the plane, and joints without axes between points. lua/library/ does what
 * is left: bodies in space, other joints, and everything that is to be refused. */
#include <math.h>
#include <string.h>

#include "binding.h"

/* ---- objects with a hidden state --------------------------------------------------------------
 */

/* User value 1 is the state. */
enum { OBJECT_STATE = 1 };

/* Returns obj[key]: a method, or what the function at upvalue 2 finds. */
static int object_index(lua_State* L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_replace(L, 3);
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* library.object_class(name, methods, index): the metatable of a class; `index` is called with the
 * object and a key that is no method */
int vidalua_object_class(lua_State* L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  luaL_newmetatable(L, luaL_checkstring(L, 1));
  lua_insert(L, 2);
  lua_pushcclosure(L, object_index, 2);
  lua_setfield(L, 2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, 2, "__metatable");
  lua_settop(L, 2);
  return 1;
}

/* library.new_object(name, state) */
int vidalua_new_object(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  lua_newuserdatauv(L, 0, OBJECT_STATE);
  lua_insert(L, 2);
  lua_setiuservalue(L, 2, OBJECT_STATE);
  luaL_setmetatable(L, name);
  return 1;
}

/* library.object_state(value, name): the state of an object of this class; nil for other values */
int vidalua_object_state(lua_State* L) {
  lua_settop(L, 2);
  if (!luaL_testudata(L, 1, luaL_checkstring(L, 2))) {
    return 0;
  }
  lua_getiuservalue(L, 1, OBJECT_STATE);
  return 1;
}

bool vidalua_is_object(lua_State* L, int index) {
  return luaL_testudata(L, index, VIDALUA_BODY_POINT) || luaL_testudata(L, index, VIDALUA_BODY) ||
         luaL_testudata(L, index, VIDALUA_BODY_DIRECTION);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* User value 1 is the frame of lua/library/frames.lua, which for a body in the plane is made when
 * somebody asks for it; user value 2 is the system. */
enum { BODY_FRAME = 1, BODY_SYSTEM, BODY_VALUES = BODY_SYSTEM };

typedef struct BodyHandle {
  const VidaSystem* system;
  int number;
  VidaExpression node; /* of the position of the first coordinate; the others follow */
  double mass;
  bool is_plain; /* in the plane, with points that are what the script says */
} BodyHandle;

static BodyHandle* push_handle(lua_State* L, int system) {
  system = lua_absindex(L, system);
  BodyHandle* handle = lua_newuserdatauv(L, sizeof *handle, BODY_VALUES);
  memset(handle, 0, sizeof *handle);
  handle->system = vidalua_check_system(L, system)->system;
  luaL_setmetatable(L, VIDALUA_BODY);
  lua_pushvalue(L, system);
  lua_setiuservalue(L, -2, BODY_SYSTEM);
  return handle;
}

/* library.new_body(system, frame) */
int vidalua_new_body(lua_State* L) {
  lua_settop(L, 2);
  push_handle(L, 1);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, BODY_FRAME);
  return 1;
}

/* Pushes the start of the coordinates of a body, or nil; returns their number. */
static int push_start(lua_State* L, const VidaSystem* system, int body) {
  double q[VIDALUA_COORDINATES_MOST], v[VIDALUA_COORDINATES_MOST];
  const int count = VidaSystem_BodyCoordinateCount(system, body);
  if (!VidaSystem_BodyStart(system, body, q, v)) {
    lua_pushnil(L);
    return count;
  }
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, q[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return count;
}

/* Pushes the particle at the centre of a body, which knows its start if the body does. */
static void push_centre(lua_State* L, int system, const VidaSystem* of, int body) {
  double q[VIDALUA_COORDINATES_MOST], v[VIDALUA_COORDINATES_MOST];
  VidaInitial start[3];
  const int dimension = VidaSystem_Dimension(of);
  const bool known = VidaSystem_BodyStart(of, body, q, v);
  for (int i = 0; i < dimension; i++) {
    start[i] = known ? VidaInitial_Given(q[i]) : VidaInitial_Free(0.0);
  }
  vidalua_push_point(L, system, VidaPoint_Particle(VidaSystem_BodyParticle(of, body)),
                     VidaSystem_BodyName(of, body));
  vidalua_keep_start(L, -1, start, dimension);
}

/* Makes the frame of the body in the plane at index 1, by the function at upvalue 1, and pushes
 * it. */
static void make_frame(lua_State* L, const BodyHandle* body) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_getiuservalue(L, 1, BODY_SYSTEM);
  const int system = lua_gettop(L);
  lua_pushvalue(L, 1);
  lua_pushstring(L, VidaSystem_BodyName(body->system, body->number));
  lua_pushnumber(L, body->mass);
  lua_pushinteger(L, body->number);
  push_centre(L, system, body->system, body->number);
  lua_pushinteger(L, VidaSystem_BodyCoordinate(body->system, body->number));
  lua_pushinteger(L, body->node);
  push_start(L, body->system, body->number);
  lua_call(L, 9, 1);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, BODY_FRAME);
}

static int push_frame(lua_State* L) {
  lua_settop(L, 1);
  const BodyHandle* body = luaL_testudata(L, 1, VIDALUA_BODY);
  if (!body) {
    return 0;
  }
  if (lua_getiuservalue(L, 1, BODY_FRAME) == LUA_TNIL) {
    lua_pop(L, 1);
    make_frame(L, body);
  }
  return 1;
}

/* library.frames_of_bodies(make): a function that returns the frame of a body, and nil for any
 * other value; make(system, body, name, mass, number, particle, first, node, start) makes that of a
 * body in the plane */
int vidalua_frames_of_bodies(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, push_frame, 1);
  return 1;
}

/* ---- points of bodies ------------------------------------------------------------------------ */

/* User value 1 is the body. */
enum { POINT_BODY = 1 };

typedef struct PointHandle {
  const BodyHandle* body;
  int count;
  double place[3]; /* in the axes of the frame */
} PointHandle;

static void push_body_point(lua_State* L, int body, int count, const double* place) {
  body = lua_absindex(L, body);
  PointHandle* point = lua_newuserdatauv(L, sizeof *point, POINT_BODY);
  point->body = lua_touserdata(L, body);
  point->count = count;
  memcpy(point->place, place, (size_t)count * sizeof *place);
  luaL_setmetatable(L, VIDALUA_BODY_POINT);
  lua_pushvalue(L, body);
  lua_setiuservalue(L, -2, POINT_BODY);
}

/* library.new_body_point(body, place) */
int vidalua_new_body_point(lua_State* L) {
  double place[3] = {0.0, 0.0, 0.0};
  luaL_checkudata(L, 1, VIDALUA_BODY);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int count = (int)lua_rawlen(L, 2);
  for (int i = 0; i < count && i < 3; i++) {
    lua_rawgeti(L, 2, i + 1);
    place[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  push_body_point(L, 1, count < 3 ? count : 3, place);
  return 1;
}

/* library.body_point(value): the body of a point of a body, and its place in the frame as a vector;
 * nil for any other value */
int vidalua_body_point(lua_State* L) {
  const PointHandle* point = luaL_testudata(L, 1, VIDALUA_BODY_POINT);
  if (!point) {
    return 0;
  }
  lua_getiuservalue(L, 1, POINT_BODY);
  lua_createtable(L, point->count, 0);
  for (int i = 0; i < point->count; i++) {
    lua_pushnumber(L, point->place[i]);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
  return 2;
}

/* Reads the list at `index` of exactly `count` finite numbers, with no other key; false for
 * anything else. */
static bool read_list(lua_State* L, int index, int count, double* values) {
  int keys = 0;
  if (lua_type(L, index) != LUA_TTABLE) {
    return false;
  }
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushnil(L);
  for (; lua_next(L, index); keys++) {
    const lua_Integer i = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (i < 1 || i > count || !vidalua_is_number(L, -1) || !isfinite(lua_tonumber(L, -1))) {
      lua_pop(L, 2);
      return false;
    }
    values[i - 1] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return keys == count;
}

/* body:point { x, y }; upvalue 1 is the function for everything but two numbers on a body in the
 * plane. */
static int point_of_body(lua_State* L) {
  double place[2];
  const BodyHandle* body = luaL_testudata(L, 1, VIDALUA_BODY);
  if (!body) {
    return vidalua_expected(L, "", "point", "a body before it, with a colon: body:point { ... }",
                            1);
  }
  if (body->is_plain && read_list(L, 2, 2, place)) {
    push_body_point(L, 1, 2, place);
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

/* library.point_method(general): the method body:point */
int vidalua_point_method(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, point_of_body, 1);
  return 1;
}

/* ---- bodies in the plane --------------------------------------------------------------------- */

/* Reads the number on top of the stack. */
static bool read_finite(lua_State* L, double* value) {
  *value = lua_tonumber(L, -1);
  return vidalua_is_number(L, -1) && isfinite(*value);
}

static bool read_plane_vector(lua_State* L, VidaInitial* vector) {
  double values[2];
  const bool is_list = read_list(L, lua_gettop(L), 2, values);
  for (int i = 0; i < 2 && is_list; i++) {
    vector[i] = VidaInitial_Given(values[i]);
  }
  return is_list;
}

/* Reads the value on top of the stack for the key below it. */
static bool read_member(lua_State* L, VidaPlaneBody* body) {
  if (lua_isinteger(L, -2) && lua_tointeger(L, -2) == 1) {
    body->name = vidalua_plain_text(L, -1);
    return body->name;
  }
  const char* key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
  if (strcmp(key, "mass") == 0) {
    return read_finite(L, &body->mass);
  } else if (strcmp(key, "inertia") == 0) {
    return read_finite(L, &body->inertia);
  } else if (strcmp(key, "angle") == 0) {
    return read_finite(L, &body->angle);
  } else if (strcmp(key, "position") == 0) {
    return read_plane_vector(L, body->position);
  } else if (strcmp(key, "velocity") == 0) {
    return read_plane_vector(L, body->velocity);
  } else if (strcmp(key, "angular_velocity") == 0) {
    body->spin = VIDA_SPIN_GIVEN;
    return read_finite(L, &body->angular_velocity);
  }
  return false;
}

static bool read_plane_body(lua_State* L, VidaPlaneBody* body) {
  memset(body, 0, sizeof *body);
  for (int i = 0; i < 2; i++) {
    body->position[i] = VidaInitial_Given(0.0);
    body->velocity[i] = VidaInitial_Default(0.0);
  }
  if (lua_type(L, 2) != LUA_TTABLE) {
    return false;
  }
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    if (!read_member(L, body)) {
      lua_settop(L, 2);
      return false;
    }
    lua_pop(L, 1);
  }
  return body->name && body->mass > 0.0 && body->inertia > 0.0;
}

VidaExpression vidalua_first_node(lua_State* L, VidaSystem* system, int first, int count) {
  VidaError error;
  VidaExpression node = -1;
  VidaExpression begin = -1;
  for (int i = 0; i < count; i++) {
    if (VidaSystem_Position(system, first + i, &node, &error)) {
      vidalua_raise(L, "", NULL, &error);
    }
    begin = i == 0 ? node : begin;
    if (node != begin + i) {
      luaL_error(L, "coordinates of a body that expressions use already");
    }
  }
  return begin;
}

/* library.add_plain_body(system, given): adds a body in the plane and returns it; nil, and adds
 * nothing, if anything but plain numbers is given */
int vidalua_add_plain_body(lua_State* L) {
  VidaError error;
  VidaPlaneBody given;
  int number = 0;
  lua_settop(L, 2);
  VidaSystem* system = vidalua_check_system(L, 1)->system;
  if (VidaSystem_Dimension(system) != 2 || !read_plane_body(L, &given)) {
    return 0;
  }
  vidalua_check_open_system(L, 1);
  if (VidaSystem_AddPlaneBody(system, &given, &number, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  BodyHandle* body = push_handle(L, 1);
  body->number = number;
  body->mass = given.mass;
  body->is_plain = true;
  body->node = vidalua_first_node(L, system, VidaSystem_BodyCoordinate(system, number), 3);
  return 1;
}

/* ---- joints between points ------------------------------------------------------------------- */

enum { SYSTEM = 1, METHOD, GIVEN };

/* An end of a joint, and how it is drawn. */
typedef struct JointEnd {
  VidaEnd end;
  VidaDrawnPoint drawn;
} JointEnd;

/* Reads the end on top of the stack, a point of a plain body or a particle. */
static bool read_joint_end(lua_State* L, const VidaSystem* system, JointEnd* end) {
  VidaPoint particle;
  memset(end, 0, sizeof *end);
  const PointHandle* point = luaL_testudata(L, -1, VIDALUA_BODY_POINT);
  if (point) {
    const int body = point->body->number;
    end->end = VidaEnd_Body(body, point->place[0], point->place[1], 0.0);
    end->end.principal = true;
    end->drawn.frame = VIDA_DRAWN_ANGLE;
    end->drawn.centre = VidaSystem_BodyCoordinate(system, body);
    end->drawn.turn = end->drawn.centre + 2;
    memcpy(end->drawn.place, end->end.place, sizeof end->drawn.place);
    return point->body->system == system && point->body->is_plain;
  }
  if (!vidalua_is_particle(L, -1, SYSTEM, &particle)) {
    return false;
  }
  end->end = VidaEnd_Particle(particle.particle);
  end->drawn.frame = VIDA_DRAWN_CENTRE;
  end->drawn.centre = VidaSystem_ParticleCoordinate(system, particle.particle);
  return true;
}

/* Reads { "name", first, second }. */
static bool read_joint(lua_State* L, const VidaSystem* system, const char** name,
                       JointEnd ends[2]) {
  int keys = 0;
  if (lua_type(L, GIVEN) != LUA_TTABLE) {
    return false;
  }
  lua_pushnil(L);
  for (; keys < 4 && lua_next(L, GIVEN); keys++) {
    const lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    const bool good = key == 1   ? (*name = vidalua_plain_text(L, -1)) != NULL
                      : key == 2 ? read_joint_end(L, system, &ends[0])
                      : key == 3 ? read_joint_end(L, system, &ends[1])
                                 : false;
    if (!good) {
      lua_settop(L, GIVEN);
      return false;
    }
    lua_pop(L, 1);
  }
  lua_settop(L, GIVEN);
  return keys == 3 &&
         !(ends[0].end.kind == ends[1].end.kind && ends[0].end.index == ends[1].end.index);
}

/* Draws a line from the centre of each body to the joint, and the joint. */
static void draw_joint(lua_State* L, VidaSystem* system, const char* name, const JointEnd ends[2]) {
  VidaError error;
  int code = VIDA_SUCCESS;
  for (int i = 0; i < 2 && !code; i++) {
    VidaDrawnPoint arm[2] = {ends[i].drawn, ends[i].drawn};
    memset(arm[0].place, 0, sizeof arm[0].place);
    if (ends[i].end.kind == VIDA_END_BODY) {
      code = VidaSystem_AddLine(system, VidaSystem_BodyName(system, ends[i].end.index), "body", 2,
                                arm, &error);
    }
  }
  code = code ? code : VidaSystem_AddLine(system, name, "joint", 1, &ends[1].drawn, &error);
  if (code) {
    vidalua_raise(L, lua_pushfstring(L, "draw '%s'", name), NULL, &error);
  }
}

/* library.join_points(system, method, given): adds a joint that keeps two points of bodies in the
 * plane or particles together, and draws it. Returns false, and adds nothing, for other ends. */
int vidalua_join_points(lua_State* L) {
  VidaError error;
  JointEnd ends[2];
  VidaJoint joint;
  lua_settop(L, GIVEN);
  VidaSystem* system = vidalua_check_system(L, SYSTEM)->system;
  memset(&joint, 0, sizeof joint);
  if (!read_joint(L, system, &joint.name, ends)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  vidalua_check_open_system(L, SYSTEM);
  joint.kind = luaL_checkstring(L, METHOD)[0] == 'r' ? VIDA_JOINT_REVOLUTE : VIDA_JOINT_BALL;
  for (int i = 0; i < 2; i++) {
    joint.ends[i] = ends[i].end;
  }
  if (VidaSystem_AddJoint(system, &joint, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  draw_joint(L, system, joint.name, ends);
  lua_pushboolean(L, 1);
  return 1;
}
