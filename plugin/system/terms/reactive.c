#include "system/terms/reactive.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "expr/derivative.h"
#include "system/terms/dependence.h"

int vida__list_multipliers(const vida_graph* graph, int size, const bool* used, int** multipliers,
                           int* count) {
  *count = 0;
  *multipliers = vida__allocate((size_t)size, sizeof **multipliers);
  if (!*multipliers) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i < size; i++) {
    const vida_node* node = &graph->nodes[i];
    if (used[i] && node->operation == VIDA_OP_INPUT && node->number == VIDA_INPUT_MULTIPLIER) {
      (*multipliers)[(*count)++] = i;
    }
  }
  return VIDA_SUCCESS;
}

static int compile(const vida_graph* graph, const vida_entries* slopes, const int* local,
                   vida_tape** tape) {
  if (slopes->count == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__tape_compile(graph, slopes->count, slopes->node, tape);
  for (int i = 0; i < (code ? 0 : (*tape)->input_count); i++) {
    vida_tape_input* input = &(*tape)->inputs[i];
    if (input->kind == VIDA_INPUT_POSITION || input->kind == VIDA_INPUT_VELOCITY) {
      input->index = local[input->index];
    }
  }
  return code;
}

/* If derivatives depend on multipliers, each step of Newton's method needs new ones. */
static int find_bends(const vida_graph* graph, const vida_entries* slopes, bool* bends) {
  vida_dependence* dependence = vida__allocate((size_t)graph->count, sizeof *dependence);
  if (!dependence) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida__find_dependence(graph, graph->count, dependence);
  for (int e = 0; e < slopes->count; e++) {
    *bends = *bends || dependence[slopes->node[e]].multipliers;
  }
  free(dependence);
  return VIDA_SUCCESS;
}

static int list_slopes(const vida_graph* graph, const vida_entries* slopes, const int* multipliers,
                       vida_functions* base) {
  base->multiplier_place = vida__allocate((size_t)slopes->count, sizeof(int));
  base->multiplier_number = vida__allocate((size_t)slopes->count, sizeof(int));
  if (!base->multiplier_place || !base->multiplier_number) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int e = 0; e < slopes->count; e++) {
    base->multiplier_place[e] = slopes->row[e];
    base->multiplier_number[e] = graph->nodes[multipliers[slopes->column[e]]].operand[0];
  }
  base->multiplier_count = slopes->count;
  return VIDA_SUCCESS;
}

int vida__derive_reactive(vida_graph* graph, const int* forces, int count, const int* multipliers,
                          const int* local, vida_traced* traced) {
  vida_entries slopes = {0};
  int code = vida__derive_jacobian(graph, traced->width, forces, count, multipliers, &slopes);
  code = code ? code : compile(graph, &slopes, local, &traced->tape[VIDA_TAPE_BY_MULTIPLIERS]);
  code = code ? code : find_bends(graph, &slopes, &traced->base.bends_with_multipliers);
  code = code ? code : list_slopes(graph, &slopes, multipliers, &traced->base);
  traced->term = &vida__traced_reactive_force;
  vida__entries_free(&slopes);
  return code;
}
