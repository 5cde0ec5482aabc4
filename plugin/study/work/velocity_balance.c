#include "study/work/velocity_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Relative to the largest speed; errors of tolerances are smaller. */
static const double large_part = 0.1;
/* Factor of the difference between both rules. */
static const double times_doubt = 4.0;
/* Relative to the largest defect; earlier defects may be rounding, or the beginning of an event. */
static const double onset_part = 0.05;

bool vida__has_timed_forces(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->count > 0 &&
        (batch->kernel->is_callback || (batch->functions && batch->functions->timed))) {
      return true;
    }
  }
  return false;
}

int vida__create_velocity_balance(const VidaSystem* system, vida_velocity_balance* balance,
                                  VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  *balance = (vida_velocity_balance){.n = system->coordinate_count};
  balance->defect = vida__allocate(2 * n, sizeof *balance->defect);
  balance->doubt = vida__allocate(3 * n, sizeof *balance->doubt);
  if (!balance->defect || !balance->doubt) {
    return vida__fail_memory(error);
  }
  balance->change = balance->defect + n;
  balance->inner = balance->doubt + n;
  return VIDA_SUCCESS;
}

void vida__destroy_velocity_balance(vida_velocity_balance* balance) {
  free(balance->defect);
  free(balance->doubt);
  *balance = (vida_velocity_balance){0};
}

void vida__balance_velocities(vida_velocity_balance* balance, double t, double h, const double* v,
                              const double* a, const double* v_next, const double* a_next) {
  const int n = balance->n;
  const double *second = balance->inner, *third = balance->inner + n;
  double size = 0.0;
  for (int i = 0; i < n; i++) {
    const double by_rule = h / 12.0 * (a[i] + 5.0 * (second[i] + third[i]) + a_next[i]);
    const double root = balance->root_mass[i];
    if (!isfinite(by_rule) || !(root > 0.0)) {
      continue;
    }
    balance->doubt[i] += fabs(by_rule - 0.5 * h * (a[i] + a_next[i]));
    vida__add_to_sum(&balance->change[i], by_rule);
    vida__add_to_sum(&balance->defect[i], v_next[i] - v[i] - by_rule);
    const double speed = fmax(fabs(v_next[i]), fabs(vida__sum_value(&balance->change[i])));
    const double defect =
        fabs(vida__sum_value(&balance->defect[i])) - times_doubt * balance->doubt[i];
    balance->scale = fmax(balance->scale, root * speed);
    size = fmax(size, root * defect);
  }
  balance->largest = fmax(balance->largest, size);
  const int last = VIDA_NOTED_DEFECTS - 1;
  if (size > large_part * balance->scale && size > 2.0 * balance->noted[last]) {
    memmove(balance->t, balance->t + 1, (size_t)last * sizeof *balance->t);
    memmove(balance->noted, balance->noted + 1, (size_t)last * sizeof *balance->noted);
    balance->t[last] = t;
    balance->noted[last] = size;
  }
}

bool vida__are_velocities_wrong(const vida_velocity_balance* balance, double least) {
  const double size = balance->largest;
  return balance->noted[VIDA_NOTED_DEFECTS - 1] > 0.0 && size > large_part * balance->scale &&
         0.5 * size * size > least;
}

double vida__velocities_wrong_since(const vida_velocity_balance* balance) {
  int first = 0;
  while (first < VIDA_NOTED_DEFECTS - 1 && balance->noted[first] < onset_part * balance->largest) {
    first++;
  }
  return balance->t[first];
}

void vida__velocity_balance_record(vida_velocity_balance* balance, VidaRecord* record) {
  const size_t n = (size_t)balance->n;
  vida__record_same(record, "velocities", 1, &balance->n);
  for (size_t i = 0; i < 2 * n; i++) { /* `change` follows `defect` */
    VidaRecord_Reals(record, &balance->defect[i].sum, 1);
    VidaRecord_Reals(record, &balance->defect[i].lost, 1);
  }
  VidaRecord_Reals(record, balance->doubt, 3 * n); /* `inner` follows it */
  VidaRecord_Reals(record, &balance->scale, 1);
  VidaRecord_Reals(record, &balance->largest, 1);
  VidaRecord_Reals(record, balance->t, VIDA_NOTED_DEFECTS);
  VidaRecord_Reals(record, balance->noted, VIDA_NOTED_DEFECTS);
}
