/* The automatic discrete derivative of a function of positions (Gonzalez 1999, eq. 15-16).
 *
 * D f(q0, q1) is built operation by operation: D(a + b) = Da + Db, D(ab) = mean(a) Db + mean(b) Da,
 * a quotient is a product with 1/b, and D phi(u) = phi[u0, u1] Du with a divided difference that is
 * evaluated without cancellation. Hence D f . (q1 - q0) = f(q1) - f(q0) to rounding, and D f(q0,
 * q1) = D f(q1, q0). D f is the gradient at the midpoint for quadratic f, and up to O(|q1 - q0|^2)
 * for every smooth f. A function of quadratic invariants has an equivariant discrete derivative
 * (eq. 17).
 *
 * q0 are the inputs of the kind POSITION, q1 those of the kind SECOND_POSITION; all other inputs
 * are held fixed. Rates can be among the variables: from VELOCITY to SECOND_VELOCITY. Then D f is a
 * pair of derivatives, D_q f . (q1 - q0) + D_v f . (v1 - v0) = f(q1, v1) - f(q0, v0), and a
 * function of bilinear invariants of q and v has an equivariant pair. atan2(y, x) changes by the
 * angle between both vectors, without a jump at the negative x axis. */
#ifndef VIDA_EXPR_DISCRETE_H
#define VIDA_EXPR_DISCRETE_H

#include "expr/derivative.h"

/* Builds D f: gradient[i] is the component that belongs to position[i], an input node of the kind
 * POSITION or VELOCITY, for `count` of them. Inputs that are not listed do not change. Fails with
 * VIDA_NOT_SUPPORTED if a comparison, a sign or the condition of a `where` depends on these
 * positions (no rule then gives D f . dq = df; abs, min and max have rules), or if f contains a
 * discrete derivative; *culprit (nullable) then receives the node. Other failures are those of
 * derivative.h. */
int vida__discrete_gradient_nodes(vida_graph* graph, int f, int count, const int* position,
                                  int* gradient, int* culprit);

/* Builds the discrete derivatives of several functions: `entries` receives the structurally nonzero
 * components j of D f[i]. Fails as vida__discrete_gradient_nodes does. */
int vida__discrete_rows(vida_graph* graph, int rows, const int* f, int count, const int* position,
                        vida_entries* entries, int* culprit);

/* Derives a discrete gradient: `entries` receives d gradient[i] / d q1[j], which is not symmetric,
 * and, in the columns from `count`, the derivatives with respect to the inputs other[] (`others` of
 * them, which do not change). By the symmetry of D, the derivative with respect to q0 is the one
 * with respect to q1 with both points exchanged. */
int vida__discrete_jacobian_nodes(vida_graph* graph, int count, const int* position,
                                  const int* gradient, int others, const int* other,
                                  vida_entries* entries);

#endif
