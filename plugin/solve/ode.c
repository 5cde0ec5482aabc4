/* The driver: advances the state from node to node, for all integrators. */
#include "solve/ode.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/sundials.h"
#include "solve/integrator.h"

const vida_step_control vida__step_control = {
    .now = 0.85, .past = 0.2, .safety = 0.9, .largest_growth = 10.0};

/* ---- rates ----------------------------------------------------------------------------------- */

const double* vida__ode_last_stage(const vida_ode* ode, double* t) {
  *t = ode->ends_with_stage ? ode->stage_t : ode->rate_t;
  return ode->ends_with_stage ? ode->stage_y : ode->rate_y;
}

static int interrupted(const vida_ode* ode) {
  return ode->functions.interrupted ? ode->functions.interrupted(ode->data, ode->node_t)
                                    : VIDA_SUCCESS;
}

/* Stores the rate: steps evaluate it again at the end of the last step, and methods need its
 * multipliers. */
int vida__ode_rate(vida_ode* ode, double t, const double* y, double* rate) {
  const size_t bytes = (size_t)ode->size * sizeof *y;
  if (!ode->has_rate || t != ode->rate_t || memcmp(y, ode->rate_y, bytes) != 0) {
    ode->counts.rates++;
    ode->has_rate = false;
    int code = vida__are_finite(y, ode->size) ? interrupted(ode) : VIDA_NOT_FINITE;
    code = code ? code : ode->functions.rate(ode->data, t, y, ode->rate);
    code = code ? code : vida__are_finite(ode->rate, ode->size) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
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

int vida__ode_evaluate(double t, N_Vector y, N_Vector rate, void* data) {
  const vida_ode* ode = data;
  if (ode->is_warming) {
    N_VConst(0.0, rate);
    return VIDA_SUCCESS;
  }
  return vida__ode_rate(data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
}

int vida__ode_differentiate(vida_ode* ode, double t, const double* y, const double* rate,
                            const double* least_change, double* place, double* there,
                            SUNMatrix jacobian) {
  const double root = sqrt(DBL_EPSILON);
  memcpy(place, y, (size_t)ode->size * sizeof *place);
  for (int j = 0; j < ode->size; j++) {
    double* column = SUNDenseMatrix_Column(jacobian, j);
    const double towards = rate[j] != 0.0 ? rate[j] : y[j];
    place[j] = y[j] + copysign(fmax(root * fabs(y[j]), least_change[j]), towards);
    const double change = place[j] - y[j];
    const int code = vida__ode_rate(ode, t, place, there);
    if (code) {
      return code;
    }
    for (int i = 0; i < ode->size; i++) {
      column[i] = (there[i] - rate[i]) / change;
    }
    place[j] = y[j];
  }
  return VIDA_SUCCESS;
}

/* ---- ends of steps ----------------------------------------------------------------------------
 */

int vida__ode_finish_step(vida_ode* ode, double t, double* y) {
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

/* Computes the weights again, because functions.settle may have changed the meaning of the
 * components. */
int vida__ode_weigh(N_Vector y, N_Vector weight, void* data) {
  const vida_ode* ode = data;
  const double* values = N_VGetArrayPointer(y);
  const double* tolerance = N_VGetArrayPointer(ode->tolerance);
  double* weights = N_VGetArrayPointer(weight);
  for (int i = 0; i < ode->size; i++) {
    weights[i] = 1.0 / (ode->settings.rtol * fabs(values[i]) + tolerance[i]);
  }
  return 0;
}

double vida__ode_norm(const vida_ode* ode, const double* values) {
  const double* weight = N_VGetArrayPointer(ode->weight);
  double sum = 0.0;
  for (int i = 0; i < ode->size; i++) {
    sum += weight[i] * values[i] * weight[i] * values[i];
  }
  return sqrt(sum / ode->size);
}

/* ---- creation -------------------------------------------------------------------------------- */

bool vida__ode_can_copy_matrix(const vida_ode* ode) {
  const size_t n = (size_t)ode->size;
  double* probe = vida__allocate((n + 8) * (n + 8), sizeof *probe);
  const bool succeeds = probe != NULL;
  free(probe);
  return succeeds;
}

/* A failure has no consequences. */
static void warm_up(vida_ode* ode) {
  double* y = ode->rate_y;
  ode->is_warming = true;
  memset(y, 0, (size_t)ode->size * sizeof *y);
  vida__ode_advance(ode, 0.0, 1.0, y, NULL, NULL);
  ode->previous_t = 0.0;
  ode->class->interpolate(ode, 0.5 * ode->node_t);
  ode->is_warming = false;
  vida__ode_restart(ode, 0.0);
  vida__ode_reset_counts(ode);
}

static int allocate(vida_ode* ode, int size) {
  ode->block = vida__allocate(6 * (size_t)size, sizeof *ode->block);
  if (!ode->block || vida__take_context(ode->settings.services, &ode->context)) {
    return VIDA_OUT_OF_MEMORY;
  }
  double** arrays[] = {&ode->node,   &ode->previous, &ode->there,
                       &ode->rate_y, &ode->rate,     &ode->stage_y};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = ode->block + i * (size_t)size;
  }
  ode->y = vida__new_vector(size, ode->context);
  ode->tolerance = vida__new_vector(size, ode->context);
  ode->weight = vida__new_vector(size, ode->context);
  if (!ode->y || !ode->tolerance || !ode->weight) {
    return VIDA_OUT_OF_MEMORY;
  }
  N_VConst(0.0, ode->y);
  N_VConst(1.0, ode->tolerance);
  N_VConst(1.0, ode->weight); /* which fixed steps do not need, but checkpoints contain */
  return VIDA_SUCCESS;
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
  made->sink.is_shared = settings.services != NULL;
  made->class = settings.class ? settings.class : vida__integrator_class(settings.integrator);
  made->fresh = true;
  int code = allocate(made, size);
  code = code ? code : made->class->create(made);
  if (code == VIDA_OUT_OF_MEMORY) {
    vida__fail_memory(error);
  } else if (code) {
    vida__fail(error, code, "%s could not be set up: %s", made->class->name, made->sink.message);
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
  old->class->destroy(old);
  N_Vector vectors[] = {old->y, old->tolerance, old->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
  vida__leave_context(old->settings.services, &old->context);
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
         (ode->failure > 0 && flag != VIDA_FLAG_TOO_MUCH_WORK && flag != VIDA_FLAG_ERROR_TEST);
}

static int fail(vida_ode* ode, int flag, VidaError* error) {
  const char* name = ode->class->flag_name ? ode->class->flag_name(flag)
                                           : vida__flag_name(ode->class->package, flag);
  if (is_by_failure(ode, flag)) {
    return vida__fail_flag(error, ode->failure, name, "%s", "");
  }
  if (flag == VIDA_FLAG_TOO_MUCH_WORK) {
    const bool is_bdf = ode->class->is_multistep && ode->settings.integrator == VIDA_INTEGRATOR_BDF;
    return vida__fail_work(&ode->work, name, NULL,
                           ode->class->is_implicit || is_bdf
                               ? "increase max_steps"
                               : "increase max_steps, or choose an implicit method if the "
                                 "system is stiff",
                           error);
  }
  const char* what = flag == VIDA_FLAG_ERROR_TEST ? "no step passes the error test"
                     : flag == VIDA_FLAG_NOT_CONVERGED
                         ? "the nonlinear equations of a step could not be solved"
                         : (*ode->sink.message ? ode->sink.message : "the integrator failed");
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, name, "%s", what);
}

/* Estimates the first step: one whose error would equal the tolerance for order one, |y''| h^2 / 2
 * = 1/4, with y'' from a difference over a time in which y changes little (Hairer, Norsett, Wanner,
 * section II.4, without the powers that depend on the unit of time). SUNDIALS' own estimates depend
 * on the next output time, and so would all later steps. */
static int estimate_first_step(vida_ode* ode, double t, double next, double* step) {
  enum { TRIES = 3 };
  const double small = 0.01, farthest = 100.0;
  const double most_intervals = 1e6; /* of output, where rates are rounding */
  const double* y = N_VGetArrayPointer(ode->y);
  double *slope = ode->previous, *change = ode->there;
  int code = vida__ode_rate(ode, t, y, slope);
  if (code) {
    return code;
  }
  vida__ode_weigh(ode->y, ode->weight, ode);
  const double speed = vida__ode_norm(ode, slope);
  double away =
      speed > 0.0 ? small * fmax(vida__ode_norm(ode, y), 1.0) / speed : small * (next - t);
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
  const double bend = code ? 0.0 : vida__ode_norm(ode, change);
  *step = fmin(farthest * away, bend > 0.0 ? sqrt(0.5 / bend) : INFINITY);
  *step = fmin(*step, most_intervals * (next - t));
  ode->failure = code < 0 ? code : VIDA_SUCCESS;
  return ode->failure;
}

/* Returns the step of the last restart, or the estimate. */
static int find_first_step(vida_ode* ode, double t, double next, double* step) {
  *step = ode->next_step;
  return *step > 0.0 || ode->is_warming ? VIDA_SUCCESS : estimate_first_step(ode, t, next, step);
}

static int begin(vida_ode* ode, double t, double next) {
  const bool is_free = ode->settings.adaptive || ode->class->is_multistep;
  double step = next - t;
  ode->node_t = t;
  memcpy(ode->node, N_VGetArrayPointer(ode->y), (size_t)ode->size * sizeof *ode->node);
  ode->before = ode->counts;
  if (is_free && find_first_step(ode, t, next, &step)) {
    return VIDA_FLAG_RATE;
  }
  return ode->class->begin(ode, t, step, ode->settings.ends_at_nodes ? next : INFINITY);
}

/* The package stops if a stage has no rate or the end of a step is rejected: restarts it where that
 * step began. */
static int make_smaller_step(vida_ode* ode, int flag, double next) {
  const double smaller = 0.25 * (ode->refused_t - ode->node_t);
  const bool is_curable = ode->settings.adaptive && ode->failure > 0;
  if (!is_curable || smaller <= 16.0 * DBL_EPSILON * fmax(fabs(ode->node_t), fabs(next))) {
    return flag;
  }
  ode->class->count(ode);
  ode->failure = VIDA_SUCCESS;
  ode->next_step = smaller;
  memcpy(N_VGetArrayPointer(ode->y), ode->node, (size_t)ode->size * sizeof *ode->node);
  return begin(ode, ode->node_t, next);
}

static int make_step(vida_ode* ode, double towards, double next) {
  if (!vida__may_step(&ode->work, ode->node_t)) {
    return VIDA_FLAG_TOO_MUCH_WORK;
  }
  const int flag = ode->class->step(ode, towards);
  return ode->class->is_refused && ode->class->is_refused(flag) ? make_smaller_step(ode, flag, next)
                                                                : flag;
}

/* Returns the step that the controller proposes after the last step, according to its error; the
 * package does not report this step if a stop time has shortened it. The error estimate overwrites
 * y, which the node still has. */
static double wanted_step(vida_ode* ode, double* last) {
  const int order = vida__integrator_embedded_order(ode->settings.integrator) + 1;
  vida__ode_weigh(ode->y, ode->weight, ode);
  if (ode->class->last_error(ode, last)) {
    return *last;
  }
  const vida_step_control* control = &vida__step_control;
  const double error = fmax(vida__ode_norm(ode, N_VGetArrayPointer(ode->y)), DBL_MIN);
  return *last * fmin(control->largest_growth, control->safety * pow(error, -control->now / order));
}

/* Makes steps exactly up to the node. The last one is shortened; the first step after the node has
 * the size that it would have had. */
static int advance_to_node(vida_ode* ode, double t, double next) {
  double uncut = ode->next_step;
  int flag = begin(ode, t, next);
  while (flag == VIDA_FLAG_SUCCESS) {
    double last = 0.0;
    const long rejected = ode->counts.rejected;
    flag = make_step(ode, next, next);
    ode->class->count(ode);
    if (!ode->settings.adaptive) {
      break;
    }
    if (flag >= 0) {
      const double wanted = wanted_step(ode, &last);
      const bool was_cut = last < uncut && ode->counts.rejected == rejected;
      ode->next_step = fmax(wanted, was_cut ? uncut : 0.0);
    }
    uncut = ode->next_step;
  }
  memcpy(ode->there, ode->node, (size_t)ode->size * sizeof *ode->node);
  return flag;
}

/* The next output time must not shorten a step: the end of the time is not known here, so the limit
 * is set many nodes ahead. */
static const double far = 1e4;

/* Makes steps of any size until one reaches the node. */
static int advance_freely(vida_ode* ode, double t, double next) {
  int flag = ode->fresh ? begin(ode, t, next) : VIDA_FLAG_SUCCESS;
  while (flag == VIDA_FLAG_SUCCESS && ode->node_t < next) {
    flag = make_step(ode, t + far * (next - t), next);
  }
  ode->class->count(ode);
  return flag < 0 ? flag : ode->class->interpolate(ode, next);
}

int vida__ode_advance(vida_ode* ode, double t, double next, double* y, double* reached,
                      VidaError* error) {
  const vida_ode_settings* settings = &ode->settings;
  const size_t bytes = (size_t)ode->size * sizeof *y;
  if (ode->size == 0) {
    return VIDA_SUCCESS;
  }
  ode->failure = VIDA_SUCCESS;
  ode->sink.message[0] = '\0';
  ode->reached = t;
  ode->work = vida__expect_work(t, next, settings->max_steps);
  memcpy(N_VGetArrayPointer(ode->y), y, bytes);
  const bool is_free = ode->class->is_multistep || (settings->adaptive && !settings->ends_at_nodes);
  const int flag = is_free ? advance_freely(ode, t, next) : advance_to_node(ode, t, next);
  if (reached) {
    /* Steps of multistep methods that have passed the node are only a means to interpolate there.
     */
    *reached = ode->class->is_multistep ? fmin(ode->reached, next) : ode->reached;
  }
  if (flag < 0) {
    vida__ode_restart(ode, 0.0);
    return fail(ode, flag, error);
  }
  ode->fresh = false;
  memcpy(y, ode->there, bytes);
  return VIDA_SUCCESS;
}

/* ---- records --------------------------------------------------------------------------------- */

static void record_counts(vida_ode_counts* counts, VidaRecord* record) {
  long* all[] = {&counts->steps, &counts->rejected, &counts->rates, &counts->jacobians,
                 &counts->newton_iterations};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    VidaRecord_Integer(record, all[k], LONG_MIN, LONG_MAX);
  }
}

void vida__ode_record(vida_ode* ode, VidaRecord* record) {
  double* const arrays[] = {ode->node,
                            ode->previous,
                            ode->there,
                            ode->rate_y,
                            ode->rate,
                            ode->stage_y,
                            N_VGetArrayPointer(ode->y),
                            N_VGetArrayPointer(ode->tolerance),
                            N_VGetArrayPointer(ode->weight)};
  double* const reals[] = {&ode->next_step, &ode->node_t, &ode->previous_t, &ode->reached,
                           &ode->refused_t, &ode->rate_t, &ode->stage_t};
  vida__record_same(record, "integrator", 1, &ode->size);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    VidaRecord_Reals(record, arrays[k], (size_t)ode->size);
  }
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  VidaRecord_Flag(record, &ode->fresh);
  VidaRecord_Flag(record, &ode->has_rate);
  record_counts(&ode->counts, record);
  record_counts(&ode->before, record);
  if (ode->class->record) {
    ode->class->record(ode, record);
  }
}
