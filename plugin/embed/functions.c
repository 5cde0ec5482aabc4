/* The functions of a formulation that IDA, CVODE and ARKODE call. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "embed/formulation.h"
#include "embed/vectors.h"

/* ---- arguments ------------------------------------------------------------------------------- */

/* The largest number of vectors that a function takes. */
enum { MOST_VECTORS = 3 };

static vida_use use_of(VidaFormulationKind kind) {
  return kind == VIDA_FORMULATION_ODE         ? VIDA_USE_RATE
         : kind == VIDA_FORMULATION_POSITIONS ? VIDA_USE_POSITIONS
                                              : VIDA_USE_RESIDUAL;
}

int vida__take_arrays(VidaFormulation* self, vida_use use, int count, const N_Vector* vectors,
                      double** arrays) {
  if (use_of(self->kind) != use) {
    return vida__note_bad_argument(self, "this function is for another kind of formulation");
  }
  for (int k = 0; k < count; k++) {
    arrays[k] = vida__vector_array(vectors[k], self->size);
    if (!arrays[k]) {
      return vida__note_bad_argument(self, "a vector has no array or another length than y");
    }
    for (int i = 0; i < k; i++) {
      if (arrays[i] == arrays[k]) {
        return vida__note_bad_argument(self, "two of the vectors are the same one");
      }
    }
  }
  return vida__require_formulation_start(self, &self->last);
}

int vida__check_finite(const double* values, int count, int code) {
  return code ? code : vida__are_finite(values, count) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

/* ---- IDA ------------------------------------------------------------------------------------- */

int VidaFormulation_Residual(sunrealtype t, N_Vector y, N_Vector dy, N_Vector residual,
                             void* formulation) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code =
      vida__take_arrays(self, VIDA_USE_RESIDUAL, 3, (const N_Vector[]){y, dy, residual}, arrays);
  if (code) {
    return code;
  }
  code = vida__formulation_residual(&self->form, t, arrays[0], arrays[1], arrays[2]);
  code = vida__check_finite(arrays[2], self->size, code);
  return vida__note_failure(self, &self->evaluator, code);
}

/* Part of 1/c, the size of a step: small enough for the error of central differences. */
static const double difference_part = 0.01;

int VidaFormulation_Jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector dy,
                             N_Vector residual, SUNMatrix matrix, void* formulation, N_Vector work1,
                             N_Vector work2, N_Vector work3) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  (void)residual, (void)work1, (void)work2, (void)work3;
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_arrays(self, VIDA_USE_RESIDUAL, 2, (const N_Vector[]){y, dy}, arrays);
  if (code) {
    return code;
  }
  memset(self->values, 0, (size_t)self->pattern.entries * sizeof *self->values);
  code = vida__formulation_matrix(&self->form, t, c, difference_part / c, arrays[0], arrays[1],
                                  self->values);
  code = vida__check_finite(self->values, self->pattern.entries, code);
  if (code) {
    return vida__note_failure(self, &self->evaluator, code);
  }
  return vida__store_matrix(self, matrix);
}

/* ---- the underlying ODE ---------------------------------------------------------------------- */

static int find_rate(VidaFormulation* self, double t, const double* y, double* rate) {
  const int n = self->n;
  const int code = vida__equations_find(self->equations, t, y, y + n, NULL, rate + n, self->lambda);
  if (!code) {
    memcpy(rate, y + n, (size_t)n * sizeof *rate);
  }
  return vida__check_finite(rate, 2 * n, code);
}

int VidaFormulation_Rate(sunrealtype t, N_Vector y, N_Vector rate, void* formulation) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_arrays(self, VIDA_USE_RATE, 2, (const N_Vector[]){y, rate}, arrays);
  if (code) {
    return code;
  }
  code = find_rate(self, t, arrays[0], arrays[1]);
  return vida__note_failure(self, vida__equations_evaluator(self->equations), code);
}

/* A part of the time in which the motion changes by its size: about the cube root of rounding, the
 * best one for central differences. */
static double difference_step(const VidaFormulation* self, const double* v, const double* a) {
  static const double part = 6e-6;
  double rate = 0.0;
  for (int i = 0; i < self->n; i++) {
    const double size = self->position_size[i] > 0.0 ? self->position_size[i] : 1.0;
    const double speed = self->speed_size[i] > 0.0 ? self->speed_size[i] : 1.0;
    rate = fmax(rate, fmax(fabs(v[i]) / size, fabs(a[i]) / speed));
  }
  return rate > 0.0 ? part / rate : part;
}

/* The derivative of a by one component of y: M a' + G^T lambda' = -F_2', G a' = -F_3', where F_2'
 * and F_3' are a column of the matrix of index 1 with c = 0. */
static int solve_column(VidaFormulation* self, int j, double* column) {
  const vida_pattern* pattern = &self->form.pattern;
  const int n = self->n;
  double* x = self->step;
  memset(x, 0, (size_t)(n + self->m) * sizeof *x);
  for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
    if (pattern->row[k] >= n) {
      x[pattern->row[k] - n] = -self->columns[k];
    }
  }
  const int code = vida__equations_solve(self->equations, x, x);
  column[0] = j < n ? 0.0 : 1.0; /* of q' = v */
  memcpy(column + 1, x, (size_t)n * sizeof *column);
  return code;
}

static int find_rate_jacobian(VidaFormulation* self, double t, const double* y) {
  const int n = self->n;
  double *state = self->state, *motion = self->motion;
  memcpy(state, y, 2 * (size_t)n * sizeof *y);
  memset(motion, 0, (size_t)(2 * n + self->m) * sizeof *motion);
  int code = find_rate(self, t, y, motion);
  if (code) {
    return vida__note_failure(self, vida__equations_evaluator(self->equations), code);
  }
  if (self->m > 0) {
    memcpy(state + 2 * n, self->lambda, (size_t)self->m * sizeof *state);
  }
  memset(self->columns, 0, (size_t)self->form.pattern.entries * sizeof *self->columns);
  code = vida__formulation_matrix(&self->form, t, 0.0, difference_step(self, motion, motion + n),
                                  state, motion, self->columns);
  if (code) {
    return vida__note_failure(self, &self->evaluator, code);
  }
  for (int j = 0; j < 2 * n && !code; j++) {
    code = solve_column(self, j, self->values + self->pattern.column_start[j]);
  }
  code = vida__check_finite(self->values, self->pattern.entries, code);
  return vida__note_failure(self, &self->evaluator, code);
}

int VidaFormulation_RateJacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                                 void* formulation, N_Vector work1, N_Vector work2,
                                 N_Vector work3) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  (void)rate, (void)work1, (void)work2, (void)work3;
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_arrays(self, VIDA_USE_RATE, 1, (const N_Vector[]){y}, arrays);
  code = code ? code : find_rate_jacobian(self, t, arrays[0]);
  return code ? code : vida__store_matrix(self, matrix);
}

/* ---- projection ------------------------------------------------------------------------------ */

static int project(VidaFormulation* self, double t, double* y) {
  if (!self->projector) {
    return vida__note_failure(self, &self->evaluator, VIDA_SUCCESS);
  }
  double* v = y + self->n;
  int code = vida__project_position(&self->projection, t, y, v);
  code = code ? code : vida__project_velocity_level(&self->projection, t, y, v);
  return vida__note_failure(self, vida__projector_evaluator(self->projector), code);
}

int VidaFormulation_Project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype epsilon,
                            N_Vector error, void* formulation) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  (void)epsilon; /* the projection goes to rounding */
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__take_arrays(self, VIDA_USE_RATE, error ? 3 : 2,
                               (const N_Vector[]){y, correction, error}, arrays);
  if (code) {
    return code;
  }
  memcpy(arrays[1], arrays[0], (size_t)self->size * sizeof *arrays[1]);
  code = project(self, t, arrays[1]);
  for (int i = 0; i < self->size; i++) {
    arrays[1][i] -= arrays[0][i];
  }
  if (!code && error && self->projector) {
    code = vida__project_error(&self->projection, arrays[2]);
    code = vida__note_failure(self, vida__projector_evaluator(self->projector), code);
  }
  return code;
}

int VidaFormulation_ProjectStep(sunrealtype t, N_Vector y, void* formulation) {
  VidaFormulation* self = formulation;
  double* arrays[MOST_VECTORS] = {NULL};
  if (!self) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = vida__take_arrays(self, VIDA_USE_RATE, 1, (const N_Vector[]){y}, arrays);
  return code ? code : project(self, t, arrays[0]);
}
