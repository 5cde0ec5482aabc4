/* Joints between bodies, particles and the ground.
 *
 * A row is a quantity of the second end minus the same quantity of the first, so the force or
 * torque on the second end is minus the multiplier. Rows that keep points together are lengths, and
 * their multipliers are forces. Rows that keep directions orthogonal are scalar products of unit
 * vectors with the unit "rad", and their multipliers are torques.
 *
 * All functions that add a joint fail with VIDA_BAD_ARGUMENT if both ends are on one body or on one
 * particle, if neither end moves, and for an end that does not exist. */
#ifndef VIDA_JOINTS_H
#define VIDA_JOINTS_H

#include <vida/bodies.h>
#include <vida/export.h>
#include <vida/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of joints, and the names of their rows. */
typedef enum VidaJointKind {
  VIDA_JOINT_BALL,        /* the points coincide: "x", "y", "z" */
  VIDA_JOINT_REVOLUTE,    /* a hinge: "x", "y"; in space "x", "y", "z", "tilt 1", "tilt 2" */
  VIDA_JOINT_UNIVERSAL,   /* in space only: "x", "y", "z", "axes" */
  VIDA_JOINT_CYLINDRICAL, /* in space only: "across 1", "across 2", "tilt 1", "tilt 2" */
  /* "across", "turn"; in space "across 1", "across 2", "turn 1", "turn 2", "turn 3" */
  VIDA_JOINT_PRISMATIC,
  VIDA_JOINT_WELD /* "x", "y", "turn"; in space "x", "y", "z", "turn 1", "turn 2", "turn 3" */
} VidaJointKind;
/* Returns the name of a kind of joint, "ball" for example; NULL for a number that is not a kind. */
VIDA_API const char* VidaJoint_KindName(VidaJointKind kind);

/* A joint of two ends. */
typedef struct VidaJoint {
  const char* name;   /* "hinge"; its rows are "hinge: x", ... */
  VidaJointKind kind; /* its kind */
  VidaEnd ends[2];    /* its ends */
  /* Directions of the ends (VidaSystem_TriadsAlong). Ball joints, and revolute joints in the plane,
   * do not use them; a universal joint uses the axis e[2] of each end. */
  VidaTriad triads[2];
} VidaJoint;

/* Adds a joint (the record is copied). Fails with VIDA_BAD_ARGUMENT for a kind that does not exist
 * in the dimension of the system, for an end without the orientation that the joint needs, and for
 * the name of another joint of this kind. */
VIDA_API int VidaSystem_AddJoint(VidaSystem* system, const VidaJoint* joint, VidaError* error);

/* Adds a massless rod of length l > 0 (m) between two ends: one row (|d|^2 - l^2) / (2 l) with the
 * vector d between them. Its multiplier is the tension, positive if the rod is pulled. Between
 * particles and fixed points it calls VidaSystem_AddDistance. Fails with VIDA_BAD_ARGUMENT for a
 * length that is not positive. */
VIDA_API int VidaSystem_AddLink(VidaSystem* system, const char* name, const VidaEnd ends[2],
                                double length, VidaError* error);

/* Adds a massless rod whose length l (m) is an expression of time, parameters and positions. Its
 * row is that of VidaSystem_AddLink. Fails with VIDA_BAD_ARGUMENT for an expression that contains a
 * rate or does not exist. */
VIDA_API int VidaSystem_AddVariableLink(VidaSystem* system, const char* name, const VidaEnd ends[2],
                                        VidaExpression length, VidaError* error);

/* A motor, which prescribes the angle by which the second end is turned from the first about the
 * axis of `triads`. One row with the unit "rad"; its multiplier is a torque. If both ends are plane
 * bodies or the ground, the row is the difference of their angles minus `difference` minus the
 * prescribed angle. Otherwise the angle is 0 where the triads coincide, and the row is the sine of
 * the angle minus the prescribed angle. */
typedef struct VidaDrive {
  const char* name;    /* "motor" */
  VidaEnd ends[2];     /* bodies or the ground */
  VidaTriad triads[2]; /* from VidaSystem_TriadsAlong */
  /* in the plane: angle of the second end minus that of the first at the prescribed angle 0, rad;
   * the angle of the ground, and of a body that does not move, is 0 */
  double difference;
  VidaQuantity rate; /* for VidaSystem_AddDrive: prescribed angular velocity, rad/s */
} VidaDrive;
/* Adds a motor of constant speed (the record is copied): the prescribed angle is rate t. Fails with
 * VIDA_BAD_ARGUMENT for an end without the orientation that the motor needs, and for a rate that is
 * not finite. */
VIDA_API int VidaSystem_AddDrive(VidaSystem* system, const VidaDrive* drive, VidaError* error);
/* Adds a motor (the record is copied, but `rate` is not used) whose prescribed angle (rad) is an
 * expression of time, parameters and positions. Fails with VIDA_BAD_ARGUMENT for an end without the
 * orientation that the motor needs, and for an expression that contains a rate or does not
 * exist. */
VIDA_API int VidaSystem_AddAngleDrive(VidaSystem* system, const VidaDrive* drive,
                                      VidaExpression angle, VidaError* error);

/* Prescribes the value of an expression of positions: adds the row expression - value = 0 with the
 * unit `unit`. `value` is an expression of time and parameters. The multiplier is minus the force
 * along the expression. Fails with VIDA_BAD_ARGUMENT if the row contains a rate or no position. */
VIDA_API int VidaSystem_AddPrescribedValue(VidaSystem* system, const char* name, const char* unit,
                                           VidaExpression expression, VidaExpression value,
                                           VidaError* error);

/* An angle that counts turns. Its row makes a massless coordinate equal to the angle by which the
 * second end is turned from the first about the axis of `triads`. The angle is 0 where the triads
 * coincide. Unlike an arc tangent, the coordinate does not wrap. The row is the sine of the
 * coordinate minus the angle, with the unit "rad". If no other term depends on the coordinate, the
 * row exerts no torque. */
typedef struct VidaAngle {
  const char* name;    /* name of the row: "turned" */
  VidaEnd ends[2];     /* bodies or the ground */
  VidaTriad triads[2]; /* from VidaSystem_TriadsAlong */
  int coordinate;      /* index of the coordinate, rad */
} VidaAngle;
/* Adds an angle that counts turns (the record is copied). Fails with VIDA_BAD_ARGUMENT for an end
 * without the orientation that the angle needs, and for an unknown coordinate. */
VIDA_API int VidaSystem_AddAngle(VidaSystem* system, const VidaAngle* angle, VidaError* error);

/* A straight guide: the point of the second end moves on a line or a plane through the point of the
 * first end. In space, two directions `across` define a line, and one defines a plane; in the
 * plane, one direction defines a line. The rows are lengths, "across 1" and "across 2"; a single
 * row has the name of the guide. */
typedef struct VidaGuide {
  const char* name;    /* "wire" */
  VidaEnd ends[2];     /* the line or plane is fixed in the first */
  int count;           /* number of directions: 1 or 2 */
  double across[2][3]; /* unit vectors orthogonal to the line or plane, in the axes of ends[0] */
} VidaGuide;
/* Adds a guide (the record is copied). Fails with VIDA_BAD_ARGUMENT for a number of directions that
 * the dimension of the system does not allow, for a first end without the orientation that the
 * guide needs, and for directions that are parallel or whose length is not 1 within 1e-10. */
VIDA_API int VidaSystem_AddGuide(VidaSystem* system, const VidaGuide* guide, VidaError* error);

/* ---- curves ---------------------------------------------------------------------------------- */

/* Makes the expressions of the components (`dimension`, m) of a point on a curve. They are valid
 * only in the formulas of a VidaCurve. */
VIDA_API int VidaSystem_CurvePoint(VidaSystem* system, VidaExpression* components,
                                   VidaError* error);

/* A curve or a surface that is fixed in the first end, and on which the point of the second end
 * moves. It is given by formulas that vanish on it. Their variables are the components of the point
 * relative to the place of the first end, in the axes of the first end. The rows are "1" and "2"; a
 * single row has the name of the curve. */
typedef struct VidaCurve {
  const char* name;           /* "track" */
  VidaEnd ends[2];            /* the first is a body or the ground */
  int count;                  /* number of formulas, 1 .. dimension - 1 */
  VidaExpression formulas[2]; /* functions of VidaSystem_CurvePoint, time and parameters */
  const char* unit;           /* unit of the formulas; NULL: "" */
} VidaCurve;
/* Adds a curve (the record is copied). Fails with VIDA_BAD_ARGUMENT for a first end without
 * orientation, for a wrong number of formulas, and for a formula that does not exist. */
VIDA_API int VidaSystem_AddCurve(VidaSystem* system, const VidaCurve* curve, VidaError* error);

/* A parametric curve that is fixed in the first end, and on which the point of the second end
 * moves. Its parameter s is a coordinate of the system (VidaSystem_AddCoordinate). The rows "x",
 * "y", "z" are lengths, the components in space of the point minus place(s). */
typedef struct VidaParametricCurve {
  const char* name; /* "track" */
  VidaEnd ends[2];  /* the first is a body or the ground */
  /* the point of the curve at s, relative to the place of the first end and in its axes, m */
  VidaExpression place[3];
} VidaParametricCurve;
/* Adds a parametric curve (the record is copied). Fails with VIDA_BAD_ARGUMENT for a first end
 * without orientation, and for an expression that does not exist. */
VIDA_API int VidaSystem_AddParametricCurve(VidaSystem* system, const VidaParametricCurve* curve,
                                           VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
