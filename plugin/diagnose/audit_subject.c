/* A system of the audit: its start, its reference solution, and the projection of neighbouring
 * states onto its constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/contact.h>
#include <vida/event.h>

#include "base/error.h"
#include "base/memory.h"
#include "diagnose/audit.h"

enum { COLUMNS = 6, REFERENCE_STEPS = 60 };

/* ---- the reference --------------------------------------------------------------------------- */

/* d/dt (q, v), n each */
static int rate(vida_subject* subject, double t, const double* state, double* result,
                VidaError* error) {
  memcpy(result, state + subject->n, (size_t)subject->n * sizeof *result);
  return VidaSystem_Accelerations(subject->system, t, state, state + subject->n,
                                  result + subject->n, subject->lambda, error);
}

/* Applies the modified midpoint rule with `substeps` steps over h, smoothed at the end (Gragg
 * 1965). */
static int midpoint_rule(vida_subject* subject, double t, double h, int substeps,
                         const double* state, double* result, VidaError* error) {
  const int count = 2 * subject->n;
  const double step = h / substeps;
  double* f = subject->state + (COLUMNS + 1) * count;
  double* before = f + count;
  double* now = before + count;
  int code = rate(subject, t, state, f, error);
  for (int c = 0; c < count; c++) {
    before[c] = state[c];
    now[c] = state[c] + step * f[c];
  }
  for (int i = 1; i < substeps && !code; i++) {
    code = rate(subject, t + i * step, now, f, error);
    for (int c = 0; c < count; c++) {
      const double next = before[c] + 2.0 * step * f[c];
      before[c] = now[c];
      now[c] = next;
    }
  }
  code = code ? code : rate(subject, t + h, now, f, error);
  for (int c = 0; c < count; c++) {
    result[c] = 0.5 * (now[c] + before[c] + step * f[c]);
  }
  return code;
}

/* Makes one extrapolated step of order 12: Aitken-Neville in the square of the substep. */
static int extrapolated_step(vida_subject* subject, double t, double h, VidaError* error) {
  const int count = 2 * subject->n;
  double* state = subject->state;
  double* table = state + count;
  int code = VIDA_SUCCESS;
  for (int j = 0; j < COLUMNS && !code; j++) {
    code = midpoint_rule(subject, t, h, 2 * (j + 1), state, table + j * count, error);
    for (int k = j - 1; k >= 0; k--) {
      const double ratio = (double)((j + 1) * (j + 1)) / (double)((k + 1) * (k + 1));
      double* to = table + k * count;
      for (int c = 0; c < count; c++) {
        to[c] = to[count + c] + (to[count + c] - to[c]) / (ratio - 1.0);
      }
    }
  }
  memcpy(state, table, (size_t)count * sizeof *state);
  return code;
}

/* Integrates from (t0, q0, v0) over `time` in `steps` steps to q, v. */
static int integrate(vida_subject* subject, double t0, double time, int steps, const double* q0,
                     const double* v0, double* q, double* v, VidaError* error) {
  const size_t bytes = (size_t)subject->n * sizeof(double);
  const double h = time / steps;
  int code = VIDA_SUCCESS;
  memcpy(subject->state, q0, bytes);
  memcpy(subject->state + subject->n, v0, bytes);
  for (int i = 0; i < steps && !code; i++) {
    code = extrapolated_step(subject, t0 + i * h, h, error);
  }
  memcpy(q, subject->state, bytes);
  memcpy(v, subject->state + subject->n, bytes);
  return code;
}

static int make_reference(vida_subject* subject, VidaError* error) {
  const vida_audit_case* of = subject->of;
  if (of->exact) {
    of->exact(of->time, subject->q_end, subject->v_end);
    subject->reference_error = 1e-15;
    return VIDA_SUCCESS;
  }
  int code = integrate(subject, 0.0, of->time, REFERENCE_STEPS, subject->q0, subject->v0,
                       subject->q, subject->v, error);
  code = code ? code
              : integrate(subject, 0.0, of->time, 2 * REFERENCE_STEPS, subject->q0, subject->v0,
                          subject->q_end, subject->v_end, error);
  for (int i = 0; i < subject->n; i++) {
    subject->q[i] -= subject->q_end[i];
  }
  subject->reference_error =
      vida__largest(subject->n, subject->q) / vida__largest(subject->n, subject->q_end);
  return code;
}

int vida__subject_at(vida_subject* subject, double t, double* q, double* v, double* lambda,
                     VidaError* error) {
  const vida_audit_case* of = subject->of;
  const size_t bytes = (size_t)subject->n * sizeof(double);
  const double back = t - of->time;
  int code = VIDA_SUCCESS;
  if (of->exact) {
    of->exact(t, q, v);
  } else if (fabs(back) < 1e-14 * of->time) {
    memcpy(q, subject->q_end, bytes);
    memcpy(v, subject->v_end, bytes);
  } else {
    const int steps = (int)ceil(fabs(back) / of->time * 2 * REFERENCE_STEPS);
    code = integrate(subject, of->time, back, steps, subject->q_end, subject->v_end, q, v, error);
  }
  if (lambda && !code) {
    code = VidaSystem_Accelerations(subject->system, t, q, v, subject->a, lambda, error);
  }
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_arrays(vida_subject* subject) {
  const size_t n = (size_t)subject->n;
  const size_t m = (size_t)subject->m;
  const vida_array arrays[] = {{&subject->q0, n},
                               {&subject->v0, n},
                               {&subject->q_end, n},
                               {&subject->v_end, n},
                               {&subject->q, n},
                               {&subject->v, n},
                               {&subject->a, n},
                               {&subject->lambda, 2 * m},
                               {&subject->entries, (size_t)subject->system->entry_count},
                               {&subject->dense, m * n},
                               {&subject->state, 2 * n * (COLUMNS + 4)}};
  subject->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  return subject->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__create_subject(const vida_audit_case* of, vida_subject** subject, VidaError* error) {
  vida_subject* made = vida__allocate(1, sizeof *made);
  *subject = NULL;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->of = of;
  int code = VidaSystem_Create(of->name, of->dimension, &made->system, error);
  code = code ? code : of->build(made->system, error);
  code = code ? code : VidaSystem_Complete(made->system, error);
  if (!code) {
    made->n = VidaSystem_CoordinateCount(made->system);
    made->m = VidaSystem_ConstraintCount(made->system);
    code = vida__evaluator_create(made->system, &made->evaluator, error);
  }
  if (!code && allocate_arrays(made)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : VidaSystem_Start(made->system, 0.0, NULL, made->q0, made->v0, NULL, error);
  code = code ? code : make_reference(made, error);
  if (code) {
    vida__destroy_subject(&made);
    return code;
  }
  *subject = made;
  return VIDA_SUCCESS;
}

void vida__destroy_subject(vida_subject** subject) {
  vida_subject* old = *subject;
  if (old) {
    vida__evaluator_destroy(&old->evaluator);
    VidaSystem_Destroy(&old->system);
    free(old->block);
    free(old);
    *subject = NULL;
  }
}

static int create_stepper(const vida_subject* subject, const char* method, double h, double rtol,
                          VidaStepper** stepper, VidaError* error) {
  VidaOptions* options = NULL;
  *stepper = NULL;
  int code = subject->options ? VidaOptions_Copy(subject->options, &options, error)
                              : VidaOptions_Create(method, &options, error);
  code = code ? code : VidaOptions_SetReal(options, "h", h, error);
  if (!code && !isnan(rtol)) {
    code = VidaOptions_SetReal(options, "rtol", rtol, error);
  }
  code = code ? code : VidaStepper_Create(subject->system, options, stepper, error);
  VidaOptions_Destroy(&options);
  return code;
}

int vida__audit_stepper(const vida_subject* subject, const char* method, double h,
                        VidaStepper** stepper, VidaError* error) {
  return create_stepper(subject, method, h, (double)NAN, stepper, error);
}

int vida__audit_adaptive_stepper(const vida_subject* subject, const char* method, double h,
                                 double rtol, VidaStepper** stepper, VidaError* error) {
  return create_stepper(subject, method, h, rtol, stepper, error);
}

bool vida__subject_has_events(const vida_subject* subject) {
  return VidaSystem_EventCount(subject->system) > 0 || VidaSystem_ContactCount(subject->system) > 0;
}

bool vida__audit_is_adaptive(const char* method, const VidaOptions* options) {
  VidaOptions* defaults = NULL;
  VidaError unused;
  if (options) {
    return Vida_IsAdaptive(options);
  }
  const bool adaptive =
      VidaOptions_Create(method, &defaults, &unused) == VIDA_SUCCESS && Vida_IsAdaptive(defaults);
  VidaOptions_Destroy(&defaults);
  return adaptive;
}

/* ---- constraints ------------------------------------------------------------------------------
 */

int vida__dense_jacobian(vida_subject* subject, double t, const double* q, VidaError* error) {
  const VidaSystem* system = subject->system;
  const int code = vida__jacobian(&subject->evaluator, t, q, subject->entries);
  if (code) {
    return vida__fail(error, code, "%s", subject->evaluator.error.message);
  }
  memset(subject->dense, 0, (size_t)(subject->m * subject->n) * sizeof *subject->dense);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    subject->dense[entry->row * subject->n + entry->coordinate] += subject->entries[e];
  }
  return VIDA_SUCCESS;
}

int vida__project_to_constraints(vida_subject* subject, double* q, double* v, VidaError* error) {
  return vida__project_to_manifold(subject->system, 0.0, q, v, error);
}
