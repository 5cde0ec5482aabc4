/* The motion between two jumps in time: its start, and steps of the method, which are accepted or
 * taken back. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "stepper/branch_watch.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_steps.h"
#include "stepper/hybrid/contacts.h"
#include "stepper/jumps.h"
#include "stepper/method_calls.h"
#include "stepper/reduction.h"

/* Deletes what has been evaluated at the node that the last step has reached. */
static void forget_node(VidaStepper* stepper) {
  stepper->self.implicit.has_g_node = false;
  stepper->self.implicit.has_entries_next = false;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Takes the sizes that the rows have had in the motion of which the stepper makes a part: a nested
 * one starts anew at its nodes, where the terms of a row may vanish. */
static void take_outer_reach(VidaStepper* stepper) {
  const VidaStepper* outer = stepper->outer;
  if (!outer || (outer->hybrid && vida__set_reach(outer->hybrid, stepper))) {
    return;
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    stepper->self.model.reach[r] = fmax(stepper->self.model.reach[r], outer->self.model.reach[r]);
  }
}

static int factor_mass(VidaStepper* stepper, VidaError* error) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  vida_linear* mass = stepper->self.model.mass_matrix;
  if (!mass) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(mass);
  int code =
      vida__add_hessian_of(&stepper->self.model.evaluator, VIDA_PART_KINETIC, stepper->self.node.t0,
                           stepper->self.node.q, stepper->self.node.v, mass_only, mass->values);
  if (code) {
    return vida__evaluation_failed(&stepper->self, code, error);
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    mass->values[vida__pattern_slot(mass->pattern, stepper->self.model.n + r,
                                    stepper->self.model.n + r)] = 1.0;
  }
  code = vida__linear_factor(mass);
  /* A method that solves with the mass matrix alone checks whether it could be factored. */
  stepper->self.model.has_singular_mass = code != VIDA_SUCCESS;
  return VIDA_SUCCESS;
}

static int reset(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                 bool again, VidaError* error) {
  const size_t bytes = (size_t)stepper->self.model.n * sizeof *q;
  int code = vida__check_clock(stepper, t0, h, again, error);
  code = code ? code : vida__check_values(stepper, "position", q, error);
  if (code) {
    return code;
  }
  stepper->started = false;
  stepper->earlier = again ? stepper->earlier : 0;
  stepper->self.continues = again;
  stepper->self.node.t0 = t0;
  stepper->self.node.h = h;
  stepper->self.node.step = 0;
  stepper->self.implicit.history.count = 0;
  stepper->has_node_velocity = stepper->values.is_known = false;
  stepper->has_node_multipliers = false;
  forget_node(stepper);
  stepper->self.implicit.scaled_for = 0.0;
  stepper->self.model.tension = 0.0;
  stepper->self.implicit.has_tracked = stepper->self.implicit.is_repeated = false;
  memcpy(stepper->self.node.q, q, bytes);
  memcpy(stepper->self.node.v, v, bytes);
  memset(stepper->self.node.q_low, 0, bytes);
  memset(stepper->self.node.p, 0, bytes);
  memset(stepper->self.node.p_low, 0, bytes);
  memset(&stepper->self.statistics, 0, sizeof stepper->self.statistics);
  if (stepper->self.implicit.map) {
    vida__map_reset_counts(stepper->self.implicit.map);
  }
  if (stepper->self.implicit.condensed) {
    vida__map_reset_counts(vida__condensed_map(&stepper->self));
  }
  vida__set_unknown_multipliers(stepper);
  int measured = vida__measure_sizes(&stepper->self, error);
  if (measured) {
    return measured;
  }
  if (!again) { /* sizes of constraints are those of the motion's start, not of any place in it */
    vida__measure_row_scales(&stepper->self);
  }
  take_outer_reach(stepper);
  measured = vida__find_redundancy(&stepper->self, error);
  vida__condensed_start(&stepper->self);
  vida__distance_steps_start(&stepper->self);
  stepper->careful_steps = 0;
  return measured ? measured : factor_mass(stepper, error);
}

/* Factors the matrix of the first step, so that KLU allocates its memory here. */
static int warm_up(VidaStepper* stepper, VidaError* error) {
  const int code = stepper->self.implicit.prepare(&stepper->self, error);
  if (!code) {
    if (stepper->self.implicit.map) {
      vida__map_prepare(stepper->self.implicit.map, stepper->self.implicit.unknown);
      vida__map_reset_counts(stepper->self.implicit.map);
    }
    if (vida__is_condensed(&stepper->self)) {
      vida__condensed_prepare(&stepper->self);
    }
    if (vida__factor_node_matrix(&stepper->self, stepper->self.implicit.entries0,
                                 stepper->self.node.v) == VIDA_STEP_SINGULAR &&
        stepper->self.model.m == 0) {
      vida__fail(error, VIDA_BAD_ARGUMENT,
                 "the mass matrix of system '%s' is singular at the start: some combination "
                 "of rates has no kinetic energy",
                 stepper->self.model.system->name);
      if (error) {
        vida__append_undetermined(&stepper->self, error->message, VIDA_MESSAGE_SIZE);
      }
      return VIDA_BAD_ARGUMENT;
    }
  }
  return code;
}

/* Unknowns that are impulses of constraints, which are not known before the first step. */
static bool has_multipliers_to_scale(const VidaStepper* stepper) {
  return stepper->self.implicit.map && stepper->self.model.m > 0 &&
         (stepper->self.method->info.capabilities & VIDA_CAN_POSITION_LEVEL);
}

int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error) {
  int code = vida__check_values(stepper, "velocity", v, error);
  const vida_start start = {t0, h, (double*)q, (double*)v, false, again, stepper->segment};
  vida__keep_start(stepper, &start);
  code = code ? code : reset(stepper, t0, h, q, v, again, error);
  code = code ? code : vida__check_reduced_start(&stepper->self, error);
  code = code ? code : vida__check_massless(&stepper->self, error);
  code = code ? code : vida__call_start(&stepper->self, error);
  if (!code && has_multipliers_to_scale(stepper)) {
    vida__measure_tension(&stepper->self);
  }
  code = code ? code : vida__check_start(stepper, v, again, error);
  code = code ? code : warm_up(stepper, error);
  if (!code && again) {
    vida__watch_return(stepper->watch, stepper->self.node.t0, stepper->self.node.q);
    if (stepper->outer) {
      vida__take_conserved_energy(stepper);
    }
  } else if (!code) {
    vida__watch_start(stepper->watch, stepper->self.node.t0, stepper->self.node.q);
    vida__begin_energy_check(stepper);
  }
  stepper->started = !code;
  return code;
}

int vida__start_motion_two_points(VidaStepper* stepper, double t0, double h, const double* q0,
                                  const double* q1, VidaError* error) {
  int code = vida__check_values(stepper, "position", q0, error);
  code = code ? code : vida__check_values(stepper, "second position", q1, error);
  if (code) {
    return code;
  }
  const vida_start start = {t0, h, (double*)q0, (double*)q1, true, false, stepper->segment};
  vida__keep_start(stepper, &start);
  for (int i = 0; i < stepper->self.model.n; i++) {
    stepper->node_velocity[i] = (q1[i] - q0[i]) / h;
  }
  code = reset(stepper, t0, h, q0, stepper->node_velocity, false, error);
  code = code ? code : vida__check_reduced_start(&stepper->self, error);
  code = code ? code : vida__call_start_two_points(&stepper->self, q1, error);
  code = code ? code : warm_up(stepper, error);
  if (!code) {
    vida__watch_start(stepper->watch, vida__node_time(&stepper->self), stepper->self.node.q);
    vida__begin_energy_check(stepper);
  }
  stepper->started = !code;
  return code;
}

/* ---- steps ----------------------------------------------------------------------------------- */
/* Stops a motion far outside all bounds here, before it appears in an output. */
static int check_state(const VidaStepper* stepper, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  double sum = 0.0;
  for (int i = 0; i < stepper->self.model.n; i++) {
    sum += 0.0 * stepper->self.node.q[i] +
           0.0 * stepper->self.node.p[i]; /* NaN as soon as one is not finite */
  }
  if (sum != 0.0) {
    return vida__fail(error, VIDA_NOT_FINITE, "%s gives positions or momenta that are not finite",
                      vida__name_step(&stepper->self, step));
  }
  /* Multipliers that the method computes on request are those of an earlier node here. */
  if (!stepper->self.method->multipliers &&
      !vida__are_finite(stepper->self.node.lambda, stepper->self.model.m)) {
    return vida__fail(error, VIDA_NOT_FINITE, "%s gives multipliers that are not finite",
                      vida__name_step(&stepper->self, step));
  }
  return VIDA_SUCCESS;
}

void vida__keep_in_steps(VidaIntegration* self, void* at, size_t size) {
  self->kept[self->kept_count++] = (vida_kept_part){at, size};
}

int vida__allocate_own(VidaStepper* stepper, VidaError* error) {
  size_t size = 0;
  for (int k = 0; k < stepper->self.kept_count; k++) {
    size += stepper->self.kept[k].size;
  }
  stepper->kept_own = size > 0 ? vida__allocate(size, 1) : NULL;
  return size > 0 && !stepper->kept_own ? vida__fail_memory(error) : VIDA_SUCCESS;
}

void vida__keep_own(VidaStepper* stepper) {
  unsigned char* to = stepper->kept_own;
  for (int k = 0; k < stepper->self.kept_count; k++) {
    memcpy(to, stepper->self.kept[k].at, stepper->self.kept[k].size);
    to += stepper->self.kept[k].size;
  }
}

void vida__return_own(VidaStepper* stepper) {
  const unsigned char* from = stepper->kept_own;
  for (int k = 0; k < stepper->self.kept_count; k++) {
    memcpy(stepper->self.kept[k].at, from, stepper->self.kept[k].size);
    from += stepper->self.kept[k].size;
  }
}

/* Deletes the data of the last step from which guesses could be made; in another stepper, which may
 * change the step, all of them. */
static void take_back(VidaStepper* stepper) {
  stepper->has_node_velocity = stepper->values.is_known = false;
  forget_node(stepper);
  stepper->self.implicit.has_tracked = false;
  if (stepper->outer) {
    stepper->self.implicit.history.count = 0;
  } else {
    vida__return_unknown(&stepper->self);
  }
  if (stepper->self.method->undo) {
    stepper->self.method->undo(&stepper->self);
  }
}

/* Checks the state that the step has computed; `evaluates`: g at its end, too; `is_calm`: gradients
 * of constraints have hardly turned. */
static int judge(VidaStepper* stepper, bool evaluates, bool is_calm, VidaError* error) {
  int code = check_state(stepper, error);
  if (!code && evaluates) {
    vida__evaluate_constraints_after_step(stepper);
  }
  code = code || stepper->self.reports_motion
             ? code
             : vida__check_branch(&stepper->self, stepper->self.node.q, error);
  code =
      code || is_calm || stepper->self.turn_limit == 0.0 ? code : vida__check_turn(stepper, error);
  stepper->has_node_velocity = stepper->values.is_known = false;
  stepper->has_node_multipliers = false;
  code = code ? code : vida__check_step(stepper, error);
  code = code ? code : vida__check_energy(stepper, error);
  return code ? code : vida__check_passage(stepper, error);
}

/* Accepts the state that the step has computed as the new node, or rejects it. */
static int arrive(VidaStepper* stepper, VidaError* error) {
  const int code = judge(stepper, true, false, error);
  if (code) {
    take_back(stepper);
  } else {
    stepper->self.node.step++;
  }
  return code;
}

/* Makes a step from the node to the next one, or fails after an interrupt. */
static int try_step(VidaStepper* stepper, VidaError* error) {
  if (!stepper->outer) {
    vida__begin_interruptible(stepper);
  }
  int code = vida__interrupted(&stepper->self, vida__node_time(&stepper->self));
  code = code ? code : stepper->self.implicit.prepare(&stepper->self, error);
  forget_node(stepper);
  code = code ? code : vida__call_step(&stepper->self, error);
  if (!stepper->outer && vida__end_interruptible(stepper)) {
    if (!code) { /* it ended all the same, perhaps with less accuracy than it would have had */
      take_back(stepper);
    }
    return vida__fail_interrupted(stepper, error);
  }
  return code ? code : arrive(stepper, error);
}

/* The node from q on. */
static size_t count_kept_bytes(const VidaStepper* stepper) {
  return (size_t)(5 * stepper->self.model.n + stepper->self.model.m) * sizeof(double);
}

/* What the guess of a step is made from, besides the node and kept_guess. */
typedef struct guess_record {
  int count, terms;
  bool has_tracked;
  const double* entries0;
} guess_record;

static guess_record keep_guess(VidaStepper* stepper) {
  const vida_implicit* implicit = &stepper->self.implicit;
  const size_t m = (size_t)stepper->self.model.m, size = (size_t)stepper->self.model.n + m;
  double* to = stepper->kept_guess;
  for (size_t r = 0; r < m && implicit->has_tracked; r++) {
    to[r] = implicit->g_tracked[r];
  }
  to += m;
  /* In each step: short loops are faster than calls. */
  for (size_t i = 0; i < size && implicit->history.count > 0; i++, to += VIDA_HISTORY) {
    for (int k = 0; k < VIDA_HISTORY; k++) {
      to[k] = implicit->history.difference[k][i];
    }
  }
  return (guess_record){implicit->history.count, implicit->history.terms, implicit->has_tracked,
                        implicit->entries0};
}

/* The same step would not be the same with another guess: it could succeed with another solution.
 */
static void return_guess(VidaStepper* stepper, const guess_record* kept) {
  vida_implicit* implicit = &stepper->self.implicit;
  const size_t m = (size_t)stepper->self.model.m, size = (size_t)stepper->self.model.n + m;
  const double* from = stepper->kept_guess;
  if (kept->has_tracked) {
    memcpy(implicit->g_tracked, from, m * sizeof *from);
  }
  from += m;
  for (size_t i = 0; i < size && kept->count > 0; i++, from += VIDA_HISTORY) {
    for (int k = 0; k < VIDA_HISTORY; k++) {
      implicit->history.difference[k][i] = from[k];
    }
  }
  implicit->history.count = kept->count;
  implicit->history.terms = kept->terms;
  implicit->has_tracked = kept->has_tracked;
  implicit->is_repeated = implicit->is_repeated || implicit->entries0 != kept->entries0;
}

int vida__make_step(VidaStepper* stepper, VidaError* error) {
  const size_t bytes = count_kept_bytes(stepper);
  const double lambda_t = stepper->self.node.lambda_t;
  const vida_energy_record energy = stepper->energy;
  memcpy(stepper->kept, stepper->self.node.q, bytes);
  vida__keep_own(stepper);
  vida__leave_calm_steps(&stepper->self);
  const guess_record guess = keep_guess(stepper);
  /* g of the last check is valid for the node, unless the state, the time or the formulas have
   * changed. */
  if (vida__is_stage(stepper) || stepper->jumps) {
    forget_node(stepper);
  }
  const int code = try_step(stepper, error);
  if (code) {
    memcpy(stepper->self.node.q, stepper->kept, bytes);
    stepper->self.node.lambda_t = lambda_t;
    stepper->energy = energy;
    vida__return_own(stepper);
    if (!stepper->outer) { /* another stepper may make a different step */
      return_guess(stepper, &guess);
    }
    if (!stepper->interrupt.code) {
      vida__explain_failure(stepper, error);
      if (code > 0 && !vida__is_stage(stepper)) {
        vida__append_light_coordinates(&stepper->self, error);
      }
    }
    forget_node(stepper);
    vida__watch_return(stepper->watch, vida__node_time(&stepper->self), stepper->self.node.q);
    return code;
  }
  stepper->self.statistics.steps += stepper->self.adaptive ? 0 : 1;
  return VIDA_SUCCESS;
}

/* ---- calm steps ------------------------------------------------------------------------------ */

/* Checks the state after `made` calm steps. */
static bool accepts_calm_steps(VidaStepper* stepper, long made) {
  VidaError unused;
  VidaNode* node = &stepper->self.node;
  const bool evaluates = (node->step + made) % VIDA_CALM_STEPS == 0;
  forget_node(stepper);
  node->step += made - 1; /* as before the last one */
  if (judge(stepper, evaluates, true, &unused)) {
    node->step -= made - 1;
    return false;
  }
  node->step++;
  stepper->self.implicit.is_repeated = false;
  stepper->self.statistics.steps += made;
  if (stepper->self.series.make) {
    return true;
  }
  if (evaluates && stepper->self.implicit.has_g_node) {
    vida__track_calm_steps(&stepper->self);
  }
  vida__count_evaluations(&stepper->self);
  return true;
}

/* Keeps the state before calm steps, which take_back_calm_steps restores. */
static void keep_node(VidaStepper* stepper) {
  memcpy(stepper->kept, stepper->self.node.q, count_kept_bytes(stepper));
  stepper->kept_lambda_t = stepper->self.node.lambda_t;
  stepper->kept_energy = stepper->energy;
  vida__keep_own(stepper);
  vida__watch_keep(stepper->watch);
}

static void take_back_calm_steps(VidaStepper* stepper) {
  memcpy(stepper->self.node.q, stepper->kept, count_kept_bytes(stepper));
  stepper->self.node.lambda_t = stepper->kept_lambda_t;
  stepper->energy = stepper->kept_energy;
  if (stepper->self.series.make) {
    stepper->self.series.take_back(&stepper->self);
  } else {
    vida__take_back_calm_steps(&stepper->self);
  }
  vida__return_own(stepper);
  forget_node(stepper);
  vida__watch_take_back(stepper->watch, vida__node_time(&stepper->self), stepper->self.node.q);
}

long vida__make_series(VidaIntegration* self, long most, int (*step)(VidaIntegration* self),
                       bool* is_broken) {
  VidaNode* node = &self->node;
  const long first = node->step;
  *is_broken = false;
  while (node->step - first < most) {
    *is_broken = step(self);
    if (*is_broken) {
      self->model.evaluator.error = (VidaError){0}; /* the method makes this step again */
      break;
    }
    node->step++;
    if (node->step % VIDA_CALM_STEPS == 0 || !vida__passes_node(self, node->q)) {
      break;
    }
  }
  const long made = node->step - first;
  node->step = first;
  return made;
}

/* Makes up to `most` steps of a series. */
static long make_unchecked(VidaStepper* stepper, long most, bool* is_broken) {
  const vida_step_series* series = &stepper->self.series;
  if (!series->make) {
    return vida__make_calm_steps(&stepper->self, most, is_broken);
  }
  series->keep(&stepper->self);
  return series->make(&stepper->self, most, is_broken);
}

/* Makes up to `most` calm steps, and returns their number. If the checks reject the last one, each
 * of them is made and checked alone; the method itself makes a step that is rejected alone. */
static long make_calm_steps(VidaStepper* stepper, long most) {
  bool is_broken;
  keep_node(stepper);
  const long made = make_unchecked(stepper, most, &is_broken);
  if (!is_broken && (made == 0 || accepts_calm_steps(stepper, made))) {
    return made;
  }
  take_back_calm_steps(stepper);
  if (is_broken) {
    return made > 0 ? make_calm_steps(stepper, made) : 0;
  }
  stepper->careful_steps = made > 1 ? made : 0;
  return made > 1 ? make_calm_steps(stepper, 1) : 0;
}

bool vida__begin_joint_steps(VidaStepper* stepper) {
  if (stepper->outer || stepper->jumps || stepper->hybrid || stepper->careful_steps > 0 ||
      !vida__begin_lane_steps(&stepper->self)) {
    return false;
  }
  keep_node(stepper);
  return true;
}

bool vida__end_joint_steps(VidaStepper* stepper, long made) {
  vida__end_lane_steps(&stepper->self, made);
  if (accepts_calm_steps(stepper, made)) {
    return true;
  }
  take_back_calm_steps(stepper);
  stepper->careful_steps = made > 1 ? made : 0;
  return false;
}

void vida__replace_node(VidaStepper* stepper) {
  stepper->has_node_velocity = stepper->has_node_multipliers = stepper->values.is_known = false;
  stepper->self.implicit.is_repeated = false;
  forget_node(stepper);
}

/* Makes up to `most` calm steps, and returns their number: 0 also after an interrupt. */
static long try_calm_steps(VidaStepper* stepper, long most) {
  if (vida__interrupted(&stepper->self, vida__node_time(&stepper->self))) {
    return 0;
  }
  const long made = make_calm_steps(stepper, stepper->careful_steps > 0 ? 1 : most);
  stepper->careful_steps -= stepper->careful_steps > 0 ? 1 : 0;
  return made;
}

static bool has_calm_steps(const VidaStepper* stepper) {
  return stepper->self.implicit.distances || stepper->self.series.make;
}

bool vida__try_calm_step(VidaStepper* stepper) {
  return has_calm_steps(stepper) && try_calm_steps(stepper, 1) > 0;
}

int vida__make_steps(VidaStepper* stepper, long most, long* made, VidaError* error) {
  *made = 0;
  if (has_calm_steps(stepper) && !stepper->outer) {
    vida__begin_interruptible(stepper);
    *made = try_calm_steps(stepper, most);
    if (vida__end_interruptible(stepper)) {
      return vida__fail_interrupted(stepper, error);
    }
  }
  if (*made > 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__make_step(stepper, error);
  *made = code ? 0 : 1;
  return code;
}
