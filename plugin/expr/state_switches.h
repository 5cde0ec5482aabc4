/* Switches of state: comparisons, signs, conditions of choices and branches of angles that depend
 * on positions or rates.
 *
 * Integrators do not locate the points at which switches change. To find out whether a formula
 * jumps at such a point, VIDA evaluates it there with the switches of both sides. The switches are
 * inputs for this purpose. */
#ifndef VIDA_EXPR_STATE_SWITCHES_H
#define VIDA_EXPR_STATE_SWITCHES_H

#include <stdbool.h>

#include "expr/graph.h"

/* Replaces the switches in the expressions root[i] by inputs: opened[i] receives the expression in
 * which switch k is VIDA_INPUT_AUXILIARY k, and (*switches)[k] the node of its value. Switches are
 *   a < b, a <= b, a == b, sign(a)
 *   c == 0 of where(c, a, b), unless c is one of those
 *   a < 0 and b < 0 of atan2(a, b); (*wraps)[k] is true for a < 0: where it changes, the angle
 *   wraps unless b > 0
 * *count receives the number of switches; if it is 0, `opened` is not filled. The caller frees
 * *switches and *wraps with free(). */
int vida__open_switches(vida_graph* graph, int roots, const int* root, int* opened, int* count,
                        int** switches, bool** wraps);

#endif
