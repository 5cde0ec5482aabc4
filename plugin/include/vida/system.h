/* Mechanical systems: coordinates, terms of the Lagrangian, forces and constraints.
 *
 *     d/dt L_v - L_q = f(q,v,t) - G(q,t)^T lambda,      g(q,t) = 0,      G = g_q
 *
 * For a nonholonomic row, A(q,t) v + b(q,t) = 0 (expression.h), the row of G is A. A VidaSystem is
 * built once (Create, Add..., Complete). Afterwards it is immutable, except for
 * VidaSystem_SetParameter and VidaSystem_SetRelaxation, and any number of steppers and threads may
 * share it. Any consistent units may be used; comments and outputs name SI units. The library has
 * no absolute threshold on a mass, length, time or multiplier.
 *
 * In this file n is the number of coordinates of the system (in callbacks: of local coordinates)
 * and m the number of constraint rows. Add... functions copy names, records and arrays. They do not
 * copy the user_data of callbacks, which must live as long as the system. After VidaSystem_Complete
 * they fail with VIDA_WRONG_ORDER. */
#ifndef VIDA_SYSTEM_H
#define VIDA_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mechanical system. */
typedef struct VidaSystem VidaSystem;

/* An initial position or velocity. */
typedef struct VidaInitial {
  double value;  /* the value; if `free`, the initial guess, or NaN */
  bool free;     /* computed from the constraints */
  double branch; /* if `free`: < 0 the smallest solution, > 0 the largest, 0 any solution */
  /* A velocity that the user has not set. It keeps its value if the constraints and the given
   * values allow it; otherwise it changes as little as possible. */
  bool is_default;
} VidaInitial;

/* Returns an initial value that is held at `value`. */
VIDA_API VidaInitial VidaInitial_Given(double value);
/* Returns a default initial velocity (is_default), which changes only if the constraints require
 * it. */
VIDA_API VidaInitial VidaInitial_Default(double value);
/* Returns an initial value that is computed from the constraints. `branch` < 0 selects the smallest
 * solution, > 0 the largest, 0 any solution. */
VIDA_API VidaInitial VidaInitial_Free(double branch);

/* An end of a spring or a rod: a particle, or a point fixed in space. */
typedef struct VidaPoint {
  int particle;       /* index of a particle, or VIDA_GROUND */
  double position[3]; /* of a fixed point, m; the first `dimension` components are used */
} VidaPoint;
#define VIDA_GROUND (-1) /* in place of the index of a particle: a point fixed in space */

/* Returns the end at the particle with this index. */
VIDA_API VidaPoint VidaPoint_Particle(int particle);
/* Returns the end at a point fixed in space, (x, y, z) in m. */
VIDA_API VidaPoint VidaPoint_Fixed(double x, double y, double z);

/* A point mass. The first `dimension` components of position and velocity are used. */
typedef struct VidaParticle {
  const char* name;        /* "upper" */
  double mass;             /* >= 0, kg; 0 is allowed if constraints determine its motion */
  VidaInitial position[3]; /* initial position, m */
  VidaInitial velocity[3]; /* initial velocity, m/s */
} VidaParticle;

/* The potential V of a spring; d is the vector between its ends. */
typedef enum VidaSpringLaw {
  VIDA_SPRING_LINEAR, /* V = k s^2 / 2 + k3 s^4 / 4,  s = |d| - l */
  VIDA_SPRING_SQUARED /* V = k (|d|^2 - l^2)^2 / 4 (Gonzalez 1999, section 4) */
} VidaSpringLaw;

/* A massless spring. */
typedef struct VidaSpring {
  const char* name;   /* "rubber band" */
  VidaPoint from, to; /* its ends */
  double stiffness;   /* k >= 0, N/m; for VIDA_SPRING_SQUARED N/m^3 */
  double cubic;       /* k3 >= 0, N/m^3; 0 for VIDA_SPRING_SQUARED */
  double length;      /* l >= 0, the rest length, m */
  VidaSpringLaw law;  /* its potential */
} VidaSpring;

/* A massless rod: g = (|d|^2 - l^2) / (2 l) with the vector d between its ends. To first order g is
 * the change of length, and the multiplier is the tension, positive if the rod is pulled. */
typedef struct VidaDistance {
  const char* name;   /* name of the constraint row: "upper rod" */
  VidaPoint from, to; /* its ends */
  double length;      /* l > 0, m */
} VidaDistance;

/* A Lagrangian L(q,v,t) in n local coordinates, given by C functions. Each function returns 0 on
 * success, a positive number if it cannot be evaluated at this state (a smaller step may help), or
 * a negative number to stop. */
typedef struct VidaLagrangian {
  /* Computes L. */
  int (*value)(double t, const double* q, const double* v, double* lagrangian, void* user_data);
  /* Computes l_q = dL/dq and l_v = dL/dv (n each). */
  int (*gradient)(double t, const double* q, const double* v, double* l_q, double* l_v,
                  void* user_data);
  /* Computes the second derivatives l_qq, l_qv, l_vv (n x n each, by rows): entry [i][j] of l_qv is
   * d2L / dq_i dv_j. If NULL, VIDA uses central differences of `gradient`. */
  int (*hessian)(double t, const double* q, const double* v, double* l_qq, double* l_qv,
                 double* l_vv, void* user_data);
} VidaLagrangian;

/* Generalized forces f(q,v,t) on n local coordinates, given by C functions with the return values
 * of VidaLagrangian. Their power f . v changes the energy. */
typedef struct VidaForce {
  /* Computes force (n): f_i acts on coordinate i; N for a length, N m for an angle. */
  int (*value)(double t, const double* q, const double* v, double* force, void* user_data);
  /* Computes the derivatives f_q, f_v (n x n each, by rows): entry [i][j] of f_q is df_i / dq_j. If
   * NULL, VIDA uses central differences of `value`. */
  int (*jacobian)(double t, const double* q, const double* v, double* f_q, double* f_v,
                  void* user_data);
} VidaForce;

/* Holonomic constraints g(q,t) = 0, `rows` rows of n local coordinates, given by C functions with
 * the return values of VidaLagrangian. */
typedef struct VidaConstraint {
  /* Computes g (rows). */
  int (*value)(double t, const double* q, double* g, void* user_data);
  /* Computes the Jacobian (rows x n, by rows): entry [r][j] is dg_r / dq_j. */
  int (*jacobian)(double t, const double* q, double* jacobian, void* user_data);
  /* Computes the curvature (n x n, by rows): entry [i][j] is the sum over r of lambda_r d2g_r /
   * dq_i dq_j. If NULL, VIDA uses central differences of `jacobian`. */
  int (*curvature)(double t, const double* q, const double* lambda, double* curvature,
                   void* user_data);
  /* Computes the explicit time derivatives dg_r/dt (rows). If NULL, g does not depend on t. */
  int (*rate)(double t, const double* q, double* rate, void* user_data);
} VidaConstraint;

/* ---- building -------------------------------------------------------------------------------- */

/* Creates an empty system in space of dimension 1, 2 or 3. The caller owns *system and frees it
 * with VidaSystem_Destroy, after every stepper and study that uses it. */
VIDA_API int VidaSystem_Create(const char* name, int dimension, VidaSystem** system,
                               VidaError* error);
/* Frees a system and sets *system to NULL; NULL is allowed. */
VIDA_API void VidaSystem_Destroy(VidaSystem** system);

/* Adds a coordinate with the unit `unit` ("m", "rad", "") and its initial position and velocity.
 * *index (nullable) receives its index. Fails with VIDA_BAD_ARGUMENT for the name of another
 * coordinate and for given values that are not finite. */
VIDA_API int VidaSystem_AddCoordinate(VidaSystem* system, const char* name, const char* unit,
                                      VidaInitial position, VidaInitial velocity, int* index,
                                      VidaError* error);
/* Adds a point mass and its `dimension` coordinates "name.x", "name.y", "name.z". *index (nullable)
 * receives the index of the particle. Fails with VIDA_BAD_ARGUMENT for a negative mass, for given
 * values that are not finite, and for the name of another particle. */
VIDA_API int VidaSystem_AddParticle(VidaSystem* system, const VidaParticle* particle, int* index,
                                    VidaError* error);
/* Adds a uniform gravitational acceleration (`dimension` components, m/s^2). It acts on all
 * particles, including those that are added later. Fails with VIDA_WRONG_ORDER if the system has
 * gravity already. */
VIDA_API int VidaSystem_AddGravity(VidaSystem* system, const double* acceleration,
                                   VidaError* error);
/* Adds a spring between two points, at least one of them a particle. Fails with VIDA_BAD_ARGUMENT
 * for an end that does not exist, for ends on one particle, for a negative stiffness or length, and
 * for the name of another spring. */
VIDA_API int VidaSystem_AddSpring(VidaSystem* system, const VidaSpring* spring, VidaError* error);
/* Adds a rod between two points, at least one of them a particle: one constraint row with the name
 * of the rod. Fails with VIDA_BAD_ARGUMENT for an end that does not exist, for ends on one
 * particle, for a length that is not positive, and for the name of another row. */
VIDA_API int VidaSystem_AddDistance(VidaSystem* system, const VidaDistance* distance,
                                    VidaError* error);
/* Adds a term of the Lagrangian, given by C functions. Its local coordinate i is the coordinate of
 * the system with the index coordinates[i], for 0 <= i < count. The functions receive user_data.
 * Fails with VIDA_BAD_ARGUMENT without the functions `value` and `gradient`, and for coordinates
 * that are unknown or repeated. */
VIDA_API int VidaSystem_AddLagrangian(VidaSystem* system, const char* name, int count,
                                      const int* coordinates, const VidaLagrangian* lagrangian,
                                      void* user_data, VidaError* error);
/* Adds generalized forces, given by C functions. Their local coordinates are the `count`
 * coordinates of the system with these indices, in this order. The functions receive user_data.
 * Fails with VIDA_BAD_ARGUMENT without the function `value`, and for coordinates that are unknown
 * or repeated. */
VIDA_API int VidaSystem_AddForce(VidaSystem* system, const char* name, int count,
                                 const int* coordinates, const VidaForce* force, void* user_data,
                                 VidaError* error);
/* Adds `rows` holonomic constraint rows, given by C functions. Their local coordinates are the
 * `count` coordinates of the system with these indices, in this order. The functions receive
 * user_data. A single row has the name `name`, several rows "name (row 1)" and so on. Fails with
 * VIDA_BAD_ARGUMENT without the functions `value` and `jacobian`, for coordinates that are unknown
 * or repeated, and for the name of another row. */
VIDA_API int VidaSystem_AddConstraint(VidaSystem* system, const char* name, int rows, int count,
                                      const int* coordinates, const VidaConstraint* constraint,
                                      void* user_data, VidaError* error);
/* Kinds of coordinates by their transformation under translations and rotations of space. */
typedef enum VidaMotion {
  VIDA_MOTION_POINT,      /* `dimension` coordinates of a point, which translates and rotates */
  VIDA_MOTION_DIRECTION,  /* `dimension` components of a vector, which only rotates */
  VIDA_MOTION_QUATERNION, /* 4 components from body to space, scalar first; dimension 3 only */
  VIDA_MOTION_ANGLE       /* 1 angle, to which a rotation adds; dimension 2 only */
} VidaMotion;
/* Declares how coordinates transform under translations and rotations of space. VIDA needs this to
 * find the momentum maps of bodies; particles need no declaration. `coordinates` has the indices of
 * as many coordinates as `kind` requires. Fails with VIDA_BAD_ARGUMENT for an unknown coordinate,
 * and for a kind that the dimension of the system does not have. */
VIDA_API int VidaSystem_AddMotion(VidaSystem* system, VidaMotion kind, const int* coordinates,
                                  VidaError* error);
/* Adds a parameter: a constant of expressions whose value can be changed later. *index (nullable)
 * receives its index. Fails with VIDA_BAD_ARGUMENT for the name of another parameter, and for a
 * value that is not finite. */
VIDA_API int VidaSystem_AddParameter(VidaSystem* system, const char* name, double value, int* index,
                                     VidaError* error);
/* Changes the value of a parameter. The system may be complete, but no stepper or study of it may
 * run; start steppers again afterwards. Fails with VIDA_BAD_ARGUMENT for an unknown index, for a
 * value that is not finite, and for a value that makes a mass negative. */
VIDA_API int VidaSystem_SetParameter(VidaSystem* system, int parameter, double value,
                                     VidaError* error);
/* Declares that a C function of the system has a jump or a kink at the time t (s). Every method
 * ends a step at t and restarts from the state there. A step that ends at t calls C functions only
 * with times before t; a step that begins at t, only with times after t. Formulas (expression.h)
 * need no declaration. Can be called repeatedly, with times in any order. */
VIDA_API int VidaSystem_AddJumpTime(VidaSystem* system, double t, VidaError* error);
/* Sets the compliance and the damping time of all rows of one constraint, for methods that relax
 * constraints (spook, spook-newton, del-regularized, del-nonholonomic-relaxed; Lacoursiere 2007).
 * Other methods ignore them.
 *   compliance    1 / stiffness (>= 0): g = compliance * multiplier. A row that is linear in the
 *                 positions acts as a linear spring. A rod, g = (d^2 - l^2)/(2 l), acts as a
 *                 hardening spring: with the stretch s = d - l, g is s + s^2/(2 l) and the force
 *                 lambda d/l; to second order a force f stretches it by
 *                 (f/stiffness) (1 - 3 f/(2 l stiffness)). For a nonholonomic constraint, the
 *                 compliance is the mobility: the velocity A v + b divided by the multiplier.
 *   damping_time  damping divided by stiffness (> 0); holonomic constraints only
 * NaN keeps the value of the method's option. The system may be complete, but no stepper or study
 * of it may run; start steppers again afterwards. Fails with VIDA_UNKNOWN_NAME for an unknown
 * constraint (the message suggests the nearest name). */
VIDA_API int VidaSystem_SetRelaxation(VidaSystem* system, const char* constraint, double compliance,
                                      double damping_time, VidaError* error);
/* Returns the compliance of a row (VidaSystem_SetRelaxation); NaN if it is not set. */
VIDA_API double VidaSystem_ConstraintCompliance(const VidaSystem* system, int row);
/* Returns the damping time of a row in s (VidaSystem_SetRelaxation); NaN if it is not set. */
VIDA_API double VidaSystem_ConstraintDampingTime(const VidaSystem* system, int row);
/* Completes a system: checks it, builds the sparsity pattern and finds the symmetries. Afterwards
 * nothing can be added. Fails with VIDA_BAD_ARGUMENT for a system without coordinates, and for a
 * coordinate that has no mass and occurs in no constraint. */
VIDA_API int VidaSystem_Complete(VidaSystem* system, VidaError* error);

/* ---- inquiry --------------------------------------------------------------------------------- */

/* Returns the name of the system. */
VIDA_API const char* VidaSystem_Name(const VidaSystem* system);
/* Returns the number n of coordinates. */
VIDA_API int VidaSystem_CoordinateCount(const VidaSystem* system);
/* Returns the number m of constraint rows, holonomic and nonholonomic. */
VIDA_API int VidaSystem_ConstraintCount(const VidaSystem* system);
/* Returns the number of particles. */
VIDA_API int VidaSystem_ParticleCount(const VidaSystem* system);
/* Returns the dimension of space: 1, 2 or 3. */
VIDA_API int VidaSystem_Dimension(const VidaSystem* system);
/* Returns the name of a coordinate ("upper.x"); NULL for an unknown index. */
VIDA_API const char* VidaSystem_CoordinateName(const VidaSystem* system, int coordinate);
/* Returns the unit of a coordinate ("m", "rad", ""); NULL for an unknown index. */
VIDA_API const char* VidaSystem_CoordinateUnit(const VidaSystem* system, int coordinate);
/* Returns the name of a constraint row ("upper rod"); NULL for an unknown index. */
VIDA_API const char* VidaSystem_ConstraintName(const VidaSystem* system, int row);
/* Returns the index of the constraint row with this name; -1 for an unknown name. */
VIDA_API int VidaSystem_ConstraintIndex(const VidaSystem* system, const char* name);
/* Returns the unit of a constraint row ("m", "m/s", ""); NULL for an unknown index. */
VIDA_API const char* VidaSystem_ConstraintUnit(const VidaSystem* system, int row);
/* Returns the index of the coordinate with this name; -1 for an unknown name. */
VIDA_API int VidaSystem_CoordinateIndex(const VidaSystem* system, const char* name);
/* Returns the index of the particle with this name; -1 for an unknown name. */
VIDA_API int VidaSystem_ParticleIndex(const VidaSystem* system, const char* name);
/* Returns the index of the first coordinate of a particle, which its other coordinates follow; -1
 * for an unknown index. */
VIDA_API int VidaSystem_ParticleCoordinate(const VidaSystem* system, int particle);

/* Returns the number of parameters. */
VIDA_API int VidaSystem_ParameterCount(const VidaSystem* system);
/* Returns the name of a parameter; NULL for an unknown index. */
VIDA_API const char* VidaSystem_ParameterName(const VidaSystem* system, int parameter);
/* Returns the value of a parameter; NaN for an unknown index. */
VIDA_API double VidaSystem_ParameterValue(const VidaSystem* system, int parameter);
/* Returns the index of the parameter with this name; -1 for an unknown name. */
VIDA_API int VidaSystem_ParameterIndex(const VidaSystem* system, const char* name);

/* Returns the number of observables (VidaSystem_AddObservable). */
VIDA_API int VidaSystem_ObservableCount(const VidaSystem* system);
/* Returns the name of an observable; NULL for an unknown index. */
VIDA_API const char* VidaSystem_ObservableName(const VidaSystem* system, int index);
/* Returns the unit of an observable; NULL for an unknown index. */
VIDA_API const char* VidaSystem_ObservableUnit(const VidaSystem* system, int index);
/* Returns whether the exact motion conserves an observable. */
VIDA_API bool VidaSystem_ObservableIsConserved(const VidaSystem* system, int index);
/* Returns whether a constraint row is nonholonomic, A(q,t) v + b(q,t) = 0. */
VIDA_API bool VidaSystem_ConstraintIsNonholonomic(const VidaSystem* system, int row);

/* Returns the number of momentum maps of a complete system: those of the translations and rotations
 * under which all its terms and constraints are invariant. */
VIDA_API int VidaSystem_MomentumCount(const VidaSystem* system);
/* Returns the name of a momentum map ("L_x", ..., "J_z", or a combination of these); NULL for an
 * unknown index. */
VIDA_API const char* VidaSystem_MomentumName(const VidaSystem* system, int index);
/* Computes all momentum maps at positions q and conjugate momenta p (n each); `values` has
 * VidaSystem_MomentumCount numbers. */
VIDA_API void VidaSystem_Momentum(const VidaSystem* system, const double* q, const double* p,
                                  double* values);

/* ---- initial values -------------------------------------------------------------------------- */

/* How initial values are made consistent. */
typedef struct VidaStartOptions {
  bool adjust;      /* given values may change by more than the tolerance; the notes report it */
  double tolerance; /* largest change of a given value, relative to the largest of its unit */
  /* n, nullable: initial positions that replace those of the system; NaN keeps the system's */
  const double* positions;
  /* n, nullable: initial velocities that replace those of the system; NaN keeps the system's */
  const double* velocities;
} VidaStartOptions;

/* Returns the default options: adjust = false, tolerance = 1e-9, positions and velocities of the
 * system. */
VIDA_API VidaStartOptions VidaStartOptions_Default(void);

#define VIDA_NOTES_SIZE 2048 /* size of the notes on a start in bytes */

/* Computes consistent initial values at the time t (s). Given components are held, and free
 * components are computed from the constraints. If a constraint is still violated, all components
 * change by as little as possible in the mass norm. Free components that the constraints do not
 * determine take the value nearest to their guess, and the notes report it. If `adjust` scales a
 * quaternion (VIDA_MOTION_QUATERNION), its given rates are scaled with it, which keeps the angular
 * velocity 2 v q^-1.
 *   options  NULL for the defaults
 *   q, v     receive the positions and velocities (n each)
 *   notes    nullable, VIDA_NOTES_SIZE bytes: receives lines with the computed values, and with the
 *            changed values and their changes
 * Fails with VIDA_INCONSISTENT_START if a given value would change by more than the tolerance and
 * `adjust` is false (the message names the constraint and its violation), or if constraints
 * contradict each other (the message names them and the residual); with VIDA_NOT_FINITE if a
 * constraint or the energy overflows. */
VIDA_API int VidaSystem_Start(const VidaSystem* system, double t, const VidaStartOptions* options,
                              double* q, double* v, char* notes, VidaError* error);

/* Computes the rank of the constraint Jacobian (holonomic and nonholonomic rows) at (t,q). Rows and
 * columns are scaled by their own sizes, so units and masses do not matter. The system has n - rank
 * degrees of freedom.
 *   rank       receives the number of independent rows
 *   dependent  nullable, m: receives the ascending indices of the m - rank dependent rows, then -1.
 *              Of rows that depend on each other, the later ones count as dependent. A row with a
 *              vanishing gradient counts as dependent.
 * Allocates its work space. Fails with VIDA_NOT_SUPPORTED if one coordinate occurs in so many
 * constraints that memory does not suffice. */
VIDA_API int VidaSystem_Rank(const VidaSystem* system, double t, const double* q, int* rank,
                             int* dependent, VidaError* error);

/* ---- equations of motion --------------------------------------------------------------------- */

/* Computes accelerations a (n) and multipliers lambda (m) at (t,q,v) with q, v (n each) from the
 * equations of motion,
 *     L_vv a + G^T lambda = L_q + f - L_vq v - L_vt,    G a = -(v^T g_qq v + 2 g_qt v + g_tt),
 * in which holonomic rows are differentiated twice and nonholonomic rows once. Allocates its work
 * space. Fails with VIDA_STEP_SINGULAR if the mass matrix and the constraints do not determine a.
 */
VIDA_API int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q,
                                      const double* v, double* a, double* lambda, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
