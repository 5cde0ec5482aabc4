/* The bare loop on KINSOL: hand-coded residual and Jacobian, dense linear solver. */
#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "bench.h"
#include "pendulum.h"

typedef struct KinsolLoop {
  Pendulum pendulum;
  SUNContext context;
  N_Vector unknowns, ones, row_scale;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  void* kinsol;
} KinsolLoop;

static int residual(N_Vector unknowns, N_Vector result, void* data) {
  const KinsolLoop* loop = data;
  pendulum_residual(&loop->pendulum, N_VGetArrayPointer(unknowns), N_VGetArrayPointer(result));
  return 0;
}

static int jacobian(N_Vector unknowns, N_Vector result, SUNMatrix matrix, void* data,
                    N_Vector work1, N_Vector work2) {
  const KinsolLoop* loop = data;
  (void)result;
  (void)work1;
  (void)work2;
  pendulum_jacobian(&loop->pendulum, N_VGetArrayPointer(unknowns), SUNDenseMatrix_Data(matrix), 1,
                    UNKNOWNS);
  return 0;
}

static void kinsol_destroy(void* self) {
  KinsolLoop* loop = self;
  if (!loop) {
    return;
  }
  if (loop->kinsol) {
    KINFree(&loop->kinsol);
  }
  SUNLinSolFree(loop->linear);
  SUNMatDestroy(loop->matrix);
  N_VDestroy(loop->unknowns);
  N_VDestroy(loop->ones);
  N_VDestroy(loop->row_scale);
  SUNContext_Free(&loop->context);
  free(loop);
}

static int kinsol_create(double h, void** self) {
  KinsolLoop* loop = calloc(1, sizeof *loop);
  *self = loop;
  if (!loop) {
    return 1;
  }
  loop->pendulum.h = h;
#if SUNDIALS_VERSION_MAJOR >= 7
  const int no_context = SUNContext_Create(SUN_COMM_NULL, &loop->context);
#else
  const int no_context = SUNContext_Create(NULL, &loop->context);
#endif
  if (no_context) {
    return 1;
  }
  loop->unknowns = N_VNew_Serial(UNKNOWNS, loop->context);
  loop->ones = N_VNew_Serial(UNKNOWNS, loop->context);
  loop->row_scale = N_VNew_Serial(UNKNOWNS, loop->context);
  loop->matrix = SUNDenseMatrix(UNKNOWNS, UNKNOWNS, loop->context);
  loop->kinsol = KINCreate(loop->context);
  if (!loop->unknowns || !loop->ones || !loop->row_scale || !loop->matrix || !loop->kinsol) {
    return 1;
  }
  loop->linear = SUNLinSol_Dense(loop->unknowns, loop->matrix, loop->context);
  if (!loop->linear) {
    return 1;
  }
  N_VConst(1.0, loop->ones);
  memcpy(N_VGetArrayPointer(loop->row_scale), pendulum_scale, sizeof pendulum_scale);
  return KINInit(loop->kinsol, residual, loop->unknowns) ||
         KINSetLinearSolver(loop->kinsol, loop->linear, loop->matrix) ||
         KINSetJacFn(loop->kinsol, jacobian) || KINSetUserData(loop->kinsol, loop) ||
         KINSetFuncNormTol(loop->kinsol, TOLERANCE) || KINSetScaledStepTol(loop->kinsol, 1e-300) ||
         KINSetMaxNewtonStep(loop->kinsol, 1e30) || KINSetMaxSetupCalls(loop->kinsol, 1) ||
         KINSetNoResMon(loop->kinsol, SUNTRUE) || KINSetNumMaxIters(loop->kinsol, 20);
}

static int kinsol_start(void* self) {
  pendulum_start(&((KinsolLoop*)self)->pendulum);
  return 0;
}

static int kinsol_run(void* self, long steps) {
  KinsolLoop* loop = self;
  double* u = N_VGetArrayPointer(loop->unknowns);
  for (long i = 0; i < steps; i++) {
    long iterations = 0;
    pendulum_predict(&loop->pendulum, u);
    const int flag = KINSol(loop->kinsol, loop->unknowns, KIN_NONE, loop->ones, loop->row_scale);
    if (flag != KIN_SUCCESS && flag != KIN_INITIAL_GUESS_OK) {
      return 1;
    }
    KINGetNumNonlinSolvIters(loop->kinsol, &iterations);
    loop->pendulum.iterations += iterations;
    pendulum_finish(&loop->pendulum, u);
  }
  return 0;
}

static void kinsol_positions(const void* self, double* q) {
  memcpy(q, ((const KinsolLoop*)self)->pendulum.q, sizeof(double) * COORDINATES);
}

static long kinsol_iterations(const void* self) {
  return ((const KinsolLoop*)self)->pendulum.iterations;
}

const Contender pendulum_kinsol = {"bare KINSOL loop", kinsol_create,     kinsol_start,  kinsol_run,
                                   kinsol_positions,   kinsol_iterations, kinsol_destroy};
