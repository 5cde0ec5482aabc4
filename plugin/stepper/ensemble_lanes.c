#include "stepper/ensemble_lanes.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/inline.h"
#include "base/memory.h"
#include "stepper/ensemble_state.h"
#include "stepper/ensemble_watch.h"
#include "system/model/kernel.h"
#include "system/model/model.h"

#if VIDA_HAS_LANES

/* As in distance_equations.c and chain_matrix.c. */
static const double most_turn = 0.01;
static const double good_contraction = 0.1;
static const double rounded = 2.0 * DBL_EPSILON;
static const double near_rounding = 1e-12;
static const double least_pivot = 1e-4;

/* ---- creation -------------------------------------------------------------------------------- */

/* Whether what monitors measure at a node depends on particles, gravity and rods alone. */
static bool has_measures(const VidaIntegration* self) {
  const VidaSystem* system = self->model.system;
  bool is_simple = self->implicit.form.projects && system->separable &&
                   system->term_batch_count == 0 && system->motion_count == 0 &&
                   !system->time_dependent;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    is_simple = is_simple && system->constraint_batches[b].kernel == &vida__distance;
  }
  return is_simple;
}

vida_step_lanes* vida__lanes_create(const VidaIntegration* self) {
  const size_t n = (size_t)self->model.n * VIDA_LANES, m = (size_t)self->model.m * VIDA_LANES;
  const size_t dimension = (size_t)self->implicit.distances->distances.dimension;
  const size_t all = n + dimension * VIDA_LANES, width = m * dimension;
  vida_step_lanes* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return NULL;
  }
  const size_t node = 6 * n + 5 * m + (5 + VIDA_LARGEST_MOMENTUM_COUNT) * VIDA_LANES;
  const vida_array arrays[] = {{(double**)&made->q, 4 * n + all},
                               {(double**)&made->w, all},
                               {(double**)&made->v_before, all},
                               {(double**)&made->unconstrained, n},
                               {(double**)&made->d, width},
                               {(double**)&made->d_before, width},
                               {(double**)&made->ahead, width},
                               {(double**)&made->past[0], m},
                               {(double**)&made->past[1], m},
                               {(double**)&made->past[2], m},
                               {(double**)&made->past[3], m},
                               {(double**)&made->mu, m},
                               {(double**)&made->third, m},
                               {(double**)&made->g, m},
                               {(double**)&made->rest, m},
                               {(double**)&made->residual, m},
                               {(double**)&made->size, m},
                               {(double**)&made->stiffness, m},
                               {(double**)&made->scale, m},
                               {(double**)&made->nu, m},
                               {(double**)&made->nu_before, m},
                               {(double**)&made->correction, m},
                               {(double**)&made->lower, m},
                               {(double**)&made->diagonal, m},
                               {(double**)&made->upper, m},
                               {(double**)&made->motion, m},
                               {(double**)&made->seen, n},
                               {(double**)&made->root, n},
                               {(double**)&made->difference, width},
                               {&made->point, 2 * (size_t)self->model.n},
                               {(double**)&made->node[0].q, VIDA_CALM_STEPS * node}};
  made->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  made->rod = vida__allocate((size_t)self->model.m, sizeof *made->rod);
  if (!made->block || !made->rod) {
    vida__lanes_destroy(made);
    return NULL;
  }
  made->q_low = made->q + self->model.n;
  made->p = made->q_low + self->model.n;
  made->p_low = made->p + self->model.n;
  made->v = made->p_low + self->model.n;
  for (int s = 0; s < VIDA_CALM_STEPS; s++) {
    lane_node* to = &made->node[s];
    to->q = made->node[0].q + (size_t)s * (node / VIDA_LANES);
    to->w = to->q + 5 * self->model.n;
    to->lambda = to->w + self->model.n;
    to->mu = to->lambda + self->model.m;
    to->nu = to->mu + self->model.m;
    to->g = to->nu + self->model.m;
    to->rate = to->g + self->model.m;
    to->energy = to->rate + self->model.m;
    to->kinetic = to->energy + 1;
    to->largest_g = to->kinetic + 1;
    to->largest_rate = to->largest_g + 1;
    to->finite = to->largest_rate + 1;
    to->momenta = to->finite + 1;
  }
  made->measures = has_measures(self);
  for (int b = 0; made->measures && b < self->model.system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &self->model.system->constraint_batches[b];
    for (int i = 0; i < batch->count; i++) {
      made->rod[batch->row[i]] = batch->parameter + i * VIDA_DISTANCE_PARAMETERS;
    }
  }
  return made;
}

void vida__lanes_destroy(vida_step_lanes* old) {
  if (old) {
    free(old->block);
    free((void*)old->rod);
    free(old);
  }
}

/* ---- the motions and the lanes --------------------------------------------------------------- */

VIDA_ALWAYS_INLINE void gather(const double* const from[VIDA_LANES], int count, lanes* to) {
  for (int i = 0; i < count; i++) {
    to[i] = (lanes){from[0][i], from[1][i], from[2][i], from[3][i]};
  }
}

#define GATHER(member, count, to)                                                         \
  do {                                                                                    \
    const double* const from_[VIDA_LANES] = {of[0]->member, of[1]->member, of[2]->member, \
                                             of[3]->member};                              \
    gather(from_, count, to);                                                             \
  } while (false)

VIDA_ALWAYS_INLINE void load(vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES],
                             int dimension) {
  const int m = of[0]->model.m;
  GATHER(node.q, 4 * of[0]->model.n, own->q);
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    GATHER(implicit.distances->past[k].mu, m, own->past[k]);
  }
  GATHER(implicit.distances->d, m * dimension, own->d);
  GATHER(implicit.distances->size, m, own->size);
  GATHER(implicit.distances->nu, m, own->nu);
  GATHER(implicit.g_tracked, m, own->g);
  GATHER(model.matrix_stiffness, m, own->scale);
  GATHER(model.row_stiffness, m, own->stiffness);
}

static void scatter(const lanes* from, int lane, int count, double* to) {
  const double* number = (const double*)from + lane;
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    to[i] = number[VIDA_LANES * i];
  }
}

static void exchange(lanes** a, lanes** b) {
  lanes* kept = *a;
  *a = *b;
  *b = kept;
}

static void add_counts(int lane, int sign, const lane_counts* more, vida_calm_counts* to) {
  to->iterations += sign * more->iterations[lane];
  to->residuals += sign * more->residuals[lane];
  to->jacobians += sign * more->jacobians[lane];
}

void vida__lanes_take(const vida_step_lanes* own, int lane, long made, VidaIntegration* self) {
  vida_distance_steps* to = self->implicit.distances;
  const int n = self->model.n, m = self->model.m, width = m * to->distances.dimension;
  for (long s = made > VIDA_PAST_STEPS ? made - VIDA_PAST_STEPS : 0; s < made; s++) {
    const vida_step_unknowns oldest = to->past[VIDA_PAST_STEPS - 1];
    scatter(own->node[s].w, lane, n, to->next.w);
    scatter(own->node[s].mu, lane, m, to->next.mu);
    for (int k = VIDA_PAST_STEPS - 1; k > 0; k--) {
      to->past[k] = to->past[k - 1];
    }
    to->past[0] = to->next;
    to->next = oldest;
  }
  scatter(own->q, lane, 4 * n, self->node.q);
  scatter(own->d, lane, width, to->d);
  scatter(own->d_before, lane, width, to->d_before);
  scatter(own->g, lane, m, self->implicit.g_tracked);
  if (self->implicit.form.projects) {
    scatter(own->nu, lane, m, to->nu);
    scatter(own->nu_before, lane, m, to->nu_before);
    scatter(own->v, lane, n, to->v);
  }
  add_counts(lane, 1, &own->node[made - 1].counts, &to->counts);
}

void vida__lanes_show(const vida_step_lanes* own, int lane, long step, VidaIntegration* self) {
  const lane_node* from = &own->node[step];
  const vida_step_form* form = &self->implicit.form;
  const int n = self->model.n, m = self->model.m;
  scatter(from->q, lane, (form->projects ? 5 : 4) * n, self->node.q);
  scatter(from->lambda, lane, m, self->node.lambda);
  scatter(from->w, lane, n, form->w);
  if (form->projects) {
    scatter(from->nu, lane, m, form->impulse);
  }
}

bool vida__lanes_measured(const vida_step_lanes* own, int lane, long step, vida_node_values* to,
                          double* g) {
  const lane_node* from = &own->node[step];
  const VidaIntegration* self = own->self;
  if (!own->measures) {
    return false;
  }
  scatter(from->g, lane, self->model.m, g);
  scatter(from->rate, lane, self->model.m, to->rate);
  scatter(from->energy, lane, 1, &to->energy);
  scatter(from->momenta, lane, self->model.system->momentum_count, to->momenta);
  return true;
}

bool vida__lanes_read(const vida_step_lanes* own, int lane, long step, vida_joint_node* node) {
  const lane_node* from = &own->node[step];
  if (!own->measures || (*from->finite)[lane] != 0.0) {
    return false;
  }
  node->energy = (*from->energy)[lane];
  node->kinetic = (*from->kinetic)[lane];
  node->position = (*from->largest_g)[lane];
  node->velocity = (*from->largest_rate)[lane];
  scatter(from->momenta, lane, own->self->model.system->momentum_count, node->momenta);
  return true;
}

void vida__lanes_uncount(const vida_step_lanes* own, int lane, long step, long made,
                         VidaIntegration* self) {
  vida_calm_counts* counts = &self->implicit.distances->counts;
  add_counts(lane, -1, &own->node[made - 1].counts, counts);
  add_counts(lane, 1, &own->node[step].counts, counts);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

VIDA_ALWAYS_INLINE void guess_multipliers(vida_step_lanes* own, vida_shape shape) {
  const lanes *a = own->past[0], *b = own->past[1], *c = own->past[2], *e = own->past[3];
  lanes squares2 = {0.0}, squares3 = {0.0};
  for (int r = 0; r < shape.m; r++) {
    const lanes newest = a[r] - b[r], before = b[r] - c[r], oldest = c[r] - e[r];
    const lanes order2 = newest - before, square = own->scale[r] * own->scale[r];
    own->third[r] = order2 - (before - oldest);
    own->mu[r] = a[r] + newest + order2;
    squares2 += square * (order2 * order2);
    squares3 += square * (own->third[r] * own->third[r]);
  }
  const lane_mask helps = IS(squares3 < 0.25 * squares2);
  for (int r = 0; r < shape.m; r++) {
    own->mu[r] = SELECT(helps, own->mu[r] + own->third[r], own->mu[r]);
  }
}

VIDA_ALWAYS_INLINE void prepare(vida_step_lanes* own, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const double start = self->node.h * self->implicit.form.start_force,
               per_step = 1.0 / self->node.h;
  const double *force = self->implicit.distances->force,
               *inverse = self->implicit.distances->inverse;
  for (int i = 0; i < shape.n; i++) {
    own->unconstrained[i] = inverse[i] * (own->p[i] + own->p_low[i] + start * force[i]);
  }
  for (int r = 0; r < shape.m; r++) {
    own->rest[r] = per_step * own->g[r];
  }
}

/* Subtracts weight M^-1 G^T impulses (m) from velocities. */
VIDA_ALWAYS_INLINE void subtract_accelerated(const vida_step_lanes* own, double weight,
                                             const lanes* impulses, lanes* w, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const vida_distance_row* at = self->implicit.distances->rows;
  const lanes* d = own->d;
  for (int r = 0; r < shape.m; r++, at++, d += shape.dimension) {
    const lanes impulse = weight * at->factor * impulses[r];
    const lanes by_first = impulse * at->by_first, by_second = impulse * at->by_second;
    const int first = first_of(at, r, shape), second = second_of(at, r, shape);
    for (int k = 0; k < shape.dimension && (!shape.is_chain || r > 0); k++) {
      w[first + k] += by_first * d[k];
    }
    for (int k = 0; k < shape.dimension; k++) {
      w[second + k] -= by_second * d[k];
    }
  }
}

/* Computes w(mu), d and g / h at the end of the step. *is_rounded: residuals that are rounding, |g
 * / h| <= rounded times the size of its terms in all rows. */
VIDA_ALWAYS_INLINE void evaluate(vida_step_lanes* own, lane_mask* is_rounded, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const double h = self->node.h;
  const vida_distance_row* at = self->implicit.distances->rows;
  const lanes* d = own->d;
  lanes* ahead = own->ahead;
  *is_rounded = ~(lane_mask){0};
  memcpy(own->w, own->unconstrained, (size_t)shape.n * sizeof *own->w);
  subtract_accelerated(own, *self->implicit.form.kappa, own->mu, own->w, shape);
  for (int r = 0; r < shape.m; r++, at++, d += shape.dimension, ahead += shape.dimension) {
    const lanes *from = own->w + first_of(at, r, shape), *to = own->w + second_of(at, r, shape);
    lanes sum = {0};
    for (int k = 0; k < shape.dimension; k++) {
      const lanes rate = to[k] - from[k], change = h * rate;
      const lanes product = (d[k] + 0.5 * change) * rate;
      ahead[k] = d[k] + change;
      sum = k > 0 ? sum + product : product;
    }
    own->residual[r] = own->rest[r] + at->factor * sum;
    *is_rounded &= IS(MAGNITUDE(own->residual[r]) <= rounded * own->size[r]);
  }
}

/* Computes the largest |left| / size of the rows; NaN stays. */
VIDA_ALWAYS_INLINE void find_largest(const lanes* left, const lanes* size, lanes* largest,
                                     vida_shape shape) {
  lanes most = {0.0};
  for (int r = 0; r < shape.m; r++) {
    const lanes part = MAGNITUDE(left[r]);
    most = SELECT(IS(part <= most * size[r]) | IS(most != most), most, part / size[r]);
  }
  *largest = most;
}

VIDA_ALWAYS_INLINE void dot(const lanes* a, const lanes* b, lanes* product, vida_shape shape) {
  lanes sum = a[0] * b[0];
  for (int k = 1; k < shape.dimension; k++) {
    sum += a[k] * b[k];
  }
  *product = sum;
}

/* Factors weight G1 M^-1 G0^T, with d for the gradients of the rows in `left` and for those of the
 * columns in `right`. Takes lanes with a small pivot out of *is_in. */
VIDA_ALWAYS_INLINE void factor(vida_step_lanes* own, double weight, const lanes* left,
                               const lanes* right, lane_mask* is_in, vida_shape shape) {
  const vida_chain_matrix* matrix = &own->self->implicit.distances->matrix;
  lanes inverse = {0.0};
  for (int r = 0; r < shape.m; r++, left += shape.dimension, right += shape.dimension) {
    lanes product, term = {0.0};
    dot(left, right, &product, shape);
    const lanes whole = weight * matrix->own_weight[r] * product;
    if (r > 0) {
      const double both = weight * matrix->pair_weight[r];
      dot(left, right - shape.dimension, &product, shape);
      own->lower[r] = both * product * inverse;
      dot(left - shape.dimension, right, &product, shape);
      own->upper[r - 1] = both * product;
      term = own->lower[r] * own->upper[r - 1];
    }
    const lanes pivot = whole - term;
    *is_in &= IS(MAGNITUDE(pivot) > least_pivot * (MAGNITUDE(whole) + MAGNITUDE(term)));
    inverse = 1.0 / pivot;
    own->diagonal[r] = inverse;
  }
  *is_in &= IS(MAGNITUDE(inverse) <= DBL_MAX);
}

/* Computes correction = A^-1 residual. */
VIDA_ALWAYS_INLINE void solve_matrix(vida_step_lanes* own, vida_shape shape) {
  const int m = shape.m;
  lanes* x = own->correction;
  lanes value = own->residual[0];
  x[0] = value;
  for (int r = 1; r < m; r++) {
    value = own->residual[r] - own->lower[r] * value;
    x[r] = value;
  }
  value = x[m - 1] * own->diagonal[m - 1];
  x[m - 1] = value;
  for (int r = m - 2; r >= 0; r--) {
    value = (x[r] - own->upper[r] * value) * own->diagonal[r];
    x[r] = value;
  }
}

VIDA_ALWAYS_INLINE bool is_any(const lane_mask* mask) {
  int64_t all = 0;
  for (int k = 0; k < VIDA_LANES; k++) {
    all |= (*mask)[k];
  }
  return all != 0;
}

/* Solves the equations. Takes lanes whose iteration does not converge with one matrix out of
 * *is_in. Most lanes need one iteration, and then no quotient. */
VIDA_ALWAYS_INLINE void solve(vida_step_lanes* own, lane_mask* is_in, vida_shape shape) {
  enum { MOST_ITERATIONS = 6 };
  const double kappa = *own->self->implicit.form.kappa;
  lanes* before = own->third; /* the residuals before, after the guess */
  lane_mask is_open = *is_in;
  for (int k = 0; k <= MOST_ITERATIONS; k++) {
    lane_mask is_done, is_slow = {0};
    memcpy(before, own->residual, (size_t)shape.m * sizeof *before);
    evaluate(own, &is_done, shape);
    own->counts.residuals -= is_open;
    is_open &= ~is_done;
    if (k > 0 && is_any(&is_open)) {
      lanes left, last;
      find_largest(own->residual, own->size, &left, shape);
      find_largest(before, own->size, &last, shape);
      is_slow = ~IS(left < good_contraction * last);
      is_open &= ~(is_slow & IS(left < near_rounding) & IS(last < near_rounding));
    }
    *is_in &= ~(is_open & is_slow);
    is_open &= *is_in;
    if (!is_any(&is_open)) {
      return;
    }
    if (k == 0) {
      /* A lane that needs no matrix does not leave because of it. */
      lane_mask is_regular = ~(lane_mask){0};
      factor(own, kappa, own->ahead, own->d, &is_regular, shape);
      *is_in &= is_regular | ~is_open;
      is_open &= *is_in;
      own->counts.jacobians -= is_open;
    }
    solve_matrix(own, shape);
    for (int r = 0; r < shape.m; r++) {
      own->mu[r] = SELECT(is_open, own->mu[r] + own->correction[r], own->mu[r]);
    }
    own->counts.iterations -= is_open;
  }
  *is_in &= ~is_open;
}

/* Takes lanes with a gradient that turns much out of *is_in. */
VIDA_ALWAYS_INLINE void check_turns(const vida_step_lanes* own, lane_mask* is_in,
                                    vida_shape shape) {
  const lanes *d = own->d, *ahead = own->ahead;
  for (int r = 0; r < shape.m; r++, d += shape.dimension, ahead += shape.dimension) {
    lanes turn = {0.0}, square = {0.0};
    for (int k = 0; k < shape.dimension; k++) {
      const lanes change = ahead[k] - d[k];
      turn += change * change;
      square += d[k] * d[k];
    }
    *is_in &= IS(turn <= most_turn * square);
  }
}

/* ---- after a solution ------------------------------------------------------------------------ */

VIDA_ALWAYS_INLINE void add_product(lanes* sum, lanes* low, const lanes* factor, const lanes* d,
                                    vida_shape shape) {
  for (int k = 0; k < shape.dimension; k++) {
    const lanes product = *factor * d[k];
    lanes total, left;
    ADD_EXACTLY(sum[k], product, total, left);
    sum[k] = total;
    low[k] = left + low[k];
  }
}

VIDA_ALWAYS_INLINE void subtract_impulses(vida_step_lanes* own, double weight,
                                          const lanes* impulses, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const vida_distance_row* at = self->implicit.distances->rows;
  const lanes* d = own->d;
  for (int r = 0; r < shape.m; r++, at++, d += shape.dimension) {
    const int first = first_of(at, r, shape), second = second_of(at, r, shape);
    const lanes impulse = weight * at->factor * impulses[r], back = -impulse;
    add_product(own->p + second, own->p_low + second, &back, d, shape);
    if (first < shape.n) {
      add_product(own->p + first, own->p_low + first, &impulse, d, shape);
    }
  }
}

VIDA_ALWAYS_INLINE void add_force(vida_step_lanes* own, double share, vida_shape shape) {
  const double weight = share * own->self->node.h;
  const double* force = own->self->implicit.distances->force;
  for (int i = 0; i < shape.n; i++) {
    const double part = weight * force[i];
    lanes total, left;
    ADD_EXACTLY(own->p[i], part, total, left);
    own->p[i] = total;
    own->p_low[i] += left;
  }
}

VIDA_ALWAYS_INLINE void round_momenta(vida_step_lanes* own, vida_shape shape) {
  for (int i = 0; i < shape.n; i++) {
    lanes total, left;
    ADD_EXACTLY(own->p[i], own->p_low[i], total, left);
    own->p[i] = total;
    own->p_low[i] = left;
  }
}

VIDA_ALWAYS_INLINE void move_positions(vida_step_lanes* own, vida_shape shape) {
  const double h = own->self->node.h;
  for (int i = 0; i < shape.n; i++) {
    const lanes step = h * own->w[i];
    lanes total, left, rest, sum;
    ADD_EXACTLY(own->q[i], step, total, left);
    const lanes low = own->q_low[i] + left;
    ADD_EXACTLY(total, low, sum, rest);
    own->q[i] = sum;
    own->q_low[i] = rest;
  }
}

VIDA_ALWAYS_INLINE void find_differences(vida_step_lanes* own, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const vida_distance_row* at = self->implicit.distances->rows;
  const double* place = self->implicit.distances->distances.place;
  lanes* d = own->d;
  for (int r = 0; r < shape.m; r++, at++, d += shape.dimension, place += shape.dimension) {
    const int first = first_of(at, r, shape), second = second_of(at, r, shape);
    const lanes *q = own->q + second, *low = own->q_low + second;
    const bool is_pair = first < shape.n;
    for (int k = 0; k < shape.dimension; k++) {
      d[k] = is_pair ? (q[k] - own->q[first + k]) + (low[k] - own->q_low[first + k])
                     : (q[k] - place[k]) + low[k];
    }
  }
}

VIDA_ALWAYS_INLINE void advance(vida_step_lanes* own, vida_shape shape) {
  const vida_step_form* form = &own->self->implicit.form;
  add_force(own, form->start_force + form->end_force, shape);
  subtract_impulses(own, *form->kappa, own->mu, shape);
  move_positions(own, shape);
  for (int r = 0; r < shape.m; r++) {
    own->g[r] = own->self->node.h * own->residual[r];
  }
  exchange(&own->d, &own->d_before);
  find_differences(own, shape);
  round_momenta(own, shape);
}

/* Computes G v into `residual`. *is_rounded: the rows are rounding in motions of this size. */
VIDA_ALWAYS_INLINE void find_rates(vida_step_lanes* own, const lanes* size, lane_mask* is_rounded,
                                   vida_shape shape) {
  const vida_distance_row* at = own->self->implicit.distances->rows;
  const lanes* d = own->d;
  *is_rounded = ~(lane_mask){0};
  for (int r = 0; r < shape.m; r++, at++, d += shape.dimension) {
    const lanes *from = own->v + first_of(at, r, shape), *to = own->v + second_of(at, r, shape);
    lanes sum = d[0] * (to[0] - from[0]);
    for (int k = 1; k < shape.dimension; k++) {
      sum += d[k] * (to[k] - from[k]);
    }
    own->residual[r] = at->factor * sum;
    *is_rounded &= IS(MAGNITUDE(own->residual[r]) <= rounded * size[r]);
  }
}

/* Computes the velocities before the projection, and the sizes of their rows. */
VIDA_ALWAYS_INLINE void begin_projection(vida_step_lanes* own, lanes* size, vida_shape shape) {
  const VidaIntegration* self = own->self;
  lanes motion = {0.0};
  for (int i = 0; i < shape.n; i++) {
    const lanes part = MAGNITUDE(own->p[i]) * self->model.inverse_root[i];
    motion = SELECT(IS(part > motion), part, motion);
    own->v[i] = self->implicit.distances->inverse[i] * own->p[i];
  }
  for (int r = 0; r < shape.m; r++) {
    size[r] = motion * own->stiffness[r];
  }
}

/* Projects the momenta. Takes lanes for which that does not succeed out of *is_in. */
VIDA_ALWAYS_INLINE void project(vida_step_lanes* own, lane_mask* is_in, vida_shape shape) {
  enum { MOST_CORRECTIONS = 4 };
  const size_t bytes = (size_t)shape.n * sizeof *own->v;
  lanes *size = own->motion, *before = own->third;
  begin_projection(own, size, shape);
  exchange(&own->nu, &own->nu_before);
  memset(own->nu, 0, (size_t)shape.m * sizeof *own->nu);
  factor(own, 1.0, own->d, own->d, is_in, shape);
  lane_mask is_open = *is_in, is_near = ~(lane_mask){0};
  own->counts.jacobians -= is_open;
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    lane_mask is_done;
    memcpy(before, own->residual, (size_t)shape.m * sizeof *before);
    find_rates(own, size, &is_done, shape);
    if (k > 0) {
      is_open &= ~is_done;
      is_near |= is_done;
    }
    if (k > 0 && is_any(&is_open)) {
      lanes left, last;
      find_largest(own->residual, size, &left, shape);
      find_largest(before, size, &last, shape);
      is_near = SELECT_BITS(is_open, IS(left < near_rounding), is_near);
      is_open &= ~(IS(left < near_rounding) & IS(left >= last));
    }
    if (!is_any(&is_open)) {
      break;
    }
    solve_matrix(own, shape);
    memcpy(own->v_before, own->v, bytes);
    subtract_accelerated(own, 1.0, own->correction, own->v, shape);
    for (int i = 0; i < shape.n; i++) {
      own->v[i] = SELECT(is_open, own->v[i], own->v_before[i]);
    }
    for (int r = 0; r < shape.m; r++) {
      own->nu[r] = SELECT(is_open, own->nu[r] + own->correction[r], own->nu[r]);
    }
  }
  *is_in &= is_near;
  subtract_impulses(own, 1.0, own->nu, shape);
  round_momenta(own, shape);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Stores the node that the step has reached. */
VIDA_ALWAYS_INLINE void store_node(vida_step_lanes* own, lane_node* to, vida_shape shape) {
  const VidaIntegration* self = own->self;
  const int n = shape.n, m = shape.m;
  memcpy(to->q, own->q, 5 * (size_t)n * sizeof *to->q);
  memcpy(to->w, own->w, (size_t)n * sizeof *to->w);
  memcpy(to->mu, own->mu, (size_t)m * sizeof *to->mu);
  memcpy(to->nu, own->nu, (size_t)m * sizeof *to->nu);
  for (int r = 0; r < m; r++) {
    const lanes impulse =
        self->implicit.form.projects ? 0.5 * own->mu[r] + own->nu_before[r] : own->mu[r];
    to->lambda[r] = impulse / self->node.h;
  }
  to->counts = own->counts;
}

VIDA_ALWAYS_INLINE void rotate_multipliers(vida_step_lanes* own) {
  lanes* oldest = own->past[VIDA_PAST_STEPS - 1];
  for (int k = VIDA_PAST_STEPS - 1; k > 0; k--) {
    own->past[k] = own->past[k - 1];
  }
  own->past[0] = own->mu;
  own->mu = oldest;
}

/* Makes step `s`. Returns whether all lanes of *is_in have made it; before the first step, *is_in
 * loses those that cannot. *is_broken: the state is undefined. */
VIDA_ALWAYS_INLINE bool make_step(vida_step_lanes* own, long s, lane_mask* is_in, bool* is_broken,
                                  vida_shape shape) {
  lane_mask is_calm = *is_in;
  guess_multipliers(own, shape);
  prepare(own, shape);
  solve(own, &is_calm, shape);
  check_turns(own, &is_calm, shape);
  const lane_mask is_left = *is_in & ~is_calm;
  if (s == 0) {
    *is_in = is_calm;
  }
  if (!is_any(is_in) || (s > 0 && is_any(&is_left))) {
    return false;
  }
  advance(own, shape);
  if (own->self->implicit.form.projects) {
    project(own, &is_calm, shape);
    const lane_mask is_torn = *is_in & ~is_calm;
    *is_broken = is_any(&is_torn);
  }
  if (!*is_broken) {
    store_node(own, &own->node[s], shape);
    vida__lanes_measure(own, &own->node[s]);
    rotate_multipliers(own);
  }
  return !*is_broken;
}

VIDA_ALWAYS_INLINE long make_steps(vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES],
                                   long most, lane_mask* is_in, vida_shape shape) {
  long made = 0;
  bool is_broken = false;
  load(own, of, shape.dimension);
  load_watches(own, of, shape);
  memset(&own->counts, 0, sizeof own->counts);
  while (made < most && make_step(own, made, is_in, &is_broken, shape)) {
    made++;
    if (made == most || !all_pass(own, is_in, of, made, shape)) {
      break;
    }
  }
  if (is_broken && made > 0) {
    return_watches(is_in, of);
  }
  return is_broken ? 0 : made;
}

/* Each shape has a function of its own, which keeps the time to compile in proportion to their
 * number: X(name, shape). Chains of two points are written out. */
#define SHAPE_LIST(X)                                           \
  X(two_in_plane, 4, 2, 2, true)                                \
  X(two, 6, 2, 3, true)                                         \
  X(on_line, own->self->model.n, own->self->model.m, 1, false)  \
  X(in_plane, own->self->model.n, own->self->model.m, 2, false) \
  X(in_space, own->self->model.n, own->self->model.m, 3, false) \
  X(in_four, own->self->model.n, own->self->model.m, 4, false)

#define NAME_SHAPE(name, n, m, dimension, is_short) SHAPE_##name,
typedef enum shape_name { SHAPE_LIST(NAME_SHAPE) SHAPES } shape_name;

static shape_name find_shape(const VidaIntegration* self) {
  const vida_distance_steps* steps = self->implicit.distances;
  const int dimension = steps->distances.dimension;
  const bool is_short = steps->is_chain && self->model.m == 2;
  return dimension == 1   ? SHAPE_on_line
         : dimension == 2 ? (is_short ? SHAPE_two_in_plane : SHAPE_in_plane)
         : dimension == 3 ? (is_short ? SHAPE_two : SHAPE_in_space)
                          : SHAPE_in_four;
}

typedef long make_steps_function(vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES],
                                 long most, lane_mask* is_in);

/* Both compute the same numbers. */
#define DEFINE_BOTH(name, n, m, dimension, is_short)                                              \
  __attribute__((target("avx"), noinline)) static long make_wide_##name(                          \
      vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES], long most, lane_mask* is_in) { \
    return make_steps(own, of, most, is_in, (vida_shape){n, m, dimension, is_short});             \
  }                                                                                               \
  __attribute__((noinline)) static long make_narrow_##name(                                       \
      vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES], long most, lane_mask* is_in) { \
    return make_steps(own, of, most, is_in, (vida_shape){n, m, dimension, is_short});             \
  }
SHAPE_LIST(DEFINE_BOTH)
#define LIST_WIDE(name, n, m, dimension, is_short) make_wide_##name,
#define LIST_NARROW(name, n, m, dimension, is_short) make_narrow_##name,
static make_steps_function* const wide_steps[SHAPES] = {SHAPE_LIST(LIST_WIDE)};
static make_steps_function* const narrow_steps[SHAPES] = {SHAPE_LIST(LIST_NARROW)};

long vida__lanes_steps(vida_step_lanes* own, VidaIntegration* const* of, int number, long most,
                       bool* is_made) {
  VidaIntegration* all[VIDA_LANES];
  lane_mask is_in;
  for (int k = 0; k < VIDA_LANES; k++) { /* lanes without a motion repeat the first one */
    all[k] = of[k < number ? k : 0];
    is_in[k] = k < number ? -1 : 0;
  }
  own->self = all[0];
  make_steps_function* const* steps = __builtin_cpu_supports("avx") ? wide_steps : narrow_steps;
  const long made = steps[find_shape(own->self)](own, all, most, &is_in);
  for (int k = 0; k < number; k++) {
    is_made[k] = made > 0 && is_in[k];
  }
  return made;
}

#else

vida_step_lanes* vida__lanes_create(const VidaIntegration* self) {
  (void)self;
  return NULL;
}

void vida__lanes_destroy(vida_step_lanes* lanes) {
  (void)lanes;
}

long vida__lanes_steps(vida_step_lanes* lanes, VidaIntegration* const* of, int count, long most,
                       bool* is_made) {
  (void)lanes, (void)of, (void)most;
  memset(is_made, 0, (size_t)count * sizeof *is_made);
  return 0;
}

void vida__lanes_take(const vida_step_lanes* lanes, int lane, long made, VidaIntegration* self) {
  (void)lanes, (void)lane, (void)made, (void)self;
}

void vida__lanes_show(const vida_step_lanes* lanes, int lane, long step, VidaIntegration* self) {
  (void)lanes, (void)lane, (void)step, (void)self;
}

bool vida__lanes_measured(const vida_step_lanes* lanes, int lane, long step, vida_node_values* to,
                          double* g) {
  (void)lanes, (void)lane, (void)step, (void)to, (void)g;
  return false;
}

bool vida__lanes_read(const vida_step_lanes* lanes, int lane, long step, vida_joint_node* node) {
  (void)lanes, (void)lane, (void)step, (void)node;
  return false;
}

void vida__lanes_uncount(const vida_step_lanes* lanes, int lane, long step, long made,
                         VidaIntegration* self) {
  (void)lanes, (void)lane, (void)step, (void)made, (void)self;
}

#endif
