/* del-chart: the discrete Euler-Lagrange equations in coordinates of the constraint manifold. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/expression.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/motion.h"

/* ---- Theorem 1 of paper 000 ----------------------------------------------------------------- */

/* The steps of del-chart are those of del-midpoint: the largest differences over a run. */
static void compare_with_midpoint(const Model* model, double h, long steps, double tolerance) {
  Motion chart = motion_start(model, "del-chart", h, "auto");
  Motion ambient = motion_start(model, "del-midpoint", h, "auto");
  double position = 0.0, velocity = 0.0, momentum = 0.0, force = 0.0, energy = 0.0;
  EXPECT(chart.stepper && ambient.stepper, "%s: no stepper", model->name);
  for (long i = 0; i < steps; i += 10) {
    motion_steps(&chart, 10);
    motion_steps(&ambient, 10);
    const State a = motion_state(&chart);
    const State b = motion_state(&ambient);
    position = fmax(position, largest_difference(chart.n, a.q, b.q));
    velocity = fmax(velocity, largest_difference(chart.n, a.v, b.v));
    momentum = fmax(momentum, largest_difference(chart.n, a.p, b.p));
    force = fmax(force, largest_difference(chart.m, a.multipliers, b.multipliers));
    energy = fmax(energy, fabs(a.energy - b.energy));
    EXPECT(a.multipliers_t == b.multipliers_t, "%g and %g", a.multipliers_t, b.multipliers_t);
  }
  printf("%s h=%g: q %.2e v %.2e p %.2e lambda %.2e E %.2e iterations %ld and %ld\n", model->name,
         h, position, velocity, momentum, force, energy,
         VidaStepper_Statistics(chart.stepper).newton_iterations,
         VidaStepper_Statistics(ambient.stepper).newton_iterations);
  EXPECT_BELOW(position, tolerance * model->length, "%s: positions", model->name);
  motion_end(&chart);
  motion_end(&ambient);
}

static void test_theorem(void) {
  const Model pendulum = model_double_spherical_pendulum();
  compare_with_midpoint(&pendulum, 1e-3, 10000, 1e-10);
  compare_with_midpoint(&pendulum, 1e-2, 1000, 1e-10);
  const Model plane = model_pendulum(2, 1.3, 0.8, 1.0, 0.5);
  compare_with_midpoint(&plane, 1e-3, 10000, 1e-10);
  const Model space = model_pendulum(3, 1.3, 0.8, 1.0, 0.5);
  compare_with_midpoint(&space, 1e-2, 1000, 1e-10);
}

int main(void) {
  static const CheckTest tests[] = {{"Theorem 1: the steps of del-midpoint", test_theorem},
                                    {NULL, NULL}};
  return check_main("chart", tests);
}
