/* What the files of simo-wong share: its state, and the moments that forces make of it. */
#ifndef VIDA_METHODS_RIGID_SIMO_WONG_H
#define VIDA_METHODS_RIGID_SIMO_WONG_H

#include "methods/rigid/lie.h"

/* A body or another coordinate: `width` unknowns from `first` on, `count` coordinates. */
typedef struct vida_simo_group {
  int first, width, count;
  int coordinate[4];
  /* Derivatives of its rows by the forces on its coordinates, and by those with flipped ends; and
   * those of its coordinates at the end of the step by its unknowns. */
  double left[2][3][4];
  double right[4][3];
} vida_simo_group;

/* Belongs to vida_lie_state, as its `more`. */
typedef struct vida_simo_state {
  int groups;             /* bodies first */
  vida_simo_group* group; /* groups */
  int* group_of;          /* n: the group of a coordinate */
  int* part_of;           /* n: which of its coordinates it is */
  int* offset;            /* of an entry of the system's pattern: of its block within our column */
  double* spin;           /* 3 by bodies: angular momentum in the body at the node */
  double* torque;         /* n: sizes of the forces in the last step */
  double* flipped_force;  /* n: -D V to the flipped end */
  double* flipped;        /* n: q1 with -Q1 of bodies */
  double* flipped_change; /* n: from q0 to it */
  double* slopes[2];      /* of the system's pattern: forces by q1; flipped ones by flipped q1 */
  vida_pattern pattern;
} vida_simo_state;

/* s of the turn by mean rates w in the body; returns k. */
double vida__simo_turn(const VidaIntegration* self, const double* w, double s[3]);
/* Forces in the step that unknowns u make: into `force` of the state, and flipped_force. */
int vida__simo_forces(VidaIntegration* self, const double* u);
/* Their derivatives, into slopes. */
int vida__simo_force_slopes(VidaIntegration* self, const double* u);
/* The moment on a body, in its frame at the node; its derivative by s_j, forces being held. */
void vida__simo_moment(const VidaIntegration* self, int b, const double s[3], double moment[3]);
void vida__simo_moment_slope(const VidaIntegration* self, int b, const double s[3], int j,
                             double slope[3]);
/* left: derivatives of the moment by forces; change: those of the quaternion at the end by s. */
void vida__simo_chain(const VidaIntegration* self, int b, const double s[3], vida_simo_group* part,
                      double change[4][3]);
/* Refuses potentials that the method cannot keep the energy of, or the momentum. */
int vida__simo_check(VidaIntegration* self, VidaError* error);

#endif
