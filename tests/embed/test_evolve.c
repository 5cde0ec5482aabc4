/* VidaStepper_Evolve: steps, interpolation, stop times and statistics on N_Vectors. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/elliptic.h"
#include "support/formula.h"
#include "support/model.h"
#include "support/program.h"

static const double length = 1.5, angle = 1.2, spin = 0.5;

static VidaSystem* pendulum(void) {
  const Model model = model_pendulum(2, 2.0, length, angle, spin);
  return model_system(&model);
}

static void exact(double t, double y[4]) {
  double a = 0.0, w = 0.0;
  pendulum_motion(sqrt(MODEL_GRAVITY / length), angle, spin, t, &a, &w);
  y[0] = length * sin(a);
  y[1] = -length * cos(a);
  y[2] = length * w * cos(a);
  y[3] = length * w * sin(a);
}

typedef struct Run {
  SUNContext context;
  VidaSystem* system;
  VidaStepper* stepper;
  N_Vector y;
} Run;

static VidaStepper* create_stepper(const VidaSystem* system, const char* method, double h,
                                   double rtol) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  if (rtol > 0.0) {
    REQUIRE_OK(VidaOptions_SetReal(options, "rtol", rtol, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static Run begin(const char* method, double h, double rtol) {
  VidaError error = {0};
  Run run = {.context = program_context(), .system = pendulum()};
  run.y = N_VNew_Serial(4, run.context);
  run.stepper = create_stepper(run.system, method, h, rtol);
  double* y = N_VGetArrayPointer(run.y);
  REQUIRE_OK(VidaSystem_Start(run.system, 0.0, NULL, y, y + 2, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_StartVector(run.stepper, 0.0, run.y, &error), &error);
  return run;
}

static void end(Run* run) {
  N_VDestroy(run->y);
  VidaStepper_Destroy(&run->stepper);
  VidaSystem_Destroy(&run->system);
  SUNContext_Free(&run->context);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Output times do not change the steps: the states at nodes are those of VidaStepper_Step. */
static void test_nodes(void) {
  VidaError error = {0};
  Run run = begin("rattle", 0.01, 0.0);
  VidaStepper* other = create_stepper(run.system, "rattle", 0.01, 0.0);
  double v[2], t = 0.0;
  const double* y = N_VGetArrayPointer(run.y);
  REQUIRE_OK(VidaStepper_Start(other, 0.0, y, y + 2, &error), &error);
  for (int k = 1; k <= 40; k++) {
    if (k % 3 == 0) { /* between nodes */
      REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.01 * k - 0.004, run.y, &t, VIDA_NORMAL, &error),
                 &error);
    }
    if (k % 2 == 0) {
      REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.01 * k, run.y, &t, VIDA_NORMAL, &error), &error);
    } else if (k % 3) {
      REQUIRE_OK(VidaStepper_Evolve(run.stepper, 99.0, run.y, &t, VIDA_ONE_STEP, &error), &error);
    } else {
      REQUIRE_OK(VidaStepper_GetVector(run.stepper, run.y, &error), &error);
      t = VidaStepper_Time(run.stepper);
    }
    REQUIRE_OK(VidaStepper_Step(other, &error), &error);
    REQUIRE_OK(VidaStepper_Velocities(other, v, &error), &error);
    EXPECT_NEAR(t, 0.01 * k, 1e-15, "time of step %d", k);
    EXPECT(!memcmp(y, VidaStepper_Positions(other), 2 * sizeof *y), "positions of step %d", k);
    EXPECT(!memcmp(y + 2, v, sizeof v), "velocities of step %d", k);
  }
  EXPECT(VidaStepper_Statistics(run.stepper).steps == 40, "%ld steps",
         VidaStepper_Statistics(run.stepper).steps);
  VidaStepper_Destroy(&other);
  end(&run);
}

/* The steps of a start with a step of its own have that size, and return to it after a stop time.
 */
static void test_start_with_step(void) {
  static const double times[] = {0.004, 0.007, 0.010, 0.014}; /* two steps of 0.003 s to the stop */
  VidaError error = {0};
  Run run = begin("rattle", 0.01, 0.0);
  double y[4], t = 0.0;
  memcpy(y, N_VGetArrayPointer(run.y), sizeof y);
  REQUIRE_OK(VidaStepper_StartWithStep(run.stepper, 0.0, 0.004, y, y + 2, &error), &error);
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 99.0, run.y, &t, VIDA_ONE_STEP, &error), &error);
  REQUIRE_OK(VidaStepper_SetStopTime(run.stepper, 0.010, &error), &error);
  for (int k = 0; k < 4; k++) {
    if (k > 0) {
      REQUIRE_OK(VidaStepper_Evolve(run.stepper, 99.0, run.y, &t, VIDA_ONE_STEP, &error), &error);
    }
    EXPECT_NEAR(t, times[k], 1e-15, "time of step %d", k + 1);
  }
  end(&run);
}

/* ---- interpolation --------------------------------------------------------------------------- */

/* The largest errors of positions and velocities at points between nodes, of a method whose own
 * errors are far below them. */
static void measure(double h, double errors[2]) {
  VidaError error = {0};
  Run run = begin("post-stabilized", h, 1e-13);
  const double* y = N_VGetArrayPointer(run.y);
  double t = 0.0, expected[4];
  errors[0] = errors[1] = 0.0;
  for (int k = 1; k < 200; k++) {
    const double tout = 0.01 * k + 0.003;
    REQUIRE_OK(VidaStepper_Evolve(run.stepper, tout, run.y, &t, VIDA_NORMAL, &error), &error);
    EXPECT(t == tout, "the time is %.17g instead of %.17g", t, tout);
    exact(t, expected);
    for (int i = 0; i < 4; i++) {
      errors[i / 2] = fmax(errors[i / 2], fabs(y[i] - expected[i]));
    }
  }
  end(&run);
}

static void test_interpolation(void) {
  double coarse[2], fine[2];
  measure(0.1, coarse);
  measure(0.05, fine);
  const double position = log2(coarse[0] / fine[0]), velocity = log2(coarse[1] / fine[1]);
  EXPECT(position > 3.7 && position < 4.3, "order %.2f of positions", position);
  EXPECT(velocity > 2.7 && velocity < 3.3, "order %.2f of velocities", velocity);
}

/* ---- stop times ------------------------------------------------------------------------------ */

static void test_stop_time(void) {
  VidaError error = {0};
  Run run = begin("rattle", 0.01, 0.0);
  VidaStepper* other = create_stepper(run.system, "rattle", 0.01, 0.0);
  double* y = N_VGetArrayPointer(run.y);
  double t = 0.0;
  REQUIRE_OK(VidaStepper_StartWithStep(other, 0.0, 0.123 / 13.0, y, y + 2, &error), &error);
  for (int k = 0; k < 13; k++) {
    REQUIRE_OK(VidaStepper_Step(other, &error), &error);
  }
  REQUIRE_OK(VidaStepper_SetStopTime(run.stepper, 0.123, &error), &error);
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 1.0, run.y, &t, VIDA_NORMAL, &error), &error);
  EXPECT(t == 0.123, "stopped at %.17g", t);
  for (int i = 0; i < 2; i++) {
    EXPECT_NEAR(y[i], VidaStepper_Positions(other)[i], 1e-13, "13 steps of equal size");
  }
  EXPECT(VidaStepper_Statistics(run.stepper).steps == 13, "%ld steps",
         VidaStepper_Statistics(run.stepper).steps);
  /* It has been reached: the next call goes on, with the own step. */
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.223, run.y, &t, VIDA_NORMAL, &error), &error);
  EXPECT_NEAR(VidaStepper_StepSize(run.stepper), 0.01, 1e-15, "step after the stop time");
  EXPECT_NEAR(t, 0.223, 1e-15, "time");
  EXPECT(VidaStepper_Statistics(run.stepper).steps == 23, "%ld steps",
         VidaStepper_Statistics(run.stepper).steps);
  /* A stop time that fits into the grid changes no step. */
  REQUIRE_OK(VidaStepper_SetStopTime(run.stepper, 0.253, &error), &error);
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 1.0, run.y, &t, VIDA_NORMAL, &error), &error);
  EXPECT_NEAR(t, 0.253, 0.0, "time");
  EXPECT(VidaStepper_StepCount(run.stepper) == 13, "it started anew");
  /* Removed. */
  REQUIRE_OK(VidaStepper_SetStopTime(run.stepper, 0.26, &error), &error);
  REQUIRE_OK(VidaStepper_SetStopTime(run.stepper, INFINITY, &error), &error);
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.3, run.y, &t, VIDA_NORMAL, &error), &error);
  EXPECT_NEAR(t, 0.3, 0.0, "time");
  EXPECT_ERROR(VidaStepper_SetStopTime(run.stepper, 0.1, &error), &error, VIDA_BAD_ARGUMENT,
               "before");
  VidaStepper_Destroy(&other);
  end(&run);
}

/* ---- jumps in time --------------------------------------------------------------------------- */

/* A mass of 1 kg that a force of 1 N pushes up to t = 0.25 s, and of -1 N from then on: x = t^2 / 2
 * and then x = s^2 / 2 + s (t - s) - (t - s)^2 / 2 with s = 0.25, which Runge-Kutta methods of
 * order 2 and higher reproduce. The stop time follows the jump and makes the steps shorter. */
static void test_jump(void) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  SUNContext context = program_context();
  REQUIRE_OK(VidaSystem_Create("pushed", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), NULL, &error),
             &error);
  REQUIRE_OK(
      VidaSystem_AddExpressionLagrangian(
          system, "kinetic energy", times(system, 0.5, square(system, rate(system, 0))), &error),
      &error);
  const VidaExpression force =
      apply(system, "-", number(system, 1.0),
            times(system, 2.0, apply(system, "<=", number(system, 0.25), now(system))));
  REQUIRE_OK(VidaSystem_AddExpressionForce(system, "push", 1, (const int[]){0}, &force, &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  VidaStepper* stepper = create_stepper(system, "coordinate-projection", 0.1, 0.0);
  N_Vector y = N_VNew_Serial(2, context);
  double t = 0.0;
  N_VConst(0.0, y);
  REQUIRE_OK(VidaStepper_StartVector(stepper, 0.0, y, &error), &error);
  REQUIRE_OK(VidaStepper_SetStopTime(stepper, 0.33, &error), &error);
  REQUIRE_OK(VidaStepper_Evolve(stepper, 1.0, y, &t, VIDA_NORMAL, &error), &error);
  EXPECT(t == 0.33, "stopped at %.17g", t);
  EXPECT_NEAR(NV_Ith_S(y, 0), 0.03125 + 0.25 * 0.08 - 0.5 * 0.08 * 0.08, 1e-14, "position");
  EXPECT_NEAR(NV_Ith_S(y, 1), 0.25 - 0.08, 1e-14, "velocity");
  REQUIRE_OK(VidaStepper_Evolve(stepper, 0.53, y, &t, VIDA_NORMAL, &error), &error);
  EXPECT_NEAR(NV_Ith_S(y, 0), 0.03125 + 0.25 * 0.28 - 0.5 * 0.28 * 0.28, 1e-14, "position");
  N_VDestroy(y);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void test_refusals(void) {
  VidaError error = {0};
  Run run = begin("rattle", 0.01, 0.0);
  double t = 0.0;
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.1, run.y, &t, VIDA_NORMAL, &error), &error);
  /* Inside the last step is allowed, before it is not. */
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.095, run.y, &t, VIDA_NORMAL, &error), &error);
  EXPECT_ERROR(VidaStepper_Evolve(run.stepper, 0.05, run.y, &t, VIDA_NORMAL, &error), &error,
               VIDA_BAD_ARGUMENT, "before the last step");
  EXPECT_ERROR(VidaStepper_Evolve(run.stepper, NAN, run.y, &t, VIDA_NORMAL, &error), &error,
               VIDA_BAD_ARGUMENT, "finite");
  EXPECT_ERROR(VidaStepper_Evolve(run.stepper, 0.2, run.y, &t, (VidaEvolveMode)7, &error), &error,
               VIDA_BAD_ARGUMENT, "7");
  /* A start by another function forgets the last step. */
  double q[4];
  memcpy(q, N_VGetArrayPointer(run.y), sizeof q);
  REQUIRE_OK(VidaSystem_Start(run.system, 0.0, NULL, q, q + 2, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(run.stepper, 0.1, q, q + 2, &error), &error);
  EXPECT_ERROR(VidaStepper_Evolve(run.stepper, 0.095, run.y, &t, VIDA_NORMAL, &error), &error,
               VIDA_BAD_ARGUMENT, "before the last step");
  N_Vector longer = N_VNew_Serial(5, run.context);
  EXPECT_ERROR(VidaStepper_Evolve(run.stepper, 0.2, longer, &t, VIDA_NORMAL, &error), &error,
               VIDA_BAD_ARGUMENT, "5 elements instead of 4");
  EXPECT_ERROR(VidaStepper_StartVector(run.stepper, 0.2, longer, &error), &error, VIDA_BAD_ARGUMENT,
               "5 elements instead of 4");
  N_VDestroy(longer);
  VidaStepper* fresh = create_stepper(run.system, "rattle", 0.01, 0.0);
  EXPECT_ERROR(VidaStepper_Evolve(fresh, 0.2, run.y, &t, VIDA_NORMAL, &error), &error,
               VIDA_WRONG_ORDER, "not been started");
  VidaStepper_Destroy(&fresh);
  end(&run);
}

/* A step that fails leaves the state of the last node. */
static void test_failure(void) {
  VidaError error = {0};
  Run run = begin("rattle", 2.0, 0.0); /* far longer than the period */
  double before[4], t = NAN;
  memcpy(before, N_VGetArrayPointer(run.y), sizeof before);
  N_VConst(0.0, run.y);
  const int code = VidaStepper_Evolve(run.stepper, 4.0, run.y, &t, VIDA_NORMAL, &error);
  EXPECT(code > 0, "a step of 2 s gives %d", code);
  EXPECT(t == 0.0, "the time is %g", t);
  for (int i = 0; i < 4; i++) {
    EXPECT_NEAR(NV_Ith_S(run.y, i), before[i], 1e-14, "component %d", i);
  }
  end(&run);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void read_statistics(const Run* run, SUNOutputFormat format, char* text, size_t size) {
  VidaError error = {0};
  FILE* file = tmpfile();
  EXPECT(file != NULL, "no temporary file");
  REQUIRE_OK(VidaStepper_PrintAllStats(run->stepper, file, format, &error), &error);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void test_statistics(void) {
  VidaError error = {0};
  Run run = begin("rattle", 0.01, 0.0);
  double t = 0.0;
  char text[2048], line[128];
  REQUIRE_OK(VidaStepper_Evolve(run.stepper, 0.5, run.y, &t, VIDA_NORMAL, &error), &error);
  const VidaStatistics counts = VidaStepper_Statistics(run.stepper);
  read_statistics(&run, SUN_OUTPUTFORMAT_TABLE, text, sizeof text);
  /* The layout of CVodePrintAllStats: names of 29 characters, " = " and the value. */
  snprintf(line, sizeof line, "%-29s = %ld\n", "Steps", counts.steps);
  EXPECT(counts.steps == 50 && strstr(text, line), "no line '%s' in '%s'", line, text);
  snprintf(line, sizeof line, "%-29s = %ld\n", "Nonlinear iterations", counts.newton_iterations);
  EXPECT(strstr(text, line), "no line '%s' in '%s'", line, text);
  read_statistics(&run, SUN_OUTPUTFORMAT_CSV, text, sizeof text);
  EXPECT(!strncmp(text, "Current time,0.5,Step size,0.01,Steps,50,", 41), "CSV: %s", text);
  EXPECT(strchr(text, '\n') == text + strlen(text) - 1, "CSV is not one line: %s", text);
  EXPECT_ERROR(VidaStepper_PrintAllStats(run.stepper, stdout, (SUNOutputFormat)9, &error), &error,
               VIDA_BAD_ARGUMENT, "9");
  end(&run);
}

static const CheckTest tests[] = {{"nodes", test_nodes},
                                  {"start with step", test_start_with_step},
                                  {"interpolation", test_interpolation},
                                  {"stop time", test_stop_time},
                                  {"jump in time", test_jump},
                                  {"refusals", test_refusals},
                                  {"failure", test_failure},
                                  {"statistics", test_statistics},
                                  {NULL, NULL}};

int main(void) {
  return check_main("evolving a stepper on vectors", tests);
}
