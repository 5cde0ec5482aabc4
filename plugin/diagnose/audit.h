/* Inside the audit: its systems, references, and measurements. */
#ifndef VIDA_DIAGNOSE_AUDIT_H
#define VIDA_DIAGNOSE_AUDIT_H

#include <vida/audit.h>
#include <vida/stepper.h>

#include "study/measure/defects.h"
#include "study/measure/drift.h"
#include "study/measure/norms.h"
#include "system/evaluate/evaluate.h"

/* A system of the table. */
typedef struct vida_audit_case {
  const char* name;
  int (*build)(VidaSystem* system, VidaError* error);
  int dimension;
  /* Closed form of the state at t; NULL: found by integration. */
  void (*exact)(double t, double* q, double* v);
  double time;         /* of the runs that measure orders */
  double largest_step; /* of them */
  double h;            /* of the run that conservation is watched in */
  bool conservative, reversible;
} vida_audit_case;

extern const vida_audit_case vida__audit_cases[];
int vida__audit_case_count(void);

/* A system at work: built once, with its start and its reference. */
typedef struct vida_subject {
  const vida_audit_case* of;
  VidaSystem* system;
  vida_evaluator evaluator;
  int n, m;
  double* block;
  double *q0, *v0;        /* consistent start at t = 0 */
  double *q_end, *v_end;  /* reference at of->time */
  double reference_error; /* of q_end, relative, estimated */
  double *q, *v, *a;      /* work: n */
  double* lambda;         /* work: m */
  double* entries;        /* work: values of G */
  double* dense;          /* work: G, m x n */
  double* state;          /* work of the integration */
} vida_subject;

int vida__create_subject(const vida_audit_case* of, vida_subject** subject, VidaError* error);
void vida__destroy_subject(vida_subject** subject);

/* The reference's state at t near of->time, with its multipliers (m, nullable). */
int vida__subject_at(vida_subject* subject, double t, double* q, double* v, double* lambda,
                     VidaError* error);
/* A state near q, v with g(q) = 0 and G v + g_t = 0 at t = 0. */
int vida__project_to_constraints(vida_subject* subject, double* q, double* v, VidaError* error);
/* G at (t, q) in subject->dense. */
int vida__dense_jacobian(vida_subject* subject, double t, const double* q, VidaError* error);

/* A stepper of the method at its default options, not started; VIDA_NOT_SUPPORTED: refused. */
int vida__audit_stepper(const vida_subject* subject, const char* method, double h,
                        VidaStepper** stepper, VidaError* error);
/* The same with another tolerance, of a method that chooses its own steps. */
int vida__audit_adaptive_stepper(const vida_subject* subject, const char* method, double h,
                                 double rtol, VidaStepper** stepper, VidaError* error);
/* Whether the method chooses its own steps at its default options. */
bool vida__audit_is_adaptive(const char* method);

/* The measurements, each into the row; what cannot be measured stays NaN. They return what keeps
 * the audit from going on; a method's own failures go into the row. */
int vida__measure_orders(vida_subject* subject, VidaAuditRow* row, VidaError* error);
int vida__measure_invariants(vida_subject* subject, long steps, VidaAuditRow* row,
                             VidaError* error);
int vida__measure_symplecticity(vida_subject* subject, VidaAuditRow* row, VidaError* error);
int vida__measure_reversal(vida_subject* subject, VidaAuditRow* row, VidaError* error);
int vida__measure_two_points(vida_subject* subject, VidaAuditRow* row, VidaError* error);

#endif
