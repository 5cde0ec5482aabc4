/* A differential-algebraic system F(t, y, y') = 0, integrated by IDA.
 *
 * The one place that knows IDA and its traps: a consistent start is the caller's (IDACalcIC cannot
 * find it for index 2 and 3), the first step is given, Newton's linear systems are reduced by the
 * caller to a smaller matrix of fixed pattern, states between IDA's steps are interpolated and do
 * not change them, messages are kept from the terminal. */
#ifndef VIDA_SOLVE_IDA_H
#define VIDA_SOLVE_IDA_H

#include <vida/error.h>

#include "base/linear.h"

typedef struct vida_ida_functions {
  /* r = F(t, y, dy): 0, > 0 (IDA tries a smaller step) or < 0 */
  int (*residual)(void* data, double t, const double* y, const double* dy, double* r);
  /* The reduced matrix of dF/dy + c dF/dy', its values in the order of the pattern; they are zero
   * on entry. */
  int (*jacobian)(void* data, double t, double c, const double* y, const double* dy,
                  double* matrix);
  /* The right side of the reduced system for that of the whole one, and x of the whole from the
   * solution of the reduced one; with the matrix of the last `jacobian`, and for the present c. */
  void (*reduce)(void* data, double c, const double* right_side, double* reduced);
  void (*expand)(void* data, double c, const double* right_side, const double* reduced, double* x);
  /* weight > 0: 1 / tolerance of each variable, for a step of size h from y */
  void (*weights)(void* data, double h, const double* y, double* weight);
  /* Whether to go on from the end of a step: 0, or what the advance fails with, and `error` then
   * says why. A step that was made cannot be taken back. */
  int (*accept)(void* data, double t, const double* y, VidaError* error);
} vida_ida_functions;

typedef struct vida_ida_options {
  double max_steps;        /* of one advance */
  double max_step;         /* s; infinity: no bound */
  int max_order;           /* of the formulas, 1 to 5 */
  double newton_share;     /* what Newton leaves, of the tolerance; 0: as IDA has it */
  bool suppress_algebraic; /* algebraic variables stay out of the error test */
  bool follows_c;          /* reduce and expand know what c has become since the last Jacobian */
  vida_solver linear_solver;
} vida_ida_options;

typedef struct vida_ida_counts {
  long steps, error_test_failures, convergence_failures, newton_iterations, residuals, jacobians,
      factorizations;
} vida_ida_counts;

typedef struct vida_ida vida_ida;

/* size: of y. `pattern` (of the reduced matrix) and data are kept. */
int vida__ida_create(SUNContext context, int size, const vida_pattern* pattern,
                     vida_ida_functions functions, void* data, vida_ida_options options,
                     vida_ida** ida, VidaError* error);
void vida__ida_destroy(vida_ida** ida);

/* y and y' (size each): filled by the caller before a start, and by Advance. */
double* vida__ida_values(vida_ida* ida);
double* vida__ida_rates(vida_ida* ida);
/* Whether variable i is in the error test when algebraic ones are not; set before a start. */
void vida__ida_set_differential(vida_ida* ida, int i, bool is_differential);

/* Begins at t with the values and rates. first_step: NaN leaves it to IDA. */
int vida__ida_start(vida_ida* ida, double t, double first_step, VidaError* error);
/* y and y' at t, which is later than before. A failure has IDA's flag, and `time` and `step` (both
 * nullable) say how far it came and with what step. */
int vida__ida_advance(vida_ida* ida, double t, double* time, double* step, VidaError* error);
/* Since the last Start. */
vida_ida_counts vida__ida_counts(const vida_ida* ida);

#endif
