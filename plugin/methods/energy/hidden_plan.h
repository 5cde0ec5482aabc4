/* Simplified Newton iterations for the steps of energy-momentum-ggl, condensed to both multipliers.
 *
 * With diagonal masses the matrix leaves out, beside M, the derivatives of the forces and the
 * curvature of the constraints. (w, v) are then eliminated, and the matrix for (mu, eta) has four
 * blocks with the pattern of G M^-1 G^T. The residual is always that of all equations, so the
 * solution is that of Newton's method; it shrinks with the ratio of energy_plan.h. */
#ifndef VIDA_METHODS_ENERGY_HIDDEN_PLAN_H
#define VIDA_METHODS_ENERGY_HIDDEN_PLAN_H

#include "methods/energy/energy_projected.h"

typedef struct vida_hidden_plan vida_hidden_plan;

/* Creates the plan of the state; it remains NULL if the system or the options require Newton's
 * method for all unknowns. Free it with vida__hidden_plan_destroy, also after a failure. */
int vida__hidden_plan_create(VidaIntegration* self, VidaError* error);
/* Frees a plan and sets it to NULL; NULL is allowed. */
void vida__hidden_plan_destroy(vida_hidden_plan** plan);
/* Sets self->implicit.plan for a motion from the node, if there is a plan. */
int vida__hidden_plan_start(VidaIntegration* self, VidaError* error);
/* VidaMethod.step with a plan. */
int vida__hidden_plan_step(VidaIntegration* self, VidaError* error);

/* Visits what a plan keeps of the last steps; NULL is allowed. */
void vida__hidden_plan_record(struct vida_hidden_plan* plan, size_t unknowns, VidaRecord* record);

#endif
