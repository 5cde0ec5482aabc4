/* A sweep of the double spherical pendulum from many starts, with the steps of four runs at once,
 * and the same runs alone. Both are on one processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "bench.h"

enum { STARTS = 400, STEPS = 1000, COORDINATES = 6 };

static int add_particle(VidaSystem* system, const char* name, double mass, double x, double y,
                        const double* v) {
  VidaParticle particle = {.name = name, .mass = mass};
  particle.position[0] = VidaInitial_Given(x);
  particle.position[1] = VidaInitial_Given(y);
  particle.position[2] = VidaInitial_Free(-1.0);
  particle.velocity[0] = VidaInitial_Given(v[0]);
  particle.velocity[1] = VidaInitial_Given(v[1]);
  particle.velocity[2] = VidaInitial_Free(0.0);
  return VidaSystem_AddParticle(system, &particle, NULL, NULL);
}

/* Wendlandt and Marsden 1997, section 5.2. */
static VidaSystem* make_pendulum(void) {
  static const double upper_v[2] = {3.381, 2.506}, lower_v[2] = {2.497, 10.495};
  const double gravity[3] = {0.0, 0.0, -9.81};
  const VidaDistance upper = {"upper rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0),
                              4.0};
  const VidaDistance lower = {"lower rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 3.0};
  VidaSystem* system = NULL;
  if (VidaSystem_Create("double spherical pendulum", 3, &system, NULL) ||
      VidaSystem_AddGravity(system, gravity, NULL) ||
      add_particle(system, "upper", 2.0, 2.820, 0.025, upper_v) ||
      add_particle(system, "lower", 3.5, 5.085, 0.105, lower_v) ||
      VidaSystem_AddDistance(system, &upper, NULL) ||
      VidaSystem_AddDistance(system, &lower, NULL) || VidaSystem_Complete(system, NULL)) {
    VidaSystem_Destroy(&system);
  }
  return system;
}

static VidaStudy* make(const VidaSystem* system, const char* method, double h, bool has_lanes) {
  VidaOptions *comparison = NULL, *options = NULL;
  VidaStudy* study = NULL;
  double q[COORDINATES], v[COORDINATES];
  int code = VidaStudy_CreateOptions(&comparison, NULL) ||
             VidaOptions_SetReal(comparison, "time", STEPS * h, NULL) ||
             VidaOptions_SetText(comparison, "adjust_start", "true", NULL) ||
             VidaOptions_SetText(comparison, "lanes", has_lanes ? "true" : "false", NULL) ||
             VidaStudy_Create(system, comparison, &study, NULL) ||
             VidaOptions_Create(method, &options, NULL) ||
             VidaOptions_SetReal(options, "h", h, NULL) ||
             VidaSystem_Start(system, 0.0, NULL, q, v, NULL, NULL);
  for (int k = 0; k < STARTS && !code; k++) {
    v[0] += 1e-3;
    code = VidaStudy_AddRunFrom(study, options, NULL, q, v, NULL);
  }
  VidaOptions_Destroy(&comparison);
  VidaOptions_Destroy(&options);
  if (code) {
    VidaStudy_Destroy(&study);
  }
  return study;
}

/* Returns the microseconds of a run; NaN after a failure. *energy receives the sum of the energy
 * errors, which must not depend on lanes. */
static double time_runs(const VidaSystem* system, const char* method, double h, bool has_lanes,
                        double* energy) {
  VidaStudy* study = make(system, method, h, has_lanes);
  const double begin = bench_seconds();
  int code = study ? VidaStudy_Run(study, NULL, NULL) : -1;
  const double seconds = bench_seconds() - begin;
  *energy = 0.0;
  for (int k = 0; k < STARTS && !code; k++) {
    code = strcmp(VidaStudy_Row(study, k)->status, "ok") != 0;
    *energy += VidaStudy_Row(study, k)->energy_error;
  }
  VidaStudy_Destroy(&study);
  return code ? (double)NAN : seconds / STARTS * 1e6;
}

int bench_sweep(const BenchOptions* options) {
  static const char* const methods[] = {"rattle", "del-endpoint"};
  enum { MOST = 100 };
  VidaSystem* system = make_pendulum();
  int failed = 0;
  printf(
      "\nSweep of %d starts of the double spherical pendulum, h = %g s, %d steps, one processor\n"
      "                us/run alone   us/run in lanes   alone / in lanes\n",
      STARTS, options->h, STEPS);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    double alone[MOST], lanes[MOST], energy[2] = {0.0, 0.0};
    const int rounds = options->rounds < MOST ? options->rounds : MOST;
    for (int r = 0; r < rounds; r++) {
      alone[r] = time_runs(system, methods[m], options->h, false, &energy[0]);
      lanes[r] = time_runs(system, methods[m], options->h, true, &energy[1]);
    }
    const double a = bench_median(rounds, alone), b = bench_median(rounds, lanes);
    printf("  %-14s %11.1f %17.1f %18.2f\n", methods[m], a, b, a / b);
    failed |= !(a > 0.0) || !(b > 0.0) || energy[0] != energy[1];
  }
  VidaSystem_Destroy(&system);
  return failed;
}
