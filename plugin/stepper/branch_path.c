/* The path from one point of a motion to the next along g = 0, or, for methods that drift, along
 * interpolated values of g. It consists of short steps along the tangential part of the difference,
 * each corrected by Newton's method with the matrix at its beginning. If every correction is at
 * most half of the one before, the matrix has changed little, so the branch is the same. */
#include <math.h>
#include <string.h>

#include "stepper/branch_watch.h"

enum { MOST_CORRECTIONS = 25, MOST_STEPS = 200 };
/* Relative to the square root of a squared turn. Longer steps miss ends on the opposite side, to
 * which the tangent hardly points. */
static const double wanted_turn = 0.15;
static const double least_share = 1.0 / 256.0;
/* Fractions of the whole path: remaining corrections, and the remaining distance at the end. */
static const double correction_left = 1e-5;
static const double way_left = 1e-3;

/* The norm of x in the mass metric. */
static double measure(const vida_watch* watch, const double* x) {
  const VidaStepper* stepper = watch->stepper;
  double square = 0.0;
  for (int i = 0; i < stepper->self.model.n; i++) {
    const double part = watch->root[i] * x[i];
    square += part * part;
  }
  return sqrt(square);
}

/* Replaces step by its part tangent to the constraints, with the last factors. */
static int make_tangent(vida_watch* watch, double* step) {
  const VidaStepper* stepper = watch->stepper;
  double* side = watch->side;
  memset(side, 0, (size_t)(stepper->self.model.n + stepper->self.model.m) * sizeof *side);
  for (int i = 0; i < stepper->self.model.n; i++) {
    side[i] = watch->root[i] * step[i];
  }
  const int code = vida__linear_solve(stepper->self.model.node_matrix, side, side);
  for (int i = 0; i < stepper->self.model.n && !code; i++) {
    step[i] = side[i] * watch->inverse[i];
  }
  return code;
}

/* Corrects y once towards g = g_from + share (g_to - g_from); *size receives the length of the
 * correction. */
static int correct(vida_watch* watch, double t, double share, double* y, double* size) {
  const VidaStepper* stepper = watch->stepper;
  double* side = watch->side;
  int code = vida__constraints(&watch->evaluator, t, y, NULL, watch->rows);
  memset(side, 0, (size_t)(stepper->self.model.n + stepper->self.model.m) * sizeof *side);
  for (int r = 0; r < stepper->self.model.m; r++) {
    const double wanted = watch->g_from[r] + share * (watch->g_to[r] - watch->g_from[r]);
    side[stepper->self.model.n + r] =
        watch->is_in[r] ? (watch->rows[r] - wanted) / watch->length[r] : 0.0;
  }
  code = code ? code : vida__linear_solve(stepper->self.model.node_matrix, side, side);
  double square = 0.0;
  for (int i = 0; i < stepper->self.model.n && !code; i++) {
    y[i] -= side[i] * watch->inverse[i];
    square += side[i] * side[i];
  }
  *size = sqrt(square);
  return code;
}

static bool is_brought_back(vida_watch* watch, double t, double share, double whole, double* y) {
  double before = INFINITY;
  for (int k = 0; k < MOST_CORRECTIONS; k++) {
    double size = 0.0;
    if (correct(watch, t, share, y, &size) || !(size <= 0.5 * before)) {
      return false;
    }
    if (size <= correction_left * whole) {
      return true;
    }
    before = size;
  }
  return false;
}

/* Makes a step from watch->x at the fraction `share` of the path to the fraction `next`, with the
 * factors at its beginning. `along` is the fraction of the remaining distance. Returns whether the
 * corrections converged. */
static bool make_step(vida_watch* watch, double t, double next, double along, double whole) {
  const int n = watch->stepper->self.model.n;
  for (int i = 0; i < n; i++) {
    watch->step[i] = along * (watch->q_next[i] - watch->x[i]);
  }
  if (make_tangent(watch, watch->step)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    watch->y[i] = watch->x[i] + watch->step[i];
  }
  if (!is_brought_back(watch, t, next, whole, watch->y)) {
    return false;
  }
  memcpy(watch->x, watch->y, (size_t)n * sizeof *watch->x);
  return true;
}

static double find_distance(vida_watch* watch) {
  for (int i = 0; i < watch->stepper->self.model.n; i++) {
    watch->step[i] = watch->q_next[i] - watch->x[i];
  }
  return measure(watch, watch->step);
}

static bool factor_here(vida_watch* watch, double t) {
  /* The entries at the next point are evaluated again when the path is known. */
  return !vida__jacobian(&watch->evaluator, t, watch->x, watch->ahead) &&
         !vida__watch_factor(watch, watch->ahead);
}

/* Follows the path, and continues at its end to the point nearest to its target. */
static bool walk(vida_watch* watch, double t, double turn) {
  const double whole = find_distance(watch);
  double share = 0.0;
  double length = 1.0 / ceil(sqrt(turn) / wanted_turn);
  double along = 1.0;
  for (int k = 0; k < MOST_STEPS; k++) {
    const bool is_last = share >= 1.0;
    const double next = is_last ? 1.0 : fmin(1.0, share + length);
    if (is_last && find_distance(watch) <= way_left * whole) {
      return true;
    }
    if (!factor_here(watch, watch->t + share * (t - watch->t))) {
      return false;
    }
    if (!is_last && share > 0.0 &&
        vida__watch_measure(watch, watch->t + share * (t - watch->t), watch->x, false) &&
        vida__watch_factor(watch, watch->ahead)) {
      return false;
    }
    const double part = is_last ? along : (next - share) / (1.0 - share);
    if (make_step(watch, watch->t + next * (t - watch->t), next, part, whole)) {
      if (is_last && measure(watch, watch->step) < way_left * part * whole) {
        return find_distance(watch) <= way_left * whole; /* it leads no nearer */
      }
      share = next;
      continue;
    }
    double* reduced = is_last ? &along : &length;
    *reduced *= 0.5;
    if (*reduced < least_share) {
      return false;
    }
  }
  return false;
}

bool vida__watch_can_reach(vida_watch* watch, double t, double turn) {
  const size_t bytes = (size_t)watch->stepper->self.model.n * sizeof *watch->x;
  memcpy(watch->x, watch->q, bytes);
  /* A point that cannot be evaluated decides nothing. */
  if (vida__constraints(&watch->evaluator, watch->t, watch->q, NULL, watch->g_from) ||
      vida__constraints(&watch->evaluator, t, watch->q_next, NULL, watch->g_to)) {
    return true;
  }
  /* Corrections are repeated until they converge, so that a few digits of each are enough. */
  vida_linear* matrix = watch->stepper->self.model.node_matrix;
  vida__linear_make_rough(matrix, true);
  const bool is_reached = walk(watch, t, turn);
  vida__linear_make_rough(matrix, false);
  return is_reached && !vida__jacobian(&watch->evaluator, t, watch->q_next, watch->ahead);
}
