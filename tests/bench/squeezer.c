/* The squeezer by ida-ggl and by a bare IDA program with everything written by hand: time against
 * error. Both run at a row of tolerances; a line through log error and log time of each tells what
 * the same error costs. */
#include "squeezer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

enum { CONTENDERS = 2, TOLERANCES = 25, ROUNDS = 11 };

static const SqueezerContender* const contenders[CONTENDERS] = {&squeezer_library, &squeezer_bare};

typedef struct Line {
  double error[TOLERANCES], time[TOLERANCES]; /* logarithms */
} Line;

/* Of the processor, so that others who use the machine count less. */
static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static double error_of(const double* q) {
  double largest = 0.0;
  for (int i = 0; i < SQUEEZER_ANGLES; i++) {
    largest = fmax(largest, fabs(q[i] - squeezer_end[i]) / (1.0 + fabs(squeezer_end[i])));
  }
  return largest;
}

static double tolerance_of(int k) {
  return pow(10.0, -4.0 - 0.25 * k);
}

/* Log of the time at a log error, from the line of least squares. */
static double time_at(const Line* line, double error) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int k = 0; k < TOLERANCES; k++) {
    x += line->error[k] / TOLERANCES;
    y += line->time[k] / TOLERANCES;
  }
  for (int k = 0; k < TOLERANCES; k++) {
    xx += (line->error[k] - x) * (line->error[k] - x);
    xy += (line->error[k] - x) * (line->time[k] - y);
  }
  return y + xy / xx * (error - x);
}

static int measure(void* const* self, Line* lines) {
  for (int k = 0; k < TOLERANCES; k++) {
    double times[CONTENDERS][ROUNDS], q[SQUEEZER_ANGLES];
    long residuals[CONTENDERS];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < CONTENDERS; i++) {
        const double before = processor_seconds();
        residuals[i] = contenders[i]->run(self[i], tolerance_of(k), q);
        times[i][round] = processor_seconds() - before;
        if (residuals[i] < 0) {
          fprintf(stderr, "%s: failed at %g\n", contenders[i]->name, tolerance_of(k));
          return 1;
        }
        lines[i].error[k] = log(error_of(q));
      }
    }
    printf("  %8.1e", tolerance_of(k));
    for (int i = 0; i < CONTENDERS; i++) {
      /* the least: others use the machine, too */
      bench_median(ROUNDS, times[i]);
      lines[i].time[k] = log(times[i][0]);
      printf("   %9.2e %9.3f %9ld", exp(lines[i].error[k]), 1e3 * times[i][0], residuals[i]);
    }
    printf("\n");
  }
  return 0;
}

int bench_squeezer(void) {
  void* self[CONTENDERS] = {NULL};
  static Line lines[CONTENDERS];
  int failed = 0;
  for (int i = 0; i < CONTENDERS && !failed; i++) {
    failed = contenders[i]->create(&self[i]);
  }
  printf("\nAndrews' squeezer, 0.03 s, stabilized index 2, least of %d rounds\n", ROUNDS);
  printf("  %8s   %-29s   %-29s\n", "rtol", contenders[0]->name, contenders[1]->name);
  printf("  %8s   %9s %9s %9s   %9s %9s %9s\n", "", "error", "ms", "residuals", "error", "ms",
         "residuals");
  failed = failed || measure(self, lines);
  for (int k = 5; k <= 9 && !failed; k++) {
    const double error = -k * log(10.0);
    printf("  library / bare IDA at an error of 1e-%d  %6.3f\n", k,
           exp(time_at(&lines[0], error) - time_at(&lines[1], error)));
  }
  for (int i = 0; i < CONTENDERS; i++) {
    if (self[i]) {
      contenders[i]->destroy(self[i]);
    }
  }
  return failed;
}
