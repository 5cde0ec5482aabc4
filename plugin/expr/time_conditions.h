/* Conditions of time: comparisons, signs and choices in expressions that depend on time and
 * parameters only.
 *
 * When such a condition changes, a formula has a jump or a kink, and integrators place a node at
 * this time. During the steps on one side of this node, including their ends, the formula must have
 * the values of that side. Its conditions are therefore evaluated at a separate time, the moment
 * (VIDA_INPUT_MOMENT): any time between two changes. */
#ifndef VIDA_EXPR_TIME_CONDITIONS_H
#define VIDA_EXPR_TIME_CONDITIONS_H

#include "expr/graph.h"
#include "expr/interval_bounds.h"

/* Copies expressions and evaluates their conditions of time at the moment:
 *   a < b, a <= b, a == b, sign(a)  at the moment
 *   where(c, a, b)                  c at the moment
 *   |a|                             sign(a at the moment) a
 *   min(a, b)                       where(b < a at the moment, b, a)
 *   max(a, b)                       where(a < b at the moment, b, a)
 *   atan2(a, b)                     where(b < 0 at the moment, atan2(-a, -b) + c, atan2(a, b)),
 *                                   c = where(a < 0 at the moment, -pi, pi)
 * frozen[i] receives the copy of root[i], or root[i] itself if it has no conditions of time. */
int vida__freeze_conditions(vida_graph* graph, int count, const int* root, int* frozen);

/* The operations that decide the conditions of frozen expressions, in the order of evaluation. */
typedef struct vida_condition_node {
  vida_operation operation; /* CONSTANT; INPUT: of a parameter or the moment */
  int number;               /* of the node; of an INPUT its kind */
  int operand[3];           /* places in the list; of an INPUT its index */
  double constant;
  bool is_step;  /* a comparison or a sign: decided if it has one value */
  bool is_truth; /* the condition of a choice: decided if it is zero or is nonzero */
} vida_condition_node;

/* The conditions of time of some expressions. */
typedef struct vida_conditions {
  int count;
  vida_condition_node* nodes;
} vida_conditions;

/* Collects the conditions of time of the expressions; *conditions is NULL if there are none. The
 * caller frees it with vida__conditions_destroy. */
int vida__conditions_create(const vida_graph* graph, int count, const int* root,
                            vida_conditions** conditions);
/* Frees the conditions and sets *conditions to NULL; NULL is allowed. */
void vida__conditions_destroy(vida_conditions** conditions);

/* Evaluates the conditions for all moments from `low` to `high`; `value` has `count` elements.
 * Returns whether every condition has one value there. */
bool vida__conditions_decide(const vida_conditions* conditions, const double* parameters,
                             double low, double high, vida_bounds* value);
/* Returns whether the decided conditions have equal values in x and y. */
bool vida__conditions_equal(const vida_conditions* conditions, const vida_bounds* x,
                            const vida_bounds* y);

#endif
