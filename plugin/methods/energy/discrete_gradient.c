/* Two further discrete derivatives for the scheme of energy.h, which are not equivariant: the
 * average of the gradient along the step (average-vector-field), and difference quotients of one
 * coordinate after the other (itoh-abe). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy.h"
#include "methods/energy/legendre.h"

/* ---- average vector field -------------------------------------------------------------------- */

enum { MOST_POINTS = 16 };

typedef struct average_state {
  vida_energy_state base;
  int points;
  double c[MOST_POINTS], b[MOST_POINTS]; /* of Gauss's rule on [0, 1] */
  double* l_q;                           /* n: work */
  double* work;                          /* as many as there are entries of G */
} average_state;

static void find_point(VidaIntegration* self, const vida_interval* between, double c) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = between->q0[i] + c * between->dq[i];
  }
}

static int average_potential(VidaIntegration* self, const vida_interval* between, double* d_v) {
  const average_state* own = self->state;
  double* l_q = own->l_q;
  int code = VIDA_SUCCESS;
  memset(d_v, 0, (size_t)self->model.n * sizeof *d_v);
  for (int k = 0; k < own->points && !code; k++) {
    find_point(self, between, own->c[k]);
    code = vida__gradient_of(&self->model.evaluator, VIDA_PART_POTENTIAL, vida__node_time(self),
                             self->work.place, NULL, l_q, self->work.l_v);
    for (int i = 0; i < self->model.n; i++) {
      d_v[i] -= own->b[k] * l_q[i];
    }
  }
  return code;
}

static int average_constraints(VidaIntegration* self, const vida_interval* between,
                               double* entries) {
  const average_state* own = self->state;
  const int count = self->model.system->entry_count;
  int code = VIDA_SUCCESS;
  memset(entries, 0, (size_t)count * sizeof *entries);
  for (int k = 0; k < own->points && self->model.m > 0 && !code; k++) {
    find_point(self, between, own->c[k]);
    code =
        vida__jacobian(&self->model.evaluator, vida__node_time(self), self->work.place, own->work);
    for (int e = 0; e < count; e++) {
      entries[e] += own->b[k] * own->work[e];
    }
  }
  return code;
}

static int add_average_slopes(VidaIntegration* self, const vida_interval* between, double weight_v,
                              double weight_g, const double* mu, double* matrix) {
  const average_state* own = self->state;
  const double t = vida__node_time(self);
  int code = VIDA_SUCCESS;
  for (int k = 0; k < own->points && !code; k++) {
    const double share = own->b[k] * own->c[k];
    const vida_hessian_weights weights = {-weight_v * share, 0.0, 0.0, 0.0};
    find_point(self, between, own->c[k]);
    code = vida__add_hessian_of(&self->model.evaluator, VIDA_PART_POTENTIAL, t, self->work.place,
                                NULL, weights, matrix);
    code = code ? code
                : vida__add_curvature(&self->model.evaluator, t, self->work.place, weight_g * share,
                                      mu, matrix);
  }
  return code;
}

static const vida_discrete_rule average_rule = {average_potential, average_constraints,
                                                add_average_slopes};

static int create_average(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t entries = (size_t)self->model.system->entry_count;
  average_state* own = vida__allocate(1, sizeof *own + (n + entries) * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->base.rule = &average_rule;
  own->points = (int)VidaOptions_Get(self->options, "points");
  own->l_q = (double*)(own + 1);
  own->work = own->l_q + n;
  vida__gauss_points(own->points, own->c, own->b);
  self->state = own;
  self->reacts_between = true;
  return VIDA_SUCCESS;
}

static void record_average(VidaIntegration* self, VidaRecord* record) {
  average_state* own = self->state;
  VidaRecord_Reals(record, own->l_q,
                   (size_t)self->model.n + (size_t)self->model.system->entry_count);
}

/* ---- Itoh and Abe ---------------------------------------------------------------------------- */

/* Component i of D f is (f(b) - f(a)) / (b_i - a_i), where a and b differ in coordinate i only:
 * coordinates before i are at q1, coordinates after i at q0. It equals component i of any other
 * discrete derivative between a and b, which has no cancellation. */
typedef struct increment_state {
  vida_energy_state base;
  bool symmetric;   /* the mean with the opposite order of coordinates */
  double *a, *b;    /* n */
  double* step;     /* n: b - a */
  double* back;     /* n: a - b */
  double* gradient; /* n */
  double* entries;  /* as many as there are entries of G */
  double* matrix;   /* as many as the pattern has: derivatives with respect to b */
  double* opposite; /* the same with respect to a */
} increment_state;

/* Computes the components one by one, beginning with the first (+1) or the last (-1) coordinate. */
static void begin_walk(const VidaIntegration* self, const vida_interval* between) {
  const increment_state* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  memcpy(own->a, between->q0, bytes);
  memcpy(own->b, between->q0, bytes);
  memset(own->step, 0, bytes);
  memset(own->back, 0, bytes);
}

static void change_coordinate(const increment_state* own, const vida_interval* between, int i) {
  own->b[i] = between->q1[i];
  own->step[i] = between->dq[i];
  own->back[i] = -between->dq[i];
}

static void leave_coordinate(const increment_state* own, int i) {
  own->a[i] = own->b[i];
  own->step[i] = own->back[i] = 0.0;
}

static vida_interval forward(const increment_state* own, const vida_interval* between) {
  vida_interval result = *between;
  result.q_low = NULL; /* a and b are separate points */
  result.q0 = own->a;
  result.q1 = own->b;
  result.dq = own->step;
  return result;
}

static vida_interval backward(const increment_state* own, const vida_interval* between) {
  vida_interval result = *between;
  result.q_low = NULL;
  result.q0 = own->b;
  result.q1 = own->a;
  result.dq = own->back;
  return result;
}

static int increment_potential(VidaIntegration* self, const vida_interval* between, double* d_v) {
  const increment_state* own = self->state;
  const int n = self->model.n;
  const int orders = own->symmetric ? 2 : 1;
  int code = VIDA_SUCCESS;
  memset(d_v, 0, (size_t)n * sizeof *d_v);
  for (int order = 0; order < orders; order++) {
    begin_walk(self, between);
    for (int k = 0; k < n && !code; k++) {
      const int i = order ? n - 1 - k : k;
      change_coordinate(own, between, i);
      const vida_interval part = forward(own, between);
      code = vida__discrete_gradient(self->model.system, &part, own->gradient);
      d_v[i] += own->gradient[i] / orders;
      leave_coordinate(own, i);
    }
  }
  return code;
}

static int increment_constraints(VidaIntegration* self, const vida_interval* between,
                                 double* entries) {
  const increment_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  const int orders = own->symmetric ? 2 : 1;
  int code = VIDA_SUCCESS;
  memset(entries, 0, (size_t)system->entry_count * sizeof *entries);
  for (int order = 0; order < orders && self->model.m > 0; order++) {
    begin_walk(self, between);
    for (int k = 0; k < n && !code; k++) {
      const int i = order ? n - 1 - k : k;
      change_coordinate(own, between, i);
      const vida_interval part = forward(own, between);
      code = vida__discrete_jacobian(system, &part, own->entries);
      for (int e = 0; e < system->entry_count; e++) {
        entries[e] += system->entries[e].coordinate == i ? own->entries[e] / orders : 0.0;
      }
      leave_coordinate(own, i);
    }
  }
  return code;
}

/* Adds row i of the derivatives with respect to q1: coordinates before i move a and b, coordinate i
 * moves b. */
static void take_row(VidaIntegration* self, int i, int direction, double share, double* matrix) {
  const increment_state* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  for (int j = 0; j < self->model.n; j++) {
    if ((j - i) * direction > 0) {
      continue;
    }
    const int place = vida__pattern_slot(pattern, i, j);
    if (pattern->row[place] == i) {
      matrix[place] += share * (own->matrix[place] + (j == i ? 0.0 : own->opposite[place]));
    }
  }
}

static int add_both(VidaIntegration* self, const vida_interval* between, double weight_v,
                    double weight_g, const double* mu, double* matrix) {
  memset(matrix, 0, (size_t)self->model.system->pattern.entries * sizeof *matrix);
  const int code = vida__add_discrete_hessian(self->model.system, between, weight_v, matrix);
  return code ? code
              : vida__add_discrete_curvature(self->model.system, between, weight_g, mu, matrix);
}

static int add_increment_slopes(VidaIntegration* self, const vida_interval* between,
                                double weight_v, double weight_g, const double* mu,
                                double* matrix) {
  const increment_state* own = self->state;
  const int n = self->model.n;
  const int orders = own->symmetric ? 2 : 1;
  int code = VIDA_SUCCESS;
  for (int order = 0; order < orders; order++) {
    begin_walk(self, between);
    for (int k = 0; k < n && !code; k++) {
      const int i = order ? n - 1 - k : k;
      change_coordinate(own, between, i);
      const vida_interval there = forward(own, between);
      const vida_interval back = backward(own, between);
      code = add_both(self, &there, weight_v, weight_g, mu, own->matrix);
      code = code ? code : add_both(self, &back, weight_v, weight_g, mu, own->opposite);
      take_row(self, i, order ? -1 : 1, 1.0 / orders, matrix);
      leave_coordinate(own, i);
    }
  }
  return code;
}

static const vida_discrete_rule increment_rule = {increment_potential, increment_constraints,
                                                  add_increment_slopes};

static int create_increments(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t places = (size_t)self->model.system->pattern.entries;
  const int code = vida__require_discrete_derivatives(self, error);
  if (code) {
    return code;
  }
  increment_state* own =
      vida__allocate(1, sizeof *own + (5 * n + entries + 2 * places) * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->base.rule = &increment_rule;
  own->symmetric = VidaOptions_HasChoice(self->options, "sweep", "symmetric");
  own->a = (double*)(own + 1);
  own->b = own->a + n;
  own->step = own->b + n;
  own->back = own->step + n;
  own->gradient = own->back + n;
  own->entries = own->gradient + n;
  own->matrix = own->entries + entries;
  own->opposite = own->matrix + places;
  self->state = own;
  self->reacts_between = true;
  return VIDA_SUCCESS;
}

static void record_increments(VidaIntegration* self, VidaRecord* record) {
  increment_state* own = self->state;
  const VidaSystem* system = self->model.system;
  VidaRecord_Reals(record, own->a,
                   5 * (size_t)self->model.n + (size_t)system->entry_count +
                       2 * (size_t)system->pattern.entries);
}

/* ---- records --------------------------------------------------------------------------------- */

static const VidaOptionRow average_options[] = {
    {"points", VIDA_OPTION_INTEGER, "1", 5.0, 1.0, MOST_POINTS, false, NULL,
     "Number of points of the Gauss rule for the average. For potentials and constraints that are "
     "polynomials of degree 2 points the average is exact, and so is the energy."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow increment_options[] = {
    {"sweep", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "symmetric|ascending",
     "Order in which the coordinates change: the mean of both directions (second order, "
     "reversible), or from first to last (as in the paper, first order)."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__average_vector_field = {
    .size = sizeof(VidaMethod),
    .info = {"average-vector-field", "energy exact, by the average of the gradient along the step",
             "Quispel and McLaren 2008, eq. 1.2",
             "Constant mass matrix. Energy exact for polynomial potentials and constraints of "
             "degree 2 points, otherwise up to h^(2 points); angular momentum is not preserved. "
             "Stability does not limit the step, but very large steps have no solution.",
             2, VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_CONSTANT_MASS},
    .options = average_options,
    .equations = {vida__energy_residual, vida__energy_jacobian, vida__step_sizes,
                  vida__guess_free_flight},
    .create = create_average,
    .state = record_average,
    .start = vida__energy_start,
    .step = vida__energy_step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node};

const VidaMethod vida__itoh_abe = {
    .size = sizeof(VidaMethod),
    .info =
        {"itoh-abe", "energy exact, by difference quotients of one coordinate after the other",
         "Itoh and Abe 1988; symmetric: McLachlan, Quispel and Robidoux 1999",
         "Constant mass matrix; potentials and constraints with discrete derivatives. Momentum is "
         "not preserved. The cost of a step grows with the square of the number of coordinates. "
         "Stability does not limit the step, but very large steps have no solution.",
         2,
         VIDA_CAN_ENERGY | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_CONSTANT_MASS},
    .options = increment_options,
    .equations = {vida__energy_residual, vida__energy_jacobian, vida__step_sizes,
                  vida__guess_free_flight},
    .create = create_increments,
    .state = record_increments,
    .start = vida__energy_start,
    .step = vida__energy_step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node};
