/* Jumps in time: bounds of intervals, times that are found, and C functions with declared times.
 * Expected values are closed forms. */
#include <math.h>
#include <string.h>

#include <vida/vida.h>

#include "expr/interval_bounds.h"
#include "system/evaluate/time_jumps.h"

#include "support/check.h"
#include "support/expression.h"

static const double pi = 3.14159265358979323846;

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Operations of numbers in intervals lie in the bounds of the intervals. */
static void test_bounds(void) {
  unsigned long long state = 7;
  for (int trial = 0; trial < 200000; trial++) {
    const int operation = VIDA_OP_ADD + (int)(random_unit(&state) * (VIDA_OP_WHERE - VIDA_OP_ADD));
    const int n = (int)(random_unit(&state) * 9.0) - 3;
    vida_bounds operand[3];
    double value[3];
    for (int k = 0; k < 3; k++) {
      const double low = random_scale(&state, -2.0, 1.0);
      const double width = random_unit(&state) < 0.2 ? 0.0 : fabs(random_scale(&state, -3.0, 1.0));
      operand[k] = (vida_bounds){low, low + width};
      value[k] = fmin(low + width * random_unit(&state), operand[k].high);
    }
    const double result =
        vida__apply_operation((vida_operation)operation, n, value[0], value[1], value[2]);
    const vida_bounds bounds =
        vida__bound_operation((vida_operation)operation, n, operand[0], operand[1], operand[2]);
    EXPECT(isnan(result) || (bounds.low <= result && result <= bounds.high),
           "%s of %.17g, %.17g (n = %d) is %.17g, not in [%.17g, %.17g]",
           vida__operations[operation].name, value[0], value[1], n, result, bounds.low,
           bounds.high);
  }
}

/* ---- times ----------------------------------------------------------------------------------- */

/* x'' = 1 or -1 by the sign of sin(pi t / period). */
static VidaSystem* flipping(double period) {
  VidaSystem* system = NULL;
  VidaError error;
  VidaExpression t, factor, phase, sine, zero, less, one, minus, force, rate, half, kinetic;
  int x;
  REQUIRE_OK(VidaSystem_Create("flip", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), &x, &error),
             &error);
  VidaSystem_Time(system, &t, &error);
  VidaSystem_Constant(system, pi / period, &factor, &error);
  VidaSystem_Constant(system, 0.0, &zero, &error);
  VidaSystem_Constant(system, 1.0, &one, &error);
  VidaSystem_Constant(system, -1.0, &minus, &error);
  VidaSystem_Constant(system, 0.5, &half, &error);
  VidaSystem_Rate(system, x, &rate, &error);
  VidaSystem_Apply(system, "*", 2, (VidaExpression[]){factor, t}, &phase, &error);
  VidaSystem_Apply(system, "sin", 1, &phase, &sine, &error);
  VidaSystem_Apply(system, "<", 2, (VidaExpression[]){sine, zero}, &less, &error);
  VidaSystem_Apply(system, "where", 3, (VidaExpression[]){less, minus, one}, &force, &error);
  VidaSystem_Apply(system, "*", 2, (VidaExpression[]){rate, rate}, &kinetic, &error);
  VidaSystem_Apply(system, "*", 2, (VidaExpression[]){half, kinetic}, &kinetic, &error);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "T", kinetic, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionForce(system, "f", 1, &x, &force, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* All zeros of the sine, and no more, however many an interval has. */
static void test_times(void) {
  static const double periods[] = {0.3, 0.2973, 0.01, 7.0};
  for (int k = 0; k < 4; k++) {
    VidaSystem* system = flipping(periods[k]);
    vida_jump_search search;
    vida_jump jump = {.after = 0.5 * periods[k]};
    VidaError error;
    bool found = true;
    int count = 0;
    REQUIRE_OK(vida__jump_search_create(system, &search, &error), &error);
    while (true) {
      REQUIRE_OK(vida__find_jump(&search, jump.after, 10.0, &jump, &found, &error), &error);
      if (!found) {
        break;
      }
      count++;
      EXPECT_NEAR(jump.t, count * periods[k], 1e-14 * (1.0 + jump.t), "zero %d", count);
      EXPECT(jump.before <= jump.t && jump.t <= jump.after, "zero %d", count);
    }
    EXPECT(count == (int)(10.0 / periods[k] * (1.0 - 1e-9)) || count == (int)(10.0 / periods[k]),
           "%d jumps of period %g", count, periods[k]);
    vida__jump_search_destroy(&search);
    VidaSystem_Destroy(&system);
  }
}

/* ---- C functions ----------------------------------------------------------------------------- */

#define JUMP 0.43

/* L = v^2/2 + f(t) x with f = 1, from JUMP on -3: x'' = f. */
static double force_at(double t) {
  return t < JUMP ? 1.0 : -3.0;
}

static int value(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)data;
  *lagrangian = 0.5 * v[0] * v[0] + force_at(t) * q[0];
  return 0;
}

static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  (void)q, (void)data;
  l_q[0] = force_at(t);
  l_v[0] = v[0];
  return 0;
}

/* Nothing that was counted in steps is forgotten in a step that is cut at a jump. */
static void expect_more(const VidaStatistics* now, const VidaStatistics* before,
                        const char* method) {
  EXPECT(now->newton_iterations >= before->newton_iterations &&
             now->residual_evaluations >= before->residual_evaluations &&
             now->jacobian_evaluations >= before->jacobian_evaluations &&
             now->factorizations >= before->factorizations &&
             now->forced_steps >= before->forced_steps,
         "%s: %ld iterations, %ld residuals, %ld Jacobians, %ld factorizations after step %ld",
         method, now->newton_iterations, now->residual_evaluations, now->jacobian_evaluations,
         now->factorizations, now->steps);
}

static void test_declared(void) {
  static const char* const methods[] = {"radau",   "del-midpoint",    "spark-lobatto",
                                        "ida-ggl", "post-stabilized", "radau"};
  static const double tolerance[] = {1e-13, 1e-13, 1e-13, 1e-4, 1e-13, 1e-6};
  static const double rtol[] = {0.0, 0.0, 0.0, 0.0, 0.0, 1e-6}; /* 0: the default */
  const VidaLagrangian lagrangian = {value, gradient, NULL};
  const double rest = 1.0 - JUMP;
  const double end = 0.5 * JUMP * JUMP + JUMP * rest - 1.5 * rest * rest;
  for (int k = 0; k < 6; k++) {
    VidaSystem* system = NULL;
    VidaStepper* stepper = NULL;
    VidaOptions* options = NULL;
    VidaError error;
    const double q = 0.0, v = 0.0;
    int x;
    REQUIRE_OK(VidaSystem_Create("switched", 1, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.0),
                                        VidaInitial_Given(0.0), &x, &error),
               &error);
    REQUIRE_OK(VidaSystem_AddLagrangian(system, "L", 1, &x, &lagrangian, NULL, &error), &error);
    EXPECT_ERROR(VidaSystem_AddJumpTime(system, NAN, &error), &error, VIDA_BAD_ARGUMENT, "finite");
    REQUIRE_OK(VidaSystem_AddJumpTime(system, JUMP, &error), &error);
    /* Nothing jumps there, and the steps are cut all the same. */
    REQUIRE_OK(VidaSystem_AddJumpTime(system, 0.64, &error), &error);
    REQUIRE_OK(VidaSystem_AddJumpTime(system, 0.87, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    EXPECT_ERROR(VidaSystem_AddJumpTime(system, 1.0, &error), &error, VIDA_WRONG_ORDER, "complete");
    REQUIRE_OK(VidaOptions_Create(methods[k], &options, &error), &error);
    REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
    if (rtol[k] > 0.0) {
      REQUIRE_OK(VidaOptions_SetReal(options, "rtol", rtol[k], &error), &error);
    }
    const int code = VidaStepper_Create(system, options, &stepper, &error);
    if (code != VIDA_NOT_SUPPORTED) {
      REQUIRE_OK(code, &error);
      REQUIRE_OK(VidaStepper_Start(stepper, 0.0, &q, &v, &error), &error);
      VidaStatistics before = {0};
      for (int step = 0; step < 10; step++) {
        REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
        const VidaStatistics now = VidaStepper_Statistics(stepper);
        expect_more(&now, &before, methods[k]);
        before = now;
      }
      /* All of its steps are shortened to end at one of the ten nodes. */
      EXPECT(rtol[k] == 0.0 || before.forced_steps >= 10, "%s: %ld forced steps", methods[k],
             before.forced_steps);
      EXPECT_NEAR(VidaStepper_Time(stepper), 1.0, 1e-15, "%s", methods[k]);
      EXPECT(VidaStepper_StepCount(stepper) == 10, "%ld", VidaStepper_StepCount(stepper));
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], end, tolerance[k], "%s", methods[k]);
    }
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"bounds hold all values", test_bounds},
                                    {"all times are found", test_times},
                                    {"declared times of C functions", test_declared},
                                    {NULL, NULL}};
  return check_main("jumps", tests);
}
