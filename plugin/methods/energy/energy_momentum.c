/* The energy-momentum method of Gonzalez (paper 003, eq. 21 and 33-34) for T = v^T M v / 2, and the
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
#include "system/constraints/singular.h"

vida_interval vida__next_interval(VidaStepper* stepper, const double* w) {
  for (int i = 0; i < stepper->n; i++) {
    stepper->dq[i] = stepper->h * w[i];
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
  }
  vida_interval between = vida__interval(&stepper->evaluator, stepper->q, stepper->q1, stepper->dq);
  between.q_low = stepper->q_low;
  between.t = vida__node_time(stepper) + 0.5 * stepper->h;
  return between;
}

/* ---- the equivariant rule -------------------------------------------------------------------- */

static int equivariant_potential(VidaStepper* stepper, const vida_interval* between, double* d_v) {
  return vida__discrete_gradient(stepper->system, between, d_v);
}

static int equivariant_constraints(VidaStepper* stepper, const vida_interval* between,
                                   double* entries) {
  return vida__discrete_jacobian(stepper->system, between, entries);
}

static int add_equivariant_slopes(VidaStepper* stepper, const vida_interval* between,
                                  double weight_v, double weight_g, const double* mu,
                                  double* matrix) {
  const int code = vida__add_discrete_hessian(stepper->system, between, weight_v, matrix);
  return code ? code : vida__add_discrete_curvature(stepper->system, between, weight_g, mu, matrix);
}

const vida_discrete_rule vida__equivariant_rule = {equivariant_potential, equivariant_constraints,
                                                   add_equivariant_slopes};

/* ---- the scheme ------------------------------------------------------------------------------ */

static const vida_discrete_rule* rule_of(const VidaStepper* stepper) {
  return ((const vida_energy_state*)stepper->own)->rule;
}

static void find_middle(VidaStepper* stepper, const double* w) {
  for (int i = 0; i < stepper->n; i++) {
    stepper->place[i] = stepper->q[i] + 0.5 * stepper->h * w[i];
  }
}

int vida__middle_forces(VidaStepper* stepper, const double* w, double* force) {
  if (!stepper->system->has_forces) {
    memset(force, 0, (size_t)stepper->n * sizeof *force);
    return VIDA_SUCCESS;
  }
  find_middle(stepper, w);
  return vida__gradient_of(&stepper->evaluator, VIDA_PART_FORCE,
                           vida__node_time(stepper) + 0.5 * stepper->h, stepper->place, w, force,
                           stepper->l_v);
}

int vida__energy_rows(VidaStepper* stepper, const vida_interval* between, const double* w,
                      double* rows) {
  const int code =
      vida__constraint_increment(&stepper->evaluator, vida__next_time(stepper), between, w,
                                 stepper->h, stepper->g0, stepper->entries, rows);
  for (int i = 0; i < stepper->m; i++) {
    rows[i] += stepper->g0[i] / stepper->h;
  }
  return code;
}

int vida__energy_residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const vida_discrete_rule* rule = rule_of(stepper);
  const double half = 0.5 * stepper->h;
  const double* w = u;
  const vida_interval between = vida__next_interval(stepper, w);
  int code = vida__apply_mass(stepper, w, r);
  code = code ? code : vida__middle_forces(stepper, w, stepper->l_q);
  for (int i = 0; i < stepper->n; i++) {
    r[i] -= stepper->p[i] + stepper->p_low[i] + half * stepper->l_q[i];
  }
  code = code ? code : rule->potential(stepper, &between, stepper->l_q);
  for (int i = 0; i < stepper->n; i++) {
    r[i] += half * stepper->l_q[i];
  }
  code = code ? code : vida__energy_rows(stepper, &between, w, r + stepper->n);
  code = code ? code : rule->constraints(stepper, &between, stepper->entries);
  vida__add_reaction(stepper->system, stepper->entries, 0.5, u + stepper->n, r);
  return code;
}

int vida__energy_slopes(VidaStepper* stepper, const vida_interval* between, const double* u,
                        double* matrix) {
  const VidaSystem* system = stepper->system;
  const vida_discrete_rule* rule = rule_of(stepper);
  const double h = stepper->h;
  const vida_hessian_weights force_only = {-0.25 * h * h, -0.5 * h, 0.0, 0.0};
  int code = VIDA_SUCCESS;
  if (system->has_forces) {
    find_middle(stepper, u);
    code = vida__add_hessian_of(&stepper->evaluator, VIDA_PART_FORCE, between->t, stepper->place, u,
                                force_only, matrix);
  }
  code = code ? code
              : rule->add_slopes(stepper, between, 0.5 * h * h, 0.5 * h, u + stepper->n, matrix);
  code = code ? code : rule->constraints(stepper, between, stepper->entries);
  vida__add_columns(system, stepper->entries, 0.5, matrix);
  code = code ? code
              : vida__jacobian(&stepper->evaluator, vida__next_time(stepper), stepper->q1,
                               stepper->entries);
  vida__add_rows(system, stepper->entries, 1.0, matrix);
  return code;
}

int vida__energy_jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_interval between = vida__next_interval(stepper, u);
  const int code =
      vida__add_hessian_of(&stepper->evaluator, VIDA_PART_KINETIC, vida__node_time(stepper),
                           stepper->q1, u, mass_only, matrix);
  return code ? code : vida__energy_slopes(stepper, &between, u, matrix);
}

int vida__energy_start(VidaStepper* stepper, VidaError* error) {
  if (stepper->has_singular_mass) {
    char names[VIDA_MESSAGE_SIZE / 4] = "";
    const int count =
        vida__append_massless(stepper->system, stepper->mass_matrix->values, names, sizeof names);
    return VIDA_REFUSE_SYSTEM(
        error, "%s needs a regular mass matrix, and that of system '%s' is singular%s%s",
        stepper->method->info.name, stepper->system->name,
        count > 0 ? ": there is nothing along " : "", names);
  }
  const int code = vida__apply_mass(stepper, stepper->v0, stepper->p);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* change = p1 - p0 without the impulses of constraints, which p has received: term by term, so that
 * those of equal and opposite size leave no rounding in the momentum maps. */
static int find_change(VidaStepper* stepper, const double* w, double* change) {
  const vida_discrete_rule* rule = rule_of(stepper);
  const vida_interval between = vida__next_interval(stepper, w);
  int code = vida__middle_forces(stepper, w, change);
  code = code ? code : rule->potential(stepper, &between, stepper->l_q);
  code = code ? code : rule->constraints(stepper, &between, stepper->entries);
  for (int i = 0; i < stepper->n; i++) {
    change[i] = stepper->h * (change[i] - stepper->l_q[i]);
  }
  if (!code) {
    vida__add_impulses(stepper, stepper->entries, -1.0, w + stepper->n);
  }
  return code;
}

void vida__energy_advance(VidaStepper* stepper, const double* change) {
  const double* w = stepper->unknown;
  for (int i = 0; i < stepper->n; i++) {
    vida__add_compensated(&stepper->p[i], &stepper->p_low[i], change[i]);
  }
  vida__advance_positions(stepper, w);
  for (int r = 0; r < stepper->m; r++) {
    stepper->lambda[r] = w[stepper->n + r] / stepper->h;
  }
  stepper->lambda_t = vida__node_time(stepper) + 0.5 * stepper->h;
}

int vida__energy_step(VidaStepper* stepper, VidaError* error) {
  return vida__energy_step_with(stepper, NULL, error);
}

int vida__energy_step_with(VidaStepper* stepper, int (*more)(VidaStepper* stepper, double* change),
                           VidaError* error) {
  const double* w = stepper->unknown;
  double* change = stepper->node_step;
  int code = vida__solve_step(stepper, error);
  if (code) {
    return code;
  }
  code = find_change(stepper, w, change);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  if (more) {
    code = more(stepper, change);
    if (code) {
      return vida__evaluation_failed(stepper, code, error);
    }
  }
  vida__energy_advance(stepper, change);
  return VIDA_SUCCESS;
}

int vida__energy_velocities(VidaStepper* stepper, double* v, VidaError* error) {
  const int code = vida__solve_mass(stepper, stepper->p, v);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* At the compensated state: what rounding has lost of it changes the energy by its derivatives. */
int vida__energy_at_node(VidaStepper* stepper, double* value, double* t, VidaError* error) {
  int code = vida__node_energy(stepper, value, t, error);
  if (code) {
    return code;
  }
  code = vida__gradient_of(&stepper->evaluator, VIDA_PART_POTENTIAL, *t, stepper->q, NULL,
                           stepper->l_q, stepper->l_v);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    *value += stepper->node_velocity[i] * stepper->p_low[i] - stepper->l_q[i] * stepper->q_low[i];
  }
  return VIDA_SUCCESS;
}

/* ---- the method ------------------------------------------------------------------------------ */

int vida__require_discrete_derivatives(VidaStepper* stepper, VidaError* error) {
  const char* name = NULL;
  if (!vida__has_discrete_derivatives(stepper->system, &name)) {
    return VIDA_REFUSE_SYSTEM(
        error,
        "%s needs discrete derivatives: '%s' of system '%s' has none (as have functions that "
        "compare positions, Lagrangians that are not quadratic in the rates, and callbacks)",
        stepper->method->info.name, name, stepper->system->name);
  }
  return VIDA_SUCCESS;
}

static bool is_general(const VidaStepper* stepper) {
  return ((const vida_energy_state*)stepper->own)->is_general;
}

static int residual(void* data, const double* u, double* r) {
  return is_general(data) ? vida__general_residual(data, u, r) : vida__energy_residual(data, u, r);
}

static int jacobian(void* data, const double* u, double* matrix) {
  return is_general(data) ? vida__general_jacobian(data, u, matrix)
                          : vida__energy_jacobian(data, u, matrix);
}

static int start(VidaStepper* stepper, VidaError* error) {
  return is_general(stepper) ? vida__general_start(stepper, error)
                             : vida__energy_start(stepper, error);
}

static int step(VidaStepper* stepper, VidaError* error) {
  return is_general(stepper) ? vida__general_step(stepper, error)
                             : vida__energy_step(stepper, error);
}

static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  return is_general(stepper) ? vida__general_velocities(stepper, v, error)
                             : vida__energy_velocities(stepper, v, error);
}

static int energy(VidaStepper* stepper, double* value, double* t, VidaError* error) {
  return is_general(stepper) ? vida__general_energy(stepper, value, t, error)
                             : vida__energy_at_node(stepper, value, t, error);
}

static int create(VidaStepper* stepper, VidaError* error) {
  const int code = vida__require_discrete_derivatives(stepper, error);
  if (code) {
    return code;
  }
  stepper->reacts_between = true;
  if (!stepper->system->constant_mass) {
    return vida__general_create(stepper, error);
  }
  vida_energy_state* own = vida__allocate(1, sizeof *own);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->rule = &vida__equivariant_rule;
  stepper->own = own;
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum = {
    .info = {"energy-momentum", "energy and momentum exact, by equivariant discrete derivatives",
             "Gonzalez 1999, eq. 21",
             "Lagrangians that are at most quadratic in the rates; potentials, Lagrangians and "
             "constraints with discrete derivatives. Momenta of rotations that change the mass "
             "matrix are preserved to second order only. Forces and driven constraints change the "
             "energy exactly by their work. Stability does not limit the step, but very large "
             "steps have no solution.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_CONSTANT_MASS | VIDA_CAN_GENERAL_MASS},
    .options = options,
    .map = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = energy};
