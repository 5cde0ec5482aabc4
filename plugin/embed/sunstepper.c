/* A VidaStepper as a SUNStepper, for the splitting and forcing methods of ARKODE. */
#include <vida/sundials.h>

#if VIDA_HAS_SUNSTEPPER

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "embed/evolve.h"
#include "embed/vectors.h"
#include "stepper/frame.h"
#include "system/constraints/equations.h"

typedef struct vida_stepper_content {
  VidaStepper* stepper;
  vida_equations* equations; /* for the right-hand side */
  int n;
  bool must_start; /* a reset asks for a start, which waits for the end of the interval */
  double t;        /* of the reset */
  double stop;     /* INFINITY: none */
  double* y;       /* 2 n: the state of the reset */
  double* lambda;  /* m: work */
} vida_stepper_content;

static vida_stepper_content* content_of(SUNStepper sunstepper) {
  void* content = NULL;
  SUNStepper_GetContent(sunstepper, &content);
  return content;
}

static SUNErrCode finish(SUNStepper sunstepper, int code) {
  SUNStepper_SetLastFlag(sunstepper, code);
  return code ? SUN_ERR_OP_FAIL : SUN_SUCCESS;
}

static SUNErrCode reset(SUNStepper sunstepper, sunrealtype t, N_Vector y) {
  vida_stepper_content* own = content_of(sunstepper);
  const double* values = vida__vector_array(y, 2 * own->n);
  if (!values) {
    return finish(sunstepper, VIDA_BAD_ARGUMENT);
  }
  memcpy(own->y, values, 2 * (size_t)own->n * sizeof *values);
  own->t = t;
  own->stop = INFINITY;
  own->must_start = true;
  return finish(sunstepper, VIDA_SUCCESS);
}

/* Starts at the state of the last reset, with steps that divide the interval up to `end`. */
static int start_towards(vida_stepper_content* own, double end) {
  if (!own->must_start) {
    return VIDA_SUCCESS;
  }
  int code = VidaStepper_SetStopTime(own->stepper, INFINITY, NULL);
  code = code ? code : vida__start_towards(own->stepper, own->t, end, own->y, NULL);
  own->must_start = code != VIDA_SUCCESS;
  return code;
}

static SUNErrCode advance(SUNStepper sunstepper, sunrealtype tout, N_Vector y, sunrealtype* t,
                          VidaEvolveMode mode) {
  vida_stepper_content* own = content_of(sunstepper);
  double* values = vida__vector_array(y, 2 * own->n);
  if (!values || !t || !isfinite(tout)) {
    return finish(sunstepper, VIDA_BAD_ARGUMENT);
  }
  int code = start_towards(own, fmin(tout, own->stop));
  if (!code && isfinite(own->stop)) {
    code = VidaStepper_SetStopTime(own->stepper, own->stop, NULL);
  }
  return finish(sunstepper, code ? code : vida__evolve(own->stepper, tout, values, t, mode, NULL));
}

static SUNErrCode evolve(SUNStepper sunstepper, sunrealtype tout, N_Vector y, sunrealtype* t) {
  return advance(sunstepper, tout, y, t, VIDA_NORMAL);
}

static SUNErrCode one_step(SUNStepper sunstepper, sunrealtype tout, N_Vector y, sunrealtype* t) {
  return advance(sunstepper, tout, y, t, VIDA_ONE_STEP);
}

static SUNErrCode full_rhs(SUNStepper sunstepper, sunrealtype t, N_Vector y, N_Vector rate,
                           SUNFullRhsMode mode) {
  vida_stepper_content* own = content_of(sunstepper);
  const double* values = vida__vector_array(y, 2 * own->n);
  double* rates = vida__vector_array(rate, 2 * own->n);
  (void)mode;
  if (!values || !rates) {
    return finish(sunstepper, VIDA_BAD_ARGUMENT);
  }
  int code = vida__equations_mark(own->equations, t, values, values + own->n);
  code = code ? code
              : vida__equations_find(own->equations, t, values, values + own->n, NULL,
                                     rates + own->n, own->lambda);
  memcpy(rates, values + own->n, (size_t)own->n * sizeof *rates);
  return finish(sunstepper, code);
}

static SUNErrCode set_stop_time(SUNStepper sunstepper, sunrealtype stop) {
  if (isnan(stop)) {
    return finish(sunstepper, VIDA_BAD_ARGUMENT);
  }
  content_of(sunstepper)->stop = stop;
  return finish(sunstepper, VIDA_SUCCESS);
}

static SUNErrCode set_direction(SUNStepper sunstepper, sunrealtype direction) {
  return finish(sunstepper, direction < 0.0 ? VIDA_NOT_SUPPORTED : VIDA_SUCCESS);
}

#if SUNDIALS_VERSION_MAJOR > 7 || SUNDIALS_VERSION_MINOR >= 3
static SUNErrCode count_steps(SUNStepper sunstepper, suncountertype* count) {
  *count = VidaStepper_Statistics(content_of(sunstepper)->stepper).steps;
  return SUN_SUCCESS;
}
#endif

static void destroy_content(vida_stepper_content* own) {
  if (own) {
    vida__equations_destroy(&own->equations);
    free(own->y);
    free(own->lambda);
    free(own);
  }
}

static SUNErrCode destroy(SUNStepper sunstepper) {
  destroy_content(content_of(sunstepper));
  SUNStepper_SetContent(sunstepper, NULL);
  return SUN_SUCCESS;
}

static int create_content(VidaStepper* stepper, vida_stepper_content** content, VidaError* error) {
  const VidaSystem* system = stepper->self.model.system;
  vida_stepper_content* own = vida__allocate(1, sizeof *own);
  *content = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  own->stepper = stepper;
  own->n = system->coordinate_count;
  own->stop = INFINITY;
  own->y = vida__allocate(2 * (size_t)own->n, sizeof *own->y);
  own->lambda = vida__allocate((size_t)system->row_count, sizeof *own->lambda);
  if (!own->y || !own->lambda) {
    return vida__fail_memory(error);
  }
  const int code = vida__equations_create(system, VIDA_SOLVER_AUTO, &own->equations, error);
  return code ? code : vida__equations_condense(own->equations, error);
}

static int set_functions(SUNStepper sunstepper, vida_stepper_content* own) {
#if SUNDIALS_VERSION_MAJOR > 7 || SUNDIALS_VERSION_MINOR >= 3
  if (SUNStepper_SetGetNumStepsFn(sunstepper, count_steps)) {
    return VIDA_SOLVER_FAILED;
  }
#endif
  const bool has_failed =
      SUNStepper_SetContent(sunstepper, own) || SUNStepper_SetEvolveFn(sunstepper, evolve) ||
      SUNStepper_SetOneStepFn(sunstepper, one_step) ||
      SUNStepper_SetFullRhsFn(sunstepper, full_rhs) || SUNStepper_SetReInitFn(sunstepper, reset) ||
      SUNStepper_SetResetFn(sunstepper, reset) ||
      SUNStepper_SetStopTimeFn(sunstepper, set_stop_time) ||
      SUNStepper_SetStepDirectionFn(sunstepper, set_direction) ||
      SUNStepper_SetDestroyFn(sunstepper, destroy);
  return has_failed ? VIDA_SOLVER_FAILED : VIDA_SUCCESS;
}

int VidaStepper_CreateSUNStepper(VidaStepper* stepper, SUNContext context, SUNStepper* created,
                                 VidaError* error) {
  if (VIDA_REFUSE_NULL(error, created)) {
    return VIDA_BAD_ARGUMENT;
  }
  *created = NULL;
  if (VIDA_REFUSE_NULL(error, stepper, context)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_stepper_content* own = NULL;
  int code = create_content(stepper, &own, error);
  if (!code && (SUNStepper_Create(context, created) || set_functions(*created, own))) {
    code = vida__fail(error, VIDA_SOLVER_FAILED, "the SUNStepper could not be set up");
  }
  if (code) {
    if (*created) {
      SUNStepper_SetDestroyFn(*created, NULL);
      SUNStepper_Destroy(created);
    }
    destroy_content(own);
  }
  return code;
}

#else

typedef int vida__no_sunstepper; /* ISO C has no empty files */

#endif
