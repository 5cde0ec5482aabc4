/* What the errors of a run are small or large beside: sizes that no row has, for judging rows. */
#ifndef VIDA_STUDY_RUN_RUN_SIZES_H
#define VIDA_STUDY_RUN_RUN_SIZES_H

#include "study/measure/monitors.h"

/* Takes the sizes of the state that the march is at into those of its run: the largest so far
 * stays. v (n): velocities there. For the start of a run. Fails for want of memory. */
int vida__take_sizes(const vida_monitors* monitors, const vida_march* march, const double* v,
                     vida_run_sizes* sizes, VidaError* error);
/* The same at the end of a run, so that a motion that begins at rest has sizes, too; and the fit of
 * its energy. */
int vida__finish_sizes(const vida_monitors* monitors, const vida_march* march,
                       vida_run_sizes* sizes, VidaError* error);

#endif
