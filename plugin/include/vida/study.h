/* Comparisons: runs of several methods and steps on one system, measured against one reference. */
#ifndef VIDA_STUDY_H
#define VIDA_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/options.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison. */
typedef struct VidaStudy VidaStudy;

#define VIDA_NAME_SIZE 128    /* bytes of a name in a row */
#define VIDA_OPTIONS_SIZE 256 /* bytes of the options in a row */

/* What columns measure, which decides their units. X(NAME, unit): the unit of a system of points in
 * space, "1" of plain numbers, "" of texts and where systems differ. */
#define VIDA_UNIT_LIST(X)        \
  X(NONE, "")                    \
  X(NUMBER, "1")                 \
  X(TIME, "s")                   \
  X(POSITION, "m")               \
  X(VELOCITY, "m/s")             \
  X(MULTIPLIER, "N")             \
  X(ENERGY, "J")                 \
  X(ENERGY_RATE, "J/s")          \
  X(MOMENTUM, "kg m^2/s")        \
  X(MOMENTUM_RATE, "kg m^2/s^2") \
  X(CONSTRAINT, "m")             \
  X(CONSTRAINT_RATE, "m/s")      \
  X(CONSTRAINT_INTEGRAL, "")

/* What a column measures. */
#define VIDA_UNIT_ENUMERATOR(name, unit) VIDA_UNIT_##name,
typedef enum VidaUnitKind { VIDA_UNIT_LIST(VIDA_UNIT_ENUMERATOR) VIDA_UNIT_KINDS } VidaUnitKind;
#undef VIDA_UNIT_ENUMERATOR

/* What a column is about; tables and plots go through the groups in this order. */
typedef enum VidaColumnGroup {
  VIDA_GROUP_RUN,        /* which run, and how it ended: known without measuring */
  VIDA_GROUP_REFERENCE,  /* errors against the reference */
  VIDA_GROUP_ENERGY,     /* the energy and the work done */
  VIDA_GROUP_DRIFT,      /* fitted slopes and oscillations */
  VIDA_GROUP_MOMENTUM,   /* momentum maps */
  VIDA_GROUP_CONSTRAINT, /* violations of the constraints */
  VIDA_GROUP_STRUCTURE,  /* the symplectic form and reversibility */
  VIDA_GROUP_COST        /* steps, evaluations and time */
} VidaColumnGroup;

/* How outputs treat a column; flags. */
typedef enum VidaColumnTrait {
  VIDA_COLUMN_SMALLER = 1,   /* an error: the smaller, the better */
  VIDA_COLUMN_RELATIVE = 2,  /* of a relative comparison it has no unit */
  VIDA_COLUMN_DRAWN = 4,     /* error plots draw it without being asked */
  VIDA_COLUMN_SPREAD = 8,    /* tables of many starts have its quartiles */
  VIDA_COLUMN_EXCHANGE = 16, /* shown of systems that exchange energy only */
  VIDA_COLUMN_VARIES = 32    /* equal runs differ in it: files are compared without it */
} VidaColumnTrait;

/* All columns, in the order of CSV and JSON. A new column is one row of this list and the line that
 * measures it (VidaRow has a member of its name):
 *   X(name, type, option, unit, group, title, importance, axis, traits, text)
 *   type        NAME, OPTIONS, FLAG, MESSAGE (texts of that size), REAL (double; NaN means "not
 *               measured" and is written as an empty field or null), COUNT (long)
 *   option      of the comparison that asks for the column; "": every comparison has it
 *   unit        of VIDA_UNIT_LIST
 *   group       of VidaColumnGroup
 *   title       in the table for people, which does not show it where it is ""
 *   importance  of columns that do not fit its width, the least important are left out first
 *   axis        title in plots of errors, which do not have it where it is ""
 *   traits      of VidaColumnTrait
 *   text        one phrase for help and documents */
#define VIDA_COLUMN_LIST(X)                                                                        \
  X(system, NAME, "", NONE, RUN, "", 0, "", 0, "the system's name")                                \
  X(method, NAME, "", NONE, RUN, "method", 26, "", 0, "the method's name")                         \
  X(options, OPTIONS, "", NONE, RUN, "options", 16, "", 0, "what the scenario set, as key=value")  \
  X(h, REAL, "", TIME, RUN, "h", 24, "", 0, "step")                                                \
  X(rtol, REAL, "", NUMBER, RUN, "rtol", 24, "", 0, "relative tolerance of adaptive methods")      \
  X(status, FLAG, "", NONE, RUN, "status", 14, "", 0, "ok, or the name of the failure")            \
  X(t_end, REAL, "", TIME, RUN, "", 0, "", 0, "time reached")                                      \
  X(steps, COUNT, "", NUMBER, COST, "steps", 10, "steps", 0, "steps made")                         \
  X(newton_iterations, COUNT, "", NUMBER, COST, "", 0, "Newton iterations", 0,                     \
    "Newton iterations")                                                                           \
  X(residual_evaluations, COUNT, "", NUMBER, COST, "residuals", 14, "evaluations of the residual", \
    0, "evaluations of the residual")                                                              \
  X(jacobian_evaluations, COUNT, "", NUMBER, COST, "", 0, "", 0, "evaluations of its Jacobian")    \
  X(wall_s, REAL, "", TIME, COST, "time", 21, "wall time", VIDA_COLUMN_VARIES,                     \
    "wall time of the steps alone")                                                                \
  X(position_error, REAL, "", POSITION, REFERENCE, "position", 22, "position error",               \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN,                                \
    "positions against the reference")                                                             \
  X(velocity_error, REAL, "", VELOCITY, REFERENCE, "velocity", 10, "velocity error",               \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN,                                \
    "velocities against the reference")                                                            \
  X(multiplier_error, REAL, "", MULTIPLIER, REFERENCE, "multiplier", 2, "multiplier error",        \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN,                                \
    "multipliers against the reference")                                                           \
  X(energy_error, REAL, "", ENERGY, ENERGY, "energy", 20, "energy error",                          \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "energy against that of the start and the work done since")                                    \
  X(energy_drift, REAL, "", ENERGY_RATE, DRIFT, "drift", 6, "|energy drift|",                      \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD, "fitted slope of this difference")                   \
  X(momentum_error, REAL, "", MOMENTUM, MOMENTUM, "momentum", 18, "momentum error",                \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "conserved momentum maps against those of the start")                                          \
  X(constraint_position, REAL, "", CONSTRAINT, CONSTRAINT, "|g|", 8, "largest |g|",                \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD, "largest violation of g = 0")                        \
  X(constraint_velocity, REAL, "", CONSTRAINT_RATE, CONSTRAINT, "|dg/dt|", 4,                      \
    "largest |G v + g_t|", VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD,                               \
    "largest violation of G v + g_t = 0")                                                          \
  X(symplectic_defect, REAL, "", NUMBER, STRUCTURE, "symplectic", 20, "symplectic defect",         \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD, "defect of the symplectic form")                     \
  X(message, MESSAGE, "", NONE, RUN, "", 0, "", VIDA_COLUMN_VARIES,                                \
    "why a run failed and what to try; remarks")                                                   \
  X(energy_change, REAL, "", ENERGY, ENERGY, "energy change", 5, "", VIDA_COLUMN_EXCHANGE,         \
    "energy at the end less that at the start")                                                    \
  X(work, REAL, "", ENERGY, ENERGY, "work", 5, "", VIDA_COLUMN_EXCHANGE,                           \
    "work of forces, dampers, drives and explicit time up to the end")                             \
  X(work_error, REAL, "", ENERGY, ENERGY, "", 0, "", VIDA_COLUMN_SMALLER | VIDA_COLUMN_EXCHANGE,   \
    "estimated error of the integration of this work")                                             \
  X(constraint_integral, REAL, "", CONSTRAINT_INTEGRAL, CONSTRAINT, "integral", 3,                 \
    "largest integral of a row of velocities", VIDA_COLUMN_SMALLER,                                \
    "largest integral over time of a nonholonomic row")                                            \
  X(symplectic_noise, REAL, "symplectic", NUMBER, STRUCTURE, "", 0, "", 0,                         \
    "how uncertain symplectic_defect is")                                                          \
  X(reversibility_defect, REAL, "reversibility", NUMBER, STRUCTURE, "reversal", 20,                \
    "reversibility defect", VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD,                              \
    "distance from the start after steps there and back, of the motion between")                   \
  X(energy_drift_interval, REAL, "drift", ENERGY_RATE, DRIFT, "", 0, "", 0,                        \
    "half the 95 % confidence interval of its drift")                                              \
  X(energy_oscillation, REAL, "drift", ENERGY, DRIFT, "", 0, "oscillation of the energy",          \
    VIDA_COLUMN_SMALLER, "amplitude of the energy about its drift")                                \
  X(momentum_drift, REAL, "drift", MOMENTUM_RATE, DRIFT, "", 0, "|momentum drift|",                \
    VIDA_COLUMN_SMALLER, "fitted slope of the error of momenta")                                   \
  X(momentum_drift_interval, REAL, "drift", MOMENTUM_RATE, DRIFT, "", 0, "", 0,                    \
    "half its 95 % confidence interval")                                                           \
  X(momentum_oscillation, REAL, "drift", MOMENTUM, DRIFT, "", 0, "", VIDA_COLUMN_SMALLER,          \
    "amplitude of that error about its drift")                                                     \
  X(constraint_drift, REAL, "drift", CONSTRAINT_RATE, DRIFT, "", 0, "|drift of g|",                \
    VIDA_COLUMN_SMALLER, "fitted slope of the violation of g = 0")                                 \
  X(constraint_drift_interval, REAL, "drift", CONSTRAINT_RATE, DRIFT, "", 0, "", 0,                \
    "half its 95 % confidence interval")                                                           \
  X(constraint_oscillation, REAL, "drift", CONSTRAINT, DRIFT, "", 0, "", VIDA_COLUMN_SMALLER,      \
    "amplitude of the violation about its drift")

/* How many columns every comparison has. */
#define VIDA_COLUMN_ONE(name, type, option, unit, group, title, importance, axis, traits, text) \
  +(sizeof(option) == 1)
enum { VIDA_COLUMNS = 0 VIDA_COLUMN_LIST(VIDA_COLUMN_ONE) };
#undef VIDA_COLUMN_ONE

/* ---- remarks --------------------------------------------------------------------------------- */

/* How much a remark matters. */
typedef enum VidaRemarkSeverity {
  VIDA_REMARK_SEVERITY_NOTE,    /* says how something was measured, or why it was not */
  VIDA_REMARK_SEVERITY_WARNING, /* the run is "ok", and its numbers are to be doubted */
  VIDA_REMARK_SEVERITY_FAILURE  /* the run has failed, or was not made */
} VidaRemarkSeverity;

/* Where tables and pages tell a remark. */
typedef enum VidaRemarkPlace {
  VIDA_REMARK_BELOW_ROWS, /* in a sentence that names the runs */
  VIDA_REMARK_IN_NOTES,   /* once, among the notes of the comparison */
  VIDA_REMARK_AS_MARK     /* as a mark at a number; it comes last in the column `message` */
} VidaRemarkPlace;

/* What is said of a run. X(NAME, severity, place, template). In a template, %n is the name, %w the
 * word, %c the count and %s the "s" that a count other than 1 adds to a noun; %6t, %6a and %6b are
 * the time and the numbers a and b with six significant digits; %% is a percent sign. */
#define VIDA_REMARK_LIST(X)                                                                        \
  X(FAILURE, FAILURE, BELOW_ROWS, "%n")                                                            \
  X(TOO_LATE, FAILURE, BELOW_ROWS, "%n had passed before this run began")                          \
  X(SHARED_TIME, NOTE, IN_NOTES, "wall_s is that of a run beside others")                          \
  X(NO_RELATIVE_ERROR, NOTE, BELOW_ROWS, "no relative %w error: its reference is zero")            \
  X(NO_CONFIDENCE, NOTE, BELOW_ROWS,                                                               \
    "no confidence in the drift: fewer than %c states were looked at")                             \
  X(ROW_DEPENDS, NOTE, BELOW_ROWS, "multipliers are not unique: %n depends on others")             \
  X(ROWS_DEPEND, NOTE, BELOW_ROWS, "multipliers are not unique: %n depend on others")              \
  X(VIOLATION, WARNING, BELOW_ROWS, "%n")                                                          \
  X(ENERGY_FAR, WARNING, BELOW_ROWS,                                                               \
    "from t = %10t on there is more than 10 times the energy of the start; try a smaller %w")      \
  X(ENERGY_LOST, WARNING, BELOW_ROWS,                                                              \
    "from t = %10t on %4a J of the energy is lost, %3b %% of the largest kinetic energy of the "   \
    "motion, and no work accounts for it; try a smaller %w")                                       \
  X(ENERGY_GAINED, WARNING, BELOW_ROWS,                                                            \
    "from t = %10t on %4a J of the energy has come from nowhere, %3b %% of the largest kinetic "   \
    "energy of the motion, and no work accounts for it; try a smaller %w")                         \
  X(ENERGY_LOST_AT_REST, WARNING, BELOW_ROWS,                                                      \
    "from t = %10t on %4a J of the energy is lost and no work accounts for it; try a smaller %w")  \
  X(ENERGY_GAINED_AT_REST, WARNING, BELOW_ROWS,                                                    \
    "from t = %10t on %4a J of the energy has come from nowhere and no work accounts for it; try " \
    "a smaller %w")                                                                                \
  X(FORCES_PASSED, WARNING, BELOW_ROWS,                                                            \
    "from t = %4t s on steps have passed over forces that depend on time: velocities miss %3a %% " \
    "of the largest change; %w")                                                                   \
  X(WORK_COARSE, NOTE, BELOW_ROWS,                                                                 \
    "no energy error: the work done on the system is integrated from the states given out, which " \
    "are too few to tell how well; try a smaller h")                                               \
  X(WORK_UNKNOWN, NOTE, BELOW_ROWS,                                                                \
    "no energy error: the work done on the system is not known from t = %6t s on, where the "      \
    "equations of motion do not determine the forces of the drives")                               \
  X(COMPARED_SOMETIMES, NOTE, BELOW_ROWS, "compared with the reference after every %c steps only") \
  X(COMPARED_AT_END, NOTE, BELOW_ROWS, "compared with the reference at the end only")              \
  X(BELOW_REFERENCE, NOTE, AS_MARK,                                                                \
    "position error is below the reference's own estimated error %2a")                             \
  X(SINGULAR_PASSAGE, WARNING, BELOW_ROWS,                                                         \
    "passed a singular configuration at t = %4t s, where the constraint Jacobian loses rank (row " \
    "'%n'): which branch follows is not determined")                                               \
  X(SINGULAR_PASSAGES, WARNING, BELOW_ROWS,                                                        \
    "passed a singular configuration at t = %4t s, where the constraint Jacobian loses rank (row " \
    "'%n'): which branch follows is not determined; it is the first of %c")                        \
  X(VELOCITY_JUMP, NOTE, BELOW_ROWS,                                                               \
    "velocities jump at t = %6t s, by an impulse of the constraints: the rate of '%n' does")       \
  X(SWITCHED_FORCE, WARNING, BELOW_ROWS,                                                           \
    "%n jumps where positions or velocities switch it (where, sign, a comparison, an angle that "  \
    "wraps), in %c step%s, first at t = %6t s: no step ends at such a jump, and no method has "    \
    "its "                                                                                         \
    "order there; try a smaller %w, or a smooth formula")                                          \
  X(FEWER_REPEATS, NOTE, BELOW_ROWS, "wall_s is that of %c repeats, which %n has ended")           \
  X(DEFECT_FAILED, NOTE, BELOW_ROWS, "no %w defect: %n")                                           \
  X(NO_FORM, NOTE, BELOW_ROWS,                                                                     \
    "no symplectic defect: under forces and nonholonomic constraints the exact motion keeps no "   \
    "symplectic form")                                                                             \
  X(NO_WAY_BACK, NOTE, BELOW_ROWS,                                                                 \
    "no reversibility defect: the system itself does not run backwards, for its accelerations "    \
    "depend on the sign of the velocities or on time")                                             \
  X(REFERENCE_FAILED, NOTE, BELOW_ROWS, "no errors: the reference failed")

/* The kinds of remarks. */
#define VIDA_REMARK_ENUMERATOR(name, severity, place, template) VIDA_REMARK_##name,
typedef enum VidaRemarkKind {
  VIDA_REMARK_LIST(VIDA_REMARK_ENUMERATOR) VIDA_REMARK_KINDS
} VidaRemarkKind;
#undef VIDA_REMARK_ENUMERATOR

/* One remark: its kind and what fills the template; what the template has no place for is 0. */
typedef struct VidaRemark {
  VidaRemarkKind kind; /* of VIDA_REMARK_LIST */
  int name;            /* where the name begins in VidaRow.names; -1: none */
  const char* word;    /* a word that lives as long as the program; NULL: none */
  double t, a, b;      /* the time in s, and two numbers */
  long count;          /* of what the remark counts */
} VidaRemark;

/* A kind of remark. */
typedef struct VidaRemarkInfo {
  const char* name;            /* "SINGULAR_PASSAGE" */
  VidaRemarkSeverity severity; /* how much it matters */
  VidaRemarkPlace place;       /* where it is told */
  const char* text;            /* the template */
} VidaRemarkInfo;
/* A kind by its number; NULL outside 0 .. VIDA_REMARK_KINDS - 1. */
const VidaRemarkInfo* Vida_RemarkInfo(int kind);

/* What a remark says of a run that is "ok" and yet wrong. */
typedef enum VidaAstray {
  VIDA_ASTRAY_CONSTRAINTS = 1, /* some are violated by more than can be passed over */
  VIDA_ASTRAY_ENERGY = 2       /* a large part of it was lost, or came from nowhere */
} VidaAstray;

/* ---- rows ------------------------------------------------------------------------------------ */

enum { VIDA_MOST_REMARKS = 16 /* of a row; what goes beyond is left out */ };

#define VIDA_MEMBER_NAME(name) char name[VIDA_NAME_SIZE];
#define VIDA_MEMBER_OPTIONS(name) char name[VIDA_OPTIONS_SIZE];
#define VIDA_MEMBER_FLAG(name) char name[VIDA_FLAG_SIZE];
#define VIDA_MEMBER_MESSAGE(name) char name[VIDA_MESSAGE_SIZE];
#define VIDA_MEMBER_REAL(name) double name;
#define VIDA_MEMBER_COUNT(name) long name;
#define VIDA_ROW_MEMBER(name, type, option, unit, group, title, importance, axis, traits, text) \
  VIDA_MEMBER_##type(name)

/* What is known of a run: one member for each column of VIDA_COLUMN_LIST, and its remarks, which
 * the column `message` holds in words. */
typedef struct VidaRow {
  VIDA_COLUMN_LIST(VIDA_ROW_MEMBER)
  long forced_steps;                     /* of `steps`; see VidaStatistics */
  unsigned astray;                       /* of VidaAstray: what remarks say more of */
  int remark_count;                      /* of `remarks` */
  VidaRemark remarks[VIDA_MOST_REMARKS]; /* in the order in which they were made */
  char names[VIDA_MESSAGE_SIZE];         /* that remarks have, each ended by NUL */
} VidaRow;

#undef VIDA_MEMBER_NAME
#undef VIDA_MEMBER_OPTIONS
#undef VIDA_MEMBER_FLAG
#undef VIDA_MEMBER_MESSAGE
#undef VIDA_MEMBER_REAL
#undef VIDA_MEMBER_COUNT
#undef VIDA_ROW_MEMBER

/* Writes remark `index` of the row in words; "" where there is none. The text is cut to `size`. */
void VidaRow_RemarkText(const VidaRow* row, int index, char* text, size_t size);

/* ---- statuses -------------------------------------------------------------------------------- */

/* What became of a run. */
typedef enum VidaOutcome {
  VIDA_OUTCOME_FINISHED, /* it has reached its end */
  VIDA_OUTCOME_NOT_RUN,  /* it was not begun */
  VIDA_OUTCOME_FAILED    /* it has ended before */
} VidaOutcome;

/* Statuses that have a meaning of their own; any other is the flag of a solver of SUNDIALS.
 * X(name, outcome, astray, text): astray of VidaAstray, text what it means and what to try. */
#define VIDA_STATUS_LIST(X)                                                                       \
  X("ok", FINISHED, 0, "the run has reached its end")                                             \
  X("NOT_RUN", NOT_RUN, 0, "the run was not begun: the comparison was stopped, or out of time")   \
  X("STOPPED", FAILED, 0, "stopped on request; the row has what was reached")                     \
  X("WALL_LIMIT", FAILED, 0, "wall_limit had passed; allow more, or take larger steps")           \
  X("UNBOUNDED", FAILED, VIDA_ASTRAY_CONSTRAINTS | VIDA_ASTRAY_ENERGY,                            \
    "the motion has left every bound of the system; take a smaller step")                         \
  X("CONSTRAINT_VIOLATED", FAILED, VIDA_ASTRAY_CONSTRAINTS | VIDA_ASTRAY_ENERGY,                  \
    "a constraint that the method claims to keep is violated; take a smaller step")               \
  X("CONSTRAINT_JUMPS", FAILED, 0, "a constraint is no continuous function there; write it anew") \
  X("OTHER_BRANCH", FAILED, 0,                                                                    \
    "the step has ended on another branch of the constraints; take a smaller step")               \
  X("ANGLE_WRAPS", FAILED, 0, "a force depends on an angle that wraps; count its turns")          \
  X("RANK_CHANGED", FAILED, 0,                                                                    \
    "rows that depended on others do so no longer; start where they are independent")             \
  X("SINGULAR_START", FAILED, 0, "the accelerations of the start are not determined")             \
  X("STEP_TOO_SMALL", FAILED, 0, "no step was small enough; take another tolerance or method")    \
  X("TOO_MUCH_WORK", FAILED, 0, "the tolerance needs more steps than are allowed")                \
  X("STEP_NOT_CONVERGED", FAILED, 0,                                                              \
    "the equations of the step were not solved; take a smaller h")                                \
  X("STEP_SINGULAR", FAILED, 0, "the matrix of the step is singular")                             \
  X("CALLBACK_RECOVERABLE", FAILED, 0, "a function of the system has no value there")             \
  X("NOT_FINITE", FAILED, 0, "a quantity is not a finite number; take a smaller step")            \
  X("NOT_SUPPORTED", FAILED, 0, "the method does not take this system; see vida advise")          \
  X("INCONSISTENT_START", FAILED, 0,                                                              \
    "the initial values violate a constraint; mend them, or set adjust_start")

/* A status of runs. */
typedef struct VidaStatus {
  const char* name;    /* "OTHER_BRANCH"; "" of all that are not in the list */
  VidaOutcome outcome; /* of a run that has it */
  unsigned astray;     /* of VidaAstray: what is wrong up to the last state */
  const char* text;    /* what it means, and what to try */
} VidaStatus;
/* A status by its number in the list; NULL outside. */
const VidaStatus* Vida_Status(int index);
/* The status of this name; of a name that the list has not, one of failures without a name. */
const VidaStatus* Vida_FindStatus(const char* name);
/* What became of the run; VIDA_OUTCOME_NOT_RUN where `row` is NULL. */
VidaOutcome VidaRow_Outcome(const VidaRow* row);

/* ---- columns --------------------------------------------------------------------------------- */

/* What the cells of a column are. */
typedef enum VidaColumnType {
  VIDA_COLUMN_TEXT, /* char[] */
  VIDA_COLUMN_REAL, /* double; NaN: not measured */
  VIDA_COLUMN_COUNT /* long */
} VidaColumnType;

/* A column of the table of runs: a row of VIDA_COLUMN_LIST. */
typedef struct VidaColumn {
  const char* name;       /* "position_error" */
  VidaColumnType type;    /* of its cells */
  const char* unit;       /* "m"; "1" of plain numbers, "" of texts */
  const char* text;       /* what it holds */
  size_t offset, size;    /* of the member in VidaRow */
  const char* option;     /* of the comparison that asks for it; "": it is always there */
  VidaUnitKind unit_kind; /* what it measures */
  VidaColumnGroup group;  /* what it is about */
  const char* title;      /* in tables; "": it is not shown there */
  int importance;         /* in tables: the larger, the longer it stays */
  const char* axis;       /* in plots of errors; "": it is not drawn there */
  unsigned traits;        /* of VidaColumnTrait */
} VidaColumn;
/* The column of an index; NULL outside 0 .. VIDA_COLUMNS - 1. */
const VidaColumn* Vida_Column(int index);
/* The optional column of an index, counted from 0; NULL outside the list. */
const VidaColumn* Vida_OptionalColumn(int index);
/* The column or optional column of a name; NULL for an unknown name. */
const VidaColumn* Vida_FindColumn(const char* name);

/* Creates the options of a comparison itself (time, t0, every, norm, relative, end_step,
 * start_tolerance, ...), at their defaults. The caller owns *options and frees it with
 * VidaOptions_Destroy. */
int VidaStudy_CreateOptions(VidaOptions** options, VidaError* error);

/* How a comparison with these options makes its start consistent: adjust_start, start_tolerance.
 * The default where `options` is NULL. */
VidaStartOptions VidaStudy_StartOptions(const VidaOptions* options);

/* Creates a comparison on a completed system, which must live longer than the study. `options`
 * (copied) are those of VidaStudy_CreateOptions; `time` must be set. The caller owns *study and
 * frees it with VidaStudy_Destroy. */
int VidaStudy_Create(const VidaSystem* system, const VidaOptions* options, VidaStudy** study,
                     VidaError* error);
/* Sets a label that distinguishes the comparison from others of a system with this name, as
 * key=value: "mass=1.5". It stands in titles and before the options of all runs. One line, copied,
 * cut to VIDA_OPTIONS_SIZE. */
int VidaStudy_SetLabel(VidaStudy* study, const char* label, VidaError* error);
/* The label; "" when there is none. */
const char* VidaStudy_Label(const VidaStudy* study);
/* Frees a comparison and sets *study to NULL; NULL is allowed. */
void VidaStudy_Destroy(VidaStudy** study);

/* Sets the reference: the run of a method with its options (copied), against which errors are
 * measured. A comparison has at most one reference. Without one, errors against it are NaN. */
int VidaStudy_SetReference(VidaStudy* study, const VidaOptions* method, VidaError* error);

/* Sets an automatic reference: an explicit Runge-Kutta method of order 8 on the underlying ODE,
 * projected onto the constraints after each step, or, if it refuses the system or needs too many
 * steps, Radau IIA; both with tight tolerances. A second run with ten times the tolerance gives the
 * error estimate. */
int VidaStudy_SetAutomaticReference(VidaStudy* study, VidaError* error);

/* A known solution: in closed form, or from a file. */
typedef struct VidaKnownSolution {
  const char* text; /* description for titles: "closed form" */
  /* Writes the state at the time t (s): q and v (n each), lambda (m). All are NaN on entry; unknown
   * values may stay NaN, except the positions that errors are measured of. Returns VIDA_SUCCESS; a
   * positive number if there is no state at this time; or a negative number, with `error` filled.
   */
  int (*state)(void* data, double t, double* q, double* v, double* lambda, VidaError* error);
  void* data;   /* argument of `state` */
  double error; /* of its positions, in the study's norm; NaN: not known */
} VidaKnownSolution;
/* Sets a known solution (copied) as the reference; `data` must live as long as the study. `state`
 * is called for the times at which runs are compared, in VidaStudy_Run, before the first run. */
int VidaStudy_SetKnownReference(VidaStudy* study, const VidaKnownSolution* solution,
                                VidaError* error);
/* Sets states at `count` times t (s) as the reference: q (count x n), v (count x n, nullable) and
 * lambda (count x m, nullable), all copied. `text` is its description for titles, `own_error` the
 * error of its positions in the norm of the study (NaN: not known). Runs are compared at the times
 * that they reach with whole steps. */
int VidaStudy_SetReferenceStates(VidaStudy* study, const char* text, double own_error, int count,
                                 const double* t, const double* q, const double* v,
                                 const double* lambda, VidaError* error);

/* Adds a run of a method with its options (copied): `h` must be set, or `rtol` for adaptive
 * methods. Fails with VIDA_STEP_DOES_NOT_FIT if h does not divide the time, or if too few of its
 * nodes coincide with nodes of the reference. With the option start = "two-point" the reference
 * must be set before. */
int VidaStudy_AddRun(VidaStudy* study, const VidaOptions* method, VidaError* error);
/* Adds a run of a method with its options (copied) from given initial values: q and v (n each,
 * nullable, copied) replace those of the system, where NaN keeps that of the system. They are made
 * consistent as with `adjust_start`. Such a run is not compared with the reference. `label`
 * (nullable, copied) stands before its options: "x=1 y=2". */
int VidaStudy_AddRunFrom(VidaStudy* study, const VidaOptions* method, const char* label,
                         const double* q, const double* v, VidaError* error);
/* Restricts position and velocity errors to `count` coordinates with these indices (copied), all
 * different. Multiplier errors are of all rows. */
int VidaStudy_SelectCoordinates(VidaStudy* study, int count, const int* coordinates,
                                VidaError* error);

/* A state for output. Arrays are valid during the call only. */
typedef struct VidaSample {
  double t;                          /* s */
  const double* q;                   /* n */
  const double* v;                   /* n */
  const double* multipliers;         /* m, NaN if not known yet */
  double multipliers_t;              /* s, the time of the multipliers */
  double energy;                     /* v L_v - L */
  double work;                       /* done on the system since the start; NaN: not known */
  const double* momenta;             /* MomentumCount */
  const double* constraint_position; /* m: g */
  const double* constraint_velocity; /* m: G v + g_t */
  const double* observables;         /* ObservableCount */
} VidaSample;

#define VIDA_REFERENCE_RUN (-1) /* instead of the index of a run: the reference */
#define VIDA_ALL_RUNS (-2)      /* instead of the index of a run: all runs together */

/* Callbacks during a study; every member is nullable. A nonzero return value stops the study: with
 * VIDA_STOPPED if `progress` returns it; with that value if `begin`, `sample` or `end` return it,
 * which then fill `error`. */
typedef struct VidaObserver {
  /* A run begins. `row` has its system, method, options and steps. */
  int (*begin)(void* data, int run, const VidaRow* row, VidaError* error);
  /* A state of a run: the first one, those at t0 + k every h, and the last one. */
  int (*sample)(void* data, int run, const VidaSample* sample, VidaError* error);
  /* A run has ended, successfully or not. */
  int (*end)(void* data, int run, const VidaRow* row, VidaError* error);
  /* Called about ten times per second with the completed fraction, 0 .. 1. `run` is
   * VIDA_REFERENCE_RUN for the reference, and VIDA_ALL_RUNS when several runs are made in parallel.
   */
  int (*progress)(void* data, int run, const char* what, double fraction);
  void* data; /* argument of all callbacks */
} VidaObserver;

/* Estimates the completed fraction of the whole study, 0 .. 1, when `run` (as for `progress`) is at
 * `fraction` and the runs before it have ended. Runs are weighted by the steps of their time grids.
 */
double VidaStudy_Done(const VidaStudy* study, int run, double fraction);

/* Makes the reference and then every run; `observer` is nullable. A run that fails or is stopped
 * keeps its row, with its status and the errors of energy, momenta and constraints up to its last
 * state, but without errors against the reference, which are of the whole time. The other runs
 * continue, and the return value is 0. If the reference fails, the runs are made without errors
 * against it, the notes give the reason, and the failure of the reference is returned. */
int VidaStudy_Run(VidaStudy* study, const VidaObserver* observer, VidaError* error);

/* ---- work and precision ---------------------------------------------------------------------- */

/* Runs of one method with the same options, which differ in their step or tolerance. */
typedef struct VidaSeries {
  const char *method, *options; /* as in rows */
  int count;     /* runs that reached their end with a position error above that of the reference */
  int first;     /* index of one of them, for VidaStudy_Row */
  bool adaptive; /* they differ in rtol */
  double order;  /* slope of log(position error) in log(h) or log(rtol); NaN: too few runs */
  double interval;      /* half of its 95 % confidence interval; NaN: fewer than three runs */
  double largest_error; /* largest position error; NaN: there is none */
} VidaSeries;

/* The number of series, and one of them by its index; its texts belong to the study. Errors and
 * orders are known after VidaStudy_Run. */
int VidaStudy_SeriesCount(const VidaStudy* study);
int VidaStudy_Series(const VidaStudy* study, int index, VidaSeries* series, VidaError* error);
/* The time (s) that a series needs for a position error, interpolated linearly in logarithms
 * between neighbouring runs; the time of the cheapest sufficiently accurate run if all errors of
 * the series are smaller; NaN if no run is accurate enough. */
double VidaStudy_SecondsFor(const VidaStudy* study, int series, double position_error);
/* Writes the largest and the smallest power of ten in the range of the position errors of all
 * series. Returns false if there are none. */
bool VidaStudy_ErrorRange(const VidaStudy* study, double* largest, double* smallest);

/* ---- over many starts ------------------------------------------------------------------------ */

/* A spread: at least two runs that differ in their initial values only. */
typedef struct VidaSpread {
  const char *method, *options; /* as in rows, without the labels of the starts */
  double h, rtol;               /* as in rows */
  int runs;                     /* number of runs */
  int finished;                 /* number of runs that reached their end */
  int first;                    /* index of one of them, for VidaStudy_Row */
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

/* The number of spreads, and one of them by its index; its texts belong to the study. */
int VidaStudy_SpreadCount(const VidaStudy* study);
int VidaStudy_Spread(const VidaStudy* study, int index, VidaSpread* spread, VidaError* error);
/* Writes the five-number summary of a column of the type VIDA_COLUMN_REAL over a spread. */
int VidaStudy_Quantiles(const VidaStudy* study, int spread, const VidaColumn* column,
                        VidaQuantiles* quantiles, VidaError* error);

/* Whether the study has a column: all columns of Vida_Column, and the optional columns that its
 * options add. */
bool VidaStudy_HasColumn(const VidaStudy* study, const VidaColumn* column);

/* The system of a study, and the number of its runs. */
const VidaSystem* VidaStudy_System(const VidaStudy* study);
int VidaStudy_RunCount(const VidaStudy* study);
/* The row of a run by its index, filled by VidaStudy_Run (before, its status is NOT_RUN); NULL
 * outside 0 .. count - 1. */
const VidaRow* VidaStudy_Row(const VidaStudy* study, int run);
/* The consistent initial values q and v (n each) of a run, which belong to the study. Returns false
 * before VidaStudy_Run, and if no consistent values were found. */
bool VidaStudy_RunStart(const VidaStudy* study, int run, const double** q, const double** v);
/* Whether the initial values of this coordinate, or of its rate, differ between runs of
 * VidaStudy_AddRunFrom. Outputs have a column for each that does: "start b.x", "start d b.x/dt". */
bool VidaStudy_StartVaries(const VidaStudy* study, int coordinate, bool rate);
/* The notes of VidaSystem_Start about the initial values; "" before VidaStudy_Run. */
const char* VidaStudy_Notes(const VidaStudy* study);
/* Writes lines of text about runs that will not end in reasonable time because of their number of
 * steps, and, if `writes` (trajectories are to be written), about large files; "" if there are
 * none. Cut to `size` bytes. A study with a wall limit ends by itself. */
void VidaStudy_Outlook(const VidaStudy* study, bool writes, char* text, size_t size);
/* Returns a description of the reference ("energy-momentum, h = 0.0001 s"; "" without one);
 * *position_error (nullable) receives the estimated error of its positions in the norm of the
 * study, NaN if it was not estimated. */
const char* VidaStudy_Reference(const VidaStudy* study, double* position_error);

#ifdef __cplusplus
}
#endif
#endif
