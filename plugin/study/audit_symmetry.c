/* The audit's maps: the symplectic form, the way back, and the start from two points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/audit.h"

/* A cloud of STARTS states; at each of them VECTORS tangent vectors of the constraint manifold are
 * carried over MAPPED steps. */
enum { STARTS = 3, VECTORS = 4, MAPPED = 2, HALVINGS = 6, THERE = 50 };

#define SHIFT 2e-4 /* of the central differences of fourth order, relative */
#define LARGE 4.0  /* times the system's step: what is not symplectic should show */

/* ---- states near the start ------------------------------------------------------------------- */

/* A number in [-1, 1), the same sequence everywhere (Knuth's MMIX). */
static double draw(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static void draw_vector(unsigned long long* seed, int n, double size, double* x) {
  for (int i = 0; i < n; i++) {
    x[i] = size * draw(seed);
  }
}

typedef struct cloud {
  vida_subject* subject;
  VidaStepper* stepper;
  int n;
  double* block;
  double* base;           /* 2n: the state that vectors are tangent at, before its projection */
  double* direction;      /* 2n */
  double* state;          /* 2n: work */
  double* z;              /* 2n: work, (q, p) */
  double *before, *after; /* VECTORS x 2n: the vectors, and what the map makes of them */
  double q_size, v_size;
} cloud;

static int create_cloud(vida_subject* subject, cloud* c, VidaError* error) {
  const size_t pair = 2 * (size_t)subject->n;
  memset(c, 0, sizeof *c);
  c->subject = subject;
  c->n = subject->n;
  c->block = vida__allocate((4 + 2 * VECTORS) * pair, sizeof(double));
  if (!c->block) {
    return vida__fail_memory(error);
  }
  double** const arrays[] = {&c->base, &c->direction, &c->state, &c->z, &c->before};
  for (size_t i = 0; i < 5; i++) {
    *arrays[i] = c->block + i * pair;
  }
  c->after = c->before + VECTORS * pair;
  c->q_size = fmax(vida__largest(c->n, subject->q0), 1e-3 * vida__largest(c->n, subject->v0));
  c->v_size = vida__largest(c->n, subject->v0);
  return VIDA_SUCCESS;
}

/* (q, p) after the start from the projected c->state, and after MAPPED steps. */
static int map_state(cloud* c, double* start, double* end, VidaError* error) {
  const size_t bytes = (size_t)c->n * sizeof(double);
  int code = vida__project_to_constraints(c->subject, c->state, c->state + c->n, error);
  code = code ? code : VidaStepper_Start(c->stepper, 0.0, c->state, c->state + c->n, error);
  if (!code) {
    memcpy(start, VidaStepper_Positions(c->stepper), bytes);
    memcpy(start + c->n, VidaStepper_Momenta(c->stepper), bytes);
  }
  for (int i = 0; i < MAPPED && !code; i++) {
    code = VidaStepper_Step(c->stepper, error);
  }
  if (!code) {
    memcpy(end, VidaStepper_Positions(c->stepper), bytes);
    memcpy(end + c->n, VidaStepper_Momenta(c->stepper), bytes);
  }
  return code;
}

/* The derivatives of start and end along c->direction. */
static int map_vector(cloud* c, double* before, double* after, VidaError* error) {
  static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
  const int count = 2 * c->n;
  double* end = c->subject->state;
  int code = VIDA_SUCCESS;
  memset(before, 0, (size_t)count * sizeof *before);
  memset(after, 0, (size_t)count * sizeof *after);
  for (int k = 0; k < 4 && !code; k++) {
    for (int i = 0; i < count; i++) {
      c->state[i] = c->base[i] + offset[k] * SHIFT * c->direction[i];
    }
    code = map_state(c, c->z, end, error);
    for (int i = 0; i < count; i++) {
      before[i] += weight[k] / SHIFT * c->z[i];
      after[i] += weight[k] / SHIFT * end[i];
    }
  }
  return code;
}

/* dq ^ dp. On tangent vectors of the constraint manifold it does not see the components of p along
 * G^T, so p need not be projected. *size: the sum of the addends' sizes. */
static double form(int n, const double* a, const double* b, double* size) {
  double sum = 0.0;
  *size = 0.0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[n + i] - a[n + i] * b[i];
    *size += fabs(a[i] * b[n + i]) + fabs(a[n + i] * b[i]);
  }
  return sum;
}

static int defect_at(cloud* c, unsigned long long* seed, double* defect, VidaError* error) {
  const int pair = 2 * c->n;
  double largest = 0.0;
  double change = 0.0;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < VECTORS && !code; k++) {
    draw_vector(seed, c->n, c->q_size, c->direction);
    draw_vector(seed, c->n, c->v_size, c->direction + c->n);
    code = map_vector(c, c->before + k * pair, c->after + k * pair, error);
  }
  for (int i = 0; i < VECTORS && !code; i++) {
    for (int j = 0; j < i; j++) {
      double size = 0.0;
      const double old = form(c->n, c->before + i * pair, c->before + j * pair, &size);
      const double mapped = form(c->n, c->after + i * pair, c->after + j * pair, &size);
      largest = fmax(largest, fabs(old));
      change = fmax(change, fabs(mapped - old));
    }
  }
  *defect = fmax(*defect, change / largest);
  return code;
}

static int measure_defect(cloud* c, double* defect, VidaError* failure) {
  const vida_subject* subject = c->subject;
  unsigned long long seed = 20111;
  int code = VIDA_SUCCESS;
  *defect = 0.0;
  for (int s = 0; s < STARTS && !code; s++) {
    draw_vector(&seed, c->n, s ? 0.1 * c->q_size : 0.0, c->base);
    draw_vector(&seed, c->n, s ? 0.1 * c->v_size : 0.0, c->base + c->n);
    for (int i = 0; i < c->n; i++) {
      c->base[i] += subject->q0[i];
      c->base[c->n + i] += subject->v0[i];
    }
    code = defect_at(c, &seed, defect, failure);
  }
  return code;
}

int vida__measure_symplecticity(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  VidaError failure = {0};
  double h = LARGE * subject->of->h;
  int failed = VIDA_STEP_NOT_CONVERGED;
  int code = VIDA_SUCCESS;
  if (!subject->of->conservative || subject->system->nonholonomic) {
    return VIDA_SUCCESS; /* nothing to be preserved */
  }
  for (int i = 0; i <= HALVINGS && failed && !code; i++, h *= 0.5) {
    cloud c;
    double defect;
    code = create_cloud(subject, &c, error);
    code = code ? code : vida__audit_stepper(subject, row->method, h, &c.stepper, error);
    if (!code) {
      failed = measure_defect(&c, &defect, &failure);
    }
    if (!code && !failed) {
      row->measurement[VIDA_AUDIT_SYMPLECTIC].value = defect;
    }
    VidaStepper_Destroy(&c.stepper);
    free(c.block);
  }
  return code;
}

/* ---- there and back -------------------------------------------------------------------------- */

static int march(VidaStepper* stepper, long steps, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (long i = 0; i < steps && !code; i++) {
    code = VidaStepper_Step(stepper, error);
  }
  return code;
}

/* The state of the stepper with its velocities turned round, in subject->q and v. */
static int turn_round(vida_subject* subject, VidaStepper* stepper, VidaError* error) {
  const int code = VidaStepper_Velocities(stepper, subject->v, error);
  memcpy(subject->q, VidaStepper_Positions(stepper), (size_t)subject->n * sizeof(double));
  for (int i = 0; i < subject->n; i++) {
    subject->v[i] = -subject->v[i];
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

static int go_there_and_back(vida_subject* subject, VidaStepper* stepper, VidaError* failure) {
  int failed = VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, failure);
  failed = failed ? failed : march(stepper, THERE, failure);
  failed = failed ? failed : turn_round(subject, stepper, failure);
  failed = failed ? failed : VidaStepper_Start(stepper, 0.0, subject->q, subject->v, failure);
  failed = failed ? failed : march(stepper, THERE, failure);
  return failed ? failed : turn_round(subject, stepper, failure);
}

int vida__measure_reversal(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  const int n = subject->n;
  double h = LARGE * subject->of->h;
  int failed = VIDA_STEP_NOT_CONVERGED;
  int code = VIDA_SUCCESS;
  for (int i = 0; i <= HALVINGS && failed && !code && subject->of->reversible; i++, h *= 0.5) {
    VidaError failure = {0};
    VidaStepper* stepper = NULL;
    code = vida__audit_stepper(subject, row->method, h, &stepper, error);
    failed = code ? code : go_there_and_back(subject, stepper, &failure);
    if (!failed) {
      const double q_off = distance(n, subject->q, subject->q0) / vida__largest(n, subject->q0);
      const double v_off = distance(n, subject->v, subject->v0) / vida__largest(n, subject->v0);
      row->measurement[VIDA_AUDIT_REVERSIBLE].value = q_off > v_off || isnan(q_off) ? q_off : v_off;
    }
    VidaStepper_Destroy(&stepper);
  }
  return code;
}

/* ---- from two points ------------------------------------------------------------------------- */

/* From its own first two points a method goes on as it did before. */
int vida__measure_two_points(vida_subject* subject, VidaAuditRow* row, VidaError* error) {
  enum { STEPS = 20 };
  VidaError failure = {0};
  VidaStepper* stepper = NULL;
  const size_t bytes = (size_t)subject->n * sizeof(double);
  const int code = vida__audit_stepper(subject, row->method, row->h, &stepper, error);
  int failed = code;
  failed = failed ? failed : VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &failure);
  failed = failed ? failed : march(stepper, 1, &failure);
  if (!failed) {
    memcpy(subject->v, VidaStepper_Positions(stepper), bytes);
    failed = march(stepper, STEPS, &failure);
  }
  if (!failed) {
    memcpy(subject->q, VidaStepper_Positions(stepper), bytes);
    failed = VidaStepper_StartTwoPoints(stepper, 0.0, subject->q0, subject->v, &failure);
  }
  failed = failed ? failed : march(stepper, STEPS, &failure);
  if (!failed) {
    row->measurement[VIDA_AUDIT_TWO_POINT_START].value =
        distance(subject->n, VidaStepper_Positions(stepper), subject->q) /
        vida__largest(subject->n, subject->q);
  }
  VidaStepper_Destroy(&stepper);
  return code;
}
