/* What users run today, from the same model: IDA's backward differentiation formulas on the
 * formulations of index 3, 2 and 1, of Gear, Gupta and Leimkuhler, and of projected invariants. */
#include "methods/reference/ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "system/constraints/column_sizes.h"

/* What Newton's method leaves of a step's tolerance. What it leaves is noise in the differences
 * that order and step are chosen by: with IDA's own third, steps of small tolerances are a half too
 * many. */
static const double newton_share = 0.1;

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_values(const VidaIntegration* self, vida_reference_ida* own) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t kkt = (size_t)self->model.system->pattern.entries;
  const size_t reduced = (size_t)own->reduced_size;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&own->a, n},
                {&own->metric, n},
                {&own->position_size, n},
                {&own->speed_size, n},
                {&own->multiplier_size, m},
                {&own->row_tolerance, m},
                {&own->row_scale, reduced},
                {&own->column_scale, reduced},
                {&own->l_q, n},
                {&own->l_v, n},
                {&own->force, n},
                {&own->rows, m},
                {&own->rate, m},
                {&own->moved_q, n},
                {&own->moved_v, n},
                {&own->entries, entries},
                {&own->slopes, entries},
                {&own->changes, entries},
                {&own->turns, entries},
                {&own->l_vv, kkt},
                {&own->l_vq, kkt},
                {&own->hessian, kkt > entries ? kkt : entries}};
  const size_t count = sizeof arrays / sizeof arrays[0];
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    total += arrays[i].count;
  }
  own->values = vida__allocate(total, sizeof(double));
  double* next = own->values;
  for (size_t i = 0; i < count && next; i++) {
    *arrays[i].array = next;
    next += arrays[i].count;
  }
  own->group = vida__allocate(n, sizeof *own->group);
  own->family = vida__allocate(n, sizeof *own->family);
  own->is_dependent = vida__allocate(m, sizeof *own->is_dependent);
  return own->values && own->group && own->family && own->is_dependent ? VIDA_SUCCESS
                                                                       : VIDA_OUT_OF_MEMORY;
}

/* Coordinates of one unit begin with the same size. */
static void find_groups(const VidaSystem* system, int* group) {
  for (int i = 0; i < system->coordinate_count; i++) {
    const char* unit = system->coordinates[i].unit;
    group[i] = i;
    for (int j = 0; j < i; j++) {
      if (group[j] == j && strcmp(system->coordinates[j].unit, unit) == 0) {
        group[i] = j;
        break;
      }
    }
  }
}

static void take_options(const VidaIntegration* self, vida_reference_ida* own) {
  const VidaOptions* options = self->options;
  own->rtol = VidaOptions_Get(options, "rtol");
  own->first_step = VidaOptions_Get(options, "first_step");
  own->raw = VidaOptions_Get(options, "raw") != 0.0;
  own->scales_multipliers = !own->raw && VidaOptions_Get(options, "scale_multipliers") != 0.0;
  own->suppresses = VidaOptions_Get(options, "suppress_algebraic") != 0.0;
}

static int create_ida(VidaIntegration* self, vida_reference_ida* own, VidaError* error) {
  const VidaOptions* options = self->options;
  const vida_ida_options ida_options = {.max_steps = VidaOptions_Get(options, "max_steps"),
                                        .max_step = VidaOptions_Get(options, "max_step"),
                                        .max_order = (int)VidaOptions_Get(options, "max_order"),
                                        .newton_share = own->raw ? 0.0 : newton_share,
                                        .suppress_algebraic = own->suppresses,
                                        .follows_c = own->scales_multipliers,
                                        .linear_solver = vida__solver_of(options)};
  if (vida__context_create(&own->context)) {
    return vida__fail_memory(error);
  }
  return vida__ida_create(own->context, own->size, &own->pattern, vida__reference_ida_functions,
                          self, ida_options, &own->ida, error);
}

/* The state is consistent, and no step is tried before IDA's own. */
static int prepare(VidaIntegration* self, VidaError* error) {
  return self->node.step == 0 ? vida__prepare_node(self, error) : VIDA_SUCCESS;
}

static int create(VidaIntegration* self, vida_reference_ida what, VidaError* error) {
  const int n = self->model.n;
  const int m = self->model.m;
  vida_reference_ida* own = vida__allocate(1, sizeof *own);
  self->state = own;
  self->implicit.prepare = prepare;
  self->reports_motion = true;
  if (!own) {
    return vida__fail_memory(error);
  }
  *own = what;
  own->v = self->node.v;
  take_options(self, own);
  own->p = 2 * n;
  own->lambda = own->in_momenta ? 3 * n : 2 * n;
  own->mu = own->lambda + m;
  own->size = own->projects ? own->mu + m : own->mu;
  own->reduced_size = 2 * n + (own->projects ? 2 * m : m);
  if (allocate_values(self, own)) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < own->reduced_size; i++) {
    own->row_scale[i] = own->column_scale[i] = 1.0;
  }
  find_groups(self->model.system, own->group);
  vida__group_coordinates(self->model.system, own->family);
  int code = vida__reference_ida_build(self->model.system, own, error);
  code = code ? code
              : vida__equations_create(self->model.system, vida__solver_of(self->options),
                                       &own->equations, error);
  vida__follow_equations(self, own->equations);
  return code ? code : create_ida(self, own, error);
}

static int create_index3(VidaIntegration* self, VidaError* error) {
  return create(
      self, (vida_reference_ida){.level = VIDA_AT_POSITION, .index = 3, .in_momenta = true}, error);
}

static int create_index2(VidaIntegration* self, VidaError* error) {
  return create(
      self, (vida_reference_ida){.level = VIDA_AT_VELOCITY, .index = 2, .in_momenta = true}, error);
}

static int create_ggl(VidaIntegration* self, VidaError* error) {
  return create(self,
                (vida_reference_ida){
                    .level = VIDA_AT_VELOCITY, .index = 2, .in_momenta = true, .projects = true},
                error);
}

static int create_index1(VidaIntegration* self, VidaError* error) {
  return create(self, (vida_reference_ida){.level = VIDA_AT_ACCELERATION, .index = 1}, error);
}

static int create_projected(VidaIntegration* self, VidaError* error) {
  return create(self,
                (vida_reference_ida){.level = VIDA_AT_ACCELERATION, .index = 2, .projects = true},
                error);
}

static void destroy(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  if (!own) {
    return;
  }
  vida__ida_destroy(&own->ida);
  vida__equations_destroy(&own->equations);
  if (own->context) {
    SUNContext_Free(&own->context);
  }
  vida__reference_ida_release(own);
  free(own->values);
  free(own->group);
  free(own->family);
  free(own->is_dependent);
}

/* Of the tolerance: errors of steps add up, and in an index above one they are larger than the
 * estimate that IDA has of them. With this share positions of the car axis are good to a hundred
 * tolerances. */
static const double caution = 0.2;

/* ---- start ----------------------------------------------------------------------------------- */

/* Relative: what is left where terms cancel, also of sums over many constraints. */
static const double rounding = 1e-11;

static void largest_of_groups(const vida_reference_ida* own, int n, const double* values,
                              double* size) {
  memset(size, 0, (size_t)n * sizeof *size);
  for (int i = 0; i < n; i++) {
    size[own->group[i]] = fmax(size[own->group[i]], fabs(values[i]));
  }
}

/* Where nothing moves, rounding of what balances must not become a size that tolerances are parts
 * of: velocities and accelerations as small as the rounding of the constraint rows that hold them
 * and of the forces that cancel are none. */
static void forget_rounding(VidaIntegration* self, const double* lambda, double* speed,
                            double* acceleration) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  double *held = own->moved_v, *strength = own->moved_q, *row_speed = own->rate;
  memset(row_speed, 0, (size_t)self->model.m * sizeof *row_speed);
  memset(held, 0, (size_t)self->model.n * sizeof *held);
  vida__measure_strength(self, own->entries, lambda, strength);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double size = fabs(own->entries[e]);
    row_speed[entry->row] += size * fabs(own->v[entry->coordinate]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double stiffness = self->model.row_stiffness[entry->row];
    held[entry->coordinate] +=
        fabs(own->entries[e]) * row_speed[entry->row] / (stiffness * stiffness);
  }
  for (int i = 0; i < self->model.n; i++) {
    const double mass = self->model.root_mass[i] * self->model.root_mass[i];
    speed[i] = fabs(own->v[i]) <= rounding * held[i] / mass ? 0.0 : own->v[i];
    acceleration[i] = fabs(own->a[i]) <= rounding * strength[i] / mass ? 0.0 : own->a[i];
  }
}

/* How far a unit goes that begins at zero: as far as what else there is makes of it by masses, an
 * angle no more than a radian; where all is at zero, where accelerations and velocities take it. */
static double unmoved_size(const VidaIntegration* self, int i, double speed, double acceleration) {
  const double h = self->node.h;
  const bool is_angle = strcmp(self->model.system->coordinates[i].unit, "rad") == 0;
  double way = 0.0;
  for (int k = 0; k < self->model.n; k++) {
    way = fmax(way, self->model.root_mass[k] * fabs(self->node.q[k]));
  }
  way = way > 0.0 ? way * self->model.inverse_root[i] : h * speed + 0.5 * h * h * acceleration;
  return way > 0.0 && !(is_angle && way > 1.0) ? way : 1.0;
}

/* Sizes of positions and velocities by units, from the start. W, too. */
static void measure(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  const double h = self->node.h;
  const double* lambda = vida__ida_values(own->ida) + own->lambda;
  double* acceleration = own->force;
  forget_rounding(self, lambda, own->l_v, own->l_q);
  largest_of_groups(own, n, self->node.q, own->position_size);
  largest_of_groups(own, n, own->l_v, own->speed_size);
  largest_of_groups(own, n, own->l_q, acceleration);
  for (int i = 0; i < n; i++) {
    if (own->group[i] != i) {
      continue;
    }
    double* size = &own->position_size[i];
    double* speed = &own->speed_size[i];
    *size = *size > 0.0 ? *size : unmoved_size(self, i, *speed, acceleration[i]);
    *speed = fmax(*speed, sqrt(acceleration[i] * *size));
    /* What a step does not move but by rounding has no speed of its own. */
    *speed = *speed > rounding * *size / h ? *speed : *size / h;
  }
  for (int i = n - 1; i >= 0; i--) {
    const int group = own->group[i];
    own->position_size[i] = own->position_size[group];
    own->speed_size[i] = own->speed_size[group];
    own->metric[i] = own->position_size[i] * own->position_size[i];
  }
  double force = 0.0;
  for (int i = 0; i < n; i++) {
    force = fmax(force, self->model.force_size[i] * self->model.inverse_root[i]);
  }
  for (int r = 0; r < self->model.m; r++) {
    own->multiplier_size[r] = fmax(fabs(lambda[r]), force / self->model.row_stiffness[r]);
  }
}

/* How often in a second something changes by its size; what a step does not change but by rounding
 * is at rest. */
static double find_pace(const VidaIntegration* self) {
  const vida_reference_ida* own = self->state;
  double rate = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    rate = fmax(rate, fabs(own->v[i]) / own->position_size[i]);
    rate = fmax(rate, fabs(own->a[i]) / own->speed_size[i]);
  }
  return rate > rounding / self->node.h ? rate : 1.0 / self->node.h;
}

/* Of a step of order one the error is about (h/T)^2 of its sizes, where T is the time in which
 * something changes by them; of slow motions a step of output. */
static double find_first_step(const VidaIntegration* self) {
  const vida_reference_ida* own = self->state;
  const bool is_given = isfinite(own->first_step) || own->raw;
  return is_given ? own->first_step : fmin(0.5 * sqrt(own->rtol) / find_pace(self), self->node.h);
}

/* Values and rates at the node, consistent on all levels. */
static int fill(VidaIntegration* self, double t, VidaError* error) {
  vida_reference_ida* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  const int n = self->model.n;
  double* y = vida__ida_values(own->ida);
  double* dy = vida__ida_rates(own->ida);
  int code = vida__equations_find(own->equations, t, self->node.q, own->v, NULL, own->a, own->rows);
  if (code) {
    return vida__equations_failed(own->equations, code, error);
  }
  code = vida__gradient(&self->model.evaluator, t, self->node.q, own->v, own->l_q, own->l_v);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->node.q, own->entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  memset(y, 0, (size_t)own->size * sizeof *y);
  memset(dy, 0, (size_t)own->size * sizeof *dy);
  memcpy(y, self->node.q, bytes);
  memcpy(y + n, own->v, bytes);
  memcpy(dy, own->v, bytes);
  memcpy(dy + n, own->a, bytes);
  if (self->model.m > 0) {
    memcpy(y + own->lambda, own->rows, (size_t)self->model.m * sizeof *y);
  }
  if (own->in_momenta) {
    memcpy(y + own->p, own->l_v, bytes);
    memcpy(dy + own->p, own->l_q, bytes);
    vida__add_reaction(self->model.system, own->entries, -1.0, y + own->lambda, dy + own->p);
  }
  memcpy(self->node.p, own->l_v, bytes);
  return VIDA_SUCCESS;
}

static void choose_differential(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  int tested = 0;
  for (int i = 0; i < own->size; i++) {
    const bool is_velocity = i >= self->model.n && i < 2 * self->model.n;
    /* Of p and v, which say the same, the error test looks at v. */
    const bool is_tested =
        i < self->model.n || (is_velocity && (own->raw || own->level != VIDA_AT_POSITION));
    vida__ida_set_differential(own->ida, i, is_tested);
    tested += is_tested ? 1 : 0;
  }
  own->share = caution * sqrt((double)tested / own->size);
}

static int begin(VidaIntegration* self, double t, VidaError* error) {
  vida_reference_ida* own = self->state;
  int code = fill(self, t, error);
  code = code || own->left_out == 0 ? code : vida__reference_ida_begin_rows(self, error);
  if (!code && self->node.step == 0) {
    measure(self);
  }
  choose_differential(self);
  own->must_start = code != VIDA_SUCCESS;
  own->counted = (vida_ida_counts){0};
  return code ? code : vida__ida_start(own->ida, t, find_first_step(self), error);
}

static int start(VidaIntegration* self, VidaError* error) {
  vida_reference_ida* own = self->state;
  int code = vida__equations_mark(own->equations, self->node.t0, self->node.q, own->v);
  if (code) {
    return vida__equations_failed(own->equations, code, error);
  }
  vida__reference_ida_leave_out(own, self->model.redundant ? self->model.rank : NULL,
                                self->model.m);
  code = begin(self, self->node.t0, error);
  if (!code && own->left_out > 0) {
    vida__reference_ida_settle_rows(self, find_pace(self));
  }
  self->node.lambda_t = self->node.t0;
  return code;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void count(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  const vida_ida_counts now = vida__ida_counts(own->ida);
  const vida_ida_counts* before = &own->counted;
  VidaStatistics* to = &self->statistics;
  to->steps += now.steps - before->steps;
  to->rejected_steps += now.error_test_failures - before->error_test_failures +
                        now.convergence_failures - before->convergence_failures;
  to->newton_iterations += now.newton_iterations - before->newton_iterations;
  to->residual_evaluations += now.residuals - before->residuals;
  to->jacobian_evaluations += now.jacobians - before->jacobians;
  to->factorizations += now.factorizations - before->factorizations;
  own->counted = now;
}

/* What else to try; nothing where what is left out of the constraints, or is not finite, would fail
 * in the others as well. */
static const char* advice(const vida_reference_ida* own, bool is_evaluation) {
  if (is_evaluation || own->left_out > 0) {
    return "";
  }
  if (own->index == 3) {
    return " (in index 3, velocities and multipliers jump by amounts that do not shrink with the "
           "step; ida-ggl and ida-index2 avoid this)";
  }
  if (own->level == VIDA_AT_ACCELERATION && own->projects) {
    return " (only positions are projected: velocities drift off their constraints, and the drift "
           "amplifies itself; a smaller rtol delays this, ida-ggl avoids it)";
  }
  if (own->level == VIDA_AT_ACCELERATION) {
    return " (with constraints on acceleration level the state drifts off the other levels until "
           "no motion is possible; ida-ggl avoids this)";
  }
  return own->raw ? " (without raw, multipliers are scaled and the first step fits the tolerance)"
                  : " (try another rtol, or check the model with 'vida check')";
}

static int describe_failure(VidaIntegration* self, double time, double step, const VidaError* cause,
                            VidaError* error) {
  const vida_reference_ida* own = self->state;
  char at[VIDA_REAL_TEXT_SIZE], of[VIDA_REAL_TEXT_SIZE], rtol[VIDA_REAL_TEXT_SIZE];
  const VidaError* evaluation = &self->model.evaluator.error;
  /* Steps end small where what lies ahead has no values. */
  const bool is_lost = cause->code == VIDA_NOT_FINITE || !strcmp(cause->flag, "STEP_TOO_SMALL");
  const bool has_reason = is_lost && evaluation->code;
  if (own->kept > 0 && self->node.step == 0 && !has_reason) {
    return vida__reference_ida_fail_start(self, cause, error);
  }
  char open[VIDA_MESSAGE_SIZE / 4] = "";
  const double* y = vida__ida_values(own->ida);
  if (cause->code == VIDA_STEP_SINGULAR &&
      vida__equations_factor(own->equations, time, y, y + self->model.n) <= VIDA_STEP_SINGULAR) {
    vida__equations_append_open(own->equations, open, sizeof open);
  }
  return vida__fail_flag(error, has_reason ? evaluation->code : cause->code, cause->flag,
                         "%s stopped at t = %s s with a step of %s s, rtol = %s: %s%s%s%s%s",
                         self->method->info.name, vida__real_text(at, time, 6),
                         vida__real_text(of, step, 2), vida__shortest_text(rtol, own->rtol),
                         cause->message, open, has_reason ? ": " : "",
                         has_reason ? evaluation->message : "",
                         strcmp(cause->flag, VIDA_OTHER_BRANCH) ? advice(own, has_reason) : "");
}

static int take_state(VidaIntegration* self, double t, VidaError* error) {
  vida_reference_ida* own = self->state;
  const double* y = vida__ida_values(own->ida);
  const size_t bytes = (size_t)self->model.n * sizeof *y;
  int code = VIDA_SUCCESS;
  const double* p = y + own->p;
  if (!own->in_momenta) {
    code = vida__gradient(&self->model.evaluator, t, y, y + self->model.n, own->l_q, own->l_v);
    p = own->l_v;
  }
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__reference_ida_check_rows(self, t, y, error);
  if (code) {
    return code;
  }
  memcpy(self->node.q, y, bytes);
  memcpy(own->v, y + self->model.n, bytes);
  memcpy(self->node.p, p, bytes);
  memset(self->node.q_low, 0, bytes);
  memset(self->node.p_low, 0, bytes);
  if (self->model.m > 0) {
    memcpy(self->node.lambda, y + own->lambda, (size_t)self->model.m * sizeof *y);
  }
  self->node.lambda_t = t;
  return own->left_out > 0 ? vida__reference_ida_spread(self, error) : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  vida_reference_ida* own = self->state;
  const double t = vida__next_time(self);
  double time = vida__node_time(self);
  double size = 0.0;
  VidaError cause = {0};
  int code = own->must_start ? begin(self, vida__node_time(self), error) : VIDA_SUCCESS;
  if (code) {
    return code;
  }
  self->model.evaluator.error.code = VIDA_SUCCESS;
  code = vida__ida_advance(own->ida, t, &time, &size, &cause);
  code = code ? code : vida__look_at_motion(self, t, vida__ida_values(own->ida), &cause);
  count(self);
  own->must_start = code != VIDA_SUCCESS;
  if (code) {
    return describe_failure(self, time, size, &cause, error);
  }
  code = take_state(self, t, error);
  own->must_start = code != VIDA_SUCCESS;
  return code;
}

/* IDA itself is ahead. */
static void undo(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  own->must_start = true;
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  const vida_reference_ida* own = self->state;
  (void)error;
  memcpy(v, own->v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- records --------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    {"suppress_algebraic", VIDA_OPTION_BOOLEAN, "", 1.0, 0.0, 1.0, false, NULL,
     "Whether multipliers, and in index 3 velocities, are excluded from the error test."},
    {"scale_multipliers", VIDA_OPTION_BOOLEAN, "", 1.0, 0.0, 1.0, false, NULL,
     "Whether the tolerances of multipliers and the Newton matrix are scaled by the step, as the "
     "index requires."},
    {"first_step", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "First step; by default it is chosen from the tolerance and the motion at the start."},
    {"max_step", VIDA_OPTION_REAL, "s", INFINITY, 0.0, INFINITY, true, NULL, "Largest step."},
    {"max_order", VIDA_OPTION_INTEGER, "1", 5.0, 1.0, 5.0, false, NULL,
     "Highest order of the backward differentiation formulas."},
    {"raw", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "Use IDA as a simple program would: one atol (by default rtol, in the units of all "
     "variables), no scaling, the first step of IDA, only multipliers excluded from the error "
     "test."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

#define CAPABILITIES                                                               \
  (VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC | \
   VIDA_CAN_ADAPTIVE)
#define RECORD                                                                        \
  .common = vida__adaptive_options, .options = options, .start = start, .step = step, \
  .undo = undo, .velocities = velocities, .energy = vida__node_energy, .destroy = destroy

const VidaMethod vida__ida_index3 = {
    .size = sizeof(VidaMethod),
    .info = {"ida-index3", "IDA, constraints on position level (index 3)", "0 = g(q)",
             "Velocities and multipliers are excluded from the error test and less accurate than "
             "rtol; with small tolerances, steps are often rejected. ida-ggl and ida-index2 have "
             "no such limits.",
             1, CAPABILITIES},
    .create = create_index3,
    RECORD};
const VidaMethod vida__ida_index2 = {
    .size = sizeof(VidaMethod),
    .info =
        {"ida-index2", "IDA, constraints on velocity level (index 2)", "0 = G v + g_t",
         "Positions drift off the constraints linearly in time, at a rate that depends on rtol.", 1,
         CAPABILITIES},
    .remedy = {.method = "ida-ggl"},
    .create = create_index2,
    RECORD};
const VidaMethod vida__ida_ggl = {
    .size = sizeof(VidaMethod),
    .info = {"ida-ggl", "IDA, stabilized index 2 (Gear, Gupta, Leimkuhler)",
             "q' = v - W G^T mu, 0 = g(q), 0 = G v + g_t",
             "Satisfies the constraints of both levels at its own steps; at output states between "
             "them, to rtol.",
             1, CAPABILITIES},
    .create = create_ggl,
    RECORD};
const VidaMethod vida__ida_index1 = {
    .size = sizeof(VidaMethod),
    .info = {"ida-index1", "IDA, constraints on acceleration level (index 1)",
             "0 = G v' + g_qq v v + 2 g_qt v + g_tt",
             "Velocities drift off the constraints linearly in time, positions quadratically.", 1,
             CAPABILITIES},
    .remedy = {.method = "ida-ggl"},
    .create = create_index1,
    RECORD};
const VidaMethod vida__ida_projected = {
    .size = sizeof(VidaMethod),
    .info = {"ida-projected", "IDA, projected invariants: multipliers for positions alone",
             "Ascher, Chin, Petzold, Reich 1994, eq. 3.3",
             "Satisfies g = 0 at its own steps; velocities drift off G v + g_t = 0. A drift v_n "
             "towards the inside of a curve of radius r grows by v_n^2/r and ends the run after "
             "the time r/v_n. With a projection of velocities in addition it would be ida-ggl.",
             1, CAPABILITIES},
    .remedy = {.method = "ida-ggl"},
    .create = create_projected,
    RECORD};
