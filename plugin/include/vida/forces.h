/* Springs, dampers and torsion elements between bodies, and what rolls or cuts. */
#ifndef VIDA_FORCES_H
#define VIDA_FORCES_H

#include <vida/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A spring without mass between two ends, V = k s^2 / 2 + k3 s^4 / 4 with s = |d| - l, or
 * V = k (|d|^2 - l^2)^2 / 4. */
typedef struct VidaLinkSpring {
  const char* name;       /* "shock absorber" */
  VidaEnd ends[2];        /* of which at least one moves */
  VidaQuantity stiffness; /* k >= 0, N/m */
  VidaQuantity length;    /* l >= 0 at rest, m */
  VidaQuantity cubic;     /* k3 >= 0, N/m^3; of the linear law only */
  VidaSpringLaw law;      /* which V */
} VidaLinkSpring;

/* A damper between two ends: R = c s'^2 / 2 with the rate s' of their distance, or, for ends that
 * meet, R = c |v|^2 / 2 with their relative velocity v. */
typedef struct VidaLinkDamper {
  const char* name;     /* unique */
  VidaEnd ends[2];      /* both ends */
  VidaQuantity damping; /* c >= 0, N s/m */
  bool of_velocity;     /* the second R */
} VidaLinkDamper;

/* A spring or a damper that acts between two bodies about the axis e[2] of both triads, which in
 * the plane is that across it, and the triads are not used. V = k (a - angle)^2 / 2, R = c a'^2
 * / 2. In space the angle a lies between -pi and pi and is 0 where the triads agree; in the plane
 * it is that from the x axis of the first body to the x axis of the second. */
typedef struct VidaTorsion {
  const char* name;    /* unique */
  VidaEnd ends[2];     /* bodies or the ground; their places are not used */
  VidaTriad triads[2]; /* in space: VidaSystem_TriadsAlong */
  VidaQuantity factor; /* k >= 0, N m/rad, or c >= 0, N m s/rad */
  VidaQuantity angle;  /* of a spring at rest, rad */
} VidaTorsion;

/* Add one of them (the record is copied). Fail with VIDA_BAD_ARGUMENT for a negative size, for two
 * ends on one body, for ends of which none moves, and for an end without the orientation that a
 * torsion element needs. */
int VidaSystem_AddLinkSpring(VidaSystem* system, const VidaLinkSpring* spring, VidaError* error);
int VidaSystem_AddLinkDamper(VidaSystem* system, const VidaLinkDamper* damper, VidaError* error);
int VidaSystem_AddTorsionSpring(VidaSystem* system, const VidaTorsion* spring, VidaError* error);
int VidaSystem_AddTorsionDamper(VidaSystem* system, const VidaTorsion* damper, VidaError* error);

/* A thin disk about an axis of a body, through its centre of mass, rolls on a plane without
 * slipping: the row "name: contact" (m) and the nonholonomic rows "name: rolling 1" and "name:
 * rolling 2", in the plane "name: rolling" (m/s). */
typedef struct VidaRollingDisk {
  const char* name; /* unique */
  VidaEnd body;     /* its place is not used */
  double radius;    /* > 0, m */
  double axis[3];   /* of the disk in the axes of the body, of length 1; in space only */
  double normal[3]; /* of the plane, in space, of length 1 */
  double height;    /* of the plane along its normal, m */
} VidaRollingDisk;

/* A blade: a point of a body moves along one direction of the body only. One nonholonomic row,
 * v . (normal x blade) = 0, m/s. */
typedef struct VidaKnifeEdge {
  const char* name; /* unique */
  VidaEnd end;      /* the point of the blade */
  double blade[3];  /* its direction in the axes of the body, of length 1 */
  double normal[3]; /* of the ice, in space, of length 1; in space only */
} VidaKnifeEdge;

/* Add one of them (the record is copied). Fail with VIDA_BAD_ARGUMENT for the ground, for a body
 * without the orientation that it needs, and for a radius that is not positive. */
int VidaSystem_AddRollingDisk(VidaSystem* system, const VidaRollingDisk* disk, VidaError* error);
int VidaSystem_AddKnifeEdge(VidaSystem* system, const VidaKnifeEdge* edge, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
