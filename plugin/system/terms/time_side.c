#include "system/terms/time_side.h"

#include <math.h>

#include "system/model/model.h"

/* An interval of time without jumps; its ends do not belong to it. */
typedef struct side {
  double from, to;
} side;

/* Returns the interval between declared times that contains the point, within its segment. */
static side side_of(const vida_place* at) {
  const VidaSystem* system = at->system;
  const vida_segment* segment = at->segment;
  const double moment = segment ? segment->moment : at->t;
  int first = 0, last = system->jump_time_count; /* the first declared time after the moment */
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (system->jump_times[middle] <= moment) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  const double from = first > 0 ? system->jump_times[first - 1] : -INFINITY;
  const double to = first < system->jump_time_count ? system->jump_times[first] : INFINITY;
  return segment ? (side){fmax(from, segment->from), fmin(to, segment->to)} : (side){from, to};
}

/* Returns the nearest time inside the side with the distance `margin` to its ends. */
static double move_inside(side on, double margin, double t) {
  const double first = nextafter(on.from, INFINITY) + margin;
  const double last = nextafter(on.to, -INFINITY) - margin;
  return first < last ? fmin(fmax(t, first), last) : 0.5 * (on.from + on.to);
}

double vida__time_inside(const vida_place* at) {
  return at->segment ? move_inside(side_of(at), 0.0, at->t) : at->t;
}

/* Computes the derivatives at x of Lagrange's polynomials for the points -1, 0, 1. */
static void weigh_three(double x, double* weight) {
  weight[0] = x - 0.5;
  weight[1] = -2.0 * x;
  weight[2] = x + 0.5;
}

/* ... and for the points -2, ..., 2. */
static void weigh_five(double x, double* weight) {
  const double x2 = x * x, x3 = x * x2;
  weight[0] = (2.0 * x3 - 3.0 * x2 - x + 1.0) / 12.0;
  weight[1] = (-4.0 * x3 + 3.0 * x2 + 8.0 * x - 4.0) / 6.0;
  weight[2] = (2.0 * x3 - 5.0 * x) / 2.0;
  weight[3] = (-4.0 * x3 - 3.0 * x2 + 8.0 * x + 4.0) / 6.0;
  weight[4] = (2.0 * x3 + 3.0 * x2 - x - 1.0) / 12.0;
}

vida_time_quotient vida__time_quotient(const vida_place* at, double step, int points) {
  const side on = side_of(at);
  const int half = points / 2;
  const double room = (on.to - on.from) / (double)points;
  vida_time_quotient made = {.points = points, .step = fmin(step, room)};
  const double t = move_inside(on, 0.0, at->t);
  const double middle = move_inside(on, half * made.step, t);
  for (int k = 0; k < points; k++) {
    made.t[k] = move_inside(on, 0.0, middle + (k - half) * made.step);
  }
  /* The rounded times have another distance. If it is zero, so is the derivative. */
  const double width = made.t[points - 1] - made.t[0];
  made.step = width > 0.0 ? width / (double)(points - 1) : step;
  (points == 3 ? weigh_three : weigh_five)((t - middle) / made.step, made.weight);
  return made;
}
