/* Makes one run of a comparison: start, steps with monitors, samples, results. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/distance_steps.h"
#include "stepper/jumps.h"
#include "study/reference/reference.h"
#include "study/remarks.h"
#include "study/run/run_sizes.h"
#include "study/run/run_state.h"
#include "study/run/running_run.h"
#include "study/study.h"
#include "system/model/model.h"

static int emit_sample(vida_running_run* work, bool is_at_jump, VidaError* error) {
  const VidaObserver* observer = work->observer;
  work->sampled = work->loop.step;
  if (!work->has_samples) {
    return VIDA_SUCCESS;
  }
  const double t =
      is_at_jump ? VidaStepper_Time(work->loop.stepper) : vida__time_loop_time(&work->loop);
  int code = vida__complete_sample(&work->monitors, &work->loop, t, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  VidaSample sample = {
      .t = t,
      .q = VidaStepper_Positions(work->loop.stepper),
      .v = work->monitors.v,
      .energy = work->monitors.energy_now,
      .shadow_energy = work->monitors.shadow.now,
      .shadow_energy_t = work->monitors.shadow.t,
      .work = work->monitors.work_now,
      .momenta = work->monitors.momenta,
      .position_residuals = work->monitors.g,
      .velocity_residuals = work->monitors.g_rate,
      .observables = work->monitors.observables,
      .multipliers_t = NAN,
  };
  sample.multipliers = VidaStepper_Multipliers(work->loop.stepper, &sample.multipliers_t);
  if (vida__multipliers_at_jump(work->loop.stepper, work->monitors.multipliers_there)) {
    sample.multipliers = work->monitors.multipliers_there;
    sample.multipliers_t = sample.t;
  }
  const int m = VidaSystem_ConstraintCount(work->study->system);
  if (isnan(vida__difference_norm(sample.multipliers, NULL, m, NULL))) { /* not known yet */
    sample.multipliers_t = NAN;
  }
  code = observer->sample(observer->data, work->index, &sample, error);
  work->study_must_end = code != VIDA_SUCCESS;
  return code;
}

/* Processes a jump, at a node or not: the work, and one sample on each side. */
static int observe_jump(void* data, VidaStepper* stepper, VidaError* error) {
  vida_running_run* work = data;
  int code = vida__observe_jump(&work->monitors, &work->loop, error);
  const double t = VidaStepper_Time(stepper), node = vida__time_loop_time(&work->loop);
  const bool is_node = fabs(t - node) <= 1e-9 * work->run->grid.h;
  if (code || !work->has_samples ||
      (is_node && stepper->jumps->is_left && work->sampled == work->loop.step)) {
    return code; /* no observer, or the row is present */
  }
  code = vida__measure_sample(&work->monitors, &work->loop, error);
  return code ? code : emit_sample(work, true, error);
}

/* Stores an event, and counts what it changes. */
static int observe_event(const VidaEventRecord* record, void* data) {
  vida_running_run* work = data;
  const int code = vida__add_event(&work->run->events, record);
  return code ? code : vida__observe_event(&work->monitors, &work->loop, record);
}

int vida__start_from_two_points(vida_running_run* work, VidaError* error) {
  const VidaStudy* study = work->study;
  long cursor = 0;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  if (!study->reference) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "start = two-point takes its second point from the reference, which failed");
  }
  const long second = vida__reference_step(study, work->run, 1);
  const long state = vida__find_state(study->reference, second, &cursor);
  if (state < 0) {
    return vida__fail(error, VIDA_WRONG_ORDER, "the reference has no state at t0 + h");
  }
  return vida__start_time_loop_two_points(&work->loop, study->q0,
                                          study->reference->q + (size_t)state * n, error);
}

int vida__find_own_start(const VidaStudy* study, vida_run* run, VidaError* error) {
  const int n = VidaSystem_CoordinateCount(study->system);
  double* own = run->own_start;
  if (!own) {
    return VIDA_SUCCESS;
  }
  VidaStartOptions start = VidaStudy_StartOptions(study->options);
  start.positions = own;
  start.velocities = own + n;
  const int code =
      VidaSystem_Start(study->system, study->t0, &start, own + 2 * n, own + 3 * n, NULL, error);
  for (int i = 2 * n; i < 4 * n && code != VIDA_SUCCESS; i++) {
    own[i] = NAN; /* there are no values of a start that was not found */
  }
  return code;
}

/* Energy and momentum are compared with those of the consistent start also for a run from two
 * points, whose own momentum differs: papers count this difference as an error of the method. */
static int start_monitors(vida_running_run* work, VidaError* error) {
  const VidaStudy* study = work->study;
  int code = vida__find_own_start(study, work->run, error);
  code = code ? code
              : vida__create_time_loop(study->system, work->run->options, &work->run->grid,
                                       work->spare, &work->loop, error);
  if (code == VIDA_SUCCESS) {
    vida__observe_time_loop(&work->loop, work->observer, work->index, work->what, work->deadline);
    code = vida__start_time_loop(&work->loop, vida__run_q0(study, work->run),
                                 vida__run_v0(study, work->run), error);
  }
  if (code == VIDA_SUCCESS) {
    code = vida__begin_monitors(&work->monitors, &work->loop, error);
  }
  if (code == VIDA_SUCCESS) {
    work->run->sizes = (vida_run_sizes){0};
    code = vida__take_sizes(&work->monitors, &work->loop, vida__run_v0(study, work->run),
                            &work->run->sizes, error);
  }
  return code;
}

/* Events and jumps are observed from now on. */
static void observe_stepper(vida_running_run* work) {
  vida__set_jump_function(work->loop.stepper, observe_jump, work);
  vida__observe_events(work->loop.stepper, observe_event, work);
}

static int start_run(vida_running_run* work, VidaError* error) {
  int code = start_monitors(work, error);
  if (code == VIDA_SUCCESS) {
    code = emit_sample(work, false, error);
    observe_stepper(work);
  }
  return code || !work->run->two_points ? code : vida__start_from_two_points(work, error);
}

static int observe_run(vida_running_run* work, VidaError* error) {
  int code = vida__observe_step(&work->monitors, &work->loop, error);
  if (code == VIDA_SUCCESS &&
      (vida__is_sampled(work->run, work->loop.step) || VidaStepper_HasEnded(work->loop.stepper))) {
    code = emit_sample(work, false, error);
  }
  return code;
}

void vida__describe_work(vida_running_run* work, const char* part) {
  vida__describe_steps(work->run->options, work->what, sizeof work->what);
  vida__append(work->what, sizeof work->what, "%s", part);
}

static int begin_time_loop(vida_running_run* work, VidaError* error) {
  vida__describe_work(work, "");
  if (work->goes_on) {
    return VIDA_SUCCESS;
  }
  const int code = start_run(work, error);
  return code == VIDA_SUCCESS && work->loop.step > 0 ? observe_run(work, error) : code;
}

static bool is_at_end(const vida_running_run* work) {
  return vida__is_time_loop_over(&work->loop);
}

/* Whoever keeps states is called by one run at a time, as observers are. */
static void lock_study(const VidaStudy* study) {
  if (study->lock) {
    pthread_mutex_lock(study->lock);
  }
}

static void unlock_study(const VidaStudy* study) {
  if (study->lock) {
    pthread_mutex_unlock(study->lock);
  }
}

/* Keeps the state of the run, unless it could not go on from there bit for bit. A state that cannot
 * be kept costs time after a kill, but no result. */
static void keep_state(vida_running_run* work) {
  const double share = 20.0; /* of the time at most 1/20 */
  vida_record state = {0};
  VidaError ignored;
  const double begin = vida__read_clock();
  bool is_kept = false;
  int code = vida__put_run_state(&work->loop, &work->monitors, work->study, work->sampled, &state,
                                 &is_kept, &ignored);
  if (!code && is_kept) {
    lock_study(work->study);
    code = work->keeper->keep(work->keeper->data, work->index, &state, &ignored);
    unlock_study(work->study);
  }
  vida__free_record(&state);
  const double end = vida__read_clock(), pause = share * (end - begin) - work->keeper->interval;
  work->kept = end + (pause > 0.0 ? pause : 0.0);
  work->keeper = code || !is_kept ? NULL : work->keeper;
}

/* Observes the step that has just been made, unless it has failed with a code. */
static int follow_step(vida_running_run* work, int code, VidaError* error) {
  code = code ? code : observe_run(work, error);
  if (work->keeper && !code && work->loop.clock - work->kept >= work->keeper->interval &&
      work->loop.step < work->loop.grid.full) {
    keep_state(work);
  }
  return code ? code : vida__show_progress(&work->loop, error);
}

static void end_time_loop(vida_running_run* work, int code) {
  vida__set_jump_function(work->loop.stepper, NULL, NULL);
  VidaStepper_SetEventObserver(work->loop.stepper, NULL, NULL, NULL);
  work->study_must_end = work->study_must_end || code == VIDA_STOPPED;
}

static int run_time_loop(vida_running_run* work, VidaError* error) {
  int code = begin_time_loop(work, error);
  while (code == VIDA_SUCCESS && !is_at_end(work)) {
    code = follow_step(work, vida__advance_time_loop(&work->loop, 1, error), error);
  }
  end_time_loop(work, code);
  return code;
}

static bool is_interrupt(int code) {
  return code == VIDA_STOPPED || code == VIDA_WALL_LIMIT;
}

/* A step that failed or was interrupted leaves the state before it, which is the last sample. */
static int emit_last_state(vida_running_run* work, int code, VidaError* error) {
  VidaError ignored;
  if ((code <= 0 && !is_interrupt(code)) || work->sampled < 0 || work->sampled == work->loop.step) {
    return VIDA_SUCCESS;
  }
  const int n = VidaSystem_CoordinateCount(work->study->system);
  const double* q = VidaStepper_Positions(work->loop.stepper);
  if (!isfinite(vida__difference_norm(q, NULL, n, NULL)) || !isfinite(work->monitors.energy_now)) {
    return VIDA_SUCCESS;
  }
  if (VidaStepper_Velocities(work->loop.stepper, work->monitors.v, &ignored) != VIDA_SUCCESS) {
    return VIDA_SUCCESS;
  }
  return emit_sample(work, false, error);
}

static void describe_failure(vida_running_run* work, int code, const VidaError* problem) {
  VidaRow* row = &work->row;
  vida__forget_measurements(row);
  vida__finish_early(&work->monitors, row);
  row->status[0] = '\0';
  vida__append(row->status, sizeof row->status, "%s",
               problem->flag[0] ? problem->flag : Vida_CodeName(code));
  vida__clear_remarks(row);
  vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_FAILURE},
                   problem->message[0] ? problem->message : Vida_CodeText(code));
  vida__remark_on_dependence(&work->monitors, row);
  const VidaStatus* status = Vida_FindStatus(row->status);
  row->doubtful |= status->doubtful;
  if (!status->doubtful) {
    vida__remark_on_deviations(&work->monitors, row);
  }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void remark_on_velocities(const vida_running_run* work, VidaRow* row) {
  double t;
  const char* constraint = vida__velocity_jump(work->loop.stepper, &t);
  if (constraint) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_VELOCITY_JUMP, .t = t}, constraint);
  }
}

/* Compares the events of a run that has reached its end with those of the reference. */
static void compare_events(const vida_running_run* work, VidaRow* row) {
  const VidaStudy* study = work->study;
  const vida_event_list* events = &work->run->events;
  const vida_reference* reference = vida__reference_of(study, work->run);
  int differs;
  if (!reference || !reference->events.counts) { /* none, or it does not know events */
    return;
  }
  row->event_error = vida__compare_events(events, &reference->events, &differs);
  if (differs >= 0) {
    VidaEventKind kind;
    const char* name = vida__source_name(study->system, differs, &kind);
    vida__add_remark(
        row,
        (VidaRemark){.kind = VIDA_REMARK_OTHER_EVENTS,
                     .word = kind == VIDA_EVENT_ZERO ? "event" : Vida_EventKindName((int)kind),
                     .a = (double)reference->events.counts[differs],
                     .count = events->counts[differs]},
        name);
  }
}

/* Counts the events up to the last state of the run, and remarks on them. */
static void finish_events(vida_running_run* work, int code, VidaRow* row) {
  vida_event_list* events = &work->run->events;
  vida__forget_events_after(events, row->t_end);
  row->events = events->count;
  if (vida__count_sources(work->study->system) == 0 ||
      VidaOptions_Get(work->study->options, "events") == 0.0) {
    return;
  }
  if (!code && VidaStepper_HasEnded(work->loop.stepper) && events->last.name) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_ENDED_BY_EVENT, .t = row->t_end},
                     events->last.name);
  }
  if (events->count > events->kept) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_EVENTS_DROPPED, .count = events->kept},
                     NULL);
  }
  if (!code) {
    compare_events(work, row);
  }
}

static int finish_run(vida_running_run* work, int code, VidaError* problem) {
  VidaRow* row = &work->row;
  vida__clear_remarks(row);
  if (code == VIDA_SUCCESS) {
    code = vida__finish_sizes(&work->monitors, &work->loop, &work->run->sizes, problem);
    code = code ? code : vida__finish_monitors(&work->monitors, row, problem);
  }
  const VidaStatistics statistics = vida__time_loop_statistics(&work->loop);
  row->t_end = vida__time_loop_time(&work->loop);
  row->steps = work->run->adaptive ? statistics.steps : work->loop.step;
  row->forced_steps = work->run->adaptive ? statistics.forced_steps : 0;
  row->newton_iterations = statistics.newton_iterations;
  row->residual_evaluations = statistics.residual_evaluations;
  row->jacobian_evaluations = statistics.jacobian_evaluations;
  row->wall_s = work->loop.wall;
  row->status[0] = '\0';
  if (code != VIDA_SUCCESS) {
    describe_failure(work, code, problem);
  } else {
    vida__append(row->status, sizeof row->status, "ok");
  }
  if (vida__lacks_reference(work->study, work->run)) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_REFERENCE_FAILED}, NULL);
  }
  finish_events(work, code, row);
  vida__remark_on_passages(&work->monitors, &work->loop, row);
  remark_on_velocities(work, row);
  vida__remark_on_switches(&work->monitors, row);
  vida__remark_on_observables(&work->monitors, row);
  return code;
}

static int notify_observer(const vida_running_run* work,
                           int (*tell)(void*, int, const VidaRow*, VidaError*), VidaError* error) {
  return tell ? tell(work->observer->data, work->index, &work->row, error) : VIDA_SUCCESS;
}

/* Observers may read the rows of parallel runs at the end of any of them. */
static void publish_row(const vida_running_run* work) {
  lock_study(work->study);
  work->run->row = work->row;
  unlock_study(work->study);
}

/* Its status stays NOT_RUN. */
static void skip_run(vida_running_run* work) {
  char limit[VIDA_NAME_SIZE];
  const vida_deadline deadline = vida__set_deadline(work->study);
  vida__clear_remarks(&work->row);
  vida__add_remark(&work->row, (VidaRemark){.kind = VIDA_REMARK_TOO_LATE},
                   vida__describe_limit(&deadline, limit));
  publish_row(work);
}

/* Creates the monitors. Where an earlier process has kept a state of the run, makes its start and
 * goes on from there. A state that does not fit is not used. */
static int prepare_run(vida_running_run* work, VidaError* error) {
  VidaStudy* study = work->study;
  vida_record state = {0};
  VidaError ignored;
  int code = vida__create_events(study->system, &work->run->events, error);
  code = code ? code : vida__create_monitors(study, work->run, &work->monitors, error);
  if (code || !work->keeper) {
    return code;
  }
  lock_study(study);
  const bool is_found = work->keeper->find(work->keeper->data, work->index, &state);
  unlock_study(study);
  if (is_found) {
    work->goes_on =
        !start_monitors(work, &ignored) &&
        !vida__get_run_state(&work->loop, &work->monitors, study, &work->sampled, &state, &ignored);
  }
  lock_study(study);
  work->keeper->choose(work->keeper->data, work->index, work->goes_on);
  unlock_study(study);
  vida__free_record(&state);
  work->kept = vida__read_clock();
  if (work->goes_on) {
    vida__observe_time_loop(&work->loop, work->observer, work->index, work->what, work->deadline);
    observe_stepper(work);
  } else if (work->loop.stepper) {
    vida__destroy_time_loop(&work->loop);
    vida__destroy_monitors(&work->monitors);
    vida__clear_events(&work->run->events);
    work->loop.grid = work->run->grid;
    work->sampled = -1;
    code = vida__create_monitors(study, work->run, &work->monitors, error);
  }
  return code;
}

/* Begins a run, or skips it after the end of the time of the study (*is_open: false). */
static int open_run(vida_running_run* work, VidaStudy* study, int index,
                    const VidaObserver* observer, bool may_be_kept, VidaStepper** spare,
                    bool* is_open, VidaError* error) {
  static const VidaObserver nobody = {0};
  *work = (vida_running_run){.study = study,
                             .run = &study->runs[index],
                             .row = study->runs[index].row,
                             .index = index,
                             .observer = observer ? observer : &nobody,
                             .keeper = may_be_kept ? study->keeper : NULL,
                             .loop.grid = study->runs[index].grid,
                             .spare = spare,
                             .sampled = -1};
  observer = work->observer;
  work->has_samples =
      observer->sample && (!observer->has_samples || observer->has_samples(observer->data, index));
  *is_open = false;
  work->run->joint_steps = 0;
  if (vida__is_over(study)) {
    skip_run(work);
    return VIDA_SUCCESS;
  }
  work->deadline = vida__set_deadline(study);
  vida__destroy_events(&work->run->events);
  int code = prepare_run(work, error);
  if (code == VIDA_SUCCESS) {
    code = notify_observer(work, work->observer->begin, error);
  }
  if (code != VIDA_SUCCESS) {
    vida__destroy_time_loop(&work->loop);
    vida__destroy_monitors(&work->monitors);
  }
  *is_open = code == VIDA_SUCCESS;
  return code;
}

/* Ends an open run after its time loop, which has ended with a code and a problem. */
static int close_run(vida_running_run* work, int code, VidaError problem, VidaError* error) {
  const VidaStudy* study = work->study;
  if (code != VIDA_SUCCESS && (!work->study_must_end || is_interrupt(code))) {
    VidaError observer_problem = {0};
    const bool must_end = work->study_must_end;
    const int told = emit_last_state(work, code, &observer_problem);
    if (work->study_must_end && !must_end) {
      code = told;
      problem = observer_problem;
    }
    work->study_must_end = work->study_must_end || must_end;
  }
  code = finish_run(work, code, &problem);
  if (code == VIDA_SUCCESS && VidaOptions_Get(study->options, "repeats") != 1.0) {
    code = vida__measure_time(work, &problem);
  }
  if (code == VIDA_SUCCESS) {
    code = vida__measure_defects(work, &problem);
  }
  publish_row(work);
  const bool is_reusable = code == VIDA_SUCCESS;
  int result = VIDA_SUCCESS;
  if (work->study_must_end) {
    result = code;
    if (error) {
      *error = problem;
    }
  }
  /* A stopped run has ended for its observer too; one that could not be written has not. */
  if (result == VIDA_SUCCESS || result == VIDA_STOPPED) {
    const int told = notify_observer(work, work->observer->end, error);
    result = told != VIDA_SUCCESS ? told : result;
  }
  vida__leave_time_loop(&work->loop, is_reusable ? work->spare : NULL);
  vida__destroy_monitors(&work->monitors);
  return result;
}

int vida__make_run(VidaStudy* study, int index, const VidaObserver* observer, VidaError* error) {
  vida_running_run work;
  VidaError problem = {0};
  bool is_open;
  int code = open_run(&work, study, index, observer, true, NULL, &is_open, error);
  if (!is_open) {
    return code;
  }
  code = run_time_loop(&work, &problem);
  return close_run(&work, code, problem, error);
}

/* ---- several runs at once -------------------------------------------------------------------- */

/* Runs whose steps are made at once. */
struct vida_joint_runs {
  vida_ensemble* ensemble;
  int count; /* of runs that are open */
  vida_running_run work[VIDA_LANES];
  int code[VIDA_LANES]; /* of their time loops */
  VidaError problem[VIDA_LANES];
  int method; /* first run with the options of the spare steppers */
  VidaStepper* spare[VIDA_LANES];
};

int vida__count_together(const VidaStudy* study, int index, int most) {
  const vida_run* first = &study->runs[index];
  const VidaOptions* options = study->options;
  int count = 1;
  if (!first->own_start || first->two_points || first->adaptive ||
      VidaOptions_Get(options, "lanes") == 0.0 || VidaOptions_Get(options, "repeats") != 1.0 ||
      VidaOptions_Get(options, "shadow") != 0.0 ||        /* needs the action of each step */
      isfinite(VidaOptions_Get(options, "wall_limit"))) { /* its clock would measure all of them */
    return 1;
  }
  most = most < VIDA_LANES ? most : VIDA_LANES;
  while (count < most && index + count < study->count &&
         study->runs[index + count].first == first->first && !study->runs[index + count].is_kept) {
    count++;
  }
  return count;
}

/* Opens and starts the next run. Fails only if the study cannot continue. */
static int join_run(vida_joint_runs* runs, VidaStudy* study, int index,
                    const VidaObserver* observer, VidaError* error) {
  const int k = runs->count;
  bool is_open;
  const int code =
      open_run(&runs->work[k], study, index, observer, false, &runs->spare[k], &is_open, error);
  if (is_open) {
    runs->count++;
    runs->problem[k] = (VidaError){0};
    runs->code[k] = begin_time_loop(&runs->work[k], &runs->problem[k]);
  }
  return code;
}

static bool is_running(const vida_joint_runs* runs, int k) {
  return runs->code[k] == VIDA_SUCCESS && !is_at_end(&runs->work[k]);
}

/* If one run ends the study, the others that are not at their end stop with it. */
static void stop_all(vida_joint_runs* runs) {
  for (int k = 0; k < runs->count; k++) {
    if (is_running(runs, k)) {
      char t[VIDA_REAL_TEXT_SIZE];
      runs->code[k] =
          vida__fail(&runs->problem[k], VIDA_STOPPED, "%s at t = %s", Vida_CodeText(VIDA_STOPPED),
                     vida__real_text(t, vida__time_loop_time(&runs->work[k].loop), 12));
    }
  }
}

/* Observes the step with index s of those that were made at once, if its node need not be shown. */
static bool observe_unseen(const vida_ensemble* ensemble, vida_running_run* work, int lane, long s,
                           const vida_joint_bounds* bounds) {
  vida_joint_node node;
  if (!vida__ensemble_read(ensemble, lane, s, work->loop.stepper, &node) ||
      !vida__observe_joint_node(&work->monitors, &work->loop, bounds, &node)) {
    return false;
  }
  vida__pass_joint_step(&work->loop);
  if (vida__is_sampled(work->run, work->loop.step)) {
    work->sampled = work->loop.step;
  }
  return true;
}

/* Observes the steps of run k that were made at once. The last node is always shown: the motion
 * continues from there. */
static void follow_joint_steps(vida_joint_runs* runs, int k, int lane, long made) {
  vida_running_run* work = &runs->work[k];
  VidaError* problem = &runs->problem[k];
  vida_joint_bounds bounds;
  const bool are_unseen =
      !work->has_samples && vida__begin_joint_nodes(&work->monitors, &work->loop, &bounds);
  for (long s = 0; s < made && !runs->code[k]; s++) {
    if (are_unseen && s < made - 1 && observe_unseen(runs->ensemble, work, lane, s, &bounds)) {
      continue;
    }
    const int code = vida__show_joint_step(runs->ensemble, &work->loop, lane, s, problem);
    runs->code[k] = follow_step(work, code, problem);
    if (runs->code[k] && s < made - 1) {
      vida__ensemble_end(runs->ensemble, lane, s, work->loop.stepper);
    }
  }
}

/* Makes steps of run k alone, up to `step`. */
static void step_alone(vida_joint_runs* runs, int k, bool is_rejected, long step) {
  vida_running_run* work = &runs->work[k];
  VidaError* problem = &runs->problem[k];
  do {
    const int code = is_rejected ? vida__make_rejected_step(&work->loop, problem)
                                 : vida__advance_time_loop(&work->loop, 1, problem);
    runs->code[k] = follow_step(work, code, problem);
    is_rejected = false;
  } while (is_running(runs, k) && work->loop.step < step);
}

/* Makes steps of each run that is not at its end. Returns whether there was one. */
static bool step_runs(vida_joint_runs* runs) {
  vida_time_loop* loops[VIDA_LANES];
  vida_lane_result results[VIDA_LANES];
  int index[VIDA_LANES], running = 0;
  long step = 0;
  for (int k = 0; k < runs->count; k++) {
    if (is_running(runs, k)) {
      /* The progress is that of the first one. */
      runs->work[k].loop.observer = running == 0 ? runs->work[k].observer : NULL;
      loops[running] = &runs->work[k].loop;
      index[running++] = k;
    }
  }
  const long made = running > 0 ? vida__advance_time_loops(runs->ensemble, loops, running,
                                                           VIDA_CALM_STEPS, results)
                                : 0;
  for (int j = 0; j < running; j++) { /* where the foremost run will be */
    const long reached = loops[j]->step + (results[j] == VIDA_LANE_MADE ? made : 1);
    step = reached > step ? reached : step;
  }
  bool is_over = false;
  for (int j = 0; j < running; j++) {
    const int k = index[j];
    if (results[j] == VIDA_LANE_MADE) { /* at the end of the study, too: the steps were made */
      follow_joint_steps(runs, k, j, made);
    } else if (!is_over) {
      step_alone(runs, k, results[j] == VIDA_LANE_REJECTED, step);
    }
    is_over = is_over || runs->work[k].study_must_end || runs->code[k] == VIDA_STOPPED;
  }
  if (is_over) {
    stop_all(runs);
    return false;
  }
  return running > 0;
}

/* Ends the runs, in their order. Returns the first code that ends the study. */
static int close_runs(vida_joint_runs* runs, VidaError* error) {
  int result = VIDA_SUCCESS;
  for (int k = 0; k < runs->count; k++) {
    VidaError own = {0};
    runs->work[k].loop.observer = runs->work[k].observer;
    runs->work[k].run->joint_steps = runs->work[k].loop.joint_steps;
    end_time_loop(&runs->work[k], runs->code[k]);
    const int code = close_run(&runs->work[k], runs->code[k], runs->problem[k], &own);
    if (code && !result) {
      result = code;
      if (error) {
        *error = own;
      }
    }
  }
  return result;
}

static void drop_spares(vida_joint_runs* runs) {
  for (int k = 0; k < VIDA_LANES; k++) {
    VidaStepper_Destroy(&runs->spare[k]);
  }
}

void vida__free_joint_runs(vida_joint_runs** joint) {
  if (*joint) {
    drop_spares(*joint);
    free(*joint);
    *joint = NULL;
  }
}

/* Makes memory for runs with the options of run `index`. */
static int prepare_joint_runs(const VidaStudy* study, int index, vida_joint_runs** joint,
                              VidaError* error) {
  const int method = study->runs[index].first;
  *joint = *joint ? *joint : vida__allocate(1, sizeof **joint);
  if (!*joint) {
    return vida__fail_memory(error);
  }
  if ((*joint)->method != method) {
    drop_spares(*joint);
  }
  (*joint)->method = method;
  (*joint)->count = 0;
  return VIDA_SUCCESS;
}

int vida__make_runs_together(VidaStudy* study, int index, int count, const VidaObserver* observer,
                             vida_joint_runs** joint, int* made, VidaError* error) {
  VidaError unused, failure = {0};
  *made = 1;
  if (prepare_joint_runs(study, index, joint, error)) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida_joint_runs* runs = *joint;
  int code = join_run(runs, study, index, observer, &failure);
  if (runs->count == 1 && is_running(runs, 0) &&
      vida__ensemble_create(runs->work[0].loop.stepper, &runs->ensemble, &unused)) {
    vida__ensemble_destroy(&runs->ensemble); /* without memory, it runs alone */
  }
  while (!code && runs->ensemble && *made < count) {
    code = join_run(runs, study, index + (*made)++, observer, &failure);
  }
  if (code) {
    stop_all(runs);
  }
  while (!code && runs->ensemble && step_runs(runs)) {}
  while (!code && !runs->ensemble && runs->count == 1 && is_running(runs, 0)) {
    runs->code[0] = follow_step(&runs->work[0],
                                vida__advance_time_loop(&runs->work[0].loop, 1, &runs->problem[0]),
                                &runs->problem[0]);
  }
  const int closed = close_runs(runs, error);
  if (code && error) {
    *error = failure;
  }
  vida__ensemble_destroy(&runs->ensemble);
  return code ? code : closed;
}
