/* Calm steps of constraints that are distances: w(mu), g at the end of the step, Newton's method
 * for the multipliers, and the projection of the momenta. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stepper/branch_watch.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_chain.h"
#include "stepper/distance_energy.h"
#include "stepper/distance_kernels.h"

/* ---- guess ----------------------------------------------------------------------------------- */

/* Extrapolates the multipliers by three past values, and by four if the last one would have helped.
 */
VIDA_ALWAYS_INLINE void guess_multipliers(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const double *a = own->past[0].mu, *b = own->past[1].mu, *c = own->past[2].mu,
               *e = own->past[3].mu;
  const double* scale = self->model.matrix_stiffness;
  double* third = own->correction;
  double squares2 = 0.0, squares3 = 0.0;
  for (int r = 0; r < of.m; r++) {
    const double newest = a[r] - b[r], before = b[r] - c[r], oldest = c[r] - e[r];
    const double order2 = newest - before, square = scale[r] * scale[r];
    third[r] = order2 - (before - oldest);
    own->next.mu[r] = a[r] + newest + order2;
    squares2 += square * (order2 * order2);
    squares3 += square * (third[r] * third[r]);
  }
  for (int r = 0; r < of.m && squares3 < 0.25 * squares2; r++) {
    own->next.mu[r] += third[r];
  }
}

/* Computes what does not depend on the multipliers. Returns false if the step has another form. */
VIDA_ALWAYS_INLINE bool prepare(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const VidaNode* node = &self->node;
  const vida_step_form* form = &self->implicit.form;
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
  for (int i = 0; i < of.n && form->begin; i++) {
    unconstrained[i] = -inverse[i] * base[i];
  }
  for (int i = 0; i < of.n && !form->begin; i++) {
    unconstrained[i] = inverse[i] * (p[i] + low[i] + start * force[i]);
  }
  for (int r = 0; r < of.m; r++) {
    rest[r] = per_step * g[r];
  }
  return true;
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Computes w, d and g / h at the end of the step for the multipliers own->next.mu. Returns the
 * largest residual relative to its terms. */
VIDA_ALWAYS_INLINE double evaluate(VidaIntegration* self, vida_shape of) {
  if (of.is_chain) {
    return move_chain(self, of);
  }
  find_velocities(self, *self->implicit.form.kappa, self->implicit.distances->d, whole_of(of), of);
  return find_residual(self, of);
}

/* Returns the largest component of x. */
VIDA_ALWAYS_INLINE double find_largest(const double* x, int count) {
  double largest = 0.0;
  for (int k = 0; k < count; k++) {
    largest = x[k] > largest ? x[k] : largest;
  }
  return largest;
}

/* Adds the sizes of the velocities that an impulse of row r causes. */
VIDA_ALWAYS_INLINE void add_speeds(const vida_distance_steps* own, int r, double mu, double* speed,
                                   vida_shape of) {
  const vida_distance_row* at = &own->rows[r];
  const double* d = own->d + r * of.dimension;
  const int first = first_of(at, r, of), second = second_of(at, r, of);
  for (int k = 0; k < of.dimension; k++) {
    const double impulse = fabs(at->factor * mu * d[k]);
    speed[second + k] += at->by_second * impulse;
    if (first < of.n) {
      speed[first + k] += at->by_first * impulse;
    }
  }
}

/* Computes p at the node if the last step has left that to this. */
VIDA_ALWAYS_INLINE void complete_momenta(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  if (own->lacks_momenta) {
    self->implicit.form.find_momenta(self);
    own->lacks_momenta = false;
  }
}

/* Sizes of the terms of g / h at the end of a step, and of the terms of the momenta; they need not
 * be precise. mu (m, nullable): with those of the impulses. */
VIDA_ALWAYS_INLINE void measure_sizes_with(VidaIntegration* self, const double* mu, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  double* speed = self->work.speed;
  const double* d = own->d;
  complete_momenta(self);
  for (int i = 0; i < of.n; i++) {
    speed[i] =
        fabs(own->past[0].w[i]) +
        own->inverse[i] * (fabs(self->node.p[i]) + fabs(self->node.h) * self->model.force_size[i]);
  }
  for (int r = 0; r < of.m && mu; r++) {
    add_speeds(own, r, *self->implicit.form.kappa * mu[r], speed, of);
  }
  for (int r = 0; r < of.m; r++, d += of.dimension) {
    const vida_distance_row* at = &own->rows[r];
    const int first = first_of(at, r, of), second = second_of(at, r, of);
    double fastest = 0.0, length = 0.0;
    for (int k = 0; k < of.dimension; k++) {
      const double both = speed[second + k] + (first < of.n ? speed[first + k] : 0.0);
      fastest = both > fastest ? both : fastest;
      length += fabs(d[k]);
    }
    own->size[r] = fabs(at->factor) * length * fastest;
    own->momentum[r] = find_largest(speed + second, of.dimension) / at->by_second;
    if (first < of.n) {
      const double other = find_largest(speed + first, of.dimension) / at->by_first;
      own->momentum[r] = other < own->momentum[r] ? other : own->momentum[r];
    }
  }
  own->has_sizes = true;
}

VIDA_ALWAYS_INLINE void measure_sizes(VidaIntegration* self, vida_shape of) {
  measure_sizes_with(self, NULL, of);
}

/* Returns the largest residual relative to sizes with the impulses of own->next, beside which the
 * velocities of many rows may be small. */
VIDA_ALWAYS_INLINE double measure_again(VidaIntegration* self, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  double largest = 0.0;
  measure_sizes_with(self, own->next.mu, of);
  for (int r = 0; r < of.m; r++) {
    const double ratio = fabs(own->residual[r]) / own->size[r];
    largest = ratio <= largest ? largest : ratio;
  }
  return largest;
}

/* Adds `share` of the rates of the rows with the velocities own->next.w to the residual. */
VIDA_ALWAYS_INLINE void add_rates(VidaIntegration* self, double share, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict w = own->next.w;
  const double* restrict ahead = own->ahead;
  double* restrict residual = own->residual;
  for (int r = 0; r < of.m; r++, at++, ahead += of.dimension) {
    double rate[VIDA_MOST_COMPONENTS];
    find_difference(w + second_of(at, r, of), w + first_of(at, r, of), rate, of.dimension);
    residual[r] += share * at->factor * dot(ahead, rate, of.dimension);
  }
}

/* The first residual of a step at a start, as that of condensed_step.c: at the velocities that are
 * extrapolated, and linear about them. From few steps, multipliers are a worse guess. */
VIDA_ALWAYS_INLINE double find_first_residual(VidaIntegration* self, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double *a = own->past[0].w, *b = own->past[1].w, *c = own->past[2].w;
  double* w = own->next.w;
  for (int i = 0; i < of.n; i++) {
    w[i] = a[i] + (a[i] - b[i]) + ((a[i] - b[i]) - (b[i] - c[i]));
  }
  const double left = find_residual(self, of);
  add_rates(self, -1.0, of);
  find_velocities(self, *self->implicit.form.kappa, own->d, whole_of(of), of);
  add_rates(self, 1.0, of);
  return left;
}

/* Solves the equations for own->next. Returns whether Newton's method has converged at once. */
VIDA_ALWAYS_INLINE bool solve(VidaIntegration* self, vida_shape of) {
  /* With many rows, iterations are cheaper than a step of another form. */
  const bool is_long = of.m >= VIDA_MANY_ROWS;
  const int most_iterations = is_long ? 10 : 6, most_factorizations = is_long ? 4 : 2;
  vida_distance_steps* own = self->implicit.distances;
  const bool is_start = is_long && own->known < VIDA_PAST_STEPS;
  double before = INFINITY;
  int factorizations = 0;
  for (int k = 0; k <= most_iterations; k++) {
    const bool is_first = is_start && k == 0;
    double left = is_first ? find_first_residual(self, of) : evaluate(self, of);
    own->counts.residuals++;
    const bool is_slow = k > 0 && !(left < good_contraction * before);
    if (is_long && is_slow && factorizations == 1) {
      left = before = measure_again(self, of);
    }
    if ((left <= rounded && !is_first) ||
        (is_slow && left < near_rounding && before < near_rounding)) {
      return true;
    }
    if (is_slow && factorizations == most_factorizations) {
      return false;
    }
    if (k == 0 || is_slow) {
      factorizations++;
      if (!factor(own, *self->implicit.form.kappa, own->ahead, own->d, of)) {
        return false;
      }
    }
    if (!solve_matrix(own, own->residual, own->correction, of)) {
      return false;
    }
    for (int r = 0; r < of.m; r++) {
      own->next.mu[r] += own->correction[r];
    }
    own->counts.iterations++;
    before = left;
  }
  return false;
}

/* Factors the matrix of the residual, which decreases with the multipliers. */
VIDA_ALWAYS_INLINE bool factor_step(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  return factor(own, -*self->implicit.form.kappa, own->ahead, own->d, of);
}

/* Solves the equations for own->next by KINSOL alone, which may stop above its tolerance, where the
 * residual no longer decreases: beside impulses that are larger than the momenta. The next steps
 * then have sizes with the impulses. */
VIDA_ALWAYS_INLINE bool solve_by_kinsol(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  long iterations;
  bool is_at_end;
  const bool is_done =
      vida__kinsol_solve(own->kinsol, own->size, own->next.mu, &iterations, &is_at_end);
  own->counts.iterations += iterations;
  if (is_at_end) {
    measure_again(self, of);
  }
  return is_done && own->left < near_rounding;
}

/* ---- after a solution ------------------------------------------------------------------------ */

/* Returns whether no gradient turns much from d to `ahead`. */
VIDA_ALWAYS_INLINE bool turns_little(const VidaIntegration* self, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double *d = own->d, *ahead = own->ahead;
  bool is_little = true;
  for (int r = 0; r < of.m; r++, d += of.dimension, ahead += of.dimension) {
    double turn = 0.0, square = 0.0;
    for (int k = 0; k < of.dimension; k++) {
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

/* Computes the momenta after the step, but for the forces at its end and the projection. */
VIDA_ALWAYS_INLINE void advance_momenta(VidaIntegration* self, vida_part part, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  add_force(self, own->has_uniform_force ? form->start_force + form->end_force : form->start_force,
            part);
  subtract_impulses(self, *form->kappa, form->is_mean ? own->mean : own->d, own->next.mu, part, of);
}

/* Moves positions and g to the end of the step, where d goes to d_before. */
VIDA_ALWAYS_INLINE void advance_positions(VidaIntegration* self, vida_part part, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  move_positions(self, part);
  for (int r = part.row; r < part.row_end; r++) {
    self->implicit.g_tracked[r] = self->node.h * own->residual[r];
  }
  find_differences(self, own->d_before, part, of);
}

/* Moves the node to the end of the step, without forces that change during it. */
VIDA_ALWAYS_INLINE void advance_parts(VidaIntegration* self, vida_shape of) {
  int rounded_momenta = 0;
  for (vida_part part = {0}; part.row_end < of.m;) {
    part = part_from(part.row_end, of);
    advance_momenta(self, part, of);
    advance_positions(self, part, of);
    const int rows = complete_rows(part, of);
    const int complete = rows < of.m ? rows * of.dimension : of.n;
    round_momenta(self, rounded_momenta, complete);
    rounded_momenta = complete;
  }
}

/* Adds the forces at the end of the step, whose time is t, to the momenta. */
VIDA_ALWAYS_INLINE bool finish_momenta(VidaIntegration* self, double t, vida_shape of) {
  if (find_force(self, t)) {
    return false;
  }
  if (!self->implicit.distances->has_uniform_force) {
    add_force(self, self->implicit.form.end_force, whole_of(of));
  }
  round_momenta(self, 0, of.n);
  return true;
}

/* Moves the node to the end of the step, but for the projection. */
VIDA_ALWAYS_INLINE bool advance(VidaIntegration* self, double t, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const vida_step_form* form = &self->implicit.form;
  if (has_parts(of) && own->has_uniform_force && !form->end) {
    advance_parts(self, of);
    exchange(&own->d, &own->d_before);
    return true;
  }
  if (form->end) {
    find_reaction(self, own->next.mu, of);
  } else {
    advance_momenta(self, whole_of(of), of);
  }
  advance_positions(self, whole_of(of), of);
  exchange(&own->d, &own->d_before);
  if (form->end) {
    form->end(self, own->next.w, own->reaction);
    own->lacks_momenta = true;
    return true;
  }
  return finish_momenta(self, t, of);
}

/* Computes G v. Returns the largest row, relative to a motion of this size. */
VIDA_ALWAYS_INLINE double find_rates(VidaIntegration* self, double motion, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict v = own->v;
  const double* restrict d = own->d;
  const double* restrict stiffness = self->model.row_stiffness;
  double* restrict rates = own->residual;
  double largest = 0.0;
  for (int r = 0; r < of.m; r++, at++, d += of.dimension) {
    double difference[VIDA_MOST_COMPONENTS];
    find_difference(v + second_of(at, r, of), v + first_of(at, r, of), difference, of.dimension);
    rates[r] = at->factor * dot(d, difference, of.dimension);
    const double size = motion * stiffness[r];
    if (!(fabs(rates[r]) <= largest * size)) {
      largest = fabs(rates[r]) / size;
    }
  }
  return largest;
}

/* Projects the momenta on G v = 0: v = M^-1 (p - G^T nu). Returns whether that succeeded. */
VIDA_ALWAYS_INLINE bool project(VidaIntegration* self, vida_shape of) {
  enum { MOST_CORRECTIONS = 4 };
  vida_distance_steps* own = self->implicit.distances;
  double motion = 0.0, before = INFINITY, left = INFINITY;
  for (int i = 0; i < of.n; i++) {
    const double size = fabs(self->node.p[i]) * self->model.inverse_root[i];
    motion = size > motion ? size : motion;
    own->v[i] = own->inverse[i] * self->node.p[i];
  }
  exchange(&own->nu, &own->nu_before);
  memset(own->nu, 0, (size_t)of.m * sizeof *own->nu);
  if (!factor(own, 1.0, own->d, own->d, of)) {
    return false;
  }
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    left = find_rates(self, motion, of);
    /* Not at k = 0: relative to a heavy and fast part, the violations of other parts look like
     * rounding before the first correction. */
    if (k > 0 && (left <= rounded || (left < near_rounding && left >= before))) {
      break;
    }
    before = left;
    if (!solve_matrix(own, own->residual, own->correction, of)) {
      return false;
    }
    subtract_accelerated(own, 1.0, own->d, own->correction, own->v, whole_of(of), of);
    for (int r = 0; r < of.m; r++) {
      own->nu[r] += own->correction[r];
    }
  }
  if (!(left < near_rounding)) {
    return false;
  }
  subtract_impulses(self, 1.0, own->d, own->nu, whole_of(of), of);
  round_momenta(self, 0, of.n);
  return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

#include "stepper/distance_short.h"

/* Guesses the unknowns, and solves the equations of a step. */
VIDA_ALWAYS_INLINE bool find_step(VidaIntegration* self, vida_shape of) {
  if (!prepare(self, of)) {
    return false;
  }
  if (self->implicit.form.is_mean) {
    guess_means(self, of);
    return solve_means(self, of);
  }
  guess_multipliers(self, of);
  return self->implicit.distances->kinsol ? solve_by_kinsol(self, of) : solve(self, of);
}

/* Makes one step, or leaves the state unchanged and returns false. Evaluations of a step that is
 * not made do not count: a series tries the step after its last one, too. */
VIDA_ALWAYS_INLINE bool make_step(VidaIntegration* self, bool* is_broken, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const double t1 = vida__next_time(self);
  const vida_calm_counts before = own->counts;
  if (!own->has_sizes || (self->node.step % VIDA_CALM_STEPS == 0 && !self->one_step)) {
    measure_sizes(self, of);
  }
  if (!find_step(self, of) || !turns_little(self, of)) {
    own->counts = before;
    return false;
  }
  *is_broken = !advance(self, t1, of) || (self->implicit.form.projects && !project(self, of));
  if (!*is_broken) {
    if (self->implicit.form.is_mean) {
      choose_extrapolation(self, of);
    }
    rotate_unknowns(own);
  }
  return !*is_broken;
}

/* Whether the next step may follow before the frame has checked the node. */
VIDA_ALWAYS_INLINE bool passes(VidaIntegration* self, vida_shape of) {
  vida_watch* watch = vida__frame_of(self)->watch;
  if (!watch || vida__watch_is_at_hand(watch, self->node.q, of.n)) {
    return true;
  }
  complete_momenta(self);
  return vida__watch_passes(watch, vida__node_time(self), self->node.q, self->node.p);
}

/* node.step is that of the step that is made. */
VIDA_ALWAYS_INLINE long make_steps(VidaIntegration* self, long most, bool* is_broken,
                                   vida_shape of) {
  long made = 0;
  while (made < most && make_step(self, is_broken, of)) {
    made++;
    self->node.step++;
    if (made == most || self->node.step % VIDA_CALM_STEPS == 0 || !passes(self, of)) {
      break;
    }
  }
  complete_momenta(self);
  return made;
}

/* Each shape has a function of its own, which keeps the time to compile in proportion to their
 * number. X(name, the function that it calls, shape); short chains are written out. */
#if VIDA_HAS_SHORT_CHAINS
#define SHORT_CHAIN_LIST(X)                             \
  X(series_of_one_in_plane, make_series, 2, 1, 2, true) \
  X(series_of_two_in_plane, make_series, 4, 2, 2, true) \
  X(series_of_one, make_series, 3, 1, 3, true)          \
  X(series_of_two, make_series, 6, 2, 3, true)

VIDA_ALWAYS_INLINE long make_series(VidaIntegration* self, long most, bool* is_broken,
                                    vida_shape of) {
  return make_short_steps(self, most, self->implicit.form.projects, is_broken, of);
}
#else
#define SHORT_CHAIN_LIST(X)
#endif
#define STEP_SHAPE_LIST(X)                                             \
  X(one_in_plane, make_steps, 2, 1, 2, true)                           \
  X(two_in_plane, make_steps, 4, 2, 2, true)                           \
  X(one, make_steps, 3, 1, 3, true)                                    \
  X(two, make_steps, 6, 2, 3, true)                                    \
  X(on_line, make_steps, self->model.n, self->model.m, 1, false)       \
  X(chain_in_plane, make_steps, self->model.n, self->model.m, 2, true) \
  X(chain, make_steps, self->model.n, self->model.m, 3, true)          \
  X(in_plane, make_steps, self->model.n, self->model.m, 2, false)      \
  X(in_space, make_steps, self->model.n, self->model.m, 3, false)      \
  X(in_four, make_steps, self->model.n, self->model.m, 4, false)

#define SHAPE_LIST(X) SHORT_CHAIN_LIST(X) STEP_SHAPE_LIST(X)

#define NAME_SHAPE(name, make, n, m, dimension, is_short) SHAPE_##name,
typedef enum shape_name { SHAPE_LIST(NAME_SHAPE) SHAPES } shape_name;
#undef NAME_SHAPE

static shape_name find_shape(const VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  const int dimension = own->distances.dimension;
  const bool is_plane = dimension == 2, is_one = self->model.m == 1;
#if VIDA_HAS_SHORT_CHAINS
  if (has_short_steps(self)) {
    return is_plane ? (is_one ? SHAPE_series_of_one_in_plane : SHAPE_series_of_two_in_plane)
                    : (is_one ? SHAPE_series_of_one : SHAPE_series_of_two);
  }
#endif
  if (own->is_chain && (is_plane || dimension == 3)) {
    const shape_name shapes[2][3] = {
        {SHAPE_one, SHAPE_two, SHAPE_chain},
        {SHAPE_one_in_plane, SHAPE_two_in_plane, SHAPE_chain_in_plane}};
    return shapes[is_plane][self->model.m <= 2 ? self->model.m - 1 : 2];
  }
  return dimension == 1   ? SHAPE_on_line
         : is_plane       ? SHAPE_in_plane
         : dimension == 3 ? SHAPE_in_space
                          : SHAPE_in_four;
}

typedef long make_steps_function(VidaIntegration* self, long most, bool* is_broken);

/* Instructions for four numbers at once round each of them as those for one number do, so results
 * do not depend on the processor. */
#if defined(__GNUC__) && defined(__x86_64__)
#define DEFINE_WIDE(name, make, n, m, dimension, is_short)                       \
  __attribute__((target("avx"), noinline)) static long make_wide_##name(         \
      VidaIntegration* self, long most, bool* is_broken) {                       \
    return make(self, most, is_broken, (vida_shape){n, m, dimension, is_short}); \
  }
SHAPE_LIST(DEFINE_WIDE)
#define LIST_WIDE(name, make, n, m, dimension, is_short) make_wide_##name,
static make_steps_function* const wide_steps[SHAPES] = {SHAPE_LIST(LIST_WIDE)};
#define NOT_INLINE __attribute__((noinline))

static bool has_wide_numbers(void) {
  return __builtin_cpu_supports("avx");
}
#else
#define wide_steps plain_steps
#define NOT_INLINE

static bool has_wide_numbers(void) {
  return false;
}
#endif

#define DEFINE_PLAIN(name, make, n, m, dimension, is_short)                               \
  NOT_INLINE static long make_##name(VidaIntegration* self, long most, bool* is_broken) { \
    return make(self, most, is_broken, (vida_shape){n, m, dimension, is_short});          \
  }
SHAPE_LIST(DEFINE_PLAIN)
#define LIST_PLAIN(name, make, n, m, dimension, is_short) make_##name,
static make_steps_function* const plain_steps[SHAPES] = {SHAPE_LIST(LIST_PLAIN)};

long vida__make_distance_steps(VidaIntegration* self, long most, bool* is_broken) {
  const shape_name shape = find_shape(self);
  return (has_wide_numbers() ? wide_steps : plain_steps)[shape](self, most, is_broken);
}

/* ---- what KINSOL calls ----------------------------------------------------------------------- */

#define DEFINE_EVALUATION(name, make, n, m, dimension, is_chain)       \
  static double evaluate_##name(VidaIntegration* self) {               \
    return evaluate(self, (vida_shape){n, m, dimension, is_chain});    \
  }                                                                    \
  static bool factor_##name(VidaIntegration* self) {                   \
    return factor_step(self, (vida_shape){n, m, dimension, is_chain}); \
  }
STEP_SHAPE_LIST(DEFINE_EVALUATION)
#define LIST_EVALUATION(name, make, n, m, dimension, is_chain) \
  [SHAPE_##name] = {evaluate_##name, factor_##name},
static const struct {
  double (*evaluate)(VidaIntegration* self);
  bool (*factor)(VidaIntegration* self);
} step_equations[SHAPES] = {STEP_SHAPE_LIST(LIST_EVALUATION)};

static int kinsol_residual(void* data, const double* mu, double* r) {
  VidaIntegration* self = data;
  vida_distance_steps* own = self->implicit.distances;
  const size_t bytes = (size_t)self->model.m * sizeof *mu;
  memcpy(own->next.mu, mu, bytes);
  own->left = step_equations[find_shape(self)].evaluate(self);
  own->counts.residuals++;
  memcpy(r, own->residual, bytes);
  return isfinite(own->left) ? 0 : -1; /* norms of SUNDIALS pass over NaN */
}

static int kinsol_factor(void* data) {
  return step_equations[find_shape(data)].factor(data) ? 0 : -1;
}

static int kinsol_solve(void* data, const double* b, double* x) {
  const VidaIntegration* self = data;
  return solve_matrix(self->implicit.distances, b, x,
                      (vida_shape){self->model.n, self->model.m, 1, false})
             ? 0
             : -1;
}

vida_kinsol_equations vida__distance_step_equations(VidaIntegration* self) {
  return (vida_kinsol_equations){.size = self->model.m,
                                 .data = self,
                                 .residual = kinsol_residual,
                                 .factor = kinsol_factor,
                                 .solve = kinsol_solve};
}

void vida__measure_distance_sizes(VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  measure_sizes(
      self, (vida_shape){self->model.n, self->model.m, own->distances.dimension, own->is_chain});
}

void vida__find_distance_vectors(VidaIntegration* self) {
  vida_distance_steps* own = self->implicit.distances;
  const vida_shape of = {self->model.n, self->model.m, own->distances.dimension, own->is_chain};
  find_differences(self, own->d, whole_of(of), of);
}
