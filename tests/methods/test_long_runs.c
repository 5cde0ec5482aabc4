/* What methods keep over very many steps: every component of the momenta to rounding, the energy
 * without drift. With VIDA_LONG_RUNS=1 in the environment 10^6 steps, else a fifth of it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"

enum { MOST = 16, BLOCKS = 20, EVERY = 10 };

static long count_steps(void) {
  const char* asked = getenv("VIDA_LONG_RUNS");
  return CHECK_SANITIZED ? 4000 : asked && *asked ? 1000000 : 200000;
}

static VidaStepper* make_stepper(const VidaSystem* system, const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* L and J of points in space, and the size of the addends of J. */
static void find_momenta(const VidaStepper* stepper, double* maps, double* size) {
  const double* q = VidaStepper_Positions(stepper);
  const double* p = VidaStepper_Momenta(stepper);
  const int n = VidaSystem_CoordinateCount(VidaStepper_System(stepper));
  memset(maps, 0, 6 * sizeof *maps);
  *size = 0.0;
  for (int i = 0; i < n; i += 3) {
    const double* x = &q[i];
    const double* y = &p[i];
    for (int k = 0; k < 3; k++) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;
      maps[k] += y[k];
      maps[3 + k] += x[next] * y[last] - x[last] * y[next];
    }
    *size += hypot(hypot(x[0], x[1]), x[2]) * hypot(hypot(y[0], y[1]), y[2]);
  }
}

typedef struct Watched {
  double linear, angular; /* largest change of a component, relative to the size at that time */
  double vertical;        /* of J_z, relative to |J| of the start */
  double energy;          /* largest change, relative */
  double block[BLOCKS];   /* its mean in each part of the run */
} Watched;

static double norm(const double* x) {
  return hypot(hypot(x[0], x[1]), x[2]);
}

static Watched watch(const Model* model, const char* method, double h) {
  VidaError error = {0};
  VidaSystem* system = model_system(model);
  VidaStepper* stepper = make_stepper(system, method, h);
  const long samples = count_steps() / EVERY;
  double first[6], now[6], size, start, energy;
  Watched seen = {0};
  find_momenta(stepper, first, &size);
  REQUIRE_OK(VidaStepper_Energy(stepper, &start, NULL, &error), &error);
  for (long k = 0; k < samples; k++) {
    for (int i = 0; i < EVERY; i++) {
      REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    }
    REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
    find_momenta(stepper, now, &size);
    const double off = (energy - start) / fabs(start);
    for (int i = 0; i < 3; i++) {
      seen.linear = fmax(seen.linear, fabs(now[i] - first[i]) / norm(first));
      seen.angular = fmax(seen.angular, fabs(now[3 + i] - first[3 + i]) / size);
    }
    seen.vertical = fmax(seen.vertical, fabs(now[5] - first[5]) / norm(&first[3]));
    seen.energy = fmax(seen.energy, fabs(off));
    seen.block[k * BLOCKS / samples] += off * BLOCKS / (double)samples;
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return seen;
}

/* The change over the run by a straight line through the means of the blocks. */
static double drift(const double* block) {
  double covariance = 0.0, variance = 0.0;
  for (int i = 0; i < BLOCKS; i++) {
    const double at = i - 0.5 * (BLOCKS - 1);
    covariance += at * block[i];
    variance += at * at;
  }
  return BLOCKS * covariance / variance;
}

/* Four particles fly away: |q| grows to 500 m, in 10^6 steps to 2500 m. Positions are rounded by
 * that, and so is J about the origin. */
static void test_momenta(void) {
  static const char* const methods[] = {"del-midpoint", "rattle", "rattle-variable",
                                        "energy-momentum"};
  const Model model = model_four_particles();
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const Watched seen = watch(&model, methods[i], 0.01);
    EXPECT_BELOW(seen.linear, 1e-13, "L of %s", methods[i]);
    EXPECT_BELOW(seen.angular, 1e-13, "J of %s", methods[i]);
    if (strcmp(methods[i], "energy-momentum") == 0) {
      EXPECT_BELOW(seen.energy, 1e-12, "energy of %s", methods[i]);
    }
  }
}

/* The total momentum that positions and momenta have in all their digits: equal and opposite
 * impulses leave nothing. */
static void test_exact_total(void) {
  static const char* const methods[] = {"del-midpoint", "rattle"};
  const Model model = model_four_particles();
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const Watched seen = watch(&model, methods[i], 0.01);
    EXPECT_BELOW(seen.linear, 2.0 * DBL_EPSILON, "L of %s, to the last digit", methods[i]);
  }
}

/* The double spherical pendulum is chaotic: the means of blocks wander between the parts of the
 * phase space, by less than a fifth of the oscillation. A drift would go on; it would have left
 * that band. */
static void test_energy(void) {
  static const char* const methods[] = {"del-midpoint", "rattle"};
  const Model model = model_double_spherical_pendulum();
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const Watched seen = watch(&model, methods[i], 0.01);
    const double change = drift(seen.block);
    EXPECT_BELOW(seen.vertical, 1e-13, "J_z of %s", methods[i]);
    EXPECT_BELOW(seen.energy, 3e-3, "energy of %s", methods[i]);
    EXPECT_BELOW(change, 0.2 * seen.energy, "%s: drift of the energy over the run", methods[i]);
  }
}

/* A regular motion, a plane pendulum: statistically no slope at all, by the scatter of the blocks
 * about the line (18 degrees of freedom; a slope of chance is larger once in 10^4). */
static void test_slope(void) {
  static const char* const methods[] = {"del-midpoint", "rattle", "rattle-variable"};
  const Model model = model_pendulum(3, 1.3, 0.8, 1.0, 0.5);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const Watched seen = watch(&model, methods[i], 0.01);
    const double change = drift(seen.block);
    double mean = 0.0, left = 0.0, spread = 0.0;
    for (int k = 0; k < BLOCKS; k++) {
      mean += seen.block[k] / BLOCKS;
    }
    for (int k = 0; k < BLOCKS; k++) {
      const double at = k - 0.5 * (BLOCKS - 1);
      left += pow(seen.block[k] - mean - change * at / BLOCKS, 2);
      spread += at * at;
    }
    const double deviation = BLOCKS * sqrt(left / (BLOCKS - 2) / spread);
    EXPECT(fabs(change) < 5.0 * deviation + 1e-12, "%s: energy drifts by %g +- %g", methods[i],
           change, deviation);
    EXPECT_BELOW(change, (CHECK_SANITIZED ? 0.1 : 0.01) * seen.energy, "%s: drift of the energy",
                 methods[i]);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"momenta", test_momenta},
                                    {"total momentum", test_exact_total},
                                    {"energy, chaotic motion", test_energy},
                                    {"energy, regular motion", test_slope},
                                    {NULL, NULL}};
  return check_main("long runs", tests);
}
