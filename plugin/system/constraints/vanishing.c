#include "system/constraints/vanishing.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/model/kernel.h"

/* The rows of a batch need not be contiguous, so the search visits every instance. */
bool vida__is_distance(const VidaSystem* system, int row) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    for (int i = 0; batch->kernel == &vida__distance && i < batch->count; i++) {
      if (batch->row[i] == row) {
        return true;
      }
    }
  }
  return false;
}

int vida__check_gradients(const VidaSystem* system, const double* entries, double* size,
                          VidaError* error) {
  memset(size, 0, (size_t)system->row_count * sizeof *size);
  for (int e = 0; e < system->entry_count; e++) {
    size[system->entries[e].row] += fabs(entries[e]);
  }
  for (int r = 0; r < system->row_count; r++) {
    if (!(size[r] > 0.0)) {
      return vida__fail(
          error, VIDA_INCONSISTENT_START,
          "the gradient of constraint '%s' vanishes at the start: %s", system->rows[r].name,
          vida__is_distance(system, r)
              ? "its ends are at the same place"
              : "it does not restrict any velocity there; expected ends at different places, or an "
                "expression whose derivatives do not all vanish where it is zero (x, not x^2)");
    }
  }
  return VIDA_SUCCESS;
}

static bool is_without_length(const vida_term_batch* batch, int instance, const double* q) {
  const int* index = batch->index + instance * batch->width;
  const double* parameter = batch->parameter + instance * batch->parameters;
  bool is_same = true;
  for (int k = 0; k < batch->dimension; k++) {
    const double end = batch->width > batch->dimension ? q[index[batch->dimension + k]]
                                                       : parameter[VIDA_SPRING_ANCHOR + k];
    is_same = is_same && q[index[k]] == end;
  }
  return is_same && parameter[VIDA_SPRING_LENGTH] != 0.0;
}

int vida__check_springs(const VidaSystem* system, const double* q, VidaError* error) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    for (int i = 0; batch->kernel == &vida__linear_spring && i < batch->count; i++) {
      if (is_without_length(batch, i, q)) {
        const int number = (int)batch->parameter[i * batch->parameters + VIDA_SPRING_NUMBER];
        return vida__fail(error, VIDA_NOT_FINITE,
                          "spring '%s': its ends are at the same place at the start, so that its "
                          "force has no direction; expected another start, or length = 0",
                          system->springs[number]);
      }
    }
  }
  return VIDA_SUCCESS;
}
