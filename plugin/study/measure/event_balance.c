/* What events change: the energy and the momenta of a motion, which is no error of its method. */
#include <string.h>

#include "study/measure/monitors.h"
#include "system/model/model.h"

/* Computes the momentum maps and the conserved observables of any state. Returns 0 or a code. */
static int find_momenta(vida_monitors* monitors, vida_evaluator* evaluator, double t,
                        const double* q, const double* v, double* momenta) {
  const VidaSystem* system = monitors->study->system;
  const int n = system->coordinate_count, maps = system->momentum_count;
  double *l_q = monitors->event_place, *p = l_q + n;
  double* values = p + n + 2 * (maps + monitors->conserved + 1);
  int code = vida__momenta(evaluator, t, q, v, l_q, p);
  if (!code) {
    VidaSystem_Momentum(system, q, p, momenta);
  }
  if (!code && monitors->conserved > 0) {
    code = vida__observables(evaluator, t, q, v, values);
  }
  for (int i = 0, next = maps; i < VidaSystem_ObservableCount(system) && !code; i++) {
    if (VidaSystem_ObservableIsConserved(system, i)) {
      momenta[next++] = values[i];
    }
  }
  return code;
}

/* Adds the change of the momenta from the velocities v. */
static int shift_momenta(vida_monitors* monitors, vida_time_loop* loop,
                         const VidaEventRecord* record, const double* v) {
  const int maps = VidaSystem_MomentumCount(monitors->study->system) + monitors->conserved;
  vida_evaluator* evaluator = &loop->stepper->self.model.evaluator;
  double* before = monitors->event_place + 2 * loop->stepper->self.model.n;
  double* after = before + maps + 1;
  if (maps == 0) {
    return VIDA_SUCCESS;
  }
  int code = find_momenta(monitors, evaluator, record->t, record->q, v, before);
  code =
      code ? code : find_momenta(monitors, evaluator, record->t, record->q, record->v_after, after);
  for (int i = 0; i < maps && !code; i++) {
    monitors->momenta_start[i] += after[i] - before[i];
  }
  return code;
}

/* Several events at one time have the same velocities before: those before all of them. */
int vida__observe_event(vida_monitors* monitors, vida_time_loop* loop,
                        const VidaEventRecord* record) {
  const size_t bytes = (size_t)loop->stepper->self.model.n * sizeof(double);
  const double* before = record->t == monitors->event_t ? monitors->event_v : record->v_before;
  int code = VIDA_SUCCESS;
  if (memcmp(before, record->v_after, bytes) != 0) {
    vida__follow_work_to_jump(&monitors->work, record->t, record->q, before, record->t);
    vida__follow_work_over_jump(&monitors->work, record->t, record->q, record->v_after, record->t);
    code = shift_momenta(monitors, loop, record, before);
  }
  monitors->event_t = record->t;
  memcpy(monitors->event_v, record->v_after, bytes);
  return code;
}
