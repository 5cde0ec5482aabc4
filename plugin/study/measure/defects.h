/* How far a step map is from keeping the symplectic form, and from running backwards. */
#ifndef VIDA_STUDY_MEASURE_DEFECTS_H
#define VIDA_STUDY_MEASURE_DEFECTS_H

#include <stdbool.h>
#include <vida/stepper.h>

/* The map that is looked at: some steps of a stepper from a start of its system. */
typedef struct vida_stretch {
  VidaStepper* stepper;
  double t0, h;
  long steps;
  /* How the stepper is moved, with `data`. */
  int (*start)(void* data, const double* q, const double* v, VidaError* error);
  int (*step)(void* data, VidaError* error);
  void* data;
} vida_stretch;

/* Steps of size h from time 0 by the stepper alone, nobody being told. */
vida_stretch vida__plain_stretch(VidaStepper* stepper, double h, long steps);

/* |omega(D phi a, D phi b) - omega(a, b)| for tangent vectors a, b of the constraint manifold,
 * relative to the largest |omega(a, b)| of them: omega = dq ^ dp restricted to the manifold, which
 * the exact motion of a conservative system keeps. Vectors are drawn at random, always the same
 * ones, at `starts` states: q, v (n each) and states near it. D phi is a finite difference of the
 * fourth order; with *noise (nullable) of the shift that is surest: how far that of a larger one
 * disagrees. NaN where the
 * system has no motion to compare with. */
int vida__measure_symplectic_defect(const vida_stretch* stretch, const double* q, const double* v,
                                    int starts, double* defect, double* noise, VidaError* error);

/* The distance from q, v (n each) after the stretch, with the velocities turned round the stretch
 * back, and turned round again: the largest over coordinates and velocities, by units, relative to
 * the motion between. *own (nullable): whether the system itself runs backwards: its accelerations
 * are those of the other velocities and other times. NaN where nothing moves. */
int vida__measure_reversibility_defect(const vida_stretch* stretch, const double* q,
                                       const double* v, double* defect, bool* own,
                                       VidaError* error);

/* A state on the constraints at t near q, v (n each, changed): g(q) = 0, G v + g_t = 0. */
int vida__project_to_manifold(const VidaSystem* system, double t, double* q, double* v,
                              VidaError* error);

/* The size that a value is relative to: the largest |x|. */
double vida__largest(int n, const double* x);

#endif
