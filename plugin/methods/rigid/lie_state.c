/* The state of rigid bodies that are unit quaternions: start, momenta, velocities.
 * What is carried of a body is its quaternion and its angular momentum in space. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/rigid/lie.h"

/* ---- the state ------------------------------------------------------------------------------- */

void vida__lie_rates(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                     double rates[3]) {
  double in_body[3];
  vida__lie_spin(self, body, q, in_body);
  vida__lie_multiply(body->factors, in_body, rates);
}

/* Computes p = 2 (0, pi) * q, which is tangent to the sphere. */
void vida__lie_set_momenta(VidaIntegration* self) {
  const vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    const vida_lie_body* body = &own->body[b];
    const int* c = body->coordinate;
    double q[4], spin[4];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_body_components(body, self->node.v, spin);
    const double *s = spin, *x = q + 1;
    self->node.p[c[0]] = -2.0 * vida__lie_dot(s, x);
    self->node.p[c[1]] = 2.0 * (q[0] * s[0] + s[1] * x[2] - s[2] * x[1]);
    self->node.p[c[2]] = 2.0 * (q[0] * s[1] + s[2] * x[0] - s[0] * x[2]);
    self->node.p[c[3]] = 2.0 * (q[0] * s[2] + s[0] * x[1] - s[1] * x[0]);
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
  body->turns = 0;
  return VIDA_SUCCESS;
}

int vida__lie_check_masses(const VidaIntegration* self, VidaError* error) {
  const vida_lie_state* own = self->state;
  for (int j = 0; j < own->others; j++) {
    if (vida__is_light_coordinate(self, own->other[j])) {
      return VIDA_REFUSE_SYSTEM(error,
                                "%s: '%s' of system '%s' has less than 1e-8 of the mass that "
                                "constraints couple it to, and its motion would be rounding",
                                self->method->info.name,
                                self->model.system->coordinates[own->other[j]].name,
                                self->model.system->name);
    }
  }
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

/* ---- records --------------------------------------------------------------------------------- */

void vida__lie_state_record(VidaIntegration* self, VidaRecord* record) {
  vida_lie_state* own = self->state;
  VidaRecord_Flag(record, &own->has_force);
  VidaRecord_Reals(record, own->force, (size_t)self->model.n);
  for (int b = 0; b < own->bodies; b++) {
    vida_lie_body* body = &own->body[b];
    VidaRecord_Reals(record, body->turn, 3);
    VidaRecord_Reals(record, body->difference[0], (size_t)VIDA_TURNS * VIDA_PADDED);
    VidaRecord_Reals(record, &body->h, 1);
    vida__record_integers(record, &body->turns, 1, 0, VIDA_TURNS);
  }
}
