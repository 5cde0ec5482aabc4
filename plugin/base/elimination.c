#include "base/elimination.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination_order.h"
#include "base/memory.h"

/* A pivot that is smaller than this, relative to the sum of its terms, has lost too many digits for
 * a fast convergence of Newton's method. */
static const double least_pivot = 1e-6;

/* The factors are those of an order of rows and columns: L with a unit diagonal, and U. L by
 * columns and U by rows have the same pattern. */
struct vida_elimination {
  vida_elimination_order own;
  const vida_elimination_order* order; /* `own`, or that of the pattern */
  double* diagonal;                    /* size: pivots, by row of the matrix */
  double* inverse;                     /* size: their reciprocals */
  double* terms;                       /* size: sums of the magnitudes of the terms of pivots */
  double* lower;                       /* entries of L */
  double* upper;                       /* entries of U */
  double least;                        /* smallest relative pivot */
  bool allows_symmetric;               /* see vida__elimination_allow_symmetric */
  bool is_symmetric; /* the last factors are: L is the transpose of U with rows divided by pivots,
                        and not computed */
};

static int allocate_factors(vida_elimination* made) {
  const size_t size = (size_t)made->order->size;
  const size_t entries = (size_t)made->order->start[size];
  const vida_array arrays[] = {
      {&made->diagonal, size + 2 * entries}, {&made->inverse, size}, {&made->terms, size}};
  return vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays) ? VIDA_SUCCESS
                                                                       : VIDA_OUT_OF_MEMORY;
}

/* The diagonal, L and U are one array, so that the values of a matrix are copied to one array. */
static void divide_factors(vida_elimination* elimination) {
  const vida_elimination_order* order = elimination->order;
  elimination->lower = elimination->diagonal + order->size;
  elimination->upper = elimination->lower + order->start[order->size];
}

int vida__order_pattern(vida_pattern* pattern) {
  pattern->order = vida__allocate(1, sizeof *pattern->order);
  return pattern->order ? vida__find_elimination_order(pattern, pattern->order)
                        : VIDA_OUT_OF_MEMORY;
}

void vida__free_pattern_order(vida_pattern* pattern) {
  if (pattern->order) {
    vida__free_elimination_order(pattern->order);
    free(pattern->order);
    pattern->order = NULL;
  }
}

int vida__elimination_create(const vida_pattern* pattern, vida_elimination** elimination) {
  vida_elimination* made = vida__allocate(1, sizeof *made);
  *elimination = made;
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->order = pattern->order ? pattern->order : &made->own;
  int code = pattern->order ? VIDA_SUCCESS : vida__find_elimination_order(pattern, &made->own);
  const bool is_cheap = !code && made->order->size > 0;
  code = is_cheap ? allocate_factors(made) : code;
  if (code || !is_cheap) {
    vida__elimination_destroy(elimination);
    return code;
  }
  divide_factors(made);
  return VIDA_SUCCESS;
}

int vida__elimination_copy(const vida_elimination* from, vida_elimination** elimination) {
  vida_elimination* made = vida__allocate(1, sizeof *made);
  *elimination = made;
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->order = &made->own;
  int code = vida__copy_elimination_order(from->order, &made->own);
  code = code ? code : allocate_factors(made);
  if (code) {
    vida__elimination_destroy(elimination);
  }
  return code;
}

void vida__elimination_narrow(vida_elimination* elimination, const bool* used) {
  vida__narrow_elimination_order(&elimination->own, used);
  divide_factors(elimination);
}

void vida__elimination_destroy(vida_elimination** elimination) {
  vida_elimination* old = *elimination;
  if (!old) {
    return;
  }
  vida__free_elimination_order(&old->own);
  free(old->diagonal);
  free(old);
  *elimination = NULL;
}

/* ---- factors --------------------------------------------------------------------------------- */

/* Returns whether all values have a place. */
static bool load(vida_elimination* elimination, const double* values) {
  const vida_elimination_order* order = elimination->order;
  const size_t size = (size_t)order->size;
  double* restrict factors = elimination->diagonal;
  const int* restrict place = order->place;
  const int* restrict source = order->source;
  bool has_other = false;
  for (int k = 0; k < order->run_count; k++) {
    for (int e = order->unused[2 * k]; e < order->unused[2 * k + 1]; e++) {
      has_other |= values[e] != 0.0;
    }
  }
  if (has_other) {
    return false;
  }
  for (int k = 0; k < order->fill_count; k++) {
    factors[order->fill[k]] = 0.0;
  }
  for (int k = 0; k < order->value_count; k++) {
    factors[place[k]] = values[source[k]];
  }
  for (size_t i = 0; i < size; i++) {
    elimination->terms[i] = fabs(factors[i]);
  }
  return true;
}

/* Subtracts the product of the entries of L and U that belong to the diagonal entry of `row`. */
static inline void subtract_square(vida_elimination* elimination, int row, double l, double u) {
  const double term = l * u;
  elimination->diagonal[row] -= term;
  elimination->terms[row] += fabs(term);
}

/* Subtracts the product of a column of L and a row of U, `count` entries each, from what is left of
 * the matrix. `change` has the places of its entries outside the diagonal, each for the pair of one
 * entry of L and one of U; returns its end. Most columns of chains and mechanisms of particles have
 * one or two entries. */
static const int* subtract_product(vida_elimination* elimination, int first, int count,
                                   const int* restrict change) {
  double* restrict lower = elimination->lower;
  double* restrict upper = elimination->upper;
  const double *left = lower + first, *right = upper + first;
  const int* row = elimination->order->row + first;
  if (count == 1) {
    subtract_square(elimination, row[0], left[0], right[0]);
    return change;
  }
  if (count == 2) {
    subtract_square(elimination, row[0], left[0], right[0]);
    subtract_square(elimination, row[1], left[1], right[1]);
    lower[*change] -= left[1] * right[0];
    upper[*change] -= left[0] * right[1];
    return change + 1;
  }
  for (int a = 0; a < count; a++) {
    const double l = left[a], u = right[a];
    subtract_square(elimination, row[a], l, u);
    for (int b = a + 1; b < count; b++, change++) {
      lower[*change] -= left[b] * u;
      upper[*change] -= l * right[b];
    }
  }
  return change;
}

/* As subtract_product, for the upper triangle of a symmetric matrix: L is U^T / pivot. */
static const int* subtract_symmetric(vida_elimination* elimination, int first, int count,
                                     double inverse, const int* restrict change) {
  double* restrict upper = elimination->upper;
  const double* right = upper + first;
  const int* row = elimination->order->row + first;
  for (int a = 0; a < count; a++) {
    const double l = right[a] * inverse;
    subtract_square(elimination, row[a], l, right[a]);
    for (int b = a + 1; b < count; b++, change++) {
      upper[*change] -= l * right[b];
    }
  }
  return change;
}

/* L and U have the same pattern, so the values are symmetric if both hold the same numbers. */
static bool is_symmetric(const vida_elimination* elimination) {
  const size_t entries = (size_t)elimination->order->start[elimination->order->size];
  return memcmp(elimination->lower, elimination->upper, entries * sizeof(double)) == 0;
}

void vida__elimination_allow_symmetric(vida_elimination* elimination) {
  elimination->allows_symmetric = true;
}

bool vida__elimination_factor(vida_elimination* elimination, const double* values) {
  const vida_elimination_order* order = elimination->order;
  const int* change = order->change;
  double least = 1.0;
  if (!load(elimination, values)) {
    return false;
  }
  elimination->is_symmetric = elimination->allows_symmetric && is_symmetric(elimination);
  for (int k = 0; k < order->size; k++) {
    const int pivot = order->pivot[k];
    const double value = elimination->diagonal[pivot];
    const double terms = elimination->terms[pivot];
    const double inverse = 1.0 / value;
    if (!(fabs(value) > least_pivot * terms) || !(fabs(inverse) <= DBL_MAX)) {
      return false; /* also a value that is not a number */
    }
    if (fabs(value) < least * terms) {
      least = fabs(value) / terms;
    }
    const int first = order->start[k], count = order->start[k + 1] - first;
    elimination->inverse[pivot] = inverse;
    if (elimination->is_symmetric) {
      change = subtract_symmetric(elimination, first, count, inverse, change);
      continue;
    }
    for (int a = first; a < first + count; a++) {
      elimination->lower[a] *= inverse;
    }
    change = subtract_product(elimination, first, count, change);
  }
  elimination->least = least;
  return true;
}

/* Computes x = L^-1 x. */
static void solve_lower(const vida_elimination* elimination, double* x) {
  const vida_elimination_order* order = elimination->order;
  const double* restrict lower =
      elimination->is_symmetric ? elimination->upper : elimination->lower;
  const int* restrict row = order->row;
  int a = 0;
  for (int k = 0; k < order->size; k++) {
    const int pivot = order->pivot[k];
    const double value =
        elimination->is_symmetric ? x[pivot] * elimination->inverse[pivot] : x[pivot];
    for (const int end = order->start[k + 1]; a < end; a++) {
      x[row[a]] -= lower[a] * value;
    }
  }
}

void vida__elimination_solve(const vida_elimination* elimination, const double* b, double* x) {
  const vida_elimination_order* order = elimination->order;
  const double* restrict upper = elimination->upper;
  const int* restrict row = order->row;
  if (x != b) {
    memcpy(x, b, (size_t)order->size * sizeof *x);
  }
  solve_lower(elimination, x);
  int a = order->start[order->size];
  for (int k = order->size - 1; k >= 0; k--) {
    const int pivot = order->pivot[k];
    double value = x[pivot];
    for (const int first = order->start[k]; a > first;) {
      a--;
      value -= upper[a] * x[row[a]];
    }
    x[pivot] = value * elimination->inverse[pivot];
  }
}

double vida__elimination_least_pivot(const vida_elimination* elimination) {
  return elimination->least;
}

long vida__elimination_entries(const vida_elimination* elimination) {
  const vida_elimination_order* order = elimination->order;
  return 2 * (long)order->start[order->size] + order->size;
}

int vida__elimination_sign(const vida_elimination* elimination) {
  int sign = 1;
  for (int i = 0; i < elimination->order->size; i++) {
    sign = elimination->diagonal[i] < 0.0 ? -sign : sign;
  }
  return sign;
}
