#include "system/terms/dependence.h"

vida_dependence vida__input_dependence(const vida_node* node) {
  const vida_dependence own = {node->number == VIDA_INPUT_POSITION,
                               node->number == VIDA_INPUT_VELOCITY,
                               node->number == VIDA_INPUT_TIME || node->number == VIDA_INPUT_MOMENT,
                               node->number == VIDA_INPUT_AUXILIARY};
  return own;
}

void vida__merge_dependence(vida_dependence* into, const vida_dependence* from) {
  into->positions |= from->positions;
  into->rates |= from->rates;
  into->time |= from->time;
  into->auxiliary |= from->auxiliary;
}

void vida__find_dependence(const vida_graph* graph, int count, vida_dependence* dependence) {
  static const vida_dependence none = {false, false, false, false};
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
