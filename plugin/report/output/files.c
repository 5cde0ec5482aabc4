/* Results in a folder: files get their names when they are complete. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/results.h"

enum { PATH_SIZE = 4096 };

#define PARTIAL ".partial" /* of a file that is being written */

/* DIRECTORY/NAME in path. */
static int join(char path[PATH_SIZE], const char* directory, const char* name, VidaError* error) {
  const int length = snprintf(path, PATH_SIZE, "%s/%s", directory, name);
  if (length > 0 && length < PATH_SIZE) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%s' is too long", directory);
}

/* Creates one level of the path `directory`. */
static int make_level(const char* level, const char* directory, VidaError* error) {
  struct stat status;
  if (mkdir(level, 0777) == 0) {
    return VIDA_SUCCESS;
  }
  const int reason = errno;
  if (stat(level, &status) == 0 && S_ISDIR(status.st_mode)) {
    return VIDA_SUCCESS;
  }
  if (reason == EEXIST && strcmp(level, directory) != 0) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      "cannot create the folder '%s': '%s' is not a folder", directory, level);
  }
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot create the folder '%s': %s", directory,
                    reason == EEXIST ? "a file of this name exists" : strerror(reason));
}

int vida__make_directory(const char* directory, VidaError* error) {
  char path[PATH_SIZE];
  const size_t length = strlen(directory);
  if (length >= PATH_SIZE) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%.40s...' is too long",
                      directory);
  }
  memcpy(path, directory, length + 1);
  for (size_t i = 1; i < length; i++) {
    if (path[i] == '/' && path[i - 1] != '/') {
      path[i] = '\0';
      const int code = make_level(path, directory, error);
      path[i] = '/';
      if (code) {
        return code;
      }
    }
  }
  return make_level(path, directory, error);
}

int VidaReport_PrepareFolder(const char* directory, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory)) {
    return VIDA_BAD_ARGUMENT;
  }
  char path[PATH_SIZE];
  int code = vida__make_directory(directory, error);
  code = code ? code : join(path, directory, "comparison.csv.partial", error);
  if (code) {
    return code;
  }
  FILE* file = vida__create_stream(path);
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write into the folder '%s': %s", directory,
                      strerror(errno));
  }
  fclose(file);
  remove(path);
  vida__remove_pictures(directory);
  vida__remove_results(directory);
  vida__remove_run_states(directory);
  /* Files of an earlier run would not belong to the files that are written now. */
  static const char* const results[] = {
      "comparison.csv",      "comparison.json",    "study.txt",
      "report.json",         "report.html",        VIDA_JOURNAL_NAME,
      VIDA_PROGRESS_NAME,    VIDA_SWEEP_ROWS_NAME, VIDA_SWEEP_STATISTICS_NAME,
      VIDA_SWEEP_STATE_NAME, "events.csv"};
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
    code = join(path, directory, results[i], error);
    if (!code && remove(path) != 0 && errno != ENOENT) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot replace '%s': %s", path, strerror(errno));
    }
    if (code) {
      return code;
    }
    /* A file of a run that was killed. */
    vida__append(path, sizeof path, PARTIAL);
    remove(path);
  }
  return VIDA_SUCCESS;
}

static bool ends_in(const char* name, const char* ending) {
  const size_t length = strlen(name), size = strlen(ending);
  return length > size && strcmp(name + length - size, ending) == 0;
}

int VidaReport_CountPartial(const char* directory) {
  DIR* folder = directory ? opendir(directory) : NULL;
  int count = 0;
  for (const struct dirent* entry = folder ? readdir(folder) : NULL; entry;
       entry = readdir(folder)) {
    count += ends_in(entry->d_name, ".csv" PARTIAL) || ends_in(entry->d_name, ".h5" PARTIAL);
  }
  if (folder) {
    closedir(folder);
  }
  return count;
}

typedef int writer(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);

static int write_file(const char* path, writer* write, const VidaStudy* const* studies, int count,
                      VidaError* error) {
  FILE* file = vida__create_stream(path);
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  int code = write(studies, count, file, error);
  if (fclose(file) != 0 && !code) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  return code;
}

static int write_study(const VidaStudy* const* studies, int count, FILE* file, VidaError* error) {
  (void)count;
  return vida__write_facts(studies[0], file, error);
}

static int write_events(const VidaStudy* const* studies, int count, FILE* file, VidaError* error) {
  (void)count;
  return vida__write_events_csv(studies[0], file, error);
}

int VidaReport_Write(const VidaStudy* const* studies, int count, const char* directory,
                     VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory)) {
    return VIDA_BAD_ARGUMENT;
  }
  static const struct {
    const char *name, *partial;
    writer* write;
  } files[] = {{"comparison.csv", "comparison.csv.partial", VidaReport_Csv},
               {"comparison.json", "comparison.json.partial", VidaReport_Json},
               {"study.txt", "study.txt.partial", write_study},
               {"events.csv", "events.csv.partial", write_events}};
  enum { FILES = sizeof files / sizeof files[0] };
  char partial[FILES][PATH_SIZE], path[PATH_SIZE];
  int code = VIDA_SUCCESS;
  int written = 0;
  /* The last two speak of one comparison. */
  const int wanted = count != 1                                ? FILES - 2
                     : studies && vida__has_events(studies[0]) ? FILES
                                                               : FILES - 1;
  for (; written < wanted && !code; written++) {
    code = join(partial[written], directory, files[written].partial, error);
    code = code ? code : write_file(partial[written], files[written].write, studies, count, error);
  }
  for (int i = 0; i < wanted && !code; i++) {
    code = join(path, directory, files[i].name, error);
    if (!code && rename(partial[i], path) != 0) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
    }
  }
  for (int i = 0; i < written && code; i++) {
    remove(partial[i]);
  }
  return code;
}
