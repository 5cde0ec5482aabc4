/* Completion of a system: the KKT pattern, and the entries to which every term writes.
 *
 * The pattern has the blocks of the terms and constraints, the full diagonal (which SUNDIALS needs
 * in sparse matrices), G and its transpose. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/memory.h"
#include "system/model/model.h"

/* Returns (column, row) as one number, so that numbers sort by columns. */
static uint64_t make_key(int row, int column) {
  return ((uint64_t)(uint32_t)column << 32) | (uint32_t)row;
}

static int block_entries(const vida_block* block, int width) {
  return block->is_list ? block->entries : width * width;
}

/* Finds the local coordinates of entry k of a block. */
static void find_local(const vida_block* block, int width, int k, int* row, int* column) {
  *row = block->is_list ? block->row[k] : k / width;
  *column = block->is_list ? block->column[k] : k % width;
}

/* Forces may depend on a coordinate on which they do not act. The pattern has the transposed entry
 * as well: the elimination needs a symmetric one. */
static size_t block_keys(const vida_block* block, int width) {
  return (block->is_list ? 2 : 1) * (size_t)block_entries(block, width);
}

static int count_reactive(const vida_term_batch* batch) {
  return batch->kernel->is_reactive ? batch->functions->multiplier_count : 0;
}

/* Finds the coordinate and the row of derivative k of a force with respect to multipliers. Returns
 * whether there is such a row. */
static bool find_reactive(const VidaSystem* system, const vida_term_batch* batch, int k,
                          int* coordinate, int* row) {
  *coordinate = batch->index[batch->functions->multiplier_place[k]];
  *row = system->multiplier_rows[batch->functions->multiplier_number[k]];
  return *row >= 0;
}

static size_t count_keys(const VidaSystem* system) {
  size_t keys = (size_t)(system->coordinate_count + system->row_count);
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    keys += (size_t)batch->count * block_keys(&batch->block, batch->width);
    keys += 2 * (size_t)count_reactive(batch);
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    keys += (size_t)batch->count * (block_keys(&batch->block, batch->width) +
                                    2 * (size_t)batch->width * (size_t)batch->rows);
  }
  return keys;
}

static uint64_t* add_block_keys(uint64_t* key, const int* index, int count, int width,
                                const vida_block* block) {
  for (int i = 0; i < count; i++, index += width) {
    for (int k = 0; k < block_entries(block, width); k++) {
      int row, column;
      find_local(block, width, k, &row, &column);
      *key++ = make_key(index[row], index[column]);
      if (block->is_list) {
        *key++ = make_key(index[column], index[row]);
      }
    }
  }
  return key;
}

/* The derivatives of forces with respect to multipliers, and the transposed entries. Returns the
 * end of the keys. */
static uint64_t* add_reactive_keys(const VidaSystem* system, const vida_term_batch* batch,
                                   uint64_t* key) {
  const int n = system->coordinate_count;
  int coordinate, row;
  for (int k = 0; k < count_reactive(batch); k++) {
    if (find_reactive(system, batch, k, &coordinate, &row)) {
      *key++ = make_key(coordinate, n + row);
      *key++ = make_key(n + row, coordinate);
    }
  }
  return key;
}

static uint64_t* collect_keys(const VidaSystem* system, uint64_t* key) {
  const int n = system->coordinate_count;
  for (int i = 0; i < n + system->row_count; i++) {
    *key++ = make_key(i, i);
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    key = add_block_keys(key, batch->index, batch->count, batch->width, &batch->block);
    key = add_reactive_keys(system, batch, key);
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    key = add_block_keys(key, batch->index, batch->count, batch->width, &batch->block);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    *key++ = make_key(n + entry->row, entry->coordinate);
    *key++ = make_key(entry->coordinate, n + entry->row);
  }
  return key;
}

/* Sorts keys by half of their bits, rows (shift 0) or columns (32), which are below `most`, into
 * `sorted`, and keeps the order of keys with equal bits. start (most + 1): work. */
static void distribute(const uint64_t* keys, size_t count, int shift, size_t most, size_t* start,
                       uint64_t* sorted) {
  memset(start, 0, (most + 1) * sizeof *start);
  for (size_t k = 0; k < count; k++) {
    start[(uint32_t)(keys[k] >> shift) + 1]++;
  }
  for (size_t i = 0; i < most; i++) {
    start[i + 1] += start[i];
  }
  for (size_t k = 0; k < count; k++) {
    sorted[start[(uint32_t)(keys[k] >> shift)]++] = keys[k];
  }
}

/* Sorts keys by columns, and by rows within them, in a time proportional to their number. */
static int sort_keys(const VidaSystem* system, uint64_t* keys, size_t count) {
  const size_t size = (size_t)(system->coordinate_count + system->row_count);
  uint64_t* by_rows = vida__allocate(count, sizeof *by_rows);
  size_t* start = vida__allocate(size + 1, sizeof *start);
  if (by_rows && start) {
    distribute(keys, count, 0, size, start, by_rows);
    distribute(by_rows, count, 32, size, start, keys);
  }
  const int code = by_rows && start ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  free(by_rows);
  free(start);
  return code;
}

/* Makes the pattern from sorted keys without repetitions. */
static int fill_pattern(VidaSystem* system, const uint64_t* keys, size_t count) {
  vida_pattern* pattern = &system->pattern;
  pattern->size = system->coordinate_count + system->row_count;
  pattern->leading = system->coordinate_count;
  pattern->column_start = vida__allocate((size_t)pattern->size + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate(count, sizeof *pattern->row);
  if (!pattern->column_start || !pattern->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  int entries = 0;
  for (size_t k = 0; k < count; k++) {
    if (k == 0 || keys[k] != keys[k - 1]) {
      pattern->row[entries++] = (sunindextype)(keys[k] & UINT32_MAX);
      pattern->column_start[(keys[k] >> 32) + 1] = entries;
    }
  }
  pattern->entries = entries; /* the diagonal leaves no column empty */
  return VIDA_SUCCESS;
}

static int* make_slots(const vida_pattern* pattern, const int* index, int count, int width,
                       const vida_block* block) {
  const int entries = block_entries(block, width);
  int* slots = vida__allocate((size_t)count * (size_t)entries, sizeof *slots);
  int* slot = slots;
  for (int i = 0; i < count && slots; i++, index += width) {
    for (int k = 0; k < entries; k++) {
      int row, column;
      find_local(block, width, k, &row, &column);
      *slot++ = vida__pattern_slot(pattern, index[row], index[column]);
    }
  }
  return slots;
}

/* Lists the rows on whose multipliers forces depend. */
static int list_reactions(VidaSystem* system) {
  int coordinate, row;
  bool* is_asked = vida__allocate((size_t)system->row_count, sizeof *is_asked);
  system->reaction_rows = vida__allocate((size_t)system->row_count, sizeof(int));
  system->reaction_count = 0;
  if (is_asked && system->reaction_rows) {
    for (int b = 0; b < system->term_batch_count; b++) {
      const vida_term_batch* batch = &system->term_batches[b];
      for (int k = 0; k < count_reactive(batch); k++) {
        if (find_reactive(system, batch, k, &coordinate, &row)) {
          is_asked[row] = true;
        }
      }
    }
    for (int r = 0; r < system->row_count; r++) {
      if (is_asked[r]) {
        system->reaction_rows[system->reaction_count++] = r;
      }
    }
  }
  const int code = is_asked && system->reaction_rows ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  free(is_asked);
  return code;
}

static int fill_reactive_slots(const VidaSystem* system, vida_term_batch* batch) {
  const size_t count = (size_t)count_reactive(batch);
  int coordinate, row;
  batch->multiplier_slot = vida__allocate(count, sizeof(int));
  batch->multiplier_column = vida__allocate(count, sizeof(int));
  if (!batch->multiplier_slot || !batch->multiplier_column) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int k = 0; k < (int)count; k++) {
    const bool holds = find_reactive(system, batch, k, &coordinate, &row);
    batch->multiplier_slot[k] = -1;
    batch->multiplier_column[k] = -1;
    if (holds) {
      batch->multiplier_slot[k] =
          vida__pattern_slot(&system->pattern, coordinate, system->coordinate_count + row);
      for (int c = 0; c < system->reaction_count; c++) {
        batch->multiplier_column[k] =
            system->reaction_rows[c] == row ? c : batch->multiplier_column[k];
      }
    }
  }
  return VIDA_SUCCESS;
}

static int fill_slots(VidaSystem* system) {
  const vida_pattern* pattern = &system->pattern;
  const int n = system->coordinate_count;
  for (int b = 0; b < system->term_batch_count; b++) {
    vida_term_batch* batch = &system->term_batches[b];
    batch->slot = make_slots(pattern, batch->index, batch->count, batch->width, &batch->block);
    if (!batch->slot || (batch->kernel->is_reactive && fill_reactive_slots(system, batch))) {
      return VIDA_OUT_OF_MEMORY;
    }
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    vida_constraint_batch* batch = &system->constraint_batches[b];
    batch->slot = make_slots(pattern, batch->index, batch->count, batch->width, &batch->block);
    if (!batch->slot) {
      return VIDA_OUT_OF_MEMORY;
    }
  }
  for (int e = 0; e < system->entry_count; e++) {
    vida_jacobian_entry* entry = &system->entries[e];
    entry->row_slot = vida__pattern_slot(pattern, n + entry->row, entry->coordinate);
    entry->column_slot = vida__pattern_slot(pattern, entry->coordinate, n + entry->row);
  }
  system->mass_slot = vida__allocate((size_t)n, sizeof *system->mass_slot);
  for (int i = 0; i < n && system->mass_slot; i++) {
    system->mass_slot[i] = vida__pattern_slot(pattern, i, i);
  }
  return system->mass_slot ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int fill_entries(VidaSystem* system) {
  int total = 0;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    vida_constraint_batch* batch = &system->constraint_batches[b];
    batch->first_entry = total;
    total += batch->count * batch->rows * batch->width;
  }
  system->entry_count = total;
  system->entries = vida__allocate((size_t)total, sizeof *system->entries);
  if (!system->entries) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida_jacobian_entry* entry = system->entries;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    for (int i = 0; i < batch->count; i++) {
      for (int r = 0; r < batch->rows; r++) {
        for (int j = 0; j < batch->width; j++, entry++) {
          entry->row = batch->row[i] + r;
          entry->coordinate = batch->index[i * batch->width + j];
        }
      }
    }
  }
  return VIDA_SUCCESS;
}

int vida__build_pattern(VidaSystem* system, VidaError* error) {
  if (fill_entries(system) || (system->has_reactive_forces && list_reactions(system))) {
    return vida__fail_memory(error);
  }
  const size_t count = count_keys(system);
  if (count > INT32_MAX) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' is too large: its Newton matrix would have more than %d entries",
                      system->name, INT32_MAX);
  }
  uint64_t* keys = vida__allocate(count, sizeof *keys);
  if (!keys) {
    return vida__fail_memory(error);
  }
  const size_t used = (size_t)(collect_keys(system, keys) - keys);
  int code = sort_keys(system, keys, used);
  code = code ? code : fill_pattern(system, keys, used);
  free(keys);
  code = code ? code : fill_slots(system);
  code = code ? code : vida__order_pattern(&system->pattern);
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}
