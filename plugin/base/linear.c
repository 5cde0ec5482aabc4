#include "base/linear.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/dense.h"
#include "base/direct_solver.h"
#include "base/elimination.h"
#include "base/elimination_solver.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/given_solver.h"
#include "base/memory.h"
#include "base/null_space_solver.h"
#include "base/sundials.h"

/* Below this size dense LU is faster for every pattern; above it, only for full matrices. */
enum { LARGEST_SMALL_SIZE = 24 };

int vida__pattern_slot(const vida_pattern* pattern, int row, int column) {
  sunindextype low = pattern->column_start[column];
  sunindextype high = pattern->column_start[column + 1] - 1;
  while (low < high) {
    const sunindextype middle = low + (high - low) / 2;
    if (pattern->row[middle] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (int)low;
}

bool vida__is_sparse(const vida_pattern* pattern, vida_solver solver) {
  const double filled = (double)pattern->entries / ((double)pattern->size * (double)pattern->size);
  if (solver != VIDA_SOLVER_AUTO) {
    return solver == VIDA_SOLVER_KLU;
  }
  return pattern->size > LARGEST_SMALL_SIZE && filled < 0.3;
}

static int create_offsets(vida_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  const sunindextype size = pattern->size;
  linear->offset = vida__allocate((size_t)pattern->entries, sizeof *linear->offset);
  if (!linear->offset) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (sunindextype column = 0; column < size; column++) {
    for (sunindextype k = pattern->column_start[column]; k < pattern->column_start[column + 1];
         k++) {
      linear->offset[k] = column * size + pattern->row[k];
    }
  }
  return VIDA_SUCCESS;
}

static int create_dense(vida_linear* linear, SUNContext context) {
  const sunindextype size = linear->pattern->size;
  linear->matrix = vida__new_dense_matrix(size, context);
  linear->pivoting = vida__dense_solver(size, context);
  return linear->matrix && linear->pivoting ? create_offsets(linear) : VIDA_OUT_OF_MEMORY;
}

#if defined(SUNDIALS_INT64_T)
#define RECIPROCAL_GROWTH klu_l_rgrowth
#else
#define RECIPROCAL_GROWTH klu_rgrowth
#endif

/* Pivots are chosen once and kept while values change, but an entry that was a good pivot may
 * become nearly zero. Factors that have grown by more than this are made again with new pivots.
 * Only then, and where elimination of a large matrix fails for the first time, a step allocates
 * memory. */
static const double least_growth = 1e-10; /* reciprocal */

/* Factors, with new pivots or those that are there. The values for which pivots were chosen are
 * kept behind those of the matrix: by them a loaded matrix finds the same ones (linear_record.c).
 */
static int factor_once(SUNLinearSolver solver, SUNMatrix matrix) {
  enum { NOT_CHOSEN = -2 };
  sun_klu_common* common = SUNLinSol_KLUGetCommon(solver);
  common->noffdiag = NOT_CHOSEN; /* which KLU sets with the pivots only */
  const int code = SUNLinSolSetup_KLU(solver, matrix);
  if (common->noffdiag != NOT_CHOSEN) {
    const sunindextype entries = SM_INDEXPTRS_S(matrix)[SM_COLUMNS_S(matrix)];
    memcpy(SM_DATA_S(matrix) + entries, SM_DATA_S(matrix),
           (size_t)entries * sizeof *SM_DATA_S(matrix));
  }
  return code;
}

/* Chooses new pivots. The order of the columns depends on the pattern alone, so the last analysis
 * still holds; only after a failure it is made again, as SUNDIALS does. */
static int choose_pivots(SUNLinearSolver solver, SUNMatrix matrix) {
  SUNLinearSolverContent_KLU content = solver->content;
  const sunindextype entries = SM_INDEXPTRS_S(matrix)[SM_COLUMNS_S(matrix)];
  double* data = SM_DATA_S(matrix);
  if (content->numeric) {
    sun_klu_free_numeric(&content->numeric, &content->common);
  }
  if (content->symbolic) {
    content->numeric = sun_klu_factor((void*)SM_INDEXPTRS_S(matrix), (void*)SM_INDEXVALS_S(matrix),
                                      data, content->symbolic, &content->common);
  }
  if (!content->numeric) {
    content->first_factorize = 1;
    return factor_once(solver, matrix);
  }
  memcpy(data + entries, data, (size_t)entries * sizeof *data);
  return 0;
}

/* Returns whether the last factors have grown too much. */
static bool has_grown(SUNLinearSolver solver, SUNMatrix matrix) {
  sun_klu_common* common = SUNLinSol_KLUGetCommon(solver);
  return SUNLinSol_KLUGetNumeric(solver) &&
         RECIPROCAL_GROWTH((void*)SM_INDEXPTRS_S(matrix), (void*)SM_INDEXVALS_S(matrix),
                           SM_DATA_S(matrix), SUNLinSol_KLUGetSymbolic(solver),
                           SUNLinSol_KLUGetNumeric(solver), common) &&
         common->rgrowth < least_growth;
}

static int factor_sparse(SUNLinearSolver solver, SUNMatrix matrix) {
  const int code = factor_once(solver, matrix);
  const bool is_singular = code && SUNLinSol_KLUGetCommon(solver)->status == KLU_SINGULAR;
  /* A pivot that was kept may have vanished. */
  const bool is_renewed = is_singular || (!code && has_grown(solver, matrix));
  return is_renewed ? choose_pivots(solver, matrix) : code;
}

void vida__store_pattern(const vida_pattern* pattern, SUNMatrix matrix) {
  memcpy(SM_INDEXPTRS_S(matrix), pattern->column_start,
         ((size_t)pattern->size + 1) * sizeof *pattern->column_start);
  memcpy(SM_INDEXVALS_S(matrix), pattern->row, (size_t)pattern->entries * sizeof *pattern->row);
}

static int create_sparse(vida_linear* linear, SUNContext context) {
  const vida_pattern* pattern = linear->pattern;
  linear->matrix = vida__new_sparse_matrix(pattern->size, 2 * (sunindextype)pattern->entries,
                                           context); /* twice: see factor_once */
  if (!linear->matrix) {
    return VIDA_OUT_OF_MEMORY;
  }
  memset(SM_DATA_S(linear->matrix), 0,
         2 * (size_t)pattern->entries * sizeof *SM_DATA_S(linear->matrix));
  linear->pivoting = SUNLinSol_KLU(linear->right_side, linear->matrix, context);
  linear->visited = vida__allocate((size_t)pattern->size, sizeof *linear->visited);
  if (!linear->pivoting || !linear->visited) {
    return VIDA_OUT_OF_MEMORY;
  }
  linear->pivoting->ops->setup = factor_sparse;
  return VIDA_SUCCESS;
}

/* KINSOL clears the matrix before the assembly, and for a sparse matrix also the pattern.
 * vida__linear_store writes all of it, so this function does nothing. */
static SUNErrCode keep_messages(SUNMatrix matrix) {
  (void)matrix;
  return 0;
}

/* KINSOL initializes its linear solver in every call, and SUNDIALS' KLU then deletes its symbolic
 * analysis and allocates memory again. For a constant pattern this is unnecessary. */
static SUNErrCode keep_analysis(SUNLinearSolver solver) {
  (void)solver;
  return 0;
}

static int create_own(vida_linear* linear, vida_solver kind, SUNContext context, VidaError* error) {
  int code = linear->sparse ? create_sparse(linear, context) : create_dense(linear, context);
  linear->solver = linear->pivoting;
  if (!code) {
    linear->matrix->ops->zero = keep_messages;
    code = SUNLinSolInitialize(linear->pivoting) ? VIDA_SOLVER_FAILED : VIDA_SUCCESS;
    linear->pivoting->ops->initialize = keep_analysis;
  }
  if (!code && kind == VIDA_SOLVER_AUTO && linear->pattern->leading > 0) {
    code = vida__add_elimination(linear, context);
  }
  if (!code) {
    vida__linear_store(linear);
  }
  return code == VIDA_OUT_OF_MEMORY ? vida__fail_memory(error)
         : code ? vida__fail(error, code, "the linear solver could not be set up")
                : VIDA_SUCCESS;
}

static int create_given(vida_linear* linear, SUNContext context, vida_services* services,
                        VidaError* error) {
  const int code = vida__give_solver(linear, context, services, error);
  linear->pivoting = linear->solver;
  if (code) {
    return code;
  }
  if (!linear->sparse && create_offsets(linear)) {
    return vida__fail_memory(error);
  }
  vida__linear_store(linear);
  return VIDA_SUCCESS;
}

/* Allocates a matrix without its solver. */
static int allocate(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                    vida_linear** linear, VidaError* error) {
  vida_linear* created = vida__allocate(1, sizeof *created);
  *linear = created;
  if (!created) {
    return vida__fail_memory(error);
  }
  created->pattern = pattern;
  created->sparse = vida__is_sparse(pattern, solver);
  created->values = vida__allocate((size_t)pattern->entries, sizeof *created->values);
  created->scale = vida__allocate((size_t)pattern->size, sizeof *created->scale);
  created->extent = vida__allocate((size_t)pattern->size, sizeof *created->extent);
  created->right_side = vida__new_vector(pattern->size, context);
  created->solution = vida__new_vector(pattern->size, context);
  return created->values && created->scale && created->extent && created->right_side &&
                 created->solution
             ? VIDA_SUCCESS
             : vida__fail_memory(error);
}

int vida__linear_create_given(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                              vida_services* services, vida_linear** linear, VidaError* error) {
  int code = allocate(context, pattern, solver, linear, error);
  if (!code) {
    code = vida__gives_solver(services) ? create_given(*linear, context, services, error)
                                        : create_own(*linear, solver, context, error);
  }
  if (code) {
    vida__linear_destroy(linear);
  }
  return code;
}

int vida__linear_create_reduced(SUNContext context, const vida_pattern* pattern, int n,
                                vida_linear** linear, VidaError* error) {
  int code = allocate(context, pattern, VIDA_SOLVER_DENSE, linear, error);
  if (!code) {
    vida_linear* created = *linear;
    created->is_reduced = true;
    created->matrix = vida__new_dense_matrix(pattern->size, context);
    created->pivoting = vida__null_space_solver(n, pattern->size - n, context);
    created->solver = created->pivoting;
    code = !created->matrix || !created->pivoting || create_offsets(created)
               ? vida__fail_memory(error)
               : VIDA_SUCCESS;
  }
  if (code) {
    vida__linear_destroy(linear);
    return code;
  }
  (*linear)->matrix->ops->zero = keep_messages;
  vida__linear_store(*linear);
  return VIDA_SUCCESS;
}

int vida__linear_create(SUNContext context, const vida_pattern* pattern, vida_solver solver,
                        vida_linear** linear, VidaError* error) {
  return vida__linear_create_given(context, pattern, solver, NULL, linear, error);
}

void vida__linear_destroy(vida_linear** linear) {
  vida_linear* old = *linear;
  if (!old) {
    return;
  }
  if (old->solver && old->solver != old->pivoting) {
    SUNLinSolFree(old->solver);
  }
  if (old->pivoting) {
    SUNLinSolFree(old->pivoting);
  }
  vida__remove_elimination(old);
  vida__given_destroy(&old->given);
  if (old->matrix) {
    SUNMatDestroy(old->matrix);
  }
  if (old->right_side) {
    N_VDestroy(old->right_side);
  }
  if (old->solution) {
    N_VDestroy(old->solution);
  }
  free(old->values);
  free(old->scale);
  free(old->extent);
  free(old->visited);
  free(old->offset);
  free(old);
  *linear = NULL;
}

void vida__linear_clear(vida_linear* linear) {
  memset(linear->values, 0, (size_t)linear->pattern->entries * sizeof *linear->values);
}

void vida__linear_store(vida_linear* linear) {
  if (!linear->elimination) {
    vida__linear_store_all(linear);
  }
}

void vida__linear_store_all(vida_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  linear->is_scaled = false;
  if (linear->sparse && (linear->given || !linear->has_pattern)) {
    vida__store_pattern(pattern, linear->matrix); /* KINSOL clears that of a given solver */
    linear->has_pattern = true;
  }
  if (linear->sparse) {
    memcpy(SM_DATA_S(linear->matrix), linear->values,
           (size_t)pattern->entries * sizeof *linear->values);
    return;
  }
  double* data = SM_DATA_D(linear->matrix);
  const size_t size = (size_t)pattern->size;
  memset(data, 0, size * size * sizeof *data); /* the last factors have filled it */
  for (int k = 0; k < pattern->entries; k++) {
    data[linear->offset[k]] = linear->values[k];
  }
}

/* ---- scaling --------------------------------------------------------------------------------- */

/* Finds the largest entry of each row and its column, and scales it by `scale` unless that is NULL.
 * Inlined, so that the unscaled pass, which precedes every factorization, pays for neither the
 * scales nor the question. Comparisons are cheaper than fmax. */
static inline void find_extents(vida_linear* linear, const double* restrict scale) {
  const vida_pattern* pattern = linear->pattern;
  const sunindextype* restrict row = pattern->row;
  const double* restrict values = linear->values;
  double* restrict extent = linear->extent;
  memset(extent, 0, (size_t)pattern->size * sizeof *extent);
  sunindextype k = 0;
  for (int j = 0; j < pattern->size; j++) {
    double largest = 0.0;
    for (const sunindextype end = pattern->column_start[j + 1]; k < end; k++) {
      const double size = fabs(values[k]) * (scale ? scale[row[k]] * scale[j] : 1.0);
      if (size > extent[row[k]]) {
        extent[row[k]] = size;
      }
      largest = size > largest ? size : largest;
    }
    extent[j] = extent[j] > largest ? extent[j] : largest;
  }
}

static void measure_extents(vida_linear* linear) {
  find_extents(linear, NULL);
}

static void measure_scaled_extents(vida_linear* linear) {
  find_extents(linear, linear->scale);
}

static const double most_apart = 1e12;

/* Whether the columns alone show that no rows and columns are too far apart: the extent of a row
 * and column is at least that of its column, and the largest extent is that of a column. Decides
 * nearly every factorization for a third of the price of the extents. */
static bool are_columns_near(const vida_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  const double* values = linear->values;
  double least = INFINITY, most = 0.0;
  sunindextype k = 0;
  for (int j = 0; j < pattern->size; j++) {
    double largest = 0.0;
    for (const sunindextype end = pattern->column_start[j + 1]; k < end; k++) {
      const double size = fabs(values[k]);
      largest = size > largest ? size : largest;
    }
    least = largest < least ? largest : least;
    most = largest > most ? largest : most;
  }
  return most <= most_apart * least;
}

/* Whether rows differ so much that rounding of the large ones hides the small ones. */
static bool is_badly_scaled(const vida_linear* linear) {
  double least = INFINITY, largest = 0.0;
  for (int i = 0; i < linear->pattern->size; i++) {
    const double extent = linear->extent[i];
    least = extent > 0.0 && extent < least ? extent : least;
    largest = extent > largest ? extent : largest;
  }
  return isfinite(largest) && largest > most_apart * least;
}

/* The ratio of the sizes of a row and its unknown is a mass, or for constraints the reciprocal of
 * one. */
static double mass_of(const vida_linear* linear, int i) {
  return linear->unknown_reciprocal[i] / linear->row_reciprocal[i];
}

/* Returns whether the given sizes show that all masses are far from 1, so that pivots would depend
 * on their unit. Then there are two groups of rows, above and below *middle. Light masses beside
 * heavy ones are none: pivots may well depend on them. */
static bool are_sizes_apart(const vida_linear* linear, double* middle) {
  static const double apart = 1e11;
  const int size = linear->row_reciprocal ? linear->pattern->size : 0;
  double least = INFINITY, most = 0.0;
  for (int i = 0; i < size; i++) {
    const double mass = mass_of(linear, i);
    least = mass < least ? mass : least;
    most = mass > most ? mass : most;
  }
  if (!(isfinite(most) && most > apart * apart * least)) {
    return false;
  }
  *middle = sqrt(most) * sqrt(least);
  for (int i = 0; i < size; i++) {
    const double ratio = mass_of(linear, i) / *middle;
    if (ratio < apart && ratio * apart > 1.0) {
      return false;
    }
  }
  return true;
}

/* Scales each group of rows by one number, as if its mean mass were the unit of mass. */
static void take_sizes(vida_linear* linear, double middle) {
  double sum[2] = {0.0, 0.0};
  int count[2] = {0, 0};
  for (int i = 0; i < linear->pattern->size; i++) {
    const double mass = mass_of(linear, i);
    sum[mass > middle] += log2(mass);
    count[mass > middle]++;
  }
  for (int i = 0; i < linear->pattern->size; i++) {
    const int group = mass_of(linear, i) > middle;
    linear->scale[i] = exp2(round(-0.5 * sum[group] / count[group]));
  }
}

/* Symmetric scaling to extents near 1 (Ruiz 2001), by powers of two, which round nothing. */
static void find_scales(vida_linear* linear) {
  enum { ROUNDS = 6 };
  const vida_pattern* pattern = linear->pattern;
  int exponent;
  double middle;
  if (are_sizes_apart(linear, &middle)) {
    take_sizes(linear, middle);
    linear->is_scaled = true;
    return;
  }
  if (are_columns_near(linear)) {
    linear->is_scaled = false;
    return;
  }
  measure_extents(linear);
  linear->is_scaled = is_badly_scaled(linear);
  for (int i = 0; i < pattern->size && linear->is_scaled; i++) {
    linear->scale[i] = 1.0;
  }
  for (int round = 0; round < ROUNDS && linear->is_scaled; round++) {
    for (int i = 0; i < pattern->size; i++) {
      if (linear->extent[i] > 0.0) {
        frexp(linear->scale[i] / sqrt(linear->extent[i]), &exponent);
        linear->scale[i] = ldexp(1.0, exponent);
      }
    }
    measure_scaled_extents(linear);
  }
}

/* Scales the stored matrix; the values do not change. */
static void scale_matrix(const vida_linear* linear) {
  const vida_pattern* pattern = linear->pattern;
  double* data = linear->sparse ? SM_DATA_S(linear->matrix) : SM_DATA_D(linear->matrix);
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      data[linear->sparse ? k : linear->offset[k]] *=
          linear->scale[pattern->row[k]] * linear->scale[j];
    }
  }
}

static void scale_vector(const vida_linear* linear, double* x) {
  for (int i = 0; i < linear->pattern->size && linear->is_scaled; i++) {
    x[i] *= linear->scale[i];
  }
}

bool vida__linear_lacks_memory(const vida_linear* linear) {
  const sun_klu_common* common =
      linear->sparse && !linear->given ? SUNLinSol_KLUGetCommon(linear->pivoting) : NULL;
  return common && (common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE);
}

static int factor_with_pivots(vida_linear* linear) {
  vida__linear_store_all(linear);
  find_scales(linear);
  if (linear->is_scaled) {
    scale_matrix(linear);
  }
  if (SUNLinSolSetup(linear->pivoting, linear->matrix) == 0 || linear->last_elimination) {
    return VIDA_SUCCESS;
  }
  return vida__linear_lacks_memory(linear) ? VIDA_OUT_OF_MEMORY : VIDA_STEP_SINGULAR;
}

int vida__linear_factor(vida_linear* linear) {
  return vida__eliminate(linear) ? VIDA_SUCCESS : factor_with_pivots(linear);
}

void vida__linear_check_solutions(vida_linear* linear) {
  linear->is_checked = true;
}

int vida__linear_solve(vida_linear* linear, const double* b, double* x) {
  const int size = linear->pattern->size;
  double* right_side = N_VGetArrayPointer(linear->right_side);
  const double* solution = N_VGetArrayPointer(linear->solution);
  if (linear->last_elimination && !linear->is_checked) {
    return vida__solve_eliminated(linear, b, x);
  }
  memcpy(right_side, b, (size_t)size * sizeof *b); /* x may be b */
  if (linear->last_elimination) {
    if (vida__solve_checked(linear, right_side, x)) {
      return VIDA_SUCCESS;
    }
    vida__reject_elimination(linear);
    const int code = factor_with_pivots(linear);
    if (code) {
      return code;
    }
  }
  scale_vector(linear, right_side);
  if (SUNLinSolSolve(linear->pivoting, linear->matrix, linear->solution, linear->right_side, 0.0)) {
    return VIDA_STEP_SINGULAR;
  }
  for (int i = 0; i < size; i++) {
    if (!isfinite(solution[i])) {
      return VIDA_STEP_SINGULAR;
    }
  }
  memcpy(x, solution, (size_t)size * sizeof *x);
  scale_vector(linear, x);
  return VIDA_SUCCESS;
}

/* ---- the operations of a SUNLinearSolver with known sizes ------------------------------------ */

static int set_up_sized(SUNLinearSolver solver, SUNMatrix matrix) {
  vida_linear* linear = solver->content;
  double middle;
  linear->is_scaled = are_sizes_apart(linear, &middle);
  if (linear->is_scaled) {
    take_sizes(linear, middle);
    scale_matrix(linear);
  }
  return SUNLinSolSetup(linear->pivoting, matrix);
}

static int solve_sized(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                       sunrealtype tolerance) {
  const vida_linear* linear = solver->content;
  double* side = N_VGetArrayPointer(b);
  scale_vector(linear, side);
  const int code = SUNLinSolSolve(linear->pivoting, matrix, x, b, tolerance);
  for (int i = 0; i < linear->pattern->size && linear->is_scaled && b != x; i++) {
    side[i] /= linear->scale[i]; /* KINSOL looks at it; powers of two leave no rounding */
  }
  scale_vector(linear, N_VGetArrayPointer(x));
  return code;
}

int vida__linear_use_sizes(vida_linear* linear, const double* row_reciprocal,
                           const double* unknown_reciprocal, SUNContext context) {
  static const vida_direct_operations operations = {set_up_sized, solve_sized};
  if (linear->given || linear->is_reduced || linear->solver != linear->pivoting) {
    return VIDA_SUCCESS;
  }
  SUNLinearSolver solver = vida__direct_solver(operations, linear, context);
  if (!solver) {
    return VIDA_OUT_OF_MEMORY;
  }
  linear->solver = solver;
  linear->row_reciprocal = row_reciprocal;
  linear->unknown_reciprocal = unknown_reciprocal;
  return VIDA_SUCCESS;
}

int vida__linear_solve_last(vida_linear* linear, const double* b, double* x, double* work) {
  const int leading = linear->pattern->leading, count = linear->pattern->size - leading;
  if (linear->last_elimination) {
    vida__elimination_solve_last(linear->last_elimination, b, x);
    return vida__are_finite(x, count) ? VIDA_SUCCESS : VIDA_STEP_SINGULAR;
  }
  memset(work, 0, (size_t)leading * sizeof *work);
  memcpy(work + leading, b, (size_t)count * sizeof *b);
  const int code = vida__linear_solve(linear, work, work);
  memcpy(x, work + leading, (size_t)count * sizeof *x);
  return code;
}

long vida__linear_factor_entries(const vida_linear* linear) {
  const long size = linear->pattern->size;
  if (linear->last_elimination) {
    return vida__elimination_entries(linear->last_elimination);
  }
  if (linear->given || linear->is_reduced) {
    return -1;
  }
  if (!linear->sparse) {
    return size * size;
  }
  const sun_klu_numeric* numeric = SUNLinSol_KLUGetNumeric(linear->pivoting);
  return numeric ? (long)numeric->lnz + (long)numeric->unz + (long)numeric->nzoff : -1;
}

/* 1 for an even permutation, -1 for an odd one. */
static int permutation_sign(const sunindextype* permutation, int size, bool* visited) {
  int sign = 1;
  for (int i = 0; i < size; i++) {
    visited[i] = false;
  }
  for (int i = 0; i < size; i++) {
    /* A cycle of length l is l - 1 exchanges. */
    for (sunindextype j = permutation[i]; !visited[i] && j != i; j = permutation[j]) {
      visited[j] = true;
      sign = -sign;
    }
    visited[i] = true;
  }
  return sign;
}

int vida__linear_sign(vida_linear* linear) {
  const int size = linear->pattern->size;
  if (linear->last_elimination) {
    return vida__elimination_sign(linear->last_elimination);
  }
  if (linear->given || linear->is_reduced) {
    return 0;
  }
  if (!linear->sparse) {
    return vida__dense_sign(linear->pivoting, linear->matrix);
  }
  const sun_klu_numeric* numeric = SUNLinSol_KLUGetNumeric(linear->pivoting);
  const sun_klu_symbolic* symbolic = SUNLinSol_KLUGetSymbolic(linear->pivoting);
  if (!numeric || !symbolic) {
    return 0;
  }
  const double* diagonal = numeric->Udiag;
  int sign = permutation_sign(numeric->Pnum, size, linear->visited) *
             permutation_sign(symbolic->Q, size, linear->visited);
  for (int k = 0; k < size; k++) {
    sign = diagonal[k] < 0.0 ? -sign : diagonal[k] > 0.0 ? sign : 0;
  }
  return sign;
}
