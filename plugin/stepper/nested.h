/* Steps of another method within a step of a method: stages of compositions, and sequences of steps
 * of another length. */
#ifndef VIDA_STEPPER_NESTED_H
#define VIDA_STEPPER_NESTED_H

#include "stepper/integration.h"

/* Creates a stepper of the method `name` on the system of `outer`, with the options that all
 * methods have. Error messages of its steps name the step of `outer`. The caller frees *nested with
 * VidaStepper_Destroy. */
int vida__nested_create(VidaIntegration* outer, const char* name, VidaStepper** nested,
                        VidaError* error);
/* Does the same with the option `option` set to the text `value`; NULL: no further option. */
int vida__nested_create_with(VidaIntegration* outer, const char* name, const char* option,
                             const char* value, VidaStepper** nested, VidaError* error);
/* Declares that a step of `outer` consists of `stages` steps of `nested`. Each stage begins and
 * ends on both levels of the constraints. */
void vida__nested_set_stages(VidaStepper* nested, int stages);
/* Returns the integration of the nested stepper, which has its node. */
VidaIntegration* vida__nested_integration(VidaStepper* nested);
/* Starts the nested stepper at the node of `outer`, with steps of length h (s). */
int vida__nested_start(VidaStepper* nested, const VidaIntegration* outer, double h,
                       VidaError* error);
/* Makes the nested stepper evaluate formulas on the side of jumps in time that `outer` uses. */
void vida__nested_follow(VidaStepper* nested, const VidaIntegration* outer);
/* Sets the time of the nested node to t0 (s), before a step of length h (s). */
void vida__nested_set_clock(VidaStepper* nested, double t0, double h);
/* Makes one step of the nested stepper with all checks. */
int vida__nested_step(VidaStepper* nested, VidaError* error);
/* Keeps the nested node and what the method's steps change, as vida__nested_step does. */
void vida__nested_keep(VidaStepper* nested);
/* Resets the nested stepper to the state before its last step, apart from its clock. */
void vida__nested_return(VidaStepper* nested);
/* Makes the stage with the number `stage` (from 1), from the time t (s) over h (s), without checks.
 */
int vida__nested_stage(VidaStepper* nested, int stage, double t, double h, VidaError* error);
/* Ends a step of several stages: the nested node becomes the node after the last stage. */
void vida__nested_end_stages(VidaStepper* nested);
/* Computes the velocities at the nested node. *v (n) points to them; they belong to the nested
 * stepper. */
int vida__nested_velocities(VidaStepper* nested, const double** v, VidaError* error);

/* Copies the positions, momenta, velocities and multipliers of a node, but not its time and step.
 */
void vida__copy_node(const VidaIntegration* from, VidaIntegration* to);
/* Sets the solver counts of `to` to the sum of those of a and b; b may be NULL. */
void vida__add_solver_counts(VidaIntegration* to, const VidaIntegration* a,
                             const VidaIntegration* b);

/* Visits a nested stepper: for VidaMethod.state (checkpoint.c). */
void vida__nested_record(VidaStepper* nested, VidaRecord* record);

#endif
