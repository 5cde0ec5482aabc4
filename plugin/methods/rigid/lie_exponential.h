/* Rotations by the exponential map: the rotation vector xi, in the body, of a step from R0 to R1 =
 * R0 exp(xi).
 *
 * The discrete kinetic energy xi . J xi / (2 h) gives the angular momentum in the body before the
 * step, with dexp the right-trivialized tangent of the exponential map,
 *     h Pi0 = dexp^-1(xi)^T J xi = J xi + xi x J xi / 2 + kappa xi x (xi x J xi),
 *     kappa = (1 - |xi|/2 cot(|xi|/2)) / |xi|^2,
 * and after it the same one in space. */
#ifndef VIDA_METHODS_RIGID_LIE_EXPONENTIAL_H
#define VIDA_METHODS_RIGID_LIE_EXPONENTIAL_H

#include "methods/rigid/lie.h"

/* The rotation of a body in a step. */
typedef struct vida_lie_rotation {
  double xi[3];
  double inverse[9]; /* of the derivatives of the equation above at `place`, by rows */
  double place[3];
  bool has_inverse;
} vida_lie_rotation;

/* Solves the equation above for rotation->xi, which contains a guess, to rounding, with h Pi0 in
 * `impulse`: by Newton's method with the inverse that the rotation has, as long as it contracts
 * well. Returns false if that does not converge, or for a turn of 3 rad or more. */
bool vida__lie_find_rotation(const vida_lie_body* body, const double impulse[3],
                             vida_lie_rotation* rotation);
/* Computes h Pi0 of the equation above. */
void vida__lie_find_impulse(const vida_lie_body* body, const double xi[3], double impulse[3]);
/* Computes change = q exp(xi / 2) - q. */
void vida__lie_find_change(const double q[4], const double xi[3], double change[4]);
/* Computes the matrix, by rows, of the angle by which the body at R1 turns further, in the body,
 * for a change of h Pi0, and the inverse at rotation->xi unless the rotation has one: a guess that
 * solves the equation, such as 0 for a body at rest, needed none. Returns false if the derivatives
 * are singular. */
bool vida__lie_find_response(const vida_lie_body* body, vida_lie_rotation* rotation,
                             double response[9]);

#endif
