#include "solve/stage_newton.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* Ratios of successive corrections above which the matrix is evaluated again. */
static const double slow = 0.1;

typedef struct newton {
  SUNNonlinSolSysFn residual;
  SUNNonlinSolLSetupFn setup;
  SUNNonlinSolLSolveFn solve;
  N_Vector delta;
  int most_iterations;
  double rounding;
  long iterations; /* of the last solve */
} newton;

static newton* newton_of(SUNNonlinearSolver solver) {
  return solver->content;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Factors the matrix at the state of the last residual. */
static int set_up(newton* own, bool is_bad, void* memory) {
  sunbooleantype is_current = 0;
  return own->setup(is_bad, &is_current, memory);
}

/* Returns whether a correction of this norm, after one of `before` (infinity: the first), is the
 * last. */
static bool is_last(const newton* own, double norm, double before, bool is_new, double tolerance) {
  /* The residual is smaller than the next correction would be. */
  const double left = isfinite(before) ? norm * fmin(1.0, norm / before) : norm;
  const bool stagnates = is_new && norm >= 0.5 * before && norm <= own->rounding;
  return left <= tolerance || stagnates;
}

/* Solves residual(correction) = 0 from the given correction. Returns 0, SUN_NLS_CONV_RECVR if it
 * does not converge, or the code of a function. */
static int solve(SUNNonlinearSolver solver, N_Vector predicted, N_Vector correction,
                 N_Vector weight, double tolerance, sunbooleantype needs_setup, void* memory) {
  newton* own = newton_of(solver);
  double before = INFINITY;
  bool is_new = needs_setup;
  (void)predicted; /* the residual knows it */
  own->iterations = 0;
  int code = own->residual(correction, own->delta, memory);
  if (!code && needs_setup) {
    code = set_up(own, false, memory);
  }
  while (!code && own->iterations < own->most_iterations) {
    own->iterations++;
    N_VScale(-1.0, own->delta, own->delta);
    code = own->solve(own->delta, memory);
    if (code) {
      return code;
    }
    const double norm = N_VWrmsNorm(own->delta, weight);
    N_VLinearSum(1.0, correction, 1.0, own->delta, correction);
    if (is_last(own, norm, before, is_new, tolerance)) {
      return 0;
    }
    code = isfinite(norm) ? own->residual(correction, own->delta, memory) : SUN_NLS_CONV_RECVR;
    is_new = norm > slow * before;
    if (!code && is_new) {
      code = set_up(own, true, memory);
    }
    before = norm;
  }
  return code ? code : SUN_NLS_CONV_RECVR;
}

/* ---- the SUNNonlinearSolver ------------------------------------------------------------------ */

static SUNNonlinearSolver_Type get_type(SUNNonlinearSolver solver) {
  (void)solver;
  return SUNNONLINEARSOLVER_ROOTFIND;
}

static SUNErrCode set_residual(SUNNonlinearSolver solver, SUNNonlinSolSysFn function) {
  newton_of(solver)->residual = function;
  return 0;
}

static SUNErrCode set_setup(SUNNonlinearSolver solver, SUNNonlinSolLSetupFn function) {
  newton_of(solver)->setup = function;
  return 0;
}

static SUNErrCode set_solve(SUNNonlinearSolver solver, SUNNonlinSolLSolveFn function) {
  newton_of(solver)->solve = function;
  return 0;
}

static SUNErrCode get_iterations(SUNNonlinearSolver solver, long* iterations) {
  *iterations = newton_of(solver)->iterations;
  return 0;
}

static SUNErrCode destroy(SUNNonlinearSolver solver) {
  newton* own = newton_of(solver);
  if (own && own->delta) {
    N_VDestroy(own->delta);
  }
  free(own);
  solver->content = NULL;
  SUNNonlinSolFreeEmpty(solver);
  return 0;
}

SUNNonlinearSolver vida__stage_newton_create(N_Vector shape, int most_iterations, double rounding,
                                             SUNContext context) {
  SUNNonlinearSolver solver = SUNNonlinSolNewEmpty(context);
  if (!solver) {
    return NULL;
  }
  newton* own = vida__allocate(1, sizeof *own);
  solver->content = own;
  solver->ops->gettype = get_type;
  solver->ops->solve = solve;
  solver->ops->setsysfn = set_residual;
  solver->ops->setlsetupfn = set_setup;
  solver->ops->setlsolvefn = set_solve;
  solver->ops->getnumiters = get_iterations;
  solver->ops->free = destroy;
  if (own) {
    own->most_iterations = most_iterations;
    own->rounding = rounding;
    own->delta = N_VClone(shape);
  }
  if (!own || !own->delta) {
    SUNNonlinSolFree(solver);
    return NULL;
  }
  return solver;
}
