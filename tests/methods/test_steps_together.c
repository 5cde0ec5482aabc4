/* VidaStepper_Steps: the same states as single steps, bit for bit, however they are divided. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

static const char* const methods[] = {"del-endpoint",   "del-trapezoidal",     "rattle",
                                      "del-midpoint",   "symmetric-multistep", "compose",
                                      "energy-momentum"};
enum { METHODS = sizeof methods / sizeof *methods };

static VidaStepper* start(const VidaSystem* system, const char* method, double h) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
  VidaOptions* options = motion_method(method, h, NULL);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

static void expect_equal(VidaStepper* a, VidaStepper* b, const char* method) {
  VidaError error = {0};
  const VidaSystem* system = VidaStepper_System(a);
  const size_t n = (size_t)VidaSystem_CoordinateCount(system),
               m = (size_t)VidaSystem_ConstraintCount(system);
  double v[2][MODEL_COORDINATES], t[2];
  REQUIRE_OK(VidaStepper_Velocities(a, v[0], &error), &error);
  REQUIRE_OK(VidaStepper_Velocities(b, v[1], &error), &error);
  const double* forces[] = {VidaStepper_Multipliers(a, &t[0]), VidaStepper_Multipliers(b, &t[1])};
  const bool same =
      !memcmp(VidaStepper_Positions(a), VidaStepper_Positions(b), n * sizeof(double)) &&
      !memcmp(VidaStepper_Momenta(a), VidaStepper_Momenta(b), n * sizeof(double)) &&
      !memcmp(v[0], v[1], n * sizeof(double)) && !memcmp(forces[0], forces[1], m * sizeof(double));
  EXPECT(same, "%s: states differ at t = %g", method, VidaStepper_Time(a));
  EXPECT(VidaStepper_Time(a) == VidaStepper_Time(b) && t[0] == t[1], "%s: times differ", method);
  EXPECT(VidaStepper_Statistics(a).steps == VidaStepper_Statistics(b).steps,
         "%s: %ld and %ld steps", method, VidaStepper_Statistics(a).steps,
         VidaStepper_Statistics(b).steps);
}

static void step_alone(VidaStepper* stepper, long count) {
  VidaError error = {0};
  for (long k = 0; k < count; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

/* Pieces of all lengths up to several times the number of steps between two evaluations of g. */
static void compare(const VidaSystem* system, const char* method, double h) {
  static const long pieces[] = {1, 2, 3, 5, 8, 15, 16, 17, 64, 1, 100, 7, 250};
  VidaError error = {0};
  VidaStepper *together = start(system, method, h), *alone = start(system, method, h);
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
    long made = -1;
    REQUIRE_OK(VidaStepper_Steps(together, pieces[k], &made, &error), &error);
    EXPECT(made == pieces[k], "%s: %ld of %ld steps", method, made, pieces[k]);
    step_alone(alone, pieces[k]);
    expect_equal(together, alone, method);
  }
  VidaStepper_Destroy(&together);
  VidaStepper_Destroy(&alone);
}

/* Steps in which gradients turn a little, and so much that the general equations are solved. */
static void test_same_states(void) {
  const Model models[] = {model_pendulum(2, 1.0, 1.0, 1.0, 0.0), model_double_spherical_pendulum(),
                          model_four_particles(), model_springs(), model_chain(8, 0.1)};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    VidaSystem* system = model_system(&models[k]);
    for (int m = 0; m < METHODS; m++) {
      compare(system, methods[m], 1e-3);
      compare(system, methods[m], 1e-2);
    }
    VidaSystem_Destroy(&system);
  }
}

/* A free body as a quaternion, which falls if it is heavy. */
static VidaSystem* make_body(bool is_heavy) {
  const VidaRigidBody body = {
      .name = "body",
      .mass = 1.5,
      .inertia = {{1.0, 0.0, 0.0}, {0.0, 2.0, 0.1}, {0.0, 0.1, 2.5}},
      .velocity = {VidaInitial_Given(1.0), VidaInitial_Given(-2.0), VidaInitial_Given(0.0)},
      .angular_velocity = {0.3, 2.0, -0.1}};
  const double gravity[3] = {0.1, 0.0, -9.81};
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("body", 3, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(system, &body, NULL, &error), &error);
  if (is_heavy) {
    REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_bodies(void) {
  for (int heavy = 0; heavy < 2; heavy++) {
    VidaSystem* system = make_body(heavy);
    compare(system, "lgvi", 1e-3);
    compare(system, "lgvi", 1e-2);
    compare(system, "simo-wong", 1e-3);
    compare(system, "simo-wong", 1e-2);
    VidaSystem_Destroy(&system);
  }
}

static int stop_after(void* data) {
  long* left = data;
  return (*left)-- > 0 ? 0 : VIDA_STOPPED;
}

/* An interrupt ends a series of steps between two of them; the next call goes on. */
static void test_interrupt(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  for (int m = 0; m < METHODS; m++) {
    VidaStepper *stopped = start(system, methods[m], 1e-3),
                *alone = start(system, methods[m], 1e-3);
    long left = 40, made = 0, more = 0;
    step_alone(stopped, 20); /* also the first steps of a multistep method */
    step_alone(alone, 20);
    REQUIRE_OK(VidaStepper_SetInterrupt(stopped, stop_after, &left, &error), &error);
    EXPECT(VidaStepper_Steps(stopped, 1000, &made, &error) == VIDA_STOPPED, "%s", methods[m]);
    EXPECT(made > 0 && made < 1000, "%s: %ld steps", methods[m], made);
    REQUIRE_OK(VidaStepper_SetInterrupt(stopped, NULL, NULL, &error), &error);
    step_alone(alone, made);
    expect_equal(stopped, alone, methods[m]);
    REQUIRE_OK(VidaStepper_Steps(stopped, 1000 - made, &more, &error), &error);
    step_alone(alone, 1000 - made);
    expect_equal(stopped, alone, methods[m]);
    VidaStepper_Destroy(&stopped);
    VidaStepper_Destroy(&alone);
  }
  VidaSystem_Destroy(&system);
}

/* A step that fails leaves the steps before it: beyond the stability limit, h = 2 s for this
 * oscillator, positions grow without bound. */
static void test_failure(void) {
  const Model model = model_oscillator(1.0, 1.0, 1.0, 0.0);
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  VidaStepper *together = start(system, "rattle", 10.0), *alone = start(system, "rattle", 10.0);
  long made = 0, count = 0;
  EXPECT(VidaStepper_Steps(together, 100000, &made, &error) != 0, "it cannot go on for ever");
  while (!VidaStepper_Step(alone, &error)) {
    count++;
  }
  EXPECT(made == count && made > 0, "%ld and %ld steps", made, count);
  expect_equal(together, alone, "rattle");
  VidaStepper_Destroy(&together);
  VidaStepper_Destroy(&alone);
  VidaSystem_Destroy(&system);
}

/* A calm pendulum beside a mass on a spring that is unstable at this step, h omega = 2.05: its
 * energy grows by a factor of 2.4 in each step, so that the energy check at the end of a series
 * rejects steps that a calm series has made. */
static void test_rejected_series(void) {
  static const char* const leapfrogs[] = {"del-endpoint", "del-trapezoidal", "rattle",
                                          "symmetric-multistep"};
  Model model = model_pendulum(2, 1.0, 1.0, 1.0, 0.0);
  const double frequency = 2.05 / 1e-3;
  model.particle[1] = (VidaParticle){.name = "mass", .mass = 1.0};
  for (int k = 0; k < 2; k++) {
    model.particle[1].position[k] = VidaInitial_Given(k ? 0.0 : 1e-3);
    model.particle[1].velocity[k] = VidaInitial_Given(0.0);
  }
  model.particles = 2;
  model.spring[0] = (VidaSpring){.name = "spring",
                                 .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                                 .to = VidaPoint_Particle(1),
                                 .stiffness = frequency * frequency};
  model.springs = 1;
  VidaSystem* system = model_system(&model);
  for (size_t m = 0; m < sizeof leapfrogs / sizeof *leapfrogs; m++) {
    VidaError error = {0};
    VidaStepper *together = start(system, leapfrogs[m], 1e-3),
                *alone = start(system, leapfrogs[m], 1e-3);
    long made = 0, count = 0;
    EXPECT(VidaStepper_Steps(together, 1000, &made, &error) != 0, "%s: it is unstable",
           leapfrogs[m]);
    while (count < 1000 && !VidaStepper_Step(alone, &error)) {
      count++;
    }
    EXPECT(made == count && made > 0, "%s: %ld and %ld steps", leapfrogs[m], made, count);
    expect_equal(together, alone, leapfrogs[m]);
    VidaStepper_Destroy(&together);
    VidaStepper_Destroy(&alone);
  }
  VidaSystem_Destroy(&system);
}

static void test_arguments(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 1.0, 0.0);
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  VidaStepper* stepper = start(system, "rattle", 0.01);
  long made = 7;
  EXPECT(VidaStepper_Steps(NULL, 1, &made, &error) == VIDA_BAD_ARGUMENT && made == 0, "no stepper");
  REQUIRE_OK(VidaStepper_Steps(stepper, 0, &made, &error), &error);
  EXPECT(made == 0 && VidaStepper_StepCount(stepper) == 0, "no step was asked for");
  REQUIRE_OK(VidaStepper_Steps(stepper, 3, NULL, &error), &error);
  EXPECT(VidaStepper_StepCount(stepper) == 3, "%ld steps", VidaStepper_StepCount(stepper));
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"the same states", test_same_states},
                                    {"bodies", test_bodies},
                                    {"an interrupt", test_interrupt},
                                    {"a failure", test_failure},
                                    {"a rejected series", test_rejected_series},
                                    {"arguments", test_arguments},
                                    {NULL, NULL}};
  return check_main("steps together", tests);
}
