/* Contacts of spheres with planes and with each other, against formulas worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "system/contacts/contacts.h"
#include "system/evaluate/evaluate.h"

enum { MOST_ROWS = 6, MOST_COORDINATES = 14 };

/* Gaps and slip velocities of a system at a state. */
typedef struct Values {
  int rows;
  double gap[MOST_ROWS], rate[MOST_ROWS];
} Values;

static Values evaluate(VidaSystem* s, const double* q, const double* v) {
  VidaError error;
  VidaSystem* closed = NULL;
  vida_evaluator evaluator;
  Values values = {0};
  unsigned char flags[4];
  memset(flags, VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK, sizeof flags);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(vida__variant_create(s, flags, &closed, NULL, &error), &error);
  REQUIRE_OK(vida__evaluator_create(closed, &evaluator, &error), &error);
  const int own = VidaSystem_ConstraintCount(s);
  double g[MOST_ROWS + 2], rate[MOST_ROWS + 2];
  double* entries = calloc((size_t)closed->entry_count, sizeof *entries);
  values.rows = VidaSystem_ConstraintCount(closed) - own;
  EXPECT(vida__constraints(&evaluator, 0.0, q, NULL, g) == 0, "gaps");
  EXPECT(vida__jacobian(&evaluator, 0.0, q, entries) == 0, "Jacobian");
  EXPECT(vida__velocity_residual(&evaluator, 0.0, q, entries, v, rate) == 0, "rates");
  for (int r = 0; r < values.rows; r++) {
    values.gap[r] = g[own + r];
    values.rate[r] = rate[own + r];
  }
  free(entries);
  vida__evaluator_destroy(&evaluator);
  VidaSystem_Destroy(&closed);
  return values;
}

static VidaSystem* new_system(int dimension) {
  VidaError error;
  VidaSystem* s = NULL;
  REQUIRE_OK(VidaSystem_Create("spheres", dimension, &s, &error), &error);
  return s;
}

static int add_particle(VidaSystem* s, const char* name) {
  VidaError error;
  int particle = -1;
  const VidaParticle record = {.name = name, .mass = 1.0};
  REQUIRE_OK(VidaSystem_AddParticle(s, &record, &particle, &error), &error);
  return particle;
}

/* A particle does not turn: its slip velocity is that across the normal. The incline has the normal
 * (0.6, 0, 0.8). */
static void test_particle_and_plane(void) {
  VidaError error;
  VidaSystem* s = new_system(3);
  const VidaPlaneContact plane = {.name = "incline",
                                  .end = VidaEnd_Particle(add_particle(s, "ball")),
                                  .radius = 0.25,
                                  .normal = {0.6, 0.0, 0.8},
                                  .height = 0.5,
                                  .friction = 0.3};
  REQUIRE_OK(VidaSystem_AddPlaneContact(s, &plane, NULL, &error), &error);
  EXPECT(VidaSystem_ContactSlipCount(s, 0) == 2, "slip");
  const double q[3] = {1.0, 2.0, 3.0}, v[3] = {0.5, -2.0, 1.5};
  const Values at = evaluate(s, q, v);
  const double along = 0.6 * 0.5 + 0.8 * 1.5;
  EXPECT(at.rows == 3, "%d rows", at.rows);
  EXPECT_NEAR(at.gap[0], 0.6 + 2.4 - 0.5 - 0.25, 1e-15, "gap");
  EXPECT_NEAR(at.rate[0], along, 1e-15, "rate of the gap");
  /* The directions are orthonormal: with the rate of the gap, all of v. */
  EXPECT_NEAR(hypot(at.rate[1], at.rate[2]), sqrt(0.25 + 4.0 + 2.25 - along * along), 1e-14,
              "slip speed");
  VidaSystem_Destroy(&s);
}

/* Two discs in the plane, radii 1 and 0.5, that turn with 3 and 4 rad/s: their material meets with
 * 3 * 1 + 4 * 0.5 across the line of centres, which is the direction (0.6, 0.8). */
static void test_discs(void) {
  VidaError error;
  VidaSystem* s = new_system(2);
  VidaEnd ends[2];
  for (int i = 0; i < 2; i++) {
    int index = -1;
    const VidaPlaneBody body = {.name = i == 0 ? "one" : "two", .mass = 1.0, .inertia = 0.5};
    REQUIRE_OK(VidaSystem_AddPlaneBody(s, &body, &index, &error), &error);
    ends[i] = VidaEnd_Body(index, 0.0, 0.0, 0.0);
  }
  const VidaSphereContact discs = {
      .name = "discs", .ends = {ends[0], ends[1]}, .radii = {1.0, 0.5}, .friction = 0.3};
  REQUIRE_OK(VidaSystem_AddSphereContact(s, &discs, NULL, &error), &error);
  const double q[6] = {0.0, 0.0, 0.1, 1.2, 1.6, 0.7}, v[6] = {1.0, 0.0, 3.0, 0.0, 1.0, 4.0};
  const Values at = evaluate(s, q, v);
  EXPECT(at.rows == 2, "%d rows", at.rows);
  EXPECT_NEAR(at.gap[0], 0.5, 1e-15, "gap");
  EXPECT_NEAR(at.rate[0], -0.6 + 0.8, 1e-15, "rate of the gap");
  /* t = (0.8, -0.6): v2 - v1 = (-1, 1); turning adds +(3 + 2) along t, as a wheel on a floor. */
  EXPECT_NEAR(at.rate[1], -0.8 - 0.6 + 5.0, 1e-14, "slip velocity");
  VidaSystem_Destroy(&s);
}

/* A ball in space that rolls along x on z = 0 has the velocity r w_y; its material does not slip.
 */
static void test_rolling_ball(void) {
  VidaError error;
  VidaSystem* s = new_system(3);
  int index = -1;
  const VidaRigidBody body = {
      .name = "ball", .mass = 1.0, .inertia = {{0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}}};
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, &index, &error), &error);
  const VidaPlaneContact plane = {.name = "floor",
                                  .end = VidaEnd_Body(index, 0.0, 0.0, 0.0),
                                  .radius = 0.5,
                                  .normal = {0.0, 0.0, 1.0},
                                  .friction = 0.3};
  REQUIRE_OK(VidaSystem_AddPlaneContact(s, &plane, NULL, &error), &error);
  /* At rest orientation q = 1: the rate of the quaternion is (0, w) / 2. */
  const double q[7] = {1.0, 2.0, 0.5, 1.0, 0.0, 0.0, 0.0};
  const double v[7] = {1.5, 0.0, 0.0, 0.0, 0.0, 1.5, 0.0};
  const double skids[7] = {1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const Values at = evaluate(s, q, v);
  EXPECT_NEAR(at.gap[0], 0.0, 1e-15, "gap");
  EXPECT_NEAR(at.rate[1], 0.0, 1e-15, "slip along x");
  EXPECT_NEAR(at.rate[2], 0.0, 1e-15, "slip along y");
  const Values skidding = evaluate(s, q, skids);
  EXPECT_NEAR(hypot(skidding.rate[1], skidding.rate[2]), 1.5, 1e-15, "slip without turning");
  VidaSystem_Destroy(&s);
}

/* The point (0.3, 0.4) of a body above the parabola y = 2 x^2, whose formula has a factor of 3. */
static void test_parabola(void) {
  VidaError error;
  VidaSystem* s = new_system(2);
  VidaExpression p[2];
  int index = -1;
  const VidaPlaneBody body = {.name = "lever", .mass = 1.0, .inertia = 0.5};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &body, &index, &error), &error);
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  const VidaExpression height = apply(s, "-", p[1], times(s, 2.0, square(s, p[0])));
  const VidaCurveContact bowl = {
      .name = "bowl",
      .ends = {VidaEnd_Ground(0.0, 0.0, 0.0), VidaEnd_Body(index, 0.3, 0.4, 0.0)},
      .formula = times(s, 3.0, height),
      .friction = 0.1};
  REQUIRE_OK(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error);
  EXPECT(VidaSystem_ContactSlipCount(s, 0) == 1, "slip");
  /* A quarter of a turn takes the point to (-0.4, 0.3) from the centre: (0.5, 0.5), on the curve.
   * Its velocity is (1, 2) - 3 (0.3, 0.4); the normal (-2, 1) / sqrt(5). */
  const double q[3] = {0.9, 0.2, acos(0.0)}, v[3] = {1.0, 2.0, 3.0};
  const Values at = evaluate(s, q, v);
  const double point[2] = {1.0 - 0.9, 2.0 - 1.2};
  EXPECT(at.rows == 2, "%d rows", at.rows);
  EXPECT_NEAR(at.gap[0], 0.0, 1e-15, "gap on the curve");
  EXPECT_NEAR(at.rate[0], (-2.0 * point[0] + point[1]) / sqrt(5.0), 1e-14, "rate of the gap");
  EXPECT_NEAR(at.rate[1], (point[0] + 2.0 * point[1]) / sqrt(5.0), 1e-14, "slip velocity");
  VidaSystem_Destroy(&s);
}

/* Far from the curve the gap is f / (|f'|^4 + |f''|^2 f^2)^(1/4): in the centre of the circle
 * 1 - x^2 - y^2 = 0 it is 1 / 8^(1/4), and at (0, 0.5) 0.75 / (1 + 8 0.75^2)^(1/4). */
static void test_circle(void) {
  static const double places[2] = {0.0, 0.5}, lengths[2] = {8.0, 5.5};
  for (int i = 0; i < 2; i++) {
    VidaError error;
    VidaSystem* s = new_system(2);
    VidaExpression p[2];
    const int particle = add_particle(s, "bead");
    REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
    const VidaExpression r2 = apply(s, "+", square(s, p[0]), square(s, p[1]));
    const VidaCurveContact circle = {
        .name = "circle",
        .ends = {VidaEnd_Ground(3.0, 0.0, 0.0), VidaEnd_Particle(particle)},
        .formula = apply(s, "-", number(s, 1.0), r2)};
    REQUIRE_OK(VidaSystem_AddCurveContact(s, &circle, NULL, &error), &error);
    const double q[2] = {3.0, places[i]}, v[2] = {1.0, 0.0};
    const Values at = evaluate(s, q, v);
    EXPECT(at.rows == 1, "%d rows", at.rows);
    EXPECT_NEAR(at.gap[0], (1.0 - places[i] * places[i]) / pow(lengths[i], 0.25), 1e-15, "gap");
    EXPECT_NEAR(at.rate[0], 0.0, 1e-15, "rate of the gap");
    VidaSystem_Destroy(&s);
  }
}

/* A sphere that is fixed in a body and turns about the x axis with 3 rad/s: its pole moves with
 * -3 along y below a particle at rest. */
static void test_surface_of_body(void) {
  VidaError error;
  VidaSystem* s = new_system(3);
  VidaExpression p[3];
  int index = -1;
  const VidaRigidBody body = {
      .name = "globe", .mass = 1.0, .inertia = {{0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}}};
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, &index, &error), &error);
  const int particle = add_particle(s, "bead");
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  const VidaExpression xy = apply(s, "+", square(s, p[0]), square(s, p[1]));
  const VidaExpression r2 = apply(s, "+", xy, square(s, p[2]));
  const VidaCurveContact globe = {
      .name = "globe",
      .ends = {VidaEnd_Body(index, 0.0, 0.0, 0.0), VidaEnd_Particle(particle)},
      .formula = apply(s, "-", r2, number(s, 1.0)),
      .friction = 0.3};
  REQUIRE_OK(VidaSystem_AddCurveContact(s, &globe, NULL, &error), &error);
  EXPECT(VidaSystem_ContactSlipCount(s, 0) == 2, "slip");
  const double q[10] = {1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0};
  const double v[10] = {0.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, -0.7};
  const Values at = evaluate(s, q, v);
  EXPECT(at.rows == 3, "%d rows", at.rows);
  EXPECT_NEAR(at.gap[0], 0.0, 1e-15, "gap");
  EXPECT_NEAR(at.rate[0], -0.7, 1e-15, "rate of the gap");
  EXPECT_NEAR(hypot(at.rate[1], at.rate[2]), 3.0, 1e-14, "slip speed");
  VidaSystem_Destroy(&s);
}

static void test_refusals(void) {
  VidaError error;
  VidaSystem* s = new_system(3);
  const VidaEnd ball = VidaEnd_Particle(add_particle(s, "ball"));
  VidaPlaneContact plane = {.name = "floor", .end = ball, .radius = 0.5, .normal = {0.0, 0.0, 1.0}};
  VidaSphereContact spheres = {.name = "balls", .ends = {ball, ball}, .radii = {0.5, 0.5}};
  plane.radius = -1.0;
  EXPECT_ERROR(VidaSystem_AddPlaneContact(s, &plane, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "contact 'floor': radius");
  plane.radius = 0.5;
  plane.normal[2] = 2.0;
  EXPECT_ERROR(VidaSystem_AddPlaneContact(s, &plane, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "normal");
  plane.normal[2] = 1.0;
  plane.end = VidaEnd_Ground(0.0, 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddPlaneContact(s, &plane, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "at least one must move");
  EXPECT_ERROR(VidaSystem_AddSphereContact(s, &spheres, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "both ends are on 'ball'");
  spheres.ends[1] = VidaEnd_Ground(0.0, 0.0, 0.0);
  spheres.radii[0] = spheres.radii[1] = 0.0;
  EXPECT_ERROR(VidaSystem_AddSphereContact(s, &spheres, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "two points");
  spheres.radii[0] = 0.5;
  VidaExpression p[3];
  REQUIRE_OK(VidaSystem_CurvePoint(s, p, &error), &error);
  VidaCurveContact bowl = {
      .name = "bowl", .ends = {VidaEnd_Ground(0.0, 0.0, 0.0), ball}, .formula = number(s, 1.0)};
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "does not depend on it");
  bowl.formula = apply(s, "+", p[0], rate(s, 0));
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "depends on a rate");
  bowl.formula = 1 << 28;
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "contact 'bowl': formula: this expression does not belong");
  bowl.formula = p[0];
  bowl.ends[0] = ball;
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "both ends are on 'ball'");
  bowl.ends[1] = VidaEnd_Ground(0.0, 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'ball' has no such orientation");
  bowl.restitution = 2.0;
  EXPECT_ERROR(VidaSystem_AddCurveContact(s, &bowl, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "contact 'bowl': restitution");
  EXPECT(VidaSystem_ContactCount(s) == 0, "%d contacts", VidaSystem_ContactCount(s));
  REQUIRE_OK(VidaSystem_AddSphereContact(s, &spheres, NULL, &error), &error);
  EXPECT_ERROR(VidaSystem_AddSphereContact(s, &spheres, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "two contacts named 'balls'");
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"particle and plane", test_particle_and_plane},
                                    {"discs", test_discs},
                                    {"rolling ball", test_rolling_ball},
                                    {"parabola", test_parabola},
                                    {"circle", test_circle},
                                    {"surface of a body", test_surface_of_body},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("contact shapes", tests);
}
