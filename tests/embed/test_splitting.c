/* A stepper as a partition of ARKODE's SplittingStep (SUNDIALS 7.2 and later): a pendulum with
 * friction, whose conservative part keeps its structure. */
#include <vida/sundials.h>

#include "support/check.h"

#if VIDA_HAS_SUNSTEPPER

#include <arkode/arkode_erkstep.h>
#include <arkode/arkode_splittingstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <vida/vida.h>

#include "support/model.h"
#include "support/program.h"

static const double mass = 2.0, length = 1.5, angle = 1.2, end = 4.0;

/* ---- the reference --------------------------------------------------------------------------- */

/* a'' = -(g/l) sin a - (c/m) a' by the classical Runge-Kutta method; its error is below 1e-11. */
static void exact(double friction, double state[4]) {
  enum { STEPS = 20000 };
  const double h = end / STEPS;
  double x[2] = {angle, 0.0};
  for (int k = 0; k < STEPS; k++) {
    double slope[4][2];
    for (int stage = 0; stage < 4; stage++) {
      const double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
      const double a = x[0] + (stage ? part * slope[stage - 1][0] : 0.0);
      const double w = x[1] + (stage ? part * slope[stage - 1][1] : 0.0);
      slope[stage][0] = w;
      slope[stage][1] = -MODEL_GRAVITY / length * sin(a) - friction / mass * w;
    }
    for (int i = 0; i < 2; i++) {
      x[i] += h / 6.0 * (slope[0][i] + 2.0 * slope[1][i] + 2.0 * slope[2][i] + slope[3][i]);
    }
  }
  state[0] = length * sin(x[0]);
  state[1] = -length * cos(x[0]);
  state[2] = length * x[1] * cos(x[0]);
  state[3] = length * x[1] * sin(x[0]);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The friction -c v alone; user_data is c / m. */
static int friction_rate(sunrealtype t, N_Vector y, N_Vector rate, void* user_data) {
  const double decay = *(double*)user_data;
  (void)t;
  for (int i = 0; i < 2; i++) {
    NV_Ith_S(rate, i) = 0.0;
    NV_Ith_S(rate, 2 + i) = -decay * NV_Ith_S(y, 2 + i);
  }
  return 0;
}

static VidaStepper* create_stepper(const VidaSystem* system, const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* y (4) at `end`, by the Strang splitting with the step h. */
static void split(const char* method, double friction, double h, double state[4]) {
  VidaError error = {0};
  const Model model = model_pendulum(2, mass, length, angle, 0.0);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = create_stepper(system, method, h);
  SUNContext context = program_context();
  N_Vector y = N_VNew_Serial(4, context);
  SUNStepper parts[2] = {NULL, NULL};
  double decay = friction / mass, reached = 0.0;
  double* values = N_VGetArrayPointer(y);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, values, values + 2, NULL, &error), &error);
  void* inner = ERKStepCreate(friction_rate, 0.0, y, context);
  REQUIRE_OK(ARKodeSetUserData(inner, &decay), NULL);
  REQUIRE_OK(ARKodeSStolerances(inner, 1e-12, 1e-14), NULL);
  REQUIRE_OK(ARKodeCreateSUNStepper(inner, &parts[0]), NULL);
  REQUIRE_OK(VidaStepper_CreateSUNStepper(stepper, context, &parts[1], &error), &error);
  void* outer = SplittingStepCreate(parts, 2, 0.0, y, context);
  REQUIRE_OK(ARKodeSetOrder(outer, 2), NULL);
  REQUIRE_OK(ARKodeSetFixedStep(outer, h), NULL);
  REQUIRE_OK(ARKodeSetMaxNumSteps(outer, 100000), NULL);
  REQUIRE_OK(ARKodeSetStopTime(outer, end), NULL);
  REQUIRE_OK(ARKodeEvolve(outer, end, y, &reached, ARK_NORMAL) < 0 ? 1 : 0, NULL);
  memcpy(state, values, 4 * sizeof *state);
  ARKodeFree(&outer);
  SUNStepper_Destroy(&parts[0]);
  SUNStepper_Destroy(&parts[1]);
  ARKodeFree(&inner);
  N_VDestroy(y);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static double error_of(const char* method, double friction, double h) {
  double state[4], expected[4], error = 0.0;
  split(method, friction, h, state);
  exact(friction, expected);
  for (int i = 0; i < 4; i++) {
    error = fmax(error, fabs(state[i] - expected[i]));
  }
  return error;
}

/* The Strang splitting has order 2 (G. Strang, SIAM J. Numer. Anal. 5 (1968) 506-517). */
static void test_order(void) {
  static const char* const methods[] = {"rattle", "energy-momentum"};
  for (int k = 0; k < 2; k++) {
    const double coarse = error_of(methods[k], 0.8, 0.02), fine = error_of(methods[k], 0.8, 0.01);
    const double order = log2(coarse / fine);
    EXPECT(order > 1.8 && order < 2.2, "%s: order %.2f, errors %.1e and %.1e", methods[k], order,
           coarse, fine);
  }
}

static double energy(const double state[4]) {
  return 0.5 * mass * (state[2] * state[2] + state[3] * state[3]) + mass * MODEL_GRAVITY * state[1];
}

/* Without friction the splitting makes the steps of rattle alone. */
static void test_no_friction(void) {
  VidaError error = {0};
  const Model model = model_pendulum(2, mass, length, angle, 0.0);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = create_stepper(system, "rattle", 0.01);
  double state[4], alone[4];
  split("rattle", 0.0, 0.01, state);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, alone, alone + 2, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, alone, alone + 2, &error), &error);
  for (int k = 0; k < 400; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  memcpy(alone, VidaStepper_Positions(stepper), 2 * sizeof *alone);
  REQUIRE_OK(VidaStepper_Velocities(stepper, alone + 2, &error), &error);
  for (int i = 0; i < 4; i++) {
    EXPECT_NEAR(state[i], alone[i], 1e-10, "component %d", i);
  }
  EXPECT_NEAR(energy(state), energy(alone), 1e-10, "energy");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* The functions of a SUNStepper by themselves. */
static void test_functions(void) {
  VidaError error = {0};
  const Model model = model_pendulum(2, mass, length, angle, 0.0);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = create_stepper(system, "rattle", 0.01);
  SUNContext context = program_context();
  SUNStepper made = NULL;
  N_Vector y = N_VNew_Serial(4, context), rate = N_VNew_Serial(4, context);
  N_Vector longer = N_VNew_Serial(5, context);
  double* values = N_VGetArrayPointer(y);
  double t = 0.0;
  int flag = 0;
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, values, values + 2, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_CreateSUNStepper(stepper, context, &made, &error), &error);
  EXPECT(SUNStepper_Reset(made, 0.0, longer) != SUN_SUCCESS, "a vector of another length");
  SUNStepper_GetLastFlag(made, &flag);
  EXPECT(flag == VIDA_BAD_ARGUMENT, "last flag %d", flag);
  REQUIRE_OK(SUNStepper_Reset(made, 0.0, y), NULL);
  /* At rest at the angle a the bob accelerates by g sin a along the circle. */
  REQUIRE_OK(SUNStepper_FullRhs(made, 0.0, y, rate, SUN_FULLRHS_OTHER), NULL);
  EXPECT_NEAR(NV_Ith_S(rate, 2), -MODEL_GRAVITY * sin(angle) * cos(angle), 1e-12, "x''");
  EXPECT_NEAR(NV_Ith_S(rate, 3), -MODEL_GRAVITY * sin(angle) * sin(angle), 1e-12, "y''");
  EXPECT(SUNStepper_SetStepDirection(made, 1.0) == SUN_SUCCESS, "forwards");
  EXPECT(SUNStepper_SetStepDirection(made, -1.0) != SUN_SUCCESS, "backwards");
  REQUIRE_OK(SUNStepper_SetStopTime(made, 0.025), NULL);
  REQUIRE_OK(SUNStepper_Evolve(made, 1.0, y, &t), NULL);
  EXPECT(t == 0.025, "stopped at %.17g", t);
  EXPECT(VidaStepper_Statistics(stepper).steps == 3, "%ld steps",
         VidaStepper_Statistics(stepper).steps);
  REQUIRE_OK(SUNStepper_Reset(made, 0.0, y), NULL);
  REQUIRE_OK(SUNStepper_OneStep(made, 1.0, y, &t), NULL);
  EXPECT_NEAR(t, 0.01, 1e-16, "one step");
  SUNStepper_Destroy(&made);
  N_VDestroy(y);
  N_VDestroy(rate);
  N_VDestroy(longer);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

static const CheckTest tests[] = {{"order", test_order},
                                  {"no friction", test_no_friction},
                                  {"functions", test_functions},
                                  {NULL, NULL}};

#else

/* Earlier versions have no SUNStepper, and the header does not declare the function. */
static void test_version(void) {
  EXPECT(SUNDIALS_VERSION_MAJOR < 7 || SUNDIALS_VERSION_MINOR < 2, "a version with SUNStepper");
}

static const CheckTest tests[] = {{"version", test_version}, {NULL, NULL}};

#endif

int main(void) {
  return check_main("splitting methods", tests);
}
