/* The check of a comparison's system, with the start that the comparison would make. */
#include <vida/check.h>

#include "base/error.h"
#include "study/study.h"

int VidaStudy_Check(const VidaStudy* study, VidaCheck** check, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, check)) {
    return VIDA_BAD_ARGUMENT;
  }
  *check = NULL;
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  VidaStartOptions start = VidaStartOptions_Default();
  start.adjust = VidaOptions_Get(study->options, "adjust_start") != 0.0;
  start.tolerance = VidaOptions_Get(study->options, "start_tolerance");
  return VidaCheck_Create(study->system, study->t0, &start, check, error);
}
