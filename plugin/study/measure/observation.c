/* The measurements at each node of a run: monitors.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/ensemble.h"
#include "stepper/frame.h"
#include "stepper/jumps.h"
#include "study/measure/monitors.h"
#include "study/reference/reference.h"
#include "system/model/model.h"

int vida__measure_momenta(vida_monitors* monitors, const vida_time_loop* loop, double* momenta,
                          VidaError* error) {
  const VidaSystem* system = monitors->study->system;
  const vida_node_values* known = &loop->stepper->values;
  if (known->is_known) {
    memcpy(momenta, known->momenta, (size_t)system->momentum_count * sizeof *momenta);
  } else {
    VidaSystem_Momentum(system, VidaStepper_Positions(loop->stepper),
                        VidaStepper_Momenta(loop->stepper), momenta);
  }
  if (monitors->conserved == 0) {
    return VIDA_SUCCESS;
  }
  const int code = VidaStepper_Observables(loop->stepper, monitors->observables, error);
  int next = VidaSystem_MomentumCount(system);
  for (int i = 0; i < VidaSystem_ObservableCount(system) && code == VIDA_SUCCESS; i++) {
    if (VidaSystem_ObservableIsConserved(system, i)) {
      momenta[next++] = monitors->observables[i];
    }
  }
  return code;
}

/* Errors are norms: they are infinite only for a state far outside all bounds. */
static int add_checked(vida_error_norm* norm, const char* what, double difference, double size,
                       VidaError* error) {
  if (!isfinite(difference) || !isfinite(size)) {
    return vida__fail(error, VIDA_NOT_FINITE, "%s is not a finite number; try a smaller step",
                      what);
  }
  vida__add_sample(norm, difference, size);
  return VIDA_SUCCESS;
}

/* Adds the energy at a node, minus the energy at the start and the work since then. */
static int add_energy(vida_monitors* monitors, double t, VidaError* error) {
  const double change = monitors->energy_now - monitors->energy_start;
  monitors->work_now = vida__work_at(&monitors->work, t);
  monitors->largest_work = fmax(monitors->largest_work, fabs(monitors->work_now));
  monitors->energy_defect = change - monitors->work_now;
  if (isfinite(change) && isnan(monitors->work_now)) {
    return VIDA_SUCCESS; /* there is a remark on it at the end */
  }
  const int code = add_checked(&monitors->energy, "the energy", fabs(monitors->energy_defect),
                               fabs(monitors->energy_start), error);
  if (code == VIDA_SUCCESS) {
    vida__add_to_drift(&monitors->energy_drift, t, monitors->energy_defect);
  }
  return code;
}

static int observe_energy(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  double t = 0.0;
  int code = VIDA_SUCCESS;
  if (vida__work_is_needed(&monitors->work)) {
    code = VidaStepper_Velocities(loop->stepper, monitors->v, error);
    if (code == VIDA_SUCCESS) {
      vida__follow_work(&monitors->work, vida__time_loop_time(loop),
                        VidaStepper_Positions(loop->stepper), monitors->v);
    }
  }
  code = code ? code : VidaStepper_Energy(loop->stepper, &monitors->energy_now, &t, error);
  return code ? code : add_energy(monitors, t, error);
}

static int count_momenta(const vida_monitors* monitors) {
  return VidaSystem_MomentumCount(monitors->study->system) + monitors->conserved;
}

static double find_momenta_size(const vida_monitors* monitors) {
  return vida__difference_norm(monitors->momenta_start, NULL, count_momenta(monitors), NULL);
}

/* Adds the momenta at a node; *off receives their distance from those of the start. */
static int add_momenta(vida_monitors* monitors, double size, double* off, VidaError* error) {
  *off = vida__difference_norm(monitors->momenta, monitors->momenta_start, count_momenta(monitors),
                               NULL);
  return add_checked(&monitors->momentum, "a momentum map", *off, size, error);
}

static int observe_invariants(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  double off = 0.0, position = 0.0;
  int code = observe_energy(monitors, loop, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  if (count_momenta(monitors) > 0) {
    code = vida__measure_momenta(monitors, loop, monitors->momenta, error);
    code = code ? code : add_momenta(monitors, find_momenta_size(monitors), &off, error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
    if (monitors->drifts) {
      vida__add_to_drift(&monitors->momentum_drift, vida__time_loop_time(loop), off);
    }
  }
  if (VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return VIDA_SUCCESS;
  }
  code = VidaStepper_ConstraintErrors(loop->stepper, &position, NULL, error);
  if (code == VIDA_SUCCESS) {
    monitors->constraint_position = fmax(monitors->constraint_position, position);
  }
  if (code == VIDA_SUCCESS && monitors->drifts) {
    vida__add_to_drift(&monitors->constraint_drift, vida__time_loop_time(loop), position);
  }
  return code;
}

static void find_parasites(vida_monitors* monitors, const vida_time_loop* loop) {
  const double energy = VidaStepper_ParasiticEnergy(loop->stepper); /* NaN: there are none */
  const double motion = fmax(monitors->energy_verdict.motion, monitors->energy_verdict.rest);
  const bool is_large = energy > VIDA_LARGE_PARASITIC_PART * motion;
  if (monitors->parasitic_count == 0) {
    monitors->parasitic_since = vida__time_loop_time(loop);
  }
  const int most = VIDA_PARASITIC_OBSERVATIONS, count = monitors->parasitic_count;
  monitors->parasitic_count = !is_large ? 0 : count < most ? count + 1 : most;
  if (isnan(monitors->parasitic_t) && monitors->parasitic_count == most) {
    monitors->parasitic_t = monitors->parasitic_since;
  }
}

/* `defect`: of the energy, NaN if the work is not known. */
static void judge_energy(vida_monitors* monitors, double t, double defect, double kinetic) {
  if (isfinite(defect) && fabs(defect) > vida__work_uncertainty(&monitors->work)) {
    vida__judge_energy(&monitors->energy_verdict, t, defect, fmax(kinetic, monitors->largest_work));
  }
}

/* Adds what impacts of time stepping have brought in this step. */
static void add_impact_gain(vida_monitors* monitors, const vida_time_loop* loop, double kinetic) {
  const double gain = loop->stepper->self.impact_gain;
  if (gain > 0.0) {
    monitors->impact_gain_t =
        monitors->impact_gain > 0.0 ? monitors->impact_gain_t : vida__time_loop_time(loop);
    monitors->impact_gain += gain;
  }
  monitors->impact_motion = fmax(monitors->impact_motion, kinetic - monitors->impact_gain);
}

/* A run with violated constraints continues, but the row has a remark. */
static int find_deviations(vida_monitors* monitors, const vida_time_loop* loop, VidaError* error) {
  const double kinetic = vida__kinetic_size(&loop->stepper->self);
  judge_energy(monitors, vida__time_loop_time(loop),
               monitors->energy_defect + vida__stored_energy(loop->stepper), kinetic);
  add_impact_gain(monitors, loop, kinetic);
  find_parasites(monitors, loop);
  return monitors->violation.is_found
             ? VIDA_SUCCESS
             : vida__find_violation(loop->stepper, &monitors->violation, error);
}

/* Velocities cost a projection, so they are computed only if they are needed. */
static int observe_velocities(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  double velocity = 0.0;
  int code = VidaStepper_Velocities(loop->stepper, monitors->v, error);
  if (code != VIDA_SUCCESS || VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return code;
  }
  code = VidaStepper_ConstraintErrors(loop->stepper, NULL, &velocity, error);
  if (code == VIDA_SUCCESS) {
    monitors->constraint_velocity = fmax(monitors->constraint_velocity, velocity);
    code = vida__check_velocities(loop->stepper, monitors->v, error);
  }
  if (code == VIDA_SUCCESS && !monitors->loose_velocities.is_found) {
    code = vida__find_loose_velocities(loop->stepper, monitors->v, monitors->row_speeds,
                                       &monitors->loose_velocities, error);
  }
  return code;
}

static int compare_multipliers(vida_monitors* monitors, const vida_time_loop* loop,
                               VidaError* error) {
  const vida_reference* reference = vida__reference_of(monitors->study, monitors->run);
  const int m = VidaSystem_ConstraintCount(monitors->study->system);
  double t = NAN;
  const double* multipliers = VidaStepper_Multipliers(loop->stepper, &t);
  if (isnan(vida__difference_norm(multipliers, NULL, m, NULL))) { /* not known yet */
    return VIDA_SUCCESS;
  }
  /* At a jump, the multipliers of the step that ends there belong to the earlier side. */
  const bool is_later = t < vida__time_loop_time(loop) - 1e-9 * monitors->run->grid.h;
  if (!vida__reference_multipliers(reference, m, t, is_later, &monitors->multiplier_cursor,
                                   monitors->multipliers_there)) {
    return VIDA_SUCCESS;
  }
  return add_checked(
      &monitors->multiplier, "a multiplier",
      vida__study_difference(monitors->study, multipliers, monitors->multipliers_there, m, NULL),
      vida__difference_norm(monitors->multipliers_there, NULL, m, NULL), error);
}

static int compare_state(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  const VidaStudy* study = monitors->study;
  const vida_reference* reference = vida__reference_of(study, monitors->run);
  const int n = VidaSystem_CoordinateCount(study->system);
  const int length = monitors->position.length;
  const long step = VidaStepper_HasEnded(loop->stepper)
                        ? VIDA_END_BY_EVENT
                        : vida__reference_step(study, monitors->run, loop->step);
  const long state = vida__find_state(reference, step, &monitors->state_cursor);
  if (state < 0) {
    return VIDA_SUCCESS;
  }
  const double* now = VidaStepper_Positions(loop->stepper);
  const double* q = monitors->q_there;
  const double* v = monitors->v_there;
  memcpy(monitors->q_there, reference->q + (size_t)state * (size_t)n, (size_t)n * sizeof *q);
  memcpy(monitors->v_there, reference->v + (size_t)state * (size_t)n, (size_t)n * sizeof *v);
  vida__choose_signs(study->system, now, monitors->q_there, monitors->v_there);
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
    code = compare_multipliers(monitors, loop, error);
  }
  return code;
}

/* A restart for a shorter last step would delete the statistics. */
static void note_passage(vida_monitors* monitors, const vida_time_loop* loop) {
  if (!monitors->passage) {
    VidaStepper_SingularPassages(loop->stepper, &monitors->passage_t, &monitors->passage);
  }
}

/* No step is small enough for a potential whose force jumps between two turns. */
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

static int observe_switches(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  if (monitors->switches.count == 0) {
    return VIDA_SUCCESS;
  }
  int code = VidaStepper_Velocities(loop->stepper, monitors->v, error);
  if (!code) {
    vida__follow_switches(&monitors->switches, vida__time_loop_time(loop),
                          VidaStepper_Positions(loop->stepper), monitors->v);
    code = check_angles(monitors, error);
  }
  return code;
}

int vida__observe_step(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  const bool has_ended = VidaStepper_HasEnded(loop->stepper);
  const bool compared = vida__reference_of(monitors->study, monitors->run) &&
                        (has_ended || vida__is_compared(monitors->run, loop->step));
  int code = observe_invariants(monitors, loop, error);
  code = code ? code : vida__add_to_shadow(&monitors->shadow, loop->stepper, error);
  code = code ? code : observe_switches(monitors, loop, error);
  code = code ? code : find_deviations(monitors, loop, error);
  note_passage(monitors, loop);
  if (code == VIDA_SUCCESS &&
      (compared || has_ended || vida__is_sampled(monitors->run, loop->step))) {
    code = observe_velocities(monitors, loop, error);
  }
  if (code == VIDA_SUCCESS && compared) {
    code = compare_state(monitors, loop, error);
  }
  return code;
}

/* ---- nodes of joint steps -------------------------------------------------------------------- */

bool vida__begin_joint_nodes(const vida_monitors* monitors, const vida_time_loop* loop,
                             vida_joint_bounds* bounds) {
  const VidaStepper* stepper = loop->stepper;
  const unsigned both = VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL;
  const unsigned kept = stepper->self.method->info.capabilities & ~stepper->self.given_up;
  bounds->momenta_size = find_momenta_size(monitors);
  bounds->velocity = vida__unsuspicious_velocity(stepper);
  return (kept & both) == both && !stepper->self.softness &&
         !stepper->self.method->parasitic_energy && !vida__work_is_needed(&monitors->work) &&
         monitors->shadow.nodes == 0 && monitors->switches.count == 0 && monitors->conserved == 0 &&
         !monitors->drifts && isfinite(bounds->momenta_size) && isfinite(monitors->energy_start);
}

bool vida__observe_joint_node(vida_monitors* monitors, const vida_time_loop* loop,
                              const vida_joint_bounds* bounds, const vida_joint_node* node) {
  VidaError unused;
  const long step = loop->step + 1;
  const bool is_sampled = vida__is_sampled(monitors->run, step);
  const int maps = VidaSystem_MomentumCount(monitors->study->system);
  double off = 0.0, sum = node->energy;
  for (int i = 0; i < maps; i++) {
    sum += node->momenta[i];
  }
  if (!isfinite(sum) || (is_sampled && !(node->velocity <= bounds->velocity)) ||
      (vida__reference_of(monitors->study, monitors->run) &&
       vida__is_compared(monitors->run, step))) {
    return false;
  }
  monitors->energy_now = node->energy;
  add_energy(monitors, node->t, &unused);
  if (maps > 0) {
    memcpy(monitors->momenta, node->momenta, (size_t)maps * sizeof *monitors->momenta);
    add_momenta(monitors, bounds->momenta_size, &off, &unused);
  }
  monitors->constraint_position = fmax(monitors->constraint_position, node->position);
  judge_energy(monitors, vida__grid_time(&loop->grid, step), monitors->energy_defect,
               node->kinetic);
  if (is_sampled) {
    monitors->constraint_velocity = fmax(monitors->constraint_velocity, node->velocity);
  }
  return true;
}

/* ---- jumps and samples ----------------------------------------------------------------------- */

int vida__observe_jump(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  const vida_jumps* jumps = loop->stepper->jumps;
  const double t = VidaStepper_Time(loop->stepper);
  const double* q = VidaStepper_Positions(loop->stepper);
  int code = VIDA_SUCCESS;
  if (!vida__work_is_needed(&monitors->work)) {
    return code;
  }
  code = VidaStepper_Velocities(loop->stepper, monitors->v, error);
  if (!code && jumps->is_left) {
    vida__follow_work_to_jump(&monitors->work, t, q, monitors->v, jumps->jump.before);
  } else if (!code) {
    vida__follow_work_over_jump(&monitors->work, t, q, monitors->v, jumps->jump.after);
  }
  monitors->work_now = vida__work_at(&monitors->work, t);
  monitors->largest_work = fmax(monitors->largest_work, fabs(monitors->work_now));
  return code;
}

int vida__measure_sample(vida_monitors* monitors, vida_time_loop* loop, VidaError* error) {
  int code = VidaStepper_Energy(loop->stepper, &monitors->energy_now, NULL, error);
  code = code ? code : vida__measure_momenta(monitors, loop, monitors->momenta, error);
  return code ? code : VidaStepper_Velocities(loop->stepper, monitors->v, error);
}

/* Counts the observables that have no finite value at this sample. */
static void count_valueless(vida_monitors* monitors, double t) {
  for (int i = 0; i < VidaSystem_ObservableCount(monitors->study->system); i++) {
    if (!isfinite(monitors->observables[i])) {
      double* own = &monitors->valueless[2 * i];
      own[1] = own[0] > 0.0 ? own[1] : t;
      own[0] += 1.0;
    }
  }
}

int vida__complete_sample(vida_monitors* monitors, vida_time_loop* loop, double t,
                          VidaError* error) {
  if (VidaSystem_ObservableCount(monitors->study->system) > 0) {
    const int code = VidaStepper_Observables(loop->stepper, monitors->observables, error);
    if (code != VIDA_SUCCESS) {
      return code;
    }
    count_valueless(monitors, t);
  }
  if (VidaSystem_ConstraintCount(monitors->study->system) == 0) {
    return VIDA_SUCCESS;
  }
  return VidaStepper_Constraints(loop->stepper, monitors->g, monitors->g_rate, error);
}
