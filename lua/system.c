/*** Mechanical systems: bodies, forces and constraints.
 * A system is empty at first. It is complete when a comparison or a stepper uses it; nothing can be
 * added afterwards. Everything in a system has a name, which messages, trajectories and reports
 * use; no two coordinates, particles or constraints may have the same name.
 *
 * @classmod system
 * @usage
 * local vida = require "vida"
 * local s = vida.system "machine"
 * local upper = s:particle { "upper", mass = 2, position = { 1, 0, 0 } }
 * local trunk = s:body { "trunk", mass = 3, inertia = { 1, 1, 1 }, position = { 0, 0, 1 } }
 * local leg = s:body { "leg", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, 0 } }
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct SystemHandle {
  VidaLuaBox* box; /* NULL once closed */
} SystemHandle;

enum { SYSTEM_GROUND = 1, SYSTEM_ADVICE, SYSTEM_VALUES = SYSTEM_ADVICE };

/* ---- ownership ------------------------------------------------------------------------------- */

VidaLuaBox* vidalua_retain_box(VidaLuaBox* box) {
  box->references++;
  return box;
}

void vidalua_release_box(VidaLuaBox** box) {
  VidaLuaBox* released = *box;
  *box = NULL;
  if (released && --released->references == 0) {
    VidaSystem_Destroy(&released->system);
    free(released);
  }
}

VidaLuaBox* vidalua_check_system(lua_State* L, int index) {
  const SystemHandle* handle = index == 1 ? vidalua_check_self(L, VIDALUA_SYSTEM)
                                          : luaL_checkudata(L, index, VIDALUA_SYSTEM);
  if (!handle->box) {
    vidalua_error(L, "attempt to use a closed system");
  }
  return handle->box;
}

/*** Frees the system now, not at the next garbage collection. Its steppers and comparisons stay
 * valid.
 * @function close
 * @usage
 * s:close()
 */
static int system_close(lua_State* L) {
  SystemHandle* handle = vidalua_check_self(L, VIDALUA_SYSTEM);
  vidalua_release_box(&handle->box);
  return 0;
}

void vidalua_complete_system(lua_State* L, VidaLuaBox* box) {
  VidaError error;
  if (!box->complete && VidaSystem_Complete(box->system, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  box->complete = true;
}

VidaLuaBox* vidalua_check_open_system(lua_State* L, int index) {
  VidaLuaBox* box = vidalua_check_system(L, index);
  if (box->complete) {
    vidalua_error(
        L,
        "system '%s' is complete, because a comparison or a stepper uses it; add everything before",
        VidaSystem_Name(box->system));
  }
  return box;
}

/* ---- starts that violate constraints --------------------------------------------------------- */

void vidalua_advise_start(lua_State* L, int index, const char* text) {
  index = lua_absindex(L, index);
  if (lua_getiuservalue(L, index, SYSTEM_ADVICE) == LUA_TNIL) {
    lua_pushstring(L, text);
    lua_setiuservalue(L, index, SYSTEM_ADVICE);
  }
  lua_pop(L, 1);
}

int vidalua_raise_start(lua_State* L, int index, const char* place, const VidaError* error) {
  index = lua_absindex(L, index);
  if (error->code != VIDA_INCONSISTENT_START ||
      lua_getiuservalue(L, index, SYSTEM_ADVICE) != LUA_TSTRING) {
    return vidalua_raise(L, place, NULL, error);
  }
  return vidalua_error(L, "%s%s%s; %s", place, place[0] ? ": " : "", error->message,
                       lua_tostring(L, -1));
}

/* ---- creation -------------------------------------------------------------------------------- */

static int check_dimension(lua_State* L, const char* place) {
  int dimension = 3;
  if (vidalua_field(L, 1, "dimension") != LUA_TNIL) {
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > 3) {
      vidalua_expected(L, place, "dimension", "1, 2 or 3", -1);
    }
    dimension = (int)lua_tointeger(L, -1);
  }
  lua_pop(L, 1);
  return dimension;
}

static SystemHandle* push_system(lua_State* L, const char* name, int dimension) {
  VidaError error;
  SystemHandle* handle = lua_newuserdatauv(L, sizeof *handle, SYSTEM_VALUES);
  handle->box = NULL;
  luaL_setmetatable(L, VIDALUA_SYSTEM);
  handle->box = calloc(1, sizeof *handle->box);
  if (!handle->box) {
    vidalua_error(L, "out of memory");
  }
  handle->box->references = 1;
  if (VidaSystem_Create(name, dimension, &handle->box->system, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  return handle;
}

/* Makes the system on top of the stack share the patterns of all systems of this Lua state, which
 * belong to a system in the registry. */
static void share_patterns(lua_State* L, const SystemHandle* handle) {
  static const char key[] = "vida.patterns";
  VidaError error;
  if (lua_getfield(L, LUA_REGISTRYINDEX, key) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    push_system(L, "patterns", 3);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, key);
  }
  const SystemHandle* shared = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (VidaSystem_SharePatterns(handle->box->system, shared->box->system, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
}

/*** Creates an empty system.
 * @function vida.system
 * @tparam string|table given its name, or a table
 * @tparam string given.1 its name
 * @tparam[opt=3] integer given.dimension dimension of space: 1, 2 or 3
 * @treturn system
 * @usage
 * local plane = vida.system { "in the plane", dimension = 2 }
 */
static int new_system(lua_State* L) {
  static const char* const keys[] = {"dimension", NULL};
  int dimension = 3;
  const char* name = vidalua_plain_text(L, 1);
  if (lua_istable(L, 1)) {
    name = vidalua_check_name(L, 1, "system");
    const char* place = lua_pushfstring(L, "system '%s'", name);
    vidalua_check_keys(L, 1, place, "key", 1, vidalua_names(keys));
    dimension = check_dimension(L, place);
  } else if (!name) {
    vidalua_expected(L, "", "vida.system", "a name or { \"name\", dimension = 2 }", 1);
  }
  share_patterns(L, push_system(L, name, dimension));
  vidalua_push_point(L, -1, VidaPoint_Fixed(0.0, 0.0, 0.0), NULL);
  lua_setiuservalue(L, -2, SYSTEM_GROUND);
  return 1;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/*** Adds uniform gravity. It acts on all particles and bodies, including those added later.
 * @function gravity
 * @tparam {number,...} acceleration one number per dimension, m/s^2
 * @usage
 * s:gravity { 0, 0, -9.81 }
 */
static int system_gravity(lua_State* L) {
  VidaError error;
  double acceleration[3] = {0.0, 0.0, 0.0};
  VidaLuaBox* box = vidalua_check_open_system(L, 1);
  vidalua_check_vector(L, 2, "", "gravity", VidaSystem_Dimension(box->system), acceleration);
  if (VidaSystem_AddGravity(box->system, acceleration, &error)) {
    return vidalua_raise(L, "", "gravity", &error);
  }
  return 0;
}

/*** Returns a point fixed in space.
 * @function anchor
 * @tparam {number,...} position its position, m
 * @treturn point
 * @usage
 * s:distance { "rod", s:anchor { 0, 0, 2 }, upper, length = 2.3 }
 */
static int system_anchor(lua_State* L) {
  double position[3] = {0.0, 0.0, 0.0};
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_check_vector(L, 2, "", "anchor", VidaSystem_Dimension(box->system), position);
  vidalua_push_point(L, 1, VidaPoint_Fixed(position[0], position[1], position[2]), NULL);
  return 1;
}

/*** The origin, as an end of springs, rods and joints.
 * @tfield point ground
 */
static int system_ground(lua_State* L) {
  vidalua_check_system(L, 1);
  lua_getiuservalue(L, 1, SYSTEM_GROUND);
  return 1;
}

/*** Adds a point mass with the coordinates "name.x", "name.y", "name.z".
 * @function particle
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number given.mass mass >= 0, kg; 0 only if constraints determine its motion
 * @tparam {number,...} given.position initial position, m; components may be `vida.free`
 * @tparam[opt] {number,...} given.velocity initial velocity, m/s; components may be `vida.free`; by
 *   default 0
 * @treturn point
 * @usage
 * local lower = s:particle { "lower", mass = 3.5, position = { 2, 0, vida.free(-1) } }
 * s:distance { "lower rod", upper, lower, length = 3 }
 */
static int system_particle(lua_State* L) {
  static const char* const keys[] = {"mass", "position", "velocity", NULL};
  VidaError error;
  VidaParticle particle;
  int index = 0;
  VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const int dimension = VidaSystem_Dimension(box->system);
  memset(&particle, 0, sizeof particle);
  const char* place = vidalua_check_definition(
      L, "particle", "{ \"name\", mass = 1, position = { 0, 0, 0 } }", 1, keys, &particle.name);
  particle.mass = vidalua_required_real(L, 2, place, "mass");
  vidalua_check_initial(L, 2, place, "position", dimension, true, particle.position);
  vidalua_check_initial(L, 2, place, "velocity", dimension, false, particle.velocity);
  if (VidaSystem_AddParticle(box->system, &particle, &index, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  vidalua_push_point(L, 1, VidaPoint_Particle(index), particle.name);
  vidalua_keep_start(L, -1, particle.position, dimension);
  return 1;
}

/* The two ends at entries [2] and [3] of a spring or a rod. */
static void check_ends(lua_State* L, const char* place, VidaPoint* from, VidaPoint* to) {
  lua_rawgeti(L, 2, 2);
  *from = vidalua_check_point(L, -1, 1, place, "first end");
  lua_rawgeti(L, 2, 3);
  *to = vidalua_check_point(L, -1, 1, place, "second end");
  lua_pop(L, 2);
}

/* system:distance { "rod", from, to, length = 1 }: whether an end is fixed */
static int system_distance(lua_State* L) {
  static const char* const keys[] = {"length", NULL};
  VidaError error;
  VidaDistance distance;
  VidaLuaBox* box = vidalua_check_open_system(L, 1);
  memset(&distance, 0, sizeof distance);
  const char* place = vidalua_check_definition(L, "distance", "{ \"name\", from, to, length = 1 }",
                                               3, keys, &distance.name);
  check_ends(L, place, &distance.from, &distance.to);
  distance.length = vidalua_required_real(L, 2, place, "length");
  if (VidaSystem_AddDistance(box->system, &distance, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_pushboolean(L, distance.from.particle == VIDA_GROUND || distance.to.particle == VIDA_GROUND);
  return 1;
}

/*** Sets the compliance and the damping of a constraint, for methods that relax constraints
 * (`spook`, `spook-newton`, `del-regularized`, `del-nonholonomic-relaxed`). Other methods ignore
 * them.
 * @function relax
 * @tparam table given
 * @tparam string given.1 the name of the constraint; the values apply to all its rows
 * @tparam[opt] number given.compliance 1 / stiffness >= 0, m/N; by default that of the method
 * @tparam[opt] number given.damping_time time in which violations decay, > 0, s; by default that of
 *   the method
 * @raise if no constraint has this name
 * @usage
 * s:distance { "rope", s.ground, upper, length = 1 }
 * s:relax { "rope", compliance = 1e-6, damping_time = 0.01 }
 */
static int system_relax(lua_State* L) {
  static const char* const keys[] = {"compliance", "damping_time", NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_check_table(L, 2, "relax", "{ \"rod\", compliance = 1e-6, damping_time = 0.01 }");
  const char* name = vidalua_check_name(L, 2, "constraint");
  const char* place = lua_pushfstring(L, "relax '%s'", name);
  vidalua_check_keys(L, 2, place, "key", 1, vidalua_names(keys));
  const double compliance = vidalua_optional_real(L, 2, place, "compliance", (double)NAN);
  const double damping_time = vidalua_optional_real(L, 2, place, "damping_time", (double)NAN);
  if (VidaSystem_SetRelaxation(box->system, name, compliance, damping_time, &error)) {
    return vidalua_raise(L, "relax", NULL, &error);
  }
  return 0;
}

static VidaSpringLaw check_law(lua_State* L, int table, const char* place) {
  VidaSpringLaw law = VIDA_SPRING_LINEAR;
  const char* text = vidalua_optional_text(L, table, place, "law");
  if (text && strcmp(text, "squared") == 0) {
    law = VIDA_SPRING_SQUARED;
  } else if (text && strcmp(text, "linear") != 0) {
    vidalua_field(L, table, "law");
    vidalua_expected(L, place, "law", "\"linear\" or \"squared\"", -1);
  }
  return law;
}

/* system:spring { "spring", from, to, stiffness = 1, length = 1, cubic = 0, law = "linear" } */
static int system_spring(lua_State* L) {
  static const char* const keys[] = {"stiffness", "length", "cubic", "law", NULL};
  VidaError error;
  VidaSpring spring;
  VidaLuaBox* box = vidalua_check_open_system(L, 1);
  memset(&spring, 0, sizeof spring);
  const char* place = vidalua_check_definition(
      L, "spring", "{ \"name\", from, to, stiffness = 1, length = 1 }", 3, keys, &spring.name);
  check_ends(L, place, &spring.from, &spring.to);
  spring.stiffness = vidalua_required_real(L, 2, place, "stiffness");
  spring.length = vidalua_required_real(L, 2, place, "length");
  spring.cubic = vidalua_optional_real(L, 2, place, "cubic", 0.0);
  spring.law = check_law(L, 2, place);
  if (VidaSystem_AddSpring(box->system, &spring, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

/* ---- equations of motion --------------------------------------------------------------------- */

static const char* coordinate_name(const void* system, int index) {
  return VidaSystem_CoordinateName(system, index);
}

static const char* row_name(const void* system, int row) {
  return VidaSystem_ConstraintName(system, row);
}

/* Pushes values as a list that also has them by name. */
static void push_values(lua_State* L, const double* values, VidaLuaNames names) {
  lua_createtable(L, names.count, names.count);
  for (int i = 0; i < names.count; i++) {
    lua_pushnumber(L, values[i]);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, names.get(names.list, i));
    lua_rawseti(L, -2, i + 1);
  }
}

/*** Computes accelerations and multipliers from the equations of motion. Completes the system.
 * @function accelerations
 * @tparam[opt] {number,...} q positions of all coordinates; by default the consistent start
 * @tparam[opt] {number,...} v their rates; required with q
 * @tparam[opt=0] number t the time, s
 * @treturn {number,...} accelerations, as a list and by the names of coordinates
 * @treturn {number,...} multipliers, as a list and by the names of constraint rows, N
 * @raise if the mass matrix and the constraints do not determine them
 * @usage
 * local a, lambda = s:accelerations()
 * print(a["upper.x"], a[1])
 */
static int system_accelerations(lua_State* L) {
  VidaError error;
  lua_settop(L, 4);
  VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_complete_system(L, box);
  const int n = VidaSystem_CoordinateCount(box->system);
  const int m = VidaSystem_ConstraintCount(box->system);
  if (!lua_isnil(L, 4)) {
    vidalua_check_finite(L, 4, "accelerations", "time");
  }
  const double t = lua_isnil(L, 4) ? 0.0 : lua_tonumber(L, 4);
  double* q = lua_newuserdatauv(L, (3 * (size_t)n + (size_t)m + 1) * sizeof *q, 0);
  double* v = q + n;
  double* a = v + n;
  double* lambda = a + n;
  if (!lua_isnil(L, 2) || !lua_isnil(L, 3)) {
    vidalua_check_vector(L, 2, "accelerations", "positions", n, q);
    vidalua_check_vector(L, 3, "accelerations", "velocities", n, v);
  } else if (VidaSystem_Start(box->system, t, NULL, q, v, NULL, &error)) {
    return vidalua_raise_start(L, 1, "accelerations", &error);
  }
  if (VidaSystem_Accelerations(box->system, t, q, v, a, lambda, &error)) {
    return vidalua_raise(L, "accelerations", NULL, &error);
  }
  vidalua_mark_work_done(L);
  push_values(L, a, (VidaLuaNames){n, coordinate_name, box->system});
  push_values(L, lambda, (VidaLuaNames){m, row_name, box->system});
  return 2;
}

/* ---- the class ------------------------------------------------------------------------------- */

static int system_tostring(lua_State* L) {
  const SystemHandle* handle = vidalua_check_self(L, VIDALUA_SYSTEM);
  if (handle->box) {
    lua_pushfstring(L, "system '%s'", VidaSystem_Name(handle->box->system));
  } else {
    lua_pushstring(L, "closed system");
  }
  return 1;
}

/*** The name of the system.
 * @tfield string name
 */
static int system_name(lua_State* L) {
  lua_pushstring(L, VidaSystem_Name(vidalua_check_system(L, 1)->system));
  return 1;
}

void vidalua_open_system(lua_State* L) {
  static const luaL_Reg meta[] = {{"__gc", system_close},
                                  {"__close", system_close},
                                  {"__tostring", system_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {{"gravity", system_gravity},
                                     {"anchor", system_anchor},
                                     {"particle", system_particle},
                                     {"spring", system_spring},
                                     {"distance", system_distance},
                                     {"relax", system_relax},
                                     {"stepper", vidalua_new_stepper},
                                     {"coordinate", vidalua_coordinate},
                                     {"lagrangian", vidalua_lagrangian},
                                     {"kinetic", vidalua_kinetic},
                                     {"potential", vidalua_potential},
                                     {"rayleigh", vidalua_rayleigh},
                                     {"constraint", vidalua_constraint},
                                     {"chart", vidalua_chart},
                                     {"nonholonomic", vidalua_nonholonomic},
                                     {"contact", vidalua_contact},
                                     {"force", vidalua_force},
                                     {"multiplier", vidalua_multiplier},
                                     {"momentum", vidalua_momentum},
                                     {"event", vidalua_event},
                                     {"coupling", vidalua_coupling},
                                     {"observe", vidalua_observe},
                                     {"parameter", vidalua_parameter},
                                     {"set_parameter", vidalua_set_parameter},
                                     {"get_parameter", vidalua_get_parameter},
                                     {"accelerations", system_accelerations},
                                     {"close", system_close},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {
      {"ground", system_ground}, {"name", system_name}, {"time", vidalua_time}, {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_SYSTEM, meta, methods, properties);
  lua_pushcfunction(L, new_system);
}
