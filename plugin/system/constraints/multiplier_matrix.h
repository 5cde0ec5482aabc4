/* The matrix G M^-1 H^T of the multipliers, for two sets of entries in the pattern of G. */
#ifndef VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_MATRIX_H
#define VIDA_SYSTEM_CONSTRAINTS_MULTIPLIER_MATRIX_H

#include "base/linear.h"
#include "system/model/model.h"

/* A sum of products of consecutive entries, those of two constraints at the same coordinates. */
typedef struct vida_entry_products {
  int left, right; /* the first entries */
  int count;
  int slot; /* index of the sum in the matrix */
} vida_entry_products;

typedef struct vida_multiplier_matrix {
  vida_pattern pattern; /* of size m, symmetric, with a full diagonal */
  vida_entry_products* products;
  int product_count;
} vida_multiplier_matrix;

/* Finds the pattern and the products. If coordinates have so many constraints that the matrix would
 * cost more than the equations with coordinates and multipliers, its size is 0. The caller frees
 * the arrays with vida__free_multiplier_matrix, also after a failure. Fails only without memory. */
int vida__find_multiplier_matrix(const VidaSystem* system, vida_multiplier_matrix* matrix);
/* Frees the arrays. */
void vida__free_multiplier_matrix(vida_multiplier_matrix* matrix);

/* Adds the products of the entries of G and those of the columns M^-1 H^T, which are given in the
 * same pattern, to `values`, which has pattern.entries elements. */
void vida__add_entry_products(const vida_multiplier_matrix* matrix, const double* entries,
                              const double* columns, double* values);

#endif
