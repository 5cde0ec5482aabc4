/* Switches of state: comparisons, signs, conditions of choices and branches of angles that depend
 * on positions or rates.
 *
 * Integrators do not meet the places where they change. To see whether a formula jumps there, it
 * is evaluated at one place with the switches of both sides: they become inputs. */
#ifndef VIDA_EXPR_STATE_SWITCHES_H
#define VIDA_EXPR_STATE_SWITCHES_H

#include <stdbool.h>

#include "expr/graph.h"

/* The expressions root[i] as opened[i], in which switch number k is VIDA_INPUT_AUXILIARY k, and the
 * nodes that are its value in (*switches)[k], which the caller frees:
 *   a < b, a <= b, a == b, sign(a)
 *   c == 0 of where(c, a, b), unless c is one of those
 *   a < 0, b < 0 of atan2(a, b), where (*wraps)[k] is true of the first: its change is that of an
 *   angle that wraps, unless b > 0
 * *count is 0, and opened not filled, where nothing of the kind depends on positions or rates.
 * The caller frees *wraps, too. */
int vida__open_switches(vida_graph* graph, int roots, const int* root, int* opened, int* count,
                        int** switches, bool** wraps);

#endif
