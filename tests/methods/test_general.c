/* General Lagrangians, whose mass matrix depends on the position: a mass on a spring in polar
 * coordinates, against the same motion in Cartesian ones by code of our own. */
#include <math.h>
#include <string.h>
#include <vida/expression.h>

#include "support/check.h"
#include "support/motion.h"
#include "system/evaluate/evaluate.h"

#define MASS 1.3
#define STIFFNESS 30.0
#define LENGTH 0.8

/* L = m (r'^2 + r^2 theta'^2) / 2 + m g r cos theta - k (r - l)^2 / 2 */
static int value(double t, const double* q, const double* v, double* l, void* data) {
  const double stretch = q[0] - LENGTH;
  (void)t;
  (void)data;
  *l = 0.5 * MASS * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) +
       MASS * MODEL_GRAVITY * q[0] * cos(q[1]) - 0.5 * STIFFNESS * stretch * stretch;
  return 0;
}

static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  (void)t;
  (void)data;
  l_q[0] = MASS * (q[0] * v[1] * v[1] + MODEL_GRAVITY * cos(q[1])) - STIFFNESS * (q[0] - LENGTH);
  l_q[1] = -MASS * MODEL_GRAVITY * q[0] * sin(q[1]);
  l_v[0] = MASS * v[0];
  l_v[1] = MASS * q[0] * q[0] * v[1];
  return 0;
}

static int hessian(double t, const double* q, const double* v, double* l_qq, double* l_qv,
                   double* l_vv, void* data) {
  (void)t;
  (void)data;
  l_qq[0] = MASS * v[1] * v[1] - STIFFNESS;
  l_qq[1] = l_qq[2] = -MASS * MODEL_GRAVITY * sin(q[1]);
  l_qq[3] = -MASS * MODEL_GRAVITY * q[0] * cos(q[1]);
  l_qv[0] = l_qv[2] = l_qv[3] = 0.0;
  l_qv[1] = 2.0 * MASS * q[0] * v[1];
  l_vv[0] = MASS;
  l_vv[1] = l_vv[2] = 0.0;
  l_vv[3] = MASS * q[0] * q[0];
  return 0;
}

/* The chart whose coordinates are those of the system. */
static void add_own_chart(VidaSystem* system) {
  const int both[2] = {0, 1};
  VidaExpression x[2];
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddChartCoordinate(system, "R", 1.0, &x[0], &error), &error);
  REQUIRE_OK(VidaSystem_AddChartCoordinate(system, "Theta", 0.0, &x[1], &error), &error);
  REQUIRE_OK(VidaSystem_AddChart(system, 2, both, x, &error), &error);
}

static VidaSystem* make_polar(bool second_derivatives) {
  const VidaLagrangian lagrangian = {value, gradient, second_derivatives ? hessian : NULL};
  const int both[2] = {0, 1};
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("polar", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "r", "m", VidaInitial_Given(1.0),
                                      VidaInitial_Given(0.2), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "theta", "rad", VidaInitial_Given(0.7),
                                      VidaInitial_Given(1.5), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "swing", 2, both, &lagrangian, NULL, &error), &error);
  add_own_chart(system);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* r and theta after time t */
static void exact(double t, double* polar) {
  const double x[2] = {sin(0.7), -cos(0.7)};
  const double v[2] = {0.2 * sin(0.7) + 1.5 * cos(0.7), -0.2 * cos(0.7) + 1.5 * sin(0.7)};
  Model model = model_free_particle(2, MASS, x, v);
  const VidaSpring spring = {.name = "spring",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = STIFFNESS,
                             .length = LENGTH};
  double q[2] = {x[0], x[1]};
  double w[2] = {v[0], v[1]};
  model.gravity[1] = -MODEL_GRAVITY;
  model.spring[model.springs++] = spring;
  model_reference(&model, t, 100, q, w, NULL);
  polar[0] = hypot(q[0], q[1]);
  polar[1] = atan2(q[0], -q[1]);
}

/* A started stepper; NULL when the method takes only separable Lagrangians */
static VidaStepper* make_stepper(const VidaSystem* system, const char* method, double h) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[2], v[2];
  VidaOptions* options = motion_method(method, h, NULL);
  const int code = VidaStepper_Create(system, options, &stepper, &error);
  VidaOptions_Destroy(&options);
  if (code != VIDA_NOT_SUPPORTED) {
    REQUIRE_OK(code, &error);
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  }
  return stepper;
}

/* Largest deviation of the energy, and the end of a run of 1 s; false: refused */
static bool run(const VidaSystem* system, const char* method, long steps, double* end,
                double* energy_off) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, method, 1.0 / (double)steps);
  double first = 0.0;
  double now = 0.0;
  int code = 0;
  if (!stepper) {
    return false;
  }
  *energy_off = 0.0;
  REQUIRE_OK(VidaStepper_Energy(stepper, &first, NULL, &error), &error);
  for (long i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
    code = code ? code : VidaStepper_Energy(stepper, &now, NULL, &error);
    *energy_off = fmax(*energy_off, fabs(now - first));
  }
  REQUIRE_OK(code, &error);
  memcpy(end, VidaStepper_Positions(stepper), 2 * sizeof *end);
  /* Newton's method converges quadratically: a wrong Jacobian takes several more */
  const double iterations =
      (double)VidaStepper_Statistics(stepper).newton_iterations / (double)steps;
  /* of the default scheme, suzuki4; a step of the sequence and one to the node; passes, which are
   * no Newton's method and converge linearly; of a table */
  const bool is_table = Vida_FindMethod(method)->capabilities & VIDA_CAN_ADAPTIVE;
  const int stages = strcmp(method, "compose") == 0           ? 5
                     : strcmp(method, "rattle-variable") == 0 ? 2
                     : strcmp(method, "moreau-jean") == 0     ? 3
                     : is_table                               ? 8
                                                              : 1;
  EXPECT(iterations <= 2.5 * stages, "%s takes %.2f iterations a step", method, iterations);
  VidaStepper_Destroy(&stepper);
  return true;
}

/* All converge to the right motion at least with order 1, the midpoint rule with order 2 (Wendlandt
 * and Marsden 1997, section 4.5: the endpoint rule loses an order here); the second derivatives may
 * be left out.
 */
static void test_motion(void) {
  double right[2];
  exact(1.0, right);
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const char* method = Vida_MethodInfo(i)->name;
    if (motion_is_adaptive(method)) {
      continue; /* has no order in h */
    }
    VidaSystem* system = make_polar(true);
    VidaSystem* bare = make_polar(false);
    double end[2], same[2], off[2], energy;
    if (run(system, method, 200, end, &energy)) {
      off[0] = largest_difference(2, end, right);
      EXPECT_BELOW(energy, 0.1, "%s: energy", method);
      run(bare, method, 200, same, &energy);
      EXPECT_BELOW(largest_difference(2, end, same), 1e-12, "%s without second derivatives",
                   method);
      run(system, method, 400, end, &energy);
      off[1] = largest_difference(2, end, right);
      const double order = log2(off[0] / off[1]);
      const double expected =
          strcmp(method, "del-midpoint") && strcmp(method, "del-chart") ? 1.0 : 2.0;
      EXPECT(order > expected - 0.15 || off[1] < 1e-12, "%s has order %.3f, errors %.3g, %.3g",
             method, order, off[0], off[1]);
      EXPECT_BELOW(off[1], 0.02, "%s with h = 1/400", method);
    } else {
      EXPECT(!(Vida_MethodInfo(i)->capabilities & VIDA_CAN_GENERAL_LAGRANGIAN),
             "%s claims to take any Lagrangian", method);
    }
    VidaSystem_Destroy(&bare);
    VidaSystem_Destroy(&system);
  }
}

/* Each weight brings its block of second derivatives, given or by differences: entry (i, j) is qq
 * L_qi_qj + qv L_qi_vj + vq L_vi_qj + vv L_vi_vj. */
static void test_weights(void) {
  static const vida_hessian_weights weights[5] = {{1.0, 0.0, 0.0, 0.0},
                                                  {0.0, 1.0, 0.0, 0.0},
                                                  {0.0, 0.0, 1.0, 0.0},
                                                  {0.0, 0.0, 0.0, 1.0},
                                                  {0.3, -0.7, 0.2, 1.1}};
  const double q[2] = {1.1, 0.4};
  const double v[2] = {0.3, -0.8};
  double l_qq[4], l_qv[4], l_vv[4];
  hessian(0.0, q, v, l_qq, l_qv, l_vv, NULL);
  for (int k = 0; k < 10; k++) {
    const vida_hessian_weights w = weights[k / 2];
    VidaSystem* system = make_polar(k % 2 == 0);
    vida_evaluator evaluator;
    VidaError error = {0};
    double matrix[4] = {0.0, 0.0, 0.0, 0.0};
    REQUIRE_OK(vida__evaluator_create(system, &evaluator, &error), &error);
    EXPECT(system->pattern.entries == 4, "%d entries", system->pattern.entries);
    REQUIRE_OK(vida__add_hessian(&evaluator, 0.0, q, v, w, matrix), &evaluator.error);
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        const double expected = w.qq * l_qq[2 * i + j] + w.qv * l_qv[2 * i + j] +
                                w.vq * l_qv[2 * j + i] + w.vv * l_vv[2 * i + j];
        /* by columns; differences lose a third of the digits */
        EXPECT_NEAR(matrix[2 * j + i], expected, k % 2 ? 1e-8 : 1e-14, "entry (%d, %d), weights %d",
                    i, j, k / 2);
      }
    }
    vida__evaluator_destroy(&evaluator);
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  static const CheckTest tests[] = {
      {"motion", test_motion}, {"weights of second derivatives", test_weights}, {NULL, NULL}};
  return check_main("general Lagrangians", tests);
}
