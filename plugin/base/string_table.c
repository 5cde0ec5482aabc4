#include "base/string_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "base/memory.h"

enum { LEAST_SLOTS = 16 };

/* FNV-1a (Fowler, Noll and Vo, 64 bits). */
static size_t hash(const char* text) {
  uint64_t value = UINT64_C(14695981039346656037);
  for (; *text; text++) {
    value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
  }
  return (size_t)(value ^ (value >> 32));
}

/* The slot of the string, or the free one where it belongs: half of them are free. */
static size_t find_slot(const vida_string_table* table, const char* text) {
  const size_t mask = table->slot_count - 1;
  size_t at = hash(text) & mask;
  while (table->slots[at] > 0 && strcmp(table->texts[table->slots[at] - 1], text) != 0) {
    at = (at + 1) & mask;
  }
  return at;
}

static int grow_slots(vida_string_table* table, size_t needed) {
  size_t count = table->slot_count ? table->slot_count : LEAST_SLOTS;
  while (count / 2 < needed) {
    count *= 2;
  }
  if (count == table->slot_count) {
    return VIDA_SUCCESS;
  }
  int* slots = vida__allocate(count, sizeof *slots);
  if (!slots) {
    return VIDA_OUT_OF_MEMORY;
  }
  free(table->slots);
  table->slots = slots;
  table->slot_count = count;
  for (int i = 0; i < table->count; i++) {
    slots[find_slot(table, table->texts[i])] = i + 1;
  }
  return VIDA_SUCCESS;
}

int vida__reserve_strings(vida_string_table* table, size_t more) {
  const size_t needed = (size_t)table->count + more;
  void* texts = table->texts;
  int code = grow_slots(table, needed);
  code = code ? code : vida__reserve(&texts, &table->capacity, needed, sizeof *table->texts);
  table->texts = texts;
  return code;
}

static void append(vida_string_table* table, size_t slot, const char* text) {
  table->texts[table->count] = text;
  table->slots[slot] = ++table->count;
}

void vida__keep_string(vida_string_table* table, const char* text) {
  table->is_borrowed = true;
  append(table, find_slot(table, text), text);
}

int vida__add_string(vida_string_table* table, const char* text) {
  if (vida__reserve_strings(table, 1)) {
    return -1;
  }
  const size_t slot = find_slot(table, text);
  if (table->slots[slot] > 0) {
    return table->slots[slot] - 1;
  }
  const char* copy = vida__copy_text(text);
  if (!copy) {
    return -1;
  }
  append(table, slot, copy);
  return table->count - 1;
}

int vida__find_string(const vida_string_table* table, const char* text) {
  return table->count > 0 ? table->slots[find_slot(table, text)] - 1 : -1;
}

void vida__free_strings(vida_string_table* table) {
  for (int i = 0; i < table->count && !table->is_borrowed; i++) {
    free((char*)table->texts[i]);
  }
  free(table->texts);
  free(table->slots);
  *table = (vida_string_table){0};
}
