/* Compositions of every base that is offered: the order of the scheme, or of the base if that is
 * higher, on systems that the base takes. */
#include <math.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"
#include "support/run.h"

enum { MOST = 16, LEVELS = 4 };

typedef struct Subject {
  VidaSystem* system;
  int n;
  bool only_positions; /* are compared */
  double time;
  double q0[MOST], v0[MOST], q[MOST], v[MOST]; /* at the start and at `time` */
} Subject;

static VidaStepper* make_stepper(const VidaSystem* system, const char* scheme, const char* base,
                                 double h) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  const char* const settings[] = {"scheme", scheme, "base", base, NULL};
  VidaOptions* options = motion_method("compose", h, settings);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static double error_at(const Subject* subject, const char* scheme, const char* base, long steps) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(subject->system, scheme, base, subject->time / (double)steps);
  double v[MOST];
  double largest = 0.0;
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &error), &error);
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  for (int i = 0; i < subject->n; i++) {
    largest = fmax(largest, fabs(VidaStepper_Positions(stepper)[i] - subject->q[i]));
    largest = subject->only_positions ? largest : fmax(largest, fabs(v[i] - subject->v[i]));
  }
  VidaStepper_Destroy(&stepper);
  return largest;
}

/* The slope through the errors of steps, 5/4, 3/2 and 2 times as many. */
static void expect_order(const Subject* subject, const char* scheme, const char* base, int order,
                         long steps) {
  double error[LEVELS], h[LEVELS];
  for (int i = 0; i < LEVELS; i++) {
    static const long quarters[LEVELS] = {4, 5, 6, 8};
    const long count = steps * quarters[i] / 4;
    h[i] = subject->time / (double)count;
    error[i] = error_at(subject, scheme, base, count);
  }
  EXPECT_NEAR(find_slope(LEVELS, error, h), order, 0.2, "%s of %s, errors %.2g to %.2g", scheme,
              base, error[0], error[LEVELS - 1]);
}

static Subject subject_of(const Model* model, double time) {
  VidaError error = {0};
  double forces[MOST];
  Subject subject = {.system = model_system(model), .time = time};
  subject.n = VidaSystem_CoordinateCount(subject.system);
  REQUIRE_OK(VidaSystem_Start(subject.system, 0.0, NULL, subject.q0, subject.v0, NULL, &error),
             &error);
  memcpy(subject.q, subject.q0, sizeof subject.q);
  memcpy(subject.v, subject.v0, sizeof subject.v);
  model_reference(model, time, 200, subject.q, subject.v, forces);
  return subject;
}

/* Three masses on stiff nonlinear springs, no constraints; against an extrapolation of order 12. */
static void test_free_systems(void) {
  static const char* const bases[] = {"verlet",
                                      "energy-momentum",
                                      "energy-momentum-projected",
                                      "implicit-midpoint",
                                      "symplectic-implicit",
                                      "average-vector-field",
                                      "itoh-abe"};
  const Model model = model_springs();
  Subject subject = subject_of(&model, 1.0);
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
    expect_order(&subject, "suzuki4", bases[i], 4, 120);
    expect_order(&subject, "kahan-li6", bases[i], 6, 80);
  }
  /* the eighth order of the others lies between their largest steps and rounding */
  expect_order(&subject, "kahan-li8", "verlet", 8, 40);
  expect_order(&subject, "kahan-li8", "itoh-abe", 8, 40);
  expect_order(&subject, "suzuki4", "galerkin-gauss", 6, 24);
  expect_order(&subject, "kahan-li6", "spark-lobatto", 6, 60);
  VidaSystem_Destroy(&subject.system);
}

/* The double spherical pendulum; against the same extrapolation on its index-1 form. */
static void test_constrained_systems(void) {
  const Model model = model_double_spherical_pendulum();
  Subject subject = subject_of(&model, 1.0);
  expect_order(&subject, "suzuki4", "energy-momentum-projected", 4, 40);
  expect_order(&subject, "yoshida6", "energy-momentum-projected", 6, 60);
  expect_order(&subject, "kahan-li8", "energy-momentum-projected", 8, 16);
  expect_order(&subject, "suzuki4", "spark-lobatto", 4, 40);
  expect_order(&subject, "kahan-li6", "spark-lobatto", 6, 40);
  expect_order(&subject, "kahan-li6", "rattle", 6, 30);
  /* Its velocities are off the hidden constraints by second order. */
  subject.only_positions = true;
  expect_order(&subject, "suzuki4", "energy-momentum", 4, 60);
  expect_order(&subject, "yoshida4", "energy-momentum", 4, 60);
  VidaSystem_Destroy(&subject.system);
}

/* One particle in a well: chorin takes no more than one coordinate. x'' = -k x / m. */
static void test_chorin(void) {
  VidaError error = {0};
  const Model model = model_oscillator(2.5, 40.0, 0.3, -0.2);
  Subject subject = {.system = model_system(&model), .n = 1, .time = 1.0};
  REQUIRE_OK(VidaSystem_Start(subject.system, 0.0, NULL, subject.q0, subject.v0, NULL, &error),
             &error);
  subject.q[0] = 0.3 * cos(4.0) - 0.05 * sin(4.0);
  subject.v[0] = -1.2 * sin(4.0) - 0.2 * cos(4.0);
  expect_order(&subject, "suzuki4", "chorin", 4, 40);
  VidaSystem_Destroy(&subject.system);
}

/* A blade with masses 1.3 kg and 0.4 kg m^2 on an incline where things fall with 4.9 m/s^2 along x.
 */
static VidaSystem* make_knife_edge(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const char* const names[] = {"x", "y", "angle"};
  const double rates[] = {0.5, 0.0, 1.0};
  const double masses[] = {1.3, 1.3, 0.4};
  VidaExpression q[3], v[3];
  REQUIRE_OK(VidaSystem_Create("knife edge", 2, &s, &error), &error);
  VidaExpression lagrangian = number(s, 0.0);
  for (int i = 0; i < 3; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(s, names[i], "", VidaInitial_Given(0.0),
                                        VidaInitial_Given(rates[i]), NULL, &error),
               &error);
    REQUIRE_OK(VidaSystem_Position(s, i, &q[i], &error), &error);
    REQUIRE_OK(VidaSystem_Rate(s, i, &v[i], &error), &error);
    const VidaExpression energy =
        apply(s, "*", number(s, 0.5 * masses[i]), apply(s, "*", v[i], v[i]));
    lagrangian = apply(s, "+", lagrangian, energy);
  }
  lagrangian = apply(s, "+", lagrangian, apply(s, "*", number(s, 1.3 * 4.9), q[0]));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "energy", lagrangian, &error), &error);
  const VidaExpression across = apply(s, "-", apply(s, "*", apply(s, "sin", q[2], -1), v[0]),
                                      apply(s, "*", apply(s, "cos", q[2], -1), v[1]));
  REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(s, "blade", "m/s", across, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* The angle turns evenly, and along the blade m u' = m g cos(t): u = u0 + g sin(t), with x' = u
 * cos(t) and y' = u sin(t). */
static void test_nonholonomic(void) {
  VidaError error = {0};
  const double t = 3.0, g = 4.9, u0 = 0.5;
  const double u = u0 + g * sin(t);
  Subject subject = {
      .system = make_knife_edge(),
      .n = 3,
      .time = t,
      .q = {u0 * sin(t) + 0.5 * g * sin(t) * sin(t),
            u0 * (1.0 - cos(t)) + 0.5 * g * (t - sin(t) * cos(t)), t},
      .v = {u * cos(t), u * sin(t), 1.0},
  };
  VidaStepper* refused = NULL;
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaSystem_Start(subject.system, 0.0, NULL, subject.q0, subject.v0, NULL, &error),
             &error);
  expect_order(&subject, "suzuki4", "del-nonholonomic", 4, 20);
  expect_order(&subject, "kahan-li6", "del-nonholonomic", 6, 10);
  REQUIRE_OK(VidaOptions_Create("compose", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  EXPECT_ERROR(VidaStepper_Create(subject.system, options, &refused, &error), &error,
               VIDA_NOT_SUPPORTED, "compose: rattle does not accept the nonholonomic constraints");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&subject.system);
}

/* What the base keeps exactly the composition keeps: energy, momentum, both levels. */
static void test_energy_and_constraints(void) {
  VidaError error = {0};
  const Model model = model_four_particles();
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = make_stepper(system, "kahan-li6", "energy-momentum-projected", 0.02);
  double q[MOST], v[MOST], before, after, position, velocity;
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Energy(stepper, &before, NULL, &error), &error);
  for (int k = 0; k < (CHECK_SANITIZED ? 100 : 1000); k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Energy(stepper, &after, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &position, &velocity, &error), &error);
  EXPECT_NEAR(after, before, 1e-12 * fabs(before), "energy");
  EXPECT_BELOW(position, 1e-13, "g");
  EXPECT_BELOW(velocity, 1e-13, "G v");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"systems without constraints", test_free_systems},
                                    {"constrained systems", test_constrained_systems},
                                    {"chorin", test_chorin},
                                    {"nonholonomic systems", test_nonholonomic},
                                    {"energy and constraints", test_energy_and_constraints},
                                    {NULL, NULL}};
  return check_main("bases of compositions", tests);
}
