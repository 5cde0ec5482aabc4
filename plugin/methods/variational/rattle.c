/* RATTLE: the discrete Euler-Lagrange step of the trapezoidal rule with half impulses at both ends,
 *     M w = p0 + h f(q0) / 2 - G(q0)^T mu / 2,   g(q1) = 0,
 *     p1 = M w + h f(q1) / 2 - G(q1)^T nu,       G(q1) M^-1 p1 + g_t = 0
 * (Andersen 1983). The first line advances as all discrete Lagrangians do, the second one projects,
 * as do the stages of compositions. */
#include "methods/variational/del_step.h"

static const vida_discrete_lagrangian projected_trapezoidal = {
    {2, {0.5, 0.5}, {0.0, 1.0}}, 0.0, true, false};

static int create_rattle(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &projected_trapezoidal, error);
}

static int step(VidaIntegration* self, VidaError* error) {
  const int code = vida__del_advance(self, error);
  return code ? code : vida__project_momenta(self, vida__next_time(self), error);
}

const VidaMethod vida__rattle = {
    .size = sizeof(VidaMethod),
    .info = {"rattle", "RATTLE: the positions of SHAKE with momenta on the hidden constraint",
             "Wendlandt and Marsden 1997, section 4.1; Andersen 1983",
             "Stable for steps below 2 over the largest frequency of the potential; a rod must "
             "turn by less than a right angle per step.",
             2, VIDA_DEL_CAPABILITIES},
    .create = create_rattle,
    .state = vida__del_state,
    .options = vida__del_options,
    VIDA_DEL_HOLONOMIC,
    .step = step,
    VIDA_DEL_FUNCTIONS};
