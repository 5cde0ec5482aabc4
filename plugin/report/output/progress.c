/* The progress of a study in a file, for another process that watches it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/output/output.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 512 };

static int name_file(const char* directory, const char* ending, char path[PATH_SIZE],
                     VidaError* error) {
  const int length = snprintf(path, PATH_SIZE, "%s/" VIDA_PROGRESS_NAME "%s", directory, ending);
  return length > 0 && length < PATH_SIZE
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_INPUT_OUTPUT, "the name of the folder '%.40s...' is too long",
                          directory);
}

/* A number that is not known is an empty text. */
static void write_real(FILE* file, const char* name, double value) {
  char text[VIDA_REAL_TEXT_SIZE];
  fprintf(file, "%s: %s\n", name, isfinite(value) ? vida__real_text(text, value, 6) : "");
}

int VidaReport_WriteProgress(const char* directory, const VidaProgress* progress,
                             VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory, progress)) {
    return VIDA_BAD_ARGUMENT;
  }
  char path[PATH_SIZE], partial[PATH_SIZE];
  int code = name_file(directory, "", path, error);
  code = code ? code : name_file(directory, ".partial", partial, error);
  FILE* file = code ? NULL : vida__create_stream(partial);
  if (!file) {
    return code ? code
                : vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", partial,
                             strerror(errno));
  }
  fprintf(file, "process: %ld\nstudy: %d\nstudies: %d\nruns: %d\nfinished: %d\nwhat: %.*s\n",
          (long)getpid(), progress->study, progress->studies, progress->runs, progress->finished,
          (int)strcspn(progress->what, "\r\n"), progress->what);
  write_real(file, "fraction", progress->fraction);
  write_real(file, "elapsed", progress->elapsed);
  write_real(file, "left", progress->left);
  write_real(file, "rate", progress->rate);
  fprintf(file, "written: %lld\n", (long long)time(NULL));
  code = vida__finish_output(file, partial, error);
  fclose(file);
  if (!code && rename(partial, path) != 0) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  if (code) {
    remove(partial);
  }
  return code;
}

void VidaReport_RemoveProgress(const char* directory) {
  char path[PATH_SIZE];
  if (directory && !name_file(directory, "", path, NULL)) {
    remove(path);
  }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a number from 0 to `most`; 0 if it is none. */
static bool read_whole(const char* text, long long most, long long* number) {
  char* end = NULL;
  errno = 0;
  *number = strtoll(text, &end, 10);
  const bool good = end != text && *end == '\0' && errno == 0 && *number >= 0 && *number <= most;
  *number = good ? *number : 0;
  return good;
}

/* Takes a line "name: value". Returns whether it is one that is known, with a value that fits. */
static bool take_line(char* line, VidaProgress* progress, long long* written) {
  const struct {
    const char* name;
    int* whole;
    double* real;
  } rows[] = {{"study", &progress->study, NULL},       {"studies", &progress->studies, NULL},
              {"runs", &progress->runs, NULL},         {"finished", &progress->finished, NULL},
              {"fraction", NULL, &progress->fraction}, {"elapsed", NULL, &progress->elapsed},
              {"left", NULL, &progress->left},         {"rate", NULL, &progress->rate}};
  char* value = strstr(line, ": ");
  long long number = 0;
  if (!value) {
    return false;
  }
  *value = '\0';
  value += 2;
  value[strcspn(value, "\r\n")] = '\0';
  if (strcmp(line, "what") == 0) {
    progress->what[0] = '\0';
    vida__append(progress->what, sizeof progress->what, "%s", value);
    return !vida__find_control(value, NULL);
  }
  if (strcmp(line, "process") == 0) {
    return read_whole(value, LONG_MAX, &number) && (progress->process = (long)number) > 0;
  }
  if (strcmp(line, "written") == 0) {
    return read_whole(value, LLONG_MAX, written);
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(line, rows[i].name) == 0 && rows[i].whole) {
      const bool good = read_whole(value, INT_MAX, &number);
      *rows[i].whole = (int)number;
      return good;
    }
    if (strcmp(line, rows[i].name) == 0) {
      *rows[i].real = NAN;
      return value[0] == '\0' || vida__read_real(value, rows[i].real);
    }
  }
  return false;
}

int VidaReport_ReadProgress(const char* directory, VidaProgress* progress, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory, progress)) {
    return VIDA_BAD_ARGUMENT;
  }
  char path[PATH_SIZE], line[LINE_SIZE];
  long long written = 0;
  *progress = (VidaProgress){.fraction = NAN, .elapsed = NAN, .left = NAN, .rate = NAN, .age = NAN};
  const int code = name_file(directory, "", path, error);
  FILE* file = code ? NULL : fopen(path, "r");
  if (!file) {
    return code ? code
                : vida__fail_flag(error, VIDA_INPUT_OUTPUT, "NOT_RUNNING",
                                  "no study is running in '%s'", directory);
  }
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    good = take_line(line, progress, &written);
  }
  good = good && !ferror(file);
  fclose(file);
  progress->age = (double)time(NULL) - (double)written;
  return good ? VIDA_SUCCESS
              : vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is not a record of progress", path);
}
