/* moreau-jean: time stepping across impacts and friction (Moreau 1988; Jean 1999; Acary and
 * Brogliato 2008, section 10.1).
 *
 * A step from (q0,v0) to (q1,v1) takes the matrix C of the constraints at q0 + h v0 / 2, so that
 * reactions do no work where constraints turn, and G at q0 + h v0. With the forces f0 at the node
 * and f1 at (q0 + h v0, v0), of f = L_q + f - L_vq v - L_vt, it solves
 *     A (v1 - v0) + C^T h lambda = h (theta f1 + (1 - theta) f0) + H^T P,
 *     G v1 + g_t = 0,   A = M - h theta f_v - h^2 theta^2 f_q,
 * moves to q1 = q0 + h (theta v1 + (1 - theta) v0), and projects q1 onto g = 0. Where masses depend
 * on positions, A is M, and M, f, C and G are those of a predicted motion, in the middle of the
 * step and (G) at its end.
 *
 * Contacts with the rows H whose gap at q0 + h v0 / 2 is not positive are closed. The rate u of the
 * gap satisfies u1 + e u0 >= 0 and P_N >= 0, and their product vanishes; the slip velocity obeys
 * Coulomb's law with P_N. All impulses of a step, whether of impacts or of forces, are one P. */
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

enum { PROJECTIONS = 10 };

typedef struct moreau_jean {
  double theta;
  vida_closed_contacts* closed; /* NULL: the system has no contacts */
  double* v;                    /* n: at the node */
  double* kept_v;               /* n: before the last step */
  double* kept_last;            /* impulses before the last step; rows of contacts */
  double* force;                /* n */
  double* end_force;            /* n */
  double* side;                 /* n + m */
  double* answer;               /* n + m */
  double* free_v;               /* n */
  double* columns;              /* entries of C */
  /* Where masses depend on positions: the step takes masses and forces of its middle, which one
   * more evaluation predicts. */
  bool is_general;
  double* middle_v; /* n: the velocity in the middle; v0 for constant masses */
} moreau_jean;

/* ---- creation -------------------------------------------------------------------------------- */

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const vida_contacts* contacts = self->model.system->contacts;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t rows = contacts ? (size_t)contacts->set.row_count : 0;
  moreau_jean* own =
      vida__allocate(1, sizeof *own + (8 * n + 2 * m + rows + entries) * sizeof(double));
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  const vida_array arrays[] = {
      {&own->v, n},          {&own->kept_v, n},    {&own->kept_last, rows},
      {&own->force, n},      {&own->end_force, n}, {&own->side, n + m},
      {&own->answer, n + m}, {&own->free_v, n},    {&own->columns, entries},
      {&own->middle_v, n}};
  vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  own->theta = VidaOptions_Get(self->options, "theta");
  own->is_general = !self->model.system->constant_mass;
  if (!contacts) {
    return VIDA_SUCCESS;
  }
  const int code =
      vida__closed_create(self->model.system, &self->model.system->pattern, &own->closed, error);
  if (!code) {
    vida_contact_problem* problem = &own->closed->problem;
    problem->accuracy = VidaOptions_Get(self->options, "accuracy");
    problem->sweeps = (int)VidaOptions_Get(self->options, "sweeps");
    problem->is_direct = !VidaOptions_HasChoice(self->options, "contact_solver", "gauss-seidel");
  }
  return code;
}

static void destroy(VidaIntegration* self) {
  moreau_jean* own = self->state;
  vida__closed_destroy(&own->closed);
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

static int check_gaps(VidaIntegration* self, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  const moreau_jean* own = self->state;
  vida_closed_contacts* closed = own->closed;
  int code = vida__closed_gaps(closed, self->node.t0, self->node.q);
  if (code) {
    return vida__fail(error, code, "%s", closed->evaluator.error.message);
  }
  const int negative = vida__closed_find_negative(closed, self->node.q);
  if (negative >= 0) {
    code = vida__fail(error, VIDA_INCONSISTENT_START,
                      "contact '%s': its gap is negative at the start: %s",
                      VidaSystem_ContactName(self->model.system, negative),
                      vida__real_text(got, closed->gap[negative], 6));
  }
  return code;
}

static int start(VidaIntegration* self, VidaError* error) {
  moreau_jean* own = self->state;
  memcpy(own->v, self->node.v, (size_t)self->model.n * sizeof *own->v);
  if (own->closed && !self->continues) {
    memset(own->closed->last, 0, (size_t)own->closed->rows->row_count * sizeof *own->closed->last);
    const int code = check_gaps(self, error);
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

/* Adds the Hessian of A, or, where masses depend on positions, those in the middle of the step. */
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
                : vida__motion_force(evaluator, vida__next_time(self), self->work.q1, own->v,
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
  return code ? code : vida__linear_solve(self->model.node_matrix, own->side, own->answer);
}

/* Predicts the middle and the end of the step: work.place, work.q1 and middle_v. */
static int predict(VidaIntegration* self) {
  moreau_jean* own = self->state;
  memcpy(own->middle_v, own->v, (size_t)self->model.n * sizeof *own->v);
  vida__find_place(self, own->v, 0.5, self->work.place);
  vida__find_place(self, own->v, 1.0, self->work.q1);
  if (!own->is_general) {
    return VIDA_SUCCESS;
  }
  const int code = solve_free(self);
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

/* Newton's law: u1 + e u0 >= 0 where the gap closes; slip velocities are those after the step. */
static void set_bias(const vida_closed_contacts* closed) {
  const vida_contacts* contacts = closed->system->contacts;
  for (int k = 0; k < closed->count; k++) {
    const vida_contact* contact = &contacts->list[closed->chosen[k]];
    const int first = closed->problem.first[k];
    for (int r = first; r < closed->problem.first[k + 1]; r++) {
      closed->bias[r] = closed->rate[r];
    }
    closed->bias[first] += contact->restitution * fmin(closed->before[first], 0.0);
  }
}

static int fail_contacts(const VidaIntegration* self, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], left[VIDA_REAL_TEXT_SIZE];
  const vida_closed_contacts* closed = ((const moreau_jean*)self->state)->closed;
  const int worst = closed->problem.worst;
  return vida__fail(
      error, VIDA_STEP_NOT_CONVERGED,
      "%s: the impulses of %d contacts could not be found: contact '%s' has a "
      "residual of %s m/s after %d sweeps; try a larger accuracy or more sweeps",
      vida__name_step(self, step), closed->count,
      worst >= 0 ? VidaSystem_ContactName(self->model.system, closed->chosen[worst]) : "",
      vida__real_text(left, closed->problem.residual, 3), closed->problem.made);
}

/* Adds the impulses of contacts to the right-hand side. The answer without them is in own->answer.
 */
static int add_contacts(VidaIntegration* self, VidaError* error) {
  moreau_jean* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    own->free_v[i] = own->v[i] + own->answer[i];
  }
  const int code = vida__closed_columns(own->closed, self->model.node_matrix);
  if (code) {
    return code;
  }
  set_bias(own->closed);
  if (!vida__closed_solve(own->closed, own->free_v)) {
    return fail_contacts(self, error);
  }
  vida__closed_add_impulses(own->closed, own->side);
  return vida__linear_solve(self->model.node_matrix, own->side, own->answer);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Moves the positions after the step onto g = 0, with the matrix of the step. */
static int project(VidaIntegration* self) {
  moreau_jean* own = self->state;
  const int n = self->model.n, m = self->model.m;
  double before = (double)INFINITY;
  for (int k = 0; k < PROJECTIONS && m > 0; k++) {
    double most = 0.0;
    memset(own->side, 0, (size_t)n * sizeof *own->side);
    int code = vida__constraints(&self->model.evaluator, vida__next_time(self), self->node.q,
                                 self->node.q_low, own->side + n);
    for (int r = 0; r < m; r++) {
      most = fmax(most, fabs(own->side[n + r]) / fmax(self->model.value_size[r], 1e-300));
      own->side[n + r] = -own->side[n + r];
    }
    if (code || !(most > 1e-15) || !(most < before)) {
      return code;
    }
    before = most;
    code = vida__linear_solve(self->model.node_matrix, own->side, own->answer);
    for (int i = 0; i < n && !code; i++) {
      vida__add_compensated(&self->node.q[i], &self->node.q_low[i], own->answer[i]);
    }
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

static int find_velocities(VidaIntegration* self, VidaError* error) {
  moreau_jean* own = self->state;
  int code = predict(self);
  code = code ? code : solve_free(self);
  if (!code && own->closed) {
    code = choose(self);
    if (code && *own->closed->evaluator.error.message) {
      self->model.evaluator.error = own->closed->evaluator.error;
    }
    if (!code && own->closed->count > 0) {
      code = add_contacts(self, error);
      if (code == VIDA_STEP_NOT_CONVERGED) {
        return code;
      }
    } else if (!code) {
      memset(own->closed->last, 0,
             (size_t)own->closed->rows->row_count * sizeof *own->closed->last);
    }
  }
  if (!code && !vida__are_finite(own->answer, self->model.n + self->model.m)) {
    code = VIDA_NOT_FINITE;
  }
  return code == VIDA_STEP_SINGULAR ? fail_singular(self, error)
         : code                     ? vida__evaluation_failed(self, code, error)
                                    : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  moreau_jean* own = self->state;
  const int n = self->model.n;
  if (own->closed) {
    vida__follow_segment(self, &own->closed->evaluator);
    memcpy(own->kept_last, own->closed->last,
           (size_t)own->closed->rows->row_count * sizeof *own->kept_last);
  }
  memcpy(own->kept_v, own->v, (size_t)n * sizeof *own->v);
  int code = find_velocities(self, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < n; i++) {
    own->v[i] += own->answer[i];
    self->work.dq[i] = own->theta * own->v[i] + (1.0 - own->theta) * own->kept_v[i];
  }
  for (int r = 0; r < self->model.m; r++) {
    self->node.lambda[r] = own->answer[n + r] / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self) + 0.5 * self->node.h;
  vida__advance_positions(self, self->work.dq);
  code = project(self);
  return code ? vida__evaluation_failed(self, code, error)
              : find_momenta(self, vida__next_time(self), self->node.q, error);
}

/* VidaStepper_Step restores the node. */
static void undo(VidaIntegration* self) {
  moreau_jean* own = self->state;
  memcpy(own->v, own->kept_v, (size_t)self->model.n * sizeof *own->v);
  if (own->closed) {
    memcpy(own->closed->last, own->kept_last,
           (size_t)own->closed->rows->row_count * sizeof *own->kept_last);
  }
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
    {"contact_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "auto|gauss-seidel",
     "Solver of the impulses of contacts: auto tries Newton's method (block pivoting) where at "
     "most "
     "120 rows are closed, and makes projected Gauss-Seidel sweeps for more, or where it fails."},
    {"accuracy", VIDA_OPTION_REAL, "1", 1e-8, 1e-14, 0.1, false, NULL,
     "Largest residual of the laws of contact and friction, relative to the largest velocity that "
     "closed contacts would have without impulses."},
    {"sweeps", VIDA_OPTION_INTEGER, "1", 20000.0, 1.0, 1e9, false, NULL,
     "Largest number of Gauss-Seidel sweeps of a step; the step fails if it does not suffice."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__moreau_jean = {
    .size = sizeof(VidaMethod),
    .info = {"moreau-jean", "time stepping with impacts and Coulomb friction (Moreau-Jean)",
             "Moreau 1988; Jean 1999",
             "First order across impacts, any number of which may fall into a step. A closed "
             "gap is kept by its rate, so that penetrations of the order of h times the impact "
             "speed remain. Second order without contacts, with theta = 1/2. Unconditionally "
             "stable for linear "
             "springs and dampers and constant masses; for mass matrices M(q), stable for steps "
             "below 2 over the largest frequency.",
             2,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC |
                 VIDA_CAN_CONTACTS},
    .common = vida__linear_options,
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .undo = undo,
    .state = record,
    .velocities = velocities,
    .energy = vida__node_energy,
    .order = order_of,
    .destroy = destroy};
