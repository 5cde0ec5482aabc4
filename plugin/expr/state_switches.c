#include "expr/state_switches.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct opener {
  vida_graph* graph;
  int size;       /* nodes that there are before */
  bool* used;     /* size */
  bool* of_state; /* size: depends on positions or rates */
  int* copy;      /* size */
  int count;
  size_t capacity, wraps_capacity;
  int* switches;
  bool* wraps;
} opener;

static bool is_step(vida_operation operation) {
  return operation == VIDA_OP_SIGN || operation == VIDA_OP_LESS ||
         operation == VIDA_OP_LESS_EQUAL || operation == VIDA_OP_EQUAL;
}

static void find_state(opener* work) {
  for (int i = 0; i < work->size; i++) {
    const vida_node* node = &work->graph->nodes[i];
    work->of_state[i] = node->operation == VIDA_OP_INPUT && (node->number == VIDA_INPUT_POSITION ||
                                                             node->number == VIDA_INPUT_VELOCITY);
    for (int k = 0; k < vida__operations[node->operation].arity; k++) {
      work->of_state[i] = work->of_state[i] || work->of_state[node->operand[k]];
    }
  }
}

/* Returns whether any node that is used switches with the state. */
static bool has_switches(const opener* work) {
  for (int i = 0; i < work->size; i++) {
    const vida_node* node = &work->graph->nodes[i];
    const bool is_angle = node->operation == VIDA_OP_ATAN2;
    const bool is_choice = node->operation == VIDA_OP_WHERE && work->of_state[node->operand[0]];
    if (work->used[i] && work->of_state[i] && (is_step(node->operation) || is_angle || is_choice)) {
      return true;
    }
  }
  return false;
}

/* Returns the input that replaces the switch `node`. */
static int add_switch(opener* work, int node) {
  if (node < 0) {
    return node;
  }
  int place = 0;
  while (place < work->count && work->switches[place] != node) {
    place++;
  }
  if (place == work->count) {
    if (vida__reserve((void**)&work->switches, &work->capacity, (size_t)work->count + 1,
                      sizeof *work->switches) ||
        vida__reserve((void**)&work->wraps, &work->wraps_capacity, (size_t)work->count + 1,
                      sizeof *work->wraps)) {
      return VIDA_OUT_OF_MEMORY;
    }
    work->switches[work->count++] = node;
  }
  return vida__graph_input(work->graph, VIDA_INPUT_AUXILIARY, place);
}

/* atan2 of operands that keep their signs: left of the second axis, that of the opposite vector
 * and half a turn. */
static int open_angle(opener* work, const vida_node* node, const int* part) {
  vida_graph* graph = work->graph;
  const int zero = vida__graph_constant(graph, 0.0);
  const int below =
      add_switch(work, vida__graph_apply(graph, VIDA_OP_LESS, node->operand[0], zero, -1));
  for (int k = 0; k < work->count && below >= 0; k++) {
    work->wraps[k] = work->wraps[k] || k == graph->nodes[below].operand[0];
  }
  const int left =
      add_switch(work, vida__graph_apply(graph, VIDA_OP_LESS, node->operand[1], zero, -1));
  return vida__graph_angle(graph, below, left, part);
}

/* where(c, a, b) as where(c == 0, b, a) */
static int open_choice(opener* work, const vida_node* node, const int* part) {
  const int zero = vida__graph_constant(work->graph, 0.0);
  const int is_not =
      add_switch(work, vida__graph_apply(work->graph, VIDA_OP_EQUAL, node->operand[0], zero, -1));
  return vida__graph_apply(work->graph, VIDA_OP_WHERE, is_not, part[2], part[1]);
}

static int open_node(void* data, int i) {
  opener* work = data;
  const vida_node node = work->graph->nodes[i]; /* a copy: the array may move */
  int part[3] = {-1, -1, -1};
  if (node.operation <= VIDA_OP_INPUT || !work->of_state[i]) {
    return i;
  }
  for (int k = 0; k < vida__operations[node.operation].arity; k++) {
    part[k] = work->copy[node.operand[k]];
  }
  if (is_step(node.operation)) {
    return add_switch(work, i);
  }
  if (node.operation == VIDA_OP_ATAN2) {
    return open_angle(work, &node, part);
  }
  if (node.operation == VIDA_OP_WHERE && work->of_state[node.operand[0]] &&
      !is_step(work->graph->nodes[node.operand[0]].operation)) {
    return open_choice(work, &node, part);
  }
  return vida__graph_rebuild(work->graph, i, part);
}

static int open_all(opener* work, int roots, const int* root, int* opened) {
  for (int i = 0; i < roots; i++) {
    work->used[root[i]] = true;
  }
  vida__graph_mark_used(work->graph, work->size, work->used);
  find_state(work);
  if (!has_switches(work)) {
    return VIDA_SUCCESS;
  }
  return vida__graph_rewrite(work->graph, open_node, work, work->size, work->used, work->copy,
                             roots, root, opened);
}

int vida__open_switches(vida_graph* graph, int roots, const int* root, int* opened, int* count,
                        int** switches, bool** wraps) {
  opener work = {.graph = graph};
  for (int i = 0; i < roots; i++) {
    work.size = root[i] >= work.size ? root[i] + 1 : work.size;
  }
  const size_t size = (size_t)work.size;
  work.used = vida__allocate(2 * size, sizeof *work.used);
  work.of_state = work.used + size;
  work.copy = vida__allocate(size, sizeof *work.copy);
  const int code =
      work.used && work.copy ? open_all(&work, roots, root, opened) : VIDA_OUT_OF_MEMORY;
  free(work.used);
  free(work.copy);
  if (code) {
    free(work.switches);
    free(work.wraps);
    work.switches = NULL;
    work.wraps = NULL;
    work.count = 0;
  }
  *count = work.count;
  *switches = work.switches;
  *wraps = work.wraps;
  return code;
}
