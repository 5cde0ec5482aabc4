/* The systems of the audit, built through the public API, with their closed forms. */
#include "diagnose/audit_systems.h"

#include <math.h>
#include <stddef.h>

#define GRAVITY VIDA_AUDIT_GRAVITY

/* ---- pendulum -------------------------------------------------------------------------------- */

/* sin(theta/2) = k sn(omega t), theta' = 2 k omega cn, from somewhere on the way up to 90 degrees;
 * its period is 4 K(k) / omega. */
void vida__exact_pendulum(double t, double* q, double* v) {
  const double length = 1.0;
  const double omega = sqrt(GRAVITY / length);
  const double k = sqrt(0.5);
  double sn, cn;
  jacobi(omega * (t + 0.2), k, &sn, &cn);
  const double angle = 2.0 * asin(k * sn);
  const double angle_rate = 2.0 * k * omega * cn;
  q[0] = length * sin(angle);
  q[1] = -length * cos(angle);
  v[0] = length * angle_rate * cos(angle);
  v[1] = length * angle_rate * sin(angle);
}

int vida__build_pendulum(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  double q[2], v[2];
  vida__exact_pendulum(0.0, q, v);
  gravity(&f, 2);
  particle(&f, "bob", 1.3, 2, q, v);
  rod(&f, "rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.0);
  const VidaExpression theta = chart_coordinate(&f, "theta", 0.5);
  const VidaExpression embedding[2] = {sine(&f, theta), scale(&f, -1.0, cosine(&f, theta))};
  chart(&f, 2, embedding);
  return f.code;
}

/* ---- double spherical pendulum (Wendlandt and Marsden 1997, section 5.2) --------------------- */

static int build_double_pendulum(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double length[2] = {4.0, 3.0};
  VidaParticle one = {.name = "upper", .mass = 2.0};
  VidaParticle two = {.name = "lower", .mass = 3.5};
  const double q[2][2] = {{2.820, 0.025}, {5.085, 0.105}};
  const double v[2][2] = {{3.381, 2.506}, {2.497, 10.495}};
  VidaParticle* particles[2] = {&one, &two};
  VidaExpression embedding[6];
  gravity(&f, 3);
  for (int i = 0; i < 2 && !f.code; i++) {
    for (int k = 0; k < 2; k++) {
      particles[i]->position[k] = VidaInitial_Given(q[i][k]);
      particles[i]->velocity[k] = VidaInitial_Given(v[i][k]);
    }
    particles[i]->position[2] = VidaInitial_Free(-1.0);
    particles[i]->velocity[2] = VidaInitial_Free(0.0);
    f.code = VidaSystem_AddParticle(system, particles[i], NULL, error);
  }
  rod(&f, "upper rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), length[0]);
  rod(&f, "lower rod", VidaPoint_Particle(0), VidaPoint_Particle(1), length[1]);
  for (int i = 0; i < 2; i++) {
    const VidaExpression a = chart_coordinate(&f, i ? "lower angle" : "upper angle", 0.5);
    const VidaExpression b = chart_coordinate(&f, i ? "lower turn" : "upper turn", 0.0);
    embedding[3 * i] = scale(&f, length[i], multiply(&f, sine(&f, a), cosine(&f, b)));
    embedding[3 * i + 1] = scale(&f, length[i], multiply(&f, sine(&f, a), sine(&f, b)));
    embedding[3 * i + 2] = scale(&f, -length[i], cosine(&f, a));
  }
  for (int k = 0; k < 3; k++) {
    embedding[3 + k] = add(&f, embedding[k], embedding[3 + k]);
  }
  chart(&f, 6, embedding);
  return f.code;
}

/* ---- four particles (Gonzalez 1999, section 4) ------------------------------------------------
 */

static int build_four_particles(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  static const char* const names[4] = {"q1", "q2", "q3", "q4"};
  const double mass[4] = {1.0, 3.0, 2.3, 1.7};
  const double q[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}};
  const double stiffness[2] = {100.0, 1000.0};
  for (int i = 0; i < 4; i++) {
    const double v[3] = {0.0, 0.0, i == 3 ? 2.0 / mass[3] : 0.0};
    particle(&f, names[i], mass[i], 3, q[i], v);
  }
  for (int i = 0; i < 2 && !f.code; i++) {
    const VidaSpring spring = {.name = i ? "spring 2-4" : "spring 1-3",
                               .from = VidaPoint_Particle(i),
                               .to = VidaPoint_Particle(i + 2),
                               .stiffness = stiffness[i],
                               .length = 1.0,
                               .law = VIDA_SPRING_SQUARED};
    f.code = VidaSystem_AddSpring(system, &spring, error);
  }
  rod(&f, "bar 1-2", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.0);
  rod(&f, "bar 3-4", VidaPoint_Particle(2), VidaPoint_Particle(3), 1.0);
  return f.code;
}

/* ---- rigid bodies -------------------------------------------------------------------------------
 */

/* Computes the angular velocity of the body: the vector part of 2 conj(Q) Q'. */
static void angular_velocity(formulas* f, const VidaExpression* q, const VidaExpression* v,
                             VidaExpression* omega) {
  for (int i = 0; i < 3; i++) {
    const int a = 1 + i;
    const int b = 1 + (i + 1) % 3;
    const int c = 1 + (i + 2) % 3;
    const VidaExpression plain = subtract(f, multiply(f, q[0], v[a]), multiply(f, q[a], v[0]));
    const VidaExpression crossed = subtract(f, multiply(f, q[c], v[b]), multiply(f, q[b], v[c]));
    omega[i] = scale(f, 2.0, add(f, plain, crossed));
  }
}

int vida__build_turning_body(VidaSystem* system, const vida_turning_body* body,
                             VidaExpression* height, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  static const char* const names[4] = {"body.s", "body.x", "body.y", "body.z"};
  const double* spin = body->spin;
  const double start[4] = {cos(0.5 * body->tilt), sin(0.5 * body->tilt), 0.0, 0.0};
  const double start_rate[4] = {0.5 * (-start[1] * spin[0]), 0.5 * (start[0] * spin[0]),
                                0.5 * (start[0] * spin[1] - start[1] * spin[2]),
                                0.5 * (start[0] * spin[2] + start[1] * spin[1])};
  const int all[4] = {0, 1, 2, 3};
  VidaExpression q[4], v[4], omega[3];
  for (int i = 0; i < 4; i++) {
    coordinate(&f, names[i], "", start[i], start_rate[i]);
    q[i] = position(&f, i);
    v[i] = rate(&f, i);
  }
  angular_velocity(&f, q, v, omega);
  VidaExpression kinetic = number(&f, 0.0);
  for (int i = 0; i < 3; i++) {
    kinetic = add(&f, kinetic, scale(&f, 0.5 * body->inertia[i], square(&f, omega[i])));
  }
  lagrangian(&f, "rotation", kinetic);
  const VidaExpression up = add(&f, square(&f, q[0]), square(&f, q[3]));
  const VidaExpression down = add(&f, square(&f, q[1]), square(&f, q[2]));
  const VidaExpression end = body->weight > 0.0 || height ? subtract(&f, up, down) : 0;
  if (body->weight > 0.0) {
    lagrangian(&f, "weight", scale(&f, -body->weight, end));
  }
  if (height) {
    *height = end;
  }
  const VidaExpression unit = subtract(&f, add(&f, up, down), number(&f, 1.0));
  if (!f.code) {
    f.code = VidaSystem_AddExpressionConstraint(system, "unit length", "", unit, error);
  }
  if (!f.code) {
    f.code = VidaSystem_AddMotion(system, VIDA_MOTION_QUATERNION, all, error);
  }
  return f.code;
}

/* A symmetric top, 2 kg at 0.25 m. */
static int build_heavy_top(VidaSystem* system, VidaError* error) {
  const vida_turning_body top = {{0.6, 0.6, 0.3}, {0.3, 0.8, 9.0}, 0.7, 2.0 * GRAVITY * 0.25};
  return vida__build_turning_body(system, &top, NULL, error);
}

/* Turning freely (Wendlandt and Marsden 1997, section 5.1) */
static int build_free_body(VidaSystem* system, VidaError* error) {
  const vida_turning_body body = {{1.0, 2.0, 3.0}, {0.0, 3.0, 4.0}, 0.0, 0.0};
  return vida__build_turning_body(system, &body, NULL, error);
}

/* ---- two-link arm (Ascher, Chin, Petzold and Reich 1995, section 6) -------------------------- */

/* Uniform rods of 1 m and 36 kg that hang and swing; angles from the horizontal, the second one
 * from the first link. */
static int build_arm(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double mass = 36.0;
  const double start[2] = {-0.6, -1.1};
  coordinate(&f, "theta1", "rad", start[0], 0.8);
  coordinate(&f, "theta2", "rad", start[1], -0.5);
  const VidaExpression angle[2] = {position(&f, 0), add(&f, position(&f, 0), position(&f, 1))};
  const VidaExpression turn[2] = {rate(&f, 0), add(&f, rate(&f, 0), rate(&f, 1))};
  VidaExpression vx = number(&f, 0.0);
  VidaExpression vy = number(&f, 0.0);
  VidaExpression y = number(&f, 0.0);
  for (int i = 0; i < 2; i++) {
    const VidaExpression across = scale(&f, 0.5, sine(&f, angle[i]));
    const VidaExpression half_vx = scale(&f, -1.0, multiply(&f, across, turn[i]));
    const VidaExpression half_vy = scale(&f, 0.5, multiply(&f, cosine(&f, angle[i]), turn[i]));
    const VidaExpression speed =
        add(&f, square(&f, add(&f, vx, half_vx)), square(&f, add(&f, vy, half_vy)));
    const VidaExpression kinetic =
        add(&f, scale(&f, 0.5 * mass, speed), scale(&f, mass / 24.0, square(&f, turn[i])));
    const VidaExpression height = add(&f, y, across);
    lagrangian(&f, i ? "link 2" : "link 1",
               subtract(&f, kinetic, scale(&f, mass * GRAVITY, height)));
    vx = add(&f, vx, scale(&f, 2.0, half_vx));
    vy = add(&f, vy, scale(&f, 2.0, half_vy));
    y = add(&f, height, across);
  }
  own_chart(&f, 2, start);
  return f.code;
}

/* ---- spring pendulum --------------------------------------------------------------------------
 */

/* A mass on a spring under gravity, in space: without constraints, and turned about the vertical.
 */
static int build_spring_pendulum(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double q[3] = {0.7, 0.1, -0.9};
  const double v[3] = {0.2, 0.8, -0.3};
  const VidaSpring spring = {.name = "spring",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = 40.0,
                             .length = 1.0,
                             .law = VIDA_SPRING_LINEAR};
  gravity(&f, 3);
  particle(&f, "mass", 1.3, 3, q, v);
  if (!f.code) {
    f.code = VidaSystem_AddSpring(system, &spring, error);
  }
  own_chart(&f, 3, q);
  return f.code;
}

/* ---- Kepler ---------------------------------------------------------------------------------- */

#define ECCENTRICITY 0.6

/* Semi-axis and mean motion 1, from the pericentre: E - e sin E = t */
static void exact_kepler(double t, double* q, double* v) {
  const double e = ECCENTRICITY;
  const double minor = sqrt((1.0 - e) * (1.0 + e));
  double anomaly = t;
  for (int i = 0; i < 50; i++) {
    const double step = (anomaly - e * sin(anomaly) - t) / (1.0 - e * cos(anomaly));
    anomaly -= step;
    if (fabs(step) < 1e-16 * fmax(1.0, fabs(anomaly))) {
      break;
    }
  }
  const double r = 1.0 - e * cos(anomaly);
  q[0] = cos(anomaly) - e;
  q[1] = minor * sin(anomaly);
  v[0] = -sin(anomaly) / r;
  v[1] = minor * cos(anomaly) / r;
}

static int build_kepler(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  double q[2], v[2];
  exact_kepler(0.0, q, v);
  particle(&f, "planet", 1.0, 2, q, v);
  const VidaExpression r =
      apply(&f, "sqrt", 1, add(&f, square(&f, position(&f, 0)), square(&f, position(&f, 1))), 0);
  lagrangian(&f, "attraction", apply(&f, "/", 2, number(&f, 1.0), r));
  own_chart(&f, 2, q);
  return f.code;
}

/* ---- knife edge on an incline ---------------------------------------------------------------- */

#define EDGE_PUSH (GRAVITY * 0.5) /* downhill, along x: an incline of 30 degrees */
#define EDGE_TURN 1.5             /* rad/s */
#define EDGE_ANGLE 0.4            /* rad, at the start */
#define EDGE_SPEED 0.7            /* m/s, at the start */

/* phi = phi0 + omega t; the speed u along the edge has u' = g sin(slope) cos(phi) */
static void exact_edge(double t, double* q, double* v) {
  const double phi = EDGE_ANGLE + EDGE_TURN * t;
  const double a = EDGE_PUSH / EDGE_TURN;
  const double b = EDGE_SPEED - a * sin(EDGE_ANGLE);
  const double u = a * sin(phi) + b;
  const double s0 = sin(EDGE_ANGLE);
  q[0] = (0.5 * a * (pow(sin(phi), 2) - s0 * s0) + b * (sin(phi) - s0)) / EDGE_TURN;
  q[1] = (0.5 * a * (phi - EDGE_ANGLE - 0.5 * (sin(2.0 * phi) - sin(2.0 * EDGE_ANGLE))) -
          b * (cos(phi) - cos(EDGE_ANGLE))) /
         EDGE_TURN;
  q[2] = phi;
  v[0] = u * cos(phi);
  v[1] = u * sin(phi);
  v[2] = EDGE_TURN;
}

static int build_edge(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  double q[3], v[3];
  exact_edge(0.0, q, v);
  coordinate(&f, "x", "m", q[0], v[0]);
  coordinate(&f, "y", "m", q[1], v[1]);
  coordinate(&f, "phi", "rad", q[2], v[2]);
  const double mass = 1.4;
  const VidaExpression speed = add(&f, square(&f, rate(&f, 0)), square(&f, rate(&f, 1)));
  lagrangian(&f, "edge",
             add(&f, scale(&f, 0.5 * mass, speed), scale(&f, 0.5 * 0.3, square(&f, rate(&f, 2)))));
  lagrangian(&f, "weight", scale(&f, mass * EDGE_PUSH, position(&f, 0)));
  const VidaExpression along = multiply(&f, sine(&f, position(&f, 2)), rate(&f, 0));
  const VidaExpression across = multiply(&f, cosine(&f, position(&f, 2)), rate(&f, 1));
  if (!f.code) {
    f.code = VidaSystem_AddExpressionNonholonomic(system, "no skidding", "m/s",
                                                  subtract(&f, along, across), error);
  }
  return f.code;
}

/* ---- Duffing oscillator -----------------------------------------------------------------------
 */

#define DUFFING_MASS 1.6
#define DUFFING_LINEAR 16.0
#define DUFFING_CUBIC 40.0
#define DUFFING_AMPLITUDE 0.7

/* One coordinate and a hardening spring, V = a x^2 / 2 + b x^4 / 4: x = A cn(w t, k) with
 * m w^2 = a + b A^2 and k^2 = b A^2 / (2 m w^2) (Abramowitz and Stegun 16.16), from somewhere on
 * the way down. */
static void exact_duffing(double t, double* q, double* v) {
  const double amplitude = DUFFING_AMPLITUDE;
  const double cubic = DUFFING_CUBIC * amplitude * amplitude;
  const double omega = sqrt((DUFFING_LINEAR + cubic) / DUFFING_MASS);
  const double k = sqrt(0.5 * cubic / (DUFFING_LINEAR + cubic));
  double sn, cn;
  jacobi(omega * (t + 0.1), k, &sn, &cn);
  q[0] = amplitude * cn;
  v[0] = -amplitude * omega * sn * sqrt(1.0 - k * k * sn * sn);
}

static int build_duffing(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  double q[1], v[1];
  exact_duffing(0.0, q, v);
  particle(&f, "mass", DUFFING_MASS, 1, q, v);
  const VidaExpression x2 = square(&f, position(&f, 0));
  const VidaExpression hard = scale(&f, 0.25 * DUFFING_CUBIC, square(&f, x2));
  lagrangian(&f, "spring", scale(&f, -1.0, add(&f, scale(&f, 0.5 * DUFFING_LINEAR, x2), hard)));
  own_chart(&f, 1, q);
  return f.code;
}

/* ---- damped oscillator ----------------------------------------------------------------------- */

#define DAMPED_MASS 2.5
#define DAMPED_STIFFNESS 40.0
#define DAMPED_DAMPING 1.5

/* x = e^(-d t) (x0 cos(w t) + (v0 + d x0)/w sin(w t)), d = c/2m, w^2 = k/m - d^2 */
static void exact_damped(double t, double* q, double* v) {
  const double x0 = 0.3;
  const double v0 = -0.2;
  const double d = 0.5 * DAMPED_DAMPING / DAMPED_MASS;
  const double w = sqrt(DAMPED_STIFFNESS / DAMPED_MASS - d * d);
  const double s0 = (v0 + d * x0) / w;
  const double decay = exp(-d * t);
  q[0] = decay * (x0 * cos(w * t) + s0 * sin(w * t));
  v[0] = -d * q[0] + decay * w * (s0 * cos(w * t) - x0 * sin(w * t));
}

static int build_damped(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  double q[1], v[1];
  exact_damped(0.0, q, v);
  particle(&f, "mass", DAMPED_MASS, 1, q, v);
  const VidaSpring spring = {.name = "spring",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = DAMPED_STIFFNESS,
                             .law = VIDA_SPRING_LINEAR};
  if (!f.code) {
    f.code = VidaSystem_AddSpring(system, &spring, error);
  }
  const VidaExpression dissipation = scale(&f, 0.5 * DAMPED_DAMPING, square(&f, rate(&f, 0)));
  if (!f.code) {
    f.code = VidaSystem_AddExpressionRayleigh(system, "damper", dissipation, error);
  }
  return f.code;
}

/* ---- driven pendulum ------------------------------------------------------------------------- */

/* Its support moves, 0.3 m sin(5 t): a constraint that depends on time. */
static int build_driven(VidaSystem* system, VidaError* error) {
  formulas f = {system, error, VIDA_SUCCESS};
  const double amplitude = 0.3;
  const double frequency = 5.0;
  const double angle = 0.6;
  /* perpendicular to the rod the bob has 0.4 m/s, along it the speed of its support */
  const double along = amplitude * frequency * sin(angle);
  const double q[2] = {sin(angle), -cos(angle)};
  const double v[2] = {0.4 * cos(angle) + along * sin(angle),
                       0.4 * sin(angle) - along * cos(angle)};
  VidaExpression t = 0;
  gravity(&f, 2);
  particle(&f, "bob", 1.3, 2, q, v);
  if (!f.code) {
    f.code = VidaSystem_Time(system, &t, error);
  }
  const VidaExpression support = scale(&f, amplitude, sine(&f, scale(&f, frequency, t)));
  const VidaExpression dx = subtract(&f, position(&f, 0), support);
  const VidaExpression square_length = add(&f, square(&f, dx), square(&f, position(&f, 1)));
  const VidaExpression g = scale(&f, 0.5, subtract(&f, square_length, number(&f, 1.0)));
  if (!f.code) {
    f.code = VidaSystem_AddExpressionConstraint(system, "rod", "m", g, error);
  }
  return f.code;
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { EVENT_CASES = 5 }; /* with events, the last ones */

const vida_audit_case vida__audit_cases[] = {
    {"pendulum", vida__build_pendulum, 2, vida__exact_pendulum, 1.0, 0.1, 0.01, true, true},
    {"double spherical pendulum", build_double_pendulum, 3, NULL, 1.0, 0.1, 0.01, true, true},
    {"four particles", build_four_particles, 3, NULL, 0.1, 0.01, 0.004, true, true},
    {"heavy top", build_heavy_top, 3, NULL, 0.5, 0.05, 0.01, true, true},
    {"rigid body", build_free_body, 3, NULL, 0.5, 0.05, 0.01, true, true},
    {"two-link arm", build_arm, 2, NULL, 1.1, 0.06, 0.01, true, true},
    {"spring pendulum", build_spring_pendulum, 3, NULL, 1.0, 0.1, 0.01, true, true},
    {"duffing oscillator", build_duffing, 1, exact_duffing, 1.0, 0.1, 0.01, true, true},
    {"kepler", build_kepler, 2, exact_kepler, 2.5, 0.125, 0.02, true, true},
    {"knife edge", build_edge, 2, exact_edge, 1.0, 0.1, 0.01, true, true},
    {"damped oscillator", build_damped, 1, exact_damped, 1.0, 0.1, 0.01, false, false},
    {"driven pendulum", build_driven, 2, NULL, 1.0, 0.1, 0.01, false, false},
    {"pendulum with a stop", vida__build_stopped_pendulum, 2, vida__exact_stopped_pendulum, 2.2,
     0.11, 0.01, true, true},
    {"colliding discs", vida__build_discs, 2, vida__exact_discs, 2.2, 0.11, 0.01, true, true},
    {"body with a stop", vida__build_stopped_body, 3, vida__exact_stopped_body, 2.5, 0.1, 0.01,
     true, true},
    {"clutch", vida__build_clutch, 1, vida__exact_clutch, 2.3, 0.1, 0.01, false, false},
    {"block with friction", vida__build_rubbing_block, 2, vida__exact_rubbing_block, 1.7, 0.1, 0.01,
     false, false},
};

int vida__audit_smooth_count(void) {
  return vida__audit_case_count() - EVENT_CASES;
}

int vida__audit_case_count(void) {
  return (int)(sizeof vida__audit_cases / sizeof vida__audit_cases[0]);
}
