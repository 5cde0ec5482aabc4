/* lgvi: rigid bodies as unit quaternions without multipliers, against closed forms, against the
 * variational midpoint rule with the quaternion's Lagrangian, and what it must refuse. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/motion.h"

/* ---- quaternions, by their definition -------------------------------------------------------- */

static void multiply(const double a[4], const double b[4], double c[4]) {
  const double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                             a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                             a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                             a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(c, product, sizeof product);
}

static void conjugate(const double a[4], double c[4]) {
  c[0] = a[0];
  for (int i = 1; i < 4; i++) {
    c[i] = -a[i];
  }
}

/* the vector part of 2 conj(q) v */
static void rates_of(const double q[4], const double v[4], double rates[3]) {
  double back[4], product[4];
  conjugate(q, back);
  multiply(back, v, product);
  for (int i = 0; i < 3; i++) {
    rates[i] = 2.0 * product[1 + i];
  }
}

/* q x conj(q) */
static void rotate(const double q[4], const double x[3], double y[3]) {
  const double as_quaternion[4] = {0.0, x[0], x[1], x[2]};
  double back[4], turned[4];
  conjugate(q, back);
  multiply(q, as_quaternion, turned);
  multiply(turned, back, turned);
  memcpy(y, turned + 1, 3 * sizeof *y);
}

/* ---- the systems ----------------------------------------------------------------------------- */

/* A body with a fixed point, of moments J about axes of its own, and V = weight R33 with its centre
 * on the third of them; what makes it no rigid body, if anything. */
typedef struct Body {
  double inertia[3];
  double rates[3]; /* at the start, where q = tilt about x */
  double weight, tilt;
  double radial;   /* kinetic energy along q, which no motion has */
  double warp;     /* another inertia elsewhere */
  double magnet;   /* L has a term linear in v */
  bool second_row; /* a joint */
  double stretch;  /* how much longer than 1 the quaternion of the system's start is */
} Body;

static int value(double t, const double* q, const double* v, double* l, void* data) {
  const Body* body = data;
  double w[3];
  (void)t;
  rates_of(q, v, w);
  *l = -body->weight * (1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]));
  for (int i = 0; i < 3; i++) {
    *l += 0.5 * body->inertia[i] * (1.0 + body->warp * q[1] * q[1]) * w[i] * w[i];
  }
  const double along = q[0] * v[0] + q[1] * v[1] + q[2] * v[2] + q[3] * v[3];
  *l += 0.5 * body->radial * along * along + body->magnet * q[1] * v[2];
  return 0;
}

/* L_v = q (0, 2 J w), L_q = -v (0, 2 J w): w is linear in both */
static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  const Body* body = data;
  const double scale = 1.0 + body->warp * q[1] * q[1];
  double w[3], moment[4] = {0.0};
  double energy = 0.0;
  (void)t;
  rates_of(q, v, w);
  for (int i = 0; i < 3; i++) {
    moment[1 + i] = 2.0 * body->inertia[i] * scale * w[i];
    energy += 0.5 * body->inertia[i] * w[i] * w[i];
  }
  multiply(q, moment, l_v);
  multiply(v, moment, l_q);
  const double along = q[0] * v[0] + q[1] * v[1] + q[2] * v[2] + q[3] * v[3];
  for (int i = 0; i < 4; i++) {
    l_q[i] = -l_q[i] + body->radial * along * v[i];
    l_v[i] += body->radial * along * q[i];
  }
  l_q[1] += 4.0 * body->weight * q[1] + 2.0 * body->warp * q[1] * energy + body->magnet * v[2];
  l_q[2] += 4.0 * body->weight * q[2];
  l_v[2] += body->magnet * q[1];
  return 0;
}

static int norm_value(double t, const double* q, double* g, void* data) {
  (void)t;
  (void)data;
  *g = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
  return 0;
}

static int norm_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t;
  (void)data;
  for (int i = 0; i < 4; i++) {
    jacobian[i] = 2.0 * q[i];
  }
  return 0;
}

/* A hinge: the body turns about its third axis only */
static int hinge_value(double t, const double* q, double* g, void* data) {
  (void)t;
  (void)data;
  *g = q[1];
  return 0;
}

static int hinge_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t;
  (void)q;
  (void)data;
  jacobian[0] = 1.0;
  return 0;
}

static void start_values(const Body* body, double q[4], double v[4]) {
  const double rates[4] = {0.0, 0.5 * body->rates[0], 0.5 * body->rates[1], 0.5 * body->rates[2]};
  q[0] = cos(0.5 * body->tilt);
  q[1] = sin(0.5 * body->tilt);
  q[2] = q[3] = 0.0;
  multiply(q, rates, v);
}

static VidaSystem* make_system(Body* body) {
  static const char* const names[4] = {"q.s", "q.x", "q.y", "q.z"};
  static const int all[4] = {0, 1, 2, 3};
  const VidaLagrangian lagrangian = {value, gradient, NULL};
  const VidaConstraint norm = {norm_value, norm_jacobian, NULL, NULL};
  const VidaConstraint hinge = {hinge_value, hinge_jacobian, NULL, NULL};
  VidaSystem* system = NULL;
  VidaError error = {0};
  double q[4], v[4];
  start_values(body, q, v);
  REQUIRE_OK(VidaSystem_Create("top", 3, &system, &error), &error);
  for (int i = 0; i < 4; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(
                   system, names[i], "1", VidaInitial_Given(q[i] * (1.0 + body->stretch)),
                   VidaInitial_Given(v[i] * (1.0 + body->stretch)), NULL, &error),
               &error);
  }
  REQUIRE_OK(VidaSystem_AddMotion(system, VIDA_MOTION_QUATERNION, all, &error), &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "top", 4, all, &lagrangian, body, &error), &error);
  REQUIRE_OK(VidaSystem_AddConstraint(system, "unit", 1, 4, all, &norm, NULL, &error), &error);
  if (body->second_row) {
    REQUIRE_OK(VidaSystem_AddConstraint(system, "hinge", 1, 1, all + 1, &hinge, NULL, &error),
               &error);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void start_again(VidaStepper* stepper, const double* q, const double* v) {
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
}

static VidaStepper* make_stepper(const VidaSystem* system, const Body* body, const char* method,
                                 double h) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[4], v[4];
  VidaOptions* options = motion_method(method, h, NULL);
  start_values(body, q, v);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  start_again(stepper, q, v);
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

static void rates_at(VidaStepper* stepper, double rates[3]) {
  double v[4];
  VidaError error = {0};
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  rates_of(VidaStepper_Positions(stepper), v, rates);
}

/* The angular momentum in space */
static void spin_at(VidaStepper* stepper, const Body* body, double spin[3]) {
  double rates[3];
  rates_at(stepper, rates);
  for (int i = 0; i < 3; i++) {
    rates[i] *= body->inertia[i];
  }
  rotate(VidaStepper_Positions(stepper), rates, spin);
}

static double norm_error(const double* q) {
  double square = -1.0;
  for (int i = 0; i < 4; i++) {
    square += q[i] * q[i];
  }
  return 0.5 * fabs(square);
}

/* ---- the free body --------------------------------------------------------------------------- */

/* The tennis racket, moments 1, 2, 3, rates (0.01, 1, 0): by Jacobi's elliptic functions the middle
 * rate is -1, and the third 0 again, at t = 20.754609764669; all of the angular momentum stays. */
static void test_tennis_racket(void) {
  Body racket = {.inertia = {1.0, 2.0, 3.0}, .rates = {0.01, 1.0, 0.0}};
  VidaSystem* system = make_system(&racket);
  double off[2];
  for (int level = 0; level < 2; level++) {
    const double h = 0.01 / (1 << level);
    VidaStepper* stepper = make_stepper(system, &racket, "lgvi", h);
    double first[3], spin[3], rates[3], before = 0.0, flip = 0.0;
    spin_at(stepper, &racket, first);
    for (long i = 1; (double)i * h <= 42.0; i++) {
      make_steps(stepper, 1);
      rates_at(stepper, rates);
      spin_at(stepper, &racket, spin);
      EXPECT_BELOW(largest_difference(3, spin, first), 4e-15, "momentum in step %ld", i);
      if (flip == 0.0 && (double)i * h > 10.0 && before * rates[2] <= 0.0) {
        flip = h * ((double)i - rates[2] / (rates[2] - before));
        EXPECT_NEAR(rates[1], -1.0, 1e-4, "middle rate at the flip");
      }
      before = rates[2];
    }
    off[level] = fabs(flip - 20.754609764669);
    EXPECT_BELOW(off[level], 1e-3, "flip time %.9g with h = %g", flip, h);
    VidaStepper_Destroy(&stepper);
  }
  EXPECT_NEAR(off[0] / off[1], 4.0, 0.2, "flip times of second order: %.3g, %.3g", off[0], off[1]);
  VidaSystem_Destroy(&system);
}

/* Turning exactly about the middle axis it goes on so for ever. */
static void test_axis(void) {
  Body racket = {.inertia = {1.0, 2.0, 3.0}, .rates = {0.0, 1.0, 0.0}};
  VidaSystem* system = make_system(&racket);
  VidaStepper* stepper = make_stepper(system, &racket, "lgvi", 0.01);
  double rates[3];
  make_steps(stepper, 10000);
  rates_at(stepper, rates);
  EXPECT(rates[0] == 0.0 && rates[2] == 0.0, "rates %g, %g", rates[0], rates[2]);
  EXPECT_NEAR(rates[1], 1.0, 1e-15, "rate about the axis");
  /* by hand: about an axis h J w = J sin(angle) in each step */
  const double angle = 1e4 * asin(0.01);
  EXPECT_NEAR(fabs(VidaStepper_Positions(stepper)[0]), fabs(cos(0.5 * angle)), 1e-12, "angle");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* Moments 1, 1, 2, rates (1, 0, 5): precession about L at sqrt(101) rad/s times a turn of the body
 * by -5 rad/s; the numbers are those of this closed form. */
static void test_symmetric_body(void) {
  static const double at_1[4] = {-0.812991342557, 0.0758547256881, -0.0566651714399,
                                 0.574526061953};
  static const double at_10[4] = {0.993195049892, -0.00158827725266, 0.000212076954902,
                                  0.116451815219};
  Body body = {.inertia = {1.0, 1.0, 2.0}, .rates = {1.0, 0.0, 5.0}};
  VidaSystem* system = make_system(&body);
  double before[2] = {0.0, 0.0};
  for (int level = 0; level < 5; level++) {
    const long steps = 200L << level;
    VidaStepper* stepper = make_stepper(system, &body, "lgvi", 1.0 / (double)steps);
    for (int k = 0; k < 2; k++) {
      make_steps(stepper, k ? 9 * steps : steps);
      const double* q = VidaStepper_Positions(stepper);
      const double* right = k ? at_10 : at_1;
      double other[4];
      for (int i = 0; i < 4; i++) {
        other[i] = -q[i];
      }
      const double off = fmin(largest_difference(4, q, right), largest_difference(4, other, right));
      if (level > 0) {
        EXPECT_NEAR(log2(before[k] / off), 2.0, 0.05, "q(%d) with %ld steps: %.3g", k ? 10 : 1,
                    steps, off);
      }
      before[k] = off;
    }
    VidaStepper_Destroy(&stepper);
  }
  EXPECT_BELOW(before[0], 2e-5, "q(1)");
  VidaSystem_Destroy(&system);
}

/* Compositions of lgvi: order 8, and q(1) to all digits of the closed form. */
static void test_composed(void) {
  static const double right[4] = {-0.812991342557, 0.0758547256881, -0.0566651714399,
                                  0.574526061953};
  static const char* const settings[] = {"base", "lgvi", "scheme", "kahan-li8", NULL};
  Body body = {.inertia = {1.0, 1.0, 2.0}, .rates = {1.0, 0.0, 5.0}};
  VidaSystem* system = make_system(&body);
  VidaOptions* options = motion_method("compose", 0.005, settings);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  double q[4], v[4];
  start_values(&body, q, v);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  start_again(stepper, q, v);
  make_steps(stepper, 200);
  EXPECT_BELOW(largest_difference(4, VidaStepper_Positions(stepper), right), 1e-12, "q(1)");
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_long_run(void) {
  Body racket = {.inertia = {1.0, 2.0, 3.0}, .rates = {0.3, 1.0, -0.2}};
  const long steps = CHECK_SANITIZED ? 100000 : 1000000;
  VidaSystem* system = make_system(&racket);
  VidaStepper* stepper = make_stepper(system, &racket, "lgvi", 0.01);
  VidaError error = {0};
  double first[3], spin[3], worst = 0.0, energy, start, before[4], forward = 1.0;
  spin_at(stepper, &racket, first);
  REQUIRE_OK(VidaStepper_Energy(stepper, &start, NULL, &error), &error);
  for (long i = 0; i < steps; i++) {
    const double* q = VidaStepper_Positions(stepper);
    memcpy(before, q, sizeof before);
    make_steps(stepper, 1);
    worst = fmax(worst, norm_error(q));
    forward =
        fmin(forward, q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3]);
  }
  spin_at(stepper, &racket, spin);
  REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
  EXPECT_BELOW(worst, 4.0 * DBL_EPSILON, "norm over %ld steps", steps);
  EXPECT(forward > 0.99, "the sign of q jumps: %g", forward);
  EXPECT_BELOW(largest_difference(3, spin, first), 4e-15, "momentum after %ld steps", steps);
  EXPECT_BELOW((energy - start) / start, 1e-4, "energy after %ld steps", steps);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- the heavy top --------------------------------------------------------------------------- */

static Body heavy_top(void) {
  const Body top = {
      .inertia = {1.2, 1.2, 0.4}, .rates = {0.2, 0.3, 8.0}, .weight = 3.0, .tilt = 0.6};
  return top;
}

/* Halving the step quarters the distance to the variational midpoint rule with a fine step, whose
 * own error is some 1e-4 of that of the coarsest. */
static void test_heavy_top(void) {
  Body top = heavy_top();
  VidaSystem* system = make_system(&top);
  VidaStepper* fine = make_stepper(system, &top, "del-midpoint", 1e-4);
  double before = 0.0;
  make_steps(fine, 20000);
  for (int level = 0; level < 4; level++) {
    const long steps = 100L << level;
    VidaStepper* stepper = make_stepper(system, &top, "lgvi", 2.0 / (double)steps);
    double v[4], right[4];
    VidaError error = {0};
    make_steps(stepper, steps);
    REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
    REQUIRE_OK(VidaStepper_Velocities(fine, right, &error), &error);
    const double off =
        fmax(largest_difference(4, VidaStepper_Positions(stepper), VidaStepper_Positions(fine)),
             0.2 * largest_difference(4, v, right));
    if (level > 0) {
      EXPECT_NEAR(log2(before / off), 2.0, 0.1, "with %ld steps: %.3g", steps, off);
    }
    before = off;
    VidaStepper_Destroy(&stepper);
  }
  VidaStepper_Destroy(&fine);
  VidaSystem_Destroy(&system);
}

/* RATTLE on the sphere of quaternions has the same discrete Lagrangian but for terms that vanish on
 * it: |q1 - q0|^2 = 2 - 2 q0.q1. With potentials at both ends the steps are the same. */
static void test_rattle(void) {
  Body top = heavy_top();
  VidaSystem* system = make_system(&top);
  VidaStepper* lie = make_stepper(system, &top, "lgvi", 0.01);
  VidaStepper* rattle = make_stepper(system, &top, "rattle", 0.01);
  for (int i = 0; i < 300; i++) {
    make_steps(lie, 1);
    make_steps(rattle, 1);
    EXPECT_BELOW(largest_difference(4, VidaStepper_Positions(lie), VidaStepper_Positions(rattle)),
                 1e-11, "step %d", i);
    EXPECT_BELOW(largest_difference(4, VidaStepper_Momenta(lie), VidaStepper_Momenta(rattle)),
                 1e-10, "momenta of step %d", i);
  }
  VidaStepper_Destroy(&rattle);
  VidaStepper_Destroy(&lie);
  VidaSystem_Destroy(&system);
}

/* Momenta about the vertical and about the axis of the top, and energy without drift, 1e5 steps */
static void test_heavy_invariants(void) {
  Body top = heavy_top();
  const long steps = CHECK_SANITIZED ? 20000 : 100000;
  VidaSystem* system = make_system(&top);
  VidaStepper* stepper = make_stepper(system, &top, "lgvi", 0.01);
  VidaError error = {0};
  double spin[3], first[3], rates[3], energy, start, map[2][6];
  double worst[2] = {0.0, 0.0};
  double mean[2] = {0.0, 0.0};
  const int vertical = VidaSystem_MomentumCount(system) - 1; /* after those of translations */
  EXPECT(vertical == 3, "%d maps", vertical + 1);
  VidaSystem_Momentum(system, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper), map[0]);
  spin_at(stepper, &top, first);
  EXPECT_NEAR(map[0][vertical], first[2], 1e-14, "J about z by p and by v");
  REQUIRE_OK(VidaStepper_Energy(stepper, &start, NULL, &error), &error);
  for (long i = 0; i < steps; i++) {
    const int half = i >= steps / 2;
    make_steps(stepper, 1);
    REQUIRE_OK(VidaStepper_Energy(stepper, &energy, NULL, &error), &error);
    worst[half] = fmax(worst[half], fabs(energy - start));
    mean[half] += (energy - start) / (0.5 * (double)steps);
  }
  spin_at(stepper, &top, spin);
  rates_at(stepper, rates);
  VidaSystem_Momentum(system, VidaStepper_Positions(stepper), VidaStepper_Momenta(stepper), map[1]);
  EXPECT_BELOW(spin[2] - first[2], 1e-13, "J about z");
  EXPECT_BELOW(map[1][vertical] - map[0][vertical], 1e-13, "J about z by p");
  EXPECT_BELOW(rates[2] - 8.0, 1e-12, "rate about the axis of the top");
  EXPECT_BELOW(worst[0] / start, 1e-3, "energy");
  EXPECT(worst[1] <= 1.02 * worst[0], "energy %.3g, then %.3g", worst[0], worst[1]);
  EXPECT_BELOW(mean[1] - mean[0], 0.02 * worst[0], "drift of the energy");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

static void test_reversal(void) {
  Body top = heavy_top();
  VidaSystem* system = make_system(&top);
  VidaStepper* stepper = make_stepper(system, &top, "lgvi", 0.01);
  VidaError error = {0};
  double q[4], v[4], first[4], rates[4];
  start_values(&top, first, rates);
  for (int k = 0; k < 2; k++) {
    make_steps(stepper, 100);
    memcpy(q, VidaStepper_Positions(stepper), sizeof q);
    REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
    for (int i = 0; i < 4; i++) {
      v[i] = -v[i];
    }
    start_again(stepper, q, v);
  }
  EXPECT_BELOW(largest_difference(4, q, first), 1e-12, "q there and back");
  EXPECT_BELOW(largest_difference(4, v, rates), 1e-11, "v there and back");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- the symplectic form --------------------------------------------------------------------- */

/* (q, p) after steps from the point x = (c, rates) with q = q0 (1, c)/|(1, c)| */
static void flow(const Body* top, VidaStepper* stepper, const double x[6], long steps, double* z) {
  double q0[4], v[4], q[4], w[4], length = 1.0;
  const double turn[4] = {1.0, x[0], x[1], x[2]};
  const double half[4] = {0.0, 0.5 * (top->rates[0] + x[3]), 0.5 * (top->rates[1] + x[4]),
                          0.5 * (top->rates[2] + x[5])};
  start_values(top, q0, v);
  multiply(q0, turn, q);
  for (int i = 0; i < 3; i++) {
    length += x[i] * x[i];
  }
  for (int i = 0; i < 4; i++) {
    q[i] /= sqrt(length);
  }
  multiply(q, half, w);
  start_again(stepper, q, w);
  make_steps(stepper, steps);
  memcpy(z, VidaStepper_Positions(stepper), 4 * sizeof *z);
  memcpy(z + 4, VidaStepper_Momenta(stepper), 4 * sizeof *z);
}

/* Central differences of fourth order, as in the test of all methods */
static void test_symplectic_form(void) {
  const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
  const double delta = 1e-3;
  Body top = heavy_top();
  top.inertia[1] = 0.9; /* no symmetry helps */
  VidaSystem* system = make_system(&top);
  VidaStepper* stepper = make_stepper(system, &top, "lgvi", 0.05);
  double tangent[2][6][8], largest = 0.0, defect = 0.0;
  memset(tangent, 0, sizeof tangent);
  for (int after = 0; after < 2; after++) {
    for (int k = 0; k < 6; k++) {
      for (int i = 0; i < 4; i++) {
        double x[6] = {0.0};
        double z[8];
        x[k] = offset[i] * delta;
        flow(&top, stepper, x, after ? 3 : 0, z);
        for (int j = 0; j < 8; j++) {
          tangent[after][k][j] += weight[i] / delta * z[j];
        }
      }
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) {
      double form[2] = {0.0, 0.0};
      for (int after = 0; after < 2; after++) {
        const double* a = tangent[after][i];
        const double* b = tangent[after][j];
        for (int k = 0; k < 4; k++) {
          form[after] += a[k] * b[4 + k] - a[4 + k] * b[k];
        }
      }
      largest = fmax(largest, fabs(form[0]));
      defect = fmax(defect, fabs(form[1] - form[0]));
    }
  }
  EXPECT_BELOW(defect / largest, 1e-8, "dq ^ dp");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* ---- refusals and failures ------------------------------------------------------------------- */

static void expect_refusal(Body body, const char* text) {
  VidaSystem* system = make_system(&body);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  VidaOptions* options = motion_method("lgvi", 0.1, NULL);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               text);
  EXPECT(strstr(error.message, "these can: del-midpoint"), "%s", error.message);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_refusals(void) {
  Body body = heavy_top();
  body.warp = 0.1;
  expect_refusal(body, "does not have the kinetic energy of a rigid body");
  body = heavy_top();
  body.magnet = 0.1;
  expect_refusal(body, "velocities");
  body = heavy_top();
  body.inertia[2] = 0.0;
  body.radial = 1.0;
  expect_refusal(body, "no regular inertia tensor");
  body = heavy_top();
  body.second_row = true;
  body.rates[0] = body.rates[1] = 0.0;
  body.tilt = 0.0;
  expect_refusal(body, "'hinge'");
}

/* simo-wong, in a Lagrangian that is one callback: no discrete derivative of its potential is to be
 * had; without a potential none is needed. About an axis it turns by 2 atan(h w / 2) in each step.
 */
static void test_callbacks(void) {
  Body top = heavy_top();
  Body free_one = {.inertia = {1.0, 2.0, 3.0}, .rates = {0.0, 1.0, 0.0}};
  VidaSystem* system = make_system(&top);
  VidaSystem* other = make_system(&free_one);
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  VidaOptions* options = motion_method("simo-wong", 0.1, NULL);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               "'top' of system 'top' has a potential inside a general Lagrangian");
  VidaOptions_Destroy(&options);
  stepper = make_stepper(other, &free_one, "simo-wong", 0.1);
  make_steps(stepper, 1000);
  const double angle = 1e3 * 2.0 * atan(0.05);
  EXPECT_NEAR(VidaStepper_Positions(stepper)[0], cos(0.5 * angle), 1e-12, "angle");
  EXPECT_NEAR(VidaStepper_Positions(stepper)[2], sin(0.5 * angle), 1e-12, "angle");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&other);
  VidaSystem_Destroy(&system);
}

static void test_failures(void) {
  Body top = heavy_top();
  VidaSystem* system = make_system(&top);
  VidaStepper* stepper = make_stepper(system, &top, "lgvi", 0.5);
  VidaError error = {0};
  double q[4], v[4], before[4];
  memcpy(before, VidaStepper_Positions(stepper), sizeof before);
  EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_STEP_NOT_CONVERGED, "too large");
  EXPECT(!memcmp(before, VidaStepper_Positions(stepper), sizeof before), "the state has changed");
  double rates[3];
  rates_at(stepper, rates);
  EXPECT_BELOW(largest_difference(3, rates, top.rates), 1e-14, "the rates have changed");
  start_values(&top, q, v);
  for (int i = 0; i < 4; i++) {
    q[i] *= 1.1;
  }
  EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, q, v, &error), &error, VIDA_INCONSISTENT_START,
               "norm 1.1");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* A start that is not of norm 1, with rates of the same angular velocity 2 q' q^-1, gives the same
 * motion once the library has been asked to adjust it. */
static void test_adjusted_start(void) {
  const VidaStartOptions adjust = {.adjust = true, .tolerance = 1e-9};
  Body top = heavy_top();
  Body stretched = heavy_top();
  stretched.stretch = 0.1;
  VidaSystem* system = make_system(&top);
  VidaSystem* other = make_system(&stretched);
  VidaStepper* a = make_stepper(system, &top, "lgvi", 0.01);
  VidaStepper* b = make_stepper(other, &stretched, "lgvi", 0.01);
  VidaError error = {0};
  char notes[VIDA_NOTES_SIZE];
  double q[4], v[4];
  EXPECT_ERROR(VidaSystem_Start(other, 0.0, NULL, q, v, NULL, &error), &error,
               VIDA_INCONSISTENT_START, "unit");
  REQUIRE_OK(VidaSystem_Start(other, 0.0, &adjust, q, v, notes, &error), &error);
  EXPECT(strlen(notes) > 0, "the change is not told");
  start_again(b, q, v);
  make_steps(a, 100);
  make_steps(b, 100);
  EXPECT_BELOW(largest_difference(4, VidaStepper_Positions(a), VidaStepper_Positions(b)), 1e-9,
               "adjusted start");
  VidaStepper_Destroy(&b);
  VidaStepper_Destroy(&a);
  VidaSystem_Destroy(&other);
  VidaSystem_Destroy(&system);
}

/* What the tests of all methods ask of those that take their systems */
static void test_stepper(void) {
  Body top = heavy_top();
  VidaSystem* system = make_system(&top);
  VidaStepper* stepper = make_stepper(system, &top, "lgvi", 0.01);
  double t, q[4], start[4], v[4], errors[2];
  VidaError error = {0};
  start_values(&top, start, v);
  EXPECT(isnan(VidaStepper_Multipliers(stepper, &t)[0]), "a multiplier before the first step");
  make_steps(stepper, 50);
  EXPECT(VidaStepper_Time(stepper) == 50 * 0.01, "t = %.17g", VidaStepper_Time(stepper));
  /* the unit norm's: that of the equations of motion at the node */
  double a[4], lambda, rate[4];
  REQUIRE_OK(VidaStepper_Velocities(stepper, rate, &error), &error);
  REQUIRE_OK(VidaSystem_Accelerations(system, VidaStepper_Time(stepper),
                                      VidaStepper_Positions(stepper), rate, a, &lambda, &error),
             &error);
  EXPECT_NEAR(VidaStepper_Multipliers(stepper, &t)[0], lambda, 1e-9 * fabs(lambda), "multiplier");
  EXPECT(t == VidaStepper_Time(stepper), "at %g", t);
  const VidaStatistics statistics = VidaStepper_Statistics(stepper);
  EXPECT(statistics.newton_iterations >= 50 && statistics.newton_iterations <= 4L * 50,
         "%ld iterations", statistics.newton_iterations);
  REQUIRE_OK(VidaStepper_ConstraintErrors(stepper, &errors[0], &errors[1], &error), &error);
  EXPECT_BELOW(errors[0], 1e-15, "g");
  EXPECT_BELOW(errors[1], 1e-14, "G v");
  memcpy(q, VidaStepper_Positions(stepper), sizeof q);
  EXPECT_ERROR(VidaStepper_StartTwoPoints(stepper, 0.0, start, q, &error), &error,
               VIDA_NOT_SUPPORTED, "two points");
  start_again(stepper, start, v);
  make_steps(stepper, 50);
  EXPECT(!memcmp(q, VidaStepper_Positions(stepper), sizeof q), "another run after a restart");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&system);
}

/* Kinetic energy along q, which no motion has, changes nothing. */
static void test_radial_energy(void) {
  Body top = heavy_top();
  Body radial = heavy_top();
  radial.radial = 7.0;
  VidaSystem* system = make_system(&top);
  VidaSystem* other = make_system(&radial);
  VidaStepper* a = make_stepper(system, &top, "lgvi", 0.01);
  VidaStepper* b = make_stepper(other, &radial, "lgvi", 0.01);
  make_steps(a, 100);
  make_steps(b, 100);
  EXPECT_BELOW(largest_difference(4, VidaStepper_Positions(a), VidaStepper_Positions(b)), 1e-13,
               "radial energy");
  VidaStepper_Destroy(&b);
  VidaStepper_Destroy(&a);
  VidaSystem_Destroy(&other);
  VidaSystem_Destroy(&system);
}

/* Steps of a series are those alone, bit for bit, also in a potential. At this rate a turn goes
 * beyond a right angle while the top falls: the series ends before that step, which fails alone. */
static void test_series(void) {
  VidaError error = {0};
  Body top = heavy_top();
  top.tilt = 2.0;
  VidaSystem* system = make_system(&top);
  for (int fast = 0; fast < 2; fast++) {
    VidaStepper *together = make_stepper(system, &top, "lgvi", fast ? 0.3 : 1e-3),
                *alone = make_stepper(system, &top, "lgvi", fast ? 0.3 : 1e-3);
    long made = 0, count = 0;
    const int code = VidaStepper_Steps(together, 1000, &made, &error);
    int last = 0;
    while (count < 1000 && !last) {
      last = VidaStepper_Step(alone, &error);
      count += last ? 0 : 1;
    }
    EXPECT(made == count && code == last, "%ld and %ld steps", made, count);
    EXPECT(
        !memcmp(VidaStepper_Positions(together), VidaStepper_Positions(alone),
                4 * sizeof(double)) &&
            !memcmp(VidaStepper_Momenta(together), VidaStepper_Momenta(alone), 4 * sizeof(double)),
        "states differ after %ld steps", made);
    VidaStepper_Destroy(&together);
    VidaStepper_Destroy(&alone);
  }
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"tennis racket", test_tennis_racket},
                                    {"axis", test_axis},
                                    {"symmetric body", test_symmetric_body},
                                    {"composed", test_composed},
                                    {"1e6 steps", test_long_run},
                                    {"heavy top", test_heavy_top},
                                    {"invariants of the heavy top", test_heavy_invariants},
                                    {"rattle", test_rattle},
                                    {"reversal", test_reversal},
                                    {"symplectic form", test_symplectic_form},
                                    {"refusals", test_refusals},
                                    {"callbacks", test_callbacks},
                                    {"failures", test_failures},
                                    {"adjusted start", test_adjusted_start},
                                    {"stepper", test_stepper},
                                    {"radial energy", test_radial_energy},
                                    {"series", test_series},
                                    {NULL, NULL}};
  return check_main("rigid bodies without multipliers", tests);
}
