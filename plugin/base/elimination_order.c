#include "base/elimination_order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>

#include "base/memory.h"

/* Most changes of entries for each entry of the factors: beyond it, their list costs more than it
 * saves. */
static const double most_changes = 16.0;

/* Work space, by rows or steps. */
typedef struct symbolic {
  const vida_pattern* pattern;
  vida_elimination_order* order;
  const bool* used; /* entries; NULL: all */
  int* position;    /* step in which a row is eliminated */
  int* missing;     /* what a row waits for */
  int* mark;        /* the last step that has met a step */
  int* head;        /* first child of a step, whose pattern it takes over; -1: none */
  int* next;        /* next child of the same step */
} symbolic;

static symbolic work_of(vida_elimination_order* order, const bool* used) {
  const size_t size = (size_t)order->pattern->size;
  int* work = order->work;
  return (symbolic){.pattern = order->pattern,
                    .order = order,
                    .used = used,
                    .position = work,
                    .missing = work + size,
                    .mark = work + 2 * size,
                    .head = work + 3 * size,
                    .next = work + 4 * size};
}

void vida__free_elimination_order(vida_elimination_order* order) {
  int* const arrays[] = {order->pivot, order->start,  order->row,   order->middle,
                         order->above, order->below,  order->place, order->unused,
                         order->fill,  order->change, order->work,  order->last};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    free(arrays[k]);
  }
  free(order->is_twin);
  memset(order, 0, sizeof *order);
}

static bool is_used(const symbolic* work, int row, int column, sunindextype entry) {
  const vida_pattern* pattern = work->pattern;
  return !work->used || row == column || row >= pattern->leading || column >= pattern->leading ||
         work->used[entry] || work->used[vida__pattern_slot(pattern, column, row)];
}

/* ---- the order ------------------------------------------------------------------------------- */

static void emit(symbolic* work, int row, int* count) {
  work->position[row] = *count;
  work->order->pivot[(*count)++] = row;
}

/* Rows behind the leading ones wait for their own turn in KLU's order and for all leading rows that
 * they contain. */
static void delay_constraints(symbolic* work, const sunindextype* turns) {
  const vida_pattern* pattern = work->pattern;
  const int leading = pattern->leading;
  int count = 0;
  for (int i = 0; i < pattern->size; i++) {
    work->missing[i] = 1;
    for (sunindextype k = pattern->column_start[i]; k < pattern->column_start[i + 1]; k++) {
      work->missing[i] += i >= leading && pattern->row[k] < leading ? 1 : 0;
    }
  }
  for (int turn = 0; turn < pattern->size; turn++) {
    const int i = (int)turns[turn];
    if (--work->missing[i] == 0) {
      emit(work, i, &count);
    }
    for (sunindextype k = pattern->column_start[i]; i < leading && k < pattern->column_start[i + 1];
         k++) {
      const int waiting = (int)pattern->row[k];
      if (waiting >= leading && --work->missing[waiting] == 0) {
        emit(work, waiting, &count);
      }
    }
  }
}

static int find_order(symbolic* work) {
  const vida_pattern* pattern = work->pattern;
  sun_klu_common common;
  sun_klu_defaults(&common);
  common.btf = 0; /* blocks would permute rows and columns differently */
  sun_klu_symbolic* found =
      sun_klu_analyze(pattern->size, (void*)pattern->column_start, (void*)pattern->row, &common);
  if (!found) {
    return VIDA_OUT_OF_MEMORY;
  }
  delay_constraints(work, found->Q);
  sun_klu_free_symbolic(&found, &common);
  return VIDA_SUCCESS;
}

/* ---- the pattern of the factors -------------------------------------------------------------- */

static int compare(const void* a, const void* b) {
  const int left = *(const int*)a, right = *(const int*)b;
  return (left > right) - (left < right);
}

/* Most columns are short, and their entries come in a few ascending parts. */
static void sort_steps(int* step, int count) {
  enum { SHORT = 32 };
  if (count > SHORT) {
    qsort(step, (size_t)count, sizeof *step, compare);
    return;
  }
  for (int a = 1; a < count; a++) {
    const int own = step[a];
    int b = a;
    for (; b > 0 && step[b - 1] > own; b--) {
      step[b] = step[b - 1];
    }
    step[b] = own;
  }
}

static void add_step(symbolic* work, int k, int step, int* end) {
  if (step > k && work->mark[step] != k) {
    work->mark[step] = k;
    work->order->row[(*end)++] = step;
  }
}

/* Makes room for the column of step k; an order that is narrowed has it. */
static int reserve_column(symbolic* work, int k) {
  const vida_pattern* pattern = work->pattern;
  vida_elimination_order* order = work->order;
  const int pivot = order->pivot[k];
  size_t most = (size_t)order->start[k] +
                (size_t)(pattern->column_start[pivot + 1] - pattern->column_start[pivot]);
  if (work->used) {
    return VIDA_SUCCESS;
  }
  for (int child = work->head[k]; child >= 0; child = work->next[child]) {
    most += (size_t)(order->start[child + 1] - order->start[child]);
  }
  return most > INT_MAX
             ? VIDA_NOT_SUPPORTED
             : vida__reserve((void**)&order->row, &order->row_capacity, most, sizeof *order->row);
}

/* The column of step k has the entries of the matrix below the pivot, and those of the columns
 * whose first entry is in row k. */
static int find_column(symbolic* work, int k) {
  const vida_pattern* pattern = work->pattern;
  vida_elimination_order* order = work->order;
  const int pivot = order->pivot[k];
  const int code = reserve_column(work, k);
  if (code) {
    return code;
  }
  int end = order->start[k];
  for (sunindextype e = pattern->column_start[pivot]; e < pattern->column_start[pivot + 1]; e++) {
    if (is_used(work, (int)pattern->row[e], pivot, e)) {
      add_step(work, k, work->position[pattern->row[e]], &end);
    }
  }
  for (int child = work->head[k]; child >= 0; child = work->next[child]) {
    for (int a = order->start[child]; a < order->start[child + 1]; a++) {
      add_step(work, k, order->row[a], &end);
    }
  }
  sort_steps(order->row + order->start[k], end - order->start[k]);
  order->start[k + 1] = end;
  if (end > order->start[k]) {
    const int parent = order->row[order->start[k]];
    work->next[k] = work->head[parent];
    work->head[parent] = k;
  }
  return VIDA_SUCCESS;
}

static int find_columns(symbolic* work) {
  const int size = work->pattern->size;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < size; k++) {
    work->head[k] = work->mark[k] = -1;
  }
  for (int k = 0; k < size && !code; k++) {
    code = find_column(work, k);
  }
  return code;
}

/* ---- places of values ------------------------------------------------------------------------ */

/* The index of a row in the column of a step. */
static int find_entry(const vida_elimination_order* order, int k, int step) {
  int low = order->start[k], high = order->start[k + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (order->row[middle] < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void add_unused(vida_elimination_order* order, int entry) {
  const int last = order->run_count - 1;
  if (last >= 0 && order->unused[2 * last + 1] == entry) {
    order->unused[2 * last + 1]++;
  } else {
    order->unused[2 * last + 2] = entry;
    order->unused[2 * last + 3] = entry + 1;
    order->run_count++;
  }
}

/* Places the pair of an entry above the diagonal, in the order of elimination, and the transposed
 * entry. */
static void add_pair(symbolic* work, int row, int column, int entry, int transposed) {
  vida_elimination_order* order = work->order;
  const int pair = order->pair_count++;
  order->above[pair] = entry;
  order->below[pair] = transposed;
  order->place[pair] = find_entry(order, work->position[row], work->position[column]);
}

/* Columns that are visited in turn meet the entries of a row in turn, so that transposed entries
 * need no search. */
static void find_places(symbolic* work) {
  const vida_pattern* pattern = work->pattern;
  vida_elimination_order* order = work->order;
  int* next = work->next; /* next entry of a column whose transposed one is met */
  order->pair_count = order->run_count = 0;
  for (int i = 0; i < pattern->size; i++) {
    next[i] = (int)pattern->column_start[i];
  }
  for (int column = 0; column < pattern->size; column++) {
    for (int e = (int)pattern->column_start[column]; e < pattern->column_start[column + 1]; e++) {
      const int row = (int)pattern->row[e];
      const int transposed = next[row]++;
      const bool is_left_out = work->used && row != column && row < pattern->leading &&
                               column < pattern->leading && !work->used[e] &&
                               !work->used[transposed];
      if (is_left_out) {
        add_unused(order, e);
      } else if (row == column) {
        order->middle[work->position[row]] = e;
      } else if (work->position[row] < work->position[column]) {
        add_pair(work, row, column, e, transposed);
      }
    }
  }
}

/* Finds the entries of the factors that are the place of no value. */
static void find_fill(vida_elimination_order* order) {
  const int entries = order->start[order->pattern->size];
  int* fill = order->fill; /* first: whether each is one, then their list */
  for (int a = 0; a < entries; a++) {
    fill[a] = 1;
  }
  for (int k = 0; k < order->pair_count; k++) {
    fill[order->place[k]] = 0;
  }
  order->fill_count = 0;
  for (int a = 0; a < entries; a++) {
    if (fill[a]) {
      fill[order->fill_count++] = a;
    }
  }
}

/* The rows behind the first one are among those of its column: they are all if both have as many.
 */
static void find_twins(vida_elimination_order* order) {
  const int size = order->pattern->size;
  for (int k = 0; k < size; k++) {
    const int first = order->start[k], end = order->start[k + 1];
    order->is_twin[k] =
        end > first && order->row[first] == k + 1 && order->start[k + 2] - end == end - first - 1;
  }
}

/* Finds the steps behind the leading rows. Their rows of an inverse need no others, unless a step
 * of theirs has a leading row below the pivot. */
static void find_last(vida_elimination_order* order) {
  const int leading = order->pattern->leading;
  order->last_count = 0;
  for (int k = 0; k < order->pattern->size; k++) {
    bool has_leading = false;
    if (order->pivot[k] < leading) {
      continue;
    }
    for (int a = order->start[k]; a < order->start[k + 1]; a++) {
      has_leading |= order->pivot[order->row[a]] < leading;
    }
    if (has_leading) {
      order->last_count = 0;
      return;
    }
    order->last[order->last_count++] = k;
  }
}

static double count_changes(const vida_elimination_order* order, int size) {
  double changes = 0.0;
  for (int k = 0; k < size; k++) {
    const double rows = order->start[k + 1] - order->start[k];
    changes += 0.5 * rows * (rows - 1.0);
  }
  return changes;
}

/* The rows behind a row of a column are among those of the column of that row, in the same order.
 */
static void find_changes(symbolic* work) {
  const vida_elimination_order* order = work->order;
  int* change = order->change;
  for (int k = 0; k < work->pattern->size; k++) {
    for (int a = order->start[k]; a < order->start[k + 1]; a++) {
      int entry = order->start[order->row[a]];
      for (int b = a + 1; b < order->start[k + 1]; b++) {
        while (order->row[entry] != order->row[b]) {
          entry++;
        }
        *change++ = entry;
      }
    }
  }
}

static void place_values(symbolic* work) {
  find_places(work);
  find_fill(work->order);
  find_twins(work->order);
  find_last(work->order);
  find_changes(work);
}

static int allocate_places(vida_elimination_order* order, size_t slots, size_t changes) {
  const size_t entries = (size_t)order->pattern->entries;
  const size_t pairs = (entries - (size_t)order->pattern->size) / 2 + 1;
  order->middle = vida__allocate((size_t)order->pattern->size, sizeof *order->middle);
  order->above = vida__allocate(pairs, sizeof *order->above);
  order->below = vida__allocate(pairs, sizeof *order->below);
  order->place = vida__allocate(pairs, sizeof *order->place);
  order->unused = vida__allocate(2 * entries + 1, sizeof *order->unused);
  order->fill = vida__allocate(slots + 1, sizeof *order->fill);
  order->last = vida__allocate((size_t)order->pattern->size, sizeof *order->last);
  order->is_twin = vida__allocate((size_t)order->pattern->size, sizeof *order->is_twin);
  order->change = vida__allocate(changes + 1, sizeof *order->change);
  order->change_capacity = changes;
  const bool has_all = order->middle && order->above && order->below && order->place &&
                       order->unused && order->fill && order->is_twin && order->last &&
                       order->change;
  return has_all ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int allocate_steps(vida_elimination_order* order) {
  const size_t size = (size_t)order->pattern->size;
  order->pivot = vida__allocate(size, sizeof *order->pivot);
  order->start = vida__allocate(size + 1, sizeof *order->start);
  order->work = vida__allocate(5 * size, sizeof *order->work);
  return order->pivot && order->start && order->work ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* Places the values, unless elimination would not be cheap. */
static int complete(symbolic* work) {
  const vida_pattern* pattern = work->pattern;
  vida_elimination_order* order = work->order;
  const double changes = count_changes(order, pattern->size);
  const double entries = pattern->size + 2.0 * order->start[pattern->size];
  if (changes > most_changes * entries || entries > INT_MAX) {
    return VIDA_SUCCESS;
  }
  const int code = allocate_places(order, (size_t)order->start[pattern->size], (size_t)changes);
  if (!code) {
    place_values(work);
    order->size = pattern->size;
  }
  return code;
}

/* Returns whether each entry has a transposed one. */
static bool is_symmetric(const vida_pattern* pattern) {
  for (int column = 0; column < pattern->size; column++) {
    for (sunindextype e = pattern->column_start[column]; e < pattern->column_start[column + 1];
         e++) {
      const int row = (int)pattern->row[e];
      const int slot = vida__pattern_slot(pattern, column, row);
      if (slot >= pattern->column_start[row + 1] || pattern->row[slot] != column) {
        return false;
      }
    }
  }
  return true;
}

int vida__find_elimination_order(const vida_pattern* pattern, vida_elimination_order* order) {
  order->pattern = pattern;
  int code = allocate_steps(order);
  if (!code && !is_symmetric(pattern)) {
    return VIDA_SUCCESS; /* of size 0: not for this elimination */
  }
  symbolic work = {0};
  if (!code) {
    work = work_of(order, NULL);
    code = find_order(&work);
  }
  code = code ? code : find_columns(&work);
  code = code ? code : complete(&work);
  return code == VIDA_NOT_SUPPORTED ? VIDA_SUCCESS : code;
}

int vida__copy_elimination_order(const vida_elimination_order* from, vida_elimination_order* to) {
  const size_t size = (size_t)from->size;
  *to = (vida_elimination_order){.pattern = from->pattern, .size = from->size};
  int code = allocate_steps(to);
  const size_t entries = (size_t)from->start[size];
  code = code ? code : allocate_places(to, entries, from->change_capacity);
  to->row = vida__allocate(entries + 1, sizeof *to->row);
  if (code || !to->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  memcpy(to->pivot, from->pivot, size * sizeof *to->pivot);
  memcpy(to->work, from->work, size * sizeof *to->work); /* the positions */
  memcpy(to->start, from->start, (size + 1) * sizeof *to->start);
  return VIDA_SUCCESS;
}

void vida__narrow_elimination_order(vida_elimination_order* order, const bool* used) {
  symbolic work = work_of(order, used);
  find_columns(&work); /* cannot fail: no column is longer than before */
  place_values(&work);
}
