#include "stepper/singular_step.h"

#include <math.h>
#include <string.h>

#include "system/constraints/rank.h"

/* The square of a singular value of G M^(-1/2) below which a motion is left open, relative to the
 * sizes of the rows. */
static const double open_square = 1e-6;

static double shift_of(const VidaIntegration* self, int r) {
  return open_square * self->model.row_stiffness[r] * self->model.row_stiffness[r];
}

/* Factors (M, G^T; G, -E) at the end of the step, with a small diagonal E. */
static int factor_shifted(VidaIntegration* self, const double* u) {
  const double t = vida__next_time(self);
  double* q1 = self->work.q1;
  vida__find_place(self, u, 1.0, q1);
  int code = vida__jacobian(&self->model.evaluator, t, q1, self->work.entries);
  code = code ? code : vida__assemble_matrix_at(self, t, q1, self->work.entries, self->node.v);
  for (int r = 0; r < self->model.m && !code; r++) {
    self->model.node_matrix->values[vida__constraint_diagonal(self->model.system, r)] -=
        shift_of(self, r);
  }
  return code ? code : vida__linear_factor(self->model.node_matrix);
}

/* Computes nu = -(G M^-1 G^T + E)^-1 rows; *nu is work space of the integration. */
static int solve_shifted(VidaIntegration* self, const double* rows, const double** nu) {
  double* side = self->work.node_step;
  memset(side, 0, (size_t)self->model.n * sizeof *side);
  memcpy(side + self->model.n, rows, (size_t)self->model.m * sizeof *side);
  *nu = side + self->model.n;
  return vida__linear_solve(self->model.node_matrix, side, side);
}

/* With N = G M^-1 G^T, the rows r of each set become N (N + E)^-1 r = r - E (N + E)^-1 r. */
static int filter(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const int sets = self->implicit.has_doubled_rows ? 2 : 1;
  int code = factor_shifted(self, u);
  for (int k = 0; k < sets && !code; k++) {
    double* rows = r + k * (self->model.n + self->model.m) + self->model.n;
    const double* nu;
    code = solve_shifted(self, rows, &nu);
    for (int i = 0; i < self->model.m && !code; i++) {
      rows[i] += shift_of(self, i) * nu[i];
    }
  }
  return code;
}

/* Whether the smallest eigenvalue of N, relative to the sizes of the rows, is below open_square:
 * inverse iteration with the present factors. */
static bool is_nearly_singular(VidaIntegration* self) {
  enum { ITERATIONS = 4 };
  static const double golden = 0.6180339887498949;
  double* x = self->work.constraint_work;
  double part = golden, growth = 0.0, before = 0.0;
  for (int r = 0; r < self->model.m; r++, part = fmod(part + golden, 1.0)) {
    x[r] = (part - 0.5) * self->model.row_stiffness[r];
    before += (part - 0.5) * (part - 0.5);
  }
  for (int k = 0; k < ITERATIONS; k++) {
    const double* nu;
    double after = 0.0;
    if (solve_shifted(self, x, &nu)) {
      return false;
    }
    for (int r = 0; r < self->model.m; r++) {
      const double scaled = self->model.row_stiffness[r] * nu[r];
      x[r] = self->model.row_stiffness[r] * scaled;
      after += scaled * scaled;
    }
    growth = sqrt(after / before);
    before = after;
  }
  return growth * 2.0 * open_square >= 1.0;
}

bool vida__pass_singular(VidaIntegration* self) {
  const vida_map_singular singular = {self->model.n, filter};
  return vida__map_pass_singular(self->implicit.map, &singular, self->implicit.unknown) &&
         is_nearly_singular(self);
}
