/* The textbook maps of Marsden and Wendlandt 1997, section 2.4, against their formulas, the closed
 * form of the pendulum, and what they must refuse. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/elliptic.h"
#include "support/motion.h"

enum { METHODS = 5 };
static const char* const names[METHODS] = {"symplectic-euler", "lie-trotter", "verlet",
                                           "symplectic-implicit", "implicit-midpoint"};
static const double orders[METHODS] = {1.0, 1.0, 2.0, 2.0, 2.0};

/* ---- systems: Lagrangians of coordinates x, y ------------------------------------------------ */

/* L = v^2 / 2 + cos x of each coordinate, with more: a coupling of the masses, a magnetic field, a
 * mass that depends on the position, or y without mass. */
typedef struct Kind {
  double coupling, field, uneven, second_mass;
} Kind;

static int value(double t, const double* q, const double* v, double* l, void* data) {
  const Kind* kind = data;
  (void)t;
  *l = 0.5 * (1.0 + kind->uneven * q[0] * q[0]) * v[0] * v[0] +
       0.5 * kind->second_mass * v[1] * v[1] + kind->coupling * v[0] * v[1] +
       0.5 * kind->field * (q[0] * v[1] - q[1] * v[0]) + cos(q[0]) + cos(q[1]);
  return 0;
}

static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  const Kind* kind = data;
  (void)t;
  l_q[0] = -sin(q[0]) + 0.5 * kind->field * v[1] + kind->uneven * q[0] * v[0] * v[0];
  l_q[1] = -sin(q[1]) - 0.5 * kind->field * v[0];
  l_v[0] =
      (1.0 + kind->uneven * q[0] * q[0]) * v[0] + kind->coupling * v[1] - 0.5 * kind->field * q[1];
  l_v[1] = kind->second_mass * v[1] + kind->coupling * v[0] + 0.5 * kind->field * q[0];
  return 0;
}

static VidaSystem* make_system(Kind* kind) {
  const VidaLagrangian lagrangian = {value, gradient, NULL};
  const int both[2] = {0, 1};
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("pendulums", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "rad", VidaInitial_Given(1.0),
                                      VidaInitial_Given(0.5), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "y", "rad", VidaInitial_Given(-0.4),
                                      VidaInitial_Given(0.3), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "both", 2, both, &lagrangian, kind, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static const double q_start[2] = {1.0, -0.4};
static const double v_start[2] = {0.5, 0.3};

static VidaStepper* make_stepper(const VidaSystem* system, const char* method, double h) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  VidaOptions* options = motion_method(method, h, NULL);
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q_start, v_start, &error), &error);
  return stepper;
}

static void make_steps(VidaStepper* stepper, long steps) {
  VidaError error = {0};
  for (long i = 0; i < steps; i++) {
    REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
  }
}

/* ---- the formulas of the paper --------------------------------------------------------------- */

/* One step of the formulas for x'' = -sin x; of the implicit one by fixed-point iteration. */
static void follow(int method, double h, double* q, double* p) {
  const double q0 = *q;
  const double p0 = *p;
  switch (method) {
    case 0: /* eq. 16 */
      *q = q0 + h * p0;
      *p = p0 - h * sin(q0 + h * p0);
      break;
    case 1: /* example 5 */
      *q = q0 + h * p0 - h * h * sin(q0);
      *p = p0 - h * sin(q0);
      break;
    case 2: /* Stoermer's form: q1 = q0 + h p0 + h^2 a0 / 2 */
      *q = q0 + h * p0 - 0.5 * h * h * sin(q0);
      *p = p0 - 0.5 * h * (sin(q0) + sin(*q));
      break;
    default: /* eq. 17, and eq. 18 for this Hamiltonian */
      for (int i = 0; i < 60; i++) {
        *p = p0 - h * sin(0.5 * (q0 + *q));
        *q = q0 + 0.5 * h * (p0 + *p);
      }
  }
}

static void test_formulas(void) {
  Kind kind = {.second_mass = 1.0};
  VidaSystem* system = make_system(&kind);
  for (int k = 0; k < METHODS; k++) {
    VidaStepper* stepper = make_stepper(system, names[k], 0.1);
    double q[2], p[2];
    memcpy(q, q_start, sizeof q);
    memcpy(p, v_start, sizeof p);
    for (int i = 0; i < 200; i++) {
      make_steps(stepper, 1);
      follow(k, 0.1, &q[0], &p[0]);
      follow(k, 0.1, &q[1], &p[1]);
      EXPECT_BELOW(largest_difference(2, q, VidaStepper_Positions(stepper)), 1e-12, "%s, step %d",
                   names[k], i);
      EXPECT_BELOW(largest_difference(2, p, VidaStepper_Momenta(stepper)), 1e-12, "%s, step %d",
                   names[k], i);
    }
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* ---- order and energy ------------------------------------------------------------------------ */

static double error_at(const VidaSystem* system, const char* method, long steps) {
  VidaStepper* stepper = make_stepper(system, method, 2.0 / (double)steps);
  double right[2], rates[2], v[2];
  VidaError error = {0};
  make_steps(stepper, steps);
  for (int i = 0; i < 2; i++) {
    pendulum_motion(1.0, q_start[i], v_start[i], 2.0, &right[i], &rates[i]);
  }
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  const double off = fmax(largest_difference(2, right, VidaStepper_Positions(stepper)),
                          largest_difference(2, rates, v));
  VidaStepper_Destroy(&stepper);
  return off;
}

static void test_order(void) {
  Kind kind = {.second_mass = 1.0};
  VidaSystem* system = make_system(&kind);
  for (int k = 0; k < METHODS; k++) {
    double off = error_at(system, names[k], 50);
    for (long steps = 100; steps <= 800; steps *= 2) {
      const double next = error_at(system, names[k], steps);
      EXPECT_NEAR(log2(off / next), orders[k], 0.06, "%s with %ld steps: %.3g", names[k], steps,
                  next);
      off = next;
    }
  }
  VidaSystem_Destroy(&system);
}

/* Bounded by C h^order over 10^5 steps: the second half is no worse than the first. */
static void test_energy(void) {
  Kind kind = {.second_mass = 1.0};
  VidaSystem* system = make_system(&kind);
  const long steps = CHECK_SANITIZED ? 20000 : 100000;
  for (int k = 0; k < METHODS; k++) {
    VidaStepper* stepper = make_stepper(system, names[k], 0.05);
    double first, now, worst[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0};
    VidaError error = {0};
    REQUIRE_OK(VidaStepper_Energy(stepper, &first, NULL, &error), &error);
    for (long i = 0; i < steps; i++) {
      const int half = i >= steps / 2;
      make_steps(stepper, 1);
      REQUIRE_OK(VidaStepper_Energy(stepper, &now, NULL, &error), &error);
      worst[half] = fmax(worst[half], fabs(now - first));
      mean[half] += (now - first) / (0.5 * (double)steps);
    }
    EXPECT_BELOW(worst[0], orders[k] > 1.5 ? 2e-3 : 0.06, "%s", names[k]);
    EXPECT(worst[1] <= 1.01 * worst[0], "%s: %.3g, then %.3g", names[k], worst[0], worst[1]);
    EXPECT_BELOW(mean[1] - mean[0], 0.01 * worst[0], "drift of %s", names[k]);
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&system);
}

/* ---- other Lagrangians ----------------------------------------------------------------------- */

static double distance_of(const VidaSystem* system, const char* method, const char* other, double h,
                          long steps) {
  VidaStepper* a = make_stepper(system, method, h);
  VidaStepper* b = make_stepper(system, other, h);
  make_steps(a, steps);
  make_steps(b, steps);
  const double off = largest_difference(2, VidaStepper_Positions(a), VidaStepper_Positions(b)) +
                     largest_difference(2, VidaStepper_Momenta(a), VidaStepper_Momenta(b));
  VidaStepper_Destroy(&b);
  VidaStepper_Destroy(&a);
  return off;
}

/* In phase space the midpoint rule is the variational one: pm = L_v(qm, w), so that eq. 18 and eq.
 * 4.6 of Wendlandt and Marsden 1997 are the same map; and for constant mass matrices eq. 17, too.
 */
static void test_midpoints(void) {
  Kind kinds[3] = {{.second_mass = 2.0, .coupling = 0.7},
                   {.second_mass = 1.0, .field = 3.0},
                   {.second_mass = 1.0, .uneven = 0.5}};
  for (int k = 0; k < 3; k++) {
    VidaSystem* system = make_system(&kinds[k]);
    EXPECT_BELOW(distance_of(system, "implicit-midpoint", "del-midpoint", 0.1, 100), 1e-11,
                 "kind %d", k);
    if (k == 0) {
      EXPECT_BELOW(distance_of(system, "symplectic-implicit", "implicit-midpoint", 0.1, 100), 1e-11,
                   "coupled masses");
    }
    VidaSystem_Destroy(&system);
  }
}

/* With coupled masses every method converges to the same motion. */
static void test_coupled_masses(void) {
  Kind kind = {.second_mass = 2.0, .coupling = 0.7};
  VidaSystem* system = make_system(&kind);
  VidaStepper* fine = make_stepper(system, "del-midpoint", 1e-4);
  make_steps(fine, 10000);
  for (int k = 0; k < METHODS; k++) {
    double off[2];
    for (int level = 0; level < 2; level++) {
      const long steps = 50L << level;
      VidaStepper* stepper = make_stepper(system, names[k], 1.0 / (double)steps);
      make_steps(stepper, steps);
      off[level] =
          largest_difference(2, VidaStepper_Positions(stepper), VidaStepper_Positions(fine));
      VidaStepper_Destroy(&stepper);
    }
    EXPECT_NEAR(log2(off[0] / off[1]), orders[k], 0.1, "%s: %.3g, %.3g", names[k], off[0], off[1]);
  }
  VidaStepper_Destroy(&fine);
  VidaSystem_Destroy(&system);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(const VidaSystem* system, const char* method, const char* text,
                           const char* able) {
  VidaStepper* stepper = NULL;
  VidaError error = {0};
  VidaOptions* options = motion_method(method, 0.1, NULL);
  EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
               text);
  EXPECT(strstr(error.message, method) && strstr(error.message, able), "%s", error.message);
  VidaOptions_Destroy(&options);
  VidaStepper_Destroy(&stepper);
}

static void test_refusals(void) {
  Kind field = {.second_mass = 1.0, .field = 0.3};
  Kind uneven = {.second_mass = 1.0, .uneven = 0.5};
  Kind massless = {.second_mass = 0.0};
  const Model rod = model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
  VidaSystem* with_field = make_system(&field);
  VidaSystem* with_uneven = make_system(&uneven);
  VidaSystem* with_massless = make_system(&massless);
  VidaSystem* with_rod = model_system(&rod);
  for (int k = 0; k < METHODS; k++) {
    expect_refusal(with_rod, names[k], "constraints", "these can: del-midpoint");
    if (k < 4) {
      expect_refusal(with_field, names[k], "velocity-dependent", "these can: del-midpoint");
      expect_refusal(with_uneven, names[k], "constant mass matrix", "these can: del-midpoint");
      expect_refusal(with_massless, names[k], "no mass on 'y'", "no other method can");
    }
  }
  /* coupled so that the matrix is singular with both masses: found at the start */
  Kind singular = {.second_mass = 1.0, .coupling = 1.0};
  VidaSystem* with_singular = make_system(&singular);
  for (int k = 0; k < METHODS; k++) {
    VidaSystem* system = k == METHODS - 1 ? with_massless : with_singular;
    VidaStepper* stepper = NULL;
    VidaError error = {0};
    VidaOptions* options = motion_method(names[k], 0.1, NULL);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    EXPECT_ERROR(VidaStepper_Start(stepper, 0.0, q_start, v_start, &error), &error,
                 VIDA_NOT_SUPPORTED, "regular mass matrix");
    VidaOptions_Destroy(&options);
    VidaStepper_Destroy(&stepper);
  }
  VidaSystem_Destroy(&with_singular);
  VidaSystem_Destroy(&with_rod);
  VidaSystem_Destroy(&with_massless);
  VidaSystem_Destroy(&with_uneven);
  VidaSystem_Destroy(&with_field);
}

/* Above 2 / omega = 0.5 s explicit steps grow, until the energy of the conservative system is
 * impossible. */
static void test_unstable(void) {
  const Model model = model_oscillator(2.5, 40.0, 0.3, -0.2);
  for (int k = 0; k < 3; k++) {
    Motion motion = motion_start(&model, names[k], 0.6, "auto");
    VidaError error = {0};
    int code = 0;
    for (int i = 0; i < 5000 && !code; i++) {
      code = VidaStepper_Step(motion.stepper, &error);
    }
    EXPECT(strcmp(error.flag, "UNBOUNDED") == 0 && strstr(error.message, "step is too large"),
           "%s: %d, %s", names[k], code, error.message);
    EXPECT(all_finite(1, VidaStepper_Positions(motion.stepper)), "%s", names[k]);
    motion_end(&motion);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"formulas", test_formulas},
                                    {"order", test_order},
                                    {"energy over 1e5 steps", test_energy},
                                    {"midpoints", test_midpoints},
                                    {"coupled masses", test_coupled_masses},
                                    {"refusals", test_refusals},
                                    {"unstable steps", test_unstable},
                                    {NULL, NULL}};
  return check_main("textbook", tests);
}
