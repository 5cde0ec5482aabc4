#include "methods/reference/one_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

const double vida__largest_shrink = 0.2;

/* Fails with a code of the equations in a step from the node to `end`. */
static int refuse(vida_ode* ode, int code, double end) {
  ode->failure = code;
  ode->refused_t = end;
  ode->counts.rejected++;
  return VIDA_FLAG_RATE;
}

static int check_interrupt(const vida_ode* ode) {
  return ode->functions.interrupted ? ode->functions.interrupted(ode->data, ode->node_t)
                                    : VIDA_SUCCESS;
}

/* Takes own->end at t for the new node, after what happens at the end of a step. */
static int finish(vida_ode* ode, double t) {
  const vida_one_step* own = ode->memory;
  double* y = N_VGetArrayPointer(ode->y);
  const size_t bytes = (size_t)ode->size * sizeof *y;
  memcpy(y, own->end, bytes);
  if (vida__ode_finish_step(ode, t, y)) {
    ode->counts.rejected++;
    return VIDA_FLAG_RATE;
  }
  if (own->class->keep) {
    own->class->keep(ode, t, y);
  }
  vida__exchange(&ode->node, &ode->previous);
  ode->previous_t = ode->node_t;
  ode->node_t = ode->reached = t;
  memcpy(ode->node, y, bytes);
  ode->counts.steps++;
  return VIDA_FLAG_SUCCESS;
}

static int step_adaptively(vida_ode* ode) {
  vida_one_step* own = ode->memory;
  const double t = ode->node_t;
  bool was_rejected = false;
  vida__ode_weigh(ode->y, ode->weight, ode);
  for (;;) {
    const double h = own->h;
    bool is_accepted = false;
    if (!(h > 16.0 * DBL_EPSILON * fabs(t)) || !(t + h > t)) {
      return VIDA_FLAG_ERROR_TEST;
    }
    int code = check_interrupt(ode);
    code = code ? code : own->class->attempt(ode, was_rejected, &is_accepted);
    if (code) {
      return refuse(ode, code, t + h);
    }
    if (is_accepted) {
      return finish(ode, t + h);
    }
    ode->counts.rejected++;
    was_rejected = true;
  }
}

static int step_fixed(vida_ode* ode, double towards) {
  const vida_one_step* own = ode->memory;
  int code = check_interrupt(ode);
  code = code ? code : own->class->make(ode, towards - ode->node_t);
  return code ? refuse(ode, code, towards) : finish(ode, towards);
}

int vida__one_step_begin(vida_ode* ode, double t, double step, double stop) {
  vida_one_step* own = ode->memory;
  (void)stop;
  ode->node_t = t;
  own->h = step;
  return VIDA_FLAG_SUCCESS;
}

int vida__one_step_step(vida_ode* ode, double towards) {
  const vida_one_step* own = ode->memory;
  if (ode->is_warming) {
    ode->node_t = towards;
    return VIDA_FLAG_SUCCESS;
  }
  ode->reached = ode->node_t;
  /* For the weights; a look at a node has changed it. */
  memcpy(N_VGetArrayPointer(ode->y), ode->node, (size_t)ode->size * sizeof *ode->node);
  const int code = own->class->prepare ? own->class->prepare(ode) : VIDA_SUCCESS;
  if (code) {
    return refuse(ode, code, ode->node_t + own->h);
  }
  return ode->settings.adaptive ? step_adaptively(ode) : step_fixed(ode, towards);
}

bool vida__one_step_is_refused(int flag) {
  return flag == VIDA_FLAG_RATE;
}

/* Makes another step from the beginning of the last one to t, which is not counted. */
static int look_between(vida_ode* ode, double t) {
  const vida_one_step* own = ode->memory;
  const vida_ode_counts counts = ode->counts;
  double* y = N_VGetArrayPointer(ode->y);
  int code = own->class->make_again(ode, t - ode->previous_t);
  memcpy(y, own->end, (size_t)ode->size * sizeof *y);
  ode->is_between = true;
  code = code ? refuse(ode, code, t) : vida__ode_finish_step(ode, t, y) ? VIDA_FLAG_RATE : 0;
  ode->is_between = false;
  ode->counts = counts;
  memcpy(ode->there, y, (size_t)ode->size * sizeof *y);
  return code;
}

int vida__one_step_interpolate(vida_ode* ode, double t) {
  if (t != ode->node_t && !ode->is_warming) {
    return look_between(ode, t);
  }
  memcpy(ode->there, ode->node, (size_t)ode->size * sizeof *ode->node);
  return VIDA_FLAG_SUCCESS;
}

void vida__one_step_count(vida_ode* ode) {
  (void)ode; /* the counts are always up to date */
}

const char* vida__one_step_flag_name(int flag) {
  return flag == VIDA_FLAG_TOO_MUCH_WORK ? "TOO_MUCH_WORK"
         : flag == VIDA_FLAG_ERROR_TEST  ? "STEP_TOO_SMALL"
                                         : ""; /* that of the code */
}
