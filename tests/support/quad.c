#include "support/quad.h"

#include <float.h>
#include <math.h>

/* Sums of doubles, for standard C has no longer literals. */
static Quad half_pi(void) {
  return ((Quad)-1.497384904859169777e-33 + (Quad)6.123233995736766036e-17) +
         (Quad)1.570796326794896558e+00;
}

static Quad log_of_2(void) {
  return ((Quad)5.707708438416212066e-34 + (Quad)2.319046813846299558e-17) +
         (Quad)6.931471805599452862e-01;
}

Quad quad_abs(Quad x) {
  return x < 0 ? -x : x;
}

Quad quad_sqrt(Quad x) {
  if (!((double)x > 0.0)) {
    return (Quad)sqrt((double)x);
  }
  Quad y = (Quad)sqrt((double)x);
  y = (y + x / y) / 2;
  return (y + x / y) / 2;
}

/* 2^k */
static Quad power_of_two(int k) {
  Quad power = 1;
  for (int i = 0; i < (k < 0 ? -k : k); i++) {
    power *= 2;
  }
  return k < 0 ? 1 / power : power;
}

Quad quad_exp(Quad x) {
  const int k = (int)nearbyint((double)x / 0.693147180559945309);
  const Quad r = x - k * log_of_2();
  Quad sum = 1;
  for (int i = 32; i > 0; i--) {
    sum = 1 + sum * r / i;
  }
  return sum * power_of_two(k);
}

Quad quad_log(Quad x) {
  Quad y = (Quad)log((double)x);
  for (int i = 0; i < 2; i++) {
    const Quad e = quad_exp(y);
    y += 2 * (x - e) / (x + e);
  }
  return y;
}

/* sin r and cos r, |r| <= pi/4 */
static Quad sine_series(Quad r) {
  Quad sum = 1;
  for (int i = 34; i > 0; i -= 2) {
    sum = 1 - sum * r * r / (i * (i + 1));
  }
  return r * sum;
}

static Quad cosine_series(Quad r) {
  Quad sum = 1;
  for (int i = 33; i > 0; i -= 2) {
    sum = 1 - sum * r * r / (i * (i + 1));
  }
  return sum;
}

/* sin(x + quarters pi/2) */
static Quad shifted_sine(Quad x, int quarters) {
  const double k = nearbyint((double)x / 1.57079632679489656);
  const Quad r = x - (Quad)k * half_pi();
  const int turn = (int)(((long)k + quarters) & 3);
  const Quad value = turn & 1 ? cosine_series(r) : sine_series(r);
  return turn & 2 ? -value : value;
}

Quad quad_sin(Quad x) {
  return shifted_sine(x, 0);
}

Quad quad_cos(Quad x) {
  return shifted_sine(x, 1);
}

Quad quad_atan2(Quad y, Quad x) {
  const Quad guess = (Quad)atan2((double)y, (double)x);
  const Quad s = quad_sin(guess), c = quad_cos(guess);
  const Quad z = (y * c - x * s) / (x * c + y * s);
  return guess + (z - z * z * z / 3);
}

Quad quad_sinh(Quad x) {
  if (quad_abs(x) < 1) {
    Quad sum = 1;
    for (int i = 34; i > 0; i -= 2) {
      sum = 1 + sum * x * x / (i * (i + 1));
    }
    return x * sum;
  }
  const Quad e = quad_exp(x);
  return (e - 1 / e) / 2;
}

Quad quad_cosh(Quad x) {
  const Quad e = quad_exp(x);
  return (e + 1 / e) / 2;
}

static Quad power_integer(Quad x, int n) {
  Quad power = 1;
  for (int i = 0; i < (n < 0 ? -n : n); i++) {
    power *= x;
  }
  return n < 0 ? 1 / power : power;
}

static Quad value_of(vida_operation phi, Quad u, double p) {
  return quad_apply(phi, phi == VIDA_OP_POWER_INTEGER ? (int)p : 0, u, (Quad)p, 0);
}

Quad quad_slope(vida_operation phi, Quad u, double p) {
  switch (phi) {
    case VIDA_OP_POWER_INTEGER:
      return (Quad)p * power_integer(u, (int)p - 1);
    case VIDA_OP_POWER:
      return (Quad)p * quad_exp(((Quad)p - 1) * quad_log(u));
    case VIDA_OP_SQRT:
      return 1 / (2 * quad_sqrt(u));
    case VIDA_OP_EXP:
      return quad_exp(u);
    case VIDA_OP_LOG:
      return 1 / u;
    case VIDA_OP_SIN:
      return quad_cos(u);
    case VIDA_OP_COS:
      return -quad_sin(u);
    case VIDA_OP_TAN:
      return 1 / (quad_cos(u) * quad_cos(u));
    case VIDA_OP_ASIN:
      return 1 / quad_sqrt((1 - u) * (1 + u));
    case VIDA_OP_ACOS:
      return -1 / quad_sqrt((1 - u) * (1 + u));
    case VIDA_OP_ATAN:
      return 1 / (1 + u * u);
    case VIDA_OP_SINH:
      return quad_cosh(u);
    case VIDA_OP_COSH:
      return quad_sinh(u);
    case VIDA_OP_TANH:
      return 1 / (quad_cosh(u) * quad_cosh(u));
    case VIDA_OP_ABS:
      return (u > 0) - (u < 0);
    case VIDA_OP_MAX:
      return u > 0;
    default:
      return (Quad)NAN;
  }
}

/* Over which distance phi changes by a good part of itself. */
Quad quad_scale(vida_operation phi, Quad u) {
  switch (phi) {
    case VIDA_OP_POWER_INTEGER:
    case VIDA_OP_POWER:
    case VIDA_OP_SQRT:
    case VIDA_OP_LOG:
    case VIDA_OP_ABS:
    case VIDA_OP_MAX:
      return quad_abs(u);
    case VIDA_OP_ASIN:
    case VIDA_OP_ACOS:
      return 1 - quad_abs(u);
    case VIDA_OP_ATAN:
      return 1 + quad_abs(u);
    case VIDA_OP_TAN:
      return quad_abs(quad_cos(u));
    default:
      return 1;
  }
}

Quad quad_divided(vida_operation phi, Quad u0, Quad u1, double p) {
  const Quad d = u1 - u0, middle = u0 + d / 2;
  if (quad_abs(d) <= (Quad)1e-10 * quad_scale(phi, middle)) {
    return quad_slope(phi, middle, p);
  }
  const Quad h = d / 2;
  switch (phi) { /* identities where the difference of values cancels in quad, too */
    case VIDA_OP_COS:
      return -quad_sin(middle) * quad_sin(h) / h;
    case VIDA_OP_COSH:
      return quad_sinh(middle) * quad_sinh(h) / h;
    case VIDA_OP_TANH:
      return quad_sinh(d) / d / quad_cosh(u0) / quad_cosh(u1);
    default:
      return (value_of(phi, u1, p) - value_of(phi, u0, p)) / d;
  }
}

Quad quad_divided_twice(vida_operation phi, Quad u0, Quad u1, double p) {
  const Quad d = u1 - u0, third = u0 + d * 2 / 3, scale = quad_scale(phi, third);
  if (quad_abs(d) <= (Quad)1e-8 * scale) {
    const Quad step = (Quad)1e-11 * scale;
    return (quad_slope(phi, third + step, p) - quad_slope(phi, third - step, p)) / (4 * step);
  }
  return (quad_slope(phi, u1, p) - quad_divided(phi, u0, u1, p)) / d;
}

static Quad angle_ratio(Quad y, Quad x) {
  const Quad z = y / x;
  return x > 0 && quad_abs(z) < (Quad)1e-8 ? (1 - z * z / 3) / x : quad_atan2(y, x) / y;
}

Quad quad_apply(vida_operation operation, int n, Quad a, Quad b, Quad c) {
  switch (operation) {
    case VIDA_OP_ADD:
      return a + b;
    case VIDA_OP_SUBTRACT:
      return a - b;
    case VIDA_OP_MULTIPLY:
      return a * b;
    case VIDA_OP_DIVIDE:
      return a / b;
    case VIDA_OP_NEGATE:
      return -a;
    case VIDA_OP_POWER_INTEGER:
      return power_integer(a, n);
    case VIDA_OP_POWER:
      return quad_exp(b * quad_log(a));
    case VIDA_OP_SQRT:
      return quad_sqrt(a);
    case VIDA_OP_EXP:
      return quad_exp(a);
    case VIDA_OP_LOG:
      return quad_log(a);
    case VIDA_OP_SIN:
      return quad_sin(a);
    case VIDA_OP_COS:
      return quad_cos(a);
    case VIDA_OP_TAN:
      return quad_sin(a) / quad_cos(a);
    case VIDA_OP_ASIN:
      return quad_atan2(a, quad_sqrt((1 - a) * (1 + a)));
    case VIDA_OP_ACOS:
      return quad_atan2(quad_sqrt((1 - a) * (1 + a)), a);
    case VIDA_OP_ATAN:
      return quad_atan2(a, 1);
    case VIDA_OP_ATAN2:
      return quad_atan2(a, b);
    case VIDA_OP_SINH:
      return quad_sinh(a);
    case VIDA_OP_COSH:
      return quad_cosh(a);
    case VIDA_OP_TANH:
      return quad_sinh(a) / quad_cosh(a);
    case VIDA_OP_ABS:
      return quad_abs(a);
    case VIDA_OP_SIGN:
      return (a > 0) - (a < 0);
    case VIDA_OP_MIN:
      return b < a ? b : a;
    case VIDA_OP_MAX:
      return a < b ? b : a;
    case VIDA_OP_LESS:
      return a < b;
    case VIDA_OP_LESS_EQUAL:
      return a <= b;
    case VIDA_OP_EQUAL:
      return a == b;
    case VIDA_OP_WHERE:
      return a != 0 ? b : c;
    case VIDA_OP_DIVIDED:
      return quad_divided((vida_operation)n, a, b, (double)c);
    case VIDA_OP_DIVIDED_TWICE:
      return quad_divided_twice((vida_operation)n, a, b, (double)c);
    case VIDA_OP_ANGLE_RATIO:
      return angle_ratio(a, b);
    default:
      return (Quad)NAN;
  }
}

double quad_ulps(double value, Quad expected) {
  const double rounded = fabs((double)expected);
  const double unit =
      rounded < DBL_MIN ? DBL_MIN * DBL_EPSILON : ldexp(DBL_EPSILON, ilogb(rounded));
  return (double)(quad_abs((Quad)value - expected) / (Quad)unit);
}
