/* The geometric nonholonomic integrator (Ferraro, Iglesias and Martin de Diego 2008, 2009; for
 * affine rows Ferraro, Jimenez and Martin de Diego 2015) with the trapezoidal discrete Lagrangian.
 *
 * The momenta before and after a node are mirror images: their mean p satisfies the nonholonomic
 * rows, and they differ by an impulse along A(q)^T. This is RATTLE with p at the nodes, except that
 * the first half impulse of a nonholonomic row is that at the end of the step before:
 *     M w = p0 + h f(q0) / 2 - G(q0)^T mu / 2 - A(q0)^T h alpha0 / 2,   g(q1) = 0,
 *     p1 = M w + h f(q1) / 2 - G(q1)^T nu - A(q1)^T h alpha1 / 2,
 *     G(q1) v1 + g_t = 0,  A(q1) v1 + b = 0
 * If b = 0, both mirror images have the same kinetic energy, so a motion without forces of
 * potentials preserves that of w. The first alpha is that of the equations of motion. */
#include <string.h>

#include "base/error.h"
#include "methods/variational/del_step.h"
#include "system/constraints/singular.h"

static const vida_discrete_lagrangian reflecting_trapezoidal = {
    {2, {0.5, 0.5}, {0.0, 1.0}}, 0.0, true, true};

static int prepare(VidaIntegration* self, VidaError* error) {
  const vida_variational_state* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    own->given[r] = self->node.h * own->alpha[r];
  }
  const int code = vida__prepare_step(self, error);
  for (int r = 0; r < self->model.m && !code; r++) {
    if (self->model.system->rows[r].is_nonholonomic) {
      self->implicit.unknown[self->model.n + r] = own->given[r];
    }
  }
  return code;
}

static int create(VidaIntegration* self, VidaError* error) {
  const int code = vida__del_create(self, &reflecting_trapezoidal, error);
  self->implicit.prepare = prepare;
  return code;
}

/* Between nodes, only masses and holonomic constraints determine the motion: the rows act in
 * impulses. */
static int check_masses(VidaIntegration* self, VidaError* error) {
  const vida_hessian_weights masses = {0.0, 0.0, 0.0, 1.0};
  const VidaSystem* system = self->model.system;
  double* matrix = self->model.node_matrix->values;
  double* entries = self->work.entries;
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  if (system->separable) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(self->model.node_matrix);
  int code = vida__add_hessian(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                               masses, matrix);
  code = code ? code : vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__put_given_entries(self, matrix);
  vida__add_columns(system, entries, 1.0, matrix);
  vida__add_rows(system, entries, 1.0, matrix);
  vida__subtract_redundancy(self, matrix);
  if (vida__append_open_motion(system, matrix, open, sizeof open)) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s needs a mass wherever only nonholonomic rows determine the "
                              "motion of system '%s'%s",
                              self->method->info.name, system->name, open);
  }
  return VIDA_SUCCESS;
}

static int start(VidaIntegration* self, VidaError* error) {
  const vida_variational_state* own = self->state;
  int code = vida__del_start(self, error);
  if (code || !self->model.system->nonholonomic) {
    return code;
  }
  code = check_masses(self, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(self, self->node.t0, self->node.q, self->node.v, self->work.place,
                             own->alpha);
  memcpy(own->alpha_before, own->alpha, (size_t)self->model.m * sizeof *own->alpha);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  const vida_variational_state* own = self->state;
  int code = vida__del_advance(self, error);
  code = code ? code : vida__project_momenta(self, vida__next_time(self), error);
  if (code) {
    return code;
  }
  memcpy(own->alpha_before, own->alpha, (size_t)self->model.m * sizeof *own->alpha);
  for (int r = 0; r < self->model.m; r++) {
    own->alpha[r] = 2.0 * own->impulse[r] / self->node.h;
  }
  return VIDA_SUCCESS;
}

/* ---- the discrete energy --------------------------------------------------------------------- */

/* Returns whether velocities follow from momenta without constraints. */
static bool has_mass_inverse(const VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  return system->separable ||
         (system->constant_mass && self->model.mass_matrix && !self->model.has_singular_mass);
}

/* Finds out whether rows move: then the impulse does work, and the discrete energy has an error of
 * first order. */
static int find_moving_rows(VidaIntegration* self, double t, bool* moves) {
  double* rate = self->work.constraint_work;
  const int code = vida__constraint_rate(&self->model.evaluator, t, self->node.q, rate);
  *moves = false;
  for (int r = 0; r < self->model.m && !code; r++) {
    *moves = *moves || (self->model.system->rows[r].is_nonholonomic && rate[r] != 0.0);
  }
  return code;
}

/* Computes v - h M^-1 A^T alpha / 2 at the node: the velocity after the impulse. */
static int find_velocity_after(VidaIntegration* self, double t, const double* v, double* after) {
  const vida_variational_state* own = self->state;
  const VidaSystem* system = self->model.system;
  double* share = self->work.constraint_work;
  double* force = self->work.l_q;
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  for (int r = 0; r < self->model.m; r++) {
    share[r] = system->rows[r].is_nonholonomic ? 0.5 * self->node.h * own->alpha[r] : 0.0;
  }
  memset(force, 0, (size_t)self->model.n * sizeof *force);
  vida__add_reaction(system, self->work.entries, 1.0, share, force);
  code = code ? code : vida__solve_mass(self, force, force);
  for (int i = 0; i < self->model.n; i++) {
    after[i] = v[i] - force[i];
  }
  return code;
}

static int energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const double* v;
  double* after = self->work.place;
  if (!self->model.system->nonholonomic || !has_mass_inverse(self) ||
      VidaOptions_HasChoice(self->options, "energy", "nodal")) {
    return vida__node_energy(self, value, t, error);
  }
  *t = vida__node_time(self);
  bool moves = false;
  int code = find_moving_rows(self, *t, &moves);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  if (moves) {
    return vida__node_energy(self, value, t, error);
  }
  code = vida__node_velocities(self, &v, error);
  if (code) {
    return code;
  }
  code = find_velocity_after(self, *t, v, after);
  code = code ? code
              : vida__energy(&self->model.evaluator, *t, self->node.q, after, self->work.l_q,
                             self->work.l_v, value);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "discrete|nodal",
     "The reported energy at nodes: with the velocity after the impulse of the nonholonomic rows, "
     "which preserves it in motions without potential (the discrete energy of the paper), or with "
     "the velocity that satisfies the rows. Mass matrices that are not constant, and rows that "
     "move (A v + b = 0), have only the latter."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__gni = {
    .size = sizeof(VidaMethod),
    .info = {"gni", "geometric nonholonomic integrator, trapezoidal discrete Lagrangian",
             "Ferraro, Iglesias and Martin de Diego 2009; Ferraro et al. 2015",
             "Stable for steps below 2 over the largest frequency of the potential. Without "
             "nonholonomic rows it is RATTLE. The multipliers alternate about smooth ones by an "
             "amount of second order.",
             2,
             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC},
    .options = options,
    .equations = {vida__del_residual, vida__del_jacobian, vida__step_sizes,
                  vida__guess_free_flight},
    .create = create,
    .state = vida__del_state,
    .start = start,
    .step = step,
    .velocities = vida__del_velocities,
    .energy = energy};
