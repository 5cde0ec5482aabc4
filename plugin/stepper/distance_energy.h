/* Calm steps of energy-momentum, whose forces of constraints act along the mean of d at both ends
 * of the step:
 *
 *   M w = p0 + h F / 2 - kappa G(mean)^T mu / 2,   p1 = p0 + h F - kappa G(mean)^T mu,
 *
 * with kappa = 1. Newton's method leaves out the change of the means with w, which is computed anew
 * in each iteration; a solution is accepted only if they no longer change, so that the last ones
 * are the exact discrete gradients of the step. Included by distance_equations.c only. */
#ifndef VIDA_STEPPER_DISTANCE_ENERGY_H
#define VIDA_STEPPER_DISTANCE_ENERGY_H

#include "stepper/distance_kernels.h"

/* Extrapolations by the last four values, newest first: exact for polynomials of degree 2 and 3,
 * and for those of degree 2 with a part that changes its sign from step to step. Unknowns of
 * energy-momentum have such a part, since only means of velocities satisfy the constraints. */
static const double extrapolation[VIDA_EXTRAPOLATIONS][VIDA_PAST_STEPS] = {
    {3.0, -3.0, 1.0, 0.0}, {4.0, -6.0, 4.0, -1.0}, {2.0, 0.0, -2.0, 1.0}};

/* Changes of impulses after one and two iterations that further ones will not bring to rounding. */
static const double most_moved[] = {1e-4, 1e-7};
/* Residuals of the momenta relative to their terms that are not worth another iteration. */
static const double rounded_momentum = 0.5 * DBL_EPSILON;

VIDA_ALWAYS_INLINE double extrapolate(const double* restrict weight, double a, double b, double c,
                                      double e) {
  return (weight[0] * a + weight[1] * b) + (weight[2] * c + weight[3] * e);
}

/* Guesses the multipliers, and the means by extrapolated velocities. */
VIDA_ALWAYS_INLINE void guess_means(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const double* weight = extrapolation[own->extrapolation];
  const vida_step_unknowns *a = &own->past[0], *b = &own->past[1], *c = &own->past[2],
                           *e = &own->past[3];
  const double half = 0.5 * self->node.h;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict d = own->d;
  double* restrict mean = own->mean;
  double* restrict w = own->next.w;
  for (int i = 0; i < of.n; i++) {
    w[i] = extrapolate(weight, a->w[i], b->w[i], c->w[i], e->w[i]);
  }
  for (int r = 0; r < of.m; r++, at++, d += of.dimension, mean += of.dimension) {
    double rate[VIDA_MOST_COMPONENTS];
    own->next.mu[r] = extrapolate(weight, a->mu[r], b->mu[r], c->mu[r], e->mu[r]);
    find_difference(w + second_of(at, r, of), w + first_of(at, r, of), rate, of.dimension);
    for (int k = 0; k < of.dimension; k++) {
      mean[k] = d[k] + half * rate[k];
    }
  }
}

/* Chooses the extrapolation that would have been the best one for the step that is solved. */
VIDA_ALWAYS_INLINE void choose_extrapolation(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  const double *a = own->past[0].mu, *b = own->past[1].mu, *c = own->past[2].mu,
               *e = own->past[3].mu;
  double square[VIDA_EXTRAPOLATIONS] = {0.0};
  for (int r = 0; r < of.m; r++) {
    for (int k = 0; k < VIDA_EXTRAPOLATIONS; k++) {
      const double error =
          self->model.matrix_stiffness[r] *
          (own->next.mu[r] - extrapolate(extrapolation[k], a[r], b[r], c[r], e[r]));
      square[k] += error * error;
    }
  }
  own->extrapolation = 0;
  for (int k = 1; k < VIDA_EXTRAPOLATIONS; k++) {
    own->extrapolation = square[k] < square[own->extrapolation] ? k : own->extrapolation;
  }
}

/* Computes the means, d and g / h at the end of the step in some rows. Returns the larger one of
 * `largest` and their residuals of g / h, relative to its terms; *moved likewise becomes the
 * largest change of an impulse with its mean, relative to the terms of the momentum. */
VIDA_ALWAYS_INLINE double find_mean_residual(VidaIntegration* self, int begin, int end,
                                             double largest, double* moved, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double h = self->node.h;
  const int first = begin * of.dimension;
  const vida_distance_row* restrict at = own->rows + begin;
  const double* restrict w = own->next.w;
  const double* restrict d = own->d + first;
  double* restrict ahead = own->ahead + first;
  double* restrict mean = own->mean + first;
  double* restrict turned = own->turned + first;
  double* restrict residual = own->residual;
  for (int r = begin; r < end; r++, at++) {
    double rate[VIDA_MOST_COMPONENTS], middle[VIDA_MOST_COMPONENTS];
    double sum = 0.0, change = 0.0;
    find_difference(w + second_of(at, r, of), w + first_of(at, r, of), rate, of.dimension);
    for (int k = 0; k < of.dimension; k++) {
      middle[k] = d[k] + 0.5 * h * rate[k];
      ahead[k] = d[k] + h * rate[k];
    }
    for (int k = 0; k < of.dimension; k++) {
      sum += middle[k] * rate[k];
      change += fabs(middle[k] - mean[k]);
    }
    for (int k = 0; k < of.dimension; k++) {
      turned[k] = middle[k] - mean[k];
      mean[k] = middle[k];
    }
    residual[r] = own->rest[r] + at->factor * sum;
    /* Without a division in most rows; NaN is the largest. */
    if (!(fabs(residual[r]) <= largest * own->size[r])) {
      largest = fabs(residual[r]) / own->size[r];
    }
    change *= fabs(0.5 * at->factor * own->next.mu[r]);
    if (!(change <= *moved * own->momentum[r])) {
      *moved = change / own->momentum[r];
    }
    d += of.dimension, ahead += of.dimension, mean += of.dimension, turned += of.dimension;
  }
  return largest;
}

/* Computes the velocities for the means, the new means and what find_mean_residual computes for
 * them. */
VIDA_ALWAYS_INLINE double evaluate_means(VidaIntegration* self, double* moved, vida_shape of) {
  int begin = 0;
  double largest = 0.0;
  *moved = 0.0;
  for (vida_part part = {0}; part.row_end < of.m;) {
    part = part_from(part.row_end, of);
    find_velocities(self, 0.5, self->implicit.distances->mean, part, of);
    const int end = complete_rows(part, of);
    largest = find_mean_residual(self, begin, end, largest, moved, of);
    begin = end;
  }
  return largest;
}

/* Adds the effect of the new means on g / h to the residual, so that Newton's method anticipates
 * it.
 */
VIDA_ALWAYS_INLINE void anticipate_means(VidaIntegration* self, vida_shape of) {
  vida_distance_steps* own = self->implicit.distances;
  double* restrict dw = own->v;
  int r = 0;
  for (vida_part part = {0}; part.row_end < of.m;) {
    part = part_from(part.row_end, of);
    memset(dw + part.at, 0, (size_t)(part.end - part.at) * sizeof *dw);
    subtract_accelerated(own, 0.5, own->turned, own->next.mu, dw, part, of);
    for (const int end = complete_rows(part, of); r < end; r++) {
      const vida_distance_row* restrict at = &own->rows[r];
      double rate[VIDA_MOST_COMPONENTS];
      find_difference(dw + second_of(at, r, of), dw + first_of(at, r, of), rate, of.dimension);
      own->residual[r] += at->factor * dot(own->ahead + r * of.dimension, rate, of.dimension);
    }
  }
}

/* Limits of the iteration. With many rows, iterations are cheaper than a step of another form. */
enum { MEAN_ITERATIONS = 6, MANY_MEAN_ITERATIONS = 14, MEAN_FACTORIZATIONS = 2 };

/* What the last iterations have left: residuals of g / h, and changes of impulses with their means.
 */
typedef struct vida_mean_progress {
  double left, moved, left_before, moved_before;
} vida_mean_progress;

/* Returns whether iteration k is so far from a solution that the others will not reach it. */
VIDA_ALWAYS_INLINE bool is_far_from_means(const vida_mean_progress* at, int k, bool is_long) {
  if (is_long) {
    return k > 1 && at->moved > near_rounding && !(at->moved < 0.5 * at->moved_before);
  }
  return (k == 1 && at->moved > most_moved[0]) || (k == 2 && at->moved > most_moved[1]);
}

/* Returns whether impulses no longer change with their means. The impulses of many rows may be
 * large beside momenta: their rounding then is, too. */
VIDA_ALWAYS_INLINE bool has_settled(const vida_mean_progress* at, bool is_long) {
  return at->moved <= rounded_momentum ||
         (is_long && at->moved <= near_rounding && at->moved_before <= near_rounding &&
          !(at->moved < 0.5 * at->moved_before));
}

/* Solves the equations for own->next and own->mean. Returns whether that converged at once. */
VIDA_ALWAYS_INLINE bool solve_means(VidaIntegration* self, vida_shape of) {
  const bool is_long = of.m >= VIDA_MANY_ROWS;
  const int most_iterations = is_long ? MANY_MEAN_ITERATIONS : MEAN_ITERATIONS;
  vida_distance_steps* own = self->implicit.distances;
  vida_mean_progress at = {.left = INFINITY, .moved = INFINITY};
  int factorizations = 0;
  for (int k = 0; k <= most_iterations; k++) {
    at.left_before = at.left;
    at.moved_before = at.moved;
    at.left = evaluate_means(self, &at.moved, of);
    own->counts.residuals++;
    const bool is_rounded = at.left <= rounded;
    const bool is_slow = k > 0 && !is_rounded && !(at.left < good_contraction * at.left_before);
    const bool is_solved =
        is_rounded || (is_slow && at.left < near_rounding && at.left_before < near_rounding);
    if (is_solved && has_settled(&at, is_long)) {
      return true;
    }
    const bool needs_factors = k == 0 || (is_slow && !(is_long && is_solved));
    if (is_far_from_means(&at, k, is_long) ||
        (k > 0 && needs_factors && factorizations == MEAN_FACTORIZATIONS)) {
      return false;
    }
    if (needs_factors) {
      factorizations++;
      if (!factor(own, 0.5, own->ahead, own->mean, of)) {
        return false;
      }
    }
    anticipate_means(self, of);
    if (!solve_matrix(own, own->residual, own->correction, of)) {
      return false;
    }
    for (int r = 0; r < of.m; r++) {
      own->next.mu[r] += own->correction[r];
    }
    own->counts.iterations++;
  }
  return false;
}

#endif
