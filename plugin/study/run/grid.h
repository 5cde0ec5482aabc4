/* The time grid of a fixed-step run, and where the grids of two runs meet. */
#ifndef VIDA_STUDY_RUN_GRID_H
#define VIDA_STUDY_RUN_GRID_H

#include <stdbool.h>
#include <vida/error.h>

typedef struct vida_time_grid {
  double t0, time; /* from t0 to t0 + time */
  double h;
  long full;   /* steps of size h */
  double last; /* size of one shorter step after them; 0 when h divides the time */
} vida_time_grid;

/* Lays steps of size h over the time. A step that does not divide it is refused with
 * VIDA_STEP_DOES_NOT_FIT and the two nearest steps that do, unless `shorten` allows a shorter last
 * step; one longer than the time is always refused. */
int vida__make_grid(double t0, double time, double h, bool shorten, vida_time_grid* grid,
                    VidaError* error);
long vida__count_steps(const vida_time_grid* grid);
/* The time after `step` steps: t0 + step h by product, and exactly t0 + time after the last. */
double vida__grid_time(const vida_time_grid* grid, long step);

/* The smallest a and b for which a steps of `grid` take as long as b steps of `other`. False when
 * there are none with a <= VIDA_MOST_BETWEEN that end within the time. */
#define VIDA_MOST_BETWEEN 1000
bool vida__match_grids(const vida_time_grid* grid, const vida_time_grid* other, long* a, long* b);

long vida__common_divisor(long a, long b); /* the greatest, of a, b > 0 */

#endif
