/* The energy-momentum family: discrete derivatives of three kinds, coupled masses, dampers, hidden
 * constraints, rigid bodies as directors.
 *
 * Long runs take 10^5 steps, or as many as VIDA_TEST_STEPS says (1000000). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/motion.h"

/* ---- expressions ----------------------------------------------------------------------------- */

static VidaSystem* make_system(const char* name, int dimension, int count, const double* q,
                               const double* v) {
  static const char* const names[12] = {"q1", "q2", "q3", "q4",  "q5",  "q6",
                                        "q7", "q8", "q9", "q10", "q11", "q12"};
  VidaError error = {0};
  VidaSystem* s = NULL;
  REQUIRE_OK(VidaSystem_Create(name, dimension, &s, &error), &error);
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(s, names[i], "m", VidaInitial_Given(q[i]),
                                        VidaInitial_Given(v[i]), NULL, &error),
               &error);
  }
  return s;
}

static void add_lagrangian(VidaSystem* s, const char* name, VidaExpression l) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(s, name, l, &error), &error);
}

static void complete(VidaSystem* s) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
}

/* ---- running --------------------------------------------------------------------------------- */

enum { MOST = 12 };

static VidaStepper* start(const VidaSystem* s, const char* method, double h,
                          const char* const* settings) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  double q[MOST], v[MOST];
  VidaOptions* options = motion_method(method, h, settings);
  REQUIRE_OK(VidaSystem_Start(s, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

static void make_steps(VidaStepper* stepper, long count) {
  VidaError error = {0};
  int code = VIDA_SUCCESS;
  for (long k = 0; k < count && !code; k++) {
    code = VidaStepper_Step(stepper, &error);
  }
  REQUIRE_OK(code, &error);
}

static double energy_of(VidaStepper* stepper) {
  VidaError error = {0};
  double energy = NAN;
  REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
  return energy;
}

static void velocities_of(VidaStepper* stepper, double* v) {
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
}

static void expect_refusal(const VidaSystem* s, const char* method, const char* text) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaOptions* options = motion_method(method, 0.01, NULL);
  EXPECT_ERROR(VidaStepper_Create(s, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED, text);
  VidaOptions_Destroy(&options);
  VidaStepper_Destroy(&stepper);
}

/* Slope of log(error) over log(h) between the first and the last of `levels` halvings. */
enum { LEVELS = 5 };
static double slope_of(const double* error) {
  return log2(error[0] / error[LEVELS - 1]) / (LEVELS - 1);
}

static const char* const family[] = {"energy-momentum", "energy-momentum-projected",
                                     "energy-momentum-ggl", "average-vector-field", "itoh-abe"};
enum { FAMILY = sizeof family / sizeof family[0] };

/* ---- coupled masses -------------------------------------------------------------------------- */

/* L = x'^2 + x' y' + y'^2 - (k/2)(x^2 + y^2): M = [2 1; 1 2]. Modes x + y of mass 3 and x - y of
 * mass 1: frequencies sqrt(k/3) and sqrt(k). Written as squares of sums, or as one product with a
 * parameter-free factor; both have a constant mass matrix that is not diagonal. */
static VidaSystem* coupled_oscillators(bool expanded) {
  const double q[2] = {0.7, -0.2};
  const double v[2] = {0.1, 0.9};
  VidaSystem* s = make_system("coupled", 1, 2, q, v);
  const VidaExpression x = rate(s, 0);
  const VidaExpression y = rate(s, 1);
  const VidaExpression sum = apply(s, "+", x, y);
  const VidaExpression kinetic =
      expanded
          ? apply(s, "+", apply(s, "+", square(s, x), apply(s, "*", x, y)), square(s, y))
          : times(s, 0.5, apply(s, "+", apply(s, "+", square(s, sum), square(s, x)), square(s, y)));
  const VidaExpression potential =
      times(s, 2.0, apply(s, "+", square(s, position(s, 0)), square(s, position(s, 1))));
  add_lagrangian(s, "both", apply(s, "-", kinetic, potential));
  complete(s);
  return s;
}

static void exact_oscillators(double t, double* q) {
  const double mode[2] = {sqrt(4.0 / 3.0), 2.0};
  const double start_q[2] = {0.7 - 0.2, 0.7 + 0.2};
  const double start_v[2] = {0.1 + 0.9, 0.1 - 0.9};
  double at[2];
  for (int k = 0; k < 2; k++) {
    at[k] = start_q[k] * cos(mode[k] * t) + start_v[k] / mode[k] * sin(mode[k] * t);
  }
  q[0] = 0.5 * (at[0] + at[1]);
  q[1] = 0.5 * (at[0] - at[1]);
}

static void test_coupled_masses(void) {
  double right[2];
  exact_oscillators(3.0, right);
  for (int form = 0; form < 2; form++) {
    VidaSystem* s = coupled_oscillators(form);
    for (int m = 0; m < FAMILY; m++) {
      double error[LEVELS];
      for (int level = 0; level < LEVELS; level++) {
        const long steps = 60L << level;
        VidaStepper* stepper = start(s, family[m], 3.0 / (double)steps, NULL);
        /* T = x'^2 + x' y' + y'^2, V = 2 (x^2 + y^2), by hand at the start */
        const double before = 0.01 + 0.09 + 0.81 + 2.0 * (0.49 + 0.04);
        EXPECT_NEAR(energy_of(stepper), before, 1e-14, "%s: the energy of the start", family[m]);
        make_steps(stepper, steps);
        EXPECT_NEAR(energy_of(stepper), before, 2e-14 * before * sqrt((double)steps), "%s: energy",
                    family[m]);
        error[level] = largest_difference(2, VidaStepper_Positions(stepper), right);
        VidaStepper_Destroy(&stepper);
      }
      EXPECT_NEAR(slope_of(error), 2.0, 0.1, "%s, form %d: errors %.3g to %.3g", family[m], form,
                  error[0], error[LEVELS - 1]);
    }
    VidaSystem_Destroy(&s);
  }
}

/* Two masses on a line, as particles and in the coordinates X = x1, r = x2 - x1: the same motion,
 * since discrete derivatives follow linear changes of coordinates. A rod (r = 1.3) or a quartic
 * spring between both. */
static VidaSystem* pair_on_line(bool relative, bool rod) {
  const double q[2] = {0.2, relative ? 1.3 : 1.5};
  const double v[2] = {0.4, relative ? (rod ? 0.0 : 0.5) : (rod ? 0.4 : 0.9)};
  VidaError error = {0};
  VidaSystem* s = make_system("pair", 1, 2, q, v);
  const VidaExpression second = relative ? apply(s, "+", rate(s, 0), rate(s, 1)) : rate(s, 1);
  const VidaExpression distance =
      relative ? position(s, 1) : apply(s, "-", position(s, 1), position(s, 0));
  const VidaExpression kinetic = apply(s, "+", times(s, 0.5 * 2.0, square(s, rate(s, 0))),
                                       times(s, 0.5 * 0.7, square(s, second)));
  VidaExpression potential = times(s, 3.0, square(s, square(s, position(s, 0))));
  if (rod) {
    const VidaExpression g =
        times(s, 0.5, apply(s, "-", square(s, distance), number(s, 1.3 * 1.3)));
    REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "rod", "m", g, &error), &error);
  } else {
    const VidaExpression stretch = apply(s, "-", square(s, distance), number(s, 1.0));
    potential = apply(s, "+", potential, times(s, 5.0, square(s, stretch)));
  }
  add_lagrangian(s, "pair", apply(s, "-", kinetic, potential));
  complete(s);
  return s;
}

static void test_linear_change(void) {
  static const char* const methods[] = {"energy-momentum", "energy-momentum-projected",
                                        "energy-momentum-ggl", "average-vector-field"};
  for (int rod = 0; rod < 2; rod++) {
    VidaSystem* apart = pair_on_line(false, rod);
    VidaSystem* relative = pair_on_line(true, rod);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
      double v[2][2];
      VidaStepper* one = start(apart, methods[m], 0.02, NULL);
      VidaStepper* other = start(relative, methods[m], 0.02, NULL);
      make_steps(one, 500);
      make_steps(other, 500);
      const double* x = VidaStepper_Positions(one);
      const double* r = VidaStepper_Positions(other);
      velocities_of(one, v[0]);
      velocities_of(other, v[1]);
      EXPECT_NEAR(r[0], x[0], 1e-11, "%s, rod %d: X", methods[m], rod);
      EXPECT_NEAR(r[0] + r[1], x[1], 1e-11, "%s, rod %d: X + r", methods[m], rod);
      EXPECT_NEAR(v[1][0] + v[1][1], v[0][1], 1e-10, "%s, rod %d: its rate", methods[m], rod);
      EXPECT_NEAR(energy_of(other), energy_of(one), 1e-12, "%s, rod %d: energy", methods[m], rod);
      if (rod) {
        EXPECT_NEAR(VidaStepper_Multipliers(other, NULL)[0], VidaStepper_Multipliers(one, NULL)[0],
                    1e-9, "%s: the rod's force", methods[m]);
      }
      VidaStepper_Destroy(&one);
      VidaStepper_Destroy(&other);
    }
    VidaSystem_Destroy(&apart);
    VidaSystem_Destroy(&relative);
  }
}

/* T = x'^2 + 2 x' y' + y'^2 has no inverse: refused when the run begins, with a reason. */
static void test_singular_mass(void) {
  const double none[2] = {0.1, 0.2};
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  VidaSystem* s = make_system("singular", 1, 2, none, none);
  const VidaExpression sum = square(s, apply(s, "+", rate(s, 0), rate(s, 1)));
  add_lagrangian(s, "sum", apply(s, "-", sum, square(s, square(s, position(s, 0)))));
  complete(s);
  VidaOptions* options = motion_method("energy-momentum", 0.01, NULL);
  REQUIRE_OK(VidaStepper_Create(s, options, &stepper, &error), &error);
  EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, none, none, &error), &error, VIDA_NOT_SUPPORTED,
               "singular");
  VidaOptions_Destroy(&options);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* ---- dampers and forces ---------------------------------------------------------------------- */

/* The coupled oscillators with R = (c/2) (x' - y')^2 + (d/2) x'^2 and a drive a sin(3 t) on y, and
 * a quartic potential. */
static VidaSystem* damped(bool driven) {
  const double q[2] = {0.7, -0.2};
  const double v[2] = {0.1, 0.9};
  const int second = 1;
  VidaError error = {0};
  VidaExpression t = -1;
  VidaSystem* s = make_system("damped", 1, 2, q, v);
  const VidaExpression x = rate(s, 0);
  const VidaExpression y = rate(s, 1);
  const VidaExpression kinetic =
      apply(s, "+", apply(s, "+", square(s, x), apply(s, "*", x, y)), square(s, y));
  const VidaExpression potential =
      apply(s, "+", square(s, square(s, position(s, 0))), times(s, 2.0, square(s, position(s, 1))));
  add_lagrangian(s, "both", apply(s, "-", kinetic, potential));
  const VidaExpression loss =
      apply(s, "+", times(s, 0.15, square(s, apply(s, "-", x, y))), times(s, 0.05, square(s, x)));
  REQUIRE_OK(VidaSystem_AddExpressionRayleigh(s, "damper", loss, &error), &error);
  if (driven) {
    REQUIRE_OK(VidaSystem_Time(s, &t, &error), &error);
    const VidaExpression force = times(s, 0.8, apply(s, "sin", times(s, 3.0, t), -1));
    REQUIRE_OK(VidaSystem_AddExpressionForce(s, "drive", 1, &second, &force, &error), &error);
  }
  complete(s);
  return s;
}

/* h f . (q1 - q0)/h with f in the middle of the step, by hand. */
static double work_of_step(bool driven, double t, double h, const double* q0, const double* q1) {
  const double w[2] = {(q1[0] - q0[0]) / h, (q1[1] - q0[1]) / h};
  const double across = 0.3 * (w[0] - w[1]);
  const double drive = driven ? 0.8 * sin(3.0 * (t + 0.5 * h)) : 0.0;
  return h * ((-across - 0.1 * w[0]) * w[0] + (across + drive) * w[1]);
}

static void test_work(void) {
  const double h = 0.05;
  for (int driven = 0; driven < 2; driven++) {
    VidaSystem* s = damped(driven);
    for (int m = 0; m < FAMILY; m++) {
      VidaStepper* stepper = start(s, family[m], h, NULL);
      double before = energy_of(stepper);
      const double first = before;
      double total = 0.0;
      for (int k = 0; k < 400; k++) {
        double q0[2];
        memcpy(q0, VidaStepper_Positions(stepper), sizeof q0);
        make_steps(stepper, 1);
        const double after = energy_of(stepper);
        const double work = work_of_step(driven, k * h, h, q0, VidaStepper_Positions(stepper));
        EXPECT_NEAR(after - before, work, 1e-14 * first, "%s: the work of step %d", family[m], k);
        EXPECT(driven || after <= before, "%s: energy rises by %g", family[m], after - before);
        total += work;
        before = after;
      }
      EXPECT_NEAR(before - first, total, 1e-13 * first, "%s: all work", family[m]);
      EXPECT(driven || before < 0.2 * first, "%s: %g of %g is left", family[m], before, first);
      VidaStepper_Destroy(&stepper);
    }
    VidaSystem_Destroy(&s);
  }
}

/* x'' + 2 d x' + x = 0 in closed form, to which the damped scheme converges with order 2. */
static void test_damped_order(void) {
  const double d = 0.2;
  const double omega = sqrt(1.0 - d * d);
  const double q = 1.0;
  const double v = 0.0;
  VidaError error = {0};
  VidaSystem* s = make_system("damped oscillator", 1, 1, &q, &v);
  add_lagrangian(s, "oscillator",
                 times(s, 0.5, apply(s, "-", square(s, rate(s, 0)), square(s, position(s, 0)))));
  REQUIRE_OK(
      VidaSystem_AddExpressionRayleigh(s, "damper", times(s, d, square(s, rate(s, 0))), &error),
      &error);
  complete(s);
  for (int m = 0; m <= FAMILY; m++) {
    const char* method = m < FAMILY ? family[m] : "chorin";
    double left[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
      const long steps = 40L << level;
      VidaStepper* stepper = start(s, method, 4.0 / (double)steps, NULL);
      make_steps(stepper, steps);
      const double right = exp(-d * 4.0) * (cos(omega * 4.0) + d / omega * sin(omega * 4.0));
      left[level] = fabs(VidaStepper_Positions(stepper)[0] - right);
      VidaStepper_Destroy(&stepper);
    }
    EXPECT_NEAR(slope_of(left), 2.0, 0.1, "%s: errors %.3g to %.3g", method, left[0],
                left[LEVELS - 1]);
  }
  VidaSystem_Destroy(&s);
}

/* ---- each discrete derivative ---------------------------------------------------------------- */

/* T = (x'^2 + 2 y'^2)/2, V = x^4/4 + x^2 y + x^2 y^2 + cosh(y), or y^4 for the cosh. */
static double potential_of(double x, double y) {
  return 0.25 * x * x * x * x + x * x * y + x * x * y * y + cosh(y);
}

static VidaSystem* skew(bool polynomial) {
  const double q[2] = {0.9, 0.3};
  const double v[2] = {0.2, -0.4};
  VidaSystem* s = make_system("skew", 1, 2, q, v);
  const VidaExpression x = position(s, 0);
  const VidaExpression y = position(s, 1);
  VidaExpression potential = times(s, 0.25, square(s, square(s, x)));
  potential = apply(s, "+", potential, apply(s, "*", square(s, x), y));
  potential = apply(s, "+", potential, apply(s, "*", square(s, x), square(s, y)));
  potential =
      apply(s, "+", potential, polynomial ? square(s, square(s, y)) : apply(s, "cosh", y, -1));
  const VidaExpression kinetic =
      apply(s, "+", times(s, 0.5, square(s, rate(s, 0))), square(s, rate(s, 1)));
  add_lagrangian(s, "skew", apply(s, "-", kinetic, potential));
  complete(s);
  return s;
}

/* Itoh and Abe's quotients, written out: p1 - p0 = -h (V(.., b_i, ..) - V(.., a_i, ..))/(b_i -
 * a_i).
 */
static void test_itoh_abe(void) {
  static const char* const sweeps[2][3] = {{"sweep", "ascending", NULL},
                                           {"sweep", "symmetric", NULL}};
  VidaSystem* s = skew(false);
  const double h = 0.1;
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    VidaStepper* stepper = start(s, "itoh-abe", h, sweeps[symmetric]);
    const double energy = energy_of(stepper);
    for (int k = 0; k < 200; k++) {
      double a[2], p0[2];
      memcpy(a, VidaStepper_Positions(stepper), sizeof a);
      memcpy(p0, VidaStepper_Momenta(stepper), sizeof p0);
      make_steps(stepper, 1);
      const double* b = VidaStepper_Positions(stepper);
      const double* p1 = VidaStepper_Momenta(stepper);
      double force[2] = {potential_of(b[0], a[1]) - potential_of(a[0], a[1]),
                         potential_of(b[0], b[1]) - potential_of(b[0], a[1])};
      if (symmetric) {
        force[0] = 0.5 * (force[0] + potential_of(b[0], b[1]) - potential_of(a[0], b[1]));
        force[1] = 0.5 * (force[1] + potential_of(a[0], b[1]) - potential_of(a[0], a[1]));
      }
      for (int i = 0; i < 2; i++) {
        EXPECT_NEAR((p1[i] - p0[i]) * (b[i] - a[i]), -h * force[i], 1e-14, "step %d, %d", k, i);
        EXPECT_NEAR((b[i] - a[i]) * (i ? 2.0 : 1.0), 0.5 * h * (p0[i] + p1[i]), 1e-14, "step %d",
                    k);
      }
      EXPECT_NEAR(energy_of(stepper), energy, 1e-13, "energy of step %d", k);
    }
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&s);
}

/* Positions at t = 1 by `method`, against the same with steps 64 times as small by energy-momentum
 * (whose order test_methods.c measures against references of its own). */
static double measured_order(const VidaSystem* s, const char* method, const char* const* settings) {
  double error[LEVELS];
  VidaStepper* fine = start(s, "energy-momentum", 1.0 / 40960.0, NULL);
  make_steps(fine, 40960);
  for (int level = 0; level < LEVELS; level++) {
    const long steps = 20L << level;
    VidaStepper* stepper = start(s, method, 1.0 / (double)steps, settings);
    make_steps(stepper, steps);
    error[level] =
        largest_difference(2, VidaStepper_Positions(stepper), VidaStepper_Positions(fine));
    VidaStepper_Destroy(&stepper);
  }
  VidaStepper_Destroy(&fine);
  return slope_of(error);
}

static void test_orders(void) {
  static const char* const ascending[] = {"sweep", "ascending", NULL};
  VidaSystem* s = skew(false);
  EXPECT_NEAR(measured_order(s, "itoh-abe", NULL), 2.0, 0.1, "symmetric");
  EXPECT_NEAR(measured_order(s, "itoh-abe", ascending), 1.0, 0.1, "ascending");
  EXPECT_NEAR(measured_order(s, "average-vector-field", NULL), 2.0, 0.1, "average");
  VidaSystem_Destroy(&s);
}

/* Gauss's rule with k points is exact for gradients of degree 2 k - 1: quartics need 2. Of a
 * potential that is no polynomial the energy is off by O(h^(2 k)) over a fixed time. */
static void test_average(void) {
  static const char* const points[3][3] = {
      {"points", "1", NULL}, {"points", "2", NULL}, {"points", "3", NULL}};
  VidaSystem* s = skew(true);
  for (int k = 0; k < 3; k++) {
    VidaStepper* stepper = start(s, "average-vector-field", 0.1, points[k]);
    const double before = energy_of(stepper);
    double off = 0.0;
    for (int i = 0; i < 100; i++) {
      make_steps(stepper, 1);
      off = fmax(off, fabs(energy_of(stepper) - before));
    }
    EXPECT(k == 0 ? off > 1e-5 : off < 1e-14 * 100, "%d points: energy is off by %g", k + 1, off);
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&s);
  s = skew(false);
  for (int k = 1; k < 3; k++) {
    double off[3];
    for (int level = 0; level < 3; level++) {
      const long steps = (k == 1 ? 8L : 2L) << level;
      VidaStepper* stepper = start(s, "average-vector-field", 1.0 / (double)steps, points[k]);
      const double before = energy_of(stepper);
      make_steps(stepper, steps);
      off[level] = fabs(energy_of(stepper) - before);
      VidaStepper_Destroy(&stepper);
    }
    const double slope = 0.5 * log2(off[0] / off[2]);
    EXPECT(slope > 2.0 * (k + 1) - 0.3, "%d points: energy of order %.3f, %.3g to %.3g", k + 1,
           slope, off[0], off[2]);
  }
  VidaSystem_Destroy(&s);
}

/* Eq. 20-23 of Marsden and Wendlandt 1997 by hand, whatever the constants are. */
static void test_chorin(void) {
  static const char* const settings[] = {"several", "true", "beta", "0.7", "gamma", "0.2", NULL};
  static const char* const idle[] = {"several", "true", "beta",  "0.7", "gamma", "0.2",
                                     "alpha",   "0.9",  "delta", "0",   NULL};
  VidaSystem* s = skew(true);
  const double h = 0.02;
  const double mass[2] = {1.0, 2.0};
  VidaStepper* stepper = start(s, "chorin", h, settings);
  VidaStepper* same = start(s, "chorin", h, idle);
  const double energy = energy_of(stepper);
  for (int k = 0; k < 10; k++) {
    double q0[2], p0[2], lambda[2];
    memcpy(q0, VidaStepper_Positions(stepper), sizeof q0);
    memcpy(p0, VidaStepper_Momenta(stepper), sizeof p0);
    make_steps(stepper, 1);
    make_steps(same, 1);
    const double* q1 = VidaStepper_Positions(stepper);
    const double* p1 = VidaStepper_Momenta(stepper);
    const double x = 0.2 * q1[0] + 0.8 * q0[0];
    const double y = 0.2 * q1[1] + 0.8 * q0[1];
    const double mu[2] = {x * x * x + 2.0 * x * y + 2.0 * x * y * y,
                          x * x + 2.0 * x * x * y + 4.0 * y * y * y};
    double kinetic = 0.0;
    double along_p = 0.0;
    double along_q = 0.0;
    for (int i = 0; i < 2; i++) {
      lambda[i] = (0.7 * p1[i] + 0.3 * p0[i]) / mass[i];
      kinetic += 0.5 * (p1[i] * p1[i] - p0[i] * p0[i]) / mass[i];
      along_p += lambda[i] * (p1[i] - p0[i]);
      along_q += mu[i] * (q1[i] - q0[i]);
    }
    const double potential = potential_of(q1[0], q1[1]) - cosh(q1[1]) + pow(q1[1], 4.0) -
                             potential_of(q0[0], q0[1]) + cosh(q0[1]) - pow(q0[1], 4.0);
    for (int i = 0; i < 2; i++) {
      EXPECT_NEAR(q1[i] - q0[i], h * kinetic / along_p * lambda[i], 1e-13, "eq. 20, step %d", k);
      EXPECT_NEAR(p1[i] - p0[i], -h * potential / along_q * mu[i], 1e-13, "eq. 21, step %d", k);
    }
    EXPECT_NEAR(energy_of(stepper), energy, 1e-13, "energy, step %d", k);
  }
  EXPECT(!memcmp(VidaStepper_Positions(stepper), VidaStepper_Positions(same), 2 * sizeof(double)),
         "alpha or delta makes a difference");
  VidaStepper_Destroy(&stepper);
  VidaStepper_Destroy(&same);
  expect_refusal(s, "chorin", "set the option 'several'");
  VidaSystem_Destroy(&s);
  const Model pendulum = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  s = model_system(&pendulum);
  expect_refusal(s, "chorin", "accepts only systems without constraints, not 'rod'");
  VidaSystem_Destroy(&s);
}

/* With one coordinate the constants drop out, and the scheme is that of Itoh and Abe. */
static void test_chorin_alone(void) {
  static const char* const settings[] = {"beta", "0.9", "gamma", "0.1", NULL};
  const double q = 2.5;
  const double v = 0.3;
  VidaSystem* s = make_system("plane pendulum", 1, 1, &q, &v);
  add_lagrangian(
      s, "pendulum",
      apply(s, "+", times(s, 0.5, square(s, rate(s, 0))), apply(s, "cos", position(s, 0), -1)));
  complete(s);
  VidaStepper* one = start(s, "chorin", 0.1, settings);
  VidaStepper* other = start(s, "itoh-abe", 0.1, NULL);
  const double energy = energy_of(one);
  for (int k = 0; k < 1000; k++) {
    make_steps(one, 1);
    make_steps(other, 1);
    EXPECT_NEAR(energy_of(one), energy, 1e-13, "energy, step %d", k);
  }
  EXPECT_NEAR(VidaStepper_Positions(one)[0], VidaStepper_Positions(other)[0], 1e-10, "angle");
  VidaStepper_Destroy(&one);
  VidaStepper_Destroy(&other);
  VidaSystem_Destroy(&s);
}

/* ---- hidden constraints ---------------------------------------------------------------------- */

/* Gonzalez 1999, figure 3: eq. 21 leaves G v oscillating about zero; the projected method keeps it
 * at rounding, with the same invariants. Positions of both come together as h falls. */
static void watch_hidden(const char* method) {
  const Model model = model_four_particles();
  double apart[LEVELS];
  double hidden[LEVELS];
  for (int level = 0; level < LEVELS; level++) {
    const long steps = 100L << level;
    const double h = 1.0 / (double)steps;
    Motion plain = motion_start(&model, "energy-momentum", h, "auto");
    Motion projected = motion_start(&model, method, h, "auto");
    hidden[level] = 0.0;
    for (long k = 0; k < steps; k++) {
      motion_steps(&plain, 1);
      motion_steps(&projected, 1);
      const State state = motion_state(&projected);
      hidden[level] = fmax(hidden[level], motion_state(&plain).constraint_velocity);
      EXPECT_BELOW(state.constraint_velocity, 1e-14, "G v");
      EXPECT_BELOW(model_stretch(&model, state.q), 1e-14, "lengths");
      EXPECT_BELOW(model_stretch_rate(&model, state.q, state.v), 1e-14, "rates of lengths");
    }
    const State one = motion_state(&plain);
    const State other = motion_state(&projected);
    apart[level] = largest_difference(12, one.q, other.q);
    motion_end(&plain);
    motion_end(&projected);
  }
  EXPECT(hidden[0] > 1e-6, "eq. 21 keeps G v below %g", hidden[0]);
  EXPECT_NEAR(slope_of(hidden), 2.0, 0.2, "G v of eq. 21, %.3g to %.3g", hidden[0],
              hidden[LEVELS - 1]);
  EXPECT(apart[0] < hidden[0] && apart[0] > 1e2 * apart[2],
         "positions of both are %.3g, %.3g apart", apart[0], apart[2]);
}

static void test_projected(void) {
  watch_hidden("energy-momentum-projected");
  watch_hidden("energy-momentum-ggl");
}

/* A constraint that is not quadratic: named in the refusal; energy-momentum and energy-momentum-ggl
 * take it. */
static void test_projected_refusal(void) {
  const double q[2] = {0.6, 0.8};
  const double v[2] = {0.0, 0.0};
  VidaError error = {0};
  VidaSystem* s = make_system("root", 1, 2, q, v);
  const VidaExpression length =
      apply(s, "sqrt", apply(s, "+", square(s, position(s, 0)), square(s, position(s, 1))), -1);
  add_lagrangian(s, "free", apply(s, "+", square(s, rate(s, 0)), square(s, rate(s, 1))));
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "length", "m",
                                                apply(s, "-", length, number(s, 1.0)), &error),
             &error);
  complete(s);
  expect_refusal(s, "energy-momentum-projected", "'length'");
  VidaStepper* stepper = start(s, "energy-momentum", 0.01, NULL);
  make_steps(stepper, 10);
  VidaStepper_Destroy(&stepper);
  stepper = start(s, "energy-momentum-ggl", 0.01, NULL);
  make_steps(stepper, 10);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* ---- long runs ------------------------------------------------------------------------------- */

static long long_steps(void) {
  const char* text = getenv("VIDA_TEST_STEPS");
  const long asked = text ? atol(text) : 0;
  return asked > 0 ? asked : CHECK_SANITIZED ? 2000 : 100000;
}

/* A rigid body as three directors and its centre: T = m |x'|^2/2 + sum E_i |d_i'|^2/2 with
 * d_i . d_j = delta_ij, inertia I_1 = E_2 + E_3 and so on. It turns with (0.6, 1.1, 0.4) rad/s in
 * the body and flies with (0.3, -0.2, 0.1). */
static const double body_mass = 1.7;
static const double body_euler[3] = {2.0, 1.0, 0.5};
static const double body_turn[3] = {0.6, 1.1, 0.4};
static const double body_flight[3] = {0.3, -0.2, 0.1};

static VidaExpression dot3(VidaSystem* s, int a, int b) {
  VidaExpression sum = apply(s, "*", position(s, a), position(s, b));
  for (int k = 1; k < 3; k++) {
    sum = apply(s, "+", sum, apply(s, "*", position(s, a + k), position(s, b + k)));
  }
  return sum;
}

static VidaSystem* director_body(void) {
  static const char* const names[3][3] = {
      {"d1.d1", "d1.d2", "d1.d3"}, {"", "d2.d2", "d2.d3"}, {"", "", "d3.d3"}};
  double q[12] = {0.4, 0.5, -0.3};
  double v[12];
  VidaError error = {0};
  for (int k = 0; k < 3; k++) {
    /* d_k' = omega x d_k, d_k = e_k at the start */
    double* d = v + 3 + 3 * k;
    memset(d, 0, 3 * sizeof *d);
    q[3 + 3 * k + k] = 1.0;
    d[(k + 1) % 3] = body_turn[(k + 2) % 3];
    d[(k + 2) % 3] = -body_turn[(k + 1) % 3];
    v[k] = body_flight[k];
  }
  VidaSystem* s = make_system("body", 3, 12, q, v);
  VidaExpression kinetic = number(s, 0.0);
  for (int i = 0; i < 12; i++) {
    const double mass = i < 3 ? body_mass : body_euler[i / 3 - 1];
    kinetic = apply(s, "+", kinetic, times(s, 0.5 * mass, square(s, rate(s, i))));
  }
  add_lagrangian(s, "body", kinetic);
  for (int a = 0; a < 3; a++) {
    for (int b = a; b < 3; b++) {
      const VidaExpression product = dot3(s, 3 + 3 * a, 3 + 3 * b);
      const VidaExpression g =
          a == b ? times(s, 0.5, apply(s, "-", product, number(s, 1.0))) : product;
      REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, names[a][b], "", g, &error), &error);
    }
  }
  for (int k = 0; k < 4; k++) {
    const int list[3] = {3 * k, 3 * k + 1, 3 * k + 2};
    REQUIRE_OK(VidaSystem_AddMotion(s, k ? VIDA_MOTION_DIRECTION : VIDA_MOTION_POINT, list, &error),
               &error);
  }
  complete(s);
  return s;
}

static void test_director_momenta(void) {
  VidaSystem* s = director_body();
  VidaStepper* stepper = start(s, "energy-momentum", 0.01, NULL);
  double maps[6];
  EXPECT(VidaSystem_MomentumCount(s) == 6, "%d maps", VidaSystem_MomentumCount(s));
  VidaSystem_Momentum(s, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper), maps);
  /* L = m v; J = x x m v + I omega with I = tr E - E */
  const double x[3] = {0.4, 0.5, -0.3};
  double energy = 0.0;
  for (int k = 0; k < 3; k++) {
    const int a = (k + 1) % 3;
    const int b = (k + 2) % 3;
    const double inertia = body_euler[a] + body_euler[b];
    const double orbital = body_mass * (x[a] * body_flight[b] - x[b] * body_flight[a]);
    EXPECT_NEAR(maps[k], body_mass * body_flight[k], 1e-15, "L %d", k);
    EXPECT_NEAR(maps[3 + k], orbital + inertia * body_turn[k], 1e-14, "J %d", k);
    energy += 0.5 * body_mass * body_flight[k] * body_flight[k] +
              0.5 * inertia * body_turn[k] * body_turn[k];
  }
  EXPECT_NEAR(energy_of(stepper), energy, 1e-14, "energy");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&s);
}

/* Largest deviations: of H relative to it, of L relative to the sum of |p| at the start, of J
 * relative to the sum of |x| |p|: at the start, or, for what flies away from the origin that J is
 * about, at the time, since positions have no more digits than that. */
static void watch_long(VidaSystem* s, const char* method, double h, const double* scale,
                       bool flies) {
  VidaStepper* stepper = start(s, method, h, NULL);
  const long steps = long_steps();
  double first[6], now[6];
  double off[3] = {0.0, 0.0, 0.0};
  const double energy = energy_of(stepper);
  VidaSystem_Momentum(s, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper), first);
  for (long k = 0; k < steps; k += 20) {
    make_steps(stepper, 20);
    VidaSystem_Momentum(s, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper), now);
    off[0] = fmax(off[0], fabs(energy_of(stepper) - energy) / energy);
    double angular = scale[1];
    for (int i = 0; i < VidaSystem_CoordinateCount(s) && flies; i++) {
      angular = fmax(angular, scale[0] * fabs(VidaStepper_Positions(stepper)[i]));
    }
    for (int i = 0; i < 6; i++) {
      const double change = fabs(now[i] - first[i]) / (i < 3 ? scale[0] : angular);
      off[1 + i / 3] = fmax(off[1 + i / 3], isfinite(change) ? change : INFINITY);
    }
  }
  EXPECT_BELOW(off[0], 1e-12, "%s, %ld steps: energy", method, steps);
  EXPECT_BELOW(off[1], 1e-12, "%s, %ld steps: linear momentum", method, steps);
  EXPECT_BELOW(off[2], 1e-12, "%s, %ld steps: angular momentum", method, steps);
  printf("\n    %s on %s, %ld steps: H %.2g, L %.2g, J %.2g ", method, VidaSystem_Name(s), steps,
         off[0], off[1], off[2]);
  VidaStepper_Destroy(&stepper);
}

/* As in the paper, where all of it flies with 0.25 m/s along z, and with the centre of mass at
 * rest. */
static void test_long_four_particles(void) {
  Model model = model_four_particles();
  for (int rests = 0; rests < 2; rests++) {
    double scale[2] = {2.0, 2.0 * sqrt(2.0)}; /* p4 = 2 at (1, 1, 0) */
    if (rests) {
      for (int i = 0; i < 4; i++) {
        const double v = (i == 3 ? 2.0 / 1.7 : 0.0) - 2.0 / 8.0;
        model.particle[i].velocity[2] = VidaInitial_Given(v);
      }
      scale[0] = 2.0 * (2.0 - 1.7 / 4.0);
      scale[1] = 3.0 / 4.0 + 2.3 / 4.0 + (2.0 - 1.7 / 4.0) * sqrt(2.0);
    }
    VidaSystem* s = model_system(&model);
    watch_long(s, "energy-momentum", 0.01, scale, !rests);
    watch_long(s, "energy-momentum-projected", 0.01, scale, !rests);
    watch_long(s, "energy-momentum-ggl", 0.01, scale, !rests);
    VidaSystem_Destroy(&s);
  }
}

static void test_long_directors(void) {
  VidaSystem* s = director_body();
  const double scale[2] = {1.7 * sqrt(0.14), 1.7 * sqrt(0.14) * sqrt(0.5) + 3.0};
  watch_long(s, "energy-momentum", 0.05, scale, true);
  watch_long(s, "energy-momentum-projected", 0.05, scale, true);
  watch_long(s, "energy-momentum-ggl", 0.05, scale, true);
  VidaSystem_Destroy(&s);
}

int main(void) {
  static const CheckTest tests[] = {{"coupled masses", test_coupled_masses},
                                    {"linear change of coordinates", test_linear_change},
                                    {"singular mass", test_singular_mass},
                                    {"work of dampers and forces", test_work},
                                    {"damped order", test_damped_order},
                                    {"Itoh and Abe", test_itoh_abe},
                                    {"orders", test_orders},
                                    {"average vector field", test_average},
                                    {"Chorin", test_chorin},
                                    {"Chorin with one coordinate", test_chorin_alone},
                                    {"hidden constraints", test_projected},
                                    {"refusal of roots", test_projected_refusal},
                                    {"momenta of directors", test_director_momenta},
                                    {"four particles for long", test_long_four_particles},
                                    {"directors for long", test_long_directors},
                                    {NULL, NULL}};
  return check_main("energy-momentum family", tests);
}
