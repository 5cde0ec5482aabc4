#include "base/register.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "base/memory.h"

enum { LEAST_SIZE = 16 };

static uint64_t hash(const char* text) { /* FNV-1a */
  uint64_t value = UINT64_C(14695981039346656037);
  for (const char* c = text; *c; c++) {
    value = (value ^ (unsigned char)*c) * UINT64_C(1099511628211);
  }
  return value;
}

/* The place of the text, or the empty one where it belongs. */
static size_t find_place(const vida_register* known, const char* text) {
  const size_t mask = known->table_size - 1;
  size_t place = (size_t)hash(text) & mask;
  while (known->table[place] > 0 && strcmp(known->texts[known->table[place] - 1], text) != 0) {
    place = (place + 1) & mask;
  }
  return place;
}

/* Keeps half of the places empty. */
static int grow_table(vida_register* known) {
  if (2 * ((size_t)known->count + 1) <= known->table_size) {
    return VIDA_SUCCESS;
  }
  const size_t size = known->table_size ? 2 * known->table_size : LEAST_SIZE;
  int* table = vida__allocate(size, sizeof *table);
  if (!table) {
    return VIDA_OUT_OF_MEMORY;
  }
  free(known->table);
  known->table = table;
  known->table_size = size;
  for (int i = 0; i < known->count; i++) {
    table[find_place(known, known->texts[i])] = i + 1;
  }
  return VIDA_SUCCESS;
}

int vida__register_text(vida_register* known, const char* text) {
  void* texts = known->texts;
  if (grow_table(known)) {
    return -1;
  }
  const size_t place = find_place(known, text);
  if (known->table[place] > 0) {
    return known->table[place] - 1;
  }
  const int code =
      vida__reserve(&texts, &known->capacity, (size_t)known->count + 1, sizeof *known->texts);
  known->texts = texts;
  char* copy = code ? NULL : vida__copy_text(text);
  if (!copy) {
    return -1;
  }
  known->texts[known->count] = copy;
  known->table[place] = ++known->count;
  return known->count - 1;
}

int vida__find_text(const vida_register* known, const char* text) {
  return known->count > 0 ? known->table[find_place(known, text)] - 1 : -1;
}

void vida__free_register(vida_register* known) {
  for (int i = 0; i < known->count; i++) {
    free(known->texts[i]);
  }
  free(known->texts);
  free(known->table);
  *known = (vida_register){0};
}
