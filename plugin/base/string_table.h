/* Tables of strings: each has a number, and is found by its hash. */
#ifndef VIDA_BASE_STRING_TABLE_H
#define VIDA_BASE_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* A table that is zeroed is empty. A table holds either copies or the caller's own strings. */
typedef struct vida_string_table {
  const char** texts; /* count, in the order in which they were added */
  int count;
  size_t capacity;
  int* slots; /* slot_count, a power of two: number + 1, or 0 where the slot is free */
  size_t slot_count;
  bool is_borrowed; /* the strings are the caller's */
} vida_string_table;

/* The number of the string, 0 .. count - 1, which is copied and added where the table has not got
 * it; -1: no memory. */
int vida__add_string(vida_string_table* table, const char* text);
/* The number of the string; -1: the table has not got it. */
int vida__find_string(const vida_string_table* table, const char* text);

/* Makes room for `more` strings of the caller's; 0 or VIDA_OUT_OF_MEMORY. */
int vida__reserve_strings(vida_string_table* table, size_t more);
/* Adds the caller's own string, which must outlive the table, and which the table must not have
 * yet; there must be room for it. */
void vida__keep_string(vida_string_table* table, const char* text);

/* Frees what the table holds, and empties it. */
void vida__free_strings(vida_string_table* table);

#endif
