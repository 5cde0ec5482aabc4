/* Why a step failed. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/branch_watch.h"

/* How far, in units of h, a jump is searched for around the point at which the motion stopped.
 * Adaptive methods stop just before or just after it, so the search also begins earlier for them.
 */
static const double probed_fraction = 0.1;
static const double probed_step_count = 2.5;

/* Returns whether a constraint jumps between `back` before (t,q) and `ahead` after it. */
static bool jumps_near(VidaStepper* stepper, double t, const double* q, const double* v,
                       double back, double ahead) {
  double *from = stepper->self.work.place, *to = stepper->self.work.q1;
  for (int i = 0; i < stepper->self.model.n; i++) {
    from[i] = q[i] - back * v[i];
    to[i] = q[i] + ahead * v[i];
  }
  vida__watch_return(stepper->watch, t - back, from);
  return vida__watch_probe_jump(stepper->watch, t + ahead, to);
}

/* Returns whether a constraint jumps near the point at which the motion stopped, along its
 * velocity: at the last checked point, or after the node. */
static bool stops_at_jump(VidaStepper* stepper) {
  const vida_watch* watch = stepper->watch;
  const double h = stepper->self.node.h, part = probed_fraction * h;
  const double* v;
  VidaError unused;
  if (!watch || watch->is_blind || vida__node_velocities(&stepper->self, &v, &unused)) {
    return false;
  }
  if (stepper->self.adaptive && jumps_near(stepper, watch->t, watch->q, v, part, part)) {
    return true;
  }
  return jumps_near(stepper, vida__node_time(&stepper->self), stepper->self.node.q, v, 0.0,
                    stepper->self.adaptive ? h + part : probed_step_count * h);
}

static void describe_jump(const VidaStepper* stepper, VidaError* error) {
  const vida_discontinuity* jump = vida__watch_jump(stepper->watch);
  char step[VIDA_STEP_NAME_SIZE], size[VIDA_REAL_TEXT_SIZE], t[VIDA_REAL_TEXT_SIZE];
  vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, VIDA_CONSTRAINT_JUMPS,
      "%s: constraint '%s' jumps by %s near t = %s: its expression is discontinuous there, such as "
      "an angle that wraps (atan2) or a switch (where); no step is small enough; use an angle that "
      "counts turns (system:angle), or an expression without the switch",
      vida__name_step(&stepper->self, step), stepper->self.model.system->rows[jump->row].name,
      vida__real_text(size, fabs(jump->size), 3), vida__real_text(t, jump->t, 4));
}

/* Whether watch->q_next is finite; watch->x receives the middle of the way to it, and watch->step
 * the velocity that goes it in a step, at most: shorter parts of the step are taken for all of it.
 */
static bool find_tried_displacement(const VidaStepper* stepper) {
  vida_watch* watch = stepper->watch;
  bool finite = true;
  for (int i = 0; i < stepper->self.model.n; i++) {
    watch->x[i] = 0.5 * (watch->q[i] + watch->q_next[i]);
    watch->step[i] = (watch->q_next[i] - watch->q[i]) / stepper->self.node.h;
    finite = finite && isfinite(watch->step[i]);
  }
  return finite;
}

/* The kinetic energy v M v / 2 of the way to the place that was tried last; 0 if there is none. M
 * is that of the middle of the way: the mass of a coordinate at the start, or to the side of the
 * way, may be larger by many orders of magnitude, as in bodies that have turned. */
static double find_tried_energy(VidaStepper* stepper) {
  vida_watch* watch = stepper->watch;
  const int n = stepper->self.model.n;
  double *l_q = stepper->self.work.l_q, *rest = stepper->self.work.l_v;
  double sum = 0.0;
  if (!watch || watch->is_blind) {
    return 0.0;
  }
  if (!find_tried_displacement(stepper)) {
    return INFINITY;
  }
  memset(watch->y, 0, (size_t)n * sizeof *watch->y);
  if (vida__momenta(&watch->evaluator, watch->t, watch->x, watch->y, l_q, rest) ||
      vida__momenta(&watch->evaluator, watch->t, watch->x, watch->step, l_q, watch->y)) {
    return 0.0;
  }
  for (int i = 0; i < n; i++) {
    sum += watch->step[i] * (watch->y[i] - rest[i]);
  }
  return isfinite(sum) ? 0.5 * sum : (double)INFINITY;
}

/* Returns whether the motion was unbounded; *energy then receives its kinetic energy. */
static bool is_motion_unbounded(VidaStepper* stepper, double* energy) {
  const double* v;
  VidaError unused;
  vida__node_velocities(&stepper->self, &v, &unused); /* the kinetic energy knows them then */
  *energy = fmax(vida__kinetic_size(&stepper->self), find_tried_energy(stepper));
  return vida__is_unbounded(stepper, *energy);
}

void vida__explain_failure(VidaStepper* stepper, VidaError* error) {
  const bool is_branch = error && strcmp(error->flag, VIDA_OTHER_BRANCH) == 0;
  double energy;
  char text[VIDA_REAL_TEXT_SIZE];
  double t;
  if (!error || error->code < VIDA_SOLVER_FAILED || error->code == VIDA_OUT_OF_MEMORY) {
    return;
  }
  /* The watch deletes the last tried point when a jump is searched for. */
  const bool is_lost = is_branch && is_motion_unbounded(stepper, &energy);
  const char* row = vida__watch_singular(stepper->watch, &t);
  if (vida__watch_jump(stepper->watch) || stops_at_jump(stepper)) {
    describe_jump(stepper, error);
  } else if (is_lost) {
    vida__fail_unbounded(stepper, "its kinetic energy", energy, error);
  } else if (row) {
    vida__append(error->message, sizeof error->message,
                 "; near t = %s there is a singular configuration, where the constraint Jacobian "
                 "loses rank (row '%s')",
                 vida__real_text(text, t, 4), row);
    if (is_branch) {
      vida__append(error->message, sizeof error->message,
                   "; if the motion goes through it, try another method (radau), else the ");
      vida__append_smaller(stepper, error->message, sizeof error->message);
    }
  } else if (is_branch) {
    vida__append(error->message, sizeof error->message, "; the ");
    vida__append_smaller(stepper, error->message, sizeof error->message);
  }
}
