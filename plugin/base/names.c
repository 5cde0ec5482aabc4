#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "base/memory.h"

enum { LEAST_CAPACITY = 16 };

/* FNV-1a (Fowler, Noll and Vo, 64 bits). */
static size_t hash(const char* name) {
  uint64_t value = 14695981039346656037ULL;
  for (; *name; name++) {
    value = (value ^ (unsigned char)*name) * 1099511628211ULL;
  }
  return (size_t)(value ^ (value >> 32));
}

/* Where the name is, or would be put; there is a free slot always. */
static size_t find_slot(const vida_names* names, const char* name) {
  size_t at = hash(name) & (names->capacity - 1);
  while (names->slots[at] && strcmp(names->slots[at], name) != 0) {
    at = (at + 1) & (names->capacity - 1);
  }
  return at;
}

bool vida__names_have(const vida_names* names, const char* name) {
  return names->count > 0 && names->slots[find_slot(names, name)];
}

int vida__names_reserve(vida_names* names, size_t more) {
  vida_names grown = {NULL, names->capacity ? names->capacity : LEAST_CAPACITY, 0};
  while (grown.capacity / 2 < names->count + more) {
    grown.capacity *= 2;
  }
  if (grown.capacity == names->capacity) {
    return VIDA_SUCCESS;
  }
  grown.slots = vida__allocate(grown.capacity, sizeof *grown.slots);
  if (!grown.slots) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < names->capacity; i++) {
    if (names->slots[i]) {
      vida__names_add(&grown, names->slots[i]);
    }
  }
  vida__names_free(names);
  *names = grown;
  return VIDA_SUCCESS;
}

void vida__names_add(vida_names* names, const char* name) {
  names->slots[find_slot(names, name)] = name;
  names->count++;
}

void vida__names_free(vida_names* names) {
  free(names->slots);
  *names = (vida_names){NULL, 0, 0};
}
