/* The Galerkin variational integrator of Gauss' quadrature, for systems without constraints.
 *
 * The discrete Lagrangian is h sum b_i L(Q_i, V_i) along polynomials of degree `stages` that make
 * it stationary; its steps are those of Gauss' collocation method for the Hamiltonian system
 * (Marsden and West 2001, section 2.6; Hairer, Lubich and Wanner, VI.6.2), of order 2 `stages`. One
 * stage is the midpoint rule. */
#include "methods/collocation/collocation.h"

static int create(VidaIntegration* self, VidaError* error) {
  const vida_stage_rule rule = vida__gauss_rule((int)VidaOptions_Get(self->options, "stages"));
  return vida__collocation_create(self, &rule, error);
}

/* Solves L_v(q,v) = p for v, from the velocity of the last stage. */
static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  const vida_collocation* own = self->state;
  const double* guess = own->history_count ? own->history[0] : self->node.v;
  for (int k = 0; k < self->model.n; k++) {
    v[k] = guess[k];
  }
  if (self->node.step == 0) {
    return VIDA_SUCCESS;
  }
  return vida__project_velocity(self, vida__node_time(self), self->node.q, self->work.entries,
                                self->node.p, v, NULL, error);
}

static const VidaOptionRow options[] = {
    {"stages", VIDA_OPTION_INTEGER, "1", 3.0, 1.0, VIDA_MOST_STAGES, false, NULL,
     "Number of stages of the Gauss rule; the order is twice this number. One stage is "
     "del-midpoint."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static int order(const VidaOptions* chosen) {
  return 2 * (int)VidaOptions_Get(chosen, "stages");
}

const VidaMethod vida__galerkin_gauss = {
    .size = sizeof(VidaMethod),
    .info = {"galerkin-gauss", "Galerkin variational integrator, collocation at Gauss nodes",
             "Marsden and West 2001, section 2.6",
             "Systems without constraints. Stability does not limit the step, but oscillations "
             "faster than the step are not resolved, and very large steps have no solution.",
             6,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_UNCONSTRAINED},
    .options = options,
    .equations = {vida__collocation_residual, vida__collocation_jacobian, vida__collocation_sizes,
                  vida__collocation_guess},
    .create = create,
    .state = vida__collocation_state,
    .start = vida__collocation_start,
    .step = vida__collocation_step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .action = vida__collocation_action,
    .order = order};
