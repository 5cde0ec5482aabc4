/* The verdict on velocities that violate a constraint which the method claims to keep, and on why a
 * step failed. */
#include <math.h>
#include <string.h>

#include "stepper/branch_watch.h"

#include "support/check.h"
#include "support/formula.h"
#include "support/model.h"
#include "support/motion.h"
#include "support/run.h"

/* A pendulum at an angle of 0.6 whose velocity is turned by a part of it towards the pivot: G v is
 * then that part of |G| |v|, by hand. */
static void test_claimed_velocities(void) {
  static const struct {
    const char* method;
    double part;
    bool fails;
  } cases[] = {{"rattle", 0.0, false},      {"rattle", 1e-12, false},     {"rattle", 1e-3, true},
               {"rattle", 1.0, true},       {"del-midpoint", 1e-3, true}, {"radau", 1e-3, true},
               {"ida-index3", 1e-3, false}, {"spook", 1e-3, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const Model model = model_pendulum(2, 1.5, 2.0, 0.6, 1.0);
    VidaError error = {0};
    Run run = run_start(model_system(&model), motion_method(cases[k].method, 0.01, NULL));
    run_steps(&run, 3);
    const double* v;
    REQUIRE_OK(vida__node_velocities(&run.stepper->self, &v, &error), &error);
    const double along[2] = {run.stepper->node_velocity[0], run.stepper->node_velocity[1]};
    run.stepper->node_velocity[0] -= cases[k].part * along[1];
    run.stepper->node_velocity[1] += cases[k].part * along[0];
    const int code = vida__check_velocities(run.stepper, v, &error);
    if (cases[k].fails) {
      EXPECT(code > 0 && strcmp(error.flag, "CONSTRAINT_VIOLATED") == 0, "%s, %g: %d %s",
             cases[k].method, cases[k].part, code, error.message);
      EXPECT(strstr(error.message, "velocities violate constraint") != NULL, "%s", error.message);
    } else {
      EXPECT(code == VIDA_SUCCESS, "%s, %g: %s", cases[k].method, cases[k].part, error.message);
    }
    run_end(&run);
  }
}

/* A place of a tried step, at an angle of the circle of test_turned_mass. */
static int try_place(Run* run, double angle, VidaError* error) {
  const double q[2] = {cos(angle), sin(angle)};
  return vida__watch_check(run->stepper->watch, vida__next_time(&run->stepper->self), q, error);
}

/* A point on the unit circle that is light along it and heavy across it,
 * L = m |v|^2 / 2 + M (q . v)^2 / 2 with m = 1e-9 and M = 1: at the start, at (1,0), x has the mass
 * m + M, and a quarter of a turn later the mass m, as the coordinates of a slender body have. From
 * there the way to the opposite side is 2 long: with h = 0.1 its energy is m (2 / h)^2 / 2, which
 * is 400 times that of the start and no sign of a motion without bounds. */
static void test_turned_mass(void) {
  const double light = 1e-9, heavy = 1.0, h = 0.1;
  VidaError error = {0};
  VidaSystem* system = NULL;
  REQUIRE_OK(VidaSystem_Create("slender", 2, &system, &error), &error);
  for (int i = 0; i < 2; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(system, i ? "y" : "x", "m", VidaInitial_Given(1.0 - i),
                                        VidaInitial_Given(i), NULL, &error),
               &error);
  }
  const VidaExpression x = position(system, 0), y = position(system, 1);
  const VidaExpression across = apply(system, "+", apply(system, "*", x, rate(system, 0)),
                                      apply(system, "*", y, rate(system, 1)));
  const VidaExpression speed =
      apply(system, "+", square(system, rate(system, 0)), square(system, rate(system, 1)));
  const VidaExpression lagrangian = apply(system, "+", times(system, 0.5 * light, speed),
                                          times(system, 0.5 * heavy, square(system, across)));
  const VidaExpression circle = apply(
      system, "-", apply(system, "+", square(system, x), square(system, y)), number(system, 1.0));
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "mass", lagrangian, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, "circle", "m^2", circle, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  Run run = run_start(system, motion_method("rattle", h, NULL));
  const double quarter[2] = {0.0, 1.0}, velocity[2] = {-1.0, 0.0};
  memcpy(run.stepper->self.node.q, quarter, sizeof quarter);
  memcpy(run.stepper->node_velocity, velocity, sizeof velocity);
  run.stepper->has_node_velocity = true;
  vida__watch_return(run.stepper->watch, 0.0, quarter);
  EXPECT(try_place(&run, -1.5, &error) > 0, "the opposite side was reached");
  EXPECT(strcmp(error.flag, VIDA_OTHER_BRANCH) == 0, "%s: %s", error.flag, error.message);
  vida__explain_failure(run.stepper, &error);
  EXPECT(strcmp(error.flag, VIDA_OTHER_BRANCH) == 0, "%s: %s", error.flag, error.message);
  run_end(&run);
}

/* A pendulum of length 2 with its bob at (0, -2 (1 + part)), whose constraint x^2 + y^2 - 4 has the
 * terms 4 (1 + part)^2 and 4. Methods that claim g = 0 refuse a part that is no rounding; those
 * with relaxed constraints, or with constraints on accelerations only, accept it. */
static void test_inconsistent_start(void) {
  static const struct {
    const char* method;
    double part;
    bool fails;
  } cases[] = {{"rattle", 0.0, false},
               {"rattle", 1e-9, false},
               {"rattle", 0.01, true},
               {"rattle", -0.5, true},
               {"del-midpoint", 0.01, true},
               {"energy-momentum", 0.01, true},
               {"radau", 0.01, true},
               {"ida-ggl", 0.01, true},
               {"ida-index3", 0.01, true},
               {"ida-projected", 0.01, true},
               {"ida-ggl", 1e-9, false},
               {"ida-index2", 0.01, false},
               {"post-stabilized", 0.01, false},
               {"spook", 0.01, false},
               {"baumgarte", 0.01, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const Model model = model_pendulum(2, 1.5, 2.0, 0.6, 1.0);
    VidaError error = {0};
    VidaStepper* stepper = NULL;
    VidaSystem* system = model_system(&model);
    VidaOptions* options = motion_method(cases[k].method, 0.01, NULL);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    const double q[2] = {0.0, -2.0 * (1.0 + cases[k].part)}, v[2] = {1.0, 0.0};
    const int code = VidaStepper_Start(stepper, 0.0, q, v, &error);
    EXPECT(code == (cases[k].fails ? VIDA_INCONSISTENT_START : VIDA_SUCCESS), "%s, %g: %d %s",
           cases[k].method, cases[k].part, code, error.message);
    EXPECT(!cases[k].fails || strstr(error.message, "'rod'") != NULL, "%s", error.message);
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
    VidaSystem_Destroy(&system);
  }
}

/* Rounding of a point on a wall through the origin is no violation, whatever its own size is. */
static void test_rounded_start(void) {
  const VidaParticle bead = {.name = "bead", .mass = 1.0};
  const double q[2] = {1.0, 1e-17}, v[2] = {1.0, 0.0};
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method("rattle", 0.01, NULL);
  VidaExpression y;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("wall", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &bead, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Position(system, 1, &y, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, "wall", "m", y, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

/* A ball with the radius of gyration 0.1 that turns about a pivot at its centre, which is the
 * origin but for rounding: all terms of the rows vanish, and the only length is that of the body.
 */
static VidaSystem* make_pivot(double x) {
  const VidaRigidBody given = {.name = "ball",
                               .mass = 2.0,
                               .inertia = {{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0.02}},
                               .position = {{.value = x}, {.value = 0.0}, {.value = -x}},
                               .angular_velocity = {0.0, 0.0, 5.0}};
  VidaSystem* system = NULL;
  VidaError error = {0};
  int body = -1;
  REQUIRE_OK(VidaSystem_Create("pivot", 3, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(system, &given, &body, &error), &error);
  const VidaJoint pivot = {
      .name = "pivot",
      .kind = VIDA_JOINT_BALL,
      .ends = {VidaEnd_Ground(0.0, 0.0, 0.0), VidaEnd_Body(body, 0.0, 0.0, 0.0)}};
  REQUIRE_OK(VidaSystem_AddJoint(system, &pivot, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* Violations of the pivot: 1e-6 of the radius is one, the rounding of the radius is none. */
static void test_vanishing_terms(void) {
  static const double places[] = {0.0, 1e-25, 1e-17};
  static const char* const methods[] = {"rattle", "energy-momentum", "rattlie", "lie-alpha"};
  const double radius = 0.1;
  VidaError error = {0};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      Run run = run_start(make_pivot(places[k]), motion_method(methods[i], 0.01, NULL));
      run_steps(&run, 3);
      vida__evaluate_constraints_after_step(run.stepper);
      double* g = run.stepper->self.implicit.g_node;
      EXPECT(vida__check_step(run.stepper, &error) == VIDA_SUCCESS, "%s", error.message);
      for (int r = 1; r <= 3; r++) { /* the first row is that of the quaternion */
        const double kept = g[r];
        g[r] = 1e-15 * radius;
        EXPECT(vida__check_step(run.stepper, &error) == VIDA_SUCCESS, "%s", error.message);
        g[r] = 1e-6 * radius;
        EXPECT(vida__check_step(run.stepper, &error) > 0 &&
                   strcmp(error.flag, "CONSTRAINT_VIOLATED") == 0,
               "%s, at %g: row %d may be violated", methods[i], places[k], r);
        EXPECT(strstr(error.message, "'pivot: ") != NULL, "%s", error.message);
        g[r] = kept;
      }
      run_end(&run);
    }
  }
}

int main(void) {
  static const CheckTest tests[] = {{"claimed velocities", test_claimed_velocities},
                                    {"inconsistent start", test_inconsistent_start},
                                    {"rounded start", test_rounded_start},
                                    {"turned mass", test_turned_mass},
                                    {"vanishing terms", test_vanishing_terms},
                                    {NULL, NULL}};
  return check_main("verdict", tests);
}
