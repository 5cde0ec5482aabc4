/* Expression graphs: every expression is a node, an index into one array; equal expressions are one
 * node (hash-consing), operands come before what is made of them.
 *
 * A graph belongs to one thread while it is built. Functions that build return a node (>= 0) or a
 * negative VidaCode; they take negative operands and return them, so that calls nest and a failure
 * is looked at once.
 *
 * What is simplified while building changes no finite value, except for the sign of zeros:
 *   x + 0, x - 0, x * 1, x / 1, x^1           -> x          0 - x, x * -1, x / -1     -> -x
 *   -(-x), -(x - y), x + (-y), (-x) * y, ...  -> the sign moved outwards
 *   x * x -> x^2      x + x -> 2 x            factors that are powers of two are gathered
 *   x^0.5 -> sqrt(x)                          x^n with an integer n (|n| <= 64) -> repeated
 *   multiplication
 *   operations on constants, when the result is finite
 * and, needed to see what is zero, although it hides NaN and infinities of x:
 *   x * 0, 0 / x, x - x -> 0      x^0 -> 1    x < x -> 0, x <= x, x == x -> 1
 *   where(c, x, x), min(x, x), max(x, x) -> x */
#ifndef VIDA_EXPR_GRAPH_H
#define VIDA_EXPR_GRAPH_H

#include <stddef.h>
#include <vida/error.h>

#include "expr/operations.h"

typedef enum vida_input {
  VIDA_INPUT_POSITION,
  VIDA_INPUT_VELOCITY,
  VIDA_INPUT_TIME, /* index 0 */
  VIDA_INPUT_PARAMETER,
  VIDA_INPUT_MULTIPLIER,
  VIDA_INPUT_SECOND_POSITION, /* q1 of discrete derivatives; q0 is POSITION */
  VIDA_INPUT_AUXILIARY, /* directions of derivatives, and inputs for other purposes of a caller */
  VIDA_INPUT_MOMENT,    /* index 0: the time at which conditions of time are (time_conditions.h) */
  VIDA_INPUT_KINDS
} vida_input;

typedef struct vida_node {
  vida_operation operation;
  int operand[3];  /* arity of them, then -1; of an INPUT: operand[0] is its index */
  int number;      /* exponent of POWER_INTEGER, vida_input of INPUT, vida_operation of DIVIDED */
  double constant; /* of CONSTANT; 0 otherwise */
} vida_node;

typedef struct vida_graph {
  vida_node* nodes;
  int count;
  size_t capacity;
  int* table; /* table_size entries, a power of two: a node or -1, found by hash */
  size_t table_size;
} vida_graph;

/* Creates an empty graph; NULL without memory. */
vida_graph* vida__graph_create(void);
void vida__graph_destroy(vida_graph** graph);

/* value must be finite (VIDA_BAD_ARGUMENT); -0 is 0. */
int vida__graph_constant(vida_graph* graph, double value);
/* index >= 0, 0 for time (VIDA_BAD_ARGUMENT). */
int vida__graph_input(vida_graph* graph, vida_input kind, int index);
/* Builds any operation of the table except CONSTANT, INPUT, POWER_INTEGER and DIVIDED; operands
 * beyond its arity are ignored. */
int vida__graph_apply(vida_graph* graph, vida_operation operation, int a, int b, int c);
int vida__graph_power(vida_graph* graph, int a, int exponent);
/* phi[u0, u1] (DIVIDED) or phi[u0, u1, u1] (DIVIDED_TWICE); `exponent` is a node. */
int vida__graph_divided(vida_graph* graph, vida_operation operation, vida_operation phi, int u0,
                        int u1, int exponent);

/* The node `index` with other operands; the node itself if they are its own. Not for INPUT. */
int vida__graph_rebuild(vida_graph* graph, int index, const int* operand);

/* Whether a node (not negative) is the constant `value`. */
bool vida__graph_is(const vida_graph* graph, int node, double value);

/* Marks the nodes, below `size`, that the marked nodes are computed from. */
void vida__graph_mark_used(const vida_graph* graph, int size, bool* used);

/* Copies the expression `root` with every input of kind `from` exchanged for the one of kind `to`
 * with the same index. map has `size` places (> every node of the expression): negative for nodes
 * that have not been copied yet; it is filled, so that several roots can share it. */
int vida__graph_replace(vida_graph* graph, int root, vida_input from, vida_input to, int size,
                        int* map);

#endif
