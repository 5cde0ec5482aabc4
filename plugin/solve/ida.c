#include "solve/ida.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/sundials.h"
#include "solve/work_forecast.h"

/* Relative to the time: smaller steps no longer change it, but IDA would continue. */
static const double smallest_step = 2.0 * DBL_EPSILON;

struct vida_ida {
  vida_ida_functions functions;
  void* data;
  vida_ida_options options;
  int size;
  void* ida;
  N_Vector y, dy, id;
  vida_linear* linear;    /* the reduced matrix */
  SUNLinearSolver solver; /* for the whole system, solved through the reduced one */
  double* reduced;
  double first_step;
  double end; /* of the present advance */
  vida_work_forecast work;
  bool is_stuck; /* the step is lost in the rounding of the time */
  long factorizations;
  vida_sink sink;
};

/* ---- what IDA calls -------------------------------------------------------------------------- */

static int residual(double t, N_Vector y, N_Vector dy, N_Vector r, void* data) {
  vida_ida* ida = data;
  int code = ida->functions.residual(ida->data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy),
                                     N_VGetArrayPointer(r));
  if (!code && !vida__are_finite(N_VGetArrayPointer(r), ida->size)) {
    code = VIDA_NOT_FINITE;
  }
  return code;
}

static int jacobian(double t, double c, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix matrix,
                    void* data, N_Vector work1, N_Vector work2, N_Vector work3) {
  vida_ida* ida = data;
  (void)r, (void)matrix, (void)work1, (void)work2, (void)work3;
  vida__linear_clear(ida->linear);
  const int code = ida->functions.jacobian(ida->data, t, c, N_VGetArrayPointer(y),
                                           N_VGetArrayPointer(dy), ida->linear->values);
  return code;
}

static int weights(N_Vector y, N_Vector weight, void* data) {
  vida_ida* ida = data;
  double h = ida->first_step;
  double time = 0.0;
  long steps = 0;
  IDAGetNumSteps(ida->ida, &steps);
  if (steps > 0) {
    IDAGetCurrentStep(ida->ida, &h);
    IDAGetCurrentTime(ida->ida, &time);
  }
  if (steps > 0 && fabs(h) < smallest_step * fmax(fabs(time), fabs(ida->end))) {
    ida->is_stuck = true;
    return -1;
  }
  ida->functions.weights(ida->data, fabs(h), N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
  return vida__are_finite(N_VGetArrayPointer(weight), ida->size) ? 0 : -1;
}

/* ---- the linear solver that IDA sees --------------------------------------------------------- */

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix) {
  vida_ida* ida = solver->content;
  (void)matrix; /* is ida->linear->matrix */
  ida->factorizations++;
  return vida__linear_factor(ida->linear) ? 1 : 0;
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        double tolerance) {
  vida_ida* ida = solver->content;
  const double* right_side = N_VGetArrayPointer(b);
  double c = 0.0;
  (void)matrix, (void)tolerance;
  IDAGetCurrentCj(ida->ida, &c);
  ida->functions.reduce(ida->data, c, right_side, ida->reduced);
  if (vida__linear_solve(ida->linear, ida->reduced, ida->reduced)) {
    return 1;
  }
  ida->functions.expand(ida->data, c, right_side, ida->reduced, N_VGetArrayPointer(x));
  return 0;
}

static SUNLinearSolver create_solver(vida_ida* ida, SUNContext context) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  if (solver) {
    solver->content = ida;
    solver->ops->gettype = solver_type;
    solver->ops->setup = solver_setup;
    solver->ops->solve = solver_solve;
  }
  return solver;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int configure(vida_ida* ida, SUNContext context) {
  const vida_ida_options* options = &ida->options;
  ida->ida = IDACreate(context);
  return !ida->ida || vida__redirect_messages(VIDA_IDA, ida->ida, context, &ida->sink) ||
         IDAInit(ida->ida, residual, 0.0, ida->y, ida->dy) || IDASetUserData(ida->ida, ida) ||
         IDAWFtolerances(ida->ida, weights) ||
         IDASetLinearSolver(ida->ida, ida->solver, ida->linear->matrix) ||
         IDASetJacFn(ida->ida, jacobian) ||
         IDASetSuppressAlg(ida->ida, options->suppress_algebraic) ||
         (options->newton_share > 0.0 && IDASetNonlinConvCoef(ida->ida, options->newton_share)) ||
         IDASetLinearSolutionScaling(ida->ida, !options->follows_c) ||
         IDASetMaxOrd(ida->ida, options->max_order) ||
         (isfinite(options->max_step) && IDASetMaxStep(ida->ida, options->max_step));
}

int vida__ida_create(SUNContext context, int size, const vida_pattern* pattern,
                     vida_ida_functions functions, void* data, vida_ida_options options,
                     vida_ida** ida, VidaError* error) {
  vida_ida* made = vida__allocate(1, sizeof *made);
  *ida = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->functions = functions;
  made->data = data;
  made->options = options;
  made->sink.is_shared = options.services != NULL;
  made->size = size;
  made->first_step = 1.0;
  made->y = vida__new_vector(size, context);
  made->dy = vida__new_vector(size, context);
  made->id = vida__new_vector(size, context);
  made->solver = create_solver(made, context);
  made->reduced = vida__allocate((size_t)pattern->size, sizeof *made->reduced);
  int code = vida__linear_create(context, pattern, options.linear_solver, &made->linear, error);
  if (!code && (!made->y || !made->dy || !made->id || !made->solver || !made->reduced)) {
    code = vida__fail_memory(error);
  }
  if (!code) {
    N_VConst(0.0, made->y);
    N_VConst(0.0, made->dy);
    N_VConst(1.0, made->id);
    if (configure(made, context)) {
      code =
          vida__fail(error, VIDA_SOLVER_FAILED, "IDA could not be set up: %s", made->sink.message);
    }
  }
  if (code) {
    vida__ida_destroy(ida);
  }
  return code;
}

void vida__ida_destroy(vida_ida** ida) {
  vida_ida* old = *ida;
  if (!old) {
    return;
  }
  if (old->ida) {
    IDAFree(&old->ida);
  }
  vida__linear_destroy(&old->linear);
  if (old->solver) {
    SUNLinSolFreeEmpty(old->solver);
  }
  N_Vector vectors[] = {old->y, old->dy, old->id};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
  free(old->reduced);
  free(old);
  *ida = NULL;
}

double* vida__ida_values(vida_ida* ida) {
  return N_VGetArrayPointer(ida->y);
}

double* vida__ida_rates(vida_ida* ida) {
  return N_VGetArrayPointer(ida->dy);
}

void vida__ida_set_differential(vida_ida* ida, int i, bool is_differential) {
  NV_Ith_S(ida->id, i) = is_differential ? 1.0 : 0.0;
}

/* ---- integration ----------------------------------------------------------------------------- */

int vida__ida_start(vida_ida* ida, double t, double first_step, VidaError* error) {
  ida->first_step = isfinite(first_step) ? first_step : 0.0;
  ida->factorizations = 0;
  if (IDAReInit(ida->ida, t, ida->y, ida->dy) || IDASetId(ida->ida, ida->id) ||
      IDASetInitStep(ida->ida, ida->first_step)) {
    return vida__fail(error, VIDA_SOLVER_FAILED, "IDA could not be started: %s", ida->sink.message);
  }
  /* A sparse solver allocates its memory here; a failure recurs in the first step. */
  const double c = ida->first_step > 0.0 ? 1.0 / ida->first_step : 1.0;
  if (!jacobian(t, c, ida->y, ida->dy, NULL, NULL, ida, NULL, NULL, NULL)) {
    vida__linear_factor(ida->linear);
  }
  return VIDA_SUCCESS;
}

/* Returns the meaning of a flag of IDA. */
static const char* explain(int flag) {
  switch (flag) {
    case IDA_TOO_MUCH_ACC:
      return "the tolerance is below rounding";
    case IDA_ERR_FAIL:
      return "the error test failed even with the smallest step";
    case IDA_CONV_FAIL:
      return "Newton's method did not converge even with the smallest step";
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return "the Newton matrix is singular";
    case IDA_REP_RES_ERR:
    case IDA_RES_FAIL:
    case IDA_FIRST_RES_FAIL:
      return "the equations could not be evaluated";
    default:
      return "the integration could not continue";
  }
}

static int code_of(int flag) {
  switch (flag) {
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return VIDA_STEP_SINGULAR;
    case IDA_REP_RES_ERR:
    case IDA_RES_FAIL:
    case IDA_FIRST_RES_FAIL:
      return VIDA_NOT_FINITE;
    default:
      return VIDA_STEP_NOT_CONVERGED;
  }
}

/* Makes steps until one reaches t, and computes y at t. *code receives the result of `accept`. */
static int step_to(vida_ida* ida, double t, int* code, VidaError* error) {
  double reached = 0.0;
  int flag = IDAGetCurrentTime(ida->ida, &reached);
  ida->work = vida__expect_work(reached, t, ida->options.max_steps);
  while (flag >= 0 && reached < t) {
    flag = vida__may_step(&ida->work, reached)
               ? IDASolve(ida->ida, t, &reached, ida->y, ida->dy, IDA_ONE_STEP)
               : IDA_TOO_MUCH_WORK;
    if (flag >= 0 && vida__are_finite(N_VGetArrayPointer(ida->y), ida->size)) {
      *code = ida->functions.accept(ida->data, reached, N_VGetArrayPointer(ida->y), error);
    }
    if (*code) {
      return flag;
    }
  }
  flag = flag < 0 ? flag : IDAGetDky(ida->ida, t, 0, ida->y);
  return flag < 0 ? flag : IDAGetDky(ida->ida, t, 1, ida->dy);
}

int vida__ida_advance(vida_ida* ida, double t, double* time, double* step, VidaError* error) {
  int code = VIDA_SUCCESS;
  ida->end = t;
  ida->is_stuck = false;
  const int flag = step_to(ida, t, &code, error);
  if (flag >= 0 && !code && vida__are_finite(N_VGetArrayPointer(ida->y), ida->size)) {
    return VIDA_SUCCESS;
  }
  if (time) {
    IDAGetCurrentTime(ida->ida, time);
  }
  if (step) {
    IDAGetCurrentStep(ida->ida, step);
  }
  if (code) {
    return code;
  }
  if (flag >= 0) {
    return vida__fail_flag(error, VIDA_NOT_FINITE, vida__flag_name(VIDA_IDA, flag),
                           "the solution is not finite");
  }
  if (ida->is_stuck) { /* the flag of IDA would be about weights that it does not receive */
    return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "STEP_TOO_SMALL",
                           "the steps became too small to change the time");
  }
  if (flag == IDA_TOO_MUCH_WORK) {
    return vida__fail_work(&ida->work, vida__flag_name(VIDA_IDA, flag), NULL,
                           "increase max_steps or rtol", error);
  }
  if (code_of(flag) == VIDA_STEP_SINGULAR && vida__linear_lacks_memory(ida->linear)) {
    return vida__fail_memory(error);
  }
  return vida__fail_flag(error, code_of(flag), vida__flag_name(VIDA_IDA, flag), "%s",
                         explain(flag));
}

vida_ida_counts vida__ida_counts(const vida_ida* ida) {
  vida_ida_counts counts = {.factorizations = ida->factorizations};
  IDAGetNumSteps(ida->ida, &counts.steps);
  IDAGetNumErrTestFails(ida->ida, &counts.error_test_failures);
  IDAGetNumNonlinSolvConvFails(ida->ida, &counts.convergence_failures);
  IDAGetNumNonlinSolvIters(ida->ida, &counts.newton_iterations);
  IDAGetNumResEvals(ida->ida, &counts.residuals);
  IDAGetNumJacEvals(ida->ida, &counts.jacobians);
  return counts;
}
