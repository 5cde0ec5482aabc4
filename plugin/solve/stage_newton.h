/* Newton's method for the stages of implicit Runge-Kutta methods, as a SUNNonlinearSolver.
 *
 * The nonlinear solver of SUNDIALS uses the matrix of the predicted state in all iterations. If a
 * stiff spring turns within a step, this matrix has the wrong direction, and long steps diverge.
 * This solver evaluates the matrix again if convergence is slow. */
#ifndef VIDA_SOLVE_STAGE_NEWTON_H
#define VIDA_SOLVE_STAGE_NEWTON_H

#include <sundials/sundials_nonlinearsolver.h>

#include "base/sundials.h"

/* Creates the solver; NULL without memory. The caller frees it with SUNNonlinSolFree.
 *   shape            a vector of the size of the state
 *   most_iterations  largest number of iterations of one solve
 *   rounding         largest correction that rounding may cause, in the weighted norm in which the
 *                    tolerance is 1. If such a correction does not decrease with a new matrix, the
 *                    equations count as solved. 0: no correction does. */
SUNNonlinearSolver vida__stage_newton_create(N_Vector shape, int most_iterations, double rounding,
                                             SUNContext context);

#endif
