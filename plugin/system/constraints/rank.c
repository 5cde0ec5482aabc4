#include "system/constraints/rank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/constraints/column_sizes.h"

/* Limits of the entries of L (about 0.5 GB) and of the operations (a second or two). */
static const double most_operations = 2e9;
enum { MOST_ENTRIES = 40000000, MOST_NAMED = 4 };
/* How many dependent rows are tested for an independent part, at the price of a solution each. */
enum { MOST_TESTED = 16 };

/* A row is dependent if its squared distance, relative to the row, is below `exact`. Up to
 * `doubtful`, it is dependent if its linear combination is below `vanishing` relative to the
 * terms. */
static const double exact = 1e-14;
static const double doubtful = 1e-8;
static const double vanishing = 1e-10;
/* Least ratio of the masses of a row: shifts are 1e-10 G M^-1 G^T, and must be small for the
 * heaviest mass, too. */
static const double least_ratio = 1e-8;
static const double least_share = 1e-4;
static const double light_share = 1e-6; /* share of a coordinate with almost no mass */

/* "Place" is the position of a row in the order of the factorization. */
struct vida_rank {
  const VidaSystem* system;
  int m, dependent_count;
  int near_row;         /* the row that is near the others, but not in their space; -1: none */
  double near_distance; /* its distance from the rows before it */
  double rounding;      /* of positions far from the origin, relative to the system */
  int tested;           /* number of dependent rows whose combination was computed */
  int* order;           /* m: row at each place */
  int* place;           /* m: place of each row */
  int* row_start;       /* m + 1, by places */
  int* source;          /* entries: index in G */
  double* value;        /* entries of B, row by row */
  int* user_start;      /* n + 1: entries of B by coordinates, their rows ascending */
  int* user;            /* entries: index in `value` */
  int* user_row;        /* entries: place of the row */
  int* parent;          /* m: elimination tree */
  int* flag;            /* m */
  int* found;           /* m: work */
  int* l_start;         /* m + 1: columns of L */
  int* l_count;         /* m */
  int* l_row;
  double* l_value;
  double* pivot;        /* m */
  double* sum;          /* m: work */
  double* weight;       /* m: work */
  double* row_scale;    /* m, by places */
  double* column_scale; /* n */
  int* group;           /* n: see vida__group_coordinates */
  double* reaction;     /* n: work */
  bool* dropped;        /* m */
  int* dependent;       /* m */
};

/* ---- structure ------------------------------------------------------------------------------- */

static void fill_rows(vida_rank* rank) {
  const VidaSystem* system = rank->system;
  for (int k = 0; k < rank->m; k++) {
    rank->place[rank->order[k]] = k;
  }
  memset(rank->row_start, 0, ((size_t)rank->m + 1) * sizeof(int));
  memset(rank->user_start, 0, ((size_t)system->coordinate_count + 1) * sizeof(int));
  for (int e = 0; e < system->entry_count; e++) {
    rank->row_start[rank->place[system->entries[e].row] + 1]++;
    rank->user_start[system->entries[e].coordinate + 1]++;
  }
  for (int k = 0; k < rank->m; k++) {
    rank->row_start[k + 1] += rank->row_start[k];
    rank->l_count[k] = rank->row_start[k];
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    rank->user_start[i + 1] += rank->user_start[i];
  }
  for (int e = 0; e < system->entry_count; e++) {
    rank->source[rank->l_count[rank->place[system->entries[e].row]]++] = e;
  }
  /* Backwards, because the lists of coordinates are filled from their ends and must ascend. */
  for (int k = rank->m - 1; k >= 0; k--) {
    for (int a = rank->row_start[k + 1] - 1; a >= rank->row_start[k]; a--) {
      const int i = system->entries[rank->source[a]].coordinate;
      const int last = --rank->user_start[i + 1];
      rank->user[last] = a;
      rank->user_row[last] = k;
    }
  }
  /* user_start[i + 1] is now the start of list i. */
  for (int i = 0; i < system->coordinate_count; i++) {
    rank->user_start[i] = rank->user_start[i + 1];
  }
  rank->user_start[system->coordinate_count] = system->entry_count;
}

/* Returns the coordinate of entry a of B. */
static int coordinate_of(const vida_rank* rank, int a) {
  return rank->system->entries[rank->source[a]].coordinate;
}

/* Computes the elimination tree and the column counts of L. Returns the number of entries, or -1 if
 * it is too large. */
static long analyse(vida_rank* rank) {
  long entries = 0;
  long work = 0;
  memset(rank->l_count, 0, (size_t)rank->m * sizeof(int));
  for (int k = 0; k < rank->m; k++) {
    rank->parent[k] = -1;
    rank->flag[k] = k;
    for (int a = rank->row_start[k]; a < rank->row_start[k + 1]; a++) {
      const int i = coordinate_of(rank, a);
      for (int u = rank->user_start[i]; rank->user_row[u] < k; u++, work++) {
        for (int j = rank->user_row[u]; rank->flag[j] != k; j = rank->parent[j]) {
          rank->parent[j] = rank->parent[j] < 0 ? k : rank->parent[j];
          rank->l_count[j]++;
          rank->flag[j] = k;
          entries++;
        }
      }
      if (entries > MOST_ENTRIES || work > 10L * MOST_ENTRIES) {
        return -1;
      }
    }
  }
  double operations = 0.0;
  rank->l_start[0] = 0;
  for (int k = 0; k < rank->m; k++) {
    rank->l_start[k + 1] = rank->l_start[k] + rank->l_count[k];
    operations += (double)rank->l_count[k] * (double)rank->l_count[k];
  }
  return operations > most_operations ? -1 : entries;
}

/* Orders neighbouring rows one after another (breadth first). This gives fewer entries of L than
 * the order of addition if that has a large bandwidth. */
static void order_by_neighbours(vida_rank* rank) {
  int* order = rank->found;
  int count = 0;
  memset(rank->flag, 0, (size_t)rank->m * sizeof(int));
  double* seen = rank->reaction; /* nonzero: the list of this coordinate has been read */
  memset(seen, 0, (size_t)rank->system->coordinate_count * sizeof *seen);
  for (int start = 0; start < rank->m; start++) {
    int next = count;
    if (!rank->flag[start]) {
      rank->flag[start] = 1;
      order[count++] = start;
    }
    for (; next < count; next++) {
      const int k = order[next];
      for (int a = rank->row_start[k]; a < rank->row_start[k + 1]; a++) {
        const int i = coordinate_of(rank, a);
        for (int u = rank->user_start[i]; u < rank->user_start[i + 1] && seen[i] == 0.0; u++) {
          const int j = rank->user_row[u];
          if (!rank->flag[j]) {
            rank->flag[j] = 1;
            order[count++] = j;
          }
        }
        seen[i] = 1.0;
      }
    }
  }
  /* The places before this are those of the natural order, which are row numbers. */
  memcpy(rank->order, order, (size_t)rank->m * sizeof(int));
}

static bool allocate(vida_rank* rank) {
  const size_t m = (size_t)rank->m + 1;
  const size_t n = (size_t)rank->system->coordinate_count + 1;
  const size_t entries = (size_t)rank->system->entry_count + 1;
  rank->order = vida__allocate(m, sizeof(int));
  rank->place = vida__allocate(m, sizeof(int));
  rank->row_start = vida__allocate(m, sizeof(int));
  rank->source = vida__allocate(entries, sizeof(int));
  rank->value = vida__allocate(entries, sizeof(double));
  rank->user_start = vida__allocate(n, sizeof(int));
  rank->user = vida__allocate(entries, sizeof(int));
  rank->user_row = vida__allocate(entries, sizeof(int));
  rank->parent = vida__allocate(m, sizeof(int));
  rank->flag = vida__allocate(m, sizeof(int));
  rank->found = vida__allocate(m, sizeof(int));
  rank->l_start = vida__allocate(m, sizeof(int));
  rank->l_count = vida__allocate(m, sizeof(int));
  rank->pivot = vida__allocate(m, sizeof(double));
  rank->sum = vida__allocate(m, sizeof(double));
  rank->weight = vida__allocate(m, sizeof(double));
  rank->row_scale = vida__allocate(m, sizeof(double));
  rank->column_scale = vida__allocate(n, sizeof(double));
  rank->group = vida__allocate(n, sizeof(int));
  rank->reaction = vida__allocate(n, sizeof(double));
  rank->dropped = vida__allocate(m, sizeof(bool));
  rank->dependent = vida__allocate(m, sizeof(int));
  return rank->order && rank->place && rank->row_start && rank->source && rank->value &&
         rank->user_start && rank->user && rank->user_row && rank->parent && rank->flag &&
         rank->found && rank->l_start && rank->l_count && rank->pivot && rank->sum &&
         rank->weight && rank->row_scale && rank->column_scale && rank->group && rank->reaction &&
         rank->dropped && rank->dependent;
}

static int analyse_best_order(vida_rank* rank, VidaError* error) {
  for (int k = 0; k < rank->m; k++) {
    rank->order[k] = k;
  }
  fill_rows(rank);
  long entries = analyse(rank);
  if (entries < 0) {
    order_by_neighbours(rank);
    fill_rows(rank);
    entries = analyse(rank);
  }
  if (entries < 0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "system '%s': the rank of the constraint Jacobian could not be computed, "
                      "because too many constraints share one coordinate",
                      rank->system->name);
  }
  rank->l_row = vida__allocate((size_t)entries + 1, sizeof(int));
  rank->l_value = vida__allocate((size_t)entries + 1, sizeof(double));
  return rank->l_row && rank->l_value ? VIDA_SUCCESS : vida__fail_memory(error);
}

int vida__rank_create(const VidaSystem* system, vida_rank** rank, VidaError* error) {
  vida_rank* created = vida__allocate(1, sizeof *created);
  *rank = created;
  if (!created) {
    return vida__fail_memory(error);
  }
  created->system = system;
  created->m = system->row_count;
  created->near_row = -1;
  int code = allocate(created) ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code) {
    vida__group_coordinates(system, created->group);
    code = analyse_best_order(created, error);
  }
  if (code) {
    vida__rank_destroy(rank);
  }
  return code;
}

void vida__rank_destroy(vida_rank** rank) {
  vida_rank* old = *rank;
  if (!old) {
    return;
  }
  void* const blocks[] = {old->order,   old->place,      old->row_start, old->source,
                          old->value,   old->user_start, old->user,      old->user_row,
                          old->parent,  old->flag,       old->found,     old->l_start,
                          old->l_count, old->l_row,      old->l_value,   old->pivot,
                          old->sum,     old->weight,     old->row_scale, old->column_scale,
                          old->group,   old->reaction,   old->dropped,   old->dependent};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
    free(blocks[i]);
  }
  free(old);
  *rank = NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Computes B; a row of zeros has the scale zero. */
static int scale_rows(vida_rank* rank, const double* entries, VidaError* error) {
  const VidaSystem* system = rank->system;
  rank->rounding = vida__scale_columns(system, entries, rank->group, rank->weight, rank->reaction,
                                       rank->column_scale);
  for (int k = 0; k < rank->m; k++) {
    double largest = 0.0;
    double sum = 0.0;
    for (int a = rank->row_start[k]; a < rank->row_start[k + 1]; a++) {
      rank->value[a] = entries[rank->source[a]] * rank->column_scale[coordinate_of(rank, a)];
      if (!isfinite(rank->value[a])) {
        return vida__fail(error, VIDA_NOT_FINITE,
                          "the gradient of constraint '%s' is not a finite number",
                          system->rows[rank->order[k]].name);
      }
      largest = fmax(largest, fabs(rank->value[a]));
    }
    for (int a = rank->row_start[k]; a < rank->row_start[k + 1] && largest > 0.0; a++) {
      rank->value[a] /= largest;
      sum += rank->value[a] * rank->value[a];
    }
    const double root = sqrt(sum);
    for (int a = rank->row_start[k]; a < rank->row_start[k + 1] && root > 0.0; a++) {
      rank->value[a] /= root;
    }
    rank->row_scale[k] = root > 0.0 ? 1.0 / root / largest : 0.0;
  }
  return VIDA_SUCCESS;
}

/* Writes y with L^T y = e_k to rank->weight. B^T y is the part of row k outside the space of the
 * rows before it. */
static void combine(vida_rank* rank, int k) {
  double* y = rank->weight;
  memset(y, 0, (size_t)rank->m * sizeof *y);
  y[k] = 1.0;
  for (int j = k - 1; j >= 0; j--) {
    double sum = 0.0;
    for (int p = rank->l_start[j]; p < rank->l_start[j] + rank->l_count[j]; p++) {
      sum += rank->l_value[p] * y[rank->l_row[p]];
    }
    y[j] = -sum;
  }
}

/* Returns |B^T y| / |y| for the combination of row k: its distance from the rows before it. */
static double combined_distance(vida_rank* rank, int k) {
  const int n = rank->system->coordinate_count;
  double own = 0.0;
  double left = 0.0;
  combine(rank, k);
  memset(rank->reaction, 0, (size_t)n * sizeof(double));
  for (int j = 0; j <= k; j++) {
    own += rank->weight[j] * rank->weight[j];
    for (int a = rank->row_start[j]; a < rank->row_start[j + 1] && rank->weight[j] != 0.0; a++) {
      rank->reaction[coordinate_of(rank, a)] += rank->weight[j] * rank->value[a];
    }
  }
  for (int i = 0; i < n; i++) {
    left += rank->reaction[i] * rank->reaction[i];
  }
  return sqrt(left) / sqrt(own);
}

/* Writes row k of B B^T to rank->sum, and the rows of L that it touches, in the order of
 * elimination, to rank->found. Returns the index of the first of them there. */
static int gather_row(vida_rank* rank, int k) {
  int top = rank->m;
  rank->flag[k] = k;
  for (int a = rank->row_start[k]; a < rank->row_start[k + 1]; a++) {
    const int i = coordinate_of(rank, a);
    for (int u = rank->user_start[i]; rank->user_row[u] < k; u++) {
      int length = 0;
      int j = rank->user_row[u];
      rank->sum[j] += rank->value[a] * rank->value[rank->user[u]];
      for (; rank->flag[j] != k; j = rank->parent[j]) {
        rank->found[length++] = j;
        rank->flag[j] = k;
      }
      while (length > 0) {
        rank->found[--top] = rank->found[--length];
      }
    }
  }
  return top;
}

/* Adds the row k of L, and returns its squared distance from the rows before it. */
static double eliminate_row(vida_rank* rank, int k) {
  double distance = 1.0;
  for (int next = gather_row(rank, k); next < rank->m; next++) {
    const int j = rank->found[next];
    const double dot = rank->sum[j];
    const int end = rank->l_start[j] + rank->l_count[j];
    rank->sum[j] = 0.0;
    for (int p = rank->l_start[j]; p < end; p++) {
      rank->sum[rank->l_row[p]] -= rank->l_value[p] * dot;
    }
    const double factor = rank->dropped[j] ? 0.0 : dot / rank->pivot[j];
    distance -= factor * dot;
    rank->l_row[end] = k;
    rank->l_value[end] = factor;
    rank->l_count[j]++;
  }
  return distance;
}

static int compare_rows(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

/* Notes a row that is near the space of the others: the nearest of the rows that count as
 * independent, or else the first dependent one. After an independent row at the distance d, the
 * combinations of dependent rows have errors of the size of rounding / d, which are no distances.
 */
static void note_near_row(vida_rank* rank, int k, double distance, bool is_kept) {
  const bool is_first = rank->near_row < 0;
  const bool is_nearer =
      is_first || distance < rank->near_distance || rank->dropped[rank->place[rank->near_row]];
  if (is_first || (is_kept && is_nearer)) {
    rank->near_row = rank->order[k];
    rank->near_distance = distance;
  }
}

/* Returns whether row k depends on the rows before it, from which it has this squared distance. */
static bool is_dependent(vida_rank* rank, int k, double squared) {
  if (rank->row_scale[k] == 0.0 || squared > doubtful) {
    return rank->row_scale[k] == 0.0;
  }
  const bool is_exact = squared <= exact;
  if (is_exact && rank->tested++ >= MOST_TESTED) {
    return true;
  }
  const double distance = combined_distance(rank, k);
  if (distance > vanishing && distance > rank->rounding) {
    note_near_row(rank, k, distance, !is_exact);
  }
  return is_exact || distance <= vanishing;
}

int vida__rank_find(vida_rank* rank, const double* entries, VidaError* error) {
  const int code = scale_rows(rank, entries, error);
  rank->dependent_count = 0;
  rank->near_row = -1;
  rank->tested = 0;
  if (code) {
    return code;
  }
  memset(rank->l_count, 0, (size_t)rank->m * sizeof(int));
  memset(rank->sum, 0, (size_t)rank->m * sizeof(double));
  for (int k = 0; k < rank->m; k++) {
    rank->flag[k] = -1;
  }
  for (int k = 0; k < rank->m; k++) {
    const double distance = eliminate_row(rank, k);
    rank->dropped[k] = is_dependent(rank, k, distance);
    rank->pivot[k] = rank->dropped[k] ? 1.0 : distance;
    if (rank->dropped[k]) {
      rank->dependent[rank->dependent_count++] = rank->order[k];
    }
  }
  qsort(rank->dependent, (size_t)rank->dependent_count, sizeof(int), compare_rows);
  return VIDA_SUCCESS;
}

int vida__rank_dependent_count(const vida_rank* rank) {
  return rank->dependent_count;
}

int vida__rank_near_row(const vida_rank* rank, double* distance) {
  *distance = rank->near_row < 0 ? 1.0 : rank->near_distance;
  return rank->near_row;
}

const int* vida__rank_dependent(const vida_rank* rank) {
  return rank->dependent;
}

void vida__rank_combination(vida_rank* rank, int index, double* weight, double* share) {
  double largest = 0.0;
  combine(rank, rank->place[rank->dependent[index]]);
  for (int k = 0; k < rank->m; k++) {
    largest = fmax(largest, fabs(rank->weight[k]));
  }
  for (int k = 0; k < rank->m; k++) {
    const double own = rank->weight[k] / largest;
    const int row = rank->order[k];
    weight[row] = rank->row_scale[k] > 0.0 ? own * rank->row_scale[k] : own;
    if (share) {
      share[row] = fabs(own);
    }
  }
}

bool vida__rank_determines(vida_rank* rank, const int* rows, int count) {
  static const double none = 1e-7; /* relative to the largest weight of scaled rows */
  for (int index = 0; index < rank->dependent_count; index++) {
    double largest = 0.0, own = 0.0;
    combine(rank, rank->place[rank->dependent[index]]);
    for (int k = 0; k < rank->m; k++) {
      largest = fmax(largest, fabs(rank->weight[k]));
    }
    for (int i = 0; i < count; i++) {
      own = fmax(own, rows[i] >= 0 ? fabs(rank->weight[rank->place[rows[i]]]) : 0.0);
    }
    if (own > none * largest) {
      return false;
    }
  }
  return true;
}

void vida__rank_narrow_shift(const vida_rank* rank, const double* entries, const double* mass,
                             double* shift) {
  const VidaSystem* system = rank->system;
  bool is_wide = false;
  for (int e = 0; e < system->entry_count && !is_wide;) {
    const int row = system->entries[e].row;
    double light = INFINITY;
    double heavy = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double m = mass[system->entries[e].coordinate];
      light = entries[e] != 0.0 ? fmin(light, m) : light;
      heavy = entries[e] != 0.0 ? fmax(heavy, m) : heavy;
    }
    is_wide = light < least_ratio * heavy;
  }
  for (int k = 0; k < rank->m && is_wide; k++) {
    shift[rank->order[k]] = rank->dropped[k] ? shift[rank->order[k]] : 0.0;
  }
}

/* ---- masses and names ------------------------------------------------------------------------ */

/* Gives coordinates of a term with no mass (the first component of a quaternion at rest) or almost
 * none (after a small rotation) a fraction of the largest mass with their unit in the term. */
static void share_masses(const VidaSystem* system, const int* index, int width, double largest,
                         double* mass) {
  for (int a = 0; a < width; a++) {
    const char* unit = system->coordinates[index[a]].unit;
    double beside = 0.0;
    /* `width` is small, and only light coordinates need this search. */
    for (int b = 0; b < width && mass[index[a]] < light_share * largest; b++) {
      const bool same = strcmp(unit, system->coordinates[index[b]].unit) == 0;
      beside = same ? fmax(beside, mass[index[b]]) : beside;
    }
    const double share = mass[index[a]] > 0.0 ? light_share : least_share;
    mass[index[a]] = fmax(mass[index[a]], share * beside);
  }
}

int vida__find_masses(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* matrix, double* mass) {
  const VidaSystem* system = evaluator->system;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double largest = 0.0;
  memset(matrix, 0, (size_t)system->pattern.entries * sizeof *matrix);
  const int code = vida__add_hessian(evaluator, t, q, v, mass_only, matrix);
  if (code) {
    return code;
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    mass[i] = fabs(matrix[system->mass_slot[i]]);
    largest = fmax(largest, mass[i]);
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    for (int i = 0; i < batch->count && !batch->kernel->is_potential; i++) {
      share_masses(system, batch->index + (size_t)i * (size_t)batch->width, batch->width, largest,
                   mass);
    }
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    /* A coordinate that only constraints determine gets the largest mass. */
    mass[i] = mass[i] > 0.0 ? mass[i] : largest > 0.0 ? largest : 1.0;
  }
  return VIDA_SUCCESS;
}

sunindextype vida__first_constraint_entry(const VidaSystem* system, int column) {
  const vida_pattern* pattern = &system->pattern;
  sunindextype e = pattern->column_start[column];
  while (e < pattern->column_start[column + 1] && pattern->row[e] < system->coordinate_count) {
    e++;
  }
  return e;
}

int vida__constraint_diagonal(const VidaSystem* system, int row) {
  return (int)system->pattern.column_start[system->coordinate_count + row + 1] - 1;
}

void vida__append_rows(const VidaSystem* system, const int* rows, int count, char* text,
                       size_t size) {
  vida_name_list names = {text, size, MOST_NAMED, 0};
  for (int k = 0; k < count; k++) {
    vida__list_name(&names, system->rows[rows[k]].name);
  }
  vida__end_list(&names);
}

/* ---- VidaSystem_Rank ------------------------------------------------------------------------- */

typedef struct question {
  vida_evaluator evaluator;
  vida_rank* rank;
  double* entries;
} question;

static int answer(question* work, const VidaSystem* system, double t, const double* q,
                  VidaError* error) {
  int code = vida__rank_create(system, &work->rank, error);
  code = code ? code : vida__evaluator_create(system, &work->evaluator, error);
  if (code) {
    return code;
  }
  if (!work->entries) {
    return vida__fail_memory(error);
  }
  code = vida__jacobian(&work->evaluator, t, q, work->entries);
  return code ? vida__fail(error, code, "%s", work->evaluator.error.message)
              : vida__rank_find(work->rank, work->entries, error);
}

int VidaSystem_Rank(const VidaSystem* system, double t, const double* q, int* rank, int* dependent,
                    VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, q, rank)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  question work = {.entries = vida__allocate((size_t)system->entry_count, sizeof(double))};
  const int code = answer(&work, system, t, q, error);
  if (!code) {
    const int count = work.rank->dependent_count;
    *rank = system->row_count - count;
    for (int r = 0; r < system->row_count && dependent; r++) {
      dependent[r] = r < count ? work.rank->dependent[r] : -1;
    }
  }
  vida__rank_destroy(&work.rank);
  vida__evaluator_destroy(&work.evaluator);
  free(work.entries);
  return code;
}

void vida__append_partners(const VidaSystem* system, double* share, int row, char* text,
                           size_t size) {
  enum { MOST_PARTNERS = 4 };
  share[row] = 0.0;
  for (int k = 0; k < MOST_PARTNERS; k++) {
    int largest = 0;
    for (int r = 1; r < system->row_count; r++) {
      largest = share[r] > share[largest] * (1.0 + 1e-6) ? r : largest;
    }
    if (!(share[largest] > 1e-3)) {
      return;
    }
    vida__append(text, size, "%s'%s'", k ? ", " : "", system->rows[largest].name);
    share[largest] = 0.0;
  }
  int more = 0;
  for (int r = 0; r < system->row_count; r++) {
    more += share[r] > 1e-3;
  }
  if (more > 0) {
    vida__append(text, size, " and %d more", more);
  }
}
