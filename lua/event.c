/*** Events of a system.
 * @classmod system
 */
#include <math.h>
#include <string.h>

#include "binding.h"

/*** Events
 * @section events
 */

/* Returns the index of the word at given[key] in `words`, or 0 without a value. */
static int check_word(lua_State* L, int given, const char* place, const char* key,
                      const char* const* words) {
  if (vidalua_field(L, given, key) == LUA_TNIL) {
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
  if (vidalua_field(L, given, "set") == LUA_TNIL) {
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

/* The couplings that an event engages or releases, in memory of Lua. */
typedef struct Switches {
  int count;
  int* couplings;
  bool* engages;
} Switches;

/* Adds the coupling whose name is on top of the stack. */
static void add_switch(lua_State* L, const VidaLuaBox* box, const char* place, const char* key,
                       Switches* into) {
  const char* name = vidalua_plain_text(L, -1);
  if (!name) {
    vidalua_expected(L, place, key, "the name of a coupling or a list of names", lua_gettop(L));
  }
  into->couplings[into->count] = VidaSystem_ContactIndex(box->system, name);
  if (into->couplings[into->count] < 0) {
    vidalua_error(L, "%s: %s: there is no coupling '%s'", place, key, name);
  }
  into->engages[into->count++] = key[0] == 'e';
}

static Switches read_switches(lua_State* L, const VidaLuaBox* box, int given, const char* place) {
  static const char* const keys[] = {"engage", "release"};
  Switches made = {0, NULL, NULL};
  size_t most = 0;
  for (int k = 0; k < 2; k++) {
    const int type = vidalua_field(L, given, keys[k]);
    most += type == LUA_TTABLE ? (size_t)vidalua_check_list(L, lua_gettop(L), place, keys[k])
            : type == LUA_TNIL ? 0
                               : 1;
    lua_pop(L, 1);
  }
  made.couplings = lua_newuserdatauv(L, most * sizeof *made.couplings + 1, 0);
  made.engages = lua_newuserdatauv(L, most * sizeof *made.engages + 1, 0);
  for (int k = 0; k < 2; k++) {
    const int type = vidalua_field(L, given, keys[k]);
    const int list = lua_gettop(L);
    const int count = type == LUA_TTABLE ? (int)lua_rawlen(L, list) : 0;
    for (int i = 1; i <= count; i++) {
      lua_rawgeti(L, list, i);
      add_switch(L, box, place, keys[k], &made);
      lua_pop(L, 1);
    }
    if (type != LUA_TTABLE && type != LUA_TNIL) {
      add_switch(L, box, place, keys[k], &made);
    }
    lua_pop(L, 1);
  }
  return made;
}

/*** Adds a coupling: a constraint that events engage and release, such as a clutch or a rope that
 * is cut. While it is engaged, its function keeps the value that it had when it was engaged or at
 * the start; engaging it removes the rate of the function by an impulse.
 * @function coupling
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam expression given.2 the function g(q,t), without rates
 * @tparam[opt=""] string given.unit unit of the function
 * @tparam[opt=false] boolean given.engaged whether it is engaged at the start
 * @tparam[opt] number given.strength it breaks where its multiplier exceeds this value
 * @raise if the function depends on a rate or on no position
 * @usage
 * s:coupling { "hook", upper.x, unit = "m" }
 * s:event { "catch", upper.x - 0.5, engage = "hook" }
 */
int vidalua_coupling(lua_State* L) {
  static const char* const keys[] = {"unit", "engaged", "strength", NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  VidaCoupling coupling = {0};
  const char* place = vidalua_check_definition(
      L, "coupling", "{ \"clutch\", expression, engaged = false }", 2, keys, &coupling.name);
  coupling.unit = "";
  if (vidalua_field(L, 2, "unit") != LUA_TNIL) {
    coupling.unit = vidalua_plain_text(L, -1);
    if (!coupling.unit) {
      return vidalua_expected(L, place, "unit", "a text", lua_gettop(L));
    }
  }
  coupling.is_engaged = vidalua_optional_boolean(L, 2, place, "engaged", false);
  coupling.strength = (double)INFINITY;
  if (vidalua_field(L, 2, "strength") != LUA_TNIL) {
    coupling.strength = vidalua_optional_real(L, 2, place, "strength", 0.0);
  }
  lua_rawgeti(L, 2, 2);
  coupling.function = vidalua_check_value(L, lua_gettop(L), place, "second entry");
  if (VidaSystem_AddCoupling(box->system, &coupling, NULL, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
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
 * @tparam[opt] string|{string,...} given.engage names of couplings that are engaged
 * @tparam[opt] string|{string,...} given.release names of couplings that are released
 * @raise if the function depends neither on the state nor on the time
 * @usage
 * s:event { "lowest point", upper.vy, direction = "rising" }
 * s:event { "kick", upper.x, set = { { upper.vx, 2 * upper.vx } } }
 */
int vidalua_event(lua_State* L) {
  static const char* const keys[] = {"direction", "action", "set", "engage", "release", NULL};
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
  const Switches switches = read_switches(L, box, 2, place);
  event.coupling_count = switches.count;
  event.couplings = switches.couplings;
  event.engages = switches.engages;
  lua_rawgeti(L, 2, 2);
  event.function = vidalua_check_value(L, lua_gettop(L), place, "second entry");
  if (VidaSystem_AddEvent(box->system, &event, NULL, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}
