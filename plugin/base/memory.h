/* Allocation: zeroed, checked for overflow of the product. Everything is allocated at creation. */
#ifndef VIDA_BASE_MEMORY_H
#define VIDA_BASE_MEMORY_H

#include <stddef.h>

void* vida__allocate(size_t count,
                     size_t size); /* NULL when there is no memory; free with free() */
char* vida__copy_text(const char* text);
/* Grows *array (of elements of `size` bytes) so that it holds at least `needed`; *capacity follows.
 * New elements are zero. 0 on success, VIDA_OUT_OF_MEMORY with *array untouched otherwise. */
int vida__reserve(void** array, size_t* capacity, size_t needed, size_t size);

#endif
