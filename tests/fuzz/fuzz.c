/* The fuzzer: calls the command and the library in one process with inputs that generate.lua makes
 * from seeds. See tests/fuzz/run.
 *
 *   vida_fuzz KIND FIRST COUNT   inputs of a kind: script, arguments, results, record
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
#include <vida/method.h>
#include <vida/vida.h>

#include "binding.h"

int vida_main(int count, char** arguments); /* main of plugin/cli/main.c */

enum { SECONDS = 10, MOST_ARGUMENTS = 16, SIZE = 1 << 22 };

static void fail(const char* what) {
  fprintf(stderr, "vida_fuzz: %s\n", what);
  exit(2);
}

/* ---- one input ------------------------------------------------------------------------------- */

static FILE* report; /* stderr is where the command writes its messages */

static void on_alarm(int signal_number) {
  static const char text[] = "vida_fuzz: more than 10 s of CPU\n";
  (void)signal_number;
  if (write(fileno(report), text, sizeof text - 1) < 0) {
    _exit(3);
  }
  abort();
}

static void limit_time(int seconds) {
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

static void write_file(const char* path, const char* text, size_t size) {
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file)) {
    fail("cannot write an input");
  }
}

/* Calls the command with these words, after noting them in "current". */
static void call_command(int count, const char* const* words) {
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
  limit_time(SECONDS);
  vida_main(count + 1, arguments);
  limit_time(0);
  for (int i = 0; i < count; i++) {
    free(kept[i + 1]);
  }
  if (!freopen("/dev/null", "w", stdout)) { /* no error of the last output is left */
    fail("no /dev/null");
  }
}

#define CALL(...)                                                           \
  call_command((int)(sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*)), \
               (const char* const[]){__VA_ARGS__})

#define LIMITS "--script-instructions", "3e6", "--script-memory", "64"

/* ---- kinds of inputs ------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(uint64_t count) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % count;
}

static void run_script(uint64_t seed) {
  switch (seed % 5) {
    case 0:
      CALL("check", "script.lua", LIMITS);
      break;
    case 1:
      CALL("run", "script.lua", "--settings", LIMITS);
      break;
    case 2:
      CALL("run", "script.lua", "--out", "out", "--wall-limit", "0.2", LIMITS);
      break;
    default:
      CALL("run", "script.lua", "--format", "json", "--wall-limit", "0.2", LIMITS);
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
    fprintf(report, "seed %llu: %s\n", (unsigned long long)seed, lua_tostring(L, -1));
    exit(2);
  }
  return lua_gettop(L) - 1;
}

static void try_script(lua_State* L, uint64_t seed) {
  size_t size = 0;
  generate(L, "script", seed);
  const char* text = lua_tolstring(L, -1, &size);
  write_file("script.lua", text, size);
  run_script(seed);
}

static const char small_script[] =
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
  call_command(count, words);
}

/* Changes some bytes, removes a part or repeats one. Returns the new size, at most SIZE. */
static size_t damage(char* text, size_t size) {
  static const char* const parts[] = {
      "\"",   "{",       "}",         "[",       "]",
      ",",    "\n",      "1e999",     "-1",      "nan",
      "null", "\\u0000", "</script>", "\x1b[2J", "99999999999999999999",
      "\xff", "'",       "`id`",      "../../x"};
  for (uint64_t changes = draw(4) + 1; changes > 0 && size > 0; changes--) {
    const size_t at = draw(size), length = draw(draw(8) ? 20 : size) % (size - at + 1);
    const char* part = parts[draw(sizeof parts / sizeof *parts)];
    switch (draw(5)) {
      case 0:
        text[at] = (char)draw(256);
        break;
      case 1:
        memmove(text + at, text + at + length, size - at - length);
        size -= length;
        break;
      case 2:
        if (size + length <= SIZE) {
          memmove(text + at + length, text + at, size - at);
          size += length;
        }
        break;
      case 3:
        size = draw(6) ? size : at;
        break;
      default:
        if (strlen(part) <= size - at) {
          memcpy(text + at, part, strlen(part));
        }
        break;
    }
  }
  return size;
}

/* Files of results of small_script, kept in memory. */
static const char* const result_files[] = {"report.json", "comparison.csv", "comparison.json",
                                           "p-rattle-h_0.1.csv", NULL};
static char* kept_text[4];
static size_t kept_size[4];

static char* read_file(const char* path, size_t* size) {
  char* text = malloc(SIZE);
  FILE* file = fopen(path, "rb");
  *size = text && file ? fread(text, 1, SIZE, file) : 0;
  if (file) {
    fclose(file);
  }
  return text;
}

static void make_results(void) {
  write_file("script.lua", small_script, sizeof small_script - 1);
  CALL("run", "script.lua", "--out", "results", "--quiet");
  for (int i = 0; result_files[i]; i++) {
    char path[64];
    snprintf(path, sizeof path, "results/%s", result_files[i]);
    kept_text[i] = read_file(path, &kept_size[i]);
    if (kept_size[i] == 0) {
      fprintf(report, "%s is missing\n", path);
      exit(2);
    }
  }
}

static void try_results(uint64_t seed) {
  static char text[SIZE];
  char path[64];
  const int i = (int)draw(4);
  memcpy(text, kept_text[i], kept_size[i]);
  const size_t size = damage(text, kept_size[i]);
  snprintf(path, sizeof path, "results/%s", result_files[i]);
  write_file(path, text, size);
  switch (seed % 4) {
    case 0:
      CALL("compare", "results", "results");
      break;
    case 1:
      CALL("plot", "results");
      break;
    case 2:
      CALL("compare", path, path);
      break;
    default:
      CALL("report", "results");
      break;
  }
  write_file(path, kept_text[i], kept_size[i]);
}

/* ---- records of methods ---------------------------------------------------------------------- */

static int accept(VidaIntegration* integration, VidaError* error) {
  (void)integration, (void)error;
  return VIDA_SUCCESS;
}

static int write_velocities(VidaIntegration* integration, double* v, VidaError* error) {
  (void)error;
  v[0] = VidaIntegration_Node(integration)->p[0];
  return VIDA_SUCCESS;
}

/* Makes a record in which some members are wrong; a registered one lives as long as the program. */
static void try_record(void) {
  static const char* const texts[] = {NULL,   "",  "rattle", "Ä", "a b", "x\n", "0",
                                      "free", "h", "auto|",  "|", "a|b", "\x1b"};
  VidaMethod* method = calloc(1, sizeof *method);
  VidaOptionRow* rows = calloc(4, sizeof *rows);
  char* name = malloc(16);
  VidaError error = {0};
  if (!method || !rows || !name) {
    fail("out of memory");
  }
  snprintf(name, 16, "m%llu", (unsigned long long)draw(1000000000));
  *method = (VidaMethod){.size = sizeof *method,
                         .info = {name, "title", "source", "none", 1, VIDA_LIMIT_UNCONSTRAINED},
                         .options = rows,
                         .create = accept,
                         .start = accept,
                         .step = accept,
                         .velocities = write_velocities,
                         .energy = VidaIntegration_NodeEnergy};
  const int count = (int)draw(4);
  for (int i = 0; i < count; i++) {
    rows[i] = (VidaOptionRow){texts[draw(13)],       (VidaOptionType)draw(7), texts[draw(13)],
                              (double)draw(5) - 2.0, (double)draw(5) - 2.0,   (double)draw(5) - 2.0,
                              draw(2) == 0,          texts[draw(13)],         texts[draw(13)]};
  }
  unsigned char* bytes = (unsigned char*)method;
  for (uint64_t changes = draw(3); changes > 0; changes--) {
    switch (draw(6)) {
      case 0:
        method->size = draw(2) ? draw(2 * sizeof *method) : (size_t)-1;
        break;
      case 1:
        ((const char**)&method->info)[draw(4)] = texts[draw(13)];
        break;
      case 2:
        method->info.order = (int)draw(2000) - 1000;
        break;
      case 3:
        method->info.capabilities = (unsigned)state;
        break;
      case 4:
        method->options = NULL;
        break;
      default: { /* a function that is not there */
        const size_t first = offsetof(VidaMethod, create) / sizeof(void*);
        const size_t at = first + draw(sizeof *method / sizeof(void*) - first);
        memset(bytes + at * sizeof(void*), 0, sizeof(void*));
        break;
      }
    }
  }
  if (Vida_RegisterMethod(method, &error) || Vida_MethodCount() == 0) {
    free(method);
    free(rows);
    free(name);
    return;
  }
  VidaSystem* system = NULL;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  const VidaParticle bob = {"bob", 1.0, {VidaInitial_Given(0.5)}, {VidaInitial_Given(0.1)}};
  int code = VidaSystem_Create("free", 2, &system, &error);
  code = code ? code : VidaSystem_AddParticle(system, &bob, NULL, &error);
  code = code ? code : VidaSystem_Complete(system, &error);
  code = code ? code : VidaOptions_Create(method->info.name, &options, &error);
  if (!code) {
    VidaOptions_SetReal(options, "h", 0.1, &error);
    code = VidaStepper_Create(system, options, &stepper, &error);
  }
  for (int i = 0; i < 3 && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* ---- all inputs ------------------------------------------------------------------------------ */

static lua_State* open_generator(void) {
  lua_State* L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "vida", luaopen_vida, 0);
  lua_settop(L, 0);
  if (luaL_loadfile(L, VIDA_FUZZ_DIRECTORY "/generate.lua") != LUA_OK) {
    fail(lua_tostring(L, -1));
  }
  return L;
}

static void try_input(lua_State* L, const char* kind, uint64_t seed) {
  state = (seed + 1) * 0x9E3779B97F4A7C15u | 1;
  for (int i = 0; i < 4; i++) {
    draw(1);
  }
  if (strcmp(kind, "script") == 0) {
    try_script(L, seed);
  } else if (strcmp(kind, "arguments") == 0) {
    try_arguments(L, seed);
  } else if (strcmp(kind, "results") == 0) {
    try_results(seed);
  } else if (strcmp(kind, "record") == 0) {
    try_record();
  } else {
    fail("the kinds are script, arguments, results and record");
  }
}

/* The files of a fixed corpus. */
static int try_files(int count, char** paths) {
  for (int i = 0; i < count; i++) {
    size_t size = 0;
    char* text = read_file(paths[i], &size);
    if (size == 0) {
      fprintf(report, "cannot read %s\n", paths[i]);
      return 2;
    }
    write_file("script.lua", text, size);
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
    fail("cannot write the seed");
  }
}

int main(int count, char** arguments) {
  report = fdopen(dup(STDERR_FILENO), "w");
  if (!report || count < 3) {
    fail("usage: vida_fuzz KIND FIRST COUNT | file SCRIPT...");
  }
  setvbuf(report, NULL, _IONBF, 0);
  setenv("PATH", "", 1); /* no gnuplot */
  signal(SIGPROF, on_alarm);
  if (!freopen("/dev/null", "w", stdout) || !freopen("messages", "w", stderr)) {
    fail("no /dev/null");
  }
  if (strcmp(arguments[1], "file") == 0) {
    return try_files(count - 2, arguments + 2);
  }
  lua_State* L = open_generator();
  const uint64_t first = strtoull(arguments[2], NULL, 10);
  const uint64_t number = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
  if (strcmp(arguments[1], "script") != 0) {
    make_results();
  }
  const int note = open("seed", O_WRONLY | O_CREAT, 0666);
  for (uint64_t seed = first; seed < first + number; seed++) {
    note_seed(note, seed);
    rewind(stderr); /* the messages of the last input are enough */
    try_input(L, arguments[1], seed);
  }
  lua_close(L);
  return 0;
}
