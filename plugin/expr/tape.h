/* Tapes: expressions compiled to a list of instructions on slots.
 *
 * A tape is immutable, and threads may share it. Evaluations use the caller's memory and allocate
 * nothing. An evaluation computes one instance, or VIDA_LANES instances in parallel, with the same
 * results to the last bit. */
#ifndef VIDA_EXPR_TAPE_H
#define VIDA_EXPR_TAPE_H

#include "base/record.h"
#include "expr/graph.h"

enum { VIDA_LANES = 8 };

/* An instruction. */
typedef struct vida_instruction {
  int operation; /* vida_operation */
  int number;    /* of the node */
  int result;    /* a slot; never that of an operand */
  int operand[3];
} vida_instruction;

/* An input of a tape. */
typedef struct vida_tape_input {
  vida_input kind;
  int index;
} vida_tape_input;

/* A tape. Slots hold inputs, then constants, then intermediate results, which share slots. */
typedef struct vida_tape {
  int input_count, constant_count, slot_count, instruction_count, output_count;
  vida_tape_input* inputs;
  double* constants;
  vida_instruction* instructions;
  int* node;        /* input_count + instruction_count: node of each slot or instruction */
  int* output_slot; /* output_count */
  /* instruction_count: SQRT or LOG for a division that is its derivative; otherwise CONSTANT */
  unsigned char* derived;
} vida_tape;

/* The location of a failed evaluation: the first node in the order of evaluation without a finite
 * value. */
typedef struct vida_fault {
  int node;
  vida_operation operation;
  int lane;              /* 0 in scalar evaluation */
  vida_tape_input input; /* the input, if the operation is INPUT */
  const char* reason;    /* "division by zero", "an input that is not finite", ... */
  bool may_be_unchosen; /* the tape has a WHERE, and the failure may be in a branch that it does not
                           select */
} vida_fault;

/* Appends the instructions, inputs and constants of a tape to a record: what determines its values.
 */
void vida__tape_describe(const vida_tape* tape, vida_record* record);

/* Compiles `count` nodes; repeated nodes, inputs and constants are allowed. Fails with
 * VIDA_OUT_OF_MEMORY, VIDA_BAD_ARGUMENT for a node that does not exist, or the code of a negative
 * node. The tape does not refer to the graph. The caller frees *tape with vida__tape_destroy. */
int vida__tape_compile(const vida_graph* graph, int count, const int* output, vida_tape** tape);
/* Compiles as vida__tape_compile does, but takes the sines and cosines of positions as inputs of
 * the kinds SINE and COSINE, so that the caller can compute each of them once for many tapes. */
int vida__tape_compile_turned(const vida_graph* graph, int count, const int* output,
                              vida_tape** tape);
/* Frees a tape and sets *tape to NULL; NULL is allowed. */
void vida__tape_destroy(vida_tape** tape);

/* Returns the number of doubles of work space for one instance; VIDA_LANES instances need
 * VIDA_LANES times as many. */
size_t vida__tape_work_size(const vida_tape* tape);
/* Writes the constants to the work space, once before its first evaluation. Only one tape and one
 * thread at a time may use a work space. */
void vida__tape_prepare(const vida_tape* tape, double* work);
/* Writes the constants to a work space for VIDA_LANES instances. */
void vida__tape_prepare_lanes(const vida_tape* tape, double* work);

/* Evaluates a tape whose inputs are already in the first input_count slots of the work space, in
 * the order of `inputs`. Returns as vida__tape_evaluate does. */
int vida__tape_run(const vida_tape* tape, double* work, double* output, vida_fault* fault);
/* Evaluates VIDA_LANES instances whose inputs are already in the first input_count slots of the
 * work space, VIDA_LANES numbers per slot. Returns as vida__tape_evaluate does. */
int vida__tape_run_lanes(const vida_tape* tape, double* work, double* output, vida_fault* fault);

/* Evaluates a tape: the input (kind, index) is inputs[kind][index], and output[i] receives output
 * i. Pointers of kinds that do not occur may be NULL. Returns 0, or VIDA_NOT_FINITE if an operation
 * leaves its domain or any intermediate result is not finite; *fault (nullable) receives the
 * location, and output is then undefined. */
int vida__tape_evaluate(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                        double* work, double* output, vida_fault* fault);
/* Evaluates VIDA_LANES instances: the input (kind, index) of lane l is inputs[kind][index *
 * VIDA_LANES + l], and output[i * VIDA_LANES + l] receives output i of lane l. Lanes without an
 * instance should repeat another one. Returns as vida__tape_evaluate does. */
int vida__tape_evaluate_lanes(const vida_tape* tape, const double* const inputs[VIDA_INPUT_KINDS],
                              double* work, double* output, vida_fault* fault);

#endif
