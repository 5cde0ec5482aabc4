#include "expr/interval_bounds.h"

#include <float.h>
#include <math.h>

static const vida_bounds everything = {-INFINITY, INFINITY};
static const double pi = 3.14159265358979323846;

/* Results of C library functions have errors of a few units in the last place. */
#define ROUNDING (4.0 * DBL_EPSILON)

static bool is_point(vida_bounds x) {
  return x.low == x.high;
}

static vida_bounds widen(double low, double high) {
  if (isnan(low) || isnan(high)) {
    return everything;
  }
  const vida_bounds wide = {low - ROUNDING * fabs(low) - DBL_MIN,
                            high + ROUNDING * fabs(high) + DBL_MIN};
  return wide;
}

static vida_bounds of_corners(const double corner[4]) {
  double low = corner[0], high = corner[0];
  for (int i = 0; i < 4; i++) {
    if (isnan(corner[i])) {
      return everything;
    }
    low = fmin(low, corner[i]);
    high = fmax(high, corner[i]);
  }
  return widen(low, high);
}

static bool contains(vida_bounds x, double value) {
  return x.low <= value && value <= x.high;
}

/* ---- operations that are monotonic in each operand ------------------------------------------- */

static vida_bounds of_monotonic(vida_operation operation, int n, vida_bounds a, vida_bounds b) {
  const double corner[4] = {vida__apply_operation(operation, n, a.low, b.low, 0.0),
                            vida__apply_operation(operation, n, a.low, b.high, 0.0),
                            vida__apply_operation(operation, n, a.high, b.low, 0.0),
                            vida__apply_operation(operation, n, a.high, b.high, 0.0)};
  return of_corners(corner);
}

/* ---- others ---------------------------------------------------------------------------------- */

/* An even power, |x| or cosh: the smallest value is that at 0. */
static vida_bounds of_even(vida_operation operation, int n, vida_bounds a) {
  const double at_low = vida__apply_operation(operation, n, a.low, 0.0, 0.0);
  const double at_high = vida__apply_operation(operation, n, a.high, 0.0, 0.0);
  const double least =
      contains(a, 0.0) ? vida__apply_operation(operation, n, 0.0, 0.0, 0.0) : fmin(at_low, at_high);
  return widen(least, fmax(at_low, at_high));
}

static vida_bounds of_power(int n, vida_bounds a) {
  if (n < 0 && contains(a, 0.0)) {
    return everything;
  }
  const vida_bounds unused = {0.0, 0.0};
  return n % 2 == 0 && n > 0 ? of_even(VIDA_OP_POWER_INTEGER, n, a)
                             : of_monotonic(VIDA_OP_POWER_INTEGER, n, a, unused);
}

/* Returns whether phase + k period lies in x for an integer k, as far as rounding decides it. */
static bool meets(vida_bounds x, double phase, double period) {
  const double slack = ROUNDING * fmax(fabs(x.low), fabs(x.high));
  const double next = phase + period * ceil((x.low - slack - phase) / period);
  return next <= x.high + slack || next - period >= x.low - slack;
}

static vida_bounds of_wave(vida_operation operation, vida_bounds a, double crest) {
  if (!(a.high - a.low < 2.0 * pi)) {
    return widen(-1.0, 1.0);
  }
  const double x = vida__apply_operation(operation, 0, a.low, 0.0, 0.0);
  const double y = vida__apply_operation(operation, 0, a.high, 0.0, 0.0);
  return widen(meets(a, crest + pi, 2.0 * pi) ? -1.0 : fmin(x, y),
               meets(a, crest, 2.0 * pi) ? 1.0 : fmax(x, y));
}

static vida_bounds of_angle(vida_bounds y, vida_bounds x) {
  if (contains(y, 0.0) && x.low <= 0.0) { /* the branch cut */
    return widen(-pi, pi);
  }
  return of_monotonic(VIDA_OP_ATAN2, 0, y, x);
}

static vida_bounds decided(bool yes, bool no) {
  const vida_bounds result = {yes ? 1.0 : 0.0, no ? 0.0 : 1.0};
  return result;
}

static vida_bounds of_sign(vida_bounds a) {
  const vida_bounds result = {a.low > 0.0 ? 1.0 : (a.low == 0.0 ? 0.0 : -1.0),
                              a.high < 0.0 ? -1.0 : (a.high == 0.0 ? 0.0 : 1.0)};
  return result;
}

static vida_bounds of_where(vida_bounds condition, vida_bounds a, vida_bounds b) {
  if (!contains(condition, 0.0)) {
    return a;
  }
  if (is_point(condition)) {
    return b;
  }
  const vida_bounds hull = {fmin(a.low, b.low), fmax(a.high, b.high)};
  return hull;
}

static vida_bounds of_interval(vida_operation operation, int n, vida_bounds a, vida_bounds b,
                               vida_bounds c) {
  const vida_bounds unused = {0.0, 0.0};
  switch (operation) {
    case VIDA_OP_ADD:
      return widen(a.low + b.low, a.high + b.high);
    case VIDA_OP_SUBTRACT:
      return widen(a.low - b.high, a.high - b.low);
    case VIDA_OP_MULTIPLY:
      return of_monotonic(operation, n, a, b);
    case VIDA_OP_DIVIDE:
      return contains(b, 0.0) ? everything : of_monotonic(operation, n, a, b);
    case VIDA_OP_NEGATE:
      return (vida_bounds){-a.high, -a.low};
    case VIDA_OP_POWER_INTEGER:
      return of_power(n, a);
    case VIDA_OP_POWER:
      return a.low < 0.0 ? everything : of_monotonic(operation, n, a, b);
    case VIDA_OP_SQRT:
    case VIDA_OP_EXP:
    case VIDA_OP_LOG:
    case VIDA_OP_ASIN:
    case VIDA_OP_ACOS:
    case VIDA_OP_ATAN:
    case VIDA_OP_SINH:
    case VIDA_OP_TANH:
      return of_monotonic(operation, n, a, unused);
    case VIDA_OP_SIN:
      return of_wave(operation, a, 0.5 * pi);
    case VIDA_OP_COS:
      return of_wave(operation, a, 0.0);
    case VIDA_OP_TAN:
      return !(a.high - a.low < pi) || meets(a, 0.5 * pi, pi)
                 ? everything
                 : of_monotonic(operation, n, a, unused);
    case VIDA_OP_ATAN2:
      return of_angle(a, b);
    case VIDA_OP_COSH:
    case VIDA_OP_ABS:
      return of_even(operation, n, a);
    case VIDA_OP_SIGN:
      return of_sign(a);
    case VIDA_OP_MIN:
      return (vida_bounds){fmin(a.low, b.low), fmin(a.high, b.high)};
    case VIDA_OP_MAX:
      return (vida_bounds){fmax(a.low, b.low), fmax(a.high, b.high)};
    case VIDA_OP_LESS:
      return decided(a.high < b.low, a.low >= b.high);
    case VIDA_OP_LESS_EQUAL:
      return decided(a.high <= b.low, a.low > b.high);
    case VIDA_OP_EQUAL:
      return decided(false, a.high < b.low || b.high < a.low);
    case VIDA_OP_WHERE:
      return of_where(a, b, c);
    default:
      return everything;
  }
}

vida_bounds vida__bound_operation(vida_operation operation, int n, vida_bounds a, vida_bounds b,
                                  vida_bounds c) {
  const int arity = vida__operations[operation].arity;
  if (is_point(a) && (arity < 2 || is_point(b)) && (arity < 3 || is_point(c))) {
    const double value = vida__apply_operation(operation, n, a.low, b.low, c.low);
    return isfinite(value) ? (vida_bounds){value, value} : everything;
  }
  return of_interval(operation, n, a, b, c);
}
