/* The option `solver`: VIDA's own Newton loop and KINSOL solve the same equations. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

/* Returns a started stepper; NULL if the method refuses the system or the solver. */
static VidaStepper* start(const VidaSystem* system, const char* method, double h,
                          const char* solver) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  const char* const settings[] = {"solver", solver, NULL};
  VidaOptions* options = motion_method(method, h, settings);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  int code = VidaStepper_Create(system, options, &stepper, &error);
  code = code ? code : VidaStepper_Start(stepper, 0.0, q, v, &error);
  if (code) {
    EXPECT(code == VIDA_NOT_SUPPORTED, "%s: %s", method, error.message);
    VidaStepper_Destroy(&stepper);
  }
  VidaOptions_Destroy(&options);
  return stepper;
}

static bool has_option(const char* method) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  const int code = VidaOptions_SetText(options, "solver", "newton", NULL);
  VidaOptions_Destroy(&options);
  return !code;
}

static double distance(const VidaStepper* a, const VidaStepper* b) {
  return largest_difference(VidaSystem_CoordinateCount(VidaStepper_System(a)),
                            VidaStepper_Positions(a), VidaStepper_Positions(b));
}

/* The tolerance is 1e-13 of the length of the system; rounding grows in 1 s of the motion. */
static int compare(const Model* model, const char* method) {
  enum { STEPS = 1000 };
  VidaError error = {0};
  VidaSystem* system = model_system(model);
  VidaStepper* steppers[] = {start(system, method, 1e-3, "auto"),
                             start(system, method, 1e-3, "newton"),
                             start(system, method, 1e-3, "kinsol")};
  VidaStepPlan plan;
  const bool is_compared = steppers[1] && steppers[2];
  EXPECT(!steppers[1] == !steppers[2], "%s on %s: one solver fits", method, model->name);
  for (int k = 0; k < 3 && is_compared; k++) {
    REQUIRE_OK(VidaStepper_Steps(steppers[k], STEPS, NULL, &error), &error);
    if (!VidaStepper_Plan(steppers[k], &plan, NULL)) {
      EXPECT(strcmp(plan.solver, k == 2 ? "kinsol" : "newton") == 0, "%s: solver %s", method,
             plan.solver);
    }
  }
  if (is_compared) {
    EXPECT(distance(steppers[0], steppers[1]) == 0.0, "%s on %s: newton is not auto", method,
           model->name);
    EXPECT_NEAR(distance(steppers[1], steppers[2]), 0.0, 1e-13 * model->length, "%s on %s", method,
                model->name);
  }
  for (int k = 0; k < 3; k++) {
    VidaStepper_Destroy(&steppers[k]);
  }
  VidaSystem_Destroy(&system);
  return is_compared;
}

static void test_same_steps(void) {
  const Model models[] = {model_pendulum(2, 1.0, 1.0, 1.0, 0.0), model_double_spherical_pendulum(),
                          model_chain(8, 0.1), model_springs()};
  for (int k = 0; k < Vida_MethodCount(); k++) {
    const char* method = Vida_MethodInfo(k)->name;
    int compared = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models && has_option(method); i++) {
      compared += compare(&models[i], method);
    }
    EXPECT(compared > 0 || !has_option(method) || strcmp(method, "simo-wong") == 0 ||
               (Vida_MethodInfo(k)->capabilities & VIDA_LIMIT_UNCONSTRAINED),
           "%s was not compared", method);
  }
}

/* Steps that are not calm, and those that need more than a few iterations. */
static void test_large_steps(void) {
  static const char* const methods[] = {"del-endpoint", "rattle", "energy-momentum", "radau"};
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    VidaError error = {0};
    VidaStepper* newton = start(system, methods[m], 0.1, "newton");
    VidaStepper* kinsol = start(system, methods[m], 0.1, "kinsol");
    REQUIRE_OK(VidaStepper_Steps(newton, 20, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Steps(kinsol, 20, NULL, &error), &error);
    EXPECT_NEAR(distance(newton, kinsol), 0.0, 1e-11, "%s", methods[m]);
    VidaStepper_Destroy(&newton);
    VidaStepper_Destroy(&kinsol);
  }
  VidaSystem_Destroy(&system);
}

/* Methods that solve no equations by Newton's method of the frame do not offer its options. */
static void test_refusals(void) {
  static const char* const methods[] = {
      "verlet", "symplectic-euler",  "lie-trotter", "spook", "rattlie",
      "lgvi",   "rotation-splitting"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    EXPECT(!has_option(methods[m]), "%s lists a solver", methods[m]);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"the same steps", test_same_steps},
                                    {"large steps", test_large_steps},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("solvers", tests);
}
