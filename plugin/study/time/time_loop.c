#include "study/time/time_loop.h"

#include <math.h>
#include <stdlib.h>

#include <vida/event.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/frame.h"
#include "stepper/jumps.h"
#include "study/step_choice.h"

#define SECONDS_BETWEEN_PROGRESS 0.1

int vida__create_time_loop(const VidaSystem* system, const VidaOptions* options,
                           const vida_time_grid* grid, VidaStepper** spare, vida_time_loop* loop,
                           VidaError* error) {
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  *loop = (vida_time_loop){.grid = *grid};
  loop->clock = loop->shown = vida__read_clock();
  loop->deadline.end = INFINITY;
  loop->q = vida__allocate(n, sizeof(double));
  loop->v = vida__allocate(n, sizeof(double));
  if (!loop->q || !loop->v) {
    return vida__fail_memory(error);
  }
  if (spare && *spare) {
    loop->stepper = *spare;
    *spare = NULL;
    return VIDA_SUCCESS;
  }
  return VidaStepper_Create(system, options, &loop->stepper, error);
}

void vida__destroy_time_loop(vida_time_loop* loop) {
  VidaStepper_Destroy(&loop->stepper);
  free(loop->q);
  free(loop->v);
  *loop = (vida_time_loop){0};
}

void vida__leave_time_loop(vida_time_loop* loop, VidaStepper** spare) {
  if (spare && !*spare) {
    *spare = loop->stepper;
    loop->stepper = NULL;
  }
  vida__destroy_time_loop(loop);
}

int vida__start_time_loop(vida_time_loop* loop, const double* q, const double* v,
                          VidaError* error) {
  loop->step = 0;
  loop->wall = 0.0;
  loop->before = (VidaStatistics){0};
  return VidaStepper_StartWithStep(loop->stepper, loop->grid.t0, loop->grid.h, q, v, error);
}

int vida__start_time_loop_two_points(vida_time_loop* loop, const double* q0, const double* q1,
                                     VidaError* error) {
  const int code = VidaStepper_StartTwoPoints(loop->stepper, loop->grid.t0, q0, q1, error);
  if (code == VIDA_SUCCESS) {
    loop->step = 1;
  }
  return code;
}

static VidaStatistics add_statistics(VidaStatistics a, VidaStatistics b) {
  vida__add_statistics(&a, b);
  a.singular_passages += b.singular_passages;
  return a;
}

/* A method with fixed steps cannot change its step: the shorter last step is a new start from the
 * state after the full steps. */
static int start_last_step(vida_time_loop* loop, VidaError* error) {
  const int n = VidaSystem_CoordinateCount(VidaStepper_System(loop->stepper));
  const double* positions = VidaStepper_Positions(loop->stepper);
  for (int i = 0; i < n; i++) {
    loop->q[i] = positions[i];
  }
  if (vida__space_nodes(loop->stepper, loop->grid.last)) {
    vida__count_earlier(loop->stepper, loop->step);
    return VIDA_SUCCESS;
  }
  int code = VidaStepper_Velocities(loop->stepper, loop->v, error);
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const VidaStatistics full = VidaStepper_Statistics(loop->stepper);
  code = VidaStepper_StartWithStep(loop->stepper, vida__time_loop_time(loop), loop->grid.last,
                                   loop->q, loop->v, error);
  if (code == VIDA_SUCCESS) {
    loop->before = full;
    vida__count_earlier(loop->stepper, loop->step);
  }
  return code;
}

static int check_finite(const vida_time_loop* loop, VidaError* error) {
  const VidaSystem* system = VidaStepper_System(loop->stepper);
  const int n = VidaSystem_CoordinateCount(system);
  const double* q = VidaStepper_Positions(loop->stepper);
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += 0.0 * q[i]; /* NaN as soon as one is not finite */
  }
  for (int i = 0; i < n && sum != 0.0; i++) {
    if (!isfinite(q[i])) {
      char t[VIDA_REAL_TEXT_SIZE];
      return vida__fail(error, VIDA_NOT_FINITE,
                        "the step to t = %s gave a value of '%s' that is not a finite number; "
                        "try a smaller step",
                        vida__real_text(t, vida__grid_time(&loop->grid, loop->step), 12),
                        VidaSystem_CoordinateName(system, i));
    }
  }
  return VIDA_SUCCESS;
}

/* The message of the stepper, which has no option of that name, has the time that it reached. */
static void name_limit(const vida_time_loop* loop, VidaError* error) {
  char limit[VIDA_NAME_SIZE], where[VIDA_MESSAGE_SIZE] = "";
  if (error) {
    vida__append(where, sizeof where, "%s", error->message);
    vida__fail(error, VIDA_WALL_LIMIT, "%s: %.300s", vida__describe_limit(&loop->deadline, limit),
               where);
  }
}

/* Makes steps; `is_rejected`: one, which is not calm. */
static int advance(vida_time_loop* loop, long most, bool is_rejected, VidaError* error) {
  int code = VIDA_SUCCESS;
  const long left = loop->grid.full - loop->step;
  long made = 0;
  if (loop->step == loop->grid.full) {
    code = start_last_step(loop, error);
  }
  if (code != VIDA_SUCCESS) {
    return code;
  }
  const double begin = vida__read_clock();
  loop->aside = 0.0;
  if (is_rejected) {
    code = vida__make_step(loop->stepper, error);
    made = code ? 0 : 1;
  } else {
    code = VidaStepper_Steps(loop->stepper, left > 1 && most > 1 ? (most < left ? most : left) : 1,
                             &made, error);
  }
  loop->step += made;
  loop->clock = vida__read_clock();
  loop->wall += loop->clock - begin - loop->aside;
  if (code == VIDA_WALL_LIMIT) {
    name_limit(loop, error);
  } else if (code == VIDA_SUCCESS) {
    code = check_finite(loop, error);
    loop->step -= code ? 1 : 0;
  }
  return code;
}

int vida__advance_time_loop(vida_time_loop* loop, long most, VidaError* error) {
  return advance(loop, most, false, error);
}

int vida__make_rejected_step(vida_time_loop* loop, VidaError* error) {
  return advance(loop, 1, true, error);
}

long vida__advance_time_loops(vida_ensemble* ensemble, vida_time_loop* const* loops, int count,
                              long most, vida_lane_result* results) {
  VidaStepper* steppers[VIDA_LANES];
  for (int k = 0; k < count; k++) {
    const long left = loops[k]->grid.full - loops[k]->step;
    most = most < left ? most : left;
    steppers[k] = loops[k]->stepper;
    results[k] = VIDA_LANE_LEFT;
  }
  if (most == 0) { /* a shorter last step has another length */
    return 0;
  }
  const double begin = vida__read_clock();
  const long made = vida__ensemble_steps(ensemble, steppers, count, most, results);
  const double end = vida__read_clock();
  for (int k = 0; k < count; k++) {
    loops[k]->clock = end;
    loops[k]->wall += (end - begin) / count;
  }
  return made;
}

void vida__pass_joint_step(vida_time_loop* loop) {
  loop->step++;
  loop->joint_steps++;
}

int vida__show_joint_step(vida_ensemble* ensemble, vida_time_loop* loop, int k, long step,
                          VidaError* error) {
  vida__ensemble_show(ensemble, k, step, loop->stepper);
  vida__pass_joint_step(loop);
  const int code = check_finite(loop, error);
  loop->step -= code ? 1 : 0;
  return code;
}

double vida__time_loop_time(const vida_time_loop* loop) {
  return VidaStepper_HasEnded(loop->stepper) ? VidaStepper_Time(loop->stepper)
                                             : vida__grid_time(&loop->grid, loop->step);
}

bool vida__is_time_loop_over(const vida_time_loop* loop) {
  return loop->step >= vida__count_steps(&loop->grid) || VidaStepper_HasEnded(loop->stepper);
}

VidaStatistics vida__time_loop_statistics(const vida_time_loop* loop) {
  if (!loop->stepper) {
    return (VidaStatistics){0};
  }
  return add_statistics(loop->before, VidaStepper_Statistics(loop->stepper));
}

void vida__describe_steps(const VidaOptions* options, char* text, size_t size) {
  const double h = Vida_IsAdaptive(options) ? (double)NAN : VidaOptions_Get(options, "h");
  const vida_step_choice choice = vida__step_choice(h, VidaOptions_Get(options, "rtol"));
  char value[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  vida__append(text, size, "%s, %s = %s%s", VidaOptions_Method(options), choice.name,
               vida__real_text(value, choice.value, 12), choice.unit);
}

/* Reports the progress at the last clock reading, and returns 0 to continue or the code to stop. */
static int look(vida_time_loop* loop) {
  const VidaObserver* observer = loop->observer;
  if (loop->clock >= loop->deadline.end) {
    return VIDA_WALL_LIMIT;
  }
  if (!observer || !observer->progress || loop->clock - loop->shown < SECONDS_BETWEEN_PROGRESS) {
    return VIDA_SUCCESS;
  }
  loop->shown = loop->clock;
  const double fraction = (double)loop->step / (double)vida__count_steps(&loop->grid);
  const int answer = observer->progress(observer->data, loop->run, loop->what, fraction);
  return answer ? VIDA_STOPPED : VIDA_SUCCESS;
}

/* Interrupt function within a step. Reading the clock takes a small fraction of a cheap step: if
 * calls follow each other quickly, only some of them read it. */
static int ask(void* data) {
  enum { MOST_PATIENCE = 16 };
  const double quick = 1e-4, slow = 1e-3;
  vida_time_loop* loop = data;
  if (++loop->asked < loop->patience) {
    return VIDA_SUCCESS;
  }
  const double now = vida__read_clock(), passed = now - loop->clock;
  loop->patience = passed > slow                                      ? 1
                   : passed < quick && loop->patience < MOST_PATIENCE ? 2 * loop->patience
                                                                      : loop->patience;
  loop->asked = 0;
  loop->clock = now;
  const int code = look(loop);
  if (loop->shown == now) {
    loop->clock = vida__read_clock();
    loop->aside += loop->clock - now;
  }
  return code;
}

void vida__observe_time_loop(vida_time_loop* loop, const VidaObserver* observer, int run,
                             const char* what, vida_deadline deadline) {
  loop->observer = observer;
  loop->run = run;
  loop->what = what;
  loop->deadline = deadline;
  loop->asked = 0;
  loop->patience = 1;
  VidaStepper_SetInterrupt(loop->stepper, ask, loop, NULL);
}

int vida__show_progress(vida_time_loop* loop, VidaError* error) {
  char limit[VIDA_NAME_SIZE], t[VIDA_REAL_TEXT_SIZE];
  const int code = look(loop);
  if (code == VIDA_SUCCESS) {
    return code;
  }
  vida__real_text(t, vida__time_loop_time(loop), 12);
  return code == VIDA_WALL_LIMIT
             ? vida__fail(error, code, "%s: %s at t = %s",
                          vida__describe_limit(&loop->deadline, limit), Vida_CodeText(code), t)
             : vida__fail(error, code, "%s at t = %s", Vida_CodeText(code), t);
}
