/* The steps of a run that are compared with the reference, and those that are written. */
#include <math.h>

#include "study/reference/reference.h"
#include "study/study.h"

bool vida__is_compared(const vida_run* run, long step) {
  return step == vida__count_steps(&run->grid) || (!run->end_only && step % run->between == 0);
}

bool vida__is_sampled(const vida_run* run, long step) {
  return step == vida__count_steps(&run->grid) || step % run->every == 0;
}

const vida_reference* vida__reference_of(const VidaStudy* study, const vida_run* run) {
  return run->own_start ? run->own_reference : study->reference;
}

int vida__comparison_of(const VidaStudy* study, const vida_run* run) {
  const vida_reference* reference = vida__reference_of(study, run);
  const bool is_estimated =
      reference && (!reference->options || !isnan(reference->position_error) ||
                    VidaOptions_Get(study->options, "reference_estimate") == 0.0);
  return !reference ? 0 : is_estimated ? 2 : 1;
}

long vida__reference_step(const VidaStudy* study, const vida_run* run, long step) {
  if (step == vida__count_steps(&run->grid)) {
    return vida__count_steps(&study->reference->grid);
  }
  return step / run->between * run->reference_between;
}
