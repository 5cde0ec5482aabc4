/* Allocation: zeroed, checked for overflow of the product. Everything is allocated at creation. */
#ifndef VIDA_BASE_MEMORY_H
#define VIDA_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for `count` elements of `size` bytes, to be freed with free(); NULL when there is
 * none. */
void* vida__allocate(size_t count, size_t size);

/* An array of numbers in a larger block. */
typedef struct vida_array {
  double** start; /* receives where it begins */
  size_t count;   /* of its numbers */
} vida_array;
/* Allocates one block for all these arrays, one behind the other, to be freed with free(). NULL
 * when there is no memory: no `start` is written then. */
double* vida__allocate_arrays(const vida_array* arrays, size_t count);

char* vida__copy_text(const char* text);
/* Grows *array (of elements of `size` bytes) so that it holds at least `needed`; *capacity follows.
 * New elements are zero. 0 on success, VIDA_OUT_OF_MEMORY with *array untouched otherwise. */
int vida__reserve(void** array, size_t* capacity, size_t needed, size_t size);

#endif
