/* The formulations that users integrate with IDA's backward differentiation formulas: index 3, 2
 * and 1, the stabilized index 2 of Gear, Gupta and Leimkuhler, and projected invariants. */
#include "methods/reference/ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "stepper/method_options.h"
#include "system/constraints/column_sizes.h"

/* Residual of Newton's method as a fraction of the tolerance. It is noise in the differences from
 * which IDA chooses order and step: with IDA's own third, runs with small tolerances need half as
 * many steps more. */
static const double newton_share = 0.1;

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_values(const VidaIntegration* self, vida_reference_ida* own) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t reduced = (size_t)own->form.reduced_size;
  const vida_array arrays[] = {{&own->a, n},
                               {&own->position_size, n},
                               {&own->speed_size, n},
                               {&own->multiplier_size, m},
                               {&own->row_tolerance, m},
                               {&own->row_scale, reduced},
                               {&own->column_scale, reduced},
                               {&own->rate, m}};
  own->numbers = vida__count_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  own->values = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  own->family = vida__allocate(n, sizeof *own->family);
  return own->values && own->family ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
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
                                        .linear_solver = vida__solver_of(options),
                                        .services = self->services};
  if (vida__take_context(self->services, &own->context)) {
    return vida__fail_memory(error);
  }
  return vida__ida_create(own->context, own->form.size, &own->form.pattern,
                          vida__reference_ida_functions, self, ida_options, &own->ida, error);
}

/* The initial state is consistent, and IDA has not tried a step. */
static int prepare(VidaIntegration* self, VidaError* error) {
  return self->node.step == 0 ? vida__prepare_node(self, error) : VIDA_SUCCESS;
}

static int create(VidaIntegration* self, vida_reference_ida what, VidaError* error) {
  vida_reference_ida* own = vida__allocate(1, sizeof *own);
  self->state = own;
  self->implicit.prepare = prepare;
  self->reports_motion = true;
  if (!own) {
    return vida__fail_memory(error);
  }
  *own = what;
  self->corrects_positions = what.form.projects || what.form.level == VIDA_AT_POSITION;
  own->v = self->node.v;
  take_options(self, own);
  int code =
      vida__formulation_create(self->model.system, &self->model.evaluator, &own->form, error);
  if (code) {
    return code;
  }
  if (allocate_values(self, own)) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < own->form.reduced_size; i++) {
    own->row_scale[i] = own->column_scale[i] = 1.0;
  }
  vida__group_coordinates(self->model.system, own->family);
  code = code ? code
              : vida__equations_create(self->model.system, vida__solver_of(self->options),
                                       &own->equations, error);
  vida__follow_equations(self, own->equations);
  return code ? code : create_ida(self, own, error);
}

static int create_index3(VidaIntegration* self, VidaError* error) {
  return create(
      self,
      (vida_reference_ida){.form = {.level = VIDA_AT_POSITION, .in_momenta = true}, .index = 3},
      error);
}

static int create_index2(VidaIntegration* self, VidaError* error) {
  return create(
      self,
      (vida_reference_ida){.form = {.level = VIDA_AT_VELOCITY, .in_momenta = true}, .index = 2},
      error);
}

static int create_ggl(VidaIntegration* self, VidaError* error) {
  return create(
      self,
      (vida_reference_ida){
          .form = {.level = VIDA_AT_VELOCITY, .projects = true, .in_momenta = true}, .index = 2},
      error);
}

static int create_index1(VidaIntegration* self, VidaError* error) {
  return create(self, (vida_reference_ida){.form = {.level = VIDA_AT_ACCELERATION}, .index = 1},
                error);
}

static int create_projected(VidaIntegration* self, VidaError* error) {
  return create(
      self,
      (vida_reference_ida){.form = {.level = VIDA_AT_ACCELERATION, .projects = true}, .index = 2},
      error);
}

static void destroy(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  if (!own) {
    return;
  }
  vida__ida_destroy(&own->ida);
  vida__equations_destroy(&own->equations);
  vida__leave_context(self->services, &own->context);
  vida__formulation_release(&own->form);
  free(own->values);
  free(own->family);
}

/* Fraction of the tolerance. Errors of steps accumulate, and for an index above one they are larger
 * than IDA's estimate. With this fraction the positions of the car axis are accurate to a hundred
 * tolerances. */
static const double caution = 0.2;

/* ---- start ----------------------------------------------------------------------------------- */

/* Relative rounding of terms that cancel, also in sums over many constraints. */
static const double rounding = 1e-11;

/* Coordinates with the same unit begin with the same size. */
static void largest_of_units(const VidaSystem* system, const double* values, double* size) {
  memset(size, 0, (size_t)system->coordinate_count * sizeof *size);
  for (int i = 0; i < system->coordinate_count; i++) {
    double* own = &size[system->coordinates[i].alike];
    *own = fmax(*own, fabs(values[i]));
  }
}

/* If nothing moves, the rounding of balanced terms must not become a size to which tolerances are
 * relative. Velocities and accelerations as small as the rounding of the constraint rows and of the
 * cancelling forces count as zero. */
static void forget_rounding(VidaIntegration* self, const double* lambda, double* speed,
                            double* acceleration) {
  vida_reference_ida* own = self->state;
  const VidaSystem* system = self->model.system;
  double *held = own->form.moved_v, *strength = own->form.moved_q, *row_speed = own->rate;
  memset(row_speed, 0, (size_t)self->model.m * sizeof *row_speed);
  memset(held, 0, (size_t)self->model.n * sizeof *held);
  vida__measure_uncancelled_forces(self, own->form.entries, lambda, strength);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double size = fabs(own->form.entries[e]);
    row_speed[entry->row] += size * fabs(own->v[entry->coordinate]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double stiffness = self->model.row_stiffness[entry->row];
    held[entry->coordinate] +=
        fabs(own->form.entries[e]) * row_speed[entry->row] / (stiffness * stiffness);
  }
  for (int i = 0; i < self->model.n; i++) {
    const double mass = self->model.root_mass[i] * self->model.root_mass[i];
    speed[i] = fabs(own->v[i]) <= rounding * held[i] / mass ? 0.0 : own->v[i];
    acceleration[i] = fabs(own->a[i]) <= rounding * strength[i] / mass ? 0.0 : own->a[i];
  }
}

/* Returns the largest size in the mass norm of a coordinate. */
static double find_way(const VidaIntegration* self) {
  double way = 0.0;
  for (int k = 0; k < self->model.n; k++) {
    way = fmax(way, self->model.root_mass[k] * vida__position_size(self, k));
  }
  return way;
}

/* Returns whether the largest size of the unit of coordinate i is zero, or rounding beside those of
 * other units. */
static bool is_unmoved(const VidaIntegration* self, int i, double size) {
  double heaviest = 0.0;
  for (int k = i; k < self->model.n; k++) {
    const bool is_alike = self->model.system->coordinates[k].alike == i;
    heaviest = is_alike ? fmax(heaviest, self->model.root_mass[k]) : heaviest;
  }
  return !(size > 0.0) || (heaviest > 0.0 && size * heaviest <= rounding * find_way(self));
}

/* The size of coordinates of a unit that are all zero at the start: from the other sizes by the
 * masses, for an angle at most a radian; if all coordinates are zero, from accelerations and
 * velocities. */
static double unmoved_size(const VidaIntegration* self, int i, double speed, double acceleration) {
  const double h = self->node.h;
  const bool is_angle = strcmp(self->model.system->coordinates[i].unit, "rad") == 0;
  double way = find_way(self);
  way = way > 0.0 ? way * self->model.inverse_root[i] : h * speed + 0.5 * h * h * acceleration;
  return way > 0.0 && !(is_angle && way > 1.0) ? way : 1.0;
}

/* Computes the sizes of positions and velocities by units at the start, and W. */
static void measure(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  const int n = self->model.n;
  const double h = self->node.h;
  const double* lambda = vida__ida_values(own->ida) + own->form.lambda;
  double* acceleration = own->form.force;
  forget_rounding(self, lambda, own->form.l_v, own->form.l_q);
  for (int i = 0; i < n; i++) {
    own->form.moved_q[i] = vida__position_size(self, i);
  }
  largest_of_units(self->model.system, own->form.moved_q, own->position_size);
  largest_of_units(self->model.system, own->form.l_v, own->speed_size);
  largest_of_units(self->model.system, own->form.l_q, acceleration);
  for (int i = 0; i < n; i++) {
    if (self->model.system->coordinates[i].alike != i) {
      continue;
    }
    double* size = &own->position_size[i];
    double* speed = &own->speed_size[i];
    *size = is_unmoved(self, i, *size) ? unmoved_size(self, i, *speed, acceleration[i]) : *size;
    *speed = fmax(*speed, sqrt(acceleration[i] * *size));
    /* The speed of a coordinate that a step moves only within rounding is not significant. */
    *speed = *speed > rounding * *size / h ? *speed : *size / h;
  }
  for (int i = n - 1; i >= 0; i--) {
    const int alike = self->model.system->coordinates[i].alike;
    own->position_size[i] = own->position_size[alike];
    own->speed_size[i] = own->speed_size[alike];
    own->form.metric[i] = own->position_size[i] * own->position_size[i];
  }
  double force = 0.0;
  for (int i = 0; i < n; i++) {
    force = fmax(force, self->model.force_size[i] * self->model.inverse_root[i]);
  }
  for (int r = 0; r < self->model.m; r++) {
    own->multiplier_size[r] = fmax(fabs(lambda[r]), force / self->model.row_stiffness[r]);
  }
}

/* Returns the largest rate (1/s) at which something changes by its own size. A coordinate that a
 * step changes only within rounding is at rest. */
static double find_largest_rate(const VidaIntegration* self) {
  const vida_reference_ida* own = self->state;
  double rate = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    rate = fmax(rate, fabs(own->v[i]) / own->position_size[i]);
    rate = fmax(rate, fabs(own->a[i]) / own->speed_size[i]);
  }
  return rate > rounding / self->node.h ? rate : 1.0 / self->node.h;
}

/* The first step. The error of a step of order one is about (h/T)^2 relative to the sizes, where T
 * is the time in which something changes by its size; for slow motions, an output interval. */
static double find_first_step(const VidaIntegration* self) {
  const vida_reference_ida* own = self->state;
  const bool is_given = isfinite(own->first_step) || own->raw;
  return is_given ? own->first_step
                  : fmin(0.5 * sqrt(own->rtol) / find_largest_rate(self), self->node.h);
}

/* Sets the values and rates at the node, consistent on all levels. */
static int fill(VidaIntegration* self, double t, VidaError* error) {
  vida_reference_ida* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  int code =
      vida__equations_find(own->equations, t, self->node.q, own->v, NULL, own->a, own->form.rows);
  if (code) {
    return vida__equations_failed(own->equations, code, error);
  }
  code = vida__formulation_fill(&own->form, t, self->node.q, own->v, own->a, own->form.rows,
                                vida__ida_values(own->ida), vida__ida_rates(own->ida));
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  memcpy(self->node.p, own->form.l_v, bytes);
  return VIDA_SUCCESS;
}

static void choose_differential(VidaIntegration* self) {
  vida_reference_ida* own = self->state;
  int tested = 0;
  for (int i = 0; i < own->form.size; i++) {
    const bool is_velocity = i >= self->model.n && i < 2 * self->model.n;
    /* The error test includes v, but not p, which contains the same information. */
    const bool is_tested =
        i < self->model.n || (is_velocity && (own->raw || own->form.level != VIDA_AT_POSITION));
    vida__ida_set_differential(own->ida, i, is_tested);
    tested += is_tested ? 1 : 0;
  }
  own->share = caution * sqrt((double)tested / own->form.size);
}

static int begin(VidaIntegration* self, double t, VidaError* error) {
  vida_reference_ida* own = self->state;
  int code = fill(self, t, error);
  code = code || own->left_out == 0 ? code : vida__reference_ida_start_rows(self, error);
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
  vida__reference_ida_remove_rows(own, self->model.redundant ? self->model.rank : NULL,
                                  self->model.m);
  code = begin(self, self->node.t0, error);
  if (!code && own->left_out > 0) {
    vida__reference_ida_restore_rows(self, find_largest_rate(self));
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

/* Appends what else to try; nothing if the other methods would fail, too, because rows are left out
 * or a value is not finite. */
static const char* advice(const vida_reference_ida* own, bool is_evaluation) {
  if (is_evaluation || own->left_out > 0) {
    return "";
  }
  if (own->index == 3) {
    return " (in index 3, velocities and multipliers jump by amounts that do not shrink with the "
           "step; ida-ggl and ida-index2 avoid this)";
  }
  if (own->form.level == VIDA_AT_ACCELERATION && own->form.projects) {
    return " (only positions are projected: velocities drift off their constraints, and the drift "
           "amplifies itself; a smaller rtol delays this, ida-ggl avoids it)";
  }
  if (own->form.level == VIDA_AT_ACCELERATION) {
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
  /* Steps become very small before a point at which functions have no value. */
  const bool is_lost = cause->code == VIDA_NOT_FINITE || !strcmp(cause->flag, "STEP_TOO_SMALL");
  const bool has_reason = is_lost && evaluation->code;
  if (own->kept > 0 && self->node.step == 0 && !has_reason) {
    return vida__reference_ida_fail_start(self, cause, error);
  }
  char open[VIDA_MESSAGE_SIZE / 4] = "";
  const double* y = vida__ida_values(own->ida);
  if (cause->code == VIDA_STEP_SINGULAR &&
      vida__equations_factor(own->equations, time, y, y + self->model.n) <= VIDA_STEP_SINGULAR) {
    vida__equations_append_undetermined(own->equations, open, sizeof open);
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
  const double* p = y + own->form.p;
  if (!own->form.in_momenta) {
    code = vida__momenta(&self->model.evaluator, t, y, y + self->model.n, own->form.l_q,
                         own->form.l_v);
    p = own->form.l_v;
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
    memcpy(self->node.lambda, y + own->form.lambda, (size_t)self->model.m * sizeof *y);
  }
  self->node.lambda_t = t;
  return own->left_out > 0 ? vida__reference_ida_least_norm(self, error) : VIDA_SUCCESS;
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
  code = code ? code : vida__check_motion(self, t, vida__ida_values(own->ida), &cause);
  count(self);
  own->must_start = code != VIDA_SUCCESS;
  if (code) {
    return describe_failure(self, time, size, &cause, error);
  }
  code = take_state(self, t, error);
  own->must_start = code != VIDA_SUCCESS;
  return code;
}

/* IDA itself is at a later time. */
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

/* IDA gives its history to nobody: it restarts at the node, with order one. */
static void record_state(VidaIntegration* self, VidaRecord* record) {
  vida_reference_ida* own = self->state;
  VidaRecord_Reals(record, own->values, own->numbers);
  VidaRecord_Reals(record, own->form.metric, (size_t)self->model.n);
  VidaRecord_Reals(record, &own->share, 1);
  vida__record_restart(record);
  own->must_start = own->must_start || VidaRecord_IsLoading(record);
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
   VIDA_CAN_ADAPTIVE | VIDA_CAN_REACTIVE_FORCES)
#define RECORD                                                                                \
  .common = vida__adaptive_options, .options = options, .start = start, .step = step,         \
  .undo = undo, .state = record_state, .velocities = velocities, .energy = vida__node_energy, \
  .destroy = destroy

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
             "Ascher, Chin, Petzold, Reich 1995, eq. 3.3",
             "Satisfies g = 0 at its own steps; velocities drift off G v + g_t = 0. A drift v_n "
             "towards the inside of a curve of radius r grows by v_n^2/r and ends the run after "
             "the time r/v_n. With a projection of velocities in addition it would be ida-ggl.",
             1, CAPABILITIES},
    .remedy = {.method = "ida-ggl"},
    .create = create_projected,
    RECORD};
