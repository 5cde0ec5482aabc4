/* The method audit: what every method claims (VidaMethodInfo) against what is measured.
 *
 * Each method is run at its default options on each system of a table. Its order is fitted to
 * errors at five steps, against a closed form or an integration of the equations of motion by an
 * extrapolation method of order 12; what it keeps is watched over many steps. Of methods that
 * choose their own steps, the order is that in the tolerance: errors go with rtol^order. A claim
 * that is not measured true is a false claim. A method that refuses a system is listed with its
 * reason. */
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

/* What is measured. X(NAME, word, title, text): word in CSV and JSON, title of a column. */
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

/* Properties that are measured, and how many they are. */
#define VIDA_AUDIT_ENUMERATOR(name, word, title, text) VIDA_AUDIT_##name,
typedef enum VidaAuditProperty {
  VIDA_AUDIT_LIST(VIDA_AUDIT_ENUMERATOR) VIDA_AUDIT_PROPERTIES
} VidaAuditProperty;
#undef VIDA_AUDIT_ENUMERATOR

/* What a measurement says of a claim. */
typedef enum VidaAuditVerdict {
  VIDA_AUDIT_NO_CLAIM, /* nothing was claimed, or the system has no such property */
  VIDA_AUDIT_TRUE,     /* claimed and measured */
  VIDA_AUDIT_FALSE     /* claimed, and not measured */
} VidaAuditVerdict;

/* Why there is no value; of all systems the first of these that is true on one of them. */
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

/* What becomes of the energy. */
typedef enum VidaAuditEnergy {
  VIDA_AUDIT_ENERGY_NONE,    /* not measured, or the system does not keep its energy */
  VIDA_AUDIT_ENERGY_EXACT,   /* kept to rounding */
  VIDA_AUDIT_ENERGY_BOUNDED, /* oscillates without drift */
  VIDA_AUDIT_ENERGY_DRIFTING /* moves away from that of the start */
} VidaAuditEnergy;

/* Whether a method was measured on a system. */
typedef enum VidaAuditStatus {
  VIDA_AUDIT_MEASURED, /* it was */
  VIDA_AUDIT_REFUSED,  /* the method does not take this system; the message says why */
  VIDA_AUDIT_BROKEN    /* it took the system and could not integrate it: counts as a false claim */
} VidaAuditStatus;

enum { VIDA_AUDIT_MOMENTA = 6 /* the most momentum maps of a system */ };

/* What became of one momentum map. */
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
  VidaAuditEnergy energy;                                  /* what becomes of it */
  long steps;         /* of the run that energy, momenta and constraints were watched in */
  double h;           /* s, its step */
  int momentum_count; /* of the system */
  VidaAuditMomentum momentum[VIDA_AUDIT_MOMENTA]; /* its momentum maps */
  int false_claims;                               /* how many of its claims are not measured true */
  char message[VIDA_MESSAGE_SIZE]; /* the reason of a refusal or failure, and false claims */
} VidaAuditRow;

/* Methods measured on systems. */
typedef struct VidaAudit VidaAudit;

/* An audit without rows yet; `thorough`: 10^5 steps instead of 4000. Free with VidaAudit_Destroy.
 */
int VidaAudit_Create(bool thorough, VidaAudit** audit, VidaError* error);
/* Frees it and sets *audit to NULL; NULL is allowed. */
void VidaAudit_Destroy(VidaAudit** audit);

/* The table of systems: how many, and their names, NULL outside 0 .. count - 1. */
int VidaAudit_SystemCount(void);
const char* VidaAudit_SystemName(int index);
/* Restricts the audit to the system of this name; may be called for several. Fails with
 * VIDA_UNKNOWN_NAME and the nearest name. */
int VidaAudit_SelectSystem(VidaAudit* audit, const char* name, VidaError* error);

/* `is_over` (nullable) is called before each system; what it returns but 0 ends VidaAudit_Method
 * with VIDA_STOPPED: rows of the systems before it are there, and no last one of all systems. */
int VidaAudit_SetInterrupt(VidaAudit* audit, int (*is_over)(void* data), void* data,
                           VidaError* error);

/* Audits the method of name claims->name, whose claims are the order and the capabilities given
 * (those of Vida_FindMethod, or others to be tried), and adds a row for each system and a last one
 * for all of them. Fails only when the audit itself cannot be carried out. */
int VidaAudit_Method(VidaAudit* audit, const VidaMethodInfo* claims, VidaError* error);

/* Rows in the order of the audit, and whether one is the summary of a method. */
int VidaAudit_RowCount(const VidaAudit* audit);
const VidaAuditRow* VidaAudit_Row(const VidaAudit* audit, int row); /* NULL: there is none */
bool VidaAudit_IsSummary(const VidaAuditRow* row);
/* False claims of all rows. */
int VidaAudit_FalseClaims(const VidaAudit* audit);

/* A property in outputs. */
typedef struct VidaAuditColumn {
  const char* word;  /* in CSV and JSON: "position_order" */
  const char* title; /* of a column: "order q" */
  const char* text;  /* what it is */
} VidaAuditColumn;
/* How a property is called. */
const VidaAuditColumn* VidaAudit_Column(VidaAuditProperty property);

/* Writing: a table for each method; one line for each measurement (CSV, JSON); and one line for
 * each method in Markdown. */
int VidaReport_AuditTable(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditCsv(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditJson(const VidaAudit* audit, FILE* file, VidaError* error);
int VidaReport_AuditMarkdown(const VidaAudit* audit, FILE* file, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
