/* The time grid of a run with fixed steps, and the common times of two grids. */
#ifndef VIDA_STUDY_TIME_GRID_H
#define VIDA_STUDY_TIME_GRID_H

#include <stdbool.h>
#include <vida/error.h>

/* A time grid. */
typedef struct vida_time_grid {
  double t0, time; /* from t0 to t0 + time */
  double h;
  long full;   /* steps of size h */
  double last; /* size of a shorter last step; 0: h divides the time */
} vida_time_grid;

/* Makes the grid of steps h from t0 over `time` (s). If h does not divide the time, `shorten`
 * allows a shorter last step; otherwise fails with VIDA_STEP_DOES_NOT_FIT, and the message gives
 * the two nearest steps that do. Always fails if h is larger than the time. */
int vida__make_grid(double t0, double time, double h, bool shorten, vida_time_grid* grid,
                    VidaError* error);
/* Returns the number of steps, including a shorter last one. */
long vida__count_steps(const vida_time_grid* grid);
/* Returns the time after `step` steps: t0 + step h as a product, and exactly t0 + time after the
 * last step. */
double vida__grid_time(const vida_time_grid* grid, long step);

/* Computes the smallest a and b for which a steps of `grid` take as long as b steps of `other`.
 * Returns false if there are none with a <= VIDA_MOST_BETWEEN within the time. */
#define VIDA_MOST_BETWEEN 1000
bool vida__match_grids(const vida_time_grid* grid, const vida_time_grid* other, long* a, long* b);

/* Returns the greatest common divisor of a, b > 0. */
long vida__common_divisor(long a, long b);

#endif
