/* Positions, velocities and directions of bodies as expressions, against rotation matrices. */
#include <math.h>
#include <stdio.h>
#include <vida/vida.h>

#include "support/check.h"

enum { OBSERVED = 16, MOST = 32 };

static const double axis[3] = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0}; /* of length 1 */
static const double turned = 0.7;                                 /* rad about it */
static const double centre[3] = {0.3, -0.2, 0.5};
static const double speed[3] = {0.1, 0.4, -0.3};
static const double spin[3] = {0.5, -1.2, 0.8};
static const double place[3] = {0.4, 0.1, -0.6};

static void cross(const double a[3], const double b[3], double product[3]) {
  for (int i = 0; i < 3; i++) {
    product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

/* Rodrigues' rotation formula: a cos + (n x a) sin + n (n a) (1 - cos). */
static void rotate(const double a[3], double result[3]) {
  double product[3];
  cross(axis, a, product);
  const double along = axis[0] * a[0] + axis[1] * a[1] + axis[2] * a[2];
  for (int i = 0; i < 3; i++) {
    result[i] =
        a[i] * cos(turned) + product[i] * sin(turned) + axis[i] * along * (1.0 - cos(turned));
  }
}

static void observe(VidaSystem* system, const char* name, int count, const VidaExpression* list) {
  static const char* const letters[] = {"x", "y", "z"};
  VidaError error = {0};
  for (int i = 0; i < count; i++) {
    char full[MOST];
    snprintf(full, sizeof full, "%s.%s", name, letters[i]);
    REQUIRE_OK(VidaSystem_AddObservable(system, full, "", false, list[i], &error), &error);
  }
}

/* Completes the system and writes its observables at the start. */
static void look(VidaSystem* system, double* values) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Observables(stepper, values, &error), &error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
}

/* Of a point p of a body with the rotation R: c + R p, c' + w x R p; of a direction a: R a. */
static void test_body(VidaOrientation as, double third_moment) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  double values[OBSERVED], arm[3], velocity[3], direction[3];
  VidaExpression list[3];
  int body = -1;
  VidaRigidBody given = {.name = "body",
                         .mass = 1.0,
                         .inertia = {{1.0, 0.1, 0}, {0.1, 2.0, 0}, {0, 0, third_moment}},
                         .spin = VIDA_SPIN_GIVEN,
                         .as = as};
  given.orientation[0] = cos(turned / 2.0);
  for (int i = 0; i < 3; i++) {
    given.orientation[i + 1] = sin(turned / 2.0) * axis[i];
    given.position[i] = VidaInitial_Given(centre[i]);
    given.velocity[i] = VidaInitial_Given(speed[i]);
    given.angular_velocity[i] = spin[i];
  }
  REQUIRE_OK(VidaSystem_Create("bodies", 3, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &given, &body, &error), &error);
  const VidaEnd end = VidaEnd_Body(body, place[0], place[1], place[2]);
  REQUIRE_OK(VidaSystem_EndPosition(s, &end, list, &error), &error);
  observe(s, "position", 3, list);
  REQUIRE_OK(VidaSystem_EndVelocity(s, &end, list, &error), &error);
  observe(s, "velocity", 3, list);
  REQUIRE_OK(VidaSystem_EndDirection(s, &end, place, list, &error), &error);
  observe(s, "direction", 3, list);
  REQUIRE_OK(VidaSystem_BodyAngularVelocity(s, body, list, &error), &error);
  observe(s, "spin", 3, list);
  EXPECT_ERROR(VidaSystem_BodyAngle(s, body, list, &error), &error, VIDA_BAD_ARGUMENT,
               "only bodies in the plane have an angle");
  look(s, values);
  rotate(place, arm);
  cross(spin, arm, velocity);
  rotate(place, direction);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(values[i], centre[i] + arm[i], 1e-15, "position %d, as %d", i, (int)as);
    EXPECT_NEAR(values[3 + i], speed[i] + velocity[i], 1e-14, "velocity %d, as %d", i, (int)as);
    EXPECT_NEAR(values[6 + i], direction[i], 1e-15, "direction %d, as %d", i, (int)as);
    EXPECT_NEAR(values[9 + i], spin[i], 1e-14, "angular velocity %d, as %d", i, (int)as);
  }
  VidaSystem_Destroy(&s);
}

static void test_bodies(void) {
  test_body(VIDA_ORIENTATION_QUATERNION, 2.5);
  test_body(VIDA_ORIENTATION_DIRECTORS, 2.5);
  test_body(VIDA_ORIENTATION_DIRECTORS, 3.0); /* the sum of the others: flat */
}

/* At the start: a point p of a body is at c + R p, its direction a is R a in space, and a direction
 * R a of space is a in the body. */
static void expect_start(const VidaSystem* s, const VidaEnd* end, const char* what) {
  VidaError error = {0};
  double arm[3], at[3], back[3], direction[3];
  rotate(place, arm);
  REQUIRE_OK(VidaSystem_EndStart(s, end, at, &error), &error);
  REQUIRE_OK(VidaSystem_DirectionStart(s, end, place, direction, &error), &error);
  REQUIRE_OK(VidaSystem_DirectionAt(s, end, arm, back, &error), &error);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(at[i], centre[i] + arm[i], 1e-15, "position %d of %s", i, what);
    EXPECT_NEAR(direction[i], arm[i], 1e-15, "direction %d of %s", i, what);
    EXPECT_NEAR(back[i], place[i], 1e-15, "component %d of %s", i, what);
  }
}

static void test_starts(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  double v[3];
  int body = -1, fixed = -1, lost = -1, bob = -1;
  VidaRigidBody given = {
      .name = "quaternion", .mass = 1.0, .inertia = {{1.0, 0.1, 0}, {0.1, 2.0, 0}, {0, 0, 2.5}}};
  VidaFixedBody frame = {.name = "frame"};
  given.orientation[0] = frame.orientation[0] = cos(turned / 2.0);
  for (int i = 0; i < 3; i++) {
    given.orientation[i + 1] = frame.orientation[i + 1] = sin(turned / 2.0) * axis[i];
    given.position[i] = VidaInitial_Given(centre[i]);
    frame.position[i] = centre[i];
  }
  REQUIRE_OK(VidaSystem_Create("starts", 3, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &given, &body, &error), &error);
  const VidaEnd first = VidaEnd_Body(body, place[0], place[1], place[2]);
  expect_start(s, &first, "quaternions");
  given.name = "directors";
  given.as = VIDA_ORIENTATION_DIRECTORS;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &given, &body, &error), &error);
  const VidaEnd second = VidaEnd_Body(body, place[0], place[1], place[2]);
  expect_start(s, &second, "directors");
  REQUIRE_OK(VidaSystem_AddFixedBody(s, &frame, &fixed, &error), &error);
  const VidaEnd third = VidaEnd_Body(fixed, place[0], place[1], place[2]);
  expect_start(s, &third, "a fixed body");
  given.name = "lost";
  given.guess = true;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &given, &lost, &error), &error);
  const VidaEnd unknown = VidaEnd_Body(lost, 0, 0, 0);
  EXPECT_ERROR(VidaSystem_EndStart(s, &unknown, v, &error), &error, VIDA_BAD_ARGUMENT,
               "its initial position is computed");
  const VidaParticle particle = {.name = "bob", .mass = 1.0, .position = {{.value = 3.0}}};
  REQUIRE_OK(VidaSystem_AddParticle(s, &particle, &bob, &error), &error);
  const VidaEnd end = VidaEnd_Particle(bob);
  REQUIRE_OK(VidaSystem_EndStart(s, &end, v, &error), &error);
  EXPECT_NEAR(v[0], 3.0, 0.0, "a particle");
  EXPECT_ERROR(VidaSystem_DirectionAt(s, &end, axis, v, &error), &error, VIDA_BAD_ARGUMENT,
               "particle 'bob' has no orientation");
  VidaSystem_Destroy(&s);
}

/* Directions that a program gives in the axes of a body, which has other coordinates: a hinge and a
 * line that hold at the start leave everything where it is. */
static void test_directions_of_joints(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  double q[MOST], v[MOST];
  int body = -1, bead = -1;
  const VidaRigidBody plate = {.name = "plate",
                               .mass = 1.0,
                               .inertia = {{0.3, 0.1, 0.0}, {0.1, 0.2, 0.05}, {0.0, 0.05, 0.4}},
                               .as = VIDA_ORIENTATION_DIRECTORS};
  const VidaParticle particle = {.name = "bead", .mass = 1.0, .position = {{.value = 0.6}}};
  REQUIRE_OK(VidaSystem_Create("joints", 3, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &plate, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &particle, &bead, &error), &error);
  const VidaTriad unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const VidaJoint hinge = {.name = "hinge",
                           .kind = VIDA_JOINT_REVOLUTE,
                           .ends = {VidaEnd_Ground(0, 0, 0), VidaEnd_Body(body, 0, 0, 0)},
                           .triads = {unit, unit}};
  const VidaGuide wire = {.name = "wire",
                          .ends = {VidaEnd_Body(body, 0, 0, 0), VidaEnd_Particle(bead)},
                          .count = 2,
                          .across = {{0, 1, 0}, {0, 0, 1}}};
  REQUIRE_OK(VidaSystem_AddJoint(s, &hinge, &error), &error);
  REQUIRE_OK(VidaSystem_AddGuide(s, &wire, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_NEAR(q[VidaSystem_ParticleCoordinate(s, bead)], 0.6, 1e-14, "the bead stays");
  VidaSystem_Destroy(&s);
}

/* In the plane: a body and a rod at the angle 0.7, and a fixed body. */
static void test_plane(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  double values[OBSERVED];
  VidaExpression list[2];
  int body = -1, rod = -1, fixed = -1;
  const VidaPlaneBody plane = {.name = "body",
                               .mass = 1.0,
                               .inertia = 0.2,
                               .angle = turned,
                               .angular_velocity = 1.5,
                               .spin = VIDA_SPIN_GIVEN};
  const VidaRod slender = {.name = "rod",
                           .mass = 1.0,
                           .length = 1.0,
                           .direction = {cos(turned), sin(turned)},
                           .angular_velocity = {1.5},
                           .spin = VIDA_SPIN_GIVEN};
  const VidaFixedBody frame = {.name = "frame", .position = {1.0, 2.0}, .angle = turned};
  REQUIRE_OK(VidaSystem_Create("plane", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &plane, &body, &error), &error);
  REQUIRE_OK(VidaSystem_AddRod(s, &slender, &rod, &error), &error);
  REQUIRE_OK(VidaSystem_AddFixedBody(s, &frame, &fixed, &error), &error);
  const int bodies[2] = {body, rod};
  for (int k = 0; k < 2; k++) {
    const VidaEnd end = VidaEnd_Body(bodies[k], 0.5, 0.0, 0.0);
    REQUIRE_OK(VidaSystem_EndVelocity(s, &end, list, &error), &error);
    observe(s, k == 0 ? "body velocity" : "rod velocity", 2, list);
    REQUIRE_OK(VidaSystem_BodyAngularVelocity(s, bodies[k], list, &error), &error);
    observe(s, k == 0 ? "body spin" : "rod spin", 1, list);
    REQUIRE_OK(VidaSystem_BodyAngle(s, bodies[k], list, &error), &error);
    observe(s, k == 0 ? "body angle" : "rod angle", 1, list);
  }
  const VidaEnd corner = VidaEnd_Body(fixed, 1.0, 0.0, 0.0);
  REQUIRE_OK(VidaSystem_EndPosition(s, &corner, list, &error), &error);
  observe(s, "corner", 2, list);
  REQUIRE_OK(VidaSystem_BodyAngle(s, fixed, list, &error), &error);
  observe(s, "frame", 1, list);
  look(s, values);
  for (int k = 0; k < 2; k++) {
    const double* own = values + 4 * k;
    EXPECT_NEAR(own[0], -0.75 * sin(turned), 1e-15, "velocity along x, body %d", k);
    EXPECT_NEAR(own[1], 0.75 * cos(turned), 1e-15, "velocity along y, body %d", k);
    EXPECT_NEAR(own[2], 1.5, 1e-15, "angular velocity, body %d", k);
    EXPECT_NEAR(own[3], turned, 1e-15, "angle, body %d", k);
  }
  EXPECT_NEAR(values[8], 1.0 + cos(turned), 1e-15, "corner of the frame along x");
  EXPECT_NEAR(values[9], 2.0 + sin(turned), 1e-15, "along y");
  EXPECT_NEAR(values[10], turned, 0.0, "angle of the frame");
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"bodies in space", test_bodies},
                                    {"the plane", test_plane},
                                    {"starts", test_starts},
                                    {"directions of joints", test_directions_of_joints},
                                    {NULL, NULL}};
  return check_main("kinematics", tests);
}
