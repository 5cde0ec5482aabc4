/* A direct solver for matrices of the KKT pattern that removes the multipliers.
 *
 * In
 *     K dw + C^T dmu = b,  R dw = d    (n and m rows)
 * the columns of P span the null space of C: P^T K dw = P^T b and R dw = d are n equations for dw.
 * dmu then follows from C^T dmu = b - K dw in the range of C^T. P is orthonormal in coordinates
 * of comparable size, from Householder's reflections of C^T with column exchanges. Its price is
 * that of dense matrices. */
#ifndef VIDA_BASE_NULL_SPACE_SOLVER_H
#define VIDA_BASE_NULL_SPACE_SOLVER_H

#include "base/state_record.h"
#include "base/sundials.h"

/* Creates a solver for dense matrices of n + m rows; NULL without memory. The caller frees it with
 * SUNLinSolFree. */
SUNLinearSolver vida__null_space_solver(int n, int m, SUNContext context);
/* Sets the reciprocal sizes (n, not copied) of the unknowns dw. Before, all are 1. */
void vida__null_space_set_scale(SUNLinearSolver solver, const double* scale);
/* Returns a row of C or R that depends on the others, because of which the last matrix was not
 * factored; -1: there was none. */
int vida__null_space_lost_row(SUNLinearSolver solver);
/* Returns the condition, in the maximum norm of columns' sums, of the last n x n matrix (P^T K, R)
 * with scaled rows and columns; NaN before the first one. */
double vida__null_space_condition(SUNLinearSolver solver);
/* Visits what the solver keeps besides the matrix. */
void vida__null_space_record(SUNLinearSolver solver, VidaRecord* record);

#endif
