/* system:chart: coordinates of the constraint manifold, and what they mean for the system's own. */
#include <string.h>
#include <vida/expression.h>

#include "binding.h"

static const char* const example =
    "{ coordinates = { { \"theta\", near = 0.5 } }, embedding = function(theta) return { [bob] = { "
    "vida.sin(theta), -vida.cos(theta) } } end }";

/* User value 1 of expressions and of points is their system. */
enum { OWNER = 1 };

/* What the embedding gives, coordinate by coordinate; as many as the system has, and one more that
 * the library refuses. */
typedef struct Embedding {
  VidaSystem* system;
  int count, most;
  int* coordinate;
  VidaExpression* phi;
} Embedding;

/* Pushes the chart coordinate that the entry on top of the stack describes, in its place. */
static void replace_by_coordinate(lua_State* L, const VidaLuaBox* box, int number) {
  static const char* const keys[] = {"near", NULL};
  VidaError error;
  VidaExpression node = -1;
  double near = 0.0;
  const int entry = lua_gettop(L);
  const char* name = vidalua_plain_text(L, entry);
  const char* place = lua_pushfstring(L, "chart.coordinates[%d]", number);
  if (lua_istable(L, entry)) {
    name = vidalua_check_name(L, entry, place);
    place = lua_pushfstring(L, "chart coordinate '%s'", name);
    vidalua_check_keys(L, entry, place, "key", 1, vidalua_names(keys));
    near = vidalua_optional_real(L, entry, place, "near", 0.0);
  } else if (!name) {
    vidalua_expected(L, place, NULL, "a name or { \"theta\", near = 0.5 }", entry);
  }
  if (VidaSystem_AddChartCoordinate(box->system, name, near, &node, &error)) {
    vidalua_raise(L, place, NULL, &error);
  }
  VidaExpression* created = lua_newuserdatauv(L, sizeof *created, OWNER);
  *created = node;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, OWNER);
  luaL_setmetatable(L, VIDALUA_EXPRESSION);
  lua_replace(L, entry);
  lua_settop(L, entry);
}

/* Calls the embedding with the chart coordinates; what it returns stays on the stack. */
static void call_embedding(lua_State* L, const VidaLuaBox* box) {
  vidalua_field(L, 2, "coordinates");
  const int list = lua_gettop(L);
  vidalua_check_table(L, list, "chart.coordinates", "{ { \"theta\", near = 0.5 } }");
  const int count = vidalua_check_list(L, list, "chart", "coordinates");
  if (count == 0) {
    luaL_error(L, "chart.coordinates: expected at least one");
  }
  if (vidalua_field(L, 2, "embedding") != LUA_TFUNCTION) {
    vidalua_expected(L, "chart", "embedding", "a function of the chart coordinates", -1);
  }
  luaL_checkstack(L, count + LUA_MINSTACK, "too many chart coordinates");
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, list, i);
    replace_by_coordinate(L, box, i);
  }
  lua_call(L, count, 1);
  if (!lua_istable(L, -1)) {
    vidalua_expected(L, "chart", "embedding",
                     "a function that returns a table such as { [bob] = { x, y } }", -1);
  }
}

/* Whether the value at `index`, an expression or a point, belongs to the system at 1. */
static void check_owner(lua_State* L, int index, const char* what) {
  lua_getiuservalue(L, index, OWNER);
  if (vidalua_check_system(L, -1) != vidalua_check_system(L, 1)) {
    luaL_error(L, "chart.embedding: %s belongs to another system", what);
  }
  lua_pop(L, 1);
}

/* The number or expression on top of the stack becomes what the coordinate is. */
static void take_value(lua_State* L, Embedding* embedding, int coordinate) {
  VidaError error;
  VidaExpression node = -1;
  const char* name = VidaSystem_CoordinateName(embedding->system, coordinate);
  const VidaExpression* expression = luaL_testudata(L, -1, VIDALUA_EXPRESSION);
  if (expression) {
    check_owner(L, lua_gettop(L), lua_pushfstring(L, "what it gives for '%s'", name));
    node = *expression;
  } else if (!vidalua_is_number(L, -1)) {
    vidalua_expected(L, "chart.embedding", lua_pushfstring(L, "'%s'", name),
                     "a number or an expression", -2);
  } else if (VidaSystem_Constant(embedding->system, lua_tonumber(L, -1), &node, &error)) {
    vidalua_raise(L, "chart.embedding", NULL, &error);
  }
  if (embedding->count < embedding->most) {
    embedding->coordinate[embedding->count] = coordinate;
    embedding->phi[embedding->count++] = node;
  }
}

/* A particle's place: a list at `index`. */
static void take_point(lua_State* L, Embedding* embedding, const VidaPoint* point, int index) {
  const int dimension = VidaSystem_Dimension(embedding->system);
  luaL_tolstring(L, -2, NULL);
  const char* name = lua_tostring(L, -1);
  if (point->particle == VIDA_GROUND) {
    luaL_error(L, "chart.embedding: a fixed point does not move");
  }
  if (!lua_istable(L, index) || (int)lua_rawlen(L, index) != dimension) {
    vidalua_expected(L, "chart.embedding", name,
                     lua_pushfstring(L, "a list of %d numbers or expressions", dimension), index);
  }
  for (int k = 0; k < dimension; k++) {
    lua_rawgeti(L, index, k + 1);
    take_value(L, embedding, VidaSystem_ParticleCoordinate(embedding->system, point->particle) + k);
    lua_settop(L, index + 1);
  }
}

/* The coordinate whose position an expression is, -1 when it is another formula. */
static int find_coordinate(lua_State* L, VidaSystem* system, VidaExpression expression) {
  VidaError error;
  VidaExpression node = -1;
  for (int i = 0; i < VidaSystem_CoordinateCount(system); i++) {
    if (VidaSystem_Position(system, i, &node, &error)) {
      vidalua_raise(L, "chart.embedding", NULL, &error);
    }
    if (node == expression) {
      return i;
    }
  }
  return -1;
}

/* The key below the top of the stack says what, the value on top how. */
static void take_pair(lua_State* L, Embedding* embedding) {
  const int value = lua_gettop(L);
  const int key = value - 1;
  const VidaPoint* point = luaL_testudata(L, key, VIDALUA_POINT);
  const VidaExpression* expression = luaL_testudata(L, key, VIDALUA_EXPRESSION);
  const char* name = vidalua_plain_text(L, key);
  int coordinate = -1;
  if (point) {
    check_owner(L, key, "a particle");
    take_point(L, embedding, point, value);
    return;
  }
  if (expression) {
    check_owner(L, key, "a coordinate");
    coordinate = find_coordinate(L, embedding->system, *expression);
  } else if (name) {
    coordinate = VidaSystem_CoordinateIndex(embedding->system, name);
  }
  if (coordinate < 0) {
    vidalua_expected(L, "chart.embedding", "a key of its table",
                     "a particle, a coordinate or the name of a coordinate", key);
  }
  take_value(L, embedding, coordinate);
}

int vidalua_chart(lua_State* L) {
  static const char* const keys[] = {"coordinates", "embedding", NULL};
  VidaError error;
  Embedding embedding = {0};
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  lua_settop(L, 2);
  vidalua_check_table(L, 2, "chart", example);
  vidalua_check_keys(L, 2, "chart", "key", 0, vidalua_names(keys));
  embedding.system = box->system;
  call_embedding(L, box);
  const int table = lua_gettop(L);
  vidalua_check_open_system(L, 1); /* the function may have completed it */
  embedding.most = VidaSystem_CoordinateCount(box->system) + 1;
  embedding.coordinate =
      lua_newuserdatauv(L, (size_t)embedding.most * sizeof *embedding.coordinate, 0);
  embedding.phi = lua_newuserdatauv(L, (size_t)embedding.most * sizeof *embedding.phi, 0);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const int key = lua_gettop(L) - 1;
    take_pair(L, &embedding);
    lua_settop(L, key);
  }
  if (VidaSystem_AddChart(box->system, embedding.count, embedding.coordinate, embedding.phi,
                          &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}
