/* Sweeps along a chain, whose row r connects point r to point r - 1, or point 0 to a place.
 *
 * What is complete after the next row is used at once, instead of stored and loaded again in a pass
 * of its own: the passes over many rows wait for memory. The operations on each number and their
 * order are those of distance_kernels.h, so that the steps are the same bit for bit. Included by
 * distance_equations.c only. */
#ifndef VIDA_STEPPER_DISTANCE_CHAIN_H
#define VIDA_STEPPER_DISTANCE_CHAIN_H

#include "stepper/distance_kernels.h"

/* Computes sum + factor d. */
VIDA_ALWAYS_INLINE void add_multiple(const double* sum, double factor, const double* restrict d,
                                     double* result, int dimension) {
  for (int k = 0; k < dimension; k++) {
    result[k] = sum[k] + factor * d[k];
  }
}

VIDA_ALWAYS_INLINE void copy_components(const double* from, double* restrict to, int dimension) {
  for (int k = 0; k < dimension; k++) {
    to[k] = from[k];
  }
}

/* The velocities of the points at both ends of a row. */
typedef struct vida_row_motion {
  double first[VIDA_MOST_COMPONENTS], second[VIDA_MOST_COMPONENTS];
} vida_row_motion;

/* Finishes row r, of which both velocities are complete. Returns compare_row. */
VIDA_ALWAYS_INLINE double finish_row(VidaIntegration* self, int r, const vida_row_motion* at,
                                     double largest, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  double rate[VIDA_MOST_COMPONENTS];
  copy_components(at->second, own->next.w + r * of.dimension, of.dimension);
  find_difference(at->second, at->first, rate, of.dimension);
  find_row(own, self->node.h, r, rate, of.dimension);
  return compare_row(own, r, largest);
}

/* As find_velocities and find_residual. */
VIDA_ALWAYS_INLINE double move_chain(VidaIntegration* self, vida_shape of) {
  const vida_distance_steps* own = self->implicit.distances;
  const double weight = *self->implicit.form.kappa;
  const double* restrict unconstrained = own->unconstrained;
  const double* restrict mu = own->next.mu;
  const double* restrict d = own->d;
  vida_row_motion at = {{0.0}, {0.0}};
  double largest = 0.0;
  for (int r = 0; r < of.m; r++, d += of.dimension, unconstrained += of.dimension) {
    const vida_distance_row* row = &own->rows[r];
    const double impulse = weight * row->factor * mu[r];
    if (r > 0) {
      add_multiple(at.second, impulse * row->by_first, d, at.second, of.dimension);
      largest = finish_row(self, r - 1, &at, largest, of);
      copy_components(at.second, at.first, of.dimension);
    }
    add_multiple(unconstrained, -(impulse * row->by_second), d, at.second, of.dimension);
  }
  return finish_row(self, of.m - 1, &at, largest, of);
}

#endif
