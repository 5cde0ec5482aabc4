/* What is measured when a run has reached its end: its time, by repetitions, and the defects of the
 * step map on its first steps. */
#include <math.h>

#include "base/error.h"
#include "study/measure/defects.h"
#include "study/reference/reference.h"
#include "study/remarks.h"
#include "study/run/running_run.h"
#include "system/model/model.h"

/* ---- time ------------------------------------------------------------------------------------ */

enum { MOST_REPEATS = 1000, LEAST_AUTOMATIC = 3, MOST_AUTOMATIC = 25 };
#define ENOUGH_SECONDS 0.2

/* Makes the same steps again, with progress but without samples. */
static int run_time_loop_again(vida_running_run* work, VidaError* error) {
  enum { TOGETHER = 64 }; /* steps between two reports of the progress */
  const VidaStudy* study = work->study;
  int code = vida__start_time_loop(&work->loop, vida__run_q0(study, work->run),
                                   vida__run_v0(study, work->run), error);
  if (!code && work->run->two_points) {
    code = vida__start_from_two_points(work, error);
  }
  while (!code && !vida__is_time_loop_over(&work->loop)) {
    code = vida__advance_time_loop(&work->loop, TOGETHER, error);
    code = code ? code : vida__show_progress(&work->loop, error);
  }
  work->study_must_end = code == VIDA_STOPPED;
  return code;
}

int vida__measure_time(vida_running_run* work, VidaError* error) {
  const long asked = (long)VidaOptions_Get(work->study->options, "repeats");
  const long most = asked > 0 ? asked : MOST_AUTOMATIC;
  double seconds[MOST_REPEATS];
  double total = work->loop.wall;
  long count = 1;
  int code = VIDA_SUCCESS;
  vida__describe_work(work, ", again");
  seconds[0] = work->loop.wall;
  while (!code && count < most &&
         (asked > 0 || count < LEAST_AUTOMATIC || total < ENOUGH_SECONDS)) {
    code = run_time_loop_again(work, error);
    if (!code) {
      seconds[count++] = work->loop.wall;
      total += work->loop.wall;
    }
  }
  vida__sort_numbers(seconds, count);
  work->row.wall_s = seconds[count / 2];
  if (code == VIDA_WALL_LIMIT) {
    char limit[VIDA_NAME_SIZE];
    vida__add_remark(&work->row, (VidaRemark){.kind = VIDA_REMARK_FEWER_REPEATS, .count = count},
                     vida__describe_limit(&work->deadline, limit));
    code = VIDA_SUCCESS;
  }
  return code;
}

/* ---- defects of the step map ----------------------------------------------------------------- */

static int start_stretch(void* data, const double* q, const double* v, VidaError* error) {
  return vida__start_time_loop(&((vida_running_run*)data)->loop, q, v, error);
}

static int step_stretch(void* data, VidaError* error) {
  vida_running_run* work = data;
  int code = vida__advance_time_loop(&work->loop, 1, error);
  code = code ? code : vida__show_progress(&work->loop, error);
  work->study_must_end = code == VIDA_STOPPED;
  return code;
}

/* If the steps of a stretch fail, the defect is not measured, and a remark gives the reason. */
static int finish_stretch(vida_running_run* work, const char* defect, int code, VidaError* error) {
  if (!code || work->study_must_end) {
    return code;
  }
  vida__add_remark(&work->row, (VidaRemark){.kind = VIDA_REMARK_DEFECT_FAILED, .word = defect},
                   error->message);
  return VIDA_SUCCESS;
}

/* With forces or nonholonomic rows the form is not preserved. */
static int measure_symplectic(vida_running_run* work, const vida_segment_runner* stretch,
                              VidaError* error) {
  const VidaStudy* study = work->study;
  VidaRow* row = &work->row;
  if (study->system->has_forces || study->system->nonholonomic) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_NO_FORM}, NULL);
    return VIDA_SUCCESS;
  }
  const int code = vida__measure_symplectic_defect(
      stretch, vida__run_q0(study, work->run), vida__run_v0(study, work->run), 1,
      &row->symplectic_defect, &row->symplectic_noise, error);
  return finish_stretch(work, "symplectic", code, error);
}

static int measure_reversibility(vida_running_run* work, const vida_segment_runner* stretch,
                                 VidaError* error) {
  const VidaStudy* study = work->study;
  VidaRow* row = &work->row;
  bool own = true;
  const int code = vida__measure_reversibility_defect(stretch, vida__run_q0(study, work->run),
                                                      vida__run_v0(study, work->run),
                                                      &row->reversibility_defect, &own, error);
  if (!code && !own) {
    row->reversibility_defect = NAN;
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_NO_WAY_BACK}, NULL);
  }
  return finish_stretch(work, "reversibility", code, error);
}

int vida__measure_defects(vida_running_run* work, VidaError* error) {
  const VidaOptions* options = work->study->options;
  const long asked = (long)VidaOptions_Get(options, "defect_steps");
  const long all = work->run->grid.full;
  const vida_segment_runner stretch = {.stepper = work->loop.stepper,
                                       .t0 = work->study->t0,
                                       .h = work->run->grid.h,
                                       .steps = asked < all ? asked : all,
                                       .start = start_stretch,
                                       .step = step_stretch,
                                       .data = work};
  int code = VIDA_SUCCESS;
  vida__describe_work(work, ", defects");
  if (VidaOptions_Get(options, "symplectic") != 0.0) {
    code = measure_symplectic(work, &stretch, error);
  }
  if (!code && VidaOptions_Get(options, "reversibility") != 0.0) {
    code = measure_reversibility(work, &stretch, error);
  }
  return code;
}
