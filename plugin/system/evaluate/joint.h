/* Discrete derivatives with respect to positions and rates, between (q0,v0) and (q1,v1) =
 * (between->q0, between->v) and (between->q1, between->v1), for methods whose rates move with the
 * positions. They are pairs D_q and D_v with D_q dq + D_v dv = the change of the function, exactly
 * (expr/discrete.h). */
#ifndef VIDA_SYSTEM_EVALUATE_JOINT_H
#define VIDA_SYSTEM_EVALUATE_JOINT_H

#include "system/evaluate/evaluate.h"

/* Computes D_q L (n, without forces) and D_v L (n); `middle` (n) is (v0 + v1) / 2. Returns codes of
 * evaluations. */
int vida__joint_gradient(vida_evaluator* evaluator, const vida_interval* between,
                         const double* middle, double* l_q, double* l_v);
/* Adds the weighted derivatives with respect to q1 and v1 of the general Lagrangians in
 * vida__joint_gradient to the matrix. */
int vida__add_joint_slopes(const VidaSystem* system, const vida_interval* between,
                           vida_hessian_weights weights, double* matrix);
/* Returns whether every potential, general Lagrangian and constraint has the discrete derivatives
 * that vida__joint_gradient and vida__discrete_jacobian need; otherwise *name receives the name of
 * the first one without. */
bool vida__has_joint_derivatives(const VidaSystem* system, const char** name);

/* Computes the discrete derivative of G(q) v for constraints that do not depend on time, in two
 * sets of entries: with respect to positions and to rates. `place` (n) is (q0 + q1) / 2, `middle`
 * (n) is (v0 + v1) / 2. */
int vida__hidden_gradient(vida_evaluator* evaluator, const vida_interval* between,
                          const double* place, const double* middle, double* by_positions,
                          double* by_rates);
/* Returns whether every constraint is quadratic or has a discrete derivative of G v; otherwise
 * *name receives the name of the first one without. */
bool vida__has_hidden_derivatives(const VidaSystem* system, const char** name);

#endif
