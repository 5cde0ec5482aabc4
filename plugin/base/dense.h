/* LU factors of small dense matrices, as a SUNLinearSolver on SUNDIALS' dense matrix.
 *
 * Steps of small mechanisms spend most of their time in factoring matrices of ten rows; written for
 * that size, it takes a third of the time of SUNDIALS' own dense solver. */
#ifndef VIDA_BASE_DENSE_H
#define VIDA_BASE_DENSE_H

#include "base/sundials.h"

/* A solver for size x size matrices; NULL without memory. Freed with SUNLinSolFree. */
SUNLinearSolver vida__dense_solver(sunindextype size, SUNContext context);

/* The sign of the determinant of the factors in `matrix`. */
int vida__dense_sign(SUNLinearSolver solver, SUNMatrix matrix);

#endif
