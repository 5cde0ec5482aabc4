/* Formulations in a program: positions from KINSOL, constraints that depend on each other, a large
 * system with a sparse solver, and C functions that fail. */
#include <ida/ida.h>
#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/mechanism.h"
#include "support/model.h"
#include "support/program.h"

static const double pi = 3.14159265358979323846;

/* ---- KINSOL ---------------------------------------------------------------------------------- */

/* Solves for the positions nearest to q0; y receives them with mu. */
static void solve_positions(VidaFormulation* formulation, const double* q0, SUNContext context,
                            N_Vector y) {
  VidaError error = {0};
  SUNMatrix matrix = NULL;
  N_Vector ones = N_VClone(y);
  N_VConst(1.0, ones);
  REQUIRE_OK(VidaFormulation_Start(formulation, 0.0, q0, NULL, y, NULL, &error), &error);
  REQUIRE_OK(VidaFormulation_CreateMatrix(formulation, SUNMATRIX_DENSE, &matrix, &error), &error);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void* memory = KINCreate(context);
  REQUIRE_OK(KINInit(memory, VidaFormulation_PositionResidual, y), NULL);
  REQUIRE_OK(KINSetUserData(memory, formulation), NULL);
  REQUIRE_OK(KINSetLinearSolver(memory, solver, matrix), NULL);
  REQUIRE_OK(KINSetJacFn(memory, VidaFormulation_PositionJacobian), NULL);
  REQUIRE_OK(KINSetMaxSetupCalls(memory, 1), NULL);
  REQUIRE_OK(KINSetFuncNormTol(memory, 1e-12), NULL);
  REQUIRE_OK(KINSetMaxNewtonStep(memory, 1e6), NULL);
  REQUIRE_OK(KINSol(memory, y, KIN_NONE, ones, ones) < 0 ? 1 : 0, NULL);
  KINFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(ones);
}

/* The point of a circle that is nearest to a given one lies on its radius. */
static void test_pendulum_position(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  const Model model = model_pendulum(2, 2.0, 1.5, 0.5, 0.0);
  VidaSystem* system = model_system(&model);
  VidaFormulation* formulation = NULL;
  N_Vector y = NULL;
  const double q0[2] = {0.9, -1.6};
  REQUIRE_OK(
      VidaFormulation_Create(system, VIDA_FORMULATION_POSITIONS, context, &formulation, &error),
      &error);
  EXPECT(VidaFormulation_Size(formulation) == 3, "size %ld",
         (long)VidaFormulation_Size(formulation));
  REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
  solve_positions(formulation, q0, context, y);
  EXPECT(VidaFormulation_System(formulation) == system, "another system");
  N_Vector signs = N_VClone(y);
  N_VConst(1.0, signs);
  REQUIRE_OK(VidaFormulation_FillConstraints(formulation, signs, &error), &error);
  EXPECT(N_VMaxNorm(signs) == 0.0, "a variable has a sign condition");
  N_VDestroy(signs);
  const double factor = 1.5 / hypot(q0[0], q0[1]);
  EXPECT_NEAR(NV_Ith_S(y, 0), factor * q0[0], 1e-12, "x");
  EXPECT_NEAR(NV_Ith_S(y, 1), factor * q0[1], 1e-12, "y");
  EXPECT_ERROR(VidaFormulation_FillId(formulation, y, &error), &error, VIDA_NOT_SUPPORTED,
               "no velocities");
  EXPECT(VidaFormulation_Residual(0.0, y, y, y, formulation) < 0, "a residual for IDA");
  N_VDestroy(y);
  VidaFormulation_Destroy(&formulation);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

/* The positions of a body with a hinge satisfy its rows. */
static void test_door_position(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  const Door door = {.hinges = 1, .opened = pi / 3.0};
  VidaSystem* system = mechanism_door(&door);
  VidaFormulation* formulation = NULL;
  N_Vector y = NULL;
  double q[DOOR_COORDINATES], v[DOOR_COORDINATES];
  REQUIRE_OK(
      VidaFormulation_Create(system, VIDA_FORMULATION_POSITIONS, context, &formulation, &error),
      &error);
  REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  for (int i = 0; i < DOOR_COORDINATES; i++) {
    q[i] += 0.02 * sin(1.0 + i);
  }
  solve_positions(formulation, q, context, y);
  VidaFormulation* checked = NULL;
  N_Vector whole = NULL;
  double position = NAN;
  REQUIRE_OK(VidaFormulation_Create(system, VIDA_FORMULATION_ODE, context, &checked, &error),
             &error);
  REQUIRE_OK(VidaFormulation_CreateVector(checked, &whole, &error), &error);
  memcpy(N_VGetArrayPointer(whole), N_VGetArrayPointer(y), sizeof q);
  REQUIRE_OK(VidaFormulation_ConstraintErrors(checked, 0.0, whole, &position, NULL, &error),
             &error);
  EXPECT_BELOW(position, 1e-11, "|g|");
  N_VDestroy(y);
  N_VDestroy(whole);
  VidaFormulation_Destroy(&formulation);
  VidaFormulation_Destroy(&checked);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

static void test_position_jacobian(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  VidaSystem* system = program_slider_crank();
  VidaFormulation* formulation = NULL;
  N_Vector y = NULL;
  SUNMatrix matrix = NULL;
  REQUIRE_OK(
      VidaFormulation_Create(system, VIDA_FORMULATION_POSITIONS, context, &formulation, &error),
      &error);
  REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
  REQUIRE_OK(VidaFormulation_Start(formulation, 0.0, NULL, NULL, y, NULL, &error), &error);
  REQUIRE_OK(VidaFormulation_CreateMatrix(formulation, SUNMATRIX_DENSE, &matrix, &error), &error);
  const sunindextype size = N_VGetLength(y);
  for (sunindextype i = 0; i < size; i++) {
    NV_Ith_S(y, i) += 0.1 * sin(1.0 + 3.0 * (double)i);
  }
  REQUIRE_OK(VidaFormulation_PositionJacobian(y, NULL, matrix, formulation, NULL, NULL), NULL);
  N_Vector plus = N_VClone(y), minus = N_VClone(y);
  for (sunindextype j = 0; j < size; j++) {
    const double value = NV_Ith_S(y, j), shift = 1e-6;
    NV_Ith_S(y, j) = value + shift;
    REQUIRE_OK(VidaFormulation_PositionResidual(y, plus, formulation), NULL);
    NV_Ith_S(y, j) = value - shift;
    REQUIRE_OK(VidaFormulation_PositionResidual(y, minus, formulation), NULL);
    NV_Ith_S(y, j) = value;
    for (sunindextype i = 0; i < size; i++) {
      EXPECT_NEAR(SM_ELEMENT_D(matrix, i, j),
                  (NV_Ith_S(plus, i) - NV_Ith_S(minus, i)) / (2.0 * shift), 1e-8,
                  "row %ld, column %ld", (long)i, (long)j);
    }
  }
  N_VDestroy(plus);
  N_VDestroy(minus);
  N_VDestroy(y);
  SUNMatDestroy(matrix);
  VidaFormulation_Destroy(&formulation);
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

/* ---- IDA ------------------------------------------------------------------------------------- */

/* A physical pendulum: after a quarter of its period 4.2183052440757 s the door is at its lowest
 * with 1.59850959783 rad/s (tests/system/test_rank.c). Its hinges have five rows too many. */
static void test_redundant_door(void) {
  const Door door = {.hinges = 2, .opened = pi / 3.0};
  for (int kind = VIDA_FORMULATION_INDEX_2; kind <= VIDA_FORMULATION_INDEX_1; kind++) {
    VidaSystem* system = mechanism_door(&door);
    Program program = program_with_ida(system, (VidaFormulationKind)kind, SUNMATRIX_SPARSE, 1e-9);
    program_solve(&program, 4.2183052440757 / 4.0);
    const double* y = N_VGetArrayPointer(program.y);
    EXPECT_BELOW(mechanism_door_angle(y), 1e-5, "formulation %d: angle", kind);
    EXPECT_NEAR(mechanism_door_rate(y, y + DOOR_COORDINATES), -1.59850959783, 1e-5,
                "formulation %d: rate", kind);
    program_free(&program);
    VidaSystem_Destroy(&system);
  }
}

/* A chain of 60 links, horizontal and at rest, fixed at one end. The first moments of its fall: the
 * last particle falls freely with nothing below it, but the tension of the links is zero in this
 * position, so that all particles begin with the acceleration g (d'Alembert). */
static void test_chain(void) {
  enum { LINKS = 60 };
  VidaError error = {0};
  VidaSystem* system = NULL;
  const double gravity[2] = {0.0, -9.81};
  REQUIRE_OK(VidaSystem_Create("chain", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  for (int k = 0; k < LINKS; k++) {
    char name[16], rod[16];
    snprintf(name, sizeof name, "p%d", k);
    snprintf(rod, sizeof rod, "rod %d", k);
    const VidaParticle particle = {
        .name = name, .mass = 1.0, .position = {{.value = 1.0 + k}, {.value = 0.0}}};
    const VidaDistance link = {
        .name = rod,
        .from = k ? VidaPoint_Particle(k - 1) : VidaPoint_Fixed(0.0, 0.0, 0.0),
        .to = VidaPoint_Particle(k),
        .length = 1.0};
    REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddDistance(system, &link, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  Program program = program_with_ida(system, VIDA_FORMULATION_GGL, SUNMATRIX_SPARSE, 1e-7);
  const double* dy = N_VGetArrayPointer(program.dy);
  for (int i = 0; i < 2 * LINKS; i++) {
    EXPECT_NEAR(dy[2 * LINKS + i], i % 2 ? -9.81 : 0.0, 1e-12, "acceleration %d", i);
  }
  double before = 0.0, after = 0.0, position = 0.0;
  REQUIRE_OK(VidaFormulation_Energy(program.formulation, 0.0, program.y, &before, &error), &error);
  program_solve(&program, 1.0);
  REQUIRE_OK(VidaFormulation_Energy(program.formulation, 1.0, program.y, &after, &error), &error);
  REQUIRE_OK(VidaFormulation_ConstraintErrors(program.formulation, 1.0, program.y, &position, NULL,
                                              &error),
             &error);
  /* Of a fall by some metres of 60 kg, thousands of joules. */
  EXPECT_NEAR(after, before, 0.1, "energy");
  EXPECT_BELOW(position, 1e-4, "|g|");
  program_free(&program);
  VidaSystem_Destroy(&system);
}

/* ---- C functions that fail ------------------------------------------------------------------- */

static int code_of_force; /* what the function below returns */

static int value(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t, (void)q, (void)data;
  *lagrangian = 0.5 * v[0] * v[0];
  return code_of_force;
}

static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  (void)t, (void)q, (void)data;
  l_q[0] = code_of_force == 5 ? (double)NAN : 0.0;
  l_v[0] = v[0];
  return code_of_force == 5 ? 0 : code_of_force;
}

/* The sign says whether a smaller step may help, and the message names the term. */
static void test_callbacks(void) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  const VidaLagrangian functions = {.value = value, .gradient = gradient};
  code_of_force = 0;
  REQUIRE_OK(VidaSystem_Create("one", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(1.0), NULL, &error),
             &error);
  REQUIRE_OK(
      VidaSystem_AddLagrangian(system, "mine", 1, (const int[]){0}, &functions, NULL, &error),
      &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  for (int kind = VIDA_FORMULATION_INDEX_3; kind <= VIDA_FORMULATION_INDEX_1; kind++) {
    Program program = program_with_ida(system, (VidaFormulationKind)kind, SUNMATRIX_DENSE, 1e-6);
    static const int codes[] = {1, -1, 5};
    for (int k = 0; k < 3; k++) {
      code_of_force = codes[k];
      const int code =
          VidaFormulation_Residual(0.0, program.y, program.dy, program.atol, program.formulation);
      EXPECT(codes[k] < 0 ? code < 0 : code > 0, "code %d gives %d", codes[k], code);
      EXPECT(VidaFormulation_LastError(program.formulation)->code == code, "another reason");
      if (codes[k] != 5) {
        EXPECT(strstr(VidaFormulation_LastError(program.formulation)->message, "mine"),
               "the message is '%s'", VidaFormulation_LastError(program.formulation)->message);
      }
      code_of_force = 0;
    }
    program_free(&program);
  }
  VidaSystem_Destroy(&system);
}

static const CheckTest tests[] = {{"KINSOL, pendulum", test_pendulum_position},
                                  {"KINSOL, door", test_door_position},
                                  {"KINSOL, Jacobian", test_position_jacobian},
                                  {"dependent rows", test_redundant_door},
                                  {"chain", test_chain},
                                  {"C functions that fail", test_callbacks},
                                  {NULL, NULL}};

int main(void) {
  return check_main("formulations in a program", tests);
}
