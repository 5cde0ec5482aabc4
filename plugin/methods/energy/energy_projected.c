/* energy-momentum-projected: positions and velocities on the constraints, energy and momentum
 * exact.
 *
 * Gonzalez 1999, eq. 21, keeps every function on phase space whose multiplier has its discrete
 * derivative; here it is given two, g(q) and its rate f(q,p) = G(q) M^-1 p, with multipliers mu and
 * h eta. Of constraints that are at most quadratic, G is affine in q and the discrete derivative of
 * f is the gradient at the middle (product rule), which is equivariant:
 *
 *     M (w - v) = G((q0+q1)/2)^T eta                                  v = M^-1 (p0 + p1)/2
 *     p1 - p0   = h (f - D V) - Dg^T mu - h (G_qq v)^T eta
 *     g(q1) = 0,  G(q1) M^-1 p1 = 0
 * Scalar products with p1 - p0 and q1 - q0 = h w, subtracted as in the proof of proposition 3.1,
 * leave H1 - H0 = h f w - mu/h (g1 - g0) - eta (f1 - f0). eta is of second order: it
 * only moves what eq. 21 leaves of the hidden constraint. The scheme is symmetric.
 *
 * Unknowns are w, mu, v and eta, rows the equations in the order momenta, g, first, f. The matrix
 * has the KKT pattern in each quarter.
 *
 * energy-momentum-ggl has the same equations with other rules for the discrete derivative of f. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy_projected.h"
#include "methods/energy/hidden_plan.h"

/* ---- entries --------------------------------------------------------------------------------- */

/* Computes the entries of G_qq v, with own->other as work space. G is affine, so differences over
 * any distance are exact. */
static int find_turned(VidaIntegration* self, const double* q, const double* v, double* entries) {
  vida_projected_state* own = self->state;
  const double h = self->node.h;
  const double t = vida__node_time(self);
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = q[i] + h * v[i];
  }
  int code = vida__jacobian(&self->model.evaluator, t, self->work.place, entries);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, q, own->other);
  for (int e = 0; e < self->model.system->entry_count; e++) {
    entries[e] = (entries[e] - own->other[e]) / h;
  }
  return code;
}

static int find_middle_rows(VidaIntegration* self, double* entries) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * self->work.dq[i];
  }
  return vida__jacobian(&self->model.evaluator, vida__node_time(self), self->work.place, entries);
}

static int find_entries(VidaIntegration* self, const vida_interval* between, const double* v,
                        double* by_positions, double* by_rates) {
  (void)between;
  const int code = find_turned(self, self->node.q, v, by_positions);
  return code ? code : find_middle_rows(self, by_rates);
}

static int find_slopes(VidaIntegration* self, const double* v1, double* entries) {
  return find_turned(self, self->work.q1, v1, entries);
}

static const vida_hidden_rule middle_rule = {find_entries, find_slopes};

static int find_next_rows(VidaIntegration* self, double* entries) {
  return vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1, entries);
}

/* ---- the map --------------------------------------------------------------------------------- */

/* Computes the discrete derivative of f at the unknowns of which energy.h has the first half. */
static int find_hidden(VidaIntegration* self, const double* u) {
  vida_projected_state* own = self->state;
  vida_interval between = vida__next_interval(self, u);
  between.v = own->v0;
  between.v1 = own->v1;
  return own->hidden->find(self, &between, u + self->model.n + self->model.m, own->turned,
                           own->middle);
}

int vida__projected_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  vida_projected_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  const int half = n + self->model.m;
  const double h = self->node.h;
  const double* v = u + half;
  const double* eta = v + n;
  double* first = r + half;
  double* rates = first + n;
  /* Computes the rows of eq. 21 with M v in place of M w. */
  int code = vida__energy_residual(data, u, r);
  code = code ? code : vida__apply_mass(self, u, first);
  code = code ? code : vida__apply_mass(self, v, self->work.l_q);
  for (int i = 0; i < n; i++) {
    first[i] -= self->work.l_q[i];
    r[i] -= first[i];
    own->v1[i] = 2.0 * v[i] - own->v0[i];
  }
  code = code ? code : find_hidden(self, u);
  vida__add_reaction(system, own->turned, 0.5 * h, eta, r);
  vida__add_reaction(system, own->middle, -1.0, eta, first);
  code = code ? code : find_next_rows(self, own->other);
  memset(rates, 0, (size_t)self->model.m * sizeof *rates);
  vida__add_constraint_velocity(system, own->other, 1.0, own->v1, rates);
  return code;
}

void vida__add_quarter(const vida_pattern* pattern, const vida_pattern* doubled, int down,
                       int right, double* quarter, double* matrix) {
  for (int j = 0; j < pattern->size; j++) {
    const sunindextype start = pattern->column_start[j];
    const sunindextype length = pattern->column_start[j + 1] - start;
    double* place = matrix + doubled->column_start[right * pattern->size + j] + down * length;
    for (sunindextype k = 0; k < length; k++) {
      place[k] += quarter[start + k];
    }
  }
  memset(quarter, 0, (size_t)pattern->entries * sizeof *quarter);
}

static void add_quarter(VidaIntegration* self, int down, int right, double* matrix) {
  const vida_projected_state* own = self->state;
  vida__add_quarter(&self->model.system->pattern, &own->pattern, down, right, own->quarter, matrix);
}

static int add_mass(VidaIntegration* self, double weight, double* matrix) {
  const vida_hessian_weights weights = {0.0, 0.0, 0.0, weight};
  return vida__add_hessian_of(&self->model.evaluator, VIDA_PART_KINETIC, vida__node_time(self),
                              self->node.q, self->node.v, weights, matrix);
}

static int add_curvature(VidaIntegration* self, double weight, const double* eta, double* matrix) {
  for (int i = 0; i < self->model.n; i++) {
    self->work.place[i] = self->node.q[i] + 0.5 * self->work.dq[i];
  }
  return vida__add_curvature(&self->model.evaluator, vida__node_time(self), self->work.place,
                             weight, eta, matrix);
}

/* Third derivatives of g, times eta, are left out. */
int vida__projected_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  vida_projected_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  const int half = n + self->model.m;
  const double h = self->node.h;
  const double* v = u + half;
  const double* eta = v + n;
  double* quarter = own->quarter;
  for (int i = 0; i < n; i++) {
    own->v1[i] = 2.0 * v[i] - own->v0[i];
  }
  /* Derivatives with respect to w and mu: those of eq. 21, without M. */
  int code = vida__energy_jacobian(data, u, quarter);
  code = code ? code : add_mass(self, -1.0, quarter);
  vida__subtract_redundancy(self, quarter);
  add_quarter(self, 0, 0, matrix);
  code = code ? code : add_mass(self, 1.0, quarter);
  code = code ? code : add_curvature(self, -0.5 * h, eta, quarter);
  code = code ? code : own->hidden->slopes(self, own->v1, own->turned);
  vida__add_rows(system, own->turned, h, quarter);
  add_quarter(self, 1, 0, matrix);
  /* Derivatives with respect to v and eta. */
  code = code ? code : add_mass(self, 1.0, quarter);
  code = code ? code : add_curvature(self, 0.5 * h, eta, quarter);
  code = code ? code : find_hidden(self, u);
  vida__add_columns(system, own->turned, 0.5 * h, quarter);
  add_quarter(self, 0, 1, matrix);
  code = code ? code : add_mass(self, -1.0, quarter);
  vida__add_columns(system, own->middle, -1.0, quarter);
  code = code ? code : find_next_rows(self, own->other);
  vida__add_rows(system, own->other, 2.0, quarter);
  vida__subtract_redundancy(self, quarter);
  add_quarter(self, 1, 1, matrix);
  return code;
}

/* The additional rows have the sizes of the first ones. */
void vida__projected_sizes(void* data, const double* u, double* size) {
  const VidaIntegration* self = data;
  const int half = self->model.n + self->model.m;
  vida__step_sizes(data, u, size);
  memcpy(size + half, size, (size_t)half * sizeof *size);
}

static void guess_second_half(VidaIntegration* self, double* u, bool keep) {
  double* v = u + self->model.n + self->model.m;
  memcpy(v, u, (size_t)self->model.n * sizeof *v);
  if (!keep) {
    memset(v + self->model.n, 0, (size_t)self->model.m * sizeof *v);
  }
}

void vida__projected_guess(void* data, double* u) {
  vida__guess_free_flight(data, u);
  guess_second_half(data, u, false);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int prepare(VidaIntegration* self, VidaError* error) {
  vida_projected_state* own = self->state;
  const int n = self->model.n;
  int code = vida__prepare_step(self, error);
  if (code) {
    return code;
  }
  const int half = n + self->model.m;
  const double motion = self->implicit.scaled_for;
  for (int i = 0; i < half; i++) {
    const double root = i < n ? self->model.root_mass[i] : self->model.row_stiffness[i - n];
    vida__map_set_size(self->implicit.map, half + i, motion * root, motion / root);
  }
  for (int i = 0; i < n; i++) {
    own->v0[i] = self->node.p[i] + self->node.p_low[i];
  }
  code = vida__solve_mass(self, own->v0, own->v0);
  guess_second_half(self, self->implicit.unknown,
                    own->has_eta && self->node.step > 0 && !self->model.redundant);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int find_change(VidaIntegration* self, double* change) {
  vida_projected_state* own = self->state;
  const double* v = own->unknown + self->model.n + self->model.m;
  for (int i = 0; i < self->model.n; i++) {
    own->v1[i] = 2.0 * v[i] - own->v0[i];
  }
  const int code = find_hidden(self, own->unknown);
  vida__add_reaction(self->model.system, own->turned, -self->node.h, v + self->model.n, change);
  return code;
}

int vida__projected_step(VidaIntegration* self, VidaError* error) {
  vida_projected_state* own = self->state;
  int code = vida__energy_step_with(self, find_change, error);
  own->has_eta = !code;
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int check_system(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (!batch->kernel->is_quadratic) {
      return VIDA_REFUSE_SYSTEM(
          error,
          "energy-momentum-projected needs constraints that are at most quadratic in "
          "the positions, and '%s' of system '%s' is not",
          system->rows[batch->row[0]].name, system->name);
    }
  }
  return VIDA_SUCCESS;
}

void vida__double_pattern(const vida_pattern* kkt, vida_pattern* pattern) {
  sunindextype next = 0;
  for (int column = 0; column < pattern->size; column++) {
    const int j = column % kkt->size;
    pattern->column_start[column] = next;
    for (int down = 0; down < 2; down++) {
      for (sunindextype k = kkt->column_start[j]; k < kkt->column_start[j + 1]; k++) {
        pattern->row[next++] = kkt->row[k] + down * kkt->size;
      }
    }
  }
  pattern->column_start[pattern->size] = next;
}

static const char* name_row(const void* list, int row, const char** kind) {
  const VidaSystem* system = list;
  const int half = system->coordinate_count + system->row_count;
  const int own = row % half;
  const bool is_constraint = own >= system->coordinate_count;
  *kind = !is_constraint ? "coordinate" : row < half ? "constraint" : "hidden constraint";
  return is_constraint ? system->rows[own - system->coordinate_count].name
                       : system->coordinates[own].name;
}

void vida__use_doubled_rows(VidaIntegration* self, vida_pattern* pattern, sunindextype* indices,
                            double* unknown) {
  const VidaSystem* system = self->model.system;
  pattern->size = 2 * system->pattern.size;
  pattern->entries = 4 * system->pattern.entries;
  pattern->column_start = indices;
  pattern->row = indices + pattern->size + 1;
  vida__double_pattern(&system->pattern, pattern);
  const vida_map_rows rows = {pattern, &self->model.evaluator, name_row, system};
  self->implicit.rows = rows;
  self->implicit.has_doubled_rows = true;
  self->implicit.unknown = unknown;
  self->reacts_between = true;
}

int vida__projected_create(VidaIntegration* self, const vida_hidden_rule* hidden,
                           VidaError* error) {
  const VidaSystem* system = self->model.system;
  const size_t n = (size_t)self->model.n;
  const size_t size = 2 * (n + (size_t)self->model.m);
  const size_t entries = (size_t)system->entry_count;
  const size_t places = (size_t)system->pattern.entries;
  const size_t numbers = 2 * n + size + 3 * entries + places;
  vida_projected_state* own = vida__allocate(
      1, sizeof *own + numbers * sizeof(double) + (size + 1 + 4 * places) * sizeof(sunindextype));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->numbers = numbers;
  own->base.rule = &vida__equivariant_rule;
  own->hidden = hidden;
  own->v0 = (double*)(own + 1);
  own->v1 = own->v0 + n;
  own->unknown = own->v1 + n;
  own->turned = own->unknown + size;
  own->middle = own->turned + entries;
  own->other = own->middle + entries;
  own->quarter = own->other + entries;
  self->state = own;
  vida__use_doubled_rows(self, &own->pattern, (sunindextype*)(own->quarter + places), own->unknown);
  self->implicit.prepare = prepare;
  vida__limit_turns(self, 1);
  return VIDA_SUCCESS;
}

void vida__projected_state_record(VidaIntegration* self, VidaRecord* record) {
  vida_projected_state* own = self->state;
  VidaRecord_Reals(record, own->v0, own->numbers);
  VidaRecord_Flag(record, &own->has_eta);
  vida__hidden_plan_record(own->plan, (size_t)(self->model.n + self->model.m), record);
}

static int create(VidaIntegration* self, VidaError* error) {
  int code = check_system(self, error);
  code = code ? code : vida__require_discrete_derivatives(self, error);
  return code ? code : vida__projected_create(self, &middle_rule, error);
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__energy_momentum_projected = {
    .size = sizeof(VidaMethod),
    .info = {"energy-momentum-projected",
             "energy and momentum exact, positions and velocities on the constraints",
             "Gonzalez 1999, eq. 21, with multipliers for the hidden constraints",
             "As energy-momentum, for constraints that are at most quadratic in the positions "
             "(distances, directors, unit quaternions).",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .equations = {vida__projected_residual, vida__projected_jacobian, vida__projected_sizes,
                  vida__projected_guess},
    .create = create,
    .state = vida__projected_state_record,
    .start = vida__energy_start,
    .step = vida__projected_step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node};
