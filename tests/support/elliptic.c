#include "support/elliptic.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Carlson's R_F(x, y, z), Numerische Mathematik 33 (1979) */
static double carlson_f(double x, double y, double z) {
  double mean, dx, dy, dz;
  do {
    const double lambda = sqrt(x * y) + sqrt(y * z) + sqrt(z * x);
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    mean = (x + y + z) / 3.0;
    dx = 1.0 - x / mean;
    dy = 1.0 - y / mean;
    dz = 1.0 - z / mean;
  } while (fmax(fmax(fabs(dx), fabs(dy)), fabs(dz)) > 1e-3);
  const double e2 = dx * dy - dz * dz;
  const double e3 = dx * dy * dz;
  return (1.0 + (e2 / 24.0 - 0.1 - 3.0 * e3 / 44.0) * e2 + e3 / 14.0) / sqrt(mean);
}

double elliptic_f(double sine, double cosine, double kc) {
  const double c = cosine * cosine;
  return sine * carlson_f(c, c + kc * kc * sine * sine, 1.0);
}

double elliptic_amplitude(double u, double kc) {
  enum { LEVELS = 40 };
  double a[LEVELS], c[LEVELS];
  const double half = 2.0 * elliptic_f(1.0, 0.0, kc); /* am(u + 2K) = am(u) + pi */
  const double turns = round(u / half);
  double b = kc;
  int n = 0;
  a[0] = 1.0;
  c[0] = sqrt((1.0 - kc) * (1.0 + kc));
  while (n + 1 < LEVELS && fabs(c[n]) > 1e-17 * a[n]) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * (u - turns * half), n);
  for (; n > 0; n--) {
    phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  }
  return phi + turns * PI;
}

/* kappa^2 = (theta'/2 omega)^2 + sin^2(theta/2): the pendulum swings below 1, turns above */
typedef struct Shape {
  double kappa, complement; /* complement: |1 - kappa^2|^(1/2), without cancellation */
  int turns;
} Shape;

static Shape shape_of(double omega, double angle, double rate) {
  const double s = sin(0.5 * angle);
  const double c = cos(0.5 * angle);
  const double r = rate / (2.0 * omega);
  const double excess = (fabs(r) - fabs(c)) * (fabs(r) + fabs(c)); /* kappa^2 - 1 */
  const Shape shape = {sqrt(r * r + s * s), sqrt(fabs(excess)), excess > 0.0};
  return shape;
}

void pendulum_motion(double omega, double angle, double rate, double t, double* angle_t,
                     double* rate_t) {
  const Shape shape = shape_of(omega, angle, rate);
  if (shape.turns) {
    /* theta/2 = am(kappa omega t + u0 | 1/kappa) */
    const double kc = shape.complement / shape.kappa;
    const double direction = rate > 0.0 ? 1.0 : -1.0;
    const double start = 0.5 * direction * angle;
    const double whole = round(start / PI);
    const double rest = start - whole * PI;
    const double u0 = elliptic_f(sin(rest), cos(rest), kc) + 2.0 * whole * elliptic_f(1.0, 0.0, kc);
    const double phi = elliptic_amplitude(u0 + shape.kappa * omega * t, kc);
    const double dn = sqrt(pow(cos(phi), 2) + pow(kc * sin(phi), 2));
    *angle_t = 2.0 * direction * phi;
    *rate_t = 2.0 * direction * shape.kappa * omega * dn;
  } else {
    /* sin(theta/2) = kappa sn(omega t + u0 | kappa), theta' = 2 kappa omega cn */
    const double kc = shape.complement;
    const double sine = sin(0.5 * angle) / shape.kappa;
    const double cosine = rate / (2.0 * omega * shape.kappa);
    double u0 = elliptic_f(sine, fabs(cosine), kc);
    if (cosine < 0.0) {
      u0 = 2.0 * elliptic_f(1.0, 0.0, kc) - u0;
    }
    const double phi = elliptic_amplitude(u0 + omega * t, kc);
    *angle_t = 2.0 * asin(shape.kappa * sin(phi));
    *rate_t = 2.0 * shape.kappa * omega * cos(phi);
  }
}

double pendulum_period(double omega, double angle, double rate) {
  const Shape shape = shape_of(omega, angle, rate);
  return shape.turns
             ? 2.0 * elliptic_f(1.0, 0.0, shape.complement / shape.kappa) / (shape.kappa * omega)
             : 4.0 * elliptic_f(1.0, 0.0, shape.complement) / omega;
}
