/* RATTLE: the discrete Euler-Lagrange step of the trapezoidal rule with half impulses at both ends,
 * and p projected on G v + g_t = 0 at the end of each step (`projects`; the step is in del_step.c).
 */
#include "methods/variational/del_step.h"

static const vida_discrete_lagrangian projected_trapezoidal = {
    2, {0.5, 0.5}, {0.0, 1.0}, 0.0, true};

static int create_rattle(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &projected_trapezoidal, error);
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
