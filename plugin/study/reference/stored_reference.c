/* The solution of a reference in a record, with which a study goes on in another process. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/reference/reference.h"

static void put_steps(const vida_reference* reference, vida_record* record) {
  vida__put_integer(record, reference->states);
  for (long i = 0; i < reference->states; i++) {
    vida__put_integer(record, reference->steps[i]);
  }
}

void vida__put_reference(const VidaStudy* study, vida_record* record) {
  const vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const size_t states = (size_t)reference->states, times = (size_t)reference->multiplier_count;
  vida__put_integer(record, reference->candidate);
  vida__put_real(record, reference->position_error);
  vida__put_real(record, reference->extent);
  vida__put_integer(record, reference->is_rough);
  vida__put_real(record, reference->passed_t);
  vida__put_real(record, reference->ended_t);
  vida__put_events(&reference->events, record);
  put_steps(reference, record);
  vida__put_reals(record, states * n, reference->q);
  vida__put_reals(record, states * n, reference->v);
  vida__put_integer(record, reference->multiplier_count);
  vida__put_reals(record, times, reference->multiplier_t);
  vida__put_reals(record, times * m, reference->multipliers);
}

/* Reads states into the arrays of vida__reserve_states, which have room for those of the grid. */
static void get_states(const VidaStudy* study, vida_record* record, long most) {
  vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const int64_t states = vida__get_integer(record);
  record->too_short = record->too_short || states < 0 || states > most;
  reference->states = record->too_short ? 0 : (long)states;
  for (long i = 0; i < reference->states; i++) {
    reference->steps[i] = vida__get_count(record);
  }
  vida__get_reals(record, (size_t)reference->states * n, reference->q);
  vida__get_reals(record, (size_t)reference->states * n, reference->v);
}

static int get_multipliers(const VidaStudy* study, vida_record* record, VidaError* error) {
  vida_reference* reference = study->reference;
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  const int64_t times = vida__get_integer(record);
  const size_t left = (record->size - record->at) / sizeof(double);
  record->too_short = record->too_short || times < 0 || (uint64_t)times > left / (m + 1);
  if (record->too_short) {
    return VIDA_SUCCESS;
  }
  const size_t count = (size_t)times;
  reference->multiplier_t = vida__allocate(count, sizeof(double));
  reference->multipliers = vida__allocate(count, m * sizeof(double));
  if (!reference->multiplier_t || (m > 0 && !reference->multipliers)) {
    return vida__fail_memory(error);
  }
  reference->multiplier_count = (long)times;
  vida__get_reals(record, count, reference->multiplier_t);
  vida__get_reals(record, count * m, reference->multipliers);
  return VIDA_SUCCESS;
}

int vida__get_reference(VidaStudy* study, vida_record* record, VidaError* error) {
  vida_reference* reference = study->reference;
  const int64_t candidate = vida__get_integer(record);
  int code = reference->candidate >= 0 && candidate != reference->candidate
                 ? vida__choose_candidate(study, (int)candidate, error)
                 : VIDA_SUCCESS;
  code = code ? code : vida__reserve_states(study, error);
  if (code) {
    return code;
  }
  reference->position_error = vida__get_real(record);
  reference->extent = vida__get_real(record);
  reference->is_rough = vida__get_integer(record) != 0;
  reference->passed_t = vida__get_real(record);
  reference->ended_t = vida__get_real(record);
  code = vida__create_events(study->system, &reference->events, error);
  code = code ? code : vida__get_events(&reference->events, record, error);
  if (code) {
    return code;
  }
  get_states(study, record, vida__needed_states(study));
  code = get_multipliers(study, record, error);
  reference->is_kept = !code && vida__is_read(record);
  if (!code && !reference->is_kept) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "the stored reference does not fit the study");
  }
  return code;
}
