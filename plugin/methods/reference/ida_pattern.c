/* The pattern of the reduced Newton matrix, in (q, v, lambda, mu), and where blocks go in it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/reference/ida.h"

static uint64_t make_key(int row, int column) {
  return ((uint64_t)(uint32_t)column << 32) | (uint32_t)row;
}

static int compare_keys(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a;
  const uint64_t y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

/* Either collects keys, or, once the pattern is there, finds places in it. */
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

static void place_block(const VidaSystem* system, vida_reference_ida* own, places* of) {
  const int n = system->coordinate_count;
  const vida_pattern* kkt = &system->pattern;
  own->block_count = 0;
  for (int j = 0; j < n; j++) {
    for (sunindextype k = kkt->column_start[j]; k < kkt->column_start[j + 1]; k++) {
      const int i = (int)kkt->row[k];
      if (i >= n) {
        continue;
      }
      own->block[own->block_count++] =
          (vida_block_slots){.entry = (int)k,
                             .row = i,
                             .column = j,
                             .by_position = place(of, n + i, j),
                             .by_velocity = place(of, n + i, n + j),
                             .by_projection = own->projects ? place(of, i, j) : -1};
    }
  }
}

static void place_entries(const VidaSystem* system, vida_reference_ida* own, places* of) {
  const int n = system->coordinate_count;
  const int m = system->row_count;
  for (int e = 0; e < system->entry_count; e++) {
    const int r = system->entries[e].row;
    const int j = system->entries[e].coordinate;
    own->entry[e] =
        (vida_entry_slots){.reaction = place(of, n + j, 2 * n + r),
                           .projection = own->projects ? place(of, j, 2 * n + m + r) : -1,
                           .row_position = place(of, 2 * n + r, j),
                           .row_velocity = place(of, 2 * n + r, n + j),
                           .position_row = own->projects ? place(of, 2 * n + m + r, j) : -1};
  }
}

static void place_all(const VidaSystem* system, vida_reference_ida* own, places* of) {
  const int n = system->coordinate_count;
  const int m = system->row_count;
  for (int i = 0; i < n; i++) {
    own->position_diagonal[i] = place(of, i, i);
    own->velocity_diagonal[i] = place(of, i, n + i);
  }
  for (int r = 0; r < m; r++) {
    own->lambda_diagonal[r] = place(of, 2 * n + r, 2 * n + r);
    own->mu_diagonal[r] = own->projects ? place(of, 2 * n + m + r, 2 * n + m + r) : -1;
  }
  place_block(system, own, of);
  place_entries(system, own, of);
}

/* Sorted keys without repetition become the pattern. */
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

int vida__reference_ida_build(const VidaSystem* system, vida_reference_ida* own, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  const size_t most =
      2 * n + 2 * m + 3 * (size_t)system->pattern.entries + 5 * (size_t)system->entry_count;
  uint64_t* keys = vida__allocate(most, sizeof *keys);
  own->block = vida__allocate((size_t)system->pattern.entries, sizeof *own->block);
  own->entry = vida__allocate((size_t)system->entry_count, sizeof *own->entry);
  own->position_diagonal = vida__allocate(n, sizeof *own->position_diagonal);
  own->velocity_diagonal = vida__allocate(n, sizeof *own->velocity_diagonal);
  own->lambda_diagonal = vida__allocate(m, sizeof *own->lambda_diagonal);
  own->mu_diagonal = vida__allocate(m, sizeof *own->mu_diagonal);
  int code = VIDA_OUT_OF_MEMORY;
  if (keys && own->block && own->entry && own->position_diagonal && own->velocity_diagonal &&
      own->lambda_diagonal && own->mu_diagonal) {
    places of = {keys, 0, NULL};
    place_all(system, own, &of);
    qsort(keys, of.count, sizeof *keys, compare_keys);
    code = fill_pattern(&own->pattern, own->reduced_size, keys, of.count);
    of.pattern = &own->pattern;
    if (!code) {
      place_all(system, own, &of);
    }
  }
  free(keys);
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

void vida__reference_ida_release(vida_reference_ida* own) {
  free(own->pattern.column_start);
  free(own->pattern.row);
  free(own->block);
  free(own->entry);
  free(own->position_diagonal);
  free(own->velocity_diagonal);
  free(own->lambda_diagonal);
  free(own->mu_diagonal);
}
