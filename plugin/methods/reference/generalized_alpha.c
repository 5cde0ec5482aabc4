/* Hilber, Hughes and Taylor's method and the generalized-alpha method for constrained systems, as
 * multibody codes have them: index 3, a fixed step, second order, damping of what is faster than
 * the step (Chung and Hulbert 1993; Arnold and Bruels 2007; Negrut, Rampalli, Ottarsson and Sajdak
 * 2007).
 *
 * It is written for momenta p = L_v(q,v), so that Lagrangians with any mass matrix need no third
 * derivatives: with s = L_q - G^T lambda and auxiliary rates a of v and r of p,
 *
 *     q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1),
 *     p1 = p0 + h ((1 - gamma) r0 + gamma r1),   g(q1) = 0,
 *     (1 - alpha_m) r1 + alpha_m r0 = (1 - alpha_f) s1 + alpha_f s0.
 *
 * Where the mass matrix M is constant, r = M a and this is the usual method. Unknowns are w = (q1 -
 * q0)/h and mu = h lambda1; the velocity is v1 = v_base + (gamma/beta) w. Rows of momenta are not
 * divided by h, and those of constraints are g/h, so that the Newton matrix does not depend on h as
 * h goes to 0 (Bottasso, Dopico and Trainelli 2008). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "system/constraints/equations.h"
#include "system/constraints/singular.h"

enum { MOST_CORRECTIONS = 8 };

typedef struct alpha_state {
  double alpha_m, alpha_f, beta, gamma;
  double ratio; /* gamma / beta */
  double share; /* gamma (1 - alpha_f) / (1 - alpha_m): how much of s1 is in p1 */
  bool projects;
  vida_equations* equations;
  /* n each: at the node, */
  double *v, *a, *p, *r, *s;
  /* and at the next one */
  double *v1, *a1, *p1, *s1;
  double* v_base;
  double* base;    /* n: what p1 has apart from `share` h s1 */
  double* jerk;    /* n: work */
  double* mu;      /* m: of the projection */
  double* solving; /* n + m: work */
  double* rows;    /* entries of a_q, for systems with nonholonomic rows */
  size_t numbers;  /* of all of these */
} alpha_state;

/* ---- the equations of a step ----------------------------------------------------------------- */

static void find_ends(VidaIntegration* self, const double* w) {
  const alpha_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    self->work.dq[i] = self->node.h * w[i];
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
    own->v1[i] = own->v_base[i] + own->ratio * w[i];
  }
}

/* Computes L_v(q1,v1) - base - share (h L_q - G^T mu), with G(q1) in self->work.entries. */
static int momentum_rows(VidaIntegration* self, const double* mu, double* r) {
  const alpha_state* own = self->state;
  const double t = vida__next_time(self);
  const double weight = own->share * self->node.h;
  vida__begin_reactions(self, mu, self->node.h);
  int code = vida__gradient(&self->model.evaluator, t, self->work.q1, own->v1, self->work.l_q, r);
  vida__end_reactions(self);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->work.q1, self->work.entries);
  for (int i = 0; i < self->model.n; i++) {
    r[i] -= own->base[i] + weight * self->work.l_q[i];
  }
  vida__add_reaction(self->model.system, self->work.entries, own->share, mu, r);
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const alpha_state* own = self->state;
  const double t = vida__next_time(self);
  double* rows = r + self->model.n;
  find_ends(self, u);
  int code = momentum_rows(self, u + self->model.n, r);
  if (code) {
    return code;
  }
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  code = vida__constraint_increment(&self->model.evaluator, t, &between, u, self->node.h,
                                    self->implicit.g0, self->work.entries, rows);
  for (int k = 0; k < self->model.m; k++) {
    rows[k] += self->implicit.g0[k] / self->node.h;
  }
  return code || !self->model.system->nonholonomic
             ? code
             : vida__nonholonomic(&self->model.evaluator, t, self->work.q1, own->v1, rows);
}

/* Adds second derivatives with these weights, and those of share (h f - G^T mu) with respect to mu,
 * but for G. */
static int add_derivatives(VidaIntegration* self, vida_hessian_weights weights, const double* mu,
                           double* matrix) {
  const alpha_state* own = self->state;
  const double t = vida__next_time(self);
  vida_evaluator* evaluator = &self->model.evaluator;
  vida__begin_reactions(self, mu, self->node.h);
  int code = vida__add_hessian(evaluator, t, self->work.q1, own->v1, weights, matrix);
  if (!code && self->model.reactions) {
    code = vida__add_reactive_columns(evaluator, t, self->work.q1, own->v1, -own->share, matrix);
  }
  vida__end_reactions(self);
  return code;
}

/* Writes the derivatives of nonholonomic rows with respect to w into the entries of G. */
static int replace_nonholonomic_entries(VidaIntegration* self) {
  alpha_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int code = vida__nonholonomic_gradient(&self->model.evaluator, vida__next_time(self),
                                               self->work.q1, own->v1, own->rows);
  for (int e = 0; e < system->entry_count && !code; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      self->work.entries[e] = own->ratio * self->work.entries[e] + self->node.h * own->rows[e];
    }
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const alpha_state* own = self->state;
  const double t = vida__next_time(self);
  const double h = self->node.h;
  const vida_hessian_weights weights = {-own->share * h * h, -own->share * h * own->ratio, h,
                                        own->ratio};
  find_ends(self, u);
  int code = add_derivatives(self, weights, u + self->model.n, matrix);
  code = code ? code
              : vida__add_curvature(&self->model.evaluator, t, self->work.q1, own->share * h,
                                    u + self->model.n, matrix);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->work.q1, self->work.entries);
  if (code) {
    return code;
  }
  vida__add_columns(self->model.system, self->work.entries, own->share, matrix);
  if (self->model.system->nonholonomic) {
    code = replace_nonholonomic_entries(self);
  }
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  return code;
}

/* Velocities at the end are the difference of two velocities that are `ratio` times as large. */
static void find_sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const alpha_state* own = self->state;
  vida__step_sizes(data, u, size);
  for (int i = 0; i < self->model.n; i++) {
    size[i] *= own->ratio;
  }
}

static void prepare_bases(VidaIntegration* self) {
  alpha_state* own = self->state;
  const double h = self->node.h;
  const double of_r = h * (1.0 - own->gamma - own->gamma * own->alpha_m / (1.0 - own->alpha_m));
  const double of_s = h * own->gamma * own->alpha_f / (1.0 - own->alpha_m);
  for (int i = 0; i < self->model.n; i++) {
    const double mean = own->v[i] + h * (0.5 - own->beta) * own->a[i];
    own->v_base[i] = own->v[i] + h * (1.0 - own->gamma) * own->a[i] - own->ratio * mean;
    own->base[i] = own->p[i] + of_r * own->r[i] + of_s * own->s[i];
  }
}

/* ---- projection of the velocity -------------------------------------------------------------- */

/* Computes v1 and mu of the same step with g(q1) = 0 replaced by G v1 + g_t = 0, at the positions
 * of the solution and from the current values (Jay and Negrut 2007; the stabilized index 2 form of
 * Arnold, Bruels and Cardona 2015, with one equation solved after the other). */
static int velocity_residual(VidaIntegration* self, double* r, double* largest) {
  alpha_state* own = self->state;
  const double t = vida__next_time(self);
  double* rows = r + self->model.n;
  double motion = 0.0;
  int code = momentum_rows(self, own->mu, r);
  code = code ? code : vida__constraint_rate(&self->model.evaluator, t, self->work.q1, rows);
  vida__add_constraint_velocity(self->model.system, self->work.entries, 1.0, own->v1, rows);
  *largest = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    motion = fmax(motion, fabs(own->v1[i]) * self->model.root_mass[i]);
    *largest = fmax(*largest, fabs(r[i]) * self->model.inverse_root[i]);
  }
  for (int k = 0; k < self->model.m; k++) {
    *largest = fmax(*largest, fabs(rows[k]) / self->model.row_stiffness[k]);
  }
  motion = fmax(motion, self->implicit.scaled_for);
  *largest /= motion > 0.0 ? motion : 1.0;
  return code;
}

static int factor_velocity_matrix(VidaIntegration* self) {
  const alpha_state* own = self->state;
  const vida_hessian_weights weights = {0.0, -own->share * self->node.h, 0.0, 1.0};
  double* matrix = self->model.node_matrix->values;
  vida__linear_clear(self->model.node_matrix);
  const int code = add_derivatives(self, weights, own->mu, matrix);
  vida__add_columns(self->model.system, self->work.entries, own->share, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  for (int k = 0; k < self->model.m && self->model.redundant; k++) {
    matrix[vida__constraint_diagonal(self->model.system, k)] -= self->model.redundancy[k];
  }
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

static int project_velocity(VidaIntegration* self, VidaError* error) {
  alpha_state* own = self->state;
  double* step = own->solving;
  double left = INFINITY;
  double before = INFINITY;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < MOST_CORRECTIONS && !code; k++) {
    code = velocity_residual(self, step, &left);
    if (code || left < 4e-16 || (left < 1e-12 && left >= before)) {
      break;
    }
    before = left;
    code = k == 0 || !self->model.system->separable ? factor_velocity_matrix(self) : code;
    code = code ? code : vida__linear_solve(self->model.node_matrix, step, step);
    for (int i = 0; i < self->model.n && !code; i++) {
      own->v1[i] -= step[i];
    }
    for (int r = 0; r < self->model.m && !code; r++) {
      own->mu[r] -= step[self->model.n + r];
    }
  }
  if (code == VIDA_STEP_SINGULAR || (!code && !(left < 1e-9))) {
    char step_name[VIDA_STEP_NAME_SIZE];
    return vida__fail(
        error, code ? code : VIDA_STEP_NOT_CONVERGED,
        "%s: the velocity could not be projected onto the hidden constraints; try a smaller step",
        vida__name_step(self, step_name));
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Computes s1 and p1 at (q1,v1) with mu, and a1. */
static int find_next_state(VidaIntegration* self) {
  alpha_state* own = self->state;
  const double t = vida__next_time(self);
  const double h = self->node.h;
  double sum = 0.0;
  vida__begin_reactions(self, own->mu, h);
  int code = vida__gradient(&self->model.evaluator, t, self->work.q1, own->v1, own->s1, own->p1);
  vida__end_reactions(self);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->work.q1, self->work.entries);
  vida__add_reaction(self->model.system, self->work.entries, -1.0 / h, own->mu, own->s1);
  for (int i = 0; i < self->model.n; i++) {
    own->a1[i] = (own->v1[i] - own->v[i] - h * (1.0 - own->gamma) * own->a[i]) / (h * own->gamma);
    sum += 0.0 * (own->v1[i] + own->a1[i] + own->s1[i] + own->p1[i]);
  }
  return code ? code : sum == 0.0 ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

static void accept(VidaIntegration* self) {
  alpha_state* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof *own->v;
  for (int i = 0; i < self->model.n; i++) {
    own->r[i] =
        ((1.0 - own->alpha_f) * own->s1[i] + own->alpha_f * own->s[i] - own->alpha_m * own->r[i]) /
        (1.0 - own->alpha_m);
  }
  memcpy(own->v, own->v1, bytes);
  memcpy(own->a, own->a1, bytes);
  memcpy(own->s, own->s1, bytes);
  memcpy(own->p, own->p1, bytes);
  memcpy(self->node.p, own->p1, bytes);
  memcpy(self->node.v, own->v1, bytes);
}

/* Computes lambda1 = mu / h; for dependent rows, of least norm at the point where they act. */
static int take_multipliers(VidaIntegration* self, VidaError* error) {
  const alpha_state* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = own->mu[r] / self->node.h;
  }
  self->node.lambda_t = vida__next_time(self);
  if (!self->model.redundant) {
    return VIDA_SUCCESS;
  }
  int code = vida__factor_node_matrix(self, self->work.entries, own->v1);
  code = code ? code : vida__find_least_norm(self, self->work.entries, self->node.lambda);
  if (code) {
    return vida__fail(error, code, "the multipliers of dependent constraints were not found");
  }
  memcpy(self->node.lambda, self->model.least_norm,
         (size_t)self->model.m * sizeof *self->node.lambda);
  return VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  alpha_state* own = self->state;
  prepare_bases(self);
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  find_ends(self, self->implicit.unknown);
  memcpy(own->mu, self->implicit.unknown + self->model.n, (size_t)self->model.m * sizeof *own->mu);
  if (own->projects && self->model.m > 0) {
    code = project_velocity(self, error);
    if (code) {
      return code;
    }
  }
  code = find_next_state(self);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = take_multipliers(self, error);
  code = code ? code : vida__check_branch(self, self->work.q1, error);
  if (code) {
    return code;
  }
  vida__advance_positions(self, self->implicit.unknown);
  accept(self);
  return VIDA_SUCCESS;
}

/* The velocity is projected only on request: its drift is a property of the method. */
static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Computes a, lambda (into own->mu) and s at the time t0 + distance, along the first terms of the
 * motion. */
static int find_rates(VidaIntegration* self, double distance, const double* a0, double* a,
                      double* s) {
  alpha_state* own = self->state;
  const double t = self->node.t0 + distance;
  for (int i = 0; i < self->model.n; i++) {
    const double bend = distance != 0.0 ? distance * a0[i] : 0.0;
    self->work.q1[i] = self->node.q[i] + distance * (self->node.v[i] + 0.5 * bend);
    own->v1[i] = self->node.v[i] + bend;
  }
  int code = vida__equations_find(own->equations, t, self->work.q1, own->v1, NULL, a, own->mu);
  if (code) {
    memcpy(&self->model.evaluator.error, &vida__equations_evaluator(own->equations)->error,
           sizeof self->model.evaluator.error);
    return code;
  }
  vida__begin_reactions(self, own->mu, 1.0);
  code = vida__gradient(&self->model.evaluator, t, self->work.q1, own->v1, s, self->work.l_v);
  vida__end_reactions(self);
  vida__add_reaction(self->model.system, vida__equations_jacobian(own->equations), -1.0, own->mu,
                     s);
  return code;
}

/* Computes the part of x (n) across the holonomic constraints, M^-1 G^T (G M^-1 G^T)^-1 G x. */
static int take_part_across(VidaIntegration* self, double* x) {
  alpha_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  double* side = own->solving;
  int code = vida__equations_factor(own->equations, self->node.t0, self->node.q, self->node.v);
  memset(side, 0, (size_t)(n + self->model.m) * sizeof *side);
  vida__add_constraint_velocity(system, vida__equations_jacobian(own->equations), 1.0, x, side + n);
  for (int r = 0; r < self->model.m; r++) {
    side[n + r] = system->rows[r].is_nonholonomic ? 0.0 : side[n + r];
  }
  code = code ? code : vida__equations_solve(own->equations, side, side);
  memcpy(x, side, (size_t)n * sizeof *x);
  return code;
}

/* a and r belong to the time t0 + (alpha_m - alpha_f) h, and v has the error of second order that
 * velocities across constraints have in all steps (Arnold, Bruels and Cardona 2015). Otherwise
 * multipliers are of first order until the difference is damped out. */
static int start_rates(VidaIntegration* self) {
  alpha_state* own = self->state;
  const double h = self->node.h;
  const double shift = own->alpha_m - own->alpha_f;
  const double distance = h / 16.0;
  const double local = 1.0 / 6.0 - 0.5 * shift - own->beta;
  double* a0 = own->a;
  int code = vida__equations_mark(own->equations, self->node.t0, self->node.q, self->node.v);
  code = code ? code : find_rates(self, 0.0, NULL, a0, own->s);
  code = code ? code : find_rates(self, distance, a0, own->jerk, own->r);
  code = code ? code : find_rates(self, -distance, a0, own->a1, own->s1);
  for (int i = 0; i < self->model.n && !code; i++) {
    own->jerk[i] = (own->jerk[i] - own->a1[i]) / (2.0 * distance);
    own->r[i] = own->s[i] + shift * h * (own->r[i] - own->s1[i]) / (2.0 * distance);
    own->a[i] += shift * h * own->jerk[i];
    own->v[i] = self->node.v[i];
  }
  if (!code && self->model.m > 0 && !own->projects) {
    code = take_part_across(self, own->jerk);
    for (int i = 0; i < self->model.n && !code; i++) {
      own->v[i] += local * h * h * own->jerk[i];
    }
  }
  return code;
}

static int start(VidaIntegration* self, VidaError* error) {
  alpha_state* own = self->state;
  int code = start_rates(self);
  code = code ? code
              : vida__momenta(&self->model.evaluator, self->node.t0, self->node.q, own->v,
                              self->work.l_q, own->p);
  code = code ? code
              : vida__momenta(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                              self->work.l_q, self->node.p);
  const bool is_told = self->model.reactions && *self->model.evaluator.error.message;
  if (code == VIDA_STEP_SINGULAR && !is_told) {
    vida__fail(error, code,
               "%s cannot start: the accelerations of system '%s' could not be computed, since its "
               "mass matrix and constraints form a singular matrix",
               self->method->info.name, self->model.system->name);
    if (error) {
      vida__append_singular(self->model.system, self->model.node_matrix->values, error->message,
                            VIDA_MESSAGE_SIZE);
    }
    return code;
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries =
      self->model.system->nonholonomic ? (size_t)self->model.system->entry_count : 0;
  const size_t numbers = 13 * n + 2 * m + entries;
  alpha_state* own = vida__allocate(1, sizeof *own + numbers * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->numbers = numbers;
  double** const of_n[] = {&own->v,  &own->a,  &own->p,  &own->r,      &own->s,    &own->v1,
                           &own->a1, &own->p1, &own->s1, &own->v_base, &own->base, &own->jerk};
  double* next = (double*)(own + 1);
  for (size_t i = 0; i < sizeof of_n / sizeof of_n[0]; i++, next += n) {
    *of_n[i] = next;
  }
  own->mu = next;
  own->solving = own->mu + m;
  own->rows = own->solving + n + m;
  self->state = own;
  vida__keep_in_steps(self, own->v, 5 * n * sizeof *own->v); /* a, p, r, s */
  self->reacts_between = true;
  self->reports_motion = true; /* before it takes the step into its own state */
  own->projects = VidaOptions_HasChoice(self->options, "projection", "velocity");
  const int code =
      vida__equations_create(self->model.system, VIDA_SOLVER_AUTO, &own->equations, error);
  vida__follow_equations(self, own->equations);
  return code;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  alpha_state* own = self->state;
  VidaRecord_Reals(record, own->v, own->numbers);
  vida__equations_record(own->equations, record);
}

/* Computes gamma and beta for second order and the strongest damping of very fast components. */
static void set_parameters(alpha_state* own, double alpha_m, double alpha_f) {
  const double damping = alpha_f - alpha_m;
  own->alpha_m = alpha_m;
  own->alpha_f = alpha_f;
  own->gamma = 0.5 + damping;
  own->beta = 0.25 * (1.0 + damping) * (1.0 + damping);
  own->ratio = own->gamma / own->beta;
  own->share = own->gamma * (1.0 - alpha_f) / (1.0 - alpha_m);
}

/* Without damping the index-3 form is unstable: multipliers grow from the first step. */
static int check_damping(const VidaIntegration* self, bool is_damped, const char* option,
                         VidaError* error) {
  const VidaSystem* system = self->model.system;
  const alpha_state* own = self->state;
  return is_damped || own->projects || system->row_count == 0
             ? VIDA_SUCCESS
             : vida__fail(
                   error, VIDA_NOT_SUPPORTED,
                   "%s without damping (%s) makes the multipliers of constraints, such as '%s' of "
                   "system '%s', grow without bound; add damping, or set projection = velocity",
                   self->method->info.name, option, system->rows[0].name, system->name);
}

static int create_generalized_alpha(VidaIntegration* self, VidaError* error) {
  const double rho = VidaOptions_Get(self->options, "rho");
  const int code = allocate(self, error);
  if (!code) {
    set_parameters(self->state, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
  }
  return code ? code : check_damping(self, rho < 1.0, "rho = 1", error);
}

static int create_hht(VidaIntegration* self, VidaError* error) {
  const double alpha = VidaOptions_Get(self->options, "alpha");
  const int code = allocate(self, error);
  if (!code) {
    set_parameters(self->state, 0.0, -alpha);
  }
  return code ? code : check_damping(self, alpha < 0.0, "alpha = 0", error);
}

static void destroy(VidaIntegration* self) {
  alpha_state* own = self->state;
  if (own) {
    vida__equations_destroy(&own->equations);
  }
}

#define PROJECTION_ROW                                                                      \
  {                                                                                         \
    "projection", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "none|velocity",            \
        "velocity: velocities and multipliers of a step are computed from the hidden "      \
        "constraints, "                                                                     \
        "at "                                                                               \
        "its positions; none: velocities across constraints have an error of second order." \
  }

static const VidaOptionRow hht_options[] = {
    {"alpha", VIDA_OPTION_REAL, "1", -0.1, -1.0 / 3.0, 0.0, false, NULL,
     "Damping, from 0 (none; constraints then need projection = velocity) to -1/3. Components much "
     "faster than the step shrink by (1 + alpha)/(1 - alpha) per step."},
    PROJECTION_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow alpha_options[] = {
    {"rho", VIDA_OPTION_REAL, "1", 0.8, 0.0, 1.0, false, NULL,
     "Spectral radius at infinity: the factor by which components much faster than the step shrink "
     "per step, from 1 (no damping; constraints then need projection = velocity) to 0 (at once)."},
    PROJECTION_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const char limits[] =
    "Stability of linear systems does not limit the step: oscillations faster than the step are "
    "damped. They should be small at the start, since their velocities first grow by step times "
    "frequency. Slow motion loses energy at third order in the step. Without projection = "
    "velocity, rods must turn by less than about 1 - r radians per step, where r is the spectral "
    "radius at infinity: otherwise the multipliers, and with them the energy, grow without bound. "
    "With it, by less than about a right angle.";

enum {
  ALPHA_CAPABILITIES = VIDA_CAN_POSITION_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                       VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC | VIDA_CAN_REACTIVE_FORCES
};

const VidaMethod vida__hht = {
    .size = sizeof(VidaMethod),
    .info = {"hht", "Hilber-Hughes-Taylor method, index 3",
             "Hilber, Hughes and Taylor 1977; Negrut et al. 2007", limits, 2, ALPHA_CAPABILITIES},
    .remedy = {.option = "projection", .value = "velocity"},
    .options = hht_options,
    .equations = {residual, jacobian, find_sizes, vida__guess_free_flight},
    .create = create_hht,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .destroy = destroy};

const VidaMethod vida__generalized_alpha = {
    .size = sizeof(VidaMethod),
    .info = {"generalized-alpha", "generalized-alpha method of Chung and Hulbert, index 3",
             "Chung and Hulbert 1993; Arnold and Bruels 2007", limits, 2, ALPHA_CAPABILITIES},
    .remedy = {.option = "projection", .value = "velocity"},
    .options = alpha_options,
    .equations = {residual, jacobian, find_sizes, vida__guess_free_flight},
    .create = create_generalized_alpha,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .destroy = destroy};
