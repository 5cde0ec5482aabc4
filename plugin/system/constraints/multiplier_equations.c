#include "system/constraints/multiplier_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/finite.h"
#include "base/memory.h"
#include "system/constraints/multiplier_matrix.h"

struct vida_multiplier_equations {
  const VidaSystem* system;
  bool has_identity; /* instead of the masses */
  vida_multiplier_matrix matrix;
  vida_elimination* elimination;
  double* root;        /* n: M^(-1/2) */
  double* scaled;      /* entries: of B = G M^(-1/2); the matrix is B B^T, exactly symmetric */
  double* scaled_rows; /* entries: of the second line, if they are others */
  const double* left;  /* of the last factors: `scaled` or `scaled_rows` */
  double* values;      /* of the matrix */
  double* given;       /* m: s */
  double* multipliers; /* m: work */
};

/* ---- creation -------------------------------------------------------------------------------- */

static bool has_diagonal(const VidaSystem* system) {
  return system->constant_mass && !system->has_coupled_mass;
}

enum { ARRAYS = 6 };

static void list_arrays(vida_multiplier_equations* made, vida_array arrays[ARRAYS]) {
  const VidaSystem* system = made->system;
  const size_t m = (size_t)system->row_count;
  const vida_array list[ARRAYS] = {{&made->root, (size_t)system->coordinate_count},
                                   {&made->scaled, (size_t)system->entry_count},
                                   {&made->scaled_rows, (size_t)system->entry_count},
                                   {&made->given, m},
                                   {&made->multipliers, m},
                                   {&made->values, (size_t)made->matrix.pattern.entries}};
  memcpy(arrays, list, sizeof list);
}

static int allocate(vida_multiplier_equations* made) {
  vida_array arrays[ARRAYS];
  list_arrays(made, arrays);
  return vida__allocate_arrays(arrays, ARRAYS) ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__multiplier_equations_create(const VidaSystem* system, bool has_identity,
                                      vida_multiplier_equations** equations) {
  *equations = NULL;
  if (system->row_count == 0 || !(has_identity || has_diagonal(system))) {
    return VIDA_SUCCESS;
  }
  vida_multiplier_equations* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->system = system;
  made->has_identity = has_identity;
  int code = vida__find_multiplier_matrix(system, &made->matrix);
  if (!code && made->matrix.pattern.size > 0) {
    code = vida__elimination_create(&made->matrix.pattern, &made->elimination);
  }
  *equations = made;
  code = code || !made->elimination ? code : allocate(made);
  if (code || !made->elimination) {
    vida__multiplier_equations_destroy(equations);
    return code;
  }
  vida__elimination_allow_symmetric(made->elimination);
  return VIDA_SUCCESS;
}

void vida__multiplier_equations_destroy(vida_multiplier_equations** equations) {
  vida_multiplier_equations* old = *equations;
  if (!old) {
    return;
  }
  vida__elimination_destroy(&old->elimination);
  vida__free_multiplier_matrix(&old->matrix);
  free(old->root); /* the first of the arrays */
  free(old);
  *equations = NULL;
}

/* ---- masses ---------------------------------------------------------------------------------- */

/* Ratio of square roots of masses below which a coordinate counts as light compared with those that
 * a row connects it to, as in the scaling of steps. */
static const double least_root = 1e-4;
/* Relative to the entries of a row; a smaller entry is rounding. */
static const double least_entry = 1e-8;

/* Along a row, coordinate i moves coordinate j by G_i / G_j of its own displacement, so it carries
 * the mass m_j (G_i / G_j)^2 of the kinetic energy. */
static bool has_light_mass(const vida_multiplier_equations* own, const double* entries, int first,
                           int end) {
  const vida_jacobian_entry* entry = own->system->entries;
  double largest = 0.0, heaviest = 0.0;
  for (int e = first; e < end; e++) {
    largest = fmax(largest, fabs(entries[e]));
  }
  for (int e = first; e < end; e++) {
    if (fabs(entries[e]) > least_entry * largest) {
      heaviest = fmax(heaviest, 1.0 / fabs(own->root[entry[e].coordinate] * entries[e]));
    }
  }
  bool is_light = false;
  for (int e = first; e < end; e++) {
    const double scaled = fabs(own->root[entry[e].coordinate] * entries[e]);
    is_light = is_light || least_root * heaviest * scaled > 1.0;
  }
  return is_light;
}

bool vida__multiplier_equations_start(vida_multiplier_equations* equations, const double* entries) {
  const VidaSystem* system = equations->system;
  const vida_jacobian_entry* entry = system->entries;
  bool is_regular = true;
  for (int i = 0; i < system->coordinate_count; i++) {
    equations->root[i] = equations->has_identity ? 1.0 : 1.0 / sqrt(system->mass[i]);
    is_regular = is_regular && isfinite(equations->root[i]) && equations->root[i] > 0.0;
  }
  for (int e = 0; e < system->entry_count && is_regular && !equations->has_identity;) {
    const int first = e;
    while (e < system->entry_count && entry[e].row == entry[first].row) {
      e++;
    }
    is_regular = !has_light_mass(equations, entries, first, e);
  }
  return is_regular;
}

/* ---- solution -------------------------------------------------------------------------------- */

bool vida__multiplier_equations_factor(vida_multiplier_equations* equations,
                                       const double* entries) {
  const size_t bytes = (size_t)equations->matrix.pattern.entries * sizeof *equations->values;
  vida__scale_runs(&equations->matrix.runs, entries, equations->root, equations->scaled);
  memset(equations->values, 0, bytes);
  vida__add_entry_squares(&equations->matrix, equations->scaled, equations->values);
  equations->left = equations->scaled;
  return vida__elimination_factor(equations->elimination, equations->values);
}

bool vida__multiplier_equations_factor_rows(vida_multiplier_equations* equations,
                                            const double* entries, const double* rows) {
  const vida_multiplier_matrix* matrix = &equations->matrix;
  const size_t bytes = (size_t)matrix->pattern.entries * sizeof *equations->values;
  vida__scale_runs(&matrix->runs, entries, equations->root, equations->scaled);
  vida__scale_runs(&matrix->runs, rows, equations->root, equations->scaled_rows);
  memset(equations->values, 0, bytes);
  vida__add_entry_products(matrix, equations->scaled_rows, equations->scaled, equations->values);
  equations->left = equations->scaled_rows;
  return vida__elimination_factor(equations->elimination, equations->values);
}

/* Solutions with smaller pivots, which have lost more than four digits, are refined. */
static const double certain_pivot = 1e-4;

static bool is_uncertain(const vida_multiplier_equations* own) {
  return vida__elimination_least_pivot(own->elimination) < certain_pivot;
}

/* Computes y with B B^T y = B z - given, and subtracts B^T y from z = M^(1/2) x; the first B on
 * either side is that of the second line. */
static void remove_rest(vida_multiplier_equations* own, const double* given, double* z, double* y) {
  vida__multiply_runs(&own->matrix.runs, own->left, z, given, y);
  vida__elimination_solve(own->elimination, y, y);
  vida__subtract_runs(&own->matrix.runs, own->scaled, y, z);
}

bool vida__multiplier_equations_solve(vida_multiplier_equations* equations,
                                      const double* right_side, double* x) {
  const int n = equations->system->coordinate_count, m = equations->system->row_count;
  double *y = x + n, *change = equations->multipliers;
  memcpy(equations->given, right_side + n, (size_t)m * sizeof *x);
  for (int i = 0; i < n; i++) {
    x[i] = equations->root[i] * right_side[i];
  }
  remove_rest(equations, equations->given, x, y);
  if (is_uncertain(equations)) {
    remove_rest(equations, equations->given, x, change);
    for (int r = 0; r < m; r++) {
      y[r] += change[r];
    }
  }
  for (int i = 0; i < n; i++) {
    x[i] *= equations->root[i];
  }
  return vida__are_finite(x, n + m);
}

bool vida__multiplier_equations_correct(vida_multiplier_equations* equations, const double* s,
                                        double* x) {
  const int n = equations->system->coordinate_count;
  double* y = equations->multipliers;
  memset(x, 0, (size_t)n * sizeof *x);
  remove_rest(equations, s, x, y);
  if (is_uncertain(equations)) {
    remove_rest(equations, s, x, y);
  }
  for (int i = 0; i < n; i++) {
    x[i] *= equations->root[i];
  }
  return vida__are_finite(x, n);
}

void vida__multiplier_equations_record(vida_multiplier_equations* equations, VidaRecord* record) {
  if (!equations) {
    return;
  }
  bool is_other = equations->left == equations->scaled_rows;
  vida_array arrays[ARRAYS];
  list_arrays(equations, arrays);
  vida__record_arrays(record, arrays, ARRAYS);
  VidaRecord_Flag(record, &is_other);
  equations->left = is_other ? equations->scaled_rows : equations->scaled;
  vida__elimination_record(equations->elimination, record);
}
