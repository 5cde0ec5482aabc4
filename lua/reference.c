/* Reads reference = ...: a method, a function of time, or a list of states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* ---- states ---------------------------------------------------------------------------------- */

/* Sets the list of states on top of the stack as the reference. */
static void set_states(lua_State* L, VidaStudy* study, const char* text, double own_error) {
  VidaError error;
  const VidaSystem* system = VidaStudy_System(study);
  const int list = lua_gettop(L);
  vidalua_check_table(L, list, "reference.states", "{ { t = 1, positions = { ... } }, ... }");
  const int count = vidalua_check_list(L, list, "reference", "states");
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(system);
  const size_t rows = (size_t)count;
  double* t = lua_newuserdatauv(L, (rows * (1 + 2 * n + m) + 1) * sizeof *t, 0);
  double* q = t + rows;
  double* v = q + rows * n;
  double* lambda = v + rows * n;
  for (size_t i = 0; i < rows; i++) {
    const char* place = lua_pushfstring(L, "reference.states[%d]", (int)i + 1);
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    vidalua_check_table(L, -1, place, "{ t = 1, positions = { ... } }");
    t[i] = vidalua_required_real(L, lua_gettop(L), place, "t");
    vidalua_read_state(L, system, place, q + i * n, v + i * n, lambda + i * m);
    lua_pop(L, 2);
  }
  if (VidaStudy_SetReferenceStates(study, text, own_error, count, t, q, v, lambda, &error)) {
    vidalua_raise(L, "reference", NULL, &error);
  }
  lua_settop(L, list);
}

/* ---- a function of time ---------------------------------------------------------------------- */

/* Lives in a user value of the comparison, as long as its study. */
typedef struct ExactFunction {
  lua_State* L; /* the main thread: the study may be run from any other */
  const VidaSystem* system;
  double *q, *v, *lambda; /* where the running call writes */
  int* at_work;           /* number of such functions that run, in the registry of the state */
} ExactFunction;

static const char at_work_key = 0;

/* Pushes the counter of the state. */
static int* push_counter(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &at_work_key) == LUA_TNIL) {
    lua_pop(L, 1);
    int* counter = lua_newuserdatauv(L, sizeof *counter, 0);
    *counter = 0;
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &at_work_key);
  }
  return lua_touserdata(L, -1);
}

bool vidalua_is_reference_at_work(lua_State* L) {
  const bool is_at_work = *push_counter(L) > 0;
  lua_pop(L, 1);
  return is_at_work;
}

/* (function, ExactFunction, t), protected */
static int call_exact(lua_State* L) {
  ExactFunction* exact = lua_touserdata(L, 2);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 1, 1);
  vidalua_read_state(L, exact->system, "the reference's function", exact->q, exact->v,
                     exact->lambda);
  return 0;
}

/* Writes the error value on top of the stack and the line at which the function is defined. Errors
 * in a returned state are found after the function has ended, when no line in it is known. */
static void describe_failure(const ExactFunction* exact, double t, VidaError* error) {
  lua_State* L = exact->L;
  lua_Debug function;
  const char* message = lua_tostring(L, -1);
  if (!error) {
    return;
  }
  lua_rawgetp(L, LUA_REGISTRYINDEX, exact);
  lua_getinfo(L, ">S", &function);
  *error = (VidaError){.code = VIDA_CALLBACK_FAILED};
  snprintf(error->message, sizeof error->message, "%s, at t = %.10g of the reference of %s:%d",
           message ? message : "no message", t, function.short_src, function.linedefined);
  vidalua_show_controls(error->message);
}

static int exact_state(void* data, double t, double* q, double* v, double* lambda,
                       VidaError* error) {
  ExactFunction* exact = data;
  lua_State* L = exact->L;
  const int top = lua_gettop(L);
  int code = VIDA_SUCCESS;
  exact->q = q;
  exact->v = v;
  exact->lambda = lambda;
  if (!lua_checkstack(L, 8)) {
    return VIDA_OUT_OF_MEMORY;
  }
  lua_pushcfunction(L, vidalua_describe_error);
  lua_pushcfunction(L, call_exact);
  lua_rawgetp(L, LUA_REGISTRYINDEX, exact);
  lua_pushlightuserdata(L, exact);
  lua_pushnumber(L, t);
  ++*exact->at_work;
  if (lua_pcall(L, 3, 0, top + 1) != LUA_OK) {
    code = VIDA_CALLBACK_FAILED;
    describe_failure(exact, t, error);
  }
  --*exact->at_work;
  lua_settop(L, top);
  return code;
}

/* Sets the function on top of the stack as the reference. Its record becomes user value 1 of the
 * comparison. */
static void set_exact(lua_State* L, VidaStudy* study, int comparison, const char* text,
                      double own_error) {
  VidaError error;
  if (!lua_isfunction(L, -1)) {
    vidalua_expected(L, "reference", "exact", "a function of time", -1);
  }
  ExactFunction* exact = lua_newuserdatauv(L, sizeof *exact, 0);
  *exact = (ExactFunction){.system = VidaStudy_System(study), .at_work = push_counter(L)};
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  exact->L = lua_tothread(L, -1);
  lua_pop(L, 1);
  vidalua_release_value(L);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, exact);
  lua_setiuservalue(L, comparison, 1);
  const VidaKnownSolution solution = {text, exact_state, exact, own_error};
  if (VidaStudy_SetKnownReference(study, &solution, &error)) {
    vidalua_raise(L, "reference", NULL, &error);
  }
}

/* ---- what the script says -------------------------------------------------------------------- */

static void set_method(lua_State* L, const VidaOptions* options, const char* place, void* data) {
  VidaError error;
  if (VidaStudy_SetReference(data, options, &error)) {
    vidalua_raise(L, place, NULL, &error);
  }
}

static void set_known(lua_State* L, VidaStudy* study, int comparison, int table) {
  static const char* const keys[] = {"exact", "states", "name", "error", NULL};
  vidalua_check_keys(L, table, "reference", "key", 0, vidalua_names(keys));
  const char* text = vidalua_optional_text(L, table, "reference", "name");
  const double own_error = vidalua_optional_real(L, table, "reference", "error", (double)NAN);
  if (vidalua_field(L, table, "exact") != LUA_TNIL) {
    set_exact(L, study, comparison, text ? text : "the exact solution", own_error);
    return;
  }
  lua_pop(L, 1);
  if (vidalua_field(L, table, "states") == LUA_TNIL) {
    vidalua_error(L,
                  "reference: expected a method, { exact = function(t) ... end } or { states = "
                  "{ ... } }");
  }
  set_states(L, study, text ? text : "given states", own_error);
}

void vidalua_read_reference(lua_State* L, VidaStudy* study, int comparison, int index) {
  const int top = lua_gettop(L);
  index = lua_absindex(L, index);
  const char* word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  if (word) {
    VidaError error;
    if (strcmp(word, "auto") != 0) {
      vidalua_expected(L, "", "reference", "\"auto\", a method, a function of time or states",
                       index);
    }
    if (VidaStudy_SetAutomaticReference(study, &error)) {
      vidalua_raise(L, "reference", NULL, &error);
    }
  } else if (lua_isfunction(L, index)) {
    lua_pushvalue(L, index);
    set_exact(L, study, comparison, "the exact solution", (double)NAN);
  } else if (lua_istable(L, index) && lua_rawlen(L, index) == 0) {
    set_known(L, study, comparison, index);
  } else if (!lua_istable(L, index)) {
    vidalua_expected(L, "", "reference", "\"auto\", a method, a function of time or states", index);
  } else {
    vidalua_read_method(L, index, "reference", false, set_method, study);
  }
  lua_settop(L, top);
}
