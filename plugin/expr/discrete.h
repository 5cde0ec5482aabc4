/* The automatic discrete derivative of a function of positions (Gonzalez 1999, eq. 15-16).
 *
 * D f(q0, q1) is built operation by operation: a sum adds, D(ab) = mean(a) Db + mean(b) Da, a
 * quotient is the product with 1/b, D phi(u) = phi[u0, u1] Du with a divided difference that is
 * evaluated without cancellation. So D f . (q1 - q0) = f(q1) - f(q0) to round-off, D f(q0, q1) =
 * D f(q1, q0), D f is the gradient at the midpoint for quadratic f, and it is the gradient at the
 * midpoint up to O(|q1 - q0|^2) for all smooth f. A function written through invariants that are
 * quadratic has an equivariant discrete derivative (eq. 17).
 *
 * q0 are the inputs of kind POSITION, q1 those of kind SECOND_POSITION; everything else is held
 * fixed. For angles, atan2(y, x) changes by the angle between both vectors, without the jump at the
 * negative x axis. */
#ifndef VIDA_EXPR_DISCRETE_H
#define VIDA_EXPR_DISCRETE_H

#include "expr/derivative.h"

/* gradient[i] = component of D f that belongs to position[i], an input node of kind POSITION (count
 * of them, all on which f depends and that move; those that are not listed stay at q0).
 *
 * VIDA_NOT_SUPPORTED when a comparison, a sign or the condition of a `where` depends on these
 * positions (no rule keeps D f . dq = df then; abs, min and max have theirs) or f holds a discrete
 * derivative, with the node at fault in *culprit (nullable). Otherwise as functions of
 * derivative.h. */
int vida__discrete_gradient_nodes(vida_graph* graph, int f, int count, const int* position,
                                  int* gradient, int* culprit);

/* entries = component j of the discrete derivative D f[i] of several functions (`rows`), those that
 * are not structurally zero. Fails as vida__discrete_gradient_nodes does. */
int vida__discrete_rows(vida_graph* graph, int rows, const int* f, int count, const int* position,
                        vida_entries* entries, int* culprit);

/* entries = d gradient[i] / d q1[j], not symmetric, of the gradient above, and behind them, in the
 * columns from `count` on, its derivatives with respect to the inputs other[] (`others` of them, no
 * positions). The derivative with respect to q0 is that with respect to q1 with both points
 * exchanged, by the symmetry of D. */
int vida__discrete_jacobian_nodes(vida_graph* graph, int count, const int* position,
                                  const int* gradient, int others, const int* other,
                                  vida_entries* entries);

#endif
