/*** Options of methods and comparisons: their names and allowed values come from the tables of
 * the library.
 * @module vida
 */
#include <math.h>
#include <string.h>

#include "sandbox.h"

#define VIDALUA_OPTIONS "vida.options"

/* ---- ownership ------------------------------------------------------------------------------- */

VidaOptions** vidalua_new_options(lua_State* L) {
  VidaOptions** options = lua_newuserdatauv(L, sizeof *options, 0);
  *options = NULL;
  luaL_setmetatable(L, VIDALUA_OPTIONS);
  return options;
}

static int options_gc(lua_State* L) {
  VidaOptions_Destroy(luaL_checkudata(L, 1, VIDALUA_OPTIONS));
  return 0;
}

void vidalua_open_options(lua_State* L) {
  static const luaL_Reg meta[] = {{"__gc", options_gc}, {NULL, NULL}};
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  vidalua_new_class(L, VIDALUA_OPTIONS, meta, no_methods, NULL);
}

static const char* option_name(const void* list, int index) {
  return VidaOptions_Row(list, index)->name;
}

VidaLuaNames vidalua_option_names(const VidaOptions* options) {
  return (VidaLuaNames){VidaOptions_Count(options), option_name, options};
}

/* ---- one option ------------------------------------------------------------------------------ */

/* Pushes a description of the allowed values of an option. */
static const char* push_kind(lua_State* L, const VidaOptionRow* row) {
  switch (row->type) {
    case VIDA_OPTION_CHOICE:
      lua_pushliteral(L, "one of ");
      luaL_gsub(L, row->choices, "|", ", ");
      lua_concat(L, 2);
      return lua_tostring(L, -1);
    case VIDA_OPTION_BOOLEAN:
      return lua_pushstring(L, "true or false");
    case VIDA_OPTION_INTEGER:
      return lua_pushstring(L, "an integer");
    case VIDA_OPTION_BY_COORDINATE:
      return lua_pushstring(L, "a number, or numbers by names of coordinates");
    case VIDA_OPTION_REAL:
    default:
      if (row->unit[0] && strcmp(row->unit, "1") != 0) {
        return lua_pushfstring(L, "a number in %s", row->unit);
      }
      return lua_pushstring(L, "a number");
  }
}

static int set_value(lua_State* L, VidaOptions* options, const VidaOptionRow* row, int index,
                     VidaError* error) {
  switch (row->type) {
    case VIDA_OPTION_CHOICE:
      return VidaOptions_SetText(options, row->name, lua_tostring(L, index), error);
    case VIDA_OPTION_BOOLEAN:
      return VidaOptions_SetBoolean(options, row->name, lua_toboolean(L, index), error);
    case VIDA_OPTION_REAL:
    case VIDA_OPTION_INTEGER:
    case VIDA_OPTION_BY_COORDINATE:
    default:
      return VidaOptions_SetReal(options, row->name, lua_tonumber(L, index), error);
  }
}

/* Reads { 1e-6, theta = 1e-8 }: an optional number for all coordinates, and numbers for single
 * coordinates. */
static void set_by_coordinate(lua_State* L, VidaOptions* options, const VidaOptionRow* row,
                              int table, const char* place, const char* field) {
  VidaError error;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    const bool is_of_others = lua_isinteger(L, -2) && lua_tointeger(L, -2) == 1;
    const char* coordinate = is_of_others ? "1" : vidalua_plain_text(L, -2);
    if (!coordinate) {
      vidalua_expected(L, place, field,
                       "one number for all coordinates, and numbers by their names", table);
    }
    const char* where = lua_pushfstring(L, is_of_others ? "%s[%s]" : "%s.%s", field, coordinate);
    if (lua_type(L, -2) != LUA_TNUMBER) {
      vidalua_expected(L, place, where, "a number", -2);
    }
    const double value = lua_tonumber(L, -2);
    if (is_of_others ? VidaOptions_SetReal(options, row->name, value, &error)
                     : VidaOptions_SetOf(options, row->name, coordinate, value, &error)) {
      vidalua_raise(L, place, where, &error);
    }
    lua_pop(L, 1);
  }
}

void vidalua_set_option(lua_State* L, VidaOptions* options, const VidaOptionRow* row, int index,
                        const char* place, const char* field) {
  VidaError error;
  int type = LUA_TNUMBER;
  if (row->type == VIDA_OPTION_CHOICE) {
    type = LUA_TSTRING;
  } else if (row->type == VIDA_OPTION_BOOLEAN) {
    type = LUA_TBOOLEAN;
  }
  index = lua_absindex(L, index);
  if (row->type == VIDA_OPTION_BY_COORDINATE && lua_istable(L, index)) {
    set_by_coordinate(L, options, row, index, place, field);
    return;
  }
  if (lua_type(L, index) != type) {
    vidalua_expected(L, place, field, push_kind(L, row), index);
  }
  if (set_value(L, options, row, index, &error)) {
    vidalua_raise(L, place, field, &error);
  }
}

/* ---- a method and its options ---------------------------------------------------------------- */

/* A method in a script, and the current combination of the values of its lists. */
typedef struct MethodTable {
  int table; /* index on the stack */
  const char* place;
  const char* name;
  int count;   /* of options */
  int* length; /* of the list, per option; 0: one value or none */
  int* chosen; /* entry of the list, per option */
} MethodTable;

static void create_options(lua_State* L, const MethodTable* method, VidaOptions** options) {
  VidaError error;
  VidaOptions_Destroy(options);
  if (VidaOptions_Create(method->name, options, &error)) {
    vidalua_raise(L, method->place, NULL, &error);
  }
}

/* Sets the options of the table; for a list, its current value. */
static void set_combination(lua_State* L, const MethodTable* method, VidaOptions* options) {
  for (int i = 0; i < method->count; i++) {
    const VidaOptionRow* row = VidaOptions_Row(options, i);
    const int top = lua_gettop(L);
    if (vidalua_field(L, method->table, row->name) != LUA_TNIL) {
      const char* field = row->name;
      if (method->length[i] > 0) {
        field = lua_pushfstring(L, "%s[%d]", row->name, method->chosen[i] + 1);
        lua_rawgeti(L, -2, method->chosen[i] + 1);
      }
      vidalua_set_option(L, options, row, -1, method->place, field);
    }
    lua_settop(L, top);
  }
}

static void check_combination(lua_State* L, const MethodTable* method, const VidaOptions* options) {
  VidaError error;
  if (VidaOptions_Check(options, &error)) {
    vidalua_raise(L, method->place, NULL, &error);
  }
}

/* Returns whether the table on top of the stack has keys other than those of a list. */
static bool has_names(lua_State* L) {
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (!lua_isinteger(L, -2)) {
      lua_pop(L, 2);
      return true;
    }
  }
  return false;
}

/* Finds the options that are lists and their lengths. */
static void measure_lists(lua_State* L, MethodTable* method, const VidaOptions* options,
                          bool lists) {
  for (int i = 0; i < method->count; i++) {
    const VidaOptionRow* row = VidaOptions_Row(options, i);
    method->length[i] = 0;
    method->chosen[i] = 0;
    const bool is_table = vidalua_field(L, method->table, row->name) == LUA_TTABLE;
    if (is_table && lists && !(row->type == VIDA_OPTION_BY_COORDINATE && has_names(L))) {
      method->length[i] = vidalua_check_list(L, -1, method->place, row->name);
      if (method->length[i] == 0) {
        const char* path = vidalua_push_path(L, method->place, row->name);
        vidalua_error(L, "%s: expected at least one value, got an empty list", path);
      }
    }
    lua_pop(L, 1);
  }
}

/* Advances to the next combination, in which the last option varies fastest; false after the last
 * combination. */
static bool choose_next(MethodTable* method) {
  for (int i = method->count - 1; i >= 0; i--) {
    if (method->length[i] > 0) {
      if (++method->chosen[i] < method->length[i]) {
        return true;
      }
      method->chosen[i] = 0;
    }
  }
  return false;
}

void vidalua_read_method(lua_State* L, int index, const char* place, bool lists,
                         VidaLuaVisitor* visit, void* data) {
  const int top = lua_gettop(L);
  MethodTable method = {.table = lua_absindex(L, index), .place = place};
  vidalua_check_table(L, method.table, place, "{ \"rattle\", h = 0.01 }");
  lua_rawgeti(L, method.table, 1);
  method.name = vidalua_plain_text(L, -1);
  if (!method.name) {
    vidalua_expected(L, place, "[1]", "the name of a method", -1);
  }
  VidaOptions** options = vidalua_new_options(L);
  create_options(L, &method, options);
  vidalua_check_options(L, method.table, place, method.name, vidalua_option_names(*options));
  method.count = VidaOptions_Count(*options);
  method.length = lua_newuserdatauv(L, 2 * (size_t)method.count * sizeof *method.length + 1, 0);
  method.chosen = method.length + method.count;
  measure_lists(L, &method, *options, lists);
  do {
    create_options(L, &method, options);
    set_combination(L, &method, *options);
    check_combination(L, &method, *options);
    visit(L, *options, place, data);
  } while (choose_next(&method));
  lua_settop(L, top);
}

/* ---- vida.methods ---------------------------------------------------------------------------- */

static const char* type_name(VidaOptionType type) {
  static const char* const names[] = {"number", "integer", "boolean", "choice",
                                      "number by coordinate"};
  return names[type];
}

/* Infinite limits are left out. */
static void set_limit(lua_State* L, const char* key, double value) {
  if (isfinite(value)) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
  }
}

static void set_choices(lua_State* L, const char* choices) {
  lua_newtable(L);
  for (lua_Integer i = 1; choices; i++) {
    const size_t length = strcspn(choices, "|");
    lua_pushlstring(L, choices, length);
    lua_rawseti(L, -2, i);
    choices = choices[length] ? choices + length + 1 : NULL;
  }
  lua_setfield(L, -2, "choices");
}

static void push_option(lua_State* L, const VidaOptions* options, int index) {
  const VidaOptionRow* row = VidaOptions_Row(options, index);
  lua_newtable(L);
  vidalua_set_text(L, "name", row->name);
  vidalua_set_text(L, "type", type_name(row->type));
  vidalua_set_text(L, "unit", row->unit);
  vidalua_set_text(L, "text", row->text);
  if (row->type == VIDA_OPTION_CHOICE) {
    char choice[64];
    VidaOptions_Text(options, row->name, choice, sizeof choice);
    vidalua_set_text(L, "default", choice);
    set_choices(L, row->choices);
  } else if (row->type == VIDA_OPTION_BOOLEAN) {
    lua_pushboolean(L, row->default_value != 0.0);
    lua_setfield(L, -2, "default");
  } else {
    set_limit(L, "default", row->default_value);
    set_limit(L, "minimum", row->minimum);
    set_limit(L, "maximum", row->maximum);
  }
}

static void push_option_list(lua_State* L, const VidaOptions* options) {
  lua_newtable(L);
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    push_option(L, options, i);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_capabilities(lua_State* L, unsigned capabilities) {
#define CAPABILITY_TEXT(name, bit, text) [bit] = text,
  static const char* const texts[] = {VIDA_CAPABILITY_LIST(CAPABILITY_TEXT)};
#undef CAPABILITY_TEXT
  lua_Integer next = 1;
  lua_newtable(L);
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (capabilities & (1U << i)) {
      lua_pushstring(L, texts[i]);
      lua_rawseti(L, -2, next++);
    }
  }
}

static void push_method(lua_State* L, const VidaMethodInfo* info) {
  VidaError error;
  VidaOptions** options = vidalua_new_options(L);
  if (VidaOptions_Create(info->name, options, &error)) {
    vidalua_raise(L, info->name, NULL, &error);
  }
  lua_newtable(L);
  vidalua_set_text(L, "name", info->name);
  vidalua_set_text(L, "title", info->title);
  vidalua_set_text(L, "equation", info->equation);
  vidalua_set_text(L, "limits", info->limits);
  vidalua_set_integer(L, "order", info->order);
  vidalua_set_text(L, "contacts", Vida_IsTimeStepping(info) ? "time stepping" : "events");
  vidalua_set_integer(L, "order_across_impacts", Vida_OrderAcrossImpacts(info, info->order));
  push_capabilities(L, info->capabilities);
  lua_setfield(L, -2, "capabilities");
  push_option_list(L, *options);
  lua_setfield(L, -2, "options");
  lua_remove(L, -2);
}

/*** The methods, with their claims and their options.
 * @function methods
 * @treturn {table,...} a list of tables with `name`, `title`, `equation` (its source), `limits`
 *   (on steps and systems), `order`, `contacts` ("events" or "time stepping": how it takes them),
 *   `order_across_impacts`, `capabilities` (a list of sentences) and `options`, a list of
 *   tables with `name`, `type` ("number", "integer", "boolean", "choice"), `unit`, `text`,
 *   `default`, and, if present, `minimum`, `maximum` or `choices`
 * @usage
 * for _, method in ipairs(vida.methods()) do
 *   print(method.name, method.order, method.title)
 * end
 */
int vidalua_methods(lua_State* L) {
  const int count = Vida_MethodCount();
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    push_method(L, Vida_MethodInfo(i));
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/*** Loads a plug-in: a shared library that registers further methods. They then appear in
 * `vida.methods` and can be used like all others. The guide describes how to write a plug-in.
 * Loading a plug-in a second time does nothing.
 * @function plugin
 * @string path its file; a name without a slash is looked up in the working directory, then in the
 *   directories of shared libraries
 * @raise if the file cannot be loaded, or if one of its methods is rejected
 * @usage
 * local loaded, reason = pcall(vida.plugin, "./libmine.so")
 * if not loaded then
 *   print("without the methods of the plug-in: " .. reason)
 * end
 */
int vidalua_plugin(lua_State* L) {
  VidaError error;
  const char* path = luaL_checkstring(L, 1);
  if (vidalua_sandbox(L)) {
    return vidalua_refuse(L, "vida.plugin");
  }
  if (Vida_LoadPlugin(path, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

/*** The options of comparisons, which are keys of `vida.compare`.
 * @function comparison_options
 * @treturn {table,...} tables like the `options` in `vida.methods`
 * @usage
 * for _, option in ipairs(vida.comparison_options()) do
 *   print(option.name, option.default, option.text)
 * end
 */
int vidalua_comparison_options(lua_State* L) {
  VidaError error;
  VidaOptions** options = vidalua_new_options(L);
  if (VidaStudy_CreateOptions(options, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  push_option_list(L, *options);
  return 1;
}
