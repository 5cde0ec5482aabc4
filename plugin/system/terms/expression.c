/* Builds expressions of a system, and makes terms and constraints from them. */
#include <vida/expression.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/derivative.h"
#include "system/model/build.h"
#include "system/terms/addends.h"
#include "system/terms/derive.h"

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
  if (VIDA_REFUSE_NULL(error, system, expression)) {
    return VIDA_BAD_ARGUMENT;
  }
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
  const int code = VIDA_REFUSE_NULL(error, system, expression);
  return code ? code : give_input(system, VIDA_INPUT_POSITION, coordinate, expression, error);
}

int VidaSystem_Rate(VidaSystem* system, int coordinate, VidaExpression* expression,
                    VidaError* error) {
  const int code = VIDA_REFUSE_NULL(error, system, expression);
  return code ? code : give_input(system, VIDA_INPUT_VELOCITY, coordinate, expression, error);
}

int VidaSystem_Time(VidaSystem* system, VidaExpression* expression, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, expression);
  code = code ? code : require_graph(system, error);
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

/* Fails because the operation does not exist, or takes another number of operands. */
static int fail_operation(const char* operation, int count, VidaError* error) {
  int least = 0, most = 0;
  for (int arity = 1; arity <= 3; arity++) {
    if (vida__find_operation(operation, arity) >= 0) {
      least = least ? least : arity;
      most = arity;
    }
  }
  if (most > 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "operation '%s' takes %s%d operand%s, got %d",
                      operation, least < most ? "1 or " : "", most, most > 1 ? "s" : "", count);
  }
  const int nearest = Vida_NearestName(operation, VIDA_OPERATION_COUNT, operation_name, NULL);
  return nearest >= 0
             ? vida__fail(error, VIDA_UNKNOWN_NAME, "unknown operation '%s'; did you mean '%s'?",
                          operation, vida__operations[nearest].lua)
             : vida__fail(error, VIDA_UNKNOWN_NAME, "unknown operation '%s'", operation);
}

static int check_expression_of(const VidaSystem* system, const char* kind, const char* name,
                               VidaExpression expression, VidaError* error) {
  return check_expression(system, expression, NULL)
             ? vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s '%s': this expression does not belong to system '%s'", kind, name,
                          system->name)
             : VIDA_SUCCESS;
}

int VidaSystem_Apply(VidaSystem* system, const char* operation, int count,
                     const VidaExpression* operands, VidaExpression* expression, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, operation, operands, expression)) {
    return VIDA_BAD_ARGUMENT;
  }
  int operand[3] = {-1, -1, -1};
  int code = require_graph(system, error);
  const int found = vida__find_operation(operation, count);
  if (!code && found < 0) {
    return fail_operation(operation, count, error);
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

int VidaSystem_Switch(VidaSystem* system, VidaExpression of, int count, const VidaExpression* at,
                      const VidaExpression* values, VidaExpression* expression, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, at, values, expression)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = require_graph(system, error);
  if (!code && count < 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "a switch cannot have %d jumps", count);
  }
  code = code ? code : check_expression(system, values[count], error);
  VidaExpression result = code ? -1 : values[count];
  for (int i = count - 1; i >= 0 && !code; i--) {
    const VidaExpression sides[2] = {of, at[i]};
    VidaExpression choice[3] = {-1, values[i], result};
    code = VidaSystem_Apply(system, "<", 2, sides, &choice[0], error);
    code = code ? code : VidaSystem_Apply(system, "where", 3, choice, &result, error);
  }
  if (!code) {
    *expression = result;
  }
  return code;
}

int VidaSystem_ParameterExpression(VidaSystem* system, int parameter, VidaExpression* expression,
                                   VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, expression);
  code = code ? code : require_graph(system, error);
  if (code) {
    return code;
  }
  if (parameter < 0 || parameter >= system->parameter_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': there is no parameter number %d",
                      system->name, parameter);
  }
  return give(vida__graph_input(system->graph, VIDA_INPUT_PARAMETER, parameter), expression, error);
}

int vida__add_multiplier(VidaSystem* system, int row, int* number, VidaError* error) {
  for (*number = 0; *number < system->multiplier_count && row >= 0; ++*number) {
    if (system->multiplier_rows[*number] == row) {
      return VIDA_SUCCESS;
    }
  }
  *number = system->multiplier_count;
  if (vida__reserve((void**)&system->multiplier_rows, &system->multiplier_capacity,
                    (size_t)system->multiplier_count + 1, sizeof *system->multiplier_rows)) {
    return vida__fail_memory(error);
  }
  system->multiplier_rows[system->multiplier_count++] = row;
  return VIDA_SUCCESS;
}

int VidaSystem_MultiplierExpression(VidaSystem* system, int row, VidaExpression* expression,
                                    VidaError* error) {
  int number = -1;
  int code = VIDA_REFUSE_NULL(error, system, expression);
  code = code ? code : require_graph(system, error);
  if (code) {
    return code;
  }
  if (row < 0 || row >= system->row_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': there is no constraint row number %d",
                      system->name, row);
  }
  code = vida__add_multiplier(system, row, &number, error);
  return code ? code
              : give(vida__graph_input(system->graph, VIDA_INPUT_MULTIPLIER, number), expression,
                     error);
}

/* ---- terms ----------------------------------------------------------------------------------- */

static int check_term(const VidaSystem* system, const char* kind, const char* name,
                      VidaExpression expression, VidaError* error) {
  const int code = vida__check_addition(system, kind, name, error);
  return code ? code : check_expression_of(system, kind, name, expression, error);
}

static void set_block(vida_block* block, const vida_traced* traced) {
  block->is_list = true;
  block->entries = traced->block_count;
  block->row = traced->block_row;
  block->column = traced->block_column;
}

static int add_term(VidaSystem* system, vida_traced* traced, VidaError* error) {
  const int code =
      vida__add_term(system, traced->term, traced->width, traced->index, &traced->base, error);
  if (!code) {
    set_block(&system->term_batches[system->term_batch_count - 1].block, traced);
  }
  return code;
}

static int add_row(VidaSystem* system, vida_traced* traced, const char* unit, VidaError* error) {
  const int code = vida__add_constraint(system, traced->constraint, 1, unit, traced->width,
                                        traced->index, &traced->base, error);
  if (!code) {
    set_block(&system->constraint_batches[system->constraint_batch_count - 1].block, traced);
  }
  return code;
}

static int add_part(VidaSystem* system, vida_traced_kind kind, const char* name,
                    VidaExpression part, VidaError* error) {
  vida_traced* traced = NULL;
  const int code = vida__derive_term(system, kind, name, 1, NULL, &part, &traced, error);
  return code ? code : add_term(system, traced, error);
}

/* Removes all batches of terms but the first `kept`. */
static void discard_terms(VidaSystem* system, int kept) {
  while (system->term_batch_count > kept) {
    vida_term_batch* batch = &system->term_batches[--system->term_batch_count];
    vida__release_functions(batch->functions);
    free(batch->index);
    free(batch->parameter);
    memset(batch, 0, sizeof *batch);
  }
}

int VidaSystem_AddExpressionLagrangian(VidaSystem* system, const char* name,
                                       VidaExpression lagrangian, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_addends parts;
  VidaError unused;
  const int kept = system->term_batch_count;
  const bool only_potentials = system->only_potentials;
  int code = check_term(system, "Lagrangian", name, lagrangian, error);
  if (code) {
    return code;
  }
  code = vida__sort_addends(system->graph, lagrangian, &parts);
  if (code) {
    return vida__fail(error, code, "Lagrangian '%s': %s", name, Vida_CodeText(code));
  }
  if (parts.rates >= 0) {
    code = add_part(system, VIDA_TRACED_MASS, name, parts.rates, &unused);
    if (code == VIDA_NOT_SUPPORTED) {
      code = add_part(system, VIDA_TRACED_KINETIC, name, parts.rates, &unused);
    }
    if (code == VIDA_NOT_SUPPORTED) {
      code = add_part(system, VIDA_TRACED_LAGRANGIAN, name, parts.rates, error);
    } else if (code && error) {
      *error = unused;
    }
  }
  if (!code && parts.rest >= 0) {
    code = add_part(system, VIDA_TRACED_LAGRANGIAN, name, parts.rest, error);
  }
  const bool alone = parts.rates < 0 && parts.rest < 0;
  const bool is_constant = parts.positions >= 0 && !alone &&
                           system->graph->nodes[parts.positions].operation == VIDA_OP_CONSTANT;
  if (!code && parts.positions >= 0 && !is_constant) {
    code = add_part(system, VIDA_TRACED_POTENTIAL, name, parts.positions, error);
  }
  if (code) {
    discard_terms(system, kept);
    system->only_potentials = only_potentials;
  }
  return code;
}

int VidaSystem_AddExpressionConstraint(VidaSystem* system, const char* name, const char* unit,
                                       VidaExpression g, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_traced* traced = NULL;
  int code = check_term(system, "constraint", name, g, error);
  code = code
             ? code
             : vida__derive_term(system, VIDA_TRACED_CONSTRAINT, name, 1, NULL, &g, &traced, error);
  if (code) {
    return code;
  }
  const bool has_rate = traced->tape[VIDA_TAPE_RATE] != NULL;
  code = add_row(system, traced, unit, error);
  if (!code && has_rate) {
    system->time_dependent = system->rows[system->row_count - 1].has_rate = true;
  }
  return code;
}

int VidaSystem_AddExpressionNonholonomic(VidaSystem* system, const char* name, const char* unit,
                                         VidaExpression row, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_traced* traced = NULL;
  int code = check_term(system, "nonholonomic constraint", name, row, error);
  code = code ? code
              : vida__derive_term(system, VIDA_TRACED_NONHOLONOMIC, name, 1, NULL, &row, &traced,
                                  error);
  return code ? code : add_row(system, traced, unit, error);
}

int VidaSystem_AddExpressionForce(VidaSystem* system, const char* name, int count,
                                  const int* coordinates, const VidaExpression* force,
                                  VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name) ||
      (count > 0 && VIDA_REFUSE_NULL(error, coordinates, force))) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_traced* traced = NULL;
  int code = vida__check_addition(system, "force", name, error);
  if (!code && count < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "force '%s' acts on no coordinate", name);
  }
  for (int i = 0; i < count && !code; i++) {
    code = check_expression_of(system, "force", name, force[i], error);
    if (!code && (coordinates[i] < 0 || coordinates[i] >= system->coordinate_count)) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "force '%s': there is no coordinate number %d",
                        name, coordinates[i]);
    }
  }
  code = code ? code
              : vida__derive_term(system, VIDA_TRACED_FORCE, name, count, coordinates, force,
                                  &traced, error);
  return code ? code : add_term(system, traced, error);
}

/* Refuses the dependence of an expression on multipliers where it makes no sense; `where` says
 * where.
 */
static int refuse_multipliers(const VidaSystem* system, const char* kind, const char* name,
                              const char* where, VidaExpression expression, VidaError* error) {
  const int count = expression + 1;
  bool* used = vida__allocate((size_t)count, sizeof *used);
  int code = used ? VIDA_SUCCESS : vida__fail_memory(error);
  if (used) {
    used[expression] = true;
    vida__graph_mark_used(system->graph, count, used);
  }
  for (int i = 0; i < count && !code && system->multiplier_count > 0; i++) {
    const vida_node* node = &system->graph->nodes[i];
    if (used[i] && node->operation == VIDA_OP_INPUT && node->number == VIDA_INPUT_MULTIPLIER) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' %s a multiplier; only forces may", kind,
                        name, where);
    }
  }
  free(used);
  return code;
}

/* Data for the derivation of a force from expressions. n is the number of coordinates. */
typedef struct force_work {
  int count;             /* of inputs */
  int* coordinates;      /* n: those of the inputs */
  int* input;            /* n: nodes */
  int* gradient;         /* n */
  VidaExpression* force; /* n */
} force_work;

static int allocate_force(force_work* work, const VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  *work = (force_work){0, vida__allocate(4 * n, sizeof(int)), NULL, NULL, NULL};
  if (!work->coordinates) {
    return vida__fail_memory(error);
  }
  work->input = work->coordinates + n;
  work->gradient = work->input + n;
  work->force = work->gradient + n;
  return VIDA_SUCCESS;
}

/* Finds the inputs of this kind, positions or rates, that the expressions depend on. */
static int find_inputs(force_work* work, const VidaSystem* system, vida_input kind, int count,
                       const VidaExpression* expressions, VidaError* error) {
  const vida_graph* graph = system->graph;
  bool* used = vida__allocate((size_t)graph->count, sizeof *used);
  if (!used) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < count; i++) {
    used[expressions[i]] = true;
  }
  vida__graph_mark_used(graph, graph->count, used);
  work->count = 0;
  for (int i = 0; i < graph->count; i++) {
    const vida_node* node = &graph->nodes[i];
    if (used[i] && node->operation == VIDA_OP_INPUT && node->number == (int)kind) {
      work->coordinates[work->count] = node->operand[0];
      work->input[work->count++] = i;
    }
  }
  free(used);
  return VIDA_SUCCESS;
}

/* Derives the forces -dR/dv_i. */
static int derive_dissipation(vida_graph* graph, VidaExpression dissipation, force_work* work) {
  int code = vida__derive_gradient(graph, dissipation, work->count, work->input, work->force);
  for (int i = 0; i < work->count && !code; i++) {
    work->force[i] = vida__graph_apply(graph, VIDA_OP_NEGATE, work->force[i], -1, -1);
    code = work->force[i] < 0 ? work->force[i] : VIDA_SUCCESS;
  }
  return code;
}

static int add_derived_force(VidaSystem* system, const char* kind, const char* name,
                             const force_work* work, int code, VidaError* error) {
  return code ? vida__fail(error, code, "%s '%s': its derivatives could not be formed: %s", kind,
                           name, Vida_CodeText(code))
              : VidaSystem_AddExpressionForce(system, name, work->count, work->coordinates,
                                              work->force, error);
}

int VidaSystem_AddExpressionRayleigh(VidaSystem* system, const char* name,
                                     VidaExpression dissipation, VidaError* error) {
  force_work work;
  int code = VIDA_REFUSE_NULL(error, system, name);
  code = code ? code : check_term(system, "dissipation", name, dissipation, error);
  code = code ? code
              : refuse_multipliers(system, "dissipation", name, "depends on", dissipation, error);
  if (code) {
    return code;
  }
  if (vida__graph_is(system->graph, dissipation, 0.0)) {
    return VIDA_SUCCESS; /* a damper whose constant is zero */
  }
  code = allocate_force(&work, system, error);
  code = code ? code : find_inputs(&work, system, VIDA_INPUT_VELOCITY, 1, &dissipation, error);
  if (!code && work.count == 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "dissipation '%s' depends on no rate", name);
  }
  if (!code) {
    code = derive_dissipation(system->graph, dissipation, &work);
    code = add_derived_force(system, "dissipation", name, &work, code, error);
  }
  free(work.coordinates);
  return code;
}

/* Derives the forces: the sum over k of F_k ds_k/dq_i. */
static int derive_along(vida_graph* graph, int count, const VidaExpression* along,
                        const VidaExpression* force, force_work* work) {
  int code = VIDA_SUCCESS;
  for (int k = 0; k < count && !code; k++) {
    code = vida__derive_gradient(graph, along[k], work->count, work->input, work->gradient);
    for (int i = 0; i < work->count && !code; i++) {
      int sum = vida__graph_apply(graph, VIDA_OP_MULTIPLY, force[k], work->gradient[i], -1);
      if (sum >= 0 && k > 0) {
        sum = vida__graph_apply(graph, VIDA_OP_ADD, work->force[i], sum, -1);
      }
      work->force[i] = sum;
      code = sum < 0 ? sum : VIDA_SUCCESS;
    }
  }
  return code;
}

int VidaSystem_AddExpressionForceAlong(VidaSystem* system, const char* name, int count,
                                       const VidaExpression* along, const VidaExpression* force,
                                       VidaError* error) {
  force_work work;
  int code = VIDA_REFUSE_NULL(error, system, name, along, force);
  code = code ? code : vida__check_addition(system, "force", name, error);
  for (int k = 0; k < count && !code; k++) {
    code = check_expression_of(system, "force", name, along[k], error);
    code = code ? code : check_expression_of(system, "force", name, force[k], error);
    code = code ? code
                : refuse_multipliers(system, "force", name, "acts along a function of", along[k],
                                     error);
  }
  if (code) {
    return code;
  }
  code = allocate_force(&work, system, error);
  code = code ? code : find_inputs(&work, system, VIDA_INPUT_VELOCITY, count, along, error);
  if (!code && work.count > 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "force '%s' acts along a function of the rate of '%s'; expected one of "
                      "positions",
                      name, system->coordinates[work.coordinates[0]].name);
  }
  code = code ? code : find_inputs(&work, system, VIDA_INPUT_POSITION, count, along, error);
  if (!code && work.count == 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "force '%s' acts on no coordinate", name);
  }
  if (!code) {
    code = derive_along(system->graph, count, along, force, &work);
    code = add_derived_force(system, "force", name, &work, code, error);
  }
  free(work.coordinates);
  return code;
}
