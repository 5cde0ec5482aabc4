/* Comparisons: runs of several methods and steps on one system, measured against one reference. */
#ifndef VIDA_STUDY_H
#define VIDA_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/columns.h>
#include <vida/error.h>
#include <vida/event.h>
#include <vida/export.h>
#include <vida/options.h>
#include <vida/stepper.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison. */
typedef struct VidaStudy VidaStudy;

#define VIDA_NAME_SIZE 128    /* size of a name in a row in bytes */
#define VIDA_OPTIONS_SIZE 256 /* size of the options in a row in bytes */

/* ---- remarks --------------------------------------------------------------------------------- */

/* The severity of a remark. */
typedef enum VidaRemarkSeverity {
  VIDA_REMARK_SEVERITY_NOTE,    /* explains how a value was measured, or why it was not */
  VIDA_REMARK_SEVERITY_WARNING, /* the run is "ok", but its numbers are doubtful */
  VIDA_REMARK_SEVERITY_FAILURE  /* the run failed, or was not made */
} VidaRemarkSeverity;

/* The place of a remark in tables and pages. */
typedef enum VidaRemarkPlace {
  VIDA_REMARK_BELOW_ROWS, /* below the table, in a sentence that names the runs */
  VIDA_REMARK_IN_NOTES,   /* once, among the notes of the comparison */
  VIDA_REMARK_AS_MARK     /* a mark beside a number; its text comes last in the column `message` */
} VidaRemarkPlace;

/* All remarks about runs. X(NAME, severity, place, template). A template contains members of
 * VidaRemark: %n is the name, %w the word, %c the count, and %s an "s" unless the count is 1; %Nt,
 * %Na and %Nb are t, a and b with N significant digits (%6t); %r is the remedy (", or rattle"); %%
 * is a percent sign. */
#define VIDA_REMARK_LIST(X)                                                                        \
  X(FAILURE, FAILURE, BELOW_ROWS, "%n")                                                            \
  X(TOO_LATE, FAILURE, BELOW_ROWS, "%n was exceeded before this run began")                        \
  X(SHARED_TIME, NOTE, IN_NOTES, "wall_s was measured while runs were made in parallel")           \
  X(NO_RELATIVE_ERROR, NOTE, BELOW_ROWS, "no relative %w error: its reference is zero")            \
  X(NO_CONFIDENCE, NOTE, BELOW_ROWS,                                                               \
    "no confidence in the drift: fewer than %c states were measured")                              \
  X(ROW_DEPENDS, NOTE, BELOW_ROWS, "multipliers are not unique: %n depends on others")             \
  X(ROWS_DEPEND, NOTE, BELOW_ROWS, "multipliers are not unique: %n depend on others")              \
  X(ROW_NEARLY_DEPENDS, WARNING, BELOW_ROWS,                                                       \
    "constraint '%n' nearly depends on others at the start, but for %2a of its gradient: methods " \
    "may take it as dependent or as a constraint of its own, and then move differently; make it "  \
    "exact, or remove it")                                                                         \
  X(VIOLATION, WARNING, BELOW_ROWS,                                                                \
    "from t = %10t on, constraint '%n' is violated by more than its own size; try a smaller %w%r") \
  X(VIOLATION_OF_PART, WARNING, BELOW_ROWS,                                                        \
    "from t = %10t on, constraint '%n' is violated by more than %3a times its own size; try a "    \
    "smaller %w%r")                                                                                \
  X(VIOLATION_OF_LENGTH, WARNING, BELOW_ROWS,                                                      \
    "from t = %10t on, constraint '%n' is violated by more than %3a times its own length; try a "  \
    "smaller %w%r")                                                                                \
  X(VIOLATION_BY_VELOCITIES, WARNING, BELOW_ROWS,                                                  \
    "from t = %10t on, velocities violate constraint '%n' by more than its own size per step; "    \
    "try a smaller %w%r")                                                                          \
  X(VIOLATION_BY_SPEEDS, WARNING, BELOW_ROWS,                                                      \
    "from t = %10t on, velocities violate constraint '%n' by more than %3a %% of the speeds that " \
    "it relates; try a smaller %w%r; methods that keep the hidden constraints prevent this")       \
  X(ENERGY_FAR, WARNING, BELOW_ROWS,                                                               \
    "from t = %10t on the energy is more than 10 times the initial energy; try a smaller %w")      \
  X(ENERGY_LOST, WARNING, BELOW_ROWS,                                                              \
    "from t = %10t on the energy is too low by %4a J, %3b %% of the largest kinetic energy of "    \
    "the motion, and no work accounts for it; try a smaller %w")                                   \
  X(ENERGY_GAINED, WARNING, BELOW_ROWS,                                                            \
    "from t = %10t on the energy is too high by %4a J, %3b %% of the largest kinetic energy of "   \
    "the motion, and no work accounts for it; try a smaller %w")                                   \
  X(ENERGY_LOST_AT_REST, WARNING, BELOW_ROWS,                                                      \
    "from t = %10t on the energy is too low by %4a J, and no work accounts for it; try a smaller " \
    "%w")                                                                                          \
  X(ENERGY_GAINED_AT_REST, WARNING, BELOW_ROWS,                                                    \
    "from t = %10t on the energy is too high by %4a J, and no work accounts for it; try a "        \
    "smaller %w")                                                                                  \
  X(IMPACT_GAIN, WARNING, BELOW_ROWS,                                                              \
    "from t = %10t on impacts with restitution and friction have raised the energy by %4a J, %3b " \
    "%% of the largest kinetic energy of the motion; try less restitution or friction, or a "      \
    "method with events and impact_law = poisson")                                                 \
  X(PARASITIC, WARNING, BELOW_ROWS,                                                                \
    "from t = %10t on the parasitic solutions of the multistep formula have more than %2a of the " \
    "kinetic energy of the motion, which it does not get back: in long runs energy and momenta "   \
    "drift; try a smaller step, in long runs also a lower order")                                  \
  X(FORCES_PASSED, WARNING, BELOW_ROWS,                                                            \
    "from t = %4t s on steps have missed forces that depend on time, so velocities lack %3a %% "   \
    "of their largest change; %w")                                                                 \
  X(WORK_COARSE, NOTE, BELOW_ROWS,                                                                 \
    "no energy error: there are too few output states to integrate the work done on the system "   \
    "accurately; try a smaller h")                                                                 \
  X(WORK_UNKNOWN, NOTE, BELOW_ROWS,                                                                \
    "no energy error: from t = %6t s on the work done on the system is not known, because the "    \
    "equations of motion do not determine the forces of the drives")                               \
  X(CONTACT_WORK, NOTE, BELOW_ROWS,                                                                \
    "no energy error: the work of friction and of moving ground in contacts, and of impacts in "   \
    "time stepping, is not measured")                                                              \
  X(COMPARED_SOMETIMES, NOTE, BELOW_ROWS, "compared with the reference after every %c steps only") \
  X(COMPARED_AT_END, NOTE, BELOW_ROWS, "compared with the reference at the end only")              \
  X(BELOW_REFERENCE, NOTE, AS_MARK,                                                                \
    "position error is below the reference's own estimated error %2a")                             \
  X(SINGULAR_PASSAGE, WARNING, BELOW_ROWS,                                                         \
    "passed a singular configuration at t = %4t s, where the constraint Jacobian loses rank (row " \
    "'%n'): the constraints do not determine the branch that follows")                             \
  X(SINGULAR_PASSAGES, WARNING, BELOW_ROWS,                                                        \
    "passed %c singular configurations, the first at t = %4t s, where the constraint Jacobian "    \
    "loses rank (row '%n'): the constraints do not determine the branch that follows")             \
  X(VELOCITY_JUMP, NOTE, BELOW_ROWS,                                                               \
    "velocities jump at t = %6t s, because the rate of constraint '%n' jumps")                     \
  X(SWITCHED_FORCE, WARNING, BELOW_ROWS,                                                           \
    "%n jumps where positions or velocities switch it (where, sign, a comparison, an angle that "  \
    "wraps), in %c step%s, first at t = %6t s: steps do not end at such a jump, so every method "  \
    "loses its order there; try a smaller %w, or a smooth formula")                                \
  X(NO_OBSERVABLE, WARNING, BELOW_ROWS,                                                            \
    "observable '%n' has no finite value at %c output state%s, first at t = %6t s: its cells "     \
    "there are empty")                                                                             \
  X(FEWER_REPEATS, NOTE, BELOW_ROWS,                                                               \
    "wall_s is the median of %c repetitions, because %n stopped further ones")                     \
  X(DEFECT_FAILED, NOTE, BELOW_ROWS, "no %w defect: %n")                                           \
  X(NO_SHADOW, NOTE, BELOW_ROWS, "no shadow energy: %w")                                           \
  X(NO_FORM, NOTE, BELOW_ROWS,                                                                     \
    "no symplectic defect: under forces and nonholonomic constraints the exact motion does not "   \
    "preserve the symplectic form")                                                                \
  X(NO_WAY_BACK, NOTE, BELOW_ROWS,                                                                 \
    "no reversibility defect: the system itself is not reversible, because its accelerations "     \
    "depend on the sign of the velocities or on time")                                             \
  X(REFERENCE_FAILED, NOTE, BELOW_ROWS, "no errors: the reference failed")                         \
  X(ENDED_BY_EVENT, NOTE, BELOW_ROWS, "ended by event '%n' at t = %12t s")                         \
  X(OTHER_EVENTS, NOTE, BELOW_ROWS,                                                                \
    "no event error: the run has %c %w%s of '%n', the reference %9a")                              \
  X(EVENTS_DROPPED, NOTE, BELOW_ROWS, "only the times of the first %c events are kept")

/* The kind of a remark. */
#define VIDA_REMARK_ENUMERATOR(name, severity, place, template) VIDA_REMARK_##name,
typedef enum VidaRemarkKind {
  VIDA_REMARK_LIST(VIDA_REMARK_ENUMERATOR) VIDA_REMARK_KINDS
} VidaRemarkKind;
#undef VIDA_REMARK_ENUMERATOR

/* One remark: its kind and the values for its template. Values that the template does not use are
 * 0. */
typedef struct VidaRemark {
  VidaRemarkKind kind; /* its kind */
  int name;            /* offset of the name in VidaRow.names; -1: none */
  const char* word;    /* a string constant; NULL: none */
  double t, a, b;      /* the time in s, and two numbers */
  VidaRemedy remedy;   /* what to try besides a smaller step or rtol */
  long count;          /* number of the things that the remark counts */
} VidaRemark;

/* The description of a kind of remark. */
typedef struct VidaRemarkInfo {
  const char* name;            /* "SINGULAR_PASSAGE" */
  VidaRemarkSeverity severity; /* its severity */
  VidaRemarkPlace place;       /* its place in tables and pages */
  const char* text;            /* its template */
} VidaRemarkInfo;
/* Returns the description of a kind of remark; NULL outside 0 .. VIDA_REMARK_KINDS - 1. */
VIDA_API const VidaRemarkInfo* Vida_RemarkInfo(int kind);

/* Flags: reasons why the numbers of a run are doubtful although it did not fail. */
typedef enum VidaDoubtful {
  VIDA_DOUBTFUL_CONSTRAINTS = 1, /* constraints are violated by too much */
  VIDA_DOUBTFUL_ENERGY = 2       /* the energy changed by too much, and no work accounts for it */
} VidaDoubtful;

/* ---- rows ------------------------------------------------------------------------------------ */

enum { VIDA_MOST_REMARKS = 16 /* the largest number of remarks of a row; more are dropped */ };

#define VIDA_MEMBER_NAME(name) char name[VIDA_NAME_SIZE];
#define VIDA_MEMBER_OPTIONS(name) char name[VIDA_OPTIONS_SIZE];
#define VIDA_MEMBER_FLAG(name) char name[VIDA_FLAG_SIZE];
#define VIDA_MEMBER_MESSAGE(name) char name[VIDA_MESSAGE_SIZE];
#define VIDA_MEMBER_REAL(name) double name;
#define VIDA_MEMBER_COUNT(name) long name;
#define VIDA_ROW_MEMBER(name, type, option, unit, group, title, importance, axis, traits, text) \
  VIDA_MEMBER_##type(name)

/* The result of a run: one member for each column of VIDA_COLUMN_LIST (columns.h), and its remarks,
 * whose texts are in the column `message`. */
typedef struct VidaRow {
  VIDA_COLUMN_LIST(VIDA_ROW_MEMBER)
  long forced_steps;                     /* see VidaStatistics */
  unsigned doubtful;                     /* flags of VidaDoubtful */
  int remark_count;                      /* number of remarks */
  VidaRemark remarks[VIDA_MOST_REMARKS]; /* in the order in which they were made */
  char names[VIDA_MESSAGE_SIZE];         /* names in remarks, each with its NUL */
} VidaRow;

#undef VIDA_MEMBER_NAME
#undef VIDA_MEMBER_OPTIONS
#undef VIDA_MEMBER_FLAG
#undef VIDA_MEMBER_MESSAGE
#undef VIDA_MEMBER_REAL
#undef VIDA_MEMBER_COUNT
#undef VIDA_ROW_MEMBER

/* Writes the text of the remark with this index, truncated to `size` bytes including the NUL; ""
 * for an unknown index. */
VIDA_API void VidaRow_RemarkText(const VidaRow* row, int index, char* text, size_t size);

/* ---- statuses -------------------------------------------------------------------------------- */

/* The outcome of a run. */
typedef enum VidaOutcome {
  VIDA_OUTCOME_FINISHED, /* it reached its end */
  VIDA_OUTCOME_NOT_RUN,  /* it did not begin */
  VIDA_OUTCOME_FAILED    /* it ended early */
} VidaOutcome;

/* The statuses that VIDA defines; any other status is the flag of a SUNDIALS solver.
 * X(name, outcome, doubtful, text): doubtful has flags of VidaDoubtful; text says what the status
 * means and what to try. */
#define VIDA_STATUS_LIST(X)                                                                        \
  X("ok", FINISHED, 0, "the run reached its end")                                                  \
  X("NOT_RUN", NOT_RUN, 0,                                                                         \
    "the run did not begin: the comparison was stopped, or ran out of time")                       \
  X("STOPPED", FAILED, 0, "stopped on request; the row has the results up to then")                \
  X("WALL_LIMIT", FAILED, 0, "the run exceeded wall_limit; allow more time, or take larger steps") \
  X("UNBOUNDED", FAILED, VIDA_DOUBTFUL_CONSTRAINTS | VIDA_DOUBTFUL_ENERGY,                         \
    "the motion has become unbounded; take a smaller step")                                        \
  X("CONSTRAINT_VIOLATED", FAILED, VIDA_DOUBTFUL_CONSTRAINTS | VIDA_DOUBTFUL_ENERGY,               \
    "a constraint that the method claims to keep is violated; take a smaller step")                \
  X("CONSTRAINT_JUMPS", FAILED, 0,                                                                 \
    "a constraint is discontinuous there; write it as a continuous function")                      \
  X("OTHER_BRANCH", FAILED, 0,                                                                     \
    "the step ended on another branch of the constraints; take a smaller step")                    \
  X("TURN_TOO_FAR", FAILED, 0,                                                                     \
    "a constraint turned farther in the step than the method resolves; take a smaller step")       \
  X("ENERGY_GAINED", FAILED, 0,                                                                    \
    "impacts with friction would bring energy; take impact_law = poisson")                         \
  X("CHATTERING", FAILED, 0,                                                                       \
    "events follow each other without end; take moreau-jean or spook for contacts")                \
  X("TOO_MANY_MODES", FAILED, 0,                                                                   \
    "contacts have closed in more ways than max_modes allows; take moreau-jean or spook")          \
  X("TOO_MANY_CONTACTS", FAILED, 0,                                                                \
    "too many contacts touch at one time; take moreau-jean or spook")                              \
  X("ANGLE_WRAPS", FAILED, 0, "a force depends on an angle that wraps; count its turns")           \
  X("RANK_CHANGED", FAILED, 0,                                                                     \
    "rows began or ceased to depend on others; start where they are independent, without "         \
    "reduction")                                                                                   \
  X("SINGULAR_START", FAILED, 0, "the accelerations of the start are not determined")              \
  X("STEP_TOO_SMALL", FAILED, 0, "no step was small enough; take another tolerance or method")     \
  X("TOO_MUCH_WORK", FAILED, 0, "the tolerance needs more steps than are allowed")                 \
  X("STEP_NOT_CONVERGED", FAILED, 0,                                                               \
    "the equations of the step were not solved; take a smaller h")                                 \
  X("STEP_SINGULAR", FAILED, 0, "the matrix of the step is singular")                              \
  X("CALLBACK_RECOVERABLE", FAILED, 0, "a function of the system has no value there")              \
  X("NOT_FINITE", FAILED, 0, "a quantity is not a finite number; take a smaller step")             \
  X("NOT_SUPPORTED", FAILED, 0, "the method does not accept this system; see vida advise")         \
  X("INCONSISTENT_START", FAILED, 0,                                                               \
    "the initial values violate a constraint; correct them, or set adjust_start")

/* A status of runs. */
typedef struct VidaStatus {
  const char* name;    /* "OTHER_BRANCH"; "" for flags of SUNDIALS solvers */
  VidaOutcome outcome; /* outcome of a run with this status */
  unsigned doubtful;   /* flags of VidaDoubtful: what is wrong up to the last state */
  const char* text;    /* what it means, and what to try */
} VidaStatus;
/* Returns the status with this index in VIDA_STATUS_LIST; NULL for an unknown index. */
VIDA_API const VidaStatus* Vida_Status(int index);
/* Returns the status with this name; for a name that is not in VIDA_STATUS_LIST, a failure with the
 * name "". */
VIDA_API const VidaStatus* Vida_FindStatus(const char* name);
/* Returns the outcome of a run; VIDA_OUTCOME_NOT_RUN if row is NULL. */
VIDA_API VidaOutcome VidaRow_Outcome(const VidaRow* row);

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Creates the options of a comparison (time, t0, every, norm, relative, end_step, start_tolerance,
 * ...) with their default values. The caller owns *options and frees it with VidaOptions_Destroy.
 */
VIDA_API int VidaStudy_CreateOptions(VidaOptions** options, VidaError* error);

/* Returns the options of VidaSystem_Start that follow from the options adjust_start and
 * start_tolerance of a comparison; the defaults if `options` is NULL. */
VIDA_API VidaStartOptions VidaStudy_StartOptions(const VidaOptions* options);

/* Creates a comparison on a completed system, which must live longer than the study. `options`
 * (copied) come from VidaStudy_CreateOptions; `time` must be set. The caller owns *study and frees
 * it with VidaStudy_Destroy. Fails with VIDA_WRONG_ORDER for a system that is not complete. */
VIDA_API int VidaStudy_Create(const VidaSystem* system, const VidaOptions* options,
                              VidaStudy** study, VidaError* error);
/* Sets a label, for example "mass=1.5", that distinguishes comparisons on systems of the same name.
 * It is one line (copied, truncated to VIDA_OPTIONS_SIZE bytes) and appears in titles and before
 * the options of all runs. */
VIDA_API int VidaStudy_SetLabel(VidaStudy* study, const char* label, VidaError* error);
/* Returns the label; "" if it is not set. */
VIDA_API const char* VidaStudy_Label(const VidaStudy* study);
/* Frees a comparison and sets *study to NULL; NULL is allowed. */
VIDA_API void VidaStudy_Destroy(VidaStudy** study);

/* Sets the reference against which errors are measured: a run of a method with its options
 * (copied). A comparison has at most one reference. Without a reference these errors are NaN. */
VIDA_API int VidaStudy_SetReference(VidaStudy* study, const VidaOptions* method, VidaError* error);

/* Makes VIDA choose the reference: an explicit Runge-Kutta method of order 6 on the underlying ODE,
 * projected onto the constraints after each step, or Radau IIA if this method does not accept the
 * system or needs too many steps. Both have tight tolerances. A second run with ten times the
 * tolerance estimates the error. */
VIDA_API int VidaStudy_SetAutomaticReference(VidaStudy* study, VidaError* error);

/* A known solution, for example in closed form. */
typedef struct VidaKnownSolution {
  const char* text; /* description for titles: "closed form" */
  /* Computes the state at the time t (s): q and v (n each), lambda (m). All values are NaN on entry
   * and may stay NaN if they are not known, except the positions whose errors are measured. Returns
   * VIDA_SUCCESS, a positive number if there is no state at this time, or a negative number after
   * filling `error`. */
  int (*state)(void* data, double t, double* q, double* v, double* lambda, VidaError* error);
  void* data;   /* argument of `state` */
  double error; /* error of its positions in the norm of the study; NaN: not known */
} VidaKnownSolution;
/* Sets a known solution (copied) as the reference; `data` must live as long as the study. Before
 * the first run, VidaStudy_Run calls `state` for all times at which runs are compared. */
VIDA_API int VidaStudy_SetKnownReference(VidaStudy* study, const VidaKnownSolution* solution,
                                         VidaError* error);
/* Sets the states at `count` times t (s) as the reference: q (count x n), v (count x n, nullable)
 * and lambda (count x m, nullable), all copied. `text` is the description for titles, `own_error`
 * the error of these positions in the norm of the study (NaN: not known). A run is compared at the
 * times that it reaches with whole steps. */
VIDA_API int VidaStudy_SetReferenceStates(VidaStudy* study, const char* text, double own_error,
                                          int count, const double* t, const double* q,
                                          const double* v, const double* lambda, VidaError* error);

/* Adds a run of a method with its options (copied); `h`, or `rtol` for adaptive methods, must be
 * set. Fails with VIDA_STEP_DOES_NOT_FIT if h does not divide the time, or if too few times of the
 * run coincide with times of the reference. With the option start = "two-point", set the reference
 * before this call. */
VIDA_API int VidaStudy_AddRun(VidaStudy* study, const VidaOptions* method, VidaError* error);
/* Adds a run of a method with its options (copied) from other initial values: q and v (n each,
 * nullable, copied) replace those of the system; NaN keeps the value of the system. They are made
 * consistent as if the option `adjust_start` were set. If the reference is a method, the run is
 * compared with a solution of this method from the same start; it is not compared with a known
 * solution. `label` (nullable, copied), for example "x=1 y=2", appears before its options. */
VIDA_API int VidaStudy_AddRunFrom(VidaStudy* study, const VidaOptions* method, const char* label,
                                  const double* q, const double* v, VidaError* error);
/* Restricts position and velocity errors to `count` different coordinates with these indices
 * (copied). Multiplier errors still include all rows. */
VIDA_API int VidaStudy_SelectCoordinates(VidaStudy* study, int count, const int* coordinates,
                                         VidaError* error);

/* ---- columns of trajectories ----------------------------------------------------------------- */

/* The parts of a trajectory, in the order of its columns after t. X(NAME, text, automatic): a part
 * that is not automatic is written only if it is selected. */
#define VIDA_TRAJECTORY_PART_LIST(X)                                                       \
  X(q, "positions", true)                                                                  \
  X(v, "velocities", true)                                                                 \
  X(lambda, "multipliers and their time", true)                                            \
  X(energy, "energy v L_v - L", true)                                                      \
  X(work, "work done on the system since the start, of systems with energy sources", true) \
  X(momenta, "momentum maps", true)                                                        \
  X(g, "residuals of the constraints", true)                                               \
  X(dg, "rates of these residuals", true)                                                  \
  X(observables, "observables", true)                                                      \
  X(shadow, "shadow energy and its time, if they are measured", true)                      \
  X(drawing, "points of the lines of the drawing", false)

/* A part of a trajectory. */
typedef struct VidaTrajectoryPart {
  const char* name; /* "q" */
  const char* text; /* description */
  bool automatic;   /* written if no columns are selected */
} VidaTrajectoryPart;
/* Returns the part with this index in VIDA_TRAJECTORY_PART_LIST; NULL for an unknown index. */
VIDA_API const VidaTrajectoryPart* Vida_TrajectoryPart(int index);

/* Restricts the trajectories that are written to the columns in a list separated by commas: names
 * of parts ("q,v,energy"), "all" for the automatic parts, and names of single columns without their
 * units ("bob.x", "d bob.x/dt"), which follow after the parts. t is always written. Fails with
 * VIDA_UNKNOWN_NAME for an unknown name; the message suggests the nearest one. */
VIDA_API int VidaStudy_SelectColumns(VidaStudy* study, const char* columns, VidaError* error);

/* ---- events ---------------------------------------------------------------------------------- */

enum { VIDA_MOST_EVENTS = 10000 /* of a run, whose times are kept */ };

/* An event of a run. */
typedef struct VidaStudyEvent {
  VidaEventKind kind; /* what has happened */
  int index;          /* of the event or of the contact in the system */
  const char* name;   /* belongs to the system */
  double t;           /* s */
} VidaStudyEvent;
/* Returns the number of events of a run, also of those that are not kept; 0 for an unknown run, and
 * before the run. */
VIDA_API long VidaStudy_EventCount(const VidaStudy* study, int run);
/* Returns how many events of a run are kept: the first ones, at most VIDA_MOST_EVENTS. *events
 * (nullable) receives them in the order of time; they belong to the study, and are valid until the
 * next VidaStudy_Run. */
VIDA_API long VidaStudy_Events(const VidaStudy* study, int run, const VidaStudyEvent** events);

/* ---- observers ------------------------------------------------------------------------------- */

/* A state for output. The arrays are valid only during the call. */
typedef struct VidaSample {
  double t;                         /* time, s */
  const double* q;                  /* n: positions */
  const double* v;                  /* n: velocities */
  const double* multipliers;        /* m; NaN before the first step */
  double multipliers_t;             /* time of the multipliers, s */
  double energy;                    /* v L_v - L, J */
  double work;                      /* done on the system since the start, J; NaN: not known */
  const double* momenta;            /* VidaSystem_MomentumCount values */
  const double* position_residuals; /* m: g */
  const double* velocity_residuals; /* m: G v + g_t */
  const double* observables;        /* VidaSystem_ObservableCount values */
  double shadow_energy;             /* the newest one, J; NaN: not measured */
  double shadow_energy_t;           /* its time, some steps before t, s */
} VidaSample;

#define VIDA_REFERENCE_RUN (-1) /* in place of the index of a run: the reference */
#define VIDA_ALL_RUNS (-2)      /* in place of the index of a run: all runs together */

/* Callbacks during a study; every member is nullable. A nonzero return value stops the study:
 * VidaStudy_Run returns VIDA_STOPPED after `progress`, and the value itself after `begin`, `sample`
 * or `end`, which fill `error`. Parallel runs call them from several threads, but never two at a
 * time. */
typedef struct VidaObserver {
  /* Called when a run begins. `row` has its system, method, options and steps. */
  int (*begin)(void* data, int run, const VidaRow* row, VidaError* error);
  /* Called for the first state of a run, the states after each `every` steps (an option of the
   * comparison), and the last state. */
  int (*sample)(void* data, int run, const VidaSample* sample, VidaError* error);
  /* Called when a run ends, successfully or not. */
  int (*end)(void* data, int run, const VidaRow* row, VidaError* error);
  /* Called about ten times per second with the completed fraction, 0 .. 1, of the work `what`.
   * `run` is VIDA_REFERENCE_RUN for the reference, and VIDA_ALL_RUNS for runs in parallel. */
  int (*progress)(void* data, int run, const char* what, double fraction);
  void* data; /* argument of all callbacks */
  /* Returns whether `sample` is called for this run; runs without samples cost less. NULL: for all
   * runs. */
  bool (*has_samples)(void* data, int run);
} VidaObserver;

/* Returns an estimate of the completed fraction, 0 .. 1, of the whole study from the arguments
 * `run` and `fraction` of the callback `progress`. The runs before `run` have ended. Runs are
 * weighted by their numbers of steps. */
VIDA_API double VidaStudy_Done(const VidaStudy* study, int run, double fraction);

/* Computes the reference and then makes every run; `observer` is nullable. If a run fails, the
 * other runs continue, and the function returns 0. The row of the failed run has its status and the
 * errors of energy, momenta and constraints up to its last state, but no errors against the
 * reference, because these errors refer to the whole time. If the reference fails, the function
 * makes the runs without errors against it, writes the reason to the notes, and returns the code of
 * this failure. */
VIDA_API int VidaStudy_Run(VidaStudy* study, const VidaObserver* observer, VidaError* error);

/* ---- work and precision ---------------------------------------------------------------------- */

/* A series: runs of one method that differ only in their step or tolerance. */
typedef struct VidaSeries {
  const char *method, *options; /* as in rows */
  int count;     /* runs that reached their end with a position error above that of the reference */
  int first;     /* index of one of the runs, for VidaStudy_Row */
  bool adaptive; /* the runs differ in rtol */
  double order;  /* slope of log(position error) in log(h) or log(rtol); NaN: too few runs */
  double interval;      /* half of its 95 % confidence interval; NaN: fewer than three runs */
  double largest_error; /* largest position error; NaN: there is none */
} VidaSeries;

/* Returns the number of series. */
VIDA_API int VidaStudy_SeriesCount(const VidaStudy* study);
/* Writes the series with this index to *series. Its texts belong to the study. Its errors and its
 * order are NaN before VidaStudy_Run. Fails with VIDA_BAD_ARGUMENT for an unknown index. */
VIDA_API int VidaStudy_Series(const VidaStudy* study, int index, VidaSeries* series,
                              VidaError* error);
/* Returns the wall time (s) that a series needs for a position error, interpolated linearly in
 * logarithms between neighbouring runs. If all errors of the series are smaller, returns the time
 * of its cheapest run; if all are larger, NaN. */
VIDA_API double VidaStudy_SecondsFor(const VidaStudy* study, int series, double position_error);
/* Computes the largest and the smallest power of ten in the range of the position errors of all
 * series. Returns false if there are no such errors. */
VIDA_API bool VidaStudy_ErrorRange(const VidaStudy* study, double* largest, double* smallest);

/* ---- over many starts ------------------------------------------------------------------------ */

/* A spread: at least two runs that differ only in their initial values. */
typedef struct VidaSpread {
  const char *method, *options; /* as in rows, without the labels of the starts */
  double h, rtol;               /* as in rows */
  int runs;                     /* number of runs */
  int finished;                 /* number of runs that reached their end */
  int first;                    /* index of one of the runs, for VidaStudy_Row */
} VidaSpread;

/* Tukey's five-number summary of a column over the finished runs of a spread. Quantiles are
 * interpolated linearly between order statistics (definition 7 of Hyndman and Fan 1996). */
typedef struct VidaQuantiles {
  int count;             /* number of runs with a value; if 0, the other members are NaN */
  double minimum;        /* the smallest value */
  double lower_quartile; /* the quantile of 1/4 */
  double median;         /* the quantile of 1/2 */
  double upper_quartile; /* the quantile of 3/4 */
  double maximum;        /* the largest value */
} VidaQuantiles;

/* Returns the number of spreads. */
VIDA_API int VidaStudy_SpreadCount(const VidaStudy* study);
/* Writes the spread with this index to *spread. Its texts belong to the study. Fails with
 * VIDA_BAD_ARGUMENT for an unknown index. */
VIDA_API int VidaStudy_Spread(const VidaStudy* study, int index, VidaSpread* spread,
                              VidaError* error);
/* Computes the five-number summary of a column over the runs of the spread with this index. Fails
 * with VIDA_BAD_ARGUMENT for an unknown index, and for a column whose type is not VIDA_COLUMN_REAL.
 */
VIDA_API int VidaStudy_Quantiles(const VidaStudy* study, int spread, const VidaColumn* column,
                                 VidaQuantiles* quantiles, VidaError* error);

/* Returns whether the study has a column. A study has all columns of Vida_Column, and the optional
 * columns that its options add. */
VIDA_API bool VidaStudy_HasColumn(const VidaStudy* study, const VidaColumn* column);

/* Returns the system of the study. */
VIDA_API const VidaSystem* VidaStudy_System(const VidaStudy* study);
/* Returns the number of runs. */
VIDA_API int VidaStudy_RunCount(const VidaStudy* study);
/* Returns the row of the run with this index; NULL for an unknown index. Before VidaStudy_Run its
 * status is NOT_RUN. */
VIDA_API const VidaRow* VidaStudy_Row(const VidaStudy* study, int run);
/* Finds the consistent initial values of the run with this index. *q and *v receive pointers to n
 * values each, which belong to the study. Returns false before VidaStudy_Run, and if no consistent
 * initial values were found. */
VIDA_API bool VidaStudy_RunStart(const VidaStudy* study, int run, const double** q,
                                 const double** v);
/* Returns whether runs of VidaStudy_AddRunFrom differ in the initial position of this coordinate
 * or, if `rate` is true, in its initial rate. Outputs have a column for each value that differs:
 * "start b.x", "start d b.x/dt". */
VIDA_API bool VidaStudy_StartVaries(const VidaStudy* study, int coordinate, bool rate);
/* Returns the notes on the initial values (those of VidaSystem_Start), on a failed reference and on
 * parallel runs; "" before VidaStudy_Run. */
VIDA_API const char* VidaStudy_Notes(const VidaStudy* study);
/* Writes warnings to `text`, truncated to `size` bytes including the NUL; "" if there are none.
 * They concern runs with too many steps for a reasonable time (if the study has no wall limit) and
 * large files (if `writes`: trajectories will be written). */
VIDA_API void VidaStudy_CostWarnings(const VidaStudy* study, bool writes, char* text, size_t size);
/* Estimates the size of the trajectories of all runs (bytes): 20 bytes for each number in CSV, 8 in
 * HDF5 before compression; 0 with the option trajectories = "none". */
VIDA_API double VidaStudy_TrajectoryBytes(const VidaStudy* study);
/* Returns a description of the reference ("energy-momentum, h = 0.0001 s"; "" without one);
 * *position_error (nullable) receives the estimated error of its positions in the norm of the
 * study, NaN if it was not estimated. */
VIDA_API const char* VidaStudy_Reference(const VidaStudy* study, double* position_error);

#ifdef __cplusplus
}
#endif
#endif
