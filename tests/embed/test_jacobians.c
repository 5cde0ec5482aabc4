/* The matrices that formulations give to IDA, CVODE and ARKODE, against difference quotients of
 * their residuals and right-hand sides; dense and sparse. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/mechanism.h"
#include "support/model.h"
#include "support/program.h"

/* ---- systems --------------------------------------------------------------------------------- */

static VidaSystem* spherical_pendulum(void) {
  const Model model = model_double_spherical_pendulum();
  return model_system(&model);
}

static VidaSystem* door(void) {
  const Door one = {.hinges = 1, .opened = 1.0};
  return mechanism_door(&one);
}

/* A mass matrix that depends on positions and time, a force that depends on everything, a
 * constraint that moves, and a nonholonomic row. */
static VidaSystem* general_system(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const struct {
    const char* name;
    VidaInitial position, velocity;
  } coordinates[] = {{"a", VidaInitial_Free(0.0), VidaInitial_Free(0.0)},
                     {"b", VidaInitial_Given(0.5), VidaInitial_Given(0.3)},
                     {"c", VidaInitial_Given(0.7), VidaInitial_Given(-0.4)},
                     {"d", VidaInitial_Given(0.2), VidaInitial_Free(0.0)}};
  REQUIRE_OK(VidaSystem_Create("general", 2, &s, &error), &error);
  for (int i = 0; i < 4; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(s, coordinates[i].name, "m", coordinates[i].position,
                                        coordinates[i].velocity, NULL, &error),
               &error);
  }
  const VidaExpression a = position(s, 0), b = position(s, 1), c = position(s, 2);
  const VidaExpression u = rate(s, 0), v = rate(s, 1), w = rate(s, 2), x = rate(s, 3);
  VidaExpression kinetic = apply(s, "+", square(s, u), times(s, 2.0, square(s, v)));
  kinetic = apply(s, "+", kinetic,
                  apply(s, "*", apply(s, "cos", apply(s, "-", a, b), -1), apply(s, "*", u, v)));
  kinetic = apply(s, "+", kinetic, apply(s, "+", square(s, w), square(s, x)));
  kinetic = apply(s, "*", kinetic,
                  apply(s, "+", number(s, 2.0), apply(s, "sin", apply(s, "+", c, now(s)), -1)));
  const VidaExpression potential =
      apply(s, "sin", apply(s, "+", a, times(s, 0.5, square(s, position(s, 3)))), -1);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "L", apply(s, "-", kinetic, potential), &error),
             &error);
  const VidaExpression force = apply(s, "*", apply(s, "*", u, b), apply(s, "cos", now(s), -1));
  REQUIRE_OK(VidaSystem_AddExpressionForce(s, "f", 1, (const int[]){2}, &force, &error), &error);
  const VidaExpression g = apply(s, "-", apply(s, "+", apply(s, "sin", a, -1), apply(s, "*", b, c)),
                                 times(s, 0.1, square(s, now(s))));
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "curve", "m", g, &error), &error);
  const VidaExpression row =
      apply(s, "-", apply(s, "*", apply(s, "cos", a, -1), x), apply(s, "*", b, w));
  REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(s, "blade", "m/s", row, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

static const struct {
  const char* name;
  VidaSystem* (*create)(void);
} systems[] = {{"spherical pendulum", spherical_pendulum},
               {"slider-crank", program_slider_crank},
               {"door", door},
               {"general", general_system}};
enum { SYSTEM_COUNT = sizeof systems / sizeof systems[0] };

/* ---- comparison ------------------------------------------------------------------------------ */

static double entry(SUNMatrix matrix, sunindextype row, sunindextype column) {
  if (SUNMatGetID(matrix) == SUNMATRIX_DENSE) {
    return SM_ELEMENT_D(matrix, row, column);
  }
  const sunindextype* start = SM_INDEXPTRS_S(matrix);
  for (sunindextype k = start[column]; k < start[column + 1]; k++) {
    if (SM_INDEXVALS_S(matrix)[k] == row) {
      return SM_DATA_S(matrix)[k];
    }
  }
  return 0.0;
}

/* A state near the consistent one, where no row of the equations holds by chance. */
static void disturb(N_Vector vector) {
  double* values = N_VGetArrayPointer(vector);
  for (sunindextype i = 0; i < N_VGetLength(vector); i++) {
    values[i] += 0.05 * sin(1.0 + 3.0 * (double)i);
  }
}

/* F of the formulation, or its rate. */
static void evaluate(VidaFormulation* formulation, bool is_ode, double t, N_Vector y, N_Vector dy,
                     N_Vector r) {
  const int code = is_ode ? VidaFormulation_Rate(t, y, r, formulation)
                          : VidaFormulation_Residual(t, y, dy, r, formulation);
  REQUIRE_OK(code, VidaFormulation_LastError(formulation));
}

/* Central difference quotients of F(t, y + s e_j, dy + c s e_j) by s. */
static void compare_columns(const char* name, int kind, VidaFormulation* formulation, double t,
                            double c, N_Vector y, N_Vector dy, SUNMatrix matrix) {
  const bool is_ode = kind == VIDA_FORMULATION_ODE;
  const double shift = 1e-6;
  N_Vector plus = N_VClone(y), minus = N_VClone(y);
  double *place = N_VGetArrayPointer(y), *rates = N_VGetArrayPointer(dy);
  const sunindextype size = N_VGetLength(y);
  for (sunindextype j = 0; j < size; j++) {
    const double value = place[j], derivative = rates[j];
    place[j] = value + shift;
    rates[j] = derivative + c * shift;
    evaluate(formulation, is_ode, t, y, dy, plus);
    place[j] = value - shift;
    rates[j] = derivative - c * shift;
    evaluate(formulation, is_ode, t, y, dy, minus);
    place[j] = value;
    rates[j] = derivative;
    double largest = 1.0;
    for (sunindextype i = 0; i < size; i++) {
      NV_Ith_S(plus, i) = (NV_Ith_S(plus, i) - NV_Ith_S(minus, i)) / (2.0 * shift);
      largest = fmax(largest, fabs(NV_Ith_S(plus, i)));
    }
    for (sunindextype i = 0; i < size; i++) {
      EXPECT_NEAR(entry(matrix, i, j), NV_Ith_S(plus, i), 2e-7 * largest,
                  "%s, formulation %d, row %ld, column %ld", name, kind, (long)i, (long)j);
    }
  }
  N_VDestroy(plus);
  N_VDestroy(minus);
}

static void test_system(int number, SUNMatrix_ID matrix_kind) {
  VidaError error = {0};
  SUNContext context = program_context();
  VidaSystem* system = systems[number].create();
  for (int kind = VIDA_FORMULATION_INDEX_3; kind <= VIDA_FORMULATION_ODE; kind++) {
    /* The inverse of a step; c also sets the distance of the differences inside the matrix. */
    const double c = kind == VIDA_FORMULATION_ODE ? 0.0 : 2000.0;
    const double t = 0.3;
    VidaFormulation* formulation = NULL;
    N_Vector y = NULL, dy = NULL;
    SUNMatrix matrix = NULL;
    REQUIRE_OK(
        VidaFormulation_Create(system, (VidaFormulationKind)kind, context, &formulation, &error),
        &error);
    REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
    REQUIRE_OK(VidaFormulation_CreateVector(formulation, &dy, &error), &error);
    REQUIRE_OK(VidaFormulation_CreateMatrix(formulation, matrix_kind, &matrix, &error), &error);
    REQUIRE_OK(VidaFormulation_Start(formulation, t, NULL, NULL, y, dy, &error), &error);
    disturb(y);
    disturb(dy);
    SUNMatZero(matrix); /* as the integrators do before each call */
    const int code =
        kind == VIDA_FORMULATION_ODE
            ? VidaFormulation_RateJacobian(t, y, NULL, matrix, formulation, NULL, NULL, NULL)
            : VidaFormulation_Jacobian(t, c, y, dy, NULL, matrix, formulation, NULL, NULL, NULL);
    REQUIRE_OK(code, VidaFormulation_LastError(formulation));
    compare_columns(systems[number].name, kind, formulation, t, c, y, dy, matrix);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(dy);
    VidaFormulation_Destroy(&formulation);
  }
  VidaSystem_Destroy(&system);
  SUNContext_Free(&context);
}

static void test_dense(void) {
  for (int k = 0; k < SYSTEM_COUNT; k++) {
    test_system(k, SUNMATRIX_DENSE);
  }
}

static void test_sparse(void) {
  for (int k = 0; k < SYSTEM_COUNT; k++) {
    test_system(k, SUNMATRIX_SPARSE);
  }
}

/* The start of every formulation satisfies its equations. */
static void test_start(void) {
  VidaError error = {0};
  SUNContext context = program_context();
  for (int k = 0; k < SYSTEM_COUNT; k++) {
    VidaSystem* system = systems[k].create();
    for (int kind = VIDA_FORMULATION_INDEX_3; kind < VIDA_FORMULATION_ODE; kind++) {
      VidaFormulation* formulation = NULL;
      N_Vector y = NULL, dy = NULL, r = NULL;
      REQUIRE_OK(
          VidaFormulation_Create(system, (VidaFormulationKind)kind, context, &formulation, &error),
          &error);
      REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
      dy = N_VClone(y);
      r = N_VClone(y);
      REQUIRE_OK(VidaFormulation_Start(formulation, 0.3, NULL, NULL, y, dy, &error), &error);
      REQUIRE_OK(VidaFormulation_Residual(0.3, y, dy, r, formulation), NULL);
      REQUIRE_OK(VidaFormulation_Start(formulation, 0.3, NULL, NULL, r, NULL, &error), &error);
      for (sunindextype i = 0; i < N_VGetLength(y); i++) {
        EXPECT(NV_Ith_S(r, i) == NV_Ith_S(y, i), "%s: y without y'", systems[k].name);
      }
      REQUIRE_OK(VidaFormulation_Residual(0.3, y, dy, r, formulation), NULL);
      EXPECT_BELOW(N_VMaxNorm(r), 1e-9 * fmax(1.0, N_VMaxNorm(dy)), "%s, formulation %d",
                   systems[k].name, kind);
      N_VDestroy(y);
      N_VDestroy(dy);
      N_VDestroy(r);
      VidaFormulation_Destroy(&formulation);
    }
    VidaSystem_Destroy(&system);
  }
  SUNContext_Free(&context);
}

static const CheckTest tests[] = {{"dense matrices", test_dense},
                                  {"sparse matrices", test_sparse},
                                  {"starts", test_start},
                                  {NULL, NULL}};

int main(void) {
  return check_main("jacobians of formulations", tests);
}
