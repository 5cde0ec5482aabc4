/*** Values that the command gives to a script: vida.setting, `--set` and `--only`.
 *
 * They live in one table of the registry, so that every Lua state has its own:
 *   given[name] = text      used[name] = true      only[method] = true
 *   declared[name] = true   order = { { name, default, unit, text }, ... }, of vida.setting
 *   blamed = true           if a given value caused the last error
 *
 * @module vida
 */
#include <math.h>
#include <string.h>

#include "binding.h"

static const char registry_key = 0; /* only its address is used */

static void push_settings(lua_State* L) {
  static const char* const parts[] = {"given", "used", "declared", "order", "only", NULL};
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &registry_key) == LUA_TTABLE) {
    return;
  }
  lua_pop(L, 1);
  lua_newtable(L);
  for (int i = 0; parts[i]; i++) {
    lua_newtable(L);
    lua_setfield(L, -2, parts[i]);
  }
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &registry_key);
}

/* settings[part][name] = true */
static void mark(lua_State* L, const char* part, const char* name) {
  push_settings(L);
  lua_getfield(L, -1, part);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, name);
  lua_pop(L, 2);
}

static bool is_marked(lua_State* L, const char* part, const char* name) {
  push_settings(L);
  lua_getfield(L, -1, part);
  lua_getfield(L, -1, name);
  const bool marked = lua_toboolean(L, -1);
  lua_pop(L, 3);
  return marked;
}

/* Returns the text given for a name, which lives as long as the settings; NULL if there is none. */
static const char* given_text(lua_State* L, const char* name) {
  push_settings(L);
  lua_getfield(L, -1, "given");
  lua_getfield(L, -1, name);
  const char* text = lua_tostring(L, -1);
  lua_pop(L, 3);
  return text;
}

void vidalua_set_setting(lua_State* L, const char* name, const char* text) {
  push_settings(L);
  lua_getfield(L, -1, "given");
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
  lua_pop(L, 2);
}

void vidalua_name_settings(lua_State* L, const char* word) {
  push_settings(L);
  lua_pushstring(L, word);
  lua_setfield(L, -2, "word");
  lua_pop(L, 1);
}

/* Pushes the word with which messages about settings begin. */
static const char* push_word(lua_State* L) {
  push_settings(L);
  if (lua_getfield(L, -1, "word") != LUA_TSTRING) {
    lua_pushliteral(L, "--set");
  }
  return lua_tostring(L, -1);
}

void vidalua_select_method(lua_State* L, const char* method) {
  mark(L, "only", method);
}

bool vidalua_is_selected(lua_State* L, const char* method) {
  push_settings(L);
  lua_getfield(L, -1, "only");
  lua_pushnil(L);
  const bool has_given_values = lua_next(L, -2);
  lua_settop(L, has_given_values ? -5 : -3);
  return !has_given_values || is_marked(L, "only", method);
}

bool vidalua_is_setting_at_fault(lua_State* L) {
  push_settings(L);
  lua_getfield(L, -1, "blamed");
  const bool blamed = lua_toboolean(L, -1);
  lua_pop(L, 2);
  return blamed;
}

static void blame(lua_State* L) {
  push_settings(L);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "blamed");
  lua_pop(L, 1);
}

/* ---- vida.setting ---------------------------------------------------------------------------- */

/* Pushes the given text as a value of the type of the default at `index`, which has this unit. */
static void push_given(lua_State* L, const char* name, const char* text, const char* unit,
                       int index) {
  const char* expected = "a number";
  switch (lua_type(L, index)) {
    case LUA_TSTRING:
      lua_pushstring(L, text);
      return;
    case LUA_TBOOLEAN:
      expected = "true or false";
      if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        lua_pushboolean(L, text[0] == 't');
        return;
      }
      break;
    default:
      if (lua_stringtonumber(L, text) && isfinite(lua_tonumber(L, -1))) {
        return;
      }
      break;
  }
  blame(L);
  vidalua_error(L, "%s %s: expected %s%s%s, got '%s'", push_word(L), name, expected,
                unit ? " in " : "", unit ? unit : "", text);
}

/* Notes the setting at 1, whose default is on top of the stack. */
static void declare(lua_State* L, const char* name) {
  static const char* const fields[] = {"unit", "text"};
  if (is_marked(L, "declared", name)) {
    return;
  }
  mark(L, "declared", name);
  push_settings(L);
  lua_getfield(L, -1, "order");
  lua_createtable(L, 4, 0);
  lua_pushstring(L, name);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, -4);
  lua_rawseti(L, -2, 2);
  for (int i = 0; i < 2; i++) {
    vidalua_field(L, 1, fields[i]);
    lua_rawseti(L, -2, 3 + i);
  }
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_pop(L, 2);
}

static const char* text_at(lua_State* L, int index, const char* otherwise) {
  return lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : otherwise;
}

void vidalua_list_settings(lua_State* L, void (*show)(void* data, const VidaLuaSetting* setting),
                           void* data) {
  const int top = lua_gettop(L);
  push_settings(L);
  lua_getfield(L, -1, "order");
  const int order = lua_gettop(L), count = (int)lua_rawlen(L, order);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, order, i);
    for (int k = 1; k <= 4; k++) {
      lua_rawgeti(L, order + 1, k);
    }
    const int type = lua_type(L, order + 3);
    const VidaLuaSetting setting = {
        .name = text_at(L, order + 2, ""),
        .kind = type == LUA_TNUMBER    ? "number"
                : type == LUA_TBOOLEAN ? "true|false"
                                       : "text",
        .value = luaL_tolstring(L, order + 3, NULL),
        .unit = text_at(L, order + 4, ""),
        .text = text_at(L, order + 5, ""),
    };
    show(data, &setting);
    lua_settop(L, order);
  }
  lua_settop(L, top);
}

/*** Declares a value of a script that the command line can change: `vida run SCENARIO.lua --set
 * length=3`.
 * @function setting
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number|string|boolean given.2 its default value, which determines its type
 * @tparam[opt] string given.unit its unit, for messages and for `vida run --settings`
 * @tparam[opt] string given.text short description
 * @treturn number|string|boolean the value
 * @raise if the value from the command line has another type
 * @usage
 * local length = vida.setting { "length", 2.5, unit = "m", text = "of the chain" }
 */
int vidalua_setting(lua_State* L) {
  static const char* const keys[] = {"unit", "text", NULL};
  vidalua_check_table(L, 1, "setting", "{ \"time\", 30, unit = \"s\" }");
  const char* name = vidalua_check_name(L, 1, "setting");
  vidalua_check_controls(L, "setting", "[1]", name);
  const char* place = lua_pushfstring(L, "setting '%s'", name);
  vidalua_check_keys(L, 1, place, "key", 2, vidalua_names(keys));
  const char* unit = vidalua_optional_text(L, 1, place, "unit");
  vidalua_optional_text(L, 1, place, "text");
  const int type = lua_rawgeti(L, 1, 2);
  if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && type != LUA_TSTRING) {
    vidalua_expected(L, place, "default", "a number, a text, true or false", -1);
  }
  declare(L, name);
  const char* text = given_text(L, name);
  if (text) {
    mark(L, "used", name);
    push_given(L, name, text, unit, -1);
  }
  return 1;
}

/* library.given_seed(default): the setting "seed" for random numbers; the default if the script
 * declares this setting itself */
int vidalua_seed(lua_State* L) {
  const char* text = given_text(L, "seed");
  lua_settop(L, 1);
  if (text && !is_marked(L, "declared", "seed")) {
    mark(L, "used", "seed");
    push_given(L, "seed", text, NULL, 1);
  }
  return 1;
}

/* ---- options of comparisons ------------------------------------------------------------------ */

void vidalua_apply_settings(lua_State* L, VidaOptions* options) {
  VidaError error;
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    const char* name = VidaOptions_Row(options, i)->name;
    const char* text = given_text(L, name);
    /* Options that a script declares with vida.setting are not set here: the script uses them
     * itself.
     */
    if (!text || is_marked(L, "declared", name)) {
      continue;
    }
    mark(L, "used", name);
    if (VidaOptions_SetText(options, name, text, &error)) {
      blame(L);
      vidalua_error(L, "%s %s", push_word(L), error.message);
    }
  }
}

/* ---- settings that nobody used --------------------------------------------------------------- */

/* Returns the nearest name among declared settings and options of comparisons; NULL: none. */
static const char* nearest_setting(lua_State* L, const char* name) {
  VidaOptions** options = vidalua_new_options(L);
  if (VidaStudy_CreateOptions(options, NULL)) {
    return NULL;
  }
  const char* nearest = vidalua_nearest_name(name, vidalua_option_names(*options));
  push_settings(L);
  lua_getfield(L, -1, "declared");
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    const char* const pair[] = {lua_tostring(L, -2), nearest, NULL};
    nearest = vidalua_nearest_name(name, vidalua_names(pair));
    lua_pop(L, 1);
  }
  return nearest; /* alive: a static name or a key of `declared` */
}

static const char* first_unused(lua_State* L) {
  const char* unused = NULL;
  push_settings(L);
  lua_getfield(L, -1, "given");
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    const char* name = lua_tostring(L, -1);
    /* Finds the first unused setting in alphabetical order, because Lua's order is random. */
    if (!is_marked(L, "used", name) && (!unused || strcmp(name, unused) < 0)) {
      unused = name;
    }
  }
  lua_pop(L, 2);
  return unused;
}

bool vidalua_push_unused_setting(lua_State* L) {
  const int top = lua_gettop(L);
  const char* unused = first_unused(L);
  if (!unused) {
    return false;
  }
  const char* nearest = nearest_setting(L, unused);
  const char* word = push_word(L);
  if (nearest) {
    lua_pushfstring(L, "%s: nothing in the script reads '%s'; did you mean '%s'?", word, unused,
                    nearest);
  } else {
    lua_pushfstring(L, "%s: nothing in the script reads '%s'", word, unused);
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return true;
}
