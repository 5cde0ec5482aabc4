#include "base/direct_solver.h"

static SUNLinearSolver_Type get_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNErrCode initialize(SUNLinearSolver solver) {
  (void)solver;
  return 0;
}

static SUNErrCode destroy(SUNLinearSolver solver) {
  solver->content = NULL;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

SUNLinearSolver vida__direct_solver(vida_direct_operations operations, void* content,
                                    SUNContext context) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  if (!solver) {
    return NULL;
  }
  solver->content = content;
  solver->ops->gettype = get_type;
  solver->ops->initialize = initialize;
  solver->ops->setup = operations.setup;
  solver->ops->solve = operations.solve;
  solver->ops->free = destroy;
  return solver;
}
