/* Mechanical systems: coordinates, terms of the Lagrangian, forces and constraints.
 *
 *     d/dt L_v - L_q = - G(q,t)^T lambda,      g(q,t) = 0,      G = g_q
 *
 * A VidaSystem is built once (Create, Add..., Complete) and immutable afterwards, so that any
 * number of steppers and threads may share it. Units are the user's own; headers of outputs use SI
 * names. The library has no absolute threshold on a mass, length, time or multiplier.
 *
 * Below, n is the number of coordinates and m that of constraint rows. Add... functions copy names,
 * records and arrays; they do not copy the user_data of callbacks, which must live as long as the
 * system. They fail with VIDA_WRONG_ORDER after VidaSystem_Complete. */
#ifndef VIDA_SYSTEM_H
#define VIDA_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mechanical system. */
typedef struct VidaSystem VidaSystem;

/* An initial position or velocity. */
typedef struct VidaInitial {
  double value;  /* the given value; of a free one the initial guess, or NaN */
  bool free;     /* true: computed from the constraints */
  double branch; /* of a free one: < 0 or > 0 selects the solution on that side, 0 any solution */
  /* A velocity that is neither free nor given. It keeps its value if the constraints allow it
   * together with the given ones; otherwise it changes as little as possible. */
  bool is_default;
} VidaInitial;

/* Initial values: a given one; a default one (is_default); and a free one with its branch. */
VidaInitial VidaInitial_Given(double value);
VidaInitial VidaInitial_Default(double value);
VidaInitial VidaInitial_Free(double branch);

/* An end of a spring or a rod: a particle, or a point fixed in space. */
typedef struct VidaPoint {
  int particle;       /* index of a particle, or VIDA_GROUND */
  double position[3]; /* of a fixed point, first `dimension` components used */
} VidaPoint;
#define VIDA_GROUND (-1) /* instead of the index of a particle: a point fixed in space */

/* Ends: a particle by its index, and a point fixed in space (m). */
VidaPoint VidaPoint_Particle(int particle);
VidaPoint VidaPoint_Fixed(double x, double y, double z);

/* A point mass. The first `dimension` components of position and velocity are used. */
typedef struct VidaParticle {
  const char* name;        /* "upper" */
  double mass;             /* >= 0; 0 if constraints determine its motion */
  VidaInitial position[3]; /* at the start */
  VidaInitial velocity[3]; /* at the start */
} VidaParticle;

/* The potential V of a spring, a function of the difference d of its ends. */
typedef enum VidaSpringLaw {
  VIDA_SPRING_LINEAR, /* V = k s^2 / 2 + k3 s^4 / 4,  s = |d| - l */
  VIDA_SPRING_SQUARED /* V = k (|d|^2 - l^2)^2 / 4 (Gonzalez 1999, section 4) */
} VidaSpringLaw;

/* A massless spring. */
typedef struct VidaSpring {
  const char* name;   /* "rubber band" */
  VidaPoint from, to; /* its ends */
  double stiffness;   /* k >= 0 */
  double cubic;       /* k3 >= 0, linear law only */
  double length;      /* l >= 0, the length at rest */
  VidaSpringLaw law;  /* its potential */
} VidaSpring;

/* A massless rod: g = (|d|^2 - l^2) / (2 l). g is the change of length to first order, and the
 * multiplier is the tension, > 0 when the rod is pulled. */
typedef struct VidaDistance {
  const char* name;   /* of the constraint: "upper rod" */
  VidaPoint from, to; /* its ends */
  double length;      /* l > 0 */
} VidaDistance;

/* A Lagrangian L(q,v,t) of n local coordinates, given by C functions. A function returns 0 on
 * success, > 0 if it cannot be evaluated at this state (a smaller step may help), < 0 to stop. */
typedef struct VidaLagrangian {
  /* L itself, one number */
  int (*value)(double t, const double* q, const double* v, double* lagrangian, void* user_data);
  /* l_q, l_v (n each): dL/dq and dL/dv */
  int (*gradient)(double t, const double* q, const double* v, double* l_q, double* l_v,
                  void* user_data);
  /* l_qq, l_qv, l_vv (n x n each, row by row): entry [i][j] of l_qv is d2L / dq_i dv_j.
   * Nullable: central differences of `gradient` are used instead. */
  int (*hessian)(double t, const double* q, const double* v, double* l_qq, double* l_qv,
                 double* l_vv, void* user_data);
} VidaLagrangian;

/* Holonomic constraints g(q,t) = 0, `rows` rows of n local coordinates, given by C functions with
 * the return values of VidaLagrangian. */
typedef struct VidaConstraint {
  int (*value)(double t, const double* q, double* g, void* user_data); /* g (rows) */
  /* jacobian (rows x n, row by row): entry [r][j] is dg_r / dq_j */
  int (*jacobian)(double t, const double* q, double* jacobian, void* user_data);
  /* curvature (n x n): sum over r of lambda_r d2g_r / dq_i dq_j.
   * Nullable: central differences of `jacobian` are used instead. */
  int (*curvature)(double t, const double* q, const double* lambda, double* curvature,
                   void* user_data);
  /* rate (rows): the explicit time derivative dg_r/dt. Nullable: g does not depend on t. */
  int (*rate)(double t, const double* q, double* rate, void* user_data);
} VidaConstraint;

/* ---- building -------------------------------------------------------------------------------- */

/* Creates an empty system, whose particles have `dimension` coordinates (1, 2 or 3). The caller
 * owns *system and frees it with VidaSystem_Destroy, after every stepper and study that uses it. */
int VidaSystem_Create(const char* name, int dimension, VidaSystem** system, VidaError* error);
/* Frees a system and sets *system to NULL; NULL is allowed. */
void VidaSystem_Destroy(VidaSystem** system);

/* Adds a coordinate with the unit `unit` ("m", "rad", ""); *index (nullable) receives its index. */
int VidaSystem_AddCoordinate(VidaSystem* system, const char* name, const char* unit,
                             VidaInitial position, VidaInitial velocity, int* index,
                             VidaError* error);
/* Adds a point mass with the coordinates "name.x", ...; *index (nullable) receives the index of the
 * particle. */
int VidaSystem_AddParticle(VidaSystem* system, const VidaParticle* particle, int* index,
                           VidaError* error);
/* Adds a uniform gravitational acceleration (`dimension` components, m/s^2) of every particle, also
 * of those added later. */
int VidaSystem_AddGravity(VidaSystem* system, const double* acceleration, VidaError* error);
/* Adds a spring between two points. */
int VidaSystem_AddSpring(VidaSystem* system, const VidaSpring* spring, VidaError* error);
/* Adds a rod between two points: one constraint row with the name of the rod. */
int VidaSystem_AddDistance(VidaSystem* system, const VidaDistance* distance, VidaError* error);
/* Adds a part of the Lagrangian, given by C functions. Its local coordinates are the `count`
 * coordinates of the system with these indices, in this order. The functions receive user_data. */
int VidaSystem_AddLagrangian(VidaSystem* system, const char* name, int count,
                             const int* coordinates, const VidaLagrangian* lagrangian,
                             void* user_data, VidaError* error);
/* Adds `rows` holonomic constraint rows, given by C functions. Their local coordinates are the
 * `count` coordinates of the system with these indices, in this order. The functions receive
 * user_data. A single row has the name `name`, several rows "name (row 1)" and so on. */
int VidaSystem_AddConstraint(VidaSystem* system, const char* name, int rows, int count,
                             const int* coordinates, const VidaConstraint* constraint,
                             void* user_data, VidaError* error);
/* Declares how coordinates transform under translations and rotations of space, so that the
 * momentum maps of bodies are found. Particles need no declaration. `coordinates` has the indices
 * of as many coordinates as the kind takes in this dimension. */
typedef enum VidaMotion {
  VIDA_MOTION_POINT,      /* `dimension` coordinates that translate and rotate */
  VIDA_MOTION_DIRECTION,  /* `dimension` components of a vector, which only rotates */
  VIDA_MOTION_QUATERNION, /* 4, scalar first, dimension 3: from body to space */
  VIDA_MOTION_ANGLE       /* 1, dimension 2: an angle, to which a rotation adds */
} VidaMotion;
int VidaSystem_AddMotion(VidaSystem* system, VidaMotion kind, const int* coordinates,
                         VidaError* error);
/* Adds a parameter: a number in expressions that may change without a new derivation; *index
 * (nullable) receives its index. */
int VidaSystem_AddParameter(VidaSystem* system, const char* name, double value, int* index,
                            VidaError* error);
/* Changes a parameter, also of a complete system, but not while a stepper or study of this system
 * runs. Steppers must then be started anew. */
int VidaSystem_SetParameter(VidaSystem* system, int parameter, double value, VidaError* error);
/* Declares that a C function of the system jumps, or has a kink, at the time t (s). Every method
 * ends a step there and starts anew from the state. C functions are called with times strictly
 * before t in the steps that end there, and strictly after t in those that follow. Formulas
 * (expression.h) need no declaration. May be called for any number of times, in any order. */
int VidaSystem_AddJumpTime(VidaSystem* system, double t, VidaError* error);
/* Sets the compliance and the damping of all rows of one constraint, for methods that relax
 * constraints (spook, spook-newton, del-regularized, del-nonholonomic-relaxed; Lacoursiere 2007).
 * Other methods ignore them.
 *   compliance    1 / stiffness (>= 0): g = compliance * multiplier. A row that is a length, linear
 *                 in the positions, acts as a linear spring. The row of a distance is
 *                 (d^2 - l^2)/(2 l), the stretch s = d - l plus s^2/(2 l), with the force lambda
 * d/l along the rod: its spring hardens, and under a force f it yields (f/stiffness) (1 - 3 f/(2 l
 * stiffness)) to second order. Of a nonholonomic constraint, the mobility: the velocity A v + b
 * over the multiplier damping_time  damping over stiffness (> 0), of holonomic constraints only NaN
 * leaves a value to the options of the method. Also allowed for complete systems, under the
 * conditions of VidaSystem_SetParameter. Fails with VIDA_UNKNOWN_NAME and the nearest name for an
 * unknown constraint. */
int VidaSystem_SetRelaxation(VidaSystem* system, const char* constraint, double compliance,
                             double damping_time, VidaError* error);
/* The compliance and the damping time of a row (VidaSystem_SetRelaxation); NaN if not set. */
double VidaSystem_ConstraintCompliance(const VidaSystem* system, int row);
double VidaSystem_ConstraintDampingTime(const VidaSystem* system, int row);
/* Completes a system: checks it, builds the sparsity pattern and finds the symmetries. */
int VidaSystem_Complete(VidaSystem* system, VidaError* error);

/* ---- inquiry --------------------------------------------------------------------------------- */

/* The name of a system; the numbers of coordinates (n), of constraint rows (m, holonomic and
 * nonholonomic) and of particles; the dimension of space; names and units of coordinates and rows
 * by their indices, NULL outside the range; and indices by names, -1 for an unknown name. */
const char* VidaSystem_Name(const VidaSystem* system);
int VidaSystem_CoordinateCount(const VidaSystem* system);
int VidaSystem_ConstraintCount(const VidaSystem* system); /* rows */
int VidaSystem_ParticleCount(const VidaSystem* system);
int VidaSystem_Dimension(const VidaSystem* system);
const char* VidaSystem_CoordinateName(const VidaSystem* system, int coordinate);
const char* VidaSystem_CoordinateUnit(const VidaSystem* system, int coordinate);
const char* VidaSystem_ConstraintName(const VidaSystem* system, int row);   /* "upper rod" */
const char* VidaSystem_ConstraintUnit(const VidaSystem* system, int row);   /* of g: "m", "" */
int VidaSystem_CoordinateIndex(const VidaSystem* system, const char* name); /* -1: none */
int VidaSystem_ParticleIndex(const VidaSystem* system, const char* name);   /* -1: none */
/* The index of the first coordinate of a particle; its other coordinates follow. */
int VidaSystem_ParticleCoordinate(const VidaSystem* system, int particle);

/* Parameters: how many; name and value by index; index by name. */
int VidaSystem_ParameterCount(const VidaSystem* system);
const char* VidaSystem_ParameterName(const VidaSystem* system, int parameter); /* NULL: none */
double VidaSystem_ParameterValue(const VidaSystem* system, int parameter);     /* NaN: none */
int VidaSystem_ParameterIndex(const VidaSystem* system, const char* name);     /* -1: none */

/* Observables (VidaSystem_AddObservable): how many; name, unit, and whether it is conserved, by
 * index. */
int VidaSystem_ObservableCount(const VidaSystem* system);
const char* VidaSystem_ObservableName(const VidaSystem* system, int index);
const char* VidaSystem_ObservableUnit(const VidaSystem* system, int index);
bool VidaSystem_ObservableIsConserved(const VidaSystem* system, int index);
/* Whether a row is nonholonomic, A(q,t) v + b(q,t) = 0. */
bool VidaSystem_ConstraintIsNonholonomic(const VidaSystem* system, int row);

/* Momentum maps of the translations and rotations under which all terms and constraints are
 * invariant, found by VidaSystem_Complete: how many, and the name of one ("L_x", ..., "J_z"; that
 * of a combination consists of those of its parts). */
int VidaSystem_MomentumCount(const VidaSystem* system);
const char* VidaSystem_MomentumName(const VidaSystem* system, int index);
/* Writes the momentum maps (values: VidaSystem_MomentumCount) at positions q and conjugate momenta
 * p (n each). */
void VidaSystem_Momentum(const VidaSystem* system, const double* q, const double* p,
                         double* values);

/* ---- initial values -------------------------------------------------------------------------- */

/* How initial values are made consistent. */
typedef struct VidaStartOptions {
  bool adjust;      /* given values may change by more than the tolerance; the notes report it */
  double tolerance; /* largest change of a given value, relative to the largest of its kind */
  const double*
      positions; /* n, nullable: instead of those of the system; NaN: that of the system */
  const double*
      velocities; /* n, nullable: instead of those of the system; NaN: that of the system */
} VidaStartOptions;

/* The defaults: adjust = false, tolerance = 1e-9, positions and velocities of the system. */
VidaStartOptions VidaStartOptions_Default(void);

#define VIDA_NOTES_SIZE 2048 /* bytes of the notes on a start */

/* Computes consistent initial values at the time t (s). Free components are computed from the
 * constraints while the given ones are held; if a constraint is still violated, all components
 * change by as little as possible in the mass norm. If `adjust` scales a quaternion
 * (VIDA_MOTION_QUATERNION), its given rates are scaled with it, so that the angular velocity 2 v
 * q^-1 is the given one. Free components that the constraints do not determine take the value
 * nearest to their guess, and the notes report it. options  NULL for the defaults q, v     (n each)
 * receive the result notes    nullable, VIDA_NOTES_SIZE bytes: receives lines about the values that
 * were computed or changed, and by how much; "" if there are none Fails with
 * VIDA_INCONSISTENT_START if a given value would change by more than the tolerance and `adjust` is
 * false (the message names the constraint and its violation), or if constraints contradict each
 * other (it names them and the residual); with VIDA_NOT_FINITE if a constraint or the energy
 * overflows. */
int VidaSystem_Start(const VidaSystem* system, double t, const VidaStartOptions* options, double* q,
                     double* v, char* notes, VidaError* error);

/* Computes the rank of the constraint Jacobian at (t,q), of holonomic and nonholonomic rows. Rows
 * and columns are scaled by their own sizes, so that neither units nor masses matter. The number of
 * degrees of freedom is n - rank.
 *   rank       receives the number of independent rows
 *   dependent  nullable, m: receives the indices of the m - rank dependent rows, ascending, then
 * -1. Of rows that depend on each other, the later ones count as dependent. A row with a vanishing
 * gradient counts as dependent. Allocates its work space. Fails with VIDA_NOT_SUPPORTED if so many
 * constraints meet in one coordinate that memory does not suffice. */
int VidaSystem_Rank(const VidaSystem* system, double t, const double* q, int* rank, int* dependent,
                    VidaError* error);

/* ---- equations of motion --------------------------------------------------------------------- */

/* Computes accelerations a (n) and multipliers lambda (m) at (t,q,v) (q, v: n each) from one solve
 * with the KKT matrix,
 *     L_vv a + G^T lambda = L_q + f - L_vq v - L_vt,    G a = -(v g_qq v + 2 g_qt v + g_tt)
 * where nonholonomic rows are differentiated once. Allocates its work space. Fails with
 * VIDA_STEP_SINGULAR if mass matrix and constraints do not determine a. */
int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q, const double* v,
                             double* a, double* lambda, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
