/* The states of runs in progress, each in a file of its own that is replaced at once. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report/output/output.h"

#define PREFIX "run-"
#define ENDING ".journal"
#define MARK "VIDA run state"
enum { FORMAT = 1, PATH_SIZE = 4096, CHECK = 8 };

static bool make_path(char path[PATH_SIZE], const char* directory, int run) {
  const int length = snprintf(path, PATH_SIZE, "%s/" PREFIX "%d" ENDING, directory, run + 1);
  return length > 0 && length < PATH_SIZE;
}

int vida__write_run_state(const char* directory, int run, const vida_record* state,
                          VidaError* error) {
  char path[PATH_SIZE];
  vida_record file = {0};
  if (!make_path(path, directory, run)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%.40s...' is too long",
                      directory);
  }
  vida__put_text(&file, MARK);
  vida__put_integer(&file, FORMAT);
  vida__put_bytes(&file, state->bytes, state->size);
  vida__put_integer(&file, (int64_t)vida__checksum(VIDA_CHECKSUM_START, file.bytes, file.size));
  const int code = file.no_memory || state->no_memory
                       ? vida__fail_memory(error)
                       : vida__replace_file(path, file.bytes, file.size, error);
  vida__free_record(&file);
  return code;
}

bool vida__read_run_state(const char* directory, int run, vida_record* state) {
  char path[PATH_SIZE], mark[sizeof MARK] = "";
  unsigned char* bytes = NULL;
  size_t size = 0;
  VidaError ignored;
  if (!make_path(path, directory, run) || vida__read_file(path, &bytes, &size, &ignored)) {
    return false;
  }
  vida_record file = {.bytes = bytes, .size = size};
  vida_record sum = {.bytes = bytes, .size = size, .at = size > CHECK ? size - CHECK : size};
  const uint64_t there = (uint64_t)vida__get_integer(&sum);
  vida__get_text(&file, mark, sizeof mark);
  const bool good = !sum.too_short && strcmp(mark, MARK) == 0 &&
                    vida__get_integer(&file) == FORMAT && !file.too_short &&
                    file.at <= size - CHECK &&
                    vida__checksum(VIDA_CHECKSUM_START, bytes, size - CHECK) == there;
  if (good) {
    vida__put_bytes(state, bytes + file.at, size - CHECK - file.at);
  }
  free(bytes);
  return good && !state->no_memory;
}

void vida__remove_run_state(const char* directory, int run) {
  char path[PATH_SIZE];
  if (make_path(path, directory, run)) {
    remove(path);
  }
}

/* Whether a file has the name of a state; *is_partial: of one that was being written. */
static bool is_state(const char* name, bool* is_partial) {
  const size_t prefix = strlen(PREFIX);
  const size_t digits =
      strncmp(name, PREFIX, prefix) == 0 ? strspn(name + prefix, "0123456789") : 0;
  const char* ending = digits > 0 ? name + prefix + digits : "";
  *is_partial = strcmp(ending, ENDING ".partial") == 0;
  return *is_partial || strcmp(ending, ENDING) == 0;
}

/* Counts the states in a folder, and removes them if `is_end`; -1: there is no such folder. */
static int visit_states(const char* directory, bool is_end) {
  DIR* folder = opendir(directory);
  int count = folder ? 0 : -1;
  for (const struct dirent* entry = folder ? readdir(folder) : NULL; entry;
       entry = readdir(folder)) {
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    bool is_partial;
    if (is_state(entry->d_name, &is_partial) && length > 0 && length < PATH_SIZE) {
      count += !is_partial;
      if (is_end) {
        remove(path);
      }
    }
  }
  if (folder) {
    closedir(folder);
  }
  return count;
}

int vida__count_run_states(const char* directory) {
  int count = visit_states(directory, false), more = count;
  for (int i = 1; more >= 0; i++) {
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%d", directory, i);
    more = length > 0 && length < PATH_SIZE ? visit_states(path, false) : -1;
    count += more > 0 ? more : 0;
  }
  return count > 0 ? count : 0;
}

void vida__remove_run_states(const char* directory) {
  visit_states(directory, true);
}
