/*** Steppers: one method on one system, step by step.
 * A stepper is at a node: the start or the end of the last step. A failed step does not move it.
 *
 * @classmod stepper
 * @usage
 * local vida = require "vida"
 * local s = vida.system { "pendulum", dimension = 2 }
 * s:gravity { 0, -9.81 }
 * local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
 * s:distance { "rod", s.ground, bob, length = 1 }
 * s:observe { "height", bob.y, unit = "m" }
 * local stepper = s:stepper { "rattle", h = 0.01 }
 * stepper:start()
 * stepper:step(10)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* An event since the start; the name belongs to the system. */
typedef struct LoggedEvent {
  VidaEventKind kind;
  const char* name;
  double t;
} LoggedEvent;

typedef struct StepperHandle {
  VidaStepper* stepper; /* NULL once closed */
  VidaLuaBox* box;      /* the system it needs */
  LoggedEvent* events;  /* since the start, at most MOST_EVENTS */
  size_t event_capacity;
  long event_count, kept_events; /* of all of them, and of those in `events` */
} StepperHandle;

enum { MOST_EVENTS = 1000000 };

/* ---- events ---------------------------------------------------------------------------------- */

static int log_event(const VidaEventRecord* record, void* data) {
  StepperHandle* handle = data;
  if (handle->kept_events < MOST_EVENTS) {
    if ((size_t)handle->kept_events == handle->event_capacity) {
      const size_t capacity = 2 * handle->event_capacity + 64;
      LoggedEvent* moved = realloc(handle->events, capacity * sizeof *moved);
      if (!moved) {
        return VIDA_OUT_OF_MEMORY;
      }
      handle->events = moved;
      handle->event_capacity = capacity;
    }
    handle->events[handle->kept_events++] = (LoggedEvent){record->kind, record->name, record->t};
  }
  handle->event_count++;
  return 0;
}

static void forget_events(StepperHandle* handle) {
  handle->event_count = handle->kept_events = 0;
}

/* Forgets the events of a step that has failed, which the stepper has left for its node at t. */
static void forget_events_after(StepperHandle* handle, double t) {
  while (handle->kept_events > 0 && handle->events[handle->kept_events - 1].t > t) {
    handle->kept_events--;
    handle->event_count--;
  }
}

/* ---- ownership ------------------------------------------------------------------------------- */

/*** Frees the stepper now, not at the next garbage collection.
 * @function close
 * @usage
 * stepper:close()
 */
static int stepper_close(lua_State* L) {
  StepperHandle* handle = vidalua_check_self(L, VIDALUA_STEPPER);
  VidaStepper_Destroy(&handle->stepper);
  free(handle->events);
  handle->events = NULL;
  handle->event_capacity = 0;
  forget_events(handle);
  vidalua_release_box(&handle->box);
  return 0;
}

static StepperHandle* check_handle(lua_State* L) {
  StepperHandle* handle = vidalua_check_self(L, VIDALUA_STEPPER);
  if (!handle->stepper) {
    vidalua_error(L, "attempt to use a closed stepper");
  }
  return handle;
}

static VidaStepper* check_stepper(lua_State* L) {
  return check_handle(L)->stepper;
}

/* Pushes a handle without a stepper, for the system at `index`, which is completed. */
static StepperHandle* new_handle(lua_State* L, int index) {
  VidaLuaBox* box = vidalua_check_system(L, index);
  vidalua_complete_system(L, box);
  StepperHandle* handle = lua_newuserdatauv(L, sizeof *handle, 1);
  memset(handle, 0, sizeof *handle);
  luaL_setmetatable(L, VIDALUA_STEPPER);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, 1); /* for what it knows about the start */
  handle->box = vidalua_retain_box(box);
  return handle;
}

static void create_stepper(lua_State* L, const VidaOptions* options, const char* place,
                           void* data) {
  VidaError error;
  StepperHandle* handle = data;
  if (VidaStepper_Create(handle->box->system, options, &handle->stepper, &error)) {
    vidalua_raise(L, place, NULL, &error);
  }
  VidaStepper_SetEventObserver(handle->stepper, log_event, handle, NULL);
}

/*** Creates a stepper, and completes the system.
 * @function system:stepper
 * @tparam table given `{ "name", option = value }`, with the options of `vida.methods`
 * @treturn stepper
 * @raise if the method does not accept the system (the message lists methods that do), or if an
 *   option is unknown or out of its range
 * @usage
 * local other = s:stepper { "energy-momentum", h = 0.02 }
 */
int vidalua_new_stepper(lua_State* L) {
  lua_settop(L, 2);
  StepperHandle* handle = new_handle(L, 1);
  vidalua_read_method(L, 2, "stepper", false, create_stepper, handle);
  return 1;
}

static const char* check_path(lua_State* L, int index, const char* place) {
  if (lua_type(L, index) != LUA_TSTRING) {
    vidalua_expected(L, place, "file", "the name of a file", index);
  }
  return lua_tostring(L, index);
}

/*** Loads a stepper that `stepper:save` has saved: with its method, its options and its state. With
 * fixed steps it goes on bit for bit as the saved one does.
 * @function vida.load
 * @tparam string file path of the file
 * @tparam system system the system of the saved stepper, made again; it is completed
 * @treturn stepper
 * @raise if the file cannot be read, is damaged, or belongs to another system or another version of
 *   VIDA (the message names what differs)
 * @usage
 * stepper:save("pendulum.state")
 * local again = vida.load("pendulum.state", s)
 * again:step(10)
 */
int vidalua_load_stepper(lua_State* L) {
  VidaError error;
  lua_settop(L, 2);
  const char* path = check_path(L, 1, "load");
  vidalua_check_readable(L, "vida.load", path);
  StepperHandle* handle = new_handle(L, 2);
  if (VidaStepper_Load(handle->box->system, NULL, path, &handle->stepper, &error)) {
    return vidalua_raise(L, "load", NULL, &error);
  }
  VidaStepper_SetEventObserver(handle->stepper, log_event, handle, NULL);
  return 1;
}

/*** Saves the stepper to a file, which is replaced at once: whatever happens meanwhile, it has its
 * old or its new contents.
 * @function save
 * @tparam string file path of the file
 * @raise if the file cannot be written, if the stepper has not been started, or if the method of a
 *   plug-in cannot be saved
 * @usage
 * stepper:save("pendulum.state")
 */
static int stepper_save(lua_State* L) {
  VidaError error;
  const VidaStepper* stepper = check_stepper(L);
  const char* path = check_path(L, 2, "save");
  vidalua_check_file(L, "save", path, ".state");
  if (VidaStepper_Save(stepper, path, &error)) {
    return vidalua_raise(L, "save", NULL, &error);
  }
  return 0;
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

/* stepper:start { t0 = 0, adjust_start = false, start_tolerance = 1e-9 }: starts from the
 * consistent initial values of the system, and returns the notes about them. */
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
  if (VidaSystem_Start(handle->box->system, t0, &start, q, q + n, notes, &error)) {
    lua_getiuservalue(L, 1, 1);
    return vidalua_raise_start(L, -1, "start", &error);
  }
  if (VidaStepper_Start(handle->stepper, t0, q, q + n, &error)) {
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
  if (!vidalua_is_number(L, 2)) {
    vidalua_expected(L, "", "start", "a table of options, or the time of a state", 2);
  }
  vidalua_check_finite(L, 2, "start", "time");
  *t0 = lua_tonumber(L, 2);
  double* state = new_numbers(L, 2 * (size_t)n);
  vidalua_check_vector(L, 3, "start", first, n, state);
  vidalua_check_vector(L, 4, "start", second, n, state + n);
  return state;
}

/*** Starts or restarts from the consistent initial values of the system, or from a state:
 * `stepper:start(t0, q, v)`. Resets the statistics.
 * @function start
 * @tparam[opt] table|number given options, or the time t0 of the state, s
 * @tparam[opt] {number,...} q positions of all coordinates
 * @tparam[opt] {number,...} v rates of all coordinates
 * @tparam[opt=0] number given.t0 start time, s
 * @tparam[opt=false] boolean given.adjust_start change initial values that violate a constraint,
 *   instead of refusing them
 * @tparam[opt=1e-9] number given.start_tolerance largest relative change without adjust_start
 * @treturn string the notes about the start; "" if there are none
 * @raise if the start violates a constraint
 * @usage
 * stepper:start(0, { 0, -1 }, { 2, 0 })
 */
static int stepper_start(lua_State* L) {
  VidaError error;
  double t0 = 0.0;
  StepperHandle* handle = check_handle(L);
  forget_events(handle);
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

/*** Starts from the positions at t0 and t0 + h. The stepper is then at t0 + h.
 * @function start_two_points
 * @tparam number t0 start time, s
 * @tparam {number,...} q0 positions at t0
 * @tparam {number,...} q1 positions at t0 + h
 * @raise if the method cannot start from two points (`vida.methods`)
 * @usage
 * stepper:start_two_points(0, { 0, -1 }, { math.sin(0.01), -math.cos(0.01) })
 */
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

/* Returns whether the code of a step is no failure of the method on this motion, but a mistake of
 * the script, a failure of the machine, or the user's wish to stop. */
static bool is_mistake(int code) {
  static const int mistakes[] = {VIDA_OUT_OF_MEMORY, VIDA_BAD_ARGUMENT,    VIDA_UNKNOWN_NAME,
                                 VIDA_WRONG_ORDER,   VIDA_CALLBACK_FAILED, VIDA_INPUT_OUTPUT,
                                 VIDA_STOPPED};
  for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
    if (code == mistakes[k]) {
      return true;
    }
  }
  return false;
}

/*** Makes steps; where an event ends the motion, fewer (`stepper:has_ended`).
 * @function step
 * @tparam[opt=1] integer n number of steps
 * @treturn boolean|nil true, or nil if a step failed
 * @treturn string in that case, the reason and what to try
 * @treturn string in that case, the name of the failure, as in the column `status`: the flag of a
 *   solver or of VIDA, such as "OTHER_BRANCH" or "ENERGY_GAINED", or the name of a code, such as
 *   "STEP_NOT_CONVERGED"
 * @raise if the stepper has not been started, or a function of the system fails
 * @usage
 * local good, message = stepper:step(5)
 * assert(good, message)
 */
static int stepper_step(lua_State* L) {
  enum { BETWEEN_CHECKS = 16 }; /* steps between two looks at the user's wish to stop */
  VidaError error;
  StepperHandle* handle = check_handle(L);
  VidaStepper* stepper = handle->stepper;
  const lua_Integer count = vidalua_check_count(L, 2, "step", "a number of steps, 0 or more", 0, 1);
  VidaLuaWatch watch = vidalua_begin_interrupt_checks(L);
  vidalua_mark_work_done(L);
  for (long left = (long)count, made; left > 0; left -= made) {
    const int code =
        VidaStepper_Steps(stepper, left < BETWEEN_CHECKS ? left : BETWEEN_CHECKS, &made, &error);
    if (code) {
      forget_events_after(handle, VidaStepper_Time(stepper));
    }
    if (code && !is_mistake(code)) {
      lua_pushnil(L);
      lua_pushstring(L, error.message);
      lua_pushstring(L, error.flag[0] ? error.flag : Vida_CodeName(code));
      return 3;
    }
    if (code) {
      return vidalua_raise(L, "", NULL, &error);
    }
    if (vidalua_is_interrupted(&watch)) {
      return vidalua_error(L, "stopped on request");
    }
    if (VidaStepper_HasEnded(stepper)) {
      break;
    }
  }
  lua_pushboolean(L, 1);
  return 1;
}

/*** The events since the start, in the order of time, and at most the first million.
 * @function events
 * @treturn {table,...} each with `name` (of the event or contact), `kind` ("zero", for events of
 *   `system:event`) and `t`, s
 * @treturn integer the number of all events since the start
 * @usage
 * for _, event in ipairs(stepper:events()) do
 *   print(event.name, event.kind, event.t)
 * end
 */
static int stepper_events(lua_State* L) {
  const StepperHandle* handle = check_handle(L);
  lua_createtable(L, (int)handle->kept_events, 0);
  for (long i = 0; i < handle->kept_events; i++) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, handle->events[i].name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, Vida_EventKindName((int)handle->events[i].kind));
    lua_setfield(L, -2, "kind");
    lua_pushnumber(L, handle->events[i].t);
    lua_setfield(L, -2, "t");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, handle->event_count);
  return 2;
}

/*** Whether an event with `action = "stop"` has ended the motion. `stepper:time()` is then its
 * time, and no further step is possible until the next start.
 * @function has_ended
 * @treturn boolean
 * @usage
 * print(stepper:has_ended(), stepper:time())
 */
static int stepper_has_ended(lua_State* L) {
  lua_pushboolean(L, VidaStepper_HasEnded(check_stepper(L)));
  return 1;
}

/* ---- looking --------------------------------------------------------------------------------- */

/*** The time of the node.
 * @function time
 * @treturn number s
 * @usage
 * print(stepper:time())
 */
static int stepper_time(lua_State* L) {
  lua_pushnumber(L, VidaStepper_Time(check_stepper(L)));
  return 1;
}

/*** The positions at the node.
 * @function positions
 * @treturn {number,...} of all coordinates, in the order of addition
 * @usage
 * local q = stepper:positions()
 */
static int stepper_positions(lua_State* L) {
  const StepperHandle* handle = check_handle(L);
  push_vector(L, VidaStepper_Positions(handle->stepper), coordinate_count(handle));
  return 1;
}

/*** The conjugate momenta at the node.
 * @function momenta
 * @treturn {number,...} of all coordinates
 * @usage
 * local p = stepper:momenta()
 */
static int stepper_momenta(lua_State* L) {
  const StepperHandle* handle = check_handle(L);
  push_vector(L, VidaStepper_Momenta(handle->stepper), coordinate_count(handle));
  return 1;
}

/*** The velocities at the node; for variational methods, projected onto the hidden constraints.
 * @function velocities
 * @treturn {number,...} of all coordinates
 * @usage
 * local v = stepper:velocities()
 */
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

/*** The latest multipliers.
 * @function multipliers
 * @treturn {number,...}|nil of all constraint rows, N; nil before the first step
 * @treturn number the time to which they belong, s: a node or the middle of a step
 * @usage
 * local lambda, t = stepper:multipliers()
 */
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

/*** The energy.
 * @function energy
 * @treturn number J
 * @treturn number the time to which it belongs, s
 * @usage
 * local energy = stepper:energy()
 */
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

/*** The violations of the constraints.
 * @function constraint_errors
 * @treturn number the largest |g|
 * @treturn number the largest |G v + g_t|
 * @usage
 * local position, velocity = stepper:constraint_errors()
 */
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

/*** The observables of the system at the node.
 * @function observables
 * @treturn table numbers by names
 * @usage
 * print(stepper:observables().height)
 */
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

/*** Energy of the parasitic solutions: of the waves that a multistep formula adds to the motion,
 * and that its energy has lost to them (with order 6: gained). It begins at rounding and grows
 * where steps are too large for the motion.
 * @function parasitic_energy
 * @treturn number in J; nil for one-step methods and before the first step of the formula
 * @usage
 * local energy = stepper:parasitic_energy()
 * if energy then
 *   print(energy)
 * end
 */
static int stepper_parasitic_energy(lua_State* L) {
  const double energy = VidaStepper_ParasiticEnergy(check_stepper(L));
  if (isnan(energy)) {
    lua_pushnil(L);
  } else {
    lua_pushnumber(L, energy);
  }
  return 1;
}

/*** Counts since the start: `steps`, `rejected_steps`, `newton_iterations`,
 * `residual_evaluations`, `jacobian_evaluations`, `factorizations`. For methods that solve
 * equations in a step also the `plan` of Newton's method ("condensed": it solves for the
 * multipliers only; "general"; "null-space", with the option `reduction`), the `solver` that makes
 * its iterations ("newton", a loop of VIDA; "kinsol"), its `unknowns`, `matrix_entries` and
 * `factor_entries`, and for "null-space" the `condition` of its last matrix.
 * @function statistics
 * @treturn table integers, and strings
 * @usage
 * print(stepper:statistics().newton_iterations)
 */
static int stepper_statistics(lua_State* L) {
  VidaStepper* stepper = check_stepper(L);
  const VidaStatistics statistics = VidaStepper_Statistics(stepper);
  VidaStepPlan plan;
  lua_newtable(L);
  vidalua_set_integer(L, "steps", statistics.steps);
  vidalua_set_integer(L, "rejected_steps", statistics.rejected_steps);
  vidalua_set_integer(L, "newton_iterations", statistics.newton_iterations);
  vidalua_set_integer(L, "residual_evaluations", statistics.residual_evaluations);
  vidalua_set_integer(L, "jacobian_evaluations", statistics.jacobian_evaluations);
  vidalua_set_integer(L, "factorizations", statistics.factorizations);
  vidalua_set_integer(L, "singular_passages", statistics.singular_passages);
  vidalua_set_integer(L, "forced_steps", statistics.forced_steps);
  if (!VidaStepper_Plan(stepper, &plan, NULL)) {
    lua_pushstring(L, plan.name);
    lua_setfield(L, -2, "plan");
    lua_pushstring(L, plan.solver);
    lua_setfield(L, -2, "solver");
    vidalua_set_integer(L, "unknowns", plan.unknowns);
    vidalua_set_integer(L, "matrix_entries", plan.entries);
    if (plan.condition > 0.0) {
      lua_pushnumber(L, plan.condition);
      lua_setfield(L, -2, "condition");
    }
    if (plan.factor_entries >= 0) {
      vidalua_set_integer(L, "factor_entries", plan.factor_entries);
    }
  }
  return 1;
}

static int stepper_tostring(lua_State* L) {
  const StepperHandle* handle = vidalua_check_self(L, VIDALUA_STEPPER);
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
                                     {"events", stepper_events},
                                     {"has_ended", stepper_has_ended},
                                     {"time", stepper_time},
                                     {"positions", stepper_positions},
                                     {"velocities", stepper_velocities},
                                     {"momenta", stepper_momenta},
                                     {"multipliers", stepper_multipliers},
                                     {"energy", stepper_energy},
                                     {"observables", stepper_observables},
                                     {"constraint_errors", stepper_constraint_errors},
                                     {"parasitic_energy", stepper_parasitic_energy},
                                     {"statistics", stepper_statistics},
                                     {"save", stepper_save},
                                     {"close", stepper_close},
                                     {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_STEPPER, meta, methods, NULL);
}
