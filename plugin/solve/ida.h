/* A differential-algebraic system F(t, y, y') = 0, integrated by IDA.
 *
 * Only ida.c uses IDA. The caller provides consistent initial values (IDACalcIC cannot compute them
 * for index 2 and 3), the first step, and the reduction of the linear systems of Newton's method to
 * a smaller matrix of fixed pattern. Between the steps of IDA, states are interpolated, which does
 * not change the steps. Messages of IDA do not reach the terminal. */
#ifndef VIDA_SOLVE_IDA_H
#define VIDA_SOLVE_IDA_H

#include <vida/error.h>

#include "base/given_solver.h"

/* The functions that IDA evaluates. */
typedef struct vida_ida_functions {
  /* Computes r = F(t, y, dy). Returns 0, > 0 (IDA tries a smaller step) or < 0. */
  int (*residual)(void* data, double t, const double* y, const double* dy, double* r);
  /* Computes the reduced matrix of dF/dy + c dF/dy'. The values are in the order of the pattern and
   * zero on entry. */
  int (*jacobian)(void* data, double t, double c, const double* y, const double* dy,
                  double* matrix);
  /* Computes the right-hand side of the reduced system from that of the whole system, with the
   * matrix of the last `jacobian` and the current c. */
  void (*reduce)(void* data, double c, const double* right_side, double* reduced);
  /* Computes the solution x of the whole system from that of the reduced system, with the matrix of
   * the last `jacobian` and the current c. */
  void (*expand)(void* data, double c, const double* right_side, const double* reduced, double* x);
  /* Computes the weights, 1 / tolerance > 0, of all variables for a step of size h from y. */
  void (*weights)(void* data, double h, const double* y, double* weight);
  /* Called at the end of a step. Returns 0 to continue, or the code with which the advance fails,
   * after filling `error`. The step cannot be undone. */
  int (*accept)(void* data, double t, const double* y, VidaError* error);
} vida_ida_functions;

typedef struct vida_ida_options {
  double max_steps;        /* largest number of steps of one advance */
  double max_step;         /* largest step, s; infinity: no bound */
  int max_order;           /* largest order of the formulas, 1 to 5 */
  double newton_share;     /* residual of Newton's method as a fraction of the tolerance; 0: IDA's
                              default */
  bool suppress_algebraic; /* the error test excludes algebraic variables */
  bool follows_c;          /* reduce and expand account for changes of c after the last Jacobian */
  vida_solver linear_solver;
  const vida_services* services; /* NULL: the context is VIDA's */
} vida_ida_options;

typedef struct vida_ida_counts {
  long steps, error_test_failures, convergence_failures, newton_iterations, residuals, jacobians,
      factorizations;
} vida_ida_counts;

typedef struct vida_ida vida_ida;

/* Creates a solver for `size` variables. `pattern` (of the reduced matrix) and `data` must outlive
 * it. The caller frees *ida with vida__ida_destroy. */
int vida__ida_create(SUNContext context, int size, const vida_pattern* pattern,
                     vida_ida_functions functions, void* data, vida_ida_options options,
                     vida_ida** ida, VidaError* error);
/* Frees a solver and sets *ida to NULL; NULL is allowed. */
void vida__ida_destroy(vida_ida** ida);

/* Returns y (size), which belongs to the solver. The caller fills it before a start;
 * vida__ida_advance updates it. */
double* vida__ida_values(vida_ida* ida);
/* Returns y' (size), which belongs to the solver. The caller fills it before a start;
 * vida__ida_advance updates it. */
double* vida__ida_rates(vida_ida* ida);
/* Sets whether variable i is differential, and so stays in the error test if algebraic variables
 * are excluded. Call it before a start. */
void vida__ida_set_differential(vida_ida* ida, int i, bool is_differential);

/* Starts at t from the values of y and y'. first_step is in s; NaN: chosen by IDA. */
int vida__ida_start(vida_ida* ida, double t, double first_step, VidaError* error);
/* Advances y and y' to t, which must be later than before. On failure, `error` has the flag of IDA,
 * and `time` and `step` (both nullable) receive the time and the step that it reached. */
int vida__ida_advance(vida_ida* ida, double t, double* time, double* step, VidaError* error);
/* Returns the counts since the last start. */
vida_ida_counts vida__ida_counts(const vida_ida* ida);

#endif
