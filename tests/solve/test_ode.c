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

/* y' = 1 + t/10 for both components, whose second derivative 1/10 is 1/10 / (rtol + atol) = 50 in
 * the norm of the tolerances: a step of 1/10 has h^2 |y''| = 1/2, and parabolas are exact. */
typedef struct Parabola {
  double first; /* where the first step ends */
} Parabola;

static int rate_of_parabola(void* data, double t, const double* y, double* f) {
  (void)data;
  (void)y;
  f[0] = f[1] = 1.0 + 0.1 * t;
  return 0;
}

static int note_first_end(void* data, double t, double* y) {
  Parabola* parabola = data;
  (void)y;
  parabola->first = isnan(parabola->first) ? t : parabola->first;
  return 0;
}

static void test_first_step(void) {
  static const vida_integrator some[] = {VIDA_INTEGRATOR_DORMAND_PRINCE, VIDA_INTEGRATOR_VERNER,
                                         VIDA_INTEGRATOR_ESDIRK4};
  const vida_ode_functions functions = {.rate = rate_of_parabola, .settle = note_first_end};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const vida_ode_settings settings = {
        .integrator = some[i], .adaptive = true, .rtol = 1e-3, .max_steps = 1e4};
    Parabola parabola = {NAN};
    vida_ode* ode = NULL;
    VidaError error = {0};
    double y[2] = {1.0, 1.0};
    REQUIRE_OK(vida__ode_create(2, functions, &parabola, settings, &ode, &error), &error);
    vida__ode_tolerances(ode)[0] = vida__ode_tolerances(ode)[1] = 1e-3;
    REQUIRE_OK(vida__ode_advance(ode, 0.0, 3.0, y, NULL, &error), &error);
    EXPECT_NEAR(parabola.first, 0.1, 1e-9, "first step of %s", vida__integrator_name(some[i]));
    EXPECT_NEAR(y[0], 1.0 + 3.0 + 0.05 * 9.0, 1e-9, "%s", vida__integrator_name(some[i]));
    vida__ode_destroy(&ode);
  }
}

/* A rate that asks for a smaller step from time to time: each of these attempts is counted as
 * rejected. */
typedef struct Balking {
  Problem problem;
  long balks;
} Balking;

static int rate_that_balks(void* data, double t, const double* y, double* f) {
  Balking* balking = data;
  const int code = rate(&balking->problem, t, y, f);
  if (balking->problem.rates % 20 != 0) {
    return code;
  }
  balking->balks++;
  return 1;
}

static void test_rejected(void) {
  static const vida_integrator some[] = {VIDA_INTEGRATOR_ADAMS, VIDA_INTEGRATOR_BDF};
  const vida_ode_functions functions = {.rate = rate_that_balks};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    Balking balking = {.problem = {.fails_at = INFINITY}};
    double y[2];
    vida_ode* ode = make_ode(some[i], true, 1e-6, 1e4, functions, &balking.problem);
    run(ode, 3.0, 1, y);
    EXPECT(balking.balks > 2 && vida__ode_count(ode).rejected >= balking.balks,
           "%s: %ld rejected steps, %ld refusals", vida__integrator_name(some[i]),
           vida__ode_count(ode).rejected, balking.balks);
    vida__ode_destroy(&ode);
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
  static const vida_integrator some[] = {VIDA_INTEGRATOR_HEUN, VIDA_INTEGRATOR_SDIRK2,
                                         VIDA_INTEGRATOR_ESDIRK3};
  const vida_ode_functions functions = {.rate = rate, .settle = settle};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    Problem problem = {.fails_at = INFINITY};
    vida_ode* ode = make_ode(some[i], false, 0.0, 1.0, functions, &problem);
    double y[2];
    run(ode, 3.0, 30, y);
    EXPECT(problem.settled == 30, "settled %ld times", problem.settled);
    EXPECT_NEAR(y[0], exp(sin(3.0)), 1e-15, "y at the end");
    vida__ode_destroy(&ode);
  }
}

/* Whether the first rate after `settle` has moved the end of a step belongs to what it has become:
 * the first stage of these tables is explicit, and the last one of the step before is its end. */
typedef struct Moved {
  long ends, stale;
  double t, y; /* after settle; y NAN: the rate there has been asked for */
} Moved;

static int rate_after_move(void* data, double t, const double* y, double* f) {
  Moved* moved = data;
  /* Earlier ones look at a node inside of the step. */
  const bool is_first = !isnan(moved->y) && t >= moved->t;
  moved->stale += is_first && (t > moved->t || y[0] != moved->y) ? 1 : 0;
  moved->y = NAN;
  f[0] = y[0] * cos(t);
  f[1] = -y[1] * y[1];
  return 0;
}

static int move_end(void* data, double t, double* y) {
  Moved* moved = data;
  y[0] *= 1.0 + 1e-3;
  moved->t = t;
  moved->y = y[0];
  moved->ends++;
  return 0;
}

static void test_moved_ends(void) {
  static const vida_integrator some[] = {VIDA_INTEGRATOR_DORMAND_PRINCE, VIDA_INTEGRATOR_ESDIRK3,
                                         VIDA_INTEGRATOR_ESDIRK4, VIDA_INTEGRATOR_ESDIRK5};
  const vida_ode_functions functions = {.rate = rate_after_move, .settle = move_end};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const vida_ode_settings settings = {
        .integrator = some[i], .adaptive = true, .rtol = 1e-6, .max_steps = 1e4};
    const char* name = vida__integrator_name(some[i]);
    Moved moved = {.y = NAN};
    vida_ode* ode = NULL;
    VidaError error = {0};
    double y[2] = {1.0, 1.0};
    REQUIRE_OK(vida__ode_create(2, functions, &moved, settings, &ode, &error), &error);
    vida__ode_tolerances(ode)[0] = vida__ode_tolerances(ode)[1] = 1e-6;
    REQUIRE_OK(vida__ode_advance(ode, 0.0, 3.0, y, NULL, &error), &error);
    EXPECT(moved.ends > 5 && moved.stale == 0, "%s: %ld of %ld steps begin with an old rate", name,
           moved.stale, moved.ends);
    vida__ode_destroy(&ode);
  }
}

/* A failing rate fails the advance with its own code; afterwards one can go on. */
static void test_failures(void) {
  const vida_ode_functions functions = {.rate = rate};
  static const vida_integrator some[] = {VIDA_INTEGRATOR_RK4,    VIDA_INTEGRATOR_DORMAND_PRINCE,
                                         VIDA_INTEGRATOR_ADAMS,  VIDA_INTEGRATOR_BDF,
                                         VIDA_INTEGRATOR_SDIRK2, VIDA_INTEGRATOR_ESDIRK4};
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

/* A rate whose equations have no solution within a step: y' = y^2 from 1 has none beyond t = 1, and
 * an implicit step of 4 leads to a quadratic equation without real roots. */
static int rate_of_square(void* data, double t, const double* y, double* f) {
  (void)data;
  (void)t;
  f[0] = y[0] * y[0];
  f[1] = 0.0;
  return 0;
}

static void test_unsolvable(void) {
  const vida_ode_functions functions = {.rate = rate_of_square};
  Problem problem = {0};
  vida_ode* ode = make_ode(VIDA_INTEGRATOR_SDIRK2, false, 0.0, 1.0, functions, &problem);
  VidaError error = {0};
  double y[2] = {1.0, 0.0};
  EXPECT_ERROR(vida__ode_advance(ode, 0.0, 4.0, y, NULL, &error), &error, VIDA_STEP_NOT_CONVERGED,
               "nonlinear equations");
  EXPECT(strcmp(error.flag, "ARK_CONV_FAILURE") == 0, "flag %s", error.flag);
  y[0] = 1.0;
  REQUIRE_OK(vida__ode_advance(ode, 0.0, 0.01, y, NULL, &error), &error);
  EXPECT_NEAR(y[0], 1.0 / 0.99, 1e-5, "y after a failure");
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

/* Violations are of order h^(p+1) where both levels are corrected once (Ascher, Chin, Petzold and
 * Reich 1995, theorem 3.2 of its reference 5), and at least h^(2p) twice; h^p without. Constraints
 * of a rod are quadratic. */
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
      {"baumgarte", {"integrator", "sdirk2", NULL}, 2, 2, 2},
      {"baumgarte", {"integrator", "esdirk4", "gamma", "5", NULL}, 4, 4, 4},
      {"post-stabilized", {"integrator", "esdirk3", "variant", "s-both", NULL}, 3, 4, 4},
      {"stabilized-ode", {"integrator", "esdirk4", "projection", "full", NULL}, 4, 4, 4},
      {"coordinate-projection", {"integrator", "sdirk2", NULL}, 2, 0, 0},
      {"coordinate-projection", {"integrator", "esdirk3", NULL}, 3, 0, 0},
      {"coordinate-projection", {"integrator", "esdirk5", NULL}, 5, 0, 0},
      {"coordinate-partitioning", {"integrator", "esdirk4", NULL}, 4, 0, 0},
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

/* ---- stiff systems --------------------------------------------------------------------------- */

typedef struct Swing {
  int code;
  double angle; /* at 2 s, rad */
  VidaStatistics statistics;
  VidaError error;
} Swing;

/* A bob of 1 kg on a spring of 1 m, in balance with the tension of the swing at the start from
 * 0.5 rad: the motion tends to that of a rod with growing stiffness (N/m). */
static Swing swing_on_spring(double stiffness, double h, const char* const* settings) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  const double length = 1.0 + MODEL_GRAVITY * cos(0.5) / stiffness;
  const VidaSpring spring = {.name = "rod",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = stiffness,
                             .length = 1.0,
                             .law = VIDA_SPRING_LINEAR};
  model.rods = 0;
  model.spring[model.springs++] = spring;
  model.chart = MODEL_NO_CHART;
  model.particle[0].position[0] = VidaInitial_Given(length * sin(0.5));
  model.particle[0].position[1] = VidaInitial_Given(-length * cos(0.5));
  VidaSystem* system = model_system(&model);
  VidaOptions* options = motion_method("baumgarte", h, settings);
  VidaStepper* stepper = NULL;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  Swing found = {0};
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  for (long k = 0; k < lround(2.0 / h) && !found.code; k++) {
    found.code = VidaStepper_Step(stepper, &found.error);
  }
  found.angle = atan2(VidaStepper_Positions(stepper)[0], -VidaStepper_Positions(stepper)[1]);
  found.statistics = VidaStepper_Statistics(stepper);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  return found;
}

/* Steps of 1/100 s and less, in which the spring would vibrate 16 and 159 times: explicit tables
 * leave the motion or fail, implicit ones step over it. The angle is that of a rod in closed form.
 */
static void test_stiff_spring(void) {
  static const char* const explicit_tables[] = {"heun", "rk4", "dormand-prince"};
  static const char* const implicit_tables[] = {"sdirk2", "esdirk3", "esdirk4", "esdirk5"};
  double angle, speed;
  pendulum_motion(sqrt(MODEL_GRAVITY), 0.5, 0.0, 2.0, &angle, &speed);
  for (double stiffness = 1e8; stiffness < 1e11; stiffness *= 100.0) {
    for (size_t i = 0; i < sizeof explicit_tables / sizeof *explicit_tables; i++) {
      const char* const settings[] = {"integrator", explicit_tables[i], NULL};
      const Swing found = swing_on_spring(stiffness, 0.01, settings);
      EXPECT(found.code != 0 || !(fabs(found.angle - angle) < 0.1),
             "%s with k = %g: angle off by %g", explicit_tables[i], stiffness, found.angle - angle);
    }
    for (size_t i = 0; i < sizeof implicit_tables / sizeof *implicit_tables; i++) {
      const char* const settings[] = {"integrator", implicit_tables[i], NULL};
      /* Stages of sdirk2 are whole steps of implicit Euler, too long for Newton's method there. */
      const bool is_long = i == 0 && stiffness > 1e9;
      for (double h = is_long ? 0.002 : 0.01; h > 1e-4; h *= 0.2) {
        const Swing found = swing_on_spring(stiffness, h, settings);
        EXPECT(found.code == 0, "%s with k = %g, h = %g: %s", implicit_tables[i], stiffness, h,
               found.error.message);
        EXPECT_NEAR(found.angle, angle, 1e-3, "%s with k = %g, h = %g", implicit_tables[i],
                    stiffness, h);
      }
    }
  }
}

/* For the same tolerance explicit tables follow 3000 vibrations, implicit ones take a tenth of
 * their steps and fewer. */
static void test_stiff_tolerance(void) {
  static const char* const implicit_tables[] = {"esdirk3", "esdirk4", "esdirk5"};
  static const char* const plain[] = {"integrator", "dormand-prince", "rtol", "1e-5", NULL};
  double angle, speed;
  pendulum_motion(sqrt(MODEL_GRAVITY), 0.5, 0.0, 2.0, &angle, &speed);
  const Swing reference = swing_on_spring(1e8, 1.0, plain);
  REQUIRE_OK(reference.code, &reference.error);
  for (size_t i = 0; i < sizeof implicit_tables / sizeof *implicit_tables; i++) {
    const char* const settings[] = {"integrator", implicit_tables[i], "rtol", "1e-5", NULL};
    const Swing found = swing_on_spring(1e8, 1.0, settings);
    REQUIRE_OK(found.code, &found.error);
    EXPECT_NEAR(found.angle, angle, 1e-3, "%s", implicit_tables[i]);
    EXPECT(10 * (found.statistics.steps + found.statistics.rejected_steps) <
               reference.statistics.steps,
           "%s: %ld steps and %ld rejected ones; dormand-prince %ld", implicit_tables[i],
           found.statistics.steps, found.statistics.rejected_steps, reference.statistics.steps);
    EXPECT(found.statistics.newton_iterations > 0 && found.statistics.jacobian_evaluations > 0,
           "%s: no iterations are counted", implicit_tables[i]);
  }
}

/* Each rate of the underlying ODE takes a factorization, and each correction of the projection one
 * besides: at least one a step. Four rates a step are those of the classical method. */
static void test_factorizations(void) {
  enum { STEPS = 50 };
  static const char* const methods[] = {"baumgarte", "coordinate-projection"};
  static const char* const settings[] = {"integrator", "rk4", NULL};
  const Model model = model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
  long found[2];
  for (int i = 0; i < 2; i++) {
    VidaSystem* system = model_system(&model);
    VidaOptions* options = motion_method(methods[i], 0.01, settings);
    VidaStepper* stepper = NULL;
    VidaError error = {0};
    double q[2], v[2];
    int code = 0;
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
    for (int k = 0; k < STEPS && !code; k++) {
      code = VidaStepper_Step(stepper, &error);
    }
    REQUIRE_OK(code, &error);
    found[i] = VidaStepper_Statistics(stepper).factorizations;
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
    VidaSystem_Destroy(&system);
  }
  EXPECT(found[0] >= 4 * STEPS && found[0] <= 5 * STEPS, "baumgarte: %ld", found[0]);
  EXPECT(found[1] >= 5 * STEPS, "coordinate-projection: %ld", found[1]);
}

int main(void) {
  static const CheckTest tests[] = {{"tables", test_tables},
                                    {"tolerances", test_tolerances},
                                    {"first step", test_first_step},
                                    {"rejected steps", test_rejected},
                                    {"settle", test_settle},
                                    {"moved ends", test_moved_ends},
                                    {"last stage", test_last_stage},
                                    {"failures", test_failures},
                                    {"unsolvable", test_unsolvable},
                                    {"violations", test_violations},
                                    {"gamma = 1/h", test_gamma_of_step},
                                    {"factorizations", test_factorizations},
                                    {"stiff spring", test_stiff_spring},
                                    {"stiff spring, for a tolerance", test_stiff_tolerance},
                                    {NULL, NULL}};
  return check_main("ode", tests);
}
