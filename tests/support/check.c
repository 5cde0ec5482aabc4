#include "support/check.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1024 };

static unsigned assertions_before; /* those of the tests that have run */

static void record(bool holds, bool fatal, const char* file, int line, const char* text) {
  CU_assertImplementation(holds ? CU_TRUE : CU_FALSE, (unsigned)line, text, file, "",
                          fatal ? CU_TRUE : CU_FALSE);
}

/* what, then the formatted remark behind a colon */
static void compose(char* text, const char* what, const char* format, va_list arguments) {
  const int used = snprintf(text, TEXT_SIZE, "%s: ", what);
  if (used > 0 && used < TEXT_SIZE) {
    vsnprintf(text + used, (size_t)(TEXT_SIZE - used), format, arguments);
  }
}

bool check_that(bool holds, const char* file, int line, const char* condition, const char* format,
                ...) {
  char text[TEXT_SIZE] = "";
  if (!holds) {
    va_list arguments;
    va_start(arguments, format);
    compose(text, condition, format, arguments);
    va_end(arguments);
  }
  record(holds, false, file, line, text);
  return holds;
}

bool check_near(double value, double expected, double tolerance, const char* file, int line,
                const char* name, const char* format, ...) {
  const bool holds = fabs(value - expected) <= tolerance;
  char text[TEXT_SIZE] = "";
  if (!holds) {
    char what[TEXT_SIZE / 2];
    va_list arguments;
    snprintf(what, sizeof what, "%s is %.17g, not %.17g (off by %.3g, allowed %.3g)", name, value,
             expected, value - expected, tolerance);
    va_start(arguments, format);
    compose(text, what, format, arguments);
    va_end(arguments);
  }
  record(holds, false, file, line, text);
  return holds;
}

void check_ok(int code, const VidaError* error, const char* file, int line, const char* call) {
  char text[TEXT_SIZE] = "";
  if (code) {
    snprintf(text, sizeof text, "%s gave %s: %s", call, Vida_CodeName(code),
             error ? error->message : "");
  }
  record(!code, true, file, line, text);
}

bool check_error(int code, const VidaError* error, int expected, const char* needle,
                 const char* file, int line, const char* call) {
  const bool holds = code == expected && error->code == expected && strstr(error->message, needle);
  char text[TEXT_SIZE] = "";
  if (!holds) {
    snprintf(text, sizeof text, "%s gave %s (\"%s\"), not %s with \"%s\"", call,
             Vida_CodeName(code), code ? error->message : "", Vida_CodeName(expected), needle);
  }
  record(holds, false, file, line, text);
  return holds;
}

static void count_assertions(void) {
  assertions_before = CU_get_number_of_asserts();
}

/* A test that asserts nothing, whose list is empty say, tests nothing. */
static void demand_assertions(void) {
  if (CU_get_number_of_asserts() == assertions_before) {
    record(false, false, __FILE__, __LINE__, "the test has asserted nothing");
  }
}

int check_main(const char* suite, const CheckTest* tests) {
  if (CU_initialize_registry() != CUE_SUCCESS) {
    return 1;
  }
  CU_pSuite added =
      CU_add_suite_with_setup_and_teardown(suite, NULL, NULL, count_assertions, demand_assertions);
  for (; added && tests->name; tests++) {
    if (!CU_add_test(added, tests->name, tests->run)) {
      added = NULL;
    }
  }
  if (!added) {
    CU_cleanup_registry();
    return 1;
  }
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  const int failed = CU_get_number_of_failures() ? 1 : 0;
  CU_cleanup_registry();
  return failed;
}
