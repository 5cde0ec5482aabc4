/* A square matrix of fixed pattern with its direct solver: elimination in a fixed order, dense LU
 * or KLU. Callers assemble the values in the order of the pattern (by columns) for all solvers. */
#ifndef VIDA_BASE_LINEAR_H
#define VIDA_BASE_LINEAR_H

#include <stdbool.h>
#include <vida/error.h>

#include "base/sundials.h"

/* A sparse pattern, by columns. */
typedef struct vida_pattern {
  int size;
  int entries;
  int leading; /* rows before this one may be eliminated first (elimination.h); 0: not known */
  sunindextype* column_start;           /* size + 1 */
  sunindextype* row;                    /* entries, ascending within a column */
  struct vida_elimination_order* order; /* of elimination, for all matrices of this pattern
                                           (vida__order_pattern); NULL: each finds its own */
} vida_pattern;

/* Returns the index of an entry, which must be in the pattern. */
int vida__pattern_slot(const vida_pattern* pattern, int row, int column);

typedef enum vida_solver { VIDA_SOLVER_AUTO, VIDA_SOLVER_DENSE, VIDA_SOLVER_KLU } vida_solver;

struct vida_services;

/* A matrix with its solver. */
typedef struct vida_linear {
  const vida_pattern* pattern;
  bool sparse;
  double* values;       /* entries, assembled by the caller */
  sunindextype* offset; /* entries: index of each value in a dense matrix; NULL if sparse */
  SUNMatrix matrix;
  bool has_pattern; /* `matrix` does, if it is sparse: not before it is factored with pivots */
  SUNLinearSolver solver; /* `pivoting`, or one that tries `elimination` before it */
  SUNLinearSolver pivoting;
  /* Elimination of the entries that have differed from zero so far, elimination of all entries, and
   * which of the two made the last factors; each nullable. */
  struct vida_elimination *seen_part, *elimination, *last_elimination;
  bool* seen;           /* entries: whether it has differed from zero */
  int failures, skips;  /* consecutive failures of elimination; next factorizations without it */
  bool is_rough;        /* see vida__linear_make_rough */
  bool is_checked;      /* see vida__linear_check_solutions */
  double refined_below; /* elimination with a smaller relative pivot refines its solutions */
  bool is_prepared;     /* it has been factored once; unless it is large, `pivoting` has, too, and
                           allocates no more */
  N_Vector right_side, solution; /* for vida__linear_solve */
  bool* visited;                 /* size: work space of vida__linear_sign; NULL if dense */
  /* Powers of two that scale the rows and columns of the last factors (size each), if their sizes
   * differ so much that units would determine the pivots. */
  double *scale, *extent;
  const double *row_reciprocal, *unknown_reciprocal; /* size each: see vida__linear_use_sizes */
  bool is_scaled;
  struct vida_given_solver* given; /* NULL: the solver is one of VIDA's */
  bool is_reduced;                 /* the solver removes multipliers (null_space_solver.h) */
} vida_linear;

/* Returns whether KLU, and not dense LU, factors a matrix of this pattern. */
bool vida__is_sparse(const vida_pattern* pattern, vida_solver solver);

/* Creates a matrix. The pattern must outlive it. The caller frees *linear with
 * vida__linear_destroy. */
int vida__linear_create(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                        vida_linear** linear, VidaError* error);
/* Creates a matrix with the solver that a program gives (base/given_solver.h), if it gives one. */
int vida__linear_create_given(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                              struct vida_services* services, vida_linear** linear,
                              VidaError* error);
/* Creates a matrix of the KKT pattern with n coordinates whose solver removes the multipliers. */
int vida__linear_create_reduced(SUNContext context, const vida_pattern* pattern, int n,
                                vida_linear** linear, VidaError* error);
/* Tells a matrix the reciprocal sizes of its rows and unknowns (size each), which the caller may
 * change and which must outlive it. If all masses are so large or so small that pivots would depend
 * on their unit, `solver` scales rows and columns for another unit. Without effect with a given or
 * reducing solver, and with elimination, whose order does not depend on units. Fails only without
 * memory. */
int vida__linear_use_sizes(vida_linear* linear, const double* row_reciprocal,
                           const double* unknown_reciprocal, SUNContext context);
/* Frees a matrix and sets *linear to NULL; NULL is allowed. */
void vida__linear_destroy(vida_linear** linear);
/* Sets all values to 0. */
void vida__linear_clear(vida_linear* linear);
/* Copies a pattern to a sparse SUNMatrix with room for it. */
void vida__store_pattern(const vida_pattern* pattern, SUNMatrix matrix);
/* Passes the values to linear->solver: copies them to the SUNMatrix if the solver reads them
 * there. */
void vida__linear_store(vida_linear* linear);
/* Copies all values to the SUNMatrix. */
void vida__linear_store_all(vida_linear* linear);
/* Returns whether vida__linear_record_entries may be called: the matrix has an elimination and has
 * not been factored yet. */
bool vida__linear_records_entries(const vida_linear* linear);
/* Records which entries differ from zero; the first factorization does this, too. Later
 * factorizations omit all other entries of the leading block, until one of them differs from
 * zero. */
void vida__linear_record_entries(vida_linear* linear);
/* For values that are usually symmetric, and solutions that need not be refined beyond a loss of a
 * few digits: lets elimination factor at half of the price, and refine only solutions that have
 * lost more. */
void vida__linear_allow_symmetric(vida_linear* linear);
/* Makes elimination factor symmetric values at about half the price, with all the digits that it
 * otherwise has. */
void vida__linear_expect_symmetric(vida_linear* linear);
/* For factors and solutions of which a few digits are enough (is_rough), until it is called again:
 * elimination costs half if the values are symmetric, accepts smaller pivots, and refines nothing.
 */
void vida__linear_make_rough(vida_linear* linear, bool is_rough);
/* For solutions that nothing corrects afterwards: compares both sides of the equations after each
 * solution with elimination, and factors with pivots where they differ. Elimination sees pivots
 * that have lost digits, but not one that is small from the beginning beside the rest of its
 * column, as in the singular mass matrix of a quaternion. */
void vida__linear_check_solutions(vida_linear* linear);
/* Copies the values to the SUNMatrix and factors it. Returns 0, VIDA_STEP_SINGULAR or
 * VIDA_OUT_OF_MEMORY. */
int vida__linear_factor(vida_linear* linear);
/* Returns whether the last factorization failed without memory. */
bool vida__linear_lacks_memory(const vida_linear* linear);
/* Returns whether matrices of this pattern are so large that memory for factors with pivots is
 * allocated only when elimination fails. */
bool vida__is_prepared_late(const vida_pattern* pattern);
/* Returns the number of entries of the last factors, L and U together; -1 before the first
 * factorization and for the solver of a program. */
long vida__linear_factor_entries(const vida_linear* linear);
/* Computes x = A^-1 b with the last factors; x may be b. Returns 0 or VIDA_STEP_SINGULAR. */
int vida__linear_solve(vida_linear* linear, const double* b, double* x);
/* Computes the rows behind the leading ones of A^-1 (0, b), in which elimination refines nothing: b
 * and x have an element for each of them. x may be b. work (size): work space. Returns as
 * vida__linear_solve does. */
int vida__linear_solve_last(vida_linear* linear, const double* b, double* x, double* work);

/* Returns the sign of the determinant of the last factors: 1, -1, or 0 if it is not known, as for
 * the solver of a program. */
int vida__linear_sign(vida_linear* linear);

#endif
