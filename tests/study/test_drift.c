/* Drifts: slopes with their confidence and oscillations apart, of series whose slope is known and
 * of motions whose energy is known in closed form. */
#include "study/measure/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/comparison.h"
#include "support/expression.h"
#include "support/model.h"

#define PI 3.14159265358979323846

/* ---- sums ------------------------------------------------------------------------------------ */

/* 1e16 + 1 is 1e16 in double precision: a compensated sum (Neumaier 1974) keeps the 1, whichever of
 * both is the larger one when they meet. */
static void test_sums(void) {
  static const double terms[][4] = {
      {1e16, 1.0, -1e16, 0.5}, {1.0, 1e16, -1e16, 0.5}, {1e16, 1.0, 1.0, -1e16}};
  static const double exact[] = {1.5, 1.5, 2.0};
  for (int i = 0; i < 3; i++) {
    vida_sum sum = {0};
    for (int k = 0; k < 4; k++) {
      vida__add_to_sum(&sum, terms[i][k]);
    }
    EXPECT(vida__sum_value(&sum) == exact[i], "%g, not %g", vida__sum_value(&sum), exact[i]);
  }
}

/* ---- series ---------------------------------------------------------------------------------- */

/* Whole periods about a line: least squares see of the sine, P periods in N samples at k/N of the
 * time, A cot(pi P / N) / 2 over (N^2 - 1) / 12 N and downwards, by sum k sin(2 pi P k / N) =
 * -N cot(pi P / N) / 2. */
static void test_line_and_oscillation(void) {
  enum { SAMPLES = 100000, PERIODS = 1000 };
  const double slope = 3e-7, amplitude = 4e-4, time = 500.0, t0 = 1e5, count = SAMPLES;
  const double seen = -amplitude * 0.5 / tan(PI * PERIODS / count) /
                      ((count * count - 1.0) / (12.0 * count)) / time;
  vida_drift drift;
  vida__start_drift(&drift, t0 + 0.5 * time, SAMPLES, 1.0);
  for (long k = 1; k <= SAMPLES; k++) {
    const double part = (double)k / SAMPLES;
    vida__add_to_drift(&drift, t0 + part * time,
                       slope * part * time + amplitude * sin(2.0 * PI * PERIODS * part));
  }
  const vida_drift_fit fit = vida__fit_drift(&drift);
  EXPECT_NEAR(fit.slope, slope + seen, 1e-6 * fabs(seen), "slope");
  EXPECT_NEAR(fit.oscillation, amplitude, 1e-5 * amplitude, "amplitude");
  EXPECT(fabs(fit.slope - slope) < fit.interval && fit.interval < 0.1 * slope, "+- %g",
         fit.interval);
}

/* Of oscillations about nothing that end anywhere in a period, sharp at one side as a pendulum's,
 * at least 95 % are told to have no slope. */
static void test_unfinished_periods(void) {
  enum { SERIES = 1000 };
  unsigned long long state = 3;
  int covered = 0;
  for (int s = 0; s < SERIES; s++) {
    const double period = 3.0 * pow(100.0, random_unit(&state));
    const double phase = random_between(&state, 0.0, 2.0 * PI);
    const long samples = (long)random_between(&state, 2000.0, 6000.0);
    vida_drift drift;
    vida__start_drift(&drift, 0.5 * (double)samples, samples, 0.0);
    for (long k = 1; k <= samples; k++) {
      const double at = sin(2.0 * PI * (double)k / period + phase);
      vida__add_to_drift(&drift, (double)k, s % 2 ? 1.0 / (1.3 + at) : at);
    }
    const vida_drift_fit fit = vida__fit_drift(&drift);
    covered += fabs(fit.slope) <= fit.interval;
  }
  EXPECT(covered >= SERIES * 95 / 100, "%d of %d intervals hold zero", covered, SERIES);
}

/* A sum of twelve uniform numbers less its mean: variance 1. */
static double random_normal(unsigned long long* state) {
  double sum = -6.0;
  for (int i = 0; i < 12; i++) {
    sum += random_unit(state);
  }
  return sum;
}

/* Noise that forgets slowly, x_k = r x_{k-1} + e_k, beside a line: of 300 series about 95 % should
 * have the true slope within their interval, which is no wider than it has to be: the spectral
 * density of the noise is 1/(1 - r)^2 at zero, so that the standard deviation of the slope of N
 * samples at a distance of d is sqrt(12 / N^3) / ((1 - r) d), and the interval 1.96 times that. The
 * t test over all samples, which takes them for independent, has far fewer: its interval is sqrt((1
 * + r) / (1 - r)) = 6.2 times too small, so that one in four would do, 2 Phi(1.96 / 6.2) - 1. */
static void test_coverage(void) {
  enum { SERIES = 300, SAMPLES = 8000 };
  static double t[SAMPLES], y[SAMPLES];
  const double r = 0.95, slope = 0.01;
  unsigned long long state = 11;
  const double deviation = sqrt(12.0 / pow(SAMPLES, 3)) / ((1.0 - r) * 0.1);
  double width = 0.0;
  int covered = 0, naive = 0;
  for (int s = 0; s < SERIES; s++) {
    double x = random_normal(&state) / sqrt(1.0 - r * r), unsure;
    vida_drift drift;
    vida__start_drift(&drift, 400.0, SAMPLES, 0.0);
    for (int k = 0; k < SAMPLES; k++) {
      x = r * x + random_normal(&state);
      t[k] = 0.1 * k;
      y[k] = slope * t[k] + x;
      vida__add_to_drift(&drift, t[k], y[k]);
    }
    const vida_drift_fit fit = vida__fit_drift(&drift);
    const double fitted = vida__fit_line(SAMPLES, t, y, &unsure);
    EXPECT_NEAR(fit.slope, fitted, 1e-9 * slope, "least squares");
    covered += fabs(fit.slope - slope) <= fit.interval;
    width += fit.interval / SERIES;
    naive += fabs(fitted - slope) <= unsure;
  }
  /* Four standard deviations of the binomial about 95 % are 5 %. */
  EXPECT(covered >= SERIES * 90 / 100, "%d of %d intervals hold the slope", covered, SERIES);
  /* The two-sided 95 % of Student's t with 30 degrees of freedom is 2.042; the correlation r of 32
   * independent blocks has a standard deviation of 1/sqrt(32), and the interval is widened by its
   * positive part, whose mean is 1/sqrt(2 pi) of that. */
  const double student = 2.042 / 1.96, widening = 1.0 / sqrt(2.0 * PI * VIDA_DRIFT_BLOCKS);
  EXPECT_NEAR(width / (1.96 * deviation), student * (1.0 + widening), 0.03,
              "mean width of the intervals");
  EXPECT(naive < SERIES / 2, "%d of %d intervals of the t test hold the slope", naive, SERIES);
}

/* A random walk has no line at all; every series of it looks as if it had one. Blocks of any length
 * are correlated then, and the interval is widened: not to what it should be, but most hold 0. */
static void test_random_walk(void) {
  enum { SERIES = 200, SAMPLES = 4000 };
  unsigned long long state = 5;
  int covered = 0;
  for (int s = 0; s < SERIES; s++) {
    double x = 0.0;
    vida_drift drift;
    vida__start_drift(&drift, 0.5 * SAMPLES, SAMPLES, 0.0);
    for (int k = 0; k < SAMPLES; k++) {
      x += random_normal(&state);
      vida__add_to_drift(&drift, k, x);
    }
    const vida_drift_fit fit = vida__fit_drift(&drift);
    covered += fabs(fit.slope) <= fit.interval;
  }
  EXPECT(covered > SERIES / 3, "%d of %d", covered, SERIES);
}

static void test_few_samples(void) {
  vida_drift drift;
  vida__start_drift(&drift, 0.0, 100, 0.0);
  EXPECT(isnan(vida__fit_drift(&drift).slope), "nothing yet");
  for (int k = 0; k < 100; k++) {
    vida__add_to_drift(&drift, k, 2.0 * k);
  }
  const vida_drift_fit fit = vida__fit_drift(&drift);
  EXPECT_NEAR(fit.slope, 2.0, 1e-14, "slope");
  EXPECT_NEAR(fit.oscillation, 0.0, 1e-6, "a straight line");
  EXPECT(isnan(fit.interval), "%g", fit.interval);
}

/* A change by an ulp of a large value over the whole series is no drift. */
static void test_rounding(void) {
  enum { SAMPLES = 1000 };
  vida_drift drift;
  vida__start_drift(&drift, 0.5 * SAMPLES, SAMPLES, 1024.0);
  for (int k = 0; k < SAMPLES; k++) {
    vida__add_to_drift(&drift, k, k < SAMPLES / 2 ? 0.0 : 2.3e-13);
  }
  const vida_drift_fit fit = vida__fit_drift(&drift);
  EXPECT(fit.slope > 0.0 && fit.slope < fit.interval, "%g +- %g", fit.slope, fit.interval);
}

/* ---- motions --------------------------------------------------------------------------------- */

static const VidaRow* run_one(const Model* model, const char* options, const char* method,
                              VidaStudy** study, VidaSystem** system) {
  VidaError error = {0};
  *system = model_system(model);
  *study = comparison_study(*system, options);
  comparison_add(*study, NULL, &method, 1);
  REQUIRE_OK(VidaStudy_Run(*study, NULL, &error), &error);
  const VidaRow* row = VidaStudy_Row(*study, 0);
  EXPECT(strcmp(row->status, "ok") == 0, "%s: %s", method, row->message);
  return row;
}

/* The classical Runge-Kutta method multiplies the energy of x'' = -w^2 x by |R(i w h)|^2 =
 * 1 - z^6/72 + z^8/576 in each step, z = w h: it shrinks, and does not oscillate. */
static void test_runge_kutta(void) {
  enum { STEPS = 4000 };
  const double h = 0.1, omega = 2.0, energy = 0.5 * 4.0 * 0.3 * 0.3 + 0.5 * 0.7 * 0.7;
  const double z2 = omega * h * omega * h;
  const double ratio = 1.0 - z2 * z2 * z2 / 72.0 + z2 * z2 * z2 * z2 / 576.0;
  const Model model = model_oscillator(1.0, omega * omega, 0.3, 0.7);
  VidaSystem* system;
  VidaStudy* study;
  double moment = 0.0, spread = 0.0;
  for (int k = 1; k <= STEPS; k++) {
    const double from_middle = h * (k - 0.5 * (STEPS + 1));
    moment += from_middle * energy * pow(ratio, k);
    spread += from_middle * from_middle;
  }
  const VidaRow* row =
      run_one(&model, "time=400 drift=true", "baumgarte integrator=rk4 h=0.1", &study, &system);
  EXPECT_NEAR(row->energy_drift, moment / spread, 1e-9 * fabs(moment / spread), "slope");
  EXPECT(-row->energy_drift > 20.0 * row->energy_drift_interval, "%g +- %g", row->energy_drift,
         row->energy_drift_interval);
  EXPECT_BELOW(row->energy_oscillation, 0.01 * energy, "what is left is the curve of r^k");
  EXPECT(isnan(row->constraint_drift) && isnan(row->momentum_drift), "there are none");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* Velocity Verlet keeps p^2/2 + w^2 x^2 (1 - z^2/4)/2 of x'' = -w^2 x, so that the energy is that
 * and w^2 x^2 z^2/8, where x = A cos(...): a mean, and an oscillation of amplitude w^2 A^2 z^2/16,
 * A^2 = x0^2 + (v0/w)^2 / (1 - z^2/4). */
static void test_verlet(void) {
  const double h = 0.1, omega = 2.0, z2 = omega * h * omega * h;
  const double size = 0.3 * 0.3 + 0.7 * 0.7 / (omega * omega) / (1.0 - 0.25 * z2);
  const Model model = model_oscillator(1.0, omega * omega, 0.3, 0.7);
  VidaSystem* system;
  VidaStudy* study;
  const VidaRow* row = run_one(&model, "time=1000 drift=true", "verlet h=0.1", &study, &system);
  EXPECT_BELOW(row->energy_drift, row->energy_drift_interval, "no drift");
  EXPECT_BELOW(row->energy_drift_interval, 1e-6, "and it is known");
  EXPECT_NEAR(row->energy_oscillation, omega * omega * size * z2 / 16.0, 1e-3 * z2, "amplitude");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* RATTLE keeps energy without drift, momenta and constraints to rounding; without stabilization the
 * constraints of an underlying ODE are left behind. */
static void test_constraints(void) {
  const Model model = model_pendulum(3, 2.0, 1.5, 0.4, 0.3);
  VidaSystem* system;
  VidaStudy* study;
  const VidaRow* row = run_one(&model, "time=100 drift=true", "rattle h=0.02", &study, &system);
  EXPECT_BELOW(row->energy_drift, row->energy_drift_interval, "energy");
  EXPECT_BELOW(row->momentum_drift, row->momentum_drift_interval, "momentum");
  EXPECT_BELOW(row->constraint_drift, row->constraint_drift_interval, "constraints");
  EXPECT(row->energy_oscillation > 1e-6, "%g", row->energy_oscillation);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
  row = run_one(&model, "time=100 drift=true", "baumgarte integrator=rk4 h=0.02", &study, &system);
  EXPECT(row->constraint_drift > row->constraint_drift_interval, "%g +- %g", row->constraint_drift,
         row->constraint_drift_interval);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* Only the slope of the energy is told to those who have not asked. */
static void test_not_asked(void) {
  const Model model = model_oscillator(1.0, 4.0, 0.3, 0.7);
  VidaSystem* system;
  VidaStudy* study;
  const VidaRow* row = run_one(&model, "time=100", "verlet h=0.1", &study, &system);
  EXPECT(isfinite(row->energy_drift) && isnan(row->energy_drift_interval) &&
             isnan(row->energy_oscillation),
         "%g", row->energy_drift_interval);
  EXPECT(!VidaStudy_HasColumn(study, Vida_FindColumn("energy_oscillation")) &&
             VidaStudy_HasColumn(study, Vida_FindColumn("energy_drift")),
         "columns");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"sums", test_sums},
                                    {"line and oscillation", test_line_and_oscillation},
                                    {"unfinished periods", test_unfinished_periods},
                                    {"coverage", test_coverage},
                                    {"random walk", test_random_walk},
                                    {"few samples", test_few_samples},
                                    {"rounding", test_rounding},
                                    {"classical Runge-Kutta", test_runge_kutta},
                                    {"Verlet", test_verlet},
                                    {"constraints", test_constraints},
                                    {"not asked", test_not_asked},
                                    {NULL, NULL}};
  return check_main("drift", tests);
}
