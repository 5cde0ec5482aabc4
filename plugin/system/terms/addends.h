/* The addends of a Lagrangian, classified. */
#ifndef VIDA_SYSTEM_TERMS_ADDENDS_H
#define VIDA_SYSTEM_TERMS_ADDENDS_H

#include "expr/graph.h"

/* Sums of addends, as nodes; -1 for an empty sum. Together they are the Lagrangian. */
typedef struct vida_addends {
  int rates;     /* functions of rates only: perhaps a kinetic energy of constant mass */
  int positions; /* functions of positions only: minus a potential energy */
  int rest;
} vida_addends;

/* Sorts the addends of a Lagrangian. Expands mixed addends that are sums or differences, or such
 * times a factor that does not depend on the state. Returns 0 or a negative code. */
int vida__sort_addends(vida_graph* graph, int lagrangian, vida_addends* addends);

#endif
