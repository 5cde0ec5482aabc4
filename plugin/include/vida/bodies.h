/* Rigid bodies and rods. The centre of mass of a body is a particle with the name of the body, on
 * which gravity acts. The coordinates of the orientation follow those of the particle.
 *
 * A body is identified by its index, counted from 0 in the order of addition. Points and directions
 * of a body have components in the axes of the body, whose origin is the centre of mass. Any
 * consistent units may be used; comments name SI units. */
#ifndef VIDA_BODIES_H
#define VIDA_BODIES_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The initial rates of an orientation. */
typedef enum VidaSpin {
  VIDA_SPIN_DEFAULT, /* held at `angular_velocity` if not 0; else 0 if constraints allow it */
  VIDA_SPIN_GIVEN,   /* held at `angular_velocity` */
  VIDA_SPIN_FREE     /* computed from the constraints, near `angular_velocity` */
} VidaSpin;

/* A rigid body in the plane, with the coordinates "name.x", "name.y" and "name.angle". */
typedef struct VidaPlaneBody {
  const char* name;        /* "crank" */
  double mass;             /* > 0, kg */
  double inertia;          /* > 0, about the centre of mass, kg m^2 */
  VidaInitial position[2]; /* of the centre of mass at the start, m */
  VidaInitial velocity[2]; /* m/s */
  double angle;            /* from the x axis of space to its x axis at the start, rad */
  double angular_velocity; /* rad/s */
  VidaSpin spin;           /* how the initial rate of the angle is set */
  bool guess;              /* the initial values are guesses for the solution of the constraints */
} VidaPlaneBody;

/* A slender rod (Lacoursiere 2007, section 6). Its coordinates are the position of its centre and a
 * unit vector u along the rod, from tail to head. Its rotational energy is I |u'|^2 / 2, and its
 * constraint row is l (|u|^2 - 1) / 2. In space it has no orientation about its axis. */
typedef struct VidaRod {
  const char* name;           /* "rod" */
  double mass;                /* > 0, kg */
  double length;              /* l > 0, m */
  double inertia;             /* I about the centre, kg m^2; 0: m l^2 / 12, a uniform rod */
  VidaInitial position[3];    /* of the centre at the start, m */
  VidaInitial velocity[3];    /* m/s */
  double direction[3];        /* direction of u at the start, of any length but 0 */
  double angular_velocity[3]; /* rad/s; in the plane only [0] */
  VidaSpin spin;              /* how the initial rates of u are set */
  bool guess; /* the initial values are guesses for the solution of the constraints */
} VidaRod;

/* The coordinates of the orientation of a body in space. */
typedef enum VidaOrientation {
  VIDA_ORIENTATION_QUATERNION, /* a quaternion from body to space, scalar first: 1 row */
  VIDA_ORIENTATION_DIRECTORS   /* three unit vectors along principal axes: constant mass matrix */
} VidaOrientation;

/* A rigid body in space. */
typedef struct VidaRigidBody {
  const char* name;           /* "top" */
  double mass;                /* > 0, kg */
  double inertia[3][3];       /* about the centre of mass, in the axes of the body, kg m^2 */
  VidaInitial position[3];    /* of the centre of mass at the start, m */
  VidaInitial velocity[3];    /* m/s */
  double orientation[4];      /* unit quaternion at the start, scalar first; all 0: axes of space */
  double angular_velocity[3]; /* in the axes of space, rad/s */
  VidaSpin spin;              /* how the initial rates of the orientation are set */
  VidaOrientation as;         /* coordinates of the orientation */
  bool guess; /* the initial values are guesses for the solution of the constraints */
} VidaRigidBody;

/* A body that does not move: a point and axes to which joints are attached. */
typedef struct VidaFixedBody {
  const char* name;      /* "frame" */
  double position[3];    /* of its origin, m */
  double angle;          /* in the plane: from the x axis of space to its x axis, rad */
  double orientation[4]; /* in space: unit quaternion, scalar first; all 0: axes of space */
} VidaFixedBody;

/* Adds a rigid body in the plane (the record is copied); *body (nullable) receives its index. Fails
 * with VIDA_BAD_ARGUMENT if the dimension of the system is not 2, for a mass or inertia that is not
 * positive, for an angle or angular velocity that is not finite, for an unknown `spin`, and for the
 * name of another body or particle. */
VIDA_API int VidaSystem_AddPlaneBody(VidaSystem* system, const VidaPlaneBody* given, int* body,
                                     VidaError* error);
/* Adds a rod (the record is copied); *body (nullable) receives its index. Its constraint row is
 * named "name: direction". Fails with VIDA_BAD_ARGUMENT if the dimension of the system is 1, for a
 * mass or length that is not positive, for a negative inertia, for a direction of length 0, for
 * values that are not finite, for an unknown `spin`, and for the name of another body or
 * particle. */
VIDA_API int VidaSystem_AddRod(VidaSystem* system, const VidaRod* given, int* body,
                               VidaError* error);
/* Adds a rigid body in space (the record is copied); *body (nullable) receives its index. Its
 * constraint rows are named "name: quaternion", or "name: d1.d1", ... for directors. Fails with
 * VIDA_BAD_ARGUMENT if the dimension of the system is not 3, for a mass or principal moment that is
 * not positive, for a principal moment larger than the sum of the others, for an inertia that is
 * not symmetric or an orientation whose norm is not 1, both within 1e-12, for values that are not
 * finite, for an unknown `as` or `spin`, and for the name of another body or particle. */
VIDA_API int VidaSystem_AddRigidBody(VidaSystem* system, const VidaRigidBody* given, int* body,
                                     VidaError* error);

/* Adds a body that does not move (the record is copied); *body (nullable) receives its index. It
 * has no coordinates and no particle. Fails with VIDA_BAD_ARGUMENT if the dimension of the system
 * is 1, for values that are not finite, for an orientation whose norm is not 1 within 1e-12, and
 * for the name of another body or particle. */
VIDA_API int VidaSystem_AddFixedBody(VidaSystem* system, const VidaFixedBody* given, int* body,
                                     VidaError* error);

/* Makes `system` share the derived equations of bodies, joints and forces with the system `with`,
 * so that a program that builds many similar systems derives each equation once. Call it before
 * adding a body, joint or force to `system`; otherwise it fails with VIDA_WRONG_ORDER. Systems that
 * share equations may be freed in any order, but only one thread at a time may build or free any of
 * them. */
VIDA_API int VidaSystem_SharePatterns(VidaSystem* system, VidaSystem* with, VidaError* error);

/* Returns the number of bodies, including those that do not move. */
VIDA_API int VidaSystem_BodyCount(const VidaSystem* system);
/* Returns the name of a body; NULL for an unknown index. */
VIDA_API const char* VidaSystem_BodyName(const VidaSystem* system, int body);
/* Returns the index of the particle at the centre of mass of a body; -1 for a body that does not
 * move, and for an unknown index. */
VIDA_API int VidaSystem_BodyParticle(const VidaSystem* system, int body);
/* Returns the index of the first coordinate of a body, which its other coordinates follow; -1 for a
 * body that does not move, and for an unknown index. */
VIDA_API int VidaSystem_BodyCoordinate(const VidaSystem* system, int body);
/* Returns the number of coordinates of a body; 0 for a body that does not move, and for an unknown
 * index. */
VIDA_API int VidaSystem_BodyCoordinateCount(const VidaSystem* system, int body);
/* Writes the initial values q and v of the coordinates of a body (VidaSystem_BodyCoordinateCount
 * each). Returns false and writes nothing for an unknown index, and if the initial positions are
 * guesses or computed from the constraints. An initial velocity of the centre of mass that is
 * computed from the constraints is written as 0. */
VIDA_API bool VidaSystem_BodyStart(const VidaSystem* system, int body, double* q, double* v);

/* Writes the principal axes of a body with directors to `axes` (by rows): column i is director i in
 * the axes of the body. Returns false and writes nothing for any other body. */
VIDA_API bool VidaSystem_BodyAxes(const VidaSystem* system, int body, double axes[3][3]);

/* ---- principal axes -------------------------------------------------------------------------- */

/* Computes the principal moments of a symmetric matrix by Jacobi's method, and the rotation matrix
 * whose columns are the principal axes (both matrices by rows). The moments are not sorted; those
 * of a diagonal matrix are its diagonal entries in their order. */
VIDA_API void Vida_PrincipalAxes(const double matrix[3][3], double moments[3], double axes[3][3]);
/* Computes the unit quaternion, scalar first, of a rotation matrix (by rows). */
VIDA_API void Vida_QuaternionOfMatrix(const double matrix[3][3], double quaternion[4]);
/* Computes a unit vector `across` that is orthogonal to the unit vector `axis`. */
VIDA_API void Vida_DirectionAcross(const double axis[3], double across[3]);

/* ---- quantities ------------------------------------------------------------------------------ */

/* A quantity: a constant, or a parameter of the system. */
typedef struct VidaQuantity {
  double value;  /* the constant; used if `parameter` is 0 */
  int parameter; /* 1 + the index of the parameter; 0: the constant `value` */
} VidaQuantity;

/* Returns the quantity with a constant value. */
VIDA_API VidaQuantity VidaQuantity_Number(double value);
/* Returns the quantity whose value is that of the parameter with this index. */
VIDA_API VidaQuantity VidaQuantity_Parameter(int parameter);

/* ---- ends of joints and forces --------------------------------------------------------------- */

/* The kind of an end. */
typedef enum VidaEndKind {
  VIDA_END_GROUND,   /* a point fixed in space */
  VIDA_END_PARTICLE, /* a particle, which has no orientation */
  VIDA_END_BODY      /* a point fixed in a body */
} VidaEndKind;

/* An end of a joint or a force. */
typedef struct VidaEnd {
  VidaEndKind kind; /* ground, particle or body */
  int index;        /* of the particle or body */
  /* The point (m): for the ground in the axes of space; for a body in its axes, from its centre of
   * mass. A rod uses only place[0], the distance from its centre towards its head. */
  double place[3];
  /* If true, `place` and the directions of this end have components in the principal axes of a body
   * with directors, or in the axes of space for a body that does not move. VidaSystem_EndAt and
   * VidaSystem_TriadsAlong set this. */
  bool principal;
} VidaEnd;

/* Returns the end at a point fixed in space, (x, y, z) in m. */
VIDA_API VidaEnd VidaEnd_Ground(double x, double y, double z);
/* Returns the end at the particle with this index. */
VIDA_API VidaEnd VidaEnd_Particle(int particle);
/* Returns the end at a point of the body with this index; (x, y, z) in m in the axes of the body,
 * from its centre of mass. */
VIDA_API VidaEnd VidaEnd_Body(int body, double x, double y, double z);

/* Computes the end at the point of a body whose initial position is `at` (dimension, m); for a rod,
 * at the point of its axis that is nearest to `at`. Fails with VIDA_BAD_ARGUMENT for an unknown
 * index, and if the initial position of the body is a guess or computed from the constraints. */
VIDA_API int VidaSystem_EndAt(const VidaSystem* system, int body, const double* at, VidaEnd* end,
                              VidaError* error);

/* Computes the position of an end at the start (dimension, m). Fails with VIDA_BAD_ARGUMENT for an
 * end that does not exist, and if this position is a guess or computed from the constraints. */
VIDA_API int VidaSystem_EndStart(const VidaSystem* system, const VidaEnd* end, double* position,
                                 VidaError* error);
/* Computes the components of a direction in the axes of an end. `direction` (dimension) is this
 * direction in space at the start. `components` has room for 3 numbers; for a rod in space,
 * components[0] is the component along the rod, and the others are 0. Fails with VIDA_BAD_ARGUMENT
 * for a particle, and if the initial position of the body is a guess or computed from the
 * constraints. */
VIDA_API int VidaSystem_DirectionAt(const VidaSystem* system, const VidaEnd* end,
                                    const double* direction, double* components, VidaError* error);
/* The inverse of VidaSystem_DirectionAt: computes `direction` (dimension), in space at the start,
 * from its `components` in the axes of an end (3; for a rod in space only [0] is used). Fails with
 * VIDA_BAD_ARGUMENT for a particle, and if the initial position of the body is a guess or computed
 * from the constraints. */
VIDA_API int VidaSystem_DirectionStart(const VidaSystem* system, const VidaEnd* end,
                                       const double* components, double* direction,
                                       VidaError* error);

/* Orthonormal directions in the axes of an end. In space e[2] is the axis, and e[0] and e[1] are
 * orthogonal to it. In the plane e[0] is the axis, e[1] points to its left, and e[2] is not used.
 * Functions that use them fail with VIDA_BAD_ARGUMENT for directions that are not orthonormal
 * within 1e-10, or left-handed. */
typedef struct VidaTriad {
  double e[3][3]; /* three unit vectors, by rows */
} VidaTriad;

/* Computes one triad for each of two ends. At the start both triads coincide in space, and their
 * axis is `axis` (dimension, in space, of any length but 0). If a body has directors or does not
 * move, sets `principal` of its end and transforms its place. Fails with VIDA_BAD_ARGUMENT if an
 * end has no orientation about the axis, and if the initial position of a body is a guess or
 * computed from the constraints. */
VIDA_API int VidaSystem_TriadsAlong(const VidaSystem* system, VidaEnd ends[2], const double* axis,
                                    VidaTriad triads[2], VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
