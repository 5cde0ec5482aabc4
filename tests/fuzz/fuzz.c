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
#include <vida/method.h>
#include <vida/vida.h>

#include "base/record.h"
#include "binding.h"
#include "lua_memory.h"

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

/* ---- speed ----------------------------------------------------------------------------------- */

#if defined(VIDA_FUZZ_WRAPS)

/* Each script has a Lua state of its own, and in it the library of VIDA, whose files are compiled
 * once and then loaded as bytecode: the linker puts this in place of luaL_loadbufferx (--wrap). */
int __real_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode);
int __wrap_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode);

typedef struct compiled {
  const char* text; /* a constant of the library */
  char* code;
  size_t size, capacity;
} compiled;

static int add_code(lua_State* L, const void* part, size_t size, void* data) {
  compiled* to = data;
  (void)L;
  if (to->size + size > to->capacity) {
    to->capacity = 2 * (to->size + size);
    to->code = realloc(to->code, to->capacity);
    if (!to->code) {
      fail("out of memory");
    }
  }
  memcpy(to->code + to->size, part, size);
  to->size += size;
  return 0;
}

int __wrap_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode) {
  enum { MOST_FILES = 64, LARGE = 2000 };
  static compiled files[MOST_FILES];
  static int count;
  if (size < LARGE || !name ||
      strncmp(name, VIDALUA_LIBRARY_SOURCE, strlen(VIDALUA_LIBRARY_SOURCE)) != 0) {
    return __real_luaL_loadbufferx(L, text, size, name, mode);
  }
  for (int i = 0; i < count; i++) {
    if (files[i].text == text) {
      return __real_luaL_loadbufferx(L, files[i].code, files[i].size, name, "b");
    }
  }
  const int code = __real_luaL_loadbufferx(L, text, size, name, mode);
  if (code == LUA_OK && count < MOST_FILES) {
    files[count] = (compiled){.text = text};
    lua_dump(L, add_code, &files[count], 0);
    count++;
  }
  return code;
}

#endif

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

/* A file that is damaged, kept in memory. */
typedef struct kept_file {
  const char* path;
  char* text;
  size_t size;
} kept_file;

static char work_text[SIZE];

static char* read_file(const char* path, size_t* size) {
  char* text = malloc(SIZE);
  FILE* file = fopen(path, "rb");
  *size = text && file ? fread(text, 1, SIZE, file) : 0;
  if (file) {
    fclose(file);
  }
  return text;
}

static void keep(kept_file* file) {
  file->text = read_file(file->path, &file->size);
  if (file->size == 0) {
    fprintf(report, "%s is missing\n", file->path);
    exit(2);
  }
}

/* Writes a damaged copy of a file. */
static void write_damaged(const kept_file* file) {
  memcpy(work_text, file->text, file->size);
  write_file(file->path, work_text, damage(work_text, file->size));
}

static void restore(const kept_file* file) {
  write_file(file->path, file->text, file->size);
}

/* ---- results --------------------------------------------------------------------------------- */

static kept_file results[] = {{"results/report.json", NULL, 0},
                              {"results/comparison.csv", NULL, 0},
                              {"results/comparison.json", NULL, 0},
                              {"results/p-rattle-h_0.1.csv", NULL, 0}};

static void make_results(void) {
  write_file("script.lua", small_script, sizeof small_script - 1);
  CALL("run", "script.lua", "--out", "results", "--quiet");
  for (int i = 0; i < 4; i++) {
    keep(&results[i]);
  }
}

static void try_results(lua_State* L, uint64_t seed) {
  (void)L;
  const kept_file* file = &results[draw(4)];
  write_damaged(file);
  switch (seed % 4) {
    case 0:
      CALL("compare", "results", "results");
      break;
    case 1:
      CALL("plot", "results");
      break;
    case 2:
      CALL("compare", file->path, file->path);
      break;
    default:
      CALL("report", "results");
      break;
  }
  restore(file);
}

/* ---- trajectories in HDF5 -------------------------------------------------------------------- */

static kept_file joined = {"hdf5/trajectories.h5", NULL, 0};

static void make_hdf5(void) {
  write_file("script.lua", small_script, sizeof small_script - 1);
  CALL("run", "script.lua", "--out", "hdf5", "--format", "hdf5", "--quiet");
  keep(&joined);
}

static void try_hdf5(lua_State* L, uint64_t seed) {
  (void)L;
  write_damaged(&joined);
  switch (seed % 4) {
    case 0:
      CALL("compare", "hdf5/trajectories.h5", "hdf5/trajectories.h5");
      break;
    case 1:
      CALL("plot", "hdf5", "energy", "trajectory");
      break;
    case 2:
      CALL("compare", "hdf5/trajectories.h5:p-rattle-h_0.1", "hdf5/trajectories.h5:p-rattle-h_0.1");
      break;
    default:
      CALL("export", "hdf5", "--format", "numpy");
      break;
  }
  restore(&joined);
}

/* ---- unfinished studies ---------------------------------------------------------------------- */

/* The last run does not end: the others remain in the journal. */
static const char endless_script[] =
    "local vida = require 'vida'\n"
    "local s = vida.system { 'p', dimension = 2 }\n"
    "local a = s:particle { 'a', mass = 1, position = { 1, 0 } }\n"
    "s:distance { 'rod', s.ground, a, length = 1 }\n"
    "return vida.compare { system = s, time = 1, norm = 'end', reference = { 'rattle', h = 0.1 },\n"
    "  methods = { { 'rattle', h = { 0.1, 0.05 } }, { 'del-midpoint', h = { 0.1, 1e-7 } } } }\n";

static const char endless_sweep[] =
    "local vida = require 'vida'\n"
    "local s = vida.system { 'p', dimension = 2 }\n"
    "local a = s:particle { 'a', mass = 1, position = { 1, 0 } }\n"
    "s:distance { 'rod', s.ground, a, length = 1 }\n"
    "return vida.sweep { system = s, time = 1, stream = 'on', cloud = { count = 1100, spread = 0.1 "
    "},\n"
    "  methods = { { 'rattle', h = 0.1 }, { 'del-midpoint', h = 0.1 } } }\n";

static kept_file unfinished[] = {{"journal/study.journal", NULL, 0},
                                 {"journal/p-rattle-h_0.1.csv", NULL, 0},
                                 {"journal/p-rattle-h_0.05.csv", NULL, 0},
                                 {"journal/p-del-midpoint-h_0.1.csv", NULL, 0},
                                 {"journal/run-4.journal", NULL, 0},
                                 {"journal/p-del-midpoint-h_1e-07.incomplete.csv", NULL, 0}};
enum { UNFINISHED = sizeof unfinished / sizeof *unfinished };
static kept_file sweep = {"sweep/sweep.state", NULL, 0};

static void make_journal(void) {
  write_file("sweep.lua", endless_sweep, sizeof endless_sweep - 1);
  CALL("run", "sweep.lua", "--out", "sweep", "--quiet", "--set", "study_wall_limit=0.3");
  keep(&sweep);
  write_file("script.lua", endless_script, sizeof endless_script - 1);
  CALL("run", "script.lua", "--out", "journal", "--quiet", "--wall-limit", "0.2", "--set",
       "checkpoint=0.1");
  for (int i = 0; i < UNFINISHED; i++) {
    keep(&unfinished[i]);
  }
}

static int64_t integer_at(const char* bytes) {
  vida_record record = {.bytes = (unsigned char*)bytes, .size = 8};
  return vida__get_integer(&record);
}

static void put_integer_at(char* bytes, uint64_t value) {
  for (int i = 0; i < 8; i++) {
    bytes[i] = (char)(unsigned char)(value >> 8 * i);
  }
}

/* Damages a record of the journal in work_text, and corrects its length and its checksum, as
 * somebody would who means harm. Returns the new size. */
static size_t damage_record(size_t size) {
  enum { MAGIC = 13, FRAME = 24, MOST = 64 };
  static char payload[SIZE];
  size_t at[MOST];
  int count = 0;
  for (size_t next = MAGIC; next + FRAME <= size && count < MOST;) {
    at[count++] = next;
    next += FRAME + (size_t)integer_at(work_text + next + 8);
  }
  if (count == 0) {
    return size;
  }
  char* frame = work_text + at[draw((uint64_t)count)];
  const size_t length = (size_t)integer_at(frame + 8);
  const size_t after = size - (size_t)(frame - work_text) - FRAME - length;
  memcpy(payload, frame + FRAME, length);
  const size_t now = damage(payload, length);
  if (size - length + now > SIZE) {
    return size;
  }
  memmove(frame + FRAME + now, frame + FRAME + length, after);
  memcpy(frame + FRAME, payload, now);
  const unsigned char kind = (unsigned char)integer_at(frame);
  put_integer_at(frame + 8, now);
  put_integer_at(frame + 16,
                 vida__checksum(vida__checksum(VIDA_CHECKSUM_START, &kind, 1), payload, now));
  return size - length + now;
}

/* Damages the state of a run in work_text, and corrects its checksum. Returns the new size. */
static size_t damage_state(size_t size) {
  enum { MARK = 40, CHECK = 8 };
  if (size < MARK + CHECK) {
    return size;
  }
  const size_t now = MARK + damage(work_text + MARK, size - MARK - CHECK);
  put_integer_at(work_text + now, vida__checksum(VIDA_CHECKSUM_START, work_text, now));
  return now + CHECK;
}

static void try_journal(lua_State* L, uint64_t seed) {
  (void)L;
  if (seed % 8 == 0) {
    write_damaged(&sweep);
    CALL("run", "sweep.lua", "--out", "sweep", "--quiet", "--resume", "--set",
         "study_wall_limit=1e-9");
    return;
  }
  const kept_file* file = &unfinished[draw(3) ? 4 * draw(2) : draw(UNFINISHED)];
  memcpy(work_text, file->text, file->size);
  size_t size;
  if (file == unfinished && draw(2)) {
    size = damage_record(file->size);
  } else if (file == &unfinished[4] && draw(2)) {
    size = damage_state(file->size);
  } else {
    size = damage(work_text, file->size);
  }
  for (int i = 0; i < UNFINISHED; i++) {
    restore(&unfinished[i]);
  }
  write_file(file->path, work_text, size);
  CALL("run", "script.lua", "--out", "journal", "--resume", "--quiet", "--wall-limit", "0.002");
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* A system with checkpoints of all methods that move it. */
enum { MOST_CHECKPOINTS = 128 };
typedef struct checkpoint {
  const VidaSystem* system;
  unsigned char* bytes;
  size_t size;
} checkpoint;
static checkpoint checkpoints[MOST_CHECKPOINTS];
static int checkpoint_count;

static VidaSystem* make_system(bool is_constrained) {
  static const double down[] = {0.0, -9.81};
  VidaError error;
  VidaSystem* system = NULL;
  const VidaParticle bob = {"bob",
                            1.0,
                            {VidaInitial_Given(0.6), VidaInitial_Given(-0.8)},
                            {VidaInitial_Given(0.08), VidaInitial_Given(0.06)}};
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.0};
  int code = VidaSystem_Create("pendulum", 2, &system, &error);
  code = code ? code : VidaSystem_AddParticle(system, &bob, NULL, &error);
  code = code ? code : VidaSystem_AddGravity(system, down, &error);
  if (!code && is_constrained) {
    code = VidaSystem_AddDistance(system, &rod, &error);
  }
  code = code ? code : VidaSystem_Complete(system, &error);
  if (code) {
    fail(error.message);
  }
  return system;
}

static void add_checkpoint(const VidaSystem* system, const char* method, double rtol) {
  static const double q[] = {0.6, -0.8}, v[] = {0.08, 0.06};
  checkpoint* made = &checkpoints[checkpoint_count];
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  VidaError error;
  int code = VidaOptions_Create(method, &options, &error);
  code = code ? code : VidaOptions_SetReal(options, "h", 0.01, &error);
  if (!code && rtol > 0.0) {
    code = VidaOptions_SetReal(options, "rtol", rtol, &error);
  }
  code = code ? code : VidaStepper_Create(system, options, &stepper, &error);
  code = code ? code : VidaStepper_Start(stepper, 0.0, q, v, &error);
  for (int step = 0; step < 7 && !code; step++) {
    code = VidaStepper_Step(stepper, &error);
  }
  code = code ? code : VidaStepper_SaveBytes(stepper, &made->bytes, &made->size, &error);
  if (!code) {
    made->system = system;
    checkpoint_count++;
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
}

static void make_checkpoints(void) {
  for (int constrained = 0; constrained < 2; constrained++) {
    const VidaSystem* system = make_system(constrained);
    for (int i = 0; i < Vida_MethodCount() && checkpoint_count < MOST_CHECKPOINTS; i++) {
      const int before = checkpoint_count;
      add_checkpoint(system, Vida_MethodInfo(i)->name, 0.0);
      if (checkpoint_count == before) {
        add_checkpoint(system, Vida_MethodInfo(i)->name, 1e-5);
      }
    }
  }
  if (checkpoint_count < 20) {
    fail("too few checkpoints");
  }
}

/* Damages the numbers of a checkpoint in work_text, and corrects all checksums. Returns the new
 * size. */
static size_t damage_numbers(size_t size) {
  enum { HEADER = 32, BLOCK = 4096, CHECK = 8 };
  static char numbers[SIZE];
  size_t count = 0;
  for (size_t at = HEADER; at < size;) {
    const size_t length = size - at > BLOCK + CHECK ? BLOCK : size - at - CHECK;
    memcpy(numbers + count, work_text + at, length);
    count += length;
    at += length + CHECK;
  }
  if (draw(2)) { /* one of the 64-bit numbers */
    static const uint64_t odd[] = {0,
                                   1,
                                   UINT64_MAX,
                                   0x7ff0000000000000,
                                   0x7ff8000000000000,
                                   0x7fefffffffffffff,
                                   0x7fffffff,
                                   0x80000000,
                                   1000,
                                   7};
    const size_t at = draw(count / 8) * 8;
    put_integer_at(numbers + at, draw(2) ? odd[draw(sizeof odd / sizeof *odd)]
                                         : (uint64_t)integer_at(numbers + at) ^ 1ULL << draw(64));
  } else {
    count = damage(numbers, count);
  }
  put_integer_at(work_text + 16, count);
  put_integer_at(work_text + 24, vida__checksum(VIDA_CHECKSUM_START, work_text, 24));
  size_t to = HEADER;
  for (size_t from = 0, block = 0; from < count; block++) {
    const size_t length = count - from > BLOCK ? BLOCK : count - from;
    memcpy(work_text + to, numbers + from, length);
    put_integer_at(work_text + to + length,
                   vida__checksum(VIDA_CHECKSUM_START + block, numbers + from, length));
    to += length + CHECK;
    from += length;
  }
  return to;
}

static void try_checkpoint(lua_State* L, uint64_t seed) {
  (void)L, (void)seed;
  const checkpoint* chosen = &checkpoints[draw((uint64_t)checkpoint_count)];
  VidaStepper* stepper = NULL;
  VidaError error;
  double energy;
  memcpy(work_text, chosen->bytes, chosen->size);
  const size_t size = draw(4) ? damage_numbers(chosen->size) : damage(work_text, chosen->size);
  write_file("current", work_text, size);
  limit_time(SECONDS);
  int code = VidaStepper_LoadBytes(chosen->system, NULL, (const unsigned char*)work_text, size,
                                   &stepper, &error);
  for (int i = 0; i < 3 && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
  }
  if (!code) {
    VidaStepper_Energy(stepper, &energy, NULL, &error);
  }
  VidaStepper_Destroy(&stepper);
  limit_time(0);
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
static void try_record(lua_State* L, uint64_t seed) {
  static const char* const texts[] = {NULL,   "",  "rattle", "Ä", "a b", "x\n", "0",
                                      "free", "h", "auto|",  "|", "a|b", "\x1b"};
  (void)L, (void)seed;
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
    fail(lua_tostring(L, -1));
  }
  return L;
}

/* A kind of inputs: what is made once, and what is done with one input. */
typedef struct input_kind {
  const char* name;
  void (*prepare)(void); /* nullable */
  void (*attempt)(lua_State* L, uint64_t seed);
} input_kind;

static const input_kind kinds[] = {{"script", NULL, try_script},
                                   {"arguments", make_results, try_arguments},
                                   {"results", make_results, try_results},
                                   {"hdf5", make_hdf5, try_hdf5},
                                   {"journal", make_journal, try_journal},
                                   {"checkpoint", make_checkpoints, try_checkpoint},
                                   {"record", NULL, try_record}};

static const input_kind* find_kind(const char* name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      return &kinds[i];
    }
  }
  fail("the kinds are script, arguments, results, hdf5, journal, checkpoint and record");
  return NULL;
}

static void try_input(lua_State* L, const input_kind* kind, uint64_t seed) {
  state = (seed + 1) * 0x9E3779B97F4A7C15u | 1;
  for (int i = 0; i < 4; i++) {
    draw(1);
  }
  kind->attempt(L, seed);
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
  const input_kind* kind = find_kind(arguments[1]);
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
