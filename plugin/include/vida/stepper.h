/* One method at work on one system: z_n -> z_{n+1} with a fixed step h, or, of adaptive methods,
 * over a fixed interval h in steps of their own.
 *
 * Everything is allocated by Create; Start and Step allocate nothing. A stepper may be used by one
 * thread at a time and has no state outside itself. Times are t0 + k h, never a running sum. */
#ifndef VIDA_STEPPER_H
#define VIDA_STEPPER_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/options.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the methods that exist ------------------------------------------------------------------ */

/* What a method claims. X(NAME, bit, text); tests measure every claim. */
#define VIDA_CAPABILITY_LIST(X)                                                            \
  X(SYMPLECTIC, 0, "preserves the symplectic form")                                        \
  X(ENERGY, 1, "preserves the energy exactly")                                             \
  X(MOMENTUM, 2, "preserves the momentum maps of linear symmetries")                       \
  X(REVERSIBLE, 3, "is reversible in time")                                                \
  X(POSITION_LEVEL, 4, "keeps the constraints g = 0")                                      \
  X(VELOCITY_LEVEL, 5, "keeps the hidden constraints G v + g_t = 0")                       \
  X(GENERAL_LAGRANGIAN, 6, "takes any Lagrangian L(q,v,t)")                                \
  X(TIME_DEPENDENT, 7, "takes constraints that depend on time")                            \
  X(TWO_POINT_START, 8, "can start from two points")                                       \
  X(NONHOLONOMIC, 9, "takes nonholonomic constraints")                                     \
  X(BE_ONE_SIDED, 10,                                                                      \
    "is one-sided for general Lagrangians and nonholonomic rows: order 1, not reversible") \
  X(ONLY_FREE, 11, "takes systems without constraints only")                               \
  X(POSITION_FORCES, 12, "takes any constant mass matrix and forces f(q,t)")               \
  X(RIGID_BODIES, 13, "takes rigid bodies without joints, as unit quaternions")            \
  X(CONSTANT_MASS, 14, "takes any constant mass matrix, and generalized forces")           \
  X(ADAPTIVE, 15, "can choose its own steps, for a tolerance rtol")                        \
  X(GENERAL_MASS, 16,                                                                      \
    "takes M(q), L quadratic in v; momenta of rotations that change M: to its order only")

/* Bits of what a method claims. */
#define VIDA_CAPABILITY_ENUMERATOR(name, bit, text) VIDA_CAN_##name = 1 << (bit),
typedef enum VidaCapability { VIDA_CAPABILITY_LIST(VIDA_CAPABILITY_ENUMERATOR) } VidaCapability;
#undef VIDA_CAPABILITY_ENUMERATOR

/* What is known of a method without using it. */
typedef struct VidaMethodInfo {
  const char* name;      /* "del-midpoint" */
  const char* title;     /* one line */
  const char* equation;  /* where it comes from */
  const char* limits;    /* restrictions on the step and on the system, in words */
  int order;             /* of positions, on constrained systems, with the default options */
  unsigned capabilities; /* of VidaCapability */
} VidaMethodInfo;

/* How many methods there are; one by its number, NULL outside 0 .. count - 1; one by its name, NULL
 * when there is none. */
int Vida_MethodCount(void);
const VidaMethodInfo* Vida_MethodInfo(int index);
const VidaMethodInfo* Vida_FindMethod(const char* name);
/* The order that a method has with these options (its `stages` count); 0 when they are not those of
 * a method. */
int Vida_MethodOrder(const VidaOptions* options);

/* ---- a stepper ------------------------------------------------------------------------------- */

/* A method at work. */
typedef struct VidaStepper VidaStepper;

/* Of adaptive methods, steps are those that they chose. */
typedef struct VidaStatistics {
  long steps;                /* since the start */
  long rejected_steps;       /* of adaptive methods */
  long newton_iterations;    /* of all steps */
  long residual_evaluations; /* of the equations of a step, or of the right side of an ODE */
  long jacobian_evaluations; /* of their matrix */
  long factorizations;       /* of matrices, where a method counts them; else 0 */
  long singular_passages;    /* see VidaStepper_SingularPassages */
  long forced_steps;         /* of adaptive methods: made shorter to end at a state given out */
} VidaStatistics;

/* Whether a method with these options chooses its own steps: it has a tolerance `rtol`. Then `h` is
 * no more than the interval between the states that it gives out. */
bool Vida_IsAdaptive(const VidaOptions* options);

/* A stepper for a completed system; the method and its options come from `options` (copied; the
 * option `h` must be set). Fails with VIDA_NOT_SUPPORTED and the reason when the method cannot
 * integrate this system; where that is because of the system, the message names the methods that
 * can (each is asked, with its default options and this h). Start may find it, too. Free with
 * VidaStepper_Destroy, before the system. */
int VidaStepper_Create(const VidaSystem* system, const VidaOptions* options, VidaStepper** stepper,
                       VidaError* error);
/* Frees it and sets *stepper to NULL; NULL is allowed. */
void VidaStepper_Destroy(VidaStepper** stepper);

/* Starts at time t0 from consistent positions and velocities (n each); resets the statistics. May
 * be called again at any time. */
int VidaStepper_Start(VidaStepper* stepper, double t0, const double* q, const double* v,
                      VidaError* error);
/* Starts from positions at t0 and t0 + h, as the papers do; the first step is then already made. */
int VidaStepper_StartTwoPoints(VidaStepper* stepper, double t0, const double* q0, const double* q1,
                               VidaError* error);
/* Like Start with another step size, for a last, shorter step. Of rattle-variable it is only the
 * spacing of nodes: the density of its own steps, and their step h, stay. */
int VidaStepper_StartWithStep(VidaStepper* stepper, double t0, double h, const double* q,
                              const double* v, VidaError* error);

/* One step. A jump in time (expression.h, VidaSystem_AddJumpTime) parts it: the method ends a step
 * of its own there, and starts anew. On failure (> 0) the state is what it was before, and the
 * message names the worst row. A step also fails where a constraint jumps on its way (flag
 * CONSTRAINT_JUMPS), or is violated at its end: by more than rounding where the method claims to
 * keep it (CONSTRAINT_VIOLATED), else by more than the size of what it compares (UNBOUNDED). */
int VidaStepper_Step(VidaStepper* stepper, VidaError* error);

/* Whom to ask during steps whether to go on; `ask` NULL: nobody. It is called at least once in each
 * step, between the method's own steps and in the iterations of Newton's method, so it should be
 * cheap; it may not use the stepper. It returns 0, or what the step fails with: VIDA_STOPPED, or
 * another negative code. The state is then what it was before the step, the message says how far
 * the method's own steps had come, and the stepper can make that step again. */
int VidaStepper_SetInterrupt(VidaStepper* stepper, int (*ask)(void* data), void* data,
                             VidaError* error);

/* The time of the node (s), the step h (s), how many nodes there were since the start, and the
 * system. */
double VidaStepper_Time(const VidaStepper* stepper);
double VidaStepper_StepSize(const VidaStepper* stepper);
long VidaStepper_StepCount(const VidaStepper* stepper);
const VidaSystem* VidaStepper_System(const VidaStepper* stepper);
/* Positions q_n, and the conjugate momenta p_n that the method carries (n each, valid until the
 * next step). */
const double* VidaStepper_Positions(const VidaStepper* stepper);
const double* VidaStepper_Momenta(const VidaStepper* stepper);
/* v (n): the velocity at the node. Of variational methods the projected one (G v + g_t = 0), of
 * energy-momentum methods M^-1 p. */
int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error);
/* The newest multipliers (m) in units of force, and the time they belong to, which is a node or the
 * middle of a step; NaN before the first step. Methods whose steps have none find them here, from
 * the equations of motion at the node. *t is nullable. */
const double* VidaStepper_Multipliers(VidaStepper* stepper, double* t);
/* Whether the rows of the constraints were independent where the stepper was started. Where some
 * depend on others the motion is the same as without them, but only the sum of their forces has a
 * value: multipliers are then those of least norm (each measured by |G_r M^(-1/2)|; of
 * energy-momentum methods, near it). True also where too many constraints meet for the rank to be
 * found. */
bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper);
/* How many rows depended on others, and which (*rows nullable, valid until the next start). */
int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows);
/* The energy v L_v - L: at the node, or as the option `energy` says in the middle of the last step,
 * with its time (*t, nullable). */
int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error);
/* Largest |g| and |G v + g_t| at the node (either nullable). */
int VidaStepper_ConstraintErrors(VidaStepper* stepper, double* position, double* velocity,
                                 VidaError* error);
/* g and G v + g_t by rows (m each, either nullable). */
int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                            VidaError* error);
/* values: the system's observables at the node (VidaSystem_ObservableCount); NaN where one that is
 * not conserved has no value, a square root of a negative number say. */
int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error);
/* How many singular configurations the motion has passed since the start: places in which the
 * constraint Jacobian loses rank, where the branch that the motion goes on along is not determined
 * by the constraints. *t and *constraint (nullable, left alone when there was none): when the first
 * was passed, and a row of it that depends on others there, or whose gradient vanishes. A place
 * that is passed nearer than the steps tell from a singular one counts; the configuration of the
 * start does not. */
long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t, const char** constraint);
/* What was done since the start. */
VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper);

#ifdef __cplusplus
}
#endif
#endif
