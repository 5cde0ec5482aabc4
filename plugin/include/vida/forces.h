/* Springs, dampers, torsion elements and torques between bodies; rolling disks and knife edges. */
#ifndef VIDA_FORCES_H
#define VIDA_FORCES_H

#include <vida/bodies.h>
#include <vida/export.h>
#include <vida/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A massless spring between two ends with the vector d between them: V = k s^2 / 2 + k3 s^4 / 4
 * with s = |d| - l, or V = k (|d|^2 - l^2)^2 / 4. */
typedef struct VidaLinkSpring {
  const char* name;       /* "shock absorber" */
  VidaEnd ends[2];        /* its ends */
  VidaQuantity stiffness; /* k >= 0, N/m; for VIDA_SPRING_SQUARED N/m^3 */
  VidaQuantity length;    /* l >= 0, the rest length, m */
  VidaQuantity cubic;     /* k3 >= 0, N/m^3; for VIDA_SPRING_LINEAR only */
  VidaSpringLaw law;      /* selects V */
} VidaLinkSpring;

/* A damper between two ends: R = c s'^2 / 2 with the rate s' of their distance s, or, if
 * `of_velocity`, R = c |v|^2 / 2 with their relative velocity v. Where the ends coincide, only the
 * second form is defined. */
typedef struct VidaLinkDamper {
  const char* name;     /* "dashpot" */
  VidaEnd ends[2];      /* its ends */
  VidaQuantity damping; /* c >= 0, N s/m */
  bool of_velocity;     /* selects the second R */
} VidaLinkDamper;

/* A torsion spring or damper between two bodies: V = k (a - angle)^2 / 2 or R = c a'^2 / 2 with the
 * angle a by which the second body is turned from the first about an axis. In space the axis is
 * e[2] of both triads, and a is 0 if the triads coincide. In the plane a is the angle from the x
 * axis of the first body to that of the second, and the triads are not used. The angle of two plane
 * bodies counts turns; in space, and for a rod, a lies between -pi and pi and wraps. */
typedef struct VidaTorsion {
  const char* name;    /* "torsion bar" */
  VidaEnd ends[2];     /* bodies or the ground; their places are not used */
  VidaTriad triads[2]; /* in space: from VidaSystem_TriadsAlong */
  VidaQuantity factor; /* k >= 0, N m/rad, or c >= 0, N m s/rad */
  VidaQuantity angle;  /* rest angle of a spring, rad */
} VidaTorsion;

/* Adds a spring (the record is copied). Fails with VIDA_BAD_ARGUMENT for a negative stiffness,
 * length or cubic stiffness, if both ends are on one body, and if neither end moves. */
VIDA_API int VidaSystem_AddLinkSpring(VidaSystem* system, const VidaLinkSpring* spring,
                                      VidaError* error);
/* Adds a damper (the record is copied). Fails with VIDA_BAD_ARGUMENT for a negative damping, if
 * both ends are on one body, and if neither end moves. */
VIDA_API int VidaSystem_AddLinkDamper(VidaSystem* system, const VidaLinkDamper* damper,
                                      VidaError* error);
/* Adds a torsion spring (the record is copied). Fails with VIDA_BAD_ARGUMENT for a negative
 * stiffness, if both ends are on one body, if neither end moves, and if an end has no orientation
 * about the axis. */
VIDA_API int VidaSystem_AddTorsionSpring(VidaSystem* system, const VidaTorsion* spring,
                                         VidaError* error);
/* Adds a torsion damper (the record is copied). Fails with VIDA_BAD_ARGUMENT for a negative
 * damping, if both ends are on one body, if neither end moves, and if an end has no orientation
 * about the axis. */
VIDA_API int VidaSystem_AddTorsionDamper(VidaSystem* system, const VidaTorsion* damper,
                                         VidaError* error);

/* The axes in which the components of a torque are given. */
typedef enum VidaTorqueAxes {
  VIDA_TORQUE_SPACE, /* the axes of space */
  VIDA_TORQUE_FIRST, /* the axes of the first end, which turn with it */
  VIDA_TORQUE_SECOND /* the axes of the second end, which turn with it */
} VidaTorqueAxes;

/* A torque M on the second end and -M on the first. For an external torque the first end is the
 * ground. The power of M on a body is M . w, where w is the angular velocity of the body. If the
 * coordinates of an orientation violate their constraints, w is that of the nearest rotation. */
typedef struct VidaTorque {
  const char* name;         /* "motor" */
  VidaEnd ends[2];          /* bodies or the ground; their places are not used */
  VidaTorqueAxes axes;      /* in space: the axes of `axis` and `moment` */
  bool has_axis;            /* in space: moment[0] acts about `axis`; otherwise M = moment */
  double axis[3];           /* unit vector */
  VidaExpression moment[3]; /* functions of q, v and t, N m; in the plane only [0] */
} VidaTorque;

/* Adds a torque (the record is copied). Fails with VIDA_BAD_ARGUMENT for a rod in space or a
 * particle, in dimension 1, if both ends are on one body, if neither end moves, for expressions
 * that do not exist, for unknown `axes`, and for an axis whose length is not 1 within 1e-10. */
VIDA_API int VidaSystem_AddTorque(VidaSystem* system, const VidaTorque* torque, VidaError* error);

/* A thin disk that rolls on a plane without slipping. It is fixed in a body, and its centre is the
 * centre of mass of the body. Its rows are "name: contact" (m) and the nonholonomic rows
 * "name: rolling 1" and "name: rolling 2" (m/s; in the plane a single row "name: rolling"). */
typedef struct VidaRollingDisk {
  const char* name; /* "wheel" */
  VidaEnd body;     /* the body; its place is not used */
  double radius;    /* > 0, m */
  double axis[3];   /* in space: unit vector along the axis of the disk, in the axes of the body */
  double normal[3]; /* unit normal of the plane, in the axes of space */
  double height;    /* the plane has the points r with normal . r = height, m */
} VidaRollingDisk;

/* A knife edge: the velocity v of a point of a body has no component across the blade. Its
 * nonholonomic row is v . (normal x blade) = 0 (m/s). */
typedef struct VidaKnifeEdge {
  const char* name; /* "skate" */
  VidaEnd end;      /* the point of the body */
  double blade[3];  /* unit vector along the blade, in the axes of the body */
  double normal[3]; /* in space: unit normal of the plane of motion, in the axes of space */
} VidaKnifeEdge;

/* Adds a rolling disk (the record is copied). Fails with VIDA_BAD_ARGUMENT for the ground or a body
 * that does not move, for a particle or a rod in space, for a radius that is not positive, and for
 * an axis or a normal whose length is not 1 within 1e-10. */
VIDA_API int VidaSystem_AddRollingDisk(VidaSystem* system, const VidaRollingDisk* disk,
                                       VidaError* error);
/* Adds a knife edge (the record is copied). Fails with VIDA_BAD_ARGUMENT for the ground or a body
 * that does not move, for a particle, and for a blade or a normal whose length is not 1 within
 * 1e-10. */
VIDA_API int VidaSystem_AddKnifeEdge(VidaSystem* system, const VidaKnifeEdge* edge,
                                     VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
