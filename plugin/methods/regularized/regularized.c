/* The implicit regularized methods of paper 004: relaxed constraints (eq. 17), with damping (eq.
 * 26), and relaxed nonholonomic constraints (eq. 24), solved by Newton's method. */
#include "methods/regularized/regularized.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* ---- the equations of a step ----------------------------------------------------------------- */

static bool has_damping(const VidaStepper* stepper) {
  const vida_regularized_state* own = stepper->own;
  for (int r = 0; r < stepper->m; r++) {
    if (own->is_averaged[r] && own->share[r] < 1.0) {
      return true;
    }
  }
  return false;
}

/* row_rate = G1 w + g_t */
static int find_rates(VidaStepper* stepper, const double* w) {
  vida_regularized_state* own = stepper->own;
  const double t = vida__next_time(stepper);
  int code = vida__jacobian(&stepper->evaluator, t, stepper->q1, stepper->entries);
  code = code ? code : vida__constraint_rate(&stepper->evaluator, t, stepper->q1, own->row_rate);
  vida__add_constraint_velocity(stepper->system, stepper->entries, 1.0, w, own->row_rate);
  return code;
}

/* The averages 4 (g1 + 2 g0 + g_before)/4 /h; before the first step g is taken to have been as
 * after it, less what the rate of the start makes of it, which is symmetric in time. */
static double average_row(const VidaStepper* stepper, int r) {
  const vida_regularized_state* own = stepper->own;
  const double rest = 4.0 * stepper->g0[r] / stepper->h;
  return stepper->step == 0 ? 2.0 * (own->next_rise[r] - own->rate[r]) + rest
                            : own->next_rise[r] - own->rise[r] + rest;
}

static int residual_rows(VidaStepper* stepper, const double* w, const double* mu, double* rows) {
  vida_regularized_state* own = stepper->own;
  const double h = stepper->h;
  for (int i = 0; i < stepper->n; i++) {
    stepper->dq[i] = h * w[i];
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
  }
  const vida_interval between =
      vida__interval(&stepper->evaluator, stepper->q, stepper->q1, stepper->dq);
  int code = vida__constraint_increment(&stepper->evaluator, vida__next_time(stepper), &between, w,
                                        h, stepper->g0, stepper->entries, own->next_rise);
  if (!code && has_damping(stepper)) {
    code = find_rates(stepper, w);
  }
  for (int r = 0; r < stepper->m; r++) {
    const double psi = own->share[r];
    rows[r] = own->next_rise[r] + stepper->g0[r] / h;
    if (own->is_averaged[r]) {
      rows[r] = psi * average_row(stepper, r) + (1.0 - psi) * own->row_rate[r];
    }
  }
  if (!code && stepper->system->nonholonomic) {
    vida__find_place(stepper, w, own->row_place, stepper->place);
    code = vida__nonholonomic(&stepper->evaluator, vida__place_time(stepper, own->row_place),
                              stepper->place, w, rows);
  }
  for (int r = 0; r < stepper->m; r++) {
    rows[r] -= own->softness[r] * mu[r];
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const vida_regularized_state* own = stepper->own;
  const double* mu = u + stepper->n;
  const int code = vida__gradient(&stepper->evaluator, vida__node_time(stepper), stepper->q, u,
                                  stepper->l_q, stepper->l_v);
  if (code) {
    return code;
  }
  for (int i = 0; i < stepper->n; i++) {
    r[i] = stepper->l_v[i] - stepper->h * stepper->l_q[i] - (stepper->p[i] + stepper->p_low[i]);
  }
  vida__add_reaction(stepper->system, stepper->entries0, own->kappa, mu, r);
  return residual_rows(stepper, u, mu, r + stepper->n);
}

/* The derivatives of nonholonomic rows with respect to w, A + c h a_q. */
static int find_nonholonomic_entries(VidaStepper* stepper, const double* w) {
  vida_regularized_state* own = stepper->own;
  const double t = vida__place_time(stepper, own->row_place);
  vida__find_place(stepper, w, own->row_place, stepper->place);
  const int code = vida__jacobian(&stepper->evaluator, t, stepper->place, own->rows);
  return code ? code
              : vida__nonholonomic_gradient(&stepper->evaluator, t, stepper->place, w, own->slopes);
}

/* Derivatives of all rows with respect to w, in place of the entries of G1. That of G1 w has h w
 * g_qq, which is G1 - G0 where g is quadratic, and nearly so elsewhere. */
static int derive_rows(VidaStepper* stepper, const double* w) {
  const vida_regularized_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const double of_rise = stepper->step == 0 ? 2.0 : 1.0;
  const int code = system->nonholonomic ? find_nonholonomic_entries(stepper, w) : VIDA_SUCCESS;
  for (int e = 0; e < system->entry_count && !code; e++) {
    const int r = system->entries[e].row;
    const double psi = own->share[r];
    const double gradient = stepper->entries[e];
    if (system->rows[r].is_nonholonomic) {
      stepper->entries[e] = own->rows[e] + own->row_place * stepper->h * own->slopes[e];
    } else if (own->is_averaged[r]) {
      stepper->entries[e] =
          psi * of_rise * gradient + (1.0 - psi) * (2.0 * gradient - stepper->entries0[e]);
    }
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const vida_regularized_state* own = stepper->own;
  const vida_hessian_weights weights = {0.0, -stepper->h, 0.0, 1.0};
  int code = vida__add_hessian(&stepper->evaluator, vida__node_time(stepper), stepper->q, u,
                               weights, matrix);
  vida__find_place(stepper, u, 1.0, stepper->q1);
  code = code ? code
              : vida__jacobian(&stepper->evaluator, vida__next_time(stepper), stepper->q1,
                               stepper->entries);
  code = code ? code : derive_rows(stepper, u);
  vida__add_columns(stepper->system, stepper->entries0, own->kappa, matrix);
  vida__add_rows(stepper->system, stepper->entries, 1.0, matrix);
  for (int r = 0; r < stepper->m; r++) {
    matrix[vida__constraint_diagonal(stepper->system, r)] -= own->softness[r];
  }
  return code;
}

static void sizes(void* data, const double* u, double* size) {
  const VidaStepper* stepper = data;
  const vida_regularized_state* own = stepper->own;
  vida__step_sizes(data, u, size);
  for (int r = 0; r < stepper->m; r++) {
    size[stepper->n + r] += own->softness[r] * fabs(u[stepper->n + r]);
  }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int find_next(VidaStepper* stepper, VidaError* error) {
  vida_regularized_state* own = stepper->own;
  int code = own->has_next ? VIDA_SUCCESS : vida__solve_step(stepper, error);
  if (code || own->has_next) {
    return code;
  }
  /* once more at the solution, for the force and the increments there */
  code = residual(stepper, stepper->unknown, own->work);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  memcpy(own->next, stepper->unknown, (size_t)(stepper->n + stepper->m) * sizeof *own->next);
  for (int i = 0; i < stepper->n; i++) {
    own->change[i] = stepper->h * stepper->l_q[i];
  }
  vida__add_reaction(stepper->system, stepper->entries0, -own->kappa, own->next + stepper->n,
                     own->change);
  for (int r = 0; r < stepper->m; r++) {
    stepper->g_tracked[r] = stepper->g0[r] + stepper->h * own->next_rise[r];
  }
  own->has_next = true;
  return VIDA_SUCCESS;
}

static int step(VidaStepper* stepper, VidaError* error) {
  return vida__regularized_step(stepper, find_next, error);
}

static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  return vida__regularized_velocities(stepper, find_next, v, error);
}

/* ---- records --------------------------------------------------------------------------------- */

static int create(VidaStepper* stepper, VidaError* error) {
  const int code = vida__regularized_create(stepper, error);
  if (!code) {
    vida_regularized_state* own = stepper->own;
    own->row_place = VidaOptions_HasChoice(stepper->options, "rows", "endpoint") ? 1.0 : 0.5;
  }
  return code;
}

#define ROWS_ROW                                                                                \
  {                                                                                             \
    "rows", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "midpoint|endpoint",                  \
        "Where nonholonomic rows are taken: in the middle of a step, or at its end (as in the " \
        "paper)."                                                                               \
  }
#define LAST_ROW \
  { NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL }

static const VidaOptionRow regularized_options[] = {VIDA_COMPLIANCE_ROWS, LAST_ROW};
static const VidaOptionRow spook_options[] = {VIDA_COMPLIANCE_ROWS, VIDA_DAMPING_ROWS,
                                              VIDA_MOBILITY_ROWS, ROWS_ROW, LAST_ROW};
static const VidaOptionRow nonholonomic_options[] = {VIDA_COMPLIANCE_ROWS, VIDA_MOBILITY_ROWS,
                                                     ROWS_ROW, LAST_ROW};

const VidaMethod vida__del_regularized = {
    .info =
        {"del-regularized", "discrete Euler-Lagrange equations with relaxed constraints",
         "Lacoursiere 2007, eq. 17",
         "Stable for steps below 2 over the largest frequency of the potential. Relaxed "
         "constraints may be arbitrarily stiff, but their oscillations are not damped; constraints "
         "without compliance hold exactly. A rod must turn by less than a right angle per step. "
         "Second order for constant mass matrices, first order for other Lagrangians.",
         2,
         VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_GENERAL_LAGRANGIAN |
             VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT},
    .options = regularized_options,
    .map = {residual, jacobian, sizes, vida__guess_free_flight},
    .create = create,
    .start = vida__regularized_start,
    .step = step,
    .undo = vida__regularized_undo,
    .velocities = velocities,
    .energy = vida__node_energy};

const VidaMethod vida__spook_newton = {
    .info = {"spook-newton", "relaxed and damped constraints, solved by Newton's method",
             "Lacoursiere 2007, eq. 26",
             "The stability limit of spook, but a step may have no solution where constraints turn "
             "fast. Their violation is their turn per step times tau / h, O(h^2) for a fixed tau / "
             "h. With a damping time above h/2, the energy of nonuniformly rotating motions rises, "
             "by O(h^3) per second for damping times of some steps; with spook it falls.",
             2,
             VIDA_CAN_MOMENTUM | VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC},
    .options = spook_options,
    .map = {residual, jacobian, sizes, vida__guess_free_flight},
    .create = create,
    .start = vida__regularized_start,
    .step = step,
    .undo = vida__regularized_undo,
    .velocities = velocities,
    .energy = vida__node_energy};

const VidaMethod vida__del_nonholonomic_relaxed = {
    .info = {"del-nonholonomic-relaxed",
             "discrete Lagrange-d'Alembert equations with relaxed constraints",
             "Lacoursiere 2007, eq. 24",
             "As del-regularized. First order with a mobility of nonholonomic rows, or when they "
             "are taken at the end of a step.",
             2,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_NONHOLONOMIC},
    .options = nonholonomic_options,
    .map = {residual, jacobian, sizes, vida__guess_free_flight},
    .create = create,
    .start = vida__regularized_start,
    .step = step,
    .undo = vida__regularized_undo,
    .velocities = velocities,
    .energy = vida__node_energy};
