/* The switches of positions or rates in a term: tapes that evaluate them, and the term as a
 * function of them. */
#ifndef VIDA_SYSTEM_TERMS_STATE_SWITCHES_H
#define VIDA_SYSTEM_TERMS_STATE_SWITCHES_H

#include "system/terms/traced.h"

/* Compiles the tapes SWITCHES and SWITCHED of `output` (count nodes), with coordinates by their
 * indices in `local`; no tapes if there are no switches. */
int vida__derive_switches(vida_graph* graph, int count, const int* output, const int* local,
                          vida_traced* traced);

#endif
