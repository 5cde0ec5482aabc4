/* The matrix G M^-1 H^T, where G and H are two sets of constraint gradients with the same pattern:
 * the matrix of equations for multipliers. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_MATRIX_H
#define VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_MATRIX_H

#include "base/linear.h"
#include "system/model/model.h"

/* The sum, over a run of common coordinates, of products of entries of two constraints. */
typedef struct vida_entry_products {
  int left, right; /* the first entries */
  int count;
  int slot;       /* index of the sum in the matrix, and */
  int transposed; /* of the one on the other side of the diagonal */
} vida_entry_products;

/* The entries of G by rows and, within a row, by runs: consecutive entries of consecutive
 * coordinates, such as those of a point. Loops over all entries then read few indices. */
typedef struct vida_entry_runs {
  int row_count, run_count;
  int* row;        /* m: the rows in the order of their entries, and */
  int* row_end;    /* m: the index after the last run of each */
  int* coordinate; /* runs: the first coordinate */
  int* count;      /* runs: number of entries */
} vida_entry_runs;

typedef struct vida_multiplier_matrix {
  vida_entry_runs runs;
  vida_pattern pattern; /* of size m, symmetric, with a full diagonal */
  vida_entry_products* products;
  int lower_count; /* the first products are those on and below the diagonal */
  int product_count;
} vida_multiplier_matrix;

/* The entries of a matrix of constraint gradients; those of a row are consecutive. */
typedef struct vida_entry_table {
  int coordinate_count, row_count, entry_count;
  const vida_jacobian_entry* entries; /* entry_count: rows and coordinates; slots are not read */
} vida_entry_table;

/* Finds the pattern and the products of these entries. If there are more than `most` products per
 * entry, pattern.size is 0. The caller frees the arrays with vida__free_multiplier_matrix, also
 * after a failure. Fails only without memory. */
int vida__find_entry_matrix(const vida_entry_table* table, double most,
                            vida_multiplier_matrix* matrix);
/* Does so for the entries of G of a system. If so many constraints share coordinates that this
 * matrix would cost more than that of coordinates and multipliers, pattern.size is 0. The caller
 * frees the arrays with vida__free_multiplier_matrix, also after a failure. Fails only without
 * memory. */
int vida__find_multiplier_matrix(const VidaSystem* system, vida_multiplier_matrix* matrix);
/* Frees the arrays. */
void vida__free_multiplier_matrix(vida_multiplier_matrix* matrix);

/* Adds G M^-1 H^T to `values` (pattern.entries). `columns` has M^-1 H^T in the pattern of G. */
void vida__add_entry_products(const vida_multiplier_matrix* matrix, const double* entries,
                              const double* columns, double* values);

/* Adds the products of the entries to `values` as vida__add_entry_products does for equal `entries`
 * and `columns`: a matrix that is exactly symmetric, at half the cost. */
void vida__add_entry_squares(const vida_multiplier_matrix* matrix, const double* entries,
                             double* values);
/* Computes scaled = entries of G times a factor for each coordinate (n). */
void vida__scale_runs(const vida_entry_runs* runs, const double* entries, const double* factor,
                      double* scaled);
/* Computes result = G x - given (m); result may be `given`. */
void vida__multiply_runs(const vida_entry_runs* runs, const double* entries, const double* x,
                         const double* given, double* result);
/* Subtracts G^T y from x (n). */
void vida__subtract_runs(const vida_entry_runs* runs, const double* entries, const double* y,
                         double* x);

#endif
