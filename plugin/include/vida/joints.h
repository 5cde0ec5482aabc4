/* Joints between bodies, particles and the ground.
 *
 * Rows are those of the second end less those of the first: what acts on the second is minus the
 * multiplier. Rows that keep points together are lengths, their multipliers are forces; rows that
 * keep directions across each other are products of unit vectors, with the unit of an angle, their
 * multipliers are torques. */
#ifndef VIDA_JOINTS_H
#define VIDA_JOINTS_H

#include <vida/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a joint leaves free. */
typedef enum VidaJointKind {
  VIDA_JOINT_BALL,        /* both ends at one place: rows "x", "y", "z" */
  VIDA_JOINT_REVOLUTE,    /* a hinge: those of a ball, and in space "tilt 1", "tilt 2" */
  VIDA_JOINT_UNIVERSAL,   /* in space: those of a ball, and "axes", the product of both axes */
  VIDA_JOINT_CYLINDRICAL, /* in space: "across 1", "across 2", "tilt 1", "tilt 2" */
  VIDA_JOINT_PRISMATIC,   /* "across 1", "across 2", "turn 1" to "turn 3"; "across", "turn" */
  VIDA_JOINT_WELD         /* those of a ball, "turn 1" to "turn 3"; in the plane "turn" */
} VidaJointKind;

/* A joint of two ends. */
typedef struct VidaJoint {
  const char* name;   /* "hinge"; its rows are "hinge: x", ... */
  VidaJointKind kind; /* what it leaves free */
  VidaEnd ends[2];    /* both ends */
  /* Directions of either end (VidaSystem_TriadsAlong); a ball has none, a universal joint uses the
   * axis e[2] of each. */
  VidaTriad triads[2];
} VidaJoint;

/* Adds a joint (the record is copied). Fails with VIDA_BAD_ARGUMENT for a joint that the dimension
 * of the system does not have, for two ends on one body, for ends of which none moves, and for an
 * end without the orientation that the joint needs. */
int VidaSystem_AddJoint(VidaSystem* system, const VidaJoint* joint, VidaError* error);

/* A rod without mass between two ends: one row (|d|^2 - l^2) / (2 l), a length. Its multiplier is
 * the tension, > 0 when pulled. Between particles and fixed points it is VidaSystem_AddDistance.
 * Fails with VIDA_BAD_ARGUMENT for a length that is not positive, and for ends as above. */
int VidaSystem_AddLink(VidaSystem* system, const char* name, const VidaEnd ends[2], double length,
                       VidaError* error);

/* A motor of constant speed: prescribes the angle of the second end from the first about the axis
 * of `triads`, which is `rate` times t. One row of an angle, "rad"; its multiplier is a torque. In
 * the plane the angle at t = 0 is `difference` where both ends have an angle. */
typedef struct VidaDrive {
  const char* name;    /* "motor" */
  VidaEnd ends[2];     /* bodies or the ground */
  VidaTriad triads[2]; /* parallel at the start */
  double difference;   /* of the angles of both ends at the start, in the plane, rad */
  VidaQuantity rate;   /* rad/s */
} VidaDrive;
int VidaSystem_AddDrive(VidaSystem* system, const VidaDrive* drive, VidaError* error);

/* Makes a coordinate follow the angle of the second end from the first about the axis of `triads`,
 * 0 where the triads agree. It counts turns: unlike an arc tangent it does not wrap. One row, the
 * sine of what the coordinate differs by from that angle, "rad"; as the coordinate has no mass, the
 * row holds nothing else. Fails with VIDA_BAD_ARGUMENT for ends as above. */
typedef struct VidaAngle {
  const char* name;    /* of the row: "turned" */
  VidaEnd ends[2];     /* bodies or the ground */
  VidaTriad triads[2]; /* parallel at the start */
  int coordinate;      /* number of a coordinate of the system, rad */
} VidaAngle;
int VidaSystem_AddAngle(VidaSystem* system, const VidaAngle* angle, VidaError* error);

/* A point of the second end moves on a line of the first: across[k] are the unit directions of the
 * first end across the line (in the plane 1 of them, in space 2; in space 1 makes it a plane, whose
 * normal that is). Rows "across 1", "across 2", or one of the joint's name; lengths. */
typedef struct VidaGuide {
  const char* name;    /* "wire" */
  VidaEnd ends[2];     /* the line is fixed in the first */
  int count;           /* of directions: 1 or 2 */
  double across[2][3]; /* in the axes of the first end */
} VidaGuide;
int VidaSystem_AddGuide(VidaSystem* system, const VidaGuide* guide, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
