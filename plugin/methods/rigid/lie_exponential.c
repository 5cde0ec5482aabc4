#include "methods/rigid/lie_exponential.h"

#include <float.h>
#include <math.h>

static const double largest_turn = 3.0; /* rad */

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* Of numbers that are not NaN. */
static inline double largest(const double x[3]) {
  return larger(larger(fabs(x[0]), fabs(x[1])), fabs(x[2]));
}

/* Computes kappa and its derivative with respect to the square of the angle: by the series of x cot
 * x, in which the Bernoulli numbers B_2k / (2k)! are, below 1 rad. */
static void find_kappa(double square, double* kappa, double* slope) {
  static const double term[] = {1.0 / 12.0,
                                1.0 / 720.0,
                                1.0 / 30240.0,
                                1.0 / 1209600.0,
                                1.0 / 47900160.0,
                                691.0 / 1307674368000.0,
                                1.0 / 74724249600.0,
                                3617.0 / 10670622842880000.0,
                                43867.0 / 5109094217170944000.0,
                                174611.0 / 802857662698291200000.0};
  enum { TERMS = sizeof term / sizeof term[0], FEW_TERMS = 6 };
  if (square < 1.0) { /* below 0.1 rad, the other terms are less than 1e-21 of the sum */
    *kappa = *slope = 0.0;
    for (int k = (square < 0.01 ? FEW_TERMS : TERMS) - 1; k >= 0; k--) {
      *slope = *slope * square + *kappa;
      *kappa = *kappa * square + term[k];
    }
    return;
  }
  const double half = 0.5 * sqrt(square);
  const double sine = sin(half);
  const double cotangent = cos(half) / sine;
  *kappa = (1.0 - half * cotangent) / square;
  *slope = ((half / (sine * sine) - cotangent) / (8.0 * half) - *kappa) / square;
}

/* The quantities of the equation at xi. */
typedef struct place {
  double momentum[3]; /* J xi */
  double twice[3];    /* xi x (xi x J xi) */
  double along;       /* xi . J xi */
  double square;      /* xi . xi */
  double kappa, slope;
} place;

static inline place look(const vida_lie_body* body, const double xi[3]) {
  place at;
  vida__lie_multiply(body->inertia, xi, at.momentum);
  at.along = vida__lie_dot(xi, at.momentum);
  at.square = vida__lie_dot(xi, xi);
  for (int i = 0; i < 3; i++) {
    at.twice[i] = xi[i] * at.along - at.square * at.momentum[i];
  }
  find_kappa(at.square, &at.kappa, &at.slope);
  return at;
}

static inline void find_residual(const place* at, const double xi[3], const double impulse[3],
                                 double r[3]) {
  double once[3];
  vida__lie_cross(xi, at->momentum, once);
  for (int i = 0; i < 3; i++) {
    r[i] = at->momentum[i] + 0.5 * once[i] + at->kappa * at->twice[i] - impulse[i];
  }
}

void vida__lie_find_impulse(const vida_lie_body* body, const double xi[3], double impulse[3]) {
  static const double none[3] = {0.0, 0.0, 0.0};
  const place at = look(body, xi);
  find_residual(&at, xi, none, impulse);
}

/* Computes the derivatives of the equation with respect to xi. */
static inline void find_slopes(const vida_lie_body* body, const place* at, const double xi[3],
                               double matrix[3][3]) {
  const double *y = at->momentum, *inertia = body->inertia;
  const double diagonal = at->kappa * at->along;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      matrix[i][k] = (1.0 - at->kappa * at->square) * inertia[3 * i + k] +
                     2.0 * at->kappa * (xi[i] * y[k] - y[i] * xi[k]) +
                     2.0 * at->slope * at->twice[i] * xi[k] + (i == k ? diagonal : 0.0);
    }
  }
  for (int k = 0; k < 3; k++) { /* of xi x J xi / 2 */
    const double column[3] = {inertia[k], inertia[3 + k], inertia[6 + k]};
    const double axis[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    double by_j[3], by_xi[3];
    vida__lie_cross(xi, column, by_j);
    vida__lie_cross(axis, y, by_xi);
    for (int i = 0; i < 3; i++) {
      matrix[i][k] += 0.5 * (by_j[i] + by_xi[i]);
    }
  }
}

/* Inverts the derivatives at xi; returns false if they are singular. */
static bool find_inverse(const vida_lie_body* body, const place* at, vida_lie_rotation* rotation) {
  double a[3][3], x[3], y[3], z[3];
  find_slopes(body, at, rotation->xi, a);
  vida__lie_cross(a[1], a[2], x);
  vida__lie_cross(a[2], a[0], y);
  vida__lie_cross(a[0], a[1], z);
  const double determinant = vida__lie_dot(a[0], x);
  if (!(fabs(determinant) > 1e-14 * fabs(body->moment[0] * body->moment[1] * body->moment[2]))) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    rotation->inverse[3 * i] = x[i] / determinant;
    rotation->inverse[3 * i + 1] = y[i] / determinant;
    rotation->inverse[3 * i + 2] = z[i] / determinant;
    rotation->place[i] = rotation->xi[i];
  }
  rotation->has_inverse = true;
  return true;
}

static inline double distance(const double x[3], const double y[3]) {
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return largest(d);
}

bool vida__lie_find_rotation(const vida_lie_body* body, const double impulse[3],
                             vida_lie_rotation* rotation) {
  enum { MOST_ITERATIONS = 30 };
  static const double slow = 0.1;
  const double heaviest = fabs(body->moment[0]) + fabs(body->moment[1]) + fabs(body->moment[2]);
  const double size = largest(impulse);
  double* xi = rotation->xi;
  double before = INFINITY;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double r[3], d[3];
    const place at = look(body, xi);
    find_residual(&at, xi, impulse, r);
    const double residual = largest(r);
    if (!(at.square < largest_turn * largest_turn) || !isfinite(r[0] + r[1] + r[2])) {
      return false;
    }
    if (residual <= DBL_EPSILON * size || (residual <= 1e-13 * size && residual >= before)) {
      return true;
    }
    if ((!rotation->has_inverse || residual > slow * before) &&
        !find_inverse(body, &at, rotation)) {
      return false;
    }
    vida__lie_multiply(rotation->inverse, r, d);
    const double far = distance(xi, rotation->place);
    const double moved = largest(d);
    for (int i = 0; i < 3; i++) {
      xi[i] -= d[i];
    }
    /* The second derivatives are of the size of J: the next residual is below rounding. */
    if (3.0 * heaviest * moved * (moved + far) <= 0.5 * DBL_EPSILON * size) {
      return true;
    }
    before = residual;
  }
  return false;
}

void vida__lie_find_change(const double q[4], const double xi[3], double change[4]) {
  const double square = vida__lie_dot(xi, xi);
  double c[3], less, share; /* cos - 1, sin(angle / 2) / angle */
  if (square < 1e-2) {
    const double x = 0.25 * square; /* of half the angle */
    less = -x *
           (1.0 / 2.0 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x * (1.0 / 40320.0 - x / 3628800.0))));
    share = 0.5 * (1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0 - x / 362880.0))));
  } else {
    const double angle = sqrt(square);
    const double sine = sin(0.5 * angle);
    less = -sine * sine / (1.0 + cos(0.5 * angle));
    share = sine / angle;
  }
  for (int i = 0; i < 3; i++) {
    c[i] = share * xi[i];
  }
  change[0] = less * q[0] - (q[1] * c[0] + q[2] * c[1] + q[3] * c[2]);
  change[1] = less * q[1] + (q[0] * c[0] + q[2] * c[2] - q[3] * c[1]);
  change[2] = less * q[2] + (q[0] * c[1] + q[3] * c[0] - q[1] * c[2]);
  change[3] = less * q[3] + (q[0] * c[2] + q[1] * c[1] - q[2] * c[0]);
}

/* The response is dexp times the inverse, dexp d = d - a xi x d + b xi x (xi x d), a = (1 - cos) /
 * angle^2, b = (angle - sin) / angle^3. */
bool vida__lie_find_response(const vida_lie_body* body, vida_lie_rotation* rotation,
                             double response[9]) {
  const double* xi = rotation->xi;
  if (!rotation->has_inverse) {
    const place at = look(body, xi);
    if (!find_inverse(body, &at, rotation)) {
      return false;
    }
  }
  const double square = vida__lie_dot(xi, xi);
  double a = 0.5 - square * (1.0 / 24.0 - square / 720.0);
  double b = 1.0 / 6.0 - square * (1.0 / 120.0 - square / 5040.0);
  if (square > 1e-2) {
    const double angle = sqrt(square);
    a = (1.0 - cos(angle)) / square;
    b = (angle - sin(angle)) / (square * angle);
  }
  for (int k = 0; k < 3; k++) {
    const double d[3] = {rotation->inverse[k], rotation->inverse[3 + k], rotation->inverse[6 + k]};
    double once[3], twice[3];
    vida__lie_cross(xi, d, once);
    vida__lie_cross(xi, once, twice);
    for (int i = 0; i < 3; i++) {
      response[3 * i + k] = d[i] - a * once[i] + b * twice[i];
    }
  }
  return true;
}
