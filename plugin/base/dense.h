/* LU factors of small dense matrices, as a SUNLinearSolver for the dense matrix of SUNDIALS.
 *
 * Steps of small mechanisms spend most of their time factoring matrices with about ten rows. For
 * such matrices this solver takes a third of the time of SUNDIALS' own dense solver. */
#ifndef VIDA_BASE_DENSE_H
#define VIDA_BASE_DENSE_H

#include "base/state_record.h"
#include "base/sundials.h"

/* Creates a solver for size x size matrices; NULL without memory. The caller frees it with
 * SUNLinSolFree. */
SUNLinearSolver vida__dense_solver(sunindextype size, SUNContext context);

/* Returns the sign of the determinant of the factors in `matrix`. */
int vida__dense_sign(SUNLinearSolver solver, SUNMatrix matrix);

/* Visits what the solver keeps besides the factors in the matrix. */
void vida__dense_record(SUNLinearSolver solver, VidaRecord* record);

/* Factors a size x size matrix, stored by columns, in place with partial pivoting; `pivot` (size)
 * receives the exchanges of rows. Returns 0, or 1 + the column without a pivot. */
int vida__factor_dense(double* a, int size, int* pivot);
/* Replaces x (size) by A^-1 x with these factors. */
void vida__substitute_dense(const double* a, int size, const int* pivot, double* x);

#endif
