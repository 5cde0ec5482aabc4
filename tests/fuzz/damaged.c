/* Inputs that are damaged files. */
#include <stdlib.h>
#include <string.h>
#include <vida/method.h>
#include <vida/vida.h>

#include "base/record.h"
#include "fuzz.h"
#include "support/bob.h"

/* Changes some bytes, removes a part or repeats one. Returns the new size, at most FUZZ_SIZE. */
static size_t damage(char* text, size_t size) {
  static const char* const parts[] = {
      "\"",   "{",       "}",         "[",       "]",
      ",",    "\n",      "1e999",     "-1",      "nan",
      "null", "\\u0000", "</script>", "\x1b[2J", "99999999999999999999",
      "\xff", "'",       "`id`",      "../../x"};
  for (uint64_t changes = fuzz_draw(4) + 1; changes > 0 && size > 0; changes--) {
    const size_t at = fuzz_draw(size),
                 length = fuzz_draw(fuzz_draw(8) ? 20 : size) % (size - at + 1);
    const char* part = parts[fuzz_draw(sizeof parts / sizeof *parts)];
    switch (fuzz_draw(5)) {
      case 0:
        text[at] = (char)fuzz_draw(256);
        break;
      case 1:
        memmove(text + at, text + at + length, size - at - length);
        size -= length;
        break;
      case 2:
        if (size + length <= FUZZ_SIZE) {
          memmove(text + at + length, text + at, size - at);
          size += length;
        }
        break;
      case 3:
        size = fuzz_draw(6) ? size : at;
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

static char work_text[FUZZ_SIZE];

static void keep(kept_file* file) {
  file->text = fuzz_read_file(file->path, &file->size);
  if (file->size == 0) {
    fprintf(fuzz_report, "%s is missing\n", file->path);
    exit(2);
  }
}

/* Writes a damaged copy of a file. */
static void write_damaged(const kept_file* file) {
  memcpy(work_text, file->text, file->size);
  fuzz_write_file(file->path, work_text, damage(work_text, file->size));
}

static void restore(const kept_file* file) {
  fuzz_write_file(file->path, file->text, file->size);
}

/* ---- results --------------------------------------------------------------------------------- */

static kept_file results[] = {{"results/report.json", NULL, 0},
                              {"results/comparison.csv", NULL, 0},
                              {"results/comparison.json", NULL, 0},
                              {"results/p-rattle-h_0.1.csv", NULL, 0}};

static void make_results(void) {
  fuzz_write_file("script.lua", fuzz_script, strlen(fuzz_script));
  FUZZ_CALL("run", "script.lua", "--out", "results", "--quiet");
  for (int i = 0; i < 4; i++) {
    keep(&results[i]);
  }
}

static void try_results(lua_State* L, uint64_t seed) {
  (void)L;
  const kept_file* file = &results[fuzz_draw(4)];
  write_damaged(file);
  switch (seed % 4) {
    case 0:
      FUZZ_CALL("compare", "results", "results");
      break;
    case 1:
      FUZZ_CALL("plot", "results");
      break;
    case 2:
      FUZZ_CALL("compare", file->path, file->path);
      break;
    default:
      FUZZ_CALL("report", "results");
      break;
  }
  restore(file);
}

/* ---- trajectories in HDF5 -------------------------------------------------------------------- */

static kept_file joined = {"hdf5/trajectories.h5", NULL, 0};

static void make_hdf5(void) {
  fuzz_write_file("script.lua", fuzz_script, strlen(fuzz_script));
  FUZZ_CALL("run", "script.lua", "--out", "hdf5", "--format", "hdf5", "--quiet");
  keep(&joined);
}

static void try_hdf5(lua_State* L, uint64_t seed) {
  (void)L;
  write_damaged(&joined);
  switch (seed % 4) {
    case 0:
      FUZZ_CALL("compare", "hdf5/trajectories.h5", "hdf5/trajectories.h5");
      break;
    case 1:
      FUZZ_CALL("plot", "hdf5", "energy", "trajectory");
      break;
    case 2:
      FUZZ_CALL("compare", "hdf5/trajectories.h5:p-rattle-h_0.1",
                "hdf5/trajectories.h5:p-rattle-h_0.1");
      break;
    default:
      FUZZ_CALL("export", "hdf5", "--format", "numpy");
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
    "return vida.sweep { system = s, time = 1, stream = 'on', cloud = { count = 20000, spread = "
    "0.1 "
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
  fuzz_write_file("sweep.lua", endless_sweep, sizeof endless_sweep - 1);
  FUZZ_CALL("run", "sweep.lua", "--out", "sweep", "--overwrite", "--quiet", "--set",
            "study_wall_limit=0.3");
  keep(&sweep);
  fuzz_write_file("script.lua", endless_script, sizeof endless_script - 1);
  FUZZ_CALL("run", "script.lua", "--out", "journal", "--overwrite", "--quiet", "--wall-limit",
            "0.2", "--set", "checkpoint=0.1");
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
  static char payload[FUZZ_SIZE];
  size_t at[MOST];
  int count = 0;
  for (size_t next = MAGIC; next + FRAME <= size && count < MOST;) {
    at[count++] = next;
    next += FRAME + (size_t)integer_at(work_text + next + 8);
  }
  if (count == 0) {
    return size;
  }
  char* frame = work_text + at[fuzz_draw((uint64_t)count)];
  const size_t length = (size_t)integer_at(frame + 8);
  const size_t after = size - (size_t)(frame - work_text) - FRAME - length;
  memcpy(payload, frame + FRAME, length);
  const size_t now = damage(payload, length);
  if (size - length + now > FUZZ_SIZE) {
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
    FUZZ_CALL("run", "sweep.lua", "--out", "sweep", "--quiet", "--resume", "--set",
              "study_wall_limit=1e-9");
    return;
  }
  const kept_file* file = &unfinished[fuzz_draw(3) ? 4 * fuzz_draw(2) : fuzz_draw(UNFINISHED)];
  memcpy(work_text, file->text, file->size);
  size_t size;
  if (file == unfinished && fuzz_draw(2)) {
    size = damage_record(file->size);
  } else if (file == &unfinished[4] && fuzz_draw(2)) {
    size = damage_state(file->size);
  } else {
    size = damage(work_text, file->size);
  }
  for (int i = 0; i < UNFINISHED; i++) {
    restore(&unfinished[i]);
  }
  fuzz_write_file(file->path, work_text, size);
  FUZZ_CALL("run", "script.lua", "--out", "journal", "--resume", "--quiet", "--wall-limit",
            "0.002");
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
  VidaError error;
  VidaSystem* system = NULL;
  int code = bob_system(0.08, 0.06, 9.81, is_constrained, &system, &error);
  code = code ? code : VidaSystem_Complete(system, &error);
  if (code) {
    fuzz_fail(error.message);
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
    fuzz_fail("too few checkpoints");
  }
}

/* Damages the numbers of a checkpoint in work_text, and corrects all checksums. Returns the new
 * size. */
static size_t damage_numbers(size_t size) {
  enum { HEADER = 32, BLOCK = 4096, CHECK = 8 };
  static char numbers[FUZZ_SIZE];
  size_t count = 0;
  for (size_t at = HEADER; at < size;) {
    const size_t length = size - at > BLOCK + CHECK ? BLOCK : size - at - CHECK;
    memcpy(numbers + count, work_text + at, length);
    count += length;
    at += length + CHECK;
  }
  if (fuzz_draw(2)) { /* one of the 64-bit numbers */
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
    const size_t at = fuzz_draw(count / 8) * 8;
    put_integer_at(numbers + at, fuzz_draw(2)
                                     ? odd[fuzz_draw(sizeof odd / sizeof *odd)]
                                     : (uint64_t)integer_at(numbers + at) ^ 1ULL << fuzz_draw(64));
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
  const checkpoint* chosen = &checkpoints[fuzz_draw((uint64_t)checkpoint_count)];
  VidaStepper* stepper = NULL;
  VidaError error;
  double energy;
  memcpy(work_text, chosen->bytes, chosen->size);
  const size_t size = fuzz_draw(4) ? damage_numbers(chosen->size) : damage(work_text, chosen->size);
  fuzz_write_file("current", work_text, size);
  fuzz_limit_time(FUZZ_SECONDS);
  int code = VidaStepper_LoadBytes(chosen->system, NULL, (const unsigned char*)work_text, size,
                                   &stepper, &error);
  for (int i = 0; i < 3 && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
  }
  if (!code) {
    VidaStepper_Energy(stepper, &energy, NULL, &error);
  }
  VidaStepper_Destroy(&stepper);
  fuzz_limit_time(0);
}

const fuzz_kind fuzz_results = {"results", make_results, try_results};
const fuzz_kind fuzz_hdf5 = {"hdf5", make_hdf5, try_hdf5};
const fuzz_kind fuzz_journal = {"journal", make_journal, try_journal};
const fuzz_kind fuzz_checkpoint = {"checkpoint", make_checkpoints, try_checkpoint};
