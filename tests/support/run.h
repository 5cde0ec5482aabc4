/* Runs of one method on one system, and orders from errors. */
#ifndef VIDA_TEST_RUN_H
#define VIDA_TEST_RUN_H

#include <vida/vida.h>

#include "support/model.h"

typedef struct Run {
  VidaSystem* system;
  VidaStepper* stepper;
  int n;
  double q0[MODEL_COORDINATES], v0[MODEL_COORDINATES]; /* the consistent start at t = 0 */
} Run;

/* Started; takes the system and the options over. A failure ends the test, as below. */
Run run_start(VidaSystem* system, VidaOptions* options);
void run_steps(Run* run, long steps);
void run_state(Run* run, double* q, double* v);
void run_end(Run* run);

/* The slope of log(error) over log(h) by least squares. */
double find_slope(int count, const double* error, const double* h);

#endif
