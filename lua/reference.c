/* reference = ...: a method, a function of time, or states that come from elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* Values of a state by names or as a list; what is not there stays NaN. */
typedef struct StateReader {
  lua_State* L;
  const VidaSystem* system;
  const char* place;
} StateReader;

typedef const char* NameOf(const VidaSystem* system, int index);

typedef struct SystemNames {
  const VidaSystem* system;
  NameOf* name;
} SystemNames;

static const char* name_at(const void* list, int index) {
  const SystemNames* names = list;
  return names->name(names->system, index);
}

static int find_name(const SystemNames* names, int count, const char* name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(names->name(names->system, i), name) == 0) {
      return i;
    }
  }
  return -1;
}

static void read_named(const StateReader* reader, const char* field, int table,
                       const SystemNames* names, int count, double* values) {
  lua_State* L = reader->L;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const char* key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    const int index = key ? find_name(names, count, key) : -1;
    if (index < 0) {
      const VidaLuaNames all = {count, name_at, names};
      const char* nearest = key ? vidalua_nearest_name(key, all) : NULL;
      lua_pushvalue(L, -2);
      const char* text = luaL_tolstring(L, -1, NULL);
      vidalua_error(L, "%s.%s: system '%s' has no '%s'%s%s%s", reader->place, field,
                    VidaSystem_Name(reader->system), text, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
    }
    vidalua_check_finite(L, -1, reader->place, key);
    values[index] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* The field of the table on top of the stack: a list of `count` numbers, or numbers by names. */
static void read_values(const StateReader* reader, const char* field, NameOf* name, int count,
                        bool required, double* values) {
  lua_State* L = reader->L;
  const int type = vidalua_field(L, -1, field);
  const int table = lua_gettop(L);
  if (type == LUA_TNIL && !required) {
    lua_pop(L, 1);
    return;
  }
  if (type != LUA_TTABLE) {
    vidalua_expected(L, reader->place, field, "a list of numbers, or numbers by names", table);
  }
  if (lua_rawlen(L, table) > 0) {
    vidalua_check_vector(L, table, reader->place, field, count, values);
  } else {
    const SystemNames names = {reader->system, name};
    read_named(reader, field, table, &names, count, values);
  }
  lua_settop(L, table - 1);
}

/* From "values", as vida.states has them: columns of a file, of which those that have the names of
 * trajectories are taken. Returns whether any position was there. */
static bool read_columns(const StateReader* reader, double* q, double* v, double* lambda) {
  lua_State* L = reader->L;
  const int n = VidaSystem_CoordinateCount(reader->system);
  const int m = VidaSystem_ConstraintCount(reader->system);
  bool found = false;
  for (int i = 0; i < n + n + m; i++) {
    const char* name = i < 2 * n ? VidaSystem_CoordinateName(reader->system, i % n)
                                 : VidaSystem_ConstraintName(reader->system, i - 2 * n);
    double* to = i < n ? &q[i] : i < 2 * n ? &v[i - n] : &lambda[i - 2 * n];
    if (i < n) {
      lua_pushstring(L, name);
    } else {
      lua_pushfstring(L, i < 2 * n ? "d %s/dt" : "lambda %s", name);
    }
    if (lua_rawget(L, -2) == LUA_TNUMBER) {
      *to = lua_tonumber(L, -1);
      found = found || i < n;
    }
    lua_pop(L, 1);
  }
  return found;
}

static void clear(double* values, int count) {
  for (int i = 0; i < count; i++) {
    values[i] = (double)NAN;
  }
}

/* The state that is the table on top of the stack. */
static void read_state(const StateReader* reader, double* q, double* v, double* lambda) {
  lua_State* L = reader->L;
  const int n = VidaSystem_CoordinateCount(reader->system);
  const int m = VidaSystem_ConstraintCount(reader->system);
  clear(q, n);
  clear(v, n);
  clear(lambda, m);
  if (!lua_istable(L, -1)) {
    vidalua_expected(L, "", reader->place, "a table with positions = { ... }", -1);
  }
  if (vidalua_field(L, -1, "values") == LUA_TTABLE) {
    if (!read_columns(reader, q, v, lambda)) {
      vidalua_error(L, "%s: no column has the name of a coordinate of system '%s' (as '%s')",
                    reader->place, VidaSystem_Name(reader->system),
                    VidaSystem_CoordinateName(reader->system, 0));
    }
    lua_pop(L, 1);
    return;
  }
  lua_pop(L, 1);
  read_values(reader, "positions", VidaSystem_CoordinateName, n, true, q);
  read_values(reader, "velocities", VidaSystem_CoordinateName, n, false, v);
  read_values(reader, "multipliers", VidaSystem_ConstraintName, m, false, lambda);
}

/* ---- states ---------------------------------------------------------------------------------- */

/* The list on top of the stack. */
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
    const StateReader reader = {L, system, lua_pushfstring(L, "reference.states[%d]", (int)i + 1)};
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    vidalua_check_table(L, -1, reader.place, "{ t = 1, positions = { ... } }");
    t[i] = vidalua_required_real(L, lua_gettop(L), reader.place, "t");
    read_state(&reader, q + i * n, v + i * n, lambda + i * m);
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
} ExactFunction;

/* (function, ExactFunction, t), protected */
static int call_exact(lua_State* L) {
  ExactFunction* exact = lua_touserdata(L, 2);
  const StateReader reader = {L, exact->system, "the reference's function"};
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 1, 1);
  read_state(&reader, exact->q, exact->v, exact->lambda);
  return 0;
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
  lua_pushcfunction(L, call_exact);
  lua_rawgetp(L, LUA_REGISTRYINDEX, exact);
  lua_pushlightuserdata(L, exact);
  lua_pushnumber(L, t);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) {
    const char* message = lua_tostring(L, -1);
    code = VIDA_CALLBACK_FAILED;
    if (error) {
      error->code = code;
      error->flag[0] = '\0';
      strncpy(error->message, message ? message : "the reference's function failed",
              sizeof error->message - 1);
      error->message[sizeof error->message - 1] = '\0';
    }
  }
  lua_settop(L, top);
  return code;
}

static int exact_gc(lua_State* L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, lua_touserdata(L, 1));
  return 0;
}

/* The function on top of the stack; its record becomes user value 1 of the comparison. */
static void set_exact(lua_State* L, VidaStudy* study, int comparison, const char* text,
                      double own_error) {
  VidaError error;
  if (!lua_isfunction(L, -1)) {
    vidalua_expected(L, "reference", "exact", "a function of time", -1);
  }
  ExactFunction* exact = lua_newuserdatauv(L, sizeof *exact, 0);
  *exact = (ExactFunction){.system = VidaStudy_System(study)};
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  exact->L = lua_tothread(L, -1);
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, exact_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
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
  if (lua_isfunction(L, index)) {
    lua_pushvalue(L, index);
    set_exact(L, study, comparison, "the exact solution", (double)NAN);
  } else if (lua_istable(L, index) && lua_rawlen(L, index) == 0) {
    set_known(L, study, comparison, index);
  } else {
    vidalua_read_method(L, index, "reference", false, set_method, study);
  }
  lua_settop(L, top);
}
