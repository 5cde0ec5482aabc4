/* The hand-coded loop: Newton's method with an LU factorisation of its own. */
#include <stdlib.h>

#include "bench.h"
#include "pendulum.h"

enum { MAX_ITERATIONS = 20 };

/* Solves A x = b in place by rows, with partial pivoting; 1 when A is singular. */
static int solve(double a[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS]) {
  for (int k = 0; k < UNKNOWNS; k++) {
    int pivot = k;
    for (int i = k + 1; i < UNKNOWNS; i++) {
      if (fabs(a[i][k]) > fabs(a[pivot][k])) {
        pivot = i;
      }
    }
    if (!(fabs(a[pivot][k]) > 0.0)) {
      return 1;
    }
    if (pivot != k) {
      for (int j = k; j < UNKNOWNS; j++) {
        const double other = a[k][j];
        a[k][j] = a[pivot][j];
        a[pivot][j] = other;
      }
      const double other = b[k];
      b[k] = b[pivot];
      b[pivot] = other;
    }
    const double inverse = 1.0 / a[k][k];
    for (int i = k + 1; i < UNKNOWNS; i++) {
      const double factor = a[i][k] * inverse;
      if (factor != 0.0) {
        for (int j = k + 1; j < UNKNOWNS; j++) {
          a[i][j] -= factor * a[k][j];
        }
        b[i] -= factor * b[k];
      }
    }
  }
  for (int i = UNKNOWNS - 1; i >= 0; i--) {
    for (int j = i + 1; j < UNKNOWNS; j++) {
      b[i] -= a[i][j] * b[j];
    }
    b[i] /= a[i][i];
  }
  return 0;
}

static double scaled_norm(const double f[UNKNOWNS]) {
  double norm = 0.0;
  for (int i = 0; i < UNKNOWNS; i++) {
    norm = fmax(norm, fabs(pendulum_scale[i] * f[i]));
  }
  return norm;
}

static int step(Pendulum* s) {
  double u[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
  pendulum_predict(s, u);
  pendulum_residual(s, u, f);
  double tolerance = 0.01 * TOLERANCE; /* of the prediction, as KINSOL does it */
  for (int iteration = 0; !(scaled_norm(f) <= tolerance); iteration++) {
    if (iteration == MAX_ITERATIONS) {
      return 1;
    }
    pendulum_jacobian(s, u, &jacobian[0][0], UNKNOWNS, 1);
    if (solve(jacobian, f)) {
      return 1;
    }
    for (int i = 0; i < UNKNOWNS; i++) {
      u[i] -= f[i];
    }
    s->iterations++;
    pendulum_residual(s, u, f);
    tolerance = TOLERANCE;
  }
  pendulum_finish(s, u);
  return 0;
}

static int newton_create(double h, void** self) {
  Pendulum* s = calloc(1, sizeof *s);
  *self = s;
  if (!s) {
    return 1;
  }
  s->h = h;
  return 0;
}

static int newton_start(void* self) {
  pendulum_start(self);
  return 0;
}

static int newton_run(void* self, long steps) {
  for (long i = 0; i < steps; i++) {
    if (step(self)) {
      return 1;
    }
  }
  return 0;
}

static void newton_positions(const void* self, double* q) {
  memcpy(q, ((const Pendulum*)self)->q, sizeof(double) * COORDINATES);
}

static long newton_iterations(const void* self) {
  return ((const Pendulum*)self)->iterations;
}

static void newton_destroy(void* self) {
  free(self);
}

const Contender pendulum_newton = {
    "hand-coded Newton and LU", newton_create,     newton_start,  newton_run,
    newton_positions,           newton_iterations, newton_destroy};
