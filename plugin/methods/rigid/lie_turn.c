/* The turn of a body in a step, of which the discrete Euler equations of both methods are
 * polynomials in c = tan(angle / 2) times the axis: J c + c x J c = (1 + share c c) a. They are
 * solved in the principal axes, where J is diagonal.
 *
 * Quaternions advance by multiplication with unit quaternions; what rounding makes of their norm is
 * taken back along q itself, which no rotation sees. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/rigid/lie.h"

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

static inline double largest(const double x[3]) {
  return larger(larger(fabs(x[0]), fabs(x[1])), fabs(x[2]));
}

/* ---- guess ----------------------------------------------------------------------------------- */

/* The turn of a sphere, whose equation has a closed solution. */
static void guess_sphere(const vida_lie_body* body, const double a[3], double share, double c[3]) {
  const double b[3] = {a[0] / body->moment[0], a[1] / body->moment[1], a[2] / body->moment[2]};
  const double square = 1.0 - 4.0 * share * vida__lie_dot(b, b);
  const double factor = 2.0 / (1.0 + sqrt(larger(square, 0.0)));
  for (int i = 0; i < 3; i++) {
    c[i] = factor * b[i];
  }
}

/* Extrapolates the last turns by the polynomial through them. */
static inline void extrapolate(const vida_lie_body* body, double c[3]) {
  double sum[VIDA_PADDED] = {0.0};
  for (int k = 0; k < body->turns; k++) {
    for (int i = 0; i < VIDA_PADDED; i++) {
      sum[i] += body->difference[k][i];
    }
  }
  memcpy(c, sum, 3 * sizeof *c);
}

static inline void remember(vida_lie_body* body, const double c[3]) {
  double next[VIDA_PADDED] = {c[0], c[1], c[2], 0.0};
  body->turns += body->turns < VIDA_TURNS ? 1 : 0;
  for (int k = 0; k < body->turns; k++) {
    for (int i = 0; i < VIDA_PADDED; i++) {
      const double last = body->difference[k][i];
      body->difference[k][i] = next[i];
      next[i] -= last;
    }
  }
}

void vida__lie_forget_turns(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    own->body[b].turns = 0;
  }
  own->has_force = false; /* it is that of the end of the step */
}

void vida__lie_keep_turns(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  own->kept = self->statistics;
  for (int b = 0; b < own->bodies; b++) {
    vida_lie_body* body = &own->body[b];
    memcpy(body->kept_difference, body->difference, sizeof body->difference);
    body->kept_turns = body->turns;
    body->kept_h = body->h;
  }
}

void vida__lie_take_back_turns(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  self->statistics = own->kept;
  own->has_force = false;
  for (int b = 0; b < own->bodies; b++) {
    vida_lie_body* body = &own->body[b];
    memcpy(body->difference, body->kept_difference, sizeof body->difference);
    body->turns = body->kept_turns;
    body->h = body->kept_h;
  }
}

/* ---- solution -------------------------------------------------------------------------------- */

/* The equations of a body: J, J_3 - J_2 and so on, a, 2 share a, and the size of a. */
typedef struct equations {
  double j[3], d[3], a[3], bent[3];
  double share, size;
} equations;

static inline equations find_equations(const vida_lie_body* body, const double a[3], double share) {
  const double* j = body->moment;
  const double twice = 2.0 * share;
  return (equations){.j = {j[0], j[1], j[2]},
                     .d = {j[2] - j[1], j[0] - j[2], j[1] - j[0]},
                     .a = {a[0], a[1], a[2]},
                     .bent = {twice * a[0], twice * a[1], twice * a[2]},
                     .share = share,
                     .size = largest(a)};
}

/* Computes the correction d of Newton's method, by J + hat(c) J - hat(J c) - 2 share a c^T. */
static inline bool find_correction(const equations* of, const double c[3], const double r[3],
                                   double d[3]) {
  const double *j = of->j, *s = of->d, *b = of->bent;
  const double matrix[3][3] = {
      {j[0] - b[0] * c[0], s[0] * c[2] - b[0] * c[1], s[0] * c[1] - b[0] * c[2]},
      {s[1] * c[2] - b[1] * c[0], j[1] - b[1] * c[1], s[1] * c[0] - b[1] * c[2]},
      {s[2] * c[1] - b[2] * c[0], s[2] * c[0] - b[2] * c[1], j[2] - b[2] * c[2]}};
  return vida__lie_solve(matrix, r, 1e-14 * fabs(j[0] * j[1] * j[2]), d);
}

/* Improves c to rounding; returns false if it does not converge. Beyond |c| = 1, a turn by a right
 * angle, is another solution of the equations. */
static inline bool improve(VidaIntegration* self, const equations* of, double c[3]) {
  enum { MOST_ITERATIONS = 30 };
  const double *j = of->j, *s = of->d, *a = of->a;
  const double bend = fabs(j[0]) + fabs(j[1]) + fabs(j[2]) + of->share * of->size;
  double previous = INFINITY;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    const double more = 1.0 + of->share * vida__lie_dot(c, c);
    const double r[3] = {j[0] * c[0] + s[0] * (c[1] * c[2]) - more * a[0],
                         j[1] * c[1] + s[1] * (c[2] * c[0]) - more * a[1],
                         j[2] * c[2] + s[2] * (c[0] * c[1]) - more * a[2]};
    const double size = 2.0 * more * of->size; /* of the terms of r, at a solution */
    const double residual = largest(r);
    double d[3];
    self->statistics.residual_evaluations++;
    if (!isfinite(residual)) {
      return false;
    }
    /* Makes another correction as long as it reduces the residual. */
    if (residual <= DBL_EPSILON * size || (residual <= 1e-13 * size && residual >= previous)) {
      break;
    }
    if (!find_correction(of, c, r, d)) {
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
      break;
    }
    if (k == MOST_ITERATIONS - 1) {
      return false;
    }
    previous = residual;
  }
  return vida__lie_dot(c, c) < 1.0;
}

int vida__lie_find_turn(VidaIntegration* self, vida_lie_body* body, double share) {
  const double half = 0.5 * self->node.h;
  double q[4], a[3], c[3];
  vida__lie_body_components(body, self->node.q, q);
  vida__lie_spin(self, body, q, a);
  if (!body->is_principal) {
    const double in_body[3] = {a[0], a[1], a[2]};
    vida__lie_turn_to_axes(body, in_body, a);
  }
  a[0] *= half;
  a[1] *= half;
  a[2] *= half;
  const equations of = find_equations(body, a, share);
  bool continues = body->turns > 0 && body->h == self->node.h;
  while (true) {
    if (continues) {
      extrapolate(body, c);
    } else {
      body->turns = 0;
      body->h = self->node.h;
      guess_sphere(body, a, share, c);
    }
    if (improve(self, &of, c)) {
      break;
    }
    if (!continues) {
      return VIDA_STEP_NOT_CONVERGED;
    }
    continues = false; /* another guess */
  }
  remember(body, c);
  if (body->is_principal) {
    memcpy(body->turn, c, sizeof c);
  } else {
    vida__lie_multiply(body->axes, c, body->turn);
  }
  return VIDA_SUCCESS;
}

/* ---- rotation -------------------------------------------------------------------------------- */

/* The norm off 1 is found from squares without rounding: their errors, those of the sums, and what
 * the low parts of q contribute. */
static inline void advance(VidaIntegration* self, const vida_lie_body* body, const double q[4],
                           const double change[4]) {
  double low[4], x[4], rest[4], square[4], error[4], pair[2], left[2], last;
  vida__lie_body_components(body, self->node.q_low, low);
  for (int a = 0; a < 4; a++) {
    x[a] = vida__add_exactly(q[a], change[a], &rest[a]);
    rest[a] += low[a];
    square[a] = vida__square_exactly(x[a], &error[a]);
    error[a] += 2.0 * x[a] * rest[a];
  }
  for (int a = 0; a < 2; a++) {
    pair[a] = vida__add_exactly(square[a], square[2 + a], &left[a]);
    left[a] += error[a] + error[2 + a];
  }
  const double sum = vida__add_exactly(pair[0], pair[1], &last);
  const double back = -0.5 * ((sum - 1.0) + (last + (left[0] + left[1])));
  for (int a = 0; a < 4; a++) {
    x[a] = vida__add_exactly(x[a], rest[a] + back * x[a], &low[a]);
  }
  for (int a = 0; a < 4; a++) {
    self->node.q[body->coordinate[a]] = x[a];
    self->node.q_low[body->coordinate[a]] = low[a];
  }
}

void vida__lie_advance(VidaIntegration* self, const vida_lie_body* body, const double change[4]) {
  double q[4];
  vida__lie_body_components(body, self->node.q, q);
  advance(self, body, q, change);
}

/* Adds q * ((1, c)/sqrt(1 + c c) - 1) to q. */
void vida__lie_rotate(VidaIntegration* self, const vida_lie_body* body) {
  double q[4], change[4];
  const double* c = body->turn;
  const double square = vida__lie_dot(c, c);
  const double root = sqrt(1.0 + square);
  const double share = 1.0 / root;
  const double less = -square * share / (1.0 + root); /* share - 1 */
  vida__lie_body_components(body, self->node.q, q);
  change[0] = less * q[0] - share * (q[1] * c[0] + q[2] * c[1] + q[3] * c[2]);
  change[1] = less * q[1] + share * (q[0] * c[0] + q[2] * c[2] - q[3] * c[1]);
  change[2] = less * q[2] + share * (q[0] * c[1] + q[3] * c[0] - q[1] * c[2]);
  change[3] = less * q[3] + share * (q[0] * c[2] + q[1] * c[1] - q[2] * c[0]);
  advance(self, body, q, change);
}
