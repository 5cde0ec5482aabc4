/* What was added by the recipes: derivatives of the term by differences and by the identity of its
 * discrete derivative, and the energy of both on a quartic oscillator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

static void check(int code, const VidaError* error) {
  if (code) {
    fprintf(stderr, "%s\n", error->message);
    exit(EXIT_FAILURE);
  }
}

static int is_small(const char* what, double size, double bound) {
  printf("%s: %.1e\n", what, size);
  return size <= bound;
}

/* The change of the energy in 10 s. */
static double find_change(const VidaSystem* system, const char* method) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double q, v, before, after;
  check(VidaSystem_Start(system, 0.0, NULL, &q, &v, NULL, &error), &error);
  check(VidaOptions_Create(method, &options, &error), &error);
  check(VidaOptions_SetReal(options, "h", 0.001, &error), &error);
  check(VidaStepper_Create(system, options, &stepper, &error), &error);
  check(VidaStepper_Start(stepper, 0.0, &q, &v, &error), &error);
  check(VidaStepper_Energy(stepper, &before, NULL, &error), &error);
  for (int k = 0; k < 10000; k++) {
    check(VidaStepper_Step(stepper, &error), &error);
  }
  check(VidaStepper_Energy(stepper, &after, NULL, &error), &error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return fabs(after - before);
}

int main(void) {
  const VidaParticle bob = {"bob", 2.0, {VidaInitial_Given(0.7)}, {VidaInitial_Given(0.3)}};
  VidaError error = {0};
  VidaSystem* system = NULL;
  VidaCheck* report = NULL;
  int good = 1;
  check(VidaSystem_Create("quartic oscillator", 1, &system, &error), &error);
  check(VidaSystem_AddParticle(system, &bob, NULL, &error), &error);
  check(VidaSystem_AddQuartic(system, "well", 0, 5.0, &error), &error);
  check(VidaSystem_Complete(system, &error), &error);
  check(VidaCheck_Create(system, 0.0, NULL, &report, &error), &error);
  good = good && VidaCheck_Worst(report) == VIDA_SEVERITY_NOTE;
  for (int i = 0; i < VidaCheck_PartCount(report); i++) {
    const VidaCheckPart* part = VidaCheck_Part(report, i);
    if (strcmp(part->kind, "quartic") == 0) {
      good = is_small("gradient", part->first, 1e-6) && good;
      good = is_small("second derivatives", part->second, 1e-6) && good;
      good = is_small("discrete derivative", part->discrete, 1e-13) && good;
      good = good ? 2 : 0;
    }
  }
  good = good == 2 && is_small("energy, kick-drift", find_change(system, "kick-drift"), 1e-2);
  good = is_small("energy, energy-momentum", find_change(system, "energy-momentum"), 1e-12) && good;
  VidaCheck_Destroy(&report);
  VidaSystem_Destroy(&system);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
