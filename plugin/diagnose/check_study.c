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
  const VidaStartOptions start = VidaStudy_StartOptions(study->options);
  return VidaCheck_Create(study->system, study->t0, &start, check, error);
}
