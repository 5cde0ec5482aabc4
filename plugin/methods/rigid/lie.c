/* lgvi: the Lie group variational integrator of rigid bodies (Moser and Veselov 1991; Lee, Leok and
 * McClamroch 2007), without multipliers.
 *
 * The discrete Lagrangian takes R0^T (R1 - R0)/h for the rates, and potentials at both ends, half
 * each. A step is a kick of half the force at q0, a free flight, and a kick of half the force at
 * q1. In the flight the angular momentum in space stays, and each body turns by F = R0^T R1 with h
 * hat(Pi) = F Jd - Jd F^T,  Jd = tr(J)/2 - J,  Pi = R0^T pi. For the turn by the quaternion (1,
 * c)/sqrt(1 + c c), these are the three equations J c + c x J c = h/2 (1 + c c) Pi. Other
 * coordinates fly straight. */
#include "methods/rigid/lie.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* ---- forces ---------------------------------------------------------------------------------- */

static int find_force(VidaIntegration* self, double t) {
  vida_lie_state* own = self->state;
  /* At rest, where the kinetic energy has no part in L_q. */
  return vida__gradient(&self->model.evaluator, t, self->node.q, own->rest, own->force,
                        self->work.l_v);
}

/* Applies half of the force to all bodies and coordinates. */
static void kick(VidaIntegration* self) {
  vida_lie_state* own = self->state;
  const double half = 0.5 * self->node.h;
  for (int b = 0; b < own->bodies; b++) {
    vida_lie_body* body = &own->body[b];
    double q[4], f[4], moment[3];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_body_components(body, own->force, f);
    vida__lie_moment(q, f, moment);
    for (int i = 0; i < 3; i++) {
      const int c = body->coordinate[i];
      vida__add_compensated(&self->node.v[c], &self->node.p_low[c], half * moment[i]);
    }
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], half * own->force[i]);
  }
}

/* ---- flight ---------------------------------------------------------------------------------- */

/* Computes r = J c + c x J c - (1 + c c) a, and its derivatives. */
static double turn_residual(const double inertia[9], const double a[3], const double c[3],
                            double r[3], double matrix[9]) {
  double j_c[3], across[3];
  double size = 0.0;
  vida__lie_multiply(inertia, c, j_c);
  vida__lie_cross(c, j_c, across);
  const double more = 1.0 + vida__lie_dot(c, c);
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3;
    const int l = (i + 2) % 3;
    r[i] = j_c[i] + across[i] - more * a[i];
    size = fmax(size, fabs(j_c[i]) + fabs(across[i]) + more * fabs(a[i]));
    for (int j = 0; j < 3; j++) {
      matrix[3 * i + j] = inertia[3 * i + j] + c[k] * inertia[3 * l + j] -
                          c[l] * inertia[3 * k + j] - 2.0 * a[i] * c[j];
    }
    /* - hat(J c) */
    matrix[3 * i + k] += j_c[l];
    matrix[3 * i + l] -= j_c[k];
  }
  return size;
}

enum { MOST_ITERATIONS = 30 };

/* Computes the rotation of a step by Newton's method, to rounding. */
static int solve_turn(VidaIntegration* self, vida_lie_body* body, const double q[4]) {
  double a[3], rates[3], r[3], matrix[9], inverse[9], change[3], c[3];
  double previous = INFINITY;
  vida__lie_spin(self, body, q, a);
  vida__lie_multiply(body->factors, a, rates);
  const double square = self->node.h * self->node.h * vida__lie_dot(rates, rates);
  for (int i = 0; i < 3; i++) {
    a[i] *= 0.5 * self->node.h;
    /* A sphere rotates by asin(h |rates|). */
    c[i] = self->node.h * rates[i] / (1.0 + sqrt(fmax(0.0, 1.0 - square)));
  }
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    const double size = turn_residual(body->inertia, a, c, r, matrix);
    const double residual = fmax(fmax(fabs(r[0]), fabs(r[1])), fabs(r[2]));
    self->statistics.residual_evaluations++;
    if (!isfinite(residual)) {
      return VIDA_STEP_NOT_CONVERGED;
    }
    /* Makes another correction as long as it reduces the residual. */
    if (residual <= DBL_EPSILON * size || (residual <= 1e-13 * size && residual >= previous)) {
      memcpy(body->turn, c, sizeof c);
      return vida__lie_dot(c, c) < 1.0 ? VIDA_SUCCESS : VIDA_STEP_NOT_CONVERGED;
    }
    if (vida__lie_invert(matrix, inverse)) {
      return VIDA_STEP_NOT_CONVERGED;
    }
    vida__lie_multiply(inverse, r, change);
    for (int i = 0; i < 3; i++) {
      c[i] -= change[i];
    }
    self->statistics.newton_iterations++;
    self->statistics.jacobian_evaluations++;
    previous = residual;
  }
  return VIDA_STEP_NOT_CONVERGED;
}

static int fail_turn(const VidaIntegration* self, const vida_lie_body* body, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "%s: the body of '%s' turns too far in a step; the step is "
                    "too large: try less than h = %s",
                    vida__name_step(self, step),
                    self->model.system->coordinates[body->coordinate[0]].name,
                    vida__real_text(h, vida__requested_step_size(self), 6));
}

/* Adds q * ((1, c)/sqrt(1 + c c) - 1) to q. */
static void turn(VidaIntegration* self, const vida_lie_body* body) {
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

static int fly(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    double q[4];
    vida__lie_body_components(&own->body[b], self->node.q, q);
    if (solve_turn(self, &own->body[b], q)) {
      return fail_turn(self, &own->body[b], error);
    }
    turn(self, &own->body[b]);
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double w = (self->node.p[i] + self->node.p_low[i]) / own->mass[i];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->node.h * w);
  }
  return VIDA_SUCCESS;
}

/* ---- start and step -------------------------------------------------------------------------- */

static int create(VidaIntegration* self, VidaError* error) {
  self->implicit.prepare = vida__lie_prepare;
  return vida__lie_create(self, error);
}

static int start(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = vida__lie_start(self, error);
  if (code) {
    return code;
  }
  own->has_force = false;
  code = find_force(self, self->node.t0);
  own->has_force = !code;
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = own->has_force ? 0 : find_force(self, vida__node_time(self));
  own->has_force = false;
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  kick(self);
  code = fly(self, error);
  if (code) {
    return code;
  }
  code = find_force(self, vida__next_time(self));
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  own->has_force = true;
  kick(self);
  vida__lie_set_momenta(self);
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__lgvi = {
    .size = sizeof(VidaMethod),
    .info = {"lgvi", "Lie group variational integrator of rigid bodies (discrete Moser-Veselov)",
             "Moser and Veselov 1991; Lee, Leok and McClamroch 2007",
             "Rigid bodies in space as unit quaternions about their centre of mass or a fixed "
             "point, without joints; potentials and forces of positions and time. A body must turn "
             "by less than about 1 rad per step, and the step must be below 2 over the largest "
             "frequency of the potential. The unit norm needs no constraint force; its multiplier "
             "is that of the equations of motion.",
             2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_RIGID_BODIES},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers};
