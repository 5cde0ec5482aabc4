/* The audit of maps: the symplectic form, reversal, and the start from two points. */
#include <math.h>
#include <string.h>

#include "diagnose/audit.h"

/* A map over MAPPED steps, more than a method makes with another one before its own. */
enum { STARTS = 3, MAPPED = 12, HALVINGS = 6, THERE = 50 };

#define LARGE 4.0 /* in units of the system's step; large enough to reveal a defect */

static int measure_form(const vida_subject* subject, VidaStepper* stepper, double h, double* defect,
                        VidaError* failure) {
  const vida_segment_runner stretch = vida__plain_segment(stepper, h, MAPPED);
  return vida__measure_symplectic_defect(&stretch, subject->q0, subject->v0, STARTS, defect, NULL,
                                         failure);
}

static int measure_way_back(const vida_subject* subject, VidaStepper* stepper, double h,
                            double* defect, VidaError* failure) {
  const vida_segment_runner stretch = vida__plain_segment(stepper, h, THERE);
  return vida__measure_reversibility_defect(&stretch, subject->q0, subject->v0, defect, NULL,
                                            failure);
}

typedef int measure_defect(const vida_subject* subject, VidaStepper* stepper, double h,
                           double* defect, VidaError* failure);

/* Measures with a large step; if the method fails with it, halves it until the method succeeds. */
static int measure_at_large_step(const vida_subject* subject, const char* method,
                                 measure_defect* measure, double* value, VidaError* error) {
  double h = LARGE * subject->of->h;
  int failed = VIDA_STEP_NOT_CONVERGED;
  int code = VIDA_SUCCESS;
  for (int i = 0; i <= HALVINGS && failed && !code; i++, h *= 0.5) {
    VidaError failure = {0};
    VidaStepper* stepper = NULL;
    double defect = NAN;
    code = vida__audit_stepper(subject, method, h, &stepper, error);
    failed = code ? code : measure(subject, stepper, h, &defect, &failure);
    if (!failed) {
      *value = defect;
    }
    VidaStepper_Destroy(&stepper);
  }
  return code;
}

int vida__measure_symplecticity(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  if (!subject->of->conservative || subject->system->nonholonomic) {
    return VIDA_SUCCESS; /* nothing to be preserved */
  }
  return measure_at_large_step(subject, row->method, measure_form,
                               &row->measurement[VIDA_AUDIT_SYMPLECTIC].value, error);
}

int vida__measure_reversal(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  if (!subject->of->reversible) {
    return VIDA_SUCCESS;
  }
  return measure_at_large_step(subject, row->method, measure_way_back,
                               &row->measurement[VIDA_AUDIT_REVERSIBLE].value, error);
}

/* ---- from two points ------------------------------------------------------------------------- */

static int loop(VidaStepper* stepper, long steps, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (long i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(stepper, error);
  }
  return code;
}

static double distance(int n, const double* a, const double* b) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    const double off = fabs(a[i] - b[i]);
    largest = off > largest || isnan(off) ? off : largest;
  }
  return largest;
}

/* A method that starts from its own first two points continues as before. */
int vida__measure_two_points(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  enum { STEPS = 20 };
  VidaError failure = {0};
  VidaStepper* stepper = NULL;
  const size_t bytes = (size_t)subject->n * sizeof(double);
  const int code = vida__audit_stepper(subject, row->method, row->h, &stepper, error);
  int failed = code;
  failed = failed ? failed : VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &failure);
  failed = failed ? failed : loop(stepper, 1, &failure);
  if (!failed) {
    memcpy(subject->v, VidaStepper_Positions(stepper), bytes);
    failed = loop(stepper, STEPS, &failure);
  }
  if (!failed) {
    memcpy(subject->q, VidaStepper_Positions(stepper), bytes);
    failed = VidaStepper_StartTwoPoints(stepper, 0.0, subject->q0, subject->v, &failure);
  }
  failed = failed ? failed : loop(stepper, STEPS, &failure);
  if (!failed) {
    row->measurement[VIDA_AUDIT_TWO_POINT_START].value =
        distance(subject->n, VidaStepper_Positions(stepper), subject->q) /
        vida__largest(subject->n, subject->q);
  }
  VidaStepper_Destroy(&stepper);
  return code;
}
