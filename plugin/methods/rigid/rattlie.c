/* rattlie: RATTLE for rigid bodies with joints, on the group of their rotations (Hante and Arnold
 * 2021).
 *
 * The configuration is a rotation for each body, kept as a unit quaternion, and the other
 * coordinates. A step is
 *
 *     Pi' = Pi0 + h f(q0) / 2 - B(q0)^T mu,   q1 = q0 exp(h w),   g(q1) = 0,
 *     Pi1 = Pi' (in space) + h f(q1) / 2 - B(q1)^T nu,   B(q1) u1 + g_t = 0,   Pi1 = M u1,
 *
 * where w follows from the momenta Pi' by the discrete kinetic energy (lie_exponential.h; M w = Pi'
 * for other coordinates), and B are the gradients of the joints (lie_joints.h). The momenta of
 * bodies are kept in space, where a flight does not change them. Newton's method finds the impulses
 * mu, of which all other unknowns are functions. It begins with the matrix of the projection at q0,
 * B M^-1 B^T, which has been factored there, and takes that of the step where the former contracts
 * too slowly. */
#include "methods/rigid/rattlie.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/method_options.h"

/* ---- the node -------------------------------------------------------------------------------- */

/* Sets own->momentum from the node. */
static void take_momenta(const VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  for (int b = 0; b < lie->bodies; b++) {
    double q[4];
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_spin(self, &lie->body[b], q, own->momentum + own->joints->of_body[b]);
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    own->momentum[own->joints->of_other[j]] = self->node.p[i] + self->node.p_low[i];
  }
}

/* Returns p / m of a coordinate that is not one of a body. */
static double velocity_of(const VidaIntegration* self, int i) {
  return (self->node.p[i] + self->node.p_low[i]) / ((const vida_lie_state*)self->state)->mass[i];
}

/* ---- guesses --------------------------------------------------------------------------------- */

/* A flight without impulses of constraints. */
static void guess_flight(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  memset(own->mu, 0, (size_t)own->joints->rows * sizeof *own->mu);
  for (int b = 0; b < lie->bodies; b++) {
    vida__lie_multiply(lie->body[b].factors, own->momentum + own->joints->of_body[b],
                       own->rotation[b].xi);
    for (int i = 0; i < 3; i++) {
      own->rotation[b].xi[i] *= self->node.h;
    }
    own->rotation[b].has_inverse = false;
  }
}

/* The unknowns of the frame's history: w, with the rates of bodies in the first three components of
 * their quaternions. */
static void extrapolate_rates(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  const double* u = self->implicit.unknown;
  vida__extrapolate_unknown(self);
  for (int b = 0; b < lie->bodies; b++) {
    for (int i = 0; i < 3; i++) {
      own->rotation[b].xi[i] = self->node.h * u[lie->body[b].coordinate[i]];
    }
    own->rotation[b].has_inverse = false;
  }
}

/* Computes the impulses that the extrapolated rates need. Impulses themselves are not extrapolated:
 * what constraints do not determine of them, always or near a singular configuration, would grow
 * from step to step. */
static int guess_impulses(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  const double* u = self->implicit.unknown;
  const double h = self->node.h;
  memcpy(own->rates, own->momentum, (size_t)own->joints->rates * sizeof *own->rates);
  for (int b = 0; b < lie->bodies; b++) {
    double impulse[3];
    vida__lie_find_impulse(&lie->body[b], own->rotation[b].xi, impulse);
    for (int i = 0; i < 3; i++) {
      own->rates[own->joints->of_body[b] + i] -= impulse[i] / h;
    }
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    own->rates[own->joints->of_other[j]] -= lie->mass[i] * u[i];
  }
  return vida__lie_fit_impulses(self, own->joints, own->rates, own->q1, own->mu);
}

static int extrapolate(VidaIntegration* self) {
  extrapolate_rates(self);
  return vida__rattlie_of(self)->joints->rows > 0 ? guess_impulses(self) : VIDA_SUCCESS;
}

static void remember(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  const rattlie_state* own = vida__rattlie_of(self);
  double* u = self->implicit.unknown;
  memset(u, 0, (size_t)(self->model.n + self->model.m) * sizeof *u);
  for (int b = 0; b < lie->bodies; b++) {
    for (int i = 0; i < 3; i++) {
      u[lie->body[b].coordinate[i]] = own->rotation[b].xi[i] / self->node.h;
    }
  }
  for (int j = 0; j < lie->others; j++) {
    u[lie->other[j]] = velocity_of(self, lie->other[j]);
  }
  vida__remember_unknown(self);
}

/* ---- flight ---------------------------------------------------------------------------------- */

static int fail_flight(const VidaIntegration* self, int code, int body, VidaError* error) {
  const vida_lie_state* lie = self->state;
  const rattlie_state* own = vida__rattlie_of(self);
  const VidaSystem* system = self->model.system;
  char step[VIDA_STEP_NAME_SIZE], h[VIDA_REAL_TEXT_SIZE];
  vida__name_step(self, step);
  vida__real_text(h, vida__requested_step_size(self), 6);
  if (code == VIDA_STEP_SINGULAR) {
    return vida__fail(
        error, code,
        "%s: the matrix of the constraints is singular: they depend on each other, or "
        "meet at a singular point",
        step);
  }
  if (body >= 0) {
    return vida__fail(error, code,
                      "%s: the body of '%s' turns too far in a step; the step is too large: try "
                      "less than h = %s",
                      step, system->coordinates[lie->body[body].coordinate[0]].name, h);
  }
  int worst = own->joints->row[0];
  for (int k = 1; k < own->joints->rows; k++) {
    const int r = own->joints->row[k];
    worst = fabs(own->g[r]) > fabs(own->g[worst]) ? r : worst;
  }
  return vida__fail(error, code,
                    "%s: Newton's method found no impulse that meets constraint '%s'; the step is "
                    "too large: try less than h = %s",
                    step, system->rows[worst].name, h);
}

/* Adds own->pull to the momenta at the node. */
static void add_pull(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  const rattlie_state* own = vida__rattlie_of(self);
  const vida_lie_joints* joints = own->joints;
  for (int b = 0; b < lie->bodies; b++) {
    double q[4], back[4], moment[3];
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_conjugate(q, back);
    vida__lie_turn_to_body(back, own->pull + joints->of_body[b], moment);
    vida__lie_add_spin(self, &lie->body[b], 1.0, moment);
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], own->pull[joints->of_other[j]]);
  }
}

/* Adds the impulses of the step to the momenta, and moves to its end. */
static void arrive(VidaIntegration* self) {
  const vida_lie_state* lie = self->state;
  const rattlie_state* own = vida__rattlie_of(self);
  add_pull(self);
  for (int b = 0; b < lie->bodies; b++) {
    double q[4], change[4];
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_find_change(q, own->rotation[b].xi, change);
    vida__lie_advance(self, &lie->body[b], change);
  }
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i],
                          self->node.h * velocity_of(self, i));
  }
}

/* Guesses the gradients at the end of the step, by one more node than the history of the rates is
 * extrapolated from: positions are smoother by one order. */
static void predict_gradients(VidaIntegration* self) {
  rattlie_state* own = vida__rattlie_of(self);
  const vida_history* history = &self->implicit.history;
  const bool is_known = history->count > 0 && own->alike > 0,
             is_alike = self->node.h == own->last_h;
  int nodes = own->alike + 1 < VIDA_LIE_NODES ? own->alike + 1 : VIDA_LIE_NODES;
  nodes = nodes < history->terms + 1 ? nodes : history->terms + 1;
  nodes = !is_known ? 1 : is_alike && nodes > 2 ? nodes : 2;
  if (nodes < own->nodes || !is_alike) {
    own->missed = INFINITY;
    own->corrected = 0.0;
  }
  own->nodes = nodes;
  vida__lie_predict_gradients(own->joints, nodes, is_known ? self->node.h / own->last_h : 0.0);
}

static int fly(VidaIntegration* self, VidaError* error) {
  rattlie_state* own = vida__rattlie_of(self);
  const bool has_history = self->implicit.history.count > 0;
  int body = -1, code = VIDA_SUCCESS;
  take_momenta(self);
  predict_gradients(self);
  if (has_history) {
    code = extrapolate(self);
  } else {
    guess_flight(self);
  }
  code = code ? code : vida__rattlie_solve(self, false, &body);
  if (code > 0) {
    guess_flight(self);
    code = vida__rattlie_solve(self, true, &body);
  }
  if (code) {
    return code == VIDA_STEP_NOT_CONVERGED || code == VIDA_STEP_SINGULAR
               ? fail_flight(self, code, body, error)
               : vida__evaluation_failed(self, code, error);
  }
  arrive(self);
  remember(self);
  own->alike = self->node.h == own->last_h ? own->alike + 1 : 1;
  own->alike = own->alike < VIDA_LIE_NODES ? own->alike : VIDA_LIE_NODES;
  own->last_h = self->node.h;
  return VIDA_SUCCESS;
}

/* ---- projection ------------------------------------------------------------------------------ */

/* Their rounding grows with the distance from the origin. Rows whose terms vanish get a size when
 * the momenta of a step are known (add_displacements). */
static void measure_rows(VidaIntegration* self, const double* entries) {
  const VidaSystem* system = self->model.system;
  double* size = vida__rattlie_of(self)->node_size;
  for (int r = 0; r < self->model.m; r++) {
    size[r] = system->rows[r].length;
  }
  for (int e = 0; e < system->entry_count; e++) {
    size[system->entries[e].row] += fabs(entries[e] * self->node.q[system->entries[e].coordinate]);
  }
}

/* Factors the matrix of the node from the entries of G there. */
static int prepare_joints(VidaIntegration* self, const double* entries) {
  rattlie_state* own = vida__rattlie_of(self);
  own->has_node = false;
  if (own->joints->rows == 0) {
    return VIDA_SUCCESS;
  }
  measure_rows(self, entries);
  vida__lie_swap_gradients(own->joints);
  vida__lie_joint_gradients(self, own->joints, self->node.q, entries, own->joints->gradient);
  const int code = vida__lie_factor_node(self, own->joints);
  own->has_node = !code;
  return code;
}

/* Does so at a node that the step has reached, at the time t. */
static int prepare_reached_joints(VidaIntegration* self, double t) {
  rattlie_state* own = vida__rattlie_of(self);
  const double* entries;
  if (own->joints->rows == 0) {
    return VIDA_SUCCESS;
  }
  int code = vida__jacobian_after_step(self, t, &entries);
  self->statistics.jacobian_evaluations++;
  if (code) {
    return code;
  }
  code = prepare_joints(self, entries);
  own->missed = own->nodes > 0 ? vida__lie_missed_gradients(own->joints) : INFINITY;
  return code;
}

/* Computes the residual B u + g_t at the node, with g_t in own->g, and its largest row relative to
 * its terms, own->size; `has_sizes`: these are known, and have hardly changed. */
static double find_velocity_residual(VidaIntegration* self, bool has_sizes) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  const vida_lie_joints* joints = own->joints;
  double largest = 0.0;
  take_momenta(self);
  for (int b = 0; b < lie->bodies; b++) {
    vida__lie_multiply(lie->body[b].factors, own->momentum + joints->of_body[b],
                       own->rates + joints->of_body[b]);
  }
  for (int j = 0; j < lie->others; j++) {
    own->rates[joints->of_other[j]] = own->momentum[joints->of_other[j]] / lie->mass[lie->other[j]];
  }
  vida__lie_multiply_joints(joints, joints->gradient, own->rates, own->residual);
  if (!has_sizes) {
    vida__lie_row_sizes(joints, own->rates, own->size);
  }
  for (int k = 0; k < joints->rows; k++) {
    own->residual[k] += own->g[joints->row[k]];
    const double size = own->size[k] + fabs(own->g[joints->row[k]]);
    largest = fabs(own->residual[k]) <= largest * size ? largest : fabs(own->residual[k]) / size;
  }
  return largest;
}

/* Projects the momenta at the end of the step on the hidden constraints. */
static int project(VidaIntegration* self) {
  enum { MOST_PASSES = 4 };
  rattlie_state* own = vida__rattlie_of(self);
  const double t = vida__next_time(self);
  double before = INFINITY;
  int code = prepare_reached_joints(self, t);
  if (own->joints->rows == 0) {
    return code;
  }
  memset(own->g, 0, (size_t)self->model.m * sizeof *own->g);
  if (!code && self->model.system->time_dependent) {
    code = vida__constraint_rate(&self->model.evaluator, t, self->node.q, own->g);
  }
  for (int k = 0; k < MOST_PASSES && !code; k++) {
    const double left = find_velocity_residual(self, k > 0);
    if (left <= 4.0 * DBL_EPSILON || (left < 1e-12 && left >= 0.1 * before)) {
      break;
    }
    code = vida__linear_solve(own->joints->node, own->residual, own->step);
    if (!code) {
      memset(own->pull, 0, (size_t)own->joints->rates * sizeof *own->pull);
      vida__lie_subtract_impulses(own->joints, own->step, own->pull);
      add_pull(self);
    }
    if (vida__rattlie_will_converge(left, left / before)) {
      break;
    }
    before = left;
  }
  return code;
}

/* ---- start and step -------------------------------------------------------------------------- */

static void forget(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  rattlie_state* own = vida__rattlie_of(self);
  lie->has_force = false;
  own->has_node = false;
  own->alike = own->nodes = 0;
  own->missed = INFINITY;
  own->corrected = own->correction = 0.0;
}

static int allocate(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  rattlie_state* own = lie->more;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t bodies = (size_t)lie->bodies, rates = (size_t)own->joints->rates;
  const vida_array arrays[] = {{&own->response, 9 * bodies},
                               {&own->left, m},
                               {&own->momentum, rates},
                               {&own->pull, rates},
                               {&own->rates, rates},
                               {&own->q1, n},
                               {&own->g, m},
                               {&own->mu, m},
                               {&own->residual, m},
                               {&own->step, m},
                               {&own->node_size, m},
                               {&own->size, m}};
  own->numbers = vida__count_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  own->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  own->rotation = vida__allocate(bodies + 1, sizeof *own->rotation);
  return own->block && own->rotation ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int create(VidaIntegration* self, VidaError* error) {
  int code = vida__lie_create(self, VIDA_LIE_JOINTS, error);
  if (code) {
    return code;
  }
  vida_lie_state* lie = self->state;
  rattlie_state* own = vida__allocate(1, sizeof *own);
  lie->more = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  self->implicit.prepare = vida__prepare_node;
  code = vida__lie_joints_create(self, &own->joints, error);
  return code ? code : allocate(self) ? vida__fail_memory(error) : VIDA_SUCCESS;
}

static void destroy(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  rattlie_state* own = lie ? lie->more : NULL;
  if (own) {
    vida__lie_joints_destroy(&own->joints);
    free(own->block);
    free(own->rotation);
    free(own);
  }
}

static int start(VidaIntegration* self, VidaError* error) {
  rattlie_state* own = vida__rattlie_of(self);
  vida_lie_state* lie = self->state;
  forget(self);
  int code = vida__lie_check_masses(self, error);
  code = code ? code : vida__lie_start(self, error);
  code = code ? code : vida__lie_joints_start(self, own->joints, error);
  if (code) {
    return code;
  }
  code = prepare_reached_joints(self, self->node.t0);
  if (!code && own->joints->rows > 0) { /* so that steps allocate nothing */
    for (int b = 0; b < lie->bodies; b++) {
      memcpy(own->response + 9 * b, lie->body[b].factors, 9 * sizeof *own->response);
    }
    memcpy(own->joints->next, own->joints->gradient,
           (size_t)own->joints->entries * sizeof *own->joints->next);
    code = vida__lie_factor_step(self, own->joints, own->response);
  }
  code = code ? code : vida__lie_find_force(self, self->node.t0);
  lie->has_force = !code;
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  const vida_lie_state* lie = self->state;
  rattlie_state* own = lie->more;
  vida__lie_state_record(self, record);
  VidaRecord_Reals(record, own->block, own->numbers);
  VidaRecord_Reals(record, &own->last_h, 1);
  vida__record_integers(record, &own->alike, 1, 0, VIDA_LIE_NODES);
  vida__record_integers(record, &own->nodes, 1, 0, VIDA_LIE_NODES);
  VidaRecord_Reals(record, &own->missed, 1);
  VidaRecord_Reals(record, &own->corrected, 1);
  VidaRecord_Reals(record, &own->correction, 1);
  VidaRecord_Flag(record, &own->has_node);
  for (int b = 0; b < lie->bodies; b++) {
    VidaRecord_Reals(record, own->rotation[b].xi, 3);
    VidaRecord_Reals(record, own->rotation[b].inverse, 9);
    VidaRecord_Reals(record, own->rotation[b].place, 3);
    VidaRecord_Flag(record, &own->rotation[b].has_inverse);
  }
  vida__lie_joints_record(self, own->joints, record);
}

/* The part of the step before the projection. */
static int advance(VidaIntegration* self, VidaError* error) {
  vida_lie_state* lie = self->state;
  const double t = vida__node_time(self);
  int code = lie->has_force ? 0 : vida__lie_find_force(self, t);
  code = code || vida__rattlie_of(self)->has_node ? code
                                                  : prepare_joints(self, self->implicit.entries0);
  lie->has_force = false;
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__lie_kick(self);
  return fly(self, error);
}

static int finish(VidaIntegration* self, VidaError* error) {
  vida_lie_state* lie = self->state;
  int code = vida__lie_find_force(self, vida__next_time(self));
  lie->has_force = !code;
  if (!code) {
    vida__lie_kick(self);
    code = project(self);
  }
  if (code == VIDA_STEP_SINGULAR) {
    return fail_flight(self, code, -1, error);
  }
  vida__lie_set_momenta(self);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  int code = advance(self, error);
  code = code ? code : finish(self, error);
  if (code) {
    forget(self);
    vida__forget_history(self);
  }
  return code;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__rattlie = {
    .size = sizeof(VidaMethod),
    .info = {"rattlie", "RATTLE on a Lie group: rigid bodies with joints, as rotations",
             "Hante and Arnold 2021",
             "Rigid bodies in space as unit quaternions, coordinates with a constant mass of their "
             "own, and holonomic constraints; potentials and forces of positions and time. The "
             "unit norms of quaternions are no equations of a step. A body must turn by less than "
             "3 rad per step, and the step must be below 2 "
             "over the largest frequency of the potential. Where the constraints become singular, "
             "a step may find another solution: if it changes the energy by a large part, the run "
             "ends.",
             2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_JOINTED_BODIES},
    .common = vida__linear_options,
    .options = options,
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .undo = forget,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
