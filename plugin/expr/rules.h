/* Macros with which the rules of derivatives build nodes of a `graph` in scope; for the .c files of
 * this module. */
#ifndef VIDA_EXPR_RULES_H
#define VIDA_EXPR_RULES_H

#include "expr/graph.h"

#define NUMBER(value) vida__graph_constant(graph, (double)(value))
#define UNARY(name, x) vida__graph_apply(graph, VIDA_OP_##name, x, -1, -1)
#define BINARY(name, x, y) vida__graph_apply(graph, VIDA_OP_##name, x, y, -1)
#define ADD(x, y) BINARY(ADD, x, y)
#define SUB(x, y) BINARY(SUBTRACT, x, y)
#define MUL(x, y) BINARY(MULTIPLY, x, y)
#define DIV(x, y) BINARY(DIVIDE, x, y)
#define NEG(x) UNARY(NEGATE, x)

#endif
