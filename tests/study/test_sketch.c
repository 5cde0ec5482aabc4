/* Quantiles of a sketch: those of distributions in closed form, to the relative error that it
 * states. */
#include <math.h>
#include <string.h>

#include "study/sweep/sketch.h"
#include "support/check.h"

#define STATED (1.0 / 128.0)

static void expect_near(double found, double exact) {
  EXPECT(fabs(found - exact) <= STATED * fabs(exact), "%.17g instead of %.17g", found, exact);
}

/* Amounts exp(-625) .. 1 with a minus sign, and 1 .. exp(625). */
static void test_ranks(void) {
  vida_sketch sketch = {0};
  enum { HALF = 2500 };
  for (int k = HALF; k >= 0; k--) {
    EXPECT(vida__add_to_sketch(&sketch, exp(k / 4.0)) == 0, "memory");
    EXPECT(vida__add_to_sketch(&sketch, -exp(-k / 4.0)) == 0, "memory");
  }
  for (int k = 0; k <= HALF; k++) {
    expect_near(vida__value_of_rank(&sketch, k), -exp(-k / 4.0));
    expect_near(vida__value_of_rank(&sketch, HALF + 1 + k), exp(k / 4.0));
  }
  EXPECT(isnan(vida__value_of_rank(&sketch, -1)), "rank -1");
  EXPECT(isnan(vida__value_of_rank(&sketch, 2 * HALF + 2)), "last rank");
  vida__free_sketch(&sketch);
}

static void test_limits(void) {
  static const double values[] = {
      -1.7976931348623157e308, -4.9406564584124654e-324, 0.0,
      4.9406564584124654e-324, 2.2250738585072014e-308,  1.7976931348623157e308};
  enum { COUNT = sizeof values / sizeof values[0] };
  vida_sketch sketch = {0};
  for (int i = COUNT - 1; i >= 0; i--) {
    EXPECT(vida__add_to_sketch(&sketch, values[i]) == 0, "memory");
  }
  for (int i = 0; i < COUNT; i++) {
    const double found = vida__value_of_rank(&sketch, i);
    EXPECT(fabs(found - values[i]) <= STATED * fabs(values[i]) + 4.9406564584124654e-324,
           "%.17g instead of %.17g", found, values[i]);
  }
  vida__free_sketch(&sketch);
}

static void test_record(void) {
  vida_sketch sketch = {0}, read = {0};
  vida_record record = {0}, again = {0};
  for (int k = 0; k < 1000; k++) {
    vida__add_to_sketch(&sketch, sin(k) * exp(k % 17));
  }
  vida__put_sketch(&sketch, &record);
  vida__get_sketch(&read, &record);
  EXPECT(vida__is_read(&record), "the record");
  vida__put_sketch(&read, &again);
  EXPECT(again.size == record.size && memcmp(again.bytes, record.bytes, record.size) == 0,
         "another sketch");
  vida__clear_record(&again);
  vida__put_integer(&again, 1); /* a bin that no number has */
  vida__put_integer(&again, INT64_C(1) << 40);
  vida__put_integer(&again, 1);
  vida__get_sketch(&read, &again);
  EXPECT(again.too_short, "a bin beyond all numbers");
  vida__free_sketch(&read);
  vida__free_sketch(&sketch);
  vida__free_record(&record);
  vida__free_record(&again);
}

int main(void) {
  static const CheckTest tests[] = {{"ranks", test_ranks},
                                    {"limits of numbers", test_limits},
                                    {"records", test_record},
                                    {NULL, NULL}};
  return check_main("sketch", tests);
}
