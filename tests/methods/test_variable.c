/* rattle-variable: its own sequence of steps is reversible and knows nothing of the nodes, energy
 * does not drift through close approaches, and what it does not take is refused. Orders, momenta
 * and constraints are measured with those of the other methods (test_methods.c, test_audit.c). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "methods/variational/variable_steps.h"

#include "support/check.h"
#include "support/formula.h"
#include "support/model.h"

enum { MOST = 16 };

/* ---- systems --------------------------------------------------------------------------------- */

/* (x^2 + (y - below)^2)^power */
static VidaExpression distance_power(VidaSystem* system, double below, double power) {
  const VidaExpression x = position(system, 0);
  const VidaExpression y = apply(system, "+", position(system, 1), number(system, below));
  const VidaExpression square =
      apply(system, "+", apply(system, "*", x, x), apply(system, "*", y, y));
  return apply(system, "^", square, number(system, power));
}

static VidaParticle particle(double mass, const double* q, const double* v) {
  VidaParticle one = {.name = "particle", .mass = mass};
  for (int k = 0; k < 2; k++) {
    one.position[k] = VidaInitial_Given(q[k]);
    one.velocity[k] = VidaInitial_Given(v[k]);
  }
  return one;
}

/* From the aphelion; the density of an observable is r^(-3/2). */
static VidaSystem* make_kepler(double eccentricity, bool observed) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double e = eccentricity;
  const double q[2] = {1.0 + e, 0.0};
  const double v[2] = {0.0, sqrt((1.0 - e) / (1.0 + e))};
  const VidaParticle planet = particle(1.0, q, v);
  REQUIRE_OK(VidaSystem_Create("Kepler", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &planet, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "sun", distance_power(s, 0.0, -0.5), &error),
             &error);
  if (observed) {
    REQUIRE_OK(VidaSystem_AddObservable(s, "step density", "", false, distance_power(s, 0.0, -0.75),
                                        &error),
               &error);
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* A pendulum of length 1 whose bob is attracted by a point 2 cm below its lowest place. */
static VidaSystem* make_charged_pendulum(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double q[2] = {sin(2.0), -cos(2.0)};
  const double v[2] = {0.0, 0.0};
  const double gravity[3] = {0.0, -MODEL_GRAVITY, 0.0};
  const VidaParticle bob = particle(1.0, q, v);
  REQUIRE_OK(VidaSystem_Create("charged pendulum", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, gravity, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &bob, NULL, &error), &error);
  const VidaDistance rod = {.name = "rod",
                            .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                            .to = VidaPoint_Particle(0),
                            .length = 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  const VidaExpression pull = apply(s, "*", number(s, 0.5), distance_power(s, 1.02, -0.5));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, "charge", pull, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

static VidaOptions* make_options(const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", h, &error), &error);
  return options;
}

static VidaStepper* make_stepper(const VidaSystem* system, const char* method, double h) {
  VidaError error = {0};
  VidaOptions* options = make_options(method, h);
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* ---- the sequence ---------------------------------------------------------------------------- */

static double difference(int n, const double* a, const double* b, double sign) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    const double off = fabs(a[i] - sign * b[i]);
    largest = off > largest || isnan(off) ? off : largest;
  }
  return largest;
}

/* There, turned round, and back: the same states and densities, in as many steps. */
static void expect_reversal(const char* name, VidaSystem* system, double h, int steps) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "rattle-variable", h);
  const int n = VidaSystem_CoordinateCount(system);
  double q[MOST], p[MOST];
  double least = INFINITY, most = 0.0;
  const vida_sequence_state first = vida__sequence_state(stepper);
  memcpy(q, first.q, (size_t)n * sizeof *q);
  memcpy(p, first.p, (size_t)n * sizeof *p);
  for (int k = 0; k < 2 * steps; k++) {
    if (k == steps) {
      const vida_sequence_state there = vida__sequence_state(stepper);
      EXPECT(difference(n, there.q, q, 1.0) > 0.1, "%s has not moved", name);
      vida__sequence_reverse(stepper);
    }
    REQUIRE_OK(vida__sequence_step(stepper, &error), &error);
    const double density = vida__sequence_state(stepper).density;
    least = fmin(least, density);
    most = fmax(most, density);
  }
  const vida_sequence_state back = vida__sequence_state(stepper);
  EXPECT(most > 1.5 * least, "%s: densities from %g to %g", name, least, most);
  /* rounding of the density's differences, and what the motion makes of it */
  EXPECT_BELOW(difference(n, back.q, q, 1.0), 1e-9, "positions there and back, %s", name);
  EXPECT_BELOW(difference(n, back.p, p, -1.0), 1e-8, "momenta there and back, %s", name);
  EXPECT_NEAR(back.density, first.density, 1e-9 * first.density, "density there and back, %s",
              name);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

static void test_reversal(void) {
  const Model pendulum = model_double_spherical_pendulum();
  expect_reversal("Kepler, curvature", make_kepler(0.6, false), 0.05, 437);
  expect_reversal("Kepler, observable", make_kepler(0.6, true), 0.05, 437);
  expect_reversal("double spherical pendulum", model_system(&pendulum), 0.01, 150);
  expect_reversal("charged pendulum", make_charged_pendulum(), 0.01, 300);
}

/* Steps of the sequence do not depend on where one looks; nodes are on the constraints. */
static void test_nodes(void) {
  VidaError error = {0};
  VidaSystem* system = make_charged_pendulum();
  VidaStepper* a = make_stepper(system, "rattle-variable", 0.01);
  VidaStepper* b = make_stepper(system, "rattle-variable", 0.01);
  double q[MOST], v[MOST], level, hidden;
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_StartWithStep(b, 0.0, 0.01 / 3.0, q, v, &error), &error);
  for (int k = 0; k < 200; k++) {
    REQUIRE_OK(VidaStepper_Step(a, &error), &error);
    for (int i = 0; i < 3; i++) {
      REQUIRE_OK(VidaStepper_Step(b, &error), &error);
      REQUIRE_OK(VidaStepper_ConstraintErrors(b, &level, &hidden, &error), &error);
      EXPECT_BELOW(level, 1e-14, "g at a node");
      EXPECT_BELOW(hidden, 1e-12, "G v at a node");
    }
    EXPECT_NEAR(VidaStepper_Time(b), VidaStepper_Time(a), 1e-12, "time");
  }
  /* by rounding one may be a step ahead at a common node */
  if (vida__sequence_state(a).steps < vida__sequence_state(b).steps) {
    REQUIRE_OK(vida__sequence_step(a, &error), &error);
  } else if (vida__sequence_state(b).steps < vida__sequence_state(a).steps) {
    REQUIRE_OK(vida__sequence_step(b, &error), &error);
  }
  const vida_sequence_state left = vida__sequence_state(a);
  const vida_sequence_state right = vida__sequence_state(b);
  EXPECT(left.steps == right.steps && left.t == right.t && left.density == right.density &&
             !memcmp(left.q, right.q, 2 * sizeof(double)) &&
             !memcmp(left.p, right.p, 2 * sizeof(double)),
         "the sequences differ: %ld and %ld steps, t = %.17g and %.17g", left.steps, right.steps,
         left.t, right.t);
  VidaStepper_Destroy(&a);
  VidaStepper_Destroy(&b);
  VidaSystem_Destroy(&system);
}

/* ---- energy ---------------------------------------------------------------------------------- */

typedef struct Run {
  double error[2]; /* of the energy, largest in each half */
  double q[MOST];
  long residuals;
} Run;

static Run run(const VidaSystem* system, const char* method, double h, double time) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, method, h);
  const long steps = lround(time / h);
  double start, energy;
  Run result = {{0.0, 0.0}, {0.0}, 0};
  REQUIRE_OK(VidaStepper_Energy(stepper, &start, NULL, &error), &error);
  for (long k = 1; k <= steps; k++) {
    double* half = &result.error[2 * k > steps];
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
    REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
    *half = fmax(*half, fabs(energy - start));
  }
  memcpy(result.q, VidaStepper_Positions(stepper),
         (size_t)VidaSystem_CoordinateCount(system) * sizeof(double));
  result.residuals = VidaStepper_Statistics(stepper).residual_evaluations;
  VidaStepper_Destroy(&stepper);
  return result;
}

/* A hundred revolutions at e = 0.9, after which the planet is where it was (period 2 pi). */
static void test_kepler(void) {
  VidaSystem* system = make_kepler(0.9, false);
  const double h = 2.0 * acos(-1.0) / 125.0;
  const double time = (CHECK_SANITIZED ? 10.0 : 100.0) * 125.0 * h;
  const Run variable = run(system, "rattle-variable", h, time);
  const Run fixed = run(system, "rattle", 0.2 * h, time);
  EXPECT(variable.residuals < fixed.residuals, "%ld and %ld residuals", variable.residuals,
         fixed.residuals);
  EXPECT_BELOW(variable.error[0], 2e-3, "energy in the first half");
  EXPECT_NEAR(variable.error[1], variable.error[0], 0.02 * variable.error[0], "in the second half");
  EXPECT(fixed.error[1] > 50.0 * variable.error[1], "energy of rattle is off by %g, not %g",
         fixed.error[1], variable.error[1]);
  EXPECT_BELOW(hypot(variable.q[0] - 1.9, variable.q[1]), 0.02, "place after whole revolutions");
  VidaSystem_Destroy(&system);
}

static void test_close_approach(void) {
  VidaSystem* system = make_charged_pendulum();
  const double time = CHECK_SANITIZED ? 20.0 : 200.0;
  const Run variable = run(system, "rattle-variable", 0.01, time);
  const Run fine = run(system, "rattle-variable", 0.005, time);
  const Run fixed = run(system, "rattle", 0.002, time);
  EXPECT(variable.residuals < fixed.residuals, "%ld and %ld residuals", variable.residuals,
         fixed.residuals);
  EXPECT_NEAR(variable.error[1], variable.error[0], 0.02 * variable.error[0], "in the second half");
  EXPECT_NEAR(variable.error[0] / fine.error[0], 4.0, 0.2, "second order");
  EXPECT(fixed.error[1] > 50.0 * variable.error[1], "energy of rattle is off by %g, not %g",
         fixed.error[1], variable.error[1]);
  VidaSystem_Destroy(&system);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_refusal(VidaSystem* system, const char* density, const char* text) {
  VidaError error = {0};
  VidaOptions* options = make_options("rattle-variable", 0.05);
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaOptions_SetText(options, "density", density, &error), &error);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               text);
  EXPECT_ERROR(VidaOptions_SetReal(options, "start_density", 0.0, &error), &error,
               VIDA_BAD_ARGUMENT, "start_density");
  EXPECT_ERROR(VidaOptions_SetReal(options, "least_density", -1.0, &error), &error,
               VIDA_BAD_ARGUMENT, "least_density");
  REQUIRE_OK(VidaOptions_SetText(options, "density", "auto", &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "least_density", 2.0, &error), &error);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_BAD_ARGUMENT,
               "least_density, 2, must not be above start_density, 1");
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* One mass in the plane, with a potential x^4 and a density that is positive near x = 0 only. */
static VidaSystem* make_quartic(bool observed) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaParticle one = particle(1.0, (double[]){0.0, 0.0}, (double[]){1.0, 0.0});
  REQUIRE_OK(VidaSystem_Create("quartic", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &one, NULL, &error), &error);
  const VidaExpression fourth = apply(s, "^", position(s, 0), number(s, 4.0));
  REQUIRE_OK(
      VidaSystem_AddExpressionLagrangian(s, "well", apply(s, "-", number(s, 0.0), fourth), &error),
      &error);
  if (observed) {
    REQUIRE_OK(VidaSystem_AddObservable(s, "step density", "", false,
                                        apply(s, "-", number(s, 0.5), position(s, 0)), &error),
               &error);
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* A free particle with speed 1 along x, from 0. */
static VidaSystem* begin_free(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaParticle one = particle(1.0, (double[]){0.0, 0.0}, (double[]){1.0, 0.0});
  REQUIRE_OK(VidaSystem_Create("free", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(s, &one, NULL, &error), &error);
  return s;
}

static VidaExpression exponential(VidaSystem* s, VidaExpression of) {
  VidaError error = {0};
  VidaExpression result;
  REQUIRE_OK(VidaSystem_Apply(s, "exp", 1, &of, &result, &error), &error);
  return result;
}

static VidaSystem* complete_with_density(VidaSystem* s, VidaExpression density) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddObservable(s, "step density", "", false, density, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* Its steps should be exp(300 x^2) times longer. */
static VidaSystem* make_falling_density(void) {
  VidaSystem* s = begin_free();
  const VidaExpression square = apply(s, "*", position(s, 0), position(s, 0));
  return complete_with_density(s, exponential(s, apply(s, "*", number(s, -300.0), square)));
}

/* Its steps should be 40 times shorter behind x = 0.51. With h = 0.1 only the node at 0.5 meets
 * the rise, where the density is 1: the integrated one rises by log 40, to 4.7. */
static VidaSystem* make_sudden_density(void) {
  VidaSystem* s = begin_free();
  const VidaExpression left = apply(s, "-", number(s, 0.51), position(s, 0));
  const VidaExpression decay = exponential(s, apply(s, "*", number(s, 1000.0), left));
  const VidaExpression rise = apply(s, "/", number(s, 39.0), apply(s, "+", number(s, 1.0), decay));
  return complete_with_density(s, apply(s, "+", number(s, 1.0), rise));
}

/* Steps until it fails: a status with its reason, and the state as it was. */
static void expect_end(VidaSystem* system, double h, int code, const char* text) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "rattle-variable", h);
  const int n = VidaSystem_CoordinateCount(system);
  double q[MOST];
  int got = VIDA_SUCCESS;
  for (int k = 0; k < 1000 && !got; k++) {
    memcpy(q, VidaStepper_Positions(stepper), (size_t)n * sizeof *q);
    got = VidaStepper_Step(stepper, &error);
  }
  EXPECT(got == code && strstr(error.message, text), "%d: %s", got, error.message);
  EXPECT(!memcmp(q, VidaStepper_Positions(stepper), (size_t)n * sizeof *q),
         "the state has changed");
  VidaError again = {0};
  EXPECT_ERROR(VidaStepper_Step(stepper, &again), &again, code, text);
  EXPECT(strcmp(again.message, error.message) == 0, "first '%s', then '%s'", error.message,
         again.message);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

static void expect_no_scale(VidaSystem* system) {
  VidaError error = {0};
  VidaOptions* options = make_options("rattle-variable", 0.01);
  VidaStepper* stepper = NULL;
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, (double[]){0.0, 0.0}, (double[]){1.0, 0.0}, &error),
               &error, VIDA_NOT_SUPPORTED, "the density of steps has no scale");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_refusals(void) {
  expect_refusal(make_kepler(0.6, false), "observable", "no observable 'step density'");
  expect_end(make_quartic(true), 0.01, VIDA_NOT_FINITE, "must be positive");
  expect_no_scale(make_quartic(false));
  expect_end(make_falling_density(), 0.01, VIDA_STEP_NOT_CONVERGED, "the step is too large");
  expect_end(make_sudden_density(), 0.1, VIDA_STEP_NOT_CONVERGED, "changes too fast");
}

/* Without curvature steps are even, and motion exact. */
static void test_free_flight(void) {
  VidaError error = {0};
  const double q[3] = {0.0, 1.0, 2.0};
  const double v[3] = {0.1, -0.2, 0.3};
  const Model model = model_free_particle(3, 10.0, q, v);
  VidaSystem* system = model_system(&model);
  VidaStepper* stepper = make_stepper(system, "rattle-variable", 0.1);
  for (int k = 0; k < 10; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(VidaStepper_Positions(stepper)[i], q[i] + v[i], 4.0 * DBL_EPSILON, "x%d", i);
  }
  EXPECT(vida__sequence_state(stepper).steps == 10, "%ld steps",
         vida__sequence_state(stepper).steps);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"there and back", test_reversal},
                                    {"nodes", test_nodes},
                                    {"Kepler", test_kepler},
                                    {"close approach", test_close_approach},
                                    {"free flight", test_free_flight},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("rattle-variable", tests);
}
