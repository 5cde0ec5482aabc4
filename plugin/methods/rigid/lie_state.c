/* The state of rigid bodies that are unit quaternions: start, momenta, velocities.
 *
 * What is carried of a body is its quaternion and its angular momentum in space. Quaternions
 * advance by multiplication with unit quaternions; what rounding makes of their norm is taken back
 * along q itself, which no rotation sees. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/rigid/lie.h"

/* ---- small vectors --------------------------------------------------------------------------- */

void vida__lie_body_components(const vida_lie_body* body, const double* from, double x[4]) {
  for (int a = 0; a < 4; a++) {
    x[a] = from[body->coordinate[a]];
  }
}

void vida__lie_cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3;
    const int l = (i + 2) % 3;
    c[i] = a[k] * b[l] - a[l] * b[k];
  }
}

double vida__lie_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void vida__lie_turn_to_body(const double q[4], const double x[3], double y[3]) {
  const double axis[3] = {-q[1], -q[2], -q[3]};
  double once[3], twice[3];
  vida__lie_cross(axis, x, once);
  vida__lie_cross(axis, once, twice);
  for (int i = 0; i < 3; i++) {
    y[i] = x[i] + 2.0 * (q[0] * once[i] + twice[i]);
  }
}

void vida__lie_moment(const double q[4], const double f[4], double moment[3]) {
  moment[0] = 0.5 * (-q[1] * f[0] + q[0] * f[1] - q[3] * f[2] + q[2] * f[3]);
  moment[1] = 0.5 * (-q[2] * f[0] + q[3] * f[1] + q[0] * f[2] - q[1] * f[3]);
  moment[2] = 0.5 * (-q[3] * f[0] - q[2] * f[1] + q[1] * f[2] + q[0] * f[3]);
}

/* ---- the state ------------------------------------------------------------------------------- */

void vida__lie_spin(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                    double in_body[3]) {
  double spin[4];
  vida__lie_body_components(body, self->node.v, spin);
  vida__lie_turn_to_body(q, spin, in_body);
}

void vida__lie_rates(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                     double rates[3]) {
  double in_body[3];
  vida__lie_spin(self, body, q, in_body);
  vida__lie_multiply(body->factors, in_body, rates);
}

void vida__lie_advance(VidaIntegration* self, const vida_lie_body* body, const double change[4]) {
  double off = -1.0;
  double low = 0.0;
  for (int a = 0; a < 4; a++) {
    const int i = body->coordinate[a];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], change[a]);
    const double x = self->node.q[i];
    const double part = x * x;
    vida__add_compensated(&off, &low, part);
    low += fma(x, x, -part) + 2.0 * x * self->node.q_low[i];
  }
  const double back = -0.5 * (off + low);
  for (int a = 0; a < 4; a++) {
    const int i = body->coordinate[a];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], back * self->node.q[i]);
  }
}

/* Computes p = 2 (0, pi) * q, which is tangent to the sphere. */
void vida__lie_set_momenta(VidaIntegration* self) {
  const vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    const vida_lie_body* body = &own->body[b];
    double q[4], in_body[3], p[4];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_spin(self, body, q, in_body);
    vida__lie_quaternion_rate(q, in_body, p);
    for (int a = 0; a < 4; a++) {
      self->node.p[body->coordinate[a]] = 4.0 * p[a];
    }
  }
}

int vida__lie_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const vida_lie_state* own = self->state;
  (void)error;
  for (int b = 0; b < own->bodies; b++) {
    const vida_lie_body* body = &own->body[b];
    double q[4], rates[3], lift[4];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_rates(self, body, q, rates);
    vida__lie_quaternion_rate(q, rates, lift);
    for (int a = 0; a < 4; a++) {
      v[body->coordinate[a]] = lift[a];
    }
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    v[i] = self->node.p[i] / own->mass[i];
  }
  return VIDA_SUCCESS;
}

/* No equations on the pattern of the system are solved. */
int vida__lie_prepare(VidaIntegration* self, VidaError* error) {
  (void)self;
  (void)error;
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int start_body(VidaIntegration* self, vida_lie_body* body, VidaError* error) {
  double q[4], v[4], rates[3], in_body[3], back[4], spin[3];
  double square = 0.0;
  vida__lie_body_components(body, self->node.q, q);
  vida__lie_body_components(body, self->node.v, v);
  for (int a = 0; a < 4; a++) {
    square += q[a] * q[a];
  }
  if (!(fabs(square - 1.0) <= 1e-8)) {
    char norm[VIDA_REAL_TEXT_SIZE];
    return vida__fail(error, VIDA_INCONSISTENT_START,
                      "%s starts from unit quaternions, and that of '%s' has norm %s",
                      self->method->info.name,
                      self->model.system->coordinates[body->coordinate[0]].name,
                      vida__real_text(norm, sqrt(square), 10));
  }
  for (int a = 0; a < 4; a++) {
    q[a] /= sqrt(square);
    self->node.q[body->coordinate[a]] = q[a];
  }
  vida__lie_drop(q, v, rates);
  for (int i = 0; i < 3; i++) {
    rates[i] *= 4.0;
  }
  vida__lie_multiply(body->inertia, rates, in_body);
  for (int a = 0; a < 4; a++) {
    back[a] = a == 0 ? q[0] : -q[a];
  }
  vida__lie_turn_to_body(back, in_body, spin);
  for (int i = 0; i < 3; i++) {
    self->node.v[body->coordinate[i]] = spin[i];
  }
  memset(body->turn, 0, sizeof body->turn);
  return VIDA_SUCCESS;
}

int vida__lie_start(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = VIDA_SUCCESS;
  for (int b = 0; b < own->bodies && !code; b++) {
    code = start_body(self, &own->body[b], error);
  }
  if (code) {
    return code;
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    self->node.p[i] = own->mass[i] * self->node.v[i];
  }
  vida__lie_set_momenta(self);
  /* for the matrix of the multipliers, which is factored once before the first step */
  code =
      vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, self->implicit.entries0);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}
