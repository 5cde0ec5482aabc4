/* The energy-momentum method of Gonzalez 1999 (eq. 21 and 33-34) for T = v^T M v / 2, and the
 * scheme that it shares with other discrete derivatives (energy.h).
 *
 * With p1 eliminated, w and mu = h lambda solve
 *     M w - p0 + (h/2) (D V - f) + (1/2) Dg^T mu = 0,  g(q1) = 0.
 * The momenta are advanced by the increments: what is left of the residual then changes energy and
 * momentum by h times as little. */
#include "methods/energy/energy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/method_options.h"
#include "system/constraints/singular.h"

vida_interval vida__next_interval(VidaIntegration* self, const double* w) {
  const double h = self->node.h;
  const double* restrict q = self->node.q;
  double* restrict dq = self->work.dq, * restrict q1 = self->work.q1;
  for (int i = 0; i < self->model.n; i++) {
    dq[i] = h * w[i];
    q1[i] = q[i] + dq[i];
  }
  vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  between.q_low = self->node.q_low;
  between.t = vida__node_time(self) + 0.5 * self->node.h;
  return between;
}

/* ---- the equivariant rule -------------------------------------------------------------------- */

static int equivariant_potential(VidaIntegration* self, const vida_interval* between, double* d_v) {
  return vida__discrete_gradient(self->model.system, between, d_v);
}

static int equivariant_constraints(VidaIntegration* self, const vida_interval* between,
                                   double* entries) {
  return vida__discrete_jacobian(self->model.system, between, entries);
}

static int add_equivariant_slopes(VidaIntegration* self, const vida_interval* between,
                                  double weight_v, double weight_g, const double* mu,
                                  double* matrix) {
  const int code = vida__add_discrete_hessian(self->model.system, between, weight_v, matrix);
  return code ? code
              : vida__add_discrete_curvature(self->model.system, between, weight_g, mu, matrix);
}

const vida_discrete_rule vida__equivariant_rule = {equivariant_potential, equivariant_constraints,
                                                   add_equivariant_slopes};

/* ---- the scheme ------------------------------------------------------------------------------ */

static const vida_discrete_rule* rule_of(const VidaIntegration* self) {
  return ((const vida_energy_state*)self->state)->rule;
}

static void find_middle(VidaIntegration* self, const double* w) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * self->node.h * w[i];
  }
}

int vida__middle_forces(VidaIntegration* self, const double* w, double* force) {
  if (!self->model.system->has_forces) {
    memset(force, 0, (size_t)self->model.n * sizeof *force);
    return VIDA_SUCCESS;
  }
  find_middle(self, w);
  vida__begin_reactions(self, w + self->model.n, self->node.h);
  const int code = vida__gradient_of(&self->model.evaluator, VIDA_PART_FORCE | VIDA_PART_REACTIVE,
                                     vida__node_time(self) + 0.5 * self->node.h, self->work.place,
                                     w, force, self->work.l_v);
  vida__end_reactions(self);
  return code;
}

int vida__energy_rows(VidaIntegration* self, const vida_interval* between, const double* w,
                      double* rows) {
  const int code =
      vida__constraint_increment(&self->model.evaluator, vida__next_time(self), between, w,
                                 self->node.h, self->implicit.g0, self->work.entries, rows);
  for (int i = 0; i < self->model.m; i++) {
    rows[i] += self->implicit.g0[i] / self->node.h;
  }
  return code;
}

int vida__energy_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const vida_discrete_rule* rule = rule_of(self);
  const double half = 0.5 * self->node.h;
  const double* w = u;
  const vida_interval between = vida__next_interval(self, w);
  int code = vida__apply_mass(self, w, r);
  code = code ? code : vida__middle_forces(self, w, self->work.l_q);
  for (int i = 0; i < self->model.n; i++) {
    r[i] -= self->node.p[i] + self->node.p_low[i] + half * self->work.l_q[i];
  }
  code = code ? code : rule->potential(self, &between, self->work.l_q);
  for (int i = 0; i < self->model.n; i++) {
    r[i] += half * self->work.l_q[i];
  }
  code = code ? code : vida__energy_rows(self, &between, w, r + self->model.n);
  code = code ? code : rule->constraints(self, &between, self->work.entries);
  vida__add_reaction(self->model.system, self->work.entries, 0.5, u + self->model.n, r);
  return code;
}

int vida__energy_slopes(VidaIntegration* self, const vida_interval* between, const double* u,
                        double* matrix) {
  const VidaSystem* system = self->model.system;
  const vida_discrete_rule* rule = rule_of(self);
  const double h = self->node.h;
  const vida_hessian_weights force_only = {-0.25 * h * h, -0.5 * h, 0.0, 0.0};
  int code = VIDA_SUCCESS;
  if (system->has_forces) {
    find_middle(self, u);
    vida__begin_reactions(self, u + self->model.n, h);
    code = vida__add_hessian_of(&self->model.evaluator, VIDA_PART_FORCE | VIDA_PART_REACTIVE,
                                between->t, self->work.place, u, force_only, matrix);
    code = code ? code
                : vida__add_reactive_columns(&self->model.evaluator, between->t, self->work.place,
                                             u, -0.5, matrix);
    vida__end_reactions(self);
  }
  code = code ? code
              : rule->add_slopes(self, between, 0.5 * h * h, 0.5 * h, u + self->model.n, matrix);
  code = code ? code : rule->constraints(self, between, self->work.entries);
  vida__add_columns(system, self->work.entries, 0.5, matrix);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                               self->work.entries);
  vida__add_rows(system, self->work.entries, 1.0, matrix);
  return code;
}

int vida__energy_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_interval between = vida__next_interval(self, u);
  const int code = vida__add_hessian_of(&self->model.evaluator, VIDA_PART_KINETIC,
                                        vida__node_time(self), self->work.q1, u, mass_only, matrix);
  return code ? code : vida__energy_slopes(self, &between, u, matrix);
}

int vida__energy_start(VidaIntegration* self, VidaError* error) {
  if (self->model.has_singular_mass) {
    char names[VIDA_MESSAGE_SIZE / 4] = "";
    const int count = vida__append_massless(self->model.system, self->model.mass_matrix->values,
                                            names, sizeof names);
    return VIDA_REFUSE_SYSTEM(
        error, "%s needs a regular mass matrix, and that of system '%s' is singular%s%s",
        self->method->info.name, self->model.system->name,
        count > 0 ? ": it has no mass along " : "", names);
  }
  const int code = vida__apply_mass(self, self->node.v, self->node.p);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* As find_change, with what the plan has evaluated at the solution. */
static void take_change(VidaIntegration* self, const double* w, double* change) {
  const vida_energy_plan* plan = ((const vida_energy_state*)self->state)->plan;
  const double* force = vida__energy_plan_force(plan);
  for (int i = 0; i < self->model.n; i++) {
    change[i] = self->node.h * force[i];
  }
  vida__add_impulses(self, vida__energy_plan_entries(plan), -1.0, w + self->model.n);
}

/* Computes change = p1 - p0 without the impulses of constraints. These are added to p directly,
 * term by term, so that equal and opposite impulses leave no rounding in the momentum maps. */
static int find_change(VidaIntegration* self, const double* w, double* change) {
  const vida_discrete_rule* rule = rule_of(self);
  if (self->implicit.is_planned_step) {
    take_change(self, w, change);
    return VIDA_SUCCESS;
  }
  const vida_interval between = vida__next_interval(self, w);
  int code = vida__middle_forces(self, w, change);
  code = code ? code : rule->potential(self, &between, self->work.l_q);
  code = code ? code : rule->constraints(self, &between, self->work.entries);
  for (int i = 0; i < self->model.n; i++) {
    change[i] = self->node.h * (change[i] - self->work.l_q[i]);
  }
  if (!code) {
    vida__add_impulses(self, self->work.entries, -1.0, w + self->model.n);
  }
  return code;
}

void vida__energy_advance(VidaIntegration* self, const double* change) {
  const double* w = self->implicit.unknown;
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], change[i]);
  }
  vida__advance_positions(self, w);
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = w[self->model.n + r] / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self) + 0.5 * self->node.h;
}

int vida__energy_step(VidaIntegration* self, VidaError* error) {
  return vida__energy_step_with(self, NULL, error);
}

int vida__energy_step_with(VidaIntegration* self,
                           int (*more)(VidaIntegration* self, double* change), VidaError* error) {
  const double* w = self->implicit.unknown;
  double* change = self->work.node_step;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  code = find_change(self, w, change);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  if (more) {
    code = more(self, change);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
  }
  vida__energy_advance(self, change);
  return VIDA_SUCCESS;
}

/* The rounding of a momentum that is as large as the constraint impulse, divided by a mass that is
 * far smaller than those it is coupled to, is a velocity of its own. The projection moves hardly
 * anything else. */
static bool has_rounded_velocities(const VidaIntegration* self) {
  return self->model.m > 0 && (self->method->info.capabilities & VIDA_CAN_VELOCITY_LEVEL) &&
         vida__has_light_coordinates(self);
}

int vida__energy_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const double t = vida__node_time(self);
  int code = vida__solve_mass(self, self->node.p, v);
  if (!code && has_rounded_velocities(self)) {
    code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
    if (!code) {
      return vida__project_velocity(self, t, self->node.q, self->work.entries, self->node.p, v,
                                    NULL, error);
    }
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Computes the energy at the compensated state: adds the effect of the rounding errors of q and p
 * to first order. */
int vida__energy_at_node(VidaIntegration* self, double* value, double* t, VidaError* error) {
  int code = vida__node_energy(self, value, t, error);
  const double* v = NULL;
  code = code ? code : vida__node_velocities(self, &v, error);
  if (code) {
    return code;
  }
  code = vida__gradient_of(&self->model.evaluator, VIDA_PART_POTENTIAL, *t, self->node.q, NULL,
                           self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    *value += v[i] * self->node.p_low[i] - self->work.l_q[i] * self->node.q_low[i];
  }
  return VIDA_SUCCESS;
}

/* ---- the method ------------------------------------------------------------------------------ */

int vida__require_discrete_derivatives(VidaIntegration* self, VidaError* error) {
  const char* name = NULL;
  if (!vida__has_discrete_derivatives(self->model.system, &name)) {
    return VIDA_REFUSE_SYSTEM(
        error,
        "%s needs discrete derivatives: '%s' of system '%s' has none (comparisons of positions, "
        "Lagrangians that are not quadratic in the rates, and callbacks have none)",
        self->method->info.name, name, self->model.system->name);
  }
  return VIDA_SUCCESS;
}

static bool is_general(const VidaIntegration* self) {
  return ((const vida_energy_state*)self->state)->is_general;
}

static int residual(void* data, const double* u, double* r) {
  return is_general(data) ? vida__general_residual(data, u, r) : vida__energy_residual(data, u, r);
}

static int jacobian(void* data, const double* u, double* matrix) {
  return is_general(data) ? vida__general_jacobian(data, u, matrix)
                          : vida__energy_jacobian(data, u, matrix);
}

static int start(VidaIntegration* self, VidaError* error) {
  const vida_energy_state* own = self->state;
  const int code =
      own->is_general ? vida__general_start(self, error) : vida__energy_start(self, error);
  return !code && own->plan ? vida__energy_plan_start(self, own->plan, error) : code;
}

static int step(VidaIntegration* self, VidaError* error) {
  return is_general(self) ? vida__general_step(self, error) : vida__energy_step(self, error);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  return is_general(self) ? vida__general_velocities(self, v, error)
                          : vida__energy_velocities(self, v, error);
}

static int energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  return is_general(self) ? vida__general_energy(self, value, t, error)
                          : vida__energy_at_node(self, value, t, error);
}

static int create(VidaIntegration* self, VidaError* error) {
  const int code = vida__require_discrete_derivatives(self, error);
  if (code) {
    return code;
  }
  self->reacts_between = true;
  if (!self->model.system->constant_mass) {
    return vida__general_create(self, error);
  }
  vida_energy_state* own = vida__allocate(1, sizeof *own);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->rule = &vida__equivariant_rule;
  self->state = own;
  return vida__energy_plan_create(self, own->rule, &own->plan, error);
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  if (is_general(self)) {
    vida__general_state(self, record);
  } else {
    vida__energy_plan_record(((vida_energy_state*)self->state)->plan, record);
  }
}

static void destroy(VidaIntegration* self) {
  if (self->state) {
    vida__energy_plan_destroy(&((vida_energy_state*)self->state)->plan);
  }
}

static const VidaOptionRow options[] = {
    {"plan", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "auto|general",
     "Newton's method of a step: auto uses, where that converges fast, an approximate matrix for "
     "the multipliers (condensed, with diagonal masses) or that of an earlier step (simplified, "
     "with other constant masses); general a new matrix of all unknowns in each step."},
    VIDA_REDUCTION_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum = {
    .size = sizeof(VidaMethod),
    .info = {"energy-momentum", "energy and momentum exact, by equivariant discrete derivatives",
             "Gonzalez 1999, eq. 21",
             "Lagrangians that are at most quadratic in the rates; potentials, Lagrangians and "
             "constraints with discrete derivatives. Momenta of rotations that change the mass "
             "matrix, and momenta of flat bodies as directors with joints, are preserved to second "
             "order only. With ball joints of quaternion bodies, violations of G v = 0 can grow "
             "exponentially at a rate that does not depend on the step (fast spin; a warning tells "
             "when): take directors. "
             "Forces and driven constraints change the energy exactly by their work. "
             "Stability does not limit the step, but very large "
             "steps have no solution.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_CONSTANT_MASS | VIDA_CAN_GENERAL_MASS |
                 VIDA_CAN_REACTIVE_FORCES},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create,
    .state = record_state,
    .destroy = destroy,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = energy};
