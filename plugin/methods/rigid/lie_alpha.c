/* lie-alpha: the generalized-alpha method on a Lie group, for rigid bodies with joints (Bruels,
 * Cardona and Arnold 2012): index 3, a fixed step, second order, damping of what is faster than the
 * step.
 *
 * The configuration is a rotation for each body, kept as a unit quaternion, and the other
 * coordinates; u are the angular velocities in the bodies and the velocities of the others, with
 * the constant mass matrix M. With the accelerations b = M^-1 (f(q,u,t) - B(q)^T lambda) and
 * auxiliary ones a, a step is
 *
 *     q1 = q0 exp(h w),   w = u0 + h ((1/2 - beta) a0 + beta a1),   u1 = u0 + h ((1 - gamma) a0 +
 *     gamma a1),   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) b1 + alpha_f b0,   g(q1) = 0.
 *
 * Unknowns are w and mu = h lambda1; u1 = u_base + (gamma/beta) w. Newton's method has the matrix
 * of lie_matrix.h. */
#include "methods/rigid/lie_alpha.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/method_options.h"

/* ---- Newton's method ------------------------------------------------------------------------- */

/* Returns the largest residual from row `first` up to `last`, relative to the sizes of its terms;
 * NaN if one is NaN. */
static double find_largest(const lie_alpha* own, int first, int last) {
  double largest = 0.0;
  for (int c = first; c < last; c++) {
    const double r = fabs(own->residual[c]);
    if (!isfinite(r)) {
      return NAN;
    }
    largest = r > largest * own->size[c] ? r / own->size[c] : largest;
  }
  return largest;
}

/* Returns the largest residual of the momenta relative to the momentum of the same energy as that
 * of the fastest part. Beside heavy parts that push them, light ones are not solved any better. */
static double find_largest_in_motion(const VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  const lie_alpha* own = vida__lie_alpha_of(self);
  double largest = 0.0;
  for (int b = 0; b < lie->bodies; b++) {
    const double* r = own->residual + own->joints->of_body[b];
    const double whole = sqrt(vida__lie_alpha_largest_moment(&lie->body[b])) * own->motion;
    largest = fmax(largest, (fabs(r[0]) + fabs(r[1]) + fabs(r[2])) / whole);
  }
  for (int j = 0; j < lie->others; j++) {
    const double r = own->residual[own->joints->of_other[j]];
    largest = fmax(largest, fabs(r) * lie->inverse_root[lie->other[j]] / own->motion);
  }
  return largest;
}

/* Raises own->motion to that of all impulses if they did not cancel, and the sizes of the rows of
 * joints to it: linear equations are solved to the rounding of these, also for what rests. */
static void raise_sizes(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  double motion = own->motion;
  for (int b = 0; b < lie->bodies; b++) {
    const double root = sqrt(vida__lie_alpha_largest_moment(&lie->body[b]));
    motion = fmax(motion, own->size[joints->of_body[b]] / root);
  }
  for (int j = 0; j < lie->others; j++) {
    motion = fmax(motion, own->size[joints->of_other[j]] * lie->inverse_root[lie->other[j]]);
  }
  own->motion = motion;
  vida__lie_share_row_sizes(self, joints, motion, self->model.redundant, own->size + joints->rates);
}

/* Residuals, relative to their terms, that may be rounding if they no longer fall; corrections,
 * relative to the velocities. */
static const double most_rounding = 4096.0 * DBL_EPSILON, most_correction = 1e-11;

/* Returns whether the residual may be rounding, with its largest rows relative to their terms, and
 * the last correction. */
static bool may_be_rounding(const VidaIntegration* self, double momentum, double violation,
                            double moved) {
  return violation <= most_rounding &&
         (momentum <= most_rounding || find_largest_in_motion(self) <= most_rounding ||
          moved <= most_correction);
}

/* Returns whether a residual that no longer falls is rounding. Gradients and forces are computed
 * from rounded positions, which may be far from the origin: corrections below that rounding do not
 * improve the momenta. */
static bool is_rounding(VidaIntegration* self, double momentum, double violation, double moved) {
  static const double of_places = 4.0;
  const lie_alpha* own = vida__lie_alpha_of(self);
  const int rates = own->joints->rates, all = rates + own->joints->rows;
  if (may_be_rounding(self, momentum, violation, moved)) {
    return true;
  }
  raise_sizes(self);
  violation = find_largest(own, rates, all);
  return may_be_rounding(self, momentum, violation, moved) ||
         (violation <= most_rounding && own->moved <= of_places);
}

static int factor(VidaIntegration* self, bool is_projection) {
  lie_alpha* own = vida__lie_alpha_of(self);
  double* mu = own->g; /* of all rows */
  memset(mu, 0, (size_t)self->model.m * sizeof *mu);
  for (int k = 0; k < own->joints->rows; k++) {
    mu[own->joints->row[k]] = own->mu[k];
  }
  vida__add_reaction(self->model.system, self->work.entries, -1.0 / self->node.h, mu, own->force);
  self->statistics.jacobian_evaluations++;
  const vida_lie_point at = {.t = vida__next_time(self),
                             .h = self->node.h,
                             .ratio = is_projection ? 1.0 : own->ratio,
                             .share = own->share,
                             .q = own->q1,
                             .v = own->v1,
                             .u = own->end,
                             .turn = is_projection ? NULL : own->turn,
                             .mu = mu,
                             .force = own->force,
                             .gradient = own->joints->gradient};
  return vida__lie_matrix_factor(self, own->joints, own->matrix, &at);
}

/* How large a correction is: relative to the velocities of its own body or coordinate, and the
 * squares of both, and of positions, in terms of energy, of all that moves. */
typedef struct correction_size {
  double part, moved, motion, place;
} correction_size;

static void add_size(double mass, double step, double speed, double place, correction_size* size) {
  size->place = fmax(size->place, mass * place * place);
  size->part = step > size->part * speed ? step / speed : size->part;
  size->moved = fmax(size->moved, mass * step * step);
  size->motion = fmax(size->motion, mass * speed * speed);
}

/* Corrects x (rates) and own->mu. Returns how large the correction of x is, relative to x and the
 * velocities of the step, or in terms of energy. Negative: the matrix is singular. */
static double correct(VidaIntegration* self, double* x) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  correction_size size = {0.0, 0.0, 0.0, 0.0};
  double* step = own->work;
  self->statistics.newton_iterations++;
  if (vida__lie_matrix_solve(own->matrix, own->residual, step)) {
    return -1.0;
  }
  for (int b = 0; b < lie->bodies; b++) {
    const int c = joints->of_body[b];
    add_size(vida__lie_alpha_largest_moment(&lie->body[b]), sqrt(vida__lie_dot(step + c, step + c)),
             sqrt(vida__lie_dot(x + c, x + c)) + sqrt(vida__lie_dot(own->end + c, own->end + c)),
             1.0, &size);
  }
  for (int j = 0; j < lie->others; j++) {
    const int c = joints->of_other[j];
    add_size(lie->mass[lie->other[j]], fabs(step[c]), fabs(x[c]) + fabs(own->end[c]),
             own->q1[lie->other[j]], &size);
  }
  for (int c = 0; c < joints->rates; c++) {
    x[c] -= step[c];
  }
  for (int k = 0; k < joints->rows; k++) {
    own->mu[k] -= step[joints->rates + k];
  }
  own->moved =
      x == own->w ? sqrt(size.moved / size.place) * fabs(self->node.h) / DBL_EPSILON : INFINITY;
  const double in_all = size.moved > 0.0 ? 10.0 * sqrt(size.moved / size.motion) : 0.0;
  const double moved = fmin(size.part, in_all);
  return isnan(moved) ? INFINITY : moved;
}

/* Solves for own->w (with positions) or own->end (projection) and own->mu, until the residual is
 * rounding and does not fall. Returns VIDA_STEP_NOT_CONVERGED if that fails; *body is then the
 * index of a body that turns too far, or -1. */
static int solve(VidaIntegration* self, bool is_projection, int* body) {
  enum { MOST_ITERATIONS = 30 };
  static const double slow = 0.1;
  lie_alpha* own = vida__lie_alpha_of(self);
  const int rates = own->joints->rates, all = rates + own->joints->rows;
  double before = INFINITY, moved = INFINITY;
  *body = -1;
  own->moved = INFINITY;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    int code = is_projection ? vida__lie_alpha_velocity_residual(self)
                             : vida__lie_alpha_residual(self, body);
    const double momentum = code ? NAN : find_largest(own, 0, rates);
    const double violation = code ? NAN : find_largest(own, rates, all);
    if (code || isnan(momentum) || isnan(violation)) {
      return code ? code : VIDA_STEP_NOT_CONVERGED;
    }
    const double largest = fmax(momentum, violation), contraction = largest / before;
    const bool is_stuck = k > 0 && !(contraction < 0.5); /* infinite ones are, too */
    if ((momentum <= 64.0 * DBL_EPSILON && violation <= 4.0 * DBL_EPSILON) ||
        (is_stuck && is_rounding(self, momentum, violation, moved))) {
      return VIDA_SUCCESS;
    }
    code = k == 0 || contraction > slow ? factor(self, is_projection) : VIDA_SUCCESS;
    if (code) {
      return code;
    }
    moved = correct(self, is_projection ? own->end : own->w);
    if (moved < 0.0) {
      return VIDA_STEP_SINGULAR;
    }
    before = largest;
  }
  return VIDA_STEP_NOT_CONVERGED;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Names the row of the residual that is largest relative to its terms. */
static const char* find_worst(const VidaIntegration* self, const char** kind) {
  const vida_lie_state* lie = self->state;
  const lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  int worst = 0;
  for (int c = 1; c < joints->rates + joints->rows; c++) {
    worst = fabs(own->residual[c]) * own->size[worst] > fabs(own->residual[worst]) * own->size[c]
                ? c
                : worst;
  }
  *kind = worst < joints->rates ? "coordinate" : "constraint";
  if (worst >= joints->rates) {
    return self->model.system->rows[joints->row[worst - joints->rates]].name;
  }
  int coordinate = 0;
  for (int b = 0; b < lie->bodies; b++) {
    const int c = joints->of_body[b];
    coordinate = worst >= c && worst < c + 3 ? lie->body[b].coordinate[0] : coordinate;
  }
  for (int j = 0; j < lie->others; j++) {
    coordinate = joints->of_other[j] == worst ? lie->other[j] : coordinate;
  }
  return self->model.system->coordinates[coordinate].name;
}

static int fail(VidaIntegration* self, int code, int body, VidaError* error) {
  const vida_lie_state* lie = self->state;
  char step[VIDA_STEP_NAME_SIZE], h[VIDA_REAL_TEXT_SIZE];
  const char* kind;
  if (code != VIDA_STEP_NOT_CONVERGED && code != VIDA_STEP_SINGULAR) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__name_step(self, step);
  vida__real_text(h, vida__requested_step_size(self), 6);
  if (body >= 0) {
    return vida__lie_fail_turn(self, &lie->body[body], error);
  }
  if (code == VIDA_STEP_SINGULAR) {
    return vida__fail(error, code,
                      "%s: the Newton matrix is singular: constraints depend on each other, or "
                      "meet at a singular point",
                      step);
  }
  const char* name = find_worst(self, &kind);
  return vida__fail(error, code,
                    "%s: the equations of the step were not solved by Newton's method; worst is "
                    "%s '%s'; the step is too large: try less than h = %s",
                    step, kind, name, h);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void prepare_bases(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const double h = self->node.h, *u = own->now.u, *a = own->now.a, *b = own->now.b;
  const double of_a = h * (1.0 - own->gamma - own->gamma * own->alpha_m / (1.0 - own->alpha_m));
  const double of_b = h * own->gamma * own->alpha_f / (1.0 - own->alpha_m);
  for (int c = 0; c < own->joints->rates; c++) {
    own->u_base[c] =
        u[c] + h * (1.0 - own->gamma) * a[c] - own->ratio * (u[c] + h * (0.5 - own->beta) * a[c]);
    own->base[c] = u[c] + of_a * a[c] + of_b * b[c];
  }
}

/* Sets the guess from the accelerations and multipliers of the node, or for a flight without
 * forces. Multipliers of dependent constraints would grow from step to step. */
static void guess(VidaIntegration* self, bool has_past) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const double h = self->node.h;
  for (int c = 0; c < own->joints->rates; c++) {
    own->w[c] = own->now.u[c] + (has_past ? 0.5 * h * own->now.a[c] : 0.0);
  }
  for (int k = 0; k < own->joints->rows; k++) {
    own->mu[k] = has_past && !self->model.redundant ? h * own->now.lambda[k] : 0.0;
  }
}

/* Computes the node after the step into own->other. */
static void find_next(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const double h = self->node.h, *u = own->now.u, *a = own->now.a;
  vida__lie_apply_mass(self, own->joints, own->pull, true, own->other.b);
  for (int c = 0; c < own->joints->rates; c++) {
    own->other.u[c] = own->end[c];
    own->other.a[c] = (own->end[c] - u[c] - h * (1.0 - own->gamma) * a[c]) / (h * own->gamma);
    own->other.b[c] /= h;
  }
  for (int k = 0; k < own->joints->rows; k++) {
    own->other.lambda[k] = own->mu[k] / h;
  }
}

static void exchange(lie_alpha* own) {
  const alpha_node now = own->now;
  own->now = own->other;
  own->other = now;
}

/* Sets the momenta of the node: those of bodies are in self->node.v, in space (lie.h). */
static void set_momenta(VidaIntegration* self, const double* u) {
  const vida_lie_state* lie = self->state;
  const lie_alpha* own = vida__lie_alpha_of(self);
  for (int b = 0; b < lie->bodies; b++) {
    const vida_lie_body* body = &lie->body[b];
    double q[4], back[4], in_body[3], spin[3];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_conjugate(q, back);
    vida__lie_multiply(body->inertia, u + own->joints->of_body[b], in_body);
    vida__lie_turn_to_body(back, in_body, spin);
    for (int i = 0; i < 3; i++) {
      self->node.v[body->coordinate[i]] = spin[i];
      self->node.p_low[body->coordinate[i]] = 0.0;
    }
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    self->node.p[i] = lie->mass[i] * u[own->joints->of_other[j]];
    self->node.p_low[i] = 0.0;
  }
  vida__lie_set_momenta(self);
}

/* Moves the node to the end of the step. */
static void arrive(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  for (int b = 0; b < lie->bodies; b++) {
    double q[4], change[4];
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_find_change(q, own->turn + own->joints->of_body[b], change);
    vida__lie_advance(self, &lie->body[b], change);
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i],
                          own->turn[own->joints->of_other[j]]);
  }
  exchange(own);
  own->has_moved = true;
  set_momenta(self, own->now.u);
}

static int step(VidaIntegration* self, VidaError* error) {
  lie_alpha* own = vida__lie_alpha_of(self);
  int body = -1;
  own->has_moved = false;
  prepare_bases(self);
  guess(self, true);
  int code = solve(self, false, &body);
  if (code > 0) {
    guess(self, false);
    code = solve(self, false, &body);
  }
  if (!code && own->projects && own->joints->rows > 0) {
    code = solve(self, true, &body);
  }
  if (code) {
    return fail(self, code, body, error);
  }
  find_next(self);
  arrive(self);
  return VIDA_SUCCESS;
}

/* Takes the last step back, if it was made. */
static void undo(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  if (own->has_moved) {
    exchange(own);
    own->has_moved = false;
  }
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  lie_alpha* own = vida__lie_alpha_of(self);
  double* const of_node[] = {own->now.u, own->now.a, own->now.b};
  for (int k = 0; k < 3; k++) {
    VidaRecord_Reals(record, of_node[k], (size_t)own->joints->rates);
  }
  VidaRecord_Reals(record, own->now.lambda, (size_t)own->joints->rows);
  vida__lie_matrix_record(own->matrix, record);
  vida__lie_joints_record(self, own->joints, record);
  vida__equations_record(own->equations, record);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Computes the accelerations b, at `distance` (s) from the start along the first terms of the
 * motion. */
static int find_accelerations(VidaIntegration* self, double distance, const double* b0, double* b) {
  lie_alpha* own = vida__lie_alpha_of(self);
  for (int c = 0; c < own->joints->rates; c++) {
    const double change = distance != 0.0 ? distance * b0[c] : 0.0;
    own->turn[c] = distance * (own->now.u[c] + 0.5 * change);
    own->end[c] = own->now.u[c] + change;
  }
  if (vida__lie_alpha_move(self, own->turn) >= 0) {
    return VIDA_STEP_NOT_CONVERGED;
  }
  vida__lie_lift_rates(self, own->joints, own->q1, own->end, own->v1);
  const int code = vida__equations_find(own->equations, self->node.t0 + distance, own->q1, own->v1,
                                        NULL, own->force, own->g);
  vida__lie_drop_rates(self, own->joints, own->q1, own->force, b);
  return code;
}

/* Adds weight times the part of x (rates) across the joints at the start, M^-1 B^T (B M^-1 B^T)^-1
 * B x, to the velocities. */
static int add_part_across(VidaIntegration* self, double weight, const double* x) {
  lie_alpha* own = vida__lie_alpha_of(self);
  vida_lie_joints* joints = own->joints;
  int code =
      vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, self->work.entries);
  if (code) {
    return code;
  }
  vida__lie_joint_gradients(self, joints, self->node.q, self->work.entries, joints->gradient);
  code = vida__lie_factor_node(self, joints);
  vida__lie_joint_rates(joints, x, own->residual, own->size);
  code = code ? code : vida__linear_solve(joints->node, own->residual, own->mu);
  memset(own->pull, 0, (size_t)joints->rates * sizeof *own->pull);
  vida__lie_subtract_impulses(joints, own->mu, own->pull);
  vida__lie_apply_mass(self, own->joints, own->pull, true, own->work);
  for (int c = 0; c < joints->rates && !code; c++) {
    own->now.u[c] -= weight * own->work[c];
  }
  return code;
}

/* a belongs to the time t0 + (alpha_m - alpha_f) h, and u has the error of second order that
 * velocities across constraints have in all steps (Arnold, Bruels and Cardona 2015), with the part
 * of rotations that do not commute. Otherwise multipliers are of first order until the difference
 * is damped out. */
static int start_rates(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  lie_alpha* own = vida__lie_alpha_of(self);
  const vida_lie_joints* joints = own->joints;
  const double h = self->node.h, shift = own->alpha_m - own->alpha_f, distance = h / 16.0;
  const double local = 1.0 / 6.0 - 0.5 * shift - own->beta;
  double *jerk = own->w, *b = own->now.b;
  int code = vida__equations_mark(own->equations, self->node.t0, self->node.q, own->v1);
  code = code ? code : find_accelerations(self, 0.0, NULL, b);
  for (int k = 0; k < joints->rows && !code; k++) {
    own->now.lambda[k] = own->g[joints->row[k]];
  }
  code = code ? code : find_accelerations(self, distance, b, own->other.a);
  code = code ? code : find_accelerations(self, -distance, b, own->other.b);
  for (int c = 0; c < joints->rates && !code; c++) {
    jerk[c] = (own->other.a[c] - own->other.b[c]) / (2.0 * distance);
    own->now.a[c] = b[c] + shift * h * jerk[c];
    jerk[c] *= local;
  }
  if (code || joints->rows == 0 || own->projects) {
    return code;
  }
  for (int i = 0; i < lie->bodies; i++) {
    const int c = joints->of_body[i];
    double turned[3];
    vida__lie_cross(b + c, own->now.u + c, turned);
    for (int k = 0; k < 3; k++) {
      jerk[c + k] += turned[k] / 12.0;
    }
  }
  return add_part_across(self, h * h, jerk);
}

/* Factors the matrix of the first iteration once, so that no step allocates memory for its pivots.
 * A failure shows again in the step. */
static void choose_pivots(VidaIntegration* self) {
  const VidaStatistics before = self->statistics;
  int body = -1;
  prepare_bases(self);
  guess(self, true);
  if (!vida__lie_alpha_residual(self, &body)) {
    factor(self, false);
  }
  self->statistics = before;
}

static int start(VidaIntegration* self, VidaError* error) {
  lie_alpha* own = vida__lie_alpha_of(self);
  own->has_moved = false;
  int code = vida__lie_check_masses(self, error);
  if (code) {
    return code;
  }
  memcpy(own->v1, self->node.v, (size_t)self->model.n * sizeof *own->v1);
  code = vida__lie_start(self, error); /* takes node.v for angular momenta */
  code = code ? code : vida__lie_joints_start(self, own->joints, error);
  code = code ? code : vida__lie_matrix_start(self, own->matrix, error);
  if (code) {
    return code;
  }
  vida__lie_drop_rates(self, own->joints, self->node.q, own->v1, own->now.u);
  code = start_rates(self);
  if (!code) {
    choose_pivots(self);
  }
  if (code == VIDA_STEP_SINGULAR || code == VIDA_STEP_NOT_CONVERGED) {
    return vida__fail(error, code,
                      "%s cannot start: the accelerations of system '%s' could not be computed, "
                      "since its constraints form a singular matrix, or h is too large",
                      self->method->info.name, self->model.system->name);
  }
  return code ? vida__equations_failed(own->equations, code, error) : VIDA_SUCCESS;
}

/* Those of the step for the joints; the unit norms have those of the equations of motion. */
static int multipliers(VidaIntegration* self, VidaError* error) {
  const lie_alpha* own = vida__lie_alpha_of(self);
  const int code = vida__node_multipliers(self, error);
  for (int k = 0; k < own->joints->rows && !code && !self->model.redundant; k++) {
    self->node.lambda[own->joints->row[k]] = own->now.lambda[k];
  }
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_arrays(VidaIntegration* self) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t rates = (size_t)own->joints->rates, rows = (size_t)own->joints->rows;
  const vida_array arrays[] = {{&own->now.u, rates},
                               {&own->now.a, rates},
                               {&own->now.b, rates},
                               {&own->now.lambda, rows},
                               {&own->other.u, rates},
                               {&own->other.a, rates},
                               {&own->other.b, rates},
                               {&own->other.lambda, rows},
                               {&own->w, rates},
                               {&own->turn, rates},
                               {&own->u_base, rates},
                               {&own->base, rates},
                               {&own->end, rates},
                               {&own->push, rates},
                               {&own->pull, rates},
                               {&own->work, rates + rows},
                               {&own->size, rates + rows},
                               {&own->residual, rates + rows},
                               {&own->q1, n},
                               {&own->v1, n},
                               {&own->q1_low, n},
                               {&own->force, n},
                               {&own->change, n},
                               {&own->mu, m},
                               {&own->g, m},
                               {&own->reach, m}};
  own->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* Without damping the index-3 form is unstable: multipliers grow from the first step. */
static int set_parameters(const VidaIntegration* self, VidaError* error) {
  lie_alpha* own = vida__lie_alpha_of(self);
  const double rho = VidaOptions_Get(self->options, "rho");
  own->projects = VidaOptions_HasChoice(self->options, "projection", "velocity");
  own->alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
  own->alpha_f = rho / (rho + 1.0);
  const double damping = own->alpha_f - own->alpha_m;
  own->gamma = 0.5 + damping;
  own->beta = 0.25 * (1.0 + damping) * (1.0 + damping);
  own->ratio = own->gamma / own->beta;
  own->share = own->gamma * (1.0 - own->alpha_f) / (1.0 - own->alpha_m);
  return rho < 1.0 || own->projects || own->joints->rows == 0
             ? VIDA_SUCCESS
             : vida__fail(
                   error, VIDA_NOT_SUPPORTED,
                   "%s without damping (rho = 1) makes the multipliers of constraints, such as "
                   "'%s' of system '%s', grow without bound; add damping, or set projection = "
                   "velocity",
                   self->method->info.name, self->model.system->rows[own->joints->row[0]].name,
                   self->model.system->name);
}

static int create(VidaIntegration* self, VidaError* error) {
  int code = vida__lie_create(self, VIDA_LIE_JOINTS | VIDA_LIE_RATES, error);
  if (code) {
    return code;
  }
  vida_lie_state* lie = self->state;
  lie_alpha* own = vida__allocate(1, sizeof *own);
  lie->more = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  self->implicit.prepare = vida__prepare_node;
  self->reacts_between = true;
  code = vida__lie_joints_create(self, &own->joints, error);
  code = code ? code : vida__lie_matrix_create(self, own->joints, &own->matrix, error);
  code = code                    ? code
         : allocate_arrays(self) ? vida__fail_memory(error)
                                 : set_parameters(self, error);
  code = code
             ? code
             : vida__equations_create(self->model.system, VIDA_SOLVER_AUTO, &own->equations, error);
  if (!code) {
    vida__follow_equations(self, own->equations);
  }
  return code;
}

static void destroy(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  lie_alpha* own = lie ? lie->more : NULL;
  if (own) {
    vida__equations_destroy(&own->equations);
    vida__lie_matrix_destroy(&own->matrix);
    vida__lie_joints_destroy(&own->joints);
    free(own->block);
    free(own);
  }
}

static const VidaOptionRow options[] = {
    {"rho", VIDA_OPTION_REAL, "1", 0.8, 0.0, 1.0, false, NULL,
     "Spectral radius at infinity: the factor by which components much faster than the step shrink "
     "per step, from 1 (no damping; constraints then need projection = velocity) to 0 (at once)."},
    {"projection", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "none|velocity",
     "velocity: velocities and multipliers of a step are computed from the hidden constraints, at "
     "its positions; none: velocities across constraints have an error of second order."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__lie_alpha = {
    .size = sizeof(VidaMethod),
    .info = {"lie-alpha", "generalized-alpha method on a Lie group: rigid bodies with joints",
             "Bruels, Cardona and Arnold 2012; Arnold, Bruels and Cardona 2015",
             "Rigid bodies in space as unit quaternions, coordinates with a constant mass of their "
             "own, and holonomic constraints; any forces. The unit norms of quaternions are no "
             "equations of a step. Stability of linear systems does not limit the step: "
             "oscillations faster than the step are damped. Slow motion loses energy at third "
             "order in the step. Without projection = velocity, bodies on joints must turn by less "
             "than about 1 - r radians per step, where r is the spectral radius at infinity: "
             "otherwise the multipliers, and with them the energy, grow without bound. With it, by "
             "less than about a right angle.",
             2, VIDA_CAN_POSITION_LEVEL | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_JOINTED_BODIES},
    .common = vida__linear_options,
    .remedy = {.option = "projection", .value = "velocity"},
    .options = options,
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .undo = undo,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = multipliers,
    .destroy = destroy};
