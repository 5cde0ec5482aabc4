/* The audit of methods: their claims (VidaMethodInfo) against measurements.
 *
 * Each method runs with its default options on each system of a table. Its order is fitted to
 * errors at five steps, against a closed form or an integration of the equations of motion by an
 * extrapolation method of order 12. Conserved quantities are monitored over many steps. The order
 * of an adaptive method is that in the tolerance: errors are proportional to rtol^order. A claim
 * that the measurement contradicts is a false claim. A method that refuses a system is listed with
 * its reason. */
#ifndef VIDA_AUDIT_H
#define VIDA_AUDIT_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/stepper.h>
#include <vida/study.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measured properties. X(NAME, word, title, text): word in CSV and JSON, title of a column. */
#define VIDA_AUDIT_LIST(X)                                                                 \
  X(POSITION_ORDER, "position_order", "order q", "order of positions")                     \
  X(VELOCITY_ORDER, "velocity_order", "order v", "order of velocities")                    \
  X(MULTIPLIER_ORDER, "multiplier_order", "order lambda", "order of multipliers")          \
  X(ENERGY, "energy", "energy", "largest deviation of the energy, relative")               \
  X(DRIFT, "energy_drift", "drift", "slope fitted to the energy, relative, in 1/s")        \
  X(MOMENTUM, "momentum", "momentum", "largest deviation of a momentum map, relative")     \
  X(SYMPLECTIC, "symplectic_defect", "omega", "change of the symplectic form, relative")   \
  X(REVERSIBLE, "reversal", "reversal", "distance from the start after there and back")    \
  X(POSITION_LEVEL, "position_level", "|g|", "largest violation of g = 0, relative")       \
  X(VELOCITY_LEVEL, "velocity_level", "|Gv|", "largest violation of G v + g_t, relative")  \
  X(POSITION_GROWTH, "position_growth", "growth |g|", "power of time that g grows with")   \
  X(VELOCITY_GROWTH, "velocity_growth", "growth |Gv|", "the same of G v + g_t")            \
  X(DISSIPATION, "dissipation", "rise", "largest rise of an energy that a damper takes")   \
  X(TWO_POINT_START, "two_point_start", "two points", "deviation after a two-point start") \
  X(COST, "residuals_per_step", "cost", "evaluations of the residual in a step")

/* Measured properties, and their number VIDA_AUDIT_PROPERTIES. */
#define VIDA_AUDIT_ENUMERATOR(name, word, title, text) VIDA_AUDIT_##name,
typedef enum VidaAuditProperty {
  VIDA_AUDIT_LIST(VIDA_AUDIT_ENUMERATOR) VIDA_AUDIT_PROPERTIES
} VidaAuditProperty;
#undef VIDA_AUDIT_ENUMERATOR

/* Verdicts of measurements on claims. */
typedef enum VidaAuditVerdict {
  VIDA_AUDIT_NO_CLAIM, /* nothing was claimed, or the system has no such property */
  VIDA_AUDIT_TRUE,     /* claimed and measured */
  VIDA_AUDIT_FALSE     /* claimed, and not measured */
} VidaAuditVerdict;

/* Reasons why there is no value. The summary of a method has the first of these that holds on one
 * of the systems. */
typedef enum VidaAuditReach {
  VIDA_AUDIT_PRESENT,      /* there is one */
  VIDA_AUDIT_NOT_MEASURED, /* the method takes the system, and this was not measured or not found */
  VIDA_AUDIT_REFUSES,      /* the method does not take the system, which has such a property */
  VIDA_AUDIT_DOES_NOT_APPLY /* the system has no such property */
} VidaAuditReach;

/* One property of one method on one system. */
typedef struct VidaAuditMeasurement {
  double value;    /* NaN: see reach */
  double interval; /* half of the 95 % confidence interval of fitted slopes; NaN for others */
  double claimed;  /* an order, or the largest value that the claim allows; NaN: no claim */
  VidaAuditVerdict verdict; /* on the claim */
  VidaAuditReach reach;     /* why there is no value */
} VidaAuditMeasurement;

/* Behaviours of the energy. */
typedef enum VidaAuditEnergy {
  VIDA_AUDIT_ENERGY_NONE,    /* not measured, or the system does not keep its energy */
  VIDA_AUDIT_ENERGY_EXACT,   /* kept to rounding */
  VIDA_AUDIT_ENERGY_BOUNDED, /* oscillates without drift */
  VIDA_AUDIT_ENERGY_DRIFTING /* departs from the energy at the start */
} VidaAuditEnergy;

/* Whether a method was measured on a system. */
typedef enum VidaAuditStatus {
  VIDA_AUDIT_MEASURED, /* it was */
  VIDA_AUDIT_REFUSED,  /* the method does not take this system; the message says why */
  VIDA_AUDIT_BROKEN    /* it took the system and could not integrate it: counts as a false claim */
} VidaAuditStatus;

enum { VIDA_AUDIT_MOMENTA = 6 /* the most momentum maps of a system */ };

/* The measurement of one momentum map. */
typedef struct VidaAuditMomentum {
  char name[VIDA_NAME_SIZE]; /* "J_z" */
  double value;              /* largest deviation, relative */
} VidaAuditMomentum;

/* One method on one system. */
typedef struct VidaAuditRow {
  char method[VIDA_NAME_SIZE]; /* its name */
  char system[VIDA_NAME_SIZE]; /* "all systems" for the summary of a method */
  VidaAuditStatus status;      /* whether there are measurements */
  bool adaptive;               /* orders are powers of the tolerance, not of the step */
  bool general; /* the system's Lagrangian is not v^T M v / 2 - V(q), or it has forces */
  VidaAuditMeasurement measurement[VIDA_AUDIT_PROPERTIES]; /* by VidaAuditProperty */
  VidaAuditEnergy energy;                                  /* behaviour of the energy */
  long steps;         /* of the run in which energy, momenta and constraints were monitored */
  double h;           /* s, the step of that run */
  int momentum_count; /* of the system */
  VidaAuditMomentum momentum[VIDA_AUDIT_MOMENTA]; /* its momentum maps */
  int false_claims;                               /* number of false claims */
  char message[VIDA_MESSAGE_SIZE]; /* the reason of a refusal or failure, and false claims */
} VidaAuditRow;

/* An audit: rows of methods measured on systems. */
typedef struct VidaAudit VidaAudit;

/* Creates an audit without rows; `thorough` selects runs of 10^5 steps instead of 4000. The caller
 * owns *audit and frees it with VidaAudit_Destroy. */
int VidaAudit_Create(bool thorough, VidaAudit** audit, VidaError* error);
/* Frees an audit and sets *audit to NULL; NULL is allowed. */
void VidaAudit_Destroy(VidaAudit** audit);

/* The number of systems in the table, and the name of one by its index, NULL outside
 * 0 .. count - 1. */
int VidaAudit_SystemCount(void);
const char* VidaAudit_SystemName(int index);
/* Restricts the audit to the system of this name; may be called for several. Fails with
 * VIDA_UNKNOWN_NAME and the nearest name. */
int VidaAudit_SelectSystem(VidaAudit* audit, const char* name, VidaError* error);

/* Sets a function that can stop the audit; NULL removes it. `is_over` is called with `data` before
 * each system; a nonzero return value ends VidaAudit_Method with VIDA_STOPPED. The audit then has
 * the rows of the systems before, without the summary of the method. */
int VidaAudit_SetInterrupt(VidaAudit* audit, int (*is_over)(void* data), void* data,
                           VidaError* error);

/* Audits the method with the name claims->name and adds a row for each system, then a summary of
 * all systems. Its claims are the order and the capabilities in `claims`: those of Vida_FindMethod,
 * or others to be tested. Fails only if the audit itself cannot be carried out. */
int VidaAudit_Method(VidaAudit* audit, const VidaMethodInfo* claims, VidaError* error);

/* The number of rows, one of them by its index in the order of the audit, and whether a row is the
 * summary of a method. */
int VidaAudit_RowCount(const VidaAudit* audit);
const VidaAuditRow* VidaAudit_Row(const VidaAudit* audit, int row); /* NULL: there is none */
bool VidaAudit_IsSummary(const VidaAuditRow* row);
/* The number of false claims in all rows. */
int VidaAudit_FalseClaims(const VidaAudit* audit);

/* The names of a property in outputs. */
typedef struct VidaAuditColumn {
  const char* word;  /* in CSV and JSON: "position_order" */
  const char* title; /* of a column: "order q" */
  const char* text;  /* description */
} VidaAuditColumn;
/* The names of a property. */
const VidaAuditColumn* VidaAudit_Column(VidaAuditProperty property);

/* Write an audit to a file: a table for each method; one line for each measurement (CSV, JSON); or
 * one line for each method (Markdown). */
int VidaReport_AuditTable(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditCsv(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditJson(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditMarkdown(const VidaAudit* audit, FILE* file, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
