/* VIDA's own direct solvers, as SUNLinearSolvers. */
#ifndef VIDA_BASE_DIRECT_SOLVER_H
#define VIDA_BASE_DIRECT_SOLVER_H

#include "base/sundials.h"

/* The operations of a direct solver; both return 0 or a code as those of SUNLinearSolver do. */
typedef struct vida_direct_operations {
  int (*setup)(SUNLinearSolver solver, SUNMatrix matrix);
  int (*solve)(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
               sunrealtype tolerance);
} vida_direct_operations;

/* Creates a solver of type SUNLINEARSOLVER_DIRECT that needs no initialization; NULL without
 * memory. SUNLinSolFree frees the solver but not `content`. */
SUNLinearSolver vida__direct_solver(vida_direct_operations operations, void* content,
                                    SUNContext context);

#endif
