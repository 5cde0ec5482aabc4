/* The starts of the runs of a sweep. */
#include <math.h>
#include <string.h>

#include "study/study.h"

bool VidaStudy_RunStart(const VidaStudy* study, int run, const double** q, const double** v) {
  if (!study || !q || !v || run < 0 || run >= study->count) {
    return false;
  }
  const vida_run* made = &study->runs[run];
  *q = vida__run_q0(study, made);
  *v = vida__run_v0(study, made);
  return VidaRow_Outcome(&made->row) != VIDA_OUTCOME_NOT_RUN && !isnan((*q)[0]);
}

bool VidaStudy_StartVaries(const VidaStudy* study, int coordinate, bool rate) {
  const double *q, *v;
  double first = NAN;
  if (!study || coordinate < 0 || coordinate >= VidaSystem_CoordinateCount(study->system)) {
    return false;
  }
  for (int run = 0; run < study->count; run++) {
    if (!study->runs[run].own_start || !VidaStudy_RunStart(study, run, &q, &v)) {
      continue;
    }
    const double value = rate ? v[coordinate] : q[coordinate];
    if (isnan(first)) {
      first = value;
    } else if (value != first) {
      return true;
    }
  }
  return false;
}
