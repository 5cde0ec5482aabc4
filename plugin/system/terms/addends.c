#include "system/terms/addends.h"

#include <stdlib.h>

#include "base/memory.h"
#include "system/terms/derive.h"

/* A part that has not been processed: factor * node. */
typedef struct part {
  int node, factor;
} part;

typedef struct sorting {
  vida_graph* graph;
  const vida_dependence* dependence; /* of all nodes up to that of the Lagrangian */
  part* parts;
  size_t capacity;
  int count;
  vida_addends* addends;
} sorting;

static int push(sorting* work, int node, int factor) {
  if (factor < 0) {
    return factor;
  }
  if (vida__reserve((void**)&work->parts, &work->capacity, (size_t)work->count + 1,
                    sizeof *work->parts)) {
    return VIDA_OUT_OF_MEMORY;
  }
  work->parts[work->count++] = (part){node, factor};
  return VIDA_SUCCESS;
}

static int add_to(sorting* work, int* sum, part taken) {
  const int value = vida__graph_apply(work->graph, VIDA_OP_MULTIPLY, taken.factor, taken.node, -1);
  *sum = *sum < 0 ? value : vida__graph_apply(work->graph, VIDA_OP_ADD, *sum, value, -1);
  return *sum < 0 ? *sum : VIDA_SUCCESS;
}

static bool is_state_free(const sorting* work, int node) {
  const vida_dependence* of = &work->dependence[node];
  return !of->positions && !of->rates && !of->time && !of->auxiliary;
}

/* Splits a part that depends on positions and rates; *whole receives whether it cannot be split. */
static int take_apart(sorting* work, part taken, bool* whole) {
  vida_graph* graph = work->graph;
  const vida_node node = graph->nodes[taken.node];
  const int a = node.operand[0];
  const int b = node.operand[1];
  int code = VIDA_SUCCESS;
  *whole = false;
  switch (node.operation) {
    case VIDA_OP_ADD:
    case VIDA_OP_SUBTRACT:
      /* The first addend leaves the stack first, so that sums keep their order. */
      code = push(work, b,
                  node.operation == VIDA_OP_ADD
                      ? taken.factor
                      : vida__graph_apply(graph, VIDA_OP_NEGATE, taken.factor, -1, -1));
      return code ? code : push(work, a, taken.factor);
    case VIDA_OP_NEGATE:
      return push(work, a, vida__graph_apply(graph, VIDA_OP_NEGATE, taken.factor, -1, -1));
    case VIDA_OP_MULTIPLY:
      if (is_state_free(work, a) || is_state_free(work, b)) {
        const bool first = is_state_free(work, a);
        return push(work, first ? b : a,
                    vida__graph_apply(graph, VIDA_OP_MULTIPLY, taken.factor, first ? a : b, -1));
      }
      break;
    case VIDA_OP_DIVIDE:
      if (is_state_free(work, b)) {
        return push(work, a, vida__graph_apply(graph, VIDA_OP_DIVIDE, taken.factor, b, -1));
      }
      break;
    default:
      break;
  }
  *whole = true;
  return VIDA_SUCCESS;
}

static int sort_part(sorting* work, part taken) {
  const vida_dependence* of = &work->dependence[taken.node];
  bool whole = true;
  if (of->time || of->auxiliary || (of->positions && of->rates)) {
    const int code = take_apart(work, taken, &whole);
    return code || !whole ? code : add_to(work, &work->addends->rest, taken);
  }
  if (of->rates) {
    return add_to(work, &work->addends->rates, taken);
  }
  /* A constant counts as a potential, which has no effect. */
  return add_to(work, &work->addends->positions, taken);
}

int vida__sort_addends(vida_graph* graph, int lagrangian, vida_addends* addends) {
  const int size = lagrangian + 1;
  vida_dependence* dependence = vida__allocate((size_t)size, sizeof *dependence);
  sorting work = {.graph = graph, .dependence = dependence, .addends = addends};
  *addends = (vida_addends){-1, -1, -1};
  if (!dependence) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida__find_dependence(graph, size, dependence);
  int code = push(&work, lagrangian, vida__graph_constant(graph, 1.0));
  while (!code && work.count > 0) {
    code = sort_part(&work, work.parts[--work.count]);
  }
  free(work.parts);
  free(dependence);
  return code;
}
