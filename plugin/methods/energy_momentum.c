/* The energy-momentum method of Gonzalez (paper 003, eq. 21 and 33-34) for T = v^T M v / 2.
 *
 *     M w = (p0 + p1) / 2,  p1 - p0 = -h D V(q0,q1) - Dg(q0,q1)^T mu,  g(q1) = 0
 * with equivariant discrete derivatives D and mu = h lambda at the middle of the step. With p1
 * eliminated, w and mu solve M w - p0 + (h/2) D V + (1/2) Dg^T mu = 0 and g(q1) = 0. The momenta
 * are advanced by the increments: what is left of the residual then changes energy and momentum by
 * h times as little. */
#include <string.h>

#include "base/error.h"
#include "methods/method.h"

/* stepper->dq = h w, stepper->q1 = q0 + dq */
static vida_interval find_next(VidaStepper* stepper, const double* w) {
  for (int i = 0; i < stepper->n; i++) {
    stepper->dq[i] = stepper->h * w[i];
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
  }
  return vida__interval(&stepper->evaluator, stepper->q, stepper->q1, stepper->dq);
}

static int residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const VidaSystem* system = stepper->system;
  const double* w = u;
  const double* mu = u + stepper->n;
  double* rows = r + stepper->n;
  const vida_interval between = find_next(stepper, w);
  int code = vida__discrete_gradient(system, &between, stepper->l_q);
  code = code ? code : vida__discrete_jacobian(system, &between, stepper->entries);
  for (int i = 0; i < stepper->n; i++) {
    r[i] = system->mass[i] * w[i] - (stepper->p[i] + stepper->p_low[i]) +
           0.5 * stepper->h * stepper->l_q[i];
  }
  vida__add_reaction(system, stepper->entries, 0.5, mu, r);
  for (int i = 0; i < stepper->m; i++) {
    rows[i] = stepper->g0[i] / stepper->h;
  }
  vida__add_constraint_velocity(system, stepper->entries, 1.0, w, rows);
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const VidaSystem* system = stepper->system;
  const double* w = u;
  const double* mu = u + stepper->n;
  const double h = stepper->h;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_interval between = find_next(stepper, w);
  int code = vida__add_hessian(&stepper->evaluator, vida__node_time(stepper), stepper->q1, w,
                               mass_only, matrix);
  code = code ? code : vida__add_discrete_hessian(system, &between, 0.5 * h * h, matrix);
  code = code ? code : vida__add_discrete_curvature(system, &between, 0.5 * h, mu, matrix);
  code = code ? code : vida__discrete_jacobian(system, &between, stepper->entries);
  vida__add_columns(system, stepper->entries, 0.5, matrix);
  code = code ? code
              : vida__jacobian(&stepper->evaluator, vida__next_time(stepper), stepper->q1,
                               stepper->entries);
  vida__add_rows(system, stepper->entries, 1.0, matrix);
  return code;
}

static int create(VidaStepper* stepper, VidaError* error) {
  const char* name = NULL;
  if (!vida__has_discrete_derivatives(stepper->system, &name)) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "energy-momentum needs discrete derivatives: '%s' has none", name);
  }
  stepper->reacts_between = true;
  return VIDA_SUCCESS;
}

static int start(VidaStepper* stepper, VidaError* error) {
  (void)error;
  for (int i = 0; i < stepper->n; i++) {
    stepper->p[i] = stepper->system->mass[i] * stepper->v0[i];
  }
  return VIDA_SUCCESS;
}

static int step(VidaStepper* stepper, VidaError* error) {
  const VidaSystem* system = stepper->system;
  const double* w = stepper->unknown;
  const double* mu = w + stepper->n;
  double* change = stepper->node_step;
  int code = vida__solve_step(stepper, error);
  if (code) {
    return code;
  }
  const vida_interval between = find_next(stepper, w);
  code = vida__discrete_gradient(system, &between, stepper->l_q);
  code = code ? code : vida__discrete_jacobian(system, &between, stepper->entries);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    change[i] = -stepper->h * stepper->l_q[i];
  }
  vida__add_reaction(system, stepper->entries, -1.0, mu, change);
  for (int i = 0; i < stepper->n; i++) {
    vida__add_compensated(&stepper->p[i], &stepper->p_low[i], change[i]);
  }
  vida__advance_positions(stepper, w);
  for (int r = 0; r < stepper->m; r++) {
    stepper->lambda[r] = mu[r] / stepper->h;
  }
  stepper->lambda_t = vida__node_time(stepper) + 0.5 * stepper->h;
  return VIDA_SUCCESS;
}

static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  (void)error;
  for (int i = 0; i < stepper->n; i++) {
    v[i] = stepper->p[i] / stepper->system->mass[i];
  }
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum = {
    .info = {"energy-momentum", "energy and momentum exact, by equivariant discrete derivatives",
             "Gonzalez 1999, eq. 21",
             "Constant mass matrix; potentials and constraints with discrete derivatives. No limit "
             "on the "
             "step from stability, but very large steps have no solution.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL},
    .options = options,
    .map = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy};
