/* Discrete derivatives: divided differences against quadruple precision, and the properties that
 * make D f what it is (Gonzalez 1999, eq. 15-17), for random expressions at far, near and equal
 * points.
 *
 * Samples per divided difference: 3000, or as many as VIDA_TEST_SAMPLES says (100000). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/discrete.h"
#include "support/check.h"
#include "support/expression.h"

static int sample_count(void) {
  const char* text = getenv("VIDA_TEST_SAMPLES");
  const int wanted = text ? atoi(text) : 0;
  return wanted > 0 ? wanted : CHECK_SANITIZED ? 500 : 3000;
}

static int constant(vida_graph* graph, double value) {
  return vida__graph_constant(graph, value);
}

static int unary(vida_graph* graph, vida_operation operation, int a) {
  return vida__graph_apply(graph, operation, a, -1, -1);
}

static int binary(vida_graph* graph, vida_operation operation, int a, int b) {
  return vida__graph_apply(graph, operation, a, b, -1);
}

/* ---- divided differences -------------------------------------------------------------------- */

typedef struct Range {
  vida_operation phi;
  double p;         /* exponent */
  double low, high; /* of the arguments */
  double ulps;      /* allowed */
} Range;

/* 4 ulps, but for powers: x^n by repeated multiplication errs by (n - 1) / 2 ulps itself, and a
 * real power is made of 5 operations. */
static const Range ranges[] = {
    {VIDA_OP_SQRT, 0, 0, 1e3, 4},
    {VIDA_OP_EXP, 0, -600, 600, 4},
    {VIDA_OP_LOG, 0, 0, 1e3, 4},
    {VIDA_OP_SIN, 0, -1e3, 1e3, 4},
    {VIDA_OP_COS, 0, -1e3, 1e3, 4},
    {VIDA_OP_TAN, 0, -1.57, 1.57, 4},
    {VIDA_OP_ASIN, 0, -1, 1, 4},
    {VIDA_OP_ACOS, 0, -1, 1, 4},
    {VIDA_OP_ATAN, 0, -1e3, 1e3, 4},
    {VIDA_OP_SINH, 0, -600, 600, 4},
    {VIDA_OP_COSH, 0, -600, 600, 4},
    {VIDA_OP_TANH, 0, -300, 300, 4},
    {VIDA_OP_ABS, 0, -1e3, 1e3, 4},
    {VIDA_OP_MAX, 0, -1e3, 1e3, 4},
    {VIDA_OP_POWER, -0.5, 0, 1e3, 5},
    {VIDA_OP_POWER, 0.3, 0, 1e3, 5},
    {VIDA_OP_POWER, 2.5, 0, 1e3, 5},
    {VIDA_OP_POWER, -3.7, 0, 1e3, 5},
    {VIDA_OP_POWER_INTEGER, -1, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, 2, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, 3, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, 4, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, 5, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, 6, -1e3, 1e3, 6},
    {VIDA_OP_POWER_INTEGER, 7, -1e3, 1e3, 7},
    {VIDA_OP_POWER_INTEGER, 12, -1e3, 1e3, 12},
    {VIDA_OP_POWER_INTEGER, -2, -1e3, 1e3, 4},
    {VIDA_OP_POWER_INTEGER, -3, -1e3, 1e3, 5},
    {VIDA_OP_POWER_INTEGER, -6, -1e3, 1e3, 9},
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

static double random_argument(const Range* range, unsigned long long* state) {
  const double largest = log10(fmax(fabs(range->low), range->high));
  const double kind = random_unit(state);
  return kind < 0.4   ? random_between(state, range->low, range->high)
         : kind < 0.8 ? random_scale(state, -6.0, largest)
                      : random_scale(state, -300.0, largest);
}

/* Another argument: anywhere, at a relative distance from 1 to less than an ulp, equal, at an
 * absolute distance from 1e-300 on, or on the other side of zero. */
static double random_neighbour(const Range* range, double u, unsigned long long* state) {
  const double largest = log10(fmax(fabs(range->low), range->high));
  const double kind = random_unit(state);
  return kind < 0.30   ? random_between(state, range->low, range->high)
         : kind < 0.80 ? u * (1.0 + random_scale(state, -17.0, 0.0))
         : kind < 0.85 ? u
         : kind < 0.95 ? u + random_scale(state, -300.0, largest)
                       : -u * (1.0 + random_scale(state, -17.0, 0.0));
}

static void random_pair(const Range* range, unsigned long long* state, double* u0, double* u1) {
  bool inside = false;
  while (!inside) {
    *u0 = random_argument(range, state);
    *u1 = random_neighbour(range, *u0, state);
    inside = fmin(*u0, *u1) >= range->low && fmax(*u0, *u1) <= range->high;
  }
}

/* Far enough from the ends of the range of doubles to have ulps. */
static bool is_ordinary(double x) {
  return fabs(x) > 1e-280 && fabs(x) < 1e300;
}

static void test_divided_differences(void) {
  for (int i = 0; i < RANGES; i++) {
    const Range* range = &ranges[i];
    unsigned long long state = 17;
    double worst = 0.0, worst0 = 0.0, worst1 = 0.0;
    for (int k = 0; k < sample_count(); k++) {
      double u0, u1;
      random_pair(range, &state, &u0, &u1);
      const Quad expected = quad_divided(range->phi, u0, u1, range->p);
      const double value = vida__divided((int)range->phi, u0, u1, range->p);
      const double exchanged = vida__divided((int)range->phi, u1, u0, range->p);
      const bool same = memcmp(&value, &exchanged, sizeof value) == 0;
      EXPECT(same || isnan(value), "not symmetric at %.17g, %.17g", u0, u1);
      const double ulps = quad_ulps(value, expected);
      if (is_ordinary((double)expected) && !(ulps <= worst)) {
        worst = ulps;
        worst0 = u0;
        worst1 = u1;
      }
    }
    EXPECT(worst <= range->ulps, "%s (%g): %g ulps at %.17g, %.17g",
           vida__operations[range->phi].name, range->p, worst, worst0, worst1);
  }
}

/* Second divided differences only steer Newton's method: 1e-12 of the size of phi''. */
static void test_second_divided_differences(void) {
  for (int i = 0; i < RANGES; i++) {
    const Range* range = &ranges[i];
    unsigned long long state = 19;
    double worst = 0.0, worst0 = 0.0, worst1 = 0.0;
    for (int k = 0; k < sample_count(); k++) {
      double u0, u1;
      random_pair(range, &state, &u0, &u1);
      const double expected = (double)quad_divided_twice(range->phi, u0, u1, range->p);
      const double value = vida__divided_twice((int)range->phi, u0, u1, range->p);
      const double slope0 =
          fabs((double)(quad_slope(range->phi, u0, range->p) / quad_scale(range->phi, u0)));
      const double slope1 =
          fabs((double)(quad_slope(range->phi, u1, range->p) / quad_scale(range->phi, u1)));
      const double size = fmax(fabs(expected), fmax(slope0, slope1));
      if (!is_ordinary(expected) || !is_ordinary(size)) {
        continue;
      }
      const double error = fabs(value - expected) / size;
      if (!(error <= worst)) {
        worst = error;
        worst0 = u0;
        worst1 = u1;
      }
    }
    EXPECT(worst <= 1e-12, "%s (%g): %g at %.17g, %.17g", vida__operations[range->phi].name,
           range->p, worst, worst0, worst1);
  }
}

static void test_every_operation_is_tried(void) {
  for (int i = 0; i < VIDA_OPERATION_COUNT; i++) {
    bool tried = vida__operations[i].discrete != VIDA_DISCRETE_DIVIDED;
    for (int k = 0; k < RANGES; k++) {
      tried = tried || ranges[k].phi == (vida_operation)i;
    }
    EXPECT(tried, "%s is not tried", vida__operations[i].name);
  }
  EXPECT(isnan(vida__divided(VIDA_OP_LOG, -1.0, 2.0, 0.0)), "outside of the domain");
  EXPECT(isnan(vida__divided(VIDA_OP_ASIN, 0.5, 2.0, 0.0)), "outside of the domain");
  EXPECT(isnan(vida__divided(VIDA_OP_SQRT, -1.0, 2.0, 0.0)), "outside of the domain");
  EXPECT(isnan(vida__divided(VIDA_OP_SIN, NAN, 2.0, 0.0)), "not a number");
  EXPECT(vida__divided(VIDA_OP_ABS, 0.0, 0.0, 0.0) == 0.0, "abs at its kink");
}

/* atan2(y, x) / y and its slope, in all directions and for tiny y */
static void test_angles(void) {
  unsigned long long state = 23;
  for (int k = 0; k < sample_count(); k++) {
    /* far from the negative x axis, or near the positive one */
    const bool wide = random_unit(&state) < 0.5;
    const double x = wide ? random_scale(&state, -3.0, 3.0) : fabs(random_scale(&state, -3.0, 3.0));
    const double y = wide ? random_scale(&state, -3.0, 3.0) : x * random_scale(&state, -200.0, 0.0);
    const Quad expected = quad_apply(VIDA_OP_ANGLE_RATIO, 0, y, x, 0);
    EXPECT(quad_ulps(vida__angle_ratio(y, x), expected) <= 4.0, "ratio at %.17g, %.17g", y, x);
    const Quad step = (Quad)1e-11 * quad_abs(x > 0 ? x : y);
    const double slope = (double)((quad_apply(VIDA_OP_ANGLE_RATIO, 0, (Quad)y + step, x, 0) -
                                   quad_apply(VIDA_OP_ANGLE_RATIO, 0, (Quad)y - step, x, 0)) /
                                  (2 * step));
    const double size = fmax(fabs(slope), (double)quad_abs(expected) / fmax(fabs(x), fabs(y)));
    EXPECT_NEAR(vida__angle_slope(y, x), slope, 1e-11 * size, "slope at %.17g, %.17g", y, x);
  }
}

/* ---- expressions ---------------------------------------------------------------------------- */

enum { COUNT = 3 };

/* A function of positions with its discrete derivative. */
typedef struct Bench {
  vida_graph* graph;
  int f, second; /* at q0, at q1 */
  int q[COUNT];
  int gradient[COUNT], discrete[COUNT];
  vida_entries jacobian, hessian;
} Bench;

static void start(Bench* bench) {
  memset(bench, 0, sizeof *bench);
  bench->graph = vida__graph_create();
  for (int i = 0; i < COUNT; i++) {
    bench->q[i] = vida__graph_input(bench->graph, VIDA_INPUT_POSITION, i);
  }
}

static int copy_at_second(vida_graph* graph, int f) {
  const int size = graph->count;
  int* map = malloc((size_t)size * sizeof *map);
  for (int i = 0; i < size; i++) {
    map[i] = -1;
  }
  const int copy =
      vida__graph_replace(graph, f, VIDA_INPUT_POSITION, VIDA_INPUT_SECOND_POSITION, size, map);
  free(map);
  return copy;
}

static void derive(Bench* bench, int f) {
  bench->f = f;
  bench->second = copy_at_second(bench->graph, f);
  REQUIRE_OK(vida__derive_gradient(bench->graph, f, COUNT, bench->q, bench->gradient), NULL);
  REQUIRE_OK(vida__derive_hessian(bench->graph, COUNT, bench->q, bench->gradient, &bench->hessian),
             NULL);
  REQUIRE_OK(vida__discrete_gradient_nodes(bench->graph, f, COUNT, bench->q, bench->discrete, NULL),
             NULL);
  REQUIRE_OK(vida__discrete_jacobian_nodes(bench->graph, COUNT, bench->q, bench->discrete, 0, NULL,
                                           &bench->jacobian),
             NULL);
}

static void finish(Bench* bench) {
  vida__entries_free(&bench->jacobian);
  vida__entries_free(&bench->hessian);
  vida__graph_destroy(&bench->graph);
}

/* q1 at a distance of 10^exponent times order 1 from q0; below 1e-16 both are near the origin. */
static Inputs random_points(unsigned long long* state, double exponent) {
  Inputs inputs = random_inputs(state);
  const double size = pow(10.0, exponent);
  for (int i = 0; i < COUNT; i++) {
    double* q0 = &inputs.value[VIDA_INPUT_POSITION][i];
    double* q1 = &inputs.value[VIDA_INPUT_SECOND_POSITION][i];
    *q0 = exponent < -15.0 ? *q0 * size : *q0;
    *q1 = *q0 + size * random_between(state, -1.0, 1.0);
  }
  return inputs;
}

static Inputs exchange(const Inputs* inputs) {
  Inputs exchanged = *inputs;
  memcpy(exchanged.value[VIDA_INPUT_POSITION], inputs->value[VIDA_INPUT_SECOND_POSITION],
         sizeof exchanged.value[0]);
  memcpy(exchanged.value[VIDA_INPUT_SECOND_POSITION], inputs->value[VIDA_INPUT_POSITION],
         sizeof exchanged.value[0]);
  return exchanged;
}

static Quad step_of(const Inputs* inputs, int i) {
  return (Quad)inputs->value[VIDA_INPUT_SECOND_POSITION][i] -
         (Quad)inputs->value[VIDA_INPUT_POSITION][i];
}

/* D f as it is evaluated in doubles against the same nodes in quad, where D f . dq = f1 - f0 holds
 * to the digits that the difference of f leaves. */
static void check_directionality(const Bench* bench, const Inputs* inputs, double exponent) {
  double value[COUNT], exchanged[COUNT];
  const Inputs backwards = exchange(inputs);
  evaluate_nodes(bench->graph, COUNT, bench->discrete, inputs, value);
  evaluate_nodes(bench->graph, COUNT, bench->discrete, &backwards, exchanged);
  Quad sum = 0, size = 0;
  double largest = 0.0;
  for (int i = 0; i < COUNT; i++) {
    const Quad exact = expression_quad(bench->graph, bench->discrete[i], inputs, NULL);
    sum += exact * step_of(inputs, i);
    size += quad_abs(exact * step_of(inputs, i));
    largest = fmax(largest, fabs((double)exact));
    EXPECT(memcmp(&value[i], &exchanged[i], sizeof value[i]) == 0, "D f(y, x): %.17g, %.17g",
           value[i], exchanged[i]);
  }
  const Quad f0 = expression_quad(bench->graph, bench->f, inputs, NULL);
  const Quad f1 = expression_quad(bench->graph, bench->second, inputs, NULL);
  const Quad lost = (Quad)1e-30 * (quad_abs(f0) + quad_abs(f1) + 1);
  EXPECT_BELOW((double)(sum - (f1 - f0)), (double)((Quad)1e-15 * size + lost),
               "D f . dq at distance 1e%g", exponent);
  for (int i = 0; i < COUNT; i++) {
    const Quad exact = expression_quad(bench->graph, bench->discrete[i], inputs, NULL);
    EXPECT_NEAR(value[i], (double)exact, 2e-12 * fmax(1.0, largest), "rounding at 1e%g", exponent);
  }
}

static void test_random_expressions(void) {
  static const double exponents[] = {1, 0, -1, -3, -6, -9, -12, -15, -20, -80, -300};
  unsigned long long state = 29;
  for (int k = 0; k < (CHECK_SANITIZED ? 30 : 150); k++) {
    Bench bench;
    start(&bench);
    derive(&bench, random_expression(bench.graph, &state, 4, COUNT, false));
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
      const Inputs inputs = random_points(&state, exponents[i]);
      check_directionality(&bench, &inputs, exponents[i]);
    }
    finish(&bench);
  }
}

/* The difference D f(q - h d, q + h d) - grad f(q), h^2 to leading order */
static double consistency_error(const Bench* bench, const Inputs* middle, double h, int i) {
  Inputs inputs = *middle;
  for (int j = 0; j < COUNT; j++) {
    const double q = middle->value[VIDA_INPUT_POSITION][j];
    const double d = middle->value[VIDA_INPUT_VELOCITY][j];
    inputs.value[VIDA_INPUT_POSITION][j] = q - h * d;
    inputs.value[VIDA_INPUT_SECOND_POSITION][j] = q + h * d;
  }
  return (double)(expression_quad(bench->graph, bench->discrete[i], &inputs, NULL) -
                  expression_quad(bench->graph, bench->gradient[i], middle, NULL));
}

/* Halving the distance divides the error by 4, in all expressions together (in some of them the
 * leading term is zero). */
static void test_second_order(void) {
  unsigned long long state = 31;
  double wide = 0.0, narrow = 0.0;
  for (int k = 0; k < 60; k++) {
    Bench bench;
    start(&bench);
    derive(&bench, random_expression(bench.graph, &state, 4, COUNT, false));
    const Inputs middle = random_inputs(&state);
    for (int i = 0; i < COUNT; i++) {
      const double error = consistency_error(&bench, &middle, 1e-3, i);
      const double half = consistency_error(&bench, &middle, 5e-4, i);
      EXPECT_NEAR(half, 0.25 * error, 1e-4 * fabs(error) + 1e-9, "component %d", i);
      wide += fabs(error);
      narrow += fabs(half);
    }
    finish(&bench);
  }
  EXPECT_NEAR(wide / narrow, 4.0, 0.01, "order %g", log2(wide / narrow));
}

static double entry_at(const Bench* bench, const vida_entries* entries, const Inputs* inputs,
                       int row, int column) {
  for (int k = 0; k < entries->count; k++) {
    if (entries->row[k] == row && entries->column[k] == column) {
      double value;
      evaluate_nodes(bench->graph, 1, &entries->node[k], inputs, &value);
      return value;
    }
  }
  return 0.0;
}

/* d D f_i / d q1_j by a difference of step 1e-7 in quad */
static double quad_jacobian(const Bench* bench, const Inputs* inputs, int i, int j) {
  Shift shift;
  memset(&shift, 0, sizeof shift);
  const Quad step = (Quad)1e-7;
  shift.value[VIDA_INPUT_SECOND_POSITION][j] = step;
  const Quad high = expression_quad(bench->graph, bench->discrete[i], inputs, &shift);
  shift.value[VIDA_INPUT_SECOND_POSITION][j] = -step;
  return (double)((high - expression_quad(bench->graph, bench->discrete[i], inputs, &shift)) /
                  (2 * step));
}

/* Against differences; and half of the Hessian where both points are one, by symmetry. */
static void test_jacobians(void) {
  unsigned long long state = 37;
  for (int k = 0; k < (CHECK_SANITIZED ? 20 : 80); k++) {
    Bench bench;
    start(&bench);
    derive(&bench, random_expression(bench.graph, &state, 4, COUNT, false));
    const Inputs apart = random_points(&state, k % 2 ? 0.0 : -2.0);
    const Inputs near = random_points(&state, -11.0);
    Inputs equal = near;
    memcpy(equal.value[VIDA_INPUT_SECOND_POSITION], equal.value[VIDA_INPUT_POSITION],
           sizeof equal.value[0]);
    double size = 1.0;
    for (int i = 0; i < COUNT * COUNT; i++) {
      size = fmax(size, fabs(entry_at(&bench, &bench.jacobian, &apart, i / COUNT, i % COUNT)));
      size = fmax(size, fabs(entry_at(&bench, &bench.jacobian, &near, i / COUNT, i % COUNT)));
    }
    for (int i = 0; i < COUNT; i++) {
      for (int j = 0; j < COUNT; j++) {
        const double half =
            0.5 * entry_at(&bench, &bench.hessian, &equal, i > j ? i : j, i > j ? j : i);
        EXPECT_NEAR(entry_at(&bench, &bench.jacobian, &apart, i, j),
                    quad_jacobian(&bench, &apart, i, j), 1e-10 * size, "entry %d %d", i, j);
        EXPECT_NEAR(entry_at(&bench, &bench.jacobian, &equal, i, j), half, 1e-12 * size,
                    "equal points, %d %d", i, j);
        EXPECT_NEAR(entry_at(&bench, &bench.jacobian, &near, i, j), half, 1e-8 * size,
                    "near points, %d %d", i, j);
      }
    }
    finish(&bench);
  }
}

/* ---- particular functions ------------------------------------------------------------------- */

/* f(q1) - f(q0) and D f . dq, with D f in doubles, in units of DBL_EPSILON times the sum of the
 * sizes of its terms */
static double ulps_of_terms(const Bench* bench, const Inputs* inputs) {
  double value[COUNT];
  Quad sum = 0, size = 0;
  evaluate_nodes(bench->graph, COUNT, bench->discrete, inputs, value);
  for (int i = 0; i < COUNT; i++) {
    sum += (Quad)value[i] * step_of(inputs, i);
    size += quad_abs((Quad)value[i] * step_of(inputs, i));
  }
  const Quad f0 = expression_quad(bench->graph, bench->f, inputs, NULL);
  const Quad f1 = expression_quad(bench->graph, bench->second, inputs, NULL);
  return (double)(quad_abs(sum - (f1 - f0)) / (size * (Quad)DBL_EPSILON));
}

static int length(Bench* bench) {
  int sum = constant(bench->graph, 0.0);
  for (int i = 0; i < COUNT; i++) {
    sum = binary(bench->graph, VIDA_OP_ADD, sum, vida__graph_power(bench->graph, bench->q[i], 2));
  }
  return unary(bench->graph, VIDA_OP_SQRT, sum);
}

/* A spring (r - 0.05)^2 / 2 (its force is rounded in units of r: far from its rest length),
 * Kepler's -1/r, Morse's (1 - exp(-r))^2, a pendulum's -cos q0, and kinks of contact: max(-q0, 0)^2
 * and |q1| */
static int potential(Bench* bench, int which) {
  vida_graph* graph = bench->graph;
  const int r = length(bench), one = constant(graph, 1.0);
  switch (which) {
    case 0:
      return binary(
          graph, VIDA_OP_MULTIPLY, constant(graph, 0.5),
          vida__graph_power(graph, binary(graph, VIDA_OP_SUBTRACT, r, constant(graph, 0.05)), 2));
    case 1:
      return unary(graph, VIDA_OP_NEGATE, binary(graph, VIDA_OP_DIVIDE, one, r));
    case 2:
      return vida__graph_power(graph,
                               binary(graph, VIDA_OP_SUBTRACT, one,
                                      unary(graph, VIDA_OP_EXP, unary(graph, VIDA_OP_NEGATE, r))),
                               2);
    case 3:
      return unary(graph, VIDA_OP_NEGATE, unary(graph, VIDA_OP_COS, bench->q[0]));
    case 4:
      return vida__graph_power(graph,
                               binary(graph, VIDA_OP_MAX, unary(graph, VIDA_OP_NEGATE, bench->q[0]),
                                      constant(graph, 0.0)),
                               2);
    default:
      return unary(graph, VIDA_OP_ABS, bench->q[1]);
  }
}
enum { POTENTIALS = 6 };

/* Energy is kept to round-off: D V . dq = V1 - V0 to a few ulps of the terms, at any distance. */
static void test_potentials(void) {
  for (int which = 0; which < POTENTIALS; which++) {
    Bench bench;
    unsigned long long state = 41;
    double worst = 0.0;
    start(&bench);
    derive(&bench, potential(&bench, which));
    for (int k = 0; k < sample_count(); k++) {
      const Inputs inputs = random_points(&state, random_between(&state, -14.0, 0.5));
      const double ulps = ulps_of_terms(&bench, &inputs);
      worst = isfinite(ulps) ? fmax(worst, ulps) : worst; /* 0/0: flat, D V = 0 */
    }
    EXPECT(worst <= 12.0, "potential %d: %g ulps", which, worst);
    finish(&bench);
  }
}

/* The plane angle atan2(q1, q0): its discrete derivative gives the angle between both vectors. */
static void test_angle_of_a_vector(void) {
  Bench bench;
  unsigned long long state = 43;
  start(&bench);
  derive(&bench, binary(bench.graph, VIDA_OP_ATAN2, bench.q[1], bench.q[0]));
  for (int k = 0; k < 500; k++) {
    const double r0 = random_between(&state, 0.5, 2.0), r1 = random_between(&state, 0.5, 2.0);
    const double angle = random_between(&state, -3.0, 3.0);
    const double turn = random_scale(&state, -12.0, 0.4);
    const Inputs inputs = {
        .value[VIDA_INPUT_POSITION] = {r0 * cos(angle), r0 * sin(angle)},
        .value[VIDA_INPUT_SECOND_POSITION] = {r1 * cos(angle + turn), r1 * sin(angle + turn)}};
    double value[COUNT];
    evaluate_nodes(bench.graph, COUNT, bench.discrete, &inputs, value);
    const double sum =
        value[0] * (double)step_of(&inputs, 0) + value[1] * (double)step_of(&inputs, 1);
    /* also across the negative x axis, where atan2 jumps; points are rounded to 1e-16 */
    EXPECT_NEAR(sum, turn, 2e-15, "from %g by %g", angle, turn);
  }
  finish(&bench);
}

/* A function of q . q: D f is along q0 + q1, so D f . (A (q0 + q1) / 2) = 0 for skew A (eq. 17). */
static void test_orthogonality(void) {
  Bench bench;
  unsigned long long state = 47;
  start(&bench);
  derive(&bench,
         unary(bench.graph, VIDA_OP_LOG,
               binary(bench.graph, VIDA_OP_ADD, constant(bench.graph, 1.0), length(&bench))));
  for (int k = 0; k < 500; k++) {
    const Inputs inputs = random_points(&state, random_between(&state, -6.0, 0.5));
    double d[COUNT], z[COUNT];
    evaluate_nodes(bench.graph, COUNT, bench.discrete, &inputs, d);
    for (int i = 0; i < COUNT; i++) {
      z[i] = 0.5 *
             (inputs.value[VIDA_INPUT_POSITION][i] + inputs.value[VIDA_INPUT_SECOND_POSITION][i]);
    }
    EXPECT_BELOW(d[0] * z[1] - d[1] * z[0], 1e-15 * (1.0 + fabs(d[0]) + fabs(d[1])), "about z");
    EXPECT_BELOW(d[1] * z[2] - d[2] * z[1], 1e-15 * (1.0 + fabs(d[1]) + fabs(d[2])), "about x");
  }
  finish(&bench);
}

/* Quadratic f: the gradient at the midpoint, exactly the same numbers in quad. */
static void test_quadratic(void) {
  Bench bench;
  unsigned long long state = 53;
  start(&bench);
  int sum = binary(bench.graph, VIDA_OP_MULTIPLY, constant(bench.graph, 0.7), bench.q[2]);
  for (int i = 0; i < COUNT; i++) {
    for (int j = 0; j <= i; j++) {
      const int product = binary(bench.graph, VIDA_OP_MULTIPLY, bench.q[i], bench.q[j]);
      const int factor = constant(bench.graph, random_between(&state, -1.0, 1.0));
      sum = binary(bench.graph, VIDA_OP_ADD, sum,
                   binary(bench.graph, VIDA_OP_MULTIPLY, factor, product));
    }
  }
  derive(&bench, sum);
  for (int k = 0; k < 100; k++) {
    const Inputs inputs = random_points(&state, 1.0);
    Shift shift;
    memset(&shift, 0, sizeof shift);
    for (int i = 0; i < COUNT; i++) {
      shift.value[VIDA_INPUT_POSITION][i] = step_of(&inputs, i) / 2;
    }
    for (int i = 0; i < COUNT; i++) {
      const Quad expected = expression_quad(bench.graph, bench.gradient[i], &inputs, &shift);
      const Quad value = expression_quad(bench.graph, bench.discrete[i], &inputs, NULL);
      EXPECT_BELOW((double)(value - expected), 1e-30, "component %d", i);
    }
  }
  finish(&bench);
}

/* Exponents that move, min, max and abs are no exception. */
static void test_special_operations(void) {
  Bench bench;
  unsigned long long state = 59;
  start(&bench);
  vida_graph* graph = bench.graph;
  const int base =
      binary(graph, VIDA_OP_ADD, constant(graph, 3.0), unary(graph, VIDA_OP_SIN, bench.q[0]));
  const int moving = binary(graph, VIDA_OP_POWER, base, bench.q[1]);
  const int least = binary(graph, VIDA_OP_MIN, bench.q[0],
                           binary(graph, VIDA_OP_MULTIPLY, bench.q[1], bench.q[2]));
  const int most = binary(graph, VIDA_OP_MAX, bench.q[2], unary(graph, VIDA_OP_ABS, bench.q[0]));
  const int angle = binary(graph, VIDA_OP_ATAN2, bench.q[1], base);
  derive(&bench, binary(graph, VIDA_OP_ADD, binary(graph, VIDA_OP_MULTIPLY, moving, least),
                        binary(graph, VIDA_OP_MULTIPLY, most, angle)));
  for (int k = 0; k < 400; k++) {
    const double exponent = random_between(&state, -14.0, 0.0);
    const Inputs inputs = random_points(&state, exponent);
    check_directionality(&bench, &inputs, exponent);
  }
  finish(&bench);
}

/* Positions that are not listed stay where they are. */
static void test_fixed_inputs(void) {
  Bench bench;
  start(&bench);
  vida_graph* graph = bench.graph;
  const int k = vida__graph_input(graph, VIDA_INPUT_PARAMETER, 0);
  const int f =
      binary(graph, VIDA_OP_MULTIPLY, k, binary(graph, VIDA_OP_MULTIPLY, bench.q[0], bench.q[1]));
  int gradient;
  REQUIRE_OK(vida__discrete_gradient_nodes(graph, f, 1, bench.q, &gradient, NULL), NULL);
  EXPECT(gradient == binary(graph, VIDA_OP_MULTIPLY, k, bench.q[1]), "k q1");
  finish(&bench);
}

static void test_refusals(void) {
  Bench bench;
  start(&bench);
  vida_graph* graph = bench.graph;
  const int parameter = vida__graph_input(graph, VIDA_INPUT_PARAMETER, 0);
  const int square = vida__graph_power(graph, bench.q[0], 2), zero = constant(graph, 0.0);
  int gradient[COUNT], culprit = -1;
  const int moves = vida__graph_apply(graph, VIDA_OP_WHERE,
                                      binary(graph, VIDA_OP_LESS, bench.q[0], zero), square, zero);
  EXPECT(vida__discrete_gradient_nodes(graph, moves, COUNT, bench.q, gradient, &culprit) ==
             VIDA_NOT_SUPPORTED,
         "a condition that moves");
  EXPECT(culprit == moves, "node %d", culprit);
  const int sign = unary(graph, VIDA_OP_SIGN, bench.q[0]);
  const int signed_square = binary(graph, VIDA_OP_MULTIPLY, sign, square);
  EXPECT(vida__discrete_gradient_nodes(graph, signed_square, COUNT, bench.q, gradient, &culprit) ==
             VIDA_NOT_SUPPORTED,
         "a sign");
  EXPECT(culprit == sign, "node %d", culprit);
  const int stays = vida__graph_apply(graph, VIDA_OP_WHERE,
                                      binary(graph, VIDA_OP_LESS, parameter, zero), square, zero);
  EXPECT(!vida__discrete_gradient_nodes(graph, stays, COUNT, bench.q, gradient, NULL),
         "a condition that stays");
  const int sine = unary(graph, VIDA_OP_SIN, bench.q[0]);
  REQUIRE_OK(vida__discrete_gradient_nodes(graph, sine, COUNT, bench.q, gradient, NULL), NULL);
  EXPECT(vida__discrete_gradient_nodes(graph, gradient[0], COUNT, bench.q, gradient, NULL) ==
             VIDA_NOT_SUPPORTED,
         "a discrete derivative");
  finish(&bench);
}

/* Rows of several functions are their gradients. */
static void test_rows(void) {
  Bench bench;
  unsigned long long state = 61;
  start(&bench);
  int f[4], gradient[COUNT];
  vida_entries rows = {0};
  for (int i = 0; i < 4; i++) {
    f[i] = random_expression(bench.graph, &state, 3, COUNT, false);
  }
  REQUIRE_OK(vida__discrete_rows(bench.graph, 4, f, COUNT, bench.q, &rows, NULL), NULL);
  int found = 0, expected = 0;
  for (int i = 0; i < 4; i++) {
    REQUIRE_OK(vida__discrete_gradient_nodes(bench.graph, f[i], COUNT, bench.q, gradient, NULL),
               NULL);
    for (int j = 0; j < COUNT; j++) {
      expected += !vida__graph_is(bench.graph, gradient[j], 0.0);
    }
    for (int k = 0; k < rows.count; k++) {
      found += rows.row[k] == i && rows.node[k] == gradient[rows.column[k]];
    }
  }
  EXPECT(found == rows.count && found == expected && found > 4, "%d of %d entries, %d expected",
         found, rows.count, expected);
  vida__entries_free(&rows);
  finish(&bench);
}

int main(void) {
  static const CheckTest tests[] = {
      {"every operation with divided differences is tried", test_every_operation_is_tried},
      {"what is held fixed", test_fixed_inputs},
      {"what is refused", test_refusals},
      {"orthogonality for invariants", test_orthogonality},
      {"the angle of a vector", test_angle_of_a_vector},
      {"rows of several functions", test_rows},
      {QUAD_AVAILABLE ? "divided differences in ulps, symmetric" : NULL, test_divided_differences},
      {"second divided differences", test_second_divided_differences},
      {"angles", test_angles},
      {"directionality and symmetry of random expressions", test_random_expressions},
      {"second-order consistency", test_second_order},
      {"derivative with respect to the second point", test_jacobians},
      {"potentials to a few ulps", test_potentials},
      {"quadratic functions: the midpoint", test_quadratic},
      {"moving exponents, min, max, abs", test_special_operations},
      {NULL, NULL},
  };
  return check_main("discrete", tests);
}
