/* Bodies and joints built in C, against closed forms of textbook mechanics. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

enum { MOST = 32 };

static const double gravity = 9.81; /* m/s^2 */
static const double tolerance = 1e-12;

static VidaSystem* new_system(int dimension) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  double g[3] = {0.0};
  g[dimension - 1] = -gravity;
  REQUIRE_OK(VidaSystem_Create("rig", dimension, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, g, &error), &error);
  return system;
}

/* Completes the system and finds start, accelerations and multipliers. */
static void solve(VidaSystem* system, double* q, double* v, double* a, double* lambda) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, lambda, &error), &error);
}

static void add_joint(VidaSystem* system, VidaJointKind kind, VidaEnd first, VidaEnd second,
                      const double* axis) {
  VidaError error = {0};
  VidaJoint joint = {.name = "hinge", .kind = kind, .ends = {first, second}};
  if (axis) {
    REQUIRE_OK(VidaSystem_TriadsAlong(system, joint.ends, axis, joint.triads, &error), &error);
  }
  REQUIRE_OK(VidaSystem_AddJoint(system, &joint, &error), &error);
}

/* A physical pendulum that starts horizontally has the angular acceleration m g l / (I + m l^2)
 * (Goldstein, Classical Mechanics, chapter 5: moments about a parallel axis). */
static double pendulum_acceleration(double mass, double inertia, double length) {
  return mass * gravity * length / (inertia + mass * length * length);
}

static void test_plane_pendulum(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaPlaneBody bar = {
      .name = "bar", .mass = 2.0, .inertia = 0.3, .position = {{.value = 0.5}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &bar, &body, &error), &error);
  EXPECT(!strcmp(VidaSystem_BodyName(s, body), "bar") && !VidaSystem_BodyName(s, body + 1),
         "names");
  add_joint(s, VIDA_JOINT_REVOLUTE, VidaEnd_Ground(0.0, 0.0, 0.0),
            VidaEnd_Body(body, -0.5, 0.0, 0.0), NULL);
  solve(s, q, v, a, lambda);
  const double expected = pendulum_acceleration(2.0, 0.3, 0.5);
  EXPECT(strcmp(VidaSystem_CoordinateName(s, 2), "bar.angle") == 0, "the angle is coordinate 2");
  EXPECT(strcmp(VidaSystem_ConstraintName(s, 1), "hinge: y") == 0, "the second row is %s",
         VidaSystem_ConstraintName(s, 1));
  EXPECT_NEAR(a[2], -expected, tolerance * expected, "angular acceleration");
  /* The ground carries what does not accelerate the centre: m (g - l alpha). */
  EXPECT_NEAR(lambda[1], -2.0 * (gravity - 0.5 * expected), 1e-11, "force of the hinge");
  VidaSystem_Destroy(&s);
}

static void test_rod(int dimension) {
  VidaError error = {0};
  VidaSystem* s = new_system(dimension);
  const VidaRod rod = {
      .name = "rod", .mass = 3.0, .length = 2.0, .position = {{.value = 1.0}}, .direction = {7.0}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, &body, &error), &error);
  const VidaEnd tail = VidaEnd_Body(body, -1.0, 0.0, 0.0);
  add_joint(s, VIDA_JOINT_BALL, VidaEnd_Ground(0.0, 0.0, 0.0), tail, NULL);
  solve(s, q, v, a, lambda);
  /* A uniform rod of length l that is held at its end falls with 3 g / (2 l). */
  EXPECT_NEAR(a[dimension - 1], -0.75 * gravity, 1e-11, "centre of a rod, dimension %d", dimension);
  EXPECT_NEAR(q[dimension], 1.0, 0.0, "the direction is of length 1");
  EXPECT(strcmp(VidaSystem_ConstraintName(s, 0), "rod: direction") == 0, "row %s",
         VidaSystem_ConstraintName(s, 0));
  VidaSystem_Destroy(&s);
}

static void test_rods(void) {
  test_rod(2);
  test_rod(3);
}

/* The same bar in space on a hinge along y; its axes are turned by a half right angle about y. */
static void test_space_pendulum(VidaOrientation as, double third_moment) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  const double turn = atan(1.0);
  const double axis[3] = {0.0, 4.0, 0.0};
  const double at[3] = {0.0, 0.0, 0.0};
  const VidaRigidBody bar = {
      .name = "bar",
      .mass = 2.0,
      .inertia = {{0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, third_moment}},
      .position = {{.value = 0.5}},
      .orientation = {cos(turn / 2.0), 0.0, sin(turn / 2.0), 0.0},
      .as = as};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaEnd end;
  int body = -1;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &bar, &body, &error), &error);
  REQUIRE_OK(VidaSystem_EndAt(s, body, at, &end, &error), &error);
  add_joint(s, VIDA_JOINT_REVOLUTE, VidaEnd_Ground(0.0, 0.0, 0.0), end, axis);
  solve(s, q, v, a, lambda);
  const double expected = pendulum_acceleration(2.0, 0.3, 0.5);
  EXPECT_NEAR(a[2], -0.5 * expected, 1e-11, "centre, orientation %d", (int)as);
  EXPECT_BELOW(a[1], 1e-11, "nothing leaves the plane of the motion");
  VidaSystem_Destroy(&s);
}

static void test_space_pendulums(void) {
  test_space_pendulum(VIDA_ORIENTATION_QUATERNION, 0.4);
  test_space_pendulum(VIDA_ORIENTATION_DIRECTORS, 0.4);
  test_space_pendulum(VIDA_ORIENTATION_DIRECTORS, 0.5); /* 0.2 + 0.3: flat, with two directors */
}

/* What joints leave free of a body in space, by their definition: 6 coordinates less the rows. */
static void test_rows(void) {
  static const struct {
    VidaJointKind kind;
    int rows;
  } joints[] = {{VIDA_JOINT_BALL, 3},        {VIDA_JOINT_REVOLUTE, 5},  {VIDA_JOINT_UNIVERSAL, 4},
                {VIDA_JOINT_CYLINDRICAL, 4}, {VIDA_JOINT_PRISMATIC, 5}, {VIDA_JOINT_WELD, 6}};
  const size_t count = sizeof joints / sizeof joints[0];
  const double axis[3] = {0.0, 0.0, 1.0};
  EXPECT(!VidaJoint_KindName((VidaJointKind)count), "'%s' is not in the list of this test",
         VidaJoint_KindName((VidaJointKind)count));
  EXPECT(!VidaJoint_KindName((VidaJointKind)-1), "a name of no kind");
  for (size_t i = 0; i < count; i++) {
    VidaError error = {0};
    VidaSystem* s = new_system(3);
    const VidaRigidBody cube = {
        .name = "cube", .mass = 1.0, .inertia = {{1.0, 0, 0}, {0, 1.0, 0}, {0, 0, 1.0}}};
    double q[MOST], v[MOST];
    int body = -1;
    int rank = 0;
    REQUIRE_OK(VidaSystem_AddRigidBody(s, &cube, &body, &error), &error);
    VidaJoint joint = {.name = "hinge",
                       .kind = joints[i].kind,
                       .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)}};
    REQUIRE_OK(VidaSystem_TriadsAlong(s, joint.ends, axis, joint.triads, &error), &error);
    if (joint.kind == VIDA_JOINT_UNIVERSAL) { /* its axes are across each other */
      memcpy(joint.triads[1].e[2], joint.triads[1].e[0], sizeof joint.triads[1].e[2]);
    }
    REQUIRE_OK(VidaSystem_AddJoint(s, &joint, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
    REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_Rank(s, 0.0, q, &rank, NULL, &error), &error);
    EXPECT(rank == joints[i].rows + 1, "joint %d has rank %d", (int)joints[i].kind, rank);
    VidaSystem_Destroy(&s);
  }
}

/* Hangs at rest: the tension of a link is the weight. */
static void test_link(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaPlaneBody bob = {
      .name = "bob", .mass = 2.0, .inertia = 0.1, .position = {{.value = 0.0}, {.value = -1.5}}};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  int body = -1;
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &bob, &body, &error), &error);
  const VidaEnd ends[2] = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0.0, 0.5, 0.0)};
  REQUIRE_OK(VidaSystem_AddLink(s, "cable", ends, 1.0, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(lambda[0], 2.0 * gravity, 1e-11, "tension of the cable");
  EXPECT_BELOW(a[1], 1e-12, "it hangs");
  VidaSystem_Destroy(&s);
}

/* A bead on a line at 30 degrees slides with g / 2. */
static void test_guide(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaParticle bead = {.name = "bead", .mass = 0.7};
  const double slope = atan(1.0 / sqrt(3.0));
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, NULL, &error), &error);
  const VidaGuide wire = {.name = "wire",
                          .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Particle(0)},
                          .count = 1,
                          .across = {{-sin(slope), cos(slope)}}};
  REQUIRE_OK(VidaSystem_AddGuide(s, &wire, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(hypot(a[0], a[1]), gravity / 2.0, 1e-12, "acceleration along the wire");
  VidaSystem_Destroy(&s);
}

/* A drive of a free rotor prescribes its rate, also one that a parameter gives. */
static void test_drive(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaPlaneBody rotor = {.name = "rotor",
                               .mass = 1.0,
                               .inertia = 0.5,
                               .position = {{.value = 0.0}},
                               .velocity = {{.is_default = true}, {.is_default = true}}};
  double q[MOST], v[MOST];
  int body = -1;
  int rate = -1;
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &rotor, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddParameter(s, "rate", 3.0, &rate, &error), &error);
  VidaDrive motor = {.name = "motor",
                     .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                     .rate = VidaQuantity_Parameter(rate)};
  const double axis[2] = {1.0, 0.0};
  REQUIRE_OK(VidaSystem_TriadsAlong(s, motor.ends, axis, motor.triads, &error), &error);
  REQUIRE_OK(VidaSystem_AddDrive(s, &motor, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(v[2], 3.0, 1e-14, "rate of the rotor");
  REQUIRE_OK(VidaSystem_SetParameter(s, rate, -2.0, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(v[2], -2.0, 1e-14, "rate after the parameter has changed");
  VidaSystem_Destroy(&s);
}

/* An angle that counts turns starts where the rotor is after a turn and has the rate of the rotor.
 */
static void test_angle(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const double turn = 8.0 * atan(1.0);
  const VidaPlaneBody rotor = {.name = "rotor",
                               .mass = 1.0,
                               .inertia = 0.5,
                               .angular_velocity = 3.0,
                               .spin = VIDA_SPIN_GIVEN};
  double q[MOST], v[MOST];
  int body = -1;
  const double axis[2] = {1.0, 0.0};
  VidaAngle angle = {.name = "turned", .ends = {VidaEnd_Ground(0, 0, 0)}};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &rotor, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(s, "turned", "rad", VidaInitial_Given(turn),
                                      VidaInitial_Free(0.0), &angle.coordinate, &error),
             &error);
  angle.ends[1] = VidaEnd_Body(body, 0, 0, 0);
  REQUIRE_OK(VidaSystem_TriadsAlong(s, angle.ends, axis, angle.triads, &error), &error);
  REQUIRE_OK(VidaSystem_AddAngle(s, &angle, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(q[angle.coordinate], turn, 1e-14, "a whole turn is kept");
  EXPECT_NEAR(v[angle.coordinate], 3.0, 1e-13, "its rate is that of the rotor");
  VidaSystem_Destroy(&s);
}

/* The eigenvalues of {{2,-1,0},{-1,2,0},{0,0,2}} are 1, 2 and 3. */
static void test_principal_axes(void) {
  const double matrix[3][3] = {{2.0, -1.0, 0.0}, {-1.0, 2.0, 0.0}, {0.0, 0.0, 2.0}};
  double moments[3], axes[3][3], q[4];
  Vida_PrincipalAxes(matrix, moments, axes);
  EXPECT_NEAR(moments[0] * moments[1] * moments[2], 6.0, 1e-14, "product of the moments");
  EXPECT_NEAR(moments[0] + moments[1] + moments[2], 6.0, 1e-14, "their sum");
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const double left =
          matrix[i][0] * axes[0][k] + matrix[i][1] * axes[1][k] + matrix[i][2] * axes[2][k];
      EXPECT_NEAR(left, moments[k] * axes[i][k], 1e-14, "axis %d, row %d", k, i);
    }
  }
  /* A quarter turn about z is the quaternion (1, 0, 0, 1) / sqrt(2). */
  const double quarter[3][3] = {{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
  Vida_QuaternionOfMatrix(quarter, q);
  EXPECT_NEAR(q[0], sqrt(0.5), 1e-15, "scalar part");
  EXPECT_NEAR(q[3], sqrt(0.5), 1e-15, "z");
  const double axis[3] = {0.0, 0.6, 0.8};
  double across[3];
  Vida_DirectionAcross(axis, across);
  EXPECT_BELOW(across[1] * 0.6 + across[2] * 0.8, 1e-16, "across the axis");
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* A rotor at rest in the plane on a hinge at its centre, inertia 0.5 kg m^2, angle 0.2, rate 3. */
static VidaSystem* new_rotor(int* body) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaPlaneBody rotor = {.name = "rotor",
                               .mass = 2.0,
                               .inertia = 0.5,
                               .angle = 0.2,
                               .angular_velocity = 3.0,
                               .spin = VIDA_SPIN_GIVEN};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &rotor, body, &error), &error);
  add_joint(s, VIDA_JOINT_BALL, VidaEnd_Ground(0, 0, 0), VidaEnd_Body(*body, 0, 0, 0), NULL);
  return s;
}

/* I a = - k (angle - rest) - c rate. */
static void test_torsion(void) {
  VidaError error = {0};
  int body = -1;
  int parameter = -1;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaSystem* s = new_rotor(&body);
  REQUIRE_OK(VidaSystem_AddParameter(s, "k", 4.0, &parameter, &error), &error);
  VidaTorsion torsion = {.name = "coil",
                         .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                         .factor = VidaQuantity_Parameter(parameter),
                         .angle = VidaQuantity_Number(-0.3)};
  REQUIRE_OK(VidaSystem_AddTorsionSpring(s, &torsion, &error), &error);
  torsion.factor = VidaQuantity_Number(0.25);
  REQUIRE_OK(VidaSystem_AddTorsionDamper(s, &torsion, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(a[2], -(4.0 * 0.5 + 0.25 * 3.0) / 0.5, 1e-13, "angular acceleration");
  REQUIRE_OK(VidaSystem_SetParameter(s, parameter, 0.0, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(s, 0.0, q, v, a, lambda, &error), &error);
  EXPECT_NEAR(a[2], -0.25 * 3.0 / 0.5, 1e-13, "without the spring");
  VidaSystem_Destroy(&s);
}

/* A spring and a damper pull the centre of a free body along the line to the ground, which is the x
 * axis: m a = - k s - k3 s^3 - c s'. */
static void test_spring_and_damper(void) {
  VidaError error = {0};
  int body = -1;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaSystem* s = new_system(2);
  const VidaPlaneBody mass = {.name = "mass",
                              .mass = 2.0,
                              .inertia = 1.0,
                              .position = {{.value = 1.5}},
                              .velocity = {{.value = 0.4}}};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &mass, &body, &error), &error);
  const VidaEnd wall = VidaEnd_Ground(0, 0, 0);
  const VidaEnd centre = VidaEnd_Body(body, 0, 0, 0);
  const VidaLinkSpring spring = {.name = "spring",
                                 .ends = {wall, centre},
                                 .stiffness = {.value = 10.0},
                                 .length = {.value = 1.0},
                                 .cubic = {.value = 8.0}};
  const VidaLinkDamper damper = {
      .name = "damper", .ends = {wall, centre}, .damping = {.value = 3.0}};
  REQUIRE_OK(VidaSystem_AddLinkSpring(s, &spring, &error), &error);
  REQUIRE_OK(VidaSystem_AddLinkDamper(s, &damper, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(a[0], -(10.0 * 0.5 + 8.0 * 0.125 + 3.0 * 0.4) / 2.0, 1e-13, "along the spring");
  EXPECT_NEAR(a[1], -gravity, 1e-13, "across it there is gravity alone");
  VidaSystem_Destroy(&s);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* A uniform disk, I = m r^2 / 2, that rolls down a slope of 30 degrees: 2/3 g sin(slope). */
static void test_rolling_disk(void) {
  VidaError error = {0};
  int body = -1;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaSystem* s = new_system(2);
  const double slope = atan(1.0 / sqrt(3.0));
  const double radius = 0.5;
  const VidaPlaneBody disk = {
      .name = "disk",
      .mass = 2.0,
      .inertia = 0.25,
      .position = {{.value = -radius * sin(slope)}, {.value = radius * cos(slope)}}};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &disk, &body, &error), &error);
  const VidaRollingDisk contact = {.name = "slope",
                                   .body = VidaEnd_Body(body, 0, 0, 0),
                                   .radius = radius,
                                   .normal = {-sin(slope), cos(slope)}};
  REQUIRE_OK(VidaSystem_AddRollingDisk(s, &contact, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(hypot(a[0], a[1]), gravity / 3.0, 1e-12, "along the slope");
  EXPECT_NEAR(a[2], gravity / 3.0 / radius, 1e-12, "it turns downhill, anticlockwise");
  VidaSystem_Destroy(&s);
}

/* A coin that stands on a plane and rolls straight ahead goes on: no acceleration (Bloch 2003,
 * section 1.4, the vertical rolling disk). */
static void test_rolling_coin(VidaOrientation as) {
  VidaError error = {0};
  int body = -1;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaSystem* s = new_system(3);
  const VidaRigidBody coin = {.name = "coin",
                              .mass = 1.0,
                              .inertia = {{1.0, 0, 0}, {0, 2.0, 0}, {0, 0, 1.0}},
                              .position = {{.value = 0.0}, {.value = 0.0}, {.value = 0.5}},
                              .velocity = {{.value = 2.0}},
                              .angular_velocity = {0.0, 4.0, 0.0},
                              .spin = VIDA_SPIN_GIVEN,
                              .as = as};
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &coin, &body, &error), &error);
  const VidaRollingDisk contact = {.name = "table",
                                   .body = VidaEnd_Body(body, 0, 0, 0),
                                   .radius = 0.5,
                                   .axis = {0.0, 1.0, 0.0},
                                   .normal = {0.0, 0.0, 1.0}};
  REQUIRE_OK(VidaSystem_AddRollingDisk(s, &contact, &error), &error);
  solve(s, q, v, a, lambda);
  for (int i = 0; i < 3; i++) {
    EXPECT_BELOW(a[i], 1e-12, "it rolls straight ahead, coordinate %d", i);
  }
  EXPECT_NEAR(v[0], 2.0, 1e-14, "with its own velocity");
  VidaSystem_Destroy(&s);
}

static void test_rolling(void) {
  test_rolling_disk();
  test_rolling_coin(VIDA_ORIENTATION_QUATERNION);
  test_rolling_coin(VIDA_ORIENTATION_DIRECTORS);
}

/* A blade that moves along itself with v and turns with w is accelerated across by w v (Bloch 2003,
 * section 1.6, the knife edge). */
static void test_knife_edge(void) {
  VidaError error = {0};
  int body = -1;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  VidaSystem* s = NULL;
  const VidaPlaneBody skate = {.name = "skate",
                               .mass = 1.0,
                               .inertia = 0.1,
                               .velocity = {{.value = 2.0}},
                               .angular_velocity = 3.0,
                               .spin = VIDA_SPIN_GIVEN};
  REQUIRE_OK(VidaSystem_Create("ice", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &skate, &body, &error), &error);
  const VidaKnifeEdge edge = {
      .name = "blade", .end = VidaEnd_Body(body, 0, 0, 0), .blade = {1.0, 0.0}};
  REQUIRE_OK(VidaSystem_AddKnifeEdge(s, &edge, &error), &error);
  solve(s, q, v, a, lambda);
  EXPECT_NEAR(a[1], 6.0, 1e-12, "across the blade");
  EXPECT_BELOW(a[0], 1e-12, "along it");
  VidaSystem_Destroy(&s);
}

static void test_refusals(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  VidaRigidBody body = {
      .name = "plate", .mass = 1.0, .inertia = {{1.0, 0, 0}, {0, 1.0, 0}, {0, 0, 3.0}}};
  const VidaParticle bob = {.name = "bob", .mass = 1.0};
  VidaJoint joint = {.name = "hinge", .kind = VIDA_JOINT_WELD};
  int number = -1;
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': inertia: no body has the principal moments 1, 1, 3");
  body.inertia[2][2] = 2.0;
  body.mass = 0.0;
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': mass: expected a positive number");
  body.mass = 1.0;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, &number, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  joint.ends[0] = joint.ends[1] = VidaEnd_Body(number, 0, 0, 0);
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "weld 'hinge': both ends are on 'plate'");
  joint.ends[0] = VidaEnd_Particle(1);
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "weld 'hinge': first end 'bob': a particle has no orientation");
  joint.ends[0] = VidaEnd_Body(7, 0, 0, 0);
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "weld 'hinge': first end: there is no body number 7");
  joint.kind = VIDA_JOINT_BALL;
  joint.ends[0] = joint.ends[1] = VidaEnd_Ground(0, 0, 0);
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "ball 'hinge': all its ends are fixed");
  joint.ends[1] = VidaEnd_Body(number, 0, 0, 0);
  REQUIRE_OK(VidaSystem_AddJoint(s, &joint, &error), &error);
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "ball 'hinge': this name is already in use");
  VidaSystem_Destroy(&s);
}

/* ---- what is refused or given ---------------------------------------------------------------- */

/* Rates that are written down count as given. A rod with u = (1, 0) has u' = (0, w). */
static void test_given_spin(void) {
  static const VidaSpin spins[] = {VIDA_SPIN_DEFAULT, VIDA_SPIN_GIVEN};
  for (int k = 0; k < 2; k++) {
    VidaError error = {0};
    VidaSystem* s = new_system(2);
    const VidaPlaneBody plate = {
        .name = "plate", .mass = 1.0, .inertia = 2.0, .angular_velocity = 3.0, .spin = spins[k]};
    const VidaRod rod = {.name = "rod",
                         .mass = 1.0,
                         .length = 1.0,
                         .direction = {1.0},
                         .angular_velocity = {-2.0},
                         .spin = spins[k]};
    double q[MOST], v[MOST];
    REQUIRE_OK(VidaSystem_AddPlaneBody(s, &plate, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddRod(s, &rod, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
    REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
    EXPECT_NEAR(v[2], 3.0, 1e-14, "plate, spin %d", k);
    EXPECT_NEAR(v[6], -2.0, 1e-14, "rod, spin %d", k);
    VidaSystem_Destroy(&s);
  }
}

/* Two plates whose angles stay equal have one rate. Both rates are free, near 3 and 5: of all pairs
 * of equal rates the pair of their mean is the nearest one. */
static void test_free_spin(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  VidaPlaneBody plate = {
      .name = "one", .mass = 1.0, .inertia = 2.0, .angular_velocity = 3.0, .spin = VIDA_SPIN_FREE};
  VidaDrive drive = {.name = "clutch"};
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &plate, NULL, &error), &error);
  plate.name = "two";
  plate.angular_velocity = 5.0;
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &plate, NULL, &error), &error);
  drive.ends[0] = VidaEnd_Body(0, 0, 0, 0);
  drive.ends[1] = VidaEnd_Body(1, 0, 0, 0);
  REQUIRE_OK(VidaSystem_AddDrive(s, &drive, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(v[2], 4.0, 1e-12, "first plate");
  EXPECT_NEAR(v[5], 4.0, 1e-12, "second plate");
  VidaSystem_Destroy(&s);
}

static void test_refused_bodies(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  VidaRigidBody body = {
      .name = "plate", .mass = 1.0, .inertia = {{1.0, 0.1, 0}, {0, 1.0, 0}, {0, 0, 1.5}}};
  const VidaFixedBody frame = {.name = "frame"};
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': inertia: expected a symmetric matrix");
  body.inertia[0][1] = 0.0;
  body.spin = (VidaSpin)3;
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': spin: there is no kind number 3");
  body.spin = VIDA_SPIN_DEFAULT;
  body.as = (VidaOrientation)2;
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': as: there is no kind number 2");
  body.as = VIDA_ORIENTATION_QUATERNION;
  body.angular_velocity[1] = NAN;
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "body 'plate': angular_velocity: expected a finite number");
  REQUIRE_OK(VidaSystem_AddFixedBody(s, &frame, NULL, &error), &error);
  EXPECT_ERROR(VidaSystem_AddFixedBody(s, &frame, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two bodies named 'frame'");
  body.angular_velocity[1] = 0.0;
  body.name = "frame";
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two bodies named 'frame'");
  VidaSystem_Destroy(&s);
}

/* Directions that are not of length 1, or not orthonormal; kinds that do not exist. */
static void test_refused_directions(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  const VidaRigidBody plate = {
      .name = "plate", .mass = 1.0, .inertia = {{1.0, 0, 0}, {0, 1.0, 0}, {0, 0, 1.5}}};
  int body = -1;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &plate, &body, &error), &error);
  const double axis[3] = {0.0, 0.0, NAN};
  VidaJoint joint = {.name = "hinge",
                     .kind = VIDA_JOINT_REVOLUTE,
                     .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                     .triads = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {{{1, 0, 0}, {0, 1, 0}}}}};
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "revolute 'hinge': triad of the second end: expected a direction of length 1");
  joint.triads[1].e[2][2] = -1.0;
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "revolute 'hinge': triad of the second end: expected orthogonal directions");
  joint.ends[0].kind = (VidaEndKind)9;
  EXPECT_ERROR(VidaSystem_AddJoint(s, &joint, &error), &error, VIDA_BAD_ARGUMENT,
               "revolute 'hinge': first end: there is no kind number 9");
  EXPECT_ERROR(VidaSystem_AddLink(s, "link", joint.ends, 1.0, &error), &error, VIDA_BAD_ARGUMENT,
               "distance 'link': first end: there is no kind number 9");
  joint.ends[0].kind = VIDA_END_GROUND;
  EXPECT_ERROR(VidaSystem_TriadsAlong(s, joint.ends, axis, joint.triads, &error), &error,
               VIDA_BAD_ARGUMENT, "an axis must be finite and not zero");
  const VidaGuide guide = {.name = "wire",
                           .ends = {joint.ends[0], joint.ends[1]},
                           .count = 2,
                           .across = {{1.0, 0, 0}, {-1.0, 0, 0}}};
  EXPECT_ERROR(VidaSystem_AddGuide(s, &guide, &error), &error, VIDA_BAD_ARGUMENT,
               "point on line 'wire': across: the two directions are parallel");
  const VidaRollingDisk disk = {.name = "coin",
                                .body = joint.ends[1],
                                .radius = 1.0,
                                .axis = {0, 0, 2.0},
                                .normal = {0, 1.0, 0}};
  EXPECT_ERROR(VidaSystem_AddRollingDisk(s, &disk, &error), &error, VIDA_BAD_ARGUMENT,
               "rolling disk 'coin': axis: expected a direction of length 1, got the length 2");
  const VidaKnifeEdge skate = {.name = "skate", .end = joint.ends[1], .blade = {1.0, 0, 0}};
  EXPECT_ERROR(VidaSystem_AddKnifeEdge(s, &skate, &error), &error, VIDA_BAD_ARGUMENT,
               "knife edge 'skate': normal: expected a direction of length 1, got the length 0");
  const VidaLinkSpring spring = {
      .name = "spring", .ends = {joint.ends[0], joint.ends[1]}, .law = (VidaSpringLaw)5};
  EXPECT_ERROR(VidaSystem_AddLinkSpring(s, &spring, &error), &error, VIDA_BAD_ARGUMENT,
               "spring 'spring': law: there is no kind number 5");
  VidaLinkSpring twin = {
      .name = "twin", .ends = {joint.ends[0], joint.ends[1]}, .stiffness = {.value = 1.0}};
  REQUIRE_OK(VidaSystem_AddLinkSpring(s, &twin, &error), &error);
  twin.law = VIDA_SPRING_SQUARED;
  EXPECT_ERROR(VidaSystem_AddLinkSpring(s, &twin, &error), &error, VIDA_BAD_ARGUMENT,
               "spring 'twin': this name is already in use");
  EXPECT_ERROR(VidaSystem_AddMotion(s, (VidaMotion)42, (int[]){0, 1, 2}, &error), &error,
               VIDA_BAD_ARGUMENT, "system 'rig': motion: there is no kind number 42");
  VidaDrive drive = {.name = "drive it", .ends = {joint.ends[0], joint.ends[1]}};
  const double upright[3] = {0.0, 0.0, 1.0};
  VidaExpression rate;
  REQUIRE_OK(VidaSystem_TriadsAlong(s, drive.ends, upright, drive.triads, &error), &error);
  REQUIRE_OK(VidaSystem_Rate(s, 0, &rate, &error), &error);
  EXPECT_ERROR(VidaSystem_AddAngleDrive(s, &drive, rate, &error), &error, VIDA_BAD_ARGUMENT,
               "drive 'drive it': angle depends on a rate");
  VidaTorque torque = {.name = "motor",
                       .ends = {joint.ends[0], joint.ends[1]},
                       .axes = (VidaTorqueAxes)7,
                       .has_axis = true,
                       .axis = {0, 0, 0.5}};
  REQUIRE_OK(VidaSystem_Constant(s, 1.0, &torque.moment[0], &error), &error);
  EXPECT_ERROR(VidaSystem_AddTorque(s, &torque, &error), &error, VIDA_BAD_ARGUMENT,
               "torque 'motor': axes: there is no kind number 7");
  torque.axes = VIDA_TORQUE_FIRST;
  EXPECT_ERROR(VidaSystem_AddTorque(s, &torque, &error), &error, VIDA_BAD_ARGUMENT,
               "torque 'motor': axis: expected a direction of length 1, got the length 0.5");
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"a pendulum in the plane", test_plane_pendulum},
                                    {"rods", test_rods},
                                    {"pendulums in space", test_space_pendulums},
                                    {"rows of joints", test_rows},
                                    {"a link", test_link},
                                    {"a guide", test_guide},
                                    {"a drive", test_drive},
                                    {"an angle", test_angle},
                                    {"principal axes", test_principal_axes},
                                    {"torsion", test_torsion},
                                    {"spring and damper", test_spring_and_damper},
                                    {"rolling", test_rolling},
                                    {"knife edge", test_knife_edge},
                                    {"refusals", test_refusals},
                                    {"given spin", test_given_spin},
                                    {"free spin", test_free_spin},
                                    {"refused bodies", test_refused_bodies},
                                    {"refused directions", test_refused_directions},
                                    {NULL, NULL}};
  return check_main("mechanics", tests);
}
