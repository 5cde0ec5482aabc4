/* galerkin-gauss and spark-lobatto: orders by stages, what they have in common with methods of
 * second order, and what they keep. */
#include <math.h>
#include <string.h>

#include "methods/collocation/collocation.h"
#include "support/check.h"
#include "support/elliptic.h"
#include "support/exact.h"
#include "support/motion.h"
#include "support/run.h"

enum { MOST = MODEL_COORDINATES };
static const double pi = 3.14159265358979323846;

/* ---- runs ----------------------------------------------------------------------------------- */

static VidaOptions* make_options(const char* method, double h, int stages) {
  VidaError error = {0};
  VidaOptions* options = motion_method(method, h, NULL);
  if (stages) {
    REQUIRE_OK(VidaOptions_SetReal(options, "stages", stages, &error), &error);
  }
  return options;
}

static Run start(VidaSystem* system, const char* method, double h, int stages) {
  return run_start(system, make_options(method, h, stages));
}

static double energy_of(Run* run) {
  VidaError error = {0};
  double energy = 0.0;
  REQUIRE_OK(VidaStepper_Energy(run->stepper, &energy, NULL, &error), &error);
  return energy;
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* What makes the order and keeps the symplectic form (Hairer, Lubich and Wanner, II.1 and VI.4). */
static void check_rule(const vida_stage_rule* rule, int quadrature) {
  const int s = rule->stages;
  for (int k = 1; k <= quadrature; k++) {
    double sum = 0.0;
    for (int i = 0; i < s; i++) {
      sum += rule->b[i] * pow(rule->c[i], k - 1);
    }
    EXPECT_NEAR(sum, 1.0 / k, 4e-16, "%d stages, quadrature of degree %d", s, k - 1);
  }
  for (int i = 0; i < s; i++) {
    for (int k = 1; k <= s; k++) {
      double sum = 0.0;
      for (int j = 0; j < s; j++) {
        sum += rule->alpha[i][j] * pow(rule->c[j], k - 1);
      }
      EXPECT_NEAR(sum, pow(rule->c[i], k) / k, 4e-16, "%d stages, collocation of degree %d", s, k);
    }
    for (int j = 0; j < s; j++) {
      EXPECT_BELOW(
          rule->b[i] * rule->beta[i][j] + rule->b[j] * rule->alpha[j][i] - rule->b[i] * rule->b[j],
          1e-16, "%d stages, symplectic condition (%d, %d)", s, i, j);
    }
  }
}

static void test_rules(void) {
  for (int stages = 1; stages <= 4; stages++) {
    const vida_stage_rule rule = vida__gauss_rule(stages);
    check_rule(&rule, 2 * stages);
  }
  for (int stages = 2; stages <= 4; stages++) {
    const vida_stage_rule rule = vida__lobatto_rule(stages, false);
    check_rule(&rule, 2 * stages - 2);
  }
}

/* ---- orders --------------------------------------------------------------------------------- */

typedef struct Case {
  const char* name;
  VidaSystem* (*make)(void);
  void (*exact)(double t, double* q, double* v);
  double time;
  double length, speed; /* what counts as large */
  double floor;         /* where rounding begins to show */
  int steps[5];         /* of the coarsest run, by stages */
} Case;

enum { LEVELS = 5, MOST_LEVELS = 12 };

/* The slope of log(error) over log(h) by least squares, of errors from the floor up: the last
 * LEVELS before it. */

static void errors_at(const Case* c, const char* method, int stages, int steps, double* position,
                      double* velocity) {
  double q[MOST], v[MOST], right_q[MOST], right_v[MOST];
  Run run = start(c->make(), method, c->time / steps, stages);
  run_steps(&run, steps);
  run_state(&run, q, v);
  c->exact(c->time, right_q, right_v);
  *position = largest_difference(run.n, q, right_q) / c->length;
  *velocity = largest_difference(run.n, v, right_v) / c->speed;
  const double iterations =
      (double)VidaStepper_Statistics(run.stepper).newton_iterations / (double)steps;
  EXPECT(iterations <= 4.0, "%s, %d stages on %s, %d steps: %.2f iterations a step", method, stages,
         c->name, steps, iterations);
  run_end(&run);
}

static void measure_order(const Case* c, const char* method, int stages, double order) {
  VidaOptions* options = make_options(method, 1.0, stages);
  EXPECT(Vida_MethodOrder(options) == (int)order, "%s with %d stages says order %d", method, stages,
         Vida_MethodOrder(options));
  VidaOptions_Destroy(&options);
  double position[MOST_LEVELS], velocity[MOST_LEVELS], h[MOST_LEVELS];
  const double growth = order > 4.0 ? 1.3 : 2.0;
  int count = 0;
  double steps = c->steps[stages];
  for (; count < MOST_LEVELS; count++, steps *= growth) {
    const int whole = (int)lround(steps);
    h[count] = c->time / whole;
    errors_at(c, method, stages, whole, &position[count], &velocity[count]);
    if (position[count] < c->floor || (order == 2.0 && count == LEVELS)) {
      break;
    }
  }
  const int used = count < LEVELS ? count : LEVELS;
  EXPECT(used >= 4, "only %d levels of %s, %d stages on %s above %g, first %.3g", used, method,
         stages, c->name, c->floor, position[0]);
  const int first = count - used;
  const double slope = find_slope(used, position + first, h + first);
  const double slope_v = find_slope(used, velocity + first, h + first);
  EXPECT_NEAR(slope, order, 0.2, "%s, %d stages on %s: order of positions, errors %.3g to %.3g",
              method, stages, c->name, position[first], position[count - 1]);
  EXPECT(slope_v > order - 0.2,
         "%s, %d stages on %s: order %.3f of velocities, errors %.3g to %.3g", method, stages,
         c->name, slope_v, velocity[first], velocity[count - 1]);
}

static const Case free_cases[] = {
    {"oscillator", make_oscillator, exact_oscillator, 3.0, 0.3, 1.2, 1e-12, {0, 40, 30, 12, 8}},
    {"Kepler", make_kepler, exact_kepler, 20.0, 1.0, 2.0, 1e-12, {0, 3000, 1200, 600, 380}},
    {"polar", make_polar, exact_polar, 12.0, 1.0, 2.0, 1e-12, {0, 500, 250, 130, 90}},
    {"charge", make_charge, exact_charge, 3.0, 0.5, 0.7, 1e-12, {0, 60, 30, 12, 8}},
};
enum { FREE_CASES = sizeof free_cases / sizeof free_cases[0] };

static void test_galerkin_order(void) {
  for (int k = 0; k < FREE_CASES; k++) {
    for (int stages = 1; stages <= 4; stages++) {
      if (!CHECK_LEAVES_OUT(k, stages, 4)) {
        measure_order(&free_cases[k], "galerkin-gauss", stages, 2.0 * stages);
      }
    }
  }
}

static const Case held_cases[] = {
    {"pendulum", make_pendulum, exact_pendulum, 0.8, 0.8, 3.0, 1e-12, {0, 0, 40, 20, 10}},
    {"bead", make_bead, exact_bead, 0.8, 0.8, 3.0, 1e-12, {0, 0, 40, 30, 14}},
    {"pulled", make_pulled, exact_pulled, 0.8, 0.8, 3.0, 1e-12, {0, 0, 40, 20, 10}},
    {"double spherical pendulum",
     make_double_pendulum,
     exact_double_pendulum,
     1.0,
     5.0,
     10.0,
     1e-12,
     {0, 0, 40, 30, 14}},
};
enum { HELD_CASES = sizeof held_cases / sizeof held_cases[0] };

static void test_spark_order(void) {
  for (int k = 0; k < HELD_CASES; k++) {
    for (int stages = 2; stages <= 4; stages++) {
      if (!CHECK_LEAVES_OUT(k, stages, 3)) {
        measure_order(&held_cases[k], "spark-lobatto", stages, 2.0 * stages - 2.0);
      }
    }
  }
}

/* Published start of the heavy top; the axis at t = 0.5 by an integration in quadruple precision of
 * its Euler equations */
static void measure_top(double along) {
  static const double axis[3] = {-7.0246829705658558933778181920e-01,
                                 -2.1165184701923326580800843627e-02,
                                 -7.1140025765173440554695258795e-01};
  for (int stages = 2; stages <= 4; stages++) {
    double error[5], h[5];
    for (int level = 0; level < 5; level++) {
      double q[MOST], v[MOST];
      const int steps = (int)lround((stages == 2   ? 1000
                                     : stages == 3 ? 400
                                                   : 160) *
                                    pow(1.5, level));
      Run run = start(make_top_with(along), "spark-lobatto", 0.5 / steps, stages);
      run_steps(&run, steps);
      run_state(&run, q, v);
      const double now[3] = {2.0 * (q[1] * q[2] - q[0] * q[3]),
                             q[0] * q[0] - q[1] * q[1] + q[2] * q[2] - q[3] * q[3],
                             2.0 * (q[2] * q[3] + q[0] * q[1])};
      error[level] = largest_difference(3, now, axis);
      h[level] = 0.5 / steps;
      EXPECT_BELOW(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0, 1e-14, "norm");
      run_end(&run);
    }
    EXPECT_NEAR(find_slope(5, error, h), 2.0 * stages - 2.0, 0.2,
                "order of %d stages on the heavy top with %g along itself, errors %.3g to %.3g",
                stages, along, error[0], error[4]);
  }
}

/* With a mass along the quaternion, and without one, where the method finds its own. */
static void test_top(void) {
  measure_top(5.0);
  measure_top(0.0);
}

/* Published values of this body, q(1) and q(10), up to a common sign (DOI-USGS/ale#603 and others:
 * quaternions that drift or change sign), and their closed form at all times */
static void test_precession(void) {
  static const double published[4] = {0.993195049892, -0.00158827725266, 0.000212076954902,
                                      0.116451815219};
  double right[4];
  exact_precession(10.0, right);
  EXPECT_BELOW(largest_difference(4, right, published), 1e-11, "closed form and published values");
  Run run = start(make_precession(), "spark-lobatto", 0.01, 4);
  double worst = 0.0;
  for (int k = 1; k <= 1000; k++) {
    run_steps(&run, 1);
    exact_precession(0.01 * k, right);
    worst = fmax(worst, largest_difference(4, VidaStepper_Positions(run.stepper), right));
  }
  EXPECT_BELOW(worst, 1e-9, "quaternion over 10 s with h = 0.01");
  run_end(&run);
}

/* Forces stand where L_q stands, and keep the order; against a run with a small step. */
static void test_dragged(void) {
  double right[2], v[2], error[4], h[4];
  Run small = start(make_dragged(), "spark-lobatto", 0.8 / 400, 4);
  run_steps(&small, 400);
  run_state(&small, right, v);
  EXPECT(energy_of(&small) < -1.0, "energy %g", energy_of(&small));
  run_end(&small);
  for (int stages = 2; stages <= 4; stages++) {
    for (int level = 0; level < 4; level++) {
      const int steps = (int)lround((stages == 4 ? 12 : 40) * pow(1.4, level));
      double q[2];
      Run run = start(make_dragged(), "spark-lobatto", 0.8 / steps, stages);
      run_steps(&run, steps);
      run_state(&run, q, v);
      error[level] = largest_difference(2, q, right);
      h[level] = 0.8 / steps;
      run_end(&run);
    }
    EXPECT_NEAR(find_slope(4, error, h), 2.0 * stages - 2.0, 0.2,
                "order of %d stages with drag, errors %.3g to %.3g", stages, error[0], error[3]);
  }
}

/* ---- what they have in common with methods of second order ---------------------------------- */

static void compare(VidaSystem* (*make)(void), const char* name, const char* method, int stages,
                    const char* other, double h, double length) {
  Run one = start(make(), method, h, stages);
  Run two = start(make(), other, h, 0);
  double largest = 0.0;
  for (int k = 0; k < 200; k++) {
    run_steps(&one, 1);
    run_steps(&two, 1);
    largest = fmax(largest, largest_difference(one.n, VidaStepper_Positions(one.stepper),
                                               VidaStepper_Positions(two.stepper)));
  }
  /* rounding of 200 steps, enlarged by the motion itself */
  EXPECT_BELOW(largest, 1e-12 * length, "%s with %d stages and %s on %s", method, stages, other,
               name);
  run_end(&two);
  run_end(&one);
}

static VidaSystem* make_springs(void) {
  const Model model = model_springs();
  return model_system(&model);
}

static VidaSystem* make_four_particles(void) {
  const Model model = model_four_particles();
  return model_system(&model);
}

/* One stage of Gauss' rule is the midpoint rule (Wendlandt and Marsden 1997, eq. 4.6); two of
 * Lobatto's are RATTLE (Jay 1996, section 5), where the mass matrix is constant. */
static void test_relatives(void) {
  for (int k = 0; k < FREE_CASES; k++) {
    compare(free_cases[k].make, free_cases[k].name, "galerkin-gauss", 1, "del-midpoint", 0.01,
            free_cases[k].length);
  }
  compare(make_springs, "springs", "galerkin-gauss", 1, "del-midpoint", 0.01, 1.0);
  compare(make_oscillator, "oscillator", "spark-lobatto", 2, "rattle", 0.01, 1.0);
  compare(make_pendulum, "pendulum", "spark-lobatto", 2, "rattle", 0.01, 1.0);
  compare(make_double_pendulum, "double spherical pendulum", "spark-lobatto", 2, "rattle", 0.01,
          5.0);
  compare(make_four_particles, "four particles", "spark-lobatto", 2, "rattle", 0.01, 1.0);
  compare(make_pulled, "pulled pendulum", "spark-lobatto", 2, "rattle", 0.01, 1.0);
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* The scale that |p| |q| sets for momenta. */
static double momentum_size(const Run* run) {
  const double* p = VidaStepper_Momenta(run->stepper);
  double size = 0.0;
  double length = 0.0;
  for (int i = 0; i < run->n; i++) {
    size += p[i] * p[i];
    length += run->q0[i] * run->q0[i];
  }
  return sqrt(size * fmax(length, 1.0));
}

static void keep_long(VidaSystem* (*make)(void), const char* name, const char* method, int stages,
                      double h) {
  enum { MAPS = 8, BINS = 10 };
  const long steps = CHECK_SANITIZED ? 5000 : 100000;
  double first[MAPS], now[MAPS], mean[BINS] = {0.0};
  Run run = start(make(), method, h, stages);
  const int maps = VidaSystem_MomentumCount(run.system);
  const double energy0 = energy_of(&run);
  const double size = momentum_size(&run);
  double worst = 0.0;
  double amplitude = 0.0;
  VidaSystem_Momentum(run.system, run.q0, VidaStepper_Momenta(run.stepper), first);
  for (long k = 0; k < steps; k++) {
    run_steps(&run, 1);
    const double off = energy_of(&run) / energy0 - 1.0;
    mean[k * BINS / steps] += off * BINS / (double)steps;
    amplitude = fmax(amplitude, fabs(off));
    VidaSystem_Momentum(run.system, VidaStepper_Positions(run.stepper),
                        VidaStepper_Momenta(run.stepper), now);
    for (int i = 0; i < maps; i++) {
      worst = fmax(worst, fabs(now[i] - first[i]) / size);
    }
  }
  EXPECT(maps > 0, "%s has no momentum", name);
  EXPECT_BELOW(worst, 1e-12, "momenta of %s, %d stages on %s", method, stages, name);
  double lowest = mean[0];
  double highest = mean[0];
  for (int b = 1; b < BINS; b++) {
    lowest = fmin(lowest, mean[b]);
    highest = fmax(highest, mean[b]);
  }
  /* means of tenths of the run stay where they are, within the oscillation or rounding */
  EXPECT_BELOW(highest - lowest, 0.3 * amplitude + 1e-13,
               "energy of %s, %d stages on %s, amplitude %.3g, first %.3g, last %.3g", method,
               stages, name, amplitude, mean[0], mean[BINS - 1]);
  run_end(&run);
}

static void test_long_runs(void) {
  for (int stages = 1; stages <= 4; stages++) {
    keep_long(make_kepler, "Kepler", "galerkin-gauss", stages, 0.02 * stages);
  }
  for (int stages = 2; stages <= 4; stages++) {
    keep_long(make_double_pendulum, "double spherical pendulum", "spark-lobatto", stages, 0.01);
  }
}

static void turn_back(VidaSystem* (*make)(void), const char* name, const char* method, int stages,
                      double h) {
  VidaError error = {0};
  double q[MOST], v[MOST];
  Run run = start(make(), method, h, stages);
  run_steps(&run, 60);
  run_state(&run, q, v);
  EXPECT(largest_difference(run.n, q, run.q0) > 1e-2, "%s did not move", name);
  for (int i = 0; i < run.n; i++) {
    v[i] = -v[i];
  }
  REQUIRE_OK(VidaStepper_Start(run.stepper, 0.0, q, v, &error), &error);
  run_steps(&run, 60);
  run_state(&run, q, v);
  EXPECT_BELOW(largest_difference(run.n, q, run.q0), 1e-11, "%s, %d stages on %s there and back",
               method, stages, name);
  run_end(&run);
}

static void test_reversal(void) {
  for (int stages = 1; stages <= 4; stages++) {
    turn_back(make_kepler, "Kepler", "galerkin-gauss", stages, 0.05);
    turn_back(make_polar, "polar", "galerkin-gauss", stages, 0.02);
  }
  for (int stages = 2; stages <= 4; stages++) {
    turn_back(make_bead, "bead", "spark-lobatto", stages, 0.02);
    turn_back(make_double_pendulum, "double pendulum", "spark-lobatto", stages, 0.02);
  }
}

/* dq ^ dp of the bead from (angle, rate) to after three steps: 1 by Liouville in (theta, p_theta),
 * from central differences of fourth order */
static void bead_flow(const Run* run, double angle, double rate, double* z) {
  VidaError error = {0};
  double q[2], v[2];
  const double point[2] = {PENDULUM_LENGTH * sin(angle), PIVOT - PENDULUM_LENGTH * cos(angle)};
  const double velocity[2] = {PENDULUM_LENGTH * rate * cos(angle),
                              PENDULUM_LENGTH * rate * sin(angle)};
  polar_of(point, velocity, q, v);
  REQUIRE_OK(VidaStepper_Start(run->stepper, 0.0, q, v, &error), &error);
  for (int k = 0; k < 3; k++) {
    REQUIRE_OK(VidaStepper_Step(run->stepper, &error), &error);
  }
  memcpy(z, VidaStepper_Positions(run->stepper), 2 * sizeof *z);
  memcpy(z + 2, VidaStepper_Momenta(run->stepper), 2 * sizeof *z);
}

static void test_symplectic_form(void) {
  const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
  const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const double delta = 1e-3;
  for (int stages = 2; stages <= 4; stages++) {
    Run run = start(make_bead(), "spark-lobatto", 0.05, stages);
    double slope[2][4] = {{0.0}};
    for (int k = 0; k < 8; k++) {
      double z[4];
      const double by = offset[k % 4] * delta;
      bead_flow(&run, 1.0 + (k < 4 ? by : 0.0), 0.5 + (k < 4 ? 0.0 : by), z);
      for (int i = 0; i < 4; i++) {
        slope[k / 4][i] += weight[k % 4] / delta * z[i];
      }
    }
    const double form = slope[0][0] * slope[1][2] - slope[0][2] * slope[1][0] +
                        slope[0][1] * slope[1][3] - slope[0][3] * slope[1][1];
    /* dangle ^ d(l^2 rate) = l^2 for a mass of 1 */
    EXPECT_NEAR(form / (PENDULUM_LENGTH * PENDULUM_LENGTH), 1.0, 1e-8, "%d stages", stages);
    run_end(&run);
  }
}

/* The tension of the pendulum is m (g cos theta + l theta'^2); stages divide the step, so that it
 * is of second order at least. */
static void test_multipliers(void) {
  const Model model = model_pendulum(2, 1.3, PENDULUM_LENGTH, 1.0, 0.5);
  for (int stages = 2; stages <= 4; stages++) {
    double error[4];
    for (int level = 0; level < 4; level++) {
      const int steps = 40 << level;
      Run run = start(model_system(&model), "spark-lobatto", 0.8 / steps, stages);
      double angle, rate, t;
      run_steps(&run, steps);
      const double tension = VidaStepper_Multipliers(run.stepper, &t)[0];
      pendulum_motion(sqrt(MODEL_GRAVITY / PENDULUM_LENGTH), 1.0, 0.5, t, &angle, &rate);
      const double right = 1.3 * (MODEL_GRAVITY * cos(angle) + PENDULUM_LENGTH * rate * rate);
      error[level] = fabs(tension - right) / right;
      run_end(&run);
    }
    const double order = log2(error[2] / error[3]);
    EXPECT(order > (stages < 4 ? 1.75 : 3.75),
           "%d stages: order %.3f, errors of the tension %.3g to %.3g", stages, order, error[0],
           error[3]);
  }
}

/* The farthest that an oscillator of frequency 1 goes in 3000 steps from 1, if it is less than 1e3.
 */
static double swing(double h, int stages) {
  const Model model = model_oscillator(1.0, 1.0, 1.0, 0.0);
  Run run = start(model_system(&model), "spark-lobatto", h, stages);
  double farthest = 0.0;
  for (int k = 0; k < 3000 && farthest < 1e3; k++) {
    run_steps(&run, 1);
    farthest = fmax(farthest, fabs(VidaStepper_Positions(run.stepper)[0]));
  }
  run_end(&run);
  return farthest;
}

/* The limits that `vida methods spark-lobatto` states. */
static void test_stability(void) {
  static const double limit[5] = {0.0, 0.0, 2.0, 2.8284271247461903, 3.115};
  for (int stages = 2; stages <= 4; stages++) {
    for (double h = 0.05; h < limit[stages] - 0.02; h += CHECK_SANITIZED ? 0.5 : 0.05) {
      EXPECT_BELOW(swing(h, stages), 100.0, "h = %g, %d stages", h, stages);
    }
    EXPECT(swing(limit[stages] + 0.02, stages) > 100.0, "%d stages above the limit", stages);
  }
}

/* A rod that is there twice changes nothing, and each of the two takes half of the force. */
static void test_dependent_rows(void) {
  Model once = model_pendulum(2, 1.3, PENDULUM_LENGTH, 1.0, 0.5);
  Model twice = once;
  twice.rod[1] = twice.rod[0];
  twice.rod[1].name = "once more";
  twice.rods = 2;
  for (int stages = 2; stages <= 4; stages++) {
    Run one = start(model_system(&once), "spark-lobatto", 0.01, stages);
    Run two = start(model_system(&twice), "spark-lobatto", 0.01, stages);
    run_steps(&one, 300);
    run_steps(&two, 300);
    EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(one.stepper),
                                    VidaStepper_Positions(two.stepper)),
                 1e-12, "%d stages", stages);
    const double tension = VidaStepper_Multipliers(one.stepper, NULL)[0];
    const double* half = VidaStepper_Multipliers(two.stepper, NULL);
    EXPECT_NEAR(half[0], 0.5 * tension, 1e-5 * fabs(tension), "%d stages", stages);
    EXPECT_NEAR(half[1], 0.5 * tension, 1e-5 * fabs(tension), "%d stages", stages);
    run_end(&two);
    run_end(&one);
  }
}

/* ---- published periods, refusals ------------------------------------------------------------ */

/* A pendulum of 1 m released from the horizontal: period 2.36784194757624 s, and where it is at
 * t = 10 and 100 (closed form in quadruple precision) */
static void test_periods(void) {
  const Model model = model_pendulum(2, 1.0, 1.0, 0.5 * pi, 0.0);
  const double h = 0.01;
  for (int stages = 3; stages <= 4; stages++) {
    Run run = start(model_system(&model), "spark-lobatto", h, stages);
    const double* q = VidaStepper_Positions(run.stepper);
    const double allowed = stages == 3 ? 1e-4 : 1e-8;
    run_steps(&run, 1000);
    EXPECT_NEAR(q[0], 0.2750874625761, allowed, "x at t = 10, %d stages", stages);
    EXPECT_NEAR(q[1], -0.9614192050991, allowed, "y at t = 10, %d stages", stages);
    run_steps(&run, 9000);
    EXPECT_NEAR(q[0], 0.181513351427, 10.0 * allowed, "x at t = 100, %d stages", stages);
    run_end(&run);
  }
}

static void expect_refusal(VidaSystem* system, const char* method, int stages, const char* text) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  VidaOptions* options = make_options(method, 0.01, stages);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  int code = VidaStepper_Create(system, options, &stepper, &error);
  code = code ? code : VidaStepper_Start(stepper, 0.0, q, v, &error);
  EXPECT(code == VIDA_NOT_SUPPORTED && strstr(error.message, text), "%s on %s: %s", method,
         VidaSystem_Name(system), error.message);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_refusals(void) {
  VidaError error = {0};
  VidaOptions* options = NULL;
  expect_refusal(make_pendulum(), "galerkin-gauss", 2, "rattle, ");
  REQUIRE_OK(VidaOptions_Create("galerkin-gauss", &options, &error), &error);
  EXPECT_ERROR(VidaOptions_SetReal(options, "stages", 0.0, &error), &error, VIDA_BAD_ARGUMENT,
               "stages");
  EXPECT_ERROR(VidaOptions_SetReal(options, "stages", 5.0, &error), &error, VIDA_BAD_ARGUMENT,
               "stages");
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaOptions_Create("spark-lobatto", &options, &error), &error);
  EXPECT_ERROR(VidaOptions_SetReal(options, "stages", 1.0, &error), &error, VIDA_BAD_ARGUMENT,
               "stages");
  VidaOptions_Destroy(&options);
}

int main(void) {
  static const CheckTest tests[] = {{"coefficients", test_rules},
                                    {"order of galerkin-gauss", test_galerkin_order},
                                    {"order of spark-lobatto", test_spark_order},
                                    {"heavy top", test_top},
                                    {"precession", test_precession},
                                    {"drag", test_dragged},
                                    {"relatives of second order", test_relatives},
                                    {"long runs", test_long_runs},
                                    {"reversibility", test_reversal},
                                    {"symplectic form", test_symplectic_form},
                                    {"multipliers", test_multipliers},
                                    {"stability", test_stability},
                                    {"dependent rows", test_dependent_rows},
                                    {"published periods", test_periods},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("collocation", tests);
}
