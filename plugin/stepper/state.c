/* Access to the state of a stepper. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "stepper/branch_watch.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/jumps.h"
#include "stepper/method_calls.h"

int vida__require_start(const VidaStepper* stepper, VidaError* error) {
  return stepper->started
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_WRONG_ORDER, "%s has not been started on system '%s'",
                          stepper->self.method->info.name, stepper->self.model.system->name);
}

double VidaStepper_Time(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  if (jumps && !jumps->is_inside) {
    return jumps->t0 + (double)jumps->step * jumps->h;
  }
  return stepper ? vida__node_time(&stepper->self) : (double)NAN;
}

const VidaOptions* VidaStepper_Options(const VidaStepper* stepper) {
  return stepper ? stepper->options : NULL;
}

double VidaStepper_StepSize(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->h : stepper ? stepper->self.node.h : (double)NAN;
}

long VidaStepper_StepCount(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->step : stepper ? stepper->self.node.step : 0;
}

const VidaSystem* VidaStepper_System(const VidaStepper* stepper) {
  return stepper ? stepper->self.model.system : NULL;
}

const double* VidaStepper_Positions(const VidaStepper* stepper) {
  return stepper ? stepper->self.node.q : NULL;
}

const double* VidaStepper_Momenta(const VidaStepper* stepper) {
  return stepper ? stepper->self.node.p : NULL;
}

VidaStepper* vida__frame_of(VidaIntegration* self) {
  return (VidaStepper*)self; /* its first member */
}

bool vida__is_nested(const VidaIntegration* self) {
  return ((const VidaStepper*)self)->outer != NULL;
}

int vida__node_velocities(VidaIntegration* self, const double** v, VidaError* error) {
  VidaStepper* stepper = vida__frame_of(self);
  *v = stepper->node_velocity;
  if (stepper->has_node_velocity) {
    return VIDA_SUCCESS;
  }
  const int code = vida__call_velocities(&stepper->self, stepper->node_velocity, error);
  stepper->has_node_velocity = !code;
  return code;
}

int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* found;
  int code = vida__require_start(stepper, error);
  code = code ? code : vida__node_velocities(&stepper->self, &found, error);
  if (!code) {
    memcpy(v, found, (size_t)stepper->self.model.n * sizeof *v);
  }
  return code;
}

void vida__set_unknown_multipliers(VidaStepper* stepper) {
  stepper->self.node.lambda_t = vida__node_time(&stepper->self);
  for (int r = 0; r < stepper->self.model.m; r++) {
    stepper->self.node.lambda[r] = (double)NAN;
  }
}

const double* VidaStepper_Multipliers(VidaStepper* stepper, double* t) {
  if (!stepper) {
    if (t) {
      *t = (double)NAN;
    }
    return NULL;
  }
  stepper = vida__active_stepper(stepper);
  if (stepper->self.method->multipliers && stepper->self.node.step > 0 &&
      !stepper->has_node_multipliers) {
    VidaError unused;
    if (stepper->self.method->multipliers(&stepper->self, &unused)) {
      vida__set_unknown_multipliers(stepper);
    }
    stepper->has_node_multipliers = true;
  }
  if (t) {
    *t = stepper->self.node.lambda_t;
  }
  return stepper->self.node.lambda;
}

bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper) {
  return stepper && !stepper->self.model.redundant;
}

int vida__dependent_rows(const VidaIntegration* self, const int** rows) {
  return VidaStepper_DependentRows((const VidaStepper*)self, rows);
}

int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows) {
  if (rows) {
    *rows =
        stepper && stepper->self.model.rank ? vida__rank_dependent(stepper->self.model.rank) : NULL;
  }
  return stepper && stepper->self.model.redundant
             ? vida__rank_dependent_count(stepper->self.model.rank)
             : 0;
}

int VidaStepper_NearlyDependentRow(const VidaStepper* stepper, double* distance) {
  double there = 1.0;
  const vida_rank* rank = stepper ? stepper->self.model.rank : NULL;
  const int row = rank ? vida__rank_near_row(rank, &there) : -1;
  if (distance) {
    *distance = there;
  }
  return row;
}

int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, energy)) {
    return VIDA_BAD_ARGUMENT;
  }
  double unused;
  const int code = vida__require_start(stepper, error);
  return code ? code
              : vida__call_energy(&vida__active_stepper(stepper)->self, energy, t ? t : &unused,
                                  error);
}

int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                            VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_evaluator* evaluator = &stepper->self.model.evaluator;
  double* entries = stepper->self.work.entries;
  const double t = vida__node_time(&stepper->self);
  const double *q = stepper->self.node.q, *v;
  int code = vida__require_start(stepper, error);
  if (code) {
    return code;
  }
  if (position && stepper->self.implicit.has_g_node) {
    memcpy(position, stepper->self.implicit.g_node,
           (size_t)stepper->self.model.m * sizeof *position);
  } else if (position) {
    code = vida__constraints(evaluator, t, q, stepper->self.node.q_low, position);
  }
  if (velocity && stepper->values.is_known) {
    memcpy(velocity, stepper->values.rate, (size_t)stepper->self.model.m * sizeof *velocity);
  } else if (velocity && !code) {
    code = vida__node_velocities(&stepper->self, &v, error);
    if (code) {
      return code;
    }
    code = vida__jacobian(evaluator, t, q, entries);
    code = code ? code : vida__velocity_residual(evaluator, t, q, entries, v, velocity);
  }
  return code ? vida__evaluation_failed(&stepper->self, code, error) : VIDA_SUCCESS;
}

static double largest_of(const double* values, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
  }
  return largest;
}

int VidaStepper_ConstraintErrors(VidaStepper* stepper, double* position, double* velocity,
                                 VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  double* rows = stepper->self.work.constraint_work;
  int code = VIDA_SUCCESS;
  if (stepper->values.is_known && stepper->self.implicit.has_g_node) {
    if (position) {
      *position = largest_of(stepper->self.implicit.g_node, stepper->self.model.m);
    }
    if (velocity) {
      *velocity = largest_of(stepper->values.rate, stepper->self.model.m);
    }
    return VIDA_SUCCESS;
  }
  if (position) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    *position = largest_of(rows, stepper->self.model.m);
  }
  if (velocity && !code) {
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    *velocity = largest_of(rows, stepper->self.model.m);
  }
  return code;
}

int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, values)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* v;
  int code = vida__require_start(stepper, error);
  code = code ? code : vida__node_velocities(&stepper->self, &v, error);
  if (code) {
    return code;
  }
  /* Conditions in observables are not jumps of the motion: they are evaluated at the current state.
   */
  const vida_segment* segment = stepper->self.model.evaluator.segment;
  const bool is_at_jump = stepper->jumps && stepper->jumps->is_at_jump;
  stepper->self.model.evaluator.segment = is_at_jump ? &stepper->jumps->edge : NULL;
  code = vida__observables(&stepper->self.model.evaluator, vida__node_time(&stepper->self),
                           stepper->self.node.q, v, values);
  stepper->self.model.evaluator.segment = segment;
  return code ? vida__evaluation_failed(&stepper->self, code, error) : VIDA_SUCCESS;
}

bool vida__request_action(VidaStepper* stepper) {
  stepper->self.needs_action = stepper->self.method->action != NULL;
  return stepper->self.needs_action;
}

int vida__step_action(VidaStepper* stepper, double* action, VidaError* error) {
  VidaIntegration* self = &stepper->self;
  const double t = self->node.t0 + (double)(self->node.step - 1) * self->node.h;
  return self->method->action(self, t, action, error);
}

double VidaStepper_ParasiticEnergy(const VidaStepper* stepper) {
  stepper = stepper ? vida__active_stepper(stepper) : NULL;
  const bool is_known =
      stepper && stepper->started && stepper->self.method->parasitic_energy != NULL;
  return is_known ? stepper->self.method->parasitic_energy(&stepper->self) : (double)NAN;
}

long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t, const char** constraint) {
  stepper = stepper ? vida__active_stepper(stepper) : NULL;
  return stepper ? vida__watch_passages(stepper->watch, t, constraint) : 0;
}
