#include "solve/kinsol_newton.h"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

#include "base/direct_solver.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vector_operations.h"

/* Only the residual ends the iteration, not the size of a step. */
static const double smallest_step = 1e-300;
static const double largest_step = 1e100;

struct vida_kinsol {
  vida_kinsol_equations equations;
  void* memory;
  SUNMatrix matrix; /* has no entries */
  SUNLinearSolver solver;
  N_Vector unknown, unknown_scale, row_scale;
  vida_sink sink;
};

/* ---- what KINSOL calls ----------------------------------------------------------------------- */

static int residual(N_Vector u, N_Vector r, void* data) {
  const vida_kinsol_equations* of = &((const vida_kinsol*)data)->equations;
  return of->residual(of->data, NV_DATA_S(u), NV_DATA_S(r));
}

static int jacobian(N_Vector u, N_Vector r, SUNMatrix matrix, void* data, N_Vector work1,
                    N_Vector work2) {
  (void)u;
  (void)r;
  (void)matrix;
  (void)data;
  (void)work1;
  (void)work2;
  return 0; /* `set_up` knows the place */
}

static int set_up(SUNLinearSolver solver, SUNMatrix matrix) {
  const vida_kinsol_equations* of = &((const vida_kinsol*)solver->content)->equations;
  (void)matrix;
  return of->factor(of->data);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 sunrealtype tolerance) {
  const vida_kinsol_equations* of = &((const vida_kinsol*)solver->content)->equations;
  (void)matrix;
  (void)tolerance;
  return of->solve(of->data, NV_DATA_S(b), NV_DATA_S(x));
}

static SUNMatrix_ID matrix_kind(SUNMatrix matrix) {
  (void)matrix;
  return SUNMATRIX_CUSTOM;
}

static SUNErrCode clear(SUNMatrix matrix) {
  (void)matrix;
  return 0;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int create_parts(vida_kinsol* made, SUNContext context) {
  static const vida_direct_operations operations = {set_up, solve};
  made->unknown = vida__new_vector(made->equations.size, context);
  made->unknown_scale = vida__new_vector(made->equations.size, context);
  made->row_scale = vida__new_vector(made->equations.size, context);
  made->matrix = SUNMatNewEmpty(context);
  made->solver = vida__direct_solver(operations, made, context);
  if (!made->unknown || !made->unknown_scale || !made->row_scale || !made->matrix ||
      !made->solver) {
    return VIDA_OUT_OF_MEMORY;
  }
  /* Without a line search, KINSOL only compares norms with `largest_step`. */
  vida__loosen_norm(made->unknown);
  vida__loosen_norm(made->unknown_scale);
  vida__loosen_norm(made->row_scale);
  made->matrix->ops->getid = matrix_kind;
  made->matrix->ops->zero = clear;
  N_VConst(0.0, made->unknown); /* KINInit looks at it */
  N_VConst(1.0, made->unknown_scale);
  return VIDA_SUCCESS;
}

static bool configure(vida_kinsol* made, SUNContext context, double tolerance, int max_iterations) {
  made->memory = KINCreate(context);
  return made->memory &&
         !vida__redirect_messages(VIDA_KINSOL, made->memory, context, &made->sink) &&
         !KINInit(made->memory, residual, made->unknown) && !KINSetUserData(made->memory, made) &&
         !KINSetLinearSolver(made->memory, made->solver, made->matrix) &&
         !KINSetJacFn(made->memory, jacobian) && !KINSetMaxSetupCalls(made->memory, 1) &&
         !KINSetNoResMon(made->memory, SUNTRUE) &&
         !KINSetMaxNewtonStep(made->memory, largest_step) &&
         !KINSetFuncNormTol(made->memory, tolerance) &&
         !KINSetScaledStepTol(made->memory, smallest_step) &&
         !KINSetNumMaxIters(made->memory, max_iterations);
}

int vida__kinsol_create(SUNContext context, vida_kinsol_equations equations, double tolerance,
                        int max_iterations, bool is_shared, vida_kinsol** kinsol,
                        VidaError* error) {
  vida_kinsol* made = vida__allocate(1, sizeof *made);
  *kinsol = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->equations = equations;
  made->sink.is_shared = is_shared;
  if (create_parts(made, context)) {
    return vida__fail_memory(error);
  }
  return configure(made, context, tolerance, max_iterations)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_SOLVER_FAILED, "KINSOL could not be set up: %s",
                          made->sink.message);
}

void vida__kinsol_destroy(vida_kinsol** kinsol) {
  vida_kinsol* old = *kinsol;
  if (!old) {
    return;
  }
  if (old->memory) {
    KINFree(&old->memory);
  }
  if (old->solver) {
    SUNLinSolFree(old->solver);
  }
  if (old->matrix) {
    SUNMatFreeEmpty(old->matrix);
  }
  N_Vector vectors[] = {old->unknown, old->unknown_scale, old->row_scale};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
  free(old);
  *kinsol = NULL;
}

bool vida__kinsol_solve(vida_kinsol* kinsol, const double* row_size, double* u, long* iterations,
                        bool* is_at_end) {
  const size_t bytes = (size_t)kinsol->equations.size * sizeof *u;
  double* scale = NV_DATA_S(kinsol->row_scale);
  for (int i = 0; i < kinsol->equations.size; i++) {
    scale[i] = 1.0 / row_size[i];
  }
  memcpy(NV_DATA_S(kinsol->unknown), u, bytes);
  const int flag =
      KINSol(kinsol->memory, kinsol->unknown, KIN_NONE, kinsol->unknown_scale, kinsol->row_scale);
  *iterations = 0;
  KINGetNumNonlinSolvIters(kinsol->memory, iterations);
  memcpy(u, NV_DATA_S(kinsol->unknown), bytes);
  *is_at_end = flag == KIN_MAXITER_REACHED;
  return flag >= 0 || *is_at_end;
}
