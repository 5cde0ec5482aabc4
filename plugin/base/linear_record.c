#include "base/linear_record.h"

#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/dense.h"
#include "base/elimination.h"
#include "base/null_space_solver.h"

/* Makes the factors of KLU again: those of the values for which it chose its pivots, and with these
 * those of the last values. What fails now has failed before. */
static void factor_again(vida_linear* linear, VidaRecord* record, bool has_factors) {
  const size_t entries = (size_t)linear->pattern->entries;
  double* data = SM_DATA_S(linear->matrix);
  double* last = linear->values; /* which are loaded afterwards */
  vida__store_pattern(linear->pattern, linear->matrix);
  linear->has_pattern = true;
  if (SUNLinSol_KLUReInit(linear->pivoting, linear->matrix, SM_NNZ_S(linear->matrix),
                          SUNKLU_REINIT_PARTIAL)) {
    vida__record_fail(record, VIDA_SOLVER_FAILED, "the linear solver could not be set up again");
  } else if (has_factors) {
    memcpy(last, data, entries * sizeof *data);
    memcpy(data, data + entries, entries * sizeof *data);
    SUNLinSolSetup(linear->pivoting, linear->matrix);
    if (memcmp(data, last, entries * sizeof *data) != 0) {
      memcpy(data, last, entries * sizeof *data);
      SUNLinSolSetup(linear->pivoting, linear->matrix);
    }
  }
}

static void record_sparse(vida_linear* linear, VidaRecord* record) {
  bool has_factors = SUNLinSol_KLUGetNumeric(linear->pivoting) != NULL;
  VidaRecord_Flag(record, &has_factors);
  VidaRecord_Reals(record, SM_DATA_S(linear->matrix), 2 * (size_t)linear->pattern->entries);
  if (VidaRecord_IsLoading(record) && !vida__record_failure(record, NULL)) {
    factor_again(linear, record, has_factors);
  }
}

static void record_pivoting(vida_linear* linear, VidaRecord* record) {
  if (linear->sparse) {
    record_sparse(linear, record);
    return;
  }
  const size_t size = (size_t)linear->pattern->size;
  VidaRecord_Reals(record, SM_DATA_D(linear->matrix), size * size);
  if (linear->is_reduced) {
    vida__null_space_record(linear->pivoting, record);
  } else {
    vida__dense_record(linear->pivoting, record);
  }
}

/* Gives the elimination of some entries the form that the loaded entries require. */
static void narrow_again(vida_linear* linear, VidaRecord* record) {
  vida__elimination_destroy(&linear->seen_part);
  if (vida__elimination_copy(linear->elimination, &linear->seen_part)) {
    vida__record_fail_memory(record);
  } else if (linear->is_prepared) {
    vida__elimination_narrow(linear->seen_part, linear->seen);
  }
}

static void record_eliminations(vida_linear* linear, VidaRecord* record) {
  long last = !linear->last_elimination ? 0 : linear->last_elimination == linear->seen_part ? 1 : 2;
  long failures = linear->failures, skips = linear->skips;
  VidaRecord_Integer(record, &last, 0, 2);
  VidaRecord_Integer(record, &failures, 0, 30);
  VidaRecord_Integer(record, &skips, 0, 1 << 30);
  vida__record_flags(record, linear->seen, (size_t)linear->pattern->entries);
  VidaRecord_Flag(record, &linear->is_prepared);
  linear->failures = (int)failures;
  linear->skips = (int)skips;
  if (VidaRecord_IsLoading(record) && !vida__record_failure(record, NULL)) {
    narrow_again(linear, record);
  }
  if (!vida__record_failure(record, NULL)) {
    vida__elimination_record(linear->seen_part, record);
    vida__elimination_record(linear->elimination, record);
    linear->last_elimination = last == 0   ? NULL
                               : last == 1 ? linear->seen_part
                                           : linear->elimination;
  }
}

void vida__linear_record(vida_linear* linear, VidaRecord* record) {
  if (!linear) {
    return;
  }
  if (linear->given) {
    vida__record_fail(record, VIDA_NOT_SUPPORTED,
                      "a stepper with a linear solver of the program cannot be saved: what the "
                      "solver keeps is not known");
    return;
  }
  const int sizes[] = {linear->pattern->size, linear->pattern->entries, linear->sparse,
                       linear->is_reduced, linear->elimination != NULL};
  vida__record_same(record, "matrix", sizeof sizes / sizeof *sizes, sizes);
  record_pivoting(linear, record);
  VidaRecord_Reals(record, linear->values, (size_t)linear->pattern->entries);
  VidaRecord_Reals(record, linear->scale, (size_t)linear->pattern->size);
  VidaRecord_Flag(record, &linear->is_scaled);
  VidaRecord_Flag(record, &linear->is_rough);
  VidaRecord_Flag(record, &linear->is_checked);
  VidaRecord_Reals(record, &linear->refined_below, 1);
  if (linear->elimination) {
    record_eliminations(linear, record);
  }
}
