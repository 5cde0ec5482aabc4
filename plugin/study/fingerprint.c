/* What determines the results of a study, as checksums, by which another process recognizes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/method_options.h"
#include "study/reference/reference.h"
#include "study/study.h"
#include "system/fingerprint.h"

bool vida__is_free_option(const char* name) {
  static const char* const names[] = {"jobs", "lanes", "wall_limit", "study_wall_limit",
                                      "checkpoint"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void put_options(vida_record* record, const VidaOptions* options) {
  char text[VIDA_MESSAGE_SIZE];
  vida__put_text(record, VidaOptions_Method(options));
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    if (!vida__is_free_option(VidaOptions_Row(options, i)->name)) {
      vida__option_text(options, i, text, sizeof text);
      vida__put_text(record, text);
    }
  }
}

static uint64_t sum_up(vida_record* record, bool* no_memory) {
  const uint64_t sum = vida__checksum(VIDA_CHECKSUM_START, record->bytes, record->size);
  *no_memory = *no_memory || record->no_memory;
  vida__clear_record(record);
  return sum;
}

static void put_study(vida_record* record, const VidaStudy* study) {
  put_options(record, study->options);
  vida__put_text(record, study->label);
  vida__put_reals(record, 2, (const double[]){study->t0, study->time});
  vida__put_integer(record, study->selected);
  for (int i = 0; i < study->selected; i++) {
    vida__put_integer(record, study->selection[i]);
  }
  vida__put_integer(record, study->columns.parts);
  for (int i = 0; i < study->columns.count; i++) {
    vida__put_integer(record, study->columns.single[i].part);
    vida__put_integer(record, study->columns.single[i].index);
  }
}

/* A known solution is recognized by its states at some times. */
static void put_known_states(vida_record* record, const VidaStudy* study, double* work) {
  enum { TIMES = 32 };
  const vida_reference* reference = study->reference;
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
  vida__put_real(record, reference->known.error);
  for (int i = 0; i <= TIMES; i++) {
    VidaError ignored;
    for (size_t k = 0; k < 2 * n + m; k++) {
      work[k] = NAN;
    }
    const double t = study->t0 + study->time * i / TIMES;
    const int code =
        reference->known.state(reference->known.data, t, work, work + n, work + 2 * n, &ignored);
    vida__put_integer(record, code);
    for (size_t k = 0; k < 2 * n + m; k++) {
      vida__put_real(record, isnan(work[k]) ? (double)NAN : work[k]); /* one NaN is like another */
    }
  }
}

static int put_method_of_reference(vida_record* record, const VidaStudy* study, VidaError* error) {
  const vida_reference* reference = study->reference;
  vida__put_integer(record, reference != NULL);
  if (reference && reference->candidate >= 0) {
    vida__put_text(record, "automatic");
  } else if (reference) {
    vida__put_text(record, reference->text);
    if (reference->options) {
      put_options(record, reference->options);
    }
    vida__put_reals(record, 2, (const double[]){reference->grid.h, reference->grid.last});
  }
  if (reference && reference->known.state) {
    const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
    const size_t m = (size_t)VidaSystem_ConstraintCount(study->system);
    double* work = vida__allocate(2 * n + m, sizeof *work);
    if (!work) {
      return vida__fail_memory(error);
    }
    put_known_states(record, study, work);
    free(work);
  }
  return VIDA_SUCCESS;
}

static void put_method_of_run(vida_record* record, const VidaStudy* study, const vida_run* run) {
  const size_t n = (size_t)VidaSystem_CoordinateCount(study->system);
  put_options(record, run->options);
  vida__put_text(record, run->label);
  vida__put_reals(record, 2, (const double[]){run->grid.h, run->grid.last});
  vida__put_real(record, run->row.rtol);
  vida__put_integer(record, run->own_start != NULL);
  if (run->own_start) {
    vida__put_reals(record, 2 * n, run->own_start);
  }
}

int vida__fingerprint_study(const VidaStudy* study, vida_fingerprint* print, VidaError* error) {
  vida_record record = {0};
  bool no_memory = false;
  *print = (vida_fingerprint){0};
  int code = vida__fingerprint_system(study->system, &print->system, error);
  put_study(&record, study);
  print->options = sum_up(&record, &no_memory);
  code = code ? code : put_method_of_reference(&record, study, error);
  print->reference = sum_up(&record, &no_memory);
  for (int i = 0; i < study->count; i++) {
    put_method_of_run(&record, study, &study->runs[i]);
  }
  print->runs = sum_up(&record, &no_memory);
  vida__free_record(&record);
  return code || !no_memory ? code : vida__fail_memory(error);
}
