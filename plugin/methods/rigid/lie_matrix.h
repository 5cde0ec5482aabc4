/* Newton's matrix of implicit methods for rigid bodies with joints, in the components u of
 * lie_joints.h (angular velocities in the body, velocities of other coordinates) and the
 * multipliers of the joints. */
#ifndef VIDA_METHODS_RIGID_LIE_MATRIX_H
#define VIDA_METHODS_RIGID_LIE_MATRIX_H

#include "methods/rigid/lie_joints.h"

typedef struct vida_lie_matrix vida_lie_matrix;

/* The equations at the end of a step with the mean velocities w,
 *
 *     M u1 - share (h f(q1,u1) - B^T mu) = ...,    g(q1)/h = 0,    q1 = q0 exp(h w),
 *     u1 = ratio w + ...;
 *
 * f contains J omega x omega of the bodies. */
typedef struct vida_lie_point {
  double t, h, ratio, share;
  const double *q, *v;    /* n: q1, and u1 as rates of the coordinates */
  const double* u;        /* rates: u1 */
  const double* turn;     /* rates: h w; NULL: q1 is given, w = u1, and the rows are B u1 = ... */
  const double* mu;       /* m */
  const double* force;    /* n: generalized forces with those of the joints */
  const double* gradient; /* B at q1 */
} vida_lie_point;

/* Finds the pattern: for VidaMethod.create. The caller frees *matrix with vida__lie_matrix_destroy,
 * also after a failure. */
int vida__lie_matrix_create(VidaIntegration* self, const vida_lie_joints* joints,
                            vida_lie_matrix** matrix, VidaError* error);
/* Creates the solver, unless it exists: for VidaMethod.start. */
int vida__lie_matrix_start(VidaIntegration* self, vida_lie_matrix* matrix, VidaError* error);
/* Frees the matrix and sets *matrix to NULL; NULL is allowed. */
void vida__lie_matrix_destroy(vida_lie_matrix** matrix);
/* Factors the exact derivatives at a point, but for those of forces along a quaternion. Returns 0,
 * VIDA_STEP_SINGULAR, VIDA_OUT_OF_MEMORY, or the code of a failed evaluation. */
int vida__lie_matrix_factor(VidaIntegration* self, const vida_lie_joints* joints,
                            vida_lie_matrix* matrix, const vida_lie_point* at);
/* Computes the solution x for the right-hand side r (rates and rows each); x may be r. */
int vida__lie_matrix_solve(vida_lie_matrix* matrix, const double* r, double* x);
/* Visits the solver: for VidaMethod.state. */
void vida__lie_matrix_record(vida_lie_matrix* matrix, VidaRecord* record);

#endif
