/* Gaussian elimination of a sparse matrix with pivots on the diagonal, in an order that is found
 * once. A factorization searches for no pivots and analyses nothing, so it costs no more than its
 * arithmetic.
 *
 * It is for matrices of constrained systems, (A, B; C, D), with a regular leading block A, such as
 * M, and a small or vanishing D. The order is KLU's (AMD), except that a row of C follows all
 * leading rows that it contains: its pivot is then about that of -C A^-1 B and does not vanish
 * unless the constraints depend on each other. vida__elimination_factor detects a pivot that loses
 * most of its digits. */
#ifndef VIDA_BASE_ELIMINATION_H
#define VIDA_BASE_ELIMINATION_H

#include "base/linear.h"
#include "base/state_record.h"

typedef struct vida_elimination vida_elimination;

/* Finds the order for a pattern with a full diagonal of which several matrices will be made, which
 * then share it. The caller frees it with vida__free_pattern_order. Fails only without memory. */
int vida__order_pattern(vida_pattern* pattern);
/* Frees the order of a pattern and sets it to NULL; a pattern without one is allowed. */
void vida__free_pattern_order(vida_pattern* pattern);

/* Finds the order for a pattern with a full diagonal, and allocates all memory. The pattern must
 * outlive *elimination; the caller frees it with vida__elimination_destroy. *elimination is NULL if
 * a solver with dense blocks would be faster, as for a nearly full matrix. Fails only without
 * memory. */
int vida__elimination_create(const vida_pattern* pattern, vida_elimination** elimination);
/* Creates an elimination in the order of another one, for vida__elimination_narrow. Fails only
 * without memory. */
int vida__elimination_copy(const vida_elimination* from, vida_elimination** elimination);
/* Omits each entry of the leading block that is not used and whose transposed entry is not used
 * either; these entries must then be zero. `used` has pattern->entries elements. May be called
 * once, for a copy, before its first use. Allocates nothing. */
void vida__elimination_narrow(vida_elimination* elimination, const bool* used);
/* Frees an elimination and sets *elimination to NULL; NULL is allowed. */
void vida__elimination_destroy(vida_elimination** elimination);

/* Factors the matrix with these values (in the order of the pattern). Returns false, with undefined
 * factors, if an omitted entry differs from zero, or if a pivot is not finite or too small beside
 * the terms that cancel in it. */
bool vida__elimination_factor(vida_elimination* elimination, const double* values);
/* Makes later factorizations of symmetric values compute U alone, for half of the price. Their
 * rounding errors are others. */
void vida__elimination_allow_symmetric(vida_elimination* elimination);
/* For matrices of which a few digits are enough (is_rough): until it is called again, symmetric
 * values are factored at half of the price, and smaller pivots are accepted. */
void vida__elimination_make_rough(vida_elimination* elimination, bool is_rough);
/* Computes x = A^-1 b with the last factors; x may be b. */
void vida__elimination_solve(const vida_elimination* elimination, const double* b, double* x);
/* Computes the rows behind the leading ones of A^-1 (0, b), at a fraction of the price: b and x
 * have an element for each of them. x may be b. */
void vida__elimination_solve_last(const vida_elimination* elimination, const double* b, double* x);

/* Visits the last factors, which must be in the same order (record.h). */
void vida__elimination_record(vida_elimination* elimination, VidaRecord* record);

/* Returns the smallest pivot of the last factors, relative to the sum of the magnitudes of its
 * terms. The rounding error of a solution grows with its reciprocal. */
double vida__elimination_least_pivot(const vida_elimination* elimination);

/* Returns the number of entries of the factors, L and U together. */
long vida__elimination_entries(const vida_elimination* elimination);
/* Returns the sign of the determinant of the last factors. */
int vida__elimination_sign(const vida_elimination* elimination);

#endif
