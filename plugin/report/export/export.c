/* Exports trajectories of the results in a folder, CSV or HDF5, to formats of other programs. */
#include <errno.h>
#include <string.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/text.h"
#include "report/export/formats.h"

FILE* vida__open_export(char path[VIDA_PATH_SIZE], const char* folder, const char* name,
                        VidaError* error) {
  path[0] = '\0';
  vida__append(path, VIDA_PATH_SIZE, "%s/%s", folder, name);
  FILE* file = fopen(path, "wb");
  if (!file) {
    vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  return file;
}

int vida__close_export(FILE* file, const char* path, VidaError* error) {
  int code = vida__finish_output(file, path, error);
  if (fclose(file) != 0 && !code) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
  }
  return code;
}

/* "trajectories.h5:NAME", "NAME.csv", "NAME.incomplete.csv" or "NAME.h5". */
static void name_of_run(const char* file, char name[VIDA_FILE_NAME_SIZE]) {
  static const char* const endings[] = {".incomplete.csv", ".csv", VIDA_HDF5_ENDING};
  const char* colon = strchr(file, ':');
  name[0] = '\0';
  vida__append(name, VIDA_FILE_NAME_SIZE, "%s", colon ? colon + 1 : file);
  const size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !colon; i++) {
    const size_t size = strlen(endings[i]);
    if (length > size && strcmp(name + length - size, endings[i]) == 0) {
      name[length - size] = '\0';
      return;
    }
  }
}

static int export_run(const vida_results* results, int run, bool vtk, const char* folder,
                      VidaError* error) {
  char name[VIDA_FILE_NAME_SIZE];
  vida_trajectory trajectory;
  name_of_run(results->runs[run].file, name);
  int code = vida__read_trajectory(results, run, &trajectory, error);
  if (!code) {
    code = vtk ? vida__export_vtk(&trajectory.table, folder, name, error)
               : vida__export_npy(&trajectory.table, folder, name, error);
  }
  vida__free_trajectory(&trajectory);
  return code;
}

static int export_runs(const vida_results* results, const VidaExport* wishes, int* written,
                       VidaError* error) {
  const bool vtk = strcmp(wishes->format, "vtk") == 0;
  char folder[VIDA_PATH_SIZE] = "";
  if (wishes->folder) {
    vida__append(folder, sizeof folder, "%s", wishes->folder);
  } else {
    vida__append(folder, sizeof folder, "%s/%s", results->directory, wishes->format);
  }
  if (wishes->run > results->count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "'%s' has %d runs, none of number %d",
                      results->directory, results->count, wishes->run);
  }
  int code = VIDA_SUCCESS;
  for (int run = 0; run < results->count && !code; run++) {
    if ((wishes->run > 0 && run != wishes->run - 1) || !results->runs[run].file[0]) {
      continue;
    }
    code = *written == 0 ? vida__make_directory(folder, error) : VIDA_SUCCESS;
    code = code ? code : export_run(results, run, vtk, folder, error);
    *written += !code;
  }
  if (!code && *written == 0) {
    code = vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_DATA",
                           "'%s' has no trajectory of %s; sweeps write them with --trajectories",
                           results->directory, wishes->run > 0 ? "this run" : "any run");
  }
  return code;
}

int VidaReport_Export(const char* directory, const VidaExport* wishes, int* written,
                      VidaError* error) {
  if (VIDA_REFUSE_NULL(error, directory, wishes, written)) {
    return VIDA_BAD_ARGUMENT;
  }
  *written = 0;
  if (!wishes->format ||
      (strcmp(wishes->format, "numpy") != 0 && strcmp(wishes->format, "vtk") != 0)) {
    return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown format '%s': expected numpy or vtk",
                      wishes->format ? wishes->format : "");
  }
  vida_results results;
  int code = vida__read_results(directory, wishes->study, &results, error);
  code = code ? code : export_runs(&results, wishes, written, error);
  vida__free_results(&results);
  return code;
}
