/* symmetric-multistep: its coefficients against the order conditions, orders against closed forms
 * and an extrapolation, energies over long runs, round-off, starts, and what it refuses. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "methods/variational/symmetric_multistep.h"
#include "support/check.h"
#include "support/exact.h"
#include "support/motion.h"

enum { MOST = 16, ORDERS = 3 };
static const int orders[ORDERS] = {4, 6, 8};
static const double pi = 3.14159265358979323846;

static VidaStepper* make_stepper(const VidaSystem* system, const char* method, int order,
                                 double h) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method(method, h, NULL);
  if (order) {
    REQUIRE_OK(VidaOptions_SetReal(options, "order", order, &error), &error);
  }
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  return stepper;
}

static void step_many(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  for (long k = 0; k < steps; k++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* sum_j alpha_j j^p = p (p - 1) sum_j beta_j j^(p - 2) for p = 0 .. k + 1, with j from the middle
 * and alpha the coefficients of (z - 1)^2 times the polynomial of d. */
static void check_order_conditions(const vida_multistep_formula* formula) {
  const int k = formula->order;
  double alpha[MOST] = {0.0};
  for (int j = 0; j <= k - 2; j++) {
    alpha[j] += formula->d[j];
    alpha[j + 1] -= 2.0 * formula->d[j];
    alpha[j + 2] += formula->d[j];
    EXPECT(formula->d[j] == formula->d[k - 2 - j], "order %d: d is not symmetric", k);
  }
  for (int p = 0; p <= k + 1; p++) {
    double sum = 0.0, size = 0.0;
    for (int j = 0; j <= k; j++) {
      const double x = j - 0.5 * k;
      const double beta = j > 0 && j < k ? formula->beta[j] : 0.0;
      const double right = p < 2 ? 0.0 : p * (p - 1) * beta * (p == 2 ? 1.0 : pow(x, p - 2));
      const double left = alpha[j] * (p == 0 ? 1.0 : pow(x, p));
      sum += left - right;
      size += fabs(left) + fabs(right);
    }
    EXPECT_BELOW(sum, 1e-14 * size, "order %d, degree %d", k, p);
  }
  EXPECT(formula->d[0] == 1.0 && formula->beta[1] > 0.0, "order %d is not normalized", k);
}

/* Returns sum of c_j z^(j - k/2) at z = exp(i phi), c symmetric, j = 0 .. k. */
static double symmetric_sum(int k, const double* c, double phi) {
  double sum = 0.0;
  for (int j = 0; j <= k; j++) {
    sum += c[j] * cos((j - 0.5 * k) * phi);
  }
  return sum;
}

/* Returns sigma(z) / z^(k/2) at z = exp(i phi). */
static double sigma_at(const vida_multistep_formula* formula, double phi) {
  double beta[MOST] = {0.0};
  memcpy(beta + 1, formula->beta + 1, (size_t)(formula->order - 1) * sizeof *beta);
  return symmetric_sum(formula->order, beta, phi);
}

/* Returns rho / sigma at exp(i phi). */
static double ratio_at(const vida_multistep_formula* formula, double phi) {
  return -2.0 * (1.0 - cos(phi)) * symmetric_sum(formula->order - 2, formula->d, phi) /
         sigma_at(formula, phi);
}

/* z^2 + 2 a z + 1 vanishes at exp(i theta), cos theta = -a; a of order 8 is that of Console, Hairer
 * and Lubich (2013). The multipliers are stable only if all roots of sigma but 0 are on the unit
 * circle, too, and simple (the same, section 2). */
static void check_roots(const vida_multistep_formula* formula) {
  static const double a[ORDERS][3] = {{0.5}, {-0.4, 0.8}, {-0.8, -0.4, 0.7}};
  const int k = formula->order, pairs = k / 2 - 1;
  enum { PARTS = 10000 };
  int changes = 0;
  for (int i = 0; i < pairs; i++) {
    const double theta = acos(-a[pairs - 1][i]);
    EXPECT_BELOW(symmetric_sum(k - 2, formula->d, theta), 1e-14, "order %d, root %d", k, i);
  }
  for (int i = 0; i < PARTS; i++) {
    changes += sigma_at(formula, pi * i / PARTS) * sigma_at(formula, pi * (i + 1) / PARTS) < 0.0;
  }
  EXPECT(changes == pairs, "order %d: sigma has %d pairs of roots on the unit circle", k, changes);
}

/* The Lagrangian of a wave A cos(theta t / h) is A^2 G(theta) / 4 in the mean, G = -M rho / sigma /
 * h^2, so its energy is A^2 theta dG/dtheta / 4 where G = 0 (Whitham 1974, section 11.7); its
 * kinetic energy is M A^2 (2 sin(theta / 2))^2 / (4 h^2). */
static void check_wave(const vida_multistep_formula* formula) {
  const double theta = acos(formula->lowest_cosine), step = 1e-7;
  const double rate =
      (ratio_at(formula, theta + step) - ratio_at(formula, theta - step)) / (2.0 * step);
  const double energy = theta * fabs(rate) / (4.0 * (1.0 - formula->lowest_cosine));
  EXPECT_NEAR(formula->lowest_energy / energy, 1.0, 1e-4, "order %d", formula->order);
  for (int i = 1; i < 1000; i++) {
    const double phi = (theta - 1e-3) * i / 1000.0;
    EXPECT(fabs(symmetric_sum(formula->order - 2, formula->d, phi)) > 1e-6,
           "order %d has a lower root", formula->order);
  }
}

/* v_n - (q_n - q_(n-1)) / h = h sum_j c_j a_(n-j) for q = t^p, with t_n = 0 and h = 1. */
static void check_velocity_weights(int order, const double* weights, int highest) {
  for (int p = 2; p <= highest; p++) {
    double sum = -(p % 2 ? -1.0 : 1.0), size = 1.0;
    for (int j = 0; j < order; j++) {
      const double a = p * (p - 1) * (p == 2 ? 1.0 : pow(-j, p - 2));
      sum += weights[j] * a;
      size += fabs(weights[j] * a);
    }
    EXPECT_BELOW(sum, 1e-14 * size, "order %d, degree %d", order, p);
  }
}

/* q(1) - 2 q(0) + q(-1) = sum_j c_j (q''(j) + q''(-j)) for q = t^p, with h = 1. */
static void check_second_difference(int order, const double* weights) {
  for (int p = 2; p <= order + 1; p += 2) {
    double sum = 2.0 - (p == 2 ? 2.0 * weights[0] : 0.0), size = 2.0;
    for (int j = 1; j < order / 2; j++) {
      const double both = 2.0 * p * (p - 1) * weights[j] * pow(j, p - 2);
      sum -= both;
      size += fabs(both);
    }
    EXPECT_BELOW(sum, 1e-14 * size, "order %d, degree %d", order, p);
  }
}

static void test_coefficients(void) {
  EXPECT(!vida__multistep_formula(5), "there is a formula of order 5");
  for (int i = 0; i < ORDERS; i++) {
    const vida_multistep_formula* formula = vida__multistep_formula(orders[i]);
    check_order_conditions(formula);
    check_roots(formula);
    check_wave(formula);
    check_velocity_weights(orders[i], formula->with_force, orders[i] + 1);
    check_velocity_weights(orders[i], formula->without_force, orders[i]);
    check_second_difference(orders[i], formula->second_difference);
    EXPECT(formula->without_force[0] == 0.0, "the momenta need the force at their node");
  }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* Errors of positions, velocities, momenta and multipliers. */
typedef struct errors {
  double q, v, p, lambda;
} errors;

/* M v: the momenta at which RATTLE starts. */
static void find_momenta(const VidaSystem* system, double t, const double* q, const double* v,
                         double* momenta) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "rattle", 0, 0.01);
  REQUIRE_OK(VidaStepper_Start(stepper, t, q, v, &error), &error);
  memcpy(momenta, VidaStepper_Momenta(stepper),
         (size_t)VidaSystem_CoordinateCount(system) * sizeof *momenta);
  VidaStepper_Destroy(&stepper);
}

static errors errors_at(const VidaSystem* system, int order, double time, long steps,
                        const double* q, const double* v, const double* forces) {
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "symmetric-multistep", order, time / (double)steps);
  const int n = VidaSystem_CoordinateCount(system);
  double rates[MOST], momenta[MOST], t = 0.0;
  step_many(stepper, steps);
  REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
  find_momenta(system, time, q, v, momenta);
  errors off = {largest_difference(n, VidaStepper_Positions(stepper), q),
                largest_difference(n, rates, v),
                largest_difference(n, VidaStepper_Momenta(stepper), momenta), 0.0};
  if (forces) {
    const double* lambda = VidaStepper_Multipliers(stepper, &t);
    off.lambda = largest_difference(VidaSystem_ConstraintCount(system), lambda, forces);
    EXPECT_NEAR(t, time, 1e-12, "the time of the multipliers");
  }
  VidaStepper_Destroy(&stepper);
  return off;
}

static void check_orders(const char* name, const VidaSystem* system, double time,
                         const long steps[ORDERS][2], const double* q, const double* v,
                         const double* forces) {
  for (int i = 0; i < ORDERS; i++) {
    const errors coarse = errors_at(system, orders[i], time, steps[i][0], q, v, forces);
    const errors fine = errors_at(system, orders[i], time, steps[i][1], q, v, forces);
    const double ratio = log((double)steps[i][1] / (double)steps[i][0]);
    EXPECT_NEAR(log(coarse.q / fine.q) / ratio, orders[i], 0.2, "%s: positions, %g and %g", name,
                coarse.q, fine.q);
    const double of[][2] = {{coarse.v, fine.v}, {coarse.p, fine.p}, {coarse.lambda, fine.lambda}};
    for (int k = 0; k < (forces ? 3 : 2); k++) {
      EXPECT(log(of[k][0] / of[k][1]) / ratio > orders[i] - 0.4,
             "%s: %s of order %d have the errors %g and %g", name,
             k == 0   ? "velocities"
             : k == 1 ? "momenta"
                      : "multipliers",
             orders[i], of[k][0], of[k][1]);
    }
  }
}

/* The double spherical pendulum after 3 s, against an extrapolation of order 12 on the index-1
 * form. */
static void test_constrained(void) {
  static const long steps[ORDERS][2] = {{1200, 2400}, {900, 1500}, {600, 960}};
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  double q[MOST], v[MOST], forces[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  model_reference(&model, 3.0, 600, q, v, forces);
  check_orders(model.name, system, 3.0, steps, q, v, forces);
  VidaSystem_Destroy(&system);
}

/* Kepler's ellipse of eccentricity 0.6, free, after 7 s: closed form. */
static void test_free(void) {
  static const long steps[ORDERS][2] = {{3000, 6000}, {1500, 2500}, {900, 1400}};
  VidaSystem* system = make_kepler();
  double q[MOST], v[MOST];
  exact_kepler(7.0, q, v);
  check_orders("ellipse", system, 7.0, steps, q, v, NULL);
  VidaSystem_Destroy(&system);
}

/* ---- long runs ------------------------------------------------------------------------------- */

/* Mean of the energy error over `samples` blocks of steps. */
static double mean_energy_error(VidaStepper* stepper, const Model* model, double before,
                                int samples, long steps) {
  VidaError error = {0};
  double sum = 0.0;
  for (int i = 0; i < samples; i++) {
    double v[MOST];
    step_many(stepper, steps);
    REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
    sum += model_energy(model, VidaStepper_Positions(stepper), v) - before;
  }
  return sum / samples;
}

/* The energy error is that of the step, and no drift adds to it: the means over the first and over
 * the last part of the run differ by less than the error itself. The kinetic energies are some
 * 250 J. */
static void test_energy(void) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  const long block = CHECK_SANITIZED ? 1 : 7;
  double q[MOST], v[MOST];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  const double before = model_energy(&model, q, v);
  static const double bound[ORDERS] = {2e-3, 2e-5, 1e-7};
  for (int i = 0; i < ORDERS; i++) {
    VidaStepper* stepper = make_stepper(system, "symmetric-multistep", orders[i], 0.005);
    const double early = mean_energy_error(stepper, &model, before, 4000, block);
    mean_energy_error(stepper, &model, before, 12000, block);
    const double late = mean_energy_error(stepper, &model, before, 4000, block);
    EXPECT_BELOW(early, bound[i], "order %d", orders[i]);
    EXPECT_BELOW(late - early, 0.3 * bound[i], "order %d: %g, later %g", orders[i], early, late);
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* 1e5 steps whose own error is far below rounding: (h w)^8 is 1e-17. A recursion in positions would
 * lose (steps)^2 roundings, 1e-6. */
static void test_round_off(void) {
  static const double h = 0.002;
  const long steps = CHECK_SANITIZED ? 10000 : 100000;
  VidaSystem* systems[] = {make_oscillator(), make_pendulum()};
  void (*const exact[])(double, double*, double*) = {exact_oscillator, exact_pendulum};
  for (int i = 0; i < 2; i++) {
    VidaError error = {0};
    VidaStepper* stepper = make_stepper(systems[i], "symmetric-multistep", 8, h);
    double q[MOST], v[MOST], rates[MOST], g, rate;
    const int n = VidaSystem_CoordinateCount(systems[i]);
    step_many(stepper, steps);
    exact[i](VidaStepper_Time(stepper), q, v);
    REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
    EXPECT_BELOW(largest_difference(n, VidaStepper_Positions(stepper), q), 2e-12, "system %d", i);
    EXPECT_BELOW(largest_difference(n, rates, v), 1e-11, "velocities, system %d", i);
    REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &g, &rate, &error), &error);
    EXPECT(g <= 1e-15 && rate <= 1e-14, "system %d: |g| = %g, |G v| = %g", i, g, rate);
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&systems[i]);
  }
}

/* Beyond its stability limit a run ends, and says why: h w = 1.2 for order 8. */
static void test_unstable(void) {
  VidaSystem* system = make_oscillator();
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "symmetric-multistep", 8, 0.3);
  int code = VIDA_SUCCESS;
  for (int k = 0; k < 10000 && !code; k++) {
    code = VidaStepper_Step(stepper, &error);
  }
  EXPECT(code == VIDA_STEP_NOT_CONVERGED && !strcmp(error.flag, "UNBOUNDED"), "%s: %s", error.flag,
         error.message);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- parasitic solutions --------------------------------------------------------------------- */

/* Returns rho / sigma + x^2 at z = exp(i phi), whose zeros are the solutions of the formula for an
 * oscillator with h omega = x. */
static double characteristic(const vida_multistep_formula* formula, double x, double phi) {
  return ratio_at(formula, phi) + x * x;
}

/* Returns the zero near x. */
static double turn_of_motion(const vida_multistep_formula* formula, double x) {
  double low = 0.9 * x, high = 1.1 * x;
  const double sign = characteristic(formula, x, low);
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    *(characteristic(formula, x, middle) * sign > 0.0 ? &low : &high) = middle;
  }
  return low;
}

enum { SAMPLES = 20000 };

/* Returns the mean of the squares of what cos (k phi) and sin (k phi) leave of x. */
static double rest_of_fit(double* x, double phi) {
  double part[2] = {0.0, 0.0}, sum = 0.0;
  for (int pass = 0; pass < 3; pass++) { /* the two are nearly orthogonal */
    part[0] = part[1] = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
      part[0] += 2.0 / SAMPLES * x[k] * cos(k * phi);
      part[1] += 2.0 / SAMPLES * x[k] * sin(k * phi);
    }
    for (int k = 0; k < SAMPLES; k++) {
      x[k] -= part[0] * cos(k * phi) + part[1] * sin(k * phi);
    }
  }
  for (int k = 0; k < SAMPLES; k++) {
    sum += x[k] * x[k] / SAMPLES;
  }
  return sum;
}

/* The parasitic energy is, but for the factor of the wave, the kinetic energy that the motion of an
 * oscillator has besides the solution of the formula that approximates it. The smallest theta
 * counts once, others by the ratio of (sin(theta/2))^2, at most 8.5. The force shifts theta little
 * for these steps. */
static void test_parasitic_energy(void) {
  static double rates[SAMPLES];
  static const double steps[ORDERS] = {0.2, 0.2, 0.3};
  const Model model = model_oscillator(1.0, 1.0, 1.0, 0.0);
  VidaSystem* system = model_system(&model);
  for (int i = 0; i < ORDERS; i++) {
    VidaStepper* stepper = make_stepper(system, "symmetric-multistep", orders[i], steps[i]);
    EXPECT(isnan(VidaStepper_ParasiticEnergy(stepper)), "before the formula");
    double before = 1.0, mean = 0.0;
    step_many(stepper, orders[i]);
    for (int k = -1; k < SAMPLES; k++) {
      step_many(stepper, 1);
      const double x = VidaStepper_Positions(stepper)[0];
      if (k >= 0) {
        rates[k] = (x - before) / steps[i];
        mean += VidaStepper_ParasiticEnergy(stepper) / SAMPLES;
      }
      before = x;
    }
    const double turn = turn_of_motion(vida__multistep_formula(orders[i]), steps[i]);
    const double kinetic = 0.5 * rest_of_fit(rates, turn);
    const double ratio = mean / (vida__multistep_formula(orders[i])->lowest_energy * kinetic);
    EXPECT(ratio > 0.5 && ratio < 10.0, "order %d: %g times the fit", orders[i], ratio);
    VidaStepper_Destroy(&stepper);
  }
  VidaStepper* stepper = make_stepper(system, "rattle", 0, 0.1);
  step_many(stepper, 1);
  EXPECT(isnan(VidaStepper_ParasiticEnergy(stepper)), "a one-step method has parasitic solutions");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* What the motion loses to the waves it does not get back, so that there is no drift as long as
 * they have no energy. The least estimate of some nodes: at fast ones it has the error of the
 * formula, too. The double spherical pendulum of Wendlandt and Marsden (1997), whose kinetic energy
 * is some 250 J, for 1000 s with about twice their step. With the roots of the examples of order 4
 * and 6 of Console, Hairer and Lubich the waves have 3e-3 J and more by then, in three runs of an
 * implementation of its own. */
static void test_no_drift(void) {
  static const double steps[] = {0.02, 0.0175};
  const double time = CHECK_SANITIZED ? 50.0 : 1000.0;
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  for (int i = 0; orders[i] < 8; i++) {
    VidaStepper* stepper = make_stepper(system, "symmetric-multistep", orders[i], steps[i]);
    double least = 1.0;
    step_many(stepper, lround(time / steps[i]));
    for (int k = 0; k < 100; k++) {
      step_many(stepper, 1);
      least = fmin(least, VidaStepper_ParasiticEnergy(stepper));
    }
    EXPECT_BELOW(least, 1e-6 * 250.0, "order %d", orders[i]);
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* The first nodes are as accurate as the later ones; a second start forgets the first motion; a
 * step that was interrupted is made again. */
static int interrupt_once(void* data) {
  int* left = data;
  return (*left)-- == 0 ? VIDA_STOPPED : VIDA_SUCCESS;
}

static void test_starts(void) {
  VidaSystem* system = make_pendulum();
  VidaError error = {0};
  VidaStepper* stepper = make_stepper(system, "symmetric-multistep", 8, 0.005);
  double q[MOST], v[MOST], rates[MOST];
  for (int k = 1; k <= 20; k++) {
    step_many(stepper, 1);
    exact_pendulum(VidaStepper_Time(stepper), q, v);
    REQUIRE_OK(VidaStepper_Velocities(stepper, rates, &error), &error);
    EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(stepper), q), 1e-13, "node %d", k);
    EXPECT_BELOW(largest_difference(2, rates, v), 1e-12, "velocities at node %d", k);
  }
  REQUIRE_OK(VidaStepper_StartWithStep(stepper, 1.0, 0.005, q, v, &error), &error);
  for (int left = 0; left < 60; left += 3) { /* also within the stages of the first steps */
    int count = left;
    REQUIRE_OK(VidaStepper_SetInterrupt(stepper, interrupt_once, &count, &error), &error);
    const int code = VidaStepper_Step(stepper, &error);
    EXPECT(code == VIDA_SUCCESS || code == VIDA_STOPPED, "%s", error.message);
    REQUIRE_OK(VidaStepper_SetInterrupt(stepper, NULL, NULL, &error), &error);
    step_many(stepper, code ? 1 : 0);
  }
  exact_pendulum(0.1 + 0.005 * 20, q, v);
  EXPECT_BELOW(largest_difference(2, VidaStepper_Positions(stepper), q), 1e-12, "second start");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuses(VidaSystem* system, double order, int code, const char* text) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method("symmetric-multistep", 0.01, NULL);
  REQUIRE_OK(VidaOptions_SetReal(options, "order", order, &error), &error);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, code, text);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static VidaSystem* make_declared_jump(void) {
  const Model model = model_oscillator(1.0, 16.0, 1.0, 0.0);
  VidaError error = {0};
  VidaSystem* system = model_open_system(&model);
  REQUIRE_OK(VidaSystem_AddJumpTime(system, 0.5, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_refusals(void) {
  refuses(make_pendulum(), 5.0, VIDA_BAD_ARGUMENT, "order: expected 4, 6 or 8, got 5");
  refuses(make_polar(), 8.0, VIDA_NOT_SUPPORTED, "accepts only a constant mass matrix");
  refuses(make_top_with(0.0), 8.0, VIDA_NOT_SUPPORTED, "needs a regular mass matrix");
  refuses(make_dragged(), 8.0, VIDA_NOT_SUPPORTED,
          "velocity-dependent potential or force acts on 'x'");
  refuses(make_declared_jump(), 8.0, VIDA_NOT_SUPPORTED, "declared jump in time");
}

int main(void) {
  static const CheckTest tests[] = {{"coefficients", test_coefficients},
                                    {"constrained motion", test_constrained},
                                    {"free motion", test_free},
                                    {"energy over long runs", test_energy},
                                    {"round-off", test_round_off},
                                    {"unstable steps", test_unstable},
                                    {"parasitic energy", test_parasitic_energy},
                                    {"no drift", test_no_drift},
                                    {"starts", test_starts},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("symmetric multistep methods", tests);
}
