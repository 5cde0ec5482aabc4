/* Symplectic defects and reversibility defects of step maps. */
#ifndef VIDA_STUDY_MEASURE_DEFECTS_H
#define VIDA_STUDY_MEASURE_DEFECTS_H

#include <stdbool.h>
#include <vida/stepper.h>

/* The map that is measured: a number of steps of a stepper from an initial state. */
typedef struct vida_segment_runner {
  VidaStepper* stepper;
  double t0, h;
  long steps;
  /* Functions that start the stepper and make a step, with the argument `data`. */
  int (*start)(void* data, const double* q, const double* v, VidaError* error);
  int (*step)(void* data, VidaError* error);
  void* data;
} vida_segment_runner;

/* Returns the map of `steps` steps of size h from time 0. It calls the stepper directly, without an
 * observer. */
vida_segment_runner vida__plain_segment(VidaStepper* stepper, double h, long steps);

/* Computes the symplectic defect |omega(D phi a, D phi b) - omega(a, b)| for tangent vectors a, b
 * of the constraint manifold, relative to the largest |omega(a, b)|. omega = dq ^ dp is restricted
 * to the manifold; the exact motion of a conservative system preserves it. The vectors are
 * pseudo-random and the same in each call, at `starts` states: q, v (n each) and states near it. D
 * phi is a finite difference of order four. If `noise` is not NULL, the difference uses the step
 * with the smallest error, and *noise receives the difference to the result of a larger step. The
 * defect is NaN if the system does not move. */
int vida__measure_symplectic_defect(const vida_segment_runner* stretch, const double* q,
                                    const double* v, int starts, double* defect, double* noise,
                                    VidaError* error);

/* Computes the distance from the initial state q, v (n each) after the map, a reversal of the
 * velocities, the map again, and another reversal. It is the largest distance of a coordinate or
 * velocity, relative to the largest motion with its unit; NaN if nothing moves. *own (nullable)
 * receives whether the system itself is reversible: its accelerations do not change with the sign
 * of the velocities or of time. */
int vida__measure_reversibility_defect(const vida_segment_runner* stretch, const double* q,
                                       const double* v, double* defect, bool* own,
                                       VidaError* error);

/* Moves q, v (n each) to a nearby state with g(q) = 0 and G v + g_t = 0 at t. */
int vida__project_to_manifold(const VidaSystem* system, double t, double* q, double* v,
                              VidaError* error);

/* Returns the largest |x_i| of n numbers. */
double vida__largest(int n, const double* x);

#endif
