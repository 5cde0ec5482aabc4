/* Paths to solutions that Newton's method does not find, on equations with closed solutions, and
 * the signs of neighbours on patterns that can be looked at. */
#include "solve/solution_path.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <string.h>

#include "support/check.h"

enum { MOST_UNKNOWNS = 4 };

typedef struct equations {
  int n;
  void (*residual)(const double* u, double* r);
  double (*entry)(const double* u, int row, int column);
  double fails_below; /* of u[0], where F has no value */
  vida_linear* linear;
} equations;

static int residual(void* data, const double* u, double* r) {
  const equations* of = data;
  if (u[0] < of->fails_below) {
    return 1;
  }
  of->residual(u, r);
  return 0;
}

static int matrix(void* data, const double* u) {
  const equations* of = data;
  for (int j = 0; j < of->n; j++) {
    for (int i = 0; i < of->n; i++) {
      of->linear->values[j * of->n + i] = of->entry(u, i, j);
    }
  }
  vida__linear_store(of->linear);
  return 0;
}

/* Solves from u by Newton's method, or along a path; returns the flag. */
static int solve(equations* of, bool follows, double* u, long* iterations) {
  double r[MOST_UNKNOWNS], trial[MOST_UNKNOWNS], first[MOST_UNKNOWNS], last[MOST_UNKNOWNS];
  const double ones[MOST_UNKNOWNS] = {1.0, 1.0, 1.0, 1.0};
  sunindextype column_start[MOST_UNKNOWNS + 1], row[MOST_UNKNOWNS * MOST_UNKNOWNS];
  SUNContext context;
  VidaError error = {0};
  for (int k = 0; k < of->n * of->n; k++) {
    row[k] = k % of->n;
  }
  for (int j = 0; j <= of->n; j++) {
    column_start[j] = (sunindextype)j * of->n;
  }
  const vida_pattern pattern = {
      .size = of->n, .entries = of->n * of->n, .column_start = column_start, .row = row};
  EXPECT(vida__context_create(&context) == 0, "no context");
  REQUIRE_OK(vida__linear_create(context, &pattern, VIDA_SOLVER_DENSE, &of->linear, &error),
             &error);
  const vida_full_newton newton = {.residual = residual,
                                   .matrix = matrix,
                                   .data = of,
                                   .linear = of->linear,
                                   .row_scale = ones,
                                   .unknown_scale = ones,
                                   .trial = trial,
                                   .tolerance = 1e-14,
                                   .least_step = 1e-300,
                                   .largest_step = 1e100,
                                   .max_iterations = 20};
  const int flag =
      follows ? vida__follow_path(&newton, (vida_path_space){first, last}, u, r, iterations)
              : vida__full_newton(&newton, u, r, iterations);
  vida__linear_destroy(&of->linear);
  SUNContext_Free(&context);
  return flag;
}

static bool is_solved(int flag) {
  return flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* atan(x) = 0: Newton's method diverges from |x| > 1.4. */
static void atan_residual(const double* u, double* r) {
  r[0] = atan(u[0]);
}

static double atan_entry(const double* u, int row, int column) {
  (void)row;
  (void)column;
  return 1.0 / (1.0 + u[0] * u[0]);
}

/* x^2 + 1 = 0 */
static void none_residual(const double* u, double* r) {
  r[0] = u[0] * u[0] + 1.0;
}

static double none_entry(const double* u, int row, int column) {
  (void)row;
  (void)column;
  return 2.0 * u[0];
}

/* A column under a load m with the imperfection b, whose ends are moved by a given way:
 * (1 - m) x = b, x^2 = e (2 - m). For small b, m is close to the critical load 1. */
static const double imperfection = 1e-9, softness = 1e-4;

static void column_residual(const double* u, double* r) {
  r[0] = (1.0 - u[1]) * u[0] - imperfection;
  r[1] = u[0] * u[0] - softness * (2.0 - u[1]);
}

static double column_entry(const double* u, int row, int column) {
  if (row == 0) {
    return column == 0 ? 1.0 - u[1] : -u[0];
  }
  return column == 0 ? 2.0 * u[0] : softness;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_divergence(void) {
  equations arc = {.n = 1, .residual = atan_residual, .entry = atan_entry, .fails_below = -1e300};
  long iterations;
  for (double guess = 2.0; guess < 20.0; guess *= 2.0) {
    double u = guess;
    EXPECT(!is_solved(solve(&arc, false, &u, &iterations)), "Newton's method converges from %g",
           guess);
    u = guess;
    EXPECT(is_solved(solve(&arc, true, &u, &iterations)), "no path from %g", guess);
    EXPECT_BELOW(u, 1e-14, "from %g", guess);
  }
}

/* To first order in b the load is 1 - b / x with x = sqrt(e), on the side of the first place. */
static void test_column(void) {
  equations column = {
      .n = 2, .residual = column_residual, .entry = column_entry, .fails_below = -1e300};
  for (int side = -1; side <= 1; side += 2) {
    double u[2] = {side * 0.1, 0.0};
    long iterations;
    EXPECT(is_solved(solve(&column, true, u, &iterations)), "not solved");
    EXPECT_NEAR(u[0], side * sqrt(softness), 1e-8, "deflection");
    EXPECT_NEAR(u[1], 1.0 - side * imperfection / sqrt(softness), 1e-13, "load");
  }
}

static void test_no_solution(void) {
  equations none = {.n = 1, .residual = none_residual, .entry = none_entry, .fails_below = -1e300};
  double u = 3.0;
  long iterations;
  EXPECT(solve(&none, true, &u, &iterations) < 0, "solved at %g", u);
  EXPECT(iterations <= 210, "%ld iterations", iterations);
}

static void test_no_value(void) {
  equations arc = {.n = 1, .residual = atan_residual, .entry = atan_entry, .fails_below = 0.5};
  long iterations;
  double u = 0.25;
  EXPECT(solve(&arc, true, &u, &iterations) == KIN_FIRST_SYSFUNC_ERR, "a first place");
  u = 3.0;
  EXPECT(solve(&arc, true, &u, &iterations) < 0, "solved at %g", u);
  EXPECT(iterations <= 210 && u >= 0.5, "%ld iterations, ends at %g", iterations, u);
}

/* The signs of unknowns whose neighbours are those before and after them; on a ring, the last one
 * and the first one are neighbours, too. */
static void sign_ring(int count, bool is_closed, double* sign) {
  enum { MOST = 8 };
  sunindextype column_start[MOST + 1] = {0}, row[3 * MOST];
  double queue[MOST];
  int entries = 0;
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < count; i++) {
      const int apart = (i - j + count) % count;
      const bool is_end = !is_closed && (i - j > 1 || j - i > 1);
      if (!is_end && (apart <= 1 || apart == count - 1)) {
        row[entries++] = i;
      }
    }
    column_start[j + 1] = entries;
  }
  const vida_pattern pattern = {
      .size = count, .entries = entries, .column_start = column_start, .row = row};
  vida__oppose_neighbours(&pattern, count, sign, queue);
}

static void test_signs(void) {
  double sign[8];
  for (int is_closed = 0; is_closed < 2; is_closed++) {
    sign_ring(8, is_closed, sign);
    for (int i = 0; i < 8; i++) {
      EXPECT(sign[i] == (i % 2 == 0 ? 1.0 : -1.0), "unknown %d of 8: %g", i, sign[i]);
    }
  }
  sign_ring(7, true, sign); /* only the unknowns farthest from the first one agree */
  for (int i = 0; i < 7; i++) {
    const double expected = (i < 4 ? i : 7 - i) % 2 == 0 ? 1.0 : -1.0;
    EXPECT(sign[i] == expected, "unknown %d of 7: %g", i, sign[i]);
  }
  /* Unknown 1 is coupled with unknown 2 only through unknown 3, which does not count. */
  const sunindextype column_start[] = {0, 1, 3, 5, 8}, row[] = {0, 1, 3, 2, 3, 1, 2, 3};
  const vida_pattern pattern = {.size = 4,
                                .entries = 8,
                                .column_start = (sunindextype*)column_start,
                                .row = (sunindextype*)row};
  double queue[3];
  vida__oppose_neighbours(&pattern, 3, sign, queue);
  EXPECT(sign[0] == 1.0 && sign[1] == 1.0 && sign[2] == 1.0, "unknowns without neighbours");
}

/* Nine steps that each leave a quarter lead from 4^9 back to 1, and not from more. */
static void test_lost(void) {
  const double far = 262144.0;
  for (int k = 0; k < 2; k++) {
    vida_progress record = {.most = 10}, patient = {0};
    const double next = k == 0 ? far : 1.01 * far;
    EXPECT(vida__makes_progress(&record, 1.0), "lost at the first residual");
    EXPECT(vida__makes_progress(&record, next) == (k == 0), "from %g", next);
    EXPECT(vida__makes_progress(&patient, 1.0) && vida__makes_progress(&patient, next),
           "ends although nothing follows");
  }
}

int main(void) {
  const CheckTest tests[] = {{"divergence", test_divergence},
                             {"column", test_column},
                             {"no solution", test_no_solution},
                             {"no value", test_no_value},
                             {"signs", test_signs},
                             {"lost", test_lost},
                             {NULL, NULL}};
  return check_main("solution path", tests);
}
