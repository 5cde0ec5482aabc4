/* The energy-preserving scheme of Chorin, Hughes, Marsden and McCracken (Marsden and Wendlandt
 * 1997, eq. 20-23) for H = p^T M^-1 p / 2 + V(q):
 *
 *     q1 - q0 = h kappa M^-1 (beta p1 + (1 - beta) p0),  p1 - p0 = -h phi V_q((1 - gamma) q0 +
 * gamma q1) where kappa and phi are the factors that make the increments of T along p1 - p0 and of
 * V along q1 - q0 exact. Each gradient is taken where the paper says, each increment from the
 * automatic discrete derivative, free of cancellation. alpha and delta say where H_p looks at q and
 * H_q at p, which for this H makes no difference.
 *
 * With one coordinate both factors leave nothing of the gradients: phi V_q is the divided
 * difference of V, kappa (beta p1 + (1 - beta) p0) the mean of p. With several, phi is no number
 * where the force is orthogonal to the step, and in a strip of width h^(3/2) around it eq. 21 may
 * have no solution.
 *
 * The unknowns are w = (q1 - q0)/h. Both factors depend on all of them, so the matrix is full. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/energy/energy.h"

typedef struct chorin_state {
  double beta, gamma;
  double *mean, *exact;   /* n: V_q at the place of eq. 23, the discrete derivative */
  double* change;         /* n: p1 - p0 */
  double *slope, *slope1; /* n: derivatives of phi and kappa by q1 and p1 - p0 */
  double* kkt;            /* values of the system's pattern: V_qq */
  vida_pattern pattern;   /* full, n x n */
} chorin_state;

static double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* ---- the factors ----------------------------------------------------------------------------- */

static void find_place(VidaIntegration* self, double share) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + share * self->work.dq[i];
  }
}

/* Computes V_q. */
static int find_gradient(VidaIntegration* self, const double* q, double* v_q) {
  const int code = vida__gradient_of(&self->model.evaluator, VIDA_PART_POTENTIAL,
                                     vida__node_time(self), q, NULL, v_q, self->work.l_v);
  for (int i = 0; i < self->model.n; i++) {
    v_q[i] = -v_q[i];
  }
  return code;
}

/* Divides increments as in eq. 20 and 21. If both are zero because nothing moves, the quotient is
 * 1; if only the denominator is zero, the scheme has no value. */
static int divide(VidaIntegration* self, const char* equation, double numerator, double denominator,
                  double* factor) {
  if (denominator != 0.0) {
    *factor = numerator / denominator;
    return VIDA_SUCCESS;
  }
  *factor = 1.0;
  return numerator == 0.0
             ? VIDA_SUCCESS
             : vida__fail(&self->model.evaluator.error, VIDA_CALLBACK_RECOVERABLE,
                          "eq. %s divides by zero: the force is orthogonal to the step", equation);
}

/* Computes exact, mean and phi. With one coordinate phi V_q is the discrete derivative itself. */
static int find_force(VidaIntegration* self, const vida_interval* between, const double* w,
                      double* phi) {
  chorin_state* own = self->state;
  const int n = self->model.n;
  int code = vida__discrete_gradient(self->model.system, between, own->exact);
  find_place(self, own->gamma);
  code = code ? code : find_gradient(self, self->work.place, own->mean);
  *phi = 1.0;
  if (n == 1) {
    own->mean[0] = own->exact[0];
  }
  if (!code && memcmp(own->mean, own->exact, (size_t)n * sizeof(double)) != 0) {
    code = divide(self, "21", dot(n, own->exact, between->dq), dot(n, own->mean, between->dq), phi);
  }
  code = code ? code : vida__middle_forces(self, w, own->change);
  for (int i = 0; i < n; i++) {
    own->change[i] = self->node.h * (own->change[i] - *phi * own->mean[i]);
  }
  return code;
}

/* Computes change . M^-1 (p0 + share change), and its size. */
static double kinetic_increment(const VidaIntegration* self, double share) {
  const chorin_state* own = self->state;
  double sum = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double p = self->node.p[i] + self->node.p_low[i] + share * own->change[i];
    sum += own->change[i] * p / self->model.system->mass[i];
  }
  return sum;
}

static int find_kinetic_factor(VidaIntegration* self, double* kappa) {
  const chorin_state* own = self->state;
  *kappa = 1.0;
  /* With one coordinate beta has no effect either, since there is only one direction. */
  return own->beta == 0.5 ? VIDA_SUCCESS
                          : divide(self, "20", kinetic_increment(self, 0.5),
                                   kinetic_increment(self, own->beta), kappa);
}

/* ---- the map --------------------------------------------------------------------------------- */

static double share_of_change(const chorin_state* own, int n) {
  return n == 1 ? 0.5 : own->beta;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const chorin_state* own = self->state;
  const double beta = share_of_change(own, self->model.n);
  const vida_interval between = vida__next_interval(self, u);
  double phi;
  double kappa = 1.0;
  int code = find_force(self, &between, u, &phi);
  if (!code && self->model.n > 1) {
    code = find_kinetic_factor(self, &kappa);
  }
  for (int i = 0; i < self->model.n; i++) {
    r[i] = self->model.system->mass[i] * u[i] -
           kappa * (self->node.p[i] + self->node.p_low[i] + beta * own->change[i]);
  }
  return code;
}

/* Computes d(phi V_q)/dq1 = gamma phi V_qq + V_q dphi: own->slope receives dphi, the matrix -h^2
 * times the sum. */
static int find_force_slopes(VidaIntegration* self, const vida_interval* between, double phi,
                             double* matrix) {
  chorin_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  const vida_pattern* pattern = &system->pattern;
  const vida_hessian_weights minus = {-1.0, 0.0, 0.0, 0.0};
  memset(own->kkt, 0, (size_t)pattern->entries * sizeof *own->kkt);
  if (n == 1) {
    own->slope[0] = 0.0;
    const int code = vida__add_discrete_hessian(system, between, 1.0, own->kkt);
    matrix[0] = -self->node.h * self->node.h * own->kkt[system->mass_slot[0]];
    return code;
  }
  int code = find_gradient(self, self->work.q1, own->slope);
  find_place(self, own->gamma);
  code = code
             ? code
             : vida__add_hessian_of(&self->model.evaluator, VIDA_PART_POTENTIAL,
                                    vida__node_time(self), self->work.place, NULL, minus, own->kkt);
  for (int i = 0; i < n; i++) {
    own->slope[i] -= phi * own->mean[i];
  }
  for (int j = 0; j < n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      const int i = (int)pattern->row[k];
      if (i < n) {
        own->slope[j] -= phi * own->gamma * own->kkt[k] * self->work.dq[i];
        matrix[(size_t)j * (size_t)n + (size_t)i] = phi * own->gamma * own->kkt[k];
      }
    }
  }
  const double along = dot(n, own->mean, self->work.dq);
  for (int j = 0; j < n; j++) {
    own->slope[j] = along != 0.0 ? own->slope[j] / along : 0.0;
    for (int i = 0; i < n; i++) {
      double* place = &matrix[(size_t)j * (size_t)n + (size_t)i];
      *place = -self->node.h * self->node.h * (*place + own->mean[i] * own->slope[j]);
    }
  }
  return code;
}

/* Adds the derivatives of generalized forces in the middle of the step. */
static int add_damping_slopes(VidaIntegration* self, const double* w, double* matrix) {
  const chorin_state* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  const double h = self->node.h;
  const vida_hessian_weights weights = {0.5 * h * h, h, 0.0, 0.0};
  const int n = self->model.n;
  if (!self->model.system->has_forces) {
    return VIDA_SUCCESS;
  }
  memset(own->kkt, 0, (size_t)pattern->entries * sizeof *own->kkt);
  find_place(self, 0.5);
  const int code =
      vida__add_hessian_of(&self->model.evaluator, VIDA_PART_FORCE, vida__node_time(self) + 0.5 * h,
                           self->work.place, w, weights, own->kkt);
  for (int j = 0; j < n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      matrix[(size_t)j * (size_t)n + (size_t)pattern->row[k]] += own->kkt[k];
    }
  }
  return code;
}

/* Computes own->slope1 = dkappa / d(p1 - p0). */
static void find_kinetic_slopes(const VidaIntegration* self, double kappa) {
  const chorin_state* own = self->state;
  const double along = kinetic_increment(self, own->beta);
  for (int i = 0; i < self->model.n; i++) {
    const double p = self->node.p[i] + self->node.p_low[i];
    const double change = own->change[i];
    const double slope = (p + change) - kappa * (p + 2.0 * own->beta * change);
    own->slope1[i] = along != 0.0 ? slope / (self->model.system->mass[i] * along) : 0.0;
  }
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const chorin_state* own = self->state;
  const int n = self->model.n;
  const double beta = share_of_change(own, n);
  const vida_interval between = vida__next_interval(self, u);
  double phi;
  double kappa = 1.0;
  int code = find_force(self, &between, u, &phi);
  const bool has_factor = n > 1 && own->beta != 0.5;
  if (!code && has_factor) {
    code = find_kinetic_factor(self, &kappa);
    find_kinetic_slopes(self, kappa);
  }
  code = code ? code : find_force_slopes(self, &between, phi, matrix);
  code = code ? code : add_damping_slopes(self, u, matrix);
  for (int j = 0; j < n && !code; j++) {
    double* column = matrix + (size_t)j * (size_t)n;
    const double along = has_factor ? dot(n, own->slope1, column) : 0.0;
    for (int i = 0; i < n; i++) {
      const double p = self->node.p[i] + self->node.p_low[i] + beta * own->change[i];
      column[i] = -kappa * beta * column[i] - p * along;
    }
    column[j] += self->model.system->mass[j];
  }
  return code;
}

/* ---- the method ------------------------------------------------------------------------------ */

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaSystem* system = list;
  *kind = "coordinate";
  return system->coordinates[row].name;
}

static int check_system(VidaIntegration* self, VidaError* error) {
  if (self->model.n > 1 && VidaOptions_Get(self->options, "several") == 0.0) {
    return VIDA_REFUSE_SYSTEM(
        error,
        "system '%s' has %d coordinates, and chorin has no solution for some steps "
        "around extremes of the potential or kinetic energy when there are several; "
        "set the option 'several' to try it",
        self->model.system->name, self->model.n);
  }
  if (self->model.system->has_coupled_mass) {
    return VIDA_REFUSE_SYSTEM(
        error, "chorin does not accept system '%s', whose mass matrix is not diagonal",
        self->model.system->name);
  }
  return vida__require_discrete_derivatives(self, error);
}

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t entries = (size_t)self->model.system->pattern.entries;
  const int code = check_system(self, error);
  if (code) {
    return code;
  }
  chorin_state* own = vida__allocate(1, sizeof *own + (5 * n + entries) * sizeof(double) +
                                            (n + 1 + n * n) * sizeof *own->pattern.row);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->beta = VidaOptions_Get(self->options, "beta");
  own->gamma = VidaOptions_Get(self->options, "gamma");
  own->mean = (double*)(own + 1);
  own->exact = own->mean + n;
  own->change = own->exact + n;
  own->slope = own->change + n;
  own->slope1 = own->slope + n;
  own->kkt = own->slope1 + n;
  own->pattern.size = self->model.n;
  own->pattern.entries = self->model.n * self->model.n;
  own->pattern.column_start = (sunindextype*)(own->kkt + entries);
  own->pattern.row = own->pattern.column_start + n + 1;
  for (size_t j = 0; j <= n; j++) {
    own->pattern.column_start[j] = (sunindextype)(j * n);
  }
  for (size_t k = 0; k < n * n; k++) {
    own->pattern.row[k] = (sunindextype)(k % n);
  }
  self->state = own;
  self->reacts_between = true;
  const vida_map_rows rows = {&own->pattern, &self->model.evaluator, name_of_row,
                              self->model.system};
  self->implicit.rows = rows;
  return VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  chorin_state* own = self->state;
  VidaRecord_Reals(record, own->mean,
                   5 * (size_t)self->model.n + (size_t)self->model.system->pattern.entries);
}

static int step(VidaIntegration* self, VidaError* error) {
  const chorin_state* own = self->state;
  double phi;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  const vida_interval between = vida__next_interval(self, self->implicit.unknown);
  code = find_force(self, &between, self->implicit.unknown, &phi);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], own->change[i]);
  }
  vida__advance_positions(self, self->implicit.unknown);
  return VIDA_SUCCESS;
}

#define CHORIN_CONSTANT(name, text) \
  { name, VIDA_OPTION_REAL, "1", 0.5, 0.0, 1.0, false, NULL, text }

static const VidaOptionRow options[] = {
    {"several", VIDA_OPTION_BOOLEAN, "", 0.0, 0.0, 1.0, false, NULL,
     "Accept systems of several coordinates, for which steps around extremes of the potential or "
     "kinetic energy may have no solution."},
    CHORIN_CONSTANT("alpha",
                    "Weight of q1 in the argument of H_p (eq. 22); without effect, since H_p does "
                    "not depend on q here."),
    CHORIN_CONSTANT("beta", "Weight of p1 in the argument of H_p (eq. 22)."),
    CHORIN_CONSTANT("gamma", "Weight of q1 in the argument of H_q (eq. 23)."),
    CHORIN_CONSTANT("delta",
                    "Weight of p1 in the argument of H_q (eq. 23); without effect, since H_q does "
                    "not depend on p here."),
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__chorin = {
    .size = sizeof(VidaMethod),
    .info = {"chorin", "energy exact, by gradients scaled to the increments of T and V",
             "Chorin, Hughes, Marsden and McCracken 1978; Marsden and Wendlandt 1997, eq. 20-23",
             "No constraints; diagonal constant mass matrix; one coordinate, for which the weights "
             "have no effect and stability does not limit the step. With several coordinates it "
             "divides by the work of the force over the step: where that vanishes (extremes of the "
             "potential along the motion, circular orbits) it loses accuracy or has no solution. "
             "It is then of second order, reversible and momentum-preserving with beta = gamma = "
             "1/2, otherwise of first order.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_LIMIT_UNCONSTRAINED |
                 VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .create = create,
    .state = record_state,
    .start = vida__energy_start,
    .step = step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node};
