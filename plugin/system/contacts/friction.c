/* Friction of contacts: the displacement that a sticking contact keeps. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/derivative.h"
#include "system/contacts/contacts.h"
#include "system/model/build.h"
#include "system/terms/dependence.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The rates that a slip velocity depends on, with the derivatives by them. */
typedef struct slip_inputs {
  int count;
  int *input, *coordinate, *coefficient; /* nodes, indices, nodes */
  int* block;
} slip_inputs;

static int find_coefficients(VidaSystem* system, VidaExpression slip, slip_inputs* found) {
  vida_graph* graph = system->graph;
  const size_t count = (size_t)graph->count;
  bool* used = vida__allocate(count, sizeof *used);
  *found = (slip_inputs){.block = vida__allocate(3 * count, sizeof(int))};
  if (!used || !found->block) {
    free(used);
    return VIDA_OUT_OF_MEMORY;
  }
  found->input = found->block;
  found->coordinate = found->input + count;
  found->coefficient = found->coordinate + count;
  used[slip] = true;
  vida__graph_mark_used(graph, (int)count, used);
  for (int i = 0; i < (int)count; i++) {
    const vida_node* node = &graph->nodes[i];
    if (used[i] && node->operation == VIDA_OP_INPUT && node->number == VIDA_INPUT_VELOCITY) {
      found->coordinate[found->count] = node->operand[0];
      found->input[found->count++] = i;
    }
  }
  free(used);
  return vida__derive_gradient(graph, slip, found->count, found->input, found->coefficient);
}

/* ---- displacements --------------------------------------------------------------------------- */

/* Makes the expression sum_i A_i q_i - p, whose rate is the slip velocity A v, with a parameter p
 * of its own. *displacement is -1 if A is not constant or the slip velocity has another part. */
static int find_displacement(VidaSystem* system, VidaExpression slip, int* displacement) {
  vida_graph* graph = system->graph;
  slip_inputs found;
  int code = find_coefficients(system, slip, &found);
  int sum = code ? -1 : vida__graph_constant(graph, 0.0);
  int rates = sum;
  *displacement = -1;
  for (int i = 0; i < found.count && !code; i++) {
    const int coefficient = found.coefficient[i];
    if (graph->nodes[coefficient].operation != VIDA_OP_CONSTANT) {
      free(found.block);
      return VIDA_SUCCESS;
    }
    const int q = vida__graph_input(graph, VIDA_INPUT_POSITION, found.coordinate[i]);
    const int part = vida__graph_apply(graph, VIDA_OP_MULTIPLY, coefficient, q, -1);
    const int rate = vida__graph_apply(graph, VIDA_OP_MULTIPLY, coefficient, found.input[i], -1);
    sum = vida__graph_apply(graph, VIDA_OP_ADD, sum, part, -1);
    rates = vida__graph_apply(graph, VIDA_OP_ADD, rates, rate, -1);
  }
  free(found.block);
  /* Other parts of the slip velocity, such as that of a belt, vanish at rest. */
  int* const both[] = {&sum, &rates};
  for (size_t k = 0; k < sizeof both / sizeof *both && !code; k++) {
    code = *both[k] < 0 ? *both[k] : VIDA_SUCCESS;
  }
  bool vanishes = false;
  code = code ? code : vida__vanish_at_rest(graph, 1, &slip, &vanishes);
  if (code || !vanishes) {
    return code;
  }
  const int place = vida__graph_input(graph, VIDA_INPUT_PARAMETER, 0);
  *displacement = vida__graph_apply(graph, VIDA_OP_SUBTRACT, sum, place, -1);
  return *displacement < 0 ? *displacement : VIDA_SUCCESS;
}

static int add_displacement(VidaSystem* system, const char* name, int displacement,
                            VidaError* error) {
  const int code = VidaSystem_AddExpressionConstraint(system, name, "m", displacement, error);
  if (code) {
    return code;
  }
  vida_constraint_batch* batch = &system->constraint_batches[system->constraint_batch_count - 1];
  batch->parameter = vida__allocate(1, sizeof *batch->parameter);
  if (!batch->parameter) {
    return vida__fail_memory(error);
  }
  batch->parameters = 1;
  batch->parameter_capacity = 1;
  return VIDA_SUCCESS;
}

int vida__add_displacements(VidaSystem* system, const VidaContact* contact, int* count,
                            VidaError* error) {
  static const char* const names[VIDA_SLIP_MOST] = {": place 1", ": place 2"};
  int displacement[VIDA_SLIP_MOST] = {-1, -1};
  int code = VIDA_SUCCESS;
  *count = 0;
  for (int k = 0; k < contact->slip_count && !code; k++) {
    code = find_displacement(system, contact->slip[k], &displacement[k]);
    if (code) {
      return vida__fail(error, code, "contact '%s': %s", contact->name, Vida_CodeText(code));
    }
    if (displacement[k] < 0) {
      return VIDA_SUCCESS;
    }
  }
  for (int k = 0; k < contact->slip_count && !code; k++) {
    vida_joined name;
    code = vida__join(&name, contact->name, contact->slip_count > 1 ? names[k] : ": place", "")
               ? vida__fail_memory(error)
               : add_displacement(system, name.text, displacement[k], error);
    vida__free_joined(&name);
    *count += !code;
  }
  return code;
}

void vida__set_displacement(VidaSystem* variant, int row, double place) {
  for (int b = 0; b < variant->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &variant->constraint_batches[b];
    for (int i = 0; i < batch->count; i++) {
      if (batch->row[i] == row && batch->parameters == 1) {
        batch->parameter[i] = place;
      }
    }
  }
}
