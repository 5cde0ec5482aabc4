/* SPOOK (paper 004, eq. 29): relaxed and damped constraints with one linear solve a step.
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
#include "system/constraints/singular.h"

/* ---- the linear system ----------------------------------------------------------------------- */

/* The matrix; G of rows that are averages over the node and stand in the first step for twice the
 * rise (regularized.h) has 1 + psi there. */
static int factor(VidaStepper* stepper) {
  const vida_regularized_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const vida_hessian_weights weights = {0.0, -stepper->h, 0.0, 1.0};
  double* matrix = stepper->node_matrix->values;
  vida__linear_clear(stepper->node_matrix);
  const int code = vida__add_hessian(&stepper->evaluator, vida__node_time(stepper), stepper->q,
                                     own->v, weights, matrix);
  vida__add_columns(system, stepper->entries0, own->kappa, matrix);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double more = stepper->step == 0 ? own->share[entry->row] : 0.0;
    matrix[entry->row_slot] += (1.0 + more) * stepper->entries0[e];
  }
  for (int r = 0; r < stepper->m; r++) {
    const double more = stepper->redundant ? stepper->redundancy[r] : 0.0;
    matrix[vida__constraint_diagonal(system, r)] -= own->softness[r] + more;
  }
  return code ? code : vida__linear_factor(stepper->node_matrix);
}

/* The right side, for (w - v, mu). */
static int find_right_side(VidaStepper* stepper, double* right) {
  vida_regularized_state* own = stepper->own;
  const double t = vida__node_time(stepper);
  double* rows = right + stepper->n;
  int code = vida__gradient(&stepper->evaluator, t, stepper->q, own->v, stepper->l_q, stepper->l_v);
  code = code ? code : vida__constraint_rate(&stepper->evaluator, t, stepper->q, rows);
  for (int i = 0; i < stepper->n; i++) {
    right[i] = stepper->h * stepper->l_q[i] - (stepper->l_v[i] - stepper->p[i] - stepper->p_low[i]);
  }
  vida__add_constraint_velocity(stepper->system, stepper->entries0, 1.0, own->v, rows);
  for (int r = 0; r < stepper->m; r++) {
    const double psi = own->share[r];
    rows[r] = -4.0 * psi * stepper->g0[r] / stepper->h - (1.0 - psi) * rows[r];
  }
  return code;
}

static int fail_singular(const VidaStepper* stepper, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  vida__append_singular(stepper->system, stepper->node_matrix->values, open, sizeof open);
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "%s: the matrix of the step is singular%s; constraints that depend on each "
                    "other, or that meet at a singular point, need a compliance",
                    vida__name_step(stepper, step), open);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* From (w - v, mu) the change of the momenta, and w. With a constant mass w is what the new momenta
 * make of it, so that their moments are kept to rounding; but of what is light beside the others
 * that would be the rounding of their forces. */
static int find_change(VidaStepper* stepper) {
  vida_regularized_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  for (int i = 0; i < stepper->n; i++) {
    own->next[i] += own->v[i];
  }
  if (!system->separable) {
    const int code = vida__gradient(&stepper->evaluator, vida__node_time(stepper), stepper->q,
                                    own->next, stepper->l_q, stepper->l_v);
    if (code) {
      return code;
    }
  }
  for (int i = 0; i < stepper->n; i++) {
    own->change[i] = stepper->h * stepper->l_q[i];
  }
  vida__add_reaction(system, stepper->entries0, -own->kappa, own->next + stepper->n, own->change);
  for (int i = 0; i < stepper->n && system->separable; i++) {
    double p = stepper->p[i];
    double low = stepper->p_low[i];
    vida__add_compensated(&p, &low, own->change[i]);
    if (vida__is_light(stepper, i)) {
      own->change[i] = system->mass[i] * own->next[i] - stepper->p[i];
    } else {
      own->next[i] = p / system->mass[i];
    }
  }
  return VIDA_SUCCESS;
}

static int find_next(VidaStepper* stepper, VidaError* error) {
  vida_regularized_state* own = stepper->own;
  if (own->has_next) {
    return VIDA_SUCCESS;
  }
  int code = find_right_side(stepper, own->next);
  code = code ? code : factor(stepper);
  code = code ? code : vida__linear_solve(stepper->node_matrix, own->next, own->next);
  if (code == VIDA_STEP_SINGULAR) {
    return fail_singular(stepper, error);
  }
  code = code ? code : find_change(stepper);
  own->has_next = !code;
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

static int step(VidaStepper* stepper, VidaError* error) {
  return vida__regularized_step(stepper, find_next, error);
}

static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  return vida__regularized_velocities(stepper, find_next, v, error);
}

/* ---- record ---------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    VIDA_COMPLIANCE_ROWS,
    VIDA_DAMPING_ROWS,
    VIDA_MOBILITY_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__spook = {
    .info = {"spook", "SPOOK: relaxed and damped constraints, one linear system per step",
             "Lacoursiere 2007, eq. 29",
             "Stable for steps below 2 over the largest frequency of the potential, for any "
             "stiffness of the constraints. Their violation is 2.5 times their turn per step, "
             "O(h^2), for a damping time of 2 h, and O(h) for a fixed damping time; it also damps "
             "the motion, by O(h^3) per second or O(h). Reactions have the directions at the node: "
             "a rod of mass m and length l opens under a load of more than about m l / h^2. Second "
             "order, with exact momentum maps, for constant mass matrices and damping times of "
             "some steps; first order otherwise, and for nonholonomic constraints.",
             2,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_LIMIT_ONE_SIDED | VIDA_CAN_TIME_DEPENDENT |
                 VIDA_CAN_NONHOLONOMIC},
    .options = options,
    .create = vida__regularized_create,
    .start = vida__regularized_start,
    .step = step,
    .undo = vida__regularized_undo,
    .velocities = velocities,
    .energy = vida__node_energy};
