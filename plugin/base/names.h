/* Sets of names, for finding two that are alike where the second one is added. */
#ifndef VIDA_BASE_NAMES_H
#define VIDA_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: empty. Only pointers are kept: names must outlive the set. */
typedef struct vida_names {
  const char** slots; /* NULL: free */
  size_t capacity;    /* a power of two */
  size_t count;
} vida_names;

bool vida__names_have(const vida_names* names, const char* name);
/* Room for `more` names; 0 or VIDA_OUT_OF_MEMORY. */
int vida__names_reserve(vida_names* names, size_t more);
/* Adds a name that is not there yet, where there is room for it. */
void vida__names_add(vida_names* names, const char* name);
void vida__names_free(vida_names* names);

#endif
