/* Divided differences phi[u0, u1] = (phi(u1) - phi(u0)) / (u1 - u0) and phi[u0, u1, u1], written so
 * that nothing cancels, however close u0 and u1 are: closed forms throughout, where what remains is
 * a function like sin(h) / h or its next divided difference at 0.
 *
 * Differences u1 - u0 and sums u0 + u1 are rounded, which large arguments of sin or sinh would
 * feel: the rounding error is found (exactly, by Moller and Knuth) and its effect is added. */
#include <float.h>
#include <math.h>

#include "base/exact_sum.h"
#include "expr/operations.h"

/* high + low = x + y exactly */
typedef struct pair {
  double high, low;
} pair;

static pair add_exactly(double x, double y) {
  pair exact;
  exact.high = vida__add_exactly(x, y, &exact.low);
  return exact;
}

static pair half(pair x) {
  x.high *= 0.5;
  x.low *= 0.5;
  return x;
}

/* Functions of a pair to first order in its low part. */
static double sine(pair x) {
  return sin(x.high) + x.low * cos(x.high);
}

static double cosine(pair x) {
  return cos(x.high) - x.low * sin(x.high);
}

static double hyperbolic_cosine(pair x) {
  return cosh(x.high) + x.low * sinh(x.high);
}

/* ---- functions that remain ---- */

/* sum of terms; term k is the one before times `factor` and divided by the product of the two
 * numbers that follow on `from` */
static double alternate(double first, double factor, int from) {
  double sum = first, term = first;
  for (int k = from; fabs(term) > DBL_EPSILON * 0.1 * fabs(sum); k += 2) {
    term *= factor / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}

/* (x - sin x) / x^3 and (sinh x - x) / x^3 */
static double sine_defect(double x) {
  return fabs(x) < 1.0 ? alternate(1.0 / 6.0, -x * x, 4) : (x - sin(x)) / (x * x * x);
}

static double hyperbolic_defect(double x) {
  return fabs(x) < 1.0 ? alternate(1.0 / 6.0, x * x, 4) : (sinh(x) - x) / (x * x * x);
}

/* sinh x; libraries err by up to 2 ulps near 0 */
static double hyperbolic_sine(pair x) {
  const double h = x.high;
  return fabs(h) < 0.5 ? h + (h * h * h * hyperbolic_defect(h) + x.low) : sinh(h) + x.low * cosh(h);
}

/* sin(x) / x, sinh(x) / x */
static double sine_ratio(pair x) {
  if (x.high == 0.0) {
    return 1.0;
  }
  const double ratio = sin(x.high) / x.high;
  return ratio + x.low / x.high * (cos(x.high) - ratio);
}

static double hyperbolic_ratio(pair x) {
  if (fabs(x.high) < 0.5) {
    return 1.0 + x.high * x.high * hyperbolic_defect(x.high);
  }
  const double ratio = sinh(x.high) / x.high;
  return ratio + x.low / x.high * (cosh(x.high) - ratio);
}

/* (cos x - sin(x) / x) / x = -(1 - cos x) / x + (x - sin x) / x^2 */
static double cosine_defect(double x) {
  if (x == 0.0) {
    return 0.0;
  }
  const double s = sin(0.5 * x);
  return fabs(x) < 1.0 ? x * sine_defect(x) - 2.0 * s * (s / x) : (cos(x) - sin(x) / x) / x;
}

static double hyperbolic_cosine_defect(double x) {
  if (x == 0.0) {
    return 0.0;
  }
  const double s = sinh(0.5 * x);
  return fabs(x) < 1.0 ? 2.0 * s * (s / x) - x * hyperbolic_defect(x) : (cosh(x) - sinh(x) / x) / x;
}

/* (exp(x) - 1 - x) / x^2 */
static double exponential_defect(double x) {
  if (fabs(x) < 1.0) {
    double sum = 0.5, term = 0.5;
    for (int k = 3; fabs(term) > DBL_EPSILON * 0.1; k++) {
      term *= x / k;
      sum += term;
    }
    return sum;
  }
  return (expm1(x) - x) / x / x;
}

/* sum over k of z^k / (2 k + 3): (artanh(y) - y) / y^3 at z = y^2, (y - arctan y) / y^3 at -y^2 */
static double artanh_defect(double z) {
  double sum = 0.0, power = 1.0;
  for (int k = 3; fabs(power) > DBL_EPSILON * 0.1; k += 2) {
    sum += power / k;
    power *= z;
  }
  return sum;
}

/* (log(1 + y) - y) / y^2 with z = y / (2 + y): log(1 + y) = 2 artanh z */
static double logarithmic_defect(double y) {
  const double z = y / (2.0 + y);
  if (fabs(z) < 0.3) {
    return (2.0 * z * artanh_defect(z * z) / (2.0 + y) - 1.0) / (2.0 + y);
  }
  return (log1p(y) - y) / y / y;
}

/* ---- phi[u0, u1] for u0 <= u1 ---- */

static double divide_exp(double u0, double u1) {
  const double d = u1 - u0;
  if (d == 0.0) {
    return exp(u0);
  }
  return d < 0.7 ? exp(u0) * (expm1(d) / d) : (exp(u1) - exp(u0)) / d;
}

static double divide_log(double u0, double u1) {
  const double d = u1 - u0, ratio = d / u0;
  if (u0 <= 0.0) {
    return (double)NAN;
  }
  if (d == 0.0) {
    return 1.0 / u0;
  }
  return (isfinite(ratio) ? log1p(ratio) : log(u1) - log(u0)) / d;
}

/* sin[u0, u1] = cos(m) sin(h) / h, cos[u0, u1] = -sin(m) sin(h) / h with m, h = (u1 +- u0) / 2 */
static double divide_sin(double u0, double u1) {
  return cosine(half(add_exactly(u0, u1))) * sine_ratio(half(add_exactly(u1, -u0)));
}

static double divide_cos(double u0, double u1) {
  return -sine(half(add_exactly(u0, u1))) * sine_ratio(half(add_exactly(u1, -u0)));
}

static double divide_sinh(double u0, double u1) {
  return hyperbolic_cosine(half(add_exactly(u0, u1))) *
         hyperbolic_ratio(half(add_exactly(u1, -u0)));
}

static double divide_cosh(double u0, double u1) {
  return hyperbolic_sine(half(add_exactly(u0, u1))) * hyperbolic_ratio(half(add_exactly(u1, -u0)));
}

/* tan u1 - tan u0 = sin(d) / (cos u0 cos u1) */
static double divide_tan(double u0, double u1) {
  return sine_ratio(add_exactly(u1, -u0)) / (cos(u0) * cos(u1));
}

/* tanh u1 - tanh u0 = tanh(d) (1 - tanh u0 tanh u1), and for 0 <= u0, with e = exp(-2 u), it is
 * 2 e0 (1 - e1 / e0) / ((1 + e0) (1 + e1)) */
static double divide_tanh(double u0, double u1) {
  const double d = u1 - u0;
  if (u1 <= 0.0 && u0 < 0.0) {
    return divide_tanh(-u1, -u0);
  }
  if (u0 < 0.0 || u1 < 0.5) {
    return (d == 0.0 ? 1.0 : tanh(d) / d) * (1.0 - tanh(u0) * tanh(u1));
  }
  const double e0 = exp(-2.0 * u0), e1 = exp(-2.0 * u1);
  const double change = d == 0.0 ? 2.0 : -expm1(-2.0 * d) / d;
  return 2.0 * e0 * change / ((1.0 + e0) * (1.0 + e1));
}

/* arctan u1 - arctan u0 is the angle of (1 + u0 u1, d) */
static double divide_atan(double u0, double u1) {
  const double d = u1 - u0, w = 1.0 + u0 * u1;
  if (d == 0.0 || w > DBL_MAX) {
    return d == 0.0 && w <= DBL_MAX ? 1.0 / w : 1.0 / u0 / u1;
  }
  return atan2(d, w) / d;
}

static double cofactor(double u) {
  return sqrt((1.0 - u) * (1.0 + u));
}

/* The angle between the unit vectors (c, u), c = sqrt(1 - u^2): its sine is
 * c0 u1 - c1 u0 = d/2 (C + s^2 / C) with C = c0 + c1 and s = u0 + u1. */
static double divide_asin(double u0, double u1) {
  const double d = u1 - u0, s = u0 + u1, c0 = cofactor(u0), c1 = cofactor(u1), c = c0 + c1;
  if (d == 0.0) {
    return 1.0 / c0;
  }
  if (c == 0.0) {
    return atan2(0.0, -1.0) / d; /* from -1 to 1 */
  }
  return atan2(0.5 * d * (c + s * (s / c)), c0 * c1 + u0 * u1) / d;
}

static double divide_abs(double u0, double u1) {
  const double size = fabs(u0) + fabs(u1);
  return size == 0.0 ? 0.0 : (u0 + u1) / size;
}

/* of max(u, 0) */
static double divide_ramp(double u0, double u1) {
  const double size = fabs(u0) + fabs(u1);
  return size == 0.0 ? 0.5 : (fmax(u0, 0.0) + fmax(u1, 0.0)) / size;
}

/* u^n for n > 0, u0 and u1 of one sign: the sum over k of u0^k u1^(n-1-k) */
static double sum_of_products(double u0, double u1, int n) {
  double sum = 1.0, power = 1.0;
  for (int k = 1; k < n; k++) {
    power *= u0;
    sum = sum * u1 + power;
  }
  return sum;
}

/* u0^n + u1^n; for odd n and two signs the difference of powers of one sign */
static double sum_of_powers(double u0, double u1, int n) {
  if (n % 2 == 1 && u0 < 0.0 && u1 > 0.0) {
    return (u0 + u1) * sum_of_products(-u0, u1, n);
  }
  return vida__power_integer(u0, n) + vida__power_integer(u1, n);
}

/* Odd n and u0 < 0 < u1, with the ratio t >= 0 of the smaller to the larger size:
 * larger^(n-1) (1 + t^n) / (1 + t), which does not leave the range before the result does */
static double divide_odd_power(double u0, double u1, int n) {
  const double larger = u1 > -u0 ? u1 : -u0, ratio = (u1 > -u0 ? -u0 : u1) / larger;
  return vida__power_integer(larger, n - 1) *
         ((1.0 + vida__power_integer(ratio, n)) / (1.0 + ratio));
}

static double divide_positive_power(double u0, double u1, int n) {
  double factor = 1.0;
  for (; n % 2 == 0; n /= 2) {
    factor *= sum_of_powers(u0, u1, n / 2);
  }
  if (n > 1) {
    factor *= u0 < 0.0 && u1 > 0.0 ? divide_odd_power(u0, u1, n) : sum_of_products(u0, u1, n);
  }
  return factor;
}

static double divide_power_integer(double u0, double u1, int n) {
  if (n >= 0) {
    return n ? divide_positive_power(u0, u1, n) : 0.0;
  }
  /* by the larger one first, so as to stay in the range */
  const bool second = fabs(u1) > fabs(u0);
  return -divide_positive_power(u0, u1, -n) / vida__power_integer(second ? u1 : u0, -n) /
         vida__power_integer(second ? u0 : u1, -n);
}

/* In the ratio of both, for numbers whose powers leave the range of doubles. */
static double divide_extreme_power(double u0, double u1, double p) {
  const double ratio = u0 / u1, y = (u0 - u1) / u1;
  if (y == 0.0) {
    return p * pow(u1, p - 1.0);
  }
  return pow(u1, p - 1.0) * ((y > -0.5 ? expm1(p * log1p(y)) : pow(ratio, p) - 1.0) / y);
}

static double divide_power(double u0, double u1, double p) {
  const double d = u1 - u0, power0 = pow(u0, p), power1 = pow(u1, p);
  if (u0 < 0.0) {
    return (double)NAN;
  }
  if (!isnormal(power1) || (u0 > 0.0 && !isnormal(power0))) {
    return divide_extreme_power(u0, u1, p);
  }
  if (d == 0.0) {
    return p * (power0 / u0); /* for p - 1 is rounded */
  }
  const double exponent = p * log1p(d / u0);
  return fabs(exponent) < 0.7 ? power0 * (expm1(exponent) / d) : (power1 - power0) / d;
}

double vida__divided(int operation, double u0, double u1, double p) {
  if (u1 < u0) {
    return vida__divided(operation, u1, u0, p);
  }
  if (!(u0 <= u1)) {
    return (double)NAN;
  }
  switch ((vida_operation)operation) {
    case VIDA_OP_POWER_INTEGER:
      return divide_power_integer(u0, u1, (int)p);
    case VIDA_OP_POWER:
      return divide_power(u0, u1, p);
    case VIDA_OP_SQRT:
      return 1.0 / (sqrt(u0) + sqrt(u1));
    case VIDA_OP_EXP:
      return divide_exp(u0, u1);
    case VIDA_OP_LOG:
      return divide_log(u0, u1);
    case VIDA_OP_SIN:
      return divide_sin(u0, u1);
    case VIDA_OP_COS:
      return divide_cos(u0, u1);
    case VIDA_OP_TAN:
      return divide_tan(u0, u1);
    case VIDA_OP_ASIN:
      return divide_asin(u0, u1);
    case VIDA_OP_ACOS:
      return -divide_asin(u0, u1);
    case VIDA_OP_ATAN:
      return divide_atan(u0, u1);
    case VIDA_OP_SINH:
      return divide_sinh(u0, u1);
    case VIDA_OP_COSH:
      return divide_cosh(u0, u1);
    case VIDA_OP_TANH:
      return divide_tanh(u0, u1);
    case VIDA_OP_ABS:
      return divide_abs(u0, u1);
    case VIDA_OP_MAX:
      return divide_ramp(u0, u1);
    default:
      return (double)NAN;
  }
}

/* ---- phi[u0, u1, u1], d = u1 - u0 of either sign ---- */

/* The definition, for arguments that are far apart. */
static double divide_again(double slope, double divided, double d) {
  return (slope - divided) / d;
}

static double twice_exp(double u0, double u1) {
  return u0 - u1 > 1.0 ? divide_again(exp(u1), divide_exp(u1, u0), u1 - u0)
                       : exp(u1) * exponential_defect(u0 - u1);
}

static double twice_log(double u0, double u1) {
  const double d = u1 - u0;
  if (u0 < 0.5 * u1) {
    return divide_again(1.0 / u1, vida__divided(VIDA_OP_LOG, u0, u1, 0.0), d);
  }
  return logarithmic_defect(-d / u1) / u1 / u1;
}

static double twice_sin(double u0, double u1) {
  const pair m = half(add_exactly(u0, u1)), h = half(add_exactly(u1, -u0));
  return 0.5 * (cosine(m) * cosine_defect(h.high) - sine(m) * sine_ratio(h));
}

static double twice_cos(double u0, double u1) {
  const pair m = half(add_exactly(u0, u1)), h = half(add_exactly(u1, -u0));
  return -0.5 * (sine(m) * cosine_defect(h.high) + cosine(m) * sine_ratio(h));
}

static double twice_sinh(double u0, double u1) {
  const pair m = half(add_exactly(u0, u1)), h = half(add_exactly(u1, -u0));
  return 0.5 * (hyperbolic_cosine(m) * hyperbolic_cosine_defect(h.high) +
                hyperbolic_sine(m) * hyperbolic_ratio(h));
}

static double twice_cosh(double u0, double u1) {
  const pair m = half(add_exactly(u0, u1)), h = half(add_exactly(u1, -u0));
  return 0.5 * (hyperbolic_sine(m) * hyperbolic_cosine_defect(h.high) +
                hyperbolic_cosine(m) * hyperbolic_ratio(h));
}

static double twice_tan(double u0, double u1) {
  const pair d = add_exactly(u1, -u0);
  const double c0 = cos(u0), c1 = cos(u1), s1 = sin(u1);
  return (c1 * cosine_defect(d.high) + s1 * sine_ratio(d)) / (c1 * c1 * c0);
}

static double twice_tanh(double u0, double u1) {
  const pair d = add_exactly(u1, -u0);
  const double t1 = tanh(u1);
  if (fabs(d.high) < 1.0) {
    /* the factor is 0 where the cosines overflow */
    return (hyperbolic_cosine_defect(d.high) - t1 * hyperbolic_ratio(d)) / cosh(u1) / cosh(u0);
  }
  const double c1 = cosh(u1);
  return divide_again(1.0 / c1 / c1, vida__divided(VIDA_OP_TANH, u0, u1, 0.0), d.high);
}

/* With q = 1 + u1^2, w = 1 + u0 u1 and z = d / w: -u1 / (q w) + z (z - arctan z) / z^3 / w^2 */
static double twice_atan(double u0, double u1) {
  const double d = u1 - u0, q = 1.0 + u1 * u1, w = 1.0 + u0 * u1, z = d / w;
  if (w > 0.0 && fabs(z) < 0.5) {
    return (z * artanh_defect(-z * z) / w - u1 / q) / w;
  }
  return divide_again(1.0 / q, vida__divided(VIDA_OP_ATAN, u0, u1, 0.0), d);
}

/* With the angle x = asin u1 - asin u0: d = u1 (1 - cos x) + c1 sin x */
static double twice_asin(double u0, double u1) {
  const double divided = vida__divided(VIDA_OP_ASIN, u0, u1, 0.0), d = u1 - u0;
  const double x = divided * d, c1 = cofactor(u1), squared = divided * divided;
  const pair half_angle = {0.5 * x, 0.0};
  const double ratio = sine_ratio(half_angle);
  if (d == 0.0) {
    return 0.5 * u1 / (c1 * c1 * c1);
  }
  return squared * (0.5 * u1 * ratio * ratio - c1 * x * sine_defect(x)) / c1;
}

static double twice_abs(double u0, double u1) {
  const double d = fabs(u1 - u0);
  if (u1 == 0.0) {
    return u0 == 0.0 ? 0.0 : 1.0 / d; /* the mean of both sides */
  }
  return (u0 < 0.0) == (u1 < 0.0) ? 0.0 : 2.0 * fabs(u0) / d / d;
}

/* The sum over k of (k + 1) u1^k u0^(n - 2 - k), by Horner's rule in u1 */
static double weighted_products(double u0, double u1, int n) {
  double sum = 0.0, power = 1.0;
  for (int k = n - 2; k >= 0; k--) {
    sum = sum * u1 + (k + 1.0) * power;
    power *= u0;
  }
  return sum;
}

static double twice_power_integer(double u0, double u1, int n) {
  if (n >= 0) {
    return weighted_products(u0, u1, n);
  }
  /* in 1/u0 and 1/u1: the sum over j = 1..m of j u1^-(j + 1) u0^-(m + 1 - j), m = -n */
  return weighted_products(1.0 / u0, 1.0 / u1, 1 - n) / u1 / u1 / u0;
}

/* With y = (u0 - u1) / u1 and l = log(1 + y): u1^(p-2) (p (l - y) / y^2 + (p l/y)^2 defect(p l)),
 * or far apart u1^(p-2) ((1 + y)^p - 1 - p y) / y^2 */
static double twice_power(double u0, double u1, double p) {
  const double y = (u0 - u1) / u1;
  if (u0 < 0.0 || u1 < 0.0) {
    return (double)NAN;
  }
  if (u1 == 0.0) {
    return divide_again(p * pow(u1, p - 1.0), vida__divided(VIDA_OP_POWER, u0, u1, p), -u0);
  }
  if (fabs(y) < 0.5) {
    const double l = log1p(y), ratio = y == 0.0 ? 1.0 : l / y;
    return pow(u1, p - 2.0) *
           (p * logarithmic_defect(y) + p * p * ratio * ratio * exponential_defect(p * l));
  }
  return pow(u1, p - 2.0) * ((pow(u0 / u1, p) - 1.0) / y - p) / y;
}

static double twice_sqrt(double u0, double u1) {
  const double r1 = sqrt(u1), sum = sqrt(u0) + r1;
  return -0.5 / r1 / sum / sum;
}

double vida__divided_twice(int operation, double u0, double u1, double p) {
  switch ((vida_operation)operation) {
    case VIDA_OP_POWER_INTEGER:
      return twice_power_integer(u0, u1, (int)p);
    case VIDA_OP_POWER:
      return twice_power(u0, u1, p);
    case VIDA_OP_SQRT:
      return twice_sqrt(u0, u1);
    case VIDA_OP_EXP:
      return twice_exp(u0, u1);
    case VIDA_OP_LOG:
      return twice_log(u0, u1);
    case VIDA_OP_SIN:
      return twice_sin(u0, u1);
    case VIDA_OP_COS:
      return twice_cos(u0, u1);
    case VIDA_OP_TAN:
      return twice_tan(u0, u1);
    case VIDA_OP_ASIN:
      return twice_asin(u0, u1);
    case VIDA_OP_ACOS:
      return -twice_asin(u0, u1);
    case VIDA_OP_ATAN:
      return twice_atan(u0, u1);
    case VIDA_OP_SINH:
      return twice_sinh(u0, u1);
    case VIDA_OP_COSH:
      return twice_cosh(u0, u1);
    case VIDA_OP_TANH:
      return twice_tanh(u0, u1);
    case VIDA_OP_ABS:
      return twice_abs(u0, u1);
    case VIDA_OP_MAX: /* max(u, 0) = (u + |u|) / 2 */
      return 0.5 * twice_abs(u0, u1);
    default:
      return (double)NAN;
  }
}

/* ---- angles ---- */

double vida__angle_ratio(double y, double x) {
  if (y == 0.0) {
    return x > 0.0 ? 1.0 / x : (double)NAN;
  }
  return atan2(y, x) / y;
}

/* d/dy (atan2(y, x) / y) = (x / (x^2 + y^2) - atan2(y, x) / y) / y; with z = y / x it is
 * -z (1 / (1 + z^2) - (z - arctan z) / z^3) / x^2, and 1 / (1 + z^2) exceeds the other, at most 1/3
 */
double vida__angle_slope(double y, double x) {
  const double z = y / x;
  if (x > 0.0 && fabs(z) < 0.5) {
    return -z * (1.0 / (1.0 + z * z) - artanh_defect(-z * z)) / x / x;
  }
  return (x / (x * x + y * y) - vida__angle_ratio(y, x)) / y;
}
