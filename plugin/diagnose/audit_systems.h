/* What the systems of the audit are built with, and those in other files. */
#ifndef VIDA_DIAGNOSE_AUDIT_SYSTEMS_H
#define VIDA_DIAGNOSE_AUDIT_SYSTEMS_H

#include <math.h>
#include <vida/expression.h>

#include "diagnose/audit.h"

#define VIDA_AUDIT_GRAVITY 9.81 /* m/s^2 */

/* ---- formulas -------------------------------------------------------------------------------- */

/* Builds expressions. After a failure everything is 0, and `code` is the reason. */
typedef struct formulas {
  VidaSystem* system;
  VidaError* error;
  int code;
} formulas;

static inline VidaExpression apply(formulas* f, const char* operation, int count, VidaExpression a,
                                   VidaExpression b) {
  const VidaExpression operands[2] = {a, b};
  VidaExpression result = 0;
  if (!f->code) {
    f->code = VidaSystem_Apply(f->system, operation, count, operands, &result, f->error);
  }
  return f->code ? 0 : result;
}

static inline VidaExpression number(formulas* f, double value) {
  VidaExpression result = 0;
  if (!f->code) {
    f->code = VidaSystem_Constant(f->system, value, &result, f->error);
  }
  return result;
}

static inline VidaExpression add(formulas* f, VidaExpression a, VidaExpression b) {
  return apply(f, "+", 2, a, b);
}

static inline VidaExpression subtract(formulas* f, VidaExpression a, VidaExpression b) {
  return apply(f, "-", 2, a, b);
}

static inline VidaExpression multiply(formulas* f, VidaExpression a, VidaExpression b) {
  return apply(f, "*", 2, a, b);
}

static inline VidaExpression scale(formulas* f, double factor, VidaExpression a) {
  return multiply(f, number(f, factor), a);
}

static inline VidaExpression square(formulas* f, VidaExpression a) {
  return multiply(f, a, a);
}

static inline VidaExpression sine(formulas* f, VidaExpression a) {
  return apply(f, "sin", 1, a, 0);
}

static inline VidaExpression cosine(formulas* f, VidaExpression a) {
  return apply(f, "cos", 1, a, 0);
}

static inline VidaExpression position(formulas* f, int coordinate) {
  VidaExpression result = 0;
  if (!f->code) {
    f->code = VidaSystem_Position(f->system, coordinate, &result, f->error);
  }
  return result;
}

static inline VidaExpression rate(formulas* f, int coordinate) {
  VidaExpression result = 0;
  if (!f->code) {
    f->code = VidaSystem_Rate(f->system, coordinate, &result, f->error);
  }
  return result;
}

static inline void lagrangian(formulas* f, const char* name, VidaExpression value) {
  if (!f->code) {
    f->code = VidaSystem_AddExpressionLagrangian(f->system, name, value, f->error);
  }
}

static inline void coordinate(formulas* f, const char* name, const char* unit, double q, double v) {
  if (!f->code) {
    f->code = VidaSystem_AddCoordinate(f->system, name, unit, VidaInitial_Given(q),
                                       VidaInitial_Given(v), NULL, f->error);
  }
}

static inline VidaExpression chart_coordinate(formulas* f, const char* name, double near) {
  VidaExpression result = 0;
  if (!f->code) {
    f->code = VidaSystem_AddChartCoordinate(f->system, name, near, &result, f->error);
  }
  return result;
}

static inline void chart(formulas* f, int count, const VidaExpression* embedding) {
  int coordinates[6] = {0, 1, 2, 3, 4, 5};
  if (!f->code) {
    f->code = VidaSystem_AddChart(f->system, count, coordinates, embedding, f->error);
  }
}

/* A chart whose coordinates are those of the system. */
static inline void own_chart(formulas* f, int count, const double* near) {
  static const char* const names[] = {"chart 1", "chart 2", "chart 3", "chart 4"};
  VidaExpression x[4];
  for (int i = 0; i < count; i++) {
    x[i] = chart_coordinate(f, names[i], near[i]);
  }
  chart(f, count, x);
}

static inline void particle(formulas* f, const char* name, double mass, int dimension,
                            const double* q, const double* v) {
  VidaParticle one = {.name = name, .mass = mass};
  for (int k = 0; k < dimension; k++) {
    one.position[k] = VidaInitial_Given(q[k]);
    one.velocity[k] = VidaInitial_Given(v[k]);
  }
  if (!f->code) {
    f->code = VidaSystem_AddParticle(f->system, &one, NULL, f->error);
  }
}

static inline void rod(formulas* f, const char* name, VidaPoint from, VidaPoint to, double length) {
  const VidaDistance distance = {.name = name, .from = from, .to = to, .length = length};
  if (!f->code) {
    f->code = VidaSystem_AddDistance(f->system, &distance, f->error);
  }
}

static inline void gravity(formulas* f, int dimension) {
  double acceleration[3] = {0.0, 0.0, 0.0};
  acceleration[dimension - 1] = -VIDA_AUDIT_GRAVITY;
  if (!f->code) {
    f->code = VidaSystem_AddGravity(f->system, acceleration, f->error);
  }
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Computes Jacobi's sn and cn of modulus k by the arithmetic-geometric mean (Abramowitz and Stegun
 * 16.4). */
static inline void jacobi(double u, double k, double* sn, double* cn) {
  enum { LEVELS = 12 };
  double a[LEVELS], c[LEVELS];
  double b = sqrt((1.0 - k) * (1.0 + k));
  int n = 0;
  a[0] = 1.0;
  c[0] = k;
  while (n + 1 < LEVELS && fabs(c[n]) > 1e-17) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) {
    phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  }
  *sn = sin(phi);
  *cn = cos(phi);
}

/* ---- systems of both files ------------------------------------------------------------------- */

/* The pendulum, which swings up to 90 degrees from 0.2 s after its lowest point, and its state at
 * t. */
int vida__build_pendulum(VidaSystem* system, VidaError* error);
void vida__exact_pendulum(double t, double* q, double* v);

/* A body with a fixed point, described by the unit quaternion Q from body to space. There is no
 * kinetic energy along Q: only |Q| = 1 makes the motion unique. */
typedef struct vida_turning_body {
  double inertia[3]; /* principal moments, kg m^2 */
  double spin[3];    /* at the start, in the body, rad/s */
  double tilt;       /* at the start, about x, rad */
  double weight;     /* N m: weight times the distance of the centre, on the body's z axis */
} vida_turning_body;

/* Adds a body. height (nullable) receives the height of the end of its z axis, of unit length. */
int vida__build_turning_body(VidaSystem* system, const vida_turning_body* body,
                             VidaExpression* height, VidaError* error);

/* Systems with events (audit_impacts.c). */
int vida__build_stopped_pendulum(VidaSystem* system, VidaError* error);
void vida__exact_stopped_pendulum(double t, double* q, double* v);
int vida__build_discs(VidaSystem* system, VidaError* error);
void vida__exact_discs(double t, double* q, double* v);
int vida__build_stopped_body(VidaSystem* system, VidaError* error);
void vida__exact_stopped_body(double t, double* q, double* v);
int vida__build_clutch(VidaSystem* system, VidaError* error);
void vida__exact_clutch(double t, double* q, double* v);
int vida__build_rubbing_block(VidaSystem* system, VidaError* error);
void vida__exact_rubbing_block(double t, double* q, double* v);

#endif
