#include "expr/discrete.h"

#include <stdlib.h>

#include "base/memory.h"
#include "expr/rules.h"

/* In the rules below, nodes at q0 are called a0, ..., those at q1 a1, .... */

typedef struct discrete {
  const int* second; /* by node: its copy at q1 */
  int* culprit;
} discrete;

static int mean(vida_graph* graph, int x0, int x1) {
  return x0 == x1 ? x0 : MUL(NUMBER(0.5), ADD(x0, x1));
}

static int refuse(const discrete* rules, int node) {
  if (rules->culprit) {
    *rules->culprit = node;
  }
  return VIDA_NOT_SUPPORTED;
}

static int divided(vida_graph* graph, vida_operation phi, int u0, int u1, int exponent) {
  return vida__graph_divided(graph, VIDA_OP_DIVIDED, phi, u0, u1, exponent);
}

/* D(a / b) = mean(1 / b) Da - mean(a) / (b0 b1) Db */
static int quotient_partial(vida_graph* graph, const vida_node* node, int k, const int* second) {
  const int a0 = node->operand[0], b0 = node->operand[1], a1 = second[a0], b1 = second[b0];
  if (k == 0) {
    const int inverse = DIV(NUMBER(1.0), b0);
    return mean(graph, inverse, DIV(NUMBER(1.0), b1));
  }
  return NEG(DIV(mean(graph, a0, a1), MUL(b0, b1)));
}

static int divided_partial(vida_graph* graph, const vida_node* node, const int* second) {
  const int u0 = node->operand[0], u1 = second[u0];
  const bool is_power = node->operation == VIDA_OP_POWER_INTEGER;
  if (is_power && node->number == 2) {
    return ADD(u0, u1);
  }
  return divided(graph, node->operation, u0, u1, NUMBER(is_power ? (double)node->number : 0.0));
}

/* a^b: with a fixed exponent it is a function of a, otherwise it is exp(b log a). */
static int power_partial(vida_graph* graph, const vida_node* node, int k, const int* second) {
  const int a0 = node->operand[0], b0 = node->operand[1], a1 = second[a0], b1 = second[b0];
  if (b0 == b1) {
    return divided(graph, VIDA_OP_POWER, a0, a1, b0);
  }
  const int log0 = UNARY(LOG, a0), log1 = UNARY(LOG, a1), zero = NUMBER(0.0);
  const int outer = divided(graph, VIDA_OP_EXP, MUL(b0, log0), MUL(b1, log1), zero);
  const int inner = k == 1 ? mean(graph, log0, log1)
                           : MUL(mean(graph, b0, b1), divided(graph, VIDA_OP_LOG, a0, a1, zero));
  return MUL(outer, inner);
}

/* The angle from (x0, y0) to (x1, y1) is atan2(x0 y1 - y0 x1, x0 x1 + y0 y1), and
 * x0 y1 - y0 x1 = mean(x) Dy - mean(y) Dx exactly. */
static int angle_partial(vida_graph* graph, const vida_node* node, int k, const int* second) {
  const int y0 = node->operand[0], x0 = node->operand[1], y1 = second[y0], x1 = second[x0];
  const int forward = MUL(x0, y1), backward = MUL(y0, x1);
  const int along = MUL(x0, x1), across = MUL(y0, y1);
  const int ratio = BINARY(ANGLE_RATIO, SUB(forward, backward), ADD(along, across));
  return k == 0 ? MUL(mean(graph, x0, x1), ratio) : NEG(MUL(mean(graph, y0, y1), ratio));
}

/* max(a, b) = b + max(a - b, 0) and min(a, b) = b - max(b - a, 0), each averaged with a and b
 * exchanged. */
static int extremum_partial(vida_graph* graph, const vida_node* node, int k, const int* second) {
  const bool own_first = node->operation == VIDA_OP_MAX;
  const int x = node->operand[own_first ? k : 1 - k], y = node->operand[own_first ? 1 - k : k];
  const int d0 = SUB(x, y), d1 = SUB(second[x], second[y]);
  return divided(graph, VIDA_OP_MAX, d0, d1, NUMBER(0.0));
}

/* Returns the factor of operand k of node r in the chain rule of discrete derivatives. */
static int discrete_partial(vida_graph* graph, int r, int k, const void* context) {
  const discrete* rules = context;
  const int* second = rules->second;
  const vida_node node = graph->nodes[r];
  const int a0 = node.operand[0];
  switch (vida__operations[node.operation].discrete) {
    case VIDA_DISCRETE_LINEAR:
      return vida__ordinary_partial(graph, r, k, NULL);
    case VIDA_DISCRETE_PRODUCT:
      return mean(graph, node.operand[1 - k], second[node.operand[1 - k]]);
    case VIDA_DISCRETE_QUOTIENT:
      return quotient_partial(graph, &node, k, second);
    case VIDA_DISCRETE_ROOT:
      return DIV(NUMBER(1.0), ADD(r, second[r]));
    case VIDA_DISCRETE_DIVIDED:
      return divided_partial(graph, &node, second);
    case VIDA_DISCRETE_GENERAL_POWER:
      return power_partial(graph, &node, k, second);
    case VIDA_DISCRETE_ANGLE:
      return angle_partial(graph, &node, k, second);
    case VIDA_DISCRETE_EXTREMUM:
      return extremum_partial(graph, &node, k, second);
    case VIDA_DISCRETE_SELECT:
      return a0 == second[a0] ? vida__ordinary_partial(graph, r, k, NULL) : refuse(rules, r);
    case VIDA_DISCRETE_FIXED:
    case VIDA_DISCRETE_STEP:
    case VIDA_DISCRETE_NONE:
      break;
  }
  return refuse(rules, r);
}

/* Returns the input at the second point, of the node of a position or a rate. */
static int second_input(vida_graph* graph, int node) {
  const vida_node first = graph->nodes[node];
  return vida__graph_input(
      graph,
      first.number == VIDA_INPUT_VELOCITY ? VIDA_INPUT_SECOND_VELOCITY : VIDA_INPUT_SECOND_POSITION,
      first.operand[0]);
}

static bool can_move(const vida_graph* graph, int node) {
  return graph->nodes[node].operation == VIDA_OP_INPUT &&
         (graph->nodes[node].number == VIDA_INPUT_POSITION ||
          graph->nodes[node].number == VIDA_INPUT_VELOCITY);
}

/* A map for vida__graph_replace: inputs that are listed move, all other inputs stay. */
static int mark_positions(vida_graph* graph, int size, int count, const int* position,
                          int* second) {
  for (int i = 0; i < size; i++) {
    second[i] = graph->nodes[i].operation == VIDA_OP_INPUT ? i : -1;
  }
  for (int j = 0; j < count; j++) {
    if (position[j] < 0 || position[j] >= size || !can_move(graph, position[j])) {
      return position[j] < 0 ? position[j] : VIDA_BAD_ARGUMENT;
    }
    const int moved = second_input(graph, position[j]);
    if (moved < 0) {
      return moved;
    }
    second[position[j]] = moved;
  }
  return VIDA_SUCCESS;
}

/* Copies everything below the functions at q1; the caller frees *second. */
static int copy_to_second(vida_graph* graph, int rows, const int* f, int count, const int* position,
                          int** second) {
  const int size = graph->count;
  *second = vida__allocate((size_t)size, sizeof **second);
  int code = *second ? mark_positions(graph, size, count, position, *second) : VIDA_OUT_OF_MEMORY;
  for (int i = 0; i < rows && !code; i++) {
    const int copy = vida__graph_replace(graph, f[i], VIDA_INPUT_POSITION,
                                         VIDA_INPUT_SECOND_POSITION, size, *second);
    code = copy < 0 ? copy : VIDA_SUCCESS;
  }
  return code;
}

int vida__discrete_gradient_nodes(vida_graph* graph, int f, int count, const int* position,
                                  int* gradient, int* culprit) {
  int* second;
  int code = copy_to_second(graph, 1, &f, count, position, &second);
  if (!code) {
    const discrete rules = {second, culprit};
    code = vida__derive_with(graph, f, count, position, gradient, discrete_partial, &rules);
  }
  free(second);
  return code;
}

int vida__discrete_rows(vida_graph* graph, int rows, const int* f, int count, const int* position,
                        vida_entries* entries, int* culprit) {
  int* second;
  int code = copy_to_second(graph, rows, f, count, position, &second);
  if (!code) {
    const discrete rules = {second, culprit};
    code =
        vida__derive_rows_with(graph, rows, f, count, position, entries, discrete_partial, &rules);
  }
  free(second);
  return code;
}

int vida__discrete_jacobian_nodes(vida_graph* graph, int count, const int* position,
                                  const int* gradient, int others, const int* other,
                                  vida_entries* entries) {
  int* second = vida__allocate((size_t)count + (size_t)others, sizeof *second);
  int code = second ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int j = 0; j < count && !code; j++) {
    if (position[j] < 0 || position[j] >= graph->count) {
      code = position[j] < 0 ? position[j] : VIDA_BAD_ARGUMENT;
    } else {
      second[j] = second_input(graph, position[j]);
      code = second[j] < 0 ? second[j] : VIDA_SUCCESS;
    }
  }
  for (int j = 0; j < others && !code; j++) {
    second[count + j] = other[j];
    code = other[j] < 0 ? other[j] : VIDA_SUCCESS;
  }
  code =
      code ? code : vida__derive_jacobian(graph, count, gradient, count + others, second, entries);
  free(second);
  return code;
}
