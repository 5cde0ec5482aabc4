/*** system:chart: coordinates of the constraint manifold, and their embedding into the coordinates
 * of the system.
 * @classmod system
 */
#include <string.h>
#include <vida/expression.h>

#include "binding.h"

static const char* const example =
    "{ coordinates = { { \"theta\", near = 0.5 } }, embedding = function(theta) return { [bob] = { "
    "vida.sin(theta), -vida.cos(theta) } } end }";

/* The expressions of the embedding by coordinate: as many as the system has, and one more, which
 * the library refuses. */
typedef struct Embedding {
  VidaSystem* system;
  int count, most;
  int* coordinate;
  VidaExpression* phi;
} Embedding;

/* Replaces the entry on top of the stack by the chart coordinate that it describes. */
static void replace_by_coordinate(lua_State* L, const VidaLuaBox* box, int number) {
  static const char* const keys[] = {"near", NULL};
  VidaError error;
  VidaExpression node = -1;
  double near = 0.0;
  const int entry = lua_gettop(L);
  const char* name = vidalua_plain_text(L, entry);
  const char* field = lua_pushfstring(L, "coordinates[%d]", number);
  const char* place = vidalua_push_path(L, "chart", field);
  if (lua_istable(L, entry)) {
    name = vidalua_check_name(L, entry, place);
    place = lua_pushfstring(L, "chart coordinate '%s'", name);
    vidalua_check_keys(L, entry, place, "key", 1, vidalua_names(keys));
    near = vidalua_optional_real(L, entry, place, "near", 0.0);
  } else if (!name) {
    vidalua_expected(L, "chart", field, "a name or { \"theta\", near = 0.5 }", entry);
  }
  if (VidaSystem_AddChartCoordinate(box->system, name, near, &node, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  vidalua_push_formula(L, 1, node);
  lua_replace(L, entry);
  lua_settop(L, entry);
}

/* Calls the embedding with the chart coordinates, and leaves its result on the stack. */
static void call_embedding(lua_State* L, const VidaLuaBox* box) {
  vidalua_field(L, 2, "coordinates");
  const int list = lua_gettop(L);
  vidalua_check_table(L, list, "chart.coordinates", "{ { \"theta\", near = 0.5 } }");
  const int count = vidalua_check_list(L, list, "chart", "coordinates");
  if (count == 0) {
    vidalua_error(L, "chart.coordinates: expected at least one");
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

/* Sets the expression of a coordinate to the number or expression on top of the stack. */
static void take_value(lua_State* L, Embedding* embedding, int coordinate) {
  VidaError error;
  VidaExpression node = -1;
  const int value = lua_gettop(L);
  const char* name = VidaSystem_CoordinateName(embedding->system, coordinate);
  const char* field = lua_pushfstring(L, "'%s'", name);
  if (vidalua_to_node(L, value, &node)) {
    vidalua_check_owner(L, value, 1, vidalua_push_path(L, "chart.embedding", field));
  } else if (!vidalua_is_number(L, value)) {
    vidalua_expected(L, "chart.embedding", field, "a number or an expression", value);
  } else if (VidaSystem_Constant(embedding->system, lua_tonumber(L, value), &node, &error)) {
    vidalua_raise(L, "chart.embedding", field, &error);
  }
  if (embedding->count < embedding->most) {
    embedding->coordinate[embedding->count] = coordinate;
    embedding->phi[embedding->count++] = node;
  }
}

/* Sets the position of the point below the top of the stack to the list on top. */
static void take_point(lua_State* L, Embedding* embedding) {
  const int value = lua_gettop(L);
  const int dimension = VidaSystem_Dimension(embedding->system);
  const VidaPoint point = vidalua_check_point(L, value - 1, 1, "chart", "embedding");
  const char* name = luaL_tolstring(L, value - 1, NULL);
  const char* what = lua_pushfstring(L, "the %d components of its position", dimension);
  if (point.particle == VIDA_GROUND) {
    vidalua_error(L, "chart.embedding: a fixed point has no coordinates; leave it out");
  }
  if (!lua_istable(L, value) ||
      vidalua_check_list(L, value, "chart.embedding", name) != dimension) {
    vidalua_expected(L, "chart.embedding", name, what, value);
  }
  for (int k = 0; k < dimension; k++) {
    lua_settop(L, value);
    lua_rawgeti(L, value, k + 1);
    take_value(L, embedding, VidaSystem_ParticleCoordinate(embedding->system, point.particle) + k);
  }
}

/* Sets the point or coordinate of the key below the top of the stack to the value on top. */
static void take_pair(lua_State* L, Embedding* embedding) {
  const int key = lua_gettop(L) - 1;
  if (luaL_testudata(L, key, VIDALUA_POINT)) {
    take_point(L, embedding);
    return;
  }
  const char* name = vidalua_plain_text(L, key);
  const int coordinate = name ? VidaSystem_CoordinateIndex(embedding->system, name)
                              : vidalua_to_input(L, key, 1, VIDALUA_COORDINATE);
  if (coordinate < 0) {
    vidalua_expected(L, "chart", "embedding: a key",
                     "a particle, a coordinate of this system or the name of one", key);
  }
  take_value(L, embedding, coordinate);
}

/*** Sets coordinates on the constraint manifold, for `del-chart`. Other methods do not use them.
 * @function chart
 * @tparam table given
 * @tparam {string|table,...} given.coordinates as many as there are degrees of freedom: names, or
 *   `{ "theta", near = 0.5 }` with an initial guess (by default 0)
 * @tparam function given.embedding a function of these coordinates that returns the positions: a
 *   table with a list for each particle (`[bob] = { x, y }`) and a value for each other coordinate
 * @raise if a coordinate of the system is missing, or depends on anything other than chart
 *   coordinates and parameters
 * @usage
 * local plane = vida.system { "pendulum", dimension = 2 }
 * local bob = plane:particle { "bob", mass = 1, position = { 1, 0 } }
 * plane:distance { "rod", plane.ground, bob, length = 1 }
 * plane:chart {
 *   coordinates = { { "theta", near = 1.5 } },
 *   embedding = function(theta) return { [bob] = { vida.sin(theta), -vida.cos(theta) } } end,
 * }
 */
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
