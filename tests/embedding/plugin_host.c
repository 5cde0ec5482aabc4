/* Compares a method of one's own (stormer.c) with rattle, which makes the same steps, on a double
 * pendulum. Its argument is the path of the plug-in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

static void check(int code, const VidaError* error) {
  if (code) {
    fprintf(stderr, "plugin_host: %s\n", error->message);
    exit(EXIT_FAILURE);
  }
}

/* A double pendulum in the plane, of particles on rods without mass. */
static VidaSystem* make_system(VidaError* error) {
  const VidaParticle particles[2] = {{"upper",
                                      1.0,
                                      {VidaInitial_Given(0.6), VidaInitial_Given(-0.8)},
                                      {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}},
                                     {"lower",
                                      2.0,
                                      {VidaInitial_Given(1.4), VidaInitial_Given(-1.4)},
                                      {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}}};
  const double gravity[2] = {0.0, -9.81};
  VidaSystem* system = NULL;
  int index[2];
  check(VidaSystem_Create("double pendulum", 2, &system, error), error);
  check(VidaSystem_AddGravity(system, gravity, error), error);
  for (int k = 0; k < 2; k++) {
    check(VidaSystem_AddParticle(system, &particles[k], &index[k], error), error);
  }
  const VidaDistance rods[2] = {
      {"upper rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(index[0]), 1.0},
      {"lower rod", VidaPoint_Particle(index[0]), VidaPoint_Particle(index[1]), 1.0}};
  for (int k = 0; k < 2; k++) {
    check(VidaSystem_AddDistance(system, &rods[k], error), error);
  }
  check(VidaSystem_Complete(system, error), error);
  return system;
}

enum { COORDINATES = 4, STEPS = 400 };

/* Integrates 2 s with a method; q receives the positions at the end, *drift the change of the
 * energy. */
static void run(const VidaSystem* system, const char* method, double* q, double* drift,
                VidaError* error) {
  VidaOptions* settings = NULL;
  VidaStepper* stepper = NULL;
  double v[COORDINATES], before, after;
  check(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, error), error);
  check(VidaOptions_Create(method, &settings, error), error);
  check(VidaOptions_SetReal(settings, "h", 2.0 / STEPS, error), error);
  check(VidaStepper_Create(system, settings, &stepper, error), error);
  check(VidaStepper_Start(stepper, 0.0, q, v, error), error);
  check(VidaStepper_Energy(stepper, &before, NULL, error), error);
  for (int k = 0; k < STEPS; k++) {
    check(VidaStepper_Step(stepper, error), error);
  }
  check(VidaStepper_Energy(stepper, &after, NULL, error), error);
  memcpy(q, VidaStepper_Positions(stepper), COORDINATES * sizeof *q);
  *drift = after - before;
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&settings);
}

int main(int count, char** arguments) {
  VidaError error = {0};
  double q[2][COORDINATES], drift[2], difference = 0.0;
  if (count != 2) {
    fprintf(stderr, "usage: plugin_host PLUGIN\n");
    return EXIT_FAILURE;
  }
  check(Vida_LoadPlugin(arguments[1], &error), &error);
  VidaSystem* system = make_system(&error);
  run(system, "stormer", q[0], &drift[0], &error);
  run(system, "rattle", q[1], &drift[1], &error);
  VidaSystem_Destroy(&system);
  for (int i = 0; i < COORDINATES; i++) {
    difference = fmax(difference, fabs(q[0][i] - q[1][i]));
  }
  printf("stormer and rattle differ by %.1e m after 2 s; energy %.1e and %.1e J\n", difference,
         drift[0], drift[1]);
  return difference < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
