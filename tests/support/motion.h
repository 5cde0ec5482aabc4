/* Runs a method on a model and compares its final state. */
#ifndef VIDA_TEST_MOTION_H
#define VIDA_TEST_MOTION_H

#include <vida/vida.h>

#include "support/model.h"

/* A system with a stepper that has been started at t = 0 from its consistent initial values. */
typedef struct Motion {
  VidaSystem* system;
  VidaStepper* stepper; /* NULL: the method cannot integrate this system, and said so */
  int n, m;
  double q0[MODEL_COORDINATES], v0[MODEL_COORDINATES];
} Motion;

typedef struct State {
  double t;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES], p[MODEL_COORDINATES];
  double multipliers[MODEL_LINKS], multipliers_t;
  double energy, energy_t;
  double constraint_position, constraint_velocity;
} State;

/* linear_solver: "auto", "dense" or "klu". A method for other systems must fail with
 * VIDA_NOT_SUPPORTED and leaves stepper NULL; every other method must accept it. */
Motion motion_start(const Model* model, const char* method, double h, const char* linear_solver);
void motion_end(Motion* motion);
/* Makes steps; a failure ends the test. */
void motion_steps(Motion* motion, long steps);
State motion_state(const Motion* motion);
/* From start to t = steps h; false when the method refuses the system. */
bool motion_at(const Model* model, const char* method, double h, long steps, State* state);

/* Whether a method is adaptive by default: its errors do not depend on h, and two of its runs agree
 * only to its tolerance. */
bool motion_is_adaptive(const char* method);

/* A comparison of `time` seconds; `settings` are names and values as text, ended with NULL. A
 * failure ends the test. */
VidaStudy* motion_study(const VidaSystem* system, double time, const char* const* settings);
/* Options of a method with its step and such settings. */
VidaOptions* motion_method(const char* method, double h, const char* const* settings);

/* max |a - b| over n numbers; NaN when one is NaN */
double largest_difference(int n, const double* a, const double* b);
bool all_finite(int n, const double* a);

#endif
