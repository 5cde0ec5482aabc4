/* Checks of the arguments of scripts, and their error messages. */
#include <ctype.h>
#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* ---- names ----------------------------------------------------------------------------------- */

static const char* name_of_list(const void* list, int index) {
  return ((const char* const*)list)[index];
}

VidaLuaNames vidalua_names(const char* const* list) {
  VidaLuaNames names = {0, name_of_list, list};
  while (list[names.count]) {
    names.count++;
  }
  return names;
}

const char* vidalua_nearest_name(const char* name, VidaLuaNames names) {
  const int nearest = Vida_NearestName(name, names.count, names.get, names.list);
  return nearest >= 0 ? names.get(names.list, nearest) : NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

bool vidalua_is_script(const lua_Debug* frame) {
  return frame->currentline > 0 &&
         strncmp(frame->source, VIDALUA_LIBRARY_SOURCE, strlen(VIDALUA_LIBRARY_SOURCE)) != 0;
}

/* Pushes "file:line: " of the innermost function of the script. */
static void push_script_line(lua_State* L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (vidalua_is_script(&frame)) {
      lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

/* Pushes a text for an error value that is not a text. */
static void push_error_text(lua_State* L, int index) {
  if (lua_isnumber(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  if (luaL_callmeta(L, index, "__tostring")) {
    if (lua_isstring(L, -1)) {
      return;
    }
    lua_pop(L, 1);
  }
  lua_pushfstring(L, "an error that is a %s, not a text", luaL_typename(L, index));
}

int vidalua_describe_error(lua_State* L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) == LUA_TSTRING) {
    return 1; /* Lua has put the line before it, if the script wants it */
  }
  push_script_line(L);
  push_error_text(L, 1);
  lua_concat(L, 2);
  return 1;
}

int vidalua_error(lua_State* L, const char* format, ...) {
  va_list arguments;
  push_script_line(L);
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 2);
  return lua_error(L);
}

const char* vidalua_push_path(lua_State* L, const char* place, const char* field) {
  /* A field of a named object is separated by a colon: particle 'upper': mass. */
  const size_t length = strlen(place);
  if (length == 0) {
    return lua_pushstring(L, field);
  }
  const char* joint = field[0] == '[' ? "" : place[length - 1] == '\'' ? ": " : ".";
  return lua_pushfstring(L, "%s%s%s", place, joint, field);
}

/* Pushes a description of a value: a number or a short text as it is, anything else by its type. */
static const char* push_description(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
      return lua_pushstring(L, "nothing");
    case LUA_TBOOLEAN:
      return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TNUMBER:
      if (isnan(lua_tonumber(L, index))) {
        return lua_pushstring(L, "nan"); /* without the sign that some machines give it */
      }
      lua_pushvalue(L, index);
      return lua_tostring(L, -1);
    case LUA_TSTRING: {
      char text[48];
      const char* string = lua_tostring(L, index);
      const int length = snprintf(text, sizeof text, "%s", string);
      return lua_pushfstring(L, "the text \"%s%s\"", text, length >= (int)sizeof text ? "..." : "");
    }
    default:
      if (luaL_getmetafield(L, index, VIDALUA_CLASS) == LUA_TSTRING ||
          luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
        return lua_pushfstring(L, "a %s", lua_tostring(L, -1));
      }
      return lua_pushfstring(L, "a %s", luaL_typename(L, index));
  }
}

int vidalua_expected(lua_State* L, const char* place, const char* field, const char* what,
                     int index) {
  const char* got = push_description(L, index); /* first: an index may be that of no argument */
  const char* path = vidalua_push_path(L, place, field);
  return vidalua_error(L, "%s: expected %s, got %s", path, what, got);
}

int vidalua_raise(lua_State* L, const char* place, const char* field, const VidaError* error) {
  if (field) {
    const char* path = vidalua_push_path(L, place, field);
    return vidalua_error(L, "%s: %s", path, error->message + error->subject);
  }
  return vidalua_error(L, "%s%s%s", place, place[0] ? ": " : "", error->message);
}

const char* vidalua_push_sorted(lua_State* L, int list) {
  luaL_Buffer text;
  const int count = (int)lua_rawlen(L, list);
  list = lua_absindex(L, list);
  for (int i = 2; i <= count; i++) { /* a few dozen names, of a message */
    for (int k = i; k > 1; k--) {
      lua_rawgeti(L, list, k - 1);
      lua_rawgeti(L, list, k);
      if (strcmp(lua_tostring(L, -2), lua_tostring(L, -1)) <= 0) {
        lua_pop(L, 2);
        break;
      }
      lua_rawseti(L, list, k - 1);
      lua_rawseti(L, list, k);
    }
  }
  luaL_buffinit(L, &text);
  for (int i = 1; i <= count; i++) {
    luaL_addstring(&text, i > 1 ? ", " : "");
    lua_rawgeti(L, list, i);
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  return lua_tostring(L, -1);
}

/* ---- tables ---------------------------------------------------------------------------------- */

void vidalua_check_table(lua_State* L, int index, const char* place, const char* example) {
  if (lua_type(L, index) != LUA_TTABLE) {
    const char* got = push_description(L, lua_absindex(L, index));
    vidalua_error(L, "%s: expected a table such as %s, got %s", place, example, got);
  }
}

static bool is_known(const char* key, VidaLuaNames names) {
  for (int i = 0; i < names.count; i++) {
    if (strcmp(key, names.get(names.list, i)) == 0) {
      return true;
    }
  }
  return false;
}

/* `what` begins the message: "unknown key". */
static void refuse_key(lua_State* L, const char* key, const char* place, const char* what,
                       VidaLuaNames names) {
  const char* nearest = vidalua_nearest_name(key, names);
  const char* joint = place[0] ? ": " : "";
  if (nearest) {
    vidalua_error(L, "%s%s%s '%s'; did you mean '%s'?", place, joint, what, key, nearest);
  }
  luaL_Buffer known;
  luaL_buffinit(L, &known);
  for (int i = 0; i < names.count; i++) {
    luaL_addstring(&known, i ? ", " : "");
    luaL_addstring(&known, names.get(names.list, i));
  }
  luaL_pushresult(&known);
  vidalua_error(L, "%s%s%s '%s'; known are: %s", place, joint, what, key, lua_tostring(L, -1));
}

static void check_keys(lua_State* L, int table, const char* place, const char* what, int positional,
                       VidaLuaNames names) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    const bool is_position =
        lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= positional;
    if (lua_type(L, -1) == LUA_TSTRING) {
      const char* key = lua_tostring(L, -1);
      if (!is_known(key, names)) {
        refuse_key(L, key, place, what, names);
      }
    } else if (!is_position) {
      lua_pushvalue(L, -1);
      const char* key = luaL_tolstring(L, -1, NULL);
      vidalua_error(L, "%s%s%s [%s]", place, place[0] ? ": " : "", what, key);
    }
  }
}

void vidalua_check_keys(lua_State* L, int table, const char* place, const char* what,
                        int positional, VidaLuaNames names) {
  table = lua_absindex(L, table);
  check_keys(L, table, place, lua_pushfstring(L, "unknown %s", what), positional, names);
  lua_pop(L, 1);
}

void vidalua_check_options(lua_State* L, int table, const char* place, const char* owner,
                           VidaLuaNames names) {
  table = lua_absindex(L, table);
  check_keys(L, table, place, lua_pushfstring(L, "'%s' has no option", owner), 1, names);
  lua_pop(L, 1);
}

int vidalua_check_list(lua_State* L, int table, const char* place, const char* field) {
  table = lua_absindex(L, table);
  const lua_Unsigned length = lua_rawlen(L, table);
  lua_Unsigned keys = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    const bool in_range = lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 &&
                          (lua_Unsigned)lua_tointeger(L, -1) <= length;
    if (!in_range) {
      lua_pushvalue(L, -1);
      const char* key = luaL_tolstring(L, -1, NULL);
      const char* path = vidalua_push_path(L, place, field);
      vidalua_error(L, "%s: expected a list { ... }, got a table with the key '%s'", path, key);
    }
    keys++;
  }
  if (keys != length || length > 1000000) {
    const char* path = vidalua_push_path(L, place, field);
    vidalua_error(L, "%s: expected a list without gaps", path);
  }
  return (int)length;
}

static int release_value(lua_State* L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, lua_touserdata(L, 1));
  return 0;
}

void vidalua_release_value(lua_State* L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, release_value);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

int vidalua_field(lua_State* L, int table, const char* field) {
  table = lua_absindex(L, table);
  lua_pushstring(L, field);
  return lua_rawget(L, table);
}

bool vidalua_is_number(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TNUMBER;
}

const char* vidalua_plain_text(lua_State* L, int index) {
  size_t length = 0;
  if (lua_type(L, index) != LUA_TSTRING) {
    return NULL;
  }
  const char* text = lua_tolstring(L, index, &length);
  return strlen(text) == length ? text : NULL;
}

const char* vidalua_check_name(lua_State* L, int table, const char* what) {
  lua_rawgeti(L, table, 1);
  const char* name = vidalua_plain_text(L, -1);
  if (!name) {
    vidalua_expected(L, what, "[1]", "a name", -1);
  }
  lua_pop(L, 1);
  return name; /* the table holds it */
}

/* Pushes "what 'name'". Every particle and joint has one, so this must not cost what formatting
 * does. */
static const char* push_place(lua_State* L, const char* what, const char* name) {
  char text[128];
  const size_t length = strlen(what), size = strlen(name);
  if (length + size + 4 > sizeof text) {
    return lua_pushfstring(L, "%s '%s'", what, name);
  }
  memcpy(text, what, length);
  memcpy(text + length, " '", 2);
  memcpy(text + length + 2, name, size);
  text[length + 2 + size] = '\'';
  return lua_pushlstring(L, text, length + size + 3);
}

const char* vidalua_check_definition(lua_State* L, const char* what, const char* example,
                                     int positional, const char* const* keys, const char** name) {
  vidalua_check_table(L, 2, what, example);
  *name = vidalua_check_name(L, 2, what);
  const char* place = push_place(L, what, *name);
  vidalua_check_keys(L, 2, place, "key", positional, vidalua_names(keys));
  return place;
}

void vidalua_set_text(lua_State* L, const char* key, const char* text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

void vidalua_set_real(lua_State* L, const char* key, double value) {
  if (!isnan(value)) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
  }
}

void vidalua_set_integer(lua_State* L, const char* key, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

double vidalua_optional_real(lua_State* L, int table, const char* place, const char* field,
                             double fallback) {
  double value = fallback;
  if (vidalua_field(L, table, field) != LUA_TNIL) {
    if (!vidalua_is_number(L, -1)) {
      vidalua_expected(L, place, field, "a number", -1);
    }
    value = lua_tonumber(L, -1);
  }
  lua_pop(L, 1);
  return value;
}

double vidalua_required_real(lua_State* L, int table, const char* place, const char* field) {
  if (vidalua_field(L, table, field) == LUA_TNIL) {
    vidalua_expected(L, place, field, "a number", -1);
  }
  lua_pop(L, 1);
  return vidalua_optional_real(L, table, place, field, 0.0);
}

bool vidalua_optional_boolean(lua_State* L, int table, const char* place, const char* field,
                              bool fallback) {
  bool value = fallback;
  if (vidalua_field(L, table, field) != LUA_TNIL) {
    if (!lua_isboolean(L, -1)) {
      vidalua_expected(L, place, field, "true or false", -1);
    }
    value = lua_toboolean(L, -1);
  }
  lua_pop(L, 1);
  return value;
}

/* Whether a text has the character of a control sequence at c: C0 without \n and \t, DEL, or C1 as
 * UTF-8. */
static bool is_control(const char* c) {
  const unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F ||
         (byte == 0xC2 && next >= 0x80 && next < 0xA0);
}

void vidalua_show_controls(char* text) {
  for (; *text; text++) {
    if (is_control(text)) {
      *text = '?';
    }
  }
}

void vidalua_check_controls(lua_State* L, const char* place, const char* field, const char* text) {
  for (; *text; text++) {
    if (is_control(text)) {
      const char* path = vidalua_push_path(L, place, field);
      vidalua_error(
          L, "%s: the text has the control character %d", path,
          (unsigned char)*text == 0xC2 ? (int)(unsigned char)text[1] : (int)(unsigned char)*text);
    }
  }
}

const char* vidalua_optional_text(lua_State* L, int table, const char* place, const char* field) {
  const char* value = NULL;
  if (vidalua_field(L, table, field) != LUA_TNIL) {
    value = vidalua_plain_text(L, -1);
    if (!value) {
      vidalua_expected(L, place, field, "a text", -1);
    }
    vidalua_check_controls(L, place, field, value);
  }
  lua_pop(L, 1);
  return value; /* the table holds it */
}

void vidalua_check_finite(lua_State* L, int index, const char* place, const char* field) {
  if (!vidalua_is_number(L, index) || !isfinite(lua_tonumber(L, index))) {
    vidalua_expected(L, place, field, "a finite number", index);
  }
}

lua_Integer vidalua_check_count(lua_State* L, int index, const char* place, const char* what,
                                lua_Integer least, lua_Integer fallback) {
  int whole = 0;
  if (lua_isnoneornil(L, index)) {
    return fallback;
  }
  const lua_Integer count = lua_tointegerx(L, index, &whole);
  if (!vidalua_is_number(L, index) || !whole || count < least) {
    vidalua_expected(L, "", place, what, index);
  }
  return count;
}

void vidalua_check_vector(lua_State* L, int index, const char* place, const char* field, int count,
                          double* vector) {
  index = lua_absindex(L, index);
  if (lua_gettop(L) < index) {
    lua_settop(L, index); /* nothing was given: the text below must not take its place */
  }
  const char* what = lua_pushfstring(L, "a list of %d numbers", count);
  if (lua_type(L, index) != LUA_TTABLE) {
    vidalua_expected(L, place, field, what, index);
  }
  const int length = vidalua_check_list(L, index, place, field);
  if (length != count) {
    const char* path = vidalua_push_path(L, place, field);
    vidalua_error(L, "%s: expected %s, got %d of them", path, what, length);
  }
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    if (!vidalua_is_number(L, -1)) {
      const char* entry = lua_pushfstring(L, "%s[%d]", field, i + 1);
      vidalua_expected(L, place, entry, "a number", -2);
    }
    vector[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* ---- classes --------------------------------------------------------------------------------- */

enum { CLASS_METHODS = 1, CLASS_PROPERTIES, CLASS_NAME, CLASS_UPVALUES = CLASS_NAME };

/* The name among the keys of a table that is nearest to `key`; NULL if none is near. */
static const char* nearest_key(lua_State* L, int table, const char* key) {
  const char* nearest = NULL;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    const char* const pair[] = {lua_tostring(L, -1), nearest, NULL};
    nearest = vidalua_nearest_name(key, vidalua_names(pair));
  }
  return nearest;
}

/* Raises an error for a name that is similar to a function of the module; any other missing name is
 * nil. */
static int module_index(lua_State* L) {
  const char* key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  const char* nearest = key ? nearest_key(L, 1, key) : NULL;
  return nearest ? vidalua_error(L, "vida has no '%s'; did you mean '%s'?", key, nearest) : 0;
}

void vidalua_suggest_names(lua_State* L) {
  lua_newtable(L);
  lua_pushcfunction(L, module_index);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

void* vidalua_check_self(lua_State* L, const char* name) {
  lua_Debug frame;
  void* object = luaL_testudata(L, 1, name);
  if (object) {
    return object;
  }
  const char* got = push_description(L, 1);
  const char* word = strchr(name, '.') + 1; /* "vida.system" */
  const bool is_known = lua_getstack(L, 0, &frame) && lua_getinfo(L, "n", &frame) && frame.name &&
                        frame.name[0] != '?';
  const char* method = is_known ? frame.name : "method";
  vidalua_error(L, "%s: expected a %s before it, with a colon: %s:%s(...), got %s", method, word,
                word, method, got);
  return NULL;
}

/* Appends the names in a table, without the entry for elements obj[number]. */
static void collect_names(lua_State* L, int table, int list) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), VIDALUA_ELEMENT) != 0) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
    }
  }
}

/* Pushes "anchor, ball, ...": all names in the class of the running __index. */
static const char* push_fields(lua_State* L) {
  lua_newtable(L);
  const int list = lua_gettop(L);
  collect_names(L, lua_upvalueindex(CLASS_METHODS), list);
  collect_names(L, lua_upvalueindex(CLASS_PROPERTIES), list);
  return vidalua_push_sorted(L, list);
}

static int refuse_change(lua_State* L) {
  const char* object = luaL_tolstring(L, 1, NULL);
  const char* key = luaL_tolstring(L, 2, NULL);
  return vidalua_error(L, "%s: '%s' cannot be set", object, key);
}

static int class_index(lua_State* L) {
  const char* name = lua_tostring(L, lua_upvalueindex(CLASS_NAME));
  luaL_checkudata(L, 1, name);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(CLASS_METHODS)) != LUA_TNIL) {
    return 1;
  }
  if (lua_type(L, 2) == LUA_TNUMBER) {
    lua_pushliteral(L, VIDALUA_ELEMENT);
  } else {
    lua_pushvalue(L, 2);
  }
  lua_rawget(L, lua_upvalueindex(CLASS_PROPERTIES));
  const lua_CFunction property = lua_tocfunction(L, -1);
  if (property) {
    lua_settop(L, 2); /* called directly, so that its errors name the line of the script */
    return property(L);
  }
  const char* key = luaL_tolstring(L, 2, NULL);
  const char* nearest = nearest_key(L, lua_upvalueindex(CLASS_METHODS), key);
  nearest = nearest ? nearest : nearest_key(L, lua_upvalueindex(CLASS_PROPERTIES), key);
  if (nearest) {
    return vidalua_error(L, "a %s has no '%s'; did you mean '%s'?", name, key, nearest);
  }
  const char* fields = push_fields(L);
  return vidalua_error(L, "a %s has no '%s'%s%s", name, key, fields[0] ? "; it has " : "", fields);
}

void vidalua_new_class(lua_State* L, const char* name, const luaL_Reg* metamethods,
                       const luaL_Reg* methods, const luaL_Reg* properties) {
  luaL_newmetatable(L, name);
  lua_pushstring(L, name);
  lua_setfield(L, -2, VIDALUA_CLASS);
  lua_pushcfunction(L, refuse_change);
  lua_setfield(L, -2, "__newindex");
  luaL_setfuncs(L, metamethods, 0);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_newtable(L);
  if (properties) {
    luaL_setfuncs(L, properties, 0);
  }
  lua_pushstring(L, name);
  lua_pushcclosure(L, class_index, CLASS_UPVALUES);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void vidalua_push_methods(lua_State* L, const char* name) {
  luaL_getmetatable(L, name);
  lua_getfield(L, -1, "__index");
  lua_getupvalue(L, -1, CLASS_METHODS);
  lua_replace(L, -3);
  lua_pop(L, 1);
}
