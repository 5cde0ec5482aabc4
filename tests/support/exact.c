#include "support/exact.h"

#include <math.h>
#include <vida/expression.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/elliptic.h"
#include "support/formula.h"

static const double pi = 3.14159265358979323846;

static VidaSystem* begin(const char* name, int dimension, int count, const char* const* names,
                         const char* const* units, const double* q, const double* v,
                         VidaExpression* x, VidaExpression* rate) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create(name, dimension, &system, &error), &error);
  for (int i = 0; i < count; i++) {
    REQUIRE_OK(VidaSystem_AddCoordinate(system, names[i], units[i], VidaInitial_Given(q[i]),
                                        VidaInitial_Given(v[i]), NULL, &error),
               &error);
    REQUIRE_OK(VidaSystem_Position(system, i, &x[i], &error), &error);
    REQUIRE_OK(VidaSystem_Rate(system, i, &rate[i], &error), &error);
  }
  return system;
}

static void add_lagrangian(VidaSystem* system, VidaExpression lagrangian) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "motion", lagrangian, &error), &error);
}

static void add_constraint(VidaSystem* system, const char* name, VidaExpression g) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, name, "", g, &error), &error);
}

static VidaSystem* complete(VidaSystem* system) {
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static const char* const plane_names[2] = {"x", "y"};
static const char* const polar_names[2] = {"r", "theta"};
static const char* const meters[2] = {"m", "m"};
static const char* const polar_units[2] = {"m", "rad"};

/* The two-body problem with all constants 1, from the perihelion of an ellipse */
#define ECCENTRICITY 0.6

VidaSystem* make_kepler(void) {
  const double q[2] = {1.0 - ECCENTRICITY, 0.0};
  const double v[2] = {0.0, sqrt((1.0 + ECCENTRICITY) / (1.0 - ECCENTRICITY))};
  VidaExpression x[2], rate[2];
  VidaSystem* system = begin("Kepler", 2, 2, plane_names, meters, q, v, x, rate);
  VidaExpression twice = apply(system, "+", square(system, rate[0]), square(system, rate[1]));
  VidaExpression away = apply(system, "+", square(system, x[0]), square(system, x[1]));
  VidaExpression inverse = apply(system, "^", away, number(system, -0.5));
  const int both[2] = {0, 1};
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_AddMotion(system, VIDA_MOTION_POINT, both, &error), &error);
  add_lagrangian(system, apply(system, "+", times(system, 0.5, twice), inverse));
  return complete(system);
}

/* Kepler's equation E - e sin E = t by Newton's method */
void exact_kepler(double t, double* q, double* v) {
  const double e = ECCENTRICITY;
  const double root = sqrt(1.0 - e * e);
  double anomaly = t;
  for (int k = 0; k < 50; k++) {
    anomaly -= (anomaly - e * sin(anomaly) - t) / (1.0 - e * cos(anomaly));
  }
  const double speed = 1.0 / (1.0 - e * cos(anomaly));
  q[0] = cos(anomaly) - e;
  q[1] = root * sin(anomaly);
  v[0] = -sin(anomaly) * speed;
  v[1] = root * cos(anomaly) * speed;
}

/* The harmonic oscillator x'' = -16 x */
VidaSystem* make_oscillator(void) {
  const Model model = model_oscillator(2.5, 40.0, 0.3, -0.2);
  return model_system(&model);
}

void exact_oscillator(double t, double* q, double* v) {
  q[0] = 0.3 * cos(4.0 * t) - 0.05 * sin(4.0 * t);
  v[0] = -1.2 * sin(4.0 * t) - 0.2 * cos(4.0 * t);
}

/* An isotropic oscillator in polar coordinates: L = (r'^2 + r^2 theta'^2 - w^2 r^2) / 2 */
#define ISOTROPIC 2.0

VidaSystem* make_polar(void) {
  const double q[2] = {1.0, 0.0};
  const double v[2] = {0.0, 0.7 * ISOTROPIC};
  VidaExpression x[2], rate[2];
  VidaSystem* system = begin("polar", 2, 2, polar_names, polar_units, q, v, x, rate);
  VidaExpression around = square(system, apply(system, "*", x[0], rate[1]));
  VidaExpression twice = apply(system, "+", square(system, rate[0]), around);
  VidaExpression bound = times(system, ISOTROPIC * ISOTROPIC, square(system, x[0]));
  add_lagrangian(system, times(system, 0.5, apply(system, "-", twice, bound)));
  return complete(system);
}

/* The ellipse (cos w t, 0.7 sin w t) */
void exact_polar(double t, double* q, double* v) {
  const double angle = ISOTROPIC * t;
  const double x = cos(angle);
  const double y = 0.7 * sin(angle);
  q[0] = hypot(x, y);
  q[1] = atan2(y, x) + 2.0 * pi * floor(angle / (2.0 * pi) + 0.5);
  v[0] = ISOTROPIC * (-x * sin(angle) + 0.7 * y * cos(angle)) / q[0];
  v[1] = ISOTROPIC * 0.7 / (q[0] * q[0]);
}

/* A charge in a magnetic field that drags behind it a force -c v and is pushed by the time:
 * x'' = w y' - c x' + cos 2t, y'' = -w x' - c y' */
#define FIELD 3.0
#define DRAG 0.2

VidaSystem* make_charge(void) {
  const double q[2] = {0.4, -0.1};
  const double v[2] = {0.5, 0.7};
  const int both[2] = {0, 1};
  VidaExpression x[2], rate[2], force[2], time;
  VidaError error = {0};
  VidaSystem* system = begin("charge", 2, 2, plane_names, meters, q, v, x, rate);
  REQUIRE_OK(VidaSystem_Time(system, &time, &error), &error);
  VidaExpression twice = apply(system, "+", square(system, rate[0]), square(system, rate[1]));
  /* w (x' y - x y') / 2 */
  VidaExpression swirl =
      apply(system, "-", apply(system, "*", rate[0], x[1]), apply(system, "*", x[0], rate[1]));
  VidaExpression wave = apply(system, "cos", times(system, 2.0, time), -1);
  VidaExpression l =
      apply(system, "+", times(system, 0.5, twice), times(system, -0.5 * FIELD, swirl));
  add_lagrangian(system, apply(system, "+", l, apply(system, "*", wave, x[0])));
  for (int i = 0; i < 2; i++) {
    force[i] = times(system, -DRAG, rate[i]);
  }
  REQUIRE_OK(VidaSystem_AddExpressionForce(system, "drag", 2, both, force, &error), &error);
  return complete(system);
}

/* With z = x + i y: z'' + a z' = cos 2t, a = c + i w; L = ... - w (x' y - x y') / 2 gives x'' = w
 * y'. Particular part: cos 2t = (e^{2it} + e^{-2it}) / 2, z = sum e^{+-2it} / (2 (-4 +- 2 i a)) */
void exact_charge(double t, double* q, double* v) {
  double z[2] = {0.0, 0.0}, rate[2] = {0.0, 0.0}, z0[2] = {0.0, 0.0}, rate0[2] = {0.0, 0.0};
  for (int sign = -1; sign <= 1; sign += 2) {
    /* 1 / (2 (-4 + 2 i s (c + i w))) */
    const double re = -4.0 - 2.0 * sign * FIELD;
    const double im = 2.0 * sign * DRAG;
    const double size = 2.0 * (re * re + im * im);
    const double a = re / size;
    const double b = -im / size;
    const double c = cos(2.0 * t);
    const double s = sign * sin(2.0 * t);
    z[0] += a * c - b * s;
    z[1] += a * s + b * c;
    rate[0] += -2.0 * sign * (a * s + b * c);
    rate[1] += 2.0 * sign * (a * c - b * s);
    z0[0] += a;
    z0[1] += b;
    rate0[0] += -2.0 * sign * b;
    rate0[1] += 2.0 * sign * a;
  }
  /* homogeneous: z = A + B e^{-a t}, -a B = what is left of the start's velocity */
  const double left[2] = {0.5 - rate0[0], 0.7 - rate0[1]};
  const double size = DRAG * DRAG + FIELD * FIELD;
  const double b[2] = {-(left[0] * DRAG + left[1] * FIELD) / size,
                       -(left[1] * DRAG - left[0] * FIELD) / size};
  const double decay = exp(-DRAG * t);
  const double c = decay * cos(FIELD * t);
  const double s = -decay * sin(FIELD * t);
  const double wave[2] = {b[0] * c - b[1] * s, b[0] * s + b[1] * c};
  q[0] = z[0] + 0.4 - z0[0] - b[0] + wave[0];
  q[1] = z[1] - 0.1 - z0[1] - b[1] + wave[1];
  v[0] = rate[0] - (DRAG * wave[0] - FIELD * wave[1]);
  v[1] = rate[1] - (DRAG * wave[1] + FIELD * wave[0]);
}

VidaSystem* make_pendulum(void) {
  const Model model = model_pendulum(2, 1.3, PENDULUM_LENGTH, 1.0, 0.5);
  return model_system(&model);
}

void exact_pendulum(double t, double* q, double* v) {
  double angle, rate;
  pendulum_motion(sqrt(MODEL_GRAVITY / PENDULUM_LENGTH), 1.0, 0.5, t, &angle, &rate);
  q[0] = PENDULUM_LENGTH * sin(angle);
  q[1] = -PENDULUM_LENGTH * cos(angle);
  v[0] = PENDULUM_LENGTH * rate * cos(angle);
  v[1] = PENDULUM_LENGTH * rate * sin(angle);
}

/* The same pendulum, with a pivot in (0, 1.5), in polar coordinates around the origin; theta is
 * measured from the x axis, L = (r'^2 + r^2 theta'^2)/2 - g r sin theta */
void polar_of(const double* point, const double* velocity, double* q, double* v) {
  q[0] = hypot(point[0], point[1]);
  q[1] = atan2(point[1], point[0]);
  v[0] = (point[0] * velocity[0] + point[1] * velocity[1]) / q[0];
  v[1] = (point[0] * velocity[1] - point[1] * velocity[0]) / (q[0] * q[0]);
}

void exact_bead(double t, double* q, double* v) {
  double point[2], velocity[2];
  exact_pendulum(t, point, velocity);
  point[1] += PIVOT;
  polar_of(point, velocity, q, v);
}

VidaSystem* make_bead(void) {
  double q[2], v[2];
  VidaExpression x[2], rate[2];
  exact_bead(0.0, q, v);
  VidaSystem* system = begin("bead", 2, 2, polar_names, polar_units, q, v, x, rate);
  VidaExpression around = square(system, apply(system, "*", x[0], rate[1]));
  VidaExpression twice = apply(system, "+", square(system, rate[0]), around);
  VidaExpression height = apply(system, "*", x[0], apply(system, "sin", x[1], -1));
  VidaExpression fall = times(system, -MODEL_GRAVITY, height);
  add_lagrangian(system, apply(system, "+", times(system, 0.5, twice), fall));
  /* r^2 - 2 p r sin theta + p^2 = l^2 */
  VidaExpression g = apply(system, "-", square(system, x[0]), times(system, 2.0 * PIVOT, height));
  const double rest = PIVOT * PIVOT - PENDULUM_LENGTH * PENDULUM_LENGTH;
  add_constraint(system, "circle", apply(system, "+", g, number(system, rest)));
  return complete(system);
}

VidaSystem* make_dragged(void) {
  double q[2], v[2];
  const int both[2] = {0, 1};
  VidaExpression x[2], rate[2], force[2];
  VidaError error = {0};
  exact_pendulum(0.0, q, v);
  VidaSystem* system = begin("dragged", 2, 2, plane_names, meters, q, v, x, rate);
  VidaExpression twice = apply(system, "+", square(system, rate[0]), square(system, rate[1]));
  add_lagrangian(system,
                 apply(system, "-", times(system, 0.5, twice), times(system, MODEL_GRAVITY, x[1])));
  for (int i = 0; i < 2; i++) {
    force[i] = times(system, -DRAG, rate[i]);
  }
  REQUIRE_OK(VidaSystem_AddExpressionForce(system, "drag", 2, both, force, &error), &error);
  VidaExpression g = apply(system, "+", square(system, x[0]), square(system, x[1]));
  const double length = PENDULUM_LENGTH * PENDULUM_LENGTH;
  add_constraint(system, "rod", apply(system, "-", g, number(system, length)));
  return complete(system);
}

/* A pendulum whose pivot is pulled with a = 4 along x: that of a gravity tilted by atan(a/g) */
#define PULL 4.0

void exact_pulled(double t, double* q, double* v) {
  const double tilt = atan2(PULL, MODEL_GRAVITY);
  double angle, rate;
  pendulum_motion(sqrt(hypot(PULL, MODEL_GRAVITY) / PENDULUM_LENGTH), 1.0 + tilt, 0.5, t, &angle,
                  &rate);
  angle -= tilt;
  q[0] = PENDULUM_LENGTH * sin(angle) + 0.5 * PULL * t * t;
  q[1] = -PENDULUM_LENGTH * cos(angle);
  v[0] = PENDULUM_LENGTH * rate * cos(angle) + PULL * t;
  v[1] = PENDULUM_LENGTH * rate * sin(angle);
}

VidaSystem* make_pulled(void) {
  double q[2], v[2];
  VidaExpression x[2], rate[2], time;
  VidaError error = {0};
  exact_pulled(0.0, q, v);
  VidaSystem* system = begin("pulled", 2, 2, plane_names, meters, q, v, x, rate);
  REQUIRE_OK(VidaSystem_Time(system, &time, &error), &error);
  VidaExpression twice = apply(system, "+", square(system, rate[0]), square(system, rate[1]));
  add_lagrangian(system,
                 apply(system, "-", times(system, 0.5, twice), times(system, MODEL_GRAVITY, x[1])));
  VidaExpression pivot = times(system, 0.5 * PULL, square(system, time));
  VidaExpression g =
      apply(system, "+", square(system, apply(system, "-", x[0], pivot)), square(system, x[1]));
  const double length = PENDULUM_LENGTH * PENDULUM_LENGTH;
  add_constraint(system, "rod", apply(system, "-", g, number(system, length)));
  return complete(system);
}

VidaSystem* make_double_pendulum(void) {
  const Model model = model_double_spherical_pendulum();
  return model_system(&model);
}

void exact_double_pendulum(double t, double* q, double* v) {
  const Model model = model_double_spherical_pendulum();
  VidaSystem* system = model_system(&model);
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  VidaSystem_Destroy(&system);
  model_reference(&model, t, 100, q, v, NULL);
}

/* A body with a fixed point as a unit quaternion; `weight` pulls down the end of its y axis at
 * unit length. `along`: see exact.h */
static VidaSystem* make_body(const double* inertia, const double* spin, double weight,
                             double along) {
  static const char* const names[4] = {"e0", "e1", "e2", "e3"};
  static const char* const units[4] = {"", "", "", ""};
  const double q[4] = {1.0, 0.0, 0.0, 0.0};
  const double v[4] = {0.0, 0.5 * spin[0], 0.5 * spin[1], 0.5 * spin[2]};
  VidaExpression x[4], rate[4];
  VidaSystem* system = begin("body", 3, 4, names, units, q, v, x, rate);
  VidaExpression l = number(system, 0.0);
  for (int i = 0; i < 3; i++) {
    /* omega_i / 2 = e0 e_i' - e0' e_i - (e x e')_i */
    const int j = (i + 1) % 3 + 1;
    const int k = (i + 2) % 3 + 1;
    VidaExpression turn = apply(system, "-", apply(system, "*", x[0], rate[i + 1]),
                                apply(system, "*", rate[0], x[i + 1]));
    VidaExpression cross =
        apply(system, "-", apply(system, "*", x[j], rate[k]), apply(system, "*", x[k], rate[j]));
    VidaExpression half = apply(system, "-", turn, cross);
    l = apply(system, "+", l, times(system, 2.0 * inertia[i], square(system, half)));
  }
  VidaExpression size = number(system, -1.0);
  VidaExpression grows = number(system, 0.0);
  for (int i = 0; i < 4; i++) {
    size = apply(system, "+", size, square(system, x[i]));
    grows = apply(system, "+", grows, apply(system, "*", x[i], rate[i]));
  }
  if (along > 0.0) {
    l = apply(system, "+", l, times(system, 2.0 * along, square(system, grows)));
  }
  VidaExpression height =
      apply(system, "+", apply(system, "*", x[2], x[3]), apply(system, "*", x[0], x[1]));
  add_lagrangian(system, apply(system, "-", l, times(system, 2.0 * weight, height)));
  add_constraint(system, "norm", size);
  return complete(system);
}

VidaSystem* make_top_with(double along) {
  static const double inertia[3] = {15.234375, 0.46875, 15.234375};
  static const double spin[3] = {0.0, 150.0, -4.61538};
  return make_body(inertia, spin, 15.0 * MODEL_GRAVITY, along);
}

VidaSystem* make_precession(void) {
  static const double inertia[3] = {1.0, 1.0, 2.0};
  static const double spin[3] = {1.0, 0.0, 5.0};
  return make_body(inertia, spin, 0.0, 0.0);
}

void exact_precession(double t, double* q) {
  const double momentum[3] = {1.0, 0.0, 10.0};
  const double rate = sqrt(101.0);
  const double c = cos(0.5 * rate * t);
  const double s = sin(0.5 * rate * t) / rate;
  const double a[4] = {c, s * momentum[0], s * momentum[1], s * momentum[2]};
  const double b[2] = {cos(2.5 * t), -sin(2.5 * t)};
  q[0] = a[0] * b[0] - a[3] * b[1];
  q[1] = a[1] * b[0] + a[2] * b[1];
  q[2] = a[2] * b[0] - a[1] * b[1];
  q[3] = a[3] * b[0] + a[0] * b[1];
}
