#include "embed/evolve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "embed/vectors.h"
#include "stepper/frame.h"

/* The last step that Evolve has made. */
typedef struct vida_evolution {
  double stop;     /* INFINITY: none */
  double t0, t1;   /* of its ends */
  long count;      /* number of steps of the stepper after it; 0: no step */
  double values[]; /* 4 n: q and v at t0, q and v at t1 */
} vida_evolution;

static int count_of(const VidaStepper* stepper) {
  return stepper->self.model.n;
}

static int reserve(VidaStepper* stepper, VidaError* error) {
  if (stepper->hybrid) { /* output between nodes is a polynomial, which events would bend */
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "system '%s' has events: make steps with VidaStepper_Start and "
                      "VidaStepper_Step",
                      stepper->self.model.system->name);
  }
  if (!stepper->evolution) {
    const size_t values = 4 * (size_t)count_of(stepper);
    stepper->evolution = vida__allocate(1, sizeof(vida_evolution) + values * sizeof(double));
    if (!stepper->evolution) {
      return vida__fail_memory(error);
    }
    stepper->evolution->stop = INFINITY;
  }
  return VIDA_SUCCESS;
}

/* Whether two times differ by rounding only. */
static bool is_same_time(double a, double b, double h) {
  return fabs(a - b) <= 16.0 * DBL_EPSILON * (fmax(fabs(a), fabs(b)) + h);
}

int vida__node_state(VidaStepper* stepper, double* y, VidaError* error) {
  const int n = count_of(stepper);
  const int code = VidaStepper_Velocities(stepper, y + n, error);
  memcpy(y, VidaStepper_Positions(stepper), (size_t)n * sizeof *y);
  return code;
}

/* ---- step sizes ------------------------------------------------------------------------------ */

/* The step of equal steps, at most h, that cover the time `rest`. */
static double fitting_step(double h, double rest) {
  static const double rounding = 1e-9; /* of the number of steps */
  const double step = rest / fmax(ceil(rest / h - rounding), 1.0);
  return fabs(step - h) <= rounding * h ? h : step;
}

int vida__start_towards(VidaStepper* stepper, double t, double end, const double* y,
                        VidaError* error) {
  const double h =
      isfinite(end) && end > t ? fitting_step(stepper->full_step, end - t) : stepper->full_step;
  return vida__restart_stepper(stepper, t, h, y, y + count_of(stepper), error);
}

/* Restarts with another step size if necessary: before and after a stop time. */
static int choose_step(VidaStepper* stepper, VidaError* error) {
  static const double rounding = 1e-9;
  vida_evolution* evolution = stepper->evolution;
  const double t = VidaStepper_Time(stepper);
  const double present = VidaStepper_StepSize(stepper);
  const double h = isfinite(evolution->stop) ? fitting_step(stepper->full_step, evolution->stop - t)
                                             : stepper->full_step;
  if (fabs(present - h) <= rounding * h) {
    return VIDA_SUCCESS;
  }
  double* y = evolution->values; /* the start of the step that follows */
  const int code = vida__node_state(stepper, y, error);
  return code ? code : vida__restart_stepper(stepper, t, h, y, y + count_of(stepper), error);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int make_step(VidaStepper* stepper, VidaError* error) {
  vida_evolution* evolution = stepper->evolution;
  const int n = count_of(stepper);
  evolution->count = 0;
  int code = choose_step(stepper, error);
  code = code ? code : vida__node_state(stepper, evolution->values, error);
  evolution->t0 = VidaStepper_Time(stepper);
  code = code ? code : VidaStepper_Step(stepper, error);
  code = code ? code : vida__node_state(stepper, evolution->values + 2 * n, error);
  if (!code) {
    evolution->t1 = VidaStepper_Time(stepper);
    evolution->count = VidaStepper_StepCount(stepper);
  }
  return code;
}

/* Whether the stepper is still at the end of the last step of Evolve. */
static bool has_interval(const VidaStepper* stepper) {
  const vida_evolution* evolution = stepper->evolution;
  const size_t n = (size_t)count_of(stepper);
  return evolution->count > 0 && evolution->count == VidaStepper_StepCount(stepper) &&
         !memcmp(evolution->values + 2 * n, VidaStepper_Positions(stepper), n * sizeof(double));
}

/* The cubic polynomial with the positions and velocities of both nodes, and its derivative. */
static void interpolate(const VidaStepper* stepper, double t, double* y) {
  const vida_evolution* evolution = stepper->evolution;
  const int n = count_of(stepper);
  const double *q0 = evolution->values, *v0 = q0 + n, *q1 = v0 + n, *v1 = q1 + n;
  const double h = evolution->t1 - evolution->t0;
  const double s = (t - evolution->t0) / h;
  for (int i = 0; i < n; i++) {
    const double slope = (q1[i] - q0[i]) / h;
    const double a = v0[i] - slope, b = v1[i] - slope;
    y[i] = q0[i] + s * h * (slope + (1.0 - s) * ((1.0 - s) * a - s * b));
    y[n + i] = slope + (1.0 - s) * (1.0 - 3.0 * s) * a + s * (3.0 * s - 2.0) * b;
  }
}

static bool is_at_stop(const VidaStepper* stepper) {
  const double stop = stepper->evolution->stop;
  return isfinite(stop) && is_same_time(VidaStepper_Time(stepper), stop, stepper->full_step);
}

/* Steps until the node is at tout or later, or at the stop time. */
static int reach(VidaStepper* stepper, double tout, VidaEvolveMode mode, VidaError* error) {
  int code = VIDA_SUCCESS;
  if (mode == VIDA_ONE_STEP) {
    return is_at_stop(stepper) ? VIDA_SUCCESS : make_step(stepper, error);
  }
  while (!code && VidaStepper_Time(stepper) < tout &&
         !is_same_time(VidaStepper_Time(stepper), tout, stepper->full_step) &&
         !is_at_stop(stepper)) {
    code = make_step(stepper, error);
  }
  return code;
}

static int refuse_early(const VidaStepper* stepper, double tout, VidaError* error) {
  char asked[VIDA_REAL_TEXT_SIZE], from[VIDA_REAL_TEXT_SIZE];
  const double first = has_interval(stepper) ? stepper->evolution->t0 : VidaStepper_Time(stepper);
  return vida__fail(error, VIDA_BAD_ARGUMENT, "tout = %s s is before the last step, from t = %s s",
                    vida__real_text(asked, tout, 10), vida__real_text(from, first, 10));
}

/* The state at tout, at the stop time, or at the node. */
static int deliver(VidaStepper* stepper, double tout, double* y, double* t, VidaEvolveMode mode,
                   VidaError* error) {
  const double node = VidaStepper_Time(stepper);
  const bool is_node =
      mode == VIDA_ONE_STEP || node < tout || is_same_time(node, tout, stepper->full_step);
  if (is_node) {
    *t = mode == VIDA_NORMAL && is_same_time(node, tout, stepper->full_step) ? tout : node;
    return vida__node_state(stepper, y, error);
  }
  if (!has_interval(stepper) || tout < stepper->evolution->t0) {
    return refuse_early(stepper, tout, error);
  }
  *t = tout;
  interpolate(stepper, tout, y);
  return VIDA_SUCCESS;
}

int vida__evolve(VidaStepper* stepper, double tout, double* y, double* t, VidaEvolveMode mode,
                 VidaError* error) {
  int code = reserve(stepper, error);
  if (code) {
    return code;
  }
  if (!stepper->started) {
    return vida__fail(error, VIDA_WRONG_ORDER, "%s has not been started on system '%s'",
                      stepper->self.method->info.name, stepper->self.model.system->name);
  }
  code = reach(stepper, tout, mode, error);
  if (code) {
    VidaError unused;
    *t = VidaStepper_Time(stepper);
    if (stepper->started) {
      vida__node_state(stepper, y, &unused);
    }
    return code;
  }
  code = deliver(stepper, tout, y, t, mode, error);
  if (is_at_stop(stepper) && !(tout < stepper->evolution->stop && mode == VIDA_NORMAL)) {
    *t = stepper->evolution->stop;
    stepper->evolution->stop = INFINITY;
  }
  return code;
}

/* ---- on vectors ------------------------------------------------------------------------------ */

static int take_state(const VidaStepper* stepper, N_Vector y, double** values, VidaError* error) {
  return vida__take_vector(y, "y", 2 * count_of(stepper), NULL, values, error);
}

int VidaStepper_StartVector(VidaStepper* stepper, sunrealtype t0, N_Vector y, VidaError* error) {
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, stepper, y)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = take_state(stepper, y, &values, error);
  code = code ? code : reserve(stepper, error);
  if (!code) {
    stepper->evolution->count = 0;
    stepper->evolution->stop = INFINITY;
    code = VidaStepper_Start(stepper, t0, values, values + count_of(stepper), error);
  }
  return code;
}

int VidaStepper_GetVector(VidaStepper* stepper, N_Vector y, VidaError* error) {
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, stepper, y)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = take_state(stepper, y, &values, error);
  return code ? code : vida__node_state(stepper, values, error);
}

int VidaStepper_Evolve(VidaStepper* stepper, sunrealtype tout, N_Vector y, sunrealtype* t,
                       VidaEvolveMode mode, VidaError* error) {
  double* values = NULL;
  if (VIDA_REFUSE_NULL(error, stepper, y, t)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (mode != VIDA_NORMAL && mode != VIDA_ONE_STEP) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "mode %d is neither VIDA_NORMAL nor VIDA_ONE_STEP",
                      (int)mode);
  }
  if (mode == VIDA_NORMAL && !isfinite(tout)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "tout is not a finite number");
  }
  const int code = take_state(stepper, y, &values, error);
  return code ? code : vida__evolve(stepper, tout, values, t, mode, error);
}

int VidaStepper_SetStopTime(VidaStepper* stepper, sunrealtype stop, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (isnan(stop) || (stepper->started && stop < VidaStepper_Time(stepper) &&
                      !is_same_time(stop, VidaStepper_Time(stepper), stepper->full_step))) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the stop time is before the time of the stepper");
  }
  const int code = reserve(stepper, error);
  if (!code) {
    stepper->evolution->stop = stop;
  }
  return code;
}
