/* The equations of a step of lie-alpha (lie_alpha.c): their residual. */
#include <math.h>
#include <string.h>

#include "methods/rigid/lie_alpha.h"
#include "system/evaluate/sizes.h"

int vida__lie_alpha_move(VidaIntegration* self, const double* turn) {
  static const double largest_turn = 3.0; /* rad */
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  double *q1 = own->q1, *low = own->q1_low;
  for (int b = 0; b < lie->bodies; b++) {
    const double* xi = turn + joints->of_body[b];
    double q[4], change[4];
    if (!(vida__lie_dot(xi, xi) < largest_turn * largest_turn)) {
      return b;
    }
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_find_change(q, xi, change);
    for (int a = 0; a < 4; a++) {
      q1[lie->body[b].coordinate[a]] = q[a] + change[a];
      low[lie->body[b].coordinate[a]] = self->node.q_low[lie->body[b].coordinate[a]];
    }
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    q1[i] = vida__add_exactly(self->node.q[i], turn[joints->of_other[j]], &low[i]);
    low[i] += self->node.q_low[i];
  }
  return -1;
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Computes the generalized forces at (q1,v1) into own->force, and B and h f there. */
static int find_forces(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  vida_evaluator* evaluator = &self->model.evaluator;
  const double t = vida__next_time(self), h = self->node.h;
  int code = vida__rest_force(evaluator, t, own->q1, lie->rest, own->force, self->work.l_v);
  for (int k = 0; k < 2 && self->model.system->has_forces && !code; k++) {
    code = vida__gradient_of(evaluator, VIDA_PART_FORCE, t, own->q1, k == 0 ? own->v1 : lie->rest,
                             own->change, self->work.l_v);
    for (int i = 0; i < self->model.n; i++) {
      own->force[i] += k == 0 ? own->change[i] : -own->change[i];
    }
  }
  code = code ? code : vida__jacobian(evaluator, t, own->q1, self->work.entries);
  if (code) {
    return code;
  }
  vida__lie_joint_gradients(self, own->joints, own->q1, self->work.entries, own->joints->gradient);
  for (int b = 0; b < lie->bodies; b++) {
    const int c = own->joints->of_body[b];
    double q[4], f[4], moment[3], spin[3], more[3];
    vida__lie_body_components(&lie->body[b], own->q1, q);
    vida__lie_body_components(&lie->body[b], own->force, f);
    vida__lie_drop(q, f, moment);
    vida__lie_multiply(lie->body[b].inertia, own->end + c, spin);
    vida__lie_cross(spin, own->end + c, more);
    for (int i = 0; i < 3; i++) {
      own->push[c + i] = h * (moment[i] + more[i]);
    }
  }
  for (int j = 0; j < lie->others; j++) {
    own->push[own->joints->of_other[j]] = h * own->force[lie->other[j]];
  }
  return VIDA_SUCCESS;
}

double vida__lie_alpha_largest_moment(const vida_lie_body* body) {
  return fmax(fmax(body->moment[0], body->moment[1]), body->moment[2]);
}

/* Computes M (u1 - base) - share (h f - B^T mu), with own->pull = h f - B^T mu; own->size, the
 * sizes of its terms, those of a body together; and own->motion, the largest root of a mass times
 * its velocity. */
static void find_momentum_rows(VidaIntegration* self, const double* mu) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  double *x = own->work, *size = own->size;
  memcpy(own->pull, own->push, (size_t)joints->rates * sizeof *own->pull);
  vida__lie_subtract_impulses(joints, mu, own->pull);
  for (int c = 0; c < joints->rates; c++) {
    x[c] = own->end[c] - own->base[c];
    size[c] = fabs(own->push[c]);
  }
  vida__lie_apply_mass(self, own->joints, x, false, own->residual);
  vida__lie_add_impulse_sizes(joints, mu, size);
  for (int c = 0; c < joints->rates; c++) {
    own->residual[c] -= own->share * own->pull[c];
    x[c] = fabs(own->end[c]) + fabs(own->base[c]);
  }
  own->motion = 0.0;
  for (int b = 0; b < lie->bodies; b++) {
    const double *of = x + joints->of_body[b],
                 heavy = vida__lie_alpha_largest_moment(&lie->body[b]);
    double* to = size + joints->of_body[b];
    const double speed = of[0] + of[1] + of[2];
    to[0] = to[1] = to[2] = to[0] + to[1] + to[2] + heavy * speed;
    own->motion = fmax(own->motion, sqrt(heavy) * speed);
  }
  for (int j = 0; j < lie->others; j++) {
    const int c = joints->of_other[j];
    size[c] += lie->mass[lie->other[j]] * x[c];
    own->motion = fmax(own->motion, x[c] / lie->inverse_root[lie->other[j]]);
  }
}

/* Computes g(q1) / h and its sizes: those of its terms at q1, at the start, and of the motion. */
static int find_joint_rows(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const VidaSystem* system = self->model.system;
  const vida_lie_joints* joints = own->joints;
  double *rows = own->residual + joints->rates, *size = own->size + joints->rates;
  const int code = vida__constraints(&self->model.evaluator, vida__next_time(self), own->q1,
                                     own->q1_low, own->g);
  memset(own->reach, 0, (size_t)self->model.m * sizeof *own->reach);
  for (int e = 0; e < system->entry_count; e++) {
    own->reach[system->entries[e].row] +=
        fabs(self->work.entries[e] * own->q1[system->entries[e].coordinate]);
  }
  vida__lie_row_sizes(joints, own->turn, size);
  for (int k = 0; k < joints->rows; k++) {
    const int r = joints->row[k];
    size[k] += fmax(own->reach[r] + system->rows[r].length, self->model.value_size[r]);
    size[k] /= fabs(self->node.h);
    rows[k] = own->g[r] / self->node.h;
  }
  return code;
}

int vida__lie_alpha_residual(VidaIntegration* self, int* body) {
  lie_alpha* own = vida__lie_alpha_of(self);
  for (int c = 0; c < own->joints->rates; c++) {
    own->turn[c] = self->node.h * own->w[c];
    own->end[c] = own->u_base[c] + own->ratio * own->w[c];
  }
  *body = vida__lie_alpha_move(self, own->turn);
  if (*body >= 0) {
    return VIDA_STEP_NOT_CONVERGED;
  }
  vida__lie_lift_rates(self, own->joints, own->q1, own->end, own->v1);
  int code = find_forces(self);
  self->statistics.residual_evaluations++;
  if (!code) {
    find_momentum_rows(self, own->mu);
    code = find_joint_rows(self);
  }
  return code;
}

/* Computes the sizes of the rows of G u: those of the speeds of whole bodies, since a rate that
 * vanishes is known to the rounding of the others only; where these vanish, too, as at a point on
 * the axis of its body, a part of the motion. */
static void find_rate_sizes(VidaIntegration* self, double* size) {
  const vida_lie_state* lie = self->state;
  const lie_alpha* own = vida__lie_alpha_of(self);
  double* speed = own->work;
  memcpy(speed, own->end, (size_t)own->joints->rates * sizeof *speed);
  for (int b = 0; b < lie->bodies; b++) {
    double* of = speed + own->joints->of_body[b];
    of[0] = of[1] = of[2] = sqrt(vida__lie_dot(of, of));
  }
  vida__lie_row_sizes(own->joints, speed, size);
  for (int k = 0; k < own->joints->rows; k++) {
    const double moved = own->motion * self->model.row_stiffness[own->joints->row[k]];
    size[k] = fmax(size[k], VIDA_VANISHING_PART * moved);
  }
}

int vida__lie_alpha_velocity_residual(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  double *rows = own->residual + joints->rates, *size = own->size + joints->rates;
  vida__lie_lift_rates(self, own->joints, own->q1, own->end, own->v1);
  int code = find_forces(self);
  self->statistics.residual_evaluations++;
  if (code) {
    return code;
  }
  find_momentum_rows(self, own->mu);
  vida__lie_joint_rates(joints, own->end, rows, size);
  find_rate_sizes(self, size);
  memset(own->g, 0, (size_t)self->model.m * sizeof *own->g);
  if (self->model.system->time_dependent) {
    code = vida__constraint_rate(&self->model.evaluator, vida__next_time(self), own->q1, own->g);
  }
  for (int k = 0; k < joints->rows; k++) {
    rows[k] += own->g[joints->row[k]];
    size[k] += fabs(own->g[joints->row[k]]);
  }
  return code;
}
