/* The rank of the constraint Jacobian, with the rows that depend on others.
 *
 * The rank is one of G alone, so that no mass has a say in it: columns are scaled by their own
 * sizes and rows to length one, B = R G C, and B B^T = L D L^T is factored row by row in the order
 * the rows were added: D_k is the squared distance of row k from the space of the rows before it,
 * so the rows that are found dependent are always the later ones, and the smallest singular value
 * of long chains (1e-5 at 1e5 links) is not mistaken for a dependence. What is close is decided by
 * the combination itself: y with y_k = 1 and B^T y of the size of rounding. The work grows with the
 * entries of L: linearly for chains and ladders. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_RANK_H
#define VIDA_SYSTEM_CONSTRAINTS_RANK_H

#include "system/evaluate/evaluate.h"

typedef struct vida_rank vida_rank;

/* All that needs the structure only, and all memory. Fails with VIDA_NOT_SUPPORTED where so many
 * constraints meet that L would not fit into memory. */
int vida__rank_create(const VidaSystem* system, vida_rank** rank, VidaError* error);
void vida__rank_destroy(vida_rank** rank);

/* Finds the dependent rows for the values of G in `entries`. Allocates nothing. */
int vida__rank_find(vida_rank* rank, const double* entries, VidaError* error);

/* After a find: how many rows depend on others, and which, ascending. */
int vida__rank_dependent_count(const vida_rank* rank);
const int* vida__rank_dependent(const vida_rank* rank);
/* weight (m): sum_r weight_r G_r = 0 for dependent row number `index`, scaled so that the largest
 * weight_r |G_r C| is one; share (m, nullable) receives those sizes. */
void vida__rank_combination(vida_rank* rank, int index, double* weight, double* share);

/* shift (m): what the diagonals of constraints in a KKT matrix are lessened by to make it regular
 * where rows depend on others. It is to be small beside G M^-1 G^T for all masses; where those of a
 * row lie too far apart for that, the shifts of independent rows are set to zero: then those that
 * depend on others have no multipliers. mass (n, > 0). */
void vida__rank_narrow_shift(const vida_rank* rank, const double* entries, const double* mass,
                             double* shift);

/* Masses that coordinates are measured by: the diagonal of L_vv, and where that vanishes in this
 * state (a quaternion along itself) a share of the largest of the same unit and term. `matrix`:
 * work, the values of the KKT pattern. */
int vida__find_masses(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* matrix, double* mass);

/* Place of the diagonal of constraint row r in the values of the KKT pattern: the last of its
 * column. */
int vida__constraint_diagonal(const VidaSystem* system, int row);

/* "'a', 'b' and 3 more": names of the rows that are marked, appended to a text of `size` bytes. */
void vida__append_rows(const VidaSystem* system, const int* rows, int count, char* text,
                       size_t size);

/* Appends "'a', 'b'": the rows with the largest shares in a combination, but for `row` itself; the
 * shares (one a row) are used up. */
void vida__append_partners(const VidaSystem* system, double* share, int row, char* text,
                           size_t size);

#endif
