/* energy-momentum-ggl: the equations of energy_projected.c for constraints of any form, as proposed
 * by Kinon, Betsch and Schneider (2023) with the discrete derivative of G(q) v.
 *
 * With G v = sum of g_u(u) u' over the invariants u of the positions and their rates u', formed by
 * differentiation of the expression of g from its inputs to its value, D_q (G v) and D_v (G v) are
 * built operation by operation (expr/discrete.h). If the invariants are quadratic, their rates are
 * bilinear in q and v, and
 *     D_q (G v) A q + D_v (G v) A v = 0   at the mean q and v, for every generator A of a symmetry:
 * with the first equation, whose eta terms vanish since M^-1 A^T = -A M^-1, the momentum maps are
 * preserved exactly. A derivative that is not built from invariants would preserve only the energy.
 * Of quadratic constraints both are the derivatives in the middle: the method is then that of
 * energy-momentum-projected. */
#include "base/error.h"
#include "methods/energy/energy_projected.h"
#include "methods/energy/hidden_plan.h"
#include "stepper/method_options.h"
#include "system/evaluate/joint.h"

static int find_entries(VidaIntegration* self, const vida_interval* between, const double* v,
                        double* by_positions, double* by_rates) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * self->work.dq[i];
  }
  return vida__hidden_gradient(&self->model.evaluator, between, self->work.place, v, by_positions,
                               by_rates);
}

static int find_slopes(VidaIntegration* self, const double* v1, double* entries) {
  return vida__velocity_gradient(&self->model.evaluator, vida__next_time(self), self->work.q1, v1,
                                 entries);
}

static const vida_hidden_rule joint_rule = {find_entries, find_slopes};

static int create(VidaIntegration* self, VidaError* error) {
  const char* name = NULL;
  int code = vida__require_discrete_derivatives(self, error);
  if (!code && !vida__has_hidden_derivatives(self->model.system, &name)) {
    code =
        VIDA_REFUSE_SYSTEM(error,
                           "energy-momentum-ggl needs the discrete derivative of G v, and '%s' of "
                           "system '%s' has none (the rate of an abs, a min or a max jumps)",
                           name, self->model.system->name);
  }
  code = code ? code : vida__projected_create(self, &joint_rule, error);
  return code ? code : vida__hidden_plan_create(self, error);
}

static void destroy(VidaIntegration* self) {
  if (self->state) {
    vida__hidden_plan_destroy(&((vida_projected_state*)self->state)->plan);
  }
}

static int start(VidaIntegration* self, VidaError* error) {
  const int code = vida__energy_start(self, error);
  return code ? code : vida__hidden_plan_start(self, error);
}

static int step(VidaIntegration* self, VidaError* error) {
  return ((vida_projected_state*)self->state)->plan ? vida__hidden_plan_step(self, error)
                                                    : vida__projected_step(self, error);
}

static const VidaOptionRow options[] = {
    VIDA_PLAN_ROW, {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum_ggl = {
    .size = sizeof(VidaMethod),
    .info =
        {"energy-momentum-ggl",
         "energy and momentum exact, both levels of the constraints, of any form",
         "Kinon, Betsch and Schneider 2023; Gonzalez 1999, eq. 21",
         "Constant mass matrices; constraints that do not depend on time. Where constraints are "
         "quadratic, its steps are those of energy-momentum-projected.",
         2,
         VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
             VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .equations = {vida__projected_residual, vida__projected_jacobian, vida__projected_sizes,
                  vida__projected_guess},
    .create = create,
    .state = vida__projected_state_record,
    .destroy = destroy,
    .start = start,
    .step = step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node};
