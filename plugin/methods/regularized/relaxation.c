/* Relaxed rows: their compliance and damping, and the common functions of the regularized methods.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "methods/regularized/regularized.h"

/* ---- parameters ------------------------------------------------------------------------------ */

/* Returns the value of an option that has two names, of which one may be set. */
static int read_either(const VidaOptions* options, const char* name, const char* other,
                       double factor, double* value, VidaError* error) {
  *value = VidaOptions_Get(options, name);
  if (VidaOptions_IsSet(options, other)) {
    *value = factor * VidaOptions_Get(options, other);
    if (VidaOptions_IsSet(options, name)) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: give either %s or %s, not both",
                        VidaOptions_Method(options), name, other);
    }
  }
  return VIDA_SUCCESS;
}

typedef struct relaxation {
  bool has_damping; /* the method has */
  double compliance, damping_time, mobility;
} relaxation;

static int read_options(const VidaOptions* options, double h, relaxation* common,
                        VidaError* error) {
  int code = read_either(options, "compliance", "epsilon", 1.0, &common->compliance, error);
  common->has_damping = vida__has_option(options, "damping_time");
  common->damping_time = NAN;
  common->mobility = 0.0;
  if (!code && common->has_damping) {
    code = read_either(options, "damping_time", "tau_over_h", h, &common->damping_time, error);
  }
  if (!code && common->damping_time == 0.0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: %s: expected a positive number, got 0; without it, constraints with "
                      "compliance are not damped",
                      VidaOptions_Method(options),
                      VidaOptions_IsSet(options, "tau_over_h") ? "tau_over_h" : "damping_time");
  }
  if (!code && vida__has_option(options, "mobility")) {
    code = read_either(options, "mobility", "gamma", 1.0, &common->mobility, error);
  }
  return code;
}

int vida__regularized_check(const VidaOptions* options, VidaError* error) {
  relaxation unused;
  return read_options(options, VidaOptions_Get(options, "h"), &unused, error);
}

static int relax_row(VidaIntegration* self, const relaxation* common, double h, int r,
                     VidaError* error) {
  vida_regularized_state* own = self->state;
  const vida_row* row = &self->model.system->rows[r];
  if (row->is_nonholonomic) {
    own->share[r] = 0.0;
    own->is_averaged[r] = false;
    own->softness[r] = (isnan(row->compliance) ? common->mobility : row->compliance) / h;
    return VIDA_SUCCESS;
  }
  const double compliance = isnan(row->compliance) ? common->compliance : row->compliance;
  double damping = isnan(row->damping_time) ? common->damping_time : row->damping_time;
  if (isnan(damping)) {
    damping = common->has_damping && compliance == 0.0 ? 2.0 * h : 0.0;
  }
  if (!common->has_damping && damping > 0.0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s has no damping, and does not accept the damping time of constraint '%s'; "
                      "these can: spook, spook-newton",
                      self->method->info.name, row->name);
  }
  own->share[r] = 1.0 / (1.0 + 4.0 * damping / h);
  own->softness[r] = 4.0 * own->share[r] * compliance / (h * h);
  own->is_averaged[r] = compliance > 0.0 || damping > 0.0;
  return VIDA_SUCCESS;
}

/* Relaxed rows are determined even if they depend on others. */
static void reduce_redundancy(VidaIntegration* self) {
  const vida_regularized_state* own = self->state;
  const int* dependent = NULL;
  const int count = vida__dependent_rows(self, &dependent);
  self->model.redundant = false;
  for (int i = 0; i < count; i++) {
    self->model.redundant = self->model.redundant || own->softness[dependent[i]] == 0.0;
  }
  self->model.has_open_reactions = self->model.has_open_reactions && self->model.redundant;
  if (self->implicit.map && !self->model.redundant) {
    vida__map_set_redundancy(self->implicit.map, NULL);
  }
}

static int relax_rows(VidaIntegration* self, double h, VidaError* error) {
  relaxation common;
  const bool* is_averaged = ((const vida_regularized_state*)self->state)->is_averaged;
  int code = read_options(self->options, h, &common, error);
  self->is_relaxed_row = false;
  for (int r = 0; r < self->model.m && !code; r++) {
    code = relax_row(self, &common, h, r, error);
    self->is_relaxed_row = self->is_relaxed_row || is_averaged[r];
  }
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

static vida_regularized_state* allocate_state(const VidaIntegration* self) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries =
      self->model.system->nonholonomic ? (size_t)self->model.system->entry_count : 0;
  const size_t numbers = 4 * n + 9 * m + 2 * entries;
  vida_regularized_state* own =
      vida__allocate(1, sizeof *own + numbers * sizeof(double) + m * sizeof(bool));
  if (!own) {
    return NULL;
  }
  const vida_array arrays[] = {{&own->share, m},       {&own->softness, m}, {&own->v, n},
                               {&own->next, n + m},    {&own->change, n},   {&own->next_rise, m},
                               {&own->rise, m},        {&own->rate, m},     {&own->row_rate, m},
                               {&own->work, n + m},    {&own->yielding, m}, {&own->rows, entries},
                               {&own->slopes, entries}};
  own->numbers = numbers;
  own->is_averaged =
      (bool*)vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  return own;
}

/* The next step is known for the velocity at the node, and belongs to the state. */
static void keep_state(VidaIntegration* self, vida_regularized_state* own) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  /* v, next, change, next_rise and rise */
  vida__keep_in_steps(self, own->v, (3 * n + 3 * m) * sizeof *own->v);
  vida__keep_in_steps(self, own->yielding, m * sizeof *own->yielding);
  vida__keep_in_steps(self, &own->has_next, sizeof own->has_next);
  vida__keep_in_steps(self, &own->kappa, sizeof own->kappa);
  vida__keep_in_steps(self, self->implicit.g_tracked, m * sizeof *self->implicit.g_tracked);
  vida__keep_in_steps(self, &self->implicit.has_tracked, sizeof self->implicit.has_tracked);
}

int vida__regularized_create(VidaIntegration* self, VidaError* error) {
  vida_regularized_state* own = allocate_state(self);
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  keep_state(self, own);
  self->implicit.prepare = vida__regularized_prepare;
  self->softness = own->softness;
  self->yielding = own->yielding;
  return relax_rows(self, VidaOptions_Get(self->options, "h"), error);
}

void vida__regularized_state_record(VidaIntegration* self, VidaRecord* record) {
  vida_regularized_state* own = self->state;
  VidaRecord_Reals(record, own->share, own->numbers);
  VidaRecord_Reals(record, &own->kappa, 1);
  vida__record_flags(record, own->is_averaged, (size_t)self->model.m);
  VidaRecord_Flag(record, &own->has_next);
  vida__spook_contacts_record(self, record);
}

/* ---- steps ----------------------------------------------------------------------------------- */

int vida__regularized_prepare(VidaIntegration* self, VidaError* error) {
  vida_regularized_state* own = self->state;
  own->kappa = self->node.step == 0 ? 0.5 : 1.0;
  if (own->has_next) {
    return VIDA_SUCCESS;
  }
  /* A linear step needs no guess and no scales. */
  return self->implicit.map ? vida__prepare_step(self, error) : vida__prepare_node(self, error);
}

/* Computes p = L_v - h L_q / 2: the first step adds h L_q, but only half of it belongs to the step.
 */
int vida__regularized_start(VidaIntegration* self, VidaError* error) {
  vida_regularized_state* own = self->state;
  int code = relax_rows(self, self->node.h, error);
  if (code) {
    return code;
  }
  reduce_redundancy(self);
  own->has_next = false;
  memcpy(own->v, self->node.v, (size_t)self->model.n * sizeof *own->v);
  code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                        self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n && !code; i++) {
    self->node.p[i] = self->work.l_v[i] - 0.5 * self->node.h * self->work.l_q[i];
  }
  code = code ? code
              : vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q,
                               self->work.entries);
  code =
      code ? code
           : vida__constraint_rate(&self->model.evaluator, self->node.t0, self->node.q, own->rate);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__add_constraint_velocity(self->model.system, self->work.entries, 1.0, self->node.v,
                                own->rate);
  return VIDA_SUCCESS;
}

/* Restores what contacts keep before the step; VidaStepper_Step restores the rest. */
void vida__regularized_undo(VidaIntegration* self) {
  vida__spook_contacts_undo(self);
  self->implicit.history.count = 0;
}

/* Computes the deflection: compliance, or h times mobility, times the larger of the forces before
 * and after the node. */
static void measure_yielding(VidaIntegration* self) {
  vida_regularized_state* own = self->state;
  const double h = self->node.h;
  for (int r = 0; r < self->model.m; r++) {
    const double force = fmax(fabs(self->node.lambda[r]), fabs(own->next[self->model.n + r]) / h);
    const double share = self->model.system->rows[r].is_nonholonomic ? 1.0 : 4.0 * own->share[r];
    own->yielding[r] = own->softness[r] * h * h / share * force;
  }
}

/* Makes the step in own->next, and solves for the step after it, whose multipliers determine the
 * velocity at the new node. Fails if that step has no solution. */
static int commit(VidaIntegration* self, vida_find_next find_next, VidaError* error) {
  vida_regularized_state* own = self->state;
  const double* mu = own->next + self->model.n;
  vida__spook_contacts_keep(self);
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], own->change[i]);
  }
  vida__advance_positions(self, own->next);
  memcpy(own->v, own->next, (size_t)self->model.n * sizeof *own->v);
  memcpy(own->rise, own->next_rise, (size_t)self->model.m * sizeof *own->rise);
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = mu[r] / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self);
  own->has_next = false;
  self->node.step++;
  self->ahead = 1;
  int code = vida__regularized_prepare(self, error);
  code = code ? code : find_next(self, error);
  self->ahead = 0;
  self->node.step--;
  if (code) {
    vida__regularized_undo(self);
  } else {
    measure_yielding(self);
  }
  return code;
}

int vida__regularized_step(VidaIntegration* self, vida_find_next find_next, VidaError* error) {
  const int code = find_next(self, error);
  return code ? code : commit(self, find_next, error);
}

/* ---- what can be asked ----------------------------------------------------------------------- */

int vida__regularized_velocities(VidaIntegration* self, vida_find_next find_next, double* v,
                                 VidaError* error) {
  const vida_regularized_state* own = self->state;
  if (self->node.step == 0) {
    memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
    return VIDA_SUCCESS;
  }
  int code = vida__regularized_prepare(self, error);
  code = code ? code : find_next(self, error);
  for (int i = 0; i < self->model.n && !code; i++) {
    v[i] = 0.5 * (own->v[i] + own->next[i]);
  }
  return code;
}
