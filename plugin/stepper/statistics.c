/* The statistics of a stepper, including those before a restart during a run, and its plan. */
#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "base/null_space_solver.h"
#include "stepper/branch_watch.h"
#include "stepper/condensed_step.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/jumps.h"
#include "stepper/method_options.h"

VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper) {
  VidaStatistics statistics = {0};
  if (stepper && stepper->hybrid && stepper->started) {
    statistics = vida__hybrid_statistics(stepper->hybrid);
    vida__add_statistics(&statistics, stepper->before);
  } else if (stepper) {
    statistics = stepper->self.statistics;
    if (stepper->jumps) {
      vida__add_statistics(&statistics, stepper->jumps->before);
    }
    vida__add_statistics(&statistics, stepper->before);
    statistics.singular_passages =
        vida__watch_passages(stepper->watch, NULL, NULL) + stepper->before.singular_passages;
  }
  return statistics;
}

int VidaStepper_Plan(const VidaStepper* stepper, VidaStepPlan* plan, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, plan)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaIntegration* self = &vida__active_stepper(stepper)->self;
  const int code = vida__require_start(stepper, error);
  if (code) {
    return code;
  }
  if (!self->implicit.map) {
    return vida__fail(error, VIDA_NOT_SUPPORTED, "%s: its steps have no plan",
                      self->method->info.name);
  }
  const bool is_condensed = vida__is_condensed(self);
  const vida_step_plan* own = self->implicit.plan;
  const vida_linear* linear =
      own ? own->linear
          : vida__map_linear(is_condensed ? vida__condensed_map(self) : self->implicit.map);
  if (linear->is_reduced) {
    const int n = self->model.n;
    *plan = (VidaStepPlan){.name = "null-space",
                           .unknowns = n,
                           .entries = (long)n * n,
                           .factor_entries = (long)n * n,
                           .condition = vida__null_space_condition(linear->pivoting)};
  } else {
    *plan = (VidaStepPlan){.name = own            ? own->name
                                   : is_condensed ? "condensed"
                                                  : "general",
                           .unknowns = linear->pattern->size,
                           .entries = linear->pattern->entries,
                           .factor_entries = vida__linear_factor_entries(linear),
                           .condition = NAN};
  }
  plan->solver = vida__is_kinsol(self->options) ? "kinsol" : "newton";
  return VIDA_SUCCESS;
}

int vida__restart_stepper(VidaStepper* stepper, double t, double h, const double* q,
                          const double* v, VidaError* error) {
  const VidaStatistics before = VidaStepper_Statistics(stepper);
  const int code = vida__start_stepper(stepper, t, h, q, v, error);
  stepper->before = before;
  return code;
}

void vida__record_statistics(VidaStatistics* statistics, VidaRecord* record) {
  long* counts[] = {&statistics->steps,
                    &statistics->rejected_steps,
                    &statistics->newton_iterations,
                    &statistics->residual_evaluations,
                    &statistics->jacobian_evaluations,
                    &statistics->factorizations,
                    &statistics->singular_passages,
                    &statistics->forced_steps};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    VidaRecord_Integer(record, counts[k], LONG_MIN, LONG_MAX);
  }
}
