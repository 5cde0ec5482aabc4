/* Formulations for the integrators of a program: initial values, tolerances, and what y says. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "embed/formulation.h"
#include "embed/vectors.h"

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Replaces sizes (count) by the largest of their group; group[i] is the first member of the group
 * of i. */
static void share_sizes(const int* group, int count, double* sizes) {
  for (int i = 0; i < count; i++) {
    sizes[group[i]] = fmax(sizes[group[i]], sizes[i]);
  }
  for (int i = count - 1; i >= 0; i--) {
    sizes[i] = sizes[group[i]];
  }
}

static void take_sizes(const int* group, int count, const double* values, double* sizes) {
  for (int i = 0; i < count; i++) {
    sizes[i] = fabs(values[i]);
  }
  share_sizes(group, count, sizes);
}

/* Returns the size of positions whose values are all 0 at the start: 1 rad for an angle, the length
 * of a constraint, or the distance in which the acceleration produces the velocity; otherwise 1. */
static double unmoved_size(const VidaSystem* system, int i, double speed, double acceleration) {
  const char* unit = system->coordinates[i].unit;
  double length = 0.0;
  if (strcmp(unit, "rad") == 0) {
    return 1.0;
  }
  for (int r = 0; r < system->row_count; r++) {
    if (strcmp(system->rows[r].unit, unit) == 0) {
      length = fmax(length, system->rows[r].length);
    }
  }
  const double way = acceleration > 0.0 ? speed * speed / acceleration : 0.0;
  return length > 0.0 ? length : way > 0.0 ? way : 1.0;
}

static void measure_motion(VidaFormulation* self) {
  self->motion_rate = 0.0;
  double *position = self->position_size, *speed = self->speed_size, *acceleration = self->dv;
  take_sizes(self->unit_group, self->n, self->q, position);
  take_sizes(self->unit_group, self->n, self->v, speed);
  take_sizes(self->unit_group, self->n, self->a, acceleration);
  for (int i = 0; i < self->n; i++) {
    if (!(position[i] > 0.0)) {
      position[i] = self->unit_group[i] == i
                        ? unmoved_size(self->system, i, speed[i], acceleration[i])
                        : position[self->unit_group[i]];
    }
    /* Includes the speed that the acceleration produces. */
    speed[i] = fmax(speed[i], sqrt(acceleration[i] * position[i]));
    speed[i] = speed[i] > 0.0 ? speed[i] : position[i];
    self->form.metric[i] = position[i] * position[i];
    self->motion_rate =
        fmax(self->motion_rate, fmax(fabs(self->v[i]) / position[i], acceleration[i] / speed[i]));
  }
}

/* Multipliers with the same unit have the same size; if all of them are 0, it is that of the
 * inertial forces. The size of g is its length plus the products of G with the sizes of positions.
 */
static void measure_rows(VidaFormulation* self) {
  const VidaSystem* system = self->system;
  const double* entries = vida__equations_jacobian(self->equations);
  double force = 0.0;
  for (int i = 0; i < self->n; i++) {
    force = fmax(force, system->mass[i] * fmax(fabs(self->a[i]), self->speed_size[i]));
  }
  for (int r = 0; r < self->m; r++) {
    self->value_size[r] = system->rows[r].length;
    self->rate_size[r] = 0.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int r = system->entries[e].row;
    const int i = system->entries[e].coordinate;
    self->value_size[r] += fabs(entries[e]) * self->position_size[i];
    self->rate_size[r] = fmax(self->rate_size[r], self->speed_size[i] / self->position_size[i]);
  }
  take_sizes(self->row_group, self->m, self->lambda, self->multiplier_size);
  for (int r = 0; r < self->m; r++) {
    if (!(self->multiplier_size[r] > 0.0)) {
      self->multiplier_size[r] = force > 0.0 ? force : 1.0;
    }
  }
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Marks rows that depend on others; their multipliers are zero. */
void vida__mark_dependent(VidaFormulation* self) {
  vida_rank* rank = vida__equations_rank(self->equations);
  const bool is_redundant = rank && vida__equations_is_redundant(self->equations);
  const int* dependent = is_redundant ? vida__rank_dependent(rank) : NULL;
  memset(self->form.is_dependent, 0, (size_t)self->m * sizeof *self->form.is_dependent);
  for (int k = 0; is_redundant && k < vida__rank_dependent_count(rank); k++) {
    self->form.is_dependent[dependent[k]] = true;
  }
}

static int find_motion(VidaFormulation* self, double t, VidaError* error) {
  int code = vida__equations_mark(self->equations, t, self->q, self->v);
  code = code ? code
              : vida__equations_find(self->equations, t, self->q, self->v, NULL, self->a,
                                     self->lambda);
  if (code) {
    return vida__equations_failed(self->equations, code, error);
  }
  measure_motion(self);
  measure_rows(self);
  if (self->projector && vida__projector_mark(self->projector, t, self->q, self->v)) {
    return vida__fail(error, VIDA_STEP_SINGULAR, "the rank of the constraints cannot be found");
  }
  return VIDA_SUCCESS;
}

static int fill_values(VidaFormulation* self, double t, double* y, double* dy, VidaError* error) {
  const size_t bytes = (size_t)self->n * sizeof *y;
  if (self->kind == VIDA_FORMULATION_ODE) {
    memcpy(y, self->q, bytes);
    memcpy(y + self->n, self->v, bytes);
    memcpy(dy, self->v, bytes);
    memcpy(dy + self->n, self->a, bytes);
    return VIDA_SUCCESS;
  }
  vida__mark_dependent(self);
  int code = vida__formulation_fill(&self->form, t, self->q, self->v, self->a, self->lambda, y, dy);
  if (!code && vida__equations_is_redundant(self->equations)) {
    code = vida__formulation_omit_rows(&self->form, self->linear, t, self->q, self->v,
                                       y + self->form.lambda, self->step);
  }
  return code ? vida__fail(error, code, "%s",
                           self->evaluator.error.code == code ? self->evaluator.error.message
                                                              : Vida_CodeText(code))
              : VIDA_SUCCESS;
}

/* Takes the start of the caller, and refuses one that is not finite. */
static int take_start(VidaFormulation* self, double t, const double* q, const double* v,
                      VidaError* error) {
  const VidaSystem* system = self->system;
  if (!isfinite(t)) {
    return vida__fail(error, VIDA_NOT_FINITE, "system '%s': t is not a finite number",
                      system->name);
  }
  if (!q) {
    return VidaSystem_Start(system, t, NULL, self->q, self->v, NULL, error);
  }
  for (int i = 0; i < self->n; i++) {
    self->q[i] = q[i];
    self->v[i] = v ? v[i] : 0.0; /* POSITIONS use no v */
    if (!isfinite(self->q[i]) || !isfinite(self->v[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the initial %s of '%s' is not a finite number",
                        isfinite(self->q[i]) ? "velocity" : "position",
                        system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

int VidaFormulation_Start(VidaFormulation* formulation, double t, const double* q, const double* v,
                          N_Vector y, N_Vector dy, VidaError* error) {
  VidaFormulation* self = formulation;
  double *values = NULL, *rates = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, y)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_vector(y, "y", self->size, self->context, &values, error);
  rates = self->motion; /* which is not used if dy is NULL */
  if (!code && dy) {
    code = vida__take_vector(dy, "dy", self->size, self->context, &rates, error);
  }
  if (code) {
    return code;
  }
  const bool is_position = self->kind == VIDA_FORMULATION_POSITIONS;
  if (!q != !v && !(is_position && q)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "of q and v only %s is given", q ? "q" : "v");
  }
  if (rates == values) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "y and dy are the same vector");
  }
  self->is_started = false;
  code = take_start(self, t, q, is_position ? NULL : v, error);
  if (is_position) {
    code = code ? code : vida__start_positions(self, t, values, error);
  } else {
    code = code ? code : find_motion(self, t, error);
    code = code ? code : fill_values(self, t, values, rates, error);
  }
  self->is_started = !code;
  return code;
}

int vida__require_formulation_start(const VidaFormulation* self, VidaError* error) {
  return self->is_started ? VIDA_SUCCESS
                          : vida__fail(error, VIDA_WRONG_ORDER,
                                       "the formulation of system '%s' needs "
                                       "VidaFormulation_Start first",
                                       self->system->name);
}

/* Refuses what only formulations with velocities have. */
static int require_motion(const VidaFormulation* self, VidaError* error) {
  return self->kind == VIDA_FORMULATION_POSITIONS
             ? vida__fail(error, VIDA_NOT_SUPPORTED, "VIDA_FORMULATION_POSITIONS has no velocities")
             : VIDA_SUCCESS;
}

/* ---- vectors for the integrators ------------------------------------------------------------- */

int VidaFormulation_FillId(const VidaFormulation* formulation, N_Vector id, VidaError* error) {
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, id)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = require_motion(formulation, error);
  code = code
             ? code
             : vida__take_vector(id, "id", formulation->size, formulation->context, &values, error);
  const int n = formulation->n;
  const int tested = formulation->kind == VIDA_FORMULATION_INDEX_3 ? n : 2 * n;
  for (int i = 0; i < formulation->size && !code; i++) {
    values[i] = i < tested ? 1.0 : 0.0;
  }
  return code;
}

int VidaFormulation_FillConstraints(const VidaFormulation* formulation, N_Vector constraints,
                                    VidaError* error) {
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, constraints)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = vida__take_vector(constraints, "constraints", formulation->size,
                                     formulation->context, &values, error);
  if (!code) {
    memset(values, 0, (size_t)formulation->size * sizeof *values);
  }
  return code;
}

/* Tolerance of multipliers that the error test excludes, relative to their size: with a smaller
 * one, they alone would cause Newton iterations. */
static const double multiplier_share = 0.1;

int VidaFormulation_FillTolerances(const VidaFormulation* formulation, double rtol, N_Vector atol,
                                   VidaError* error) {
  const VidaFormulation* self = formulation;
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, atol)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!isfinite(rtol) || !(rtol > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "rtol must be a positive number");
  }
  int code = vida__require_formulation_start(self, error); /* which finds the sizes */
  code = code ? code : require_motion(self, error);
  code = code ? code : vida__take_vector(atol, "atol", self->size, self->context, &values, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->n; i++) {
    values[i] = rtol * self->position_size[i];
    values[self->n + i] = rtol * self->speed_size[i];
  }
  const bool is_tested = self->kind == VIDA_FORMULATION_INDEX_1;
  for (int r = 0; r < self->m && self->kind != VIDA_FORMULATION_ODE; r++) {
    const double share = is_tested ? rtol : multiplier_share;
    values[self->form.lambda + r] = share * self->multiplier_size[r];
  }
  for (int r = 0; r < self->m && self->form.projects; r++) {
    /* W G^T mu is a velocity, and value_size has |G| times sizes of positions. */
    const double size = self->value_size[r] > 0.0 ? self->value_size[r] : 1.0;
    const double rate = self->rate_size[r] > 0.0 ? self->rate_size[r] : 1.0;
    values[self->form.mu + r] = multiplier_share * rate / size;
  }
  return VIDA_SUCCESS;
}

double VidaFormulation_FirstStep(const VidaFormulation* formulation, double rtol) {
  if (!formulation || !formulation->is_started || require_motion(formulation, NULL)) {
    return (double)NAN;
  }
  return formulation->motion_rate > 0.0 ? 0.5 * sqrt(rtol) / formulation->motion_rate : 0.0;
}

/* ---- what y says ----------------------------------------------------------------------------- */

/* Refuses results that are not finite, as those of a y that is not. */
static int check_results(const VidaFormulation* self, const char* what, const double* values,
                         int count, VidaError* error) {
  return vida__are_finite(values, count)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_NOT_FINITE, "system '%s': %s not finite at this y",
                          self->system->name, what);
}

static int fail_evaluation(const VidaFormulation* self, int code, VidaError* error) {
  const VidaError* cause = &self->evaluator.error;
  return vida__fail(error, code, "%s",
                    cause->code == code && *cause->message ? cause->message : Vida_CodeText(code));
}

int VidaFormulation_Multipliers(VidaFormulation* formulation, double t, N_Vector y, double* lambda,
                                VidaError* error) {
  VidaFormulation* self = formulation;
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, y) || (self->m > 0 && VIDA_REFUSE_NULL(error, lambda))) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = require_motion(self, error);
  code = code ? code : vida__require_formulation_start(self, error);
  code = code ? code : vida__take_vector(y, "y", self->size, NULL, &values, error);
  if (code || self->m == 0) {
    return code;
  }
  if (self->kind != VIDA_FORMULATION_ODE) {
    memcpy(lambda, values + self->form.lambda, (size_t)self->m * sizeof *lambda);
  } else {
    code =
        vida__equations_find(self->equations, t, values, values + self->n, NULL, self->a, lambda);
  }
  return code ? vida__equations_failed(self->equations, code, error)
              : check_results(self, "the multipliers are", lambda, self->m, error);
}

int VidaFormulation_Energy(VidaFormulation* formulation, double t, N_Vector y, double* energy,
                           VidaError* error) {
  VidaFormulation* self = formulation;
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, y, energy)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = require_motion(self, error);
  code = code ? code : vida__take_vector(y, "y", self->size, NULL, &values, error);
  if (code) {
    return code;
  }
  code = vida__energy(&self->evaluator, t, values, values + self->n, self->form.l_q, self->form.l_v,
                      energy);
  return code ? fail_evaluation(self, code, error)
              : check_results(self, "the energy is", energy, 1, error);
}

static double largest_of(const double* values, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(values[i]));
  }
  return largest;
}

int VidaFormulation_ConstraintErrors(VidaFormulation* formulation, double t, N_Vector y,
                                     double* position, double* velocity, VidaError* error) {
  VidaFormulation* self = formulation;
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, formulation, y)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = require_motion(self, error);
  code = code ? code : vida__take_vector(y, "y", self->size, NULL, &values, error);
  if (code) {
    return code;
  }
  code = vida__constraints(&self->evaluator, t, values, NULL, self->g);
  code = code ? code : vida__jacobian(&self->evaluator, t, values, self->form.entries);
  code = code ? code : vida__constraint_rate(&self->evaluator, t, values, self->rate);
  if (code) {
    return fail_evaluation(self, code, error);
  }
  vida__add_constraint_velocity(self->system, self->form.entries, 1.0, values + self->n,
                                self->rate);
  code = check_results(self, "g is", self->g, self->m, error);
  code = code ? code : check_results(self, "G v + g_t is", self->rate, self->m, error);
  if (code) {
    return code;
  }
  if (position) {
    *position = largest_of(self->g, self->m);
  }
  if (velocity) {
    *velocity = largest_of(self->rate, self->m);
  }
  return VIDA_SUCCESS;
}
