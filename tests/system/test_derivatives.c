/* Derivatives of every built-in term and constraint: gradients and second derivatives against
 * central differences, discrete derivatives against the identity that defines them. A wrong second
 * derivative only makes Newton's method slower, so no trajectory would show it. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/motion.h"
#include "system/evaluate/evaluate.h"

enum { MOST_ENTRIES = 4096 };

/* Differences of step 1e-5 at numbers of order 1: truncation 1e-10, rounding 1e-11, both times the
 * size of the derivative. */
static const double step = 1e-5;
static const double accuracy = 1e-8;

typedef struct Bench {
  Model model;
  VidaSystem* system;
  vida_evaluator evaluator;
  int n, m;
  double q[MODEL_COORDINATES], q1[MODEL_COORDINATES], dq[MODEL_COORDINATES];
  double v[MODEL_COORDINATES], lambda[MODEL_LINKS];
  vida_interval between;
  double matrix[MOST_ENTRIES];
} Bench;

static void fill(int n, double* x, double phase, double size) {
  for (int i = 0; i < n; i++) {
    x[i] = size * sin(phase + 2.3 * i);
  }
}

static void set_up(Bench* bench, Model model) {
  VidaError error = {0};
  memset(bench, 0, sizeof *bench);
  bench->model = model;
  bench->system = model_system(&model);
  bench->n = VidaSystem_CoordinateCount(bench->system);
  bench->m = VidaSystem_ConstraintCount(bench->system);
  REQUIRE_OK(vida__evaluator_create(bench->system, &bench->evaluator, &error), &error);
  EXPECT(bench->system->pattern.entries <= MOST_ENTRIES, "%d entries",
         bench->system->pattern.entries);
  /* a state that is not special in any way, off the constraints, too */
  fill(bench->n, bench->q, 1.0, 1.1);
  fill(bench->n, bench->q1, 1.2, 1.3);
  fill(bench->n, bench->v, 2.0, 0.9);
  fill(bench->m, bench->lambda, 3.0, 2.0);
}

static void tear_down(Bench* bench) {
  vida__evaluator_destroy(&bench->evaluator);
  VidaSystem_Destroy(&bench->system);
}

static void clear(Bench* bench) {
  memset(bench->matrix, 0, sizeof bench->matrix);
}

/* Entry (i, j) of what has been added to the matrix; 0 outside of the pattern */
static double entry(const Bench* bench, int i, int j) {
  const vida_pattern* pattern = &bench->system->pattern;
  for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
    if (pattern->row[k] == i) {
      return bench->matrix[k];
    }
  }
  return 0.0;
}

static double size_of_matrix(const Bench* bench) {
  double size = 1.0;
  for (int k = 0; k < bench->system->pattern.entries; k++) {
    size = fmax(size, fabs(bench->matrix[k]));
  }
  return size;
}

/* The upper left block of the matrix is the derivative of f with respect to x. */
static void compare(Bench* bench, double* x, void (*f)(Bench* bench, double* value),
                    const char* what) {
  const double size = size_of_matrix(bench);
  double high[MODEL_COORDINATES], low[MODEL_COORDINATES];
  for (int j = 0; j < bench->n; j++) {
    const double kept = x[j];
    x[j] = kept + step;
    f(bench, high);
    x[j] = kept - step;
    f(bench, low);
    x[j] = kept;
    for (int i = 0; i < bench->n; i++) {
      EXPECT_NEAR(entry(bench, i, j), (high[i] - low[i]) / (2.0 * step), accuracy * size,
                  "%s, (%s, %s) of %s", what, VidaSystem_CoordinateName(bench->system, i),
                  VidaSystem_CoordinateName(bench->system, j), bench->model.name);
    }
  }
}

/* ---- the functions to differentiate ---------------------------------------------------------- */

static double lagrangian(Bench* bench) {
  double value = (double)NAN;
  EXPECT(!vida__lagrangian(&bench->evaluator, 0.0, bench->q, bench->v, &value), "value");
  return value;
}

static void gradient_q(Bench* bench, double* l_q) {
  double l_v[MODEL_COORDINATES];
  EXPECT(!vida__gradient(&bench->evaluator, 0.0, bench->q, bench->v, l_q, l_v), "gradient");
}

static void gradient_v(Bench* bench, double* l_v) {
  double l_q[MODEL_COORDINATES];
  EXPECT(!vida__gradient(&bench->evaluator, 0.0, bench->q, bench->v, l_q, l_v), "gradient");
}

/* From q to q1, as discrete derivatives take it. */
static const vida_interval* interval(Bench* bench) {
  for (int i = 0; i < bench->n; i++) {
    bench->dq[i] = bench->q1[i] - bench->q[i];
  }
  bench->between = vida__interval(&bench->evaluator, bench->q, bench->q1, bench->dq);
  return &bench->between;
}

static void discrete_gradient(Bench* bench, double* d_v) {
  vida__discrete_gradient(bench->system, interval(bench), d_v);
}

/* G(q)^T lambda and Dg(q,q1)^T lambda */
static void reaction(Bench* bench, double* result) {
  double entries[MOST_ENTRIES];
  memset(result, 0, (size_t)bench->n * sizeof *result);
  EXPECT(!vida__jacobian(&bench->evaluator, 0.0, bench->q, entries), "Jacobian");
  vida__add_reaction(bench->system, entries, 1.0, bench->lambda, result);
}

static void discrete_reaction(Bench* bench, double* result) {
  double entries[MOST_ENTRIES];
  memset(result, 0, (size_t)bench->n * sizeof *result);
  vida__discrete_jacobian(bench->system, interval(bench), entries);
  vida__add_reaction(bench->system, entries, 1.0, bench->lambda, result);
}

/* ---- the comparisons ------------------------------------------------------------------------ */

static void compare_gradient(Bench* bench) {
  double l[2][MODEL_COORDINATES];
  double* x[2] = {bench->q, bench->v};
  gradient_q(bench, l[0]);
  gradient_v(bench, l[1]);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < bench->n; i++) {
      const double kept = x[k][i];
      x[k][i] = kept + step;
      const double high = lagrangian(bench);
      x[k][i] = kept - step;
      const double low = lagrangian(bench);
      x[k][i] = kept;
      EXPECT_NEAR(l[k][i], (high - low) / (2.0 * step), 1e-6 * (1.0 + fabs(l[k][i])),
                  "L_%s of %s, %s", k ? "v" : "q", bench->model.name,
                  VidaSystem_CoordinateName(bench->system, i));
    }
  }
}

static void compare_hessians(Bench* bench) {
  const vida_hessian_weights positions = {1.0, 0.0, 0.0, 0.0};
  const vida_hessian_weights velocities = {0.0, 0.0, 0.0, 1.0};
  clear(bench);
  EXPECT(!vida__add_hessian(&bench->evaluator, 0.0, bench->q, bench->v, positions, bench->matrix),
         "L_qq");
  compare(bench, bench->q, gradient_q, "L_qq");
  clear(bench);
  EXPECT(!vida__add_hessian(&bench->evaluator, 0.0, bench->q, bench->v, velocities, bench->matrix),
         "L_vv");
  compare(bench, bench->v, gradient_v, "L_vv");
}

/* Rows of G by differences of g; then the curvature, weighted */
static void compare_constraints(Bench* bench) {
  double entries[MOST_ENTRIES], high[MODEL_LINKS], low[MODEL_LINKS];
  vida_evaluator* evaluator = &bench->evaluator;
  EXPECT(!vida__jacobian(evaluator, 0.0, bench->q, entries), "G");
  clear(bench);
  vida__add_rows(bench->system, entries, 1.0, bench->matrix);
  vida__add_columns(bench->system, entries, 2.0, bench->matrix);
  for (int j = 0; j < bench->n; j++) {
    const double kept = bench->q[j];
    bench->q[j] = kept + step;
    EXPECT(!vida__constraints(evaluator, 0.0, bench->q, NULL, high), "g");
    bench->q[j] = kept - step;
    EXPECT(!vida__constraints(evaluator, 0.0, bench->q, NULL, low), "g");
    bench->q[j] = kept;
    for (int r = 0; r < bench->m; r++) {
      const double slope = (high[r] - low[r]) / (2.0 * step);
      EXPECT_NEAR(entry(bench, bench->n + r, j), slope, accuracy, "G of %s", bench->model.name);
      EXPECT_NEAR(entry(bench, j, bench->n + r), 2.0 * slope, 2.0 * accuracy, "2 G^T of %s",
                  bench->model.name);
    }
  }
  clear(bench);
  EXPECT(!vida__add_curvature(evaluator, 0.0, bench->q, 1.0, bench->lambda, bench->matrix),
         "curvature");
  compare(bench, bench->q, reaction, "curvature");
}

/* Directionality, D f(q0,q1) (q1 - q0) = f(q1) - f(q0) (Gonzalez 1999, eq. 15), with the potential
 * from our own energy, and with the positions far apart, close together and equal */
static void compare_discrete(Bench* bench) {
  const double zero[MODEL_COORDINATES] = {0.0};
  const double nearness[3] = {1.0, 1e-7, 0.0};
  const int n = bench->n;
  double d_v[MODEL_COORDINATES], l_q[MODEL_COORDINATES], entries[MOST_ENTRIES];
  double g0[MODEL_LINKS], g1[MODEL_LINKS], change[MODEL_LINKS], way[MODEL_COORDINATES];
  double far[MODEL_COORDINATES];
  memcpy(far, bench->q1, sizeof far);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) {
      bench->q1[i] = bench->q[i] + nearness[k] * (far[i] - bench->q[i]);
      way[i] = bench->q1[i] - bench->q[i];
    }
    discrete_gradient(bench, d_v);
    double work = 0.0;
    for (int i = 0; i < n; i++) {
      work += d_v[i] * way[i];
    }
    const double before = model_energy(&bench->model, bench->q, zero);
    const double after = model_energy(&bench->model, bench->q1, zero);
    EXPECT_NEAR(work, after - before, 1e-14 * (fabs(before) + fabs(after)),
                "D V of %s, nearness %g", bench->model.name, nearness[k]);
    memset(change, 0, sizeof change);
    vida__discrete_jacobian(bench->system, interval(bench), entries);
    vida__add_constraint_velocity(bench->system, entries, 1.0, way, change);
    EXPECT(!vida__constraints(&bench->evaluator, 0.0, bench->q, NULL, g0) &&
               !vida__constraints(&bench->evaluator, 0.0, bench->q1, NULL, g1),
           "g");
    for (int r = 0; r < bench->m; r++) {
      EXPECT_NEAR(change[r], g1[r] - g0[r], 1e-14, "D g of %s, nearness %g", bench->model.name,
                  nearness[k]);
    }
    gradient_q(bench, l_q);
    for (int i = 0; i < n && k == 2; i++) {
      EXPECT_NEAR(d_v[i], -l_q[i], 1e-13 * (1.0 + fabs(l_q[i])), "D V(q,q) of %s, %s",
                  bench->model.name, VidaSystem_CoordinateName(bench->system, i));
    }
    clear(bench);
    vida__add_discrete_hessian(bench->system, interval(bench), 1.0, bench->matrix);
    compare(bench, bench->q1, discrete_gradient, "derivative of D V");
    clear(bench);
    vida__add_discrete_curvature(bench->system, interval(bench), 1.0, bench->lambda, bench->matrix);
    compare(bench, bench->q1, discrete_reaction, "derivative of D g^T lambda");
  }
}

static void for_all(void (*test)(Bench* bench)) {
  const Model models[] = {model_springs(),
                          model_four_particles(),
                          model_double_spherical_pendulum(),
                          model_oscillator(2.5, 40.0, 0.3, -0.2),
                          model_pendulum(2, 1.3, 0.8, 1.0, 0.5),
                          model_chain(4, 0.3)};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    static Bench bench;
    set_up(&bench, models[i]);
    test(&bench);
    tear_down(&bench);
  }
}

static void test_gradients(void) {
  for_all(compare_gradient);
}

static void test_hessians(void) {
  for_all(compare_hessians);
}

static void test_constraints(void) {
  for_all(compare_constraints);
}

static void test_discrete(void) {
  for_all(compare_discrete);
}

int main(void) {
  static const CheckTest tests[] = {{"gradients", test_gradients},
                                    {"second derivatives", test_hessians},
                                    {"constraints", test_constraints},
                                    {"discrete derivatives", test_discrete},
                                    {NULL, NULL}};
  return check_main("derivatives", tests);
}
