/* The state and the functions that the methods of rigid bodies share (lgvi, simo-wong); each body
 * is a unit quaternion. */
#ifndef VIDA_METHODS_RIGID_LIE_H
#define VIDA_METHODS_RIGID_LIE_H

#include "stepper/integration.h"

/* A body with a quaternion, scalar first, from body to space. */
typedef struct vida_lie_body {
  int coordinate[4];
  int row;           /* its constraint of unit norm */
  double inertia[9]; /* J, by rows */
  double factors[9]; /* J^-1, by rows */
  double turn[3];    /* lgvi, last step: tan(angle / 2) times the axis, in the body */
} vida_lie_body;

/* The state of a method. The angular momentum of a body in space is part of the node, which is
 * restored after a failed step. Its components are in self->node.v, and their rounding errors in
 * p_low, at the first three coordinates of the quaternion. */
typedef struct vida_lie_state {
  bool has_force;               /* the force at the node is known from the last step */
  const char* hidden_potential; /* name of a general Lagrangian with a potential; NULL: none */
  int bodies;
  int others;           /* number of coordinates that do not belong to a quaternion */
  int* other;           /* others: their indices */
  double* mass;         /* n: masses of these coordinates */
  double* force;        /* n: L_q at rest, at the node */
  double* rest;         /* n: zeros */
  void* more;           /* data of one method, which frees it */
  vida_lie_body body[]; /* bodies */
} vida_lie_state;

/* Finds the bodies of a system and their inertia, and sets self->state. Fails with
 * VIDA_NOT_SUPPORTED and the reason for other systems. */
int vida__lie_create(VidaIntegration* self, VidaError* error);
/* Computes v = q * (0, rates) / 2. */
void vida__lie_quaternion_rate(const double q[4], const double rates[3], double v[4]);
/* Computes the moments in the body of a force f on q: the transpose of
 * vida__lie_quaternion_rate. */
void vida__lie_drop(const double q[4], const double f[4], double moments[3]);
/* Computes y = A x for a 3 x 3 matrix, by rows. */
void vida__lie_multiply(const double a[9], const double x[3], double y[3]);
/* Inverts a 3 x 3 matrix, by rows. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__lie_invert(const double a[9], double inverse[9]);

/* Computes c = a x b. */
void vida__lie_cross(const double a[3], const double b[3], double c[3]);
/* Returns a . b. */
double vida__lie_dot(const double a[3], const double b[3]);
/* Computes the components y in the body of a vector x in space. */
void vida__lie_turn_to_body(const double q[4], const double x[3], double y[3]);
/* Computes the moment in space of a force f on q: f . ((0, e) * q) / 2 about each axis e. It is
 * linear in q, which need not have norm 1. */
void vida__lie_moment(const double q[4], const double f[4], double moment[3]);

/* Copies the components of `from` (n) at the coordinates of a body to x. */
void vida__lie_body_components(const vida_lie_body* body, const double* from, double x[4]);
/* Computes the angular momentum in the body for the quaternion q. */
void vida__lie_spin(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                    double in_body[3]);
/* Computes the angular velocity in the body for the quaternion q. */
void vida__lie_rates(const VidaIntegration* self, const vida_lie_body* body, const double q[4],
                     double rates[3]);
/* Adds a change to the quaternion, and scales the result to norm 1. */
void vida__lie_advance(VidaIntegration* self, const vida_lie_body* body, const double change[4]);
/* Normalizes the quaternions, and computes the angular momenta in space and the momenta p, from q
 * and v of the node. */
int vida__lie_start(VidaIntegration* self, VidaError* error);
/* Computes self->node.p of the bodies from their angular momenta. */
void vida__lie_set_momenta(VidaIntegration* self);
/* Prepares a step: for vida_implicit.prepare. */
int vida__lie_prepare(VidaIntegration* self, VidaError* error);
/* Computes the velocities v (n) at the node: for VidaMethod.velocities. */
int vida__lie_velocities(VidaIntegration* self, double* v, VidaError* error);

#endif
