/* del-chart: the discrete Euler-Lagrange equations in coordinates of the constraint manifold. */
#include <math.h>
#include <string.h>
#include <vida/expression.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"

/* ---- charts of the tests -------------------------------------------------------------------- */

static VidaExpression add_coordinate(VidaSystem* system, const char* name, double near) {
  VidaError error = {0};
  VidaExpression x = -1;
  REQUIRE_OK(VidaSystem_AddChartCoordinate(system, name, near, &x, &error), &error);
  return x;
}

/* phi = from + length (2 u, 2 v, u^2 + v^2 - 1) / (1 + u^2 + v^2): regular but at the zenith. With
 * `compares`, u goes through a comparison, so that phi has no discrete derivative. */
static void add_stereographic_rod(VidaSystem* system, const char* u_name, const char* v_name,
                                  double length, bool compares, const VidaExpression* from,
                                  VidaExpression* phi) {
  VidaExpression u = add_coordinate(system, u_name, 0.1);
  const VidaExpression v = add_coordinate(system, v_name, 0.1);
  if (compares) {
    const VidaExpression below = apply(system, "<", u, number(system, 1e3));
    const VidaExpression choice[3] = {below, u, number(system, 0.0)};
    VidaError error = {0};
    REQUIRE_OK(VidaSystem_Apply(system, "where", 3, choice, &u, &error), &error);
  }
  const VidaExpression square =
      apply(system, "+", apply(system, "*", u, u), apply(system, "*", v, v));
  const VidaExpression one = number(system, 1.0);
  const VidaExpression over = apply(system, "+", one, square);
  const VidaExpression e[3] = {times(system, 2.0, u), times(system, 2.0, v),
                               apply(system, "-", square, one)};
  for (int k = 0; k < 3; k++) {
    const VidaExpression along = times(system, length, apply(system, "/", e[k], over));
    phi[k] = from ? apply(system, "+", from[k], along) : along;
  }
}

static VidaSystem* stereographic_pendulum(bool compares) {
  static const int coordinates[6] = {0, 1, 2, 3, 4, 5};
  Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_open_system(&model);
  VidaExpression phi[6];
  VidaError error = {0};
  add_stereographic_rod(system, "u1", "v1", 4.0, compares, NULL, phi);
  add_stereographic_rod(system, "u2", "v2", 3.0, compares, phi, phi + 3);
  REQUIRE_OK(VidaSystem_AddChart(system, 6, coordinates, phi, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static VidaStepper* start_on(const VidaSystem* system, const char* method, double h) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  VidaOptions* options = motion_method(method, h, NULL);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

static void make_steps(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  for (long i = 0; i < steps; i++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

/* ---- Theorem 1 of Wendlandt and Marsden 1997 ------------------------------------------------- */

/* The steps of del-chart are those of del-midpoint, momenta and multipliers with them: the largest
 * differences over 10 s. */
static void compare_with_midpoint(const VidaSystem* system, double h, double tolerance) {
  const int n = VidaSystem_CoordinateCount(system);
  const int m = VidaSystem_ConstraintCount(system);
  const char* name = VidaSystem_Name(system);
  VidaStepper* chart = start_on(system, "del-chart", h);
  VidaStepper* ambient = start_on(system, "del-midpoint", h);
  VidaError error = {0};
  for (int k = 0; k < 100; k++) {
    double v[2][MODEL_COORDINATES], energy[2], t[2];
    make_steps(chart, lround(0.1 / h));
    make_steps(ambient, lround(0.1 / h));
    REQUIRE_OK(VidaStepper_Velocities(chart, v[0], &error), &error);
    REQUIRE_OK(VidaStepper_Velocities(ambient, v[1], &error), &error);
    REQUIRE_OK(VidaStepper_Energy(chart, &energy[0], NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Energy(ambient, &energy[1], NULL, &error), &error);
    const double position =
        largest_difference(n, VidaStepper_Positions(chart), VidaStepper_Positions(ambient));
    const double momentum =
        largest_difference(n, VidaStepper_Momenta(chart), VidaStepper_Momenta(ambient));
    const double force = largest_difference(m, VidaStepper_Multipliers(chart, &t[0]),
                                            VidaStepper_Multipliers(ambient, &t[1]));
    EXPECT_BELOW(position, tolerance, "%s, h = %g, t = %g: q", name, h, 0.1 * (k + 1));
    EXPECT_BELOW(largest_difference(n, v[0], v[1]), 10.0 * tolerance, "%s, h = %g: v", name, h);
    EXPECT_BELOW(momentum, 50.0 * tolerance, "%s, h = %g: p", name, h);
    EXPECT_BELOW(force, 100.0 * tolerance / h, "%s, h = %g: lambda", name, h);
    EXPECT_NEAR(energy[0], energy[1], 100.0 * tolerance, "%s, h = %g: energy", name, h);
    EXPECT(t[0] == t[1], "multipliers at %g and %g", t[0], t[1]);
  }
  VidaStepper_Destroy(&ambient);
  VidaStepper_Destroy(&chart);
}

static void test_theorem(void) {
  const Model models[] = {model_double_spherical_pendulum(), model_pendulum(2, 1.3, 0.8, 1.0, 0.5),
                          model_pendulum(3, 1.3, 0.8, 1.0, 0.5)};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    VidaSystem* system = model_system(&models[i]);
    compare_with_midpoint(system, 1e-2, 1e-12);
    compare_with_midpoint(system, 1e-3, 1e-12);
    VidaSystem_Destroy(&system);
  }
}

/* The same in other coordinates of the user's choice; without a discrete derivative of phi,
 * increments are differences, whose rounding grows like 1 / h. */
static void test_other_coordinates(void) {
  for (int compares = 0; compares < 2; compares++) {
    VidaSystem* system = stereographic_pendulum(compares);
    compare_with_midpoint(system, 1e-2, compares ? 1e-10 : 1e-12);
    compare_with_midpoint(system, 1e-3, compares ? 1e-10 : 1e-12);
    VidaSystem_Destroy(&system);
  }
}

/* By hand: for the plane pendulum |q1 - q0|^2 = 2 l^2 (1 - cos D), D = a1 - a0, so that
 *   Ld(a0,a1) = m l^2 (1 - cos D) / h + h m g l (cos a0 + cos a1) / 2
 * and eq. 4.12 is sin D1 = sin D0 - h^2 (g/l) sin a1, its start sin D0 = h w0 - h^2 (g/l) sin a0
 * / 2.
 */
static void test_recursion(void) {
  const double length = 0.8;
  const double h = 0.02;
  const double pull = h * h * MODEL_GRAVITY / length;
  const Model model = model_pendulum(2, 1.3, length, 1.0, 0.5);
  Motion motion = motion_start(&model, "del-chart", h, "auto");
  double angle = 1.0;
  double sine = h * 0.5 - 0.5 * pull * sin(angle);
  for (int k = 0; k < 500; k++) {
    angle += asin(sine);
    sine -= pull * sin(angle);
    motion_steps(&motion, 1);
    const double* q = VidaStepper_Positions(motion.stepper);
    EXPECT_NEAR(q[0], length * sin(angle), 1e-12, "x after %d steps", k + 1);
    EXPECT_NEAR(q[1], -length * cos(angle), 1e-12, "y after %d steps", k + 1);
  }
  motion_end(&motion);
}

/* Constraints that are there twice leave del-chart alone (the Newton matrix of del-midpoint is
 * singular); of least norm, the rods share the force equally. */
static void test_redundant(void) {
  const Model model = model_pendulum(3, 1.3, 0.8, 1.0, 0.5);
  Model doubled = model;
  Motion once = motion_start(&model, "del-chart", 0.01, "auto");
  VidaOptions* options = motion_method("del-chart", 0.01, NULL);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  doubled.rod[1] = doubled.rod[0];
  doubled.rod[1].name = "second rod";
  doubled.rods = 2;
  VidaSystem* system = model_system(&doubled);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, once.q0, once.v0, &error), &error);
  motion_steps(&once, 500);
  make_steps(stepper, 500);
  const double* forces = VidaStepper_Multipliers(stepper, NULL);
  EXPECT_BELOW(
      largest_difference(3, VidaStepper_Positions(stepper), VidaStepper_Positions(once.stepper)),
      1e-12, "positions");
  const double tension = VidaStepper_Multipliers(once.stepper, NULL)[0];
  EXPECT_NEAR(forces[0], 0.5 * tension, 1e-5, "the first rod");
  EXPECT_NEAR(forces[1], 0.5 * tension, 1e-5, "the second rod");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  motion_end(&once);
}

/* ---- starting ------------------------------------------------------------------------------- */

/* `near` may be the point opposite to the start, where no direction leads closer, or a pole. */
static void test_near(void) {
  for (int k = 0; k < 2; k++) {
    Model model = k ? model_double_spherical_pendulum() : model_pendulum(2, 1.0, 1.0, 2.8, 0.0);
    model.near = k ? 0.0 : 2.8 - acos(-1.0);
    Motion motion = motion_start(&model, "del-chart", 0.01, "auto");
    EXPECT_BELOW(largest_difference(motion.n, VidaStepper_Positions(motion.stepper), motion.q0),
                 1e-14, "%s", model.name);
    motion_end(&motion);
  }
}

/* A stepper can start again, far from `near` and after several turns. */
static void test_restart(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 0.5, 8.0); /* goes round */
  Motion motion = motion_start(&model, "del-chart", 0.01, "auto");
  Motion ambient = motion_start(&model, "del-midpoint", 0.01, "auto");
  VidaError error = {0};
  motion_steps(&motion, 1000);
  const State state = motion_state(&motion);
  REQUIRE_OK(VidaStepper_StartWithStep(motion.stepper, 10.0, 0.003, state.q, state.v, &error),
             &error);
  REQUIRE_OK(VidaStepper_StartWithStep(ambient.stepper, 10.0, 0.003, state.q, state.v, &error),
             &error);
  motion_steps(&motion, 100);
  motion_steps(&ambient, 100);
  EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(motion.stepper),
                                  VidaStepper_Positions(ambient.stepper)),
               1e-12, "after a second start");
  motion_end(&ambient);
  motion_end(&motion);
}

/* ---- leaving the chart ---------------------------------------------------------------------- */

/* Steps until one fails; the state stays, and is finite. */
static void expect_end(VidaStepper* stepper, int n, int code, const char* text) {
  VidaError error = {0};
  double before[MODEL_COORDINATES];
  int got = 0;
  for (int k = 0; k < 10000 && !got; k++) {
    memcpy(before, VidaStepper_Positions(stepper), (size_t)n * sizeof *before);
    got = VidaStepper_Step(stepper, &error);
  }
  EXPECT_ERROR(got, &error, code, text);
  EXPECT(!memcmp(before, VidaStepper_Positions(stepper), (size_t)n * sizeof *before),
         "the state has changed");
  EXPECT(all_finite(n, before) && all_finite(n, VidaStepper_Momenta(stepper)), "not finite");
}

/* x = u^3 has a pole at u = 0, which a free particle reaches in four steps of 1/4 from x = 1. */
static void test_pole(void) {
  const double x = 1.0;
  const double v = -1.0;
  const int coordinate = 0;
  Model model = model_free_particle(1, 2.0, &x, &v);
  VidaError error = {0};
  model.chart = MODEL_NO_CHART;
  VidaSystem* system = model_open_system(&model);
  const VidaExpression u = add_coordinate(system, "u", 0.8);
  const VidaExpression phi = apply(system, "^", u, number(system, 3.0));
  REQUIRE_OK(VidaSystem_AddChart(system, 1, &coordinate, &phi, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  VidaStepper* stepper = start_on(system, "del-chart", 0.25);
  make_steps(stepper, 3);
  EXPECT_NEAR(VidaStepper_Positions(stepper)[0], 0.25, 1e-15, "before the pole");
  const int code = VidaStepper_Step(stepper, &error);
  EXPECT(code > 0 && strstr(error.message, "'u'"), "%s: %s", Vida_CodeName(code), error.message);
  EXPECT_NEAR(VidaStepper_Positions(stepper)[0], 0.25, 1e-15, "after the failure");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* The abscissa is a chart of the lower half of a circle only; the pendulum goes over the top. */
static void test_end_of_chart(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 0.1, 8.0);
  const int coordinates[2] = {0, 1};
  VidaError error = {0};
  VidaSystem* system = model_open_system(&model);
  const VidaExpression x = add_coordinate(system, "abscissa", 0.0);
  const VidaExpression square = apply(system, "-", number(system, 1.0), apply(system, "*", x, x));
  const VidaExpression phi[2] = {x, apply(system, "-", apply(system, "sqrt", square, -1), -1)};
  REQUIRE_OK(VidaSystem_AddChart(system, 2, coordinates, phi, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  VidaStepper* stepper = start_on(system, "del-chart", 0.01);
  expect_end(stepper, 2, VIDA_NOT_FINITE, "chart");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void test_building(void) {
  const int both[2] = {0, 1};
  const int twice[2] = {1, 1};
  const int beyond[2] = {0, 2};
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  VidaSystem* system = model_open_system(&model);
  VidaError error = {0};
  VidaExpression x = 7;
  VidaExpression phi[2];
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, phi, &error), &error, VIDA_WRONG_ORDER,
               "no coordinates");
  EXPECT_ERROR(VidaSystem_AddChartCoordinate(system, "", 0.0, &x, &error), &error,
               VIDA_BAD_ARGUMENT, "needs a name");
  EXPECT_ERROR(VidaSystem_AddChartCoordinate(system, "a", (double)NAN, &x, &error), &error,
               VIDA_BAD_ARGUMENT, "'a': near");
  EXPECT(VidaSystem_ChartCoordinateCount(system) == 0, "a chart without embedding");
  const VidaExpression a = add_coordinate(system, "a", 0.5);
  EXPECT_ERROR(VidaSystem_AddChartCoordinate(system, "a", 0.0, &x, &error), &error,
               VIDA_BAD_ARGUMENT, "two chart coordinates named 'a'");
  phi[0] = apply(system, "sin", a, -1);
  phi[1] = apply(system, "-", apply(system, "cos", a, -1), -1);
  EXPECT_ERROR(VidaSystem_AddChart(system, 1, both, phi, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' is missing");
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, twice, phi, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' is given twice");
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, beyond, phi, &error), &error, VIDA_BAD_ARGUMENT,
               "no coordinate number 2");
  const VidaExpression foreign[2] = {phi[0], 1000000};
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, foreign, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' does not belong");
  VidaExpression other[2] = {phi[0], -1};
  REQUIRE_OK(VidaSystem_Position(system, 0, &other[1], &error), &error);
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, other, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' depends on the position");
  REQUIRE_OK(VidaSystem_Rate(system, 0, &other[1], &error), &error);
  other[1] = apply(system, "+", other[1], a);
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, other, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' depends on a rate");
  REQUIRE_OK(VidaSystem_Time(system, &other[1], &error), &error);
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, other, &error), &error, VIDA_BAD_ARGUMENT,
               "'bob.y' depends on the time");
  /* After every refusal, what is right is taken. */
  REQUIRE_OK(VidaSystem_AddChart(system, 2, both, phi, &error), &error);
  EXPECT(VidaSystem_ChartCoordinateCount(system) == 1 &&
             !strcmp(VidaSystem_ChartCoordinateName(system, 0), "a") &&
             !VidaSystem_ChartCoordinateName(system, 1),
         "%d chart coordinates", VidaSystem_ChartCoordinateCount(system));
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, phi, &error), &error, VIDA_WRONG_ORDER,
               "already has a chart");
  EXPECT_ERROR(VidaSystem_AddChartCoordinate(system, "b", 0.0, &x, &error), &error,
               VIDA_WRONG_ORDER, "'b' cannot be added");
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  EXPECT_ERROR(VidaSystem_AddChart(system, 2, both, phi, &error), &error, VIDA_WRONG_ORDER,
               "complete");
  VidaSystem_Destroy(&system);
}

/* What becomes of a start of del-chart on the pendulum of length 1 from the angle 0.5, q as given,
 * in a system whose embedding is phi(a, b). */
typedef void Embed(VidaSystem* system, VidaExpression a, VidaExpression b, VidaExpression* phi);

static void expect_refusal(int dimension, bool second_rod, Embed* embed, int coordinates,
                           const double* v, int code, const char* text) {
  Model model = model_pendulum(dimension, 1.0, 1.0, 0.5, 0.0);
  const int all[3] = {0, 1, 2};
  const double q[3] = {sin(0.5), dimension == 2 ? -cos(0.5) : 0.0, -cos(0.5)};
  VidaError error = {0};
  VidaExpression phi[3] = {-1, -1, -1};
  VidaExpression x[2] = {-1, -1};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method("del-chart", 0.01, NULL);
  if (second_rod) {
    model.rod[1] = model.rod[0];
    model.rod[1].name = "second rod";
    model.rods = 2;
  }
  VidaSystem* system = model_open_system(&model);
  x[0] = add_coordinate(system, "a", 0.6);
  x[1] = coordinates > 1 ? add_coordinate(system, "b", 0.1) : -1;
  embed(system, x[0], x[1], phi);
  REQUIRE_OK(VidaSystem_AddChart(system, dimension, all, phi, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  int got = VidaStepper_Create(system, options, &stepper, &error);
  got = got ? got : VidaStepper_Start(stepper, 0.0, q, v, &error);
  EXPECT_ERROR(got, &error, code, text);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void circle(VidaSystem* system, VidaExpression a, VidaExpression b, VidaExpression* phi) {
  (void)b;
  phi[0] = apply(system, "sin", a, -1);
  phi[1] = apply(system, "-", apply(system, "cos", a, -1), -1);
}

static void small_circle(VidaSystem* system, VidaExpression a, VidaExpression b,
                         VidaExpression* phi) {
  circle(system, a, b, phi);
  phi[0] = times(system, 0.9, phi[0]);
  phi[1] = times(system, 0.9, phi[1]);
}

/* On the circle at a = 0.5 only */
static void spiral(VidaSystem* system, VidaExpression a, VidaExpression b, VidaExpression* phi) {
  circle(system, a, b, phi);
  const VidaExpression factor = apply(system, "+", a, number(system, 0.5));
  phi[0] = apply(system, "*", factor, phi[0]);
  phi[1] = apply(system, "*", factor, phi[1]);
}

/* b does what a does */
static void sum(VidaSystem* system, VidaExpression a, VidaExpression b, VidaExpression* phi) {
  circle(system, apply(system, "+", a, b), -1, phi);
}

/* The plane y = 0 only */
static void plane(VidaSystem* system, VidaExpression a, VidaExpression b, VidaExpression* phi) {
  circle(system, a, b, phi);
  phi[2] = phi[1];
  phi[1] = number(system, 0.0);
}

static void test_refusals(void) {
  const double rest[3] = {0.0, 0.0, 0.0};
  const double inwards[2] = {1.0, 1.0};
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  expect_refusal(2, false, small_circle, 1, rest, VIDA_INCONSISTENT_START,
                 "does not reach the start");
  expect_refusal(2, false, spiral, 1, rest, VIDA_BAD_ARGUMENT, "does not solve constraint 'rod'");
  expect_refusal(2, false, sum, 2, rest, VIDA_STEP_SINGULAR, "is not independent of the others");
  expect_refusal(2, false, circle, 1, inwards, VIDA_INCONSISTENT_START,
                 "initial velocity of 'bob.");
  expect_refusal(3, false, plane, 1, rest, VIDA_BAD_ARGUMENT, "2 degrees of freedom");
  expect_refusal(3, true, plane, 1, rest, VIDA_BAD_ARGUMENT,
                 "2 degrees of freedom, but its chart has 1");
  /* no chart at all */
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method("del-chart", 0.01, NULL);
  model.chart = MODEL_NO_CHART;
  VidaSystem* system = model_system(&model);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               "VidaSystem_AddChart");
  VidaSystem_Destroy(&system);
  /* coordinates after the chart */
  model.chart = MODEL_CHART_SIDEWAYS;
  system = model_open_system(&model);
  model_add_chart(&model, system);
  const VidaParticle late = {.name = "late", .mass = 1.0};
  REQUIRE_OK(VidaSystem_AddParticle(system, &late, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_BAD_ARGUMENT,
               "add the chart last");
  VidaSystem_Destroy(&system);
  VidaOptions_Destroy(&options);
}

/* At a pole of its angles, the message names the one that moves nothing. */
static void test_start_at_a_pole(void) {
  Model model = model_pendulum(3, 1.0, 1.0, 0.0, 0.3); /* hanging down */
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[3], v[3];
  VidaOptions* options = motion_method("del-chart", 0.01, NULL);
  model.chart = MODEL_CHART_VERTICAL;
  model.near = 0.0;
  VidaSystem* system = model_system(&model);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, q, v, &error), &error, VIDA_STEP_SINGULAR, "'b1'");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  VidaOptions_Destroy(&options);
}

int main(void) {
  static const CheckTest tests[] = {{"Theorem 1: the steps of del-midpoint", test_theorem},
                                    {"Theorem 1: other coordinates", test_other_coordinates},
                                    {"plane pendulum by hand", test_recursion},
                                    {"redundant constraints", test_redundant},
                                    {"the search for the start", test_near},
                                    {"a second start", test_restart},
                                    {"a pole", test_pole},
                                    {"the end of a chart", test_end_of_chart},
                                    {"building", test_building},
                                    {"refusals", test_refusals},
                                    {"a start at a pole", test_start_at_a_pole},
                                    {NULL, NULL}};
  return check_main("chart", tests);
}
