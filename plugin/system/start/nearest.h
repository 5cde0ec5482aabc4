/* The nearest values that satisfy the constraints. */
#ifndef VIDA_SYSTEM_START_NEAREST_H
#define VIDA_SYSTEM_START_NEAREST_H

#include "system/evaluate/evaluate.h"

/* Moves q (n), which satisfies the holonomic constraints at t, along them to the place that is
 * nearest to `given` in the norm of the mass matrix there: M (q - given) + G(q)^T mu = 0, g(q) = 0,
 * by Newton's method. Coordinates without mass have no part in the distance. v (n) is where M is
 * evaluated, mass (n, > 0) a scale. VIDA_STEP_NOT_CONVERGED, and q is what it was, where that was
 * not found or would be farther; or what an evaluation or the matrix reported. Takes memory. */
int vida__find_nearest(vida_evaluator* evaluator, vida_linear* linear, double t,
                       const double* given, const double* v, const double* mass, double* q);

#endif
