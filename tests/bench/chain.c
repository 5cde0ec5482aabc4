/* Chains of N links hung at one end: how the cost of a step grows with their number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "bench.h"

enum { SIZES = 3 };

#define LENGTH 1.0   /* m, of a link */
#define MASS 1.0     /* kg, the same */
#define GRAVITY 9.81 /* m/s^2 */

static int complain(const char* what, const VidaError* error) {
  fprintf(stderr, "chain: %s: %s\n", what, error->message);
  return 1;
}

/* (x^2 + y^2 - l^2) / (2 l) of a link; formulas are built without looking at each step, a failure
 * shows when the constraint is added. */
static int add_formula(VidaSystem* element, VidaExpression x, VidaExpression y, VidaError* error) {
  const char* const steps[] = {"*", "*", "+", "-", "/"};
  VidaExpression l = -1, square = -1, g = -1, two = -1, pair[2];
  int parameter = -1;
  VidaSystem_AddParameter(element, "length", LENGTH, &parameter, error);
  VidaSystem_ParameterExpression(element, parameter, &l, error);
  VidaSystem_Constant(element, 2.0, &two, error);
  pair[0] = pair[1] = x;
  VidaSystem_Apply(element, steps[0], 2, pair, &g, error);
  pair[0] = pair[1] = y;
  VidaSystem_Apply(element, steps[1], 2, pair, &square, error);
  pair[0] = g;
  pair[1] = square;
  VidaSystem_Apply(element, steps[2], 2, pair, &g, error);
  pair[0] = pair[1] = l;
  VidaSystem_Apply(element, steps[0], 2, pair, &square, error);
  pair[0] = g;
  pair[1] = square;
  VidaSystem_Apply(element, steps[3], 2, pair, &g, error);
  pair[0] = two;
  pair[1] = l;
  VidaSystem_Apply(element, steps[0], 2, pair, &two, error);
  pair[0] = g;
  pair[1] = two;
  VidaSystem_Apply(element, steps[4], 2, pair, &g, error);
  return VidaSystem_AddExpressionConstraint(element, "length", "m", g, error);
}

/* The pattern of a link: between two particles, or from the origin to one. */
static int make_element(bool is_first, VidaSystem** element, VidaError* error) {
  static const char* const names[4] = {"x1", "y1", "x2", "y2"};
  const int count = is_first ? 2 : 4;
  VidaExpression position[4];
  int failed = VidaSystem_Create("link", 2, element, error);
  for (int i = 0; i < count && !failed; i++) {
    failed = VidaSystem_AddCoordinate(*element, names[i], "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), NULL, error) ||
             VidaSystem_Position(*element, i, &position[i], error);
  }
  VidaExpression d[2] = {position[0], position[1]};
  for (int k = 0; k < 2 && !failed && !is_first; k++) {
    const VidaExpression pair[2] = {position[2 + k], position[k]};
    failed = VidaSystem_Apply(*element, "-", 2, pair, &d[k], error);
  }
  return failed || add_formula(*element, d[0], d[1], error);
}

static int add_link(VidaSystem* system, int i, const char* name, VidaSystem* const* elements,
                    VidaError* error) {
  const int coordinates[4] = {i ? 2 * i - 2 : 0, i ? 2 * i - 1 : 1, 2 * i, 2 * i + 1};
  if (elements) {
    return VidaSystem_AddElement(system, elements[i > 0], name, coordinates, NULL, NULL, error);
  }
  const VidaDistance distance = {
      .name = name,
      .from = i ? VidaPoint_Particle(i - 1) : VidaPoint_Fixed(0.0, 0.0, 0.0),
      .to = VidaPoint_Particle(i),
      .length = LENGTH};
  return VidaSystem_AddDistance(system, &distance, error);
}

/* A chain in a vertical plane, stretched out 30 degrees below the horizontal, at rest. Its links
 * are built-in distances, or instances of an element that is a formula. */
static int make_chain(int links, VidaSystem* const* elements, VidaSystem** system,
                      VidaError* error) {
  const double gravity[2] = {0.0, -GRAVITY};
  const double down = atan(1.0) * 2.0 / 3.0;
  int failed = VidaSystem_Create("chain", 2, system, error) ||
               VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < links && !failed; i++) {
    char name[32];
    snprintf(name, sizeof name, "link %d", i + 1);
    const double s = LENGTH * (i + 1);
    const VidaParticle particle = {
        .name = name,
        .mass = MASS,
        .position = {VidaInitial_Given(s * cos(down)), VidaInitial_Given(-s * sin(down))},
        .velocity = {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}};
    failed = VidaSystem_AddParticle(*system, &particle, NULL, error) ||
             add_link(*system, i, name, elements, error);
  }
  return failed || VidaSystem_Complete(*system, error);
}

/* Microseconds per step, median over the rounds; negative when something failed. */
static double time_chain(int links, VidaSystem* const* elements, double h, long steps, int rounds,
                         double* newton) {
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  VidaError error = {0};
  double median = -1.0;
  double* work = calloc((size_t)(4 * links + rounds), sizeof *work);
  if (!work || make_chain(links, elements, &system, &error) ||
      VidaSystem_Start(system, 0.0, NULL, work, work + 2 * links, NULL, &error) ||
      VidaOptions_Create("del-midpoint", &options, &error) ||
      VidaOptions_SetReal(options, "h", h, &error) ||
      VidaOptions_SetText(options, "linear_solver", "klu", &error) ||
      VidaStepper_Create(system, options, &stepper, &error)) {
    complain("cannot be created", &error);
  } else {
    int failed = 0;
    double* times = work + 4 * links;
    for (int round = 0; round < rounds && !failed; round++) {
      failed = VidaStepper_Start(stepper, 0.0, work, work + 2 * links, &error);
      const double before = bench_seconds();
      for (long i = 0; i < steps && !failed; i++) {
        failed = VidaStepper_Step(stepper, &error);
      }
      times[round] = bench_seconds() - before;
    }
    if (failed) {
      complain("a step failed", &error);
    } else {
      median = 1e6 * bench_median(rounds, times) / (double)steps;
      *newton = (double)VidaStepper_Statistics(stepper).newton_iterations / (double)steps;
    }
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  free(work);
  return median;
}

static int compare_sizes(const BenchOptions* options, VidaSystem* const* elements) {
  const int links[SIZES] = {10, 100, 1000};
  double x[SIZES], y[SIZES];
  printf("\nChain of N links, del-midpoint, klu, h = %g s, median of %d rounds\n", options->h,
         options->rounds);
  printf("  %6s %10s %14s %12s %14s\n", "N", "us/step", "us/step/link", "Newton/step",
         "from formulas");
  for (int i = 0; i < SIZES; i++) {
    double newton = 0.0;
    /* about the same work at each size, and enough steps to forget the start */
    const long share = options->steps / links[i];
    const long steps = share > 500 ? share : 500;
    const double time = time_chain(links[i], NULL, options->h, steps, options->rounds, &newton);
    double unused;
    const double written =
        time_chain(links[i], elements, options->h, steps, options->rounds, &unused);
    if (!(time > 0.0) || !(written > 0.0)) {
      return 1;
    }
    printf("  %6d %10.3f %14.4f %12.3f %12.3f x\n", links[i], time, time / links[i], newton,
           written / time);
    x[i] = log(links[i]);
    y[i] = log(time);
  }
  /* least squares: the sizes are equally spaced in the logarithm */
  printf("  time grows as N^%.2f\n", (y[SIZES - 1] - y[0]) / (x[SIZES - 1] - x[0]));
  return 0;
}

static long memory_so_far(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0; /* kB, of a peak */
}

/* Seconds until a chain from formulas is ready to step; negative when something failed. */
static double time_readiness(int links, VidaSystem* const* elements) {
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  VidaError error = {0};
  const double before = bench_seconds();
  double* work = calloc((size_t)(4 * links), sizeof *work);
  const int failed = !work || make_chain(links, elements, &system, &error) ||
                     VidaSystem_Start(system, 0.0, NULL, work, work + 2 * links, NULL, &error) ||
                     VidaOptions_Create("del-midpoint", &options, &error) ||
                     VidaOptions_SetReal(options, "h", 1e-3, &error) ||
                     VidaStepper_Create(system, options, &stepper, &error) ||
                     VidaStepper_Start(stepper, 0.0, work, work + 2 * links, &error);
  const double time = bench_seconds() - before;
  if (failed) {
    complain("is not ready", &error);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  free(work);
  return failed ? -1.0 : time;
}

static int compare_readiness(VidaSystem* const* elements) {
  const int links[SIZES] = {1000, 10000, 100000};
  double time[SIZES], memory[SIZES];
  printf("\nChain of N links from formulas: until it is ready to step\n");
  printf("  %6s %10s %14s\n", "N", "s", "memory, MB");
  for (int i = 0; i < SIZES; i++) {
    time[i] = time_readiness(links[i], elements);
    memory[i] = (double)memory_so_far() / 1024.0;
    if (!(time[i] > 0.0)) {
      return 1;
    }
    printf("  %6d %10.3f %14.1f\n", links[i], time[i], memory[i]);
  }
  const double factor = log((double)links[SIZES - 1] / links[1]);
  printf("  from the second to the last, time grows as N^%.2f, memory as N^%.2f\n",
         log(time[SIZES - 1] / time[1]) / factor, log(memory[SIZES - 1] / memory[1]) / factor);
  return 0;
}

int bench_chain(const BenchOptions* options) {
  VidaSystem* elements[2] = {NULL, NULL};
  VidaError error = {0};
  int failed =
      make_element(true, &elements[0], &error) || make_element(false, &elements[1], &error);
  if (failed) {
    complain("the element cannot be made", &error);
  } else {
    failed = compare_readiness(elements) || compare_sizes(options, elements);
  }
  VidaSystem_Destroy(&elements[0]);
  VidaSystem_Destroy(&elements[1]);
  return failed;
}
