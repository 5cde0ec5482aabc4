/* The derivatives of forces with respect to multipliers. */
#ifndef VIDA_SYSTEM_TERMS_REACTIVE_H
#define VIDA_SYSTEM_TERMS_REACTIVE_H

#include "system/terms/traced.h"

/* Lists the multipliers among the used nodes of the first `size`. The caller frees *multipliers
 * with free(). */
int vida__list_multipliers(const vida_graph* graph, int size, const bool* used, int** multipliers,
                           int* count);
/* Makes a reactive force of `traced`: derives its forces (traced->width nodes) with respect to
 * `count` inputs of multipliers, and finds whether the derivatives depend on multipliers. `local`
 * has the local index of each coordinate. */
int vida__derive_reactive(vida_graph* graph, const int* forces, int count, const int* multipliers,
                          const int* local, vida_traced* traced);

#endif
