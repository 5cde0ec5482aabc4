/* A stepper in a program's SUNContext, with the program's linear solver in its Newton steps. */
#include <math.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <vida/sundials.h>
#include <vida/vida.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

/* Two bobs on rods of 1 m, released at rest. */
static int describe(VidaSystem** system, VidaError* error) {
  const double gravity[2] = {0.0, -9.81};
  int code = VidaSystem_Create("double pendulum", 2, system, error);
  code = code ? code : VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < 2 && !code; i++) {
    const VidaParticle bob = {
        .name = i ? "lower" : "upper",
        .mass = 1.0,
        .position = {VidaInitial_Given(0.6 * (i + 1)), VidaInitial_Given(-0.8 * (i + 1))}};
    const VidaDistance rod = {.name = i ? "lower rod" : "upper rod",
                              .from = i ? VidaPoint_Particle(0) : VidaPoint_Fixed(0.0, 0.0, 0.0),
                              .to = VidaPoint_Particle(i),
                              .length = 1.0};
    code = VidaSystem_AddParticle(*system, &bob, NULL, error);
    code = code ? code : VidaSystem_AddDistance(*system, &rod, error);
  }
  return code ? code : VidaSystem_Complete(*system, error);
}

/* The matrix and the solver belong to VIDA from here on. */
static int create_solver(void* data, const VidaNewtonPattern* pattern, N_Vector shape,
                         SUNMatrix* matrix, SUNLinearSolver* solver, VidaError* error) {
  const int code = VidaNewtonPattern_CreateMatrix(pattern, SUNMATRIX_DENSE, matrix, error);
  if (!code) {
    *solver = SUNLinSol_Dense(shape, *matrix, (SUNContext)data);
    printf("Newton matrix: %ld x %ld, %ld entries\n", (long)VidaNewtonPattern_Size(pattern),
           (long)VidaNewtonPattern_Size(pattern), (long)VidaNewtonPattern_EntryCount(pattern));
  }
  return code;
}

int main(void) {
  VidaSystem* system = NULL;
  VidaOptions* options = NULL;
  VidaStepper *given = NULL, *own = NULL;
  VidaError error = {0};
  SUNContext context = NULL;
  double q[4], v[4], largest = 0.0;
  SUNContext_Create(SUN_COMM_NULL, &context);
  const VidaSundialsServices services = {
      .size = sizeof services, .context = context, .create_solver = create_solver, .data = context};

  int code = describe(&system, &error);
  code = code ? code : VidaOptions_Create("rattle", &options, &error);
  code = code ? code : VidaOptions_SetReal(options, "h", 0.01, &error);
  code = code ? code : VidaStepper_CreateInContext(system, options, &services, &given, &error);
  code = code ? code : VidaStepper_Create(system, options, &own, &error);
  code = code ? code : VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error);
  code = code ? code : VidaStepper_Start(given, 0.0, q, v, &error);
  code = code ? code : VidaStepper_Start(own, 0.0, q, v, &error);
  for (int k = 0; k < 100 && !code; k++) {
    code = VidaStepper_Step(given, &error);
    code = code ? code : VidaStepper_Step(own, &error);
    for (int i = 0; i < 4 && !code; i++) {
      largest =
          fmax(largest, fabs(VidaStepper_Positions(given)[i] - VidaStepper_Positions(own)[i]));
    }
  }
  if (code) {
    fprintf(stderr, "%s: %s\n", Vida_CodeName(code), error.message);
  } else {
    printf("after 1 s the positions differ from those with VIDA's solver by %.1e m\n", largest);
  }

  VidaStepper_Destroy(&given);
  VidaStepper_Destroy(&own);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
  return code || largest > 1e-11 ? 1 : 0;
}
