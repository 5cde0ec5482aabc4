/* Expression graphs. Every expression is a node, an index into one array. Equal expressions are the
 * same node (hash-consing), and operands precede the nodes that use them.
 *
 * Only one thread may build a graph. Functions that build return a node (>= 0) or a negative
 * VidaCode. They accept negative operands and return them, so that calls can be nested and errors
 * checked once.
 *
 * Simplifications that change no finite value, except for the sign of zeros:
 *   x + 0, x - 0, x * 1, x / 1, x^1           -> x          0 - x, x * -1, x / -1     -> -x
 *   -(-x), -(x - y), x + (-y), (-x) * y, ...  -> the sign moved outwards
 *   x * x -> x^2      x + x -> 2 x            factors that are powers of two are combined
 *   x^0.5 -> sqrt(x)                          x^n, integer n, |n| <= 64 -> repeated multiplication
 *   operations on constants, if the result is finite
 * Simplifications that detect structural zeros, although they hide NaN and infinities of x:
 *   x * 0, 0 / x, x - x -> 0      x^0 -> 1    x < x -> 0, x <= x, x == x -> 1
 *   where(c, x, x), min(x, x), max(x, x) -> x */
#ifndef VIDA_EXPR_GRAPH_H
#define VIDA_EXPR_GRAPH_H

#include <stddef.h>
#include <vida/error.h>

#include "expr/operations.h"

/* The kind of an input. */
typedef enum vida_input {
  VIDA_INPUT_POSITION,
  VIDA_INPUT_VELOCITY,
  VIDA_INPUT_TIME, /* index 0 */
  VIDA_INPUT_PARAMETER,
  VIDA_INPUT_MULTIPLIER,
  VIDA_INPUT_SECOND_POSITION, /* q1 of discrete derivatives; q0 is POSITION */
  VIDA_INPUT_SECOND_VELOCITY, /* v1 of those with respect to positions and rates; v0 is VELOCITY */
  VIDA_INPUT_AUXILIARY,       /* directions of derivatives, and inputs for other purposes */
  VIDA_INPUT_MOMENT,          /* index 0: the time at which conditions of time are evaluated
                                 (time_conditions.h) */
  VIDA_INPUT_SINE,            /* of a position, and its cosine: in tapes only (tape.h) */
  VIDA_INPUT_COSINE,
  VIDA_INPUT_KINDS
} vida_input;

/* A node. */
typedef struct vida_node {
  vida_operation operation;
  int operand[3];  /* as many as the arity, then -1; of an INPUT: operand[0] is its index */
  int number;      /* exponent of POWER_INTEGER, vida_input of INPUT, vida_operation of DIVIDED */
  double constant; /* of CONSTANT; 0 otherwise */
} vida_node;

/* An expression graph. */
typedef struct vida_graph {
  vida_node* nodes;
  int count;
  size_t capacity;
  int* table; /* hash table of table_size entries, a power of two: a node or -1 */
  size_t table_size;
} vida_graph;

/* Creates an empty graph; NULL without memory. */
vida_graph* vida__graph_create(void);
/* Frees a graph and sets *graph to NULL; NULL is allowed. */
void vida__graph_destroy(vida_graph** graph);

/* Returns the node of a constant. Fails with VIDA_BAD_ARGUMENT for a value that is not finite; -0
 * becomes 0. */
int vida__graph_constant(vida_graph* graph, double value);
/* Returns the node of an input. Fails with VIDA_BAD_ARGUMENT for index < 0, and for index > 0 of
 * the time. */
int vida__graph_input(vida_graph* graph, vida_input kind, int index);
/* Returns the node of an operation, except CONSTANT, INPUT, POWER_INTEGER and DIVIDED; operands
 * beyond its arity are ignored. */
int vida__graph_apply(vida_graph* graph, vida_operation operation, int a, int b, int c);
/* Returns the node of a^exponent. */
int vida__graph_power(vida_graph* graph, int a, int exponent);
/* Returns the node of phi[u0, u1] (DIVIDED) or phi[u0, u1, u1] (DIVIDED_TWICE); `exponent` is a
 * node. */
int vida__graph_divided(vida_graph* graph, vida_operation operation, vida_operation phi, int u0,
                        int u1, int exponent);

/* Returns the node `index` with other operands; the same node if they are equal. Not for INPUT. */
int vida__graph_rebuild(vida_graph* graph, int index, const int* operand);

/* Returns the node of atan2(part[0], part[1]) in a form that does not jump as long as its
 * conditions do not change. These are the nodes `below` (part[0] < 0) and `left` (part[1] < 0). */
int vida__graph_angle(vida_graph* graph, int below, int left, const int part[2]);

/* Returns whether a node (>= 0) is the constant `value`. */
bool vida__graph_is(const vida_graph* graph, int node, double value);

/* Marks all nodes below `size` on which the marked nodes depend. */
void vida__graph_mark_used(const vida_graph* graph, int size, bool* used);
/* Rewrites the `count` expressions `root` node by node, operands first. For each node i < `size`,
 * copy[i] receives rewrite(data, i) if the expressions depend on node i, otherwise i. result[k]
 * receives the copy of root[k]. `used` (size, false on entry) is work space. Returns 0, or the
 * first negative result of `rewrite`. */
int vida__graph_rewrite(const vida_graph* graph, int (*rewrite)(void* data, int node), void* data,
                        int size, bool* used, int* copy, int count, const int* root, int* result);

/* Copies the expression `root` and replaces every input of the kind `from` by the input of the kind
 * `to` with the same index. `map` has `size` elements, more than any node of the expression: the
 * copy of each node, or a negative number. The function updates it, so that several roots can share
 * it. */
int vida__graph_replace(vida_graph* graph, int root, vida_input from, vida_input to, int size,
                        int* map);

#endif
