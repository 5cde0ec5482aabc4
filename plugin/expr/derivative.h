/* Derivatives of expressions, as nodes of their graph.
 *
 * Functions return 0, a negative VidaCode from building nodes (VIDA_OUT_OF_MEMORY), or
 * VIDA_NOT_SUPPORTED if an operation made for discrete derivatives is differentiated twice. After a
 * failure outputs must not be used; nodes that were added remain, unused. */
#ifndef VIDA_EXPR_DERIVATIVE_H
#define VIDA_EXPR_DERIVATIVE_H

#include "expr/graph.h"

/* A sparse matrix of nodes: the entries that are not structurally zero, by rows, columns ascending
 * in a row. Initialize with zeros; free with vida__entries_free. */
typedef struct vida_entries {
  int count;
  int* row;
  int* column;
  int* node;
  size_t row_capacity, column_capacity, node_capacity;
} vida_entries;

void vida__entries_free(vida_entries* entries);

/* gradient[i] = derivative of `output` with respect to the input node variable[i] (count of them,
 * all different): one reverse sweep, linear in the size of the expression. It is the node of the
 * constant 0 if `output` does not depend on the variable. */
int vida__derive_gradient(vida_graph* graph, int output, int count, const int* variable,
                          int* gradient);

/* entries = d output[i] / d variable[j], by one sweep per row over the nodes that the row depends
 * on. */
int vida__derive_jacobian(vida_graph* graph, int rows, const int* output, int count,
                          const int* variable, vida_entries* entries);

/* The lower triangle (column <= row) of the second derivatives of the function whose gradient is
 * given. */
int vida__derive_hessian(vida_graph* graph, int count, const int* variable, const int* gradient,
                         vida_entries* entries);

/* product[i] = sum_j d output[i] / d variable[j] direction[j], by one forward sweep. With a
 * gradient as output this is a Hessian-vector product. */
int vida__derive_product(vida_graph* graph, int rows, const int* output, int count,
                         const int* variable, const int* direction, int* product);

/* ---- for discrete.c ---- */

/* The factor of the chain rule for operand k of a node, as a node or a negative code. */
typedef int (*vida_partial)(vida_graph* graph, int node, int k, const void* context);

/* vida__derive_gradient with other factors. */
int vida__derive_with(vida_graph* graph, int output, int count, const int* variable, int* gradient,
                      vida_partial partial, const void* context);
/* vida__derive_jacobian with other factors. */
int vida__derive_rows_with(vida_graph* graph, int rows, const int* output, int count,
                           const int* variable, vida_entries* entries, vida_partial partial,
                           const void* context);
/* The factor of calculus: the partial derivative. */
int vida__ordinary_partial(vida_graph* graph, int node, int k, const void* context);

#endif
