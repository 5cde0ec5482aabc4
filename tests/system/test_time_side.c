/* Difference quotients in time near declared jumps. A quotient with n points is exact for
 * polynomials of degree n - 1, whose derivatives are known. */
#include <math.h>
#include <vida/vida.h>

#include "support/check.h"
#include "system/model/model.h"
#include "system/terms/time_side.h"

static const double jumps[] = {0.7, 0.5, 0.5004}; /* s */

static VidaSystem* new_system(void) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("jumps", 1, &system, &error), &error);
  for (size_t k = 0; k < sizeof jumps / sizeof jumps[0]; k++) {
    REQUIRE_OK(VidaSystem_AddJumpTime(system, jumps[k], &error), &error);
  }
  return system;
}

/* (t - 1/2)^degree, or its derivative. */
static double power(double t, int degree, bool derivative) {
  return derivative ? (degree > 0 ? degree * pow(t - 0.5, degree - 1) : 0.0) : pow(t - 0.5, degree);
}

static double derive(const vida_time_quotient* quotient, int degree) {
  double sum = 0.0;
  for (int k = 1; k < quotient->points; k++) {
    sum += quotient->weight[k] *
           (power(quotient->t[k], degree, false) - power(quotient->t[0], degree, false));
  }
  return sum / quotient->step;
}

/* Checks the points, which lie between `from` and `to`, and the derivative at t. */
static void expect_quotient(const vida_place* at, double t, double from, double to) {
  for (int points = 3; points <= 5; points += 2) {
    const vida_time_quotient quotient = vida__time_quotient(at, 1e-3, points);
    EXPECT(quotient.points == points && quotient.step <= 1e-3 * (1.0 + 1e-9), "step %g",
           quotient.step);
    for (int k = 0; k < points; k++) {
      EXPECT(from < quotient.t[k] && quotient.t[k] < to, "t = %.17g, %d points: point %d at %.17g",
             t, points, k, quotient.t[k]);
    }
    EXPECT(derive(&quotient, 0) == 0.0, "the derivative of a constant is %g", derive(&quotient, 0));
    for (int degree = 1; degree < points; degree++) {
      EXPECT_NEAR(derive(&quotient, degree), power(t, degree, true), 1e-11,
                  "t = %.17g, %d points, degree %d", t, points, degree);
    }
  }
}

static void test_sides(void) {
  VidaSystem* system = new_system();
  static const struct {
    double t, from, to;
  } cases[] = {{0.4, -INFINITY, 0.5},    {0.4995, -INFINITY, 0.5}, {0.5, 0.5, 0.5004},
               {0.50001, 0.5, 0.5004},   {0.5002, 0.5, 0.5004},    {0.5004, 0.5004, 0.7},
               {0.5004001, 0.5004, 0.7}, {0.6, 0.5004, 0.7},       {0.6999999, 0.5004, 0.7},
               {0.7, 0.7, INFINITY},     {0.9, 0.7, INFINITY}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const vida_place at = {.system = system, .t = cases[k].t};
    EXPECT(vida__time_inside(&at) == at.t, "a time without a segment moves");
    expect_quotient(&at, at.t, cases[k].from, cases[k].to);
  }
  VidaSystem_Destroy(&system);
}

/* At a jump, the segment of a step gives the side. It need not know the other jumps. */
static void test_segments(void) {
  VidaSystem* system = new_system();
  const vida_segment before = {-INFINITY, nextafter(0.5, 0.0), 0.4999};
  const vida_segment after = {nextafter(0.5, 1.0), INFINITY, 0.5001};
  vida_place at = {.system = system, .t = 0.5, .segment = &before};
  EXPECT(vida__time_inside(&at) < 0.5, "%.17g", vida__time_inside(&at));
  expect_quotient(&at, 0.5, -INFINITY, 0.5);
  at.segment = &after;
  EXPECT(vida__time_inside(&at) > 0.5, "%.17g", vida__time_inside(&at));
  expect_quotient(&at, 0.5, 0.5, 0.5004);
  VidaSystem_Destroy(&system);
}

/* Far from jumps quotients are central: the middle point has no weight. */
static void test_central(void) {
  VidaSystem* system = new_system();
  const vida_place at = {.system = system, .t = 0.25};
  const vida_time_quotient three = vida__time_quotient(&at, 0x1p-10, 3);
  const vida_time_quotient five = vida__time_quotient(&at, 0x1p-10, 5);
  EXPECT(three.weight[0] == -0.5 && three.weight[1] == 0.0 && three.weight[2] == 0.5, "three");
  EXPECT(five.weight[2] == 0.0 && five.t[2] == at.t && five.step == 0x1p-10, "five");
  VidaSystem_Destroy(&system);
}

/* ---- a pendulum, whose Lagrangian does not depend on time --------------------------------------
 */

static int pendulum(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t, (void)data;
  *lagrangian = 0.5 * v[0] * v[0] + 0.37 * cos(q[0]);
  return 0;
}

static int pendulum_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                             void* data) {
  (void)t, (void)data;
  l_q[0] = -0.37 * sin(q[0]);
  l_v[0] = v[0];
  return 0;
}

/* Rounding in a quotient would be a source of energy. A declared jump is one: the Lagrangian may be
 * another one after it. */
static void test_energy_sources(void) {
  const VidaLagrangian lagrangian = {pendulum, pendulum_gradient, NULL};
  for (int declared = 0; declared < 2; declared++) {
    VidaSystem* system = NULL;
    VidaError error = {0};
    int x;
    REQUIRE_OK(VidaSystem_Create("pendulum", 1, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "rad", VidaInitial_Given(1.0),
                                        VidaInitial_Given(0.3), &x, &error),
               &error);
    REQUIRE_OK(VidaSystem_AddLagrangian(system, "L", 1, &x, &lagrangian, NULL, &error), &error);
    if (declared) {
      REQUIRE_OK(VidaSystem_AddJumpTime(system, 0.5, &error), &error);
    }
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    EXPECT(vida__has_energy_sources(system) == declared, "%d declared times", declared);
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"quotients on one side of declared times", test_sides},
                                    {"quotients in a segment", test_segments},
                                    {"quotients far from jumps", test_central},
                                    {"sources of energy", test_energy_sources},
                                    {NULL, NULL}};
  return check_main("sides of jumps in time", tests);
}
