#include "system/terms/dependence.h"

#include <stdlib.h>

#include "base/memory.h"

vida_dependence vida__input_dependence(const vida_node* node) {
  const vida_dependence own = {
      node->number == VIDA_INPUT_POSITION, node->number == VIDA_INPUT_VELOCITY,
      node->number == VIDA_INPUT_TIME || node->number == VIDA_INPUT_MOMENT,
      node->number == VIDA_INPUT_AUXILIARY, node->number == VIDA_INPUT_MULTIPLIER};
  return own;
}

void vida__merge_dependence(vida_dependence* into, const vida_dependence* from) {
  into->positions |= from->positions;
  into->rates |= from->rates;
  into->time |= from->time;
  into->auxiliary |= from->auxiliary;
  into->multipliers |= from->multipliers;
}

void vida__find_dependence(const vida_graph* graph, int count, vida_dependence* dependence) {
  static const vida_dependence none = {false, false, false, false, false};
  for (int i = 0; i < count; i++) {
    const vida_node* node = &graph->nodes[i];
    dependence[i] = node->operation == VIDA_OP_INPUT ? vida__input_dependence(node) : none;
    for (int k = 0; k < vida__operations[node->operation].arity; k++) {
      vida__merge_dependence(&dependence[i], &dependence[node->operand[k]]);
    }
  }
}

bool vida__is_branching(vida_operation operation) {
  return operation == VIDA_OP_WHERE || vida__operations[operation].discrete == VIDA_DISCRETE_STEP;
}

bool vida__has_kink(vida_operation operation) {
  return vida__is_branching(operation) || operation == VIDA_OP_ABS || operation == VIDA_OP_MIN ||
         operation == VIDA_OP_MAX;
}

/* Returns whether a node vanishes where all rates do: a sum of products with factors that vanish.
 * `vanishes` has the answer for its operands. */
static bool node_vanishes(const vida_node* node, const bool* vanishes) {
  const bool a = node->operand[0] >= 0 && vanishes[node->operand[0]];
  const bool b = node->operand[1] >= 0 && vanishes[node->operand[1]];
  switch (node->operation) {
    case VIDA_OP_CONSTANT:
      return node->constant == 0.0;
    case VIDA_OP_ADD:
    case VIDA_OP_SUBTRACT:
      return a && b;
    case VIDA_OP_MULTIPLY:
      return a || b;
    case VIDA_OP_DIVIDE:
      return a && !b;
    case VIDA_OP_NEGATE:
      return a;
    case VIDA_OP_POWER_INTEGER:
      return a && node->number > 0;
    default:
      return false;
  }
}

int vida__vanish_at_rest(const vida_graph* graph, int count, const int* expression, bool* all) {
  bool* vanishes = vida__allocate((size_t)graph->count, sizeof *vanishes);
  if (!vanishes) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i < graph->count; i++) {
    const vida_node* node = &graph->nodes[i];
    const bool is_input = node->operation == VIDA_OP_INPUT; /* whose operand is no node */
    vanishes[i] = is_input ? node->number == VIDA_INPUT_VELOCITY : node_vanishes(node, vanishes);
  }
  *all = true;
  for (int i = 0; i < count; i++) {
    *all = *all && vanishes[expression[i]];
  }
  free(vanishes);
  return VIDA_SUCCESS;
}
