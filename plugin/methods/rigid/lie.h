/* What the methods of rigid bodies share (lgvi, simo-wong): bodies that are unit quaternions, how
 * they are found, and their state. */
#ifndef VIDA_METHODS_RIGID_LIE_H
#define VIDA_METHODS_RIGID_LIE_H

#include "stepper/integration.h"

/* One body: a quaternion, scalar first, from body to space. */
typedef struct vida_lie_body {
  int coordinate[4];
  int row;           /* its unit norm */
  double inertia[9]; /* J, row by row */
  double factors[9]; /* its inverse */
  double turn[3];    /* lgvi, of the last step: tan(angle / 2) times the axis, in the body */
} vida_lie_body;

/* The angular momentum of a body in space is part of the state, so that a failed step is put back:
 * its components are in self->node.v, and what their rounding has left in p_low, at the first three
 * coordinates of the quaternion. */
typedef struct vida_lie_state {
  bool has_force;               /* that at the node is known from the step before */
  const char* hidden_potential; /* a general Lagrangian that has one, by name; or NULL */
  int bodies;
  int others;           /* coordinates that are not of a quaternion: they fly straight */
  int* other;           /* others */
  double* mass;         /* n: theirs */
  double* force;        /* n: L_q at rest, at the node */
  double* rest;         /* n: zeros */
  void* more;           /* of one method alone, which frees it */
  vida_lie_body body[]; /* bodies */
} vida_lie_state;

/* Finds the bodies of a system and their inertia, or refuses it with VIDA_NOT_SUPPORTED and the
 * reason; sets self->state. */
int vida__lie_create(VidaIntegration* self, VidaError* error);
/* v = q * (0, rates) / 2 */
void vida__lie_lift(const double q[4], const double rates[3], double v[4]);
/* The transpose of it: the moments in the body of which f is the force on q. */
void vida__lie_drop(const double q[4], const double f[4], double moments[3]);
/* y = A x, of 3 x 3 matrices row by row */
void vida__lie_multiply(const double a[9], const double x[3], double y[3]);
/* 0, or VIDA_STEP_SINGULAR */
int vida__lie_invert(const double a[9], double inverse[9]);

void vida__lie_cross(const double a[3], const double b[3], double c[3]);
double vida__lie_dot(const double a[3], const double b[3]);
/* x in the body of what is x in space */
void vida__lie_turn_to_body(const double q[4], const double x[3], double y[3]);
/* The moment in space of a force f on q: f . ((0, e) * q) / 2 about the axis e. It is linear in q,
 * which need not be of norm 1. */
void vida__lie_moment(const double q[4], const double f[4], double moment[3]);

/* x: what `from` (n) has at the coordinates of a body */
void vida__lie_gather(const vida_lie_body* body, const double* from, double x[4]);
/* The angular momentum in the body, and the rates, with the quaternion q */
void vida__lie_spin(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                    double in_body[3]);
void vida__lie_rates(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                     double rates[3]);
/* q += change, then back to norm 1 along q. */
void vida__lie_advance(VidaIntegration* self, const vida_lie_body* body, const double change[4]);
/* From q and v0: unit quaternions, angular momenta in space, and momenta p. */
int vida__lie_start(VidaIntegration* self, VidaError* error);
/* self->node.p of the bodies, from their angular momenta */
void vida__lie_set_momenta(VidaIntegration* self);
/* `prepare` and `velocities` of such methods */
int vida__lie_prepare(VidaIntegration* self, VidaError* error);
int vida__lie_velocities(VidaIntegration* self, double* v, VidaError* error);

#endif
