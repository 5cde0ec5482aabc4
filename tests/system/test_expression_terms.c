/* Terms and constraints written as expressions, against built-in ones and closed forms. */
#include <math.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"

static void add_coordinates(VidaSystem* system, int count, const double* q, const double* v) {
  static const char* const names[6] = {"q1", "q2", "q3", "q4", "q5", "q6"};
  VidaError error = {0};
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(system, names[i], "m", VidaInitial_Given(q[i]),
                                        VidaInitial_Given(v[i]), NULL, &error),
               &error);
  }
}

/* Steps `method` and gives the positions and the energy at the end. */
static void run(const VidaSystem* system, const char* method, double h, long steps, double* q,
                double* energy) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double v[6];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  memcpy(q, VidaStepper_Positions(stepper), (size_t)VidaSystem_CoordinateCount(system) * sizeof *q);
  REQUIRE_OK(VidaStepper_Energy(stepper, energy, NULL, &error), &error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
}

/* The plane pendulum m = 2, l = 1.5 as particle and rod, and as formulas. */
static VidaSystem* built_in_pendulum(const double* q, const double* v) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  const double gravity[2] = {0.0, -9.81};
  VidaParticle bob = {.name = "bob", .mass = 2.0};
  for (int i = 0; i < 2; i++) {
    bob.position[i] = VidaInitial_Given(q[i]);
    bob.velocity[i] = VidaInitial_Given(v[i]);
  }
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.5};
  EXPECT(!VidaSystem_Create("pendulum", 2, &system, &error) &&
             !VidaSystem_AddGravity(system, gravity, &error) &&
             !VidaSystem_AddParticle(system, &bob, NULL, &error) &&
             !VidaSystem_AddDistance(system, &rod, &error) && !VidaSystem_Complete(system, &error),
         "%s", error.message);
  return system;
}

static VidaSystem* written_pendulum(const double* q, const double* v) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  REQUIRE_OK(VidaSystem_Create("pendulum", 2, &s, &error), &error);
  add_coordinates(s, 2, q, v);
  const VidaExpression x = position(s, 0);
  const VidaExpression y = position(s, 1);
  const VidaExpression speed = apply(s, "+", square(s, rate(s, 0)), square(s, rate(s, 1)));
  const VidaExpression potential = apply(s, "*", number(s, 2.0 * 9.81), y);
  const VidaExpression length = apply(s, "+", square(s, x), square(s, y));
  const VidaExpression g =
      apply(s, "/", apply(s, "-", length, number(s, 1.5 * 1.5)), number(s, 2.0 * 1.5));
  EXPECT(!VidaSystem_AddExpressionLagrangian(s, "bob", apply(s, "-", speed, potential), &error) &&
             !VidaSystem_AddExpressionConstraint(s, "rod", "m", g, &error) &&
             !VidaSystem_Complete(s, &error),
         "%s", error.message);
  return s;
}

/* Built-in terms and formulas are the same system; over 10 s both give the same motion. */
static void test_pendulum(void) {
  static const char* const methods[] = {"del-midpoint", "del-endpoint", "rattle"};
  const double q0[2] = {1.5 * 0.6, -1.5 * 0.8};
  const double v0[2] = {0.8, 0.6};
  VidaSystem* built_in = built_in_pendulum(q0, v0);
  VidaSystem* written = written_pendulum(q0, v0);
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    double q[2][6], energy[2];
    run(built_in, methods[m], 1e-2, 1000, q[0], &energy[0]);
    run(written, methods[m], 1e-2, 1000, q[1], &energy[1]);
    for (int i = 0; i < 2; i++) {
      EXPECT_NEAR(q[1][i], q[0][i], 1e-11, "%s, coordinate %d", methods[m], i);
    }
    EXPECT_NEAR(energy[1], energy[0], 1e-10, "%s, energy", methods[m]);
  }
  VidaSystem_Destroy(&built_in);
  VidaSystem_Destroy(&written);
}

/* Three masses in the plane: a rod from the first to the second, a spring of the squared law from
 * the second to the third; rod and spring built in, or written as formulas of the particles. */
static VidaSystem* rod_and_spring(bool written) {
  const Model chart = {.dimension = 2,
                       .particles = 3,
                       .rods = 1,
                       .rod = {{"rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.0}},
                       .chart = MODEL_CHART_SIDEWAYS,
                       .near = 1.0};
  static const double mass[3] = {1.0, 2.0, 0.7};
  static const double q[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.3}};
  static const double v[3][2] = {{0.0, 0.4}, {0.0, -0.3}, {0.5, 0.2}};
  static const char* const names[3] = {"a", "b", "c"};
  VidaError error = {0};
  VidaSystem* s = NULL;
  EXPECT(!VidaSystem_Create("triple", 2, &s, &error), "%s", error.message);
  for (int p = 0; p < 3; p++) {
    VidaParticle particle = {.name = names[p], .mass = mass[p]};
    for (int k = 0; k < 2; k++) {
      particle.position[k] = VidaInitial_Given(q[p][k]);
      particle.velocity[k] = VidaInitial_Given(v[p][k]);
    }
    EXPECT(!VidaSystem_AddParticle(s, &particle, NULL, &error), "%s", error.message);
  }
  if (!written) {
    const VidaDistance rod = {"rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.0};
    const VidaSpring spring = {"spring", VidaPoint_Particle(1), VidaPoint_Particle(2), 50.0, 0.0,
                               1.1,      VIDA_SPRING_SQUARED};
    EXPECT(!VidaSystem_AddDistance(s, &rod, &error) && !VidaSystem_AddSpring(s, &spring, &error),
           "%s", error.message);
  } else {
    VidaExpression square_of[2];
    for (int p = 0; p < 2; p++) {
      const VidaExpression dx = apply(s, "-", position(s, 2 * p + 2), position(s, 2 * p));
      const VidaExpression dy = apply(s, "-", position(s, 2 * p + 3), position(s, 2 * p + 1));
      square_of[p] = apply(s, "+", square(s, dx), square(s, dy));
    }
    const VidaExpression g =
        apply(s, "*", number(s, 0.5), apply(s, "-", square_of[0], number(s, 1.0)));
    const VidaExpression stretch = apply(s, "-", square_of[1], number(s, 1.1 * 1.1));
    const VidaExpression minus_v = apply(s, "*", number(s, -0.25 * 50.0), square(s, stretch));
    EXPECT(!VidaSystem_AddExpressionConstraint(s, "rod", "m", g, &error) &&
               !VidaSystem_AddExpressionLagrangian(s, "spring", minus_v, &error),
           "%s", error.message);
  }
  model_add_chart(&chart, s);
  EXPECT(!VidaSystem_Complete(s, &error), "%s", error.message);
  return s;
}

/* The automatic discrete derivatives of these formulas are the closed ones of Gonzalez 1999, eq.
 * 34, so all methods, energy-momentum among them, give the same motion; symmetries are found, too.
 */
static void test_formulas_of_particles(void) {
  VidaSystem* built_in = rod_and_spring(false);
  VidaSystem* written = rod_and_spring(true);
  EXPECT(VidaSystem_MomentumCount(written) == 3, "%d maps", VidaSystem_MomentumCount(written));
  for (int m = 0; m < Vida_MethodCount(); m++) {
    double q[2][6], energy[2];
    if (Vida_MethodInfo(m)->capabilities & (VIDA_LIMIT_UNCONSTRAINED | VIDA_CAN_RIGID_BODIES) ||
        motion_is_adaptive(Vida_MethodInfo(m)->name)) {
      continue;
    }
    run(built_in, Vida_MethodInfo(m)->name, 1e-2, 1000, q[0], &energy[0]);
    run(written, Vida_MethodInfo(m)->name, 1e-2, 1000, q[1], &energy[1]);
    for (int i = 0; i < 6; i++) {
      EXPECT_NEAR(q[1][i], q[0][i], 1e-11, "%s, coordinate %d", Vida_MethodInfo(m)->name, i);
    }
    /* The motion of the spring amplifies the rounding of variable steps. */
    EXPECT_NEAR(energy[1], energy[0], 1e-10, "%s, energy", Vida_MethodInfo(m)->name);
  }
  VidaSystem_Destroy(&built_in);
  VidaSystem_Destroy(&written);
}

/* A potential that is no polynomial, 4 (r^-12 - r^-6) between two particles: energy-momentum keeps
 * its energy to rounding. The well has the depth 1, which the energy is compared with. */
static void test_exact_energy(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double x[2] = {-0.7, 0.7};
  double q[6], before, after;
  REQUIRE_OK(VidaSystem_Create("pair", 2, &s, &error), &error);
  for (int p = 0; p < 2; p++) {
    VidaParticle particle = {.name = p ? "right" : "left", .mass = 1.0};
    particle.position[0] = VidaInitial_Given(x[p]);
    particle.velocity[1] = VidaInitial_Given(0.2 * x[p]);
    REQUIRE_OK(VidaSystem_AddParticle(s, &particle, NULL, &error), &error);
  }
  const VidaExpression dx = apply(s, "-", position(s, 2), position(s, 0));
  const VidaExpression dy = apply(s, "-", position(s, 3), position(s, 1));
  const VidaExpression inverse =
      apply(s, "/", number(s, 1.0), apply(s, "+", square(s, dx), square(s, dy)));
  const VidaExpression sixth = apply(s, "*", square(s, inverse), inverse);
  const VidaExpression minus_v =
      apply(s, "*", number(s, 4.0), apply(s, "-", sixth, square(s, sixth)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "well", minus_v, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  run(s, "energy-momentum", 2e-2, 0, q, &before);
  run(s, "energy-momentum", 2e-2, 5000, q, &after);
  EXPECT_NEAR(after, before, 1e-12, "energy");
  EXPECT_NEAR(q[0] + q[2], 0.0, 1e-12, "the centre stays");
  VidaSystem_Destroy(&s);
}

/* A bead on a wire y = A sin(w t) that moves as a whole (x free, y prescribed): x'' = 0, so x is
 * uniform and y follows the wire to rounding. */
static void test_moving_constraint(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double q0[2] = {0.3, 0.0};
  const double v0[2] = {0.5, 0.7 * 3.0};
  double q[6], energy;
  VidaExpression t = -1;
  REQUIRE_OK(VidaSystem_Create("bead", 2, &s, &error), &error);
  add_coordinates(s, 2, q0, v0);
  REQUIRE_OK(VidaSystem_Time(s, &t, &error), &error);
  const VidaExpression speed = apply(s, "+", square(s, rate(s, 0)), square(s, rate(s, 1)));
  const VidaExpression wire =
      apply(s, "*", number(s, 0.7), apply(s, "sin", apply(s, "*", number(s, 3.0), t), -1));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "bead", speed, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "wire", "m", apply(s, "-", position(s, 1), wire),
                                                &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  run(s, "rattle", 1e-2, 250, q, &energy);
  EXPECT_NEAR(q[0], 0.3 + 0.5 * 2.5, 1e-13, "x");
  EXPECT_NEAR(q[1], 0.7 * sin(3.0 * 2.5), 1e-13, "y");
  VidaSystem_Destroy(&s);
}

/* Mistakes are named. */
static void test_mistakes(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double zero[1] = {0.5};
  VidaExpression e = -1;
  REQUIRE_OK(VidaSystem_Create("wrong", 2, &s, &error), &error);
  add_coordinates(s, 1, zero, zero);
  EXPECT_ERROR(VidaSystem_Constant(s, (double)NAN, &e, &error), &error, VIDA_BAD_ARGUMENT, "nan");
  EXPECT_ERROR(VidaSystem_Position(s, 1, &e, &error), &error, VIDA_BAD_ARGUMENT, "number 1");
  const VidaExpression x = position(s, 0);
  EXPECT_ERROR(VidaSystem_Apply(s, "sine", 1, &x, &e, &error), &error, VIDA_UNKNOWN_NAME, "'sin");
  const VidaExpression pair[2] = {x, x};
  EXPECT_ERROR(VidaSystem_Apply(s, "sin", 2, pair, &e, &error), &error, VIDA_BAD_ARGUMENT,
               "operation 'sin' takes 1 operand, got 2");
  EXPECT_ERROR(VidaSystem_Apply(s, "-", 0, pair, &e, &error), &error, VIDA_BAD_ARGUMENT,
               "operation '-' takes 1 or 2 operands, got 0");
  const VidaExpression foreign = 12345;
  EXPECT_ERROR(VidaSystem_Apply(s, "sin", 1, &foreign, &e, &error), &error, VIDA_BAD_ARGUMENT,
               "does not belong");
  EXPECT_ERROR(VidaSystem_AddExpressionLagrangian(s, "constant", number(s, 1.0), &error), &error,
               VIDA_BAD_ARGUMENT, "'constant' depends on no coordinate");
  EXPECT_ERROR(VidaSystem_AddExpressionConstraint(s, "speed", "m", rate(s, 0), &error), &error,
               VIDA_BAD_ARGUMENT, "'speed' depends on a rate");
  /* 1/(x - x0) at x0: the start says which term, and why */
  const VidaExpression pole =
      apply(s, "/", square(s, rate(s, 0)), apply(s, "-", x, number(s, 0.5)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "pole", pole, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  EXPECT_ERROR(VidaSystem_Position(s, 0, &e, &error), &error, VIDA_WRONG_ORDER, "complete");
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, zero, zero, &error), &error, VIDA_NOT_FINITE,
               "'pole': division by zero");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"a pendulum in formulas", test_pendulum},
                                    {"a constraint that moves", test_moving_constraint},
                                    {"formulas of particles", test_formulas_of_particles},
                                    {"exact energy", test_exact_energy},
                                    {"mistakes", test_mistakes},
                                    {NULL, NULL}};
  return check_main("expression terms", tests);
}
