#include "expr/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- compiling ---- */

/* The number of instructions that are searched for others of the same kind. */
enum { WINDOW = 256 };

/* Work space of the compiler; arrays have `size` elements, by node unless stated otherwise. */
typedef struct tape_compiler {
  const vida_graph* graph;
  vida_tape* tape;
  int size;
  bool is_turned; /* sines and cosines of positions are inputs */
  bool* needed;
  bool* done;    /* is in `order`, or an input or a constant */
  int* order;    /* by instruction: its node */
  int* last_use; /* the last instruction that reads the node; `size` for outputs */
  int* slot;
  int* free_slots;
  int free_count;
} tape_compiler;

static int arity_of(const vida_node* node) {
  return vida__operations[node->operation].arity;
}

/* The largest node + 1; negative for a node that does not exist. */
static int find_size(const vida_graph* graph, int count, const int* output) {
  int size = 0;
  for (int i = 0; i < count; i++) {
    if (output[i] < 0 || output[i] >= graph->count) {
      return output[i] < 0 ? output[i] : VIDA_BAD_ARGUMENT;
    }
    size = output[i] >= size ? output[i] + 1 : size;
  }
  return size;
}

static bool is_position(const vida_node* node) {
  return node->operation == VIDA_OP_INPUT && node->number == VIDA_INPUT_POSITION;
}

static bool is_turn(const tape_compiler* compiler, const vida_node* node) {
  return compiler->is_turned &&
         (node->operation == VIDA_OP_SIN || node->operation == VIDA_OP_COS) &&
         is_position(&compiler->graph->nodes[node->operand[0]]);
}

static bool is_input(const tape_compiler* compiler, const vida_node* node) {
  return node->operation == VIDA_OP_INPUT || is_turn(compiler, node);
}

static bool is_leaf(const tape_compiler* compiler, const vida_node* node) {
  return node->operation == VIDA_OP_CONSTANT || is_input(compiler, node);
}

static vida_tape_input input_of(const tape_compiler* compiler, const vida_node* node) {
  const int index = is_turn(compiler, node) ? compiler->graph->nodes[node->operand[0]].operand[0]
                                            : node->operand[0];
  const vida_input kind = node->operation == VIDA_OP_SIN   ? VIDA_INPUT_SINE
                          : node->operation == VIDA_OP_COS ? VIDA_INPUT_COSINE
                                                           : (vida_input)node->number;
  return (vida_tape_input){kind, index};
}

/* Marks the nodes that the outputs need, and counts inputs, constants and instructions. */
static void find_needed(tape_compiler* compiler, int count, const int* output) {
  vida_tape* tape = compiler->tape;
  for (int i = 0; i < count; i++) {
    compiler->needed[output[i]] = true;
  }
  for (int i = compiler->size - 1; i >= 0; i--) {
    if (!compiler->needed[i]) {
      continue;
    }
    const vida_node* node = &compiler->graph->nodes[i];
    compiler->done[i] = is_leaf(compiler, node);
    tape->input_count += is_input(compiler, node);
    tape->constant_count += node->operation == VIDA_OP_CONSTANT;
    tape->instruction_count += !compiler->done[i];
    for (int k = 0; k < arity_of(node) && !compiler->done[i]; k++) {
      compiler->needed[node->operand[k]] = true;
    }
  }
}

/* Processors predict the next instruction of an evaluator well if it is of the same kind:
 * instructions of one kind that are near each other are put in sequence. */

static bool is_ready(const tape_compiler* compiler, int i) {
  const vida_node* node = &compiler->graph->nodes[i];
  for (int k = 0; k < arity_of(node); k++) {
    if (!compiler->done[node->operand[k]]) {
      return false;
    }
  }
  return true;
}

/* Appends to the order the ready nodes of the kind of the first node in the window, which has
 * `length` nodes; returns how many nodes remain. */
static int order_one_kind(tape_compiler* compiler, int* window, int length, int* position) {
  const vida_operation kind = compiler->graph->nodes[window[0]].operation;
  int left = 0;
  for (int i = 0; i < length; i++) {
    const int node = window[i];
    if (compiler->graph->nodes[node].operation == kind && is_ready(compiler, node)) {
      compiler->done[node] = true;
      compiler->order[(*position)++] = node;
    } else {
      window[left++] = node;
    }
  }
  return left;
}

static void order_instructions(tape_compiler* compiler) {
  int window[WINDOW];
  int length = 0, next = 0, position = 0;
  while (position < compiler->tape->instruction_count) {
    for (; length < WINDOW && next < compiler->size; next++) {
      if (compiler->needed[next] && !compiler->done[next]) {
        window[length++] = next;
      }
    }
    length = order_one_kind(compiler, window, length, &position);
  }
}

static void find_last_uses(tape_compiler* compiler, int count, const int* output) {
  for (int i = 0; i < compiler->tape->instruction_count; i++) {
    const vida_node* node = &compiler->graph->nodes[compiler->order[i]];
    for (int k = 0; k < arity_of(node); k++) {
      compiler->last_use[node->operand[k]] = i;
    }
  }
  for (int i = 0; i < count; i++) {
    compiler->last_use[output[i]] = compiler->size;
  }
}

static int allocate_tape(vida_tape* tape, int output_count) {
  tape->output_count = output_count;
  tape->inputs = vida__allocate((size_t)tape->input_count, sizeof *tape->inputs);
  tape->constants = vida__allocate((size_t)tape->constant_count, sizeof *tape->constants);
  tape->instructions = vida__allocate((size_t)tape->instruction_count, sizeof *tape->instructions);
  tape->node = vida__allocate((size_t)tape->input_count + (size_t)tape->instruction_count,
                              sizeof *tape->node);
  tape->output_slot = vida__allocate((size_t)output_count, sizeof *tape->output_slot);
  tape->derived = vida__allocate((size_t)tape->instruction_count, sizeof *tape->derived);
  return tape->inputs && tape->constants && tape->instructions && tape->node && tape->output_slot &&
                 tape->derived
             ? VIDA_SUCCESS
             : VIDA_OUT_OF_MEMORY;
}

/* Inputs and constants have separate slots. */
static void place_leaves(tape_compiler* compiler) {
  vida_tape* tape = compiler->tape;
  int inputs = 0, constants = 0;
  for (int i = 0; i < compiler->size; i++) {
    const vida_node* node = &compiler->graph->nodes[i];
    if (!compiler->needed[i]) {
      continue;
    }
    if (is_input(compiler, node)) {
      tape->inputs[inputs] = input_of(compiler, node);
      tape->node[inputs] = i;
      compiler->slot[i] = inputs++;
    } else if (node->operation == VIDA_OP_CONSTANT) {
      tape->constants[constants] = node->constant;
      compiler->slot[i] = tape->input_count + constants++;
    }
  }
  tape->slot_count = inputs + constants;
}

static int take_slot(tape_compiler* compiler) {
  return compiler->free_count ? compiler->free_slots[--compiler->free_count]
                              : compiler->tape->slot_count++;
}

/* Slots of operands that instruction i reads for the last time become free. */
static void release_operands(tape_compiler* compiler, int i) {
  const vida_node* node = &compiler->graph->nodes[compiler->order[i]];
  for (int k = 0; k < arity_of(node); k++) {
    const int operand = node->operand[k];
    if (compiler->last_use[operand] == i && !is_leaf(compiler, &compiler->graph->nodes[operand])) {
      compiler->free_slots[compiler->free_count++] = compiler->slot[operand];
      compiler->last_use[operand] = -1; /* once, where an operand is repeated */
    }
  }
}

static vida_instruction make_instruction(const tape_compiler* compiler, int i) {
  const vida_node* node = &compiler->graph->nodes[i];
  vida_instruction instruction = {(int)node->operation, node->number, compiler->slot[i], {0, 0, 0}};
  for (int k = 0; k < arity_of(node); k++) {
    instruction.operand[k] = compiler->slot[node->operand[k]];
  }
  if (node->operation == VIDA_OP_POWER_INTEGER && node->number == 2) {
    instruction.operation = VIDA_OP_MULTIPLY; /* the value in a vectorized loop */
    instruction.operand[1] = instruction.operand[0];
  }
  return instruction;
}

static void place_instructions(tape_compiler* compiler) {
  vida_tape* tape = compiler->tape;
  for (int i = 0; i < tape->instruction_count; i++) {
    const int node = compiler->order[i];
    compiler->slot[node] = take_slot(compiler);
    tape->instructions[i] = make_instruction(compiler, node);
    tape->node[tape->input_count + i] = node;
    release_operands(compiler, i);
  }
}

/* Divisions by a root, and by the operand of a logarithm in the graph. */
static void find_derived(tape_compiler* compiler) {
  const vida_graph* graph = compiler->graph;
  vida_tape* tape = compiler->tape;
  bool* has_logarithm = compiler->needed; /* is free by now */
  memset(has_logarithm, 0, (size_t)compiler->size * sizeof *has_logarithm);
  for (int i = 0; i < compiler->size; i++) {
    if (graph->nodes[i].operation == VIDA_OP_LOG) {
      has_logarithm[graph->nodes[i].operand[0]] = true;
    }
  }
  for (int i = 0; i < tape->instruction_count; i++) {
    const vida_node* node = &graph->nodes[compiler->order[i]];
    if (node->operation == VIDA_OP_DIVIDE) {
      const int divisor = node->operand[1];
      tape->derived[i] = graph->nodes[divisor].operation == VIDA_OP_SQRT ? VIDA_OP_SQRT
                         : has_logarithm[divisor]                        ? VIDA_OP_LOG
                                                                         : VIDA_OP_CONSTANT;
    }
  }
}

static int allocate_compiler(tape_compiler* compiler) {
  const size_t size = (size_t)compiler->size;
  compiler->needed = vida__allocate(size, sizeof *compiler->needed);
  compiler->done = vida__allocate(size, sizeof *compiler->done);
  compiler->order = vida__allocate(size, sizeof *compiler->order);
  compiler->last_use = vida__allocate(size, sizeof *compiler->last_use);
  compiler->slot = vida__allocate(size, sizeof *compiler->slot);
  compiler->free_slots = vida__allocate(size, sizeof *compiler->free_slots);
  return compiler->needed && compiler->done && compiler->order && compiler->last_use &&
                 compiler->slot && compiler->free_slots
             ? VIDA_SUCCESS
             : VIDA_OUT_OF_MEMORY;
}

static void free_compiler(tape_compiler* compiler) {
  free(compiler->needed);
  free(compiler->done);
  free(compiler->order);
  free(compiler->last_use);
  free(compiler->slot);
  free(compiler->free_slots);
}

static int compile(tape_compiler* compiler, int count, const int* output) {
  int code = allocate_compiler(compiler);
  if (code) {
    return code;
  }
  find_needed(compiler, count, output);
  code = allocate_tape(compiler->tape, count);
  if (code) {
    return code;
  }
  order_instructions(compiler);
  find_last_uses(compiler, count, output);
  place_leaves(compiler);
  place_instructions(compiler);
  find_derived(compiler);
  for (int i = 0; i < count; i++) {
    compiler->tape->output_slot[i] = compiler->slot[output[i]];
  }
  return VIDA_SUCCESS;
}

static int compile_new(const vida_graph* graph, int count, const int* output, bool is_turned,
                       vida_tape** tape) {
  *tape = NULL;
  tape_compiler compiler = {
      .graph = graph, .size = find_size(graph, count, output), .is_turned = is_turned};
  if (compiler.size < 0) {
    return compiler.size;
  }
  compiler.tape = vida__allocate(1, sizeof *compiler.tape);
  const int code = compiler.tape ? compile(&compiler, count, output) : VIDA_OUT_OF_MEMORY;
  free_compiler(&compiler);
  if (code) {
    vida__tape_destroy(&compiler.tape);
  }
  *tape = compiler.tape;
  return code;
}

int vida__tape_compile(const vida_graph* graph, int count, const int* output, vida_tape** tape) {
  return compile_new(graph, count, output, false, tape);
}

int vida__tape_compile_turned(const vida_graph* graph, int count, const int* output,
                              vida_tape** tape) {
  return compile_new(graph, count, output, true, tape);
}

void vida__tape_destroy(vida_tape** tape) {
  if (!tape || !*tape) {
    return;
  }
  free((*tape)->inputs);
  free((*tape)->constants);
  free((*tape)->instructions);
  free((*tape)->node);
  free((*tape)->output_slot);
  free((*tape)->derived);
  free(*tape);
  *tape = NULL;
}

/* ---- evaluating ---- */

/* Every operation except those that HIDE it passes a result that is not finite on to the outputs:
 * so it suffices to check their operands and the outputs. Anything times 0 that is not finite is
 * NaN, and a sum stays NaN. */
#define CHECK_PASSES_0(check)
#define CHECK_PASSES_1(check)
#define CHECK_PASSES_2(check)
#define CHECK_HIDES_1(check) check += 0.0 * a
#define CHECK_HIDES_2(check) check += 0.0 * a + 0.0 * b
#define CHECK_HIDES_3(check) check += 0.0 * a + 0.0 * b + 0.0 * c

/* Runs instructions first..last-1; NaN when one of them may hide a value that is not finite. */
static double run(const vida_tape* tape, int first, int last, double* work) {
  double check = 0.0;
  const vida_instruction* at = tape->instructions + first;
  const vida_instruction* const end = tape->instructions + last;
  while (at < end) {
    switch (at->operation) {
#define CASE(name, lua, arity, order, finite, value, ...)              \
  case VIDA_OP_##name:                                                 \
    do {                                                               \
      const double a = work[at->operand[0]], b = work[at->operand[1]]; \
      const double c = work[at->operand[2]];                           \
      const int n = at->number;                                        \
      (void)a, (void)b, (void)c, (void)n;                              \
      CHECK_##finite##_##arity(check);                                 \
      work[at->result] = value;                                        \
    } while (++at < end && at->operation == VIDA_OP_##name);           \
    break;
      VIDA_OPERATION_LIST(CASE)
#undef CASE
      default:
        return (double)NAN; /* no such operation */
    }
  }
  return check;
}

/* One operation in lanes. It is a function because compilers assume that its parameters do not
 * alias; its loop then becomes vector instructions where the value is arithmetic. */
#define LANES(name, lua, arity, order, finite, value, ...)                                    \
  static void lanes_of_##name(const double* restrict a_lanes, const double* restrict b_lanes, \
                              const double* restrict c_lanes, int n, double* restrict result, \
                              double* restrict check) {                                       \
    (void)n, (void)check;                                                                     \
    for (int lane = 0; lane < VIDA_LANES; lane++) {                                           \
      const double a = a_lanes[lane], b = b_lanes[lane], c = c_lanes[lane];                   \
      (void)a, (void)b, (void)c;                                                              \
      CHECK_##finite##_##arity(check[lane]);                                                  \
      result[lane] = value;                                                                   \
    }                                                                                         \
  }
VIDA_OPERATION_LIST(LANES)
#undef LANES

/* Runs instructions in lanes; check has VIDA_LANES elements. */
static void run_lanes(const vida_tape* tape, int first, int last, double* work, double* check) {
  const vida_instruction* at = tape->instructions + first;
  const vida_instruction* const end = tape->instructions + last;
  while (at < end) {
    switch (at->operation) {
#define CASE(name, ...)                                             \
  case VIDA_OP_##name:                                              \
    do {                                                            \
      const double* a = work + (size_t)at->operand[0] * VIDA_LANES; \
      const double* b = work + (size_t)at->operand[1] * VIDA_LANES; \
      const double* c = work + (size_t)at->operand[2] * VIDA_LANES; \
      double* result = work + (size_t)at->result * VIDA_LANES;      \
      lanes_of_##name(a, b, c, at->number, result, check);          \
    } while (++at < end && at->operation == VIDA_OP_##name);        \
    break;
      VIDA_OPERATION_LIST(CASE)
#undef CASE
      default:
        check[0] = (double)NAN; /* no such operation */
        return;
    }
  }
}

size_t vida__tape_work_size(const vida_tape* tape) {
  return (size_t)tape->slot_count;
}

void vida__tape_prepare(const vida_tape* tape, double* work) {
  memcpy(work + tape->input_count, tape->constants,
         (size_t)tape->constant_count * sizeof *tape->constants);
}

void vida__tape_prepare_lanes(const vida_tape* tape, double* work) {
  double* lanes = work + (size_t)tape->input_count * VIDA_LANES;
  for (int i = 0; i < tape->constant_count; i++) {
    for (int lane = 0; lane < VIDA_LANES; lane++) {
      *lanes++ = tape->constants[i];
    }
  }
}

/* ---- faults ---- */

/* Locates the fault of a failed evaluation: inputs and constants are still in their slots, so that
 * it can be repeated with a check of each result. `width` is 1 or VIDA_LANES. */
static int find_bad_input(const vida_tape* tape, const double* work, int width, vida_fault* fault) {
  for (int i = 0; i < tape->input_count * width; i++) {
    if (!isfinite(work[i])) {
      fault->node = tape->node[i / width];
      fault->operation = VIDA_OP_INPUT;
      fault->input = tape->inputs[i / width];
      fault->lane = i % width;
      fault->reason = "an input that is not finite";
      fault->may_be_unchosen = false;
      return 1;
    }
  }
  return 0;
}

static int find_bad_lane(const double* result, int width) {
  for (int lane = 0; lane < width; lane++) {
    if (!isfinite(result[lane])) {
      return lane;
    }
  }
  return -1;
}

/* Who wrote sqrt or log looks for no division. */
static const char* name_division(int derived, const char* reason) {
  return derived == VIDA_OP_SQRT
             ? "division by zero, as in the derivative of sqrt at 0 (of asin and acos at 1)"
         : derived == VIDA_OP_LOG ? "division by zero, as in the derivative of log at 0"
                                  : reason;
}

static void find_bad_result(const vida_tape* tape, double* work, int width, vida_fault* fault) {
  for (int i = 0; i < tape->instruction_count; i++) {
    const vida_instruction* at = &tape->instructions[i];
    double check[VIDA_LANES] = {0.0};
    if (width == 1) {
      run(tape, i, i + 1, work);
    } else {
      run_lanes(tape, i, i + 1, work, check);
    }
    const int lane = find_bad_lane(work + (size_t)at->result * (size_t)width, width);
    if (lane < 0) {
      continue;
    }
    double operand[3];
    for (int k = 0; k < 3; k++) {
      operand[k] = work[at->operand[k] * width + lane];
    }
    fault->node = tape->node[tape->input_count + i];
    fault->operation = (vida_operation)at->operation;
    fault->lane = lane;
    fault->reason =
        vida__fault_reason(fault->operation, at->number, operand[0], operand[1], operand[2]);
    if (fault->operation == VIDA_OP_DIVIDE && operand[1] == 0.0) {
      fault->reason = name_division(tape->derived[i], fault->reason);
    }
    fault->may_be_unchosen = false;
    for (int k = 0; k < tape->instruction_count; k++) {
      fault->may_be_unchosen |= tape->instructions[k].operation == VIDA_OP_WHERE;
    }
    return;
  }
}

static int locate_fault(const vida_tape* tape, double* work, int width, vida_fault* fault) {
  if (fault && !find_bad_input(tape, work, width, fault)) {
    find_bad_result(tape, work, width, fault);
  }
  return VIDA_NOT_FINITE;
}

int vida__tape_run(const vida_tape* tape, double* work, double* output, vida_fault* fault) {
  double check = run(tape, 0, tape->instruction_count, work);
  for (int i = 0; i < tape->output_count; i++) {
    output[i] = work[tape->output_slot[i]];
    check += 0.0 * output[i];
  }
  return check == 0.0 ? VIDA_SUCCESS : locate_fault(tape, work, 1, fault);
}

int vida__tape_run_lanes(const vida_tape* tape, double* work, double* output, vida_fault* fault) {
  double check[VIDA_LANES] = {0.0};
  run_lanes(tape, 0, tape->instruction_count, work, check);
  for (int i = 0; i < tape->output_count; i++) {
    const double* restrict value = work + (size_t)tape->output_slot[i] * VIDA_LANES;
    double* restrict result = output + (size_t)i * VIDA_LANES;
    for (int lane = 0; lane < VIDA_LANES; lane++) {
      result[lane] = value[lane];
      check[lane] += 0.0 * value[lane];
    }
  }
  double sum = 0.0;
  for (int lane = 0; lane < VIDA_LANES; lane++) {
    sum += check[lane];
  }
  return sum == 0.0 ? VIDA_SUCCESS : locate_fault(tape, work, VIDA_LANES, fault);
}

int vida__tape_evaluate(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                        double* work, double* output, vida_fault* fault) {
  for (int i = 0; i < tape->input_count; i++) {
    work[i] = inputs[tape->inputs[i].kind][tape->inputs[i].index];
  }
  return vida__tape_run(tape, work, output, fault);
}

int vida__tape_evaluate_lanes(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                              double* work, double* output, vida_fault* fault) {
  for (int i = 0; i < tape->input_count; i++) {
    memcpy(work + (size_t)i * VIDA_LANES,
           inputs[tape->inputs[i].kind] + (size_t)tape->inputs[i].index * VIDA_LANES,
           VIDA_LANES * sizeof *work);
  }
  return vida__tape_run_lanes(tape, work, output, fault);
}

/* ---- describing ---- */

void vida__tape_describe(const vida_tape* tape, vida_record* record) {
  for (int i = 0; i < tape->input_count; i++) {
    vida__put_integer(record, (int64_t)tape->inputs[i].kind);
    vida__put_integer(record, tape->inputs[i].index);
  }
  vida__put_reals(record, (size_t)tape->constant_count, tape->constants);
  for (int i = 0; i < tape->instruction_count; i++) {
    const vida_instruction* each = &tape->instructions[i];
    vida__put_integer(record, each->operation);
    vida__put_integer(record, each->number);
    vida__put_integer(record, each->result);
    for (int k = 0; k < 3; k++) {
      vida__put_integer(record, each->operand[k]);
    }
  }
  for (int i = 0; i < tape->output_count; i++) {
    vida__put_integer(record, tape->output_slot[i]);
  }
}
