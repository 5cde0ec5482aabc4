#include "system/terms/second_block.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

static int compare_keys(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a;
  const uint64_t y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

static uint64_t make_key(const vida_entries* entries, int width, int e) {
  return ((uint64_t)(uint32_t)(entries->row[e] % width) << 32) |
         (uint32_t)(entries->column[e] % width);
}

static int find_place(const uint64_t* keys, int count, uint64_t key) {
  int low = 0;
  int high = count - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (keys[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Collects the places (i, j) at which a second derivative, or a derivative of the discrete
 * derivative, is not zero. */
static int collect_places(const vida_entries* second, const vida_entries* discrete,
                          const vida_entries* joint, int width, uint64_t* keys,
                          vida_traced* traced) {
  int total = 0;
  int count = 0;
  for (int e = 0; e < second->count; e++) {
    keys[total++] = make_key(second, width, e);
  }
  for (int e = 0; discrete && e < discrete->count; e++) {
    keys[total++] = make_key(discrete, width, e);
  }
  for (int e = 0; joint && e < joint->count; e++) {
    keys[total++] = make_key(joint, width, e);
  }
  qsort(keys, (size_t)total, sizeof *keys, compare_keys);
  for (int k = 0; k < total; k++) {
    if (k == 0 || keys[k] != keys[k - 1]) {
      keys[count] = keys[k];
      traced->block_row[count] = (int)(keys[k] >> 32);
      traced->block_column[count++] = (int)(keys[k] & UINT32_MAX);
    }
  }
  return count;
}

static int allocate_places(vida_traced* traced, size_t most) {
  traced->block_row = vida__allocate(most, sizeof *traced->block_row);
  traced->block_column = vida__allocate(most, sizeof *traced->block_column);
  traced->second_place = vida__allocate(most, sizeof *traced->second_place);
  traced->second_kind = vida__allocate(most, sizeof *traced->second_kind);
  traced->discrete_place = vida__allocate(most, sizeof *traced->discrete_place);
  traced->discrete_kind = vida__allocate(most, sizeof *traced->discrete_kind);
  traced->joint_place = vida__allocate(most, sizeof *traced->joint_place);
  traced->joint_kind = vida__allocate(most, sizeof *traced->joint_kind);
  return traced->block_row && traced->block_column && traced->second_place && traced->second_kind &&
                 traced->discrete_place && traced->discrete_kind && traced->joint_place &&
                 traced->joint_kind
             ? VIDA_SUCCESS
             : VIDA_OUT_OF_MEMORY;
}

int vida__place_second(const vida_entries* second, const vida_entries* discrete,
                       const vida_entries* joint, int width, vida_traced* traced) {
  const size_t most = (size_t)second->count + (discrete ? (size_t)discrete->count : 0) +
                      (joint ? (size_t)joint->count : 0);
  uint64_t* keys = vida__allocate(most, sizeof *keys);
  if (!keys || allocate_places(traced, most)) {
    free(keys);
    return VIDA_OUT_OF_MEMORY;
  }
  const int count = collect_places(second, discrete, joint, width, keys, traced);
  traced->block_count = count;
  for (int e = 0; e < second->count; e++) {
    traced->second_place[e] = find_place(keys, count, make_key(second, width, e));
    traced->second_kind[e] = 2 * (second->row[e] >= width) + (second->column[e] >= width);
  }
  for (int e = 0; discrete && e < discrete->count; e++) {
    traced->discrete_place[e] = find_place(keys, count, make_key(discrete, width, e));
    traced->discrete_kind[e] = discrete->column[e] < width ? VIDA_SECOND_QQ : VIDA_SECOND_QV;
  }
  for (int e = 0; joint && e < joint->count; e++) {
    traced->joint_place[e] = find_place(keys, count, make_key(joint, width, e));
    traced->joint_kind[e] = 2 * (joint->row[e] >= width) + (joint->column[e] >= width);
  }
  free(keys);
  return VIDA_SUCCESS;
}

/* Returns the place (column, row) of the block, whose places are sorted; -1: it has none. */
static int find_mirrored(const vida_traced* traced, int place) {
  const int row = traced->block_column[place], column = traced->block_row[place];
  int low = 0, high = traced->block_count - 1;
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    const int by_row = traced->block_row[middle] - row;
    const int order = by_row ? by_row : traced->block_column[middle] - column;
    if (order == 0) {
      return middle;
    }
    low = order < 0 ? middle + 1 : low;
    high = order > 0 ? middle - 1 : high;
  }
  return -1;
}

int vida__place_masses(const vida_entries* second, vida_traced* traced, int* node) {
  int* by_place = vida__allocate((size_t)traced->block_count, sizeof *by_place);
  traced->mass_place = vida__allocate((size_t)traced->mass_count, sizeof *traced->mass_place);
  if (!by_place || !traced->mass_place) {
    free(by_place);
    return VIDA_OUT_OF_MEMORY;
  }
  for (int k = 0; k < traced->block_count; k++) {
    by_place[k] = -1;
  }
  for (int e = 0, k = 0; e < second->count; e++) {
    if (traced->second_kind[e] == VIDA_SECOND_VV) {
      const int place = traced->second_place[e], mirrored = find_mirrored(traced, place);
      const int other = mirrored >= 0 ? by_place[mirrored] : -1;
      traced->mass_place[k] = place;
      node[k++] = by_place[place] = other >= 0 ? other : second->node[e];
    }
  }
  free(by_place);
  return VIDA_SUCCESS;
}
