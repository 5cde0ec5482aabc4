/* The driver of ARKODE and CVODE against closed forms, and the orders of what methods on the
 * underlying ODE make of its tables: errors, and violations of the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/ode.h"
#include "support/check.h"
#include "support/elliptic.h"
#include "support/motion.h"

/* ---- the driver ------------------------------------------------------------------------------ */

/* y' = y cos t, z' = -z^2: y = exp(sin t), z = 1 / (1 + t) from (1, 1) */
typedef struct Problem {
  long rates, settled;
  double fails_at; /* rates beyond this time fail */
  int code;
} Problem;

static int rate(void* data, double t, const double* y, double* f) {
  Problem* problem = data;
  problem->rates++;
  if (t > problem->fails_at) {
    return problem->code;
  }
  f[0] = y[0] * cos(t);
  f[1] = -y[1] * y[1];
  return 0;
}

static double error_of(double t, const double* y) {
  return fmax(fabs(y[0] - exp(sin(t))), fabs(y[1] - 1.0 / (1.0 + t)));
}

static vida_ode* make_ode(vida_integrator integrator, bool adaptive, double rtol, double max_steps,
                          vida_ode_functions functions, Problem* problem) {
  const vida_ode_settings settings = {
      .integrator = integrator, .adaptive = adaptive, .rtol = rtol, .max_steps = max_steps};
  vida_ode* ode = NULL;
  VidaError error = {0};
  REQUIRE_OK(vida__ode_create(2, functions, problem, settings, &ode, &error), &error);
  vida__ode_tolerances(ode)[0] = vida__ode_tolerances(ode)[1] = adaptive ? rtol : 1.0;
  return ode;
}

static double run(vida_ode* ode, double end, long nodes, double* y) {
  VidaError error = {0};
  y[0] = y[1] = 1.0;
  vida__ode_restart(ode, 0.0);
  for (long k = 0; k < nodes; k++) {
    const double t = (double)k * end / (double)nodes;
    REQUIRE_OK(vida__ode_advance(ode, t, (double)(k + 1) * end / (double)nodes, y, NULL, &error),
               &error);
  }
  return error_of(end, y);
}

/* Of each table, by halving the step: the order is that of its name, neither less nor more. */
static void test_tables(void) {
  const vida_ode_functions functions = {.rate = rate};
  for (int i = 0; i < VIDA_INTEGRATOR_COUNT; i++) {
    const vida_integrator integrator = (vida_integrator)i;
    if (vida__integrator_is_multistep(integrator)) {
      continue;
    }
    Problem problem = {.fails_at = INFINITY};
    const int order = vida__integrator_order(integrator);
    const long first = order >= 8 ? 3 : order >= 6 ? 8 : 16;
    vida_ode* ode = make_ode(integrator, false, 0.0, 1.0, functions, &problem);
    double y[2], errors[4];
    for (int level = 0; level < 4; level++) {
      errors[level] = run(ode, 3.0, first << level, y);
    }
    /* high orders are approached from above here */
    EXPECT_NEAR(log2(errors[0] / errors[3]) / 3.0, order, order >= 5 ? 0.8 : 0.4,
                "order of %s, errors %.3g to %.3g", vida__integrator_name(integrator), errors[0],
                errors[3]);
    EXPECT(vida__ode_count(ode).steps == 15 * first, "%s: %ld steps",
           vida__integrator_name(integrator), vida__ode_count(ode).steps);
    vida__ode_destroy(&ode);
  }
}

/* Adaptive ones follow the tolerance, and take the same steps whether one looks at one node or at
 * hundreds. */
static void test_tolerances(void) {
  const vida_ode_functions functions = {.rate = rate};
  for (int i = 0; i < VIDA_INTEGRATOR_COUNT; i++) {
    const vida_integrator integrator = (vida_integrator)i;
    const char* name = vida__integrator_name(integrator);
    if (!vida__integrator_is_adaptive(integrator)) {
      continue;
    }
    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.01) {
      Problem problem = {.fails_at = INFINITY};
      vida_ode* ode = make_ode(integrator, true, rtol, 1e6, functions, &problem);
      double y[2];
      const double few = run(ode, 3.0, 1, y);
      const long steps = vida__ode_count(ode).steps;
      vida__ode_reset_counts(ode);
      const double many = run(ode, 3.0, 300, y);
      const long others = vida__ode_count(ode).steps;
      EXPECT_BELOW(few, 500.0 * rtol, "%s, rtol %g, one node", name, rtol);
      EXPECT_BELOW(many, 500.0 * rtol, "%s, rtol %g, 300 nodes", name, rtol);
      EXPECT(others == steps, "%s, rtol %g: %ld and %ld steps", name, rtol, steps, others);
      vida__ode_destroy(&ode);
    }
  }
}

/* y is set on the curve (exp(sin t), .) after each step; the next step goes on from there. */
static int settle(void* data, double t, double* y) {
  Problem* problem = data;
  problem->settled++;
  y[0] = exp(sin(t));
  return 0;
}

/* The last stage before the end of a step: of Dormand and Prince's seven, the last is the end. */
typedef struct Staged {
  Problem problem;
  vida_ode* ode;
  double stage_t;
  double distance; /* of the stage's y from that of the end */
} Staged;

static int rate_of_staged(void* data, double t, const double* y, double* f) {
  return rate(&((Staged*)data)->problem, t, y, f);
}

static int look_at_stage(void* data, double t, double* y) {
  Staged* staged = data;
  (void)t;
  const double* stage = vida__ode_last_stage(staged->ode, &staged->stage_t);
  staged->distance = fmax(fabs(stage[0] - y[0]), fabs(stage[1] - y[1]));
  return 0;
}

static void test_last_stage(void) {
  static const struct {
    vida_integrator integrator;
    double at; /* of the step */
  } cases[] = {{VIDA_INTEGRATOR_EULER, 0.0},
               {VIDA_INTEGRATOR_HEUN, 1.0},
               {VIDA_INTEGRATOR_MIDPOINT, 0.5},
               {VIDA_INTEGRATOR_DORMAND_PRINCE, 1.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char* name = vida__integrator_name(cases[i].integrator);
    const vida_ode_settings settings = {.integrator = cases[i].integrator, .max_steps = 1.0};
    const vida_ode_functions functions = {.rate = rate_of_staged, .settle = look_at_stage};
    Staged staged = {.problem = {.fails_at = INFINITY}, .stage_t = NAN};
    VidaError error = {0};
    REQUIRE_OK(vida__ode_create(2, functions, &staged, settings, &staged.ode, &error), &error);
    double y[2] = {1.0, 1.0};
    REQUIRE_OK(vida__ode_advance(staged.ode, 0.0, 0.1, y, NULL, &error), &error);
    EXPECT_NEAR(staged.stage_t, 0.1 * cases[i].at, 1e-15, "time of the last stage of %s", name);
    EXPECT(staged.distance > 1e-9, "the last stage of %s is the end", name);
    vida__ode_destroy(&staged.ode);
  }
}

static void test_settle(void) {
  const vida_ode_functions functions = {.rate = rate, .settle = settle};
  Problem problem = {.fails_at = INFINITY};
  vida_ode* ode = make_ode(VIDA_INTEGRATOR_HEUN, false, 0.0, 1.0, functions, &problem);
  double y[2];
  run(ode, 3.0, 30, y);
  EXPECT(problem.settled == 30, "settled %ld times", problem.settled);
  EXPECT_NEAR(y[0], exp(sin(3.0)), 1e-15, "y at the end");
  vida__ode_destroy(&ode);
}

/* A failing rate fails the advance with its own code; afterwards one can go on. */
static void test_failures(void) {
  const vida_ode_functions functions = {.rate = rate};
  static const vida_integrator some[] = {VIDA_INTEGRATOR_RK4, VIDA_INTEGRATOR_DORMAND_PRINCE,
                                         VIDA_INTEGRATOR_ADAMS, VIDA_INTEGRATOR_BDF};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const char* name = vida__integrator_name(some[i]);
    Problem problem = {.fails_at = 1.0, .code = VIDA_CALLBACK_FAILED};
    vida_ode* ode =
        make_ode(some[i], vida__integrator_is_adaptive(some[i]), 1e-6, 1e4, functions, &problem);
    VidaError error = {0};
    double y[2] = {1.0, 1.0};
    vida__ode_restart(ode, 0.0);
    int code = vida__ode_advance(ode, 0.0, 3.0, y, NULL, &error);
    EXPECT(code == VIDA_CALLBACK_FAILED && strstr(error.flag, "RHSFUNC"), "%s: %d, %s", name, code,
           error.flag);
    problem.fails_at = INFINITY;
    EXPECT_BELOW(run(ode, 3.0, 300, y), 1e-3, "%s: after a failure", name);
    vida__ode_destroy(&ode);
  }
  Problem problem = {.fails_at = INFINITY};
  vida_ode* ode = make_ode(VIDA_INTEGRATOR_VERNER, true, 1e-12, 5.0, functions, &problem);
  VidaError error = {0};
  double y[2] = {1.0, 1.0};
  EXPECT_ERROR(vida__ode_advance(ode, 0.0, 3.0, y, NULL, &error), &error, VIDA_STEP_NOT_CONVERGED,
               "max_steps");
  EXPECT(strcmp(error.flag, "ARK_TOO_MUCH_WORK") == 0, "flag %s", error.flag);
  vida__ode_destroy(&ode);
}

/* ---- orders of methods ----------------------------------------------------------------------- */

typedef struct Found {
  double error, position, velocity; /* largest over all nodes */
} Found;

/* A pendulum over 2 s from 1 rad with 0.5 rad/s, in closed form. */
static Found swing(const char* method, const char* const* settings, long steps) {
  const Model model = model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
  Motion motion = motion_start(&model, "rattle", 0.1, "auto");
  const double h = 2.0 / (double)steps;
  VidaOptions* options = motion_method(method, h, settings);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  Found found = {0};
  REQUIRE_OK(VidaStepper_Create(motion.system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, motion.q0, motion.v0, &error), &error);
  for (long k = 1; k <= steps; k++) {
    double angle, speed, position, velocity;
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &position, &velocity, &error), &error);
    pendulum_motion(sqrt(MODEL_GRAVITY / 0.8), 1.0, 0.5, (double)k * h, &angle, &speed);
    const double* q = VidaStepper_Positions(stepper);
    found.error = fmax(found.error, hypot(q[0] - 0.8 * sin(angle), q[1] + 0.8 * cos(angle)));
    found.position = fmax(found.position, position);
    found.velocity = fmax(found.velocity, velocity);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  motion_end(&motion);
  return found;
}

static double slope(double coarse, double fine) {
  return log2(coarse / fine) / 3.0;
}

/* Violations are of order h^(p+1) where both levels are corrected once (paper 002, theorem 3.2 of
 * its reference 5), and at least h^(2p) twice; h^p without. Constraints of a rod are quadratic. */
static void test_violations(void) {
  static const struct {
    const char *method, *settings[9];
    double error, position, velocity; /* least orders */
  } cases[] = {
      {"baumgarte", {"integrator", "heun", NULL}, 2, 2, 2},
      {"baumgarte", {"integrator", "midpoint", "gamma", "5", NULL}, 2, 2, 2},
      {"post-stabilized", {"integrator", "heun", "variant", "s-both", NULL}, 2, 3, 3},
      {"post-stabilized", {"integrator", "heun", "variant", "s-full", NULL}, 2, 4, 4},
      {"post-stabilized", {"integrator", "heun", "variant", "s-both2", NULL}, 2, 4, 4},
      {"post-stabilized",
       {"integrator", "heun", "variant", "s-both", "projection", "triangular", NULL},
       2,
       4,
       4},
      {"post-stabilized", {"integrator", "rk4", "variant", "s-both", NULL}, 4, 5, 5},
      {"stabilized-ode", {"integrator", "rk4", "projection", "full", NULL}, 4, 4, 4},
      {"stabilized-ode", {"integrator", "rk4", "projection", "triangular", NULL}, 4, 4, 4},
      {"stabilized-ode", {"integrator", "rk4", "projection", "identity", NULL}, 4, 4, 4},
      {"coordinate-projection", {"integrator", "rk4", NULL}, 4, 0, 0},
      {"coordinate-projection", {"integrator", "verner", "metric", "identity", NULL}, 6, 0, 0},
      {"coordinate-partitioning", {"integrator", "rk4", NULL}, 4, 0, 0},
      {"coordinate-partitioning", {"integrator", "rk4", "coordinates", "tangent", NULL}, 4, 0, 0},
      {"coordinate-partitioning", {"integrator", "fehlberg", NULL}, 8, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const long steps = cases[i].error < 6.0 ? 40 : cases[i].error < 8.0 ? 20 : 10;
    const Found coarse = swing(cases[i].method, cases[i].settings, steps);
    const Found fine = swing(cases[i].method, cases[i].settings, 8 * steps);
    const char* name = cases[i].method;
    const char* first = cases[i].settings[3] ? cases[i].settings[3] : cases[i].settings[1];
    EXPECT(slope(coarse.error, fine.error) > cases[i].error - 0.25, "%s %s: order %.2f, %.3g", name,
           first, slope(coarse.error, fine.error), fine.error);
    EXPECT(
        fine.position < 1e-13 || slope(coarse.position, fine.position) > cases[i].position - 0.25,
        "%s %s: |g| of order %.2f", name, first, slope(coarse.position, fine.position));
    EXPECT(
        fine.velocity < 1e-13 || slope(coarse.velocity, fine.velocity) > cases[i].velocity - 0.25,
        "%s %s: |G v| of order %.2f", name, first, slope(coarse.velocity, fine.velocity));
    if (cases[i].position == 0.0) {
      EXPECT_BELOW(coarse.position, 1e-14, "%s: |g|", name);
      EXPECT_BELOW(coarse.velocity, 1e-13, "%s: |G v|", name);
    } else if (!strcmp(name, "baumgarte")) {
      EXPECT(fine.velocity > 1e-9, "%s: the drift of velocities is hidden", name);
    }
  }
}

/* With gamma = 1/h, tables of higher order fall to the second: stages violate g by h^2. */
static void test_gamma_of_step(void) {
  static const char* const settings[] = {"integrator", "dormand-prince", "gamma_h", "1", NULL};
  const Found coarse = swing("stabilized-ode", settings, 40);
  const Found fine = swing("stabilized-ode", settings, 320);
  const double order = slope(coarse.error, fine.error);
  EXPECT(order > 1.8 && order < 3.2, "order %.2f with gamma = 1/h", order);
}

int main(void) {
  static const CheckTest tests[] = {{"tables", test_tables},
                                    {"tolerances", test_tolerances},
                                    {"settle", test_settle},
                                    {"last stage", test_last_stage},
                                    {"failures", test_failures},
                                    {"violations", test_violations},
                                    {"gamma = 1/h", test_gamma_of_step},
                                    {NULL, NULL}};
  return check_main("ode", tests);
}
