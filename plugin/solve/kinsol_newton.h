/* KINSOL for equations that keep their own Newton matrix: KINSOL iterates, and the equations factor
 * and solve. The matrix has no SUNMatrix, which KINSOL would clear in each iteration. */
#ifndef VIDA_SOLVE_KINSOL_NEWTON_H
#define VIDA_SOLVE_KINSOL_NEWTON_H

#include <stdbool.h>
#include <vida/error.h>

#include "base/sundials.h"

/* The equations F(u) = 0; all functions return 0 or a negative code, which ends the iteration. */
typedef struct vida_kinsol_equations {
  int size;
  void* data;
  /* Computes r = F(u). */
  int (*residual)(void* data, const double* u, double* r);
  /* Factors F_u at the u of the last residual. */
  int (*factor)(void* data);
  /* Computes x = F_u^-1 b with the last factors; x may not be b. */
  int (*solve)(void* data, const double* b, double* x);
} vida_kinsol_equations;

typedef struct vida_kinsol vida_kinsol;

/* Creates the solver. `tolerance` is that of the largest scaled residual. `is_shared`: the context
 * is that of a program. The caller frees *kinsol with vida__kinsol_destroy, also after a failure.
 */
int vida__kinsol_create(SUNContext context, vida_kinsol_equations equations, double tolerance,
                        int max_iterations, bool is_shared, vida_kinsol** kinsol, VidaError* error);
/* Frees a solver and sets it to NULL; NULL is allowed. */
void vida__kinsol_destroy(vida_kinsol** kinsol);
/* Makes full Newton steps from the guess u (size), which receives the last iterate. `row_size`
 * (size, > 0): sizes of the residuals, by which they are scaled. *iterations receives the number of
 * iterations, and *is_at_end whether these are all that are allowed. Returns whether KINSOL has
 * converged or made all iterations; the caller has its own test. */
bool vida__kinsol_solve(vida_kinsol* kinsol, const double* row_size, double* u, long* iterations,
                        bool* is_at_end);

#endif
