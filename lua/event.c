/*** Events of a system.
 * @classmod system
 */
#include <string.h>

#include "binding.h"

/*** Events
 * @section events
 */

/* Returns the index of the word at given[key] in `words`, or 0 without a value. */
static int check_word(lua_State* L, int given, const char* place, const char* key,
                      const char* const* words) {
  if (lua_getfield(L, given, key) == LUA_TNIL) {
    lua_pop(L, 1);
    return 0;
  }
  for (int k = 0; words[k]; k++) {
    if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), words[k]) == 0) {
      lua_pop(L, 1);
      return k;
    }
  }
  lua_pushliteral(L, "");
  for (int k = 0; words[k]; k++) {
    lua_pushfstring(L, "%s%s\"%s\"", lua_tostring(L, -1), k ? " or " : "", words[k]);
    lua_remove(L, -2);
  }
  return vidalua_expected(L, place, key, lua_tostring(L, -1), lua_absindex(L, -2));
}

/* The velocities that an event sets, in memory of Lua. */
typedef struct Assignments {
  int count;
  int* coordinates;
  VidaExpression* velocities;
} Assignments;

/* Reads one pair { rate, value } at the top of the stack. */
static void read_pair(lua_State* L, const char* place, int i, Assignments* into) {
  const int pair = lua_gettop(L);
  const char* field = lua_pushfstring(L, "pair %d of set", i + 1);
  if (lua_type(L, pair) != LUA_TTABLE || vidalua_is_vector(L, pair) || lua_rawlen(L, pair) != 2) {
    vidalua_expected(L, place, field, "a pair such as { ball.vy, -0.9 * ball.vy }", pair);
  }
  lua_rawgeti(L, pair, 1);
  lua_rawgeti(L, pair, 2);
  into->coordinates[i] = vidalua_to_input(L, pair + 2, 1, VIDALUA_RATE);
  if (into->coordinates[i] < 0) {
    vidalua_expected(L, place, field, "the rate of a coordinate first", pair + 2);
  }
  into->velocities[i] = vidalua_check_value(L, pair + 3, place, field);
  lua_settop(L, pair);
}

static Assignments read_assignments(lua_State* L, int given, const char* place) {
  Assignments made = {0, NULL, NULL};
  if (lua_getfield(L, given, "set") == LUA_TNIL) {
    return made;
  }
  const int list = lua_gettop(L);
  const int count = vidalua_check_list(L, list, place, "set");
  made.coordinates = lua_newuserdatauv(L, (size_t)count * sizeof *made.coordinates + 1, 0);
  made.velocities = lua_newuserdatauv(L, (size_t)count * sizeof *made.velocities + 1, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    read_pair(L, place, i, &made);
    lua_pop(L, 1);
  }
  made.count = count;
  return made;
}

/*** Adds an event: a zero of a function of the state. Each method finds its time with steps of its
 * own. An event that is only recorded does not change the motion.
 * @function event
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam expression given.2 the function f(q,v,t)
 * @tparam[opt="either"] string given.direction the changes of sign that count: "either", "rising"
 * or "falling"
 * @tparam[opt="record"] string given.action "record", or "stop": the motion ends at the event
 * @tparam[opt] {{expression,expression},...} given.set new velocities, as pairs of a rate and its
 *   value after the event; the values are computed from the state before it
 * @raise if the function depends neither on the state nor on the time
 * @usage
 * s:event { "lowest point", upper.vy, direction = "rising" }
 * s:event { "kick", upper.x, set = { { upper.vx, 2 * upper.vx } } }
 */
int vidalua_event(lua_State* L) {
  static const char* const keys[] = {"direction", "action", "set", NULL};
  static const char* const directions[] = {"either", "rising", "falling", NULL};
  static const char* const actions[] = {"record", "stop", NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  VidaEvent event = {0};
  const char* place = vidalua_check_definition(
      L, "event", "{ \"top\", expression, direction = \"rising\" }", 2, keys, &event.name);
  event.direction = (VidaDirection)check_word(L, 2, place, "direction", directions);
  event.action = (VidaEventAction)check_word(L, 2, place, "action", actions);
  const Assignments set = read_assignments(L, 2, place);
  if (set.count > 0 && event.action == VIDA_EVENT_STOP) {
    return vidalua_error(L, "%s: an event that stops the motion cannot set velocities", place);
  }
  event.count = set.count;
  event.coordinates = set.coordinates;
  event.velocities = set.velocities;
  event.action = set.count > 0 ? VIDA_EVENT_SET : event.action;
  lua_rawgeti(L, 2, 2);
  event.function = vidalua_check_value(L, lua_gettop(L), place, "second entry");
  if (VidaSystem_AddEvent(box->system, &event, NULL, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}
