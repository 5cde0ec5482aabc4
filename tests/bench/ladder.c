/* The ladder of rigid rods of Lacoursiere 2007, section 6, with SPOOK: figure 7, the cost of a step
 * as a function of the number of its cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "bench.h"

enum { SIZES = 4, OF_ROD = 4, UNIT = 0, ORIGIN, HEAD_TO_TAIL, HEAD_TO_HEAD, KINDS };

#define MASS 10.0    /* kg, of a rod of 1 m */
#define GRAVITY 9.81 /* m/s^2 */

static int complain(const char* what, const VidaError* error) {
  fprintf(stderr, "ladder: %s: %s\n", what, error->message);
  return 1;
}

/* Formulas are built without looking at each step; a failure shows when they are added. */
static VidaExpression combine(VidaSystem* system, const char* operation, VidaExpression a,
                              VidaExpression b, VidaError* error) {
  const VidaExpression pair[2] = {a, b};
  VidaExpression result = -1;
  VidaSystem_Apply(system, operation, 2, pair, &result, error);
  return result;
}

static VidaExpression times(VidaSystem* system, double factor, VidaExpression a, VidaError* error) {
  VidaExpression constant = -1;
  VidaSystem_Constant(system, factor, &constant, error);
  return combine(system, "*", constant, a, error);
}

/* factor (a^2 + b^2) */
static VidaExpression squares(VidaSystem* system, double factor, VidaExpression a, VidaExpression b,
                              VidaError* error) {
  return times(system, factor,
               combine(system, "+", combine(system, "*", a, a, error),
                       combine(system, "*", b, b, error), error),
               error);
}

/* L of a rod, and that its direction is a unit vector. */
static int define_rod(VidaSystem* element, const VidaExpression* q, VidaError* error) {
  VidaExpression v[OF_ROD] = {-1, -1, -1, -1}, half = -1;
  for (int i = 0; i < OF_ROD; i++) {
    VidaSystem_Rate(element, i, &v[i], error);
  }
  VidaSystem_Constant(element, 0.5, &half, error);
  const VidaExpression kinetic =
      combine(element, "+", squares(element, 0.5 * MASS, v[0], v[1], error),
              squares(element, MASS / 24.0, v[2], v[3], error), error);
  const VidaExpression weight = times(element, MASS * GRAVITY, q[1], error);
  const VidaExpression unit =
      combine(element, "-", squares(element, 0.5, q[2], q[3], error), half, error);
  return VidaSystem_AddExpressionLagrangian(element, "rod",
                                            combine(element, "-", kinetic, weight, error), error) ||
         VidaSystem_AddExpressionConstraint(element, "direction", "", unit, error);
}

/* Both components of the place of an end: centre + side / 2 direction. */
static int define_joint(VidaSystem* element, int kind, const VidaExpression* q, VidaError* error) {
  static const char* const names[2] = {"x", "y"};
  int failed = 0;
  for (int k = 0; k < 2 && !failed; k++) {
    const double side = kind == ORIGIN ? -0.5 : 0.5;
    VidaExpression gap = combine(element, "+", q[k], times(element, side, q[2 + k], error), error);
    if (kind != ORIGIN) {
      const double other = kind == HEAD_TO_TAIL ? -0.5 : 0.5;
      gap = combine(element, "-", gap,
                    combine(element, "+", q[4 + k], times(element, other, q[6 + k], error), error),
                    error);
    }
    failed = VidaSystem_AddExpressionConstraint(element, names[k], "m", gap, error);
  }
  return failed;
}

static int make_element(int kind, VidaSystem** element, VidaError* error) {
  const int count = kind == UNIT || kind == ORIGIN ? OF_ROD : 2 * OF_ROD;
  VidaExpression q[2 * OF_ROD];
  int failed = VidaSystem_Create("part", 2, element, error);
  for (int i = 0; i < count && !failed; i++) {
    char name[16];
    snprintf(name, sizeof name, "q%d", i);
    failed = VidaSystem_AddCoordinate(*element, name, "m", VidaInitial_Given(0.0),
                                      VidaInitial_Given(0.0), NULL, error) ||
             VidaSystem_Position(*element, i, &q[i], error);
  }
  if (failed) {
    return failed;
  }
  return kind == UNIT ? define_rod(*element, q, error) : define_joint(*element, kind, q, error);
}

static int add_rod(VidaSystem* system, VidaSystem* const* elements, int j, VidaError* error) {
  /* rods 1, 4, 7, ... stand upright, the others lie along the ladder */
  const int cell = (j - 1) / 3;
  const bool stands = j % 3 == 1;
  const double place[OF_ROD] = {stands ? cell : (j % 3 ? j / 3 : j / 3 - 1) + 0.5,
                                stands       ? 0.5
                                : j % 3 == 0 ? 1.0
                                             : 0.0,
                                stands ? 0.0 : 1.0, stands ? 1.0 : 0.0};
  int index[OF_ROD];
  char name[32];
  int failed = 0;
  for (int i = 0; i < OF_ROD && !failed; i++) {
    snprintf(name, sizeof name, "%c%d", "xyuv"[i], j);
    failed = VidaSystem_AddCoordinate(system, name, "m", VidaInitial_Given(place[i]),
                                      VidaInitial_Given(0.0), &index[i], error);
  }
  snprintf(name, sizeof name, "rod %d", j);
  return failed || VidaSystem_AddElement(system, elements[UNIT], name, index, NULL, NULL, error);
}

static int add_joint(VidaSystem* system, VidaSystem* const* elements, int kind, int from, int to,
                     VidaError* error) {
  int index[2 * OF_ROD];
  char name[32];
  snprintf(name, sizeof name, "joint %d-%d", from, to);
  for (int i = 0; i < OF_ROD; i++) {
    index[i] = OF_ROD * ((from ? from : to) - 1) + i;
    index[OF_ROD + i] = OF_ROD * (to - 1) + i;
  }
  return VidaSystem_AddElement(system, elements[kind], name, index, NULL, NULL, error);
}

static int make_ladder(int cells, VidaSystem* const* elements, VidaSystem** system,
                       VidaError* error) {
  const int rods = 3 * cells + 1;
  int failed = VidaSystem_Create("ladder", 2, system, error);
  for (int j = 1; j <= rods && !failed; j++) {
    failed = add_rod(*system, elements, j, error);
  }
  for (int j = 1; j <= rods && !failed; j++) {
    const int below = j <= 2 ? 0 : j % 3 == 2 ? j - 3 : j - 2;
    failed = add_joint(*system, elements, below ? HEAD_TO_TAIL : ORIGIN, below, j, error);
    if (!failed && j > 1 && j % 3 == 1) {
      failed = add_joint(*system, elements, HEAD_TO_HEAD, j - 1, j, error);
    }
  }
  return failed || VidaSystem_Complete(*system, error);
}

/* Microseconds per step, median over the rounds; negative when something failed. */
static double time_ladder(int cells, VidaSystem* const* elements, long steps, int rounds) {
  const int n = OF_ROD * (3 * cells + 1);
  VidaSystem* system = NULL;
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  VidaError error = {0};
  double median = -1.0;
  double* work = calloc((size_t)(2 * n + rounds), sizeof *work);
  if (!work || make_ladder(cells, elements, &system, &error) ||
      VidaSystem_Start(system, 0.0, NULL, work, work + n, NULL, &error) ||
      VidaOptions_Create("spook", &options, &error) ||
      VidaOptions_SetReal(options, "h", 1.0 / 240.0, &error) ||
      VidaOptions_SetReal(options, "epsilon", 1e-8, &error) ||
      VidaOptions_SetReal(options, "tau_over_h", 2.0, &error) ||
      VidaStepper_Create(system, options, &stepper, &error)) {
    complain("cannot be created", &error);
  } else {
    int failed = 0;
    double* seconds = work + 2 * n;
    for (int round = 0; round < rounds && !failed; round++) {
      failed = VidaStepper_Start(stepper, 0.0, work, work + n, &error);
      const double before = bench_seconds();
      for (long i = 0; i < steps && !failed; i++) {
        failed = VidaStepper_Step(stepper, &error);
      }
      seconds[round] = bench_seconds() - before;
    }
    if (failed) {
      complain("a step failed", &error);
    } else {
      median = 1e6 * bench_median(rounds, seconds) / (double)steps;
    }
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
  free(work);
  return median;
}

static int compare_sizes(const BenchOptions* options, VidaSystem* const* elements) {
  const int cells[SIZES] = {10, 100, 1000, 10000};
  double first = 0.0;
  printf("\nLadder of N cells (12 N + 4 coordinates, 11 N + 3 constraints), spook, h = 1/240 s\n");
  printf("  %6s %12s %14s\n", "N", "us/step", "us/step/cell");
  for (int i = 0; i < SIZES; i++) {
    const long share = options->steps / (10L * cells[i]);
    const int rounds = cells[i] > 1000 ? 1 : options->rounds;
    const double time = time_ladder(cells[i], elements, share > 10 ? share : 10, rounds);
    if (!(time > 0.0)) {
      return 1;
    }
    printf("  %6d %12.1f %14.3f\n", cells[i], time, time / cells[i]);
    if (i == 0) {
      first = time;
    } else if (i == SIZES - 1) {
      printf("  time grows as N^%.2f\n", log(time / first) / log((double)cells[i] / cells[0]));
    }
  }
  return 0;
}

int bench_ladder(const BenchOptions* options) {
  VidaSystem* elements[KINDS] = {NULL, NULL, NULL, NULL};
  VidaError error = {0};
  int failed = 0;
  for (int kind = 0; kind < KINDS && !failed; kind++) {
    failed = make_element(kind, &elements[kind], &error);
  }
  if (failed) {
    complain("the elements cannot be made", &error);
  } else {
    failed = compare_sizes(options, elements);
  }
  for (int kind = 0; kind < KINDS; kind++) {
    VidaSystem_Destroy(&elements[kind]);
  }
  return failed;
}
