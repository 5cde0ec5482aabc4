/* A pendulum with friction, split by ARKODE's SplittingStep: VIDA's rattle makes the steps of the
 * conservative part, which keep the rod and the energy, and ERKStep those of the friction. It needs
 * SUNDIALS 7.2 or later; with earlier versions the program says so.
 *
 * The program prints the end state for two steps and for a very small one, the order that follows,
 * and the change of the energy without friction. */
#include <stdio.h>
#include <stdlib.h>
#include <vida/sundials.h>
#include <vida/vida.h>

#if VIDA_HAS_SUNSTEPPER

#include <arkode/arkode_erkstep.h>
#include <arkode/arkode_splittingstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>

static const double mass = 2.0, length = 1.5, gravity = 9.81, end = 4.0;

/* The bob starts at rest, 60 degrees from the vertical. */
static int describe(VidaSystem** system, VidaError* error) {
  const double angle = acos(0.5), down[2] = {0.0, -gravity};
  const VidaParticle bob = {
      .name = "bob",
      .mass = mass,
      .position = {VidaInitial_Given(length * sin(angle)), VidaInitial_Free(-1.0)}};
  const VidaDistance rod = {.name = "rod",
                            .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                            .to = VidaPoint_Particle(0),
                            .length = length};
  int code = VidaSystem_Create("pendulum", 2, system, error);
  code = code ? code : VidaSystem_AddParticle(*system, &bob, NULL, error);
  code = code ? code : VidaSystem_AddGravity(*system, down, error);
  code = code ? code : VidaSystem_AddDistance(*system, &rod, error);
  return code ? code : VidaSystem_Complete(*system, error);
}

/* The friction alone: q' = 0, v' = -decay v. */
static int friction(sunrealtype t, N_Vector y, N_Vector rate, void* decay) {
  (void)t;
  for (int i = 0; i < 2; i++) {
    NV_Ith_S(rate, i) = 0.0;
    NV_Ith_S(rate, 2 + i) = -*(double*)decay * NV_Ith_S(y, 2 + i);
  }
  return 0;
}

/* Goes from y at t = 0 to y at `end` by the Strang splitting with the step h. */
static int split(VidaStepper* stepper, double decay, double h, SUNContext context, N_Vector y,
                 VidaError* error) {
  SUNStepper parts[2] = {NULL, NULL};
  double reached = 0.0;
  void* inner = ERKStepCreate(friction, 0.0, y, context);
  void* outer = NULL;
  int code = VidaStepper_CreateSUNStepper(stepper, context, &parts[1], error);
  if (code == 0) {
    const int failed =
        !inner || ARKodeSetUserData(inner, &decay) || ARKodeSStolerances(inner, 1e-12, 1e-14) ||
        ARKodeCreateSUNStepper(inner, &parts[0]) ||
        !(outer = SplittingStepCreate(parts, 2, 0.0, y, context)) || ARKodeSetOrder(outer, 2) ||
        ARKodeSetFixedStep(outer, h) || ARKodeSetMaxNumSteps(outer, 1000000) ||
        ARKodeSetStopTime(outer, end) || ARKodeEvolve(outer, end, y, &reached, ARK_NORMAL) < 0;
    code = failed ? VIDA_SOLVER_FAILED : 0;
  }
  if (outer)
    ARKodeFree(&outer);
  for (int k = 0; k < 2; k++)
    if (parts[k])
      SUNStepper_Destroy(&parts[k]);
  if (inner)
    ARKodeFree(&inner);
  return code;
}

static double energy(N_Vector y) {
  const double* v = N_VGetArrayPointer(y) + 2;
  return 0.5 * mass * (v[0] * v[0] + v[1] * v[1]) + mass * gravity * NV_Ith_S(y, 1);
}

/* One run: y receives the end state, *change (nullable) the change of the energy. */
static int run(const VidaSystem* system, double decay, double h, SUNContext context, N_Vector y,
               double* change, VidaError* error) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double* values = N_VGetArrayPointer(y);
  int code = VidaSystem_Start(system, 0.0, NULL, values, values + 2, NULL, error);
  const double before = energy(y);
  code = code ? code : VidaOptions_Create("rattle", &options, error);
  code = code ? code : VidaOptions_SetReal(options, "h", h, error);
  code = code ? code : VidaStepper_Create(system, options, &stepper, error);
  code = code ? code : split(stepper, decay, h, context, y, error);
  if (change)
    *change = energy(y) - before;
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return code;
}

static double distance(N_Vector a, N_Vector b) {
  return hypot(NV_Ith_S(a, 0) - NV_Ith_S(b, 0), NV_Ith_S(a, 1) - NV_Ith_S(b, 1));
}

static int compare(const VidaSystem* system, SUNContext context, VidaError* error) {
  static const double steps[] = {0.02, 0.01, 0.0005};
  N_Vector y[3];
  double change = 0.0;
  int code = 0;
  for (int k = 0; k < 3; k++) {
    y[k] = N_VNew_Serial(4, context);
    code = code ? code : run(system, 0.4, steps[k], context, y[k], NULL, error);
    printf("h = %.4f s  x = %+.8f m  y = %+.8f m\n", steps[k], NV_Ith_S(y[k], 0),
           NV_Ith_S(y[k], 1));
  }
  printf("order = %.2f\n", log2(distance(y[0], y[2]) / distance(y[1], y[2])));
  code = code ? code : run(system, 0.0, 0.01, context, y[0], &change, error);
  printf("change of the energy without friction = %.2e J\n", change);
  for (int k = 0; k < 3; k++)
    N_VDestroy(y[k]);
  return code;
}

int main(void) {
  VidaSystem* system = NULL;
  SUNContext context = NULL;
  VidaError error = {0};
  int code = SUNContext_Create(SUN_COMM_NULL, &context) ? VIDA_SOLVER_FAILED : 0;
  if (code == 0 && (code = describe(&system, &error)) == 0)
    code = compare(system, context, &error);
  if (code != 0)
    fprintf(stderr, "%s: %s\n", Vida_CodeName(code), error.message);
  VidaSystem_Destroy(&system);
  if (context)
    SUNContext_Free(&context);
  return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

int main(void) {
  printf("SUNDIALS %s has no SUNStepper; it came with 7.2\n", Vida_SundialsVersion());
  return EXIT_SUCCESS;
}

#endif
