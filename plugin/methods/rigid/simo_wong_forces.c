/* simo-wong: what a discrete derivative of the potential makes of the turn of a body.
 *
 * A potential of orientations is one of products of the quaternion's components, the entries of
 * Q Q^T: it has the same value at Q and -Q. Its discrete derivative by them, B with
 * B : (Q1 Q1^T - Q0 Q0^T) = V1 - V0, would be what rotations act on linearly, as on positions of
 * particles. It is found without knowing it: with M = (Q0 + Q1)/2 and d = Q1 - Q0, the derivative
 * by Q is 2 B M; and from Q0 to -Q1, where no product changes, it is -B d. So with the generators
 * A e = (0, e) * . / 2 of rotations in space the moment about e,
 *     m . e = -2 B : (A e) (Q0 Q0^T + Q1 Q1^T)/2 = -D V . (A e) M + D V(flipped) . (A e) d / 2,
 * vanishes in sum over everything, with the moments of forces at mean positions, wherever turning
 * about e leaves V as it is. In the frame of the start, f = -conj(Q0) * D V, g likewise of the
 * flipped end, and M = Q0 * (1, s) k/2, d = Q0 * (1, s) * (0, s) k. Its part along the axis does
 * the work of h (R0 w) . m = -D V . d = -(V1 - V0). Taken from there alone,
 *     m = k/4 (f + s x f - s (s . f) - (1 - s s) f_0 s - s x g - s x (s x g)),
 * so that the energy is exact with every D V. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/rigid/simo_wong.h"
#include "system/symmetry.h"

typedef vida_simo_state simo_state;

static const vida_lie_state* lie_of(const VidaIntegration* self) {
  return self->state;
}

static simo_state* simo_of(const VidaIntegration* self) {
  return lie_of(self)->more;
}

/* ---- the turn -------------------------------------------------------------------------------- */

static double factor_of(const double s[3]) {
  return 2.0 / (1.0 + vida__lie_dot(s, s));
}

/* tan(angle/2) = |c| and s = tan(angle/4): s = c/(1 + sqrt(1 + c c)) */
double vida__simo_turn(const VidaIntegration* self, const double* w, double s[3]) {
  const double half = 0.5 * self->node.h;
  const double share = half / (1.0 + sqrt(1.0 + half * half * vida__lie_dot(w, w)));
  for (int i = 0; i < 3; i++) {
    s[i] = share * w[i];
  }
  return factor_of(s);
}

/* q * (scalar, x) */
static void multiply(const double q[4], double scalar, const double x[3], double product[4]) {
  vida__lie_quaternion_rate(q, x, product);
  for (int a = 0; a < 4; a++) {
    product[a] = scalar * q[a] + 2.0 * product[a];
  }
}

/* Computes q1, the middle in self->work.place, and the flipped end from self->work.dq. */
static void find_ends(VidaIntegration* self) {
  const simo_state* own = simo_of(self);
  for (int i = 0; i < self->model.n; i++) {
    const bool is_turning = own->group[own->group_of[i]].width == 3;
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
    self->work.place[i] = self->node.q[i] + 0.5 * self->work.dq[i];
    own->flipped[i] = is_turning ? -self->work.q1[i] : self->work.q1[i];
    own->flipped_change[i] = is_turning ? -2.0 * self->work.place[i] : self->work.dq[i];
  }
}

static void find_changes(VidaIntegration* self, const double* u) {
  const simo_state* own = simo_of(self);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    double s[3], q[4], change[4];
    if (part->width == 1) {
      self->work.dq[part->coordinate[0]] = self->node.h * u[part->first];
      continue;
    }
    const double k = vida__simo_turn(self, u + part->first, s);
    const double turn[3] = {k * s[0], k * s[1], k * s[2]};
    vida__lie_body_components(&lie_of(self)->body[b], self->node.q, q);
    multiply(q, -k * vida__lie_dot(s, s), turn, change);
    for (int a = 0; a < 4; a++) {
      self->work.dq[part->coordinate[a]] = change[a];
    }
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

static vida_interval interval_to(VidaIntegration* self, bool flipped) {
  const simo_state* own = simo_of(self);
  vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, flipped ? own->flipped : self->work.q1,
                     flipped ? own->flipped_change : self->work.dq);
  between.q_low = self->node.q_low;
  return between;
}

/* Computes the forces for changes in self->work.dq, with or without generalized forces. */
static int find_forces(VidaIntegration* self, bool with_generalized) {
  const vida_lie_state* lie = lie_of(self);
  simo_state* own = simo_of(self);
  find_ends(self);
  const vida_interval between = interval_to(self, false);
  const vida_interval flipped = interval_to(self, true);
  int code = vida__discrete_gradient(self->model.system, &between, lie->force);
  code = code ? code : vida__discrete_gradient(self->model.system, &flipped, own->flipped_force);
  memset(self->work.l_q, 0, (size_t)self->model.n * sizeof *self->work.l_q);
  if (!code && with_generalized) {
    code = vida__gradient_of(&self->model.evaluator, VIDA_PART_FORCE,
                             vida__node_time(self) + 0.5 * self->node.h, self->work.place,
                             lie->rest, self->work.l_q, self->work.l_v);
  }
  for (int i = 0; i < self->model.n; i++) {
    lie->force[i] = self->work.l_q[i] - lie->force[i];
    own->flipped_force[i] = -own->flipped_force[i];
  }
  return code;
}

int vida__simo_forces(VidaIntegration* self, const double* u) {
  find_changes(self, u);
  return find_forces(self, self->model.system->has_forces);
}

int vida__simo_force_slopes(VidaIntegration* self, const double* u) {
  const vida_hessian_weights half = {0.5, 0.0, 0.0, 0.0};
  const size_t entries = (size_t)self->model.system->pattern.entries;
  simo_state* own = simo_of(self);
  int code = VIDA_SUCCESS;
  find_changes(self, u);
  find_ends(self);
  for (int kind = 0; kind < 2 && !code; kind++) {
    const vida_interval between = interval_to(self, kind == 1);
    memset(own->slopes[kind], 0, entries * sizeof(double));
    code = vida__add_discrete_hessian(self->model.system, &between, -1.0, own->slopes[kind]);
  }
  if (code || !self->model.system->has_forces) {
    return code;
  }
  return vida__add_hessian_of(&self->model.evaluator, VIDA_PART_FORCE,
                              vida__node_time(self) + 0.5 * self->node.h, self->work.place,
                              lie_of(self)->rest, half, own->slopes[0]);
}

/* ---- moments --------------------------------------------------------------------------------- */

/* Computes the vector part of conj(Q0) * force; returns the scalar part. */
static double force_in_body(const VidaIntegration* self, int b, const double* force, double f[3]) {
  double q[4], on_body[4];
  vida__lie_body_components(&lie_of(self)->body[b], self->node.q, q);
  vida__lie_body_components(&lie_of(self)->body[b], force, on_body);
  vida__lie_drop(q, on_body, f);
  for (int i = 0; i < 3; i++) {
    f[i] *= 2.0;
  }
  return q[0] * on_body[0] + q[1] * on_body[1] + q[2] * on_body[2] + q[3] * on_body[3];
}

void vida__simo_moment(const VidaIntegration* self, int b, const double s[3], double moment[3]) {
  double f[3], g[3], s_f[3], s_g[3], s_s_g[3];
  const double scalar = force_in_body(self, b, lie_of(self)->force, f);
  force_in_body(self, b, simo_of(self)->flipped_force, g);
  vida__lie_cross(s, f, s_f);
  vida__lie_cross(s, g, s_g);
  vida__lie_cross(s, s_g, s_s_g);
  const double along = vida__lie_dot(s, f) + (1.0 - vida__lie_dot(s, s)) * scalar;
  for (int i = 0; i < 3; i++) {
    moment[i] = 0.25 * factor_of(s) * (f[i] + s_f[i] - along * s[i] - s_g[i] - s_s_g[i]);
  }
}

void vida__simo_moment_slope(const VidaIntegration* self, int b, const double s[3], int j,
                             double slope[3]) {
  double f[3], g[3], e_f[3], e_g[3], s_g[3], e_s_g[3], s_e_g[3], moment[3];
  double e[3] = {0.0, 0.0, 0.0};
  const double k = factor_of(s);
  const double scalar = force_in_body(self, b, lie_of(self)->force, f);
  force_in_body(self, b, simo_of(self)->flipped_force, g);
  e[j] = 1.0;
  vida__lie_cross(e, f, e_f);
  vida__lie_cross(e, g, e_g);
  vida__lie_cross(s, g, s_g);
  vida__lie_cross(e, s_g, e_s_g);
  vida__lie_cross(s, e_g, s_e_g);
  vida__simo_moment(self, b, s, moment);
  const double along = vida__lie_dot(s, f) + (1.0 - vida__lie_dot(s, s)) * scalar;
  const double change = f[j] - 2.0 * s[j] * scalar;
  for (int i = 0; i < 3; i++) {
    slope[i] = 0.25 * k * (e_f[i] - along * e[i] - change * s[i] - e_g[i] - e_s_g[i] - s_e_g[i]) -
               k * s[j] * moment[i];
  }
}

void vida__simo_chain(const VidaIntegration* self, int b, const double s[3], vida_simo_group* part,
                      double change[4][3]) {
  const double k = factor_of(s);
  double q[4];
  vida__lie_body_components(&lie_of(self)->body[b], self->node.q, q);
  for (int j = 0; j < 3; j++) {
    double e[3] = {0.0, 0.0, 0.0};
    double e_s[3], e_s_s[3], x[3], y[3], z[3], product[3][4];
    e[j] = 1.0;
    vida__lie_cross(e, s, e_s);
    vida__lie_cross(e_s, s, e_s_s);
    for (int i = 0; i < 3; i++) {
      x[i] = e[i] + e_s[i] - s[j] * s[i];
      y[i] = e_s[i] + e_s_s[i];
      z[i] = k * e[i] - k * k * s[j] * s[i];
    }
    multiply(q, -(1.0 - vida__lie_dot(s, s)) * s[j], x, product[0]);
    multiply(q, 0.0, y, product[1]);
    multiply(q, -k * k * s[j], z, product[2]);
    for (int a = 0; a < 4; a++) {
      part->left[0][j][a] = 0.25 * k * product[0][a];
      part->left[1][j][a] = -0.25 * k * product[1][a];
      change[a][j] = product[2][a];
    }
  }
}

/* ---- potentials that it takes ---------------------------------------------------------------- */

/* Bounds for rounding in terms that vanish. */
static const double vanishing = 1e-9;

static int refuse(const VidaIntegration* self, const char* name, const char* reason,
                  VidaError* error) {
  return VIDA_REFUSE_SYSTEM(
      error,
      "simo-wong keeps energy and momentum by discrete derivatives of potentials: "
      "'%s' of system '%s' %s",
      name, self->model.system->name, reason);
}

bool vida__simo_is_free(const VidaIntegration* self) {
  const vida_lie_state* lie = lie_of(self);
  bool is_free = lie->is_free;
  for (int b = 0; b < lie->bodies; b++) {
    for (int a = 0; a < 4; a++) {
      const int i = lie->body[b].coordinate[a];
      is_free = is_free && self->model.system->uniform_force[i] == 0.0;
    }
  }
  return is_free;
}

static int check_terms(const VidaIntegration* self, VidaError* error) {
  const char* name = "";
  if (!vida__has_discrete_potentials(self->model.system, &name)) {
    return refuse(self, name, "has none", error);
  }
  if (lie_of(self)->hidden_potential) {
    return refuse(self, lie_of(self)->hidden_potential,
                  "has a potential inside a general Lagrangian, or one that depends on time: it "
                  "must be a term of its own, of positions only",
                  error);
  }
  return VIDA_SUCCESS;
}

/* Returns a pseudo-random number between -1 and 1; the sequence is the same on every machine. */
static double arbitrary(int i) {
  return sin(2.0 + 4.1414 * i);
}

/* Makes an arbitrary step from the start that rotates bodies by an angle of about 1. */
static void choose_step(VidaIntegration* self) {
  const simo_state* own = simo_of(self);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    if (part->width == 1) {
      const double q = self->node.q[part->coordinate[0]];
      self->work.dq[part->coordinate[0]] = 0.01 * (q != 0.0 ? q : 1.0) * arbitrary(part->first);
      continue;
    }
    const double x[3] = {arbitrary(3 * b), arbitrary(3 * b + 1), arbitrary(3 * b + 2)};
    double q[4], change[4];
    const double share = 0.5 / sqrt(vida__lie_dot(x, x));
    const double turn[3] = {share * x[0], share * x[1], share * x[2]};
    vida__lie_body_components(&lie_of(self)->body[b], self->node.q, q);
    multiply(q, sqrt(0.75) - 1.0, turn, change);
    for (int a = 0; a < 4; a++) {
      self->work.dq[part->coordinate[a]] = change[a];
    }
  }
}

/* Checks that a potential depends on products of components only: the flipped derivative f of a
 * body then has f . M = -D V . d / 2. */
static int check_products(VidaIntegration* self, VidaError* error) {
  const vida_lie_state* lie = lie_of(self);
  for (int b = 0; b < lie->bodies; b++) {
    double left = 0.0, size = 0.0;
    for (int a = 0; a < 4; a++) {
      const int i = lie->body[b].coordinate[a];
      const double x = self->work.place[i] * simo_of(self)->flipped_force[i];
      const double y = 0.5 * self->work.dq[i] * lie->force[i];
      left += x + y;
      size += fabs(x) + fabs(y);
    }
    if (!(fabs(left) <= vanishing * size)) {
      return refuse(self, self->model.system->coordinates[lie->body[b].coordinate[0]].name,
                    "has a potential that does not depend on the quaternion through products of "
                    "two components, as a function of its rotation would",
                    error);
    }
  }
  return VIDA_SUCCESS;
}

/* Computes the forces on quaternions that have the moments of a step, 2 (0, m) * M / |M|^2, into
 * l_q. */
static void find_covector(VidaIntegration* self, int b, double* covector) {
  const vida_lie_body* body = &lie_of(self)->body[b];
  double q[4], middle[4], product[4], turn[4], moment[3], s[3];
  double square = 0.0;
  vida__lie_body_components(body, self->node.q, q);
  vida__lie_body_components(body, self->work.place, middle);
  for (int a = 0; a < 4; a++) {
    turn[a] = a == 0 ? q[0] : -q[a];
    square += middle[a] * middle[a];
  }
  /* M = q (1, s) k/2: s is its vector part in the body over its scalar part */
  multiply(turn, middle[0], middle + 1, product);
  for (int i = 0; i < 3; i++) {
    s[i] = product[1 + i] / product[0];
  }
  vida__simo_moment(self, b, s, moment);
  /* (0, R m) * M = q * (0, m) * conj(q) * M */
  multiply(product, 0.0, moment, turn);
  const double reversed[3] = {-moment[0], -moment[1], -moment[2]};
  const double scalar = -vida__lie_dot(moment, product + 1);
  double vector[3];
  vida__lie_cross(product + 1, reversed, vector); /* m x v */
  for (int i = 0; i < 3; i++) {
    vector[i] += product[0] * moment[i];
  }
  multiply(q, scalar, vector, turn);
  for (int a = 0; a < 4; a++) {
    covector[body->coordinate[a]] = 2.0 * turn[a] / square;
  }
}

/* Checks that the forces and moments of the step do not change the momenta that the system
 * conserves. */
static int check_momenta(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  double value[VIDA_LARGEST_MOMENTUM_COUNT] = {0.0};
  double size[VIDA_LARGEST_MOMENTUM_COUNT] = {0.0};
  double* covector = self->work.l_v;
  memcpy(covector, lie_of(self)->force, (size_t)self->model.n * sizeof *covector);
  for (int b = 0; b < lie_of(self)->bodies; b++) {
    find_covector(self, b, covector);
  }
  vida__apply_generators(system, self->work.place, covector, false, value, size);
  for (int m = 0; m < system->momentum_count; m++) {
    double change = 0.0, largest = 0.0;
    for (int k = 0; k < VIDA_LARGEST_MOMENTUM_COUNT; k++) {
      change += system->momenta[m].weight[k] * value[k];
      largest += fabs(system->momenta[m].weight[k]) * size[k];
    }
    if (!(fabs(change) <= vanishing * largest)) {
      return refuse(self, system->momenta[m].name,
                    "would not be constant: a potential is not a function of distances and of "
                    "products of vectors that are each rotated by one quaternion",
                    error);
    }
  }
  return VIDA_SUCCESS;
}

int vida__simo_check(VidaIntegration* self, VidaError* error) {
  int code = check_terms(self, error);
  if (code) {
    return code;
  }
  const VidaStartOptions about = {.adjust = true, .tolerance = 1.0};
  code = VidaSystem_Start(self->model.system, 0.0, &about, self->node.q, self->node.v, NULL, error);
  if (code) {
    return code;
  }
  choose_step(self);
  code = find_forces(self, false);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = check_products(self, error);
  return code ? code : check_momenta(self, error);
}
