#include "stepper/hybrid/sample.h"

#include <math.h>

/* Relative to the change of a function and to its rate at the end of an interval: a smaller rate at
 * the begin may be rounding. */
static const double rounded_rate = 1e-6;

/* A polynomial that has the values and rates of a function at both ends of an interval (Hermite);
 * its argument runs from 0 to 1. */
typedef struct cubic {
  double constant, linear, square, cube;
} cubic;

static cubic interpolate(double f0, double r0, double f1, double r1) {
  return (cubic){f0, r0, 3.0 * (f1 - f0) - 2.0 * r0 - r1, r0 + r1 - 2.0 * (f1 - f0)};
}

static double evaluate(const cubic* p, double x) {
  return p->constant + x * (p->linear + x * (p->square + x * p->cube));
}

bool vida__is_crossed(const vida_watched* watched, double value) {
  const bool is_counted = watched->side > 0 ? watched->is_falling : watched->is_rising;
  return watched->side != 0 && is_counted && value * watched->side < 0.0;
}

/* Finds the zero of a polynomial that is positive at 0 and negative at 1, both times `side`. */
static double solve(const cubic* p, double side) {
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 64 && high - low > 1e-17; k++) {
    const double middle = 0.5 * (low + high);
    if (evaluate(p, middle) * side > 0.0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return 0.5 * (low + high);
}

double vida__estimate_zero(const vida_watched* watched, int function, const vida_sample* from,
                           const vida_sample* to, int iteration) {
  const double h = to->t - from->t, side = watched->side;
  const double f0 = watched->is_at_zero ? 0.0 : from->value[function], f1 = to->value[function];
  const double r0 = h * from->rate[function], r1 = h * to->rate[function];
  /* Without rates: the secant, which every third time gives way to a bisection. */
  if (!isfinite(r0) || !isfinite(r1)) {
    const bool bisects = iteration % 3 == 2 || !(f0 * side > 0.0);
    return from->t + h * (bisects ? 0.5 : f0 / (f0 - f1));
  }
  cubic p = interpolate(f0, r0, f1, r1);
  if (f0 * side <= 0.0) {
    /* The zero at the beginning is divided off, twice where the rate there is rounding. */
    const bool is_resting = fabs(r0) <= rounded_rate * fmax(fabs(f1), fabs(r1));
    if (!is_resting && !(r0 * side > 0.0)) {
      return from->t;
    }
    if (is_resting && !(p.square * side > 0.0)) {
      return from->t + 0.5 * h;
    }
    p = is_resting ? (cubic){p.square, p.cube, 0.0, 0.0} : (cubic){p.linear, p.square, p.cube, 0.0};
  }
  return from->t + h * solve(&p, side);
}

bool vida__may_dip(const vida_watched* watched, int function, const vida_sample* from,
                   const vida_sample* to, double* t) {
  static const double margin = 1e-2; /* of the interpolation, relative to the values */
  const double h = to->t - from->t, side = watched->side;
  const double f0 = from->value[function], f1 = to->value[function];
  const double r0 = h * from->rate[function], r1 = h * to->rate[function];
  const bool is_counted = side > 0.0 ? watched->is_falling : watched->is_rising;
  const bool turns = r0 * side < 0.0 && r1 * side > 0.0; /* false for unknown rates */
  if (!is_counted || side == 0.0 || !turns || watched->is_at_zero || !(f1 * side > 0.0)) {
    return false;
  }
  const cubic p = interpolate(f0, r0, f1, r1);
  const cubic slope = {p.linear, 2.0 * p.square, 3.0 * p.cube, 0.0};
  const double x = solve(&slope, -side);
  *t = from->t + h * x;
  return evaluate(&p, x) * side < margin * fmax(fabs(f0), fabs(f1));
}
