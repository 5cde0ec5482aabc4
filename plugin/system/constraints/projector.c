#include "system/constraints/projector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"

struct vida_projector {
  const VidaSystem* system;
  vida_projection kind;
  vida_equations* equations; /* with M or with the identity; NULL for the full projection */
  vida_equations* own;       /* the equations, if they are not shared */
  vida_evaluator evaluator;
  double* block;
  double* entries;  /* of G at the last vida__projector_rows */
  double* turning;  /* entries of K, the derivative of G v + g_t with respect to q */
  double* along;    /* n: work, velocities of other sizes */
  double* bias;     /* m: work */
  double* opposite; /* m: work */
  double* side;     /* right-hand side and solution: n + m, or 2 n + 2 m for the full projection */
  /* No row contains two coordinates of one colour, so one directional derivative has the columns of
   * K of all of them. */
  int* color; /* n */
  int color_count;
  bool* is_repeated; /* entries: the row has this coordinate in an earlier entry */
  /* For the full projection. */
  SUNContext context;
  vida_pattern pattern;
  int* slot;     /* indices of the entries of the matrix, in the order of fill_matrix */
  double* shift; /* 2 m: shifts that regularize dependent rows; 0 without such rows */
  double* kept;  /* 2 n + 2 m */
  bool redundant;
  vida_linear* linear;
};

static bool needs_turning(const vida_projector* projector) {
  return projector->kind == VIDA_PROJECTION_FULL || projector->kind == VIDA_PROJECTION_TRIANGULAR;
}

/* ---- the derivative of G v + g_t ------------------------------------------------------------- */

/* Colours the coordinates greedily, each with the first colour that no other coordinate of its rows
 * has. The entries of a row are contiguous. */
static int find_colors(vida_projector* projector) {
  const VidaSystem* system = projector->system;
  const int n = system->coordinate_count;
  const vida_jacobian_entry* entry = system->entries;
  const int count = system->entry_count;
  /* Sorts the entries by coordinates. */
  int* first = vida__allocate((size_t)n + 1, sizeof *first);
  int* list = vida__allocate((size_t)count, sizeof *list);
  int* begin = vida__allocate((size_t)system->row_count, sizeof *begin);
  int* taken = vida__allocate((size_t)n + 1, sizeof *taken);
  const bool has_memory = first && list && begin && taken;
  for (int e = 0; e < count && has_memory; e++) {
    first[entry[e].coordinate + 1]++;
    if (e == 0 || entry[e].row != entry[e - 1].row) {
      begin[entry[e].row] = e;
    }
  }
  for (int i = 0; i < n && has_memory; i++) {
    first[i + 1] += first[i];
    projector->color[i] = -1;
  }
  for (int e = count - 1; e >= 0 && has_memory; e--) {
    list[--first[entry[e].coordinate + 1]] = e;
  }
  for (int i = 0; i < n && has_memory; i++) {
    const int stop = i + 2 <= n ? first[i + 2] : count;
    for (int k = first[i + 1]; k < stop; k++) {
      const int row = entry[list[k]].row;
      for (int e = begin[row]; e < count && entry[e].row == row; e++) {
        const int other = projector->color[entry[e].coordinate];
        if (other >= 0) {
          taken[other] = i + 1;
        }
      }
    }
    int color = 0;
    while (taken[color] == i + 1) {
      color++;
    }
    projector->color[i] = color;
    projector->color_count =
        color + 1 > projector->color_count ? color + 1 : projector->color_count;
  }
  for (int e = 0; e < count && has_memory; e++) {
    for (int k = begin[entry[e].row]; k < e; k++) {
      projector->is_repeated[e] |= entry[k].coordinate == entry[e].coordinate;
    }
  }
  free(first);
  free(list);
  free(begin);
  free(taken);
  return has_memory ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* The bias b(v) = v^T g_qq v + 2 g_qt v + g_tt is quadratic in v, so 4 K w = b(v + w) - b(v - w)
 * for any w. Rounding is least if w has the size of v. */
static int find_column_group(vida_projector* projector, double t, const double* q, const double* v,
                             int color, double size) {
  const VidaSystem* system = projector->system;
  double* along = projector->along;
  for (int i = 0; i < system->coordinate_count; i++) {
    along[i] = v[i] + (projector->color[i] == color ? size : 0.0);
  }
  int code = vida__constraint_bias(&projector->evaluator, t, q, along, projector->bias);
  for (int i = 0; i < system->coordinate_count; i++) {
    along[i] = v[i] - (projector->color[i] == color ? size : 0.0);
  }
  code =
      code ? code : vida__constraint_bias(&projector->evaluator, t, q, along, projector->opposite);
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    if (projector->color[entry->coordinate] == color && !projector->is_repeated[e]) {
      projector->turning[e] =
          0.25 / size * (projector->bias[entry->row] - projector->opposite[entry->row]);
    }
  }
  return code;
}

static int find_turning(vida_projector* projector, double t, const double* q, const double* v) {
  const VidaSystem* system = projector->system;
  double size = 0.0;
  for (int i = 0; i < system->coordinate_count; i++) {
    size = fmax(size, fabs(v[i]));
  }
  memset(projector->turning, 0, (size_t)system->entry_count * sizeof *projector->turning);
  int code = VIDA_SUCCESS;
  for (int color = 0; color < projector->color_count && !code; color++) {
    code = find_column_group(projector, t, q, v, color, size > 0.0 ? size : 1.0);
  }
  for (int e = 0; e < system->entry_count && system->nonholonomic; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      projector->turning[e] = 0.0;
    }
  }
  return code ? code
              : vida__nonholonomic_gradient(&projector->evaluator, t, q, v, projector->turning);
}

/* ---- the full projection ----------------------------------------------------------------------
 */

/*     [ I  0  G^T K^T ]   with K the derivative of G v + g_t: the shortest (dq, dv) with
 *     [ 0  I  0   G^T ]   G dq = g, K dq + G dv = rate.
 *     [ G  0  0   0   ]
 *     [ K  G  0   0   ] */
typedef struct place {
  int row, column;
} place;

static int compare_places(const void* a, const void* b) {
  const place *x = a, *y = b;
  return x->column != y->column ? x->column - y->column : x->row - y->row;
}

/* The entries are in the order in which fill_matrix writes them. */
static void list_places(const VidaSystem* system, place* list) {
  const int n = system->coordinate_count, m = system->row_count;
  const int size = 2 * (n + m);
  for (int i = 0; i < size; i++) {
    *list++ = (place){i, i};
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const int r = 2 * n + system->entries[e].row;
    const place places[] = {{r, i}, {i, r}, {r + m, i}, {i, r + m}, {r + m, n + i}, {n + i, r + m}};
    memcpy(list, places, sizeof places);
    list += sizeof places / sizeof *places;
  }
}

static int build_pattern(vida_projector* projector) {
  const VidaSystem* system = projector->system;
  vida_pattern* pattern = &projector->pattern;
  const int size = 2 * (system->coordinate_count + system->row_count);
  const int count = size + 6 * system->entry_count;
  place* list = vida__allocate(2 * (size_t)count, sizeof *list);
  pattern->column_start = vida__allocate((size_t)size + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate((size_t)count, sizeof *pattern->row);
  projector->slot = vida__allocate((size_t)count, sizeof *projector->slot);
  if (!list || !pattern->column_start || !pattern->row || !projector->slot) {
    free(list);
    return VIDA_OUT_OF_MEMORY;
  }
  place* sorted = list + count;
  list_places(system, list);
  memcpy(sorted, list, (size_t)count * sizeof *list);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_places);
  pattern->size = size;
  pattern->leading = 2 * system->coordinate_count;
  for (int k = 0; k < count; k++) {
    if (k == 0 || compare_places(&sorted[k - 1], &sorted[k]) != 0) {
      pattern->row[pattern->entries++] = sorted[k].row;
      pattern->column_start[sorted[k].column + 1] = pattern->entries;
    }
  }
  for (int k = 0; k < count; k++) {
    projector->slot[k] = vida__pattern_slot(pattern, list[k].row, list[k].column);
  }
  free(list);
  return VIDA_SUCCESS;
}

/* Relative to the diagonal of H H^T: small, but large compared with rounding. */
static const double regularization = 1e-10;

static int factor_full(vida_projector* projector) {
  const VidaSystem* system = projector->system;
  const int n = system->coordinate_count, m = system->row_count;
  double* matrix = projector->linear->values;
  const int* slot = projector->slot;
  double* shift = projector->shift;
  vida__linear_clear(projector->linear);
  memset(shift, 0, 2 * (size_t)m * sizeof *shift);
  for (int i = 0; i < 2 * n; i++) {
    matrix[slot[i]] = 1.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int* to = slot + 2 * (n + m) + 6 * e;
    const int row = system->entries[e].row;
    const double g = projector->entries[e], k = projector->turning[e];
    matrix[to[0]] += g;
    matrix[to[1]] += g;
    matrix[to[2]] += k;
    matrix[to[3]] += k;
    matrix[to[4]] += g;
    matrix[to[5]] += g;
    shift[row] += projector->redundant ? regularization * g * g : 0.0;
    shift[m + row] += projector->redundant ? regularization * (g * g + k * k) : 0.0;
  }
  for (int r = 0; r < 2 * m; r++) {
    matrix[slot[2 * n + r]] = -shift[r];
  }
  return vida__linear_factor(projector->linear);
}

/* Solves the full projection. With dependent rows, makes several passes that remove the effect of
 * the shift, as vida__equations_solve does. */
static int solve_full(vida_projector* projector) {
  const int n = projector->system->coordinate_count, m = projector->system->row_count;
  const int passes = projector->redundant ? 3 : 1;
  const size_t bytes = (size_t)projector->pattern.size * sizeof *projector->side;
  double* x = projector->kept;
  int code = VIDA_SUCCESS;
  memset(x, 0, bytes);
  for (int pass = 0; pass < passes && !code; pass++) {
    for (int r = 0; r < 2 * m; r++) {
      x[2 * n + r] = projector->side[2 * n + r] - projector->shift[r] * x[2 * n + r];
    }
    memset(x, 0, 2 * (size_t)n * sizeof *x);
    code = vida__linear_solve(projector->linear, x, x);
  }
  memcpy(projector->side, x, bytes);
  return code;
}

static int apply_full(vida_projector* projector, const double* g, const double* rate, double* dq,
                      double* dv) {
  const size_t n = (size_t)projector->system->coordinate_count;
  const size_t m = (size_t)projector->system->row_count;
  double* side = projector->side;
  memset(side, 0, (2 * n + 2 * m) * sizeof *side);
  if (g) {
    memcpy(side + 2 * n, g, m * sizeof *g);
  }
  if (rate) {
    memcpy(side + 2 * n + m, rate, m * sizeof *rate);
  }
  const int code = solve_full(projector);
  memcpy(dq, side, n * sizeof *dq);
  memcpy(dv, side + n, n * sizeof *dv);
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t count_numbers(const vida_projector* projector) {
  const VidaSystem* system = projector->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  return 2 * (size_t)system->entry_count + 5 * n + 8 * m;
}

static int allocate(vida_projector* projector) {
  const VidaSystem* system = projector->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  const size_t entries = (size_t)system->entry_count;
  const size_t size = 2 * (n + m);
  projector->block = vida__allocate(count_numbers(projector), sizeof *projector->block);
  projector->color = vida__allocate(n, sizeof *projector->color);
  projector->is_repeated = vida__allocate(entries, sizeof *projector->is_repeated);
  if (!projector->block || !projector->color || !projector->is_repeated) {
    return VIDA_OUT_OF_MEMORY;
  }
  projector->entries = projector->block;
  projector->turning = projector->entries + entries;
  projector->along = projector->turning + entries;
  projector->bias = projector->along + n;
  projector->opposite = projector->bias + m;
  projector->side = projector->opposite + m;
  projector->kept = projector->side + size;
  projector->shift = projector->kept + size;
  return needs_turning(projector) ? find_colors(projector) : VIDA_SUCCESS;
}

static int create_matrix(vida_projector* projector, vida_solver solver, vida_equations* shared,
                         VidaError* error) {
  const VidaSystem* system = projector->system;
  if (projector->kind == VIDA_PROJECTION_MASS && shared) {
    projector->equations = shared;
    return VIDA_SUCCESS;
  }
  /* The full projection uses the equations only to find dependent rows. */
  int code = vida__equations_create(system, solver, &projector->own, error);
  projector->equations = projector->own;
  if (!code && projector->kind != VIDA_PROJECTION_MASS) {
    vida__equations_use_identity(projector->own);
  }
  if (!code && solver == VIDA_SOLVER_AUTO && projector->kind != VIDA_PROJECTION_FULL) {
    code = vida__equations_condense(projector->own, error);
  }
  if (code || projector->kind != VIDA_PROJECTION_FULL) {
    return code;
  }
  if (build_pattern(projector) || vida__context_create(&projector->context)) {
    return vida__fail_memory(error);
  }
  return vida__linear_create(projector->context, &projector->pattern, solver, &projector->linear,
                             error);
}

int vida__projector_create(const VidaSystem* system, vida_projection kind, vida_solver solver,
                           vida_equations* shared, vida_projector** projector, VidaError* error) {
  vida_projector* made = vida__allocate(1, sizeof *made);
  *projector = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->kind = kind;
  int code = vida__evaluator_create(system, &made->evaluator, error);
  if (!code && allocate(made)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : create_matrix(made, solver, shared, error);
  if (code) {
    vida__projector_destroy(projector);
  }
  return code;
}

void vida__projector_destroy(vida_projector** projector) {
  vida_projector* old = *projector;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->linear);
  if (old->context) {
    SUNContext_Free(&old->context);
  }
  vida__equations_destroy(&old->own);
  vida__evaluator_destroy(&old->evaluator);
  free(old->pattern.column_start);
  free(old->pattern.row);
  free(old->slot);
  free(old->block);
  free(old->color);
  free(old->is_repeated);
  free(old);
  *projector = NULL;
}

/* ---- use ------------------------------------------------------------------------------------- */

int vida__projector_mark(vida_projector* projector, double t, const double* q, const double* v) {
  const int code = projector->own ? vida__equations_mark(projector->own, t, q, v) : VIDA_SUCCESS;
  projector->redundant = !code && vida__equations_is_redundant(projector->equations);
  return code;
}

int vida__projector_factor(vida_projector* projector, double t, const double* q, const double* v,
                           bool is_factored) {
  int code = VIDA_SUCCESS;
  if (projector->kind == VIDA_PROJECTION_FULL) {
    code = vida__jacobian(&projector->evaluator, t, q, projector->entries);
    code = code ? code : find_turning(projector, t, q, v);
    return code ? code : factor_full(projector);
  }
  if (projector->kind == VIDA_PROJECTION_TRIANGULAR) {
    code = find_turning(projector, t, q, v);
  }
  if (code || (is_factored && projector->equations != projector->own)) {
    return code;
  }
  return vida__equations_factor(projector->equations, t, q, v);
}

int vida__projector_factor_there(vida_projector* projector, double t, const double* q,
                                 const double* v) {
  if (projector->kind == VIDA_PROJECTION_FULL) {
    return vida__projector_factor(projector, t, q, v, false);
  }
  const int code = projector->kind == VIDA_PROJECTION_TRIANGULAR ? find_turning(projector, t, q, v)
                                                                 : VIDA_SUCCESS;
  return code ? code
              : vida__equations_factor_with(projector->equations, t, q, v, projector->entries);
}

int vida__projector_positions(vida_projector* projector, double t, const double* q, double* g) {
  const int code = vida__jacobian(&projector->evaluator, t, q, projector->entries);
  return code ? code : vida__constraints(&projector->evaluator, t, q, NULL, g);
}

void vida__projector_take_jacobian(vida_projector* projector) {
  memcpy(projector->entries, vida__equations_jacobian(projector->equations),
         (size_t)projector->system->entry_count * sizeof *projector->entries);
}

int vida__projector_gradients(vida_projector* projector, double t, const double* q) {
  return vida__jacobian(&projector->evaluator, t, q, projector->entries);
}

int vida__projector_violation(vida_projector* projector, double t, const double* q, double* g) {
  return vida__constraints(&projector->evaluator, t, q, NULL, g);
}

int vida__projector_rate(vida_projector* projector, double t, const double* q, const double* v,
                         double* rate) {
  return vida__velocity_residual(&projector->evaluator, t, q, projector->entries, v, rate);
}

int vida__projector_rows(vida_projector* projector, double t, const double* q, const double* v,
                         double* g, double* rate) {
  const int code = vida__projector_positions(projector, t, q, g);
  return code ? code : vida__projector_rate(projector, t, q, v, rate);
}

int vida__projector_correct(vida_projector* projector, const double* rows, double* along) {
  return vida__equations_correct(projector->equations, rows, along);
}

int vida__projector_apply(vida_projector* projector, const double* g, const double* rate,
                          double* dq, double* dv) {
  const VidaSystem* system = projector->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  if (projector->kind == VIDA_PROJECTION_FULL) {
    return apply_full(projector, g, rate, dq, dv);
  }
  memset(dq, 0, n * sizeof *dq);
  memset(dv, 0, n * sizeof *dv);
  int code = g ? vida__projector_correct(projector, g, dq) : VIDA_SUCCESS;
  if (code || !rate) {
    return code;
  }
  memcpy(projector->bias, rate, m * sizeof *rate);
  if (projector->kind == VIDA_PROJECTION_TRIANGULAR) {
    vida__add_constraint_velocity(system, projector->turning, -1.0, dq, projector->bias);
  }
  return vida__projector_correct(projector, projector->bias, dv);
}

const double* vida__projector_jacobian(const vida_projector* projector) {
  return projector->entries;
}

vida_evaluator* vida__projector_evaluator(vida_projector* projector) {
  return &projector->evaluator;
}

vida_equations* vida__projector_equations(vida_projector* projector) {
  return projector->equations;
}

void vida__projector_record(vida_projector* projector, VidaRecord* record) {
  if (!projector) {
    return;
  }
  VidaRecord_Reals(record, projector->block, count_numbers(projector));
  VidaRecord_Flag(record, &projector->redundant);
  vida__equations_record(projector->own, record);
  vida__linear_record(projector->linear, record);
}
