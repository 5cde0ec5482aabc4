/* Compositions: their orders, what they keep, and how round-off grows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/motion.h"

enum { MOST = 16 };

static VidaStepper* make_stepper(const VidaSystem* system, const char* scheme, const char* base,
                                 double h) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  const char* const settings[] = {"scheme", scheme, "base", base, NULL};
  VidaOptions* options = motion_method("compose", h, settings);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static void start(VidaStepper* stepper) {
  VidaError error = {0};
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(VidaStepper_System(stepper), 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
}

static void step_many(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

/* Largest difference of positions and velocities from the reference after `time`. */
static double error_at(const VidaSystem* system, const char* scheme, const char* base, double h,
                       double time, const double* q, const double* v, double* multipliers,
                       const double* forces) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, scheme, base, h);
  const int n = VidaSystem_CoordinateCount(system);
  double rates[MOST];
  double largest = 0.0;
  start(stepper);
  step_many(stepper, lround(time / h));
  REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(VidaStepper_Positions(stepper)[i] - q[i]));
    largest = fmax(largest, fabs(rates[i] - v[i]));
  }
  *multipliers = 0.0;
  for (int r = 0; r < VidaSystem_ConstraintCount(system); r++) {
    *multipliers = fmax(*multipliers, fabs(VidaStepper_Multipliers(stepper, NULL)[r] - forces[r]));
  }
  VidaStepper_Destroy(&stepper);
  return largest;
}

/* The double spherical pendulum over one second, against an extrapolation of order 12 on its
 * index-1 form; steps so that the errors of the finest are well above rounding. */
static void test_orders(void) {
  static const struct {
    const char* scheme;
    int order;
    double h[2];
  } cases[] = {{"suzuki4", 4, {0.02, 0.01}},
               {"yoshida4", 4, {0.01, 0.005}},
               {"yoshida6", 6, {0.02, 0.01}},
               {"kahan-li6", 6, {0.02, 0.01}},
               {"kahan-li8", 8, {0.05, 0.025}}};
  static const char* const bases[] = {"rattle", "del-midpoint"};
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  double q[MOST], v[MOST], forces[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  model_reference(&model, 1.0, 200, q, v, forces);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (int b = 0; b < 2; b++) {
      double lambda[2];
      const double coarse =
          error_at(system, cases[c].scheme, bases[b], cases[c].h[0], 1.0, q, v, &lambda[0], forces);
      const double fine =
          error_at(system, cases[c].scheme, bases[b], cases[c].h[1], 1.0, q, v, &lambda[1], forces);
      EXPECT_NEAR(log2(coarse / fine), cases[c].order, 0.25, "%s of %s, errors %.2g and %.2g",
                  cases[c].scheme, bases[b], coarse, fine);
      EXPECT_NEAR(log2(lambda[0] / lambda[1]), cases[c].order, 0.35, "multipliers, %s of %s",
                  cases[c].scheme, bases[b]);
    }
  }
  VidaSystem_Destroy(&system);
}

/* Over 30 s the sixth order reaches 1e-9 at h = 0.01, and rounding stays far below that at the
 * smallest steps, where two-step forms have lost six digits. Errors by the step ten times smaller
 * are not available there, so both are compared with the scheme of order 8. */
static void test_long_run(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  const double time = CHECK_SANITIZED ? 3.0 : 30.0;
  VidaStepper* reference = make_stepper(system, "kahan-li8", "rattle", 0.005);
  start(reference);
  step_many(reference, lround(time / 0.005));
  static const double steps[2] = {0.01, 0.001};
  for (int k = 0; k < 2; k++) {
    double largest = 0.0;
    VidaStepper* stepper = make_stepper(system, "kahan-li6", "rattle", steps[k]);
    start(stepper);
    step_many(stepper, lround(time / steps[k]));
    for (int i = 0; i < 6; i++) {
      largest = fmax(largest,
                     fabs(VidaStepper_Positions(stepper)[i] - VidaStepper_Positions(reference)[i]));
    }
    EXPECT_BELOW(largest, k == 0 ? 1e-7 : 1e-10, "h = %g", steps[k]);
    VidaStepper_Destroy(&stepper);
  }
  VidaStepper_Destroy(&reference);
  VidaSystem_Destroy(&system);
}

static void test_refusals(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaOptions_Create("compose", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  EXPECT_ERROR(VidaOptions_SetText(options, "scheme", "yoshida8", &error), &error,
               VIDA_BAD_ARGUMENT, "yoshida");
  REQUIRE_OK(VidaOptions_SetText(options, "scheme", "kahan-li6", &error), &error);
  REQUIRE_OK(VidaOptions_SetText(options, "base", "energy-momentum", &error), &error);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               "energy-momentum does not satisfy the hidden constraints");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* On a system without constraints the compositions of energy-momentum keep the energy. */
static void test_energy(void) {
  const Model model = model_springs();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "kahan-li6", "energy-momentum", 0.02);
  double before, after;
  start(stepper);
  REQUIRE_OK(VidaStepper_Energy(stepper, &before, NULL, &error), &error);
  step_many(stepper, 2000);
  REQUIRE_OK(VidaStepper_Energy(stepper, &after, NULL, &error), &error);
  EXPECT_NEAR(after, before, 1e-12 * fabs(before), "energy after 2000 steps");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"orders", test_orders},
                                    {"long runs and round-off", test_long_run},
                                    {"energy", test_energy},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("compositions", tests);
}
