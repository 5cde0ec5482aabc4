/* vida/sundials.h with NULL, with vectors and matrices that do not fit, and in the wrong order. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/program.h"
#include "support/refused.h"

static SUNContext context;
static VidaSystem* system_of_test;
static VidaFormulation* dae; /* index 2: q, v (2 each), lambda */
static VidaFormulation* ode;
static N_Vector y, dy;

static void begin(void) {
  VidaError error = {0};
  const Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  context = program_context();
  system_of_test = model_system(&model);
  REQUIRE_OK(
      VidaFormulation_Create(system_of_test, VIDA_FORMULATION_INDEX_2, context, &dae, &error),
      &error);
  REQUIRE_OK(VidaFormulation_Create(system_of_test, VIDA_FORMULATION_ODE, context, &ode, &error),
             &error);
  REQUIRE_OK(VidaFormulation_CreateVector(dae, &y, &error), &error);
  dy = N_VClone(y);
}

static void end(void) {
  N_VDestroy(y);
  N_VDestroy(dy);
  VidaFormulation_Destroy(&dae);
  VidaFormulation_Destroy(&ode);
  VidaSystem_Destroy(&system_of_test);
  SUNContext_Free(&context);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

static void test_null(void) {
  VidaError error = {0};
  VidaFormulation* none = NULL;
  N_Vector vector = NULL;
  SUNMatrix matrix = NULL;
  double value = 0.0;
  begin();
  const VidaFormulationKind kind = VIDA_FORMULATION_GGL;
  REFUSED("formulation", VidaFormulation_Create(system_of_test, kind, context, NULL, &error));
  REFUSED("system", VidaFormulation_Create(NULL, kind, context, &none, &error));
  REFUSED("context", VidaFormulation_Create(system_of_test, kind, NULL, &none, &error));
  VidaFormulation_Destroy(NULL);
  VidaFormulation_Destroy(&none);
  EXPECT(VidaFormulation_Size(NULL) == 0, "a size of nothing");
  EXPECT(!VidaFormulation_System(NULL), "a system of nothing");
  EXPECT(!VidaFormulation_LastError(NULL), "an error of nothing");
  EXPECT(isnan(VidaFormulation_FirstStep(NULL, 1e-6)), "a step of nothing");
  REFUSED("formulation", VidaFormulation_CreateVector(NULL, &vector, &error));
  REFUSED("vector", VidaFormulation_CreateVector(dae, NULL, &error));
  REFUSED("formulation", VidaFormulation_CreateMatrix(NULL, SUNMATRIX_DENSE, &matrix, &error));
  REFUSED("matrix", VidaFormulation_CreateMatrix(dae, SUNMATRIX_DENSE, NULL, &error));
  REFUSED("formulation", VidaFormulation_Start(NULL, 0.0, NULL, NULL, y, dy, &error));
  REFUSED("y", VidaFormulation_Start(dae, 0.0, NULL, NULL, NULL, dy, &error));
  EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, &value, NULL, y, dy, &error), &error,
               VIDA_BAD_ARGUMENT, "only q is given");
  REFUSED("formulation", VidaFormulation_FillId(NULL, y, &error));
  REFUSED("id", VidaFormulation_FillId(dae, NULL, &error));
  REFUSED("formulation", VidaFormulation_FillConstraints(NULL, y, &error));
  REFUSED("constraints", VidaFormulation_FillConstraints(dae, NULL, &error));
  REFUSED("formulation", VidaFormulation_FillTolerances(NULL, 1e-6, y, &error));
  REFUSED("atol", VidaFormulation_FillTolerances(dae, 1e-6, NULL, &error));
  REFUSED("formulation", VidaFormulation_Multipliers(NULL, 0.0, y, &value, &error));
  REFUSED("y", VidaFormulation_Multipliers(dae, 0.0, NULL, &value, &error));
  REFUSED("lambda", VidaFormulation_Multipliers(dae, 0.0, y, NULL, &error));
  REFUSED("formulation", VidaFormulation_Energy(NULL, 0.0, y, &value, &error));
  REFUSED("y", VidaFormulation_Energy(dae, 0.0, NULL, &value, &error));
  REFUSED("energy", VidaFormulation_Energy(dae, 0.0, y, NULL, &error));
  REFUSED("formulation", VidaFormulation_ConstraintErrors(NULL, 0.0, y, NULL, NULL, &error));
  REFUSED("y", VidaFormulation_ConstraintErrors(dae, 0.0, NULL, NULL, NULL, &error));
  end();
}

/* Functions that integrators call return a negative code. */
static void test_null_functions(void) {
  begin();
  EXPECT(VidaFormulation_Residual(0.0, y, dy, dy, NULL) < 0, "no formulation");
  EXPECT(VidaFormulation_Residual(0.0, NULL, dy, dy, dae) < 0, "no y");
  EXPECT(VidaFormulation_Residual(0.0, y, NULL, dy, dae) < 0, "no y'");
  EXPECT(VidaFormulation_Residual(0.0, y, dy, NULL, dae) < 0, "no residual");
  EXPECT(VidaFormulation_LastError(dae)->code == VIDA_BAD_ARGUMENT, "the reason is lost");
  EXPECT(VidaFormulation_Jacobian(0.0, 1.0, y, dy, NULL, NULL, NULL, NULL, NULL, NULL) < 0,
         "no formulation");
  EXPECT(VidaFormulation_Jacobian(0.0, 1.0, y, dy, NULL, NULL, dae, NULL, NULL, NULL) < 0,
         "no matrix");
  EXPECT(VidaFormulation_Rate(0.0, y, dy, NULL) < 0, "no formulation");
  EXPECT(VidaFormulation_Rate(0.0, NULL, dy, ode) < 0, "no y");
  EXPECT(VidaFormulation_RateJacobian(0.0, y, dy, NULL, NULL, NULL, NULL, NULL) < 0,
         "no formulation");
  EXPECT(VidaFormulation_RateJacobian(0.0, NULL, dy, NULL, ode, NULL, NULL, NULL) < 0, "no y");
  EXPECT(VidaFormulation_Project(0.0, y, dy, 0.1, NULL, NULL) < 0, "no formulation");
  EXPECT(VidaFormulation_Project(0.0, NULL, dy, 0.1, NULL, ode) < 0, "no y");
  EXPECT(VidaFormulation_Project(0.0, y, NULL, 0.1, NULL, ode) < 0, "no correction");
  EXPECT(VidaFormulation_ProjectStep(0.0, y, NULL) < 0, "no formulation");
  EXPECT(VidaFormulation_ProjectStep(0.0, NULL, ode) < 0, "no y");
  EXPECT(VidaFormulation_PositionResidual(y, dy, NULL) < 0, "no formulation");
  EXPECT(VidaFormulation_PositionJacobian(y, dy, NULL, NULL, NULL, NULL) < 0, "no formulation");
  VidaError error = {0};
  VidaFormulation* positions = NULL;
  REQUIRE_OK(VidaFormulation_Create(system_of_test, VIDA_FORMULATION_POSITIONS, context, &positions,
                                    &error),
             &error);
  EXPECT(VidaFormulation_PositionResidual(NULL, dy, positions) < 0, "no y");
  EXPECT(VidaFormulation_PositionJacobian(NULL, NULL, NULL, positions, NULL, NULL) < 0, "no y");
  VidaFormulation_Destroy(&positions);
  end();
}

static void test_null_stepper(void) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  double t = 0.0;
  begin();
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.01, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system_of_test, options, &stepper, &error), &error);
  REFUSED("stepper", VidaStepper_StartVector(NULL, 0.0, y, &error));
  REFUSED("y", VidaStepper_StartVector(stepper, 0.0, NULL, &error));
  REFUSED("stepper", VidaStepper_GetVector(NULL, y, &error));
  REFUSED("y", VidaStepper_GetVector(stepper, NULL, &error));
  REFUSED("stepper", VidaStepper_Evolve(NULL, 1.0, y, &t, VIDA_NORMAL, &error));
  REFUSED("y", VidaStepper_Evolve(stepper, 1.0, NULL, &t, VIDA_NORMAL, &error));
  REFUSED("t", VidaStepper_Evolve(stepper, 1.0, y, NULL, VIDA_NORMAL, &error));
  REFUSED("stepper", VidaStepper_SetStopTime(NULL, 1.0, &error));
  REFUSED("stepper", VidaStepper_PrintAllStats(NULL, stdout, SUN_OUTPUTFORMAT_TABLE, &error));
  REFUSED("file", VidaStepper_PrintAllStats(stepper, NULL, SUN_OUTPUTFORMAT_TABLE, &error));
#if VIDA_HAS_SUNSTEPPER
  SUNStepper made = NULL;
  REFUSED("created", VidaStepper_CreateSUNStepper(stepper, context, NULL, &error));
  REFUSED("stepper", VidaStepper_CreateSUNStepper(NULL, context, &made, &error));
  REFUSED("context", VidaStepper_CreateSUNStepper(stepper, NULL, &made, &error));
#endif
  const VidaSundialsServices services = {.size = sizeof services, .context = context};
  VidaStepper* created = NULL;
  REFUSED("stepper", VidaStepper_CreateInContext(system_of_test, options, &services, NULL, &error));
  REFUSED("system", VidaStepper_CreateInContext(NULL, options, &services, &created, &error));
  REFUSED("options",
          VidaStepper_CreateInContext(system_of_test, NULL, &services, &created, &error));
  REFUSED("services", VidaStepper_CreateInContext(system_of_test, options, NULL, &created, &error));
  EXPECT(VidaNewtonPattern_Size(NULL) == 0, "a size of nothing");
  EXPECT(VidaNewtonPattern_EntryCount(NULL) == 0, "entries of nothing");
  SUNMatrix matrix = NULL;
  REFUSED("pattern", VidaNewtonPattern_CreateMatrix(NULL, SUNMATRIX_DENSE, &matrix, &error));
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  end();
}

/* ---- what does not fit ----------------------------------------------------------------------- */

static N_Vector vector_without_array(void) {
  N_Vector vector = N_VNewEmpty(context);
  vector->ops->nvgetlength = y->ops->nvgetlength; /* and no nvgetarraypointer */
  vector->content = y->content;
  return vector;
}

static void test_vectors(void) {
  VidaError error = {0};
  begin();
  N_Vector longer = N_VNew_Serial(6, context);
  N_Vector bare = vector_without_array();
  N_Vector empty = N_VNewEmpty_Serial(5, context); /* of the right length, with no array yet */
  const N_Vector vectors[] = {longer, bare, empty};
  const char* const reasons[] = {"6 elements instead of 5", "N_VGetArrayPointer",
                                 "without an array"};
  double value = 0.0;
  for (int k = 0; k < 3; k++) {
    N_Vector other = vectors[k];
    EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, NULL, NULL, other, dy, &error), &error,
                 VIDA_BAD_ARGUMENT, reasons[k]);
    EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, other, &error), &error,
                 VIDA_BAD_ARGUMENT, reasons[k]);
    REQUIRE_OK(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, dy, &error), &error);
    EXPECT_ERROR(VidaFormulation_FillId(dae, other, &error), &error, VIDA_BAD_ARGUMENT, reasons[k]);
    EXPECT_ERROR(VidaFormulation_FillConstraints(dae, other, &error), &error, VIDA_BAD_ARGUMENT,
                 reasons[k]);
    EXPECT_ERROR(VidaFormulation_FillTolerances(dae, 1e-6, other, &error), &error,
                 VIDA_BAD_ARGUMENT, reasons[k]);
    EXPECT_ERROR(VidaFormulation_Energy(dae, 0.0, other, &value, &error), &error, VIDA_BAD_ARGUMENT,
                 reasons[k]);
    EXPECT(VidaFormulation_Residual(0.0, y, other, dy, dae) < 0, "vector %d is taken", k);
    EXPECT(strstr(VidaFormulation_LastError(dae)->message, "vector"), "no reason for vector %d", k);
    EXPECT(VidaFormulation_Rate(0.0, other, other, ode) < 0, "vector %d is taken", k);
  }
  N_VDestroy(longer);
  N_VDestroy(empty);
  N_VFreeEmpty(bare);
  end();
}

static void test_other_context(void) {
  VidaError error = {0};
  begin();
  SUNContext another = program_context();
  N_Vector foreign = N_VNew_Serial(5, another);
  EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, NULL, NULL, foreign, dy, &error), &error,
               VIDA_BAD_ARGUMENT, "another SUNContext");
  EXPECT_ERROR(VidaFormulation_FillId(dae, foreign, &error), &error, VIDA_BAD_ARGUMENT,
               "another SUNContext");
  N_VDestroy(foreign);
  SUNContext_Free(&another);
  end();
}

static void test_matrices(void) {
  VidaError error = {0};
  SUNMatrix matrix = NULL;
  begin();
  REQUIRE_OK(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, dy, &error), &error);
  EXPECT_ERROR(VidaFormulation_CreateMatrix(dae, SUNMATRIX_BAND, &matrix, &error), &error,
               VIDA_NOT_SUPPORTED, "dense and sparse");
  const SUNMatrix matrices[] = {
      SUNDenseMatrix(4, 4, context), SUNSparseMatrix(5, 5, 3, CSC_MAT, context),
      SUNSparseMatrix(5, 5, 25, CSR_MAT, context), SUNMatNewEmpty(context)};
  for (int k = 0; k < 4; k++) {
    EXPECT(VidaFormulation_Jacobian(0.0, 10.0, y, dy, NULL, matrices[k], dae, NULL, NULL, NULL) < 0,
           "matrix %d is taken", k);
    EXPECT(strstr(VidaFormulation_LastError(dae)->message, "matrix"), "no reason for matrix %d", k);
    if (k < 3) {
      SUNMatDestroy(matrices[k]);
    }
  }
  SUNMatFreeEmpty(matrices[3]);
  end();
}

static void test_wrong_order(void) {
  VidaError error = {0};
  VidaSystem* open = NULL;
  VidaFormulation* none = NULL;
  begin();
  EXPECT_ERROR(VidaFormulation_FillTolerances(dae, 1e-6, y, &error), &error, VIDA_WRONG_ORDER,
               "VidaFormulation_Start");
  EXPECT(isnan(VidaFormulation_FirstStep(dae, 1e-6)), "a first step before the start");
  double lambda;
  N_Vector r = N_VClone(y);
  EXPECT_ERROR(VidaFormulation_Multipliers(dae, 0.0, y, &lambda, &error), &error, VIDA_WRONG_ORDER,
               "VidaFormulation_Start first");
  EXPECT(VidaFormulation_Residual(0.0, y, dy, r, dae) == VIDA_WRONG_ORDER, "a residual");
  EXPECT(strstr(VidaFormulation_LastError(dae)->message, "VidaFormulation_Start first"), "%s",
         VidaFormulation_LastError(dae)->message);
  N_VDestroy(r);
  REQUIRE_OK(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, dy, &error), &error);
  EXPECT_ERROR(VidaFormulation_FillTolerances(dae, 0.0, y, &error), &error, VIDA_BAD_ARGUMENT,
               "rtol");
  EXPECT_ERROR(VidaFormulation_FillTolerances(dae, NAN, y, &error), &error, VIDA_BAD_ARGUMENT,
               "rtol");
  EXPECT_ERROR(
      VidaFormulation_Create(system_of_test, (VidaFormulationKind)17, context, &none, &error),
      &error, VIDA_BAD_ARGUMENT, "17");
  REQUIRE_OK(VidaSystem_Create("open", 2, &open, &error), &error);
  EXPECT_ERROR(VidaFormulation_Create(open, VIDA_FORMULATION_GGL, context, &none, &error), &error,
               VIDA_WRONG_ORDER, "complete");
  VidaSystem_Destroy(&open);
  /* Functions of the other kind of equations. */
  EXPECT(VidaFormulation_Rate(0.0, y, dy, dae) < 0, "a rate of a DAE");
  EXPECT(VidaFormulation_Residual(0.0, y, dy, dy, ode) < 0, "a residual of an ODE");
  end();
}

/* A state that is not finite is a recoverable failure: a smaller step may help. */
static void test_not_finite(void) {
  VidaError error = {0};
  begin();
  REQUIRE_OK(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, dy, &error), &error);
  N_Vector r = N_VClone(y);
  NV_Ith_S(y, 0) = NAN;
  EXPECT(VidaFormulation_Residual(0.0, y, dy, r, dae) > 0, "a state that is not finite");
  EXPECT(VidaFormulation_LastError(dae)->code > 0, "the reason is lost");
  double energy = 0.0, position = 0.0;
  EXPECT_ERROR(VidaFormulation_Energy(dae, 0.0, y, &energy, &error), &error, VIDA_NOT_FINITE,
               "the energy is not finite");
  EXPECT_ERROR(VidaFormulation_ConstraintErrors(dae, 0.0, y, &position, NULL, &error), &error,
               VIDA_NOT_FINITE, "g is not finite");
  const double q[2] = {1.0, (double)NAN}, v[2] = {0.0, 0.0};
  EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, q, v, y, dy, &error), &error, VIDA_NOT_FINITE,
               "the initial position of");
  EXPECT_ERROR(VidaFormulation_Start(dae, NAN, NULL, NULL, y, dy, &error), &error, VIDA_NOT_FINITE,
               "t is not a finite number");
  N_VDestroy(r);
  end();
}

/* One vector for two arguments would be read after it has been written. */
static void test_one_vector(void) {
  VidaError error = {0};
  begin();
  EXPECT_ERROR(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, y, &error), &error, VIDA_BAD_ARGUMENT,
               "y and dy are the same vector");
  REQUIRE_OK(VidaFormulation_Start(dae, 0.0, NULL, NULL, y, dy, &error), &error);
  EXPECT(VidaFormulation_Residual(0.0, y, dy, dy, dae) == VIDA_BAD_ARGUMENT, "the residual is dy");
  EXPECT(strstr(VidaFormulation_LastError(dae)->message, "the same one"), "%s",
         VidaFormulation_LastError(dae)->message);
  end();
}

static const CheckTest tests[] = {{"NULL", test_null},
                                  {"one vector", test_one_vector},
                                  {"NULL for functions of integrators", test_null_functions},
                                  {"NULL for steppers", test_null_stepper},
                                  {"vectors that do not fit", test_vectors},
                                  {"another context", test_other_context},
                                  {"matrices that do not fit", test_matrices},
                                  {"wrong order", test_wrong_order},
                                  {"states that are not finite", test_not_finite},
                                  {NULL, NULL}};

int main(void) {
  return check_main("bad input of vida/sundials.h", tests);
}
