/* What is judged of every method, by one rule: whether there is a motion from a start; after each
 * step whether the constraints hold as well as the method claims, or where it claims nothing,
 * whether they are torn; and why a step failed. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "system/evaluate/sizes.h"

/* ---- the size of what a constraint compares -------------------------------------------------- */

/* |q|; an angle is no less than a radian, wherever it begins. */
static void measure_places(const VidaIntegration* self, double* x) {
  for (int i = 0; i < self->model.n; i++) {
    const bool is_angle = strcmp(self->model.system->coordinates[i].unit, "rad") == 0;
    x[i] = fmax(fabs(self->node.q[i]), is_angle ? 1.0 : 0.0);
  }
}

/* How far velocities and forces of the start take coordinates in a step. */
static void measure_ways(const VidaIntegration* self, double* x) {
  const double h = fabs(self->node.h);
  for (int i = 0; i < self->model.n; i++) {
    const double by_mass = self->model.inverse_root[i] * self->model.inverse_root[i];
    x[i] = h * (fabs(self->node.v[i]) + h * self->model.force_size[i] * by_mass);
  }
}

void vida__measure_reach(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  double* x = self->work.speed;
  double* by_way = self->work.constraint_work;
  for (int r = 0; r < self->model.m; r++) {
    self->model.reach[r] = system->rows[r].length;
  }
  measure_places(self, x);
  vida__add_row_sizes(system, self->work.entries, x, self->model.reach);
  memset(by_way, 0, (size_t)self->model.m * sizeof *by_way);
  measure_ways(self, x);
  vida__add_row_sizes(system, self->work.entries, x, by_way);
  for (int r = 0; r < self->model.m; r++) {
    self->model.reach[r] = self->model.reach[r] > 0.0 ? self->model.reach[r] : by_way[r];
  }
}

/* The distance of two points is violated by parts of its length, wherever the points are: the size
 * that judges it is twice the length, which is the reach of a rod at the origin. */
static double find_size(const VidaIntegration* self, int row) {
  const double length = self->model.system->rows[row].length;
  return length > 0.0 ? fmin(self->model.reach[row], 2.0 * length) : self->model.reach[row];
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Of the terms of a row, and of the forces that cancel in them: less is rounding. */
static const double contradiction = 1e-8;
static const double rounding = 1e-13;
/* Of the reach of a row: what moves by less in a step is at rest. */
static const double at_rest = 1e-14;

/* left += G x, and size (nullable) += |G| |x| */
static void add_rows(const VidaStepper* stepper, const double* x, double* left, double* size) {
  for (int e = 0; e < stepper->self.model.system->entry_count; e++) {
    const vida_jacobian_entry* entry = &stepper->self.model.system->entries[e];
    const double term = stepper->self.work.entries[e] * x[entry->coordinate];
    left[entry->row] += term;
    if (size) {
      size[entry->row] += fabs(term);
    }
  }
}

/* size (of |G a| and of what the rest of second derivatives is) += what rows bend by at such
 * speeds; 0 of rows that nothing moves. forces: the sizes of what cancels in accelerations. */
static void measure_derivatives(VidaStepper* stepper, const double* lambda, double* size,
                                double* forces) {
  const VidaSystem* system = stepper->self.model.system;
  double *speed = stepper->self.work.speed, *strength = stepper->self.work.dq,
         *pace = stepper->self.implicit.g0;
  const size_t bytes = (size_t)stepper->self.model.m * sizeof *pace;
  for (int i = 0; i < stepper->self.model.n; i++) {
    speed[i] = fabs(stepper->self.node.v[i]);
    strength[i] = fabs(stepper->self.work.l_q[i]);
  }
  vida__share_sizes(system, speed);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] += fabs(stepper->self.work.entries[e] * lambda[entry->row]);
  }
  memset(forces, 0, bytes);
  memset(pace, 0, bytes);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    const double by_mass =
        stepper->self.model.inverse_root[i] * stepper->self.model.inverse_root[i];
    pace[entry->row] += fabs(stepper->self.work.entries[e]) * speed[i];
    forces[entry->row] += fabs(stepper->self.work.entries[e]) * strength[i] * by_mass;
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    const double reach = stepper->self.model.reach[r];
    const bool moves =
        fabs(stepper->self.node.h) * pace[r] > at_rest * reach || system->time_dependent;
    size[r] = moves ? size[r] + (reach > 0.0 ? pace[r] * pace[r] / reach : 0.0) : 0.0;
  }
}

/* The row whose second derivative no accelerations make zero, or -1; what is left of it in
 * constraint_work. Solving once more takes away what the regularization of dependent rows has left
 * of it, and nothing of a contradiction. */
static int find_contradiction(VidaStepper* stepper) {
  const int n = stepper->self.model.n, m = stepper->self.model.m;
  double *a = stepper->self.work.place, *lambda = stepper->self.work.g_work,
         *left = stepper->self.work.constraint_work;
  double *size = stepper->self.implicit.g_node, *forces = stepper->self.model.least_norm,
         *step = stepper->self.work.node_step;
  double most = contradiction;
  int worst = -1;
  if (vida__accelerations(&stepper->self, stepper->self.node.t0, stepper->self.node.q,
                          stepper->self.node.v, a, lambda) ||
      vida__motion_bias(&stepper->self.model.evaluator, stepper->self.node.t0, stepper->self.node.q,
                        stepper->self.node.v, stepper->self.work.l_q, left,
                        stepper->self.work.l_v)) {
    return -1;
  }
  for (int r = 0; r < m; r++) {
    size[r] = fabs(left[r]);
  }
  add_rows(stepper, a, left, size);
  measure_derivatives(stepper, lambda, size, forces);
  memset(step, 0, (size_t)n * sizeof *step);
  for (int r = 0; r < m; r++) {
    step[n + r] = -left[r];
  }
  if (vida__linear_solve(stepper->self.model.node_matrix, step, step)) {
    return -1;
  }
  add_rows(stepper, step, left, NULL);
  for (int r = 0; r < m; r++) {
    const double part = size[r] > 0.0 ? fabs(left[r]) / size[r] : 0.0;
    if (part > most && fabs(left[r]) > rounding * forces[r]) {
      most = part;
      worst = r;
    }
  }
  return worst;
}

static bool is_soft(const VidaStepper* stepper) {
  bool soft = false;
  for (int r = 0; r < stepper->self.model.m && stepper->self.softness; r++) {
    soft = soft || stepper->self.softness[r] > 0.0;
  }
  return soft;
}

int vida__judge_start(VidaStepper* stepper, VidaError* error) {
  const int row =
      stepper->self.model.redundant && !is_soft(stepper) ? find_contradiction(stepper) : -1;
  char size[VIDA_REAL_TEXT_SIZE];
  if (row < 0) {
    return VIDA_SUCCESS;
  }
  const int* dependent = NULL;
  VidaStepper_DependentRows(stepper, &dependent);
  return vida__fail_flag(
      error, VIDA_STEP_SINGULAR, "SINGULAR_START",
      "the start of system '%s' is a singular configuration, in which '%s' depends on other "
      "constraints, and with these velocities no accelerations satisfy all constraints: the second "
      "derivative of '%s' would be %s; change the velocities, or start from another configuration",
      stepper->self.model.system->name, stepper->self.model.system->rows[dependent[0]].name,
      stepper->self.model.system->rows[row].name,
      vida__real_text(size, stepper->self.work.constraint_work[row], 3));
}

/* ---- the judgement --------------------------------------------------------------------------- */

/* A constraint is torn when it is violated by more than the reach of its row at the start, a rod by
 * about twice its length: nothing that its equation says is left then. Drift that a table is about
 * stays orders of magnitude below, and what leaves a constraint for good passes it within some
 * steps. The violation must also be more than a small part of the terms of its row as they are now:
 * a motion may have gone far from where it began, and have kept to the constraint as well as so
 * large terms allow. */
static const double part_of_terms = 0.1;

/* Relaxed constraints give way to forces, and come back: a step ends only where they are beyond
 * their reach by so much that they do not, and beyond what their compliance explains. */
static const double beyond_return = 10.0;
static const double times_yielding = 1e2;

/* Of the reach of a row, what a method that claims to keep it may leave: rounding of long motions
 * through poorly scaled rows stays orders of magnitude below, and so does the step's tolerance.
 * Rows that depended on others at the start may follow from them as well as steps are chosen. */
static double find_claimed_part(const VidaStepper* stepper) {
  static const double least = 1e-7;
  static const double tolerances = 1e3;
  const double followed = stepper->self.model.redundant && stepper->self.adaptive
                              ? 1e2 * VidaOptions_Get(stepper->self.options, "rtol")
                              : 0.0;
  return fmax(fmax(least, followed),
              tolerances * stepper->self.implicit.tolerance); /* of some methods NaN */
}

/* One level of the constraints. */
typedef struct level {
  const double* values; /* m: g, or G v + g_t */
  const double* x;      /* n: q or v, whose products with G are the terms of a row */
  double weight;        /* 1, or of velocities h: by how much a step violates g */
  double times;         /* the reach, and */
  double part;          /* of the terms, that a violation is more than */
  double of_length;     /* if not 0, in their place the part of the length of a row that has one */
  double yields;        /* and of what its compliance explains */
  bool is_claimed;      /* by the method */
} level;

static bool is_beyond_size(const VidaStepper* stepper, const level* at, int row) {
  const double violation = at->weight * fabs(at->values[row]);
  const double yielding = stepper->self.yielding ? stepper->self.yielding[row] : 0.0;
  const double length = stepper->self.model.system->rows[row].length;
  const double size = at->of_length > 0.0 && length > 0.0
                          ? at->of_length * length
                          : at->times * find_size(&stepper->self, row);
  return size > 0.0 && violation > size && violation > at->yields * yielding;
}

/* Whether a violation is more than the terms of its row leave open: a part of them, or of a length
 * that they cancel to, and then more than their rounding. */
static bool is_beyond_terms(const VidaStepper* stepper, const level* at, int row, double terms) {
  static const double cancellation = 1e-12;
  const double length = stepper->self.model.system->rows[row].length;
  const double violation = fabs(at->values[row]);
  if (length > 0.0 && at->of_length > 0.0) {
    return violation > cancellation * terms;
  }
  const bool cancels = length > 0.0 && at->x == stepper->self.node.q;
  return violation > at->part * (cancels ? fmin(terms, 2.0 * length) : terms) &&
         violation > cancellation * terms;
}

static bool keeps(const VidaStepper* stepper, VidaCapability what) {
  return stepper->self.method->info.capabilities & ~stepper->self.given_up & what;
}

/* The terms of the rows at the node, by size. */
static int measure_terms(VidaStepper* stepper, const level* at, double* terms) {
  const VidaSystem* system = stepper->self.model.system;
  const int code = vida__jacobian(&stepper->self.model.evaluator, vida__node_time(&stepper->self),
                                  stepper->self.node.q, stepper->self.work.entries);
  memset(terms, 0, (size_t)stepper->self.model.m * sizeof *terms);
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    terms[entry->row] += fabs(stepper->self.work.entries[e] * at->x[entry->coordinate]);
  }
  return code;
}

/* The row that is torn the most, or -1. */
static int find_torn_row(VidaStepper* stepper, const level* at) {
  double* terms = stepper->self.work.g_work;
  bool is_suspect = false;
  double most = 0.0;
  int worst = -1;
  for (int r = 0; r < stepper->self.model.m && !is_suspect; r++) {
    is_suspect = is_beyond_size(stepper, at, r);
  }
  if (!is_suspect || measure_terms(stepper, at, terms)) {
    return -1;
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    const double part = fabs(at->values[r]) / find_size(&stepper->self, r);
    if (is_beyond_size(stepper, at, r) && is_beyond_terms(stepper, at, r, terms[r]) &&
        part > most) {
      most = part;
      worst = r;
    }
  }
  return worst;
}

/* ---- what is said ---------------------------------------------------------------------------- */

enum { REMEDY_SIZE = 192 };

static void append_remedy(const VidaStepper* stepper, char* text, size_t size) {
  const VidaRemedy* remedy = &stepper->self.method->remedy;
  const bool is_default =
      remedy->option && !VidaOptions_IsSet(stepper->self.options, remedy->option);
  if (remedy->option && (stepper->self.given_up || (is_default && !stepper->self.adaptive))) {
    vida__append(text, size, ", or %s = %s", remedy->option, remedy->value);
  }
  if (remedy->method) {
    vida__append(text, size, ", or %s", remedy->method);
  }
}

/* "step is too large: try less than h = 0.1" */
static void append_smaller(const VidaStepper* stepper, char* text, size_t size) {
  char least[VIDA_REAL_TEXT_SIZE];
  vida__append(
      text, size, "%s = %s",
      stepper->self.adaptive ? "tolerance is too loose: try less than rtol"
                             : "step is too large: try less than h",
      vida__real_text(least,
                      stepper->self.adaptive ? VidaOptions_Get(stepper->self.options, "rtol")
                                             : vida__asked_step_size(&stepper->self),
                      6));
}

static int fail_torn(const VidaStepper* stepper, const level* at, int row, VidaError* error) {
  const double times = at->weight * fabs(at->values[row]) / find_size(&stepper->self, row);
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], remedy[REMEDY_SIZE] = "";
  append_smaller(stepper, remedy, sizeof remedy);
  append_remedy(stepper, remedy, sizeof remedy);
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, at->is_claimed ? VIDA_CONSTRAINT_VIOLATED : VIDA_UNBOUNDED,
      "%s: constraint '%s' is violated by %s times its own size, %s; the %s",
      vida__name_step(&stepper->self, step), stepper->self.model.system->rows[row].name,
      vida__real_text(size, times, 3),
      at->is_claimed ? "more than the method claims" : "and is torn", remedy);
}

int vida__judge_step(VidaStepper* stepper, VidaError* error) {
  /* A step of relaxed constraints has prepared the one that follows it, and g at the node. */
  const bool is_relaxed = stepper->self.softness;
  const bool is_claimed = keeps(stepper, VIDA_CAN_POSITION_LEVEL);
  const double claimed = find_claimed_part(stepper);
  const level at = {
      .values = is_relaxed ? stepper->self.implicit.g0 : stepper->self.implicit.g_node,
      .x = stepper->self.node.q,
      .weight = 1.0,
      .times = is_claimed   ? claimed
               : is_relaxed ? beyond_return
                            : 1.0,
      .part = is_claimed ? claimed : part_of_terms,
      .yields = times_yielding,
      .is_claimed = is_claimed};
  if (stepper->self.model.m == 0) {
    return VIDA_SUCCESS;
  }
  if (!is_relaxed && vida__constraints(&stepper->self.model.evaluator,
                                       vida__next_time(&stepper->self), stepper->self.node.q,
                                       stepper->self.node.q_low, stepper->self.implicit.g_node)) {
    /* The next step, or who asks for g, says why. */
    stepper->self.model.evaluator.error = (VidaError){0};
    return VIDA_SUCCESS;
  }
  stepper->self.implicit.has_g_node = !is_relaxed;
  stepper->self.node.step++; /* of the node that the step has led to */
  const int torn = find_torn_row(stepper, &at);
  stepper->self.node.step--;
  return torn < 0 ? VIDA_SUCCESS : fail_torn(stepper, &at, torn, error);
}

/* Where steps are chosen, that of their mean. */
static double find_step_length(const VidaStepper* stepper) {
  const double made = (double)stepper->self.statistics.steps;
  return stepper->self.adaptive && made > 0.0
             ? (vida__node_time(&stepper->self) - stepper->self.node.t0) / made
             : stepper->self.node.h;
}

static int fail_velocities(const VidaStepper* stepper, const level* at, int row, VidaError* error) {
  const double times = at->weight * fabs(at->values[row]) / find_size(&stepper->self, row);
  char t[VIDA_REAL_TEXT_SIZE], size[VIDA_REAL_TEXT_SIZE], remedy[REMEDY_SIZE] = "";
  append_smaller(stepper, remedy, sizeof remedy);
  append_remedy(stepper, remedy, sizeof remedy);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_CONSTRAINT_VIOLATED,
                         "at t = %s the velocities violate constraint '%s' by %s times its own "
                         "size in a step, more than the method claims; the %s",
                         vida__real_text(t, vida__node_time(&stepper->self), 10),
                         stepper->self.model.system->rows[row].name,
                         vida__real_text(size, times, 3), remedy);
}

int vida__judge_velocities(VidaStepper* stepper, const double* v, VidaError* error) {
  const double claimed = find_claimed_part(stepper);
  const level at = {.values = stepper->self.work.constraint_work,
                    .x = v,
                    .weight = find_step_length(stepper),
                    .times = claimed,
                    .part = claimed,
                    .yields = times_yielding,
                    .is_claimed = true};
  if (stepper->self.model.m == 0 || !keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    return VIDA_SUCCESS;
  }
  const int code =
      VidaStepper_Constraints(stepper, NULL, stepper->self.work.constraint_work, error);
  const int torn = code ? -1 : find_torn_row(stepper, &at);
  return torn < 0 ? code : fail_velocities(stepper, &at, torn, error);
}

/* How much of its own size a row may be violated by before it is worth a remark. Constraints that
 * are relaxed only to be integrated, with the compliance of the method, should hardly give way; one
 * that the user has chosen is meant. */
static const double relaxed_part = 0.01;
static const double noted_part_of_length = 0.1;

static level make_noted_level(const VidaStepper* stepper, const double* values) {
  level at = {.values = values,
              .x = stepper->self.node.q,
              .weight = 1.0,
              .times = 1.0,
              .part = part_of_terms,
              .yields = times_yielding};
  if (stepper->self.softness && !VidaOptions_IsSet(stepper->self.options, "compliance")) {
    at.times = at.part = at.of_length = relaxed_part;
    at.yields = 0.0;
  } else if (!stepper->self.softness) {
    at.of_length = noted_part_of_length;
  }
  return at;
}

static void note_torn(const VidaStepper* stepper, const level* at, int row, bool is_velocity,
                      char* text, size_t size) {
  char t[VIDA_REAL_TEXT_SIZE], part[VIDA_REAL_TEXT_SIZE];
  vida__append(text, size,
               is_velocity ? "from t = %s on, velocities violate constraint '%s' by more than "
                           : "from t = %s on, constraint '%s' is violated by more than ",
               vida__real_text(t, vida__node_time(&stepper->self), 10),
               stepper->self.model.system->rows[row].name);
  const bool is_length = at->of_length > 0.0 && stepper->self.model.system->rows[row].length > 0.0;
  const double times = is_length ? at->of_length : at->times;
  if (times < 1.0) {
    vida__append(text, size, "%s times ", vida__real_text(part, times, 3));
  }
  vida__append(text, size, "its own %s%s; try a smaller %s", is_length ? "length" : "size",
               is_velocity ? " a step" : "", stepper->self.adaptive ? "rtol" : "step");
  append_remedy(stepper, text, size);
}

int vida__note_violations(VidaStepper* stepper, char* text, size_t size, VidaError* error) {
  double* rows = stepper->self.work.constraint_work;
  level at = make_noted_level(stepper, rows);
  bool is_velocity = false;
  int code = VIDA_SUCCESS;
  int torn = -1;
  if (stepper->self.model.m > 0 && !keeps(stepper, VIDA_CAN_POSITION_LEVEL)) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    torn = code ? -1 : find_torn_row(stepper, &at);
  }
  if (!code && torn < 0 && stepper->self.model.m > 0 && !keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    is_velocity = true;
    at = (level){.values = rows,
                 .x = stepper->node_velocity,
                 .weight = find_step_length(stepper),
                 .times = 1.0,
                 .part = part_of_terms,
                 .yields = times_yielding};
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    torn = code ? -1 : find_torn_row(stepper, &at);
  }
  if (torn >= 0) {
    note_torn(stepper, &at, torn, is_velocity, text, size);
  }
  return code;
}

/* ---- failed steps ---------------------------------------------------------------------------- */

/* How far the way reaches on which a jump is looked for from where the motion stopped, in h.
 * Methods that choose their steps stop just before it, or just behind: there the way begins
 * earlier, too. */
static const double probed_part = 0.1;
static const double probed_steps = 2.5;

/* Whether a constraint jumps on the way from `back` before (t,q) to `ahead` behind it. */
static bool jumps_near(VidaStepper* stepper, double t, const double* q, const double* v,
                       double back, double ahead) {
  double *from = stepper->self.work.place, *to = stepper->self.work.q1;
  for (int i = 0; i < stepper->self.model.n; i++) {
    from[i] = q[i] - back * v[i];
    to[i] = q[i] + ahead * v[i];
  }
  vida__watch_return(stepper->watch, t - back, from);
  return vida__watch_probe_jump(stepper->watch, t + ahead, to);
}

/* Whether one does near where the motion stopped, along its velocity: at the last place that was
 * looked at, or behind the node. */
static bool stops_at_jump(VidaStepper* stepper) {
  const vida_watch* watch = stepper->watch;
  const double h = stepper->self.node.h, part = probed_part * h;
  const double* v;
  VidaError unused;
  if (!watch || watch->is_blind || vida__node_velocities(&stepper->self, &v, &unused)) {
    return false;
  }
  if (stepper->self.adaptive && jumps_near(stepper, watch->t, watch->q, v, part, part)) {
    return true;
  }
  return jumps_near(stepper, vida__node_time(&stepper->self), stepper->self.node.q, v, 0.0,
                    stepper->self.adaptive ? h + part : probed_steps * h);
}

static void tell_jump(const VidaStepper* stepper, VidaError* error) {
  const vida_discontinuity* jump = vida__watch_jump(stepper->watch);
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], t[VIDA_REAL_TEXT_SIZE];
  vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, VIDA_CONSTRAINT_JUMPS,
      "%s: constraint '%s' jumps by %s near t = %s: its expression is discontinuous there, such as "
      "an angle that wraps (atan2) or a switch (where); no step is small enough; use an angle that "
      "counts turns (system:angle), or an expression without the switch",
      vida__name_step(&stepper->self, step), stepper->self.model.system->rows[jump->row].name,
      vida__real_text(size, fabs(jump->size), 3), vida__real_text(t, jump->t, 4));
}

/* Times the energy of the start: a motion that has so much was lost before. */
static const double lost_motion = 1e6;

static void tell_unbounded(const VidaStepper* stepper, double energy, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], smaller[REMEDY_SIZE] = "";
  append_smaller(stepper, smaller, sizeof smaller);
  vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_UNBOUNDED,
                  "%s: the motion has become unbounded: its kinetic energy is %s times the energy "
                  "of the start; the %s, or an implicit method",
                  vida__name_step(&stepper->self, step),
                  vida__real_text(size, energy / stepper->start_energy, 3), smaller);
}

/* The kinetic energy of the way to the place that was tried last, at most: shorter parts of the
 * step are taken for all of it. */
static double find_tried_energy(const VidaStepper* stepper) {
  const vida_watch* watch = stepper->watch;
  double sum = 0.0;
  for (int i = 0; watch && !watch->is_blind && i < stepper->self.model.n; i++) {
    const double speed = (watch->q_next[i] - watch->q[i]) / stepper->self.node.h;
    sum += stepper->self.model.root_mass[i] > 0.0
               ? pow(speed * stepper->self.model.root_mass[i], 2.0)
               : 0.0;
  }
  return isfinite(sum) ? 0.5 * sum : (double)INFINITY;
}

/* Whether the motion had gone out of bounds; sets *energy to its kinetic energy then. */
static bool has_lost_motion(VidaStepper* stepper, double* energy) {
  const double* v;
  VidaError unused;
  vida__node_velocities(&stepper->self, &v, &unused); /* the kinetic energy knows them then */
  *energy = fmax(vida__kinetic_size(&stepper->self), find_tried_energy(stepper));
  return stepper->start_energy > 0.0 && *energy > lost_motion * stepper->start_energy;
}

void vida__explain_failure(VidaStepper* stepper, VidaError* error) {
  const bool is_branch = error && strcmp(error->flag, VIDA_OTHER_BRANCH) == 0;
  double energy;
  char text[VIDA_REAL_TEXT_SIZE];
  double t;
  if (!error || error->code < VIDA_SOLVER_FAILED || error->code == VIDA_OUT_OF_MEMORY) {
    return;
  }
  /* The watch forgets the place that was tried last where a jump is looked for. */
  const bool is_lost = is_branch && has_lost_motion(stepper, &energy);
  const char* row = vida__watch_singular(stepper->watch, &t);
  if (vida__watch_jump(stepper->watch) || stops_at_jump(stepper)) {
    tell_jump(stepper, error);
  } else if (is_lost) {
    tell_unbounded(stepper, energy, error);
  } else if (row) {
    vida__append(error->message, sizeof error->message,
                 "; near t = %s there is a singular configuration, where the constraint Jacobian "
                 "loses rank (row '%s')",
                 vida__real_text(text, t, 4), row);
    if (is_branch) {
      vida__append(error->message, sizeof error->message,
                   "; if the motion goes through it, try another method (radau), else the ");
      append_smaller(stepper, error->message, sizeof error->message);
    }
  } else if (is_branch) {
    vida__append(error->message, sizeof error->message, "; the ");
    append_smaller(stepper, error->message, sizeof error->message);
  }
}
