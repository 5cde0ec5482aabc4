/* moreau-jean: time stepping across impacts and friction (Moreau 1988; Jean 1999; Acary and
 * Brogliato 2008, section 10.1).
 *
 * A step from (q0,v0) to (q1,v1) takes the matrix C of the constraints in its middle, so that
 * reactions do no work where constraints turn, and G at its end. With the forces f0 at the node and
 * f1 at (q0 + h v0, v0), of f = L_q + f - L_vq v - L_vt, it solves
 *     A (v1 - v0) + C^T h lambda = h (theta f1 + (1 - theta) f0) + H^T P,
 *     G v1 + g_t = 0,   A = M - h theta f_v - h^2 theta^2 f_q,
 * moves to q1 = q0 + h (theta v1 + (1 - theta) v0), and projects q1 onto g = 0. Where masses depend
 * on positions, A is M, and M and f are those of the middle, too.
 *
 * The middle and the end of the first pass are predicted from a motion without contacts. With
 * constraints, and where masses depend on positions, further passes take those of the pass before:
 * what the prediction is wrong by would give or take energy wherever bodies turn, at every step.
 *
 * Contacts with the rows H whose gap in the predicted middle is not positive are closed. The rate u
 * of the gap satisfies u1 + e u0 >= 0 and P_N >= 0, and their product vanishes; the slip velocity
 * obeys Coulomb's law with P_N. All impulses of a step, whether of impacts or of forces, are one P.
 * A contact that stays closed keeps the gap with which it closed: rates alone would let it sink
 * where it is curved, because the H of one step differs from that of the next. So positions are
 * projected onto these gaps, too (Acary 2013, section 4). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/text.h"
#include "solve/closed_contacts.h"
#include "stepper/integration.h"
#include "stepper/method_options.h"
#include "system/constraints/singular.h"

enum { PROJECTIONS = 10, PASSES = 20 };

typedef struct moreau_jean {
  double theta;
  vida_closed_contacts* closed; /* NULL: the system has no contacts */
  double* v;                    /* n: at the node */
  double* kept_v;               /* n: before the last step */
  double* kept_q;      /* 2 n: positions of the node before the step, and their low parts */
  double* kept_last;   /* impulses before the last step; rows of contacts */
  double* kept_gaps;   /* 2 contacts: gaps that were kept before the last step */
  double* change;      /* n: v1 - v0 of the last pass */
  double* free_change; /* n: the same without contacts */
  double* shift;       /* n */
  double* force;       /* n */
  double* end_force;   /* n */
  double* side;        /* n + m */
  double* answer;      /* n + m */
  double* free_v;      /* n */
  double* columns;     /* entries of C */
  /* With constraints, and where masses depend on positions: one more solution predicts the middle
   * and the end of the step, and further passes correct them. */
  bool predicts;
  bool is_general;  /* masses depend on positions: the step takes masses and forces of its middle */
  double* middle_v; /* n: the predicted velocity in the middle */
  double* flight;   /* n: q0 + h v0 */
  double* scale;    /* n + m: the matrix is scaled by it on both sides */
} moreau_jean;

/* ---- creation -------------------------------------------------------------------------------- */

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const vida_contacts* contacts = self->model.system->contacts;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t rows = contacts ? (size_t)contacts->set.row_count : 0;
  const size_t count = contacts ? (size_t)contacts->count : 0;
  moreau_jean* own = vida__allocate(
      1, sizeof *own + (15 * n + 3 * m + rows + 2 * count + entries) * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  const vida_array arrays[] = {
      {&own->v, n},          {&own->kept_v, n},           {&own->kept_last, rows},
      {&own->force, n},      {&own->end_force, n},        {&own->side, n + m},
      {&own->answer, n + m}, {&own->free_v, n},           {&own->columns, entries},
      {&own->middle_v, n},   {&own->flight, n},           {&own->scale, n + m},
      {&own->kept_q, 2 * n}, {&own->change, n},           {&own->free_change, n},
      {&own->shift, n},      {&own->kept_gaps, 2 * count}};
  vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  own->theta = VidaOptions_Get(self->options, "theta");
  own->is_general = !self->model.system->constant_mass;
  own->predicts = own->is_general || m > 0;
  if (!contacts) {
    return VIDA_SUCCESS;
  }
  const int code =
      vida__closed_create(self->model.system, &self->model.system->pattern, &own->closed, error);
  if (!code) {
    vida__closed_take_options(own->closed, self->options);
  }
  return code;
}

static void destroy(VidaIntegration* self) {
  moreau_jean* own = self->state;
  if (own) {
    vida__closed_destroy(&own->closed);
  }
}

static void record(VidaIntegration* self, VidaRecord* record) {
  moreau_jean* own = self->state;
  VidaRecord_Reals(record, own->v, (size_t)self->model.n);
  if (own->closed) {
    vida__closed_record(own->closed, record);
  }
}

/* ---- start ----------------------------------------------------------------------------------- */

static int find_momenta(VidaIntegration* self, double t, const double* q, VidaError* error) {
  const moreau_jean* own = self->state;
  const int code =
      vida__gradient(&self->model.evaluator, t, q, own->v, self->work.l_q, self->work.l_v);
  memcpy(self->node.p, self->work.l_v, (size_t)self->model.n * sizeof *self->node.p);
  memset(self->node.p_low, 0, (size_t)self->model.n * sizeof *self->node.p_low);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Sizes of masses and constraints differ by any factor; scaled with these, the entries of the
 * matrix do not. */
static void find_scale(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const int n = self->model.n;
  for (int i = 0; i < n + self->model.m; i++) {
    const double size = i < n ? self->model.matrix_root[i] : self->model.matrix_stiffness[i - n];
    own->scale[i] = size > 0.0 && isfinite(size) ? 1.0 / size : 1.0;
  }
}

static int start(VidaIntegration* self, VidaError* error) {
  moreau_jean* own = self->state;
  memcpy(own->v, self->node.v, (size_t)self->model.n * sizeof *own->v);
  find_scale(self);
  if (own->closed && !self->continues) {
    const int code = vida__closed_start(own->closed, self->node.t0, self->node.q, error);
    if (code) {
      return code;
    }
  }
  return find_momenta(self, self->node.t0, self->node.q, error);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

static int fail_singular(const VidaIntegration* self, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  vida__append_singular(self->model.system, self->model.node_matrix->values, open, sizeof open);
  return vida__fail(error, VIDA_STEP_SINGULAR, "%s: the matrix of the step is singular%s",
                    vida__name_step(self, step), open);
}

static void scale_matrix(const VidaIntegration* self, double* matrix) {
  const moreau_jean* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      matrix[k] *= own->scale[j] * own->scale[pattern->row[k]];
    }
  }
}

/* Solves with the last factors; `side` (n + m) does not change. */
static int solve(VidaIntegration* self, const double* side, double* answer) {
  const moreau_jean* own = self->state;
  const int size = self->model.n + self->model.m;
  for (int i = 0; i < size; i++) {
    answer[i] = own->scale[i] * side[i];
  }
  const int code = vida__linear_solve(self->model.node_matrix, answer, answer);
  for (int i = 0; i < size; i++) {
    answer[i] *= own->scale[i];
  }
  return code;
}

/* Adds A. */
static int add_masses(VidaIntegration* self, double* matrix) {
  const moreau_jean* own = self->state;
  const double step = self->node.h * own->theta;
  const vida_hessian_weights weights = {-step * step, -step, step, 1.0};
  const vida_hessian_weights masses = {0.0, 0.0, 0.0, 1.0};
  vida_evaluator* evaluator = &self->model.evaluator;
  return own->is_general ? vida__add_hessian(evaluator, vida__place_time(self, 0.5),
                                             self->work.place, own->middle_v, masses, matrix)
                         : vida__add_hessian(evaluator, vida__node_time(self), self->node.q, own->v,
                                             weights, matrix);
}

/* Evaluates and factors the matrix, with G at the end of the step (work.q1) in work.entries, and C
 * in the middle (work.place). */
static int factor(VidaIntegration* self) {
  const moreau_jean* own = self->state;
  vida_evaluator* evaluator = &self->model.evaluator;
  double* matrix = self->model.node_matrix->values;
  vida__linear_clear(self->model.node_matrix);
  int code = add_masses(self, matrix);
  code = code ? code
              : vida__jacobian(evaluator, vida__next_time(self), self->work.q1, self->work.entries);
  code =
      code ? code
           : vida__jacobian(evaluator, vida__place_time(self, 0.5), self->work.place, own->columns);
  vida__add_columns(self->model.system, own->columns, 1.0, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  if (self->model.redundant) {
    vida__subtract_redundancy(self, matrix);
  }
  scale_matrix(self, matrix);
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

/* Computes h times the force of the step. */
static int find_force(VidaIntegration* self, double* side) {
  moreau_jean* own = self->state;
  vida_evaluator* evaluator = &self->model.evaluator;
  const double theta = own->theta, h = self->node.h;
  int code = VIDA_SUCCESS;
  if (own->is_general) {
    code = vida__motion_force(evaluator, vida__place_time(self, 0.5), self->work.place,
                              own->middle_v, own->force, self->work.l_v);
    memcpy(own->end_force, own->force, (size_t)self->model.n * sizeof *own->force);
  } else {
    code = vida__motion_force(evaluator, vida__node_time(self), self->node.q, own->v, own->force,
                              self->work.l_v);
    code = code ? code
                : vida__motion_force(evaluator, vida__next_time(self), own->flight, own->v,
                                     own->end_force, self->work.l_v);
  }
  for (int i = 0; i < self->model.n; i++) {
    side[i] = h * (theta * own->end_force[i] + (1.0 - theta) * own->force[i]);
  }
  return code;
}

/* Solves for v1 - v0 and h lambda of the motion without contacts. */
static int solve_free(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const int n = self->model.n;
  int code = factor(self);
  code = code ? code : find_force(self, own->side);
  code = code ? code
              : vida__velocity_residual(&self->model.evaluator, vida__next_time(self),
                                        self->work.q1, self->work.entries, own->v, own->side + n);
  for (int r = 0; r < self->model.m; r++) {
    own->side[n + r] = -own->side[n + r];
  }
  return code ? code : solve(self, own->side, own->answer);
}

static void copy(double* to, const double* from, size_t count) {
  if (count > 0) {
    memcpy(to, from, count * sizeof *to);
  }
}

/* Predicts the middle and the end of the step: work.place, work.q1 and middle_v. */
static int predict(VidaIntegration* self) {
  moreau_jean* own = self->state;
  memcpy(own->middle_v, own->v, (size_t)self->model.n * sizeof *own->v);
  vida__find_place(self, own->v, 0.5, self->work.place);
  vida__find_place(self, own->v, 1.0, self->work.q1);
  memcpy(own->flight, self->work.q1, (size_t)self->model.n * sizeof *own->flight);
  if (!own->predicts) {
    return VIDA_SUCCESS;
  }
  const int code = solve_free(self);
  copy(own->change, own->answer, (size_t)self->model.n);
  for (int i = 0; i < self->model.n && !code; i++) {
    own->middle_v[i] += 0.5 * own->answer[i];
    own->free_v[i] = 0.5 * (own->v[i] + own->middle_v[i]);
  }
  vida__find_place(self, own->free_v, 0.5, self->work.place);
  vida__find_place(self, own->middle_v, 1.0, self->work.q1);
  return code;
}

/* Chooses the contacts whose gap in the middle of the step is not positive. */
static int choose(VidaIntegration* self) {
  moreau_jean* own = self->state;
  vida_closed_contacts* closed = own->closed;
  const double t = vida__node_time(self) + 0.5 * self->node.h;
  int code = vida__closed_gaps(closed, t, self->work.place);
  closed->count = 0;
  for (int c = 0; c < self->model.system->contacts->count && !code; c++) {
    if (!(closed->gap[c] > 0.0)) {
      closed->chosen[closed->count++] = c;
    }
  }
  if (closed->count > 0 && !code) {
    code = vida__closed_rows(closed, t, self->work.place, own->v);
  }
  return code;
}

/* Newton's law: u1 + e u0 >= 0 where the gap closes; slip velocities are those after the step. In a
 * contact that was pressed in the last step, whose rate was 0 then, u0 < 0 is no impact: it is what
 * the gap turns in a step. There the mean of u0 and u1 is not negative, so that the impulse does no
 * work, as reactions of constraints do none, and u1 is the rate at the end of the step. */
static void set_bias(const vida_closed_contacts* closed) {
  const vida_contacts* contacts = closed->system->contacts;
  for (int k = 0; k < closed->count; k++) {
    const int c = closed->chosen[k], first = closed->problem.first[k];
    const double e = vida__was_pressed(closed, c) ? 1.0 : contacts->list[c].restitution;
    for (int r = first; r < closed->problem.first[k + 1]; r++) {
      closed->bias[r] = closed->rate[r];
    }
    closed->bias[first] += e * fmin(closed->before[first], 0.0);
  }
}

/* Adds the impulses of contacts to the right-hand side. The answer without them is in own->answer.
 */
static int add_contacts(VidaIntegration* self, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  moreau_jean* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    own->free_v[i] = own->v[i] + own->answer[i];
  }
  const int code = vida__closed_columns(own->closed, self->model.node_matrix, own->scale);
  if (code) {
    return code;
  }
  set_bias(own->closed);
  if (!vida__closed_solve(own->closed, own->free_v)) {
    return vida__closed_fail(own->closed, vida__name_step(self, step), error);
  }
  self->impact_gain = vida__closed_gain(own->closed, own->free_v);
  vida__closed_add_impulses(own->closed, own->side);
  return solve(self, own->side, own->answer);
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Returns the largest violation of g = 0 in own->side, relative to the sizes of the terms of G q.
 */
static double largest_violation(VidaIntegration* self) {
  const moreau_jean* own = self->state;
  const VidaSystem* system = self->model.system;
  double* size = self->work.g_work;
  double most = 0.0;
  memset(size, 0, (size_t)self->model.m * sizeof *size);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    size[entry->row] += fabs(self->work.entries[e] * self->node.q[entry->coordinate]);
  }
  for (int r = 0; r < self->model.m; r++) {
    const double violation = fabs(own->side[self->model.n + r]);
    most = fmax(most, violation > 0.0 ? violation / size[r] : 0.0);
  }
  return most;
}

/* Moves the positions after the step onto g = 0, with the matrix of the step. */
static int project(VidaIntegration* self) {
  static const double rounding = 1e-16;
  moreau_jean* own = self->state;
  const int n = self->model.n, m = self->model.m;
  double before = (double)INFINITY;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < PROJECTIONS && m > 0 && !code; k++) {
    memset(own->side, 0, (size_t)n * sizeof *own->side);
    code = vida__constraints(&self->model.evaluator, vida__next_time(self), self->node.q,
                             self->node.q_low, own->side + n);
    for (int r = 0; r < m; r++) {
      own->side[n + r] = -own->side[n + r];
    }
    const double most = largest_violation(self);
    if (code || !(most > rounding) || !(most < before)) {
      break;
    }
    before = most;
    code = solve(self, own->side, own->answer);
    for (int i = 0; i < n && !code; i++) {
      vida__add_compensated(&self->node.q[i], &self->node.q_low[i], own->answer[i]);
    }
  }
  return code;
}

/* An evaluation of contacts has its message in their evaluator. */
static int take_message(VidaIntegration* self, int code) {
  const moreau_jean* own = self->state;
  if (code && *own->closed->evaluator.error.message) {
    self->model.evaluator.error = own->closed->evaluator.error;
  }
  return code;
}

/* Opens contacts that stay closed to the gaps that they keep. */
static int lift(VidaIntegration* self) {
  moreau_jean* own = self->state;
  bool moves = false;
  if (!own->closed || own->closed->count == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__closed_lift(own->closed, vida__next_time(self), self->node.h, self->node.q,
                                     own->shift, &moves);
  for (int i = 0; i < self->model.n && moves && !code; i++) {
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], own->shift[i]);
  }
  return take_message(self, code);
}

/* Moves the node from q0 to q1, with the change of the velocities in own->change. */
static int move(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const size_t n = (size_t)self->model.n;
  copy(self->node.q, own->kept_q, n);
  copy(self->node.q_low, own->kept_q + n, n);
  for (size_t i = 0; i < n; i++) {
    const double next = own->v[i] + own->change[i];
    self->work.dq[i] = own->theta * next + (1.0 - own->theta) * own->v[i];
  }
  vida__advance_positions(self, self->work.dq);
  const int code = lift(self);
  return code ? code : project(self);
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Takes the middle and the end of the next pass from this one, and the node back to q0. The
 * velocity in the middle is that of a v1 which the constraints at the new end allow: with a v1 of
 * the end before, passes would converge with the square root of their rate. */
static int correct(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  for (size_t i = 0; i < n; i++) {
    self->work.q1[i] = self->node.q[i];
    self->work.place[i] = own->kept_q[i] + 0.5 * (self->node.q[i] - own->kept_q[i]);
    own->middle_v[i] = own->v[i] + own->change[i];
  }
  copy(self->node.q, own->kept_q, n);
  copy(self->node.q_low, own->kept_q + n, n);
  int code =
      vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1, own->columns);
  memset(own->side, 0, n * sizeof *own->side);
  code = code ? code
              : vida__velocity_residual(&self->model.evaluator, vida__next_time(self),
                                        self->work.q1, own->columns, own->middle_v, own->side + n);
  for (size_t r = 0; r < m; r++) {
    own->side[n + r] = -own->side[n + r];
  }
  code = code ? code : solve(self, own->side, own->answer);
  for (size_t i = 0; i < n && !code; i++) {
    own->middle_v[i] = own->v[i] + 0.5 * (own->change[i] + own->answer[i]);
  }
  return code;
}

/* Finds v1 - v0 and h lambda, in own->answer, with the middle and the end of this pass. */
static int find_velocities(VidaIntegration* self, bool is_first, VidaError* error) {
  moreau_jean* own = self->state;
  self->impact_gain = 0.0;
  int code = solve_free(self);
  copy(own->free_change, own->answer, (size_t)self->model.n);
  if (!code && own->closed && is_first) {
    code = take_message(self, choose(self));
  } else if (!code && own->closed && own->closed->count > 0) {
    const double t = vida__node_time(self) + 0.5 * self->node.h;
    code = take_message(self, vida__closed_rows(own->closed, t, self->work.place, own->v));
  }
  if (!code && own->closed && own->closed->count > 0) {
    code = add_contacts(self, error);
  } else if (!code && own->closed) {
    memset(own->closed->last, 0, (size_t)own->closed->rows->row_count * sizeof *own->closed->last);
  }
  return !code && !vida__are_finite(own->answer, self->model.n + self->model.m) ? VIDA_NOT_FINITE
                                                                                : code;
}

/* Takes the answer, and returns by how much v1 differs from that of the pass before, relative to
 * v0 and its change without contacts: in the metric of the masses, or, where that is more, of the
 * velocities, for light bodies beside heavy ones. */
static double take_answer(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const int n = self->model.n;
  double momentum = 0.0, lost_momentum = 0.0, speed = 0.0, lost_speed = 0.0;
  for (int i = 0; i < n; i++) {
    const double root = self->model.matrix_root[i];
    const double size = fabs(own->v[i]) + fabs(own->free_change[i]);
    const double difference = fabs(own->answer[i] - own->change[i]);
    momentum = fmax(momentum, root * size);
    lost_momentum = fmax(lost_momentum, root * difference);
    speed = fmax(speed, size);
    lost_speed = fmax(lost_speed, difference);
    own->change[i] = own->answer[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = own->answer[n + r] / self->node.h;
  }
  return fmax(lost_momentum > 0.0 ? lost_momentum / momentum : 0.0,
              lost_speed > 0.0 ? lost_speed / speed : 0.0);
}

static void count_pass(VidaIntegration* self) {
  self->statistics.newton_iterations++;
  self->statistics.residual_evaluations++;
  self->statistics.jacobian_evaluations++;
}

/* Makes passes until the middle and the end of the step are those of its motion; *off is what the
 * last pass has changed. */
static int make_passes(VidaIntegration* self, double* off, VidaError* error) {
  static const double enough = 1e-14;
  enum { MOST_WORSE = 3 };
  double before = (double)INFINITY;
  int code = predict(self);
  for (int k = 0, worse = 0; k < PASSES && !code; k++) {
    code = find_velocities(self, k == 0, error);
    if (code) {
      break;
    }
    count_pass(self);
    *off = take_answer(self);
    code = move(self);
    /* The next pass would change about as much less; that of the first one may be 0 by chance. */
    const double left = k > 1 ? *off * fmin(1.0, *off / before) : *off;
    worse += !(*off < before);
    before = *off;
    if (code || (k > 0 && left <= enough) || worse > MOST_WORSE) {
      break;
    }
    code = k < PASSES - 1 ? correct(self) : VIDA_SUCCESS;
  }
  return code;
}

/* The same for systems of which the first pass has what the step needs. */
static int make_pass(VidaIntegration* self, VidaError* error) {
  int code = predict(self);
  code = code ? code : find_velocities(self, true, error);
  if (!code) {
    take_answer(self);
    code = move(self);
  }
  return code;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Keeps the own state before the step. */
static void keep(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const size_t n = (size_t)self->model.n;
  copy(own->kept_v, own->v, n);
  copy(own->kept_q, self->node.q, n);
  copy(own->kept_q + n, self->node.q_low, n);
  if (own->closed) {
    const size_t contacts = (size_t)self->model.system->contacts->count;
    copy(own->kept_last, own->closed->last, (size_t)own->closed->rows->row_count);
    copy(own->kept_gaps, own->closed->kept_gap, contacts);
    copy(own->kept_gaps + contacts, own->closed->state, contacts);
  }
}

/* Restores the own state before the step; VIDA restores the node. */
static void undo(VidaIntegration* self) {
  moreau_jean* own = self->state;
  copy(own->v, own->kept_v, (size_t)self->model.n);
  if (own->closed) {
    const size_t contacts = (size_t)self->model.system->contacts->count;
    copy(own->closed->last, own->kept_last, (size_t)own->closed->rows->row_count);
    copy(own->closed->kept_gap, own->kept_gaps, contacts);
    copy(own->closed->state, own->kept_gaps + contacts, contacts);
  }
}

static int make_step(VidaIntegration* self, VidaError* error) {
  static const double far = 1e-3;
  char step[VIDA_STEP_NAME_SIZE];
  moreau_jean* own = self->state;
  if (own->closed) {
    vida__follow_segment(self, &own->closed->evaluator);
  }
  keep(self);
  double off = 0.0;
  int code = own->predicts ? make_passes(self, &off, error) : make_pass(self, error);
  /* Across impacts, where steps are of first order, contacts may change their state in every pass.
   */
  if (!code && off > far && !(own->closed && own->closed->count > 0)) {
    return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                      "%s: its middle was not found, because bodies or constraints turn too far in "
                      "it; try a smaller h",
                      vida__name_step(self, step));
  }
  if (!code && own->closed) {
    code = take_message(self, vida__closed_keep(own->closed, vida__next_time(self), self->node.q));
  }
  if (code) {
    return code == VIDA_STEP_NOT_CONVERGED ? code
           : code == VIDA_STEP_SINGULAR    ? fail_singular(self, error)
                                           : vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    own->v[i] += own->change[i];
  }
  self->node.lambda_t = vida__node_time(self) + 0.5 * self->node.h;
  return find_momenta(self, vida__next_time(self), self->node.q, error);
}

static int step(VidaIntegration* self, VidaError* error) {
  const int code = make_step(self, error);
  if (code) {
    undo(self);
  }
  return code;
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, ((const moreau_jean*)self->state)->v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* The terms of first order cancel in the middle of a step only. */
static int order_of(const VidaOptions* options) {
  return VidaOptions_Get(options, "theta") == 0.5 ? 2 : 1;
}

/* ---- record ---------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    {"theta", VIDA_OPTION_REAL, "1", 0.5, 0.5, 1.0, false, NULL,
     "Weight of the end of a step: 1/2 keeps the energy of a free flight in uniform gravity, 1 "
     "damps "
     "oscillations most."},
    VIDA_CONTACT_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__moreau_jean = {
    .size = sizeof(VidaMethod),
    .info = {"moreau-jean", "time stepping with impacts and Coulomb friction (Moreau-Jean)",
             "Moreau 1988; Jean 1999",
             "First order across impacts, any number of which may fall into a step. A contact that "
             "closes keeps the gap that it has then, so penetrations of the order of h times the "
             "impact speed remain. Second order without impacts, with theta = 1/2. Unconditionally "
             "stable for linear springs and dampers and constant masses; for mass matrices M(q), "
             "stable for steps below 2 over the largest frequency.",
             2,
             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_NONHOLONOMIC | VIDA_CAN_CONTACTS | VIDA_LIMIT_STEPPED_IMPACTS},
    .common = vida__linear_options,
    .options = options,
    .remedy = {.method = "post-stabilized"},
    .create = create,
    .start = start,
    .step = step,
    .undo = undo,
    .state = record,
    .velocities = velocities,
    .energy = vida__node_energy,
    .order = order_of,
    .destroy = destroy};
