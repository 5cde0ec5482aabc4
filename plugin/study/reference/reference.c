#include "study/reference/reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/jumps.h"
#include "study/time/time_loop.h"
#include "study/work/work_integral.h"

/* ---- what to keep --------------------------------------------------------------------------- */

static bool is_state_needed(const VidaStudy* study, long step) {
  if (step == vida__count_steps(&study->reference->grid)) {
    return true;
  }
  for (int i = 0; i < study->count; i++) {
    const vida_run* run = &study->runs[i];
    if (run->own_start) {
      continue;
    }
    if (!run->end_only && step % run->reference_between == 0) {
      return true;
    }
    if (run->two_points && step == vida__reference_step(study, run, 1)) {
      return true;
    }
  }
  return false;
}

/* Times count in steps of the reference from t0. Methods give their newest multipliers at the end,
 * in the middle or at the beginning of a step; since the method of a run is not known yet, the
 * neighbours of all three times are stored. */
static bool is_multiplier_needed(const VidaStudy* study, double time) {
  const double unit = study->reference->grid.h;
  for (int i = 0; i < study->count; i++) {
    const vida_run* run = &study->runs[i];
    if (run->own_start) {
      continue;
    }
    const double step = run->grid.h / unit;
    const double last = (run->grid.last > 0.0 ? run->grid.last : run->grid.h) / unit;
    for (int halves = 0; halves <= 2; halves++) {
      if (fabs(time + 0.5 * halves * last - study->time / unit) < 1.01) {
        return true;
      }
      if (run->end_only) {
        continue;
      }
      const double between = (double)run->reference_between;
      const double end_of_step = time + 0.5 * halves * step;
      if (fabs(end_of_step - between * floor(end_of_step / between + 0.5)) < 1.01) {
        return true;
      }
    }
  }
  return false;
}

static void forget_solution(vida_reference* reference) {
  free(reference->steps);
  free(reference->q);
  free(reference->v);
  free(reference->multiplier_t);
  free(reference->multipliers);
  reference->steps = NULL;
  reference->q = reference->v = reference->multiplier_t = reference->multipliers = NULL;
  reference->states = reference->multiplier_count = 0;
  reference->extent = 0.0;
  reference->passed_t = reference->ended_t = NAN;
  vida__destroy_events(&reference->events);
  reference->position_error = reference->known.state ? reference->known.error : (double)NAN;
}

long vida__needed_states(const VidaStudy* study) {
  const long steps = vida__count_steps(&study->reference->grid);
  long count = 0;
  for (long step = 1; step <= steps; step++) {
    count += is_state_needed(study, step) ? 1 : 0;
  }
  return count;
}

int vida__reserve_states(const VidaStudy* study, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t count = (size_t)vida__needed_states(study);
  forget_solution(reference);
  reference->steps = vida__allocate(count, sizeof(long));
  reference->q = vida__allocate(count, n * sizeof(double));
  reference->v = vida__allocate(count, n * sizeof(double));
  if (!reference->steps || !reference->q || !reference->v) {
    return vida__fail(error, VIDA_OUT_OF_MEMORY,
                      "there is no memory for %zu states of the reference", count);
  }
  return VIDA_SUCCESS;
}

/* ---- making it ------------------------------------------------------------------------------ */

static void describe_reference(vida_reference* reference, const VidaOptions* method) {
  char options[VIDA_OPTIONS_SIZE];
  reference->text[0] = '\0';
  vida__describe_steps(method, reference->text, sizeof reference->text);
  VidaOptions_Describe(method, options, sizeof options);
  if (options[0] != '\0') {
    vida__append(reference->text, sizeof reference->text, ", %s", options);
  }
}

int vida__create_reference(const VidaStudy* study, const VidaOptions* method,
                           vida_reference** reference, VidaError* error) {
  if (VidaOptions_HasChoice(method, "start", "two-point")) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the reference cannot start from two points: its second point would have to "
                      "come from itself");
  }
  vida_reference* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->candidate = -1;
  made->position_error = NAN;
  made->order = Vida_MethodOrder(method);
  made->adaptive = Vida_IsAdaptive(method);
  made->automatic = made->adaptive && !VidaOptions_IsSet(method, "h");
  int code = made->automatic ? VIDA_SUCCESS
                             : vida__make_grid(study->t0, study->time, VidaOptions_Get(method, "h"),
                                               study->shorten, &made->grid, error);
  if (code == VIDA_SUCCESS) {
    code = VidaOptions_Copy(method, &made->options, error);
  }
  if (code != VIDA_SUCCESS) {
    vida__destroy_reference(&made);
    return code;
  }
  describe_reference(made, method);
  *reference = made;
  return VIDA_SUCCESS;
}

/* ---- without being told a method ------------------------------------------------------------- */

/* The candidates of an automatic reference, tried in this order until one reaches the end. The
 * first has an embedded pair whose error estimate detects forces of time alone, unlike that of
 * fehlberg. */
static const struct {
  const char* method;
  const char* options[6]; /* names and values */
} candidates[] = {
    {"coordinate-projection", {"integrator", "verner", "rtol", "1e-13", "max_steps", "2000"}},
    {"radau", {"rtol", "1e-11"}},
    {"radau", {"rtol", "1e-9"}}};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

static int candidate_options(int candidate, VidaOptions** options, VidaError* error) {
  const char* const* given = candidates[candidate].options;
  int code = VidaOptions_Create(candidates[candidate].method, options, error);
  for (int i = 0; i < 6 && given[i] && code == VIDA_SUCCESS; i += 2) {
    code = VidaOptions_SetText(*options, given[i], given[i + 1], error);
  }
  if (code != VIDA_SUCCESS) {
    VidaOptions_Destroy(options);
  }
  return code;
}

int VidaStudy_SetAutomaticReference(VidaStudy* study, VidaError* error) {
  VidaOptions* options = NULL;
  vida_reference* reference = NULL;
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = candidate_options(0, &options, error);
  code = code ? code : vida__create_reference(study, options, &reference, error);
  VidaOptions_Destroy(&options);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  reference->candidate = 0;
  return vida__set_reference(study, reference, error);
}

/* An automatic reference has the law of impact of the first run that sets one. */
static int take_impact_law(const VidaStudy* study, VidaOptions* options, VidaError* error) {
  static const char* const name = "impact_law";
  for (int i = 0; i < study->count; i++) {
    if (VidaOptions_IsSet(study->runs[i].options, name)) {
      char law[32];
      VidaOptions_Text(study->runs[i].options, name, law, sizeof law);
      return VidaOptions_SetText(options, name, law, error);
    }
  }
  return VIDA_SUCCESS;
}

/* Begins with the first candidate again, because a study may be run twice. */
int vida__choose_candidate(const VidaStudy* study, int candidate, VidaError* error) {
  vida_reference* reference = study->reference;
  VidaOptions* options = NULL;
  if (candidate < 0 || candidate >= CANDIDATES) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there is no automatic reference %d", candidate);
  }
  int code = candidate_options(candidate, &options, error);
  code = code ? code : VidaOptions_SetReal(options, "h", reference->grid.h, error);
  code = code ? code : take_impact_law(study, options, error);
  if (code != VIDA_SUCCESS) {
    VidaOptions_Destroy(&options);
    return code;
  }
  VidaOptions_Destroy(&reference->options);
  reference->options = options;
  reference->candidate = candidate;
  describe_reference(reference, options);
  return VIDA_SUCCESS;
}

void vida__destroy_reference(vida_reference** reference) {
  if (!*reference) {
    return;
  }
  forget_solution(*reference);
  VidaOptions_Destroy(&(*reference)->options);
  free((*reference)->known_data);
  free(*reference);
  *reference = NULL;
}

static int keep_state(const VidaStudy* study, vida_time_loop* loop, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t offset = (size_t)reference->states * n;
  memcpy(reference->q + offset, VidaStepper_Positions(loop->stepper), n * sizeof(double));
  const int code = VidaStepper_Velocities(loop->stepper, reference->v + offset, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const bool has_ended = VidaStepper_HasEnded(loop->stepper);
  reference->ended_t = has_ended ? VidaStepper_Time(loop->stepper) : (double)NAN;
  reference->steps[reference->states] = has_ended ? VIDA_END_BY_EVENT : loop->step;
  reference->states += 1;
  return VIDA_SUCCESS;
}

typedef struct multiplier_room {
  size_t times, values; /* capacities */
} multiplier_room;

static int store_multipliers(vida_reference* reference, size_t m, double t,
                             const double* multipliers, multiplier_room* room, VidaError* error) {
  const long count = reference->multiplier_count;
  void *times = reference->multiplier_t, *values = reference->multipliers;
  const size_t needed = (size_t)count + 1;
  int code = vida__reserve(&times, &room->times, needed, sizeof(double));
  reference->multiplier_t = times;
  if (code == VIDA_SUCCESS) {
    code = vida__reserve(&values, &room->values, needed * m, sizeof(double));
  }
  reference->multipliers = values;
  if (code != VIDA_SUCCESS) {
    return vida__fail_memory(error);
  }
  reference->multiplier_t[count] = t;
  memcpy(reference->multipliers + (size_t)count * m, multipliers, m * sizeof(double));
  reference->multiplier_count += 1;
  return VIDA_SUCCESS;
}

static int keep_multipliers(const VidaStudy* study, const vida_time_loop* loop,
                            multiplier_room* room, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const long steps = vida__count_steps(&reference->grid), count = reference->multiplier_count;
  double t = NAN;
  const double* multipliers = m > 0 ? VidaStepper_Multipliers(loop->stepper, &t) : NULL;
  if (m == 0 || !isfinite(t) || !isfinite(vida__difference_norm(multipliers, NULL, (int)m, NULL))) {
    return VIDA_SUCCESS;
  }
  if (count > 0 && t <= reference->multiplier_t[count - 1]) {
    return VIDA_SUCCESS;
  }
  /* The first two and the last two multipliers serve times up to a step outside the interval. */
  const bool at_an_end =
      loop->step <= 2 || loop->step >= steps - 1 || VidaStepper_HasEnded(loop->stepper);
  if (!at_an_end && !is_multiplier_needed(study, (t - study->t0) / reference->grid.h)) {
    return VIDA_SUCCESS;
  }
  return store_multipliers(reference, m, t, multipliers, room, error);
}

/* The data of the function that a time loop calls at jumps. */
typedef struct keeper {
  const VidaStudy* study;
  multiplier_room room;
  double* lambda; /* m: work */
  vida_work work; /* where velocities are compared with accelerations */
} keeper;

static int keep_event(const VidaEventRecord* record, void* data) {
  keeper* keeps = data;
  if (keeps->work.balance.n > 0) {
    vida__follow_work_to_jump(&keeps->work, record->t, record->q, record->v_before, record->t);
    vida__follow_work_over_jump(&keeps->work, record->t, record->q, record->v_after, record->t);
  }
  return vida__add_event(&keeps->study->reference->events, record);
}

static int follow_jump(keeper* keeps, VidaStepper* stepper, VidaError* error) {
  const vida_jumps* jumps = stepper->jumps;
  const double t = VidaStepper_Time(stepper), *q = VidaStepper_Positions(stepper), *v;
  if (keeps->work.balance.n == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__node_velocities(&stepper->self, &v, error);
  if (!code && jumps->is_left) {
    vida__follow_work_to_jump(&keeps->work, t, q, v, jumps->jump.before);
  } else if (!code) {
    vida__follow_work_over_jump(&keeps->work, t, q, v, jumps->jump.after);
  }
  return code;
}

/* Stores the multipliers on both sides of a jump; those of the earlier side may exist. */
static int keep_sides(void* data, VidaStepper* stepper, VidaError* error) {
  keeper* keeps = data;
  const int followed = follow_jump(keeps, stepper, error);
  if (followed) {
    return followed;
  }
  vida_reference* reference = keeps->study->reference;
  const double t = VidaStepper_Time(stepper);
  const size_t m = (size_t)VidaSystem_ConstraintCount(keeps->study->system);
  const long count = reference->multiplier_count;
  const bool is_there = count > 0 && reference->multiplier_t[count - 1] >= t;
  if (m == 0 || !vida__multipliers_at_jump(stepper, keeps->lambda)) {
    return VIDA_SUCCESS;
  }
  if (stepper->jumps->is_left && is_there) {
    return VIDA_SUCCESS;
  }
  return store_multipliers(reference, m, is_there ? reference->multiplier_t[count - 1] : t,
                           keeps->lambda, &keeps->room, error);
}

static int watch_forces(keeper* keeps, VidaError* error) {
  const vida_reference* reference = keeps->study->reference;
  int code = VIDA_SUCCESS;
  if (reference->adaptive && vida__has_timed_forces(keeps->study->system)) {
    code = vida__create_work(keeps->study->system, false, &keeps->work, error);
    code = code ? code : vida__watch_velocities(&keeps->work, error);
  }
  return code;
}

static void begin_forces(keeper* keeps, vida_time_loop* loop) {
  keeps->work.balance.root_mass = loop->stepper->self.model.root_mass;
  vida__begin_work(&keeps->work, loop->grid.t0, keeps->study->q0, keeps->study->v0);
}

static int follow_forces(keeper* keeps, vida_time_loop* loop, VidaError* error) {
  if (keeps->work.balance.n == 0) {
    return VIDA_SUCCESS;
  }
  const int code = VidaStepper_Velocities(loop->stepper, loop->v, error);
  if (!code) {
    vida__follow_work(&keeps->work, vida__time_loop_time(loop),
                      VidaStepper_Positions(loop->stepper), loop->v);
  }
  return code;
}

static void judge_forces(keeper* keeps, const vida_time_loop* loop) {
  const double least = vida__rest_energy(&loop->stepper->self, fabs(keeps->study->time));
  const vida_velocity_balance* balance = &keeps->work.balance;
  if (balance->n > 0 && vida__are_velocities_wrong(balance, least)) {
    keeps->study->reference->passed_t = vida__velocities_wrong_since(balance);
  }
}

static int run_reference_loop(VidaStudy* study, vida_time_loop* loop, const VidaObserver* observer,
                              vida_deadline deadline, VidaError* error) {
  char what[VIDA_MESSAGE_SIZE] = "";
  vida__append(what, sizeof what, "reference: %s", study->reference->text);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  keeper keeps = {.study = study, .lambda = vida__allocate(m, sizeof(double))};
  vida__observe_time_loop(loop, observer, VIDA_REFERENCE_RUN, what, deadline);
  int code = keeps.lambda ? VIDA_SUCCESS : vida__fail_memory(error);
  code = code ? code : watch_forces(&keeps, error);
  code = code ? code : vida__create_events(study->system, &study->reference->events, error);
  vida__observe_events(loop->stepper, keep_event, &keeps);
  vida__set_jump_function(loop->stepper, keep_sides, &keeps);
  code = code ? code : vida__start_time_loop(loop, study->q0, study->v0, error);
  if (code == VIDA_SUCCESS) {
    begin_forces(&keeps, loop);
  }
  while (code == VIDA_SUCCESS && !vida__is_time_loop_over(loop)) {
    code = vida__advance_time_loop(loop, 1, error);
    if (code == VIDA_SUCCESS) {
      vida__update_extent(study, loop, &study->reference->extent);
      code = follow_forces(&keeps, loop, error);
    }
    if (code == VIDA_SUCCESS &&
        (is_state_needed(study, loop->step) || VidaStepper_HasEnded(loop->stepper))) {
      code = keep_state(study, loop, error);
    }
    if (code == VIDA_SUCCESS) {
      code = keep_multipliers(study, loop, &keeps.room, error);
    }
    if (code == VIDA_SUCCESS) {
      code = vida__show_progress(loop, error);
    }
  }
  vida__set_jump_function(loop->stepper, NULL, NULL);
  VidaStepper_SetEventObserver(loop->stepper, NULL, NULL, NULL);
  if (code == VIDA_SUCCESS) {
    judge_forces(&keeps, loop);
  }
  vida__destroy_work(&keeps.work);
  free(keeps.lambda);
  return code;
}

/* ---- a solution that is known otherwise ------------------------------------------------------ */

static int check_known(const VidaStudy* study, double t, const double* q, VidaError* error) {
  const int count = vida__measured_count(study);
  for (int i = 0; i < count; i++) {
    const int coordinate = study->selection ? study->selection[i] : i;
    char number[VIDA_REAL_TEXT_SIZE];
    if (!isfinite(q[coordinate])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the reference (%s) has no value of '%s' at t = %s",
                        study->reference->text,
                        VidaSystem_CoordinateName(study->system, coordinate),
                        vida__real_text(number, t, 12));
    }
  }
  return VIDA_SUCCESS;
}

static void set_unknown(double* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    values[i] = NAN;
  }
}

/* Computes the multipliers on both sides of a jump, NaN if they are not known; work space for a
 * state follows `lambda`. A single state of a table may belong to either side. */
static int ask_sides(const VidaStudy* study, double t, double* lambda, multiplier_room* room,
                     VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const double beside = fmax(1e-9 * reference->grid.h, 64.0 * DBL_EPSILON * fabs(t));
  int code = VIDA_SUCCESS;
  for (int side = -1; side <= 1 && !code; side += 2) {
    set_unknown(lambda, m + 2 * n);
    if (vida__has_one_sided_states(reference, t)) {
      code = reference->known.state(reference->known.data, t + side * beside, lambda + m,
                                    lambda + m + n, lambda, error);
      code = code < 0 ? code : VIDA_SUCCESS;
    }
    code = code ? code : store_multipliers(reference, m, t, lambda, room, error);
  }
  return code;
}

/* Requests the multipliers at the jumps between two states, up to the second. *ends_at_jump
 * receives whether a jump is at the second. */
static int ask_jumps(const VidaStudy* study, vida_jump_search* search, double from, double to,
                     double* lambda, multiplier_room* room, bool* ends_at_jump, VidaError* error) {
  const double slack = 16.0 * DBL_EPSILON * fmax(fabs(from), fabs(to));
  vida_jump jump = {.after = from + slack};
  bool found = true;
  int code = VIDA_SUCCESS;
  *ends_at_jump = false;
  while (!code && found && jump.after < to + slack) {
    code = vida__find_jump(search, jump.after, to + slack, &jump, &found, error);
    if (!code && found) {
      *ends_at_jump = jump.t >= to - slack;
      code = ask_sides(study, *ends_at_jump ? to : jump.t, lambda, room, error);
    }
  }
  return code;
}

/* Requests the state after `step` steps; `lambda`: work space, m. */
static int ask_known(const VidaStudy* study, long step, bool is_at_jump, double* lambda,
                     multiplier_room* room, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const double t = vida__grid_time(&reference->grid, step);
  double* q = reference->q + (size_t)reference->states * n;
  double* v = reference->v + (size_t)reference->states * n;
  set_unknown(q, n);
  set_unknown(v, n);
  set_unknown(lambda, m);
  int code = reference->known.state(reference->known.data, t, q, v, lambda, error);
  if (code) {
    return code < 0 ? code : VIDA_SUCCESS;
  }
  code = check_known(study, t, q, error);
  if (!code && m > 0 && !is_at_jump &&
      isfinite(vida__difference_norm(lambda, NULL, (int)m, NULL))) {
    code = store_multipliers(reference, m, t, lambda, room, error);
  }
  reference->steps[reference->states++] = step;
  return code;
}

/* The largest difference at the start, relative to the motion, that may be the reference's error.
 */
static const double same_start = 1e-3;

static int refuse_other_start(const VidaStudy* study, const double* q, VidaError* error) {
  const int count = vida__measured_count(study);
  int worst = study->selection ? study->selection[0] : 0;
  char t[VIDA_REAL_TEXT_SIZE], there[VIDA_REAL_TEXT_SIZE], here[VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < count; i++) {
    const int k = study->selection ? study->selection[i] : i;
    worst = fabs(q[k] - study->q0[k]) > fabs(q[worst] - study->q0[worst]) ? k : worst;
  }
  return vida__fail(error, VIDA_BAD_ARGUMENT,
                    "the reference (%s) is another motion: '%s' is %s there at the start, t = %s, "
                    "and %s here",
                    study->reference->text, VidaSystem_CoordinateName(study->system, worst),
                    vida__real_text(there, q[worst], 12), vida__real_text(t, study->t0, 12),
                    vida__real_text(here, study->q0[worst], 12));
}

/* Compares the reference with the start, if it is known there. What differs is its error, or more
 * than that; `work`: m + 2 n. */
static int compare_start(const VidaStudy* study, double* work, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const int count = vida__measured_count(study);
  const int* selection = study->selection;
  double* q = work + m;
  double motion = 0.0;
  VidaError ignored;
  vida_error_norm norm; /* of errors as large as the difference, at all states */
  set_unknown(work, m + 2 * n);
  if (reference->known.state(reference->known.data, study->t0, q, q + n, work, &ignored)) {
    return VIDA_SUCCESS;
  }
  vida__choose_signs(study->system, study->q0, q, q + n);
  const double apart = vida__difference_norm(q, study->q0, count, selection);
  const double size = vida__difference_norm(study->q0, NULL, count, selection);
  const double difference = vida__study_difference(study, q, study->q0, count, selection);
  vida__start_norm(&norm, study->norm, count);
  for (long i = 0; i < reference->states; i++) {
    const double* there = reference->q + (size_t)i * n;
    motion = fmax(motion, vida__difference_norm(there, study->q0, count, selection));
    vida__add_sample(&norm, difference, vida__difference_norm(there, NULL, count, selection));
  }
  const double own = vida__norm_value(&norm, study->relative);
  const bool is_rounding = !(apart > 64.0 * DBL_EPSILON * size); /* or NaN */
  if (is_rounding || own <= reference->position_error) {
    return VIDA_SUCCESS;
  }
  if (apart > same_start * motion) {
    return refuse_other_start(study, q, error);
  }
  reference->position_error = own;
  return VIDA_SUCCESS;
}

static int ask_all(VidaStudy* study, VidaError* error) {
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const long steps = vida__count_steps(&study->reference->grid);
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const bool jumps = m > 0 && vida__has_jumps(study->system);
  double* lambda = vida__allocate(m + 2 * n, sizeof *lambda);
  multiplier_room room = {0};
  vida_jump_search search;
  int code = vida__jump_search_create(study->system, &search, error);
  code = lambda || code ? code : vida__fail_memory(error);
  for (long step = 1; step <= steps && code == VIDA_SUCCESS; step++) {
    bool is_at_jump = false;
    if (jumps) {
      code = ask_jumps(study, &search, vida__grid_time(&study->reference->grid, step - 1),
                       vida__grid_time(&study->reference->grid, step), lambda, &room, &is_at_jump,
                       error);
    }
    if (code == VIDA_SUCCESS && is_state_needed(study, step)) {
      code = ask_known(study, step, is_at_jump, lambda, &room, error);
    }
  }
  vida__jump_search_destroy(&search);
  if (code == VIDA_SUCCESS && study->reference->states == 0) {
    char end[VIDA_REAL_TEXT_SIZE];
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the reference (%s) has no state at a time that a run reaches with whole "
                      "steps, nor at the end, t = %s",
                      study->reference->text, vida__real_text(end, study->t0 + study->time, 12));
  }
  code = code ? code : compare_start(study, lambda, error);
  free(lambda);
  return code;
}

/* ---- making and judging it ------------------------------------------------------------------- */

static int make_solution(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                         VidaError* error) {
  vida_reference* reference = study->reference;
  vida_time_loop loop = {0};
  VidaError problem = {0};
  int code = vida__reserve_states(study, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  code = vida__create_time_loop(study->system, reference->options, &reference->grid, NULL, &loop,
                                &problem);
  if (code == VIDA_SUCCESS) {
    code = run_reference_loop(study, &loop, observer, deadline, &problem);
  }
  if (code != VIDA_SUCCESS) {
    char t[VIDA_REAL_TEXT_SIZE];
    vida__fail_flag(error, code, problem.flag, "the reference (%s) failed at t = %s: %.300s",
                    reference->text, vida__real_text(t, vida__time_loop_time(&loop), 12),
                    problem.message);
    if (code == VIDA_STOPPED && error) {
      *error = problem;
    }
  }
  vida__destroy_time_loop(&loop);
  return code;
}

/* A solution whose error is as large as the motion is not a reference. */
static int refuse_rough(const VidaStudy* study, VidaError* error) {
  const vida_reference* reference = study->reference;
  char size[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "the reference (%s) has an error of about %s, as large as the motion; try a "
                    "%s, another method, a shorter time, or a formula without jumps",
                    reference->text, vida__real_text(size, reference->position_error, 2),
                    reference->adaptive ? "smaller rtol" : "smaller h");
}

/* A solution that has missed forces is not a reference; both solutions of the estimate may have
 * missed them. */
static int refuse_passed(const VidaStudy* study, VidaError* error) {
  const vida_reference* reference = study->reference;
  char t[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "the reference (%s) has missed forces that depend on time, from t = %s on; try "
                    "a method with a fixed step that resolves them",
                    reference->text, vida__real_text(t, reference->passed_t, 4));
}

static int make_and_judge(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                          VidaError* error) {
  int code = make_solution(study, observer, deadline, error);
  study->reference->is_rough = false;
  if (code == VIDA_SUCCESS && isfinite(study->reference->passed_t)) {
    return refuse_passed(study, error);
  }
  if (code == VIDA_SUCCESS && VidaOptions_Get(study->options, "reference_estimate") != 0.0) {
    code = vida__estimate_reference(study, observer, deadline, error);
  }
  return code || !study->reference->is_rough ? code : refuse_rough(study, error);
}

/* Tries the candidates until one reaches the end with an error smaller than the motion. */
static int try_candidates(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                          VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int candidate = 0; candidate < CANDIDATES; candidate++) {
    code = vida__choose_candidate(study, candidate, error);
    code = code ? code : make_and_judge(study, observer, deadline, error);
    if (code == VIDA_SUCCESS || code == VIDA_STOPPED || code == VIDA_WALL_LIMIT ||
        code == VIDA_OUT_OF_MEMORY) {
      break;
    }
  }
  return code;
}

int vida__make_reference(VidaStudy* study, const VidaObserver* observer, VidaError* error) {
  vida_reference* reference = study->reference;
  if (reference->is_kept) {
    reference->is_kept = false; /* the next time it is computed */
    return VIDA_SUCCESS;
  }
  if (reference->known.state) {
    const int code = vida__reserve_states(study, error);
    return code ? code : ask_all(study, error);
  }
  const vida_deadline deadline = vida__set_deadline(study);
  return reference->candidate >= 0 ? try_candidates(study, observer, deadline, error)
                                   : make_and_judge(study, observer, deadline, error);
}

/* ---- asking it ------------------------------------------------------------------------------ */

double vida__reference_time(const vida_reference* reference, long state) {
  return reference->steps[state] == VIDA_END_BY_EVENT
             ? reference->ended_t
             : vida__grid_time(&reference->grid, reference->steps[state]);
}

long vida__find_state(const vida_reference* reference, long step, long* cursor) {
  while (*cursor < reference->states && reference->steps[*cursor] < step) {
    *cursor += 1;
  }
  return *cursor < reference->states && reference->steps[*cursor] == step ? *cursor : -1;
}

bool vida__reference_multipliers(const vida_reference* reference, int m, double t, bool is_later,
                                 long* cursor, double* multipliers) {
  const double* times = reference->multiplier_t;
  const long count = reference->multiplier_count;
  const double step = reference->grid.h;
  const double same = 1e-9 * step;
  if (count < 1 || !isfinite(t)) {
    return false;
  }
  while (*cursor < count - 2 && times[*cursor + 1] < t - same) {
    *cursor += 1;
  }
  for (long at = *cursor; at < count && at <= *cursor + 1; at++) {
    if (fabs(times[at] - t) <= same) {
      at += is_later && at + 1 < count && fabs(times[at + 1] - t) <= same ? 1 : 0;
      memcpy(multipliers, reference->multipliers + (size_t)at * (size_t)m,
             (size_t)m * sizeof *multipliers);
      return isfinite(vida__difference_norm(multipliers, NULL, m, NULL));
    }
  }
  if (count < 2) {
    return false;
  }
  const double from = times[*cursor], to = times[*cursor + 1];
  /* Linear interpolation across a gap, or extrapolation, would be meaningless. */
  if (to - from > 2.01 * step || t < from - 1.01 * step || t > to + 1.01 * step) {
    return false;
  }
  const double part = (t - from) / (to - from);
  const double* before = reference->multipliers + (size_t)*cursor * (size_t)m;
  const double* after = before + m;
  for (int i = 0; i < m; i++) {
    multipliers[i] = (1.0 - part) * before[i] + part * after[i];
  }
  return isfinite(vida__difference_norm(multipliers, NULL, m, NULL));
}
