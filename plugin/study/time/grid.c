#include "study/time/grid.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"

/* T/h counts as a whole number N if its relative error is at most this. The rounding of T, h and
 * the quotient is below 1e-15; the bound allows steps typed with twelve digits. */
#define GRID_TOLERANCE 1e-11
/* ... but never by a visible part of a step, however long the run. */
#define GRID_TOLERANCE_STEPS 1e-3
#define GRID_MOST_STEPS 1e12

static bool is_whole(double ratio, double whole) {
  return whole >= 1.0 && fabs(ratio - whole) <= fmin(GRID_TOLERANCE * whole, GRID_TOLERANCE_STEPS);
}

static int refuse_step(double time, double h, VidaError* error) {
  char h_text[VIDA_REAL_TEXT_SIZE], time_text[VIDA_REAL_TEXT_SIZE];
  char below[VIDA_REAL_TEXT_SIZE], above[VIDA_REAL_TEXT_SIZE];
  const double whole = floor(time / h);
  vida__real_text(h_text, h, 12);
  vida__real_text(time_text, time, 12);
  if (whole < 1.0) {
    return vida__fail(error, VIDA_STEP_DOES_NOT_FIT, "h = %s is longer than time = %s", h_text,
                      time_text);
  }
  return vida__fail(error, VIDA_STEP_DOES_NOT_FIT,
                    "h = %s does not divide time = %s; nearest: %s or %s", h_text, time_text,
                    vida__real_text(below, time / (whole + 1.0), 12),
                    vida__real_text(above, time / whole, 12));
}

int vida__make_grid(double t0, double time, double h, bool shorten, vida_time_grid* grid,
                    VidaError* error) {
  char h_text[VIDA_REAL_TEXT_SIZE], time_text[VIDA_REAL_TEXT_SIZE];
  if (!isfinite(t0) || !isfinite(t0 + time) || !(time > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "time: expected a positive finite time");
  }
  if (!isfinite(h) || !(h > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "h: expected a positive step, got %s",
                      vida__real_text(h_text, h, 12));
  }

  const double ratio = time / h;
  const double latest = fmax(fabs(t0), fabs(t0 + time));
  if (!(ratio <= GRID_MOST_STEPS) || latest + h == latest) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "h = %s is too small to count steps up to time = %s",
                      vida__real_text(h_text, h, 12), vida__real_text(time_text, time, 12));
  }

  *grid = (vida_time_grid){.t0 = t0, .time = time, .h = h};
  const double nearest = floor(ratio + 0.5);
  if (is_whole(ratio, nearest)) {
    grid->full = (long)nearest;
    return VIDA_SUCCESS;
  }
  if (!shorten || ratio < 1.0) {
    return refuse_step(time, h, error);
  }
  grid->full = (long)floor(ratio);
  grid->last = fma(-floor(ratio), h, time);
  return VIDA_SUCCESS;
}

long vida__count_steps(const vida_time_grid* grid) {
  return grid->full + (grid->last > 0.0 ? 1 : 0);
}

double vida__grid_time(const vida_time_grid* grid, long step) {
  if (step >= vida__count_steps(grid)) {
    return grid->t0 + grid->time;
  }
  return grid->t0 + (double)step * grid->h;
}

long vida__common_divisor(long a, long b) {
  while (b != 0) {
    const long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

bool vida__match_grids(const vida_time_grid* grid, const vida_time_grid* other, long* a, long* b) {
  /* Two grids that both end at t0 + time have that time in common, so whole numbers determine the
   * other common times. */
  if (grid->last == 0.0 && other->last == 0.0) {
    const long divisor = vida__common_divisor(grid->full, other->full);
    *a = grid->full / divisor;
    *b = other->full / divisor;
    return *a <= VIDA_MOST_BETWEEN;
  }
  for (long steps = 1; steps <= VIDA_MOST_BETWEEN && steps <= grid->full; steps++) {
    const double ratio = (double)steps * grid->h / other->h;
    const double nearest = floor(ratio + 0.5);
    if (is_whole(ratio, nearest) && nearest <= (double)other->full) {
      *a = steps;
      *b = (long)nearest;
      return true;
    }
  }
  return false;
}
