/* Relaxed constraints (Lacoursiere 2007): compliance and damping time, static sag, the
 * recurrence of linear constraints, stiff potentials, degenerate and driven constraints, slip. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/expression.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"

static const double pi = 3.14159265358979323846;
static const char* const all_methods[] = {"spook", "spook-newton", "del-regularized",
                                          "del-nonholonomic-relaxed"};
static const char* const damped_methods[] = {"spook", "spook-newton"};

/* ---- helpers -------------------------------------------------------------------------------- */

static void constrain(VidaSystem* system, const char* name, VidaExpression g) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, name, "m", g, &error), &error);
}

/* A particle at the origin, at rest, under gravity along its last coordinate. */
static VidaSystem* one_particle(int dimension, double mass) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  double gravity[3] = {0.0, 0.0, 0.0};
  VidaParticle particle = {.name = "bob", .mass = mass};
  gravity[dimension - 1] = -MODEL_GRAVITY;
  for (int i = 0; i < dimension; i++) {
    particle.position[i] = VidaInitial_Given(0.0);
    particle.velocity[i] = VidaInitial_Given(0.0);
  }
  REQUIRE_OK(VidaSystem_Create("particle", dimension, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  return system;
}

static void complete(VidaSystem* system) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
}

static VidaStepper* make_stepper(const VidaSystem* system, const char* method, double h,
                                 const char* const* settings) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method(method, h, settings);
  const int code = VidaStepper_Create(system, options, &stepper, &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(code, &error);
  return stepper;
}

static VidaStepper* start_stepper(const VidaSystem* system, const char* method, double h,
                                  const char* const* settings, const double* q, const double* v) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, method, h, settings);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

static void make_steps(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  int code = 0;
  for (long i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
  }
  REQUIRE_OK(code, &error);
}

/* Goes on from where it is, with another step. */
static void change_step(VidaStepper* stepper, double h) {
  VidaError error = {0};
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  const int n = VidaSystem_CoordinateCount(VidaStepper_System(stepper));
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  memcpy(q, VidaStepper_Positions(stepper), (size_t)n * sizeof *q);
  REQUIRE_OK(VidaStepper_StartWithStep(stepper, VidaStepper_Time(stepper), h, q, v, &error),
             &error);
}

/* ---- A11: static sag ------------------------------------------------------------------------ */

static VidaSystem* hung_mass(double stiffness, double damping_time) {
  VidaError error = {0};
  VidaSystem* system = one_particle(1, 1.0);
  constrain(system, "string", position(system, 0));
  complete(system);
  REQUIRE_OK(VidaSystem_SetRelaxation(system, "string", 1.0 / stiffness, damping_time, &error),
             &error);
  return system;
}

/* -m g / k, whatever the step and the damping: the fixed point of eq. 29 */
static void test_sag(void) {
  static const double steps[] = {1.0 / 60.0, 1.0 / 600.0, 1.0 / 60000.0};
  static const double stiffness[] = {1e4, 1e6, 1e9};
  static const double damping[] = {0.04, 0.1};
  const double zero = 0.0;
  for (int i = 0; i < 2 * 2 * 3 * 3; i++) {
    const double k = stiffness[i % 3];
    const double h = steps[i / 3 % 3];
    const double tau = damping[i / 9 % 2];
    VidaSystem* system = hung_mass(k, tau);
    VidaStepper* stepper = start_stepper(system, damped_methods[i / 18], h, NULL, &zero, &zero);
    /* overdamped: what is left decays with the time tau */
    make_steps(stepper, lround(30.0 * tau / h));
    EXPECT_NEAR(VidaStepper_Positions(stepper)[0] * k, -MODEL_GRAVITY, 1e-10 * MODEL_GRAVITY,
                "%s, k = %g, h = %g, tau = %g", damped_methods[i / 18], k, h, tau);
    EXPECT_NEAR(VidaStepper_Multipliers(stepper, NULL)[0], -MODEL_GRAVITY, 1e-10 * MODEL_GRAVITY,
                "force of the string");
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

static void test_sag_with_changing_step(void) {
  static const double steps[] = {1.0 / 60.0, 1.0 / 600.0, 1.0 / 60000.0, 1.0 / 60.0};
  const double sag = -MODEL_GRAVITY / 1e6;
  const double zero = 0.0;
  for (int i = 0; i < 4; i++) {
    const char* method = all_methods[i];
    const bool damps = i < 2;
    VidaSystem* system = hung_mass(1e6, damps ? 0.05 : (double)NAN);
    /* undamped, rounding of many steps swings on */
    const double tolerance = (damps ? 1e-10 : 1e-9) * fabs(sag);
    /* without damping it stays where it hangs, with damping it gets there with all these steps */
    const double start = damps ? 0.0 : sag;
    VidaStepper* stepper = start_stepper(system, method, steps[0], NULL, &start, &zero);
    make_steps(stepper, 20);
    for (int k = 1; k < 4; k++) {
      change_step(stepper, steps[k]);
      make_steps(stepper, lround(0.6 / steps[k]));
    }
    EXPECT_NEAR(VidaStepper_Positions(stepper)[0], sag, tolerance, "%s", method);
    for (int k = 0; k < 4; k++) {
      change_step(stepper, steps[k]);
      make_steps(stepper, 1);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], sag, tolerance, "%s, one step of %g", method,
                  steps[k]);
      make_steps(stepper, 100);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], sag, tolerance, "%s, 101 steps of %g", method,
                  steps[k]);
    }
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* Link i of ten carries what hangs below it, T = (10 - i) m g. Its row is (d^2 - l^2)/(2 l) = e T
 * l/d with l = 1, d^3 - d = 2 e T, solved here by Newton's method. */
static double chain_end(double compliance) {
  double y = 0.0;
  for (int i = 0; i < 10; i++) {
    const double tension = (10 - i) * MODEL_GRAVITY;
    double d = 1.0;
    for (int k = 0; k < 20; k++) {
      d -= (d * d * d - d - 2.0 * compliance * tension) / (3.0 * d * d - 1.0);
    }
    y -= d;
  }
  return y;
}

static void test_sag_of_chain(void) {
  static const double steps[] = {1.0 / 60.0, 1.0 / 600.0, 1.0 / 60000.0};
  static const char* const settings[] = {"compliance", "1e-5", "damping_time", "0.05", NULL};
  for (int i = 0; i < 6; i++) {
    const double h = steps[i / 2];
    const char* method = damped_methods[i % 2];
    Model model = model_chain(10, 0.5 * pi);
    VidaError error = {0};
    double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
    VidaSystem* system = model_system(&model);
    const int last = model.dimension * model.particles - 1;
    const double expected = chain_end(1e-5) + 10.0;
    REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
    const double start = q[last];
    EXPECT_NEAR(start, -10.0, 1e-12, "the end of the chain");
    VidaStepper* stepper = start_stepper(system, method, h, settings, q, v);
    make_steps(stepper, lround((CHECK_SANITIZED && h < 1e-4 ? 0.05 : 2.0) / h));
    if (!CHECK_SANITIZED || h > 1e-4) {
      EXPECT_NEAR(VidaStepper_Positions(stepper)[last] + 10.0, expected, 1e-10 * fabs(expected),
                  "%s, h = %g", method, h);
    }
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* A11, last part: nothing slows a free body down. x = 0.2 t */
static void test_free_body(void) {
  const double x[2] = {0.0, 1.0};
  const double v[2] = {0.2, 0.0};
  for (int i = 0; i < 4; i++) {
    const Model model = model_free_particle(2, 3.0, x, v);
    State state;
    EXPECT(motion_at(&model, all_methods[i], 1.0 / 60.0, 6000, &state), "%s", all_methods[i]);
    EXPECT_NEAR(state.q[0], 20.0, 1e-13, "%s", all_methods[i]);
    EXPECT_NEAR(state.v[0], 0.2, 1e-16, "%s", all_methods[i]);
    EXPECT_NEAR(state.q[1], 1.0, 1e-15, "%s", all_methods[i]);
  }
}

/* Nor a rod that turns freely: its energy is that of the start for the rest of the run, and L and J
 * are exact, since reactions act along the rod (Lacoursiere 2007, section 2). */
static void test_free_rod(void) {
  static const double v1[3] = {0.3, 0.5, 0.0};
  static const double v2[3] = {0.3, -0.5, 0.2};
  for (int i = 0; i < 3; i++) {
    const Model model = model_dumbbell(v1, v2);
    Motion motion = motion_start(&model, all_methods[i], 0.01, "auto");
    double before[8], after[8];
    const State start = motion_state(&motion);
    const int maps = VidaSystem_MomentumCount(motion.system);
    EXPECT(maps == 6, "%d maps", maps);
    VidaSystem_Momentum(motion.system, start.q, start.p, before);
    motion_steps(&motion, 100000);
    const State end = motion_state(&motion);
    VidaSystem_Momentum(motion.system, end.q, end.p, after);
    EXPECT_BELOW(largest_difference(maps, before, after), 1e-12, "%s: momenta", all_methods[i]);
    VidaStepper_Destroy(&motion.stepper);
    VidaSystem_Destroy(&motion.system);
  }
}

/* ---- linear constraints: eq. 32 ------------------------------------------------------------- */

/* x = g, y = h G v of a unit mass without gravity follows x1 = x + y1, y1 = - 4 psi c x + (1 - 4
 * theta psi c) y with c = 1 / (1 + sigma), after the first step. */
static void test_recurrence(void) {
  static const struct {
    double compliance, theta, h;
  } cases[] = {{1e-3, 2.0, 0.1}, {1e-6, 0.5, 0.02}, {0.1, 3.0, 0.3}, {1e-2, 0.0, 0.05}};
  for (int i = 0; i < 4 * 3; i++) {
    const int c = i / 3;
    const char* method = all_methods[i % 3];
    const double h = cases[c].h;
    const double theta = cases[c].theta;
    const double psi = 1.0 / (1.0 + 4.0 * theta);
    const double share = 1.0 / (1.0 + 4.0 / (h * h) * psi * cases[c].compliance);
    const double q0 = 0.7, v0 = -0.4;
    VidaError error = {0};
    if (i % 3 == 2 && theta > 0.0) {
      continue;
    }
    VidaSystem* system = NULL;
    VidaParticle particle = {.name = "bob", .mass = 1.0};
    particle.position[0] = VidaInitial_Given(0.7);
    particle.velocity[0] = VidaInitial_Given(-0.4);
    REQUIRE_OK(VidaSystem_Create("line", 1, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
    constrain(system, "line", position(system, 0));
    complete(system);
    const double damping_time = theta > 0.0 ? theta * h : (double)NAN;
    REQUIRE_OK(VidaSystem_SetRelaxation(system, "line", cases[c].compliance, damping_time, &error),
               &error);
    VidaStepper* stepper = start_stepper(system, method, h, NULL, &q0, &v0);
    make_steps(stepper, 1);
    double x = VidaStepper_Positions(stepper)[0];
    double y = x - q0;
    for (int k = 0; k < 50; k++) {
      y = -4.0 * psi * share * x + (1.0 - 4.0 * theta * psi * share) * y;
      x += y;
      make_steps(stepper, 1);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], x, 1e-12, "%s, case %d, step %d", method, c,
                  k + 2);
    }
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* ---- stiff potentials ----------------------------------------------------------------------- */

/* A row g = x of compliance 1/k without damping is a spring, x'' = -(k/m) x: the closed form, with
 * order 2, and for large k no limit of the step. Its force is k x. */
static void test_stiff_potential(void) {
  static const char* const settings[] = {"compliance", "0.0625", NULL}; /* omega = 4 / s */
  for (int i = 0; i < 4; i++) {
    double off[2];
    for (int level = 0; level < 2; level++) {
      VidaSystem* system = one_particle(2, 1.0);
      constrain(system, "spring", position(system, 0));
      complete(system);
      const double q[2] = {0.3, 0.0};
      const double v[2] = {-0.2, 0.0};
      VidaStepper* stepper =
          start_stepper(system, all_methods[i], level ? 0.005 : 0.01, settings, q, v);
      make_steps(stepper, level ? 200 : 100);
      VidaError error = {0};
      double rates[2], t;
      off[level] = VidaStepper_Positions(stepper)[0] - (0.3 * cos(4.0) - 0.05 * sin(4.0));
      REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
      EXPECT_NEAR(rates[0], -1.2 * sin(4.0) - 0.2 * cos(4.0), 2e-3, "%s: velocity", all_methods[i]);
      const double force = VidaStepper_Multipliers(stepper, &t)[0];
      EXPECT_NEAR(force, 16.0 * (0.3 * cos(4.0 * t) - 0.05 * sin(4.0 * t)), 1e-2, "%s: force",
                  all_methods[i]);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[1], -0.5 * MODEL_GRAVITY, 1e-11, "%s: free fall",
                  all_methods[i]);
      VidaStepper_Destroy(&stepper);
      VidaSystem_Destroy(&system);
    }
    EXPECT_NEAR(log2(off[0] / off[1]), 2.0, 0.1, "%s: order, errors %g, %g", all_methods[i], off[0],
                off[1]);
  }
}

/* ---- constraint violation ------------------------------------------------------------------- */

static double worst_violation(const char* method, long steps, const char* const* settings) {
  const Model model = model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
  VidaError error = {0};
  VidaSystem* system = model_system(&model);
  double q[2], v[2], worst = 0.0;
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  VidaStepper* stepper = start_stepper(system, method, 2.0 / (double)steps, settings, q, v);
  for (long k = 0; k < steps; k++) {
    make_steps(stepper, 1);
    worst = fmax(worst, model_stretch(&model, VidaStepper_Positions(stepper)));
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return worst;
}

/* O(h^2) with tau/h = 2 (Lacoursiere 2007, figure 6); with a fixed damping time the damper holds
 * back the rates, which are wrong by O(h): O(h). */
static void test_violation(void) {
  static const char* const of_paper[] = {"epsilon", "1e-8", "tau_over_h", "2", NULL};
  static const char* const fixed[] = {"damping_time", "0.02", NULL};
  for (int i = 0; i < 2; i++) {
    const char* method = damped_methods[i];
    EXPECT_NEAR(log2(worst_violation(method, 1000, NULL) / worst_violation(method, 8000, NULL)) / 3,
                2.0, 0.1, "%s", method);
    EXPECT_NEAR(
        log2(worst_violation(method, 250, of_paper) / worst_violation(method, 2000, of_paper)) / 3,
        2.0, 0.2, "%s with the parameters of the paper", method);
    EXPECT_NEAR(
        log2(worst_violation(method, 2000, fixed) / worst_violation(method, 16000, fixed)) / 3, 1.0,
        0.15, "%s with a fixed damping time", method);
  }
  EXPECT_BELOW(worst_violation("del-regularized", 1000, NULL), 1e-14, "without compliance");
}

/* ---- degenerate constraints ----------------------------------------------------------------- */

/* Two strings for one mass share its weight, by their compliance or (forces of least norm) without:
 * 2 kg on two of them. */
static void test_redundant(void) {
  const double zero[2] = {0.0, 0.0};
  const double sag[2] = {0.0, -MODEL_GRAVITY * 1e-9};
  for (int i = 0; i < 4 * 2 * 2; i++) {
    const char* method = all_methods[i / 4];
    const bool soft = i % 2 == 1;
    const char* const settings[] = {"linear_solver", i / 2 % 2 ? "klu" : "dense", "compliance",
                                    soft ? "1e-9" : "0", NULL};
    VidaSystem* system = one_particle(2, 2.0);
    constrain(system, "one", position(system, 1));
    constrain(system, "two", position(system, 1));
    complete(system);
    VidaStepper* stepper = start_stepper(system, method, 0.01, settings, soft ? sag : zero, zero);
    make_steps(stepper, 1000);
    const double* forces = VidaStepper_Multipliers(stepper, NULL);
    EXPECT_NEAR(forces[0], -MODEL_GRAVITY, 1e-6, "%s, first, case %d", method, i);
    EXPECT_NEAR(forces[1], -MODEL_GRAVITY, 1e-6, "%s, second, case %d", method, i);
    EXPECT_NEAR(VidaStepper_Positions(stepper)[1], soft ? sag[1] : 0.0, 1e-12, "%s, case %d",
                method, i);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* Strings of 1 and 3 units of compliance carry 3 and 1 parts of the weight of 2 kg. */
static void test_unequal_strings(void) {
  const double zero[2] = {0.0, 0.0};
  const double sag[2] = {0.0, -2.0 * MODEL_GRAVITY * 0.75e-6};
  for (int i = 0; i < 4; i++) {
    VidaError error = {0};
    VidaSystem* system = one_particle(2, 2.0);
    constrain(system, "one", position(system, 1));
    constrain(system, "two", position(system, 1));
    complete(system);
    REQUIRE_OK(VidaSystem_SetRelaxation(system, "one", 1e-6, (double)NAN, &error), &error);
    REQUIRE_OK(VidaSystem_SetRelaxation(system, "two", 3e-6, (double)NAN, &error), &error);
    VidaStepper* stepper = start_stepper(system, all_methods[i], 0.01, NULL, sag, zero);
    make_steps(stepper, 100);
    const double* forces = VidaStepper_Multipliers(stepper, NULL);
    EXPECT_NEAR(forces[0], -1.5 * MODEL_GRAVITY, 1e-7, "%s, first", all_methods[i]);
    EXPECT_NEAR(forces[1], -0.5 * MODEL_GRAVITY, 1e-7, "%s, second", all_methods[i]);
    EXPECT_NEAR(VidaStepper_Positions(stepper)[1], sag[1], 1e-14, "%s", all_methods[i]);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* y = 0 and y + x z = 0 are one and the same at x = z = 0, where the body comes at t = 1: no force
 * is right there, so that SPOOK does not go there, unless the constraints give way. */
static void test_singular_on_the_way(void) {
  static const char* const soft[] = {"compliance", "1e-6", NULL};
  const double q[3] = {-1.0, 0.0, 0.0};
  const double v[3] = {1.0, 0.0, 0.0};
  for (int i = 0; i < 2; i++) {
    VidaError error = {0};
    VidaSystem* system = one_particle(3, 1.0);
    VidaExpression lift = number(system, MODEL_GRAVITY);
    const int coordinate = 2;
    const VidaExpression product = apply(system, "*", position(system, 0), position(system, 2));
    REQUIRE_OK(VidaSystem_AddExpressionForce(system, "lift", 1, &coordinate, &lift, &error),
               &error);
    constrain(system, "one", position(system, 1));
    constrain(system, "two", apply(system, "+", position(system, 1), product));
    complete(system);
    VidaStepper* stepper = start_stepper(system, "spook", 0.25, i ? soft : NULL, q, v);
    make_steps(stepper, 3);
    if (i) {
      make_steps(stepper, 5);
      EXPECT_NEAR(VidaStepper_Positions(stepper)[0], 1.0, 1e-14, "x");
    } else {
      EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_STEP_SINGULAR,
                   "step 4 from t = 0.75, in the following step, ");
      EXPECT(strstr(error.message, "need a compliance"), "%s", error.message);
      EXPECT(VidaStepper_StepCount(stepper) == 3 && VidaStepper_Positions(stepper)[0] == -0.25,
             "the failed step has been made");
    }
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* g = y^2/2 has no gradient where it is satisfied: nothing moves there, and nothing fails. */
static void test_singular_point(void) {
  static const char* const settings[] = {"compliance", "1e-6", NULL};
  const double q[2] = {0.0, 0.0};
  const double v[2] = {1.0, 0.0};
  for (int i = 0; i < 4; i++) {
    VidaError error = {0};
    VidaSystem* system = one_particle(2, 1.0);
    double force;
    VidaExpression y = position(system, 1);
    VidaExpression lift = number(system, MODEL_GRAVITY);
    const int coordinate = 1;
    REQUIRE_OK(VidaSystem_AddExpressionForce(system, "lift", 1, &coordinate, &lift, &error),
               &error);
    constrain(system, "fold", apply(system, "*", number(system, 0.5), apply(system, "*", y, y)));
    complete(system);
    VidaStepper* stepper = start_stepper(system, all_methods[i], 0.01, settings, q, v);
    make_steps(stepper, 100);
    force = VidaStepper_Multipliers(stepper, NULL)[0];
    EXPECT_NEAR(VidaStepper_Positions(stepper)[0], 1.0, 1e-14, "%s", all_methods[i]);
    EXPECT(VidaStepper_Positions(stepper)[1] == 0.0 && force == 0.0, "%s: y = %g, force %g",
           all_methods[i], VidaStepper_Positions(stepper)[1], force);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&system);
  }
}

/* ---- driven constraints --------------------------------------------------------------------- */

/* x = sin t asked for by g = x - sin t, and by the nonholonomic row x' - cos t */
static double driven_error(const char* method, bool by_velocity, long steps) {
  const double q[2] = {0.0, 0.0};
  const double v[2] = {1.0, 0.0};
  double worst = 0.0;
  VidaError error = {0};
  VidaSystem* system = one_particle(2, 1.5);
  if (by_velocity) {
    const VidaExpression wave = apply(system, "cos", now(system), -1);
    REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(
                   system, "drive", "m/s", apply(system, "-", rate(system, 0), wave), &error),
               &error);
  } else {
    const VidaExpression wave = apply(system, "sin", now(system), -1);
    constrain(system, "drive", apply(system, "-", position(system, 0), wave));
  }
  complete(system);
  VidaStepper* stepper = start_stepper(system, method, 4.0 / (double)steps, NULL, q, v);
  for (long k = 0; k < steps; k++) {
    make_steps(stepper, 1);
    worst = fmax(worst, fabs(VidaStepper_Positions(stepper)[0] - sin(VidaStepper_Time(stepper))));
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return worst;
}

static void test_driven(void) {
  for (int i = 0; i < 2; i++) {
    const char* method = damped_methods[i];
    EXPECT_NEAR(log2(driven_error(method, false, 200) / driven_error(method, false, 1600)) / 3, 2.0,
                0.1, "%s", method);
  }
  EXPECT_BELOW(driven_error("del-regularized", false, 400), 1e-13, "without compliance");
  /* rows at the middle of a step: order 2; spook has its w at the node, as the paper: order 1 */
  for (int i = 0; i < 4; i++) {
    const char* method = all_methods[i];
    if (i != 2) {
      EXPECT_NEAR(log2(driven_error(method, true, 200) / driven_error(method, true, 1600)) / 3,
                  i == 0 ? 1.0 : 2.0, 0.1, "%s by velocity", method);
    }
  }
}

/* ---- nonholonomic rows ---------------------------------------------------------------------- */

/* A body that falls against viscous friction of coefficient 1/gamma reaches m g gamma, whatever the
 * step (eq. 24). */
static void test_slip(void) {
  static const char* const settings[] = {"gamma", "0.02", NULL};
  static const double steps[] = {1.0 / 60.0, 1e-3};
  const double zero = 0.0;
  for (int i = 0; i < 4 * 2; i++) {
    const char* method = all_methods[i / 2];
    VidaError error = {0};
    double v;
    VidaSystem* system = one_particle(1, 3.0);
    REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(system, "wall", "m/s", rate(system, 0), &error),
               &error);
    complete(system);
    if (i / 2 == 2) {
      VidaOptions* options = motion_method(method, 0.01, NULL);
      VidaStepper* refused = NULL;
      EXPECT_ERROR(VidaStepper_Create(system, options, &refused, &error), &error,
                   VIDA_NOT_SUPPORTED, "these can: ");
      VidaOptions_Destroy(&options);
    } else {
      VidaStepper* stepper = start_stepper(system, method, steps[i % 2], settings, &zero, &zero);
      make_steps(stepper, lround(3.0 / steps[i % 2]));
      REQUIRE_OK(VidaStepper_Velocities(stepper, &v, &error), &error);
      EXPECT_NEAR(v, -3.0 * MODEL_GRAVITY * 0.02, 1e-13, "%s, h = %g", method, steps[i % 2]);
      EXPECT_NEAR(VidaStepper_Multipliers(stepper, NULL)[0], -3.0 * MODEL_GRAVITY, 1e-11,
                  "%s: friction", method);
      VidaStepper_Destroy(&stepper);
    }
    VidaSystem_Destroy(&system);
  }
}

/* A knife edge on an incline, Bloch, Nonholonomic Mechanics and Control, section 1.6 (turning at w
 * = 2, a = 3): x = a/(2 w^2) sin^2(w t), y = a/(2 w^2) (w t - sin(2 w t)/2) */
static double knife_edge_error(const char* method, long steps, const char* const* settings) {
  VidaError error = {0};
  VidaSystem* system = NULL;
  const char* const names[] = {"x", "y", "phi"};
  const double q[3] = {0.0, 0.0, 0.0};
  const double v[3] = {0.0, 0.0, 2.0};
  double worst = 0.0;
  REQUIRE_OK(VidaSystem_Create("knife edge", 2, &system, &error), &error);
  VidaExpression lagrangian = apply(system, "*", number(system, 1.25 * 3.0), number(system, 0.0));
  for (int i = 0; i < 3; i++) {
    REQUIRE_OK(
        VidaSystem_AddCoordinate(system, names[i], i < 2 ? "m" : "rad", VidaInitial_Given(q[i]),
                                 VidaInitial_Given(v[i]), NULL, &error),
        &error);
    const VidaExpression square = apply(system, "*", rate(system, i), rate(system, i));
    lagrangian = apply(system, "+", lagrangian,
                       apply(system, "*", number(system, i < 2 ? 0.625 : 0.065), square));
  }
  lagrangian = apply(system, "+", lagrangian,
                     apply(system, "*", number(system, 1.25 * 3.0), position(system, 0)));
  const VidaExpression phi = position(system, 2);
  const VidaExpression row =
      apply(system, "-", apply(system, "*", rate(system, 0), apply(system, "sin", phi, -1)),
            apply(system, "*", rate(system, 1), apply(system, "cos", phi, -1)));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "sledge", lagrangian, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionNonholonomic(system, "blade", "m/s", row, &error), &error);
  complete(system);
  VidaStepper* stepper = start_stepper(system, method, 4.0 / (double)steps, settings, q, v);
  for (long k = 0; k < steps; k++) {
    make_steps(stepper, 1);
    const double angle = 2.0 * VidaStepper_Time(stepper);
    const double* at = VidaStepper_Positions(stepper);
    worst = fmax(worst, fabs(at[0] - 0.375 * sin(angle) * sin(angle)));
    worst = fmax(worst, fabs(at[1] - 0.375 * (angle - 0.5 * sin(2.0 * angle))));
  }
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
  return worst;
}

static void test_knife_edge(void) {
  static const char* const endpoint[] = {"rows", "endpoint", NULL};
  static const struct {
    const char* method;
    const char* const* settings;
    double order;
  } cases[] = {{"del-nonholonomic-relaxed", NULL, 2.0},
               {"spook-newton", NULL, 2.0},
               {"del-nonholonomic-relaxed", endpoint, 1.0},
               {"spook", NULL, 1.0}};
  for (int i = 0; i < 4; i++) {
    const double coarse = knife_edge_error(cases[i].method, 400, cases[i].settings);
    const double fine = knife_edge_error(cases[i].method, 3200, cases[i].settings);
    EXPECT_NEAR(log2(coarse / fine) / 3.0, cases[i].order, 0.1, "%s, case %d, errors %g, %g",
                cases[i].method, i, coarse, fine);
  }
}

/* ---- relaxations, and what is refused ------------------------------------------------------- */

static void test_relaxation(void) {
  VidaError error = {0};
  VidaSystem* system = one_particle(2, 1.0);
  constrain(system, "rail", position(system, 0));
  constrain(system, "string", position(system, 1));
  complete(system);
  EXPECT(isnan(VidaSystem_ConstraintCompliance(system, 0)) &&
             isnan(VidaSystem_ConstraintDampingTime(system, 0)),
         "set without being asked");
  REQUIRE_OK(VidaSystem_SetRelaxation(system, "string", 1e-4, 0.05, &error), &error);
  EXPECT(VidaSystem_ConstraintCompliance(system, 1) == 1e-4 &&
             VidaSystem_ConstraintDampingTime(system, 1) == 0.05 &&
             isnan(VidaSystem_ConstraintCompliance(system, 0)),
         "only the string gives way");
  EXPECT(isnan(VidaSystem_ConstraintCompliance(system, 7)), "no such row");
  /* the string by its own number, whatever the option says */
  static const char* const settings[] = {"compliance", "1e-2", NULL};
  const double q[2] = {0.0, 0.0};
  VidaStepper* stepper = start_stepper(system, "spook", 0.01, settings, q, q);
  make_steps(stepper, 300);
  EXPECT_NEAR(VidaStepper_Positions(stepper)[1], -MODEL_GRAVITY * 1e-4, 1e-13, "its own sag");
  VidaStepper_Destroy(&stepper);
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "strink", 1.0, 1.0, &error), &error,
               VIDA_UNKNOWN_NAME, "did you mean 'string'?");
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "string", -1.0, 0.0, &error), &error,
               VIDA_BAD_ARGUMENT, "compliance: expected a number not below 0, got -1");
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "string", 1.0, -2.0, &error), &error,
               VIDA_BAD_ARGUMENT, "damping_time: expected a number not below 0, got -2");
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "string", (double)INFINITY, 0.0, &error), &error,
               VIDA_BAD_ARGUMENT, "compliance");
  EXPECT(VidaSystem_ConstraintCompliance(system, 1) == 1e-4, "a refused value was taken");
  VidaSystem_Destroy(&system);
}

static void expect_refusal(const VidaSystem* system, const char* method,
                           const char* const* settings, int code, const char* text) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method(method, 0.01, settings);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, code, text);
  EXPECT(!stepper, "%s made a stepper", method);
  VidaOptions_Destroy(&options);
}

static void test_refusals(void) {
  static const char* const zero[] = {"damping_time", "0", NULL};
  static const char* const zero_steps[] = {"compliance", "1e-6", "tau_over_h", "0", NULL};
  static const char* const both[] = {"compliance", "1e-6", "epsilon", "1e-6", NULL};
  static const char* const twice[] = {"damping_time", "1", "tau_over_h", "2", NULL};
  VidaError error = {0};
  VidaSystem* system = one_particle(2, 1.0);
  constrain(system, "string", position(system, 1));
  complete(system);
  for (int i = 0; i < 2; i++) {
    const char* method = damped_methods[i];
    expect_refusal(system, method, zero, VIDA_BAD_ARGUMENT,
                   "damping_time: expected a positive number, got 0");
    expect_refusal(system, method, zero_steps, VIDA_BAD_ARGUMENT,
                   "tau_over_h: expected a positive number, got 0");
    expect_refusal(system, method, both, VIDA_BAD_ARGUMENT, "either compliance or epsilon");
    expect_refusal(system, method, twice, VIDA_BAD_ARGUMENT, "either damping_time or tau_over_h");
  }
  for (int i = 0; i < 4; i++) {
    VidaOptions* options = motion_method(all_methods[i], 0.01, NULL);
    EXPECT_ERROR(VidaOptions_SetReal(options, "compliance", -1e-6, &error), &error,
                 VIDA_BAD_ARGUMENT, "compliance");
    EXPECT_ERROR(VidaOptions_SetReal(options, "epsilon", -1e-6, &error), &error, VIDA_BAD_ARGUMENT,
                 "epsilon");
    VidaOptions_Destroy(&options);
  }
  EXPECT_ERROR(VidaSystem_SetRelaxation(system, "string", 1e-6, 0.0, &error), &error,
               VIDA_BAD_ARGUMENT,
               "damping_time of constraint 'string': expected a positive number, got 0");
  REQUIRE_OK(VidaSystem_SetRelaxation(system, "string", 1e-4, 0.05, &error), &error);
  expect_refusal(system, "del-regularized", NULL, VIDA_NOT_SUPPORTED,
                 "does not accept the damping time of constraint 'string'; these can: spook");
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {
      {"A11: sag of a hung mass", test_sag},
      {"A11: sag when the step changes", test_sag_with_changing_step},
      {"A11: sag of a chain", test_sag_of_chain},
      {"A11: a free body", test_free_body},
      {"a free rod", test_free_rod},
      {"recurrence of a linear constraint", test_recurrence},
      {"stiff potential", test_stiff_potential},
      {"constraint violation", test_violation},
      {"redundant constraints", test_redundant},
      {"redundant constraints of unequal compliance", test_unequal_strings},
      {"singular on the way", test_singular_on_the_way},
      {"singular point", test_singular_point},
      {"driven constraints", test_driven},
      {"slip", test_slip},
      {"knife edge", test_knife_edge},
      {"relaxations", test_relaxation},
      {"refusals", test_refusals},
      {NULL, NULL}};
  return check_main("regularized methods", tests);
}
