/* Discrete Euler-Lagrange methods with constraints, in position-momentum form.
 *
 * The discrete Lagrangian takes L along the straight line from q0 to q1 = q0 + h w,
 *     Ld(q0,q1) = h sum_i b_i L(q0 + c_i h w, w),
 * with b = {1}, c = {1/2} for del-midpoint (paper 000, eq. 4.1, 4.6), c = {1} for del-endpoint
 * (4.16: SHAKE, Verlet without constraints) and b = {1/2, 1/2}, c = {0, 1} for del-trapezoidal and
 * rattle. A step
 * solves sum_i b_i [L_v - h (1 - c_i) L_q](q0 + c_i h w, w) - p0 + kappa G(q0)^T mu = 0,  g(q1) = 0
 * for w and mu = h lambda, kappa being 1 between two steps and 1/2 at an end. Then
 *     p1 = p0 + h sum_i b_i L_q - kappa G(q0)^T mu,
 * which in this form keeps momentum maps even where the equations are solved to rounding only.
 *
 * Forces f stand where L_q stands (paper 004, eq. 11, with both discrete forces from the places of
 * Ld). Nonholonomic rows act like G(q0)^T and ask for A w + b = 0 on the line: in its middle, which
 * is symmetric, or at q1 (paper 004, eq. 13). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/integration.h"

enum { MOST_NODES = 2 };

typedef struct discrete_lagrangian {
  int nodes;
  double b[MOST_NODES], c[MOST_NODES];
  /* sum b_i (c_i - 1/2): how much more than half of the force the arriving momentum has taken */
  double lead;
  bool projects; /* half impulses, and p projected on G v + g_t = 0 at the end of each step */
} discrete_lagrangian;

static const discrete_lagrangian midpoint = {1, {1.0, 0.0}, {0.5, 0.0}, 0.0, false};
static const discrete_lagrangian endpoint = {1, {1.0, 0.0}, {1.0, 0.0}, 0.5, false};
static const discrete_lagrangian trapezoidal = {2, {0.5, 0.5}, {0.0, 1.0}, 0.0, false};
static const discrete_lagrangian projected_trapezoidal = {2, {0.5, 0.5}, {0.0, 1.0}, 0.0, true};

typedef struct variational_state {
  const discrete_lagrangian* rule;
  double row_place; /* where on the line nonholonomic rows are taken */
  bool midpoint_energy;
  bool has_step; /* w below belongs to the step that led here */
  double kappa;
  double* base;    /* n: what does not depend on the unknowns, -p0 above all */
  double* w;       /* n: velocity of the last step */
  double* impulse; /* m: nu of the last projection (rattle) */
  double* rows;    /* entries of A and a_q, for systems with nonholonomic rows */
  double* slopes;
  double data[]; /* where the arrays above live */
} variational_state;

static bool projects(const VidaIntegration* self) {
  const variational_state* own = self->state;
  return own->rule->projects || self->one_step;
}

static double step_weight(const VidaIntegration* self) {
  return projects(self) || self->node.step == 0 ? 0.5 : 1.0;
}

static int create_with(VidaIntegration* self, const discrete_lagrangian* rule, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries =
      self->model.system->nonholonomic ? (size_t)self->model.system->entry_count : 0;
  variational_state* own =
      vida__allocate(1, sizeof *own + (2 * n + m + 2 * entries) * sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->rule = rule;
  own->base = own->data;
  own->w = own->base + n;
  own->impulse = own->w + n;
  own->rows = own->impulse + m;
  own->slopes = own->rows + entries;
  own->row_place = 0.5;
  own->midpoint_energy = VidaOptions_HasChoice(self->options, "energy", "midpoint");
  self->state = own;
  return VIDA_SUCCESS;
}

static int create_midpoint(VidaIntegration* self, VidaError* error) {
  return create_with(self, &midpoint, error);
}

static int create_trapezoidal(VidaIntegration* self, VidaError* error) {
  return create_with(self, &trapezoidal, error);
}

static int create_endpoint(VidaIntegration* self, VidaError* error) {
  return create_with(self, &endpoint, error);
}

static int create_nonholonomic(VidaIntegration* self, VidaError* error) {
  const int code = create_with(self, &midpoint, error);
  if (!code && VidaOptions_HasChoice(self->options, "rows", "endpoint")) {
    variational_state* own = self->state;
    own->row_place = 1.0;
  }
  return code;
}

static int create_rattle(VidaIntegration* self, VidaError* error) {
  return create_with(self, &projected_trapezoidal, error);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* At the ends of a step a potential's force is known or not needed: only M w depends on w. */
static bool is_explicit(const VidaIntegration* self, double c) {
  return self->model.system->separable && (c == 0.0 || c == 1.0);
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const variational_state* own = self->state;
  const discrete_lagrangian* rule = own->rule;
  const double* w = u;
  const double* mu = u + self->model.n;
  const double h = self->node.h;
  memcpy(r, own->base, (size_t)self->model.n * sizeof *r);
  vida__add_reaction(self->model.system, self->implicit.entries0, own->kappa, mu, r);
  for (int k = 0; k < rule->nodes; k++) {
    const double b = rule->b[k];
    const double c = rule->c[k];
    if (is_explicit(self, c)) {
      for (int i = 0; i < self->model.n; i++) {
        r[i] += b * self->model.system->mass[i] * w[i];
      }
      continue;
    }
    vida__find_place(self, w, c, self->work.place);
    const int code = vida__gradient(&self->model.evaluator, vida__place_time(self, c),
                                    self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      r[i] += b * (self->work.l_v[i] - h * (1.0 - c) * self->work.l_q[i]);
    }
  }
  double* rows = r + self->model.n;
  for (int i = 0; i < self->model.n; i++) {
    self->work.dq[i] = h * w[i];
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
  }
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  const int code =
      vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between, w, h,
                                 self->implicit.g0, self->work.entries, rows);
  for (int i = 0; i < self->model.m; i++) {
    rows[i] += self->implicit.g0[i] / h;
  }
  if (code || !self->model.system->nonholonomic) {
    return code;
  }
  vida__find_place(self, w, own->row_place, self->work.place);
  return vida__nonholonomic(&self->model.evaluator, vida__place_time(self, own->row_place),
                            self->work.place, w, rows);
}

/* The derivatives of nonholonomic rows with respect to w, A + c h a_q, among the entries of G. */
static int replace_nonholonomic_entries(VidaIntegration* self, const double* w) {
  variational_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double t = vida__place_time(self, own->row_place);
  vida__find_place(self, w, own->row_place, self->work.place);
  int code = vida__jacobian(&self->model.evaluator, t, self->work.place, own->rows);
  code = code ? code
              : vida__nonholonomic_gradient(&self->model.evaluator, t, self->work.place, w,
                                            own->slopes);
  for (int e = 0; e < system->entry_count && !code; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      self->work.entries[e] = own->rows[e] + own->row_place * self->node.h * own->slopes[e];
    }
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const variational_state* own = self->state;
  const discrete_lagrangian* rule = own->rule;
  const double* w = u;
  const double h = self->node.h;
  for (int k = 0; k < rule->nodes; k++) {
    const double b = rule->b[k];
    const double c = rule->c[k];
    const double rest = h * (1.0 - c);
    const vida_hessian_weights weights = {-b * rest * h * c, -b * rest, b * h * c, b};
    vida__find_place(self, w, c, self->work.place);
    const int code = vida__add_hessian(&self->model.evaluator, vida__place_time(self, c),
                                       self->work.place, w, weights, matrix);
    if (code) {
      return code;
    }
  }
  vida__find_place(self, w, 1.0, self->work.q1);
  int code = vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                            self->work.entries);
  if (!code && self->model.system->nonholonomic) {
    code = replace_nonholonomic_entries(self, w);
  }
  vida__add_columns(self->model.system, self->implicit.entries0, own->kappa, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  return code;
}

/* base = -p0, less the forces at q0 that do not depend on w. */
static int prepare_base(VidaIntegration* self) {
  variational_state* own = self->state;
  const discrete_lagrangian* rule = own->rule;
  for (int i = 0; i < self->model.n; i++) {
    own->base[i] = -(self->node.p[i] + self->node.p_low[i]);
  }
  for (int k = 0; k < rule->nodes; k++) {
    if (rule->c[k] != 0.0 || !is_explicit(self, 0.0)) {
      continue;
    }
    const int code = vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q,
                                    self->node.v, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      own->base[i] -= rule->b[k] * self->node.h * self->work.l_q[i];
    }
  }
  return VIDA_SUCCESS;
}

/* ---- after a solve --------------------------------------------------------------------------- */

/* p += h sum b_i L_q, before the positions are advanced. */
static int advance_momenta(VidaIntegration* self, const double* w) {
  const variational_state* own = self->state;
  const discrete_lagrangian* rule = own->rule;
  double* p_low = self->node.p_low;
  for (int k = 0; k < rule->nodes; k++) {
    const double weight = self->node.h * rule->b[k];
    vida__find_place(self, w, rule->c[k], self->work.place);
    const int code = vida__gradient(&self->model.evaluator, vida__place_time(self, rule->c[k]),
                                    self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      vida__add_compensated(&self->node.p[i], &p_low[i], weight * self->work.l_q[i]);
    }
  }
  vida__add_impulses(self, self->implicit.entries0, -own->kappa,
                     self->implicit.unknown + self->model.n);
  return VIDA_SUCCESS;
}

/* rattle: v at the new node, and p less the impulse of the hidden constraint. */
static int project_momenta(VidaIntegration* self, double t, VidaError* error) {
  variational_state* own = self->state;
  double* v = self->node.v;
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__project_velocity(self, t, self->node.q, self->work.entries, self->node.p, v,
                                own->impulse, error);
  if (!code) {
    vida__add_impulses(self, self->work.entries, -1.0, own->impulse);
  }
  return code;
}

/* The multiplier at the node that the step starts from: of rattle, both half impulses at it. */
static void take_multipliers(VidaIntegration* self) {
  const variational_state* own = self->state;
  const double* mu = self->implicit.unknown + self->model.n;
  const bool two_halves = projects(self) && own->has_step;
  for (int r = 0; r < self->model.m; r++) {
    const double total = two_halves ? 0.5 * mu[r] + own->impulse[r] : mu[r];
    self->node.lambda[r] = total / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self);
}

static int step(VidaIntegration* self, VidaError* error) {
  variational_state* own = self->state;
  const double* w = self->implicit.unknown;
  own->kappa = step_weight(self);
  int code = prepare_base(self);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  take_multipliers(self);
  code = advance_momenta(self, w);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__advance_positions(self, w);
  memcpy(own->w, w, (size_t)self->model.n * sizeof *w);
  if (projects(self)) {
    code = project_momenta(self, vida__next_time(self), error);
  }
  own->has_step = true;
  return code;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* p += weight h L_q at the node: the share of the force that the node's momentum has, or has not.
 */
static int add_force(VidaIntegration* self, double t, const double* v, double weight, double* p) {
  const int code =
      vida__gradient(&self->model.evaluator, t, self->node.q, v, self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n && !code; i++) {
    p[i] += weight * self->node.h * self->work.l_q[i];
  }
  return code;
}

static int start(VidaIntegration* self, VidaError* error) {
  variational_state* own = self->state;
  own->has_step = false;
  own->kappa = 0.5;
  int code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                            self->work.l_q, self->work.l_v);
  memcpy(self->node.p, self->work.l_v, (size_t)self->model.n * sizeof(double));
  if (!code && own->rule->lead != 0.0) {
    code = add_force(self, self->node.t0, self->node.v, own->rule->lead, self->node.p);
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* p1 = D2 Ld(q0,q1), paper 000, eq. 3.1 */
static int start_two_points(VidaIntegration* self, const double* q1, VidaError* error) {
  variational_state* own = self->state;
  const discrete_lagrangian* rule = own->rule;
  const double* w = self->node.v;
  memcpy(own->w, w, (size_t)self->model.n * sizeof *w);
  for (int k = 0; k < rule->nodes; k++) {
    vida__find_place(self, w, rule->c[k], self->work.place);
    const int code = vida__gradient(&self->model.evaluator, vida__place_time(self, rule->c[k]),
                                    self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
    for (int i = 0; i < self->model.n; i++) {
      self->node.p[i] +=
          rule->b[k] * (self->work.l_v[i] + self->node.h * rule->c[k] * self->work.l_q[i]);
    }
  }
  memcpy(self->node.q, q1, (size_t)self->model.n * sizeof *q1);
  self->node.step = 1;
  self->statistics.steps = 1;
  own->has_step = true;
  own->kappa = step_weight(self);
  return rule->projects ? project_momenta(self, vida__node_time(self), error) : VIDA_SUCCESS;
}

/* ---- what can be asked ----------------------------------------------------------------------- */

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  const variational_state* own = self->state;
  const double t = vida__node_time(self);
  double* p = self->work.place;
  if (self->node.step == 0 || projects(self)) {
    memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
    return VIDA_SUCCESS;
  }
  memcpy(p, self->node.p, (size_t)self->model.n * sizeof *p);
  memcpy(v, own->w, (size_t)self->model.n * sizeof *v);
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (!code && own->rule->lead != 0.0) {
    code = add_force(self, t, v, -own->rule->lead, p);
  }
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  return vida__project_velocity(self, t, self->node.q, self->work.entries, p, v, NULL, error);
}

static int energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const variational_state* own = self->state;
  const double* q = self->node.q;
  const double* v = own->w;
  int code = VIDA_SUCCESS;
  *t = vida__node_time(self);
  if (own->midpoint_energy && own->has_step) {
    vida__find_place(self, own->w, -0.5, self->work.place);
    q = self->work.place;
    *t -= 0.5 * self->node.h;
  } else {
    code = vida__node_velocities(self, &v, error);
    if (code) {
      return code;
    }
  }
  code = vida__energy(&self->model.evaluator, *t, q, v, self->work.l_q, self->work.l_v, value);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- records --------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    {"start", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "velocity|two-point",
     "Start of the first step: from the initial velocity, or from a second point, taken from the "
     "reference run (as in the papers)."},
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",
     "The reported energy: at nodes with the projected velocity, or in the middle of a step with "
     "(q1 - q0)/h (as in the papers)."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow nonholonomic_options[] = {
    {"rows", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "midpoint|endpoint",
     "Where A w + b = 0 holds: in the middle of a step (symmetric, second order), or at its end "
     "(as in the paper, first order)."},
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",
     "The reported energy: at nodes with the projected velocity, or in the middle of a step with "
     "(q1 - q0)/h."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

#define VARIATIONAL_CAPABILITIES                                                 \
  (VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_POSITION_LEVEL |           \
   VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_REVERSIBLE | \
   VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_TWO_POINT_START)

const VidaMethod vida__del_midpoint = {
    .size = sizeof(VidaMethod),
    .info = {"del-midpoint", "discrete Euler-Lagrange equations, midpoint discrete Lagrangian",
             "Wendlandt and Marsden 1997, eq. 4.6 and 4.8",
             "A rod must turn by less than a right angle per step. The potential is implicit: "
             "stiff ones do not limit the step, but their oscillations are not resolved.",
             2, VARIATIONAL_CAPABILITIES},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create_midpoint,
    .start = start,
    .start_two_points = start_two_points,
    .step = step,
    .velocities = velocities,
    .energy = energy};

const VidaMethod vida__del_endpoint = {
    .size = sizeof(VidaMethod),
    .info =
        {"del-endpoint", "discrete Euler-Lagrange equations, endpoint discrete Lagrangian (SHAKE)",
         "Wendlandt and Marsden 1997, eq. 4.16",
         "Stable for steps below 2 over the largest frequency of the potential; second order and "
         "reversible for constant mass matrices, first order for other Lagrangians and with "
         "forces.",
         2, VARIATIONAL_CAPABILITIES | VIDA_LIMIT_ONE_SIDED},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create_endpoint,
    .start = start,
    .start_two_points = start_two_points,
    .step = step,
    .velocities = velocities,
    .energy = energy};

const VidaMethod vida__del_trapezoidal = {
    .size = sizeof(VidaMethod),
    .info = {"del-trapezoidal",
             "discrete Euler-Lagrange equations, trapezoidal discrete Lagrangian",
             "Marsden and Wendlandt 1997; Hairer, Lubich and Wanner, VI.6",
             "Stable for steps below 2 over the largest frequency of the potential; a rod must "
             "turn by less than a right angle per step.",
             2, VARIATIONAL_CAPABILITIES},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create_trapezoidal,
    .start = start,
    .start_two_points = start_two_points,
    .step = step,
    .velocities = velocities,
    .energy = energy};

const VidaMethod vida__rattle = {
    .size = sizeof(VidaMethod),
    .info = {"rattle", "RATTLE: the positions of SHAKE with momenta on the hidden constraint",
             "Wendlandt and Marsden 1997, section 4.1; Andersen 1983",
             "Stable for steps below 2 over the largest frequency of the potential; a rod must "
             "turn by less than a right angle per step.",
             2, VARIATIONAL_CAPABILITIES},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create_rattle,
    .start = start,
    .start_two_points = start_two_points,
    .step = step,
    .velocities = velocities,
    .energy = energy};

const VidaMethod vida__del_nonholonomic = {
    .size = sizeof(VidaMethod),
    .info = {"del-nonholonomic",
             "discrete Lagrange-d'Alembert equations, midpoint discrete Lagrangian",
             "Lacoursiere 2007, eq. 13; Cortes and Martinez 2001",
             "The limits of del-midpoint. (q1 - q0)/h satisfies the nonholonomic rows; the energy "
             "is not preserved exactly.",
             2,
             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_REVERSIBLE | VIDA_CAN_NONHOLONOMIC},
    .options = nonholonomic_options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create_nonholonomic,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = energy};
