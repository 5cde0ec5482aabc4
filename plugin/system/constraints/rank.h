/* The rank of the constraint Jacobian, and the rows that depend on others.
 *
 * The rank is that of G alone and does not depend on masses: columns are scaled by their own sizes
 * and rows to length one, B = R G C. B B^T = L D L^T is factored row by row in the order in which
 * the rows were added. D_k is the squared distance of row k from the space of the rows before it.
 * Of rows that depend on each other, the later ones are therefore found dependent, and the small
 * singular values of long chains (1e-5 at 1e5 links) do not count as a dependence. In close cases,
 * the linear combination y decides: a row k depends on others if y_k = 1 and B^T y is of the size
 * of rounding. The cost grows with the number of entries of L: linearly for chains and ladders. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_RANK_H
#define VIDA_SYSTEM_CONSTRAINTS_RANK_H

#include "system/evaluate/evaluate.h"

typedef struct vida_rank vida_rank;

/* Analyses the structure and allocates all memory. The caller frees *rank with vida__rank_destroy.
 * Fails with VIDA_NOT_SUPPORTED if so many constraints share a coordinate that L does not fit into
 * memory. */
int vida__rank_create(const VidaSystem* system, vida_rank** rank, VidaError* error);
/* Frees the analysis and sets *rank to NULL; NULL is allowed. */
void vida__rank_destroy(vida_rank** rank);

/* Finds the dependent rows for the values of G in `entries`. Allocates nothing. */
int vida__rank_find(vida_rank* rank, const double* entries, VidaError* error);

/* Returns the number of dependent rows that the last vida__rank_find found. */
int vida__rank_dependent_count(const vida_rank* rank);
/* Returns the ascending indices of these rows. */
const int* vida__rank_dependent(const vida_rank* rank);
/* Returns the row that nearly depends on others: the nearest of those that count as independent, or
 * else a dependent one; -1 if there is none. *distance receives the length of the part of its
 * gradient, scaled to length one, that is independent of the rows before it: at most 1e-4; or 1. */
int vida__rank_near_row(const vida_rank* rank, double* distance);
/* Computes the linear combination of a dependent row, given by its index among the dependent rows:
 * weight (m) with sum_r weight_r G_r = 0. It is scaled so that the largest share, |weight_r| |G_r
 * C|, is one; share (m, nullable) receives the shares. */
void vida__rank_combination(vida_rank* rank, int index, double* weight, double* share);

/* Returns whether the multipliers of these rows are unique: they are in no combination of dependent
 * rows. */
bool vida__rank_determines(vida_rank* rank, const int* rows, int count);

/* Computes shift (m): the numbers that, subtracted from the diagonal of constraint rows, make a KKT
 * matrix with dependent rows regular. They must be small relative to G M^-1 G^T for all masses. If
 * the masses of a row differ too much for that, the shifts of independent rows are zero, and
 * dependent rows have no multipliers. `mass` (n) is > 0. */
void vida__rank_narrow_shift(const vida_rank* rank, const double* entries, const double* mass,
                             double* shift);

/* Computes masses (n) for the scaling of coordinates: the diagonal of L_vv. An entry that vanishes
 * in this state (a quaternion along itself) is replaced by a fraction of the largest mass with its
 * unit in its term. `matrix`: work space, the values of the KKT pattern. */
int vida__find_masses(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* matrix, double* mass);

/* Returns the index of the diagonal entry of a constraint row in the values of the KKT pattern: the
 * last of its column. */
int vida__constraint_diagonal(const VidaSystem* system, int row);
/* Returns the index of the first entry of a constraint row in a column of the KKT pattern; the end
 * of the column if there is none. */
sunindextype vida__first_constraint_entry(const VidaSystem* system, int column);

/* Appends the names of `count` rows, given by their indices, to a text of `size` bytes: "'a', 'b'
 * and 3 more". */
void vida__append_rows(const VidaSystem* system, const int* rows, int count, char* text,
                       size_t size);

/* Appends the names of the rows with the largest shares in a combination, except `row`: "'a', 'b'".
 * Overwrites the shares (m). */
void vida__append_partners(const VidaSystem* system, double* share, int row, char* text,
                           size_t size);

#endif
