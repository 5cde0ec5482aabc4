/* Calm steps of constraints that are distances: w(mu), g at the end of the step, Newton's method
 * for the multipliers, and the projection of the momenta. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/inline.h"
#include "stepper/distance_state.h"

/* Loops over the components of a distance are fast only if the compiler knows their number. Each
 * function is written once, with the dimension as an argument, and compiled for all of them. */

/* A step is not calm if the gradient of a constraint turns by more than this squared angle, or if
 * the residual does not become this much smaller with each iteration. */
static const double most_turn = 0.01;
static const double good_contraction = 0.1;
/* Residuals relative to the terms of the row: one that is not worth another iteration, and one that
 * may remain if iterations do not make it smaller. */
static const double rounded = 2.0 * DBL_EPSILON;
static const double near_rounding = 1e-12;

/* ---- guess ----------------------------------------------------------------------------------- */

/* Extrapolates the multipliers by three past values, and by four if the last one would have helped.
 */
VIDA_ALWAYS_INLINE void guess_multipliers(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const double *a = own->past[0].mu, *b = own->past[1].mu, *c = own->past[2].mu,
               *e = own->past[3].mu;
  const double* scale = self->model.matrix_stiffness;
  double* third = own->correction;
  double squares2 = 0.0, squares3 = 0.0;
  for (int r = 0; r < self->model.m; r++) {
    const double newest = a[r] - b[r], before = b[r] - c[r], oldest = c[r] - e[r];
    const double order2 = newest - before, square = scale[r] * scale[r];
    third[r] = order2 - (before - oldest);
    own->next.mu[r] = a[r] + newest + order2;
    squares2 += square * (order2 * order2);
    squares3 += square * (third[r] * third[r]);
  }
  for (int r = 0; r < self->model.m && squares3 < 0.25 * squares2; r++) {
    own->next.mu[r] += third[r];
  }
}

/* Computes what does not depend on the multipliers. Returns false if the step has another form. */
VIDA_ALWAYS_INLINE bool prepare(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const VidaNode* node = &self->node;
  const vida_step_form* form = &self->implicit.form;
  const int n = self->model.n, m = self->model.m;
  const double start = node->h * form->start_force, per_step = 1.0 / node->h;
  const double* restrict p = node->p;
  const double* restrict low = node->p_low;
  const double* restrict force = own->force;
  const double* restrict inverse = own->inverse;
  const double* restrict g = self->implicit.g_tracked;
  const double* restrict base = form->base;
  double* restrict unconstrained = own->unconstrained;
  double* restrict rest = own->rest;
  if (form->begin && form->begin(self)) {
    self->model.evaluator.error = (VidaError){0};
    return false;
  }
  for (int i = 0; i < n && form->begin; i++) {
    unconstrained[i] = -inverse[i] * base[i];
  }
  for (int i = 0; i < n && !form->begin; i++) {
    unconstrained[i] = inverse[i] * (p[i] + low[i] + start * force[i]);
  }
  for (int r = 0; r < m; r++) {
    rest[r] = per_step * g[r];
  }
  return true;
}

/* ---- sums over the rows ---------------------------------------------------------------------- */

/* The components of a vector are loaded before any is stored, so that they are computed together.
 */

VIDA_ALWAYS_INLINE void find_difference(const double* to, const double* from, double* difference,
                                        int dimension) {
  for (int k = 0; k < dimension; k++) {
    difference[k] = to[k] - from[k];
  }
}

/* Subtracts weight M^-1 G^T impulses (m) from velocities. Points are different or equal. */
VIDA_ALWAYS_INLINE void subtract_accelerated(const vida_distance_steps* own, double weight,
                                             const double* restrict impulses, double* restrict w,
                                             int dimension) {
  const int m = own->distances.count;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict d = own->d;
  for (int r = 0; r < m; r++, at++, d += dimension) {
    const double impulse = weight * at->factor * impulses[r];
    const double by_first = impulse * at->by_first, by_second = impulse * at->by_second;
    double *from = w + at->first, *to = w + at->second;
    double first[VIDA_MOST_COMPONENTS], second[VIDA_MOST_COMPONENTS];
    for (int k = 0; k < dimension; k++) {
      first[k] = from[k] + by_first * d[k];
    }
    for (int k = 0; k < dimension; k++) {
      second[k] = to[k] - by_second * d[k];
    }
    for (int k = 0; k < dimension; k++) {
      from[k] = first[k];
    }
    for (int k = 0; k < dimension; k++) {
      to[k] = second[k];
    }
  }
}

/* Adds factor d to a sum, and its rounding errors to `low`. */
VIDA_ALWAYS_INLINE void add_exactly(double* restrict sum, double* restrict low, double factor,
                                    const double* restrict d, int dimension) {
  double total[VIDA_MOST_COMPONENTS], left[VIDA_MOST_COMPONENTS];
  for (int k = 0; k < dimension; k++) {
    total[k] = vida__add_exactly(sum[k], factor * d[k], &left[k]);
  }
  for (int k = 0; k < dimension; k++) {
    left[k] += low[k];
  }
  for (int k = 0; k < dimension; k++) {
    sum[k] = total[k];
  }
  for (int k = 0; k < dimension; k++) {
    low[k] = left[k];
  }
}

/* Computes G^T mu. */
VIDA_ALWAYS_INLINE void find_reaction(VidaIntegration* self, const double* restrict mu,
                                      int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const int n = self->model.n, m = self->model.m;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict d = own->d;
  double* reaction = own->reaction;
  memset(reaction, 0, (size_t)n * sizeof *reaction);
  for (int r = 0; r < m; r++, at++, d += dimension) {
    const double impulse = at->factor * mu[r];
    for (int k = 0; k < dimension; k++) {
      reaction[at->second + k] += impulse * d[k];
    }
    for (int k = 0; k < dimension && at->first < n; k++) {
      reaction[at->first + k] -= impulse * d[k];
    }
  }
}

/* Subtracts weight G^T impulses from the momenta, term by term: equal and opposite impulses then
 * cancel exactly. */
VIDA_ALWAYS_INLINE void subtract_impulses(VidaIntegration* self, double weight,
                                          const double* restrict impulses, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const int n = self->model.n, m = self->model.m;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict d = own->d;
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  for (int r = 0; r < m; r++, at++, d += dimension) {
    const double impulse = weight * at->factor * impulses[r];
    add_exactly(p + at->second, low + at->second, -impulse, d, dimension);
    if (at->first < n) {
      add_exactly(p + at->first, low + at->first, impulse, d, dimension);
    }
  }
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Computes w(mu). */
VIDA_ALWAYS_INLINE void find_velocities(VidaIntegration* self, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const double kappa = *self->implicit.form.kappa;
  double* restrict w = own->next.w;
  memcpy(w, own->unconstrained, (size_t)self->model.n * sizeof *w);
  subtract_accelerated(own, kappa, own->next.mu, w, dimension);
}

/* Computes d and g / h at the end of the step: the mean of d at both ends, times c, is the discrete
 * gradient. Returns the largest residual relative to its terms. */
VIDA_ALWAYS_INLINE double find_residual(VidaIntegration* self, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const double h = self->node.h;
  const int m = self->model.m;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict w = own->next.w;
  const double* restrict d = own->d;
  const double* restrict size = own->size;
  double* restrict ahead = own->ahead;
  double* restrict residual = own->residual;
  double largest = 0.0;
  for (int r = 0; r < m; r++, at++, d += dimension, ahead += dimension) {
    double rate[VIDA_MOST_COMPONENTS], change[VIDA_MOST_COMPONENTS];
    double sum = 0.0;
    find_difference(w + at->second, w + at->first, rate, dimension);
    for (int k = 0; k < dimension; k++) {
      change[k] = h * rate[k];
      ahead[k] = d[k] + change[k];
    }
    for (int k = 0; k < dimension; k++) {
      sum += (d[k] + 0.5 * change[k]) * rate[k];
    }
    residual[r] = own->rest[r] + at->factor * sum;
    /* Without a division in most rows; NaN is the largest. */
    if (!(fabs(residual[r]) <= largest * size[r])) {
      largest = fabs(residual[r]) / size[r];
    }
  }
  return largest;
}

VIDA_ALWAYS_INLINE double dot(const double* a, const double* b, int dimension) {
  double sum = 0.0;
  for (int k = 0; k < dimension; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

VIDA_ALWAYS_INLINE void store_tridiagonal(const vida_chain_matrix* matrix, double weight,
                                          const double* left, const double* right, int dimension) {
  double* restrict lower = matrix->lower;
  double* restrict diagonal = matrix->diagonal;
  double* restrict upper = matrix->upper;
  for (int r = 0; r < matrix->size; r++, left += dimension, right += dimension) {
    diagonal[r] = weight * matrix->own_weight[r] * dot(left, right, dimension);
    if (r > 0) {
      const double factor = weight * matrix->pair_weight[r];
      lower[r] = factor * dot(left, right - dimension, dimension);
      upper[r - 1] = factor * dot(left - dimension, right, dimension);
    }
  }
}

/* Factors weight G1 M^-1 G0^T, with d for the gradients of the rows in `left` and for those of the
 * columns in `right`. */
VIDA_ALWAYS_INLINE bool factor(vida_distance_steps* own, double weight, const double* left,
                               const double* right, int dimension) {
  vida_chain_matrix* matrix = &own->matrix;
  own->counts.jacobians++;
  if (matrix->is_tridiagonal) {
    store_tridiagonal(matrix, weight, left, right, dimension);
    return vida__chain_matrix_factor(matrix);
  }
  for (int k = 0; k < matrix->pair_count; k++) {
    const vida_chain_pair* pair = &matrix->pairs[k];
    const int row = pair->row * dimension, column = pair->column * dimension;
    const double part = weight * pair->weight;
    matrix->linear->values[pair->slot] = part * dot(left + row, right + column, dimension);
    matrix->linear->values[pair->transposed] = part * dot(left + column, right + row, dimension);
  }
  return vida__chain_matrix_factor(matrix);
}

/* Solves the equations for own->next. Returns whether Newton's method has converged at once. */
VIDA_ALWAYS_INLINE bool solve(VidaIntegration* self, int dimension) {
  enum { MOST_ITERATIONS = 6, MOST_FACTORIZATIONS = 2 };
  vida_distance_steps* own = self->implicit.distances;
  double before = INFINITY;
  int factorizations = 0;
  for (int k = 0; k <= MOST_ITERATIONS; k++) {
    find_velocities(self, dimension);
    const double left = find_residual(self, dimension);
    own->counts.residuals++;
    const bool is_slow = k > 0 && !(left < good_contraction * before);
    if (left <= rounded || (is_slow && left < near_rounding && before < near_rounding)) {
      return true;
    }
    if (is_slow && factorizations == MOST_FACTORIZATIONS) {
      return false;
    }
    if (k == 0 || is_slow) {
      factorizations++;
      if (!factor(own, *self->implicit.form.kappa, own->ahead, own->d, dimension)) {
        return false;
      }
    }
    if (!vida__chain_matrix_solve(&own->matrix, own->residual, own->correction)) {
      return false;
    }
    for (int r = 0; r < self->model.m; r++) {
      own->next.mu[r] += own->correction[r];
    }
    own->counts.iterations++;
    before = left;
  }
  return false;
}

/* ---- KINSOL ---------------------------------------------------------------------------------- */

VIDA_ALWAYS_INLINE double evaluate(VidaIntegration* self, int dimension) {
  find_velocities(self, dimension);
  return find_residual(self, dimension);
}

static int kinsol_residual(void* data, const double* mu, double* r) {
  VidaIntegration* self = data;
  vida_distance_steps* own = self->implicit.distances;
  const size_t bytes = (size_t)self->model.m * sizeof *mu;
  memcpy(own->next.mu, mu, bytes);
  switch (own->distances.dimension) {
    case 1:
      own->left = evaluate(self, 1);
      break;
    case 2:
      own->left = evaluate(self, 2);
      break;
    case 3:
      own->left = evaluate(self, 3);
      break;
    default:
      own->left = evaluate(self, 4);
  }
  own->counts.residuals++;
  memcpy(r, own->residual, bytes);
  return vida__are_finite(r, self->model.m) ? 0 : -1; /* norms of SUNDIALS pass over NaN */
}

static int kinsol_factor(void* data) {
  const VidaIntegration* self = data;
  vida_distance_steps* own = self->implicit.distances;
  const double kappa = *self->implicit.form.kappa;
  switch (own->distances.dimension) {
    case 1:
      return factor(own, kappa, own->ahead, own->d, 1) ? 0 : -1;
    case 2:
      return factor(own, kappa, own->ahead, own->d, 2) ? 0 : -1;
    case 3:
      return factor(own, kappa, own->ahead, own->d, 3) ? 0 : -1;
    default:
      return factor(own, kappa, own->ahead, own->d, 4) ? 0 : -1;
  }
}

/* The matrix of the residual is that of the factors with the other sign. */
static int kinsol_solve(void* data, const double* b, double* x) {
  const VidaIntegration* self = data;
  if (!vida__chain_matrix_solve(&self->implicit.distances->matrix, b, x)) {
    return -1;
  }
  for (int r = 0; r < self->model.m; r++) {
    x[r] = -x[r];
  }
  return 0;
}

vida_kinsol_equations vida__distance_step_equations(VidaIntegration* self) {
  return (vida_kinsol_equations){.size = self->model.m,
                                 .data = self,
                                 .residual = kinsol_residual,
                                 .factor = kinsol_factor,
                                 .solve = kinsol_solve};
}

/* Solves the equations for own->next by KINSOL alone, which may stop above its tolerance, where the
 * residual no longer decreases. */
static bool solve_by_kinsol(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  long iterations;
  const bool is_done = vida__kinsol_solve(own->kinsol, own->size, own->next.mu, &iterations);
  own->counts.iterations += iterations;
  return is_done && own->left < near_rounding;
}

/* ---- after a solution ------------------------------------------------------------------------ */

/* Returns whether no gradient turns much from d to `ahead`. */
VIDA_ALWAYS_INLINE bool turns_little(const VidaIntegration* self, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const double *d = own->d, *ahead = own->ahead;
  bool is_little = true;
  for (int r = 0; r < self->model.m; r++, d += dimension, ahead += dimension) {
    double turn = 0.0, square = 0.0;
    for (int k = 0; k < dimension; k++) {
      const double change = ahead[k] - d[k];
      turn += change * change;
      square += d[k] * d[k];
    }
    is_little = is_little && turn <= most_turn * square;
  }
  return is_little;
}

VIDA_ALWAYS_INLINE int find_force(VidaIntegration* self, double t) {
  vida_distance_steps* own = self->implicit.distances;
  return own->has_uniform_force ? VIDA_SUCCESS
                                : vida__gradient(&self->model.evaluator, t, self->node.q,
                                                 own->next.w, own->force, self->work.l_v);
}

/* Adds h times a share of the force to the momenta. The sum is rounded when the impulses of the
 * constraints have been added. */
VIDA_ALWAYS_INLINE void add_force(VidaIntegration* self, double share) {
  const int n = self->model.n;
  const double weight = share * self->node.h;
  const double* restrict force = self->implicit.distances->force;
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  for (int i = 0; i < n; i++) {
    double left;
    p[i] = vida__add_exactly(p[i], weight * force[i], &left);
    low[i] += left;
  }
}

VIDA_ALWAYS_INLINE void round_momenta(VidaIntegration* self) {
  const int n = self->model.n;
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  for (int i = 0; i < n; i++) {
    double left;
    p[i] = vida__add_exactly(p[i], low[i], &left);
    low[i] = left;
  }
}

/* Computes d at the node, from the compensated positions. */
VIDA_ALWAYS_INLINE void find_differences(const VidaIntegration* self, double* d, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const double *q = self->node.q, *low = self->node.q_low;
  const double* place = own->distances.place;
  for (int r = 0; r < self->model.m; r++, d += dimension, place += dimension) {
    const vida_distance_row* at = &own->rows[r];
    const bool is_pair = at->first < self->model.n;
    for (int k = 0; k < dimension; k++) {
      d[k] = is_pair ? (q[at->second + k] - q[at->first + k]) +
                           (low[at->second + k] - low[at->first + k])
                     : (q[at->second + k] - place[k]) + low[at->second + k];
    }
  }
}

VIDA_ALWAYS_INLINE void exchange(double** a, double** b) {
  double* kept = *a;
  *a = *b;
  *b = kept;
}

VIDA_ALWAYS_INLINE void move_positions(VidaIntegration* self) {
  const int n = self->model.n;
  const double h = self->node.h;
  const double* restrict w = self->implicit.distances->next.w;
  double* restrict q = self->node.q;
  double* restrict low = self->node.q_low;
  for (int i = 0; i < n; i++) {
    double left, rest;
    const double total = vida__add_exactly(q[i], h * w[i], &left);
    q[i] = vida__add_exactly(total, low[i] + left, &rest);
    low[i] = rest;
  }
}

/* Computes the momenta after the step, but for the forces at its end and the projection. */
VIDA_ALWAYS_INLINE void advance_momenta(VidaIntegration* self, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  add_force(self, own->has_uniform_force ? form->start_force + form->end_force : form->start_force);
  subtract_impulses(self, *form->kappa, own->next.mu, dimension);
}

/* Adds the forces at the end of the step, whose time is t, to the momenta. */
VIDA_ALWAYS_INLINE bool finish_momenta(VidaIntegration* self, double t) {
  if (find_force(self, t)) {
    return false;
  }
  if (!self->implicit.distances->has_uniform_force) {
    add_force(self, self->implicit.form.end_force);
  }
  round_momenta(self);
  return true;
}

/* Moves the node to the end of the step, but for the projection. */
VIDA_ALWAYS_INLINE bool advance(VidaIntegration* self, double t, int dimension) {
  vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  if (form->end) {
    find_reaction(self, own->next.mu, dimension);
  } else {
    advance_momenta(self, dimension);
  }
  move_positions(self);
  for (int r = 0; r < self->model.m; r++) {
    self->implicit.g_tracked[r] = self->node.h * own->residual[r];
  }
  exchange(&own->d, &own->d_before);
  find_differences(self, own->d, dimension);
  if (form->end) {
    form->end(self, own->next.w, own->reaction);
    return true;
  }
  return finish_momenta(self, t);
}

/* Computes G v. Returns the largest row, relative to a motion of this size. */
VIDA_ALWAYS_INLINE double find_rates(VidaIntegration* self, double motion, int dimension) {
  vida_distance_steps* own = self->implicit.distances;
  const int m = self->model.m;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict v = own->v;
  const double* restrict d = own->d;
  const double* restrict stiffness = self->model.row_stiffness;
  double* restrict rates = own->residual;
  double largest = 0.0;
  for (int r = 0; r < m; r++, at++, d += dimension) {
    double difference[VIDA_MOST_COMPONENTS];
    find_difference(v + at->second, v + at->first, difference, dimension);
    rates[r] = at->factor * dot(d, difference, dimension);
    const double size = motion * stiffness[r];
    if (!(fabs(rates[r]) <= largest * size)) {
      largest = fabs(rates[r]) / size;
    }
  }
  return largest;
}

/* Projects the momenta on G v = 0: v = M^-1 (p - G^T nu). Returns whether that succeeded. */
VIDA_ALWAYS_INLINE bool project(VidaIntegration* self, int dimension) {
  enum { MOST_CORRECTIONS = 4 };
  vida_distance_steps* own = self->implicit.distances;
  double motion = 0.0, before = INFINITY, left = INFINITY;
  for (int i = 0; i < self->model.n; i++) {
    const double size = fabs(self->node.p[i]) * self->model.inverse_root[i];
    motion = size > motion ? size : motion;
    own->v[i] = own->inverse[i] * self->node.p[i];
  }
  exchange(&own->nu, &own->nu_before);
  memset(own->nu, 0, (size_t)self->model.m * sizeof *own->nu);
  if (!factor(own, 1.0, own->d, own->d, dimension)) {
    return false;
  }
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    left = find_rates(self, motion, dimension);
    /* Not at k = 0: relative to a heavy and fast part, the violations of other parts look like
     * rounding before the first correction. */
    if (k > 0 && (left <= rounded || (left < near_rounding && left >= before))) {
      break;
    }
    before = left;
    if (!vida__chain_matrix_solve(&own->matrix, own->residual, own->correction)) {
      return false;
    }
    subtract_accelerated(own, 1.0, own->correction, own->v, dimension);
    for (int r = 0; r < self->model.m; r++) {
      own->nu[r] += own->correction[r];
    }
  }
  if (!(left < near_rounding)) {
    return false;
  }
  subtract_impulses(self, 1.0, own->nu, dimension);
  round_momenta(self);
  return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Sizes of the terms of g / h at the end of a step; they need not be precise. */
VIDA_ALWAYS_INLINE void measure_sizes(VidaIntegration* self, int dimension) {
  vida_distance_steps* own = self->implicit.distances;
  double* speed = self->work.speed;
  const double* d = own->d;
  for (int i = 0; i < self->model.n; i++) {
    speed[i] =
        fabs(own->past[0].w[i]) +
        own->inverse[i] * (fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i]);
  }
  for (int r = 0; r < self->model.m; r++, d += dimension) {
    const vida_distance_row* at = &own->rows[r];
    double fastest = 0.0, length = 0.0;
    for (int k = 0; k < dimension; k++) {
      const double other = at->first < self->model.n ? speed[at->first + k] : 0.0;
      const double both = speed[at->second + k] + other;
      fastest = both > fastest ? both : fastest;
      length += fabs(d[k]);
    }
    own->size[r] = fabs(at->factor) * length * fastest;
  }
  own->has_sizes = true;
}

VIDA_ALWAYS_INLINE void rotate_unknowns(vida_distance_steps* own) {
  const vida_step_unknowns oldest = own->past[VIDA_PAST_STEPS - 1];
  for (int k = VIDA_PAST_STEPS - 1; k > 0; k--) {
    own->past[k] = own->past[k - 1];
  }
  own->past[0] = own->next;
  own->next = oldest;
}

/* Makes one step, or leaves the state unchanged and returns false. Evaluations of a step that is
 * not made do not count: a series tries the step after its last one, too. */
VIDA_ALWAYS_INLINE bool make_step(VidaIntegration* self, bool* is_broken, int dimension) {
  vida_distance_steps* own = self->implicit.distances;
  const double t1 = vida__next_time(self);
  const vida_calm_counts before = own->counts;
  if (!own->has_sizes || (self->node.step % VIDA_CALM_STEPS == 0 && !self->one_step)) {
    measure_sizes(self, dimension);
  }
  guess_multipliers(self);
  if (!prepare(self) || !(own->kinsol ? solve_by_kinsol(self) : solve(self, dimension)) ||
      !turns_little(self, dimension)) {
    own->counts = before;
    return false;
  }
  *is_broken =
      !advance(self, t1, dimension) || (self->implicit.form.projects && !project(self, dimension));
  if (!*is_broken) {
    rotate_unknowns(own);
  }
  return !*is_broken;
}

/* node.step is that of the step that is made. */
VIDA_ALWAYS_INLINE long make_steps(VidaIntegration* self, long most, bool* is_broken,
                                   int dimension) {
  long made = 0;
  while (made < most && make_step(self, is_broken, dimension)) {
    made++;
    self->node.step++;
    if (made == most || self->node.step % VIDA_CALM_STEPS == 0 ||
        !vida__needs_no_look(self, self->node.q)) {
      break;
    }
  }
  return made;
}

VIDA_ALWAYS_INLINE long make_steps_of(VidaIntegration* self, long most, bool* is_broken) {
  switch (self->implicit.distances->distances.dimension) {
    case 1:
      return make_steps(self, most, is_broken, 1);
    case 2:
      return make_steps(self, most, is_broken, 2);
    case 3:
      return make_steps(self, most, is_broken, 3);
    default:
      return make_steps(self, most, is_broken, 4);
  }
}

/* Instructions for four numbers at once round each of them as those for one number do, so results
 * do not depend on the processor. */
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx"))) static long make_wide_steps(VidaIntegration* self, long most,
                                                           bool* is_broken) {
  return make_steps_of(self, most, is_broken);
}

static bool has_wide_numbers(void) {
  return __builtin_cpu_supports("avx");
}
#else
#define make_wide_steps make_steps_of

static bool has_wide_numbers(void) {
  return false;
}
#endif

long vida__make_distance_steps(VidaIntegration* self, long most, bool* is_broken) {
  return has_wide_numbers() ? make_wide_steps(self, most, is_broken)
                            : make_steps_of(self, most, is_broken);
}

void vida__find_distance_vectors(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  find_differences(self, own->d, own->distances.dimension);
}
