/* Chains of N links hung at one end: how the cost of a step grows with their number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vida/vida.h>

#include "bench.h"

enum { SIZES = 3 };

#define LENGTH 1.0   /* m, of a link */
#define MASS 1.0     /* kg, the same */
#define GRAVITY 9.81 /* m/s^2 */

static int complain(const char* what, const VidaError* error) {
  fprintf(stderr, "chain: %s: %s\n", what, error->message);
  return 1;
}

/* A chain in a vertical plane, stretched out 30 degrees below the horizontal, at rest. */
static int make_chain(int links, VidaSystem** system, VidaError* error) {
  const double gravity[2] = {0.0, -GRAVITY};
  const double down = atan(1.0) * 2.0 / 3.0;
  int failed = VidaSystem_Create("chain", 2, system, error) ||
               VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < links && !failed; i++) {
    char name[32];
    snprintf(name, sizeof name, "link %d", i + 1);
    const double s = LENGTH * (i + 1);
    const VidaParticle particle = {
        .name = name,
        .mass = MASS,
        .position = {VidaInitial_Given(s * cos(down)), VidaInitial_Given(-s * sin(down))},
        .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
    const VidaDistance distance = {
        .name = name,
        .from = i ? VidaPoint_Particle(i - 1) : VidaPoint_Fixed(0.0, 0.0, 0.0),
        .to = VidaPoint_Particle(i),
        .length = LENGTH};
    failed = VidaSystem_AddParticle(*system, &particle, NULL, error) ||
             VidaSystem_AddDistance(*system, &distance, error);
  }
  return failed || VidaSystem_Complete(*system, error);
}

/* Microseconds per step, median over the rounds; negative when something failed. */
static double time_chain(int links, double h, long steps, int rounds, double* newton) {
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  VidaError error = {0};
  double median = -1.0;
  double* work = calloc((size_t)(4 * links + rounds), sizeof *work);
  if (!work || make_chain(links, &system, &error) ||
      VidaSystem_Start(system, 0.0, NULL, work, work + 2 * links, NULL, &error) ||
      VidaOptions_Create("del-midpoint", &options, &error) ||
      VidaOptions_SetReal(options, "h", h, &error) ||
      VidaOptions_SetText(options, "linear_solver", "klu", &error) ||
      VidaStepper_Create(system, options, &stepper, &error)) {
    complain("cannot be created", &error);
  } else {
    int failed = 0;
    double* times = work + 4 * links;
    for (int round = 0; round < rounds && !failed; round++) {
      failed = VidaStepper_Start(stepper, 0.0, work, work + 2 * links, &error);
      const double before = bench_seconds();
      for (long i = 0; i < steps && !failed; i++) {
        failed = VidaStepper_Step(stepper, &error);
      }
      times[round] = bench_seconds() - before;
    }
    if (failed) {
      complain("a step failed", &error);
    } else {
      median = 1e6 * bench_median(rounds, times) / (double)steps;
      *newton = (double)VidaStepper_Statistics(stepper).newton_iterations / (double)steps;
    }
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  free(work);
  return median;
}

int bench_chain(const BenchOptions* options) {
  const int links[SIZES] = {10, 100, 1000};
  double x[SIZES], y[SIZES];
  printf("\nChain of N links, del-midpoint, klu, h = %g s, median of %d rounds\n", options->h,
         options->rounds);
  printf("  %6s %10s %14s %12s\n", "N", "us/step", "us/step/link", "Newton/step");
  for (int i = 0; i < SIZES; i++) {
    double newton = 0.0;
    /* about the same work at each size, and enough steps to forget the start */
    const long share = options->steps / links[i];
    const long steps = share > 500 ? share : 500;
    const double time = time_chain(links[i], options->h, steps, options->rounds, &newton);
    if (!(time > 0.0)) {
      return 1;
    }
    printf("  %6d %10.3f %14.4f %12.3f\n", links[i], time, time / links[i], newton);
    x[i] = log(links[i]);
    y[i] = log(time);
  }
  /* least squares: the sizes are equally spaced in the logarithm */
  printf("  time grows as N^%.2f\n", (y[SIZES - 1] - y[0]) / (x[SIZES - 1] - x[0]));
  return 0;
}
