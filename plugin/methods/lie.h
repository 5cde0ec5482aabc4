/* What the files of lgvi share: rigid bodies that are unit quaternions, and how they are found. */
#ifndef VIDA_METHODS_LIE_H
#define VIDA_METHODS_LIE_H

#include "methods/method.h"

/* One body: a quaternion, scalar first, from body to space. */
typedef struct vida_lie_body {
  int coordinate[4];
  int row;           /* its unit norm */
  double inertia[9]; /* J, row by row */
  double factors[9]; /* its inverse */
  double turn[3];    /* of the last step: tan(angle / 2) times the axis, in the body */
} vida_lie_body;

/* The angular momentum of a body in space is part of the state, so that a failed step is put back:
 * its components are in stepper->v0, and what their rounding has left in p_low, at the first three
 * coordinates of the quaternion. */
typedef struct vida_lie_state {
  bool has_force; /* that at the node is known from the step before */
  int bodies;
  int others;           /* coordinates that are not of a quaternion: they fly straight */
  int* other;           /* others */
  double* mass;         /* n: theirs */
  double* force;        /* n: L_q at rest, at the node */
  double* rest;         /* n: zeros */
  vida_lie_body body[]; /* bodies */
} vida_lie_state;

/* Finds the bodies of a system and their inertia, or refuses it with VIDA_NOT_SUPPORTED and the
 * reason; sets stepper->own. */
int vida__lie_create(VidaStepper* stepper, VidaError* error);
/* v = q * (0, rates) / 2 */
void vida__lie_lift(const double q[4], const double rates[3], double v[4]);
/* The transpose of it: the moments in the body of which f is the force on q. */
void vida__lie_drop(const double q[4], const double f[4], double moments[3]);
/* y = A x, of 3 x 3 matrices row by row */
void vida__lie_multiply(const double a[9], const double x[3], double y[3]);
/* 0, or VIDA_STEP_SINGULAR */
int vida__lie_invert(const double a[9], double inverse[9]);

#endif
