/* The audit of methods: measurements of their claims (VidaMethodInfo).
 *
 * The audit runs each method, with its default options or with given ones, on each system of a
 * table. It fits the order
 * to the errors at five steps, measured against a closed form or against an extrapolation method of
 * order 12. For an adaptive method, it fits the order in the tolerance: errors are proportional to
 * rtol^order. Systems with elastic impacts, couplings and friction show what is left across events.
 * It monitors conserved quantities over many steps. A claim that a measurement
 * contradicts is a false claim. If a method does not accept a system, the audit lists the reason.
 */
#ifndef VIDA_AUDIT_H
#define VIDA_AUDIT_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/stepper.h>
#include <vida/study.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measured properties. X(NAME, word, title, text): `word` is the name in CSV and JSON, `title` the
 * title of a column. */
#define VIDA_AUDIT_LIST(X)                                                                      \
  X(POSITION_ORDER, "position_order", "order q", "order of positions")                          \
  X(VELOCITY_ORDER, "velocity_order", "order v", "order of velocities")                         \
  X(MULTIPLIER_ORDER, "multiplier_order", "order lambda", "order of multipliers")               \
  X(ENERGY, "energy", "energy", "largest deviation of the energy, relative")                    \
  X(DRIFT, "energy_drift", "drift", "slope fitted to the energy, relative, in 1/s")             \
  X(SHADOW, "shadow_energy_drift", "drift H'", "slope of the shadow energy, relative, in 1/s")  \
  X(MOMENTUM, "momentum", "momentum", "largest deviation of a momentum map, relative")          \
  X(SYMPLECTIC, "symplectic_defect", "omega", "change of the symplectic form, relative")        \
  X(REVERSIBLE, "reversal", "reversal", "distance from the start after steps forward and back") \
  X(POSITION_LEVEL, "position_level", "|g|", "largest violation of g = 0, relative")            \
  X(VELOCITY_LEVEL, "velocity_level", "|Gv|", "largest violation of G v + g_t, relative")       \
  X(POSITION_GROWTH, "position_growth", "growth |g|", "exponent of the growth of g in time")    \
  X(VELOCITY_GROWTH, "velocity_growth", "growth |Gv|", "exponent of the growth of G v + g_t")   \
  X(DISSIPATION, "dissipation", "rise", "largest rise of the energy of a damped system")        \
  X(TWO_POINT_START, "two_point_start", "two points", "deviation after a two-point start")      \
  X(COST, "residuals_per_step", "cost", "evaluations of the residual in a step")                \
  X(LEAST_ERROR, "least_error", "down to",                                                      \
    "smallest error to which the order of positions is fitted")

/* A measured property; VIDA_AUDIT_PROPERTIES is the number of properties. */
#define VIDA_AUDIT_ENUMERATOR(name, word, title, text) VIDA_AUDIT_##name,
typedef enum VidaAuditProperty {
  VIDA_AUDIT_LIST(VIDA_AUDIT_ENUMERATOR) VIDA_AUDIT_PROPERTIES
} VidaAuditProperty;
#undef VIDA_AUDIT_ENUMERATOR

/* The verdict of a measurement on a claim. */
typedef enum VidaAuditVerdict {
  VIDA_AUDIT_NO_CLAIM, /* the method does not claim the property, or the system does not have it */
  VIDA_AUDIT_OPEN, /* the errors neither confirm nor contradict the claim; the message says why */
  VIDA_AUDIT_TRUE, /* the measurement agrees with the claim */
  VIDA_AUDIT_FALSE /* the measurement contradicts the claim */
} VidaAuditVerdict;

/* Whether a measurement has a value, and if not, the reason. The summary of a method has the first
 * of these that applies to one of the systems. */
typedef enum VidaAuditAvailability {
  VIDA_AUDIT_AVAILABLE,     /* it has a value */
  VIDA_AUDIT_NOT_MEASURED,  /* the method accepts the system, but the measurement gave no value */
  VIDA_AUDIT_NOT_ACCEPTED,  /* the system has the property, but the method does not accept it */
  VIDA_AUDIT_DOES_NOT_APPLY /* the system does not have the property */
} VidaAuditAvailability;

/* The measurement of one property of one method on one system. */
typedef struct VidaAuditMeasurement {
  double value;    /* NaN: no value, see `availability` */
  double interval; /* half of the 95 % confidence interval of a fitted slope; NaN: no slope */
  double claimed;  /* an order, or the largest value that the claim allows; NaN: no claim */
  VidaAuditVerdict verdict;           /* the verdict on the claim */
  VidaAuditAvailability availability; /* whether there is a value, and if not, the reason */
} VidaAuditMeasurement;

/* The behaviour of the energy. */
typedef enum VidaAuditEnergy {
  VIDA_AUDIT_ENERGY_NONE,    /* not measured, or the system does not conserve its energy */
  VIDA_AUDIT_ENERGY_EXACT,   /* conserved to rounding */
  VIDA_AUDIT_ENERGY_BOUNDED, /* oscillates without drift */
  VIDA_AUDIT_ENERGY_DRIFTING /* drifts */
} VidaAuditEnergy;

/* The status of a method on a system. */
typedef enum VidaAuditStatus {
  VIDA_AUDIT_MEASURED, /* it was measured */
  VIDA_AUDIT_REFUSED,  /* the method does not accept the system; the message gives the reason */
  VIDA_AUDIT_BROKEN    /* the method accepted the system but failed, which is a false claim */
} VidaAuditStatus;

enum { VIDA_AUDIT_MOMENTA = 6 /* the largest number of momentum maps of a system */ };

/* The measurement of one momentum map. */
typedef struct VidaAuditMomentum {
  char name[VIDA_NAME_SIZE]; /* "J_z" */
  double value;              /* largest deviation, relative */
} VidaAuditMomentum;

/* The audit of one method on one system, or the summary of one method on all systems. */
typedef struct VidaAuditRow {
  char method[VIDA_NAME_SIZE];     /* name of the method */
  char options[VIDA_OPTIONS_SIZE]; /* its options that are set: "plan=general"; "": none */
  char system[VIDA_NAME_SIZE];     /* name of the system; "all systems" for the summary */
  VidaAuditStatus status;          /* whether there are measurements */
  bool adaptive;                   /* orders are powers of the tolerance, not of the step */
  bool general;    /* the Lagrangian is not v^T M v / 2 - V(q), or the system has forces */
  bool has_events; /* the system has events or contacts */
  VidaAuditMeasurement measurement[VIDA_AUDIT_PROPERTIES]; /* indexed by VidaAuditProperty */
  VidaAuditEnergy energy;                                  /* behaviour of the energy */
  long steps;         /* number of steps over which conserved quantities were monitored */
  double h;           /* length of these steps, s */
  int momentum_count; /* number of momentum maps of the system */
  VidaAuditMomentum momentum[VIDA_AUDIT_MOMENTA]; /* the momentum maps */
  int false_claims;                               /* number of false claims */
  char message[VIDA_MESSAGE_SIZE];                /* reason of a refusal or failure; false claims */
} VidaAuditRow;

/* An audit of methods. */
typedef struct VidaAudit VidaAudit;

/* Creates an audit without rows. Conserved quantities are monitored over 4000 steps (with events
 * over 2000), or, if `thorough`, over 10^5 steps; a thorough audit also follows the errors of
 * orders above 2 down to rounding, or to four times as many steps. The caller owns *audit and frees
 * it with VidaAudit_Destroy. */
VIDA_API int VidaAudit_Create(bool thorough, VidaAudit** audit, VidaError* error);
/* Frees an audit and sets *audit to NULL; NULL is allowed. */
VIDA_API void VidaAudit_Destroy(VidaAudit** audit);

/* Returns the number of systems in the table of the audit. */
VIDA_API int VidaAudit_SystemCount(void);
/* Returns the name of a system of the table; NULL outside 0 .. VidaAudit_SystemCount - 1. */
VIDA_API const char* VidaAudit_SystemName(int index);
/* Adds a system, by its name, to the selection of systems; without a selection the audit runs all
 * systems. Fails with VIDA_UNKNOWN_NAME for an unknown name; the message suggests the nearest name.
 */
VIDA_API int VidaAudit_SelectSystem(VidaAudit* audit, const char* name, VidaError* error);

/* Sets a function that can stop the audit; NULL removes it. `is_over` is called with `data` before
 * each system. If it returns a nonzero value, VidaAudit_Method fails with VIDA_STOPPED; the audit
 * then has the rows of the earlier systems, but no summary of the method. */
VIDA_API int VidaAudit_SetInterrupt(VidaAudit* audit, int (*is_over)(void* data), void* data,
                                    VidaError* error);

/* Audits the method with the name claims->name, and adds one row for each system and one summary.
 * The audit tests the order and the capabilities in `claims`, which come from Vida_FindMethod or
 * from the caller. Fails only if the audit itself cannot run. */
VIDA_API int VidaAudit_Method(VidaAudit* audit, const VidaMethodInfo* claims, VidaError* error);
/* The same for the method of `options` with these values; h and rtol are those of the audit. Tests
 * the order of Vida_MethodOrder, and the capabilities that the method has with these options. */
VIDA_API int VidaAudit_Options(VidaAudit* audit, const VidaOptions* options, VidaError* error);

/* Returns the number of rows. */
VIDA_API int VidaAudit_RowCount(const VidaAudit* audit);
/* Returns the row with this index, in the order of the audit; NULL for an unknown index. It belongs
 * to the audit and is valid until the next VidaAudit_Method. */
VIDA_API const VidaAuditRow* VidaAudit_Row(const VidaAudit* audit, int row);
/* Returns whether a row is the summary of a method. */
VIDA_API bool VidaAudit_IsSummary(const VidaAuditRow* row);
/* Returns the number of false claims in all rows. */
VIDA_API int VidaAudit_FalseClaims(const VidaAudit* audit);

/* The names of a property in outputs. */
typedef struct VidaAuditColumn {
  const char* word;  /* name in CSV and JSON: "position_order" */
  const char* title; /* title of a column: "order q" */
  const char* text;  /* description */
} VidaAuditColumn;
/* Returns the names of a property; NULL for a number that is not a property. */
VIDA_API const VidaAuditColumn* VidaAudit_Column(VidaAuditProperty property);

/* Writes one table for each method to a file. */
VIDA_API int VidaReport_AuditTable(const VidaAudit* audit, FILE* file, VidaError* error);
/* Writes one line of CSV for each measurement to a file. */
VIDA_API int VidaReport_AuditCsv(const VidaAudit* audit, FILE* file, VidaError* error);
/* Writes one JSON object for each measurement to a file. */
VIDA_API int VidaReport_AuditJson(const VidaAudit* audit, FILE* file, VidaError* error);
/* Writes a Markdown table with one line for each method to a file. */
VIDA_API int VidaReport_AuditMarkdown(const VidaAudit* audit, FILE* file, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
