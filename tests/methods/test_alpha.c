/* hht and generalized-alpha: orders of positions, velocities and multipliers from the first step
 * on, the amplification of linear oscillators against the closed form, damping of stiff springs,
 * and what their projection of velocities does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/elliptic.h"
#include "support/exact.h"
#include "support/motion.h"
#include "support/run.h"

enum { MOST = MODEL_COORDINATES, LEVELS = 5 };

/* ---- runs ------------------------------------------------------------------------------------ */

static Run start(VidaSystem* system, const char* method, double h, const char* const* settings) {
  return run_start(system, motion_method(method, h, settings));
}

/* The variants that are tested. */
typedef struct Variant {
  const char* method;
  const char* settings[5];
} Variant;

static const Variant variants[] = {
    {"hht", {NULL}},
    {"hht", {"alpha", "-0.3", NULL}},
    {"hht", {"alpha", "-0.2", "projection", "velocity", NULL}},
    {"generalized-alpha", {NULL}},
    {"generalized-alpha", {"rho", "0", NULL}},
    {"generalized-alpha", {"rho", "0.5", NULL}},
    {"generalized-alpha", {"rho", "0.9", "projection", "velocity", NULL}},
    {"generalized-alpha", {"rho", "0.3", "projection", "velocity", NULL}},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static bool projects(const Variant* variant) {
  return variant->settings[0] && variant->settings[2];
}

static const char* setting(const Variant* variant) {
  return variant->settings[0] ? variant->settings[1] : "default";
}

/* ---- orders ---------------------------------------------------------------------------------- */

typedef struct Case {
  const char* name;
  VidaSystem* (*make)(void);
  void (*exact)(double t, double* q, double* v);
  double time, length, speed;
  int steps; /* of the coarsest run */
} Case;

/* Constant mass; a constraint that depends on time; masses that depend on positions; velocities in
 * the potential, drag and a force that depends on time; coupled masses */
static const Case cases[] = {
    {"pendulum", make_pendulum, exact_pendulum, 1.0, 0.8, 3.0, 1000},
    {"bead", make_bead, exact_bead, 1.0, 0.8, 3.0, 1000},
    {"pulled pendulum", make_pulled, exact_pulled, 1.0, 0.8, 3.0, 1000},
    {"polar", make_polar, exact_polar, 1.0, 1.0, 2.0, 1000},
    {"charge", make_charge, exact_charge, 1.0, 1.0, 1.0, 1000},
    {"Kepler", make_kepler, exact_kepler, 1.0, 1.0, 1.0, 1000},
};

static void measure_order(const Case* c, const Variant* variant) {
  double position[LEVELS], velocity[LEVELS], h[LEVELS];
  for (int level = 0; level < LEVELS; level++) {
    double q[MOST], v[MOST], right_q[MOST], right_v[MOST];
    const long steps = (long)c->steps << level;
    h[level] = c->time / (double)steps;
    Run run = start(c->make(), variant->method, h[level], variant->settings);
    run_steps(&run, steps);
    run_state(&run, q, v);
    c->exact(c->time, right_q, right_v);
    position[level] = largest_difference(run.n, q, right_q) / c->length;
    velocity[level] = largest_difference(run.n, v, right_v) / c->speed;
    const VidaStatistics statistics = VidaStepper_Statistics(run.stepper);
    /* the Newton matrix is exact */
    EXPECT(statistics.newton_iterations <= 4 * steps, "%s on %s: %ld iterations in %ld steps",
           variant->method, c->name, statistics.newton_iterations, steps);
    run_end(&run);
  }
  /* where damping is strong, the error of third order is large */
  const double slope = find_slope(LEVELS, position, h);
  EXPECT(slope > 1.9 && slope < 2.2, "order %.3f of positions of %s %s on %s, %.3g to %.3g", slope,
         variant->method, setting(variant), c->name, position[0], position[LEVELS - 1]);
  EXPECT_NEAR(find_slope(LEVELS, velocity, h), 2.0, 0.15, "velocities of %s %s on %s, %.3g to %.3g",
              variant->method, setting(variant), c->name, velocity[0], velocity[LEVELS - 1]);
}

static void test_orders(void) {
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    for (int i = 0; i < VARIANTS; i++) {
      if (!CHECK_LEAVES_OUT((int)k, i, 4)) {
        measure_order(&cases[k], &variants[i]);
      }
    }
  }
}

/* The largest errors over all nodes, the first one included, of tension and velocity; closed form:
 * m (g cos theta + l theta'^2). Without the right start multipliers begin with order 1 (Arnold,
 * Bruels and Cardona 2015). */
static void measure_multipliers(const Variant* variant) {
  double tension[LEVELS], first[LEVELS], drift[LEVELS], h[LEVELS];
  const double length = 0.8, mass = 1.3;
  for (int level = 0; level < LEVELS; level++) {
    const Model model = model_pendulum(2, mass, length, 1.0, 0.5);
    const long steps = 50L << level;
    VidaError error = {0};
    h[level] = 1.0 / (double)steps;
    tension[level] = drift[level] = 0.0;
    Run run = start(model_system(&model), variant->method, h[level], variant->settings);
    for (long k = 1; k <= steps; k++) {
      double angle, rate, t, velocity;
      run_steps(&run, 1);
      const double lambda = VidaStepper_Multipliers(run.stepper, &t)[0];
      pendulum_motion(sqrt(MODEL_GRAVITY / length), 1.0, 0.5, t, &angle, &rate);
      EXPECT_NEAR(t, (double)k * h[level], 1e-13, "time of the multipliers");
      const double off = fabs(lambda - mass * (MODEL_GRAVITY * cos(angle) + length * rate * rate));
      first[level] = k == 1 ? off : first[level];
      tension[level] = fmax(tension[level], off);
      REQUIRE_OK(VidaStepper_ConstraintErrors(run.stepper, NULL, &velocity, &error), &error);
      drift[level] = fmax(drift[level], velocity);
    }
    run_end(&run);
  }
  EXPECT_NEAR(find_slope(LEVELS, tension, h), 2.0, 0.15, "multipliers of %s %s, %.3g to %.3g",
              variant->method, setting(variant), tension[0], tension[LEVELS - 1]);
  EXPECT(find_slope(LEVELS, first, h) > 1.8, "first multiplier of %s %s, %.3g to %.3g",
         variant->method, setting(variant), first[0], first[LEVELS - 1]);
  if (projects(variant)) {
    EXPECT_BELOW(drift[0], 1e-13, "velocities of %s %s", variant->method, setting(variant));
  } else {
    EXPECT_NEAR(find_slope(LEVELS, drift, h), 2.0, 0.15,
                "drift of velocities of %s %s, %.3g to %.3g", variant->method, setting(variant),
                drift[0], drift[LEVELS - 1]);
  }
}

static void test_multipliers(void) {
  for (int i = 0; i < VARIANTS; i++) {
    measure_multipliers(&variants[i]);
  }
}

/* ---- linear oscillators ---------------------------------------------------------------------- */

typedef struct Scheme {
  double alpha_m, alpha_f, beta, gamma;
} Scheme;

/* Chung and Hulbert 1993, eq. 17, 20 and 25 */
static Scheme chung_hulbert(double rho) {
  const double m = (2.0 * rho - 1.0) / (rho + 1.0), f = rho / (rho + 1.0);
  const Scheme scheme = {m, f, 0.25 * (1.0 - m + f) * (1.0 - m + f), 0.5 - m + f};
  return scheme;
}

/* Hilber, Hughes and Taylor 1977 */
static Scheme hilber_hughes_taylor(double alpha) {
  const Scheme scheme = {0.0, -alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 - alpha};
  return scheme;
}

/* The amplification matrix of (x, h v, h^2 a) for x'' = -(phase/h)^2 x, in the textbook's form with
 * accelerations; its characteristic polynomial z^3 - c[0] z^2 + c[1] z - c[2]. */
static void characteristic(Scheme s, double phase, double c[3]) {
  const double k = phase * phase;
  const double below = 1.0 - s.alpha_m + k * (1.0 - s.alpha_f) * s.beta;
  double a[3][3];
  for (int j = 0; j < 3; j++) {
    const double x = j == 0, v = j == 1, w = j == 2;
    const double ahead = x + v + (0.5 - s.beta) * w;
    a[2][j] = -(s.alpha_m * w + k * ((1.0 - s.alpha_f) * ahead + s.alpha_f * x)) / below;
    a[0][j] = ahead + s.beta * a[2][j];
    a[1][j] = v + (1.0 - s.gamma) * w + s.gamma * a[2][j];
  }
  c[0] = a[0][0] + a[1][1] + a[2][2];
  c[1] = a[0][0] * a[1][1] - a[0][1] * a[1][0] + a[0][0] * a[2][2] - a[0][2] * a[2][0] +
         a[1][1] * a[2][2] - a[1][2] * a[2][1];
  c[2] = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

enum { SAMPLES = 40 };

/* Positions of the oscillator of frequency 4 / s with a step of this phase. */
static void sample(const char* method, const char* option, const char* value, double phase,
                   double* x) {
  const char* const settings[] = {option, value, NULL};
  Run run = start(make_oscillator(), method, phase / 4.0, settings);
  for (int k = 0; k < SAMPLES; k++) {
    double v;
    run_state(&run, &x[k], &v);
    run_steps(&run, 1);
  }
  run_end(&run);
}

static void compare_recurrence(const char* method, const char* option, const char* value,
                               Scheme scheme) {
  const double phases[] = {0.1, 1.0, 10.0, 1000.0};
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    double c[3], x[SAMPLES];
    characteristic(scheme, phases[i], c);
    sample(method, option, value, phases[i], x);
    for (int k = 3; k < SAMPLES; k++) {
      const double size = fabs(x[k]) + fabs(x[k - 1]) + fabs(x[k - 2]) + fabs(x[k - 3]) + 1e-5;
      EXPECT_BELOW((x[k] - c[0] * x[k - 1] + c[1] * x[k - 2] - c[2] * x[k - 3]) / size, 1e-11,
                   "%s %s = %s, h omega = %g, step %d", method, option, value, phases[i], k);
    }
  }
}

static double determinant(const double* a, const double* b, const double* c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* x_(k+3) = sum x_(k+2) - ... + product x_k for k = 0, 1, 2, by Cramer's rule. */
static void measure_roots(const double* x, double* sum, double* product) {
  const double all = determinant(x, x + 1, x + 2); /* Hankel's matrix */
  *product = determinant(x + 3, x + 1, x + 2) / all;
  *sum = determinant(x, x + 1, x + 3) / all;
}

/* x_k against (-r)^k (A + B k) + C (-s)^k (s = r: C k^2): the roots at infinity, which are all that
 * is left for h omega = 1e6. */
static void compare_infinity(const char* method, const char* option, const char* value, double r,
                             double s) {
  double x[SAMPLES];
  sample(method, option, value, 1e6, x);
  const double c[3] = {-(2.0 * r + s), r * r + 2.0 * r * s, -r * r * s};
  for (int k = 3; k < SAMPLES; k++) {
    const double size = fabs(x[k - 1]) + fabs(x[k - 2]) + fabs(x[k - 3]) + 1e-7;
    EXPECT_BELOW((x[k] - c[0] * x[k - 1] + c[1] * x[k - 2] - c[2] * x[k - 3]) / size, 1e-5,
                 "%s %s = %s at infinity, step %d", method, option, value, k);
  }
  /* and the roots as measured: their product and their sum, from six positions */
  if (s >= 0.3) {
    double sum, product;
    measure_roots(x + 2, &sum, &product);
    EXPECT_NEAR(sum, -(2.0 * r + s), 1e-3, "%s %s = %s: sum of the roots", method, option, value);
    EXPECT_NEAR(product, -r * r * s, 1e-3, "%s %s = %s: product of the roots", method, option,
                value);
  }
}

static void test_oscillators(void) {
  static const char* const rho[] = {"0", "0.3", "0.5", "0.8", "0.95"};
  static const char* const alpha[] = {"-0.3333333333333333", "-0.2", "-0.1", "-0.05"};
  for (size_t i = 0; i < sizeof rho / sizeof rho[0]; i++) {
    const double r = strtod(rho[i], NULL);
    compare_recurrence("generalized-alpha", "rho", rho[i], chung_hulbert(r));
    compare_infinity("generalized-alpha", "rho", rho[i], r, r);
  }
  for (size_t i = 0; i < sizeof alpha / sizeof alpha[0]; i++) {
    const double a = strtod(alpha[i], NULL);
    compare_recurrence("hht", "alpha", alpha[i], hilber_hughes_taylor(a));
    compare_infinity("hht", "alpha", alpha[i], (1.0 + a) / (1.0 - a), -a / (1.0 + a));
  }
}

/* Energy is lost at the third order of the step: over a whole number of half periods, from one
 * turning point of the closed form to another, what swings is left out. */
static void test_loss(void) {
  static const char* const methods[] = {"hht", "generalized-alpha"};
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < 2; i++) {
    double loss[LEVELS], h[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
      const long period = 20L << level;
      h[level] = 0.25 * pi / (double)period;
      double mean[2] = {0.0, 0.0};
      Run run = start(make_oscillator(), methods[i], h[level], NULL);
      for (long k = 0; k < 20 * period; k++) {
        VidaError error = {0};
        double energy = 0.0;
        REQUIRE_OK(VidaStepper_Energy(run.stepper, &energy, NULL, &error), &error);
        run_steps(&run, 1);
        mean[0] += k >= period && k < 2 * period ? energy : 0.0;
        mean[1] += k >= 19 * period ? energy : 0.0;
      }
      loss[level] = (mean[0] - mean[1]) / mean[0];
      EXPECT(loss[level] > 0.0, "%s gains energy: %g", methods[i], -loss[level]);
      run_end(&run);
    }
    EXPECT_NEAR(find_slope(LEVELS, loss, h), 3.0, 0.1, "loss of %s, %.3g to %.3g", methods[i],
                loss[0], loss[LEVELS - 1]);
  }
}

/* ---- a stiff spring -------------------------------------------------------------------------- */

/* A bob of 1 kg on a spring of 1 m whose vibrations are a hundred times faster than the step,
 * stretched at the start by 0.01 mm beyond its balance. */
static double vibration(const char* method, const char* option, const char* value) {
  const double stiffness = 1e8, h = 1e-2;
  const char* const settings[] = {option, value, NULL};
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  const double stretch = MODEL_GRAVITY * cos(0.5) / stiffness + 1e-5;
  const VidaSpring spring = {.name = "rod",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = stiffness,
                             .length = 1.0,
                             .law = VIDA_SPRING_LINEAR};
  model.rods = 0;
  model.spring[model.springs++] = spring;
  model.chart = MODEL_NO_CHART;
  model.particle[0].position[0] = VidaInitial_Given((1.0 + stretch) * sin(0.5));
  model.particle[0].position[1] = VidaInitial_Given(-(1.0 + stretch) * cos(0.5));
  Run run = start(model_system(&model), method, h, settings);
  double largest = 0.0;
  run_steps(&run, 60);
  for (int k = 0; k < 10; k++) {
    double q[2], v[2];
    run_steps(&run, 1);
    run_state(&run, q, v);
    largest = fmax(largest, fabs(hypot(q[0], q[1]) - 1.0));
  }
  run_end(&run);
  return largest;
}

static void test_stiff_spring(void) {
  /* rho^60, with the square of 60 in front; what is left then is the tension over k, 2e-7 */
  EXPECT_BELOW(vibration("generalized-alpha", "rho", "0"), 3e-7, "rho = 0");
  EXPECT_BELOW(vibration("generalized-alpha", "rho", "0.5"), 3e-7, "rho = 0.5");
  EXPECT_BELOW(vibration("hht", "alpha", "-0.3"), 3e-7, "alpha = -0.3");
  EXPECT(vibration("generalized-alpha", "rho", "1") > 3e-6, "nothing is damped with rho = 1");
  EXPECT(vibration("generalized-alpha", "rho", "0.98") > 3e-7, "little is damped with rho = 0.98");
  EXPECT(vibration("hht", "alpha", "0") > 3e-6, "nothing is damped with alpha = 0");
}

/* ---- options and failures -------------------------------------------------------------------- */

static void test_options(void) {
  VidaOptions* options = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaOptions_Create("generalized-alpha", &options, &error), &error);
  EXPECT_ERROR(VidaOptions_SetReal(options, "rho", 1.1, &error), &error, VIDA_BAD_ARGUMENT, "rho");
  EXPECT_ERROR(VidaOptions_SetReal(options, "rho", -0.1, &error), &error, VIDA_BAD_ARGUMENT, "rho");
  EXPECT_ERROR(VidaOptions_SetReal(options, "alpha", -0.1, &error), &error, VIDA_UNKNOWN_NAME,
               "alpha");
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaOptions_Create("hht", &options, &error), &error);
  EXPECT_ERROR(VidaOptions_SetReal(options, "alpha", -0.4, &error), &error, VIDA_BAD_ARGUMENT,
               "alpha");
  EXPECT_ERROR(VidaOptions_SetText(options, "projection", "position", &error), &error,
               VIDA_BAD_ARGUMENT, "projection");
  VidaOptions_Destroy(&options);
}

static void test_refusals(void) {
  static const Variant undamped[] = {{"hht", {"alpha", "0", NULL}},
                                     {"generalized-alpha", {"rho", "1", NULL}}};
  for (int i = 0; i < 2; i++) {
    VidaError error = {0};
    VidaStepper* stepper = NULL;
    VidaSystem* system = make_pendulum();
    VidaOptions* options = motion_method(undamped[i].method, 0.01, undamped[i].settings);
    EXPECT_ERROR(VidaStepper_Create(system, options, &stepper, &error), &error, VIDA_NOT_SUPPORTED,
                 "projection = velocity");
    REQUIRE_OK(VidaOptions_SetText(options, "projection", "velocity", &error), &error);
    REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
    VidaStepper_Destroy(&stepper);
    VidaOptions_Destroy(&options);
    VidaSystem_Destroy(&system);
  }
}

/* The largest energy of 20 s of a double pendulum that turns by up to `turn` a step, less that of
 * the start, in units of m g l. */
static double energy_gain(const char* rho, const char* projection, double h, double* turn) {
  const char* const settings[] = {"rho", rho, "projection", projection, NULL};
  Model model = model_chain(2, -0.5);
  VidaError error = {0};
  double first, energy, largest = 0.0;
  model.chart = MODEL_NO_CHART;
  Run run = start(model_system(&model), "generalized-alpha", h, settings);
  REQUIRE_OK(VidaStepper_Energy(run.stepper, &first, NULL, &error), &error);
  *turn = 0.0;
  for (long k = 0; k < lround(20.0 / h) && largest < 100.0; k++) {
    double q[4], v[4];
    run_steps(&run, 1);
    run_state(&run, q, v);
    REQUIRE_OK(VidaStepper_Energy(run.stepper, &energy, NULL, &error), &error);
    largest = fmax(largest, energy - first);
    *turn = fmax(*turn, h * hypot(v[2] - v[0], v[3] - v[1]));
  }
  run_end(&run);
  return largest / MODEL_GRAVITY;
}

/* The limit that is stated: a turn of 1 - rho a step, and none of this kind with projection. */
static void test_turning(void) {
  static const struct {
    const char *rho, *projection;
    double h;
    bool is_stable;
  } runs[] = {{"0.5", "none", 0.01, true},      {"0.8", "none", 0.01, true},
              {"0.9", "none", 0.003, true},     {"0.99", "none", 0.01, false},
              {"0.99", "velocity", 0.01, true}, {"1", "velocity", 0.01, true}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    double turn;
    const double gain = energy_gain(runs[i].rho, runs[i].projection, runs[i].h, &turn);
    EXPECT(runs[i].is_stable ? gain < 0.1 : gain > 1.0,
           "rho = %s, projection = %s, turning by %g: energy gained %g", runs[i].rho,
           runs[i].projection, turn, gain);
  }
}

/* A step that is too large says so and leaves the state of the node: smaller ones go on. */
static void test_failure(void) {
  VidaError error = {0};
  for (int i = 0; i < VARIANTS; i++) {
    double q[MOST], v[MOST], again_q[MOST], again_v[MOST];
    Run run = start(make_double_pendulum(), variants[i].method, 0.02, variants[i].settings);
    run_steps(&run, 10);
    run_state(&run, q, v);
    REQUIRE_OK(VidaStepper_StartWithStep(run.stepper, 0.2, 20.0, q, v, &error), &error);
    const int code = VidaStepper_Step(run.stepper, &error);
    if (code) {
      EXPECT(code > 0 && strstr(error.message, "step 1"), "%d: %s", code, error.message);
      run_state(&run, again_q, again_v);
      EXPECT(memcmp(q, again_q, (size_t)run.n * sizeof *q) == 0, "positions have moved");
      EXPECT(memcmp(v, again_v, (size_t)run.n * sizeof *v) == 0, "velocities have moved");
    }
    REQUIRE_OK(VidaStepper_StartWithStep(run.stepper, 0.2, 0.02, q, v, &error), &error);
    run_steps(&run, 10);
    run_end(&run);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"orders", test_orders},
                                    {"multipliers", test_multipliers},
                                    {"linear oscillators", test_oscillators},
                                    {"loss of energy", test_loss},
                                    {"stiff spring", test_stiff_spring},
                                    {"options", test_options},
                                    {"refusals", test_refusals},
                                    {"turning", test_turning},
                                    {"failure", test_failure},
                                    {NULL, NULL}};
  return check_main("generalized-alpha", tests);
}
