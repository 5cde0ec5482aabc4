/* Systems of the audit with events: elastic impacts, a coupling that is engaged and released, and
 * friction. Between its events each has a closed form, and the times of its events are zeros of
 * sums of a sine and a cosine, or phases of the pendulum. */
#include <math.h>
#include <string.h>
#include <vida/contact.h>
#include <vida/event.h>

#include "diagnose/audit_systems.h"

#define TWO_PI 6.283185307179586476925286766559

/* Reduces an angle to 0 < x <= period. */
static double reduce(double x, double period) {
  const double rest = fmod(x, period);
  return rest > 0.0 ? rest : rest + period;
}

static void contact(formulas* f, const char* name, VidaExpression gap) {
  const VidaContact elastic = {.name = name, .gap = gap, .restitution = 1.0};
  if (!f->code) {
    f->code = VidaSystem_AddContact(f->system, &elastic, NULL, f->error);
  }
}

/* ---- pendulum with a stop -------------------------------------------------------------------- */

#define STOP_ANGLE 0.3 /* rad: the stop is a vertical plane */

int vida__build_stopped_pendulum(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, vida__build_pendulum(system, error)};
  contact(&f, "stop", subtract(&f, position(&f, 0), number(&f, sin(STOP_ANGLE))));
  return f.code;
}

/* It goes up from the stop and comes back with the same speed, so that the same part of its swing
 * is repeated. */
void vida__exact_stopped_pendulum(double t, double* q, double* v) {
  const double omega = sqrt(VIDA_AUDIT_GRAVITY), k = sqrt(0.5), start = 0.2;
  const double wanted = sin(0.5 * STOP_ANGLE) / k;
  double a = 1.0, b = sqrt((1.0 - k) * (1.0 + k)), stop = asin(wanted), sn, cn;
  for (int i = 0; i < 8; i++) { /* arithmetic-geometric mean: a quarter period is pi / (2 a) */
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  for (int i = 0; i < 8; i++) { /* Newton's method for sn(u) = wanted */
    jacobi(stop, k, &sn, &cn);
    stop -= (sn - wanted) / (cn * sqrt(1.0 - k * k * sn * sn));
  }
  const double half = 0.5 * TWO_PI / (a * omega), from = stop / omega;
  vida__exact_pendulum(from + reduce(t + start - from, half - 2.0 * from) - start, q, v);
}

/* ---- colliding discs ------------------------------------------------------------------------- */

/* Two discs, pulled together by a spring without rest length. Their distance r has
 * mu r'' = -k r with the reduced mass mu. */
static const double disc_mass[2] = {1.2, 0.8}, disc_radius[2] = {0.15, 0.1};
#define DISC_RATE 3.0 /* sqrt(k / mu), rad/s */
static const double disc_distance[2] = {0.5, 0.1}, disc_speed[2] = {-0.6, 0.3};
static const double disc_centre[2] = {0.1, -0.2}, disc_drift[2] = {0.3, 0.1};

/* Moves x along x'' = -w^2 x. */
static void swing(double w, double t, double* x, double* v) {
  const double x0 = *x, v0 = *v;
  *x = x0 * cos(w * t) + v0 / w * sin(w * t);
  *v = v0 * cos(w * t) - w * x0 * sin(w * t);
}

/* Returns the time after which the length of the distance falls to that of an impact: its square
 * is a sum of a constant, a sine and a cosine of 2 w t. */
static double time_to_impact(const double* r, const double* v) {
  const double w = DISC_RATE, least = disc_radius[0] + disc_radius[1];
  const double rr = r[0] * r[0] + r[1] * r[1], vv = (v[0] * v[0] + v[1] * v[1]) / (w * w);
  const double c = 0.5 * (rr - vv), s = (r[0] * v[0] + r[1] * v[1]) / w;
  const double at = (least * least - 0.5 * (rr + vv)) / hypot(c, s);
  return reduce(atan2(s, c) + acos(at), TWO_PI) / (2.0 * w);
}

void vida__exact_discs(double t, double* q, double* v) {
  const double whole = disc_mass[0] + disc_mass[1];
  double r[2], rate[2], left = t;
  memcpy(r, disc_distance, sizeof r);
  memcpy(rate, disc_speed, sizeof rate);
  for (bool is_over = false; !is_over;) {
    const double way = time_to_impact(r, rate);
    is_over = way >= left;
    for (int k = 0; k < 2; k++) {
      swing(DISC_RATE, is_over ? left : way, &r[k], &rate[k]);
    }
    if (!is_over) {
      const double change = -2.0 * (r[0] * rate[0] + r[1] * rate[1]) / (r[0] * r[0] + r[1] * r[1]);
      rate[0] += change * r[0];
      rate[1] += change * r[1];
      left -= way;
    }
  }
  for (int k = 0; k < 2; k++) {
    const double centre = disc_centre[k] + disc_drift[k] * t;
    q[k] = centre - disc_mass[1] / whole * r[k];
    q[2 + k] = centre + disc_mass[0] / whole * r[k];
    v[k] = disc_drift[k] - disc_mass[1] / whole * rate[k];
    v[2 + k] = disc_drift[k] + disc_mass[0] / whole * rate[k];
  }
}

int vida__build_discs(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double reduced = disc_mass[0] * disc_mass[1] / (disc_mass[0] + disc_mass[1]);
  const VidaSpring spring = {.name = "spring",
                             .from = VidaPoint_Particle(0),
                             .to = VidaPoint_Particle(1),
                             .stiffness = reduced * DISC_RATE * DISC_RATE,
                             .law = VIDA_SPRING_LINEAR};
  const VidaSphereContact impact = {.name = "discs",
                                    .ends = {VidaEnd_Particle(0), VidaEnd_Particle(1)},
                                    .radii = {disc_radius[0], disc_radius[1]},
                                    .restitution = 1.0};
  double q[4], v[4];
  vida__exact_discs(0.0, q, v);
  particle(&f, "one", disc_mass[0], 2, q, v);
  particle(&f, "two", disc_mass[1], 2, q + 2, v + 2);
  if (!f.code) {
    f.code = VidaSystem_AddSpring(system, &spring, error);
  }
  if (!f.code) {
    f.code = VidaSystem_AddSphereContact(system, &impact, NULL, error);
  }
  own_chart(&f, 4, q);
  return f.code;
}

/* ---- body with a stop ------------------------------------------------------------------------ */

/* A free symmetric body, whose axis of unit length hits a floor. */
static const vida_turning_body stopped_body = {{0.6, 0.6, 0.3}, {2.0, 0.5, 3.0}, 0.7, 0.0};
#define FLOOR_HEIGHT 0.2

int vida__build_stopped_body(VidaSystem* system, VidaError* error) {
  VidaExpression height = 0;
  formulas f = {system, error, vida__build_turning_body(system, &stopped_body, &height, error)};
  contact(&f, "floor", subtract(&f, height, number(&f, FLOOR_HEIGHT)));
  return f.code;
}

/* Computes the product of two quaternions (s, x, y, z). */
static void multiply_quaternions(const double* a, const double* b, double* product) {
  product[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  for (int i = 0; i < 3; i++) {
    const int x = 1 + i, y = 1 + (i + 1) % 3, z = 1 + (i + 2) % 3;
    product[x] = a[0] * b[x] + a[x] * b[0] + a[y] * b[z] - a[z] * b[y];
  }
}

/* Rotates a vector from the body to space. */
static void rotate(const double* q, const double* x, double* rotated) {
  const double plain[4] = {0.0, x[0], x[1], x[2]}, back[4] = {q[0], -q[1], -q[2], -q[3]};
  double half[4], whole[4];
  multiply_quaternions(q, plain, half);
  multiply_quaternions(half, back, whole);
  memcpy(rotated, whole + 1, 3 * sizeof *rotated);
}

/* The angular momentum L is fixed in space. The body turns about L with the rate |L| / I1, and
 * about its own axis with the rate sigma (Landau and Lifshitz, Mechanics, section 33). */
typedef struct free_body {
  double q[4], momentum[3];
  double size;  /* |L| */
  double sigma; /* rad/s */
} free_body;

/* exp of half the rotation vector */
static void turn_by(const double* axis, double angle, double* q) {
  q[0] = cos(0.5 * angle);
  for (int i = 0; i < 3; i++) {
    q[1 + i] = sin(0.5 * angle) * axis[i];
  }
}

static void turn_free_body(free_body* body, double t) {
  static const double own_axis[3] = {0.0, 0.0, 1.0};
  const double* l = body->momentum;
  const double axis[3] = {l[0] / body->size, l[1] / body->size, l[2] / body->size};
  double before[4], after[4], half[4];
  turn_by(axis, body->size / stopped_body.inertia[0] * t, before);
  turn_by(own_axis, body->sigma * t, after);
  multiply_quaternions(before, body->q, half);
  multiply_quaternions(half, after, body->q);
}

/* The height of the axis is a sum of a constant, a sine and a cosine. */
static double time_to_floor(const free_body* body, const double* n) {
  const double* l = body->momentum;
  const double size = body->size;
  const double along = (n[0] * l[0] + n[1] * l[1] + n[2] * l[2]) / size;
  const double constant = l[2] / size * along;
  const double c = n[2] - constant, s = (l[0] * n[1] - l[1] * n[0]) / size;
  const double at = (FLOOR_HEIGHT - constant) / hypot(c, s);
  return at > -1.0 ? reduce(atan2(s, c) + acos(at), TWO_PI) * stopped_body.inertia[0] / size
                   : (double)INFINITY;
}

/* An impulse J upwards at the end n of the axis changes L by J n x e_z. */
static void hit_floor(free_body* body, const double* n) {
  double* l = body->momentum;
  const double arm = n[0] * n[0] + n[1] * n[1];
  const double impulse = -2.0 * (l[0] * n[1] - l[1] * n[0]) / arm;
  l[0] += impulse * n[1];
  l[1] -= impulse * n[0];
  body->size = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
}

static free_body start_free_body(void) {
  static const double x[3] = {1.0, 0.0, 0.0};
  const vida_turning_body* of = &stopped_body;
  free_body body = {.sigma = of->spin[2] * (1.0 - of->inertia[2] / of->inertia[0])};
  const double own[3] = {of->inertia[0] * of->spin[0], of->inertia[1] * of->spin[1],
                         of->inertia[2] * of->spin[2]};
  turn_by(x, of->tilt, body.q);
  rotate(body.q, own, body.momentum);
  body.size = sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
  return body;
}

void vida__exact_stopped_body(double t, double* q, double* v) {
  static const double own_axis[3] = {0.0, 0.0, 1.0};
  const double inertia = stopped_body.inertia[0];
  free_body body = start_free_body();
  double left = t, n[3];
  for (bool is_over = false; !is_over;) {
    rotate(body.q, own_axis, n);
    const double way = time_to_floor(&body, n);
    is_over = way >= left;
    turn_free_body(&body, is_over ? left : way);
    rotate(body.q, own_axis, n);
    if (!is_over) {
      hit_floor(&body, n);
      left -= way;
    }
  }
  /* v = omega Q / 2 with omega in space */
  const double rate[4] = {0.0, 0.5 * (body.momentum[0] / inertia + body.sigma * n[0]),
                          0.5 * (body.momentum[1] / inertia + body.sigma * n[1]),
                          0.5 * (body.momentum[2] / inertia + body.sigma * n[2])};
  memcpy(q, body.q, sizeof body.q);
  multiply_quaternions(rate, q, v);
}

/* ---- clutch ---------------------------------------------------------------------------------- */

/* Two masses on springs. Where the first one falls through a place they are coupled, until they
 * turn back upwards. */
static const double clutch_mass[2] = {1.6, 0.9}, clutch_stiffness[2] = {40.0, 8.0};
static const double clutch_place[2] = {0.3, -0.1}, clutch_speed[2] = {0.0, 0.4};
#define ENGAGED_AT 0.1

void vida__exact_clutch(double t, double* q, double* v) {
  const double *m = clutch_mass, *k = clutch_stiffness;
  bool is_engaged = false;
  double left = t;
  memcpy(q, clutch_place, sizeof clutch_place);
  memcpy(v, clutch_speed, sizeof clutch_speed);
  for (bool is_over = false; !is_over; is_engaged = !is_engaged) {
    if (is_engaged) {
      const double w = sqrt((k[0] + k[1]) / (m[0] + m[1])), between = q[1] - q[0];
      const double centre = -k[1] * between / (k[0] + k[1]);
      double x = q[0] - centre;
      const double way = reduce(atan2(v[0] / w, x) + 0.5 * TWO_PI, TWO_PI) / w;
      is_over = way >= left;
      swing(w, is_over ? left : way, &x, &v[0]);
      q[0] = centre + x;
      q[1] = q[0] + between;
      v[1] = v[0];
      left -= way;
    } else {
      const double w[2] = {sqrt(k[0] / m[0]), sqrt(k[1] / m[1])};
      const double at = ENGAGED_AT / hypot(q[0], v[0] / w[0]);
      const double phase = atan2(v[0] / w[0], q[0]);
      const double way = at < 1.0 ? reduce(phase + acos(at), TWO_PI) / w[0] : (double)INFINITY;
      is_over = way >= left;
      for (int i = 0; i < 2; i++) {
        swing(w[i], is_over ? left : way, &q[i], &v[i]);
      }
      if (!is_over) {
        v[0] = v[1] = (m[0] * v[0] + m[1] * v[1]) / (m[0] + m[1]);
      }
      left -= way;
    }
  }
}

static void clutch_event(formulas* f, const char* name, VidaExpression function,
                         VidaDirection direction, bool engages) {
  static const int coupling = 0;
  const VidaEvent event = {.name = name,
                           .function = function,
                           .direction = direction,
                           .action = VIDA_EVENT_RECORD,
                           .coupling_count = 1,
                           .couplings = &coupling,
                           .engages = &engages};
  if (!f->code) {
    f->code = VidaSystem_AddEvent(f->system, &event, NULL, f->error);
  }
}

int vida__build_clutch(VidaSystem* system, VidaError* error) {
  static const char* const names[2][2] = {{"driving", "driven"},
                                          {"driving spring", "driven spring"}};
  formulas f = {system, error, VIDA_SUCCESS};
  for (int i = 0; i < 2; i++) {
    const VidaSpring spring = {.name = names[1][i],
                               .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                               .to = VidaPoint_Particle(i),
                               .stiffness = clutch_stiffness[i],
                               .law = VIDA_SPRING_LINEAR};
    particle(&f, names[0][i], clutch_mass[i], 1, &clutch_place[i], &clutch_speed[i]);
    if (!f.code) {
      f.code = VidaSystem_AddSpring(system, &spring, error);
    }
  }
  const VidaCoupling clutch = {.name = "clutch",
                               .unit = "m",
                               .function = subtract(&f, position(&f, 1), position(&f, 0)),
                               .strength = (double)INFINITY};
  if (!f.code) {
    f.code = VidaSystem_AddCoupling(system, &clutch, NULL, error);
  }
  clutch_event(&f, "engage", subtract(&f, position(&f, 0), number(&f, ENGAGED_AT)),
               VIDA_DIRECTION_FALLING, true);
  clutch_event(&f, "release", rate(&f, 0), VIDA_DIRECTION_RISING, false);
  return f.code;
}

/* ---- block with friction --------------------------------------------------------------------- */

#define BLOCK_MASS 1.1
#define BLOCK_STIFFNESS 30.0
#define BLOCK_FRICTION 0.1
static const double block_place = 0.3, block_speed = 0.6;

/* Half a swing about the place where the spring balances friction, one after the other, until the
 * spring cannot overcome it. */
void vida__exact_rubbing_block(double t, double* q, double* v) {
  const double w = sqrt(BLOCK_STIFFNESS / BLOCK_MASS);
  const double held = BLOCK_FRICTION * BLOCK_MASS * VIDA_AUDIT_GRAVITY / BLOCK_STIFFNESS;
  double x = block_place, speed = block_speed, left = t;
  for (bool is_over = false; !is_over;) {
    const double centre = speed > 0.0 || (speed == 0.0 && x < 0.0) ? -held : held;
    double from = x - centre;
    const double way = reduce(atan2(speed / w, from), 0.5 * TWO_PI) / w;
    is_over = way >= left;
    swing(w, is_over ? left : way, &from, &speed);
    x = centre + from;
    if (!is_over) {
      speed = 0.0;
      left -= way;
      is_over = fabs(x) <= held;
    }
  }
  q[0] = x;
  v[0] = speed;
  q[1] = v[1] = 0.0;
}

int vida__build_rubbing_block(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double q[2] = {block_place, 0.0}, v[2] = {block_speed, 0.0};
  gravity(&f, 2);
  particle(&f, "block", BLOCK_MASS, 2, q, v);
  lagrangian(&f, "spring", scale(&f, -0.5 * BLOCK_STIFFNESS, square(&f, position(&f, 0))));
  const VidaContact floor = {.name = "floor",
                             .gap = position(&f, 1),
                             .friction = BLOCK_FRICTION,
                             .slip_count = 1,
                             .slip = {rate(&f, 0)}};
  if (!f.code) {
    f.code = VidaSystem_AddContact(system, &floor, NULL, error);
  }
  return f.code;
}
