/* Methods that do not keep constraints to the tolerance of a solver, or keep one level of them
 * only, may leave them for good without a number that is not finite: whether they have is judged
 * here, for all of them, after each step. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/method.h"
#include "system/sizes.h"

/* ---- the size of what a constraint compares -------------------------------------------------- */

/* |q|; an angle is no less than a radian, wherever it begins. */
static void measure_places(const VidaStepper* stepper, double* x) {
  for (int i = 0; i < stepper->n; i++) {
    const bool is_angle = strcmp(stepper->system->coordinates[i].unit, "rad") == 0;
    x[i] = fmax(fabs(stepper->q[i]), is_angle ? 1.0 : 0.0);
  }
}

/* How far velocities and forces of the start take coordinates in a step. */
static void measure_ways(const VidaStepper* stepper, double* x) {
  const double h = fabs(stepper->h);
  for (int i = 0; i < stepper->n; i++) {
    const double by_mass = stepper->inverse_root[i] * stepper->inverse_root[i];
    x[i] = h * (fabs(stepper->v0[i]) + h * stepper->force_size[i] * by_mass);
  }
}

void vida__measure_reach(VidaStepper* stepper) {
  const VidaSystem* system = stepper->system;
  double* x = stepper->speed;
  double* by_way = stepper->constraint_work;
  for (int r = 0; r < stepper->m; r++) {
    stepper->reach[r] = system->rows[r].length;
  }
  measure_places(stepper, x);
  vida__add_row_sizes(system, stepper->entries, x, stepper->reach);
  memset(by_way, 0, (size_t)stepper->m * sizeof *by_way);
  measure_ways(stepper, x);
  vida__add_row_sizes(system, stepper->entries, x, by_way);
  for (int r = 0; r < stepper->m; r++) {
    stepper->reach[r] = stepper->reach[r] > 0.0 ? stepper->reach[r] : by_way[r];
  }
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
static const double beyond_return = 1e4;
static const double times_yielding = 1e2;

/* One level of the constraints. */
typedef struct level {
  const double* values; /* m: g, or G v + g_t */
  const double* x;      /* n: q or v, whose products with G are the terms of a row */
  double weight;        /* 1, or of velocities h: by how much a step violates g */
  double times;         /* the reach that tears it */
} level;

static bool is_beyond_reach(const VidaStepper* stepper, const level* at, int row) {
  const double violation = at->weight * fabs(at->values[row]);
  const double yielding = stepper->yielding ? stepper->yielding[row] : 0.0;
  return stepper->reach[row] > 0.0 && violation > at->times * stepper->reach[row] &&
         violation > times_yielding * yielding;
}

/* The terms of the rows at the node, by size. */
static int measure_terms(VidaStepper* stepper, const level* at, double* terms) {
  const VidaSystem* system = stepper->system;
  const int code =
      vida__jacobian(&stepper->evaluator, vida__node_time(stepper), stepper->q, stepper->entries);
  memset(terms, 0, (size_t)stepper->m * sizeof *terms);
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    terms[entry->row] += fabs(stepper->entries[e] * at->x[entry->coordinate]);
  }
  return code;
}

/* The row that is torn the most, or -1. */
static int find_torn_row(VidaStepper* stepper, const level* at) {
  double* terms = stepper->g_work;
  bool is_suspect = false;
  double most = 0.0;
  int worst = -1;
  for (int r = 0; r < stepper->m && !is_suspect; r++) {
    is_suspect = is_beyond_reach(stepper, at, r);
  }
  if (!is_suspect || measure_terms(stepper, at, terms)) {
    return -1;
  }
  for (int r = 0; r < stepper->m; r++) {
    const double violation = fabs(at->values[r]);
    if (is_beyond_reach(stepper, at, r) && violation > part_of_terms * terms[r] &&
        violation > most * stepper->reach[r]) {
      most = violation / stepper->reach[r];
      worst = r;
    }
  }
  return worst;
}

static bool keeps(const VidaStepper* stepper, VidaCapability what) {
  return stepper->method->info.capabilities & ~stepper->given_up & what;
}

/* ---- what is said ---------------------------------------------------------------------------- */

enum { REMEDY_SIZE = 96 };

static void append_remedy(const VidaStepper* stepper, char* text, size_t size) {
  const vida_remedy* remedy = &stepper->method->remedy;
  const bool is_default = remedy->option && !VidaOptions_IsSet(stepper->options, remedy->option);
  if (remedy->option && (stepper->given_up || (is_default && !stepper->adaptive))) {
    vida__append(text, size, ", or %s = %s", remedy->option, remedy->value);
  }
  if (remedy->method) {
    vida__append(text, size, ", or %s", remedy->method);
  }
}

static int fail_torn(const VidaStepper* stepper, const level* at, int row, VidaError* error) {
  const double times = fabs(at->values[row]) / stepper->reach[row];
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], least[VIDA_REAL_TEXT_SIZE];
  char remedy[REMEDY_SIZE] = "";
  append_remedy(stepper, remedy, sizeof remedy);
  vida__real_text(least,
                  stepper->adaptive ? VidaOptions_Get(stepper->options, "rtol")
                                    : vida__asked_step_size(stepper),
                  6);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "UNBOUNDED",
                         "%s: constraint '%s' is violated by %s times its own size, and is torn; "
                         "the %s = %s%s",
                         vida__name_step(stepper, step), stepper->system->rows[row].name,
                         vida__real_text(size, times, 3),
                         stepper->adaptive ? "tolerance is too loose: try less than rtol"
                                           : "step is too large: try less than h",
                         least, remedy);
}

int vida__check_violations(VidaStepper* stepper, VidaError* error) {
  /* A step of relaxed constraints has prepared the one that follows it, and g at the node. */
  const bool is_relaxed = stepper->softness;
  const level at = {.values = is_relaxed ? stepper->g0 : stepper->constraint_work,
                    .x = stepper->q,
                    .weight = 1.0,
                    .times = is_relaxed ? beyond_return : 1.0};
  if (stepper->m == 0 || keeps(stepper, VIDA_CAN_POSITION_LEVEL)) {
    return VIDA_SUCCESS;
  }
  stepper->step++; /* of the node that the step has led to */
  const int code = is_relaxed
                       ? VIDA_SUCCESS
                       : VidaStepper_Constraints(stepper, stepper->constraint_work, NULL, error);
  const int torn = code ? -1 : find_torn_row(stepper, &at);
  stepper->step--;
  return torn < 0 ? code : fail_torn(stepper, &at, torn, error);
}

/* Where steps are chosen, that of their mean. */
static double find_step_length(const VidaStepper* stepper) {
  const double made = (double)stepper->statistics.steps;
  return stepper->adaptive && made > 0.0 ? (vida__node_time(stepper) - stepper->t0) / made
                                         : stepper->h;
}

static void note_torn(const VidaStepper* stepper, int row, bool is_velocity, char* text,
                      size_t size) {
  char t[VIDA_REAL_TEXT_SIZE];
  vida__append(text, size,
               is_velocity
                   ? "from t = %s on velocities violate constraint '%s' by more than its own size "
                     "a step; try a smaller %s"
                   : "from t = %s on constraint '%s' is violated by more than its own size; try a "
                     "smaller %s",
               vida__real_text(t, vida__node_time(stepper), 10), stepper->system->rows[row].name,
               stepper->adaptive ? "rtol" : "step");
  append_remedy(stepper, text, size);
}

int vida__note_violations(VidaStepper* stepper, char* text, size_t size, VidaError* error) {
  double* rows = stepper->constraint_work;
  level at = {.values = rows, .x = stepper->q, .weight = 1.0, .times = 1.0};
  bool is_velocity = false;
  int code = VIDA_SUCCESS;
  int torn = -1;
  if (stepper->m > 0 && !keeps(stepper, VIDA_CAN_POSITION_LEVEL)) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    torn = code ? -1 : find_torn_row(stepper, &at);
  }
  if (!code && torn < 0 && stepper->m > 0 && !keeps(stepper, VIDA_CAN_VELOCITY_LEVEL)) {
    is_velocity = true;
    at.x = stepper->node_velocity;
    at.weight = find_step_length(stepper);
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    torn = code ? -1 : find_torn_row(stepper, &at);
  }
  if (torn >= 0) {
    note_torn(stepper, torn, is_velocity, text, size);
  }
  return code;
}
