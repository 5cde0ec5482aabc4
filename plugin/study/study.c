#include "study/study.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vida/stepper.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/processors.h"
#include "base/text.h"
#include "stepper/method_options.h"
#include "study/measure/shadow.h"
#include "study/reference/reference.h"
#include "study/remarks.h"
#include "study/step_choice.h"
#include "study/sweep/sweep.h"
#include "study/time/time_limits.h"
#include "system/model/model.h"

#define COMPARISON "comparison"

static const VidaOptionRow comparison_rows[] = {
    {"time", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "time to integrate over, from t0 to t0 + time"},
    {"t0", VIDA_OPTION_REAL, "s", 0.0, -INFINITY, INFINITY, false, NULL, "time of the start"},
    {"every", VIDA_OPTION_INTEGER, "1", 0.0, 0.0, INT_MAX, false, NULL,
     "rows of trajectories are at k*every*h; 0 makes about 1000 rows"},
    {"trajectories", VIDA_OPTION_CHOICE, "", 1.0, 0.0, 0.0, false, "none|csv|hdf5",
     "format of the trajectories in the folder of results: csv (one file per run), hdf5 (one file "
     "per comparison), or none; vida.sweep sets none"},
    {"norm", VIDA_OPTION_CHOICE, "", VIDA_NORM_MEAN, 0.0, 0.0, false, "mean|max|end|mixed",
     "norm of errors over the steps: mean (2-norm divided by the length of the vector, averaged), "
     "max (largest 2-norm), end (2-norm at the end) or mixed (largest |difference| / (mixed_scale "
     "+ "
     "|reference|) at the end, 10^-mescd)"},
    {"mixed_scale", VIDA_OPTION_REAL, "", 1.0, 0.0, INFINITY, false, NULL,
     "in the mixed norm: atol / rtol of the test sets"},
    {"relative", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "divide errors by the same norm of the reference quantity"},
    {"end_step", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 0.0, false, "refuse|shorten",
     "what to do when h does not divide the time: refuse it, or make a shorter last step"},
    {"adjust_start", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "allow given initial values to be changed so that the constraints hold"},
    {"start_tolerance", VIDA_OPTION_REAL, "1", 1e-9, 0.0, 1.0, false, NULL,
     "largest relative change of a given initial value without adjust_start"},
    {"jobs", VIDA_OPTION_INTEGER, "1", 1.0, 0.0, 1024.0, false, NULL,
     "number of parallel runs, 0: one for each available processor; parallel runs share the "
     "machine, which changes their times"},
    {"repeats", VIDA_OPTION_INTEGER, "1", 1.0, 0.0, 1000.0, false, NULL,
     "number of repetitions of each run, of which the median time is reported; 0: until the median "
     "is stable"},
    {"lanes", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "make the calm steps of runs that differ only in their start at once, in vector instructions; "
     "the results are the same, but a Lua observer is called for several runs alternately; "
     "vida.sweep switches it on"},
    {"wall_limit", VIDA_OPTION_REAL, "s", INFINITY, 0.0, INFINITY, true, NULL,
     "wall time after which a run, a repetition of a run, or the reference ends with the status "
     "WALL_LIMIT"},
    {"study_wall_limit", VIDA_OPTION_REAL, "s", INFINITY, 0.0, INFINITY, true, NULL,
     "wall time of the whole comparison, after which the current run ends and no other begins"},
    {"checkpoint", VIDA_OPTION_REAL, "s", 60.0, 0.0, INFINITY, false, NULL,
     "wall time between two states of a long run that are kept in the folder of results, from "
     "which "
     "--resume goes on"},
    {"stream", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 0.0, false, "auto|on|off",
     "keep only the statistics of runs from many starts in memory, and the rows in rows.csv; auto: "
     "from 20000 runs on, if no trajectories are written"},
    {"work_precision", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "report the fitted orders, and the cost of errors with each method"},
    {"symplectic", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "measure the defect of the symplectic form of each method"},
    {"reversibility", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "measure how far from the start each method returns after a reversal of the velocities"},
    {"shadow", VIDA_OPTION_INTEGER, "1", 0.0, 0.0, 12.0, false, NULL,
     "measure the shadow energy of symplectic methods with this order: 4, 8 or 12; 0: not at all"},
    {"events", VIDA_OPTION_BOOLEAN, "", 1.0, 0.0, 1.0, false, NULL,
     "report the events of systems that have any, and the errors of their times"},
    {"defect_steps", VIDA_OPTION_INTEGER, "1", 50.0, 1.0, 1e9, false, NULL,
     "number of steps for symplectic and reversibility, at most those of the run"},
    {"drift", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "report the drifts of energy, momenta and constraints, each with its confidence interval, and "
     "the oscillations about them"},
    {"reference_estimate", VIDA_OPTION_BOOLEAN, "", 1.0, 0.0, 1.0, false, NULL,
     "estimate the error of the reference with a second reference of twice its step"},
    {0},
};

int VidaStudy_CreateOptions(VidaOptions** options, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  static const VidaOptionRow* const tables[] = {comparison_rows};
  return vida__options_create(COMPARISON, 1, tables, options, error);
}

static bool is_comparison(const VidaOptions* options) {
  return strcmp(VidaOptions_Method(options), COMPARISON) == 0;
}

static int read_options(VidaStudy* study, VidaError* error) {
  const VidaOptions* options = study->options;
  study->t0 = VidaOptions_Get(options, "t0");
  study->time = VidaOptions_Get(options, "time");
  study->norm = (vida_norm)VidaOptions_Get(options, "norm");
  study->mixed_scale = VidaOptions_Get(options, "mixed_scale");
  study->relative = VidaOptions_Get(options, "relative") != 0.0;
  study->shorten = VidaOptions_HasChoice(options, "end_step", "shorten");
  if (!vida__is_shadow_order(VidaOptions_Get(options, "shadow"))) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "shadow: expected 0, 4, 8 or 12, got %d",
                      (int)VidaOptions_Get(options, "shadow"));
  }
  if (!isfinite(study->time)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "time is not set: how many seconds to integrate");
  }
  if (!isfinite(study->t0 + study->time) || !(study->t0 + study->time > study->t0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "time is too small or too large compared with t0");
  }
  return VIDA_SUCCESS;
}

int VidaStudy_Create(const VidaSystem* system, const VidaOptions* options, VidaStudy** study,
                     VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  *study = NULL;
  if (VIDA_REFUSE_NULL(error, system, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!is_comparison(options)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a study needs the options of a comparison, got those of %s",
                      VidaOptions_Method(options));
  }
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  const int n = VidaSystem_CoordinateCount(system);
  if (n < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s' has no coordinates",
                      VidaSystem_Name(system));
  }
  VidaStudy* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->processors = vida__count_processors();
  made->q0 = vida__allocate((size_t)n, sizeof(double));
  made->v0 = vida__allocate((size_t)n, sizeof(double));
  made->parameters =
      vida__allocate((size_t)VidaSystem_ParameterCount(system), sizeof *made->parameters);
  int code = made->q0 && made->v0 && made->parameters ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int i = 0; i < VidaSystem_ParameterCount(system) && code == VIDA_SUCCESS; i++) {
    made->parameters[i] = VidaSystem_ParameterValue(system, i);
  }
  if (code == VIDA_SUCCESS) {
    code = VidaOptions_Copy(options, &made->options, error);
  }
  if (code == VIDA_SUCCESS) {
    code = read_options(made, error);
  }
  if (code != VIDA_SUCCESS) {
    VidaStudy_Destroy(&made);
    return code;
  }
  *study = made;
  return VIDA_SUCCESS;
}

void vida__drop_runs(VidaStudy* study) {
  vida__destroy_start_references(study);
  for (int i = 0; i < study->count; i++) {
    VidaOptions_Destroy(&study->runs[i].options);
    free(study->runs[i].own_start);
    vida__destroy_events(&study->runs[i].events);
  }
  study->count = 0;
  vida__free_strings(&study->series_names);
}

void VidaStudy_Destroy(VidaStudy** study) {
  if (!study || !*study) {
    return;
  }
  VidaStudy* dead = *study;
  vida__drop_runs(dead);
  vida__destroy_sweep(&dead->sweep);
  free(dead->runs);
  free(dead->series);
  vida__destroy_reference(&dead->reference);
  VidaOptions_Destroy(&dead->options);
  free(dead->selection);
  free(dead->columns.single);
  free(dead->q0);
  free(dead->parameters);
  free(dead->v0);
  vida__free_texts(&dead->words);
  free(dead);
  *study = NULL;
}

/* ---- the reference and the runs ------------------------------------------------------------- */

static int check_method(const VidaOptions* method, VidaError* error) {
  if (!method || is_comparison(method)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a run needs the options of a method");
  }
  if (!isfinite(VidaOptions_Get(method, "h")) && !Vida_IsAdaptive(method)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: the step h is not set%s",
                      VidaOptions_Method(method),
                      vida__has_option(method, "rtol") ? ", nor the tolerance rtol" : "");
  }
  return VIDA_SUCCESS;
}

/* Finds the common times of run and reference, and checks whether the run can start from a state of
 * the reference. */
static int match_reference(const VidaStudy* study, const vida_reference* reference, vida_run* run,
                           VidaError* error) {
  char h[VIDA_REAL_TEXT_SIZE], reference_h[VIDA_REAL_TEXT_SIZE];
  vida__real_text(h, run->grid.h, 12);
  run->end_only = study->norm == VIDA_NORM_END || study->norm == VIDA_NORM_MIXED;
  if (run->own_start && !(reference && reference->options)) {
    run->end_only = true; /* a known solution belongs to one start */
    return VIDA_SUCCESS;
  }
  if (!reference) {
    if (run->two_points) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "start = two-point takes its second point from the reference, and there is "
                        "none (set it before the runs)");
    }
    return VIDA_SUCCESS;
  }
  vida__real_text(reference_h, reference->grid.h, 12);
  /* A reference cannot choose a grid for steps that do not divide the time. */
  run->end_only = run->end_only || (reference->automatic && run->grid.last > 0.0);
  const bool meet =
      vida__match_grids(&run->grid, &reference->grid, &run->between, &run->reference_between);
  if (run->two_points && (!meet || run->between != 1)) {
    return vida__fail(error, VIDA_STEP_DOES_NOT_FIT,
                      "start = two-point takes its second point from the reference at t0 + h, but "
                      "h = %s is not a multiple of the reference's h = %s",
                      h, reference_h);
  }
  if (!meet && !run->end_only) {
    return vida__fail(error, VIDA_STEP_DOES_NOT_FIT,
                      "h = %s and the reference's h = %s have too few times in common to be "
                      "compared; make one a multiple of the other, or compare with norm = end",
                      h, reference_h);
  }
  return VIDA_SUCCESS;
}

static void cut_text(char* text, size_t size, const char* from) {
  text[0] = '\0';
  vida__append(text, size, "%s", from);
  /* Does not truncate within a UTF-8 character. */
  size_t length = strlen(text);
  if (from[length] == '\0') {
    return;
  }
  while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) {
    --length;
  }
  text[length] = '\0';
}

static void append_words(char options[VIDA_OPTIONS_SIZE], const char* words) {
  vida__append(options, VIDA_OPTIONS_SIZE, "%s%s", options[0] && words[0] ? " " : "", words);
}

int vida__count_option_parts(const vida_run* run) {
  return 1 + VidaOptions_Count(run->options) + 1;
}

void vida__option_part(const vida_run* run, int index, char text[VIDA_OPTIONS_SIZE]) {
  char h[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  if (index == 0) {
    append_words(text, run->label);
  } else if (index <= VidaOptions_Count(run->options)) {
    vida__option_text(run->options, index - 1, text, VIDA_OPTIONS_SIZE);
  } else if (run->adaptive && !run->automatic) { /* no step, and so not in the column of steps */
    vida__append(text, VIDA_OPTIONS_SIZE, "h=%s", vida__real_text(h, run->grid.h, 12));
  }
}

static void clear_row(const VidaStudy* study, vida_run* run) {
  char part[VIDA_OPTIONS_SIZE];
  VidaRow* row = &run->row;
  *row = (VidaRow){.h = run->adaptive ? (double)NAN : run->grid.h,
                   .rtol = VidaOptions_Get(run->options, "rtol"),
                   .t_end = study->t0,
                   .wall_s = 0.0};
  vida__forget_measurements(row);
  cut_text(row->system, sizeof row->system, VidaSystem_Name(study->system));
  cut_text(row->method, sizeof row->method, VidaOptions_Method(run->options));
  cut_text(row->status, sizeof row->status, "NOT_RUN");
  append_words(row->options, study->label);
  append_words(row->options, run->label);
  run->bare_options = strlen(row->options);
  for (int i = 1; i < vida__count_option_parts(run); i++) {
    vida__option_part(run, i, part);
    append_words(row->options, part);
  }
  run->bare_options += row->options[run->bare_options] == ' ';
}

int VidaStudy_SetLabel(VidaStudy* study, const char* label, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, label)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (strpbrk(label, "\r\n")) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "expected a label of one line, got '%s'", label);
  }
  cut_text(study->label, sizeof study->label, label);
  for (int i = 0; i < study->count; i++) {
    clear_row(study, &study->runs[i]);
  }
  return VIDA_SUCCESS;
}

const char* VidaStudy_Label(const VidaStudy* study) {
  return study ? study->label : "";
}

/* ---- grids of adaptive methods --------------------------------------------------------------- */

enum { AUTOMATIC_STEPS = 1000, MOST_AUTOMATIC_STEPS = 4000, MOST_COMMON_STEPS = 200000 };
enum { WORK_PRECISION_STEPS = 20 }; /* few: states cost time, and some methods end a step at each */

static long automatic_steps(const VidaStudy* study) {
  return VidaOptions_Get(study->options, "work_precision") != 0.0 ? WORK_PRECISION_STEPS
                                                                  : AUTOMATIC_STEPS;
}

/* Returns the largest number of steps, at most `most`, whose length is a whole number of these
 * steps. */
static long thin_out(long steps, long most) {
  long count = steps < most ? steps : most;
  while (steps % count != 0) {
    count--;
  }
  return count;
}

static void divide_time(const VidaStudy* study, long steps, vida_time_grid* grid) {
  *grid = (vida_time_grid){study->t0, study->time, study->time / (double)steps, steps, 0.0};
}

/* The output times of an adaptive run are those of the reference. */
static void choose_run_grid(const VidaStudy* study, const vida_reference* reference,
                            vida_time_grid* grid) {
  const long wanted = automatic_steps(study);
  long steps = wanted;
  if (reference && reference->grid.last == 0.0) {
    const long most = wanted < AUTOMATIC_STEPS ? 2 * wanted : MOST_AUTOMATIC_STEPS;
    const long common = thin_out(reference->grid.full, most);
    steps = common >= wanted / 10 || common == reference->grid.full ? common : steps;
  }
  divide_time(study, steps, grid);
}

/* The output times of an adaptive reference are the common times of the runs, if possible of all
 * runs. */
static void choose_reference_grid(const VidaStudy* study, vida_reference* reference) {
  long steps = 1;
  for (int i = 0; i < study->count; i++) {
    const vida_run* run = &study->runs[i];
    if (run->automatic || run->grid.last > 0.0) {
      continue;
    }
    const long own =
        run->two_points ? run->grid.full : thin_out(run->grid.full, 5 * (long)MOST_AUTOMATIC_STEPS);
    const long common = own / vida__common_divisor(steps, own);
    steps = steps <= MOST_COMMON_STEPS / common ? steps * common : steps;
  }
  while (steps < AUTOMATIC_STEPS) {
    steps *= 2;
  }
  divide_time(study, steps, &reference->grid);
}

/* Chooses the grids that the user has not set, and finds the common times of the runs from `first`
 * and the reference; of all runs if the grid of the reference follows them. */
static int choose_grids(VidaStudy* study, vida_reference* reference, int first, VidaError* error) {
  int code = VIDA_SUCCESS;
  if (reference && reference->automatic) {
    first = 0;
    choose_reference_grid(study, reference);
    code = reference->options
               ? VidaOptions_SetReal(reference->options, "h", reference->grid.h, error)
               : VIDA_SUCCESS;
  }
  for (int i = first; i < study->count && code == VIDA_SUCCESS; i++) {
    vida_run* run = &study->runs[i];
    if (run->automatic) {
      choose_run_grid(study, reference, &run->grid);
      code = VidaOptions_SetReal(run->options, "h", run->grid.h, error);
    }
    const long every = (long)VidaOptions_Get(study->options, "every");
    const long automatic = (vida__count_steps(&run->grid) + 500) / 1000;
    run->every = every > 0 ? every : (automatic > 0 ? automatic : 1);
    code = code ? code : match_reference(study, reference, run, error);
  }
  return code;
}

int vida__set_reference(VidaStudy* study, vida_reference* reference, VidaError* error) {
  const int code = study->reference ? vida__fail(error, VIDA_BAD_ARGUMENT,
                                                 "the comparison has a reference already (%s)",
                                                 study->reference->text)
                   : study->sweep && !reference->options
                       ? vida__fail(error, VIDA_BAD_ARGUMENT,
                                    "runs from different starts need a method as their reference")
                       : choose_grids(study, reference, 0, error);
  if (code == VIDA_SUCCESS) {
    study->reference = reference;
  } else {
    vida__destroy_reference(&reference);
  }
  return code;
}

int VidaStudy_SetReference(VidaStudy* study, const VidaOptions* method, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, method)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_reference* reference = NULL;
  int code = check_method(method, error);
  code = code ? code : vida__create_reference(study, method, &reference, error);
  return code ? code : vida__set_reference(study, reference, error);
}

static int describe_run(VidaStudy* study, const VidaOptions* method, vida_run* run,
                        VidaError* error) {
  run->two_points = VidaOptions_HasChoice(method, "start", "two-point");
  run->adaptive = Vida_IsAdaptive(method);
  run->automatic = run->adaptive && !VidaOptions_IsSet(method, "h");
  if (run->automatic) {
    divide_time(study, automatic_steps(study), &run->grid);
  } else {
    const int code = vida__make_grid(study->t0, study->time, VidaOptions_Get(method, "h"),
                                     study->shorten, &run->grid, error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
  }
  return VidaOptions_Copy(method, &run->options, error);
}

static int copy_start(const VidaStudy* study, const char* label, const double* q, const double* v,
                      vida_run* run, VidaError* error) {
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  cut_text(run->label, sizeof run->label, label ? label : "");
  run->own_start = vida__allocate(4 * n, sizeof *run->own_start);
  if (!run->own_start) {
    return vida__fail_memory(error);
  }
  for (size_t i = 0; i < n; i++) {
    run->own_start[i] = q ? q[i] : (double)NAN;
    run->own_start[n + i] = v ? v[i] : (double)NAN;
    run->own_start[2 * n + i] = run->own_start[3 * n + i] = NAN; /* not found yet */
  }
  return VIDA_SUCCESS;
}

/* Appends the last run to its series, and creates the series if necessary. */
static int join_series(VidaStudy* study, VidaError* error) {
  const int last = study->count - 1;
  vida_run* run = &study->runs[last];
  char name[VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE + 8] = "";
  void* series = study->series;
  vida__append(name, sizeof name, "%s %s %s", vida__step_choice_of(&run->row).name, run->row.method,
               run->row.options);
  const int code = vida__reserve(&series, &study->series_capacity,
                                 (size_t)study->series_names.count + 1, sizeof *study->series);
  study->series = series;
  const int before = study->series_names.count;
  const int number = code ? -1 : vida__add_string(&study->series_names, name);
  if (number < 0) {
    return vida__fail_memory(error);
  }
  run->next_of_series = -1;
  if (number == before) {
    study->series[number].first = last;
  } else {
    study->runs[study->series[number].last].next_of_series = last;
  }
  study->series[number].last = last;
  return VIDA_SUCCESS;
}

/* Adds the run to the study, which then owns it. On failure the study does not change. */
static int add_run(VidaStudy* study, vida_run* run, VidaError* error) {
  void* runs = study->runs;
  int code = vida__reserve(&runs, &study->capacity, (size_t)study->count + 1, sizeof(vida_run));
  study->runs = runs;
  if (code != VIDA_SUCCESS) {
    code = vida__fail_memory(error);
  } else {
    study->runs[study->count++] = *run;
    code = choose_grids(study, study->reference, study->count - 1, error);
    clear_row(study, &study->runs[study->count - 1]);
    code = code ? code : join_series(study, error);
    if (code == VIDA_SUCCESS) {
      vida__group_starts(study);
      return VIDA_SUCCESS;
    }
    VidaError unused;
    study->count--;
    choose_grids(study, study->reference, study->count, &unused); /* as it was before */
  }
  VidaOptions_Destroy(&run->options);
  free(run->own_start);
  return code;
}

int VidaStudy_AddRun(VidaStudy* study, const VidaOptions* method, VidaError* error) {
  vida_run run = {0};
  int code = VIDA_REFUSE_NULL(error, study, method);
  code = code ? code : check_method(method, error);
  if (!code && study->sweep) {
    return vida__add_sweep_method(study, method, error);
  }
  code = code ? code : describe_run(study, method, &run, error);
  return code ? code : add_run(study, &run, error);
}

int VidaStudy_AddRunFrom(VidaStudy* study, const VidaOptions* method, const char* label,
                         const double* q, const double* v, VidaError* error) {
  vida_run run = {0};
  int code = VIDA_REFUSE_NULL(error, study, method);
  code = code ? code : check_method(method, error);
  code = code ? code : describe_run(study, method, &run, error);
  if (!code && run.two_points) {
    VidaOptions_Destroy(&run.options);
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a run with a start of its own cannot start from two points");
  }
  if (!code && copy_start(study, label, q, v, &run, error)) {
    VidaOptions_Destroy(&run.options);
    return VIDA_OUT_OF_MEMORY;
  }
  return code ? code : add_run(study, &run, error);
}

int VidaStudy_SelectCoordinates(VidaStudy* study, int count, const int* coordinates,
                                VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, coordinates)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int n = VidaSystem_CoordinateCount(study->system);
  if (count < 1 || count > n || !coordinates) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "expected between 1 and %d coordinates to measure, got %d", n, count);
  }
  for (int i = 0; i < count; i++) {
    if (coordinates[i] < 0 || coordinates[i] >= n) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "there is no coordinate %d (there are %d)",
                        coordinates[i], n);
    }
    for (int j = 0; j < i; j++) {
      if (coordinates[j] == coordinates[i]) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "coordinate '%s' is selected twice",
                          VidaSystem_CoordinateName(study->system, coordinates[i]));
      }
    }
  }
  int* selection = vida__allocate((size_t)count, sizeof(int));
  if (!selection) {
    return vida__fail_memory(error);
  }
  memcpy(selection, coordinates, (size_t)count * sizeof(int));
  free(study->selection);
  study->selection = selection;
  study->selected = count;
  return VIDA_SUCCESS;
}

/* ---- carrying it out ------------------------------------------------------------------------ */

/* Measurements without a reference continue; the failure of the reference is returned at the end.
 */
static int run_without_reference(VidaStudy* study, const VidaObserver* observer, int failure,
                                 const VidaError* why, VidaError* error) {
  vida_reference* reference = study->reference;
  vida__append(study->notes, sizeof study->notes, "%sno errors against the reference: %s",
               study->notes[0] ? "\n" : "", why->message);
  study->reference = NULL;
  const int code = vida__make_runs(study, observer, error);
  study->reference = reference;
  for (int i = 0; i < study->count; i++) {
    if (!study->runs[i].own_start && VidaRow_Outcome(&study->runs[i].row) != VIDA_OUTCOME_NOT_RUN) {
      vida__add_remark(&study->runs[i].row, (VidaRemark){.kind = VIDA_REMARK_REFERENCE_FAILED},
                       NULL);
    }
  }
  if (!code && error) {
    *error = *why;
  }
  return code ? code : failure;
}

VidaStartOptions VidaStudy_StartOptions(const VidaOptions* options) {
  VidaStartOptions start = VidaStartOptions_Default();
  if (options) {
    start.adjust = VidaOptions_Get(options, "adjust_start") != 0.0;
    start.tolerance = VidaOptions_Get(options, "start_tolerance");
  }
  return start;
}

/* Runs from other starts are compared with other solutions. */
static bool is_reference_needed(const VidaStudy* study) {
  bool is_needed = study->reference->options == NULL;
  for (int i = 0; i < study->count; i++) {
    is_needed = is_needed || !study->runs[i].own_start;
  }
  return is_needed || study->count == 0;
}

/* Runs from starts without a reference were made without errors against it. */
static int fail_without_references(VidaStudy* study, VidaError* error) {
  const vida_missing_references* missing = &study->missing;
  long count = missing->count, starts = study->start_reference_count;
  char text[VIDA_MESSAGE_SIZE] = "";
  if (count == 0 || study->is_chunk) {
    return VIDA_SUCCESS;
  }
  if (study->sweep) { /* which has made other runs, too */
    count = vida__count_unreferenced(study);
    starts = study->sweep->starts.count;
  }
  const char* label = study->runs[missing->run].label;
  vida__append(text, sizeof text, "the reference failed from %ld of %ld starts%s%s: %.300s", count,
               starts, label[0] ? ", first from " : "", label, missing->why.message);
  vida__append(study->notes, sizeof study->notes, "%s%s", study->notes[0] ? "\n" : "", text);
  return vida__fail_flag(error, missing->why.code, missing->why.flag, "%s", text);
}

/* Runs of an earlier process, in which a time limit ended the reference or the estimate of its
 * error, are made again with what there is now. */
static void drop_runs_without_reference(VidaStudy* study) {
  for (int i = 0; i < study->count; i++) {
    vida_run* run = &study->runs[i];
    run->is_kept = run->is_kept && run->compared >= vida__comparison_of(study, run);
  }
}

static int run_study(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  const VidaStartOptions start = VidaStudy_StartOptions(study->options);
  int code =
      VidaSystem_Start(study->system, study->t0, &start, study->q0, study->v0, study->notes, error);
  study->start_notes = strlen(study->notes);
  vida__note_sweep(study);
  if (code == VIDA_SUCCESS && study->reference) {
    VidaError why = {0};
    code = vida__make_start_references(study, observer, &why);
    if (!code && is_reference_needed(study)) {
      code = vida__make_reference(study, observer, &why);
    }
    if (code && code != VIDA_STOPPED && code != VIDA_OUT_OF_MEMORY) {
      return run_without_reference(study, observer, code, &why, error);
    }
    if (code && error) {
      *error = why;
    }
  }
  drop_runs_without_reference(study);
  code = code ? code : vida__make_runs(study, observer, error);
  vida__sum_up_start_references(study);
  return code ? code : fail_without_references(study, error);
}

/* A comparison belongs to the parameters for which it was made; a later run must not use others. */
int vida__check_parameters(const VidaStudy* study, VidaError* error) {
  const VidaSystem* system = study->system;
  for (int i = 0; i < VidaSystem_ParameterCount(system); i++) {
    char numbers[2][VIDA_REAL_TEXT_SIZE];
    const double now = VidaSystem_ParameterValue(system, i);
    if (now != study->parameters[i]) {
      return vida__fail(error, VIDA_WRONG_ORDER,
                        "parameter '%s' of system '%s' was %s when the comparison was made, and is "
                        "%s now that it is run; comparisons of several values need a system each",
                        VidaSystem_ParameterName(system, i), VidaSystem_Name(system),
                        vida__shortest_text(numbers[0], study->parameters[i]),
                        vida__shortest_text(numbers[1], now));
    }
  }
  return VIDA_SUCCESS;
}

int VidaStudy_Run(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  VidaError problem = {0};
  if (study->sweep && study->sweep->made < study->sweep->starts.count) {
    return vida__fail(error, VIDA_WRONG_ORDER, "VidaSweep_Run makes the runs of a sweep first");
  }
  study->began = vida__read_clock();
  study->notes[0] = '\0';
  study->start_notes = 0;
  for (int i = 0; i < study->count; i++) {
    if (!study->runs[i].is_kept) {
      clear_row(study, &study->runs[i]);
    }
  }
  int code = vida__check_parameters(study, &problem);
  code = code ? code : run_study(study, observer, &problem);
  for (int i = 0; i < study->count; i++) {
    study->runs[i].is_kept = false; /* the next time all runs are made */
  }
  if (code == VIDA_SUCCESS) {
    return VIDA_SUCCESS;
  }
  /* Observers are user code and may return a code without a message. */
  if (problem.code == VIDA_SUCCESS) {
    vida__fail(&problem, code, "%s", Vida_CodeText(code));
  }
  if (error) {
    *error = problem;
  }
  return code;
}

/* ---- looking -------------------------------------------------------------------------------- */

const double* vida__run_q0(const VidaStudy* study, const vida_run* run) {
  const int n = VidaSystem_CoordinateCount(study->system);
  return run->own_start ? run->own_start + 2 * n : study->q0;
}

const double* vida__run_v0(const VidaStudy* study, const vida_run* run) {
  const int n = VidaSystem_CoordinateCount(study->system);
  return run->own_start ? run->own_start + 3 * n : study->v0;
}

int vida__measured_count(const VidaStudy* study) {
  return study->selection ? study->selected : VidaSystem_CoordinateCount(study->system);
}

double vida__study_difference(const VidaStudy* study, const double* x, const double* y, int count,
                              const int* selection) {
  return y && study->norm == VIDA_NORM_MIXED
             ? vida__mixed_difference(x, y, count, selection, study->mixed_scale)
             : vida__difference_norm(x, y, count, selection);
}

const VidaOptions* vida__study_options(const VidaStudy* study) {
  return study->options;
}

const VidaSystem* VidaStudy_System(const VidaStudy* study) {
  return study ? study->system : NULL;
}

int VidaStudy_RunCount(const VidaStudy* study) {
  return study ? study->count : 0;
}

const VidaRow* VidaStudy_Row(const VidaStudy* study, int run) {
  return study && run >= 0 && run < study->count ? &study->runs[run].row : NULL;
}

long VidaStudy_EventCount(const VidaStudy* study, int run) {
  return study && run >= 0 && run < study->count ? study->runs[run].events.count : 0;
}

long VidaStudy_Events(const VidaStudy* study, int run, const VidaStudyEvent** events) {
  const bool is_known = study && run >= 0 && run < study->count;
  if (events) {
    *events = is_known ? study->runs[run].events.events : NULL;
  }
  return is_known ? study->runs[run].events.kept : 0;
}

const char* VidaStudy_Notes(const VidaStudy* study) {
  return study ? study->notes : "";
}

const char* VidaStudy_Reference(const VidaStudy* study, double* position_error) {
  if (position_error) {
    *position_error = study && study->reference ? study->reference->position_error : NAN;
  }
  return study && study->reference ? study->reference->text : "";
}
