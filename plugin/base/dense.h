/* LU factors of small dense matrices, as a SUNLinearSolver for the dense matrix of SUNDIALS.
 *
 * Steps of small mechanisms spend most of their time factoring matrices with about ten rows. For
 * such matrices this solver takes a third of the time of SUNDIALS' own dense solver. */
#ifndef VIDA_BASE_DENSE_H
#define VIDA_BASE_DENSE_H

#include "base/sundials.h"

/* Creates a solver for size x size matrices; NULL without memory. The caller frees it with
 * SUNLinSolFree. */
SUNLinearSolver vida__dense_solver(sunindextype size, SUNContext context);

/* Returns the sign of the determinant of the factors in `matrix`. */
int vida__dense_sign(SUNLinearSolver solver, SUNMatrix matrix);

#endif
