/* A differential-algebraic system F(t, y, y') = 0, integrated by IDA.
 *
 * Only ida.c uses IDA. The caller provides consistent initial values (IDACalcIC cannot compute them
 * for index 2 and 3), the first step, and the reduction of the linear systems of Newton's method to
 * a smaller matrix of fixed pattern. States between the steps of IDA are interpolated and do not
 * change the steps; messages do not reach the terminal. */
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
  /* The right-hand side of the reduced system from that of the whole one, and the solution of the
   * whole system from that of the reduced one, with the matrix of the last `jacobian` and for the
   * present c. */
  void (*reduce)(void* data, double c, const double* right_side, double* reduced);
  void (*expand)(void* data, double c, const double* right_side, const double* reduced, double* x);
  /* weight > 0: 1 / tolerance of each variable, for a step of size h from y */
  void (*weights)(void* data, double h, const double* y, double* weight);
  /* Called at the end of a step: returns 0 to continue, or the code with which the advance fails,
   * and `error` then has the reason. The step cannot be undone. */
  int (*accept)(void* data, double t, const double* y, VidaError* error);
} vida_ida_functions;

typedef struct vida_ida_options {
  double max_steps;    /* of one advance */
  double max_step;     /* s; infinity: no bound */
  int max_order;       /* of the formulas, 1 to 5 */
  double newton_share; /* residual of Newton's method as a fraction of the tolerance; 0: the default
                          of IDA */
  bool suppress_algebraic; /* algebraic variables are excluded from the error test */
  bool follows_c;          /* reduce and expand account for changes of c since the last Jacobian */
  vida_solver linear_solver;
} vida_ida_options;

typedef struct vida_ida_counts {
  long steps, error_test_failures, convergence_failures, newton_iterations, residuals, jacobians,
      factorizations;
} vida_ida_counts;

typedef struct vida_ida vida_ida;

/* Creates a solver for `size` variables. `pattern` (of the reduced matrix) and `data` must outlive
 * it. */
int vida__ida_create(SUNContext context, int size, const vida_pattern* pattern,
                     vida_ida_functions functions, void* data, vida_ida_options options,
                     vida_ida** ida, VidaError* error);
void vida__ida_destroy(vida_ida** ida);

/* y and y' (size each): the caller fills them before a start, and Advance fills them. */
double* vida__ida_values(vida_ida* ida);
double* vida__ida_rates(vida_ida* ida);
/* Whether variable i stays in the error test when algebraic ones are excluded; set before a start.
 */
void vida__ida_set_differential(vida_ida* ida, int i, bool is_differential);

/* Starts at t from the values of y and y'. first_step: NaN leaves it to IDA. */
int vida__ida_start(vida_ida* ida, double t, double first_step, VidaError* error);
/* Advances y and y' to t, later than before. A failure has the flag of IDA; `time` and `step` (both
 * nullable) receive the time and the step that it reached. */
int vida__ida_advance(vida_ida* ida, double t, double* time, double* step, VidaError* error);
/* Since the last Start. */
vida_ida_counts vida__ida_counts(const vida_ida* ida);

#endif
