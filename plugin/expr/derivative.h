/* Derivatives of expressions, as nodes of their graph.
 *
 * Functions return 0 or a negative VidaCode: VIDA_OUT_OF_MEMORY, or VIDA_NOT_SUPPORTED if an
 * operation of discrete derivatives would be differentiated twice. After a failure, outputs are
 * undefined, and unused nodes stay in the graph. */
#ifndef VIDA_EXPR_DERIVATIVE_H
#define VIDA_EXPR_DERIVATIVE_H

#include "expr/graph.h"

/* A sparse matrix of nodes: its structurally nonzero entries by rows, with ascending columns.
 * Zero-initialized; the caller frees it with vida__entries_free. */
typedef struct vida_entries {
  int count;
  int* row;
  int* column;
  int* node;
  size_t row_capacity, column_capacity, node_capacity;
} vida_entries;

/* Frees the arrays of a sparse matrix. */
void vida__entries_free(vida_entries* entries);

/* Derives `output` with respect to `count` different input nodes: gradient[i] is the derivative
 * with respect to variable[i], the constant 0 if `output` does not depend on it. One reverse sweep,
 * linear in the size of the expression. */
int vida__derive_gradient(vida_graph* graph, int output, int count, const int* variable,
                          int* gradient);

/* Derives several outputs: `entries` receives d output[i] / d variable[j]. One reverse sweep per
 * row over the nodes on which the row depends. */
int vida__derive_jacobian(vida_graph* graph, int rows, const int* output, int count,
                          const int* variable, vida_entries* entries);

/* Derives a gradient: `entries` receives the lower triangle (column <= row) of the second
 * derivatives of the function with this gradient. */
int vida__derive_hessian(vida_graph* graph, int count, const int* variable, const int* gradient,
                         vida_entries* entries);

/* Computes product[i] = sum_j d output[i] / d variable[j] direction[j] by one forward sweep. If the
 * outputs are a gradient, this is a Hessian-vector product. */
int vida__derive_product(vida_graph* graph, int rows, const int* output, int count,
                         const int* variable, const int* direction, int* product);

/* ---- for discrete.c ---- */

/* Returns the factor of the chain rule for operand k of a node, as a node or a negative code. */
typedef int (*vida_partial)(vida_graph* graph, int node, int k, const void* context);

/* Computes a gradient as vida__derive_gradient does, with the factors `partial`. */
int vida__derive_with(vida_graph* graph, int output, int count, const int* variable, int* gradient,
                      vida_partial partial, const void* context);
/* Computes a Jacobian as vida__derive_jacobian does, with the factors `partial`. */
int vida__derive_rows_with(vida_graph* graph, int rows, const int* output, int count,
                           const int* variable, vida_entries* entries, vida_partial partial,
                           const void* context);
/* Returns the partial derivative of a node with respect to operand k: the factor of ordinary
 * derivatives. */
int vida__ordinary_partial(vida_graph* graph, int node, int k, const void* context);

#endif
