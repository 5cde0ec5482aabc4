/* Checks that apply to all methods: whether a motion exists from a start; after each step, whether
 * the constraints hold as well as the method claims, or, without a claim, whether they are broken.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/row_speeds.h"
#include "system/evaluate/sizes.h"

/* ---- the size of what a constraint compares -------------------------------------------------- */

/* Returns |q|, for an angle at least one radian, independent of its zero. In motions with events it
 * is that of earlier parts, too, and that of all coordinates of a point: a body may lie on a plane
 * through the origin when a contact closes. */
static void measure_coordinate_sizes(const VidaIntegration* self, double* x) {
  bool has_parts = false;
  for (int i = 0; i < self->model.n; i++) {
    const bool is_angle = strcmp(self->model.system->coordinates[i].unit, "rad") == 0;
    x[i] = fmax(fmax(fabs(self->node.q[i]), self->model.extent[i]), is_angle ? 1.0 : 0.0);
    has_parts = has_parts || self->model.extent[i] > 0.0;
  }
  if (has_parts) {
    vida__share_sizes(self->model.system, x);
  }
}

void vida__measure_displacements(const VidaIntegration* self, double h, const double* v,
                                 double* x) {
  const double size = fabs(h);
  for (int i = 0; i < self->model.n; i++) {
    const double by_mass = self->model.inverse_root[i] * self->model.inverse_root[i];
    x[i] = size * (fabs(v[i]) + size * self->model.force_size[i] * by_mass);
  }
}

/* The part of the way of the fastest coordinates in a step: violations that a method claims not to
 * exceed, a ten-millionth of a size or more, are then no less than the tolerance of a step. */
static const double least_of_way = 1e-3;

/* Terms that vanish but for rounding, as those of a point at rest in the origin, are no measure. */
static void raise_reach(VidaIntegration* self, double* x, double part) {
  vida__share_sizes(self->model.system, x);
  vida__raise_sizes(self, self->work.entries, x, part, self->model.reach);
}

void vida__measure_row_scales(VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  double* x = self->work.speed;
  double* by_displacement = self->work.constraint_work;
  for (int r = 0; r < self->model.m; r++) {
    self->model.reach[r] = system->rows[r].length;
  }
  measure_coordinate_sizes(self, x);
  vida__add_row_sizes(system, self->work.entries, x, self->model.reach);
  memset(by_displacement, 0, (size_t)self->model.m * sizeof *by_displacement);
  vida__measure_displacements(self, self->node.h, self->node.v, x);
  vida__add_row_sizes(system, self->work.entries, x, by_displacement);
  for (int r = 0; r < self->model.m; r++) {
    self->model.reach[r] = self->model.reach[r] > 0.0 ? self->model.reach[r] : by_displacement[r];
  }
  raise_reach(self, x, least_of_way);
  measure_coordinate_sizes(self, x);
  raise_reach(self, x, VIDA_VANISHING_PART);
}

/* A distance between two points is violated relative to its length, wherever the points are. The
 * reference size is twice the length, which is the reach of a rod at the origin. */
static double find_size(const VidaIntegration* self, int row) {
  const double length = self->model.system->rows[row].length;
  return length > 0.0 ? fmin(self->model.reach[row], 2.0 * length) : self->model.reach[row];
}

/* ---- the start ------------------------------------------------------------------------------- */

int vida__check_values(const VidaStepper* stepper, const char* what, const double* values,
                       VidaError* error) {
  for (int i = 0; i < stepper->self.model.n; i++) {
    if (!isfinite(values[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the initial %s of '%s' is not a finite number",
                        what, stepper->self.model.system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

/* Steps that do not change the time would never end; those of the frame itself, after a jump in
 * time or in another stepper, may be as short as rounding. */
int vida__check_clock(const VidaStepper* stepper, double t0, double h, bool again,
                      VidaError* error) {
  char time[VIDA_REAL_TEXT_SIZE], step[VIDA_REAL_TEXT_SIZE];
  const char* name = stepper->self.model.system->name;
  vida__shortest_text(time, t0);
  vida__shortest_text(step, h);
  if (!isfinite(t0) || !isfinite(h) || !(h > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s': a start needs a finite time and a positive step, got t0 = %s "
                      "and h = %s",
                      name, time, step);
  }
  if (t0 + h == t0 && !again && !stepper->outer) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s': the step h = %s is too short for the time t0 = %s: t0 + h is "
                      "rounded to t0",
                      name, step, time);
  }
  return VIDA_SUCCESS;
}

/* Relative to the terms of a row and the forces that cancel in them; smaller values are rounding.
 */
static const double contradiction = 1e-8;
static const double rounding = 1e-13;
/* Relative to the reach of a row; a smaller motion in a step counts as rest. */
static const double at_rest = 1e-14;

/* Adds G x to left, and |G| |x| to size. */
static void add_rows(const VidaStepper* stepper, const double* x, double* left, double* size) {
  for (int e = 0; e < stepper->self.model.system->entry_count; e++) {
    const vida_jacobian_entry* entry = &stepper->self.model.system->entries[e];
    const double term = stepper->self.work.entries[e] * x[entry->coordinate];
    left[entry->row] += term;
    size[entry->row] += fabs(term);
  }
}

/* Adds to size (of |G a| and the other terms of the second derivatives) how much the rows bend at
 * these speeds; 0 for rows without motion. forces: the sizes of the terms that cancel in
 * accelerations. */
static void measure_derivatives(VidaStepper* stepper, const double* v, const double* lambda,
                                double* size, double* forces) {
  const VidaSystem* system = stepper->self.model.system;
  double *speed = stepper->self.work.speed, *strength = stepper->self.work.dq,
         *row_speed = stepper->self.implicit.g0;
  const size_t bytes = (size_t)stepper->self.model.m * sizeof *row_speed;
  for (int i = 0; i < stepper->self.model.n; i++) {
    speed[i] = fabs(v[i]);
    strength[i] = fabs(stepper->self.work.l_q[i]);
  }
  vida__share_sizes(system, speed);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] += fabs(stepper->self.work.entries[e] * lambda[entry->row]);
  }
  memset(forces, 0, bytes);
  memset(row_speed, 0, bytes);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    const double by_mass =
        stepper->self.model.inverse_root[i] * stepper->self.model.inverse_root[i];
    row_speed[entry->row] += fabs(stepper->self.work.entries[e]) * speed[i];
    forces[entry->row] += fabs(stepper->self.work.entries[e]) * strength[i] * by_mass;
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    const double reach = stepper->self.model.reach[r];
    const bool moves =
        fabs(stepper->self.node.h) * row_speed[r] > at_rest * reach || system->time_dependent;
    size[r] = moves ? size[r] + (reach > 0.0 ? row_speed[r] * row_speed[r] / reach : 0.0) : 0.0;
  }
}

/* Returns the row whose second derivative no accelerations make zero, or -1; constraint_work
 * receives its remainder. A second solution removes the part of the remainder that stems from the
 * regularization of dependent rows, but not a contradiction. */
static int find_contradiction(VidaStepper* stepper, const double* v) {
  const int n = stepper->self.model.n, m = stepper->self.model.m;
  double *a = stepper->self.work.place, *lambda = stepper->self.work.g_work,
         *left = stepper->self.work.constraint_work;
  double *size = stepper->self.implicit.g_node, *forces = stepper->self.model.least_norm,
         *step = stepper->self.work.node_step;
  double most = contradiction;
  int worst = -1;
  if (vida__accelerations(&stepper->self, stepper->self.node.t0, stepper->self.node.q, v, a,
                          lambda) ||
      vida__motion_bias(&stepper->self.model.evaluator, stepper->self.node.t0, stepper->self.node.q,
                        v, stepper->self.work.l_q, left, stepper->self.work.l_v)) {
    return -1;
  }
  for (int r = 0; r < m; r++) {
    size[r] = fabs(left[r]);
  }
  add_rows(stepper, a, left, size);
  measure_derivatives(stepper, v, lambda, size, forces);
  memset(step, 0, (size_t)n * sizeof *step);
  for (int r = 0; r < m; r++) {
    step[n + r] = -left[r];
  }
  if (vida__linear_solve(stepper->self.model.node_matrix, step, step)) {
    return -1;
  }
  vida__add_constraint_velocity(stepper->self.model.system, stepper->self.work.entries, 1.0, step,
                                left);
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

static int check_singular_start(VidaStepper* stepper, const double* v, VidaError* error) {
  if (stepper->self.model.has_open_reactions) {
    return vida__fail_dependent_reactions(stepper->self.model.system, error);
  }
  const int row =
      stepper->self.model.redundant && !is_soft(stepper) ? find_contradiction(stepper, v) : -1;
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

/* A constraint is broken if its violation exceeds the reach of its row at the start, for a rod
 * about twice its length. Drift in normal use is orders of magnitude smaller, and a motion that
 * leaves a constraint exceeds the bound within a few steps. The violation must also exceed a small
 * fraction of the current terms of the row: a motion may be far from its start and satisfy the
 * constraint as well as such large terms allow. */
static const double fraction_of_terms = 0.1;

/* Relaxed constraints deflect under forces and return. A step fails only if they are so far beyond
 * their reach that they cannot return, and beyond what their compliance explains. */
static const double relaxed_factor = 10.0;
static const double compliance_factor = 1e2;

/* Violation, relative to the reach of a row, that a method which claims to satisfy the row may
 * leave. Rounding in long motions through poorly scaled rows, and the tolerance of the step, are
 * orders of magnitude smaller. Rows that depended on others at the start may follow from them only
 * as accurately as the steps are chosen. */
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
  bool is_velocity;     /* the values are G v + g_t */
  bool is_loose;        /* the part is one of the speeds of a row */
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

/* Returns whether a violation exceeds a fraction of the terms of its row, or of the length to which
 * they cancel, and the rounding of these terms. */
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

/* Computes the sizes of the terms of the rows at the node. */
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

/* Returns the row with the largest relative violation, or -1. */
static int find_violated_row(VidaStepper* stepper, const level* at) {
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

/* The largest violation of a constraint at the start, as a fraction of its reach and of its terms.
 * Smaller ones may come from rounded input, and the first step removes them. */
static const double consistent_fraction = 1e-3;

/* A method that keeps g = 0 would move to another state in its first step. */
static int check_consistent_start(VidaStepper* stepper, VidaError* error) {
  VidaIntegration* self = &stepper->self;
  double* g = self->work.constraint_work;
  const bool solves = self->corrects_positions || keeps(stepper, VIDA_CAN_POSITION_LEVEL);
  if (!solves || self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__constraints(&self->model.evaluator, vida__node_time(self), self->node.q,
                                     self->node.q_low, g);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int r = 0; r < self->model.m; r++) {
    g[r] = self->model.system->rows[r].is_nonholonomic ? 0.0 : g[r];
  }
  const level at = {.values = g,
                    .x = self->node.q,
                    .weight = 1.0,
                    .times = consistent_fraction,
                    .part = consistent_fraction};
  int row = find_violated_row(stepper, &at);
  /* Where the coordinates of the row vanish, they are no measure of a violation. The search has
   * computed G. */
  while (row >= 0 &&
         fabs(g[row]) <= consistent_fraction * vida__find_system_size(self->model.system,
                                                                      self->work.entries,
                                                                      self->node.q, row)) {
    g[row] = 0.0;
    row = find_violated_row(stepper, &at);
  }
  char violation[VIDA_REAL_TEXT_SIZE];
  return row < 0 ? VIDA_SUCCESS
                 : vida__fail(error, VIDA_INCONSISTENT_START,
                              "the start violates '%s' by %s; VidaSystem_Start finds consistent "
                              "positions and velocities",
                              self->model.system->rows[row].name,
                              vida__real_text(violation, g[row], 3));
}

int vida__check_start(VidaStepper* stepper, const double* v, bool again, VidaError* error) {
  const int code = again ? VIDA_SUCCESS : check_consistent_start(stepper, error);
  return code ? code : check_singular_start(stepper, v, error);
}

/* ---- what is said ---------------------------------------------------------------------------- */

enum { REMEDY_SIZE = 192 };

void vida__append_remedy(const VidaRemedy* remedy, char* text, size_t size) {
  if (remedy->option) {
    vida__append(text, size, ", or %s = %s", remedy->option, remedy->value);
  }
  if (remedy->method) {
    vida__append(text, size, ", or %s", remedy->method);
  }
}

/* The remedy of the method, without its option where that would not help. */
static VidaRemedy find_remedy(const VidaStepper* stepper) {
  VidaRemedy remedy = stepper->self.method->remedy;
  const bool is_default = remedy.option && !VidaOptions_IsSet(stepper->self.options, remedy.option);
  if (!stepper->self.given_up && (!is_default || stepper->self.adaptive)) {
    remedy.option = remedy.value = NULL;
  }
  if (remedy.method && !vida__accepts(stepper->self.model.system, remedy.method)) {
    remedy.method = NULL;
  }
  return remedy;
}

void vida__append_smaller(const VidaStepper* stepper, char* text, size_t size) {
  char least[VIDA_REAL_TEXT_SIZE];
  vida__append(
      text, size, "%s = %s",
      stepper->self.adaptive ? "tolerance is too loose: try less than rtol"
                             : "step is too large: try less than h",
      vida__real_text(least,
                      stepper->self.adaptive ? VidaOptions_Get(stepper->self.options, "rtol")
                                             : vida__requested_step_size(&stepper->self),
                      6));
}

static int fail_violated(const VidaStepper* stepper, const level* at, int row, VidaError* error) {
  const double times = at->weight * fabs(at->values[row]) / find_size(&stepper->self, row);
  const VidaRemedy remedy = find_remedy(stepper);
  char t[VIDA_REAL_TEXT_SIZE], step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE],
      advice[REMEDY_SIZE] = "";
  vida__append_smaller(stepper, advice, sizeof advice);
  vida__append_remedy(&remedy, advice, sizeof advice);
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, at->is_claimed ? VIDA_CONSTRAINT_VIOLATED : VIDA_UNBOUNDED,
      at->is_velocity ? "at t = %s the velocities violate constraint '%s' by %s times its own size "
                        "in a step, %s; the %s"
                      : "%s: constraint '%s' is violated by %s times its own size, %s; the %s",
      at->is_velocity ? vida__real_text(t, vida__node_time(&stepper->self), 10)
                      : vida__name_step(&stepper->self, step),
      stepper->self.model.system->rows[row].name, vida__real_text(size, times, 3),
      at->is_claimed ? "more than the method claims" : "and is torn", advice);
}

void vida__evaluate_constraints_after_step(VidaStepper* stepper) {
  /* A step with relaxed constraints has prepared the next step and g at the node. */
  if (stepper->self.model.m == 0 || stepper->self.softness) {
    return;
  }
  stepper->self.implicit.has_g_node = !vida__constraints(
      &stepper->self.model.evaluator, vida__next_time(&stepper->self), stepper->self.node.q,
      stepper->self.node.q_low, stepper->self.implicit.g_node);
  if (!stepper->self.implicit.has_g_node) {
    /* The next step, or the function that needs g, reports the reason. */
    stepper->self.model.evaluator.error = (VidaError){0};
  }
}

int vida__check_step(VidaStepper* stepper, VidaError* error) {
  const bool is_relaxed = stepper->self.softness;
  const bool is_claimed = keeps(stepper, VIDA_CAN_POSITION_LEVEL);
  const double claimed = find_claimed_part(stepper);
  const level at = {
      .values = is_relaxed ? stepper->self.implicit.g0 : stepper->self.implicit.g_node,
      .x = stepper->self.node.q,
      .weight = 1.0,
      .times = is_claimed   ? claimed
               : is_relaxed ? relaxed_factor
                            : 1.0,
      .part = is_claimed ? claimed : fraction_of_terms,
      .yields = compliance_factor,
      .is_claimed = is_claimed};
  if (stepper->self.model.m == 0 || (!is_relaxed && !stepper->self.implicit.has_g_node)) {
    return VIDA_SUCCESS;
  }
  stepper->self.node.step++; /* of the node that the step has led to */
  const int torn = find_violated_row(stepper, &at);
  stepper->self.node.step--;
  return torn < 0 ? VIDA_SUCCESS : fail_violated(stepper, &at, torn, error);
}

/* ---- energy from nowhere --------------------------------------------------------------------- */

/* Multiples of the energy at the start: above the first, a motion that fails was already unbounded;
 * a conservative system that has gained the second, and then the first times as much, fails. Steps
 * that meet a hard wall too late gain less. Implicit methods at steps far above a period overshoot
 * in their first steps, and damp the rest. */
static const double unbounded_energy_ratio = 1e6;
static const double impossible_energy_ratio = 1e10;

bool vida__is_unbounded(const VidaStepper* stepper, double energy) {
  return stepper->start_energy > 0.0 && energy > unbounded_energy_ratio * stepper->start_energy;
}

int vida__fail_unbounded(const VidaStepper* stepper, const char* what, double energy,
                         VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], smaller[REMEDY_SIZE] = "";
  vida__append_smaller(stepper, smaller, sizeof smaller);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_UNBOUNDED,
                         "%s: the motion has become unbounded: %s is %s times the energy of the "
                         "start; the %s, or an implicit method",
                         vida__name_step(&stepper->self, step), what,
                         vida__real_text(size, energy / stepper->start_energy, 3), smaller);
}

static double find_energy(VidaStepper* stepper, const double* v) {
  double energy = (double)NAN;
  const int code = vida__energy(&stepper->self.model.evaluator, vida__node_time(&stepper->self),
                                stepper->self.node.q, v, stepper->self.work.l_q,
                                stepper->self.work.l_v, &energy);
  stepper->self.model.evaluator.error = (VidaError){0};
  return code ? (double)NAN : energy;
}

/* The kinetic energy that corrections of violated constraints can produce: that of a motion which
 * passes all coordinates in one step. Methods that keep the constraints have nothing to correct. */
static double find_correction_energy(const VidaStepper* stepper) {
  const VidaIntegration* self = &stepper->self;
  double sum = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double scaled = self->model.root_mass[i] * self->node.q[i] / self->node.h;
    sum += 0.5 * scaled * scaled;
  }
  return self->model.m > 0 && !keeps(stepper, VIDA_CAN_POSITION_LEVEL) ? sum : 0.0;
}

void vida__take_conserved_energy(VidaStepper* stepper) {
  const bool is_conserved = !vida__has_energy_sources(stepper->self.model.system);
  stepper->conserved_energy = is_conserved && !vida__is_stage(stepper)
                                  ? find_energy(stepper, stepper->self.node.v)
                                  : (double)NAN;
}

void vida__begin_energy_check(VidaStepper* stepper) {
  stepper->start_energy = vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self);
  vida__take_conserved_energy(stepper);
  stepper->energy.bound =
      impossible_energy_ratio * (stepper->start_energy + find_correction_energy(stepper));
  stepper->energy.judged = stepper->energy.bound;
  stepper->energy.is_impossible = false;
}

/* With the masses of the start. */
static double find_kinetic(const VidaStepper* stepper, const double* p) {
  double kinetic = 0.0;
  for (int i = 0; i < stepper->self.model.n; i++) {
    const double scaled = p[i] * stepper->self.model.inverse_root[i];
    kinetic += 0.5 * scaled * scaled;
  }
  return kinetic;
}

bool vida__is_energy_usual(const VidaStepper* stepper, const double* p) {
  return isnan(stepper->conserved_energy) || !(stepper->energy.bound > 0.0) ||
         !(find_kinetic(stepper, p) > stepper->energy.judged);
}

/* Work of forces, of drives and of explicit time can increase an energy without bound, but nothing
 * increases that of a conservative system. The kinetic energy with the masses of the start, which
 * costs little, shows whether the energy must be computed; it is computed again only after a
 * growth. */
int vida__check_energy(VidaStepper* stepper, VidaError* error) {
  static const double growth = 4.0;
  /* Motions that fall deep into a potential have large energies of both kinds. */
  static const double part_of_motion = 0.25;
  if (vida__is_energy_usual(stepper, stepper->self.node.p)) {
    return VIDA_SUCCESS;
  }
  double kinetic = find_kinetic(stepper, stepper->self.node.p);
  stepper->energy.judged = growth * kinetic;
  const double* v;
  VidaError unused;
  stepper->self.node.step++; /* of the node that the step has led to */
  const bool has_velocities = !vida__node_velocities(&stepper->self, &v, &unused);
  const double gain =
      has_velocities ? find_energy(stepper, v) - stepper->conserved_energy : (double)NAN;
  kinetic = vida__kinetic_size(&stepper->self);
  stepper->self.node.step--;
  if (!(gain > stepper->energy.bound && gain > part_of_motion * kinetic)) {
    return VIDA_SUCCESS;
  }
  if (!stepper->energy.is_impossible) {
    stepper->energy.is_impossible = true;
    stepper->energy.bound = unbounded_energy_ratio * gain;
    return VIDA_SUCCESS;
  }
  return vida__fail_unbounded(stepper, "the energy of this conservative system", gain, error);
}

double vida__stored_energy(const VidaStepper* stepper) {
  const VidaIntegration* self = &stepper->self;
  double sum = 0.0;
  if (!self->softness || !(self->method->info.capabilities & VIDA_CAN_SYMPLECTIC)) {
    return 0.0;
  }
  for (int r = 0; r < self->model.m; r++) {
    const double compliance = 0.25 * self->softness[r] * self->node.h * self->node.h;
    const bool is_spring = compliance > 0.0 && !self->model.system->rows[r].is_nonholonomic;
    sum += is_spring ? 0.5 * self->implicit.g0[r] * self->implicit.g0[r] / compliance : 0.0;
  }
  return sum;
}

/* The part of the kinetic energy, and of the energy at the start, that a symplectic step may gain
 * or lose near a singular configuration, where its equations have several solutions. */
static const double passage_part = 0.1, passage_part_of_start = 0.02;

static bool is_passage(const VidaStepper* stepper) {
  const vida_watch* watch = stepper->watch;
  return watch && !vida__is_stage(stepper) && !stepper->self.adaptive &&
         !isnan(stepper->conserved_energy) &&
         (stepper->self.method->info.capabilities & VIDA_CAN_SYMPLECTIC) &&
         (watch->singularity.is_passing || vida__is_near_singular(&watch->singularity));
}

/* The energy of a symplectic motion oscillates and does not drift, so that a large deviation from
 * that of the start is a jump. */
int vida__check_passage(VidaStepper* stepper, VidaError* error) {
  const double* v;
  VidaError unused;
  char step[VIDA_STEP_NAME_SIZE], jump[VIDA_REAL_TEXT_SIZE], part[VIDA_REAL_TEXT_SIZE];
  if (!is_passage(stepper)) {
    return VIDA_SUCCESS;
  }
  stepper->self.node.step++; /* of the node that the step has led to */
  const bool has_velocities = !vida__node_velocities(&stepper->self, &v, &unused);
  const double gain =
      has_velocities ? find_energy(stepper, v) - stepper->conserved_energy : (double)NAN;
  const double kinetic = vida__kinetic_size(&stepper->self);
  stepper->self.node.step--;
  if (!(fabs(gain) > passage_part * kinetic &&
        fabs(gain) > passage_part_of_start * stepper->start_energy)) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, VIDA_OTHER_BRANCH,
      "%s: near a singular configuration the energy differs from that of the start by %s J, %s %% "
      "of the kinetic energy, so the solution of the step is not the motion",
      vida__name_step(&stepper->self, step), vida__real_text(jump, gain, 3),
      vida__real_text(part, 100.0 * fabs(gain) / kinetic, 3));
}

/* ---- velocities and remarks ------------------------------------------------------------------ */

/* For adaptive methods, the mean step. */
static double find_step_length(const VidaStepper* stepper) {
  const double made = (double)stepper->self.statistics.steps;
  return stepper->self.adaptive && made > 0.0
             ? (vida__node_time(&stepper->self) - stepper->self.node.t0) / made
             : stepper->self.node.h;
}

int vida__check_velocities(VidaStepper* stepper, const double* v, VidaError* error) {
  const double claimed = find_claimed_part(stepper);
  const level at = {.values = stepper->self.work.constraint_work,
                    .x = v,
                    .weight = find_step_length(stepper),
                    .times = claimed,
                    .part = claimed,
                    .yields = compliance_factor,
                    .is_claimed = true,
                    .is_velocity = true};
  if (stepper->self.model.m == 0 || !keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    return VIDA_SUCCESS;
  }
  const int code =
      VidaStepper_Constraints(stepper, NULL, stepper->self.work.constraint_work, error);
  const int torn = code ? -1 : find_violated_row(stepper, &at);
  return torn < 0 ? code : fail_violated(stepper, &at, torn, error);
}

double vida__unsuspicious_velocity(const VidaStepper* stepper) {
  double least = INFINITY;
  for (int r = 0; r < stepper->self.model.m; r++) {
    const double size = find_size(&stepper->self, r);
    least = size > 0.0 && size < least ? size : least;
  }
  /* Smaller than the bound of is_beyond_size by more than its rounding. */
  return 0.99 * find_claimed_part(stepper) * least / find_step_length(stepper);
}

/* Relative violation of a row that is worth a remark. Constraints that the method relaxes with its
 * own compliance should hardly deflect; a compliance that the user has set is intended. */
static const double relaxed_fraction = 0.01;
static const double reported_fraction_of_length = 0.1;

static level make_reported_level(const VidaStepper* stepper, const double* values) {
  level at = {.values = values,
              .x = stepper->self.node.q,
              .weight = 1.0,
              .times = 1.0,
              .part = fraction_of_terms,
              .yields = compliance_factor};
  if (stepper->self.softness && !VidaOptions_IsSet(stepper->self.options, "compliance")) {
    at.times = at.part = at.of_length = relaxed_fraction;
    at.yields = 0.0;
  } else if (!stepper->self.softness) {
    at.of_length = reported_fraction_of_length;
  }
  return at;
}

static vida_violation make_violation(const VidaStepper* stepper, const level* at, int row) {
  const bool is_of_length =
      at->of_length > 0.0 && stepper->self.model.system->rows[row].length > 0.0;
  return (vida_violation){.is_found = true,
                          .row = row,
                          .t = vida__node_time(&stepper->self),
                          .part = is_of_length ? at->of_length : at->times,
                          .is_of_length = is_of_length,
                          .is_velocity = at->is_velocity,
                          .is_loose = at->is_loose,
                          .remedy = find_remedy(stepper)};
}

int vida__find_violation(VidaStepper* stepper, vida_violation* violation, VidaError* error) {
  double* rows = stepper->self.work.constraint_work;
  level at = make_reported_level(stepper, rows);
  int code = VIDA_SUCCESS;
  int torn = -1;
  if (stepper->self.model.m > 0 && !keeps(stepper, VIDA_CAN_POSITION_LEVEL)) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    torn = code ? -1 : find_violated_row(stepper, &at);
  }
  if (!code && torn < 0 && stepper->self.model.m > 0 && !keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    at = (level){.values = rows,
                 .x = stepper->node_velocity,
                 .weight = find_step_length(stepper),
                 .times = 1.0,
                 .part = fraction_of_terms,
                 .yields = compliance_factor,
                 .is_velocity = true};
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    torn = code ? -1 : find_violated_row(stepper, &at);
  }
  *violation = torn >= 0 ? make_violation(stepper, &at, torn) : (vida_violation){0};
  return code;
}

/* Part of the speeds of a row that is worth a remark: a hundredth of the kinetic energy may then
 * belong to velocities that the constraint does not admit. */
static const double loose_fraction = 0.1;

/* The row whose velocities, G v + g_t in work.constraint_work, are the largest part of its speeds
 * above loose_fraction, or -1. */
static int find_loose_row(const VidaIntegration* self, const double* speeds, double still) {
  double most = loose_fraction;
  int loose = -1;
  for (int r = 0; r < self->model.m; r++) {
    const double left = fabs(self->work.constraint_work[r]);
    if (left > still * find_size(self, r) && left > most * speeds[r]) {
      most = speeds[r] > 0.0 ? left / speeds[r] : (double)INFINITY;
      loose = r;
    }
  }
  return loose;
}

/* Adds the speeds at the node to the largest ones so far. */
static int add_speeds(VidaIntegration* self, const double* v, double* speeds) {
  const int code = vida__jacobian(&self->model.evaluator, vida__node_time(self), self->node.q,
                                  self->work.entries);
  if (!code) {
    vida__measure_row_speeds(self, self->work.entries, v, self->work.g_work);
    for (int r = 0; r < self->model.m; r++) {
      speeds[r] = fmax(speeds[r], self->work.g_work[r]);
    }
  }
  return code;
}

int vida__find_loose_velocities(VidaStepper* stepper, const double* v, double* speeds,
                                vida_violation* violation, VidaError* error) {
  /* Speeds cost more than the rest. They are measured at each of the first nodes, which may have
   * large steps, then at some of them, and wherever a row is suspicious. */
  enum { FIRST_NODES = 32, SOME = 16 };
  VidaIntegration* self = &stepper->self;
  const level at = {.times = loose_fraction, .is_loose = true};
  *violation = (vida_violation){0};
  if (self->model.m == 0 || self->softness || keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    return VIDA_SUCCESS;
  }
  const double still = find_claimed_part(stepper) / find_step_length(stepper);
  int code = VidaStepper_Constraints(stepper, NULL, self->work.constraint_work, error);
  const bool is_due = self->node.step < FIRST_NODES || self->node.step % SOME == 0;
  if (!code && (is_due || find_loose_row(self, speeds, still) >= 0)) {
    code = add_speeds(self, v, speeds);
  }
  const int loose = code ? -1 : find_loose_row(self, speeds, still);
  if (loose >= 0) {
    *violation = make_violation(stepper, &at, loose);
  }
  return code;
}
