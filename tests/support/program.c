#include "support/program.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"

SUNContext program_context(void) {
  SUNContext context = NULL;
#if SUNDIALS_VERSION_MAJOR >= 7
  const int code = SUNContext_Create(SUN_COMM_NULL, &context);
#else
  const int code = SUNContext_Create(NULL, &context);
#endif
  check_ok(code, NULL, __FILE__, __LINE__, "SUNContext_Create");
  return context;
}

/* ---- the slider-crank ------------------------------------------------------------------------ */

/* The crank turns about its end, where its inertia is 1; the rod's centre of mass is at the slider,
 * and it reaches 1 beyond it, where the force acts. */
VidaSystem* program_slider_crank(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  int crank = -1, rod = -1;
  const double a = 0.5, angle = asin(-a), right_angle = acos(0.0);
  REQUIRE_OK(VidaSystem_Create("slider-crank", 2, &s, &error), &error);
  const VidaPlaneBody crank_body = {.name = "crank",
                                    .mass = 1.0,
                                    .inertia = 1.0 - 0.25 * a * a,
                                    .position = {{.value = 0.0}, {.value = 0.5 * a}},
                                    .angle = right_angle};
  const VidaPlaneBody rod_body = {.name = "rod",
                                  .mass = 1.0,
                                  .inertia = 2.0,
                                  .position = {{.value = cos(angle)}, {.value = 0.0}},
                                  .angle = angle};
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &crank_body, &crank, &error), &error);
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &rod_body, &rod, &error), &error);
  const VidaJoint joints[] = {
      {.name = "bearing",
       .kind = VIDA_JOINT_REVOLUTE,
       .ends = {VidaEnd_Ground(0.0, 0.0, 0.0), VidaEnd_Body(crank, -0.5 * a, 0.0, 0.0)}},
      {.name = "crank pin",
       .kind = VIDA_JOINT_REVOLUTE,
       .ends = {VidaEnd_Body(crank, 0.5 * a, 0.0, 0.0), VidaEnd_Body(rod, -1.0, 0.0, 0.0)}}};
  REQUIRE_OK(VidaSystem_AddJoint(s, &joints[0], &error), &error);
  REQUIRE_OK(VidaSystem_AddJoint(s, &joints[1], &error), &error);
  const VidaGuide slide = {
      .name = "slide",
      .ends = {VidaEnd_Ground(0.0, 0.0, 0.0), VidaEnd_Body(rod, 0.0, 0.0, 0.0)},
      .count = 1,
      .across = {{0.0, 1.0}}};
  REQUIRE_OK(VidaSystem_AddGuide(s, &slide, &error), &error);
  const VidaEnd middles[2] = {VidaEnd_Body(crank, 0.0, 0.0, 0.0),
                              VidaEnd_Body(rod, -0.5, 0.0, 0.0)};
  VidaLinkSpring spring = {.name = "spring", .stiffness = {1.0, 0}, .length = {1.0, 0}};
  VidaLinkDamper damper = {.name = "damper", .damping = {1.0, 0}};
  memcpy(spring.ends, middles, sizeof middles);
  memcpy(damper.ends, middles, sizeof middles);
  REQUIRE_OK(VidaSystem_AddLinkSpring(s, &spring, &error), &error);
  REQUIRE_OK(VidaSystem_AddLinkDamper(s, &damper, &error), &error);
  const VidaExpression reach =
      apply(s, "+", position(s, SLIDER), apply(s, "cos", position(s, ROD_ANGLE), -1));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "force", reach, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* ---- IDA ------------------------------------------------------------------------------------- */

static void require_flag(int flag, const char* call) {
  check_ok(flag < 0 ? flag : 0, NULL, __FILE__, __LINE__, call);
}

#define REQUIRE_FLAG(call) require_flag((call), #call)

Program program_with_ida(const VidaSystem* system, VidaFormulationKind kind, SUNMatrix_ID matrix,
                         double rtol) {
  VidaError error = {0};
  Program p = {.context = program_context()};
  REQUIRE_OK(VidaFormulation_Create(system, kind, p.context, &p.formulation, &error), &error);
  REQUIRE_OK(VidaFormulation_CreateVector(p.formulation, &p.y, &error), &error);
  p.dy = N_VClone(p.y);
  p.id = N_VClone(p.y);
  p.atol = N_VClone(p.y);
  REQUIRE_OK(VidaFormulation_CreateMatrix(p.formulation, matrix, &p.matrix, &error), &error);
  REQUIRE_OK(VidaFormulation_Start(p.formulation, 0.0, NULL, NULL, p.y, p.dy, &error), &error);
  REQUIRE_OK(VidaFormulation_FillId(p.formulation, p.id, &error), &error);
  REQUIRE_OK(VidaFormulation_FillTolerances(p.formulation, rtol, p.atol, &error), &error);
  p.solver = matrix == SUNMATRIX_DENSE ? SUNLinSol_Dense(p.y, p.matrix, p.context)
                                       : SUNLinSol_KLU(p.y, p.matrix, p.context);
  p.memory = IDACreate(p.context);
  REQUIRE_FLAG(IDAInit(p.memory, VidaFormulation_Residual, 0.0, p.y, p.dy));
  REQUIRE_FLAG(IDASetUserData(p.memory, p.formulation));
  REQUIRE_FLAG(IDASVtolerances(p.memory, rtol, p.atol));
  REQUIRE_FLAG(IDASetId(p.memory, p.id));
  REQUIRE_FLAG(IDASetSuppressAlg(p.memory, 1));
  REQUIRE_FLAG(IDASetLinearSolver(p.memory, p.solver, p.matrix));
  REQUIRE_FLAG(IDASetJacFn(p.memory, VidaFormulation_Jacobian));
  REQUIRE_FLAG(IDASetInitStep(p.memory, VidaFormulation_FirstStep(p.formulation, rtol)));
  REQUIRE_FLAG(IDASetMaxNumSteps(p.memory, 1000000));
  return p;
}

void program_solve(Program* program, double t) {
  double reached = 0.0;
  REQUIRE_FLAG(IDASolve(program->memory, t, &reached, program->y, program->dy, IDA_NORMAL));
}

void program_free(Program* program) {
  IDAFree(&program->memory);
  SUNLinSolFree(program->solver);
  SUNMatDestroy(program->matrix);
  N_VDestroy(program->y);
  N_VDestroy(program->dy);
  N_VDestroy(program->id);
  N_VDestroy(program->atol);
  VidaFormulation_Destroy(&program->formulation);
  SUNContext_Free(&program->context);
}
