#include "methods/collocation/collocation.h"

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
