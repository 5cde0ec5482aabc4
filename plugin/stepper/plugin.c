/* Plug-ins: shared libraries that register methods. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/registry.h"

enum { MOST_PLUGINS = 64, PATH_SIZE = 4096 };

typedef int (*plugin_entry)(VidaError* error);

/* Plug-ins that have been loaded: loading one a second time does nothing. */
static void* loaded[MOST_PLUGINS];
static int loaded_count;

static bool is_loaded(const void* library) {
  for (int i = 0; i < loaded_count; i++) {
    if (loaded[i] == library) {
      return true;
    }
  }
  return false;
}

/* Makes the functions of this copy of VIDA visible to the plug-in, which then calls this copy even
 * when it brings another one along. Lua, for example, hides the modules that it loads. */
static void show_own_functions(void) {
  Dl_info own;
  if (dladdr(&loaded_count, &own) && own.dli_fname) {
    void* self = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    if (self) {
      dlclose(self); /* the program still holds it */
    }
  }
}

/* dlopen searches only the system's directories for a name without a slash. Users expect a file of
 * that name in the working directory to be found first. */
static void* open_library(const char* path) {
  char here[PATH_SIZE];
  if (!strchr(path, '/') && strlen(path) < PATH_SIZE - 2 && access(path, F_OK) == 0) {
    here[0] = '\0';
    vida__append(here, sizeof here, "./%s", path);
    path = here;
  }
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ISO C does not convert a pointer to data into one to a function; POSIX has both of one size. */
static plugin_entry find_entry(void* library) {
  plugin_entry entry = NULL;
  void* symbol = dlsym(library, "vida_plugin_register");
  memcpy(&entry, &symbol, sizeof entry);
  return entry;
}

static int check_interface(void* library, const char* path, VidaError* error) {
  const int* version = dlsym(library, "vida_plugin_interface");
  if (!version) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "'%s' is not a plug-in of VIDA: it does not export vida_plugin_interface",
                      path);
  }
  if (*version != VIDA_PLUGIN_INTERFACE) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "plug-in '%s' was built for version %d of the plug-in interface, and this is "
                      "version %d; build it with the headers of VIDA %s",
                      path, *version, VIDA_PLUGIN_INTERFACE, Vida_Version());
  }
  return VIDA_SUCCESS;
}

static int register_methods(plugin_entry entry, const char* path, VidaError* error) {
  VidaError reason = {0};
  const int before = Vida_MethodCount();
  const int code = entry(&reason);
  if (code) {
    vida__keep_methods(before);
    return vida__fail(error, code < 0 ? code : VIDA_BAD_ARGUMENT, "plug-in '%s': %.400s", path,
                      reason.message[0] ? reason.message : "vida_plugin_register failed");
  }
  if (Vida_MethodCount() == before) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "plug-in '%s' registered no method with this program; does the plug-in or "
                      "the program hold a copy of VIDA of its own?",
                      path);
  }
  return VIDA_SUCCESS;
}

int Vida_LoadPlugin(const char* path, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, path)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (loaded_count == MOST_PLUGINS) {
    return vida__fail(error, VIDA_OUT_OF_MEMORY, "no more than %d plug-ins can be loaded",
                      MOST_PLUGINS);
  }
  show_own_functions();
  void* library = open_library(path);
  if (!library) {
    const char* reason = dlerror();
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the plug-in cannot be loaded: %.450s",
                      reason ? reason : path); /* the reason begins with the path */
  }
  if (is_loaded(library)) {
    dlclose(library);
    return VIDA_SUCCESS;
  }
  const plugin_entry entry = find_entry(library);
  int code = check_interface(library, path, error);
  if (!code && !entry) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "plug-in '%s' does not export the function vida_plugin_register", path);
  }
  if (code) {
    dlclose(library);
    return code;
  }
  /* The plug-in is not unloaded from here on, even after a failure: its code has run, and threads
   * or exit handlers may point into it. */
  code = register_methods(entry, path, error);
  if (!code) {
    loaded[loaded_count++] = library;
  }
  return code;
}
