/* CVODE: multistep methods, Adams with functional iteration and BDF with Newton's method. */
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/dense.h"
#include "base/memory.h"
#include "base/sundials.h"
#include "solve/integrator.h"

_Static_assert(CV_SUCCESS == (int)VIDA_FLAG_SUCCESS &&
                   CV_TOO_MUCH_WORK == (int)VIDA_FLAG_TOO_MUCH_WORK &&
                   CV_ERR_FAILURE == (int)VIDA_FLAG_ERROR_TEST &&
                   CV_CONV_FAILURE == (int)VIDA_FLAG_NOT_CONVERGED &&
                   CV_RHSFUNC_FAIL == (int)VIDA_FLAG_RATE,
               "flags of CVODE");

typedef struct cvode_memory {
  void* cvode;
  SUNMatrix matrix; /* of BDF */
  SUNLinearSolver solver;
  SUNNonlinearSolver iteration; /* of Adams */
} cvode_memory;

static cvode_memory* memory_of(const vida_ode* ode) {
  return ode->memory;
}

/* ---- what CVODE calls ------------------------------------------------------------------------ */

static int project(double t, N_Vector y, N_Vector correction, double epsilon, N_Vector error,
                   void* data) {
  vida_ode* ode = data;
  if (ode->is_warming) {
    N_VConst(0.0, correction);
    return VIDA_SUCCESS;
  }
  if (CVodeGetErrWeights(memory_of(ode)->cvode, ode->weight)) {
    return -1;
  }
  const int code = ode->functions.project(
      ode->data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(correction),
      error ? N_VGetArrayPointer(error) : NULL, N_VGetArrayPointer(ode->weight), epsilon);
  ode->failure = code ? code : ode->failure;
  return code;
}

/* Components change by their tolerances. */
static int differentiate(double t, N_Vector y, N_Vector rate, SUNMatrix jacobian, void* data,
                         N_Vector work1, N_Vector work2, N_Vector work3) {
  vida_ode* ode = data;
  (void)work3;
  if (ode->is_warming) {
    return SUNMatZero(jacobian);
  }
  if (CVodeGetErrWeights(memory_of(ode)->cvode, ode->weight)) {
    return -1;
  }
  double* change = N_VGetArrayPointer(ode->weight);
  for (int i = 0; i < ode->size; i++) {
    change[i] = 1.0 / change[i];
  }
  return vida__ode_differentiate(ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), change,
                                 N_VGetArrayPointer(work1), N_VGetArrayPointer(work2), jacobian);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* The Jacobian of accelerations from equations with multipliers is full. From this size on its
 * products with vectors, of one evaluation each, are cheaper than its factors, unless a system is
 * very stiff. Accurate steps are shorter than a period, so GMRES needs no preconditioner. */
enum { LEAST_ITERATIVE = 2000, MOST_DIRECTIONS = 20 };

static int create_iterative_bdf(vida_ode* ode, cvode_memory* own) {
  own->solver = SUNLinSol_SPGMR(ode->y, SUN_PREC_NONE, MOST_DIRECTIONS, ode->context);
  if (!own->solver) {
    return VIDA_OUT_OF_MEMORY;
  }
  return CVodeSetLinearSolver(own->cvode, own->solver, NULL) ||
                 (ode->functions.project && CVodeSetProjFn(own->cvode, project))
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

static int create_bdf(vida_ode* ode, cvode_memory* own) {
  if (ode->size >= LEAST_ITERATIVE) {
    return create_iterative_bdf(ode, own);
  }
  own->matrix = vida__new_dense_matrix(ode->size, ode->context);
  own->solver = vida__dense_solver(ode->size, ode->context);
  if (!own->matrix || !own->solver || !vida__ode_can_copy_matrix(ode)) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (CVodeSetLinearSolver(own->cvode, own->solver, own->matrix) ||
      CVodeSetJacFn(own->cvode, differentiate) ||
      (ode->functions.project && CVodeSetProjFn(own->cvode, project))) {
    return VIDA_SOLVER_FAILED;
  }
  return VIDA_SUCCESS;
}

static int create_adams(vida_ode* ode, cvode_memory* own) {
  own->iteration = SUNNonlinSol_FixedPoint(ode->y, 0, ode->context);
  if (!own->iteration) {
    return VIDA_OUT_OF_MEMORY;
  }
  return CVodeSetNonlinearSolver(own->cvode, own->iteration) ? VIDA_SOLVER_FAILED : VIDA_SUCCESS;
}

static int create(vida_ode* ode) {
  const bool is_bdf = ode->settings.integrator == VIDA_INTEGRATOR_BDF;
  cvode_memory* own = vida__allocate(1, sizeof *own);
  ode->memory = own;
  if (own) {
    own->cvode = CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, ode->context);
  }
  if (!own || !own->cvode) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (vida__redirect_messages(VIDA_CVODE, own->cvode, ode->context, &ode->sink) ||
      CVodeInit(own->cvode, vida__ode_evaluate, 0.0, ode->y) || CVodeSetUserData(own->cvode, ode) ||
      CVodeSVtolerances(own->cvode, ode->settings.rtol, ode->tolerance)) {
    return VIDA_SOLVER_FAILED;
  }
  return is_bdf ? create_bdf(ode, own) : create_adams(ode, own);
}

static void destroy(vida_ode* ode) {
  cvode_memory* own = memory_of(ode);
  if (!own) {
    return;
  }
  if (own->cvode) {
    CVodeFree(&own->cvode);
  }
  if (own->iteration) {
    SUNNonlinSolFree(own->iteration);
  }
  if (own->solver) {
    SUNLinSolFree(own->solver);
  }
  if (own->matrix) {
    SUNMatDestroy(own->matrix);
  }
  free(own);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int begin(vida_ode* ode, double t, double step, double stop) {
  void* cvode = memory_of(ode)->cvode;
  (void)stop; /* multistep methods pass their nodes */
  int flag = CVodeReInit(cvode, t, ode->y);
  flag = flag ? flag : CVodeSVtolerances(cvode, ode->settings.rtol, ode->tolerance);
  flag = flag ? flag : CVodeSetInitStep(cvode, step);
  /* Steps that shrink to zero would never end: CVODE's Newton iteration requests the Jacobian for
   * ever shorter steps. */
  return flag ? flag : CVodeSetMinStep(cvode, DBL_EPSILON * DBL_EPSILON * step);
}

/* Makes one step at a time: CVODE's functional iteration treats any failure of the rate as one that
 * a smaller step avoids. */
static int step(vida_ode* ode, double towards) {
  int flag = CVode(memory_of(ode)->cvode, towards, ode->y, &ode->node_t, CV_ONE_STEP);
  ode->reached = ode->node_t;
  flag = flag >= 0 && ode->failure < 0 ? CV_RHSFUNC_FAIL : flag;
  return flag >= 0 && vida__ode_finish_step(ode, ode->node_t, N_VGetArrayPointer(ode->y))
             ? CV_PROJFUNC_FAIL
             : flag;
}

/* The state at nodes within steps is interpolated, and then projected like the ends of steps. */
static int interpolate(vida_ode* ode, double t) {
  const double* y = N_VGetArrayPointer(ode->y);
  double* correction = N_VGetArrayPointer(ode->weight);
  ode->reached = t;
  const int flag = CVodeGetDky(memory_of(ode)->cvode, t, 0, ode->y);
  if (flag < 0) {
    return flag;
  }
  memcpy(ode->there, y, (size_t)ode->size * sizeof *ode->there);
  if (!ode->functions.project || ode->is_warming) {
    return CV_SUCCESS;
  }
  int code = ode->functions.project(ode->data, t, y, correction, NULL, NULL, 0.0);
  for (int i = 0; i < ode->size && !code; i++) {
    ode->there[i] += correction[i];
  }
  code = code || !ode->functions.accept ? code
                                        : ode->functions.accept(ode->data, t, ode->there, false);
  ode->failure = code ? code : ode->failure;
  return code ? CV_PROJFUNC_FAIL : CV_SUCCESS;
}

static void count(vida_ode* ode) {
  const cvode_memory* own = memory_of(ode);
  long steps = 0, errors = 0, failures = 0, jacobians = 0, iterations = 0;
  CVodeGetNumSteps(own->cvode, &steps);
  CVodeGetNumErrTestFails(own->cvode, &errors);
  CVodeGetNumStepSolveFails(own->cvode, &failures);
  CVodeGetNumNonlinSolvIters(own->cvode, &iterations);
  if (own->solver) {
    CVodeGetNumJacEvals(own->cvode, &jacobians);
  }
  ode->counts.steps = ode->before.steps + steps;
  ode->counts.rejected = ode->before.rejected + errors + failures;
  ode->counts.jacobians = ode->before.jacobians + jacobians;
  ode->counts.newton_iterations = ode->before.newton_iterations + iterations;
}

/* CVODE gives its history to nobody: it restarts at the node, with order one. */
static void restart(vida_ode* ode, VidaRecord* record) {
  vida__record_restart(record);
  if (VidaRecord_IsLoading(record)) {
    vida__ode_restart(ode, 0.0);
  }
}

const vida_integrator_class vida__cvode = {.name = "CVODE",
                                           .package = VIDA_CVODE,
                                           .is_multistep = true,
                                           .create = create,
                                           .begin = begin,
                                           .step = step,
                                           .interpolate = interpolate,
                                           .count = count,
                                           .record = restart,
                                           .destroy = destroy};
