#include "report/hdf5/tables.h"

#include "base/error.h"
#include "base/text.h"

#if !VIDA_HAS_HDF5

int vida__find_hdf5(char* version, size_t size, VidaError* error) {
  if (version && size > 0) {
    version[0] = '\0';
  }
  return vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_HDF5",
                         "this VIDA was built without HDF5; install libhdf5 with its headers "
                         "(Debian: libhdf5-dev) and build it again, or write csv");
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "report/hdf5/library.h"

/* Most builds of the library are for one thread at a time, and all of them have one table of
 * objects for the whole process: studies in several threads of a program take turns. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* ---- loading --------------------------------------------------------------------------------- */

#define SYMBOL_TEXT(name) #name
#define SYMBOL(name) {SYMBOL_TEXT(name), offsetof(vida_hdf5_library, name)},
static const struct {
  const char* name;
  size_t offset;
} symbols[] = {VIDA_HDF5_SYMBOLS(SYMBOL)};
#undef SYMBOL

static int fail_to_load(const char* reason, VidaError* error) {
  return vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_HDF5",
                         "HDF5 is not there: %s; install the library with which VIDA was built, "
                         "%d.%d, or write csv",
                         reason, H5_VERS_MAJOR, H5_VERS_MINOR);
}

static int load(vida_hdf5_library* h5, unsigned version[3], VidaError* error) {
  char reason[256] = "";
  void* loaded = dlopen(VIDA_HDF5_NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  void* library = loaded ? loaded : dlopen(VIDA_HDF5_NAME, RTLD_NOW | RTLD_LOCAL);
  library = library ? library : dlopen(VIDA_HDF5_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    vida__append(reason, sizeof reason, "%s", why ? why : "it cannot be loaded");
    return fail_to_load(reason, error);
  }
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
    void* symbol = dlsym(library, symbols[i].name);
    if (!symbol) {
      vida__append(reason, sizeof reason, "it has no %s", symbols[i].name);
      return fail_to_load(reason, error);
    }
    memcpy((char*)h5 + symbols[i].offset, &symbol, sizeof symbol);
  }
  if (!loaded) {
    /* What is opened here is closed here. At the exit of the process the library would print about
     * damaged files. A program that uses it itself has loaded it before. */
    h5->H5dont_atexit();
  }
  if (h5->H5get_libversion(&version[0], &version[1], &version[2]) < 0 ||
      version[0] != H5_VERS_MAJOR || version[1] != H5_VERS_MINOR) {
    vida__append(reason, sizeof reason, "its version is %u.%u.%u", version[0], version[1],
                 version[2]);
    return fail_to_load(reason, error);
  }
  return h5->H5open() < 0 ? fail_to_load("it does not start", error) : VIDA_SUCCESS;
}

static void silence(vida_hdf5_library* h5) {
  h5->H5Eget_auto2(H5E_DEFAULT, &h5->report, &h5->report_data);
  h5->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void vida__reenter_hdf5(vida_hdf5_library* h5) {
  pthread_mutex_lock(&turn);
  silence(h5);
}

int vida__enter_hdf5(vida_hdf5_library* h5, VidaError* error) {
  unsigned version[3] = {0};
  pthread_mutex_lock(&turn);
  const int code = load(h5, version, error);
  if (!code) {
    silence(h5);
  } else {
    pthread_mutex_unlock(&turn);
  }
  return code;
}

void vida__leave_hdf5(vida_hdf5_library* h5) {
  h5->H5Eset_auto2(H5E_DEFAULT, h5->report, h5->report_data);
  pthread_mutex_unlock(&turn);
}

int vida__find_hdf5(char* version, size_t size, VidaError* error) {
  vida_hdf5_library h5;
  unsigned number[3] = {0};
  pthread_mutex_lock(&turn);
  const int code = load(&h5, number, error);
  pthread_mutex_unlock(&turn);
  if (version && size > 0) {
    version[0] = '\0';
    if (!code) {
      vida__append(version, size, "%u.%u.%u", number[0], number[1], number[2]);
    }
  }
  return code;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static herr_t take_description(unsigned n, const H5E_error2_t* entry, void* data) {
  (void)n;
  *(const char**)data = entry->desc;
  return 1; /* the innermost one is the first */
}

void vida__hdf5_reason(const vida_hdf5_library* h5, char* text, size_t size) {
  const char* description = NULL;
  text[0] = '\0';
  h5->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_description, (void*)&description);
  if (description && description[0]) {
    /* Times and addresses follow after the first words. */
    vida__append(text, size, " (%.*s)", (int)strcspn(description, ":,"), description);
  }
}

/* ---- objects and properties ------------------------------------------------------------------ */

void vida__hdf5_release(const vida_hdf5_library* h5, hid_t object) {
  if (object >= 0) {
    h5->H5Idec_ref(object);
  }
}

hid_t vida__hdf5_access(const vida_hdf5_library* h5) {
  const hid_t access = h5->H5Pcreate(*h5->H5P_CLS_FILE_ACCESS_ID_g);
  if (access >= 0) {
    h5->H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    h5->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* Nobody writes the files that are read here: what is wrong stays wrong, and the library waits
     * longer after each attempt, in the end for years. */
    h5->H5Pset_metadata_read_attempts(access, 1);
#define ALLOW_NO_LOCKS(name) h5->name(access, true, true);
    VIDA_HDF5_LOCKING(ALLOW_NO_LOCKS)
#undef ALLOW_NO_LOCKS
  }
  return access;
}

#endif
