/* RATTLE: the discrete Euler-Lagrange step of the trapezoidal rule with half impulses at both ends,
 *     M w = p0 + h f(q0) / 2 - G(q0)^T mu / 2,   g(q1) = 0,
 *     p1 = M w + h f(q1) / 2 - G(q1)^T nu,       G(q1) M^-1 p1 + g_t = 0
 * (Andersen 1983). vida__del_step solves the first line, as for the other discrete Lagrangians;
 * here are the second line and the multipliers. Stages of compositions end in the same way,
 * whatever their discrete Lagrangian. */
#include "methods/variational/del_step.h"

static const vida_discrete_lagrangian projected_trapezoidal = {
    2, {0.5, 0.5}, {0.0, 1.0}, 0.0, true};

static int create_rattle(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &projected_trapezoidal, error);
}

int vida__rattle_project(VidaIntegration* self, double t, VidaError* error) {
  vida_variational_state* own = self->state;
  const double* entries;
  int code = vida__jacobian_after_step(self, t, &entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__project_velocity(self, t, self->node.q, entries, self->node.p, self->node.v,
                                own->impulse, error);
  if (!code) {
    vida__add_impulses(self, entries, -1.0, own->impulse);
  }
  return code;
}

void vida__rattle_multipliers(VidaIntegration* self, const double* mu) {
  const vida_variational_state* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = (0.5 * mu[r] + own->impulse[r]) / self->node.h;
  }
}

const VidaMethod vida__rattle = {
    .size = sizeof(VidaMethod),
    .info = {"rattle", "RATTLE: the positions of SHAKE with momenta on the hidden constraint",
             "Wendlandt and Marsden 1997, section 4.1; Andersen 1983",
             "Stable for steps below 2 over the largest frequency of the potential; a rod must "
             "turn by less than a right angle per step.",
             2, VIDA_DEL_CAPABILITIES},
    .create = create_rattle,
    VIDA_DEL_HOLONOMIC,
    VIDA_DEL_FUNCTIONS};
