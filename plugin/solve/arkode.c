#include "solve/arkode.h"

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(ARK_SUCCESS == (int)VIDA_FLAG_SUCCESS &&
                   ARK_TOO_MUCH_WORK == (int)VIDA_FLAG_TOO_MUCH_WORK &&
                   ARK_ERR_FAILURE == (int)VIDA_FLAG_ERROR_TEST &&
                   ARK_CONV_FAILURE == (int)VIDA_FLAG_NOT_CONVERGED &&
                   ARK_RHSFUNC_FAIL == (int)VIDA_FLAG_RATE,
               "flags of ARKODE");

static vida_arkode* arkode_of(const vida_ode* ode) {
  return ode->memory;
}

/* Calls a function of ARKODE for the package of this vida_ode. */
#define CALL(ode, name, ...) VIDA_ARKODE((ode)->class->package, name, __VA_ARGS__)

/* ---- creation -------------------------------------------------------------------------------- */

static int set_controller(vida_ode* ode) {
  const vida_step_control* control = &vida__step_control;
  vida_arkode* own = arkode_of(ode);
  return vida__set_controller(ode->class->package, own->steps.arkode, ode->context,
                              vida__integrator_embedded_order(ode->settings.integrator),
                              control->now, control->past, control->safety, control->largest_growth,
                              &own->controller)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

/* Called at the end of each step; the next step starts from the y that it returns. */
static int finish(double t, N_Vector y, void* data) {
  vida_ode* ode = data;
  double* values = N_VGetArrayPointer(y);
  const int code = vida__ode_finish_step(ode, t, values);
  if (code) {
    return code;
  }
  if (ode->is_between) {
    memcpy(ode->there, values, (size_t)ode->size * sizeof *values);
    return VIDA_SUCCESS;
  }
  double* oldest = ode->previous;
  ode->counts.steps++;
  ode->previous = ode->node;
  ode->previous_t = ode->node_t;
  ode->node = oldest;
  ode->node_t = t;
  memcpy(ode->node, values, (size_t)ode->size * sizeof *values);
  return VIDA_SUCCESS;
}

static int make_memory(vida_ode* ode, ARKodeButcherTable table, vida_arkode_maker make,
                       vida_arkode_memory* memory) {
  const int code = make(ode, table, memory);
  if (code) {
    return code;
  }
  /* ARKODE interpolates at a node where it must stop, although the result is not used. By default
   * this needs rates within the step, from states that `settle` may have changed since. */
  void* arkode = memory->arkode;
  return CALL(ode, SetUserData, arkode, ode) ||
                 CALL(ode, SetInterpolantType, arkode, ARK_INTERP_LAGRANGE) ||
                 CALL(ode, SetInterpolantDegree, arkode, 1) ||
                 CALL(ode, SetPostprocessStepFn, arkode, finish)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

/* Two abscissae with a smaller difference are equal. */
static const double apart = 1e-12;

/* Returns whether the last of several stages is at the end of the step. */
static bool has_final_stage(ARKodeButcherTable table) {
  const int last = table->stages - 1;
  double difference = 0.0;
  for (int i = 0; i <= last; i++) {
    difference = fmax(difference, fabs(table->A[last][i] - table->b[i]));
  }
  return last >= 2 && difference < apart;
}

/* Moves a final stage away from the end of the step. ARKODE 7.1 starts the next step with the rate
 * of the final stage, although `settle` has changed the state since. The result of a step does not
 * depend on this stage, and the shift is too small to affect the error estimate. */
static void separate_final_stage(ARKodeButcherTable table) {
  const int last = table->stages - 1;
  table->A[last][0] += apart;
  table->A[last][1] -= apart;
}

int vida__arkode_create(vida_ode* ode, vida_arkode_maker make,
                        int (*reinit)(void* arkode, double t, N_Vector y)) {
  vida_arkode* own = vida__allocate(1, sizeof *own);
  ode->memory = own;
  if (!own) {
    return VIDA_OUT_OF_MEMORY;
  }
  own->reinit = reinit;
  ARKodeButcherTable table = vida__butcher_table(ode->settings.integrator);
  ode->ends_with_stage = table && has_final_stage(table);
  if (ode->ends_with_stage && ode->functions.settle && !ode->class->is_implicit) {
    separate_final_stage(table);
  }
  int code = table ? make_memory(ode, table, make, &own->steps) : VIDA_OUT_OF_MEMORY;
  if (!code && ode->settings.adaptive) {
    code = set_controller(ode);
  }
  if (!code && ode->settings.adaptive && !ode->settings.ends_at_nodes) {
    code = make_memory(ode, table, make, &own->between);
  }
  ARKodeButcherTable_Free(table);
  return code;
}

static void destroy_memory(const vida_ode* ode, vida_arkode_memory* memory) {
  if (memory->arkode) {
    CALL(ode, Free, &memory->arkode);
  }
  if (memory->newton) {
    SUNNonlinSolFree(memory->newton);
  }
  if (memory->solver) {
    SUNLinSolFree(memory->solver);
  }
  if (memory->matrix) {
    SUNMatDestroy(memory->matrix);
  }
}

void vida__arkode_destroy(vida_ode* ode) {
  vida_arkode* own = arkode_of(ode);
  if (!own) {
    return;
  }
  destroy_memory(ode, &own->steps);
  destroy_memory(ode, &own->between);
  vida__destroy_controller(own->controller);
  free(own);
}

/* ---- steps ----------------------------------------------------------------------------------- */

int vida__arkode_begin(vida_ode* ode, double t, double step, double stop) {
  vida_arkode* own = arkode_of(ode);
  void* arkode = own->steps.arkode;
  own->stop = stop;
  int flag = own->reinit(arkode, t, ode->y);
  if (!ode->settings.adaptive) {
    return flag ? flag : CALL(ode, SetFixedStep, arkode, step);
  }
  flag = flag ? flag : CALL(ode, WFtolerances, arkode, vida__ode_weigh);
  flag = flag ? flag : CALL(ode, SetInitStep, arkode, step);
  return flag || isinf(stop) ? flag : CALL(ode, SetStopTime, arkode, stop);
}

int vida__arkode_step(vida_ode* ode, double towards) {
  return CALL(ode, Evolve, arkode_of(ode)->steps.arkode, towards, ode->y, &ode->reached,
              ARK_ONE_STEP);
}

bool vida__arkode_is_refused(int flag) {
  return flag == ARK_POSTPROCESS_STEP_FAIL || flag == ARK_UNREC_RHSFUNC_ERR ||
         flag == ARK_REPTD_RHSFUNC_ERR;
}

/* Makes one more step from the beginning of the last one to the node: as accurate as the steps,
 * which do not depend on output times. It is not counted. */
static int look_between(vida_ode* ode, double next) {
  const vida_arkode* own = arkode_of(ode);
  void* between = own->between.arkode;
  const vida_ode_counts counts = ode->counts;
  double reached;
  memcpy(N_VGetArrayPointer(ode->y), ode->previous, (size_t)ode->size * sizeof *ode->previous);
  ode->is_between = true;
  int flag = own->reinit(between, ode->previous_t, ode->y);
  flag = flag ? flag : CALL(ode, SetFixedStep, between, next - ode->previous_t);
  flag = flag ? flag : CALL(ode, Evolve, between, next, ode->y, &reached, ARK_ONE_STEP);
  ode->is_between = false;
  ode->counts = counts;
  return flag;
}

int vida__arkode_interpolate(vida_ode* ode, double t) {
  if (t != ode->node_t && arkode_of(ode)->between.arkode) {
    return look_between(ode, t);
  }
  memcpy(ode->there, ode->node, (size_t)ode->size * sizeof *ode->node);
  return ARK_SUCCESS;
}

int vida__arkode_last_error(vida_ode* ode, double* step) {
  void* arkode = arkode_of(ode)->steps.arkode;
  const int flag = CALL(ode, GetLastStep, arkode, step);
  return flag ? flag : CALL(ode, GetEstLocalErrors, arkode, ode->y);
}

void vida__arkode_count(vida_ode* ode) {
  long attempts = 0;
  if (ode->settings.adaptive &&
      CALL(ode, GetNumStepAttempts, arkode_of(ode)->steps.arkode, &attempts) == ARK_SUCCESS) {
    ode->counts.rejected =
        ode->before.rejected + attempts - (ode->counts.steps - ode->before.steps);
  }
}

void vida__arkode_record(vida_ode* ode, VidaRecord* record) {
  double step = 0.0;
  if (!ode->settings.adaptive || ode->settings.ends_at_nodes) {
    return;
  }
  if (!VidaRecord_IsLoading(record) && !ode->fresh) {
    CALL(ode, GetCurrentStep, arkode_of(ode)->steps.arkode, &step);
  }
  VidaRecord_Reals(record, &step, 1);
  vida__record_restart(record);
  if (VidaRecord_IsLoading(record)) {
    vida__ode_restart(ode, step > 0.0 ? step : 0.0);
  }
}
