/* The double spherical pendulum of Wendlandt & Marsden 1997, section 5.2, coded by hand: one step
 * of the midpoint discrete Euler-Lagrange equations in position-momentum form,
 *
 *     M w - (h/2) L_q - p0 + c G(q0)^T s = 0,    g(q0 + h w) = 0,    p1 = M w + (h/2) L_q,
 *
 * with the unknowns w = (q1 - q0)/h and s = h lambda; c = 1/2 on the first step, else 1. */
#ifndef VIDA_BENCH_PENDULUM_H
#define VIDA_BENCH_PENDULUM_H

#include <math.h>
#include <string.h>

enum { COORDINATES = 6, RODS = 2, UNKNOWNS = COORDINATES + RODS };

#define UPPER_MASS 2.0   /* kg */
#define LOWER_MASS 3.5   /* kg */
#define UPPER_LENGTH 4.0 /* m */
#define LOWER_LENGTH 3.0 /* m */
#define GRAVITY 9.81     /* m/s^2 */
#define SPEED 10.0       /* m/s: the size of velocities here, for scaling rows */
#define TOLERANCE 1e-14  /* of the scaled rows */

typedef struct Pendulum {
  double h, c;
  double q[COORDINATES], q_low[COORDINATES]; /* positions as compensated sums */
  double p[COORDINATES], p_low[COORDINATES]; /* incoming discrete momenta, the same */
  double past[3][UNKNOWNS];                  /* the unknowns of the last steps, newest first */
  long step, iterations;
} Pendulum;

static const double pendulum_mass[COORDINATES] = {UPPER_MASS, UPPER_MASS, UPPER_MASS,
                                                  LOWER_MASS, LOWER_MASS, LOWER_MASS};
/* h times this is the impulse of gravity */
static const double pendulum_force[COORDINATES] = {0.0, 0.0, -UPPER_MASS* GRAVITY,
                                                   0.0, 0.0, -LOWER_MASS* GRAVITY};
/* Scale of the rows: momentum and length. */
static const double pendulum_scale[UNKNOWNS] = {
    1.0 / (UPPER_MASS * SPEED), 1.0 / (UPPER_MASS * SPEED), 1.0 / (UPPER_MASS * SPEED),
    1.0 / (LOWER_MASS * SPEED), 1.0 / (LOWER_MASS * SPEED), 1.0 / (LOWER_MASS * SPEED),
    1.0 / UPPER_LENGTH,         1.0 / LOWER_LENGTH};

/* The paper's initial values, z and its rate from the constraints. */
static inline void pendulum_initial(double q[COORDINATES], double v[COORDINATES]) {
  const double q0[COORDINATES] = {2.820, 0.025, 0.0, 5.085, 0.105, 0.0};
  const double v0[COORDINATES] = {3.381, 2.506, 0.0, 2.497, 10.495, 0.0};
  memcpy(q, q0, sizeof q0);
  memcpy(v, v0, sizeof v0);
  q[2] = -sqrt(UPPER_LENGTH * UPPER_LENGTH - q[0] * q[0] - q[1] * q[1]);
  v[2] = -(q[0] * v[0] + q[1] * v[1]) / q[2];
  const double dx = q[3] - q[0];
  const double dy = q[4] - q[1];
  const double dz = -sqrt(LOWER_LENGTH * LOWER_LENGTH - dx * dx - dy * dy);
  q[5] = q[2] + dz;
  v[5] = v[2] - (dx * (v[3] - v[0]) + dy * (v[4] - v[1])) / dz;
}

static inline void pendulum_start(Pendulum* s) {
  double v[COORDINATES];
  const double h = s->h;
  memset(s, 0, sizeof *s);
  s->h = h;
  s->c = 0.5;
  pendulum_initial(s->q, v);
  for (int i = 0; i < COORDINATES; i++) {
    s->p[i] = pendulum_mass[i] * v[i];
    s->past[0][i] = v[i];
  }
}

/* Quadratic extrapolation of the unknowns, as soon as there are enough of them. */
static inline void pendulum_predict(const Pendulum* s, double u[UNKNOWNS]) {
  for (int i = 0; i < UNKNOWNS; i++) {
    const double a = s->past[0][i];
    const double b = s->past[1][i];
    u[i] = s->step > 2 ? 3.0 * (a - b) + s->past[2][i] : s->step == 2 ? 2.0 * a - b : a;
  }
}

static inline void pendulum_residual(const Pendulum* s, const double u[UNKNOWNS],
                                     double f[UNKNOWNS]) {
  const double* q = s->q;
  double q1[COORDINATES];
  for (int i = 0; i < COORDINATES; i++) {
    q1[i] = q[i] + (s->q_low[i] + s->h * u[i]);
  }
  const double a = s->c * u[6] / UPPER_LENGTH;
  const double b = s->c * u[7] / LOWER_LENGTH;
  for (int k = 0; k < 3; k++) {
    const double pull = b * (q[3 + k] - q[k]);
    f[k] = UPPER_MASS * u[k] - 0.5 * s->h * pendulum_force[k] - (s->p[k] + s->p_low[k]) +
           (a * q[k] - pull);
    f[3 + k] = LOWER_MASS * u[3 + k] - 0.5 * s->h * pendulum_force[3 + k] -
               (s->p[3 + k] + s->p_low[3 + k]) + pull;
  }
  const double dx = q1[3] - q1[0];
  const double dy = q1[4] - q1[1];
  const double dz = q1[5] - q1[2];
  f[6] = (q1[0] * q1[0] + q1[1] * q1[1] + q1[2] * q1[2] - UPPER_LENGTH * UPPER_LENGTH) *
         (0.5 / UPPER_LENGTH);
  f[7] = (dx * dx + dy * dy + dz * dz - LOWER_LENGTH * LOWER_LENGTH) * (0.5 / LOWER_LENGTH);
}

/* Entry (row, column) is jacobian[row * by_row + column * by_column]; zeros are written too. */
static inline void pendulum_jacobian(const Pendulum* s, const double u[UNKNOWNS], double* jacobian,
                                     int by_row, int by_column) {
  memset(jacobian, 0, sizeof(double) * UNKNOWNS * UNKNOWNS);
  for (int k = 0; k < 3; k++) {
    const int upper = k;
    const int lower = 3 + k;
    const double q1 = s->q[upper] + (s->q_low[upper] + s->h * u[upper]);
    const double q2 = s->q[lower] + (s->q_low[lower] + s->h * u[lower]);
    const double d0 = s->c * (s->q[lower] - s->q[upper]) / LOWER_LENGTH;
    const double d1 = s->h * (q2 - q1) / LOWER_LENGTH;
    jacobian[upper * by_row + upper * by_column] = UPPER_MASS;
    jacobian[lower * by_row + lower * by_column] = LOWER_MASS;
    jacobian[upper * by_row + 6 * by_column] = s->c * s->q[upper] / UPPER_LENGTH;
    jacobian[upper * by_row + 7 * by_column] = -d0;
    jacobian[lower * by_row + 7 * by_column] = d0;
    jacobian[6 * by_row + upper * by_column] = s->h * q1 / UPPER_LENGTH;
    jacobian[7 * by_row + upper * by_column] = -d1;
    jacobian[7 * by_row + lower * by_column] = d1;
  }
}

static inline void pendulum_add(double* sum, double* low, double term) {
  const double before = *sum;
  const double all = *low + term;
  *sum = before + all;
  *low = all - (*sum - before);
}

/* Positions and momenta advance by their increments, p1 = p0 + h L_q - c G(q0)^T s. */
static inline void pendulum_finish(Pendulum* s, const double u[UNKNOWNS]) {
  const double a = s->c * u[6] / UPPER_LENGTH;
  const double b = s->c * u[7] / LOWER_LENGTH;
  for (int k = 0; k < 3; k++) {
    const double pull = b * (s->q[3 + k] - s->q[k]);
    pendulum_add(&s->p[k], &s->p_low[k], s->h * pendulum_force[k] - (a * s->q[k] - pull));
    pendulum_add(&s->p[3 + k], &s->p_low[3 + k], s->h * pendulum_force[3 + k] - pull);
  }
  for (int i = 0; i < COORDINATES; i++) {
    pendulum_add(&s->q[i], &s->q_low[i], s->h * u[i]);
  }
  memcpy(s->past[2], s->past[1], sizeof s->past[2]);
  memcpy(s->past[1], s->past[0], sizeof s->past[1]);
  memcpy(s->past[0], u, sizeof s->past[0]);
  s->c = 1.0;
  s->step++;
}

#endif
