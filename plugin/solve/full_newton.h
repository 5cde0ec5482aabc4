/* Full Newton steps for F(u) = 0: the iteration of KINSOL's strategy KIN_NONE with a new matrix in
 * every iteration, but without a call of KINSOL. KINSOL 7.0 to 7.5 formats a log message in each
 * iteration even if nobody reads it, which takes most of the time of a step of a small system.
 * Iterates, tests, evaluations and flags are those of KINSOL to the last bit, so either can solve a
 * step; implicit_map.c ends KINSOL where vida__makes_progress ends this iteration. */
#ifndef VIDA_SOLVE_FULL_NEWTON_H
#define VIDA_SOLVE_FULL_NEWTON_H

#include <stdbool.h>

#include "base/linear.h"

/* The least residual of an iteration so far. Zero-initialized, but for `most`. */
typedef struct vida_progress {
  double least;
  long iterations, since; /* iterations so far; the one with the least residual */
  int most;               /* iterations, for one that ends as soon as it is lost; 0: it goes on */
} vida_progress;
/* Notes the residual of the next iterate. Returns false if the iteration should end: the last 100
 * iterations have not made it smaller by a fifth, or it is lost. Far from a solution, a step of
 * Newton's method for quadratic equations, as those of distances, leaves a quarter of the residual:
 * an iteration that would not even come back to its least residual in this way is lost. */
bool vida__makes_progress(vida_progress* record, double residual);

/* An iteration; all that it points to belongs to the caller. n is the size of the matrix. */
typedef struct vida_full_newton {
  /* Computes r = F(u). Returns 0, a code > 0 (a shorter step is tried) or < 0 (the iteration ends).
   */
  int (*residual)(void* data, const double* u, double* r);
  /* Writes F_u(u) to the SUNMatrix of `linear`. Returns 0 or a code. */
  int (*matrix)(void* data, const double* u);
  void* data;
  vida_linear* linear;
  const double *row_scale, *unknown_scale; /* n, all > 0: factors of residuals and unknowns */
  double* trial;                           /* n: work space */
  double tolerance;                        /* of the largest scaled residual */
  double least_step;   /* relative; an iteration that moves less ends without solution */
  double largest_step; /* of the scaled unknowns, Euclidean norm */
  int max_iterations;  /* >= 1 */
  bool ends_if_lost;   /* see vida__makes_progress: something else will be tried */
} vida_full_newton;

/* Iterates from the guess u (n), which receives the last iterate. r (n) receives the last residual
 * that was evaluated, *iterations the number of iterations that were begun. Returns the flag that
 * KINSol returns: KIN_SUCCESS, KIN_INITIAL_GUESS_OK, KIN_STEP_LT_STPTOL or one < 0. If an
 * evaluation or the linear solver fails, u is the iterate before the failure. Allocates nothing. */
int vida__full_newton(const vida_full_newton* newton, double* u, double* r, long* iterations);

#endif
