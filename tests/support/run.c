#include "support/run.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

Run run_start(VidaSystem* system, VidaOptions* options) {
  Run run = {.system = system, .n = VidaSystem_CoordinateCount(system)};
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, run.q0, run.v0, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &run.stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(run.stepper, 0.0, run.q0, run.v0, &error), &error);
  VidaOptions_Destroy(&options);
  return run;
}

void run_steps(Run* run, long steps) {
  VidaError error = {0};
  int code = 0;
  for (long k = 0; k < steps && !code; k++) {
    code = VidaStepper_Step(run->stepper, &error);
  }
  REQUIRE_OK(code, &error);
}

void run_state(Run* run, double* q, double* v) {
  VidaError error = {0};
  memcpy(q, VidaStepper_Positions(run->stepper), (size_t)run->n * sizeof *q);
  REQUIRE_OK(VidaStepper_Velocities(run->stepper, v, &error), &error);
}

void run_end(Run* run) {
  VidaStepper_Destroy(&run->stepper);
  VidaSystem_Destroy(&run->system);
}

double find_slope(int count, const double* error, const double* h) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int i = 0; i < count; i++) {
    const double a = log(h[i]);
    const double b = log(error[i]);
    x += a / count;
    y += b / count;
    xx += a * a / count;
    xy += a * b / count;
  }
  return (xy - x * y) / (xx - x * x);
}
