/* system:stepper: one method at work, step by step. */
#include <math.h>
#include <string.h>

#include "binding.h"

typedef struct StepperHandle {
  VidaStepper* stepper; /* NULL once closed */
  VidaLuaBox* box;      /* the system it needs */
} StepperHandle;

/* ---- ownership ------------------------------------------------------------------------------- */

static int stepper_close(lua_State* L) {
  StepperHandle* handle = luaL_checkudata(L, 1, VIDALUA_STEPPER);
  VidaStepper_Destroy(&handle->stepper);
  vidalua_release_box(&handle->box);
  return 0;
}

static StepperHandle* check_handle(lua_State* L) {
  StepperHandle* handle = luaL_checkudata(L, 1, VIDALUA_STEPPER);
  if (!handle->stepper) {
    vidalua_error(L, "attempt to use a closed stepper");
  }
  return handle;
}

static VidaStepper* check_stepper(lua_State* L) {
  return check_handle(L)->stepper;
}

static void create_stepper(lua_State* L, const VidaOptions* options, const char* place,
                           void* data) {
  VidaError error;
  StepperHandle* handle = data;
  if (VidaStepper_Create(handle->box->system, options, &handle->stepper, &error)) {
    vidalua_raise(L, place, NULL, &error);
  }
}

/* system:stepper { "rattle", h = 0.01 } */
int vidalua_new_stepper(lua_State* L) {
  lua_settop(L, 2);
  VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_complete_system(L, box);
  StepperHandle* handle = lua_newuserdatauv(L, sizeof *handle, 0);
  memset(handle, 0, sizeof *handle);
  luaL_setmetatable(L, VIDALUA_STEPPER);
  handle->box = vidalua_keep_box(box);
  vidalua_read_method(L, 2, "stepper", false, create_stepper, handle);
  return 1;
}

/* ---- starting -------------------------------------------------------------------------------- */

static size_t coordinate_count(const StepperHandle* handle) {
  return (size_t)VidaSystem_CoordinateCount(handle->box->system);
}

/* Pushes memory for `count` numbers that Lua frees. */
static double* new_numbers(lua_State* L, size_t count) {
  return lua_newuserdatauv(L, count * sizeof(double) + 1, 0);
}

static void push_vector(lua_State* L, const double* vector, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(L, vector[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* stepper:start { t0 = 0, adjust_start = false, start_tolerance = 1e-9 }: from the initial values
 * of the system, made consistent; returns what is to be said about them. */
static int start_from_system(lua_State* L, StepperHandle* handle) {
  static const char* const keys[] = {"t0", "adjust_start", "start_tolerance", NULL};
  VidaError error;
  VidaStartOptions start = VidaStartOptions_Default();
  double t0 = 0.0;
  if (lua_istable(L, 2)) {
    vidalua_check_keys(L, 2, "start", "key", 0, vidalua_names(keys));
    t0 = vidalua_optional_real(L, 2, "start", "t0", 0.0);
    start.adjust = vidalua_optional_boolean(L, 2, "start", "adjust_start", start.adjust);
    start.tolerance = vidalua_optional_real(L, 2, "start", "start_tolerance", start.tolerance);
  }
  const size_t n = coordinate_count(handle);
  double* q = new_numbers(L, 2 * n);
  char* notes = lua_newuserdatauv(L, VIDA_NOTES_SIZE, 0);
  if (VidaSystem_Start(handle->box->system, t0, &start, q, q + n, notes, &error) ||
      VidaStepper_Start(handle->stepper, t0, q, q + n, &error)) {
    return vidalua_raise(L, "start", NULL, &error);
  }
  lua_pushstring(L, notes);
  return 1;
}

/* Reads t0 and two vectors from arguments 2 to 4; the second one follows the first in memory. */
static const double* check_state(lua_State* L, const StepperHandle* handle, const char* first,
                                 const char* second, double* t0) {
  const int n = VidaSystem_CoordinateCount(handle->box->system);
  lua_settop(L, 4);
  *t0 = luaL_checknumber(L, 2);
  luaL_argcheck(L, isfinite(*t0), 2, "the time must be a finite number");
  double* state = new_numbers(L, 2 * (size_t)n);
  vidalua_check_vector(L, 3, "start", first, n, state);
  vidalua_check_vector(L, 4, "start", second, n, state + n);
  return state;
}

/* stepper:start(), stepper:start { ... } or stepper:start(t0, q, v); returns notes. */
static int stepper_start(lua_State* L) {
  VidaError error;
  double t0 = 0.0;
  StepperHandle* handle = check_handle(L);
  if (lua_isnoneornil(L, 2) || lua_istable(L, 2)) {
    return start_from_system(L, handle);
  }
  const double* state = check_state(L, handle, "positions", "velocities", &t0);
  if (VidaStepper_Start(handle->stepper, t0, state, state + coordinate_count(handle), &error)) {
    return vidalua_raise(L, "start", NULL, &error);
  }
  lua_pushliteral(L, "");
  return 1;
}

/* stepper:start_two_points(t0, q0, q1): the first step is then already made. */
static int stepper_start_two_points(lua_State* L) {
  VidaError error;
  double t0 = 0.0;
  StepperHandle* handle = check_handle(L);
  const double* state = check_state(L, handle, "positions", "second positions", &t0);
  if (VidaStepper_StartTwoPoints(handle->stepper, t0, state, state + coordinate_count(handle),
                                 &error)) {
    return vidalua_raise(L, "start", NULL, &error);
  }
  return 0;
}

/* ---- stepping -------------------------------------------------------------------------------- */

/* stepper:step(n): true, or nil, message, name of the failure. Mistakes raise an error. */
static int stepper_step(lua_State* L) {
  VidaError error;
  VidaStepper* stepper = check_stepper(L);
  const lua_Integer count = luaL_optinteger(L, 2, 1);
  luaL_argcheck(L, count >= 0, 2, "the number of steps must not be negative");
  VidaLuaWatch watch = vidalua_watch_host(L);
  for (lua_Integer i = 0; i < count; i++) {
    const int code = VidaStepper_Step(stepper, &error);
    if (code > 0) {
      lua_pushnil(L);
      lua_pushstring(L, error.message);
      lua_pushstring(L, Vida_CodeName(code));
      return 3;
    }
    if (code < 0) {
      return vidalua_raise(L, "", NULL, &error);
    }
    if (vidalua_host_interrupts(&watch)) {
      return vidalua_error(L, "stopped on request");
    }
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* ---- looking --------------------------------------------------------------------------------- */

static int stepper_time(lua_State* L) {
  lua_pushnumber(L, VidaStepper_Time(check_stepper(L)));
  return 1;
}

static int stepper_positions(lua_State* L) {
  const StepperHandle* handle = check_handle(L);
  push_vector(L, VidaStepper_Positions(handle->stepper), coordinate_count(handle));
  return 1;
}

static int stepper_momenta(lua_State* L) {
  const StepperHandle* handle = check_handle(L);
  push_vector(L, VidaStepper_Momenta(handle->stepper), coordinate_count(handle));
  return 1;
}

static int stepper_velocities(lua_State* L) {
  VidaError error;
  const StepperHandle* handle = check_handle(L);
  const size_t n = coordinate_count(handle);
  double* v = new_numbers(L, n);
  if (VidaStepper_Velocities(handle->stepper, v, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  push_vector(L, v, n);
  return 1;
}

/* The newest multipliers and the time they belong to; nil before the first step. */
static int stepper_multipliers(lua_State* L) {
  double t = 0.0;
  const StepperHandle* handle = check_handle(L);
  const size_t m = (size_t)VidaSystem_ConstraintCount(handle->box->system);
  const double* multipliers = VidaStepper_Multipliers(handle->stepper, &t);
  if (m > 0 && isnan(multipliers[0])) {
    return 0;
  }
  push_vector(L, multipliers, m);
  lua_pushnumber(L, t);
  return 2;
}

/* The energy and the time it belongs to. */
static int stepper_energy(lua_State* L) {
  VidaError error;
  double energy = 0.0;
  double t = 0.0;
  if (VidaStepper_Energy(check_stepper(L), &energy, &t, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_pushnumber(L, energy);
  lua_pushnumber(L, t);
  return 2;
}

/* Largest |g| and |G v + g_t|. */
static int stepper_constraint_errors(lua_State* L) {
  VidaError error;
  double position = 0.0;
  double velocity = 0.0;
  if (VidaStepper_ConstraintErrors(check_stepper(L), &position, &velocity, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_pushnumber(L, position);
  lua_pushnumber(L, velocity);
  return 2;
}

/* The observables of the system at the node, by name. */
static int stepper_observables(lua_State* L) {
  VidaError error;
  const StepperHandle* handle = check_handle(L);
  const VidaSystem* system = handle->box->system;
  const int count = VidaSystem_ObservableCount(system);
  double* values = new_numbers(L, (size_t)count);
  if (VidaStepper_Observables(handle->stepper, values, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_createtable(L, 0, count);
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, values[i]);
    lua_setfield(L, -2, VidaSystem_ObservableName(system, i));
  }
  return 1;
}

static void set_count(lua_State* L, const char* key, long count) {
  lua_pushinteger(L, count);
  lua_setfield(L, -2, key);
}

static int stepper_statistics(lua_State* L) {
  const VidaStatistics statistics = VidaStepper_Statistics(check_stepper(L));
  lua_newtable(L);
  set_count(L, "steps", statistics.steps);
  set_count(L, "rejected_steps", statistics.rejected_steps);
  set_count(L, "newton_iterations", statistics.newton_iterations);
  set_count(L, "residual_evaluations", statistics.residual_evaluations);
  set_count(L, "jacobian_evaluations", statistics.jacobian_evaluations);
  set_count(L, "factorizations", statistics.factorizations);
  set_count(L, "singular_passages", statistics.singular_passages);
  return 1;
}

static int stepper_tostring(lua_State* L) {
  const StepperHandle* handle = luaL_checkudata(L, 1, VIDALUA_STEPPER);
  if (handle->stepper) {
    lua_pushfstring(L, "stepper of system '%s', h = %f", VidaSystem_Name(handle->box->system),
                    VidaStepper_StepSize(handle->stepper));
  } else {
    lua_pushstring(L, "closed stepper");
  }
  return 1;
}

void vidalua_open_stepper(lua_State* L) {
  static const luaL_Reg meta[] = {{"__gc", stepper_close},
                                  {"__close", stepper_close},
                                  {"__tostring", stepper_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {{"start", stepper_start},
                                     {"start_two_points", stepper_start_two_points},
                                     {"step", stepper_step},
                                     {"time", stepper_time},
                                     {"positions", stepper_positions},
                                     {"velocities", stepper_velocities},
                                     {"momenta", stepper_momenta},
                                     {"multipliers", stepper_multipliers},
                                     {"energy", stepper_energy},
                                     {"observables", stepper_observables},
                                     {"constraint_errors", stepper_constraint_errors},
                                     {"statistics", stepper_statistics},
                                     {"close", stepper_close},
                                     {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_STEPPER, meta, methods, NULL);
}
