/* The statistics of a stepper, including those before a restart during a run. */
#include "stepper/branch_watch.h"
#include "stepper/jumps.h"

VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper) {
  VidaStatistics statistics = {0};
  if (stepper) {
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

int vida__restart_stepper(VidaStepper* stepper, double t, double h, const double* q,
                          const double* v, VidaError* error) {
  const VidaStatistics before = VidaStepper_Statistics(stepper);
  const int code = vida__start_stepper(stepper, t, h, q, v, error);
  stepper->before = before;
  return code;
}
