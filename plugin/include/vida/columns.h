/* The columns of the table of runs: what every output of a comparison lists, in one row each. */
#ifndef VIDA_COLUMNS_H
#define VIDA_COLUMNS_H

#include <stddef.h>
#include <vida/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Quantities of columns. X(NAME, unit): the unit in a system whose coordinates are lengths; "1" for
 * plain numbers; "" for texts and for quantities whose unit depends on the system. */
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

/* The quantity that a column measures, which determines its unit. */
#define VIDA_UNIT_ENUMERATOR(name, unit) VIDA_UNIT_##name,
typedef enum VidaUnitKind { VIDA_UNIT_LIST(VIDA_UNIT_ENUMERATOR) VIDA_UNIT_KINDS } VidaUnitKind;
#undef VIDA_UNIT_ENUMERATOR

/* Groups of columns, in the order of tables and plots. */
typedef enum VidaColumnGroup {
  VIDA_GROUP_RUN,        /* the method, its options and the status of the run */
  VIDA_GROUP_REFERENCE,  /* errors against the reference */
  VIDA_GROUP_ENERGY,     /* the energy and the work done */
  VIDA_GROUP_DRIFT,      /* fitted slopes and oscillations */
  VIDA_GROUP_MOMENTUM,   /* momentum maps */
  VIDA_GROUP_CONSTRAINT, /* violations of the constraints */
  VIDA_GROUP_STRUCTURE,  /* the symplectic form and reversibility */
  VIDA_GROUP_COST        /* steps, evaluations and time */
} VidaColumnGroup;

/* Traits of columns: flags that control how outputs treat a column. */
typedef enum VidaColumnTrait {
  VIDA_COLUMN_SMALLER = 1,   /* an error: smaller is better */
  VIDA_COLUMN_RELATIVE = 2,  /* dimensionless in a relative comparison */
  VIDA_COLUMN_DRAWN = 4,     /* error plots show it by default */
  VIDA_COLUMN_SPREAD = 8,    /* tables of many starts show its quartiles */
  VIDA_COLUMN_EXCHANGE = 16, /* shown only for systems whose energy is not constant */
  VIDA_COLUMN_VARIES = 32,   /* differs between identical runs; comparisons of files ignore it */
  VIDA_COLUMN_EVENTS = 64    /* only in comparisons of systems with events */
} VidaColumnTrait;

/* All columns, in the order of CSV and JSON. A new column needs one row of this list and the line
 * that measures it (plugin/study/measure); VidaRow (study.h) gets a member with its name.
 *   X(name, type, option, unit, group, title, importance, axis, traits, text)
 *   type        NAME, OPTIONS, FLAG, MESSAGE (texts of that size), REAL (double; NaN means "not
 *               measured" and is written as an empty field or null), COUNT (long)
 *   option      the option of the comparison that adds the column; "": every comparison has it
 *   unit        NAME in VIDA_UNIT_LIST
 *   group       one of VidaColumnGroup
 *   title       title in the terminal table; "": not shown there
 *   importance  the table leaves out the least important columns if it is too wide
 *   axis        title in error plots; "": not drawn there
 *   traits      flags of VidaColumnTrait
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
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "positions against the reference")                                                             \
  X(velocity_error, REAL, "", VELOCITY, REFERENCE, "velocity", 10, "velocity error",               \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "velocities against the reference")                                                            \
  X(multiplier_error, REAL, "", MULTIPLIER, REFERENCE, "multiplier", 2, "multiplier error",        \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "multipliers against the reference")                                                           \
  X(energy_error, REAL, "", ENERGY, ENERGY, "energy", 20, "energy error",                          \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_DRAWN | VIDA_COLUMN_SPREAD,           \
    "energy against that of the start and the work done since")                                    \
  X(energy_drift, REAL, "", ENERGY_RATE, DRIFT, "drift", 6, "|energy drift|",                      \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD, "fitted slope of the energy error")                  \
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
    "energy at the end minus energy at the start")                                                 \
  X(work, REAL, "", ENERGY, ENERGY, "work", 5, "", VIDA_COLUMN_EXCHANGE,                           \
    "work of forces, dampers, drives and explicit time up to the end")                             \
  X(work_error, REAL, "", ENERGY, ENERGY, "", 0, "", VIDA_COLUMN_SMALLER | VIDA_COLUMN_EXCHANGE,   \
    "estimated error of the integration of this work")                                             \
  X(constraint_integral, REAL, "", CONSTRAINT_INTEGRAL, CONSTRAINT, "integral", 3,                 \
    "largest integral of a nonholonomic row", VIDA_COLUMN_SMALLER,                                 \
    "largest integral over time of a nonholonomic row")                                            \
  X(symplectic_noise, REAL, "symplectic", NUMBER, STRUCTURE, "", 0, "", 0,                         \
    "uncertainty of symplectic_defect")                                                            \
  X(reversibility_defect, REAL, "reversibility", NUMBER, STRUCTURE, "reversal", 20,                \
    "reversibility defect", VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD,                              \
    "distance from the start after steps forward and back, relative to the motion")                \
  X(energy_drift_interval, REAL, "drift", ENERGY_RATE, DRIFT, "", 0, "", 0,                        \
    "half the 95 % confidence interval of energy_drift")                                           \
  X(energy_oscillation, REAL, "drift", ENERGY, DRIFT, "", 0, "oscillation of the energy",          \
    VIDA_COLUMN_SMALLER, "amplitude of the energy about its drift")                                \
  X(momentum_drift, REAL, "drift", MOMENTUM_RATE, DRIFT, "", 0, "|momentum drift|",                \
    VIDA_COLUMN_SMALLER, "fitted slope of the error of momenta")                                   \
  X(momentum_drift_interval, REAL, "drift", MOMENTUM_RATE, DRIFT, "", 0, "", 0,                    \
    "half the 95 % confidence interval of momentum_drift")                                         \
  X(momentum_oscillation, REAL, "drift", MOMENTUM, DRIFT, "", 0, "", VIDA_COLUMN_SMALLER,          \
    "amplitude of the momentum error about its drift")                                             \
  X(constraint_drift, REAL, "drift", CONSTRAINT_RATE, DRIFT, "", 0, "|drift of g|",                \
    VIDA_COLUMN_SMALLER, "fitted slope of the violation of g = 0")                                 \
  X(constraint_drift_interval, REAL, "drift", CONSTRAINT_RATE, DRIFT, "", 0, "", 0,                \
    "half the 95 % confidence interval of constraint_drift")                                       \
  X(constraint_oscillation, REAL, "drift", CONSTRAINT, DRIFT, "", 0, "", VIDA_COLUMN_SMALLER,      \
    "amplitude of the violation about its drift")                                                  \
  X(shadow_energy_error, REAL, "shadow", ENERGY, ENERGY, "shadow", 19, "shadow energy error",      \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_RELATIVE | VIDA_COLUMN_SPREAD,                               \
    "shadow energy of a symplectic method against its first value")                                \
  X(shadow_energy_drift, REAL, "shadow", ENERGY_RATE, DRIFT, "", 0, "|shadow energy drift|",       \
    VIDA_COLUMN_SMALLER, "fitted slope of the shadow energy")                                      \
  X(shadow_energy_drift_interval, REAL, "shadow", ENERGY_RATE, DRIFT, "", 0, "", 0,                \
    "half the 95 % confidence interval of shadow_energy_drift")                                    \
  X(shadow_energy_oscillation, REAL, "shadow", ENERGY, DRIFT, "", 0, "", VIDA_COLUMN_SMALLER,      \
    "amplitude of the shadow energy about its drift")                                              \
  X(events, COUNT, "events", NUMBER, REFERENCE, "events", 12, "", VIDA_COLUMN_EVENTS,              \
    "number of events")                                                                            \
  X(event_error, REAL, "events", TIME, REFERENCE, "event time", 13, "event time error",            \
    VIDA_COLUMN_SMALLER | VIDA_COLUMN_SPREAD | VIDA_COLUMN_EVENTS,                                 \
    "largest error of the time of an event against the reference")

/* The number of columns that every comparison has. */
#define VIDA_COLUMN_ONE(name, type, option, unit, group, title, importance, axis, traits, text) \
  +(sizeof(option) == 1)
enum { VIDA_COLUMNS = 0 VIDA_COLUMN_LIST(VIDA_COLUMN_ONE) };
#undef VIDA_COLUMN_ONE

/* The type of the cells of a column. */
typedef enum VidaColumnType {
  VIDA_COLUMN_TEXT, /* char[] */
  VIDA_COLUMN_REAL, /* double; NaN: not measured */
  VIDA_COLUMN_COUNT /* long */
} VidaColumnType;

/* A column of the table of runs: a row of VIDA_COLUMN_LIST. */
typedef struct VidaColumn {
  const char* name;       /* "position_error" */
  VidaColumnType type;    /* type of its cells */
  const char* unit;       /* "m"; "1" for plain numbers, "" for texts */
  const char* text;       /* description */
  size_t offset, size;    /* place and size of the member in VidaRow, in bytes */
  const char* option;     /* option of the comparison that adds it; "": it is always present */
  VidaUnitKind unit_kind; /* the quantity that it measures */
  VidaColumnGroup group;  /* its group */
  const char* title;      /* title in tables; "": not shown there */
  int importance;         /* tables that are too wide drop columns of low importance first */
  const char* axis;       /* title in error plots; "": not drawn there */
  unsigned traits;        /* flags of VidaColumnTrait */
} VidaColumn;
/* Returns a column that every comparison has; NULL if index is outside 0 .. VIDA_COLUMNS - 1. */
VIDA_API const VidaColumn* Vida_Column(int index);
/* Returns a column that an option of the comparison adds, by its index among these columns; NULL
 * for an unknown index. */
VIDA_API const VidaColumn* Vida_OptionalColumn(int index);
/* Returns the column with this name; NULL for an unknown name. */
VIDA_API const VidaColumn* Vida_FindColumn(const char* name);

#ifdef __cplusplus
}
#endif
#endif
