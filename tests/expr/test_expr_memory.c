/* Expressions when there is no memory: every allocation is refused once. The program has its own
 * base/memory.c, all of whose functions it must define. */
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <vida/error.h>

#include "expr/discrete.h"
#include "expr/tape.h"
#include "support/check.h"

static long calls;
static long fail_at; /* the call that is refused; 0: none */

static bool is_refused(void) {
  calls++;
  return calls == fail_at;
}

void* vida__allocate(size_t count, size_t size) {
  if (is_refused()) {
    return NULL;
  }
  return calloc(count ? count : 1, size ? size : 1);
}

char* vida__copy_text(const char* text) {
  char* copy = vida__allocate(strlen(text) + 1, 1);
  return copy ? strcpy(copy, text) : NULL;
}

int vida__reserve(void** array, size_t* capacity, size_t needed, size_t size) {
  if (needed <= *capacity) {
    return VIDA_SUCCESS;
  }
  if (is_refused()) {
    return VIDA_OUT_OF_MEMORY;
  }
  const size_t grown = needed + needed / 2;
  char* bytes = realloc(*array, grown * size);
  if (!bytes) {
    return VIDA_OUT_OF_MEMORY;
  }
  memset(bytes + *capacity * size, 0, (grown - *capacity) * size);
  *array = bytes;
  *capacity = grown;
  return VIDA_SUCCESS;
}

enum { COUNT = 3 };

/* log(1 + q0^2 + q1^2) sin(q1 q2) */
static int build_function(vida_graph* graph, int* q) {
  int sum = vida__graph_constant(graph, 1.0);
  for (int i = 0; i < COUNT; i++) {
    q[i] = vida__graph_input(graph, VIDA_INPUT_POSITION, i);
    if (i < 2) {
      sum = vida__graph_apply(graph, VIDA_OP_ADD, sum, vida__graph_power(graph, q[i], 2), -1);
    }
  }
  const int product = vida__graph_apply(graph, VIDA_OP_MULTIPLY, q[1], q[2], -1);
  return vida__graph_apply(graph, VIDA_OP_MULTIPLY,
                           vida__graph_apply(graph, VIDA_OP_LOG, sum, -1, -1),
                           vida__graph_apply(graph, VIDA_OP_SIN, product, -1, -1), -1);
}

static int derive_all(vida_graph* graph, vida_entries* hessian, vida_entries* jacobian) {
  int q[COUNT], gradient[COUNT], product[COUNT];
  const int f = build_function(graph, q);
  int code = f < 0 ? f : vida__derive_gradient(graph, f, COUNT, q, gradient);
  code = code ? code : vida__derive_hessian(graph, COUNT, q, gradient, hessian);
  code = code ? code : vida__derive_jacobian(graph, COUNT, gradient, COUNT, q, jacobian);
  return code ? code : vida__derive_product(graph, COUNT, gradient, COUNT, q, q, product);
}

static int derive_discrete(vida_graph* graph, vida_entries* jacobian) {
  int q[COUNT], gradient[COUNT];
  const int f = build_function(graph, q);
  const int code = f < 0 ? f : vida__discrete_gradient_nodes(graph, f, COUNT, q, gradient, NULL);
  return code ? code : vida__discrete_jacobian_nodes(graph, COUNT, q, gradient, 0, NULL, jacobian);
}

static int do_all(vida_graph* graph) {
  vida_entries hessian = {0}, jacobian = {0}, discrete = {0};
  vida_tape* tape = NULL;
  int code = derive_all(graph, &hessian, &jacobian);
  code = code ? code : derive_discrete(graph, &discrete);
  if (!code) {
    code = vida__tape_compile(graph, hessian.count, hessian.node, &tape);
    EXPECT(!code == !!tape, "a tape or a code");
  }
  vida__tape_destroy(&tape);
  vida__entries_free(&hessian);
  vida__entries_free(&jacobian);
  vida__entries_free(&discrete);
  return code;
}

static void test_every_allocation_refused(void) {
  fail_at = 0;
  calls = 0;
  vida_graph* graph = vida__graph_create();
  EXPECT(graph && !do_all(graph), "with memory");
  const int nodes = graph->count;
  vida__graph_destroy(&graph);
  const long all = calls;
  EXPECT(all > 20, "%ld allocations", all);
  for (long refused = 1; refused <= all; refused++) {
    calls = 0;
    fail_at = refused;
    graph = vida__graph_create();
    const int code = graph ? do_all(graph) : VIDA_OUT_OF_MEMORY;
    EXPECT(code == VIDA_OUT_OF_MEMORY, "allocation %ld refused: code %d", refused, code);
    fail_at = 0;
    if (graph) {
      /* the graph is as good as new: the same work now gives the same nodes */
      EXPECT(!do_all(graph), "after allocation %ld was refused", refused);
      EXPECT(graph->count == nodes, "%d nodes, not %d", graph->count, nodes);
    }
    vida__graph_destroy(&graph);
  }
}

int main(void) {
  static const CheckTest tests[] = {
      {"every allocation is refused once", test_every_allocation_refused},
      {NULL, NULL},
  };
  return check_main("expr_memory", tests);
}
