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
#include "stepper/branch_watch.h"
#include "stepper/jumps.h"
#include "system/constraints/singular.h"
#include "system/evaluate/equations.h"

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
} alpha_state;

/* ---- the equations of a step ----------------------------------------------------------------- */

static void find_ends(VidaStepper* stepper, const double* w) {
  const alpha_state* own = stepper->own;
  for (int i = 0; i < stepper->n; i++) {
    stepper->dq[i] = stepper->h * w[i];
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
    own->v1[i] = own->v_base[i] + own->ratio * w[i];
  }
}

/* L_v(q1,v1) - base - share (h L_q - G^T mu), with G(q1) left in stepper->entries. */
static int momentum_rows(VidaStepper* stepper, const double* mu, double* r) {
  const alpha_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  const double weight = own->share * stepper->h;
  int code = vida__gradient(&stepper->evaluator, t, stepper->q1, own->v1, stepper->l_q, r);
  code = code ? code : vida__jacobian(&stepper->evaluator, t, stepper->q1, stepper->entries);
  for (int i = 0; i < stepper->n; i++) {
    r[i] -= own->base[i] + weight * stepper->l_q[i];
  }
  vida__add_reaction(stepper->system, stepper->entries, own->share, mu, r);
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const alpha_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  double* rows = r + stepper->n;
  find_ends(stepper, u);
  int code = momentum_rows(stepper, u + stepper->n, r);
  if (code) {
    return code;
  }
  const vida_interval between =
      vida__interval(&stepper->evaluator, stepper->q, stepper->q1, stepper->dq);
  code = vida__constraint_increment(&stepper->evaluator, t, &between, u, stepper->h, stepper->g0,
                                    stepper->entries, rows);
  for (int k = 0; k < stepper->m; k++) {
    rows[k] += stepper->g0[k] / stepper->h;
  }
  return code || !stepper->system->nonholonomic
             ? code
             : vida__nonholonomic(&stepper->evaluator, t, stepper->q1, own->v1, rows);
}

/* Derivatives of nonholonomic rows with respect to w, among the entries of G. */
static int replace_nonholonomic_entries(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const int code = vida__nonholonomic_gradient(&stepper->evaluator, vida__next_time(stepper),
                                               stepper->q1, own->v1, own->rows);
  for (int e = 0; e < system->entry_count && !code; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      stepper->entries[e] = own->ratio * stepper->entries[e] + stepper->h * own->rows[e];
    }
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const alpha_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  const double h = stepper->h;
  const vida_hessian_weights weights = {-own->share * h * h, -own->share * h * own->ratio, h,
                                        own->ratio};
  find_ends(stepper, u);
  int code = vida__add_hessian(&stepper->evaluator, t, stepper->q1, own->v1, weights, matrix);
  code = code ? code
              : vida__add_curvature(&stepper->evaluator, t, stepper->q1, own->share * h,
                                    u + stepper->n, matrix);
  code = code ? code : vida__jacobian(&stepper->evaluator, t, stepper->q1, stepper->entries);
  if (code) {
    return code;
  }
  vida__add_columns(stepper->system, stepper->entries, own->share, matrix);
  if (stepper->system->nonholonomic) {
    code = replace_nonholonomic_entries(stepper);
  }
  vida__add_rows(stepper->system, stepper->entries, 1.0, matrix);
  return code;
}

/* Velocities at the end are the difference of two that are `ratio` times as large. */
static void find_sizes(void* data, const double* u, double* size) {
  const VidaStepper* stepper = data;
  const alpha_state* own = stepper->own;
  vida__step_sizes(data, u, size);
  for (int i = 0; i < stepper->n; i++) {
    size[i] *= own->ratio;
  }
}

static void prepare_bases(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
  const double h = stepper->h;
  const double of_r = h * (1.0 - own->gamma - own->gamma * own->alpha_m / (1.0 - own->alpha_m));
  const double of_s = h * own->gamma * own->alpha_f / (1.0 - own->alpha_m);
  for (int i = 0; i < stepper->n; i++) {
    const double mean = own->v[i] + h * (0.5 - own->beta) * own->a[i];
    own->v_base[i] = own->v[i] + h * (1.0 - own->gamma) * own->a[i] - own->ratio * mean;
    own->base[i] = own->p[i] + of_r * own->r[i] + of_s * own->s[i];
  }
}

/* ---- projection of the velocity -------------------------------------------------------------- */

/* The same step with g(q1) = 0 replaced by G v1 + g_t = 0, at the positions that were found: for v1
 * and mu, from what they are (Jay and Negrut 2007; the stabilized index 2 form of Arnold, Bruels
 * and Cardona 2015 with one equation solved after the other). */
static int velocity_residual(VidaStepper* stepper, double* r, double* largest) {
  alpha_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  double* rows = r + stepper->n;
  double motion = 0.0;
  int code = momentum_rows(stepper, own->mu, r);
  code = code ? code : vida__constraint_rate(&stepper->evaluator, t, stepper->q1, rows);
  vida__add_constraint_velocity(stepper->system, stepper->entries, 1.0, own->v1, rows);
  *largest = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    motion = fmax(motion, fabs(own->v1[i]) * stepper->root_mass[i]);
    *largest = fmax(*largest, fabs(r[i]) * stepper->inverse_root[i]);
  }
  for (int k = 0; k < stepper->m; k++) {
    *largest = fmax(*largest, fabs(rows[k]) / stepper->row_stiffness[k]);
  }
  motion = fmax(motion, stepper->scaled_for);
  *largest /= motion > 0.0 ? motion : 1.0;
  return code;
}

static int factor_velocity_matrix(VidaStepper* stepper) {
  const alpha_state* own = stepper->own;
  const vida_hessian_weights weights = {0.0, -own->share * stepper->h, 0.0, 1.0};
  double* matrix = stepper->node_matrix->values;
  vida__linear_clear(stepper->node_matrix);
  const int code = vida__add_hessian(&stepper->evaluator, vida__next_time(stepper), stepper->q1,
                                     own->v1, weights, matrix);
  vida__add_columns(stepper->system, stepper->entries, own->share, matrix);
  vida__add_rows(stepper->system, stepper->entries, 1.0, matrix);
  for (int k = 0; k < stepper->m && stepper->redundant; k++) {
    matrix[vida__constraint_diagonal(stepper->system, k)] -= stepper->redundancy[k];
  }
  return code ? code : vida__linear_factor(stepper->node_matrix);
}

static int project_velocity(VidaStepper* stepper, VidaError* error) {
  alpha_state* own = stepper->own;
  double* step = own->solving;
  double left = INFINITY;
  double before = INFINITY;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < MOST_CORRECTIONS && !code; k++) {
    code = velocity_residual(stepper, step, &left);
    if (code || left < 4e-16 || (left < 1e-12 && left >= before)) {
      break;
    }
    before = left;
    code = k == 0 || !stepper->system->separable ? factor_velocity_matrix(stepper) : code;
    code = code ? code : vida__linear_solve(stepper->node_matrix, step, step);
    for (int i = 0; i < stepper->n && !code; i++) {
      own->v1[i] -= step[i];
    }
    for (int r = 0; r < stepper->m && !code; r++) {
      own->mu[r] -= step[stepper->n + r];
    }
  }
  if (code == VIDA_STEP_SINGULAR || (!code && !(left < 1e-9))) {
    char step_name[VIDA_STEP_NAME_SIZE];
    return vida__fail(
        error, code ? code : VIDA_STEP_NOT_CONVERGED,
        "%s: the velocity could not be projected onto the hidden constraints; try a smaller step",
        vida__name_step(stepper, step_name));
  }
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* s1 and p1 at (q1,v1) with mu, and a1. */
static int find_next_state(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  const double h = stepper->h;
  double sum = 0.0;
  int code = vida__gradient(&stepper->evaluator, t, stepper->q1, own->v1, own->s1, own->p1);
  code = code ? code : vida__jacobian(&stepper->evaluator, t, stepper->q1, stepper->entries);
  vida__add_reaction(stepper->system, stepper->entries, -1.0 / h, own->mu, own->s1);
  for (int i = 0; i < stepper->n; i++) {
    own->a1[i] = (own->v1[i] - own->v[i] - h * (1.0 - own->gamma) * own->a[i]) / (h * own->gamma);
    sum += 0.0 * (own->v1[i] + own->a1[i] + own->s1[i] + own->p1[i]);
  }
  return code ? code : sum == 0.0 ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

static void accept(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
  const size_t bytes = (size_t)stepper->n * sizeof *own->v;
  for (int i = 0; i < stepper->n; i++) {
    own->r[i] =
        ((1.0 - own->alpha_f) * own->s1[i] + own->alpha_f * own->s[i] - own->alpha_m * own->r[i]) /
        (1.0 - own->alpha_m);
  }
  memcpy(own->v, own->v1, bytes);
  memcpy(own->a, own->a1, bytes);
  memcpy(own->s, own->s1, bytes);
  memcpy(own->p, own->p1, bytes);
  memcpy(stepper->p, own->p1, bytes);
  memcpy(stepper->v0, own->v1, bytes);
}

/* lambda1 = mu / h; of rows that depend on others, of least norm at the place they act at. */
static int take_multipliers(VidaStepper* stepper, VidaError* error) {
  const alpha_state* own = stepper->own;
  for (int r = 0; r < stepper->m; r++) {
    stepper->lambda[r] = own->mu[r] / stepper->h;
  }
  stepper->lambda_t = vida__next_time(stepper);
  if (!stepper->redundant) {
    return VIDA_SUCCESS;
  }
  int code = vida__factor_node_matrix(stepper, stepper->entries, own->v1);
  code = code ? code : vida__find_least_norm(stepper, stepper->entries, stepper->lambda);
  if (code) {
    return vida__fail(error, code, "the multipliers of dependent constraints were not found");
  }
  memcpy(stepper->lambda, stepper->least_norm, (size_t)stepper->m * sizeof *stepper->lambda);
  return VIDA_SUCCESS;
}

static int step(VidaStepper* stepper, VidaError* error) {
  alpha_state* own = stepper->own;
  prepare_bases(stepper);
  int code = vida__solve_step(stepper, error);
  if (code) {
    return code;
  }
  find_ends(stepper, stepper->unknown);
  memcpy(own->mu, stepper->unknown + stepper->n, (size_t)stepper->m * sizeof *own->mu);
  if (own->projects && stepper->m > 0) {
    code = project_velocity(stepper, error);
    if (code) {
      return code;
    }
  }
  code = find_next_state(stepper);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  code = take_multipliers(stepper, error);
  code = code ? code : vida__check_branch(stepper, stepper->q1, error);
  if (code) {
    return code;
  }
  vida__advance_positions(stepper, stepper->unknown);
  accept(stepper);
  return VIDA_SUCCESS;
}

/* Not projected unless it was asked for: its drift is that of the method. */
static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  (void)error;
  memcpy(v, stepper->v0, (size_t)stepper->n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* a, lambda (into own->mu) and s at the time t0 + distance along the motion's first terms. */
static int find_rates(VidaStepper* stepper, double distance, const double* a0, double* a,
                      double* s) {
  alpha_state* own = stepper->own;
  const double t = stepper->t0 + distance;
  for (int i = 0; i < stepper->n; i++) {
    const double bend = distance != 0.0 ? distance * a0[i] : 0.0;
    stepper->q1[i] = stepper->q[i] + distance * (stepper->v0[i] + 0.5 * bend);
    own->v1[i] = stepper->v0[i] + bend;
  }
  int code = vida__equations_find(own->equations, t, stepper->q1, own->v1, NULL, a, own->mu);
  if (code) {
    memcpy(&stepper->evaluator.error, &vida__equations_evaluator(own->equations)->error,
           sizeof stepper->evaluator.error);
    return code;
  }
  code = vida__gradient(&stepper->evaluator, t, stepper->q1, own->v1, s, stepper->l_v);
  vida__add_reaction(stepper->system, vida__equations_jacobian(own->equations), -1.0, own->mu, s);
  return code;
}

/* The part of x (n) across the holonomic constraints, M^-1 G^T (G M^-1 G^T)^-1 G x. */
static int take_part_across(VidaStepper* stepper, double* x) {
  alpha_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const int n = stepper->n;
  double* side = own->solving;
  int code = vida__equations_factor(own->equations, stepper->t0, stepper->q, stepper->v0);
  memset(side, 0, (size_t)(n + stepper->m) * sizeof *side);
  vida__add_constraint_velocity(system, vida__equations_jacobian(own->equations), 1.0, x, side + n);
  for (int r = 0; r < stepper->m; r++) {
    side[n + r] = system->rows[r].is_nonholonomic ? 0.0 : side[n + r];
  }
  code = code ? code : vida__equations_solve(own->equations, side, side);
  memcpy(x, side, (size_t)n * sizeof *x);
  return code;
}

/* a and r belong to the time t0 + (alpha_m - alpha_f) h, and v has the error, of second order, that
 * velocities across constraints have in the course of all steps (Arnold, Bruels and Cardona 2015):
 * otherwise multipliers are of first order until the difference has been damped out. */
static int start_rates(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
  const double h = stepper->h;
  const double shift = own->alpha_m - own->alpha_f;
  const double distance = h / 16.0;
  const double local = 1.0 / 6.0 - 0.5 * shift - own->beta;
  double* a0 = own->a;
  int code = vida__equations_mark(own->equations, stepper->t0, stepper->q, stepper->v0);
  code = code ? code : find_rates(stepper, 0.0, NULL, a0, own->s);
  code = code ? code : find_rates(stepper, distance, a0, own->jerk, own->r);
  code = code ? code : find_rates(stepper, -distance, a0, own->a1, own->s1);
  for (int i = 0; i < stepper->n && !code; i++) {
    own->jerk[i] = (own->jerk[i] - own->a1[i]) / (2.0 * distance);
    own->r[i] = own->s[i] + shift * h * (own->r[i] - own->s1[i]) / (2.0 * distance);
    own->a[i] += shift * h * own->jerk[i];
    own->v[i] = stepper->v0[i];
  }
  if (!code && stepper->m > 0 && !own->projects) {
    code = take_part_across(stepper, own->jerk);
    for (int i = 0; i < stepper->n && !code; i++) {
      own->v[i] += local * h * h * own->jerk[i];
    }
  }
  return code;
}

static int start(VidaStepper* stepper, VidaError* error) {
  alpha_state* own = stepper->own;
  int code = start_rates(stepper);
  code = code ? code
              : vida__gradient(&stepper->evaluator, stepper->t0, stepper->q, own->v, stepper->l_q,
                               own->p);
  code = code ? code
              : vida__gradient(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0,
                               stepper->l_q, stepper->p);
  if (code == VIDA_STEP_SINGULAR) {
    vida__fail(error, code,
               "%s cannot start: the accelerations of system '%s' could not be computed, since its "
               "mass matrix and constraints form a singular matrix",
               stepper->method->info.name, stepper->system->name);
    if (error) {
      vida__append_singular(stepper->system, stepper->node_matrix->values, error->message,
                            VIDA_MESSAGE_SIZE);
    }
    return code;
  }
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate(VidaStepper* stepper, VidaError* error) {
  const size_t n = (size_t)stepper->n;
  const size_t m = (size_t)stepper->m;
  const size_t entries = stepper->system->nonholonomic ? (size_t)stepper->system->entry_count : 0;
  alpha_state* own = vida__allocate(1, sizeof *own + (13 * n + 2 * m + entries) * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  double** const of_n[] = {&own->v,  &own->a,  &own->p,  &own->r,      &own->s,    &own->v1,
                           &own->a1, &own->p1, &own->s1, &own->v_base, &own->base, &own->jerk};
  double* next = (double*)(own + 1);
  for (size_t i = 0; i < sizeof of_n / sizeof of_n[0]; i++, next += n) {
    *of_n[i] = next;
  }
  own->mu = next;
  own->solving = own->mu + m;
  own->rows = own->solving + n + m;
  stepper->own = own;
  stepper->reacts_between = true;
  stepper->tells_watch = true; /* before it takes the step into its own state */
  own->projects = VidaOptions_HasChoice(stepper->options, "projection", "velocity");
  const int code =
      vida__equations_create(stepper->system, VIDA_SOLVER_AUTO, &own->equations, error);
  vida__follow_equations(stepper, own->equations);
  return code;
}

/* gamma and beta for second order and the strongest damping of what is very fast. */
static void set_parameters(alpha_state* own, double alpha_m, double alpha_f) {
  const double damping = alpha_f - alpha_m;
  own->alpha_m = alpha_m;
  own->alpha_f = alpha_f;
  own->gamma = 0.5 + damping;
  own->beta = 0.25 * (1.0 + damping) * (1.0 + damping);
  own->ratio = own->gamma / own->beta;
  own->share = own->gamma * (1.0 - alpha_f) / (1.0 - alpha_m);
}

/* Without damping the index-3 form is unstable: multipliers grow from the first step on. */
static int check_damping(const VidaStepper* stepper, bool is_damped, const char* option,
                         VidaError* error) {
  const VidaSystem* system = stepper->system;
  const alpha_state* own = stepper->own;
  return is_damped || own->projects || system->row_count == 0
             ? VIDA_SUCCESS
             : vida__fail(
                   error, VIDA_NOT_SUPPORTED,
                   "%s without damping (%s) makes the multipliers of constraints, such as '%s' of "
                   "system '%s', grow without bound; add damping, or set projection = velocity",
                   stepper->method->info.name, option, system->rows[0].name, system->name);
}

static int create_generalized_alpha(VidaStepper* stepper, VidaError* error) {
  const double rho = VidaOptions_Get(stepper->options, "rho");
  const int code = allocate(stepper, error);
  if (!code) {
    set_parameters(stepper->own, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
  }
  return code ? code : check_damping(stepper, rho < 1.0, "rho = 1", error);
}

static int create_hht(VidaStepper* stepper, VidaError* error) {
  const double alpha = VidaOptions_Get(stepper->options, "alpha");
  const int code = allocate(stepper, error);
  if (!code) {
    set_parameters(stepper->own, 0.0, -alpha);
  }
  return code ? code : check_damping(stepper, alpha < 0.0, "alpha = 0", error);
}

static void destroy(VidaStepper* stepper) {
  alpha_state* own = stepper->own;
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
                       VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC
};

const VidaMethod vida__hht = {
    .info = {"hht", "Hilber-Hughes-Taylor method, index 3",
             "Hilber, Hughes and Taylor 1977; Negrut et al. 2007", limits, 2, ALPHA_CAPABILITIES},
    .remedy = {.option = "projection", .value = "velocity"},
    .options = hht_options,
    .map = {residual, jacobian, find_sizes, vida__guess_free_flight},
    .create = create_hht,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .destroy = destroy};

const VidaMethod vida__generalized_alpha = {
    .info = {"generalized-alpha", "generalized-alpha method of Chung and Hulbert, index 3",
             "Chung and Hulbert 1993; Arnold and Bruels 2007", limits, 2, ALPHA_CAPABILITIES},
    .remedy = {.option = "projection", .value = "velocity"},
    .options = alpha_options,
    .map = {residual, jacobian, find_sizes, vida__guess_free_flight},
    .create = create_generalized_alpha,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .destroy = destroy};
