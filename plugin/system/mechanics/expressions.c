/* Expressions of a system in an instance, and their copies in its pattern. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/mechanics/pattern.h"

/* Auxiliary inputs of points on curves have indices from here on; those of charts begin at 0. */
enum { CURVE_INPUT = 1 << 20 };

int vida__curve_input(vida_graph* graph, int i) {
  return vida__graph_input(graph, VIDA_INPUT_AUXILIARY, CURVE_INPUT + i);
}

/* ---- what an expression depends on ----------------------------------------------------------- */

/* Adds a parameter of the system as an entry. */
static int add_parameter(const VidaSystem* system, vida_instance* instance, const char* key,
                         int parameter, VidaError* error) {
  char* name = instance->parameter_names[instance->parameter_name_count];
  snprintf(name, VIDA_PATTERN_NAME_SIZE, "parameter %d", parameter);
  for (int i = 0; i < instance->entry_count; i++) {
    if (strcmp(instance->entries[i].name, name) == 0) {
      return VIDA_SUCCESS;
    }
  }
  if (instance->entry_count == VIDA_PATTERN_ENTRIES) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': %s depends on too many parameters; at most %d are possible here",
                      instance->title, instance->name, key, instance->parameter_name_count);
  }
  instance->parameter_name_count++;
  vida__instance_number(instance, name, system->parameter_values[parameter], parameter + 1);
  return VIDA_SUCCESS;
}

/* Returns the index of a coordinate of the system among those of frame *frame, or, with *frame =
 * -1, among the extra ones; -1 if it is not among them. */
static int find_local(const vida_instance* instance, int coordinate, int* frame) {
  for (int f = 0; f < instance->frame_count; f++) {
    const int local = coordinate - instance->frame[f].first;
    if (local >= 0 && local < vida__frame_count(&instance->frame[f])) {
      *frame = f;
      return local;
    }
  }
  *frame = -1;
  for (int i = 0; i < instance->extra_count; i++) {
    if (instance->extra[i] == coordinate) {
      return i;
    }
  }
  return -1;
}

static int add_coordinate(vida_instance* instance, const char* key, int coordinate,
                          VidaError* error) {
  int frame;
  if (find_local(instance, coordinate, &frame) >= 0) {
    return VIDA_SUCCESS;
  }
  if (instance->extra_count == VIDA_FRAME_MOST) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': %s depends on more than %d coordinates beside those of its ends",
                      instance->title, instance->name, key, VIDA_FRAME_MOST);
  }
  instance->extra[instance->extra_count++] = coordinate;
  return VIDA_SUCCESS;
}

int vida__instance_expression(const VidaSystem* system, vida_instance* instance, const char* key,
                              int expression, VidaError* error) {
  const vida_graph* graph = system->graph;
  int code = VIDA_SUCCESS;
  if (!graph || expression < 0 || expression >= graph->count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': %s: this expression does not belong to system '%s'",
                      instance->title, instance->name, key, system->name);
  }
  bool* used = vida__allocate((size_t)expression + 1, sizeof *used);
  if (!used) {
    return vida__fail_memory(error);
  }
  used[expression] = true;
  vida__graph_mark_used(graph, expression + 1, used);
  for (int i = 0; i <= expression && !code; i++) {
    const vida_node* node = &graph->nodes[i];
    if (!used[i] || node->operation != VIDA_OP_INPUT) {
      continue;
    }
    if (node->number == VIDA_INPUT_VELOCITY) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': %s depends on a rate; it is a function of positions and time",
                        instance->title, instance->name, key);
    } else if (node->number == VIDA_INPUT_PARAMETER) {
      code = add_parameter(system, instance, key, node->operand[0], error);
    } else if (node->number == VIDA_INPUT_POSITION) {
      code = add_coordinate(instance, key, node->operand[0], error);
    }
  }
  free(used);
  instance->expressions[instance->expression_count++] = expression;
  return code;
}

/* ---- copying --------------------------------------------------------------------------------- */

static int copy_coordinate(const vida_trace* trace, int coordinate, bool rate) {
  int frame;
  const int local = find_local(trace->instance, coordinate, &frame);
  if (local < 0) {
    return VIDA_BAD_ARGUMENT;
  }
  if (frame < 0) {
    return rate ? trace->extra_rate[local] : trace->extra[local];
  }
  return rate ? trace->view[frame].v[local] : trace->view[frame].c[local];
}

static int copy_input(const vida_trace* trace, const vida_node* node) {
  const int index = node->operand[0];
  char name[VIDA_PATTERN_NAME_SIZE];
  switch (node->number) {
    case VIDA_INPUT_POSITION:
      return copy_coordinate(trace, index, false);
    case VIDA_INPUT_VELOCITY:
      return copy_coordinate(trace, index, true);
    case VIDA_INPUT_TIME:
      return trace->time;
    case VIDA_INPUT_PARAMETER:
      snprintf(name, sizeof name, "parameter %d", index);
      return vida__trace_number(trace, name);
    case VIDA_INPUT_AUXILIARY:
      return index >= CURVE_INPUT && index - CURVE_INPUT < trace->curve_point.count
                 ? trace->curve_point.x[index - CURVE_INPUT]
                 : vida__graph_input(trace->graph, VIDA_INPUT_AUXILIARY, index);
    default:
      return VIDA_BAD_ARGUMENT;
  }
}

/* Copies a node whose operands have been copied. */
static int copy_node(const vida_trace* trace, const vida_node* node, const int* copy) {
  int operand[3] = {-1, -1, -1};
  switch (node->operation) {
    case VIDA_OP_CONSTANT:
      return vida__graph_constant(trace->graph, node->constant);
    case VIDA_OP_INPUT:
      return copy_input(trace, node);
    case VIDA_OP_POWER_INTEGER:
      return vida__graph_power(trace->graph, copy[node->operand[0]], node->number);
    default:
      break;
  }
  for (int k = 0; k < vida__operations[node->operation].arity; k++) {
    operand[k] = copy[node->operand[k]];
  }
  return vida__graph_apply(trace->graph, node->operation, operand[0], operand[1], operand[2]);
}

int vida__trace_expression(vida_trace* trace, int i) {
  const vida_graph* graph = trace->source->graph;
  const int root = trace->instance->expressions[i];
  const size_t size = (size_t)root + 1;
  int* copy = vida__allocate(size, sizeof *copy);
  bool* used = vida__allocate(size, sizeof *used);
  int node = VIDA_OUT_OF_MEMORY;
  if (copy && used) {
    used[root] = true;
    vida__graph_mark_used(graph, root + 1, used);
    for (int k = 0; k <= root; k++) {
      copy[k] = used[k] ? copy_node(trace, &graph->nodes[k], copy) : -1;
    }
    node = copy[root];
  }
  free(copy);
  free(used);
  return node;
}
