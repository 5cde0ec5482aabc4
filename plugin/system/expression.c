/* Building expressions of a system, and making terms and constraints of them. */
#include <vida/expression.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/derivative.h"
#include "expr/discrete.h"
#include "system/build.h"
#include "system/traced.h"

/* ---- building -------------------------------------------------------------------------------- */

static int require_graph(VidaSystem* system, VidaError* error) {
  const int code = vida__check_addition(system, "expression", "expression", error);
  if (!code && !system->graph) {
    system->graph = vida__graph_create();
  }
  return code ? code : system->graph ? VIDA_SUCCESS : vida__fail_memory(error);
}

static int give(int node, VidaExpression* expression, VidaError* error) {
  *expression = node;
  return node >= 0
             ? VIDA_SUCCESS
             : vida__fail(error, node, "an expression could not be built: %s", Vida_CodeText(node));
}

int VidaSystem_Constant(VidaSystem* system, double value, VidaExpression* expression,
                        VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  const int code = require_graph(system, error);
  if (code) {
    return code;
  }
  if (!isfinite(value)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a constant must be a finite number, got %s",
                      vida__shortest_text(got, value));
  }
  return give(vida__graph_constant(system->graph, value), expression, error);
}

static int give_input(VidaSystem* system, vida_input kind, int coordinate,
                      VidaExpression* expression, VidaError* error) {
  const int code = require_graph(system, error);
  if (code) {
    return code;
  }
  if (coordinate < 0 || coordinate >= system->coordinate_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': there is no coordinate number %d",
                      system->name, coordinate);
  }
  return give(vida__graph_input(system->graph, kind, coordinate), expression, error);
}

int VidaSystem_Position(VidaSystem* system, int coordinate, VidaExpression* expression,
                        VidaError* error) {
  return give_input(system, VIDA_INPUT_POSITION, coordinate, expression, error);
}

int VidaSystem_Rate(VidaSystem* system, int coordinate, VidaExpression* expression,
                    VidaError* error) {
  return give_input(system, VIDA_INPUT_VELOCITY, coordinate, expression, error);
}

int VidaSystem_Time(VidaSystem* system, VidaExpression* expression, VidaError* error) {
  const int code = require_graph(system, error);
  return code ? code
              : give(vida__graph_input(system->graph, VIDA_INPUT_TIME, 0), expression, error);
}

static const char* operation_name(const void* list, int index) {
  (void)list;
  return vida__operations[index].lua;
}

static int check_expression(const VidaSystem* system, VidaExpression expression, VidaError* error) {
  if (!system->graph || expression < 0 || expression >= system->graph->count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "this expression does not belong to system '%s'",
                      system->name);
  }
  return VIDA_SUCCESS;
}

int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                     const VidaExpression* operands, VidaExpression* expression, VidaError* error) {
  int operand[3] = {-1, -1, -1};
  int code = require_graph(system, error);
  const int found = vida__find_operation(operation, count);
  if (!code && found < 0) {
    const int nearest = Vida_NearestName(operation, VIDA_OPERATION_COUNT, operation_name, NULL);
    return nearest >= 0
               ? vida__fail(error, VIDA_UNKNOWN_NAME,
                            "there is no operation '%s' of %d operands; did you mean '%s'?",
                            operation, count, vida__operations[nearest].lua)
               : vida__fail(error, VIDA_UNKNOWN_NAME, "there is no operation '%s' of %d operands",
                            operation, count);
  }
  for (int i = 0; i < count && !code; i++) {
    code = check_expression(system, operands[i], error);
    operand[i] = operands[i];
  }
  if (code) {
    return code;
  }
  return give(
      vida__graph_apply(system->graph, (vida_operation)found, operand[0], operand[1], operand[2]),
      expression, error);
}

/* ---- from an expression to a batch ------------------------------------------------------------
 */

/* What is gathered while a term is derived; freed by release. */
typedef struct derivation {
  VidaSystem* system;
  vida_graph* graph;
  const char* name;
  int width;     /* coordinates that the expression depends on */
  int* index;    /* width: which */
  int* variable; /* 2 width + 1: nodes of their positions, then rates, then the time */
  int* gradient; /* 2 width + 1 */
  bool has_rates, has_time;
  vida_entries second; /* of the gradient with respect to the variables */
  int* discrete;       /* width: the discrete derivative, if it has one */
  bool has_discrete;
  vida_entries discrete_second; /* of it with respect to the second positions */
  vida_traced* traced;
} derivation;

static void destroy_traced(vida_functions* functions) {
  vida_traced* traced = (vida_traced*)functions;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    vida__tape_destroy(&traced->tape[k]);
  }
  free(traced->base.name);
  free(traced->block_row);
  free(traced->block_column);
  free(traced);
}

static void prepare_traced(const vida_functions* functions, double* tapes) {
  const vida_traced* traced = (const vida_traced*)functions;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    if (traced->tape[k]) {
      vida__tape_prepare(traced->tape[k], tapes + traced->work_offset[k]);
    }
  }
}

static vida_traced* create_traced(const char* name) {
  vida_traced* traced = vida__allocate(1, sizeof *traced);
  if (!traced) {
    return NULL;
  }
  traced->base.destroy = destroy_traced;
  traced->base.prepare = prepare_traced;
  traced->base.name = vida__copy_text(name);
  if (!traced->base.name) {
    destroy_traced(&traced->base);
    return NULL;
  }
  return traced;
}

static void release(derivation* work) {
  free(work->index);
  free(work->variable);
  free(work->gradient);
  free(work->discrete);
  vida__entries_free(&work->second);
  vida__entries_free(&work->discrete_second);
  if (work->traced) {
    destroy_traced(&work->traced->base);
  }
}

/* Which nodes the expression uses, and of them which coordinates, rates and time. */
static int find_inputs(derivation* work, VidaExpression expression) {
  vida_graph* graph = work->graph;
  const int n = work->system->coordinate_count;
  bool* used = vida__allocate((size_t)expression + 1, sizeof *used);
  bool* coordinate = vida__allocate((size_t)n, sizeof *coordinate);
  work->index = vida__allocate((size_t)n, sizeof *work->index);
  work->variable = vida__allocate(2 * (size_t)n + 1, sizeof *work->variable);
  work->gradient = vida__allocate(2 * (size_t)n + 1, sizeof *work->gradient);
  if (!used || !coordinate || !work->index || !work->variable || !work->gradient) {
    free(used);
    free(coordinate);
    return VIDA_OUT_OF_MEMORY;
  }
  used[expression] = true;
  for (int i = expression; i >= 0; i--) {
    const vida_node* node = &graph->nodes[i];
    if (!used[i]) {
      continue;
    }
    if (node->operation == VIDA_OP_INPUT) {
      work->has_time = work->has_time || node->number == VIDA_INPUT_TIME;
      work->has_rates = work->has_rates || node->number == VIDA_INPUT_VELOCITY;
      coordinate[node->operand[0]] |= node->number != VIDA_INPUT_TIME;
      continue;
    }
    for (int k = 0; k < 3; k++) {
      if (node->operand[k] >= 0) {
        used[node->operand[k]] = true;
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (coordinate[i]) {
      work->index[work->width++] = i;
    }
  }
  free(used);
  free(coordinate);
  return VIDA_SUCCESS;
}

/* Gradient and second derivatives on the graph. */
static int derive(derivation* work, VidaExpression expression) {
  const int width = work->width;
  for (int i = 0; i < width; i++) {
    work->variable[i] = vida__graph_input(work->graph, VIDA_INPUT_POSITION, work->index[i]);
    work->variable[width + i] = vida__graph_input(work->graph, VIDA_INPUT_VELOCITY, work->index[i]);
  }
  work->variable[2 * width] = vida__graph_input(work->graph, VIDA_INPUT_TIME, 0);
  for (int i = 0; i <= 2 * width; i++) {
    if (work->variable[i] < 0) {
      return work->variable[i];
    }
  }
  const int code =
      vida__derive_gradient(work->graph, expression, 2 * width + 1, work->variable, work->gradient);
  return code ? code
              : vida__derive_jacobian(work->graph, 2 * width, work->gradient, 2 * width,
                                      work->variable, &work->second);
}

/* The discrete derivative of a function of positions alone; a function that has none (it compares
 * positions) is none the worse for methods that do not need it. */
static int derive_discrete(derivation* work, VidaExpression expression) {
  if (work->has_rates || work->has_time) {
    return VIDA_SUCCESS;
  }
  work->discrete = vida__allocate((size_t)work->width, sizeof *work->discrete);
  if (!work->discrete) {
    return VIDA_OUT_OF_MEMORY;
  }
  int code = vida__discrete_gradient_nodes(work->graph, expression, work->width, work->variable,
                                           work->discrete, NULL);
  code = code ? code
              : vida__discrete_jacobian_nodes(work->graph, work->width, work->variable,
                                              work->discrete, &work->discrete_second);
  work->has_discrete = !code;
  return code == VIDA_NOT_SUPPORTED ? VIDA_SUCCESS : code;
}

/* Compiles outputs, unless there are none, into a tape of the term, with its place. */
static int compile(derivation* work, enum vida_tape_kind kind, int count, const int* output) {
  vida_traced* traced = work->traced;
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__tape_compile(work->graph, count, output, &traced->tape[kind]);
  if (code) {
    return code;
  }
  traced->work_offset[kind] = work->system->tape_scratch;
  work->system->tape_scratch += vida__tape_work_size(traced->tape[kind]);
  return VIDA_SUCCESS;
}

static void place_outputs(derivation* work) {
  int most = 0;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    const vida_tape* tape = work->traced->tape[k];
    most = tape && tape->output_count > most ? tape->output_count : most;
  }
  work->traced->output_offset = work->system->tape_scratch;
  work->system->tape_scratch += (size_t)most;
}

/* Gives place (i, j) of the block a number, unless it has one; returns the number. */
static int find_place(derivation* work, int* place, int* count, int i, int j) {
  int* at = &place[i * work->width + j];
  if (*at == 0) {
    work->traced->block_row[*count] = i;
    work->traced->block_column[*count] = j;
    *at = ++*count;
  }
  return *at - 1;
}

/* The tapes of second derivatives: of all kinds, four numbers a place (qq, qv, vq, vv), or of qq
 * alone; and of the discrete derivative. */
static int compile_second(derivation* work, bool all, const int* place, int count, int* output) {
  const int per_place = all ? 4 : 1;
  const int width = work->width;
  const int zero = vida__graph_constant(work->graph, 0.0);
  for (int k = 0; k < per_place * count; k++) {
    output[k] = zero;
  }
  for (int e = 0; e < work->second.count; e++) {
    const int row = work->second.row[e];
    const int column = work->second.column[e];
    const int kind = 2 * (row >= width) + (column >= width);
    const int at = place[(row % width) * width + column % width] - 1;
    if (all || kind == 0) {
      output[at * per_place + kind] = work->second.node[e];
    }
  }
  int code = zero < 0 ? zero : compile(work, VIDA_TAPE_HESSIAN, per_place * count, output);
  if (code || !work->has_discrete) {
    return code;
  }
  for (int k = 0; k < count; k++) {
    output[k] = zero;
  }
  for (int e = 0; e < work->discrete_second.count; e++) {
    const int at =
        place[work->discrete_second.row[e] * width + work->discrete_second.column[e]] - 1;
    output[at] = work->discrete_second.node[e];
  }
  code = compile(work, VIDA_TAPE_DISCRETE_GRADIENT, width, work->discrete);
  return code ? code : compile(work, VIDA_TAPE_DISCRETE_HESSIAN, count, output);
}

/* The block: places (i, j) at which any second derivative of coordinates i and j, or the derivative
 * of the discrete derivative, is not zero. Returns their number or a negative code. */
static int compile_block(derivation* work, bool all) {
  const int width = work->width;
  const size_t most = (size_t)(work->second.count + work->discrete_second.count);
  vida_traced* traced = work->traced;
  int* place = vida__allocate((size_t)width * (size_t)width, sizeof *place);
  int* output = vida__allocate(4 * most, sizeof *output);
  traced->block_row = vida__allocate(most, sizeof *traced->block_row);
  traced->block_column = vida__allocate(most, sizeof *traced->block_column);
  int count = 0;
  int code = VIDA_OUT_OF_MEMORY;
  if (place && output && traced->block_row && traced->block_column) {
    for (int e = 0; e < work->second.count; e++) {
      find_place(work, place, &count, work->second.row[e] % width, work->second.column[e] % width);
    }
    for (int e = 0; e < work->discrete_second.count && work->has_discrete; e++) {
      find_place(work, place, &count, work->discrete_second.row[e],
                 work->discrete_second.column[e]);
    }
    code = compile_second(work, all, place, count, output);
  }
  free(place);
  free(output);
  return code ? code : count;
}

static int report(const derivation* work, int code, const char* kind, VidaError* error) {
  return code == VIDA_OUT_OF_MEMORY
             ? vida__fail_memory(error)
             : vida__fail(error, code, "%s '%s': its derivatives could not be formed: %s", kind,
                          work->name, Vida_CodeText(code));
}

/* Common to both: check, inputs, derivatives, value and gradient tapes. */
static int begin(derivation* work, VidaExpression expression, const char* kind, VidaError* error) {
  int code = vida__check_addition(work->system, kind, work->name, error);
  code = code ? code : check_expression(work->system, expression, error);
  if (code) {
    return code;
  }
  work->graph = work->system->graph;
  code = find_inputs(work, expression);
  if (code) {
    return report(work, code, kind, error);
  }
  if (work->width == 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' depends on no coordinate", kind,
                      work->name);
  }
  work->traced = create_traced(work->name);
  code = work->traced ? derive(work, expression) : VIDA_OUT_OF_MEMORY;
  code = code ? code : derive_discrete(work, expression);
  code = code ? code : compile(work, VIDA_TAPE_VALUE, 1, &expression);
  return code ? report(work, code, kind, error) : VIDA_SUCCESS;
}

static void set_block(vida_block* block, const vida_traced* traced, int entries) {
  block->entries = entries;
  block->row = traced->block_row;
  block->column = traced->block_column;
}

int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                       VidaExpression lagrangian, VidaError* error) {
  derivation work = {.system = system, .name = name};
  int code = begin(&work, lagrangian, "Lagrangian", error);
  if (!code) {
    const bool is_potential = !work.has_rates && !work.has_time;
    code = compile(&work, VIDA_TAPE_GRADIENT, 2 * work.width, work.gradient);
    const int entries = code ? code : compile_block(&work, true);
    place_outputs(&work);
    if (entries < 0) {
      code = report(&work, entries, "Lagrangian", error);
    } else {
      vida_traced* traced = work.traced;
      work.traced = NULL; /* the system's now, also on failure */
      code =
          vida__add_term(system, is_potential ? &vida__traced_potential : &vida__traced_lagrangian,
                         work.width, work.index, &traced->base, error);
      if (!code) {
        set_block(&system->term_batches[system->term_batch_count - 1].block, traced, entries);
      }
    }
  }
  release(&work);
  return code;
}

/* Units of rows are static: of the few that there are, the same text. */
static const char* static_unit(const char* unit) {
  return unit && strcmp(unit, "m") == 0 ? "m" : unit && strcmp(unit, "rad") == 0 ? "rad" : "";
}

int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name, const char* unit,
                                       VidaExpression g, VidaError* error) {
  derivation work = {.system = system, .name = name};
  int code = begin(&work, g, "constraint", error);
  if (!code && work.has_rates) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "constraint '%s' depends on a rate; holonomic constraints are functions of "
                      "positions and time",
                      name);
  }
  if (!code) {
    code = compile(&work, VIDA_TAPE_GRADIENT, work.width, work.gradient);
    if (!code && work.has_time) {
      code = compile(&work, VIDA_TAPE_RATE, 1, &work.gradient[2 * work.width]);
    }
    const int entries = code ? code : compile_block(&work, false);
    place_outputs(&work);
    if (entries < 0) {
      code = report(&work, entries, "constraint", error);
    } else {
      vida_traced* traced = work.traced;
      work.traced = NULL;
      code = vida__add_constraint(
          system, work.has_discrete ? &vida__traced_constraint : &vida__traced_plain_constraint, 1,
          static_unit(unit), work.width, work.index, &traced->base, error);
      if (!code) {
        set_block(&system->constraint_batches[system->constraint_batch_count - 1].block, traced,
                  entries);
        system->time_dependent = system->time_dependent || work.has_time;
      }
    }
  }
  release(&work);
  return code;
}
