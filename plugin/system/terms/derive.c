#include "system/terms/derive.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "expr/derivative.h"
#include "expr/discrete.h"
#include "system/model/build.h"
#include "system/terms/reactive.h"
#include "system/terms/second_block.h"
#include "system/terms/state_switches.h"

/* The names of the kinds in messages, and their kernels. */
static const struct {
  const char* word;
  const vida_term_kernel* term;
  const vida_constraint_kernel* constraint;
} kinds[] = {
    [VIDA_TRACED_LAGRANGIAN] = {"Lagrangian", &vida__traced_lagrangian, NULL},
    [VIDA_TRACED_POTENTIAL] = {"Lagrangian", &vida__traced_potential, NULL},
    [VIDA_TRACED_MASS] = {"Lagrangian", &vida__traced_mass, NULL},
    [VIDA_TRACED_KINETIC] = {"Lagrangian", &vida__traced_kinetic, NULL},
    [VIDA_TRACED_FORCE] = {"force", &vida__traced_force, NULL},
    [VIDA_TRACED_CONSTRAINT] = {"constraint", NULL, &vida__traced_constraint},
    [VIDA_TRACED_NONHOLONOMIC] = {"nonholonomic constraint", NULL, &vida__traced_nonholonomic},
    [VIDA_TRACED_VALUE] = {"observable", &vida__traced_observable, NULL},
};

/* Data for the derivation of a term; freed by release. */
typedef struct derivation {
  const VidaSystem* system;
  vida_graph* graph;
  vida_traced_kind kind;
  int width;
  const int* index; /* of traced */
  int* local;       /* for each coordinate of the system: its local index, or -1 */
  int* variable;    /* 2 width + 1: nodes of positions, then rates, then the time */
  int* direction;   /* 2 width + 1: their rates along a motion without acceleration */
  int* first;       /* 2 width + 1: first derivatives; for forces, the forces by coordinate */
  int* output;      /* 2 width: work */
  vida_entries second;
  VidaExpression* frozen; /* the expressions, with their conditions of time at the moment */
  int* discrete;          /* width */
  bool has_discrete;
  vida_entries discrete_second;
  int* joint; /* 2 width */
  bool has_joint;
  vida_entries joint_second;
  int multiplier_count; /* of the expressions */
  int* multiplier;      /* their inputs */
  bool has_kinks, has_angles;
  vida_dependence steps, kinks;
  vida_traced* traced;
} derivation;

/* ---- ownership ------------------------------------------------------------------------------- */

static void destroy_traced(vida_functions* functions) {
  vida_traced* traced = (vida_traced*)functions;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    vida__tape_destroy(&traced->tape[k]);
  }
  free(traced->base.name);
  free(traced->index);
  free(traced->second_place);
  free(traced->second_kind);
  free(traced->mass_place);
  free(traced->discrete_place);
  free(traced->discrete_kind);
  free(traced->joint_place);
  free(traced->joint_kind);
  free(traced->block_row);
  free(traced->block_column);
  free(traced->wraps);
  free(traced->base.multiplier_place);
  free(traced->base.multiplier_number);
  vida__conditions_destroy(&traced->conditions);
  free(traced);
}

static vida_traced* create_traced(const char* name, vida_traced_kind kind) {
  vida_traced* traced = vida__allocate(1, sizeof *traced);
  if (!traced) {
    return NULL;
  }
  traced->term = kinds[kind].term;
  traced->constraint = kinds[kind].constraint;
  traced->base.references = 1;
  traced->base.destroy = destroy_traced;
  traced->base.work_size = vida__traced_work_size;
  traced->base.prepare = vida__prepare_traced;
  traced->base.describe = vida__describe_traced;
  traced->base.name = vida__copy_text(name);
  if (!traced->base.name) {
    destroy_traced(&traced->base);
    return NULL;
  }
  return traced;
}

static void release(derivation* work) {
  free(work->local);
  free(work->variable);
  free(work->direction);
  free(work->first);
  free(work->output);
  free(work->discrete);
  free(work->joint);
  free(work->frozen);
  free(work->multiplier);
  vida__entries_free(&work->second);
  vida__entries_free(&work->discrete_second);
  vida__entries_free(&work->joint_second);
  if (work->traced) {
    vida__release_functions(&work->traced->base);
  }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Marks the coordinates that the expressions use in work->local, and finds the other inputs that
 * they use. */
static int find_inputs(derivation* work, int count, const VidaExpression* expressions,
                       vida_dependence* found) {
  const vida_graph* graph = work->graph;
  int size = 0;
  for (int i = 0; i < count; i++) {
    size = expressions[i] >= size ? expressions[i] + 1 : size;
  }
  bool* used = vida__allocate((size_t)size, sizeof *used);
  if (!used) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    used[expressions[i]] = true;
  }
  vida__graph_mark_used(graph, size, used);
  for (int i = 0; i < size; i++) {
    const vida_node* node = &graph->nodes[i];
    work->has_kinks = work->has_kinks || (used[i] && vida__has_kink(node->operation));
    work->has_angles = work->has_angles || (used[i] && node->operation == VIDA_OP_ATAN2);
    if (used[i] && node->operation == VIDA_OP_INPUT) {
      const vida_dependence own = vida__input_dependence(node);
      vida__merge_dependence(found, &own);
      if (own.positions || own.rates) {
        work->local[node->operand[0]] = 0;
      }
    }
  }
  const int code =
      vida__list_multipliers(graph, size, used, &work->multiplier, &work->multiplier_count);
  free(used);
  return code;
}

/* Finds the dependence of the operands of comparisons, signs and conditions (work->steps), and also
 * of abs, min and max (work->kinks). */
static int find_kinks(derivation* work, int count, const VidaExpression* expressions) {
  const vida_graph* graph = work->graph;
  const int size = graph->count;
  if (!work->has_kinks) {
    return VIDA_SUCCESS;
  }
  vida_dependence* dependence = vida__allocate((size_t)size, sizeof *dependence);
  bool* used = vida__allocate((size_t)size, sizeof *used);
  const int code = dependence && used ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int i = 0; i < count && !code; i++) {
    used[expressions[i]] = true;
  }
  if (!code) {
    vida__graph_mark_used(graph, size, used);
    vida__find_dependence(graph, size, dependence);
  }
  for (int i = 0; i < size && !code; i++) {
    const vida_node* node = &graph->nodes[i];
    const bool jumps = vida__is_branching(node->operation);
    const int arity =
        node->operation == VIDA_OP_WHERE ? 1 : vida__operations[node->operation].arity;
    for (int k = 0; k < arity && used[i] && vida__has_kink(node->operation); k++) {
      vida__merge_dependence(&work->kinks, &dependence[node->operand[k]]);
      if (jumps) {
        vida__merge_dependence(&work->steps, &dependence[node->operand[k]]);
      }
    }
  }
  free(dependence);
  free(used);
  return code;
}

/* Numbers the marked coordinates. */
static int number_coordinates(derivation* work) {
  const int n = work->system->coordinate_count;
  vida_traced* traced = work->traced;
  for (int i = 0; i < n; i++) {
    work->width += work->local[i] >= 0;
  }
  const size_t most = 2 * (size_t)work->width + 1;
  traced->width = work->width;
  traced->index = vida__allocate((size_t)work->width, sizeof *traced->index);
  work->variable = vida__allocate(most, sizeof *work->variable);
  work->direction = vida__allocate(most, sizeof *work->direction);
  work->first = vida__allocate(most, sizeof *work->first);
  work->output = vida__allocate(most, sizeof *work->output);
  work->discrete = vida__allocate(most, sizeof *work->discrete);
  work->joint = vida__allocate(most, sizeof *work->joint);
  if (!traced->index || !work->variable || !work->direction || !work->first || !work->output ||
      !work->discrete || !work->joint) {
    return VIDA_OUT_OF_MEMORY;
  }
  work->index = traced->index;
  for (int i = 0, next = 0; i < n; i++) {
    if (work->local[i] >= 0) {
      traced->index[next] = i;
      work->local[i] = next++;
    }
  }
  return VIDA_SUCCESS;
}

static int make_variables(derivation* work) {
  vida_graph* graph = work->graph;
  const int width = work->width;
  const int zero = vida__graph_constant(graph, 0.0);
  const int one = vida__graph_constant(graph, 1.0);
  const int time = vida__graph_input(graph, VIDA_INPUT_TIME, 0);
  for (int i = 0; i < width; i++) {
    work->variable[i] = vida__graph_input(graph, VIDA_INPUT_POSITION, work->index[i]);
    work->variable[width + i] = vida__graph_input(graph, VIDA_INPUT_VELOCITY, work->index[i]);
    work->direction[i] = work->variable[width + i];
    work->direction[width + i] = zero;
    if (work->variable[i] < 0 || work->variable[width + i] < 0) {
      return VIDA_OUT_OF_MEMORY;
    }
  }
  work->variable[2 * width] = time;
  work->direction[2 * width] = one;
  return zero < 0 || one < 0 || time < 0 ? VIDA_OUT_OF_MEMORY : VIDA_SUCCESS;
}

/* ---- tapes ----------------------------------------------------------------------------------- */

/* Compiles outputs, if there are any. Coordinates get their local indices. */
static int compile(derivation* work, enum vida_tape_kind kind, int count, const int* output) {
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  vida_tape** tape = &work->traced->tape[kind];
  const int code = vida__tape_compile_turned(work->graph, count, output, tape);
  for (int i = 0; i < (code ? 0 : (*tape)->input_count); i++) {
    vida_tape_input* input = &(*tape)->inputs[i];
    const bool is_turn = input->kind == VIDA_INPUT_SINE || input->kind == VIDA_INPUT_COSINE;
    work->traced->base.takes_turns |= is_turn;
    if (is_turn || input->kind == VIDA_INPUT_POSITION || input->kind == VIDA_INPUT_VELOCITY ||
        input->kind == VIDA_INPUT_SECOND_POSITION || input->kind == VIDA_INPUT_SECOND_VELOCITY) {
      input->index = work->local[input->index];
    }
  }
  return code;
}

/* Derives d/dt of `rows` functions along a motion without accelerations. */
static int follow_motion(derivation* work, int rows, const int* function, int* result) {
  return vida__derive_product(work->graph, rows, function, 2 * work->width + 1, work->variable,
                              work->direction, result);
}

/* ---- second derivatives ---------------------------------------------------------------------- */

/* Compiles L_vv alone, for matrices of masses, if there are other second derivatives. */
static int compile_mass_block(derivation* work) {
  vida_traced* traced = work->traced;
  for (int e = 0; e < work->second.count; e++) {
    traced->mass_count += traced->second_kind[e] == VIDA_SECOND_VV;
  }
  if (traced->mass_count == 0 || traced->mass_count == work->second.count) {
    return VIDA_SUCCESS;
  }
  int* node = vida__allocate((size_t)traced->mass_count, sizeof *node);
  int code = node ? vida__place_masses(&work->second, traced, node) : VIDA_OUT_OF_MEMORY;
  code = code ? code : compile(work, VIDA_TAPE_MASS_BLOCK, traced->mass_count, node);
  free(node);
  return code;
}

/* Compiles the tapes of the second derivatives, and the lists of the entries of their outputs. */
static int compile_block(derivation* work) {
  const vida_entries* discrete = work->has_discrete ? &work->discrete_second : NULL;
  const vida_entries* joint = work->has_joint ? &work->joint_second : NULL;
  int code = vida__place_second(&work->second, discrete, joint, work->width, work->traced);
  code = code ? code : compile(work, VIDA_TAPE_SECOND, work->second.count, work->second.node);
  code = code ? code : compile_mass_block(work);
  if (!code && work->has_discrete) {
    code = compile(work, VIDA_TAPE_DISCRETE_GRADIENT, work->width, work->discrete);
    code = code ? code
                : compile(work, VIDA_TAPE_DISCRETE_SECOND, work->discrete_second.count,
                          work->discrete_second.node);
  }
  if (!code && work->has_joint) {
    code = compile(work, VIDA_TAPE_JOINT_GRADIENT, 2 * work->width, work->joint);
    code = code ? code
                : compile(work, VIDA_TAPE_JOINT_SECOND, work->joint_second.count,
                          work->joint_second.node);
  }
  return code;
}

/* Derives the discrete derivative as a function of positions, and its derivatives with respect to
 * `others` rates (all of them or none). Succeeds if there is none (because the function compares
 * positions): only some methods need it. */
static int derive_discrete(derivation* work, VidaExpression expression, int others) {
  int code = vida__discrete_gradient_nodes(work->graph, expression, work->width, work->variable,
                                           work->discrete, NULL);
  code = code ? code
              : vida__discrete_jacobian_nodes(work->graph, work->width, work->variable,
                                              work->discrete, others, work->variable + work->width,
                                              &work->discrete_second);
  work->has_discrete = !code;
  return code == VIDA_NOT_SUPPORTED ? VIDA_SUCCESS : code;
}

/* Derives the discrete derivative with respect to positions and rates, for the methods that ask for
 * it; succeeds if there is none. `is_implicit`: also its derivatives. */
static int derive_joint(derivation* work, VidaExpression expression, bool is_implicit) {
  const int count = 2 * work->width;
  int code = vida__discrete_gradient_nodes(work->graph, expression, count, work->variable,
                                           work->joint, NULL);
  if (!code && is_implicit) {
    code = vida__discrete_jacobian_nodes(work->graph, count, work->variable, work->joint, 0, NULL,
                                         &work->joint_second);
  }
  work->has_joint = !code;
  return code == VIDA_NOT_SUPPORTED ? VIDA_SUCCESS : code;
}

/* ---- kinds of terms -------------------------------------------------------------------------- */

/* Calls holds(work, e, dependence) for each second derivative e until it returns false. */
static int check_second(const derivation* work,
                        bool (*holds)(const derivation* work, int e, const vida_dependence* of),
                        bool* all_hold) {
  const vida_graph* graph = work->graph;
  vida_dependence* dependence = vida__allocate((size_t)graph->count, sizeof *dependence);
  if (!dependence) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida__find_dependence(graph, graph->count, dependence);
  for (int e = 0; e < work->second.count && *all_hold; e++) {
    *all_hold = holds(work, e, &dependence[work->second.node[e]]);
  }
  free(dependence);
  return VIDA_SUCCESS;
}

static bool has_no_rates(const derivation* work, int e, const vida_dependence* of) {
  const bool is_mass = work->second.row[e] >= work->width && work->second.column[e] >= work->width;
  return !(is_mass && of->rates);
}

static bool has_no_positions(const derivation* work, int e, const vida_dependence* of) {
  (void)work;
  (void)e;
  return !of->positions;
}

/* Finds whether the mass matrix does not depend on rates; L is then at most quadratic in them. */
static int check_mass(const derivation* work, bool* holds) {
  *holds = !work->kinks.rates;
  return check_second(work, has_no_rates, holds);
}

static int derive_lagrangian(derivation* work, VidaExpression expression,
                             const vida_dependence* found) {
  const int width = work->width;
  const int* by_rates = work->first + width;
  int code =
      vida__derive_gradient(work->graph, expression, 2 * width + 1, work->variable, work->first);
  code = code ? code
              : vida__derive_jacobian(work->graph, 2 * width, work->first, 2 * width,
                                      work->variable, &work->second);
  code = code ? code : compile(work, VIDA_TAPE_VALUE, 1, &expression);
  code = code ? code : compile(work, VIDA_TAPE_GRADIENT, 2 * width, work->first);
  code = code ? code
              : vida__vanish_at_rest(work->graph, width, work->first, &work->traced->base.rests);
  if (!code && found->time) {
    code = compile(work, VIDA_TAPE_RATE, 1, &work->first[2 * width]);
  }
  code = code ? code : follow_motion(work, width, by_rates, work->output);
  for (int i = 0; i < width && !code; i++) {
    work->output[i] =
        vida__graph_apply(work->graph, VIDA_OP_SUBTRACT, work->first[i], work->output[i], -1);
    code = work->output[i] < 0 ? work->output[i] : VIDA_SUCCESS;
  }
  code = code ? code : compile(work, VIDA_TAPE_BIAS, width, work->output);
  if (!code && work->kind == VIDA_TRACED_LAGRANGIAN) {
    bool is_quadratic = false;
    code = check_mass(work, &is_quadratic);
    code = code || !is_quadratic ? code : derive_discrete(work, expression, width);
    code = code ? code : derive_joint(work, expression, true);
    if (!work->has_discrete) {
      work->traced->term =
          work->has_joint ? &vida__traced_joint_lagrangian : &vida__traced_plain_lagrangian;
    }
  }
  return code ? code : compile_block(work);
}

static int derive_potential(derivation* work, VidaExpression expression,
                            const vida_dependence* found) {
  const int width = work->width;
  int code = vida__derive_gradient(work->graph, expression, width, work->variable, work->first);
  code = code ? code
              : vida__derive_jacobian(work->graph, width, work->first, width, work->variable,
                                      &work->second);
  code = code ? code : derive_discrete(work, expression, 0);
  code = code ? code : compile(work, VIDA_TAPE_VALUE, 1, &expression);
  code = code ? code : compile(work, VIDA_TAPE_GRADIENT, width, work->first);
  if (!code && found->time) {
    int by_time = -1;
    code = vida__derive_gradient(work->graph, expression, 1, &work->variable[2 * width], &by_time);
    code = code ? code : compile(work, VIDA_TAPE_RATE, 1, &by_time);
  }
  if (!work->has_discrete) {
    work->traced->term = &vida__traced_plain_potential;
  }
  return code ? code : compile_block(work);
}

/* Returns arbitrary rates for tests. */
static double trial_rate(int trial, int coordinate) {
  return 0.71 + 0.37 * trial + 0.0173 * coordinate;
}

/* Returns whether |L_v - M v| is rounding. The second derivatives are the entries of M. */
static bool is_product(const derivation* work, int trial, const double* momentum,
                       const double* entry, double* left) {
  const int width = work->width;
  double size = 0.0;
  memcpy(left, momentum, (size_t)width * sizeof *left);
  for (int e = 0; e < work->second.count; e++) {
    const double part = entry[e] * trial_rate(trial, work->index[work->second.column[e]]);
    left[work->second.row[e]] -= part;
    size = fmax(size, fabs(part));
  }
  for (int i = 0; i < width; i++) {
    if (!(fabs(left[i]) <= 1e-12 * size)) {
      return false;
    }
  }
  return true;
}

/* Finds whether L_v = M v, by a test at arbitrary rates. */
static int is_homogeneous(derivation* work, bool* result) {
  enum { TRIED = 3 };
  const int width = work->width;
  const int count = width + work->second.count;
  vida_tape* tape = NULL;
  int* output = vida__allocate((size_t)count, sizeof *output);
  double* value = vida__allocate((size_t)(count + width), sizeof *value);
  double* slots = NULL;
  int code = output && value ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  if (!code) {
    memcpy(output, work->first + width, (size_t)width * sizeof *output);
    for (int e = 0; e < work->second.count; e++) {
      output[width + e] = work->second.node[e];
    }
    code = vida__tape_compile(work->graph, count, output, &tape);
  }
  if (!code) {
    slots = vida__allocate(vida__tape_work_size(tape), sizeof *slots);
    code = slots ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  *result = !code;
  for (int trial = 0; trial < TRIED && *result; trial++) {
    vida__tape_prepare(tape, slots);
    for (int i = 0; i < tape->input_count; i++) {
      slots[i] = trial_rate(trial, tape->inputs[i].index);
    }
    *result = !vida__tape_run(tape, slots, value, NULL) &&
              is_product(work, trial, value, value + width, value + count);
  }
  vida__tape_destroy(&tape);
  free(output);
  free(value);
  free(slots);
  return code;
}

/* Returns whether L_vv is constant and diagonal; its diagonal is written to work->output. */
static int find_diagonal(derivation* work, bool* is_constant, bool* is_diagonal) {
  const vida_graph* graph = work->graph;
  const int width = work->width;
  const int zero = vida__graph_constant(work->graph, 0.0);
  vida_dependence* dependence = vida__allocate((size_t)graph->count, sizeof *dependence);
  if (!dependence || zero < 0) {
    free(dependence);
    return VIDA_OUT_OF_MEMORY;
  }
  vida__find_dependence(graph, graph->count, dependence);
  *is_constant = !work->kinks.rates;
  *is_diagonal = true;
  for (int i = 0; i < width; i++) {
    work->output[i] = zero;
  }
  for (int e = 0; e < work->second.count; e++) {
    const vida_dependence* of = &dependence[work->second.node[e]];
    *is_constant &= !of->positions && !of->rates && !of->time;
    *is_diagonal &= work->second.row[e] == work->second.column[e];
    work->output[work->second.row[e]] = work->second.node[e];
  }
  free(dependence);
  return VIDA_SUCCESS;
}

/* Derives first derivatives, and L_vv as work->second. Fails with VIDA_NOT_SUPPORTED unless L = v^T
 * M v / 2 with a constant M. */
static int derive_constant_mass(derivation* work, VidaExpression expression, bool* is_diagonal) {
  const int width = work->width;
  bool holds = false;
  int code =
      vida__derive_gradient(work->graph, expression, 2 * width + 1, work->variable, work->first);
  code = code ? code
              : vida__derive_jacobian(work->graph, width, work->first + width, width,
                                      work->variable + width, &work->second);
  code = code ? code : find_diagonal(work, &holds, is_diagonal);
  if (!code && holds) {
    code = is_homogeneous(work, &holds);
  }
  return !code && !holds ? VIDA_NOT_SUPPORTED : code;
}

static int derive_mass(derivation* work, VidaExpression expression) {
  bool is_diagonal = false;
  const int code = derive_constant_mass(work, expression, &is_diagonal);
  if (!code && !is_diagonal) {
    return VIDA_NOT_SUPPORTED;
  }
  return code ? code : compile(work, VIDA_TAPE_MASS, work->width, work->output);
}

static int derive_kinetic(derivation* work, VidaExpression expression,
                          const vida_dependence* found) {
  bool is_diagonal = false;
  const int code = derive_constant_mass(work, expression, &is_diagonal);
  vida__entries_free(&work->second);
  memset(&work->second, 0, sizeof work->second);
  return code ? code : derive_lagrangian(work, expression, found);
}

static int derive_force(derivation* work, int count, const int* coordinates,
                        const VidaExpression* force) {
  const int width = work->width;
  const int zero = vida__graph_constant(work->graph, 0.0);
  int code = zero < 0 ? zero : VIDA_SUCCESS;
  for (int i = 0; i < width; i++) {
    work->first[i] = zero;
  }
  for (int i = 0; i < count; i++) {
    int* sum = &work->first[work->local[coordinates[i]]];
    *sum = vida__graph_apply(work->graph, VIDA_OP_ADD, *sum, force[i], -1);
    code = *sum < 0 ? *sum : code;
  }
  code = code ? code
              : vida__derive_jacobian(work->graph, width, work->first, 2 * width, work->variable,
                                      &work->second);
  code = code ? code : compile(work, VIDA_TAPE_GRADIENT, width, work->first);
  if (!code && work->multiplier_count > 0) {
    code = vida__derive_reactive(work->graph, work->first, work->multiplier_count, work->multiplier,
                                 work->local, work->traced);
    work->traced->base.bends_with_multipliers |= work->kinks.multipliers;
  }
  return code ? code : compile_block(work);
}

/* Returns whether no second derivative depends on the state. */
static int check_quadratic(const derivation* work, bool* holds) {
  *holds = !work->kinks.positions;
  return check_second(work, has_no_positions, holds);
}

static int derive_constraint(derivation* work, VidaExpression g, const vida_dependence* found) {
  const int width = work->width;
  int once = -1;
  int twice = -1;
  bool is_quadratic = false;
  int code = vida__derive_gradient(work->graph, g, 2 * width + 1, work->variable, work->first);
  code = code ? code
              : vida__derive_jacobian(work->graph, width, work->first, width, work->variable,
                                      &work->second);
  code = code ? code : derive_discrete(work, g, 0);
  code = code ? code : compile(work, VIDA_TAPE_VALUE, 1, &g);
  code = code ? code : compile(work, VIDA_TAPE_GRADIENT, width, work->first);
  if (!code && found->time) {
    code = compile(work, VIDA_TAPE_RATE, 1, &work->first[2 * width]);
  }
  code = code ? code : follow_motion(work, 1, &g, &once);
  code = code ? code : follow_motion(work, 1, &once, &twice);
  code = code ? code : compile(work, VIDA_TAPE_BIAS, 1, &twice);
  code =
      code ? code : vida__derive_gradient(work->graph, once, width, work->variable, work->output);
  code = code ? code : compile(work, VIDA_TAPE_VALUE_GRADIENT, width, work->output);
  code = code ? code : check_quadratic(work, &is_quadratic);
  if (!code && work->has_discrete && !found->time && !is_quadratic) {
    code = derive_joint(work, once, false);
  }
  if (!work->has_discrete) {
    work->traced->constraint = &vida__traced_plain_constraint;
  } else if (found->time) {
    work->traced->constraint = &vida__traced_driven;
  } else if (is_quadratic) {
    work->traced->constraint = &vida__traced_quadratic;
  } else if (work->has_joint) {
    work->traced->constraint = &vida__traced_smooth;
  }
  return code ? code : compile_block(work);
}

/* Derives a = A(q,t) v + b(q,t). Fails with VIDA_BAD_ARGUMENT if a is not linear in the rates. */
static int derive_nonholonomic(derivation* work, VidaExpression a) {
  vida_graph* graph = work->graph;
  const int width = work->width;
  const int* by_rates = work->first + width;
  int rest = -1;
  int bias = -1;
  int* map = NULL;
  int code = vida__derive_gradient(graph, a, 2 * width + 1, work->variable, work->first);
  code = code ? code
              : vida__derive_jacobian(graph, width, by_rates, 2 * width, work->variable,
                                      &work->second);
  for (int e = 0; e < work->second.count && !code; e++) {
    code = work->second.column[e] >= width ? VIDA_BAD_ARGUMENT : VIDA_SUCCESS;
  }
  code = !code && work->kinks.rates ? VIDA_BAD_ARGUMENT : code;
  code = code ? code : compile(work, VIDA_TAPE_VALUE, 1, &a);
  code = code ? code : compile(work, VIDA_TAPE_GRADIENT, width, by_rates);
  code = code ? code : compile(work, VIDA_TAPE_VALUE_GRADIENT, width, work->first);
  code = code ? code : follow_motion(work, 1, &a, &bias);
  code = code ? code : compile(work, VIDA_TAPE_BIAS, 1, &bias);
  if (!code) {
    /* b is the row at rest: in it, rates are replaced by inputs that evaluations set to zero. */
    map = vida__allocate((size_t)a + 1, sizeof *map);
    code = map ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i <= a && !code; i++) {
    map[i] = -1;
  }
  if (!code) {
    rest = vida__graph_replace(graph, a, VIDA_INPUT_VELOCITY, VIDA_INPUT_AUXILIARY, a + 1, map);
    code = rest < 0 ? rest : compile(work, VIDA_TAPE_RATE, 1, &rest);
  }
  free(map);
  return code ? code : compile_block(work);
}

static int derive_kind(derivation* work, int count, const int* coordinates,
                       const VidaExpression* expressions, const vida_dependence* found) {
  switch (work->kind) {
    case VIDA_TRACED_LAGRANGIAN:
      return derive_lagrangian(work, expressions[0], found);
    case VIDA_TRACED_POTENTIAL:
      return derive_potential(work, expressions[0], found);
    case VIDA_TRACED_MASS:
      return derive_mass(work, expressions[0]);
    case VIDA_TRACED_KINETIC:
      return derive_kinetic(work, expressions[0], found);
    case VIDA_TRACED_FORCE:
      return derive_force(work, count, coordinates, expressions);
    case VIDA_TRACED_CONSTRAINT:
      return derive_constraint(work, expressions[0], found);
    case VIDA_TRACED_NONHOLONOMIC:
      return derive_nonholonomic(work, expressions[0]);
    default:
      return compile(work, VIDA_TAPE_VALUE, 1, expressions);
  }
}

/* Derives the switches of forces and of the gradients of Lagrangians. */
static int derive_switches(derivation* work) {
  const int count = work->kind == VIDA_TRACED_LAGRANGIAN ? 2 * work->width : work->width;
  const bool is_asked = work->kind == VIDA_TRACED_LAGRANGIAN ||
                        work->kind == VIDA_TRACED_POTENTIAL || work->kind == VIDA_TRACED_FORCE;
  return is_asked && (work->has_kinks || work->has_angles)
             ? vida__derive_switches(work->graph, count, work->first, work->local, work->traced)
             : VIDA_SUCCESS;
}

/* ---- checks and messages --------------------------------------------------------------------- */

static int check_inputs(const derivation* work, const char* name, const vida_dependence* found,
                        VidaError* error) {
  const char* word = kinds[work->kind].word;
  if (found->auxiliary) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s' depends on a coordinate of a chart or on the point of a curve; "
                      "terms are functions of the "
                      "system's own coordinates",
                      word, name);
  }
  if (found->multipliers && work->kind != VIDA_TRACED_FORCE) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' depends on a multiplier; only forces may",
                      word, name);
  }
  if (work->width == 0 && work->kind != VIDA_TRACED_VALUE) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s' depends on no coordinate", word, name);
  }
  if (work->kind == VIDA_TRACED_CONSTRAINT && found->rates) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "constraint '%s' depends on a rate; holonomic constraints are functions of "
                      "positions and time (a nonholonomic one takes rates)",
                      name);
  }
  if (work->kind == VIDA_TRACED_NONHOLONOMIC && !found->rates) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "nonholonomic constraint '%s' depends on no rate; a constraint of positions "
                      "is holonomic",
                      name);
  }
  const bool is_lagrangian = work->kind <= VIDA_TRACED_KINETIC; /* the first ones */
  if (is_lagrangian && work->kinks.rates) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s' has %s that depends on a rate: where it changes, momenta %s; write "
                      "it smoothly, as sqrt(v^2 + e^2) for |v|; forces and dissipation functions "
                      "may depend on rates in this way",
                      word, name,
                      work->steps.rates ? "a sign, a comparison or a condition of a where"
                                        : "an abs, a min or a max",
                      work->steps.rates ? "have no value" : "jump or have a kink");
  }
  return VIDA_SUCCESS;
}

static int report(const derivation* work, int code, const char* name, VidaError* error) {
  if (code == VIDA_OUT_OF_MEMORY) {
    return vida__fail_memory(error);
  }
  if (code == VIDA_BAD_ARGUMENT && work->kind == VIDA_TRACED_NONHOLONOMIC) {
    return vida__fail(error, code, "nonholonomic constraint '%s' is not linear in the rates", name);
  }
  return vida__fail(error, code, "%s '%s': its derivatives could not be formed: %s",
                    kinds[work->kind].word, name, Vida_CodeText(code));
}

static int freeze(derivation* work, int count, const VidaExpression* expressions) {
  work->frozen = vida__allocate((size_t)count, sizeof *work->frozen);
  if (!work->frozen) {
    return VIDA_OUT_OF_MEMORY;
  }
  const int code = vida__freeze_conditions(work->graph, count, expressions, work->frozen);
  return code
             ? code
             : vida__conditions_create(work->graph, count, work->frozen, &work->traced->conditions);
}

int vida__derive_term(const VidaSystem* system, vida_traced_kind kind, const char* name, int count,
                      const int* coordinates, const VidaExpression* expressions,
                      vida_traced** traced, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  derivation work = {.system = system, .graph = system->graph, .kind = kind};
  vida_dependence found = {false, false, false, false, false};
  *traced = NULL;
  work.local = vida__allocate(n, sizeof *work.local);
  work.traced = create_traced(name, kind);
  int code = work.local && work.traced ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (size_t i = 0; i < n && !code; i++) {
    work.local[i] = -1;
  }
  for (int i = 0; i < count && coordinates && !code; i++) {
    work.local[coordinates[i]] = 0;
  }
  code = code ? code : freeze(&work, count, expressions);
  expressions = work.frozen;
  code = code ? code : find_inputs(&work, count, expressions, &found);
  code = code ? code : find_kinks(&work, count, expressions);
  code = code ? code : number_coordinates(&work);
  code = code ? code : make_variables(&work);
  if (code) {
    report(&work, code, name, error);
  } else {
    code = check_inputs(&work, name, &found, error);
    if (!code) {
      code = derive_kind(&work, count, coordinates, expressions, &found);
      code = code ? code : derive_switches(&work);
      code = code ? report(&work, code, name, error) : VIDA_SUCCESS;
    }
  }
  if (!code) {
    vida__lay_out_traced(work.traced);
    work.traced->base.timed = found.time;
    work.traced->base.bends_with_rates = work.kinks.rates;
    *traced = work.traced;
    work.traced = NULL;
  }
  release(&work);
  return code;
}
