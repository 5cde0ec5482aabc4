/* The model: what moves (coordinates), how (terms of the Lagrangian) and what holds it
 * (constraints).
 *
 *     d/dt L_v - L_q = - G(q,t)^T lambda,      g(q,t) = 0,      G = g_q
 *
 * A VidaSystem is built once (Create, Add..., Complete) and immutable afterwards, so one system may
 * be shared by any number of steppers and threads. Units are the user's own, SI names are used in
 * headers of outputs. No absolute threshold on mass, length, time or multiplier is used anywhere.
 *
 * Ownership: names and arrays given to Add... functions are copied; callbacks' user_data is not. */
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

/* A number that may be left to the constraints: initial positions and velocities. */
typedef struct VidaInitial {
  double value;  /* the given value; for a free one the place to start searching from, or NaN */
  bool free;     /* true: to be found from the constraints */
  double branch; /* free ones: < 0 or > 0 asks for the solution on that side, 0 for any */
  /* Of velocities, not free: nobody has given it. It is kept where the constraints allow it with
   * those that are given; else it moves to where they do, as little as possible. */
  bool is_default;
} VidaInitial;

/* A value that is given, one that nobody has given, and one that is to be found, on this side (0:
 * on any). */
VidaInitial VidaInitial_Given(double value);
VidaInitial VidaInitial_Default(double value);
VidaInitial VidaInitial_Free(double branch);

/* An end of a spring or a rod: a particle, or a point fixed in space. */
typedef struct VidaPoint {
  int particle;       /* index of a particle, or VIDA_GROUND */
  double position[3]; /* of a fixed point, first `dimension` components used */
} VidaPoint;
#define VIDA_GROUND (-1) /* the number of no particle: a point fixed in space */

/* A particle, by its number, and a point fixed in space (m), as ends. */
VidaPoint VidaPoint_Particle(int particle);
VidaPoint VidaPoint_Fixed(double x, double y, double z);

/* A point mass, of which the first `dimension` components are used. */
typedef struct VidaParticle {
  const char* name;        /* "upper" */
  double mass;             /* >= 0; 0 where constraints determine its motion */
  VidaInitial position[3]; /* at the start */
  VidaInitial velocity[3]; /* at the start */
} VidaParticle;

/* The potential V of a spring whose ends are apart by d. */
typedef enum VidaSpringLaw {
  VIDA_SPRING_LINEAR, /* V = k s^2 / 2 + k3 s^4 / 4,  s = |d| - l */
  VIDA_SPRING_SQUARED /* V = k (|d|^2 - l^2)^2 / 4 (paper 003, section 4) */
} VidaSpringLaw;

/* A spring without mass. */
typedef struct VidaSpring {
  const char* name;   /* "rubber band" */
  VidaPoint from, to; /* its ends */
  double stiffness;   /* k >= 0 */
  double cubic;       /* k3 >= 0, linear law only */
  double length;      /* l >= 0, the length at rest */
  VidaSpringLaw law;  /* how its force grows */
} VidaSpring;

/* A rod without mass: g = (|d|^2 - l^2) / (2 l), so that its multiplier is the tension (> 0 when
 * pulled) and g is the change of length to first order. */
typedef struct VidaDistance {
  const char* name;   /* of the constraint: "upper rod" */
  VidaPoint from, to; /* its ends */
  double length;      /* l > 0 */
} VidaDistance;

/* A Lagrangian L(q,v,t) of n local coordinates, given by C functions. Each returns 0, > 0 when it
 * cannot be evaluated at this state (a smaller step may help), < 0 to stop. */
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

/* Holonomic constraints g(q,t) = 0 in `rows` rows of n local coordinates, given by C functions. */
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

/* An empty system; particles have `dimension` coordinates (1, 2 or 3). Freed by VidaSystem_Destroy,
 * after every stepper and study that uses it. */
int VidaSystem_Create(const char* name, int dimension, VidaSystem** system, VidaError* error);
/* Frees it and sets *system to NULL; NULL is allowed. */
void VidaSystem_Destroy(VidaSystem** system);

/* Adds a coordinate for use in callbacks; *index (nullable) receives its number. unit: "rad", "".
 */
int VidaSystem_AddCoordinate(VidaSystem* system, const char* name, const char* unit,
                             VidaInitial position, VidaInitial velocity, int* index,
                             VidaError* error);
/* Adds a point mass with coordinates "name.x", ...; *index (nullable) receives the particle's
 * number. */
int VidaSystem_AddParticle(VidaSystem* system, const VidaParticle* particle, int* index,
                           VidaError* error);
/* Uniform gravity g (dimension) acting on every particle, also on those added later. */
int VidaSystem_AddGravity(VidaSystem* system, const double* acceleration, VidaError* error);
/* A spring between two points (the record is copied). */
int VidaSystem_AddSpring(VidaSystem* system, const VidaSpring* spring, VidaError* error);
/* A rod between two points (the record is copied): one constraint row of its name. */
int VidaSystem_AddDistance(VidaSystem* system, const VidaDistance* distance, VidaError* error);
/* A part of the Lagrangian in C functions, of `count` coordinates of the system, which are its
 * local ones in this order. The functions are copied, user_data is handed to them as it is. */
int VidaSystem_AddLagrangian(VidaSystem* system, const char* name, int count,
                             const int* coordinates, const VidaLagrangian* lagrangian,
                             void* user_data, VidaError* error);
/* Constraints in C functions, of `count` coordinates likewise. Rows are named `name`, or, of
 * several, "name (row 1)" and so on. */
int VidaSystem_AddConstraint(VidaSystem* system, const char* name, int rows, int count,
                             const int* coordinates, const VidaConstraint* constraint,
                             void* user_data, VidaError* error);
/* Says how coordinates move with space, so that the momenta of bodies are found, too; particles are
 * points without being told. `coordinates`: as many as the kind needs in this dimension. */
typedef enum VidaMotion {
  VIDA_MOTION_POINT,      /* `dimension` coordinates that translate and rotate */
  VIDA_MOTION_DIRECTION,  /* `dimension` components of a vector, which only rotates */
  VIDA_MOTION_QUATERNION, /* 4, scalar first, dimension 3: from body to space */
  VIDA_MOTION_ANGLE       /* 1, dimension 2: turns with space */
} VidaMotion;
int VidaSystem_AddMotion(VidaSystem* system, VidaMotion kind, const int* coordinates,
                         VidaError* error);
/* Adds a parameter: a number in expressions that may change without deriving anything anew; *index
 * (nullable) receives its number. */
int VidaSystem_AddParameter(VidaSystem* system, const char* name, double value, int* index,
                            VidaError* error);
/* Changes a parameter, also of a complete system; not while a stepper or study of this system is at
 * work. Steppers have to be started anew. */
int VidaSystem_SetParameter(VidaSystem* system, int parameter, double value, VidaError* error);
/* Declares that something in the C functions of the system jumps, or has a kink, at the time t (s):
 * every step ends there, and the motion starts anew from the state. A C function is then called
 * with times strictly before t in the steps that end there, and strictly after it in those that
 * follow. Formulas (expression.h) need no declaration: their conditions of time are found. Any
 * number of times, in any order. */
int VidaSystem_AddJumpTime(VidaSystem* system, double t, VidaError* error);
/* How methods that relax constraints (spook, spook-newton, del-regularized,
 * del-nonholonomic-relaxed; paper 004) treat all rows of one constraint; others do not look at it.
 *   compliance    1 / stiffness (>= 0): g = compliance times the multiplier that holds it, g being
 *                 the row itself. Where that is a length, linear in the positions, it is that of a
 *                 linear spring; the row of a distance is (d^2 - l^2)/(2 l), the stretch s = d - l
 *                 and s^2/(2 l) more, with the force lambda d/l along the rod: its spring hardens,
 *                 so that under a force f it gives 3 f/(2 l stiffness) less than f/stiffness,
 *                 relatively. Of a nonholonomic constraint its mobility: the velocity A v + b over
 *                 that force
 *   damping_time  damper over stiffness (> 0), of holonomic constraints only
 * NaN leaves one to the options of the method. Also for complete systems, as with parameters. Fails
 * with VIDA_UNKNOWN_NAME and the nearest name. */
int VidaSystem_SetRelaxation(VidaSystem* system, const char* constraint, double compliance,
                             double damping_time, VidaError* error);
/* Those of a row; NaN: not set. */
double VidaSystem_ConstraintCompliance(const VidaSystem* system, int row);
double VidaSystem_ConstraintDampingTime(const VidaSystem* system, int row);
/* Checks the whole, builds the sparsity pattern and finds the symmetries; Add... is refused after.
 */
int VidaSystem_Complete(VidaSystem* system, VidaError* error);

/* ---- looking --------------------------------------------------------------------------------- */

/* What it was made of: its name; numbers of coordinates (n), of constraint rows (m, holonomic and
 * nonholonomic ones) and of particles; the dimension of space; names and units of coordinates and
 * rows by their numbers, NULL outside; and numbers by names, -1 where there is none. */
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
/* First coordinate of a particle; its others follow. */
int VidaSystem_ParticleCoordinate(const VidaSystem* system, int particle);

/* Parameters: their number; name and value by number; number by name. */
int VidaSystem_ParameterCount(const VidaSystem* system);
const char* VidaSystem_ParameterName(const VidaSystem* system, int parameter); /* NULL: none */
double VidaSystem_ParameterValue(const VidaSystem* system, int parameter);     /* NaN: none */
int VidaSystem_ParameterIndex(const VidaSystem* system, const char* name);     /* -1: none */

/* Observables (VidaSystem_AddObservable): their number; name, unit, and whether it should be
 * conserved. */
int VidaSystem_ObservableCount(const VidaSystem* system);
const char* VidaSystem_ObservableName(const VidaSystem* system, int index);
const char* VidaSystem_ObservableUnit(const VidaSystem* system, int index);
bool VidaSystem_ObservableIsConserved(const VidaSystem* system, int index);
/* Whether a row is nonholonomic: of velocities only. */
bool VidaSystem_ConstraintIsNonholonomic(const VidaSystem* system, int row);

/* Momentum maps of the symmetries that all terms and constraints share, found by
 * VidaSystem_Complete among translations and rotations ("L_x", ..., "J_z"; a combination is named
 * by its parts). */
int VidaSystem_MomentumCount(const VidaSystem* system);
const char* VidaSystem_MomentumName(const VidaSystem* system, int index);
/* values (MomentumCount): the momentum maps at positions q and conjugate momenta p (n each). */
void VidaSystem_Momentum(const VidaSystem* system, const double* q, const double* p,
                         double* values);

/* ---- initial values -------------------------------------------------------------------------- */

/* How initial values are made consistent. */
typedef struct VidaStartOptions {
  bool adjust; /* true: given values may be moved by more than the tolerance (and it is told) */
  double tolerance; /* largest change of a given value, relative to the largest of its kind */
  const double* positions;  /* n, nullable: in place of the system's own; NaN: its own counts */
  const double* velocities; /* likewise */
} VidaStartOptions;

/* adjust = false, tolerance = 1e-9, values of the system. */
VidaStartOptions VidaStartOptions_Default(void);

#define VIDA_NOTES_SIZE 2048 /* bytes of the notes on a start */

/* Consistent initial values. Free components are found from the constraints, the given ones held;
 * then, if something is still violated, everything moves by as little as possible in the mass norm.
 * A quaternion (VIDA_MOTION_QUATERNION) that `adjust` scales takes its given rates along, so that
 * its angular velocity 2 v q^-1 is what was given. Free components that the constraints leave open
 * are taken nearest to their guess, which the notes tell.
 *   options  NULL for the default
 *   q, v     (n each) receive the result
 *   notes    nullable, VIDA_NOTES_SIZE bytes: lines on what was found, what was changed and by how
 *            much; "" when nothing was
 * Fails with VIDA_INCONSISTENT_START, naming the constraint and its violation, when a given value
 * would move by more than the tolerance and `adjust` is false, or when constraints contradict each
 * other: the message then says which and what is left. Fails with VIDA_NOT_FINITE where a
 * constraint or the energy overflows. */
int VidaSystem_Start(const VidaSystem* system, double t, const VidaStartOptions* options, double* q,
                     double* v, char* notes, VidaError* error);

/* The rank of the constraint Jacobian at (t,q), holonomic and nonholonomic rows alike; rows and
 * columns are scaled by their own sizes, so neither units nor masses matter. Degrees of freedom are
 * n - rank.
 *   rank       receives the number of rows that do not depend on others
 *   dependent  nullable, m: the rows that do, ascending, m - rank of them, then -1. Of rows that
 *              depend on each other the later ones are named.
 * A row whose gradient vanishes depends on nothing, and counts as dependent. Allocates its work
 * space. Fails with VIDA_NOT_SUPPORTED where so many constraints meet in one coordinate that memory
 * does not suffice. */
int VidaSystem_Rank(const VidaSystem* system, double t, const double* q, int* rank, int* dependent,
                    VidaError* error);

/* ---- equations of motion --------------------------------------------------------------------- */

/* Accelerations a (n) and multipliers lambda (m) at (t,q,v) from one solve with the KKT matrix,
 *     L_vv a + G^T lambda = L_q + f - L_vq v - L_vt,    G a = -(v g_qq v + 2 g_qt v + g_tt)
 * (nonholonomic rows likewise, differentiated once). Allocates its work space. Fails with
 * VIDA_STEP_SINGULAR where mass matrix and constraints do not determine a. */
int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q, const double* v,
                             double* a, double* lambda, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
