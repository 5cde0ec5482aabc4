/* The environment of sandboxed scripts: what is listed here, and nothing else.
 *
 * The binding runs with a table of its own, `safe`, and strings have its functions. The script gets
 * a copy of it, so that nothing that it changes is called by anybody but itself.
 */
#include <lualib.h>
#include <math.h>
#include <string.h>

#include "sandbox.h"

/* ---- functions that count what they do ------------------------------------------------------- */

/* The function of Lua at upvalue 1, in this very call, so that its errors name the caller. */
static int call_original(lua_State* L) {
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* The length of a table for functions that loop over it. With a length of the script's own, which
 * may differ from call to call, nothing could be counted. */
static double length_of(lua_State* L, int index) {
  if (luaL_getmetafield(L, index, "__len") != LUA_TNIL) {
    luaL_error(L, "a sandboxed scenario cannot give a table with __len to functions of table");
  }
  return lua_istable(L, index) ? (double)lua_rawlen(L, index) : 0.0;
}

static int counted_rep(lua_State* L) {
  size_t length = 0, separator = 0;
  if (lua_isstring(L, 1)) {
    lua_tolstring(L, 1, &length);
  }
  if (lua_isstring(L, 3)) {
    lua_tolstring(L, 3, &separator);
  }
  const double count = lua_tonumber(L, 2);
  const bool fits = count * (double)(length + separator) < 1e15;
  if (count > 0.0 && (fits || length + separator == 0)) { /* else it fails at once */
    vidalua_charge(L, count + count * (double)(length + separator) / 16.0);
  }
  return call_original(L);
}

static int counted_concat(lua_State* L) {
  const double from = lua_isnumber(L, 3) ? lua_tonumber(L, 3) : 1.0;
  const double to = lua_isnumber(L, 4) ? lua_tonumber(L, 4) : length_of(L, 1);
  vidalua_charge(L, fmax(to - from, 0.0));
  return call_original(L);
}

/* table.insert with a position, and table.remove, shift what comes after it. */
static int counted_shift(lua_State* L) {
  if (lua_isnumber(L, 2) && (lua_gettop(L) != 2 || lua_toboolean(L, lua_upvalueindex(2)))) {
    vidalua_charge(L, fmax(length_of(L, 1) - lua_tonumber(L, 2), 0.0));
  }
  return call_original(L);
}

static int counted_move(lua_State* L) {
  vidalua_charge(L, fmax(lua_tonumber(L, 3) - lua_tonumber(L, 2), 0.0));
  return call_original(L);
}

static int counted_sort(lua_State* L) {
  const double length = length_of(L, 1);
  vidalua_charge(L, length > 1.0 ? 2.0 * length * log2(length) : 0.0);
  return call_original(L);
}

/* ---- coroutines and handlers ----------------------------------------------------------------- */

/* A coroutine counts its own instructions, in the intervals of the hook. */
static int counted_create(lua_State* L) {
  vidalua_charge(L, 1000.0);
  return call_original(L);
}

/* Runs the variables to be closed, which may be functions of the script. */
static int counted_close(lua_State* L) {
  vidalua_charge(L, 1.0);
  return call_original(L);
}

/* The error on top of the stack of a coroutine becomes that of its caller, with its line. */
static int pass_error(lua_State* L, lua_State* coroutine) {
  if (vidalua_is_ending(L)) {
    vidalua_charge(L, 1.0); /* raises an error; the variables of the coroutine stay open */
  }
  const int status = lua_status(coroutine);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_resetthread(coroutine);
  }
  lua_xmove(coroutine, L, 1);
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* What coroutine.wrap returns; upvalue 1: the coroutine. */
static int resume_wrapped(lua_State* L) {
  lua_State* coroutine = lua_tothread(L, lua_upvalueindex(1));
  const int arguments = lua_gettop(L);
  int results = 0;
  if (!lua_checkstack(coroutine, arguments)) {
    return luaL_error(L, "too many arguments to resume");
  }
  lua_xmove(L, coroutine, arguments);
  const int status = lua_resume(coroutine, L, arguments, &results);
  if (status != LUA_OK && status != LUA_YIELD) {
    return pass_error(L, coroutine);
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(coroutine, results);
    return luaL_error(L, "too many results to resume");
  }
  lua_xmove(coroutine, L, results);
  return results;
}

static int counted_wrap(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  vidalua_charge(L, 1000.0);
  lua_State* coroutine = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, coroutine, 1);
  lua_pushcclosure(L, resume_wrapped, 1);
  return 1;
}

/* A message handler; upvalue 1: that of the script. */
static int handle_error(lua_State* L) {
  if (vidalua_is_ending(L)) {
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

static int narrow_xpcall(lua_State* L) {
  if (lua_isfunction(L, 2)) {
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle_error, 1);
    lua_replace(L, 2);
  }
  return call_original(L);
}

/* ---- functions that are narrower than those of Lua ------------------------------------------- */

/* A finalizer runs without a hook: nothing could end it. */
static int narrow_setmetatable(lua_State* L) {
  if (lua_istable(L, 2)) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) {
      return vidalua_refuse(L, "a finalizer (__gc)");
    }
    lua_pop(L, 1);
  }
  return call_original(L);
}

static int narrow_collectgarbage(lua_State* L) {
  static const char* const options[] = {"collect", "count", "step", "isrunning", NULL};
  const char* option = luaL_optstring(L, 1, "collect");
  for (int i = 0; options[i]; i++) {
    if (strcmp(option, options[i]) == 0) {
      vidalua_charge(L, i == 0 ? 64.0 * lua_gc(L, LUA_GCCOUNT) : 1.0);
      return call_original(L);
    }
  }
  lua_pushfstring(L, "collectgarbage \"%s\"", option);
  return vidalua_refuse(L, lua_tostring(L, -1));
}

/* Bytecode is not checked by Lua, and could do anything. */
static int narrow_load(lua_State* L) {
  size_t length = 0;
  const char* text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &length) : NULL;
  const char* mode = luaL_optstring(L, 3, "t");
  if ((text && text[0] == LUA_SIGNATURE[0]) || !strchr(mode, 't')) {
    return vidalua_refuse(L, "bytecode");
  }
  vidalua_charge(L, (double)length);
  if (lua_gettop(L) >= 3) {
    lua_pushliteral(L, "t");
    lua_replace(L, 3);
  } else {
    lua_settop(L, 2);
    lua_pushliteral(L, "t");
  }
  return call_original(L);
}

/* Only the traceback of the library debug, which changes nothing. */
static int traceback(lua_State* L) {
  lua_State* thread = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
  const int first = thread == L && !lua_isthread(L, 1) ? 1 : 2;
  if (!lua_isnoneornil(L, first) && !lua_isstring(L, first)) {
    lua_pushvalue(L, first);
    return 1;
  }
  luaL_traceback(L, thread, lua_tostring(L, first),
                 (int)luaL_optinteger(L, first + 1, thread == L ? 1 : 0));
  return 1;
}

static int refused_function(lua_State* L) {
  return vidalua_refuse(L, lua_tostring(L, lua_upvalueindex(1)));
}

/* __index of a library: what Lua has there is refused, what it has not is nil. */
static int refused_field(lua_State* L) {
  static const char* const fields[] = {"cpath", "searchers", "stdin", NULL};
  for (int i = 0; lua_type(L, 2) == LUA_TSTRING && fields[i]; i++) {
    if (strcmp(lua_tostring(L, 2), fields[i]) == 0) {
      lua_pushfstring(L, "%s.%s", lua_tostring(L, lua_upvalueindex(1)), fields[i]);
      return vidalua_refuse(L, lua_tostring(L, -1));
    }
  }
  return 0;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Pushes the chunk of a file, or a message: the status of lua_load. */
static int load_file(lua_State* L, const char* path, FILE* file) {
  luaL_Buffer text;
  size_t got = 0;
  luaL_buffinit(L, &text);
  do {
    char* space = luaL_prepbuffer(&text);
    got = fread(space, 1, LUAL_BUFFERSIZE, file);
    luaL_addsize(&text, got);
  } while (got > 0);
  luaL_pushresult(&text);
  size_t size = 0;
  const char* begin = lua_tolstring(L, -1, &size);
  const char* end = begin + size;
  if (size >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) {
    begin += 3;
  }
  if (begin < end && *begin == '#') {
    const char* line = memchr(begin, '\n', (size_t)(end - begin));
    begin = line ? line : end;
  }
  const char* name = lua_pushfstring(L, "@%s", path);
  const int status = luaL_loadbufferx(L, begin, (size_t)(end - begin), name, "t");
  lua_replace(L, -3);
  lua_pop(L, 1);
  return status;
}

/* fclose comes before any error: the file is kept by a handle of Lua that `push` makes. */
typedef struct Source {
  FILE* file;
} Source;

static int source_close(lua_State* L) {
  Source* source = lua_touserdata(L, 1);
  if (source->file) {
    fclose(source->file);
    source->file = NULL;
  }
  return 0;
}

/* Pushes the chunk of the script at `path`; or pushes a message and returns false. */
static bool push_chunk(lua_State* L, const char* what, const char* path) {
  Source* source = lua_newuserdatauv(L, sizeof *source, 0);
  source->file = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, source_close);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  source->file = vidalua_open_readable(L, what, path);
  if (!source->file) {
    lua_pop(L, 1);
    lua_pushfstring(L, "cannot open %s", path);
    return false;
  }
  const int status = load_file(L, path, source->file);
  fclose(source->file);
  source->file = NULL;
  lua_remove(L, -2);
  return status == LUA_OK;
}

/* loadfile(path, mode, environment) */
static int narrow_loadfile(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  const bool has_environment = !lua_isnone(L, 3);
  if (!push_chunk(L, "loadfile", path)) {
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_environment) {
    lua_pushvalue(L, 3);
    if (!lua_setupvalue(L, -2, 1)) {
      lua_pop(L, 1);
    }
  }
  return 1;
}

static int narrow_dofile(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  if (!push_chunk(L, "dofile", path)) {
    return lua_error(L);
  }
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - 1;
}

/* ---- require --------------------------------------------------------------------------------- */

/* Pushes the file of a module by the templates of package.path; false: the list of those tried. */
static bool find_module(lua_State* L, const char* name, const char* path) {
  luaL_Buffer tried;
  const char* file_name = luaL_gsub(L, name, ".", "/");
  luaL_buffinit(L, &tried);
  for (const char* end; *path; path = end + (*end ? 1 : 0)) {
    end = path + strcspn(path, ";");
    if (end == path) {
      continue;
    }
    lua_pushlstring(L, path, (size_t)(end - path));
    const char* file = luaL_gsub(L, lua_tostring(L, -1), "?", file_name);
    FILE* found = vidalua_open_readable(L, "require", file);
    if (found) {
      fclose(found);
      return true;
    }
    lua_pushfstring(L, "\n\tno file '%s'", file);
    lua_replace(L, -3);
    lua_pop(L, 1);
    luaL_addvalue(&tried);
  }
  luaL_pushresult(&tried);
  return false;
}

/* Upvalue 1: the table package of the script. */
static int narrow_require(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  luaL_argcheck(L, vidalua_plain_text(L, 1) != NULL, 1, "the name has a zero byte");
  lua_settop(L, 1);
  const int package = 2, loaded = 3;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_getfield(L, package, "loaded");
  luaL_checktype(L, loaded, LUA_TTABLE);
  lua_getfield(L, loaded, name);
  if (lua_toboolean(L, -1)) {
    return 1;
  }
  lua_getfield(L, package, "preload");
  if (lua_istable(L, -1) && lua_getfield(L, -1, name) != LUA_TNIL) {
    lua_pushliteral(L, ":preload:");
  } else {
    lua_getfield(L, package, "path");
    if (!lua_isstring(L, -1)) {
      return luaL_error(L, "'package.path' must be a string");
    }
    if (!find_module(L, name, lua_tostring(L, -1))) {
      return luaL_error(L, "module '%s' not found:%s", name, lua_tostring(L, -1));
    }
    const char* file = lua_tostring(L, -1);
    if (!push_chunk(L, "require", file)) {
      return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, file,
                        lua_tostring(L, -1));
    }
    lua_insert(L, -2); /* chunk, file */
  }
  lua_pushvalue(L, -1);
  lua_insert(L, -3); /* file, chunk, file */
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1)) {
    lua_setfield(L, loaded, name);
  } else {
    lua_pop(L, 1);
  }
  if (lua_getfield(L, loaded, name) == LUA_TNIL) {
    lua_pushboolean(L, 1);
    lua_copy(L, -1, -2);
    lua_setfield(L, loaded, name);
  }
  lua_insert(L, -2); /* the value, the file */
  return 2;
}

/* ---- what there is --------------------------------------------------------------------------- */

typedef struct Library {
  const char* name; /* NULL: the functions without a library */
  lua_CFunction open;
  const char* const* taken; /* as Lua has them */
  const char* const* refused;
} Library;

static const char* const base_taken[] = {"_VERSION", "assert", "error",  "getmetatable", "ipairs",
                                         "next",     "pairs",  "pcall",  "rawequal",     "rawget",
                                         "rawlen",   "rawset", "select", "tonumber",     "tostring",
                                         "type",     "warn",   NULL};
static const char* const string_taken[] = {"byte",  "char",   "format",   "len",
                                           "lower", "pack",   "packsize", "reverse",
                                           "sub",   "unpack", "upper",    NULL};
static const char* const string_refused[] = {"dump", NULL};
static const char* const table_taken[] = {"pack", "unpack", NULL};
static const char* const utf8_taken[] = {"char", "charpattern", "codepoint", "codes",
                                         "len",  "offset",      NULL};
static const char* const math_taken[] = {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
    "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "randomseed", "sin",
    "sqrt", "tan", "tointeger", "type", "ult",
    /* of older versions, where Lua was built with them */
    "cosh", "sinh", "tanh", "pow", "frexp", "ldexp", "log10", NULL};
static const char* const coroutine_taken[] = {"isyieldable", "resume", "running",
                                              "status",      "yield",  NULL};
static const char* const os_taken[] = {"clock", "date", "difftime", "time", NULL};
static const char* const os_refused[] = {"execute", "exit",      "getenv",  "remove",
                                         "rename",  "setlocale", "tmpname", NULL};
static const char* const io_refused[] = {"popen", "tmpfile", NULL};
static const char* const package_refused[] = {"loadlib", "searchpath", NULL};
static const char* const debug_refused[] = {
    "debug",          "gethook",    "getinfo",      "getlocal",  "getmetatable",
    "getregistry",    "getupvalue", "getuservalue", "sethook",   "setlocal",
    "setmetatable",   "setupvalue", "setuservalue", "upvalueid", "upvaluejoin",
    "setcstacklimit", NULL};
static const char* const none[] = {NULL};

static const Library libraries[] = {
    {NULL, luaopen_base, base_taken, none},
    {LUA_STRLIBNAME, luaopen_string, string_taken, string_refused},
    {LUA_TABLIBNAME, luaopen_table, table_taken, none},
    {LUA_UTF8LIBNAME, luaopen_utf8, utf8_taken, none},
    {LUA_MATHLIBNAME, luaopen_math, math_taken, none},
    {LUA_COLIBNAME, luaopen_coroutine, coroutine_taken, none},
    {LUA_OSLIBNAME, luaopen_os, os_taken, os_refused},
    {LUA_IOLIBNAME, NULL, none, io_refused},
    {LUA_DBLIBNAME, NULL, none, debug_refused},
};
enum { LIBRARIES = sizeof libraries / sizeof libraries[0] };

/* A function that replaces one of Lua, which becomes its upvalue 1; upvalue 2 is `flag`. */
typedef struct Replacement {
  const char *library, *name;
  lua_CFunction function;
  bool flag;
} Replacement;

static const Replacement replacements[] = {
    {NULL, "setmetatable", narrow_setmetatable, false},
    {NULL, "collectgarbage", narrow_collectgarbage, false},
    {NULL, "load", narrow_load, false},
    {NULL, "xpcall", narrow_xpcall, false},
    {LUA_STRLIBNAME, "rep", counted_rep, false},
    {LUA_TABLIBNAME, "concat", counted_concat, false},
    {LUA_TABLIBNAME, "insert", counted_shift, false},
    {LUA_TABLIBNAME, "remove", counted_shift, true},
    {LUA_TABLIBNAME, "move", counted_move, false},
    {LUA_TABLIBNAME, "sort", counted_sort, false},
    {LUA_COLIBNAME, "create", counted_create, false},
    {LUA_COLIBNAME, "close", counted_close, false},
    {LUA_COLIBNAME, "wrap", counted_wrap, false},
};
enum { REPLACEMENTS = sizeof replacements / sizeof replacements[0] };

static bool is_same_library(const char* one, const char* other) {
  return one == other || (one && other && strcmp(one, other) == 0);
}

/* Fills the table at `to` with what is allowed of the library at `from`. */
static void take_functions(lua_State* L, const Library* library, int from, int to) {
  for (int i = 0; library->taken[i]; i++) {
    lua_getfield(L, from, library->taken[i]);
    lua_setfield(L, to, library->taken[i]);
  }
  for (int i = 0; i < REPLACEMENTS; i++) {
    const Replacement* replacement = &replacements[i];
    if (is_same_library(replacement->library, library->name)) {
      lua_getfield(L, from, replacement->name);
      lua_pushboolean(L, replacement->flag);
      lua_pushcclosure(L, replacement->function, 2);
      lua_setfield(L, to, replacement->name);
    }
  }
  for (int i = 0; library->refused[i]; i++) {
    lua_pushfstring(L, "%s.%s", library->name, library->refused[i]);
    lua_pushcclosure(L, refused_function, 1);
    lua_setfield(L, to, library->refused[i]);
  }
}

/* Sets the field `name` of the table at `safe` to what is allowed of a library. */
static void add_library(lua_State* L, const Library* library, int safe) {
  const int top = lua_gettop(L);
  if (library->open) {
    lua_pushcfunction(L, library->open);
    lua_pushstring(L, library->name ? library->name : LUA_GNAME);
    lua_call(L, 1, 1);
  } else {
    lua_newtable(L);
  }
  if (!library->name) {
    take_functions(L, library, top + 1, safe);
    lua_settop(L, top);
    return;
  }
  if (strcmp(library->name, LUA_IOLIBNAME) == 0) {
    vidalua_push_io(L);
  } else {
    lua_newtable(L);
  }
  take_functions(L, library, top + 1, top + 2);
  lua_setfield(L, safe, library->name);
  lua_settop(L, top);
}

/* What belongs into no list above. */
static void add_own_functions(lua_State* L, int safe) {
  static const luaL_Reg base[] = {{"print", vidalua_print_plainly},
                                  {"loadfile", narrow_loadfile},
                                  {"dofile", narrow_dofile},
                                  {NULL, NULL}};
  lua_pushvalue(L, safe);
  luaL_setfuncs(L, base, 0);
  lua_getfield(L, safe, LUA_DBLIBNAME);
  lua_pushcfunction(L, traceback);
  lua_setfield(L, -2, "traceback");
  lua_getfield(L, safe, LUA_STRLIBNAME);
  luaL_setfuncs(L, vidalua_pattern_functions, 0);
  lua_pushliteral(L, ""); /* what strings have as methods */
  lua_getmetatable(L, -1);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_settop(L, safe);
}

/* Refuses fields of the library on top of the stack that Lua has and that are no functions. */
static void refuse_fields(lua_State* L, const char* name) {
  lua_createtable(L, 0, 2);
  lua_pushstring(L, name);
  lua_pushcclosure(L, refused_field, 1);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
}

/* Pushes a copy of the table at `from`, of two levels. */
static void push_copy(lua_State* L, int from, bool deep) {
  lua_newtable(L);
  const int to = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, from); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    if (deep && lua_istable(L, -2)) {
      push_copy(L, lua_gettop(L) - 1, false);
    } else {
      lua_pushvalue(L, -2);
    }
    lua_rawset(L, to);
  }
}

/* Sets the path of the modules of a script: its folder and the working directory. */
static void set_path(lua_State* L, const char* path) {
  const char* slash = strrchr(path, '/');
  if (slash) {
    lua_pushlstring(L, path, (size_t)(slash - path));
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;./?.lua;./?/init.lua", lua_tostring(L, -1),
                    lua_tostring(L, -1));
    lua_remove(L, -2);
  } else {
    lua_pushliteral(L, "./?.lua;./?/init.lua");
  }
  lua_setfield(L, -2, "path");
}

/* Adds the table package and require to the global variables at `globals`; `vida` is the index of
 * the module. */
static void add_package(lua_State* L, const char* path, int globals, int vida) {
  static const Library library = {LUA_LOADLIBNAME, NULL, none, package_refused};
  lua_newtable(L);
  const int package = lua_gettop(L);
  take_functions(L, &library, package, package);
  set_path(L, path);
  lua_pushliteral(L, "/\n;\n?\n!\n-\n");
  lua_setfield(L, package, "config");
  lua_newtable(L);
  lua_setfield(L, package, "preload");
  lua_newtable(L);
  for (int i = 0; i < LIBRARIES; i++) {
    if (libraries[i].name) {
      lua_getfield(L, globals, libraries[i].name);
      lua_setfield(L, -2, libraries[i].name);
    }
  }
  lua_pushvalue(L, globals);
  lua_setfield(L, -2, LUA_GNAME);
  lua_pushvalue(L, vida);
  lua_setfield(L, -2, "vida");
  lua_pushvalue(L, package);
  lua_setfield(L, -2, LUA_LOADLIBNAME);
  lua_setfield(L, package, "loaded");
  lua_settop(L, package);
  refuse_fields(L, LUA_LOADLIBNAME);
  lua_pushvalue(L, package);
  lua_setfield(L, globals, LUA_LOADLIBNAME);
  lua_pushcclosure(L, narrow_require, 1);
  lua_setfield(L, globals, "require");
}

void vidalua_open_sandbox(lua_State* L, const char* path) {
  const int top = lua_gettop(L);
  lua_newtable(L);
  const int safe = lua_gettop(L);
  vidalua_set_folder(L, path);
  for (int i = 0; i < LIBRARIES; i++) {
    add_library(L, &libraries[i], safe);
  }
  add_own_functions(L, safe);
  lua_pushvalue(L, safe); /* Lua looks here for the names of functions in its messages */
  lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushvalue(L, safe);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_pushcfunction(L, luaopen_vida);
  lua_call(L, 0, 1);
  push_copy(L, lua_gettop(L), false); /* the binding keeps its own */
  vidalua_suggest_names(L);
  lua_replace(L, safe + 1);
  push_copy(L, safe, true);
  const int globals = lua_gettop(L);
  lua_pushvalue(L, globals);
  lua_setfield(L, globals, LUA_GNAME);
  lua_getfield(L, globals, LUA_IOLIBNAME);
  refuse_fields(L, LUA_IOLIBNAME);
  lua_pop(L, 1);
  add_package(L, path, globals, safe + 1);
  lua_pushvalue(L, globals); /* chunks that the script loads */
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_settop(L, top);
  vidalua_count_instructions(L);
}
