/* energy-momentum for Lagrangians that are quadratic in the rates,
 *     L = v^T M(q) v / 2 + b(q) v - V(q),  p = M v + b,  H = p v - L = v^T M v / 2 + V.
 *
 * The scheme is Gonzalez's (paper 003, eq. 21) with a discrete derivative of H(q,p) that needs no
 * inverse of M. With v = M^-1 (p - b) at both nodes, T1 - T0 = (v1 p1 - v0 p0) / 2 of b = 0 is
 *     (v0 + v1)/2 (p1 - p0) - v0 (M1 - M0) v1 / 2,
 * so that (v0 + v1)/2 and -v0 DM v1 / 2 + DV are D_p H and D_q H:
 *
 *     (q1 - q0)/h = w = (v0 + v1)/2,         p0 = L_v(q0,v0),  p1 = L_v(q1,v1)
 *     p1 - p0 = h (f + D phi(q0,q1)) - Dg^T mu,   g(q1) = 0
 *     phi(q) = v0^T M(q) v1 / 2 + b(q) w - V(q)    with v0, v1 and w held fixed.
 *
 * What is kept: the energy H at the nodes, a function of the q and v (or p) that are told, to
 * rounding: b gives w^T (Db^T - Db) w = 0, forces and drives of constraints change it by their
 * work. The scheme is symmetric and of order 2. Of momentum maps those whose coordinates M and b do
 * not depend on (cyclic coordinates, translations, and rotations of particles beside them) are
 * exact; rotations that change M, as of a body described by a quaternion, keep theirs to order 2
 * only.
 *
 * By polarization v0^T M v1 / 2 = T(q,w) - T(q,s), s = w - v0, and T(q,s) is the even part of
 * L(q,s) - L(q,0): D phi is a sum of D L with rates w, s, -s and 0.
 *
 * Unknowns and rows are those of energy.h, with v1 = 2 w - v0. The momenta advance by increments,
 * and v, which the next step solves for, follows them: no error adds up. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy.h"

typedef struct general_state {
  vida_energy_state base;
  double* v1;     /* n: 2 w - v0 */
  double* shift;  /* n: w - v0 */
  double* back;   /* n: v0 - w */
  double* zero;   /* n */
  double* part;   /* n: work */
  double* change; /* n: work */
} general_state;

enum { PARTS = 4, MOVING = VIDA_PART_KINETIC | VIDA_PART_GENERAL };

/* One addend of D phi: `weight` times D L with rates `v`, which change with w by `slope`. */
typedef struct addend {
  const double* v;
  double weight, slope;
} addend;

static void list_addends(const VidaStepper* stepper, const double* w, addend* list) {
  general_state* own = stepper->own;
  for (int i = 0; i < stepper->n; i++) {
    own->shift[i] = w[i] - stepper->v0[i];
    own->back[i] = -own->shift[i];
    own->v1[i] = w[i] + own->shift[i];
  }
  list[0] = (addend){w, 1.0, 1.0};
  list[1] = (addend){own->shift, -0.5, 1.0};
  list[2] = (addend){own->back, -0.5, -1.0};
  list[3] = (addend){own->zero, 1.0, 0.0};
}

/* f + D phi */
static int find_forces(VidaStepper* stepper, const vida_interval* between, const double* w,
                       double* force) {
  const general_state* own = stepper->own;
  addend list[PARTS];
  list_addends(stepper, w, list);
  int code = vida__middle_forces(stepper, w, force);
  code = code ? code : own->base.rule->potential(stepper, between, own->part);
  for (int i = 0; i < stepper->n; i++) {
    force[i] -= own->part[i];
  }
  for (int k = 0; k < PARTS && !code; k++) {
    vida_interval at = *between;
    at.v = list[k].v;
    code = vida__discrete_force(stepper->system, &at, own->part);
    for (int i = 0; i < stepper->n; i++) {
      force[i] += list[k].weight * own->part[i];
    }
  }
  return code;
}

int vida__general_residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const general_state* own = stepper->own;
  const vida_interval between = vida__next_interval(stepper, u);
  double* force = own->change;
  int code = find_forces(stepper, &between, u, force);
  code = code ? code
              : vida__gradient_of(&stepper->evaluator, MOVING, vida__next_time(stepper),
                                  stepper->q1, own->v1, stepper->l_q, stepper->l_v);
  for (int i = 0; i < stepper->n; i++) {
    const double change = stepper->l_v[i] - stepper->p[i] - stepper->p_low[i];
    r[i] = 0.5 * (change - stepper->h * force[i]);
  }
  code = code ? code : vida__energy_rows(stepper, &between, u, r + stepper->n);
  code = code ? code : own->base.rule->constraints(stepper, &between, stepper->entries);
  vida__add_reaction(stepper->system, stepper->entries, 0.5, u + stepper->n, r);
  return code;
}

int vida__general_jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const general_state* own = stepper->own;
  const double half = 0.5 * stepper->h;
  const double t1 = vida__next_time(stepper);
  const vida_hessian_weights of_momenta = {0.0, 0.0, half, 1.0};
  const vida_interval between = vida__next_interval(stepper, u);
  addend list[PARTS];
  list_addends(stepper, u, list);
  int code = vida__add_hessian_of(&stepper->evaluator, MOVING, t1, stepper->q1, own->v1, of_momenta,
                                  matrix);
  for (int k = 0; k < PARTS && !code; k++) {
    vida_interval at = between;
    at.v = list[k].v;
    code = vida__add_discrete_slopes(stepper->system, &at, -half * list[k].weight * stepper->h,
                                     -half * list[k].weight * list[k].slope, matrix);
  }
  return code ? code : vida__energy_slopes(stepper, &between, u, matrix);
}

int vida__general_start(VidaStepper* stepper, VidaError* error) {
  const int code = vida__gradient_of(&stepper->evaluator, MOVING, stepper->t0, stepper->q,
                                     stepper->v0, stepper->l_q, stepper->p);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

int vida__general_step(VidaStepper* stepper, VidaError* error) {
  const general_state* own = stepper->own;
  const double* w = stepper->unknown;
  double* change = own->change;
  int code = vida__solve_step(stepper, error);
  if (code) {
    return code;
  }
  const vida_interval between = vida__next_interval(stepper, w);
  code = find_forces(stepper, &between, w, change);
  code = code ? code : own->base.rule->constraints(stepper, &between, stepper->entries);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    change[i] *= stepper->h;
  }
  vida__add_impulses(stepper, stepper->entries, -1.0, w + stepper->n);
  memcpy(stepper->v0, own->v1, (size_t)stepper->n * sizeof *own->v1);
  vida__energy_advance(stepper, change);
  return VIDA_SUCCESS;
}

int vida__general_velocities(VidaStepper* stepper, double* v, VidaError* error) {
  (void)error;
  memcpy(v, stepper->v0, (size_t)stepper->n * sizeof *v);
  return VIDA_SUCCESS;
}

/* p v - L at the compensated state; where v is not quite that of p, this is H(q,p) up to the square
 * of what they differ by. */
int vida__general_energy(VidaStepper* stepper, double* value, double* t, VidaError* error) {
  const double* v = stepper->v0;
  *t = vida__node_time(stepper);
  int code =
      vida__energy(&stepper->evaluator, *t, stepper->q, v, stepper->l_q, stepper->l_v, value);
  code = code ? code
              : vida__gradient_of(&stepper->evaluator, MOVING | VIDA_PART_POTENTIAL, *t, stepper->q,
                                  v, stepper->l_q, stepper->l_v);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    *value += v[i] * (stepper->p[i] - stepper->l_v[i] + stepper->p_low[i]);
    *value -= stepper->l_q[i] * stepper->q_low[i];
  }
  return VIDA_SUCCESS;
}

int vida__general_create(VidaStepper* stepper, VidaError* error) {
  const size_t n = (size_t)stepper->n;
  general_state* own = vida__allocate(1, sizeof *own + 6 * n * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  own->base.rule = &vida__equivariant_rule;
  own->base.is_general = true;
  own->v1 = (double*)(own + 1);
  own->shift = own->v1 + n;
  own->back = own->shift + n;
  own->zero = own->back + n;
  own->part = own->zero + n;
  own->change = own->part + n;
  stepper->own = own;
  return VIDA_SUCCESS;
}
