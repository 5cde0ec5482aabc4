/* Contacts of spheres with planes and with each other, against formulas worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
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
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("contact shapes", tests);
}
