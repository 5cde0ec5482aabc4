#include "base/given_solver.h"

#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/direct_solver.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/sundials.h"

struct VidaNewtonPattern {
  const vida_pattern* pattern;
  SUNContext context;
};

/* ---- the context ----------------------------------------------------------------------------- */

int vida__take_context(const vida_services* services, SUNContext* context) {
  if (!services) {
    return vida__context_create(context);
  }
  *context = services->given.context;
  return 0;
}

void vida__leave_context(const vida_services* services, SUNContext* context) {
  if (*context && !services) {
    SUNContext_Free(context);
  }
  *context = NULL;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

sunindextype VidaNewtonPattern_Size(const VidaNewtonPattern* pattern) {
  return pattern ? pattern->pattern->size : 0;
}

sunindextype VidaNewtonPattern_EntryCount(const VidaNewtonPattern* pattern) {
  return pattern ? pattern->pattern->entries : 0;
}

int VidaNewtonPattern_CreateMatrix(const VidaNewtonPattern* pattern, SUNMatrix_ID kind,
                                   SUNMatrix* matrix, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, pattern, matrix)) {
    return VIDA_BAD_ARGUMENT;
  }
  const vida_pattern* own = pattern->pattern;
  *matrix = NULL;
  if (kind == SUNMATRIX_DENSE) {
    *matrix = vida__new_dense_matrix(own->size, pattern->context);
  } else if (kind == SUNMATRIX_SPARSE) {
    *matrix = vida__new_sparse_matrix(own->size, own->entries, pattern->context);
  } else {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "a Newton matrix is dense or sparse, not of SUNMatrix_ID %d", (int)kind);
  }
  if (!*matrix) {
    return vida__fail_memory(error);
  }
  if (kind == SUNMATRIX_SPARSE) {
    vida__store_pattern(own, *matrix);
  }
  return VIDA_SUCCESS;
}

static int check_sparse(const vida_pattern* pattern, SUNMatrix matrix, VidaError* error) {
  if (SM_SPARSETYPE_S(matrix) != CSC_MAT) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "create_solver: a sparse Newton matrix is stored by columns (CSC_MAT)");
  }
  if (SM_NNZ_S(matrix) < pattern->entries) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver: the matrix has room for %ld entries instead of %ld",
                      (long)SM_NNZ_S(matrix), (long)pattern->entries);
  }
  return VIDA_SUCCESS;
}

static int check_matrix(const vida_linear* linear, SUNContext context, VidaError* error) {
  SUNMatrix matrix = linear->matrix;
  if (!matrix) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver has created no matrix; the Newton step needs one");
  }
  if (matrix->sunctx != context) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver: the matrix belongs to another SUNContext");
  }
  const SUNMatrix_ID kind = SUNMatGetID(matrix);
  if (kind != SUNMATRIX_DENSE && kind != SUNMATRIX_SPARSE) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "create_solver: the Newton matrix is dense or sparse, not of SUNMatrix_ID %d",
                      (int)kind);
  }
  const bool is_sparse = kind == SUNMATRIX_SPARSE;
  const sunindextype rows = is_sparse ? SM_ROWS_S(matrix) : SM_ROWS_D(matrix);
  const sunindextype columns = is_sparse ? SM_COLUMNS_S(matrix) : SM_COLUMNS_D(matrix);
  const sunindextype size = linear->pattern->size;
  if (rows != size || columns != size) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver: the matrix is %ld x %ld instead of %ld x %ld", (long)rows,
                      (long)columns, (long)size, (long)size);
  }
  return is_sparse ? check_sparse(linear->pattern, matrix, error) : VIDA_SUCCESS;
}

/* ---- the solver ------------------------------------------------------------------------------ */

bool vida__gives_solver(const vida_services* services) {
  return services && services->given.create_solver;
}

static int check_solver(SUNLinearSolver solver, SUNContext context, VidaError* error) {
  if (!solver) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "create_solver has created no linear solver");
  }
  if (solver->sunctx != context) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver: the linear solver belongs to another SUNContext");
  }
  if (!solver->ops || !solver->ops->gettype || !solver->ops->solve) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "create_solver: the linear solver has no function gettype or solve");
  }
  if (SUNLinSolGetType(solver) != SUNLINEARSOLVER_DIRECT) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "create_solver: the linear solver is not of type SUNLINEARSOLVER_DIRECT; the "
                      "Newton step is solved to rounding");
  }
  return VIDA_SUCCESS;
}

/* What KINSOL sees remembers failures, of which KINSOL reports the flag only, and initializes the
 * solver of the program once, not in every step. */

static int shown_setup(SUNLinearSolver shown, SUNMatrix matrix) {
  const vida_linear* linear = shown->content;
  vida_given_solver* given = linear->given;
  (void)matrix; /* is linear->matrix */
  given->failed = "factor the Newton matrix";
  given->failure = given->solver->ops->setup ? SUNLinSolSetup(given->solver, linear->matrix) : 0;
  return given->failure;
}

static int shown_solve(SUNLinearSolver shown, SUNMatrix matrix, N_Vector x, N_Vector b,
                       sunrealtype tolerance) {
  const vida_linear* linear = shown->content;
  vida_given_solver* given = linear->given;
  (void)matrix;
  given->failed = "solve the Newton step";
  given->failure = SUNLinSolSolve(given->solver, linear->matrix, x, b, tolerance);
  if (!given->failure && !vida__are_finite(N_VGetArrayPointer(x), linear->pattern->size)) {
    given->failed = "solve the Newton step with finite numbers";
    given->failure = 1;
  }
  return given->failure;
}

static int show_solver(vida_linear* linear, SUNContext context, VidaError* error) {
  static const vida_direct_operations operations = {shown_setup, shown_solve};
  linear->solver = vida__direct_solver(operations, linear, context);
  return linear->solver ? VIDA_SUCCESS : vida__fail_memory(error);
}

static int call_program(vida_linear* linear, SUNContext context, vida_services* services,
                        VidaError* error) {
  const VidaNewtonPattern pattern = {linear->pattern, context};
  VidaError own = {0};
  const int code = services->given.create_solver(services->given.data, &pattern, linear->right_side,
                                                 &linear->matrix, &linear->given->solver, &own);
  if (code) {
    return vida__fail(error, code < 0 ? code : VIDA_CALLBACK_FAILED,
                      "create_solver failed with code %d%s%s", code, *own.message ? ": " : "",
                      own.message);
  }
  services->solver_count++;
  return VIDA_SUCCESS;
}

int vida__give_solver(vida_linear* linear, SUNContext context, vida_services* services,
                      VidaError* error) {
  linear->given = vida__allocate(1, sizeof *linear->given);
  if (!linear->given) {
    return vida__fail_memory(error);
  }
  int code = call_program(linear, context, services, error);
  code = code ? code : check_matrix(linear, context, error);
  code = code ? code : check_solver(linear->given->solver, context, error);
  if (code) {
    return code;
  }
  linear->sparse = SUNMatGetID(linear->matrix) == SUNMATRIX_SPARSE;
  SUNLinearSolver solver = linear->given->solver;
  const int flag = solver->ops->initialize ? SUNLinSolInitialize(solver) : 0;
  return flag ? vida__fail(error, VIDA_SOLVER_FAILED,
                           "the linear solver of the program could not be initialized: code %d",
                           flag)
              : show_solver(linear, context, error);
}

void vida__given_destroy(vida_given_solver** given) {
  if (*given && (*given)->solver) {
    SUNLinSolFree((*given)->solver);
  }
  free(*given);
  *given = NULL;
}

int vida__given_failed(const vida_linear* linear, const char* flag, VidaError* error) {
  const vida_given_solver* given = linear->given;
  if (!given || !given->failure) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, given->failure > 0 ? VIDA_CALLBACK_RECOVERABLE : VIDA_SOLVER_FAILED,
                         flag, "the linear solver of the program could not %s: code %d",
                         given->failed, given->failure);
}
