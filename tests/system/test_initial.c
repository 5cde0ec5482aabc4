/* Consistent initial values: free components and branches, the smallest change in the mass norm,
 * and what is refused. Expected values are computed by hand. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/mechanism.h"
#include "support/motion.h"
#include "system/constraints/manifold.h"

typedef struct Start {
  int code;
  VidaError error;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  char notes[VIDA_NOTES_SIZE];
} Start;

static Start start_of(const Model* model, bool adjust) {
  Start start = {0};
  VidaStartOptions options = VidaStartOptions_Default();
  VidaSystem* system = model_system(model);
  options.adjust = adjust;
  start.code = VidaSystem_Start(system, 0.0, &options, start.q, start.v, start.notes, &start.error);
  VidaSystem_Destroy(&system);
  return start;
}

static Start good_start(const Model* model, bool adjust) {
  const Start start = start_of(model, adjust);
  REQUIRE_OK(start.code, &start.error);
  return start;
}

static void test_defaults(void) {
  const VidaStartOptions options = VidaStartOptions_Default();
  EXPECT(!options.adjust && options.tolerance == 1e-9, "adjust %d, tolerance %g", options.adjust,
         options.tolerance);
}

/* ---- free components ------------------------------------------------------------------------ */

/* The double spherical pendulum with both rods on either side: z from l^2 = x^2 + y^2 + z^2, its
 * rate from d . d' = 0 */
static void test_branches(void) {
  for (int k = 0; k < 4; k++) {
    const double upper = k & 1 ? 1.0 : -1.0;
    const double lower = k & 2 ? 1.0 : -1.0;
    Model model = model_double_spherical_pendulum();
    model.particle[0].position[2] = VidaInitial_Free(upper);
    model.particle[1].position[2] = VidaInitial_Free(lower);
    const Start start = good_start(&model, false);
    const double* q = start.q;
    const double* v = start.v;
    const double z1 = upper * sqrt(16.0 - 2.820 * 2.820 - 0.025 * 0.025);
    const double dz = lower * sqrt(9.0 - 2.265 * 2.265 - 0.080 * 0.080);
    const double w1 = -(2.820 * 3.381 + 0.025 * 2.506) / z1;
    const double dw = -(2.265 * (2.497 - 3.381) + 0.080 * (10.495 - 2.506)) / dz;
    EXPECT_NEAR(q[2], z1, 1e-14, "z of the upper one, branches %g, %g", upper, lower);
    EXPECT_NEAR(q[5], z1 + dz, 1e-14, "z of the lower one, branches %g, %g", upper, lower);
    EXPECT_NEAR(v[2], w1, 1e-14, "its rate, branches %g, %g", upper, lower);
    EXPECT_NEAR(v[5], w1 + dw, 1e-14, "its rate, branches %g, %g", upper, lower);
    /* what was given stays to the last bit */
    EXPECT(q[0] == 2.820 && q[1] == 0.025 && q[3] == 5.085 && q[4] == 0.105, "%g %g %g %g", q[0],
           q[1], q[3], q[4]);
    EXPECT(v[0] == 3.381 && v[1] == 2.506 && v[3] == 2.497 && v[4] == 10.495, "%g %g %g %g", v[0],
           v[1], v[3], v[4]);
    EXPECT(strstr(start.notes, "upper.z") && strstr(start.notes, "lower.z"),
           "what was found is not told: \"%s\"", start.notes);
  }
}

/* Where to start looking decides when no branch is asked for. */
static void test_guesses(void) {
  for (int k = 0; k < 2; k++) {
    const double side = k ? 1.0 : -1.0;
    Model model = model_pendulum(3, 1.0, 2.0, 0.0, 0.0);
    const VidaInitial guess = {.value = side * 1.7, .free = true, .branch = 0.0};
    model.particle[0].position[0] = VidaInitial_Given(1.2);
    model.particle[0].position[2] = guess;
    const Start start = good_start(&model, false);
    EXPECT_NEAR(start.q[2], side * 1.6, 1e-15, "3-4-5 triangle");
  }
}

/* Several unknowns in one constraint: the smallest change from the guess, by hand along the ray */
static void test_two_free(void) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.0, 0.0);
  const VidaInitial x = {.value = 0.3, .free = true, .branch = 0.0};
  const VidaInitial y = {.value = 0.4, .free = true, .branch = 0.0};
  model.particle[0].position[0] = x;
  model.particle[0].position[1] = y;
  const Start start = good_start(&model, false);
  EXPECT_NEAR(start.q[0], 0.6, 1e-15, "x");
  EXPECT_NEAR(start.q[1], 0.8, 1e-15, "y");
}

/* Lengths of any size: nothing is compared with an absolute number. */
static void test_scales(void) {
  for (int k = -9; k <= 9; k += 6) {
    const double unit = pow(10.0, k);
    Model model = model_pendulum(3, 1.0, 5.0 * unit, 0.0, 0.0);
    model.particle[0].position[0] = VidaInitial_Given(3.0 * unit);
    model.particle[0].position[2] = VidaInitial_Free(-1.0);
    model.particle[0].velocity[0] = VidaInitial_Given(8.0 * unit);
    model.particle[0].velocity[2] = VidaInitial_Free(0.0);
    const Start start = good_start(&model, false);
    EXPECT_NEAR(start.q[2], -4.0 * unit, 1e-14 * unit, "z, unit %g", unit);
    EXPECT_NEAR(start.v[2], 6.0 * unit, 1e-14 * unit, "its rate, unit %g", unit);
  }
}

/* At the side of its circle a bob moves along y only: a default velocity changes as little as
 * possible, a given one is refused. */
static void test_default_velocity(void) {
  Model model = model_pendulum(2, 1.0, 1.0, 2.0 * atan(1.0), 0.0);
  model.particle[0].position[0] = VidaInitial_Given(1.0);
  model.particle[0].position[1] = VidaInitial_Given(0.0);
  model.particle[0].velocity[0] = VidaInitial_Default(0.5);
  model.particle[0].velocity[1] = VidaInitial_Default(2.0);
  Start start = good_start(&model, false);
  EXPECT_NEAR(start.v[0], 0.0, 1e-14, "across the circle");
  EXPECT_NEAR(start.v[1], 2.0, 1e-14, "along the circle");
  model.particle[0].velocity[0] = VidaInitial_Given(0.5);
  start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "rod");
}

static void test_undetermined(void) {
  const double zero[3] = {0.0, 0.0, 0.0};
  Model model = model_free_particle(3, 1.0, zero, zero);
  model.particle[0].position[1] = VidaInitial_Free(0.0);
  Start start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "body.y");
  model = model_free_particle(3, 1.0, zero, zero);
  model.particle[0].velocity[2] = VidaInitial_Free(0.0);
  start = start_of(&model, true);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "body.z");
  /* at the side, where d = (l, 0, 0), the rod says nothing about the rate of z */
  model = model_pendulum(3, 1.0, 1.0, 2.0 * atan(1.0), 0.0);
  model.particle[0].position[0] = VidaInitial_Given(1.0);
  model.particle[0].position[2] = VidaInitial_Given(0.0);
  model.particle[0].velocity[2] = VidaInitial_Free(0.0);
  start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "bob.z");
}

/* x alone is longer than the rod: no z helps */
static void test_out_of_reach(void) {
  Model model = model_pendulum(3, 1.0, 1.0, 0.0, 0.0);
  model.particle[0].position[0] = VidaInitial_Given(1.5);
  model.particle[0].position[2] = VidaInitial_Free(-1.0);
  const Start start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "rod");
}

/* ---- changes -------------------------------------------------------------------------------- */

/* Two particles of 1 and 3 kg on a bond of 1 m along x */
static Model unequal_pair(double distance, double v1, double v2) {
  const double zero[3] = {0.0, 0.0, 0.0};
  Model model = model_dumbbell(zero, zero);
  model.particle[1].mass = 3.0;
  model.rod[0].length = 1.0;
  model.particle[1].position[0] = VidaInitial_Given(distance);
  model.particle[0].velocity[0] = VidaInitial_Given(v1);
  model.particle[1].velocity[0] = VidaInitial_Given(v2);
  return model;
}

static void test_consistent(void) {
  const Model model = unequal_pair(1.0, 0.25, 0.25);
  const Start start = good_start(&model, false);
  EXPECT(start.q[0] == 0.0 && start.q[3] == 1.0 && start.v[0] == 0.25 && start.v[3] == 0.25,
         "%.17g %.17g %.17g %.17g", start.q[0], start.q[3], start.v[0], start.v[3]);
  EXPECT(!start.notes[0], "\"%s\"", start.notes);
}

/* In the mass norm the light particle takes three quarters of the change. */
static void test_positions_in_mass_norm(void) {
  const Model model = unequal_pair(1.1, 0.0, 0.0);
  Start start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "bond");
  EXPECT(strstr(start.error.message, "position"), "%s", start.error.message);
  start = good_start(&model, true);
  EXPECT_NEAR(start.q[0], 0.075, 1e-15, "light one");
  EXPECT_NEAR(start.q[3], 1.075, 1e-15, "heavy one");
  EXPECT(strstr(start.notes, "bond") && strstr(start.notes, "one.x"), "\"%s\"", start.notes);
}

/* A collision along the bond: the momentum stays, so both move with (1 0.4 + 3 0) / 4. */
static void test_velocities_in_mass_norm(void) {
  const Model model = unequal_pair(1.0, 0.4, 0.0);
  Start start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "bond");
  EXPECT(strstr(start.error.message, "velocit"), "%s", start.error.message);
  start = good_start(&model, true);
  EXPECT_NEAR(start.v[0], 0.1, 1e-16, "light one");
  EXPECT_NEAR(start.v[3], 0.1, 1e-16, "heavy one");
  EXPECT(start.q[0] == 0.0 && start.q[3] == 1.0, "positions %.17g, %.17g", start.q[0], start.q[3]);
  EXPECT(strstr(start.notes, "bond") && strstr(start.notes, "one.x"), "\"%s\"", start.notes);
}

/* The chain of three along x with only the first moving: minimise sum m (v - v0)^2 / 2 with equal
 * velocities along x: the mean weighted with the masses; across the rods nothing changes. */
static void test_projection_of_a_chain(void) {
  const double zero[3] = {0.0, 0.0, 0.0};
  Model model = model_dumbbell(zero, zero);
  model.particle[2] = model.particle[1];
  model.particle[2].name = "three";
  model.particle[2].mass = 2.0;
  model.particle[2].position[0] = VidaInitial_Given(1.48);
  model.particle[0].velocity[0] = VidaInitial_Given(0.8);
  model.particle[2].velocity[1] = VidaInitial_Given(0.5);
  model.particles = 3;
  model.rod[1] = model.rod[0];
  model.rod[1].name = "other bond";
  model.rod[1].from = VidaPoint_Particle(1);
  model.rod[1].to = VidaPoint_Particle(2);
  model.rods = 2;
  const Start start = good_start(&model, true);
  const double expected[9] = {0.2, 0.0, 0.0, 0.2, 0.0, 0.0, 0.2, 0.5, 0.0};
  EXPECT_BELOW(largest_difference(9, start.v, expected), 1e-15, "velocities");
}

/* Rounding in what is given is put right without a word; the tolerance can be set. */
static void test_tolerance(void) {
  Model model = unequal_pair(1.0 + 1e-10, 0.0, 0.0);
  Start start = good_start(&model, false);
  EXPECT_NEAR(start.q[3] - start.q[0], 1.0, 4e-16, "distance");
  model = unequal_pair(1.0 + 1e-6, 0.0, 0.0);
  start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "bond");
  VidaSystem* system = model_system(&model);
  const VidaStartOptions loose = {.adjust = false, .tolerance = 1e-3};
  REQUIRE_OK(VidaSystem_Start(system, 0.0, &loose, start.q, start.v, NULL, &start.error),
             &start.error);
  EXPECT_NEAR(start.q[3] - start.q[0], 1.0, 4e-16, "distance");
  VidaSystem_Destroy(&system);
}

/* ---- constraints that are wrong ------------------------------------------------------------- */

static void test_zero_distance(void) {
  const Model model = unequal_pair(0.0, 0.0, 0.0);
  for (int k = 0; k < 2; k++) {
    const Start start = start_of(&model, k == 1);
    EXPECT_ERROR(start.code, &start.error, VIDA_INCONSISTENT_START, "bond");
  }
}

/* The same rod twice is redundant and harmless; two rods of different lengths contradict. */
static void test_redundant_and_contradicting(void) {
  Model model = unequal_pair(1.0, 0.25, 0.25);
  model.rod[1] = model.rod[0];
  model.rod[1].name = "twin";
  model.rods = 2;
  const Start start = good_start(&model, false);
  EXPECT_NEAR(start.q[3] - start.q[0], 1.0, 4e-16, "distance");
  model.rod[1].length = 1.25;
  for (int k = 0; k < 2; k++) {
    const Start refused = start_of(&model, k == 1);
    EXPECT(refused.code == VIDA_INCONSISTENT_START, "%s", Vida_CodeName(refused.code));
    EXPECT(strstr(refused.error.message, "twin") || strstr(refused.error.message, "bond"), "%s",
           refused.error.message);
  }
}

/* ---- constraints that depend on time -------------------------------------------------------- */

/* x = sin t: g' = x' - cos t */
static int follow_value(double t, const double* q, double* g, void* data) {
  (void)data;
  g[0] = q[0] - sin(t);
  return 0;
}

static int follow_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t;
  (void)q;
  (void)data;
  jacobian[0] = 1.0;
  return 0;
}

static int follow_rate(double t, const double* q, double* rate, void* data) {
  (void)q;
  (void)data;
  rate[0] = -cos(t);
  return 0;
}

static void test_time_dependent(void) {
  const VidaConstraint follow = {follow_value, follow_jacobian, NULL, follow_rate};
  const VidaParticle particle = {.name = "cart",
                                 .mass = 2.0,
                                 .position = {VidaInitial_Free(0.0), VidaInitial_Given(0.5)},
                                 .velocity = {VidaInitial_Free(0.0), VidaInitial_Given(-0.25)}};
  const int x = 0;
  VidaSystem* system = NULL;
  VidaError error = {0};
  double q[2], v[2];
  REQUIRE_OK(VidaSystem_Create("driven cart", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddConstraint(system, "drive", 1, 1, &x, &follow, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.7, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(q[0], sin(0.7), 1e-15, "x");
  EXPECT_NEAR(v[0], cos(0.7), 1e-15, "x'");
  EXPECT(q[1] == 0.5 && v[1] == -0.25, "y = %g, y' = %g", q[1], v[1]);
  /* a state nearby, brought to where the drive is then */
  vida_manifold* manifold = NULL;
  double place[2] = {0.5, 0.5}, rate[2] = {0.0, -0.25};
  REQUIRE_OK(vida__manifold_create(system, &manifold, &error), &error);
  EXPECT(vida__manifold_find(manifold, 0.7, q, place, rate), "no state on the constraint");
  EXPECT_NEAR(place[0], sin(0.7), 1e-15, "x on the constraint");
  EXPECT_NEAR(rate[0], cos(0.7), 1e-15, "x' on the constraint");
  vida__manifold_destroy(&manifold);
  /* methods follow the drive, or say that they cannot */
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const VidaMethodInfo* method = Vida_MethodInfo(i);
    VidaOptions* options = motion_method(method->name, 0.01, NULL);
    VidaStepper* stepper = NULL;
    int code = VidaStepper_Create(system, options, &stepper, &error);
    VidaOptions_Destroy(&options);
    /* a callback has no discrete derivative */
    const bool lacks = code && strstr(error.message, "needs discrete derivatives");
    EXPECT(!code == (method->capabilities & VIDA_CAN_TIME_DEPENDENT && !lacks), "%s: %s (%s)",
           method->name, Vida_CodeName(code), code ? error.message : "");
    if (stepper) {
      double rates[2], force_t;
      REQUIRE_OK(VidaStepper_Start(stepper, 0.7, q, v, &error), &error);
      for (int k = 0; k < 130 && !code; k++) {
        code = VidaStepper_Step(stepper, &error);
      }
      REQUIRE_OK(code, &error);
      REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
      /* methods that relax constraints follow within O(h^2) */
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], sin(2.0),
                  method->capabilities & VIDA_CAN_POSITION_LEVEL ? 1e-13 : 2e-4, "%s: x(2)",
                  method->name);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[1], 0.5 - 0.25 * 1.3, 1e-13, "%s: y(2)",
                  method->name);
      /* the rate is exact where G v + g_t = 0 is kept, else of second order */
      EXPECT_NEAR(rates[0], cos(2.0), method->capabilities & VIDA_CAN_VELOCITY_LEVEL ? 1e-13 : 1e-3,
                  "%s: x'(2)", method->name);
      /* M x'' = -lambda */
      const double force = VidaStepper_Multipliers(stepper, &force_t)[0];
      EXPECT_NEAR(force, 2.0 * sin(force_t), 1e-3, "%s: multiplier", method->name);
    }
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* One rod and two free coordinates: the nearest point of the circle is taken, and that is told. */
static void test_open_values(void) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.0, 0.0);
  const VidaInitial x = {.value = 0.3, .free = true, .branch = 0.0};
  const VidaInitial y = {.value = 0.4, .free = true, .branch = 0.0};
  model.particle[0].position[0] = x;
  model.particle[0].position[1] = y;
  Start start = good_start(&model, false);
  EXPECT(strstr(start.notes, "leave 1 of 2 free positions open") != NULL, "\"%s\"", start.notes);
  EXPECT(strstr(start.notes, "bob.x = 0.6 (near 0.3)") != NULL, "\"%s\"", start.notes);
  model.particle[0].position[0] = VidaInitial_Given(0.6);
  start = good_start(&model, false);
  EXPECT(strstr(start.notes, "open") == NULL, "\"%s\"", start.notes);
}

/* A rod at full stretch: y = 0 is a double root, where Newton's method alone stops at 1e-8. */
static void test_double_root(void) {
  for (int k = 0; k < 3; k++) {
    const double length = k == 0 ? 2.5 : k == 1 ? 0.1 : 7e5;
    Model model = model_pendulum(2, 1.0, length, 0.0, 0.0);
    model.particle[0].position[0] = VidaInitial_Given(length);
    model.particle[0].position[1] = VidaInitial_Free(-1.0);
    const Start start = good_start(&model, false);
    EXPECT_BELOW(start.q[1], 1e-15 * length, "y for a rod of %g", length);
  }
}

static void test_not_finite(void) {
  VidaError error;
  double q[2], v[2];
  Model model = model_pendulum(2, 1.0, 1.0, 0.0, 0.0);
  VidaSystem* system = model_system(&model);
  EXPECT_ERROR(VidaSystem_Start(system, (double)NAN, NULL, q, v, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "finite time");
  VidaSystem_Destroy(&system);
  /* squares of these overflow: in the rod, in its rate, in the kinetic energy */
  model.particle[0].position[0] = VidaInitial_Given(1e300);
  Start start = start_of(&model, true);
  EXPECT_ERROR(start.code, &start.error, VIDA_NOT_FINITE, "'rod'");
  const double zero[3] = {0.0, 0.0, 0.0};
  model = model_free_particle(3, 1.0, zero, zero);
  model.particle[0].velocity[1] = VidaInitial_Given(1e300);
  start = start_of(&model, false);
  EXPECT_ERROR(start.code, &start.error, VIDA_NOT_FINITE, "energy");
}

/* ---- time and quaternions -------------------------------------------------------------------- */

static void test_time(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  VidaSystem* system = model_system(&model);
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  double q[2], v[2];
  VidaError error = {0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    EXPECT_ERROR(VidaSystem_Start(system, bad[i], NULL, q, v, NULL, &error), &error,
                 VIDA_BAD_ARGUMENT, "needs a finite time");
  }
  VidaSystem_Destroy(&system);
}

/* A ball as a quaternion of the given norm, of unit direction u, with the rates 0.5 (0, w) q: it
 * turns by w = 2 q' q^-1 whatever the norm, and does so still when the start has made it 1. */
static void test_quaternion(void) {
  static const int all[4] = {0, 1, 2, 3};
  static const char* const names[4] = {"q0", "q1", "q2", "q3"};
  static const double u[4] = {0.5, -0.1, 0.7, 0.5}; /* 0.25 + 0.01 + 0.49 + 0.25 = 1 */
  static const double w[3] = {0.3, -2.0, 1.1};
  const double v0[4] = {0.5 * (-w[0] * u[1] - w[1] * u[2] - w[2] * u[3]),
                        0.5 * (w[0] * u[0] + w[1] * u[3] - w[2] * u[2]),
                        0.5 * (w[1] * u[0] + w[2] * u[1] - w[0] * u[3]),
                        0.5 * (w[2] * u[0] + w[0] * u[2] - w[1] * u[1])};
  static const double norms[] = {1.0, 1.25, 0.8};
  for (size_t k = 0; k < sizeof norms / sizeof norms[0]; k++) {
    VidaStartOptions options = VidaStartOptions_Default();
    VidaSystem* system = NULL;
    VidaExpression x, sum = -1, kinetic = -1;
    double q[4], v[4];
    char notes[VIDA_NOTES_SIZE];
    VidaError error;
    options.adjust = true;
    REQUIRE_OK(VidaSystem_Create("ball", 3, &system, &error), &error);
    for (int i = 0; i < 4; i++) {
      REQUIRE_OK(VidaSystem_AddCoordinate(system, names[i], "", VidaInitial_Given(norms[k] * u[i]),
                                          VidaInitial_Given(norms[k] * v0[i]), NULL, &error),
                 &error);
    }
    for (int of_rates = 0; of_rates < 2; of_rates++) {
      VidaExpression* target = of_rates ? &kinetic : &sum;
      *target = number(system, of_rates ? 0.0 : -1.0);
      for (int i = 0; i < 4; i++) {
        x = of_rates ? rate(system, i) : position(system, i);
        *target = apply(system, "+", *target, square(system, x));
      }
    }
    REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "ball", kinetic, &error), &error);
    REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, "norm", "", sum, &error), &error);
    REQUIRE_OK(VidaSystem_AddMotion(system, VIDA_MOTION_QUATERNION, all, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    REQUIRE_OK(VidaSystem_Start(system, 0.0, &options, q, v, notes, &error), &error);
    for (int i = 0; i < 4; i++) {
      EXPECT_NEAR(q[i], u[i], 1e-15, "norm %g: %s", norms[k], names[i]);
      EXPECT_NEAR(v[i], v0[i], 1e-15, "norm %g: rate of %s", norms[k], names[i]);
    }
    EXPECT((strstr(notes, "rates of the quaternion from 'q0'") != NULL) == (norms[k] != 1.0), "%s",
           notes);
    VidaSystem_Destroy(&system);
  }
}

/* ---- values of 0 ----------------------------------------------------------------------------- */

static int height_value(double t, const double* q, double* g, void* data) {
  (void)t;
  (void)data;
  g[0] = q[0];
  return 0;
}

/* A guide holds a height of 0, a rod beside it is off: what rounding leaves of the height, 1e-165
 * of nothing, is no violation. By hand, with equal masses and the rod along y, of length 1.01: its
 * free end goes from 1 to 1.01, and its rate from 0.3 to 0. Lengths and times of any size. */
static void test_values_of_zero(void) {
  const VidaConstraint height = {height_value, follow_jacobian, NULL, NULL};
  const int y = 1;
  for (int k = -9; k <= 9; k += 6) {
    const double unit = pow(10.0, k);
    const VidaDistance rod = {"rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.01 * unit};
    const VidaParticle slider = {.name = "slider",
                                 .mass = 1.0,
                                 .position = {VidaInitial_Given(unit), VidaInitial_Given(0.0)},
                                 .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
    VidaParticle bob = slider;
    VidaSystem* system = NULL;
    VidaError error = {0};
    VidaStartOptions options = VidaStartOptions_Default();
    double q[4], v[4];
    options.adjust = true;
    bob.name = "bob";
    bob.position[1] = VidaInitial_Given(unit);
    bob.velocity[1] = VidaInitial_Given(0.3 * unit);
    REQUIRE_OK(VidaSystem_Create("guided rod", 2, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddParticle(system, &slider, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddParticle(system, &bob, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddConstraint(system, "guide", 1, 1, &y, &height, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    REQUIRE_OK(VidaSystem_Start(system, 0.0, &options, q, v, NULL, &error), &error);
    EXPECT_NEAR(q[3], 1.01 * unit, 1e-14 * unit, "y of the bob, unit %g", unit);
    EXPECT_NEAR(v[3], 0.0, 1e-14 * unit, "its rate, unit %g", unit);
    EXPECT_NEAR(q[1], 0.0, 1e-16 * unit, "y of the slider, unit %g", unit);
    EXPECT_NEAR(v[1], 0.0, 1e-16 * unit, "its rate, unit %g", unit);
    /* and it is the rod that is told of */
    options.adjust = false;
    EXPECT_ERROR(VidaSystem_Start(system, 0.0, &options, q, v, NULL, &error), &error,
                 VIDA_INCONSISTENT_START, "'rod'");
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  static const CheckTest tests[] = {
      {"defaults", test_defaults},
      {"branches", test_branches},
      {"guesses", test_guesses},
      {"two free components", test_two_free},
      {"scales", test_scales},
      {"default velocity", test_default_velocity},
      {"undetermined", test_undetermined},
      {"out of reach", test_out_of_reach},
      {"consistent", test_consistent},
      {"positions in the mass norm", test_positions_in_mass_norm},
      {"velocities in the mass norm", test_velocities_in_mass_norm},
      {"projection of a chain", test_projection_of_a_chain},
      {"tolerance", test_tolerance},
      {"zero distance", test_zero_distance},
      {"redundant and contradicting", test_redundant_and_contradicting},
      {"time-dependent", test_time_dependent},
      {"values that stay open", test_open_values},
      {"double root", test_double_root},
      {"not finite", test_not_finite},
      {"time", test_time},
      {"quaternion", test_quaternion},
      {"values of zero", test_values_of_zero},
      {NULL, NULL}};
  return check_main("initial values", tests);
}
