/* The fuzzer: calls the command and the library in one process with inputs that generate.lua makes
 * from seeds. See tests/fuzz/run.
 *
 *   vida_fuzz KIND FIRST COUNT   inputs of a kind: script, arguments, results, hdf5, journal,
 *                                checkpoint, record
 *   vida_fuzz file SCRIPT...     these scripts
 *
 * Works in the current directory. The input at work is in the files "current" and "script.lua", so
 * that a crash leaves it there. Ends with an abort for an input that takes more than 10 s of CPU.
 */
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <vida/vida.h>

#include "binding.h"
#include "fuzz.h"
#include "lua_memory.h"

int vida_main(int count, char** arguments); /* main of plugin/cli/main.c */

enum { MOST_ARGUMENTS = 16 };

void fuzz_fail(const char* what) {
  fprintf(stderr, "vida_fuzz: %s\n", what);
  exit(2);
}

/* ---- one input ------------------------------------------------------------------------------- */

FILE* fuzz_report; /* stderr is where the command writes its messages */

static void on_alarm(int signal_number) {
  static const char text[] = "vida_fuzz: more than 10 s of CPU\n";
  (void)signal_number;
  if (write(fileno(fuzz_report), text, sizeof text - 1) < 0) {
    _exit(3);
  }
  abort();
}

void fuzz_limit_time(int seconds) {
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

void fuzz_write_file(const char* path, const char* text, size_t size) {
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file)) {
    fuzz_fail("cannot write an input");
  }
}

void fuzz_call(int count, const char* const* words) {
  char* arguments[MOST_ARGUMENTS + 2] = {"vida"};
  FILE* current = fopen("current", "w");
  for (int i = 0; i < count; i++) {
    arguments[i + 1] = strdup(words[i]);
    if (current) {
      fprintf(current, "%s\n", words[i]);
    }
  }
  if (current) {
    fclose(current);
  }
  char* kept[MOST_ARGUMENTS + 2]; /* the command moves them */
  memcpy(kept, arguments, sizeof kept);
  fuzz_limit_time(FUZZ_SECONDS);
  vida_main(count + 1, arguments);
  fuzz_limit_time(0);
  for (int i = 0; i < count; i++) {
    free(kept[i + 1]);
  }
  if (!freopen("/dev/null", "w", stdout)) { /* no error of the last output is left */
    fuzz_fail("no /dev/null");
  }
}

char* fuzz_read_file(const char* path, size_t* size) {
  char* text = malloc(FUZZ_SIZE);
  FILE* file = fopen(path, "rb");
  *size = text && file ? fread(text, 1, FUZZ_SIZE, file) : 0;
  if (file) {
    fclose(file);
  }
  return text;
}

#define LIMITS "--script-instructions", "3e6", "--script-memory", "64"

/* ---- kinds of inputs ------------------------------------------------------------------------- */

static uint64_t state;

uint64_t fuzz_draw(uint64_t count) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % count;
}

static void run_script(uint64_t seed) {
  switch (seed % 5) {
    case 0:
      FUZZ_CALL("check", "script.lua", LIMITS);
      break;
    case 1:
      FUZZ_CALL("run", "script.lua", "--settings", LIMITS);
      break;
    case 2:
      FUZZ_CALL("run", "script.lua", "--out", "out", "--wall-limit", "0.2", LIMITS);
      break;
    default:
      FUZZ_CALL("run", "script.lua", "--format", "json", "--wall-limit", "0.2", LIMITS);
      break;
  }
}

/* Calls generate.lua: the values it returns are left on the stack. */
static int generate(lua_State* L, const char* kind, uint64_t seed) {
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushstring(L, kind);
  lua_pushinteger(L, (lua_Integer)seed);
  if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) {
    fprintf(fuzz_report, "seed %llu: %s\n", (unsigned long long)seed, lua_tostring(L, -1));
    exit(2);
  }
  return lua_gettop(L) - 1;
}

static void try_script(lua_State* L, uint64_t seed) {
  size_t size = 0;
  generate(L, "script", seed);
  const char* text = lua_tolstring(L, -1, &size);
  fuzz_write_file("script.lua", text, size);
  run_script(seed);
}

const char fuzz_script[] =
    "local vida = require 'vida'\n"
    "local s = vida.system { 'p', dimension = 2 }\n"
    "local a = s:particle { 'a', mass = 1, position = { 1, 0 } }\n"
    "s:distance { 'rod', s.ground, a, length = 1 }\n"
    "return vida.compare { system = s, time = 0.2,\n"
    "  methods = { { 'rattle', h = { 0.1, 0.05 } }, { 'del-midpoint', h = 0.1 } } }\n";

static void try_arguments(lua_State* L, uint64_t seed) {
  const char* words[MOST_ARGUMENTS];
  const int count = generate(L, "arguments", seed);
  for (int i = 0; i < count; i++) {
    words[i] = lua_tostring(L, 2 + i);
  }
  fuzz_call(count, words);
}

/* ---- all inputs ------------------------------------------------------------------------------
 */

static void* allocate_lua(void* data, void* block, size_t old_size, size_t size) {
  (void)data;
  if (size == 0) {
    fuzz_free(block);
    return NULL;
  }
  return fuzz_realloc(block, old_size, size);
}

static lua_State* open_generator(void) {
  lua_State* L = lua_newstate(allocate_lua, NULL);
  luaL_openlibs(L);
  luaL_requiref(L, "vida", luaopen_vida, 0);
  lua_settop(L, 0);
  if (luaL_loadfile(L, VIDA_FUZZ_DIRECTORY "/generate.lua") != LUA_OK) {
    fuzz_fail(lua_tostring(L, -1));
  }
  return L;
}

static void make_script_results(void) {
  fuzz_results.prepare();
}

static const fuzz_kind script_kind = {"script", NULL, try_script},
                       arguments_kind = {"arguments", make_script_results, try_arguments};
static const fuzz_kind* const kinds[] = {&script_kind,  &arguments_kind,  &fuzz_results, &fuzz_hdf5,
                                         &fuzz_journal, &fuzz_checkpoint, &fuzz_record};

static const fuzz_kind* find_kind(const char* name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i]->name, name) == 0) {
      return kinds[i];
    }
  }
  fuzz_fail("the kinds are script, arguments, results, hdf5, journal, checkpoint and record");
  return NULL;
}

static void try_input(lua_State* L, const fuzz_kind* kind, uint64_t seed) {
  state = (seed + 1) * 0x9E3779B97F4A7C15u | 1;
  for (int i = 0; i < 4; i++) {
    fuzz_draw(1);
  }
  kind->attempt(L, seed);
}

/* The files of a fixed corpus. */
static int try_files(int count, char** paths) {
  for (int i = 0; i < count; i++) {
    size_t size = 0;
    char* text = fuzz_read_file(paths[i], &size);
    if (size == 0) {
      fprintf(fuzz_report, "cannot read %s\n", paths[i]);
      return 2;
    }
    fuzz_write_file("script.lua", text, size);
    free(text);
    for (uint64_t seed = 0; seed < 4; seed++) {
      run_script(seed);
    }
  }
  return 0;
}

/* In one call: whoever ends the process finds a whole number. */
static void note_seed(int file, uint64_t seed) {
  char text[24];
  const int length = snprintf(text, sizeof text, "%020llu\n", (unsigned long long)seed);
  if (pwrite(file, text, (size_t)length, 0) != length) {
    fuzz_fail("cannot write the seed");
  }
}

int main(int count, char** arguments) {
  fuzz_report = fdopen(dup(STDERR_FILENO), "w");
  if (!fuzz_report || count < 3) {
    fuzz_fail("usage: vida_fuzz KIND FIRST COUNT | file SCRIPT...");
  }
  setvbuf(fuzz_report, NULL, _IONBF, 0);
  setenv("PATH", "", 1); /* no gnuplot */
  signal(SIGPROF, on_alarm);
  if (!freopen("/dev/null", "w", stdout) || !freopen("messages", "w", stderr)) {
    fuzz_fail("no /dev/null");
  }
  if (strcmp(arguments[1], "file") == 0) {
    return try_files(count - 2, arguments + 2);
  }
  lua_State* L = open_generator();
  const uint64_t first = strtoull(arguments[2], NULL, 10);
  const uint64_t number = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
  const fuzz_kind* kind = find_kind(arguments[1]);
  if (kind->prepare) {
    kind->prepare();
  }
  const int note = open("seed", O_WRONLY | O_CREAT, 0666);
  for (uint64_t seed = first; seed < first + number; seed++) {
    note_seed(note, seed);
    rewind(stderr); /* the messages of the last input are enough */
    try_input(L, kind, seed);
  }
  lua_close(L);
  return 0;
}
