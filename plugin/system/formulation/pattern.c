/* The pattern of the matrix of a formulation, in (q, v, lambda, mu), and the slots of its blocks.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "system/formulation/formulation.h"

static uint64_t make_key(int row, int column) {
  return ((uint64_t)(uint32_t)column << 32) | (uint32_t)row;
}

static int compare_keys(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a;
  const uint64_t y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

/* Collects keys, or, if `pattern` is set, finds their indices in it. */
typedef struct places {
  uint64_t* keys;
  size_t count;
  const vida_pattern* pattern;
} places;

static int place(places* of, int row, int column) {
  if (of->pattern) {
    return vida__pattern_slot(of->pattern, row, column);
  }
  of->keys[of->count++] = make_key(row, column);
  return -1;
}

static void place_block(vida_formulation* form, places* of) {
  const VidaSystem* system = form->system;
  const int n = system->coordinate_count;
  const vida_pattern* kkt = &system->pattern;
  form->block_count = 0;
  for (int j = 0; j < n; j++) {
    for (sunindextype k = kkt->column_start[j]; k < kkt->column_start[j + 1]; k++) {
      const int i = (int)kkt->row[k];
      if (i >= n) {
        continue;
      }
      form->block[form->block_count++] =
          (vida_block_slots){.entry = (int)k,
                             .row = i,
                             .column = j,
                             .by_position = place(of, n + i, j),
                             .by_velocity = place(of, n + i, n + j),
                             .by_projection = form->projects ? place(of, i, j) : -1};
    }
  }
}

static void place_entries(vida_formulation* form, places* of) {
  const VidaSystem* system = form->system;
  const int n = system->coordinate_count;
  const int m = system->row_count;
  for (int e = 0; e < system->entry_count; e++) {
    const int r = system->entries[e].row;
    const int j = system->entries[e].coordinate;
    form->entry[e] =
        (vida_entry_slots){.reaction = place(of, n + j, 2 * n + r),
                           .projection = form->projects ? place(of, j, 2 * n + m + r) : -1,
                           .row_position = place(of, 2 * n + r, j),
                           .row_velocity = place(of, 2 * n + r, n + j),
                           .position_row = form->projects ? place(of, 2 * n + m + r, j) : -1};
  }
}

/* The columns of lambda with the derivatives of forces, on the system's pattern. */
static void place_reactive(vida_formulation* form, places* of) {
  const VidaSystem* system = form->system;
  const int n = system->coordinate_count;
  const vida_pattern* kkt = &system->pattern;
  form->reactive_count = 0;
  for (int k = 0; k < system->reaction_count; k++) {
    const int r = system->reaction_rows[k];
    const sunindextype end = kkt->column_start[n + r + 1];
    for (sunindextype e = kkt->column_start[n + r]; e < end && kkt->row[e] < n; e++) {
      form->reactive[form->reactive_count++] = (vida_reactive_slots){
          .entry = (int)e, .reaction = place(of, n + (int)kkt->row[e], 2 * n + r)};
    }
  }
}

static void place_all(vida_formulation* form, places* of) {
  const VidaSystem* system = form->system;
  const int n = system->coordinate_count;
  const int m = system->row_count;
  for (int i = 0; i < n; i++) {
    form->position_diagonal[i] = place(of, i, i);
    form->velocity_diagonal[i] = place(of, i, n + i);
  }
  for (int r = 0; r < m; r++) {
    form->lambda_diagonal[r] = place(of, 2 * n + r, 2 * n + r);
    form->mu_diagonal[r] = form->projects ? place(of, 2 * n + m + r, 2 * n + m + r) : -1;
  }
  place_block(form, of);
  place_entries(form, of);
  place_reactive(form, of);
}

/* Makes the pattern from sorted keys, which may be repeated. */
static int fill_pattern(vida_pattern* pattern, int size, const uint64_t* keys, size_t count) {
  int entries = 0;
  pattern->size = size;
  pattern->column_start = vida__allocate((size_t)size + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate(count, sizeof *pattern->row);
  if (!pattern->column_start || !pattern->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (size_t k = 0; k < count; k++) {
    if (k == 0 || keys[k] != keys[k - 1]) {
      pattern->row[entries++] = (sunindextype)(keys[k] & UINT32_MAX);
      pattern->column_start[(keys[k] >> 32) + 1] = entries;
    }
  }
  pattern->entries = entries; /* diagonals and reactions leave no column empty */
  return VIDA_SUCCESS;
}

int vida__formulation_build_pattern(vida_formulation* form) {
  const VidaSystem* system = form->system;
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  const size_t most =
      2 * n + 2 * m + 4 * (size_t)system->pattern.entries + 5 * (size_t)system->entry_count;
  const size_t reactive = system->has_reactive_forces ? (size_t)system->pattern.entries : 0;
  uint64_t* keys = vida__allocate(most, sizeof *keys);
  form->block = vida__allocate((size_t)system->pattern.entries, sizeof *form->block);
  form->entry = vida__allocate((size_t)system->entry_count, sizeof *form->entry);
  form->reactive = vida__allocate(reactive, sizeof *form->reactive);
  form->position_diagonal = vida__allocate(n, sizeof *form->position_diagonal);
  form->velocity_diagonal = vida__allocate(n, sizeof *form->velocity_diagonal);
  form->lambda_diagonal = vida__allocate(m, sizeof *form->lambda_diagonal);
  form->mu_diagonal = vida__allocate(m, sizeof *form->mu_diagonal);
  int code = VIDA_OUT_OF_MEMORY;
  if (keys && form->block && form->entry && form->reactive && form->position_diagonal &&
      form->velocity_diagonal && form->lambda_diagonal && form->mu_diagonal) {
    places of = {keys, 0, NULL};
    place_all(form, &of);
    qsort(keys, of.count, sizeof *keys, compare_keys);
    code = fill_pattern(&form->pattern, form->reduced_size, keys, of.count);
    of.pattern = &form->pattern;
    if (!code) {
      place_all(form, &of);
    }
  }
  free(keys);
  return code;
}
