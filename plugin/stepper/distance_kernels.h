/* Sums over the rows of distance_steps.h, for the functions that make its steps.
 *
 * Loops over the components of a distance are fast only if the compiler knows their number, and
 * those over few rows or coordinates, too. Each function is written once, with these numbers as an
 * argument, and compiled for the usual ones. The components of a vector are loaded before any is
 * stored, so that they are computed together. */
#ifndef VIDA_STEPPER_DISTANCE_KERNELS_H
#define VIDA_STEPPER_DISTANCE_KERNELS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "stepper/distance_state.h"

/* A step is not calm if the gradient of a constraint turns by more than this squared angle, or if
 * the residual does not become this much smaller with each iteration. */
static const double most_turn = 0.01;
static const double good_contraction = 0.1;
/* Residuals relative to the terms of the row: one that is not worth another iteration, and one that
 * may remain if iterations do not make it smaller. */
static const double rounded = 2.0 * DBL_EPSILON;
static const double near_rounding = 1e-12;

VIDA_ALWAYS_INLINE void find_difference(const double* to, const double* from, double* difference,
                                        int dimension) {
  for (int k = 0; k < dimension; k++) {
    difference[k] = to[k] - from[k];
  }
}

/* Subtracts weight M^-1 G^T impulses (m) from velocities, with the vectors d for the gradients.
 * Points are different or equal. */
VIDA_ALWAYS_INLINE void subtract_accelerated(const vida_distance_steps* own, double weight,
                                             const double* restrict d,
                                             const double* restrict impulses, double* restrict w,
                                             vida_part part, vida_shape of) {
  const vida_distance_row* restrict at = own->rows + part.row;
  d += part.row * of.dimension;
  for (int r = part.row; r < part.row_end; r++, at++, d += of.dimension) {
    const double impulse = weight * at->factor * impulses[r];
    const double by_first = impulse * at->by_first, by_second = impulse * at->by_second;
    double *from = w + first_of(at, r, of), *to = w + second_of(at, r, of);
    double first[VIDA_MOST_COMPONENTS], second[VIDA_MOST_COMPONENTS];
    for (int k = 0; k < of.dimension; k++) {
      first[k] = from[k] + by_first * d[k];
    }
    for (int k = 0; k < of.dimension; k++) {
      second[k] = to[k] - by_second * d[k];
    }
    for (int k = 0; k < of.dimension; k++) {
      from[k] = first[k];
    }
    for (int k = 0; k < of.dimension; k++) {
      to[k] = second[k];
    }
  }
}

/* Computes w = unconstrained - weight M^-1 G^T mu, with these vectors for the gradients. */
VIDA_ALWAYS_INLINE void find_velocities(VidaIntegration* self, double weight, const double* vectors,
                                        vida_part part, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  double* restrict w = own->next.w;
  memcpy(w + part.at, own->unconstrained + part.at, (size_t)(part.end - part.at) * sizeof *w);
  subtract_accelerated(own, weight, vectors, own->next.mu, w, part, of);
}

/* Computes d and g / h of row r at the end of a step of length h, in which its points move apart at
 * this rate: the mean of d at both ends, times c, is the discrete gradient. */
VIDA_ALWAYS_INLINE void find_row(const vida_distance_steps* own, double h, int r,
                                 const double* restrict rate, int dimension) {
  const double* restrict d = own->d + r * dimension;
  double* restrict ahead = own->ahead + r * dimension;
  double change[VIDA_MOST_COMPONENTS];
  for (int k = 0; k < dimension; k++) {
    change[k] = h * rate[k];
    ahead[k] = d[k] + change[k];
  }
  double sum = (d[0] + 0.5 * change[0]) * rate[0];
  for (int k = 1; k < dimension; k++) {
    sum += (d[k] + 0.5 * change[k]) * rate[k];
  }
  own->residual[r] = own->rest[r] + own->rows[r].factor * sum;
}

/* Returns the larger one of `largest` and the residual of row r relative to its terms; NaN is the
 * largest. Most rows need no division. */
VIDA_ALWAYS_INLINE double compare_row(const vida_distance_steps* own, int r, double largest) {
  const double residual = fabs(own->residual[r]);
  return !(residual <= largest * own->size[r]) && !isnan(largest) ? residual / own->size[r]
                                                                  : largest;
}

/* Computes d and g / h at the end of the step. Returns the largest residual relative to its terms.
 */
VIDA_ALWAYS_INLINE double find_residual(VidaIntegration* self, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double* restrict w = own->next.w;
  double largest = 0.0;
  for (int r = 0; r < of.m; r++) {
    const vida_distance_row* at = &own->rows[r];
    double rate[VIDA_MOST_COMPONENTS];
    find_difference(w + second_of(at, r, of), w + first_of(at, r, of), rate, of.dimension);
    find_row(own, self->node.h, r, rate, of.dimension);
    largest = compare_row(own, r, largest);
  }
  return largest;
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
                                      vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const vida_distance_row* restrict at = own->rows;
  const double* restrict d = own->d;
  double* reaction = own->reaction;
  memset(reaction, 0, (size_t)of.n * sizeof *reaction);
  for (int r = 0; r < of.m; r++, at++, d += of.dimension) {
    const double impulse = at->factor * mu[r];
    for (int k = 0; k < of.dimension; k++) {
      reaction[second_of(at, r, of) + k] += impulse * d[k];
    }
    for (int k = 0; k < of.dimension && first_of(at, r, of) < of.n; k++) {
      reaction[first_of(at, r, of) + k] -= impulse * d[k];
    }
  }
}

/* Subtracts weight G^T impulses from the momenta, with the vectors d for the gradients, term by
 * term: equal and opposite impulses then cancel exactly. */
VIDA_ALWAYS_INLINE void subtract_impulses(VidaIntegration* self, double weight,
                                          const double* restrict d, const double* restrict impulses,
                                          vida_part part, vida_shape of) {
  const vida_distance_row* restrict at = self->implicit.distances->rows + part.row;
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  d += part.row * of.dimension;
  for (int r = part.row; r < part.row_end; r++, at++, d += of.dimension) {
    const double impulse = weight * at->factor * impulses[r];
    add_exactly(p + second_of(at, r, of), low + second_of(at, r, of), -impulse, d, of.dimension);
    if (first_of(at, r, of) < of.n) {
      add_exactly(p + first_of(at, r, of), low + first_of(at, r, of), impulse, d, of.dimension);
    }
  }
}

/* Sums start with their first term, not with a zero that it would wait for. */
VIDA_ALWAYS_INLINE double dot(const double* a, const double* b, int dimension) {
  double sum = a[0] * b[0];
  for (int k = 1; k < dimension; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Each row is eliminated as soon as its entries are known. */
VIDA_ALWAYS_INLINE bool factor_tridiagonal(vida_chain_matrix* matrix, double weight,
                                           const double* left, const double* right, vida_shape of) {
  vida_tridiagonal at = {.is_regular = true};
  for (int r = 0; r < of.m; r++, left += of.dimension, right += of.dimension) {
    if (r > 0) {
      const double factor = weight * matrix->pair_weight[r];
      at.lower = factor * dot(left, right - of.dimension, of.dimension);
      at.upper = factor * dot(left - of.dimension, right, of.dimension);
    }
    at.diagonal = weight * matrix->own_weight[r] * dot(left, right, of.dimension);
    vida__eliminate_row(matrix, r, &at);
  }
  return at.is_regular && isfinite(at.inverse);
}

/* Factors weight G1 M^-1 G0^T, with d for the gradients of the rows in `left` and for those of the
 * columns in `right`. */
VIDA_ALWAYS_INLINE bool factor(vida_distance_steps* own, double weight, const double* left,
                               const double* right, vida_shape of) {
  vida_chain_matrix* matrix = &own->matrix;
  own->counts.jacobians++;
  if (matrix->is_tridiagonal) {
    return factor_tridiagonal(matrix, weight, left, right, of);
  }
  for (int k = 0; k < matrix->pair_count; k++) {
    const vida_chain_pair* pair = &matrix->pairs[k];
    const int row = pair->row * of.dimension, column = pair->column * of.dimension;
    const double part = weight * pair->weight;
    matrix->linear->values[pair->slot] = part * dot(left + row, right + column, of.dimension);
    matrix->linear->values[pair->transposed] = part * dot(left + column, right + row, of.dimension);
  }
  return vida__chain_matrix_factor(matrix);
}

/* Computes x = A^-1 b with the last factors; x may be b. Returns whether that succeeded. */
VIDA_ALWAYS_INLINE bool solve_matrix(vida_distance_steps* own, const double* b, double* x,
                                     vida_shape of) {
  if (own->matrix.is_tridiagonal) {
    vida__solve_tridiagonal(&own->matrix, of.m, b, x);
    return true;
  }
  return vida__chain_matrix_solve(&own->matrix, b, x);
}

/* Adds h times a share of the force to the momenta. The sum is rounded when the impulses of the
 * constraints have been added. */
VIDA_ALWAYS_INLINE void add_force(VidaIntegration* self, double share, vida_part part) {
  const double weight = share * self->node.h;
  const double* restrict force = self->implicit.distances->force;
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  for (int i = part.at; i < part.end; i++) {
    double left;
    p[i] = vida__add_exactly(p[i], weight * force[i], &left);
    low[i] += left;
  }
}

VIDA_ALWAYS_INLINE void round_momenta(VidaIntegration* self, int begin, int end) {
  double* restrict p = self->node.p;
  double* restrict low = self->node.p_low;
  for (int i = begin; i < end; i++) {
    double left;
    p[i] = vida__add_exactly(p[i], low[i], &left);
    low[i] = left;
  }
}

/* Computes d at the node, from the compensated positions. */
VIDA_ALWAYS_INLINE void find_differences(const VidaIntegration* self, double* d, vida_part part,
                                         vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double *q = self->node.q, *low = self->node.q_low;
  const double* place = own->distances.place + part.row * of.dimension;
  d += part.row * of.dimension;
  for (int r = part.row; r < part.row_end; r++, d += of.dimension, place += of.dimension) {
    const vida_distance_row* at = &own->rows[r];
    const bool is_pair = first_of(at, r, of) < of.n;
    for (int k = 0; k < of.dimension; k++) {
      d[k] = is_pair ? (q[second_of(at, r, of) + k] - q[first_of(at, r, of) + k]) +
                           (low[second_of(at, r, of) + k] - low[first_of(at, r, of) + k])
                     : (q[second_of(at, r, of) + k] - place[k]) + low[second_of(at, r, of) + k];
    }
  }
}

VIDA_ALWAYS_INLINE void exchange(double** a, double** b) {
  double* kept = *a;
  *a = *b;
  *b = kept;
}

VIDA_ALWAYS_INLINE void move_positions(VidaIntegration* self, vida_part part) {
  const double h = self->node.h;
  const double* restrict w = self->implicit.distances->next.w;
  double* restrict q = self->node.q;
  double* restrict low = self->node.q_low;
  for (int i = part.at; i < part.end; i++) {
    double left, rest;
    const double total = vida__add_exactly(q[i], h * w[i], &left);
    q[i] = vida__add_exactly(total, low[i] + left, &rest);
    low[i] = rest;
  }
}

VIDA_ALWAYS_INLINE void rotate_unknowns(vida_distance_steps* own) {
  const vida_step_unknowns oldest = own->past[VIDA_PAST_STEPS - 1];
  for (int k = VIDA_PAST_STEPS - 1; k > 0; k--) {
    own->past[k] = own->past[k - 1];
  }
  own->past[0] = own->next;
  own->next = oldest;
}

#endif
