/* An addition that fails changes nothing, and systems that share patterns are independent. */
#include <math.h>
#include <vida/vida.h>

#include "support/check.h"

enum { MOST = 32 };

static const double gravity = 9.81; /* m/s^2 */

static VidaSystem* new_system(int dimension) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  double g[3] = {0.0};
  g[dimension - 1] = -gravity;
  REQUIRE_OK(VidaSystem_Create("rig", dimension, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, g, &error), &error);
  return system;
}

/* What a system consists of. */
typedef struct Contents {
  int coordinates, rows, particles, bodies;
} Contents;

static Contents contents_of(const VidaSystem* system) {
  return (Contents){VidaSystem_CoordinateCount(system), VidaSystem_ConstraintCount(system),
                    VidaSystem_ParticleCount(system), VidaSystem_BodyCount(system)};
}

static void expect_same(const VidaSystem* system, Contents before, const char* what) {
  const Contents now = contents_of(system);
  EXPECT(now.coordinates == before.coordinates, "%s leaves %d coordinates", what, now.coordinates);
  EXPECT(now.rows == before.rows, "%s leaves %d rows", what, now.rows);
  EXPECT(now.particles == before.particles, "%s leaves %d particles", what, now.particles);
  EXPECT(now.bodies == before.bodies, "%s leaves %d bodies", what, now.bodies);
  EXPECT(VidaSystem_ParticleIndex(system, "top") == -1, "%s leaves the particle's name", what);
  EXPECT(VidaSystem_CoordinateIndex(system, "top.x") == -1, "%s leaves a coordinate's name", what);
}

static void add_coordinate(VidaSystem* system, const char* name) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddCoordinate(system, name, "", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), NULL, &error),
             &error);
}

/* Completes the system, whose last body falls freely. */
static void expect_fall(VidaSystem* system, int body) {
  VidaError error = {0};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, lambda, &error), &error);
  const int last = VidaSystem_BodyCoordinate(system, body) + VidaSystem_Dimension(system) - 1;
  EXPECT_NEAR(a[last], -gravity, 1e-12, "the body falls");
}

/* The name of a coordinate of the orientation is taken, or that of a row. */
static void test_body_in_space(VidaOrientation as, const char* coordinate, const char* row) {
  VidaError error = {0};
  VidaSystem* s = new_system(3);
  int body = -1;
  const VidaParticle bob = {.name = "bob", .mass = 1.0, .position = {{.value = 1.0}}};
  VidaRigidBody top = {
      .name = "top", .mass = 1.0, .inertia = {{1.0, 0, 0}, {0, 1.5, 0}, {0, 0, 2.0}}, .as = as};
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  const VidaDistance wire = {row, VidaPoint_Fixed(0, 0, 0), VidaPoint_Particle(0), 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(s, &wire, &error), &error);
  const Contents first = contents_of(s);
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &top, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two constraints named");
  expect_same(s, first, "a row of this name");
  top.name = "other";
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &top, NULL, &error), &error);
  add_coordinate(s, coordinate);
  top.name = "top";
  const Contents second = contents_of(s);
  EXPECT_ERROR(VidaSystem_AddRigidBody(s, &top, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two coordinates named");
  expect_same(s, second, "a coordinate of this name");
  top.name = "third";
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &top, &body, &error), &error);
  VidaExpression rate = -1, energy = -1;
  REQUIRE_OK(VidaSystem_Rate(s, VidaSystem_CoordinateIndex(s, coordinate), &rate, &error), &error);
  const VidaExpression twice[2] = {rate, rate};
  REQUIRE_OK(VidaSystem_Apply(s, "*", 2, twice, &energy, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "mass", energy, &error), &error);
  expect_fall(s, body);
  VidaSystem_Destroy(&s);
}

static void test_bodies_in_space(void) {
  test_body_in_space(VIDA_ORIENTATION_QUATERNION, "top.q2", "top: quaternion");
  test_body_in_space(VIDA_ORIENTATION_DIRECTORS, "top.d2y", "top: d1.d3");
}

static void test_rod(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  int body = -1;
  VidaRod rod = {.name = "top", .mass = 1.0, .length = 1.0, .direction = {1.0}};
  const VidaParticle bob = {.name = "bob", .mass = 1.0, .position = {{.value = 1.0}}};
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  const VidaDistance wire = {"top: direction", VidaPoint_Fixed(0, 0, 0), VidaPoint_Particle(0),
                             1.0};
  REQUIRE_OK(VidaSystem_AddDistance(s, &wire, &error), &error);
  const Contents before = contents_of(s);
  EXPECT_ERROR(VidaSystem_AddRod(s, &rod, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two constraints named 'top: direction'");
  expect_same(s, before, "a row of this name");
  rod.name = "rod";
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, &body, &error), &error);
  expect_fall(s, body);
  VidaSystem_Destroy(&s);
}

static void test_plane_body(void) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  const VidaParticle bob = {.name = "top", .mass = 1.0};
  const VidaPlaneBody body = {.name = "top", .mass = 1.0, .inertia = 1.0};
  add_coordinate(s, "top.angle");
  const Contents before = contents_of(s);
  EXPECT_ERROR(VidaSystem_AddPlaneBody(s, &body, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "there are two coordinates named 'top.angle'");
  expect_same(s, before, "a coordinate of this name");
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  VidaSystem_Destroy(&s);
}

/* A hanging bar that swings: the angular acceleration of a physical pendulum that starts
 * horizontally is m g l / (I + m l^2). */
static VidaSystem* new_pendulum(VidaSystem* with, double mass) {
  VidaError error = {0};
  VidaSystem* s = new_system(2);
  int body = -1;
  const VidaPlaneBody bar = {
      .name = "bar", .mass = mass, .inertia = 0.3, .position = {{.value = 0.5}}};
  if (with) {
    REQUIRE_OK(VidaSystem_SharePatterns(s, with, &error), &error);
  }
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &bar, &body, &error), &error);
  const VidaJoint hinge = {.name = "hinge",
                           .kind = VIDA_JOINT_REVOLUTE,
                           .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, -0.5, 0, 0)}};
  REQUIRE_OK(VidaSystem_AddJoint(s, &hinge, &error), &error);
  return s;
}

static void expect_swing(VidaSystem* s, double mass) {
  VidaError error = {0};
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(s, 0.0, q, v, a, lambda, &error), &error);
  EXPECT_NEAR(a[2], -mass * gravity * 0.5 / (0.3 + mass * 0.25), 1e-12, "mass %g", mass);
}

static void test_shared_patterns(void) {
  VidaError error = {0};
  VidaSystem* first = new_pendulum(NULL, 2.0);
  VidaSystem* second = new_pendulum(first, 5.0);
  VidaSystem* third = new_pendulum(second, 1.0);
  REQUIRE_OK(VidaSystem_SharePatterns(first, third, &error), &error); /* they do already */
  VidaSystem* stranger = new_pendulum(NULL, 1.0);
  EXPECT_ERROR(VidaSystem_SharePatterns(stranger, first, &error), &error, VIDA_WRONG_ORDER,
               "patterns must be shared before the first of them is added");
  expect_swing(second, 5.0);
  VidaSystem_Destroy(&first);
  expect_swing(third, 1.0);
  VidaSystem_Destroy(&second);
  VidaSystem_Destroy(&third);
  VidaSystem_Destroy(&stranger);
}

int main(void) {
  static const CheckTest tests[] = {{"bodies in space", test_bodies_in_space},
                                    {"a rod", test_rod},
                                    {"a body in the plane", test_plane_body},
                                    {"shared patterns", test_shared_patterns},
                                    {NULL, NULL}};
  return check_main("failed additions", tests);
}
