/* The stages of compositions: steps of a nested stepper whose lengths follow a pattern that is the
 * same in each step of the composition.
 *
 * The unknowns of a stage are predicted from those of the same stage in the last steps. Where
 * constraints are distances, stages are calm steps (distance_steps.h): all stages of a step share
 * the vectors between points, the force at their common node and the sums of increments of g. A
 * stage that is not calm is made by the method itself, from the same state. */
#ifndef VIDA_STEPPER_STAGES_H
#define VIDA_STEPPER_STAGES_H

#include "stepper/nested.h"

typedef struct vida_stages vida_stages;

/* Declares that a step of the stepper around `nested` consists of the `count` stages of lengths
 * gamma[i] h. Each stage begins and ends on both levels of the constraints. `nested` must outlive
 * them; the caller frees *stages with vida__stages_destroy, also after a failure. */
int vida__stages_create(VidaStepper* nested, const double* gamma, int count, vida_stages** stages,
                        VidaError* error);
/* Frees the stages and sets *stages to NULL; NULL is allowed. */
void vida__stages_destroy(vida_stages** stages);
/* Deletes what the stages of the last steps have left, after a start of the nested stepper. */
void vida__stages_forget(vida_stages* stages);
/* Takes the last step back: the nested stepper returns to the node before it. */
void vida__stages_return(vida_stages* stages);
/* Makes all stages of a step from the node of `outer`, and copies the node after the last one to
 * it. After a failure the nested stepper is at the node before the step. */
int vida__stages_make(vida_stages* stages, VidaIntegration* outer, VidaError* error);

/* Computes the sum of the discrete actions of the stages of the last step, if the outer stepper
 * needs it: for VidaMethod.action. Fails with VIDA_NOT_SUPPORTED if the nested method does not know
 * them. */
int vida__stages_action(const vida_stages* stages, double* action, VidaError* error);
/* Visits what the stages keep, besides the nested stepper. */
void vida__stages_record(vida_stages* stages, VidaRecord* record);

#endif
