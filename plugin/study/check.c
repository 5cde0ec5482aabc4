/* The check of a comparison's system, with the start that the comparison would make. */
#include <vida/check.h>

#include "study/study.h"

int VidaStudy_Check(const VidaStudy* study, VidaCheck** check, VidaError* error) {
  VidaStartOptions start = VidaStartOptions_Default();
  start.adjust = VidaOptions_Get(study->options, "adjust_start") != 0.0;
  start.tolerance = VidaOptions_Get(study->options, "start_tolerance");
  return VidaCheck_Create(study->system, study->t0, &start, check, error);
}
