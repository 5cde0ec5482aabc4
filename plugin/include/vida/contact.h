/* Unilateral contacts: gaps that must not become negative, with restitution and Coulomb friction.
 *
 * A contact does not belong to the constraints of a system: VidaSystem_ConstraintCount does not
 * count it. Methods with VIDA_CAN_CONTACTS solve the laws of contact in their steps. All others
 * stop at impacts and where contacts close, open, stick or slide (event.h): closed contacts are
 * constraints of the steps between. */
#ifndef VIDA_CONTACT_H
#define VIDA_CONTACT_H

#include <stdbool.h>
#include <vida/bodies.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/expression.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest number of components of a slip velocity. */
enum { VIDA_SLIP_MOST = 2 };

/* A contact. Newton's law of impact: the gap's rate after an impact is -e times the one before; the
 * option `impact_law` of methods has others for contacts that are hit at one time. The friction
 * force opposes the slip velocity with at most mu times the normal force. */
typedef struct VidaContact {
  const char* name;   /* "floor" */
  VidaExpression gap; /* g_N(q,t) >= 0, m */
  double restitution; /* e, 0 to 1 */
  double friction;    /* mu >= 0; 0: none */
  int slip_count;     /* components of the slip velocity: 0 (without friction), 1 or 2 */
  VidaExpression slip[VIDA_SLIP_MOST]; /* A(q,t) v + b(q,t), m/s, along orthonormal directions */
} VidaContact;

/* Adds a contact (the record is copied); *index (nullable) receives its index, 0 for the first one.
 * Fails with VIDA_BAD_ARGUMENT, and names the contact, for a gap that depends on a rate or on no
 * position, for a slip velocity that is not linear in the rates or contains none, for friction
 * without slip velocity, for a restitution outside 0 .. 1, for friction that is negative or not
 * finite, and for the name of another contact or of a constraint; with VIDA_WRONG_ORDER if the
 * system is complete. */
VIDA_API int VidaSystem_AddContact(VidaSystem* system, const VidaContact* contact, int* index,
                                   VidaError* error);

/* A sphere about a point of a body or about a particle, in the plane a disc, above a plane that is
 * fixed in space, in the plane a line. Radius 0 is the point itself. The slip velocity is that of
 * the material of the body at the contact; the sphere about a particle does not turn. */
typedef struct VidaPlaneContact {
  const char* name;   /* "floor" */
  VidaEnd end;        /* the centre: a point of a body, or a particle */
  double radius;      /* >= 0, m */
  double normal[3];   /* unit normal of the plane, towards the side of the centre */
  double height;      /* the plane has the points r with normal . r = height, m */
  double restitution; /* 0 to 1 */
  double friction;    /* >= 0 */
} VidaPlaneContact;

/* Two such spheres, of which the second may be about a fixed point. */
typedef struct VidaSphereContact {
  const char* name;   /* "balls" */
  VidaEnd ends[2];    /* their centres */
  double radii[2];    /* >= 0, not both 0, m */
  double restitution; /* 0 to 1 */
  double friction;    /* >= 0 */
} VidaSphereContact;

/* Add a contact (the record is copied) whose rows are derived once for all contacts of its kind;
 * *index (nullable) receives its index. Fail with VIDA_BAD_ARGUMENT as VidaSystem_AddContact does,
 * for a radius that is negative or not finite, for a normal whose length is not 1 within 1e-10, if
 * both ends are on one body, if neither moves, and in dimension 1. */
VIDA_API int VidaSystem_AddPlaneContact(VidaSystem* system, const VidaPlaneContact* contact,
                                        int* index, VidaError* error);
VIDA_API int VidaSystem_AddSphereContact(VidaSystem* system, const VidaSphereContact* contact,
                                         int* index, VidaError* error);

/* A curve or a surface that is fixed in the first end, and on one side of which the point of the
 * second end stays. It is given by a formula that vanishes on it and is positive on that side:
 * y - x^2 above a parabola, 1 - x^2 - y^2 inside of a circle. Its variables are the components of
 * the point (VidaSystem_CurvePoint) relative to the place of the first end, in the axes of the
 * first end; it may depend on time, parameters and coordinates as well. The gap is the formula f
 * divided by a length that is |f'| near the curve: to first order the distance. The slip velocity
 * is that of the point relative to the first end, along the curve. */
typedef struct VidaCurveContact {
  const char* name;       /* "bowl" */
  VidaEnd ends[2];        /* the first is a body or the ground */
  VidaExpression formula; /* of any unit, with a gradient that does not vanish on the curve */
  double restitution;     /* 0 to 1 */
  double friction;        /* >= 0 */
} VidaCurveContact;

/* Adds a contact of a point with a curve (the record is copied); *index (nullable) receives its
 * index. Fails with VIDA_BAD_ARGUMENT as VidaSystem_AddContact does, for a first end without
 * orientation, for a formula that does not exist, depends on a rate or not on the point, if both
 * ends are on one body, if neither moves, and in dimension 1. */
VIDA_API int VidaSystem_AddCurveContact(VidaSystem* system, const VidaCurveContact* contact,
                                        int* index, VidaError* error);

/* A holonomic constraint that events engage and release (VidaEvent): a clutch, a coupling, a rope
 * that is cut. */
typedef struct VidaCoupling {
  const char* name;        /* "clutch" */
  const char* unit;        /* of the function, "rad" */
  VidaExpression function; /* g(q,t) */
  bool is_engaged;         /* at the start */
  double strength;         /* it breaks where |lambda| exceeds this value, > 0; INFINITY: never */
} VidaCoupling;

/* Adds a coupling (the record is copied); *index (nullable) receives its index among the contacts.
 * While it is engaged, g keeps the value that it had when it was engaged or at the start. Engaging
 * it removes the rate of g by an impulse along its gradient. Methods with VIDA_CAN_CONTACTS refuse
 * a system with couplings. Fails with VIDA_BAD_ARGUMENT for a function that depends on a rate or on
 * no position, for a strength that is not positive, and for the name of another contact or of a
 * constraint. */
VIDA_API int VidaSystem_AddCoupling(VidaSystem* system, const VidaCoupling* coupling, int* index,
                                    VidaError* error);

/* Returns the number of contacts and couplings. */
VIDA_API int VidaSystem_ContactCount(const VidaSystem* system);
/* Returns the index of the contact with this name; -1 for an unknown name. */
VIDA_API int VidaSystem_ContactIndex(const VidaSystem* system, const char* name);
/* Returns the name of a contact; NULL for an unknown index. It belongs to the system. */
VIDA_API const char* VidaSystem_ContactName(const VidaSystem* system, int contact);
/* Return the restitution and the friction of a contact; NaN for an unknown index. */
VIDA_API double VidaSystem_ContactRestitution(const VidaSystem* system, int contact);
VIDA_API double VidaSystem_ContactFriction(const VidaSystem* system, int contact);
/* Returns the number of components of its slip velocity; 0 for an unknown index. */
VIDA_API int VidaSystem_ContactSlipCount(const VidaSystem* system, int contact);

#ifdef __cplusplus
}
#endif
#endif
