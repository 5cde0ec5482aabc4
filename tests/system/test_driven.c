/* Mechanisms whose joints and torques contain expressions, built in C, against closed forms. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

enum { MOST = 32 };

static const double gravity = 9.81; /* m/s^2 */

static VidaSystem* new_system(int dimension) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  REQUIRE_OK(VidaSystem_Create("rig", dimension, &system, &error), &error);
  return system;
}

static VidaSystem* new_heavy_system(int dimension) {
  VidaError error = {0};
  VidaSystem* system = new_system(dimension);
  double g[3] = {0.0};
  g[dimension - 1] = -gravity;
  REQUIRE_OK(VidaSystem_AddGravity(system, g, &error), &error);
  return system;
}

/* Completes the system and finds start, accelerations and multipliers at the time t. */
static void solve(VidaSystem* system, double t, double* q, double* v, double* a, double* lambda) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, t, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, t, q, v, a, lambda, &error), &error);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static VidaExpression number(VidaSystem* system, double value) {
  VidaError error = {0};
  VidaExpression expression = -1;
  REQUIRE_OK(VidaSystem_Constant(system, value, &expression, &error), &error);
  return expression;
}

static VidaExpression of_time(VidaSystem* system) {
  VidaError error = {0};
  VidaExpression expression = -1;
  REQUIRE_OK(VidaSystem_Time(system, &expression, &error), &error);
  return expression;
}

static VidaExpression position(VidaSystem* system, int coordinate) {
  VidaError error = {0};
  VidaExpression expression = -1;
  REQUIRE_OK(VidaSystem_Position(system, coordinate, &expression, &error), &error);
  return expression;
}

static VidaExpression one(VidaSystem* system, const char* operation, VidaExpression a) {
  VidaError error = {0};
  VidaExpression expression = -1;
  REQUIRE_OK(VidaSystem_Apply(system, operation, 1, &a, &expression, &error), &error);
  return expression;
}

static VidaExpression two(VidaSystem* system, const char* operation, VidaExpression a,
                          VidaExpression b) {
  VidaError error = {0};
  const VidaExpression operands[2] = {a, b};
  VidaExpression expression = -1;
  REQUIRE_OK(VidaSystem_Apply(system, operation, 2, operands, &expression, &error), &error);
  return expression;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static int add_rotor(VidaSystem* system, const char* name, double inertia) {
  VidaError error = {0};
  int body = -1;
  const VidaPlaneBody rotor = {.name = name,
                               .mass = 2.0,
                               .inertia = inertia,
                               .velocity = {{.is_default = true}, {.is_default = true}}};
  REQUIRE_OK(VidaSystem_AddPlaneBody(system, &rotor, &body, &error), &error);
  return body;
}

static int add_cuboid(VidaSystem* system, const char* name, const double moments[3],
                      const double* orientation, VidaOrientation as) {
  VidaError error = {0};
  int body = -1;
  VidaRigidBody cuboid = {.name = name, .mass = 1.0, .as = as};
  for (int i = 0; i < 3; i++) {
    cuboid.inertia[i][i] = moments[i];
  }
  if (orientation) {
    memcpy(cuboid.orientation, orientation, sizeof cuboid.orientation);
  }
  REQUIRE_OK(VidaSystem_AddRigidBody(system, &cuboid, &body, &error), &error);
  return body;
}

/* ---- drives ---------------------------------------------------------------------------------- */

/* The angle A sin(w t) of a rotor, with A a parameter: its acceleration is -A w^2 sin(w t), and the
 * torque on it, minus the multiplier, is I times that. */
static void test_angle_drive(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  const double inertia = 0.5, w = 3.0, t = 0.3;
  int amplitude = -1;
  VidaExpression size = -1;
  const int body = add_rotor(s, "rotor", inertia);
  REQUIRE_OK(VidaSystem_AddParameter(s, "A", 0.2, &amplitude, &error), &error);
  REQUIRE_OK(VidaSystem_ParameterExpression(s, amplitude, &size, &error), &error);
  const VidaExpression phase = two(s, "*", number(s, w), of_time(s));
  const VidaExpression angle = two(s, "*", size, one(s, "sin", phase));
  VidaDrive drive = {.name = "motor",
                     .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)}};
  REQUIRE_OK(VidaSystem_AddAngleDrive(s, &drive, angle, &error), &error);
  /* The start is at another time than 0, where the rotor is not at its given angle. */
  const VidaStartOptions options = {.adjust = true};
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  for (int k = 0; k < 2; k++) {
    const double given = k == 0 ? 0.2 : -0.7;
    REQUIRE_OK(VidaSystem_SetParameter(s, amplitude, given, &error), &error);
    REQUIRE_OK(VidaSystem_Start(s, t, &options, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_Accelerations(s, t, q, v, a, lambda, &error), &error);
    const double expected = -given * w * w * sin(w * t);
    EXPECT_NEAR(q[2], given * sin(w * t), 1e-14, "angle, A = %g", given);
    EXPECT_NEAR(v[2], given * w * cos(w * t), 1e-14, "its rate, A = %g", given);
    EXPECT_NEAR(a[2], expected, 1e-13, "its acceleration, A = %g", given);
    EXPECT_NEAR(lambda[0], -inertia * expected, 1e-13, "minus the torque, A = %g", given);
  }
  VidaSystem_Destroy(&s);
}

/* A gear, by a drive whose angle is that of another rotor times 2: a torque M on the first turns it
 * with M / (I1 + 4 I2). */
static void test_gear(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaExpression first = -1;
  const VidaEnd ground = VidaEnd_Ground(0, 0, 0);
  const int small = add_rotor(s, "small", 0.3);
  const int large = add_rotor(s, "large", 0.7);
  REQUIRE_OK(VidaSystem_BodyAngle(s, small, &first, &error), &error);
  const VidaDrive gear = {.name = "gear", .ends = {ground, VidaEnd_Body(large, 0, 0, 0)}};
  const VidaExpression angle = two(s, "*", number(s, 2.0), first);
  REQUIRE_OK(VidaSystem_AddAngleDrive(s, &gear, angle, &error), &error);
  const VidaTorque torque = {
      .name = "hand", .ends = {ground, VidaEnd_Body(small, 0, 0, 0)}, .moment = {number(s, 1.55)}};
  REQUIRE_OK(VidaSystem_AddTorque(s, &torque, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[2], 1.55 / (0.3 + 4.0 * 0.7), 1e-14, "of the first rotor");
  EXPECT_NEAR(a[5], 2.0 * a[2], 1e-14, "of the second");
  VidaSystem_Destroy(&s);
}

/* A bob hangs on a cable whose length grows as 1 + t^2 / 10: its acceleration is 0.2 m/s^2
 * downwards, and the tension m (g - 0.2). */
static void test_variable_link(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const VidaPlaneBody bob = {
      .name = "bob", .mass = 2.0, .inertia = 0.1, .position = {{.value = 0.0}, {.value = -1.5}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &bob, &body, &error), &error);
  const VidaEnd ends[2] = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0.0, 0.5, 0.0)};
  const VidaExpression time = of_time(s);
  const VidaExpression growth = two(s, "*", number(s, 0.1), two(s, "*", time, time));
  REQUIRE_OK(
      VidaSystem_AddVariableLink(s, "winch", ends, two(s, "+", number(s, 1.0), growth), &error),
      &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[1], -0.2, 1e-13, "acceleration of the bob");
  EXPECT_NEAR(lambda[0], 2.0 * (gravity - 0.2), 1e-12, "tension of the cable");
  VidaSystem_Destroy(&s);
}

/* The height of a particle is prescribed as t^2: minus the multiplier is m (2 + g). */
static void test_prescribed_value(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const VidaParticle load = {.name = "load", .mass = 3.0};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  REQUIRE_OK(VidaSystem_AddParticle(s, &load, NULL, &error), &error);
  const VidaExpression square = two(s, "*", of_time(s), of_time(s));
  REQUIRE_OK(VidaSystem_AddPrescribedValue(s, "lift", "m", position(s, 1), square, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[1], 2.0, 1e-14, "acceleration of the load");
  EXPECT_NEAR(-lambda[0], 3.0 * (2.0 + gravity), 1e-13, "force on the load");
  EXPECT(strcmp(VidaSystem_ConstraintUnit(s, 0), "m") == 0, "unit of the row");
  VidaSystem_Destroy(&s);
}

/* A crank of radius r, driven with the angle 2 t + 0.4 sin(3 t), and a connecting rod of length l:
 * the piston is at r cos(angle) + sqrt(l^2 - r^2 sin(angle)^2). */
static void test_slider_crank(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const double r = 0.5, l = 1.5;
  double q[MOST], v[MOST];
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  const VidaEnd ground = VidaEnd_Ground(0, 0, 0);
  const int crank = add_rotor(s, "crank", 0.2);
  int rod = -1;
  const VidaRod connecting = {.name = "connecting rod",
                              .mass = 1.0,
                              .length = l,
                              .position = {{.value = r + l / 2.0}},
                              .velocity = {{.is_default = true}, {.is_default = true}},
                              .direction = {1.0}};
  REQUIRE_OK(VidaSystem_AddRod(s, &connecting, &rod, &error), &error);
  const VidaJoint joints[2] = {
      {"bearing", VIDA_JOINT_BALL, {ground, VidaEnd_Body(crank, 0, 0, 0)}, {{{{0}}}}},
      {"pin",
       VIDA_JOINT_BALL,
       {VidaEnd_Body(crank, r, 0, 0), VidaEnd_Body(rod, -l / 2.0, 0, 0)},
       {{{{0}}}}}};
  for (int i = 0; i < 2; i++) {
    REQUIRE_OK(VidaSystem_AddJoint(s, &joints[i], &error), &error);
  }
  const VidaGuide cylinder = {.name = "cylinder",
                              .ends = {ground, VidaEnd_Body(rod, l / 2.0, 0, 0)},
                              .count = 1,
                              .across = {{0.0, 1.0}}};
  REQUIRE_OK(VidaSystem_AddGuide(s, &cylinder, &error), &error);
  const VidaExpression time = of_time(s);
  const VidaExpression wave = one(s, "sin", two(s, "*", number(s, 3.0), time));
  const VidaExpression angle =
      two(s, "+", two(s, "*", number(s, 2.0), time), two(s, "*", number(s, 0.4), wave));
  const VidaDrive motor = {.name = "motor", .ends = {ground, VidaEnd_Body(crank, 0, 0, 0)}};
  REQUIRE_OK(VidaSystem_AddAngleDrive(s, &motor, angle, &error), &error);
  VidaExpression piston[2];
  const VidaEnd head = VidaEnd_Body(rod, l / 2.0, 0, 0);
  REQUIRE_OK(VidaSystem_EndPosition(s, &head, piston, &error), &error);
  REQUIRE_OK(VidaSystem_AddObservable(s, "piston", "m", false, piston[0], &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.02, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  for (int k = 0; k < 150; k++) {
    double at = 0.0;
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Observables(stepper, &at, &error), &error);
    const double t = VidaStepper_Time(stepper);
    const double turned = 2.0 * t + 0.4 * sin(3.0 * t);
    const double height = r * sin(turned);
    EXPECT_NEAR(at, r * cos(turned) + sqrt(l * l - height * height), 1e-12, "piston at t = %g", t);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
}

/* A force that jumps from 2 to -1 N at t = 0.25 s and to 0 at t = 0.8 s: the velocity of 1 kg is
 * 2 * 0.25 - 0.55 N s / kg at the end, and a step that is no part of 0.25 does not matter. */
static void test_switch(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(1);
  const VidaParticle cart = {.name = "cart", .mass = 1.0};
  double q[1], v[1];
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  static const int x[1] = {0};
  VidaExpression force = -1;
  REQUIRE_OK(VidaSystem_AddParticle(s, &cart, NULL, &error), &error);
  const VidaExpression at[2] = {number(s, 0.25), number(s, 0.8)};
  const VidaExpression values[3] = {number(s, 2.0), number(s, -1.0), number(s, 0.0)};
  REQUIRE_OK(VidaSystem_Switch(s, of_time(s), 2, at, values, &force, &error), &error);
  EXPECT_ERROR(VidaSystem_Switch(s, of_time(s), -1, at, values, &force, &error), &error,
               VIDA_BAD_ARGUMENT, "a switch cannot have -1 jumps");
  REQUIRE_OK(VidaSystem_AddExpressionForce(s, "push", 1, x, &force, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  while (VidaStepper_Time(stepper) < 0.99) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  EXPECT_NEAR(v[0], 2.0 * 0.25 - 0.55, 1e-14, "velocity of the cart");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* A bead on y = x^2 / 2, released at x = 1: along the slope of 45 degrees it has the acceleration
 * g sin(45 degrees), whose components are -g / 2. */
static void test_curve(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const VidaParticle bead = {
      .name = "bead", .mass = 0.7, .position = {{.value = 1.0}, {.value = 0.5}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaExpression p[2];
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  const VidaExpression parabola = two(s, "*", number(s, 0.5), two(s, "*", p[0], p[0]));
  VidaCurve track = {.name = "track",
                     .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Particle(0)},
                     .count = 1,
                     .formulas = {two(s, "-", p[1], parabola)},
                     .unit = "m"};
  REQUIRE_OK(VidaSystem_AddCurve(s, &track, &error), &error);
  EXPECT_ERROR(VidaSystem_AddExpressionConstraint(s, "stray", "m", p[0], &error), &error,
               VIDA_BAD_ARGUMENT, "on the point of a curve");
  track.count = 2;
  EXPECT_ERROR(VidaSystem_AddCurve(s, &track, &error), &error, VIDA_BAD_ARGUMENT,
               "expected at most 1 formulas, got 2");
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[0], -gravity / 2.0, 1e-13, "along x");
  EXPECT_NEAR(a[1], -gravity / 2.0, 1e-13, "along y");
  EXPECT(strcmp(VidaSystem_ConstraintName(s, 0), "track") == 0, "row %s",
         VidaSystem_ConstraintName(s, 0));
  VidaSystem_Destroy(&s);
}

/* The x axis of a body is a wire for a bead: one that starts on it starts consistently, whatever
 * coordinates the body has. Its axes are not principal ones. */
static void test_curve_of_body(VidaOrientation as) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  const double half = 0.4;
  const VidaRigidBody plate = {.name = "plate",
                               .mass = 1.0,
                               .inertia = {{0.3, 0.1, 0.0}, {0.1, 0.2, 0.05}, {0.0, 0.05, 0.4}},
                               .orientation = {cos(half), 0.0, 0.0, sin(half)},
                               .as = as};
  const VidaParticle bead = {
      .name = "bead",
      .mass = 0.7,
      .position = {
          {.value = 0.6 * cos(2.0 * half)}, {.value = 0.6 * sin(2.0 * half)}, {.value = 0.0}}};
  double q[MOST], v[MOST];
  VidaExpression p[3];
  int body = -1, particle = -1;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &plate, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, &particle, &error), &error);
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  const VidaCurve wire = {.name = "wire",
                          .ends = {VidaEnd_Body(body, 0, 0, 0), VidaEnd_Particle(particle)},
                          .count = 2,
                          .formulas = {p[1], p[2]},
                          .unit = "m"};
  REQUIRE_OK(VidaSystem_AddCurve(s, &wire, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  const int x = VidaSystem_ParticleCoordinate(s, particle);
  EXPECT_NEAR(q[x], 0.6 * cos(2.0 * half), 1e-14, "the bead has not been moved");
  EXPECT(strcmp(VidaSystem_ConstraintName(s, VidaSystem_ConstraintCount(s) - 1), "wire: 2") == 0,
         "the last row is %s", VidaSystem_ConstraintName(s, VidaSystem_ConstraintCount(s) - 1));
  VidaSystem_Destroy(&s);
}

static void test_curves_of_bodies(void) {
  test_curve_of_body(VIDA_ORIENTATION_QUATERNION);
  test_curve_of_body(VIDA_ORIENTATION_DIRECTORS);
}

/* The line y = 0 of a frame that is turned by 30 degrees: a bead slides with g / 2, from the origin
 * of the frame. */
static void test_fixed_body(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const VidaFixedBody frame = {
      .name = "frame", .position = {2.0, 1.0}, .angle = atan(1.0 / sqrt(3.0))};
  const VidaParticle bead = {
      .name = "bead", .mass = 0.7, .position = {{.value = 2.0}, {.value = 1.0}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaExpression p[2];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddFixedBody(s, &frame, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  const VidaCurve wire = {.name = "wire",
                          .ends = {VidaEnd_Body(body, 0, 0, 0), VidaEnd_Particle(0)},
                          .count = 1,
                          .formulas = {p[1]},
                          .unit = "m"};
  REQUIRE_OK(VidaSystem_AddCurve(s, &wire, &error), &error);
  EXPECT(VidaSystem_BodyCoordinateCount(s, body) == 0, "it has no coordinates");
  EXPECT(VidaSystem_BodyParticle(s, body) == -1, "and no particle");
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(hypot(a[0], a[1]), gravity / 2.0, 1e-13, "acceleration along the wire");
  VidaSystem_Destroy(&s);
}

/* A hinge at a point of a fixed body in space: a quarter turn about z takes (1, 0, 0) to (0, 1, 0).
 */
static void test_hinge_of_fixed_body(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(3);
  const VidaFixedBody frame = {.name = "frame",
                               .position = {1.0, 2.0, 3.0},
                               .orientation = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)}};
  const VidaParticle bob = {
      .name = "bob", .mass = 1.0, .position = {{.value = 1.0}, {.value = 3.0}, {.value = 3.0}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddFixedBody(s, &frame, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  const VidaJoint ball = {.name = "ball",
                          .kind = VIDA_JOINT_BALL,
                          .ends = {VidaEnd_Body(body, 1, 0, 0), VidaEnd_Particle(0)}};
  REQUIRE_OK(VidaSystem_AddJoint(s, &ball, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(q[1], 3.0, 1e-15, "the bob has not been moved");
  EXPECT_NEAR(lambda[2], -gravity, 1e-13, "the frame carries it");
  VidaSystem_Destroy(&s);
}

/* A bead on the circle (cos s, sin s) at s = 0 with s' = 2: s'' = -g, and its acceleration towards
 * the centre is s'^2. */
static void test_parametric_curve(void) {
  VidaError error = {0};
  VidaSystem* s = new_heavy_system(2);
  const VidaParticle bead = {.name = "bead",
                             .mass = 0.7,
                             .position = {{.value = 1.0}},
                             .velocity = {{.value = 0.0}, {.value = 2.0}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int parameter = -1;
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(s, "track.s", "", VidaInitial_Given(0.0),
                                      VidaInitial_Given(2.0), &parameter, &error),
             &error);
  const VidaExpression turned = position(s, parameter);
  const VidaParametricCurve circle = {.name = "track",
                                      .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Particle(0)},
                                      .place = {one(s, "cos", turned), one(s, "sin", turned)}};
  REQUIRE_OK(VidaSystem_AddParametricCurve(s, &circle, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[parameter], -gravity, 1e-13, "of the parameter");
  EXPECT_NEAR(a[0], -4.0, 1e-13, "towards the centre");
  EXPECT_NEAR(a[1], -gravity, 1e-13, "along the circle");
  VidaSystem_Destroy(&s);
}

/* ---- torques --------------------------------------------------------------------------------- */

/* From rest a body has the angular acceleration M / I about a principal axis. A body with the
 * quaternion (1, 0, 0, 0) then has q'' = (0, alpha) / 2; its director d1 = x has d1'' = alpha x d1.
 */
static void test_torque_about_z(VidaOrientation as, const double moments[3]) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  const int body = add_cuboid(s, "body", moments, NULL, as);
  const VidaTorque torque = {.name = "torque",
                             .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                             .moment = {number(s, 0.0), number(s, 0.0), number(s, 0.6)}};
  REQUIRE_OK(VidaSystem_AddTorque(s, &torque, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  const double alpha = 0.6 / moments[2];
  if (as == VIDA_ORIENTATION_QUATERNION) {
    EXPECT_NEAR(a[6], alpha / 2.0, 1e-14, "of the quaternion");
  } else {
    EXPECT_NEAR(a[4], alpha, 1e-14, "of the first director");
  }
  VidaSystem_Destroy(&s);
}

static void test_torques(void) {
  static const double solid[3] = {1.0, 2.0, 2.5};
  static const double flat[3] = {1.0, 2.0, 3.0};
  test_torque_about_z(VIDA_ORIENTATION_QUATERNION, solid);
  test_torque_about_z(VIDA_ORIENTATION_DIRECTORS, solid);
  test_torque_about_z(VIDA_ORIENTATION_DIRECTORS, flat);
}

/* A torque in the axes of a body whose axes are not principal ones: from rest the angular
 * acceleration alpha = (0.1, 0.2, 0.3) of the body takes the moment J alpha. Of a body that is
 * turned by a quarter about z, (x, y, z) points to (-y, x, z) in space. */
static void test_torque_of_body(VidaOrientation as) {
  static const double alpha[3] = {0.1, 0.2, 0.3};
  const double expected[3] = {-alpha[1], alpha[0], alpha[2]};
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  const VidaRigidBody plate = {.name = "plate",
                               .mass = 1.0,
                               .inertia = {{0.3, 0.1, 0.0}, {0.1, 0.2, 0.05}, {0.0, 0.05, 0.4}},
                               .orientation = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)},
                               .as = as};
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &plate, &body, &error), &error);
  VidaTorque torque = {.name = "torque",
                       .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                       .axes = VIDA_TORQUE_SECOND};
  for (int i = 0; i < 3; i++) {
    const double* row = plate.inertia[i];
    torque.moment[i] = number(s, row[0] * alpha[0] + row[1] * alpha[1] + row[2] * alpha[2]);
  }
  REQUIRE_OK(VidaSystem_AddTorque(s, &torque, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  double found[3] = {0.0, 0.0, 0.0};
  const int count = VidaSystem_BodyCoordinateCount(s, body);
  for (int d = 3; d < count && as == VIDA_ORIENTATION_DIRECTORS; d += 3) {
    for (int i = 0; i < 3; i++) { /* half the sum of d x d'' */
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      found[i] += 0.5 * (q[d + j] * a[d + k] - q[d + k] * a[d + j]);
    }
  }
  if (as == VIDA_ORIENTATION_QUATERNION) { /* 2 q'' q* of q = (w, 0, 0, w) with w^2 = 1/2 */
    const double w = sqrt(0.5);
    found[0] = 2.0 * w * (a[4] - a[5]);
    found[1] = 2.0 * w * (a[5] + a[4]);
    found[2] = 2.0 * w * (a[6] - a[3]);
  }
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(found[i], expected[i], 1e-13, "component %d, orientation %d", i, (int)as);
  }
  VidaSystem_Destroy(&s);
}

static void test_torques_of_bodies(void) {
  test_torque_of_body(VIDA_ORIENTATION_QUATERNION);
  test_torque_of_body(VIDA_ORIENTATION_DIRECTORS);
}

/* A rod in the plane, m l^2 / 12: u'' is across it. */
static void test_torque_on_rod(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaRod rod = {.name = "rod", .mass = 3.0, .length = 2.0, .direction = {1.0}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, &body, &error), &error);
  const VidaTorque torque = {.name = "torque",
                             .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                             .moment = {number(s, 0.5)}};
  REQUIRE_OK(VidaSystem_AddTorque(s, &torque, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  EXPECT_NEAR(a[3], 0.5, 1e-14, "of the direction across the rod");
  VidaSystem_Destroy(&s);
}

/* A motor about the z axis of its stator, which is turned by a quarter about x, so that this axis
 * is -y of space; the bodies get opposite moments. */
static void test_motor(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  const double quarter[4] = {sqrt(0.5), sqrt(0.5), 0.0, 0.0};
  static const double moments[3] = {2.0, 2.0, 2.0};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  const int stator = add_cuboid(s, "stator", moments, quarter, VIDA_ORIENTATION_DIRECTORS);
  const int rotor = add_cuboid(s, "rotor", moments, NULL, VIDA_ORIENTATION_QUATERNION);
  const VidaTorque motor = {.name = "motor",
                            .ends = {VidaEnd_Body(stator, 0, 0, 0), VidaEnd_Body(rotor, 0, 0, 0)},
                            .axes = VIDA_TORQUE_FIRST,
                            .has_axis = true,
                            .axis = {0.0, 0.0, 1.0},
                            .moment = {number(s, 0.8)}};
  REQUIRE_OK(VidaSystem_AddTorque(s, &motor, &error), &error);
  solve(s, 0.0, q, v, a, lambda);
  const int first = VidaSystem_BodyCoordinate(s, rotor) + 3;
  EXPECT_NEAR(a[first + 2], -0.8 / 2.0 / 2.0, 1e-14, "the rotor turns about -y");
  /* d1 = x of the stator: alpha x d1 with alpha = +0.4 y is -0.4 z. */
  EXPECT_NEAR(a[VidaSystem_BodyCoordinate(s, stator) + 5], -0.4, 1e-14, "the stator about +y");
  VidaSystem_Destroy(&s);
}

static void test_torque_refusals(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  const VidaRod rod = {.name = "rod", .mass = 3.0, .length = 2.0, .direction = {1.0}};
  int body = -1;
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, &body, &error), &error);
  VidaTorque torque = {.name = "torque",
                       .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                       .moment = {number(s, 1.0), number(s, 1.0), number(s, 1.0)}};
  EXPECT_ERROR(VidaSystem_AddTorque(s, &torque, &error), &error, VIDA_BAD_ARGUMENT,
               "a rod in space has no orientation about its axis");
  torque.ends[1] = VidaEnd_Ground(0, 0, 0);
  EXPECT_ERROR(VidaSystem_AddTorque(s, &torque, &error), &error, VIDA_BAD_ARGUMENT,
               "all its ends are fixed");
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"a drive by a formula", test_angle_drive},
                                    {"a gear", test_gear},
                                    {"a link of variable length", test_variable_link},
                                    {"a prescribed value", test_prescribed_value},
                                    {"a slider-crank", test_slider_crank},
                                    {"a switch", test_switch},
                                    {"a curve", test_curve},
                                    {"curves of bodies", test_curves_of_bodies},
                                    {"a fixed body", test_fixed_body},
                                    {"a hinge of a fixed body", test_hinge_of_fixed_body},
                                    {"a parametric curve", test_parametric_curve},
                                    {"torques", test_torques},
                                    {"torques in the axes of bodies", test_torques_of_bodies},
                                    {"a torque on a rod", test_torque_on_rod},
                                    {"a motor", test_motor},
                                    {"refused torques", test_torque_refusals},
                                    {NULL, NULL}};
  return check_main("driven mechanisms", tests);
}
