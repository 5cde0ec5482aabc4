/* A comparison: runs of several methods and steps on one system, measured against one reference. */
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
#define VIDA_OPTIONS_SIZE 256 /* bytes of its options */

/* The columns of a row, in the order of every output. X(name, type, unit, text), type one of
 * TEXT (char array), REAL (double; NaN means "not measured" and is written as an empty field or
 * null) and COUNT (long). */
#define VIDA_COLUMN_LIST(X)                                                                 \
  X(system, TEXT, "", "the system's name")                                                  \
  X(method, TEXT, "", "the method's name")                                                  \
  X(options, TEXT, "", "what the scenario set, as key=value")                               \
  X(h, REAL, "s", "step")                                                                   \
  X(rtol, REAL, "1", "relative tolerance of adaptive methods")                              \
  X(status, TEXT, "", "ok, or the name of the failure")                                     \
  X(t_end, REAL, "s", "time reached")                                                       \
  X(steps, COUNT, "1", "steps made")                                                        \
  X(newton_iterations, COUNT, "1", "Newton iterations")                                     \
  X(residual_evaluations, COUNT, "1", "evaluations of the residual")                        \
  X(jacobian_evaluations, COUNT, "1", "evaluations of its Jacobian")                        \
  X(wall_s, REAL, "s", "wall time of the steps alone")                                      \
  X(position_error, REAL, "m", "positions against the reference")                           \
  X(velocity_error, REAL, "m/s", "velocities against the reference")                        \
  X(multiplier_error, REAL, "N", "multipliers against the reference")                       \
  X(energy_error, REAL, "J", "energy against that of the start and the work done since")    \
  X(energy_drift, REAL, "J/s", "fitted slope of this difference")                           \
  X(momentum_error, REAL, "kg m^2/s", "conserved momentum maps against those of the start") \
  X(constraint_position, REAL, "m", "largest violation of g = 0")                           \
  X(constraint_velocity, REAL, "m/s", "largest violation of G v + g_t = 0")                 \
  X(symplectic_defect, REAL, "1", "defect of the symplectic form")                          \
  X(message, TEXT, "", "why a run failed and what to try; remarks")                         \
  X(energy_change, REAL, "J", "energy at the end less that at the start")                   \
  X(work, REAL, "J", "work of forces, dampers, drives and explicit time up to the end")     \
  X(work_error, REAL, "J", "estimated error of the integration of this work")               \
  X(constraint_integral, REAL, "", "largest integral over time of a nonholonomic row")

/* Columns that follow them where an option of the comparison has asked for them. X(name,
 * option, type, unit, text) */
#define VIDA_OPTIONAL_COLUMN_LIST(X)                                                             \
  X(symplectic_noise, symplectic, REAL, "1", "how uncertain symplectic_defect is")               \
  X(reversibility_defect, reversibility, REAL, "1",                                              \
    "distance from the start after steps there and back, of the motion between")                 \
  X(energy_drift_interval, drift, REAL, "J/s", "half the 95 % confidence interval of its drift") \
  X(energy_oscillation, drift, REAL, "J", "amplitude of the energy about its drift")             \
  X(momentum_drift, drift, REAL, "kg m^2/s^2", "fitted slope of the error of momenta")           \
  X(momentum_drift_interval, drift, REAL, "kg m^2/s^2", "half its 95 % confidence interval")     \
  X(momentum_oscillation, drift, REAL, "kg m^2/s", "amplitude of that error about its drift")    \
  X(constraint_drift, drift, REAL, "m/s", "fitted slope of the violation of g = 0")              \
  X(constraint_drift_interval, drift, REAL, "m/s", "half its 95 % confidence interval")          \
  X(constraint_oscillation, drift, REAL, "m", "amplitude of the violation about its drift")

#define VIDA_COLUMN_ONE(name, type, unit, text) +1
enum { VIDA_COLUMNS = 0 VIDA_COLUMN_LIST(VIDA_COLUMN_ONE) };
#undef VIDA_COLUMN_ONE

/* What a remark says of a run that is "ok" and yet wrong. */
typedef enum VidaAstray {
  VIDA_ASTRAY_CONSTRAINTS = 1, /* some are violated by more than can be passed over */
  VIDA_ASTRAY_ENERGY = 2       /* a large part of it was lost, or came from nowhere */
} VidaAstray;

/* What is known of a run: one member for each column. */
typedef struct VidaRow {
  char system[VIDA_NAME_SIZE];
  char method[VIDA_NAME_SIZE];
  char options[VIDA_OPTIONS_SIZE];
  double h, rtol;
  char status[VIDA_FLAG_SIZE];
  double t_end;
  long steps, newton_iterations, residual_evaluations, jacobian_evaluations;
  double wall_s;
  double position_error, velocity_error, multiplier_error, energy_error, energy_drift;
  double momentum_error, constraint_position, constraint_velocity, symplectic_defect;
  char message[VIDA_MESSAGE_SIZE];
  double energy_change, work, work_error, constraint_integral;
  double symplectic_noise, reversibility_defect;
  double energy_drift_interval, energy_oscillation;
  double momentum_drift, momentum_drift_interval, momentum_oscillation;
  double constraint_drift, constraint_drift_interval, constraint_oscillation;
  long forced_steps; /* of `steps`; see VidaStatistics */
  unsigned astray;   /* of VidaAstray: what `message` says more of */
} VidaRow;

/* What the cells of a column are. */
typedef enum VidaColumnType {
  VIDA_COLUMN_TEXT, /* char[] */
  VIDA_COLUMN_REAL, /* double; NaN: not measured */
  VIDA_COLUMN_COUNT /* long */
} VidaColumnType;

/* A column of the table of runs. */
typedef struct VidaColumn {
  const char* name;    /* "position_error" */
  VidaColumnType type; /* of its cells */
  const char* unit;    /* "m"; "1" of plain numbers, "" of texts */
  const char* text;    /* what it holds */
  size_t offset, size; /* of the member in VidaRow */
  const char* option;  /* of the comparison that asks for it; "": it is always there */
} VidaColumn;
/* A column by its index, for outputs that walk over them; NULL outside 0 .. VIDA_COLUMNS - 1. */
const VidaColumn* Vida_Column(int index);
/* The columns that follow where they are asked for, by their index; NULL from their end on. */
const VidaColumn* Vida_OptionalColumn(int index);
/* The column of this name, of either kind; NULL: there is none. */
const VidaColumn* Vida_FindColumn(const char* name);

/* Options of a comparison itself: time, t0, every, norm, relative, end_step, start tolerance ...;
 * set with the functions of options.h. */
int VidaStudy_CreateOptions(VidaOptions** options, VidaError* error);

/* A comparison on a completed system (kept, not copied: destroy it after the study); options
 * (copied) must have `time` set. */
int VidaStudy_Create(const VidaSystem* system, const VidaOptions* options, VidaStudy** study,
                     VidaError* error);
/* What tells it from other comparisons of a system of the same name, as key=value: "mass=1.5". It
 * stands in titles and before the options of all its runs; one line, copied, cut to
 * VIDA_OPTIONS_SIZE. */
int VidaStudy_SetLabel(VidaStudy* study, const char* label, VidaError* error);
/* The label; "" when there is none. */
const char* VidaStudy_Label(const VidaStudy* study);
/* Frees it and sets *study to NULL; NULL is allowed. */
void VidaStudy_Destroy(VidaStudy** study);

/* The run that errors are measured against; at most one. Without it the errors that need one stay
 * unmeasured. */
int VidaStudy_SetReference(VidaStudy* study, const VidaOptions* method, VidaError* error);

/* A reference that is found without being told a method: the underlying ODE by an explicit
 * Runge-Kutta method of order 8, projected to the constraints after each step, or, where that
 * cannot take the system or needs too many steps, Radau IIA; both at tight tolerances, with an
 * estimate of the error from a second run at ten times the tolerance. */
int VidaStudy_SetAutomaticReference(VidaStudy* study, VidaError* error);

/* A solution that is known otherwise: in closed form, from a file. */
typedef struct VidaKnownSolution {
  const char* text; /* what it is, for titles: "closed form" */
  /* Writes the state at time t: q and v (n), lambda (m). Values that are not known are NaN on entry
   * and may stay so; the q that errors are about must be known. Returns VIDA_SUCCESS, a positive
   * number where there is no state at this time, or a negative one and `error` filled. */
  int (*state)(void* data, double t, double* q, double* v, double* lambda, VidaError* error);
  void* data;   /* handed to `state` */
  double error; /* of its positions, in the study's norm; NaN: not known */
} VidaKnownSolution;
/* A known solution as the reference; `data` must live as long as the study. States are asked for
 * where runs are compared: when the study is run, before the first run. */
int VidaStudy_SetKnownReference(VidaStudy* study, const VidaKnownSolution* solution,
                                VidaError* error);
/* States at `count` times as the reference: q (count x n), v (count x n) and lambda (count x m),
 * both nullable (all copied). Runs are compared at those of the times that they reach with whole
 * steps. */
int VidaStudy_SetReferenceStates(VidaStudy* study, const char* text, double own_error, int count,
                                 const double* t, const double* q, const double* v,
                                 const double* lambda, VidaError* error);

/* Adds a run: a method with its options (copied), `h` set, or `rtol` of those that choose their own
 * steps. Refused when h does not fit the time, or
 * meets the reference's steps too seldom. With `start = two-point` the reference comes first. */
int VidaStudy_AddRun(VidaStudy* study, const VidaOptions* method, VidaError* error);
/* The same from a start of its own: q, v (n each, nullable, copied) are given values in place of
 * the system's, NaN where its own count; they are made consistent as with `adjust_start`. Such a
 * run is not compared with the reference. `label` (nullable) is put before its options: "x=1 y=2".
 */
int VidaStudy_AddRunFrom(VidaStudy* study, const VidaOptions* method, const char* label,
                         const double* q, const double* v, VidaError* error);
/* Restricts position, velocity and multiplier errors to these coordinates (of positions and
 * velocities; indices copied). */
int VidaStudy_SelectCoordinates(VidaStudy* study, int count, const int* coordinates,
                                VidaError* error);

/* One state on its way out; arrays are valid during the call only. */
typedef struct VidaSample {
  double t;                          /* s */
  const double* q;                   /* n */
  const double* v;                   /* n */
  const double* multipliers;         /* m, NaN where not known yet */
  double multipliers_t;              /* the time they belong to */
  double energy;                     /* v L_v - L */
  double work;                       /* done on the system since the start; NaN: not known */
  const double* momenta;             /* MomentumCount */
  const double* constraint_position; /* m: g */
  const double* constraint_velocity; /* m: G v + g_t */
  const double* observables;         /* ObservableCount */
} VidaSample;

#define VIDA_REFERENCE_RUN (-1) /* the number of the reference */
#define VIDA_ALL_RUNS (-2)      /* the number of all runs together */

/* Watches a study; every member is nullable. A nonzero return stops the study: `progress` with
 * VIDA_STOPPED, `begin`, `sample` and `end` with the code they return (they fill `error`). */
typedef struct VidaObserver {
  /* a run begins; its row has what is known before */
  int (*begin)(void* data, int run, const VidaRow* row, VidaError* error);
  /* rows at k*every*h, with the first and the last state always among them */
  int (*sample)(void* data, int run, const VidaSample* sample, VidaError* error);
  /* it has ended, well or not */
  int (*end)(void* data, int run, const VidaRow* row, VidaError* error);
  /* called about ten times a second, fraction in 0..1; run is VIDA_REFERENCE_RUN for the reference,
   * and VIDA_ALL_RUNS for all runs together when several are made at once */
  int (*progress)(void* data, int run, const char* what, double fraction);
  void* data; /* handed to all of them */
} VidaObserver;

/* How much of the whole study is done, 0..1, when `run` (as for `progress`) is at `fraction` and
 * those before it have ended: each counts by the steps of its time grid, so that this is an
 * estimate. */
double VidaStudy_Done(const VidaStudy* study, int run, double fraction);

/* Makes the reference and then every run. A run that fails or is stopped keeps its row, with its
 * status and the errors of energy, momenta and constraints up to its last state (not those against
 * the reference, which are of the whole time), and the others go on; the return value is 0 as long
 * as the study itself could be carried out. Where the reference fails the runs are made without it,
 * their rows have no errors against it, the notes say why, and its failure is returned. */
int VidaStudy_Run(VidaStudy* study, const VidaObserver* observer, VidaError* error);

/* ---- work and precision ---------------------------------------------------------------------- */

/* Runs of one method with the same options, which differ in their step or tolerance. */
typedef struct VidaSeries {
  const char *method, *options; /* as in rows */
  int count;       /* of runs that reached their end with a position error above the reference's */
  int first;       /* one of them, for VidaStudy_Row */
  bool adaptive;   /* they differ in rtol */
  double order;    /* slope of log(position error) in log(h) or log(rtol); NaN: too few runs */
  double interval; /* half of its 95 % confidence interval; NaN: fewer than three runs */
  double largest_error; /* of their positions; NaN: there are none */
} VidaSeries;

/* How many series there are, and one of them, whose texts live as long as the study. Errors and
 * orders are known after VidaStudy_Run. */
int VidaStudy_SeriesCount(const VidaStudy* study);
int VidaStudy_Series(const VidaStudy* study, int index, VidaSeries* series, VidaError* error);
/* Seconds that this series needs for a position error: between its neighbouring runs, straight in
 * logarithms; the time of its cheapest run that is at least as exact where the error is larger than
 * all of its own. NaN where no run is exact enough. */
double VidaStudy_SecondsFor(const VidaStudy* study, int series, double position_error);
/* The largest and the smallest power of ten among the position errors of all series; false when
 * there are none. */
bool VidaStudy_ErrorRange(const VidaStudy* study, double* largest, double* smallest);

/* ---- over many starts ------------------------------------------------------------------------ */

/* Runs that differ in nothing but their start. */
typedef struct VidaSpread {
  const char *method, *options; /* as in rows, without what tells the starts apart */
  double h, rtol;               /* as in rows */
  int runs;                     /* how many there are */
  int finished;                 /* of them have reached their end */
  int first;                    /* one of them, for VidaStudy_Row */
} VidaSpread;

/* What a column holds over the finished runs of a spread, J. W. Tukey's five numbers. Quantiles lie
 * between the order statistics, straight (definition 7 of Hyndman and Fan 1996). */
typedef struct VidaQuantiles {
  int count;             /* of runs that have measured it; 0: all others are NaN */
  double minimum;        /* the smallest value */
  double lower_quartile; /* a quarter of the values is below it */
  double median;         /* half of them is */
  double upper_quartile; /* three quarters are */
  double maximum;        /* the largest value */
} VidaQuantiles;

/* How many sets of at least two runs from starts of their own there are, and one of them; its texts
 * live as long as the study. */
int VidaStudy_SpreadCount(const VidaStudy* study);
int VidaStudy_Spread(const VidaStudy* study, int index, VidaSpread* spread, VidaError* error);
/* The five numbers of a column of type VIDA_COLUMN_REAL. */
int VidaStudy_Quantiles(const VidaStudy* study, int spread, const VidaColumn* column,
                        VidaQuantiles* quantiles, VidaError* error);

/* Whether the study has this column: each of Vida_Column, and the optional ones that its options
 * ask for. */
bool VidaStudy_HasColumn(const VidaStudy* study, const VidaColumn* column);

/* Its system, and the number of its runs. */
const VidaSystem* VidaStudy_System(const VidaStudy* study);
int VidaStudy_RunCount(const VidaStudy* study);
/* Filled after VidaStudy_Run (status NOT_RUN before); NULL for a run that there is not. */
const VidaRow* VidaStudy_Row(const VidaStudy* study, int run);
/* Where a run starts, its values made consistent: q and v, n each, which belong to the study. False
 * before it has run, and where no start was found. */
bool VidaStudy_RunStart(const VidaStudy* study, int run, const double** q, const double** v);
/* Whether runs with starts of their own start from different values of this coordinate, or of its
 * rate. Outputs have a column for each of these: "start b.x", "start d b.x/dt". */
bool VidaStudy_StartVaries(const VidaStudy* study, int coordinate, bool rate);
/* What was said about the initial values (see VidaSystem_Start); "" before VidaStudy_Run. */
const char* VidaStudy_Notes(const VidaStudy* study);
/* What is known before it is run of runs that cannot end in reasonable time (a large number of
 * steps), and where its trajectories are to be written, of their size: lines of text; "" where
 * there is nothing to be said. A study with a wall limit ends by itself. */
void VidaStudy_Outlook(const VidaStudy* study, bool writes, char* text, size_t size);
/* The reference in words ("energy-momentum, h = 0.0001 s"; "" when there is none) and the estimated
 * error of its positions in the study's norm (nullable; NaN when not estimated). */
const char* VidaStudy_Reference(const VidaStudy* study, double* position_error);

#ifdef __cplusplus
}
#endif
#endif
