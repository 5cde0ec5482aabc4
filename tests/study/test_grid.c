/* The time grid of runs, norms of errors and fitted slopes: the parts that comparisons rest on. */
#include <math.h>
#include <stddef.h>

#include "study/measure/norms.h"
#include "study/time/grid.h"
#include "support/check.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- time grid ------------------------------------------------------------------------------ */

static void test_steps_that_fit(void) {
  static const struct {
    double t0, time, h;
    long steps;
  } cases[] = {{0.0, 4.0, 0.1, 40},
               {0.0, 0.3, 0.1, 3},
               {0.0, 1.0, 0.1, 10},
               {0.0, 1.0, 1.0 / 65.0, 65},
               {0.0, 30.0, 1e-4, 300000},
               {0.0, 1.0, 0.333333333333, 3},
               {1.3e8, 24.0 * 3600.0, 3600.0, 24},
               {1.3e8, 1e6, 0.1, 10000000},
               {-5.0, 2.5, 2.5, 1},
               {0.0, 1e9, 1.0, 1000000000},
               {0.0, 1e-12, 1e-15, 1000}};
  for (int i = 0; i < COUNT(cases); i++) {
    vida_time_grid grid = {0};
    VidaError error = {0};
    REQUIRE_OK(vida__make_grid(cases[i].t0, cases[i].time, cases[i].h, false, &grid, &error),
               &error);
    EXPECT(vida__count_steps(&grid) == cases[i].steps, "case %d has %ld steps", i,
           vida__count_steps(&grid));
    EXPECT(vida__grid_time(&grid, cases[i].steps) == cases[i].t0 + cases[i].time, "case %d", i);
    EXPECT(vida__grid_time(&grid, 0) == cases[i].t0, "case %d", i);
    if (cases[i].steps > 1) {
      EXPECT(vida__grid_time(&grid, 1) == cases[i].t0 + cases[i].h, "case %d", i);
    }
  }
}

static void test_steps_that_do_not_fit(void) {
  vida_time_grid grid = {0};
  VidaError error = {0};
  EXPECT_ERROR(vida__make_grid(0.0, 1.0, 0.3, false, &grid, &error), &error, VIDA_STEP_DOES_NOT_FIT,
               "h = 0.3 does not divide time = 1; nearest: 0.25 or 0.333333333333");
  EXPECT_ERROR(vida__make_grid(0.0, 1.0, 2.0, false, &grid, &error), &error, VIDA_STEP_DOES_NOT_FIT,
               "h = 2 is longer than time = 1");
  EXPECT_ERROR(vida__make_grid(0.0, 1.0, 2.0, true, &grid, &error), &error, VIDA_STEP_DOES_NOT_FIT,
               "h = 2 is longer than time = 1");
  /* a thousandth of a step is left in the end of a long run */
  EXPECT_ERROR(vida__make_grid(0.0, 1000000.002, 1.0, false, &grid, &error), &error,
               VIDA_STEP_DOES_NOT_FIT, "does not divide");
  const double bad[] = {0.0, -0.1, NAN, INFINITY};
  for (int i = 0; i < COUNT(bad); i++) {
    EXPECT_ERROR(vida__make_grid(0.0, 1.0, bad[i], false, &grid, &error), &error, VIDA_BAD_ARGUMENT,
                 "expected a positive step");
  }
  EXPECT_ERROR(vida__make_grid(0.0, 1.0, 1e-300, false, &grid, &error), &error, VIDA_BAD_ARGUMENT,
               "too small");
  EXPECT_ERROR(vida__make_grid(1.3e8, 1e-6, 1e-9, false, &grid, &error), &error, VIDA_BAD_ARGUMENT,
               "too small");
}

static void test_shorter_last_step(void) {
  vida_time_grid grid = {0};
  VidaError error = {0};
  REQUIRE_OK(vida__make_grid(2.0, 1.0, 0.3, true, &grid, &error), &error);
  EXPECT(grid.full == 3 && vida__count_steps(&grid) == 4, "%ld full steps", grid.full);
  EXPECT_NEAR(grid.last, 0.1, 1e-16, "last step");
  EXPECT(vida__grid_time(&grid, 4) == 3.0, "end");
  /* a step that fits stays whole */
  REQUIRE_OK(vida__make_grid(0.0, 0.3, 0.1, true, &grid, &error), &error);
  EXPECT(grid.full == 3 && grid.last == 0.0, "%ld full steps and %g", grid.full, grid.last);
}

static void expect_match(double time, double h, double other_h, long a, long b) {
  vida_time_grid grid = {0}, other = {0};
  VidaError error = {0};
  long found_a = 0, found_b = 0;
  REQUIRE_OK(vida__make_grid(0.0, time, h, true, &grid, &error), &error);
  REQUIRE_OK(vida__make_grid(0.0, time, other_h, true, &other, &error), &error);
  const bool meet = vida__match_grids(&grid, &other, &found_a, &found_b);
  EXPECT(meet == (a > 0), "h = %g and %g", h, other_h);
  if (meet) {
    EXPECT(found_a == a && found_b == b, "h = %g and %g: %ld and %ld", h, other_h, found_a,
           found_b);
  }
}

static void test_where_grids_meet(void) {
  expect_match(30.0, 0.1, 1e-4, 1, 1000);
  expect_match(1.0, 0.1, 0.1, 1, 1);
  expect_match(1.0, 0.1, 0.04, 2, 5);
  expect_match(1.0, 0.04, 0.1, 5, 2);
  expect_match(1.0, 1.0 / 7.0, 1.0 / 1009.0, 7, 1009); /* the end alone */
  expect_match(1.0, 1.0 / 1009.0, 1.0 / 1013.0, 0, 0);
  expect_match(1.0, 0.3, 0.1, 1, 3);  /* the first with a shorter last step */
  expect_match(1.0, 0.3, 0.07, 0, 0); /* common times begin at 2.1 */
}

/* ---- norms and fits ------------------------------------------------------------------------- */

static void test_norm_values(void) {
  const double difference[] = {3.0, 1.0, 2.0}, size[] = {10.0, 20.0, 5.0};
  const struct {
    vida_norm kind;
    double absolute, relative;
  } cases[] = {{VIDA_NORM_MEAN, 6.0 / (3 * 2), 6.0 / 35.0},
               {VIDA_NORM_MAX, 3.0, 3.0 / 20.0},
               {VIDA_NORM_END, 2.0, 2.0 / 5.0}};
  for (int i = 0; i < COUNT(cases); i++) {
    vida_error_norm norm;
    vida__start_norm(&norm, cases[i].kind, 2);
    EXPECT(isnan(vida__norm_value(&norm, false)), "without samples");
    for (int k = 0; k < 3; k++) {
      vida__add_sample(&norm, difference[k], size[k]);
    }
    EXPECT_NEAR(vida__norm_value(&norm, false), cases[i].absolute, 1e-15, "case %d", i);
    EXPECT_NEAR(vida__norm_value(&norm, true), cases[i].relative, 1e-15, "case %d", i);
  }
}

static void test_distance(void) {
  const double x[] = {4.0, 100.0, 5.0}, y[] = {1.0, 7.0, 1.0}, huge[] = {3e200, 4e200};
  const double bad[] = {NAN, 0.0};
  const int selection[] = {0, 2};
  EXPECT_NEAR(vida__difference_norm(x, y, 2, selection), 5.0, 1e-15, "3, 4, 5");
  EXPECT_NEAR(vida__difference_norm(x, y, 1, NULL), 3.0, 1e-15, "first alone");
  EXPECT_NEAR(vida__difference_norm(huge, NULL, 2, NULL), 5e200, 1e185, "no overflow");
  EXPECT(vida__difference_norm(x, x, 3, NULL) == 0.0, "itself");
  EXPECT(!isfinite(vida__difference_norm(bad, NULL, 2, NULL)), "NaN comes through");
}

static void test_compensated_sum(void) {
  vida_sum sum = {0};
  vida__add_to_sum(&sum, 1.0);
  for (int i = 0; i < 1000000; i++) {
    vida__add_to_sum(&sum, 1e-17); /* each is lost beside 1 */
  }
  vida__add_to_sum(&sum, -1.0);
  EXPECT_NEAR(vida__sum_value(&sum), 1e-11, 1e-20, "a million small terms");
}

static void test_slope(void) {
  vida_slope slope;
  vida__start_slope(&slope, 1.3e8);
  EXPECT(isnan(vida__slope_value(&slope)), "without points");
  vida__add_point(&slope, 1.3e8, 5.0);
  EXPECT(isnan(vida__slope_value(&slope)), "one point");
  vida__start_slope(&slope, 1.3e8);
  for (int k = 0; k <= 100; k++) {
    const double t = 1.3e8 + 3600.0 * k;
    const double wiggle = k % 4 == 0 || k % 4 == 3 ? 1e-3 : -1e-3;
    vida__add_point(&slope, t, 2.0 + 1e-6 * (t - 1.3e8) + (k < 100 ? wiggle : 0.0));
  }
  /* + - - + has neither mean nor slope over four points */
  EXPECT_NEAR(vida__slope_value(&slope), 1e-6, 1e-17, "line with a wiggle");
}

int main(void) {
  static const CheckTest tests[] = {{"steps that fit", test_steps_that_fit},
                                    {"steps that do not fit", test_steps_that_do_not_fit},
                                    {"shorter last step", test_shorter_last_step},
                                    {"where grids meet", test_where_grids_meet},
                                    {"norms", test_norm_values},
                                    {"distance", test_distance},
                                    {"compensated sum", test_compensated_sum},
                                    {"slope", test_slope},
                                    {NULL, NULL}};
  return check_main("grid", tests);
}
