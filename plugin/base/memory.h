/* Allocation of zeroed memory. Products of sizes are checked for overflow. */
#ifndef VIDA_BASE_MEMORY_H
#define VIDA_BASE_MEMORY_H

#include <stddef.h>

/* Allocates zeroed memory for `count` elements of `size` bytes. The caller frees it with free().
 * NULL without memory. */
void* vida__allocate(size_t count, size_t size);

/* An array of numbers in a larger block. */
typedef struct vida_array {
  double** start; /* receives the address of the array */
  size_t count;   /* number of elements */
} vida_array;
/* Returns the sum of their counts. */
size_t vida__count_arrays(const vida_array* arrays, size_t count);
/* Places the arrays one after another from `begin` on, and returns the end of the last one. */
double* vida__place_arrays(const vida_array* arrays, size_t count, double* begin);
/* Allocates one block for all these arrays, one after the other; the caller frees it with free().
 * Returns NULL, and writes no `start`, if memory does not suffice. */
double* vida__allocate_arrays(const vida_array* arrays, size_t count);
/* Exchanges two arrays. */
static inline void vida__exchange(double** a, double** b) {
  double* const kept = *a;
  *a = *b;
  *b = kept;
}

/* Copies a string. The caller frees the copy with free(). Returns NULL without memory. */
char* vida__copy_text(const char* text);

/* Copies of strings that are freed together; empty if zero-initialized. A system has several for
 * every coordinate and row, so that one allocation each would be felt. */
typedef struct vida_texts {
  struct vida_text_block* last;
  size_t left; /* bytes */
} vida_texts;
/* Returns a copy of a string, which belongs to `texts`. Returns NULL without memory. */
char* vida__store_text(vida_texts* texts, const char* text);
/* Frees all copies. */
void vida__free_texts(vida_texts* texts);

/* Grows *array, whose elements have `size` bytes, to at least `needed` elements, and updates
 * *capacity. New elements are zero. Returns 0, or VIDA_OUT_OF_MEMORY, in which case *array does not
 * change. */
int vida__reserve(void** array, size_t* capacity, size_t needed, size_t size);

#endif
