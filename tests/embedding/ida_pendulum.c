/* A pendulum in a program's own IDA: the smallest program on vida/sundials.h. */
#include <ida/ida.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <vida/sundials.h>
#include <vida/vida.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

/* A bob of 2 kg on a rod of 1.5 m, released at rest; y is found from the rod, below the origin. */
static int describe(VidaSystem** system, VidaError* error) {
  const double gravity[2] = {0.0, -9.81};
  const VidaParticle bob = {
      .name = "bob", .mass = 2.0, .position = {VidaInitial_Given(1.2), VidaInitial_Free(-1.0)}};
  const VidaDistance rod = {.name = "rod",
                            .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                            .to = VidaPoint_Particle(0),
                            .length = 1.5};
  int code = VidaSystem_Create("pendulum", 2, system, error);
  code = code ? code : VidaSystem_AddGravity(*system, gravity, error);
  code = code ? code : VidaSystem_AddParticle(*system, &bob, NULL, error);
  code = code ? code : VidaSystem_AddDistance(*system, &rod, error);
  return code ? code : VidaSystem_Complete(*system, error);
}

/* What VIDA gives: vectors of the right size, consistent values, tolerances. */
static int fill(VidaFormulation* formulation, double rtol, N_Vector vectors[4], VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int k = 0; k < 4 && !code; k++) {
    code = VidaFormulation_CreateVector(formulation, &vectors[k], error);
  }
  code = code ? code
              : VidaFormulation_Start(formulation, 0.0, NULL, NULL, vectors[0], vectors[1], error);
  code = code ? code : VidaFormulation_FillId(formulation, vectors[2], error);
  return code ? code : VidaFormulation_FillTolerances(formulation, rtol, vectors[3], error);
}

/* IDA as in every program; the formulation is its user data. */
static int set_up(void* ida, SUNLinearSolver solver, SUNMatrix matrix, VidaFormulation* formulation,
                  double rtol, N_Vector vectors[4]) {
  int flag = ida && solver ? IDA_SUCCESS : IDA_MEM_FAIL;
  flag = flag ? flag : IDAInit(ida, VidaFormulation_Residual, 0.0, vectors[0], vectors[1]);
  flag = flag ? flag : IDASetUserData(ida, formulation);
  flag = flag ? flag : IDASetId(ida, vectors[2]);
  flag = flag ? flag : IDASetSuppressAlg(ida, 1);
  flag = flag ? flag : IDASVtolerances(ida, rtol, vectors[3]);
  flag = flag ? flag : IDASetInitStep(ida, VidaFormulation_FirstStep(formulation, rtol));
  flag = flag ? flag : IDASetLinearSolver(ida, solver, matrix);
  return flag ? flag : IDASetJacFn(ida, VidaFormulation_Jacobian);
}

/* Prints the state at five times; *flag receives what IDA returned last. */
static int integrate(void* ida, VidaFormulation* formulation, N_Vector y, N_Vector dy, int* flag,
                     VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int k = 1; k <= 5 && !code && *flag >= 0; k++) {
    double t = 0.0, tension = 0.0, energy = 0.0;
    *flag = IDASolve(ida, 0.5 * k, &t, y, dy, IDA_NORMAL);
    if (*flag >= 0) {
      const double* q = N_VGetArrayPointer(y);
      code = VidaFormulation_Multipliers(formulation, t, y, &tension, error);
      code = code ? code : VidaFormulation_Energy(formulation, t, y, &energy, error);
      printf("t = %.1f s  x = %+.6f m  y = %+.6f m  tension = %.4f N  energy = %.5f J\n", t, q[0],
             q[1], tension, energy);
    }
  }
  return code;
}

int main(void) {
  const double rtol = 1e-8;
  VidaSystem* system = NULL;
  VidaFormulation* formulation = NULL;
  VidaError error = {0};
  SUNContext context = NULL;
  N_Vector vectors[4] = {NULL}; /* y, y', which variables are tested, tolerances */
  SUNMatrix matrix = NULL;
  SUNLinearSolver solver = NULL;
  void* ida = NULL;

  int flag = SUNContext_Create(SUN_COMM_NULL, &context) ? IDA_MEM_FAIL : IDA_SUCCESS;
  int code = describe(&system, &error);
  if (!code && !flag) {
    code = VidaFormulation_Create(system, VIDA_FORMULATION_GGL, context, &formulation, &error);
    code = code ? code : fill(formulation, rtol, vectors, &error);
    code =
        code ? code : VidaFormulation_CreateMatrix(formulation, SUNMATRIX_DENSE, &matrix, &error);
  }
  if (!code && !flag) {
    ida = IDACreate(context);
    solver = SUNLinSol_Dense(vectors[0], matrix, context);
    flag = set_up(ida, solver, matrix, formulation, rtol, vectors);
    code = integrate(ida, formulation, vectors[0], vectors[1], &flag, &error);
  }
  if (code) {
    fprintf(stderr, "%s: %s\n", Vida_CodeName(code), error.message);
  } else if (flag < 0) {
    const VidaError* last = VidaFormulation_LastError(formulation);
    fprintf(stderr, "IDA failed with the flag %d: %s\n", flag, last ? last->message : "");
  }

  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (int k = 0; k < 4; k++) {
    N_VDestroy(vectors[k]);
  }
  VidaFormulation_Destroy(&formulation);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
  return code || flag < 0;
}
