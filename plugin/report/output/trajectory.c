/* Trajectories: one CSV file for each run. Its name ends in .csv only if the run has reached its
 * end; during the run, and after a failure, it has another name. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"
#include "study/study.h"
#include "system/model/model.h"

typedef char file_name[VIDA_FILE_NAME_SIZE];

struct VidaTrajectories {
  const VidaSystem* system;
  bool has_shadow; /* columns of shadow energies */
  char* directory;
  int runs;
  file_name* names; /* runs, without endings */
  struct {
    FILE* file;                          /* NULL: it is not being written */
    long rows;                           /* written so far */
  } * open;                              /* runs */
  char *partial, *complete, *incomplete; /* paths, room for the longest name */
  size_t path_size;
};

/* ---- names and paths ------------------------------------------------------------------------ */

static const VidaRow* row_of_study(const void* study, int run) {
  return VidaStudy_Row(study, run);
}

static void set_paths(VidaTrajectories* trajectories, int run) {
  const size_t size = trajectories->path_size;
  const struct {
    char* path;
    const char* ending;
  } paths[] = {{trajectories->partial, ".csv.partial"},
               {trajectories->complete, ".csv"},
               {trajectories->incomplete, ".incomplete.csv"}};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    paths[i].path[0] = '\0';
    vida__append(paths[i].path, size, "%s/%s%s", trajectories->directory, trajectories->names[run],
                 paths[i].ending);
  }
}

static int allocate(VidaTrajectories* trajectories, const VidaStudy* study, const char* directory,
                    VidaError* error) {
  trajectories->system = VidaStudy_System(study);
  trajectories->has_shadow = VidaStudy_HasColumn(study, Vida_FindColumn("shadow_energy_error"));
  trajectories->runs = VidaStudy_RunCount(study);
  trajectories->path_size = strlen(directory) + VIDA_FILE_NAME_SIZE + 32;
  trajectories->directory = vida__copy_text(directory);
  trajectories->names = vida__allocate((size_t)trajectories->runs, sizeof(file_name));
  trajectories->open = vida__allocate((size_t)trajectories->runs, sizeof *trajectories->open);
  trajectories->partial = vida__allocate(trajectories->path_size, 1);
  trajectories->complete = vida__allocate(trajectories->path_size, 1);
  trajectories->incomplete = vida__allocate(trajectories->path_size, 1);
  if (!trajectories->directory || !trajectories->names || !trajectories->open ||
      !trajectories->partial || !trajectories->complete || !trajectories->incomplete) {
    return vida__fail_memory(error);
  }
  return VIDA_SUCCESS;
}

int VidaTrajectories_Create(const VidaStudy* study, const char* directory,
                            VidaTrajectories** trajectories, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, trajectories)) {
    return VIDA_BAD_ARGUMENT;
  }
  *trajectories = NULL;
  if (VIDA_REFUSE_NULL(error, study, directory)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (directory[0] == '\0') {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the folder for trajectories has no name");
  }
  VidaTrajectories* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  int code = allocate(made, study, directory, error);
  if (code == VIDA_SUCCESS) {
    code = vida__make_directory(directory, error);
  }
  if (code == VIDA_SUCCESS) {
    code = vida__name_runs(study, row_of_study, made->runs, made->names, error);
  }
  if (code != VIDA_SUCCESS) {
    VidaTrajectories_Destroy(&made);
    return code;
  }
  *trajectories = made;
  return VIDA_SUCCESS;
}

/* ---- the header ----------------------------------------------------------------------------- */

static void write_column(FILE* file, const char* unit, const char* before, const char* name,
                         const char* after) {
  char text[VIDA_MESSAGE_SIZE] = "";
  vida__append(text, sizeof text, "%s%s%s", before, name, after);
  if (unit[0]) {
    vida__append(text, sizeof text, " [%s]", unit);
  }
  fputc(',', file);
  vida__write_csv_field(file, text);
}

static void rate_unit(const char* unit, char* text, size_t size) {
  text[0] = '\0';
  vida__append(text, size, "%s/s", unit[0] ? unit : "1");
}

/* A row of velocities in m/s has a multiplier in N, as one of positions in m. */
void vida__multiplier_unit(const VidaSystem* system, int row, char* text, size_t size) {
  const char* unit = system->rows[row].unit;
  const bool is_rate = system->rows[row].is_nonholonomic;
  text[0] = '\0';
  if (strcmp(unit, is_rate ? "m/s" : "m") == 0) {
    vida__append(text, size, "N");
  } else if (strcmp(unit, is_rate ? "rad/s" : "rad") == 0) {
    vida__append(text, size, "N m");
  } else if (unit[0]) {
    vida__append(text, size, "%s/(%s)", is_rate ? "W" : "J", unit);
  } else {
    vida__append(text, size, is_rate ? "W" : "J");
  }
}

static void write_header(FILE* file, const VidaSystem* system, bool has_shadow) {
  const int n = VidaSystem_CoordinateCount(system), m = VidaSystem_ConstraintCount(system);
  char unit[VIDA_NAME_SIZE];
  fputs("t [s]", file);
  for (int i = 0; i < n; i++) {
    write_column(file, VidaSystem_CoordinateUnit(system, i), "",
                 VidaSystem_CoordinateName(system, i), "");
  }
  for (int i = 0; i < n; i++) {
    rate_unit(VidaSystem_CoordinateUnit(system, i), unit, sizeof unit);
    write_column(file, unit, "d ", VidaSystem_CoordinateName(system, i), "/dt");
  }
  for (int i = 0; i < m; i++) {
    vida__multiplier_unit(system, i, unit, sizeof unit);
    write_column(file, unit, "lambda ", VidaSystem_ConstraintName(system, i), "");
  }
  if (m > 0) {
    write_column(file, "s", "t of multipliers", "", "");
  }
  write_column(file, "J", "energy", "", "");
  if (vida__has_energy_sources(system)) {
    write_column(file, "J", "work", "", "");
  }
  for (int i = 0; i < VidaSystem_MomentumCount(system); i++) {
    write_column(file, vida__momentum_unit(system, i), "", VidaSystem_MomentumName(system, i), "");
  }
  for (int i = 0; i < m; i++) {
    write_column(file, VidaSystem_ConstraintUnit(system, i), "g ",
                 VidaSystem_ConstraintName(system, i), "");
  }
  for (int i = 0; i < m; i++) {
    unit[0] = '\0';
    if (system->rows[i].is_nonholonomic) {
      vida__append(unit, sizeof unit, "%s", VidaSystem_ConstraintUnit(system, i));
    } else {
      rate_unit(VidaSystem_ConstraintUnit(system, i), unit, sizeof unit);
    }
    write_column(file, unit, "dg ", VidaSystem_ConstraintName(system, i), "/dt");
  }
  for (int i = 0; i < VidaSystem_ObservableCount(system); i++) {
    write_column(file, VidaSystem_ObservableUnit(system, i), "",
                 VidaSystem_ObservableName(system, i), "");
  }
  if (has_shadow) {
    write_column(file, "J", "", VIDA_SHADOW_COLUMN, "");
    write_column(file, "s", "", VIDA_SHADOW_TIME_COLUMN, "");
  }
  fputc('\n', file);
}

/* ---- the rows ------------------------------------------------------------------------------- */

static void write_number(FILE* file, double value) {
  char text[VIDA_REAL_TEXT_SIZE];
  fprintf(file, ",%s", isfinite(value) ? vida__real_text(text, value, 17) : "");
}

static void write_numbers(FILE* file, int count, const double* values) {
  for (int i = 0; i < count; i++) {
    write_number(file, values[i]);
  }
}

/* Removes an incomplete row at the end of a file that could not be written any further. Returns
 * false if no row remains below the header. */
static bool cut_to_rows(const char* path) {
  FILE* file = fopen(path, "r+");
  long end = 0, position = 0;
  int lines = 0;
  for (int c = file ? getc(file) : EOF; c != EOF; c = getc(file)) {
    position++;
    if (c == '\n') {
      end = position;
      lines++;
    }
  }
  const bool is_cut = file && ftruncate(fileno(file), (off_t)end) == 0;
  if (file) {
    fclose(file);
  }
  return is_cut && lines > 1;
}

/* Closes the file and gives it its final name. Removes the file of a run that did not start. If
 * writing failed, the file is kept as incomplete. */
static int finish_file(VidaTrajectories* trajectories, int run, bool complete, VidaError* error) {
  FILE* file = trajectories->open[run].file;
  set_paths(trajectories, run);
  const char* path = complete ? trajectories->complete : trajectories->incomplete;
  int code = vida__finish_output(file, trajectories->partial, error);
  trajectories->open[run].file = NULL;
  if (fclose(file) != 0 && code == VIDA_SUCCESS) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", trajectories->partial,
                      strerror(errno));
  }
  if (!complete && trajectories->open[run].rows == 0) {
    remove(trajectories->partial);
    return code;
  }
  if (code && cut_to_rows(trajectories->partial)) {
    rename(trajectories->partial, trajectories->incomplete);
  } else if (code) {
    remove(trajectories->partial);
  }
  if (code == VIDA_SUCCESS && rename(trajectories->partial, path) != 0) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot rename %s to %s: %s", trajectories->partial,
                      path, strerror(errno));
  }
  return code;
}

/* Removes files of an earlier run at once, so that none of them is taken for a file of this run. */
static int begin_run(void* data, int run, const VidaRow* row, VidaError* error) {
  VidaTrajectories* trajectories = data;
  (void)row;
  if (run < 0 || run >= trajectories->runs) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "a run was added to the study after its trajectories were created");
  }
  set_paths(trajectories, run);
  remove(trajectories->complete);
  remove(trajectories->incomplete);
  FILE* file = fopen(trajectories->partial, "w");
  trajectories->open[run].file = file;
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", trajectories->partial,
                      strerror(errno));
  }
  trajectories->open[run].rows = 0;
  write_header(file, trajectories->system, trajectories->has_shadow);
  return VIDA_SUCCESS;
}

static int write_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  VidaTrajectories* trajectories = data;
  const VidaSystem* system = trajectories->system;
  const int n = VidaSystem_CoordinateCount(system), m = VidaSystem_ConstraintCount(system);
  FILE* file = trajectories->open[run].file;
  char t[VIDA_REAL_TEXT_SIZE];
  fputs(vida__real_text(t, sample->t, 17), file);
  write_numbers(file, n, sample->q);
  write_numbers(file, n, sample->v);
  write_numbers(file, m, sample->multipliers);
  if (m > 0) {
    write_number(file, sample->multipliers_t);
  }
  write_number(file, sample->energy);
  if (vida__has_energy_sources(system)) {
    write_number(file, sample->work);
  }
  write_numbers(file, VidaSystem_MomentumCount(system), sample->momenta);
  write_numbers(file, m, sample->position_residuals);
  write_numbers(file, m, sample->velocity_residuals);
  write_numbers(file, VidaSystem_ObservableCount(system), sample->observables);
  if (trajectories->has_shadow) {
    write_number(file, sample->shadow_energy);
    write_number(file, sample->shadow_energy_t);
  }
  fputc('\n', file);
  trajectories->open[run].rows += 1;
  if (ferror(file)) {
    set_paths(trajectories, run);
    return vida__finish_output(file, trajectories->partial, error);
  }
  return VIDA_SUCCESS;
}

static int end_run(void* data, int run, const VidaRow* row, VidaError* error) {
  return finish_file(data, run, vida__is_finished(row), error);
}

VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories) {
  return !trajectories ? (VidaObserver){0}
                       : (VidaObserver){.begin = begin_run,
                                        .sample = write_sample,
                                        .end = end_run,
                                        .data = trajectories};
}

void vida__find_trajectory(VidaTrajectories* trajectories, int run,
                           char name[VIDA_TRAJECTORY_NAME_SIZE], long long* size) {
  set_paths(trajectories, run);
  const char* const paths[] = {trajectories->complete, trajectories->incomplete};
  name[0] = '\0';
  *size = 0;
  for (size_t i = 0; i < sizeof paths / sizeof paths[0] && !name[0]; i++) {
    struct stat status;
    if (stat(paths[i], &status) == 0) {
      *size = (long long)status.st_size;
      vida__append(name, VIDA_TRAJECTORY_NAME_SIZE, "%s",
                   paths[i] + strlen(trajectories->directory) + 1);
    }
  }
}

void VidaTrajectories_Destroy(VidaTrajectories** trajectories) {
  if (!trajectories || !*trajectories) {
    return;
  }
  VidaTrajectories* dead = *trajectories;
  for (int run = 0; run < dead->runs && dead->open; run++) {
    if (dead->open[run].file) {
      finish_file(dead, run, false, NULL); /* the study was broken off */
    }
  }
  free(dead->open);
  free(dead->directory);
  free(dead->names);
  free(dead->partial);
  free(dead->complete);
  free(dead->incomplete);
  free(dead);
  *trajectories = NULL;
}
