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

static const vida_lie_state* lie_of(const VidaStepper* stepper) {
  return stepper->own;
}

static simo_state* simo_of(const VidaStepper* stepper) {
  return lie_of(stepper)->more;
}

/* ---- the turn -------------------------------------------------------------------------------- */

static double factor_of(const double s[3]) {
  return 2.0 / (1.0 + vida__lie_dot(s, s));
}

/* tan(angle/2) = |c| and s = tan(angle/4): s = c/(1 + sqrt(1 + c c)) */
double vida__simo_turn(const VidaStepper* stepper, const double* w, double s[3]) {
  const double half = 0.5 * stepper->h;
  const double share = half / (1.0 + sqrt(1.0 + half * half * vida__lie_dot(w, w)));
  for (int i = 0; i < 3; i++) {
    s[i] = share * w[i];
  }
  return factor_of(s);
}

/* q * (scalar, x) */
static void multiply(const double q[4], double scalar, const double x[3], double product[4]) {
  vida__lie_lift(q, x, product);
  for (int a = 0; a < 4; a++) {
    product[a] = scalar * q[a] + 2.0 * product[a];
  }
}

/* From stepper->dq: q1, the middle in stepper->place, and the flipped end. */
static void find_ends(VidaStepper* stepper) {
  const simo_state* own = simo_of(stepper);
  for (int i = 0; i < stepper->n; i++) {
    const bool is_turning = own->group[own->group_of[i]].width == 3;
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
    stepper->place[i] = stepper->q[i] + 0.5 * stepper->dq[i];
    own->flipped[i] = is_turning ? -stepper->q1[i] : stepper->q1[i];
    own->flipped_change[i] = is_turning ? -2.0 * stepper->place[i] : stepper->dq[i];
  }
}

static void find_changes(VidaStepper* stepper, const double* u) {
  const simo_state* own = simo_of(stepper);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    double s[3], q[4], change[4];
    if (part->width == 1) {
      stepper->dq[part->coordinate[0]] = stepper->h * u[part->first];
      continue;
    }
    const double k = vida__simo_turn(stepper, u + part->first, s);
    const double turn[3] = {k * s[0], k * s[1], k * s[2]};
    vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
    multiply(q, -k * vida__lie_dot(s, s), turn, change);
    for (int a = 0; a < 4; a++) {
      stepper->dq[part->coordinate[a]] = change[a];
    }
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

static vida_interval interval_to(VidaStepper* stepper, bool flipped) {
  const simo_state* own = simo_of(stepper);
  vida_interval between =
      vida__interval(&stepper->evaluator, stepper->q, flipped ? own->flipped : stepper->q1,
                     flipped ? own->flipped_change : stepper->dq);
  between.q_low = stepper->q_low;
  return between;
}

/* The same for changes that are in stepper->dq, with generalized forces or without. */
static int find_forces(VidaStepper* stepper, bool with_generalized) {
  const vida_lie_state* lie = lie_of(stepper);
  simo_state* own = simo_of(stepper);
  find_ends(stepper);
  const vida_interval between = interval_to(stepper, false);
  const vida_interval flipped = interval_to(stepper, true);
  int code = vida__discrete_gradient(stepper->system, &between, lie->force);
  code = code ? code : vida__discrete_gradient(stepper->system, &flipped, own->flipped_force);
  memset(stepper->l_q, 0, (size_t)stepper->n * sizeof *stepper->l_q);
  if (!code && with_generalized) {
    code = vida__gradient_of(&stepper->evaluator, VIDA_PART_FORCE,
                             vida__node_time(stepper) + 0.5 * stepper->h, stepper->place, lie->rest,
                             stepper->l_q, stepper->l_v);
  }
  for (int i = 0; i < stepper->n; i++) {
    lie->force[i] = stepper->l_q[i] - lie->force[i];
    own->flipped_force[i] = -own->flipped_force[i];
  }
  return code;
}

int vida__simo_forces(VidaStepper* stepper, const double* u) {
  find_changes(stepper, u);
  return find_forces(stepper, stepper->system->has_forces);
}

int vida__simo_force_slopes(VidaStepper* stepper, const double* u) {
  const vida_hessian_weights half = {0.5, 0.0, 0.0, 0.0};
  const size_t entries = (size_t)stepper->system->pattern.entries;
  simo_state* own = simo_of(stepper);
  int code = VIDA_SUCCESS;
  find_changes(stepper, u);
  find_ends(stepper);
  for (int kind = 0; kind < 2 && !code; kind++) {
    const vida_interval between = interval_to(stepper, kind == 1);
    memset(own->slopes[kind], 0, entries * sizeof(double));
    code = vida__add_discrete_hessian(stepper->system, &between, -1.0, own->slopes[kind]);
  }
  if (code || !stepper->system->has_forces) {
    return code;
  }
  return vida__add_hessian_of(&stepper->evaluator, VIDA_PART_FORCE,
                              vida__node_time(stepper) + 0.5 * stepper->h, stepper->place,
                              lie_of(stepper)->rest, half, own->slopes[0]);
}

/* ---- moments --------------------------------------------------------------------------------- */

/* The vector part of conj(Q0) * force; returns the scalar part. */
static double force_in_body(const VidaStepper* stepper, int b, const double* force, double f[3]) {
  double q[4], on_body[4];
  vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
  vida__lie_gather(&lie_of(stepper)->body[b], force, on_body);
  vida__lie_drop(q, on_body, f);
  for (int i = 0; i < 3; i++) {
    f[i] *= 2.0;
  }
  return q[0] * on_body[0] + q[1] * on_body[1] + q[2] * on_body[2] + q[3] * on_body[3];
}

void vida__simo_moment(const VidaStepper* stepper, int b, const double s[3], double moment[3]) {
  double f[3], g[3], s_f[3], s_g[3], s_s_g[3];
  const double scalar = force_in_body(stepper, b, lie_of(stepper)->force, f);
  force_in_body(stepper, b, simo_of(stepper)->flipped_force, g);
  vida__lie_cross(s, f, s_f);
  vida__lie_cross(s, g, s_g);
  vida__lie_cross(s, s_g, s_s_g);
  const double along = vida__lie_dot(s, f) + (1.0 - vida__lie_dot(s, s)) * scalar;
  for (int i = 0; i < 3; i++) {
    moment[i] = 0.25 * factor_of(s) * (f[i] + s_f[i] - along * s[i] - s_g[i] - s_s_g[i]);
  }
}

void vida__simo_moment_slope(const VidaStepper* stepper, int b, const double s[3], int j,
                             double slope[3]) {
  double f[3], g[3], e_f[3], e_g[3], s_g[3], e_s_g[3], s_e_g[3], moment[3];
  double e[3] = {0.0, 0.0, 0.0};
  const double k = factor_of(s);
  const double scalar = force_in_body(stepper, b, lie_of(stepper)->force, f);
  force_in_body(stepper, b, simo_of(stepper)->flipped_force, g);
  e[j] = 1.0;
  vida__lie_cross(e, f, e_f);
  vida__lie_cross(e, g, e_g);
  vida__lie_cross(s, g, s_g);
  vida__lie_cross(e, s_g, e_s_g);
  vida__lie_cross(s, e_g, s_e_g);
  vida__simo_moment(stepper, b, s, moment);
  const double along = vida__lie_dot(s, f) + (1.0 - vida__lie_dot(s, s)) * scalar;
  const double change = f[j] - 2.0 * s[j] * scalar;
  for (int i = 0; i < 3; i++) {
    slope[i] = 0.25 * k * (e_f[i] - along * e[i] - change * s[i] - e_g[i] - e_s_g[i] - s_e_g[i]) -
               k * s[j] * moment[i];
  }
}

void vida__simo_chain(const VidaStepper* stepper, int b, const double s[3], vida_simo_group* part,
                      double change[4][3]) {
  const double k = factor_of(s);
  double q[4];
  vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
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

/* What rounding may leave of terms that vanish. */
static const double vanishing = 1e-9;

static int refuse(const VidaStepper* stepper, const char* name, const char* reason,
                  VidaError* error) {
  return VIDA_REFUSE_SYSTEM(
      error,
      "simo-wong keeps energy and momentum by discrete derivatives of potentials: "
      "'%s' of system '%s' %s",
      name, stepper->system->name, reason);
}

static int check_terms(const VidaStepper* stepper, VidaError* error) {
  const char* name = "";
  if (!vida__has_discrete_potentials(stepper->system, &name)) {
    return refuse(stepper, name, "has none", error);
  }
  if (lie_of(stepper)->hidden_potential) {
    return refuse(stepper, lie_of(stepper)->hidden_potential,
                  "has a potential inside a general Lagrangian, or one that depends on time: it "
                  "must be a term of its own, of positions only",
                  error);
  }
  return VIDA_SUCCESS;
}

/* The same numbers, between -1 and 1, on every machine. */
static double arbitrary(int i) {
  return sin(2.0 + 4.1414 * i);
}

/* An arbitrary step from the start that turns bodies by an angle of about 1. */
static void choose_step(VidaStepper* stepper) {
  const simo_state* own = simo_of(stepper);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    if (part->width == 1) {
      const double q = stepper->q[part->coordinate[0]];
      stepper->dq[part->coordinate[0]] = 0.01 * (q != 0.0 ? q : 1.0) * arbitrary(part->first);
      continue;
    }
    const double x[3] = {arbitrary(3 * b), arbitrary(3 * b + 1), arbitrary(3 * b + 2)};
    double q[4], change[4];
    const double share = 0.5 / sqrt(vida__lie_dot(x, x));
    const double turn[3] = {share * x[0], share * x[1], share * x[2]};
    vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
    multiply(q, sqrt(0.75) - 1.0, turn, change);
    for (int a = 0; a < 4; a++) {
      stepper->dq[part->coordinate[a]] = change[a];
    }
  }
}

/* By products of components alone: the flipped derivative f of a body has f . M = -D V . d / 2. */
static int check_products(VidaStepper* stepper, VidaError* error) {
  const vida_lie_state* lie = lie_of(stepper);
  for (int b = 0; b < lie->bodies; b++) {
    double left = 0.0, size = 0.0;
    for (int a = 0; a < 4; a++) {
      const int i = lie->body[b].coordinate[a];
      const double x = stepper->place[i] * simo_of(stepper)->flipped_force[i];
      const double y = 0.5 * stepper->dq[i] * lie->force[i];
      left += x + y;
      size += fabs(x) + fabs(y);
    }
    if (!(fabs(left) <= vanishing * size)) {
      return refuse(stepper, stepper->system->coordinates[lie->body[b].coordinate[0]].name,
                    "has a potential that does not depend on the quaternion through products of "
                    "two components, as a function of its rotation would",
                    error);
    }
  }
  return VIDA_SUCCESS;
}

/* The forces on quaternions that have the moments of a step, 2 (0, m) * M / |M|^2, into l_q. */
static void find_covector(VidaStepper* stepper, int b, double* covector) {
  const vida_lie_body* body = &lie_of(stepper)->body[b];
  double q[4], middle[4], product[4], turn[4], moment[3], s[3];
  double square = 0.0;
  vida__lie_gather(body, stepper->q, q);
  vida__lie_gather(body, stepper->place, middle);
  for (int a = 0; a < 4; a++) {
    turn[a] = a == 0 ? q[0] : -q[a];
    square += middle[a] * middle[a];
  }
  /* M = q (1, s) k/2: s is its vector part in the body over its scalar part */
  multiply(turn, middle[0], middle + 1, product);
  for (int i = 0; i < 3; i++) {
    s[i] = product[1 + i] / product[0];
  }
  vida__simo_moment(stepper, b, s, moment);
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

/* Momenta that the whole system keeps must not change by the forces and moments of the step. */
static int check_momenta(VidaStepper* stepper, VidaError* error) {
  const VidaSystem* system = stepper->system;
  double value[VIDA_LARGEST_MOMENTUM_COUNT] = {0.0};
  double size[VIDA_LARGEST_MOMENTUM_COUNT] = {0.0};
  double* covector = stepper->l_v;
  memcpy(covector, lie_of(stepper)->force, (size_t)stepper->n * sizeof *covector);
  for (int b = 0; b < lie_of(stepper)->bodies; b++) {
    find_covector(stepper, b, covector);
  }
  vida__apply_generators(system, stepper->place, covector, false, value, size);
  for (int m = 0; m < system->momentum_count; m++) {
    double change = 0.0, largest = 0.0;
    for (int k = 0; k < VIDA_LARGEST_MOMENTUM_COUNT; k++) {
      change += system->momenta[m].weight[k] * value[k];
      largest += fabs(system->momenta[m].weight[k]) * size[k];
    }
    if (!(fabs(change) <= vanishing * largest)) {
      return refuse(stepper, system->momenta[m].name,
                    "would not be constant: a potential is not a function of distances and of "
                    "products of vectors that are each rotated by one quaternion",
                    error);
    }
  }
  return VIDA_SUCCESS;
}

int vida__simo_check(VidaStepper* stepper, VidaError* error) {
  int code = check_terms(stepper, error);
  if (code) {
    return code;
  }
  const VidaStartOptions about = {.adjust = true, .tolerance = 1.0};
  code = VidaSystem_Start(stepper->system, 0.0, &about, stepper->q, stepper->v0, NULL, error);
  if (code) {
    return code;
  }
  choose_step(stepper);
  code = find_forces(stepper, false);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  code = check_products(stepper, error);
  return code ? code : check_momenta(stepper, error);
}
