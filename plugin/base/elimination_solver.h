/* A linear solver that eliminates in a fixed order and, if that fails, factors with pivots. */
#ifndef VIDA_BASE_ELIMINATION_SOLVER_H
#define VIDA_BASE_ELIMINATION_SOLVER_H

#include "base/linear.h"

/* If elimination is cheap, adds a solver that tries it before linear->pivoting. `linear` owns the
 * solver, also after a failure. Fails only without memory. */
int vida__add_elimination(vida_linear* linear, SUNContext context);
/* Frees what vida__add_elimination has created. */
void vida__remove_elimination(vida_linear* linear);

/* Factors the values by elimination. Returns whether linear->pivoting need not factor them. It must
 * if elimination failed, and, unless the matrix is large, after the first call, so that it
 * allocates its memory. The factors are valid if linear->last_elimination is not NULL. */
bool vida__eliminate(vida_linear* linear);

/* Solves with linear->last_elimination, as vida__linear_solve does. */
int vida__solve_eliminated(vida_linear* linear, const double* b, double* x);
/* The same for linear->is_checked; x is not b. Returns whether both sides of the equations agree to
 * rounding, after corrections. */
bool vida__solve_checked(vida_linear* linear, const double* b, double* x);
/* Takes the last factors for a failure of elimination. */
void vida__reject_elimination(vida_linear* linear);

#endif
