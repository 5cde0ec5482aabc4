/* The audit, internally: its systems, references and measurements. */
#ifndef VIDA_DIAGNOSE_AUDIT_H
#define VIDA_DIAGNOSE_AUDIT_H

#include <vida/audit.h>
#include <vida/stepper.h>

#include "study/measure/defects.h"
#include "study/measure/drift.h"
#include "study/measure/norms.h"
#include "study/measure/shadow.h"
#include "system/evaluate/evaluate.h"

/* A system of the table. */
typedef struct vida_audit_case {
  const char* name;
  int (*build)(VidaSystem* system, VidaError* error);
  int dimension;
  /* Computes the state at t in closed form; NULL: the reference is a numerical solution. */
  void (*exact)(double t, double* q, double* v);
  double time;         /* of the runs that measure orders, s */
  double largest_step; /* of these runs, s */
  double h;            /* step of the run that monitors conserved quantities, s */
  bool conservative, reversible;
} vida_audit_case;

extern const vida_audit_case vida__audit_cases[];
/* Returns the number of systems. */
int vida__audit_case_count(void);
/* Returns the number of those without events, which come first. */
int vida__audit_smooth_count(void);

/* A system of the audit: built once, with its start and its reference. */
typedef struct vida_subject {
  const vida_audit_case* of;
  VidaSystem* system;
  vida_evaluator evaluator;
  const VidaOptions* options; /* of the method; NULL: the default options */
  int n, m;
  double* block;
  double *q0, *v0;        /* consistent initial state at t = 0 */
  double *q_end, *v_end;  /* reference at of->time */
  double reference_error; /* estimated error of q_end, relative */
  double *q, *v, *a;      /* work: n */
  double* lambda;         /* work: m */
  double* entries;        /* work: values of G */
  double* dense;          /* work: G, m x n */
  double* state;          /* work of the integration */
} vida_subject;

/* Builds a system with its start and its reference. The caller frees *subject with
 * vida__destroy_subject. */
int vida__create_subject(const vida_audit_case* of, vida_subject** subject, VidaError* error);
/* Frees a system of the audit and sets *subject to NULL; NULL is allowed. */
void vida__destroy_subject(vida_subject** subject);

/* Computes the reference state q, v (n each) at a time t near of->time, and its multipliers lambda
 * (m, nullable). */
int vida__subject_at(vida_subject* subject, double t, double* q, double* v, double* lambda,
                     VidaError* error);
/* Moves q, v (n each) to a near state with g(q) = 0 and G v + g_t = 0 at t = 0. */
int vida__project_to_constraints(vida_subject* subject, double* q, double* v, VidaError* error);
/* Computes G at (t, q) into subject->dense. */
int vida__dense_jacobian(vida_subject* subject, double t, const double* q, VidaError* error);

/* Creates a stepper of the method with subject->options and the step h, not started. Fails with
 * VIDA_NOT_SUPPORTED if the method does not accept the system. */
int vida__audit_stepper(const vida_subject* subject, const char* method, double h,
                        VidaStepper** stepper, VidaError* error);
/* Creates a stepper of an adaptive method with the tolerance rtol, not started. Fails with
 * VIDA_NOT_SUPPORTED if the method does not accept the system. */
int vida__audit_adaptive_stepper(const vida_subject* subject, const char* method, double h,
                                 double rtol, VidaStepper** stepper, VidaError* error);
/* Returns whether the system has events or contacts. */
bool vida__subject_has_events(const vida_subject* subject);
/* Sums up the rows of a method and its options, those of a summary, on systems with or without
 * events: as the summary does for all systems. */
void vida__gather_audit(const VidaAudit* audit, const VidaAuditRow* summary, bool has_events,
                        VidaAuditRow* gathered);
/* Returns whether the method is adaptive with these options; NULL: the default ones. */
bool vida__audit_is_adaptive(const char* method, const VidaOptions* options);

/* What the errors of positions tell about their order besides the line through them. */
typedef struct vida_order_evidence {
  int above;              /* number of steps, or tolerances, with errors above rounding */
  bool falls_to_rounding; /* the errors of smaller ones are rounding */
  /* Of orders whose errors soon reach rounding; 0 for others. */
  double trend;   /* what the slope gains from larger steps to those of the line; NaN: not known */
  double highest; /* the largest slope of lines through larger steps near to those of the line */
} vida_order_evidence;

enum { VIDA_ORDER_STEPS = 5 }; /* a line goes through the errors at least that many steps */

/* Measurements. Each writes its result to the row; values that cannot be measured stay NaN. They
 * return a code only if the audit cannot continue; failures of the method are written to the row.
 */

/* `order` is the claimed one. A thorough audit follows the errors down to rounding. */
int vida__measure_orders(vida_subject* subject, int order, bool thorough, VidaAuditRow* row,
                         vida_order_evidence* evidence, VidaError* error);
int vida__measure_invariants(vida_subject* subject, long steps, VidaAuditRow* row,
                             VidaError* error);
int vida__measure_symplecticity(vida_subject* subject, VidaAuditRow* row, VidaError* error);
int vida__measure_reversal(vida_subject* subject, VidaAuditRow* row, VidaError* error);
int vida__measure_two_points(vida_subject* subject, VidaAuditRow* row, VidaError* error);

#endif
