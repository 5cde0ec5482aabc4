/* Trajectories, as CSV (one file for each run) or as HDF5 (one file for a study). The name of a
 * file says that its run has reached its end, or in HDF5 an attribute; during the run, and of CSV
 * after a failure, it has another name. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/record.h"
#include "base/text.h"
#include "report/output/output.h"
#include "report/output/stored_table.h"
#include "report/output/trajectories.h"
#include "study/study.h"
#include "system/model/model.h"

/* ---- names and paths ------------------------------------------------------------------------- */

static const VidaRow* row_of_study(const void* study, int run) {
  return VidaStudy_Row(study, run);
}

void vida__set_paths(VidaTrajectories* trajectories, int run) {
  static const char* const endings[][4] = {
      [VIDA_FORMAT_CSV] = {".csv.partial", ".csv", ".incomplete.csv", ".earlier.csv.partial"},
      [VIDA_FORMAT_HDF5] = {VIDA_HDF5_ENDING ".partial", VIDA_HDF5_ENDING, VIDA_HDF5_ENDING,
                            ".earlier" VIDA_HDF5_ENDING ".partial"}};
  char* const paths[] = {trajectories->partial, trajectories->complete, trajectories->incomplete,
                         trajectories->earlier};
  for (int i = 0; i < 4; i++) {
    paths[i][0] = '\0';
    vida__append(paths[i], trajectories->path_size, "%s/%s%s", trajectories->directory,
                 trajectories->names[run], endings[trajectories->format][i]);
  }
}

/* ---- columns --------------------------------------------------------------------------------- */

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

static void rate_unit(const char* unit, char* text, size_t size) {
  text[0] = '\0';
  vida__append(text, size, "%s/s", unit[0] ? unit : "1");
}

static void column_unit(const VidaSystem* system, vida_part_column column, char* unit,
                        size_t size) {
  const int i = column.index;
  const char* text = "";
  unit[0] = '\0';
  switch (column.part) {
    case VIDA_PART_q:
      text = VidaSystem_CoordinateUnit(system, i);
      break;
    case VIDA_PART_v:
      rate_unit(VidaSystem_CoordinateUnit(system, i), unit, size);
      return;
    case VIDA_PART_lambda:
      if (i < VidaSystem_ConstraintCount(system)) {
        vida__multiplier_unit(system, i, unit, size);
        return;
      }
      text = "s";
      break;
    case VIDA_PART_momenta:
      text = vida__momentum_unit(system, i);
      break;
    case VIDA_PART_g:
      text = VidaSystem_ConstraintUnit(system, i);
      break;
    case VIDA_PART_dg:
      if (!system->rows[i].is_nonholonomic) {
        rate_unit(VidaSystem_ConstraintUnit(system, i), unit, size);
        return;
      }
      text = VidaSystem_ConstraintUnit(system, i);
      break;
    case VIDA_PART_observables:
      text = VidaSystem_ObservableUnit(system, i);
      break;
    case VIDA_PART_shadow:
      text = i == 0 ? "J" : "s";
      break;
    case VIDA_PART_drawing:
      text = "m";
      break;
    case VIDA_PART_energy:
    case VIDA_PART_work:
    case VIDA_PARTS:
    default:
      text = "J";
      break;
  }
  vida__append(unit, size, "%s", text);
}

static bool set_column(vida_table_column* column, const char* name, const char* unit,
                       const char* part) {
  *column = (vida_table_column){vida__copy_text(name), vida__copy_text(unit), part};
  return column->name && column->unit;
}

static int describe_columns(VidaTrajectories* trajectories, VidaError* error) {
  const vida_column_list* list = &trajectories->list;
  char name[VIDA_MESSAGE_SIZE], unit[VIDA_NAME_SIZE];
  trajectories->columns = vida__allocate((size_t)list->count + 1, sizeof *trajectories->columns);
  trajectories->row = vida__allocate((size_t)list->count + 1, sizeof *trajectories->row);
  trajectories->xyz = vida__allocate((size_t)list->wireframe.point_count * 3 + 1, sizeof(double));
  bool good = trajectories->columns && trajectories->row && trajectories->xyz &&
              set_column(&trajectories->columns[0], "t", "s", "t");
  for (int i = 0; i < list->count && good; i++) {
    vida__part_column_name(list, list->columns[i], name, sizeof name);
    column_unit(trajectories->system, list->columns[i], unit, sizeof unit);
    good = set_column(&trajectories->columns[i + 1], name, unit,
                      Vida_TrajectoryPart((int)list->columns[i].part)->name);
  }
  return good ? VIDA_SUCCESS : vida__fail_memory(error);
}

static double value_of(const VidaTrajectories* trajectories, const VidaSample* sample,
                       vida_part_column column) {
  const int i = column.index;
  int axis;
  switch (column.part) {
    case VIDA_PART_q:
      return sample->q[i];
    case VIDA_PART_v:
      return sample->v[i];
    case VIDA_PART_lambda:
      return i < VidaSystem_ConstraintCount(trajectories->system) ? sample->multipliers[i]
                                                                  : sample->multipliers_t;
    case VIDA_PART_energy:
      return sample->energy;
    case VIDA_PART_work:
      return sample->work;
    case VIDA_PART_momenta:
      return sample->momenta[i];
    case VIDA_PART_g:
      return sample->position_residuals[i];
    case VIDA_PART_dg:
      return sample->velocity_residuals[i];
    case VIDA_PART_observables:
      return sample->observables[i];
    case VIDA_PART_shadow:
      return i == 0 ? sample->shadow_energy : sample->shadow_energy_t;
    case VIDA_PART_drawing: {
      const int point = vida__drawn_point(&trajectories->list, i, &axis);
      return trajectories->xyz[3 * point + axis];
    }
    case VIDA_PARTS:
    default:
      return NAN;
  }
}

static void fill_row(VidaTrajectories* trajectories, const VidaSample* sample) {
  const vida_column_list* list = &trajectories->list;
  if (list->wireframe.point_count > 0) {
    vida__wireframe_points(&list->wireframe, &trajectories->evaluator, sample->t, sample->q,
                           sample->v, trajectories->xyz);
  }
  trajectories->row[0] = sample->t;
  for (int i = 0; i < list->count; i++) {
    trajectories->row[i + 1] = value_of(trajectories, sample, list->columns[i]);
  }
}

/* ---- creation -------------------------------------------------------------------------------- */

static vida_trajectory_format find_format(const VidaStudy* study) {
  const VidaOptions* options = vida__study_options(study);
  return VidaOptions_HasChoice(options, "trajectories", "csv")    ? VIDA_FORMAT_CSV
         : VidaOptions_HasChoice(options, "trajectories", "hdf5") ? VIDA_FORMAT_HDF5
                                                                  : VIDA_FORMAT_NONE;
}

static int allocate(VidaTrajectories* trajectories, const char* directory, VidaError* error) {
  trajectories->runs = VidaStudy_RunCount(trajectories->study);
  trajectories->path_size = strlen(directory) + VIDA_FILE_NAME_SIZE + 32;
  trajectories->directory = vida__copy_text(directory);
  trajectories->joined = vida__allocate(trajectories->path_size, 1);
  trajectories->names = vida__allocate((size_t)trajectories->runs, sizeof(vida_file_name));
  trajectories->open = vida__allocate((size_t)trajectories->runs, sizeof *trajectories->open);
  trajectories->partial = vida__allocate(trajectories->path_size, 1);
  trajectories->complete = vida__allocate(trajectories->path_size, 1);
  trajectories->incomplete = vida__allocate(trajectories->path_size, 1);
  trajectories->earlier = vida__allocate(trajectories->path_size, 1);
  if (!trajectories->directory || !trajectories->joined || !trajectories->names ||
      !trajectories->open || !trajectories->partial || !trajectories->complete ||
      !trajectories->incomplete || !trajectories->earlier) {
    return vida__fail_memory(error);
  }
  vida__append(trajectories->joined, trajectories->path_size, "%s/" VIDA_HDF5_FILE, directory);
  int code = vida__list_columns(trajectories->study, &trajectories->list, error);
  if (!code && trajectories->list.wireframe.point_count > 0) {
    code = vida__evaluator_create(trajectories->system, &trajectories->evaluator, error);
  }
  return code ? code : describe_columns(trajectories, error);
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
  made->study = study;
  made->system = VidaStudy_System(study);
  made->format = find_format(study);
  int code = made->format == VIDA_FORMAT_HDF5 ? vida__find_hdf5(NULL, 0, error) : VIDA_SUCCESS;
  code = code ? code : allocate(made, directory, error);
  if (code == VIDA_SUCCESS) {
    code = vida__make_directory(directory, error);
  }
  if (code == VIDA_SUCCESS) {
    code = vida__name_runs(study, row_of_study, made->runs, made->names, error);
  }
  if (code != VIDA_SUCCESS) {
    made->is_finished = true;
    VidaTrajectories_Destroy(&made);
    return code;
  }
  *trajectories = made;
  return VIDA_SUCCESS;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void write_header(const VidaTrajectories* trajectories, FILE* file) {
  for (int i = 0; i <= trajectories->list.count; i++) {
    const vida_table_column* column = &trajectories->columns[i];
    char text[VIDA_MESSAGE_SIZE] = "";
    vida__append(text, sizeof text, "%s", column->name);
    if (column->unit[0]) {
      vida__append(text, sizeof text, " [%s]", column->unit);
    }
    if (i > 0) {
      fputc(',', file);
    }
    vida__write_csv_field(file, text);
  }
  fputc('\n', file);
}

static void write_numbers(const VidaTrajectories* trajectories, FILE* file) {
  char text[VIDA_REAL_TEXT_SIZE];
  fputs(vida__real_text(text, trajectories->row[0], 17), file);
  for (int i = 1; i <= trajectories->list.count; i++) {
    const double value = trajectories->row[i];
    fprintf(file, ",%s", isfinite(value) ? vida__real_text(text, value, 17) : "");
  }
  fputc('\n', file);
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

/* Closes the file. If writing failed, the file is kept as incomplete where it has rows. */
static int close_csv(VidaTrajectories* trajectories, vida_open_run* run, VidaError* error) {
  FILE* file = run->file;
  int code = vida__finish_output(file, trajectories->partial, error);
  run->file = NULL;
  if (fclose(file) != 0 && code == VIDA_SUCCESS) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", trajectories->partial,
                      strerror(errno));
  }
  if (code && run->rows > 0 && cut_to_rows(trajectories->partial)) {
    rename(trajectories->partial, trajectories->incomplete);
  } else if (code) {
    remove(trajectories->partial);
  }
  return code;
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

static int begin_hdf5(VidaTrajectories* trajectories, int index, const VidaRow* row,
                      VidaError* error) {
  vida_fact facts[6] = {
      {"system", row->system, 0.0}, {"method", row->method, 0.0}, {"options", row->options, 0.0}};
  int count = 3;
  if (isfinite(row->h)) {
    facts[count++] = (vida_fact){"h", NULL, row->h};
  }
  if (isfinite(row->rtol)) {
    facts[count++] = (vida_fact){"rtol", NULL, row->rtol};
  }
  return vida__hdf5_begin(trajectories->partial, trajectories->names[index],
                          trajectories->list.count + 1, trajectories->columns, count, facts,
                          &trajectories->open[index].writer, error);
}

/* `row` is NULL if the study was broken off. */
static int close_hdf5(vida_open_run* run, const VidaRow* row, VidaError* error) {
  const vida_fact facts[] = {{VIDA_HDF5_STATUS, row ? row->status : "STOPPED", 0.0},
                             {"t_end", NULL, row ? row->t_end : (double)NAN},
                             {"steps", NULL, row ? (double)row->steps : 0.0}};
  return vida__hdf5_end(&run->writer, row ? 3 : 1, facts, error);
}

static const char* path_of_run(const void* list, int run) {
  VidaTrajectories* trajectories = (VidaTrajectories*)list; /* its paths are scratch space */
  vida__set_paths(trajectories, run);
  return trajectories->open[run].is_joined ? trajectories->joined : trajectories->complete;
}

static const char* name_of_run(const void* list, int run) {
  return ((const VidaTrajectories*)list)->names[run];
}

/* Whether no run can go on: until then each has its own file. */
static bool have_ended(const VidaTrajectories* trajectories) {
  bool all = true;
  for (int run = 0; run < trajectories->runs && all; run++) {
    all = vida__has_ended(VidaStudy_Row(trajectories->study, run));
  }
  return all;
}

/* Returns whether a run has a file of its own. Runs of an earlier process that had joined its files
 * have none, and are found in the joined file. */
static bool has_files(VidaTrajectories* trajectories) {
  bool any = false;
  for (int run = 0; run < trajectories->runs; run++) {
    vida_open_run* one = &trajectories->open[run];
    vida__set_paths(trajectories, run);
    const bool has_own = access(trajectories->complete, F_OK) == 0;
    one->is_joined = !has_own && !one->is_begun &&
                     vida__is_in_hdf5(trajectories->joined, trajectories->names[run]);
    any = any || has_own;
  }
  return any;
}

/* Joins the files of the runs, in the order of the runs whatever order they ended in, and removes
 * them when the whole is there. */
static int join_runs(VidaTrajectories* trajectories, VidaError* error) {
  if (!has_files(trajectories)) {
    return VIDA_SUCCESS; /* none were written, or an earlier process has joined all of them */
  }
  const char* path = trajectories->joined;
  char* partial = vida__allocate(trajectories->path_size, 1);
  int copied = 0;
  if (!partial) {
    return vida__fail_memory(error);
  }
  vida__append(partial, trajectories->path_size, "%s.partial", path);
  int code = vida__hdf5_join(partial, trajectories->runs, path_of_run, name_of_run, trajectories,
                             &copied, error);
  if (!code && rename(partial, path) != 0) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot rename %s to %s: %s", partial, path,
                      strerror(errno));
  }
  if (code) {
    remove(partial);
  }
  for (int run = 0; run < trajectories->runs && !code; run++) {
    vida__set_paths(trajectories, run);
    remove(trajectories->complete);
  }
  free(partial);
  return code;
}

/* ---- the observer ---------------------------------------------------------------------------- */

/* Closes the file of a run and gives it its final name. Removes the file of a run that did not
 * start. */
static int finish_run(VidaTrajectories* trajectories, int index, const VidaRow* row,
                      VidaError* error) {
  vida_open_run* run = &trajectories->open[index];
  const bool complete = row && vida__is_finished(row);
  if (!run->file && !run->writer) {
    return VIDA_SUCCESS;
  }
  vida__set_paths(trajectories, index);
  const char* path = complete ? trajectories->complete : trajectories->incomplete;
  int code = run->file ? close_csv(trajectories, run, error) : close_hdf5(run, row, error);
  if (!complete && run->rows == 0) {
    remove(trajectories->partial);
    return code;
  }
  if (code && trajectories->format == VIDA_FORMAT_HDF5 &&
      !vida__is_whole_in_hdf5(trajectories->partial, trajectories->names[index])) {
    remove(trajectories->partial);
  } else if (code &&
             trajectories->format == VIDA_FORMAT_HDF5) { /* what was written before can be read */
    rename(trajectories->partial, trajectories->incomplete);
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
  if (run < 0 || run >= trajectories->runs) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "a run was added to the study after its trajectories were created");
  }
  vida_open_run* opened = &trajectories->open[run];
  const bool goes_on = opened->goes_on;
  vida__set_paths(trajectories, run);
  remove(trajectories->complete);
  remove(trajectories->incomplete);
  if (!goes_on) {
    remove(trajectories->earlier);
    opened->rows = 0;
  }
  opened->is_begun = true;
  opened->goes_on = false;
  if (trajectories->format == VIDA_FORMAT_HDF5) {
    const int code = begin_hdf5(trajectories, run, row, error);
    return code || !goes_on ? code : vida__write_earlier(trajectories, opened, error);
  }
  if (goes_on) {
    return vida__go_on_with_csv(trajectories, opened, error);
  }
  opened->size = 0;
  opened->sum = VIDA_CHECKSUM_START;
  FILE* file = vida__create_stream(trajectories->partial);
  opened->file = file;
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", trajectories->partial,
                      strerror(errno));
  }
  write_header(trajectories, file);
  return VIDA_SUCCESS;
}

static int write_sample(void* data, int index, const VidaSample* sample, VidaError* error) {
  VidaTrajectories* trajectories = data;
  vida_open_run* run = &trajectories->open[index];
  fill_row(trajectories, sample);
  run->rows++;
  if (run->writer) {
    return vida__hdf5_append(run->writer, trajectories->row, error);
  }
  write_numbers(trajectories, run->file);
  if (ferror(run->file)) {
    vida__set_paths(trajectories, index);
    return vida__finish_output(run->file, trajectories->partial, error);
  }
  return VIDA_SUCCESS;
}

static int end_run(void* data, int run, const VidaRow* row, VidaError* error) {
  return finish_run(data, run, row, error);
}

VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories) {
  return !trajectories || trajectories->format == VIDA_FORMAT_NONE
             ? (VidaObserver){0}
             : (VidaObserver){.begin = begin_run,
                              .sample = write_sample,
                              .end = end_run,
                              .data = trajectories};
}

int VidaTrajectories_Finish(VidaTrajectories* trajectories, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, trajectories)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = VIDA_SUCCESS;
  for (int run = 0; run < trajectories->runs && !trajectories->is_finished; run++) {
    if (trajectories->open[run].file || trajectories->open[run].writer) {
      const int failure = finish_run(trajectories, run, NULL, code ? NULL : error);
      code = code ? code : failure; /* the study was broken off */
    }
  }
  if (!trajectories->is_finished && trajectories->format == VIDA_FORMAT_HDF5 && !code &&
      have_ended(trajectories)) {
    code = join_runs(trajectories, error);
  }
  trajectories->is_finished = true;
  return code;
}

bool vida__has_ended(const VidaRow* row) {
  return VidaRow_Outcome(row) != VIDA_OUTCOME_NOT_RUN && strcmp(row->status, "STOPPED") != 0 &&
         strcmp(row->status, "WALL_LIMIT") != 0 &&
         strcmp(row->status, Vida_CodeName(VIDA_INPUT_OUTPUT)) != 0;
}

/* The checksum of a CSV file; HDF5 files have checksums of their own. */
static uint64_t sum_csv(const char* path, bool is_csv) {
  uint64_t sum = VIDA_CHECKSUM_START;
  long long size = 0;
  struct stat status;
  if (is_csv && stat(path, &status) == 0) {
    vida__checksum_file(path, &size, (long long)status.st_size, &sum);
  }
  return sum;
}

void vida__find_trajectory(VidaTrajectories* trajectories, int run, vida_stored_file* found) {
  const char* const paths[] = {trajectories->complete, trajectories->incomplete};
  *found = (vida_stored_file){.name = ""};
  if (trajectories->format == VIDA_FORMAT_NONE) {
    return;
  }
  vida__set_paths(trajectories, run);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0] && !found->name[0]; i++) {
    struct stat status;
    if (stat(paths[i], &status) == 0) {
      found->size = (long long)status.st_size;
      found->sum = sum_csv(paths[i], trajectories->format == VIDA_FORMAT_CSV);
      vida__append(found->name, sizeof found->name, "%s",
                   paths[i] + strlen(trajectories->directory) + 1);
    }
  }
}

bool vida__has_trajectory(const char* directory, const vida_stored_file* file) {
  const char* name = file->name;
  const size_t length = strlen(name), ending = strlen(VIDA_HDF5_ENDING);
  const bool is_hdf5 = length > ending && strcmp(name + length - ending, VIDA_HDF5_ENDING) == 0;
  char path[4096] = "", group[VIDA_TRAJECTORY_NAME_SIZE] = "";
  struct stat status;
  if (!name[0] || strchr(name, '/')) {
    return !name[0];
  }
  vida__append(path, sizeof path, "%s/%s", directory, name);
  vida__append(group, sizeof group, "%.*s", (int)(length - (is_hdf5 ? ending : 0)), name);
  if (stat(path, &status) == 0) {
    return (long long)status.st_size == file->size &&
           (is_hdf5 ? vida__is_whole_in_hdf5(path, group) : sum_csv(path, true) == file->sum);
  }
  path[0] = '\0';
  vida__append(path, sizeof path, "%s/" VIDA_HDF5_FILE, directory);
  return is_hdf5 && vida__is_whole_in_hdf5(path, group);
}

void VidaTrajectories_Destroy(VidaTrajectories** trajectories) {
  if (!trajectories || !*trajectories) {
    return;
  }
  VidaTrajectories* dead = *trajectories;
  if (!dead->is_finished) {
    VidaTrajectories_Finish(dead, NULL);
  }
  for (int i = 0; i <= dead->list.count && dead->columns; i++) {
    free(dead->columns[i].name);
    free(dead->columns[i].unit);
  }
  for (int run = 0; run < dead->runs && dead->open; run++) {
    free(dead->open[run].earlier);
  }
  free(dead->columns);
  free(dead->row);
  free(dead->xyz);
  vida__evaluator_destroy(&dead->evaluator);
  vida__free_columns(&dead->list);
  free(dead->open);
  free(dead->directory);
  free(dead->joined);
  free(dead->names);
  free(dead->partial);
  free(dead->complete);
  free(dead->incomplete);
  free(dead->earlier);
  free(dead);
  *trajectories = NULL;
}

const char* VidaReport_Hdf5Version(char version[VIDA_NAME_SIZE]) {
  vida__find_hdf5(version, VIDA_NAME_SIZE, NULL);
  return version;
}
