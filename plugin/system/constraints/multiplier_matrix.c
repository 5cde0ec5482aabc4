#include "system/constraints/multiplier_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/memory.h"

/* Largest number of products per entry of G, on average, of a matrix that is cheaper than that of
 * coordinates and multipliers. A coordinate with k constraints gives k^2 products. */
static const double most_products = 8.0;

/* Work space: the entries of G by coordinates and by rows. */
typedef struct entry_lists {
  const vida_entry_table* table;
  int* start; /* n + 1: index of the first entry of a coordinate in `entry` */
  int* entry;
  int* row_start; /* m + 1 */
  int* mark;      /* m: the last column that has met a row */
} entry_lists;

static void free_lists(entry_lists* lists) {
  free(lists->start);
  free(lists->entry);
  free(lists->row_start);
  free(lists->mark);
}

/* Counts at i + 2; filling the lists then advances start[i + 1] to its final value. */
static int make_lists(const vida_entry_table* table, entry_lists* lists) {
  const int n = table->coordinate_count, m = table->row_count;
  lists->table = table;
  lists->start = vida__allocate((size_t)n + 2, sizeof *lists->start);
  lists->entry = vida__allocate((size_t)table->entry_count, sizeof *lists->entry);
  lists->row_start = vida__allocate((size_t)m + 1, sizeof *lists->row_start);
  lists->mark = vida__allocate((size_t)m, sizeof *lists->mark);
  if (!lists->start || !lists->entry || !lists->row_start || !lists->mark) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int e = 0; e < table->entry_count; e++) {
    lists->start[table->entries[e].coordinate + 2]++;
  }
  for (int i = 0; i < n; i++) {
    lists->start[i + 2] += lists->start[i + 1];
  }
  for (int e = 0; e < table->entry_count; e++) {
    lists->entry[lists->start[table->entries[e].coordinate + 1]++] = e;
  }
  return VIDA_SUCCESS;
}

static double count_products(const entry_lists* lists) {
  double products = 0.0;
  for (int i = 0; i < lists->table->coordinate_count; i++) {
    const double entries = lists->start[i + 1] - lists->start[i];
    products += entries * entries;
  }
  return products;
}

/* ---- pattern --------------------------------------------------------------------------------- */

/* The entries of a row are consecutive, but rows may follow each other in any order. */
static void find_rows(entry_lists* lists) {
  const vida_jacobian_entry* entry = lists->table->entries;
  for (int e = lists->table->entry_count - 1; e >= 0; e--) {
    lists->row_start[entry[e].row] = e;
  }
}

static bool is_in_row(const vida_entry_table* table, int e, int row) {
  return e >= 0 && e < table->entry_count && table->entries[e].row == row;
}

static int compare(const void* a, const void* b) {
  const sunindextype left = *(const sunindextype*)a, right = *(const sunindextype*)b;
  return (left > right) - (left < right);
}

/* Appends column `column`: the rows that share a coordinate with this constraint. */
static void add_column(entry_lists* lists, int column, vida_pattern* pattern) {
  const vida_entry_table* table = lists->table;
  sunindextype* const first = pattern->row + pattern->entries;
  lists->mark[column] = column;
  pattern->row[pattern->entries++] = column;
  for (int e = lists->row_start[column]; is_in_row(table, e, column); e++) {
    const int i = table->entries[e].coordinate;
    for (int k = lists->start[i]; k < lists->start[i + 1]; k++) {
      const int row = table->entries[lists->entry[k]].row;
      if (lists->mark[row] != column) {
        lists->mark[row] = column;
        pattern->row[pattern->entries++] = row;
      }
    }
  }
  qsort(first, (size_t)(pattern->row + pattern->entries - first), sizeof *first, compare);
  pattern->column_start[column + 1] = pattern->entries;
}

static int find_pattern(entry_lists* lists, size_t products, vida_pattern* pattern) {
  const int m = lists->table->row_count;
  pattern->column_start = vida__allocate((size_t)m + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate((size_t)m + products, sizeof *pattern->row);
  if (!pattern->column_start || !pattern->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int r = 0; r < m; r++) {
    lists->mark[r] = -1;
  }
  for (int r = 0; r < m; r++) {
    add_column(lists, r, pattern);
  }
  pattern->size = pattern->leading = m;
  return vida__order_pattern(pattern);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Returns whether two entries have the same coordinate, and so are the factors of one product. */
static bool is_product(const vida_entry_table* table, int left, int right, int row, int column) {
  return is_in_row(table, left, row) && is_in_row(table, right, column) &&
         table->entries[left].coordinate == table->entries[right].coordinate;
}

/* Adds the products that begin with two entries of the same coordinate; those that begin with
 * earlier entries contain them already. */
static void add_products(const vida_entry_table* table, int left, int right,
                         vida_multiplier_matrix* matrix) {
  const int row = table->entries[left].row, column = table->entries[right].row;
  if (is_product(table, left - 1, right - 1, row, column)) {
    return;
  }
  int count = 1;
  while (is_product(table, left + count, right + count, row, column)) {
    count++;
  }
  matrix->products[matrix->product_count++] =
      (vida_entry_products){left, right, count, vida__pattern_slot(&matrix->pattern, row, column),
                            vida__pattern_slot(&matrix->pattern, column, row)};
}

/* Adds the products on and below the diagonal, or those above it. */
static void add_triangle(const entry_lists* lists, bool is_lower, vida_multiplier_matrix* matrix) {
  const vida_jacobian_entry* entry = lists->table->entries;
  for (int left = 0; left < lists->table->entry_count; left++) {
    const int i = entry[left].coordinate;
    for (int k = lists->start[i]; k < lists->start[i + 1]; k++) {
      const int right = lists->entry[k];
      if ((entry[left].row >= entry[right].row) == is_lower) {
        add_products(lists->table, left, right, matrix);
      }
    }
  }
}

static int find_products(const entry_lists* lists, size_t products,
                         vida_multiplier_matrix* matrix) {
  matrix->products = vida__allocate(products, sizeof *matrix->products);
  if (!matrix->products) {
    return VIDA_OUT_OF_MEMORY;
  }
  add_triangle(lists, true, matrix);
  matrix->lower_count = matrix->product_count;
  add_triangle(lists, false, matrix);
  return VIDA_SUCCESS;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Returns whether an entry continues the run of the one before it. */
static bool continues_run(const vida_entry_table* table, int e) {
  const vida_jacobian_entry* entry = table->entries + e;
  return e > 0 && entry->row == entry[-1].row && entry->coordinate == entry[-1].coordinate + 1;
}

static int find_runs(const vida_entry_table* table, vida_entry_runs* runs) {
  const size_t entries = (size_t)table->entry_count, m = (size_t)table->row_count;
  runs->row = vida__allocate(2 * entries + 2 * m, sizeof *runs->row);
  if (!runs->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  runs->row_end = runs->row + m;
  runs->coordinate = runs->row_end + m;
  runs->count = runs->coordinate + entries;
  for (int e = 0; e < table->entry_count; e++) {
    if (!continues_run(table, e)) {
      runs->coordinate[runs->run_count++] = table->entries[e].coordinate;
    }
    if (e == 0 || table->entries[e].row != table->entries[e - 1].row) {
      runs->row[runs->row_count++] = table->entries[e].row;
    }
    runs->count[runs->run_count - 1]++;
    runs->row_end[runs->row_count - 1] = runs->run_count;
  }
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

int vida__find_entry_matrix(const vida_entry_table* table, double most,
                            vida_multiplier_matrix* matrix) {
  entry_lists lists = {0};
  int code = make_lists(table, &lists);
  const double products = code ? 0.0 : count_products(&lists);
  if (!code && products <= most * table->entry_count) {
    find_rows(&lists);
    code = find_runs(table, &matrix->runs);
    code = code ? code : find_pattern(&lists, (size_t)products, &matrix->pattern);
    code = code ? code : find_products(&lists, (size_t)products, matrix);
  }
  free_lists(&lists);
  return code;
}

int vida__find_multiplier_matrix(const VidaSystem* system, vida_multiplier_matrix* matrix) {
  const vida_entry_table table = {system->coordinate_count, system->row_count, system->entry_count,
                                  system->entries};
  return vida__find_entry_matrix(&table, most_products, matrix);
}

void vida__free_multiplier_matrix(vida_multiplier_matrix* matrix) {
  vida__free_pattern_order(&matrix->pattern);
  free(matrix->pattern.column_start);
  free(matrix->pattern.row);
  free(matrix->products);
  free(matrix->runs.row);
  memset(matrix, 0, sizeof *matrix);
}

/* ---- values ---------------------------------------------------------------------------------- */

static inline double sum_products(const vida_entry_products* product, const double* left,
                                  const double* right) {
  double sum = left[0] * right[0];
  if (product->count == 3) { /* a point in space */
    return sum + (left[1] * right[1] + left[2] * right[2]);
  }
  if (product->count <= 2) {
    return product->count == 2 ? sum + left[1] * right[1] : sum;
  }
  for (int i = 1; i < product->count; i++) {
    sum += left[i] * right[i];
  }
  return sum;
}

void vida__add_entry_products(const vida_multiplier_matrix* matrix, const double* entries,
                              const double* columns, double* values) {
  for (int k = 0; k < matrix->product_count; k++) {
    const vida_entry_products* product = &matrix->products[k];
    values[product->slot] +=
        sum_products(product, entries + product->left, columns + product->right);
  }
}

/* By threes, the coordinates of points in space, whose sums do not wait for each other. */
static inline double sum_run(int count, const double* left, const double* right) {
  double sum = 0.0;
  for (; count >= 3; count -= 3, left += 3, right += 3) {
    sum += left[0] * right[0] + left[1] * right[1] + left[2] * right[2];
  }
  if (count > 0) {
    sum += left[0] * right[0];
  }
  if (count > 1) {
    sum += left[1] * right[1];
  }
  return sum;
}

void vida__add_entry_squares(const vida_multiplier_matrix* matrix, const double* entries,
                             double* values) {
  for (int k = 0; k < matrix->lower_count; k++) {
    const vida_entry_products* product = &matrix->products[k];
    const double sum = sum_run(product->count, entries + product->left, entries + product->right);
    values[product->slot] += sum;
    if (product->transposed != product->slot) {
      values[product->transposed] += sum;
    }
  }
}

/* ---- sums over the entries ------------------------------------------------------------------- */

void vida__scale_runs(const vida_entry_runs* runs, const double* entries, const double* factor,
                      double* restrict scaled) {
  for (int k = 0; k < runs->run_count; k++) {
    const double* own = factor + runs->coordinate[k];
    const int count = runs->count[k];
    if (count == 3) { /* a point in space */
      scaled[0] = own[0] * entries[0];
      scaled[1] = own[1] * entries[1];
      scaled[2] = own[2] * entries[2];
    } else if (count == 2) { /* in the plane */
      scaled[0] = own[0] * entries[0];
      scaled[1] = own[1] * entries[1];
    } else {
      for (int i = 0; i < count; i++) {
        scaled[i] = own[i] * entries[i];
      }
    }
    entries += count;
    scaled += count;
  }
}

void vida__multiply_runs(const vida_entry_runs* runs, const double* entries, const double* x,
                         const double* given, double* result) {
  for (int r = 0, k = 0; r < runs->row_count; r++) {
    double sum = -given[runs->row[r]];
    for (const int end = runs->row_end[r]; k < end; k++) {
      sum += sum_run(runs->count[k], entries, x + runs->coordinate[k]);
      entries += runs->count[k];
    }
    result[runs->row[r]] = sum;
  }
}

void vida__subtract_runs(const vida_entry_runs* runs, const double* entries, const double* y,
                         double* restrict x) {
  for (int r = 0, k = 0; r < runs->row_count; r++) {
    const double impulse = y[runs->row[r]];
    for (const int end = runs->row_end[r]; k < end; k++) {
      double* own = x + runs->coordinate[k];
      const int count = runs->count[k];
      if (count == 3) {
        own[0] -= entries[0] * impulse;
        own[1] -= entries[1] * impulse;
        own[2] -= entries[2] * impulse;
      } else if (count == 2) {
        own[0] -= entries[0] * impulse;
        own[1] -= entries[1] * impulse;
      } else {
        for (int i = 0; i < count; i++) {
          own[i] -= entries[i] * impulse;
        }
      }
      entries += count;
    }
  }
}
