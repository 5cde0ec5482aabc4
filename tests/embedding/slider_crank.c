/* The slider-crank of SUNDIALS' example idaSlCrank_dns (R. Serban, LLNL) with its physics as a
 * VidaSystem of bodies and joints: how a program keeps its IDA and gets residual, Jacobian, initial
 * values and tolerances from VIDA.
 *
 * A crank of length 1/2 turns about the origin, a connecting rod of length 1 joins it to a slider
 * on the x axis. A spring and a damper connect the middles of both, and a constant force acts along
 * x. As in the original the equations are those of Gear, Gupta and Leimkuhler (stabilized index 2),
 * with the same tolerances. */
#include <ida/ida.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <vida/sundials.h>
#include <vida/vida.h>

/* ---- the physics -----------------------------------------------------------------------------
 */

enum { CRANK_ANGLE = 2, SLIDER = 3, ROD_ANGLE = 5 }; /* coordinates: x, y, angle of each body */

/* The rod's centre of mass is at the slider, as in the original, and the force acts at a point that
 * is as far beyond the slider as the crank pin is before it: its potential is -(x + cos angle). */
static int describe(VidaSystem** system, VidaError* error) {
  const double a = 0.5, angle = asin(-a);
  const VidaPlaneBody crank = {.name = "crank",
                               .mass = 1.0,
                               .inertia = 1.0 - a * a / 4.0, /* 1 about its bearing */
                               .position = {{.value = 0.0}, {.value = a / 2.0}},
                               .angle = acos(0.0)};
  const VidaPlaneBody rod = {.name = "rod",
                             .mass = 1.0,
                             .inertia = 2.0,
                             .position = {{.value = cos(angle)}, {.value = 0.0}},
                             .angle = angle};
  const VidaEnd origin = VidaEnd_Ground(0.0, 0.0, 0.0), slider = VidaEnd_Body(1, 0.0, 0.0, 0.0);
  const VidaEnd bearing = VidaEnd_Body(0, -a / 2.0, 0.0, 0.0), tip = VidaEnd_Body(0, a / 2, 0, 0);
  const VidaEnd middle = VidaEnd_Body(0, 0.0, 0.0, 0.0), pin = VidaEnd_Body(1, -1.0, 0.0, 0.0);
  const VidaEnd half = VidaEnd_Body(1, -0.5, 0.0, 0.0);
  const VidaJoint joints[] = {
      {.name = "bearing", .kind = VIDA_JOINT_REVOLUTE, .ends = {origin, bearing}},
      {.name = "crank pin", .kind = VIDA_JOINT_REVOLUTE, .ends = {tip, pin}}};
  const VidaGuide slide = {
      .name = "slide", .ends = {origin, slider}, .count = 1, .across = {{0.0, 1.0}}};
  const VidaLinkSpring spring = {
      .name = "spring", .ends = {middle, half}, .stiffness = {1.0, 0}, .length = {1.0, 0}};
  const VidaLinkDamper damper = {.name = "damper", .ends = {middle, half}, .damping = {1.0, 0}};
  VidaExpression reach[2], sum;
  int code = VidaSystem_Create("slider-crank", 2, system, error);
  code = code ? code : VidaSystem_AddPlaneBody(*system, &crank, NULL, error);
  code = code ? code : VidaSystem_AddPlaneBody(*system, &rod, NULL, error);
  code = code ? code : VidaSystem_AddJoint(*system, &joints[0], error);
  code = code ? code : VidaSystem_AddJoint(*system, &joints[1], error);
  code = code ? code : VidaSystem_AddGuide(*system, &slide, error);
  code = code ? code : VidaSystem_AddLinkSpring(*system, &spring, error);
  code = code ? code : VidaSystem_AddLinkDamper(*system, &damper, error);
  code = code ? code : VidaSystem_Position(*system, ROD_ANGLE, &reach[1], error);
  code = code ? code : VidaSystem_Apply(*system, "cos", 1, &reach[1], &reach[1], error);
  code = code ? code : VidaSystem_Position(*system, SLIDER, &reach[0], error);
  code = code ? code : VidaSystem_Apply(*system, "+", 2, reach, &sum, error);
  code = code ? code : VidaSystem_AddExpressionLagrangian(*system, "force", sum, error);
  return code ? code : VidaSystem_Complete(*system, error);
}

/* ---- the program -----------------------------------------------------------------------------
 */

/* What the program uses of SUNDIALS. */
typedef struct Integrator {
  SUNContext context;
  void* memory;
  N_Vector y, dy, id;
  SUNMatrix matrix;
  SUNLinearSolver solver;
} Integrator;

/* Sets IDA up for the formulation. */
static int set_up(VidaFormulation* formulation, Integrator* ida, VidaError* error) {
  int code;
  if ((code = VidaFormulation_CreateVector(formulation, &ida->y, error)) != 0)
    return code;
  ida->dy = N_VClone(ida->y);
  ida->id = N_VClone(ida->y);
  /* Positions, velocities and multipliers that satisfy all equations, as well as their rates. */
  if ((code = VidaFormulation_Start(formulation, 0.0, NULL, NULL, ida->y, ida->dy, error)) != 0)
    return code;
  if ((code = VidaFormulation_FillId(formulation, ida->id, error)) != 0)
    return code;
  if ((code = VidaFormulation_CreateMatrix(formulation, SUNMATRIX_DENSE, &ida->matrix, error)) != 0)
    return code;
  ida->solver = SUNLinSol_Dense(ida->y, ida->matrix, ida->context);
  ida->memory = IDACreate(ida->context);
  if (!ida->solver || IDAInit(ida->memory, VidaFormulation_Residual, 0.0, ida->y, ida->dy) ||
      IDASetUserData(ida->memory, formulation) || IDASStolerances(ida->memory, 1e-6, 1e-6) ||
      IDASetId(ida->memory, ida->id) || IDASetSuppressAlg(ida->memory, 1) ||
      IDASetLinearSolver(ida->memory, ida->solver, ida->matrix) ||
      IDASetJacFn(ida->memory, VidaFormulation_Jacobian)) {
    snprintf(error->message, sizeof error->message, "IDA could not be set up");
    return VIDA_SOLVER_FAILED;
  }
  return 0;
}

static void show(const Integrator* ida, double t) {
  const double* y = N_VGetArrayPointer(ida->y);
  long steps = 0;
  IDAGetNumSteps(ida->memory, &steps);
  printf("%10.4e %12.4e %12.4e %12.4e  %3ld\n", t, y[CRANK_ANGLE], y[SLIDER], y[ROD_ANGLE], steps);
}

static int simulate(const Integrator* ida, const VidaFormulation* formulation, VidaError* error) {
  double t = 0.0;
  printf("  t          crank angle  slider       rod angle     steps\n");
  show(ida, t);
  for (int k = 1; k <= 40; k++) {
    const int flag = IDASolve(ida->memory, 0.25 * k, &t, ida->y, ida->dy, IDA_NORMAL);
    if (flag < 0) {
      snprintf(error->message, sizeof error->message, "IDASolve: flag %d; %.400s", flag,
               VidaFormulation_LastError(formulation)->message);
      return VIDA_SOLVER_FAILED;
    }
    show(ida, t);
  }
  return 0;
}

static void show_counts(const Integrator* ida) {
  long steps = 0, residuals = 0, jacobians = 0, iterations = 0;
  IDAGetNumSteps(ida->memory, &steps);
  IDAGetNumResEvals(ida->memory, &residuals);
  IDAGetNumJacEvals(ida->memory, &jacobians);
  IDAGetNumNonlinSolvIters(ida->memory, &iterations);
  printf("\nNumber of steps                = %ld\n", steps);
  printf("Number of residual evaluations = %ld\n", residuals);
  printf("Number of Jacobian evaluations = %ld\n", jacobians);
  printf("Number of nonlinear iterations = %ld\n", iterations);
}

static void free_integrator(Integrator* ida) {
  if (ida->memory)
    IDAFree(&ida->memory);
  if (ida->solver)
    SUNLinSolFree(ida->solver);
  if (ida->matrix)
    SUNMatDestroy(ida->matrix);
  if (ida->y)
    N_VDestroy(ida->y);
  if (ida->dy)
    N_VDestroy(ida->dy);
  if (ida->id)
    N_VDestroy(ida->id);
}

#if SUNDIALS_VERSION_MAJOR >= 7
#define NO_COMMUNICATOR SUN_COMM_NULL
#else
#define NO_COMMUNICATOR NULL
#endif

int main(void) {
  VidaSystem* system = NULL;
  VidaFormulation* formulation = NULL;
  Integrator ida = {0};
  VidaError error = {0};
  int code = SUNContext_Create(NO_COMMUNICATOR, &ida.context) ? VIDA_SOLVER_FAILED : 0;

  if (code == 0 && (code = describe(&system, &error)) == 0 &&
      (code = VidaFormulation_Create(system, VIDA_FORMULATION_GGL, ida.context, &formulation,
                                     &error)) == 0 &&
      (code = set_up(formulation, &ida, &error)) == 0 &&
      (code = simulate(&ida, formulation, &error)) == 0)
    show_counts(&ida);
  if (code != 0)
    fprintf(stderr, "%s: %s\n", Vida_CodeName(code), error.message);

  free_integrator(&ida);
  VidaFormulation_Destroy(&formulation);
  VidaSystem_Destroy(&system);
  if (ida.context)
    SUNContext_Free(&ida.context);
  return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
