/* States in scripts: positions, velocities and multipliers by names or as lists. */
#include <math.h>
#include <string.h>

#include "binding.h"

/* Values of a state, given by names or as a list. Values that are not given stay NaN. */
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

/* Reads the list of numbers on top of the stack for a particle "bob" with "bob.x", ..., or a joint
 * "pin" with rows "pin: x", .... Returns false if there is no such object. */
static bool read_components(const StateReader* reader, const char* key, const SystemNames* names,
                            int count, double* values) {
  static const char* const axes[] = {"x", "y", "z"};
  lua_State* L = reader->L;
  const int list = lua_gettop(L);
  const char* joint = names->name == VidaSystem_ConstraintName ? ": " : ".";
  int index[3];
  int components = 0;
  double numbers[3];
  for (; components < 3; components++) {
    const char* name = lua_pushfstring(L, "%s%s%s", key, joint, axes[components]);
    index[components] = find_name(names, count, name);
    lua_pop(L, 1);
    if (index[components] < 0) {
      break;
    }
  }
  if (components > 0) {
    vidalua_check_vector(L, list, reader->place, key, components, numbers);
  }
  for (int k = 0; k < components; k++) {
    if (!isnan(values[index[k]])) {
      vidalua_error(L, "%s: '%s' is given twice, by itself and in '%s'", reader->place,
                    names->name(names->system, index[k]), key);
    }
    values[index[k]] = numbers[k];
  }
  return components > 0;
}

static void read_named(const StateReader* reader, const char* field, int table,
                       const SystemNames* names, int count, double* values) {
  lua_State* L = reader->L;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const char* key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    const int index = key ? find_name(names, count, key) : -1;
    if (index < 0 && key && lua_istable(L, -1) &&
        read_components(reader, key, names, count, values)) {
      lua_pop(L, 1);
      continue;
    }
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
    if (!isnan(values[index])) {
      vidalua_error(L, "%s: '%s' is given twice, by itself and as a component", reader->place, key);
    }
    values[index] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Reads a field of the table on top of the stack: a list of `count` numbers, or numbers and lists
 * by names. */
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

/* Reads "values" (vida.states), which has the columns of a file by name. Columns with other names
 * than those of trajectories are ignored. Returns whether there is a position. */
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

void vidalua_read_state(lua_State* L, const VidaSystem* system, const char* place, double* q,
                        double* v, double* lambda) {
  const StateReader reader = {L, system, place};
  const int n = VidaSystem_CoordinateCount(system);
  const int m = VidaSystem_ConstraintCount(system);
  clear(q, n);
  clear(v, n);
  clear(lambda, m);
  if (!lua_istable(L, -1)) {
    vidalua_expected(L, "", place, "a table with positions = { ... }", -1);
  }
  if (vidalua_field(L, -1, "values") == LUA_TTABLE) {
    if (!read_columns(&reader, q, v, lambda)) {
      vidalua_error(L, "%s: no column has the name of a coordinate of system '%s' (as '%s')", place,
                    VidaSystem_Name(system), VidaSystem_CoordinateName(system, 0));
    }
    lua_pop(L, 1);
    return;
  }
  lua_pop(L, 1);
  read_values(&reader, "positions", VidaSystem_CoordinateName, n, true, q);
  read_values(&reader, "velocities", VidaSystem_CoordinateName, n, false, v);
  read_values(&reader, "multipliers", VidaSystem_ConstraintName, m, false, lambda);
}

static const char* start_name(const void* list, int index) {
  const char* const* names = list;
  return names[index];
}

/* Collects the names of coordinates, then those of their rates as in trajectories. The texts are on
 * the stack. */
static const char** push_start_names(lua_State* L, const VidaSystem* system) {
  const int n = VidaSystem_CoordinateCount(system);
  const char** names = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *names + 1, 0);
  lua_createtable(L, n, 0); /* keeps the texts of rates alive */
  for (int i = 0; i < n; i++) {
    names[i] = VidaSystem_CoordinateName(system, i);
    names[n + i] = lua_pushfstring(L, "d %s/dt", names[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return names;
}

/* Refuses keys of the table at `values` that are not names of coordinates or rates, and values that
 * are not finite numbers. */
static void check_columns(const StateReader* reader, int values) {
  lua_State* L = reader->L;
  const int top = lua_gettop(L);
  const int count = 2 * VidaSystem_CoordinateCount(reader->system);
  const char** names = push_start_names(L, reader->system);
  const VidaLuaNames all = {count, start_name, names};
  lua_pushnil(L);
  while (lua_next(L, values)) {
    const char* key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    int index = 0;
    while (index < count && !(key && strcmp(names[index], key) == 0)) {
      index++;
    }
    if (index == count) {
      const char* nearest = key ? vidalua_nearest_name(key, all) : NULL;
      lua_pushvalue(L, -2);
      const char* text = luaL_tolstring(L, -1, NULL);
      vidalua_error(L, "%s: system '%s' has no coordinate or rate '%s'%s%s%s", reader->place,
                    VidaSystem_Name(reader->system), text,
                    nearest ? "; did you mean '" : "; the first are '",
                    nearest ? nearest : lua_pushfstring(L, "%s' and 'd %s/dt", names[0], names[0]),
                    nearest ? "'?" : "'");
    }
    vidalua_check_finite(L, -1, reader->place, key);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
}

const char* vidalua_read_start(lua_State* L, const VidaSystem* system, const char* place, double* q,
                               double* v) {
  static const char* const keys[] = {"label", "values", NULL};
  const StateReader reader = {L, system, place};
  vidalua_check_table(L, -1, place, "{ values = { x = 1, [\"d x/dt\"] = 2 } }");
  vidalua_check_keys(L, lua_gettop(L), place, "key of a start", 0, vidalua_names(keys));
  const char* label = vidalua_optional_text(L, lua_gettop(L), place, "label");
  const int m = VidaSystem_ConstraintCount(system);
  double* lambda = lua_newuserdatauv(L, (size_t)m * sizeof *lambda + 1, 0);
  lua_insert(L, -2);
  clear(q, VidaSystem_CoordinateCount(system));
  clear(v, VidaSystem_CoordinateCount(system));
  clear(lambda, m);
  if (vidalua_field(L, -1, "values") != LUA_TTABLE) {
    vidalua_expected(L, place, "values", "values by the names of coordinates and rates", -1);
  }
  check_columns(&reader, lua_gettop(L));
  read_columns(&reader, q, v, lambda);
  lua_pop(L, 1);
  lua_remove(L, -2);
  return label;
}
