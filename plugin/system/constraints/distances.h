/* Constraints that are functions of a squared distance,
 *     g = c (|d|^2 - l^2) / 2,   d = q[second ...] - q[first ...],   or   d = q[second ...] -
 * place, however they were described: rods, and formulas such as (vida.dot(d, d) - l^2) / 2. Their
 * gradient is c d with respect to the second point and -c d with respect to the first. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_DISTANCES_H
#define VIDA_SYSTEM_CONSTRAINTS_DISTANCES_H

#include "system/evaluate/evaluate.h"

enum { VIDA_MOST_COMPONENTS = 4 };

/* The constraints of a system by rows. */
typedef struct vida_distances {
  int count;      /* m; 0: some constraint is not of this kind */
  int dimension;  /* components of every d, 1 to VIDA_MOST_COMPONENTS */
  int* first;     /* m: coordinate of the first component of the first point; -1: a place */
  int* second;    /* m: of the second point */
  double* factor; /* m: c */
  double* place;  /* m x dimension; 0 for rows with a first point */
  int* point;     /* n: the first coordinate of the point that has this one; -1: none */
  /* Work space, in which the instances of a batch of formulas have coordinates of their own. */
  int* index;
  double *probe, *velocity, *entries, *slopes;
} vida_distances;

/* Finds the form of the constraints, and allocates all memory. distances->count is 0 if some row is
 * no function of one distance, or if not all have the same dimension. The caller frees the arrays
 * with vida__free_distances, also after a failure. Fails only without memory. */
int vida__find_distances(const VidaSystem* system, vida_distances* distances);
/* Computes points, c and places, which may depend on parameters; distances->count must not be 0.
 * Returns false if some constraint is not of this kind after all, or if two different points have a
 * common coordinate. */
bool vida__measure_distances(vida_distances* distances, vida_evaluator* evaluator);
/* Frees the arrays. */
void vida__free_distances(vida_distances* distances);

#endif
