/* Friction of contacts: the displacement that a sticking contact keeps, and the force of a sliding
 * one. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/derivative.h"
#include "system/contacts/contacts.h"
#include "system/model/build.h"
#include "system/terms/dependence.h"
#include "system/terms/derive.h"

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

/* Makes the expression sum_i A_i q_i, whose rate is the slip velocity A v. *displacement is -1 if A
 * is not constant or the slip velocity has another part. */
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
  *displacement = sum;
  return VIDA_SUCCESS;
}

int vida__add_held_row(VidaSystem* system, const char* name, const char* unit, int g,
                       VidaError* error) {
  const int place = vida__graph_input(system->graph, VIDA_INPUT_PARAMETER, 0);
  const int held = vida__graph_apply(system->graph, VIDA_OP_SUBTRACT, g, place, -1);
  if (held < 0) {
    return vida__fail_memory(error);
  }
  const int code = VidaSystem_AddExpressionConstraint(system, name, unit, held, error);
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
               : vida__add_held_row(system, name.text, "m", displacement[k], error);
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

double vida__displacement(const VidaSystem* variant, int row) {
  for (int b = 0; b < variant->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &variant->constraint_batches[b];
    for (int i = 0; i < batch->count; i++) {
      if (batch->row[i] == row && batch->parameters == 1) {
        return batch->parameter[i];
      }
    }
  }
  return 0.0;
}

/* ---- sliding --------------------------------------------------------------------------------- */

/* Makes the direction of the slip velocity along each component. For a contact that slides along
 * `axis` with this sign: with rho = (other component) / (component along the axis), (1, rho) /
 * sqrt(1 + rho^2). This continues smoothly where the slip velocity passes zero, so that methods
 * find the time at which it vanishes. */
static int find_direction(vida_graph* graph, const VidaContact* contact, int axis, double sign,
                          int* direction) {
  direction[axis] = vida__graph_constant(graph, sign);
  if (contact->slip_count > 1) {
    const int one = vida__graph_constant(graph, 1.0), other = 1 - axis;
    const int rho =
        vida__graph_apply(graph, VIDA_OP_DIVIDE, contact->slip[other], contact->slip[axis], -1);
    const int square =
        vida__graph_apply(graph, VIDA_OP_ADD, one, vida__graph_power(graph, rho, 2), -1);
    const int length = vida__graph_apply(graph, VIDA_OP_SQRT, square, -1, -1);
    direction[axis] = vida__graph_apply(graph, VIDA_OP_DIVIDE, direction[axis], length, -1);
    direction[other] = vida__graph_apply(graph, VIDA_OP_MULTIPLY, direction[axis], rho, -1);
  }
  for (int k = 0; k < contact->slip_count; k++) {
    if (direction[k] < 0) {
      return direction[k];
    }
  }
  return VIDA_SUCCESS;
}

/* Forces on coordinates. */
typedef struct contact_force {
  int count;
  int* coordinate;
  VidaExpression* force;
} contact_force;

/* Adds `scale` A_k to the force. */
static int add_component(VidaSystem* system, VidaExpression slip, int scale, contact_force* force) {
  slip_inputs found;
  int code = find_coefficients(system, slip, &found);
  for (int i = 0; i < found.count && !code; i++) {
    int at = 0;
    const int part =
        vida__graph_apply(system->graph, VIDA_OP_MULTIPLY, found.coefficient[i], scale, -1);
    while (at < force->count && force->coordinate[at] != found.coordinate[i]) {
      at++;
    }
    force->force[at] = at < force->count ? vida__graph_apply(system->graph, VIDA_OP_ADD,
                                                             force->force[at], part, -1)
                                         : part;
    force->coordinate[at] = found.coordinate[i];
    force->count += at == force->count;
    code = force->force[at] < 0 ? force->force[at] : VIDA_SUCCESS;
  }
  free(found.block);
  return code;
}

/* Computes mu lambda_N times the direction of slip: the multiplier of a contact that pushes is
 * negative. */
static int find_sliding_force(VidaSystem* system, const VidaContact* contact, int multiplier,
                              int axis, double sign, contact_force* force) {
  vida_graph* graph = system->graph;
  int direction[VIDA_SLIP_MOST];
  int code = find_direction(graph, contact, axis, sign, direction);
  const int most =
      vida__graph_apply(graph, VIDA_OP_MULTIPLY, vida__graph_constant(graph, contact->friction),
                        vida__graph_input(graph, VIDA_INPUT_MULTIPLIER, multiplier), -1);
  for (int k = 0; k < contact->slip_count && !code; k++) {
    const int scale = vida__graph_apply(graph, VIDA_OP_MULTIPLY, most, direction[k], -1);
    code = add_component(system, contact->slip[k], scale, force);
  }
  return code;
}

static int make_sliding(VidaSystem* system, const VidaContact* contact, int multiplier, int axis,
                        double sign, vida_term_batch* batch, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  contact_force force = {0, vida__allocate(n, sizeof *force.coordinate),
                         vida__allocate(n, sizeof *force.force)};
  vida_traced* traced = NULL;
  int code = force.coordinate && force.force
                 ? find_sliding_force(system, contact, multiplier, axis, sign, &force)
                 : VIDA_OUT_OF_MEMORY;
  code = code ? vida__fail(error, code, "contact '%s': %s", contact->name, Vida_CodeText(code))
              : vida__derive_term(system, VIDA_TRACED_FORCE, contact->name, force.count,
                                  force.coordinate, force.force, &traced, error);
  free(force.coordinate);
  free(force.force);
  if (code) {
    return code;
  }
  *batch =
      (vida_term_batch){.kernel = traced->term, .width = traced->width, .functions = &traced->base};
  batch->block = (vida_block){true, traced->block_count, traced->block_row, traced->block_column};
  return vida__append_term(batch, traced->index, NULL) ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int vida__add_sliding(VidaSystem* system, const VidaContact* contact, int index, VidaError* error) {
  int multiplier;
  if (!(contact->friction > 0.0)) {
    return VIDA_SUCCESS;
  }
  int code = vida__contact_multiplier(system, index, &multiplier, error);
  for (int k = 0; k < 2 * contact->slip_count && !code; k++) {
    code = make_sliding(system, contact, multiplier, k / 2, k % 2 ? -1.0 : 1.0,
                        &system->contacts->list[index].sliding[k], error);
  }
  return code;
}

const vida_term_batch* vida__sliding_term(const vida_contact* contact, unsigned char flags) {
  const int axis = flags & VIDA_CONTACT_SECOND ? 1 : 0;
  return flags & VIDA_CONTACT_SLIDE
             ? &contact->sliding[2 * axis + (flags & VIDA_CONTACT_BACKWARD ? 1 : 0)]
             : NULL;
}

const char* vida__first_rough_shape(const VidaSystem* system) {
  for (int c = 0; system->contacts && c < system->contacts->count; c++) {
    const vida_contact* contact = &system->contacts->list[c];
    if (contact->friction > 0.0 && !contact->sliding[0].functions) {
      return contact->name;
    }
  }
  return NULL;
}

void vida__sliding_destroy(vida_contact* contact) {
  for (int k = 0; k < 2 * VIDA_SLIP_MOST; k++) {
    free(contact->sliding[k].index);
    free(contact->sliding[k].parameter);
    vida__release_functions(contact->sliding[k].functions);
  }
}
