/* The turn of a body in a step, of which the discrete Euler equations of both methods are
 * polynomials in c = tan(angle / 2) times the axis: J c + c x J c = (1 + share c c) a. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/rigid/lie.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double largest(const double x[3]) {
  return larger(larger(fabs(x[0]), fabs(x[1])), fabs(x[2]));
}

/* ---- guess ----------------------------------------------------------------------------------- */

/* The turn of a sphere, whose equation has a closed solution. */
static void guess_sphere(const vida_lie_body* body, const double a[3], double share, double c[3]) {
  double b[3];
  vida__lie_multiply(body->factors, a, b);
  const double square = 1.0 - 4.0 * share * vida__lie_dot(b, b);
  const double factor = 2.0 / (1.0 + sqrt(larger(square, 0.0)));
  for (int i = 0; i < 3; i++) {
    c[i] = factor * b[i];
  }
}

/* Extrapolates the last turns by the polynomial through them. */
static void extrapolate(const vida_lie_body* body, double c[3]) {
  c[0] = c[1] = c[2] = 0.0;
  for (int k = 0; k < body->turns; k++) {
    const double* difference = body->difference[k];
    c[0] += difference[0];
    c[1] += difference[1];
    c[2] += difference[2];
  }
}

static void remember(vida_lie_body* body, const double c[3]) {
  body->turns += body->turns < VIDA_TURNS ? 1 : 0;
  double x = c[0], y = c[1], z = c[2];
  memcpy(body->turn, c, sizeof body->turn);
  for (int k = 0; k < body->turns; k++) {
    double* difference = body->difference[k];
    const double last[3] = {difference[0], difference[1], difference[2]};
    difference[0] = x;
    difference[1] = y;
    difference[2] = z;
    x -= last[0];
    y -= last[1];
    z -= last[2];
  }
}

void vida__lie_forget_turns(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    own->body[b].turns = 0;
  }
}

/* ---- solution -------------------------------------------------------------------------------- */

/* Computes J c and r = J c + c x J c - (1 + share c c) a. Returns the size of its terms. */
static double find_residual(const vida_lie_body* body, const double a[3], double share,
                            const double c[3], double j_c[3], double r[3]) {
  double across[3];
  vida__lie_multiply(body->inertia, c, j_c);
  vida__lie_cross(c, j_c, across);
  const double more = 1.0 + share * vida__lie_dot(c, c);
  r[0] = j_c[0] + across[0] - more * a[0];
  r[1] = j_c[1] + across[1] - more * a[1];
  r[2] = j_c[2] + across[2] - more * a[2];
  return largest(j_c) + largest(across) + more * largest(a);
}

/* Solves A d = r, rows first, by Cramer's rule. Returns false for a singular matrix. */
static inline bool solve(const double a[3][3], const double r[3], double d[3]) {
  double x[3], y[3], z[3];
  vida__lie_cross(a[1], a[2], x);
  vida__lie_cross(a[2], a[0], y);
  vida__lie_cross(a[0], a[1], z);
  const double size = largest(a[0]) * largest(a[1]) * largest(a[2]);
  const double determinant = vida__lie_dot(a[0], x);
  if (!(fabs(determinant) > 1e-14 * size)) {
    return false;
  }
  const double inverse = 1.0 / determinant;
  d[0] = (r[0] * x[0] + r[1] * y[0] + r[2] * z[0]) * inverse;
  d[1] = (r[0] * x[1] + r[1] * y[1] + r[2] * z[1]) * inverse;
  d[2] = (r[0] * x[2] + r[1] * y[2] + r[2] * z[2]) * inverse;
  return true;
}

/* Computes the correction d of Newton's method, by J + hat(c) J - hat(J c) - 2 share a c^T. */
static bool find_correction(const vida_lie_body* body, const double a[3], double share,
                            const double c[3], const double j_c[3], const double r[3],
                            double d[3]) {
  const double* j = body->inertia;
  const double x = 2.0 * share * a[0], y = 2.0 * share * a[1], z = 2.0 * share * a[2];
  const double matrix[3][3] = {{j[0] + (c[1] * j[6] - c[2] * j[3]) - x * c[0],
                                j[1] + (c[1] * j[7] - c[2] * j[4]) - x * c[1] + j_c[2],
                                j[2] + (c[1] * j[8] - c[2] * j[5]) - x * c[2] - j_c[1]},
                               {j[3] + (c[2] * j[0] - c[0] * j[6]) - y * c[0] - j_c[2],
                                j[4] + (c[2] * j[1] - c[0] * j[7]) - y * c[1],
                                j[5] + (c[2] * j[2] - c[0] * j[8]) - y * c[2] + j_c[0]},
                               {j[6] + (c[0] * j[3] - c[1] * j[0]) - z * c[0] + j_c[1],
                                j[7] + (c[0] * j[4] - c[1] * j[1]) - z * c[1] - j_c[0],
                                j[8] + (c[0] * j[5] - c[1] * j[2]) - z * c[2]}};
  return solve(matrix, r, d);
}

/* Improves c to rounding; returns false if it does not converge. */
static bool improve(VidaIntegration* self, const vida_lie_body* body, const double a[3],
                    double share, double c[3]) {
  enum { MOST_ITERATIONS = 30 };
  const double bend = body->size + share * largest(a);
  double previous = INFINITY;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double j_c[3], r[3], d[3];
    const double size = find_residual(body, a, share, c, j_c, r);
    const double residual = largest(r);
    self->statistics.residual_evaluations++;
    if (!isfinite(size)) {
      return false;
    }
    /* Makes another correction as long as it reduces the residual. */
    if (residual <= DBL_EPSILON * size || (residual <= 1e-13 * size && residual >= previous)) {
      return true;
    }
    if (!find_correction(body, a, share, c, j_c, r, d)) {
      return false;
    }
    c[0] -= d[0];
    c[1] -= d[1];
    c[2] -= d[2];
    self->statistics.newton_iterations++;
    self->statistics.jacobian_evaluations++;
    /* The equations are quadratic: a correction leaves exactly the residual d x J d - share d d a,
     * which need not be evaluated where it is below rounding. */
    if (bend * vida__lie_dot(d, d) <= DBL_EPSILON * size) {
      return true;
    }
    previous = residual;
  }
  return false;
}

/* Beyond |c| = 1, a turn by a right angle, is another solution of the equations. */
static bool is_turn(const double c[3]) {
  return vida__lie_dot(c, c) < 1.0;
}

int vida__lie_solve_turn(VidaIntegration* self, vida_lie_body* body, const double a[3],
                         double share) {
  double c[3];
  bool is_found = false;
  if (body->turns > 0 && body->h == self->node.h) {
    extrapolate(body, c);
    is_found = improve(self, body, a, share, c) && is_turn(c);
  }
  if (!is_found) {
    body->turns = 0;
    guess_sphere(body, a, share, c);
    is_found = improve(self, body, a, share, c) && is_turn(c);
  }
  if (!is_found) {
    return VIDA_STEP_NOT_CONVERGED;
  }
  body->h = self->node.h;
  remember(body, c);
  return VIDA_SUCCESS;
}

/* Adds q * ((1, c)/sqrt(1 + c c) - 1) to q. */
void vida__lie_rotate(VidaIntegration* self, const vida_lie_body* body) {
  double q[4], change[4];
  const double square = vida__lie_dot(body->turn, body->turn);
  const double root = sqrt(1.0 + square);
  const double less = -square / (root * (1.0 + root)); /* 1/root - 1 */
  vida__lie_body_components(body, self->node.q, q);
  vida__lie_quaternion_rate(q, body->turn, change);
  for (int a = 0; a < 4; a++) {
    change[a] = less * q[a] + 2.0 * change[a] / root;
  }
  vida__lie_advance(self, body, change);
}
