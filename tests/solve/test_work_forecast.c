/* When an advance is given up before max_steps: motions whose number of steps has a closed form. */
#include <math.h>
#include <string.h>

#include "solve/work_forecast.h"
#include "support/check.h"

static const double most = 1e6;

/* Makes steps that reach the times reach(k) until `end`, and returns their number. *is_given_up:
 * the forecast or the limit ended them. */
static double count_steps(vida_work_forecast* work, double (*reach)(double k), double end,
                          bool* is_given_up) {
  double made = 0.0;
  *is_given_up = false;
  *work = vida__expect_work(0.0, end, most);
  while (reach(made) < end && !*is_given_up) {
    *is_given_up = !vida__may_step(work, reach(made));
    made += *is_given_up ? 0.0 : 1.0;
  }
  return made;
}

static double reach_evenly(double k) {
  return k * 1e-6;
}

/* Steps turn by the same angle, and the speed falls as exp(-t): t = -log(1 - k/N). */
static double reach_slowing(double k) {
  const double N = 0.98e6;
  return k < N ? -log1p(-k / N) : INFINITY;
}

/* Growing steps, as of a start with a small one. */
static double reach_growing(double k) {
  return 1e-12 * expm1(k * 1e-4);
}

static void test_limit(void) {
  vida_work_forecast work = vida__expect_work(0.0, 1.0, 3.0);
  VidaError error = {0};
  for (int k = 0; k < 3; k++) {
    EXPECT(vida__may_step(&work, 0.0), "step %d of 3", k);
  }
  EXPECT(!vida__may_step(&work, 0.0), "a fourth step");
  EXPECT_ERROR(vida__fail_work(&work, "FLAG", NULL, "advice", &error), &error,
               VIDA_STEP_NOT_CONVERGED, "more steps than max_steps = 3");
}

static void test_reached(void) {
  double (*const motions[])(double) = {reach_evenly, reach_slowing, reach_growing};
  const double ends[] = {0.99, 1e4, 1e20};
  for (int k = 0; k < 3; k++) {
    vida_work_forecast work;
    bool is_given_up = false;
    const double made = count_steps(&work, motions[k], ends[k], &is_given_up);
    EXPECT(!is_given_up, "motion %d given up after %g steps, forecast %g", k, made, work.total);
  }
}

static void test_forecast(void) {
  vida_work_forecast work;
  VidaError error = {0};
  bool is_given_up = false;
  const double end = 1e3; /* 1e9 steps */
  const double made = count_steps(&work, reach_evenly, end, &is_given_up);
  EXPECT(is_given_up && made < 0.05 * most, "ended after %g steps", made);
  EXPECT_NEAR(work.total, 1e9, 1e7, "forecast");
  EXPECT_ERROR(vida__fail_work(&work, "FLAG", &work.window_t, "advice", &error), &error,
               VIDA_STEP_NOT_CONVERGED, "about 1e+09 of them");
  EXPECT(strstr(error.message, "at t = 0.03") != NULL, "%s", error.message);
}

int main(void) {
  const CheckTest tests[] = {
      {"limit", test_limit}, {"reached", test_reached}, {"forecast", test_forecast}, {NULL, NULL}};
  return check_main("work forecast", tests);
}
