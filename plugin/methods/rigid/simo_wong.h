/* The state of simo-wong, and the moments of forces. */
#ifndef VIDA_METHODS_RIGID_SIMO_WONG_H
#define VIDA_METHODS_RIGID_SIMO_WONG_H

#include "methods/rigid/lie.h"

/* A body or another coordinate: `count` coordinates and `width` unknowns from the index `first`. */
typedef struct vida_simo_group {
  int first, width, count;
  int coordinate[4];
  /* Derivatives of its rows with respect to the forces on its coordinates (left[0]) and to the
   * forces with flipped ends (left[1]), and of its coordinates at the end of the step with respect
   * to its unknowns (right). */
  double left[2][3][4];
  double right[4][3];
} vida_simo_group;

/* The member `more` of vida_lie_state. */
typedef struct vida_simo_state {
  /* No potential or force depends on positions, so that each body turns by itself: its equations
   * are solved in closed form of 3 x 3, and the map is only for what these do not solve. */
  bool is_free;
  bool turns_far;         /* this motion has made a step that they do not solve */
  VidaStatistics beside;  /* iterations before that step */
  int groups;             /* bodies first */
  vida_simo_group* group; /* groups */
  int* group_of;          /* n: group of each coordinate */
  int* part_of;           /* n: index of each coordinate in its group */
  int* offset; /* per entry of the system's pattern: offset of its block in a column of `pattern` */
  double* spin;           /* 3 per body: angular momentum in the body at the node */
  double* torque;         /* n: sizes of the forces in the last step */
  double* flipped_force;  /* n: -D V to the flipped end of the step */
  double* flipped;        /* n: q1 with the quaternions -Q1 */
  double* flipped_change; /* n: flipped - q0 */
  double* slopes[2]; /* on the system's pattern: derivatives of the forces with respect to q1, and
                        of the flipped ones */
  vida_pattern pattern;
} vida_simo_state;

/* Computes s = tan(angle/4) times the axis of the rotation with the mean angular velocity w in the
 * body. Returns k = 2/(1 + s s). */
double vida__simo_turn(const VidaIntegration* self, const double* w, double s[3]);
/* Computes the forces in the step with the unknowns u, into `force` of the state and flipped_force.
 */
int vida__simo_forces(VidaIntegration* self, const double* u);
/* Computes the derivatives of these forces, into slopes. */
int vida__simo_force_slopes(VidaIntegration* self, const double* u);
/* Computes the moment on body b, in its frame at the node. */
void vida__simo_moment(const VidaIntegration* self, int b, const double s[3], double moment[3]);
/* Computes the derivative of this moment with respect to s_j at constant forces. */
void vida__simo_moment_slope(const VidaIntegration* self, int b, const double s[3], int j,
                             double slope[3]);
/* Computes the derivatives of the moment with respect to the forces, part->left, and of the
 * quaternion at the end with respect to s, `change`. */
void vida__simo_chain(const VidaIntegration* self, int b, const double s[3], vida_simo_group* part,
                      double change[4][3]);
/* Returns whether no term has a force on a body or one that depends on positions. */
bool vida__simo_is_free(const VidaIntegration* self);
/* Refuses potentials for which the method cannot preserve the energy or the momentum. */
int vida__simo_check(VidaIntegration* self, VidaError* error);

#endif
