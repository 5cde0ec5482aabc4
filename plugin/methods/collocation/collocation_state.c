#include "methods/collocation/collocation.h"

void vida__collocation_keep(VidaIntegration* self) {
  vida_collocation* own = self->state;
  const size_t size = (size_t)own->size * sizeof *own->history[0];
  vida__keep_in_steps(self, own->history[0], VIDA_STAGE_HISTORY * size);
  vida__keep_in_steps(self, own->history, sizeof own->history);
  vida__keep_in_steps(self, &own->history_count, sizeof own->history_count);
  vida__keep_in_steps(self, &own->predictor, sizeof own->predictor);
  vida__keep_in_steps(self, &own->is_predictable, sizeof own->is_predictable);
  vida__keep_in_steps(self, &own->has_step, sizeof own->has_step);
  vida__keep_in_steps(self, own->impulse, (size_t)self->model.m * sizeof *own->impulse);
}

void vida__collocation_state(VidaIntegration* self, VidaRecord* record) {
  vida_collocation* own = self->state;
  bool* flags[] = {&own->is_predictable, &own->is_evaluated, &own->has_weights, &own->has_step};
  VidaRecord_Reals(record, own->unknown, own->numbers);
  for (int k = 0; k < VIDA_STAGE_HISTORY; k++) {
    VidaRecord_Reals(record, own->history[k], (size_t)own->size);
  }
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  vida__record_integers(record, &own->history_count, 1, 0, VIDA_STAGE_HISTORY);
  vida__record_integers(record, &own->predictor, 1, 0, VIDA_STAGE_HISTORY - 1);
}
