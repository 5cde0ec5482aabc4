/* Calm steps of one or two points that hang on a place, with the numbers of a whole series in
 * registers.
 *
 * Such a step is bound by the time that one number waits for the one before it, not by the number
 * of operations: it must neither store numbers that it loads again, nor repeat for each step what
 * holds for the series. The operations and their order are those of distance_equations.c, each with
 * all components of a point at once, so the steps are the same bit for bit. Included by
 * distance_equations.c only. */
#ifndef VIDA_STEPPER_DISTANCE_SHORT_H
#define VIDA_STEPPER_DISTANCE_SHORT_H

#include "stepper/branch_watch.h"
#include "stepper/distance_kernels.h"

#if defined(__GNUC__)
#define VIDA_HAS_SHORT_CHAINS 1

#include <stdint.h>

enum { SHORT_ROWS = 2, SHORT_COMPONENTS = 4, SLOTS = VIDA_PAST_STEPS + 1 };

/* The components of a point, and zeros. Functions take pointers to them, since vectors as arguments
 * have another interface with AVX. */
typedef double components __attribute__((vector_size(SHORT_COMPONENTS * sizeof(double))));
typedef int64_t component_bits __attribute__((vector_size(SHORT_COMPONENTS * sizeof(double))));

typedef struct short_point {
  components q, q_low, p, p_low;
  components unconstrained, w, v;
  /* Constant in a series. */
  components inverse;      /* 1 / mass */
  components inverse_root; /* 1 / sqrt(mass) */
  components start, whole; /* h times the force at the start of a step, and at both ends */
  components seen, root;   /* of the watch */
} short_point;

/* Row r connects point r to point r - 1, or point 0 to the place. */
typedef struct short_row {
  components d, d_before, ahead;
  double past[VIDA_PAST_STEPS]; /* multipliers of the last steps */
  double mu, g, rest, residual, correction;
  double nu, nu_before;
  /* Constant in a series; weights of the matrix are those of (r, r) and (r, r - 1). */
  double factor, force, by_first, by_second; /* force: kappa c */
  double weight, pair, step_weight, step_pair;
  double size, scale, stiffness;
} short_row;

typedef struct short_matrix {
  double lower, upper, inverse[SHORT_ROWS];
} short_matrix;

typedef struct short_chain {
  short_point point[SHORT_ROWS];
  short_row row[SHORT_ROWS];
  components place;
  vida_step_unknowns slot[SLOTS]; /* of the past steps, in a ring */
  int newest;                     /* the slot of the last one */
  vida_calm_counts counts;
  /* Of the watch (vida__watch_is_at_hand). */
  bool is_watched, is_always_looked_at;
  double bend, nearest, last_way;
} short_chain;

/* ---- the series ------------------------------------------------------------------------------ */

/* vida__add_exactly; total may not be a or b. */
VIDA_ALWAYS_INLINE void add_components(const components* a, const components* b, components* total,
                                       components* rest) {
  *total = *a + *b;
  const components part = *total - *a;
  *rest = (*a - (*total - part)) + (*b - part);
}

VIDA_ALWAYS_INLINE double sum_components(const components* x, int dimension) {
  double sum = (*x)[0] + (*x)[1];
  return dimension > 2 ? sum + (*x)[2] : sum;
}

VIDA_ALWAYS_INLINE double multiply_components(const components* a, const components* b,
                                              int dimension) {
  const components product = *a * *b;
  return sum_components(&product, dimension);
}

VIDA_ALWAYS_INLINE void load_components(const double* from, components* to, int dimension) {
  *to = (components){from[0], from[1], dimension > 2 ? from[2] : 0.0, 0.0};
}

VIDA_ALWAYS_INLINE void store_components(const components* from, double* to, int dimension) {
  to[0] = (*from)[0];
  to[1] = (*from)[1];
  if (dimension > 2) {
    to[2] = (*from)[2];
  }
}

VIDA_ALWAYS_INLINE void load_point(const VidaIntegration* self, int at, short_point* to,
                                   int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const VidaNode* node = &self->node;
  const vida_step_form* form = &self->implicit.form;
  const double start = node->h * form->start_force;
  const double whole = (form->start_force + form->end_force) * node->h;
  components force;
  load_components(node->q + at, &to->q, dimension);
  load_components(node->q_low + at, &to->q_low, dimension);
  load_components(node->p + at, &to->p, dimension);
  load_components(node->p_low + at, &to->p_low, dimension);
  load_components(own->force + at, &force, dimension);
  load_components(own->inverse + at, &to->inverse, dimension);
  to->start = start * force;
  to->whole = whole * force;
  to->unconstrained = to->w = to->v = (components){0.0};
  if (form->projects) {
    load_components(self->model.inverse_root + at, &to->inverse_root, dimension);
  }
}

VIDA_ALWAYS_INLINE void load_row(const VidaIntegration* self, int r, short_row* to, int dimension) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_distance_row* at = &own->rows[r];
  const double kappa = *self->implicit.form.kappa;
  load_components(own->d + r * dimension, &to->d, dimension);
  to->d_before = to->ahead = (components){0.0};
  to->mu = to->rest = to->residual = to->correction = 0.0;
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    to->past[k] = own->past[k].mu[r];
  }
  to->g = self->implicit.g_tracked[r];
  to->factor = at->factor;
  to->force = kappa * at->factor;
  to->by_first = at->by_first;
  to->by_second = at->by_second;
  to->weight = own->matrix.own_weight[r];
  to->step_weight = kappa * to->weight;
  to->pair = r > 0 ? own->matrix.pair_weight[r] : 0.0;
  to->step_pair = kappa * to->pair;
  to->size = own->size[r];
  to->scale = self->model.matrix_stiffness[r];
  to->nu = to->nu_before = 0.0;
  if (self->implicit.form.projects) {
    to->nu = own->nu[r];
    to->stiffness = self->model.row_stiffness[r];
  }
}

VIDA_ALWAYS_INLINE void load_watch(const VidaIntegration* self, short_chain* to, vida_shape of) {
  const vida_watch* watch = vida__frame_of((VidaIntegration*)self)->watch;
  to->is_watched = watch;
  to->is_always_looked_at = false;
  to->bend = to->nearest = to->last_way = 0.0;
  for (int r = 0; r < of.m; r++) {
    to->point[r].seen = to->point[r].root = (components){0.0};
  }
  if (!watch) {
    return;
  }
  to->is_always_looked_at = vida__watch_looks_always(watch);
  to->bend = watch->bend;
  to->nearest = watch->room * VIDA_HARDLY_TURNED;
  to->last_way = watch->last_way;
  for (int r = 0; r < of.m; r++) {
    load_components(watch->seen + r * of.dimension, &to->point[r].seen, of.dimension);
    load_components(watch->root + r * of.dimension, &to->point[r].root, of.dimension);
  }
}

VIDA_ALWAYS_INLINE void load_chain(const VidaIntegration* self, short_chain* to, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  for (int r = 0; r < of.m; r++) {
    load_point(self, r * of.dimension, &to->point[r], of.dimension);
    load_row(self, r, &to->row[r], of.dimension);
  }
  load_components(own->distances.place, &to->place, of.dimension);
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    to->slot[k] = own->past[k];
  }
  to->slot[VIDA_PAST_STEPS] = own->next;
  to->newest = 0;
  to->counts = own->counts;
  load_watch(self, to, of);
}

/* Writes the state after one step or more. */
VIDA_ALWAYS_INLINE void store_chain(VidaIntegration* self, const short_chain* from, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  VidaNode* node = &self->node;
  for (int r = 0; r < of.m; r++) {
    const short_point* point = &from->point[r];
    const short_row* row = &from->row[r];
    const int at = r * of.dimension;
    store_components(&point->q, node->q + at, of.dimension);
    store_components(&point->q_low, node->q_low + at, of.dimension);
    store_components(&point->p, node->p + at, of.dimension);
    store_components(&point->p_low, node->p_low + at, of.dimension);
    store_components(&row->d, own->d + at, of.dimension);
    store_components(&row->d_before, own->d_before + at, of.dimension);
    self->implicit.g_tracked[r] = row->g;
    if (self->implicit.form.projects) {
      store_components(&point->v, own->v + at, of.dimension);
      own->nu[r] = row->nu;
      own->nu_before[r] = row->nu_before;
    }
  }
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    own->past[k] = from->slot[(from->newest + k) % SLOTS];
  }
  own->next = from->slot[(from->newest + VIDA_PAST_STEPS) % SLOTS];
  own->counts = from->counts;
  if (from->is_watched) {
    vida__frame_of(self)->watch->last_way = from->last_way;
  }
}

/* ---- the equations of a step ----------------------------------------------------------------- */

VIDA_ALWAYS_INLINE void guess_short(short_chain* chain, vida_shape of) {
  double squares2 = 0.0, squares3 = 0.0, third[SHORT_ROWS];
  for (int r = 0; r < of.m; r++) {
    short_row* row = &chain->row[r];
    const double *a = row->past, square = row->scale * row->scale;
    const double newest = a[0] - a[1], before = a[1] - a[2], oldest = a[2] - a[3];
    const double order2 = newest - before;
    third[r] = order2 - (before - oldest);
    row->mu = a[0] + newest + order2;
    squares2 += square * (order2 * order2);
    squares3 += square * (third[r] * third[r]);
  }
  for (int r = 0; r < of.m && squares3 < 0.25 * squares2; r++) {
    chain->row[r].mu += third[r];
  }
}

VIDA_ALWAYS_INLINE void prepare_short(short_chain* chain, double per_step, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    short_point* point = &chain->point[r];
    point->unconstrained = point->inverse * (point->p + point->p_low + point->start);
    chain->row[r].rest = per_step * chain->row[r].g;
  }
}

/* Subtracts accelerations by impulses along d. */
VIDA_ALWAYS_INLINE void subtract_short(const short_chain* chain, const double* impulse,
                                       components* velocity, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    const short_row* row = &chain->row[r];
    if (r > 0) {
      velocity[r - 1] += (impulse[r] * row->by_first) * row->d;
    }
    velocity[r] -= (impulse[r] * row->by_second) * row->d;
  }
}

VIDA_ALWAYS_INLINE void find_short_velocities(short_chain* chain, vida_shape of) {
  components w[SHORT_ROWS];
  double impulse[SHORT_ROWS];
  for (int r = 0; r < of.m; r++) {
    w[r] = chain->point[r].unconstrained;
    impulse[r] = chain->row[r].force * chain->row[r].mu;
  }
  subtract_short(chain, impulse, w, of);
  for (int r = 0; r < of.m; r++) {
    chain->point[r].w = w[r];
  }
}

VIDA_ALWAYS_INLINE void find_short_residual(short_chain* chain, double h, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    short_row* row = &chain->row[r];
    const components rate = r > 0 ? chain->point[r].w - chain->point[r - 1].w : chain->point[r].w;
    const components change = h * rate, middle = row->d + 0.5 * change;
    row->ahead = row->d + change;
    row->residual = row->rest + row->factor * multiply_components(&middle, &rate, of.dimension);
  }
}

/* Whether |left| <= rounded size in all rows. That is |left| / size <= rounded in all rows, since
 * `rounded` is a power of two. */
VIDA_ALWAYS_INLINE bool are_rounded(const double* left, const double* size, vida_shape of) {
  bool is_small = true;
  for (int r = 0; r < of.m; r++) {
    is_small &= fabs(left[r]) <= rounded * size[r];
  }
  return is_small;
}

/* Returns the largest |left| / size, in the same way as functions for all rows. */
VIDA_ALWAYS_INLINE double find_largest_part(const double* left, const double* size, vida_shape of) {
  double largest = 0.0;
  for (int r = 0; r < of.m; r++) {
    if (!(fabs(left[r]) <= largest * size[r]) && !isnan(largest)) {
      largest = fabs(left[r]) / size[r];
    }
  }
  return largest;
}

/* As vida__factor_tridiagonal. */
VIDA_ALWAYS_INLINE bool factor_short(short_matrix* matrix, double diagonal0, double diagonal1,
                                     vida_shape of) {
  bool is_regular = fabs(diagonal0) > VIDA_LEAST_PIVOT * fabs(diagonal0);
  double inverse = matrix->inverse[0] = 1.0 / diagonal0;
  if (of.m > 1) {
    matrix->lower *= inverse;
    const double term = matrix->lower * matrix->upper, pivot = diagonal1 - term;
    is_regular &= fabs(pivot) > VIDA_LEAST_PIVOT * (fabs(diagonal1) + fabs(term));
    inverse = matrix->inverse[1] = 1.0 / pivot;
  }
  return is_regular & (fabs(inverse) <= DBL_MAX);
}

/* Factors G1 M^-1 G0^T of a step, or with `is_node` G M^-1 G^T at the node. */
VIDA_ALWAYS_INLINE bool factor_short_matrix(short_chain* chain, bool is_node, short_matrix* matrix,
                                            vida_shape of) {
  const short_row *first = &chain->row[0], *second = &chain->row[of.m - 1];
  const components* left0 = is_node ? &first->d : &first->ahead;
  const components* left1 = is_node ? &second->d : &second->ahead;
  const double weight0 = is_node ? first->weight : first->step_weight;
  const double weight1 = is_node ? second->weight : second->step_weight;
  const double pair = is_node ? second->pair : second->step_pair;
  chain->counts.jacobians++;
  if (of.m > 1) {
    matrix->lower = pair * multiply_components(left1, &first->d, of.dimension);
    matrix->upper = pair * multiply_components(left0, &second->d, of.dimension);
  }
  return factor_short(matrix, weight0 * multiply_components(left0, &first->d, of.dimension),
                      weight1 * multiply_components(left1, &second->d, of.dimension), of);
}

/* As vida__solve_tridiagonal, for the residuals. */
VIDA_ALWAYS_INLINE void solve_short_matrix(short_chain* chain, const short_matrix* matrix,
                                           vida_shape of) {
  short_row *first = &chain->row[0], *second = &chain->row[1];
  if (of.m == 1) {
    first->correction = first->residual * matrix->inverse[0];
    return;
  }
  second->correction = (second->residual - matrix->lower * first->residual) * matrix->inverse[1];
  first->correction = (first->residual - matrix->upper * second->correction) * matrix->inverse[0];
}

/* As solve in distance_equations.c; most steps need one iteration, and then no quotient. */
VIDA_ALWAYS_INLINE bool solve_short(short_chain* chain, double h, vida_shape of) {
  enum { MOST_ITERATIONS = 6, MOST_FACTORIZATIONS = 2 };
  double left[SHORT_ROWS] = {0.0}, before[SHORT_ROWS], size[SHORT_ROWS];
  short_matrix matrix = {0};
  int factorizations = 0;
  for (int r = 0; r < of.m; r++) {
    size[r] = chain->row[r].size;
  }
  for (int k = 0; k <= MOST_ITERATIONS; k++) {
    find_short_velocities(chain, of);
    find_short_residual(chain, h, of);
    chain->counts.residuals++;
    for (int r = 0; r < of.m; r++) {
      before[r] = left[r];
      left[r] = chain->row[r].residual;
    }
    if (are_rounded(left, size, of)) {
      return true;
    }
    bool is_slow = false;
    if (k > 0) {
      const double now = find_largest_part(left, size, of);
      const double last = find_largest_part(before, size, of);
      is_slow = !(now < good_contraction * last);
      if (is_slow && now < near_rounding && last < near_rounding) {
        return true;
      }
    }
    if (is_slow && factorizations == MOST_FACTORIZATIONS) {
      return false;
    }
    if (k == 0 || is_slow) {
      factorizations++;
      if (!factor_short_matrix(chain, false, &matrix, of)) {
        return false;
      }
    }
    solve_short_matrix(chain, &matrix, of);
    for (int r = 0; r < of.m; r++) {
      chain->row[r].mu += chain->row[r].correction;
    }
    chain->counts.iterations++;
  }
  return false;
}

/* ---- after a solution ------------------------------------------------------------------------ */

VIDA_ALWAYS_INLINE bool turns_little_short(const short_chain* chain, vida_shape of) {
  bool is_little = true;
  for (int r = 0; r < of.m; r++) {
    const short_row* row = &chain->row[r];
    const components change = row->ahead - row->d;
    is_little &= multiply_components(&change, &change, of.dimension) <=
                 most_turn * multiply_components(&row->d, &row->d, of.dimension);
  }
  return is_little;
}

VIDA_ALWAYS_INLINE void add_to_momentum(short_point* point, const components* increment) {
  components total, left;
  add_components(&point->p, increment, &total, &left);
  point->p = total;
  point->p_low = left + point->p_low;
}

VIDA_ALWAYS_INLINE void subtract_short_impulses(short_chain* chain, const double* impulse,
                                                vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    const components on_second = -impulse[r] * chain->row[r].d;
    add_to_momentum(&chain->point[r], &on_second);
    if (r > 0) {
      const components on_first = impulse[r] * chain->row[r].d;
      add_to_momentum(&chain->point[r - 1], &on_first);
    }
  }
}

VIDA_ALWAYS_INLINE void round_short_momenta(short_chain* chain, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    short_point* point = &chain->point[r];
    components total, left;
    add_components(&point->p, &point->p_low, &total, &left);
    point->p = total;
    point->p_low = left;
  }
}

VIDA_ALWAYS_INLINE void move_short(short_chain* chain, double h, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    short_point* point = &chain->point[r];
    const components way = h * point->w;
    components total, left, rest, moved;
    add_components(&point->q, &way, &total, &left);
    rest = point->q_low + left;
    add_components(&total, &rest, &moved, &left);
    point->q = moved;
    point->q_low = left;
  }
}

VIDA_ALWAYS_INLINE void find_short_differences(short_chain* chain, vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    const short_point* to = &chain->point[r];
    const short_point* from = &chain->point[r > 0 ? r - 1 : 0];
    chain->row[r].d_before = chain->row[r].d;
    chain->row[r].d =
        r > 0 ? (to->q - from->q) + (to->q_low - from->q_low) : (to->q - chain->place) + to->q_low;
  }
}

VIDA_ALWAYS_INLINE void advance_short(short_chain* chain, double h, vida_shape of) {
  double impulse[SHORT_ROWS];
  for (int r = 0; r < of.m; r++) {
    add_to_momentum(&chain->point[r], &chain->point[r].whole);
    impulse[r] = chain->row[r].force * chain->row[r].mu;
    chain->row[r].g = h * chain->row[r].residual;
  }
  subtract_short_impulses(chain, impulse, of);
  move_short(chain, h, of);
  find_short_differences(chain, of);
  round_short_momenta(chain, of);
}

VIDA_ALWAYS_INLINE void find_short_rates(short_chain* chain, const components* v, double* rates,
                                         vida_shape of) {
  for (int r = 0; r < of.m; r++) {
    const components rate = r > 0 ? v[r] - v[r - 1] : v[r];
    rates[r] = chain->row[r].residual =
        chain->row[r].factor * multiply_components(&chain->row[r].d, &rate, of.dimension);
  }
}

/* Returns the largest |p| / sqrt(mass). */
VIDA_ALWAYS_INLINE double find_short_motion(const short_chain* chain, vida_shape of) {
  double motion = 0.0;
  for (int r = 0; r < of.m; r++) {
    const components size =
        (components)((component_bits)chain->point[r].p & INT64_MAX) * chain->point[r].inverse_root;
    for (int k = 0; k < of.dimension; k++) {
      motion = size[k] > motion ? size[k] : motion;
    }
  }
  return motion;
}

/* As project in distance_equations.c. */
VIDA_ALWAYS_INLINE bool project_short(short_chain* chain, vida_shape of) {
  enum { MOST_CORRECTIONS = 4 };
  const double motion = find_short_motion(chain, of);
  double rates[SHORT_ROWS], before[SHORT_ROWS] = {0.0}, size[SHORT_ROWS], impulse[SHORT_ROWS];
  components v[SHORT_ROWS];
  short_matrix matrix = {0};
  bool is_done = false;
  for (int r = 0; r < of.m; r++) {
    v[r] = chain->point[r].inverse * chain->point[r].p;
    chain->row[r].nu_before = chain->row[r].nu;
    chain->row[r].nu = 0.0;
    size[r] = motion * chain->row[r].stiffness;
  }
  if (!factor_short_matrix(chain, true, &matrix, of)) {
    return false;
  }
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    find_short_rates(chain, v, rates, of);
    is_done = k > 0 && are_rounded(rates, size, of);
    if (k > 0 && !is_done) {
      const double left = find_largest_part(rates, size, of);
      is_done = left < near_rounding && left >= find_largest_part(before, size, of);
    }
    if (is_done) {
      break;
    }
    solve_short_matrix(chain, &matrix, of);
    for (int r = 0; r < of.m; r++) {
      before[r] = rates[r];
      impulse[r] = chain->row[r].factor * chain->row[r].correction;
      chain->row[r].nu += chain->row[r].correction;
    }
    subtract_short(chain, impulse, v, of);
  }
  if (!is_done && !(find_largest_part(before, size, of) < near_rounding)) {
    return false;
  }
  for (int r = 0; r < of.m; r++) {
    impulse[r] = chain->row[r].factor * chain->row[r].nu;
    chain->point[r].v = v[r];
  }
  subtract_short_impulses(chain, impulse, of);
  round_short_momenta(chain, of);
  return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Keeps the unknowns of the step for the history. */
VIDA_ALWAYS_INLINE void keep_short_unknowns(short_chain* chain, vida_shape of) {
  chain->newest = (chain->newest + VIDA_PAST_STEPS) % SLOTS;
  const vida_step_unknowns* to = &chain->slot[chain->newest];
  for (int r = 0; r < of.m; r++) {
    short_row* row = &chain->row[r];
    store_components(&chain->point[r].w, to->w + r * of.dimension, of.dimension);
    to->mu[r] = row->mu;
    for (int k = VIDA_PAST_STEPS - 1; k > 0; k--) {
      row->past[k] = row->past[k - 1];
    }
    row->past[0] = row->mu;
  }
}

/* As vida__watch_is_at_hand. */
VIDA_ALWAYS_INLINE bool is_short_at_hand(short_chain* chain, vida_shape of) {
  double square[SHORT_ROWS * SHORT_COMPONENTS + 1], even = 0.0, odd = 0.0;
  const int n = of.m * of.dimension;
  if (!chain->is_watched) {
    return true;
  }
  if (chain->is_always_looked_at) {
    return false;
  }
  for (int r = 0; r < of.m; r++) {
    const short_point* point = &chain->point[r];
    const components way = point->root * (point->q - point->seen), squares = way * way;
    store_components(&squares, square + r * of.dimension, of.dimension);
  }
  for (int i = 0; i + 1 < n; i += 2) {
    even += square[i];
    odd += square[i + 1];
  }
  const double way = n % 2 == 1 ? even + odd + square[n - 1] : even + odd;
  if (way > VIDA_THROWN_FACTOR * chain->last_way || !(chain->bend * way < chain->nearest)) {
    return false;
  }
  chain->last_way = way > chain->last_way ? way : chain->last_way;
  return true;
}

/* Lets the watch look at the node, which is that of this step. */
VIDA_ALWAYS_INLINE bool passes_short(VidaIntegration* self, short_chain* chain, long step,
                                     vida_shape of) {
  vida_watch* watch = vida__frame_of(self)->watch;
  for (int r = 0; r < of.m; r++) {
    store_components(&chain->point[r].q, self->node.q + r * of.dimension, of.dimension);
    store_components(&chain->point[r].p, self->node.p + r * of.dimension, of.dimension);
  }
  self->node.step = step;
  watch->last_way = chain->last_way;
  const bool is_passed =
      vida__watch_passes(watch, vida__node_time(self), self->node.q, self->node.p);
  load_watch(self, chain, of);
  return is_passed;
}

/* As make_step in distance_equations.c. */
VIDA_ALWAYS_INLINE bool make_short_step(short_chain* chain, double h, double per_step,
                                        bool projects, bool* is_broken, vida_shape of) {
  const vida_calm_counts before = chain->counts;
  guess_short(chain, of);
  prepare_short(chain, per_step, of);
  if (!solve_short(chain, h, of) || !turns_little_short(chain, of)) {
    chain->counts = before;
    return false;
  }
  advance_short(chain, h, of);
  *is_broken = projects && !project_short(chain, of);
  if (!*is_broken) {
    keep_short_unknowns(chain, of);
  }
  return !*is_broken;
}

VIDA_ALWAYS_INLINE long make_short_steps(VidaIntegration* self, long most, bool projects,
                                         bool* is_broken, vida_shape of) {
  const double h = self->node.h, per_step = 1.0 / h;
  short_chain chain;
  long made = 0, step = self->node.step;
  if (!self->implicit.distances->has_sizes || (step % VIDA_CALM_STEPS == 0 && !self->one_step)) {
    measure_sizes(self, of);
  }
  load_chain(self, &chain, of);
  while (made < most && make_short_step(&chain, h, per_step, projects, is_broken, of)) {
    made++;
    step++;
    if (made == most || step % VIDA_CALM_STEPS == 0 ||
        (!is_short_at_hand(&chain, of) && !passes_short(self, &chain, step, of))) {
      break;
    }
  }
  if (made > 0 && !*is_broken) {
    store_chain(self, &chain, of);
    self->node.step = step;
  }
  return made;
}

/* Returns whether the steps have the form of this file. */
static inline bool has_short_steps(const VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  return own->is_chain && self->model.m <= SHORT_ROWS && own->distances.dimension >= 2 &&
         own->distances.dimension <= 3 && own->matrix.is_tridiagonal && own->has_uniform_force &&
         !own->kinsol && !form->begin && !form->end && !form->is_mean;
}

#else
#define VIDA_HAS_SHORT_CHAINS 0
#endif

#endif
