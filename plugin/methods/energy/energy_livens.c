/* energy-momentum-livens: the velocity is an unknown of its own (Livens' principle), so that
 * neither the mass matrix needs an inverse nor the Lagrangian a Hamiltonian; Kinon and Betsch 2023.
 *
 * With the discrete derivative (D_q L, D_v L) of L between (q0,v0) and (q1,v1), built operation by
 * operation in positions and rates together (expr/discrete.h),
 *     (q1 - q0)/h = w = (v0 + v1)/2,   (p0 + p1)/2 = D_v L,
 *     p1 - p0 = h (f + D_q L) - Dg^T mu,   g(q1) = 0.
 *
 * p1 v1 - p0 v0 = (p1 - p0) w + (p0 + p1)/2 (v1 - v0) and L1 - L0 = D_q L (q1 - q0) + D_v L (v1 -
 * v0) leave E1 - E0 = h f w - mu/h (g1 - g0) for E = p v - L: the energy is exact for every L with
 * a discrete derivative. If L is a function of quadratic invariants of q, and bilinear ones of q
 * and v such as the angular velocity of a quaternion, the pair of derivatives is equivariant, and
 * momentum maps are exact, those of rotations that change the mass matrix, too. (The paper takes
 * D_q at the two velocities one by one and the mean of M, which keeps them to second order only.)
 *
 * p is L_v at the start; later p - L_v(q,v) is of second order, and E is the energy of q, v and p.
 * Unknowns and rows are those of energy.h, with v1 = 2 w - v0. With constant diagonal masses, v1 =
 * M^-1 p1: the scheme is then that of energy-momentum, and solved as that. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy.h"
#include "system/evaluate/joint.h"

enum { MOVING = VIDA_PART_KINETIC | VIDA_PART_GENERAL };

typedef struct livens_state {
  vida_energy_state base;
  bool is_plain; /* the steps are those of energy-momentum */
  double* v1;    /* n: 2 w - v0 */
  double* l_q;   /* n: D_q L + f */
  double* l_v;   /* n: D_v L */
} livens_state;

static bool is_plain(const VidaIntegration* self) {
  return ((const livens_state*)self->state)->is_plain;
}

static vida_interval find_interval(VidaIntegration* self, const double* w) {
  const livens_state* own = self->state;
  vida_interval between = vida__next_interval(self, w);
  for (int i = 0; i < self->model.n; i++) {
    own->v1[i] = 2.0 * w[i] - self->node.v[i];
  }
  between.v = self->node.v;
  between.v1 = own->v1;
  return between;
}

/* Computes D_q L + f and D_v L. */
static int find_derivatives(VidaIntegration* self, const vida_interval* between, const double* w) {
  const livens_state* own = self->state;
  double* force = self->work.l_q;
  int code = vida__middle_forces(self, w, force);
  code = code ? code : vida__joint_gradient(&self->model.evaluator, between, w, own->l_q, own->l_v);
  for (int i = 0; i < self->model.n; i++) {
    own->l_q[i] += force[i];
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const livens_state* own = self->state;
  if (is_plain(self)) {
    return vida__energy_residual(data, u, r);
  }
  const double half = 0.5 * self->node.h;
  const vida_interval between = find_interval(self, u);
  int code = find_derivatives(self, &between, u);
  for (int i = 0; i < self->model.n; i++) {
    r[i] = own->l_v[i] - (self->node.p[i] + self->node.p_low[i] + half * own->l_q[i]);
  }
  code = code ? code : vida__energy_rows(self, &between, u, r + self->model.n);
  code = code ? code : own->base.rule->constraints(self, &between, self->work.entries);
  vida__add_reaction(self->model.system, self->work.entries, 0.5, u + self->model.n, r);
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  if (is_plain(self)) {
    return vida__energy_jacobian(data, u, matrix);
  }
  const double h = self->node.h;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_hessian_weights weights = {-0.5 * h * h, -h, h, 2.0};
  const vida_interval between = find_interval(self, u);
  int code = vida__add_hessian_of(&self->model.evaluator, VIDA_PART_KINETIC, between.t,
                                  self->work.q1, u, mass_only, matrix);
  code = code ? code : vida__add_joint_slopes(self->model.system, &between, weights, matrix);
  return code ? code : vida__energy_slopes(self, &between, u, matrix);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int start(VidaIntegration* self, VidaError* error) {
  const livens_state* own = self->state;
  if (own->is_plain) {
    const int code = vida__energy_start(self, error);
    return !code && own->base.plan ? vida__energy_plan_start(self, own->base.plan, error) : code;
  }
  return vida__general_start(self, error);
}

static int step(VidaIntegration* self, VidaError* error) {
  const livens_state* own = self->state;
  const double* w = self->implicit.unknown;
  if (own->is_plain) {
    return vida__energy_step(self, error);
  }
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  const vida_interval between = find_interval(self, w);
  code = find_derivatives(self, &between, w);
  code = code ? code : own->base.rule->constraints(self, &between, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    own->l_q[i] *= self->node.h;
  }
  vida__add_impulses(self, self->work.entries, -1.0, w + self->model.n);
  memcpy(self->node.v, own->v1, (size_t)self->model.n * sizeof *own->v1);
  vida__energy_advance(self, own->l_q);
  return VIDA_SUCCESS;
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  return is_plain(self) ? vida__energy_velocities(self, v, error)
                        : vida__general_velocities(self, v, error);
}

/* vida__general_energy is p v - L. */
static int energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  return is_plain(self) ? vida__energy_at_node(self, value, t, error)
                        : vida__general_energy(self, value, t, error);
}

/* ---- the method ------------------------------------------------------------------------------ */

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const char* name = NULL;
  if (!vida__has_joint_derivatives(self->model.system, &name)) {
    return VIDA_REFUSE_SYSTEM(
        error,
        "energy-momentum-livens needs discrete derivatives: '%s' of system '%s' has none "
        "(comparisons of positions or rates, and callbacks have none)",
        name, self->model.system->name);
  }
  livens_state* own = vida__allocate(1, sizeof *own + 3 * n * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->base.rule = &vida__equivariant_rule;
  own->is_plain = self->model.system->separable;
  own->v1 = (double*)(own + 1);
  own->l_q = own->v1 + n;
  own->l_v = own->l_q + n;
  self->state = own;
  self->reacts_between = true;
  return own->is_plain ? vida__energy_plan_create(self, own->base.rule, &own->base.plan, error)
                       : VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  livens_state* own = self->state;
  VidaRecord_Reals(record, own->v1, 3 * (size_t)self->model.n);
  vida__energy_plan_record(own->base.plan, record);
}

static void destroy(VidaIntegration* self) {
  if (self->state) {
    vida__energy_plan_destroy(&((livens_state*)self->state)->base.plan);
  }
}

static const VidaOptionRow options[] = {
    {"plan", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "auto|general",
     "Newton's method of a step: auto uses, with constant diagonal masses, that of "
     "energy-momentum; "
     "general a new matrix of all unknowns in each step."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum_livens = {
    .size = sizeof(VidaMethod),
    .info =
        {"energy-momentum-livens",
         "energy and momentum exact for any Lagrangian, with velocities as unknowns",
         "Kinon and Betsch 2023, with discrete derivatives in positions and velocities together",
         "Lagrangians, potentials and constraints with discrete derivatives; mass matrices M(q), "
         "also singular ones, and Lagrangians that are not quadratic in the rates. The energy is "
         "p v - L of the method's own p and v. Momenta of rotations are exact where Lagrangian "
         "and constraints are written in invariants, also for bodies as quaternions; with joints "
         "of such bodies they are preserved to second order only. Where M depends on q, velocities "
         "contain a part of second order that alternates from step to step; it may grow slowly "
         "along coordinates without mass, and with ball joints of quaternion bodies exponentially "
         "at any step (a warning tells when; take directors there). A start from q and v alone "
         "does not go back exactly. "
         "Forces and driven constraints change the energy exactly by their work.",
         2,
         VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_TIME_DEPENDENT |
             VIDA_CAN_CONSTANT_MASS | VIDA_CAN_GENERAL_MASS | VIDA_CAN_REACTIVE_FORCES |
             VIDA_LIMIT_RESTARTED},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create,
    .state = record_state,
    .destroy = destroy,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = energy};
