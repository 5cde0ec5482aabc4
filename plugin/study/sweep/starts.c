/* The starts of a sweep. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/reference/reference.h"
#include "study/sweep/sweep.h"

static size_t coordinates(const VidaStudy* study) {
  return (size_t)VidaSystem_CoordinateCount(study->system);
}

int VidaStudy_SetStarts(VidaStudy* study, const VidaStarts* starts, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, starts)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!starts->start || starts->count < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a sweep needs at least one start and its function");
  }
  if (study->count > 0 || study->sweep) {
    return vida__fail(error, VIDA_WRONG_ORDER, "the starts of a sweep come before its runs");
  }
  if (study->reference && !study->reference->options) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "runs from different starts need a method as their reference");
  }
  const size_t n = coordinates(study);
  struct vida_sweep* made = vida__allocate(1, sizeof *made);
  if (made) {
    made->starts = *starts;
    made->axes[0] = made->axes[1] = -1;
    made->blocks = vida__allocate(vida__block_count(starts->count), sizeof *made->blocks);
    made->swept = vida__allocate(2 * n, sizeof *made->swept);
    made->varies = vida__allocate(2 * n, sizeof *made->varies);
  }
  if (!made || !made->blocks || !made->swept || !made->varies) {
    vida__destroy_sweep(&made);
    return vida__fail_memory(error);
  }
  study->sweep = made;
  return VIDA_SUCCESS;
}

void vida__destroy_sweep(struct vida_sweep** sweep) {
  struct vida_sweep* old = *sweep;
  if (!old) {
    return;
  }
  for (int i = 0; i < old->method_count; i++) {
    VidaOptions_Destroy(&old->methods[i].given);
    vida__free_totals(&old->methods[i].totals);
  }
  free(old->methods);
  free(old->blocks);
  free(old->swept);
  free(old->varies);
  free(old);
  *sweep = NULL;
}

int vida__ask_start(const VidaStudy* study, long index, double* q, char label[VIDA_OPTIONS_SIZE],
                    VidaError* error) {
  const VidaStarts* starts = &study->sweep->starts;
  const size_t n = coordinates(study);
  for (size_t i = 0; i < 2 * n; i++) {
    q[i] = NAN;
  }
  label[0] = '\0';
  return starts->start(starts->data, index, q, q + n, label, error);
}
