/* Terms and constraints given as expressions: tapes behind the kernels of this room. */
#ifndef VIDA_SYSTEM_TRACED_H
#define VIDA_SYSTEM_TRACED_H

#include <stdbool.h>

#include "expr/tape.h"
#include "system/kernel.h"

enum vida_tape_kind {
  VIDA_TAPE_VALUE,
  VIDA_TAPE_GRADIENT, /* terms: L_q, then L_v; constraints: G */
  VIDA_TAPE_HESSIAN,  /* terms: qq, qv, vq, vv by entry of the block; constraints: lambda g_qq */
  VIDA_TAPE_RATE,     /* constraints: g_t */
  /* The discrete derivative between POSITION and SECOND_POSITION, and its derivative with respect
   * to the second, by entry of the block; NULL where it has none. */
  VIDA_TAPE_DISCRETE_GRADIENT,
  VIDA_TAPE_DISCRETE_HESSIAN,
  VIDA_TAPE_KINDS
};

/* What a traced batch owns in `functions`. */
typedef struct vida_traced {
  vida_functions base;
  vida_tape* tape[VIDA_TAPE_KINDS];    /* NULL where there is nothing to evaluate */
  size_t work_offset[VIDA_TAPE_KINDS]; /* of its work in an evaluator's tapes */
  size_t output_offset;                /* of room for its outputs */
  int* block_row;                      /* the lists of the batch's block */
  int* block_column;
} vida_traced;

/* The plain ones have no discrete derivative. */
extern const vida_term_kernel vida__traced_lagrangian, vida__traced_potential,
    vida__traced_plain_potential;
extern const vida_constraint_kernel vida__traced_constraint, vida__traced_plain_constraint;

#endif
