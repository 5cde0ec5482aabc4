/* Conditions of time: comparisons, signs and choices in expressions that depend on time and
 * parameters only.
 *
 * Where such a condition changes, a formula jumps or has a kink. Integrators place a node at these
 * times. During the steps on one side the formula must be that of this side, also at their ends;
 * therefore its conditions are evaluated at a time of their own, the moment (VIDA_INPUT_MOMENT),
 * which lies anywhere between two changes. */
#ifndef VIDA_EXPR_TIME_CONDITIONS_H
#define VIDA_EXPR_TIME_CONDITIONS_H

#include "expr/graph.h"
#include "expr/interval_bounds.h"

/* Copies expressions such that conditions of time are evaluated at the moment:
 *   a < b, a <= b, a == b, sign(a)  at the moment
 *   where(c, a, b)                  c at the moment
 *   |a|                             sign(a at the moment) a
 *   min(a, b)                       where(b < a at the moment, b, a); max likewise
 *   atan2(a, b)                     where(b < 0 at the moment, atan2(-a, -b) + c, atan2(a, b)),
 *                                   c = where(a < 0 at the moment, -pi, pi)
 * frozen[i] receives the copy of root[i], which is itself where nothing changes. */
int vida__freeze_conditions(vida_graph* graph, int count, const int* root, int* frozen);

/* The operations that decide the conditions of frozen expressions, in the order of evaluation. */
typedef struct vida_condition_node {
  vida_operation operation; /* CONSTANT; INPUT: of a parameter or the moment */
  int number;               /* of the node; of an INPUT its kind */
  int operand[3];           /* places in the list; of an INPUT its index */
  double constant;
  bool is_step;  /* a comparison or a sign: decided when it has one value */
  bool is_truth; /* the condition of a choice: decided when it is, or is not, 0 */
} vida_condition_node;

typedef struct vida_conditions {
  int count;
  vida_condition_node* nodes;
} vida_conditions;

/* Collects the conditions; *conditions is NULL if the expressions have none. */
int vida__conditions_create(const vida_graph* graph, int count, const int* root,
                            vida_conditions** conditions);
void vida__conditions_destroy(vida_conditions** conditions);

/* Evaluates the list for the moments from `low` to `high`; `value` has `count` components. Returns
 * whether every condition has one value there. */
bool vida__conditions_decide(const vida_conditions* conditions, const double* parameters,
                             double low, double high, vida_bounds* value);
/* Whether the decided conditions have equal values in both. */
bool vida__conditions_agree(const vida_conditions* conditions, const vida_bounds* x,
                            const vida_bounds* y);

#endif
