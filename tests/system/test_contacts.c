/* Contacts: their declaration, and variants of the system with some of them closed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "expr/graph.h"
#include "support/check.h"
#include "support/formula.h"
#include "system/contacts/contacts.h"
#include "system/evaluate/evaluate.h"
#include "system/fingerprint.h"

/* A bead on a wire in the plane, z = x^2 / 2, above a floor that rises with 0.1 m/s, and before a
 * wall; n = 2 and one constraint. */
static VidaSystem* new_bead(void) {
  VidaError error;
  VidaSystem* s = NULL;
  const VidaParticle bead = {.name = "bead",
                             .mass = 2.0,
                             .position = {VidaInitial_Given(1.0), VidaInitial_Given(0.5)},
                             .velocity = {VidaInitial_Given(1.0), VidaInitial_Given(1.0)}};
  REQUIRE_OK(VidaSystem_Create("bead", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bead, NULL, &error), &error);
  const VidaExpression wire =
      apply(s, "-", position(s, 1), times(s, 0.5, square(s, position(s, 0))));
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "wire", "m", wire, &error), &error);
  return s;
}

static VidaContact floor_of(VidaSystem* s) {
  return (VidaContact){.name = "floor",
                       .gap = apply(s, "-", position(s, 1), times(s, 0.1, now(s))),
                       .restitution = 0.5,
                       .friction = 0.25,
                       .slip_count = 1,
                       .slip = {apply(s, "-", rate(s, 0), number(s, 3.0))}};
}

static VidaContact wall_of(VidaSystem* s) {
  return (VidaContact){.name = "wall", .gap = apply(s, "-", number(s, 2.0), position(s, 0))};
}

static VidaSystem* new_bead_with_contacts(void) {
  VidaError error;
  VidaSystem* s = new_bead();
  const VidaContact floor = floor_of(s), wall = wall_of(s);
  int index = -1;
  REQUIRE_OK(VidaSystem_AddContact(s, &floor, &index, &error), &error);
  EXPECT(index == 0, "index %d", index);
  REQUIRE_OK(VidaSystem_AddContact(s, &wall, &index, &error), &error);
  EXPECT(index == 1, "index %d", index);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* ---- declaration ----------------------------------------------------------------------------- */

static void test_inquiry(void) {
  VidaSystem* s = new_bead_with_contacts();
  EXPECT(VidaSystem_ContactCount(s) == 2, "%d contacts", VidaSystem_ContactCount(s));
  EXPECT(VidaSystem_ConstraintCount(s) == 1, "%d rows", VidaSystem_ConstraintCount(s));
  EXPECT(VidaSystem_ContactIndex(s, "wall") == 1, "index %d", VidaSystem_ContactIndex(s, "wall"));
  EXPECT(VidaSystem_ContactIndex(s, "roof") == -1, "index %d", VidaSystem_ContactIndex(s, "roof"));
  EXPECT(strcmp(VidaSystem_ContactName(s, 0), "floor") == 0, "%s", VidaSystem_ContactName(s, 0));
  EXPECT(!VidaSystem_ContactName(s, 2), "a third contact");
  EXPECT_NEAR(VidaSystem_ContactRestitution(s, 0), 0.5, 0.0, "restitution");
  EXPECT_NEAR(VidaSystem_ContactFriction(s, 0), 0.25, 0.0, "friction");
  EXPECT(VidaSystem_ContactSlipCount(s, 0) == 1, "slip");
  EXPECT(VidaSystem_ContactSlipCount(s, 1) == 0, "slip");
  EXPECT(isnan(VidaSystem_ContactFriction(s, -1)), "friction of no contact");
  VidaSystem_Destroy(&s);
}

static void expect_refused(VidaSystem* s, VidaContact contact, const char* text) {
  VidaError error;
  EXPECT_ERROR(VidaSystem_AddContact(s, &contact, NULL, &error), &error, VIDA_BAD_ARGUMENT, text);
  EXPECT(strstr(error.message, contact.name), "does not name the contact: %s", error.message);
}

static void test_refusals(void) {
  VidaError error;
  VidaSystem* s = new_bead();
  const VidaContact good = wall_of(s);
  VidaContact bad = good;
  bad.restitution = 1.5;
  expect_refused(s, bad, "from 0 to 1, got 1.5");
  bad.restitution = (double)NAN;
  expect_refused(s, bad, "from 0 to 1");
  bad = good;
  bad.friction = -0.1;
  expect_refused(s, bad, "non-negative");
  bad.friction = (double)INFINITY;
  expect_refused(s, bad, "non-negative");
  bad.friction = 0.1;
  expect_refused(s, bad, "slip velocity");
  bad.slip_count = 3;
  expect_refused(s, bad, "at most 2");
  bad.slip_count = 1;
  bad.slip[0] = square(s, rate(s, 0));
  expect_refused(s, bad, "linear");
  bad.slip[0] = position(s, 0);
  expect_refused(s, bad, "rates");
  bad.slip[0] = 1000;
  expect_refused(s, bad, "does not belong");
  bad = good;
  bad.gap = rate(s, 0);
  expect_refused(s, bad, "depends on a rate");
  bad.gap = now(s);
  expect_refused(s, bad, "no position");
  bad.gap = -1;
  expect_refused(s, bad, "does not belong");
  bad = good;
  bad.name = "wire";
  expect_refused(s, bad, "a constraint has this name");
  EXPECT(VidaSystem_ContactCount(s) == 0, "%d contacts left", VidaSystem_ContactCount(s));
  REQUIRE_OK(VidaSystem_AddContact(s, &good, NULL, &error), &error);
  expect_refused(s, good, "two contacts");
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "wall", "m", position(s, 1), &error), &error);
  EXPECT_ERROR(VidaSystem_Complete(s, &error), &error, VIDA_BAD_ARGUMENT, "'wall'");
  VidaSystem_Destroy(&s);
}

static void test_late_addition(void) {
  VidaError error;
  VidaSystem* s = new_bead();
  const VidaContact wall = wall_of(s);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  EXPECT_ERROR(VidaSystem_AddContact(s, &wall, NULL, &error), &error, VIDA_WRONG_ORDER, "wall");
  VidaSystem_Destroy(&s);
}

static void test_elements_refuse(void) {
  VidaError error;
  VidaSystem* s = new_bead_with_contacts();
  VidaSystem* other = new_bead();
  const int coordinates[2] = {0, 1};
  EXPECT_ERROR(VidaSystem_AddElement(other, s, "copy", coordinates, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "contacts");
  VidaSystem_Destroy(&other);
  VidaSystem_Destroy(&s);
}

static void test_fingerprint(void) {
  VidaError error;
  uint64_t sum[4];
  for (int k = 0; k < 4; k++) {
    VidaSystem* s = new_bead();
    VidaContact floor = floor_of(s);
    floor.restitution = k == 2 ? 0.6 : 0.5;
    floor.friction = k == 3 ? 0.3 : 0.25;
    if (k > 0) {
      REQUIRE_OK(VidaSystem_AddContact(s, &floor, NULL, &error), &error);
    }
    REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
    REQUIRE_OK(vida__fingerprint_system(s, &sum[k], &error), &error);
    for (int i = 0; i < k; i++) {
      EXPECT(sum[i] != sum[k], "systems %d and %d are the same", i, k);
    }
    VidaSystem_Destroy(&s);
  }
}

/* ---- variants -------------------------------------------------------------------------------- */

static VidaSystem* vary(const VidaSystem* s, int floor, int wall, int first_row[2]) {
  VidaError error;
  VidaSystem* variant = NULL;
  const unsigned char flags[2] = {(unsigned char)floor, (unsigned char)wall};
  REQUIRE_OK(vida__variant_create(s, flags, &variant, first_row, &error), &error);
  return variant;
}

static void test_rows_of_variants(void) {
  int first[2];
  VidaSystem* s = new_bead_with_contacts();
  VidaSystem* all = vary(s, VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK, VIDA_CONTACT_NORMAL, first);
  VidaSystem* wall = vary(s, 0, VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK, first);
  EXPECT(first[0] == -1 && first[1] == 1, "rows %d, %d", first[0], first[1]);
  EXPECT(VidaSystem_ConstraintCount(wall) == 2, "%d rows", VidaSystem_ConstraintCount(wall));
  EXPECT(strcmp(VidaSystem_ConstraintName(wall, 1), "wall") == 0, "another name");
  EXPECT(!wall->nonholonomic && !wall->time_dependent, "the floor is there");
  static const char* const names[4] = {"wire", "floor: gap", "floor: slip", "wall"};
  for (int r = 0; r < 4; r++) {
    EXPECT(strcmp(VidaSystem_ConstraintName(all, r), names[r]) == 0, "row %d: %s", r,
           VidaSystem_ConstraintName(all, r));
  }
  EXPECT(all->nonholonomic && all->time_dependent && all->complete, "kinds of rows");
  EXPECT(VidaSystem_ContactCount(all) == 0, "a variant has contacts");
  EXPECT(all->rows[3].alike == 0 && all->rows[2].alike == 2, "units");

  /* By hand at t = 2, q = (1, 0.5), v = (1, 4): gaps 0.5 - 0.2 and 2 - 1, slip 1 - 3. */
  VidaError error;
  vida_evaluator evaluator;
  const double q[2] = {1.0, 0.5}, v[2] = {1.0, 4.0};
  double g[4], rate[4], bias[4], dense[4][2] = {{0}};
  REQUIRE_OK(vida__evaluator_create(all, &evaluator, &error), &error);
  double* entries = calloc((size_t)all->entry_count, sizeof *entries);
  EXPECT(vida__constraints(&evaluator, 2.0, q, NULL, g) == 0, "gaps");
  EXPECT(vida__constraint_rate(&evaluator, 2.0, q, rate) == 0, "rates");
  EXPECT(vida__constraint_bias(&evaluator, 2.0, q, v, bias) == 0, "bias");
  EXPECT(vida__jacobian(&evaluator, 2.0, q, entries) == 0, "Jacobian");
  for (int e = 0; e < all->entry_count; e++) {
    dense[all->entries[e].row][all->entries[e].coordinate] += entries[e];
  }
  EXPECT_NEAR(g[1], 0.3, 1e-15, "gap of the floor");
  EXPECT_NEAR(g[3], 1.0, 1e-15, "gap of the wall");
  EXPECT_NEAR(rate[1], -0.1, 1e-15, "rate of the floor");
  EXPECT_NEAR(rate[2], -3.0, 1e-15, "speed of the belt");
  EXPECT_NEAR(bias[0], -1.0, 1e-15, "bias of the wire"); /* -v_x^2 */
  EXPECT_NEAR(bias[3], 0.0, 0.0, "bias of the wall");
  const double expected[4][2] = {{-1.0, 1.0}, {0.0, 1.0}, {1.0, 0.0}, {-1.0, 0.0}};
  for (int r = 0; r < 4; r++) {
    EXPECT_NEAR(dense[r][0], expected[r][0], 1e-15, "row %d", r);
    EXPECT_NEAR(dense[r][1], expected[r][1], 1e-15, "row %d", r);
  }
  free(entries);
  vida__evaluator_destroy(&evaluator);
  VidaSystem_Destroy(&wall);
  VidaSystem_Destroy(&all);
  VidaSystem_Destroy(&s);
}

/* Moves for 0.2 s with `method`. */
static void run(const VidaSystem* s, const char* method, double q[2]) {
  VidaError error;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double v[2];
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(stepper, 20, NULL, &error), &error);
  memcpy(q, VidaStepper_Positions(stepper), 2 * sizeof *q);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
}

/* A variant without contacts moves as a system without contacts does, bit by bit. */
static void test_motion_of_open_variant(void) {
  static const char* const methods[2] = {"rattle", "ida-ggl"};
  VidaError error;
  VidaSystem* s = new_bead_with_contacts();
  VidaSystem* open = vary(s, 0, 0, NULL);
  VidaSystem* plain = new_bead();
  REQUIRE_OK(VidaSystem_Complete(plain, &error), &error);
  for (int k = 0; k < 2; k++) {
    double q[2], expected[2];
    run(plain, methods[k], expected);
    run(open, methods[k], q);
    EXPECT(memcmp(q, expected, sizeof q) == 0, "%s: x = %.17g, not %.17g", methods[k], q[0],
           expected[0]);
  }
  VidaSystem_Destroy(&plain);
  VidaSystem_Destroy(&open);
  VidaSystem_Destroy(&s);
}

/* A mass point that sticks to the belt of a floor at rest, z = 0, moves with 3 m/s along it,
 * whatever pulls at it. */
static void test_motion_of_closed_variant(void) {
  VidaError error;
  VidaSystem *s = NULL, *closed = NULL;
  const VidaParticle point = {.name = "point",
                              .mass = 2.0,
                              .position = {VidaInitial_Given(1.0), VidaInitial_Given(0.0)},
                              .velocity = {VidaInitial_Given(3.0), VidaInitial_Given(0.0)}};
  const double g[2] = {2.0, -9.81};
  const unsigned char flags = VIDA_CONTACT_NORMAL | VIDA_CONTACT_STICK;
  REQUIRE_OK(VidaSystem_Create("belt", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &point, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, g, &error), &error);
  VidaContact floor = floor_of(s);
  floor.gap = position(s, 1);
  REQUIRE_OK(VidaSystem_AddContact(s, &floor, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(vida__variant_create(s, &flags, &closed, NULL, &error), &error);
  double q[2];
  run(closed, "ida-index2", q);
  EXPECT_NEAR(q[0], 1.6, 1e-10, "x");
  EXPECT_NEAR(q[1], 0.0, 1e-10, "z");
  VidaSystem_Destroy(&closed);
  VidaSystem_Destroy(&s);
}

/* A block on a floor with friction mu N, N being minus the multiplier of the floor: it is zero
 * where the contact is open, and belongs to the row of the contact where it is closed, wherever
 * that is. */
static void test_reaction(void) {
  VidaError error;
  VidaSystem *s = NULL, *open = NULL, *closed = NULL;
  const double mu = 0.3, mass = 2.0, g = 9.81;
  const double q[2] = {0.5, 0.0}, v[2] = {1.0, 0.0}, gravity[2] = {0.0, -g};
  double a[2], lambda[2] = {0.0, 0.0};
  const VidaParticle block = {.name = "block", .mass = mass};
  REQUIRE_OK(VidaSystem_Create("block", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &block, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, gravity, &error), &error);
  const VidaContact wall = {.name = "wall", .gap = position(s, 0)};
  const VidaContact floor = {.name = "floor", .gap = position(s, 1)};
  REQUIRE_OK(VidaSystem_AddContact(s, &wall, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddContact(s, &floor, NULL, &error), &error);
  int number = -1, again = -1, along = 0, first_row[2];
  REQUIRE_OK(vida__contact_multiplier(s, 1, &number, &error), &error);
  REQUIRE_OK(vida__contact_multiplier(s, 1, &again, &error), &error);
  EXPECT(number == again, "%d and %d", number, again);
  const int reaction = vida__graph_input(s->graph, VIDA_INPUT_MULTIPLIER, number);
  const VidaExpression friction = times(s, mu, reaction);
  REQUIRE_OK(VidaSystem_AddExpressionForce(s, "friction", 1, &along, &friction, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(vida__variant_create(s, (const unsigned char[]){0, 0}, &open, first_row, &error),
             &error);
  REQUIRE_OK(VidaSystem_Accelerations(open, 0.0, q, v, a, lambda, &error), &error);
  EXPECT_NEAR(a[0], 0.0, 1e-15, "free");
  EXPECT_NEAR(a[1], -g, 1e-15, "free");
  REQUIRE_OK(vida__variant_create(s, (const unsigned char[]){0, VIDA_CONTACT_NORMAL}, &closed,
                                  first_row, &error),
             &error);
  EXPECT(first_row[1] == 0, "row %d", first_row[1]);
  REQUIRE_OK(VidaSystem_Accelerations(closed, 0.0, q, v, a, lambda, &error), &error);
  EXPECT_NEAR(a[0], -mu * g, 1e-14, "slides");
  EXPECT_NEAR(a[1], 0.0, 1e-14, "slides");
  EXPECT_NEAR(lambda[0], -mass * g, 1e-13, "slides");
  VidaSystem_Destroy(&closed);
  /* With the wall, that holds x, the floor has the second row. */
  REQUIRE_OK(
      vida__variant_create(s, (const unsigned char[]){VIDA_CONTACT_NORMAL, VIDA_CONTACT_NORMAL},
                           &closed, first_row, &error),
      &error);
  EXPECT(first_row[1] == 1, "row %d", first_row[1]);
  REQUIRE_OK(VidaSystem_Accelerations(closed, 0.0, q, v, a, lambda, &error), &error);
  EXPECT_NEAR(lambda[0], -mu * mass * g, 1e-13, "held");
  EXPECT_NEAR(lambda[1], -mass * g, 1e-13, "held");
  VidaSystem_Destroy(&closed);
  VidaSystem_Destroy(&open);
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"inquiry", test_inquiry},
                                    {"refusals", test_refusals},
                                    {"late addition", test_late_addition},
                                    {"elements refuse", test_elements_refuse},
                                    {"fingerprint", test_fingerprint},
                                    {"rows of variants", test_rows_of_variants},
                                    {"motion of an open variant", test_motion_of_open_variant},
                                    {"motion of a closed variant", test_motion_of_closed_variant},
                                    {"multiplier in a force", test_reaction},
                                    {NULL, NULL}};
  return check_main("contacts", tests);
}
