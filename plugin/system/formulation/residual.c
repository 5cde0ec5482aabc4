/* The residual of a formulation. */
#include <string.h>

#include "system/formulation/formulation.h"

void vida__formulation_add_product(const vida_formulation* form, const double* matrix,
                                   const double* x, double* result) {
  for (int k = 0; k < form->block_count; k++) {
    const vida_block_slots* at = &form->block[k];
    result[at->row] += matrix[at->entry] * x[at->column];
  }
}

/* Computes the equations of motion, with momenta or with accelerations. form->entries contains G.
 * With accelerations, form->rows receives the terms of the constraints that G v' must cancel. */
static int motion_rows(vida_formulation* form, double t, const double* y, const double* dy,
                       double* r) {
  const int n = form->system->coordinate_count;
  const double *v = y + n, *dv = dy + n;
  double* rows = r + n;
  if (form->in_momenta) {
    const int code = vida__gradient(form->evaluator, t, y, v, form->l_q, form->l_v);
    for (int i = 0; i < n; i++) {
      rows[i] = dy[form->p + i] - form->l_q[i];
      r[form->p + i] = y[form->p + i] - form->l_v[i];
    }
    return code;
  }
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  int code = vida__motion_bias(form->evaluator, t, y, v, form->force, form->rows, form->l_v);
  memset(form->hessian, 0, (size_t)form->system->pattern.entries * sizeof(double));
  code = code ? code : vida__add_hessian(form->evaluator, t, y, v, mass_only, form->hessian);
  for (int i = 0; i < n; i++) {
    rows[i] = -form->force[i];
  }
  vida__formulation_add_product(form, form->hessian, dv, rows);
  return code;
}

/* Computes the rows of lambda. Nonholonomic rows have no position level. */
static int constraint_rows(vida_formulation* form, double t, const double* y, const double* dy,
                           double* rows) {
  const VidaSystem* system = form->system;
  const double* v = y + system->coordinate_count;
  const size_t bytes = (size_t)form->system->row_count * sizeof *rows;
  int code = VIDA_SUCCESS;
  if (form->level == VIDA_AT_ACCELERATION) {
    memcpy(rows, form->rows, bytes);
    vida__add_constraint_velocity(system, form->entries, 1.0, dy + form->system->coordinate_count,
                                  rows);
    return code;
  }
  if (form->level == VIDA_AT_VELOCITY || system->nonholonomic) {
    code = vida__constraint_rate(form->evaluator, t, y, form->rows);
    vida__add_constraint_velocity(system, form->entries, 1.0, v, form->rows);
  }
  if (form->level == VIDA_AT_VELOCITY) {
    memcpy(rows, form->rows, bytes);
    return code;
  }
  code = code ? code : vida__constraints(form->evaluator, t, y, NULL, rows);
  for (int r = 0; r < form->system->row_count && system->nonholonomic; r++) {
    rows[r] = system->rows[r].is_nonholonomic ? form->rows[r] : rows[r];
  }
  return code;
}

/* Computes the rows of mu: g, or mu_r for rows without a position level and omitted ones. */
static int projection_rows(vida_formulation* form, double t, const double* y, double* rows) {
  const int code = vida__constraints(form->evaluator, t, y, NULL, rows);
  for (int r = 0; r < form->system->row_count; r++) {
    if (form->is_dependent[r] || form->system->rows[r].is_nonholonomic) {
      rows[r] = y[form->mu + r];
    }
  }
  return code;
}

int vida__formulation_residual(vida_formulation* form, double t, const double* y, const double* dy,
                               double* r) {
  const VidaSystem* system = form->system;
  const int n = system->coordinate_count;
  int code = vida__jacobian(form->evaluator, t, y, form->entries);
  form->evaluator->multipliers = y + form->lambda;
  code = code ? code : motion_rows(form, t, y, dy, r);
  form->evaluator->multipliers = NULL;
  if (code) {
    return code;
  }
  memset(r, 0, (size_t)n * sizeof *r);
  if (form->projects) {
    vida__add_reaction(system, form->entries, 1.0, y + form->mu, r);
  }
  for (int i = 0; i < n; i++) {
    r[i] = dy[i] - y[n + i] + form->metric[i] * r[i];
  }
  vida__add_reaction(system, form->entries, 1.0, y + form->lambda, r + n);
  code = constraint_rows(form, t, y, dy, r + form->lambda);
  for (int k = 0; k < system->row_count; k++) {
    if (form->is_dependent[k]) {
      r[form->lambda + k] = y[form->lambda + k];
    }
  }
  return code || !form->projects ? code : projection_rows(form, t, y, r + form->mu);
}
