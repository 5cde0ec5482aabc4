#include "expr/derivative.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "expr/rules.h"

/* ---- partial derivatives: the table's columns, written in these words ---- */

#define ZERO vida__graph_constant(graph, 0.0)
#define ONE vida__graph_constant(graph, 1.0)
#define MINUS_ONE vida__graph_constant(graph, -1.0)
#define SQUARE(x) vida__graph_power(graph, x, 2)
#define POWER_INTEGER(x, exponent) vida__graph_power(graph, x, exponent)
#define POWER(x, y) BINARY(POWER, x, y)
#define LOG(x) UNARY(LOG, x)
#define SIN(x) UNARY(SIN, x)
#define COS(x) UNARY(COS, x)
#define SINH(x) UNARY(SINH, x)
#define COSH(x) UNARY(COSH, x)
#define SIGN(x) UNARY(SIGN, x)
#define WHERE(x, y, z) vida__graph_apply(graph, VIDA_OP_WHERE, x, y, z)
#define COFACTOR(x) UNARY(SQRT, MUL(SUB(ONE, x), ADD(ONE, x)))
/* 1, 1/2 or 0: the derivative with respect to the operand that is larger by x */
#define SHARE(x) MUL(NUMBER(0.5), ADD(ONE, SIGN(x)))
#define TWICE(x, y, z) vida__graph_divided(graph, VIDA_OP_DIVIDED_TWICE, (vida_operation)n, x, y, z)
#define ANGLE_SLOPE(x, y) BINARY(ANGLE_SLOPE, x, y)
#define UNSUPPORTED VIDA_NOT_SUPPORTED

int vida__ordinary_partial(vida_graph* graph, int r, int k, const void* context) {
  const vida_node node = graph->nodes[r];
  const int a = node.operand[0], b = node.operand[1], c = node.operand[2], n = node.number;
  (void)context;
  switch (node.operation) {
#define CASE(name, lua, arity, order, finite, value, da, db, dc, ...) \
  case VIDA_OP_##name:                                                \
    return k == 0 ? (da) : k == 1 ? (db) : (dc);
    VIDA_OPERATION_LIST(CASE)
#undef CASE
    case VIDA_OPERATION_COUNT:
      break;
  }
  (void)c;
  return VIDA_BAD_ARGUMENT;
}

/* ---- entries ---- */

void vida__entries_free(vida_entries* entries) {
  free(entries->row);
  free(entries->column);
  free(entries->node);
  memset(entries, 0, sizeof *entries);
}

static int append_entry(vida_entries* entries, int row, int column, int node) {
  const size_t needed = (size_t)entries->count + 1;
  if (entries->count == INT_MAX ||
      vida__reserve((void**)&entries->row, &entries->row_capacity, needed, sizeof(int)) ||
      vida__reserve((void**)&entries->column, &entries->column_capacity, needed, sizeof(int)) ||
      vida__reserve((void**)&entries->node, &entries->node_capacity, needed, sizeof(int))) {
    return VIDA_OUT_OF_MEMORY;
  }
  entries->row[entries->count] = row;
  entries->column[entries->count] = column;
  entries->node[entries->count] = node;
  entries->count++;
  return VIDA_SUCCESS;
}

/* ---- sweeps ---- */

enum { NOTHING = -1 };

/* Work space of sweeps over the first `size` nodes of a graph; nodes added meanwhile do not take
 * part. */
typedef struct graph_sweep {
  vida_graph* graph;
  int size;
  int* first;   /* of the variables, the least that the node depends on; INT_MAX: none */
  int* adjoint; /* node of the derivative of the output with respect to the node, or NOTHING */
  bool* listed;
  int* list; /* nodes of the present sweep */
  int length;
  vida_partial partial;
  const void* context;
} graph_sweep;

static void sweep_end(graph_sweep* sweep) {
  free(sweep->first);
  free(sweep->adjoint);
  free(sweep->listed);
  free(sweep->list);
}

/* Returns VIDA_BAD_ARGUMENT if a variable is not an input. */
static int find_first_variables(graph_sweep* sweep, int count, const int* variable) {
  for (int i = 0; i < sweep->size; i++) {
    sweep->first[i] = INT_MAX;
  }
  for (int j = count - 1; j >= 0; j--) {
    if (variable[j] < 0 || variable[j] >= sweep->size ||
        sweep->graph->nodes[variable[j]].operation != VIDA_OP_INPUT) {
      return variable[j] < 0 ? variable[j] : VIDA_BAD_ARGUMENT;
    }
    sweep->first[variable[j]] = j;
  }
  for (int i = 0; i < sweep->size; i++) {
    const vida_node* node = &sweep->graph->nodes[i];
    for (int k = 0; k < vida__operations[node->operation].arity; k++) {
      const int first = sweep->first[node->operand[k]];
      sweep->first[i] = first < sweep->first[i] ? first : sweep->first[i];
    }
  }
  return VIDA_SUCCESS;
}

static int sweep_begin(graph_sweep* sweep, vida_graph* graph, int count, const int* variable) {
  memset(sweep, 0, sizeof *sweep);
  sweep->graph = graph;
  sweep->size = graph->count;
  sweep->partial = vida__ordinary_partial;
  const size_t size = (size_t)graph->count;
  sweep->first = vida__allocate(size, sizeof *sweep->first);
  sweep->adjoint = vida__allocate(size, sizeof *sweep->adjoint);
  sweep->listed = vida__allocate(size, sizeof *sweep->listed);
  sweep->list = vida__allocate(size, sizeof *sweep->list);
  int code = VIDA_OUT_OF_MEMORY;
  if (sweep->first && sweep->adjoint && sweep->listed && sweep->list) {
    memset(sweep->adjoint, -1, size * sizeof *sweep->adjoint);
    code = find_first_variables(sweep, count, variable);
  }
  if (code) {
    sweep_end(sweep);
  }
  return code;
}

static int compare_ascending(const void* x, const void* y) {
  const int a = *(const int*)x, b = *(const int*)y;
  return (a > b) - (a < b);
}

static void list_node(graph_sweep* sweep, int node, int last) {
  if (sweep->first[node] <= last && !sweep->listed[node]) {
    sweep->listed[node] = true;
    sweep->list[sweep->length++] = node;
  }
}

/* Lists, ascending, the nodes below the outputs that depend on variables 0..last. */
static void list_nodes(graph_sweep* sweep, int count, const int* output, int last) {
  sweep->length = 0;
  for (int i = 0; i < count; i++) {
    list_node(sweep, output[i], last);
  }
  for (int i = 0; i < sweep->length; i++) {
    const vida_node* node = &sweep->graph->nodes[sweep->list[i]];
    for (int k = 0; k < vida__operations[node->operation].arity; k++) {
      list_node(sweep, node->operand[k], last);
    }
  }
  qsort(sweep->list, (size_t)sweep->length, sizeof *sweep->list, compare_ascending);
}

static void clear_list(graph_sweep* sweep) {
  for (int i = 0; i < sweep->length; i++) {
    sweep->listed[sweep->list[i]] = false;
    sweep->adjoint[sweep->list[i]] = NOTHING;
  }
  sweep->length = 0;
}

/* Adds the adjoint of a node to those of its operands. */
static int propagate(graph_sweep* sweep, int r, int last) {
  vida_graph* graph = sweep->graph;
  const vida_node node = graph->nodes[r];
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    const int operand = node.operand[k];
    if (sweep->first[operand] > last) {
      continue;
    }
    const int part = MUL(sweep->adjoint[r], sweep->partial(graph, r, k, sweep->context));
    if (part < 0) {
      return part;
    }
    if (vida__graph_is(graph, part, 0.0)) {
      continue;
    }
    const int before = sweep->adjoint[operand];
    const int sum = before == NOTHING ? part : ADD(before, part);
    if (sum < 0) {
      return sum;
    }
    sweep->adjoint[operand] = sum;
  }
  return VIDA_SUCCESS;
}

/* Computes the adjoints of all nodes below `output` that depend on variables 0..last; clear_list
 * follows. */
static int sweep_back(graph_sweep* sweep, int output, int last) {
  list_nodes(sweep, 1, &output, last);
  if (!sweep->length) {
    return VIDA_SUCCESS;
  }
  const int one = vida__graph_constant(sweep->graph, 1.0);
  if (one < 0) {
    return one;
  }
  sweep->adjoint[output] = one;
  for (int i = sweep->length - 1; i >= 0; i--) {
    if (sweep->adjoint[sweep->list[i]] == NOTHING) {
      continue;
    }
    const int code = propagate(sweep, sweep->list[i], last);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

static int check_nodes(const vida_graph* graph, int count, const int* node) {
  for (int i = 0; i < count; i++) {
    if (node[i] < 0 || node[i] >= graph->count) {
      return node[i] < 0 ? node[i] : VIDA_BAD_ARGUMENT;
    }
  }
  return VIDA_SUCCESS;
}

int vida__derive_with(vida_graph* graph, int output, int count, const int* variable, int* gradient,
                      vida_partial partial, const void* context) {
  const int zero = vida__graph_constant(graph, 0.0);
  int code = zero < 0 ? zero : check_nodes(graph, 1, &output);
  graph_sweep sweep;
  if (code || (code = sweep_begin(&sweep, graph, count, variable))) {
    return code;
  }
  sweep.partial = partial;
  sweep.context = context;
  code = sweep_back(&sweep, output, count - 1);
  for (int j = 0; j < count && !code; j++) {
    const int adjoint = sweep.adjoint[variable[j]];
    gradient[j] = adjoint == NOTHING ? zero : adjoint;
  }
  sweep_end(&sweep);
  return code;
}

int vida__derive_gradient(vida_graph* graph, int output, int count, const int* variable,
                          int* gradient) {
  return vida__derive_with(graph, output, count, variable, gradient, vida__ordinary_partial, NULL);
}

/* ---- matrices ---- */

/* The index of an input node among the variables; -1: none. `place` has sweep->size elements. */
static int* find_places(const graph_sweep* sweep, int count, const int* variable) {
  int* place = vida__allocate((size_t)sweep->size, sizeof *place);
  if (place) {
    memset(place, -1, (size_t)sweep->size * sizeof *place);
    for (int j = 0; j < count; j++) {
      place[variable[j]] = j;
    }
  }
  return place;
}

/* Appends a row of derivatives with respect to variables 0..last. `columns` is work space. */
static int append_row(graph_sweep* sweep, int row, int output, int last, const int* variable,
                      const int* place, int* columns, vida_entries* entries) {
  int code = sweep_back(sweep, output, last);
  int length = 0;
  for (int i = 0; i < sweep->length && !code; i++) {
    const int column = place[sweep->list[i]];
    if (column >= 0 && sweep->adjoint[sweep->list[i]] != NOTHING) {
      columns[length++] = column;
    }
  }
  qsort(columns, (size_t)length, sizeof *columns, compare_ascending);
  for (int i = 0; i < length && !code; i++) {
    const int node = sweep->adjoint[variable[columns[i]]];
    if (!vida__graph_is(sweep->graph, node, 0.0)) {
      code = append_entry(entries, row, columns[i], node);
    }
  }
  clear_list(sweep);
  return code;
}

/* The rows of a matrix: how their derivatives are formed. */
typedef struct row_rule {
  bool lower;
  vida_partial partial;
  const void* context;
} row_rule;

static int derive_rows(vida_graph* graph, int rows, const int* output, int count,
                       const int* variable, const row_rule* rule, vida_entries* entries) {
  int code = check_nodes(graph, rows, output);
  graph_sweep sweep;
  if (code || (code = sweep_begin(&sweep, graph, count, variable))) {
    return code;
  }
  sweep.partial = rule->partial;
  sweep.context = rule->context;
  int* place = find_places(&sweep, count, variable);
  int* columns = vida__allocate((size_t)count, sizeof *columns);
  code = place && columns ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int i = 0; i < rows && !code; i++) {
    const int last = rule->lower ? i : count - 1;
    code = append_row(&sweep, i, output[i], last, variable, place, columns, entries);
  }
  free(place);
  free(columns);
  sweep_end(&sweep);
  return code;
}

int vida__derive_rows_with(vida_graph* graph, int rows, const int* output, int count,
                           const int* variable, vida_entries* entries, vida_partial partial,
                           const void* context) {
  const row_rule rule = {false, partial, context};
  return derive_rows(graph, rows, output, count, variable, &rule, entries);
}

int vida__derive_jacobian(vida_graph* graph, int rows, const int* output, int count,
                          const int* variable, vida_entries* entries) {
  return vida__derive_rows_with(graph, rows, output, count, variable, entries,
                                vida__ordinary_partial, NULL);
}

int vida__derive_hessian(vida_graph* graph, int count, const int* variable, const int* gradient,
                         vida_entries* entries) {
  const row_rule rule = {true, vida__ordinary_partial, NULL};
  return derive_rows(graph, count, gradient, count, variable, &rule, entries);
}

/* ---- forward ---- */

/* Returns the tangent of a node from those of its operands, and stores it in `adjoint`. */
static int find_tangent(graph_sweep* sweep, int r) {
  vida_graph* graph = sweep->graph;
  const vida_node node = graph->nodes[r];
  int tangent = NOTHING;
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    const int inner = sweep->adjoint[node.operand[k]];
    if (inner == NOTHING) {
      continue;
    }
    const int part = MUL(inner, sweep->partial(graph, r, k, sweep->context));
    tangent = tangent == NOTHING ? part : ADD(tangent, part);
    if (tangent < 0) {
      return tangent;
    }
  }
  sweep->adjoint[r] = tangent;
  return VIDA_SUCCESS;
}

int vida__derive_product(vida_graph* graph, int rows, const int* output, int count,
                         const int* variable, const int* direction, int* product) {
  const int zero = vida__graph_constant(graph, 0.0);
  int code = zero < 0 ? zero : check_nodes(graph, rows, output);
  code = code ? code : check_nodes(graph, count, direction);
  graph_sweep sweep;
  if (code || (code = sweep_begin(&sweep, graph, count, variable))) {
    return code;
  }
  list_nodes(&sweep, rows, output, count - 1);
  for (int j = 0; j < count; j++) {
    sweep.adjoint[variable[j]] = direction[j];
  }
  for (int i = 0; i < sweep.length && !code; i++) {
    if (graph->nodes[sweep.list[i]].operation != VIDA_OP_INPUT) {
      code = find_tangent(&sweep, sweep.list[i]);
    }
  }
  for (int i = 0; i < rows && !code; i++) {
    const int tangent = sweep.adjoint[output[i]];
    product[i] = tangent == NOTHING ? zero : tangent;
  }
  sweep_end(&sweep);
  return code;
}
