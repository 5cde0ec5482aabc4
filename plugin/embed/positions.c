/* Positions that satisfy the constraints, nearest to given ones, as equations for KINSOL:
 *
 *     M(q0) (q - q0) + G(q)^T mu = 0,      g(q,t) = 0
 *
 * Nonholonomic rows, and rows that depend on others at q0 already, have mu_r = 0 in their place. */
#include <string.h>

#include "base/error.h"
#include "embed/formulation.h"
#include "embed/vectors.h"
#include "system/constraints/rank.h"

int vida__start_positions(VidaFormulation* self, double t, double* y, VidaError* error) {
  const VidaSystem* system = self->system;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  self->t = t;
  memset(self->v, 0, (size_t)self->n * sizeof *self->v);
  memset(self->mass, 0, (size_t)system->pattern.entries * sizeof *self->mass);
  int code = vida__equations_mark(self->equations, t, self->q, self->v);
  if (code) {
    return vida__equations_failed(self->equations, code, error);
  }
  code = vida__add_hessian(&self->evaluator, t, self->q, self->v, mass_only, self->mass);
  if (code) {
    return vida__fail(error, code, "%s", self->evaluator.error.message);
  }
  vida__mark_dependent(self);
  for (int r = 0; r < self->m; r++) {
    self->form.is_dependent[r] = self->form.is_dependent[r] || system->rows[r].is_nonholonomic;
  }
  memset(y, 0, (size_t)self->size * sizeof *y);
  memcpy(y, self->q, (size_t)self->n * sizeof *y);
  return VIDA_SUCCESS;
}

static int find_residual(VidaFormulation* self, const double* y, double* r) {
  const int n = self->n;
  const double* mu = y + n;
  int code = vida__jacobian(&self->evaluator, self->t, y, self->form.entries);
  code = code ? code : vida__constraints(&self->evaluator, self->t, y, NULL, r + n);
  for (int i = 0; i < n; i++) {
    self->dq[i] = y[i] - self->q[i];
  }
  memset(r, 0, (size_t)n * sizeof *r);
  vida__formulation_add_product(&self->form, self->mass, self->dq, r);
  vida__add_reaction(self->system, self->form.entries, 1.0, mu, r);
  for (int k = 0; k < self->m; k++) {
    r[n + k] = self->form.is_dependent[k] ? mu[k] : r[n + k];
  }
  return code;
}

int VidaFormulation_PositionResidual(N_Vector y, N_Vector residual, void* formulation) {
  VidaFormulation* self = formulation;
  double* arrays[2];
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code =
      vida__take_arrays(self, VIDA_USE_POSITIONS, 2, (const N_Vector[]){y, residual}, arrays);
  if (code) {
    return code;
  }
  code = find_residual(self, arrays[0], arrays[1]);
  code = vida__check_finite(arrays[1], self->size, code);
  return vida__note_failure(self, &self->evaluator, code);
}

int VidaFormulation_PositionJacobian(N_Vector y, N_Vector residual, SUNMatrix matrix,
                                     void* formulation, N_Vector work1, N_Vector work2) {
  VidaFormulation* self = formulation;
  double* arrays[1];
  (void)residual, (void)work1, (void)work2;
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_arrays(self, VIDA_USE_POSITIONS, 1, (const N_Vector[]){y}, arrays);
  if (code) {
    return code;
  }
  const VidaSystem* system = self->system;
  memcpy(self->values, self->mass, (size_t)self->pattern.entries * sizeof *self->values);
  code = vida__jacobian(&self->evaluator, self->t, arrays[0], self->form.entries);
  code = code ? code
              : vida__add_curvature(&self->evaluator, self->t, arrays[0], 1.0, arrays[0] + self->n,
                                    self->values);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    self->values[entry->column_slot] += self->form.entries[e];
    if (!self->form.is_dependent[entry->row]) {
      self->values[entry->row_slot] += self->form.entries[e];
    }
  }
  for (int r = 0; r < self->m; r++) {
    self->values[vida__constraint_diagonal(system, r)] += self->form.is_dependent[r] ? 1.0 : 0.0;
  }
  code = vida__check_finite(self->values, self->pattern.entries, code);
  return code ? vida__note_failure(self, &self->evaluator, code) : vida__store_matrix(self, matrix);
}
