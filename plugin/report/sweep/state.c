/* The state of sweeps in a file: whose they are, and their totals up to a chunk. The rows of this
 * chunk are in rows.csv before the state is written, and what follows them is cut off. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vida/version.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/sweep/distribution.h"
#include "report/sweep/files.h"

enum { FORMAT = 5, PATH_SIZE = 4096 };
#define MAGIC "VIDA sweep"

static int name_file(const char* directory, char path[PATH_SIZE], VidaError* error) {
  const int length = snprintf(path, PATH_SIZE, "%s/" VIDA_SWEEP_STATE_NAME, directory);
  return length > 0 && length < PATH_SIZE
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%.40s...' is too long",
                          directory);
}

bool vida__has_sweep_state(const char* directory) {
  char path[PATH_SIZE];
  return directory && !name_file(directory, path, NULL) && access(path, F_OK) == 0;
}

void VidaSweep_RemoveState(const char* directory) {
  char path[PATH_SIZE];
  if (directory && !name_file(directory, path, NULL)) {
    remove(path);
  }
}

/* ---- whose they are -------------------------------------------------------------------------- */

void vida__put_identity(const VidaStudy* study, const vida_fingerprint* print,
                        vida_record* record) {
  vida__put_integer(record, FORMAT);
  vida__put_text(record, Vida_Version());
  vida__put_text(record, Vida_SundialsVersion());
  vida__put_integer(record, (int64_t)print->system);
  vida__put_integer(record, (int64_t)print->options);
  vida__put_integer(record, (int64_t)print->reference);
  vida__put_integer(record, (int64_t)print->runs);
  vida__put_choices(study, record);
}

static int fail_as_changed(const char* whose, const char* what, const char* other, const char* own,
                           VidaError* error) {
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "CHANGED", "%s another %s%s%s%s%s", whose, what,
                         other ? ", " : "", other ? other : "", other ? " instead of " : "",
                         other ? own : "");
}

int vida__compare_identity(const VidaStudy* study, const vida_fingerprint* print,
                           vida_record* record, const char* whose, VidaError* error) {
  char version[VIDA_NAME_SIZE], sundials[VIDA_NAME_SIZE];
  static const char* const parts[] = {"system", "set of options", "reference",
                                      "list of methods or starts"};
  const uint64_t now[] = {print->system, print->options, print->reference, print->runs};
  const int64_t format = vida__get_integer(record);
  vida__get_text(record, version, sizeof version);
  vida__get_text(record, sundials, sizeof sundials);
  if (record->too_short || format != FORMAT || strcmp(version, Vida_Version()) != 0) {
    return fail_as_changed(whose, "version of VIDA", version, Vida_Version(), error);
  }
  if (strcmp(sundials, Vida_SundialsVersion()) != 0) {
    return fail_as_changed(whose, "version of SUNDIALS", sundials, Vida_SundialsVersion(), error);
  }
  const char* changed = NULL;
  for (size_t i = 0; i < sizeof now / sizeof now[0]; i++) {
    const uint64_t then = (uint64_t)vida__get_integer(record);
    changed = !changed && then != now[i] ? parts[i] : changed;
  }
  vida_changed_choice choice;
  const bool is_found = vida__find_changed_choice(study, record, &choice);
  if (changed && changed != parts[0] && is_found) {
    char what[VIDA_NAME_SIZE + 16] = "";
    vida__append(what, sizeof what, "value of %s", choice.what);
    return fail_as_changed(whose, what, choice.then, choice.now, error);
  }
  if (changed) {
    return fail_as_changed(whose, changed, NULL, NULL, error);
  }
  return record->too_short ? fail_as_changed(whose, "format", NULL, NULL, error) : VIDA_SUCCESS;
}

int vida__create_sweep_state(const VidaSweepScope* scope, vida_sweep_state* state,
                             VidaError* error) {
  *state = (vida_sweep_state){.scope = scope,
                              .prints = vida__allocate((size_t)scope->count, sizeof *state->prints),
                              .bytes = vida__allocate((size_t)scope->count, sizeof *state->bytes),
                              .sums = vida__allocate((size_t)scope->count, sizeof *state->sums)};
  int code = state->prints && state->bytes && state->sums ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int i = 0; i < scope->count && !code; i++) {
    if (scope->studies[i]->sweep) {
      code = vida__fingerprint_methods(scope->studies[i], &state->prints[i], error);
    }
  }
  const bool is_alone = !scope->ranks || scope->ranks->count < 2;
  code = code || is_alone ? code : vida__survey_together(scope, state->prints, error);
  for (int i = 0; i < scope->count && !code; i++) {
    if (scope->studies[i]->sweep) {
      code = is_alone ? vida__survey_starts(scope->studies[i], error) : VIDA_SUCCESS;
      vida__include_starts(scope->studies[i], &state->prints[i]);
    }
  }
  return code;
}

void vida__free_sweep_state(vida_sweep_state* state) {
  free(state->prints);
  free(state->bytes);
  free(state->sums);
  *state = (vida_sweep_state){0};
}

/* ---- the file -------------------------------------------------------------------------------- */

int vida__write_sweep_state(const vida_sweep_state* state, VidaError* error) {
  const VidaSweepScope* scope = state->scope;
  vida_record record = {0};
  char path[PATH_SIZE];
  int64_t made = 0;
  int code = name_file(scope->directory, path, error);
  vida__put_text(&record, MAGIC);
  vida__put_integer(&record, scope->count);
  for (int i = 0; i < scope->count; i++) {
    vida__put_integer(&record, scope->studies[i]->sweep != NULL);
    if (scope->studies[i]->sweep) {
      vida__put_identity(scope->studies[i], &state->prints[i], &record);
      vida__put_integer(&record, state->bytes[i]);
      vida__put_integer(&record, (int64_t)state->sums[i]);
      vida__put_sweep(scope->studies[i], &record);
      made += scope->studies[i]->sweep->made;
    }
  }
  vida__put_integer(&record, made); /* at a place that does not depend on what is before */
  vida__put_integer(&record,
                    (int64_t)vida__checksum(VIDA_CHECKSUM_START, record.bytes, record.size));
  code = code               ? code
         : record.no_memory ? vida__fail_memory(error)
                            : vida__replace_file(path, record.bytes, record.size, error);
  vida__free_record(&record);
  return code;
}

static int fail_as_damaged(const char* path, VidaError* error) {
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "DAMAGED",
                         "'%s' is damaged: the sweep cannot go on; --overwrite (in Lua "
                         "overwrite = true) begins anew",
                         path);
}

static int read_sweeps(vida_sweep_state* state, const char* path, vida_record* record,
                       VidaError* error) {
  char magic[sizeof MAGIC] = "", whose[PATH_SIZE + 64];
  const VidaSweepScope* scope = state->scope;
  int code = VIDA_SUCCESS;
  snprintf(whose, sizeof whose, "the unfinished sweep in '%s' cannot go on: it belongs to",
           scope->directory);
  vida__get_text(record, magic, sizeof magic);
  if (strcmp(magic, MAGIC) != 0) {
    return fail_as_damaged(path, error);
  }
  if (vida__get_integer(record) != scope->count) {
    return fail_as_changed(whose, "number of comparisons", NULL, NULL, error);
  }
  for (int i = 0; i < scope->count && !code; i++) {
    const bool is_sweep = vida__get_integer(record) != 0;
    if (is_sweep != (scope->studies[i]->sweep != NULL)) {
      return fail_as_changed(whose, "kind of comparison", NULL, NULL, error);
    }
    if (is_sweep) {
      code = vida__compare_identity(scope->studies[i], &state->prints[i], record, whose, error);
      state->bytes[i] = vida__get_integer(record);
      state->sums[i] = (uint64_t)vida__get_integer(record);
      if (!code) {
        vida__get_sweep(scope->studies[i], record);
      }
    }
  }
  vida__get_integer(record); /* the starts of all sweeps */
  vida__get_integer(record); /* the checksum */
  return code                    ? code
         : record->no_memory     ? vida__fail_memory(error)
         : vida__is_read(record) ? VIDA_SUCCESS
                                 : fail_as_damaged(path, error);
}

/* Reads the file into a record, which the caller frees, and compares the checksum. */
static int read_record(const char* directory, char path[PATH_SIZE], vida_record* record,
                       VidaError* error) {
  vida_record end = {0};
  int code = name_file(directory, path, error);
  code = code ? code : vida__read_file(path, &record->bytes, &record->size, error);
  record->capacity = record->size;
  if (code) {
    return code;
  }
  if (record->size < sizeof(int64_t)) {
    return fail_as_damaged(path, error);
  }
  const size_t size = record->size - sizeof(int64_t);
  vida__put_bytes(&end, record->bytes + size, sizeof(int64_t));
  const uint64_t then = (uint64_t)vida__get_integer(&end);
  const bool fits = then == vida__checksum(VIDA_CHECKSUM_START, record->bytes, size);
  vida__free_record(&end);
  return fits ? VIDA_SUCCESS : fail_as_damaged(path, error);
}

int vida__read_sweep_state(vida_sweep_state* state, VidaError* error) {
  vida_record record = {0};
  char path[PATH_SIZE];
  int code = read_record(state->scope->directory, path, &record, error);
  code = code ? code : read_sweeps(state, path, &record, error);
  vida__free_record(&record);
  return code;
}

long VidaSweep_StoredStarts(const char* directory) {
  enum { END = 2 * sizeof(int64_t) }; /* their number and the checksum */
  vida_record record = {0};
  char path[PATH_SIZE];
  long made = -1;
  if (!vida__has_sweep_state(directory)) {
    return 0;
  }
  if (!read_record(directory, path, &record, NULL) && record.size >= END) {
    record.at = record.size - END;
    const int64_t stored = vida__get_integer(&record);
    made = stored >= 0 ? (long)stored : -1;
  }
  vida__free_record(&record);
  return made;
}
