/* Elements, parameters, forces, nonholonomic rows, observables and motions, against built-in terms
 * and closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"

enum { MOST = 64 };

/* ---- writing formulas ------------------------------------------------------------------------ */

static VidaExpression parameter_of(VidaSystem* system, const char* name, double value) {
  VidaError error = {0};
  VidaExpression result = -1;
  int index = -1;
  REQUIRE_OK(VidaSystem_AddParameter(system, name, value, &index, &error), &error);
  REQUIRE_OK(VidaSystem_ParameterExpression(system, index, &result, &error), &error);
  return result;
}

static VidaSystem* new_system(const char* name, int dimension) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  REQUIRE_OK(VidaSystem_Create(name, dimension, &system, &error), &error);
  return system;
}

static void add_coordinate(VidaSystem* system, const char* name, double q, double v) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddCoordinate(system, name, "m", VidaInitial_Given(q), VidaInitial_Given(v),
                                      NULL, &error),
             &error);
}

static void complete(VidaSystem* system) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
}

/* ---- running --------------------------------------------------------------------------------- */

static VidaStepper* start_stepper(const VidaSystem* system, const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static void step_many(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

static void run(const VidaSystem* system, const char* method, double h, long steps, double* q) {
  VidaStepper* stepper = start_stepper(system, method, h);
  step_many(stepper, steps);
  memcpy(q, VidaStepper_Positions(stepper), (size_t)VidaSystem_CoordinateCount(system) * sizeof *q);
  VidaStepper_Destroy(&stepper);
}

/* ---- elements -------------------------------------------------------------------------------- */

enum { LINKS = 21 }; /* lanes, and some that do not fill them */

static void add_particles(VidaSystem* system, double mass) {
  VidaError error = {0};
  for (int i = 0; i < LINKS; i++) {
    char name[24];
    snprintf(name, sizeof name, "p%d", i + 1);
    const VidaParticle particle = {
        .name = name,
        .mass = mass,
        .position = {VidaInitial_Given(i + 1.0), VidaInitial_Given(0.0), VidaInitial_Given(0.0)},
        .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0), VidaInitial_Given(0.1 * i)}};
    REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  }
}

/* Coordinates of two neighbours. */
static void neighbours(int i, int coordinates[6]) {
  for (int k = 0; k < 6; k++) {
    coordinates[k] = 3 * (i - 1) + k;
  }
}

static VidaExpression squared_distance(VidaSystem* element) {
  VidaExpression sum = number(element, 0.0);
  for (int k = 0; k < 3; k++) {
    sum =
        apply(element, "+", sum,
              square(element, apply(element, "-", position(element, 3 + k), position(element, k))));
  }
  return sum;
}

static VidaSystem* pair_element(const char* name) {
  VidaSystem* element = new_system(name, 3);
  static const char* const names[6] = {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"};
  for (int k = 0; k < 6; k++) {
    add_coordinate(element, names[k], 0.0, 0.0);
  }
  return element;
}

/* V = k (|d| - l)^2 / 2 */
static VidaSystem* spring_element(void) {
  VidaError error = {0};
  VidaSystem* element = pair_element("spring");
  const VidaExpression k = parameter_of(element, "k", 1.0);
  const VidaExpression l = parameter_of(element, "l", 1.0);
  const VidaExpression stretch =
      apply(element, "-", apply(element, "sqrt", squared_distance(element), -1), l);
  const VidaExpression energy =
      apply(element, "*", times(element, -0.5, k), square(element, stretch));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(element, "spring", energy, &error), &error);
  return element;
}

/* g = (|d|^2 - l^2) / (2 l) */
static VidaSystem* rod_element(void) {
  VidaError error = {0};
  VidaSystem* element = pair_element("rod");
  const VidaExpression l = parameter_of(element, "l", 1.0);
  const VidaExpression g =
      apply(element, "/", apply(element, "-", squared_distance(element), square(element, l)),
            times(element, 2.0, l));
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(element, "rod", "m", g, &error), &error);
  return element;
}

/* Particles in a row, held to each other by springs (stiffness by place) or rods. */
static VidaSystem* row_of(bool with_elements, bool rods) {
  VidaError error = {0};
  VidaSystem* system = new_system("row", 3);
  VidaSystem* element = rods ? rod_element() : spring_element();
  int coordinates[6];
  add_particles(system, 0.5);
  for (int i = 1; i < LINKS; i++) {
    char name[24];
    snprintf(name, sizeof name, "link %d", i);
    const double values[2] = {rods ? 1.0 : 10.0 + i, 0.9};
    const VidaPoint from = VidaPoint_Particle(i - 1);
    const VidaPoint to = VidaPoint_Particle(i);
    neighbours(i, coordinates);
    if (with_elements) {
      REQUIRE_OK(VidaSystem_AddElement(system, element, name, coordinates, values, NULL, &error),
                 &error);
    } else if (rods) {
      const VidaDistance distance = {name, from, to, 1.0};
      REQUIRE_OK(VidaSystem_AddDistance(system, &distance, &error), &error);
    } else {
      const VidaSpring spring = {.name = name,
                                 .from = from,
                                 .to = to,
                                 .stiffness = values[0],
                                 .length = values[1],
                                 .law = VIDA_SPRING_LINEAR};
      REQUIRE_OK(VidaSystem_AddSpring(system, &spring, &error), &error);
    }
  }
  VidaSystem_Destroy(&element); /* what it shares lives on */
  complete(system);
  return system;
}

/* The same equations by two ways: built-in kernels, whose formulas are their own, and tapes. */
static void compare_rows(bool rods, const char* method, double tolerance) {
  VidaSystem* built_in = row_of(false, rods);
  VidaSystem* written = row_of(true, rods);
  double expected[MOST], found[MOST];
  EXPECT(VidaSystem_MomentumCount(written) == 6, "%d", VidaSystem_MomentumCount(written));
  run(built_in, method, 0.01, 100, expected);
  run(written, method, 0.01, 100, found);
  for (int i = 0; i < 3 * LINKS; i++) {
    EXPECT_NEAR(found[i], expected[i], tolerance, "%s, %s, coordinate %d", method,
                rods ? "rods" : "springs", i);
  }
  VidaSystem_Destroy(&built_in);
  VidaSystem_Destroy(&written);
}

static void test_elements_against_built_in(void) {
  static const char* const methods[] = {"del-midpoint", "rattle", "energy-momentum"};
  for (int m = 0; m < 3; m++) {
    compare_rows(false, methods[m], 1e-12);
    compare_rows(true, methods[m], 1e-11);
  }
}

static void test_element_names(void) {
  VidaSystem* system = row_of(true, true);
  EXPECT(strcmp(VidaSystem_ConstraintName(system, 3), "link 4") == 0, "%s",
         VidaSystem_ConstraintName(system, 3));
  EXPECT(strcmp(VidaSystem_ConstraintUnit(system, 3), "m") == 0, "%s",
         VidaSystem_ConstraintUnit(system, 3));
  VidaSystem_Destroy(&system);
}

static void test_element_refusals(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("s", 3);
  VidaSystem* element = spring_element();
  const double values[2] = {1.0, NAN};
  const int twice[6] = {0, 1, 2, 3, 1, 5};
  const int outside[6] = {0, 1, 2, 3, 4, 99};
  const int right[6] = {0, 1, 2, 3, 4, 5};
  const int link[2] = {4, -1};
  add_particles(system, 1.0);
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "s1", outside, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "'b.z' stands for coordinate number 99");
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "s1", twice, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "'a.y' and 'b.y' both stand for coordinate 'p1.y'");
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "s1", right, values, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "spring 's1': l: expected a finite number, got nan");
  EXPECT_ERROR(VidaSystem_AddElement(system, element, "s1", right, NULL, link, &error), &error,
               VIDA_BAD_ARGUMENT, "'k' follows parameter number 4");
  EXPECT_ERROR(VidaSystem_AddElement(system, system, "s1", right, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "cannot be an element of itself");
  VidaSystem_Destroy(&element);
  VidaSystem_Destroy(&system);
}

/* A fault in one of many lanes names the instance: sqrt of a negative number at the 13th. */
static void test_element_fault(void) {
  VidaError error = {0};
  VidaSystem* element = new_system("bowl", 1);
  VidaSystem* system = new_system("faulty", 1);
  double q[MOST], v[MOST];
  add_coordinate(element, "x", 0.0, 0.0);
  const VidaExpression root = apply(element, "sqrt", position(element, 0), -1);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(element, "bowl", root, &error), &error);
  for (int i = 0; i < 20; i++) {
    char name[24];
    snprintf(name, sizeof name, "x%d", i + 1);
    const VidaParticle particle = {.name = name,
                                   .mass = 1.0,
                                   .position = {VidaInitial_Given(i == 12 ? -1.0 : 1.0)},
                                   .velocity = {VidaInitial_Given(0.0)}};
    REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddElement(system, element, name, &i, NULL, NULL, &error), &error);
  }
  complete(system);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  double a[MOST];
  EXPECT_ERROR(VidaSystem_Accelerations(system, 0.0, q, v, a, NULL, &error), &error,
               VIDA_NOT_FINITE, "'bowl' (instance 13, from 'x13.x' to 'x13.x')");
  VidaSystem_Destroy(&element);
  VidaSystem_Destroy(&system);
}

static void test_missing_callbacks(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("s", 1);
  const int first = 0;
  add_coordinate(system, "x", 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddLagrangian(system, "L", 1, &first, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "Lagrangian 'L': the functions value and gradient are needed");
  EXPECT_ERROR(VidaSystem_AddConstraint(system, "g", 1, 1, &first, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "constraint 'g': the functions value and jacobian are needed");
  VidaSystem_Destroy(&system);
}

/* C callbacks as an element: x'' = -4 x for every instance. */
static int bowl_value(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t, (void)data;
  *lagrangian = 0.5 * v[0] * v[0] - 2.0 * q[0] * q[0];
  return 0;
}

static int bowl_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                         void* data) {
  (void)t, (void)data;
  l_q[0] = -4.0 * q[0];
  l_v[0] = v[0];
  return 0;
}

static void test_callback_element(void) {
  VidaError error = {0};
  const VidaLagrangian bowl = {bowl_value, bowl_gradient, NULL};
  const int first = 0;
  VidaSystem* element = new_system("bowl", 1);
  VidaSystem* system = new_system("bowls", 1);
  double q[MOST], v[MOST], a[MOST];
  add_coordinate(element, "x", 0.0, 0.0);
  REQUIRE_OK(VidaSystem_AddLagrangian(element, "bowl", 1, &first, &bowl, NULL, &error), &error);
  for (int i = 0; i < 3; i++) {
    static const char* const names[3] = {"x", "y", "z"};
    add_coordinate(system, names[i], i + 1.0, 0.0);
    REQUIRE_OK(VidaSystem_AddElement(system, element, names[i], &i, NULL, NULL, &error), &error);
  }
  complete(system);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, NULL, &error), &error);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(a[i], -4.0 * (i + 1.0), 1e-8, "instance %d", i); /* L_vv by differences */
  }
  VidaSystem_Destroy(&element);
  VidaSystem_Destroy(&system);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void expect_acceleration(const VidaSystem* system, double expected) {
  VidaError error = {0};
  double q[MOST], v[MOST], a[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, NULL, &error), &error);
  EXPECT_NEAR(a[0], expected, 1e-14 * fabs(expected), "acceleration");
}

/* x'' = -(k / m) x at x = 2, with k and m parameters, m also of the mass matrix. */
static void test_parameters(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("oscillator", 1);
  add_coordinate(system, "x", 2.0, 0.0);
  const VidaExpression k = parameter_of(system, "k", 3.0);
  const VidaExpression m = parameter_of(system, "m", 0.5);
  const VidaExpression kinetic =
      apply(system, "*", times(system, 0.5, m), square(system, rate(system, 0)));
  const VidaExpression potential =
      apply(system, "*", times(system, 0.5, k), square(system, position(system, 0)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "oscillator",
                                                apply(system, "-", kinetic, potential), &error),
             &error);
  EXPECT_ERROR(VidaSystem_AddParameter(system, "k", 1.0, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "two parameters named 'k'");
  complete(system);
  expect_acceleration(system, -12.0);
  REQUIRE_OK(VidaSystem_SetParameter(system, VidaSystem_ParameterIndex(system, "k"), 5.0, &error),
             &error);
  REQUIRE_OK(VidaSystem_SetParameter(system, VidaSystem_ParameterIndex(system, "m"), 2.0, &error),
             &error);
  expect_acceleration(system, -5.0);
  EXPECT_ERROR(VidaSystem_SetParameter(system, 1, -1.0, &error), &error, VIDA_BAD_ARGUMENT,
               "coordinate 'x': expected a positive mass, got -1");
  EXPECT_ERROR(VidaSystem_SetParameter(system, 0, INFINITY, &error), &error, VIDA_BAD_ARGUMENT,
               "parameter 'k': value: expected a finite number, got inf");
  expect_acceleration(system, -5.0);
  VidaSystem_Destroy(&system);
}

/* An instance follows the system's parameter. */
static void test_linked_parameters(void) {
  VidaError error = {0};
  VidaSystem* element = new_system("bowl", 1);
  VidaSystem* system = new_system("linked", 1);
  const int coordinate = 0;
  const int link = 0;
  add_coordinate(element, "x", 0.0, 0.0);
  const VidaExpression k = parameter_of(element, "k", 1.0);
  const VidaExpression energy =
      apply(element, "*", times(element, -0.5, k), square(element, position(element, 0)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(element, "bowl", energy, &error), &error);
  const VidaParticle particle = {.name = "p",
                                 .mass = 1.0,
                                 .position = {VidaInitial_Given(2.0)},
                                 .velocity = {VidaInitial_Given(0.0)}};
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  parameter_of(system, "stiffness", 7.0);
  REQUIRE_OK(VidaSystem_AddElement(system, element, "b", &coordinate, NULL, &link, &error), &error);
  complete(system);
  expect_acceleration(system, -14.0);
  REQUIRE_OK(VidaSystem_SetParameter(system, 0, 0.25, &error), &error);
  expect_acceleration(system, -0.5);
  VidaSystem_Destroy(&element);
  VidaSystem_Destroy(&system);
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* m x'' = -k x - c x' + F cos(w t), m = 1, k = 4, c = 0.3, F = 0.5, w = 1.3: the steady oscillation
 * and the decaying one in closed form. */
static double driven_oscillator(double t) {
  const double k = 4.0, c = 0.3, force = 0.5, w = 1.3, x0 = 1.0, v0 = 0.0;
  const double real = k - w * w;
  const double imaginary = c * w;
  const double size = real * real + imaginary * imaginary;
  const double a = force * real / size; /* steady: a cos wt + b sin wt */
  const double b = force * imaginary / size;
  const double decay = 0.5 * c;
  const double own = sqrt(k - decay * decay);
  const double p = x0 - a;
  const double r = (v0 - w * b + decay * p) / own;
  return a * cos(w * t) + b * sin(w * t) + exp(-decay * t) * (p * cos(own * t) + r * sin(own * t));
}

static VidaSystem* driven_system(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("driven", 1);
  VidaExpression time = -1;
  const int coordinate = 0;
  add_coordinate(system, "x", 1.0, 0.0);
  const VidaExpression x = position(system, 0);
  const VidaExpression v = rate(system, 0);
  REQUIRE_OK(
      VidaSystem_AddExpressionLagrangian(system, "oscillator",
                                         apply(system, "-", times(system, 0.5, square(system, v)),
                                               times(system, 2.0, square(system, x))),
                                         &error),
      &error);
  REQUIRE_OK(VidaSystem_AddExpressionRayleigh(system, "damper",
                                              times(system, 0.15, square(system, v)), &error),
             &error);
  REQUIRE_OK(VidaSystem_Time(system, &time, &error), &error);
  const VidaExpression force =
      times(system, 0.5, apply(system, "cos", times(system, 1.3, time), -1));
  REQUIRE_OK(VidaSystem_AddExpressionForce(system, "drive", 1, &coordinate, &force, &error),
             &error);
  complete(system);
  return system;
}

static void test_forces(void) {
  static const char* const methods[] = {"del-midpoint", "rattle"};
  VidaSystem* system = driven_system();
  for (int m = 0; m < 2; m++) {
    double coarse, fine;
    run(system, methods[m], 0.02, 500, &coarse);
    run(system, methods[m], 0.01, 1000, &fine);
    const double exact = driven_oscillator(10.0);
    EXPECT_NEAR(fine, exact, 2e-4, "%s", methods[m]);
    EXPECT_NEAR((coarse - exact) / (fine - exact), 4.0, 0.15, "%s: order 2", methods[m]);
  }
  VidaSystem_Destroy(&system);
}

/* x' = -c x / m without a spring: the energy falls by the work of the damper. */
static void test_force_refusals(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("refusals", 1);
  const int outside = 3;
  add_coordinate(system, "x", 1.0, 0.0);
  const VidaExpression x = position(system, 0);
  EXPECT_ERROR(VidaSystem_AddExpressionForce(system, "f", 1, &outside, &x, &error), &error,
               VIDA_BAD_ARGUMENT, "force 'f': there is no coordinate number 3");
  EXPECT_ERROR(VidaSystem_AddExpressionForce(system, "f", 0, NULL, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "force 'f' acts on no coordinate");
  EXPECT_ERROR(VidaSystem_AddExpressionRayleigh(system, "r", x, &error), &error, VIDA_BAD_ARGUMENT,
               "dissipation 'r' depends on no rate");
  VidaSystem_Destroy(&system);
}

/* ---- nonholonomic rows ----------------------------------------------------------------------- */

/* A knife edge on an incline, Bloch, Nonholonomic Mechanics and Control, section 1.6: m = 1.25,
 * Theta = 0.13, a = g sin(alpha) = 3, omega = 2, started at rest at the origin:
 *     x = a/(2 w^2) sin^2(w t),  y = a/(2 w^2) (w t - sin(2 w t)/2),  phi = w t */
static VidaSystem* knife_edge(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("knife edge", 2);
  add_coordinate(system, "x", 0.0, 0.0);
  add_coordinate(system, "y", 0.0, 0.0);
  add_coordinate(system, "phi", 0.0, 2.0);
  const VidaExpression kinetic = apply(
      system, "+",
      times(system, 0.625,
            apply(system, "+", square(system, rate(system, 0)), square(system, rate(system, 1)))),
      times(system, 0.065, square(system, rate(system, 2))));
  const VidaExpression lagrangian =
      apply(system, "+", kinetic, times(system, 1.25 * 3.0, position(system, 0)));
  const VidaExpression row =
      apply(system, "-",
            apply(system, "*", rate(system, 0), apply(system, "sin", position(system, 2), -1)),
            apply(system, "*", rate(system, 1), apply(system, "cos", position(system, 2), -1)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "sledge", lagrangian, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(system, "blade", "m/s", row, &error), &error);
  complete(system);
  return system;
}

static void test_knife_edge(void) {
  VidaSystem* system = knife_edge();
  VidaError error = {0};
  double q[2][3];
  const double w = 2.0, t = 2.0, scale = 3.0 / (2.0 * w * w);
  const double exact[3] = {scale * sin(w * t) * sin(w * t), scale * (w * t - 0.5 * sin(2 * w * t)),
                           w * t};
  EXPECT(VidaSystem_ConstraintIsNonholonomic(system, 0), "row 0");
  run(system, "del-nonholonomic", 0.02, 100, q[0]);
  run(system, "del-nonholonomic", 0.01, 200, q[1]);
  for (int i = 0; i < 2; i++) {
    EXPECT_NEAR(q[1][i], exact[i], 1e-3, "coordinate %d", i);
    EXPECT_NEAR((q[0][i] - exact[i]) / (q[1][i] - exact[i]), 4.0, 0.2, "order 2, coordinate %d", i);
  }
  EXPECT_NEAR(q[1][2], exact[2], 1e-12, "phi");
  VidaStepper* stepper = start_stepper(system, "del-nonholonomic", 0.01);
  step_many(stepper, 100);
  double velocity, t_lambda;
  REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, NULL, &velocity, &error), &error);
  EXPECT_BELOW(velocity, 1e-14, "A v at the node");
  /* G^T lambda is on the left side here: lambda = 2 m a sin(w t) */
  const double lambda = VidaStepper_Multipliers(stepper, &t_lambda)[0];
  EXPECT_NEAR(lambda, 2.0 * 1.25 * 3.0 * sin(w * t_lambda), 2e-3, "multiplier");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* The same at t = 0.7 from the equations of motion alone. */
static void test_knife_edge_accelerations(void) {
  VidaSystem* system = knife_edge();
  VidaError error = {0};
  const double w = 2.0, t = 0.7, a = 3.0;
  const double q[3] = {0.3, 0.2, w * t};
  const double u = a / w * sin(w * t);
  const double v[3] = {u * cos(w * t), u * sin(w * t), w};
  double found[3], lambda;
  REQUIRE_OK(VidaSystem_Accelerations(system, t, q, v, found, &lambda, &error), &error);
  EXPECT_NEAR(found[0], a * cos(2.0 * w * t), 1e-13, "x''");
  EXPECT_NEAR(found[1], a * sin(2.0 * w * t), 1e-13, "y''");
  EXPECT_NEAR(found[2], 0.0, 1e-13, "phi''");
  EXPECT_NEAR(lambda, 2.0 * 1.25 * a * sin(w * t), 1e-13, "multiplier");
  VidaSystem_Destroy(&system);
}

static void test_nonholonomic_refusals(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("refusals", 2);
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  add_coordinate(system, "x", 0.0, 0.0);
  EXPECT_ERROR(VidaSystem_AddExpressionNonholonomic(system, "n", "", position(system, 0), &error),
               &error, VIDA_BAD_ARGUMENT, "'n' depends on no rate");
  EXPECT_ERROR(VidaSystem_AddExpressionNonholonomic(system, "n", "",
                                                    square(system, rate(system, 0)), &error),
               &error, VIDA_BAD_ARGUMENT, "'n' is not linear in the rates");
  VidaSystem_Destroy(&system);
  system = knife_edge();
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
  EXPECT_ERROR(
      VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
      "rattle does not accept the nonholonomic constraints of system 'knife edge'; these can: "
      "del-nonholonomic");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* ---- accelerations --------------------------------------------------------------------------- */

/* A pendulum of length 2 and mass 3 in Cartesian coordinates: at the angle p from the vertical with
 * the rate r, x'' and y'' from p'' = -(g/l) sin p and the tension m (g cos p + l r^2). */
static void test_pendulum_accelerations(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("pendulum", 2);
  const double gravity[2] = {0.0, -9.81};
  const double l = 2.0, m = 3.0, p = 0.8, r = 1.7;
  const VidaParticle bob = {
      .name = "bob",
      .mass = m,
      .position = {VidaInitial_Given(l * sin(p)), VidaInitial_Given(-l * cos(p))},
      .velocity = {VidaInitial_Given(l * r * cos(p)), VidaInitial_Given(l * r * sin(p))}};
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), l};
  double q[2], v[2], a[2], lambda;
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bob, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  complete(system);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, 0.0, q, v, a, &lambda, &error), &error);
  const double turn = -9.81 / l * sin(p);
  EXPECT_NEAR(a[0], l * (turn * cos(p) - r * r * sin(p)), 1e-13, "x''");
  EXPECT_NEAR(a[1], l * (turn * sin(p) + r * r * cos(p)), 1e-13, "y''");
  EXPECT_NEAR(lambda, m * (9.81 * cos(p) + l * r * r), 1e-12, "tension");
  VidaSystem_Destroy(&system);
}

/* A Lagrangian with everything: L = e^(t) m(q) v^2 / 2 + b(q,t) v, by its equation of motion. With
 * m = 1 + q^2 and b = q t: e^t m v' + e^t m v + e^t q v^2 + q = 0. */
/* A mass that grows: L = m(t) v^2/2 with m = 1 + sin t has m v' + m' v = 0. */
static int growing_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)q, (void)data;
  *l = 0.5 * (1.0 + sin(t)) * v[0] * v[0];
  return 0;
}

static int growing_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                            void* data) {
  (void)q, (void)data;
  l_q[0] = 0.0;
  l_v[0] = (1.0 + sin(t)) * v[0];
  return 0;
}

static void test_growing_mass(void) {
  const VidaLagrangian lagrangian = {growing_value, growing_gradient, NULL};
  const double t = 0.4, q = 0.2, v = 3.0;
  VidaSystem* system = NULL;
  VidaError error = {0};
  double a = NAN;
  int x;
  REQUIRE_OK(VidaSystem_Create("growing", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(q), VidaInitial_Given(v),
                                      &x, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "L", 1, &x, &lagrangian, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, t, &q, &v, &a, NULL, &error), &error);
  /* by differences of the gradient */
  EXPECT_NEAR(a, -cos(t) * v / (1.0 + sin(t)), 1e-7, "v'");
  VidaSystem_Destroy(&system);
}

static void test_general_accelerations(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("general", 1);
  VidaExpression time = -1;
  add_coordinate(system, "x", 0.4, 1.3);
  REQUIRE_OK(VidaSystem_Time(system, &time, &error), &error);
  const VidaExpression x = position(system, 0);
  const VidaExpression v = rate(system, 0);
  const VidaExpression mass = apply(system, "+", number(system, 1.0), square(system, x));
  const VidaExpression kinetic =
      apply(system, "*", apply(system, "exp", time, -1),
            apply(system, "*", mass, times(system, 0.5, square(system, v))));
  const VidaExpression linear = apply(system, "*", apply(system, "*", x, time), v);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "general",
                                                apply(system, "+", kinetic, linear), &error),
             &error);
  complete(system);
  const double q = 0.4, w = 1.3, t = 0.6, m = 1.0 + q * q;
  double a;
  REQUIRE_OK(VidaSystem_Accelerations(system, t, &q, &w, &a, NULL, &error), &error);
  EXPECT_NEAR(a, -(exp(t) * (m * w + q * w * w) + q) / (exp(t) * m), 1e-14, "x''");
  VidaSystem_Destroy(&system);
}

/* ---- observables and motions ----------------------------------------------------------------- */

static void test_observables(void) {
  VidaError error = {0};
  VidaSystem* system = new_system("observed", 1);
  double value[2];
  add_coordinate(system, "x", 2.0, 3.0);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(
                 system, "mass", times(system, 0.5, square(system, rate(system, 0))), &error),
             &error);
  REQUIRE_OK(
      VidaSystem_AddObservable(system, "power", "W", false,
                               apply(system, "*", position(system, 0), rate(system, 0)), &error),
      &error);
  REQUIRE_OK(VidaSystem_AddObservable(system, "speed", "m/s", true, rate(system, 0), &error),
             &error);
  EXPECT_ERROR(VidaSystem_AddObservable(system, "speed", "", true, rate(system, 0), &error), &error,
               VIDA_BAD_ARGUMENT, "two observables named 'speed'");
  complete(system);
  VidaStepper* stepper = start_stepper(system, "del-midpoint", 0.5);
  step_many(stepper, 2);
  REQUIRE_OK(VidaStepper_Observables(stepper, value, &error), &error);
  EXPECT_NEAR(value[0], 5.0 * 3.0, 1e-14, "x v after one second");
  EXPECT_NEAR(value[1], 3.0, 1e-14, "v");
  EXPECT(VidaSystem_ObservableCount(system) == 2 && VidaSystem_ObservableIsConserved(system, 1) &&
             !VidaSystem_ObservableIsConserved(system, 0) &&
             strcmp(VidaSystem_ObservableUnit(system, 0), "W") == 0,
         "what is said of them");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* A free rigid body as a unit quaternion (Wendlandt and Marsden 1997, eq. 5.3), I = diag(1,2,3),
 * body rates (0,3,4): its angular momentum in space is I times the rates at the identity. */
static VidaSystem* rigid_body(void) {
  static const char* const names[4] = {"q0", "q1", "q2", "q3"};
  static const int partner[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  static const double sign[3][4] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {-1, 1, -1, 1}};
  const double v[4] = {0.0, 0.0, 1.5, 2.0};
  const int coordinates[4] = {0, 1, 2, 3};
  VidaError error = {0};
  VidaSystem* system = new_system("body", 3);
  for (int i = 0; i < 4; i++) {
    add_coordinate(system, names[i], i == 0 ? 1.0 : 0.0, v[i]);
  }
  VidaExpression kinetic = number(system, 0.0);
  VidaExpression norm = number(system, -1.0);
  for (int k = 0; k < 3; k++) {
    /* omega_k = 2 (conj(q) qdot)_k */
    VidaExpression omega = number(system, 0.0);
    for (int i = 0; i < 4; i++) {
      omega = apply(system, "+", omega,
                    times(system, 2.0 * sign[k][i],
                          apply(system, "*", position(system, partner[k][i]), rate(system, i))));
    }
    kinetic = apply(system, "+", kinetic, times(system, 0.5 * (k + 1), square(system, omega)));
  }
  for (int i = 0; i < 4; i++) {
    norm = apply(system, "+", norm, square(system, position(system, i)));
  }
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "body", kinetic, &error), &error);
  REQUIRE_OK(
      VidaSystem_AddExpressionConstraint(system, "norm", "", times(system, 0.5, norm), &error),
      &error);
  REQUIRE_OK(VidaSystem_AddMotion(system, VIDA_MOTION_QUATERNION, coordinates, &error), &error);
  complete(system);
  return system;
}

static void test_quaternion_momentum(void) {
  VidaSystem* system = rigid_body();
  const double expected[3] = {0.0, 6.0, 12.0};
  double value[6];
  int found = 0;
  VidaStepper* stepper = start_stepper(system, "del-midpoint", 0.01);
  for (int run_on = 0; run_on < 2; run_on++) {
    VidaSystem_Momentum(system, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper),
                        value);
    for (int i = 0; i < VidaSystem_MomentumCount(system); i++) {
      const char* name = VidaSystem_MomentumName(system, i);
      if (name[0] == 'J') {
        const int axis = name[2] - 'x';
        found++;
        EXPECT_NEAR(value[i], expected[axis], 1e-12, "%s", name);
      }
    }
    step_many(stepper, 1000);
  }
  EXPECT(found == 6, "three components, twice: %d", found);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {
      {"elements do what built-in terms do", test_elements_against_built_in},
      {"rows of elements are named after the instance", test_element_names},
      {"wrong instances are refused", test_element_refusals},
      {"a fault names the instance", test_element_fault},
      {"callbacks that are not there", test_missing_callbacks},
      {"callbacks as elements", test_callback_element},
      {"parameters change without deriving anew", test_parameters},
      {"instances follow parameters", test_linked_parameters},
      {"driven and damped oscillator", test_forces},
      {"wrong forces are refused", test_force_refusals},
      {"knife edge on an incline", test_knife_edge},
      {"accelerations of the knife edge", test_knife_edge_accelerations},
      {"wrong nonholonomic rows are refused", test_nonholonomic_refusals},
      {"accelerations and tension of a pendulum", test_pendulum_accelerations},
      {"accelerations of a general Lagrangian", test_general_accelerations},
      {"growing mass", test_growing_mass},
      {"observables", test_observables},
      {"angular momentum of a quaternion is found and kept", test_quaternion_momentum},
      {NULL, NULL}};
  return check_main("elements", tests);
}
