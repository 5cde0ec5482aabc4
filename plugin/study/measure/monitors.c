#include "study/measure/monitors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/frame.h"
#include "stepper/jumps.h"
#include "study/reference/reference.h"
#include "study/remarks.h"
#include "system/constraints/rank.h"
#include "system/model/model.h"

static int count_conserved(const VidaSystem* system) {
  int count = 0;
  for (int i = 0; i < VidaSystem_ObservableCount(system); i++) {
    count += VidaSystem_ObservableIsConserved(system, i);
  }
  return count;
}

int vida__create_monitors(const VidaStudy* study, const vida_run* run, vida_monitors* monitors,
                          VidaError* error) {
  const int n = VidaSystem_CoordinateCount(study->system);
  const int m = VidaSystem_ConstraintCount(study->system);
  const int maps = VidaSystem_MomentumCount(study->system);
  const int length = study->selection ? study->selected : n;
  const int conserved = count_conserved(study->system);
  const int observables = VidaSystem_ObservableCount(study->system);
  *monitors = (vida_monitors){.study = study,
                              .run = run,
                              .conserved = conserved,
                              .constraint_position = NAN,
                              .constraint_velocity = NAN}; /* fmax leaves NaN out */
  monitors->drifts = VidaOptions_Get(study->options, "drift") != 0.0;
  vida__start_norm(&monitors->position, study->norm, length);
  vida__start_norm(&monitors->velocity, study->norm, length);
  vida__start_norm(&monitors->multiplier, study->norm, m);
  vida__start_norm(&monitors->energy, study->norm, 1);
  vida__start_norm(&monitors->momentum, study->norm, maps + conserved);
  /* One more than needed, so that a system without constraints or maps is no special case. */
  const size_t rows = (size_t)m + 1, map_count = (size_t)(maps + conserved) + 1;
  monitors->momenta_start = vida__allocate(map_count, sizeof(double));
  monitors->momenta = vida__allocate(map_count, sizeof(double));
  monitors->v = vida__allocate((size_t)n, sizeof(double));
  monitors->g = vida__allocate(rows, sizeof(double));
  monitors->g_rate = vida__allocate(rows, sizeof(double));
  monitors->multipliers_there = vida__allocate(rows, sizeof(double));
  monitors->observables = vida__allocate((size_t)observables, sizeof(double));
  monitors->q_there = vida__allocate((size_t)n, sizeof(double));
  monitors->v_there = vida__allocate((size_t)n, sizeof(double));
  if (!monitors->momenta_start || !monitors->momenta || !monitors->v || !monitors->g ||
      !monitors->g_rate || !monitors->multipliers_there || !monitors->observables ||
      !monitors->q_there || !monitors->v_there) {
    return vida__fail_memory(error);
  }
  int code = vida__create_switch_watch(study->system, &monitors->switches, error);
  code = code ? code : vida__create_work(study->system, &monitors->work, error);
  return code || !Vida_IsAdaptive(run->options) ? code
                                                : vida__watch_velocities(&monitors->work, error);
}

void vida__destroy_monitors(vida_monitors* monitors) {
  free(monitors->momenta_start);
  free(monitors->momenta);
  free(monitors->v);
  free(monitors->g);
  free(monitors->g_rate);
  free(monitors->multipliers_there);
  free(monitors->observables);
  free(monitors->q_there);
  free(monitors->v_there);
  vida__destroy_switch_watch(&monitors->switches);
  vida__destroy_work(&monitors->work);
  *monitors = (vida_monitors){0};
}

/* Momentum maps, and observables where they count among them. */
static int measure_momenta(vida_monitors* monitors, const vida_march* march, double* momenta,
                           VidaError* error) {
  const VidaSystem* system = monitors->study->system;
  VidaSystem_Momentum(system, VidaStepper_Positions(march->stepper),
                      VidaStepper_Momenta(march->stepper), momenta);
  if (monitors->conserved == 0) {
    return VIDA_SUCCESS;
  }
  const int code = VidaStepper_Observables(march->stepper, monitors->observables, error);
  int next = VidaSystem_MomentumCount(system);
  for (int i = 0; i < VidaSystem_ObservableCount(system) && code == VIDA_SUCCESS; i++) {
    if (VidaSystem_ObservableIsConserved(system, i)) {
      momenta[next++] = monitors->observables[i];
    }
  }
  return code;
}

/* Errors are norms: only a state far outside all bounds makes them infinite. */
static int add_checked(vida_error_norm* norm, const char* what, double difference, double size,
                       VidaError* error) {
  if (!isfinite(difference) || !isfinite(size)) {
    return vida__fail(error, VIDA_NOT_FINITE, "%s is not a finite number; try a smaller step",
                      what);
  }
  vida__add_sample(norm, difference, size);
  return VIDA_SUCCESS;
}

static void begin_drifts(vida_monitors* monitors, const vida_march* march) {
  const VidaStudy* study = monitors->study;
  const VidaSystem* system = study->system;
  const double centre = study->t0 + 0.5 * study->time;
  const long steps = vida__count_steps(&monitors->run->grid);
  const double* p = VidaStepper_Momenta(march->stepper);
  const int maps = VidaSystem_MomentumCount(system) + monitors->conserved;
  double kinetic = 0.0, length = 0.0;
  for (int i = 0; i < VidaSystem_CoordinateCount(system); i++) {
    kinetic += 0.5 * p[i] * monitors->v[i];
  }
  for (int r = 0; r < VidaSystem_ConstraintCount(system); r++) {
    length = fmax(length, system->rows[r].length);
  }
  vida__start_drift(&monitors->energy_drift, centre, steps,
                    fmax(fabs(monitors->energy_start), fabs(kinetic)));
  vida__start_drift(&monitors->momentum_drift, centre, steps,
                    vida__difference_norm(monitors->momenta_start, NULL, maps, NULL));
  vida__start_drift(&monitors->constraint_drift, centre, steps, length);
}

static void begin_energy(vida_monitors* monitors, const vida_march* march) {
  const VidaStepper* stepper = march->stepper;
  const double size = vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self);
  const unsigned claims = stepper->self.method->info.capabilities & ~stepper->self.given_up;
  const VidaOptions* options = monitors->run->options;
  /* Where work is done, what a method claims to keep holds for a work of its own. */
  const bool is_exact =
      (claims & VIDA_CAN_ENERGY) != 0 && !vida__exchanges_energy(monitors->study->system);
  const double rtol = Vida_IsAdaptive(options) ? VidaOptions_Get(options, "rtol") : 0.0;
  /* What goes a small part of where the coordinates are: 1e-8, or the part that rtol resolves. */
  const double coarser = fmax(1.0, 1e8 * rtol);
  monitors->rest_energy = vida__rest_energy(&stepper->self, fabs(monitors->study->time));
  monitors->energy_size = fmax(size, monitors->rest_energy);
  monitors->rest_energy *= coarser * coarser;
  vida__begin_energy(&monitors->energy_verdict, monitors->energy_size, monitors->rest_energy, rtol,
                     is_exact);
}

int vida__begin_monitors(vida_monitors* monitors, vida_march* march, VidaError* error) {
  const VidaStudy* study = monitors->study;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  /* Before the first step there is no middle of a step, so this is the energy at the node. */
  int code = VidaStepper_Energy(march->stepper, &monitors->energy_start, NULL, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  if (!isfinite(monitors->energy_start)) {
    return vida__fail(error, VIDA_NOT_FINITE, "the energy of the start is not a finite number");
  }
  monitors->energy_now = monitors->energy_start;
  vida__begin_work(&monitors->work, vida__march_time(march), vida__run_q0(study, monitors->run),
                   vida__run_v0(study, monitors->run));
  vida__begin_switch_watch(&monitors->switches, vida__march_time(march),
                           vida__run_q0(study, monitors->run), vida__run_v0(study, monitors->run));
  begin_energy(monitors, march);
  monitors->work.balance.root_mass = march->stepper->self.model.root_mass;
  const int* rows = NULL;
  const int dependent = VidaStepper_DependentRows(march->stepper, &rows);
  monitors->dependent_count = dependent;
  if (dependent > 0) {
    vida__append_rows(study->system, rows, dependent, monitors->dependent,
                      sizeof monitors->dependent);
  }
  memcpy(monitors->v, vida__run_v0(study, monitors->run), n * sizeof(double));
  code = measure_momenta(monitors, march, monitors->momenta_start, error);
  code = code ? code : measure_momenta(monitors, march, monitors->momenta, error);
  if (code == VIDA_SUCCESS) {
    begin_drifts(monitors, march);
  }
  return code;
}

/* The energy less that of the start and the work that was done meanwhile. */
static int observe_energy(vida_monitors* monitors, vida_march* march, VidaError* error) {
  double t = 0.0;
  int code = VIDA_SUCCESS;
  if (vida__work_is_needed(&monitors->work)) {
    code = VidaStepper_Velocities(march->stepper, monitors->v, error);
    if (code == VIDA_SUCCESS) {
      vida__follow_work(&monitors->work, vida__march_time(march),
                        VidaStepper_Positions(march->stepper), monitors->v);
    }
  }
  code = code ? code : VidaStepper_Energy(march->stepper, &monitors->energy_now, &t, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const double change = monitors->energy_now - monitors->energy_start;
  monitors->work_now = vida__work_at(&monitors->work, t);
  monitors->largest_work = fmax(monitors->largest_work, fabs(monitors->work_now));
  monitors->energy_defect = change - monitors->work_now;
  if (isfinite(change) && isnan(monitors->work_now)) {
    return VIDA_SUCCESS; /* there is a remark on it at the end */
  }
  code = add_checked(&monitors->energy, "the energy", fabs(monitors->energy_defect),
                     fabs(monitors->energy_start), error);
  if (code == VIDA_SUCCESS) {
    vida__add_to_drift(&monitors->energy_drift, t, monitors->energy_defect);
  }
  return code;
}

static int observe_invariants(vida_monitors* monitors, vida_march* march, VidaError* error) {
  const int maps = VidaSystem_MomentumCount(monitors->study->system) + monitors->conserved;
  double position = 0.0;
  int code = observe_energy(monitors, march, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  if (maps > 0) {
    code = measure_momenta(monitors, march, monitors->momenta, error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
    const double off =
        vida__difference_norm(monitors->momenta, monitors->momenta_start, maps, NULL);
    code = add_checked(&monitors->momentum, "a momentum map", off,
                       vida__difference_norm(monitors->momenta_start, NULL, maps, NULL), error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
    if (monitors->drifts) {
      vida__add_to_drift(&monitors->momentum_drift, vida__march_time(march), off);
    }
  }
  if (VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return VIDA_SUCCESS;
  }
  code = VidaStepper_ConstraintErrors(march->stepper, &position, NULL, error);
  if (code == VIDA_SUCCESS) {
    monitors->constraint_position = fmax(monitors->constraint_position, position);
  }
  if (code == VIDA_SUCCESS && monitors->drifts) {
    vida__add_to_drift(&monitors->constraint_drift, vida__march_time(march), position);
  }
  return code;
}

/* A run goes on when it has gone astray, but does not pass it over in silence. */
static int note_astray(vida_monitors* monitors, const vida_march* march, VidaError* error) {
  const double defect = monitors->energy_defect; /* where the work is not known: no number */
  if (isfinite(defect) && fabs(defect) > vida__work_doubt(&monitors->work)) {
    vida__judge_energy(&monitors->energy_verdict, vida__march_time(march), defect,
                       fmax(vida__kinetic_size(&march->stepper->self), monitors->largest_work));
  }
  return monitors->astray[0] ? VIDA_SUCCESS
                             : vida__note_violations(march->stepper, monitors->astray,
                                                     sizeof monitors->astray, error);
}

/* Velocities cost a projection, so they are asked for only where somebody looks at them. */
static int observe_velocities(vida_monitors* monitors, vida_march* march, VidaError* error) {
  double velocity = 0.0;
  int code = VidaStepper_Velocities(march->stepper, monitors->v, error);
  if (code != VIDA_SUCCESS || VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return code;
  }
  code = VidaStepper_ConstraintErrors(march->stepper, NULL, &velocity, error);
  if (code == VIDA_SUCCESS) {
    monitors->constraint_velocity = fmax(monitors->constraint_velocity, velocity);
    code = vida__judge_velocities(march->stepper, monitors->v, error);
  }
  return code;
}

static int compare_multipliers(vida_monitors* monitors, const vida_march* march, VidaError* error) {
  const vida_reference* reference = monitors->study->reference;
  const int m = VidaSystem_ConstraintCount(monitors->study->system);
  double t = NAN;
  const double* multipliers = VidaStepper_Multipliers(march->stepper, &t);
  if (isnan(vida__difference_norm(multipliers, NULL, m, NULL))) { /* not known yet */
    return VIDA_SUCCESS;
  }
  /* At a jump those of the step that ends there are of its earlier side. */
  const bool is_later = t < vida__march_time(march) - 1e-9 * monitors->run->grid.h;
  if (!vida__reference_multipliers(reference, m, t, is_later, &monitors->multiplier_cursor,
                                   monitors->multipliers_there)) {
    return VIDA_SUCCESS;
  }
  return add_checked(
      &monitors->multiplier, "a multiplier",
      vida__study_difference(monitors->study, multipliers, monitors->multipliers_there, m, NULL),
      vida__difference_norm(monitors->multipliers_there, NULL, m, NULL), error);
}

/* The reference's state, with unit quaternions of the sign that is nearer: both signs are the same
 * orientation. */
static void take_nearest(vida_monitors* monitors, const double* now, const double* q,
                         const double* v) {
  const VidaSystem* system = monitors->study->system;
  const size_t bytes = (size_t)VidaSystem_CoordinateCount(system) * sizeof *q;
  memcpy(monitors->q_there, q, bytes);
  memcpy(monitors->v_there, v, bytes);
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    double product = 0.0;
    if (motion->kind != VIDA_MOTION_QUATERNION) {
      continue;
    }
    for (int i = 0; i < 4; i++) {
      product += now[motion->coordinate[i]] * q[motion->coordinate[i]];
    }
    for (int i = 0; i < 4 && product < 0.0; i++) {
      monitors->q_there[motion->coordinate[i]] *= -1.0;
      monitors->v_there[motion->coordinate[i]] *= -1.0;
    }
  }
}

static int compare_state(vida_monitors* monitors, vida_march* march, VidaError* error) {
  const VidaStudy* study = monitors->study;
  const vida_reference* reference = study->reference;
  const int n = VidaSystem_CoordinateCount(study->system);
  const int length = monitors->position.length;
  const long step = vida__reference_step(study, monitors->run, march->step);
  const long state = vida__find_state(reference, step, &monitors->state_cursor);
  if (state < 0) {
    return VIDA_SUCCESS;
  }
  const double* now = VidaStepper_Positions(march->stepper);
  const double* q = monitors->q_there;
  const double* v = monitors->v_there;
  take_nearest(monitors, now, reference->q + (size_t)state * (size_t)n,
               reference->v + (size_t)state * (size_t)n);
  int code = add_checked(&monitors->position, "the position error",
                         vida__study_difference(study, now, q, length, study->selection),
                         vida__difference_norm(q, NULL, length, study->selection), error);
  if (code == VIDA_SUCCESS && isfinite(vida__difference_norm(v, NULL, length, study->selection))) {
    code = add_checked(&monitors->velocity, "the velocity error",
                       vida__study_difference(study, monitors->v, v, length, study->selection),
                       vida__difference_norm(v, NULL, length, study->selection), error);
  }
  if (code == VIDA_SUCCESS && VidaSystem_ConstraintCount(study->system) > 0 &&
      !monitors->dependent[0]) {
    code = compare_multipliers(monitors, march, error);
  }
  return code;
}

/* A march that starts again for a shorter last step would forget it. */
static void note_passage(vida_monitors* monitors, const vida_march* march) {
  if (!monitors->passage) {
    VidaStepper_SingularPassages(march->stepper, &monitors->passage_t, &monitors->passage);
  }
}

/* No step is small enough for a potential that pushes another way from one turn to the next. */
static int check_angles(const vida_monitors* monitors, VidaError* error) {
  const vida_switch_watch* watch = &monitors->switches;
  char name[VIDA_MESSAGE_SIZE / 2] = "", t[VIDA_REAL_TEXT_SIZE];
  for (int k = 0; k < watch->count; k++) {
    if (watch->terms[k].wraps) {
      vida__name_switched_term(watch, k, name, sizeof name);
      return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_ANGLE_WRAPS,
                             "%s: its angle wraps at t = %s s, and its force jumps there; write it "
                             "with an angle that counts turns (system:angle), as in "
                             "s:potential { \"coil\", 0.5 * k * turned ^ 2 }",
                             name, vida__real_text(t, watch->terms[k].first_t, 6));
    }
  }
  return VIDA_SUCCESS;
}

static int observe_switches(vida_monitors* monitors, vida_march* march, VidaError* error) {
  if (monitors->switches.count == 0) {
    return VIDA_SUCCESS;
  }
  int code = VidaStepper_Velocities(march->stepper, monitors->v, error);
  if (!code) {
    vida__follow_switches(&monitors->switches, vida__march_time(march),
                          VidaStepper_Positions(march->stepper), monitors->v);
    code = check_angles(monitors, error);
  }
  return code;
}

int vida__observe_step(vida_monitors* monitors, vida_march* march, VidaError* error) {
  const bool compared = monitors->study->reference && !monitors->run->own_start &&
                        vida__is_compared(monitors->run, march->step);
  int code = observe_invariants(monitors, march, error);
  code = code ? code : observe_switches(monitors, march, error);
  code = code ? code : note_astray(monitors, march, error);
  note_passage(monitors, march);
  if (code == VIDA_SUCCESS && (compared || vida__is_sampled(monitors->run, march->step))) {
    code = observe_velocities(monitors, march, error);
  }
  if (code == VIDA_SUCCESS && compared) {
    code = compare_state(monitors, march, error);
  }
  return code;
}

int vida__observe_jump(vida_monitors* monitors, vida_march* march, VidaError* error) {
  const vida_jumps* jumps = march->stepper->jumps;
  const double t = VidaStepper_Time(march->stepper);
  const double* q = VidaStepper_Positions(march->stepper);
  int code = VIDA_SUCCESS;
  if (!vida__work_is_needed(&monitors->work)) {
    return code;
  }
  code = VidaStepper_Velocities(march->stepper, monitors->v, error);
  if (!code && jumps->is_left) {
    vida__follow_work_to_jump(&monitors->work, t, q, monitors->v, jumps->jump.before);
  } else if (!code) {
    vida__follow_work_over_jump(&monitors->work, t, q, monitors->v, jumps->jump.after);
  }
  monitors->work_now = vida__work_at(&monitors->work, t);
  monitors->largest_work = fmax(monitors->largest_work, fabs(monitors->work_now));
  return code;
}

int vida__measure_sample(vida_monitors* monitors, vida_march* march, VidaError* error) {
  int code = VidaStepper_Energy(march->stepper, &monitors->energy_now, NULL, error);
  code = code ? code : measure_momenta(monitors, march, monitors->momenta, error);
  return code ? code : VidaStepper_Velocities(march->stepper, monitors->v, error);
}

int vida__complete_sample(vida_monitors* monitors, vida_march* march, VidaError* error) {
  if (VidaSystem_ObservableCount(monitors->study->system) > 0) {
    const int code = VidaStepper_Observables(march->stepper, monitors->observables, error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
  }
  if (VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return VIDA_SUCCESS;
  }
  return VidaStepper_Constraints(march->stepper, monitors->g, monitors->g_rate, error);
}

/* A relative error has no value when the reference quantity is zero throughout; say so rather than
 * leave an unexplained hole. */
static double norm_of(const vida_error_norm* norm, const char* name, const VidaStudy* study,
                      VidaRow* row) {
  const double value = vida__norm_value(norm, study->relative);
  if (isnan(value) && !isnan(vida__norm_value(norm, false))) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_NO_RELATIVE_ERROR, .word = name}, NULL);
  }
  return value;
}

static bool study_norm_is_of_all_steps(const VidaStudy* study) {
  return study->norm == VIDA_NORM_MEAN || study->norm == VIDA_NORM_MAX;
}

static void remark_on_comparison(const vida_monitors* monitors, VidaRow* row) {
  const vida_reference* reference = monitors->study->reference;
  if (monitors->run->between > 1 && !monitors->run->end_only) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_COMPARED_SOMETIMES, .count = monitors->run->between},
        NULL);
  }
  if (monitors->run->end_only && study_norm_is_of_all_steps(monitors->study)) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_COMPARED_AT_END}, NULL);
  }
  if (row->position_error < reference->position_error) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_BELOW_REFERENCE, .a = reference->position_error},
        NULL);
  }
}

/* The energy's slope is always told, the rest of what a drift study has only where it is asked for.
 */
static void take_drifts(const vida_monitors* monitors, VidaRow* row) {
  const vida_drift_fit energy = vida__fit_drift(&monitors->energy_drift);
  row->energy_drift = energy.slope;
  if (!monitors->drifts) {
    return;
  }
  const vida_drift_fit momentum = vida__fit_drift(&monitors->momentum_drift);
  const vida_drift_fit constraint = vida__fit_drift(&monitors->constraint_drift);
  row->energy_drift_interval = energy.interval;
  row->energy_oscillation = energy.oscillation;
  row->momentum_drift = momentum.slope;
  row->momentum_drift_interval = momentum.interval;
  row->momentum_oscillation = momentum.oscillation;
  row->constraint_drift = constraint.slope;
  row->constraint_drift_interval = constraint.interval;
  row->constraint_oscillation = constraint.oscillation;
  if (isnan(energy.interval)) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_NO_CONFIDENCE, .count = VIDA_DRIFT_SAMPLES}, NULL);
  }
}

void vida__remark_on_passages(const vida_monitors* monitors, const vida_march* march,
                              VidaRow* row) {
  const long count = vida__march_statistics(march).singular_passages;
  double t = monitors->passage_t;
  const char* constraint = monitors->passage;
  if (count == 0) {
    return;
  }
  if (!constraint) { /* in the step that failed */
    VidaStepper_SingularPassages(march->stepper, &t, &constraint);
  }
  const VidaRemarkKind kind =
      count > 1 ? VIDA_REMARK_SINGULAR_PASSAGES : VIDA_REMARK_SINGULAR_PASSAGE;
  vida__add_remark(row, (VidaRemark){.kind = kind, .t = t, .count = count}, constraint);
}

/* What to try a smaller value of. */
static const char* smaller_value(const vida_monitors* monitors) {
  return Vida_IsAdaptive(monitors->run->options) ? "rtol" : "step";
}

void vida__remark_on_switches(const vida_monitors* monitors, VidaRow* row) {
  const vida_switch_watch* watch = &monitors->switches;
  for (int k = 0; k < watch->count; k++) {
    const vida_switched_term* term = &watch->terms[k];
    if (term->count > 0 && !term->wraps) {
      char name[VIDA_MESSAGE_SIZE] = "";
      vida__name_switched_term(watch, k, name, sizeof name);
      vida__add_remark(row,
                       (VidaRemark){.kind = VIDA_REMARK_SWITCHED_FORCE,
                                    .t = term->first_t,
                                    .count = term->count,
                                    .word = smaller_value(monitors)},
                       name);
    }
  }
}

static double finite(double value) {
  return isfinite(value) ? value : (double)NAN;
}

/* Of the last state: how much of what was done to the energy is work. */
static void take_balance(const vida_monitors* monitors, VidaRow* row) {
  const bool known = monitors->work.known;
  if (monitors->energy.samples > 0 || !known) {
    row->energy_change = finite(monitors->energy_now - monitors->energy_start);
    row->work = finite(monitors->work_now);
    row->work_error = known ? finite(monitors->work.error) : (double)NAN;
  }
  if (monitors->work.evaluator) {
    row->constraint_integral = finite(monitors->work.slip);
  }
}

/* A balance whose work nothing has been compared with is no measure of the method. */
static void remark_on_balance(const vida_monitors* monitors, VidaRow* row) {
  if (monitors->work.known && isnan(monitors->work.error) && !isnan(row->energy_error)) {
    row->energy_error = row->energy_drift = (double)NAN;
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_WORK_COARSE}, NULL);
  }
  if (!monitors->work.known) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_WORK_UNKNOWN, .t = monitors->work.unknown_t}, NULL);
  }
}

static void remark_on_energy(const vida_monitors* monitors, const vida_energy_verdict* verdict,
                             VidaRow* row) {
  const bool is_lost = verdict->defect<0.0, is_motion = verdict->motion> verdict->rest;
  const VidaRemarkKind kind =
      verdict->is_far ? VIDA_REMARK_ENERGY_FAR
      : !is_motion ? (is_lost ? VIDA_REMARK_ENERGY_LOST_AT_REST : VIDA_REMARK_ENERGY_GAINED_AT_REST)
      : is_lost    ? VIDA_REMARK_ENERGY_LOST
                   : VIDA_REMARK_ENERGY_GAINED;
  vida__add_remark(
      row,
      (VidaRemark){.kind = kind,
                   .word = smaller_value(monitors),
                   .t = verdict->t,
                   .a = fabs(verdict->defect),
                   .b = is_motion ? 100.0 * fabs(verdict->defect) / verdict->motion : 0.0},
      NULL);
}

void vida__remark_on_dependence(const vida_monitors* monitors, VidaRow* row) {
  const VidaRemarkKind kind =
      monitors->dependent_count > 1 ? VIDA_REMARK_ROWS_DEPEND : VIDA_REMARK_ROW_DEPENDS;
  if (monitors->dependent_count > 0) {
    vida__add_remark(row, (VidaRemark){.kind = kind}, monitors->dependent);
  }
}

/* A method with an option of its largest step takes that, and no other pair where that is blind. */
static void remark_on_forces(const vida_monitors* monitors, VidaRow* row) {
  const vida_velocity_balance* balance = &monitors->work.balance;
  const VidaOptions* options = monitors->run->options;
  const char* remedy = "try radau with a smaller h, or a smaller rtol";
  if (VidaOptions_HasChoice(options, "integrator", "fehlberg")) {
    remedy =
        "the error estimate of fehlberg is zero for forces of time alone: try integrator = verner";
  } else if (!isnan(VidaOptions_Get(options, "max_step"))) {
    remedy = "try a max_step below the length of what forces do, or a smaller rtol";
  }
  vida__add_remark(row,
                   (VidaRemark){.kind = VIDA_REMARK_FORCES_PASSED,
                                .word = remedy,
                                .t = vida__velocities_off_since(balance),
                                .a = 100.0 * fmin(1.0, balance->largest / balance->scale)},
                   NULL);
}

void vida__remark_on_astray(const vida_monitors* monitors, VidaRow* row) {
  if (monitors->astray[0]) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_VIOLATION}, monitors->astray);
    row->astray |= VIDA_ASTRAY_CONSTRAINTS;
  }
  /* Forces that were passed over are part of the motion that there should be. */
  vida_energy_verdict energy = monitors->energy_verdict;
  const bool is_behind = vida__velocities_are_off(&monitors->work.balance, monitors->rest_energy);
  if (is_behind) {
    energy.motion = fmax(energy.motion, 0.5 * pow(monitors->work.balance.scale, 2.0));
  }
  if (vida__energy_is_off(&energy)) {
    remark_on_energy(monitors, &energy, row);
    row->astray |= VIDA_ASTRAY_ENERGY;
  }
  if (is_behind) {
    remark_on_forces(monitors, row);
  }
}

int vida__finish_monitors(const vida_monitors* monitors, VidaRow* row, VidaError* error) {
  const VidaStudy* study = monitors->study;
  if (vida__jobs(study) > 1) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_SHARED_TIME}, NULL);
  }
  row->position_error = norm_of(&monitors->position, "position", study, row);
  row->velocity_error = norm_of(&monitors->velocity, "velocity", study, row);
  row->multiplier_error = norm_of(&monitors->multiplier, "multiplier", study, row);
  row->energy_error = norm_of(&monitors->energy, "energy", study, row);
  row->momentum_error = norm_of(&monitors->momentum, "momentum", study, row);
  take_drifts(monitors, row);
  take_balance(monitors, row);
  row->constraint_position = monitors->constraint_position;
  row->constraint_velocity = monitors->constraint_velocity;
  for (int i = 0; vida__column_at(i); i++) {
    if (vida__is_measured(vida__column_at(i)) && isinf(vida__cell_value(row, vida__column_at(i)))) {
      return vida__fail(error, VIDA_NOT_FINITE,
                        "an error is too large for a number; try a smaller step");
    }
  }
  vida__remark_on_dependence(monitors, row);
  vida__remark_on_astray(monitors, row);
  remark_on_balance(monitors, row);
  if (study->reference && !monitors->run->own_start) {
    remark_on_comparison(monitors, row);
  }
  return VIDA_SUCCESS;
}

/* Not errors against the reference: over a part of the time they are not those of the other runs.
 * Nor confidence, whose blocks are of the whole time. */
void vida__finish_early(const vida_monitors* monitors, VidaRow* row) {
  const bool relative = monitors->study->relative;
  row->energy_error = finite(vida__norm_value(&monitors->energy, relative));
  row->momentum_error = finite(vida__norm_value(&monitors->momentum, relative));
  row->energy_drift = finite(vida__fit_drift(&monitors->energy_drift).slope);
  take_balance(monitors, row);
  row->constraint_position = finite(monitors->constraint_position);
  row->constraint_velocity = finite(monitors->constraint_velocity);
}
