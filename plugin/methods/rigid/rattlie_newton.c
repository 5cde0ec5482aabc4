/* Newton's method for the impulses of rattlie's step. Where what a correction leaves can be
 * foreseen, from the errors of guessed gradients in the last step and from what that left of its
 * constraints, the residual after it is not computed. */
#include "methods/rigid/rattlie.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* ---- the end of a step ----------------------------------------------------------------------- */

/* Computes own->pull and the rotations for the impulses own->mu, and the momenta own->rates.
 * Returns the index of a body that turns too far, or -1. */
static int find_rotations(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  const double h = self->node.h;
  const int rates = own->joints->rates;
  memset(own->pull, 0, (size_t)rates * sizeof *own->pull);
  vida__lie_subtract_impulses(own->joints, own->mu, own->pull);
  for (int c = 0; c < rates; c++) {
    own->rates[c] = own->momentum[c] + own->pull[c];
  }
  for (int b = 0; b < lie->bodies; b++) {
    const vida_lie_body* body = &lie->body[b];
    const double* momentum = own->rates + own->joints->of_body[b];
    const double impulse[3] = {h * momentum[0], h * momentum[1], h * momentum[2]};
    if (!vida__lie_find_rotation(body, impulse, &own->rotation[b])) {
      return b;
    }
  }
  return -1;
}

/* Computes q1 from what find_rotations has computed. */
static void find_end(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  const double h = self->node.h;
  for (int b = 0; b < lie->bodies; b++) {
    const vida_lie_body* body = &lie->body[b];
    double q[4], change[4];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_find_change(q, own->rotation[b].xi, change);
    for (int a = 0; a < 4; a++) {
      own->q1[body->coordinate[a]] = q[a] + change[a];
    }
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    own->q1[i] = self->node.q[i] + h * (own->rates[own->joints->of_other[j]] / lie->mass[i]);
  }
}

/* Computes the residual g(q1) / h. */
static int find_residual(VidaIntegration* self) {
  rattlie_state* own = vida__rattlie_of(self);
  const int code = vida__constraints(&self->model.evaluator, vida__next_time(self), own->q1,
                                     self->node.q_low, own->g);
  for (int k = 0; k < own->joints->rows; k++) {
    own->residual[k] = own->g[own->joints->row[k]] / self->node.h;
  }
  self->statistics.residual_evaluations++;
  return code;
}

/* Returns the largest violation in `constraints` (m) relative to the sizes of the terms of its row;
 * NaN if one is NaN. */
static double find_violation(const VidaIntegration* self, const double* constraints) {
  const rattlie_state* own = vida__rattlie_of(self);
  double largest = 0.0;
  for (int k = 0; k < own->joints->rows; k++) {
    const int r = own->joints->row[k];
    const double g = fabs(constraints[r]);
    if (isnan(g)) {
      return g;
    }
    const double violation = g == 0.0 ? 0.0 : g / own->size[r];
    largest = violation <= largest ? largest : violation;
  }
  return largest;
}

/* Raises the sizes of the rows to `part` of the distance that momenta, and with `has_impulses`
 * impulses, would move the bodies if they did not cancel: rows whose coordinates rest at 0 have no
 * other size. With impulses, raises them also to the sizes of their terms at the start of the
 * motion. */
static void add_displacements(VidaIntegration* self, double part, bool has_impulses) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  double *moved = own->rates, *size = own->left;
  for (int c = 0; c < own->joints->rates; c++) {
    moved[c] = fabs(own->momentum[c]);
  }
  if (has_impulses) {
    vida__lie_add_impulse_sizes(own->joints, own->mu, moved);
  }
  for (int b = 0; b < lie->bodies; b++) {
    double* of_body = moved + own->joints->of_body[b];
    const double* root = lie->body[b].inverse_root;
    const double light = fmax(fmax(root[0], root[1]), root[2]);
    of_body[0] = of_body[1] = of_body[2] = light * light * (of_body[0] + of_body[1] + of_body[2]);
  }
  for (int j = 0; j < lie->others; j++) {
    moved[own->joints->of_other[j]] /= lie->mass[lie->other[j]];
  }
  vida__lie_row_sizes(own->joints, moved, size);
  for (int k = 0; k < own->joints->rows; k++) {
    const int r = own->joints->row[k];
    own->size[r] = fmax(own->size[r], part * fabs(self->node.h) * size[k]);
    if (has_impulses) {
      own->size[r] = fmax(own->size[r], self->model.value_size[r]);
    }
  }
}

/* Computes the sizes of the rows into own->left, with the largest of them shared by all. */
static void find_shared_sizes(const VidaIntegration* self) {
  const rattlie_state* own = vida__rattlie_of(self);
  const vida_lie_joints* joints = own->joints;
  for (int k = 0; k < joints->rows; k++) {
    own->left[k] = own->size[joints->row[k]];
  }
  vida__lie_share_row_sizes(self, joints, 0.0, true, own->left);
}

/* Lets rows that depend on each other have the size of the largest of them. */
static void share_sizes(const VidaIntegration* self) {
  const rattlie_state* own = vida__rattlie_of(self);
  find_shared_sizes(self);
  for (int k = 0; k < own->joints->rows; k++) {
    own->size[own->joints->row[k]] = own->left[k];
  }
}

/* Returns whether the violations are no more than what the rounding of positions leaves in all rows
 * of a body: far from the origin, that of its place turns it. */
static bool is_common_rounding(const VidaIntegration* self) {
  static const double allowed = 4.0 * DBL_EPSILON;
  const rattlie_state* own = vida__rattlie_of(self);
  find_shared_sizes(self);
  for (int k = 0; k < own->joints->rows; k++) {
    if (!(fabs(own->g[own->joints->row[k]]) <= allowed * own->left[k])) {
      return false;
    }
  }
  return true;
}

/* ---- Newton's method ------------------------------------------------------------------------- */

/* Computes how the bodies turn at the end of the step for a change of their momenta. Returns the
 * index of a body that has no such response, or -1. */
static int find_responses(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  const rattlie_state* own = vida__rattlie_of(self);
  for (int b = 0; b < lie->bodies; b++) {
    if (!vida__lie_find_response(&lie->body[b], &own->rotation[b], own->response + 9 * b)) {
      return b;
    }
  }
  return -1;
}

/* Factors the derivative of g(q1) / h with respect to -mu. *body is as in vida__rattlie_solve. */
static int factor_step(VidaIntegration* self, int* body) {
  rattlie_state* own = vida__rattlie_of(self);
  const int code =
      vida__jacobian(&self->model.evaluator, vida__next_time(self), own->q1, self->work.entries);
  self->statistics.jacobian_evaluations++;
  own->nodes = 0;
  if (code) {
    return code;
  }
  *body = find_responses(self);
  if (*body >= 0) {
    return VIDA_STEP_NOT_CONVERGED;
  }
  vida__lie_joint_gradients(self, own->joints, own->q1, self->work.entries, own->joints->next);
  return vida__lie_factor_step(self, own->joints, own->response);
}

static double largest_of(int count, const double* x) {
  double largest = 0.0;
  for (int k = 0; k < count; k++) {
    const double size = fabs(x[k]);
    largest = size > largest ? size : largest;
  }
  return largest;
}

/* The largest violation relative to its terms that is rounding wherever the terms are known. */
static const double rounding = 2.0 * DBL_EPSILON;

/* An estimate that is used instead of a measurement must be that much better. */
static const double surplus = 2.0;

/* Returns the part of a violation that a correction leaves because of the error of the guessed
 * gradients, from `part`, the part that is left by the factors of the node: gradients have changed
 * by as much, and the error relative to that is at most a few times that of the last step. Infinity
 * if it is not known. */
static double expect_missed(const VidaIntegration* self, double part) {
  static const double growth = 4.0;
  const rattlie_state* own = vida__rattlie_of(self);
  return own->nodes > 0 && isfinite(own->missed) ? growth * part * own->missed : INFINITY;
}

/* Computes own->step for own->residual with the factors of the node, and improves it by those of
 * the step, B1 C B0^T, with B1 in joints->next and C in own->response, until it would leave
 * rounding of the violation, or no more than the error of B1 does. Sets *left to the part of the
 * violation that it leaves; infinity if it is not known. */
static int find_correction(VidaIntegration* self, double violation, double* left) {
  enum { MOST_PASSES = 4, BLIND_PASSES = 2 };
  rattlie_state* own = vida__rattlie_of(self);
  vida_lie_joints* joints = own->joints;
  const double size = largest_of(joints->rows, own->residual);
  double first = 1.0;
  int most = MOST_PASSES, code = vida__linear_solve(joints->node, own->residual, own->step);
  for (int pass = 0; pass < most && !code; pass++) {
    vida__lie_apply_step(self, joints, own->response, own->step, own->rates, own->left);
    for (int k = 0; k < joints->rows; k++) {
      own->left[k] = own->residual[k] - own->left[k];
    }
    const double part = largest_of(joints->rows, own->left) / size;
    first = pass == 0 ? part : first;
    code = vida__linear_solve(joints->node, own->left, own->left);
    for (int k = 0; k < joints->rows; k++) {
      own->step[k] += own->left[k];
    }
    const double missed = expect_missed(self, first);
    most = isfinite(missed) ? MOST_PASSES : BLIND_PASSES;
    *left = part * first + missed;
    if (!(surplus * part * first * violation > rounding) || part * first < missed / surplus) {
      break;
    }
  }
  return code;
}

/* Corrects mu; `is_exact`: with the factors of the step. Sets *left as find_correction does. */
static int correct(VidaIntegration* self, bool is_exact, double violation, double* left) {
  rattlie_state* own = vida__rattlie_of(self);
  *left = INFINITY;
  const int code = is_exact ? vida__linear_solve(own->joints->step, own->residual, own->step)
                            : find_correction(self, violation, left);
  for (int k = 0; k < own->joints->rows && !code; k++) {
    own->mu[k] += own->step[k];
  }
  own->corrected = violation;
  own->correction = largest_of(own->joints->rows, own->step);
  self->statistics.newton_iterations++;
  return code;
}

/* The largest violations, relative to the sizes of the rows, that may be rounding: with the matrix
 * of the step, and with another one, with which it can be that alone that does not contract. */
static const double most_rounding = 4096.0 * DBL_EPSILON, few_roundings = 64.0 * DBL_EPSILON;

bool vida__rattlie_will_converge(double violation, double contraction) {
  return contraction > 0.0 && surplus * contraction * violation <= rounding;
}

/* Near a singular configuration a small violation can need a large correction. What that leaves
 * grows with its size, not with the violation: returns the ratio of both to those of a correction
 * before, of the sizes where that is much larger. Infinity if it is not known. */
static double find_growth(double violation, double corrected, double size, double correction) {
  static const double larger = 8.0;
  const double by_violation = violation / corrected, by_size = size / correction;
  return by_size > larger * by_violation ? by_size : by_violation;
}

/* Returns whether a correction of `violation` that leaves the part `left` leaves rounding only.
 * What is of second order in the correction, and what is not known of the gradients, is judged by
 * what the last step has left, `at_node`, and by the growth since its last correction. */
static bool is_foreseen(double violation, double left, double at_node, double growth) {
  growth = fmax(1.0, growth);
  return surplus * left * violation <= rounding && growth * growth * at_node <= rounding;
}

/* Returns whether a correction of `violation` leaves rounding only, after one that contracted it by
 * `contraction`. With other factors than those of the step, `is_exact`, a contraction that is not
 * known from the gradients, too, may be that of another direction. */
static bool is_last(double violation, double contraction, bool is_exact, double growth,
                    double left) {
  contraction = growth > contraction ? fmax(growth, isfinite(left) ? left : 0.0) : contraction;
  return (is_exact || isfinite(left)) && vida__rattlie_will_converge(violation, contraction);
}

int vida__rattlie_solve(VidaIntegration* self, bool is_exact, int* body) {
  enum { MOST_ITERATIONS = 40 };
  static const double slow = 0.2, of_impulses = 1.0 / 64.0;
  rattlie_state* own = vida__rattlie_of(self);
  double before = INFINITY, last_contraction = 0.0, left;
  memcpy(own->size, own->node_size, (size_t)self->model.m * sizeof *own->size);
  add_displacements(self, 1.0, false);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    *body = find_rotations(self);
    if (*body >= 0) {
      return VIDA_STEP_NOT_CONVERGED;
    }
    find_end(self);
    int code = own->joints->rows > 0 ? find_residual(self) : VIDA_SUCCESS;
    double violation = find_violation(self, own->g);
    if (code || isnan(violation)) {
      return code ? code : VIDA_STEP_NOT_CONVERGED;
    }
    const double contraction = violation / before;
    const double allowed = is_exact ? most_rounding : few_roundings;
    if (isinf(violation) || (contraction >= 0.5 && violation > allowed)) {
      add_displacements(self, of_impulses, true);
      if (self->model.redundant && contraction >= 0.5) {
        share_sizes(self);
      }
      violation = find_violation(self, own->g);
    }
    if (violation <= rounding || (contraction >= 0.5 && violation <= allowed) ||
        (contraction >= 0.5 && is_exact && is_common_rounding(self))) {
      return VIDA_SUCCESS;
    }
    is_exact = is_exact || contraction > slow;
    if (is_exact && (k == 0 || contraction > slow)) {
      code = factor_step(self, body);
    } else if (k == 0) {
      *body = find_responses(self);
      code = *body >= 0 ? VIDA_STEP_NOT_CONVERGED : VIDA_SUCCESS;
    }
    const double corrected = own->corrected, correction = own->correction;
    code = code ? code : correct(self, is_exact, violation, &left);
    if (code) {
      return code;
    }
    const double growth = find_growth(violation, corrected, own->correction, correction);
    if ((k > 0 &&
         is_last(violation, fmax(contraction, last_contraction), is_exact, growth, left)) ||
        (k == 0 && is_foreseen(violation, left, find_violation(self, self->implicit.g0), growth))) {
      *body = find_rotations(self);
      return *body >= 0 ? VIDA_STEP_NOT_CONVERGED : VIDA_SUCCESS;
    }
    before = violation;
    last_contraction = contraction; /* new factors can make the next one look better than it is */
  }
  return VIDA_STEP_NOT_CONVERGED;
}
