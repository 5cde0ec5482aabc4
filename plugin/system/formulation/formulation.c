/* Creation of a formulation, and values that satisfy it. */
#include "system/formulation/formulation.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/constraints/rank.h"

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_values(vida_formulation* form) {
  const size_t n = (size_t)form->system->coordinate_count;
  const size_t m = (size_t)form->system->row_count;
  const size_t entries = (size_t)form->system->entry_count;
  const size_t kkt = (size_t)form->system->pattern.entries;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&form->metric, n},       {&form->l_q, n},
                {&form->l_v, n},          {&form->force, n},
                {&form->rows, m},         {&form->moved_q, n},
                {&form->moved_v, n},      {&form->entries, entries},
                {&form->slopes, entries}, {&form->changes, entries},
                {&form->turns, entries},  {&form->l_vv, kkt},
                {&form->l_vq, kkt},       {&form->hessian, kkt > entries ? kkt : entries}};
  const size_t count = sizeof arrays / sizeof arrays[0];
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    total += arrays[i].count;
  }
  form->values = vida__allocate(total, sizeof(double));
  double* next = form->values;
  for (size_t i = 0; i < count && next; i++) {
    *arrays[i].array = next;
    next += arrays[i].count;
  }
  form->is_dependent = vida__allocate(m, sizeof *form->is_dependent);
  return form->values && form->is_dependent ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__formulation_create(const VidaSystem* system, vida_evaluator* evaluator,
                             vida_formulation* form, VidaError* error) {
  const int n = system->coordinate_count;
  const int m = system->row_count;
  form->system = system;
  form->evaluator = evaluator;
  form->p = 2 * n;
  form->lambda = form->in_momenta ? 3 * n : 2 * n;
  form->mu = form->lambda + m;
  form->size = form->projects ? form->mu + m : form->mu;
  form->reduced_size = 2 * n + (form->projects ? 2 * m : m);
  if (allocate_values(form) || vida__formulation_build_pattern(form)) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < n; i++) {
    form->metric[i] = 1.0;
  }
  return VIDA_SUCCESS;
}

void vida__formulation_release(vida_formulation* form) {
  free(form->pattern.column_start);
  free(form->pattern.row);
  free(form->block);
  free(form->entry);
  free(form->reactive);
  free(form->position_diagonal);
  free(form->velocity_diagonal);
  free(form->lambda_diagonal);
  free(form->mu_diagonal);
  free(form->is_dependent);
  free(form->values);
}

/* ---- consistent values ----------------------------------------------------------------------- */

int vida__formulation_fill(vida_formulation* form, double t, const double* q, const double* v,
                           const double* a, const double* lambda, double* y, double* dy) {
  const int n = form->system->coordinate_count;
  const int m = form->system->row_count;
  const size_t bytes = (size_t)n * sizeof *y;
  form->evaluator->multipliers = lambda;
  int code = vida__gradient(form->evaluator, t, q, v, form->l_q, form->l_v);
  form->evaluator->multipliers = NULL;
  code = code ? code : vida__jacobian(form->evaluator, t, q, form->entries);
  if (code) {
    return code;
  }
  memset(y, 0, (size_t)form->size * sizeof *y);
  memset(dy, 0, (size_t)form->size * sizeof *dy);
  memcpy(y, q, bytes);
  memcpy(y + n, v, bytes);
  memcpy(dy, v, bytes);
  memcpy(dy + n, a, bytes);
  if (m > 0) {
    memcpy(y + form->lambda, lambda, (size_t)m * sizeof *y);
  }
  if (form->in_momenta) {
    memcpy(y + form->p, form->l_v, bytes);
    memcpy(dy + form->p, form->l_q, bytes);
    vida__add_reaction(form->system, form->entries, -1.0, y + form->lambda, dy + form->p);
  }
  return VIDA_SUCCESS;
}

/* Solves M x + G^T lambda = G^T (given lambda), G x = 0 without the omitted rows. */
int vida__formulation_omit_rows(vida_formulation* form, vida_linear* linear, double t,
                                const double* q, const double* v, double* lambda, double* x) {
  const VidaSystem* system = form->system;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const int n = system->coordinate_count;
  const int m = system->row_count;
  double* matrix = linear->values;
  vida__linear_clear(linear);
  int code = vida__add_hessian(form->evaluator, t, q, v, mass_only, matrix);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    if (!form->is_dependent[entry->row]) {
      matrix[entry->row_slot] += form->entries[e];
      matrix[entry->column_slot] += form->entries[e];
    }
  }
  for (int r = 0; r < m; r++) {
    matrix[vida__constraint_diagonal(system, r)] += form->is_dependent[r] ? 1.0 : 0.0;
  }
  memset(x, 0, (size_t)(n + m) * sizeof *x);
  vida__add_reaction(system, form->entries, 1.0, lambda, x);
  code = code ? code : vida__linear_factor(linear);
  code = code ? code : vida__linear_solve(linear, x, x);
  if (!code) {
    memcpy(lambda, x + n, (size_t)m * sizeof *lambda);
  }
  return code;
}
