/* A register of texts: each has a number, found by hash, so that thousands are told apart in
 * reasonable time. */
#ifndef VIDA_BASE_REGISTER_H
#define VIDA_BASE_REGISTER_H

#include <stddef.h>

/* Empty when it is zeroed. */
typedef struct vida_register {
  char** texts; /* count, copies, in the order in which they came */
  int count;
  size_t capacity;
  int* table; /* table_size places, a power of two: number + 1, or 0 */
  size_t table_size;
} vida_register;

/* The number of the text, 0 .. count - 1; a new one is added as the last. -1: no memory. */
int vida__register_text(vida_register* known, const char* text);
/* The number of the text; -1: it is not in there. */
int vida__find_text(const vida_register* known, const char* text);
void vida__free_register(vida_register* known);

#endif
