/* A sample method, for the recipe "A method" of the guide: the adjoint of symplectic Euler,
 *     p1 = p0 + h f(q0),  q1 = q0 + h M^-1 p1,
 * for systems without constraints and with a diagonal mass matrix. */
#include <string.h>

#include "base/error.h"
#include "stepper/integration.h"

static int create(VidaIntegration* self, VidaError* error) {
  return self->model.system->separable
             ? VIDA_SUCCESS
             : VIDA_REFUSE_SYSTEM(error,
                                  "kick-drift takes diagonal mass matrices and potentials only");
}

static int start(VidaIntegration* self, VidaError* error) {
  (void)error;
  for (int i = 0; i < self->model.n; i++) {
    self->node.p[i] = self->model.system->mass[i] * self->node.v[i];
  }
  return VIDA_SUCCESS;
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  for (int i = 0; i < self->model.n; i++) {
    v[i] = self->node.p[i] / self->model.system->mass[i];
  }
  return VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  const double* l_q = self->work.l_q;
  const int code = vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q,
                                  self->node.v, self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], self->node.h * l_q[i]);
    self->work.place[i] = self->node.p[i] / self->model.system->mass[i];
  }
  vida__advance_positions(self, self->work.place);
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__kick_drift = {
    .size = sizeof(VidaMethod),
    .info = {"kick-drift", "adjoint of symplectic Euler", "Hairer, Lubich and Wanner, VI.3",
             "No constraints.", 1,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_LIMIT_UNCONSTRAINED},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy};
