/* What eq. 26 and 29 of Lacoursiere 2007 say on a pendulum of 1 m and 1 kg, whose row is (|q|^2 -
 * 1)/2: the equations themselves, and the energy that they take or give. */
#include <math.h>
#include <stdio.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

static const double pi = 3.14159265358979323846;

/* Released on the horizontal. */
static VidaStepper* start_pendulum(const char* method, double h, const char* const* settings,
                                   VidaSystem** system) {
  const Model model = model_pendulum(2, 1.0, 1.0, 0.5 * pi, 0.0);
  VidaError error = {0};
  double q[2], v[2];
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method(method, h, settings);
  *system = model_system(&model);
  REQUIRE_OK(VidaSystem_Start(*system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(*system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* ---- eq. 26 --------------------------------------------------------------------------------- */

static double row(const double* q) {
  return 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
}

/* (q1 - 2 q0 + q_before)/h^2 = -g + G0^T lambda, e lambda + (g1 + 2 g0 + g_before)/4 + tau/h G1 (q1
 * - q0) = 0; our multipliers have the other sign. */
static void test_newton(void) {
  static const char* const settings[] = {"epsilon", "1e-5", "tau_over_h", "1.5", NULL};
  const double h = 0.02;
  VidaError error = {0};
  VidaSystem* system = NULL;
  VidaStepper* stepper = start_pendulum("spook-newton", h, settings, &system);
  double q[3][2] = {{1.0, 0.0}};
  for (int k = 1; k <= 500; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    double* next = q[k < 2 ? k : 2];
    next[0] = VidaStepper_Positions(stepper)[0];
    next[1] = VidaStepper_Positions(stepper)[1];
    if (k < 2) {
      continue;
    }
    const double lambda = -VidaStepper_Multipliers(stepper, NULL)[0];
    const double turned = next[0] * (next[0] - q[1][0]) + next[1] * (next[1] - q[1][1]);
    const double average = 0.25 * (row(next) + 2.0 * row(q[1]) + row(q[0]));
    EXPECT_NEAR(1e-5 * lambda + average + 1.5 * turned, 0.0, 1e-14, "row, step %d", k);
    for (int i = 0; i < 2; i++) {
      const double change = (next[i] - 2.0 * q[1][i] + q[0][i]) / (h * h);
      EXPECT_NEAR(change + (i ? MODEL_GRAVITY : 0.0) - q[1][i] * lambda, 0.0, 1e-10, "step %d", k);
      q[0][i] = q[1][i];
      q[1][i] = next[i];
    }
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- energy --------------------------------------------------------------------------------- */

/* A rod that turns is longer or shorter in proportion to h^2 v^2, and later than that by some
 * steps, so that its tension 3 v^2 / 2 does work. Eq. 29 and 26 say of a rigid rod, expanded in h
 * with theta = tau / h, g = h^2 ((1/4 + theta/2) v^2 - h theta^2 / 2 (v^2)') (eq. 29) g = h^2 ( -
 * theta/2 v^2 + h (theta^2 / 2 - theta / 4) (v^2)')             (eq. 26) but for higher orders, and
 * that the mean power -<3 v^2 / 2 g'> is 3/2 h^3 <((v^2)')^2> times -theta^2 / 2 and theta^2 / 2 -
 * theta / 4. The mean over a swing is that of 8 (gravity)^3 sin^2 cos over the angle from the
 * vertical, with dt = d angle / sqrt(2 gravity cos): a ratio of beta functions. */
static double power_per_step_cubed(bool newton, double theta) {
  const double of_time = sqrt(pi) * tgamma(0.25) / (2.0 * tgamma(0.75));  /* of cos^(-1/2) */
  const double of_square = 0.25 * sqrt(pi) * tgamma(0.75) / tgamma(2.25); /* of sin^2 cos^(1/2) */
  const double mean = 8.0 * pow(MODEL_GRAVITY, 3.0) * of_square / of_time;
  const double share = 0.5 * theta * theta;
  return 1.5 * mean * (newton ? share - 0.25 * theta : -share);
}

/* The energy after eight periods of 4 K / sqrt(2 gravity), when the pendulum is at rest again. */
static double energy_gained(const char* method, double theta, long steps, double* highest,
                            double* time) {
  const double period =
      4.0 * sqrt(pi) * tgamma(0.25) / (2.0 * tgamma(0.75)) / sqrt(2.0 * MODEL_GRAVITY);
  char text[32];
  const char* const settings[] = {"tau_over_h", text, NULL};
  VidaError error = {0};
  VidaSystem* system = NULL;
  double energy = 0.0;
  *time = 8.0 * period;
  *highest = -INFINITY;
  snprintf(text, sizeof text, "%g", theta);
  VidaStepper* stepper = start_pendulum(method, *time / (double)steps, settings, &system);
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
    *highest = fmax(*highest, energy);
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return energy;
}

static void test_energy(void) {
  static const double thetas[] = {1.0, 2.0, 4.0};
  for (int i = 0; i < 2 * 3; i++) {
    const bool newton = i >= 3;
    const double theta = thetas[i % 3];
    const char* method = newton ? "spook-newton" : "spook";
    const long steps = 8000;
    double highest, time;
    const double energy = energy_gained(method, theta, steps, &highest, &time);
    const double h = time / (double)steps;
    const double expected = power_per_step_cubed(newton, theta) * h * h * h * time;
    EXPECT_NEAR(energy, expected, 0.02 * fabs(expected), "%s, tau / h = %g", method, theta);
    if (!newton) {
      EXPECT(highest < 1e-12, "%s: energy above that of the start, tau / h = %g", method, theta);
    }
  }
}

int main(void) {
  static const CheckTest tests[] = {{"spook-newton on its equation", test_newton},
                                    {"energy of a pendulum", test_energy},
                                    {NULL, NULL}};
  return check_main("SPOOK on a pendulum", tests);
}
