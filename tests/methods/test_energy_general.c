/* energy-momentum beyond constant masses: mass matrices M(q), gyroscopic terms, driven constraints.
 *
 * Long runs take 10^5 steps, or as many as VIDA_TEST_STEPS says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"

/* ---- expressions ----------------------------------------------------------------------------- */

static VidaExpression product(VidaSystem* s, VidaExpression a, VidaExpression b) {
  return apply(s, "*", a, b);
}

static VidaExpression sum(VidaSystem* s, VidaExpression a, VidaExpression b) {
  return apply(s, "+", a, b);
}

static VidaExpression difference(VidaSystem* s, VidaExpression a, VidaExpression b) {
  return apply(s, "-", a, b);
}

static VidaSystem* make_system(const char* name, int count, const char* const* names,
                               const double* q, const double* v) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  REQUIRE_OK(VidaSystem_Create(name, 2, &s, &error), &error);
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(s, names[i], "", VidaInitial_Given(q[i]),
                                        VidaInitial_Given(v[i]), NULL, &error),
               &error);
  }
  return s;
}

static void add_lagrangian(VidaSystem* s, const char* name, VidaExpression l) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, name, l, &error), &error);
}

static void add_constraint(VidaSystem* s, const char* name, VidaExpression g) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, name, "", g, &error), &error);
}

static void complete(VidaSystem* s) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
}

/* ---- running --------------------------------------------------------------------------------- */

enum { MOST = 4, LEVELS = 5 };

static VidaStepper* start(const VidaSystem* s, double h) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  VidaOptions* options = motion_method("energy-momentum", h, NULL);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static void make_steps(VidaStepper* stepper, long count) {
  VidaError error = {0};
  int code = VIDA_SUCCESS;
  for (long k = 0; k < count && !code; k++) {
    code = VidaStepper_Step(stepper, &error);
  }
  REQUIRE_OK(code, &error);
}

static double energy_of(VidaStepper* stepper) {
  VidaError error = {0};
  double energy = NAN;
  REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
  return energy;
}

static double constraint_of(VidaStepper* stepper) {
  VidaError error = {0};
  double g = NAN;
  REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &g, NULL, &error), &error);
  return g;
}

static long long_run(void) {
  const char* text = getenv("VIDA_TEST_STEPS");
  return CHECK_SANITIZED ? 2000 : text ? atol(text) : 100000;
}

/* What is off at t = 1 with h = 1/16, 1/32, ... falls with order 2. */
static void check_order(const VidaSystem* s, void (*exact)(double t, double* q, double* v)) {
  const int n = VidaSystem_CoordinateCount(s);
  double q_off[LEVELS] = {0.0};
  double v_off[LEVELS] = {0.0};
  for (int level = 0; level < LEVELS; level++) {
    const long steps = 16L << level;
    VidaStepper* stepper = start(s, 1.0 / (double)steps);
    VidaError error = {0};
    double q[MOST], v[MOST], told[MOST];
    make_steps(stepper, steps);
    REQUIRE_OK(VidaStepper_Velocities(stepper, told, &error), &error);
    exact(1.0, q, v);
    for (int i = 0; i < n; i++) {
      q_off[level] = fmax(q_off[level], fabs(VidaStepper_Positions(stepper)[i] - q[i]));
      v_off[level] = fmax(v_off[level], fabs(told[i] - v[i]));
    }
    VidaStepper_Destroy(&stepper);
  }
  EXPECT_NEAR(log2(q_off[0] / q_off[LEVELS - 1]) / (LEVELS - 1), 2.0, 0.1, "%s: q off by %g to %g",
              VidaSystem_Name(s), q_off[0], q_off[LEVELS - 1]);
  EXPECT_NEAR(log2(v_off[0] / v_off[LEVELS - 1]) / (LEVELS - 1), 2.0, 0.1, "%s: v off by %g to %g",
              VidaSystem_Name(s), v_off[0], v_off[LEVELS - 1]);
}

/* ---- polar coordinates ----------------------------------------------------------------------- */

static const char* const polar_names[] = {"r", "phi"};

/* (r'^2 + r^2 phi'^2) / 2 */
static VidaExpression polar_kinetic(VidaSystem* s) {
  const VidaExpression turn = product(s, position(s, 0), rate(s, 1));
  return times(s, 0.5, sum(s, square(s, rate(s, 0)), square(s, turn)));
}

/* A straight line in the plane: (1 - 0.4 t, 0.2 + 0.9 t). */
static void exact_line(double t, double* q, double* v) {
  const double x = 1.0 - 0.4 * t;
  const double y = 0.2 + 0.9 * t;
  q[0] = hypot(x, y);
  q[1] = atan2(y, x);
  v[0] = (-0.4 * x + 0.9 * y) / q[0];
  v[1] = (0.9 * x + 0.4 * y) / (q[0] * q[0]);
}

static void test_line(void) {
  double q[2], v[2];
  exact_line(0.0, q, v);
  VidaSystem* s = make_system("free in polar coordinates", 2, polar_names, q, v);
  add_lagrangian(s, "kinetic", polar_kinetic(s));
  complete(s);
  check_order(s, exact_line);
  VidaStepper* stepper = start(s, 0.25);
  make_steps(stepper, 40);
  /* by hand, from the start */
  EXPECT_NEAR(energy_of(stepper), 0.5 * (0.16 + 0.81), 1e-15, "energy");
  EXPECT_NEAR(VidaStepper_Momenta(stepper)[1], 0.9 + 0.4 * 0.2, 1e-15, "angular momentum");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* On a spring in a magnetic field, L = T + b r^2 phi' / 2 - k (r - l)^2 / 2: energy, and the
 * momentum r^2 phi' + b r^2 / 2 of the cyclic angle. */
static void test_long_run(void) {
  const double q0[2] = {1.2, 0.3};
  const double v0[2] = {-0.4, 0.9};
  const double field = 1.7;
  VidaSystem* s = make_system("spring in a magnetic field", 2, polar_names, q0, v0);
  const VidaExpression stretch = difference(s, position(s, 0), number(s, 0.8));
  const VidaExpression field_term =
      times(s, 0.5 * field, product(s, square(s, position(s, 0)), rate(s, 1)));
  add_lagrangian(s, "kinetic", polar_kinetic(s));
  add_lagrangian(s, "field", field_term);
  add_lagrangian(s, "spring", times(s, -0.5 * 30.0, square(s, stretch)));
  complete(s);
  VidaStepper* stepper = start(s, 0.05);
  const double energy = 0.5 * (0.16 + 1.44 * 0.81) + 15.0 * 0.16;
  const double momentum = 1.44 * 0.9 + 0.5 * field * 1.44;
  double energy_off = 0.0;
  double momentum_off = 0.0;
  for (long k = long_run(); k > 0; k--) {
    make_steps(stepper, 1);
    energy_off = fmax(energy_off, fabs(energy_of(stepper) / energy - 1.0));
    momentum_off = fmax(momentum_off, fabs(VidaStepper_Momenta(stepper)[1] / momentum - 1.0));
  }
  EXPECT_BELOW(energy_off, 1e-12, "energy");
  EXPECT_BELOW(momentum_off, 1e-12, "momentum of phi");
  /* The energy is that of the positions and velocities that are told. */
  VidaError error = {0};
  const double* q = VidaStepper_Positions(stepper);
  double v[2];
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  EXPECT_NEAR(0.5 * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) + 15.0 * pow(q[0] - 0.8, 2), energy,
              1e-12 * energy, "energy by hand");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* On the straight wire r cos(phi) = 1 without a force: y = r sin(phi) = 0.2 + 0.9 t. */
static void exact_wire(double t, double* q, double* v) {
  const double y = 0.2 + 0.9 * t;
  q[0] = hypot(1.0, y);
  q[1] = atan(y);
  v[0] = 0.9 * y / q[0];
  v[1] = 0.9 / (q[0] * q[0]);
}

static void test_constraint(void) {
  double q[2], v[2];
  exact_wire(0.0, q, v);
  VidaSystem* s = make_system("bead in polar coordinates", 2, polar_names, q, v);
  const VidaExpression x = product(s, position(s, 0), apply(s, "cos", position(s, 1), -1));
  add_lagrangian(s, "kinetic", polar_kinetic(s));
  add_constraint(s, "wire", difference(s, x, number(s, 1.0)));
  complete(s);
  check_order(s, exact_wire);
  VidaStepper* stepper = start(s, 0.1);
  for (int k = 0; k < 100; k++) {
    make_steps(stepper, 1);
    EXPECT_NEAR(energy_of(stepper), 0.5 * 0.81, 1e-14, "energy, step %d", k);
    EXPECT_BELOW(constraint_of(stepper), 1e-14, "wire, step %d", k);
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* A damper -c r' beside M(q) takes h c ((r1 - r0)/h)^2 in each step. */
static void test_damper(void) {
  const double q0[2] = {1.2, 0.3};
  const double v0[2] = {-0.4, 0.9};
  const double h = 0.05;
  const double c = 0.3;
  VidaError error = {0};
  VidaSystem* s = make_system("damped in polar coordinates", 2, polar_names, q0, v0);
  const VidaExpression stretch = difference(s, position(s, 0), number(s, 0.8));
  add_lagrangian(s, "kinetic", polar_kinetic(s));
  add_lagrangian(s, "spring", times(s, -0.5 * 30.0, square(s, stretch)));
  REQUIRE_OK(VidaSystem_AddExpressionRayleigh(s, "damper", times(s, 0.5 * c, square(s, rate(s, 0))),
                                              &error),
             &error);
  complete(s);
  VidaStepper* stepper = start(s, h);
  const double first = energy_of(stepper);
  for (int k = 0; k < 400; k++) {
    const double r0 = VidaStepper_Positions(stepper)[0];
    const double before = energy_of(stepper);
    make_steps(stepper, 1);
    const double w = (VidaStepper_Positions(stepper)[0] - r0) / h;
    EXPECT_NEAR(energy_of(stepper) - before, -h * c * w * w, 1e-14 * first, "work of step %d", k);
  }
  EXPECT(energy_of(stepper) < 0.5 * first, "%g of %g is left", energy_of(stepper), first);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* ---- a charge in a homogeneous field --------------------------------------------------------- */

/* L = |v|^2 / 2 + b (x y' - y x') / 2: velocities turn with -b. */
#define FIELD 2.3
static void exact_charge(double t, double* q, double* v) {
  const double c = cos(FIELD * t);
  const double sine = sin(FIELD * t);
  v[0] = 0.7 * c + 0.4 * sine;
  v[1] = -0.7 * sine + 0.4 * c;
  q[0] = 0.3 + (0.7 * sine + 0.4 * (1.0 - c)) / FIELD;
  q[1] = -0.1 + (0.7 * (c - 1.0) + 0.4 * sine) / FIELD;
}

static void test_charge(void) {
  static const char* const names[] = {"x", "y"};
  double q[2], v[2];
  exact_charge(0.0, q, v);
  VidaSystem* s = make_system("charge", 2, names, q, v);
  const VidaExpression speed = sum(s, square(s, rate(s, 0)), square(s, rate(s, 1)));
  const VidaExpression turn =
      difference(s, product(s, position(s, 0), rate(s, 1)), product(s, position(s, 1), rate(s, 0)));
  add_lagrangian(s, "kinetic", times(s, 0.5, speed));
  add_lagrangian(s, "field", times(s, 0.5 * FIELD, turn));
  complete(s);
  check_order(s, exact_charge);
  VidaStepper* stepper = start(s, 0.1);
  const double* p = VidaStepper_Momenta(stepper);
  const double* x = VidaStepper_Positions(stepper);
  const double momentum = x[0] * p[1] - x[1] * p[0];
  for (int k = 0; k < 1000; k++) {
    make_steps(stepper, 1);
    EXPECT_NEAR(energy_of(stepper), 0.5 * (0.49 + 0.16), 1e-14, "energy, step %d", k);
    EXPECT_NEAR(x[0] * p[1] - x[1] * p[0], momentum, 1e-14, "angular momentum, step %d", k);
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* ---- a driven pendulum ----------------------------------------------------------------------- */

static double support(double t) {
  return 0.3 * sin(5.0 * t);
}

/* g(q,t) = (|q - (support, 0)|^2 - 1) / 2 */
static double rod(double t, const double* q) {
  const double x = q[0] - support(t);
  return 0.5 * (x * x + q[1] * q[1] - 1.0);
}

static void test_drive(void) {
  static const char* const names[] = {"x", "y"};
  const double q0[2] = {0.6, -0.8};
  const double v0[2] = {1.5, 0.0}; /* with the support, which starts with 1.5 m/s */
  const double h = 0.02;
  VidaError error = {0};
  VidaExpression t = -1;
  VidaSystem* s = make_system("driven pendulum", 2, names, q0, v0);
  REQUIRE_OK(VidaSystem_Time(s, &t, &error), &error);
  const VidaExpression moved = times(s, 0.3, apply(s, "sin", times(s, 5.0, t), -1));
  const VidaExpression dx = difference(s, position(s, 0), moved);
  const VidaExpression length = sum(s, square(s, dx), square(s, position(s, 1)));
  add_lagrangian(s, "kinetic", times(s, 0.5, sum(s, square(s, rate(s, 0)), square(s, rate(s, 1)))));
  add_lagrangian(s, "weight", times(s, -9.81, position(s, 1)));
  add_constraint(s, "rod", times(s, 0.5, difference(s, length, number(s, 1.0))));
  complete(s);
  VidaStepper* stepper = start(s, h);
  double before = energy_of(stepper);
  double largest = 0.0;
  for (int k = 0; k < 500; k++) {
    double q[2], middle;
    memcpy(q, VidaStepper_Positions(stepper), sizeof q);
    make_steps(stepper, 1);
    const double* q1 = VidaStepper_Positions(stepper);
    const double lambda = VidaStepper_Multipliers(stepper, &middle)[0];
    EXPECT_NEAR(middle, (k + 0.5) * h, 1e-13, "time of the multiplier");
    /* what time alone makes of g, at q up to the middle and at q1 from there */
    const double driven = rod(middle, q) - rod(k * h, q) + rod((k + 1) * h, q1) - rod(middle, q1);
    const double after = energy_of(stepper);
    EXPECT_NEAR(after - before, lambda * driven, 2e-13, "work of the drive in step %d", k);
    EXPECT_BELOW(rod((k + 1) * h, q1), 1e-14, "rod, step %d", k);
    largest = fmax(largest, fabs(after - before));
    before = after;
  }
  EXPECT(largest > 0.01, "the drive's work is at most %g", largest);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* L = -sqrt(1 - v^2) is not quadratic in the rate. */
static void test_refusal(void) {
  static const char* const names[] = {"x"};
  const double q0[1] = {0.0};
  const double v0[1] = {0.5};
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaSystem* s = make_system("fast", 1, names, q0, v0);
  const VidaExpression inside = difference(s, number(s, 1.0), square(s, rate(s, 0)));
  add_lagrangian(s, "relativistic", times(s, -1.0, apply(s, "sqrt", inside, -1)));
  complete(s);
  VidaOptions* options = motion_method("energy-momentum", 0.01, NULL);
  EXPECT_ERROR(VidaStepper_Create(s, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               "'relativistic' of system 'fast'");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {
      {"a straight line", test_line},       {"a long run", test_long_run},
      {"a constraint", test_constraint},    {"a damper", test_damper},
      {"a charge in a field", test_charge}, {"a driven pendulum", test_drive},
      {"a refusal", test_refusal},          {NULL, NULL}};
  return check_main("energy-momentum, general", tests);
}
