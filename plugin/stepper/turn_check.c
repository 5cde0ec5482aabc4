/* Turns of constraints that a step does not resolve.
 *
 * Along the motion, the gradients of constraints change at the rate K = (G v)_q. A step with
 * polynomials of low degree has other solutions than the motion if a gradient turns far in it: then
 * its change does not follow from K at both nodes. A mechanism may also turn back in the middle of
 * a step, as on an elastic wall, where it should have passed a configuration of very fast motion:
 * the velocities are then reversed against the accelerations at both nodes, or the turn is larger
 * than these velocities allow. All of this keeps the energy and the constraints.
 *
 * The gradients at three nodes, which the steps need, show whether a turn is suspicious. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/branch_watch.h"

/* Squared angles (rad^2): the turn in a step, and its change from the step before, that are not
 * suspicious; the product of two turns back, at the rates of both nodes. */
static const double unsuspicious_turn = 0.0025;
static const double unsuspicious_change = 0.001;
static const double least_reversal = 0.001;
/* The part of a reversal of velocities that accelerations of the opposite sense must have. */
static const double least_contradiction = 0.25;

/* rad, by the degree of the polynomials: turns by more than 1.6, 2.4 and 3 rad. */
static const double turn_limits[] = {0.0, 0.35, 1.0, 1.8};

void vida__limit_turns(VidaIntegration* self, int degree) {
  self->turn_limit = self->model.system->constant_mass ? turn_limits[degree < 3 ? degree : 3] : 0.0;
}

/* The entries of one row: what their squares and products sum up to. */
typedef struct row_sums {
  double size, turn, change;
} row_sums;

/* Returns whether the step solves for momenta on the hidden constraints, with multipliers of their
 * own, and keeps the energy with them. */
static bool solves_for_velocities(const VidaIntegration* self) {
  const unsigned both = VIDA_CAN_ENERGY | VIDA_CAN_VELOCITY_LEVEL;
  return (self->method->info.capabilities & both) == both;
}

static bool is_unsuspicious(const VidaIntegration* self, const double* after, bool has_before) {
  const VidaSystem* system = self->model.system;
  const vida_jacobian_entry* entry = system->entries;
  const double *now = self->implicit.entries0, *before = self->implicit.entries_before;
  for (int e = 0; e < system->entry_count;) {
    const int row = entry[e].row;
    row_sums sum = {0.0, 0.0, 0.0};
    for (; e < system->entry_count && entry[e].row == row; e++) {
      const double turn = after[e] - now[e];
      const double change = has_before ? turn - (now[e] - before[e]) : 0.0;
      sum.size += after[e] * after[e];
      sum.turn += turn * turn;
      sum.change += change * change;
    }
    if (sum.turn > unsuspicious_turn * sum.size || sum.change > unsuspicious_change * sum.size) {
      return false;
    }
  }
  return has_before;
}

/* Work space of the watch, which it does not need between two looks. */
typedef struct turn_work {
  double *v0, *v1, *pull;   /* n: velocities at both nodes, h times the mean acceleration of both */
  double *rate0, *rate1;    /* entries of K at both nodes */
  double *changed, *pulled; /* entries of K at the end, of the change of velocities and of `pull` */
} turn_work;

static turn_work take_work(VidaIntegration* self, vida_watch* watch) {
  return (turn_work){watch->x,          watch->y,     watch->step,       watch->between,
                     watch->difference, watch->ahead, self->work.entries};
}

static int find_velocities(VidaIntegration* self, const double* p, const double* p_low, double* v) {
  for (int i = 0; i < self->model.n; i++) {
    v[i] = p[i] + p_low[i];
  }
  return vida__solve_mass(self, v, v);
}

/* Computes velocities and K at both nodes; `kept` is the state at the first one (frame.h). */
static int find_rates(VidaIntegration* self, const double* kept, const turn_work* work) {
  const int n = self->model.n;
  const double t = vida__node_time(self), t1 = vida__next_time(self);
  int code = find_velocities(self, kept + 2 * n, kept + 3 * n, work->v0);
  code = code ? code : find_velocities(self, self->node.p, self->node.p_low, work->v1);
  code =
      code ? code : vida__velocity_gradient(&self->model.evaluator, t, kept, work->v0, work->rate0);
  return code ? code
              : vida__velocity_gradient(&self->model.evaluator, t1, self->node.q, work->v1,
                                        work->rate1);
}

/* Returns the row whose gradient turns farther than K at both nodes explains, or -1. */
static int find_far_turn(const VidaIntegration* self, const double* after, const turn_work* work) {
  const VidaSystem* system = self->model.system;
  const vida_jacobian_entry* entry = system->entries;
  const double half = 0.5 * self->node.h, limit = self->turn_limit * self->turn_limit;
  for (int e = 0; e < system->entry_count;) {
    const int row = entry[e].row;
    double size = 0.0, left = 0.0;
    for (; e < system->entry_count && entry[e].row == row; e++) {
      const double explained = half * (work->rate0[e] + work->rate1[e]);
      const double rest = after[e] - self->implicit.entries0[e] - explained;
      size += after[e] * after[e];
      left += rest * rest;
    }
    if (left > limit * size) {
      return row;
    }
  }
  return -1;
}

/* Returns a * b, summed over the entries of a row from `first` on. */
static double find_row_product(const VidaSystem* system, int first, const double* a,
                               const double* b) {
  double sum = 0.0;
  for (int e = first;
       e < system->entry_count && system->entries[e].row == system->entries[first].row; e++) {
    sum += a[e] * b[e];
  }
  return sum;
}

/* Returns the first entry, from `e` on, of a row that turns back; entry_count if none does. */
static int find_reversal(const VidaIntegration* self, const double* after, const turn_work* work,
                         int e) {
  const VidaSystem* system = self->model.system;
  const double square = self->node.h * self->node.h;
  for (; e < system->entry_count; e++) {
    const bool begins = e == 0 || system->entries[e].row != system->entries[e - 1].row;
    if (begins && -square * find_row_product(system, e, work->rate0, work->rate1) >
                      least_reversal * find_row_product(system, e, after, after)) {
      break;
    }
  }
  return e;
}

/* Returns whether the row from entry `e` on, which turns back, turns farther in one sense than at
 * the rate in this sense at one of the nodes. Under accelerations of one sense, it does not. */
static bool is_thrown(const VidaIntegration* self, const double* after, const turn_work* work,
                      int e) {
  const VidaSystem* system = self->model.system;
  const double *rate[] = {work->rate0, work->rate1}, *now = self->implicit.entries0;
  bool is_far = false;
  for (int k = 0; k < 2; k++) {
    const double along =
        find_row_product(system, e, after, rate[k]) - find_row_product(system, e, now, rate[k]);
    is_far = is_far || along > self->node.h * find_row_product(system, e, rate[k], rate[k]);
  }
  return is_far;
}

/* Computes K, which is linear in the velocities, of their change and of h times the mean of the
 * accelerations at both nodes. */
static int find_pull(VidaIntegration* self, const double* kept, const turn_work* work) {
  const int n = self->model.n;
  const double t = vida__node_time(self), t1 = vida__next_time(self);
  double *a = self->work.dq, *lambda = self->work.g_work;
  int code = vida__accelerations(self, t, kept, work->v0, work->pull, lambda);
  code = code ? code : vida__accelerations(self, t1, self->node.q, work->v1, a, lambda);
  for (int i = 0; i < n && !code; i++) {
    work->pull[i] = 0.5 * self->node.h * (work->pull[i] + a[i]);
    work->v1[i] -= work->v0[i];
  }
  code = code ? code
              : vida__velocity_gradient(&self->model.evaluator, t1, self->node.q, work->v1,
                                        work->changed);
  return code ? code
              : vida__velocity_gradient(&self->model.evaluator, t1, self->node.q, work->pull,
                                        work->pulled);
}

/* Returns a row that turns back, but not as rates and accelerations at both nodes do, or -1. */
static int find_false_reversal(VidaIntegration* self, const double* kept, const double* after,
                               const turn_work* work) {
  const VidaSystem* system = self->model.system;
  const int first = find_reversal(self, after, work, 0);
  for (int e = first; e < system->entry_count; e = find_reversal(self, after, work, e + 1)) {
    if (is_thrown(self, after, work, e)) {
      return system->entries[e].row;
    }
  }
  if (first == system->entry_count || find_pull(self, kept, work)) {
    return -1;
  }
  for (int e = first; e < system->entry_count; e = find_reversal(self, after, work, e + 1)) {
    const double along = find_row_product(system, e, work->changed, work->pulled);
    const double change = find_row_product(system, e, work->changed, work->changed);
    if (-along > least_contradiction * change) {
      return system->entries[e].row;
    }
  }
  return -1;
}

static int fail_turn(const VidaStepper* stepper, int row, const char* how, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], smaller[VIDA_MESSAGE_SIZE / 4] = "";
  vida__append_smaller(stepper, smaller, sizeof smaller);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_TURN_TOO_FAR,
                         "%s: constraint '%s' %s, so the solution need not be the motion; the %s",
                         vida__name_step(&stepper->self, step),
                         stepper->self.model.system->rows[row].name, how, smaller);
}

int vida__check_turn(VidaStepper* stepper, VidaError* error) {
  VidaIntegration* self = &stepper->self;
  vida_watch* watch = vida__is_stage(stepper) ? stepper->outer->watch : stepper->watch;
  const double* after;
  if (!(self->turn_limit > 0.0) || !watch || self->model.system->time_dependent ||
      vida__jacobian_after_step(self, vida__next_time(self), &after) ||
      is_unsuspicious(self, after, self->implicit.history.count > 1)) {
    return VIDA_SUCCESS;
  }
  if (vida__has_light_coordinates(self) && !solves_for_velocities(self)) {
    return VIDA_SUCCESS; /* whose velocities are rounding */
  }
  const turn_work work = take_work(self, watch);
  int code = find_rates(self, stepper->kept, &work);
  int row = code ? -1 : find_far_turn(self, after, &work);
  if (row >= 0) {
    return fail_turn(stepper, row, "turns too far in the step", error);
  }
  row = code ? -1 : find_false_reversal(self, stepper->kept, after, &work);
  self->model.evaluator.error = (VidaError){0};
  return row < 0
             ? VIDA_SUCCESS
             : fail_turn(stepper, row,
                         "turns back in the step, against the rates and accelerations at its ends",
                         error);
}
