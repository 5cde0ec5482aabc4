/* Scenarios for C programs (include/vida/scenario.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/scenario.h>

#include "binding.h"

struct VidaScenario {
  lua_State* L; /* owns the studies */
  VidaLuaScenario loaded;
};

/* The arguments of the protected function. */
typedef struct Request {
  VidaScenario* scenario;
  const char* path;
  const char* const* settings;
} Request;

static int fail(VidaError* error, int code, const char* message) {
  if (error) {
    error->code = code;
    snprintf(error->flag, sizeof error->flag, "%s", Vida_CodeName(code));
    snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

static int refuse_null(VidaError* error, const char* argument) {
  char message[80];
  snprintf(message, sizeof message, "VidaScenario_Load: %s is NULL", argument);
  return fail(error, VIDA_BAD_ARGUMENT, message);
}

/* os.exit would end the program that has loaded the scenario. */
static int refuse_exit(lua_State* L) {
  return luaL_error(L,
                    "os.exit would end the program that loads this scenario; use error or return");
}

static void replace_exit(lua_State* L) {
  lua_getglobal(L, "os");
  lua_pushcfunction(L, refuse_exit);
  lua_setfield(L, -2, "exit");
  lua_pop(L, 1);
}

static void set_settings(lua_State* L, const char* const* settings) {
  vidalua_name_settings(L, "setting");
  for (int i = 0; settings && settings[i]; i++) {
    const char* equals = strchr(settings[i], '=');
    if (!equals || equals == settings[i]) {
      luaL_error(L, "a setting has the form name=value, got '%s'", settings[i]);
    }
    const char* name = lua_pushlstring(L, settings[i], (size_t)(equals - settings[i]));
    vidalua_set_setting(L, name, equals + 1);
    lua_pop(L, 1);
  }
}

/* Runs in protected mode. The comparisons stay referenced by the registry. */
static int load(lua_State* L) {
  Request* request = lua_touserdata(L, 1);
  VidaLuaScenario* loaded = &request->scenario->loaded;
  vidalua_open_libraries(L, request->path);
  replace_exit(L);
  set_settings(L, request->settings);
  *loaded = (VidaLuaScenario){.script = request->path};
  lua_settop(L, 0);
  if (!vidalua_load_scenario(L, loaded)) {
    return lua_error(L);
  }
  const int count = lua_gettop(L);
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

/* Lua says why a file cannot be opened in a message only. A folder can be opened, not read. */
static int check_file(const char* path, VidaError* error) {
  FILE* file = fopen(path, "r");
  int reason = file ? 0 : errno;
  if (file) {
    errno = 0;
    reason = fgetc(file) == EOF && ferror(file) ? errno : 0;
    fclose(file);
  }
  if (!reason) {
    return VIDA_SUCCESS;
  }
  char message[VIDA_MESSAGE_SIZE];
  snprintf(message, sizeof message, "%.400s: %s", path, strerror(reason));
  return fail(error, VIDA_INPUT_OUTPUT, message);
}

static int load_scenario(const char* path, const char* const* settings, bool trusted,
                         VidaScenario** scenario, VidaError* error) {
  const VidaLuaSandbox sandbox = {
      .trusted = trusted, .advice = "VidaScenario_LoadTrusted loads it if you trust the author"};
  if (!scenario) {
    return refuse_null(error, "scenario");
  }
  *scenario = NULL;
  if (!path) {
    return refuse_null(error, "path");
  }
  int code = check_file(path, error);
  if (code) {
    return code;
  }
  VidaScenario* created = calloc(1, sizeof *created);
  lua_State* L = created ? vidalua_new_state(&sandbox) : NULL;
  if (!L) {
    free(created);
    return fail(error, VIDA_OUT_OF_MEMORY, Vida_CodeText(VIDA_OUT_OF_MEMORY));
  }
  created->L = L;
  Request request = {created, path, settings};
  lua_pushcfunction(L, load);
  lua_pushlightuserdata(L, &request);
  const int status = lua_pcall(L, 1, 0, 0);
  created->loaded.script = NULL; /* it belongs to the caller */
  if (status != LUA_OK) {
    const char* message = lua_tostring(L, -1);
    code = status == LUA_ERRMEM ? VIDA_OUT_OF_MEMORY : VIDA_BAD_ARGUMENT;
    fail(error, code, message ? message : "an error without a message");
    VidaScenario_Destroy(&created);
    return code;
  }
  *scenario = created;
  return VIDA_SUCCESS;
}

int VidaScenario_Load(const char* path, const char* const* settings, VidaScenario** scenario,
                      VidaError* error) {
  return load_scenario(path, settings, false, scenario, error);
}

int VidaScenario_LoadTrusted(const char* path, const char* const* settings, VidaScenario** scenario,
                             VidaError* error) {
  return load_scenario(path, settings, true, scenario, error);
}

void VidaScenario_Destroy(VidaScenario** scenario) {
  if (scenario && *scenario) {
    vidalua_close_state((*scenario)->L);
    free(*scenario);
    *scenario = NULL;
  }
}

int VidaScenario_StudyCount(const VidaScenario* scenario) {
  return scenario ? scenario->loaded.count : 0;
}

VidaStudy* VidaScenario_Study(const VidaScenario* scenario, int index) {
  return scenario && index >= 0 && index < scenario->loaded.count ? scenario->loaded.studies[index]
                                                                  : NULL;
}
