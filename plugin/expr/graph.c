#include "expr/graph.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_TABLE_SIZE = 64, LARGEST_EXPONENT = 64 };

vida_graph* vida__graph_create(void) {
  return vida__allocate(1, sizeof(vida_graph));
}

void vida__graph_destroy(vida_graph** graph) {
  if (!graph || !*graph) {
    return;
  }
  free((*graph)->nodes);
  free((*graph)->table);
  free(*graph);
  *graph = NULL;
}

/* ---- finding nodes ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

static uint64_t hash_node(const vida_node* node) {
  uint64_t bits;
  memcpy(&bits, &node->constant, sizeof bits);
  uint64_t hash = mix((uint64_t)node->operation, (uint64_t)(unsigned)node->number);
  for (int k = 0; k < 3; k++) {
    hash = mix(hash, (uint64_t)(unsigned)node->operand[k]);
  }
  return mix(hash, bits);
}

static bool is_same(const vida_node* x, const vida_node* y) {
  return x->operation == y->operation && x->number == y->number && x->operand[0] == y->operand[0] &&
         x->operand[1] == y->operand[1] && x->operand[2] == y->operand[2] &&
         x->constant == y->constant;
}

static size_t find_place(const vida_graph* graph, const vida_node* node) {
  const size_t mask = graph->table_size - 1;
  size_t place = (size_t)hash_node(node) & mask;
  while (graph->table[place] >= 0 && !is_same(&graph->nodes[graph->table[place]], node)) {
    place = (place + 1) & mask;
  }
  return place;
}

static int grow_table(vida_graph* graph) {
  const size_t size = graph->table_size ? 2 * graph->table_size : FIRST_TABLE_SIZE;
  int* table = vida__allocate(size, sizeof *table);
  if (!table) {
    return VIDA_OUT_OF_MEMORY;
  }
  memset(table, -1, size * sizeof *table);
  free(graph->table);
  graph->table = table;
  graph->table_size = size;
  for (int i = 0; i < graph->count; i++) {
    table[find_place(graph, &graph->nodes[i])] = i;
  }
  return VIDA_SUCCESS;
}

/* The node equal to `node`, which is added if it is new. */
static int find_or_add(vida_graph* graph, const vida_node* node) {
  if (2 * (size_t)(graph->count + 1) > graph->table_size) {
    const int code = grow_table(graph);
    if (code) {
      return code;
    }
  }
  const size_t place = find_place(graph, node);
  if (graph->table[place] >= 0) {
    return graph->table[place];
  }
  if (graph->count == INT_MAX / 2) {
    return VIDA_OUT_OF_MEMORY;
  }
  const int code = vida__reserve((void**)&graph->nodes, &graph->capacity, (size_t)graph->count + 1,
                                 sizeof *graph->nodes);
  if (code) {
    return code;
  }
  graph->nodes[graph->count] = *node;
  graph->table[place] = graph->count;
  return graph->count++;
}

int vida__graph_constant(vida_graph* graph, double value) {
  if (!isfinite(value)) {
    return VIDA_BAD_ARGUMENT;
  }
  const vida_node node = {VIDA_OP_CONSTANT, {-1, -1, -1}, 0, value == 0.0 ? 0.0 : value};
  return find_or_add(graph, &node);
}

int vida__graph_input(vida_graph* graph, vida_input kind, int index) {
  if (kind >= VIDA_INPUT_KINDS || index < 0 || (kind == VIDA_INPUT_TIME && index > 0)) {
    return VIDA_BAD_ARGUMENT;
  }
  const vida_node node = {VIDA_OP_INPUT, {index, -1, -1}, (int)kind, 0.0};
  return find_or_add(graph, &node);
}

/* ---- looking at nodes ---- */

static bool is_operation(const vida_graph* graph, int node, vida_operation operation) {
  return graph->nodes[node].operation == operation;
}

static bool is_constant(const vida_graph* graph, int node) {
  return is_operation(graph, node, VIDA_OP_CONSTANT);
}

bool vida__graph_is(const vida_graph* graph, int node, double value) {
  return is_constant(graph, node) && graph->nodes[node].constant == value;
}

/* x of the node -x, or -1 */
static int negated(const vida_graph* graph, int node) {
  return is_operation(graph, node, VIDA_OP_NEGATE) ? graph->nodes[node].operand[0] : -1;
}

/* Products with it are exact, far from the ends of the range. */
static bool is_power_of_two(double value) {
  int exponent;
  return fabs(frexp(value, &exponent)) == 0.5 && abs(exponent) <= LARGEST_EXPONENT;
}

/* ---- building: operands are nodes ---- */

static int apply(vida_graph* graph, vida_operation operation, int a, int b) {
  return vida__graph_apply(graph, operation, a, b, -1);
}

static int negate(vida_graph* graph, int a) {
  return apply(graph, VIDA_OP_NEGATE, a, -1);
}

/* Constants first, then by index. */
static bool is_before(const vida_graph* graph, int a, int b) {
  const bool constant_a = is_constant(graph, a), constant_b = is_constant(graph, b);
  return constant_a != constant_b ? constant_a : a < b;
}

static int add_node(vida_graph* graph, vida_operation operation, int number, int a, int b, int c) {
  const vida_operation_record* record = &vida__operations[operation];
  if (record->commutes && is_before(graph, b, a)) {
    const int first = b;
    b = a;
    a = first;
  }
  const vida_node node = {
      operation, {a, record->arity > 1 ? b : -1, record->arity > 2 ? c : -1}, number, 0.0};
  return find_or_add(graph, &node);
}

/* The functions below return NOT_SIMPLER if they cannot simplify an expression. */
enum { NOT_SIMPLER = INT_MIN };

static int simplify_sum(vida_graph* graph, int a, int b) {
  if (vida__graph_is(graph, a, 0.0)) {
    return b;
  }
  if (vida__graph_is(graph, b, 0.0)) {
    return a;
  }
  if (a == b) {
    return apply(graph, VIDA_OP_MULTIPLY, vida__graph_constant(graph, 2.0), a);
  }
  if (negated(graph, b) >= 0) {
    return apply(graph, VIDA_OP_SUBTRACT, a, negated(graph, b));
  }
  if (negated(graph, a) >= 0) {
    return apply(graph, VIDA_OP_SUBTRACT, b, negated(graph, a));
  }
  return NOT_SIMPLER;
}

static int simplify_difference(vida_graph* graph, int a, int b) {
  if (vida__graph_is(graph, b, 0.0)) {
    return a;
  }
  if (a == b) {
    return vida__graph_constant(graph, 0.0);
  }
  if (vida__graph_is(graph, a, 0.0)) {
    return negate(graph, b);
  }
  if (negated(graph, b) >= 0) {
    return apply(graph, VIDA_OP_ADD, a, negated(graph, b));
  }
  if (negated(graph, a) >= 0) {
    return negate(graph, apply(graph, VIDA_OP_ADD, negated(graph, a), b));
  }
  return NOT_SIMPLER;
}

/* factor (a constant) times b */
static int simplify_multiple(vida_graph* graph, int factor, int b) {
  const double value = graph->nodes[factor].constant;
  if (value == 0.0) {
    return factor;
  }
  if (value == 1.0) {
    return b;
  }
  if (value == -1.0) {
    return negate(graph, b);
  }
  const vida_node inner = graph->nodes[b];
  if (inner.operation == VIDA_OP_MULTIPLY && is_constant(graph, inner.operand[0])) {
    const double other = graph->nodes[inner.operand[0]].constant;
    if (is_power_of_two(value) || is_power_of_two(other)) {
      return apply(graph, VIDA_OP_MULTIPLY, vida__graph_constant(graph, value * other),
                   inner.operand[1]);
    }
  }
  return NOT_SIMPLER;
}

static int simplify_product(vida_graph* graph, int a, int b) {
  int simpler = NOT_SIMPLER;
  if (is_constant(graph, a)) {
    simpler = simplify_multiple(graph, a, b);
  } else if (is_constant(graph, b)) {
    simpler = simplify_multiple(graph, b, a);
  } else if (a == b) {
    simpler = vida__graph_power(graph, a, 2);
  }
  if (simpler != NOT_SIMPLER) {
    return simpler;
  }
  if (negated(graph, a) >= 0) {
    return negate(graph, apply(graph, VIDA_OP_MULTIPLY, negated(graph, a), b));
  }
  if (negated(graph, b) >= 0) {
    return negate(graph, apply(graph, VIDA_OP_MULTIPLY, a, negated(graph, b)));
  }
  return NOT_SIMPLER;
}

static int simplify_quotient(vida_graph* graph, int a, int b) {
  if (vida__graph_is(graph, a, 0.0) && !vida__graph_is(graph, b, 0.0)) {
    return a;
  }
  if (is_constant(graph, b) && is_power_of_two(graph->nodes[b].constant)) {
    const double inverse = 1.0 / graph->nodes[b].constant;
    return apply(graph, VIDA_OP_MULTIPLY, vida__graph_constant(graph, inverse), a);
  }
  if (negated(graph, a) >= 0) {
    return negate(graph, apply(graph, VIDA_OP_DIVIDE, negated(graph, a), b));
  }
  if (negated(graph, b) >= 0) {
    return negate(graph, apply(graph, VIDA_OP_DIVIDE, a, negated(graph, b)));
  }
  return NOT_SIMPLER;
}

static int simplify_power(vida_graph* graph, int a, int b) {
  if (!is_constant(graph, b)) {
    return NOT_SIMPLER;
  }
  const double exponent = graph->nodes[b].constant;
  if (fabs(exponent) <= LARGEST_EXPONENT && exponent == floor(exponent)) {
    return vida__graph_power(graph, a, (int)exponent);
  }
  if (fabs(exponent) == 0.5) {
    const int root = apply(graph, VIDA_OP_SQRT, a, -1);
    return exponent > 0.0 ? root
                          : apply(graph, VIDA_OP_DIVIDE, vida__graph_constant(graph, 1.0), root);
  }
  return NOT_SIMPLER;
}

static int simplify_unary(vida_graph* graph, vida_operation operation, int a) {
  const int inner = negated(graph, a);
  if (operation == VIDA_OP_NEGATE) {
    if (inner >= 0) {
      return inner;
    }
    if (is_operation(graph, a, VIDA_OP_SUBTRACT)) {
      return apply(graph, VIDA_OP_SUBTRACT, graph->nodes[a].operand[1], graph->nodes[a].operand[0]);
    }
  }
  if (operation == VIDA_OP_ABS) {
    if (inner >= 0) {
      return apply(graph, VIDA_OP_ABS, inner, -1);
    }
    if (is_operation(graph, a, VIDA_OP_ABS)) {
      return a;
    }
  }
  return NOT_SIMPLER;
}

static int simplify(vida_graph* graph, vida_operation operation, int a, int b, int c) {
  switch (operation) {
    case VIDA_OP_ADD:
      return simplify_sum(graph, a, b);
    case VIDA_OP_SUBTRACT:
      return simplify_difference(graph, a, b);
    case VIDA_OP_MULTIPLY:
      return simplify_product(graph, a, b);
    case VIDA_OP_DIVIDE:
      return simplify_quotient(graph, a, b);
    case VIDA_OP_POWER:
      return simplify_power(graph, a, b);
    case VIDA_OP_NEGATE:
    case VIDA_OP_ABS:
      return simplify_unary(graph, operation, a);
    case VIDA_OP_MIN:
    case VIDA_OP_MAX:
      return a == b ? a : NOT_SIMPLER;
    case VIDA_OP_LESS:
      return a == b ? vida__graph_constant(graph, 0.0) : NOT_SIMPLER;
    case VIDA_OP_LESS_EQUAL:
    case VIDA_OP_EQUAL:
      return a == b ? vida__graph_constant(graph, 1.0) : NOT_SIMPLER;
    case VIDA_OP_WHERE:
      if (is_constant(graph, a)) {
        return vida__graph_is(graph, a, 0.0) ? c : b;
      }
      return b == c ? b : NOT_SIMPLER;
    default:
      return NOT_SIMPLER;
  }
}

static double constant_of(const vida_graph* graph, int node) {
  return node >= 0 ? graph->nodes[node].constant : 0.0;
}

/* The constant that an operation on constants is; NOT_SIMPLER otherwise. */
static int fold(vida_graph* graph, const vida_node* node) {
  double value[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < vida__operations[node->operation].arity; k++) {
    if (!is_constant(graph, node->operand[k])) {
      return NOT_SIMPLER;
    }
    value[k] = constant_of(graph, node->operand[k]);
  }
  const double result =
      vida__apply_operation(node->operation, node->number, value[0], value[1], value[2]);
  return isfinite(result) ? vida__graph_constant(graph, result) : NOT_SIMPLER;
}

/* 0, the first negative operand, or VIDA_BAD_ARGUMENT for an operand that does not exist. */
static int check_operands(const vida_graph* graph, const vida_node* node) {
  for (int k = 0; k < vida__operations[node->operation].arity; k++) {
    if (node->operand[k] < 0) {
      return node->operand[k];
    }
    if (node->operand[k] >= graph->count) {
      return VIDA_BAD_ARGUMENT;
    }
  }
  return VIDA_SUCCESS;
}

static int build(vida_graph* graph, vida_operation operation, int number, int a, int b, int c) {
  const vida_node node = {operation, {a, b, c}, number, 0.0};
  const int code = check_operands(graph, &node);
  if (code) {
    return code;
  }
  int simpler = fold(graph, &node);
  if (simpler == NOT_SIMPLER) {
    simpler = simplify(graph, operation, a, b, c);
  }
  return simpler != NOT_SIMPLER ? simpler : add_node(graph, operation, number, a, b, c);
}

int vida__graph_apply(vida_graph* graph, vida_operation operation, int a, int b, int c) {
  if (operation <= VIDA_OP_INPUT || operation >= VIDA_OPERATION_COUNT ||
      operation == VIDA_OP_POWER_INTEGER || operation == VIDA_OP_DIVIDED ||
      operation == VIDA_OP_DIVIDED_TWICE) {
    return VIDA_BAD_ARGUMENT;
  }
  return build(graph, operation, 0, a, b, c);
}

int vida__graph_power(vida_graph* graph, int a, int exponent) {
  if (a < 0) {
    return a;
  }
  if (a >= graph->count) {
    return VIDA_BAD_ARGUMENT;
  }
  switch (exponent) {
    case 0:
      return vida__graph_constant(graph, 1.0);
    case 1:
      return a;
    case -1:
      return apply(graph, VIDA_OP_DIVIDE, vida__graph_constant(graph, 1.0), a);
    default:
      break;
  }
  const int inner = exponent % 2 == 0 ? negated(graph, a) : -1;
  return build(graph, VIDA_OP_POWER_INTEGER, exponent, inner >= 0 ? inner : a, -1, -1);
}

int vida__graph_divided(vida_graph* graph, vida_operation operation, vida_operation phi, int u0,
                        int u1, int exponent) {
  if (operation != VIDA_OP_DIVIDED && operation != VIDA_OP_DIVIDED_TWICE) {
    return VIDA_BAD_ARGUMENT;
  }
  /* phi[u0, u1] is symmetric, but its table row has an exponent, too: ordered here. */
  if (operation == VIDA_OP_DIVIDED && u0 >= 0 && u1 >= 0 && u1 < u0) {
    const int first = u1;
    u1 = u0;
    u0 = first;
  }
  return build(graph, operation, (int)phi, u0, u1, exponent);
}

/* ---- exchanging inputs ---- */

int vida__graph_rebuild(vida_graph* graph, int index, const int* operand) {
  const vida_node node = graph->nodes[index];
  bool changed = false;
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    changed = changed || operand[k] != node.operand[k];
  }
  if (!changed) {
    return index;
  }
  return node.operation == VIDA_OP_POWER_INTEGER ? vida__graph_power(graph, operand[0], node.number)
         : node.operation == VIDA_OP_DIVIDED || node.operation == VIDA_OP_DIVIDED_TWICE
             ? vida__graph_divided(graph, node.operation, (vida_operation)node.number, operand[0],
                                   operand[1], operand[2])
             : vida__graph_apply(graph, node.operation, operand[0], operand[1], operand[2]);
}

static int copy_node(vida_graph* graph, int index, vida_input from, vida_input to, const int* map) {
  const vida_node node = graph->nodes[index];
  int operand[3] = {-1, -1, -1};
  switch (node.operation) {
    case VIDA_OP_CONSTANT:
      return index;
    case VIDA_OP_INPUT:
      return node.number == (int)from ? vida__graph_input(graph, to, node.operand[0]) : index;
    default:
      break;
  }
  bool changed = false;
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    operand[k] = map[node.operand[k]];
    changed = changed || operand[k] != node.operand[k];
  }
  return changed ? build(graph, node.operation, node.number, operand[0], operand[1], operand[2])
                 : index;
}

enum { WANTED = -2 }; /* in a map: must be copied */

/* Marks the operands of node i that have no copy yet, and copies leaves at once; the least node
 * that was marked, or `lowest`, or a negative code (which nodes are not). */
static int want_operands(vida_graph* graph, int i, vida_input from, vida_input to, int lowest,
                         int* map) {
  const vida_node node = graph->nodes[i];
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    const int operand = node.operand[k];
    if (map[operand] >= 0) {
      continue;
    }
    if (graph->nodes[operand].operation > VIDA_OP_INPUT) {
      map[operand] = WANTED;
      lowest = operand < lowest ? operand : lowest;
      continue;
    }
    const int copy = copy_node(graph, operand, from, to, map);
    if (copy < 0) {
      return copy;
    }
    map[operand] = copy;
  }
  return lowest;
}

void vida__graph_mark_used(const vida_graph* graph, int size, bool* used) {
  for (int i = size - 1; i >= 0; i--) { /* operands have smaller numbers */
    const vida_node* node = &graph->nodes[i];
    for (int k = 0; used[i] && k < vida__operations[node->operation].arity; k++) {
      used[node->operand[k]] = true;
    }
  }
}

int vida__graph_angle(vida_graph* graph, int below, int left, const int part[2]) {
  static const double half_turn = 3.14159265358979323846;
  const int turn =
      vida__graph_apply(graph, VIDA_OP_WHERE, below, vida__graph_constant(graph, -half_turn),
                        vida__graph_constant(graph, half_turn));
  const int opposite = vida__graph_apply(
      graph, VIDA_OP_ATAN2, vida__graph_apply(graph, VIDA_OP_NEGATE, part[0], -1, -1),
      vida__graph_apply(graph, VIDA_OP_NEGATE, part[1], -1, -1), -1);
  return vida__graph_apply(graph, VIDA_OP_WHERE, left,
                           vida__graph_apply(graph, VIDA_OP_ADD, opposite, turn, -1),
                           vida__graph_apply(graph, VIDA_OP_ATAN2, part[0], part[1], -1));
}

int vida__graph_rewrite(const vida_graph* graph, int (*rewrite)(void* data, int node), void* data,
                        int size, bool* used, int* copy, int count, const int* root, int* result) {
  for (int k = 0; k < count; k++) {
    used[root[k]] = true;
  }
  vida__graph_mark_used(graph, size, used);
  for (int i = 0; i < size; i++) {
    copy[i] = used[i] ? rewrite(data, i) : i;
    if (copy[i] < 0) {
      return copy[i];
    }
  }
  for (int k = 0; k < count; k++) {
    result[k] = copy[root[k]];
  }
  return VIDA_SUCCESS;
}

int vida__graph_replace(vida_graph* graph, int root, vida_input from, vida_input to, int size,
                        int* map) {
  if (root < 0 || root >= size || root >= graph->count) {
    return root < 0 ? root : VIDA_BAD_ARGUMENT;
  }
  if (map[root] >= 0) {
    return map[root];
  }
  /* Operands have smaller indices: a downward sweep marks the needed nodes, an upward sweep copies
   * them. */
  map[root] = WANTED;
  int lowest = root;
  for (int i = root; i >= lowest; i--) {
    if (map[i] == WANTED) {
      lowest = want_operands(graph, i, from, to, lowest, map);
      if (lowest < 0) {
        return lowest;
      }
    }
  }
  for (int i = lowest; i <= root; i++) {
    if (map[i] != WANTED) {
      continue;
    }
    const int copy = copy_node(graph, i, from, to, map);
    if (copy < 0) {
      return copy;
    }
    map[i] = copy;
  }
  return map[root];
}
