/* Times on one side of the jumps in time, for C functions.
 *
 * A C function must not be called across a jump, neither at a time nor by a difference quotient in
 * time. The segment of a point gives its side of the jumps, but not its distance to jumps outside
 * the current step. These are found among the declared times of the system. */
#ifndef VIDA_SYSTEM_TERMS_TIME_SIDE_H
#define VIDA_SYSTEM_TERMS_TIME_SIDE_H

#include "system/model/kernel.h"

/* Returns the time of a point; if the point has a segment, the nearest time inside the segment. */
double vida__time_inside(const vida_place* at);

enum { VIDA_MOST_QUOTIENT_POINTS = 5 };

/* A difference quotient in time, with equidistant points. The derivative of f at the point is the
 * sum of weight[k] (f(t[k]) - f(t[0])) divided by the step, which is exactly zero for constants. It
 * is exact for polynomials of degree points - 1. */
typedef struct vida_time_quotient {
  int points;
  double step; /* distance of the points, s */
  double t[VIDA_MOST_QUOTIENT_POINTS], weight[VIDA_MOST_QUOTIENT_POINTS];
} vida_time_quotient;

/* Returns the quotient with 3 or 5 points at the distance `step` (s). It is central, with the
 * weight 0 of the middle point, unless a jump is near: then the points lie on the side of the jump
 * on which the point `at` is. Without a segment, a declared time belongs to its later side. If two
 * jumps leave too little room, the step is smaller. */
vida_time_quotient vida__time_quotient(const vida_place* at, double step, int points);

#endif
