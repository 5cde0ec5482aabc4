/* ERKStep: explicit Runge-Kutta methods. */
#include <arkode/arkode_erkstep.h>

#include "solve/arkode.h"

static int make(vida_ode* ode, ARKodeButcherTable table, vida_arkode_memory* memory) {
  memory->arkode = ERKStepCreate(vida__ode_evaluate, 0.0, ode->y, ode->context);
  if (!memory->arkode) {
    return VIDA_OUT_OF_MEMORY;
  }
  return vida__redirect_messages(VIDA_ERKSTEP, memory->arkode, ode->context, &ode->sink) ||
                 ERKStepSetTable(memory->arkode, table)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

static int reinit(void* arkode, double t, N_Vector y) {
  return ERKStepReInit(arkode, vida__ode_evaluate, t, y);
}

static int create(vida_ode* ode) {
  return vida__arkode_create(ode, make, reinit);
}

const vida_integrator_class vida__erkstep = {.name = "ERKStep",
                                             .package = VIDA_ERKSTEP,
                                             .create = create,
                                             .begin = vida__arkode_begin,
                                             .step = vida__arkode_step,
                                             .is_refused = vida__arkode_is_refused,
                                             .interpolate = vida__arkode_interpolate,
                                             .last_error = vida__arkode_last_error,
                                             .count = vida__arkode_count,
                                             .record = vida__arkode_record,
                                             .destroy = vida__arkode_destroy};
