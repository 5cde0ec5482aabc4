/* Newton's method for the stages of implicit Runge-Kutta methods, as a SUNNonlinearSolver.
 *
 * SUNDIALS' own keeps the matrix of the predicted state for all iterations. For a stiff spring that
 * turns within a step, that matrix has the wrong direction, and the iteration diverges where the
 * step is long. This one evaluates the matrix anew where convergence is slow. */
#ifndef VIDA_SOLVE_NEWTON_H
#define VIDA_SOLVE_NEWTON_H

#include <sundials/sundials_nonlinearsolver.h>

#include "base/sundials.h"

/* most_iterations: of one solve. `rounding`: the largest correction, in the weighted norm in which
 * the tolerance is one too, that may be due to rounding: if it does not decrease although the
 * matrix is new, the equations are taken for solved. 0: no correction is. `shape`: a vector of the
 * size of the state. NULL without memory. Freed with SUNNonlinSolFree. */
SUNNonlinearSolver vida__newton_create(N_Vector shape, int most_iterations, double rounding,
                                       SUNContext context);

#endif
