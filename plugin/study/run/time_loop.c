#include "study/run/time_loop.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/jumps.h"

#define SECONDS_BETWEEN_PROGRESS 0.1

int vida__create_march(const VidaSystem* system, const VidaOptions* options,
                       const vida_time_grid* grid, vida_march* march, VidaError* error) {
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  *march = (vida_march){.grid = *grid};
  march->clock = march->shown = vida__read_clock();
  march->deadline.end = INFINITY;
  march->q = vida__allocate(n, sizeof(double));
  march->v = vida__allocate(n, sizeof(double));
  if (!march->q || !march->v) {
    return vida__fail_memory(error);
  }
  return VidaStepper_Create(system, options, &march->stepper, error);
}

void vida__destroy_march(vida_march* march) {
  VidaStepper_Destroy(&march->stepper);
  free(march->q);
  free(march->v);
  *march = (vida_march){0};
}

int vida__start_march(vida_march* march, const double* q, const double* v, VidaError* error) {
  march->step = 0;
  march->wall = 0.0;
  march->before = (VidaStatistics){0};
  return VidaStepper_Start(march->stepper, march->grid.t0, q, v, error);
}

int vida__start_march_two_points(vida_march* march, const double* q0, const double* q1,
                                 VidaError* error) {
  const int code = VidaStepper_StartTwoPoints(march->stepper, march->grid.t0, q0, q1, error);
  if (code == VIDA_SUCCESS) {
    march->step = 1;
  }
  return code;
}

static VidaStatistics add_statistics(VidaStatistics a, VidaStatistics b) {
  a.steps += b.steps;
  a.rejected_steps += b.rejected_steps;
  a.newton_iterations += b.newton_iterations;
  a.residual_evaluations += b.residual_evaluations;
  a.jacobian_evaluations += b.jacobian_evaluations;
  a.factorizations += b.factorizations;
  a.singular_passages += b.singular_passages;
  a.forced_steps += b.forced_steps;
  return a;
}

/* A fixed-step method has no other step size than its own: the rest of the time is a new start from
 * the state that the full steps reached. */
static int start_last_step(vida_march* march, VidaError* error) {
  const int n = VidaSystem_CoordinateCount(VidaStepper_System(march->stepper));
  const double* positions = VidaStepper_Positions(march->stepper);
  for (int i = 0; i < n; i++) {
    march->q[i] = positions[i];
  }
  if (vida__space_nodes(march->stepper, march->grid.last)) {
    vida__count_earlier(march->stepper, march->step);
    return VIDA_SUCCESS;
  }
  int code = VidaStepper_Velocities(march->stepper, march->v, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const VidaStatistics full = VidaStepper_Statistics(march->stepper);
  code = VidaStepper_StartWithStep(march->stepper, vida__march_time(march), march->grid.last,
                                   march->q, march->v, error);
  if (code == VIDA_SUCCESS) {
    march->before = full;
    vida__count_earlier(march->stepper, march->step);
  }
  return code;
}

static int check_finite(const vida_march* march, VidaError* error) {
  const VidaSystem* system = VidaStepper_System(march->stepper);
  const int n = VidaSystem_CoordinateCount(system);
  const double* q = VidaStepper_Positions(march->stepper);
  for (int i = 0; i < n; i++) {
    if (!isfinite(q[i])) {
      char t[VIDA_REAL_TEXT_SIZE];
      return vida__fail(error, VIDA_NOT_FINITE,
                        "the step to t = %s gave a value of '%s' that is not a finite number; "
                        "try a smaller step",
                        vida__real_text(t, vida__grid_time(&march->grid, march->step + 1), 12),
                        VidaSystem_CoordinateName(system, i));
    }
  }
  return VIDA_SUCCESS;
}

/* The stepper, which has no option of that name, has said how far it came. */
static void name_limit(const vida_march* march, VidaError* error) {
  char limit[VIDA_NAME_SIZE], where[VIDA_MESSAGE_SIZE] = "";
  if (error) {
    vida__append(where, sizeof where, "%s", error->message);
    vida__fail(error, VIDA_WALL_LIMIT, "%s: %.300s", vida__describe_limit(&march->deadline, limit),
               where);
  }
}

int vida__advance_march(vida_march* march, VidaError* error) {
  int code = VIDA_SUCCESS;
  if (march->step == march->grid.full) {
    code = start_last_step(march, error);
  }
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const double begin = vida__read_clock();
  march->aside = 0.0;
  code = VidaStepper_Step(march->stepper, error);
  march->clock = vida__read_clock();
  march->wall += march->clock - begin - march->aside;
  if (code == VIDA_WALL_LIMIT) {
    name_limit(march, error);
  } else if (code == VIDA_SUCCESS) {
    code = check_finite(march, error);
  }
  if (code == VIDA_SUCCESS) {
    march->step += 1;
  }
  return code;
}

double vida__march_time(const vida_march* march) {
  return vida__grid_time(&march->grid, march->step);
}

VidaStatistics vida__march_statistics(const vida_march* march) {
  if (!march->stepper) {
    return (VidaStatistics){0};
  }
  return add_statistics(march->before, VidaStepper_Statistics(march->stepper));
}

void vida__describe_steps(const VidaOptions* options, char* text, size_t size) {
  const bool adaptive = Vida_IsAdaptive(options);
  const char* name = adaptive ? "rtol" : "h";
  char value[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  vida__append(text, size, "%s, %s = %s%s", VidaOptions_Method(options), name,
               vida__real_text(value, VidaOptions_Get(options, name), 12), adaptive ? "" : " s");
}

/* Whether to go on at the time that the clock has shown last. */
static int look(vida_march* march) {
  const VidaObserver* observer = march->observer;
  if (march->clock >= march->deadline.end) {
    return VIDA_WALL_LIMIT;
  }
  if (!observer || !observer->progress || march->clock - march->shown < SECONDS_BETWEEN_PROGRESS) {
    return VIDA_SUCCESS;
  }
  march->shown = march->clock;
  const double fraction = (double)march->step / (double)vida__count_steps(&march->grid);
  const int answer = observer->progress(observer->data, march->run, march->what, fraction);
  return answer ? VIDA_STOPPED : VIDA_SUCCESS;
}

/* Within a step. Reading the clock takes as long as a small part of a cheap step: while questions
 * follow each other quickly, not each of them reads it. */
static int ask(void* data) {
  enum { MOST_PATIENCE = 16 };
  const double quick = 1e-4, slow = 1e-3;
  vida_march* march = data;
  if (++march->asked < march->patience) {
    return VIDA_SUCCESS;
  }
  const double now = vida__read_clock(), passed = now - march->clock;
  march->patience = passed > slow                                       ? 1
                    : passed < quick && march->patience < MOST_PATIENCE ? 2 * march->patience
                                                                        : march->patience;
  march->asked = 0;
  march->clock = now;
  const int code = look(march);
  if (march->shown == now) {
    march->clock = vida__read_clock();
    march->aside += march->clock - now;
  }
  return code;
}

void vida__watch_march(vida_march* march, const VidaObserver* observer, int run, const char* what,
                       vida_deadline deadline) {
  march->observer = observer;
  march->run = run;
  march->what = what;
  march->deadline = deadline;
  march->asked = 0;
  march->patience = 1;
  VidaStepper_SetInterrupt(march->stepper, ask, march, NULL);
}

int vida__show_progress(vida_march* march, VidaError* error) {
  char limit[VIDA_NAME_SIZE], t[VIDA_REAL_TEXT_SIZE];
  const int code = look(march);
  if (code == VIDA_SUCCESS) {
    return code;
  }
  vida__real_text(t, vida__march_time(march), 12);
  return code == VIDA_WALL_LIMIT
             ? vida__fail(error, code, "%s: %s at t = %s",
                          vida__describe_limit(&march->deadline, limit), Vida_CodeText(code), t)
             : vida__fail(error, code, "%s at t = %s", Vida_CodeText(code), t);
}
