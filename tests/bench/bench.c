/* Benchmarks of VIDA. Run them by tests/bench/run; the numbers mean something in release builds. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vida/vida.h>

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

double bench_median(int count, double* values) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static void usage(FILE* file) {
  fprintf(file,
          "vida_bench [pendulum|chain|shake|ladder|squeezer|radau|sweep] [--h STEP]\n"
          "           [--steps STEPS] [--rounds ROUNDS]\n"
          "  pendulum  the double spherical pendulum through the library, as a bare KINSOL loop\n"
          "            and hand-coded (defaults: h 1e-3 s, 100000 steps, 7 rounds)\n"
          "  chain     chains of 10, 100 and 1000 links\n"
          "  shake     chains with del-endpoint and rattle, and both coded by hand\n"
          "  ladder    ladders of 10 to 10000 cells with SPOOK\n"
          "  squeezer  ida-ggl and a bare IDA program written by hand\n"
          "  radau     radau beside rattle on mechanisms, and on chains of 100 and 1000 links\n"
          "  sweep     many starts of the pendulum, in lanes and alone\n");
}

/* A positive number behind an option; 0 when it is none. */
static double positive(const char* text) {
  char* end = NULL;
  errno = 0;
  const double value = text ? strtod(text, &end) : 0.0;
  return text && end != text && !*end && !errno && isfinite(value) && value > 0.0 ? value : 0.0;
}

int main(int count, char** arguments) {
  BenchOptions options = {.h = 1e-3, .steps = 100000, .rounds = 7};
  const char* only = "";
  for (int i = 1; i < count; i++) {
    const double value = positive(arguments[i + 1 < count ? i + 1 : i]);
    if (!strcmp(arguments[i], "--help")) {
      usage(stdout);
      return 0;
    } else if (!strcmp(arguments[i], "--h") && value > 0.0) {
      options.h = value;
      i++;
    } else if (!strcmp(arguments[i], "--steps") && value >= 1.0 && value <= 1e9) {
      options.steps = (long)value;
      i++;
    } else if (!strcmp(arguments[i], "--rounds") && value >= 1.0 && value <= 1000.0) {
      options.rounds = (int)value;
      i++;
    } else if (!strcmp(arguments[i], "pendulum") || !strcmp(arguments[i], "chain") ||
               !strcmp(arguments[i], "shake") || !strcmp(arguments[i], "ladder") ||
               !strcmp(arguments[i], "squeezer") || !strcmp(arguments[i], "radau") ||
               !strcmp(arguments[i], "sweep")) {
      only = arguments[i];
    } else {
      fprintf(stderr, "vida_bench: '%s' is unknown or lacks its value\n", arguments[i]);
      usage(stderr);
      return 2;
    }
  }
  printf("VIDA %s on SUNDIALS %s\n", Vida_Version(), Vida_SundialsVersion());
  int failed = 0;
  if (!*only || !strcmp(only, "pendulum")) {
    failed |= bench_pendulum(&options);
  }
  if (!*only || !strcmp(only, "chain")) {
    failed |= bench_chain(&options);
  }
  if (!*only || !strcmp(only, "shake")) {
    failed |= bench_shake(&options);
  }
  if (!*only || !strcmp(only, "ladder")) {
    failed |= bench_ladder(&options);
  }
  if (!*only || !strcmp(only, "squeezer")) {
    failed |= bench_squeezer();
  }
  if (!*only || !strcmp(only, "radau")) {
    failed |= bench_radau();
  }
  if (!*only || !strcmp(only, "sweep")) {
    failed |= bench_sweep(&options);
  }
  return failed;
}
