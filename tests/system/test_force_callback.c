/* Generalized forces given by C functions, against the damped oscillator and pendulum. */
#include <math.h>
#include <vida/vida.h>

#include "support/check.h"

static const double mass = 2.0, length = 1.5, gravity = 9.81, damping = 0.9;

/* -c (theta' - phi') on theta, the opposite on phi. */
static int drag(double t, const double* q, const double* v, double* force, void* user_data) {
  const double* c = user_data;
  (void)t, (void)q;
  force[0] = -*c * (v[0] - v[1]);
  force[1] = *c * (v[0] - v[1]);
  return 0;
}

static int drag_jacobian(double t, const double* q, const double* v, double* f_q, double* f_v,
                         void* user_data) {
  const double* c = user_data;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < 4; i++) {
    f_q[i] = 0.0;
    f_v[i] = i == 0 || i == 3 ? -*c : *c;
  }
  return 0;
}

/* -c theta' - m g l theta */
static int spring_and_drag(double t, const double* q, const double* v, double* force,
                           void* user_data) {
  (void)t, (void)user_data;
  force[0] = -damping * v[0] - mass * gravity * length * q[0];
  return 0;
}

static int spring_and_drag_jacobian(double t, const double* q, const double* v, double* f_q,
                                    double* f_v, void* user_data) {
  (void)t, (void)q, (void)v, (void)user_data;
  f_q[0] = -mass * gravity * length;
  f_v[0] = -damping;
  return 0;
}

static int fails(double t, const double* q, const double* v, double* force, void* user_data) {
  (void)t, (void)q, (void)v, (void)user_data;
  force[0] = (double)NAN;
  return 0;
}

/* T = m l^2 theta'^2 / 2 */
static VidaSystem* new_rotor(int count) {
  static const char* const names[] = {"theta", "phi"};
  VidaError error = {0};
  VidaSystem* s = NULL;
  REQUIRE_OK(VidaSystem_Create("rotor", 2, &s, &error), &error);
  for (int i = 0; i < count; i++) {
    VidaExpression rate = -1, half = -1, square = -1, energy = -1;
    REQUIRE_OK(VidaSystem_AddCoordinate(s, names[i], "rad", VidaInitial_Given(0.8 - i),
                                        VidaInitial_Given(0.5 + 2.0 * i), NULL, &error),
               &error);
    REQUIRE_OK(VidaSystem_Rate(s, i, &rate, &error), &error);
    REQUIRE_OK(VidaSystem_Constant(s, 0.5 * mass * length * length, &half, &error), &error);
    const VidaExpression twice[2] = {rate, rate};
    REQUIRE_OK(VidaSystem_Apply(s, "*", 2, twice, &square, &error), &error);
    const VidaExpression factors[2] = {half, square};
    REQUIRE_OK(VidaSystem_Apply(s, "*", 2, factors, &energy, &error), &error);
    REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, i ? "second" : "first", energy, &error),
               &error);
  }
  return s;
}

/* Two rotors that brake each other: m l^2 theta'' = -c (theta' - phi'). */
static void test_acceleration(void) {
  VidaError error = {0};
  static const int both[2] = {0, 1};
  double c = 0.7, q[2], v[2], a[2];
  const VidaForce force = {.value = drag, .jacobian = drag_jacobian};
  VidaSystem* s = new_rotor(2);
  REQUIRE_OK(VidaSystem_AddForce(s, "drag", 2, both, &force, &c, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(s, 0.0, q, v, a, NULL, &error), &error);
  EXPECT_NEAR(a[0], 0.7 * 2.0 / (mass * length * length), 1e-15, "of the first rotor");
  EXPECT_NEAR(a[1], -a[0], 1e-15, "of the second");
  VidaSystem_Destroy(&s);
}

/* theta = exp(-d t) (theta0 cos(w t) + (theta0' + d theta0) / w sin(w t)), d = c / (2 m l^2),
 * w^2 = g / l - d^2: the pendulum with damping, linearized. */
static double damped(double t) {
  const double decay = damping / (2.0 * mass * length * length);
  const double w = sqrt(gravity / length - decay * decay);
  return exp(-decay * t) * (0.8 * cos(w * t) + (0.5 + decay * 0.8) / w * sin(w * t));
}

/* The largest error over 2 s of a method with this step. */
static double error_of(const char* method, double h, bool has_jacobian) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q[1], v[1];
  double worst = 0.0;
  static const int first[1] = {0};
  const VidaForce force = {.value = spring_and_drag,
                           .jacobian = has_jacobian ? spring_and_drag_jacobian : NULL};
  VidaSystem* s = new_rotor(1);
  REQUIRE_OK(VidaSystem_AddForce(s, "force", 1, first, &force, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  while (VidaStepper_Time(stepper) < 2.0 - h / 2.0) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    const double t = VidaStepper_Time(stepper);
    worst = fmax(worst, fabs(VidaStepper_Positions(stepper)[0] - damped(t)));
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&s);
  return worst;
}

/* All of these methods are of order 2: half the step, a quarter of the error. Their Newton matrix
 * takes the Jacobian of the force, given or by differences. */
static void test_damped_pendulum(void) {
  static const char* const methods[] = {"generalized-alpha", "energy-momentum", "del-midpoint",
                                        "implicit-midpoint"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const double coarse = error_of(methods[i], 0.01, true);
    const double fine = error_of(methods[i], 0.005, true);
    EXPECT_BELOW(coarse, 2e-3, "%s", methods[i]);
    EXPECT_NEAR(log2(coarse / fine), 2.0, 0.1, "order of %s", methods[i]);
    EXPECT_NEAR(error_of(methods[i], 0.01, false), coarse, 1e-9, "%s by differences", methods[i]);
  }
}

static void test_refusals(void) {
  VidaError error = {0};
  static const int twice[2] = {0, 0};
  static const int outside[1] = {7};
  double q[1], v[1], a[1];
  const VidaForce none = {0};
  const VidaForce bad = {.value = fails};
  VidaSystem* s = new_rotor(1);
  EXPECT_ERROR(VidaSystem_AddForce(s, "f", 1, twice, &none, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "force 'f': the function value is needed");
  EXPECT_ERROR(VidaSystem_AddForce(s, "f", 2, twice, &bad, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "coordinate 'theta' is named twice");
  EXPECT_ERROR(VidaSystem_AddForce(s, "f", 1, outside, &bad, NULL, &error), &error,
               VIDA_BAD_ARGUMENT, "there is no coordinate number 7");
  REQUIRE_OK(VidaSystem_AddForce(s, "f", 1, twice, &bad, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  EXPECT_ERROR(VidaSystem_Accelerations(s, 0.0, q, v, a, NULL, &error), &error, VIDA_NOT_FINITE,
               "'f': the force returned a value that is not finite");
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"accelerations", test_acceleration},
                                    {"a damped pendulum", test_damped_pendulum},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("forces as C functions", tests);
}
