/* The addends of a Lagrangian, classified. */
#ifndef VIDA_SYSTEM_TERMS_ADDENDS_H
#define VIDA_SYSTEM_TERMS_ADDENDS_H

#include "expr/graph.h"

/* Sums of addends, as nodes; -1 for an empty sum. Their total is the Lagrangian. */
typedef struct vida_addends {
  int rates;     /* functions of rates only: perhaps a kinetic energy of constant mass */
  int positions; /* functions of positions only: minus a potential energy */
  int rest;
} vida_addends;

/* Returns 0 or a negative code. Mixed addends are expanded if they are sums, differences, or these
 * times a factor that does not depend on the state. */
int vida__sort_addends(vida_graph* graph, int lagrangian, vida_addends* addends);

#endif
