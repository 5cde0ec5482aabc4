/* SPOOK (Lacoursiere 2007, eq. 29): relaxed and damped constraints with one linear solve a step.
 *
 * The rows are linear about the node, g1 = g0 + h (G w + g_t) and g_before = g0 - h (G v + g_t):
 *     G w - Sigma mu = - 4 psi g0 / h + psi G v - (1 - psi) g_t,
 * written for w - v, which loses no digits where little changes. Where L is no quadratic form of
 * constant mass, its equations are linear about the velocity v of the last step: one step of
 * Newton's method on those of eq. 26, with mass matrix and gyroscopic terms of the node. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/regularized/regularized.h"
#include "stepper/method_options.h"
#include "system/constraints/singular.h"

/* ---- the linear system ----------------------------------------------------------------------- */

/* Adds G^T and G to the matrix. G of rows that are averages over the node, and in the first step
 * contain twice the rise (regularized.h), is multiplied by 1 + psi. */
static void add_entries(const VidaIntegration* self, double* restrict matrix) {
  const vida_regularized_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double* restrict entries = self->implicit.entries0;
  const bool is_first = self->node.step == 0;
  for (int e = 0; e < system->entry_count && is_first; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    matrix[entry->column_slot] += own->kappa * entries[e];
    matrix[entry->row_slot] += (1.0 + own->share[entry->row]) * entries[e];
  }
  for (int e = 0; e < system->entry_count && !is_first; e++) { /* with kappa = 1 */
    matrix[system->entries[e].column_slot] += entries[e];
    matrix[system->entries[e].row_slot] += entries[e];
  }
}

static int factor(VidaIntegration* self) {
  const vida_regularized_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const vida_hessian_weights weights = {0.0, -self->node.h, 0.0, 1.0};
  double* matrix = self->model.node_matrix->values;
  vida__linear_clear(self->model.node_matrix);
  const int code = vida__add_hessian(&self->model.evaluator, vida__node_time(self), self->node.q,
                                     own->v, weights, matrix);
  add_entries(self, matrix);
  for (int r = 0; r < self->model.m; r++) {
    const double more = self->model.redundant ? self->model.redundancy[r] : 0.0;
    matrix[vida__constraint_diagonal(system, r)] -= own->softness[r] + more;
  }
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

/* Computes the right-hand side for (w - v, mu). */
static int find_right_side(VidaIntegration* self, double* right) {
  vida_regularized_state* own = self->state;
  const double t = vida__node_time(self);
  double* rows = right + self->model.n;
  int code = vida__gradient(&self->model.evaluator, t, self->node.q, own->v, self->work.l_q,
                            self->work.l_v);
  code = code ? code : vida__constraint_rate(&self->model.evaluator, t, self->node.q, rows);
  for (int i = 0; i < self->model.n; i++) {
    right[i] = self->node.h * self->work.l_q[i] -
               (self->work.l_v[i] - self->node.p[i] - self->node.p_low[i]);
  }
  vida__add_constraint_velocity(self->model.system, self->implicit.entries0, 1.0, own->v, rows);
  for (int r = 0; r < self->model.m; r++) {
    const double psi = own->share[r];
    rows[r] = -4.0 * psi * self->implicit.g0[r] / self->node.h - (1.0 - psi) * rows[r];
  }
  return code;
}

static int fail_singular(const VidaIntegration* self, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  vida__append_singular(self->model.system, self->model.node_matrix->values, open, sizeof open);
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "%s: the matrix of the step is singular%s; constraints that depend on each "
                    "other, or that meet at a singular point, need a compliance",
                    vida__name_step(self, step), open);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Computes the change of the momenta and w from (w - v, mu). With a constant mass, w follows from
 * the new momenta, which preserves their moments to rounding; for very light coordinates this would
 * be the rounding of their forces. */
static int find_change(VidaIntegration* self) {
  vida_regularized_state* own = self->state;
  const VidaSystem* system = self->model.system;
  for (int i = 0; i < self->model.n; i++) {
    own->next[i] += own->v[i];
  }
  if (!system->separable) {
    const int code = vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q,
                                    own->next, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
  }
  for (int i = 0; i < self->model.n; i++) {
    own->change[i] = self->node.h * self->work.l_q[i];
  }
  vida__add_reaction(system, self->implicit.entries0, -own->kappa, own->next + self->model.n,
                     own->change);
  if (own->contacts) {
    vida__spook_contacts_add(self, own->change);
  }
  for (int i = 0; i < self->model.n && system->separable; i++) {
    double p = self->node.p[i];
    double low = self->node.p_low[i];
    vida__add_compensated(&p, &low, own->change[i]);
    if (vida__is_light_coordinate(self, i)) {
      own->change[i] = system->mass[i] * own->next[i] - self->node.p[i];
    } else {
      own->next[i] = p / system->mass[i];
    }
  }
  return VIDA_SUCCESS;
}

static int find_next(VidaIntegration* self, VidaError* error) {
  vida_regularized_state* own = self->state;
  if (own->has_next) {
    return VIDA_SUCCESS;
  }
  int code = find_right_side(self, own->next);
  if (own->contacts) {
    memcpy(own->work, own->next, (size_t)(self->model.n + self->model.m) * sizeof *own->work);
  }
  code = code ? code : factor(self);
  code = code ? code : vida__linear_solve(self->model.node_matrix, own->next, own->next);
  if (own->contacts && !code) {
    code = vida__spook_contacts_find(self, own->work, error);
    if (code == VIDA_STEP_NOT_CONVERGED) {
      return code;
    }
  }
  if (code == VIDA_STEP_SINGULAR) {
    return fail_singular(self, error);
  }
  code = code ? code : find_change(self);
  own->has_next = !code;
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  return vida__regularized_step(self, find_next, error);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  return vida__regularized_velocities(self, find_next, v, error);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* From the second step on, the matrix is symmetric. Its solution is a change of the velocities, of
 * which a loss of a few digits is rounding. */
static int start(VidaIntegration* self, VidaError* error) {
  vida__linear_allow_symmetric(self->model.node_matrix);
  if (!self->model.system->separable) {
    vida__linear_check_solutions(self->model.node_matrix); /* masses may be singular */
  }
  const int code = vida__regularized_start(self, error);
  return code ? code : vida__spook_contacts_start(self, error);
}

static int create(VidaIntegration* self, VidaError* error) {
  const int code = vida__regularized_create(self, error);
  return code ? code : vida__spook_contacts_create(self, error);
}

/* ---- record ---------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    VIDA_COMPLIANCE_ROWS,
    VIDA_DAMPING_ROWS,
    VIDA_MOBILITY_ROWS,
    VIDA_CONTACT_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__spook = {
    .size = sizeof(VidaMethod),
    .info = {"spook", "SPOOK: relaxed and damped constraints, one linear system per step",
             "Lacoursiere 2007, eq. 29",
             "Stable for steps below 2 over the largest frequency of the potential, for any "
             "stiffness of the constraints. Their violation is 2.5 times their turn per step, "
             "O(h^2), for a damping time of 2 h, and O(h) for a fixed damping time; it also damps "
             "the motion, by O(h^3) per second or O(h). Reactions have the directions at the node: "
             "a rod of mass m and length l opens under a load of more than about m l / h^2. Second "
             "order, with exact momentum maps, for constant mass matrices and damping times of "
             "some steps; first order otherwise, for nonholonomic constraints, and "
             "across impacts.",
             2,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_NONHOLONOMIC | VIDA_CAN_CONTACTS | VIDA_LIMIT_STEPPED_IMPACTS},
    .common = vida__linear_options,
    .options = options,
    .check = vida__regularized_check,
    .create = create,
    .start = start,
    .step = step,
    .undo = vida__regularized_undo,
    .state = vida__regularized_state_record,
    .velocities = velocities,
    .energy = vida__node_energy,
    .destroy = vida__spook_contacts_destroy};
