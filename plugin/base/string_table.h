/* Tables of strings: each string has an index and is found by its hash. */
#ifndef VIDA_BASE_STRING_TABLE_H
#define VIDA_BASE_STRING_TABLE_H

#include <stddef.h>

#include "base/memory.h"

/* A table, empty if zero-initialized. It holds either copies of strings or the caller's strings. */
typedef struct vida_string_table {
  const char** texts; /* count, in the order of addition */
  int count;
  size_t capacity;
  struct vida_string_slot* slots; /* slot_count, a power of two */
  size_t slot_count;
  vida_texts copies;
} vida_string_table;

/* Returns the index of a string, 0 .. count - 1. Adds a copy if the table does not contain it.
 * Returns -1 without memory. */
int vida__add_string(vida_string_table* table, const char* text);
/* Returns the index of a string; -1 if the table does not contain it. */
int vida__find_string(const vida_string_table* table, const char* text);

/* Reserves memory for `more` strings of the caller. Returns 0 or VIDA_OUT_OF_MEMORY. */
int vida__reserve_strings(vida_string_table* table, size_t more);
/* Adds the caller's string without copying. The string must outlive the table and must not be in it
 * yet; memory for it must be reserved. */
void vida__add_callers_string(vida_string_table* table, const char* text);

/* Removes the strings from number `count` on; the memory of copies is freed with the table. */
void vida__drop_strings(vida_string_table* table, int count);

/* Empties a table and frees its texts. */
void vida__free_strings(vida_string_table* table);

#endif
