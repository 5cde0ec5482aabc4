/* Terms and constraints given as expressions: kernels whose functions are tapes. */
#ifndef VIDA_SYSTEM_TERMS_TRACED_H
#define VIDA_SYSTEM_TERMS_TRACED_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "expr/tape.h"
#include "expr/time_conditions.h"
#include "system/model/kernel.h"

/* The tapes of a traced term. "By entry" means one output for each of a list of second derivatives.
 */
enum vida_tape_kind {
  VIDA_TAPE_VALUE,    /* L, g, a nonholonomic row, an observable */
  VIDA_TAPE_GRADIENT, /* L_q, then L_v; V_q of potentials; forces; G; A */
  VIDA_TAPE_SECOND,   /* derivatives of these, by entry */
  VIDA_TAPE_RATE,     /* g_t; b of a nonholonomic row; L_t */
  /* The discrete derivative between POSITION and SECOND_POSITION, and its derivatives with respect
   * to the second (for Lagrangians also to the rates), by entry. NULL if there is none. */
  VIDA_TAPE_DISCRETE_GRADIENT,
  VIDA_TAPE_DISCRETE_SECOND,
  /* The discrete derivative with respect to positions and rates, D_q and then D_v: of L, or of the
   * rate G v of a constraint; and, for Lagrangians, its derivatives with respect to the second
   * positions and rates, by entry. NULL if there is none. */
  VIDA_TAPE_JOINT_GRADIENT,
  VIDA_TAPE_JOINT_SECOND,
  VIDA_TAPE_BIAS,           /* see the member `bias` of kernels (kernel.h) */
  VIDA_TAPE_VALUE_GRADIENT, /* (G v + g_t)_q; a_q of a nonholonomic row */
  VIDA_TAPE_MASS,           /* the diagonal of L_vv */
  VIDA_TAPE_MASS_BLOCK,     /* L_vv, by entry: those of SECOND. NULL if SECOND has no others */
  /* The switches of state (expr/state_switches.h) in GRADIENT, and GRADIENT as a function of them:
   * AUXILIARY inputs. NULL if there are none. */
  VIDA_TAPE_SWITCHES,
  VIDA_TAPE_SWITCHED,
  VIDA_TAPE_BY_MULTIPLIERS, /* of a force, by entry (vida_functions.multiplier_place) */
  VIDA_TAPE_KINDS
};

/* The kind of second derivative of an entry: by q and q, by q and v, ... in the order of
 * vida_hessian_weights. */
typedef enum vida_second_kind {
  VIDA_SECOND_QQ,
  VIDA_SECOND_QV,
  VIDA_SECOND_VQ,
  VIDA_SECOND_VV
} vida_second_kind;

/* The functions that traced batches share. Exactly one of `term` and `constraint` is set. */
typedef struct vida_traced {
  vida_functions base;
  const vida_term_kernel* term; /* the kernel of a term; NULL for a constraint */
  const vida_constraint_kernel* constraint;
  int width;
  int* index; /* width: coordinates of the system or element in which it was derived */
  vida_tape* tape[VIDA_TAPE_KINDS]; /* NULL: nothing to evaluate */
  vida_conditions* conditions;      /* conditions of time; NULL: none */
  bool* wraps;                      /* for each output of SWITCHES (expr/state_switches.h) */
  size_t
      work_offset[VIDA_TAPE_KINDS + 1]; /* offset of the slots of each tape; last: of the results */
  /* For each entry of SECOND, DISCRETE_SECOND and JOINT_SECOND: its index in the block, and its
   * kind. */
  int* second_place;
  int* second_kind;
  int* mass_place; /* for each entry of MASS_BLOCK: its index in the block */
  int mass_count;  /* of entries of L_vv */
  int* discrete_place;
  int* discrete_kind; /* VIDA_SECOND_QQ or VIDA_SECOND_QV */
  int* joint_place;
  int* joint_kind;
  int block_count;
  int* block_row; /* the lists of the batch's block */
  int* block_column;
} vida_traced;

/* The kernels of expressions; those named `plain` have no discrete derivative. */
extern const vida_term_kernel vida__traced_lagrangian, vida__traced_plain_lagrangian,
    vida__traced_joint_lagrangian, vida__traced_potential, vida__traced_plain_potential,
    vida__traced_mass, vida__traced_kinetic, vida__traced_force, vida__traced_reactive_force,
    vida__traced_observable;
extern const vida_constraint_kernel vida__traced_constraint, vida__traced_smooth,
    vida__traced_quadratic, vida__traced_driven, vida__traced_plain_constraint,
    vida__traced_nonholonomic;

/* Returns whether a potential is linear in the coordinates, as gravity is, by its form: its
 * discrete derivative is then the same everywhere. */
bool vida__traced_is_linear(const vida_term_batch* batch);
/* Returns whether the rows of a batch are entire functions of the positions at each time: sums and
 * products of coordinates, sines and cosines. Such a row has no jumps and no kinks. False if this
 * is not known. */
bool vida__traced_is_entire(const vida_constraint_batch* batch);
/* Returns whether the rows of a batch may jump between places where both they and their gradients
 * are finite: expressions with comparisons, angles of vectors, or arc tangents of quotients. */
bool vida__traced_may_jump(const vida_constraint_batch* batch);
/* Evaluates the tape SWITCHES of a batch for instance i or, if i is negative, for all instances in
 * order. */
int vida__traced_switches(const vida_term_batch* batch, int i, const vida_place* at,
                          double* switches);
/* Evaluates the gradient of instance i with these switches (the tape SWITCHED). */
int vida__traced_switched(const vida_term_batch* batch, int i, const vida_place* at,
                          const double* switches, double* values);

/* Prepares the angles, sines and cosines in the work space of an evaluator. They stay between
 * evaluations, so that each sine and cosine of a position is computed once for all tapes that are
 * evaluated there. */
void vida__prepare_turns(const VidaSystem* system, double* tapes);
/* Returns the sine and the cosine of a position, which are computed when it has changed, be it to a
 * zero of the other sign. `turns` are the prepared ones in the work space. */
static inline const double* vida__find_turn(double* turns, const double* q, int coordinate) {
  double* turn = turns + 3 * (size_t)coordinate;
  const double* angle = &q[coordinate];
  if (memcmp(turn, angle, sizeof *turn) != 0) {
    turn[0] = *angle;
    turn[1] = sin(*angle);
    turn[2] = cos(*angle);
  }
  return turn + 1;
}

/* Assigns the work space of all tapes, after they have been compiled. */
void vida__lay_out_traced(vida_traced* traced);
/* The `work_size` of traced functions. */
size_t vida__traced_work_size(const vida_functions* functions, bool in_lanes);
/* The `prepare` of traced functions. */
void vida__prepare_traced(const vida_functions* functions, bool in_lanes, double* work);
/* Appends the tapes to a record. */
void vida__describe_traced(const vida_functions* functions, vida_record* record);

#endif
