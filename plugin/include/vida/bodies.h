/* Rigid bodies and rods: mass, inertia and orientation. The centre of mass of a body is a particle
 * of the body's name, so that gravity acts on it; the coordinates of its orientation follow those
 * of the particle.
 *
 * A body is a number, counted from 0 in the order in which bodies are added to a system. Vectors
 * are in SI units of the user's choice; places and directions of a body are in its own axes, with
 * the centre of mass as their origin. */
#ifndef VIDA_BODIES_H
#define VIDA_BODIES_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the rates of an orientation start. */
typedef enum VidaSpin {
  VIDA_SPIN_DEFAULT, /* nobody has given them: zero where the constraints allow it */
  VIDA_SPIN_GIVEN,   /* `angular_velocity` */
  VIDA_SPIN_FREE     /* to be found from the constraints, near `angular_velocity` */
} VidaSpin;

/* A rigid body in the plane: coordinates x, y and "name.angle". */
typedef struct VidaPlaneBody {
  const char* name;        /* "crank" */
  double mass;             /* > 0, kg */
  double inertia;          /* > 0, about the centre of mass, kg m^2 */
  VidaInitial position[2]; /* of the centre of mass at the start, m */
  VidaInitial velocity[2]; /* m/s */
  double angle;            /* of its x axis from that of space, rad */
  double angular_velocity; /* rad/s */
  VidaSpin spin;           /* whether angular_velocity is given */
  bool guess;              /* values of the start are where the search for them begins */
} VidaPlaneBody;

/* A slender rod: the centre and a unit vector u along it, from tail to head, with the kinetic
 * energy I |u'|^2 / 2 and the row l (|u|^2 - 1) / 2 (Lacoursiere 2007, section 6). In space it has
 * no orientation about its axis. */
typedef struct VidaRod {
  const char* name;           /* "rod" */
  double mass;                /* > 0, kg */
  double length;              /* l > 0, m */
  double inertia;             /* I about the centre, kg m^2; 0: m l^2 / 12 of a uniform rod */
  VidaInitial position[3];    /* of the centre at the start, m */
  VidaInitial velocity[3];    /* m/s */
  double direction[3];        /* of u at the start; of any length but 0 */
  double angular_velocity[3]; /* rad/s; in the plane [0] */
  VidaSpin spin;              /* whether angular_velocity is given */
  bool guess;                 /* values of the start are where the search for them begins */
} VidaRod;

/* What the orientation of a body in space is made of. */
typedef enum VidaOrientation {
  VIDA_ORIENTATION_QUATERNION, /* q, scalar first, from body to space: 1 row */
  VIDA_ORIENTATION_DIRECTORS   /* unit vectors along principal axes: a constant mass matrix */
} VidaOrientation;

/* A rigid body in space. */
typedef struct VidaRigidBody {
  const char* name;           /* "top" */
  double mass;                /* > 0, kg */
  double inertia[3][3];       /* about the centre of mass, in the axes of the body, kg m^2 */
  VidaInitial position[3];    /* of the centre of mass at the start, m */
  VidaInitial velocity[3];    /* m/s */
  double orientation[4];      /* unit quaternion, scalar first; all 0: that of space */
  double angular_velocity[3]; /* in space, rad/s */
  VidaSpin spin;              /* whether angular_velocity is given */
  VidaOrientation as;         /* its coordinates */
  bool guess;                 /* values of the start are where the search for them begins */
} VidaRigidBody;

/* Add a body (the record is copied); *body (nullable) receives its number. Rows are named
 * "name: direction" of a rod, "name: quaternion", and "name: d1.d1", ... of directors. Fail with
 * VIDA_BAD_ARGUMENT for a wrong dimension of the system, for mass or inertia that is not positive,
 * for principal moments of which one is more than the sum of the others, and for an orientation
 * that is not of norm 1 within 1e-12. */
int VidaSystem_AddPlaneBody(VidaSystem* system, const VidaPlaneBody* given, int* body,
                            VidaError* error);
int VidaSystem_AddRod(VidaSystem* system, const VidaRod* given, int* body, VidaError* error);
int VidaSystem_AddRigidBody(VidaSystem* system, const VidaRigidBody* given, int* body,
                            VidaError* error);

/* Number of bodies; and of one of them its name (NULL: no such body), the particle at its centre of
 * mass (-1: no such body), its first coordinate and how many it has (0: no such body). */
int VidaSystem_BodyCount(const VidaSystem* system);
const char* VidaSystem_BodyName(const VidaSystem* system, int body);
int VidaSystem_BodyParticle(const VidaSystem* system, int body);
int VidaSystem_BodyCoordinate(const VidaSystem* system, int body);
int VidaSystem_BodyCoordinateCount(const VidaSystem* system, int body);
/* The start of a body's coordinates: q and v (BodyCoordinateCount each). false, and nothing is
 * written, where it is to be found or there is no such body. */
bool VidaSystem_BodyStart(const VidaSystem* system, int body, double* q, double* v);

/* Of a body with directors: column i of axes is the principal axis of director i in the axes of the
 * body. false, and nothing is written, for any other. */
bool VidaSystem_BodyAxes(const VidaSystem* system, int body, double axes[3][3]);

/* ---- principal axes -------------------------------------------------------------------------- */

/* Principal moments of a symmetric 3 x 3 matrix, and their axes as columns of a rotation (rows of
 * three numbers), by Jacobi's method. The order is not sorted: a diagonal matrix keeps its own. */
void Vida_PrincipalAxes(const double matrix[3][3], double moments[3], double axes[3][3]);
/* The unit quaternion, scalar first, of a rotation matrix. */
void Vida_QuaternionOfMatrix(const double matrix[3][3], double quaternion[4]);
/* A unit vector across a unit vector of space. */
void Vida_DirectionAcross(const double axis[3], double across[3]);

/* ---- quantities ------------------------------------------------------------------------------ */

/* A number, or a parameter of the system that gives it. */
typedef struct VidaQuantity {
  double value; /* the number */
  int follows;  /* 0: value counts; k > 0: parameter number k - 1 of the system */
} VidaQuantity;

/* A quantity that is a number, and one that is the parameter of this number. */
VidaQuantity VidaQuantity_Number(double value);
VidaQuantity VidaQuantity_Parameter(int parameter);

/* ---- ends of joints and forces --------------------------------------------------------------- */

/* What an end is fixed to. */
typedef enum VidaEndKind {
  VIDA_END_GROUND,   /* a point fixed in space */
  VIDA_END_PARTICLE, /* a particle, which has no orientation */
  VIDA_END_BODY      /* a point fixed in a body */
} VidaEndKind;

/* Where a joint or a force is attached. */
typedef struct VidaEnd {
  VidaEndKind kind; /* what it is fixed to */
  int number;       /* of the particle or the body */
  /* m: of the ground in space; of a body in its axes, from its centre of mass; of a rod in space
   * [0] along it */
  double place[3];
  /* The place is in the axes of the directors, which are principal axes, and so are directions that
   * go with this end; as VidaSystem_EndAt returns it. */
  bool principal;
} VidaEnd;

/* A point fixed in space, a particle, and a point of a body, as ends. */
VidaEnd VidaEnd_Ground(double x, double y, double z);
VidaEnd VidaEnd_Particle(int particle);
VidaEnd VidaEnd_Body(int body, double x, double y, double z);

/* The point of the body that is at the position `at` (dimension, m) at the start; of a rod the
 * nearest one on its axis. Fails with VIDA_BAD_ARGUMENT where the start of the body is to be found
 * or there is no such body. */
int VidaSystem_EndAt(const VidaSystem* system, int body, const double* at, VidaEnd* end,
                     VidaError* error);

/* Three orthonormal directions of the frame of an end: e[2] is the axis, e[0] and e[1] are across
 * it. In the plane e[0] is the axis, e[1] is to its left. */
typedef struct VidaTriad {
  double e[3][3]; /* three unit vectors, by rows */
} VidaTriad;

/* Directions of both ends that are the same in space at the start, with the axis `axis` (dimension,
 * of any length but 0); `ends` are two, `triads` receive them. The ends are marked as principal
 * where that is what the triads are in, and their places turned accordingly. Fails with
 * VIDA_BAD_ARGUMENT where the start of a body is to be found, or an end has no orientation. */
int VidaSystem_TriadsAlong(const VidaSystem* system, VidaEnd ends[2], const double* axis,
                           VidaTriad triads[2], VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
