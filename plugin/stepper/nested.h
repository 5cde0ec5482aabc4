/* Steps of another method inside a method's own step: stages of compositions, sequences of steps of
 * another length. */
#ifndef VIDA_STEPPER_NESTED_H
#define VIDA_STEPPER_NESTED_H

#include "stepper/integration.h"

/* Creates a stepper of the method `name` with the common options of `outer`, on its system.
 * Failures of its steps name the step of `outer`. Free it with VidaStepper_Destroy. */
int vida__nested_create(VidaIntegration* outer, const char* name, VidaStepper** nested,
                        VidaError* error);
/* Makes it the method of `stages` stages, each of which begins and ends on both levels of the
 * constraints. */
void vida__nested_set_stages(VidaStepper* nested, int stages);
/* Returns what its method sees: the node, above all. */
VidaIntegration* vida__nested_integration(VidaStepper* nested);
/* Starts it at the node of `outer`, for steps of length h (s). */
int vida__nested_start(VidaStepper* nested, const VidaIntegration* outer, double h,
                       VidaError* error);
/* Lets it evaluate formulas on the side of the jumps in time on which `outer` is. */
void vida__nested_follow(VidaStepper* nested, const VidaIntegration* outer);
/* Puts its node at the time t0 (s), before a step of length h (s). */
void vida__nested_set_clock(VidaStepper* nested, double t0, double h);
/* Makes one step with all checks. */
int vida__nested_step(VidaStepper* nested, VidaError* error);
/* Puts the node back to where the last step has started from. */
void vida__nested_return(VidaStepper* nested);
/* Makes the stage number `stage` (from 1), from the time t (s) over h (s), without checks. */
int vida__nested_stage(VidaStepper* nested, int stage, double t, double h, VidaError* error);
/* Ends a step of several stages: the node is that at the end of the last one. */
void vida__nested_end_stages(VidaStepper* nested);
/* Returns the velocities (n) at its node, which it owns. */
int vida__nested_velocities(VidaStepper* nested, const double** v, VidaError* error);

/* Copies positions, momenta, velocities and multipliers of a node; not its clock. */
void vida__copy_node(const VidaIntegration* from, VidaIntegration* to);
/* Sets the counts of the implicit equations of `to` to the sum of those of two integrations; b
 * may be NULL. */
void vida__add_solver_counts(VidaIntegration* to, const VidaIntegration* a,
                             const VidaIntegration* b);

#endif
