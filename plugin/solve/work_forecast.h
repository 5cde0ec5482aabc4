/* The limit of the number of steps between two output states, and a forecast of that number: an
 * advance whose steps have become so small that the limit will end it does not make a million steps
 * before it says so. */
#ifndef VIDA_SOLVE_WORK_FORECAST_H
#define VIDA_SOLVE_WORK_FORECAST_H

#include <stdbool.h>
#include <vida/error.h>

/* The counts of one advance. */
typedef struct vida_work_forecast {
  double most;             /* the limit, max_steps */
  double made;             /* steps so far */
  double end;              /* time of the output state */
  double window_t;         /* time at the beginning of the present window of steps */
  double window, previous; /* times that the last two windows took; 0: none yet */
  double total;            /* number of steps that the forecast expects; 0: no forecast yet */
} vida_work_forecast;

/* Returns the counts for an advance from t to `end` with at most `most` steps. */
vida_work_forecast vida__expect_work(double t, double end, double most);
/* Called before each step, with the time reached. Counts the step and returns whether it may be
 * made. It may not after `most` steps, or if the forecast is far above that number. The forecast
 * continues the times that windows of an equal number of steps have taken as a geometric series, so
 * that steps which grow again are not given up. */
bool vida__may_step(vida_work_forecast* work, double t);
/* Fails with VIDA_STEP_NOT_CONVERGED, the flag of the solver and a message with the time *t that
 * was reached (NULL: the caller adds it); `advice` names what needs fewer steps. */
int vida__fail_work(const vida_work_forecast* work, const char* flag, const double* t,
                    const char* advice, VidaError* error);

#endif
