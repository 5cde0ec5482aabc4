/* del-ggl: the variational integrator with the constraints and their hidden constraints in its
 * action (Kinon, Betsch and Schneider 2023, Nonlinear Dyn. 111, 14227, with both parameters 1/2).
 *
 * The discrete action of Livens' principle has p as a variable of its own, and gamma for the hidden
 * constraints f(q,p) = G M^-1 p + g_t, both in the middle of a step, lambda for g at the nodes:
 *     sum of P (q1 - q0) - h (P M^-1 P / 2 + V(qm) + gamma f(qm,P)) - lambda g(q),  qm = (q0 +
 * q1)/2 With v = M^-1 P, w = (q1 - q0)/h and mu = h lambda, its variations are M (w - v) = G(qm)^T
 * gamma 2 M v = (p0 - G(q0)^T mu/2) + p-,  p- = p0 - G(q0)^T mu/2 - h (V_q - f + gamma f_q)(qm,v)
 *     g(q1) = 0,  G(qm) v + g_t = 0.
 * The impulse of lambda at q1 belongs half to this step and half to the next one; in which parts is
 * a matter of what is called p at the node. As rattle does, the method takes the part for which the
 * momenta satisfy the hidden constraint, G(q1) M^-1 p1 + g_t = 0: both levels hold at the nodes,
 * the second one also in the middle. The motion does not depend on this choice, and both maps are
 * symplectic. The scheme is symmetric, of second order, and keeps momentum maps exactly.
 *
 * Unknowns are w, mu, v and gamma, rows the equations in the order momenta, g, first, f: the
 * doubled KKT rows of energy_projected.c, beside which this file lies. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy_projected.h"

typedef struct ggl_state {
  double* unknown; /* 2 (n + m) */
  double* impulse; /* m: nu of the last step */
  double* force;   /* n: f - V_q in the middle */
  double* middle;  /* entries of G in the middle */
  double* turned;  /* entries of (G v + g_t)_q there */
  double* quarter; /* values of the KKT pattern: work */
  size_t numbers;  /* behind the state */
  bool has_gamma;  /* unknown has that of the last step */
  vida_pattern pattern;
} ggl_state;

/* The parts of L_q + f. */
enum { FORCES = VIDA_PART_POTENTIAL | VIDA_PART_FORCE };

static double middle_time(const VidaIntegration* self) {
  return vida__place_time(self, 0.5);
}

/* ---- the map --------------------------------------------------------------------------------- */

/* Computes what the equations take in the middle, at self->work.place. */
static int find_middle(VidaIntegration* self, const double* w, const double* v) {
  const ggl_state* own = self->state;
  const double t = middle_time(self);
  vida__find_place(self, w, 0.5, self->work.place);
  int code = vida__gradient_of(&self->model.evaluator, FORCES, t, self->work.place, v, own->force,
                               self->work.l_v);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->work.place, own->middle);
  return code
             ? code
             : vida__velocity_gradient(&self->model.evaluator, t, self->work.place, v, own->turned);
}

/* Computes the rows of g, g(q1)/h. */
static int find_rows(VidaIntegration* self, const double* w, double* rows) {
  const double h = self->node.h;
  const vida_interval between = vida__next_interval(self, w);
  const int code =
      vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between, w, h,
                                 self->implicit.g0, self->work.entries, rows);
  for (int k = 0; k < self->model.m; k++) {
    rows[k] += self->implicit.g0[k] / h;
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const ggl_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, half = n + self->model.m;
  const double h = self->node.h;
  const double *v = u + half, *gamma = v + n;
  double* first = r + half;
  int code = find_middle(self, u, v);
  code = code ? code : vida__apply_mass(self, v, r);
  code = code ? code : vida__apply_mass(self, u, first);
  for (int i = 0; i < n; i++) {
    first[i] -= r[i];
    r[i] -= self->node.p[i] + self->node.p_low[i] + 0.5 * h * own->force[i];
  }
  vida__add_reaction(system, self->implicit.entries0, 0.5, u + n, r);
  vida__add_reaction(system, own->turned, 0.5 * h, gamma, r);
  vida__add_reaction(system, own->middle, -1.0, gamma, first);
  code = code ? code : find_rows(self, u, r + n);
  return code ? code
              : vida__velocity_residual(&self->model.evaluator, middle_time(self), self->work.place,
                                        own->middle, v, first + n);
}

static int add_mass(VidaIntegration* self, double weight) {
  const ggl_state* own = self->state;
  const vida_hessian_weights weights = {0.0, 0.0, 0.0, weight};
  return vida__add_hessian_of(&self->model.evaluator, VIDA_PART_KINETIC, vida__node_time(self),
                              self->node.q, self->node.v, weights, own->quarter);
}

static int add_curvature(VidaIntegration* self, double weight, const double* gamma) {
  const ggl_state* own = self->state;
  return vida__add_curvature(&self->model.evaluator, middle_time(self), self->work.place, weight,
                             gamma, own->quarter);
}

static void add_quarter(VidaIntegration* self, int down, int right, double* matrix) {
  const ggl_state* own = self->state;
  if (down == right) {
    vida__subtract_redundancy(self, own->quarter);
  }
  vida__add_quarter(&self->model.system->pattern, &own->pattern, down, right, own->quarter, matrix);
}

/* Adds the columns of w and mu. Third derivatives of g, times gamma, are left out. */
static int add_left(VidaIntegration* self, const double* v, const double* gamma, double* matrix) {
  const ggl_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double h = self->node.h;
  const vida_hessian_weights by_place = {-0.25 * h * h, 0.0, 0.0, 0.0};
  int code = vida__add_hessian_of(&self->model.evaluator, FORCES, middle_time(self),
                                  self->work.place, v, by_place, own->quarter);
  vida__add_columns(system, self->implicit.entries0, 0.5, own->quarter);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                               self->work.entries);
  vida__add_rows(system, self->work.entries, 1.0, own->quarter);
  add_quarter(self, 0, 0, matrix);
  code = code ? code : add_mass(self, 1.0);
  code = code ? code : add_curvature(self, -0.5 * h, gamma);
  vida__add_rows(system, own->turned, 0.5 * h, own->quarter);
  add_quarter(self, 1, 0, matrix);
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const ggl_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double h = self->node.h;
  const double *v = u + self->model.n + self->model.m, *gamma = v + self->model.n;
  const vida_hessian_weights by_rates = {0.0, -0.5 * h, 0.0, 0.0};
  vida__next_interval(self, u);
  int code = find_middle(self, u, v);
  code = code ? code : add_left(self, v, gamma, matrix);
  code = code ? code : add_mass(self, 1.0);
  code = code ? code : add_curvature(self, 0.5 * h, gamma);
  if (!code && system->has_forces) {
    code = vida__add_hessian_of(&self->model.evaluator, VIDA_PART_FORCE, middle_time(self),
                                self->work.place, v, by_rates, own->quarter);
  }
  vida__add_columns(system, own->turned, 0.5 * h, own->quarter);
  add_quarter(self, 0, 1, matrix);
  code = code ? code : add_mass(self, -1.0);
  vida__add_columns(system, own->middle, -1.0, own->quarter);
  vida__add_rows(system, own->middle, 1.0, own->quarter);
  add_quarter(self, 1, 1, matrix);
  return code;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int prepare(VidaIntegration* self, VidaError* error) {
  ggl_state* own = self->state;
  const int n = self->model.n, half = n + self->model.m;
  const int code = vida__prepare_step(self, error);
  if (code) {
    return code;
  }
  const double motion = self->implicit.scaled_for;
  double* v = own->unknown + half;
  for (int i = 0; i < half; i++) {
    const double root = i < n ? self->model.root_mass[i] : self->model.row_stiffness[i - n];
    vida__map_set_size(self->implicit.map, half + i, motion * root, motion / root);
  }
  memcpy(v, own->unknown, (size_t)n * sizeof *v);
  if (!own->has_gamma || self->model.redundant) {
    memset(v + n, 0, (size_t)self->model.m * sizeof *v);
  }
  return VIDA_SUCCESS;
}

/* Computes the multiplier at the node at which the step starts from the half impulses on both
 * sides. */
static void take_multipliers(VidaIntegration* self, bool has_impulse) {
  const ggl_state* own = self->state;
  const double* mu = own->unknown + self->model.n;
  for (int r = 0; r < self->model.m; r++) {
    const double total = has_impulse ? 0.5 * mu[r] + own->impulse[r] : mu[r];
    self->node.lambda[r] = total / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self);
}

/* Adds the impulse of the second half at the node that the step has reached. */
static int finish(VidaIntegration* self, VidaError* error) {
  const ggl_state* own = self->state;
  return vida__project_node(self, vida__next_time(self), own->impulse, error);
}

static int step(VidaIntegration* self, VidaError* error) {
  ggl_state* own = self->state;
  const int n = self->model.n, half = n + self->model.m;
  const double* u = own->unknown;
  const bool has_impulse = own->has_gamma;
  int code = vida__solve_step(self, error);
  own->has_gamma = !code;
  code = code ? code : find_middle(self, u, u + half);
  if (code) {
    return own->has_gamma ? vida__evaluation_failed(self, code, error) : code;
  }
  take_multipliers(self, has_impulse);
  for (int i = 0; i < n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], self->node.h * own->force[i]);
  }
  vida__add_impulses(self, self->implicit.entries0, -0.5, u + n);
  vida__add_impulses(self, own->turned, -self->node.h, u + half + n);
  vida__advance_positions(self, u);
  memcpy(self->node.v, u + half, (size_t)n * sizeof *u);
  return finish(self, error);
}

static int start(VidaIntegration* self, VidaError* error) {
  ((ggl_state*)self->state)->has_gamma = false;
  return vida__energy_start(self, error);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  ggl_state* own = self->state;
  VidaRecord_Reals(record, own->unknown, own->numbers);
  VidaRecord_Flag(record, &own->has_gamma);
}

/* ---- creation -------------------------------------------------------------------------------- */

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m, size = 2 * (n + m);
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t places = (size_t)self->model.system->pattern.entries;
  const size_t numbers = size + m + n + 2 * entries + places;
  ggl_state* own = vida__allocate(
      1, sizeof *own + numbers * sizeof(double) + (size + 1 + 4 * places) * sizeof(sunindextype));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->numbers = numbers;
  own->unknown = (double*)(own + 1);
  own->impulse = own->unknown + size;
  own->force = own->impulse + m;
  own->middle = own->force + n;
  own->turned = own->middle + entries;
  own->quarter = own->turned + entries;
  self->state = own;
  vida__use_doubled_rows(self, &own->pattern, (sunindextype*)(own->quarter + places), own->unknown);
  self->implicit.prepare = prepare;
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__del_ggl = {
    .size = sizeof(VidaMethod),
    .info =
        {"del-ggl", "variational, with the hidden constraints in the action",
         "Kinon, Betsch and Schneider 2023",
         "Constant mass matrices. The limits of del-midpoint. The hidden constraints hold at the "
         "nodes and for the velocity of the step, in its middle.",
         2,
         VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
             VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .equations = {residual, jacobian, vida__projected_sizes, vida__projected_guess},
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy};
