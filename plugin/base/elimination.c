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
/* The same for factors of which a few digits are enough. */
static const double least_rough_pivot = 1e-12;

/* The factors are those of an order of rows and columns: L with a unit diagonal, and U. L by
 * columns and U by rows have the same pattern. */
struct vida_elimination {
  vida_elimination_order own;
  const vida_elimination_order* order; /* `own`, or that of the pattern */
  double* diagonal;                    /* size: pivots, by steps, as all arrays of this size */
  double* inverse;                     /* size: reciprocals of the pivots */
  double* terms;                       /* size: sums of the magnitudes of the terms of pivots */
  double* x;                           /* size: work space of solutions */
  double* sums;  /* 2 size: of symmetric factors, sums of the terms of a pivot, those of positive
                  * pivots before it and those of negative ones */
  double* lower; /* entries of L */
  double* upper; /* entries of U */
  double least;  /* smallest relative pivot */
  bool allows_symmetric; /* see vida__elimination_allow_symmetric */
  bool is_rough;         /* see vida__elimination_make_rough */
  bool is_symmetric;     /* the last factors are: `upper` is L^T, and L is not computed */
};

static int allocate_factors(vida_elimination* made) {
  const size_t size = (size_t)made->order->size;
  const size_t entries = (size_t)made->order->start[size];
  const vida_array arrays[] = {{&made->diagonal, size + 2 * entries},
                               {&made->inverse, size},
                               {&made->terms, size},
                               {&made->x, size},
                               {&made->sums, 2 * size}};
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
static bool have_places(const vida_elimination_order* order, const double* values) {
  bool has_other = false;
  for (int k = 0; k < order->run_count; k++) {
    for (int e = order->unused[2 * k]; e < order->unused[2 * k + 1]; e++) {
      has_other |= values[e] != 0.0;
    }
  }
  return !has_other;
}

static void load(vida_elimination* elimination, const double* values) {
  const vida_elimination_order* order = elimination->order;
  double* restrict lower = elimination->lower;
  double* restrict upper = elimination->upper;
  for (int k = 0; k < order->fill_count; k++) {
    lower[order->fill[k]] = upper[order->fill[k]] = 0.0;
  }
  for (int k = 0; k < order->pair_count; k++) {
    upper[order->place[k]] = values[order->above[k]];
    lower[order->place[k]] = values[order->below[k]];
  }
  for (int i = 0; i < order->size; i++) {
    elimination->diagonal[i] = values[order->middle[i]];
    elimination->terms[i] = fabs(elimination->diagonal[i]);
  }
}

/* Loads U alone. Returns whether the values are symmetric. */
static bool load_symmetric(vida_elimination* elimination, const double* values) {
  const vida_elimination_order* order = elimination->order;
  double* restrict upper = elimination->upper;
  bool differs = false;
  for (int k = 0; k < order->fill_count; k++) {
    upper[order->fill[k]] = 0.0;
  }
  memset(elimination->sums, 0, 2 * (size_t)order->size * sizeof *elimination->sums);
  for (int k = 0; k < order->pair_count; k++) {
    const double value = values[order->above[k]];
    differs |= value != values[order->below[k]];
    upper[order->place[k]] = value;
  }
  return !differs;
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

void vida__elimination_allow_symmetric(vida_elimination* elimination) {
  elimination->allows_symmetric = true;
}

void vida__elimination_make_rough(vida_elimination* elimination, bool is_rough) {
  elimination->is_rough = is_rough;
}

/* Returns whether a pivot has kept enough digits beside its terms; *least is the smallest relative
 * pivot so far. */
static inline bool is_good_pivot(double value, double terms, double inverse, double allowed,
                                 double* least) {
  if (!(fabs(value) > allowed * terms) || !(fabs(inverse) <= DBL_MAX)) {
    return false; /* also a value that is not a number */
  }
  if (fabs(value) < *least * terms) {
    *least = fabs(value) / terms;
  }
  return true;
}

static bool factor_general(vida_elimination* elimination) {
  const vida_elimination_order* order = elimination->order;
  const int* change = order->change;
  const double allowed = elimination->is_rough ? least_rough_pivot : least_pivot;
  double least = 1.0;
  for (int k = 0; k < order->size; k++) {
    const double value = elimination->diagonal[k];
    const double inverse = 1.0 / value;
    if (!is_good_pivot(value, elimination->terms[k], inverse, allowed, &least)) {
      return false;
    }
    const int first = order->start[k], count = order->start[k + 1] - first;
    elimination->inverse[k] = inverse;
    for (int a = first; a < first + count; a++) {
      elimination->lower[a] *= inverse;
    }
    change = subtract_product(elimination, first, count, change);
  }
  elimination->least = least;
  return true;
}

/* ---- symmetric factors ----------------------------------------------------------------------- */

/* Subtracts the products of the first of `1 + others` entries of a row of U, divided by the pivot,
 * with all of them, and replaces it by that of L^T. The terms of diagonal entries have the sign of
 * the pivot; `sums` has them apart by this sign, so that one sum per sign gives the pivot and the
 * magnitude of its terms. Inlined with a constant number of others. */
static inline const int* subtract_row(double* upper, double* right, int row, double inverse,
                                      double* sums, int others, const int* change) {
  const double l = right[0] * inverse;
  sums[2 * row] += l * right[0];
  for (int b = 1; b <= others; b++) {
    upper[*change++] -= l * right[b];
  }
  right[0] = l;
  return change;
}

#if defined(__GNUC__)
#define FALL_THROUGH __attribute__((fallthrough))
#else
#define FALL_THROUGH ((void)0)
#endif

/* Calls SUBTRACT(others) for `count` rows, each with the number of rows after it, which is constant
 * for the last eight; then returns `change`. */
#define SUBTRACT_ROWS(count)   \
  for (; count > 8; count--) { \
    SUBTRACT(count - 1);       \
  }                            \
  switch (count) {             \
    case 8:                    \
      SUBTRACT(7);             \
      FALL_THROUGH;            \
    case 7:                    \
      SUBTRACT(6);             \
      FALL_THROUGH;            \
    case 6:                    \
      SUBTRACT(5);             \
      FALL_THROUGH;            \
    case 5:                    \
      SUBTRACT(4);             \
      FALL_THROUGH;            \
    case 4:                    \
      SUBTRACT(3);             \
      FALL_THROUGH;            \
    case 3:                    \
      SUBTRACT(2);             \
      FALL_THROUGH;            \
    case 2:                    \
      SUBTRACT(1);             \
      FALL_THROUGH;            \
    case 1:                    \
      SUBTRACT(0);             \
      FALL_THROUGH;            \
    default:                   \
      return change;           \
  }

/* As subtract_product, for the upper triangle: L is U^T / pivot. Most columns of mechanisms have
 * few entries, for which the set-up of loops would cost more than the arithmetic. */
static const int* subtract_symmetric(vida_elimination* elimination, int first, int count,
                                     double inverse, const int* change) {
  double* upper = elimination->upper;
  double* right = upper + first;
  const int* row = elimination->order->row + first;
  double* sums = elimination->sums + (inverse < 0.0 ? 1 : 0);
#define SUBTRACT(others) \
  change = subtract_row(upper, right++, *row++, inverse, sums, (others), change)
  SUBTRACT_ROWS(count)
#undef SUBTRACT
}

/* As subtract_row, for the rows of two pivots. */
static inline const int* subtract_two(double* upper, double* right, double* next, int row,
                                      const double* inverse, double* const* sums, int others,
                                      const int* change) {
  const double l = right[0] * inverse[0], m = next[0] * inverse[1];
  sums[0][2 * row] += l * right[0];
  sums[1][2 * row] += m * next[0];
  for (int b = 1; b <= others; b++) {
    upper[*change++] -= l * right[b] + m * next[b];
  }
  right[0] = l;
  next[0] = m;
  return change;
}

/* As subtract_symmetric, for two steps of which the first one has the rows of the second one: these
 * `count` rows, with the rows of U that begin at right and next. */
static const int* subtract_twins(vida_elimination* elimination, double* right, double* next,
                                 const int* row, int count, const double* inverse,
                                 const int* change) {
  double* upper = elimination->upper;
  double* const sums[2] = {elimination->sums + (inverse[0] < 0.0 ? 1 : 0),
                           elimination->sums + (inverse[1] < 0.0 ? 1 : 0)};
#define SUBTRACT(others) \
  change = subtract_two(upper, right++, next++, *row++, inverse, sums, (others), change)
  SUBTRACT_ROWS(count)
#undef SUBTRACT
}

/* Computes the pivot of step k. Returns whether it is good. */
static inline bool find_pivot(vida_elimination* elimination, const double* values, int k,
                              double allowed, double* least) {
  const double value = values[elimination->order->middle[k]];
  const double* sum = elimination->sums + 2 * k;
  const double left = value - sum[0] - sum[1];
  elimination->inverse[k] = 1.0 / left;
  return is_good_pivot(left, fabs(value) + sum[0] - sum[1], elimination->inverse[k], allowed,
                       least);
}

/* Eliminates row k from row k + 1, its twin with `count` more rows. */
static inline void subtract_from_twin(vida_elimination* elimination, int k, int count) {
  double* restrict right = elimination->upper + elimination->order->start[k];
  double* restrict next = elimination->upper + elimination->order->start[k + 1];
  const double l = right[0] * elimination->inverse[k];
  elimination->sums[2 * (k + 1) + (l * right[0] < 0.0 ? 1 : 0)] += l * right[0];
  for (int b = 0; b < count; b++) {
    next[b] -= l * right[b + 1];
  }
  right[0] = l;
}

static bool factor_symmetric(vida_elimination* elimination, const double* values) {
  const vida_elimination_order* order = elimination->order;
  const int* change = order->change;
  const double allowed = elimination->is_rough ? least_rough_pivot : least_pivot;
  double least = 1.0;
  for (int k = 0; k < order->size; k++) {
    const int first = order->start[k], count = order->start[k + 1] - first;
    if (!find_pivot(elimination, values, k, allowed, &least)) {
      return false;
    }
    if (!order->is_twin[k]) {
      change = subtract_symmetric(elimination, first, count, elimination->inverse[k], change);
      continue;
    }
    subtract_from_twin(elimination, k, count - 1);
    k++;
    if (!find_pivot(elimination, values, k, allowed, &least)) {
      return false;
    }
    const int next = order->start[k];
    /* The list of the second step is the end of that of the first one. */
    change = subtract_twins(elimination, elimination->upper + first + 1, elimination->upper + next,
                            order->row + next, count - 1, elimination->inverse + k - 1,
                            change + count - 1);
    change += (count - 1) * (count - 2) / 2;
  }
  elimination->least = least;
  return true;
}

bool vida__elimination_factor(vida_elimination* elimination, const double* values) {
  if (!have_places(elimination->order, values)) {
    return false;
  }
  elimination->is_symmetric = elimination->allows_symmetric && load_symmetric(elimination, values);
  if (elimination->is_symmetric) {
    return factor_symmetric(elimination, values);
  }
  load(elimination, values);
  return factor_general(elimination);
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* Solves with L and U for y, whose elements are in the order of elimination. */
static void solve_general(const vida_elimination* elimination, double* restrict y) {
  const vida_elimination_order* order = elimination->order;
  const double* restrict lower = elimination->lower;
  const double* restrict upper = elimination->upper;
  const int* restrict row = order->row;
  int a = 0;
  for (int k = 0; k < order->size; k++) {
    const double value = y[k];
    for (const int end = order->start[k + 1]; a < end; a++) {
      y[row[a]] -= lower[a] * value;
    }
  }
  for (int k = order->size - 1; k >= 0; k--) {
    double value = y[k];
    for (const int first = order->start[k]; a > first;) {
      a--;
      value -= upper[a] * y[row[a]];
    }
    y[k] = value * elimination->inverse[k];
  }
}

/* Solves with a column of L for y[k]. */
static inline void subtract_column(const vida_elimination_order* order, const double* restrict l,
                                   double* restrict y, int k) {
  const double value = y[k];
  for (int a = order->start[k]; a < order->start[k + 1]; a++) {
    y[order->row[a]] -= l[a] * value;
  }
}

/* Solves with the columns of L of the twins k and k + 1, which read and write y once. */
static inline void subtract_columns(const vida_elimination_order* order, const double* restrict l,
                                    double* restrict y, int k) {
  const int first = order->start[k], second = order->start[k + 1];
  const int* restrict row = order->row + second;
  const double *of_value = l + first + 1, *of_next = l + second;
  const double value = y[k];
  const double next = y[k + 1] -= l[first] * value;
  for (int b = 0; b < second - first - 1; b++) {
    y[row[b]] = y[row[b]] - of_value[b] * value - of_next[b] * next;
  }
}

/* Solves with a row of L^T for y[k]. */
static inline void gather_row(const vida_elimination_order* order, const double* restrict l,
                              double* restrict y, int k, double inverse) {
  double value = y[k] * inverse;
  for (int a = order->start[k + 1] - 1; a >= order->start[k]; a--) {
    value -= l[a] * y[order->row[a]];
  }
  y[k] = value;
}

/* Solves with the rows of L^T of the twins k and k + 1. */
static inline void gather_rows(const vida_elimination_order* order, const double* restrict l,
                               double* restrict y, int k, const double* inverse) {
  const int first = order->start[k], second = order->start[k + 1];
  const int* restrict row = order->row + second;
  const double *of_value = l + first + 1, *of_next = l + second;
  double value = y[k] * inverse[0], next = y[k + 1] * inverse[1];
  for (int b = second - first - 2; b >= 0; b--) {
    value -= of_value[b] * y[row[b]];
    next -= of_next[b] * y[row[b]];
  }
  y[k + 1] = next;
  y[k] = value - l[first] * next;
}

/* As solve_general, with symmetric factors. */
static void solve_symmetric(const vida_elimination* elimination, double* y) {
  const vida_elimination_order* order = elimination->order;
  const double *l = elimination->upper, *inverse = elimination->inverse;
  for (int k = 0; k < order->size; k++) {
    if (order->is_twin[k]) {
      subtract_columns(order, l, y, k++);
    } else {
      subtract_column(order, l, y, k);
    }
  }
  for (int k = order->size - 1; k >= 0; k--) {
    if (k > 0 && order->is_twin[k - 1]) {
      k--;
      gather_rows(order, l, y, k, inverse + k);
    } else {
      gather_row(order, l, y, k, inverse[k]);
    }
  }
}

/* As solve_symmetric, for the steps behind the leading rows alone. */
static void solve_last(const vida_elimination* elimination, double* y) {
  const vida_elimination_order* order = elimination->order;
  const double *l = elimination->upper, *inverse = elimination->inverse;
  const int* last = order->last;
  for (int i = 0; i < order->last_count; i++) {
    if (order->is_twin[last[i]]) { /* the next step is of this kind, too */
      subtract_columns(order, l, y, last[i++]);
    } else {
      subtract_column(order, l, y, last[i]);
    }
  }
  for (int i = order->last_count - 1; i >= 0; i--) {
    const int k = last[i];
    if (i > 0 && last[i - 1] == k - 1 && order->is_twin[k - 1]) {
      i--;
      gather_rows(order, l, y, k - 1, inverse + k - 1);
    } else {
      gather_row(order, l, y, k, inverse[k]);
    }
  }
}

static void solve(const vida_elimination* elimination, double* y) {
  if (elimination->is_symmetric) {
    solve_symmetric(elimination, y);
  } else {
    solve_general(elimination, y);
  }
}

void vida__elimination_solve(const vida_elimination* elimination, const double* b, double* x) {
  const vida_elimination_order* order = elimination->order;
  double* y = elimination->x;
  for (int k = 0; k < order->size; k++) {
    y[k] = b[order->pivot[k]];
  }
  solve(elimination, y);
  for (int k = 0; k < order->size; k++) {
    x[order->pivot[k]] = y[k];
  }
}

void vida__elimination_solve_last(const vida_elimination* elimination, const double* b, double* x) {
  const vida_elimination_order* order = elimination->order;
  const int leading = order->pattern->leading;
  const bool is_apart = elimination->is_symmetric && order->last_count > 0;
  double* y = elimination->x;
  for (int i = 0; i < order->last_count && is_apart; i++) {
    y[order->last[i]] = b[order->pivot[order->last[i]] - leading];
  }
  if (is_apart) {
    solve_last(elimination, y);
    for (int i = 0; i < order->last_count; i++) {
      x[order->pivot[order->last[i]] - leading] = y[order->last[i]];
    }
    return;
  }
  for (int k = 0; k < order->size; k++) {
    y[k] = order->pivot[k] < leading ? 0.0 : b[order->pivot[k] - leading];
  }
  solve(elimination, y);
  for (int k = 0; k < order->size; k++) {
    if (order->pivot[k] >= leading) {
      x[order->pivot[k] - leading] = y[k];
    }
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
    sign = elimination->inverse[i] < 0.0 ? -sign : sign;
  }
  return sign;
}

void vida__elimination_record(vida_elimination* elimination, VidaRecord* record) {
  const size_t size = (size_t)elimination->order->size;
  const size_t entries = (size_t)elimination->order->start[size];
  VidaRecord_Reals(record, elimination->diagonal, size + 2 * entries);
  VidaRecord_Reals(record, elimination->inverse, size);
  VidaRecord_Reals(record, elimination->terms, size);
  VidaRecord_Reals(record, elimination->sums, 2 * size);
  VidaRecord_Reals(record, &elimination->least, 1);
  VidaRecord_Flag(record, &elimination->allows_symmetric);
  VidaRecord_Flag(record, &elimination->is_rough);
  VidaRecord_Flag(record, &elimination->is_symmetric);
}
