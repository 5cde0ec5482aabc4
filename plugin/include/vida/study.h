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

/* Types of the cells of a column. */
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
  const char* text;    /* description */
  size_t offset, size; /* of the member in VidaRow */
  const char* option;  /* option of the comparison that adds it; "": the column is always there */
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
