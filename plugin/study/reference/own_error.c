/* The estimated error of a reference, from a second solution with other settings. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "solve/butcher_tables.h"
#include "study/reference/reference.h"
#include "study/time/time_loop.h"
#include "system/model/model.h"

void vida__update_extent(const VidaStudy* study, const vida_time_loop* loop, double* extent) {
  const double* q = VidaStepper_Positions(loop->stepper);
  *extent = fmax(
      *extent, vida__difference_norm(q, study->q0, vida__measured_count(study), study->selection));
}

/* The second solution. */
typedef struct estimate {
  vida_error_norm norm;  /* of the differences, that of the study */
  vida_error_norm plain; /* of their 2-norms, neither by components nor mixed */
  double extent;         /* of the motion of the second solution */
} estimate;

static void start_estimate(const VidaStudy* study, estimate* made) {
  const bool is_mixed = study->norm == VIDA_NORM_MIXED;
  *made = (estimate){.extent = 0.0};
  vida__start_norm(&made->norm, study->norm, vida__measured_count(study));
  vida__start_norm(&made->plain, is_mixed ? VIDA_NORM_END : study->norm, 1);
}

/* `between` steps of the reference take as long as one step of the second solution. */
static int run_estimate_loop(VidaStudy* study, vida_time_loop* loop, long between, estimate* made,
                             VidaError* error) {
  vida_reference* reference = study->reference;
  const int n = VidaSystem_CoordinateCount(study->system);
  const int length = vida__measured_count(study);
  long cursor = 0;
  int code = vida__start_time_loop(loop, study->q0, study->v0, error);
  while (code == VIDA_SUCCESS && !vida__is_time_loop_over(loop)) {
    code = vida__advance_time_loop(loop, 1, error);
    if (code == VIDA_SUCCESS) {
      vida__update_extent(study, loop, &made->extent);
    }
    const long step =
        VidaStepper_HasEnded(loop->stepper) ? VIDA_END_BY_EVENT : between * loop->step;
    const long state = vida__find_state(reference, step, &cursor);
    if (code == VIDA_SUCCESS && state >= 0) {
      const double* q = reference->q + (size_t)state * (size_t)n;
      const double* rough = VidaStepper_Positions(loop->stepper);
      const double size = vida__difference_norm(q, NULL, length, study->selection);
      vida__add_sample(&made->norm,
                       vida__study_difference(study, rough, q, length, study->selection), size);
      vida__add_sample(&made->plain, vida__difference_norm(rough, q, length, study->selection),
                       size);
    }
    if (code == VIDA_SUCCESS) {
      code = vida__show_progress(loop, error);
    }
  }
  return code;
}

/* What the second solution is made with, and by what its difference from the reference is divided.
 *
 * An error C h^p makes the solutions with 2h and h differ by (2^p - 1) C h^p. Errors of adaptive
 * methods go with a power of the tolerance between 0.8 and 1 as a rule: ten times the tolerance,
 * and a difference of 5 to 9 errors, of which the smaller is taken. Where the states that are given
 * out bound the steps, half of them double these.
 *
 * An embedded pair may be blind: the estimate of fehlberg, 41/840 (k1 + k11 - k12 - k13), is zero
 * for forces of time alone (Hairer, Norsett, Wanner I, sec. II.5), whatever the tolerance. Where
 * the reference has such a pair, another one solves at the same tolerance, and the whole difference
 * counts: it bounds the larger of both errors. */
typedef struct rougher {
  const char* option;
  double value, divisor;
  const char* integrator; /* NULL: that of the reference */
  long between;
  vida_time_grid grid;
} rougher;

/* Returns another embedded pair than that of the reference; NULL if the reference has none. */
static const char* find_other_pair(const VidaOptions* options) {
  for (int i = 0; i < VIDA_INTEGRATOR_COUNT; i++) {
    const vida_integrator integrator = (vida_integrator)i;
    const bool is_pair = vida__integrator_is_adaptive(integrator) &&
                         !vida__integrator_is_multistep(integrator) &&
                         !vida__integrator_is_implicit(integrator);
    if (is_pair &&
        VidaOptions_HasChoice(options, "integrator", vida__integrator_name(integrator))) {
      return vida__integrator_name(integrator == VIDA_INTEGRATOR_VERNER
                                       ? VIDA_INTEGRATOR_DORMAND_PRINCE
                                       : VIDA_INTEGRATOR_VERNER);
    }
  }
  return NULL;
}

static bool find_rougher(const vida_reference* reference, rougher* than) {
  *than = (rougher){.grid = reference->grid, .between = 1};
  if (reference->adaptive) {
    than->integrator = find_other_pair(reference->options);
    than->option = "rtol";
    than->value = (than->integrator ? 1.0 : 10.0) * VidaOptions_Get(reference->options, "rtol");
    than->divisor = than->integrator ? 1.0 : 5.0;
    if (reference->grid.last == 0.0 && reference->grid.full % 2 == 0) {
      than->grid.h *= 2.0;
      than->grid.full /= 2;
      than->between = 2;
    }
    return true;
  }
  if (reference->grid.last > 0.0 || reference->grid.full % 2 != 0 || reference->order < 1) {
    return false;
  }
  than->option = "h";
  than->value = than->grid.h *= 2.0;
  than->grid.full /= 2;
  than->between = 2;
  than->divisor = ldexp(1.0, reference->order) - 1.0;
  return true;
}

/* Returns whether an own error (2-norm) is as large as the motion, which is that of the solution
 * that moves less: one that has diverged moves farther. What tolerances leave of a system at rest
 * is neither motion nor error. */
static bool is_as_large_as_motion(const VidaStudy* study, const estimate* made, double error) {
  static const double least_part = 1e-8, tolerances = 10.0;
  const vida_reference* reference = study->reference;
  const double rtol = reference->adaptive ? VidaOptions_Get(reference->options, "rtol") : 0.0;
  double size = made->plain.size_max;
  for (int r = 0; r < VidaSystem_ConstraintCount(study->system); r++) {
    size = fmax(size, study->system->rows[r].length);
  }
  return error > fmax(least_part, tolerances * rtol) * size &&
         error >= fmin(reference->extent, made->extent);
}

int vida__estimate_reference(VidaStudy* study, const VidaObserver* observer, vida_deadline deadline,
                             VidaError* error) {
  /* The second pair has a lower order and needs more steps. */
  static const double more_steps = 10.0;
  vida_reference* reference = study->reference;
  rougher than;
  if (!find_rougher(reference, &than)) {
    return VIDA_SUCCESS;
  }
  estimate made;
  start_estimate(study, &made);
  VidaOptions* options = NULL;
  vida_time_loop loop = {0};
  VidaError problem = {0};
  int code = VidaOptions_Copy(reference->options, &options, &problem);
  if (code == VIDA_SUCCESS) {
    code = VidaOptions_SetReal(options, than.option, than.value, &problem);
  }
  if (code == VIDA_SUCCESS && than.integrator) {
    code = VidaOptions_SetText(options, "integrator", than.integrator, &problem);
    code = code ? code
                : VidaOptions_SetReal(options, "max_steps",
                                      more_steps * VidaOptions_Get(options, "max_steps"), &problem);
  }
  if (code == VIDA_SUCCESS) {
    code = VidaOptions_SetReal(options, "h", than.grid.h, &problem);
  }
  if (code == VIDA_SUCCESS) {
    code = vida__create_time_loop(study->system, options, &than.grid, NULL, &loop, &problem);
  }
  if (code == VIDA_SUCCESS) {
    vida__observe_time_loop(&loop, observer, VIDA_REFERENCE_RUN, "the reference's own error",
                            deadline);
    code = run_estimate_loop(study, &loop, than.between, &made, &problem);
  }
  if (code == VIDA_SUCCESS) {
    reference->position_error = vida__norm_value(&made.norm, study->relative) / than.divisor;
    reference->is_rough =
        is_as_large_as_motion(study, &made, vida__norm_value(&made.plain, false) / than.divisor);
  }
  vida__destroy_time_loop(&loop);
  VidaOptions_Destroy(&options);
  if (code != VIDA_STOPPED) {
    return VIDA_SUCCESS;
  }
  if (error) {
    *error = problem;
  }
  return code;
}
