/* The files of sandboxed scripts. A script reads regular files in its own folder and in that of
 * --out, and writes tables into that of --out; names that begin with a dot are hidden from it. What
 * it prints controls no terminal.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox.h"

static const char folder_key = 0; /* registry: the folder of the script, without symbolic links */

/* ---- paths ----------------------------------------------------------------------------------- */

enum { PATH_SIZE = 4096 };

/* Writes the path without symbolic links; what does not exist yet has no "..". Returns false with
 * errno. */
static bool resolve(const char* path, char resolved[PATH_SIZE]) {
  char begin[PATH_SIZE], left[PATH_SIZE] = "";
  if (strlen(path) >= PATH_SIZE - 2 || path[0] == '\0') {
    errno = path[0] ? ENAMETOOLONG : ENOENT;
    return false;
  }
  strcpy(begin, path);
  for (;;) {
    char* real = realpath(begin, NULL);
    if (real) {
      const bool fits = strlen(real) + strlen(left) < PATH_SIZE;
      if (fits) {
        strcpy(resolved, strcmp(real, "/") == 0 ? "" : real);
        strcat(resolved, left);
      }
      free(real);
      errno = fits ? 0 : ENAMETOOLONG;
      return fits;
    }
    if (errno != ENOENT || strcmp(begin, ".") == 0) {
      return false;
    }
    char* slash = strrchr(begin, '/');
    const char* name = slash ? slash + 1 : begin;
    if (strcmp(name, "..") == 0) {
      errno = ENOENT;
      return false;
    }
    if (name[0] != '\0' && strcmp(name, ".") != 0) {
      char longer[PATH_SIZE];
      strcpy(longer, left);
      left[0] = '/';
      strcpy(left + 1, name);
      strcat(left, longer);
    }
    if (!slash) {
      strcpy(begin, ".");
    } else if (slash == begin) {
      strcpy(begin, "/");
    } else {
      *slash = '\0';
    }
  }
}

/* Whether a resolved path is the folder or below it, and nothing below it is hidden. */
static bool is_inside(const char* folder, const char* path) {
  const size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0') &&
         !strstr(path + length, "/.");
}

static bool is_in_out(lua_State* L, const char* path) {
  char out[PATH_SIZE];
  const char* folder = vidalua_sandbox(L)->out;
  return folder && resolve(folder, out) && is_inside(out, path);
}

static bool is_in_folder(lua_State* L, const char* path) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &folder_key);
  const char* folder = lua_tostring(L, -1);
  const bool is_in = folder && is_inside(folder, path);
  lua_pop(L, 1);
  return is_in;
}

static int refuse_path(lua_State* L, const char* what, const char* path, const char* where) {
  lua_pushfstring(L, "%s: '%s', which is not in %s,", what, path, where);
  return vidalua_refuse(L, lua_tostring(L, -1));
}

static FILE* refuse_with(int reason) {
  errno = reason;
  return NULL;
}

/* Opens a resolved path; regular files only: a pipe would wait, a device is no file of the folder.
 */
static FILE* open_regular(const char* path, int flags, const char* mode) {
  struct stat status;
  const int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0) {
    return NULL;
  }
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    const int reason = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    close(file);
    return refuse_with(reason);
  }
  FILE* opened = fdopen(file, mode);
  if (!opened) {
    close(file);
  }
  return opened;
}

FILE* vidalua_open_readable(lua_State* L, const char* what, const char* path) {
  char resolved[PATH_SIZE];
  if (!resolve(path, resolved)) {
    const int reason = errno;
    if (path[0] == '/' || strstr(path, "..")) {
      refuse_path(L, what, path, "the folder of the script");
    }
    return refuse_with(reason);
  }
  if (!is_in_folder(L, resolved) && !is_in_out(L, resolved)) {
    refuse_path(L, what, path, "the folder of the script");
  }
  return open_regular(resolved, O_RDONLY, "r");
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char* where_to_write(lua_State* L) {
  return vidalua_sandbox(L)->out ? "the folder of --out"
                                 : "the folder of --out DIR (none is given)";
}

void vidalua_check_writable(lua_State* L, const char* what, const char* path) {
  char resolved[PATH_SIZE];
  if (vidalua_sandbox(L) && (!resolve(path, resolved) || !is_in_out(L, resolved))) {
    refuse_path(L, what, path, where_to_write(L));
  }
}

void vidalua_check_file(lua_State* L, const char* what, const char* path, const char* ending) {
  const char* found = strrchr(path, '.');
  vidalua_check_writable(L, what, path);
  if (vidalua_sandbox(L) && (!found || strcmp(found, ending) != 0)) {
    lua_pushfstring(L, "%s: writing '%s', which is no %s,", what, path, ending);
    vidalua_refuse(L, lua_tostring(L, -1));
  }
}

void vidalua_check_readable(lua_State* L, const char* what, const char* path) {
  if (!vidalua_sandbox(L)) {
    return;
  }
  FILE* file = vidalua_open_readable(L, what, path);
  if (!file) { /* whoever opened it by its name would wait for the other end of a pipe */
    const bool is_special = errno == EINVAL || errno == ENXIO;
    luaL_error(L, "%s: cannot read '%s': %s", what, path,
               is_special ? "it is no regular file" : strerror(errno));
    return;
  }
  fclose(file);
}

/* Files that are only data: a script that could write any file could write one that a tool runs. */
static bool is_table(const char* path) {
  static const char* const endings[] = {".csv", ".tsv", ".dat", ".log", NULL};
  const char* ending = strrchr(path, '.');
  for (int i = 0; endings[i]; i++) {
    if (ending && strcmp(ending, endings[i]) == 0) {
      return true;
    }
  }
  return false;
}

static FILE* open_writable(lua_State* L, const char* what, const char* path, const char* mode) {
  char resolved[PATH_SIZE];
  VidaError error;
  vidalua_check_writable(L, what, path);
  if (!is_table(path)) {
    lua_pushfstring(L, "%s: writing '%s', which is no .csv, .tsv, .dat or .log,", what, path);
    vidalua_refuse(L, lua_tostring(L, -1));
  }
  if (VidaReport_PrepareFolder(vidalua_sandbox(L)->out, &error) || !resolve(path, resolved)) {
    return refuse_with(errno ? errno : EACCES);
  }
  const bool updates = strchr(mode, '+') != NULL;
  const int access = updates ? O_RDWR : O_WRONLY;
  const int how = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  return open_regular(resolved, access | how, mode);
}

/* ---- handles of files ------------------------------------------------------------------------ */

static int close_file(lua_State* L) {
  luaL_Stream* stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

static luaL_Stream* new_handle(lua_State* L) {
  luaL_Stream* stream = lua_newuserdatauv(L, sizeof *stream, 0);
  *stream = (luaL_Stream){NULL, NULL}; /* closed */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  return stream;
}

/* Pushes an open file; returns false with errno, and pushes nothing. */
static bool push_file(lua_State* L, const char* what, const char* path, const char* mode) {
  luaL_Stream* stream = new_handle(L);
  stream->f = mode[0] == 'r' && !strchr(mode, '+') ? vidalua_open_readable(L, what, path)
                                                   : open_writable(L, what, path, mode);
  if (!stream->f) {
    const int reason = errno;
    lua_pop(L, 1);
    errno = reason;
    return false;
  }
  stream->closef = close_file;
  return true;
}

static const char* check_path(lua_State* L, int index) {
  const char* path = luaL_checkstring(L, index);
  luaL_argcheck(L, vidalua_plain_text(L, index) || lua_type(L, index) == LUA_TNUMBER, index,
                "the name has a zero byte");
  return path;
}

static bool is_mode(const char* mode) {
  return mode[0] && strchr("rwa", mode[0]) &&
         mode[1 + (mode[1] == '+') + (mode[1 + (mode[1] == '+')] == 'b')] == '\0';
}

static int io_open(lua_State* L) {
  const char* path = check_path(L, 1);
  const char* mode = luaL_optstring(L, 2, "r");
  luaL_argcheck(L, is_mode(mode), 2, "invalid mode");
  return push_file(L, "io.open", path, mode) ? 1 : luaL_fileresult(L, 0, path);
}

/* ---- the standard streams -------------------------------------------------------------------- */

#define STREAM "vida.stream"

/* In parts: stderr has no buffer. */
static void write_plainly(FILE* file, const char* text, size_t length) {
  char part[1024];
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    const bool is_c1 = i > 0 && (unsigned char)text[i - 1] == 0xC2 && c >= 0x80 && c < 0xA0;
    const bool is_plain = (c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t';
    part[used++] = is_plain && !is_c1 ? text[i] : '?';
    if (used == sizeof part || i + 1 == length) {
      fwrite(part, 1, used, file);
      used = 0;
    }
  }
}

int vidalua_print_plainly(lua_State* L) {
  return vidalua_print(L, write_plainly);
}

static int stream_write(lua_State* L) {
  FILE** stream = luaL_checkudata(L, 1, STREAM);
  for (int i = 2; i <= lua_gettop(L); i++) {
    size_t length = 0;
    const char* text = luaL_checklstring(L, i, &length);
    write_plainly(*stream, text, length);
  }
  lua_settop(L, 1);
  return 1;
}

static int stream_flush(lua_State* L) {
  FILE** stream = luaL_checkudata(L, 1, STREAM);
  fflush(*stream);
  lua_settop(L, 1);
  return 1;
}

/* close and setvbuf: nothing to do. */
static int stream_pass(lua_State* L) {
  luaL_checkudata(L, 1, STREAM);
  lua_pushboolean(L, 1);
  return 1;
}

static int stream_tostring(lua_State* L) {
  lua_pushliteral(L, "file (standard stream)");
  return 1;
}

static void push_stream(lua_State* L, FILE* file) {
  static const luaL_Reg methods[] = {{"write", stream_write},
                                     {"flush", stream_flush},
                                     {"close", stream_pass},
                                     {"setvbuf", stream_pass},
                                     {NULL, NULL}};
  FILE** stream = lua_newuserdatauv(L, sizeof *stream, 0);
  *stream = file;
  if (luaL_newmetatable(L, STREAM)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, stream_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);
}

/* ---- default files --------------------------------------------------------------------------- */

static const char input_key = 0, output_key = 0;

static bool is_file(lua_State* L, int index) {
  return luaL_testudata(L, index, STREAM) || luaL_testudata(L, index, LUA_FILEHANDLE);
}

/* io.input and io.output: sets the default file from argument 1, if there is one, and returns it.
 */
static int default_file(lua_State* L, const void* key, const char* what, const char* mode) {
  if (!lua_isnoneornil(L, 1)) {
    if (is_file(L, 1)) {
      lua_pushvalue(L, 1);
    } else {
      const char* path = check_path(L, 1);
      if (!push_file(L, what, path, mode)) {
        return luaL_error(L, "cannot open file '%s' (%s)", path, strerror(errno));
      }
    }
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
  }
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TNIL) {
    return vidalua_refuse(L, "the standard input");
  }
  return 1;
}

static int io_input(lua_State* L) {
  return default_file(L, &input_key, "io.input", "r");
}

static int io_output(lua_State* L) {
  return default_file(L, &output_key, "io.output", "w");
}

/* Calls the method of the file at index 1 in this very call, so that errors name the caller. */
static int call_file_method(lua_State* L, const char* method) {
  if (luaL_testudata(L, 1, STREAM)) {
    return strcmp(method, "write") == 0 ? stream_write(L) : vidalua_refuse(L, "the standard input");
  }
  luaL_getmetatable(L, LUA_FILEHANDLE);
  lua_getfield(L, -1, "__index");
  lua_getfield(L, -1, method);
  const lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 3);
  return function(L);
}

static int io_read(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &input_key) == LUA_TNIL) {
    return vidalua_refuse(L, "the standard input");
  }
  lua_insert(L, 1);
  return call_file_method(L, "read");
}

static int io_write(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &output_key);
  lua_insert(L, 1);
  return call_file_method(L, "write");
}

/* Returns the iterator, and the file as the value that a for closes at its end. */
static int io_lines(lua_State* L) {
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &input_key) == LUA_TNIL) {
      return vidalua_refuse(L, "the standard input");
    }
    return call_file_method(L, "lines");
  }
  const char* path = check_path(L, 1);
  if (!push_file(L, "io.lines", path, "r")) {
    return luaL_error(L, "%s: %s", path, strerror(errno));
  }
  lua_copy(L, -1, 1);
  lua_insert(L, 1); /* file, file, formats */
  lua_getfield(L, 2, "lines");
  lua_insert(L, 2);
  lua_call(L, lua_gettop(L) - 2, 1);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, 1);
  return 4;
}

static int io_close(lua_State* L) {
  if (lua_isnone(L, 1)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &output_key);
  }
  luaL_argexpected(L, is_file(L, 1), 1, LUA_FILEHANDLE);
  return luaL_testudata(L, 1, STREAM) ? stream_pass(L) : call_file_method(L, "close");
}

static int io_type(lua_State* L) {
  luaL_checkany(L, 1);
  const luaL_Stream* stream = luaL_testudata(L, 1, LUA_FILEHANDLE);
  if (stream) {
    lua_pushstring(L, stream->closef ? "file" : "closed file");
  } else if (luaL_testudata(L, 1, STREAM)) {
    lua_pushliteral(L, "file");
  } else {
    luaL_pushfail(L);
  }
  return 1;
}

/* ---- the folder and the table io ------------------------------------------------------------- */

void vidalua_set_folder(lua_State* L, const char* path) {
  char folder[PATH_SIZE] = ".", resolved[PATH_SIZE];
  const char* slash = strrchr(path, '/');
  const size_t length = slash > path ? (size_t)(slash - path) : 1; /* of "/" */
  if (slash && length < PATH_SIZE) {
    memcpy(folder, path, length);
    folder[length] = '\0';
  }
  if (resolve(folder, resolved)) {
    lua_pushstring(L, resolved);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &folder_key);
  }
}

void vidalua_push_io(lua_State* L) {
  static const luaL_Reg functions[] = {
      {"open", io_open},   {"lines", io_lines}, {"read", io_read},
      {"write", io_write}, {"input", io_input}, {"output", io_output},
      {"close", io_close}, {"type", io_type},   {NULL, NULL}};
  luaL_requiref(L, LUA_IOLIBNAME, luaopen_io, 0); /* for the methods of files */
  lua_pop(L, 1);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  push_stream(L, stdout);
  lua_setfield(L, -2, "stdout");
  push_stream(L, stderr);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &output_key);
  lua_setfield(L, -2, "stderr");
}
