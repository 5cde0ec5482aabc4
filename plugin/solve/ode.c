#include "solve/ode.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/dense.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sundials.h"
#include "base/text.h"
#include "solve/tables.h"

#if VIDA_SUNDIALS_AT_LEAST(7, 1)
#include <arkode/arkode.h>
#define ERK(name) ARKode##name
#else
#define ERK(name) ERKStep##name
#endif

/* ---- the driver ------------------------------------------------------------------------------ */

struct vida_ode {
  int size;
  vida_ode_functions functions;
  void* data;
  vida_ode_settings settings;
  SUNContext context;
  void* erkstep; /* one of these two */
  void* cvode;
  void* between; /* ERKStep at fixed steps, for nodes inside of steps; NULL where there are none */
  N_Vector y, tolerance, weight;
  SUNMatrix matrix; /* of BDF */
  SUNLinearSolver solver;
  SUNNonlinearSolver iteration; /* of Adams */
#if VIDA_SUNDIALS_AT_LEAST(6, 7)
  SUNAdaptController controller;
#endif
  vida_sink sink;
  double* block;    /* where the arrays below live */
  bool is_warming;  /* a step of y' = 0, in which the packages allocate what they do at first */
  bool fresh;       /* the next Advance begins anew */
  double next_step; /* 0: estimated */
  /* y after the last step, as the next one goes on from it, and after the one before; their times.
   * `there` is what nodes between them have. */
  double *node, *previous, *there;
  double node_t, previous_t;
  bool is_between;
  int failure;      /* what `rate` and others returned */
  double refused_t; /* where the step led that was not accepted */
  /* The last rate, and where the one before it was. */
  bool has_rate;
  bool ends_with_stage; /* the end of a step is the last stage of the table, or nearly */
  double rate_t, stage_t;
  double *rate_y, *rate, *stage_y; /* size */
  vida_ode_counts counts;
  vida_ode_counts before; /* counts of multistep methods before they began anew */
};

static bool is_multistep(const vida_ode* ode) {
  return vida__integrator_is_multistep(ode->settings.integrator);
}

static bool is_finite(int size, const double* values) {
  double sum = 0.0;
  for (int i = 0; i < size; i++) {
    sum += 0.0 * values[i]; /* NaN as soon as one is not finite */
  }
  return sum == 0.0;
}

const double* vida__ode_last_stage(const vida_ode* ode, double* t) {
  *t = ode->ends_with_stage ? ode->stage_t : ode->rate_t;
  return ode->ends_with_stage ? ode->stage_y : ode->rate_y;
}

static int interrupted(const vida_ode* ode) {
  return ode->functions.interrupted ? ode->functions.interrupted(ode->data, ode->node_t)
                                    : VIDA_SUCCESS;
}

/* Steps ask again for what the end of the last one has found, and methods for what goes with it. */
int vida__ode_rate(vida_ode* ode, double t, const double* y, double* rate) {
  const size_t bytes = (size_t)ode->size * sizeof *y;
  if (!ode->has_rate || t != ode->rate_t || memcmp(y, ode->rate_y, bytes) != 0) {
    ode->counts.rates++;
    ode->has_rate = false;
    int code = is_finite(ode->size, y) ? interrupted(ode) : VIDA_NOT_FINITE;
    code = code ? code : ode->functions.rate(ode->data, t, y, ode->rate);
    code = code ? code : is_finite(ode->size, ode->rate) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
    if (code) {
      ode->failure = code;
      ode->refused_t = t;
      return code;
    }
    double* oldest = ode->stage_y;
    ode->stage_y = ode->rate_y;
    ode->stage_t = ode->rate_t;
    ode->rate_y = oldest;
    ode->rate_t = t;
    memcpy(ode->rate_y, y, bytes);
    ode->has_rate = true;
  }
  memcpy(rate, ode->rate, bytes);
  return VIDA_SUCCESS;
}

static int evaluate(sunrealtype t, N_Vector y, N_Vector rate, void* data) {
  const vida_ode* ode = data;
  if (ode->is_warming) {
    N_VConst(0.0, rate);
    return VIDA_SUCCESS;
  }
  return vida__ode_rate(data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
}

/* What a method says to the end of a step, which it may change. */
static int finish_step(vida_ode* ode, double t, double* y) {
  const vida_ode_functions* functions = &ode->functions;
  int code = VIDA_SUCCESS;
  if (ode->is_warming) {
    return VIDA_SUCCESS;
  }
  if (functions->settle) {
    code = functions->settle(ode->data, t, y);
    ode->has_rate = false;
  }
  if (!code && functions->accept) {
    code = functions->accept(ode->data, t, y, !ode->is_between);
  }
  if (code) {
    ode->failure = code;
    ode->refused_t = t;
  }
  return code;
}

static int settle(sunrealtype t, N_Vector y, void* data) {
  vida_ode* ode = data;
  double* values = N_VGetArrayPointer(y);
  const int code = finish_step(ode, t, values);
  if (code) {
    return code;
  }
  if (ode->is_between) {
    memcpy(ode->there, values, (size_t)ode->size * sizeof *values);
    return VIDA_SUCCESS;
  }
  double* oldest = ode->previous;
  ode->counts.steps++;
  ode->previous = ode->node;
  ode->previous_t = ode->node_t;
  ode->node = oldest;
  ode->node_t = t;
  memcpy(ode->node, values, (size_t)ode->size * sizeof *values);
  return VIDA_SUCCESS;
}

static int project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype epsilon,
                   N_Vector error, void* data) {
  vida_ode* ode = data;
  if (ode->is_warming) {
    N_VConst(0.0, correction);
    return VIDA_SUCCESS;
  }
  if (CVodeGetErrWeights(ode->cvode, ode->weight)) {
    return -1;
  }
  const int code = ode->functions.project(
      ode->data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(correction),
      error ? N_VGetArrayPointer(error) : NULL, N_VGetArrayPointer(ode->weight), epsilon);
  ode->failure = code ? code : ode->failure;
  return code;
}

/* The Jacobian by differences. CVODE's own ones allocate each time. Their direction is that of the
 * motion, so that mirrored motions have mirrored Jacobians. */
static int differentiate(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix jacobian, void* data,
                         N_Vector work1, N_Vector work2, N_Vector work3) {
  vida_ode* ode = data;
  double* place = N_VGetArrayPointer(work1);
  double* there = N_VGetArrayPointer(work2);
  const double* here = N_VGetArrayPointer(rate);
  const double* at = N_VGetArrayPointer(y);
  const double root = sqrt(DBL_EPSILON);
  (void)work3;
  if (ode->is_warming) {
    return SUNMatZero(jacobian);
  }
  if (CVodeGetErrWeights(ode->cvode, ode->weight)) {
    return -1;
  }
  const double* weight = N_VGetArrayPointer(ode->weight);
  memcpy(place, at, (size_t)ode->size * sizeof *place);
  for (int j = 0; j < ode->size; j++) {
    double* column = SUNDenseMatrix_Column(jacobian, j);
    const double towards = here[j] != 0.0 ? here[j] : at[j];
    place[j] = at[j] + copysign(fmax(root * fabs(at[j]), 1.0 / weight[j]), towards);
    const double step = place[j] - at[j];
    const int code = vida__ode_rate(ode, t, place, there);
    if (code) {
      return code;
    }
    for (int i = 0; i < ode->size; i++) {
      column[i] = (there[i] - here[i]) / step;
    }
    place[j] = at[j];
  }
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* That of DOPRI5 (Hairer, Norsett, Wanner, section IV.2 of the second volume): with the order p of
 * the embedded formula, step * 0.9 * error^(-0.85/(p+1)) * (error before)^(0.2/(p+1)). Defaults
 * would change with SUNDIALS' version. */
static const double now = 0.85, past = 0.2;
static const double safety = 0.9, largest_growth = 10.0;

static int set_controller(vida_ode* ode) {
  void* memory = ode->erkstep;
#if VIDA_SUNDIALS_AT_LEAST(6, 7)
  ode->controller = SUNAdaptController_PI(ode->context);
  /* Its second exponent counts with the other sign. */
  if (!ode->controller || SUNAdaptController_SetParams_PI(ode->controller, now, -past) ||
      SUNAdaptController_SetErrorBias(ode->controller, 1.0) ||
      ERK(SetAdaptController)(memory, ode->controller) || ERK(SetAdaptivityAdjustment)(memory, 0)) {
    return VIDA_SOLVER_FAILED;
  }
#else
  enum { PI_CONTROLLER = 1 };
  /* It divides the exponents by p. */
  const double p = vida__integrator_embedded_order(ode->settings.integrator);
  double parameters[] = {now * p / (p + 1.0), past * p / (p + 1.0), 0.0};
  if (ERKStepSetAdaptivityMethod(memory, PI_CONTROLLER, 0, 0, parameters) ||
      ERKStepSetErrorBias(memory, 1.0)) {
    return VIDA_SOLVER_FAILED;
  }
#endif
  if (ERK(SetSafetyFactor)(memory, safety) || ERK(SetMaxGrowth)(memory, largest_growth) ||
      ERK(SetFixedStepBounds)(memory, 1.0, 1.0)) {
    return VIDA_SOLVER_FAILED;
  }
  return VIDA_SUCCESS;
}

static int make_erkstep(vida_ode* ode, ARKodeButcherTable table, void** memory) {
  *memory = ERKStepCreate(evaluate, 0.0, ode->y, ode->context);
  if (!*memory) {
    return VIDA_OUT_OF_MEMORY;
  }
  /* At a node where it must stop ERKStep interpolates, although nobody looks at what it finds. By
   * default that asks for rates within the step, of a mixture of states that `settle` may have
   * given another meaning in between. */
  return vida__silence(VIDA_ERKSTEP, *memory, ode->context, &ode->sink) ||
                 ERK(SetUserData)(*memory, ode) || ERKStepSetTable(*memory, table) ||
                 ERK(SetInterpolantType)(*memory, ARK_INTERP_LAGRANGE) ||
                 ERK(SetInterpolantDegree)(*memory, 1) || ERK(SetPostprocessStepFn)(*memory, settle)
             ? VIDA_SOLVER_FAILED
             : VIDA_SUCCESS;
}

static int create_erkstep(vida_ode* ode) {
  ARKodeButcherTable table = vida__butcher_table(ode->settings.integrator);
  ode->ends_with_stage = table && vida__has_final_stage(table);
  if (ode->ends_with_stage && ode->functions.settle) {
    vida__separate_final_stage(table);
  }
  int code = table ? make_erkstep(ode, table, &ode->erkstep) : VIDA_OUT_OF_MEMORY;
  if (!code && ode->settings.adaptive) {
    code = set_controller(ode);
  }
  if (!code && ode->settings.adaptive && !ode->settings.ends_at_nodes) {
    code = make_erkstep(ode, table, &ode->between);
  }
  ARKodeButcherTable_Free(table);
  return code;
}

/* Whether there is memory for another matrix and what goes with it. CVODE copies its own in the
 * first step, by SUNMatClone, which crashes where there is none. */
static bool can_copy_matrix(const vida_ode* ode) {
  const size_t n = (size_t)ode->size;
  double* probe = vida__allocate((n + 8) * (n + 8), sizeof *probe);
  const bool succeeds = probe != NULL;
  free(probe);
  return succeeds;
}

static int create_bdf(vida_ode* ode) {
  ode->matrix = SUNDenseMatrix(ode->size, ode->size, ode->context);
  ode->solver = vida__dense_solver(ode->size, ode->context);
  if (!ode->matrix || !ode->solver || !can_copy_matrix(ode)) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (CVodeSetLinearSolver(ode->cvode, ode->solver, ode->matrix) ||
      CVodeSetJacFn(ode->cvode, differentiate) ||
      (ode->functions.project && CVodeSetProjFn(ode->cvode, project))) {
    return VIDA_SOLVER_FAILED;
  }
  return VIDA_SUCCESS;
}

static int create_adams(vida_ode* ode) {
  ode->iteration = SUNNonlinSol_FixedPoint(ode->y, 0, ode->context);
  if (!ode->iteration) {
    return VIDA_OUT_OF_MEMORY;
  }
  return CVodeSetNonlinearSolver(ode->cvode, ode->iteration) ? VIDA_SOLVER_FAILED : VIDA_SUCCESS;
}

static int create_cvode(vida_ode* ode) {
  const bool is_bdf = ode->settings.integrator == VIDA_INTEGRATOR_BDF;
  ode->cvode = CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, ode->context);
  if (!ode->cvode) {
    return VIDA_OUT_OF_MEMORY;
  }
  if (vida__silence(VIDA_CVODE, ode->cvode, ode->context, &ode->sink) ||
      CVodeInit(ode->cvode, evaluate, 0.0, ode->y) || CVodeSetUserData(ode->cvode, ode) ||
      CVodeSVtolerances(ode->cvode, ode->settings.rtol, ode->tolerance)) {
    return VIDA_SOLVER_FAILED;
  }
  return is_bdf ? create_bdf(ode) : create_adams(ode);
}

static int look_between(vida_ode* ode, double next);

/* Whether it succeeds does not matter. */
static void warm_up(vida_ode* ode) {
  double* y = ode->rate_y;
  ode->is_warming = true;
  memset(y, 0, (size_t)ode->size * sizeof *y);
  vida__ode_advance(ode, 0.0, 1.0, y, NULL, NULL);
  if (ode->between) {
    ode->previous_t = 0.0;
    look_between(ode, 1.0);
  }
  ode->is_warming = false;
  vida__ode_restart(ode, 0.0);
  vida__ode_reset_counts(ode);
}

int vida__ode_create(int size, vida_ode_functions functions, void* data, vida_ode_settings settings,
                     vida_ode** ode, VidaError* error) {
  vida_ode* made = vida__allocate(1, sizeof *made);
  *ode = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->size = size;
  made->functions = functions;
  made->data = data;
  made->settings = settings;
  made->fresh = true;
  made->block = vida__allocate(6 * (size_t)size, sizeof *made->block);
  int code = !made->block || vida__context_create(&made->context) ? VIDA_OUT_OF_MEMORY : 0;
  if (!code) {
    made->node = made->block;
    made->previous = made->node + size;
    made->there = made->previous + size;
    made->rate_y = made->there + size;
    made->rate = made->rate_y + size;
    made->stage_y = made->rate + size;
    made->y = N_VNew_Serial(size, made->context);
    made->tolerance = N_VNew_Serial(size, made->context);
    made->weight = N_VNew_Serial(size, made->context);
    code = made->y && made->tolerance && made->weight ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  if (!code) {
    N_VConst(0.0, made->y);
    N_VConst(1.0, made->tolerance);
    code = is_multistep(made) ? create_cvode(made) : create_erkstep(made);
  }
  if (code == VIDA_OUT_OF_MEMORY) {
    vida__fail_memory(error);
  } else if (code) {
    vida__fail(error, code, "%s could not be set up: %s", is_multistep(made) ? "CVODE" : "ERKStep",
               made->sink.message);
  }
  if (code) {
    vida__ode_destroy(ode);
    return code;
  }
  warm_up(made);
  return VIDA_SUCCESS;
}

void vida__ode_destroy(vida_ode** ode) {
  vida_ode* old = *ode;
  if (!old) {
    return;
  }
  if (old->erkstep) {
    ERK(Free)(&old->erkstep);
  }
  if (old->between) {
    ERK(Free)(&old->between);
  }
  if (old->cvode) {
    CVodeFree(&old->cvode);
  }
#if VIDA_SUNDIALS_AT_LEAST(6, 7)
  if (old->controller) {
    SUNAdaptController_Destroy(old->controller);
  }
#endif
  if (old->iteration) {
    SUNNonlinSolFree(old->iteration);
  }
  if (old->solver) {
    SUNLinSolFree(old->solver);
  }
  if (old->matrix) {
    SUNMatDestroy(old->matrix);
  }
  N_Vector vectors[] = {old->y, old->tolerance, old->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
  if (old->context) {
    SUNContext_Free(&old->context);
  }
  free(old->block);
  free(old);
  *ode = NULL;
}

double* vida__ode_tolerances(vida_ode* ode) {
  return N_VGetArrayPointer(ode->tolerance);
}

void vida__ode_restart(vida_ode* ode, double step) {
  ode->fresh = true;
  ode->next_step = step;
  ode->has_rate = false;
}

void vida__ode_reset_counts(vida_ode* ode) {
  const vida_ode_counts none = {0};
  ode->counts = none;
  ode->before = none;
}

vida_ode_counts vida__ode_count(const vida_ode* ode) {
  return ode->counts;
}

/* ---- from node to node ----------------------------------------------------------------------- */

/* A failed rate that a smaller step has cured is not the reason of what comes later. */
static bool is_by_failure(const vida_ode* ode, int flag) {
  return ode->failure < 0 ||
         (ode->failure > 0 && flag != ARK_TOO_MUCH_WORK && flag != ARK_ERR_FAILURE);
}

static int fail(vida_ode* ode, int flag, VidaError* error) {
  const vida_package package = is_multistep(ode) ? VIDA_CVODE : VIDA_ERKSTEP;
  const char* name = vida__flag_name(package, flag);
  if (is_by_failure(ode, flag)) {
    return vida__fail_flag(error, ode->failure, name, "%s", Vida_CodeText(ode->failure));
  }
  /* These flags are the same in both packages. */
  const char* what = flag == ARK_TOO_MUCH_WORK
                         ? "more steps than max_steps between two output states"
                     : flag == ARK_ERR_FAILURE ? "no step passes the error test"
                     : flag == ARK_CONV_FAILURE
                         ? "the nonlinear equations of a step could not be solved"
                         : (*ode->sink.message ? ode->sink.message : "the integrator has failed");
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, name, "%s", what);
}

/* As the tolerances are now: functions.settle may have changed what the components are. */
static int weigh(N_Vector y, N_Vector weight, void* data) {
  const vida_ode* ode = data;
  const double* values = N_VGetArrayPointer(y);
  const double* tolerance = N_VGetArrayPointer(ode->tolerance);
  double* weights = N_VGetArrayPointer(weight);
  for (int i = 0; i < ode->size; i++) {
    weights[i] = 1.0 / (ode->settings.rtol * fabs(values[i]) + tolerance[i]);
  }
  return 0;
}

/* No step shall end because of what is looked at next: the end of the time is not known, and is so
 * many nodes away. */
static const double far = 1e4;

static double weighted_norm(const vida_ode* ode, const double* values) {
  const double* weight = N_VGetArrayPointer(ode->weight);
  double sum = 0.0;
  for (int i = 0; i < ode->size; i++) {
    sum += weight[i] * values[i] * weight[i] * values[i];
  }
  return sqrt(sum / ode->size);
}

/* A step whose error would be that of the tolerance if the order were one: |y''| h^2 / 2 = 1/4,
 * with y'' by a difference over a time in which y moves by little (Hairer, Norsett, Wanner, section
 * II.4, without its powers that depend on the unit of time). SUNDIALS' own estimates depend on the
 * time that is asked for, and so would all that follows. */
static int estimate_first_step(vida_ode* ode, double t, double next, double* step) {
  enum { TRIES = 3 };
  const double small = 0.01, farthest = 100.0;
  const double* y = N_VGetArrayPointer(ode->y);
  double *slope = ode->previous, *change = ode->there;
  int code = vida__ode_rate(ode, t, y, slope);
  if (code) {
    return code;
  }
  weigh(ode->y, ode->weight, ode);
  const double speed = weighted_norm(ode, slope);
  double away = speed > 0.0 ? small * fmax(weighted_norm(ode, y), 1.0) / speed : small * (next - t);
  for (int k = 0; k < TRIES; k++, away *= small) {
    for (int i = 0; i < ode->size; i++) {
      change[i] = y[i] + away * slope[i];
    }
    code = vida__ode_rate(ode, t + away, change, change);
    if (code <= 0) {
      break;
    }
  }
  for (int i = 0; i < ode->size && !code; i++) {
    change[i] = (change[i] - slope[i]) / away;
  }
  const double bend = code ? 0.0 : weighted_norm(ode, change);
  *step = fmin(farthest * away, bend > 0.0 ? sqrt(0.5 / bend) : INFINITY);
  ode->failure = code < 0 ? code : VIDA_SUCCESS;
  return ode->failure;
}

/* The step that was told at the restart, or else the estimate. */
static int find_first_step(vida_ode* ode, double t, double next, double* step) {
  *step = ode->next_step;
  return *step > 0.0 || ode->is_warming ? VIDA_SUCCESS : estimate_first_step(ode, t, next, step);
}

static int begin_erkstep(vida_ode* ode, double t, double next) {
  void* memory = ode->erkstep;
  int flag = ERKStepReInit(memory, evaluate, t, ode->y);
  ode->node_t = t;
  memcpy(ode->node, N_VGetArrayPointer(ode->y), (size_t)ode->size * sizeof *ode->node);
  ode->before = ode->counts;
  if (!ode->settings.adaptive) {
    return flag ? flag : ERK(SetFixedStep)(memory, next - t);
  }
  double step = 0.0;
  if (find_first_step(ode, t, next, &step)) {
    return ARK_RHSFUNC_FAIL;
  }
  flag = flag ? flag : ERK(WFtolerances)(memory, weigh);
  flag = flag ? flag : ERK(SetInitStep)(memory, step);
  return flag || !ode->settings.ends_at_nodes ? flag : ERK(SetStopTime)(memory, next);
}

static void count_rejected(vida_ode* ode) {
  long attempts = 0;
  if (ERK(GetNumStepAttempts)(ode->erkstep, &attempts) == ARK_SUCCESS) {
    ode->counts.rejected =
        ode->before.rejected + attempts - (ode->counts.steps - ode->before.steps);
  }
}

/* ERKStep ends where a stage has no rate or the end of a step is refused: it begins anew where that
 * step began. */
static int make_smaller_step(vida_ode* ode, int flag, double next) {
  const double smaller = 0.25 * (ode->refused_t - ode->node_t);
  const bool is_curable = ode->settings.adaptive && ode->failure > 0;
  if (!is_curable || smaller <= 16.0 * DBL_EPSILON * fmax(fabs(ode->node_t), fabs(next))) {
    return flag;
  }
  count_rejected(ode);
  ode->failure = VIDA_SUCCESS;
  ode->next_step = smaller;
  memcpy(N_VGetArrayPointer(ode->y), ode->node, (size_t)ode->size * sizeof *ode->node);
  return begin_erkstep(ode, ode->node_t, next);
}

static int step_erkstep(vida_ode* ode, long first, double tout, double next, double* reached) {
  if ((double)(ode->counts.steps - first) >= ode->settings.max_steps) {
    return ARK_TOO_MUCH_WORK;
  }
  const int flag = ERK(Evolve)(ode->erkstep, tout, ode->y, reached, ARK_ONE_STEP);
  const bool is_refused = flag == ARK_POSTPROCESS_STEP_FAIL || flag == ARK_UNREC_RHSFUNC_ERR ||
                          flag == ARK_REPTD_RHSFUNC_ERR;
  return is_refused ? make_smaller_step(ode, flag, next) : flag;
}

/* What the controller wants after a step of this size, as far as the last error says it: ERKStep
 * does not tell where a stop has cut it. The errors take the place of y, which the node has. */
static double wanted_step(vida_ode* ode, double last) {
  const int order = vida__integrator_embedded_order(ode->settings.integrator) + 1;
  weigh(ode->y, ode->weight, ode);
  if (ERK(GetEstLocalErrors)(ode->erkstep, ode->y)) {
    return last;
  }
  const double error = fmax(weighted_norm(ode, N_VGetArrayPointer(ode->y)), DBL_MIN);
  return last * fmin(largest_growth, safety * pow(error, -now / order));
}

/* Steps up to the node exactly. The last one is cut; the next node begins with what it would have
 * been, or what it was found to be. */
static int advance_to_node(vida_ode* ode, double t, double next, double* reached) {
  const long first = ode->counts.steps;
  double uncut = ode->next_step;
  int flag = begin_erkstep(ode, t, next);
  while (flag == ARK_SUCCESS) {
    double last = 0.0;
    const long rejected = ode->counts.rejected;
    flag = step_erkstep(ode, first, next, next, reached);
    if (!ode->settings.adaptive) {
      return flag;
    }
    count_rejected(ode);
    if (flag >= 0) {
      ERK(GetLastStep)(ode->erkstep, &last);
      const bool was_cut = last < uncut && ode->counts.rejected == rejected;
      ode->next_step = fmax(wanted_step(ode, last), was_cut ? uncut : 0.0);
    }
    uncut = ode->next_step;
  }
  return flag;
}

/* One more step from where the last one began, of the size that leads to the node: as precise as
 * the steps, and they do not depend on where one looks. It is not counted. */
static int look_between(vida_ode* ode, double next) {
  const vida_ode_counts counts = ode->counts;
  double reached;
  memcpy(N_VGetArrayPointer(ode->y), ode->previous, (size_t)ode->size * sizeof *ode->previous);
  ode->is_between = true;
  int flag = ERKStepReInit(ode->between, evaluate, ode->previous_t, ode->y);
  flag = flag ? flag : ERK(SetFixedStep)(ode->between, next - ode->previous_t);
  flag = flag ? flag : ERK(Evolve)(ode->between, next, ode->y, &reached, ARK_ONE_STEP);
  ode->is_between = false;
  ode->counts = counts;
  return flag;
}

/* Steps of any size, until one leads to the node or beyond. */
static int advance_freely(vida_ode* ode, double t, double next, double* reached) {
  const long first = ode->counts.steps;
  int flag = ode->fresh ? begin_erkstep(ode, t, next) : ARK_SUCCESS;
  while (flag == ARK_SUCCESS && ode->node_t < next) {
    flag = step_erkstep(ode, first, t + far * (next - t), next, reached);
  }
  count_rejected(ode);
  if (flag < 0 || ode->node_t == next) {
    memcpy(ode->there, ode->node, (size_t)ode->size * sizeof *ode->node);
    return flag;
  }
  return look_between(ode, next);
}

static int advance_erkstep(vida_ode* ode, double t, double next, double* reached) {
  if (ode->between) {
    return advance_freely(ode, t, next, reached);
  }
  const int flag = advance_to_node(ode, t, next, reached);
  memcpy(ode->there, ode->node, (size_t)ode->size * sizeof *ode->node);
  return flag;
}

static void count_cvode(vida_ode* ode) {
  long steps = 0, errors = 0, failures = 0, jacobians = 0, iterations = 0;
  CVodeGetNumSteps(ode->cvode, &steps);
  CVodeGetNumErrTestFails(ode->cvode, &errors);
  CVodeGetNumStepSolveFails(ode->cvode, &failures);
  CVodeGetNumNonlinSolvIters(ode->cvode, &iterations);
  if (ode->solver) {
    CVodeGetNumJacEvals(ode->cvode, &jacobians);
  }
  ode->counts.steps = ode->before.steps + steps;
  ode->counts.rejected = ode->before.rejected + errors + failures;
  ode->counts.jacobians = ode->before.jacobians + jacobians;
  ode->counts.newton_iterations = ode->before.newton_iterations + iterations;
}

/* Nodes inside of steps are interpolated, and then projected like the ends of steps. */
static int finish_cvode(vida_ode* ode, double t) {
  const double* y = N_VGetArrayPointer(ode->y);
  double* correction = N_VGetArrayPointer(ode->weight);
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

/* One step at a time: CVODE's functional iteration takes any failure of the rate for one that a
 * smaller step cures. */
static int step_cvode(vida_ode* ode, double tout) {
  int flag = CVode(ode->cvode, tout, ode->y, &ode->node_t, CV_ONE_STEP);
  flag = flag >= 0 && ode->failure < 0 ? CV_RHSFUNC_FAIL : flag;
  return flag >= 0 && finish_step(ode, ode->node_t, N_VGetArrayPointer(ode->y)) ? CV_PROJFUNC_FAIL
                                                                                : flag;
}

static int advance_cvode(vida_ode* ode, double t, double next, double* reached) {
  void* memory = ode->cvode;
  int flag = CV_SUCCESS;
  if (ode->fresh) {
    ode->before = ode->counts;
    ode->node_t = t;
    flag = CVodeReInit(memory, t, ode->y);
    flag = flag ? flag : CVodeSVtolerances(memory, ode->settings.rtol, ode->tolerance);
    double step = 0.0;
    if (find_first_step(ode, t, next, &step)) {
      return CV_RHSFUNC_FAIL;
    }
    flag = flag ? flag : CVodeSetInitStep(memory, step);
  }
  for (double made = 0.0; flag == CV_SUCCESS && ode->node_t < next; made++) {
    flag =
        made < ode->settings.max_steps ? step_cvode(ode, t + far * (next - t)) : CV_TOO_MUCH_WORK;
  }
  count_cvode(ode);
  *reached = fmin(ode->node_t, next);
  flag = flag < 0 ? flag : CVodeGetDky(memory, next, 0, ode->y);
  return flag < 0 ? flag : finish_cvode(ode, next);
}

int vida__ode_advance(vida_ode* ode, double t, double next, double* y, double* reached,
                      VidaError* error) {
  const size_t bytes = (size_t)ode->size * sizeof *y;
  double end = t;
  if (ode->size == 0) {
    return VIDA_SUCCESS;
  }
  ode->failure = VIDA_SUCCESS;
  ode->sink.message[0] = '\0';
  memcpy(N_VGetArrayPointer(ode->y), y, bytes);
  const int flag =
      is_multistep(ode) ? advance_cvode(ode, t, next, &end) : advance_erkstep(ode, t, next, &end);
  if (reached) {
    *reached = end;
  }
  if (flag < 0) {
    vida__ode_restart(ode, 0.0);
    return fail(ode, flag, error);
  }
  ode->fresh = false;
  memcpy(y, ode->there, bytes);
  return VIDA_SUCCESS;
}
