/* radau: its coefficients, orders with fixed steps, errors by tolerance, stiff motion, units, and
 * what happens when steps fail. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "methods/collocation/radau.h"

#include "support/check.h"
#include "support/elliptic.h"
#include "support/exact.h"
#include "support/formula.h"
#include "support/mechanism.h"
#include "support/motion.h"
#include "support/run.h"

enum { MOST = MODEL_COORDINATES, LEVELS = 5 };
static const double pi = 3.14159265358979323846;

/* ---- runs ------------------------------------------------------------------------------------ */

/* rtol: text; NULL: fixed steps. More settings may follow. */
static Run start_with(VidaSystem* system, double h, const char* const* settings) {
  return run_start(system, motion_method("radau", h, settings));
}

static Run start(VidaSystem* system, double h, const char* rtol) {
  const char* const settings[] = {rtol ? "rtol" : NULL, rtol, NULL};
  return start_with(system, h, settings);
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* B(5), C(3) and D(2), which give order 5, and stiff accuracy (Hairer and Wanner, IV.5) */
static void test_coefficients(void) {
  const double(*a)[3] = vida__radau_a;
  const double* c = vida__radau_c;
  const double* b = a[2];
  for (int k = 1; k <= 5; k++) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
      sum += b[i] * pow(c[i], k - 1);
    }
    EXPECT_NEAR(sum, 1.0 / k, 4e-16, "quadrature of degree %d", k - 1);
  }
  for (int k = 1; k <= 3; k++) {
    for (int i = 0; i < 3; i++) {
      double sum = 0.0;
      for (int j = 0; j < 3; j++) {
        sum += a[i][j] * pow(c[j], k - 1);
      }
      EXPECT_NEAR(sum, pow(c[i], k) / k, 4e-16, "collocation of degree %d", k);
    }
  }
  for (int k = 1; k <= 2; k++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0.0;
      for (int i = 0; i < 3; i++) {
        sum += b[i] * pow(c[i], k - 1) * a[i][j];
      }
      EXPECT_NEAR(sum, b[j] / k * (1.0 - pow(c[j], k)), 4e-16, "D(%d)", k);
    }
  }
  EXPECT(c[2] == 1.0, "the last stage is the end of the step");
}

/* t^-1 is the inverse of t, and a t diag(gamma, alpha +- i beta) = t (Hairer and Wanner, IV.8) */
static void test_eigenvectors(void) {
  const double block[3][3] = {{vida__radau_gamma, 0.0, 0.0},
                              {0.0, vida__radau_alpha, -vida__radau_beta},
                              {0.0, vida__radau_beta, vida__radau_alpha}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double unit = 0.0, product = 0.0;
      for (int k = 0; k < 3; k++) {
        unit += vida__radau_inverse_t[i][k] * vida__radau_t[k][j];
        for (int l = 0; l < 3; l++) {
          product += vida__radau_a[i][k] * vida__radau_t[k][l] * block[l][j];
        }
      }
      EXPECT_NEAR(unit, i == j ? 1.0 : 0.0, 4e-15, "inverse, %d %d", i, j);
      EXPECT_NEAR(product, vida__radau_t[i][j], 4e-15, "eigenvectors, %d %d", i, j);
    }
  }
}

/* ---- fixed steps ----------------------------------------------------------------------------- */

typedef struct Case {
  const char* name;
  VidaSystem* (*make)(void);
  void (*exact)(double t, double* q, double* v);
  double time, length, speed;
  int steps;
} Case;

static const Case cases[] = {
    {"pendulum", make_pendulum, exact_pendulum, 1.0, 0.8, 3.0, 16},
    {"bead", make_bead, exact_bead, 1.0, 0.8, 3.0, 20},
    {"pulled pendulum", make_pulled, exact_pulled, 1.0, 0.8, 3.0, 20},
    {"polar", make_polar, exact_polar, 1.0, 1.0, 2.0, 10},
    {"charge", make_charge, exact_charge, 1.0, 1.0, 1.0, 10},
    {"Kepler", make_kepler, exact_kepler, 1.0, 1.0, 1.0, 24},
};

static void measure_order(const Case* c) {
  double position[LEVELS], velocity[LEVELS], h[LEVELS];
  for (int level = 0; level < LEVELS; level++) {
    double q[MOST], v[MOST], right_q[MOST], right_v[MOST];
    const long steps = lround(c->steps * pow(1.5, level));
    h[level] = c->time / (double)steps;
    Run run = start(c->make(), h[level], NULL);
    run_steps(&run, steps);
    run_state(&run, q, v);
    c->exact(c->time, right_q, right_v);
    position[level] = largest_difference(run.n, q, right_q) / c->length;
    velocity[level] = largest_difference(run.n, v, right_v) / c->speed;
    const VidaStatistics statistics = VidaStepper_Statistics(run.stepper);
    EXPECT(statistics.steps == steps && statistics.rejected_steps == 0, "%ld steps",
           statistics.steps);
    /* one matrix serves all stages and iterations, and never comes to no end */
    EXPECT(statistics.newton_iterations <= 20 * steps && statistics.factorizations <= 2 * steps,
           "%s: %ld iterations and %ld factorizations in %ld steps", c->name,
           statistics.newton_iterations, statistics.factorizations, steps);
    run_end(&run);
  }
  EXPECT_NEAR(find_slope(LEVELS, position, h), 5.0, 0.25, "positions on %s, %.3g to %.3g", c->name,
              position[0], position[LEVELS - 1]);
  EXPECT_NEAR(find_slope(LEVELS, velocity, h), 5.0, 0.25, "velocities on %s, %.3g to %.3g", c->name,
              velocity[0], velocity[LEVELS - 1]);
}

static void test_orders(void) {
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    measure_order(&cases[k]);
  }
}

/* The tension of a pendulum, m (g cos theta + l theta'^2), and both levels of the constraint. */
static void test_multipliers(void) {
  double tension[LEVELS], h[LEVELS];
  const double length = 0.8, mass = 1.3;
  for (int level = 0; level < LEVELS; level++) {
    const Model model = model_pendulum(2, mass, length, 1.0, 0.5);
    const long steps = lround(16.0 * pow(1.5, level));
    VidaError error = {0};
    double angle, rate, t, position, velocity;
    h[level] = 1.0 / (double)steps;
    Run run = start(model_system(&model), h[level], NULL);
    run_steps(&run, steps);
    const double lambda = VidaStepper_Multipliers(run.stepper, &t)[0];
    pendulum_motion(sqrt(MODEL_GRAVITY / length), 1.0, 0.5, t, &angle, &rate);
    EXPECT_NEAR(t, 1.0, 1e-14, "time of the multipliers");
    tension[level] = fabs(lambda - mass * (MODEL_GRAVITY * cos(angle) + length * rate * rate));
    REQUIRE_OK(VidaStepper_ConstraintErrors(run.stepper, &position, &velocity, &error), &error);
    EXPECT_BELOW(position, 1e-15, "g");
    EXPECT_BELOW(velocity, 1e-14, "G v");
    run_end(&run);
  }
  EXPECT_NEAR(find_slope(LEVELS, tension, h), 5.0, 0.25, "multipliers, %.3g to %.3g", tension[0],
              tension[LEVELS - 1]);
}

/* ---- steps of its own ------------------------------------------------------------------------ */

/* Errors at the end follow the tolerance, and are not much larger; nodes are met exactly. The error
 * of order 5 is smaller than what the estimate of order 3 controls. */
static void test_tolerances(void) {
  static const char* const rtol[] = {"1e-3", "1e-4", "1e-5",  "1e-6",  "1e-7",
                                     "1e-8", "1e-9", "1e-10", "1e-11", "1e-12"};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const Case* c = &cases[k];
    double before = INFINITY;
    long steps = 0;
    for (size_t i = 0; i < sizeof rtol / sizeof rtol[0]; i++) {
      double q[MOST], v[MOST], right_q[MOST], right_v[MOST], position, velocity;
      VidaError error = {0};
      const double tolerance = strtod(rtol[i], NULL);
      Run run = start(c->make(), 0.5 * c->time, rtol[i]);
      run_steps(&run, 2);
      run_state(&run, q, v);
      c->exact(c->time, right_q, right_v);
      const double off = fmax(largest_difference(run.n, q, right_q) / c->length,
                              largest_difference(run.n, v, right_v) / c->speed);
      EXPECT_BELOW(off, 20.0 * tolerance, "%s with rtol = %s", c->name, rtol[i]);
      EXPECT(off <= fmax(before, 1e-13), "%s with rtol = %s: %g after %g", c->name, rtol[i], off,
             before);
      const VidaStatistics statistics = VidaStepper_Statistics(run.stepper);
      EXPECT(statistics.steps >= steps && statistics.factorizations >= statistics.steps,
             "%s with rtol = %s: %ld steps after %ld, %ld factorizations", c->name, rtol[i],
             statistics.steps, steps, statistics.factorizations);
      REQUIRE_OK(VidaStepper_ConstraintErrors(run.stepper, &position, &velocity, &error), &error);
      EXPECT_BELOW(position, 1e-13, "g of %s", c->name);
      EXPECT_BELOW(velocity, 1e-13, "G v of %s", c->name);
      before = off;
      steps = statistics.steps;
      run_end(&run);
    }
    /* errors of steps go with h^4: a factor of ten of the tolerance costs 10^(1/4) */
    EXPECT(steps < 6000, "%s took %ld steps at 1e-12", c->name, steps);
  }
}

/* A1: the pendulum whose index-3 form stalls in IDA; period 2.00000032988504 */
static void test_a1(void) {
  static const char* const rtol[] = {"1e-4", "1e-6", "1e-8", "1e-10"};
  for (int i = 0; i < 4; i++) {
    const double tolerance = strtod(rtol[i], NULL);
    Model model = model_pendulum(2, 1.0, 1.0, pi / 2.0, 0.0);
    double q[2], v[2], t;
    model.gravity[1] = -13.7503671;
    Run run = start(model_system(&model), 0.1, rtol[i]);
    run_steps(&run, 5);
    run_state(&run, q, v);
    EXPECT_NEAR(q[0], 0.0, 100.0 * tolerance + 1e-6, "x(0.5) with rtol = %s", rtol[i]);
    EXPECT_NEAR(q[1], -1.0, 100.0 * tolerance, "y(0.5)");
    EXPECT_NEAR(hypot(v[0], v[1]), 5.244114, 100.0 * tolerance + 1e-6, "speed");
    EXPECT_NEAR(VidaStepper_Multipliers(run.stepper, &t)[0], 41.2511, 1000.0 * tolerance + 1e-4,
                "tension");
    run_steps(&run, 95);
    run_state(&run, q, v);
    EXPECT_NEAR(q[0], 1.0, 100.0 * tolerance, "x(10) with rtol = %s", rtol[i]);
    EXPECT_NEAR(q[1], -1.9e-11, 1000.0 * tolerance, "y(10) with rtol = %s", rtol[i]);
    run_end(&run);
  }
}

/* A3: mirrored starts give mirrored motions, also where one coordinate does not determine the other
 */
static void test_a3(void) {
  const double angle[] = {pi / 2.0, atan2(0.013437983982246, 0.499819387965786), 0.0, pi};
  const double rate[] = {0.0, 0.0, 2.0, 0.02};
  for (int i = 0; i < 4; i++) {
    double q[2][2], v[2][2];
    for (int side = 0; side < 2; side++) {
      const double sign = side ? -1.0 : 1.0;
      const Model model = model_pendulum(2, 1.0, 0.5, sign * angle[i], sign * rate[i]);
      Run run = start(model_system(&model), 0.5, "1e-8");
      run_steps(&run, 4);
      run_state(&run, q[side], v[side]);
      run_end(&run);
    }
    EXPECT_BELOW(q[0][0] + q[1][0], 1e-12, "x of start %d", i);
    EXPECT_BELOW(q[0][1] - q[1][1], 1e-12, "y of start %d", i);
    EXPECT_BELOW(v[0][0] + v[1][0], 1e-11, "vx of start %d", i);
  }
  const Model model = model_pendulum(2, 1.0, 0.5, pi / 2.0, 0.0);
  double q[2], v[2];
  Run run = start(model_system(&model), 10.0, "1e-9");
  run_steps(&run, 1);
  run_state(&run, q, v);
  EXPECT_NEAR(q[0], 0.4998931932113, 1e-7, "x(10)");
  EXPECT_NEAR(q[1], -0.01033418506872, 1e-6, "y(10)");
  run_end(&run);
}

/* A4: 100 s without drift; the closed form at t = 100 */
static void test_a4(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, pi / 2.0, 0.0);
  double q[2], v[2], position, velocity, energy;
  VidaError error = {0};
  Run run = start(model_system(&model), 1.0, "1e-9");
  for (int k = 0; k < 100; k++) {
    run_steps(&run, 1);
    REQUIRE_OK(VidaStepper_ConstraintErrors(run.stepper, &position, &velocity, &error), &error);
    EXPECT_BELOW(position, 1e-14, "g at %d", k);
    EXPECT_BELOW(velocity, 1e-13, "G v at %d", k);
  }
  run_state(&run, q, v);
  REQUIRE_OK(VidaStepper_Energy(run.stepper, &energy, NULL, &error), &error);
  EXPECT_NEAR(q[0], 0.181513351427, 1e-6, "x(100)");
  EXPECT_NEAR(q[1], -0.9833884803341, 1e-6, "y(100)");
  EXPECT_BELOW(energy, 1e-6, "energy");
  run_end(&run);
}

/* A16: the unit of mass changes nothing, neither steps nor positions but for rounding. */
static void test_a16(void) {
  const double mass[] = {1.0, 1e-6, 1e3, 1e9};
  long steps = 0;
  for (int i = 0; i < 4; i++) {
    const Model model = model_pendulum(2, mass[i], 1.0, pi / 3.0, 0.0);
    double q[2], v[2];
    Run run = start(model_system(&model), 1.0, "1e-8");
    run_steps(&run, 10);
    run_state(&run, q, v);
    EXPECT_NEAR(atan2(q[0], -q[1]), -0.65186304674198, 1e-7, "angle at 10 s, mass %g", mass[i]);
    const VidaStatistics statistics = VidaStepper_Statistics(run.stepper);
    EXPECT(i == 0 || statistics.steps == steps, "%ld steps with mass %g, %ld with 1",
           statistics.steps, mass[i], steps);
    steps = statistics.steps;
    run_end(&run);
  }
}

/* System 2 of A16: a cart of 0.01 under a bob of 100; the bob almost falls freely. First passage at
 * 0.165442893109 s with the rate 162.137 rad/s. */
static void test_heavy_bob(void) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("cart", 2, &system, &error), &error);
  const double gravity[2] = {0.0, -9.81};
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  const VidaParticle cart = {.name = "cart",
                             .mass = 0.01,
                             .position = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)},
                             .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
  const VidaParticle bob = {
      .name = "bob",
      .mass = 100.0,
      .position = {VidaInitial_Given(sin(pi / 6.0)), VidaInitial_Given(-cos(pi / 6.0))},
      .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
  REQUIRE_OK(VidaSystem_AddParticle(system, &cart, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bob, NULL, &error), &error);
  const VidaDistance rod = {"rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  VidaExpression y;
  REQUIRE_OK(VidaSystem_Position(system, 1, &y, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, "rail", "m", y, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  double q[4], v[4];
  Run run = start(system, 0.165442893109, "1e-10");
  run_steps(&run, 1);
  run_state(&run, q, v);
  EXPECT_BELOW(q[2] - q[0], 1e-6, "the bob is below the cart");
  EXPECT_NEAR(fabs(v[2] - v[0]), 162.137, 1e-3, "rate");
  EXPECT_NEAR(fabs(v[0]), 162.12, 1e-2, "speed of the cart");
  EXPECT_NEAR(0.01 * q[0] + 100.0 * q[2], 50.0, 1e-10, "centre of mass");
  run_end(&run);
}

/* ---- stiff motion ---------------------------------------------------------------------------- */

/* A bob on a stiff spring, in balance with the tension of the swing at the start: the motion tends
 * to that of a rod, and vibrations, of which there would be 3000 and 30000, are stepped over. */
static long swing_on_spring(double stiffness, double* q) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  const double stretch = MODEL_GRAVITY * cos(0.5) / stiffness;
  const VidaSpring spring = {.name = "rod",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = stiffness,
                             .length = 1.0,
                             .law = VIDA_SPRING_LINEAR};
  double v[2];
  model.rods = 0;
  model.spring[model.springs++] = spring;
  model.chart = MODEL_NO_CHART;
  model.particle[0].position[0] = VidaInitial_Given((1.0 + stretch) * sin(0.5));
  model.particle[0].position[1] = VidaInitial_Given(-(1.0 + stretch) * cos(0.5));
  Run run = start(model_system(&model), 1.0, "1e-6");
  run_steps(&run, 2);
  run_state(&run, q, v);
  const VidaStatistics statistics = VidaStepper_Statistics(run.stepper);
  run_end(&run);
  return statistics.steps + statistics.rejected_steps;
}

/* Nothing moves but by rounding, on a rod and on a stiff spring, and no step is lost to it. */
static void test_rest(void) {
  static const char* const rtol[] = {"1e-3", "1e-8", "1e-12"};
  const double stiffness[] = {0.0, 1.0, 1e4, 1e8, 1e12};
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 3; k++) {
      double q[2], v[2];
      const double stretch = stiffness[i] > 0.0 ? MODEL_GRAVITY / stiffness[i] : 0.0;
      Model model = model_pendulum(2, 1.0, 1.0 + stretch, 0.0, 0.0);
      if (stiffness[i] > 0.0) {
        const VidaSpring spring = {.name = "rod",
                                   .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                                   .to = VidaPoint_Particle(0),
                                   .stiffness = stiffness[i],
                                   .length = 1.0,
                                   .law = VIDA_SPRING_LINEAR};
        model.rods = 0;
        model.spring[model.springs++] = spring;
        model.chart = MODEL_NO_CHART;
      }
      Run run = start(model_system(&model), 10.0, rtol[k]);
      run_steps(&run, 1);
      run_state(&run, q, v);
      EXPECT_BELOW(q[0], 1e-14, "x with stiffness %g", stiffness[i]);
      EXPECT_NEAR(q[1], -1.0 - stretch, 1e-14 * (1.0 + stretch), "y with stiffness %g, rtol %s",
                  stiffness[i], rtol[k]);
      EXPECT(VidaStepper_Statistics(run.stepper).steps < 20, "%ld steps",
             VidaStepper_Statistics(run.stepper).steps);
      run_end(&run);
    }
  }
}

static void test_stiff_spring(void) {
  double q[2], angle, rate;
  pendulum_motion(sqrt(MODEL_GRAVITY), 0.5, 0.0, 2.0, &angle, &rate);
  const long soft = swing_on_spring(1e4, q);
  const long stiff = swing_on_spring(1e8, q);
  EXPECT_NEAR(atan2(q[0], -q[1]), angle, 1e-4, "angle with k = 1e8");
  const long stiffest = swing_on_spring(1e10, q);
  EXPECT_NEAR(atan2(q[0], -q[1]), angle, 1e-4, "angle with k = 1e10");
  EXPECT(stiff < 3000 && stiffest < 3000, "%ld, %ld and %ld steps", soft, stiff, stiffest);
}

/* ---- constraints that depend on each other --------------------------------------------------- */

/* What a step costs (Hairer and Wanner, IV.8): a simplified Newton iteration keeps its Jacobian
 * while it contracts well, and fixed steps need no second one. A chain that falls from the
 * horizontal. */
static void test_price(void) {
  enum { STEPS = 100 };
  const Model model = model_chain(10, 0.0);
  Run run = start(model_system(&model), 0.01, NULL);
  run_steps(&run, STEPS);
  const VidaStatistics made = VidaStepper_Statistics(run.stepper);
  EXPECT(made.steps == STEPS, "%ld steps", made.steps);
  EXPECT(made.jacobian_evaluations <= STEPS, "%ld Jacobians in %d steps", made.jacobian_evaluations,
         (int)STEPS);
  EXPECT(made.newton_iterations <= 12 * STEPS, "%ld iterations in %d steps", made.newton_iterations,
         (int)STEPS);
  EXPECT(made.residual_evaluations <= 2 * made.newton_iterations + STEPS, "%ld residuals",
         made.residual_evaluations);
  run_end(&run);
}

static void test_redundant(void) {
  const char* const rtol[] = {NULL, "1e-9"};
  for (int i = 0; i < 2; i++) {
    const Door one = {.hinges = 1, .opened = pi / 3.0};
    const Door two = {.hinges = 2, .opened = pi / 3.0};
    Run single = start(mechanism_door(&one), 0.02, rtol[i]);
    Run pair = start(mechanism_door(&two), 0.02, rtol[i]);
    double q[DOOR_COORDINATES], v[DOOR_COORDINATES], other[DOOR_COORDINATES];
    EXPECT(VidaStepper_MultipliersAreUnique(single.stepper), "one hinge");
    EXPECT(VidaStepper_DependentRows(pair.stepper, NULL) == 5, "two hinges");
    run_steps(&single, 100);
    run_steps(&pair, 100);
    run_state(&single, other, v);
    run_state(&pair, q, v);
    EXPECT_BELOW(largest_difference(DOOR_COORDINATES, q, other), 1e-9, "one and two hinges");
    const double* lambda = VidaStepper_Multipliers(pair.stepper, NULL);
    for (int r = 0; r < VidaSystem_ConstraintCount(pair.system); r++) {
      EXPECT(isfinite(lambda[r]) && fabs(lambda[r]) < 1e4, "multiplier %d is %g", r, lambda[r]);
    }
    run_end(&single);
    run_end(&pair);
  }
}

/* ---- failures -------------------------------------------------------------------------------- */

static void test_failures(void) {
  VidaError error = {0};
  const char* const few[] = {"rtol", "1e-10", "max_steps", "7", NULL};
  double q[MOST], v[MOST], after_q[MOST], after_v[MOST];
  Run run = start_with(make_double_pendulum(), 1.0, few);
  run_state(&run, q, v);
  EXPECT_ERROR(VidaStepper_Step(run.stepper, &error), &error, VIDA_STEP_NOT_CONVERGED,
               "more steps than max_steps = 7");
  run_state(&run, after_q, after_v);
  EXPECT(memcmp(q, after_q, (size_t)run.n * sizeof *q) == 0, "positions have moved");
  EXPECT(memcmp(v, after_v, (size_t)run.n * sizeof *v) == 0, "velocities have moved");
  EXPECT(VidaStepper_Time(run.stepper) == 0.0, "the time has moved");
  REQUIRE_OK(VidaStepper_StartWithStep(run.stepper, 0.0, 1e-3, q, v, &error), &error);
  run_steps(&run, 3);
  run_end(&run);
  /* fixed steps that are far too large: an error in words, or a solution, but no state without */
  run = start(make_double_pendulum(), 30.0, NULL);
  const int code = VidaStepper_Step(run.stepper, &error);
  run_state(&run, after_q, after_v);
  if (code) {
    EXPECT(code > 0 && strstr(error.message, "step 1"), "%d: %s", code, error.message);
    EXPECT(memcmp(q, after_q, (size_t)run.n * sizeof *q) == 0, "positions have moved");
  }
  EXPECT(all_finite(run.n, after_q) && all_finite(run.n, after_v), "no finite state");
  run_end(&run);
}

/* A potential that ends: x'' = 1 / (2 sqrt(1 - x)) drives x to 1, where there is nothing. The run
 * says where it got to. */
static void test_end_of_domain(void) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  VidaExpression x, rate;
  REQUIRE_OK(VidaSystem_Create("cliff", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(1.0), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_Position(system, 0, &x, &error), &error);
  REQUIRE_OK(VidaSystem_Rate(system, 0, &rate, &error), &error);
  VidaExpression kinetic =
      apply(system, "*", number(system, 0.5), apply(system, "^", rate, number(system, 2.0)));
  VidaExpression left = apply(system, "-", number(system, 1.0), x);
  VidaExpression root = apply(system, "sqrt", left, -1);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "motion", apply(system, "-", kinetic, root),
                                                &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  Run run = start(system, 2.0, "1e-6");
  EXPECT(VidaStepper_Step(run.stepper, &error) > 0, "there is no such motion");
  EXPECT(strstr(error.message, "at t = 0.") != NULL, "%s", error.message);
  EXPECT(VidaStepper_Positions(run.stepper)[0] == 0.0, "the state has moved");
  run_end(&run);
}

int main(void) {
  static const CheckTest tests[] = {{"coefficients", test_coefficients},
                                    {"eigenvectors", test_eigenvectors},
                                    {"orders", test_orders},
                                    {"multipliers", test_multipliers},
                                    {"tolerances", test_tolerances},
                                    {"A1: index 3", test_a1},
                                    {"A3: mirrored starts", test_a3},
                                    {"A4: 100 s", test_a4},
                                    {"A16: unit of mass", test_a16},
                                    {"A16: heavy bob", test_heavy_bob},
                                    {"rest", test_rest},
                                    {"stiff spring", test_stiff_spring},
                                    {"C16: price of a step", test_price},
                                    {"redundant constraints", test_redundant},
                                    {"failures", test_failures},
                                    {"end of a domain", test_end_of_domain},
                                    {NULL, NULL}};
  return check_main("radau", tests);
}
