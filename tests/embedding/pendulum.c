/* A pendulum, described by C functions and integrated with VIDA: how to use the library from a
 * program of your own. See CMakeLists.txt (find_package) and Makefile (pkg-config) beside it.
 *
 * The bob moves in a plane, at (x, y) with y upwards; the rod has no mass:
 *
 *     L(q,v) = m/2 (vx^2 + vy^2) - m g y           g(q) = (x^2 + y^2 - l^2) / (2 l) = 0
 *
 * Divided by 2 l, the constraint is the change of the rod's length to first order, and its
 * multiplier is the tension of the rod in newtons. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vida/vida.h>

/* ---- the model: what the callbacks need comes to them as user_data ----------------------------
 */

typedef struct Pendulum {
  double mass;    /* kg */
  double length;  /* m */
  double gravity; /* m/s^2 */
} Pendulum;

/* Callbacks return 0, as VIDA's own functions do; a number > 0 would mean "cannot be evaluated at
 * this state, try a smaller step", a number < 0 "stop". */
static int lagrangian_value(double t, const double* q, const double* v, double* lagrangian,
                            void* user_data) {
  const Pendulum* pendulum = user_data;
  (void)t;
  *lagrangian = 0.5 * pendulum->mass * (v[0] * v[0] + v[1] * v[1]) -
                pendulum->mass * pendulum->gravity * q[1];
  return 0;
}

static int lagrangian_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                               void* user_data) {
  const Pendulum* pendulum = user_data;
  (void)t;
  (void)q;
  l_q[0] = 0.0;
  l_q[1] = -pendulum->mass * pendulum->gravity;
  l_v[0] = pendulum->mass * v[0];
  l_v[1] = pendulum->mass * v[1];
  return 0;
}

/* Second derivatives, 2 x 2 each, row by row. They may be left out: VIDA then takes differences of
 * the gradient, which is slower and less exact. */
static int lagrangian_hessian(double t, const double* q, const double* v, double* l_qq,
                              double* l_qv, double* l_vv, void* user_data) {
  const Pendulum* pendulum = user_data;
  (void)t;
  (void)q;
  (void)v;
  for (int i = 0; i < 4; i++) {
    l_qq[i] = 0.0;
    l_qv[i] = 0.0;
    l_vv[i] = 0.0;
  }
  l_vv[0] = pendulum->mass;
  l_vv[3] = pendulum->mass;
  return 0;
}

static int rod_value(double t, const double* q, double* g, void* user_data) {
  const Pendulum* pendulum = user_data;
  const double l = pendulum->length;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - l * l) / (2.0 * l);
  return 0;
}

static int rod_jacobian(double t, const double* q, double* jacobian, void* user_data) {
  const Pendulum* pendulum = user_data;
  (void)t;
  jacobian[0] = q[0] / pendulum->length;
  jacobian[1] = q[1] / pendulum->length;
  return 0;
}

static int rod_curvature(double t, const double* q, const double* lambda, double* curvature,
                         void* user_data) {
  const Pendulum* pendulum = user_data;
  (void)t;
  (void)q;
  curvature[0] = lambda[0] / pendulum->length;
  curvature[1] = 0.0;
  curvature[2] = 0.0;
  curvature[3] = lambda[0] / pendulum->length;
  return 0;
}

/* ---- describing, starting, stepping -----------------------------------------------------------
 */

/* Builds the system. The bob is released at rest, 60 degrees from the vertical; only x is given,
 * VIDA finds y, on the lower side from the constraint. */
static int describe(Pendulum* pendulum, VidaSystem** system, VidaError* error) {
  const VidaLagrangian lagrangian = {lagrangian_value, lagrangian_gradient, lagrangian_hessian};
  const VidaConstraint rod = {
      .value = rod_value, .jacobian = rod_jacobian, .curvature = rod_curvature};
  const double angle = acos(0.5);
  int coordinates[2];
  int code;

  if ((code = VidaSystem_Create("pendulum", 2, system, error)) != 0)
    return code;
  if ((code = VidaSystem_AddCoordinate(*system, "x", "m",
                                       VidaInitial_Given(pendulum->length * sin(angle)),
                                       VidaInitial_Given(0.0), &coordinates[0], error)) != 0)
    return code;
  if ((code = VidaSystem_AddCoordinate(*system, "y", "m", VidaInitial_Free(-1.0),
                                       VidaInitial_Given(0.0), &coordinates[1], error)) != 0)
    return code;
  if ((code = VidaSystem_AddLagrangian(*system, "bob", 2, coordinates, &lagrangian, pendulum,
                                       error)) != 0)
    return code;
  if ((code = VidaSystem_AddConstraint(*system, "rod", 1, 2, coordinates, &rod, pendulum, error)) !=
      0)
    return code;
  return VidaSystem_Complete(*system, error);
}

/* Prints one line about the state that the stepper has reached. */
static int show(VidaStepper* stepper, VidaError* error) {
  const double* q = VidaStepper_Positions(stepper);
  double energy, rod_error, rod_rate;
  int code;

  if ((code = VidaStepper_Energy(stepper, &energy, NULL, error)) != 0)
    return code;
  if ((code = VidaStepper_ConstraintErrors(stepper, &rod_error, &rod_rate, error)) != 0)
    return code;
  printf("t = %5.2f s  x = %+.9f m  y = %+.9f m  energy = %.9f J  |g| = %.1e m  |G v| = %.1e m/s\n",
         VidaStepper_Time(stepper), q[0], q[1], energy, rod_error, rod_rate);
  return 0;
}

static int simulate(const VidaSystem* system, VidaOptions* options, VidaStepper** stepper,
                    VidaError* error) {
  double q[2], v[2];
  int code;

  /* Consistent initial values; NULL: the default, which refuses to move what was given. */
  if ((code = VidaSystem_Start(system, 0.0, NULL, q, v, NULL, error)) != 0)
    return code;

  if ((code = VidaOptions_SetReal(options, "h", 0.01, error)) != 0)
    return code;
  if ((code = VidaStepper_Create(system, options, stepper, error)) != 0)
    return code;
  if ((code = VidaStepper_Start(*stepper, 0.0, q, v, error)) != 0)
    return code;
  if ((code = show(*stepper, error)) != 0)
    return code;

  if ((code = VidaStepper_Steps(*stepper, 1000, NULL, error)) != 0)
    return code;
  return show(*stepper, error);
}

int main(void) {
  Pendulum pendulum = {.mass = 2.0, .length = 1.5, .gravity = 9.81};
  VidaSystem* system = NULL;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  VidaError error;
  int code;

  if ((code = describe(&pendulum, &system, &error)) == 0 &&
      (code = VidaOptions_Create("rattle", &options, &error)) == 0)
    code = simulate(system, options, &stepper, &error);
  if (code != 0)
    fprintf(stderr, "%s: %s\n", Vida_CodeName(code), error.message);

  /* In the opposite order of creation; NULL is allowed. */
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
