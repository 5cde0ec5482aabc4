#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

void* vida__allocate(size_t count, size_t size) {
  /* calloc(0) may return NULL, which would look like a failure. */
  return calloc(count ? count : 1, size ? size : 1);
}

char* vida__copy_text(const char* text) {
  const size_t size = strlen(text) + 1;
  char* copy = vida__allocate(size, 1);
  if (copy) {
    memcpy(copy, text, size);
  }
  return copy;
}

/* Blocks grow up to the largest size, so that small tables stay small. */
enum { LEAST_BLOCK = 64, LARGEST_BLOCK = 65536 };

typedef struct vida_text_block {
  struct vida_text_block* before;
  size_t size;
  char bytes[];
} vida_text_block;

static bool add_block(vida_texts* texts, size_t needed) {
  size_t size = texts->last ? 2 * texts->last->size : LEAST_BLOCK;
  size = size > LARGEST_BLOCK ? LARGEST_BLOCK : size;
  size = size < needed ? needed : size;
  vida_text_block* block = malloc(sizeof *block + size);
  if (!block) {
    return false;
  }
  block->before = texts->last;
  block->size = size;
  texts->last = block;
  texts->left = size;
  return true;
}

char* vida__store_text(vida_texts* texts, const char* text) {
  const size_t size = strlen(text) + 1;
  if (texts->left < size && !add_block(texts, size)) {
    return NULL;
  }
  char* copy = texts->last->bytes + (texts->last->size - texts->left);
  memcpy(copy, text, size);
  texts->left -= size;
  return copy;
}

void vida__free_texts(vida_texts* texts) {
  while (texts->last) {
    vida_text_block* before = texts->last->before;
    free(texts->last);
    texts->last = before;
  }
  texts->left = 0;
}

size_t vida__count_arrays(const vida_array* arrays, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    total += arrays[i].count;
  }
  return total;
}

double* vida__place_arrays(const vida_array* arrays, size_t count, double* begin) {
  for (size_t i = 0; i < count; i++) {
    *arrays[i].start = begin;
    begin += arrays[i].count;
  }
  return begin;
}

double* vida__allocate_arrays(const vida_array* arrays, size_t count) {
  double* block = vida__allocate(vida__count_arrays(arrays, count), sizeof *block);
  if (block) {
    vida__place_arrays(arrays, count, block);
  }
  return block;
}

enum { LARGE_ARRAY = 1 << 18, VERY_LARGE_ARRAY = 1 << 22 }; /* bytes */

int vida__reserve(void** array, size_t* capacity, size_t needed, size_t size) {
  if (needed <= *capacity) {
    return VIDA_SUCCESS;
  }
  /* Unused memory costs the time to clear it, too: large arrays grow by a half. Very large ones
   * grow by an eighth, since the operating system moves them without copying. */
  const size_t more = *capacity < LARGE_ARRAY / size        ? *capacity
                      : *capacity < VERY_LARGE_ARRAY / size ? *capacity / 2
                                                            : *capacity / 8;
  size_t grown = *capacity ? *capacity + more : 8;
  if (grown < needed) {
    grown = needed;
  }
  if (grown > SIZE_MAX / size) {
    return VIDA_OUT_OF_MEMORY;
  }
  char* bytes = realloc(*array, grown * size);
  if (!bytes) {
    return VIDA_OUT_OF_MEMORY;
  }
  memset(bytes + *capacity * size, 0, (grown - *capacity) * size);
  *array = bytes;
  *capacity = grown;
  return VIDA_SUCCESS;
}
