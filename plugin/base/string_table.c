#include "base/string_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "base/memory.h"

enum { LEAST_SLOTS = 16 };

/* The hash is kept, so that a table grows without a look at its strings, and a search looks at
 * hardly any string but the one that it finds. */
typedef struct vida_string_slot {
  int number; /* index + 1, or 0 for a free slot */
  uint32_t hash;
} vida_string_slot;

/* FNV-1a (Fowler, Noll and Vo, 64 bits). */
static uint32_t hash_text(const char* text) {
  uint64_t value = UINT64_C(14695981039346656037);
  for (; *text; text++) {
    value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
  }
  return (uint32_t)(value ^ (value >> 32));
}

/* Returns the slot of the string, or the free slot for it; at least half of the slots are free. */
static size_t find_slot(const vida_string_table* table, const char* text, uint32_t hash) {
  const size_t mask = table->slot_count - 1;
  size_t at = hash & mask;
  while (table->slots[at].number > 0 &&
         (table->slots[at].hash != hash ||
          strcmp(table->texts[table->slots[at].number - 1], text) != 0)) {
    at = (at + 1) & mask;
  }
  return at;
}

/* Puts the slot of a string that is not in the table yet. */
static void put_slot(vida_string_table* table, vida_string_slot slot) {
  const size_t mask = table->slot_count - 1;
  size_t at = slot.hash & mask;
  while (table->slots[at].number > 0) {
    at = (at + 1) & mask;
  }
  table->slots[at] = slot;
}

static int grow_slots(vida_string_table* table, size_t needed) {
  const vida_string_table old = *table;
  size_t count = table->slot_count ? table->slot_count : LEAST_SLOTS;
  while (count / 2 < needed) {
    count *= 2;
  }
  if (count == table->slot_count) {
    return VIDA_SUCCESS;
  }
  vida_string_slot* slots = vida__allocate(count, sizeof *slots);
  if (!slots) {
    return VIDA_OUT_OF_MEMORY;
  }
  table->slots = slots;
  table->slot_count = count;
  for (size_t i = 0; i < old.slot_count; i++) {
    if (old.slots[i].number > 0) {
      put_slot(table, old.slots[i]);
    }
  }
  free(old.slots);
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

static void append(vida_string_table* table, uint32_t hash, const char* text) {
  table->texts[table->count] = text;
  put_slot(table, (vida_string_slot){++table->count, hash});
}

void vida__add_callers_string(vida_string_table* table, const char* text) {
  append(table, hash_text(text), text);
}

int vida__add_string(vida_string_table* table, const char* text) {
  const uint32_t hash = hash_text(text);
  if (vida__reserve_strings(table, 1)) {
    return -1;
  }
  const size_t slot = find_slot(table, text, hash);
  if (table->slots[slot].number > 0) {
    return table->slots[slot].number - 1;
  }
  const char* copy = vida__store_text(&table->copies, text);
  if (!copy) {
    return -1;
  }
  append(table, hash, copy);
  return table->count - 1;
}

int vida__find_string(const vida_string_table* table, const char* text) {
  return table->count > 0 ? table->slots[find_slot(table, text, hash_text(text))].number - 1 : -1;
}

void vida__drop_strings(vida_string_table* table, int count) {
  if (count >= table->count) {
    return;
  }
  memset(table->slots, 0, table->slot_count * sizeof *table->slots);
  table->count = count;
  for (int i = 0; i < count; i++) {
    put_slot(table, (vida_string_slot){i + 1, hash_text(table->texts[i])});
  }
}

void vida__free_strings(vida_string_table* table) {
  vida__free_texts(&table->copies);
  free(table->texts);
  free(table->slots);
  *table = (vida_string_table){0};
}
