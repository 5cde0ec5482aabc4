/* Tapes: expressions compiled into a list of instructions over a few slots.
 *
 * A tape is immutable and may be shared by threads; evaluating works in the caller's memory and
 * allocates nothing. One evaluation at a time, or VIDA_LANES of them side by side, each with the
 * same result to the bit. */
#ifndef VIDA_EXPR_TAPE_H
#define VIDA_EXPR_TAPE_H

#include "expr/graph.h"

enum { VIDA_LANES = 8 };

typedef struct vida_instruction {
  int operation; /* vida_operation */
  int number;    /* of the node */
  int result;    /* slots; result is never an operand */
  int operand[3];
} vida_instruction;

typedef struct vida_tape_input {
  vida_input kind;
  int index;
} vida_tape_input;

/* Slots hold inputs, then constants, then intermediate results, which share slots. */
typedef struct vida_tape {
  int input_count, constant_count, slot_count, instruction_count, output_count;
  vida_tape_input* inputs;
  double* constants;
  vida_instruction* instructions;
  int* node;        /* input_count + instruction_count: what slot or instruction computes */
  int* output_slot; /* output_count */
  /* instruction_count: of a division that the derivative of sqrt or log has, this; else CONSTANT */
  unsigned char* derived;
} vida_tape;

/* The location of a failed evaluation: the first node, in the order of evaluation, without a finite
 * value. */
typedef struct vida_fault {
  int node;
  vida_operation operation;
  int lane;              /* 0 in scalar evaluation */
  vida_tape_input input; /* which one, where the operation is INPUT */
  const char* reason;    /* "division by zero", "an input that is not finite", ... */
  bool may_be_unchosen;  /* the tape has a WHERE: the failure may be in a branch that it does not
                            choose */
} vida_fault;

/* Compiles the nodes `output` (count of them; repeated ones, inputs and constants are allowed).
 * Fails with VIDA_OUT_OF_MEMORY, VIDA_BAD_ARGUMENT for a node that does not exist, or the code that
 * a negative node is. The graph is not needed afterwards. */
int vida__tape_compile(const vida_graph* graph, int count, const int* output, vida_tape** tape);
void vida__tape_destroy(vida_tape** tape);

/* The number of doubles of work space for one evaluation; VIDA_LANES times as many for lanes. */
size_t vida__tape_work_size(const vida_tape* tape);
/* Writes the constants into a work space: once, before its first evaluation. A work space serves
 * one tape and one thread at a time. */
void vida__tape_prepare(const vida_tape* tape, double* work);
void vida__tape_prepare_lanes(const vida_tape* tape, double* work);

/* Evaluates a tape whose inputs the caller has put into the first input_count slots of the work
 * space (of lanes: VIDA_LANES numbers a slot), in the order of `inputs`; results as below. */
int vida__tape_run(const vida_tape* tape, double* work, double* output, vida_fault* fault);
int vida__tape_run_lanes(const vida_tape* tape, double* work, double* output, vida_fault* fault);

/* output[i] = value of output i, where the input (kind, index) is inputs[kind][index]; pointers of
 * kinds that do not occur may be NULL. 0, or VIDA_NOT_FINITE with *fault (nullable) filled when an
 * operation leaves its domain or any intermediate result is not finite; output is then undefined.
 */
int vida__tape_evaluate(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                        double* work, double* output, vida_fault* fault);
/* Evaluates VIDA_LANES instances: input (kind, index) of lane l is inputs[kind][index * VIDA_LANES
 * + l], output i of lane l is output[i * VIDA_LANES + l]. Lanes without an instance should repeat
 * another one. Returns as vida__tape_evaluate does. */
int vida__tape_evaluate_lanes(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                              double* work, double* output, vida_fault* fault);

#endif
