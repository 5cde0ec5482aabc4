/* Nearest consistent positions. */
#ifndef VIDA_SYSTEM_START_NEAREST_H
#define VIDA_SYSTEM_START_NEAREST_H

#include "system/evaluate/evaluate.h"

/* Moves q (n), which satisfies the holonomic constraints at t, along them to the point nearest to
 * `given` (n) in the norm of the mass matrix there. Solves M (q - given) + G(q)^T mu = 0, g(q) = 0
 * by Newton's method. Massless coordinates do not count in the distance. v (n) are velocities for
 * the evaluation of M; mass (n, > 0) is a scale. Fails with VIDA_STEP_NOT_CONVERGED, with q
 * unchanged, if the point was not found or would be farther; or with the code of an evaluation or
 * of the matrix. Allocates memory. */
int vida__find_nearest(vida_evaluator* evaluator, vida_linear* linear, double t,
                       const double* given, const double* v, const double* mass, double* q);

#endif
