/* energy-momentum for Lagrangians that are quadratic in the rates,
 *     L = v^T M(q) v / 2 + b(q) v - V(q),  p = M v + b,  H = p v - L = v^T M v / 2 + V.
 *
 * The scheme is eq. 21 of Gonzalez 1999, with a discrete derivative of H(q,p) that needs no
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

/* Adds one term of D phi: `weight` times D L with the rates `v`, whose derivative with respect to w
 * is `slope`. */
typedef struct addend {
  const double* v;
  double weight, slope;
} addend;

static void list_addends(const VidaIntegration* self, const double* w, addend* list) {
  general_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    own->shift[i] = w[i] - self->node.v[i];
    own->back[i] = -own->shift[i];
    own->v1[i] = w[i] + own->shift[i];
  }
  list[0] = (addend){w, 1.0, 1.0};
  list[1] = (addend){own->shift, -0.5, 1.0};
  list[2] = (addend){own->back, -0.5, -1.0};
  list[3] = (addend){own->zero, 1.0, 0.0};
}

/* Computes f + D phi. */
static int find_forces(VidaIntegration* self, const vida_interval* between, const double* w,
                       double* force) {
  const general_state* own = self->state;
  addend list[PARTS];
  list_addends(self, w, list);
  int code = vida__middle_forces(self, w, force);
  code = code ? code : own->base.rule->potential(self, between, own->part);
  for (int i = 0; i < self->model.n; i++) {
    force[i] -= own->part[i];
  }
  for (int k = 0; k < PARTS && !code; k++) {
    vida_interval at = *between;
    at.v = list[k].v;
    code = vida__discrete_force(self->model.system, &at, own->part);
    for (int i = 0; i < self->model.n; i++) {
      force[i] += list[k].weight * own->part[i];
    }
  }
  return code;
}

int vida__general_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const general_state* own = self->state;
  const vida_interval between = vida__next_interval(self, u);
  double* force = own->change;
  int code = find_forces(self, &between, u, force);
  code = code ? code
              : vida__gradient_of(&self->model.evaluator, MOVING, vida__next_time(self),
                                  self->work.q1, own->v1, self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n; i++) {
    const double change = self->work.l_v[i] - self->node.p[i] - self->node.p_low[i];
    r[i] = 0.5 * (change - self->node.h * force[i]);
  }
  code = code ? code : vida__energy_rows(self, &between, u, r + self->model.n);
  code = code ? code : own->base.rule->constraints(self, &between, self->work.entries);
  vida__add_reaction(self->model.system, self->work.entries, 0.5, u + self->model.n, r);
  return code;
}

int vida__general_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const general_state* own = self->state;
  const double half = 0.5 * self->node.h;
  const double t1 = vida__next_time(self);
  const vida_hessian_weights of_momenta = {0.0, 0.0, half, 1.0};
  const vida_interval between = vida__next_interval(self, u);
  addend list[PARTS];
  list_addends(self, u, list);
  int code = vida__add_hessian_of(&self->model.evaluator, MOVING, t1, self->work.q1, own->v1,
                                  of_momenta, matrix);
  for (int k = 0; k < PARTS && !code; k++) {
    vida_interval at = between;
    at.v = list[k].v;
    code = vida__add_discrete_slopes(self->model.system, &at, -half * list[k].weight * self->node.h,
                                     -half * list[k].weight * list[k].slope, matrix);
  }
  return code ? code : vida__energy_slopes(self, &between, u, matrix);
}

int vida__general_start(VidaIntegration* self, VidaError* error) {
  const int code = vida__gradient_of(&self->model.evaluator, MOVING, self->node.t0, self->node.q,
                                     self->node.v, self->work.l_q, self->node.p);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

int vida__general_step(VidaIntegration* self, VidaError* error) {
  const general_state* own = self->state;
  const double* w = self->implicit.unknown;
  double* change = own->change;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  const vida_interval between = vida__next_interval(self, w);
  code = find_forces(self, &between, w, change);
  code = code ? code : own->base.rule->constraints(self, &between, self->work.entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    change[i] *= self->node.h;
  }
  vida__add_impulses(self, self->work.entries, -1.0, w + self->model.n);
  memcpy(self->node.v, own->v1, (size_t)self->model.n * sizeof *own->v1);
  vida__energy_advance(self, change);
  return VIDA_SUCCESS;
}

int vida__general_velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* Computes p v - L at the compensated state. If v is not exactly the velocity of p, the difference
 * to H(q,p) is of second order. */
int vida__general_energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const double* v = self->node.v;
  *t = vida__node_time(self);
  int code = vida__energy(&self->model.evaluator, *t, self->node.q, v, self->work.l_q,
                          self->work.l_v, value);
  code = code ? code
              : vida__gradient_of(&self->model.evaluator, MOVING | VIDA_PART_POTENTIAL, *t,
                                  self->node.q, v, self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    *value += v[i] * (self->node.p[i] - self->work.l_v[i] + self->node.p_low[i]);
    *value -= self->work.l_q[i] * self->node.q_low[i];
  }
  return VIDA_SUCCESS;
}

int vida__general_create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
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
  self->state = own;
  return VIDA_SUCCESS;
}

void vida__general_state(VidaIntegration* self, VidaRecord* record) {
  general_state* own = self->state;
  VidaRecord_Reals(record, own->v1, 6 * (size_t)self->model.n);
}
