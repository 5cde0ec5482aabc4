/* Steppers: one method at work on one system, z_n -> z_{n+1}, with a fixed step h. Adaptive methods
 * cover the interval h by steps that they choose.
 *
 * Create allocates everything; Start and Step allocate nothing. A stepper may be used by one thread
 * at a time and has no state outside itself. Times are t0 + k h, not a running sum. */
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

/* Claims and restrictions of methods. X(NAME, bit, text); the audit measures every claim. */
#define VIDA_CAPABILITY_LIST(X)                                                            \
  X(CAN_SYMPLECTIC, 0, "preserves the symplectic form")                                    \
  X(CAN_ENERGY, 1, "preserves the energy exactly")                                         \
  X(CAN_MOMENTUM, 2, "preserves the momentum maps of linear symmetries")                   \
  X(CAN_REVERSIBLE, 3, "is reversible in time")                                            \
  X(CAN_POSITION_LEVEL, 4, "keeps the constraints g = 0")                                  \
  X(CAN_VELOCITY_LEVEL, 5, "keeps the hidden constraints G v + g_t = 0")                   \
  X(CAN_GENERAL_LAGRANGIAN, 6, "takes any Lagrangian L(q,v,t)")                            \
  X(CAN_TIME_DEPENDENT, 7, "takes constraints that depend on time")                        \
  X(CAN_TWO_POINT_START, 8, "can start from two points")                                   \
  X(CAN_NONHOLONOMIC, 9, "takes nonholonomic constraints")                                 \
  X(LIMIT_ONE_SIDED, 10,                                                                   \
    "is one-sided for general Lagrangians and nonholonomic rows: order 1, not reversible") \
  X(LIMIT_UNCONSTRAINED, 11, "takes systems without constraints only")                     \
  X(CAN_POSITION_FORCES, 12, "takes any constant mass matrix and forces f(q,t)")           \
  X(CAN_RIGID_BODIES, 13, "takes rigid bodies without joints, as unit quaternions")        \
  X(CAN_CONSTANT_MASS, 14, "takes any constant mass matrix, and generalized forces")       \
  X(CAN_ADAPTIVE, 15, "can choose its own steps, for a tolerance rtol")                    \
  X(CAN_GENERAL_MASS, 16,                                                                  \
    "takes M(q), L quadratic in v; momenta of rotations that change M: to its order only")

/* Bits of VidaMethodInfo.capabilities: claims (CAN) and restrictions (LIMIT). */
#define VIDA_CAPABILITY_ENUMERATOR(name, bit, text) VIDA_##name = 1 << (bit),
typedef enum VidaCapability { VIDA_CAPABILITY_LIST(VIDA_CAPABILITY_ENUMERATOR) } VidaCapability;
#undef VIDA_CAPABILITY_ENUMERATOR

/* The description of a method. */
typedef struct VidaMethodInfo {
  const char* name;      /* "del-midpoint" */
  const char* title;     /* one line */
  const char* equation;  /* source: paper and equation */
  const char* limits;    /* restrictions on the step and on the system, in words */
  int order;             /* of positions, on constrained systems, with the default options */
  unsigned capabilities; /* bits of VidaCapability */
} VidaMethodInfo;

/* The number of methods; the method of an index, NULL outside 0 .. count - 1; the method of a name,
 * NULL for an unknown name. */
int Vida_MethodCount(void);
const VidaMethodInfo* Vida_MethodInfo(int index);
const VidaMethodInfo* Vida_FindMethod(const char* name);
/* The order of a method with these options (`stages`, `scheme`, ...); 0 when the options are not
 * those of a method. */
int Vida_MethodOrder(const VidaOptions* options);

/* ---- a stepper ------------------------------------------------------------------------------- */

/* A method at work on a system. */
typedef struct VidaStepper VidaStepper;

/* Counts since the start. For adaptive methods, steps are those that the method chose. */
typedef struct VidaStatistics {
  long steps;                /* made */
  long rejected_steps;       /* rejected by the error test of an adaptive method */
  long newton_iterations;    /* of all steps */
  long residual_evaluations; /* of the equations of a step, or of the right-hand side of an ODE */
  long jacobian_evaluations; /* of the matrix of these equations */
  long factorizations;       /* of matrices, where the method counts them; else 0 */
  long singular_passages;    /* see VidaStepper_SingularPassages */
  long forced_steps;         /* steps that an adaptive method shortened to end at an output state */
} VidaStatistics;

/* Whether a method with these options is adaptive, that is, has a tolerance `rtol` and chooses its
 * own steps. `h` is then the interval between output states. */
bool Vida_IsAdaptive(const VidaOptions* options);

/* Creates a stepper for a completed system. `options` (copied) names the method; its option `h`
 * must be set. Fails with VIDA_NOT_SUPPORTED and the reason when the method cannot integrate this
 * system; if the reason lies in the system, the message lists the methods that can, with their
 * default options and this h. Some methods detect it in VidaStepper_Start only. The caller owns
 * *stepper and frees it with VidaStepper_Destroy, before the system. */
int VidaStepper_Create(const VidaSystem* system, const VidaOptions* options, VidaStepper** stepper,
                       VidaError* error);
/* Frees a stepper and sets *stepper to NULL; NULL is allowed. */
void VidaStepper_Destroy(VidaStepper** stepper);

/* Starts at time t0 (s) from consistent positions q and velocities v (n each), and resets the
 * statistics. May be called again at any time. */
int VidaStepper_Start(VidaStepper* stepper, double t0, const double* q, const double* v,
                      VidaError* error);
/* Starts from positions q0 at t0 and q1 at t0 + h (n each), as in the papers; the first step is
 * then made. Fails with VIDA_NOT_SUPPORTED for methods without VIDA_CAN_TWO_POINT_START. */
int VidaStepper_StartTwoPoints(VidaStepper* stepper, double t0, const double* q0, const double* q1,
                               VidaError* error);
/* Starts at time t0 (s) from q and v (n each) with the step h (s) instead of that of the options,
 * for a last, shorter step. For rattle-variable, h is the spacing of the nodes only: its own steps
 * keep their size. */
int VidaStepper_StartWithStep(VidaStepper* stepper, double t0, double h, const double* q,
                              const double* v, VidaError* error);

/* Makes one step. A jump in time (expression.h, VidaSystem_AddJumpTime) splits the step: the method
 * ends a step of its own there and starts anew. On failure (> 0) the state is that before the step,
 * and the message names the row with the largest residual. A step also fails if a constraint jumps
 * during it (flag CONSTRAINT_JUMPS), or is violated at its end: by more than rounding if the method
 * claims to keep it (CONSTRAINT_VIOLATED), otherwise by more than the size of its terms
 * (UNBOUNDED). */
int VidaStepper_Step(VidaStepper* stepper, VidaError* error);

/* Sets a function that can interrupt steps; NULL removes it. `ask` is called with `data` at least
 * once per step, between the method's own steps and in Newton iterations, so it should be cheap; it
 * must not use the stepper. It returns 0 to continue, or a negative code, with which the step
 * fails: VIDA_STOPPED, for example. The state is then that before the step, the message gives the
 * time that the method's own steps had reached, and the step can be repeated. */
int VidaStepper_SetInterrupt(VidaStepper* stepper, int (*ask)(void* data), void* data,
                             VidaError* error);

/* The time of the node (s), the step h (s), the number of steps since the start, and the system. */
double VidaStepper_Time(const VidaStepper* stepper);
double VidaStepper_StepSize(const VidaStepper* stepper);
long VidaStepper_StepCount(const VidaStepper* stepper);
const VidaSystem* VidaStepper_System(const VidaStepper* stepper);
/* Positions q_n and conjugate momenta p_n of the method at the node (n each; they belong to the
 * stepper and are valid until the next step). */
const double* VidaStepper_Positions(const VidaStepper* stepper);
const double* VidaStepper_Momenta(const VidaStepper* stepper);
/* Writes the velocities v (n) at the node: for variational methods the projected ones, with
 * G v + g_t = 0; for energy-momentum methods M^-1 p. */
int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error);
/* The latest multipliers (m, in units of force; they belong to the stepper) and their time *t
 * (nullable), a node or the middle of a step; NaN before the first step. For methods whose steps
 * have no multipliers, this computes them from the equations of motion at the node. */
const double* VidaStepper_Multipliers(VidaStepper* stepper, double* t);
/* Whether the constraint rows were independent at the start. Dependent rows do not change the
 * motion, but only the sum of their forces is determined: the multipliers are then those of least
 * norm, weighted by |G_r M^(-1/2)| (for energy-momentum methods, approximately). Also true if the
 * rank could not be computed because too many constraints meet in one coordinate. */
bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper);
/* Returns the number of rows that depended on others at the start; *rows (nullable) receives their
 * indices, which belong to the stepper and are valid until the next start. */
int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows);
/* Writes the energy v L_v - L and its time *t (s, nullable): at the node, or, with the option
 * energy = "midpoint", in the middle of the last step. */
int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error);
/* Writes the largest |g| and the largest |G v + g_t| at the node (either nullable). */
int VidaStepper_ConstraintErrors(VidaStepper* stepper, double* position, double* velocity,
                                 VidaError* error);
/* Writes g and G v + g_t at the node, by rows (m each, either nullable). */
int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                            VidaError* error);
/* Writes the observables of the system at the node (VidaSystem_ObservableCount values); NaN for one
 * that is not conserved and has no value there, such as a square root of a negative number. */
int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error);
/* Returns the number of singular configurations that the motion has passed since the start. In a
 * singular configuration the constraint Jacobian loses rank, and the constraints do not determine
 * the branch on which the motion continues. *t (s) and *constraint (nullable, unchanged if there
 * was none) receive the time of the first one and the name of a row that depends on others there or
 * has a vanishing gradient. Configurations that the steps cannot distinguish from a singular one
 * count; the configuration of the start does not. */
long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t, const char** constraint);
/* Counts since the start. */
VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper);

#ifdef __cplusplus
}
#endif
#endif
