/* Failures of other systems that were reported in public, as tests of ours: the motion, the drift,
 * the mass, the velocities along a bond, the time grid. Expected values are closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/elliptic.h"
#include "support/motion.h"

#define PI 3.14159265358979323846

static bool can(const VidaMethodInfo* method, VidaCapability capability) {
  return (method->capabilities & (unsigned)capability) != 0;
}

static void for_all(void (*test)(const VidaMethodInfo* method)) {
  for (int i = 0; i < Vida_MethodCount(); i += CHECK_SANITIZED ? 2 : 1) {
    /* those that choose their own steps have tests of their own */
    if (!motion_is_adaptive(Vida_MethodInfo(i)->name)) {
      test(Vida_MethodInfo(i));
    }
  }
}

/* A plane pendulum from a point and a velocity */
static Model pendulum_at(double length, double x, double y, double vx, double vy) {
  Model model = model_pendulum(2, 1.0, length, 0.0, 0.0);
  model.particle[0].position[0] = VidaInitial_Given(x);
  model.particle[0].position[1] = VidaInitial_Given(y);
  model.particle[0].velocity[0] = VidaInitial_Given(vx);
  model.particle[0].velocity[1] = VidaInitial_Given(vy);
  return model;
}

/* Largest | |r| - l | over the run, and the position at its end; false: refused */
static bool swing(const Model* model, const char* method, double h, long steps, State* end,
                  double* stretch) {
  Motion motion = motion_start(model, method, h, "auto");
  const bool able = motion.stepper != NULL;
  *stretch = 0.0;
  if (able) {
    for (long i = 0; i < steps; i++) {
      motion_steps(&motion, 1);
      *stretch = fmax(*stretch, model_stretch(model, VidaStepper_Positions(motion.stepper)));
    }
    *end = motion_state(&motion);
  }
  motion_end(&motion);
  return able;
}

/* The position at time t for h -> 0, from runs with 2 steps and with one step in the place of the
 * leading error: it must be the exact one but for a small part of what was extrapolated. */
static void expect_limit(const Model* model, const VidaMethodInfo* method, double t, long steps,
                         double x, double y, const char* what) {
  State coarse, fine;
  const double ratio = pow(2.0, method->order);
  if (CHECK_SANITIZED) { /* 15,000 steps and more */
    return;
  }
  if (motion_at(model, method->name, t / (double)steps, steps, &coarse)) {
    motion_at(model, method->name, 0.5 * t / (double)steps, 2 * steps, &fine);
    const double exact[2] = {x, y};
    const double difference = largest_difference(2, coarse.q, fine.q);
    /* errors of methods that damp have odd powers of h, too, which this does not remove */
    const bool damps = !can(method, VIDA_CAN_SYMPLECTIC) && !can(method, VIDA_CAN_ENERGY) &&
                       !can(method, VIDA_CAN_REVERSIBLE);
    const double share = damps ? 5.0 : 0.01;
    for (int k = 0; k < 2; k++) {
      EXPECT_NEAR((ratio * fine.q[k] - coarse.q[k]) / (ratio - 1.0), exact[k],
                  share * difference + 1e-11, "%s, coordinate %d at t = %g, %s", method->name, k, t,
                  what);
    }
    EXPECT_BELOW(difference, 0.1 * model->length, "%s has not converged at t = %g, %s",
                 method->name, t, what);
  }
}

/* ---- the closed forms themselves ------------------------------------------------------------ */

/* Published values of the cases, computed independently of ours with more digits */
static void test_closed_forms(void) {
  const double far = atan2(0.013437983982246, 0.499819387965786);
  double angle, rate;
  EXPECT_NEAR(pendulum_period(sqrt(13.7503671), PI / 2.0, 0.0), 2.00000032988504, 1e-14, "A1");
  EXPECT_NEAR(pendulum_period(sqrt(9.81 / 0.5), PI / 2.0, 0.0), 1.67431709790912, 1e-14, "A3");
  EXPECT_NEAR(pendulum_period(sqrt(9.81 / 0.5), far, 0.0), 1.41856740964484, 1e-14, "A3");
  EXPECT_NEAR(pendulum_period(sqrt(9.81), PI / 2.0, 0.0), 2.36784194757624, 1e-14, "A4");
  EXPECT_NEAR(pendulum_period(sqrt(9.81), PI / 3.0, 0.0), 2.1528746668805, 1e-13, "A16");
  pendulum_motion(sqrt(9.81 / 0.5), PI / 2.0, 0.0, 10.0, &angle, &rate);
  EXPECT_NEAR(0.5 * sin(angle), 0.4998931932113, 1e-13, "A3, x");
  EXPECT_NEAR(-0.5 * cos(angle), -0.01033418506872, 1e-13, "A3, y");
  pendulum_motion(sqrt(9.81), PI / 2.0, 0.0, 100.0, &angle, &rate);
  EXPECT_NEAR(sin(angle), 0.181513351427, 1e-12, "A4, x");
  EXPECT_NEAR(-cos(angle), -0.9833884803341, 1e-12, "A4, y");
  pendulum_motion(sqrt(9.81), PI / 3.0, 0.0, 10.0, &angle, &rate);
  EXPECT_NEAR(angle, -0.65186304674198, 1e-13, "A16");
}

/* ---- A1: the pendulum whose index-3 form stalls elsewhere ----------------------------------- */

static void case_a1(const VidaMethodInfo* method) {
  Model model = pendulum_at(1.0, 1.0, 0.0, 0.0, 0.0);
  double stretch;
  State end;
  model.gravity[1] = -13.7503671;
  if (!swing(&model, method->name, 0.01, 1000, &end, &stretch)) {
    return;
  }
  if (can(method, VIDA_CAN_POSITION_LEVEL)) {
    EXPECT_BELOW(stretch, 1e-12, "%s", method->name);
  }
  if (can(method, VIDA_CAN_ENERGY)) {
    EXPECT_BELOW(end.energy, 1e-11 * 13.75, "%s", method->name);
  } else if (can(method, VIDA_CAN_SYMPLECTIC)) {
    EXPECT_BELOW(end.energy, 0.01 * 13.75, "%s", method->name);
  }
  if (CHECK_SANITIZED) {
    return;
  }
  /* t = 10 is a turning point, where a late phase shows in second order only: nothing to
   * extrapolate */
  State coarse;
  motion_at(&model, method->name, 10.0 / 5000.0, 5000, &coarse);
  motion_at(&model, method->name, 10.0 / 10000.0, 10000, &end);
  const double difference = largest_difference(2, coarse.q, end.q);
  EXPECT_BELOW(difference, 1e-3, "%s has not converged", method->name);
  EXPECT_NEAR(end.q[0], 1.0, difference + 1e-12, "%s: x(10)", method->name);
  EXPECT_NEAR(end.q[1], -1.9e-11, difference + 1e-12, "%s: y(10)", method->name);
  /* a quarter of the period: at the bottom the rod carries 3 m g */
  motion_at(&model, method->name, 5e-4, 1000, &end);
  EXPECT_NEAR(end.multipliers[0], 3.0 * 13.7503671, 0.01 * 41.0, "%s: tension at the bottom",
              method->name);
}

static void test_a1(void) {
  for_all(case_a1);
}

/* ---- A3: the other side, and where one coordinate does not determine the other ----------------
 */

static void case_a3(const VidaMethodInfo* method) {
  static const double starts[][4] = {{0.5, 0.0, 0.0, 0.0},
                                     {0.013437983982246, -0.499819387965786, 0.0, 0.0},
                                     {0.0, -0.5, 1.0, 0.0},
                                     {0.0, 0.5, 0.01, 0.0}};
  /* Under sanitizers two of them. */
  const size_t count = CHECK_SANITIZED ? 2 : sizeof starts / sizeof starts[0];
  for (size_t i = 0; i < count; i++) {
    const double* s = starts[i];
    double stretch, mirrored_stretch;
    State right, left;
    char what[64];
    const Model model = pendulum_at(0.5, s[0], s[1], s[2], s[3]);
    const Model mirrored = pendulum_at(0.5, -s[0], s[1], -s[2], s[3]);
    if (!swing(&model, method->name, 0.01, 1000, &right, &stretch)) {
      return;
    }
    swing(&mirrored, method->name, 0.01, 1000, &left, &mirrored_stretch);
    snprintf(what, sizeof what, "%s from (%g, %g)", method->name, s[0], s[1]);
    EXPECT_NEAR(left.q[0], -right.q[0], 1e-12, "%s: x", what);
    EXPECT_NEAR(left.q[1], right.q[1], 1e-12, "%s: y", what);
    EXPECT_NEAR(left.v[0], -right.v[0], 1e-11, "%s: x'", what);
    EXPECT_NEAR(left.v[1], right.v[1], 1e-11, "%s: y'", what);
    if (can(method, VIDA_CAN_POSITION_LEVEL)) {
      EXPECT_BELOW(stretch, 1e-12 * 0.5, "%s", what);
      EXPECT_BELOW(mirrored_stretch, 1e-12 * 0.5, "%s, mirrored", what);
    }
    if (s[1] < 0.4) { /* the last one balances: what h changes decides when it falls */
      double angle, rate;
      pendulum_motion(sqrt(9.81 / 0.5), atan2(s[0], -s[1]), s[2] / 0.5, 10.0, &angle, &rate);
      expect_limit(&model, method, 10.0, 5000, 0.5 * sin(angle), -0.5 * cos(angle), what);
      expect_limit(&mirrored, method, 10.0, 5000, -0.5 * sin(angle), -0.5 * cos(angle), what);
    }
  }
}

static void test_a3(void) {
  for_all(case_a3);
}

/* ---- A4: drift over 100 s ------------------------------------------------------------------- */

#if !CHECK_SANITIZED /* 25,000 steps and more of every method */
static void case_a4(const VidaMethodInfo* method) {
  const Model model = pendulum_at(1.0, 1.0, 0.0, 0.0, 0.0);
  double stretch;
  State end;
  if (!swing(&model, method->name, 0.01, 10000, &end, &stretch)) {
    return;
  }
  if (can(method, VIDA_CAN_POSITION_LEVEL)) {
    EXPECT_BELOW(stretch, 1e-12, "%s over 100 s", method->name);
  }
  if (can(method, VIDA_CAN_ENERGY)) {
    EXPECT_BELOW(end.energy, 1e-11 * 9.81, "%s after 100 s", method->name);
  } else if (can(method, VIDA_CAN_SYMPLECTIC)) {
    EXPECT_BELOW(end.energy, 0.01 * 9.81, "%s after 100 s", method->name);
  }
  expect_limit(&model, method, 10.0, 5000, 0.2750874625761, -0.9614192050991, "A4");
  expect_limit(&model, method, 100.0, 50000, 0.181513351427, -0.9833884803341, "A4");
}

static void test_a4(void) {
  for_all(case_a4);
}
#endif

/* ---- A9: wrong unless the mass is 1 --------------------------------------------------------- */

static void case_a9(const VidaMethodInfo* method) {
  static const double masses[] = {1e-3, 1.0, 10.0, 1e6};
  State first = {0};
  for (size_t i = 0; i < sizeof masses / sizeof masses[0]; i++) {
    const double mass = masses[i];
    const double x = 0.0;
    const double v = 1.0 / mass; /* p(0) = 1 */
    State state;
    const Model particle = model_free_particle(1, mass, &x, &v);
    if (motion_at(&particle, method->name, 0.01, 100, &state)) {
      EXPECT_NEAR(state.q[0], 1.0 / mass, 1e-14 / mass, "%s, mass %g: q(1)", method->name, mass);
      EXPECT_NEAR(state.p[0], 1.0, 1e-14, "%s, mass %g: p", method->name, mass);
      EXPECT_NEAR(state.v[0], 1.0 / mass, 1e-14 / mass, "%s, mass %g: v", method->name, mass);
      EXPECT_NEAR(state.energy, 0.5 / mass, 1e-14 / mass, "%s, mass %g", method->name, mass);
    }
    /* k/m = 16 whatever the mass: the same motion */
    const Model oscillator = model_oscillator(mass, 16.0 * mass, 0.3, -0.2);
    if (motion_at(&oscillator, method->name, 0.01, 100, &state)) {
      first = i ? first : state;
      EXPECT_NEAR(state.q[0], first.q[0], 1e-13, "%s, mass %g: oscillator", method->name, mass);
      EXPECT_NEAR(state.v[0], first.v[0], 1e-12, "%s, mass %g: oscillator", method->name, mass);
      EXPECT_NEAR(state.p[0] / mass, first.p[0] / masses[0], 1e-12, "%s, mass %g: oscillator",
                  method->name, mass);
    }
  }
}

/* A constant mass matrix that is not a multiple of the identity: two bodies, each goes its way */
static void case_a9_two_bodies(const VidaMethodInfo* method) {
  const double x[2] = {1.0, -2.0};
  const double v[2] = {0.3, 0.7};
  Model model = model_free_particle(2, 1e-3, x, v);
  model.particle[1] = model.particle[0];
  model.particle[1].name = "other";
  model.particle[1].mass = 1e3;
  model.particle[1].velocity[0] = VidaInitial_Given(-0.1);
  model.particles = 2;
  State state;
  if (motion_at(&model, method->name, 0.01, 100, &state)) {
    const double expected[4] = {1.3, -1.3, 0.9, -1.3};
    const double momenta[4] = {0.3e-3, 0.7e-3, -0.1e3, 0.7e3};
    /* positions of other packages are plain sums */
    EXPECT_BELOW(largest_difference(4, state.q, expected),
                 can(method, VIDA_CAN_ADAPTIVE) ? 1e-13 : 1e-14, "%s", method->name);
    for (int k = 0; k < 4; k++) {
      EXPECT_NEAR(state.p[k], momenta[k], 1e-14 * fabs(momenta[k]), "%s: p%d", method->name, k);
    }
  }
}

static void test_a9(void) {
  for_all(case_a9);
  for_all(case_a9_two_bodies);
}

/* ---- A10: the dumbbell that stops rotating -------------------------------------------------- */

#define BOND 0.74

static const double first_velocity[3] = {0.3, -1.0, 0.0};
static const double second_velocity[3] = {-0.1, 1.0, 0.2};
static const double bond_rate = 2.7161826003029; /* rad/s, after the projection */

/* The velocities have a part along the bond: refused, and only on request changed, and told. */
static void test_a10_start(void) {
  const Model model = model_dumbbell(first_velocity, second_velocity);
  VidaSystem* system = model_system(&model);
  VidaStartOptions options = VidaStartOptions_Default();
  VidaError error = {0};
  double q[6], v[6];
  char notes[VIDA_NOTES_SIZE] = "";
  EXPECT_ERROR(VidaSystem_Start(system, 0.0, NULL, q, v, notes, &error), &error,
               VIDA_INCONSISTENT_START, "bond");
  options.adjust = true;
  REQUIRE_OK(VidaSystem_Start(system, 0.0, &options, q, v, notes, &error), &error);
  EXPECT(strlen(notes) > 0, "nothing is told of the change of velocities");
  EXPECT(strstr(notes, "elocit") || strstr(notes, "rate"), "velocities are not named in \"%s\"",
         notes);
  EXPECT(strstr(notes, "from 0.3 to 0.1"), "the change is not told: \"%s\"", notes);
  /* relative velocity (0, 2, 0.2), that of the centre (0.1, 0, 0.1) */
  const double expected[6] = {0.1, -1.0, 0.0, 0.1, 1.0, 0.2};
  EXPECT_BELOW(largest_difference(6, v, expected), 1e-15, "projected velocities");
  VidaSystem_Destroy(&system);
}

static Model projected_dumbbell(void) {
  const double one[3] = {0.1, -1.0, 0.0};
  const double two[3] = {0.1, 1.0, 0.2};
  return model_dumbbell(one, two);
}

/* Angle of the bond from the x axis in its plane, which (0, 2, 0.2) spans with it */
static double bond_angle(const double* q) {
  const double norm = sqrt(2.0 * 2.0 + 0.2 * 0.2);
  const double across = (2.0 * (q[4] - q[1]) + 0.2 * (q[5] - q[2])) / norm;
  return atan2(across, q[3] - q[0]);
}

static double angle_difference(double a, double b) {
  return remainder(a - b, 2.0 * PI);
}

static bool is_one_of(const char* name, const char* const* list) {
  int i = 0;
  while (list[i] && strcmp(name, list[i]) != 0) {
    i++;
  }
  return list[i] != NULL;
}

/* Closed forms of the angle per step; NaN where there is none. Without forces the variational
 * methods are SHAKE: sin(a) = h rate, and steps of even density are all alike; discrete derivatives
 * of the length are all the same one, and the chord 2 r sin(a/2) is h r rate cos(a/2). suzuki4 is
 * four steps of rattle, each of 1 / (4 - 4^(1/3)), and one backwards in their middle. */
static double angle_per_step(const char* method, double h) {
  static const char* const shake[] = {"rattle",          "del-endpoint",    "del-midpoint",
                                      "del-trapezoidal", "rattle-variable", NULL};
  static const char* const energy[] = {"energy-momentum", "average-vector-field", "itoh-abe", NULL};
  const double stage = 1.0 / (4.0 - cbrt(4.0));
  const double turn = h * bond_rate;
  return is_one_of(method, shake)     ? asin(turn)
         : is_one_of(method, energy)  ? 2.0 * atan(0.5 * turn)
         : !strcmp(method, "compose") ? 4.0 * asin(stage * turn) + asin((1.0 - 4.0 * stage) * turn)
                                      : (double)NAN;
}

/* The bond turns by 0.27 rad per step, farther than the 0.2 of the limits of lie-alpha, which ends
 * with a message. */
static bool turns_too_far_for(const VidaMethodInfo* method) {
  return strcmp(method->name, "lie-alpha") == 0;
}

static void case_a10(const VidaMethodInfo* method) {
  const long steps = 100;
  const Model model = projected_dumbbell();
  State state;
  if (turns_too_far_for(method) || !motion_at(&model, method->name, 0.1, steps, &state)) {
    return;
  }
  const double angle = angle_per_step(method->name, 0.1);
  if (!isnan(angle)) {
    EXPECT_BELOW(angle_difference(bond_angle(state.q), (double)steps * angle), 1e-12,
                 "%s: angle after %ld steps", method->name, steps);
  }
  /* the centre moves on at (0.1, 0, 0.1) from (0.37, 0, 0), the energy stays 1.03 */
  if (can(method, VIDA_CAN_MOMENTUM) || !can(method, VIDA_CAN_ADAPTIVE)) {
    EXPECT_NEAR(0.5 * (state.q[0] + state.q[3]), 0.37 + 1.0, 1e-13, "%s: centre", method->name);
    EXPECT_NEAR(0.5 * (state.q[2] + state.q[5]), 1.0, 1e-13, "%s: centre", method->name);
  }
  if (can(method, VIDA_CAN_ENERGY) ||
      (can(method, VIDA_CAN_VELOCITY_LEVEL) && can(method, VIDA_CAN_SYMPLECTIC))) {
    /* here the variational methods keep it too: the map is a rotation */
    EXPECT_NEAR(state.energy, 1.03, 1e-12, "%s: energy", method->name);
  }
  /* and for h -> 0 it turns at the right rate: the angle is off by c h^order */
  const double t = 2.0;
  double off[2];
  for (int k = 0; k < 2; k++) {
    const long count = 100L << k;
    motion_at(&model, method->name, t / (double)count, count, &state);
    off[k] = angle_difference(bond_angle(state.q), t * bond_rate);
  }
  const double ratio = pow(2.0, method->order);
  EXPECT_BELOW((ratio * off[1] - off[0]) / (ratio - 1.0), 0.01 * fabs(off[0]) + 1e-12,
               "%s: angle for h -> 0", method->name);
}

static void test_a10(void) {
  EXPECT_NEAR(asin(0.1 * bond_rate), 0.27507410842952, 1e-14, "the published angle per step");
  EXPECT_NEAR(0.5 * (pow(2.0, 2) + pow(0.2, 2)) / 2.0 + pow(0.1, 2) + pow(0.1, 2), 1.03, 1e-15,
              "the published energy");
  for_all(case_a10);
}

/* No real multiplier exists for h rate > 1: the step fails, says so, and nothing is spoilt. */
static void case_a10_too_large(const VidaMethodInfo* method) {
  const double h = 0.4;
  const Model model = projected_dumbbell();
  if (isnan(angle_per_step(method->name, 0.1)) || !isnan(angle_per_step(method->name, h))) {
    return;
  }
  Motion motion = motion_start(&model, method->name, h, "auto");
  VidaError error = {0};
  const int code = VidaStepper_Step(motion.stepper, &error);
  EXPECT(code > 0 && error.code == code, "%s: %s", method->name, Vida_CodeName(code));
  EXPECT(strstr(error.message, "bond"), "%s does not name the bond: \"%s\"", method->name,
         error.message);
  EXPECT(!memcmp(VidaStepper_Positions(motion.stepper), motion.q0, 6 * sizeof(double)),
         "%s: the positions have changed", method->name);
  EXPECT(VidaStepper_Time(motion.stepper) == 0.0 && VidaStepper_StepCount(motion.stepper) == 0,
         "%s: t = %g", method->name, VidaStepper_Time(motion.stepper));
  const State state = motion_state(&motion);
  EXPECT(all_finite(6, state.v) && all_finite(6, state.p), "%s: not finite", method->name);
  /* and the stepper can be used again */
  REQUIRE_OK(VidaStepper_StartWithStep(motion.stepper, 0.0, 0.1, motion.q0, motion.v0, &error),
             &error);
  motion_steps(&motion, 1);
  EXPECT_NEAR(bond_angle(VidaStepper_Positions(motion.stepper)), asin(0.1 * bond_rate), 1e-13,
              "%s after a failed step", method->name);
  motion_end(&motion);

  /* in a comparison: that run has a status and words, the other one goes on */
  VidaSystem* system = model_system(&model);
  VidaStudy* study = motion_study(system, 4.0, NULL);
  const double steps[2] = {h, 0.1};
  for (int i = 0; i < 2; i++) {
    VidaOptions* options = motion_method(method->name, steps[i], NULL);
    REQUIRE_OK(VidaStudy_AddRun(study, options, &error), &error);
    VidaOptions_Destroy(&options);
  }
  REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);
  const VidaRow* bad = VidaStudy_Row(study, 0);
  const VidaRow* good = VidaStudy_Row(study, 1);
  EXPECT(strcmp(bad->status, "ok") != 0 && strlen(bad->status) > 0, "%s: status \"%s\"",
         method->name, bad->status);
  EXPECT(strstr(bad->message, "step"), "%s: message \"%s\"", method->name, bad->message);
  EXPECT(bad->t_end == 0.0 && bad->steps == 0, "%s: t_end %g after %ld steps", method->name,
         bad->t_end, bad->steps);
  EXPECT(!strcmp(good->status, "ok") && good->t_end == 4.0, "%s: the other run: %s, %s",
         method->name, good->status, good->message);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_a10_too_large(void) {
  for_all(case_a10_too_large);
}

/* ---- A14: the time grid --------------------------------------------------------------------- */

enum { MOST_SAMPLES = 200 };

typedef struct Samples {
  int count;
  double t[MOST_SAMPLES], x[MOST_SAMPLES];
} Samples;

static int take_sample(void* data, int run, const VidaSample* sample, VidaError* error) {
  Samples* samples = data;
  (void)run;
  (void)error;
  if (samples->count < MOST_SAMPLES) {
    samples->t[samples->count] = sample->t;
    samples->x[samples->count] = sample->q[0];
    samples->count++;
  }
  return 0;
}

/* Runs an oscillator; the status of VidaStudy_AddRun, and with 0 its row and its samples */
static int run_grid(const char* method, double time, double h, const char* const* settings,
                    VidaRow* row, Samples* samples, VidaError* error) {
  const Model model = model_oscillator(1.0, 16.0, 0.3, -0.2);
  VidaSystem* system = model_system(&model);
  VidaStudy* study = motion_study(system, time, settings);
  VidaOptions* options = motion_method(method, h, NULL);
  const VidaObserver observer = {.sample = take_sample, .data = samples};
  const int code = VidaStudy_AddRun(study, options, error);
  if (!code) {
    samples->count = 0;
    REQUIRE_OK(VidaStudy_Run(study, &observer, error), error);
    *row = *VidaStudy_Row(study, 0);
  }
  VidaOptions_Destroy(&options);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
  return code;
}

static void case_a14(const VidaMethodInfo* method) {
  static const struct {
    double time, h;
    long steps;
  } grids[] = {{4.0, 0.1, 40}, {0.3, 0.1, 3}, {1.0, 0.1, 10}, {1.0, 1.0 / 65.0, 65}};
  static const char* const every_one[] = {"every", "1", NULL};
  static const char* const every_seven[] = {"every", "7", NULL};
  VidaError error = {0};
  VidaRow row;
  Samples all, some;
  if (method->capabilities & VIDA_CAN_RIGID_BODIES) {
    return; /* takes no oscillator */
  }
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
    const double h = grids[i].h;
    REQUIRE_OK(run_grid(method->name, grids[i].time, h, every_one, &row, &all, &error), &error);
    EXPECT(!strcmp(row.status, "ok") && row.steps == grids[i].steps && row.t_end == grids[i].time,
           "%s, %g / %g: %s, %ld steps to %.17g", method->name, grids[i].time, h, row.status,
           row.steps, row.t_end);
    EXPECT(all.count == grids[i].steps + 1, "%d samples", all.count);
    for (int k = 0; k < all.count - 1; k++) {
      EXPECT(all.t[k] == k * h, "row %d is at %.17g", k, all.t[k]);
    }
    EXPECT(all.t[all.count - 1] == grids[i].time, "the last row is at %.17g", all.t[all.count - 1]);
    /* rows every seven steps, the first and the last state among them, on the same trajectory */
    REQUIRE_OK(run_grid(method->name, grids[i].time, h, every_seven, &row, &some, &error), &error);
    const int expected = (int)((grids[i].steps + 6) / 7) + 1;
    EXPECT(some.count == expected, "%d rows, not %d", some.count, expected);
    for (int k = 0; k < some.count; k++) {
      const int whole = k < some.count - 1 ? 7 * k : all.count - 1;
      EXPECT(some.t[k] == all.t[whole] && some.x[k] == all.x[whole],
             "row %d: t = %.17g, x = %.17g, not %.17g, %.17g", k, some.t[k], some.x[k],
             all.t[whole], all.x[whole]);
    }
  }
}

static void test_a14(void) {
  for_all(case_a14);
}

static void test_a14_odd_grids(void) {
  static const char* const shorten[] = {"every", "1", "end_step", "shorten", NULL};
  static const char* const late[] = {"every", "1", "t0", "1.3e8", NULL};
  VidaError error = {0};
  VidaRow row;
  Samples samples;
  /* 1 / 0.3: refused with the steps that fit, or on request three steps and one of 0.1 */
  EXPECT_ERROR(run_grid("rattle", 1.0, 0.3, NULL, &row, &samples, &error), &error,
               VIDA_STEP_DOES_NOT_FIT, "0.25");
  EXPECT(strstr(error.message, "0.333"), "1/3 is not offered: %s", error.message);
  REQUIRE_OK(run_grid("rattle", 1.0, 0.3, shorten, &row, &samples, &error), &error);
  EXPECT(row.steps == 4 && row.t_end == 1.0 && samples.count == 5, "%ld steps to %.17g, %d rows",
         row.steps, row.t_end, samples.count);
  EXPECT(samples.t[3] == 3 * 0.3 && samples.t[4] == 1.0, "rows at %.17g, %.17g", samples.t[3],
         samples.t[4]);
  /* the shorter last step is a good one: closed form, RATTLE lags behind by omega t (omega h)^2 /
   * 24 */
  REQUIRE_OK(run_grid("rattle", 1.0, 0.03, shorten, &row, &samples, &error), &error);
  EXPECT(row.steps == 34 && row.t_end == 1.0, "%ld steps to %.17g", row.steps, row.t_end);
  EXPECT_NEAR(samples.x[34], 0.3 * cos(4.0) - 0.05 * sin(4.0), 0.31 * 4.0 * 0.12 * 0.12 / 24.0,
              "x(1)");
  EXPECT_ERROR(run_grid("rattle", 1.0, 2.0, NULL, &row, &samples, &error), &error,
               VIDA_STEP_DOES_NOT_FIT, "2");
  EXPECT_ERROR(run_grid("rattle", 1.0, 2.0, shorten, &row, &samples, &error), &error,
               VIDA_STEP_DOES_NOT_FIT, "2");
  /* far from t = 0: the grid is t0 + k h, to the last bit */
  REQUIRE_OK(run_grid("rattle", 12.5, 0.125, late, &row, &samples, &error), &error);
  EXPECT(row.steps == 100 && samples.count == 101, "%ld steps, %d rows", row.steps, samples.count);
  for (int k = 0; k < samples.count; k++) {
    EXPECT(samples.t[k] == 1.3e8 + k * 0.125, "row %d is at %.17g", k, samples.t[k]);
  }
  /* h <= 0 and NaN do not even become options */
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  const double bad[] = {0.0, -0.1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    EXPECT_ERROR(VidaOptions_SetReal(options, "h", bad[i], &error), &error, VIDA_BAD_ARGUMENT, "h");
  }
  VidaOptions_Destroy(&options);
}

/* ---- A16: the unit of mass ------------------------------------------------------------------ */

static void case_a16(const VidaMethodInfo* method) {
  static const double masses[] = {1.0, 1e-6, 1e3, 1e9};
  double first = 0.0;
  for (size_t i = 0; i < sizeof masses / sizeof masses[0]; i++) {
    const Model model = model_pendulum(2, masses[i], 1.0, PI / 3.0, 0.0);
    State state;
    if (!motion_at(&model, method->name, 0.01, 1000, &state)) {
      return;
    }
    const double angle = atan2(state.q[0], -state.q[1]);
    first = i ? first : angle;
    EXPECT_NEAR(angle, first, 1e-12, "%s: angle at t = 10 with mass %g", method->name, masses[i]);
    if (can(method, VIDA_CAN_POSITION_LEVEL)) {
      EXPECT_BELOW(model_stretch(&model, state.q), 1e-13, "%s, mass %g", method->name, masses[i]);
    }
    if (i % 2) { /* the published angle, for the smallest and the largest mass */
      expect_limit(&model, method, 10.0, 5000, sin(-0.65186304674198), -cos(0.65186304674198),
                   "A16");
    }
  }
}

static void test_a16(void) {
  for_all(case_a16);
}

int main(void) {
  static const CheckTest tests[] = {
    {"closed forms", test_closed_forms},
    {"A1: index 3", test_a1},
    {"A3: mirrored starts", test_a3},
#if !CHECK_SANITIZED
    {"A4: 100 s", test_a4},
#endif
    {"A9: masses", test_a9},
    {"A10: start of the dumbbell", test_a10_start},
    {"A10: dumbbell", test_a10},
    {"A10: step too large", test_a10_too_large},
    {"A14: time grid", test_a14},
    {"A14: odd grids", test_a14_odd_grids},
    {"A16: unit of mass", test_a16},
    {NULL, NULL}
  };
  return check_main("public cases", tests);
}
