/* The addends of a Lagrangian, sorted by what they can be. */
#ifndef VIDA_SYSTEM_TERMS_ADDENDS_H
#define VIDA_SYSTEM_TERMS_ADDENDS_H

#include "expr/graph.h"

/* Sums of addends, as nodes; -1 where there are none. Together they are the Lagrangian. */
typedef struct vida_addends {
  int rates;     /* of rates alone: perhaps a kinetic energy of constant mass */
  int positions; /* of positions alone: minus a potential energy */
  int rest;
} vida_addends;

/* 0 or a negative code. Addends that are neither are taken apart where they are sums, differences,
 * or such times a factor that does not depend on the state. */
int vida__sort_addends(vida_graph* graph, int lagrangian, vida_addends* addends);

#endif
