/* Steppers. A stepper applies one method to one system, with a fixed step h. An adaptive method
 * chooses its own steps within each interval h.
 *
 * VidaStepper_Create allocates everything; starts and steps allocate nothing, with one exception:
 * where contacts are events (event.h), the first start or step of a stepper with a combination of
 * closed contacts and engaged couplings (a mode) creates the equations of that mode. A stepper has
 * no state outside itself. Only one thread at a time may use it. The time after k steps is t0 + k
 * h, not a running sum. */
#ifndef VIDA_STEPPER_H
#define VIDA_STEPPER_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/options.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- methods --------------------------------------------------------------------------------- */

/* Claims and restrictions of methods; the audit measures every claim. X(NAME, bit, text) */
#define VIDA_CAPABILITY_LIST(X)                                                              \
  X(CAN_SYMPLECTIC, 0, "preserves the symplectic form")                                      \
  X(CAN_ENERGY, 1, "preserves the energy exactly")                                           \
  X(CAN_MOMENTUM, 2, "preserves the momentum maps of linear symmetries")                     \
  X(CAN_REVERSIBLE, 3, "is reversible in time")                                              \
  X(CAN_POSITION_LEVEL, 4, "keeps the constraints g = 0")                                    \
  X(CAN_VELOCITY_LEVEL, 5, "keeps the hidden constraints G v + g_t = 0")                     \
  X(CAN_GENERAL_LAGRANGIAN, 6, "accepts any Lagrangian L(q,v,t)")                            \
  X(CAN_TIME_DEPENDENT, 7, "accepts constraints that depend on time")                        \
  X(CAN_TWO_POINT_START, 8, "can start from two points")                                     \
  X(CAN_NONHOLONOMIC, 9, "accepts nonholonomic constraints")                                 \
  X(LIMIT_ONE_SIDED, 10,                                                                     \
    "is one-sided for general Lagrangians and nonholonomic rows: order 1, not reversible")   \
  X(LIMIT_UNCONSTRAINED, 11, "accepts only systems without constraints")                     \
  X(CAN_POSITION_FORCES, 12, "accepts any constant mass matrix and forces f(q,t)")           \
  X(CAN_RIGID_BODIES, 13, "accepts rigid bodies without joints, as unit quaternions")        \
  X(CAN_CONSTANT_MASS, 14, "accepts any constant mass matrix and generalized forces")        \
  X(CAN_ADAPTIVE, 15, "can choose its own steps, for a tolerance rtol")                      \
  X(CAN_GENERAL_MASS, 16,                                                                    \
    "accepts mass matrices M(q) with L quadratic in v; conserves momenta of rotations that " \
    "change M only to the order of the method")                                              \
  X(CAN_JOINTED_BODIES, 17,                                                                  \
    "accepts rigid bodies as unit quaternions, with joints, and constant masses")            \
  X(CAN_CONTACTS, 18, "solves the laws of contacts in its steps")                            \
  X(CAN_REACTIVE_FORCES, 19, "accepts forces that depend on multipliers")                    \
  X(LIMIT_STEPPED_IMPACTS, 20, "does not find the times of impacts: order 1 across them")    \
  X(LIMIT_RESTARTED, 21, "keeps energy and momenta across events only for separable Lagrangians")

/* Bits of VidaMethodInfo.capabilities: claims (CAN) and restrictions (LIMIT). */
#define VIDA_CAPABILITY_ENUMERATOR(name, bit, text) VIDA_##name = 1 << (bit),
typedef enum VidaCapability { VIDA_CAPABILITY_LIST(VIDA_CAPABILITY_ENUMERATOR) } VidaCapability;
#undef VIDA_CAPABILITY_ENUMERATOR

/* The description of a method. */
typedef struct VidaMethodInfo {
  const char* name;      /* "del-midpoint" */
  const char* title;     /* one line */
  const char* equation;  /* source: paper and equation */
  const char* limits;    /* restrictions on the step and on the system, as a text */
  int order;             /* order of positions on constrained systems with the default options */
  unsigned capabilities; /* bits of VidaCapability */
} VidaMethodInfo;

/* What to try if constraint violations grow, besides a smaller step or rtol. */
typedef struct VidaRemedy {
  const char* option; /* name of an option of the method; NULL: none */
  const char* value;  /* value to which the option should be set; NULL: none */
  const char* method; /* name of another method; NULL: none */
} VidaRemedy;

/* Returns the number of methods, including registered ones. */
VIDA_API int Vida_MethodCount(void);
/* Returns the description of a method; NULL if index is outside 0 .. Vida_MethodCount - 1. */
VIDA_API const VidaMethodInfo* Vida_MethodInfo(int index);
/* Returns the description of the method with this name; NULL for an unknown name. */
VIDA_API const VidaMethodInfo* Vida_FindMethod(const char* name);
/* Returns whether the method takes contacts by time stepping (VIDA_CAN_CONTACTS). All others are
 * event-driven: they end a step at an impact, at an event, and where a contact closes, opens,
 * sticks or slides, and restart there (event.h). */
VIDA_API bool Vida_IsTimeStepping(const VidaMethodInfo* info);
/* Returns the claimed order of positions across impacts of a method whose order is `order`: 1 for
 * VIDA_LIMIT_STEPPED_IMPACTS, else `order`. */
VIDA_API int Vida_OrderAcrossImpacts(const VidaMethodInfo* info, int order);
/* Returns the order of a method with these options (`stages`, `scheme`, ...); 0 for options of a
 * comparison. */
VIDA_API int Vida_MethodOrder(const VidaOptions* options);

/* ---- a stepper ------------------------------------------------------------------------------- */

/* A stepper: one method applied to one system. */
typedef struct VidaStepper VidaStepper;

/* Counts since the start. The steps of an adaptive method are those that it chooses. */
typedef struct VidaStatistics {
  long steps;                /* completed steps */
  long rejected_steps;       /* steps rejected by the error test of an adaptive method */
  long newton_iterations;    /* Newton iterations of all steps */
  long residual_evaluations; /* evaluations of the step equations, or of the right-hand side */
  long jacobian_evaluations; /* evaluations of the Jacobian of these equations */
  long factorizations;       /* matrix factorizations; 0 if the method does not count them */
  long singular_passages;    /* see VidaStepper_SingularPassages */
  long forced_steps;         /* steps that an adaptive method shortened to end at an output state */
} VidaStatistics;

/* The unknowns for which Newton's method solves the equations of a step, and its matrix. */
typedef struct VidaStepPlan {
  /* "condensed": the multipliers; "general": all unknowns of the method; "simplified": the same,
   * with a matrix that is kept for several steps; "null-space": with the option `reduction` */
  const char* name;
  int unknowns;        /* number of unknowns */
  long entries;        /* entries of the pattern of the matrix */
  long factor_entries; /* entries of its last factors, L and U together; -1: not known */
  const char* solver;  /* what makes the iterations: "newton", a loop of VIDA, or "kinsol" */
  /* Of the last matrix of "null-space", with rows and columns of comparable size: the product of
   * the largest sums of columns of it and its inverse; NaN if it is singular, and for other plans.
   */
  double condition;
} VidaStepPlan;

/* Returns whether a method with these options is adaptive: it then chooses its own steps for the
 * tolerance `rtol`, and `h` is the interval between output states. */
VIDA_API bool Vida_IsAdaptive(const VidaOptions* options);

/* Creates a stepper for a completed system. `options` (copied) are those of the method; `h` must be
 * set. Fails with VIDA_NOT_SUPPORTED if the method cannot integrate this system. The message gives
 * the reason and names methods that accept the system with their default options and this h. Some
 * methods detect this only in VidaStepper_Start. The caller owns *stepper and frees it with
 * VidaStepper_Destroy, before the system. */
VIDA_API int VidaStepper_Create(const VidaSystem* system, const VidaOptions* options,
                                VidaStepper** stepper, VidaError* error);
/* Frees a stepper and sets *stepper to NULL; NULL is allowed. */
VIDA_API void VidaStepper_Destroy(VidaStepper** stepper);

/* Starts at the time t0 (s) from consistent positions q and velocities v (n each), and resets the
 * statistics. Can be called again at any time. Fails with VIDA_INCONSISTENT_START if the method
 * claims or solves g = 0 and q violates a constraint by more than 1e-3 of the size of its terms, or
 * if the method detects another violation by q or v. */
VIDA_API int VidaStepper_Start(VidaStepper* stepper, double t0, const double* q, const double* v,
                               VidaError* error);
/* Starts from the positions q0 at t0 (s) and q1 at t0 + h (n each). The stepper is then at t0 + h
 * and has made one step. Fails with VIDA_NOT_SUPPORTED for methods without
 * VIDA_CAN_TWO_POINT_START. */
VIDA_API int VidaStepper_StartTwoPoints(VidaStepper* stepper, double t0, const double* q0,
                                        const double* q1, VidaError* error);
/* Starts at the time t0 (s) from consistent positions q and velocities v (n each) with the step h
 * (s) instead of the option h, for example for a shorter last step. For rattle-variable, h is only
 * the interval between output states; the size of its own steps does not change. */
VIDA_API int VidaStepper_StartWithStep(VidaStepper* stepper, double t0, double h, const double* q,
                                       const double* v, VidaError* error);

/* Makes one step. A jump in time (expression.h, VidaSystem_AddJumpTime) splits the step: the method
 * ends a step at the jump and restarts there. On failure the state is that before the step, and the
 * message names the row with the largest residual. A step also fails if a constraint jumps during
 * it (flag CONSTRAINT_JUMPS), or is violated at its end: by more than rounding if the method claims
 * to keep the constraint (flag CONSTRAINT_VIOLATED), otherwise by more than the size of its terms
 * (flag UNBOUNDED); if a constraint turns farther in it than a method with this check resolves
 * (flag TURN_TOO_FAR); and if the energy of a conservative system exceeds that of the start by a
 * multiple of its size (flag UNBOUNDED). */
VIDA_API int VidaStepper_Step(VidaStepper* stepper, VidaError* error);
/* Makes `count` steps, with the same results as single ones but less work around each. *made
 * (nullable) receives the number of steps before a failure, if there is one. */
VIDA_API int VidaStepper_Steps(VidaStepper* stepper, long count, long* made, VidaError* error);

/* Sets a function that can interrupt steps; NULL removes it. `ask` is called with `data` in Newton
 * iterations, between the steps that an adaptive method chooses, and at least once per step, or per
 * 16 steps of VidaStepper_Steps. It
 * should be cheap and must not use the stepper. It returns 0 to continue, or a negative code (for
 * example VIDA_STOPPED), which the step then returns. After an interruption the state is that
 * before the step, and the step can be repeated; the message gives the time that an adaptive method
 * had reached. */
VIDA_API int VidaStepper_SetInterrupt(VidaStepper* stepper, int (*ask)(void* data), void* data,
                                      VidaError* error);

/* ---- checkpoints ---- */

/* Saves a stepper that has been started to a file, with its method, its options and all that its
 * next steps depend on. Replaces the file at once: whatever happens meanwhile, it has its old or
 * its new contents. Does not change the stepper. Fails with VIDA_NOT_SUPPORTED for a method without
 * VidaMethod.state and for a linear solver of the program, and with VIDA_INPUT_OUTPUT if the file
 * cannot be written. The interrupt function and the observer of events are not saved, nor what
 * VidaStepper_Evolve (sundials.h) knows of a stop time and of times before the node. */
VIDA_API int VidaStepper_Save(const VidaStepper* stepper, const char* path, VidaError* error);
/* Saves a stepper to memory, likewise. The caller frees *bytes with free(). */
VIDA_API int VidaStepper_SaveBytes(const VidaStepper* stepper, unsigned char** bytes, size_t* size,
                                   VidaError* error);
/* Creates the stepper that VidaStepper_Save has saved. With fixed steps it goes on bit for bit as
 * the saved one does, if VIDA, its compiler and SUNDIALS are the same; methods that choose their
 * steps go on likewise, or from their state with a new history (guide, c.md). `options` (nullable)
 * must then be those of the checkpoint. The caller frees *stepper with VidaStepper_Destroy; it is
 * NULL after a failure. Fails with VIDA_BAD_ARGUMENT, and names what differs, if method, options or
 * system are others; with VIDA_UNKNOWN_NAME if the method is not known; with VIDA_NOT_SUPPORTED if
 * the checkpoint was saved by another version of VIDA; and with VIDA_INPUT_OUTPUT for a file that
 * cannot be read, is truncated or damaged. */
VIDA_API int VidaStepper_Load(const VidaSystem* system, const VidaOptions* options,
                              const char* path, VidaStepper** stepper, VidaError* error);
/* Creates a stepper from memory, likewise. */
VIDA_API int VidaStepper_LoadBytes(const VidaSystem* system, const VidaOptions* options,
                                   const unsigned char* bytes, size_t size, VidaStepper** stepper,
                                   VidaError* error);
/* Returns the options of a stepper, which belong to it. */
VIDA_API const VidaOptions* VidaStepper_Options(const VidaStepper* stepper);

/* Returns the current time in s. */
VIDA_API double VidaStepper_Time(const VidaStepper* stepper);
/* Returns the step h in s. */
VIDA_API double VidaStepper_StepSize(const VidaStepper* stepper);
/* Returns the number of steps of length h since the start. */
VIDA_API long VidaStepper_StepCount(const VidaStepper* stepper);
/* Returns the system that the stepper integrates. */
VIDA_API const VidaSystem* VidaStepper_System(const VidaStepper* stepper);
/* Returns the current positions q (n). They belong to the stepper and are valid until the next step
 * or start. */
VIDA_API const double* VidaStepper_Positions(const VidaStepper* stepper);
/* Returns the current conjugate momenta p (n). They belong to the stepper and are valid until the
 * next step or start. */
VIDA_API const double* VidaStepper_Momenta(const VidaStepper* stepper);
/* Computes the current velocities v (n): for variational methods the velocities projected onto
 * G v + g_t = 0, for energy-momentum methods M^-1 p. */
VIDA_API int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error);
/* Returns the latest multipliers (m, in units of force), which belong to the stepper; NaN before
 * the first step. *t (s, nullable) receives the time to which they belong: a node or the middle of
 * a step. If the steps of the method have no multipliers, computes them from the equations of
 * motion at the current state. */
VIDA_API const double* VidaStepper_Multipliers(VidaStepper* stepper, double* t);
/* Returns whether the constraint rows were independent at the start. Dependent rows do not change
 * the motion, but the equations determine only the sum of their forces; the multipliers are then
 * those of least norm, weighted by |G_r M^(-1/2)| (approximately so for energy-momentum methods).
 * Also returns true if the rank could not be computed because one coordinate occurs in too many
 * constraints. */
VIDA_API bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper);
/* Returns the number of rows that depended on other rows at the start. *rows (nullable) receives
 * their indices, which belong to the stepper and are valid until the next start. */
VIDA_API int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows);
/* Returns the index of the row that nearly depended on other rows at the start; -1 if there was
 * none. *distance (nullable) receives the length of the part of its gradient that is independent of
 * the other rows, relative to the gradient: between 1e-10, below which it is rounding, and 1e-4; or
 * 1. Methods may take such a row as dependent or as a constraint of its own, so that their motions
 * differ. */
VIDA_API int VidaStepper_NearlyDependentRow(const VidaStepper* stepper, double* distance);
/* Computes the energy v L_v - L (J). *t (s, nullable) receives its time: the current time, or, with
 * the option energy = "midpoint", the middle of the last step. */
VIDA_API int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error);
/* Computes the largest |g| and the largest |G v + g_t| at the current state (each nullable). */
VIDA_API int VidaStepper_ConstraintErrors(VidaStepper* stepper, double* position, double* velocity,
                                          VidaError* error);
/* Computes g and G v + g_t at the current state (m values each; each nullable). */
VIDA_API int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                                     VidaError* error);
/* Computes the observables at the current state (VidaSystem_ObservableCount values). An observable
 * that is not conserved and has no value at this state (the square root of a negative number, for
 * example) is NaN. */
VIDA_API int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error);
/* Returns the number of singular configurations that the motion has passed since the start. In a
 * singular configuration the constraint Jacobian loses rank, and the constraints do not determine
 * the branch on which the motion continues. The number includes configurations that the steps
 * cannot distinguish from a singular one, but not the initial configuration. *t (s, nullable)
 * receives the time of the first one, and *constraint (nullable) the name of a row that depends on
 * other rows there or has a vanishing gradient. If there was none, *t and *constraint do not
 * change. */
VIDA_API long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t,
                                           const char** constraint);
/* Returns the energy (J) of the parasitic solutions at the current state: of the waves that a
 * multistep formula adds to the solution of the equations of motion. It estimates, within
 * a factor of a few, the energy that the motion has lost to them for good (with order 6, which it
 * may have gained). It begins at rounding and grows where steps are too large for the motion. NaN
 * for one-step methods and before the first step of the formula. */
VIDA_API double VidaStepper_ParasiticEnergy(const VidaStepper* stepper);
/* Returns the counts of steps, iterations and evaluations since the start. */
VIDA_API VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper);
/* Writes the unknowns of the steps of this motion to *plan. The equations of del-endpoint,
 * del-trapezoidal and rattle are condensed to the multipliers for systems with constant diagonal
 * masses, unless the option `plan` is general, constraints depend on each other, masses differ by
 * too many orders of magnitude, or coordinates have too many constraints; so are corrections of
 * energy-momentum, which otherwise keeps its matrix if masses are constant. A step that this does
 * not solve is solved with all unknowns. Fails with VIDA_WRONG_ORDER before the start, and with
 * VIDA_NOT_SUPPORTED for methods that solve no such equations, or solve them in their own way. */
VIDA_API int VidaStepper_Plan(const VidaStepper* stepper, VidaStepPlan* plan, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
