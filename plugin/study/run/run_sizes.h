/* Sizes with which the errors of a run are compared, and which are in no column. */
#ifndef VIDA_STUDY_RUN_RUN_SIZES_H
#define VIDA_STUDY_RUN_RUN_SIZES_H

#include "study/measure/monitors.h"

/* Stores the sizes of the state at the start of a run, with velocities v (n): the largest so far.
 * Fails with VIDA_OUT_OF_MEMORY. */
int vida__take_sizes(const vida_monitors* monitors, const vida_time_loop* loop, const double* v,
                     vida_run_sizes* sizes, VidaError* error);
/* Stores the sizes of the state at the end of a run, so that a motion from rest also has sizes, and
 * the fit of its energy. */
int vida__finish_sizes(const vida_monitors* monitors, const vida_time_loop* loop,
                       vida_run_sizes* sizes, VidaError* error);

#endif
