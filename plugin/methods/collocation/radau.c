/* radau: Radau IIA of order 5 for constrained systems (radau.h), with fixed steps or with steps of
 * its own choice: an embedded formula of order 3, filtered by the matrix of one stage, and the
 * predictive controller of Gustafsson (Hairer and Wanner, Solving Ordinary Differential Equations
 * II, section IV.8). Steps of its own end on the nodes exactly: there the state satisfies both
 * levels of constraints, as no polynomial in between does. */
#include "methods/collocation/radau.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "base/text.h"
#include "solve/work_forecast.h"
#include "stepper/integration.h"
#include "stepper/method_options.h"

/* Constants of the step size control, as in the code of Hairer and Wanner. */
static const double safety = 0.9;
static const double largest_growth = 8.0;
static const double largest_shrink = 5.0;
static const double smallest_error = 1e-2; /* that the prediction takes for true */
static const double after_failure = 0.25;
static const double after_first_rejection = 0.1;
/* A prediction further than this beyond the last step is none. */
static const double furthest_prediction = 4.0;

/* ---- guesses --------------------------------------------------------------------------------- */

static double basis(int j, double x) {
  double value = 1.0;
  for (int k = 0; k < VIDA_RADAU_STAGES; k++) {
    value *= k == j ? 1.0 : (x - vida__radau_c[k]) / (vida__radau_c[j] - vida__radau_c[k]);
  }
  return value;
}

/* Extrapolates the polynomials of the last step. */
static void extrapolate(const VidaIntegration* self, double* u) {
  const vida_radau* own = self->state;
  const double ratio = own->h / own->last_h;
  const int impulses = 2 * self->model.n;
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    double weight[VIDA_RADAU_STAGES];
    double* to = u + i * own->block;
    for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
      weight[j] = basis(j, 1.0 + ratio * vida__radau_c[i]);
    }
    for (int k = 0; k < own->block; k++) {
      double sum = 0.0;
      for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
        sum += weight[j] * own->last[j * own->block + k];
      }
      to[k] = k >= impulses && k < impulses + self->model.m ? ratio * sum : sum;
    }
    /* The undetermined part of the multipliers of dependent constraints would grow from step to
     * step. */
    if (self->model.redundant) {
      memset(to + impulses, 0, 2 * (size_t)self->model.m * sizeof *to);
    }
  }
}

/* Guess from the accelerations and multipliers at the start, before the first step. */
static void guess_start(const VidaIntegration* self, double* u) {
  const vida_radau* own = self->state;
  const int n = self->model.n;
  memset(u, 0, (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *u);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    double* stage = u + i * own->block;
    for (int k = 0; k < n; k++) {
      stage[k] = self->node.v[k] + vida__radau_c[i] * own->h * own->a0[k];
      stage[n + k] = stage[k];
    }
    for (int r = 0; r < self->model.m && !self->model.redundant; r++) {
      stage[2 * n + r] = own->h * own->lambda0[r];
    }
  }
}

/* Guess from the velocities at the node, without constraint forces, unless others depend on them.
 */
static void guess_again(void* data, double* u) {
  const VidaIntegration* self = data;
  const vida_radau* own = self->state;
  memset(u, 0, (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *u);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    memcpy(u + i * own->block, self->node.v, (size_t)self->model.n * sizeof *u);
    memcpy(u + i * own->block + self->model.n, self->node.v, (size_t)self->model.n * sizeof *u);
    for (int r = 0; r < self->model.m && self->model.reactions; r++) {
      u[i * own->block + 2 * self->model.n + r] = own->h * own->lambda0[r];
    }
  }
}

static void guess(VidaIntegration* self) {
  vida_radau* own = self->state;
  const bool is_start = self->node.step == 0 && own->t == self->node.t0;
  if (own->last_h > 0.0 && own->h <= furthest_prediction * own->last_h) {
    extrapolate(self, own->unknown);
  } else if (is_start) {
    guess_start(self, own->unknown);
  } else {
    guess_again(self, own->unknown);
  }
}

/* ---- one solve ------------------------------------------------------------------------------- */

static void set_scales(VidaIntegration* self) {
  const vida_radau* own = self->state;
  const int n = self->model.n;
  double motion = vida__measure_motion(self);
  for (int k = 0; k < self->model.m && own->last_h > 0.0; k++) {
    const double mu = own->last[2 * own->block + 2 * n + k] * own->h / own->last_h;
    motion = fmax(motion, fabs(mu) * self->model.row_stiffness[k]);
  }
  self->implicit.scaled_for = motion;
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const int first = i * own->block;
    for (int k = 0; k < n; k++) {
      const double root = self->model.root_mass[k];
      vida__map_set_size(self->implicit.map, first + k, motion * root, motion / root);
      vida__map_set_size(self->implicit.map, first + n + k, motion * root, motion / root);
    }
    for (int r = 0; r < self->model.m; r++) {
      const double size = vida__constraint_size(self, r, motion);
      const double unknown = motion / self->model.row_stiffness[r];
      vida__map_set_size(self->implicit.map, first + 2 * n + r, size, unknown);
      vida__map_set_size(self->implicit.map, first + 2 * n + self->model.m + r, size, unknown);
      own->row_scale[first + 2 * n + r] = own->row_scale[first + 2 * n + self->model.m + r] = size;
    }
    for (int k = 0; k < n; k++) {
      own->row_scale[first + k] = motion * self->model.root_mass[k];
    }
    vida__share_sizes(self->model.system, own->row_scale + first);
    memcpy(own->row_scale + first + n, own->row_scale + first, (size_t)n * sizeof(double));
  }
}

static void count(VidaIntegration* self) {
  const vida_radau* own = self->state;
  const vida_map* map = self->implicit.map;
  self->statistics.newton_iterations = own->iterations + vida__map_iterations(map);
  self->statistics.residual_evaluations = own->residuals + vida__map_residuals(map);
  self->statistics.jacobian_evaluations = own->jacobians + vida__map_jacobians(map);
  self->statistics.factorizations = own->factorizations + vida__map_jacobians(map);
}

/* Makes a step from own->t by own->h; functions that use self->node.h must use this length. */
static int solve(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  const double interval = self->node.h;
  own->is_evaluated = false;
  for (int k = 0; k < self->model.n; k++) {
    own->base[k] = self->node.p[k] + self->node.p_low[k];
  }
  guess(self);
  self->node.h = own->h;
  set_scales(self);
  int code = self->model.system->constant_mass ? VIDA_SUCCESS : vida__radau_find_metric(self);
  const bool has_metric = !code;
  const bool is_simplified = !vida__is_kinsol(self->options);
  code = code            ? code
         : is_simplified ? vida__radau_newton(self, own->unknown)
                         : VIDA_STEP_NOT_CONVERGED;
  /* If the simplified Newton method does not converge, the full one may. */
  const bool is_left = has_metric && code > 0;
  if (is_left) {
    own->is_evaluated = false;
    code = vida__map_solve(self->implicit.map, own->unknown, error);
  }
  self->node.h = interval;
  count(self);
  if (is_left && code) {
    return code;
  }
  code = code ? code : vida__radau_evaluate(self, own->unknown);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static void accept(VidaIntegration* self) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const int end = VIDA_RADAU_STAGES - 1;
  for (int k = 0; k < n; k++) {
    double change = 0.0;
    for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
      change += vida__radau_a[end][j] * own->push[j * n + k];
    }
    vida__add_compensated(&self->node.p[k], &self->node.p_low[k], change);
    vida__add_compensated(&self->node.q[k], &self->node.q_low[k], own->change[end * n + k]);
  }
  memcpy(self->node.v, own->unknown + end * own->block + n, (size_t)n * sizeof *self->node.v);
  memcpy(own->last, own->unknown, (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *own->last);
  own->last_h = own->h;
  own->t = own->t_next;
}

static int prepare_place(VidaIntegration* self) {
  const vida_radau* own = self->state;
  const int code = vida__constraints(&self->model.evaluator, own->t, self->node.q, self->node.q_low,
                                     self->implicit.g0);
  return code ? code
              : vida__jacobian(&self->model.evaluator, own->t, self->node.q,
                               self->implicit.entries0);
}

/* ---- steps of its own ------------------------------------------------------------------------ */

/* Returns the number by which h is divided after a step with this error. */
static double find_quotient(const vida_radau* own, double error, bool is_accepted) {
  double quotient = fmax(1.0 / largest_growth, fmin(largest_shrink, pow(error, 0.25) / safety));
  if (is_accepted && own->h_accepted > 0.0) {
    const double predicted =
        own->h_accepted / own->h * pow(error * error / own->error_accepted, 0.25) / safety;
    quotient = fmax(quotient, fmax(1.0 / largest_growth, fmin(largest_shrink, predicted)));
  }
  return quotient;
}

/* Returns the next step towards the end of the interval, without a tiny last one. */
static bool choose_step(VidaIntegration* self, double end) {
  vida_radau* own = self->state;
  const double left = end - own->t;
  const bool is_last = own->h_wanted >= left * (1.0 - 1e-10);
  own->h = is_last ? left : own->h_wanted > 0.5 * left ? 0.5 * left : own->h_wanted;
  own->t_next = is_last ? end : own->t + own->h;
  return own->h < own->h_wanted;
}

static void follow_accepted(VidaIntegration* self, double error, bool was_cut) {
  vida_radau* own = self->state;
  double next = own->h / find_quotient(own, error, true);
  next = own->was_rejected ? fmin(next, own->h) : next;
  /* A step that was shortened to end at a node does not limit the next step. */
  own->h_wanted = was_cut ? fmax(next, own->h_wanted) : next;
  own->h_accepted = own->h;
  own->error_accepted = fmax(smallest_error, error);
  own->was_rejected = false;
  self->statistics.steps++;
  self->statistics.forced_steps += was_cut ? 1 : 0;
}

static void follow_rejected(VidaIntegration* self, double error) {
  vida_radau* own = self->state;
  const bool is_first = own->h_accepted == 0.0;
  own->h_wanted =
      own->h * (is_first ? after_first_rejection : 1.0 / find_quotient(own, error, false));
  own->was_rejected = true;
  self->statistics.rejected_steps++;
}

static int fail_small(VidaIntegration* self, double err, const VidaError* reason,
                      VidaError* error) {
  const vida_radau* own = self->state;
  char t[VIDA_REAL_TEXT_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  char size[VIDA_REAL_TEXT_SIZE];
  vida__real_text(t, own->t, 10);
  vida__real_text(h, own->h, 3);
  if (reason->code) {
    return vida__fail_flag(error, reason->code, reason->flag,
                           "at t = %s no step succeeds down to h = %s: %s", t, h, reason->message);
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "STEP_TOO_SMALL",
                         "at t = %s the error is %s times the tolerance even with h = %s: the "
                         "motion has a jump or ends here, or rtol is below rounding",
                         t, vida__real_text(size, err, 3), h);
}

static int try_step(VidaIntegration* self, double* err, VidaError* error) {
  const vida_radau* own = self->state;
  const double* end = own->place + (VIDA_RADAU_STAGES - 1) * (ptrdiff_t)self->model.n;
  const double* v = self->implicit.unknown + (VIDA_RADAU_STAGES - 1) * (ptrdiff_t)own->block;
  int code = solve(self, error);
  code = code ? code : vida__radau_estimate_error(self, err, error);
  return code || *err > 1.0 ? code : vida__follow_motion(self, own->t_next, end, v, error);
}

/* Returns the smallest step that still changes the time. */
static double smallest_step(const VidaIntegration* self, double end) {
  return 16.0 * DBL_EPSILON * fmax(fabs(self->node.t0), fmax(fabs(end), self->node.h));
}

static int step_adaptively(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  const double end = vida__next_time(self);
  vida_work_forecast work = vida__expect_work(own->t, end, own->most_steps);
  while (own->t < end) {
    VidaError reason = {0};
    double err = 0.0;
    if (vida__interrupted(self, own->t)) {
      return VIDA_STOPPED; /* the frame says more */
    }
    const bool was_cut = choose_step(self, end);
    if (!vida__may_step(&work, own->t)) {
      return vida__fail_work(&work, "TOO_MUCH_WORK", &own->t, "increase max_steps or rtol", error);
    }
    int code = prepare_place(self);
    code = code ? vida__evaluation_failed(self, code, &reason) : try_step(self, &err, &reason);
    if (code < 0) {
      *error = reason;
      return code;
    }
    if (!code && err <= 1.0) {
      accept(self);
      follow_accepted(self, err, was_cut);
      continue;
    }
    if (own->h <= smallest_step(self, end)) {
      return fail_small(self, err, &reason, error);
    }
    if (code) {
      own->h_wanted = after_failure * own->h;
      own->was_rejected = true;
      self->statistics.rejected_steps++;
    } else {
      follow_rejected(self, err);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- a step and its preparation -------------------------------------------------------------- */

static int prepare(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  own->t = vida__node_time(self);
  if (!self->adaptive) {
    own->h = self->node.h;
    own->t_next = vida__next_time(self);
  } else {
    choose_step(self, vida__next_time(self));
  }
  const int code = prepare_place(self);
  own->is_evaluated = false;
  guess(self);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step_fixed(VidaIntegration* self, VidaError* error) {
  VidaError local = {0};
  const int code = solve(self, &local);
  if (code) {
    char name[VIDA_STEP_NAME_SIZE];
    char h[VIDA_REAL_TEXT_SIZE];
    return vida__fail_flag(
        error, code, local.flag, "%s: %s; try less than h = %s, or set rtol for adaptive steps",
        vida__name_step(self, name), local.message, vida__real_text(h, self->node.h, 6));
  }
  accept(self);
  return VIDA_SUCCESS;
}

static double first_step(const VidaIntegration* self);

static int step(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  const int code = self->adaptive ? step_adaptively(self, error) : step_fixed(self, error);
  if (code) {
    /* Restores the state at the node; the data of later steps are deleted. */
    own->last_h = 0.0;
    own->h_accepted = 0.0;
    own->h_wanted = self->adaptive ? first_step(self) : 0.0;
  }
  return code;
}

/* The velocity of the last stage satisfies the hidden constraints at the position of that stage,
 * which is the node except for the rounding of an angle that may have made many turns: projects it
 * to the node. */
static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  const size_t bytes = (size_t)self->model.n * sizeof *v;
  const double t = vida__node_time(self);
  memcpy(v, self->node.v, bytes);
  if (self->model.m == 0 || self->node.step == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  /* If the projection fails, the velocity of the stage is correct to the rounding of the angle. */
  if (vida__project_velocity(self, t, self->node.q, self->work.entries, self->node.p, v, NULL,
                             NULL)) {
    memcpy(v, self->node.v, bytes);
  }
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The first step: a fraction of the time in which positions and velocities change by their own
 * sizes. Error control does the rest. */
static double first_step(const VidaIntegration* self) {
  const vida_radau* own = self->state;
  double h = self->node.h;
  for (int k = 0; k < self->model.n; k++) {
    const double v = fabs(self->node.v[k]);
    const double a = fabs(own->a0[k]);
    if (own->position_scale[k] > 0.0) {
      h = v * h > own->position_scale[k] ? own->position_scale[k] / v : h;
      h = a * h * h > own->position_scale[k] ? sqrt(own->position_scale[k] / a) : h;
    }
    if (own->velocity_scale[k] > 0.0) {
      h = a * h > own->velocity_scale[k] ? own->velocity_scale[k] / a : h;
    }
  }
  return 0.1 * pow(own->rtol, 0.25) * h;
}

static int start(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  int code = vida__momenta(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                           self->work.l_q, self->node.p);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__equations_mark(own->equations, self->node.t0, self->node.q, self->node.v);
  code = code ? code
              : vida__equations_find(own->equations, self->node.t0, self->node.q, self->node.v,
                                     NULL, own->a0, own->lambda0);
  if (code) {
    return vida__equations_failed(own->equations, code, error);
  }
  own->last_h = own->h_accepted = own->error_accepted = 0.0;
  own->was_rejected = false;
  own->t = self->node.t0;
  own->h = self->node.h;
  if (self->adaptive) {
    memset(own->position_size, 0, bytes);
    memset(own->velocity_size, 0, bytes);
    memset(own->strength, 0, bytes);
    vida__radau_update_sizes(self, self->node.q, self->node.v);
    own->h_wanted = own->h = first_step(self);
  }
  own->t_next = own->t + own->h;
  own->is_evaluated = false;
  code = vida__radau_find_metric(self);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q,
                               self->implicit.entries0);
  if (!code) {
    guess_start(self, own->unknown);
    vida__radau_start_newton(self, own->unknown);
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* The arrays of `own`, laid out from `begin` on, or only counted (NULL). */
static size_t lay_out(const VidaIntegration* self, vida_radau* own, double* begin) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t matrix = (size_t)self->model.system->pattern.entries;
  const size_t stages = VIDA_RADAU_STAGES;
  const size_t block = 2 * (n + m);
  const vida_array arrays[] = {{&own->unknown, stages * block},
                               {&own->last, stages * block},
                               {&own->evaluated, stages * block},
                               {&own->mean, stages * n},
                               {&own->change, stages * n},
                               {&own->place, stages * n},
                               {&own->push, stages * n},
                               {&own->l_v, stages * n},
                               {&own->entries, stages * entries},
                               {&own->metric, matrix},
                               {&own->turn, entries},
                               {&own->frozen_entries, entries},
                               {&own->guess, stages * block},
                               {&own->kept, stages * block},
                               {&own->residual, stages * block},
                               {&own->mixed, stages * block},
                               {&own->row_size, stages * block},
                               {&own->row_scale, stages * block},
                               {&own->first, block},
                               {&own->second, block},
                               {&own->pairs, block},
                               {&own->trial, block},
                               {&own->eta, m},
                               {&own->stage_size, block},
                               {&own->base, n},
                               {&own->a0, n},
                               {&own->lambda0, m},
                               {&own->defect, block},
                               {&own->position_size, n},
                               {&own->velocity_size, n},
                               {&own->strength, n},
                               {&own->position_scale, n},
                               {&own->velocity_scale, n}};
  size_t total = vida__count_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  if (begin) {
    vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], begin);
  }
  for (int i = 0; i <= VIDA_RADAU_STAGES; i++) {
    vida_stage_blocks* blocks = i < VIDA_RADAU_STAGES ? &own->blocks[i] : &own->frozen;
    double** const parts[] = {&blocks->inner, &blocks->mixed_vq, &blocks->mixed_qv, &blocks->outer,
                              &blocks->bend};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++, total += matrix) {
      *parts[k] = begin ? begin + total : NULL;
    }
  }
  return total;
}

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaSystem* system = list;
  const int n = system->coordinate_count;
  const int m = system->row_count;
  const int place = row % (2 * (n + m));
  const bool is_constraint = place >= 2 * n;
  *kind = is_constraint ? "constraint" : "coordinate";
  return is_constraint ? system->rows[(place - 2 * n) % m].name
                       : system->coordinates[place % n].name;
}

static int check_size(const VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const double most = 18.0 * (double)system->pattern.entries;
  const double unknowns = 6.0 * (double)system->pattern.size;
  return fmax(most, unknowns) > (double)INT32_MAX
             ? vida__fail(error, VIDA_NOT_SUPPORTED,
                          "system '%s' is too large for radau: the Newton matrix of three stages "
                          "would have more than %d entries",
                          system->name, INT32_MAX)
             : VIDA_SUCCESS;
}

static int create(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const int block = 2 * system->pattern.size;
  const vida_solver solver = vida__solver_of(self->options);
  int code = check_size(self, error);
  if (code) {
    return code;
  }
  const size_t indices = vida__radau_pattern(system, NULL) + VIDA_RADAU_STAGES * (size_t)block + 1;
  vida_radau unused;
  const size_t numbers = lay_out(self, &unused, NULL);
  vida_radau* own =
      vida__allocate(1, sizeof *own + numbers * sizeof(double) + indices * sizeof(sunindextype));
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  lay_out(self, own, (double*)(own + 1));
  own->block = block;
  own->pattern.column_start = (sunindextype*)((double*)(own + 1) + numbers);
  own->pattern.row = own->pattern.column_start + VIDA_RADAU_STAGES * block + 1;
  vida__radau_pattern(system, &own->pattern);
  own->rtol = VidaOptions_Get(self->options, "rtol");
  own->most_steps = VidaOptions_Get(self->options, "max_steps");
  const vida_map_rows rows = {&own->pattern, &self->model.evaluator, name_of_row, system};
  self->implicit.rows = rows;
  self->implicit.prepare = prepare;
  self->reports_motion = self->adaptive;
  self->implicit.unknown = own->unknown;
  /* With rtol, the error test rejects these steps. With damping, steps over far turns are right.
   * Otherwise large steps lose energy, and the bounds of a lower degree are closer. */
  if (!self->adaptive) { /* what fixed steps are guessed from */
    const size_t size = (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *own->last;
    vida__keep_in_steps(self, own->last, size);
    vida__keep_in_steps(self, &own->last_h, sizeof own->last_h);
  }
  if (!self->adaptive && !system->has_forces) {
    vida__limit_turns(self, VIDA_RADAU_STAGES - 1);
  }
  code = vida__equations_create(system, solver, &own->equations, error);
  vida__follow_equations(self, own->equations);
  return code ? code : vida__radau_create_newton(self, error);
}

static void record_numbers(vida_radau* own, VidaRecord* record) {
  double* reals[] = {&own->t,          &own->h,        &own->t_next,     &own->last_h,
                     &own->factored_h, &own->h_wanted, &own->h_accepted, &own->error_accepted};
  int* counts[] = {&own->count,           &own->fresh_count, &own->spent,       &own->renewals,
                   &own->renewals_length, &own->pause,       &own->pause_length};
  long* sums[] = {&own->iterations, &own->residuals, &own->jacobians, &own->factorizations};
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    vida__record_integers(record, counts[k], 1, INT_MIN, INT_MAX);
  }
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    VidaRecord_Integer(record, sums[k], 0, LONG_MAX);
  }
  VidaRecord_Flag(record, &own->is_evaluated);
  VidaRecord_Flag(record, &own->is_fresh);
  VidaRecord_Flag(record, &own->was_rejected);
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  vida_radau* own = self->state;
  vida_radau unused;
  VidaRecord_Reals(record, (double*)(own + 1), lay_out(self, &unused, NULL));
  record_numbers(own, record);
  vida__equations_record(own->equations, record);
  vida__linear_record(own->real_matrix, record);
  vida__linear_record(own->metric_matrix, record);
  vida__linear_record(own->filter_matrix, record);
  vida__linear_record(own->filter_metric, record);
  vida__complex_record(own->complex_matrix, record);
}

static void destroy(VidaIntegration* self) {
  vida_radau* own = self->state;
  if (!own) {
    return;
  }
  vida__equations_destroy(&own->equations);
  vida__radau_destroy_newton(self);
}

static const VidaOptionRow common[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "Step size; with rtol, the interval between output states, at which steps end; by default "
     "comparisons choose it."},
    {"rtol", VIDA_OPTION_REAL, "1", NAN, 1e-15, 1.0, false, NULL,
     "Relative tolerance of the local error of positions and velocities, for adaptive steps; not "
     "set: fixed steps h."},
    VIDA_ATOL_ROW("0.01 rtol times the largest one of the unit"),
    VIDA_MAX_STEPS_ROW,
    VIDA_MAP_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__radau = {
    .size = sizeof(VidaMethod),
    .info = {"radau", "Radau IIA with three stages, on the stabilized form of index 2",
             "Hairer and Wanner 1996, IV.8 and VII.4; Gear, Gupta and Leimkuhler 1985",
             "Stability does not limit the step: oscillations faster than the step are damped at "
             "once, and energy is lost. Very large fixed steps have no solution, or one in which a "
             "rod turns too far, which ends the run; with rtol the error test rejects these.",
             5,
             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC | VIDA_CAN_ADAPTIVE |
                 VIDA_CAN_REACTIVE_FORCES},
    .common = common,
    .options = options,
    .equations = {vida__radau_residual, vida__radau_jacobian, vida__radau_sizes, guess_again},
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
