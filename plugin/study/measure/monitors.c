#include "study/measure/monitors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/contact.h>

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
  const int length = vida__measured_count(study);
  const int conserved = count_conserved(study->system);
  const int observables = VidaSystem_ObservableCount(study->system);
  *monitors = (vida_monitors){.study = study,
                              .run = run,
                              .conserved = conserved,
                              .constraint_position = NAN,
                              .constraint_velocity = NAN}; /* fmax leaves NaN out */
  monitors->drifts = VidaOptions_Get(study->options, "drift") != 0.0;
  vida__start_norm(&monitors->position, study->norm, length);
  monitors->parasitic_t = monitors->event_t = NAN;
  vida__start_norm(&monitors->velocity, study->norm, length);
  vida__start_norm(&monitors->multiplier, study->norm, m);
  vida__start_norm(&monitors->energy, study->norm, 1);
  vida__start_norm(&monitors->momentum, study->norm, maps + conserved);
  /* One more element than necessary, so that a system without constraints or maps is not a special
   * case. */
  const size_t rows = (size_t)m + 1, map_count = (size_t)(maps + conserved) + 1;
  monitors->momenta_start = vida__allocate(map_count, sizeof(double));
  monitors->event_v =
      vida__allocate(3 * (size_t)n + 2 * map_count + (size_t)observables, sizeof(double));
  monitors->event_place = monitors->event_v ? monitors->event_v + n : NULL;
  monitors->momenta = vida__allocate(map_count, sizeof(double));
  monitors->v = vida__allocate((size_t)n, sizeof(double));
  monitors->g = vida__allocate(rows, sizeof(double));
  monitors->g_rate = vida__allocate(rows, sizeof(double));
  monitors->multipliers_there = vida__allocate(rows, sizeof(double));
  monitors->row_speeds = vida__allocate(rows, sizeof(double));
  monitors->observables = vida__allocate((size_t)observables, sizeof(double));
  monitors->valueless = vida__allocate(2 * (size_t)observables, sizeof(double));
  monitors->q_there = vida__allocate((size_t)n, sizeof(double));
  monitors->v_there = vida__allocate((size_t)n, sizeof(double));
  if (!monitors->momenta_start || !monitors->event_v || !monitors->momenta || !monitors->v ||
      !monitors->g || !monitors->g_rate || !monitors->multipliers_there || !monitors->row_speeds ||
      !monitors->observables || !monitors->valueless || !monitors->q_there || !monitors->v_there) {
    return vida__fail_memory(error);
  }
  const VidaMethodInfo* method = Vida_FindMethod(VidaOptions_Method(run->options));
  const bool is_time_stepping = method && Vida_IsTimeStepping(method);
  int code = vida__create_shadow(study->system, VidaOptions_Get(study->options, "shadow"),
                                 study->norm, &monitors->shadow, error);
  code = code ? code : vida__create_switch_watch(study->system, &monitors->switches, error);
  code = code ? code : vida__create_work(study->system, is_time_stepping, &monitors->work, error);
  return code || !run->adaptive ? code : vida__watch_velocities(&monitors->work, error);
}

void vida__destroy_monitors(vida_monitors* monitors) {
  free(monitors->momenta_start);
  free(monitors->event_v);
  free(monitors->momenta);
  free(monitors->v);
  free(monitors->g);
  free(monitors->g_rate);
  free(monitors->multipliers_there);
  free(monitors->row_speeds);
  free(monitors->observables);
  free(monitors->valueless);
  free(monitors->q_there);
  free(monitors->v_there);
  vida__destroy_shadow(&monitors->shadow);
  vida__destroy_switch_watch(&monitors->switches);
  vida__destroy_work(&monitors->work);
  *monitors = (vida_monitors){0};
}

static void begin_drifts(vida_monitors* monitors, const vida_time_loop* loop) {
  const VidaStudy* study = monitors->study;
  const VidaSystem* system = study->system;
  const double centre = study->t0 + 0.5 * study->time;
  const long steps = vida__count_steps(&monitors->run->grid);
  const double* p = VidaStepper_Momenta(loop->stepper);
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

static void begin_energy(vida_monitors* monitors, const vida_time_loop* loop) {
  const VidaStepper* stepper = loop->stepper;
  const double size = vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self);
  const unsigned claims = stepper->self.method->info.capabilities & ~stepper->self.given_up;
  const VidaOptions* options = monitors->run->options;
  /* If forces do work, the claims of a method refer to its own discrete work. */
  const bool is_exact =
      (claims & VIDA_CAN_ENERGY) != 0 && !vida__has_energy_sources(monitors->study->system);
  const double rtol = Vida_IsAdaptive(options) ? VidaOptions_Get(options, "rtol") : 0.0;
  /* A motion that moves coordinates by a small fraction of their size: 1e-8, or what rtol resolves.
   */
  const double coarser = fmax(1.0, 1e8 * rtol);
  monitors->rest_energy = vida__rest_energy(&stepper->self, fabs(monitors->study->time));
  monitors->energy_size = fmax(size, monitors->rest_energy);
  monitors->rest_energy *= coarser * coarser;
  vida__begin_energy(&monitors->energy_verdict, monitors->energy_size, monitors->rest_energy, rtol,
                     is_exact);
}

int vida__begin_monitors(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  const VidaStudy* study = monitors->study;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  /* Before the first step the energy "in the middle of the step" is the energy at the node. */
  int code = VidaStepper_Energy(loop->stepper, &monitors->energy_start, NULL, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  if (!isfinite(monitors->energy_start)) {
    return vida__fail(error, VIDA_NOT_FINITE, "the energy of the start is not a finite number");
  }
  monitors->energy_now = monitors->energy_start;
  vida__begin_work(&monitors->work, vida__time_loop_time(loop), vida__run_q0(study, monitors->run),
                   vida__run_v0(study, monitors->run));
  vida__begin_switch_watch(&monitors->switches, vida__time_loop_time(loop),
                           vida__run_q0(study, monitors->run), vida__run_v0(study, monitors->run));
  begin_energy(monitors, loop);
  monitors->work.balance.root_mass = loop->stepper->self.model.root_mass;
  const int* rows = NULL;
  const int dependent = VidaStepper_DependentRows(loop->stepper, &rows);
  monitors->dependent_count = dependent;
  if (dependent > 0) {
    vida__append_rows(study->system, rows, dependent, monitors->dependent,
                      sizeof monitors->dependent);
  }
  monitors->near_row = VidaStepper_NearlyDependentRow(loop->stepper, &monitors->near_distance);
  memcpy(monitors->v, vida__run_v0(study, monitors->run), n * sizeof(double));
  code = vida__measure_momenta(monitors, loop, monitors->momenta_start, error);
  code = code ? code : vida__measure_momenta(monitors, loop, monitors->momenta, error);
  if (code == VIDA_SUCCESS) {
    begin_drifts(monitors, loop);
    code = vida__begin_shadow(&monitors->shadow, loop->stepper, study->t0 + 0.5 * study->time,
                              monitors->run->grid.full, error);
  }
  return code;
}

/* A relative error has no value if the reference quantity is always zero; a remark explains this.
 */
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
  const vida_reference* reference = vida__reference_of(monitors->study, monitors->run);
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

/* The slope of the energy is always reported; the other results of a drift study only if the study
 * has the option. */
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

static void take_shadow(const vida_monitors* monitors, VidaRow* row) {
  const vida_shadow* shadow = &monitors->shadow;
  const vida_drift_fit fit = vida__fit_drift(&shadow->drift);
  /* A study of drifts measures shadow energies where there are any. */
  if (shadow->reason && VidaOptions_Get(monitors->study->options, "drift") == 0.0) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_NO_SHADOW, .word = shadow->reason},
                     NULL);
  } else if (shadow->has_value) {
    row->shadow_energy_error = vida__norm_value(&shadow->norm, monitors->study->relative);
    row->shadow_energy_drift = fit.slope;
    row->shadow_energy_drift_interval = fit.interval;
    row->shadow_energy_oscillation = fit.oscillation;
  }
}

void vida__remark_on_passages(const vida_monitors* monitors, const vida_time_loop* loop,
                              VidaRow* row) {
  const long count = vida__time_loop_statistics(loop).singular_passages;
  double t = monitors->passage_t;
  const char* constraint = monitors->passage;
  if (count == 0) {
    return;
  }
  if (!constraint) { /* in the step that failed */
    VidaStepper_SingularPassages(loop->stepper, &t, &constraint);
  }
  const VidaRemarkKind kind =
      count > 1 ? VIDA_REMARK_SINGULAR_PASSAGES : VIDA_REMARK_SINGULAR_PASSAGE;
  vida__add_remark(row, (VidaRemark){.kind = kind, .t = t, .count = count}, constraint);
}

/* Returns the name of the option whose value should be smaller. */
static const char* smaller_value(const vida_monitors* monitors) {
  return monitors->run->adaptive ? "rtol" : "step";
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

void vida__remark_on_observables(const vida_monitors* monitors, VidaRow* row) {
  const VidaSystem* system = monitors->study->system;
  for (int i = 0; i < VidaSystem_ObservableCount(system); i++) {
    const double count = monitors->valueless[2 * i];
    if (count > 0.0) {
      vida__add_remark(row,
                       (VidaRemark){.kind = VIDA_REMARK_NO_OBSERVABLE,
                                    .t = monitors->valueless[2 * i + 1],
                                    .count = (long)count},
                       VidaSystem_ObservableName(system, i));
    }
  }
}

static double finite(double value) {
  return isfinite(value) ? value : (double)NAN;
}

/* Computes for the last state how much of the energy change is work. */
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

/* A balance whose work has an unknown error does not measure the method. */
static void remark_on_balance(const vida_monitors* monitors, VidaRow* row) {
  if (monitors->work.known && isnan(monitors->work.error) && !isnan(row->energy_error)) {
    row->energy_error = row->energy_drift = (double)NAN;
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_WORK_COARSE}, NULL);
  }
  if (!monitors->work.known && isnan(monitors->work.unknown_t)) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_CONTACT_WORK}, NULL);
  } else if (!monitors->work.known) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_WORK_UNKNOWN, .t = monitors->work.unknown_t}, NULL);
  }
}

static void remark_on_energy(const vida_monitors* monitors, const vida_energy_verdict* verdict,
                             VidaRow* row) {
  const bool is_lost = verdict->defect<0.0, is_motion = verdict->motion> verdict->rest;
  if (is_lost && VidaSystem_ContactCount(monitors->study->system) > 0) {
    return; /* impacts and friction take energy, which no work accounts for */
  }
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
  if (monitors->near_row >= 0) {
    vida__add_remark(
        row, (VidaRemark){.kind = VIDA_REMARK_ROW_NEARLY_DEPENDS, .a = monitors->near_distance},
        VidaSystem_ConstraintName(monitors->study->system, monitors->near_row));
  }
}

/* Recommends the option of the largest step if the method has one, and another table if the error
 * estimate of this one is zero. */
static void remark_on_forces(const vida_monitors* monitors, VidaRow* row) {
  const vida_velocity_balance* balance = &monitors->work.balance;
  const VidaOptions* options = monitors->run->options;
  const char* remedy = "try radau with a smaller h, or a smaller rtol";
  if (VidaOptions_HasChoice(options, "integrator", "fehlberg")) {
    remedy =
        "the error estimate of fehlberg is zero for forces of time alone: try integrator = verner";
  } else if (!isnan(VidaOptions_Get(options, "max_step"))) {
    remedy = "try a max_step below the duration of the forces, or a smaller rtol";
  }
  vida__add_remark(row,
                   (VidaRemark){.kind = VIDA_REMARK_FORCES_PASSED,
                                .word = remedy,
                                .t = vida__velocities_wrong_since(balance),
                                .a = 100.0 * fmin(1.0, balance->largest / balance->scale)},
                   NULL);
}

static void remark_on_violation(const vida_monitors* monitors, VidaRow* row) {
  const vida_violation* violation =
      monitors->violation.is_found ? &monitors->violation : &monitors->loose_velocities;
  const VidaRemarkKind kind = violation->is_loose       ? VIDA_REMARK_VIOLATION_BY_SPEEDS
                              : violation->is_velocity  ? VIDA_REMARK_VIOLATION_BY_VELOCITIES
                              : violation->is_of_length ? VIDA_REMARK_VIOLATION_OF_LENGTH
                              : violation->part < 1.0   ? VIDA_REMARK_VIOLATION_OF_PART
                                                        : VIDA_REMARK_VIOLATION;
  vida__add_remark(
      row,
      (VidaRemark){.kind = kind,
                   .word = smaller_value(monitors),
                   .t = violation->t,
                   .a = violation->is_loose ? 100.0 * violation->part : violation->part,
                   .remedy = violation->remedy},
      VidaSystem_ConstraintName(monitors->study->system, violation->row));
}

/* A smaller part of the motion is a matter of the precision of time stepping, whose impacts are of
 * first order. */
static void remark_on_impacts(const vida_monitors* monitors, VidaRow* row) {
  static const double least = 1e-3;
  const double motion = fmax(monitors->impact_motion, monitors->rest_energy);
  if (monitors->impact_gain > least * motion) {
    vida__add_remark(row,
                     (VidaRemark){.kind = VIDA_REMARK_IMPACT_GAIN,
                                  .t = monitors->impact_gain_t,
                                  .a = monitors->impact_gain,
                                  .b = 100.0 * monitors->impact_gain / motion},
                     NULL);
    row->doubtful |= VIDA_DOUBTFUL_ENERGY;
  }
}

void vida__remark_on_deviations(const vida_monitors* monitors, VidaRow* row) {
  if (monitors->violation.is_found || monitors->loose_velocities.is_found) {
    remark_on_violation(monitors, row);
    row->doubtful |= VIDA_DOUBTFUL_CONSTRAINTS;
  }
  /* Forces that the steps missed belong to the correct motion. */
  vida_energy_verdict energy = monitors->energy_verdict;
  const bool is_behind = vida__are_velocities_wrong(&monitors->work.balance, monitors->rest_energy);
  if (is_behind) {
    energy.motion = fmax(energy.motion, 0.5 * pow(monitors->work.balance.scale, 2.0));
  }
  if (vida__is_energy_wrong(&energy)) {
    remark_on_energy(monitors, &energy, row);
    row->doubtful |= VIDA_DOUBTFUL_ENERGY;
  }
  if (!isnan(monitors->parasitic_t)) {
    vida__add_remark(row,
                     (VidaRemark){.kind = VIDA_REMARK_PARASITIC,
                                  .t = monitors->parasitic_t,
                                  .a = VIDA_LARGE_PARASITIC_PART},
                     NULL);
    row->doubtful |= VIDA_DOUBTFUL_ENERGY;
  }
  remark_on_impacts(monitors, row);
  if (is_behind) {
    remark_on_forces(monitors, row);
  }
}

int vida__finish_monitors(const vida_monitors* monitors, VidaRow* row, VidaError* error) {
  const VidaStudy* study = monitors->study;
  if (vida__shares_time(study)) {
    vida__add_remark(row, (VidaRemark){.kind = VIDA_REMARK_SHARED_TIME}, NULL);
  }
  row->position_error = norm_of(&monitors->position, "position", study, row);
  row->velocity_error = norm_of(&monitors->velocity, "velocity", study, row);
  row->multiplier_error = norm_of(&monitors->multiplier, "multiplier", study, row);
  row->energy_error = norm_of(&monitors->energy, "energy", study, row);
  row->momentum_error = norm_of(&monitors->momentum, "momentum", study, row);
  take_drifts(monitors, row);
  take_shadow(monitors, row);
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
  vida__remark_on_deviations(monitors, row);
  remark_on_balance(monitors, row);
  if (vida__reference_of(study, monitors->run)) {
    remark_on_comparison(monitors, row);
  }
  return VIDA_SUCCESS;
}

/* Leaves out errors against the reference, which over a part of the time are not comparable with
 * those of other runs, and confidence intervals, whose blocks refer to the whole time. */
void vida__finish_early(const vida_monitors* monitors, VidaRow* row) {
  const bool relative = monitors->study->relative;
  row->energy_error = finite(vida__norm_value(&monitors->energy, relative));
  row->momentum_error = finite(vida__norm_value(&monitors->momentum, relative));
  row->energy_drift = finite(vida__fit_drift(&monitors->energy_drift).slope);
  take_balance(monitors, row);
  row->constraint_position = finite(monitors->constraint_position);
  row->constraint_velocity = finite(monitors->constraint_velocity);
}
