/* The double spherical pendulum in several ways: what the library costs above a bare KINSOL loop
 * and above a hand-coded one, and what a formula costs above a built-in term. The rounds are
 * interleaved, so that all see the same machine. */
#include "pendulum.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { CONTENDERS = 4, LIBRARY = 0, FORMULA, KINSOL, NEWTON };

/* All must end at the same place; rounding alone gives far less than this (m). */
#define AGREEMENT 1e-9

static const Contender* const contenders[CONTENDERS] = {
    [LIBRARY] = &pendulum_library,
    [FORMULA] = &pendulum_formula,
    [KINSOL] = &pendulum_kinsol,
    [NEWTON] = &pendulum_newton,
};

static int measure(const BenchOptions* options, void* const* self, double* times) {
  for (int round = 0; round < options->rounds; round++) {
    for (int i = 0; i < CONTENDERS; i++) {
      if (contenders[i]->start(self[i])) {
        fprintf(stderr, "%s: cannot start\n", contenders[i]->name);
        return 1;
      }
      const double before = bench_seconds();
      if (contenders[i]->run(self[i], options->steps)) {
        fprintf(stderr, "%s: a step failed\n", contenders[i]->name);
        return 1;
      }
      times[i * options->rounds + round] = bench_seconds() - before;
    }
  }
  return 0;
}

static int report(const BenchOptions* options, void* const* self, double* times) {
  double median[CONTENDERS];
  double q[CONTENDERS][COORDINATES];
  double difference = 0.0;
  const double steps = (double)options->steps;
  printf("\nDouble spherical pendulum, del-midpoint, h = %g s, %ld steps, median of %d rounds\n",
         options->h, options->steps, options->rounds);
  printf("  %-26s %10s %12s %22s\n", "", "us/step", "Newton/step", "spread of rounds");
  for (int i = 0; i < CONTENDERS; i++) {
    double* own = times + i * options->rounds;
    median[i] = bench_median(options->rounds, own); /* sorts */
    contenders[i]->positions(self[i], q[i]);
    printf("  %-26s %10.3f %12.3f %10.3f .. %8.3f\n", contenders[i]->name, 1e6 * median[i] / steps,
           (double)contenders[i]->iterations(self[i]) / steps, 1e6 * own[0] / steps,
           1e6 * own[options->rounds - 1] / steps);
    for (int k = 0; k < COORDINATES; k++) {
      difference = fmax(difference, fabs(q[i][k] - q[0][k]));
    }
  }
  printf("  library / bare KINSOL      %10.3f\n", median[LIBRARY] / median[KINSOL]);
  printf("  formulas / built-in terms  %10.3f\n", median[FORMULA] / median[LIBRARY]);
  printf("  library / hand-coded       %10.3f\n", median[LIBRARY] / median[NEWTON]);
  printf("  bare KINSOL / hand-coded   %10.3f\n", median[KINSOL] / median[NEWTON]);
  printf("  end positions differ by %.2g m after %g s\n", difference, options->h * steps);
  if (!(difference <= AGREEMENT)) {
    fprintf(stderr, "they do not compute the same motion (allowed: %g m)\n", AGREEMENT);
    return 1;
  }
  return 0;
}

int bench_pendulum(const BenchOptions* options) {
  void* self[CONTENDERS] = {NULL};
  double* times = calloc((size_t)(CONTENDERS * options->rounds), sizeof *times);
  int failed = !times;
  for (int i = 0; i < CONTENDERS && !failed; i++) {
    failed = contenders[i]->create(options->h, &self[i]);
    if (failed) {
      fprintf(stderr, "%s: cannot be created\n", contenders[i]->name);
    }
  }
  failed = failed || measure(options, self, times) || report(options, self, times);
  for (int i = 0; i < CONTENDERS; i++) {
    contenders[i]->destroy(self[i]);
  }
  free(times);
  return failed;
}
