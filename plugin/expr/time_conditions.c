#include "expr/time_conditions.h"

#include <stdlib.h>

#include "base/memory.h"

/* ---- freezing -------------------------------------------------------------------------------- */

/* The dependence of an expression on time and state. */
enum { OF_TIME = 1, OF_STATE = 2 };

typedef struct freezer {
  vida_graph* graph;
  int size;             /* nodes that there are before */
  unsigned char* kinds; /* size: of OF_... */
  bool* used;           /* size */
  int* at_moment;       /* size: copies with the moment as the time, or -1 */
  int* frozen;          /* size */
} freezer;

static int arity_of(const vida_node* node) {
  return vida__operations[node->operation].arity;
}

static bool is_step(vida_operation operation) {
  return operation == VIDA_OP_SIGN || operation == VIDA_OP_LESS ||
         operation == VIDA_OP_LESS_EQUAL || operation == VIDA_OP_EQUAL;
}

static bool is_extremum(vida_operation operation) {
  return operation == VIDA_OP_MIN || operation == VIDA_OP_MAX;
}

static void find_kinds(freezer* work) {
  for (int i = 0; i < work->size; i++) {
    const vida_node* node = &work->graph->nodes[i];
    if (node->operation == VIDA_OP_INPUT) {
      work->kinds[i] = node->number == VIDA_INPUT_TIME        ? OF_TIME
                       : node->number == VIDA_INPUT_PARAMETER ? 0
                                                              : OF_STATE;
      continue;
    }
    work->kinds[i] = 0;
    for (int k = 0; k < arity_of(node); k++) {
      work->kinds[i] |= work->kinds[node->operand[k]];
    }
  }
}

static bool depends_on_time_alone(const freezer* work, int node) {
  return work->kinds[node] == OF_TIME;
}

static int at_moment(freezer* work, int node) {
  return vida__graph_replace(work->graph, node, VIDA_INPUT_TIME, VIDA_INPUT_MOMENT, work->size,
                             work->at_moment);
}

static int freeze_choice(freezer* work, const vida_node* node, const int* part) {
  const int first = node->operation == VIDA_OP_MIN ? 1 : 0;
  const int less =
      vida__graph_apply(work->graph, VIDA_OP_LESS, at_moment(work, node->operand[first]),
                        at_moment(work, node->operand[1 - first]), -1);
  return vida__graph_apply(work->graph, VIDA_OP_WHERE, less, part[1], part[0]);
}

/* Left of the second axis the angle of the opposite vector plus half a turn, so that it does not
 * jump at the ends of the steps on one side. */
static int freeze_angle(freezer* work, const vida_node* node, const int* part) {
  vida_graph* graph = work->graph;
  const int zero = vida__graph_constant(graph, 0.0);
  const int below =
      vida__graph_apply(graph, VIDA_OP_LESS, at_moment(work, node->operand[0]), zero, -1);
  const int left =
      vida__graph_apply(graph, VIDA_OP_LESS, at_moment(work, node->operand[1]), zero, -1);
  return vida__graph_angle(graph, below, left, part);
}

static int freeze_node(void* data, int i) {
  freezer* work = data;
  const vida_node node = work->graph->nodes[i]; /* a copy: the array may move */
  int part[3] = {-1, -1, -1};
  if (node.operation <= VIDA_OP_INPUT) {
    return i;
  }
  for (int k = 0; k < arity_of(&node); k++) {
    part[k] = work->frozen[node.operand[k]];
  }
  if (node.operation == VIDA_OP_WHERE && depends_on_time_alone(work, node.operand[0])) {
    part[0] = at_moment(work, node.operand[0]);
  } else if (is_step(node.operation) && depends_on_time_alone(work, i)) {
    return at_moment(work, i);
  } else if (node.operation == VIDA_OP_ABS && depends_on_time_alone(work, i)) {
    const int side =
        vida__graph_apply(work->graph, VIDA_OP_SIGN, at_moment(work, node.operand[0]), -1, -1);
    return vida__graph_apply(work->graph, VIDA_OP_MULTIPLY, side, part[0], -1);
  } else if (is_extremum(node.operation) && depends_on_time_alone(work, i)) {
    return freeze_choice(work, &node, part);
  }
  if (node.operation == VIDA_OP_ATAN2 && depends_on_time_alone(work, i)) {
    return freeze_angle(work, &node, part);
  }
  return vida__graph_rebuild(work->graph, i, part);
}

static int freeze_all(freezer* work, int count, const int* root, int* frozen) {
  find_kinds(work);
  for (int i = 0; i < work->size; i++) {
    work->at_moment[i] = -1;
  }
  return vida__graph_rewrite(work->graph, freeze_node, work, work->size, work->used, work->frozen,
                             count, root, frozen);
}

int vida__freeze_conditions(vida_graph* graph, int count, const int* root, int* frozen) {
  freezer work = {.graph = graph, .size = 0};
  for (int i = 0; i < count; i++) {
    if (root[i] < 0 || root[i] >= graph->count) {
      return root[i] < 0 ? root[i] : VIDA_BAD_ARGUMENT;
    }
    work.size = root[i] >= work.size ? root[i] + 1 : work.size;
  }
  const size_t size = (size_t)work.size;
  work.kinds = vida__allocate(size, sizeof *work.kinds);
  work.used = vida__allocate(size, sizeof *work.used);
  work.at_moment = vida__allocate(size, sizeof *work.at_moment);
  work.frozen = vida__allocate(size, sizeof *work.frozen);
  const int code = work.kinds && work.used && work.at_moment && work.frozen
                       ? freeze_all(&work, count, root, frozen)
                       : VIDA_OUT_OF_MEMORY;
  free(work.kinds);
  free(work.used);
  free(work.at_moment);
  free(work.frozen);
  return code;
}

/* ---- listing --------------------------------------------------------------------------------- */

enum { OF_MOMENT = 1, OF_MORE = 2 };

static unsigned char kind_of(const vida_graph* graph, int node, const unsigned char* kinds) {
  const vida_node* at = &graph->nodes[node];
  unsigned char kind = 0;
  if (at->operation == VIDA_OP_INPUT) {
    return at->number == VIDA_INPUT_MOMENT      ? OF_MOMENT
           : at->number == VIDA_INPUT_PARAMETER ? 0
                                                : OF_MORE;
  }
  for (int k = 0; k < arity_of(at); k++) {
    kind |= kinds[at->operand[k]];
  }
  return kind;
}

/* Marks in `listed` the nodes that decide the conditions of the used nodes, and in `truth`
 * conditions of choices. Returns whether there are any. Conditions that also depend on the state
 * are not conditions of time. */
static bool mark_conditions(const vida_graph* graph, const bool* used, unsigned char* kinds,
                            bool* listed, bool* truth) {
  bool any = false;
  for (int i = 0; i < graph->count; i++) {
    const vida_node* node = &graph->nodes[i];
    kinds[i] = kind_of(graph, i, kinds);
    if (used[i] && node->operation == VIDA_OP_WHERE && kinds[node->operand[0]] == OF_MOMENT) {
      truth[node->operand[0]] = listed[node->operand[0]] = any = true;
    }
    if (used[i] && is_step(node->operation) && kinds[i] == OF_MOMENT) {
      listed[i] = any = true;
    }
  }
  return any;
}

static void copy_nodes(const vida_graph* graph, int size, const bool* listed, const bool* truth,
                       int* place, vida_conditions* made) {
  for (int i = 0; i < size; i++) {
    const vida_node* node = &graph->nodes[i];
    if (!listed[i]) {
      continue;
    }
    vida_condition_node* copy = &made->nodes[made->count];
    *copy = (vida_condition_node){.operation = node->operation,
                                  .number = node->number,
                                  .operand = {node->operand[0], -1, -1},
                                  .constant = node->constant,
                                  .is_step = is_step(node->operation),
                                  .is_truth = truth[i]};
    for (int k = 0; k < arity_of(node); k++) {
      copy->operand[k] = place[node->operand[k]];
    }
    place[i] = made->count++;
  }
}

int vida__conditions_create(const vida_graph* graph, int count, const int* root,
                            vida_conditions** conditions) {
  const size_t size = (size_t)graph->count;
  bool* used = vida__allocate(3 * size, sizeof *used);
  bool *listed = used + size, *truth = used + 2 * size;
  unsigned char* kinds = vida__allocate(size, sizeof *kinds);
  int* place = vida__allocate(size, sizeof *place);
  *conditions = NULL;
  int code = used && kinds && place ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int i = 0; i < count && !code; i++) {
    used[root[i]] = true;
  }
  if (!code) {
    vida__graph_mark_used(graph, graph->count, used);
  }
  if (!code && mark_conditions(graph, used, kinds, listed, truth)) {
    vida__graph_mark_used(graph, graph->count, listed);
    vida_conditions* made = vida__allocate(1, sizeof *made);
    *conditions = made;
    if (made) {
      made->nodes = vida__allocate(size, sizeof *made->nodes);
    }
    code = made && made->nodes ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
    if (!code) {
      copy_nodes(graph, graph->count, listed, truth, place, made);
    }
  }
  if (code) {
    vida__conditions_destroy(conditions);
  }
  free(used);
  free(kinds);
  free(place);
  return code;
}

void vida__conditions_destroy(vida_conditions** conditions) {
  if (*conditions) {
    free((*conditions)->nodes);
    free(*conditions);
    *conditions = NULL;
  }
}

/* ---- deciding -------------------------------------------------------------------------------- */

static vida_bounds bound_node(const vida_condition_node* node, const double* parameters,
                              vida_bounds moment, const vida_bounds* value) {
  static const vida_bounds none = {0.0, 0.0};
  const int arity = vida__operations[node->operation].arity;
  if (node->operation == VIDA_OP_CONSTANT) {
    return (vida_bounds){node->constant, node->constant};
  }
  if (node->operation == VIDA_OP_INPUT) {
    if (node->number == VIDA_INPUT_PARAMETER) {
      return (vida_bounds){parameters[node->operand[0]], parameters[node->operand[0]]};
    }
    return moment;
  }
  return vida__bound_operation(
      node->operation, node->number, arity > 0 ? value[node->operand[0]] : none,
      arity > 1 ? value[node->operand[1]] : none, arity > 2 ? value[node->operand[2]] : none);
}

static bool is_decided(const vida_condition_node* node, vida_bounds value) {
  const bool is_point = value.low == value.high;
  const bool has_no_zero = value.low > 0.0 || value.high < 0.0;
  return (!node->is_step || is_point) && (!node->is_truth || is_point || has_no_zero);
}

bool vida__conditions_decide(const vida_conditions* conditions, const double* parameters,
                             double low, double high, vida_bounds* value) {
  const vida_bounds moment = {low, high};
  bool all = true;
  for (int i = 0; i < conditions->count; i++) {
    const vida_condition_node* node = &conditions->nodes[i];
    value[i] = bound_node(node, parameters, moment, value);
    all = all && is_decided(node, value[i]);
  }
  return all;
}

bool vida__conditions_equal(const vida_conditions* conditions, const vida_bounds* x,
                            const vida_bounds* y) {
  for (int i = 0; i < conditions->count; i++) {
    const vida_condition_node* node = &conditions->nodes[i];
    if (node->is_step && x[i].low != y[i].low) {
      return false;
    }
    if (node->is_truth &&
        (x[i].low > 0.0 || x[i].high < 0.0) != (y[i].low > 0.0 || y[i].high < 0.0)) {
      return false;
    }
  }
  return true;
}
