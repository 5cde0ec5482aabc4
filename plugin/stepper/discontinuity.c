/* Constraints that jump between two points of a motion: an angle that wraps, a switch.
 *
 * Along the straight line between two points, the change of a row is nearly the mean of its
 * gradients at both ends times the displacement. For a smooth row the remainder decreases with the
 * cube of the length, for a row with a kink with the length. The remainder of a jump stays on every
 * part of the line that contains the jump. */
#include <math.h>
#include <string.h>

#include "stepper/branch_watch.h"

/* After ENOUGH_HALVES, a place where the row has no value is that of the jump: a quotient whose arc
 * tangent jumps has none there. */
enum { MOST_HALVES = 26, ENOUGH_HALVES = 10 };
/* Bounds of the remainder: relative to the turn of the gradient times the displacement, and to the
 * terms of the row. A smaller remainder is not examined. */
static const double part_of_turn = 2.0;
static const double fraction_of_terms = 1e-3;
/* Relative to the reach of the row, which counts among its terms. */
static const double least_part = 1e-6;
/* Relative to the remainder on the whole line: if both halves have less, there is no jump. */
static const double left_of_jump = 0.4;

/* One end of a part of the line. */
typedef struct way_end {
  double share; /* of the whole way */
  double g;     /* of the row */
  double slope; /* its change on the whole way at the rate that it has there */
} way_end;

static double left_over(const way_end* from, const way_end* to) {
  return to->g - from->g - 0.5 * (from->slope + to->slope) * (to->share - from->share);
}

/* Returns the change of a row (entries from *e) on the whole line by its gradient at one end. */
static double find_slope(const vida_watch* watch, double t, int row, const double* entries,
                         double rate) {
  const VidaSystem* system = watch->stepper->self.model.system;
  double sum = system->time_dependent ? rate * (t - watch->t) : 0.0;
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    if (entry->row == row) {
      sum += entries[e] * (watch->q_next[entry->coordinate] - watch->q[entry->coordinate]);
    }
  }
  return sum;
}

/* Returns false if the row cannot be evaluated. */
static bool evaluate_end(vida_watch* watch, double t, int row, way_end* end) {
  const double at = watch->t + end->share * (t - watch->t);
  double* place = watch->y;
  double rate = 0.0;
  for (int i = 0; i < watch->stepper->self.model.n; i++) {
    place[i] = watch->q[i] + end->share * (watch->q_next[i] - watch->q[i]);
  }
  if (vida__jacobian(&watch->evaluator, at, place, watch->between) ||
      vida__constraints(&watch->evaluator, at, place, NULL, watch->rows)) {
    return false;
  }
  end->g = watch->rows[row];
  if (watch->stepper->self.model.system->time_dependent) {
    if (vida__constraint_rate(&watch->evaluator, at, place, watch->rows)) {
      return false;
    }
    rate = watch->rows[row];
  }
  end->slope = find_slope(watch, t, row, watch->between, rate);
  return true;
}

/* Bisects the line repeatedly: the remainder of a jump does not decrease. */
static bool is_jump(vida_watch* watch, double t, int row) {
  way_end from = {0.0, watch->g[row], 0.0}, to = {1.0, watch->g_next[row], 0.0};
  from.slope = find_slope(watch, t, row, watch->entries, watch->rate[row]);
  to.slope = find_slope(watch, t, row, watch->ahead, watch->rate_next[row]);
  const double whole = fabs(left_over(&from, &to));
  for (int k = 0; k < MOST_HALVES; k++) {
    way_end middle = {.share = 0.5 * (from.share + to.share)};
    if (!evaluate_end(watch, t, row, &middle)) {
      if (k < ENOUGH_HALVES) {
        return false;
      }
      break;
    }
    const double first = fabs(left_over(&from, &middle));
    const double second = fabs(left_over(&middle, &to));
    if (!(fmax(first, second) > left_of_jump * whole)) {
      return false;
    }
    if (first > second) {
      to = middle;
    } else {
      from = middle;
    }
  }
  watch->jump = (vida_discontinuity){row, watch->t + to.share * (t - watch->t), to.g - from.g};
  return true;
}

/* Returns whether the remainder of the row whose first entry is *e exceeds what the turn of its
 * gradient and rounding explain. *e becomes the first entry of the next row. */
static bool is_suspect(const vida_watch* watch, double t, int* e) {
  const VidaSystem* system = watch->stepper->self.model.system;
  const double dt = system->time_dependent ? t - watch->t : 0.0;
  const int row = system->entries[*e].row;
  const double by_time = 0.5 * (watch->rate[row] + watch->rate_next[row]) * dt;
  double left = watch->g_next[row] - watch->g[row] - by_time;
  double terms = fabs(by_time) + least_part * watch->stepper->self.model.reach[row];
  double turn = fabs((watch->rate_next[row] - watch->rate[row]) * dt);
  for (; *e < system->entry_count && system->entries[*e].row == row; ++*e) {
    const int i = system->entries[*e].coordinate;
    const double way = watch->q_next[i] - watch->q[i];
    const double change = 0.5 * (watch->entries[*e] + watch->ahead[*e]) * way;
    left -= change;
    terms += fabs(change);
    turn += fabs((watch->ahead[*e] - watch->entries[*e]) * way);
  }
  return !system->rows[row].is_nonholonomic &&
         fabs(left) > part_of_turn * turn + fraction_of_terms * terms;
}

bool vida__watch_finds_jump(vida_watch* watch, double t) {
  const VidaSystem* system = watch->stepper->self.model.system;
  if (watch->is_smooth) {
    return false;
  }
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    if (is_suspect(watch, t, &e) && is_jump(watch, t, row)) {
      return true;
    }
  }
  return false;
}
