/* Expressions for tests: evaluation by recursion, random arguments and random expressions. */
#ifndef VIDA_TEST_EXPRESSION_H
#define VIDA_TEST_EXPRESSION_H

#include "expr/tape.h"
#include "support/quad.h"

enum { EXPRESSION_INPUTS = 8 };

/* Values of the inputs by kind. */
typedef struct Inputs {
  double value[VIDA_INPUT_KINDS][EXPRESSION_INPUTS];
} Inputs;

/* The same sequence of numbers in [0, 1) on every machine. */
double random_unit(unsigned long long* state);
double random_between(unsigned long long* state, double low, double high);
/* 10^x, x uniform, with a random sign */
double random_scale(unsigned long long* state, double low, double high);

/* The value of a node by recursion over its operands: in double with the functions of C, and in
 * quad. `shift` (nullable, by kind and index) is added to the inputs in quad. */
double expression_value(const vida_graph* graph, int node, const Inputs* inputs);
typedef struct Shift {
  Quad value[VIDA_INPUT_KINDS][EXPRESSION_INPUTS];
} Shift;
Quad expression_quad(const vida_graph* graph, int node, const Inputs* inputs, const Shift* shift);

/* A tree of smooth operations of this depth on positions 0..count-1 (and, when `others`, on
 * velocities, the time and parameters) that stays in its domain wherever inputs are of order 1. */
int random_expression(vida_graph* graph, unsigned long long* state, int depth, int count,
                      bool others);
Inputs random_inputs(unsigned long long* state);

/* Compiles and evaluates nodes at once; a failure ends the test. */
void evaluate_nodes(const vida_graph* graph, int count, const int* node, const Inputs* inputs,
                    double* value);
/* The code of such an evaluation, with *fault. */
int evaluation_code(const vida_graph* graph, int node, const Inputs* inputs, vida_fault* fault);

#endif
