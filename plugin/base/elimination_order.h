/* The order of an elimination, and the pattern of its factors. */
#ifndef VIDA_BASE_ELIMINATION_ORDER_H
#define VIDA_BASE_ELIMINATION_ORDER_H

#include <stdbool.h>

#include "base/linear.h"

/* Rows and columns are eliminated in the same order. Step k eliminates row and column pivot[k] of
 * the matrix. The rows with entries in this column below the pivot are row[start[k]] to
 * row[start[k + 1] - 1], given by the steps that eliminate them, in ascending order. */
typedef struct vida_elimination_order {
  const vida_pattern* pattern;
  int size;       /* of the matrix; 0: elimination would not be cheap, or is not possible */
  int pair_count; /* number of used pairs of an entry and its transposed one */
  int fill_count; /* number of pairs of entries of L and U that are zero before the elimination */
  int run_count;  /* number of runs of the other entries, which are zero */
  int* pivot;     /* size */
  int* start;     /* size + 1 */
  int* row;       /* entries of L or U */
  int* middle;    /* size: index of the value of each pivot in the pattern, by steps */
  int* above;     /* pair_count: index of the value in U */
  int* below;     /* pair_count: index of the value in L */
  int* place;     /* pair_count: its place in U, which is that in L */
  int* fill;      /* fill_count: places of these in L and U */
  bool* is_twin;  /* size: the rows of a step below the pivot are the next step and its rows */
  int* last;      /* last_count: the steps that eliminate rows behind the leading ones, if these
                   * steps have no leading rows below their pivots */
  int last_count; /* 0: some have */
  int* unused;    /* 2 run_count: for each run of other entries the index of the first one in the
                   * pattern, and the index after the last one */
  int* change;    /* for step k and each pair a < b of its rows: index of the entry (a,b) in U,
                   * which is that of (b,a) in L */
  int* work;      /* 5 size */
  size_t row_capacity, change_capacity;
} vida_elimination_order;

/* Finds the order for a symmetric pattern with a full diagonal; its size is 0 for a pattern that is
 * not symmetric. The pattern must outlive the order. The caller frees the arrays with
 * vida__free_elimination_order, also after a failure. Fails only without memory. */
int vida__find_elimination_order(const vida_pattern* pattern, vida_elimination_order* order);
/* Copies an order of all entries, with the memory for vida__narrow_elimination_order. */
int vida__copy_elimination_order(const vida_elimination_order* from, vida_elimination_order* to);
/* Omits each entry of the leading block that is not used and whose transposed entry is not used
 * either. `used` has pattern->entries elements. Allocates nothing. */
void vida__narrow_elimination_order(vida_elimination_order* order, const bool* used);
/* Frees the arrays of an order. */
void vida__free_elimination_order(vida_elimination_order* order);

#endif
