/* The implicit regularized methods of Lacoursiere 2007: relaxed constraints (eq. 17), with damping
 * (eq. 26), and relaxed nonholonomic constraints (eq. 24), solved by Newton's method. */
#include "methods/regularized/regularized.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* ---- the equations of a step ----------------------------------------------------------------- */

static bool has_damping(const VidaIntegration* self) {
  const vida_regularized_state* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    if (own->is_averaged[r] && own->share[r] < 1.0) {
      return true;
    }
  }
  return false;
}

/* Computes row_rate = G1 w + g_t. */
static int find_rates(VidaIntegration* self, const double* w) {
  vida_regularized_state* own = self->state;
  const double t = vida__next_time(self);
  int code = vida__jacobian(&self->model.evaluator, t, self->work.q1, self->work.entries);
  code =
      code ? code : vida__constraint_rate(&self->model.evaluator, t, self->work.q1, own->row_rate);
  vida__add_constraint_velocity(self->model.system, self->work.entries, 1.0, w, own->row_rate);
  return code;
}

/* Computes the averages 4 (g1 + 2 g0 + g_before)/4 /h. For the first step, g before the start is
 * taken as g after it minus the change by the initial rate, which is symmetric in time. */
static double average_row(const VidaIntegration* self, int r) {
  const vida_regularized_state* own = self->state;
  const double rest = 4.0 * self->implicit.g0[r] / self->node.h;
  return self->node.step == 0 ? 2.0 * (own->next_rise[r] - own->rate[r]) + rest
                              : own->next_rise[r] - own->rise[r] + rest;
}

static int residual_rows(VidaIntegration* self, const double* w, const double* mu, double* rows) {
  vida_regularized_state* own = self->state;
  const double h = self->node.h;
  for (int i = 0; i < self->model.n; i++) {
    self->work.dq[i] = h * w[i];
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
  }
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  int code = vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between, w,
                                        h, self->implicit.g0, self->work.entries, own->next_rise);
  if (!code && has_damping(self)) {
    code = find_rates(self, w);
  }
  for (int r = 0; r < self->model.m; r++) {
    const double psi = own->share[r];
    rows[r] = own->next_rise[r] + self->implicit.g0[r] / h;
    if (own->is_averaged[r]) {
      rows[r] = psi * average_row(self, r) + (1.0 - psi) * own->row_rate[r];
    }
  }
  if (!code && self->model.system->nonholonomic) {
    vida__find_place(self, w, own->row_place, self->work.place);
    code = vida__nonholonomic(&self->model.evaluator, vida__place_time(self, own->row_place),
                              self->work.place, w, rows);
  }
  for (int r = 0; r < self->model.m; r++) {
    rows[r] -= own->softness[r] * mu[r];
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const vida_regularized_state* own = self->state;
  const double* mu = u + self->model.n;
  const int code = vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q, u,
                                  self->work.l_q, self->work.l_v);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    r[i] = self->work.l_v[i] - self->node.h * self->work.l_q[i] -
           (self->node.p[i] + self->node.p_low[i]);
  }
  vida__add_reaction(self->model.system, self->implicit.entries0, own->kappa, mu, r);
  return residual_rows(self, u, mu, r + self->model.n);
}

/* Writes the derivatives of nonholonomic rows with respect to w, A + c h a_q. */
static int find_nonholonomic_entries(VidaIntegration* self, const double* w) {
  vida_regularized_state* own = self->state;
  const double t = vida__place_time(self, own->row_place);
  vida__find_place(self, w, own->row_place, self->work.place);
  const int code = vida__jacobian(&self->model.evaluator, t, self->work.place, own->rows);
  return code ? code
              : vida__nonholonomic_gradient(&self->model.evaluator, t, self->work.place, w,
                                            own->slopes);
}

/* Writes the derivatives of all rows with respect to w in place of the entries of G1. The
 * derivative of G1 w contains h w g_qq, which is G1 - G0 for quadratic g, and nearly so for others.
 */
static int derive_rows(VidaIntegration* self, const double* w) {
  const vida_regularized_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double of_rise = self->node.step == 0 ? 2.0 : 1.0;
  const int code = system->nonholonomic ? find_nonholonomic_entries(self, w) : VIDA_SUCCESS;
  for (int e = 0; e < system->entry_count && !code; e++) {
    const int r = system->entries[e].row;
    const double psi = own->share[r];
    const double gradient = self->work.entries[e];
    if (system->rows[r].is_nonholonomic) {
      self->work.entries[e] = own->rows[e] + own->row_place * self->node.h * own->slopes[e];
    } else if (own->is_averaged[r]) {
      self->work.entries[e] =
          psi * of_rise * gradient + (1.0 - psi) * (2.0 * gradient - self->implicit.entries0[e]);
    }
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const vida_regularized_state* own = self->state;
  const vida_hessian_weights weights = {0.0, -self->node.h, 0.0, 1.0};
  int code = vida__add_hessian(&self->model.evaluator, vida__node_time(self), self->node.q, u,
                               weights, matrix);
  vida__find_place(self, u, 1.0, self->work.q1);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                               self->work.entries);
  code = code ? code : derive_rows(self, u);
  vida__add_columns(self->model.system, self->implicit.entries0, own->kappa, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  for (int r = 0; r < self->model.m; r++) {
    matrix[vida__constraint_diagonal(self->model.system, r)] -= own->softness[r];
  }
  return code;
}

static void sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const vida_regularized_state* own = self->state;
  vida__step_sizes(data, u, size);
  for (int r = 0; r < self->model.m; r++) {
    size[self->model.n + r] += own->softness[r] * fabs(u[self->model.n + r]);
  }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int find_next(VidaIntegration* self, VidaError* error) {
  vida_regularized_state* own = self->state;
  int code = own->has_next ? VIDA_SUCCESS : vida__solve_step(self, error);
  if (code || own->has_next) {
    return code;
  }
  /* once more at the solution, for the force and the increments there */
  code = residual(self, self->implicit.unknown, own->work);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  memcpy(own->next, self->implicit.unknown,
         (size_t)(self->model.n + self->model.m) * sizeof *own->next);
  for (int i = 0; i < self->model.n; i++) {
    own->change[i] = self->node.h * self->work.l_q[i];
  }
  vida__add_reaction(self->model.system, self->implicit.entries0, -own->kappa,
                     own->next + self->model.n, own->change);
  for (int r = 0; r < self->model.m; r++) {
    self->implicit.g_tracked[r] = self->implicit.g0[r] + self->node.h * own->next_rise[r];
  }
  own->has_next = true;
  return VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  return vida__regularized_step(self, find_next, error);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  return vida__regularized_velocities(self, find_next, v, error);
}

/* ---- records --------------------------------------------------------------------------------- */

static int create(VidaIntegration* self, VidaError* error) {
  const int code = vida__regularized_create(self, error);
  if (!code) {
    vida_regularized_state* own = self->state;
    own->row_place = VidaOptions_HasChoice(self->options, "rows", "endpoint") ? 1.0 : 0.5;
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

#define REGULARIZED_FUNCTIONS                                                            \
  .equations = {residual, jacobian, sizes, vida__guess_free_flight},                     \
  .check = vida__regularized_check, .create = create, .start = vida__regularized_start,  \
  .step = step, .undo = vida__regularized_undo, .state = vida__regularized_state_record, \
  .velocities = velocities, .energy = vida__node_energy

const VidaMethod vida__del_regularized = {
    .size = sizeof(VidaMethod),
    .info =
        {"del-regularized", "discrete Euler-Lagrange equations with relaxed constraints",
         "Lacoursiere 2007, eq. 17",
         "Stable for steps below 2 over the largest frequency of the potential. Relaxed "
         "constraints may be arbitrarily stiff, but their oscillations are not damped; constraints "
         "without compliance hold exactly. A rod must turn by less than a right angle per step. "
         "Second order for constant mass matrices, first order for other Lagrangians.",
         2,
         VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_GENERAL_LAGRANGIAN |
             VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT | VIDA_LIMIT_RESTARTED},
    .options = regularized_options,
    REGULARIZED_FUNCTIONS};

const VidaMethod vida__spook_newton = {
    .size = sizeof(VidaMethod),
    .info = {"spook-newton", "relaxed and damped constraints, solved by Newton's method",
             "Lacoursiere 2007, eq. 26",
             "The stability limit of spook, but a step may have no solution where constraints turn "
             "fast. Their violation is their turn per step times tau / h, O(h^2) for a fixed tau / "
             "h. With a damping time above h/2, the energy of nonuniformly rotating motions rises, "
             "by O(h^3) per second for damping times of some steps; with spook it falls.",
             2,
             VIDA_CAN_MOMENTUM | VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC | VIDA_LIMIT_RESTARTED},
    .options = spook_options,
    REGULARIZED_FUNCTIONS};

const VidaMethod vida__del_nonholonomic_relaxed = {
    .size = sizeof(VidaMethod),
    .info = {"del-nonholonomic-relaxed",
             "discrete Lagrange-d'Alembert equations with relaxed constraints",
             "Lacoursiere 2007, eq. 24",
             "As del-regularized. First order with a mobility of nonholonomic rows, or when they "
             "are taken at the end of a step.",
             2,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_NONHOLONOMIC},
    .options = nonholonomic_options,
    REGULARIZED_FUNCTIONS};
