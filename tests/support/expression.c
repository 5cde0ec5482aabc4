#include "support/expression.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"

double random_unit(unsigned long long* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

double random_between(unsigned long long* state, double low, double high) {
  return low + (high - low) * random_unit(state);
}

double random_scale(unsigned long long* state, double low, double high) {
  const double size = pow(10.0, random_between(state, low, high));
  return random_unit(state) < 0.5 ? -size : size;
}

static double apply(const vida_node* node, double a, double b, double c) {
  switch (node->operation) {
    case VIDA_OP_ADD:
      return a + b;
    case VIDA_OP_SUBTRACT:
      return a - b;
    case VIDA_OP_MULTIPLY:
      return a * b;
    case VIDA_OP_DIVIDE:
      return a / b;
    case VIDA_OP_NEGATE:
      return -a;
    case VIDA_OP_POWER:
      return pow(a, b);
    case VIDA_OP_SQRT:
      return sqrt(a);
    case VIDA_OP_EXP:
      return exp(a);
    case VIDA_OP_LOG:
      return log(a);
    case VIDA_OP_SIN:
      return sin(a);
    case VIDA_OP_COS:
      return cos(a);
    case VIDA_OP_TAN:
      return tan(a);
    case VIDA_OP_ASIN:
      return asin(a);
    case VIDA_OP_ACOS:
      return acos(a);
    case VIDA_OP_ATAN:
      return atan(a);
    case VIDA_OP_ATAN2:
      return atan2(a, b);
    case VIDA_OP_SINH:
      return sinh(a);
    case VIDA_OP_COSH:
      return cosh(a);
    case VIDA_OP_TANH:
      return tanh(a);
    case VIDA_OP_ABS:
      return fabs(a);
    case VIDA_OP_SIGN:
      return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0;
    case VIDA_OP_MIN:
      return a < b ? a : b;
    case VIDA_OP_MAX:
      return a > b ? a : b;
    case VIDA_OP_LESS:
      return a < b;
    case VIDA_OP_LESS_EQUAL:
      return a <= b;
    case VIDA_OP_EQUAL:
      return a == b;
    case VIDA_OP_WHERE:
      return a != 0.0 ? b : c;
    default: /* operations without a function in C */
      return vida__apply_operation(node->operation, node->number, a, b, c);
  }
}

double expression_value(const vida_graph* graph, int node, const Inputs* inputs) {
  const vida_node* at = &graph->nodes[node];
  double operand[3] = {0.0, 0.0, 0.0};
  if (at->operation == VIDA_OP_CONSTANT) {
    return at->constant;
  }
  if (at->operation == VIDA_OP_INPUT) {
    return inputs->value[at->number][at->operand[0]];
  }
  for (int k = 0; k < vida__operations[at->operation].arity; k++) {
    operand[k] = expression_value(graph, at->operand[k], inputs);
  }
  return apply(at, operand[0], operand[1], operand[2]);
}

Quad expression_quad(const vida_graph* graph, int node, const Inputs* inputs, const Shift* shift) {
  const vida_node* at = &graph->nodes[node];
  Quad operand[3] = {0, 0, 0};
  if (at->operation == VIDA_OP_CONSTANT) {
    return (Quad)at->constant;
  }
  if (at->operation == VIDA_OP_INPUT) {
    const Quad value = (Quad)inputs->value[at->number][at->operand[0]];
    return shift ? value + shift->value[at->number][at->operand[0]] : value;
  }
  for (int k = 0; k < vida__operations[at->operation].arity; k++) {
    operand[k] = expression_quad(graph, at->operand[k], inputs, shift);
  }
  return quad_apply(at->operation, at->number, operand[0], operand[1], operand[2]);
}

static int random_leaf(vida_graph* graph, unsigned long long* state, int count, bool others) {
  const int kinds = others ? 5 : 2;
  const int index = (int)random_between(state, 0.0, count);
  switch ((int)random_between(state, 0.0, kinds)) {
    case 0:
      return vida__graph_constant(graph, nearbyint(random_between(state, -12.0, 12.0)) / 4.0);
    case 2:
      return vida__graph_input(graph, VIDA_INPUT_VELOCITY, index);
    case 3:
      return vida__graph_input(graph, VIDA_INPUT_PARAMETER, index);
    case 4:
      return vida__graph_input(graph, VIDA_INPUT_TIME, 0);
    default:
      return vida__graph_input(graph, VIDA_INPUT_POSITION, index);
  }
}

static int unary(vida_graph* graph, vida_operation operation, int a) {
  return vida__graph_apply(graph, operation, a, -1, -1);
}

static int binary(vida_graph* graph, vida_operation operation, int a, int b) {
  return vida__graph_apply(graph, operation, a, b, -1);
}

/* 1 + x^2 and x / sqrt(1 + x^2): safe arguments for functions that are not defined everywhere */
static int positive(vida_graph* graph, int x) {
  return binary(graph, VIDA_OP_ADD, vida__graph_constant(graph, 1.0),
                vida__graph_power(graph, x, 2));
}

static int bounded(vida_graph* graph, int x) {
  return binary(graph, VIDA_OP_DIVIDE, x, unary(graph, VIDA_OP_SQRT, positive(graph, x)));
}

static int random_unary(vida_graph* graph, unsigned long long* state, int x) {
  static const vida_operation safe[] = {VIDA_OP_SIN, VIDA_OP_COS, VIDA_OP_TANH, VIDA_OP_ATAN,
                                        VIDA_OP_NEGATE};
  static const vida_operation of_bounded[] = {VIDA_OP_EXP,  VIDA_OP_SINH, VIDA_OP_COSH,
                                              VIDA_OP_ASIN, VIDA_OP_ACOS, VIDA_OP_TAN};
  switch ((int)random_between(state, 0.0, 6.0)) {
    case 0:
      return unary(graph, safe[(int)random_between(state, 0.0, 5.0)], x);
    case 1:
      return unary(graph, of_bounded[(int)random_between(state, 0.0, 6.0)], bounded(graph, x));
    case 2:
      return unary(graph, VIDA_OP_SQRT, positive(graph, x));
    case 3:
      return unary(graph, VIDA_OP_LOG, positive(graph, x));
    case 4:
      return binary(graph, VIDA_OP_POWER, positive(graph, x),
                    vida__graph_constant(graph, random_between(state, -1.5, 1.5)));
    default:
      return vida__graph_power(graph, bounded(graph, x), (int)random_between(state, 2.0, 6.0));
  }
}

int random_expression(vida_graph* graph, unsigned long long* state, int depth, int count,
                      bool others) {
  if (depth == 0) {
    return random_leaf(graph, state, count, others);
  }
  const int a = random_expression(graph, state, depth - 1, count, others);
  if (random_unit(state) < 0.3) {
    return random_unary(graph, state, a);
  }
  const int b = random_expression(graph, state, depth - 1, count, others);
  switch ((int)random_between(state, 0.0, 5.0)) {
    case 0:
      return binary(graph, VIDA_OP_SUBTRACT, a, b);
    case 1:
    case 2:
      return binary(graph, VIDA_OP_MULTIPLY, a, b);
    case 3:
      return binary(graph, VIDA_OP_DIVIDE, a, positive(graph, b));
    default:
      return binary(graph, VIDA_OP_ADD, a, b);
  }
}

Inputs random_inputs(unsigned long long* state) {
  Inputs inputs;
  for (int kind = 0; kind < VIDA_INPUT_KINDS; kind++) {
    for (int i = 0; i < EXPRESSION_INPUTS; i++) {
      inputs.value[kind][i] = random_between(state, -1.5, 1.5);
    }
  }
  return inputs;
}

static void point_at(const Inputs* inputs, const double** pointers) {
  for (int kind = 0; kind < VIDA_INPUT_KINDS; kind++) {
    pointers[kind] = inputs->value[kind];
  }
}

void evaluate_nodes(const vida_graph* graph, int count, const int* node, const Inputs* inputs,
                    double* value) {
  const double* pointers[VIDA_INPUT_KINDS];
  vida_tape* tape = NULL;
  vida_fault fault = {0};
  REQUIRE_OK(vida__tape_compile(graph, count, node, &tape), NULL);
  double* work = calloc(vida__tape_work_size(tape) + 1, sizeof *work);
  vida__tape_prepare(tape, work);
  point_at(inputs, pointers);
  const int code = vida__tape_evaluate(tape, pointers, work, value, &fault);
  free(work);
  vida__tape_destroy(&tape);
  EXPECT(!code, "%s in %s", fault.reason, vida__operations[fault.operation].name);
}

int evaluation_code(const vida_graph* graph, int node, const Inputs* inputs, vida_fault* fault) {
  const double* pointers[VIDA_INPUT_KINDS];
  vida_tape* tape = NULL;
  double value;
  REQUIRE_OK(vida__tape_compile(graph, 1, &node, &tape), NULL);
  double* work = calloc(vida__tape_work_size(tape) + 1, sizeof *work);
  vida__tape_prepare(tape, work);
  point_at(inputs, pointers);
  const int code = vida__tape_evaluate(tape, pointers, work, &value, fault);
  free(work);
  vida__tape_destroy(&tape);
  return code;
}
