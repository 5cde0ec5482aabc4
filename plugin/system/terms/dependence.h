/* Dependence of expressions on inputs, through derivatives or through the choice of branches. */
#ifndef VIDA_SYSTEM_TERMS_DEPENDENCE_H
#define VIDA_SYSTEM_TERMS_DEPENDENCE_H

#include <stdbool.h>

#include "expr/graph.h"

/* The inputs that an expression depends on. */
typedef struct vida_dependence {
  bool positions, rates, time, auxiliary, multipliers;
} vida_dependence;

/* Returns the dependence of an input. */
vida_dependence vida__input_dependence(const vida_node* node);
/* Adds the dependence `from` to `into`. */
void vida__merge_dependence(vida_dependence* into, const vida_dependence* from);
/* Computes dependence[i] of every node i < count. */
void vida__find_dependence(const vida_graph* graph, int count, vida_dependence* dependence);

/* Returns whether the operation decides between branches, so that derivatives do not show the
 * dependence on its operands. */
bool vida__is_branching(vida_operation operation);
/* Returns whether the operation decides between branches, or has a derivative that jumps: abs, min
 * and max.
 */
bool vida__has_kink(vida_operation operation);

/* Finds whether `count` expressions vanish where all rates do, by their form. Fails only without
 * memory. */
int vida__vanish_at_rest(const vida_graph* graph, int count, const int* expression, bool* all);

#endif
