/* ARKStep: diagonally implicit Runge-Kutta methods.
 *
 * All of the right-hand side is implicit. ARKStep also has pairs of tables that take a part of it
 * explicitly (IMEX), which are not offered: a Lagrangian may be any function of q and v, and does
 * not say which of its forces are stiff; and each acceleration is one solve with M and G of that
 * state, whose factors both parts would need. An explicit part would save nothing and bound the
 * step.
 *
 * The Jacobian is dense, also of sparse systems: the multipliers couple the accelerations of all
 * bodies that joints connect. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_ls.h>
#include <float.h>
#include <math.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/dense.h"
#include "base/sundials.h"
#include "solve/arkode.h"
#include "solve/stage_newton.h"

/* Fixed steps: what Newton's method may leave of each component, relative to its size. It is far
 * below the errors of steps, and above rounding. */
static const double stage_accuracy = 1e-12;
/* Fraction of that, or of the tolerance, for the last correction. ARKODE's default, set explicitly
 * because defaults change with its version. */
static const double newton_share = 0.1;
/* Fixed steps: the largest correction that rounding can make, as a multiple of stage_accuracy.
 * Velocities have the rounding of positions, divided by the step. */
static const double rounding = 1000.0;
enum { MOST_ITERATIONS = 20 };

static vida_arkode* arkode_of(const vida_ode* ode) {
  return ode->memory;
}

/* ---- what ARKStep calls ---------------------------------------------------------------------- */

/* Returns the size of a component: with fixed steps the tolerances are sizes. */
static double size_of(const vida_ode* ode, int i) {
  const double tolerance = N_VGetArrayPointer(ode->tolerance)[i];
  return ode->settings.adaptive ? tolerance / ode->settings.rtol : tolerance;
}

static int weigh_stages(N_Vector y, N_Vector weight, void* data) {
  const vida_ode* ode = data;
  const double* values = N_VGetArrayPointer(y);
  double* weights = N_VGetArrayPointer(weight);
  for (int i = 0; i < ode->size; i++) {
    weights[i] = 1.0 / (stage_accuracy * (fabs(values[i]) + size_of(ode, i)));
  }
  return 0;
}

/* Components change by half of the digits of their size. Changes by the tolerance would be too
 * large for stiff springs, whose force is not linear in what moves their ends sideways. */
static int differentiate(double t, N_Vector y, N_Vector rate, SUNMatrix jacobian, void* data,
                         N_Vector work1, N_Vector work2, N_Vector work3) {
  vida_ode* ode = data;
  double* change = N_VGetArrayPointer(work3);
  if (ode->is_warming) {
    return SUNMatZero(jacobian);
  }
  for (int i = 0; i < ode->size; i++) {
    change[i] = sqrt(DBL_EPSILON) * size_of(ode, i);
  }
  return vida__ode_differentiate(ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), change,
                                 N_VGetArrayPointer(work1), N_VGetArrayPointer(work2), jacobian);
}

/* ---- creation -------------------------------------------------------------------------------- */

static int set_solvers(vida_ode* ode, vida_arkode_memory* memory) {
  memory->newton = vida__stage_newton_create(ode->y, MOST_ITERATIONS,
                                             ode->settings.adaptive ? 0.0 : rounding, ode->context);
  memory->matrix = vida__new_dense_matrix(ode->size, ode->context);
  memory->solver = vida__dense_solver(ode->size, ode->context);
  if (!memory->newton || !memory->matrix || !memory->solver || !vida__ode_can_copy_matrix(ode)) {
    return VIDA_OUT_OF_MEMORY;
  }
  return VIDA_ARKSTEP_CALL(SetNonlinearSolver, memory->arkode, memory->newton) ||
                 VIDA_ARKSTEP_CALL(SetLinearSolver, memory->arkode, memory->solver,
                                   memory->matrix) ||
                 VIDA_ARKSTEP_CALL(SetJacFn, memory->arkode, differentiate)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

static int make(vida_ode* ode, ARKodeButcherTable table, vida_arkode_memory* memory) {
  memory->arkode = ARKStepCreate(NULL, vida__ode_evaluate, 0.0, ode->y, ode->context);
  if (!memory->arkode) {
    return VIDA_OUT_OF_MEMORY;
  }
  void* arkode = memory->arkode;
  if (vida__redirect_messages(VIDA_ARKSTEP, arkode, ode->context, &ode->sink) ||
      ARKStepSetTables(arkode, table->q, table->p, table, NULL) ||
      VIDA_ARKSTEP_CALL(WFtolerances, arkode,
                        ode->settings.adaptive ? vida__ode_weigh : weigh_stages)) {
    return VIDA_SOLVER_FAILED;
  }
  const int code = set_solvers(ode, memory);
  if (code) {
    return code;
  }
  /* The rates of stages follow from the solved equations. An evaluation would multiply the residual
   * of Newton's method by the stiffness. */
  return VIDA_ARKSTEP_CALL(SetDeduceImplicitRhs, arkode, 1) ||
                 VIDA_ARKSTEP_CALL(SetNonlinConvCoef, arkode, newton_share)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

static int reinit(void* arkode, double t, N_Vector y) {
  return ARKStepReInit(arkode, NULL, vida__ode_evaluate, t, y);
}

static int create(vida_ode* ode) {
  return vida__arkode_create(ode, make, reinit);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Some versions of ARKStep begin a step with the rate of the last stage of the one before, where
 * the table allows it, although `settle` has moved the end since. A reset makes them evaluate it;
 * sizes of steps and counts remain, but not the time to stop at. */
static int step(vida_ode* ode, double towards) {
  const vida_arkode* own = arkode_of(ode);
  const int flag = vida__arkode_step(ode, towards);
  if (flag != ARK_SUCCESS || !ode->settings.adaptive || !ode->functions.settle) {
    return flag;
  }
  void* arkode = own->steps.arkode;
  const int reset = VIDA_ARKSTEP_CALL(Reset, arkode, ode->node_t, ode->y);
  return reset || isinf(own->stop) ? reset : VIDA_ARKSTEP_CALL(SetStopTime, arkode, own->stop);
}

static void count(vida_ode* ode) {
  void* arkode = arkode_of(ode)->steps.arkode;
  long jacobians = 0, iterations = 0;
  VIDA_ARKSTEP_CALL(GetNumJacEvals, arkode, &jacobians);
  VIDA_ARKSTEP_CALL(GetNumNonlinSolvIters, arkode, &iterations);
  vida__arkode_count(ode);
  ode->counts.jacobians = ode->before.jacobians + jacobians;
  ode->counts.newton_iterations = ode->before.newton_iterations + iterations;
}

const vida_integrator_class vida__arkstep = {.name = "ARKStep",
                                             .package = VIDA_ARKSTEP,
                                             .is_implicit = true,
                                             .create = create,
                                             .begin = vida__arkode_begin,
                                             .step = step,
                                             .is_refused = vida__arkode_is_refused,
                                             .interpolate = vida__arkode_interpolate,
                                             .last_error = vida__arkode_last_error,
                                             .count = count,
                                             .record = vida__arkode_record,
                                             .destroy = vida__arkode_destroy};
