/* Steps of systems whose constraints are all distances (system/constraints/distances.h).
 *
 * These are the condensed equations (condensed_step.h) in a form without calls and indices: d, the
 * difference of two points, is the only quantity of a row, and g, G and their increments are
 * products with it. A step takes this form if it is calm: gradients turn little, and Newton's
 * method converges at once. All other steps are made by the method itself, from the same state.
 *
 * Several calm steps in a row need no checks in between. The frame keeps the state before them, and
 * takes them back if the checks after the last one fail. */
#ifndef VIDA_STEPPER_DISTANCE_STEPS_H
#define VIDA_STEPPER_DISTANCE_STEPS_H

#include "stepper/integration.h"

/* Creates what such steps need for self->implicit.form, after the condensed equations.
 * self->implicit.distances remains NULL if the system or the method has another form. The caller
 * frees it with vida__distance_steps_destroy, also after a failure. */
int vida__distance_steps_create(VidaIntegration* self, VidaError* error);
/* Frees it and sets *steps to NULL; NULL is allowed. */
void vida__distance_steps_destroy(vida_distance_steps** steps);
/* Prepares a motion, whose masses and parameters may be new. */
void vida__distance_steps_start(VidaIntegration* self);

/* Makes at most `most` calm steps from the node and returns their number. The node and the method's
 * own state are then those after the last one, but node.step does not change. Ends after a step
 * that the watch of branches must look at, and after each step whose index is a multiple of
 * VIDA_CALM_STEPS, where g must be evaluated. If *is_broken, the state after these steps is
 * undefined, and the caller takes them back. */
long vida__make_calm_steps(VidaIntegration* self, long most, bool* is_broken);
/* Prepares steps that are made in a lane (ensemble.h). Returns false if the motion has to make
 * the next one alone. vida__take_back_calm_steps takes them back. */
bool vida__begin_lane_steps(VidaIntegration* self);
/* Gives the method and the node what follows from `made` steps that were made in a lane. */
void vida__end_lane_steps(VidaIntegration* self, long made);
/* Takes back the steps of the last call, apart from the node, which belongs to the frame. */
void vida__take_back_calm_steps(VidaIntegration* self);
/* Passes the history of calm steps on to the next step of the method. */
void vida__leave_calm_steps(VidaIntegration* self);
/* Deletes the history of calm steps, after the general history has been deleted or changed. */
void vida__forget_calm_steps(VidaIntegration* self);
/* Corrects the sums of increments of g by the values at the node in self->implicit.g_node, after
 * VIDA_CALM_STEPS steps. */
void vida__track_calm_steps(VidaIntegration* self);
/* Adds the numbers of iterations and evaluations of all calm steps since the start. */
void vida__count_calm_steps(const VidaIntegration* self, VidaStatistics* statistics);

/* Visits what calm steps keep; nothing, if there are none. */
void vida__distance_steps_record(VidaIntegration* self, VidaRecord* record);

enum { VIDA_CALM_STEPS = 16 };

#endif
