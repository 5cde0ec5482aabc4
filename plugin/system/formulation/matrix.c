/* The matrix of a formulation, dF/dy + c dF/dy' with p eliminated. */
#include <string.h>

#include "system/formulation/formulation.h"

static int find_block(vida_formulation* form, double t, const double* q, const double* v,
                      vida_hessian_weights weights, double* matrix) {
  memset(matrix, 0, (size_t)form->system->pattern.entries * sizeof *matrix);
  return vida__add_hessian(form->evaluator, t, q, v, weights, matrix);
}

static void scatter_position(const vida_formulation* form, const double* block, double weight,
                             double* matrix) {
  for (int k = 0; k < form->block_count; k++) {
    matrix[form->block[k].by_position] += weight * block[form->block[k].entry];
  }
}

static void scatter_velocity(const vida_formulation* form, const double* block, double weight,
                             double* matrix) {
  for (int k = 0; k < form->block_count; k++) {
    matrix[form->block[k].by_velocity] += weight * block[form->block[k].entry];
  }
}

/* Computes the positions and velocities after the time `shift` (s), to first order. */
static void move(vida_formulation* form, double shift, const double* y, const double* dy) {
  const int n = form->system->coordinate_count;
  for (int i = 0; i < n; i++) {
    form->moved_q[i] = y[i] + shift * y[n + i];
    form->moved_v[i] = y[n + i] + shift * dy[n + i];
  }
}

/* With accelerations, the equations of motion are D L_v - L_q, where D is the derivative along (v,
 * v', 1). Adds the parts D L_vq and D L_vv + L_vq of their derivatives with respect to q and v. */
static int add_changing_mass(vida_formulation* form, double t, double step, const double* y,
                             const double* dy, double* matrix) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const vida_hessian_weights mixed_only = {0.0, 0.0, 1.0, 0.0};
  scatter_velocity(form, form->l_vq, 1.0, matrix);
  for (int side = -1; side <= 1; side += 2) {
    const double weight = side / (2.0 * step);
    move(form, side * step, y, dy);
    int code =
        find_block(form, t + side * step, form->moved_q, form->moved_v, mixed_only, form->hessian);
    if (code) {
      return code;
    }
    scatter_position(form, form->hessian, weight, matrix);
    code =
        find_block(form, t + side * step, form->moved_q, form->moved_v, mass_only, form->hessian);
    if (code) {
      return code;
    }
    scatter_velocity(form, form->hessian, weight, matrix);
  }
  return VIDA_SUCCESS;
}

/* Adds the derivatives of the equations of motion with respect to q and v, with p eliminated. */
static int add_motion(vida_formulation* form, double t, double c, double step, const double* y,
                      const double* dy, double* matrix) {
  const VidaSystem* system = form->system;
  const double* v = y + system->coordinate_count;
  int code = find_block(form, t, y, v, (vida_hessian_weights){.vv = 1.0}, form->l_vv);
  if (!code && !system->constant_mass) {
    code = find_block(form, t, y, v, (vida_hessian_weights){.vq = 1.0}, form->l_vq);
  }
  code = code ? code : find_block(form, t, y, v, (vida_hessian_weights){.qq = -1.0}, form->hessian);
  code = code ? code
              : vida__add_curvature(form->evaluator, t, y, 1.0, y + form->lambda, form->hessian);
  if (code) {
    return code;
  }
  scatter_position(form, form->hessian, 1.0, matrix);
  scatter_velocity(form, form->l_vv, c, matrix);
  if (form->in_momenta) {
    scatter_position(form, form->l_vq, c, matrix);
  } else if (!system->constant_mass) {
    code = add_changing_mass(form, t, step, y, dy, matrix);
  }
  if (!code && (!system->constant_mass || system->has_forces)) {
    code = find_block(form, t, y, v, (vida_hessian_weights){.qv = -1.0}, form->hessian);
    scatter_velocity(form, form->hessian, 1.0, matrix);
  }
  return code;
}

/* Computes the rates of change along the motion of G (form->turns) and of (G v + g_t)_q
 * (form->changes). */
static int find_changes(vida_formulation* form, double t, double step, const double* y,
                        const double* dy) {
  const int count = form->system->entry_count;
  double* at = form->hessian; /* the KKT pattern has a place for every entry of G */
  memset(form->turns, 0, (size_t)count * sizeof *form->turns);
  memset(form->changes, 0, (size_t)count * sizeof *form->changes);
  for (int side = -1; side <= 1; side += 2) {
    const double weight = side / (2.0 * step);
    move(form, side * step, y, dy);
    int code = vida__jacobian(form->evaluator, t + side * step, form->moved_q, at);
    for (int e = 0; e < count && !code; e++) {
      form->turns[e] += weight * at[e];
    }
    code = code ? code
                : vida__velocity_gradient(form->evaluator, t + side * step, form->moved_q,
                                          form->moved_v, at);
    if (code) {
      return code;
    }
    for (int e = 0; e < count; e++) {
      form->changes[e] += weight * at[e];
    }
  }
  return VIDA_SUCCESS;
}

/* Adds the derivatives of the rows of lambda with respect to q and v. */
static int add_rows(vida_formulation* form, double t, double c, double step, const double* y,
                    const double* dy, double* matrix) {
  const VidaSystem* system = form->system;
  int code = VIDA_SUCCESS;
  if (form->level != VIDA_AT_POSITION || system->nonholonomic) {
    code = vida__velocity_gradient(form->evaluator, t, y, y + form->system->coordinate_count,
                                   form->slopes);
  }
  if (!code && form->level == VIDA_AT_ACCELERATION) {
    code = find_changes(form, t, step, y, dy);
  }
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_entry_slots* at = &form->entry[e];
    const int r = system->entries[e].row;
    if (form->is_dependent[r]) {
      continue;
    }
    if (form->level == VIDA_AT_ACCELERATION) {
      matrix[at->row_position] += form->changes[e];
      matrix[at->row_velocity] += c * form->entries[e] + form->turns[e] + form->slopes[e];
    } else if (form->level == VIDA_AT_VELOCITY || system->rows[r].is_nonholonomic) {
      matrix[at->row_position] += form->slopes[e];
      matrix[at->row_velocity] += form->entries[e];
    } else {
      matrix[at->row_position] += form->entries[e];
    }
  }
  return code;
}

/* Adds the derivatives of W G^T mu, and those of the rows of mu with respect to q. */
static int add_projection(vida_formulation* form, double t, const double* y, double* matrix) {
  const VidaSystem* system = form->system;
  memset(form->hessian, 0, (size_t)system->pattern.entries * sizeof(double));
  const int code = vida__add_curvature(form->evaluator, t, y, 1.0, y + form->mu, form->hessian);
  for (int k = 0; k < form->block_count; k++) {
    const vida_block_slots* at = &form->block[k];
    matrix[at->by_projection] += form->metric[at->row] * form->hessian[at->entry];
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const vida_entry_slots* at = &form->entry[e];
    matrix[at->projection] += form->metric[entry->coordinate] * form->entries[e];
    if (!form->is_dependent[entry->row] && !system->rows[entry->row].is_nonholonomic) {
      matrix[at->position_row] += form->entries[e];
    }
  }
  return code;
}

/* Subtracts the derivatives of the forces with respect to lambda. */
static int add_reactive(vida_formulation* form, double t, const double* y, double* matrix) {
  const VidaSystem* system = form->system;
  if (form->reactive_count == 0) {
    return VIDA_SUCCESS;
  }
  memset(form->hessian, 0, (size_t)system->pattern.entries * sizeof(double));
  const int code = vida__add_reactive_columns(form->evaluator, t, y, y + system->coordinate_count,
                                              -1.0, form->hessian);
  for (int k = 0; k < form->reactive_count; k++) {
    matrix[form->reactive[k].reaction] += form->hessian[form->reactive[k].entry];
  }
  return code;
}

int vida__formulation_matrix(vida_formulation* form, double t, double c, double step,
                             const double* y, const double* dy, double* matrix) {
  const VidaSystem* system = form->system;
  int code = vida__jacobian(form->evaluator, t, y, form->entries);
  form->evaluator->multipliers = y + form->lambda;
  code = code ? code : add_motion(form, t, c, step, y, dy, matrix);
  code = code ? code : add_reactive(form, t, y, matrix);
  form->evaluator->multipliers = NULL;
  code = code ? code : add_rows(form, t, c, step, y, dy, matrix);
  code = code || !form->projects ? code : add_projection(form, t, y, matrix);
  if (code) {
    return code;
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    matrix[form->position_diagonal[i]] += c;
    matrix[form->velocity_diagonal[i]] -= 1.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    matrix[form->entry[e].reaction] += form->entries[e];
  }
  for (int r = 0; r < system->row_count; r++) {
    matrix[form->lambda_diagonal[r]] += form->is_dependent[r] ? 1.0 : 0.0;
    if (form->projects && (form->is_dependent[r] || system->rows[r].is_nonholonomic)) {
      matrix[form->mu_diagonal[r]] += 1.0;
    }
  }
  return VIDA_SUCCESS;
}
