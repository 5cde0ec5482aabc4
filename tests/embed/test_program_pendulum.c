/* Formulations in a program's own IDA, CVODE and ARKODE: a pendulum against its closed form. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <vida/vida.h>

#include "base/sundials.h"
#include "support/check.h"
#include "support/elliptic.h"
#include "support/model.h"
#include "support/program.h"

static const double mass = 2.0, length = 1.5, angle = 1.2, rate = 0.5, end = 5.0;

static VidaSystem* pendulum(void) {
  const Model model = model_pendulum(2, mass, length, angle, rate);
  return model_system(&model);
}

/* Position and velocity of the bob, and the tension m (g cos a + l a'^2), at the time t (Goldstein,
 * Classical Mechanics; angles by elliptic functions). */
static void exact(double t, double state[4], double* tension) {
  double a = 0.0, w = 0.0;
  pendulum_motion(sqrt(MODEL_GRAVITY / length), angle, rate, t, &a, &w);
  state[0] = length * sin(a);
  state[1] = -length * cos(a);
  state[2] = length * w * cos(a);
  state[3] = length * w * sin(a);
  *tension = mass * (MODEL_GRAVITY * cos(a) + length * w * w);
}

static double energy_of(const double state[4]) {
  return 0.5 * mass * (state[2] * state[2] + state[3] * state[3]) + mass * MODEL_GRAVITY * state[1];
}

/* Compares y at `end`; `bound` is relative to the length and to the speed sqrt(g l). */
static void compare(VidaFormulation* formulation, N_Vector y, double bound, double tension_bound) {
  VidaError error = {0};
  double state[4], tension = 0.0, lambda = 0.0, energy = 0.0;
  exact(end, state, &tension);
  for (int i = 0; i < 4; i++) {
    const double size = i < 2 ? length : sqrt(MODEL_GRAVITY * length);
    EXPECT_NEAR(NV_Ith_S(y, i), state[i], bound * size, "component %d", i);
  }
  REQUIRE_OK(VidaFormulation_Multipliers(formulation, end, y, &lambda, &error), &error);
  EXPECT_NEAR(lambda, tension, tension_bound, "tension");
  REQUIRE_OK(VidaFormulation_Energy(formulation, end, y, &energy, &error), &error);
  EXPECT_NEAR(energy, energy_of(state), 20.0 * mass * bound, "energy");
}

/* ---- IDA ------------------------------------------------------------------------------------- */

/* The distance from the exact position at `end`, relative to the length of the rod. */
static double error_of(N_Vector y) {
  double state[4], tension = 0.0;
  exact(end, state, &tension);
  return hypot(NV_Ith_S(y, 0) - state[0], NV_Ith_S(y, 1) - state[1]) / length;
}

/* Errors of steps add up, so that 10^4 tolerances are allowed after 5 s; of index 3, whose
 * velocities the error test does not see, 10^5 (Hairer and Wanner, Solving ODE II, section VII.3).
 * They shrink with the tolerance. */
static void run_ida(VidaFormulationKind kind, double share) {
  for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
    const SUNMatrix_ID matrix = is_sparse ? SUNMATRIX_SPARSE : SUNMATRIX_DENSE;
    VidaSystem* system = pendulum();
    Program loose = program_with_ida(system, kind, matrix, 1e-6);
    program_solve(&loose, end);
    Program tight = program_with_ida(system, kind, matrix, 1e-9);
    program_solve(&tight, end);
    compare(tight.formulation, tight.y, share * 1e-9, 1e3 * share * 1e-9);
    EXPECT(error_of(tight.y) < 0.1 * error_of(loose.y), "errors %.1e and %.1e", error_of(loose.y),
           error_of(tight.y));
    program_free(&loose);
    program_free(&tight);
    VidaSystem_Destroy(&system);
  }
}

static void test_index3(void) {
  run_ida(VIDA_FORMULATION_INDEX_3, 1e5);
}

static void test_index2(void) {
  run_ida(VIDA_FORMULATION_INDEX_2, 1e4);
}

static void test_ggl(void) {
  run_ida(VIDA_FORMULATION_GGL, 1e4);
}

static void test_index1(void) {
  run_ida(VIDA_FORMULATION_INDEX_1, 1e4);
}

/* GGL satisfies both levels of the constraints; the tolerance is that of Newton's method. */
static void test_constraints(void) {
  VidaError error = {0};
  VidaSystem* system = pendulum();
  Program program = program_with_ida(system, VIDA_FORMULATION_GGL, SUNMATRIX_DENSE, 1e-8);
  double position = NAN, velocity = NAN;
  program_solve(&program, end);
  REQUIRE_OK(VidaFormulation_ConstraintErrors(program.formulation, end, program.y, &position,
                                              &velocity, &error),
             &error);
  EXPECT_BELOW(position, 1e-7, "|g|");
  EXPECT_BELOW(velocity, 1e-7, "|G v|");
  program_free(&program);
  VidaSystem_Destroy(&system);
}

/* ---- CVODE and ARKODE ------------------------------------------------------------------------ */

typedef struct Ode {
  SUNContext context;
  VidaSystem* system;
  VidaFormulation* formulation;
  N_Vector y, atol;
} Ode;

static Ode begin_ode(double rtol) {
  VidaError error = {0};
  Ode ode = {.context = program_context(), .system = pendulum()};
  REQUIRE_OK(VidaFormulation_Create(ode.system, VIDA_FORMULATION_ODE, ode.context, &ode.formulation,
                                    &error),
             &error);
  REQUIRE_OK(VidaFormulation_CreateVector(ode.formulation, &ode.y, &error), &error);
  ode.atol = N_VClone(ode.y);
  REQUIRE_OK(VidaFormulation_Start(ode.formulation, 0.0, NULL, NULL, ode.y, NULL, &error), &error);
  REQUIRE_OK(VidaFormulation_FillTolerances(ode.formulation, rtol, ode.atol, &error), &error);
  return ode;
}

static void end_ode(Ode* ode) {
  N_VDestroy(ode->y);
  N_VDestroy(ode->atol);
  VidaFormulation_Destroy(&ode->formulation);
  VidaSystem_Destroy(&ode->system);
  SUNContext_Free(&ode->context);
}

static void expect_on_constraints(const Ode* ode) {
  VidaError error = {0};
  double position = NAN, velocity = NAN;
  REQUIRE_OK(
      VidaFormulation_ConstraintErrors(ode->formulation, end, ode->y, &position, &velocity, &error),
      &error);
  EXPECT_BELOW(position, 1e-13, "|g|");
  EXPECT_BELOW(velocity, 1e-12, "|G v|");
}

#define REQUIRE_FLAG(call) REQUIRE_OK((call) < 0 ? 1 : 0, NULL)

static void test_cvode(void) {
  VidaError error = {0};
  for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
    const SUNMatrix_ID kind = is_sparse ? SUNMATRIX_SPARSE : SUNMATRIX_DENSE;
    Ode ode = begin_ode(1e-8);
    SUNMatrix matrix = NULL;
    double reached = 0.0;
    long projections = 0;
    REQUIRE_OK(VidaFormulation_CreateMatrix(ode.formulation, kind, &matrix, &error), &error);
    SUNLinearSolver solver = is_sparse ? SUNLinSol_KLU(ode.y, matrix, ode.context)
                                       : SUNLinSol_Dense(ode.y, matrix, ode.context);
    void* memory = CVodeCreate(CV_BDF, ode.context);
    REQUIRE_FLAG(CVodeInit(memory, VidaFormulation_Rate, 0.0, ode.y));
    REQUIRE_FLAG(CVodeSetUserData(memory, ode.formulation));
    REQUIRE_FLAG(CVodeSVtolerances(memory, 1e-8, ode.atol));
    REQUIRE_FLAG(CVodeSetLinearSolver(memory, solver, matrix));
    REQUIRE_FLAG(CVodeSetJacFn(memory, VidaFormulation_RateJacobian));
    REQUIRE_FLAG(CVodeSetProjFn(memory, VidaFormulation_Project));
    REQUIRE_FLAG(CVodeSetMaxNumSteps(memory, 100000));
    REQUIRE_FLAG(CVodeSetStopTime(memory, end)); /* the end of a step, which is projected */
    REQUIRE_FLAG(CVode(memory, end, ode.y, &reached, CV_NORMAL));
    compare(ode.formulation, ode.y, 1e-5, 1e-3);
    CVodeGetNumProjEvals(memory, &projections);
    EXPECT(projections > 0, "no step was projected");
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    end_ode(&ode);
  }
}

/* Fixed steps of a Runge-Kutta method of order 4, each of which ends on the constraints. */
static void test_arkode(void) {
  double errors[2];
  for (int k = 0; k < 2; k++) {
    Ode ode = begin_ode(1e-8);
    double reached = 0.0, state[4], tension = 0.0;
    void* memory = ERKStepCreate(VidaFormulation_Rate, 0.0, ode.y, ode.context);
    REQUIRE_FLAG(VIDA_ARKODE(VIDA_ERKSTEP, SetUserData, memory, ode.formulation));
    REQUIRE_FLAG(ERKStepSetTableNum(memory, ARKODE_ZONNEVELD_5_3_4));
    REQUIRE_FLAG(VIDA_ARKODE(VIDA_ERKSTEP, SetFixedStep, memory, k == 0 ? 0.01 : 0.005));
    REQUIRE_FLAG(VIDA_ARKODE(VIDA_ERKSTEP, SetMaxNumSteps, memory, 100000));
    REQUIRE_FLAG(VIDA_ARKODE(VIDA_ERKSTEP, SetStopTime, memory, end));
    REQUIRE_FLAG(
        VIDA_ARKODE(VIDA_ERKSTEP, SetPostprocessStepFn, memory, VidaFormulation_ProjectStep));
    REQUIRE_FLAG(VIDA_ARKODE(VIDA_ERKSTEP, Evolve, memory, end, ode.y, &reached, ARK_NORMAL));
    expect_on_constraints(&ode);
    exact(end, state, &tension);
    errors[k] = fmax(fabs(NV_Ith_S(ode.y, 0) - state[0]), fabs(NV_Ith_S(ode.y, 1) - state[1]));
#if VIDA_SUNDIALS_AT_LEAST(7, 1)
    ARKodeFree(&memory);
#else
    ERKStepFree(&memory);
#endif
    end_ode(&ode);
  }
  EXPECT_BELOW(errors[0], 1e-6, "error with h = 0.01");
  const double order = log2(errors[0] / errors[1]);
  EXPECT(order > 3.5 && order < 4.6, "order %.2f of a method of order 4", order);
}

/* The projection leaves a state on the constraints alone, and brings one near them back. */
static void test_projection(void) {
  Ode ode = begin_ode(1e-8);
  N_Vector correction = N_VClone(ode.y), estimate = N_VClone(ode.y);
  REQUIRE_OK(VidaFormulation_Project(0.0, ode.y, correction, 0.1, NULL, ode.formulation), NULL);
  EXPECT_BELOW(N_VMaxNorm(correction), 1e-14, "a consistent state moves");
  const double x = NV_Ith_S(ode.y, 0), y = NV_Ith_S(ode.y, 1);
  NV_Ith_S(ode.y, 0) *= 1.001;
  NV_Ith_S(ode.y, 1) *= 1.001;
  /* An error along the rod vanishes, one across it stays. */
  NV_Ith_S(estimate, 0) = x / length - y / length;
  NV_Ith_S(estimate, 1) = y / length + x / length;
  NV_Ith_S(estimate, 2) = x / length;
  NV_Ith_S(estimate, 3) = y / length;
  REQUIRE_OK(VidaFormulation_Project(0.0, ode.y, correction, 0.1, estimate, ode.formulation), NULL);
  EXPECT_NEAR(NV_Ith_S(ode.y, 0) + NV_Ith_S(correction, 0), x, 1e-12, "x");
  EXPECT_NEAR(NV_Ith_S(ode.y, 1) + NV_Ith_S(correction, 1), y, 1e-12, "y");
  EXPECT_NEAR(NV_Ith_S(estimate, 0), -y / length, 1e-12, "error across the rod");
  EXPECT_NEAR(NV_Ith_S(estimate, 1), x / length, 1e-12, "error across the rod");
  EXPECT_BELOW(fabs(NV_Ith_S(estimate, 2)) + fabs(NV_Ith_S(estimate, 3)), 1e-12,
               "error along the rod");
  N_VDestroy(correction);
  N_VDestroy(estimate);
  end_ode(&ode);
}

static const CheckTest tests[] = {{"IDA, index 3", test_index3},
                                  {"IDA, index 2", test_index2},
                                  {"IDA, GGL", test_ggl},
                                  {"IDA, index 1", test_index1},
                                  {"GGL keeps the constraints", test_constraints},
                                  {"CVODE with projection", test_cvode},
                                  {"ARKODE with projection", test_arkode},
                                  {"projection", test_projection},
                                  {NULL, NULL}};

int main(void) {
  return check_main("formulations of a pendulum", tests);
}
