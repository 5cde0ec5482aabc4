/* Jay's symplectic partitioned Runge-Kutta methods for constrained systems: Lobatto's rule IIIA for
 * positions, IIIB for momenta (Jay 1996; Hairer, Lubich and Wanner, VII.1.4), of order 2 `stages`
 * - 2. Constraints hold at all stages, and the momentum is on the hidden constraint at the end of a
 * step: the multiplier of the last stage is the impulse of that projection. Two stages are RATTLE.
 *
 * spark-nonholonomic adds rows A(q,t) v + b = 0 (Jay 2009, Lagrange-d'Alembert SPARK integrators).
 * Their forces act as those of constraints, with rule IIIB. With this rule the velocities of stages
 * have too small an order to satisfy the rows one by one: the rows hold in s - 1 weighted means
 * over the stages, those of rule IIIA (or, equally, of b_j c_j^k, k = 0, ..., s - 2), and at the
 * end of a step. Holonomic rows hold at the stages. */
#include <string.h>

#include "base/error.h"
#include "methods/collocation/collocation.h"

static int create(VidaIntegration* self, VidaError* error) {
  const int stages = (int)VidaOptions_Get(self->options, "stages");
  const VidaSystem* system = self->model.system;
  const vida_stage_rule rule =
      vida__lobatto_rule(stages, system->separable && !system->nonholonomic);
  vida__limit_turns(self, stages - 1);
  return vida__collocation_create(self, &rule, error);
}

static int start(VidaIntegration* self, VidaError* error) {
  const int code = self->model.system->separable ? VIDA_SUCCESS : vida__find_weights(self, error);
  return code ? code : vida__collocation_start(self, error);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Computes the multiplier at the node at which the step starts, from both impulses there. */
static int take_multipliers(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  const double* mu = own->history[0] + vida__multiplier_offset(self, 0);
  const double b = own->rule.b[0];
  for (int r = 0; r < self->model.m; r++) {
    const double total = own->has_step ? 0.5 * (mu[r] + own->impulse[r] / b) : mu[r];
    self->node.lambda[r] = total / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self);
  if (!self->model.redundant) {
    return VIDA_SUCCESS;
  }
  int code = vida__factor_node_matrix(self, self->implicit.entries0, self->node.v);
  code = code ? code : vida__find_least_norm(self, self->implicit.entries0, self->node.lambda);
  if (code) {
    return vida__fail(error, code, "the multipliers of dependent constraints were not found");
  }
  memcpy(self->node.lambda, self->model.least_norm,
         (size_t)self->model.m * sizeof *self->node.lambda);
  return VIDA_SUCCESS;
}

/* Computes v at the new node, and subtracts the impulse of the hidden constraint from p. */
static int project_momenta(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  const double t = vida__next_time(self);
  double* change = own->sum;
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__project_velocity(self, t, self->node.q, self->work.entries, self->node.p,
                                self->node.v, own->impulse, error);
  memset(change, 0, (size_t)self->model.n * sizeof *change);
  vida__add_reaction(self->model.system, self->work.entries, -1.0, own->impulse, change);
  for (int k = 0; k < self->model.n && !code; k++) {
    vida__add_compensated(&self->node.p[k], &self->node.p_low[k], change[k]);
  }
  return code;
}

static int step(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  int code = vida__collocation_step(self, error);
  if (code) {
    return code;
  }
  code = take_multipliers(self, error);
  code = code ? code : project_momenta(self, error);
  own->has_step = true;
  return code;
}

/* The multipliers of stages have a lower order than those of the equations of motion at nodes. */
static int step_nonholonomic(VidaIntegration* self, VidaError* error) {
  const int code = vida__collocation_step(self, error);
  return code ? code : project_momenta(self, error);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {"stages", VIDA_OPTION_INTEGER, "1", 3.0, 2.0, VIDA_MOST_STAGES, false, NULL,
     "Number of stages s of the Lobatto rules; the order is 2 s - 2. Two stages are RATTLE."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow nonholonomic_options[] = {
    {"stages", VIDA_OPTION_INTEGER, "1", 3.0, 2.0, VIDA_MOST_STAGES, false, NULL,
     "Number of stages s of the Lobatto rules; the order is 2 s - 2."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static int order(const VidaOptions* chosen) {
  return 2 * (int)VidaOptions_Get(chosen, "stages") - 2;
}

const VidaMethod vida__spark_lobatto = {
    .size = sizeof(VidaMethod),
    .info = {"spark-lobatto", "partitioned Runge-Kutta method, Lobatto IIIA for q and IIIB for p",
             "Jay 1996; Hairer, Lubich and Wanner 2006, VII.1.4",
             "Stable for steps below 2, 2.8 and 3.1 (two, three and four stages) over the largest "
             "frequency of the potential; a rod must not turn by much more than a right angle per "
             "step. The mass matrix must be regular, except along the gradients of single "
             "constraints (unit quaternions), where the method adds a mass.",
             4,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_REVERSIBLE | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT},
    .options = options,
    .equations = {vida__collocation_residual, vida__collocation_jacobian, vida__collocation_sizes,
                  vida__collocation_guess},
    .create = create,
    .state = vida__collocation_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .action = vida__collocation_action,
    .order = order};

const VidaMethod vida__spark_nonholonomic = {
    .size = sizeof(VidaMethod),
    .info =
        {"spark-nonholonomic",
         "Lagrange-d'Alembert SPARK method, Lobatto IIIA for q and IIIB for p", "Jay 2009",
         "The limits of spark-lobatto, which it is without nonholonomic rows. The energy is not "
         "preserved exactly.",
         4,
         VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_REVERSIBLE |
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC},
    .options = nonholonomic_options,
    .equations = {vida__collocation_residual, vida__collocation_jacobian, vida__collocation_sizes,
                  vida__collocation_guess},
    .create = create,
    .state = vida__collocation_state,
    .start = start,
    .step = step_nonholonomic,
    .velocities = velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .order = order};
