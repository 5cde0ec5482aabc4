/* Every method of the registry on several systems: does it have the order it states, and does it
 * keep what it claims to keep? A new method is tested by being registered. Here with geometry,
 * energies and references of our own; the audit (test_audit.c) measures the same through the
 * library on more systems, and the symplectic form besides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/elliptic.h"
#include "support/motion.h"

/* ---- the systems, and what is expected of them ---------------------------------------------- */

static Model pendulum(void) {
  return model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
}

static Model oscillator(void) {
  return model_oscillator(2.5, 40.0, 0.3, -0.2);
}

/* Closed form: Jacobi's elliptic functions; the tension is m (g cos theta + l theta'^2) */
static void exact_pendulum(const Model* model, double t, double* q, double* v, double* forces) {
  const double mass = model->particle[0].mass;
  const double length = model->length;
  double angle, rate;
  pendulum_motion(sqrt(MODEL_GRAVITY / length), 1.0, 0.5, t, &angle, &rate);
  q[0] = length * sin(angle);
  q[1] = -length * cos(angle);
  v[0] = length * rate * cos(angle);
  v[1] = length * rate * sin(angle);
  forces[0] = mass * (MODEL_GRAVITY * cos(angle) + length * rate * rate);
}

/* Closed form: x = x0 cos(omega t) + v0/omega sin(omega t) with omega = 4 / s */
static void exact_oscillator(const Model* model, double t, double* q, double* v, double* forces) {
  (void)model;
  (void)forces;
  q[0] = 0.3 * cos(4.0 * t) - 0.05 * sin(4.0 * t);
  v[0] = -1.2 * sin(4.0 * t) - 0.2 * cos(4.0 * t);
}

/* No closed form: the index-1 form by an extrapolation method of order 12, code of our own */
static void exact_by_extrapolation(const Model* model, double t, double* q, double* v,
                                   double* forces) {
  model_reference(model, t, 20 + (int)ceil(80.0 * t), q, v, forces);
}

typedef struct Case {
  const char* name;
  Model (*model)(void);
  /* q and v hold the state at t = 0 before, that at t after */
  void (*exact)(const Model* model, double t, double* q, double* v, double* forces);
  double time; /* of the runs that measure the order */
  long steps;  /* of the coarsest of them */
  double h;    /* of the runs over 10 s */
} Case;

static const Case cases[] = {
    {"pendulum", pendulum, exact_pendulum, 1.0, 40, 0.01},
    {"double spherical pendulum", model_double_spherical_pendulum, exact_by_extrapolation, 1.0, 50,
     0.01},
    {"four particles", model_four_particles, exact_by_extrapolation, 0.1, 25, 0.01},
    {"springs", model_springs, exact_by_extrapolation, 1.0, 50, 0.01},
    {"oscillator", oscillator, exact_oscillator, 1.0, 25, 0.01},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void for_all(void (*test)(const VidaMethodInfo* method, const Case* c)) {
  for (int i = 0; i < Vida_MethodCount(); i++) {
    /* those that choose their own steps have tests of their own */
    const int count = motion_is_adaptive(Vida_MethodInfo(i)->name) ? 0 : CASES;
    for (int k = 0; k < count; k++) {
      if (!CHECK_LEAVES_OUT(i, k, 3)) {
        test(Vida_MethodInfo(i), &cases[k]);
      }
    }
  }
}

static bool can(const VidaMethodInfo* method, VidaCapability capability) {
  return (method->capabilities & (unsigned)capability) != 0;
}

/* ---- the registry --------------------------------------------------------------------------- */

static void test_registry(void) {
  EXPECT(Vida_MethodCount() >= 4, "only %d methods", Vida_MethodCount());
  EXPECT(!Vida_MethodInfo(-1) && !Vida_MethodInfo(Vida_MethodCount()), "outside of the list");
  EXPECT(!Vida_FindMethod("rattler"), "a name that does not exist");
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const VidaMethodInfo* method = Vida_MethodInfo(i);
    EXPECT(Vida_FindMethod(method->name) == method, "%s is not found", method->name);
    EXPECT(strlen(method->title) > 0 && strlen(method->equation) > 0 && method->limits,
           "%s lacks words", method->name);
    EXPECT(method->order >= 1, "%s has order %d", method->name, method->order);
    int able = 0;
    for (int k = 0; k < CASES; k++) {
      const Model model = cases[k].model();
      Motion motion = motion_start(&model, method->name, cases[k].h, "auto");
      able += motion.stepper ? 1 : 0;
      motion_end(&motion);
    }
    /* these have no rigid bodies; test_lie.c has */
    EXPECT(able > 0 || can(method, VIDA_CAN_RIGID_BODIES), "%s refuses all %d systems",
           method->name, CASES);
  }
}

/* ---- order ---------------------------------------------------------------------------------- */

enum {
  LEVELS = 4,
  HIGH = 6
}; /* three halvings; above order 6 three times 5/4, between the first
    * regular errors and rounding */

typedef struct Errors {
  double position, velocity;
} Errors;

static bool errors_at(const VidaMethodInfo* method, const Case* c, long steps, Errors* errors) {
  const Model model = c->model();
  Motion motion = motion_start(&model, method->name, c->time / (double)steps, "auto");
  const bool able = motion.stepper != NULL;
  if (able) {
    double forces[MODEL_LINKS];
    double* q = motion.q0;
    double* v = motion.v0;
    motion_steps(&motion, steps);
    const State state = motion_state(&motion);
    c->exact(&model, c->time, q, v, forces);
    errors->position = largest_difference(motion.n, state.q, q) / model.length;
    errors->velocity = largest_difference(motion.n, state.v, v) / model.speed;
  }
  motion_end(&motion);
  return able;
}

/* Methods that damp have errors of order 2 and 3 with the larger number before the latter, so that
 * they show their order at smaller steps. */
static bool is_dissipative(const VidaMethodInfo* method) {
  return !can(method, VIDA_CAN_SYMPLECTIC) && !can(method, VIDA_CAN_ENERGY) &&
         !can(method, VIDA_CAN_REVERSIBLE) && method->order <= HIGH;
}

static void measure_order(const VidaMethodInfo* method, const Case* c) {
  Errors errors[LEVELS];
  if (CHECK_SANITIZED && is_dissipative(method)) {
    return; /* many small steps, which say nothing more about memory */
  }
  /* first order, and damping over a time of some steps, show their order where their error is far
   * above that of second order only */
  const bool is_small = is_dissipative(method) || method->order > HIGH;
  long steps = is_small ? 64 * c->steps : method->order == 1 ? 8 * c->steps : c->steps;
  const bool is_high = method->order > HIGH;
  const double floor = is_small ? 1e-13 : 1e-11;
  for (int level = 0; level < LEVELS; level++) {
    if (!errors_at(method, c, is_high ? steps * (4 + level) / 4 : steps << level, &errors[level])) {
      return;
    }
    /* methods of high order reach rounding, which grows with the number of steps: begin with larger
     * ones */
    if (level == LEVELS - 1 && steps > 3 &&
        (errors[level].position < floor || errors[level].position > errors[0].position)) {
      steps /= 2;
      level = -1;
    }
  }
  const double range = is_high ? log2((double)(steps * 7 / 4) / (double)steps) : LEVELS - 1;
  const double position = log2(errors[0].position / errors[LEVELS - 1].position) / range;
  const double velocity = log2(errors[0].velocity / errors[LEVELS - 1].velocity) / range;
  /* high orders are approached before rounding is reached, not reached; those of explicit tables
   * from both sides (half-explicit on the double spherical pendulum: 6.2 before it is 5) */
  const double allowed = method->order <= 4 ? 0.15 : can(method, VIDA_CAN_ADAPTIVE) ? 0.55 : 0.2;
  EXPECT_NEAR(position, method->order, can(method, VIDA_CAN_ADAPTIVE) || is_high ? 1.3 : allowed,
              "order of positions of %s on %s, errors %.3g to %.3g", method->name, c->name,
              errors[0].position, errors[LEVELS - 1].position);
  EXPECT(velocity >= method->order - allowed,
         "order %.3f of velocities of %s on %s, errors %.3g to %.3g", velocity, method->name,
         c->name, errors[0].velocity, errors[LEVELS - 1].velocity);
}

static void test_order(void) {
  for_all(measure_order);
}

/* ---- what is kept over 10 s ----------------------------------------------------------------- */

enum { MOST_MAPS = 8 };

static double norm(int n, const double* x) {
  double square = 0.0;
  for (int i = 0; i < n; i++) {
    square += x[i] * x[i];
  }
  return sqrt(square);
}

/* Sizes that momenta are relative to: sum of |p_i|, and of |x_i| |p_i|, at the start */
static void momentum_sizes(const Model* model, const double* q, const double* v, double* linear,
                           double* angular) {
  const int d = model->dimension;
  *linear = 0.0;
  *angular = 0.0;
  for (int i = 0; i < model->particles; i++) {
    const double p = model->particle[i].mass * norm(d, v + d * i);
    *linear += p;
    *angular += p * norm(d, q + d * i);
  }
}

typedef struct Kept {
  double energy_first, energy_second; /* largest deviation in each half of the run, relative */
  double own_energy;                  /* the same by our own energy of q and v, all of the run */
  double map[MOST_MAPS];              /* largest deviation, relative */
  double position, velocity;          /* of the constraints: by our own geometry, relative */
  double told_position, told_velocity;
} Kept;

static double larger(double a, double b) {
  return b > a || isnan(b) ? b : a;
}

static Kept watch(const Model* model, Motion* motion, long steps) {
  Kept kept = {0};
  double before[MOST_MAPS], now[MOST_MAPS], linear, angular;
  const int maps = VidaSystem_MomentumCount(motion->system);
  const State start = motion_state(motion);
  const double own_start = model_energy(model, motion->q0, motion->v0);
  momentum_sizes(model, motion->q0, motion->v0, &linear, &angular);
  VidaSystem_Momentum(motion->system, start.q, start.p, before);
  for (long i = 1; i <= steps; i++) {
    motion_steps(motion, 1);
    const State state = motion_state(motion);
    const double energy = fabs(state.energy - start.energy) / fabs(own_start);
    double* half = i <= steps / 2 ? &kept.energy_first : &kept.energy_second;
    *half = larger(*half, energy);
    kept.own_energy = larger(
        kept.own_energy, fabs(model_energy(model, state.q, state.v) - own_start) / fabs(own_start));
    VidaSystem_Momentum(motion->system, state.q, state.p, now);
    for (int k = 0; k < maps; k++) {
      const char* name = VidaSystem_MomentumName(motion->system, k);
      const double size = name[0] == 'L' ? linear : angular;
      kept.map[k] = larger(kept.map[k], fabs(now[k] - before[k]) / size);
    }
    kept.position = larger(kept.position, model_stretch(model, state.q) / model->length);
    kept.velocity =
        larger(kept.velocity, model_stretch_rate(model, state.q, state.v) / model->speed);
    kept.told_position = larger(kept.told_position, state.constraint_position / model->length);
    kept.told_velocity = larger(kept.told_velocity, state.constraint_velocity / model->speed);
  }
  return kept;
}

static void measure_claims(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  Motion motion = motion_start(&model, method->name, c->h, "auto");
  if (motion.stepper) {
    const int maps = VidaSystem_MomentumCount(motion.system);
    EXPECT(maps <= MOST_MAPS, "%d maps", maps);
    const Kept kept = watch(&model, &motion, lround(10.0 / c->h));
    const double energy = larger(kept.energy_first, kept.energy_second);
    if (can(method, VIDA_CAN_ENERGY)) {
      EXPECT_BELOW(energy, 1e-11, "energy as told by %s on %s", method->name, c->name);
      EXPECT_BELOW(kept.own_energy, 1e-11, "energy of q, v of %s on %s", method->name, c->name);
    } else if (can(method, VIDA_CAN_SYMPLECTIC)) {
      EXPECT(kept.energy_second <= 2.0 * kept.energy_first,
             "energy of %s on %s is off by %.3g in the first half, %.3g in the second",
             method->name, c->name, kept.energy_first, kept.energy_second);
      EXPECT_BELOW(energy, 0.1, "energy of %s on %s", method->name, c->name);
    }
    for (int k = 0; k < maps && can(method, VIDA_CAN_MOMENTUM); k++) {
      EXPECT_BELOW(kept.map[k], 1e-12, "%s of %s on %s", VidaSystem_MomentumName(motion.system, k),
                   method->name, c->name);
    }
    if (can(method, VIDA_CAN_POSITION_LEVEL)) {
      EXPECT_BELOW(kept.position, 1e-13, "lengths, %s on %s", method->name, c->name);
      EXPECT_BELOW(kept.told_position, 1e-13, "g as told, %s on %s", method->name, c->name);
    }
    if (can(method, VIDA_CAN_VELOCITY_LEVEL)) {
      EXPECT_BELOW(kept.velocity, 1e-13, "rates of lengths, %s on %s", method->name, c->name);
      EXPECT_BELOW(kept.told_velocity, 1e-13, "G v as told, %s on %s", method->name, c->name);
    }
    EXPECT_NEAR(kept.told_position, kept.position, 1e-13 + 0.01 * kept.position,
                "g as told and as measured, %s on %s", method->name, c->name);
    EXPECT_NEAR(kept.told_velocity, kept.velocity, 1e-13 + 0.01 * kept.velocity,
                "G v as told and as measured, %s on %s", method->name, c->name);
  }
  motion_end(&motion);
}

static void test_claims(void) {
  for_all(measure_claims);
}

/* ---- reversibility -------------------------------------------------------------------------- */

static void measure_reversal(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  Motion motion = motion_start(&model, method->name, c->h, "auto");
  if (motion.stepper && can(method, VIDA_CAN_REVERSIBLE)) {
    VidaError error = {0};
    motion_steps(&motion, 100);
    State there = motion_state(&motion);
    for (int i = 0; i < motion.n; i++) {
      there.v[i] = -there.v[i];
    }
    REQUIRE_OK(VidaStepper_Start(motion.stepper, 0.0, there.q, there.v, &error), &error);
    motion_steps(&motion, 100);
    State back = motion_state(&motion);
    for (int i = 0; i < motion.n; i++) {
      back.v[i] = -back.v[i];
    }
    EXPECT(largest_difference(motion.n, there.q, motion.q0) > 0.01 * model.length,
           "%s did not move", c->name);
    /* rounding of 200 steps, enlarged by the motion itself */
    EXPECT_BELOW(largest_difference(motion.n, back.q, motion.q0) / model.length, 1e-11,
                 "positions there and back, %s on %s", method->name, c->name);
    EXPECT_BELOW(largest_difference(motion.n, back.v, motion.v0) / model.speed, 1e-11,
                 "velocities there and back, %s on %s", method->name, c->name);
  }
  motion_end(&motion);
}

static void test_reversibility(void) {
  for_all(measure_reversal);
}

/* ---- multipliers, statistics, time, starting ------------------------------------------------ */

/* Against the forces at the time that the method states. */
static void compare_multipliers(const VidaMethodInfo* method, const Case* c, const Model* model,
                                const Motion* motion, double h, double tolerance) {
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES], forces[MODEL_LINKS];
  double size = 0.0;
  const State state = motion_state(motion);
  EXPECT(state.multipliers_t > state.t - 1.01 * h && state.multipliers_t <= state.t + 1e-12,
         "multipliers of %s belong to t = %.17g, the state to %.17g", method->name,
         state.multipliers_t, state.t);
  memcpy(q, motion->q0, sizeof q);
  memcpy(v, motion->v0, sizeof v);
  c->exact(model, state.multipliers_t, q, v, forces);
  for (int k = 0; k < motion->m; k++) {
    size = larger(size, fabs(forces[k]));
  }
  for (int k = 0; k < motion->m; k++) {
    EXPECT_NEAR(state.multipliers[k], forces[k], tolerance * size + 1e-12,
                "tension %d at t = %g, %s on %s", k, state.multipliers_t, method->name, c->name);
  }
}

static void measure_multipliers(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  const double h = 1e-3;
  Motion motion = motion_start(&model, method->name, h, "auto");
  if (motion.stepper && motion.m > 0) {
    const State state = motion_state(&motion);
    for (int k = 0; k < motion.m; k++) {
      EXPECT(isnan(state.multipliers[k]), "%s on %s knows multiplier %d before the first step: %g",
             method->name, c->name, k, state.multipliers[k]);
    }
    /* forces change by about 3e-3 of their size in a step; the first multiplier is one-sided */
    motion_steps(&motion, 1);
    /* what lets constraints give way takes some steps until it balances them */
    if (can(method, VIDA_CAN_POSITION_LEVEL)) {
      compare_multipliers(method, c, &model, &motion, h, 2e-3);
    }
    motion_steps(&motion, 499);
    compare_multipliers(method, c, &model, &motion, h, 5e-4);
  }
  motion_end(&motion);
}

static void test_multipliers(void) {
  for_all(measure_multipliers);
}

static void measure_statistics(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  const double t0 = 3.0;
  Motion motion = motion_start(&model, method->name, c->h, "auto");
  if (motion.stepper) {
    VidaError error = {0};
    REQUIRE_OK(VidaStepper_Start(motion.stepper, t0, motion.q0, motion.v0, &error), &error);
    const VidaStatistics none = VidaStepper_Statistics(motion.stepper);
    EXPECT(none.steps == 0 && none.newton_iterations == 0, "%ld steps, %ld iterations at the start",
           none.steps, none.newton_iterations);
    for (long k = 1; k <= 50; k++) {
      motion_steps(&motion, 1);
      const double t = VidaStepper_Time(motion.stepper);
      EXPECT(t == t0 + (double)k * c->h, "time after step %ld is %.17g", k, t);
    }
    const VidaStatistics s = VidaStepper_Statistics(motion.stepper);
    EXPECT(s.steps == 50 && VidaStepper_StepCount(motion.stepper) == 50, "%ld steps", s.steps);
    EXPECT(VidaStepper_StepSize(motion.stepper) == c->h, "step %.17g",
           VidaStepper_StepSize(motion.stepper));
    EXPECT(VidaStepper_System(motion.stepper) == motion.system, "another system");
    /* with right Jacobians a step takes two or three iterations; each takes a residual */
    /* of suzuki4, the default; a step of the sequence and one to the node; 17 stages of each of the
     * seven steps around the start; passes, which converge linearly; of a table */
    const long stages = strcmp(method->name, "compose") == 0               ? 5
                        : strcmp(method->name, "symmetric-multistep") == 0 ? 3
                        : strcmp(method->name, "rattle-variable") == 0     ? 2
                        : strcmp(method->name, "moreau-jean") == 0         ? 2
                        : can(method, VIDA_CAN_ADAPTIVE)                   ? 8
                                                                           : 1;
    EXPECT(s.newton_iterations >= 0 && s.newton_iterations <= 50L * 4 * stages,
           "%s on %s took %ld iterations", method->name, c->name, s.newton_iterations);
    EXPECT(s.newton_iterations == 0 || s.residual_evaluations >= s.newton_iterations,
           "%s on %s: %ld residuals for %ld iterations", method->name, c->name,
           s.residual_evaluations, s.newton_iterations);
    EXPECT(s.newton_iterations == 0 || s.jacobian_evaluations >= 1,
           "%s on %s: %ld Jacobians for %ld iterations", method->name, c->name,
           s.jacobian_evaluations, s.newton_iterations);
    if (motion.m > 0 && can(method, VIDA_CAN_POSITION_LEVEL)) {
      EXPECT(s.newton_iterations >= 50, "%s on %s took %ld iterations for 50 steps", method->name,
             c->name, s.newton_iterations);
    }
  }
  motion_end(&motion);
}

static void test_statistics(void) {
  for_all(measure_statistics);
}

/* Starting again gives bit for bit the same run, whatever happened before; a stepper made for a
 * shorter step gives what StartWithStep gives. */
static void measure_restart(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  Motion motion = motion_start(&model, method->name, c->h, "auto");
  Motion shorter = motion_start(&model, method->name, 0.25 * c->h, "auto");
  if (motion.stepper) {
    VidaError error = {0};
    motion_steps(&motion, 20);
    motion_steps(&shorter, 1);
    const State first = motion_state(&motion);
    REQUIRE_OK(
        VidaStepper_StartWithStep(motion.stepper, 1.0, 0.25 * c->h, motion.q0, motion.v0, &error),
        &error);
    motion_steps(&motion, 1);
    const State little = motion_state(&motion);
    EXPECT(little.t == 1.0 + 0.25 * c->h, "time %.17g after a shorter step", little.t);
    /* Of variable steps another spacing of nodes changes nothing but where one looks. */
    EXPECT_BELOW(largest_difference(motion.n, little.q, motion_state(&shorter).q),
                 (strcmp(method->name, "rattle-variable") == 0 ? 1e-8 : 1e-15) * model.length,
                 "a shorter step, %s on %s", method->name, c->name);
    REQUIRE_OK(VidaStepper_Start(motion.stepper, 0.0, motion.q0, motion.v0, &error), &error);
    motion_steps(&motion, 20);
    const State second = motion_state(&motion);
    EXPECT(second.t == first.t, "time %.17g, not %.17g", second.t, first.t);
    EXPECT(!memcmp(first.q, second.q, sizeof first.q) && !memcmp(first.v, second.v, sizeof first.v),
           "%s on %s differs by %g after a restart", method->name, c->name,
           largest_difference(motion.n, first.q, second.q));
  }
  motion_end(&shorter);
  motion_end(&motion);
}

static void test_restart(void) {
  for_all(measure_restart);
}

/* From its own first two points a method goes on as it did before. */
static void measure_two_points(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  Motion motion = motion_start(&model, method->name, c->h, "auto");
  if (motion.stepper) {
    VidaError error = {0};
    motion_steps(&motion, 1);
    const State second = motion_state(&motion);
    motion_steps(&motion, 20);
    const State end = motion_state(&motion);
    const int code = VidaStepper_StartTwoPoints(motion.stepper, 0.0, motion.q0, second.q, &error);
    if (can(method, VIDA_CAN_TWO_POINT_START)) {
      REQUIRE_OK(code, &error);
      EXPECT(VidaStepper_StepCount(motion.stepper) == 1 &&
                 VidaStepper_Time(motion.stepper) == second.t,
             "%ld steps, t = %.17g", VidaStepper_StepCount(motion.stepper),
             VidaStepper_Time(motion.stepper));
      motion_steps(&motion, 20);
      const State again = motion_state(&motion);
      EXPECT_BELOW(largest_difference(motion.n, again.q, end.q) / model.length, 1e-12,
                   "two-point start, %s on %s", method->name, c->name);
    } else {
      EXPECT(code == VIDA_NOT_SUPPORTED, "%s: %s", method->name, Vida_CodeName(code));
    }
  }
  motion_end(&motion);
}

static void test_two_point_start(void) {
  for_all(measure_two_points);
}

/* RATTLE has the positions of SHAKE, and momenta on the hidden constraint (Wendlandt and Marsden
 * 1997, section 4.1).
 */
static void test_rattle(void) {
  for (int k = 0; k < CASES; k++) {
    const Model model = cases[k].model();
    Motion rattle = motion_start(&model, "rattle", cases[k].h, "auto");
    Motion shake = motion_start(&model, "del-endpoint", cases[k].h, "auto");
    for (int i = 0; i < 100; i++) {
      double v[MODEL_COORDINATES];
      motion_steps(&rattle, 1);
      motion_steps(&shake, 1);
      const double* q = VidaStepper_Positions(rattle.stepper);
      for (int j = 0; j < rattle.n; j++) {
        v[j] = VidaStepper_Momenta(rattle.stepper)[j] / model.particle[j / model.dimension].mass;
      }
      EXPECT_BELOW(largest_difference(rattle.n, q, VidaStepper_Positions(shake.stepper)),
                   1e-13 * model.length, "rattle and SHAKE on %s, step %d", model.name, i);
      EXPECT_BELOW(model_stretch_rate(&model, q, v), 1e-13 * model.speed,
                   "momenta of rattle on %s, step %d", model.name, i);
    }
    motion_end(&shake);
    motion_end(&rattle);
  }
}

/* The dense and the sparse linear solver give the same motion. */
static void measure_solvers(const VidaMethodInfo* method, const Case* c) {
  const Model model = c->model();
  Motion dense = motion_start(&model, method->name, c->h, "dense");
  Motion klu = motion_start(&model, method->name, c->h, "klu");
  if (dense.stepper && klu.stepper) {
    motion_steps(&dense, 100);
    motion_steps(&klu, 100);
    EXPECT_BELOW(
        largest_difference(dense.n, motion_state(&dense).q, motion_state(&klu).q) / model.length,
        1e-12, "dense against klu, %s on %s", method->name, c->name);
  }
  motion_end(&klu);
  motion_end(&dense);
}

static void test_solvers(void) {
  for_all(measure_solvers);
}

int main(void) {
  static const CheckTest tests[] = {{"registry", test_registry},
                                    {"order", test_order},
                                    {"claims over 10 s", test_claims},
                                    {"reversibility", test_reversibility},
                                    {"multipliers", test_multipliers},
                                    {"statistics and time", test_statistics},
                                    {"restart", test_restart},
                                    {"two-point start", test_two_point_start},
                                    {"rattle", test_rattle},
                                    {"linear solvers", test_solvers},
                                    {NULL, NULL}};
  return check_main("methods", tests);
}
