/* Assertions that print the values they saw, and the frame of a test program. */
#ifndef VIDA_TEST_CHECK_H
#define VIDA_TEST_CHECK_H

#include <stdbool.h>
#include <vida/error.h>

#if defined(__GNUC__)
#define CHECK_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define CHECK_PRINTF_LIKE(text, first)
#endif

/* The sanitizers slow everything down; long runs are made shorter under them. */
#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif
/* Of a table of two variables, methods and systems say: whether the entry (i, k) is left out under
 * sanitizers, which stay with one of `n`, so that every row and every column has entries. */
#define CHECK_LEAVES_OUT(i, k, n) (CHECK_SANITIZED && ((i) + (k)) % (n) != 0)

/* EXPECT(x > 0, "x is %g", x): if it is false, the message shows the value. */
#define EXPECT(condition, ...) \
  check_that((condition) ? true : false, __FILE__, __LINE__, #condition, __VA_ARGS__)
/* |value - expected| <= tolerance; NaN fails. */
#define EXPECT_NEAR(value, expected, tolerance, ...) \
  check_near((value), (expected), (tolerance), __FILE__, __LINE__, #value, __VA_ARGS__)
/* |value| <= bound; NaN fails. */
#define EXPECT_BELOW(value, bound, ...) \
  check_near((value), 0.0, (bound), __FILE__, __LINE__, #value, __VA_ARGS__)
/* A call that must succeed: a failure prints its message and ends the test. */
#define REQUIRE_OK(call, error) check_ok((call), (error), __FILE__, __LINE__, #call)
/* A call that must fail with this code and with a message that holds this text. */
#define EXPECT_ERROR(call, error, code, text) \
  check_error((call), (error), (code), (text), __FILE__, __LINE__, #call)

bool check_that(bool holds, const char* file, int line, const char* condition, const char* format,
                ...) CHECK_PRINTF_LIKE(5, 6);
bool check_near(double value, double expected, double tolerance, const char* file, int line,
                const char* name, const char* format, ...) CHECK_PRINTF_LIKE(7, 8);
void check_ok(int code, const VidaError* error, const char* file, int line, const char* call);
bool check_error(int code, const VidaError* error, int expected, const char* text, const char* file,
                 int line, const char* call);

typedef struct CheckTest {
  const char* name;
  void (*run)(void);
} CheckTest;

/* Runs the tests (the list ends with a NULL name); what main returns: 1 when one failed, else 0. A
 * test without an assertion fails. */
int check_main(const char* suite, const CheckTest* tests);

#endif
